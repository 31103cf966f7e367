/* How fast it goes in `advection`: the largest speed of a run, which bounds its time step, and what flows through its
 * walls. Both by samples, before the run is there. */
#include "problem/advection/advection_speed.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/advection/advection_method.h"

/* Points and times are sampled. Points: at most so many along each axis of 1, 2, 3 dimensions, both ends among them,
 * and one along an axis on which c does not depend. Times, where they matter: so many, both ends among them. First many
 * points at a few times, then few points at many, as a velocity may come and go in between. Where c names u and u is
 * given at a wall, more times there at once: what comes in may be faster than what is there at first. */
struct look { int along[SW_DIMS], times; };
static const struct look on_grid[] = {{{1024, 64, 16}, 9}, {{16, 4, 4}, 256}},
                         at_wall[] = {{{1024, 64, 16}, 32}, {{16, 4, 4}, 256}};
enum { LOOKS = 2 };

/* Time k of a look: both ends, and in between at no even distance, so that what has a period is not met at the zeros
 * of a sine only. */
static double time_of(int k, int times, double end)
{
    const double golden = 0.6180339887498949 * k;
    return k == 0 ? 0 : k == times - 1 ? end : end * (golden - floor(golden));
}

struct sampling {
    int     dim, count;              /* points                                */
    double *at[SW_DIMS], *u, *c, *speed;
    double  dx[SW_DIMS], end;
    struct sw_eval *eval[SW_DIMS + 1];  /* of c, and of u; made when first used */
};
enum { EVAL_U = SW_DIMS };

bool advection_speed_names(const struct sw_setup *setup, const char *name)
{
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_program *c = sw_setup_function(setup, advection_velocity[d]);
        if (c && sw_program_uses(c, name)) return true;
    }
    return false;
}

/* Where u is taken from: u at time 0, noise or not, or what is given at a wall. */
static bool depends(const struct sw_setup *setup, const char *key, int d)
{
    const struct sw_function *u = advection_speed_names(setup, "u") ? sw_setup_find(setup, key) : NULL;
    return advection_speed_names(setup, advection_axes[d]) ||
           (u && (sw_program_uses(u->program, advection_axes[d]) || sw_expr_is_random(u->expr)));
}

static void sampling_free(struct sampling *s)
{
    for (int k = 0; k <= SW_DIMS; k++) sw_eval_destroy(&s->eval[k]);
    sw_free(s->at[0]);
}

/* @param key  of the function that gives u there */
static enum sw_status sampling_make(const struct sw_setup *at, int64_t ld, const double *column, int64_t j,
                                    struct advection_wall wall, const char *key, const int along[SW_DIMS],
                                    struct sampling *s)
{
    const struct sw_grid g = sw_setup_grid(at, ld, column, j);
    int m[SW_DIMS] = {1, 1, 1};
    *s = (struct sampling){.dim = at->dim, .count = 1, .end = advection_number(at, "time.end", ld, column, j)};
    for (int d = 0; d < at->dim; d++) {
        const int most = along[at->dim - 1];
        if (d != wall.d && depends(at, key, d)) m[d] = at->n[d] < most ? (int)at->n[d] : most;
        s->count *= m[d];
    }
    SW_TRY(sw_alloc((SW_DIMS + 3) * (size_t)s->count, &s->at[0]));
    for (int d = 1; d < SW_DIMS; d++) s->at[d] = s->at[0] + d * s->count;
    s->u = s->at[0] + SW_DIMS * s->count;
    s->c = s->u + s->count;
    s->speed = s->c + s->count;
    for (int i = 0; i < s->count; i++) {
        const int index[SW_DIMS] = {i % m[0], i / m[0] % m[1], i / m[0] / m[1]};
        for (int d = 0; d < SW_DIMS; d++) {
            const int64_t last = at->n[d] - 1, fixed = d == wall.d && wall.side ? last : 0,
                          p = m[d] > 1 ? index[d] * last / (m[d] - 1) : fixed;
            s->at[d][i] = g.x0[d] + (double)p * g.dx[d];
        }
    }
    memcpy(s->dx, g.dx, sizeof s->dx);
    return SW_OK;
}

