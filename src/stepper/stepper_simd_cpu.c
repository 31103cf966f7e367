/* Lines of a batch side by side in vector registers, each step solved by two recursions without stored factors (lanes.h).
 *
 * Parallel over groups of 16 runs, 32 in single precision. A group is gathered from its lines, goes through all steps
 * of a call in the caches of one core, and is scattered back. A step passes once over one array, 128 n bytes, and what
 * the programs keep for each cell; with Crank-Nicolson and a source also over u. Programs that are not polynomials in u
 * are evaluated between two sweeps.
 *
 * Whether a field is finite is looked at now and then only (check_of()), since one that is not never becomes so again: A
 * couples all points. Where a run went wrong in between, the group takes these steps once more, to the same bits, one
 * at a time.
 *
 * In single precision only the steps know float: a group is rounded when it comes from its lines. Expressions are
 * evaluated in double, from the state as it is in float, and rounded. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "stepper/host_lines.h"
#include "stepper/lanes.h"
#include "stepper/line_cpu.h"
#include "stepper/line_point.h"

enum { G, S, PROGRAMS };

struct group {
    struct sw_lanes lanes;
    int             runs, run[SW_LANES_MOST];  /* the run of each lane; lanes from `runs` on have none */
    struct sw_eval *eval[PROGRAMS];
    struct sw_form *form[PROGRAMS];        /* either all of the programs that there are have one, or none has */
};

struct worker {                /* what a thread needs; [n][lanes] each                       */
    void   *u, *next;          /* the state at the last check; after steps from there. Float in single precision, as are */
    void   *s;                 /* S                                                          */
    void   *g;                 /* [n+2]: G                                                   */
    double *x;
    double *param;             /* [nparam][lanes]                                            */
    double *wide;              /* single precision: the state in double                      */
    double *value;             /* single precision: of an expression                         */
    float  *cell[SW_LANES_CELLS];             /* single precision: values of cells of the group at hand, rounded, */
    const double *cell_from[SW_LANES_CELLS];  /* and where they are in double                                     */
    int     cells;
    struct sw_lanes_work lanes;
};

struct simd {
    struct sw_host_lines lines;      /* first: host_lines.h works on it */
    const struct sw_lanes_ops *ops;
    int            lanes;            /* of a group                        */
    int            rooms, groups;    /* there is room for, there are in the batch loaded */
    struct group  *group;
    int            workers;
    struct worker *worker;
};

static bool simd_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    (void)desc;
    return true;
}

static bool alone(const struct sw_stepper_desc *d)  /* no terms but the implicit one, by Crank-Nicolson */
{
    return d->model.scheme == SW_CRANK_NICOLSON && !d->model.g && !d->model.s;
}

/* Steps between two looks at whether fields are finite: 64, and more where nothing can make them grow. */
static int64_t check_of(const struct sw_stepper_desc *d) { return alone(d) ? 1024 : 64; }

static int lanes_of(const struct sw_stepper_desc *d) { return d->single_steps ? SW_LANES_SINGLE : SW_LANES; }

static size_t real_size(const struct sw_stepper_desc *d) { return d->single_steps ? sizeof(float) : sizeof(double); }

static void simd_bytes(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run)
{
    enum { WORKSPACE = 32768 };  /* of a program: its blocks and its form, for a group */
    const struct sw_program *program[PROGRAMS] = {[G] = desc->model.g, [S] = desc->model.s};
    size_t n = (size_t)desc->n, lanes = (size_t)lanes_of(desc), arrays = desc->single_steps ? 9 : 7;
    (void)band;
    sw_host_bytes(desc, fixed, per_run);
    *fixed += (size_t)omp_get_max_threads() * n * arrays * lanes * sizeof(double) + lanes * *per_run;
    *per_run += sizeof(struct group) / lanes;
    for (int k = 0; k < PROGRAMS; k++)
        if (program[k]) *per_run += (size_t)sw_program_size(program[k]).cell * n * sizeof(double) + WORKSPACE / lanes;
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct worker *w)
{
    size_t lanes = (size_t)lanes_of(d), points = (size_t)d->n * lanes, size = real_size(d);
    SW_TRY(sw_alloc_bytes(points, size, &w->u));
    SW_TRY(sw_alloc_bytes(points, size, &w->next));
    SW_TRY(sw_alloc_bytes(points + 2 * SW_LANES_MARGIN * lanes, size, &w->lanes.w));
    SW_TRY(sw_alloc_bytes(points + 2 * lanes, size, &w->lanes.h));
    if (d->single_steps) SW_TRY(sw_alloc(points, &w->wide));
    if (alone(d)) return SW_OK;
    SW_TRY(sw_alloc_bytes(points, size, &w->s));
    SW_TRY(sw_alloc(points, &w->x));
    SW_TRY(sw_alloc((size_t)d->model.nparam * lanes, &w->param));
    if (d->single_steps) SW_TRY(sw_alloc(points, &w->value));
    for (int k = 0; d->single_steps && k < SW_LANES_CELLS; k++) SW_TRY(sw_alloc(points, &w->cell[k]));
    return sw_alloc_bytes(d->model.g ? points + 2 * lanes : 0, size, &w->g);
}

