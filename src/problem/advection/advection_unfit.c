/* What is refused of a run of `advection`: the key that is at load_error, and why. */
#include <stdio.h>
#include <string.h>

#include "problem/advection/advection.h"
#include "problem/advection/advection_limit.h"
#include "problem/advection/advection_method.h"
#include "problem/advection/advection_speed.h"

static bool has(const struct sw_setup *setup, const char *key) { return sw_setup_function(setup, key) != NULL; }

/* What is said of an axis that the grid does not have. */
static const char *unfit_absent(const struct sw_setup *setup, const struct advection_method *m, int d, int dim,
                                char why[160])
{
    const char *key = has(setup, advection_velocity[d])      ? advection_velocity[d]
                      : has(setup, advection_wall_key(d, 0)) ? advection_wall_key(d, 0)
                      : has(setup, advection_wall_key(d, 1)) ? advection_wall_key(d, 1)
                      : advection_walled(m, d)               ? advection_boundary[d]
                                                             : NULL;
    if (key)
        snprintf(why, 160, "there is no %s on a grid of %d dimension%s", advection_axes[d], dim, dim == 1 ? "" : "s");
    return key;
}

/* A scheme on an axis of so many points. */
static const char *unfit_scheme(const char *scheme, const char *boundary, int d, double n, char why[160])
{
    const int least = sw_fd_min_points(scheme, boundary);
    char known[120];
    if (!least) {
        snprintf(why, 160, "%s has no closure \"%s\"; it has %s", scheme, boundary,
                 sw_fd_boundaries(sw_fd_scheme_find(scheme), known));
        return advection_boundary[d];
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
                     advection_axes[d], advection_boundary[d]);
        }
    return key;
}

/* What the step follows from must not name it. An axis or a define called dt is meant by that name instead. */
static const char *unfit_step(const struct sw_setup *setup, double cfl, char why[160])
{
    static const char *const key[] = {"velocity.x", "velocity.y", "velocity.z", "initial", "left.x",
                                      "left.y",     "left.z",     "right.x",    "right.y", "right.z"};
    for (size_t k = 0; k < sizeof key / sizeof *key && cfl > 0 && sw_setup_column(setup, "dt") < 0; k++) {
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
    const bool driven = has(setup, "forcing") || advection_speed_names(setup, "u");
    if (!driven || !(advection_number(setup, "time.cfl", ld, column, j) > 0) ||
        advection_number(setup, "time.dt", ld, column, j) < advection_number(setup, "time.end", ld, column, j) ||
        advection_limit_of(setup, ld, column, j, &limit) || limit.courant > 0 || limit.stiffness > 0)
        return NULL;
    snprintf(why, 160, "no step follows from it: at the beginning the velocity is 0 or infinite everywhere, and nu is "
             "0; give time.dt");
    return "time.cfl";
}

const char *advection_unfit(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
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
