/* u_t + c.grad u = nu lap u + S in one to three dimensions, with compact differences and explicit Runge-Kutta steps
 * (docs/numerics.md, 10): the keys, and what is refused. */
#include "problem/advection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/grid_keys.h"

/* ------------------------------------------------------------------ time stepping */

/* W. Kutta's method of 1901, with u + dt (k1 + 2 k2 + 2 k3 + k4)/6 as a running sum; and the three-stage method of
 * C.-W. Shu and S. Osher, J. Comput. Phys. 77 (1988), eq. 2.18, convex sums of Euler steps. The ends of the stability
 * regions are those of the Taylor polynomials of order 4 and 3: sqrt(8), sqrt(3), and the real zeros of |R| = 1. */
static const struct rk_method methods[] = {
    {"rk4", 4, 4, 3, 2.8284271247461903, 2.7852935634052816,
     {{.time = 0, .gain = 0.5, .now = 1, .share = 1.0 / 6},
      {.time = 0.5, .gain = 0.5, .now = 1, .share = 1.0 / 3},
      {.time = 0.5, .gain = 1, .now = 1, .share = 1.0 / 3},
      {.time = 1, .gain = 1.0 / 6, .sum = 1}}},
    {"ssp_rk3", 3, 3, 2, 1.7320508075688772, 2.5127453266183286,
     {{.time = 0, .gain = 1, .now = 1},
      {.time = 1, .gain = 0.25, .now = 0.75, .next = 0.25},
      {.time = 0.5, .gain = 2.0 / 3, .now = 1.0 / 3, .next = 2.0 / 3}}},
};
enum { METHODS = sizeof methods / sizeof *methods };

static const char *stepper_word(int k) { return k < METHODS ? methods[k].name : NULL; }

/* ------------------------------------------------------------------ what the words of a run mean */

const char *const advection_axes[SW_DIMS] = {"x", "y", "z"};
const char *const advection_points[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
const char *const advection_velocity[SW_DIMS] = {"velocity.x", "velocity.y", "velocity.z"};

static const char *const boundary_key[SW_DIMS] = {"boundary.x", "boundary.y", "boundary.z"};

struct advection_method advection_method_of(const struct sw_setup *setup)
{
    struct advection_method m = {.first = sw_setup_word(setup, "scheme"), .second = sw_setup_word(setup, "scheme2"),
                                 .filter = sw_setup_word(setup, "filter"), .rk = methods};
    for (int k = 0; k < METHODS; k++)
        if (sw_setup_chosen(setup, "stepper", methods[k].name)) m.rk = &methods[k];
    for (int d = 0; d < SW_DIMS; d++) m.boundary[d] = sw_setup_word(setup, boundary_key[d]);
    if (!strcmp(m.filter, "none")) m.filter = NULL;
    return m;
}

bool advection_walled(const struct advection_method *m, int d) { return strcmp(m->boundary[d], "periodic") != 0; }

double advection_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, path) * ld + j];
}

static bool walls(const struct sw_setup *setup, int d)
{
    const struct advection_method m = advection_method_of(setup);
    return advection_walled(&m, d);
}

/* ------------------------------------------------------------------ what is refused */

static bool has(const struct sw_setup *setup, const char *key) { return sw_setup_function(setup, key) != NULL; }

/* What is said of an axis that the grid does not have. */
static const char *unfit_absent(const struct sw_setup *setup, const struct advection_method *m, int d, int dim,
                                char why[160])
{
    const char *key = has(setup, advection_velocity[d])      ? advection_velocity[d]
                      : has(setup, advection_wall_key(d, 0)) ? advection_wall_key(d, 0)
                      : has(setup, advection_wall_key(d, 1)) ? advection_wall_key(d, 1)
                      : advection_walled(m, d)               ? boundary_key[d]
                                                             : NULL;
    if (key)
        snprintf(why, 160, "there is no %s on a grid of %d dimension%s", advection_axes[d], dim, dim == 1 ? "" : "s");
    return key;
}

static void closures_of(const struct sw_fd_scheme *scheme, char text[120])
{
    snprintf(text, 120, "periodic");
    for (int k = 0; sw_fd_closures[k]; k++)
        if (sw_fd_closure_find(scheme, sw_fd_closures[k]->name) == sw_fd_closures[k])
            snprintf(text + strlen(text), 120 - strlen(text), ", %s", sw_fd_closures[k]->name);
}

/* A scheme on an axis of so many points. */
static const char *unfit_scheme(const char *scheme, const char *boundary, int d, double n, char why[160])
{
    const int least = sw_fd_min_points(scheme, boundary);
    char known[120];
    if (!least) {
        closures_of(sw_fd_scheme_find(scheme), known);
        snprintf(why, 160, "%s has no closure \"%s\"; it has %s", scheme, boundary, known);
        return boundary_key[d];
    }
    if (n >= least) return NULL;
    snprintf(why, 160, "%s, %s needs at least %d points along %s", scheme, boundary, least, advection_axes[d]);
    return advection_points[d];
}

