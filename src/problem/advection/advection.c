/* u_t + c.grad u = nu lap u + S in one to three dimensions, with compact differences and explicit Runge-Kutta steps
 * (docs/explanation/advection.md): the keys; what is refused of a run before it is computed, naming the key to blame;
 * what `sweep check` and a run warn of (walls where u is missing or given in excess, steps that are not stable,
 * closures that let waves grow, what single precision does, fronts that the grid does not resolve); and what a result
 * says of itself. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "fd/sw_fd.h"
#include "problem/advection/advection_impl.h"
#include "problem/nonfinite.h"
#include "problem/grid_keys.h"
#include "problem/initial_file.h"
#include "problem/steps_rounding.h"
#include "problem/sw_slab.h"

/* The name of scheme number k of one kind; NULL after the last. The key alpha is the filter's here: no families. */
static const char *scheme_name(enum sw_fd_kind kind, int k)
{
    for (int s = 0; sw_fd_schemes[s]; s++)
        if (sw_fd_schemes[s]->kind == kind && !sw_fd_schemes[s]->higher_order && k-- == 0)
            return sw_fd_schemes[s]->name;
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

static bool has(const struct sw_setup *setup, const char *key) { return sw_setup_function(setup, key) != NULL; }

/* ------------------------------------------------------------------ refusals */

/* The first key that is given at an end of an axis; NULL: none. */
static const char *wall_key_given(const struct sw_setup *setup, int d)
{
    for (int side = 0; side < 2; side++) {
        const struct advection_wall_kind *kind = advection_wall_given(setup, (struct advection_wall){d, side});
        if (kind) return kind->key[d][side];
    }
    return NULL;
}

/* A key of an axis that the grid does not have. */
static const char *validate_absent_axis(const struct sw_setup *setup, const struct advection_discretization *m, int d,
                                        int dim, struct sw_text *why)
{
    const char *key = has(setup, advection_velocity_key[d]) ? advection_velocity_key[d] : wall_key_given(setup, d);
    if (!key && advection_has_walls(m, d)) key = advection_boundary_key[d];
    if (key)
        return sw_refuse(why, key, "there is no %s on a grid of %d dimension%s", advection_axis[d], dim,
                         dim == 1 ? "" : "s");
    return NULL;
}

/* A scheme on an axis of so many points. */
static const char *validate_scheme(const char *scheme, const char *boundary, int d, double n, struct sw_text *why)
{
    const int least = sw_fd_min_points(scheme, boundary);
    if (!least) {
        sw_text_set(why, "%s has no closure \"%s\"; it has ", scheme, boundary);
        sw_fd_add_boundaries(sw_fd_scheme_find(scheme), why);
        return advection_boundary_key[d];
    }
    if (n >= least) return NULL;
    return sw_refuse(why, advection_points_key[d], "%s, %s needs at least %d points along %s", scheme, boundary, least,
                     advection_axis[d]);
}

/* The conditions at a wall: one at most, and none that needs a nu that the run does not have. */
static const char *validate_wall(const struct sw_setup *setup, struct advection_wall wall, bool diffuses,
                                 struct sw_text *why)
{
    const struct advection_wall_kind *kind = advection_wall_given(setup, wall);
    if (!kind) return NULL;
    const char *key = kind->key[wall.d][wall.side];
    for (const struct advection_wall_kind *k = kind + 1; k < advection_wall_kinds + ADVECTION_WALL_COUNT; k++)
        if (has(setup, k->key[wall.d][wall.side]))
            return sw_refuse(why, k->key[wall.d][wall.side], "%s is given there, too; leave one out", key);
    if (diffuses || !kind->diffusive) return NULL;
    return sw_refuse(why, key, "nu is 0: it is a condition of diffusion; give nu, or leave it out");
}

static const char *validate_axis(const struct sw_setup *setup, const struct advection_discretization *m, int d,
                                 double n, bool diffuses, struct sw_text *why)
{
    const bool walled = advection_has_walls(m, d);
    const char *key = validate_scheme(m->first, m->boundary[d], d, n, why);
    if (!key && diffuses) key = validate_scheme(m->second, m->boundary[d], d, n, why);
    if (!key && m->filter) key = validate_scheme(m->filter, walled ? "reduced" : "periodic", d, n, why);
    for (int side = 0; side < 2 && !key && walled; side++)
        key = validate_wall(setup, (struct advection_wall){d, side}, diffuses, why);
    if (key || walled) return key;
    key = wall_key_given(setup, d);
    if (key)
        return sw_refuse(why, key, "%s is periodic: there is no wall where u could be given; take %s = \"3-4-6\"",
                         advection_axis[d], advection_boundary_key[d]);
    return NULL;
}

/* An expression that the step follows from must not name the step. An axis or a define called dt is meant by that name
 * instead. */
static const char *uses_dt(const struct sw_setup *setup, const char *key, struct sw_text *why)
{
    const struct sw_program *p = sw_setup_function(setup, key);
    if (!p || !sw_program_uses(p, "dt")) return NULL;
    return sw_refuse(why, key, "dt follows from it by time.cfl; give time.dt, or leave dt out");
}

static const char *validate_step(const struct sw_setup *setup, double cfl, struct sw_text *why)
{
    const char *key = NULL;
    if (!(cfl > 0) || sw_setup_column(setup, "dt") >= 0) return NULL;
    for (int d = 0; d < SW_DIMS && !key; d++) key = uses_dt(setup, advection_velocity_key[d], why);
    if (!key) key = uses_dt(setup, "initial", why);
    if (!key && has(setup, "forcing") && sw_program_uses(sw_setup_function(setup, "forcing"), "u"))
        key = uses_dt(setup, "forcing", why);
    for (int w = 0; w < 2 * SW_DIMS && !key; w++)
        for (int k = 0; k < ADVECTION_WALL_COUNT && !key; k++)
            key = uses_dt(setup, advection_wall_kinds[k].key[w % SW_DIMS][w / SW_DIMS], why);
    return key;
}

/* A step that is all of time.end, as nothing limits it, though u does not stay as it is: a source drives it, or it
 * makes its own velocity. And a source that may take u to where it has no bounded slope. */
static const char *validate_step_limit(const struct sw_setup *setup, int ld, const double *column, int j,
                                       struct sw_text *why)
{
    struct advection_step_limit limit;
    const bool by_u = advection_velocity_uses(setup, "u"), driven = has(setup, "forcing") || by_u;
    const bool whole = sw_setup_number(setup, "time.dt", ld, column, j) >=
                       sw_setup_number(setup, "time.end", ld, column, j);
    if (!driven || !(sw_setup_number(setup, "time.cfl", ld, column, j) > 0) ||
        !(whole || sw_setup_function(setup, "forcing")) || advection_step_limit_of(setup, ld, column, j, &limit))
        return NULL;
    if (limit.unbounded)
        return sw_refuse(why, "time.cfl", "no step follows from it: forcing may take u to where it changes ever faster "
                         "with u; give time.dt");
    const double source = by_u ? 0 : limit.source_rate;
    if (!whole || limit.courant_rate > 0 || limit.stability_rate > 0 || source > 0) return NULL;
    return sw_refuse(why, "time.cfl", "no step follows from it: at the beginning the velocity is 0 or infinite "
                     "everywhere, and nu is 0; give time.dt");
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column,
                                int j, struct sw_text *why)
{
    const struct advection_discretization m = advection_discretization_of(setup);
    const int dim = (int)sw_setup_number(setup, "grid.dim", ld, column, j);
    const double alpha = sw_setup_number(setup, "alpha", ld, column, j);
    const bool diffuses = sw_setup_number(setup, "physics.nu", ld, column, j) != 0;
    (void)solver;
    for (int d = 0; d < SW_DIMS; d++) {
        const double n = sw_setup_number(setup, advection_points_key[d], ld, column, j);
        const char *key = d < dim ? validate_axis(setup, &m, d, n, diffuses, why)
                                  : validate_absent_axis(setup, &m, d, dim, why);
        if (key) return key;
    }
    if (m.filter && !(alpha > -0.5 && alpha < 0.5))
        return sw_refuse(why, "alpha", "a filter's lies between -1/2 and 1/2; near 1/2 it takes only the shortest "
                         "waves");
    bool walled = false;
    for (int d = 0; d < dim; d++) walled |= advection_has_walls(&m, d);
    const char *key = sw_initial_validate(setup, walled, ld, column, j, why);
    if (!key) key = validate_step(setup, sw_setup_number(setup, "time.cfl", ld, column, j), why);
    return key ? key : validate_step_limit(setup, ld, column, j, why);
}

/* ------------------------------------------------------------------ warnings */

/* c dx/nu at an inflow where u is not given: the matrix of the equation has no eigenvalue in the right half-plane up to
 * this, and has some at 20 (docs/explanation/advection.md). */
static const double most_inflow = 5;

/* Without nu, u is to be given where it comes in and nowhere else; with nu a condition is wanted everywhere: where
 * nothing flows through the wall no other equation says what u is, and where it goes out the closure does, which is no
 * more than a guess. A velocity that is rounding, as of sin(pi), does not count. What is missing is reported rather
 * than what is in excess, and the worse thing first. */
static enum sw_status warn_wall(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                struct advection_wall wall, const struct advection_step_limit *limit,
                                struct sw_text *text)
{
    const char *key = advection_wall_kinds[ADVECTION_WALL_VALUE].key[wall.d][wall.side],
               *axis = advection_axis[wall.d];
    const struct advection_wall_kind *given = advection_wall_given(one, wall);
    const double nu = sw_setup_number(one, "physics.nu", ld, column, j);
    const double dx = sw_setup_grid(one, ld, column, j).dx[wall.d], least = 1e-9 * limit->courant_rate * dx;
    const bool diffuses = nu > 0;
    double in, out;
    SW_TRY(advection_wall_flow(one, ld, column, j, wall, NULL, &in, &out));
    if (in > least && !given)
        sw_text_set(text, "u comes in at the %s wall of %s, where nothing is given: %s is missing, and errors grow "
                    "from there", wall.side ? "right" : "left", axis, key);
    else if (in * dx > most_inflow * nu && given && !given->holds_u)
        sw_text_set(text, "u comes in at the %s wall of %s, where its derivative is given: with c dx/nu = %.3g, beyond "
                    "%g, errors grow from there; give %s, or more points", wall.side ? "right" : "left", axis,
                    in * dx / nu, most_inflow, key);
    else if (in <= least && out <= least && !given && diffuses)
        sw_text_set(text, "nu is not 0 and nothing flows through the %s wall of %s: without %s, which is missing, u "
                    "there follows from no equation", wall.side ? "right" : "left", axis, key);
    else if (!text->length && in <= least && out > least && !given && diffuses)
        sw_text_set(text, "nu is not 0 and u goes out at the %s wall of %s without %s: u there is what the closure "
                    "makes of it; give %s, or nu = 0", wall.side ? "right" : "left", axis, key, key);
    else if (!text->length && in <= least && out > least && given && !diffuses)
        sw_text_set(text, "u goes out at the %s wall of %s and nu is 0: what %s gives is at odds with what arrives",
                    wall.side ? "right" : "left", axis, key);
    return SW_OK;
}

/* A time.cfl with which waves are not stable; and one from which nothing follows, as the velocity was 0 in all
 * samples. */
static void warn_courant_number(const struct sw_setup *one, double cfl, const struct advection_step_limit *limit,
                                struct sw_text *text)
{
    const struct advection_discretization m = advection_discretization_of(one);
    const double stable = 1 / advection_inverse_courant_limit(&m);
    if (!text->length && cfl > 0 && !(limit->stability_rate > 0) && advection_velocity_uses(one, "t"))
        sw_text_set(text, "the velocity was 0 at all 256 times at which it was sampled: time.cfl makes one step of all "
                    "the time; give time.dt if the velocity is not 0");
    if (!text->length && limit->courant_rate > 0 && cfl > stable)
        sw_text_set(text, "time.cfl = %.4g is more than %s with %s is stable with, %.3g: steps are of 0.9 of that at "
                    "most", cfl, m.rk->name, m.first, stable);
}

/* At a wall where u is given nobody asks for its equation. */
static enum sw_status name_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *span, struct sw_text *text)
{
    struct sw_config_text given[3 + SW_DIMS + 2 * SW_DIMS * ADVECTION_WALL_COUNT] = {{.key = "initial", .once = true},
                                                                               {.key = "forcing"}};
    struct sw_setup one;
    int count = 2;
    if (!advection_setup_of_run(setup, ld, column, j, &one)) return SW_OK;
    for (int d = 0; d < one.dim; d++) {
        given[count++].key = advection_velocity_key[d];
        for (int side = 0; side < 2; side++) {
            const struct advection_wall_kind *kind = advection_wall_given(&one, (struct advection_wall){d, side});
            given[1].known[d][side] = kind && kind->holds_u;
        }
    }
    for (int k = 2; k < count; k++) memcpy(given[k].known, given[1].known, sizeof given[k].known);
    for (int d = 0; d < one.dim; d++)
        for (int side = 0; side < 2; side++) {
            const struct advection_wall_kind *kind = advection_wall_given(&one, (struct advection_wall){d, side});
            if (kind) given[count++] = (struct sw_config_text){.key = kind->key[d][side], .wall = 1 + 2 * d + side};
        }
    return sw_nonfinite_name(&one, ld, column, j, given, span, text);
}

