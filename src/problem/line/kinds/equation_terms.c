/* A right-hand side as terms: which are linear with constant coefficients, and what is explicit. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/kinds/equation_impl.h"

void terms_free(struct terms *terms)
{
    sw_free(terms->term);
    sw_expr_destroy(&terms->m.out);
    *terms = (struct terms){0};
}

unsigned node_depends(const struct sw_equation *equation, const struct sw_expr *expr, int k)
{
    const struct node *node = &expr->node[k];
    if (op_is_random(node->op)) return ON_NOISE;
    if (node->op != OP_NAME) return 0;
    const char *name = expr->names[node->name];
    for (int v = 0; v < equation->unknowns; v++)
        if (!strcmp(name, equation->name[v][SW_REACH])) return (unsigned)ON_UNKNOWN << v;
    return !strcmp(name, "x") ? ON_X : !strcmp(name, "t") ? ON_T : 0;
}

unsigned equation_depends(const struct sw_equation *equation, const struct sw_expr *expr)
{
    unsigned depends = 0;
    for (int k = 0; k < expr->count; k++) depends |= node_depends(equation, expr, k);
    return depends;
}

/* ------------------------------------------------------------------ upwards: what a node depends on */

static void look_at(struct terms *t, int k)
{
    const struct node *node = &t->expr->node[k];
    struct term *term = &t->term[k];
    *term = (struct term){.depends = node_depends(t->equation, t->expr, k), .through = -1,
                          .linear = {-1, -1, -1, -1, -1}};
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
    switch (node->op) {
    case OP_ADD: case OP_SUB:
        descend(t, a, term->order);
        descend(t, b, term->order);
        return;
    case OP_NEG: descend(t, a, term->order); return;
    case OP_DX: case OP_DXX: case OP_DXXX: case OP_DXXXX:
        descend(t, a, term->order + op_derivative(node->op));
        return;
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
           !strcmp(t->expr->names[node->name], t->equation->name[t->unknown][SW_REACH]);
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
    st = sw_expr_derivative(part, t->equation->name[t->unknown][SW_REACH], &slope);
    sw_expr_destroy(&part);
    if (st == SW_E_CONFIG) return SW_OK;
    if (!st && !equation_depends(t->equation, slope)) {
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
    const int a = node->child[0], b = node->child[1], order = op_derivative(node->op);
    m->column = node->column;
    m->length = node->length;
    if (term->role == TERM) {
        if (term_is_unknown(t, k)) term->linear[0] = maker_number(m, 1);
        else if ((term->depends & (unsigned)ON_UNKNOWN << t->unknown) && !term->derives) return differentiate(t, k);
        return SW_OK;
    }
    for (int j = 0; term->role == INNER && j < SW_EQUATION_ORDERS; j++) {
        const int from = order ? j - order : j;
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

enum sw_status terms_find(const struct sw_equation *equation, const struct sw_expr *expr, int unknown,
                          struct terms *t)
{
    enum sw_status st;
    int root;
    *t = (struct terms){.equation = equation, .unknown = unknown, .expr = expr};
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

bool equation_damps(int order, double value)
{
    if (order % 2) return isfinite(value);
    return isfinite(value) && (order == 2 ? value > 0 : value < 0);
}

/* ------------------------------------------------------------------ what is explicit */

struct split {
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
    const char *name = s->t.equation->name[s->t.unknown][SW_REACH];
    const int keep = by_run ? maker_name(m, s->t.equation->keep[s->t.unknown][term->order]) : -1;
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

enum sw_status equation_explicit(const struct sw_equation *equation, int unknown,
                                 const enum sw_taken taken[SW_EQUATION_ORDERS], struct sw_expr **g,
                                 struct sw_expr **rest)
{
    struct split s = {.taken = taken};
    const struct sw_expr *expr = equation->whole[unknown];
    enum sw_status st;
    *g = *rest = NULL;
    SW_TRY(terms_find(equation, expr, unknown, &s.t));
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
