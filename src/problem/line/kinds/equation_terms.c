/* What is explicit of a right-hand side; what programs are made of, the names and numbers they take, and the texts for
 * people. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/kinds/equation_impl.h"

/* ------------------------------------------------------------------ numbers */

bool equation_literal(const struct sw_expr *expr, double *value)
{
    double *at;
    bool literal = true;
    if (sw_alloc((size_t)expr->count, &at)) return false;
    for (int k = 0; k < expr->count && literal; k++) {
        const struct node *node = &expr->node[k];
        double x[3] = {0, 0, 0};
        for (int j = 0; j < op_table[node->op].operands; j++) x[j] = at[node->child[j]];
        literal = node->op != OP_NAME && !op_is_random(node->op) && !op_derivative(node->op);
        if (literal) at[k] = node->op == OP_NUMBER ? node->value : op_value(node->op, x[0], x[1], x[2]);
    }
    if (literal) *value = at[expr->root];
    sw_free(at);
    return literal;
}

/* Whether the matrix stays definite with a coefficient of this order. */
static bool damps(int order, double value)
{
    if (order % 2) return isfinite(value);
    return isfinite(value) && (order == 2 ? value > 0 : value < 0);
}

const struct sw_expr *sw_equation_implicit(const struct sw_equation *equation, int unknown, int order)
{
    const struct sw_equation_row *row = &equation->row[unknown];
    if (equation->fixed && !(equation->fixed_orders >> order & 1)) return NULL;
    return row->states ? row->stated[order] : row->linear[order];
}

enum sw_taken sw_equation_take(const struct sw_equation *equation, int unknown, int order, double value)
{
    if (!sw_equation_implicit(equation, unknown, order)) return SW_TAKEN_EXPLICITLY;
    if (equation->row[unknown].states || equation->fixed) return SW_TAKEN_IMPLICITLY;
    return damps(order, value) ? SW_TAKEN_IMPLICITLY : SW_TAKEN_EXPLICITLY;
}

/* ------------------------------------------------------------------ what is explicit */

struct split {
    const struct sw_equation *equation;
    struct terms t;
    const enum sw_taken *taken;
    int *g, *rest;  /* [nodes of the tree] what is left of each, nodes of t.m.out; -1: nothing */
};

/* What the matrix does not take of a linear term. */
static int left_of(struct split *s, int k)
{
    struct maker *m = &s->t.m;
    const struct term *term = &s->t.term[k];
    if (!term_is_linear(&s->t, k) || s->taken[term->order] == SW_TAKEN_EXPLICITLY) return k;
    const bool by_run = s->taken[term->order] == SW_TAKEN_BY_RUN, whole = term_is_unknown(&s->t, k);
    const char *name = s->equation->name[s->t.unknown][SW_REACH];
    const int keep = by_run ? maker_name(m, s->equation->keep[s->t.unknown][term->order]) : -1;
    if (whole) return by_run ? maker_node(m, OP_MUL, keep, k, -1, 0) : -1;
    /* f(u) - a u (1 - keep): f may hold more than its linear part */
    int taken = term->linear[0];
    if (by_run) taken = maker_times(m, maker_minus(m, maker_number(m, 1), keep), taken);
    return maker_node(m, OP_SUB, k, maker_times(m, taken, maker_name(m, name)), -1, 0);
}

static void split_term(struct split *s, int k)
{
    const struct term *term = &s->t.term[k];
    const bool in_g = term->order == 2 && term->depends == (unsigned)ON_UNKNOWN << s->t.unknown && !term->derives;
    *(in_g ? &s->g[k] : &s->rest[k]) = left_of(s, k);
}

static void split_inner(struct split *s, int k)
{
    const struct node *node = &s->t.expr->node[k];
    const int through = s->t.term[k].through;
    s->rest[k] = maker_left(&s->t.m, k, through, s->rest);
    s->g[k] = op_derivative(node->op) ? s->g[node->child[0]] : maker_left(&s->t.m, k, through, s->g);
}

static enum sw_status part(struct split *s, int root, struct sw_expr **out)
{
    return root < 0 ? SW_OK : tree_part(s->t.m.out, root, out);
}

