#ifndef REFINEMENT_POINT_H
#define REFINEMENT_POINT_H
/* Iterative refinement of the solution of a system A u = b of tridiagonal_point.h to rounding, whatever solves it, and
 * an estimate of how well u is determined (docs/explanation/bvp.md).
 *
 * u is corrected by the solution for its residual until that changes nothing (Higham, Accuracy and Stability of
 * Numerical Algorithms, chapter 12). The residual is formed in twice the working precision, so that the error of u
 * falls to rounding, relative to its largest value, however many digits a solver loses, as long as one is left. Where
 * none is left, the corrections show it, if c does not vary much. If it does, a solver may lose all digits of u in one
 * part only, where corrections are then small beside the u of another part: so it is tested first on the system that
 * u = 1 solves, A 1 = e. Then the condition is estimated: by how much of its largest value one rounding of each e and
 * b moves u. That is the largest entry of |A⁻¹| g with
 *
 *     g_k = |terms of b_k| + |terms of e_k| |u_k|
 *
 * over the unit roundoff. Roundings of c add no more: at a singular matrix with kernel z, Σ c (z_k - z_{k+1})² =
 * -Σ e z².
 *
 * All this is a sequence of steps: a right-hand side, a solve, and what is measured of the solution, which decides the
 * next step. struct sw_tri_refinement holds what is known between two steps; the vectors are somebody else's: of one
 * thread (sw_tri_solve_refined()), or in parts on many (pairs_point.h, where fluxes are unknowns as well). */
#include "problem/bvp/tridiagonal_point.h"
#include "field/double_double_point.h"

enum sw_tri_step {                /* what is solved for                                                               */
    SW_TRI_DONE,                  /* nothing more                                                                     */
    SW_TRI_TEST,                  /* e: 1                                                                             */
    SW_TRI_SOLVE,                 /* b: u                                                                             */
    SW_TRI_CORRECT,               /* b - A u: added to u                                                              */
    SW_TRI_BOUND,                 /* the |terms| of b: no term of e is negative, and A⁻¹ e is at most 1               */
    SW_TRI_ESTIMATE_UNIFORM,      /* 1/n, the first vector of Hager's estimate                                        */
    SW_TRI_ESTIMATE_SIGNS,        /* g with the signs of the solution before                                          */
    SW_TRI_ESTIMATE_UNIT,         /* 1 in row `unit_row`                                                              */
    SW_TRI_ESTIMATE_ALTERNATING   /* ±(1 + k/(n-1)), Higham's last vector                                             */
};

struct sw_tri_refinement {
    int    step;                        /* enum sw_tri_step                                                           */
    int    iteration;                   /* corrections so far, or iterations of the estimate                          */
    int    unit_row;                    /* of SW_TRI_ESTIMATE_UNIT; -1: none yet                                      */
    bool   no_negative, one_sign;       /* of the terms of e; of b                                                    */
    bool   uneven, keeps;               /* of the system                                                              */
    double size, last_correction;       /* max |u|; max of the correction before                                      */
    double last_flux;                   /* max of the correction before to fluxes; 0: they are no unknowns            */
    double estimate;                    /* of the largest entry of |A⁻¹| g, so far                                    */
    struct sw_tri_outcome outcome;
};

