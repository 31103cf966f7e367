/* Equations in two and three dimensions: their texts, and the runs of a batch as what fields_sim.h advances. On a line
 * these problems are those of problem/line/kinds. */
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/fields/exact.h"
#include "problem/fields/fields_problem.h"
#include "problem/fields/fields_sim.h"
#include "problem/fields/scalars.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/line_problem.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/kinds/manufactured.h"
#include "problem/sw_problem.h"

/* ------------------------------------------------------------------ the texts */

struct model {
    struct fields_terms *terms, *energy;
    struct sw_program   *rate[SW_UNKNOWNS_MOST][SW_DIMS][2][FIELDS_CONDITION_KEYS];  /* of conditions that have t */
    struct sw_program   *forced;   /* the right-hand side with the user's forcing; NULL: there is none */
    struct fields_terms  stepped;  /* the terms with it                                               */
    struct sw_manufactured source;
    struct sw_noise noise;         /* its numbers of a run follow those of the grid */
};

const struct fields_terms *fields_terms_of(const struct sw_setup *setup)
{
    const struct model *m = setup->prepared;
    return m ? &m->stepped : NULL;
}

const struct sw_manufactured *fields_source_of(const struct sw_setup *setup)
{
    return &((const struct model *)setup->prepared)->source;
}

int fields_parameters(const struct sw_setup *setup)
{
    const struct model *m = setup->prepared;
    return setup->ncolumn + FIELDS_NUMBERS + (m ? m->noise.numbers : 0);
}

/* Of all conditions of an unknown at walls. */
enum { RATES = SW_DIMS * 2 * FIELDS_CONDITION_KEYS };
static struct sw_program **rate_of(struct model *m, int k)
{
    const int c = k % FIELDS_CONDITION_KEYS, side = k / FIELDS_CONDITION_KEYS % 2;
    return &m->rate[k / RATES][k / FIELDS_CONDITION_KEYS / 2 % SW_DIMS][side][c];
}

static void release(void *prepared)
{
    struct model *m = prepared;
    if (!m) return;
    fields_terms_destroy(&m->terms);
    fields_terms_destroy(&m->energy);
    sw_program_destroy(&m->forced);
    sw_manufactured_free(&m->source);
    sw_noise_free(&m->noise);
    for (int k = 0; k < SW_UNKNOWNS_MOST * RATES; k++) sw_program_destroy(rate_of(m, k));
    sw_free(m);
}

/* What the user's forcing sees: the numbers that the config names, the coordinates, the time, and u. */
static enum sw_status compile_forcing(const struct sw_setup *setup, const struct sw_function *forcing,
                                      const struct fields_terms *terms, struct sw_program **program,
                                      struct sw_expr_error *err)
{
    const struct sw_scope *numbers = setup->scope;
    struct sw_symbol *symbol = NULL;
    int u = -1, n = 0;
    for (int q = 0; q < terms->neighbours && u < 0; q++) {
        const int *o = terms->neighbour[q].offset;
        if (!o[0] && !o[1] && !o[2]) u = q;
    }
    SW_TRY(sw_alloc((size_t)numbers->count + 5, &symbol));
    symbol[n++] = (struct sw_symbol){"x", SW_RATE_CELL, SW_IN_X};
    symbol[n++] = (struct sw_symbol){"y", SW_RATE_CELL, SW_IN_Y};
    symbol[n++] = (struct sw_symbol){"z", SW_RATE_CELL, SW_IN_Z};
    symbol[n++] = (struct sw_symbol){"t", SW_RATE_STEP, 0};
    if (u >= 0) symbol[n++] = (struct sw_symbol){"u", SW_RATE_POINT, FIELDS_INPUTS + u};
    for (int k = 0; k < numbers->count; k++) symbol[n++] = numbers->symbol[k];
    const struct sw_scope scope = {.symbol = symbol, .count = n, .random = true, .stream = 1};
    const enum sw_status st = sw_program_compile(forcing->expr, &scope, program, err);
    sw_free(symbol);
    return st;
}