/* G and the rest of one equation in the user's operators.
 * @param g, rest  out: NULL where there is none; free with sw_expr_destroy() */
static enum sw_status separate_explicit(const struct sw_equation *equation, int unknown,
                                        const enum sw_taken taken[SW_EQUATION_ORDERS], struct sw_expr **g,
                                        struct sw_expr **rest)
{
    struct split s = {.equation = equation, .taken = taken};
    const struct sw_expr *expr = equation->whole[unknown];
    enum sw_status st;
    *g = *rest = NULL;
    SW_TRY(terms_find(&equation->names, expr, unknown, &s.t));
    SW_TRY_TO(done, st, sw_alloc((size_t)expr->count, &s.g));
    SW_TRY_TO(done, st, sw_alloc((size_t)expr->count, &s.rest));
    for (int k = 0; k <= expr->root; k++) {
        const struct node *node = &expr->node[k];
        s.g[k] = s.rest[k] = -1;
        s.t.m.column = node->column;
        s.t.m.length = node->length;
        if (s.t.term[k].role == TERM) split_term(&s, k);
        if (s.t.term[k].role == INNER) split_inner(&s, k);
    }
    st = s.t.m.failed ? SW_E_MEMORY : SW_OK;
    if (!st) st = part(&s, s.g[expr->root], g);
    if (!st) st = part(&s, s.rest[expr->root], rest);
done:
    if (st) sw_expr_destroy(g);
    if (st) sw_expr_destroy(rest);
    sw_free(s.g);
    sw_free(s.rest);
    terms_free(&s.t);
    return st;
}

/* ------------------------------------------------------------------ G and N of every unknown */

/* How orders are taken in the end: as asked for, or with an `implicit` of the user's explicitly, as that has been taken
 * off before. */
static void orders_taken(const struct sw_equation *equation, int unknown,
                         const enum sw_taken (*asked)[SW_EQUATION_ORDERS], enum sw_taken taken[SW_EQUATION_ORDERS])
{
    const struct sw_equation_row *row = &equation->row[unknown];
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
        const bool linear = !row->states && row->linear[order];
        taken[order] = !linear ? SW_TAKEN_EXPLICITLY : asked ? asked[unknown][order] : row->taken[order];
    }
}

void sw_equation_free_parts(struct sw_equation_parts *parts)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_expr_destroy(&parts->g[v]);
        sw_expr_destroy(&parts->n[v]);
    }
    *parts = (struct sw_equation_parts){0};
}

/* rest = rest + dxx(g), g = NULL */
static enum sw_status join(struct sw_expr **g, struct sw_expr **rest)
{
    struct node second = {.op = OP_DXX, .child = {-1, -1, -1}}, plus = {.op = OP_ADD, .child = {-1, -1, -1}};
    if (!*rest) SW_TRY(sw_alloc(1, rest));
    const bool alone = (*rest)->count == 0;
    SW_TRY(tree_append(*rest, *g, &second.child[0]));
    plus.child[0] = (*rest)->root;
    plus.child[1] = tree_add(*rest, &second);
    (*rest)->root = alone || plus.child[1] < 0 ? plus.child[1] : tree_add(*rest, &plus);
    sw_expr_destroy(g);
    return (*rest)->root < 0 ? SW_E_MEMORY : SW_OK;
}

/* Of fourth order the linear terms of the orders 3 and 4 are always implicit: where they grow the run is refused. And
 * where P = 1 (problem/line/stepper/fourth_order.h) steppers take d2 G as it is, so that G is in N. */
static void take_fourth(const struct sw_equation *equation, int v, enum sw_taken taken[SW_EQUATION_ORDERS])
{
    const struct sw_equation_row *row = &equation->row[v];
    for (int order = 3; order < SW_EQUATION_ORDERS; order++)
        if (equation->order == 4 && !row->states && row->linear[order]) taken[order] = SW_TAKEN_IMPLICITLY;
}

static bool has_g(const struct sw_equation *equation, int v)
{
    return equation->order != 4 || sw_equation_implicit(equation, v, 3) || sw_equation_implicit(equation, v, 4);
}