static enum sw_status warn_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               const double *state, struct sw_text *text)
{
    const double dt = sw_setup_number(setup, "time.dt", ld, column, j);
    struct advection_step_limit limit;
    struct sw_setup one;
    (void)state;
    SW_TRY(advection_step_limit_of(setup, ld, column, j, &limit));
    if (dt * limit.stability_rate > 1) {
        sw_text_set(text, "time.dt = %.4g is %.2g times what is stable for the largest speed%s (about %.3g): the run "
                    "will probably diverge%s; time.cfl chooses a step", dt, dt * limit.stability_rate,
                    limit.source_rate > 0 ? ", nu and forcing" : " and nu", 1 / limit.stability_rate,
                    limit.source_rate > 0 ? ", or be wrong" : "");
        return SW_OK;
    }
    if (!advection_setup_of_run(setup, ld, column, j, &one)) return SW_OK;
    for (int d = 0; d < one.dim; d++)
        for (int side = 0; side < 2 && one.walls[d]; side++)
            SW_TRY(warn_wall(&one, ld, column, j, (struct advection_wall){d, side}, &limit, text));
    warn_courant_number(&one, sw_setup_number(setup, "time.cfl", ld, column, j), &limit, text);
    return SW_OK;
}

/* ------------------------------------------------------------------ results */

