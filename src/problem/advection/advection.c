/* u_t + c.grad u = nu lap u + S in one to three dimensions, with compact differences and explicit Runge-Kutta steps
 * (docs/explanation/advection.md): the keys, and the row of the problem table. */
#include "fd/sw_fd.h"
#include "problem/advection/advection_impl.h"
#include "problem/given.h"
#include "problem/grid_keys.h"
#include "problem/initial_file.h"

/* The name of scheme number k of one kind; NULL after the last. */
static const char *scheme_name(enum sw_fd_kind kind, int k)
{
    for (int s = 0; sw_fd_schemes[s]; s++)
        if (sw_fd_schemes[s]->kind == kind && k-- == 0) return sw_fd_schemes[s]->name;
    return NULL;
}
static const char *first_scheme_name(int k) { return scheme_name(SW_FD_FIRST, k); }
static const char *second_scheme_name(int k) { return scheme_name(SW_FD_SECOND, k); }
static const char *filter_name(int k) { return k == 0 ? "none" : scheme_name(SW_FD_FILTER, k - 1); }

/* "periodic", then the closures of first derivatives, each name once. */
static const char *boundary_name(int k)
{
    if (k == 0) return "periodic";
    for (int c = 0; sw_fd_closures[c]; c++)
        if (sw_fd_closures[c]->kind == SW_FD_FIRST && --k == 0) return sw_fd_closures[c]->name;
    return NULL;
}

#define VELOCITY(axis)                                                                                                \
    {.path = "velocity." axis, .kind = SW_KEY_FUNCTION, .fallback = "",                                               \
     .symbols = SW_USES_X | SW_USES_T | SW_USES_U, .decides = true,                                                   \
     .about = "The velocity c along " axis ", an expression in the coordinates, t and u (u for Burgers' equation); "  \
              "without it 0."}
#define BOUNDARY(axis)                                                                                                \
    {.path = "boundary." axis, .kind = SW_KEY_WORD, .word = boundary_name, .fallback = "periodic", .decides = true,   \
     .about = "What the ends of " axis " are: periodic, or walls with closures of these orders in the first row, the " \
              "second row and inside; refused where the schemes have no such closure."}
#define WALL(side, key, axis, what, remark)                                                                           \
    {.path = side "." key axis, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T,            \
     .decides = true, .about = what " at the " side " wall of " axis ", an expression in t and the coordinates" remark},
#define WALLS(id, key, holds_u, time_derivative, u_x, diffusive, what, remark)                                        \
    WALL("left", key, "x", what, remark) WALL("right", key, "x", what, remark)                                        \
    WALL("left", key, "y", what, remark) WALL("right", key, "y", what, remark)                                        \
    WALL("left", key, "z", what, remark) WALL("right", key, "z", what, remark)

static const struct sw_key keys[] = {
    VELOCITY("x"), VELOCITY("y"), VELOCITY("z"),
    {.path = "physics.nu", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .fallback = "0", .decides = true,
     .visible = true, .about = "The viscosity nu."},
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .decides = true,
     .about = "The field at time 0, an expression in the coordinates; randn(k) and rand(k) give noise. Or a group that "
              "names a file that has it."},
    SW_INITIAL_FILE_KEYS,
    {.path = "forcing", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T | SW_USES_U,
     .decides = true, .about = "The source term S, an expression in the coordinates, t and u."},
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .decides = true,
     .about = "The exact solution in the coordinates and t; the error norms at the end are taken against it."},
    BOUNDARY("x"), BOUNDARY("y"), BOUNDARY("z"),
    ADVECTION_WALL_KINDS(WALLS)
    {.path = "scheme", .kind = SW_KEY_WORD, .word = first_scheme_name, .fallback = "d1_c6", .decides = true,
     .about = "The scheme of first derivatives (docs/explanation/compact.md)."},
    {.path = "scheme2", .kind = SW_KEY_WORD, .word = second_scheme_name, .fallback = "d2_c6", .decides = true,
     .about = "The scheme of second derivatives (docs/explanation/compact.md); not used where nu is 0."},
    {.path = "method", .former = "stepper", .kind = SW_KEY_WORD, .word = advection_method_name, .fallback = "rk4",
     .decides = true,
     .about = "The time stepping: the classical Runge-Kutta method of order 4, or the strong-stability-preserving one "
              "of order 3."},
    {.path = "filter", .kind = SW_KEY_WORD, .word = filter_name, .fallback = "none", .decides = true,
     .about = "A filter of u along each axis after each step (docs/explanation/compact.md)."},
    {.path = "alpha", .kind = SW_KEY_REAL, .unit = "1", .min = -0.5, .max = 0.5, .above = true, .fallback = "0.4",
     .decides = true, .about = "Of the filter, below 1/2: the larger, the shorter the waves that it takes."},
    {.path = "time.dt", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .fallback = "",
     .decides = true, .visible = true,
     .about = "Time step; time.end must be a whole number of steps. This or time.cfl; without both cfl is 0.5."},
    {.path = "time.cfl", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 100, .fallback = "0", .adaptive = "0.5",
     .decides = true,
     .about = "The Courant number: the step is the largest that goes into time.end, is stable and has dt times the "
              "sum of c/dx over the axes at most this, for the largest speed of the set-up, and follows a forcing that "
              "names u (docs/explanation/advection.md). 0: time.dt is given."},
    {.path = "differences", .former = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "The row of the table of compact differences that does the lines, as `sweep list` names it, "
              "\"cpu.thomas\"; \"auto\" takes the best that fits, \"$axis\" the word of an axis."},
    SW_GRID_KEYS,
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "advected quantity"}, {0}};

