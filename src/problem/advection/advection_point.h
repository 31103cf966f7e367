#ifndef ADVECTION_POINT_H
#define ADVECTION_POINT_H
/* Runge-Kutta methods, and what a kernel sees of a batch of `advection`. Embedded for run-time compilation. */
#include "base/sw_hd.h"

/* A stage computes k = F(w, t + time dt), where w is u in the first stage and the previous stage's result in the
 * others, and gives
 *
 *     result = gain dt k + now u + next w + sum s,      which is the new u in the last stage
 *
 * and then a running sum s: in the first stage u + share dt k, later s + share dt k; none where share is 0.
 * A coefficient of 0 stands for a term that is absent. */
struct rk_stage { double time, gain, now, next, sum, share; };
enum { RK_STAGES = 4 };
struct rk_method {
    const char *name;
    int    order, stages, fields;   /* fields: that it stores, u among them                          */
    double imaginary, real;         /* where its stability region ends on these half-axes: +-i y, -x */
    struct rk_stage stage[RK_STAGES];
};

/* gain*(dt*k) first, then the terms in the order of the formula, on every device. */
SW_HD static inline double rk_result(const struct rk_stage *st, double dk, double now, double next, double sum)
{
    double r = st->gain * dk;
    if (st->now != 0) r += st->now * now;
    if (st->next != 0) r += st->next * next;
    if (st->sum != 0) r += st->sum * sum;
    return r;
}

struct advection_run {
    double dt, nu;
    double x0[3], dx[3];
    double inv_dx[3], inv_dx2[3];   /* 1/dx, 1/dx²                                                   */
    double cell_volume;             /* dx dy dz                                                      */
    double courant_limit;           /* the largest Courant number dt sum |c_d|/dx_d that is stable   */
};

#define ADVECTION_FINITE 0x7fffffffffffffffLL

/* Of a run, over the steps at which its Courant number is recorded. Threads may record at once: both numbers are
 * extrema, so that their order does not matter. */
struct advection_diagnostics {
    double    max_courant;          /* the largest Courant number                                    */
    long long unstable_from;        /* the first step whose Courant number was not stable, else ADVECTION_FINITE */
};

/* The scalars of a run: the one table of them (docs/explanation/results.md), as
 * problem/line/stepper/scalars_point.h is for lines. The datasets and the sizes of what is fetched follow from a row,
 * which is
 *
 *     KIND(identifier, dataset, unit, long name, term, value)
 *
 * The kind says how `total` is formed from `term`, an expression at a point; `value` is what is reported, an expression
 * in total, volume (of a cell) and dt:
 *
 *     SUM       the sum of term over the points, in u and weight: 1, and half of it at walls along each axis (the
 *               trapezoidal rule)
 *     MIN, MAX  its least and greatest value, in u
 *     RATE      no term: the largest sum |c_d|/dx_d; NaN where the time of the state is not known */
#define ADVECTION_SCALAR_TABLE(SUM, MIN, MAX, RATE)                                                                \
    SUM(ADVECTION_MASS, "mass", "1", "integral of u", weight * u, total * volume)                                  \
    SUM(ADVECTION_ENERGY, "energy", "1", "integral of u²/2", weight * u * u, total * (0.5 * volume))               \
    MIN(ADVECTION_MIN, "u_min", "1", "least u", u, total)                                                          \
    MAX(ADVECTION_MAX, "u_max", "1", "greatest u", u, total)                                                       \
    RATE(ADVECTION_COURANT, "courant", "1", "largest Courant number",, total * dt)

#define ADVECTION_ID(id, ...) id,
enum advection_scalar {
    ADVECTION_SCALAR_TABLE(ADVECTION_ID, ADVECTION_ID, ADVECTION_ID, ADVECTION_ID)
    ADVECTION_SCALARS
};
#undef ADVECTION_ID

/* Fields are [count][points]; derivatives are times h and h². */
struct advection_batch {
    long long n[3], points;            /* that are here: of a grid that is cut over ranks, a slab    */
    long long first[3], last[3];       /* in the whole grid: index of the first point here, last index of all */
    int       walls[3];                /* both ends of the axis are points                          */
    int       count;
    const struct advection_run *run;   /* [count]                                                   */
    const double *param;               /* [nparam][count]                                           */
    double       *cached;              /* [values][count]: values of the programs that depend on the run alone */
    long long    *diverged_at;         /* [count] the first step after which the run is not finite, ADVECTION_FINITE */
    struct advection_diagnostics *diagnostics;                 /* [count]                           */
    const void   *first_derivative[3], *second_derivative[3];  /* NULL: not needed                  */
    void         *now, *next, *sum;
};

/* What a stage does besides its formula. The last stage may end the step: put in what is given at walls, and check
 * whether u is finite. The first one may record the Courant number of u at the beginning of the step. */
enum {
    ADVECTION_FIRST_STAGE = 1, ADVECTION_LAST_STAGE = 2, ADVECTION_ENDS_STEP = 4, ADVECTION_RECORD_COURANT = 8
};

/* Scalars are summed over blocks of so many points, by so many threads; then the block totals are. */
enum { ADVECTION_SUM_POINTS = 4096, ADVECTION_SUM_THREADS = 128 };
#endif
