/* Equations in two and three dimensions: the keys of the user's own ones, what is refused of a run before it is computed,
 * and the runs of a batch as what fields_sim.h advances. On a line these problems are those of problem/line/kinds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/fields/fields_problem.h"
#include "problem/fields/fields_sim.h"
#include "problem/grid_keys.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/line_problem.h"
#include "problem/line/stepper/imex.h"
#include "problem/nonfinite.h"
#include "problem/sw_problem.h"

static const struct sw_key keys[] = {
    {.path = "unknowns", .kind = SW_KEY_UNKNOWNS, .fallback = "u",
     .about = "The names of the unknowns, one to four: [\"u\", \"v\"]."},
    {.path = "rhs", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_TERMS | SW_USES_RANDOM, .each = true, .decides = true,
     .about = "The time derivative of the unknown, or a group with one for each: an expression in the coordinates, t, "
              "the unknowns, the parameters and derivatives dx(), dyy(), dxy(), lap(), grad2(), div() of any "
              "expression, up to the fourth order."},
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .each = true, .decides = true,
     .about = "The unknown at time 0, an expression in the coordinates, or a group with one for each; randn(k) and "
              "rand(k) give noise. Or a group that names a file that has it."},
    SW_INITIAL_FILE_KEYS,
    SW_LINE_STEP_KEYS(SW_LINE_STEP_KEY)
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .each = true,
     .decides = true,
     .about = "The exact solution in the coordinates and t, or a group with one for each unknown or for some; the error "
              "norms at the end are taken against it."},
    FIELDS_KEYS("imex2", .unless_set = "time.tolerance"),
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "the unknown"}, {0}};

/* ------------------------------------------------------------------ the texts */

struct model {
    struct fields_terms *terms, *energy;
    struct sw_program   *forced;   /* the right-hand side with the user's forcing; NULL: there is none */
    struct fields_terms  stepped;  /* the terms with it                                               */
};

static const struct fields_terms *terms_of(const struct sw_setup *setup)
{
    const struct model *m = setup->prepared;
    return m ? &m->stepped : NULL;
}

/* Of a kind there is one, which configs do not name. */
static int unknowns_of(const struct sw_setup *setup) { return setup->nunknown ? setup->nunknown : 1; }
static const char *unknown_of(const struct sw_setup *setup, int v) { return setup->nunknown ? setup->unknown[v] : "u"; }

/* Numbers of a run that programs take: the config's, then those of the grid. */
static int parameters(const struct sw_setup *setup) { return setup->ncolumn + FIELDS_NUMBERS; }

