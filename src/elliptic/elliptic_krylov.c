#include "elliptic/elliptic_krylov.h"

static enum sw_status dot(const struct elliptic_space *s, const double *x, const double *y, double *sum)
{
    return s->dot(s->context, x, y, sum);
}

static enum sw_status combine(const struct elliptic_space *s, double alpha, const double *x, double beta, double *y)
{
    return s->combine(s->context, alpha, x, beta, y);
}

/* p = z + beta p. @param q  A p of the iteration before; NULL: there is none
 * @param rz  in, out: <r, z> */
static enum sw_status next_direction(const struct elliptic_space *s, const double *r, const double *z, const double *q,
                                     double alpha, double *p, double *rz)
{
    double now, along = 0;
    SW_TRY(dot(s, r, z, &now));
    if (q && s->flexible) SW_TRY(dot(s, q, z, &along));
    const double beta = q ? (s->flexible ? -alpha * along : now) / *rz : 0;
    *rz = now;
    return combine(s, 1, z, beta, p);
}

static enum sw_status iterate(void *context, struct elliptic_way *w, double *u)
{
    const struct elliptic_space *s = context;
    double *const r = s->work[0], *const z = s->work[1], *const p = s->work[2], *const q = s->work[3];
    double rz = 0, pq, alpha = 0;
    bool due = w->outcome->iterations < w->numbers->iterations;
    for (bool first = true; due; first = false) {
        SW_TRY(s->precondition(s->context, r, z));
        SW_TRY(next_direction(s, r, z, first ? NULL : q, alpha, p, &rz));
        SW_TRY(s->apply(s->context, p, q));
        SW_TRY(dot(s, p, q, &pq));
        if (elliptic_breaks(w, pq)) return SW_OK;
        alpha = rz / pq;
        SW_TRY(combine(s, alpha, p, 1, u));
        SW_TRY(combine(s, -alpha, q, 1, r));
        SW_TRY(dot(s, r, r, &w->rr));
        due = elliptic_record(w);
    }
    return SW_OK;
}

enum sw_status elliptic_pcg(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                            const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history, int most)
{
    return elliptic_refine(space, numbers, f, u, outcome, history, most, iterate, (void *)space);
}
