#ifndef CORRECTION_POINT_H
#define CORRECTION_POINT_H
/* The solution of a system A u = b of tridiagonal_point.h to rounding, whatever solves it, and how well u is determined
 * (docs/numerics.md, 7).
 *
 * u is corrected by the solution for its residual until that changes nothing. The residual is formed in twice the
 * working precision, so that the error of u falls to rounding, relative to its largest value, however many digits a
 * solver loses, as long as one is left. Where none is left, the corrections show it. Then it is seen by how much of
 * its largest value one rounding of each e and b moves u: the largest entry of |A⁻¹| g with
 *
 *     g_k = |terms of b_k| + |terms of e_k| |u_k|
 *
 * over the unit roundoff. Roundings of c add no more: at a singular matrix with kernel z, Σ c (z_k - z_{k+1})² =
 * -Σ e z².
 *
 * All this is a course of right-hand sides to solve for. It is told what was measured of each solution, and says what
 * comes next; the vectors are somebody else's: of one thread (sw_tri_solution()), or in parts on many
 * (pairs_point.h). */
#include "problem/bvp/tridiagonal_point.h"
#include "field/double_double_point.h"

enum sw_tri_task {
    SW_TRI_NOTHING,      /* the course is over                                                                        */
    SW_TRI_SOLUTION,     /* for b: u                                                                                  */
    SW_TRI_CORRECTION,   /* for b - A u: added to u                                                                   */
    SW_TRI_BOUND,        /* for the |terms| of b: no term of e is negative, and A⁻¹ e is at most 1                    */
    SW_TRI_EVEN,         /* for 1/n, the first vector of Hager's estimate                                             */
    SW_TRI_SIGNS,        /* for g with the signs of the solution before                                               */
    SW_TRI_UNIT,         /* for 1 in row `peak`                                                                       */
    SW_TRI_ALTERNATING   /* for ±(1 + k/(n-1)), Higham's last vector                                                  */
};

struct sw_tri_course {
    int    task;                        /* enum sw_tri_task                                                           */
    int    pass, peak;                  /* corrections, or passes of the estimate; its row, -1: none yet              */
    bool   no_negative, one_sign;       /* of the terms of e; of b                                                    */
    double size, last, estimate;        /* max |u|; max of the correction before; of |A⁻¹| g so far                   */
    struct sw_tri_outcome outcome;
};

/* Of a solution x, or of some of its rows: see sw_tri_measure(). */
struct sw_tri_measured {
    double largest, size;               /* max |x|, max |u|; NaN if any is not finite: sw_tri_settle()                */
    double not_x, not_u;                /* 0, or NaN: some of x, of u, is not finite                                  */
    double weighed;                     /* Σ g |x|                                                                    */
    double at_peak;                     /* |x| in the row `peak`                                                      */
    int    at;                          /* the first row of the largest |x|                                           */
    bool   up, down, negative;          /* some b > 0, some b < 0, some term of an e < 0                              */
};

/* ------------------------------------------------------------------ right-hand sides */

/* c (a - b) as a pair. */
SW_HD static inline struct sw_dd sw_tri_flux(double c, double a, double b)
{
    struct sw_dd d = {a, 0.0}, v;
    d = sw_dd_add_double(d, -b);
    v.hi = c * d.hi;
    v.lo = fma(c, d.hi, -v.hi) + c * d.lo;
    return v;
}

/* Between rows k-1 and k; nothing at the ends. */
SW_HD static inline struct sw_dd sw_tri_flux_before(const struct sw_tri *t, const double *u, int k)
{
    const size_t at = (size_t)k * t->stride;
    const struct sw_dd none = {0.0, 0.0};
    return k > 0 && k < t->n ? sw_tri_flux(t->c[at - t->stride], u[at - t->stride], u[at]) : none;
}

/* (b - A u)_k in twice the working precision, rounded at the end. */
SW_HD static inline double sw_tri_residual(const struct sw_tri *t, const double *u, int k, struct sw_dd before,
                                           struct sw_dd flux)
{
    const size_t at = (size_t)k * t->stride;
    const double eu = t->e[at] * u[at];
    struct sw_dd sum = {t->b[at], 0.0};
    sum = sw_dd_add_double(sw_dd_add_double(sw_dd_add_double(sum, before.hi), -flux.hi), -eu);
    return sum.hi + (sum.lo + (before.lo - flux.lo - fma(t->e[at], u[at], -eu)));
}

SW_HD static inline double sw_tri_end(const struct sw_tri *t, const double *v, const double size[2], int k)
{
    return k == 0 ? size[0] : k == t->n - 1 ? size[1] : fabs(v[(size_t)k * t->stride]);
}

/* g_k */
SW_HD static inline double sw_tri_weight(const struct sw_tri *t, const double *u, int k)
{
    return sw_tri_end(t, t->b, t->b_size, k) + sw_tri_end(t, t->e, t->e_size, k) * fabs(u[(size_t)k * t->stride]);
}

