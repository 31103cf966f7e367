#include "problem/line/kinds/manufactured.h"

#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "expr/maker.h"
#include "expr/sw_differences.h"

enum { TIME = SW_GRID_AXES, VARIABLES, LARGEST = 2 * DERIVATIVE_LARGEST };

static const char *const variable[VARIABLES] = {"x", "y", "z", "t"};

struct work {
    const struct sw_field_names *names;
    struct maker       m;
    struct expr_slopes slopes[VARIABLES];       /* by each coordinate, and by t          */
    int                exact[SW_UNKNOWNS_MOST]; /* the roots of E in m.out               */
    struct sw_expr_error *err;
};

/* ------------------------------------------------------------------ F of E */

static enum sw_status differentiate(struct work *w, int by, int order, int *k)
{
    for (int n = 0; n < order; n++) {
        SW_TRY(expr_slope(&w->m, &w->slopes[by], *k, variable[by], k));
        if (w->m.out->count > LARGEST)
            return expr_refuse(w->err, 0, 1, "give a shorter `exact`", "the derivatives of `exact` that it takes have "
                               "more than %d terms", LARGEST);
    }
    return SW_OK;
}

/* Node k of F in m.out, E in the place of unknowns and derivatives formed. @param place  of those before it */
static enum sw_status translate(struct work *w, const struct sw_expr *rhs, int k, int *place)
{
    struct node node = rhs->node[k];
    const char *name = node.op == OP_NAME ? rhs->names[node.name] : NULL;
    const int unknown = name ? sw_name_index(name, w->names->unknown, w->names->unknowns) : -1,
              order = op_derivative(node.op);
    w->m.column = node.column;
    w->m.length = node.length;
    if (op_is_random(node.op))
        return expr_refuse(w->err, node.column, node.length, "leave source = \"exact\" out, or the noise",
                           "no source makes up for %s(), which is drawn anew at each step", op_table[node.op].written);
    for (int j = 0; j < op_table[node.op].operands; j++) node.child[j] = place[node.child[j]];
    if (order) {
        place[k] = node.child[0];
        return differentiate(w, op_axis(node.op), order, &place[k]);
    }
    if (unknown >= 0) place[k] = w->exact[unknown];
    else if (name) place[k] = maker_name(&w->m, name);
    else place[k] = maker_node(&w->m, node.op, node.child[0], node.child[1], node.child[2], node.value);
    return w->m.failed ? SW_E_MEMORY : SW_OK;
}

static enum sw_status translate_all(struct work *w, const struct sw_expr *rhs, int *root)
{
    enum sw_status st = SW_OK;
    int *place;
    SW_TRY(sw_alloc((size_t)rhs->count, &place));
    for (int k = 0; k <= rhs->root && !st; k++) st = translate(w, rhs, k, place);
    if (!st) *root = place[rhs->root];
    sw_free(place);
    return st;
}

/* ------------------------------------------------------------------ the source */

static enum sw_status make(struct work *w, const struct sw_expr *rhs, const struct sw_expr *const *exact, int unknown)
{
    int rate, there;
    for (int v = 0; v < w->names->unknowns; v++) SW_TRY(tree_append(w->m.out, exact[v], &w->exact[v]));
    rate = w->exact[unknown];
    SW_TRY(differentiate(w, TIME, 1, &rate));
    SW_TRY(translate_all(w, rhs, &there));
    w->m.out->root = maker_minus(&w->m, rate, there);
    SW_TRY(w->m.failed ? SW_E_MEMORY : SW_OK);
    return tree_prune(w->m.out);
}

enum sw_status sw_manufacture_one(const struct sw_field_names *names, const struct sw_expr *rhs,
                                   const struct sw_expr *const *exact, int unknown, struct sw_expr **source,
                                   struct sw_expr_error *err)
{
    struct work w = {.names = names, .err = err};
    *source = NULL;
    SW_TRY(sw_alloc(1, &w.m.out));
    const enum sw_status st = make(&w, rhs, exact, unknown);
    for (int k = 0; k < VARIABLES; k++) expr_slopes_free(&w.slopes[k]);
    if (st) sw_expr_destroy(&w.m.out);
    *source = w.m.out;
    return st;
}

/* ------------------------------------------------------------------ jumps */

bool sw_manufactured_find_jump(const struct sw_field_names *names, const struct sw_expr *expr,
                               struct sw_equation_jump *jump)
{
    bool *varies, found = false;
    if (sw_alloc((size_t)expr->count, &varies)) return false;
    for (int k = 0; k <= expr->root && !found; k++) {
        const struct node *node = &expr->node[k];
        const char *name = node->op == OP_NAME ? expr->names[node->name] : NULL;
        varies[k] = name && (sw_field_axis(names, name) >= 0 || !strcmp(name, "t"));
        for (int j = 0; j < op_table[node->op].operands; j++) varies[k] |= varies[node->child[j]];
        const bool tells = op_table[node->op].operands && (node->op == OP_CHOICE ? varies[node->child[0]] : varies[k]);
        found = tells && (op_jumps(node->op) || op_has_kink(node->op));
        if (found)
            *jump = (struct sw_equation_jump){.column = node->column, .length = node->length,
                                              .function = op_table[node->op].written, .kink = op_has_kink(node->op)};
    }
    sw_free(varies);
    return found;
}

