/* The symbolic derivative. Nodes stand before their parents, so one pass over the tree gives every node its copy and
 * its derivative. The makers below simplify as they build: what is certainly 0 or 1 never enters the tree. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/expr_impl.h"

struct maker {
    struct sw_expr *out;
    int column, length;  /* of the node being differentiated; new nodes inherit them */
    bool failed;         /* memory is out; indices are then 0 and meaningless        */
};

static int make(struct maker *m, enum operation op, int a, int b, int c, double value)
{
    int k = m->failed ? -1 : tree_add(m->out, &(struct node){.op = op, .child = {a, b, c}, .value = value,
                                                             .column = m->column, .length = m->length});
    m->failed |= k < 0;
    return k < 0 ? 0 : k;
}

/* ------------------------------------------------------------------ makers */

static const struct node *at(const struct maker *m, int k) { return &m->out->node[k]; }
static bool is(const struct maker *m, int k, enum operation op) { return !m->failed && at(m, k)->op == op; }

/* A number, possibly under one minus. */
static bool is_number(const struct maker *m, int k, double *value)
{
    if (is(m, k, OP_NEG) && at(m, at(m, k)->child[0])->op == OP_NUMBER) {
        *value = -at(m, at(m, k)->child[0])->value;
        return true;
    }
    if (is(m, k, OP_NUMBER)) *value = at(m, k)->value;
    return is(m, k, OP_NUMBER);
}

static bool is_value(const struct maker *m, int k, double wanted)
{
    double value;
    return is_number(m, k, &value) && value == wanted;
}

/* Trees hold no negative numbers: they would print as something that parses differently. */
static int number(struct maker *m, double value)
{
    if (value < 0) return make(m, OP_NEG, make(m, OP_NUMBER, -1, -1, -1, -value), -1, -1, 0);
    return make(m, OP_NUMBER, -1, -1, -1, value + 0.0);  /* -0 becomes 0 */
}

/* Both are numbers, and so is the result: no tree holds inf or nan. */
static bool fold(const struct maker *m, enum operation op, int a, int b, double *value)
{
    double x, y;
    if (!is_number(m, a, &x) || !is_number(m, b, &y)) return false;
    *value = op_value(op, x, y, 0);
    return isfinite(*value);
}

static int call(struct maker *m, enum operation op, int a) { return make(m, op, a, -1, -1, 0); }

static int negative(struct maker *m, int a)
{
    if (is(m, a, OP_NEG)) return at(m, a)->child[0];
    return is_value(m, a, 0) ? a : call(m, OP_NEG, a);
}

static int minus(struct maker *m, int a, int b);

static int plus(struct maker *m, int a, int b)
{
    double value;
    if (fold(m, OP_ADD, a, b, &value)) return number(m, value);
    if (is_value(m, a, 0)) return b;
    if (is_value(m, b, 0)) return a;
    if (is(m, b, OP_NEG)) return minus(m, a, at(m, b)->child[0]);
    return make(m, OP_ADD, a, b, -1, 0);
}

static int minus(struct maker *m, int a, int b)
{
    double value;
    if (fold(m, OP_SUB, a, b, &value)) return number(m, value);
    if (is_value(m, b, 0)) return a;
    if (is_value(m, a, 0)) return negative(m, b);
    if (is(m, b, OP_NEG)) return plus(m, a, at(m, b)->child[0]);
    return make(m, OP_SUB, a, b, -1, 0);
}

static int times(struct maker *m, int a, int b)
{
    double value;
    if (is_value(m, a, 0) || is_value(m, b, 0)) return number(m, 0);
    if (fold(m, OP_MUL, a, b, &value)) return number(m, value);
    if (is_value(m, a, 1)) return b;
    if (is_value(m, b, 1)) return a;
    if (is(m, a, OP_NEG)) return negative(m, times(m, at(m, a)->child[0], b));
    if (is(m, b, OP_NEG)) return negative(m, times(m, a, at(m, b)->child[0]));
    if (is(m, b, OP_NUMBER)) return times(m, b, a);  /* numbers to the left, where they meet */
    if (is(m, b, OP_MUL) && fold(m, OP_MUL, a, at(m, b)->child[0], &value))
        return times(m, number(m, value), at(m, b)->child[1]);
    return make(m, OP_MUL, a, b, -1, 0);
}

static int over(struct maker *m, int a, int b)
{
    double value;
    if (is_value(m, a, 0)) return a;
    if (fold(m, OP_DIV, a, b, &value)) return number(m, value);
    if (is_value(m, b, 1)) return a;
    if (is(m, a, OP_NEG)) return negative(m, over(m, at(m, a)->child[0], b));
    return make(m, OP_DIV, a, b, -1, 0);
}

