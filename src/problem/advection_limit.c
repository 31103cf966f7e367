/* What bounds the time step of `advection` (docs/numerics.md, 10): its problem, linearised with the largest speeds; and
 * where u comes in without being given.
 *
 * A wave along the axes has, by the schemes, the derivatives i k'/dx and -k''/dx², |k'| <= K1 and 0 <= k'' <= K2; so
 * what a Runge-Kutta step multiplies it by is R(dt lambda) with
 *
 *     |Im lambda| <= K1 sum |c_d|/dx_d =: a,     0 <= -Re lambda <= nu K2 sum 1/dx_d² =: b
 *
 * and |R| <= 1 in the triangle between -real and +-i imaginary, the ends of its region on the axes: dt (a/imaginary +
 * b/real) <= 1 (tests/test_advection.c looks at all of the triangle). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/advection.h"

/* The symbol of a row of the scheme, at the wave number w of points 1 apart. */
static double modified(const struct sw_fd_scheme *s, double w)
{
    const double alpha = (double)s->alpha.num / (s->alpha.den ? s->alpha.den : 1),
                 beta = (double)s->beta.num / (s->beta.den ? s->beta.den : 1);
    double sum = 0;
    for (int k = 1; k <= s->reach; k++) {
        const double a = (double)s->a[k].num / (s->a[k].den ? s->a[k].den : 1) / sw_fd_divisor(s->kind, k);
        sum += s->kind == SW_FD_FIRST ? 2 * a * sin(k * w) : 2 * a * (1 - cos(k * w));
    }
    return sum / (1 + 2 * alpha * cos(w) + 2 * beta * cos(2 * w));
}

static double search(const struct sw_fd_scheme *scheme)
{
    enum { WAVES = 2000 };
    const double pi = 3.14159265358979323846;
    double largest = 0;
    for (int k = 0; k <= WAVES; k++) largest = fmax(largest, fabs(modified(scheme, pi * k / WAVES)));
    return largest;
}

/* Found once: every run of a sweep asks. Threads that find it at the same time find the same. */
double advection_largest(const struct sw_fd_scheme *scheme)
{
    enum { ROOM = 64 };
    static double known[ROOM];
    double largest = 0;
    int row = 0;
    while (sw_fd_schemes[row] != scheme) row++;
    if (row >= ROOM) return search(scheme);
    __atomic_load(&known[row], &largest, __ATOMIC_RELAXED);
    if (largest > 0) return largest;
    largest = search(scheme);
    __atomic_store(&known[row], &largest, __ATOMIC_RELAXED);
    return largest;
}

/* ------------------------------------------------------------------ the largest speed */

/* Points are sampled: at most so many along each axis of 1, 2, 3 dimensions, both ends among them, and one along an
 * axis on which c does not depend; times, where c names the time: so many, both ends among them. Where c names u and u
 * is given at a wall, more of them there: what comes in may be faster than what is there at first. */
enum { TIMES = 9, WALL_TIMES = 32 };
static const int along[SW_DIMS] = {1024, 64, 16};

struct sampling {
    int     dim, count;              /* points                                */
    double *at[SW_DIMS], *u, *c, *speed;
    double  dx[SW_DIMS], end;
    struct sw_eval *eval[SW_DIMS + 1];  /* of c, and of u; made when first used */
};
enum { EVAL_U = SW_DIMS };

static bool names(const struct sw_setup *setup, const char *name)
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
    const struct sw_function *u = names(setup, "u") ? sw_setup_find(setup, key) : NULL;
    return names(setup, advection_axes[d]) ||
           (u && (sw_program_uses(u->program, advection_axes[d]) || sw_expr_is_random(u->expr)));
}

/* A wall; d = -1: all of the grid. */
struct wall { int d, side; };

static void sampling_free(struct sampling *s)
{
    for (int k = 0; k <= SW_DIMS; k++) sw_eval_destroy(&s->eval[k]);
    sw_free(s->at[0]);
}