static enum sw_status split_one(const struct sw_equation *equation, int v,
                                const enum sw_taken (*asked)[SW_EQUATION_ORDERS], struct sw_equation_parts *parts,
                                struct sw_expr_error *err)
{
    const char *unknown[SW_UNKNOWNS_MOST];
    enum sw_taken taken[SW_EQUATION_ORDERS];
    struct sw_expr *rest = NULL;
    for (int k = 0; k < equation->unknowns; k++) unknown[k] = equation->name[k][SW_REACH];
    orders_taken(equation, v, asked, taken);
    take_fourth(equation, v, taken);
    SW_TRY(separate_explicit(equation, v, taken, &parts->g[v], &rest));
    enum sw_status st = parts->g[v] && !has_g(equation, v) ? join(&parts->g[v], &rest) : SW_OK;
    if (rest && !st)
        st = sw_expr_differences(rest, unknown, equation->unknowns, equation->order, equation->closed,
                                 &parts->reach[v], &parts->n[v], err);
    sw_expr_destroy(&rest);
    return st;
}

/* Whether it has numbers of the equation: no name of the user's begins as theirs do. */
static bool takes_numbers(const struct sw_expr *expr)
{
    for (int k = 0; expr && k < expr->count; k++)
        if (expr->node[k].op == OP_NAME && expr->names[expr->node[k].name][0] == '[') return true;
    return false;
}

