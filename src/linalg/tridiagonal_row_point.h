#ifndef TRIDIAGONAL_ROW_POINT_H
#define TRIDIAGONAL_ROW_POINT_H
/* Whether x solves a row of a tridiagonal system, as far as doubles tell; where they do not, tridiagonal_judge.c looks.
 *
 * |A x - f| is held against the row's own entries, not against the largest of the matrix: beside rows of 10^170 any x
 * solves those of 10^-170. The limit is far above what elimination with partial pivoting leaves where the range of
 * numbers does not end. */
#include <math.h>

#include "base/sw_hd.h"

#define TRIDIAGONAL_ROW_LIMIT 0x1p-40

/** @param most  max |x| of the system
 *  @return false also where products underflow or overflow */
SW_HD static inline int tridiagonal_row_is_solved(double a, double b, double c, double f, double x0, double x1,
                                                  double x2, double most)
{
    const double u = fabs(a), v = fabs(b), w = fabs(c), largest = fmax(fmax(u, v), w), zero = largest,
                 least = fmin(fmin(u == 0 ? zero : u, v == 0 ? zero : v), w == 0 ? zero : w),
                 r = fabs(fma(a, x0, fma(b, x1, fma(c, x2, -f)))),
                 terms = u * fabs(x0) + v * fabs(x1) + w * fabs(x2) + fabs(f), all = (u + v + w) * most,
                 size = least < 0x1p-500 * largest ? terms : all;  /* |x| may be graded as the columns are */
    return (most == 0 && f == 0) || (size >= 0x1p-900 && size <= 0x1p1000 && r <= TRIDIAGONAL_ROW_LIMIT * size);
}

/** Whether x is as small as a well-conditioned matrix would leave it: the condition number is |A| max|x| / max|f| at
 * least, and no row bounds it where the matrix is singular but for rounding. */
SW_HD static inline int tridiagonal_row_bounds(double a, double b, double c, double f, double most)
{
    return fabs(f) >= TRIDIAGONAL_ROW_LIMIT * ((fabs(a) + fabs(b) + fabs(c)) * most);
}
#endif
