/* The symbolic derivative. Nodes stand before their parents, so one pass over the tree gives every node its copy and
 * its derivative. The makers of maker.h simplify as they build: what is certainly 0 or 1 never enters the tree. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/maker.h"

static int square(struct maker *m, int a) { return maker_power(m, a, maker_number(m, 2)); }

/* ------------------------------------------------------------------ rules */

/* d(a^b): the first term where a varies, the second where b does. */
static int power_rule(struct maker *m, int self, int a, int da, int b, int db)
{
    int base = maker_times(m, maker_times(m, b, maker_power(m, a, maker_minus(m, b, maker_number(m, 1)))), da);
    if (maker_is_value(m, db, 0)) return base;
    int logarithm = maker_is_value(m, a, M_E) ? maker_number(m, 1) : maker_call(m, OP_LOG, a);
    int exponent = maker_times(m, maker_times(m, self, logarithm), db);
    return maker_is_value(m, da, 0) ? exponent : maker_plus(m, base, exponent);
}

/* d(a/b) = da/b - a db/b² */
static int quotient_rule(struct maker *m, int a, int da, int b, int db)
{
    return maker_minus(m, maker_over(m, da, b), maker_over(m, maker_times(m, a, db), square(m, b)));
}

/* d atan2(a, b) = (b da - a db)/(a² + b²) */
static int atan2_rule(struct maker *m, int a, int da, int b, int db)
{
    int above = maker_minus(m, maker_times(m, b, da), maker_times(m, a, db));
    return maker_over(m, above, maker_plus(m, square(m, a), square(m, b)));
}

/* d f(a) = f'(a) da */
static int chain(struct maker *m, int slope, int da)
{
    /* (1/g) da reads better as da/g */
    if (maker_is(m, slope, OP_DIV) && maker_is_value(m, maker_at(m, slope)->child[0], 1))
        return maker_over(m, da, maker_at(m, slope)->child[1]);
    return maker_times(m, slope, da);
}

/* asin'(a) = 1/sqrt(1 - a²) */
static int asin_slope(struct maker *m, int a)
{
    int one = maker_number(m, 1);
    return maker_over(m, one, maker_call(m, OP_SQRT, maker_minus(m, one, square(m, a))));
}

/* erf'(a) = 2/sqrt(pi) exp(-a²) */
static int erf_slope(struct maker *m, int a)
{
    return maker_times(m, maker_number(m, M_2_SQRTPI), maker_call(m, OP_EXP, maker_negative(m, square(m, a))));
}

/* The derivative of node k of m->out, whose operands' derivatives are d[0..2]; some operand varies. There is no
 * default: the compiler names an operation that has no case. */
