#include "problem/line/kinds/equation_coefficients.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "expr/expr_impl.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/kinds/line_ends.h"

/* ------------------------------------------------------------------ the words of a config */

enum sw_scheme sw_line_scheme(const struct sw_setup *setup)
{
    const struct sw_line_kind *kind = setup->problem->model;
    const char *word = sw_setup_word(setup, "method");
    enum sw_scheme scheme;
    if (word && sw_scheme_named(word, &scheme)) return scheme;
    return kind ? kind->scheme : SW_IMEX2;
}

bool sw_line_is_fourth(const struct sw_setup *setup) { return sw_setup_chosen(setup, "order", "4"); }

const struct sw_renamed_word sw_line_renamed_methods[] = {{"backward_euler", "imex1"}, {0}};

/* ------------------------------------------------------------------ the texts */

static const char *text_of(const struct sw_setup *setup, const char *key, int unknown)
{
    const struct sw_function *f = sw_setup_find_of(setup, key, unknown);
    return f && strcmp(f->text, "auto") ? f->text : NULL;
}

static int place_of(const struct sw_setup *setup, const struct sw_equation_error *err)
{
    static const char *const key[] = {[SW_IN_RHS] = "rhs", [SW_IN_IMPLICIT] = "implicit"};
    if (err->place == SW_IN_UNKNOWNS) return -1;
    const struct sw_function *f = sw_setup_find_of(setup, key[err->place], err->unknown);
    return f ? (int)(f - setup->function) : -1;
}

/* The names that the config gives to numbers of a run. @param name  out: free with sw_free() */
static enum sw_status list_numbers(const struct sw_setup *setup, const char ***name)
{
    SW_TRY(sw_alloc((size_t)setup->scope->count + 1, name));
    for (int k = 0; k < setup->scope->count; k++) (*name)[k] = setup->scope->symbol[k].name;
    return SW_OK;
}

static enum sw_status read_texts(const struct sw_setup *setup, struct equation_model *m, struct sw_equation_error *err)
{
    struct sw_equation_text text = {.unknowns = setup->nunknown, .numbers = setup->scope->count,
                                    .order = sw_line_is_fourth(setup) ? 4 : 2};
    const char **name = NULL;
    for (int v = 0; v < text.unknowns; v++) {
        text.unknown[v] = setup->unknown[v];
        text.rhs[v] = text_of(setup, "rhs", v);
        text.implicit[v] = text_of(setup, "implicit", v);
        for (int side = 0; side < 2; side++)
            if (sw_line_end_is_closed(setup, side, v)) text.closed[side] |= 1U << v;
    }
    SW_TRY(list_numbers(setup, &name));
    text.number = name;
    const enum sw_status st = sw_equation_create(&text, &m->equation, err);
    sw_free(name);
    return st;
}

static void add_key(const struct sw_setup *setup, const char *path, struct sw_symbol *symbol, int *count)
{
    int column = sw_setup_column(setup, path);
    const char *dot = strrchr(path, '.');
    if (column < 0 || *count >= SW_LINE_NUMBERS) return;
    symbol[(*count)++] = (struct sw_symbol){dot ? dot + 1 : path, SW_RATE_RUN, column};
}

int sw_line_list_keys(const struct sw_setup *setup, struct sw_symbol *symbol)
{
    static const char *const common[] = {"grid.n", "grid.length", "grid.x0", "time.dt", "time.end"};
    int count = 0;
    for (int k = 0; k < 5; k++) add_key(setup, common[k], symbol, &count);
    for (const struct sw_key *key = setup->problem->keys; key->path; key++)
        if (key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) add_key(setup, key->path, symbol, &count);
    return count;
}

/* Whatever the order in dx: it may be a word of each run, and only the differences of derivatives in N depend on it, of
 * which a kind has none unless its key `order` is `common`. */
static enum sw_status read_kind(const struct sw_scope *scope, struct equation_model *m, struct sw_equation_error *err)
{
    struct sw_equation_text text = {.unknowns = 1, .unknown = {"u"}, .rhs = {m->kind->rhs}, .numbers = scope->count,
                                    .order = 2, .fixed = true, .fixed_orders = m->kind->implicit};
    const char **name;
    SW_TRY(sw_alloc((size_t)scope->count + 1, &name));
    for (int k = 0; k < scope->count; k++) name[k] = scope->symbol[k].name;
    text.number = name;
    const enum sw_status st = sw_equation_create(&text, &m->equation, err);
    sw_free(name);
    return st;
}

