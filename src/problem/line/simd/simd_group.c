/* Groups of cpu.simd: which run of a batch has which lane of which group; the state of a group, from lines to lanes and
 * back, and whether it is finite; and what G and S are in its steps. */
#include "problem/line/simd/simd_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "fd/fd_simd_copy.h"
#include "problem/line/simd/lanes.h"
#include "problem/line/stepper/ends_point.h"
#include "problem/line/stepper/fourth_order.h"

bool sw_simd_ended(const struct sw_stepper_desc *d) { return sw_line_ended(&d->model); }

bool sw_simd_alone(const struct sw_stepper_desc *d)
{
    const struct sw_line_model *m = &d->model;
    return m->scheme == SW_CRANK_NICOLSON && sw_line_unknowns(m) == 1 && !m->g[0] && !m->explicit_term[0] &&
           !sw_line_has_mass(&m->mass[0]) && !sw_simd_ended(d);
}

/* Stages and unknowns have arrays of their own, each of n points of a group: of four lanes more of them stay in the
 * first-level cache (at n = 256 with AVX2 Kuramoto-Sivashinsky and Gray-Scott by imex2 are a quarter faster than with
 * sixteen); shorter lines have more to do once a step and group. Four lanes would leave
 * vectors of AVX-512 half empty. */
int sw_simd_lanes(const struct sw_stepper_desc *d)
{
    const enum sw_scheme scheme = d->model.scheme;
    const bool staged = d->n >= 256 && (sw_line_unknowns(&d->model) > 1 || scheme == SW_IMEX2 || scheme == SW_IMEX3);
    if (staged && !d->single_steps && sw_lanes_few_fill_a_vector()) return SW_LANES_FEW;
    return sw_lanes_for(d->capacity, d->single_steps);
}

size_t sw_simd_real_size(const struct sw_stepper_desc *d) { return sw_reals_word(d->single_steps); }

/* ------------------------------------------------------------------ lanes */

void sw_simd_clear_lanes(const struct sw_stepper *s, struct sw_simd_group *g)
{
    const struct sw_simd *p = s->own;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        struct sw_lanes_closing *closing = p->closings ? p->closings + (&g->lanes[v] - p->operators) : NULL;
        g->lanes[v] = (struct sw_lanes){.closing = closing};
        if (closing) *closing = (struct sw_lanes_closing){0};
    }
}

void sw_simd_set_lane(const struct sw_stepper *s, struct sw_simd_group *g, int unknown, int lane,
                      const struct sw_lanes_line *line, double dt, double dx)
{
    sw_lanes_set(&g->lanes[unknown], lane, line, dt, dx);
    if (sw_simd_ended(&s->desc)) sw_lanes_set_closing(g->lanes[unknown].closing, lane, line);
}

bool sw_simd_line(const struct sw_stepper *s, const struct sw_line_matrix *matrix, struct sw_lanes_line *line)
{
    const bool value[2] = {matrix->ends[0] == SW_END_VALUE, matrix->ends[1] == SW_END_VALUE};
    const struct sw_line_operator a = sw_line_matrix_of(&matrix->a, &matrix->mass);
    if (!sw_lanes_line(s->desc.n, &a, s->desc.single_steps, line)) return false;
    line->a = matrix->a;
    if (sw_simd_ended(&s->desc)) sw_lanes_close_line(s->desc.n, value, line);
    return true;
}

/* Runs of one matrix, of several unknowns that of the first one, get lanes next to each other: then few groups have
 * more than one decay.
 * @param begin  [systems]: how many runs have the matrices before this one */
static void fill_groups(struct sw_stepper *s, const struct sw_lanes_line *line, const int *system, int *begin)
{
    struct sw_simd *p = s->own;
    const int unknowns = sw_line_unknowns(&s->desc.model);
    int runs = 0;
    for (int k = 0; k < p->rooms; k++) {
        p->group[k].runs = 0;
        sw_simd_clear_lanes(s, &p->group[k]);
    }
    for (int j = 0; j < s->count; j++) {
        const int *of = system + j * unknowns;
        if (of[0] < 0) continue;
        int at = begin[of[0]]++, lane = at % p->lanes;
        struct sw_simd_group *g = &p->group[at / p->lanes];
        for (int v = 0; v < unknowns; v++)
            sw_simd_set_lane(s, g, v, lane, &line[of[v]], s->run[j].dt, s->run[j].dx);
        g->run[lane] = j;
        g->runs++;
        runs++;
    }
    p->groups = runs / p->lanes + (runs % p->lanes != 0);
}

