/* What there is to say of a run on the line equation (docs/numerics.md, 1): whether its interfaces have enough points,
 * and whether the explicit part, G, stays stable.
 *
 * Stability of a backward Euler step about a constant U. A wave with s = 2 - 2 cos(k dx) is multiplied by
 *
 *     (1 - r G'(U) s)/(1 + s4 s²),      r = dt/dx²,  s4 = dt a4/dx⁴
 *
 * which is at least -1 for all s in (0, 4] if G'(U) <= least (2/s + s4 s)/r. That is 2 sqrt(2 a4/dt), at
 * s = sqrt(2/s4), unless this s is beyond 4. (Measured for Cahn-Hilliard, dt = 0.005 ... 0.1, forces at rest of three
 * wavelengths: no run diverged whose u a force drives to 1.05 times the U so found, all did from 1.35 times on.)
 *
 * A force a cos(q (x - v t)) is balanced by a wave of the peak U with
 *
 *     a = U sqrt(omega² + q⁴ (G(U)/U + a4 q²)²),      omega = q v
 *
 * (at rest, a = q² (G(U) + a4 q² U) holds at the peak). Its right-hand side grows with U where U is large, so that a
 * force with more than its value at the limit drives u beyond it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line_family.h"

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------------ how many points an interface has */

/* With fewer, the energy of an interface is off by more than 4 %, and depends by more than 1e-4 on where among the
 * points it lies: it stays there instead of moving (numerics.md, 4). */
static const double least_points = 4.0;

/* A number of the run by an expression of its keys; 0 for none. */
static enum sw_status number_of(const struct sw_problem *problem, const struct sw_setup *setup, const char *text,
                                int64_t ld, const double *column, int64_t j, double *value)
{
    struct sw_program *program = NULL;
    *value = 0;
    if (!text) return SW_OK;
    SW_TRY(sw_line_expression(problem, setup, text, 0, &program));
    enum sw_status st = sw_program_over_runs(program, 1, column + j, ld, value);
    sw_program_destroy(&program);
    return st;
}

/* The setup of one run: its n is in the columns. */
static struct sw_setup setup_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    struct sw_setup one = *setup;
    one.n[0] = (int64_t)column[sw_setup_column(setup, "grid.n") * ld + j];
    one.n[1] = one.n[2] = 1;
    return one;
}

static enum sw_status warn_resolution(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                      const double *column, int64_t j, char text[200])
{
    const struct sw_line_kind *kind = problem->model;
    const struct sw_setup one = setup_of(setup, ld, column, j);
    const double dx = sw_setup_grid(&one, ld, column, j).dx[0];
    double width, points;
    text[0] = 0;
    SW_TRY(number_of(problem, setup, kind->width, ld, column, j, &width));
    points = width / dx;
    if (!kind->width || points >= least_points) return SW_OK;
    snprintf(text, 200, "under-resolved: interfaces %s = %.3g wide have %.2g points (dx = %.3g) and stick to them; "
             "%.0f need grid.n >= %.0f", kind->width, width, points, dx, least_points,
             ceil(least_points / points * (double)one.n[0] * (1 - 1e-12)));
    return SW_OK;
}

/* ------------------------------------------------------------------ how large u may be */

/* G of one run, and what its steps are made of. */
struct limit {
    struct sw_program *g;
    struct sw_eval    *eval;
    double dt, dx, a4;
    double u;                /* stable up to here; infinite: there is no G */
};

static void limit_free(struct limit *l)
{
    sw_eval_destroy(&l->eval);
    sw_program_destroy(&l->g);
}

static double g_at(struct limit *l, double u)
{
    const double *in[SW_INPUTS] = {[SW_IN_U] = &u};
    double value;
    sw_eval_points(l->eval, 1, in, &value);
    return value;
}

/* The larger one of G'(u) and G'(-u), by differences: to some 1e-8. */
static double steepness(struct limit *l, double u)
{
    const double h = 1e-4 * (1 + u);
    return fmax(g_at(l, u + h) - g_at(l, u - h), g_at(l, -u + h) - g_at(l, -u - h)) / (2 * h);
}

static double steepest(const struct limit *l, double dt)
{
    const double dx2 = l->dx * l->dx, s4 = dt * l->a4 / (dx2 * dx2), s = s4 > 0 ? fmin(4, sqrt(2 / s4)) : 4;
    return (2 / s + s4 * s) * dx2 / dt;
}