/* ------------------------------------------------------------------ its programs */

/* Symbols of the numbers of a run, then what G and N know besides. @param scope  free its symbols with sw_free() */
static enum sw_status make_scope(const struct sw_scope *numbers, const struct equation_model *m, struct sw_scope *scope)
{
    struct sw_symbol *symbol = NULL;
    SW_TRY(sw_alloc((size_t)numbers->count + SW_EQUATION_SYMBOLS, &symbol));
    memcpy(symbol, numbers->symbol, (size_t)numbers->count * sizeof *symbol);
    *scope = (struct sw_scope){.symbol = symbol, .random = !m->kind, .stream = 1};
    scope->count = sw_equation_symbols(m->equation, m->ncolumn + m->noise.numbers, symbol, numbers->count);
    return SW_OK;
}

static enum sw_status compile(const struct sw_expr *expr, const struct sw_scope *scope, struct sw_program **program,
                              struct sw_expr_error *err)
{
    return expr ? sw_program_compile(expr, scope, program, err) : SW_OK;
}

static enum sw_status compile_linear(struct equation_model *m, int v, int order, const struct sw_scope *scope,
                                     struct sw_expr_error *err)
{
    const struct sw_expr *implicit = sw_equation_implicit(m->equation, v, order);
    SW_TRY(compile(implicit, scope, &m->coefficient[v][order], err));
    SW_TRY(compile(m->equation->row[v].linear[order], scope, &m->linear[v][order], err));
    const bool taken = implicit && (m->equation->row[v].states ||
                                    m->equation->row[v].taken[order] != SW_TAKEN_EXPLICITLY);
    if (taken && order != 2 && order != 4) m->orders |= 1U << order;
    return SW_OK;
}

/* N = N + source */
static enum sw_status add_source(const struct sw_expr *source, struct sw_expr **n)
{
    struct sw_expr *sum = NULL;
    if (!source) return SW_OK;
    if (!*n) return tree_part(source, source->root, n);
    SW_TRY(sw_expr_sum(*n, source, &sum));
    sw_expr_destroy(n);
    *n = sum;
    return SW_OK;
}

/* G and N. @param taken  as in sw_equation_split() */
static enum sw_status compile_explicit(struct equation_model *m, const enum sw_taken (*taken)[SW_EQUATION_ORDERS],
                                       const struct sw_scope *scope, struct sw_equation_error *err)
{
    struct sw_equation_parts parts = {0};
    enum sw_status st = sw_equation_split(m->equation, taken, &parts, err);
    m->numbered = parts.numbered;
    for (int v = 0; v < m->equation->unknowns && !st; v++) {
        *err = (struct sw_equation_error){.place = SW_IN_RHS, .unknown = v};
        sw_program_destroy(&m->g[v]);
        sw_program_destroy(&m->n[v]);
        st = compile(parts.g[v], scope, &m->g[v], &err->error);
        if (!st) st = add_source(m->source.expr[v], &parts.n[v]);
        if (!st) st = compile(parts.n[v], scope, &m->n[v], &err->error);
    }
    sw_equation_free_parts(&parts);
    return st;
}

static enum sw_status compile_programs(struct equation_model *m, const struct sw_scope *scope,
                                       struct sw_equation_error *err)
{
    for (int v = 0; v < m->equation->unknowns; v++) {
        *err = (struct sw_equation_error){.place = SW_IN_RHS, .unknown = v};
        for (int k = 0; k < SW_EQUATION_ORDERS; k++) SW_TRY(compile_linear(m, v, k, scope, &err->error));
    }
    return compile_explicit(m, NULL, scope, err);
}

