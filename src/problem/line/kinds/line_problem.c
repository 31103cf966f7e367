#include "problem/line/kinds/line_problem.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/advice/line_advice.h"
#include "problem/line/kinds/equation_coefficients.h"
#include "base/sw_text.h"
#include "problem/line/kinds/manufactured.h"
#include "problem/nonfinite.h"
#include "problem/line/kinds/line_ends.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/sw_stepper.h"

#define QUANTITY(id, name, unit, long_name, term, value) [id] = {name, unit, long_name},
const struct sw_quantity sw_line_scalars[] = {
    SW_LINE_SCALAR_TABLE(QUANTITY, QUANTITY, QUANTITY, QUANTITY, QUANTITY)
    [SW_LINE_SCALARS] = {0},
};

/* ------------------------------------------------------------------ a batch of runs: their model, and a stepper */

struct lines {               /* of a setup: what makes runs of its columns */
    struct sw_setup setup;
    double         *number;  /* of one run, beside the config's; NULL: there are none */
};

static enum sw_status describe(const struct sw_setup *setup, struct sw_stepper_desc *desc)
{
    if (setup->n[0] > INT_MAX)
        return SW_FAIL(SW_E_ARG, "grid.n = %lld: at most %d points are possible", (long long)setup->n[0], INT_MAX);
    *desc = (struct sw_stepper_desc){
        .n = (int)setup->n[0],
        .capacity = setup->capacity,
        .single = setup->single,
        .single_steps = setup->single_steps,
        .refined = setup->refined,
        .uniform = setup->uniform,
        .own_steps = sw_setup_own_steps(setup),
        .goals = setup->goals,
        .times = setup->times,
        .paces = setup->paces,
        .model = equation_line_model(equation_model_of(setup), setup),
    };
    return SW_OK;
}

static void set_step_numbers(const struct sw_setup *setup, int count, const double *column, struct sw_line_run *run)
{
    SW_LINE_STEP_KEYS(SW_LINE_STEP_SET)
    SW_LINE_STEP_SET(first_dt, "time.dt")
}

static enum sw_status fill(void *own, int count, const double *column, struct sw_line_run *run, double *param)
{
    const struct lines *l = own;
    const struct equation_model *m = equation_model_of(&l->setup);
    const int more = equation_parameters(m) - m->ncolumn;
    const size_t given = (size_t)m->ncolumn * (size_t)count;
    struct equation_values values;
    memcpy(param, column, given * sizeof *column);
    for (int j = 0; j < count; j++) {
        const int at = j % EQUATION_RUNS, left = count - j;
        if (!at)
            SW_TRY(equation_values_of(m, &l->setup, left < EQUATION_RUNS ? left : EQUATION_RUNS, count, column, j,
                                      &values));
        run[j] = equation_run_of(m, &l->setup, count, column, j, &values, at, l->number);
        run[j].pace = sw_setup_pace(&l->setup, count, column, j);
        for (int k = 0; k < more; k++) param[given + (size_t)k * (size_t)count + (size_t)j] = l->number[k];
    }
    if (sw_setup_own_steps(&l->setup)) set_step_numbers(&l->setup, count, column, run);
    return SW_OK;
}

static void destroy(void *own)
{
    struct lines *l = own;
    if (!l) return;
    sw_free(l->number);
    sw_free(l);
}

enum sw_status sw_line_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct sw_stepper_desc desc;
    struct lines *l = NULL;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &l));
    *l = (struct lines){.setup = *setup};
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_line_source source = {fill, destroy, l};
    SW_TRY_TO(failed, st, describe(setup, &desc));
    if (equation_parameters(m) > m->ncolumn)
        SW_TRY_TO(failed, st, sw_alloc((size_t)(equation_parameters(m) - m->ncolumn), &l->number));
    return sw_stepper_create(&desc, setup->solver, device, &source, sim);
failed:
    destroy(l);
    return st;
}

/* ------------------------------------------------------------------ before a batch is made */

