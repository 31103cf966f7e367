/* Every solver of elliptic problems there is. To add one: write elliptic_<name>.c, add its row. */
#include "elliptic/sw_elliptic_impl.h"

extern const struct sw_elliptic_ops elliptic_pcg_cpu;

const struct sw_elliptic_ops *const sw_elliptic_table[] = {
    &elliptic_pcg_cpu,  /* conjugate gradients pass by pass: the reference */
    0,
};
