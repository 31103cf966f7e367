#ifndef ELLIPTIC_PLANE_POINT_H
#define ELLIPTIC_PLANE_POINT_H
/* The problem of a vertical mode in the plane, (Lh + lambda area) w = g: what is known of its matrix before, and what
 * became of it.
 *
 * D is the diagonal, lambda a + s in a cell of area a, where a part h of s belongs to walls: what is given there is
 * half a cell away, and Lh is h and a rest that has no eigenvalue below 0. So D^-1 (Lh + lambda area) has none below
 * the least of (lambda a + h)/(lambda a + s), and none above 1 and the largest sum of what is beside the diagonal
 * (Gershgorin).
 *
 * That the rest has none is shown where h >= 0. With the stencil `full` a wall of given values has a negative weight in
 * its corner cell where cells are more than 8 times as long as wide (16 times between two such walls); |h| is counted
 * there, and test_elliptic_bounds.c finds all eigenvalues within the bounds, by a dense eigensolver. A bound that
 * is wrong costs iterations, not the answer: each solve is judged by its residual. */
#include <stdbool.h>

#include "base/sw_hd.h"

struct elliptic_plane_bounds {
    double open, walled;     /* the largest s/a of cells with h = 0, and of the others; 0: there is no such cell */
    double held;             /* the least h/s of these others; 1: there are none                                */
    double beside;           /* the largest sum of absolute values beside the diagonal, over s                  */
    double area[2], sum[2];  /* the least and the largest a, s                                                  */
};

SW_HD static inline double elliptic_plane_low(const struct elliptic_plane_bounds *b, double lambda)
{
    const double open = lambda / (lambda + b->open), walled = lambda / (lambda + b->walled),
                 held = walled > b->held ? walled : b->held;
    return open < held ? open : held;
}

SW_HD static inline double elliptic_plane_high(const struct elliptic_plane_bounds *b, double lambda)
{
    const double most = b->open > b->walled ? b->open : b->walled;
    return 1 + b->beside * (most / (lambda + most));
}

/* An interval that has all eigenvalues, mean - half .. mean + half.
 * @param about_one  the mean is to be 1 */
SW_HD static inline void elliptic_plane_interval(const struct elliptic_plane_bounds *b, double lambda, bool about_one,
                                                 double *mean, double *half)
{
    const double below = 1 - elliptic_plane_low(b, lambda), above = elliptic_plane_high(b, lambda) - 1;
    *mean = about_one ? 1 : 1 + 0.5 * (above - below);
    *half = about_one ? (below > above ? below : above) : 0.5 * (above + below);
}

/* The largest number on the diagonal over the least one, at most. */
SW_HD static inline double elliptic_plane_spread(const struct elliptic_plane_bounds *b, double lambda)
{
    return (lambda * b->area[1] + b->sum[1]) / (lambda * b->area[0] + b->sum[0]);
}

struct elliptic_plane_outcome {
    double residual;         /* |g - (Lh + lambda area) w|, or a bound of it                   */
    double pq;               /* p A p of the last direction; not above 0: it was not taken     */
};
#endif