static int power(struct maker *m, int a, int b)
{
    double value;
    if (is_value(m, b, 0)) return number(m, 1);
    if (is_value(m, b, 1)) return a;
    if (fold(m, OP_POW, a, b, &value)) return number(m, value);
    return make(m, OP_POW, a, b, -1, 0);
}

static int square(struct maker *m, int a) { return power(m, a, number(m, 2)); }

static int choose(struct maker *m, int condition, int yes, int no)
{
    double value;
    if (yes == no || (is_number(m, yes, &value) && is_value(m, no, value))) return yes;
    return make(m, OP_CHOICE, condition, yes, no, 0);
}

/* ------------------------------------------------------------------ rules */

/* d(a^b): the first term where a varies, the second where b does. */
static int power_rule(struct maker *m, int self, int a, int da, int b, int db)
{
    int base = times(m, times(m, b, power(m, a, minus(m, b, number(m, 1)))), da);
    if (is_value(m, db, 0)) return base;
    int logarithm = is_value(m, a, M_E) ? number(m, 1) : call(m, OP_LOG, a);
    int exponent = times(m, times(m, self, logarithm), db);
    return is_value(m, da, 0) ? exponent : plus(m, base, exponent);
}

/* d(a/b) = da/b - a db/b² */
static int quotient_rule(struct maker *m, int a, int da, int b, int db)
{
    return minus(m, over(m, da, b), over(m, times(m, a, db), square(m, b)));
}

/* d atan2(a, b) = (b da - a db)/(a² + b²) */
static int atan2_rule(struct maker *m, int a, int da, int b, int db)
{
    return over(m, minus(m, times(m, b, da), times(m, a, db)), plus(m, square(m, a), square(m, b)));
}

/* d f(a) = f'(a) da */
static int chain(struct maker *m, int slope, int da)
{
    /* (1/g) da reads better as da/g */
    if (is(m, slope, OP_DIV) && is_value(m, at(m, slope)->child[0], 1)) return over(m, da, at(m, slope)->child[1]);
    return times(m, slope, da);
}

/* asin'(a) = 1/sqrt(1 - a²) */
static int asin_slope(struct maker *m, int a)
{
    int one = number(m, 1);
    return over(m, one, call(m, OP_SQRT, minus(m, one, square(m, a))));
}

/* The derivative of node k of m->out, whose operands' derivatives are d[0..2]; some operand varies. There is no
 * default: the compiler names an operation that has no case. */
static int rule(struct maker *m, int k, const int d[3])
{
    const struct node self = *at(m, k);
    int a = self.child[0], b = self.child[1], da = d[0], db = d[1], one = number(m, 1);
    switch (self.op) {
    case OP_NEG: return negative(m, da);
    case OP_ADD: return plus(m, da, db);
    case OP_SUB: return minus(m, da, db);
    case OP_MUL: return plus(m, times(m, da, b), times(m, a, db));
    case OP_DIV: return quotient_rule(m, a, da, b, db);
    case OP_POW: return power_rule(m, k, a, da, b, db);
    case OP_ATAN2: return atan2_rule(m, a, da, b, db);
    case OP_MIN: return choose(m, make(m, OP_LT, a, b, -1, 0), da, db);
    case OP_MAX: return choose(m, make(m, OP_GT, a, b, -1, 0), da, db);
    case OP_CHOICE: return choose(m, a, db, d[2]);
    case OP_SIN: return chain(m, call(m, OP_COS, a), da);
    case OP_COS: return chain(m, negative(m, call(m, OP_SIN, a)), da);
    case OP_TAN: return chain(m, plus(m, one, square(m, k)), da);
    case OP_ASIN: return chain(m, asin_slope(m, a), da);
    case OP_ACOS: return chain(m, negative(m, asin_slope(m, a)), da);
    case OP_ATAN: return chain(m, over(m, one, plus(m, one, square(m, a))), da);
    case OP_SINH: return chain(m, call(m, OP_COSH, a), da);
    case OP_COSH: return chain(m, call(m, OP_SINH, a), da);
    case OP_TANH: return chain(m, minus(m, one, square(m, k)), da);
    case OP_EXP: return chain(m, k, da);
    case OP_LOG: return chain(m, over(m, one, a), da);
    case OP_LOG10: return chain(m, over(m, one, times(m, number(m, M_LN10), a)), da);
    case OP_ERF: return chain(m, times(m, number(m, M_2_SQRTPI), call(m, OP_EXP, negative(m, square(m, a)))), da);
    case OP_MOD: return minus(m, da, times(m, call(m, OP_FLOOR, over(m, a, b)), db));
    case OP_SQRT: return chain(m, over(m, one, times(m, number(m, 2), k)), da);
    case OP_ABS: return chain(m, call(m, OP_SIGN, a), da);
    case OP_FLOOR: case OP_CEIL: case OP_ROUND: case OP_SIGN: case OP_STEP: case OP_NOT: case OP_LT: case OP_LE:
    case OP_GT: case OP_GE: case OP_EQ: case OP_NE: case OP_AND: case OP_OR: case OP_RANDN: case OP_RAND:
        return number(m, 0);  /* constant between their jumps */
    case OP_NUMBER: case OP_NAME: case OP_COUNT: break;  /* have no operands */
    }
    return number(m, 0);
}

