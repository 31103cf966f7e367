/* Every solver of tridiagonal systems with pivoting there is. To add one: write tridiagonal_<name>.c, add its row. */
#include "linalg/sw_tridiagonal_impl.h"

const struct sw_tridiagonal_ops *const sw_tridiagonal_table[] = {
    0,
};
