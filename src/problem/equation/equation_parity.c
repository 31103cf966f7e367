/* What a right-hand side does at an end: how often it differentiates an unknown, and whether its fluxes are 0 where all
 * unknowns are even about the end, u_x = u_xxx = 0. */
#include <math.h>

#include "base/sw_mem.h"
#include "problem/equation/equation_impl.h"

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

/* About an end. */
enum parity { EVEN, ODD, NEITHER };

/* x is a number where only its value at the end counts: outside derivatives, and in the E of dx(E), whose flux is E
 * itself. In the flux of dxx(E), E_x, it is differentiated. */
enum place { OUTSIDE, IN_DX, DEEPER, PLACES };

static enum parity product(enum parity a, enum parity b)
{
    return a == NEITHER || b == NEITHER ? NEITHER : a == b ? EVEN : ODD;
}

static enum parity power(const struct node *exponent, enum parity a, enum parity b)
{
    if (b != EVEN || a == NEITHER) return NEITHER;
    if (a == EVEN) return EVEN;
    if (exponent->op != OP_NUMBER || exponent->value != floor(exponent->value)) return NEITHER;
    return fmod(exponent->value, 2) == 0 ? EVEN : ODD;
}

static enum parity parity_of(const struct sw_equation *equation, const struct sw_expr *expr, int k, enum place place,
                             enum parity (*parity)[PLACES])
{
    const struct node *node = &expr->node[k];
    const int order = op_derivative(node->op), operands = op_table[node->op].operands;
    if (!operands) return place == DEEPER && node_depends(equation, expr, k) == ON_X ? NEITHER : EVEN;
    const enum place inside = !order ? place : order == 1 && place == OUTSIDE ? IN_DX : DEEPER;
    const enum parity a = parity[node->child[0]][inside], b = operands > 1 ? parity[node->child[1]][inside] : EVEN;
    if (order) return order % 2 ? product(a, ODD) : a;
    switch (node->op) {
    case OP_NEG: case OP_SIN: case OP_TAN: case OP_ASIN: case OP_ATAN: case OP_SINH: case OP_TANH: case OP_CSCH:
    case OP_COTH: case OP_ERF: case OP_ROUND: case OP_SIGN: return a;
    case OP_ABS: case OP_COS: case OP_COSH: case OP_SECH: case OP_NOT: return product(a, a);
    case OP_ADD: case OP_SUB: return a == b ? a : NEITHER;
    case OP_MUL: case OP_DIV: return product(a, b);
    case OP_POW: return power(&expr->node[node->child[1]], a, b);
    default: break;
    }
    for (int j = 0; j < operands; j++)
        if (parity[node->child[j]][inside] != EVEN) return NEITHER;
    return EVEN;
}

/* The first column of a derivative, outside others, whose flux at the end is not 0, in terms of the nodes above it; 0:
 * there is none. */
static int find_open(const struct sw_expr *expr, int root, enum parity (*parity)[PLACES], char *seen)
{
    int column = 0;
    seen[root] = 1;
    for (int k = root; k >= 0; k--) {
        const struct node *node = &expr->node[k];
        if (!seen[k] || (node->op != OP_ADD && node->op != OP_SUB && parity[k][OUTSIDE] == EVEN)) continue;
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
    enum parity (*parity)[PLACES] = NULL;
    char *seen = NULL;
    int column = 0;
    if (!sw_alloc((size_t)expr->count, &parity) && !sw_alloc((size_t)expr->count, &seen)) {
        for (int k = 0; k <= expr->root; k++)
            for (int place = 0; place < PLACES; place++)
                parity[k][place] = parity_of(equation, expr, k, (enum place)place, parity);
        /* rhs alone, of rhs - implicit */
        column = find_open(expr, equation->row[unknown].states ? top->child[0] : expr->root, parity, seen);
    }
    sw_free(parity);
    sw_free(seen);
    return column;
}
