#include "elliptic/elliptic_refine.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm.h"

/* ------------------------------------------------------------------ ranks */

enum { LEAST_SUMS = 3 };

void elliptic_ranks_make(const struct sw_elliptic_desc *d, struct sw_owned *own, struct elliptic_ranks *r)
{
    const int most = d->batch > LEAST_SUMS ? d->batch : LEAST_SUMS;
    *r = (struct elliptic_ranks){.comm = d->cut.comm, .periodic = d->sides[1] == SW_ELLIPTIC_PERIODIC};
    if (!r->comm) return;
    sw_array(own, (size_t)d->batch, &r->ours);
    sw_array(own, (size_t)most + 1, &r->numbers_sent);
}

static bool give_up_together(void *ranks) { return ((const struct elliptic_ranks *)ranks)->stopped; }

const struct sw_elliptic_numbers *elliptic_ranks_begin(struct elliptic_ranks *r, int count,
                                                       const struct sw_elliptic_numbers *numbers)
{
    r->count = count;
    r->numbers = numbers;
    r->stopped = false;
    for (int y = 0; r->comm && y < count; y++) {
        r->ours[y] = numbers[y];
        r->ours[y].give_up = give_up_together;
        r->ours[y].give_up_user = r;
    }
    return r->comm ? r->ours : numbers;
}

static bool is_to_give_up(const struct elliptic_ranks *r)
{
    return r->count && r->numbers->give_up && r->numbers->give_up(r->numbers->give_up_user);
}

enum sw_status elliptic_ranks_sum(struct elliptic_ranks *r, int count, double *sum)
{
    double *const all = r->numbers_sent;
    if (!r->comm) return SW_OK;
    if (count) memcpy(all, sum, (size_t)count * sizeof *sum);
    all[count] = is_to_give_up(r);
    SW_TRY(sw_comm_sum(r->comm, (size_t)count + 1, all));
    if (count) memcpy(sum, all, (size_t)count * sizeof *sum);
    r->stopped |= all[count] > 0;
    return SW_OK;
}

/* ------------------------------------------------------------------ one system on its way */

static void report(struct elliptic_way *w)
{
    w->outcome->reported = sqrt(w->rr) / w->norm_f;
    if (w->history && w->outcome->iterations <= w->most) w->history[w->outcome->iterations] = w->outcome->reported;
}

bool elliptic_record(struct elliptic_way *w)
{
    w->outcome->iterations++;
    report(w);
    if (w->numbers->give_up && w->numbers->give_up(w->numbers->give_up_user)) w->given_up = true;
    return !w->given_up && w->outcome->reported > w->numbers->tolerance &&
           w->outcome->iterations < w->numbers->iterations;
}

bool elliptic_breaks(struct elliptic_way *w, double pq)
{
    if (pq > 0) return false;
    w->outcome->fault = isfinite(pq) ? SW_ELLIPTIC_INDEFINITE : SW_ELLIPTIC_NOT_FINITE;
    return true;
}

/* Its norm, and, unless the space is lean, the residual itself. */
static enum sw_status form_residual(const struct elliptic_space *s, const double *f, const double *u, double *rr)
{
    double *const r = s->work[0];
    if (s->lean) return s->residual(s->context, f, u, NULL, rr);
    if (s->residual) return s->residual(s->context, f, u, r, rr);
    SW_TRY(s->apply(s->context, u, r));
    SW_TRY(s->combine(s->context, 1, f, -1, r));
    return s->dot(s->context, r, r, rr);
}

/* What is to be said of u. @param due  out: the method begins again */
static enum sw_elliptic_fault judge(const struct elliptic_way *w, bool *due)
{
    const struct sw_elliptic_outcome *o = w->outcome;
    *due = false;
    if (!isfinite(o->residual)) return SW_ELLIPTIC_NOT_FINITE;
    if (o->residual <= w->numbers->tolerance) return SW_ELLIPTIC_FINE;
    if (o->fault) return o->iterations ? SW_ELLIPTIC_INDEFINITE : o->fault;  /* <p, A p> is no number, but u is one */
    if (o->iterations >= w->numbers->iterations) return SW_ELLIPTIC_SLOW;
    if (!(o->residual < 0.5 * w->before) && !w->another) return SW_ELLIPTIC_FLOOR;
    *due = true;
    return SW_ELLIPTIC_FINE;
}

/* Before the first pass. @param ff  |f|² */
static void begin(struct elliptic_way *w, double ff)
{
    *w->outcome = (struct sw_elliptic_outcome){.reported = 0};
    for (int k = 0; w->history && k <= w->most; k++) w->history[k] = NAN;
    w->norm_f = sqrt(ff);
    w->rr = ff;
    w->due = ff != 0 && isfinite(ff);
    if (w->due) {
        report(w);
        w->outcome->residual = 1;
    } else if (ff != 0) {
        *w->outcome = (struct sw_elliptic_outcome){.fault = SW_ELLIPTIC_NOT_FINITE, .residual = NAN,
                                                          .reported = NAN};
    }
}

/* After a pass. @return whether the system is still due */
static bool end(struct elliptic_way *w, double rr)
{
    if (!w->due) return false;
    w->rr = rr;
    w->outcome->residual = sqrt(rr) / w->norm_f;
    w->outcome->fault = judge(w, &w->due);
    return w->due;
}

static enum sw_status refine(const struct elliptic_space *s, struct elliptic_way *way, double *rr, const double *f,
                             double *u, elliptic_method *method, void *context)
{
    struct elliptic_pass pass = {.space = s, .way = way, .r = s->lean ? f : s->work[0], .first = s->lean};
    bool all = true, some = false;
    SW_TRY(s->dot(s->context, f, f, rr));
    for (int y = 0; y < s->systems; y++) {
        begin(&way[y], rr[y]);
        all &= way[y].due && way[y].numbers->iterations > 0;
        some |= way[y].due;
    }
    if (!s->lean || !all) SW_TRY(s->combine(s->context, 0, f, 0, u));
    if (!s->lean) SW_TRY(s->combine(s->context, 1, f, 0, s->work[0]));
    while (some) {
        for (int y = 0; y < s->systems; y++) way[y].before = way[y].outcome->residual;
        SW_TRY(method(context, &pass, u));
        for (int y = 0; y < s->systems; y++)
            if (way[y].given_up) return SW_FAIL(SW_E_STOPPED, "stopped in iteration %d", way[y].outcome->iterations);
        SW_TRY(form_residual(s, f, u, rr));
        some = false;
        for (int y = 0; y < s->systems; y++) some |= end(&way[y], rr[y]);
        if (some && s->lean) SW_TRY(s->residual(s->context, f, u, s->work[0], rr));
        pass.r = s->work[0];
        pass.first = false;
    }
    return SW_OK;
}

enum sw_status elliptic_refine(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                               const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                               int most, elliptic_method *method, void *context)
{
    const size_t systems = (size_t)space->systems;
    struct elliptic_way *way = NULL;
    double *rr = NULL;
    enum sw_status st = sw_alloc(systems, &way);
    if (!st) st = sw_alloc(systems, &rr);
    for (size_t y = 0; y < systems && !st; y++)
        way[y] = (struct elliptic_way){.numbers = &numbers[y], .outcome = &outcome[y], .most = most,
                                       .history = history ? history + y * ((size_t)most + 1) : NULL};
    if (!st) st = refine(space, way, rr, f, u, method, context);
    sw_free(way);
    sw_free(rr);
    return st;
}
