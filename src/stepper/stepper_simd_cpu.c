/* Lines of a batch side by side in vector registers, each step solved by two recursions without stored factors (lanes.h).
 *
 * Parallel over groups of SW_LANES runs. A group is gathered from its lines, goes through all steps of a call in the caches
 * of one core, and is scattered back. Without G and S a group is one array, 128 n bytes, passed over once a step; with them
 * it is u, y, the values of G and what the programs keep for each cell.
 *
 * Whether a field is finite is looked at every CHECK steps only, since one that is not never becomes so again: A couples
 * all points. Where a run went wrong in between, the group takes these steps once more, to the same bits, one at a time. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "stepper/host_lines.h"
#include "stepper/lanes.h"
#include "stepper/line_cpu.h"
#include "stepper/line_point.h"

enum { CHECK = 64, G = 0, S, PROGRAMS };

struct group {
    struct sw_lanes lanes;
    int             runs, run[SW_LANES];   /* the run of each lane; lanes from `runs` on have none */
    struct sw_eval *eval[PROGRAMS];
    struct sw_form *form[PROGRAMS];        /* either all of the programs that there are have one, or none has */
};

struct worker {                /* what a thread needs; [n][SW_LANES] each                    */
    double *u, *saved;         /* the state; as it was at the last check                     */
    double *y;                 /* S, then a step's first recursion                           */
    double *g;                 /* [n+2]: G                                                   */
    double *x;
    double *param;             /* [nparam][SW_LANES]                                         */
};

struct simd {
    struct sw_host_lines lines;      /* first: host_lines.h works on it */
    const struct sw_lanes_ops *ops;
    int            rooms, groups;    /* there is room for, there are in the batch loaded */
    struct group  *group;
    int            workers;
    struct worker *worker;
};

static bool simd_fits(const struct sw_stepper_desc *desc) { return !desc->single_steps; }

static bool alone(const struct sw_stepper_desc *d)  /* no terms but the implicit one, by Crank-Nicolson */
{
    return d->model.scheme == SW_CRANK_NICOLSON && !d->model.g && !d->model.s;
}

static void simd_bytes(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run)
{
    enum { WORKSPACE = 32768 };  /* of a program: its blocks and its form, for a group */
    const struct sw_program *program[PROGRAMS] = {[G] = desc->model.g, [S] = desc->model.s};
    size_t n = (size_t)desc->n;
    (void)band;
    sw_host_bytes(desc, fixed, per_run);
    *fixed += (size_t)omp_get_max_threads() * n * 5 * SW_LANES * sizeof(double) + SW_LANES * *per_run;
    *per_run += sizeof(struct group) / SW_LANES;
    for (int k = 0; k < PROGRAMS; k++)
        if (program[k]) *per_run += (size_t)sw_program_size(program[k]).cell * n * sizeof(double) + WORKSPACE / SW_LANES;
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct worker *w)
{
    size_t points = (size_t)d->n * SW_LANES;
    SW_TRY(sw_alloc(points, &w->u));
    SW_TRY(sw_alloc(points, &w->saved));
    if (alone(d)) return SW_OK;
    SW_TRY(sw_alloc(points, &w->y));
    SW_TRY(sw_alloc(points, &w->x));
    SW_TRY(sw_alloc((size_t)d->model.nparam * SW_LANES, &w->param));
    return sw_alloc(d->model.g ? points + 2 * SW_LANES : 0, &w->g);
}

static void destroy_worker(struct worker *w)
{
    sw_free(w->u);
    sw_free(w->saved);
    sw_free(w->y);
    sw_free(w->g);
    sw_free(w->x);
    sw_free(w->param);
}

/* G has no cells here, and those of S, x among them, stand alone: not times u. */
static bool fits_sweep(struct sw_form *form, int program)
{
    static const double x;  /* only its address is looked at */
    struct sw_form_term term[SW_FORM_TERMS];
    const double *in[SW_INPUTS] = {[SW_IN_X] = &x};
    int cells = 0, terms = sw_form_terms(form, in, term);
    for (int k = 0; k < terms; k++) {
        if (!term[k].cell) continue;
        if (program == G || term[k].power) return false;
        cells++;
    }
    return cells <= SW_LANES_CELLS;
}

static enum sw_status create_forms(struct group *g)
{
    bool all = true;
    for (int k = 0; k < PROGRAMS; k++) {
        if (!g->eval[k]) continue;
        SW_TRY(sw_form_create(g->eval[k], &g->form[k]));
        all = all && g->form[k] && fits_sweep(g->form[k], k);
    }
    for (int k = 0; !all && k < PROGRAMS; k++) sw_form_destroy(&g->form[k]);
    return SW_OK;
}

