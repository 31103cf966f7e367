#ifndef BVP_CELLS_H
#define BVP_CELLS_H
/* What the rows of the general problem share (docs/numerics.md, 7). Finite volumes: cells of width h around the points
 * x_0 .. x_N, half ones at the ends; the flux between two points is p at their middle times the difference quotient. A
 * point where u is given is no unknown. The systems are made on the CPU, also for a device, as sw_tri has them
 * (tri_point.h): couplings p and row sums e apart. A row solves them, and all rows have what they find corrected and
 * judged by sw_tri_solution().
 *
 * zero_mean: the matrix, of rows that sum to 0, has the constants as kernel, and its equations sum to the condition
 * that there be a solution. Where that holds, u = 0 at the right end takes the place of the last equation, which the
 * others then imply, and of the solution its mean is taken away. What is factored is as definite as with u given
 * there. */
#include "problem/bvp/host_bvp.h"
#include "problem/bvp/tri_point.h"

struct cells {                        /* a row's own data begin with it, zeroed; it sets `eliminate`                 */
    /* Solve the systems with n > 0: fill u and outcome. */
    enum sw_status (*eliminate)(struct sw_bvp *bvp);
    int64_t         right;            /* N: the point at the right end                                               */
    int             unknowns, first;  /* first: the point of unknown 0                                               */
    int             rows;             /* room for them: 3 where there are fewer                                      */
    size_t          stride, line;     /* entry k of system j: [k*stride + j*line]; lines on the CPU, else interleaved */
    size_t          vector;           /* capacity*rows: a vector of all systems                                      */
    double         *system;           /* [3] vectors: c, e, b                                                        */
    double         *u;                /* a vector                                                                    */
    struct sw_tri  *tri;              /* [capacity] n, e_size and b_size; n = 0: nothing to solve                    */
    struct sw_tri_outcome *outcome;   /* [capacity]                                                                  */
    double         *f, *p, *q;        /* [N+1] at the points; p [N] between them                                     */
    double         *field;            /* [N+1] u of one problem                                                      */
    struct sw_eval *eval_p, *eval_q;  /* NULL: 1, 0                                                                  */
    struct host_values values;
    struct host_kept   kept;
};

/* Operations of struct sw_bvp_ops, as they are or for a row to call. */
bool cells_fit(const struct sw_bvp_desc *desc);
enum sw_status cells_create(struct sw_bvp *bvp, struct cells *cells);
enum sw_status cells_solve(struct sw_bvp *bvp);
enum sw_status cells_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result);
void cells_destroy(struct cells *cells);  /* frees nothing of the row */
/** @param more  vectors that the row has beside these, a problem */
size_t cells_bytes_per_run(const struct sw_bvp_desc *desc, int more);
size_t cells_bytes_fixed(const struct sw_bvp_desc *desc);

/** Tell system j where its equations lie: in `system` or a copy elsewhere. */
void cells_point(const struct cells *cells, int j, const double *system, struct sw_tri *tri);
/** On the CPU: eliminate system j, whose tri has solve and factors, unless a pivot is bad (1 + its row).
 * @param work  room for the system */
void cells_solve_one(const struct cells *cells, int j, int bad, double *work);
/** Threads the CPU should use. */
int cells_threads(const struct sw_bvp *bvp, const struct cells *cells);

/** Of a point: factors, two solves, a residual and a correction. @param solve  of one solve */
struct sw_cost cells_cost(struct sw_cost solve);
#endif
