#include "problem/line/kinds/line_ends.h"

#include <stdio.h>
#include <string.h>

enum { VALUE, SLOPE, SECOND, THIRD };
static const char *const conditions[2][SW_LINE_CONDITIONS] = {
    {"left.dirichlet", "left.neumann", "left.dxx", "left.dxxx"},
    {"right.dirichlet", "right.neumann", "right.dxx", "right.dxxx"},
};
static const char *const side_name[2] = {"left", "right"};

static int unknowns_of(const struct sw_setup *setup) { return setup->nunknown ? setup->nunknown : 1; }

static const char *name_of(const struct sw_setup *setup, int v) { return setup->nunknown ? setup->unknown[v] : "u"; }

static bool is_axis(const char *word) { return word && word[0] == '$'; }

static bool is_condition(const char *key)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < SW_LINE_CONDITIONS; k++)
            if (!strcmp(key, conditions[side][k])) return true;
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

bool sw_line_end_has_second(const struct sw_setup *setup, int side, int v)
{
    return given(setup, side, sw_line_end_has_value(setup, side, v) ? SECOND : THIRD, v) != NULL;
}

static bool is_0(const struct sw_function *f)
{
    double value;
    return !f || (f->program && sw_program_constant(f->program, &value) && value == 0);
}

bool sw_line_end_is_closed(const struct sw_setup *setup, int side, int v)
{
    return sw_line_has_ends(setup) && !sw_line_end_has_value(setup, side, v) && is_0(given(setup, side, SLOPE, v)) &&
           is_0(given(setup, side, THIRD, v));
}

/* ------------------------------------------------------------------ what is wrong */

/* One of value and slope; the second derivative goes with the value, the third with the slope. The second derivative
 * beside a value is that of the point beyond the end, which nobody asks for whose stencils have three points: at the
 * end itself the value is known. Other unknowns' equations there may. */
static const char *check_end(const struct sw_setup *setup, int side, int v, bool above_second, char why[160])
{
    const char *const *key = conditions[side], *name = name_of(setup, v);
    if (given(setup, side, VALUE, v) && given(setup, side, SLOPE, v)) {
        snprintf(why, 160, "%s of %s is given as well: one of the two", key[VALUE], name);
        return key[SLOPE];
    }
    for (int k = 0; k < 2; k++)
        if (given(setup, side, SECOND + k, v) && !given(setup, side, VALUE + k, v)) {
            snprintf(why, 160, "it goes with %s of %s, which is not given", key[VALUE + k], name);
            return key[SECOND + k];
        }
    if (given(setup, side, SECOND, v) && !above_second) {
        snprintf(why, 160, "nothing uses it: no derivative of %s is above the second; leave it out", name);
        return key[SECOND];
    }
    if (!sw_line_end_is_given(setup, side, v) && !sw_setup_chosen(setup, "boundary", "no_flux")) {
        snprintf(why, 160, "nothing is said of %s at the %s end: set %s or %s, or boundary = \"no_flux\"", name,
                 side_name[side], key[VALUE], key[SLOPE]);
        return "boundary";
    }
    return NULL;
}

const char *sw_line_check_ends(const struct sw_setup *setup, unsigned above_second, char why[160])
{
    const char *wrong = NULL;
    if (sw_setup_chosen(setup, "order", "4") && sw_line_has_ends(setup)) {
        snprintf(why, 160, "lines that end are of second order in space: leave it at 2, or boundary at \"periodic\"");
        return "order";
    }
    for (int side = 0; side < 2 && sw_line_has_ends(setup); side++)
        for (int v = 0; v < unknowns_of(setup) && !wrong; v++)
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

void sw_line_describe_ends(const struct sw_setup *setup, unsigned above_second, struct sw_text *text)
{
    for (int side = 0; side < 2 && sw_line_has_ends(setup); side++) {
        sw_text_printf(text, "%-9s", side_name[side]);
        for (int v = 0; v < unknowns_of(setup); v++) {
            const bool value = sw_line_end_has_value(setup, side, v);
            const char *name = name_of(setup, v);
            sw_text_printf(text, "%s%s%s = %s", v ? " · " : "", name, value ? "" : "_x",
                           text_of(setup, side, value ? VALUE : SLOPE, v));
            if ((above_second >> v & 1) || sw_line_end_has_second(setup, side, v))
                sw_text_printf(text, ", %s_%s = %s", name, value ? "xx" : "xxx",
                               text_of(setup, side, value ? SECOND : THIRD, v));
        }
        sw_text_add(text, "\n");
    }
}