static enum sw_status add_forcing(const struct sw_setup *setup, struct model *m, struct sw_expr_error *err)
{
    const struct sw_function *forcing = sw_setup_find(setup, "forcing");
    struct sw_program *program = NULL;
    m->stepped = *m->terms;
    if (!forcing) return SW_OK;
    enum sw_status st = compile_forcing(setup, forcing, m->terms, &program, err);
    if (!st) st = sw_program_sum(m->terms->row[0].rhs, program, &m->forced);
    sw_program_destroy(&program);
    m->stepped.row[0].rhs = m->forced;
    m->stepped.noise |= sw_expr_is_random(forcing->expr);
    return st;
}

static enum sw_status add_rates(const struct sw_setup *setup, struct model *m, struct sw_expr_error *err)
{
    enum sw_status st = SW_OK;
    for (int k = 0; k < sw_setup_unknowns(setup) * RATES && !st; k++) {
        const int c = k % FIELDS_CONDITION_KEYS, side = k / FIELDS_CONDITION_KEYS % 2,
                  axis = k / FIELDS_CONDITION_KEYS / 2 % SW_DIMS;
        const struct sw_function *f = fields_condition(setup, side, axis, c, k / RATES);
        struct sw_expr *rate = NULL;
        if (!f || !f->program || !sw_program_uses(f->program, "t")) continue;
        st = sw_expr_derivative(f->expr, "t", &rate);
        if (!st) st = sw_setup_compile(setup, rate, rate_of(m, k), err);
        sw_expr_destroy(&rate);
    }
    return st;
}

/* Which walls no flux goes through. */
static void find_closed(const struct sw_setup *setup, struct fields_text *text)
{
    for (int k = 0; k < text->unknowns * text->dimensions * 2; k++) {
        const int v = k / (2 * text->dimensions), axis = k / 2 % text->dimensions, side = k % 2;
        if (fields_wall_is_closed(setup, side, axis, v)) text->closed[axis][side] |= 1U << v;
    }
}

/* Terms of noise, as sources of the texts, and what they know beside what the texts do.
 * @param function  out: as in struct sw_problem_texts
 * @param source    out: [unknowns] free with sw_expr_destroy()  @param symbol  out: of *run; free with sw_free() */
static enum sw_status add_noise(const struct sw_setup *setup, struct model *m, struct fields_text *text,
                                struct sw_expr **source, struct sw_symbol **symbol, struct sw_scope *run,
                                int *function, struct sw_expr_error *err)
{
    const int first = setup->ncolumn + FIELDS_NUMBERS, given = text->run->count;
    bool walls[SW_DIMS];
    enum sw_status st = SW_OK;
    for (int axis = 0; axis < SW_DIMS; axis++) walls[axis] = fields_has_walls(setup, axis);
    SW_TRY(sw_noise_make(setup, setup->dim, walls, first, &m->noise, function, err));
    SW_TRY(sw_alloc((size_t)(given + m->noise.scope.count) + 1, symbol));
    memcpy(*symbol, text->run->symbol, (size_t)given * sizeof **symbol);
    for (int k = 0; k < m->noise.scope.count; k++) (*symbol)[given + k] = m->noise.scope.symbol[k];
    *run = (struct sw_scope){.symbol = *symbol, .count = given + m->noise.scope.count};
    text->run = run;
    for (int v = 0; v < text->unknowns && !st; v++) {
        const struct sw_expr *noise = m->noise.expr[v];
        if (noise && text->source[v]) st = sw_expr_sum(text->source[v], noise, &source[v]);
        if (noise) text->source[v] = source[v] ? source[v] : noise;
    }
    return st;
}

/* @param function  out: as in struct sw_problem_texts */
static enum sw_status create_terms(const struct sw_setup *setup, struct model *m, struct fields_text *text,
                                   struct fields_error *fault, int *function)
{
    struct sw_expr *source[SW_UNKNOWNS_MOST] = {NULL};
    struct sw_symbol *symbol = NULL;
    struct sw_scope run;
    enum sw_status st = add_noise(setup, m, text, source, &symbol, &run, function, &fault->error);
    if (!st) st = fields_terms_create(text, &m->terms, fault);
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_expr_destroy(&source[v]);
    sw_free(symbol);
    return st;
}