static void destroy_worker(struct worker *w)
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
        if (program[k]) SW_TRY(sw_eval_create_lanes(program[k], d->n, lanes_of(d), &g->eval[k]));
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
    p->ops = sw_lanes_pick(d->single_steps);
    p->lanes = p->ops->lanes;
    SW_TRY(sw_host_create(s, &p->lines));
    p->rooms = d->capacity / p->lanes + (d->capacity % p->lanes != 0);
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
    const struct simd *p = s->own;
    double x0[SW_LANES_MOST], dx[SW_LANES_MOST], *x = w->x;
    for (int l = 0; l < p->lanes; l++) {
        x0[l] = run_of(s, g, l)->x0;
        dx[l] = run_of(s, g, l)->dx;
    }
    for (int i = 0; i < s->desc.n; i++)
        for (int l = 0; l < p->lanes; l++) *x++ = x0[l] + i * dx[l];
}

/* The programs' values that last for the batch. */
static void begin_programs(struct sw_stepper *s, struct worker *w, struct group *g)
{
    const struct simd *p = s->own;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    if (!g->eval[G] && !g->eval[S]) return;
    for (int k = 0; k < s->desc.model.nparam; k++)
        for (int l = 0; l < p->lanes; l++)
            w->param[k * p->lanes + l] = s->param[(size_t)k * (size_t)s->count + (size_t)(run_of(s, g, l) - s->run)];
    make_points(s, w, g);
    for (int k = 0; k < PROGRAMS; k++) {
        if (!g->eval[k]) continue;
        sw_eval_run(g->eval[k], w->param, p->lanes);
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
        int at = begin[system[j]]++, lane = at % p->lanes;
        struct group *g = &p->group[at / p->lanes];
        sw_lanes_set(&g->lanes, lane, &line[system[j]], s->run[j].dt, s->run[j].dx);
        g->run[lane] = j;
        g->runs++;
        runs++;
    }
    p->groups = runs / p->lanes + (runs % p->lanes != 0);
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
        if (!sw_lanes_line(s->desc.n, matrix[k].s4, matrix[k].s2, s->desc.single_steps, &line[k])) line[k].reach = -1;
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

static size_t numbers_of(const struct sw_stepper *s)
{
    const struct simd *p = s->own;
    return (size_t)s->desc.n * (size_t)p->lanes;
}

static void to_single(size_t count, const double *from, float *to)
{
    for (size_t k = 0; k < count; k++) to[k] = (float)from[k];
}

static void to_double(size_t count, const float *from, double *to)
{
    for (size_t k = 0; k < count; k++) to[k] = from[k];
}

/* A state in double precision: itself, or converted. */
static const double *seen(const struct sw_stepper *s, struct worker *w, const void *u)
{
    if (!s->desc.single_steps) return u;
    to_double(numbers_of(s), u, w->wide);
    return w->wide;
}

/* Lanes without a run, or whose run has stopped, hold zeros. @return whether any run goes on */
static bool gather(const struct sw_stepper *s, const struct group *g, struct worker *w, bool live[SW_LANES_MOST])
{
    const struct simd *p = s->own;
    const double *line[SW_LANES_MOST];
    double *u = s->desc.single_steps ? w->wide : w->u;
    bool any = false;
    int n = s->desc.n, lanes = p->lanes;
    for (int l = 0; l < lanes; l++) {
        live[l] = l < g->runs && !p->lines.stopped[g->run[l]];
        any |= live[l];
        line[l] = live[l] ? sw_host_line(s, g->run[l]) : NULL;
    }
    for (int base = 0; base < n; base += BLOCK)
        for (int l = 0; l < lanes; l++)
            for (int i = base; i < n && i < base + BLOCK; i++)
                u[(size_t)i * (size_t)lanes + (size_t)l] = line[l] ? line[l][i] : 0.0;
    if (s->desc.single_steps) to_single(numbers_of(s), u, w->u);
    return any;
}

static void scatter(struct sw_stepper *s, const struct group *g, struct worker *w, const bool live[SW_LANES_MOST])
{
    const struct simd *p = s->own;
    const double *u = seen(s, w, w->u);
    int n = s->desc.n;
    for (int base = 0; base < n; base += BLOCK)
        for (int l = 0; l < g->runs; l++) {
            double *line = sw_host_line(s, g->run[l]);
            for (int i = base; live[l] && i < n && i < base + BLOCK; i++)
                line[i] = u[(size_t)i * (size_t)p->lanes + (size_t)l];
        }
}

/* 0 times a number that is not finite is NaN. @return whether all are finite; finite[l] for each lane */
static bool finite_lanes(const struct sw_stepper *s, struct worker *w, const void *field, bool finite[SW_LANES_MOST])
{
    const struct simd *p = s->own;
    double sum[SW_LANES_MOST] = {0};
    const double *u = seen(s, w, field);
    bool all = true;
    for (int i = 0; i < s->desc.n; i++, u += p->lanes)
        for (int l = 0; l < p->lanes; l++) sum[l] += 0.0 * u[l];
    for (int l = 0; l < p->lanes; l++) all &= finite[l] = sum[l] == 0.0;
    return all;
}

/* ------------------------------------------------------------------ steps */

/* weight times a sum of terms, as a polynomial and, for S, values of the cells. */
static void add_terms(const struct sw_form_term *term, int terms, const double *weight, double poly[][SW_LANES_MOST],
                      int lanes, struct sw_lanes_forms *forms)
{
    for (int k = 0; k < terms; k++) {
        double *out = term[k].cell ? forms->cell_factor[forms->cells] : poly[term[k].power];
        for (int l = 0; l < lanes; l++) out[l] += weight[l] * term[k].factor[l];
        if (term[k].cell) forms->cell[forms->cells++] = term[k].cell;
    }
}

/* Values of cells as the steps want them. They are the same in all steps: those of single precision are kept. */
static const void *cell_for(const struct sw_stepper *s, struct worker *w, const double *cell)
{
    int k = 0;
    if (!s->desc.single_steps) return cell;
    while (k < w->cells && w->cell_from[k] != cell) k++;
    if (k == w->cells) {
        w->cell_from[w->cells++] = cell;
        to_single(numbers_of(s), cell, w->cell[k]);
    }
    return w->cell[k];
}

/* Values of a program at all points, for the steps. */
static void evaluate(const struct sw_stepper *s, struct worker *w, struct sw_eval *eval,
                     const double *const in[SW_INPUTS], void *out)
{
    double *value = s->desc.single_steps ? w->value : out;
    sw_eval_points(eval, s->desc.n, in, value);
    if (s->desc.single_steps) to_single(numbers_of(s), value, out);
}

/* What the programs are in a step, as forms. */
static void begin_forms(const struct sw_stepper *s, struct worker *w, const struct group *g, struct sw_lanes_forms *forms)
{
    const struct simd *p = s->own;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    struct sw_form_term term[SW_FORM_TERMS];
    *forms = (struct sw_lanes_forms){.has_g = g->form[G] != NULL};
    if (g->form[G]) add_terms(term, sw_form_terms(g->form[G], in, term), g->lanes.g_weight, forms->g, p->lanes,
                              forms);
    if (g->form[S]) {
        int count = sw_form_terms(g->form[S], in, term);
        add_terms(term, count, g->lanes.s_weight, forms->s, p->lanes, forms);
        for (int k = 0; k < count; k++) forms->has_s_in_u |= term[k].power > 0;
    }
    for (int k = 0; k < forms->cells; k++) forms->cell[k] = cell_for(s, w, forms->cell[k]);
    for (int k = forms->cells; forms->cells && k < SW_LANES_CELLS; k++) forms->cell[k] = forms->cell[0];
}

static void begin_step(const struct sw_stepper *s, const struct group *g, int64_t step)
{
    const struct simd *p = s->own;
    double theta = s->desc.model.scheme == SW_CRANK_NICOLSON ? 0.5 : 1.0, t[SW_LANES_MOST];
    for (int l = 0; l < p->lanes; l++) t[l] = sw_line_time(theta, step, run_of(s, g, l)->dt);
    for (int k = 0; k < PROGRAMS; k++)
        if (g->eval[k]) sw_eval_step_lanes(g->eval[k], t, step);
}

static struct sw_lanes_terms terms_of(const struct sw_stepper *s)
{
    bool crank_nicolson = s->desc.model.scheme == SW_CRANK_NICOLSON;
    return (struct sw_lanes_terms){.u_weight = crank_nicolson ? 2.0 : 1.0, .u_left = crank_nicolson ? 1.0 : 0.0};
}

/* Steps from .. to-1 of a group, from w->u to w->next: without G and S, */
static void steps_alone(const struct simd *p, int n, struct worker *w, const struct group *g, int64_t from, int64_t to)
{
    p->ops->first(&g->lanes, n, &w->lanes, w->u, NULL, from & 1);
    for (int64_t step = from; step < to; step++)
        p->ops->pass(&g->lanes, n, &w->lanes, w->u, w->next, NULL, step & 1, step + 1 == to);
}

/* with both as forms, */
static void steps_of_forms(const struct sw_stepper *s, struct worker *w, const struct group *g, int64_t from, int64_t to)
{
    const struct simd *p = s->own;
    const void *u = w->u;
    struct sw_lanes_forms forms;
    struct sw_lanes_terms terms = terms_of(s);
    int n = s->desc.n;
    terms.forms = &forms;
    begin_step(s, g, from);
    begin_forms(s, w, g, &forms);
    p->ops->first(&g->lanes, n, &w->lanes, u, &terms, from & 1);
    for (int64_t step = from; step < to; step++, u = w->next) {
        if (step + 1 < to) begin_step(s, g, step + 1);
        if (step + 1 < to) begin_forms(s, w, g, &forms);
        p->ops->pass(&g->lanes, n, &w->lanes, u, w->next, &terms, step & 1, step + 1 == to);
    }
}

/* and with their values at all points. */
static void steps_of_values(const struct sw_stepper *s, struct worker *w, const struct group *g, int64_t from, int64_t to)
{
    const struct simd *p = s->own;
    const void *u = w->u;
    struct sw_lanes_terms terms = terms_of(s);
    int n = s->desc.n;
    terms.g = g->eval[G] ? w->g : NULL;
    terms.s = g->eval[S] ? w->s : NULL;
    for (int64_t step = from; step < to; step++, u = w->next) {
        const double *in[SW_INPUTS] = {[SW_IN_X] = w->x, [SW_IN_U] = seen(s, w, u)};
        begin_step(s, g, step);
        if (g->eval[G]) evaluate(s, w, g->eval[G], in, (char *)w->g + (size_t)p->lanes * real_size(&s->desc));
        if (g->eval[S]) evaluate(s, w, g->eval[S], in, w->s);
        p->ops->first(&g->lanes, n, &w->lanes, u, &terms, step & 1);
        p->ops->pass(&g->lanes, n, &w->lanes, u, w->next, &terms, step & 1, true);
    }
}

/* Backward Euler comes with a G and Crank-Nicolson without; no problem wants a sweep for the other two. */
static bool has_forms(const struct sw_stepper *s, const struct group *g)
{
    if (!g->form[G] == (s->desc.model.scheme == SW_BACKWARD_EULER)) return false;
    return g->form[G] || g->form[S];
}

static void steps(const struct sw_stepper *s, struct worker *w, const struct group *g, int64_t from, int64_t to)
{
    if (alone(&s->desc)) steps_alone(s->own, s->desc.n, w, g, from, to);
    else if (has_forms(s, g)) steps_of_forms(s, w, g, from, to);
    else steps_of_values(s, w, g, from, to);
}

static void take_next(struct worker *w)
{
    void *u = w->u;
    w->u = w->next;
    w->next = u;
}

/* Steps after which some run is not finite, again and one by one. Such runs stop, and their lanes hold zeros from then on. */
static void find_bad(struct sw_stepper *s, struct worker *w, struct group *g, int64_t from, int64_t to,
                     bool live[SW_LANES_MOST])
{
    const struct simd *p = s->own;
    int n = s->desc.n;
    size_t size = real_size(&s->desc);
    bool finite[SW_LANES_MOST];
    for (int64_t step = from; step < to; step++) {
        steps(s, w, g, step, step + 1);
        take_next(w);
        if (finite_lanes(s, w, w->u, finite)) continue;
        for (int l = 0; l < p->lanes; l++) {
            if (finite[l]) continue;
            for (int i = 0; i < n; i++) memset((char *)w->u + ((size_t)i * (size_t)p->lanes + (size_t)l) * size, 0, size);
            if (live[l]) sw_host_stop(s, g->run[l], step + 1);
            live[l] = false;
        }
    }
}

static void advance_group(struct sw_stepper *s, struct worker *w, struct group *g, int64_t from, int64_t to)
{
    bool live[SW_LANES_MOST], finite[SW_LANES_MOST];
    const struct simd *p = s->own;
    int64_t check = check_of(&s->desc);
    if (!gather(s, g, w, live)) return;
    w->cells = 0;
    if (!alone(&s->desc)) make_points(s, w, g);
    p->ops->begin(&g->lanes, s->desc.n, &w->lanes, alone(&s->desc));
    for (int64_t step = from, next; step < to; step = next) {
        next = to - step < check ? to : step + check;
        steps(s, w, g, step, next);
        if (finite_lanes(s, w, w->next, finite)) take_next(w);
        else find_bad(s, w, g, step, next, live);
    }
    scatter(s, g, w, live);
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
    if (p->groups > 0) operations += 4.0 * p->group[0].lanes.points / s->desc.n;
    if (m->g) operations += 3 + sw_program_size(m->g).point;
    if (m->s) operations += 1 + sw_program_size(m->s).point;
    return (struct sw_cost){16.0 / (double)steps, s->desc.single_steps ? operations / 2 : operations};
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