static enum sw_status create_programs(const struct sw_stepper_desc *d, struct group *g)
{
    const struct sw_program *program[PROGRAMS] = {[G] = d->model.g, [S] = d->model.s};
    for (int k = 0; k < PROGRAMS; k++)
        if (program[k]) SW_TRY(sw_eval_create_lanes(program[k], d->n, SW_LANES, &g->eval[k]));
    return create_forms(g);
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
    struct simd *p = NULL;

    if (band) return refuse_band(s, band);
    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    p->ops = sw_lanes_pick();
    SW_TRY(sw_host_create(s, &p->lines));
    p->rooms = d->capacity / SW_LANES + (d->capacity % SW_LANES != 0);
    SW_TRY(sw_alloc((size_t)p->rooms, &p->group));
    for (int k = 0; k < p->rooms; k++) SW_TRY(create_programs(d, &p->group[k]));
    SW_TRY(sw_alloc((size_t)s->device->threads, &p->worker));
    p->workers = s->device->threads;
    for (int k = 0; k < p->workers; k++) SW_TRY(create_worker(d, &p->worker[k]));
    return SW_OK;
}

static void simd_destroy(struct sw_stepper *s)
{
    struct simd *p = s->own;
    if (!p) return;
    for (int k = 0; p->group && k < p->rooms; k++)
        for (int m = 0; m < PROGRAMS; m++) {
            sw_form_destroy(&p->group[k].form[m]);
            sw_eval_destroy(&p->group[k].eval[m]);
        }
    for (int k = 0; k < p->workers; k++) destroy_worker(&p->worker[k]);
    sw_host_destroy(&p->lines);
    sw_free(p->group);
    sw_free(p->worker);
    sw_free(p);
}

/* ------------------------------------------------------------------ load */

/* Lanes without a run do as the first. */
static const struct sw_line_run *run_of(const struct sw_stepper *s, const struct group *g, int lane)
{
    return &s->run[g->run[lane < g->runs ? lane : 0]];
}

static void make_points(const struct sw_stepper *s, struct worker *w, const struct group *g)
{
    double x0[SW_LANES], dx[SW_LANES], *x = w->x;
    for (int l = 0; l < SW_LANES; l++) {
        x0[l] = run_of(s, g, l)->x0;
        dx[l] = run_of(s, g, l)->dx;
    }
    for (int i = 0; i < s->desc.n; i++)
        for (int l = 0; l < SW_LANES; l++) *x++ = x0[l] + i * dx[l];
}

/* The programs' values that last for the batch. */
static void begin_programs(struct sw_stepper *s, struct worker *w, struct group *g)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    if (!g->eval[G] && !g->eval[S]) return;
    for (int k = 0; k < s->desc.model.nparam; k++)
        for (int l = 0; l < SW_LANES; l++)
            w->param[k * SW_LANES + l] = s->param[(size_t)k * (size_t)s->count + (size_t)(run_of(s, g, l) - s->run)];
    make_points(s, w, g);
    for (int k = 0; k < PROGRAMS; k++) {
        if (!g->eval[k]) continue;
        sw_eval_run(g->eval[k], w->param, SW_LANES);
        sw_eval_cells(g->eval[k], s->desc.n, in);
    }
}

/* Runs of one matrix get lanes next to each other: then few groups have more than one reach.
 * @param begin  [systems]: how many runs have the matrices before this one */
static void fill_groups(struct sw_stepper *s, const struct sw_lanes_line *line, const int *system, int *begin)
{
    struct simd *p = s->own;
    int runs = 0;
    for (int k = 0; k < p->rooms; k++) {
        p->group[k].lanes = (struct sw_lanes){0};
        p->group[k].runs = 0;
    }
    for (int j = 0; j < s->count; j++) {
        if (system[j] < 0) continue;
        int at = begin[system[j]]++, lane = at % SW_LANES;
        struct group *g = &p->group[at / SW_LANES];
        sw_lanes_set(&g->lanes, lane, &line[system[j]], s->run[j].dt, s->run[j].dx);
        g->run[lane] = j;
        g->runs++;
        runs++;
    }
    p->groups = runs / SW_LANES + (runs % SW_LANES != 0);
}

/* @param begin  out [systems] */
static void count_systems(int count, const int *system, int systems, int *begin)
{
    int before = 0;
    for (int k = 0; k < systems; k++) begin[k] = 0;
    for (int j = 0; j < count; j++)
        if (system[j] >= 0) begin[system[j]]++;
    for (int k = 0; k < systems; k++) {
        int runs = begin[k];
        begin[k] = before;
        before += runs;
    }
}

