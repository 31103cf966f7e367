#include "problem/line/kinds/line_ends.h"

#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "expr/parity.h"
#include "problem/line/kinds/equation_impl.h"
#include "problem/line/kinds/equation_coefficients.h"

enum { VALUE, SLOPE, SECOND, THIRD };
static const char *const conditions[2][SW_LINE_CONDITIONS] = {
    {"left.dirichlet", "left.neumann", "left.dxx", "left.dxxx"},
    {"right.dirichlet", "right.neumann", "right.dxx", "right.dxxx"},
};
static const char *const side_name[2] = {"left", "right"};

static bool is_axis(const char *word) { return word && word[0] == '$'; }

static bool is_condition(const char *key)
{
    for (int side = 0; side < 2; side++)
        if (sw_name_index(key, conditions[side], SW_LINE_CONDITIONS) >= 0) return true;
    return false;
}

bool sw_line_has_ends(const struct sw_setup *setup)
{
    const char *boundary = sw_setup_word(setup, "boundary");
    bool ends = boundary && (!strcmp(boundary, "no_flux") || is_axis(boundary));
    for (int k = 0; k < setup->nfunction && !ends; k++) ends = is_condition(setup->function[k].key);
    return ends;
}

const char *sw_line_condition_key(int side, int k) { return conditions[side][k]; }

bool sw_line_walls(const struct sw_setup *setup, int d) { return d == 0 && sw_line_has_ends(setup); }

static const struct sw_function *given(const struct sw_setup *setup, int side, int k, int v)
{
    return sw_setup_find_of(setup, conditions[side][k], v);
}

bool sw_line_end_has_value(const struct sw_setup *setup, int side, int v)
{
    return given(setup, side, VALUE, v) != NULL;
}

bool sw_line_end_is_given(const struct sw_setup *setup, int side, int v)
{
    return given(setup, side, VALUE, v) || given(setup, side, SLOPE, v);
}

static bool has_second(const struct sw_setup *setup, int side, int v)
{
    return given(setup, side, sw_line_end_has_value(setup, side, v) ? SECOND : THIRD, v) != NULL;
}

bool sw_line_end_is_closed(const struct sw_setup *setup, int side, int v)
{
    return sw_line_has_ends(setup) && !sw_line_end_has_value(setup, side, v) &&
           sw_function_is_0(given(setup, side, SLOPE, v)) && sw_function_is_0(given(setup, side, THIRD, v));
}

/* ------------------------------------------------------------------ what is wrong */

/* One of value and slope; the second derivative goes with the value, the third with the slope. The second derivative
 * beside a value is that of the point beyond the end, which nobody asks for whose stencils have three points: at the
 * end itself the value is known. Other unknowns' equations there may. */
static const char *check_end(const struct sw_setup *setup, int side, int v, bool above_second, struct sw_text *why)
{
    const char *const *key = conditions[side], *name = sw_setup_unknown(setup, v);
    if (given(setup, side, VALUE, v) && given(setup, side, SLOPE, v))
        return sw_refuse(why, key[SLOPE], "%s of %s is given as well: one of the two", key[VALUE], name);
    for (int k = 0; k < 2; k++)
        if (given(setup, side, SECOND + k, v) && !given(setup, side, VALUE + k, v))
            return sw_refuse(why, key[SECOND + k], "it goes with %s of %s, which is not given", key[VALUE + k], name);
    if (given(setup, side, SECOND, v) && !above_second)
        return sw_refuse(why, key[SECOND], "nothing uses it: no derivative of %s is above the second; leave it out",
                         name);
    if (!sw_line_end_is_given(setup, side, v) && !sw_setup_chosen(setup, "boundary", "no_flux"))
        return sw_refuse(why, "boundary", "nothing is said of %s at the %s end: set %s or %s, or boundary = "
                         "\"no_flux\"", name, side_name[side], key[VALUE], key[SLOPE]);
    return NULL;
}

/* @param above_second  bit v: something differentiates unknown v so often that u_xx at an end counts beside u
 * @return the key to blame, NULL: nothing */
static const char *check_ends(const struct sw_setup *setup, unsigned above_second, struct sw_text *why)
{
    const char *wrong = NULL;
    if (sw_setup_chosen(setup, "order", "4") && sw_line_has_ends(setup))
        return sw_refuse(why, "order", "lines that end are of second order in space: leave it at 2, or boundary at "
                         "\"periodic\"");
    for (int side = 0; side < 2 && sw_line_has_ends(setup); side++)
        for (int v = 0; v < sw_setup_unknowns(setup) && !wrong; v++)
            wrong = check_end(setup, side, v, above_second >> v & 1, why);
    return wrong;
}

/* ------------------------------------------------------------------ for the stepper */

static const struct sw_program *condition(const struct sw_setup *setup, int side, int k, int v)
{
    const struct sw_function *f = given(setup, side, k, v);
    return f ? f->program : NULL;
}

struct sw_line_end sw_line_end_of(const struct sw_setup *setup, int side, int v)
{
    if (!sw_line_has_ends(setup)) return (struct sw_line_end){0};
    const bool value = sw_line_end_has_value(setup, side, v);
    return (struct sw_line_end){.kind = value ? SW_END_VALUE : SW_END_SLOPE,
                                .first = condition(setup, side, value ? VALUE : SLOPE, v),
                                .second = condition(setup, side, value ? SECOND : THIRD, v)};
}

/* ------------------------------------------------------------------ for people */

