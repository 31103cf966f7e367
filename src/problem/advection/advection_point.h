#ifndef ADVECTION_POINT_H
#define ADVECTION_POINT_H
/* Runge-Kutta methods, and what a kernel sees of a batch of `advection`. Embedded for run-time compilation. */
#include "base/sw_hd.h"

/* A stage finds k = F(w, t + time dt), w being u in the first and the last stage's result in the others, and gives
 *
 *     result = gain dt k + now u + next w + sum s,      which is the new u in the last stage
 *
 * and then a running sum s: in the first stage u + share dt k, later s + share dt k; none where share is 0.
 * Coefficients of 0 stand for terms that are not there. */
struct rk_stage { double time, gain, now, next, sum, share; };
enum { RK_STAGES = 4 };
struct rk_method {
    const char *name;
    int    order, stages, fields;   /* fields: that are kept, u among them                           */
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
    double per[3], per2[3];         /* 1/dx, 1/dx²                                                   */
    double cell;                    /* dx dy dz                                                      */
    double bound;                   /* the largest Courant number dt sum |c_d|/dx_d that is stable   */
};

#define ADVECTION_FINE 0x7fffffffffffffffLL

/* Of a run, at the steps that are looked at. Each row has a note() of its own, which threads may call at once: both are
 * extrema, so that their order does not matter. */
struct advection_watch {
    double    most;                 /* the largest Courant number                                    */
    long long beyond;               /* the first step at which one was not stable, ADVECTION_FINE    */
};

/* In this order in the file; sums have half the weight at walls along each axis (the trapezoidal rule). */
enum advection_scalar {
    ADVECTION_MASS, ADVECTION_ENERGY, ADVECTION_MIN, ADVECTION_MAX, ADVECTION_COURANT, ADVECTION_SCALARS
};

/* Fields are [count][points], derivatives times h and h². */
struct advection_batch {
    long long n[3], points;
    int       walls[3];                /* both ends are points                                      */
    int       count;
    const struct advection_run *run;   /* [count]                                                   */
    const double *param;               /* [nparam][count]                                           */
    double       *kept;                /* [values][count]: what the programs keep a run             */
    long long    *stop;                /* [count] ADVECTION_FINE, or after which step it stopped     */
    struct advection_watch *watch;     /* [count]                                                   */
    const void   *slope[3], *bend[3];  /* NULL: not needed                                          */
    void         *now, *next, *sum;
};

/* What a stage is besides its coefficients. The last one may close the step: look whether u is finite, and give what is
 * given at walls. The first one may watch: note the Courant number of u at the beginning of the step. */
enum { ADVECTION_FIRST = 1, ADVECTION_LAST = 2, ADVECTION_CLOSING = 4, ADVECTION_WATCHING = 8 };

/* Scalars are added up in parts of so many points, by so many threads; and the parts likewise. */
enum { ADVECTION_PART = 4096, ADVECTION_LANES = 128 };
#endif
