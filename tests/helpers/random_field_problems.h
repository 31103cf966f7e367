#ifndef RANDOM_FIELD_PROBLEMS_H
#define RANDOM_FIELD_PROBLEMS_H
/* Rows that step fields against the reference, cpu.plain or of exact solves cpu.fourier, over random equations of one
 * to four unknowns in two and three dimensions, sizes that fill no vector and no tile, all methods, steps given and of
 * a run's own, axes periodic and with walls of all kinds. */
#include "field_initial.h"
#include "four_paces.h"
#include "helpers.h"

#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "device/sw_device.h"
#include "device/sw_snapshot.h"
#include "problem/fields/fields_sim.h"

enum { RUNS_MOST = 5, UNKNOWNS = 4, NUMBERS = FIELDS_NUMBERS + 1, STEPS = 12 };

/** Where a row runs. @param threads  of the host, from 1  @return NULL: it cannot here; the test's */
static struct sw_device *device_of(const char *row, int threads);
static const char *const names[UNKNOWNS] = {"u", "v", "f", "g"};

/* An equation and its grid; runs differ in q. */
struct problem {
    int                  axes, unknowns, order;
    int64_t              n[SW_DIMS];
    char                 text[UNKNOWNS][500];
    struct fields_terms *terms, *energy;
    struct sw_program   *initial[2];  /* of even and odd unknowns */
    bool                 walls[SW_DIMS];
    struct fields_wall   wall[SW_UNKNOWNS_MOST][SW_DIMS][2];
    unsigned             closed[SW_DIMS][2];
    enum sw_scheme       scheme;
    double               dx[SW_DIMS], dt, tolerance, first_q;
    const int           *pace;        /* of runs that have four_paces, in a batch or each alone; NULL: none have */
    bool                 together;
};

/* ------------------------------------------------------------------ random equations */

static uint64_t seed = 5;

static inline double uniform(void) { return 0.5 + 0.5 * test_random(&seed); }
static inline int below(int n) { return (int)(uniform() * n) % n; }

static const char *const second_order[] = {
    "+ 0.3*q*lap(u)", "+ 0.05*lap(u^3 - u)", "- u*dx(u)", "+ 0.1*dxy(u)", "+ sin(x + 2*y + t)*u", "+ u - u^3",
    "+ 0.2*grad2(u)", "+ 0.1*dx(w)", "- 0.2*u*w^2", "+ exp(-x^2)*cos(3*y)", "+ 0.2*dxx(u) + (0.1 + 0.1*u^2)*dyy(u)",
    "+ 0.1*dy((1 + u^2)*dy(u))", "+ 0.05*dxxx(u)", "+ 0.3*tanh(u)*q",
    "+ 0.1*dx((1 + x^2)*dx(u)) + 0.1*dy((2 + cos(y))*dy(u + w))"};
static const char *const fourth_order[] = {
    "- 0.02*lap(lap(u))", "- 0.01*q*lap(u + lap(u))", "- dx((0.01 + 0.005*u^2)*dx(lap(u)))", "- 0.01*dyyyy(u)",
    "+ lap(0.1*u^3 - 0.02*lap(u))"};

/* Terms name u, and w for the other unknown. */
static inline void put(char *text, const char *term, int v, int unknowns)
{
    char one[100];
    size_t end = 0;
    for (const char *c = term; *c; c++)
        one[end++] = *c == 'u' ? *names[v] : *c == 'w' ? *names[(v + 1) % unknowns] : *c;
    one[end] = 0;
    strcat(text, one);
}

static inline void write_texts(struct problem *p, bool noise)
{
    for (int v = 0; v < p->unknowns; v++) {
        strcpy(p->text[v], "0.1*q");
        for (int k = 0; k < 4; k++)
            put(p->text[v], second_order[below(sizeof second_order / sizeof *second_order)], v, p->unknowns);
        if (below(2) && p->order == 2)
            put(p->text[v], fourth_order[below(sizeof fourth_order / sizeof *fourth_order)], v, p->unknowns);
        if (noise) put(p->text[v], "+ 0.1*randn(3)", v, p->unknowns);
        if (p->axes > 2) put(p->text[v], below(2) ? "+ 0.1*dzz(u)" : "+ 0.1*cos(z)", v, p->unknowns);
    }
}