enum sw_status sw_line_bytes(const struct sw_setup *setup, const struct sw_device *device, struct sw_batch_bytes *bytes)
{
    struct sw_stepper_desc desc;
    SW_TRY(describe(setup, &desc));
    return sw_stepper_bytes(&desc, setup->solver, device, &bytes->fixed, &bytes->per_run);
}

/* Noise is numbered by steps, which are those of the batch in rows that take it. */
bool sw_line_takes_paces(const struct sw_setup *setup, const struct sw_device *device)
{
    struct sw_stepper_desc desc;
    return !sw_setup_is_noisy(setup) && !describe(setup, &desc) && sw_stepper_takes_paces(&desc, setup->solver, device);
}

/* ------------------------------------------------------------------ numbers that are not finite */

/* The explicit part of Crank-Nicolson is that of half the step. Where u is given at an end, nobody asks what a force
 * is there. */
enum sw_status sw_line_name_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const double *span, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    struct sw_function *function = NULL;
    const bool half = sw_setup_find(setup, "forcing") && sw_line_scheme(setup) == SW_CRANK_NICOLSON;
    struct sw_config_text given[4 + 2 * SW_LINE_CONDITIONS] = {
        {.key = "initial", .once = true},
        {.key = "forcing", .offset = half ? 0.5 : 0,
         .known[0] = {sw_line_end_has_value(setup, 0, 0), sw_line_end_has_value(setup, 1, 0)}},
        {.key = "source"},
    };
    for (int k = 0; k < 2 * SW_LINE_CONDITIONS; k++)
        given[3 + k].key = sw_line_condition_key(k / SW_LINE_CONDITIONS, k % SW_LINE_CONDITIONS);
    if (m) SW_TRY(sw_manufactured_functions(&m->source, &one, &function));
    const enum sw_status st = sw_nonfinite_name(&one, ld, column, j, given, span, text);
    sw_free(function);
    return st;
}

/* Whether the user's forcing is what is not finite at a point of the initial value. */
static bool blames_forcing(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, double x, double u)
{
    const struct sw_program *forcing = sw_setup_function(one, "forcing");
    struct sw_eval *eval = NULL;
    double value = 0;
    if (!forcing || sw_line_begin_program(forcing, ld, column, j, 1, &x, &eval)) return false;
    sw_line_sample(eval, 1, &x, &u, 0, 0, &value);
    sw_eval_destroy(&eval);
    return !isfinite(value);
}

static void describe_infinite(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, const double *u,
                     const struct sw_failure_place *place, struct sw_text *text)
{
    const struct sw_grid grid = sw_setup_grid(one, ld, column, j);
    const struct sw_function *f = sw_setup_find_of(one, "rhs", place->unknown);
    const double at = u[(int64_t)place->unknown * one->n[0] + place->first];
    char shorter[48];
    if (!f && blames_forcing(one, ld, column, j, sw_grid_at(&grid, 0, place->first), at))
        f = sw_setup_find(one, "forcing");
    if (f && one->nunknown > 1) sw_text_set(text, "%s of %s = ", f->key, one->unknown[place->unknown]);
    else sw_text_set(text, f ? "%s = " : "the right-hand side", f ? f->key : "");
    if (f) sw_text_printf(text, "\"%s\"", sw_text_shorten(shorter, sizeof shorter, f->text));
    if (equation_model_of(one)->noise.expr[place->unknown]) sw_text_add(text, ", or its noise,");
    sw_text_add(text, " is not finite at the beginning, at");
    sw_point_print(one, &grid, place->first, text);
    sw_text_printf(text, ", where %s = %.6g", one->nunknown ? one->unknown[place->unknown] : "u", at);
}

/* Name the text of the explicit right-hand side that is not finite of the initial value of a run, and where; "" where
 * all is finite, and for lines of more than SW_NONFINITE_VALUES points.
 * @param desc, run, param  as a stepper would take them, of this run alone: param is [nparam]
 * @param one     the setup of run j of the columns  @return SW_E_MEMORY */
