#ifndef ELLIPTIC_KRYLOV_H
#define ELLIPTIC_KRYLOV_H
/* Conjugate gradients, written once for every operator, preconditioner and place: a row says what its vectors can do,
 * and gets u with the residual that it really has. */
#include "elliptic/sw_elliptic.h"

/* The vectors of one system, and what is done with them. */
struct elliptic_space {
    void *context;
    enum sw_status (*apply)(void *context, const double *x, double *y);         /* y = A x                        */
    enum sw_status (*precondition)(void *context, const double *r, double *z);  /* z = M^-1 r                     */
    enum sw_status (*dot)(void *context, const double *x, const double *y, double *sum);  /* waits for it         */
    enum sw_status (*combine)(void *context, double alpha, const double *x, double beta, double *y);
                                                            /* y = alpha x + beta y; beta = 0 does not look at y  */
    double *work[4];       /* of the length of u                                                                  */
    bool    flexible;      /* M^-1 differs from iteration to iteration, or is not symmetric to the last digit      */
};

/** Solve A u = f from u = 0 by preconditioned conjugate gradients. When the recurrence has reached the tolerance the
 * residual is formed from u, and the method begins again from there if that is larger than the tolerance: as long as
 * that still halves it.
 *   plain     M. Hestenes, E. Stiefel (1952): beta = <r', z'>/<r, z>
 *   flexible  G. Golub, Q. Ye (1999): beta = <r' - r, z'>/<r, z>, with no other vector, as r' - r = -alpha q
 * @param numbers  tolerance and iterations at most
 * @param history  NULL, or [1 + most] as in sw_elliptic_solve() */
enum sw_status elliptic_pcg(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                            const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history, int most);
#endif