/* What is explicit but G, with the terms of noise. */
static enum sw_status add_noise(struct equation_model *m, const struct sw_setup *setup, struct sw_expr_error *err)
{
    const struct sw_program *forcing = sw_setup_function(setup, "forcing");
    struct sw_scope scope = {0};
    enum sw_status st = m->noise.numbers ? make_scope(&m->noise.scope, m, &scope) : SW_OK;
    scope.random = true;
    for (int v = 0; v < m->equation->unknowns && m->noise.numbers && !st; v++) {
        const struct sw_program *rest = m->forced ? m->forced : m->n[v] ? m->n[v] : forcing;
        struct sw_program *noise = NULL;
        sw_program_destroy(&m->stepped[v]);
        if (!m->noise.expr[v]) continue;
        st = compile(m->noise.expr[v], &scope, rest ? &noise : &m->stepped[v], err);
        if (!st && rest) st = sw_program_sum(rest, noise, &m->stepped[v]);
        sw_program_destroy(&noise);
    }
    sw_free((struct sw_symbol *)scope.symbol);
    return st;
}

/* Compile a text of a kind. @param text  NULL: no program  @param field  whether it also sees x, u, ux and uxx */
static enum sw_status compile_text(const char *text, const struct sw_scope *numbers, bool field,
                                    struct sw_program **program, struct sw_expr_error *err)
{
    static const struct sw_symbol of_field[] = {{"x", SW_RATE_CELL, SW_IN_X},
                                                {"u", SW_RATE_POINT, SW_IN_U},
                                                {"ux", SW_RATE_POINT, SW_IN_UX},
                                                {"uxx", SW_RATE_POINT, SW_IN_UXX}};
    struct sw_symbol symbol[SW_LINE_NUMBERS + sizeof of_field / sizeof *of_field];
    struct sw_scope scope = {.symbol = symbol, .count = numbers->count};
    struct sw_expr *expr = NULL;
    if (!text) return SW_OK;
    memcpy(symbol, numbers->symbol, (size_t)numbers->count * sizeof *symbol);
    for (size_t k = 0; field && k < sizeof of_field / sizeof *of_field; k++) symbol[scope.count++] = of_field[k];
    enum sw_status st = sw_expr_parse(text, &expr, err);
    if (!st) st = sw_program_compile(expr, &scope, program, err);
    sw_expr_destroy(&expr);
    return st;
}

/* What a kind has beside its equation. */
static enum sw_status compile_kind(const struct sw_setup *setup, const struct sw_scope *numbers,
                                   struct equation_model *m, struct sw_expr_error *err)
{
    const struct sw_line_kind *kind = m->kind;
    const struct sw_program *forcing = sw_setup_function(setup, "forcing");
    SW_TRY(compile_text(kind->energy, numbers, true, &m->energy, err));
    SW_TRY(compile_text(kind->width ? kind->width : kind->wavelength, numbers, false, &m->size, err));
    return forcing && m->n[0] ? sw_program_sum(m->n[0], forcing, &m->forced) : SW_OK;
}

enum sw_status equation_prepare(const struct sw_setup *setup, void **prepared, int *function, struct sw_expr_error *err)
{
    struct sw_equation_error fault = {0};
    int unmade = -1;
    struct sw_symbol symbol[SW_LINE_NUMBERS];
    struct sw_scope scope = {0}, numbers = *setup->scope;
    struct equation_model *m = NULL;
    *prepared = NULL;
    SW_TRY(sw_alloc(1, &m));
    m->kind = setup->problem->model;
    m->ncolumn = setup->ncolumn;
    if (m->kind) numbers = (struct sw_scope){.symbol = symbol, .count = sw_line_list_keys(setup, symbol)};
    enum sw_status st = m->kind ? read_kind(&numbers, m, &fault) : read_texts(setup, m, &fault);
    if (!st) st = sw_manufacture(setup, 1, &m->source, &unmade, &fault.error);
    if (!st)
        st = sw_noise_make(setup, 1, &(const bool){sw_line_has_ends(setup)}, m->ncolumn, &m->noise, &unmade,
                           &fault.error);
    if (!st) st = make_scope(&numbers, m, &scope);
    if (!st) st = compile_programs(m, &scope, &fault);
    if (!st && m->kind) st = compile_kind(setup, &numbers, m, &fault.error);
    if (!st) st = add_noise(m, setup, &fault.error);
    sw_free((struct sw_symbol *)scope.symbol);
    if (st == SW_E_CONFIG && m->kind && unmade < 0)
        st = SW_FAIL(SW_E_ARG, "%s: %s", setup->problem->name, fault.error.text);
    *err = fault.error;
    *function = unmade >= 0 ? unmade : st == SW_E_CONFIG ? place_of(setup, &fault) : -1;
    if (!st) *prepared = m;
    else equation_release(m);
    return st;
}