struct ranked { int pace, system; };

static int by_pace(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->pace != y->pace ? (x->pace < y->pace) - (x->pace > y->pace) : x->system - y->system;
}

/* With desc.paces the runs that take most steps come first: lanes next to each other have about as many to take, and
 * the groups that take longest begin first.
 * @param rank  room [systems]  @param begin  out [systems] */
static void count_systems(const struct sw_stepper *s, const int *system, int systems, struct ranked *rank, int *begin)
{
    const int unknowns = sw_line_unknowns(&s->desc.model);
    int before = 0;
    for (int k = 0; k < systems; k++) {
        begin[k] = 0;
        rank[k] = (struct ranked){0, k};
    }
    for (int j = 0; j < s->count; j++) {
        const int k = system[j * unknowns];
        if (k < 0) continue;
        begin[k]++;
        if (s->desc.paces) rank[k].pace = s->run[j].pace;
    }
    if (s->desc.paces) qsort(rank, (size_t)systems, sizeof *rank, by_pace);
    for (int i = 0; i < systems; i++) {
        const int k = rank[i].system, runs = begin[k];
        begin[k] = before;
        before += runs;
    }
}

/* A run one of whose matrices cannot be factored has none. */
static void refuse_runs(const struct sw_stepper *s, const struct sw_lanes_line *line, int *system,
                        const char **load_error)
{
    const int unknowns = sw_line_unknowns(&s->desc.model);
    for (int j = 0; j < s->count; j++) {
        int *of = system + j * unknowns;
        for (int v = 0; v < unknowns && !load_error[j]; v++)
            if (line[of[v]].decay < 0)
                load_error[j] = "the implicit part is not positive definite: the equation is ill-posed";
        if (load_error[j]) of[0] = -1;
    }
}

#define LINE_NS 1000.0  /* what a line's operator takes, mostly for the roots of its symbol */

enum sw_status sw_simd_assign_lanes(struct sw_stepper *s, const char **load_error)
{
    struct sw_line_matrix *matrix = NULL;
    struct sw_lanes_line *line = NULL;
    struct ranked *rank = NULL;
    int *system = NULL, *begin = NULL, systems;
    const int unknowns = sw_line_unknowns(&s->desc.model);
    const size_t lines = (size_t)s->count * (size_t)unknowns;
    enum sw_status st;

    SW_TRY_TO(done, st, sw_alloc(lines, &matrix));
    SW_TRY_TO(done, st, sw_alloc(lines, &line));
    SW_TRY_TO(done, st, sw_alloc(lines, &system));
    SW_TRY_TO(done, st, sw_alloc(lines, &begin));
    SW_TRY_TO(done, st, sw_alloc(lines, &rank));
    systems = sw_line_matrices(s->count, &s->desc.model, s->run, load_error, matrix, system);
#pragma omp parallel for schedule(static) num_threads(sw_host_workers(s, 1, LINE_NS / s->desc.n))
    for (int k = 0; k < systems; k++)
        if (!sw_simd_line(s, &matrix[k], &line[k])) line[k].decay = -1;
    refuse_runs(s, line, system, load_error);
    sw_host_load(s, load_error);
    count_systems(s, system, systems, rank, begin);
    fill_groups(s, line, system, begin);
done:
    sw_free(matrix);
    sw_free(line);
    sw_free(system);
    sw_free(begin);
    sw_free(rank);
    return st;
}

/* ------------------------------------------------------------------ the state of a group */

static size_t line_size(const struct sw_stepper_desc *d)
{
    return ((size_t)d->n + 2 * SW_REACH) * (size_t)sw_simd_lanes(d);
}

