/* Steps of a group of cpu.simd.
 *
 * Whether a field is finite is looked at now and then only (check_of()), since one that is not never becomes so again:
 * A couples all points. Where a run went wrong in between, the group takes these steps once more, to the same bits, one
 * at a time. */
#include <string.h>

#include "problem/line/simd_group.h"

static struct sw_lanes_terms terms_of(const struct sw_stepper *s)
{
    bool crank_nicolson = s->desc.model.scheme == SW_CRANK_NICOLSON;
    return (struct sw_lanes_terms){.u_weight = crank_nicolson ? 2.0 : 1.0, .u_left = crank_nicolson ? 1.0 : 0.0};
}

/* Steps from .. to-1 of a group, from w->u to w->next: without G and S, */
static void steps_alone(const struct sw_simd *p, int n, struct sw_simd_worker *w, const struct sw_simd_group *g,
                        int64_t from, int64_t to)
{
    p->ops->first(&g->lanes, n, &w->lanes, w->u, NULL, from & 1);
    for (int64_t step = from; step < to; step++)
        p->ops->pass(&g->lanes, n, &w->lanes, w->u, w->next, NULL, step & 1, step + 1 == to);
}

/* with both as forms, */
static void steps_of_forms(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                           int64_t from, int64_t to)
{
    const struct sw_simd *p = s->own;
    const void *u = w->u;
    struct sw_lanes_forms forms;
    struct sw_lanes_terms terms = terms_of(s);
    int n = s->desc.n;
    terms.forms = &forms;
    sw_simd_begin_step(s, g, from);
    sw_simd_forms(s, w, g, &forms);
    p->ops->first(&g->lanes, n, &w->lanes, u, &terms, from & 1);
    for (int64_t step = from; step < to; step++, u = w->next) {
        if (step + 1 < to) sw_simd_begin_step(s, g, step + 1);
        if (step + 1 < to) sw_simd_forms(s, w, g, &forms);
        p->ops->pass(&g->lanes, n, &w->lanes, u, w->next, &terms, step & 1, step + 1 == to);
    }
}

/* and with their values at all points. */
static void steps_of_values(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                            int64_t from, int64_t to)
{
    const struct sw_simd *p = s->own;
    const void *u = w->u;
    struct sw_lanes_terms terms = terms_of(s);
    int n = s->desc.n;
    terms.g = g->eval[SW_SIMD_G] ? w->g : NULL;
    terms.s = g->eval[SW_SIMD_S] ? w->s : NULL;
    for (int64_t step = from; step < to; step++, u = w->next) {
        sw_simd_begin_step(s, g, step);
        sw_simd_values(s, w, g, u);
        p->ops->first(&g->lanes, n, &w->lanes, u, &terms, step & 1);
        p->ops->pass(&g->lanes, n, &w->lanes, u, w->next, &terms, step & 1, true);
    }
}

static bool has_forms(const struct sw_simd_group *g) { return g->form[SW_SIMD_G] || g->form[SW_SIMD_S]; }

static void steps(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g, int64_t from,
                  int64_t to)
{
    if (sw_simd_alone(&s->desc)) steps_alone(s->own, s->desc.n, w, g, from, to);
    else if (has_forms(g)) steps_of_forms(s, w, g, from, to);
    else steps_of_values(s, w, g, from, to);
}

static void take_next(struct sw_simd_worker *w)
{
    void *u = w->u;
    w->u = w->next;
    w->next = u;
}

static void clear_lane(const struct sw_stepper *s, struct sw_simd_worker *w, int lane)
{
    const struct sw_simd *p = s->own;
    size_t size = sw_simd_real_size(&s->desc);
    for (int i = 0; i < s->desc.n; i++)
        memset((char *)w->u + ((size_t)i * (size_t)p->lanes + (size_t)lane) * size, 0, size);
}

/* Steps after which some run is not finite, again and one by one. Such runs stop, and their lanes hold zeros
 * from then on. */
static void find_bad(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t from, int64_t to,
                     bool live[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    bool finite[SW_LANES_MOST];
    for (int64_t step = from; step < to; step++) {
        steps(s, w, g, step, step + 1);
        take_next(w);
        if (sw_simd_finite(s, w, w->u, finite)) continue;
        for (int l = 0; l < p->lanes; l++) {
            if (finite[l]) continue;
            clear_lane(s, w, l);
            if (live[l]) sw_host_stop(s, g->run[l], step + 1);
            live[l] = false;
        }
    }
}

/* Steps between two looks at whether fields are finite: 64, and more where nothing can make them grow. */
static int64_t check_of(const struct sw_stepper_desc *d) { return sw_simd_alone(d) ? 1024 : 64; }

void sw_simd_advance_group(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t from,
                           int64_t to)
{
    bool live[SW_LANES_MOST], finite[SW_LANES_MOST];
    const struct sw_simd *p = s->own;
    int64_t check = check_of(&s->desc);
    if (!sw_simd_gather(s, g, w, live)) return;
    w->cells = 0;
    if (!sw_simd_alone(&s->desc)) sw_simd_points(s, w, g);
    p->ops->begin(&g->lanes, s->desc.n, &w->lanes, sw_simd_alone(&s->desc));
    for (int64_t step = from, next; step < to; step = next) {
        next = to - step < check ? to : step + check;
        steps(s, w, g, step, next);
        if (sw_simd_finite(s, w, w->next, finite)) take_next(w);
        else find_bad(s, w, g, step, next, live);
    }
    sw_simd_scatter(s, g, w, live);
}