static void release(void *prepared)
{
    struct model *m = prepared;
    if (!m) return;
    fields_terms_destroy(&m->terms);
    fields_terms_destroy(&m->energy);
    sw_program_destroy(&m->forced);
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

static enum sw_status read_texts(const struct sw_setup *setup, struct model *m, struct fields_error *fault)
{
    struct fields_text text = {.dimensions = setup->dim, .unknowns = setup->nunknown, .run = setup->scope,
                               .first_number = setup->ncolumn, .order = sw_line_is_fourth(setup) ? 4 : 2};
    for (int v = 0; v < text.unknowns; v++) {
        const struct sw_function *f = sw_setup_find_of(setup, "rhs", v);
        text.unknown[v] = setup->unknown[v];
        text.rhs[v] = f ? f->text : "0";
    }
    return fields_terms_create(&text, &m->terms, fault);
}

static enum sw_status read_kind(const struct sw_problem *problem, const struct sw_setup *setup, struct model *m,
                                struct fields_error *fault)
{
    const struct fields_kind *kind = problem->model;
    struct sw_symbol symbol[SW_LINE_NUMBERS];
    const struct sw_scope numbers = {.symbol = symbol, .count = sw_line_list_keys(problem, setup, symbol)};
    struct fields_text text = {.dimensions = setup->dim, .unknowns = 1, .unknown = {"u"}, .rhs = {kind->rhs},
                               .run = &numbers, .first_number = setup->ncolumn,
                               .order = sw_line_is_fourth(setup) ? 4 : 2};
    SW_TRY(fields_terms_create(&text, &m->terms, fault));
    text.rhs[0] = kind->energy;
    text.order = 2;
    return fields_terms_create(&text, &m->energy, fault);
}

static enum sw_status prepare(const struct sw_problem *problem, const struct sw_setup *setup, void **prepared,
                              int *function, struct sw_expr_error *err)
{
    struct fields_error fault = {0};
    struct model *m;
    *prepared = NULL;
    *function = -1;
    SW_TRY(sw_alloc(1, &m));
    enum sw_status st = problem->model ? read_kind(problem, setup, m, &fault) : read_texts(setup, m, &fault);
    if (st == SW_E_CONFIG && !problem->model && !fault.in_name)
        *function = (int)(sw_setup_find_of(setup, "rhs", fault.unknown) - setup->function);
    if (!st) st = add_forcing(setup, m, &fault.error);
    if (st == SW_E_CONFIG && problem->model) st = SW_FAIL(SW_E_ARG, "%s: %s", problem->name, fault.error.text);
    *err = fault.error;
    if (st) release(m);
    else *prepared = m;
    return st;
}

/* ------------------------------------------------------------------ a batch of runs */

#define STEP_COLUMN(member, ...) int member;

struct runs {                /* of a setup: what makes runs of its columns */
    struct sw_setup setup;
    struct { SW_LINE_STEP_KEYS(STEP_COLUMN) int first_dt; } column;  /* -1: none */
};

/* Of run j; 0: there is no such column. */
static double number_of(const double *column, int k, int count, int j)
{
    return k < 0 ? 0 : column[(size_t)k * (size_t)count + (size_t)j];
}

static enum sw_status fill(void *own, int count, const double *column, struct fields_run *run, double *param)
{
    const struct runs *r = own;
    const size_t given = (size_t)r->setup.ncolumn * (size_t)count;
    double number[FIELDS_NUMBERS];
    memcpy(param, column, given * sizeof *column);
    for (int j = 0; j < count; j++) {
        run[j] = (struct fields_run){.grid = sw_setup_grid(&r->setup, count, column, j)};
        fields_numbers(run[j].grid.dx, number);
        for (int k = 0; k < FIELDS_NUMBERS; k++) param[given + (size_t)k * (size_t)count + (size_t)j] = number[k];
        if (r->column.tolerance < 0) continue;
#define SET(member, ...) run[j].member = number_of(column, r->column.member, count, j);
        SW_LINE_STEP_KEYS(SET)
#undef SET
        run[j].first_dt = number_of(column, r->column.first_dt, count, j);
    }
    return SW_OK;
}

static enum sw_scheme scheme_of(const struct sw_setup *setup)
{
    const char *word = sw_setup_word(setup, "method");
    enum sw_scheme scheme;
    return word && sw_scheme_named(word, &scheme) ? scheme : SW_IMEX2;
}

static struct fields_desc desc_of(const struct sw_setup *setup)
{
    struct fields_desc desc = {.n = {setup->n[0], setup->n[1], setup->n[2]}, .capacity = setup->capacity,
                               .single = setup->single, .own_steps = sw_setup_own_steps(setup), .goals = setup->goals,
                               .times = setup->times, .scheme = scheme_of(setup), .nparam = parameters(setup),
                               .terms = terms_of(setup), .energy = ((const struct model *)setup->prepared)->energy};
    for (int v = 0; v < unknowns_of(setup); v++) {
        const struct sw_function *initial = sw_setup_find_of(setup, "initial", v);
        desc.initial[v] = initial ? initial->program : NULL;
    }
    return desc;
}

enum sw_status fields_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                             struct sw_sim **sim)
{
    const struct fields_desc desc = desc_of(setup);
    struct runs *r = NULL;
    (void)problem;
    *sim = NULL;
    if (setup->single_steps)
        return SW_FAIL(SW_E_CONFIG, "fields are stepped in double precision: set run.precision = \"double\"");
    SW_TRY(sw_alloc(1, &r));
    *r = (struct runs){.setup = *setup};
#define FIND(member, name, ...) r->column.member = sw_setup_column(setup, name);
    SW_LINE_STEP_KEYS(FIND)
#undef FIND
    r->column.first_dt = sw_setup_column(setup, "time.dt");
    return fields_sim_create(&desc, setup->solver, device, &(struct fields_source){fill, sw_free, r}, sim);
}

enum sw_status fields_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                            const struct sw_device *device, struct sw_batch_bytes *bytes)
{
    const struct fields_desc desc = desc_of(setup);
    (void)problem;
    return fields_sim_bytes(&desc, setup->solver, device, &bytes->fixed, &bytes->per_run);
}

/* ------------------------------------------------------------------ runs that cannot be computed, or should not */

static double column_number(const struct sw_setup *setup, const char *name, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, name) * ld + j];
}