size_t sw_simd_state_size(const struct sw_stepper_desc *d)
{
    return line_size(d) * (size_t)sw_line_unknowns(&d->model);
}

/* Of the first point of an unknown. */
static size_t start_of(const struct sw_stepper_desc *d, int unknown)
{
    return line_size(d) * (size_t)unknown + (size_t)SW_REACH * (size_t)sw_simd_lanes(d);
}

void *sw_simd_state(const struct sw_stepper *s, const void *state, int unknown)
{
    return (char *)state + start_of(&s->desc, unknown) * sw_simd_real_size(&s->desc);
}

static void close_circles(const struct sw_stepper *s, void *state)
{
    const size_t line = (size_t)s->desc.n * (size_t)sw_simd_lanes(&s->desc) * sw_simd_real_size(&s->desc);
    const size_t ends = SW_REACH * (size_t)sw_simd_lanes(&s->desc) * sw_simd_real_size(&s->desc);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        char *first = sw_simd_state(s, state, v);
        memcpy(first - ends, first + line - ends, ends);
        memcpy(first + line, first, ends);
    }
}

void sw_simd_close(const struct sw_stepper *s, const struct sw_simd_group *g, const struct sw_simd_ends *ends,
                   void *state)
{
    const struct sw_simd *p = s->own;
    if (!sw_simd_ended(&s->desc)) {
        close_circles(s, state);
        return;
    }
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        for (int side = 0; side < 2; side++) {
            const bool value = s->desc.model.end[side][v].kind == SW_END_VALUE;
            double *end = (double *)sw_simd_state(s, state, v) + (side ? (s->desc.n - 1) * p->lanes : 0);
            for (int k = 1; k <= SW_REACH; k++)
                for (int l = 0; l < p->lanes; l++) {
                    const int out = (side ? k : -k) * p->lanes + l, in = (side ? -k : k) * p->lanes + l;
                    end[out] = sw_end_reflection(value) * end[in] +
                               sw_end_beyond(value, side, k, sw_simd_run(s, g, l)->dx, ends[v].first[side][l],
                                             ends[v].second[side][l]);
                }
        }
}

/* Numbers of a group, [n][lanes], as the steps want them: rounded to float. */
static void to_single(const struct sw_stepper *s, const double *from, float *to)
{
    size_t count = (size_t)s->desc.n * (size_t)sw_simd_lanes(&s->desc);
    for (size_t k = 0; k < count; k++) to[k] = (float)from[k];
}

static void to_double(size_t count, const float *from, double *to)
{
    for (size_t k = 0; k < count; k++) to[k] = from[k];
}

const double *sw_simd_seen(const struct sw_stepper *s, struct sw_simd_worker *w, const void *state)
{
    if (!s->desc.single_steps) return state;
    to_double(sw_simd_state_size(&s->desc), state, w->wide);
    return w->wide;
}

/* The lines of a group's runs, of unknown v: those that are not live keep nothing. */
static struct fd_simd_copy copy_of(const struct sw_stepper *s, const struct sw_simd_group *g, int v, const bool *live)
{
    const int n = s->desc.n, unknowns = sw_line_unknowns(&s->desc.model);
    struct fd_simd_copy c = {.count = g->runs, .lines = sw_simd_lanes(&s->desc), .points = n, .n = n, .stride = 1};
    for (int l = 0; l < g->runs; l++)
        c.segment[l] = (struct fd_segment){.base = ((size_t)g->run[l] * (size_t)unknowns + (size_t)v) * (size_t)n,
                                           .keep = live[l] ? n : 0};
    return c;
}

bool sw_simd_gather(const struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                    bool live[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    bool any = false;
    int n = s->desc.n, lanes = p->lanes;
    for (int l = 0; l < lanes; l++) {
        live[l] = live[l] && l < g->runs && !p->batch.states.stopped[g->run[l]];
        any |= live[l];
    }
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        double *u = (s->desc.single_steps ? w->wide : (double *)w->u) + start_of(&s->desc, v);
        const struct fd_simd_copy c = copy_of(s, g, v, live);
        fd_simd_gather_double(&c, p->batch.states.u, u);
        for (int l = 0; l < g->runs; l++)
            for (int i = 0; !live[l] && i < n; i++) u[i * lanes + l] = 0.0;
        if (s->desc.single_steps) to_single(s, u, sw_simd_state(s, w->u, v));
    }
    return any;
}

