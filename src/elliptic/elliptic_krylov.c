#include "elliptic/elliptic_krylov.h"

#include <math.h>

/* One run of the method, from the r in work[0] until its recurrence takes the residual for small enough. */
struct way {
    const struct elliptic_space *space;
    const struct sw_elliptic_numbers *numbers;
    struct sw_elliptic_outcome *outcome;
    double  norm_f, rr;     /* |f|; |r|² */
    double *history;
    int     most;
};

static enum sw_status dot(const struct way *w, const double *x, const double *y, double *sum)
{
    return w->space->dot(w->space->context, x, y, sum);
}

static enum sw_status combine(const struct way *w, double alpha, const double *x, double beta, double *y)
{
    return w->space->combine(w->space->context, alpha, x, beta, y);
}

static void record(struct way *w)
{
    w->outcome->reported = sqrt(w->rr) / w->norm_f;
    if (w->history && w->outcome->iterations <= w->most) w->history[w->outcome->iterations] = w->outcome->reported;
}

/* r = f - A u, and its size. */
static enum sw_status form_residual(struct way *w, const double *f, const double *u)
{
    double *const r = w->space->work[0];
    SW_TRY(w->space->apply(w->space->context, u, r));
    SW_TRY(combine(w, 1, f, -1, r));
    SW_TRY(dot(w, r, r, &w->rr));
    w->outcome->residual = sqrt(w->rr) / w->norm_f;
    return SW_OK;
}

/* p = z + beta p. @param q  A p of the iteration before; NULL: there is none
 * @param rz  in, out: <r, z> */
static enum sw_status next_direction(const struct way *w, const double *r, const double *z, const double *q,
                                     double alpha, double *p, double *rz)
{
    double now, along = 0;
    SW_TRY(dot(w, r, z, &now));
    if (q && w->space->flexible) SW_TRY(dot(w, q, z, &along));
    const double beta = q ? (w->space->flexible ? -alpha * along : now) / *rz : 0;
    *rz = now;
    return combine(w, 1, z, beta, p);
}

static enum sw_status iterate(struct way *w, double *u)
{
    const struct elliptic_space *s = w->space;
    double *const r = s->work[0], *const z = s->work[1], *const p = s->work[2], *const q = s->work[3];
    double rz = 0, pq, alpha = 0;
    for (bool first = true; w->outcome->iterations < w->numbers->iterations; first = false) {
        SW_TRY(s->precondition(s->context, r, z));
        SW_TRY(next_direction(w, r, z, first ? NULL : q, alpha, p, &rz));
        SW_TRY(s->apply(s->context, p, q));
        SW_TRY(dot(w, p, q, &pq));
        if (!(pq > 0)) {
            w->outcome->fault = isfinite(pq) ? SW_ELLIPTIC_INDEFINITE : SW_ELLIPTIC_NOT_FINITE;
            return SW_OK;
        }
        alpha = rz / pq;
        SW_TRY(combine(w, alpha, p, 1, u));
        SW_TRY(combine(w, -alpha, q, 1, r));
        SW_TRY(dot(w, r, r, &w->rr));
        w->outcome->iterations++;
        record(w);
        if (!(w->outcome->reported > w->numbers->tolerance)) return SW_OK;
    }
    return SW_OK;
}

/* What is to be said of u. @param before  the residual at the last beginning  @param begun  out: it goes on */
static enum sw_elliptic_fault judge(const struct way *w, double before, bool *goes_on)
{
    const struct sw_elliptic_outcome *o = w->outcome;
    *goes_on = false;
    if (!isfinite(o->residual)) return SW_ELLIPTIC_NOT_FINITE;
    if (o->residual <= w->numbers->tolerance) return SW_ELLIPTIC_FINE;
    if (o->fault) return o->fault;
    if (o->iterations >= w->numbers->iterations) return SW_ELLIPTIC_SLOW;
    if (!(o->residual < 0.5 * before)) return SW_ELLIPTIC_FLOOR;
    *goes_on = true;
    return SW_ELLIPTIC_FINE;
}

enum sw_status elliptic_pcg(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                            const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct way w = {.space = space, .numbers = numbers, .outcome = outcome, .history = history, .most = most};
    double before, ff;
    *outcome = (struct sw_elliptic_outcome){.reported = 0};
    for (int k = 0; history && k <= most; k++) history[k] = NAN;
    SW_TRY(dot(&w, f, f, &ff));
    w.norm_f = sqrt(ff);
    SW_TRY(combine(&w, 0, f, 0, u));
    if (ff == 0) return SW_OK;
    if (!isfinite(ff)) {
        *outcome = (struct sw_elliptic_outcome){SW_ELLIPTIC_NOT_FINITE, 0, NAN, NAN};
        return SW_OK;
    }
    SW_TRY(combine(&w, 1, f, 0, space->work[0]));
    w.rr = ff;
    record(&w);
    outcome->residual = 1;
    for (bool goes_on = true; goes_on;) {
        before = outcome->residual;
        SW_TRY(iterate(&w, u));
        SW_TRY(form_residual(&w, f, u));
        outcome->fault = judge(&w, before, &goes_on);
    }
    return SW_OK;
}