/* What stands before a derivative, where it is the same everywhere. @return false: it is not, or there is none */
static bool constant_of(const struct sw_program *program, int64_t ld, const double *param, double *value)
{
    *value = 0;
    return program && sw_program_rate(program) == SW_RATE_RUN && !sw_program_over_runs(program, 1, param, ld, value);
}

static const char *check_finite(const struct sw_setup *setup, int v, const double *param, struct sw_text *why)
{
    static const char axis[] = "xyz";
    const struct fields_row *row = &terms_of(setup)->row[v];
    double a;
    if (constant_of(row->linear.a0, 1, param, &a) && !isfinite(a))
        return sw_refuse(why, "rhs", "the coefficient of %s is not finite", unknown_of(setup, v));
    for (int d = 0; d < terms_of(setup)->dimensions; d++)
        if ((constant_of(row->linear.a2[d], 1, param, &a) && !isfinite(a)) ||
            (constant_of(row->linear.a4[d], 1, param, &a) && !isfinite(a)))
            return sw_refuse(why, "rhs", "a coefficient of derivatives of %s along %c is not finite", unknown_of(setup, v),
                             axis[d]);
    return NULL;
}

/* Short waves along an axis that grow without bound, where the coefficient is the same everywhere. */
static const char *check_growth(const struct sw_setup *setup, int v, const double *param, struct sw_text *why)
{
    static const char axis[] = "xyz";
    const struct fields_row *row = &terms_of(setup)->row[v];
    for (int d = 0; d < terms_of(setup)->dimensions; d++) {
        double a2, a4;
        const bool second = constant_of(row->frozen.a2[d], 1, param, &a2),
                   fourth = constant_of(row->frozen.a4[d], 1, param, &a4);
        if (!(fourth && a4 < 0) && !(!row->frozen.a4[d] && second && a2 < 0)) continue;
        return sw_refuse(why, "rhs", "short waves of %s along %c grow without bound: the sign of its %s derivative makes "
                         "the equation ill-posed", unknown_of(setup, v), axis[d], fourth && a4 < 0 ? "fourth" : "second");
    }
    return NULL;
}

/* Of second derivatives alone: the quadratic form of its coefficients has to damp in all directions. */
static const char *check_cross(const struct sw_setup *setup, int v, const double *param, struct sw_text *why)
{
    static const int pair[SW_DIMS][2] = {{0, 1}, {0, 2}, {1, 2}};
    static const char *const name[SW_DIMS] = {"xy", "xz", "yz"};
    const struct fields_row *row = &terms_of(setup)->row[v];
    for (int k = 0; k < SW_DIMS; k++) {
        const int one = pair[k][0], other = pair[k][1];
        double c, a, b;
        if (row->frozen.a4[one] || row->frozen.a4[other] || !constant_of(row->frozen.cross[k], 1, param, &c)) continue;
        (void)constant_of(row->frozen.a2[one], 1, param, &a);
        (void)constant_of(row->frozen.a2[other], 1, param, &b);
        if (c * c <= 4 * a * b) continue;
        return sw_refuse(why, "rhs", "d%s(%s) has the coefficient %.3g, beyond 2 sqrt(%.3g*%.3g) of d%c%c and d%c%c: short "
                         "waves grow without bound", name[k], unknown_of(setup, v), c, a, b, name[k][0], name[k][0],
                         name[k][1], name[k][1]);
    }
    return NULL;
}

/* Why runs cannot take steps of their own, if they should. */
static const char *check_own_steps(const struct sw_setup *setup, struct sw_text *why)
{
    if (!sw_setup_own_steps(setup)) return NULL;
    if (!fields_method_of(scheme_of(setup))->estimates)
        return sw_refuse(why, "time.tolerance", "it needs a method that estimates its errors, method = \"imex2\" or "
                         "\"imex3\"; or give time.dt alone");
    if (terms_of(setup) && terms_of(setup)->noise)
        return sw_refuse(why, "rhs", "rand and randn are drawn anew at each step: give time.dt, without "
                         "time.tolerance");
    return NULL;
}

