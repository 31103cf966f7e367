#include "expr/parity.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"

static enum expr_parity product(enum expr_parity a, enum expr_parity b)
{
    return a == PARITY_NEITHER || b == PARITY_NEITHER ? PARITY_NEITHER : a == b ? PARITY_EVEN : PARITY_ODD;
}

static enum expr_parity power(const struct node *exponent, enum expr_parity a, enum expr_parity b)
{
    if (b != PARITY_EVEN || a == PARITY_NEITHER) return PARITY_NEITHER;
    if (a == PARITY_EVEN) return PARITY_EVEN;
    if (exponent->op != OP_NUMBER || exponent->value != floor(exponent->value)) return PARITY_NEITHER;
    return fmod(exponent->value, 2) == 0 ? PARITY_EVEN : PARITY_ODD;
}

static enum expr_parity parity_of(const struct sw_expr *expr, int axis, int k, enum parity_place place,
                                  expr_parities *parity)
{
    const struct node *node = &expr->node[k];
    const bool derives = op_derivative(node->op) != 0;
    const int order = derives && op_axis(node->op) == axis ? op_derivative(node->op) : 0,
              operands = op_table[node->op].operands;
    const char x[] = {"xyz"[axis], 0};
    const bool is_x = node->op == OP_NAME && !strcmp(expr->names[node->name], x);
    if (!operands) return place == PARITY_DEEPER && is_x ? PARITY_NEITHER : PARITY_EVEN;
    const enum parity_place first = place == PARITY_OUTSIDE && order == 1 ? PARITY_IN_DX : PARITY_DEEPER,
                            inside = order ? first : place;
    const enum expr_parity a = parity[node->child[0]][inside],
                           b = operands > 1 ? parity[node->child[1]][inside] : PARITY_EVEN;
    if (derives) return order % 2 ? product(a, PARITY_ODD) : a;
    switch (node->op) {
    case OP_NEG: case OP_SIN: case OP_TAN: case OP_ASIN: case OP_ATAN: case OP_SINH: case OP_TANH:
    case OP_CSCH: case OP_COTH: case OP_ERF: case OP_ROUND: case OP_SIGN: return a;
    case OP_ABS: case OP_COS: case OP_COSH: case OP_SECH: case OP_NOT: return product(a, a);
    case OP_ADD: case OP_SUB: return a == b ? a : PARITY_NEITHER;
    case OP_MUL: case OP_DIV: return product(a, b);
    case OP_POW: return power(&expr->node[node->child[1]], a, b);
    default: break;
    }
    for (int j = 0; j < operands; j++)
        if (parity[node->child[j]][inside] != PARITY_EVEN) return PARITY_NEITHER;
    return PARITY_EVEN;
}

void expr_find_parities(const struct sw_expr *expr, int axis, expr_parities *parity)
{
    for (int k = 0; k < expr->count; k++)
        for (int place = 0; place < PARITY_PLACES; place++)
            parity[k][place] = parity_of(expr, axis, k, (enum parity_place)place, parity);
}

static int find_open(const struct sw_expr *expr, int root, int axis, expr_parities *parity, char *seen)
{
    int column = 0;
    seen[root] = 1;
    for (int k = root; k >= 0; k--) {
        const struct node *node = &expr->node[k];
        const bool sum = node->op == OP_ADD || node->op == OP_SUB;
        if (!seen[k]) continue;
        if (op_derivative(node->op) && op_axis(node->op) == axis) {
            if (parity[k][PARITY_OUTSIDE] != PARITY_EVEN && (!column || node->column < column)) column = node->column;
            continue;
        }
        if (op_derivative(node->op) || (!sum && parity[k][PARITY_OUTSIDE] == PARITY_EVEN)) continue;
        for (int j = 0; j < op_table[node->op].operands; j++) seen[node->child[j]] = 1;
    }
    return column;
}

enum sw_status expr_open_flux(const struct sw_expr *expr, int root, int axis, int *column)
{
    expr_parities *parity = NULL;
    char *seen = NULL;
    enum sw_status st = sw_alloc((size_t)expr->count, &parity);
    *column = 0;
    if (!st) st = sw_alloc((size_t)expr->count, &seen);
    if (!st) {
        expr_find_parities(expr, axis, parity);
        *column = find_open(expr, root, axis, parity, seen);
    }
    sw_free(parity);
    sw_free(seen);
    return st;
}