/* A coefficient of 0 counts as implicit: it adds nothing there. */
void equation_scan_runs(const struct sw_setup *setup, void *prepared, int count, int64_t ld, const double *column)
{
    struct equation_model *m = prepared;
    struct equation_values values;
    for (int first = 0; first < count && !m->kind; first += EQUATION_RUNS) {
        const int block = count - first < EQUATION_RUNS ? count - first : EQUATION_RUNS;
        (void)equation_values_of(m, setup, block, ld, column, first, &values);  /* NaN is explicit */
        for (int v = 0; v < m->equation->unknowns; v++)
            for (int k = 0; k < SW_EQUATION_ORDERS; k++) {
                unsigned seen = 0;
                for (int j = 0; j < block && m->coefficient[v][k]; j++) {
                    const double a = values.value[v][k][j];
                    seen |= 1U << (a == 0.0 ? SW_TAKEN_IMPLICITLY : sw_equation_take(m->equation, v, k, a));
                }
#pragma omp atomic
                m->seen[v][k] |= seen;
            }
    }
}

/* How all runs take a term; BY_RUN where some do and some do not, or none has been looked at. */
static void taken_by_runs(const struct equation_model *m, enum sw_taken taken[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS])
{
    for (int v = 0; v < m->equation->unknowns; v++)
        for (int k = 0; k < SW_EQUATION_ORDERS; k++) {
            const unsigned seen = m->seen[v][k];
            taken[v][k] = seen == 1U << SW_TAKEN_IMPLICITLY ? SW_TAKEN_IMPLICITLY :
                          seen == 1U << SW_TAKEN_EXPLICITLY ? SW_TAKEN_EXPLICITLY : SW_TAKEN_BY_RUN;
        }
}

enum sw_status equation_finalize(const struct sw_setup *setup, void *prepared)
{
    struct equation_model *m = prepared;
    struct sw_scope scope;
    struct sw_equation_error err;
    enum sw_taken taken[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];
    if (m->kind) return SW_OK;  /* nothing depends on the runs */
    taken_by_runs(m, taken);
    SW_TRY(make_scope(setup->scope, m, &scope));
    enum sw_status st = compile_explicit(m, (const enum sw_taken (*)[SW_EQUATION_ORDERS])taken, &scope, &err);
    sw_free((struct sw_symbol *)scope.symbol);
    if (!st) st = add_noise(m, setup, &err.error);
    return st == SW_E_CONFIG ? SW_FAIL(st, "rhs: %s", err.error.text) : st;
}

void equation_release(void *prepared)
{
    struct equation_model *m = prepared;
    if (!m) return;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_program_destroy(&m->g[v]);
        sw_program_destroy(&m->n[v]);
        sw_program_destroy(&m->stepped[v]);
        for (int k = 0; k < SW_EQUATION_ORDERS; k++) {
            sw_program_destroy(&m->coefficient[v][k]);
            sw_program_destroy(&m->linear[v][k]);
        }
    }
    sw_manufactured_free(&m->source);
    sw_noise_free(&m->noise);
    sw_program_destroy(&m->forced);
    sw_program_destroy(&m->energy);
    sw_program_destroy(&m->size);
    sw_equation_destroy(&m->equation);
    sw_free(m);
}

int equation_parameters(const struct equation_model *m)
{
    return m->ncolumn + m->noise.numbers + (m->numbered ? sw_equation_numbers(m->equation) : 0);
}

struct sw_line_mass equation_mass(const struct equation_model *m, bool fourth, int v)
{
    if (!fourth) return (struct sw_line_mass){0};
    return sw_line_mass_for(sw_equation_implicit(m->equation, v, 3), sw_equation_implicit(m->equation, v, 4));
}

