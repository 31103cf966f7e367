/* What holds at the ends of lines: the conditions of a config, what is wrong with them, and what they let through. */
#include <stdio.h>

#include "base/sw_text.h"
#include "problem/equation/equation_model.h"

enum { VALUE, SLOPE, SECOND, THIRD, CONDITIONS };
static const char *const conditions[2][CONDITIONS] = {
    {"left.dirichlet", "left.neumann", "left.dxx", "left.dxxx"},
    {"right.dirichlet", "right.neumann", "right.dxx", "right.dxxx"},
};
static const char *const side_name[2] = {"left", "right"};

bool equation_has_ends(const struct sw_setup *setup)
{
    bool ends = sw_setup_chosen(setup, "boundary", "no_flux");
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < CONDITIONS; k++) ends |= sw_setup_find(setup, conditions[side][k]) != NULL;
    return ends;
}

static const struct sw_function *given(const struct sw_setup *setup, int side, int k, int v)
{
    return sw_setup_find_of(setup, conditions[side][k], v);
}

/* ------------------------------------------------------------------ what is wrong */

/* The second derivative beside a value is that of the point beyond the end, which nobody asks for whose stencils have
 * three points: at the end itself the value is known. Other unknowns' equations there may. */
static bool uses_second(const struct sw_setup *setup, int v)
{
    const struct equation_model *m = equation_model_of(setup);
    bool uses = !m;
    for (int w = 0; m && w < setup->nunknown; w++) uses |= sw_equation_highest(m->equation, w, v) > (w == v ? 2 : 0);
    return uses;
}

/* One of value and slope; the second derivative goes with the value, the third with the slope. */
static const char *check_end(const struct sw_setup *setup, int side, int v, char why[160])
{
    const char *const *key = conditions[side], *name = setup->unknown[v];
    const bool value = given(setup, side, VALUE, v), slope = given(setup, side, SLOPE, v);
    if (value && slope) {
        snprintf(why, 160, "%s of %s is given as well: one of the two", key[VALUE], name);
        return key[SLOPE];
    }
    for (int k = 0; k < 2; k++)
        if (given(setup, side, SECOND + k, v) && !given(setup, side, VALUE + k, v)) {
            snprintf(why, 160, "it goes with %s of %s, which is not given", key[VALUE + k], name);
            return key[SECOND + k];
        }
    if (given(setup, side, SECOND, v) && !uses_second(setup, v)) {
        snprintf(why, 160, "nothing uses it: no derivative of %s is above the second; leave it out", name);
        return key[SECOND];
    }
    if (!value && !slope && !sw_setup_chosen(setup, "boundary", "no_flux")) {
        snprintf(why, 160, "nothing is said of %s at the %s end: set %s or %s, or boundary = \"no_flux\"", name,
                 side_name[side], key[VALUE], key[SLOPE]);
        return "boundary";
    }
    return NULL;
}

const char *equation_check_ends(const struct sw_setup *setup, char why[160])
{
    const char *wrong = NULL;
    if (sw_setup_chosen(setup, "order", "4") && equation_has_ends(setup)) {
        snprintf(why, 160, "lines that end are of second order in space: leave it at 2, or boundary at \"periodic\"");
        return "order";
    }
    for (int side = 0; side < 2 && equation_has_ends(setup); side++)
        for (int v = 0; v < setup->nunknown && !wrong; v++) wrong = check_end(setup, side, v, why);
    return wrong;
}

/* ------------------------------------------------------------------ for the stepper */

static const struct sw_program *condition(const struct sw_setup *setup, int side, int k, int v)
{
    const struct sw_function *f = given(setup, side, k, v);
    return f ? f->program : NULL;
}

struct sw_line_end equation_end(const struct sw_setup *setup, int side, int v)
{
    if (!equation_has_ends(setup)) return (struct sw_line_end){0};
    const bool value = given(setup, side, VALUE, v) != NULL;
    return (struct sw_line_end){.kind = value ? SW_END_VALUE : SW_END_SLOPE,
                                .first = condition(setup, side, value ? VALUE : SLOPE, v),
                                .second = condition(setup, side, value ? SECOND : THIRD, v)};
}

/* ------------------------------------------------------------------ for people */

static int highest(const struct equation_model *m, int v)
{
    int order = 0;
    for (int w = 0; w < m->equation->unknowns; w++) {
        const int of_row = sw_equation_highest(m->equation, w, v);
        if (of_row > order) order = of_row;
    }
    return order;
}

static const char *text_of(const struct sw_setup *setup, int side, int k, int v)
{
    const struct sw_function *f = given(setup, side, k, v);
    return f ? f->text : "0";
}

void equation_describe_ends(const struct equation_model *m, const struct sw_setup *setup, struct sw_text *text)
{
    for (int side = 0; side < 2 && equation_has_ends(setup); side++) {
        sw_text_printf(text, "%-9s", side_name[side]);
        for (int v = 0; v < setup->nunknown; v++) {
            const bool value = given(setup, side, VALUE, v) != NULL;
            const int first = value ? VALUE : SLOPE, second = value ? SECOND : THIRD;
            const char *name = setup->unknown[v];
            sw_text_printf(text, "%s%s%s = %s", v ? " · " : "", name, value ? "" : "_x",
                           text_of(setup, side, first, v));
            if (highest(m, v) > 2 || given(setup, side, second, v))
                sw_text_printf(text, ", %s_%s = %s", name, value ? "xx" : "xxx", text_of(setup, side, second, v));
        }
        sw_text_add(text, "\n");
    }
}

enum sw_status equation_warn_flux(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, const double *state, char text[200])
{
    const struct equation_model *m = equation_model_of(setup);
    (void)problem, (void)ld, (void)column, (void)j, (void)state;
    for (int v = 0; m && sw_setup_chosen(setup, "boundary", "no_flux") && v < setup->nunknown; v++) {
        bool open = false;
        for (int side = 0; side < 2; side++)
            open |= !given(setup, side, VALUE, v) && !given(setup, side, SLOPE, v);
        const int at = open ? sw_equation_open_flux(m->equation, v) : 0;
        if (!at) continue;
        snprintf(text, 200, "rhs of %s, column %d: boundary = \"no_flux\" is u_x = u_xxx = 0; the flux of this "
                 "derivative goes through the ends, and the mean is not kept", setup->unknown[v], at);
        return SW_OK;
    }
    return SW_OK;
}

/* Four conditions, two at each end, are those of an equation of fourth order. */
enum sw_status equation_warn_third(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, const double *state, char text[200])
{
    const struct equation_model *m = equation_model_of(setup);
    (void)problem, (void)ld, (void)column, (void)j, (void)state;
    for (int v = 0; m && equation_has_ends(setup) && v < setup->nunknown; v++)
        for (int side = 0; side < 2; side++) {
            const bool value = given(setup, side, VALUE, v) != NULL;
            if (highest(m, v) != 3 || given(setup, side, value ? SECOND : THIRD, v)) continue;
            snprintf(text, 200, "at the %s end %s_%s = 0 holds as well, unless %s.%s is given: an equation with third "
                     "derivatives has but three conditions; where it does not hold, the error is of order 0 in dx",
                     side_name[side], setup->unknown[v], value ? "xx" : "xxx", side_name[side],
                     value ? "dxx" : "dxxx");
            return SW_OK;
        }
    return SW_OK;
}
