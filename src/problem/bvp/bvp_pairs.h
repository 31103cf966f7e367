#ifndef BVP_PAIRS_H
#define BVP_PAIRS_H
/* The general problem by a solver of tridiagonal systems that pivots (linalg/sw_tridiagonal.h), as its rows share it:
 * the systems of bvp_general.h as pairs (pairs_point.h). All systems of a batch are solved together, round by round;
 * each is refined by steps of its own (refinement_point.h), and one that is done waits with zeros. One that comes to
 * nothing is solved by the elimination of tridiagonal_point.h, on the CPU.
 * A row of this table is the row of that name in the table of tridiagonal solvers. */
#include "linalg/sw_tridiagonal.h"
#include "problem/bvp/bvp_general.h"
#include "problem/bvp/pairs_point.h"

/* What is done where the solver works. On a device they queue it. */
struct bvp_pairs_work {
    /* The matrices of systems first .. first+count-1, and 0 on the right. */
    enum sw_status (*make)(struct sw_device *device, const struct sw_bvp_pairs *pairs, int first, int count);
    /* The right-hand sides of the first `count` systems for their steps. */
    enum sw_status (*fill)(struct sw_device *device, const struct sw_bvp_pairs *pairs, int count);
    /* Of their solutions: part, u and v. */
    enum sw_status (*measure)(struct sw_device *device, const struct sw_bvp_pairs *pairs, int count);
};

struct bvp_pairs {                /* a row's own data                                                         */
    struct bvp_general general;   /* first: bvp_general.h works on it                                         */
    const struct bvp_pairs_work *work;
    struct sw_tridiagonal *solver;
    struct sw_bvp_pairs           pairs; /* on the CPU tri, refinement, scale, u and part are those below            */
    double                *system;  /* [3] vectors: c, e, b where the solver works                            */
    struct sw_tri_refinement *refinement;  /* [capacity]                                                      */
    struct sw_tri_measured   *part; /* [capacity][chunks]                                                     */
    double                *scale;   /* [capacity]                                                             */
    int                   *unknowns;  /* [capacity] of the batch; those in tri are 0 where a system has retired */
    struct sw_tridiagonal_outcome *found;  /* [capacity]                                                      */
};

/* Operations of struct sw_bvp_ops, as they are or for a row to call. */
void bvp_pairs_arrays(struct sw_bvp *bvp);
/** After bvp_general_create(). */
enum sw_status bvp_pairs_create(struct sw_bvp *bvp, const struct bvp_pairs_work *work);
void bvp_pairs_destroy(struct sw_bvp *bvp);
enum sw_status bvp_pairs_solver_bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc,
                                      const struct sw_device *device, size_t *fixed, size_t *per_run);
struct sw_cost bvp_pairs_cost(const struct sw_bvp *bvp);
#endif
