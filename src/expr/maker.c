#include "expr/maker.h"

#include <math.h>
#include <string.h>

int maker_node(struct maker *m, enum operation op, int a, int b, int c, double value)
{
    int k = m->failed ? -1 : tree_add(m->out, &(struct node){.op = op, .child = {a, b, c}, .value = value,
                                                             .column = m->column, .length = m->length});
    m->failed |= k < 0;
    return k < 0 ? 0 : k;
}

bool maker_is(const struct maker *m, int k, enum operation op)
{
    return !m->failed && maker_at(m, k)->op == op;
}

static bool is_number(const struct maker *m, int k, double *value)
{
    if (maker_is(m, k, OP_NEG) && maker_at(m, maker_at(m, k)->child[0])->op == OP_NUMBER) {
        *value = -maker_at(m, maker_at(m, k)->child[0])->value;
        return true;
    }
    if (maker_is(m, k, OP_NUMBER)) *value = maker_at(m, k)->value;
    return maker_is(m, k, OP_NUMBER);
}

bool maker_is_value(const struct maker *m, int k, double wanted)
{
    double value;
    return is_number(m, k, &value) && value == wanted;
}

int maker_number(struct maker *m, double value)
{
    if (value < 0) return maker_node(m, OP_NEG, maker_node(m, OP_NUMBER, -1, -1, -1, -value), -1, -1, 0);
    return maker_node(m, OP_NUMBER, -1, -1, -1, value + 0.0);  /* -0 becomes 0 */
}

/* Both are numbers, and so is the result: no tree holds inf or nan. */
static bool fold(const struct maker *m, enum operation op, int a, int b, double *value)
{
    double x, y;
    if (!is_number(m, a, &x) || !is_number(m, b, &y)) return false;
    *value = op_value(op, x, y, 0);
    return isfinite(*value);
}

int maker_call(struct maker *m, enum operation op, int a) { return maker_node(m, op, a, -1, -1, 0); }

int maker_negative(struct maker *m, int a)
{
    if (maker_is(m, a, OP_NEG)) return maker_at(m, a)->child[0];
    return maker_is_value(m, a, 0) ? a : maker_call(m, OP_NEG, a);
}

int maker_plus(struct maker *m, int a, int b)
{
    double value;
    if (fold(m, OP_ADD, a, b, &value)) return maker_number(m, value);
    if (maker_is_value(m, a, 0)) return b;
    if (maker_is_value(m, b, 0)) return a;
    if (maker_is(m, b, OP_NEG)) return maker_minus(m, a, maker_at(m, b)->child[0]);
    return maker_node(m, OP_ADD, a, b, -1, 0);
}

int maker_minus(struct maker *m, int a, int b)
{
    double value;
    if (fold(m, OP_SUB, a, b, &value)) return maker_number(m, value);
    if (maker_is_value(m, b, 0)) return a;
    if (maker_is_value(m, a, 0)) return maker_negative(m, b);
    if (maker_is(m, b, OP_NEG)) return maker_plus(m, a, maker_at(m, b)->child[0]);
    return maker_node(m, OP_SUB, a, b, -1, 0);
}

int maker_times(struct maker *m, int a, int b)
{
    double value;
    if (maker_is_value(m, a, 0) || maker_is_value(m, b, 0)) return maker_number(m, 0);
    if (fold(m, OP_MUL, a, b, &value)) return maker_number(m, value);
    if (maker_is_value(m, a, 1)) return b;
    if (maker_is_value(m, b, 1)) return a;
    if (maker_is(m, a, OP_NEG)) return maker_negative(m, maker_times(m, maker_at(m, a)->child[0], b));
    if (maker_is(m, b, OP_NEG)) return maker_negative(m, maker_times(m, a, maker_at(m, b)->child[0]));
    if (maker_is(m, b, OP_NUMBER)) return maker_times(m, b, a);  /* numbers to the left, where they meet */
    if (maker_is(m, b, OP_MUL) && fold(m, OP_MUL, a, maker_at(m, b)->child[0], &value))
        return maker_times(m, maker_number(m, value), maker_at(m, b)->child[1]);
    return maker_node(m, OP_MUL, a, b, -1, 0);
}

int maker_over(struct maker *m, int a, int b)
{
    double value;
    if (maker_is_value(m, a, 0)) return a;
    if (fold(m, OP_DIV, a, b, &value)) return maker_number(m, value);
    if (maker_is_value(m, b, 1)) return a;
    if (maker_is(m, a, OP_NEG)) return maker_negative(m, maker_over(m, maker_at(m, a)->child[0], b));
    return maker_node(m, OP_DIV, a, b, -1, 0);
}

int maker_power(struct maker *m, int a, int b)
{
    double value;
    if (maker_is_value(m, b, 0)) return maker_number(m, 1);
    if (maker_is_value(m, b, 1)) return a;
    if (fold(m, OP_POW, a, b, &value)) return maker_number(m, value);
    return maker_node(m, OP_POW, a, b, -1, 0);
}

int maker_choose(struct maker *m, int condition, int yes, int no)
{
    double value;
    if (yes == no || (is_number(m, yes, &value) && maker_is_value(m, no, value))) return yes;
    return maker_node(m, OP_CHOICE, condition, yes, no, 0);
}

int maker_name(struct maker *m, const char *name)
{
    int k = m->failed ? -1 : tree_name(m->out, name, strlen(name));
    if (k < 0) { m->failed = true; return 0; }
    k = tree_add(m->out, &(struct node){.op = OP_NAME, .child = {-1, -1, -1}, .name = k, .column = m->column,
                                        .length = m->length});
    m->failed |= k < 0;
    return k < 0 ? 0 : k;
}

static int sum_left(struct maker *m, int k, const int *left)
{
    const struct node node = *maker_at(m, k);
    const int x = left[node.child[0]], y = left[node.child[1]];
    if (x == node.child[0] && y == node.child[1]) return k;
    if (y < 0) return x;
    if (x < 0) return node.op == OP_ADD ? y : maker_negative(m, y);
    return maker_node(m, node.op, x, y, -1, 0);
}

int maker_left(struct maker *m, int k, int through, const int *left)
{
    struct node node = *maker_at(m, k);
    if (node.op == OP_ADD || node.op == OP_SUB) return sum_left(m, k, left);
    if (through < 0) through = node.child[0];
    const int rest = left[through];
    if (rest < 0 || rest == through) return rest < 0 ? -1 : k;
    if (node.op == OP_NEG) return maker_negative(m, rest);
    if (node.op == OP_MUL && maker_is_value(m, rest, 1)) return node.child[through == node.child[0]];
    const bool minus = maker_is(m, rest, OP_NEG);
    const bool second = op_table[node.op].operands == 2 && through == node.child[1];
    node.child[second] = minus ? maker_at(m, rest)->child[0] : rest;
    const int made = maker_node(m, node.op, node.child[0], node.child[1], -1, 0);
    return minus ? maker_negative(m, made) : made;
}