/* c dx/nu of a front, c being what it falls by, up to which it is as wide as the grid needs: it has 8.8 nu/c from a
 * tenth to nine tenths of it, two points then (docs/explanation/advection.md). */
static const double narrowest_front = 4;

/* u stays between what is given, but for what the forcing adds. Few samples may miss a peak: they only show who is to
 * be looked at. */
static enum sw_status warn_range(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                 const struct advection_end *end, struct sw_text *text)
{
    const int64_t points = sw_points(end->slab ? end->slab->n : one->n);
    struct advection_range range, data;
    double most[2] = {-INFINITY, -INFINITY}, size = 0;  /* -u, u */
    for (int64_t i = 0; i < points; i++) most[0] = fmax(most[0], -end->u[i]), most[1] = fmax(most[1], end->u[i]);
    SW_TRY(sw_slab_max(end->slab, 2, most));
    const double least = -most[0], greatest = most[1];
    for (int samples = ADVECTION_FEW_SAMPLES; samples <= ADVECTION_MANY_SAMPLES; samples += 2) {
        SW_TRY(advection_range_of_data(one, ld, column, j, (enum advection_samples)samples, &data));
        range = data;
        if (samples) SW_TRY(advection_range_of(one, ld, column, j, &data, &range));
        size = advection_size_of(&range);
        if (range.open || !(size > 0) || (least >= range.least - size && greatest <= range.greatest + size))
            return SW_OK;
    }
    sw_text_set(text, "u reaches %.3g, but what is given at time 0, at walls and by forcing keeps it between %.3g and "
                "%.3g: this is no solution", greatest > range.greatest + size ? greatest : least, range.least,
                range.greatest);
    return SW_OK;
}