static const char *unfit_axis(const struct sw_setup *setup, const struct advection_method *m, int d, double n,
                              bool diffuses, char why[160])
{
    const bool walled = advection_walled(m, d);
    const char *key = unfit_scheme(m->first, m->boundary[d], d, n, why);
    if (!key && diffuses) key = unfit_scheme(m->second, m->boundary[d], d, n, why);
    if (!key && m->filter) key = unfit_scheme(m->filter, walled ? "reduced" : "periodic", d, n, why);
    for (int side = 0; side < 2 && !key && !walled; side++)
        if (has(setup, advection_wall_key(d, side))) {
            key = advection_wall_key(d, side);
            snprintf(why, 160, "%s is periodic: there is no wall where u could be given; take %s = \"3-4-6\"",
                     advection_axes[d], boundary_key[d]);
        }
    return key;
}

/* What the step follows from must not name it. An axis or a define called dt is meant by that name instead. */
static const char *unfit_step(const struct sw_setup *setup, double cfl, char why[160])
{
    static const char *const key[] = {"velocity.x", "velocity.y", "velocity.z", "initial"};
    for (int k = 0; k < 4 && cfl > 0 && sw_setup_column(setup, "dt") < 0; k++) {
        const struct sw_program *p = sw_setup_function(setup, key[k]);
        if (!p || !sw_program_uses(p, "dt")) continue;
        snprintf(why, 160, "dt follows from it by time.cfl; give time.dt, or leave dt out");
        return key[k];
    }
    return NULL;
}

/* A step that is all of time.end, as nothing limits it, though u does not stay as it is: one that a source drives, or
 * that makes its own velocity. */
static const char *unfit_limit(const struct sw_setup *setup, int ld, const double *column, int j, char why[160])
{
    struct advection_limit limit;
    bool driven = has(setup, "forcing");
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_program *c = sw_setup_function(setup, advection_velocity[d]);
        driven |= c && sw_program_uses(c, "u");
    }
    if (!driven || !(advection_number(setup, "time.cfl", ld, column, j) > 0) ||
        advection_number(setup, "time.dt", ld, column, j) < advection_number(setup, "time.end", ld, column, j) ||
        advection_limit_of(setup, ld, column, j, &limit) || limit.courant > 0 || limit.stiffness > 0)
        return NULL;
    snprintf(why, 160, "no step follows from it where the velocity and nu are 0 at the beginning; give time.dt");
    return "time.cfl";
}

static const char *unfit(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                         char why[160])
{
    const struct advection_method m = advection_method_of(setup);
    const int dim = (int)advection_number(setup, "grid.dim", ld, column, j);
    const double alpha = advection_number(setup, "alpha", ld, column, j);
    const bool diffuses = advection_number(setup, "physics.nu", ld, column, j) != 0;
    (void)solver;
    for (int d = 0; d < SW_DIMS; d++) {
        const double n = advection_number(setup, advection_points[d], ld, column, j);
        const char *key = d < dim ? unfit_axis(setup, &m, d, n, diffuses, why) : unfit_absent(setup, &m, d, dim, why);
        if (key) return key;
    }
    if (m.filter && !(alpha > -0.5 && alpha < 0.5)) {
        snprintf(why, 160, "a filter's lies between -1/2 and 1/2; near 1/2 it takes only the shortest waves");
        return "alpha";
    }
    const char *key = unfit_step(setup, advection_number(setup, "time.cfl", ld, column, j), why);
    return key ? key : unfit_limit(setup, ld, column, j, why);
}

static void remark(const struct sw_problem *problem, const struct sw_setup *setup, char text[200])
{
    const struct advection_method m = advection_method_of(setup);
    (void)problem;
    text[0] = 0;
    for (int d = 0; d < setup->dim && !*text; d++)
        if (!strncmp(m.boundary[d], "4-4-", 4))
            snprintf(text, 200,
                     "%s = \"%s\": waves that stay for many crossings of the domain grow; 3-4-%s does not let them "
                     "(numerics.md, 10)", boundary_key[d], m.boundary[d], m.boundary[d] + 4);
    if (*text) return;
    if (setup->single_steps)
        snprintf(text, 200,
                 "single precision: each stage rounds u to 6e-8 of itself; errors below 1e-6 or so are that");
}

/* ------------------------------------------------------------------ keys */

/* The schemes of one kind, after so many words of others. */
static const char *scheme_of(enum sw_fd_kind kind, int k)
{
    for (int s = 0; sw_fd_schemes[s]; s++)
        if (sw_fd_schemes[s]->kind == kind && k-- == 0) return sw_fd_schemes[s]->name;
    return NULL;
}
static const char *first_word(int k) { return scheme_of(SW_FD_FIRST, k); }
static const char *second_word(int k) { return scheme_of(SW_FD_SECOND, k); }
static const char *filter_word(int k) { return k == 0 ? "none" : scheme_of(SW_FD_FILTER, k - 1); }

