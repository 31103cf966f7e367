#ifndef NAVON_CUH
#define NAVON_CUH
/* The closures of a batch on the device: number k of system j at closure[k*ld + j], border then h. */
#include "solver/navon_point.h"

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
#endif