/* @param function  out: as in struct sw_problem_texts */
static enum sw_status read_texts(const struct sw_setup *setup, struct model *m, struct fields_error *fault,
                                 int *function)
{
    struct fields_text text = {.dimensions = setup->dim, .unknowns = setup->nunknown, .run = setup->scope,
                               .first_number = setup->ncolumn, .order = sw_line_is_fourth(setup) ? 4 : 2};
    for (int v = 0; v < text.unknowns; v++) {
        const struct sw_function *f = sw_setup_find_of(setup, "rhs", v);
        text.unknown[v] = setup->unknown[v];
        text.rhs[v] = f ? f->text : "0";
    }
    find_closed(setup, &text);
    SW_TRY(sw_manufacture(setup, setup->dim, &m->source, function, &fault->error));
    for (int v = 0; v < text.unknowns; v++) text.source[v] = m->source.expr[v];
    const enum sw_status st = create_terms(setup, m, &text, fault, function);
    if (st == SW_E_CONFIG && !fault->in_name && *function < 0)
        *function = (int)(sw_setup_find_of(setup, "rhs", fault->unknown) - setup->function);
    return st;
}

static enum sw_status read_kind(const struct sw_setup *setup, struct model *m, struct fields_error *fault,
                                int *function)
{
    const struct fields_kind *kind = setup->problem->model;
    struct sw_symbol symbol[SW_LINE_NUMBERS];
    const struct sw_scope numbers = {.symbol = symbol, .count = sw_line_list_keys(setup, symbol)};
    struct fields_text text = {.dimensions = setup->dim, .unknowns = 1, .unknown = {"u"}, .rhs = {kind->rhs},
                               .run = &numbers, .first_number = setup->ncolumn,
                               .order = sw_line_is_fourth(setup) ? 4 : 2};
    SW_TRY(create_terms(setup, m, &text, fault, function));
    text.run = &numbers;
    text.source[0] = NULL;
    text.rhs[0] = kind->energy;
    text.order = 2;
    return fields_terms_create(&text, &m->energy, fault);
}

static enum sw_status prepare(const struct sw_setup *setup, void **prepared, int *function, struct sw_expr_error *err)
{
    struct fields_error fault = {0};
    struct model *m;
    *prepared = NULL;
    *function = -1;
    SW_TRY(sw_alloc(1, &m));
    enum sw_status st = setup->problem->model ? read_kind(setup, m, &fault, function)
                                       : read_texts(setup, m, &fault, function);
    if (!st) st = add_forcing(setup, m, &fault.error);
    if (!st) st = add_rates(setup, m, &fault.error);
    if (st == SW_E_CONFIG && setup->problem->model && *function < 0)
        st = SW_FAIL(SW_E_ARG, "%s: %s", setup->problem->name, fault.error.text);
    *err = fault.error;
    if (st) release(m);
    else *prepared = m;
    return st;
}

/* ------------------------------------------------------------------ a batch of runs */

static void set_step_numbers(const struct sw_setup *setup, int count, const double *column, struct fields_run *run)
{
    SW_LINE_STEP_KEYS(SW_LINE_STEP_SET)
    SW_LINE_STEP_SET(first_dt, "time.dt")
}

static enum sw_status fill(void *own, int count, const double *column, struct fields_run *run, double *param)
{
    const struct sw_setup *setup = own;
    const size_t given = (size_t)setup->ncolumn * (size_t)count;
    const struct model *m = setup->prepared;
    double number[FIELDS_NUMBERS + SW_NOISE_SYMBOLS];
    memcpy(param, column, given * sizeof *column);
    for (int j = 0; j < count; j++) {
        run[j] = (struct fields_run){.grid = sw_setup_grid(setup, count, column, j),
                                     .pace = sw_setup_pace(setup, count, column, j)};
        const struct sw_grid *g = &run[j].grid;
        fields_numbers(g->dx, number);
        for (int a = 0; a < setup->dim; a++)
            if (setup->walls[a]) fields_set_mirrors(a, g->x0[a], sw_grid_at(g, a, setup->n[a] - 1), number);
        if (m->noise.numbers)
            sw_noise_numbers(&m->noise, setup, g, setup->n, setup->walls, count, column, j,
                             number + FIELDS_NUMBERS);
        for (int k = 0; k < FIELDS_NUMBERS + m->noise.numbers; k++)
            param[given + (size_t)k * (size_t)count + (size_t)j] = number[k];
    }
    if (sw_setup_own_steps(setup)) set_step_numbers(setup, count, column, run);
    return SW_OK;
}