static int rule(struct maker *m, int k, const int d[3])
{
    const struct node self = *maker_at(m, k);
    int a = self.child[0], b = self.child[1], da = d[0], db = d[1], one = maker_number(m, 1);
    switch (self.op) {
    case OP_NEG: return maker_negative(m, da);
    case OP_ADD: return maker_plus(m, da, db);
    case OP_SUB: return maker_minus(m, da, db);
    case OP_MUL: return maker_plus(m, maker_times(m, da, b), maker_times(m, a, db));
    case OP_DIV: return quotient_rule(m, a, da, b, db);
    case OP_POW: return power_rule(m, k, a, da, b, db);
    case OP_ATAN2: return atan2_rule(m, a, da, b, db);
    case OP_MIN: return maker_choose(m, maker_node(m, OP_LT, a, b, -1, 0), da, db);
    case OP_MAX: return maker_choose(m, maker_node(m, OP_GT, a, b, -1, 0), da, db);
    case OP_CHOICE: return maker_choose(m, a, db, d[2]);
    case OP_SIN: return chain(m, maker_call(m, OP_COS, a), da);
    case OP_COS: return chain(m, maker_negative(m, maker_call(m, OP_SIN, a)), da);
    case OP_TAN: return chain(m, maker_plus(m, one, square(m, k)), da);
    case OP_ASIN: return chain(m, asin_slope(m, a), da);
    case OP_ACOS: return chain(m, maker_negative(m, asin_slope(m, a)), da);
    case OP_ATAN: return chain(m, maker_over(m, one, maker_plus(m, one, square(m, a))), da);
    case OP_SINH: return chain(m, maker_call(m, OP_COSH, a), da);
    case OP_COSH: return chain(m, maker_call(m, OP_SINH, a), da);
    case OP_TANH: return chain(m, maker_minus(m, one, square(m, k)), da);
    case OP_SECH: return chain(m, maker_negative(m, maker_times(m, k, maker_call(m, OP_TANH, a))), da);
    case OP_CSCH: return chain(m, maker_negative(m, maker_times(m, k, maker_call(m, OP_COTH, a))), da);
    case OP_COTH: return chain(m, maker_negative(m, square(m, maker_call(m, OP_CSCH, a))), da);
    case OP_EXP: return chain(m, k, da);
    case OP_LOG: return chain(m, maker_over(m, one, a), da);
    case OP_LOG10: return chain(m, maker_over(m, one, maker_times(m, maker_number(m, M_LN10), a)), da);
    case OP_ERF: return chain(m, erf_slope(m, a), da);
    case OP_MOD: return maker_minus(m, da, maker_times(m, maker_call(m, OP_FLOOR, maker_over(m, a, b)), db));
    case OP_SQRT: return chain(m, maker_over(m, one, maker_times(m, maker_number(m, 2), k)), da);
    case OP_ABS: return chain(m, maker_call(m, OP_SIGN, a), da);
    case OP_FLOOR: case OP_CEIL: case OP_ROUND: case OP_SIGN: case OP_STEP: case OP_HEAVISIDE: case OP_NOT: case OP_LT:
    case OP_LE: case OP_GT: case OP_GE: case OP_EQ: case OP_NE: case OP_AND: case OP_OR: case OP_RANDN: case OP_RAND:
    case OP_NOISE:
        return maker_number(m, 0);  /* constant between their jumps */
    case OP_DX: case OP_DXX: case OP_DXXX: case OP_DXXXX: case OP_DY: case OP_DYY: case OP_DYYY: case OP_DYYYY:
    case OP_DZ: case OP_DZZ: case OP_DZZZ: case OP_DZZZZ: break;  /* refused before */
    case OP_NUMBER: case OP_NAME: case OP_COUNT: break;           /* have no operands */
    }
    return maker_number(m, 0);
}

static bool varies(const struct maker *m, const int d[3], int operands)
{
    bool found = false;
    for (int j = 0; j < operands; j++) found |= !maker_is_value(m, d[j], 0);
    return found;
}

/* ------------------------------------------------------------------ the pass over the tree */

static int find_name(const struct sw_expr *expr, const char *name)
{
    for (int k = 0; k < expr->name_count; k++)
        if (!strcmp(expr->names[k], name)) return k;
    return -1;
}

void expr_slopes_free(struct expr_slopes *slopes)
{
    sw_free(slopes->of);
    *slopes = (struct expr_slopes){0};
}

/* Room for a slope of every node of m->out; -1: none is known yet. */
static enum sw_status grow(const struct maker *m, struct expr_slopes *slopes)
{
    const int room = m->out->room;
    if (slopes->room >= m->out->count) return SW_OK;
    SW_TRY(sw_resize((size_t)slopes->room, (size_t)room, &slopes->of));
    for (int k = slopes->room; k < room; k++) slopes->of[k] = -1;
    slopes->room = room;
    return SW_OK;
}

/* used[k]: whether node k is in what hangs on the root and has no slope yet. */
static void mark(const struct maker *m, const struct expr_slopes *slopes, int root, char *used)
{
    used[root] = slopes->of[root] < 0;
    for (int k = root; k >= 0; k--)
        for (int j = 0; used[k] && j < op_table[maker_at(m, k)->op].operands; j++) {
            const int child = maker_at(m, k)->child[j];
            used[child] = slopes->of[child] < 0;
        }
}

static enum sw_status slope_of(struct maker *m, const struct expr_slopes *slopes, int k, int wanted, int *slope)
{
    const struct node node = *maker_at(m, k);
    int d[3] = {0, 0, 0};
    m->column = node.column;
    m->length = node.length;
    for (int j = 0; j < op_table[node.op].operands; j++) d[j] = slopes->of[node.child[j]];
    const bool along = varies(m, d, op_table[node.op].operands);
    if (along && op_derivative(node.op))
        return SW_FAIL(SW_E_CONFIG, "%s() at column %d has no derivative", op_table[node.op].written, node.column);
    if (along) *slope = rule(m, k, d);
    else *slope = maker_number(m, node.op == OP_NAME && node.name == wanted ? 1 : 0);
    return m->failed ? SW_E_MEMORY : SW_OK;
}

