#ifndef EQUATION_HELPERS_H
#define EQUATION_HELPERS_H
/* What tests of equations of the user's own share: texts and their parts, and values on a periodic line. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/line/kinds/equation_text.h"

static const char *const numbers[] = {"D", "gamma", "r", "q0", "nu", "F", "k", "Du", "Dv", "a", "b", "c", "L"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static inline struct sw_equation_text text_of(const char *rhs_u, const char *rhs_v)
{
    return (struct sw_equation_text){.unknowns = rhs_v ? 2 : 1, .unknown = {"u", "v"}, .rhs = {rhs_u, rhs_v},
                                     .number = numbers, .numbers = NUMBERS};
}

static inline struct sw_equation *read(const struct sw_equation_text *text)
{
    struct sw_equation *equation = NULL;
    struct sw_equation_error err;
    if (sw_equation_create(text, &equation, &err))
        fail_msg("'%s', column %d: %s", text->rhs[0], err.error.column, err.error.text);
    return equation;
}

static inline struct sw_equation_parts split(const struct sw_equation *equation,
                                             const enum sw_taken (*taken)[SW_EQUATION_ORDERS])
{
    struct sw_equation_parts parts;
    struct sw_equation_error err;
    if (sw_equation_split(equation, taken, &parts, &err)) fail_msg("%s", err.error.text);
    return parts;
}

static inline void assert_tree(const char *what, const char *of, const struct sw_expr *expr, const char *expected)
{
    struct sw_text text = {0};
    if (expr) sw_expr_print(expr, &text);
    if (strcmp(sw_text_get(&text), expected))
        fail_msg("%s of '%s' is\n  '%s', expected\n  '%s'", what, of, sw_text_get(&text), expected);
    sw_text_free(&text);
}

/* ------------------------------------------------------------------ values on a periodic line */

enum { MOST_POINTS = 512 };
static const double run_value[NUMBERS] = {0.7, 0.3, 0.9, 1.1, 0.4, 0.6, 1.3, 0.8, 0.5, 1.7, -0.6, 0.2, 6.0};

struct line {                    /* u and v on a circle of length 2 pi */
    int    n;
    double dx, t;
    double x[MOST_POINTS], field[2][MOST_POINTS];
    double shifted[2][SW_NEIGHBOURS][MOST_POINTS];
    const double *in[SW_INPUTS];
};

/* Derivative `order` of u or v: a constant and two waves, small and long, so that what is made of them is smooth. */
static inline double field(int v, int order, double x)
{
    static const double mean[] = {0.8, 0.6}, first[] = {0.25, -0.2}, second[] = {0.04, 0.05};
    const double turn = order * M_PI / 2;
    return (order ? 0 : mean[v]) + first[v] * sin(x + v + turn) + second[v] * pow(2, order) * cos(2 * x - v + turn);
}

static inline void fill_line(struct line *line, int n)
{
    *line = (struct line){.n = n, .dx = 2 * M_PI / n, .t = 0.37};
    for (int i = 0; i < n; i++) {
        line->x[i] = i * line->dx;
        for (int v = 0; v < 2; v++) line->field[v][i] = field(v, 0, line->x[i]);
    }
    for (int v = 0; v < 2; v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++) {
            double *to = line->shifted[v][o + SW_REACH];
            for (int i = 0; i < n; i++) to[i] = line->field[v][(i + o + n) % n];
            line->in[sw_input_at(v, o)] = to;
        }
    line->in[SW_IN_X] = line->x;
}

static inline struct sw_program *compile(const struct sw_equation *equation, const struct sw_expr *expr)
{
    struct sw_symbol symbol[NUMBERS + SW_EQUATION_SYMBOLS];
    struct sw_expr_error err;
    struct sw_program *program;
    for (int k = 0; k < NUMBERS; k++) symbol[k] = (struct sw_symbol){numbers[k], SW_RATE_RUN, k};
    const int count = sw_equation_symbols(equation, NUMBERS, symbol, NUMBERS);
    assert_true(count <= NUMBERS + SW_EQUATION_SYMBOLS);
    if (sw_program_compile(expr, &(struct sw_scope){symbol, count, true, 1}, &program, &err))
        fail_msg("column %d: %s", err.column, err.text);
    return program;
}

/* @param number  the equation's own numbers of the run */
static inline void evaluate(const struct sw_equation *equation, const struct sw_expr *expr, const double *number,
                            const struct line *line, double *out)
{
    double param[NUMBERS + SW_GRID_NUMBERS + SW_EQUATION_ORDERS * SW_UNKNOWNS_MOST + SW_EQUATION_ENDS];
    struct sw_eval *eval;
    memset(out, 0, (size_t)line->n * sizeof *out);
    if (!expr) return;
    struct sw_program *program = compile(equation, expr);
    memcpy(param, run_value, sizeof run_value);
    memcpy(param + NUMBERS, number, (size_t)sw_equation_numbers(equation) * sizeof *number);
    assert_ok(sw_eval_create(program, line->n, &eval));
    sw_eval_by_scalars(eval);
    sw_eval_run(eval, param, 1);
    sw_eval_cells(eval, line->n, line->in);
    sw_eval_step(eval, line->t, 3);
    sw_eval_points(eval, line->n, line->in, out);
    sw_eval_destroy(&eval);
    sw_program_destroy(&program);
}

static inline double coefficient_value(const struct sw_equation *equation, const struct sw_expr *expr)
{
    double value = 0;
    if (!expr) return 0;
    struct sw_program *program = compile(equation, expr);
    assert_int_equal(sw_program_rate(program), SW_RATE_RUN);
    assert_ok(sw_program_over_runs(program, 1, run_value, 1, &value));
    sw_program_destroy(&program);
    return value;
}

/* Second-order differences of docs/explanation/equation.md, in their textbook form. */
static inline double difference(const double *u, int n, int i, int order, double dx)
{
    static const double weight[SW_EQUATION_ORDERS][5] = {
        {0, 0, 1, 0, 0}, {0, -0.5, 0, 0.5, 0}, {0, 1, -2, 1, 0}, {-0.5, 1, 0, -1, 0.5}, {1, -4, 6, -4, 1}};
    double sum = 0;
    for (int o = -2; o <= 2; o++) sum += weight[order][o + 2] * u[(i + o + n) % n];
    return sum / pow(dx, order);
}

/* Implicit terms of the orders in `implicit` (bits), the second difference of G, and N. */
static inline void total(const struct sw_equation *equation, const struct sw_equation_parts *parts, unsigned implicit,
                         const double a[2][SW_EQUATION_ORDERS], const struct line *line, double *out)
{
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS * SW_UNKNOWNS_MOST + SW_EQUATION_ENDS], g[MOST_POINTS],
        n[MOST_POINTS];
    sw_equation_number_values(equation, a, line->dx, NULL, number);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++)
        if (equation->row[0].taken[order] == SW_TAKEN_BY_RUN)
            number[SW_GRID_NUMBERS + order] = !(implicit >> order & 1);
    evaluate(equation, parts->g[0], number, line, g);
    evaluate(equation, parts->n[0], number, line, n);
    for (int i = 0; i < line->n; i++) {
        out[i] = n[i] + difference(g, line->n, i, 2, line->dx);
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            if (implicit >> order & 1) out[i] += a[0][order] * difference(line->field[0], line->n, i, order, line->dx);
    }
}
#endif