/** Row k of the right-hand side of a task, but for SW_TRI_CORRECTION. @param x  the solution before, in that row */
SW_HD static inline double sw_tri_rhs(const struct sw_tri *t, const struct sw_tri_course *c, const double *u, double x,
                                      int k)
{
    double g;
    switch (c->task) {
    case SW_TRI_SOLUTION: return t->b[(size_t)k * t->stride];
    case SW_TRI_BOUND: return sw_tri_end(t, t->b, t->b_size, k);
    case SW_TRI_EVEN: return 1.0 / t->n;
    case SW_TRI_SIGNS:
        g = sw_tri_weight(t, u, k);
        return g * x < 0.0 ? -g : g;
    case SW_TRI_UNIT: return k == c->peak ? 1.0 : 0.0;
    case SW_TRI_ALTERNATING: return (k % 2 ? -1 : 1) * (1.0 + (double)k / (t->n > 1 ? t->n - 1 : 1));
    default: return 0.0;
    }
}

/** Rows first .. end-1 of the right-hand side of a task.
 * @param x    [n] the solution before; row k at k*stride
 * @param rhs  out, likewise; may be x */
SW_HD static inline void sw_tri_fill(const struct sw_tri *t, const struct sw_tri_course *c, const double *u,
                                     const double *x, double *rhs, size_t stride, int first, int end)
{
    if (c->task == SW_TRI_CORRECTION) {
        struct sw_dd before = sw_tri_flux_before(t, u, first);
        for (int k = first; k < end; k++) {
            const struct sw_dd flux = sw_tri_flux_before(t, u, k + 1);
            rhs[(size_t)k * stride] = sw_tri_residual(t, u, k, before, flux);
            before = flux;
        }
    } else for (int k = first; k < end; k++)
        rhs[(size_t)k * stride] = sw_tri_rhs(t, c, u, x[(size_t)k * stride], k);
}

/* ------------------------------------------------------------------ what is measured */

SW_HD static inline struct sw_tri_measured sw_tri_nothing_measured(void)
{
    struct sw_tri_measured m = {-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1, false, false, false};
    return m;
}

/** Take in x in row k, with what the task does to u. */
SW_HD static inline void sw_tri_measure_row(const struct sw_tri *t, const struct sw_tri_course *c, double *u, double x,
                                            int k, struct sw_tri_measured *m)
{
    const size_t at = (size_t)k * t->stride;
    const double size = fabs(x);
    m->not_x += 0.0 * x;
    if (size > m->largest) {
        m->largest = size;
        m->at = k;
    }
    if (c->task == SW_TRI_SOLUTION || c->task == SW_TRI_CORRECTION) {
        u[at] = c->task == SW_TRI_SOLUTION ? x : u[at] + x;
        m->not_u += 0.0 * u[at];
        m->size = fabs(u[at]) > m->size ? fabs(u[at]) : m->size;
        m->up |= t->b[at] > 0.0;
        m->down |= t->b[at] < 0.0;
        m->negative |= sw_tri_end(t, t->e, t->e_size, k) > t->e[at];
    } else if (c->task != SW_TRI_BOUND && c->task != SW_TRI_SIGNS) m->weighed += fabs(sw_tri_weight(t, u, k) * x);
    if (k == c->peak) m->at_peak = size;
}

/** Take in what was measured of later rows. */
SW_HD static inline void sw_tri_measure_more(struct sw_tri_measured *m, const struct sw_tri_measured *later)
{
    if (later->largest > m->largest) {
        m->largest = later->largest;
        m->at = later->at;
    }
    m->size = later->size > m->size ? later->size : m->size;
    m->not_x += later->not_x;
    m->not_u += later->not_u;
    m->weighed += later->weighed;
    m->at_peak += later->at_peak;
    m->up |= later->up;
    m->down |= later->down;
    m->negative |= later->negative;
}

/** Measure rows first .. end-1 of a solution. @param u  [n] in, out, with the stride of t: see sw_tri_measure_row() */
SW_HD static inline struct sw_tri_measured sw_tri_measure(const struct sw_tri *t, const struct sw_tri_course *c,
                                                          double *u, const double *x, size_t stride, int first,
                                                          int end)
{
    struct sw_tri_measured m = sw_tri_nothing_measured();
    for (int k = first; k < end; k++) sw_tri_measure_row(t, c, u, x[(size_t)k * stride], k, &m);
    return m;
}

/* ------------------------------------------------------------------ the course */

SW_HD static inline struct sw_tri_course sw_tri_begin(int n)
{
    struct sw_tri_course c = {n > 0 ? SW_TRI_SOLUTION : SW_TRI_NOTHING, 0, -1, false, false, 0.0, 0.0, 0.0,
                              {SW_TRI_FINE, 0, 0.0}};
    return c;
}

SW_HD static inline void sw_tri_stop(struct sw_tri_course *c, int fault, int row)
{
    c->task = SW_TRI_NOTHING;
    c->outcome.fault = fault;
    c->outcome.row = row;
}

