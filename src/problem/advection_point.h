#ifndef ADVECTION_POINT_H
#define ADVECTION_POINT_H
/* Runge-Kutta methods, and what a kernel sees of a batch of `advection`. Embedded for run-time compilation. */
#include "base/sw_hd.h"

/* A stage finds k = F(w, t + time dt), w being u in the first and the last stage's result in the others, and gives
 *
 *     result = gain dt k + now u + next w + sum s,      which is the new u in the last stage
 *
 * and a running sum s: in the first stage u + share dt k, later s + share dt k; none where share is 0. Coefficients of
 * 0 stand for terms that are not there. */
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

/* Of a run, at the steps that are looked at. */
struct advection_watch {
    double    most;                 /* the largest Courant number                                    */
    long long beyond;               /* the first step at which one was not stable, ADVECTION_FINE    */
};

SW_HD static inline void advection_note(struct advection_watch *w, const struct advection_run *r, double courant,
                                        long long step)
{
    if (courant > w->most) w->most = courant;
    if (courant > r->bound && w->beyond == ADVECTION_FINE) w->beyond = step;
}

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

/* What a stage is besides its coefficients. */
enum { ADVECTION_FIRST = 1, ADVECTION_LAST = 2, ADVECTION_CLOSING = 4 };

/* Scalars are added up in parts of so many points, by so many threads; and the parts likewise. */
enum { ADVECTION_PART = 4096, ADVECTION_LANES = 128 };
#endif