/* A c that names u makes fronts, which differences follow no further than nu makes them as wide as the grid needs. */
static enum sw_status warn_fronts(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, int d,
                                  const struct advection_end *end, struct sw_text *text)
{
    const double nu = sw_setup_number(one, "physics.nu", ld, column, j),
                 time = sw_setup_number(one, "time.end", ld, column, j),
                 dx = sw_setup_grid(one, ld, column, j).dx[d];
    struct advection_front front;
    SW_TRY(advection_front_of(one, ld, column, j, d, end, &front));
    const double needed = front.range * dx / narrowest_front;
    if (!end && nu < needed && front.slope * time > 1)
        sw_text_set(text, "velocity.%s falls along %s, so that waves break at t = %.3g, and nu = %.3g leaves fronts "
                    "narrower than two points: do not trust u from then on; give nu >= %.2g, or more points",
                    advection_axis[d], advection_axis[d], 1 / front.slope, nu, needed);
    if (end && nu < needed && front.fall > front.range / 4)
        sw_text_set(text, "velocity.%s falls by %.3g at the end from one point to the next, at %s = %.4g, a front that "
                    "nu = %.3g leaves too narrow: do not trust u; give nu >= %.2g, or more points", advection_axis[d],
                    front.fall, advection_axis[d], front.at, nu, needed);
    for (int side = 0; side < 2 && end && one->walls[d] && front.range > 0 && !text->length; side++) {
        const struct advection_wall wall = {d, side};
        double in, out;
        if (advection_wall_given(one, wall)) continue;
        SW_TRY(advection_wall_flow(one, ld, column, j, wall, end, &in, &out));
        if (in > 1e-3 * front.range)
            sw_text_set(text, "u comes in at the %s wall of %s at the end, where nothing is given: %s is missing",
                        side ? "right" : "left", advection_axis[d],
                        advection_wall_kinds[ADVECTION_WALL_VALUE].key[d][side]);
    }
    return SW_OK;
}

