#ifndef ELLIPTIC_MODES_H
#define ELLIPTIC_MODES_H
/* The vertical modes of a matrix whose coefficients are the same everywhere. It is A = area (x) V + Lh (x) D, V the
 * tridiagonal matrix of a, b, c, D the diagonal one of d. With V x_m = lambda_m D x_m and X^T D X = 1, A u = f falls
 * apart into a problem in the plane for each mode: (Lh + lambda_m area) w_m = (X^T f)_m, u = X w. On the host. */
#include "device/sw_owned.h"
#include "elliptic/sw_elliptic.h"

struct elliptic_modes {
    int64_t nz;
    double *lambda;        /* [nz]: ascending, >= 0; 0 only where nothing holds u: delta = 0, Neumann at both ends    */
    double *x;             /* [nz][nz]: level k of mode m is x[k*nz + m]                                              */
    long double *work;     /* of elliptic_modes_find() */
};

/** @param own  gets the arrays */
void elliptic_modes_make(int64_t nz, struct sw_owned *own, struct elliptic_modes *modes);

/** Find the modes of a matrix by so many threads; bits do not depend on how many. About 10 nz³ operations in long
 * double. Where its numbers are not finite all that comes out is NaN.
 * @param matrix  of modes->nz levels; only nz, a, b, c, d are looked at */
void elliptic_modes_find(struct elliptic_modes *modes, const struct sw_elliptic_matrix *matrix, int threads);
#endif
