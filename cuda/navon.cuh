#ifndef NAVON_CUH
#define NAVON_CUH
/* The closures of a batch on the device: number k of system j at closure[k*ld + j], border then h. */
#include "linalg/thomas_point.h"

/* Where the data of system j begin, of a leading dimension: 1 is that of data that all systems share. */
__device__ static inline int sw_cuda_own(int ld, int j) { return ld == 1 ? 0 : j; }

__device__ static inline void sw_cuda_navon_put(const struct sw_navon *c, double *closure, size_t ld, int j)
{
    for (int k = 0; k < 4; k++) closure[k * ld + j] = c->border[k];
    for (int k = 0; k < 6; k++) closure[(4 + k) * ld + j] = c->h[k];
}

__device__ static inline struct sw_navon sw_cuda_navon_get(const double *closure, size_t ld, int j)
{
    struct sw_navon c;
    for (int k = 0; k < 4; k++) c.border[k] = closure[k * ld + j];
    for (int k = 0; k < 6; k++) c.h[k] = closure[(4 + k) * ld + j];
    return c;
}

/* The border unknowns of system j, from y = E^-1 f in the first n - p rows of x [n][ld], into the last p. */
__device__ static inline void sw_cuda_navon_border(const double *closure, int closure_ld, int n, int p, int ld, int j,
                                                   double *x)
{
    double z0, z1;
    struct sw_navon c = sw_cuda_navon_get(closure, closure_ld, sw_cuda_own(closure_ld, j));
    sw_thomas_border_solve(&c, n, p, ld, x + j, &z0, &z1);
    if (p == 2) x[(size_t)(n - 2) * ld + j] = z0;
    x[(size_t)(n - 1) * ld + j] = z1;
}
#endif