/* "periodic", then the closures of first derivatives, each name once. */
static const char *boundary_word(int k)
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
    {.path = "boundary." axis, .kind = SW_KEY_WORD, .word = boundary_word, .fallback = "periodic", .decides = true,   \
     .about = "What the ends of " axis " are: periodic, or walls with closures of these orders in the first row, the " \
              "second row and inside; refused where the schemes have no such closure."}
#define WALL(side, axis)                                                                                              \
    {.path = side "." axis, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T,                \
     .decides = true,                                                                                                 \
     .about = "What u is at the " side " wall of " axis ", an expression in t and the coordinates, for inflow; "       \
              "without it the wall is an outflow."}

static const struct sw_key keys[] = {
    VELOCITY("x"), VELOCITY("y"), VELOCITY("z"),
    {.path = "physics.nu", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .fallback = "0", .decides = true,
     .visible = true, .about = "The viscosity nu."},
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .decides = true,
     .about = "The field at time 0, an expression in the coordinates; randn(k) and rand(k) give noise."},
    {.path = "forcing", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T | SW_USES_U,
     .decides = true, .about = "The source term S, an expression in the coordinates, t and u."},
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .decides = true,
     .about = "The exact solution in the coordinates and t; the error norms at the end are taken against it."},
    BOUNDARY("x"), BOUNDARY("y"), BOUNDARY("z"),
    WALL("left", "x"), WALL("right", "x"), WALL("left", "y"), WALL("right", "y"), WALL("left", "z"), WALL("right", "z"),
    {.path = "scheme", .kind = SW_KEY_WORD, .word = first_word, .fallback = "d1_c6", .decides = true,
     .about = "The scheme of first derivatives (numerics.md, 8)."},
    {.path = "scheme2", .kind = SW_KEY_WORD, .word = second_word, .fallback = "d2_c6", .decides = true,
     .about = "The scheme of second derivatives (numerics.md, 8); not used where nu is 0."},
    {.path = "stepper", .kind = SW_KEY_WORD, .word = stepper_word, .fallback = "rk4", .decides = true,
     .about = "The time stepping: the classical Runge-Kutta method of order 4, or the strong-stability-preserving one "
              "of order 3."},
    {.path = "filter", .kind = SW_KEY_WORD, .word = filter_word, .fallback = "none", .decides = true,
     .about = "A filter of u along each axis after each step (numerics.md, 8)."},
    {.path = "alpha", .kind = SW_KEY_REAL, .unit = "1", .min = -0.5, .max = 0.5, .above = true, .fallback = "0.4",
     .decides = true, .about = "Of the filter, below 1/2: the larger, the shorter the waves that it takes."},
    {.path = "time.dt", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .fallback = "",
     .decides = true, .visible = true,
     .about = "Time step; time.end must be a whole number of steps. Either this or time.cfl."},
    {.path = "time.cfl", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 100, .fallback = "0", .decides = true,
     .about = "The Courant number: the step is the largest that goes into time.end, is stable and has dt times the "
              "sum of c/dx over the axes at most this, for the largest speed of the set-up (numerics.md, 10). 0: "
              "time.dt is given."},
    {.path = "solver", .kind = SW_KEY_TEXT, .fallback = "auto", .decides = true,
     .about = "The row that does the differences, as `sweep list` names it, \"cpu.thomas\"; \"auto\" takes the best "
              "that fits, \"$axis\" the word of an axis."},
    SW_GRID_KEYS,
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "advected quantity"}, {0}};

static const struct sw_quantity scalars[] = {
    [ADVECTION_MASS] = {"mass", "1", "integral of u"},
    [ADVECTION_ENERGY] = {"energy", "1", "integral of u²/2"},
    [ADVECTION_MIN] = {"min", "1", "least u"},
    [ADVECTION_MAX] = {"max", "1", "greatest u"},
    [ADVECTION_COURANT] = {"courant", "1", "largest Courant number"},
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
    "stepper  = \"rk4\";                                  // or \"ssp_rk3\"\n"
    "time     = { cfl = 0.1; end = 1.0; };              // or dt\n"
    "initial  = \"exp(sin(x))\";\n"
    "exact    = \"exp(sin(x - t))\";                      // switches the error norms on\n"
    "// boundary = { x = \"3-4-6\"; }; left = { x = \"exp(sin(-t))\"; };   walls: inflow left, outflow right\n"
    "output   = { file    = \"results/advection.h5\";\n"
    "             fields  = { times = \"linspace(0, end, 11)\"; };\n"
    "             scalars = { every = 0.1; }; };        // mass, energy, min, max, courant\n";

extern const struct sw_problem problem_advection;
const struct sw_problem problem_advection = {
    .name = "advection",
    .title = "Advection and diffusion, Burgers' equation",
    .equation = "u_t + c.grad u = nu lap u + forcing",
    .example = example,
    .keys = keys,
    .fields = fields,
    .scalars = scalars,
    .min_points = 1,
    .most_dim = 3,
    .timed = true,
    .walls = walls,
    .bytes = advection_bytes,
    .create = advection_create,
    .unfit = unfit,
    .solver = sw_fd_row,
    .step = advection_step,
    .remark = remark,
    .caution = advection_caution,
    .try_compile = advection_try_compile,
};