/* @param key  of the function that gives u there */
static enum sw_status sampling_make(const struct sw_setup *at, int64_t ld, const double *column, int64_t j,
                                    struct wall wall, const char *key, struct sampling *s)
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
static enum sw_status speed_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               struct wall wall, double *largest)
{
    const bool grid = wall.d < 0;
    const char *key = grid ? "initial" : advection_wall_key(wall.d, wall.side);
    const struct sw_program *u = sw_setup_function(setup, key);
    const bool moves = names(setup, "t") || (!grid && u && sw_program_uses(u, "t"));
    const int times = !moves ? 1 : grid ? TIMES : WALL_TIMES;
    struct sampling s;
    if (!grid && !u) return SW_OK;
    enum sw_status st = sampling_make(setup, ld, column, j, wall, key, &s);
    for (int k = 0; k < times && !st; k++) {
        const double t = times > 1 ? s.end * k / (times - 1) : 0;
        if (u && names(setup, "u") && (k == 0 || !grid)) st = evaluate(u, &s, EVAL_U, column + j, ld, t, s.u);
        if (!st) st = speed_at(setup, &s, column + j, ld, t, largest);
    }
    sampling_free(&s);
    return st;
}

static enum sw_status largest_speed(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                    double *largest)
{
    *largest = 0;
    SW_TRY(speed_of(setup, ld, column, j, (struct wall){-1, 0}, largest));
    for (int d = 0; d < setup->dim && names(setup, "u"); d++)
        for (int side = 0; side < 2; side++)
            SW_TRY(speed_of(setup, ld, column, j, (struct wall){d, side}, largest));
    return SW_OK;
}

/* ------------------------------------------------------------------ the limit */

/* The setup of one run: runs of different shape may stand side by side in the columns. false: its numbers are out of
 * range, which their keys refuse. */
static bool setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                         struct sw_setup *one)
{
    const struct advection_method m = advection_method_of(setup);
    const double dim = advection_number(setup, "grid.dim", ld, column, j);
    *one = *setup;
    if (!(dim >= 1 && dim <= SW_DIMS)) return false;
    one->dim = (int)dim;
    for (int d = 0; d < SW_DIMS; d++) {
        const double n = advection_number(setup, advection_points[d], ld, column, j);
        if (!(n >= 1 && n <= 1e9)) return false;
        one->n[d] = d < one->dim ? (int64_t)n : 1;
        one->walls[d] = d < one->dim && advection_walled(&m, d);
    }
    return true;
}

enum sw_status advection_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct advection_limit *limit)
{
    const struct advection_method m = advection_method_of(setup);
    const double nu = advection_number(setup, "physics.nu", ld, column, j);
    struct sw_setup one;
    double rate = 0, b = 0;
    *limit = (struct advection_limit){0};
    if (!setup_of_run(setup, ld, column, j, &one)) return SW_OK;
    const struct sw_grid g = sw_setup_grid(&one, ld, column, j);
    SW_TRY(largest_speed(&one, ld, column, j, &rate));
    for (int d = 0; d < one.dim && nu > 0; d++) b += nu / (g.dx[d] * g.dx[d]);
    limit->courant = rate;
    limit->stiffness = rate * advection_scale(&m);
    if (b > 0) limit->stiffness += b * advection_largest(sw_fd_scheme_find(m.second)) / m.rk->real;
    return SW_OK;
}

double advection_scale(const struct advection_method *m)
{
    return advection_largest(sw_fd_scheme_find(m->first)) / m->rk->imaginary;
}

/* A part in 1e9 is rounding's: a step may be chosen to be at the bound. */
double advection_bound(const struct advection_method *m, int dim, const struct advection_run *r)
{
    double b = 0;
    for (int d = 0; d < dim && r->nu > 0; d++) b += r->nu * r->per2[d];
    if (b > 0) b *= advection_largest(sw_fd_scheme_find(m->second)) / m->rk->real;
    return (1 + 1e-9 - r->dt * b) / advection_scale(m);
}

/* The largest step with a Courant number of time.cfl that keeps 0.9 of the estimate above, then the next smaller one
 * that goes into time.end; 0, which is refused, for a Courant number of 0. Where nothing limits it, it is all of
 * time.end. */
enum sw_status advection_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *step)
{
    const double cfl = advection_number(setup, "time.cfl", ld, column, j),
                 end = advection_number(setup, "time.end", ld, column, j);
    struct advection_limit limit;
    *step = 0;
    if (!(cfl > 0)) return SW_OK;
    SW_TRY(advection_limit_of(setup, ld, column, j, &limit));
    const double least = fmax(end * limit.courant / cfl, end * limit.stiffness / 0.9);  /* steps */
    *step = end / fmax(1, ceil(least * (1 - 1e-12)));
    return SW_OK;
}