#define QUANTITY(id, name, unit, long_name, term, value) [id] = {name, unit, long_name},
static const struct sw_quantity scalars[] = {
    ADVECTION_SCALAR_TABLE(QUANTITY, QUANTITY, QUANTITY, QUANTITY)
    [ADVECTION_SCALARS] = {0},
};

static const char example[] =
    "// A wave is carried around a circle, for several numbers of points, and compared with the exact solution.\n"
    "title    = \"Advection of a wave by compact differences\";\n"
    "problem  = \"advection\";                            // u_t + c.grad u = nu lap u + forcing\n"
    "sweep    = { order = [\"d1_c4\", \"d1_c6\"];            // an axis of words\n"
    "             n = [16, 24, 32, 48]; };\n"
    "grid     = { n = \"n\"; length = \"2*pi\"; };           // in 2-D and 3-D n = [nx, ny, nz]\n"
    "velocity = { x = 1.0; };                           // expressions in x, y, z, t, u; \"u\": Burgers' equation\n"
    "physics  = { nu = 0.0; };\n"
    "scheme   = \"$order\";                               // of first derivatives; scheme2 of second ones\n"
    "method   = \"rk4\";                                  // or \"ssp_rk3\"\n"
    "time     = { cfl = 0.1; end = 1.0; };              // or dt; without both cfl is 0.5\n"
    "initial  = \"exp(sin(x))\";\n"
    "exact    = \"exp(sin(x - t))\";                      // switches the error norms on\n"
    "// boundary = { x = \"3-4-6\"; }; left = { x = \"exp(sin(-t))\"; };   walls: inflow left, outflow right\n"
    "output   = { file    = \"results/advection.h5\";\n"
    "             fields  = { times = \"linspace(0, end, 11)\"; };\n"
    "             scalars = { every = 0.1; }; };        // mass, energy, u_min, u_max, courant\n";

static bool walls(const struct sw_setup *setup, int d)
{
    const struct advection_discretization m = advection_discretization_of(setup);
    return advection_has_walls(&m, d);
}

static const struct sw_run_warning warnings[] = {{.warn = advection_warn_run},
                                                 {.warn = advection_warn_result, .of_result = true},
                                                 {.warn = advection_warn_steps, .of_result = true}, SW_INITIAL_WARNINGS,
                                                 {.warn = sw_given_warn}, {0}};

static const struct sw_problem_shape shape = {.min_points = 1, .max_dim = 3, .walls = walls};
static const struct sw_problem_time times = {.step = advection_time_step};
static const struct sw_problem_files files = {.content = sw_initial_content};
static const struct sw_problem_advice advice = {
    .warn_setup = advection_warn_setup, .warn_run = warnings, .name_given = advection_name_given,
    .advise = advection_advise};

extern const struct sw_problem problem_advection;
const struct sw_problem problem_advection = {
    .name = "advection",
    .title = "Advection and diffusion, Burgers' equation",
    .equation = "u_t + c.grad u = nu lap u + forcing",
    .example = example,
    .keys = keys,
    .fields = fields,
    .scalars = scalars,
    .solver = sw_fd_row,
    .validate_run = advection_validate_run,
    .bytes = advection_bytes,
    .create = advection_create,
    .try_compile = advection_try_compile,
    .shape = &shape,
    .time = &times,
    .files = &files,
    .advice = &advice,
};
