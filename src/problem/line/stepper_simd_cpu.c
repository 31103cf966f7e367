/* Lines of a batch side by side in vector registers, each step solved by two recursions without stored factors
 * (lanes.h). What it consists of is in simd_group.h.
 *
 * Parallel over groups of 16 runs, 32 in single precision. A group is gathered from its lines, goes through all steps
 * of a call in the caches of one core, and is scattered back. A step passes once over one array, 128 n bytes, and what
 * the programs keep for each cell; with Crank-Nicolson and a source also over u. Programs that are not polynomials in u
 * are evaluated between two sweeps.
 *
 * In single precision only the steps know float: a group is rounded when it comes from its lines. Expressions are
 * evaluated in double, from the state as it is in float, and rounded. */
#include <omp.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "linalg/sw_band.h"
#include "problem/line/simd_group.h"

bool sw_simd_alone(const struct sw_stepper_desc *d)
{
    return d->model.scheme == SW_CRANK_NICOLSON && !d->model.g && !d->model.s;
}

int sw_simd_lanes(const struct sw_stepper_desc *d) { return d->single_steps ? SW_LANES_SINGLE : SW_LANES; }

size_t sw_simd_real_size(const struct sw_stepper_desc *d) { return sw_reals_word(d->single_steps); }

static bool simd_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    (void)desc;
    return true;
}

static void simd_bytes(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run)
{
    enum { WORKSPACE = 32768 };  /* of a program: its blocks and its form, for a group */
    const struct sw_program *program[SW_SIMD_PROGRAMS] = {[SW_SIMD_G] = desc->model.g, [SW_SIMD_S] = desc->model.s};
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
    return sw_alloc_bytes(d->model.g ? points + 2 * lanes : 0, size, &w->g);
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
    SW_TRY(sw_host_create(s, &p->lines));
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
    sw_host_destroy(&p->lines);
    sw_free(p->group);
    sw_free(p->worker);
    sw_free(p);
}

static enum sw_status simd_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct sw_simd *p = s->own;
    struct sw_host_lines *h = &p->lines;
    for (int j = 0; j < s->count; j++)
        if (h->stopped[j] && h->diverged[j] < 0) h->diverged[j] = from;
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, to - from, 0.5))
    for (int k = 0; k < p->groups; k++)
        sw_simd_advance_group(s, &p->worker[omp_get_thread_num()], &p->group[k], from, to);
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
    if (m->g) operations += 3 + sw_program_size(m->g).point;
    if (m->s) operations += 1 + sw_program_size(m->s).point;
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
    .load = sw_simd_load,
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
