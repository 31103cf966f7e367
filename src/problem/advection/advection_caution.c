/* What `sweep check` says of a run of `advection`: walls where u is missing or too much, steps that are not stable; and
 * of all runs: closures that let waves grow, what single precision does. */
#include <stdio.h>
#include <string.h>

#include "problem/advection/advection.h"
#include "problem/advection/advection_limit.h"
#include "problem/advection/advection_method.h"
#include "problem/advection/advection_speed.h"

/* Without nu, u is to be given where it comes in and nowhere else; with nu everywhere: where nothing flows through the
 * wall nothing else says what it is, where it goes out the closure does, which is no more than a guess. A speed of
 * rounding, sin(pi), is none. What is missing is told rather than what is too much, and the worse thing first. */
static enum sw_status caution_at(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                 struct advection_wall wall, const struct advection_limit *limit, char text[200])
{
    const char *key = advection_wall_key(wall.d, wall.side), *axis = advection_axes[wall.d];
    const bool given = sw_setup_function(one, key) != NULL;
    const bool diffuses = advection_number(one, "physics.nu", ld, column, j) > 0;
    const double least = 1e-9 * limit->courant * sw_setup_grid(one, ld, column, j).dx[wall.d];
    double in, out;
    SW_TRY(advection_through(one, ld, column, j, wall, &in, &out));
    if (in > least && !given)
        snprintf(text, 200, "u comes in at the %s wall of %s, where nothing is given: %s is missing, and errors grow "
                 "from there", wall.side ? "right" : "left", axis, key);
    else if (in <= least && out <= least && !given && diffuses)
        snprintf(text, 200, "nu is not 0 and nothing flows through the %s wall of %s: without %s, which is missing, u "
                 "there follows from no equation", wall.side ? "right" : "left", axis, key);
    else if (!*text && in <= least && out > least && !given && diffuses)
        snprintf(text, 200, "nu is not 0 and u goes out at the %s wall of %s without %s: u there is what the closure "
                 "makes of it; give %s, or nu = 0", wall.side ? "right" : "left", axis, key, key);
    else if (!*text && in <= least && out > least && given && !diffuses)
        snprintf(text, 200, "u goes out at the %s wall of %s and nu is 0: what %s gives is at odds with what arrives",
                 wall.side ? "right" : "left", axis, key);
    return SW_OK;
}

/* A Courant number that waves are not stable with; and one from which nothing follows, as the velocity was 0 whenever
 * it was looked at. */
static void caution_of_courant(const struct sw_setup *one, double cfl, const struct advection_limit *limit,
                               char text[200])
{
    const struct advection_method m = advection_method_of(one);
    const double stable = 1 / advection_scale(&m);
    if (!*text && cfl > 0 && !(limit->stiffness > 0) && advection_speed_names(one, "t"))
        snprintf(text, 200, "the velocity was 0 at all 256 times at which it was looked at: time.cfl makes one step of "
                 "all the time; give time.dt if the velocity is not 0");
    if (!*text && limit->courant > 0 && cfl > stable)
        snprintf(text, 200, "time.cfl = %.4g is more than %s with %s is stable with, %.3g: steps are of 0.9 of that at "
                 "most", cfl, m.rk->name, m.first, stable);
}

enum sw_status advection_caution(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, const double *state, char text[200])
{
    const double dt = advection_number(setup, "time.dt", ld, column, j);
    struct advection_limit limit;
    struct sw_setup one;
    (void)problem;
    (void)state;
    text[0] = 0;
    SW_TRY(advection_limit_of(setup, ld, column, j, &limit));
    if (dt * limit.stiffness > 1) {
        snprintf(text, 200,
                 "time.dt = %.4g is %.2g times what is stable for the largest speed and nu (about %.3g): the run will "
                 "probably diverge; time.cfl chooses a step", dt, dt * limit.stiffness, 1 / limit.stiffness);
        return SW_OK;
    }
    if (!advection_setup_of(setup, ld, column, j, &one)) return SW_OK;
    for (int d = 0; d < one.dim; d++)
        for (int side = 0; side < 2 && one.walls[d]; side++)
            SW_TRY(caution_at(&one, ld, column, j, (struct advection_wall){d, side}, &limit, text));
    caution_of_courant(&one, advection_number(setup, "time.cfl", ld, column, j), &limit, text);
    return SW_OK;
}

void advection_remark(const struct sw_problem *problem, const struct sw_setup *setup, char text[200])
{
    const struct advection_method m = advection_method_of(setup);
    (void)problem;
    text[0] = 0;
    for (int d = 0; d < setup->dim && !*text; d++)
        if (!strncmp(m.boundary[d], "4-4-", 4))
            snprintf(text, 200,
                     "%s = \"%s\": waves that stay for many crossings of the domain grow; 3-4-%s does not let them "
                     "(numerics.md, 10)", advection_boundary[d], m.boundary[d], m.boundary[d] + 4);
    if (*text) return;
    if (setup->single_steps)
        snprintf(text, 200,
                 "single precision: each stage rounds u to 6e-8 of itself; errors below 1e-6 or so are that");
}