static inline bool read_terms(const struct problem *p, const char *const rhs[UNKNOWNS], struct fields_terms **terms)
{
    static const struct sw_symbol q = {"q", SW_RATE_RUN, 0};
    static const struct sw_scope scope = {.symbol = &q, .count = 1, .random = true, .stream = 1};
    struct fields_text text = {.dimensions = p->axes, .unknowns = p->unknowns, .run = &scope, .first_number = 1,
                               .order = p->order};
    struct fields_error err;
    for (int v = 0; v < p->unknowns; v++) text.unknown[v] = names[v], text.rhs[v] = rhs[v];
    memcpy(text.closed, p->closed, sizeof text.closed);
    const enum sw_status st = fields_terms_create(&text, terms, &err);
    if (st && p->order == 2) fail_msg("%s: %s", rhs[0], err.error.text);
    return !st;
}

/* What is given at a wall, in x, y, z, t and q, and its derivative in t. */
static inline void give(const char *text, const struct sw_program **condition, const struct sw_program **rate)
{
    static const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y},
                                              {"z", SW_RATE_CELL, SW_IN_Z}, {"t", SW_RATE_STEP, 0},
                                              {"q", SW_RATE_RUN, 0}};
    const struct sw_scope scope = {.symbol = symbol, .count = 5};
    struct sw_expr *expr, *by_time;
    struct sw_expr_error err;
    struct sw_program *program[2];
    assert_ok(sw_expr_parse(text, &expr, &err));
    assert_ok(sw_expr_derivative(expr, "t", &by_time));
    assert_ok(sw_program_compile(expr, &scope, &program[0], &err));
    assert_ok(sw_program_compile(by_time, &scope, &program[1], &err));
    sw_expr_destroy(&expr);
    sw_expr_destroy(&by_time);
    *condition = program[0], *rate = program[1];
}

/* An axis at least, of which each unknown has something else at each end; closed ends are frequent. */
static inline void add_walls(struct problem *p)
{
    static const char *const texts[] = {
        "0.3", "0.2*cos(x + y + z)", "0.1*q*x - 0.1*z", "0.2*sin(3*t + x - y + z)", "0.1*q*exp(-9*t)*cos(y)",
        "0.1*step(t - 0.065)*cos(z)"};
    const int still = 3, all = sizeof texts / sizeof *texts, most = below(2) ? all : still;
    const int first = below(p->axes), more = below(1 << p->axes);
    for (int k = 0; k < p->axes * p->unknowns * 2; k++) {
        const int axis = k / (2 * p->unknowns), v = k / 2 % p->unknowns, side = k % 2;
        struct fields_wall *w = &p->wall[v][axis][side];
        if (axis != first && !(more >> axis & 1)) continue;
        p->walls[axis] = true;
        w->kind = (enum fields_wall_kind[]){FIELDS_VALUE, FIELDS_SLOPE, FIELDS_SLOPE, FIELDS_CLAMPED}[below(4)];
        for (int c = 0; c < 2; c++)
            if (below(2)) give(texts[below(most)], &w->condition[c], &w->rate[c]);
        if (w->kind == FIELDS_SLOPE && !w->condition[0] && !w->condition[1]) p->closed[axis][side] |= 1u << v;
    }
}

/* An equation that order 4 refuses is drawn again. */
static inline void make_problem(struct problem *p, int axes, int order, bool noise, bool walls)
{
    static const int64_t sizes[] = {5, 7, 9, 17, 33, 40, 96};
    const char *const texts[UNKNOWNS] = {p->text[0], p->text[1], p->text[2], p->text[3]};
    const char *const density[UNKNOWNS] = {"grad2(u)/2 + q*u^4 + cos(y)", "0", "0", "0"};
    *p = (struct problem){.axes = axes, .unknowns = below(3) ? 1 + below(2) : 3 + below(2), .order = order,
                          .n = {1, 1, 1}, .dt = 0.01};
    for (int a = 0; a < axes; a++) {
        p->n[a] = sizes[below(axes > 2 ? 4 : 7)];
        p->dx[a] = 0.3 + 0.2 * uniform();
    }
    p->scheme = (enum sw_scheme[]){SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3}[below(3)];
    if (below(3) == 0 && !noise && p->scheme != SW_BACKWARD_EULER) p->tolerance = 1e-4;
    /* what is given at walls is not what the field has there: short steps, and a thousand of them */
    if (walls && p->tolerance > 0) p->tolerance = sw_points(p->n) * p->unknowns < 1500 ? 1e-2 : 0;
    if (walls) add_walls(p);
    do write_texts(p, noise);
    while (!read_terms(p, texts, &p->terms));
    if (order == 2) read_terms(p, density, &p->energy);
    p->initial[0] = compile_initial("0.3*cos(x) + 0.2*sin(2*y + z) + 0.1*exp(-x^2)");
    p->initial[1] = compile_initial("0.5*sin(x + y)*cos(z)");
    p->first_q = 1 + uniform();
}

