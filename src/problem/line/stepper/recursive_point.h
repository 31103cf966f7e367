#ifndef RECURSIVE_POINT_H
#define RECURSIVE_POINT_H
/* The arithmetic of the recursive solver (problem/line/stepper/recursive.h; docs/explanation/recursive_form.md). A
 * state is the pair (u, v) = (y_i, y_{i-1}); a 2x2 matrix is stored by rows. Every fma is one rounding, on the CPU and
 * on a GPU. */
#ifndef __CUDACC_RTC__
#include <math.h>

#include "base/sw_hd.h"

/* The type of this arithmetic and of fused_point.h: on the host double. The text of a kernel has its own definition,
 * float for steps in single precision (kernels_cuda.c). */
typedef double sw_real;
#endif

struct sw_state { sw_real u, v; };

/** y_i = f_i - a1 y_{i-1} - a2 y_{i-2} */
SW_HD static inline sw_real sw_recursive_next(sw_real a1, sw_real a2, sw_real f, sw_real u, sw_real v)
{
    return fma(-a1, u, fma(-a2, v, f));
}

/** s + M t */
SW_HD static inline struct sw_state sw_recursive_join(const sw_real *M, struct sw_state t, struct sw_state s)
{
    struct sw_state r;
    r.u = fma(M[0], t.u, fma(M[1], t.v, s.u));
    r.v = fma(M[2], t.u, fma(M[3], t.v, s.v));
    return r;
}

/** The first point of block l of a line of n points cut into `blocks` (l may be -blocks .. 2*blocks: the line goes
 *  round). Any q blocks in a row have floor(q n/blocks) points together, or one more. */
SW_HD static inline int sw_recursive_start(int l, int n, int blocks)
{
    int turn = l < 0 ? -1 : l / blocks;
    return turn * n + (int)((long long)(l - turn * blocks) * n / blocks);
}
#endif