enum sw_scheme fields_scheme_of(const struct sw_setup *setup)
{
    const char *word = sw_setup_word(setup, "method");
    enum sw_scheme scheme;
    return word && sw_scheme_named(word, &scheme) ? scheme : SW_IMEX2;
}

static void set_walls(const struct sw_setup *setup, const struct model *m, struct fields_desc *desc)
{
    for (int k = 0; k < SW_DIMS * 2 * sw_setup_unknowns(setup); k++) {
        const int v = k / (SW_DIMS * 2), axis = k / 2 % SW_DIMS, side = k % 2;
        struct fields_wall *wall = &desc->wall[v][axis][side];
        int key[2];
        desc->walls[axis] = setup->walls[axis];
        if (!setup->walls[axis]) continue;
        wall->kind = fields_wall_kind_of(setup, side, axis, v, key);
        for (int c = 0; c < 2; c++) {
            const struct sw_function *f = fields_condition(setup, side, axis, key[c], v);
            wall->condition[c] = f ? f->program : NULL;
            wall->rate[c] = f ? m->rate[v][axis][side][key[c]] : NULL;
        }
    }
}

struct fields_desc fields_desc_of(const struct sw_setup *setup)
{
    const struct model *m = setup->prepared;
    struct fields_desc desc = {.n = {setup->n[0], setup->n[1], setup->n[2]}, .capacity = setup->capacity,
                               .single = setup->single, .own_steps = sw_setup_own_steps(setup), .goals = setup->goals,
                               .times = setup->times, .paces = setup->paces, .scheme = fields_scheme_of(setup),
                               .nparam = fields_parameters(setup), .terms = &m->stepped, .energy = m->energy};
    for (int v = 0; v < sw_setup_unknowns(setup); v++) {
        const struct sw_function *initial = sw_setup_find_of(setup, "initial", v);
        desc.initial[v] = initial ? initial->program : NULL;
    }
    set_walls(setup, m, &desc);
    return desc;
}

bool fields_are_exact(const struct sw_setup *setup)
{
    const struct fields_desc desc = fields_desc_of(setup);
    return fields_sim_is_exact(&desc, setup->solver);
}

enum sw_status fields_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    const struct fields_desc desc = fields_desc_of(setup);
    struct sw_setup *own = NULL;
    *sim = NULL;
    if (setup->single_steps)
        return SW_FAIL(SW_E_CONFIG, "fields are stepped in double precision: set run.precision = \"double\"");
    SW_TRY(sw_alloc(1, &own));
    *own = *setup;
    return fields_sim_create(&desc, setup->solver, device, &(struct fields_source){fill, sw_free, own}, sim);
}

enum sw_status fields_bytes(const struct sw_setup *setup, const struct sw_device *device, struct sw_batch_bytes *bytes)
{
    const struct fields_desc desc = fields_desc_of(setup);
    bytes->fixed_on_host = (size_t)fields_measured_at_once(desc.n, device->threads) *
                           ((size_t)sw_points(desc.n) * sizeof(double) + fields_measure_bytes(desc.n, desc.walls));
    if (device->space == SW_DEVICE && fields_are_exact(setup)) bytes->fixed_on_host += fields_symbols.bytes(&desc);
    return fields_sim_bytes(&desc, setup->solver, device, &bytes->fixed, &bytes->per_run);
}

/* ------------------------------------------------------------------ what all of them have */

static void find_orders(const struct sw_setup *setup, int order[2])
{
    order[0] = fields_method_of(fields_scheme_of(setup))->order;
    order[1] = sw_line_is_fourth(setup) ? 4 : 2;
}

/* As sw_line_takes_paces(). */
static bool takes_paces(const struct sw_setup *setup, const struct sw_device *device)
{
    const struct fields_desc desc = fields_desc_of(setup);
    return !sw_setup_is_noisy(setup) && fields_sim_takes_paces(&desc, setup->solver, device);
}

const struct sw_problem_shape  fields_shape = {.min_points = SW_LINE_POINTS, .max_dim = 3,
                                               .walls = fields_has_walls, .beyond = &fields_beyond};
const struct sw_problem_texts  fields_texts = {.prepare = prepare, .release = release};
const struct sw_problem_time   fields_times = {.orders = find_orders, .takes_paces = takes_paces};
const struct sw_problem_files  fields_files = {.content = sw_initial_content};