/* @param end  NULL: the run is not at its end */
static enum sw_status warn_solution(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                    const struct advection_end *end, struct sw_text *text)
{
    if (end) SW_TRY(warn_range(one, ld, column, j, end, text));
    for (int at_end = 0; at_end <= (end != NULL); at_end++)
        for (int d = 0; d < one->dim && !text->length; d++)
            SW_TRY(warn_fronts(one, ld, column, j, d, at_end ? end : NULL, text));
    return SW_OK;
}

static enum sw_status warn_result(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  const double *state, struct sw_text *text)
{
    struct advection_end end = {.u = state, .slab = setup->slab};
    struct sw_setup one;
    double *next = NULL;
    if (!advection_setup_of_run(setup, ld, column, j, &one)) return SW_OK;
    if (state) SW_TRY(sw_slab_next_plane(setup->slab, state, &next));
    end.next = next;
    const enum sw_status st = warn_solution(&one, ld, column, j, state ? &end : NULL, text);
    sw_free(next);
    return st;
}

static enum sw_status advise(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                             struct sw_text *text)
{
    return warn_result(setup, ld, column, j, NULL, text);
}

/* Steps that change u by few roundings round alike, one after another; longer ones do not
 * (docs/explanation/accuracy.md). */
static enum sw_status warn_steps(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    const double dt = sw_setup_number(setup, "time.dt", ld, column, j), unit = setup->single_steps ? 0x1p-24 : 0x1p-53,
                 steps = round(sw_setup_number(setup, "time.end", ld, column, j) / dt);
    struct advection_step_limit limit;
    (void)state;
    if (!(1.5 * unit * steps > SW_STEPS_ROUNDING)) return SW_OK;
    SW_TRY(advection_step_limit_of(setup, ld, column, j, &limit));
    const double alike = fmin(1, 256 * unit / (dt * limit.stability_rate));
    sw_steps_rounding_tell(steps, 1.5 * unit * steps * alike, INFINITY, setup->single_steps, text);
    return SW_OK;
}

static void warn_setup(const struct sw_setup *setup, struct sw_text *text)
{
    const struct advection_discretization m = advection_discretization_of(setup);
    for (int d = 0; d < setup->dim && !text->length; d++)
        if (!strncmp(m.boundary[d], "4-4-", 4))
            sw_text_set(text, "%s = \"%s\": waves that stay for many crossings of the domain grow; 3-4-%s does not let "
                        "them (docs/explanation/advection.md)", advection_boundary_key[d], m.boundary[d],
                        m.boundary[d] + 4);
    if (text->length) return;
    if (setup->single_steps)
        sw_text_set(text, "single precision: each stage rounds u to 6e-8 of itself; errors below 1e-6 or so are that");
}

/* ------------------------------------------------------------------ the row of the problem table */

static const struct sw_run_warning warnings[] = {{.warn = warn_run},
                                                 {.warn = warn_result, .of_result = true},
                                                 {.warn = warn_steps, .of_result = true}, SW_INITIAL_WARNINGS,
                                                 {.warn = sw_nonfinite_warn}, {0}};

static const struct sw_problem_shape shape = {.decomposes = true, .min_points = 1, .max_dim = 3, .walls = walls};
static const struct sw_problem_time times = {.step = advection_time_step};
static const struct sw_problem_files files = {.content = sw_initial_content};
static const struct sw_problem_advice advice = {
    .warn_setup = warn_setup, .warn_run = warnings, .name_nonfinite = name_nonfinite,
    .advise = advise};

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
    .validate_run = validate_run,
    .bytes = advection_bytes,
    .create = advection_create,
    .shape = &shape,
    .time = &times,
    .files = &files,
    .advice = &advice,
};