/* Up to which |u| a step dt is stable. */
static double stable_to(struct limit *l, double dt)
{
    const double most = steepest(l, dt);
    double low = 0, high = 1e-3;
    while (high < 1e100 && steepness(l, high) <= most) high *= 2;
    if (!(high < 1e100)) return INFINITY;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (steepness(l, middle) <= most) low = middle;
        else high = middle;
    }
    return low;
}

/* A step that is stable up to u, less than dt, rounded down to two digits. */
static double stable_step(struct limit *l, double u)
{
    const double steep = steepness(l, u);
    double low = 0, high = l->dt;
    for (int k = 0; k < 1000 && !(low > 0.999 * high); k++) {
        const double middle = low > 0 ? 0.5 * (low + high) : 0.5 * high;
        if (steepest(l, middle) >= steep) low = middle;
        else high = middle;
    }
    const double unit = pow(10, floor(log10(low)) - 1);
    return floor(low / unit) * unit;
}

static enum sw_status limit_of(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                               const double *column, int64_t j, struct limit *l)
{
    const struct sw_line_kind *kind = problem->model;
    const struct sw_setup one = setup_of(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    *l = (struct limit){.dt = grid.dt, .dx = grid.dx[0], .u = INFINITY};
    if (!kind->g || kind->scheme != SW_BACKWARD_EULER) return SW_OK;
    SW_TRY(number_of(problem, setup, kind->a4, ld, column, j, &l->a4));
    SW_TRY(sw_line_expression(problem, setup, kind->g, 1, &l->g));
    SW_TRY(sw_eval_create(l->g, 1, &l->eval));
    sw_eval_run(l->eval, column + j, ld);
    l->u = stable_to(l, l->dt);
    return SW_OK;
}

/* ------------------------------------------------------------------ what drives u */

enum { SAMPLES = 256, MODES = 64, TIMES = 8 };  /* waves shorter than 4 samples are not looked at */

/* A program at some points of the line. @param count  SAMPLES at most */
static void sample(struct sw_eval *eval, int count, const double *x, double t, int64_t step, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = x};
    sw_eval_step(eval, t, step);
    sw_eval_points(eval, count, in, out);
}

static enum sw_status begin(const struct sw_program *program, int64_t ld, const double *column, int64_t j, int count,
                            const double *x, struct sw_eval **eval)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = x};
    SW_TRY(sw_eval_create(program, count, eval));
    sw_eval_run(*eval, column + j, ld);
    sw_eval_cells(*eval, count, in);
    return SW_OK;
}

/* As many points as there are, evenly spread if they are more than SAMPLES. */
static int place(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double x[SAMPLES])
{
    const struct sw_setup one = setup_of(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    const int count = one.n[0] < SAMPLES ? (int)one.n[0] : SAMPLES;
    for (int i = 0; i < count; i++)
        x[i] = grid.x0[0] + grid.dx[0] * (double)one.n[0] * i / count;
    return count;
}

static enum sw_status largest_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      double *largest)
{
    const struct sw_program *program = sw_setup_function(setup, "initial");
    double x[SAMPLES], u[SAMPLES];
    struct sw_eval *eval = NULL;
    *largest = 0;
    if (!program) return SW_OK;
    const int count = place(setup, ld, column, j, x);
    SW_TRY(begin(program, ld, column, j, count, x, &eval));
    sample(eval, count, x, 0, 0, u);
    for (int i = 0; i < count; i++) *largest = fmax(*largest, fabs(u[i]));
    sw_eval_destroy(&eval);
    return SW_OK;
}

/* One wave of the force: its largest amplitude, and omega by the change in a step, as mean squares over some times.
 * cosine: [count] pairs of cosine and sine of 2 pi i/count. */
struct wave { double amplitude, square, change; };

static void add_wave(struct wave *w, int mode, int count, const double *cosine, const double *now, const double *then)
{
    double re = 0, im = 0, dre = 0, dim = 0;
    for (int i = 0; i < count; i++) {
        const int at = mode * i % count;
        const double c = cosine[2 * at], s = cosine[2 * at + 1];
        re += now[i] * c;
        im += now[i] * s;
        dre += (then[i] - now[i]) * c;
        dim += (then[i] - now[i]) * s;
    }
    w->amplitude = fmax(w->amplitude, 2 * hypot(re, im) / count);
    w->square += re * re + im * im;
    w->change += dre * dre + dim * dim;
}

static double balance(struct limit *l, double u, double q, double omega)
{
    return u * hypot(omega, q * q * (g_at(l, u) / u + l->a4 * q * q));
}

/* The force that drives u furthest beyond the limit. */
struct force { double amplitude, wavelength, u; };  /* u 0: none does */

