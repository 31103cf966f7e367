/* Texts in: what is refused, and at which place of the text. */
#include "problem/line/kinds/equation_text.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/kinds/equation_impl.h"

enum { HINT = sizeof ((struct sw_expr_error *)0)->hint };

struct reader {
    const struct sw_equation_text *text;
    struct sw_equation            *equation;
    struct sw_equation_error      *err;
    struct sw_field_names          names;
};

static enum sw_status at(struct reader *r, enum sw_equation_place place, int unknown, enum sw_status st)
{
    if (st == SW_E_CONFIG) {
        r->err->place = place;
        r->err->unknown = unknown;
    }
    return st;
}

#define REFUSE(r, node, hint, ...) expr_refuse(&(r)->err->error, (node)->column, (node)->length, hint, __VA_ARGS__)
#define REFUSE_WHOLE(r, hint, ...) expr_refuse(&(r)->err->error, 0, 1, hint, __VA_ARGS__)

/* ------------------------------------------------------------------ unknowns */

static enum sw_status check_unknown(struct reader *r, int v)
{
    const char *name = r->text->unknown[v];
    SW_TRY(sw_field_check_unknown(&r->names, v, &r->err->error));
    for (int offset = -SW_REACH; offset <= SW_REACH; offset++)
        sw_neighbour_name(r->equation->name[v][SW_REACH + offset], name, offset);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++)
        snprintf(r->equation->keep[v][order], SW_NEIGHBOUR_ROOM, "[keep %.*s %c]", SW_UNKNOWN_LONGEST, name,
                 '0' + order);
    return SW_OK;
}

static enum sw_status check_unknowns(struct reader *r)
{
    if (r->text->unknowns < 1 || r->text->unknowns > SW_UNKNOWNS_MOST) {
        r->err->unknown = -1;
        return REFUSE_WHOLE(r, "", "%d unknowns; there may be 1 to %d", r->text->unknowns, SW_UNKNOWNS_MOST);
    }
    r->equation->unknowns = r->text->unknowns;
    r->names = (struct sw_field_names){.dimensions = 1, .unknowns = r->text->unknowns, .number = r->text->number,
                                       .numbers = r->text->numbers};
    r->equation->names = (struct sw_field_names){.dimensions = 1, .unknowns = r->text->unknowns};
    for (int v = 0; v < r->text->unknowns; v++) {
        r->names.unknown[v] = r->text->unknown[v];
        r->equation->names.unknown[v] = r->equation->name[v][SW_REACH];
    }
    for (int v = 0; v < r->text->unknowns; v++) SW_TRY(at(r, SW_IN_UNKNOWNS, v, check_unknown(r, v)));
    return SW_OK;
}

/* ------------------------------------------------------------------ one text */

/* Orders, and noise in derivatives, are refused by what makes differences. */
static enum sw_status check_derivatives(struct reader *r, const struct sw_expr *expr)
{
    struct sw_expr *differences = NULL;
    int reach;
    enum sw_status st = sw_expr_differences(expr, r->text->unknown, r->text->unknowns, 2, NULL, &reach, &differences,
                                            &r->err->error);
    sw_expr_destroy(&differences);
    return st;
}

/* Derivatives of what is the same at all points become 0, so that what is left of them are those of fields. */
static enum sw_status drop_constants(const struct sw_equation *equation, struct sw_expr *expr)
{
    unsigned *depends;
    SW_TRY(sw_alloc((size_t)expr->count, &depends));
    for (int k = 0; k < expr->count; k++) {
        struct node *node = &expr->node[k];
        depends[k] = node_depends(&equation->names, expr, k);
        for (int j = 0; j < op_table[node->op].operands; j++) depends[k] |= depends[node->child[j]];
        if (!op_derivative(node->op) || depends[k] & ~(unsigned)ON_T) continue;
        *node = (struct node){.op = OP_NUMBER, .child = {-1, -1, -1}, .column = node->column, .length = node->length};
        depends[k] = 0;
    }
    sw_free(depends);
    return tree_prune(expr);
}

static enum sw_status read_text(struct reader *r, const char *text, struct sw_expr **expr)
{
    SW_TRY(sw_expr_parse(text, expr, &r->err->error));
    SW_TRY(sw_field_check_names(&r->names, *expr, &r->err->error));
    SW_TRY(check_derivatives(r, *expr));
    return drop_constants(r->equation, *expr);
}

