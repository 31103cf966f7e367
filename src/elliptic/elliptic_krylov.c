#include "elliptic/elliptic_krylov.h"

static enum sw_status dot(const struct elliptic_space *s, const real *x, const real *y, double *sum)
{
    return s->dot(s->context, x, y, sum);
}

static enum sw_status combine(const struct elliptic_space *s, double alpha, const real *x, double beta, real *y)
{
    return s->combine(s->context, alpha, x, beta, y);
}

/* <r, z>, and <q, z> where it is asked for. */
static enum sw_status dots(const struct elliptic_space *s, const real *r, const real *q, const real *z,
                           double sum[2])
{
    if (q && s->fused) return s->fused->dots(s->context, r, q, z, sum);
    SW_TRY(dot(s, r, z, &sum[0]));
    return q ? dot(s, q, z, &sum[1]) : SW_OK;
}

/* u += alpha p of the iteration before, and p = z + beta p. @param rz  in, out: <r, z> */
static enum sw_status next_direction(const struct elliptic_space *s, bool first, double alpha, real *u, double *rz)
{
    real *const r = s->work[0], *const z = s->work[1], *const p = s->work[2], *const q = s->work[3];
    double sum[2];
    SW_TRY(dots(s, r, first || !s->flexible ? NULL : q, z, sum));
    const double beta = first ? 0 : (s->flexible ? -alpha * sum[1] : sum[0]) / *rz;
    *rz = sum[0];
    if (!first && s->fused) return s->fused->advance(s->context, alpha, u, z, beta, p);
    if (!first) SW_TRY(combine(s, alpha, p, 1, u));
    return combine(s, 1, z, beta, p);
}

static enum sw_status apply(const struct elliptic_space *s, const real *p, real *q, double *pq)
{
    if (s->fused) return s->fused->apply(s->context, p, q, pq);
    SW_TRY(s->apply(s->context, p, q));
    return dot(s, p, q, pq);
}

static enum sw_status add(const struct elliptic_space *s, double alpha, const real *q, real *r, double *rr)
{
    if (s->fused) return s->fused->add(s->context, alpha, q, r, rr);
    SW_TRY(combine(s, alpha, q, 1, r));
    return dot(s, r, r, rr);
}

/* u lags by alpha p, which the next direction adds, or the end. */
enum sw_status elliptic_pcg_pass(const struct elliptic_space *s, struct elliptic_way *w, real *u)
{
    real *const r = s->work[0], *const z = s->work[1], *const p = s->work[2], *const q = s->work[3];
    double rz = 0, pq, alpha = 0;
    bool due = w->outcome->iterations < w->numbers->iterations;
    if (!due) return SW_OK;
    for (bool first = true; due; first = false) {
        SW_TRY(s->precondition(s->context, r, z));
        SW_TRY(next_direction(s, first, alpha, u, &rz));
        SW_TRY(apply(s, p, q, &pq));
        if (elliptic_breaks(w, pq)) return SW_OK;
        alpha = rz / pq;
        SW_TRY(add(s, -alpha, q, r, &w->rr));
        due = elliptic_record(w);
    }
    return combine(s, alpha, p, 1, u);
}

#ifndef ELLIPTIC_SINGLE
static enum sw_status iterate(void *context, struct elliptic_pass *pass, double *u)
{
    return elliptic_pcg_pass(context, pass->way, u);
}

enum sw_status elliptic_pcg(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                            const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history, int most)
{
    return elliptic_refine(space, numbers, f, u, outcome, history, most, iterate, (void *)space);
}
#endif

/* ------------------------------------------------------------------ parts of an iteration */

static struct elliptic_space space_of(struct sw_elliptic *solver)
{
    struct elliptic_space space;
    solver->ops->find_space(solver, &space);
    return space;
}

enum sw_status elliptic_run_product(struct sw_elliptic *solver, void *u)
{
    const struct elliptic_space s = space_of(solver);
    (void)u;
    return s.apply(s.context, s.work[0], s.work[1]);
}

enum sw_status elliptic_run_preconditioner(struct sw_elliptic *solver, void *u)
{
    const struct elliptic_space s = space_of(solver);
    (void)u;
    return s.precondition(s.context, s.work[0], s.work[1]);
}

enum sw_status elliptic_run_dot(struct sw_elliptic *solver, void *u)
{
    const struct elliptic_space s = space_of(solver);
    double sum;
    (void)u;
    return s.dot(s.context, s.work[0], s.work[1], &sum);
}

enum sw_status elliptic_run_combine(struct sw_elliptic *solver, void *u)
{
    const struct elliptic_space s = space_of(solver);
    (void)u;
    return s.combine(s.context, 0.5, s.work[0], 0.5, s.work[1]);
}
