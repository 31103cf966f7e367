#ifndef SW_BVP_H
#define SW_BVP_H
/* The boundary value problem of docs/explanation/bvp.md, many of one n at a time:
 *
 *     -(p u')' + q u = f on [x0, x0 + n h],   at each end u, u' or alpha u + beta u' given (u' along +x)
 *
 * at the points x_i = x0 + i h, i = 0 .. n-1. The interval ends at x0 + n h, which is no point, if u is given there,
 * and at x0 + (n-1) h, the last point, if not. In the plain case p = 1, q = 0, u' = 0 at the left end and u = 0 at the
 * right one. There the second-order scheme is a tridiagonal system whose factors are bidiagonal with entries 1 and -1,
 * so that its solution is a sum of a sum:
 *
 *     d_0 = h² f_0/2,  d_i = h² f_i;    y_i = d_0 + .. + d_i;    u_i = y_i + .. + y_{n-1}
 *
 * A row of the table is a way to form these sums, or a band solver for the general case. A problem has its own h, x0
 * and parameters; problems never influence each other, and no bit of one depends on the others, on their number, or on
 * the number of threads.
 *
 * Fields are saved only where asked for. The error norms against an exact solution are formed where u is computed, so
 * that n is bounded by time, and for rows that store no u of their own not by memory.
 *
 * Life: create; then for each batch: solve, fetch. On a device solve queues work and returns; fetch waits.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "device/sw_device.h"
#include "expr/sw_expr.h"

struct sw_bvp_end {                   /* what is given at an end, in parameters: one of these, or nothing        */
    const struct sw_program *dirichlet;  /* u                                                                    */
    const struct sw_program *neumann;    /* u'                                                                   */
    const struct sw_program *robin[3];   /* alpha u + beta u' = value: alpha, beta, value                        */
};

struct sw_bvp_desc {                  /* what all problems of a batch have in common; programs are borrowed      */
    int64_t n;                        /* points, >= 1; >= 2 where the right end is one                           */
    int     capacity;                 /* most problems a batch will have, >= 1                                   */
    bool    single;                   /* compute in single precision; rows whose name fixes theirs ignore it      */
    bool    save;                     /* fields are wanted                                                       */
    bool    save_single;              /* as float                                                                */
    int     nparam;                   /* parameters of a problem: the RUN symbols of the programs                */
    const struct sw_program *f;       /* in the CELL symbol x (slot SW_IN_X) and parameters; no rand             */
    const struct sw_program *exact;   /* likewise; NULL: no norms                                                */
    const struct sw_program *p, *q;   /* likewise; NULL: 1, 0                                                    */
    struct sw_bvp_end left, right;    /* nothing: u' = 0, u = 0                                                  */
    bool    zero_mean;                /* u' alone at both ends and q = 0: of the solutions, the one whose mean is 0 */
};

struct sw_setup;
/** What the config of a setup asks of the solvers. Borrows the setup's programs. */
struct sw_bvp_desc sw_bvp_describe(const struct sw_setup *setup);

/** NULL, or why zero_mean does not go with the rest (a static text). */
const char *sw_bvp_gauge_refusal(const struct sw_bvp_desc *desc);

/** Whether the right end is a point: u is not given there. */
bool sw_bvp_right_is_point(const struct sw_bvp_desc *desc);

/** Whether it is the plain case. */
bool sw_bvp_plain(const struct sw_bvp_desc *desc);

struct sw_bvp_run {                   /* one problem                                                             */
    double  h, x0;
    int64_t r;                        /* columns of the divide-and-conquer rows, 1 .. max(1, n/2); 0: floor(sqrt(n)) */
};

enum sw_bvp_fault {
    SW_BVP_FINE,
    SW_BVP_F_NOT_FINITE,              /* f is inf or nan somewhere                                               */
    SW_BVP_U_NOT_FINITE,              /* f is finite, but u overflows: it does at x0, which sums up everything   */
    SW_BVP_Q_NOT_FINITE,
    SW_BVP_P_NOT_POSITIVE,            /* or not finite                                                           */
    SW_BVP_BETA_ZERO,                 /* of an end where alpha u + beta u' is given                              */
    SW_BVP_SINGULAR,                  /* u' is given at both ends and q is 0, without zero_mean                  */
    SW_BVP_PIVOT,                     /* a pivot vanishes: the matrix is singular                                */
    SW_BVP_SENSITIVE,                 /* singular to working precision: `moved` is more than 1e-3                */
    SW_BVP_NO_DIGIT,                  /* likewise: what the elimination gives has no right digit                 */
    SW_BVP_LOST,                      /* it has none, though the problem is not singular: no term of q or of the
                                       * ends is negative. The row's own fault                                   */
    SW_BVP_RANGE,                     /* p, h² q and what the ends add are no numbers in any common unit         */
    SW_BVP_DETERMINED,                /* zero_mean, but q is not 0 somewhere                                     */
    SW_BVP_INCOMPATIBLE               /* zero_mean, but no solution is: f and the fluxes do not sum to 0         */
};

