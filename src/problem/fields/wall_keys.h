#ifndef WALL_KEYS_H
#define WALL_KEYS_H
/* The walls of fields in a config (docs/explanation/fields.md, "Walls"): the key `boundary`, one word for all axes or a
 * group of one for each; and what is given at the left or right wall of an axis, with the words of lines
 * (problem/line/kinds/line_ends.h), of each unknown: its value (dirichlet), its derivative along the axis (neumann),
 * both, or the second derivative beside the value and the third beside the first. An axis of which one is given has
 * walls, as one with no_flux has. */
#include "base/sw_text.h"
#include "problem/fields/walls.h"
#include "problem/sw_problem.h"

/* EVERY: one for each unknown, of which GROUP says so. */
#define FIELDS_CONDITION(side, axis, name, what, every, group, remark)                                                \
    {.path = side "." axis "." name, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T,       \
     .each = every, .decides = true, .unless = "boundary", .unless_word = "periodic",                                 \
     .about = what " at the " side " wall of " axis ", an expression in the coordinates and t" group remark}
#define FIELDS_WALL_OF_SECOND_ORDER(side, axis, every, group)                                                         \
    FIELDS_CONDITION(side, axis, "dirichlet", "The value of u", every, group, "; both ends of the axis are points."), \
    FIELDS_CONDITION(side, axis, "neumann", "The derivative u_" axis, every, group,                                   \
                     "; both ends of the axis are points.")
#define FIELDS_WALL(side, axis, every, group)                                                                         \
    FIELDS_WALL_OF_SECOND_ORDER(side, axis, every, group),                                                            \
    FIELDS_CONDITION(side, axis, "d" axis axis, "Beside the value: the second derivative u_" axis axis, every, group, \
                     "; 0 unless given."),                                                                            \
    FIELDS_CONDITION(side, axis, "d" axis axis axis, "Beside u_" axis ": the third derivative u_" axis axis axis,     \
                     every, group, "; 0 unless given.")
#define FIELDS_BOUNDARY(axis)                                                                                         \
    {.path = "boundary." axis, .kind = SW_KEY_WORD, .words = "periodic|no_flux", .fallback = "", .decides = true,     \
     .common = true, .added_later = true,                                                                             \
     .about = "What the ends of " axis " are, where `boundary` is a group: periodic, or walls with u_" axis " = u_"   \
              axis axis axis " = 0 where left." axis " and right." axis " say nothing else; they make walls too."}

/* OF: FIELDS_WALL, or FIELDS_WALL_OF_SECOND_ORDER. */
#define FIELDS_WALL_KEYS(of, every, group)                                                                            \
    {.path = "boundary", .kind = SW_KEY_WORD, .words = "periodic|no_flux", .fallback = "periodic", .decides = true,   \
     .common = true,                                                                                                  \
     .instead = "an axis each: boundary = { y = \"no_flux\"; }; values and slopes: left = { y = { dirichlet = ...; "  \
                "}; } and the like",                                                                                  \
     .about = "What the ends of all axes are: periodic, or walls without flux, u_x = u_xxx = 0 across them; or a "    \
              "group with a word for each axis that has walls."},                                                     \
    FIELDS_BOUNDARY("x"), FIELDS_BOUNDARY("y"), FIELDS_BOUNDARY("z"),                                                 \
    of("left", "x", every, group), of("right", "x", every, group), of("left", "y", every, group),                     \
    of("right", "y", every, group), of("left", "z", every, group), of("right", "z", every, group)

/** struct sw_problem_shape.walls. The setup counts for its choices and functions only, as below. */
bool fields_has_walls(const struct sw_setup *setup, int axis);

/** A condition of an unknown at a wall, 0 .. FIELDS_CONDITION_KEYS - 1; NULL: it is not given.
 * @param side  0 left, 1 right */
enum { FIELDS_CONDITION_KEYS = 4 };
const struct sw_function *fields_condition(const struct sw_setup *setup, int side, int axis, int k, int unknown);
const char *fields_condition_key(int side, int axis, int k);

/** What holds at a wall, and which of the keys give it: -1: none. */
enum fields_wall_kind fields_wall_kind_of(const struct sw_setup *setup, int side, int axis, int unknown, int key[2]);

/** Whether no flux of an unknown goes through a wall, u_n = u_nnn = 0 there, at any time. */
bool fields_wall_is_closed(const struct sw_setup *setup, int side, int axis, int unknown);

/** What is wrong with the walls; dim of the setup counts, too. @param terms  of the equations; NULL: they are wrong
 * @return the key to blame, NULL: nothing */
const char *fields_check_walls(const struct sw_setup *setup, const struct fields_terms *terms, struct sw_text *why);

/** Lines of struct sw_problem_advice.describe: which conditions hold at walls. */
void fields_describe_walls(const struct sw_setup *setup, const struct fields_terms *terms, struct sw_text *text);
#endif
