#include "elliptic/elliptic_refine.h"

#include <math.h>

static void report(struct elliptic_way *w)
{
    w->outcome->reported = sqrt(w->rr) / w->norm_f;
    if (w->history && w->outcome->iterations <= w->most) w->history[w->outcome->iterations] = w->outcome->reported;
}

bool elliptic_record(struct elliptic_way *w)
{
    w->outcome->iterations++;
    report(w);
    return w->outcome->reported > w->numbers->tolerance && w->outcome->iterations < w->numbers->iterations;
}

bool elliptic_breaks(struct elliptic_way *w, double pq)
{
    if (pq > 0) return false;
    w->outcome->fault = isfinite(pq) ? SW_ELLIPTIC_INDEFINITE : SW_ELLIPTIC_NOT_FINITE;
    return true;
}

/* r = f - A u, and its size. */
static enum sw_status form_residual(struct elliptic_way *w, const double *f, const double *u)
{
    const struct elliptic_space *s = w->space;
    double *const r = s->work[0];
    SW_TRY(s->apply(s->context, u, r));
    SW_TRY(s->combine(s->context, 1, f, -1, r));
    SW_TRY(s->dot(s->context, r, r, &w->rr));
    w->outcome->residual = sqrt(w->rr) / w->norm_f;
    return SW_OK;
}

/* What is to be said of u. @param before  the residual at the last beginning  @param goes_on  out: it begins again */
static enum sw_elliptic_fault judge(const struct elliptic_way *w, double before, bool *goes_on)
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

enum sw_status elliptic_refine(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                               const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                               int most, elliptic_method *method, void *context)
{
    struct elliptic_way w = {.space = space, .numbers = numbers, .outcome = outcome, .history = history, .most = most};
    double before, ff;
    *outcome = (struct sw_elliptic_outcome){.reported = 0};
    for (int k = 0; history && k <= most; k++) history[k] = NAN;
    SW_TRY(space->dot(space->context, f, f, &ff));
    w.norm_f = sqrt(ff);
    SW_TRY(space->combine(space->context, 0, f, 0, u));
    if (ff == 0) return SW_OK;
    if (!isfinite(ff)) {
        *outcome = (struct sw_elliptic_outcome){SW_ELLIPTIC_NOT_FINITE, 0, NAN, NAN};
        return SW_OK;
    }
    SW_TRY(space->combine(space->context, 1, f, 0, space->work[0]));
    w.rr = ff;
    report(&w);
    outcome->residual = 1;
    for (bool goes_on = true; goes_on;) {
        before = outcome->residual;
        SW_TRY(method(context, &w, u));
        SW_TRY(form_residual(&w, f, u));
        outcome->fault = judge(&w, before, &goes_on);
    }
    return SW_OK;
}