static bool varies(const struct maker *m, const int d[3], int operands)
{
    bool found = false;
    for (int j = 0; j < operands; j++) found |= !is_value(m, d[j], 0);
    return found;
}

/* ------------------------------------------------------------------ the pass over the tree */

/* place[k]: node k in the new tree; slopes[k]: its derivative. */
static int copy(struct maker *m, const struct sw_expr *expr, int k, const int *place)
{
    struct node node = expr->node[k];
    for (int j = 0; j < op_table[node.op].operands; j++) node.child[j] = place[node.child[j]];
    m->column = node.column;
    m->length = node.length;
    int k_new = tree_add(m->out, &node);
    m->failed |= k_new < 0;
    return k_new;
}

static enum sw_status differentiate(struct maker *m, const struct sw_expr *expr, int wanted)
{
    enum sw_status st;
    int *place = NULL, *slopes = NULL;
    SW_TRY_TO(done, st, sw_alloc((size_t)expr->count, &place));
    SW_TRY_TO(done, st, sw_alloc((size_t)expr->count, &slopes));
    for (int k = 0; k < expr->count && !m->failed; k++) {
        const struct node *node = &expr->node[k];
        int d[3] = {0, 0, 0};
        place[k] = copy(m, expr, k, place);
        for (int j = 0; j < op_table[node->op].operands; j++) d[j] = slopes[node->child[j]];
        if (m->failed) break;
        if (varies(m, d, op_table[node->op].operands)) slopes[k] = rule(m, place[k], d);
        else slopes[k] = number(m, node->op == OP_NAME && node->name == wanted ? 1 : 0);
    }
    m->out->root = slopes[expr->root];
    st = m->failed ? SW_E_MEMORY : SW_OK;
done:
    sw_free(place);
    sw_free(slopes);
    return st;
}

/* Shared nodes count as often as they would be printed. */
static enum sw_status check_size(const struct sw_expr *expr)
{
    double *size;
    SW_TRY(sw_alloc((size_t)expr->count, &size));
    for (int k = 0; k < expr->count; k++) {
        size[k] = 1;
        for (int j = 0; j < op_table[expr->node[k].op].operands; j++) size[k] += size[expr->node[k].child[j]];
    }
    double total = size[expr->root];
    sw_free(size);
    if (total <= DERIVATIVE_LARGEST) return SW_OK;
    return SW_FAIL(SW_E_CONFIG, "the derivative has %.3g terms, at most %d are allowed", total, DERIVATIVE_LARGEST);
}

static enum sw_status copy_names(struct sw_expr *out, const struct sw_expr *expr)
{
    for (int k = 0; k < expr->name_count; k++)
        if (tree_name(out, expr->names[k], strlen(expr->names[k])) < 0) return SW_E_MEMORY;
    return SW_OK;
}

static int find_name(const struct sw_expr *expr, const char *name)
{
    for (int k = 0; k < expr->name_count; k++)
        if (!strcmp(expr->names[k], name)) return k;
    return -1;
}

enum sw_status sw_expr_derivative(const struct sw_expr *expr, const char *name, struct sw_expr **out)
{
    enum sw_status st;
    struct maker m = {0};
    *out = NULL;
    SW_TRY(sw_alloc(1, &m.out));
    SW_TRY_TO(failed, st, copy_names(m.out, expr));
    SW_TRY_TO(failed, st, differentiate(&m, expr, find_name(expr, name)));
    SW_TRY_TO(failed, st, tree_prune(m.out));
    SW_TRY_TO(failed, st, check_size(m.out));
    *out = m.out;
    return SW_OK;
failed:
    sw_expr_destroy(&m.out);
    return st;
}