static void look_at_wave(struct limit *l, double q, const struct wave *w, struct force *worst)
{
    const double omega = w->square > 0 ? sqrt(w->change / w->square) / l->dt : 0;
    double low = l->u, high = 2 * l->u;
    if (!(w->amplitude > 0) || !(balance(l, l->u, q, omega) < w->amplitude)) return;
    while (balance(l, high, q, omega) < w->amplitude && high < 1e100) high *= 2;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (balance(l, middle, q, omega) < w->amplitude) low = middle;
        else high = middle;
    }
    if (low > worst->u) *worst = (struct force){w->amplitude, 2 * pi / q, low};
}

static enum sw_status worst_force(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct limit *l, struct force *worst)
{
    const struct sw_program *program = sw_setup_function(setup, "forcing");
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    double x[SAMPLES], now[SAMPLES], then[SAMPLES], cosine[2 * SAMPLES];
    struct wave wave[MODES + 1] = {{0}};
    struct sw_eval *eval = NULL;
    *worst = (struct force){0};
    if (!program || sw_program_uses(program, "u")) return SW_OK;
    const int count = place(setup, ld, column, j, x), modes = count / 4 < MODES ? count / 4 : MODES;
    const double length = setup_of(setup, ld, column, j).n[0] * l->dx;
    for (int i = 0; i < count; i++) {
        cosine[2 * i] = cos(2 * pi * i / count);
        cosine[2 * i + 1] = sin(2 * pi * i / count);
    }
    SW_TRY(begin(program, ld, column, j, count, x, &eval));
    for (int k = 0; k < TIMES; k++) {
        const int64_t step = (int64_t)(end / l->dt * k / TIMES);
        sample(eval, count, x, (double)step * l->dt, step, now);
        sample(eval, count, x, (double)(step + 1) * l->dt, step + 1, then);
        for (int m = 1; m <= modes; m++) add_wave(&wave[m], m, count, cosine, now, then);
    }
    sw_eval_destroy(&eval);
    for (int m = 1; m <= modes; m++) look_at_wave(l, 2 * pi * m / length, &wave[m], worst);
    return SW_OK;
}

/* Who drives u beyond the limit, "" if nobody is known to, and how far. */
static enum sw_status find_driver(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct limit *l, char who[80], double *u)
{
    struct force force;
    who[0] = 0;
    SW_TRY(largest_initial(setup, ld, column, j, u));
    if (*u > l->u) {
        snprintf(who, 80, "the initial value is up to %.3g", *u);
        return SW_OK;
    }
    SW_TRY(worst_force(setup, ld, column, j, l, &force));
    *u = force.u;
    if (force.u > 0)
        snprintf(who, 80, "a force of %.3g over a wavelength of %.3g drives it to %.3g", force.amplitude,
                 force.wavelength, force.u);
    return SW_OK;
}

static enum sw_status warn_stability(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                     const double *column, int64_t j, char text[200])
{
    struct limit l;
    char who[80] = "";
    double u;
    text[0] = 0;
    enum sw_status st = limit_of(problem, setup, ld, column, j, &l);
    if (!st && isfinite(l.u)) st = find_driver(setup, ld, column, j, &l, who, &u);
    if (!st && *who)
        snprintf(text, 200, "time.dt = %.4g is stable for |u| up to %.3g but %s: the run may diverge; "
                 "time.dt <= %.2g is stable", l.dt, l.u, who, stable_step(&l, u));
    limit_free(&l);
    return st;
}

const struct sw_run_warning sw_line_warnings[] = {
    {.warn = warn_stability},
    {.warn = warn_resolution, .of_result = true},
    {0},
};

enum sw_status sw_line_advise(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                              const double *column, int64_t j, char text[200])
{
    struct limit l;
    char who[80] = "";
    double u;
    text[0] = 0;
    enum sw_status st = limit_of(problem, setup, ld, column, j, &l);
    if (!st && isfinite(l.u)) st = find_driver(setup, ld, column, j, &l, who, &u);
    if (!st && *who)
        snprintf(text, 200, "time.dt = %.4g is stable for |u| up to %.3g but %s; use time.dt <= %.2g", l.dt, l.u, who,
                 stable_step(&l, u));
    else if (!st && isfinite(l.u))
        snprintf(text, 200, "time.dt = %.4g is stable for |u| up to %.3g and %.4g up to %.3g; use a smaller time.dt",
                 l.dt, l.u, l.dt / 4, stable_to(&l, l.dt / 4));
    limit_free(&l);
    return st;
}
