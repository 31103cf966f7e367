#ifndef BVP_GENERAL_H
#define BVP_GENERAL_H
/* The general problem (docs/explanation/bvp.md), as its rows share it. Finite volumes: cells of width h around the
 * points x_0 .. x_N, half ones at the ends; the flux between two points is p at their middle times the difference
 * quotient. A point where u is given is no unknown. The systems (bvp_cells_point.h) are as
 * struct sw_bvp_system has them (tridiagonal_point.h): couplings p and row sums e apart. The CPU makes them, or a row
 * that brings a struct bvp_general_work. A row solves them. What any row finds
 * is refined, and its condition estimated, by refinement_point.h: by sw_tri_solve_refined() or, for a whole batch, step
 * by step (bvp_pairs.h).
 *
 * zero_mean: the matrix, of rows that sum to 0, has the constants as kernel, and its equations sum to the condition
 * that there be a solution. Where that holds, u = 0 at the right end takes the place of the last equation, which the
 * others then imply, and of the solution its mean is taken away. What is factored is as definite as with u given
 * there. */
#include "field/double_double_point.h"
#include "problem/bvp/bvp_cells_point.h"
#include "problem/bvp/bvp_host.h"
#include "problem/bvp/refinement_point.h"

/* What one thread evaluates a problem's programs with. */
struct bvp_coefficients { struct bvp_evaluator values; struct sw_eval *p, *q; };  /* NULL: 1, 0 */

/* Of a problem's equations. */
struct bvp_taken { double excess, finer;  /* with zero_mean, as in struct sw_bvp_result */ double resistance; };

/* Who makes the equations and looks at u in the place of the CPU. */
struct bvp_general_work {
    /* Of all problems. @param values  out [count] */
    enum sw_status (*look_over)(struct sw_bvp *bvp, struct bvp_values *values);
    /* The equations of those whose cells ask for them: where `eliminate` takes them. @param made  out [count] */
    enum sw_status (*make)(struct sw_bvp *bvp, struct bvp_made *made);
    /* Fields and norms of u, for fetch. */
    enum sw_status (*finish)(struct sw_bvp *bvp);
};

struct bvp_general { /* a row's own data begin with it, zeroed; the row sets `eliminate`, and `interleaved`
                         * before the arrays are listed */
    /* Solve the systems with n > 0: fill u and outcome. */
    enum sw_status (*eliminate)(struct sw_bvp *bvp);
    const struct bvp_general_work *work;  /* NULL: the CPU, in `system` and from `u`                                 */
    struct bvp_form *form;            /* of the work, if it needs any                                                */
    bool            interleaved;      /* entries k of all systems side by side; else one system after another        */
    int64_t         right;            /* N: the point at the right end                                               */
    int             unknowns, first;  /* first: the point of unknown 0                                               */
    int             rows;             /* room for them: 3 where there are fewer                                      */
    size_t          stride, line;     /* entry k of system j: [k*stride + j*line]                                    */
    size_t          vector;           /* capacity*rows: a vector of all systems                                      */
    double         *system;           /* [3] vectors: c, e, b; NULL with `work`                                      */
    double         *u;                /* a vector; likewise                                                          */
    struct bvp_values *values;        /* [capacity] with `work`                                                      */
    struct bvp_made   *made;          /* likewise                                                                    */
    struct sw_bvp_system *tri;        /* [capacity] n, e_size and b_size; n = 0: nothing to solve                    */
    struct sw_tri_outcome *outcome;   /* [capacity]                                                                  */
    struct bvp_taken *taken;          /* [capacity]                                                                  */
    struct bvp_cells *cells;          /* [capacity]                                                                  */
    double         *f, *p, *q;        /* [N+1] at the points; p [N] between them                                     */
    double         *field;            /* [N+1] u of one problem                                                      */
    struct sw_dd   *block;            /* [N/BVP_POINTS, rounded up] sums of f, with zero_mean                        */
    struct bvp_coefficients *thread;  /* [threads] that evaluate a problem together                                  */
    int             threads;
    struct bvp_output   output;
};

/* Operations of struct sw_bvp_ops, as they are or for a row to call. */
bool bvp_general_fits(const struct sw_bvp_desc *desc);
void bvp_general_arrays(struct sw_bvp *bvp, struct bvp_general *general);
/** As struct sw_bvp_ops has it. */
enum sw_status bvp_general_create(struct sw_bvp *bvp);
enum sw_status bvp_general_solve(struct sw_bvp *bvp);
enum sw_status bvp_general_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result);
void bvp_general_destroy(struct sw_bvp *bvp);
/* What all its rows have. */
#define BVP_GENERAL_OPS \
    .general = true, .fits = bvp_general_fits, .solve = bvp_general_solve, .element_size = 8

/** Set the pointers of system j to its equations: in `system` or a copy elsewhere. */
void bvp_general_bind(const struct bvp_general *general, int j, const double *system, struct sw_bvp_system *tri);
/** On the CPU: eliminate system j, whose tri has solve and factors, unless a pivot is bad (1 + its row).
 * @param u     out, its unknowns
 * @param work  room for the system */
void bvp_general_solve_one(const struct bvp_general *general, int j, int bad, double *u, double *work);
/** Threads the CPU should use. */
int bvp_general_threads(const struct sw_bvp *bvp, const struct bvp_general *general);

/** Of a point: factors, two solves, a residual and a correction. @param solve  of one solve */
struct sw_cost bvp_general_cost(struct sw_cost solve);
#endif
