/* What a right-hand side does at an end: how often it differentiates an unknown, and whether its fluxes are 0 where all
 * unknowns are even about the end, u_x = u_xxx = 0. */
#include "base/sw_mem.h"
#include "expr/parity.h"
#include "problem/line/kinds/equation_impl.h"

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
