/* Every solver of tridiagonal systems with pivoting there is. To add one: write tridiagonal_<name>.c, add its row. */
#include "linalg/sw_tridiagonal_impl.h"

extern const struct sw_tridiagonal_ops tridiagonal_lapack_cpu, tridiagonal_spike_cpu, tridiagonal_spike_thomas_cpu;

const struct sw_tridiagonal_ops *const sw_tridiagonal_table[] = {
    &tridiagonal_lapack_cpu,        /* LAPACK's dgtsv: a baseline                            */
    &tridiagonal_spike_cpu,         /* the paper's method, diagonal pivoting: the reference  */
    &tridiagonal_spike_thomas_cpu,  /* the same without pivoting                             */
    0,
};