struct sw_bvp_result {
    double  rms, max, rel;            /* with e = u - exact: sqrt(mean e²), max |e|, |e|_2/|exact|_2 (the paper's error,
                                       * (14)), over the points, in an order fixed by n, r and the row; NaN without
                                       * exact                                                                   */
    enum sw_bvp_fault fault;          /* then the norms and the field are NaN                                    */
    double  where;                    /* the first x at fault; NaN: none                                         */
    double  moved;                    /* by how much of max |u| one rounding of each coefficient and of f moves u, a
                                       * bound or close to one; 0 in the plain case, where it is not estimated   */
    double  defect;                   /* INCOMPATIBLE: that sum                                                  */
    double  excess, finer;            /* zero_mean: f less this number is compatible on the grid, and was so solved,
                                       * unless INCOMPATIBLE: its mean on the grid, fluxes included, and by a finer rule
                                       * (field/compatibility.h). 0: f is, to rounding                           */
};

/** Set a text: "f is not finite at x = 0.5"; leave it where nothing is wrong. */
void sw_bvp_explain(const struct sw_bvp_result *result, struct sw_text *text);

struct sw_bvp;

/** @param desc    copied
 *  @param row     row of the table, "cpu.a2d", or without its place, "a2d": that of this device; NULL: the first that
 *                 fits
 *  @param device  borrowed
 *  @return SW_E_ARG; SW_E_CONFIG no such row, SW_E_ABSENT not here (both with the rows that fit); SW_E_MEMORY;
 *          SW_E_CUDA */
enum sw_status sw_bvp_create(const struct sw_bvp_desc *desc, const char *row, struct sw_device *device,
                             struct sw_bvp **bvp);
void sw_bvp_destroy(struct sw_bvp **bvp);
/** A name that a row may be asked for by, "cpu.a2d", then "a2d", ...; NULL after the last. */
const char *sw_bvp_row(int k);
const char *sw_bvp_name(const struct sw_bvp *bvp);  /* "cpu.scan" */

/** Bytes of device memory: a constant part and a part a problem. Nothing is allocated.
 *  @param row  as in create
 *  @return as create; SW_E_CUDA a library of the device could not be asked what it takes */
enum sw_status sw_bvp_bytes(const struct sw_bvp_desc *desc, const char *row, const struct sw_device *device,
                            size_t *fixed, size_t *per_run);


/** What a row counts for a point, f and norms apart; NaN: not counted. */
struct sw_cost sw_bvp_cost(const struct sw_bvp *bvp);

/** The r a problem is solved with: run->r, or floor(sqrt(n)) for 0. */
int64_t sw_bvp_columns(int64_t n, int64_t r);

/** Whether r, 0 for floor(sqrt(n)), fits n: r columns have at least two entries each. */
bool sw_bvp_columns_fit(int64_t n, int64_t r);
/** Whether a row of this name uses r. @param row  as in create; NULL: no */
bool sw_bvp_uses_columns(const char *row);
/** Whether a row of this name solves the general problem, and not only the plain case: in double precision. */
bool sw_bvp_solves_general(const char *row);

/** NULL, or why a problem cannot be solved (a static text): the row uses r, and this one does not fit n. */
const char *sw_bvp_refusal(const struct sw_bvp *bvp, const struct sw_bvp_run *run);

/** Solve a batch. A problem that sw_bvp_refusal() refuses is left out: its norms and field are NaN.
 *  @param count  1 .. capacity
 *  @param run    [count]; copied
 *  @param param  [nparam][count]: parameter k of problem j is param[k*count + j]; copied */
enum sw_status sw_bvp_solve(struct sw_bvp *bvp, int count, const struct sw_bvp_run *run, const double *param);

/** Wait for solve().
 *  @param field   out: [count][n] float (desc.save_single) or double on the host, in the order of the points; NULL
 *                 where not saved
 *  @param result  out: [count] on the host
 *  Both belong to the solver and stay valid until the next solve. */
enum sw_status sw_bvp_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result);
#endif
