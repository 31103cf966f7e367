/* Lines of a batch side by side in vector registers, each step solved by two recursions without stored factors
 * (lanes.h): here are the steps of a group of runs (simd_group.h), given what G and S are in each (simd_programs.h).
 *
 * Parallel over groups of 16 runs, 32 in single precision. A group is gathered from its lines, goes through all steps
 * of a call in the caches of one core, and is scattered back. A step passes once over one array, 128 n bytes, and what
 * the programs keep for each cell; with Crank-Nicolson and a source also over u. Programs that are not polynomials in u
 * are evaluated between two sweeps.
 *
 * In single precision only the steps know float: a group is rounded when it comes from its lines. Expressions are
 * evaluated in double, from the state as it is in float, and rounded. */
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/simd_programs.h"

static bool simd_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    (void)desc;
    return true;
}

static void simd_bytes(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run)
{
    enum { WORKSPACE = 32768 };  /* of a program: its blocks and its form, for a group */
    const struct sw_line_model *m = &desc->model;
    const struct sw_program *program[SW_SIMD_PROGRAMS] = {[SW_SIMD_G] = m->g[0], [SW_SIMD_S] = m->s[0]};
    size_t n = (size_t)desc->n, lanes = (size_t)sw_simd_lanes(desc), arrays = desc->single_steps ? 9 : 7;
    (void)band;
    sw_host_bytes(desc, fixed, per_run);
    *fixed += (size_t)omp_get_max_threads() * n * arrays * lanes * sizeof(double) + lanes * *per_run;
    *per_run += sizeof(struct sw_simd_group) / lanes;
    for (int k = 0; k < SW_SIMD_PROGRAMS; k++)
        if (program[k]) *per_run += (size_t)sw_program_size(program[k]).cell * n * sizeof(double) + WORKSPACE / lanes;
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct sw_simd_worker *w)
{
    size_t lanes = (size_t)sw_simd_lanes(d), points = (size_t)d->n * lanes, size = sw_simd_real_size(d);
    SW_TRY(sw_alloc_bytes(points, size, &w->u));
    SW_TRY(sw_alloc_bytes(points, size, &w->next));
    SW_TRY(sw_alloc_bytes(points + 2 * SW_LANES_MARGIN * lanes, size, &w->lanes.w));
    SW_TRY(sw_alloc_bytes(points + 2 * lanes, size, &w->lanes.h));
    if (d->single_steps) SW_TRY(sw_alloc(points, &w->wide));
    if (sw_simd_alone(d)) return SW_OK;
    SW_TRY(sw_alloc_bytes(points, size, &w->s));
    SW_TRY(sw_alloc(points, &w->x));
    SW_TRY(sw_alloc((size_t)d->model.nparam * lanes, &w->param));
    if (d->single_steps) SW_TRY(sw_alloc(points, &w->value));
    for (int k = 0; d->single_steps && k < SW_LANES_CELLS; k++) SW_TRY(sw_alloc(points, &w->cell[k]));
    return sw_alloc_bytes(d->model.g[0] ? points + 2 * lanes : 0, size, &w->g);
}

static void destroy_worker(struct sw_simd_worker *w)
{
    sw_free(w->wide);
    sw_free(w->u);
    sw_free(w->next);
    sw_free(w->lanes.w);
    sw_free(w->lanes.h);
    sw_free(w->s);
    sw_free(w->g);
    sw_free(w->x);
    sw_free(w->param);
    sw_free(w->value);
    for (int k = 0; k < SW_LANES_CELLS; k++) sw_free(w->cell[k]);
}

/* A band solver that does not exist is refused as everywhere. */
static enum sw_status refuse_band(struct sw_stepper *s, const char *band)
{
    const struct sw_band_desc desc = {.n = s->desc.n, .batch = 0, .lower = 2, .upper = 2, .periodic = true,
                                      .symmetric = true};
    struct sw_band *probe = NULL;
    SW_TRY(sw_band_create(&desc, band, s->device, &probe));
    sw_band_destroy(&probe);
    return SW_FAIL(SW_E_ABSENT, "solver %s works without a band solver; cpu.plain+%s is possible", s->ops->name, band);
}

