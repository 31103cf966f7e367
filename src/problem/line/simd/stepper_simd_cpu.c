/* Lines of a batch side by side in vector registers, each stage of a step solved by two recursions without stored
 * factors (lanes.h): here are the steps of a group of runs (simd_group.h), given what G and S are in each
 * (simd_group.h).
 *
 * Parallel over groups of 16 runs, of 4 where there are no more than 8, of 32 in single precision. A group is gathered
 * from its lines, goes through all steps of a call in the caches of one core, and is scattered back. Where one unknown
 * is solved for once a step, and G and S are polynomials in u, a step passes once over one array, 128 n bytes, and what
 * the programs keep for each cell; with Crank-Nicolson and a source also over u. All other models go stage by stage
 * (simd_stages.h): programs are evaluated at all points of a stage, then two sweeps solve for each unknown.
 *
 * In single precision only the steps know float: a group is rounded when it comes from its lines. Expressions are
 * evaluated in double, from the state as it is in float, and rounded. */
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "base/sw_err.h"
#include "linalg/sw_band.h"
#include "problem/line/simd/simd_group.h"
#include "problem/line/stepper/fourth_order.h"

static bool simd_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    return !(desc->single_steps && (desc->own_steps || sw_simd_ended(desc)));
}

/* What a model takes besides its forms. */
static bool is_one_sided(const struct sw_line_model *m) { return m->orders & (1U << 1 | 1U << 3); }

static bool has_programs(const struct sw_line_model *m)
{
    for (int v = 0; v < sw_line_unknowns(m); v++)
        if (m->g[v] || m->explicit_term[v]) return true;
    for (int k = 0; k < 2 * sw_line_unknowns(m); k++)
        if (m->end[k % 2][k / 2].first || m->end[k % 2][k / 2].second) return true;
    return false;
}

static bool looks_at_neighbours(const struct sw_line_model *m)
{
    for (int v = 0; v < sw_line_unknowns(m); v++)
        for (int at = 0; m->explicit_term[v] && at < SW_UNKNOWNS_MOST; at++)
            for (int o = 1; o <= SW_REACH; o++)
                if (sw_program_uses_input(m->explicit_term[v], sw_input_at(at, o)) ||
                    sw_program_uses_input(m->explicit_term[v], sw_input_at(at, -o)))
                    return true;
    return false;
}

static void simd_bytes(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run)
{
    enum { WORKSPACE = 32768 };  /* of a program: its blocks and its form, for a group */
    const struct sw_line_model *m = &desc->model;
    struct sw_imex_stages stages;
    const size_t unknowns = (size_t)sw_line_unknowns(m), n = (size_t)desc->n;
    struct sw_stepper_desc many = *desc;  /* lanes of a batch of few take less */
    many.capacity = INT_MAX;
    const size_t lanes = (size_t)sw_simd_lanes(&many);
    const size_t group = sizeof(struct sw_simd_group) + unknowns * (sizeof(struct sw_lanes) + 2 * WORKSPACE);
    sw_imex_stages_of(m->scheme, &stages);
    /* states before and after, w, h, x and, of each stage, its state and values */
    const size_t states = 2 + (size_t)stages.first + 3 * (size_t)(stages.count - 1) + 2 * desc->single_steps +
                          2 * (desc->own_steps && stages.sees_time);
    const size_t arrays = unknowns * (states + (is_one_sided(m) ? 2 : 1)) + 2;
    (void)band;
    sw_host_bytes(desc, fixed, per_run);
    /* groups that are not full, two of few lanes among them */
    *fixed += (size_t)omp_get_max_threads() * n * arrays * lanes * sizeof(double) + lanes * *per_run + 2 * group;
    const size_t line = sizeof(struct sw_lanes) + (sw_simd_ended(desc) ? sizeof(struct sw_lanes_closing) : 0);
    size_t lane = (sizeof(struct sw_simd_group) + unknowns * line) / lanes;
    for (size_t k = 0; k < 2 * unknowns; k++) {
        const struct sw_program *program = k % 2 ? m->explicit_term[k / 2] : m->g[k / 2];
        if (program) lane += (size_t)sw_program_size(program).cell * n * sizeof(double) + WORKSPACE / lanes;
    }
    *per_run += desc->own_steps ? sizeof(struct sw_simd_queued) : lane;
    if (desc->own_steps) *fixed += (size_t)omp_get_max_threads() * (lanes * lane + 3 * n * sizeof(double));
}