struct sw_line_model equation_line_model(const struct equation_model *m, const struct sw_setup *setup)
{
    const struct sw_program *forcing = sw_setup_function(setup, "forcing");
    const bool fourth = sw_line_is_fourth(setup);
    struct sw_line_model line = {.scheme = sw_line_scheme(setup), .nparam = equation_parameters(m),
                                 .unknowns = m->equation->unknowns, .orders = m->orders, .energy = m->energy};
    for (int v = 0; v < m->equation->unknowns; v++) {
        const struct sw_function *initial = sw_setup_find_of(setup, "initial", v);
        line.initial[v] = initial ? initial->program : NULL;
        line.g[v] = m->g[v];
        line.explicit_term[v] = m->stepped[v] ? m->stepped[v] : m->forced ? m->forced : m->n[v] ? m->n[v] : forcing;
        line.mass[v] = equation_mass(m, fourth, v);
        for (int side = 0; side < 2; side++) line.end[side][v] = sw_line_end_of(setup, side, v);
    }
    return line;
}

/* ------------------------------------------------------------------ the numbers of a run */

/* The values of programs of numbers of a run; 0 where there is none. */
static void values_of_run(struct sw_program *const program[SW_EQUATION_ORDERS], int64_t ld, const double *column,
                          int64_t j, double value[SW_EQUATION_ORDERS])
{
    for (int k = 0; k < SW_EQUATION_ORDERS; k++) {
        value[k] = 0;
        if (program[k] && sw_program_over_runs(program[k], 1, column + j, ld, &value[k])) value[k] = NAN;
    }
}

/* What kernels solve with, A - P: of -gamma D u_xxxx of Cahn-Hilliard s4 = weight dt gamma D/dx⁴, weight being theta of
 * Crank-Nicolson and the gamma of other methods (docs/explanation/line_methods.md). */
static struct sw_line_operator implicit_coefficients(const struct equation_model *m,
                                                     const struct equation_values *values, int v,
                                                     const double a[SW_EQUATION_ORDERS], double dt, double dx)
{
    const double weight = values->weight, dx2 = dx * dx;
    double taken[SW_EQUATION_ORDERS];
    for (int k = 0; k < SW_EQUATION_ORDERS; k++)
        taken[k] = sw_equation_take(m->equation, v, k, a[k]) == SW_TAKEN_IMPLICITLY ? a[k] : 0.0;
    const struct sw_line_operator second = {.s4 = -(weight * dt * taken[4] / (dx2 * dx2)),
                                            .s2 = weight * dt * taken[2] / dx2,
                                            .s0 = -(weight * dt * taken[0]),
                                            .s1 = -(weight * dt * taken[1] / dx),
                                            .s3 = -(weight * dt * taken[3] / (dx2 * dx))};
    const struct sw_line_mass mass = equation_mass(m, values->fourth, v);
    return values->fourth ? sw_line_fourth_order(&second, &mass) : second;
}

enum sw_status equation_values_of(const struct equation_model *m, const struct sw_setup *setup, int count,
                                  int64_t ld, const double *column, int64_t j, struct equation_values *values)
{
    enum sw_status st = SW_OK;
    values->weight = sw_scheme_weight(sw_line_scheme(setup));
    values->fourth = sw_line_is_fourth(setup);
    values->ends = sw_line_has_ends(setup);
    for (int v = 0; v < m->equation->unknowns; v++)
        for (int k = 0; k < SW_EQUATION_ORDERS; k++) {
            const struct sw_program *program = m->coefficient[v][k];
            double *const value = values->value[v][k];
            if (program && !st) st = sw_program_over_runs(program, count, column + j, ld, value);
            for (int run = 0; run < count && (!program || st); run++) value[run] = program ? NAN : 0;
        }
    return st;
}