static enum sw_status simd_load(struct sw_stepper *s, const char **fault)
{
    struct simd *p = s->own;
    struct sw_line_matrix *matrix = NULL;
    struct sw_lanes_line *line = NULL;
    int *system = NULL, *begin = NULL, systems;
    enum sw_status st;

    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &matrix));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &line));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &system));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &begin));
    systems = sw_line_matrices(s->count, s->run, fault, matrix, system);
    for (int k = 0; k < systems; k++)
        if (!sw_lanes_line(s->desc.n, matrix[k].s4, matrix[k].s2, &line[k])) line[k].reach = -1;
    for (int j = 0; j < s->count; j++) {
        if (fault[j] || line[system[j]].reach >= 0) continue;
        fault[j] = "the implicit part is not positive definite: the equation is ill-posed";
        system[j] = -1;
    }
    sw_host_load(s, fault);
    count_systems(s->count, system, systems, begin);
    fill_groups(s, line, system, begin);
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 1, 10.0))
    for (int k = 0; k < p->groups; k++) begin_programs(s, &p->worker[omp_get_thread_num()], &p->group[k]);
done:
    sw_free(matrix);
    sw_free(line);
    sw_free(system);
    sw_free(begin);
    return st;
}

/* ------------------------------------------------------------------ a group and its lines */

enum { BLOCK = 8 };  /* points: a cache line of each lane's line against BLOCK rows of lanes */

/* Lanes without a run, or whose run has stopped, hold zeros. @return whether any run goes on */
static bool gather(const struct sw_stepper *s, const struct group *g, double *u, bool live[SW_LANES])
{
    const struct simd *p = s->own;
    const double *line[SW_LANES];
    bool any = false;
    int n = s->desc.n;
    for (int l = 0; l < SW_LANES; l++) {
        live[l] = l < g->runs && !p->lines.stopped[g->run[l]];
        any |= live[l];
        line[l] = live[l] ? sw_host_line(s, g->run[l]) : NULL;
    }
    for (int base = 0; base < n; base += BLOCK)
        for (int l = 0; l < SW_LANES; l++)
            for (int i = base; i < n && i < base + BLOCK; i++) u[(size_t)i * SW_LANES + (size_t)l] = line[l] ? line[l][i] : 0.0;
    return any;
}

static void scatter(struct sw_stepper *s, const struct group *g, const double *u, const bool live[SW_LANES])
{
    int n = s->desc.n;
    for (int base = 0; base < n; base += BLOCK)
        for (int l = 0; l < g->runs; l++) {
            double *line = sw_host_line(s, g->run[l]);
            for (int i = base; live[l] && i < n && i < base + BLOCK; i++) line[i] = u[(size_t)i * SW_LANES + (size_t)l];
        }
}

/* 0 times a number that is not finite is NaN. @return whether all are finite; finite[l] for each lane */
static bool finite_lanes(int n, const double *u, bool finite[SW_LANES])
{
    double sum[SW_LANES] = {0};
    bool all = true;
    for (int i = 0; i < n; i++, u += SW_LANES)
        for (int l = 0; l < SW_LANES; l++) sum[l] += 0.0 * u[l];
    for (int l = 0; l < SW_LANES; l++) all &= finite[l] = sum[l] == 0.0;
    return all;
}

/* ------------------------------------------------------------------ steps */

/* weight times a sum of terms, as a polynomial and, for S, values of the cells. */
static void add_terms(const struct sw_form_term *term, int terms, const double *weight, double poly[][SW_LANES],
                      struct sw_lanes_forms *forms)
{
    for (int k = 0; k < terms; k++) {
        double *out = term[k].cell ? forms->cell_factor[forms->cells] : poly[term[k].power];
        for (int l = 0; l < SW_LANES; l++) out[l] += weight[l] * term[k].factor[l];
        if (term[k].cell) forms->cell[forms->cells++] = term[k].cell;
    }
}

static void step_of_forms(const struct simd *p, int n, struct worker *w, const struct group *g,
                          const double *const in[SW_INPUTS], struct sw_lanes_terms *terms)
{
    struct sw_lanes_forms forms = {.has_g = g->form[G] != NULL};
    struct sw_form_term term[SW_FORM_TERMS];
    if (g->form[G]) add_terms(term, sw_form_terms(g->form[G], in, term), g->lanes.g_weight, forms.g, &forms);
    if (g->form[S]) {
        int count = sw_form_terms(g->form[S], in, term);
        add_terms(term, count, g->lanes.s_weight, forms.s, &forms);
        for (int k = 0; k < count; k++) forms.has_s_in_u |= term[k].power > 0;
    }
    for (int k = forms.cells; forms.cells && k < SW_LANES_CELLS; k++) forms.cell[k] = forms.cell[0];
    terms->forms = &forms;
    p->ops->step(&g->lanes, n, w->u, terms, w->y);
}