/* ------------------------------------------------------------------ the key */

static bool is_asked_for(const struct sw_setup *setup) { return sw_setup_chosen(setup, "source", "exact"); }

static struct sw_field_names names_of(const struct sw_setup *setup, int dimensions)
{
    struct sw_field_names names = {.dimensions = dimensions, .unknowns = setup->nunknown};
    for (int v = 0; v < setup->nunknown; v++) names.unknown[v] = setup->unknown[v];
    return names;
}

void sw_manufactured_free(struct sw_manufactured *source)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_expr_destroy(&source->expr[v]);
        sw_program_destroy(&source->program[v]);
    }
}

/* Names that rhs may not have are told where it is compiled itself. */
static enum sw_status compile(const struct sw_setup *setup, const struct sw_expr *expr, struct sw_program **program)
{
    struct sw_expr_error err;
    const enum sw_status st = sw_setup_compile(setup, expr, program, &err);
    return st == SW_E_CONFIG ? SW_OK : st;
}

enum sw_status sw_manufacture(const struct sw_setup *setup, int dimensions, struct sw_manufactured *source,
                              int *function, struct sw_expr_error *err)
{
    const struct sw_field_names names = names_of(setup, dimensions);
    const struct sw_expr *exact[SW_UNKNOWNS_MOST] = {NULL};
    enum sw_status st = SW_OK;
    *source = (struct sw_manufactured){.expr = {NULL}};
    if (!is_asked_for(setup)) return SW_OK;
    for (int v = 0; v < setup->nunknown; v++) {
        const struct sw_function *f = sw_setup_find_of(setup, "exact", v);
        if (!f) return SW_OK;  /* refused by sw_manufactured_check() */
        exact[v] = f->expr;
    }
    for (int v = 0; v < setup->nunknown && !st; v++) {
        const struct sw_function *rhs = sw_setup_find_of(setup, "rhs", v);
        if (!rhs) continue;
        st = sw_manufacture_one(&names, rhs->expr, exact, v, &source->expr[v], err);
        if (st == SW_E_CONFIG) *function = (int)(rhs - setup->function);
        if (!st) st = compile(setup, source->expr[v], &source->program[v]);
    }
    if (st) sw_manufactured_free(source);
    return st;
}

enum sw_status sw_manufactured_functions(const struct sw_manufactured *source, struct sw_setup *one,
                                         struct sw_function **function)
{
    *function = NULL;
    if (!source->expr[0]) return SW_OK;
    SW_TRY(sw_alloc((size_t)(one->nfunction + one->nunknown), function));
    memcpy(*function, one->function, (size_t)one->nfunction * sizeof **function);
    for (int v = 0; v < one->nunknown; v++)
        (*function)[one->nfunction + v] = (struct sw_function){
            .key = "source", .unknown = v, .text = "exact_t - rhs(exact)", .expr = source->expr[v],
            .program = source->program[v]};
    one->function = *function;
    one->nfunction += one->nunknown;
    return SW_OK;
}

const char *sw_manufactured_check(const struct sw_setup *setup, struct sw_text *why)
{
    if (!is_asked_for(setup)) return NULL;
    for (int v = 0; v < setup->nunknown; v++)
        if (!sw_setup_find_of(setup, "exact", v))
            return sw_refuse(why, "source", "the source is made of exact solutions, and `exact` has none of %s",
                             setup->unknown[v]);
    return NULL;
}

void sw_manufactured_describe(const struct sw_setup *setup, struct sw_text *text)
{
    if (is_asked_for(setup)) sw_text_add(text, "source   exact_t - rhs(exact), made of the texts of exact and rhs\n");
}

void sw_manufactured_warn(const struct sw_setup *setup, int dimensions, struct sw_text *text)
{
    const struct sw_field_names names = names_of(setup, dimensions);
    struct sw_equation_jump jump;
    if (!is_asked_for(setup)) return;
    for (int v = 0; v < setup->nunknown; v++) {
        const struct sw_function *f = sw_setup_find_of(setup, "exact", v);
        if (!f || !sw_manufactured_find_jump(&names, f->expr, &jump)) continue;
        sw_text_set(text, "exact of %s, column %d: the source takes '%s', %s, as if it were smooth", setup->unknown[v],
                    jump.column, jump.function, jump.kink ? "whose slope jumps" : "which jumps");
        return;
    }
}