static enum sw_status name_rhs(const struct sw_stepper_desc *desc, const struct sw_line_run *run, const double *param,
                                const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                struct sw_text *text)
{
    struct sw_failure_place place = {0};
    double *u;
    if (desc->n > SW_NONFINITE_VALUES) return SW_OK;
    SW_TRY(sw_alloc((size_t)sw_line_unknowns(&desc->model) * (size_t)desc->n, &u));
    const enum sw_status st = sw_line_initial_values(one, ld, column, j, u);
    if (!st) sw_line_find_first_place(desc, run, param, u, &place);
    if (place.known && place.infinite) describe_infinite(one, ld, column, j, u, &place, text);
    sw_free(u);
    return st == SW_E_MEMORY ? st : SW_OK;  /* a file that cannot be read is refused elsewhere */
}

enum sw_status sw_line_name_first(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    struct sw_stepper_desc desc;
    double *param;
    if (!m || one.n[0] > INT_MAX) return SW_OK;
    SW_TRY(sw_alloc((size_t)equation_parameters(m), &param));
    for (int k = 0; k < m->ncolumn; k++) param[k] = column[k * ld + j];
    const struct sw_line_run run = equation_run(m, &one, ld, column, j, param + m->ncolumn);
    enum sw_status st = describe(&one, &desc);
    if (!st) st = name_rhs(&desc, &run, param, &one, ld, column, j, text);
    sw_free(param);
    return st;
}

/* The steppers; and the band solvers, of which sw_stepper.c says how they are named. */
const char *sw_line_solver(int k)
{
    int steppers = 0;
    while (sw_stepper_row(steppers)) steppers++;
    return k < steppers ? sw_stepper_row(k) : sw_band_row(k - steppers);
}

/* Crank-Nicolson takes what is explicit at the old time, but for forces that do not depend on u. */
static void find_orders(const struct sw_setup *setup, int order[2])
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_imex *method = sw_imex_of(sw_line_scheme(setup));
    const struct sw_program *forcing = sw_setup_function(setup, "forcing");
    const bool first = !m || m->g[0] || m->n[0] || (forcing && sw_program_uses(forcing, "u"));
    order[0] = method ? method->order : first ? 1 : 2;
    order[1] = sw_line_is_fourth(setup) ? 4 : 2;
}

/* ------------------------------------------------------------------ runs that cannot be computed, or should not */

/* A coefficient that is not finite is neither implicit nor explicit. That of u itself may be so: such a run fails
 * alone. */
static const char *check_coefficients(const struct equation_model *model, const struct sw_setup *setup, int v,
                                      int64_t ld, const double *column, int64_t j, struct sw_text *why)
{
    double value[2][SW_EQUATION_ORDERS];
    char d[] = "dxxxx";
    equation_coefficients(model, v, ld, column, j, value[0], value[1]);
    for (int stated = 0; stated < 2; stated++)
        for (int order = !stated; order < SW_EQUATION_ORDERS; order++) {
            if (isfinite(value[stated][order])) continue;
            d[order ? 1 + order : 0] = 0;
            return sw_refuse(why, stated ? "implicit" : "rhs", "the coefficient of %s%s%s%s is %s", d,
                             *d ? "(" : "", setup->unknown[v], *d ? ")" : "",
                             isnan(value[stated][order]) ? "no number" :
                             value[stated][order] > 0 ? "infinite" : "-infinite");
        }
    return NULL;
}

/* What an equation of the user's allows: that of a kind is known to. */
static const char *check_equation(const struct equation_model *m, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, struct sw_text *why)
{
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    for (int v = 0; v < setup->nunknown; v++) {
        const char *key = check_coefficients(m, setup, v, ld, column, j, why);
        if (key) return key;
        const struct sw_growth g = equation_growth_of_run(m, &one, v, ld, column, j);
        if (!g.ill_posed) continue;
        return sw_refuse(why, "rhs", "short waves of %s grow without bound, the shortest, 2 dx long, as exp(%.3g t): "
                         "the sign of its %s derivative makes the equation ill-posed", setup->unknown[v], g.rate,
                         g.order == 4 ? "fourth" : "second");
    }
    return NULL;
}