static void one_step(const struct sw_stepper *s, struct worker *w, struct group *g, int64_t step)
{
    const struct simd *p = s->own;
    bool crank_nicolson = s->desc.model.scheme == SW_CRANK_NICOLSON;
    struct sw_lanes_terms terms = {.u_weight = crank_nicolson ? 2.0 : 1.0, .u_left = crank_nicolson ? 1.0 : 0.0};
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x, [SW_IN_U] = w->u};
    double t[SW_LANES];

    for (int l = 0; l < SW_LANES; l++)
        t[l] = sw_line_time(crank_nicolson ? 0.5 : 1.0, step, run_of(s, g, l)->dt);
    for (int k = 0; k < PROGRAMS; k++)
        if (g->eval[k]) sw_eval_step_lanes(g->eval[k], t, step);
    if (g->form[G] || g->form[S]) {
        step_of_forms(p, s->desc.n, w, g, in, &terms);
        return;
    }
    if (g->eval[G]) {
        terms.g = w->g;
        sw_eval_points(g->eval[G], s->desc.n, in, w->g + SW_LANES);
    }
    if (g->eval[S]) {
        terms.has_s = true;
        sw_eval_points(g->eval[S], s->desc.n, in, w->y);
    }
    p->ops->step(&g->lanes, s->desc.n, w->u, &terms, w->y);
}

static void steps(const struct sw_stepper *s, struct worker *w, struct group *g, int64_t from, int64_t to)
{
    const struct simd *p = s->own;
    if (alone(&s->desc)) p->ops->advance(&g->lanes, s->desc.n, w->u, from, to);
    else for (int64_t step = from; step < to; step++) one_step(s, w, g, step);
}

/* Steps after which some run is not finite, again and one by one. Such runs stop, and their lanes hold zeros from then on. */
static void find_bad(struct sw_stepper *s, struct worker *w, struct group *g, int64_t from, int64_t to, bool live[SW_LANES])
{
    int n = s->desc.n;
    bool finite[SW_LANES];
    memcpy(w->u, w->saved, (size_t)n * SW_LANES * sizeof *w->u);
    for (int64_t step = from; step < to; step++) {
        steps(s, w, g, step, step + 1);
        if (finite_lanes(n, w->u, finite)) continue;
        for (int l = 0; l < SW_LANES; l++) {
            if (finite[l]) continue;
            for (int i = 0; i < n; i++) w->u[(size_t)i * SW_LANES + (size_t)l] = 0.0;
            if (live[l]) sw_host_stop(s, g->run[l], step + 1);
            live[l] = false;
        }
    }
}

static void advance_group(struct sw_stepper *s, struct worker *w, struct group *g, int64_t from, int64_t to)
{
    bool live[SW_LANES], finite[SW_LANES];
    size_t bytes = (size_t)s->desc.n * SW_LANES * sizeof *w->u;
    if (!gather(s, g, w->u, live)) return;
    if (!alone(&s->desc)) make_points(s, w, g);
    for (int64_t step = from, next; step < to; step = next) {
        next = to - step < CHECK ? to : step + CHECK;
        memcpy(w->saved, w->u, bytes);
        steps(s, w, g, step, next);
        if (!finite_lanes(s->desc.n, w->u, finite)) find_bad(s, w, g, step, next, live);
    }
    scatter(s, g, w->u, live);
}

static enum sw_status simd_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct simd *p = s->own;
    struct sw_host_lines *h = &p->lines;
    for (int j = 0; j < s->count; j++)
        if (h->stopped[j] && h->diverged[j] < 0) h->diverged[j] = from;
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, to - from, 0.5))
    for (int k = 0; k < p->groups; k++) advance_group(s, &p->worker[omp_get_thread_num()], &p->group[k], from, to);
    return SW_OK;
}

/* As for cpu.plain a line comes and goes once a call, as long as a group fits into the cache. Operations: the pass, or the
 * two sweeps, what closes the circle (of the first group, for all), and those of G and S. */
static struct sw_cost simd_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct simd *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    double operations = alone(&s->desc) ? 7 : 6;
    if (p->groups > 0) operations += 5.0 * p->group[0].lanes.reach[0].points / s->desc.n;
    if (m->g) operations += 3 + sw_program_size(m->g).point;
    if (m->s) operations += 1 + sw_program_size(m->s).point;
    return (struct sw_cost){16.0 / (double)steps, operations};
}

extern const struct sw_stepper_ops stepper_simd_cpu;
const struct sw_stepper_ops stepper_simd_cpu = {
    .name = "cpu.simd",
    .about = "lines side by side in vector registers, two recursions a step, all steps in the cache; threads over groups",
    .space = SW_HOST,
    .fits = simd_fits,
    .bytes = simd_bytes,
    .create = simd_create,
    .load = simd_load,
    .initial = sw_host_initial,
    .set_state = sw_host_set_state,
    .get_state = sw_host_get_state,
    .advance = simd_advance,
    .capture = sw_host_capture,
    .fetch = sw_host_fetch,
    .diverged = sw_host_diverged,
    .destroy = simd_destroy,
    .cost = simd_cost,
};
