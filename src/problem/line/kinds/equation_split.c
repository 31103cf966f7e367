/* What programs are made of: G and N of every unknown, the names and numbers they take, and the texts for people. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/kinds/equation_impl.h"

void equation_taken(const struct sw_equation *equation, int unknown, const enum sw_taken (*asked)[SW_EQUATION_ORDERS],
                    enum sw_taken taken[SW_EQUATION_ORDERS])
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
    equation_taken(equation, v, asked, taken);
    take_fourth(equation, v, taken);
    SW_TRY(equation_explicit(equation, v, taken, &parts->g[v], &rest));
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
        symbol[count++] = (struct sw_symbol){sw_mirror_name(side), SW_RATE_RUN, first++};
    return count;
}

/* ------------------------------------------------------------------ for people */

/* Terms one by one, as -a*b + c where the tree's own text would be -(a*b) + c. */
struct summand { int node; bool minus; };

static enum sw_status equation_print(const struct sw_expr *expr, struct sw_text *text);

/* A derivative as its name and the summands of what it is of: four deep at most. */
static void print_term(struct sw_expr *part, struct sw_text *term)
{
    const struct node *node = &part->node[part->root];
    if (!op_derivative(node->op)) {
        sw_expr_print(part, term);
        return;
    }
    sw_text_printf(term, "%s(", op_table[node->op].written);
    part->root = node->child[0];
    term->failed |= equation_print(part, term) != SW_OK;
    sw_text_add(term, ")");
}

static void print_summand(const struct sw_expr *expr, struct summand s, bool first, struct sw_text *text)
{
    struct sw_expr part = *expr;
    struct sw_text term = {0};
    part.root = s.node;
    print_term(&part, &term);
    const char *shown = sw_text_get(&term);
    const bool inside = op_table[expr->node[s.node].op].binds < BINDS_SUM;
    if (*shown == '-') {  /* of the first factor */
        s.minus = !s.minus;
        shown++;
    }
    sw_text_add(text, first ? (s.minus ? "-" : "") : s.minus ? " - " : " + ");
    sw_text_printf(text, inside ? "(%s)" : "%s", shown);
    text->failed |= term.failed;
    sw_text_free(&term);
}

static enum sw_status equation_print(const struct sw_expr *expr, struct sw_text *text)
{
    struct summand *stack;
    int count = 0;
    const size_t before = text->length;
    SW_TRY(sw_alloc((size_t)expr->count + 1, &stack));
    stack[count++] = (struct summand){expr->root, false};
    while (count > 0) {
        const struct summand s = stack[--count];
        const struct node *node = &expr->node[s.node];
        if (node->op == OP_ADD || node->op == OP_SUB)
            stack[count++] = (struct summand){node->child[1], s.minus != (node->op == OP_SUB)};
        if (node->op == OP_ADD || node->op == OP_SUB || node->op == OP_NEG)
            stack[count++] = (struct summand){node->child[0], s.minus != (node->op == OP_NEG)};
        else
            print_summand(expr, s, text->length == before, text);
    }
    sw_free(stack);
    return sw_text_status(text);
}

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
    enum sw_status st = m.failed ? SW_E_MEMORY : sum < 0 ? SW_OK : equation_print(m.out, text);
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
    enum sw_status st = m.failed ? SW_E_MEMORY : sum < 0 ? SW_OK : equation_print(m.out, text);
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
    equation_taken(equation, unknown, asked, left);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
        taken[order] = row->states ? SW_TAKEN_IMPLICITLY : left[order];
        if (left[order] == SW_TAKEN_BY_RUN) left[order] = SW_TAKEN_IMPLICITLY;  /* shown by itself */
    }
    SW_TRY(show_linear(equation, unknown, taken, SW_TAKEN_IMPLICITLY, implicit));
    SW_TRY(show_linear(equation, unknown, taken, SW_TAKEN_BY_RUN, by_run));
    SW_TRY(equation_explicit(equation, unknown, left, &g, &rest));
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
    const bool grows = growth.order > 0 && !equation_damps(growth.order, linear[growth.order]);
    growth.ill_posed = grows && equation->row[unknown].held < growth.order;
    return growth;
}
