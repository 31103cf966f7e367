#include "expr/terms.h"

#include <string.h>

#include "base/sw_mem.h"

void terms_free(struct terms *terms)
{
    sw_free(terms->term);
    sw_expr_destroy(&terms->m.out);
    *terms = (struct terms){0};
}

unsigned node_depends(const struct sw_field_names *names, const struct sw_expr *expr, int k)
{
    const struct node *node = &expr->node[k];
    if (op_is_random(node->op)) return ON_NOISE;
    if (node->op != OP_NAME) return 0;
    const char *name = expr->names[node->name];
    for (int v = 0; v < names->unknowns; v++)
        if (!strcmp(name, names->unknown[v])) return (unsigned)ON_UNKNOWN << v;
    return sw_field_axis(names, name) >= 0 ? ON_X : strcmp(name, "t") ? 0 : ON_T;
}

static unsigned tree_depends(const struct sw_field_names *names, const struct sw_expr *expr)
{
    unsigned depends = 0;
    for (int k = 0; k < expr->count; k++) depends |= node_depends(names, expr, k);
    return depends;
}

/* ------------------------------------------------------------------ upwards: what a node depends on */

static void look_at(struct terms *t, int k)
{
    const struct node *node = &t->expr->node[k];
    struct term *term = &t->term[k];
    *term = (struct term){.depends = node_depends(t->names, t->expr, k), .through = -1};
    for (int j = 0; j < ORDERS; j++) term->linear[j] = -1;
    for (int j = 0; j < op_table[node->op].operands; j++) {
        const struct term *child = &t->term[node->child[j]];
        term->depends |= child->depends;
        term->derives |= child->derives;
        if (child->depth > term->depth) term->depth = child->depth;
    }
    if (!op_derivative(node->op)) return;
    term->derives = true;
    term->depth += op_derivative(node->op);
}

/* ------------------------------------------------------------------ downwards: which nodes pass on what is linear */

static void descend(struct terms *t, int child, int order)
{
    t->term[child].role = INNER;
    t->term[child].order = order;
}

static void assign_role(struct terms *t, int k)
{
    const struct node *node = &t->expr->node[k];
    struct term *term = &t->term[k];
    const int a = node->child[0], b = node->child[1];
    if (term->role == OFF) return;
    if (!(term->depends & ~(unsigned)ON_T)) {
        term->role = term->order > 0 || (node->op == OP_NUMBER && node->value == 0) ? NOTHING : TERM;
        return;
    }
    if (op_derivative(node->op)) {
        descend(t, a, term->order + op_derivative(node->op));
        return;
    }
    switch (node->op) {
    case OP_ADD: case OP_SUB:
        descend(t, a, term->order);
        descend(t, b, term->order);
        return;
    case OP_NEG: descend(t, a, term->order); return;
    case OP_MUL:
        if (!t->term[a].depends) term->through = b;
        else if (!t->term[b].depends) term->through = a;
        break;
    case OP_DIV:
        if (!t->term[b].depends) term->through = a;
        break;
    default: break;
    }
    if (term->through < 0) term->role = TERM;
    else descend(t, term->through, term->order);
}

/* ------------------------------------------------------------------ upwards: coefficients */

bool term_is_unknown(const struct terms *t, int k)
{
    const struct node *node = &t->expr->node[k];
    return node->op == OP_NAME &&
           !strcmp(t->expr->names[node->name], t->names->unknown[t->unknown]);
}

bool term_is_linear(const struct terms *t, int k) { return t->term[k].role == TERM && t->term[k].linear[0] >= 0; }

/* A term at a point whose derivative by the unknown is constant is a*u and something without u. A derivative too large
 * to be formed is none of a linear term. */
static enum sw_status differentiate(struct terms *t, int k)
{
    struct sw_expr *part = NULL, *slope = NULL;
    enum sw_status st;
    int root;
    SW_TRY(tree_part(t->expr, k, &part));
    st = sw_expr_derivative(part, t->names->unknown[t->unknown], &slope);
    sw_expr_destroy(&part);
    if (st == SW_E_CONFIG) return SW_OK;
    if (!st && !tree_depends(t->names, slope)) {
        st = tree_append(t->m.out, slope, &root);
        if (!st && !maker_is_value(&t->m, root, 0)) t->term[k].linear[0] = root;
    }
    sw_expr_destroy(&slope);
    return st;
}

static enum sw_status find_linear(struct terms *t, int k)
{
    const struct node *node = &t->expr->node[k];
    struct term *term = &t->term[k];
    struct maker *m = &t->m;
    const int a = node->child[0], b = node->child[1];
    m->column = node->column;
    m->length = node->length;
    if (term->role == TERM) {
        if (term_is_unknown(t, k)) term->linear[0] = maker_number(m, 1);
        else if ((term->depends & (unsigned)ON_UNKNOWN << t->unknown) && !term->derives) return differentiate(t, k);
        return SW_OK;
    }
    for (int j = 0; term->role == INNER && j < t->orders.count; j++) {
        const int from = op_derivative(node->op) ? orders_before(&t->orders, j, node->op) : j;
        const int x = from < 0 ? -1 : t->term[term->through < 0 ? a : term->through].linear[from];
        const int y = node->op == OP_ADD || node->op == OP_SUB ? t->term[b].linear[j] : -1;
        int *linear = &term->linear[j];
        if (y >= 0 && x >= 0) *linear = node->op == OP_ADD ? maker_plus(m, x, y) : maker_minus(m, x, y);
        else if (y >= 0) *linear = node->op == OP_ADD ? y : maker_negative(m, y);
        else if (x < 0) continue;
        else if (node->op == OP_NEG) *linear = maker_negative(m, x);
        else if (node->op == OP_MUL) *linear = term->through == b ? maker_times(m, a, x) : maker_times(m, x, b);
        else if (node->op == OP_DIV) *linear = maker_over(m, x, b);
        else *linear = x;
    }
    return m->failed ? SW_E_MEMORY : SW_OK;
}

enum sw_status terms_find(const struct sw_field_names *names, const struct sw_expr *expr, int unknown,
                          struct terms *t)
{
    enum sw_status st;
    int root;
    *t = (struct terms){.names = names, .unknown = unknown, .expr = expr};
    number_orders(names->dimensions, &t->orders);
    SW_TRY(sw_alloc(1, &t->m.out));
    SW_TRY_TO(failed, st, tree_append(t->m.out, expr, &root));
    SW_TRY_TO(failed, st, sw_alloc((size_t)expr->count, &t->term));
    for (int k = 0; k <= expr->root; k++) look_at(t, k);
    t->term[expr->root].role = INNER;
    for (int k = expr->root; k >= 0; k--) assign_role(t, k);
    for (int k = 0; k <= expr->root; k++) SW_TRY_TO(failed, st, find_linear(t, k));
    return SW_OK;
failed:
    terms_free(t);
    return st;
}
