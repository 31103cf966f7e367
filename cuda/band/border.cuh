#ifndef BORDER_CUH
#define BORDER_CUH
/* The borders of a batch on the device: number k of system j at border[k*ld + j], S then h. */
#include "linalg/papers/thomas_point.h"

/* Where the data of system j begin, of a leading dimension: 1 is that of data that all systems share. */
__device__ static inline int sw_cuda_system_index(int ld, int j) { return ld == 1 ? 0 : j; }

__device__ static inline void sw_cuda_border_store(const struct sw_border *c, double *border, size_t ld, int j)
{
    for (int k = 0; k < 4; k++) border[k * ld + j] = c->S[k];
    for (int k = 0; k < 6; k++) border[(4 + k) * ld + j] = c->h[k];
}

__device__ static inline struct sw_border sw_cuda_border_load(const double *border, size_t ld, int j)
{
    struct sw_border c;
    for (int k = 0; k < 4; k++) c.S[k] = border[k * ld + j];
    for (int k = 0; k < 6; k++) c.h[k] = border[(4 + k) * ld + j];
    return c;
}

/* The border unknowns of system j, from y = E^-1 f in the first n - p rows of x [n][ld], into the last p. */
__device__ static inline void sw_cuda_border_solve(const double *border, int border_ld, int n, int p, int ld, int j,
                                                   double *x)
{
    double z0, z1;
    struct sw_border c = sw_cuda_border_load(border, border_ld, sw_cuda_system_index(border_ld, j));
    sw_thomas_border_solve(&c, n, p, ld, x + j, &z0, &z1);
    if (p == 2) x[(size_t)(n - 2) * ld + j] = z0;
    x[(size_t)(n - 1) * ld + j] = z1;
}
#endif