/* @param coefficient  out: [SW_EQUATION_ORDERS] */
static enum sw_status take_coefficients(const struct terms *t, struct sw_expr **coefficient)
{
    const int *linear = t->term[t->expr->root].linear;
    for (int order = 0; order < SW_EQUATION_ORDERS; order++)
        if (linear[order] >= 0 && !maker_is_value(&t->m, linear[order], 0))
            SW_TRY(tree_part(t->m.out, linear[order], &coefficient[order]));
    return SW_OK;
}

static void find_held(const struct terms *t, struct sw_equation_row *row)
{
    row->held = -1;
    for (int k = 0; k < t->expr->count; k++) {
        const struct term *term = &t->term[k];
        if (term->role != TERM || term_is_linear(t, k) || !(term->depends & (unsigned)ON_UNKNOWNS)) continue;
        if (term->order + term->depth > row->held) row->held = term->order + term->depth;
    }
}

static enum sw_status read_rhs(struct reader *r, int v)
{
    struct sw_equation_row *row = &r->equation->row[v];
    struct terms t = {0};
    if (!r->text->rhs[v]) return REFUSE_WHOLE(r, "", "the unknown '%s' has no right-hand side", r->text->unknown[v]);
    SW_TRY(read_text(r, r->text->rhs[v], &r->equation->whole[v]));
    SW_TRY(terms_find(&r->equation->names, r->equation->whole[v], v, &t));
    enum sw_status st = take_coefficients(&t, row->linear);
    find_held(&t, row);
    terms_free(&t);
    return st;
}

/* ------------------------------------------------------------------ `implicit` */

static enum sw_status check_linear(struct reader *r, const struct terms *t)
{
    const char *u = r->text->unknown[t->unknown];
    char hint[HINT];
    snprintf(hint, sizeof hint, "implicit is a sum of c*%s, c*dx(%s) .. c*dxxxx(%s) with c of numbers of the run", u, u,
             u);
    for (int k = 0; k < t->expr->count; k++) {
        const struct node *node = &t->expr->node[k];
        if (t->term[k].role != TERM || term_is_unknown(t, k)) continue;
        if (node->op == OP_NUMBER && node->value == 0) continue;
        return REFUSE(r, node, hint, "this term is not linear in %s with a constant coefficient", u);
    }
    return SW_OK;
}

static enum sw_status subtract(struct sw_expr **whole, const struct sw_expr *taken)
{
    struct node minus = {.op = OP_SUB, .child = {(*whole)->root, -1, -1}};
    SW_TRY(tree_append(*whole, taken, &minus.child[1]));
    (*whole)->root = tree_add(*whole, &minus);
    return (*whole)->root < 0 ? SW_E_MEMORY : SW_OK;
}

static enum sw_status read_implicit(struct reader *r, int v)
{
    struct sw_equation_row *row = &r->equation->row[v];
    struct sw_expr *expr = NULL;
    struct terms t = {0};
    enum sw_status st;
    if (!r->text->implicit[v]) return SW_OK;
    SW_TRY_TO(done, st, read_text(r, r->text->implicit[v], &expr));
    SW_TRY_TO(done, st, terms_find(&r->equation->names, expr, v, &t));
    SW_TRY_TO(done, st, check_linear(r, &t));
    SW_TRY_TO(done, st, take_coefficients(&t, row->stated));
    row->states = true;
    st = subtract(&r->equation->whole[v], expr);
done:
    terms_free(&t);
    sw_expr_destroy(&expr);
    return st;
}

/* ------------------------------------------------------------------ jumps */

static enum sw_status add_jump(struct sw_equation *e, int unknown, const struct node *node)
{
    SW_TRY(sw_resize((size_t)e->jumps, (size_t)e->jumps + 1, &e->jump));
    e->jump[e->jumps++] = (struct sw_equation_jump){.unknown = unknown, .column = node->column, .length = node->length,
                                                    .function = op_table[node->op].written,
                                                    .kink = op_has_kink(node->op)};
    return SW_OK;
}

/* What a condition is made of is told once, by its outermost operation. */
enum { SEEN = 1, TOLD = 2 };

