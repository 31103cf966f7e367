#ifndef ELLIPTIC_KRYLOV_H
#define ELLIPTIC_KRYLOV_H
/* Conjugate gradients, written once for every operator, preconditioner and place: a row says what its vectors can do,
 * and gets u with the residual that it really has. */
#include "elliptic/elliptic_refine.h"

/** Solve A u = f of one system from u = 0 by preconditioned conjugate gradients, which begin again as elliptic_refine()
 * says.
 *   plain     M. Hestenes, E. Stiefel (1952): beta = <r', z'>/<r, z>
 *   flexible  G. Golub, Q. Ye (1999): beta = <r' - r, z'>/<r, z>, with no other vector, as r' - r = -alpha q
 * @param space    of one system
 * @param numbers  tolerance and iterations at most
 * @param history  NULL, or [1 + most] as in sw_elliptic_solve() */
enum sw_status elliptic_pcg(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                            const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history, int most);

/** One beginning of that, as elliptic_method: from r in space->work[0] and |r|² in way->rr. */
enum sw_status elliptic_pcg_pass(const struct elliptic_space *space, struct elliptic_way *way, real *u);

/* Parts of an iteration, each alone, on the first vectors of the space that the row's find_space() has: run() of struct
 * sw_elliptic_kernel. u is not looked at. */
enum sw_status elliptic_run_product(struct sw_elliptic *solver, void *u);
enum sw_status elliptic_run_preconditioner(struct sw_elliptic *solver, void *u);
enum sw_status elliptic_run_dot(struct sw_elliptic *solver, void *u);
enum sw_status elliptic_run_combine(struct sw_elliptic *solver, void *u);
#endif