/* ------------------------------------------------------------------ create, destroy */

static void list_stage(const struct sw_stepper_desc *d, const struct sw_imex_stages *m, int stage,
                       struct sw_owned *own, struct sw_simd_stage *at)
{
    const size_t lanes = (size_t)sw_simd_lanes(d), points = (size_t)d->n * lanes, size = sw_simd_real_size(d);
    if (stage > 0 && !(m->last && stage == m->count - 1))
        sw_array_bytes(own, SW_ARRAY_HOST, sw_simd_state_size(d), size, &at->state);
    const bool valued = stage < sw_imex_valued(m) || (d->own_steps && m->sees_time);
    for (int v = 0; valued && v < sw_line_unknowns(&d->model); v++) {
        if (d->model.g[v] && m->last) at->sign[v] = sw_program_sign(d->model.g[v], sw_input_at(v, 0));
        if (d->model.g[v] && !at->sign[v]) sw_array_bytes(own, SW_ARRAY_HOST, points + 2 * lanes, size, &at->g[v]);
        if (d->model.explicit_term[v]) sw_array_bytes(own, SW_ARRAY_HOST, points, size, &at->s[v]);
    }
}

static void list_recursions(const struct sw_stepper_desc *d, struct sw_owned *own, struct sw_simd_worker *w)
{
    const size_t lanes = (size_t)sw_simd_lanes(d), points = (size_t)d->n * lanes, size = sw_simd_real_size(d);
    sw_array_bytes(own, SW_ARRAY_HOST, points + 2 * SW_LANES_MARGIN * lanes, size, &w->lanes[0].w);
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        w->lanes[v].w = w->lanes[0].w;
        for (int way = 0; way <= is_one_sided(&d->model); way++)
            sw_array_bytes(own, SW_ARRAY_HOST, points + 2 * lanes, size, &w->lanes[v].h[way]);
    }
}

static void list_worker(const struct sw_stepper_desc *d, const struct sw_imex_stages *m, struct sw_owned *own,
                        struct sw_simd_worker *w)
{
    const size_t lanes = (size_t)sw_simd_lanes(d), points = (size_t)d->n * lanes, size = sw_simd_real_size(d);
    const size_t state = sw_simd_state_size(d);
    sw_array_bytes(own, SW_ARRAY_HOST, state, size, &w->u);
    sw_array_bytes(own, SW_ARRAY_HOST, state, size, &w->next);
    list_recursions(d, own, w);
    if (d->own_steps) sw_array(own, 3 * (size_t)d->n + 4 * SW_REACH, &w->line);
    if (sw_simd_ended(d)) {
        sw_array(own, (size_t)m->count * (size_t)sw_line_unknowns(&d->model), &w->ends);
        sw_array(own, 1, &w->solve);
    }
    if (d->single_steps) sw_array(own, state, &w->wide);
    for (int i = 0; i < m->count; i++) list_stage(d, m, i, own, &w->stage[i]);
    for (int v = 0; m->first && v < sw_line_unknowns(&d->model); v++)
        sw_array_bytes(own, SW_ARRAY_HOST, points, size, &w->implicit[v]);
    if (!has_programs(&d->model)) return;
    sw_array(own, points, &w->x);
    sw_array(own, (size_t)d->model.nparam * lanes, &w->param);
    if (d->single_steps) sw_array(own, points, &w->value);
    for (int k = 0; d->single_steps && k < SW_LANES_CELLS; k++) sw_array(own, points, &w->cell[k]);
}

/* A band solver that does not exist is refused as everywhere. */
static enum sw_status refuse_band(struct sw_stepper *s, const char *band)
{
    const struct sw_band_desc desc = {.n = s->desc.n, .batch = 0, .lower = 2, .upper = 2, .periodic = true,
                                      .symmetric = true};
    struct sw_band *probe = NULL;
    SW_TRY(sw_band_create(&desc, band, s->device, &probe));
    sw_band_destroy(&probe);
    return SW_FAIL(SW_E_CONFIG, "stepper %s: it works without a band solver; leave \"+%s\" out, or take "
                   "\"cpu.plain+%s\"", s->ops->name, band, band);
}