static inline void destroy_problem(struct problem *p)
{
    fields_terms_destroy(&p->terms);
    fields_terms_destroy(&p->energy);
    for (int v = 0; v < 2; v++) sw_program_destroy(&p->initial[v]);
    for (int k = 0; k < SW_UNKNOWNS_MOST * SW_DIMS * 4; k++) {
        struct fields_wall *w = &p->wall[k / (SW_DIMS * 4)][k / 4 % SW_DIMS][k / 2 % 2];
        sw_program_destroy((struct sw_program **)&w->condition[k % 2]);
        sw_program_destroy((struct sw_program **)&w->rate[k % 2]);
    }
}

/* Whether conditions at walls depend on time. */
static inline bool moves(const struct problem *p)
{
    for (int k = 0; k < SW_UNKNOWNS_MOST * SW_DIMS * 4; k++) {
        const struct sw_program *c = p->wall[k / (SW_DIMS * 4)][k / 4 % SW_DIMS][k / 2 % 2].condition[k % 2];
        if (c && sw_program_uses(c, "t")) return true;
    }
    return false;
}

/* ------------------------------------------------------------------ runs */

static inline enum sw_status fill(void *own, int count, const double *column, struct fields_run *run, double *param)
{
    const struct problem *p = own;
    double number[FIELDS_NUMBERS];
    fields_numbers(p->dx, number);
    for (int a = 0; a < p->axes; a++)
        if (p->walls[a]) fields_set_mirrors(a, 0, (double)(p->n[a] - 1) * p->dx[a], number);
    for (int j = 0; j < count; j++) {
        param[j] = column[j];
        for (int k = 0; k < FIELDS_NUMBERS; k++) param[(k + 1) * count + j] = number[k];
        run[j] = (struct fields_run){.grid = {.dx = {p->dx[0], p->dx[1], p->dx[2]}, .dt = p->dt},
                                     .tolerance = p->tolerance};
        if (!p->pace) continue;
        run[j].pace = p->pace[j];
        run[j].grid.dt *= 3.0 / (double)paced_steps[p->pace[j]];
    }
    return SW_OK;
}

static inline void keep(void *own) { (void)own; }

static inline size_t size_of(const struct problem *p) { return (size_t)(sw_points(p->n) * p->unknowns); }

static const double times[] = {0, STEPS * 0.01};

static inline struct fields_desc desc_of(const struct problem *p, int count)
{
    struct fields_desc desc = {
        .n = {p->n[0], p->n[1], p->n[2]}, .capacity = count, .own_steps = p->tolerance > 0, .goals = 1, .times = times,
        .scheme = p->scheme, .nparam = NUMBERS, .terms = p->terms, .energy = p->energy};
    for (int v = 0; v < p->unknowns; v++) desc.initial[v] = p->initial[v % 2];
    memcpy(desc.walls, p->walls, sizeof desc.walls);
    memcpy(desc.wall, p->wall, sizeof desc.wall);
    if (p->together) desc.paces = &four_paces;
    return desc;
}

/* Whether a row has room for a run: a block's memory may be too small for it. */
static inline bool has_room(const struct problem *p, const char *name)
{
    const struct fields_desc desc = desc_of(p, 1);
    size_t fixed, each;
    const enum sw_status st = fields_sim_bytes(&desc, name, device_of(name, 1), &fixed, &each);
    if (st && !strstr(sw_err_message(), "shared memory of a block")) assert_ok(st);
    return !st;
}

/* Loaded. */
static inline struct sw_sim *make(struct problem *p, const char *name, int threads, int first, int count)
{
    const struct fields_source source = {fill, keep, p};
    const struct fields_desc desc = desc_of(p, count);
    double column[RUNS_MOST];
    const char *error[RUNS_MOST];
    struct sw_sim *sim;
    for (int j = 0; j < count; j++) column[j] = p->first_q + 0.1 * (first + j);
    assert_ok(fields_sim_create(&desc, name, device_of(name, threads), &source, &sim));
    assert_ok(sim->ops->load(sim, count, column, error));
    for (int j = 0; j < count; j++)
        if (error[j]) fail_msg("%s: %s", p->text[0], error[j]);
    return sim;
}

