#include "problem/fields/wall_keys.h"

#include <string.h>

enum { VALUE, SLOPE, SECOND, THIRD };
static const char *const boundaries[SW_DIMS] = {"boundary.x", "boundary.y", "boundary.z"};
static const char *const side_name[2] = {"left", "right"};
static const char axis_name[] = "xyz";

#define CONDITIONS(side, axis)                                                                                        \
    {side "." axis ".dirichlet", side "." axis ".neumann", side "." axis ".d" axis axis,                              \
     side "." axis ".d" axis axis axis}
static const char *const conditions[2][SW_DIMS][FIELDS_CONDITION_KEYS] = {
    {CONDITIONS("left", "x"), CONDITIONS("left", "y"), CONDITIONS("left", "z")},
    {CONDITIONS("right", "x"), CONDITIONS("right", "y"), CONDITIONS("right", "z")},
};

const char *fields_condition_key(int side, int axis, int k) { return conditions[side][axis][k]; }

const struct sw_function *fields_condition(const struct sw_setup *setup, int side, int axis, int k, int unknown)
{
    return sw_setup_find_of(setup, conditions[side][axis][k], unknown);
}

static bool is_closed(const struct sw_setup *setup, int axis)
{
    return sw_setup_chosen(setup, "boundary", "no_flux") || sw_setup_chosen(setup, boundaries[axis], "no_flux");
}

/* Whether a condition is given there, of any unknown. */
static const char *first_condition(const struct sw_setup *setup, int axis)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < FIELDS_CONDITION_KEYS; k++)
            for (int f = 0; f < setup->nfunction; f++)
                if (!strcmp(setup->function[f].key, conditions[side][axis][k])) return conditions[side][axis][k];
    return NULL;
}

bool fields_has_walls(const struct sw_setup *setup, int axis)
{
    return is_closed(setup, axis) || first_condition(setup, axis);
}

enum fields_wall_kind fields_wall_kind_of(const struct sw_setup *setup, int side, int axis, int unknown, int key[2])
{
    const bool value = fields_condition(setup, side, axis, VALUE, unknown) != NULL,
               slope = fields_condition(setup, side, axis, SLOPE, unknown) != NULL;
    key[0] = value ? VALUE : SLOPE;
    key[1] = value ? slope ? SLOPE : SECOND : THIRD;
    return value && slope ? FIELDS_CLAMPED : value ? FIELDS_VALUE : FIELDS_SLOPE;
}

bool fields_wall_is_closed(const struct sw_setup *setup, int side, int axis, int unknown)
{
    return fields_has_walls(setup, axis) && !fields_condition(setup, side, axis, VALUE, unknown) &&
           sw_function_is_0(fields_condition(setup, side, axis, SLOPE, unknown)) &&
           sw_function_is_0(fields_condition(setup, side, axis, THIRD, unknown));
}

/* ------------------------------------------------------------------ what is wrong */

static const char *check_wall(const struct sw_setup *setup, const struct fields_terms *terms, int side, int axis, int v,
                              struct sw_text *why)
{
    const char *const *key = conditions[side][axis], *name = sw_setup_unknown(setup, v);
    const bool above = !terms || fields_terms_reach(terms, v, axis) > 1;
    const bool value = fields_condition(setup, side, axis, VALUE, v),
               slope = fields_condition(setup, side, axis, SLOPE, v);
    if (value && slope && !above)
        return sw_refuse(why, key[SLOPE], "%s of %s is given as well: both hold where %s has derivatives along %c "
                         "above the second, which it has not; give one of the two", key[VALUE], name, name,
                         axis_name[axis]);
    for (int k = 0; k < 2; k++) {
        if (!fields_condition(setup, side, axis, SECOND + k, v)) continue;
        if (value && slope)
            return sw_refuse(why, key[SECOND + k], "%s and %s of %s are given: two conditions are all that hold at a "
                             "wall", key[VALUE], key[SLOPE], name);
        if (!(k ? slope : value))
            return sw_refuse(why, key[SECOND + k], "it goes with %s of %s, which is not given", key[VALUE + k], name);
        if (k == 0 && !above)
            return sw_refuse(why, key[SECOND], "nothing uses it: no derivative of %s along %c is above the second; "
                             "leave it out", name, axis_name[axis]);
    }
    if (!value && !slope && !is_closed(setup, axis))
        return sw_refuse(why, key[VALUE], "nothing is said of %s at the %s wall of %c: set %s or %s, or boundary = { "
                         "%c = \"no_flux\"; }", name, side_name[side], axis_name[axis], key[VALUE], key[SLOPE],
                         axis_name[axis]);
    return NULL;
}

