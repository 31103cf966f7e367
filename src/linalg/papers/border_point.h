#ifndef BORDER_POINT_H
#define BORDER_POINT_H
/* Navon's closure of a periodic pentadiagonal system (Navon 1987; cuPentBatch, section II.3, eq. 8-12). The last p = 2
 * unknowns z = (x_{n-2}, x_{n-1}) are split off; with m = n - p,
 *
 *     ( E   k ) (x)   (f)         Z = E^-1 k,  S = C - h^T Z                         at set-up
 *     ( h^T C ) (z) = (g)         y = E^-1 f,  S z = g - h^T y,  x = y - Z z         in a solve
 *
 * E is pentadiagonal without corners, Z two columns of m. h has at most six entries, in its first two and last two
 * rows: h^T y is cheap. A solve costs 4 m operations more than one with E.
 * The paper stores h^T E^-1 instead and solves E x = f - k z after z: as many operations, but z then does not see
 * the rounding in x, and residuals reach hundreds of eps |A| |x| where this order leaves 47 at most (s2, s4 up to 1e8).
 * S is factored for the same reason: its explicit inverse would leave eps times its condition.
 * Tridiagonal matrices split off one unknown, p = 1: what belongs to z_0 is then zero, and the same formulas hold. */
#include "base/sw_hd.h"

struct sw_border {
    double S[4];        /* S = L R: 1/r00, r01, l10, 1/r11                                                        */
    double h[6];        /* h(0,0) h(0,1) h(1,1), which wrap around, then h(m-2,0) h(m-1,0) h(m-1,1)               */
};

/** h^T y from the first two and the last two entries of y; those that y does not have (m = 1) are passed as 0. */
SW_HD static inline void sw_border_product(const struct sw_border *c, double first, double second, double last_but_one,
                                           double last, double *p0, double *p1)
{
    *p0 = c->h[0] * first + c->h[3] * last_but_one + c->h[4] * last;
    *p1 = c->h[1] * first + c->h[2] * second + c->h[5] * last;
}

/** Take in S = (s00 s01; s10 s11), by elimination without pivoting, as in E; with p = 1, s00 = 1 and s01 = s10 = 0.
 *  @return 0, or 1 + the border row whose pivot is zero or not finite */
SW_HD static inline int sw_border_factor(double s00, double s01, double s10, double s11, double border[4])
{
    border[0] = 1.0 / s00;
    border[1] = s01;
    border[2] = s10 * border[0];
    border[3] = 1.0 / (s11 - border[2] * s01);
    if (!(border[0] - border[0] == 0.0) || border[0] == 0.0) return 1;
    if (!(border[3] - border[3] == 0.0) || border[3] == 0.0) return 2;
    return 0;
}

/** The border unknowns S z = r, r = g - h^T y; with p = 1, r0 = 0. */
SW_HD static inline void sw_border_solve(const struct sw_border *c, double r0, double r1, double *z0, double *z1)
{
    *z1 = (r1 - c->S[2] * r0) * c->S[3];
    *z0 = (r0 - c->S[1] * *z1) * c->S[0];
}

/** An entry of x = y - Z z. */
SW_HD static inline double sw_border_correct(double y, double Z0, double Z1, double z0, double z1)
{
    return y - (Z0 * z0 + Z1 * z1);
}
#endif