static inline int64_t end_of(const struct problem *p) { return p->tolerance > 0 ? SW_OWN_STEPS_TICKS : STEPS; }

/* States at the end, and the scalars there, the energy with that of the beginning.
 * @param u  [count][size]  @param scalars  [count][SW_LINE_SCALARS] */
static inline void run(const struct problem *p, const char *name, int threads, int first, int count, double *u,
                double *scalars)
{
    struct problem copy = *p;
    const double *measured;
    const void *field;
    struct sw_sim *sim = make(&copy, name, threads, first, count);
    double energy[RUNS_MOST];
    assert_ok(sw_sim_initial(sim));
    assert_ok(sw_sim_snapshot(sim, 0, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS));
    assert_ok(sim->ops->fetch(sim, 0, &field, &measured));
    for (int j = 0; j < count; j++) energy[j] = measured[j * SW_LINE_SCALARS + SW_ENERGY];
    assert_ok(sim->ops->advance(sim, 0, end_of(p) / 3));
    assert_ok(sim->ops->advance(sim, end_of(p) / 3, end_of(p)));
    assert_ok(sw_sim_get_state(sim, u));
    assert_ok(sw_sim_snapshot(sim, 0, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS));
    assert_ok(sim->ops->fetch(sim, 0, &field, &measured));
    memcpy(scalars, measured, (size_t)count * SW_LINE_SCALARS * sizeof *scalars);
    for (int j = 0; j < count; j++) scalars[j * SW_LINE_SCALARS + SW_ENERGY] += energy[j];
    if (p->tolerance == 0) {
        double change[RUNS_MOST];
        assert_ok(sim->ops->records->get(sim, change));
        for (int j = 0; j < count; j++) scalars[j * SW_LINE_SCALARS + SW_DOMAIN_LENGTH] += change[j];
    }
    sim->ops->destroy(sim);
}

/* A solve rounds as the largest number of its matrix does: s4 below 10 here, 16 s4 1.1e-16 in each of 4 x 12 stages is
 * 1e-12 of u, and nonlinear terms may make ten times as much of it. Own steps choose dt by errors of that accuracy. */
static const double near = 1e-11;

/* What a row may be off by, beside it, that evaluates conditions that move by functions of its own: the sum of weights
 * of the third derivative of what axes before have, 30/dx^3, rounds these, of about 1, and comes into G by the
 * length^3/6. A fifth of it is seen at n = 40, a quarter at 65. */
static inline double of_lifts(const struct problem *p, const char *row)
{
    double sum = 0;
    for (int a = 1; a < p->axes && moves(p) && !strncmp(row, "cuda.", 5); a++)
        if (p->walls[a]) sum += 0x1p-53 * 30 / 6 * pow((double)(p->n[a] - 1), 3);
    return sum;
}

static inline void compare(const struct problem *p, const char *what, double tolerance, size_t n, const double *have,
                           const double *want)
{
    double largest = 1, most = 0;
    size_t first = n, worst = 0, off = 0;
    for (size_t c = 0; c < n; c++)
        if (isfinite(want[c])) largest = fmax(largest, fabs(want[c]));
    for (size_t c = 0; c < n; c++) {
        const double d = isfinite(want[c]) ? fabs(have[c] - want[c]) : isfinite(have[c]) ? INFINITY : 0;
        if (!(d <= most)) most = isnan(d) ? INFINITY : d, worst = c;
        if (d <= tolerance * largest) continue;
        first = first < n ? first : c, off++;
    }
    if (off)
        fail_msg("%s of %s; %s on %lld x %lld x %lld, walls %d %d %d, order %d, scheme %d, tolerance %g: %zu of %zu "
                 "numbers are off, the first at %zu, %.17g, not %.17g, most at %zu, %.17g, not %.17g", what, p->text[0],
                 p->text[1], (long long)p->n[0], (long long)p->n[1], (long long)p->n[2], p->walls[0], p->walls[1],
                 p->walls[2], p->order, (int)p->scheme, p->tolerance, off, n, first, have[first], want[first], worst,
                 have[worst], want[worst]);
}

