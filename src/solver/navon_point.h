#ifndef NAVON_POINT_H
#define NAVON_POINT_H
/* Navon's closure of a periodic pentadiagonal system (Navon 1987; cuPentBatch, section II.3, eq. 8-12). The last p = 2 unknowns
 * z = (x_{n-2}, x_{n-1}) are split off; with m = n - p,
 *
 *     ( E   k ) (x)   (f)         S = C - h^T E^-1 k,
 *     ( h^T C ) (z) = (g)         z = S^-1 (g - (h^T E^-1) f),      x = E^-1 (f - k z)
 *
 * E is pentadiagonal without corners. k has at most six entries, in its first two and last two rows; W = (h^T E^-1)^T, two columns
 * of m, and S^-1 are computed at set-up. A solve costs 4 m operations more than one with E.
 * Tridiagonal matrices split off one unknown, p = 1: what belongs to z_0 is then zero, and the same formulas hold. */
#include "base/sw_hd.h"

struct sw_navon {
    double inverse[4];  /* S^-1, rows first; p = 1: only [3] is not zero                                      */
    double k[6];        /* k(0,0) k(0,1) k(1,1) from the left corner, k(m-2,0) k(m-1,0) k(m-1,1) from the right */
};

/** The border unknowns from r = g - W^T f. */
SW_HD static inline void sw_navon_border(const struct sw_navon *c, double r0, double r1, double *z0, double *z1)
{
    *z0 = c->inverse[0] * r0 + c->inverse[1] * r1;
    *z1 = c->inverse[2] * r0 + c->inverse[3] * r1;
}

/* What f - k z takes from the first two and the last two rows of f. For m < 4 a row may take from both ends. */
SW_HD static inline double sw_navon_first(const struct sw_navon *c, double z0, double z1)
{
    return c->k[0] * z0 + c->k[1] * z1;
}
SW_HD static inline double sw_navon_second(const struct sw_navon *c, double z1) { return c->k[2] * z1; }
SW_HD static inline double sw_navon_last_but_one(const struct sw_navon *c, double z0) { return c->k[3] * z0; }
SW_HD static inline double sw_navon_last(const struct sw_navon *c, double z0, double z1)
{
    return c->k[4] * z0 + c->k[5] * z1;
}

/** w k for one column w of W: what S takes from its row of C. A row that E does not have (m = 1) is passed as 0. */
SW_HD static inline void sw_navon_product(const struct sw_navon *c, double first, double second, double last_but_one,
                                          double last, double *p0, double *p1)
{
    *p0 = c->k[0] * first + c->k[3] * last_but_one + c->k[4] * last;
    *p1 = c->k[1] * first + c->k[2] * second + c->k[5] * last;
}

/** The inverse of S = (s00 s01; s10 s11). @return its determinant: S cannot be inverted if that is zero or not finite */
SW_HD static inline double sw_navon_inverse(double s00, double s01, double s10, double s11, double inverse[4])
{
    double det = s00 * s11 - s01 * s10;
    inverse[0] = s11 / det;
    inverse[1] = -s01 / det;
    inverse[2] = -s10 / det;
    inverse[3] = s00 / det;
    return det;
}
#endif