enum sw_status expr_slope(struct maker *m, struct expr_slopes *slopes, int root, const char *name, int *slope)
{
    const int wanted = find_name(m->out, name);
    enum sw_status st;
    char *used = NULL;
    SW_TRY(grow(m, slopes));
    SW_TRY(sw_alloc((size_t)root + 1, &used));
    mark(m, slopes, root, used);
    for (int k = 0; k <= root; k++) {
        int found = 0;
        if (!used[k]) continue;
        SW_TRY_TO(done, st, slope_of(m, slopes, k, wanted, &found));
        slopes->of[k] = found;
    }
    *slope = slopes->of[root];
    st = SW_OK;
done:
    sw_free(used);
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

enum sw_status sw_expr_derivative(const struct sw_expr *expr, const char *name, struct sw_expr **out)
{
    enum sw_status st;
    struct maker m = {0};
    struct expr_slopes slopes = {0};
    int root;
    *out = NULL;
    SW_TRY(sw_alloc(1, &m.out));
    SW_TRY_TO(done, st, copy_names(m.out, expr));
    SW_TRY_TO(done, st, tree_append(m.out, expr, &root));
    SW_TRY_TO(done, st, expr_slope(&m, &slopes, root, name, &m.out->root));
    SW_TRY_TO(done, st, tree_prune(m.out));
    st = check_size(m.out);
done:
    expr_slopes_free(&slopes);
    if (st) sw_expr_destroy(&m.out);
    *out = m.out;
    return st;
}

/* ------------------------------------------------------------------ what stands before derivatives of an unknown */

/* place[k]: node k in the new tree. */
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

/* Like slope_of(), with the unknown and all its derivatives for variables: a slope for each, -1 where it is 0. */
static void freeze_at(struct maker *m, const struct sw_expr *expr, int k, int wanted, int zero,
                      const struct derivative_orders *orders, const int *place, int (*slopes)[ORDERS])
{
    const struct node *node = &expr->node[k];
    const int operands = op_table[node->op].operands;
    for (int n = 0; n < orders->count; n++) slopes[k][n] = -1;
    if (node->op == OP_NAME && node->name == wanted) slopes[k][0] = maker_number(m, 1);
    for (int n = 0; n < orders->count; n++) {
        int d[3] = {zero, zero, zero};
        bool along = false;
        for (int j = 0; j < operands; j++) {
            if (slopes[node->child[j]][n] < 0) continue;
            d[j] = slopes[node->child[j]][n];
            along = true;
        }
        if (!along || m->failed) continue;
        const int to = op_derivative(node->op) ? orders_after(orders, n, node->op) : n;
        if (to < 0) continue;
        const int slope = op_derivative(node->op) ? d[0] : rule(m, place[k], d);
        slopes[k][to] = maker_is_value(m, slope, 0) ? -1 : slope;
    }
}

static enum sw_status freeze(struct maker *m, const struct sw_expr *expr, int wanted,
                             const struct derivative_orders *orders, int root[ORDERS])
{
    enum sw_status st;
    int *place = NULL, (*slopes)[ORDERS] = NULL;
    SW_TRY_TO(done, st, sw_alloc((size_t)expr->count, &place));
    SW_TRY_TO(done, st, sw_alloc((size_t)expr->count, &slopes));
    const int zero = maker_number(m, 0);
    for (int k = 0; k <= expr->root && !m->failed; k++) {
        place[k] = copy(m, expr, k, place);
        if (!m->failed) freeze_at(m, expr, k, wanted, zero, orders, place, slopes);
        if (m->out->count <= 20 * DERIVATIVE_LARGEST) continue;
        st = SW_FAIL(SW_E_CONFIG, "the derivatives have more than %d terms", 20 * DERIVATIVE_LARGEST);
        goto done;
    }
    memcpy(root, slopes[expr->root], sizeof slopes[expr->root]);
    st = m->failed ? SW_E_MEMORY : SW_OK;
done:
    sw_free(place);
    sw_free(slopes);
    return st;
}

enum sw_status expr_freeze(const struct sw_expr *expr, const char *name, const struct derivative_orders *orders,
                           struct sw_expr **out, int root[ORDERS])
{
    enum sw_status st;
    struct maker m = {0};
    *out = NULL;
    SW_TRY(sw_alloc(1, &m.out));
    st = copy_names(m.out, expr);
    if (!st) st = freeze(&m, expr, find_name(expr, name), orders, root);
    if (st) sw_expr_destroy(&m.out);
    *out = m.out;
    return st;
}
