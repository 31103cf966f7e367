#ifndef ELLIPTIC_POINT_H
#define ELLIPTIC_POINT_H
/* The formulas of elliptic systems (docs/explanation/elliptic.md) at one cell, for the CPU and for kernels, where they
 * exist in single precision as well. All are written in differences and in sums of positive numbers: what the
 * zero-order term holds may be 1e-8 of what a neighbour weighs. */
#include "base/sw_hd.h"

#ifdef __cplusplus
#define ELLIPTIC_POINT template <typename real> SW_HD static inline
#else
#include "elliptic/elliptic_real.h"
#define ELLIPTIC_POINT SW_HD static inline
#endif

/* Along a horizontal axis: the weights of both neighbours times the differences to them. */
ELLIPTIC_POINT real elliptic_pair(real before, real behind, real u, real u_before, real u_behind)
{
    return before * (u - u_before) + behind * (u - u_behind);
}

/* Along the vertical one, with the zero-order term; weights b above, c below. */
ELLIPTIC_POINT real elliptic_vertical(real a, real b, real c, real u, real up, real down)
{
    return a * u + b * (u - up) + c * (u - down);
}

/* Half the gradient of 2 w Dx Dy at a vertex with the weight w, Dx and Dy the mean differences of the four cells around
 * it: a cell to the left counts -1/2 in Dx, one below it -1/2 in Dy.
 * @param sum, difference  out: w (Dx + Dy)/2 and w (Dx - Dy)/2, of which elliptic_cross() makes what a cell gets */
ELLIPTIC_POINT void elliptic_vertex(real weight, real lower_left, real lower_right, real upper_left, real upper_right,
                                    real *sum, real *difference)
{
    const real half = (real)0.5, dx = half * ((lower_right - lower_left) + (upper_right - upper_left)),
               dy = half * ((upper_left - lower_left) + (upper_right - lower_right));
    *sum = half * weight * (dx + dy);
    *difference = half * weight * (dx - dy);
}

/* What the four vertices of a cell add to it, over d: the lower left one its sum, and so on. */
ELLIPTIC_POINT real elliptic_cross(real lower_left_sum, real lower_right_difference, real upper_left_difference,
                                   real upper_right_sum)
{
    return lower_left_sum + lower_right_difference - upper_left_difference - upper_right_sum;
}

/* A level of a column on the way up: p is its diagonal without its neighbour above, B and C the weights of those above
 * and below. The pivot is P + B, P = p + C P'/(P' + B') with P' and B' of the level below.
 * @param rest  in, out: P'/(P' + B'), 1 in the lowest level; P/(P + B)
 * @return 1/(P + B) */
ELLIPTIC_POINT real elliptic_pivot(real p, real above, real below, real *rest)
{
    const real all = p + below * *rest, inverse = 1 / (all + above);
    *rest = all * inverse;
    return inverse;
}

#undef ELLIPTIC_POINT
#endif