struct sw_line_run equation_run_of(const struct equation_model *m, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, const struct equation_values *values, int at,
                                   double *number)
{
    const struct sw_grid g = sw_setup_grid(setup, ld, column, j);
    struct sw_line_run run = {.dt = g.dt, .dx = g.dx[0], .x0 = g.x0[0]};
    double a[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS] = {{0}};
    for (int v = 0; v < m->equation->unknowns; v++) {
        for (int k = 0; k < SW_EQUATION_ORDERS; k++) a[v][k] = values->value[v][k][at];
        run.a[v] = implicit_coefficients(m, values, v, a[v], g.dt, g.dx[0]);
    }
    const double end[2] = {g.x0[0], g.x0[0] + (double)(setup->n[0] - 1) * g.dx[0]};
    if (number && m->noise.numbers)
        sw_noise_numbers(&m->noise, setup, &g, setup->n, (const bool[SW_DIMS]){values->ends}, ld, column, j, number);
    if (number && m->numbered)
        sw_equation_number_values(m->equation, (const double (*)[SW_EQUATION_ORDERS])a, g.dx[0],
                                  values->ends ? end : NULL, number + m->noise.numbers);
    return run;
}

struct sw_line_run equation_run(const struct equation_model *m, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, double *number)
{
    struct equation_values values;
    (void)equation_values_of(m, setup, 1, ld, column, j, &values);
    return equation_run_of(m, setup, ld, column, j, &values, 0, number);
}

void equation_coefficients(const struct equation_model *m, int unknown, int64_t ld, const double *column, int64_t j,
                           double linear[SW_EQUATION_ORDERS], double stated[SW_EQUATION_ORDERS])
{
    values_of_run(m->linear[unknown], ld, column, j, linear);
    for (int k = 0; k < SW_EQUATION_ORDERS; k++) stated[k] = 0;
    if (m->equation->row[unknown].states) values_of_run(m->coefficient[unknown], ld, column, j, stated);
}

struct sw_growth equation_growth_of_run(const struct equation_model *m, const struct sw_setup *setup, int unknown,
                                        int64_t ld, const double *column, int64_t j)
{
    double linear[SW_EQUATION_ORDERS];
    values_of_run(m->linear[unknown], ld, column, j, linear);
    return sw_equation_growth(m->equation, unknown, linear, sw_setup_grid(setup, ld, column, j).dx[0]);
}

/* ------------------------------------------------------------------ for people */

static void add_part(struct sw_text *text, const char *label, const char *how, const struct sw_text *part)
{
    if (*sw_text_get(part)) sw_text_printf(text, "%-9s%-11s %s\n", label, how, sw_text_get(part));
}

static enum sw_status describe_unknown(const struct equation_model *m, const struct sw_setup *setup, int v,
                                       const enum sw_taken (*taken)[SW_EQUATION_ORDERS], struct sw_text *text)
{
    struct sw_text part[3] = {{0}};
    char label[40];
    snprintf(label, sizeof label, "%s_t", setup->unknown[v]);
    if (strlen(label) > 8) sw_text_printf(text, "%s\n", label), label[0] = 0;
    enum sw_status st = sw_equation_show(m->equation, v, taken, &part[0], &part[1], &part[2]);
    for (int k = 0; k < 3; k++)
        if (!st) st = sw_text_status(&part[k]);
    if (!st) {
        static const char *const how[3] = {"implicit", "by its sign", "explicit"};
        for (int k = 0; k < 3; k++) {
            add_part(text, label, how[k], &part[k]);
            if (*sw_text_get(&part[k])) label[0] = 0;
        }
        if (*label) sw_text_printf(text, "%-9s0\n", label);
    }
    for (int k = 0; k < 3; k++) sw_text_free(&part[k]);
    return st;
}

enum sw_status equation_describe(const struct sw_setup *setup, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_imex *method = sw_imex_of(sw_line_scheme(setup));
    enum sw_taken taken[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];
    taken_by_runs(m, taken);
    for (int v = 0; v < m->equation->unknowns; v++)
        SW_TRY(describe_unknown(m, setup, v, (const enum sw_taken (*)[SW_EQUATION_ORDERS])taken, text));
    SW_TRY(sw_noise_describe(setup, 1, text));
    sw_manufactured_describe(setup, text);
    sw_line_describe_ends(NULL, setup, text);
    sw_text_printf(text, "method   %s: order %d in time, %d in space; %d solve%s a step for each unknown\n",
                   sw_setup_word(setup, "method"), method->order, m->equation->order, method->stages - 1,
                   method->stages > 2 ? "s" : "");
    return SW_OK;
}