/* Of a solution x, or of some of its rows: see sw_tri_measure(). */
struct sw_tri_measured {
    double largest, size;               /* max |x|, max |u|, of what is not NaN; of |x - 1| in SW_TRI_TEST            */
    double flux;                        /* max |x| of fluxes, where they are unknowns                                 */
    double not_x, not_u;                /* 0; NaN: some of x, of u, is not finite                                     */
    double weighted;                    /* Σ g |x|                                                                    */
    double at_unit_row;                 /* |x| in the row `unit_row`                                                  */
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
SW_HD static inline struct sw_dd sw_tri_flux_before(const struct sw_bvp_system *t, const double *u, int k)
{
    const size_t at = (size_t)k * t->stride;
    const struct sw_dd none = {0.0, 0.0};
    return k > 0 && k < t->n ? sw_tri_flux(t->c[at - t->stride], u[at - t->stride], u[at]) : none;
}

/* (b - A u)_k in twice the working precision, rounded at the end. */
SW_HD static inline double sw_tri_residual(const struct sw_bvp_system *t, const double *u, int k, struct sw_dd before,
                                           struct sw_dd flux)
{
    const size_t at = (size_t)k * t->stride;
    const double eu = t->e[at] * u[at];
    struct sw_dd sum = {t->b[at], 0.0};
    sum = sw_dd_add_double(sw_dd_add_double(sw_dd_add_double(sum, before.hi), -flux.hi), -eu);
    return sum.hi + (sum.lo + (before.lo - flux.lo - fma(t->e[at], u[at], -eu)));
}

SW_HD static inline double sw_tri_end(const struct sw_bvp_system *t, const double *v, const double size[2], int k)
{
    return k == 0 ? size[0] : k == t->n - 1 ? size[1] : fabs(v[(size_t)k * t->stride]);
}

/* g_k */
SW_HD static inline double sw_tri_weight(const struct sw_bvp_system *t, const double *u, int k)
{
    return sw_tri_end(t, t->b, t->b_size, k) + sw_tri_end(t, t->e, t->e_size, k) * fabs(u[(size_t)k * t->stride]);
}

/** Row k of the right-hand side of a step, but for SW_TRI_CORRECT. @param x  the solution before, in that row */
SW_HD static inline double sw_tri_rhs(const struct sw_bvp_system *t, const struct sw_tri_refinement *r, const double *u,
                                      double x, int k)
{
    double g;
    switch (r->step) {
    case SW_TRI_TEST: return t->e[(size_t)k * t->stride];
    case SW_TRI_SOLVE: return t->b[(size_t)k * t->stride];
    case SW_TRI_BOUND: return sw_tri_end(t, t->b, t->b_size, k);
    case SW_TRI_ESTIMATE_UNIFORM: return 1.0 / t->n;
    case SW_TRI_ESTIMATE_SIGNS:
        g = sw_tri_weight(t, u, k);
        return g * x < 0.0 ? -g : g;
    case SW_TRI_ESTIMATE_UNIT: return k == r->unit_row ? 1.0 : 0.0;
    case SW_TRI_ESTIMATE_ALTERNATING: return (k % 2 ? -1 : 1) * (1.0 + (double)k / (t->n > 1 ? t->n - 1 : 1));
    default: return 0.0;
    }
}

/* The right-hand side of a step. @param x  in: the solution before; out */
SW_HD static inline void sw_tri_fill_rhs(const struct sw_bvp_system *t, const struct sw_tri_refinement *r,
                                         const double *u, double *x)
{
    if (r->step == SW_TRI_CORRECT) {
        struct sw_dd before = sw_tri_flux_before(t, u, 0);
        for (int k = 0; k < t->n; k++) {
            const struct sw_dd flux = sw_tri_flux_before(t, u, k + 1);
            x[(size_t)k * t->stride] = sw_tri_residual(t, u, k, before, flux);
            before = flux;
        }
    } else for (int k = 0; k < t->n; k++)
        x[(size_t)k * t->stride] = sw_tri_rhs(t, r, u, x[(size_t)k * t->stride], k);
}

/* ------------------------------------------------------------------ what is measured */

SW_HD static inline struct sw_tri_measured sw_tri_nothing_measured(void)
{
    struct sw_tri_measured m = {-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1, false, false, false};
    return m;
}

/** Take in x in row k, with what the step does to u. */
SW_HD static inline void sw_tri_measure_row(const struct sw_bvp_system *t, const struct sw_tri_refinement *r, double *u,
                                            double x, int k, struct sw_tri_measured *m)
{
    const size_t at = (size_t)k * t->stride;
    const bool of_u = r->step == SW_TRI_SOLVE || r->step == SW_TRI_CORRECT, of_one = r->step == SW_TRI_TEST;
    const double size = fabs(of_one ? x - 1.0 : x);
    m->not_x += 0.0 * x;
    if (size > m->largest) {
        m->largest = size;
        m->at = k;
    }
    if (of_u || of_one) m->negative |= sw_tri_end(t, t->e, t->e_size, k) > t->e[at];
    if (of_u) {
        u[at] = r->step == SW_TRI_SOLVE ? x : u[at] + x;
        m->not_u += 0.0 * u[at];
        m->size = fabs(u[at]) > m->size ? fabs(u[at]) : m->size;
        m->up |= t->b[at] > 0.0;
        m->down |= t->b[at] < 0.0;
    } else if (!of_one && r->step != SW_TRI_BOUND && r->step != SW_TRI_ESTIMATE_SIGNS)
        m->weighted += fabs(sw_tri_weight(t, u, k) * x);
    if (k == r->unit_row) m->at_unit_row = size;
}

/** Take in what was measured of later rows. */
SW_HD static inline void sw_tri_measure_more(struct sw_tri_measured *m, const struct sw_tri_measured *later)
{
    if (later->largest > m->largest) {
        m->largest = later->largest;
        m->at = later->at;
    }
    m->size = later->size > m->size ? later->size : m->size;
    m->flux = later->flux > m->flux ? later->flux : m->flux;
    m->not_x += later->not_x;
    m->not_u += later->not_u;
    m->weighted += later->weighted;
    m->at_unit_row += later->at_unit_row;
    m->up |= later->up;
    m->down |= later->down;
    m->negative |= later->negative;
}

/* ------------------------------------------------------------------ from step to step */

SW_HD static inline struct sw_tri_refinement sw_tri_refinement_begin(const struct sw_bvp_system *t)
{
    struct sw_tri_refinement r = {t->n == 0 ? SW_TRI_DONE : t->uneven ? SW_TRI_TEST : SW_TRI_SOLVE, 0, -1, false, false,
                                  t->uneven, t->keeps, 0.0, 0.0, 0.0, 0.0, {SW_TRI_FINE, 0, 0.0}};
    return r;
}

SW_HD static inline void sw_tri_refinement_end(struct sw_tri_refinement *r, int fault, int row)
{
    r->step = SW_TRI_DONE;
    r->outcome.fault = fault;
    r->outcome.row = row;
}

/* One rounding moves u by `most` units. */
SW_HD static inline void sw_tri_end_estimate(struct sw_tri_refinement *r, double most)
{
    r->outcome.moved = most / r->size * (DBL_EPSILON / 2);
    sw_tri_refinement_end(r, r->outcome.moved <= SW_TRI_MOVES ? SW_TRI_FINE : SW_TRI_SENSITIVE, 0);
}

/* u is known to rounding. Where no term of e is negative, A⁻¹ has no negative entry and A⁻¹ e is at most 1, so that
 * only b can move u by more than itself, and not if b has one sign. */
SW_HD static inline void sw_tri_begin_estimate(struct sw_tri_refinement *r)
{
    if (r->no_negative && r->one_sign) sw_tri_end_estimate(r, r->size);
    else r->step = r->no_negative ? SW_TRI_BOUND : SW_TRI_ESTIMATE_UNIFORM;
    r->iteration = 0;
}

/* Corrections do not shrink. Where no term of e is negative, the matrix is not to blame. */
SW_HD static inline void sw_tri_end_lost(struct sw_tri_refinement *r)
{
    sw_tri_refinement_end(r, r->no_negative ? SW_TRI_LOST : SW_TRI_NOT_CONVERGED, 0);
}

/* What 1 is off by, is lost of any u of its size. */
SW_HD static inline void sw_tri_after_test(struct sw_tri_refinement *r, const struct sw_tri_measured *m)
{
    r->no_negative = !m->negative;
    if (r->keeps && r->no_negative) r->uneven = false;
    if (m->largest + m->not_x <= 0.5) r->step = SW_TRI_SOLVE;
    else sw_tri_end_lost(r);
}

/* By what factor corrections fall: those of u, or those of fluxes, if these fall less. */
SW_HD static inline double sw_tri_ratio(const struct sw_tri_refinement *r, double correction, double flux)
{
    const double of_u = correction / r->last_correction;
    return flux > 0.0 && !(flux / r->last_flux <= of_u) ? flux / r->last_flux : of_u;
}

/* Corrections fall by a factor rho that the first two show, so that the next one is known to be negligible: rho times
 * the last, where u is rounded by up to DBL_EPSILON/2 of itself. A second one that is a rounding has shown it. Where c
 * is uneven, u itself says nothing of how its correction falls, since the residual of that is another, c times the
 * rounding of u: there, a second correction has to. Where c goes over 15 decades and more, it may not fall any more: u
 * is taken as it is where that is below 2^-40 of it. */
SW_HD static inline void sw_tri_after_correction(struct sw_tri_refinement *r, const struct sw_tri_measured *m)
{
    enum { MOST = 64 };  /* a factor of 2 each would reach rounding in 53 */
    const double correction = m->largest + m->not_x, size = m->size + m->not_u;
    const bool falls = correction <= r->last_correction / 2 || correction <= DBL_EPSILON * r->size,
               stays = r->uneven && r->iteration > 0 && correction <= fmin(0x1p-40 * r->size, 4 * r->last_correction);
    if (!isfinite(correction)) sw_tri_refinement_end(r, SW_TRI_OVERFLOW, 0);
    else if (!falls && !stays) sw_tri_end_lost(r);
    else if (!isfinite(size)) sw_tri_refinement_end(r, SW_TRI_OVERFLOW, 0);
    else {
        const double next = correction * sw_tri_ratio(r, correction, m->flux);
        const bool second = r->iteration > 0,
                   fine = (next <= DBL_EPSILON / 4 * size && (second || !r->uneven)) ||
                          (second && correction <= DBL_EPSILON * size) || !falls;
        r->last_correction = correction;
        r->last_flux = m->flux;
        r->size = size;
        if (size == 0.0) sw_tri_refinement_end(r, SW_TRI_FINE, 0);
        else if (fine) sw_tri_begin_estimate(r);
        else if (++r->iteration == MOST) sw_tri_end_lost(r);
    }
}

SW_HD static inline void sw_tri_after_solution(struct sw_tri_refinement *r, const struct sw_tri_measured *m)
{
    r->no_negative = !m->negative;
    r->one_sign = !m->up || !m->down;
    r->size = r->last_correction = m->size + m->not_u;
    r->last_flux = m->flux;
    if (!isfinite(r->size)) sw_tri_refinement_end(r, SW_TRI_OVERFLOW, 0);
    else if (r->size == 0.0) sw_tri_refinement_end(r, SW_TRI_FINE, 0);
    else r->step = SW_TRI_CORRECT;
}

/* The 1-norm of g times A⁻¹, which is symmetric, by Hager's estimate with Higham's last vector (Accuracy and Stability
 * of Numerical Algorithms, algorithm 15.1); rarely less than a third of it. */
SW_HD static inline void sw_tri_after_estimate(struct sw_tri_refinement *r, const struct sw_tri_measured *m, int n)
{
    enum { MOST = 5 };
    if (r->step == SW_TRI_ESTIMATE_SIGNS) {
        const bool higher = r->unit_row < 0 || !(m->largest <= m->at_unit_row);
        if (higher) r->unit_row = m->at < 0 ? 0 : m->at;
        r->step = higher && ++r->iteration < MOST ? SW_TRI_ESTIMATE_UNIT : SW_TRI_ESTIMATE_ALTERNATING;
    } else if (!isfinite(m->weighted)) sw_tri_end_estimate(r, (double)INFINITY);
    else if (r->step == SW_TRI_ESTIMATE_ALTERNATING)
        sw_tri_end_estimate(r, fmax(r->estimate, 2.0 * m->weighted / (3.0 * n)));
    else if (m->weighted > r->estimate) {
        r->estimate = m->weighted;
        r->step = SW_TRI_ESTIMATE_SIGNS;
    } else r->step = SW_TRI_ESTIMATE_ALTERNATING;
}

/** Take in what was measured of the solution for the step, and go to the next one.
 * @param n  rows of the system */
SW_HD static inline void sw_tri_refinement_next(struct sw_tri_refinement *r, const struct sw_tri_measured *m, int n)
{
    switch (r->step) {
    case SW_TRI_TEST: sw_tri_after_test(r, m); break;
    case SW_TRI_SOLVE: sw_tri_after_solution(r, m); break;
    case SW_TRI_CORRECT: sw_tri_after_correction(r, m); break;
    case SW_TRI_BOUND: sw_tri_end_estimate(r, m->largest + m->not_x); break;
    default: sw_tri_after_estimate(r, m, n);
    }
}

/** All steps of a system whose `solve` is set, in one thread.
 * @param u     out [n], with the stride of t
 * @param work  [n], likewise */
SW_HD static inline struct sw_tri_outcome sw_tri_solve_refined(const struct sw_bvp_system *t, double *u, double *work)
{
    struct sw_tri_refinement r = sw_tri_refinement_begin(t);
    while (r.step != SW_TRI_DONE) {
        struct sw_tri_measured m = sw_tri_nothing_measured();
        sw_tri_fill_rhs(t, &r, u, work);
        t->solve(t, work);
        for (int k = 0; k < t->n; k++) sw_tri_measure_row(t, &r, u, work[(size_t)k * t->stride], k, &m);
        sw_tri_refinement_next(&r, &m, t->n);
    }
    return r.outcome;
}
#endif