/* By the C library's functions: the number of steps follows from this, and from it the id of the run. */
static enum sw_status evaluate(const struct sw_program *program, struct sampling *s, int which, const double *column,
                               int64_t ld, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = s->at[0], [SW_IN_Y] = s->at[1], [SW_IN_Z] = s->at[2], [SW_IN_U] = s->u};
    struct sw_eval **e = &s->eval[which];
    if (!*e) {
        SW_TRY(sw_eval_create(program, s->count, e));
        sw_eval_by_scalars(*e);
        sw_eval_run(*e, column, ld);
        sw_eval_cells(*e, s->count, in);
    }
    sw_eval_step(*e, t, 0);
    sw_eval_points(*e, s->count, in, out);
    return SW_OK;
}

/* The largest sum |c_d|/dx_d at a time; what is not finite does not count. */
static enum sw_status speed_at(const struct sw_setup *setup, struct sampling *s, const double *column, int64_t ld,
                               double t, double *largest)
{
    memset(s->speed, 0, (size_t)s->count * sizeof *s->speed);
    for (int d = 0; d < s->dim; d++) {
        const struct sw_program *c = sw_setup_function(setup, advection_velocity[d]);
        if (!c) continue;
        SW_TRY(evaluate(c, s, d, column, ld, t, s->c));
        for (int i = 0; i < s->count; i++) s->speed[i] += fabs(s->c[i]) / s->dx[d];
    }
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->speed[i])) *largest = fmax(*largest, s->speed[i]);
    return SW_OK;
}

/* On the grid u is that of time 0; at a wall what is given there at the time. */
static enum sw_status look_at(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                              struct advection_wall wall, const struct look *look, int times, double *largest)
{
    const bool grid = wall.d < 0;
    const char *key = grid ? "initial" : advection_wall_key(wall.d, wall.side);
    const struct sw_program *u = advection_speed_names(setup, "u") ? sw_setup_function(setup, key) : NULL;
    struct sampling s;
    enum sw_status st = sampling_make(setup, ld, column, j, wall, key, look->along, &s);
    for (int k = 0; k < times && !st; k++) {
        const double t = time_of(k, times, s.end);
        if (u && (k == 0 || !grid))
            st = evaluate(u, &s, EVAL_U, column + j, ld, t, s.u);
        if (!st) st = speed_at(setup, &s, column + j, ld, t, largest);
    }
    sampling_free(&s);
    return st;
}

static enum sw_status speed_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               struct advection_wall wall, double *largest)
{
    const bool grid = wall.d < 0;
    const struct sw_program *given = grid ? NULL : sw_setup_function(setup, advection_wall_key(wall.d, wall.side));
    const bool moves = advection_speed_names(setup, "t") || (given && sw_program_uses(given, "t"));
    const struct look *look = grid ? on_grid : at_wall;
    if (!grid && !given) return SW_OK;
    for (int k = 0; k < (moves ? LOOKS : 1); k++)
        SW_TRY(look_at(setup, ld, column, j, wall, &look[k], moves ? look[k].times : 1, largest));
    return SW_OK;
}

enum sw_status advection_speed(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               double *largest)
{
    *largest = 0;
    SW_TRY(speed_of(setup, ld, column, j, (struct advection_wall){-1, 0}, largest));
    for (int d = 0; d < setup->dim && advection_speed_names(setup, "u"); d++)
        for (int side = 0; side < 2; side++)
            SW_TRY(speed_of(setup, ld, column, j, (struct advection_wall){d, side}, largest));
    return SW_OK;
}

/* ------------------------------------------------------------------ what comes in and goes out */

enum sw_status advection_through(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 struct advection_wall wall, double *in, double *out)
{
    const struct sw_program *c = sw_setup_function(setup, advection_velocity[wall.d]);
    const char *given = advection_wall_key(wall.d, wall.side);
    const char *key = sw_setup_function(setup, given) ? given : "initial";
    const struct sw_program *u = sw_setup_function(setup, key);
    struct sampling s;
    *in = *out = 0;
    if (!c) return SW_OK;
    const bool uses_u = u && sw_program_uses(c, "u"), known = !uses_u || key == given;
    enum sw_status st = sampling_make(setup, ld, column, j, wall, key, at_wall->along, &s);
    for (int k = 0; k < (known ? at_wall->times : 1) && !st; k++) {
        const double t = time_of(k, at_wall->times, s.end);
        if (uses_u) st = evaluate(u, &s, EVAL_U, column + j, ld, t, s.u);
        if (!st) st = evaluate(c, &s, wall.d, column + j, ld, t, s.c);
        for (int i = 0; i < s.count && !st; i++) {
            const double inwards = wall.side ? -s.c[i] : s.c[i];
            if (isfinite(inwards)) *in = fmax(*in, inwards), *out = fmax(*out, -inwards);
        }
    }
    sampling_free(&s);
    return st;
}
