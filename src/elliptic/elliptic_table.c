/* Every solver of elliptic problems there is. To add one: write elliptic_<name>.c, add its row. */
#include "elliptic/sw_elliptic_impl.h"

extern const struct sw_elliptic_ops elliptic_interleaved_cpu, elliptic_modal_cpu, elliptic_multigrid_cpu,
    elliptic_pcg_cpu;

const struct sw_elliptic_ops *const sw_elliptic_table[] = {
    &elliptic_modal_cpu,        /* vertical modes: where coefficients are the same everywhere */
    &elliptic_multigrid_cpu,    /* iterations that hardly grow with the Courant number or the grid */
    &elliptic_interleaved_cpu,  /* conjugate gradients in two fused passes */
    &elliptic_pcg_cpu,          /* pass by pass: the reference */
    0,
};