/* One rounding moves u by `most` units. */
SW_HD static inline void sw_tri_judge(struct sw_tri_course *c, double most)
{
    c->outcome.moved = most / c->size * (DBL_EPSILON / 2);
    sw_tri_stop(c, c->outcome.moved <= SW_TRI_MOVES ? SW_TRI_FINE : SW_TRI_SENSITIVE, 0);
}

/* u is known to rounding. Where no term of e is negative, A⁻¹ has no negative entry and A⁻¹ e is at most 1, so that
 * only b can move u by more than itself, and not if b has one sign. */
SW_HD static inline void sw_tri_begin_judging(struct sw_tri_course *c)
{
    if (c->no_negative && c->one_sign) sw_tri_judge(c, c->size);
    else c->task = c->no_negative ? SW_TRI_BOUND : SW_TRI_EVEN;
    c->pass = 0;
}

/* Corrections fall by a factor rho that the first two show, so that the next one is known to be negligible: rho times
 * the last, where u is rounded by up to DBL_EPSILON/2 of itself. */
SW_HD static inline void sw_tri_take_correction(struct sw_tri_course *c, const struct sw_tri_measured *m)
{
    enum { MOST = 64 };  /* a factor of 2 each would reach rounding in 53 */
    const double step = m->largest + m->not_x, size = m->size + m->not_u;
    if (!isfinite(step)) sw_tri_stop(c, SW_TRI_OVERFLOW, 0);
    else if (step > c->last / 2 && step > DBL_EPSILON * c->size) sw_tri_stop(c, SW_TRI_STUCK, 0);
    else if (!isfinite(size)) sw_tri_stop(c, SW_TRI_OVERFLOW, 0);
    else {
        const bool fine = step * (step / c->last) <= DBL_EPSILON / 4 * size;
        c->last = step;
        c->size = size;
        if (size == 0.0) sw_tri_stop(c, SW_TRI_FINE, 0);
        else if (fine) sw_tri_begin_judging(c);
        else if (++c->pass == MOST) sw_tri_stop(c, SW_TRI_STUCK, 0);
    }
}

SW_HD static inline void sw_tri_take_solution(struct sw_tri_course *c, const struct sw_tri_measured *m)
{
    c->no_negative = !m->negative;
    c->one_sign = !m->up || !m->down;
    c->size = c->last = m->size + m->not_u;
    if (!isfinite(c->size)) sw_tri_stop(c, SW_TRI_OVERFLOW, 0);
    else if (c->size == 0.0) sw_tri_stop(c, SW_TRI_FINE, 0);
    else c->task = SW_TRI_CORRECTION;
}

/* The 1-norm of g times A⁻¹, which is symmetric, by Hager's estimate with Higham's last vector (Accuracy and Stability
 * of Numerical Algorithms, algorithm 15.1); rarely less than a third of it. */
SW_HD static inline void sw_tri_take_estimate(struct sw_tri_course *c, const struct sw_tri_measured *m, int n)
{
    enum { MOST = 5 };
    if (c->task == SW_TRI_SIGNS) {
        const bool higher = c->peak < 0 || !(m->largest <= m->at_peak);
        if (higher) c->peak = m->at < 0 ? 0 : m->at;
        c->task = higher && ++c->pass < MOST ? SW_TRI_UNIT : SW_TRI_ALTERNATING;
    } else if (!isfinite(m->weighed)) sw_tri_judge(c, (double)INFINITY);
    else if (c->task == SW_TRI_ALTERNATING) sw_tri_judge(c, fmax(c->estimate, 2.0 * m->weighed / (3.0 * n)));
    else if (m->weighed > c->estimate) {
        c->estimate = m->weighed;
        c->task = SW_TRI_SIGNS;
    } else c->task = SW_TRI_ALTERNATING;
}

/** Take in what was measured of the solution for a task, and say what comes next.
 * @param n  rows of the system */
SW_HD static inline void sw_tri_take(struct sw_tri_course *c, const struct sw_tri_measured *m, int n)
{
    switch (c->task) {
    case SW_TRI_SOLUTION: sw_tri_take_solution(c, m); break;
    case SW_TRI_CORRECTION: sw_tri_take_correction(c, m); break;
    case SW_TRI_BOUND: sw_tri_judge(c, m->largest + m->not_x); break;
    default: sw_tri_take_estimate(c, m, n);
    }
}

/** The whole course of a system whose `solve` is set, in one thread.
 * @param u     out [n], with the stride of t
 * @param work  [n], likewise */
SW_HD static inline struct sw_tri_outcome sw_tri_solution(const struct sw_tri *t, double *u, double *work)
{
    struct sw_tri_course c = sw_tri_begin(t->n);
    while (c.task != SW_TRI_NOTHING) {
        sw_tri_fill(t, &c, u, work, work, t->stride, 0, t->n);
        t->solve(t, work);
        const struct sw_tri_measured m = sw_tri_measure(t, &c, u, work, t->stride, 0, t->n);
        sw_tri_take(&c, &m, t->n);
    }
    return c.outcome;
}
#endif