/* Why runs cannot take steps of their own, if they should. */
static const char *validate_own_steps(const struct sw_setup *setup, struct sw_text *why)
{
    enum sw_scheme scheme = SW_CRANK_NICOLSON;
    const char *word = sw_setup_word(setup, "method");
    const struct sw_imex *method = word && sw_scheme_named(word, &scheme) ? sw_imex_of(scheme) : NULL;
    if (!sw_setup_own_steps(setup)) return NULL;
    if (!method || !method->estimates)
        return sw_refuse(why, "time.tolerance", "it needs a method that estimates its errors, method = \"imex2\" or "
                         "\"imex3\"; or give time.dt alone");
    for (int k = 0; k < setup->nfunction; k++) {
        const struct sw_function *f = &setup->function[k];
        if ((strcmp(f->key, "forcing") && strcmp(f->key, "rhs")) || !sw_expr_is_random(f->expr)) continue;
        return sw_refuse(why, f->key, "rand and randn are drawn anew at each step: give time.dt, without "
                         "time.tolerance");
    }
    return NULL;
}

/* Whether no flux of an unknown goes through ends that there are. */
static bool is_closed(const struct sw_setup *setup, int v)
{
    return !sw_line_has_ends(setup) || (sw_line_end_is_closed(setup, 0, v) && sw_line_end_is_closed(setup, 1, v));
}

const char *sw_line_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                 struct sw_text *why)
{
    const struct equation_model *m = equation_model_of(setup);
    const bool ends = sw_line_has_ends(setup);
    const int order = sw_setup_column(setup, "order");  /* a number of heat, a word of the others */
    (void)solver;
    const char *key = sw_noise_check(setup, is_closed, why);
    if (!key) key = validate_own_steps(setup, why);
    if (!key) key = sw_manufactured_check(setup, why);
    if (!key) key = sw_initial_validate(setup, ends, ld, column, j, why);
    if (!key && ends && order >= 0 && column[(size_t)order * (size_t)ld + (size_t)j] != 2)
        key = sw_refuse(why, "order", "lines that end are of second order in space: set it to 2, or boundary to "
                        "\"periodic\"");
    if (!key && ends) key = sw_line_check_ends(setup, why);
    return key || !m || m->kind ? key : check_equation(m, setup, ld, column, j, why);
}

/* What rounding could change the field by in a step, or that its coefficients are beyond all numbers. */
static void describe_rounding(const struct sw_setup *setup, int v, const struct sw_line_operator *a, double dx,
                              double off, struct sw_text *why)
{
    char much[32];  /* with as many digits as make it more than the limit */
    if (!isfinite(off)) {
        sw_text_set(why, "a step's coefficients are beyond all numbers: s4 = %.3g, s2 = %.3g with dx = %.3g", a->s4,
                    a->s2, dx);
        return;
    }
    for (int digits = 2; digits <= 17; digits++) {
        snprintf(much, sizeof much, "%.*g", digits, off);
        if (strtod(much, NULL) > SW_LINE_MAX_ROUNDING) break;
    }
    /* + 0.0: 0 is printed for -0 */
    sw_text_set(why, "rounding could change %s by %s of itself in a step, more than %g (s4 = %.3g, s2 = %.3g",
                setup->nunknown ? setup->unknown[v] : "the field", much, SW_LINE_MAX_ROUNDING, a->s4 + 0.0,
                a->s2 + 0.0);
    if (a->s3 != 0 || a->s1 != 0) sw_text_printf(why, ", s3 = %.3g, s1 = %.3g", a->s3 + 0.0, a->s1 + 0.0);
    sw_text_add(why, ")");
}

/* The first unknown of a run that rounding would change too much; -1: none. */
static int find_coarse(const struct equation_model *m, const struct sw_setup *at, bool fourth,
                       const struct sw_line_run *run, const char *solver, struct sw_text *why)
{
    for (int v = 0; v < m->equation->unknowns; v++) {
        const struct sw_line_mass mass = equation_mass(m, fourth, v);
        const struct sw_line_operator a = sw_line_matrix_of(&run->a[v], &mass);
        const double off = sw_stepper_rounding(solver, &a, at->single_steps);
        if (off <= SW_LINE_MAX_ROUNDING) continue;
        describe_rounding(at, v, &a, run->dx, off, why);
        return v;
    }
    return -1;
}

