// sources: src/expr/*.c src/base/sw_err.c src/base/sw_mem.c src/base/sw_text.c src/base/sw_nearest_name.c
// without: src/expr/math_library.c
/* libFuzzer: any text to the expression compiler. It must neither crash nor hang; what it accepts must print as
 * something that parses to the same, and have the same value however it is computed. Texts about fields on grids become
 * differences, and what stands before derivatives, too, which have no derivatives left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/expr_impl.h"
#include "expr/sw_differences.h"

enum { POINTS = 300 };  /* more than a block of the interpreter */

static const struct sw_symbol symbols[] = {
    {"a", SW_RATE_RUN, 0}, {"b", SW_RATE_RUN, 1}, {"t", SW_RATE_STEP, 0},
    {"x", SW_RATE_CELL, SW_IN_X}, {"u", SW_RATE_POINT, SW_IN_U},
};
static const struct sw_scope scope = {symbols, 5, true, 1};

static void must(int condition)
{
    if (!condition) abort();
}

static char *print(const struct sw_expr *expr)
{
    struct sw_text text = {0};
    sw_expr_print(expr, &text);
    must(!sw_text_status(&text));
    return sw_text_take(&text);
}

static void check_print(const struct sw_expr *expr, int must_parse)
{
    char *printed = print(expr);
    struct sw_expr *again;
    struct sw_expr_error err;
    if (!sw_expr_parse(printed, &again, &err)) {
        char *twice = print(again);
        must(!strcmp(printed, twice));
        sw_free(twice);
        sw_expr_destroy(&again);
    } else {
        must(!must_parse);  /* a derivative may be nested too deep */
        must(strstr(err.text, "nested deeper") || strstr(err.text, "at most"));
    }
    sw_free(printed);
}

static void evaluate(const struct sw_program *program)
{
    static double x[POINTS], u[POINTS], all[POINTS], some[POINTS];
    const double *in[SW_INPUTS] = {[SW_IN_X] = x, [SW_IN_U] = u}, param[] = {1.5, -0.25};
    struct sw_eval *eval;
    for (int i = 0; i < POINTS; i++) u[i] = (x[i] = i / 64.0 - 2) * x[i] - 1;
    must(!sw_eval_create(program, POINTS, &eval));
    sw_eval_run(eval, param, 1);
    sw_eval_cells(eval, POINTS, in);
    sw_eval_step(eval, 0.5, 7);
    sw_eval_points(eval, POINTS, in, all);
    sw_eval_points(eval, 3, in, some);
    for (int i = 0; i < 3; i++) must(all[i] == some[i] || (isnan(all[i]) && isnan(some[i])));
    if (sw_program_rate(program) == SW_RATE_RUN) {
        must(!sw_program_over_runs(program, 1, param, 1, some));
        must(all[0] == some[0] || (isnan(all[0]) && isnan(some[0])));
    }
    sw_eval_destroy(&eval);
}

static void check_program(const struct sw_expr *expr)
{
    struct sw_program *program;
    struct sw_expr_error err;
    struct sw_text text = {0};
    if (sw_program_compile(expr, &scope, &program, &err)) {
        must(err.text[0] && err.column > 0);
        return;
    }
    evaluate(program);
    sw_program_cuda(program, "f", &text);
    must(!sw_text_status(&text));
    sw_text_free(&text);
    sw_program_destroy(&program);
}

/* What derivatives in derivatives come to, as sw_grid_differences() counts it, or more (of what does not vary). */
static int highest_order(const struct sw_expr *expr)
{
    int *depth, highest = 0;
    must(!sw_alloc((size_t)expr->count, &depth));
    for (int k = 0; k < expr->count; k++) {
        const struct node *node = &expr->node[k];
        for (int j = 0; j < op_table[node->op].operands; j++)
            if (depth[node->child[j]] > depth[k]) depth[k] = depth[node->child[j]];
        depth[k] += op_derivative(node->op);
        if (depth[k] > highest) highest = depth[k];
    }
    sw_free(depth);
    return highest;
}

static void check_differences(const struct sw_expr *expr, int dimensions, int order)
{
    static const char *const unknown[] = {"u", "a"};
    struct sw_expr *differences;
    struct sw_expr_error err;
    int reach[SW_GRID_AXES];
    if (sw_grid_differences(expr, dimensions, unknown, 2, order, NULL, reach, &differences, &err)) {
        must(err.text[0] != 0);
        return;
    }
    const int most = order == 2 && highest_order(expr) <= 4 ? SW_REACH : SW_GRID_REACH;
    for (int axis = 0; axis < SW_GRID_AXES; axis++) must(reach[axis] <= most);
    for (int k = 0; k < differences->count; k++) must(!op_derivative(differences->node[k].op));
    sw_expr_destroy(&differences);
}

static void check_fields(const char *text, int dimensions)
{
    struct sw_expr *expr, *frozen, *part;
    struct sw_expr_error err;
    struct derivative_orders orders;
    int root[ORDERS];
    if (sw_expr_parse_fields(text, dimensions, &expr, &err)) {
        must(err.text[0] && err.length > 0 && err.column >= 0);
        return;
    }
    number_orders(dimensions, &orders);
    for (int order = 2; order <= 4; order += 2) check_differences(expr, dimensions, order);
    if (!expr_freeze(expr, "u", &orders, &frozen, root)) {
        for (int n = 0; n < orders.count; n++) {
            if (root[n] < 0) continue;
            must(!tree_part(frozen, root[n], &part));
            check_differences(part, dimensions, 2);
            sw_expr_destroy(&part);
        }
        sw_expr_destroy(&frozen);
    }
    sw_expr_destroy(&expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = sw_strndup((const char *)data, size);
    struct sw_expr *expr, *slope;
    struct sw_expr_error err;
    must(text != NULL);
    if (sw_expr_parse(text, &expr, &err)) {
        char *shown = sw_expr_error_show(text, &err);
        must(shown && err.text[0] && err.length > 0 && err.column >= 0);
        sw_free(shown);
    } else {
        check_print(expr, 1);
        check_program(expr);
        if (!sw_expr_derivative(expr, "x", &slope)) {
            check_print(slope, 0);
            check_program(slope);
            sw_expr_destroy(&slope);
        }
        sw_expr_destroy(&expr);
    }
    check_fields(text, 2);
    check_fields(text, 3);
    sw_free(text);
    return 0;
}
