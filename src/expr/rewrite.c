/* Trees with other operations in the place of some. */
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/maker.h"
#include "expr/sw_compare.h"

/* ------------------------------------------------------------------ a NaN is to be seen */

/* By a == a, which is 0 of a NaN alone, and a + b, which is NaN where one of the two is. */

/* Whether node a, or both, are numbers. */
static int is_known(struct maker *m, int a) { return maker_node(m, OP_EQ, a, a, -1, 0); }

static int are_known(struct maker *m, int a, int b)
{
    return maker_node(m, OP_AND, is_known(m, a), is_known(m, b), -1, 0);
}

static int choose(struct maker *m, int condition, int yes, int no)
{
    return maker_node(m, OP_CHOICE, condition, yes, no, 0);
}

static int is_zero(struct maker *m, int a) { return maker_node(m, OP_EQ, a, maker_number(m, 0), -1, 0); }

static int is_true(struct maker *m, int a)
{
    const int not_zero = maker_node(m, OP_NE, a, maker_number(m, 0), -1, 0);
    return maker_node(m, OP_AND, not_zero, is_known(m, a), -1, 0);
}

/* same: the node with op on operands a, b, c of m->out, as it is. */
typedef int make_function(struct maker *m, enum operation op, int a, int b, int same);

static int pass_nan(struct maker *m, enum operation op, int a, int b, int same)
{
    switch (op) {
    case OP_LT: case OP_LE: case OP_GT: case OP_GE: case OP_EQ: case OP_NE:
        return choose(m, are_known(m, a, b), same, maker_node(m, OP_ADD, a, b, -1, 0));
    case OP_NOT: case OP_STEP: case OP_HEAVISIDE: case OP_CHOICE: return choose(m, is_known(m, a), same, a);
    case OP_AND: {
        const int any_zero = maker_node(m, OP_OR, is_zero(m, a), is_zero(m, b), -1, 0);
        const int sum = maker_node(m, OP_ADD, a, b, -1, 0);
        return choose(m, any_zero, maker_number(m, 0), choose(m, are_known(m, a, b), maker_number(m, 1), sum));
    }
    case OP_OR: {
        const int any_true = maker_node(m, OP_OR, is_true(m, a), is_true(m, b), -1, 0);
        return choose(m, any_true, maker_number(m, 1), maker_node(m, OP_ADD, a, b, -1, 0));
    }
    default: return same;
    }
}

/* ------------------------------------------------------------------ comparisons to a few units in the last place */

static int nearly(struct maker *m, enum operation op, int a, int b, int same)
{
    if (op < OP_LT || op > OP_NE) return same;
    const int largest = maker_node(m, OP_MAX, maker_call(m, OP_ABS, a), maker_call(m, OP_ABS, b), -1, 0);
    const int apart = maker_call(m, OP_ABS, maker_node(m, OP_SUB, a, b, -1, 0));
    const int slack = maker_node(m, OP_MUL, maker_number(m, 0x1p-50), largest, -1, 0);
    const int near = maker_node(m, OP_OR, maker_node(m, OP_EQ, a, b, -1, 0),
                                maker_node(m, OP_LT, apart, slack, -1, 0), -1, 0);  /* of infinities: false */
    if (op == OP_EQ) return near;
    if (op == OP_LE || op == OP_GE) return maker_node(m, OP_OR, same, near, -1, 0);
    const int differ = maker_node(m, OP_NOT, near, -1, -1, 0);
    return op == OP_NE ? differ : maker_node(m, OP_AND, same, differ, -1, 0);
}

/* ------------------------------------------------------------------ the pass over the tree */

static int copy_name(struct maker *m, const struct sw_expr *expr, struct node node)
{
    node.name = m->failed ? -1 : tree_name(m->out, expr->names[node.name], strlen(expr->names[node.name]));
    m->failed |= node.name < 0;
    const int name = m->failed ? -1 : tree_add(m->out, &node);
    m->failed |= name < 0;
    return m->failed ? 0 : name;
}

static enum sw_status rewrite(const struct sw_expr *expr, make_function *make, struct sw_expr **out)
{
    struct maker m = {0};
    int *at = NULL;  /* [count] where the nodes of expr are in m.out */
    enum sw_status st;
    *out = NULL;
    SW_TRY_TO(done, st, sw_alloc((size_t)expr->count, &at));
    SW_TRY_TO(done, st, sw_alloc(1, &m.out));
    for (int k = 0; k <= expr->root; k++) {
        const struct node *node = &expr->node[k];
        int child[3] = {-1, -1, -1};
        for (int j = 0; j < op_table[node->op].operands; j++) child[j] = at[node->child[j]];
        m.column = node->column;
        m.length = node->length;
        if (node->op == OP_NAME) { at[k] = copy_name(&m, expr, *node); continue; }
        const int same = maker_node(&m, node->op, child[0], child[1], child[2], node->value);
        at[k] = make(&m, node->op, child[0], child[1], same);
    }
    m.out->root = at[expr->root];
    st = m.failed ? SW_FAIL(SW_E_MEMORY, "no memory for an expression") : tree_prune(m.out);
done:
    if (st) sw_expr_destroy(&m.out);
    sw_free(at);
    *out = m.out;
    return st;
}

enum sw_status sw_expr_pass_nan(const struct sw_expr *expr, struct sw_expr **out)
{
    return rewrite(expr, pass_nan, out);
}

enum sw_status sw_expr_compare_nearly(const struct sw_expr *expr, struct sw_expr **out)
{
    return rewrite(expr, nearly, out);
}