void sw_simd_scatter(struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                     const bool live[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    const double *state = sw_simd_seen(s, w, w->u);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const struct fd_simd_copy c = copy_of(s, g, v, live);
        fd_simd_scatter_double(&c, state + start_of(&s->desc, v), false, p->batch.states.u);
    }
}

void sw_simd_scatter_lane(const struct sw_stepper *s, const double *state, int lane, int j)
{
    const size_t n = (size_t)s->desc.n, lanes = (size_t)sw_simd_lanes(&s->desc);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const double *u = state + start_of(&s->desc, v) + lane;
        double *line = sw_host_line(s, j) + (size_t)v * n;
        for (size_t i = 0; i < n; i++) line[i] = u[i * lanes];
    }
}

/* 0 times a number that is not finite is NaN. */
bool sw_simd_finite(const struct sw_stepper *s, struct sw_simd_worker *w, const void *state,
                    const bool live[SW_LANES_MOST], bool finite[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    double sum[SW_LANES_MOST] = {0};
    const double *all_unknowns = sw_simd_seen(s, w, state);
    bool all = true;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const double *u = all_unknowns + start_of(&s->desc, v);
        for (int i = 0; i < s->desc.n; i++, u += p->lanes)
            for (int l = 0; l < p->lanes; l++) sum[l] += 0.0 * u[l];
    }
    for (int l = 0; l < p->lanes; l++) {
        finite[l] = sum[l] == 0.0;
        all &= finite[l] || !live[l];
    }
    return all;
}

/* ------------------------------------------------------------------ G and S
 *
 * Programs, and where both are polynomials in u with values of cells besides, forms. */

/* G has no cells here, and those of S, x among them, stand alone: not times u. */
static bool fits_sweep(struct sw_form *form, int program)
{
    static const double x;  /* only its address is looked at */
    struct sw_form_term term[SW_FORM_TERMS];
    const double *in[SW_INPUTS] = {[SW_IN_X] = &x};
    int cells = 0, terms = sw_form_terms(form, in, term);
    for (int k = 0; k < terms; k++) {
        if (!term[k].cell) continue;
        if (program == SW_SIMD_G || term[k].power) return false;
        cells++;
    }
    return cells <= SW_LANES_CELLS;
}

/* A step of one unknown and one solve has passes with forms. */
static enum sw_status create_forms(const struct sw_line_model *m, struct sw_simd_group *g)
{
    const struct sw_imex *method = sw_imex_of(m->scheme);
    bool all = sw_line_unknowns(m) == 1 && !sw_line_ended(m) && (!method || method->stages == 2);
    for (int k = 0; all && k < SW_SIMD_PROGRAMS; k++) {
        if (!g->eval[k][0]) continue;
        SW_TRY(sw_form_create(g->eval[k][0], &g->form[k]));
        all = g->form[k] && fits_sweep(g->form[k], k);
    }
    for (int k = 0; !all && k < SW_SIMD_PROGRAMS; k++) sw_form_destroy(&g->form[k]);
    return SW_OK;
}

enum sw_status sw_simd_create_programs(const struct sw_stepper_desc *d, struct sw_simd_group *g)
{
    const int points = d->n + (sw_simd_ended(d) ? 2 : 0);  /* G is wanted beyond ends */
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        const struct sw_program *program[SW_SIMD_PROGRAMS] = {
            [SW_SIMD_G] = d->model.g[v], [SW_SIMD_S] = d->model.explicit_term[v]};
        for (int k = 0; k < SW_SIMD_PROGRAMS; k++)
            if (program[k]) SW_TRY(sw_eval_create_lanes(program[k], points, sw_simd_lanes(d), &g->eval[k][v]));
        for (int k = 0; k < 4; k++) {
            const struct sw_line_end *end = &d->model.end[k / 2][v];
            const struct sw_program *condition = k % 2 ? end->second : end->first;
            if (sw_program_is(condition, 0.0)) continue;
            if (condition) SW_TRY(sw_eval_create_lanes(condition, 1, sw_simd_lanes(d), &g->end[k / 2][v][k % 2]));
        }
    }
    return create_forms(&d->model, g);
}