static const char *check_axis(const struct sw_setup *setup, const struct fields_terms *terms, int axis,
                              struct sw_text *why)
{
    const char *condition = first_condition(setup, axis), *key = NULL;
    if (axis >= setup->dim) {
        const char *word = sw_setup_word(setup, boundaries[axis]);
        if (word && *word) condition = boundaries[axis];
        return condition ? sw_refuse(why, condition, "the grid has no axis %c: it has %d dimensions", axis_name[axis],
                                     setup->dim) : NULL;
    }
    if (!fields_has_walls(setup, axis)) return NULL;
    if (condition && sw_setup_chosen(setup, boundaries[axis], "periodic"))
        return sw_refuse(why, condition, "it means nothing with %s = \"periodic\": leave one of the two out",
                         boundaries[axis]);
    if (sw_setup_chosen(setup, "order", "4"))
        return sw_refuse(why, "order", "fields between walls are of second order in space, and those of %c has walls: "
                         "leave it at 2, or all axes periodic", axis_name[axis]);
    for (int k = 0; k < 2 * sw_setup_unknowns(setup) && !key; k++)
        key = check_wall(setup, terms, k % 2, axis, k / 2, why);
    return key;
}

const char *fields_check_walls(const struct sw_setup *setup, const struct fields_terms *terms, struct sw_text *why)
{
    const char *key = NULL;
    for (int axis = 0; axis < SW_DIMS && !key; axis++) key = check_axis(setup, terms, axis, why);
    return key;
}

/* ------------------------------------------------------------------ for people */

static const char *text_of(const struct sw_setup *setup, int side, int axis, int k, int v)
{
    const struct sw_function *f = fields_condition(setup, side, axis, k, v);
    return f ? f->text : "0";
}

/* "u = 0, u_yy = 0" */
static void describe_wall(const struct sw_setup *setup, const struct fields_terms *terms, int side, int axis, int v,
                          struct sw_text *text)
{
    static const int order[] = {[VALUE] = 0, [SLOPE] = 1, [SECOND] = 2, [THIRD] = 3};
    int key[2];
    fields_wall_kind_of(setup, side, axis, v, key);
    for (int k = 0; k < 2; k++) {
        if (k && fields_terms_reach(terms, v, axis) < 2 && !fields_condition(setup, side, axis, key[1], v)) continue;
        sw_text_printf(text, "%s%s%s", k ? ", " : "", sw_setup_unknown(setup, v), order[key[k]] ? "_" : "");
        for (int d = 0; d < order[key[k]]; d++) sw_text_printf(text, "%c", axis_name[axis]);
        sw_text_printf(text, " = %s", text_of(setup, side, axis, key[k], v));
    }
}

void fields_describe_walls(const struct sw_setup *setup, const struct fields_terms *terms, struct sw_text *text)
{
    for (int k = 0; k < 2 * setup->dim; k++) {
        const int axis = k / 2, side = k % 2;
        if (!fields_has_walls(setup, axis)) continue;
        sw_text_printf(text, "%-5s %c  ", side_name[side], axis_name[axis]);
        for (int v = 0; v < sw_setup_unknowns(setup); v++) {
            if (v) sw_text_add(text, " · ");
            describe_wall(setup, terms, side, axis, v, text);
        }
        sw_text_add(text, "\n");
    }
}