static enum sw_status find_jumps(struct reader *r, int v, const struct terms *t)
{
    const struct sw_expr *expr = t->expr;
    enum sw_status st = SW_OK;
    char *inside;
    SW_TRY(sw_alloc((size_t)expr->count, &inside));
    for (int k = expr->root; k >= 0 && !st; k--) {
        const struct node *node = &expr->node[k];
        const unsigned depends = t->term[op_table[node->op].operands ? node->child[0] : k].depends;
        const bool varies = (node->op == OP_CHOICE ? depends : t->term[k].depends) & ~(unsigned)ON_T;
        const bool tells = inside[k] == SEEN && varies && (op_jumps(node->op) || op_has_kink(node->op));
        if (tells) st = add_jump(r->equation, v, node);
        for (int j = 0; j < op_table[node->op].operands; j++) {
            char *child = &inside[node->child[j]];
            *child = inside[k];
            if (op_derivative(node->op) && !*child) *child = SEEN;
            if (tells && (op_is_logic(node->op) || (node->op == OP_CHOICE && j == 0))) *child = TOLD;
        }
    }
    sw_free(inside);
    return st;
}

static enum sw_status find_all_jumps(struct reader *r, int v)
{
    struct terms t = {0};
    SW_TRY(terms_find(&r->equation->names, r->equation->whole[v], v, &t));
    enum sw_status st = find_jumps(r, v, &t);
    terms_free(&t);
    return st;
}

/* ------------------------------------------------------------------ all texts */

/* fourth_order.h: there is no P for both. */
static enum sw_status check_order(struct reader *r, int v)
{
    const bool both = sw_equation_implicit(r->equation, v, 3) && sw_equation_implicit(r->equation, v, 4);
    if (r->equation->order != 4 || !both) return SW_OK;
    const char *u = r->text->unknown[v];
    return REFUSE_WHOLE(r, "leave `order` at 2", "with order = 4 the equation of '%s' cannot have dxxx(%s) and "
                        "dxxxx(%s) with constant coefficients: five points give one of the two", u, u, u);
}

static enum sw_status read_all(struct reader *r)
{
    SW_TRY(check_unknowns(r));
    r->equation->order = r->text->order == 4 ? 4 : 2;
    memcpy(r->equation->closed, r->text->closed, sizeof r->text->closed);
    r->equation->fixed = r->text->fixed;
    r->equation->fixed_orders = r->text->fixed_orders;
    for (int v = 0; v < r->equation->unknowns; v++) {
        struct sw_equation_row *row = &r->equation->row[v];
        SW_TRY(at(r, SW_IN_RHS, v, read_rhs(r, v)));
        SW_TRY(find_all_jumps(r, v));
        SW_TRY(at(r, SW_IN_IMPLICIT, v, read_implicit(r, v)));
        SW_TRY(at(r, SW_IN_RHS, v, check_order(r, v)));
        for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
            const struct sw_expr *a = sw_equation_implicit(r->equation, v, order);
            double value;
            const bool always = row->states || r->equation->fixed || order % 2;
            row->taken[order] = !a ? SW_TAKEN_EXPLICITLY : always ? SW_TAKEN_IMPLICITLY : SW_TAKEN_BY_RUN;
            if (row->taken[order] == SW_TAKEN_BY_RUN && equation_literal(a, &value))
                row->taken[order] = sw_equation_take(r->equation, v, order, value);
        }
    }
    return SW_OK;
}

enum sw_status sw_equation_create(const struct sw_equation_text *text, struct sw_equation **equation,
                                  struct sw_equation_error *err)
{
    struct reader r = {.text = text, .err = err};
    *equation = NULL;
    *err = (struct sw_equation_error){.place = SW_IN_UNKNOWNS};
    SW_TRY(sw_alloc(1, &r.equation));
    enum sw_status st = read_all(&r);
    if (st) sw_equation_destroy(&r.equation);
    *equation = r.equation;
    return st;
}

void sw_equation_destroy(struct sw_equation **equation)
{
    struct sw_equation *e = equation ? *equation : NULL;
    if (!e) return;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
            sw_expr_destroy(&e->row[v].linear[order]);
            sw_expr_destroy(&e->row[v].stated[order]);
        }
        sw_expr_destroy(&e->whole[v]);
    }
    sw_free(e->jump);
    sw_free(e);
    *equation = NULL;
}