static const char *text_of(const struct sw_setup *setup, int side, int k, int v)
{
    const struct sw_function *f = given(setup, side, k, v);
    return f ? f->text : "0";
}

/* @param above_second  bit v: the conditions of unknown v are two at each end, given or not */
static void describe_ends(const struct sw_setup *setup, unsigned above_second, struct sw_text *text)
{
    for (int side = 0; side < 2 && sw_line_has_ends(setup); side++) {
        sw_text_printf(text, "%-9s", side_name[side]);
        for (int v = 0; v < sw_setup_unknowns(setup); v++) {
            const bool value = sw_line_end_has_value(setup, side, v);
            const char *name = sw_setup_unknown(setup, v);
            sw_text_printf(text, "%s%s%s = %s", v ? " · " : "", name, value ? "" : "_x",
                           text_of(setup, side, value ? VALUE : SLOPE, v));
            if ((above_second >> v & 1) || has_second(setup, side, v))
                sw_text_printf(text, ", %s_%s = %s", name, value ? "xx" : "xxx",
                               text_of(setup, side, value ? SECOND : THIRD, v));
        }
        sw_text_add(text, "\n");
    }
}

/* ------------------------------------------------------------------ what a right-hand side does at an end */

int sw_equation_highest(const struct sw_equation *equation, int row, int unknown)
{
    const struct sw_expr *expr = equation->whole[row];
    int *above, highest = 0;
    if (sw_alloc((size_t)expr->count, &above)) return 4;  /* more than there is, rather than less */
    for (int k = expr->root; k >= 0; k--) {
        const struct node *node = &expr->node[k];
        const int order = above[k] + op_derivative(node->op);
        const unsigned depends = node_depends(&equation->names, expr, k);
        if (depends == (unsigned)ON_UNKNOWN << unknown && order > highest) highest = order;
        for (int j = 0; j < op_table[node->op].operands; j++)
            if (above[node->child[j]] < order) above[node->child[j]] = order;
    }
    sw_free(above);
    return highest;
}

/* ------------------------------------------------------------------ fluxes */

int sw_equation_open_flux(const struct sw_equation *equation, int unknown)
{
    const struct sw_expr *expr = equation->whole[unknown];
    const struct node *top = &expr->node[expr->root];
    int column = 0;
    /* rhs alone, of rhs - implicit */
    (void)!expr_open_flux(expr, equation->row[unknown].states ? top->child[0] : expr->root, 0, &column);
    return column;
}

/* ------------------------------------------------------------------ conditions */

/* How often it is differentiated in any equation. */
static int highest(const struct equation_model *m, int v)
{
    int order = 0;
    for (int w = 0; w < m->equation->unknowns; w++) {
        const int of_row = sw_equation_highest(m->equation, w, v);
        if (of_row > order) order = of_row;
    }
    return order;
}

/* The second derivative beside a value counts for an unknown's own equation where that has derivatives above the
 * second, and for the others' where they have any. */
static unsigned above_second(const struct sw_setup *setup)
{
    const struct equation_model *m = equation_model_of(setup);
    unsigned above = m && !m->kind ? 0 : ~0U;  /* a kind has the keys that its equation uses */
    for (int v = 0; m && v < setup->nunknown; v++)
        for (int w = 0; w < setup->nunknown; w++)
            if (sw_equation_highest(m->equation, w, v) > (w == v ? 2 : 0)) above |= 1U << v;
    return above;
}

const char *sw_line_check_ends(const struct sw_setup *setup, struct sw_text *why)
{
    return check_ends(setup, above_second(setup), why);
}

void sw_line_describe_ends(const struct sw_line_kind *kind, const struct sw_setup *setup, struct sw_text *text)
{
    unsigned above = kind && kind->highest > 2;
    for (int v = 0; v < setup->nunknown; v++)
        if (highest(equation_model_of(setup), v) > 2) above |= 1U << v;
    describe_ends(setup, above, text);
}

enum sw_status sw_line_warn_flux(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    (void)ld, (void)column, (void)j, (void)state;
    for (int v = 0; m && sw_setup_chosen(setup, "boundary", "no_flux") && v < setup->nunknown; v++) {
        const bool open = !sw_line_end_is_given(setup, 0, v) || !sw_line_end_is_given(setup, 1, v);
        const int at = open ? sw_equation_open_flux(m->equation, v) : 0;
        if (!at) continue;
        sw_text_set(text, "rhs of %s, column %d: boundary = \"no_flux\" is u_x = u_xxx = 0; the flux of this "
                    "derivative goes through the ends, and the mean is not kept", setup->unknown[v], at);
        return SW_OK;
    }
    return SW_OK;
}

/* Four conditions, two at each end, are those of an equation of fourth order. */
enum sw_status sw_line_warn_third(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  const double *state, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    (void)ld, (void)column, (void)j, (void)state;
    for (int v = 0; m && sw_line_has_ends(setup) && v < setup->nunknown; v++)
        for (int side = 0; side < 2; side++) {
            if (highest(m, v) != 3 || has_second(setup, side, v)) continue;
            const bool value = sw_line_end_has_value(setup, side, v);
            sw_text_set(text, "at the %s end %s_%s = 0 holds as well, unless %s.%s is given: an equation with third "
                        "derivatives has but three conditions; where it does not hold, the error is of order 0 in dx",
                        side_name[side], setup->unknown[v], value ? "xx" : "xxx", side_name[side],
                        value ? "dxx" : "dxxx");
            return SW_OK;
        }
    return SW_OK;
}
