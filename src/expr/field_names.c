#include "expr/field_names.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "expr/expr_impl.h"
#include "expr/sw_differences.h"

enum { HINT = sizeof ((struct sw_expr_error *)0)->hint, KNOWN_MORE = 6 };

int sw_field_axis(const struct sw_field_names *names, const char *name)
{
    for (int axis = 0; axis < names->dimensions; axis++)
        if (name[0] == "xyz"[axis] && !name[1]) return axis;
    return -1;
}

/* ------------------------------------------------------------------ unknowns */

/* Why a name cannot be an unknown's; NULL: it can. */
static const char *unfit(const struct sw_field_names *names, const char *name)
{
    const char *word;
    double value;
    if (strlen(name) > SW_UNKNOWN_LONGEST) return "names of unknowns have at most 48 characters";
    /* on a line an unknown may be called lap: where no '(' follows the name is no function's */
    if (op_find_function(name) < OP_COUNT ||
        (names->dimensions > 1 && op_is_grid_operator(name, names->dimensions)))
        return "it is a function of the expressions";
    for (int k = 0; (word = sw_expr_constant(k, &value)); k++)
        if (!strcmp(word, name)) return "it is a constant of the expressions";
    if (sw_field_axis(names, name) >= 0)
        return names->dimensions > 1 ? "it is a coordinate" : "it is the coordinate";
    if (!strcmp(name, "t")) return "it is the time";
    if (sw_name_index(name, names->number, names->numbers) >= 0) return "it is a number of the run";
    if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(name) ||
        (*name >= '0' && *name <= '9'))
        return "a name is made of letters, digits and _, and begins with no digit";
    return NULL;
}

enum sw_status sw_field_check_unknown(const struct sw_field_names *names, int v, struct sw_expr_error *err)
{
    const char *name = names->unknown[v], *why = unfit(names, name);
    if (why) return expr_refuse(err, 0, 1, why, "'%.*s' cannot be an unknown", SW_UNKNOWN_LONGEST, name);
    return sw_name_index(name, names->unknown, v) < 0 ? SW_OK
           : expr_refuse(err, 0, 1, "", "two unknowns are called '%s'", name);
}

/* ------------------------------------------------------------------ names in a text */

/* The unknown that a name would be a derivative of, written like u_t, u_xx or ux: -1 for none. */
static int subscripted(const struct sw_field_names *names, const char *name, const char *letters)
{
    for (int v = 0; v < names->unknowns; v++) {
        const size_t length = strlen(names->unknown[v]);
        if (strncmp(name, names->unknown[v], length)) continue;
        const char *rest = name + length + (name[length] == '_');
        if (*rest && strspn(rest, letters) == strlen(rest)) return v;
    }
    return -1;
}

#define REFUSE(...) expr_refuse(err, node->column, node->length, __VA_ARGS__)

static enum sw_status refuse_name(const struct sw_field_names *names, const struct node *node, const char *name,
                                  struct sw_expr_error *err)
{
    static const char *const axes[] = {"x", "xy", "xyz"};
    const char **known;
    char hint[HINT];
    int count = 0, v;
    if ((v = subscripted(names, name, "t")) >= 0)
        return REFUSE("rhs is what it equals", "'%s' is a derivative in time, which stands on the left only", name);
    if ((v = subscripted(names, name, axes[names->dimensions - 1])) >= 0) {
        const char *letters = name + strlen(names->unknown[v]);
        snprintf(hint, sizeof hint, "write d%.4s(%s)", letters + (*letters == '_'), names->unknown[v]);
        return REFUSE(hint, "unknown name '%s'", name);
    }
    if (op_derivative(op_find_function(name)) || op_is_grid_operator(name, names->dimensions))
        return REFUSE("", "'%s' without what it is the derivative of; write %s(%s)", name, name, names->unknown[0]);
    SW_TRY(sw_alloc((size_t)(names->unknowns + names->numbers + KNOWN_MORE), &known));
    for (v = 0; v < names->unknowns; v++) known[count++] = names->unknown[v];
    for (int k = 0; k < names->numbers; k++) known[count++] = names->number[k];
    for (int axis = 0; axis < names->dimensions; axis++) known[count++] = (const char *const[]){"x", "y", "z"}[axis];
    known[count++] = "t";
    known[count++] = "pi";
    known[count++] = "e";
    expr_hint_names(hint, name, known, count);
    sw_free(known);
    return REFUSE(hint, "unknown name '%s'", name);
}

enum sw_status sw_field_check_names(const struct sw_field_names *names, const struct sw_expr *expr,
                                    struct sw_expr_error *err)
{
    for (int k = 0; k < expr->count; k++) {
        const struct node *node = &expr->node[k];
        if (node->op != OP_NAME) continue;
        const char *name = expr->names[node->name];
        bool known = sw_field_axis(names, name) >= 0 || !strcmp(name, "t") ||
                     sw_name_index(name, names->number, names->numbers) >= 0;
        for (int v = 0; v < names->unknowns; v++) known |= !strcmp(name, names->unknown[v]);
        if (!known) return refuse_name(names, node, name, err);
    }
    return SW_OK;
}