enum sw_status sw_equation_split(const struct sw_equation *equation,
                                 const enum sw_taken (*taken)[SW_EQUATION_ORDERS], struct sw_equation_parts *parts,
                                 struct sw_equation_error *err)
{
    *parts = (struct sw_equation_parts){0};
    for (int v = 0; v < equation->unknowns; v++) {
        *err = (struct sw_equation_error){.place = SW_IN_RHS, .unknown = v};
        enum sw_status st = split_one(equation, v, taken, parts, &err->error);
        if (st) sw_equation_free_parts(parts);
        if (st) return st;
        parts->numbered |= takes_numbers(parts->g[v]) || takes_numbers(parts->n[v]);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ numbers and names */

int sw_equation_numbers(const struct sw_equation *equation)
{
    return SW_GRID_NUMBERS + SW_EQUATION_ORDERS * equation->unknowns + SW_EQUATION_ENDS;
}

void sw_equation_number_values(const struct sw_equation *equation,
                               const double (*coefficient)[SW_EQUATION_ORDERS], double dx, const double *end,
                               double *number)
{
    int at = 0;
    for (int k = 0; k < SW_GRID_NUMBERS; k++) number[at++] = sw_grid_number(k, dx);
    for (int v = 0; v < equation->unknowns; v++)
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            number[at++] = sw_equation_take(equation, v, order, coefficient[v][order]) == SW_TAKEN_EXPLICITLY;
    number[at++] = end ? 2 * end[0] : -INFINITY;
    number[at] = end ? 2 * end[1] : INFINITY;
}

int sw_equation_symbols(const struct sw_equation *equation, int first, struct sw_symbol *symbol, int count)
{
    for (int v = 0; v < equation->unknowns; v++)
        for (int offset = -SW_REACH; offset <= SW_REACH; offset++)
            symbol[count++] = (struct sw_symbol){equation->name[v][SW_REACH + offset], SW_RATE_POINT,
                                                 sw_input_at(v, offset)};
    symbol[count++] = (struct sw_symbol){"x", SW_RATE_CELL, SW_IN_X};
    symbol[count++] = (struct sw_symbol){"t", SW_RATE_STEP, 0};
    for (int k = 0; k < SW_GRID_NUMBERS; k++)
        symbol[count++] = (struct sw_symbol){sw_grid_number_name(k), SW_RATE_RUN, first++};
    for (int v = 0; v < equation->unknowns; v++)
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            symbol[count++] = (struct sw_symbol){equation->keep[v][order], SW_RATE_RUN, first++};
    for (int side = 0; side < SW_EQUATION_ENDS; side++)
        symbol[count++] = (struct sw_symbol){sw_mirror_name(0, side), SW_RATE_RUN, first++};
    return count;
}

/* ------------------------------------------------------------------ for people */

static int appended(struct maker *m, const struct sw_expr *expr)
{
    int root = 0;
    if (!m->failed && tree_append(m->out, expr, &root)) m->failed = true;
    return root;
}

/* The sum of the terms a_k d^k u/dx^k that are taken this way, highest order first. */
static enum sw_status show_linear(const struct sw_equation *equation, int v, const enum sw_taken *taken,
                                  enum sw_taken wanted, struct sw_text *text)
{
    struct maker m = {0};
    int sum = -1;
    SW_TRY(sw_alloc(1, &m.out));
    for (int order = SW_EQUATION_ORDERS - 1; order >= 0; order--) {
        const struct sw_expr *a = sw_equation_implicit(equation, v, order);
        if (!a || taken[order] != wanted) continue;
        int u = maker_name(&m, equation->name[v][SW_REACH]);
        if (order) u = maker_call(&m, (enum operation)(OP_DX + order - 1), u);
        const int term = maker_times(&m, appended(&m, a), u);
        sum = sum < 0 ? term : maker_plus(&m, sum, term);
    }
    m.out->root = sum < 0 ? 0 : sum;
    enum sw_status st = m.failed ? SW_E_MEMORY : sum < 0 ? SW_OK : expr_print_sum(m.out, text);
    sw_expr_destroy(&m.out);
    return st;
}

static enum sw_status show_explicit(const struct sw_expr *g, const struct sw_expr *rest, struct sw_text *text)
{
    struct maker m = {0};
    int sum = -1;
    SW_TRY(sw_alloc(1, &m.out));
    if (g) {
        const int inside = appended(&m, g);
        const bool minus = maker_is(&m, inside, OP_NEG);
        sum = maker_call(&m, OP_DXX, minus ? maker_at(&m, inside)->child[0] : inside);
        if (minus) sum = maker_negative(&m, sum);
    }
    if (rest) {
        const int more = appended(&m, rest);
        sum = sum < 0 ? more : maker_plus(&m, sum, more);
    }
    m.out->root = sum < 0 ? 0 : sum;
    enum sw_status st = m.failed ? SW_E_MEMORY : sum < 0 ? SW_OK : expr_print_sum(m.out, text);
    sw_expr_destroy(&m.out);
    return st;
}

enum sw_status sw_equation_show(const struct sw_equation *equation, int unknown,
                                const enum sw_taken (*asked)[SW_EQUATION_ORDERS], struct sw_text *implicit,
                                struct sw_text *by_run, struct sw_text *explicit_)
{
    const struct sw_equation_row *row = &equation->row[unknown];
    enum sw_taken taken[SW_EQUATION_ORDERS], left[SW_EQUATION_ORDERS];
    struct sw_expr *g = NULL, *rest = NULL;
    orders_taken(equation, unknown, asked, left);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
        taken[order] = row->states ? SW_TAKEN_IMPLICITLY : left[order];
        if (left[order] == SW_TAKEN_BY_RUN) left[order] = SW_TAKEN_IMPLICITLY;  /* shown by itself */
    }
    SW_TRY(show_linear(equation, unknown, taken, SW_TAKEN_IMPLICITLY, implicit));
    SW_TRY(show_linear(equation, unknown, taken, SW_TAKEN_BY_RUN, by_run));
    SW_TRY(separate_explicit(equation, unknown, left, &g, &rest));
    enum sw_status st = show_explicit(g, rest, explicit_);
    sw_expr_destroy(&g);
    sw_expr_destroy(&rest);
    return st;
}

struct sw_growth sw_equation_growth(const struct sw_equation *equation, int unknown,
                                    const double linear[SW_EQUATION_ORDERS], double dx)
{
    const double w = 4 / (dx * dx);  /* of -d²/dx² for k dx = pi; differences of odd order are 0 there */
    struct sw_growth growth = {.rate = linear[0] - linear[2] * w + linear[4] * w * w};
    growth.order = linear[4] != 0 ? 4 : linear[2] != 0 ? 2 : 0;
    const bool grows = growth.order > 0 && !damps(growth.order, linear[growth.order]);
    growth.ill_posed = grows && equation->row[unknown].held < growth.order;
    return growth;
}