static enum sw_status simd_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_owned *own = &s->arrays;
    struct sw_simd *p = s->own;
    const size_t unknowns = (size_t)sw_line_unknowns(&d->model);
    if (band) return refuse_band(s, band);
    p->lanes = sw_simd_lanes(d);
    p->ops = sw_lanes_pick(p->lanes);
    sw_imex_stages_of(d->model.scheme, &p->stages);
    p->reaches = p->stages.first || sw_simd_ended(d) || looks_at_neighbours(&d->model);
    SW_TRY(sw_host_create(s, &p->batch));
    p->rooms = d->own_steps ? s->device->threads : d->capacity / p->lanes + (d->capacity % p->lanes != 0);
    p->workers = s->device->threads;
    if (d->own_steps) sw_array(own, (size_t)d->capacity, &p->queue);
    sw_array(own, (size_t)p->rooms, &p->group);
    sw_array(own, (size_t)p->rooms * unknowns, &p->operators);
    if (sw_simd_ended(d)) sw_array(own, (size_t)p->rooms * unknowns, &p->closings);
    sw_array(own, (size_t)p->workers, &p->worker);
    SW_TRY(own->status);
    for (int k = 0; k < p->rooms; k++) {
        p->group[k].lanes = p->operators + (size_t)k * unknowns;
        SW_TRY(sw_simd_create_programs(d, &p->group[k]));
    }
    for (int k = 0; k < p->workers; k++) list_worker(d, &p->stages, own, &p->worker[k]);
    return own->status;
}

static void simd_destroy(struct sw_stepper *s)
{
    struct sw_simd *p = s->own;
    for (int k = 0; p->group && k < p->rooms; k++) sw_simd_destroy_programs(&p->group[k]);
    sw_host_destroy(&p->batch);
}

static enum sw_status simd_load(struct sw_stepper *s, const char **load_error)
{
    struct sw_simd *p = s->own;

    if (s->desc.own_steps) {  /* which get lanes when they are advanced */
        sw_host_load(s, load_error);
        return SW_OK;
    }
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

/* Steps from .. to-1 of a group, from w->u to w->next: without G and S, */
static void steps_alone(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                        int64_t from, int64_t to)
{
    const struct sw_simd *p = s->own;
    const int n = s->desc.n;
    void *u = sw_simd_state(s, w->u, 0), *next = sw_simd_state(s, w->next, 0);
    p->ops->first(g->lanes, n, w->lanes, u, NULL, from & 1);
    for (int64_t step = from; step < to; step++)
        p->ops->pass(g->lanes, n, w->lanes, u, next, NULL, step & 1, step + 1 == to);
}

/* and with both as forms; with P a sweep back and one forth, as G is wanted two points ahead. */
static void steps_of_forms(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                           int64_t from, int64_t to)
{
    const struct sw_simd *p = s->own;
    const void *u = sw_simd_state(s, w->u, 0);
    void *next = sw_simd_state(s, w->next, 0);
    struct sw_lanes_forms forms;
    struct sw_lanes_terms terms = {.u_weight = p->stages.stage[1].of_state[0], .u_left = p->stages.left,
                                   .forms = &forms};
    const double part = p->stages.time[0];
    const struct sw_line_mass *mass = &s->desc.model.mass[0];
    int n = s->desc.n;
    sw_simd_widen(mass, 0.0, &terms);
    for (int64_t step = from; sw_line_has_mass(mass) && step < to; step++, u = next) {
        sw_simd_begin_step(s, g, step, part);
        sw_simd_forms(s, w, g, &forms);
        p->ops->first(g->lanes, n, w->lanes, u, &terms, false);
        p->ops->pass(g->lanes, n, w->lanes, u, next, &terms, false, true);
    }
    if (sw_line_has_mass(mass)) return;
    sw_simd_begin_step(s, g, from, part);
    sw_simd_forms(s, w, g, &forms);
    p->ops->first(g->lanes, n, w->lanes, u, &terms, from & 1);
    for (int64_t step = from; step < to; step++, u = next) {
        if (step + 1 < to) sw_simd_begin_step(s, g, step + 1, part);
        if (step + 1 < to) sw_simd_forms(s, w, g, &forms);
        p->ops->pass(g->lanes, n, w->lanes, u, next, &terms, step & 1, step + 1 == to);
    }
}

static bool has_forms(const struct sw_simd_group *g) { return g->form[SW_SIMD_G] || g->form[SW_SIMD_S]; }

static void steps(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g, int64_t from,
                  int64_t to)
{
    if (sw_simd_alone(&s->desc)) steps_alone(s, w, g, from, to);
    else if (has_forms(g)) steps_of_forms(s, w, g, from, to);
    else sw_simd_steps_of_stages(s, w, g, from, to);
}

static void swap_states(struct sw_simd_worker *w)
{
    void *u = w->u;
    w->u = w->next;
    w->next = u;
}

static void clear_lane(const struct sw_stepper *s, struct sw_simd_worker *w, int lane)
{
    const size_t size = sw_simd_real_size(&s->desc), lanes = (size_t)sw_simd_lanes(&s->desc);
    const size_t count = sw_simd_state_size(&s->desc);
    for (size_t k = (size_t)lane; k < count; k += lanes) memset((char *)w->u + k * size, 0, size);
}

/* A run fails in a step of its group. @param before  the state of the group from which the step began */
static void fail_lane(struct sw_stepper *s, const double *before, const struct sw_simd_group *g, int lane, int64_t of)
{
    const int j = g->run[lane];
    const int64_t step = of + g->ahead[lane];
    const double dt = s->run[j].dt;
    sw_simd_scatter_lane(s, before, lane, j);
    sw_host_fail(s, j, (double)step * dt, dt, step, step + 1);
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
        if (sw_simd_finite(s, w, w->u, live, finite)) continue;
        const double *before = sw_simd_seen(s, w, w->next);
        for (int l = 0; l < p->lanes; l++) {
            if (finite[l]) continue;
            clear_lane(s, w, l);
            if (live[l]) fail_lane(s, before, g, l, step);
            live[l] = false;
        }
    }
}