static enum sw_status simd_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_simd *p = NULL;

    if (band) return refuse_band(s, band);
    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    p->ops = sw_lanes_pick(d->single_steps);
    p->lanes = p->ops->lanes;
    SW_TRY(sw_host_create(s, &p->batch));
    p->rooms = d->capacity / p->lanes + (d->capacity % p->lanes != 0);
    SW_TRY(sw_alloc((size_t)p->rooms, &p->group));
    for (int k = 0; k < p->rooms; k++) SW_TRY(sw_simd_create_programs(d, &p->group[k]));
    SW_TRY(sw_alloc((size_t)s->device->threads, &p->worker));
    p->workers = s->device->threads;
    for (int k = 0; k < p->workers; k++) SW_TRY(create_worker(d, &p->worker[k]));
    return SW_OK;
}

static void simd_destroy(struct sw_stepper *s)
{
    struct sw_simd *p = s->own;
    if (!p) return;
    for (int k = 0; p->group && k < p->rooms; k++) sw_simd_destroy_programs(&p->group[k]);
    for (int k = 0; k < p->workers; k++) destroy_worker(&p->worker[k]);
    sw_host_destroy(&p->batch);
    sw_free(p->group);
    sw_free(p->worker);
    sw_free(p);
}

static enum sw_status simd_load(struct sw_stepper *s, const char **load_error)
{
    struct sw_simd *p = s->own;
    SW_TRY(sw_simd_assign_lanes(s, load_error));
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 1, 10.0))
    for (int k = 0; k < p->groups; k++) sw_simd_begin_batch(s, &p->worker[omp_get_thread_num()], &p->group[k]);
    return SW_OK;
}

/* ------------------------------------------------------------------ steps
 *
 * Whether a field is finite is checked now and then only (check_of()), since one that is not never becomes so again: A
 * couples all points. Where a run went wrong in between, the group takes these steps once more, to the same bits, one
 * at a time. */

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

static void swap_states(struct sw_simd_worker *w)
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
        swap_states(w);
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

static void advance_group(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t from,
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
        if (sw_simd_finite(s, w, w->next, finite)) swap_states(w);
        else find_bad(s, w, g, step, next, live);
    }
    sw_simd_scatter(s, g, w, live);
}

static enum sw_status simd_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct sw_simd *p = s->own;
    struct sw_host_batch *h = &p->batch;
    for (int j = 0; j < s->count; j++)
        if (h->stopped[j] && h->diverged[j] < 0) h->diverged[j] = from;
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, to - from, 0.5))
    for (int k = 0; k < p->groups; k++)
        advance_group(s, &p->worker[omp_get_thread_num()], &p->group[k], from, to);
    return SW_OK;
}

/* As for cpu.plain a line comes and goes once a call, as long as a group fits into the cache. Operations: the pass, or
 * the two sweeps, what closes the circle (of the first group, for all), and those of G and S. */
static struct sw_cost simd_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct sw_simd *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    double operations = sw_simd_alone(&s->desc) ? 7 : 6;
    if (p->groups > 0) operations += 4.0 * p->group[0].lanes.points / s->desc.n;
    if (m->g[0]) operations += 3 + sw_program_size(m->g[0]).point;
    if (m->s[0]) operations += 1 + sw_program_size(m->s[0]).point;
    return (struct sw_cost){16.0 / (double)steps, s->desc.single_steps ? operations / 2 : operations};
}

extern const struct sw_stepper_ops stepper_simd_cpu;
const struct sw_stepper_ops stepper_simd_cpu = {
    .name = "cpu.simd",
    .about = "lines side by side in vector registers, two recursions a step, all steps in the cache; "
             "threads over groups",
    .space = SW_HOST,
    .fits = simd_fits,
    .bytes = simd_bytes,
    .create = simd_create,
    .load = simd_load,
    .initial = sw_host_initial,
    .set_state = sw_host_set_state,
    .get_state = sw_host_get_state,
    .advance = simd_advance,
    .snapshot = sw_host_snapshot,
    .fetch = sw_host_fetch,
    .diverged = sw_host_diverged,
    .destroy = simd_destroy,
    .cost = simd_cost,
};