/* The row on the host that takes the same steps. */
static inline const char *reference_of(const char *row)
{
    return fields_sim_is_exact(NULL, row) ? "cpu.fourier" : "cpu.plain";
}

/* @param row  that is compared with the reference */
static inline void compare_rows(const struct problem *p, const char *row, int threads)
{
    double have_scalars[2 * SW_LINE_SCALARS], want_scalars[2 * SW_LINE_SCALARS];
    const size_t size = size_of(p);
    if (!has_room(p, row)) return;
    double *have = malloc(2 * size * sizeof *have), *want = malloc(2 * size * sizeof *want);
    run(p, reference_of(row), 1, 0, 2, want, want_scalars);
    run(p, row, threads, 0, 2, have, have_scalars);
    compare(p, "state", near + of_lifts(p, row), 2 * size, have, want);
    compare(p, "scalars", near + of_lifts(p, row), 2 * SW_LINE_SCALARS, have_scalars, want_scalars);
    free(have);
    free(want);
}

/* ------------------------------------------------------------------ paces */

/* All that comes out of a run, at each look. */
struct looked { double *u, scalars[LOOKS][SW_LINE_SCALARS], change[LOOKS]; int64_t diverged; };

/* Runs first .. first + count - 1, of the paces that the problem has: of one batch, or one run alone. */
static inline void look_at_paces(struct problem *p, const char *name, int threads, int first, int count,
                                 struct looked *out)
{
    const size_t size = size_of(p);
    const double *measured;
    const void *field;
    double *u = malloc((size_t)count * size * sizeof *u), change[RUNS_MOST];
    int64_t diverged[RUNS_MOST], before = 0;
    struct sw_sim *sim = make(p, name, threads, first, count);
    for (int j = 0; j < count; j++) out[j].u = malloc(LOOKS * size * sizeof *u);
    assert_ok(sw_sim_initial(sim));
    for (int k = 0; k < LOOKS; k++) {
        const int64_t at = p->together ? paced_looks[k] : sw_pace_step(&four_paces, *p->pace, paced_looks[k]);
        assert_ok(sim->ops->advance(sim, before, at));
        before = at;
        assert_ok(sw_sim_get_state(sim, u));
        assert_ok(sw_sim_snapshot(sim, 0, SW_SNAPSHOT_SCALARS));
        assert_ok(sim->ops->fetch(sim, 0, &field, &measured));
        assert_ok(sim->ops->records->get(sim, change));
        for (int j = 0; j < count; j++) {
            memcpy(out[j].u + (size_t)k * size, u + (size_t)j * size, size * sizeof *u);
            memcpy(out[j].scalars[k], measured + j * SW_LINE_SCALARS, sizeof out[j].scalars[k]);
            out[j].change[k] = change[j];
        }
    }
    assert_ok(sim->ops->diverged(sim, diverged));
    for (int j = 0; j < count; j++) out[j].diverged = diverged[j];
    sim->ops->destroy(sim);
    free(u);
}

/* Runs of other dt in one batch have the numbers that they have alone, to the bit. */
static inline void paces_change_nothing(const struct problem *of, const char *name, int threads)
{
    static const int paces[RUNS_MOST] = {3, 0, 2, 0, 1};
    struct problem p = *of;
    struct looked all[RUNS_MOST], alone;
    const size_t size = size_of(&p);
    p.tolerance = 0;
    if (!has_room(&p, name)) return;
    p.pace = paces;
    p.together = true;
    look_at_paces(&p, name, threads, 0, RUNS_MOST, all);
    p.together = false;
    for (int j = 0; j < RUNS_MOST; j++) {
        p.pace = paces + j;
        look_at_paces(&p, name, threads, j, 1, &alone);
        for (size_t c = 0; c < LOOKS * size; c++)
            if (memcmp(&all[j].u[c], &alone.u[c], sizeof *alone.u))
                fail_msg("%s: run %d, look %zu, number %zu: %.17g, alone %.17g", p.text[0], j, c / size, c % size,
                         all[j].u[c], alone.u[c]);
        assert_memory_equal(all[j].scalars, alone.scalars, sizeof alone.scalars);
        assert_memory_equal(all[j].change, alone.change, sizeof alone.change);
        assert_int_equal(all[j].diverged, alone.diverged);
        free(all[j].u);
        free(alone.u);
    }
}
#endif