/* Steps between two looks at whether fields are finite: 64, and more where nothing can make them grow. */
static int64_t check_of(const struct sw_stepper_desc *d) { return sw_simd_alone(d) ? 1024 : 64; }

/* @param live  in: which lanes */
static void advance_lanes(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, bool *live,
                          int64_t from, int64_t to)
{
    bool finite[SW_LANES_MOST];
    const struct sw_simd *p = s->own;
    int64_t check = check_of(&s->desc);
    if (!sw_simd_gather(s, g, w, live)) return;
    w->cells = 0;
    if (w->x) sw_simd_points(s, w, g);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        p->ops->begin(&g->lanes[v], s->desc.n, &w->lanes[v], sw_simd_alone(&s->desc));
    for (int64_t step = from, next; step < to; step = next) {
        next = to - step < check ? to : step + check;
        steps(s, w, g, step, next);
        if (sw_simd_finite(s, w, w->next, live, finite)) swap_states(w);
        else find_bad(s, w, g, step, next, live);
    }
    sw_simd_scatter(s, g, w, live);
}

/* Which lanes go on together, and for how many steps: those that have steps left; where some are at odd steps and some
 * at even ones, which decides at which end a pass begins, first those at odd ones take a step.
 * @param at, end  [lanes]  @param first  out: the step of the first of them  @return steps; 0: none are left */
static int64_t next_lanes(int lanes, const int64_t *at, const int64_t *end, bool *which, int64_t *first)
{
    bool any[2] = {false, false};
    int64_t least = INT64_MAX;
    for (int l = 0; l < lanes; l++) any[at[l] & 1] |= at[l] < end[l];
    for (int l = lanes - 1; l >= 0; l--) {
        which[l] = at[l] < end[l] && !(any[0] && any[1] && !(at[l] & 1));
        if (!which[l]) continue;
        *first = at[l];
        if (end[l] - at[l] < least) least = end[l] - at[l];
    }
    return any[0] && any[1] ? 1 : any[0] || any[1] ? least : 0;
}