/* ------------------------------------------------------------------ what comes in and goes out */

/* The largest c along its axis into the grid at a wall, and out of it; 0 at least. Where nothing is given there u is
 * that of time 0, and c that of then if it names u. */
static enum sw_status through_wall(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   struct wall wall, double *in, double *out)
{
    const struct sw_program *c = sw_setup_function(setup, advection_velocity[wall.d]);
    const char *given = advection_wall_key(wall.d, wall.side);
    const char *key = sw_setup_function(setup, given) ? given : "initial";
    const struct sw_program *u = sw_setup_function(setup, key);
    struct sampling s;
    *in = *out = 0;
    if (!c) return SW_OK;
    const bool uses_u = u && sw_program_uses(c, "u"), known = !uses_u || key == given;
    enum sw_status st = sampling_make(setup, ld, column, j, wall, key, &s);
    for (int k = 0; k < (known ? WALL_TIMES : 1) && !st; k++) {
        const double t = s.end * k / (WALL_TIMES - 1);
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

/* Without nu, u is to be given where it comes in and nowhere else; with nu everywhere: where nothing flows through the
 * wall nothing else says what it is, where it goes out the closure does, which is no more than a guess. A speed of
 * rounding, sin(pi), is none. What is missing is told rather than what is too much, and the worse thing first. */
static enum sw_status caution_at(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                 struct wall wall, const struct advection_limit *limit, char text[200])
{
    const char *key = advection_wall_key(wall.d, wall.side), *axis = advection_axes[wall.d];
    const bool given = sw_setup_function(one, key) != NULL;
    const bool diffuses = advection_number(one, "physics.nu", ld, column, j) > 0;
    const double least = 1e-9 * limit->courant * sw_setup_grid(one, ld, column, j).dx[wall.d];
    double in, out;
    SW_TRY(through_wall(one, ld, column, j, wall, &in, &out));
    if (in > least && !given)
        snprintf(text, 200, "u comes in at the %s wall of %s, where nothing is given: %s is missing, and errors grow "
                 "from there", wall.side ? "right" : "left", axis, key);
    else if (in <= least && out <= least && !given && diffuses)
        snprintf(text, 200, "nu is not 0 and nothing flows through the %s wall of %s: without %s, which is missing, u "
                 "there follows from no equation", wall.side ? "right" : "left", axis, key);
    else if (!*text && in <= least && out > least && !given && diffuses)
        snprintf(text, 200, "nu is not 0 and u goes out at the %s wall of %s without %s: u there is what the closure "
                 "makes of it, another u with another closure", wall.side ? "right" : "left", axis, key);
    else if (!*text && in <= least && out > least && given && !diffuses)
        snprintf(text, 200, "u goes out at the %s wall of %s and nu is 0: what %s gives is at odds with what arrives",
                 wall.side ? "right" : "left", axis, key);
    return SW_OK;
}

/* A Courant number that waves are not stable with. */
static void caution_of_courant(const struct sw_setup *one, double cfl, char text[200])
{
    const struct advection_method m = advection_method_of(one);
    const double stable = 1 / advection_scale(&m);
    if (!*text && cfl > stable)
        snprintf(text, 200, "time.cfl = %.4g is more than %s with %s is stable with, %.3g: steps are of 0.9 of that at "
                 "most", cfl, m.rk->name, m.first, stable);
}

enum sw_status advection_caution(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 char text[200])
{
    const double dt = advection_number(setup, "time.dt", ld, column, j);
    struct advection_limit limit;
    struct sw_setup one;
    text[0] = 0;
    SW_TRY(advection_limit_of(setup, ld, column, j, &limit));
    if (dt * limit.stiffness > 1) {
        snprintf(text, 200,
                 "time.dt = %.4g is %.2g times what is stable for the largest speed and nu (about %.3g): the run will "
                 "probably diverge; time.cfl chooses a step", dt, dt * limit.stiffness, 1 / limit.stiffness);
        return SW_OK;
    }
    if (!setup_of_run(setup, ld, column, j, &one)) return SW_OK;
    for (int d = 0; d < one.dim; d++)
        for (int side = 0; side < 2 && one.walls[d]; side++)
            SW_TRY(caution_at(&one, ld, column, j, (struct wall){d, side}, &limit, text));
    if (limit.courant > 0) caution_of_courant(&one, advection_number(setup, "time.cfl", ld, column, j), text);
    return SW_OK;
}
