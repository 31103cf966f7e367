#ifndef ELLIPTIC_PLANE_CPU_H
#define ELLIPTIC_PLANE_CPU_H
/* The problem of a vertical mode in the plane, (Lh + lambda area) w = g, by conjugate gradients preconditioned by the
 * diagonal; one thread a problem. Arrays are [ny][nx]. */
#include "elliptic/elliptic_modal.h"

/* What a thread works with. */
struct elliptic_plane {
    double *scale;           /* [ny][nx]: 1/sqrt(diagonal)                                                            */
    double *east, *north;    /* [ny][nx+1], [ny+1][nx]: scaled weights                                                */
    double *rising, *falling;  /* [ny+1][nx+1]: of the diagonals through the vertices: lower left to upper right,
                                and the other; NULL: none                                                             */
    double *p;               /* [ny+2][nx+2]: with its neighbours all around                                          */
    double *q, *r;           /* [ny][nx]                                                                              */
};

/** @param own  gets the arrays */
void elliptic_plane_make(const struct sw_elliptic_desc *desc, struct sw_owned *own, struct elliptic_plane *plane);

/** Solve for one mode, from w = 0.
 * @param target  of the residual; it is not reached where the iterations run out, 2 for each unknown and 100 more
 * @param w       in: g; out: w */
struct elliptic_plane_outcome elliptic_plane_solve(const struct sw_elliptic_matrix *matrix, double lambda,
                                                   double target, const struct elliptic_plane *plane, double *w);
#endif