/* With desc.paces a lane may be at another step than the next one, and has more or fewer to take. */
static void advance_group(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t from,
                          int64_t to)
{
    const int lanes = sw_simd_lanes(&s->desc);
    int64_t at[SW_LANES_MOST], end[SW_LANES_MOST], first = from, steps;
    bool which[SW_LANES_MOST], live[SW_LANES_MOST];
    for (int l = 0; l < lanes; l++) {
        at[l] = end[l] = from;
        if (l >= g->runs) continue;
        at[l] = sw_stepper_step(s, g->run[l], from);
        end[l] = sw_stepper_step(s, g->run[l], to);
    }
    while ((steps = next_lanes(lanes, at, end, which, &first)) > 0) {
        for (int l = 0; l < lanes; l++) g->ahead[l] = at[l] - first;
        memcpy(live, which, sizeof live);
        advance_lanes(s, w, g, live, first, first + steps);
        for (int l = 0; l < lanes; l++) at[l] += which[l] ? steps : 0;
    }
}

/* A tick may have any number of steps, mostly few. */
static void advance_own(struct sw_stepper *s, int64_t to)
{
    struct sw_simd *p = s->own;
    const int queued = sw_simd_queue_own(s, to);
    int next = 0;
    if (queued == 0) return;
#pragma omp parallel for schedule(static) num_threads(sw_host_workers(s, 64, 0.5))
    for (int k = 0; k < p->workers; k++) sw_simd_advance_own(s, &p->worker[k], &p->group[k], to, queued, &next);
}

struct advancing { struct sw_stepper *s; int64_t from, to; };

static void advance_one(void *user, int thread, int k)
{
    const struct advancing *a = user;
    struct sw_simd *p = a->s->own;
    advance_group(a->s, &p->worker[thread], &p->group[k], a->from, a->to);
}

static enum sw_status simd_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct sw_simd *p = s->own;
    for (int j = 0; j < s->count; j++)
        sw_host_states_are_over(&p->batch.states, j, sw_stepper_step(s, j, from));
    if (s->desc.own_steps) {
        advance_own(s, to);
        return SW_OK;
    }
    sw_host_each(sw_host_workers(s, sw_stepper_most_steps(s, from, to), 0.5), p->groups, advance_one,
                 &(struct advancing){s, from, to});
    return SW_OK;
}

/* Of so many values of G and N in stages, as they are added to a right-hand side. */
static double terms_cost(const struct sw_line_model *m, int v, int values)
{
    return values * ((m->g[v] ? 3 : 0) + (m->explicit_term[v] ? 1 : 0));
}

/* As for cpu.plain a line comes and goes once a call, as long as a group fits into the cache. Operations: the pass, or
 * the two sweeps, what closes the circle (of the first group, for all), and those of G and S; with stages the sums of
 * states in each right-hand side, and what the operator takes once a step. A point is one point of all unknowns. */
static struct sw_cost simd_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct sw_simd *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    const struct sw_imex_stages *stages = &p->stages;
    const int unknowns = sw_line_unknowns(m), solves = stages->count - 1;
    double operations = 0;
    for (int v = 0; v < unknowns; v++) {
        operations += solves * (sw_simd_alone(&s->desc) ? 7 : 6);
        if (p->groups > 0) operations += solves * 4.0 * p->group[0].lanes[v].points / s->desc.n;
        for (int i = 1; i <= solves; i++) operations += terms_cost(m, v, i) + (i - 1);
        if (!stages->last) operations += terms_cost(m, v, stages->count);
        if (stages->first) operations += solves + 16;
        if (m->g[v]) operations += sw_imex_valued(stages) * sw_program_size(m->g[v]).point;
        if (m->explicit_term[v]) operations += sw_imex_valued(stages) * sw_program_size(m->explicit_term[v]).point;
    }
    return (struct sw_cost){unknowns * 16.0 / (double)steps, s->desc.single_steps ? operations / 2 : operations};
}

extern const struct sw_stepper_ops stepper_simd_cpu;
const struct sw_stepper_ops stepper_simd_cpu = {
    .name = "cpu.simd",
    .about = "lines side by side in vector registers, two recursions a step, all steps in the cache; "
             "threads over groups",
    .space = SW_HOST,
    .takes = SW_LINE_ALL | SW_LINE_ENDS | SW_LINE_MASS | SW_LINE_OWN_STEPS | SW_LINE_PACES,
    .fits = simd_fits,
    .bytes = simd_bytes,
    .own_size = sizeof(struct sw_simd),
    .create = simd_create,
    .load = simd_load,
    .advance = simd_advance,
    .destroy = simd_destroy,
    .sim = &sw_host_operations,
    .cost = simd_cost,
};