static enum sw_status check_precision(const struct sw_setup *setup, const char *const *solver, int count, int ld,
                                      const double *column, int *first, const char **key, struct sw_text *why)
{
    const struct equation_model *m = equation_model_of(setup);
    const double *n = column + (size_t)sw_setup_column(setup, "grid.n") * (size_t)ld;
    struct sw_setup at = *setup;
    struct equation_values values;
    struct sw_text other = SW_SHORT_TEXT;
    *first = -1;
    at.n[1] = at.n[2] = 1;
    at.walls[0] = sw_line_has_ends(setup);
    if (sw_setup_own_steps(setup)) return SW_OK;  /* which are as small as precision needs them */
    for (int j = 0; m && j < count; j++) {
        const int k = j % EQUATION_RUNS, left = count - j;
        if (!k)
            SW_TRY(equation_values_of(m, &at, left < EQUATION_RUNS ? left : EQUATION_RUNS, ld, column, j, &values));
        if (!(n[j] >= 1.0 && n[j] <= 1e9)) continue;  /* refused by its key */
        at.n[0] = (int64_t)n[j];
        const struct sw_line_run run = equation_run_of(m, &at, ld, column, j, &values, k, NULL);
        const int v = find_coarse(m, &at, values.fourth, &run, solver[j], why);
        if (v < 0) continue;
        if (setup->nunknown && check_coefficients(m, setup, v, ld, column, j, &other)) continue;  /* validate_run() */
        *first = j;
        *key = setup->single_steps ? "run.precision" : sw_stepper_takes_band(solver[j]) ? "stepper" : "time.dt";
        return SW_OK;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ for people */

enum sw_status sw_line_describe(const struct sw_setup *setup, struct sw_text *text)
{
    const struct sw_line_kind *kind = setup->problem->model;
    if (!kind) return equation_describe(setup, text);
    SW_TRY(sw_noise_describe(setup, 1, text));
    sw_line_describe_ends(kind, setup, text);
    return SW_OK;
}

static void warn_jump(const struct equation_model *m, const struct sw_setup *setup, struct sw_text *text)
{
    const struct sw_equation_jump *jump = &m->equation->jump[0];
    if (!m->equation->jumps) return;
    sw_text_set(text, "rhs of %s, column %d: the derivative of '%s', %s, is taken as if it were smooth",
                setup->unknown[jump->unknown], jump->column, jump->function,
                jump->kink ? "whose slope jumps" : "which jumps");
}

void sw_line_warn_setup(const struct sw_setup *setup, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_program *forcing = sw_setup_function(setup, "forcing");
    if (m && !m->kind) warn_jump(m, setup, text);
    if (!text->length) sw_manufactured_warn(setup, 1, text);
    if (!m || sw_line_scheme(setup) != SW_CRANK_NICOLSON) return;
    if (m->g[0] || m->n[0])
        sw_text_set(text, "method = \"crank_nicolson\": the explicit terms are of first order in time all the same");
    else if (forcing && sw_program_uses(forcing, "u"))
        sw_text_set(text, "forcing depends on u: first order in time");
}

/* ------------------------------------------------------------------ what all kinds have in common */

const struct sw_problem_texts sw_line_texts = {
    .prepare = equation_prepare, .release = equation_release, .scan_runs = equation_scan_runs,
    .finalize = equation_finalize};
const struct sw_problem_time   sw_line_times = {.orders = find_orders, .check_precision = check_precision,
                                                .takes_paces = sw_line_takes_paces};
const struct sw_problem_files  sw_line_files = {.content = sw_initial_content};

/* Where the beginning is not finite no time step helps. */
static enum sw_status advise(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                             struct sw_text *text)
{
    SW_TRY(sw_line_name_first(setup, ld, column, j, text));
    return text->length ? SW_OK : sw_line_advise_step(setup, ld, column, j, text);
}

const struct sw_problem_advice sw_line_advice = {.warn_run = sw_line_warnings, .advise = advise, SW_LINE_ADVICE};
