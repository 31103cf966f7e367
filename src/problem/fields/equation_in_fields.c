/* The user's own equations in two and three dimensions: their keys. */
#include "problem/fields/fields_problem.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/manufactured.h"

static const struct sw_key keys[] = {
    {.path = "unknowns", .kind = SW_KEY_UNKNOWNS, .fallback = "u",
     .about = "The names of the unknowns, one to four: [\"u\", \"v\"]."},
    {.path = "rhs", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_TERMS | SW_USES_RANDOM, .each = true, .decides = true,
     .about = "The time derivative of the unknown, or a group with one for each: an expression in the coordinates, t, "
              "the unknowns, the parameters and derivatives dx(), dyy(), dxy(), lap(), grad2(), div() of any "
              "expression, up to the sixth order."},
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .each = true, .decides = true,
     .from_exact = true,
     .about = "The unknown at time 0, an expression in the coordinates, or a group with one for each; randn(k) and "
              "rand(k) give noise. Or a group that names a file that has it. Left out, it is `exact` "
              "at t = 0."},
    SW_INITIAL_FILE_KEYS,
    SW_LINE_STEP_KEYS(SW_LINE_STEP_KEY)
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .each = true,
     .decides = true,
     .about = "The exact solution in the coordinates and t, or a group with one for each unknown or for some; the "
              "error norms at the end are taken against it."},
    SW_MANUFACTURED_KEY,
    SW_NOISE_KEYS(true),
    FIELDS_WALL_KEYS(FIELDS_WALL, true, ", or a group with one for each unknown"),
    FIELDS_KEYS("imex2", .unless_set = NULL),
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "the unknown"}, {0}};

extern const struct sw_problem problem_equation_in_fields;
const struct sw_problem problem_equation_in_fields = {
    .name = "equation",
    .title = "Equations of your own in two and three dimensions",
    .equation = "u_t = any expression in u, its derivatives, x, y, z, t and parameters; up to four unknowns",
    .example = "",
    .keys = keys,
    .fields = fields,
    FIELDS_OPERATIONS,
};