void sw_simd_destroy_programs(struct sw_simd_group *g)
{
    for (int k = 0; k < SW_SIMD_PROGRAMS; k++) {
        sw_form_destroy(&g->form[k]);
        for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_eval_destroy(&g->eval[k][v]);
    }
    for (int k = 0; k < 4 * SW_UNKNOWNS_MOST; k++) sw_eval_destroy(&g->end[k % 2][k / 4][k / 2 % 2]);
}

/* ------------------------------------------------------------------ what lasts */

void sw_simd_points(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g)
{
    const struct sw_simd *p = s->own;
    double x0[SW_LANES_MOST], dx[SW_LANES_MOST], *x = w->x;
    for (int l = 0; l < p->lanes; l++) {
        x0[l] = sw_simd_run(s, g, l)->x0;
        dx[l] = sw_simd_run(s, g, l)->dx;
    }
    for (int i = 0; i < s->desc.n; i++)
        for (int l = 0; l < p->lanes; l++) *x++ = x0[l] + i * dx[l];
}

void sw_simd_begin_batch(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g)
{
    const struct sw_simd *p = s->own;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    if (!w->x) return;  /* no programs */
    for (int k = 0; k < s->desc.model.nparam; k++) {
        const double *param = s->param + (size_t)k * (size_t)s->count;
        for (int l = 0; l < p->lanes; l++) w->param[k * p->lanes + l] = param[sw_simd_run(s, g, l) - s->run];
    }
    sw_simd_points(s, w, g);
    for (int k = 0; k < SW_SIMD_PROGRAMS * SW_UNKNOWNS_MOST; k++) {
        struct sw_eval *eval = g->eval[k / SW_UNKNOWNS_MOST][k % SW_UNKNOWNS_MOST];
        if (!eval) continue;
        sw_eval_run(eval, w->param, p->lanes);
        sw_eval_cells(eval, s->desc.n, in);
    }
    for (int k = 0; k < 4 * SW_UNKNOWNS_MOST; k++)
        if (g->end[k % 2][k / 4][k / 2 % 2]) sw_eval_run(g->end[k % 2][k / 4][k / 2 % 2], w->param, p->lanes);
}

static void times_of(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part,
                     double t[SW_LANES_MOST])
{
    const struct sw_simd *p = s->own;
    for (int l = 0; l < p->lanes; l++)
        t[l] = s->desc.own_steps ? g->t[l] + part * g->dt[l]
                                 : ((double)(step + g->ahead[l]) + part) * sw_simd_run(s, g, l)->dt;
}

void sw_simd_begin_step(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part)
{
    double t[SW_LANES_MOST];
    times_of(s, g, step, part, t);
    for (int k = 0; k < SW_SIMD_PROGRAMS * SW_UNKNOWNS_MOST; k++) {
        struct sw_eval *eval = g->eval[k / SW_UNKNOWNS_MOST][k % SW_UNKNOWNS_MOST];
        if (eval) sw_eval_step_lanes(eval, t, step);
    }
}

void sw_simd_ends_at(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part,
                     struct sw_simd_ends *ends)
{
    const double *in[SW_INPUTS] = {NULL};
    double t[SW_LANES_MOST];
    times_of(s, g, step, part, t);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        for (int k = 0; k < 4; k++) {
            struct sw_eval *eval = g->end[k / 2][v][k % 2];
            double *out = k % 2 ? ends[v].second[k / 2] : ends[v].first[k / 2];
            memset(out, 0, SW_LANES_MOST * sizeof *out);
            if (!eval) continue;
            sw_eval_step_lanes(eval, t, step);
            sw_eval_points(eval, 1, in, out);
        }
}

