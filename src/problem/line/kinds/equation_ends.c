/* What an equation of the user's own has to do with the ends of its lines (problem/line/kinds/line_ends.h): how often
 * it differentiates its unknowns there, and what it lets through. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "expr/parity.h"
#include "problem/line/kinds/equation_impl.h"
#include "problem/line/kinds/equation_model.h"
#include "problem/line/kinds/line_ends.h"

static const char *const side_name[2] = {"left", "right"};

/* ------------------------------------------------------------------ what a right-hand side does at an end */

int sw_equation_highest(const struct sw_equation *equation, int row, int unknown)
{
    const struct sw_expr *expr = equation->whole[row];
    int *above, highest = 0;
    if (sw_alloc((size_t)expr->count, &above)) return 4;  /* more than there is, rather than less */
    for (int k = expr->root; k >= 0; k--) {
        const struct node *node = &expr->node[k];
        const int order = above[k] + op_derivative(node->op);
        if (node_depends(equation, expr, k) == (unsigned)ON_UNKNOWN << unknown && order > highest) highest = order;
        for (int j = 0; j < op_table[node->op].operands; j++)
            if (above[node->child[j]] < order) above[node->child[j]] = order;
    }
    sw_free(above);
    return highest;
}

/* ------------------------------------------------------------------ fluxes */

/* The first column of a derivative, outside others, whose flux at the end is not 0, in terms of the nodes above it; 0:
 * there is none. */
static int find_open(const struct sw_expr *expr, int root, expr_parities *parity, char *seen)
{
    int column = 0;
    seen[root] = 1;
    for (int k = root; k >= 0; k--) {
        const struct node *node = &expr->node[k];
        const bool sum = node->op == OP_ADD || node->op == OP_SUB;
        if (!seen[k] || (!sum && parity[k][PARITY_OUTSIDE] == PARITY_EVEN)) continue;
        if (op_derivative(node->op)) {
            if (!column || node->column < column) column = node->column;
            continue;
        }
        for (int j = 0; j < op_table[node->op].operands; j++) seen[node->child[j]] = 1;
    }
    return column;
}

int sw_equation_open_flux(const struct sw_equation *equation, int unknown)
{
    const struct sw_expr *expr = equation->whole[unknown];
    const struct node *top = &expr->node[expr->root];
    expr_parities *parity = NULL;
    char *seen = NULL;
    int column = 0;
    if (!sw_alloc((size_t)expr->count, &parity) && !sw_alloc((size_t)expr->count, &seen)) {
        expr_find_parities(expr, parity);
        /* rhs alone, of rhs - implicit */
        column = find_open(expr, equation->row[unknown].states ? top->child[0] : expr->root, parity, seen);
    }
    sw_free(parity);
    sw_free(seen);
    return column;
}

/* ------------------------------------------------------------------ conditions */

/* How often it is differentiated in any equation. */
static int highest(const struct equation_model *m, int v)
{
    int order = 0;
    for (int w = 0; w < m->equation->unknowns; w++) {
        const int of_row = sw_equation_highest(m->equation, w, v);
        if (of_row > order) order = of_row;
    }
    return order;
}

/* The second derivative beside a value counts for an unknown's own equation where that has derivatives above the
 * second, and for the others' where they have any. */
static unsigned above_second(const struct sw_setup *setup)
{
    const struct equation_model *m = equation_model_of(setup);
    unsigned above = m && !m->kind ? 0 : ~0U;  /* a kind has the keys that its equation uses */
    for (int v = 0; m && v < setup->nunknown; v++)
        for (int w = 0; w < setup->nunknown; w++)
            if (sw_equation_highest(m->equation, w, v) > (w == v ? 2 : 0)) above |= 1U << v;
    return above;
}

const char *equation_check_ends(const struct sw_setup *setup, char why[160])
{
    return sw_line_check_ends(setup, above_second(setup), why);
}

void equation_describe_ends(const struct equation_model *m, const struct sw_setup *setup, struct sw_text *text)
{
    unsigned above = 0;
    for (int v = 0; v < setup->nunknown; v++)
        if (highest(m, v) > 2) above |= 1U << v;
    sw_line_describe_ends(setup, above, text);
}

enum sw_status equation_warn_flux(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, const double *state, char text[200])
{
    const struct equation_model *m = equation_model_of(setup);
    (void)problem, (void)ld, (void)column, (void)j, (void)state;
    for (int v = 0; m && sw_setup_chosen(setup, "boundary", "no_flux") && v < setup->nunknown; v++) {
        const bool open = !sw_line_end_is_given(setup, 0, v) || !sw_line_end_is_given(setup, 1, v);
        const int at = open ? sw_equation_open_flux(m->equation, v) : 0;
        if (!at) continue;
        snprintf(text, 200, "rhs of %s, column %d: boundary = \"no_flux\" is u_x = u_xxx = 0; the flux of this "
                 "derivative goes through the ends, and the mean is not kept", setup->unknown[v], at);
        return SW_OK;
    }
    return SW_OK;
}

/* Four conditions, two at each end, are those of an equation of fourth order. */
enum sw_status equation_warn_third(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, const double *state, char text[200])
{
    const struct equation_model *m = equation_model_of(setup);
    (void)problem, (void)ld, (void)column, (void)j, (void)state;
    for (int v = 0; m && sw_line_has_ends(setup) && v < setup->nunknown; v++)
        for (int side = 0; side < 2; side++) {
            if (highest(m, v) != 3 || sw_line_end_has_second(setup, side, v)) continue;
            const bool value = sw_line_end_has_value(setup, side, v);
            snprintf(text, 200, "at the %s end %s_%s = 0 holds as well, unless %s.%s is given: an equation with third "
                     "derivatives has but three conditions; where it does not hold, the error is of order 0 in dx",
                     side_name[side], setup->unknown[v], value ? "xx" : "xxx", side_name[side],
                     value ? "dxx" : "dxxx");
            return SW_OK;
        }
    return SW_OK;
}