const char *fields_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why)
{
    const struct fields_terms *terms = terms_of(setup);
    double *param = NULL, dx[SW_DIMS] = {1, 1, 1};
    static const char *const n[] = {"grid.n", "grid.n.1", "grid.n.2"}, *const length[] = {"grid.length", "grid.length.1",
                                                                                         "grid.length.2"};
    const char *key = check_own_steps(setup, why);
    (void)solver;
    if (!key && setup->single_steps)
        key = sw_refuse(why, "run.precision", "fields are stepped in double precision");
    if (!key) key = sw_initial_validate(setup, false, ld, column, j, why);
    if (key || !terms || sw_alloc((size_t)parameters(setup), &param)) return key;
    for (int k = 0; k < setup->ncolumn; k++) param[k] = column[k * ld + j];
    for (int d = 0; d < terms->dimensions; d++)
        dx[d] = column_number(setup, length[d], ld, column, j) / column_number(setup, n[d], ld, column, j);
    fields_numbers(dx, param + setup->ncolumn);
    for (int v = 0; v < terms->unknowns && !key; v++) {
        key = check_finite(setup, v, param, why);
        if (!key) key = check_growth(setup, v, param, why);
        if (!key) key = check_cross(setup, v, param, why);
    }
    sw_free(param);
    return key;
}

/* ------------------------------------------------------------------ for people */

static void find_orders(const struct sw_problem *problem, const struct sw_setup *setup, int order[2])
{
    (void)problem;
    order[0] = fields_method_of(scheme_of(setup))->order;
    order[1] = sw_line_is_fourth(setup) ? 4 : 2;
}

/* What of an unknown's equation the matrix of a step has. */
static void describe_unknown(const struct sw_setup *setup, int v, struct sw_text *text)
{
    static const char axis[] = "xyz";
    const struct fields_row *row = &terms_of(setup)->row[v];
    char label[40];
    const char *before = "";
    snprintf(label, sizeof label, "%s_t", unknown_of(setup, v));
    sw_text_printf(text, "%-9smatrix    ", label);
    if (row->linear.a0) sw_text_printf(text, " a0 where it damps"), before = ",";
    for (int d = 0; d < terms_of(setup)->dimensions; d++) {
        if (row->frozen.a2[d]) sw_text_printf(text, "%s %c%c", before, axis[d], axis[d]), before = ",";
        if (row->frozen.a4[d]) sw_text_printf(text, "%s %c%c%c%c", before, axis[d], axis[d], axis[d], axis[d]), before = ",";
    }
    sw_text_printf(text, "%s\n", *before ? "" : " 1: all terms are explicit");
}

static enum sw_status describe(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_text *text)
{
    const struct fields_method *m = fields_method_of(scheme_of(setup));
    (void)problem;
    for (int v = 0; v < unknowns_of(setup); v++) describe_unknown(setup, v, text);
    sw_text_printf(text, "method   %s: order %d in time, %d in space; %d right-hand side%s a step, each solved along %d "
                   "axes\n", sw_setup_word(setup, "method"), m->order, sw_line_is_fourth(setup) ? 4 : 2, m->stages,
                   m->stages > 1 ? "s" : "", terms_of(setup)->dimensions);
    return sw_text_status(text);
}

static enum sw_status name_nonfinite(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                     const double *column, int64_t j, const double *span, struct sw_text *text)
{
    static const struct sw_config_text given[] = {{.key = "initial", .once = true}, {.key = "forcing"}, {0}};
    struct sw_setup one = *setup;
    static const char *const n[] = {"grid.n", "grid.n.1", "grid.n.2"};
    (void)problem;
    for (int d = 0; d < SW_DIMS; d++) one.n[d] = (int64_t)column_number(setup, n[d], ld, column, j);
    one.dim = (int)column_number(setup, "grid.dim", ld, column, j);
    return sw_nonfinite_name(&one, ld, column, j, given, span, text);
}

/* ------------------------------------------------------------------ the row */

static const struct sw_run_warning warnings[] = {{.warn = sw_nonfinite_warn}, SW_INITIAL_WARNINGS, {0}};

const struct sw_problem_shape  fields_shape = {.min_points = SW_LINE_POINTS, .max_dim = 3};
const struct sw_problem_texts  fields_texts = {.prepare = prepare, .release = release};
const struct sw_problem_time   fields_times = {.orders = find_orders};
const struct sw_problem_files  fields_files = {.content = sw_initial_content};
const struct sw_problem_advice fields_advice = {
    .describe = describe, .warn_run = warnings, .name_nonfinite = name_nonfinite};

extern const struct sw_problem problem_equation_in_fields;
const struct sw_problem problem_equation_in_fields = {
    .name = "equation",
    .title = "Equations of your own in two and three dimensions",
    .equation = "u_t = any expression in u, its derivatives, x, y, z, t and parameters; up to four unknowns",
    .example = "",
    .keys = keys,
    .fields = fields,
    FIELDS_OPERATIONS,
};