/* ------------------------------------------------------------------ in a step */

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
static const void *cell_for(const struct sw_stepper *s, struct sw_simd_worker *w, const double *cell)
{
    int k = 0;
    if (!s->desc.single_steps) return cell;
    while (k < w->cells && w->cell_from[k] != cell) k++;
    if (k == w->cells) {
        w->cell_from[w->cells++] = cell;
        to_single(s, cell, w->cell[k]);
    }
    return w->cell[k];
}

/* Of the lanes that there are. */
static void clear_forms(int lanes, struct sw_lanes_forms *forms)
{
    const size_t row = (size_t)lanes * sizeof(double);
    for (int k = 0; k < SW_LANES_POWERS; k++) {
        memset(forms->g[k], 0, row);
        memset(forms->s[k], 0, row);
    }
    for (int k = 0; k < SW_LANES_CELLS; k++) {
        memset(forms->cell_factor[k], 0, row);
        forms->cell[k] = NULL;
    }
    forms->cells = forms->g_degree = 0;
    forms->has_s_in_u = false;
}

void sw_simd_forms(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                   struct sw_lanes_forms *forms)
{
    const struct sw_simd *p = s->own;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    struct sw_form_term term[SW_FORM_TERMS];
    clear_forms(p->lanes, forms);
    if (g->form[SW_SIMD_G]) {
        int count = sw_form_terms(g->form[SW_SIMD_G], in, term);
        add_terms(term, count, g->lanes[0].g_weight, forms->g, p->lanes, forms);
        forms->g_degree = 1;
        for (int k = 0; k < count; k++)
            if (term[k].power > 1) forms->g_degree = SW_LANES_POWERS - 1;
    }
    if (g->form[SW_SIMD_S]) {
        int count = sw_form_terms(g->form[SW_SIMD_S], in, term);
        add_terms(term, count, g->lanes[0].s_weight, forms->s, p->lanes, forms);
        for (int k = 0; k < count; k++) forms->has_s_in_u |= term[k].power > 0;
    }
    for (int k = 0; k < forms->cells; k++) forms->cell[k] = cell_for(s, w, forms->cell[k]);
    for (int k = forms->cells; forms->cells && k < SW_LANES_CELLS; k++) forms->cell[k] = forms->cell[0];
}

static void evaluate(const struct sw_stepper *s, struct sw_simd_worker *w, struct sw_eval *eval,
                     const double *const in[SW_INPUTS], void *out)
{
    double *value = s->desc.single_steps ? w->value : out;
    sw_eval_points(eval, s->desc.n, in, value);
    if (s->desc.single_steps) to_single(s, value, out);
}

/* G of an unknown with a point beyond either end. */
static void evaluate_beyond(const struct sw_stepper *s, int v, struct sw_eval *eval, const double *u, double *out)
{
    const struct sw_simd *p = s->own;
    const double *in[SW_INPUTS] = {NULL};
    in[sw_input_at(v, 0)] = u + (SW_REACH - 1) * p->lanes;
    sw_eval_points(eval, s->desc.n + 2, in, out);
}

void sw_simd_values(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                    const void *state, struct sw_simd_stage *stage, const bool which[2][SW_UNKNOWNS_MOST])
{
    const struct sw_simd *p = s->own;
    const size_t line = sw_simd_state_size(&s->desc) / (size_t)sw_line_unknowns(&s->desc.model);
    const size_t before = (size_t)p->lanes * sw_simd_real_size(&s->desc);  /* of point -1 of G, in bytes */
    const double *seen = sw_simd_seen(s, w, state), *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++)
            in[sw_input_at(v, o)] = seen + (size_t)v * line + (size_t)(SW_REACH + o) * (size_t)p->lanes;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        struct sw_eval *of_g = !which || which[0][v] ? g->eval[SW_SIMD_G][v] : NULL;
        if (stage->sign[v]) stage->g[v] = (char *)sw_simd_state(s, state, v) - before;
        else if (of_g && sw_simd_ended(&s->desc)) evaluate_beyond(s, v, of_g, seen + (size_t)v * line, stage->g[v]);
        else if (of_g) evaluate(s, w, of_g, in, (char *)stage->g[v] + before);
        if (stage->s[v] && (!which || which[1][v])) evaluate(s, w, g->eval[SW_SIMD_S][v], in, stage->s[v]);
    }
}
