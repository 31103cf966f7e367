/* What there is to say of a run on the line equation (docs/numerics.md, 1): whether its interfaces or waves have enough
 * points, whether the explicit part, G and S, stays stable, and what rounding does to the mean.
 *
 * Stability of a step about a constant U. A wave with s = 2 - 2 cos(k dx) is multiplied by
 *
 *     (1 + dt S'(U) - r G'(U) s - e s²)/(1 + q),      q = s2 s + s4 s²,   r = dt/dx²,   S' = dS/du,
 *
 * with s4 = theta dt a4/dx⁴, s2 = theta dt a2/dx²; backward Euler has no e s², Crank-Nicolson has q there. It is at
 * least -1 for all s in [0, 4] if r G'(U) s <= m + q (backward Euler) or m (Crank-Nicolson), m = 2 + dt S'(U): for
 * backward Euler without a2, if m >= 0 and G'(U) <= least (m/s + s4 s)/r, which is 2 sqrt(m s4)/r, at s = sqrt(m/s4),
 * unless this s is beyond 4. A source that draws u back, S' < 0, bounds dt by 2/|S'| where G' <= 0. (Measured for
 * Cahn-Hilliard, dt = 0.005 ... 0.1, forces at rest of three wavelengths: no run diverged whose u a force drives to
 * 1.05 times the U so found, all did from 1.35 times on.)
 *
 * A force a cos(q (x - v t)) is balanced by a wave of the peak U with
 *
 *     a = U sqrt(omega² + (q² G(U)/U + a4 q⁴ + a2 q² - S(U)/U)²),      omega = q v,
 *
 * S the kind's own source (at rest, a = q² (G(U) + a4 q² U) - S(U) holds at the peak). Its right-hand side grows with U
 * where U is large, so that a force with more than its value at the limit drives u beyond it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/line_family.h"

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------------ the numbers of a run */

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

/* ------------------------------------------------------------------ how large u may be */

/* An expression of the kind in u, for one run; eval NULL: it has none. */
struct function { struct sw_program *program; struct sw_eval *eval; };

/* G and the kind's source of one run, and what its steps are made of. */
struct limit {
    struct function g, source;
    bool   crank_nicolson, fourth;  /* P = 1 + d2/6 (fourth_order.h) */
    double dt, dx, a4, a2;
    double u;                /* stable up to here; infinite: nothing is explicit, or nothing is known */
};

static void limit_free(struct limit *l)
{
    struct function *const both[] = {&l->g, &l->source};
    for (int k = 0; k < 2; k++) {
        sw_eval_destroy(&both[k]->eval);
        sw_program_destroy(&both[k]->program);
    }
}

static double value_at(const struct function *f, double u)
{
    const double *in[SW_INPUTS] = {[SW_IN_U] = &u};
    double value = 0;
    if (f->eval) sw_eval_points(f->eval, 1, in, &value);
    return value;
}

/* By a difference: to some 1e-8. */
static double derivative_at(const struct function *f, double u)
{
    const double h = 1e-4 * (1 + fabs(u));
    return (value_at(f, u + h) - value_at(f, u - h)) / (2 * h);
}

/* The same of fourth order, where a wave is multiplied by (1 + dt S' - r G' (s - s²/12)/p)/(1 + q/p) with p = 1 - s/6
 * and q of s4 s² and s2 (s - s²/12). */
static double steepest_of_fourth(const struct limit *l, double dt, double m, double s4)
{
    enum { WAVES = 256 };
    double least = INFINITY;
    for (int k = 1; k <= WAVES; k++) {
        const double s = 4.0 * k / WAVES;
        least = fmin(least, (m * (1 - s / 6) + s4 * s * s) / (s - s * s / 12));
    }
    return least * l->dx * l->dx / dt + (l->crank_nicolson ? 0 : l->a2);
}

/* The largest G' that a step dt bears where dt S' = m - 2; -infinity: it bears none. */
static double steepest(const struct limit *l, double dt, double m)
{
    const double dx2 = l->dx * l->dx, s4 = l->crank_nicolson ? 0 : dt * l->a4 / (dx2 * dx2);
    if (m < 0) return -INFINITY;
    if (l->fourth) return steepest_of_fourth(l, dt, m, s4);
    const double s = s4 > 0 ? fmin(4, sqrt(m / s4)) : 4;
    return (m / s + s4 * s) * dx2 / dt + (l->crank_nicolson ? 0 : l->a2);
}

static bool stable_at(const struct limit *l, double dt, double u)
{
    const double m = 2 + (l->source.eval ? dt * derivative_at(&l->source, u) : 0);
    if (!(m >= 0)) return false;
    return !l->g.eval || derivative_at(&l->g, u) <= steepest(l, dt, m);
}

static bool stable(const struct limit *l, double dt, double u) { return stable_at(l, dt, u) && stable_at(l, dt, -u); }

/* Up to which |u| a step dt is stable. */
static double stable_to(const struct limit *l, double dt)
{
    double low = 0, high = 1e-3;
    while (high < 1e100 && stable(l, dt, high)) high *= 2;
    if (!(high < 1e100)) return INFINITY;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (stable(l, dt, middle)) low = middle;
        else high = middle;
    }
    return low;
}

/* A step that is stable up to u, less than dt, rounded down to two digits; 0 where there is none. */
static double stable_step(const struct limit *l, double u)
{
    double low = 0, high = l->dt;
    for (int k = 0; k < 1000 && !(low > 0.999 * high); k++) {
        const double middle = low > 0 ? 0.5 * (low + high) : 0.5 * high;
        if (stable(l, middle, u)) low = middle;
        else high = middle;
    }
    const double unit = low > 0 ? pow(10, floor(log10(low)) - 1) : 0;
    return unit > 0 ? floor(low / unit) * unit : 0;
}

/* "|u| up to 2.13" */
static const char *print_range(double u, char text[40])
{
    if (u > 0 && isfinite(u)) snprintf(text, 40, "|u| up to %.3g", u);
    else snprintf(text, 40, u > 0 ? "any u" : "no u");
    return text;
}

static enum sw_status function_of(const struct sw_problem *problem, const struct sw_setup *setup, const char *text,
                                  int64_t ld, const double *column, int64_t j, struct function *f)
{
    if (!text) return SW_OK;
    SW_TRY(sw_line_expression(problem, setup, text, SW_LINE_SEES_U, &f->program));
    SW_TRY(sw_eval_create(f->program, 1, &f->eval));
    sw_eval_run(f->eval, column + j, ld);
    return SW_OK;
}

/* What is said here of steps is known of those with one stage. */
static bool is_known(const struct sw_problem *problem, const struct sw_setup *setup)
{
    const enum sw_scheme scheme = sw_line_scheme(problem, setup);
    return scheme == SW_CRANK_NICOLSON || scheme == SW_BACKWARD_EULER;
}

static enum sw_status limit_of(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                               const double *column, int64_t j, struct limit *l)
{
    const struct sw_line_kind *kind = problem->model;
    const struct sw_setup one = setup_of(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    *l = (struct limit){.crank_nicolson = sw_line_scheme(problem, setup) == SW_CRANK_NICOLSON,
                        .fourth = sw_line_is_fourth(setup), .dt = grid.dt, .dx = grid.dx[0], .u = INFINITY};
    if ((!kind->g && !kind->source) || !is_known(problem, setup)) return SW_OK;
    SW_TRY(number_of(problem, setup, kind->a4, ld, column, j, &l->a4));
    SW_TRY(number_of(problem, setup, kind->a2, ld, column, j, &l->a2));
    SW_TRY(function_of(problem, setup, kind->g, ld, column, j, &l->g));
    SW_TRY(function_of(problem, setup, kind->source, ld, column, j, &l->source));
    l->u = stable_to(l, l->dt);
    return SW_OK;
}

/* ------------------------------------------------------------------ what drives u */

enum { SAMPLES = 256, MODES = 64, TIMES = 8 };  /* waves shorter than 4 samples are not looked at */

/* A program at some points of the line.
 * @param count  SAMPLES at most
 * @param u      there; NULL for a program that does not use it */
static void sample_program(struct sw_eval *eval, int count, const double *x, const double *u, double t, int64_t step,
                           double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = x, [SW_IN_U] = u};
    sw_eval_step(eval, t, step);
    sw_eval_points(eval, count, in, out);
}

static enum sw_status begin_program(const struct sw_program *program, int64_t ld, const double *column, int64_t j,
                                    int count, const double *x, struct sw_eval **eval)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = x};
    SW_TRY(sw_eval_create(program, count, eval));
    sw_eval_run(*eval, column + j, ld);
    sw_eval_cells(*eval, count, in);
    return SW_OK;
}

/* As many points as there are, evenly spread if they are more than SAMPLES. */
static int sample_points(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double x[SAMPLES])
{
    const struct sw_setup one = setup_of(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    const int count = one.n[0] < SAMPLES ? (int)one.n[0] : SAMPLES;
    for (int i = 0; i < count; i++)
        x[i] = grid.x0[0] + grid.dx[0] * (double)one.n[0] * i / count;
    return count;
}

/* That of a file, at the same points or those before them. A file that cannot be read is refused elsewhere. */
static enum sw_status initial_from_file(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                        int count, double *u)
{
    const struct sw_setup one = setup_of(setup, ld, column, j);
    double *all;
    SW_TRY(sw_alloc((size_t)one.n[0], &all));
    const enum sw_status st = sw_initial_read(&one, ld, column, j, all);
    for (int i = 0; i < count && !st; i++) {
        const double value = all[one.n[0] * i / count];
        u[i] = isfinite(value) ? value : 0;
    }
    sw_free(all);
    return st == SW_E_MEMORY ? st : SW_OK;
}

/* The initial value at the points of sample_points(); zeros if there is none. */
static enum sw_status initial_at(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, int count,
                                 const double *x, double *u)
{
    const struct sw_program *program = sw_setup_function(setup, "initial");
    struct sw_eval *eval = NULL;
    for (int i = 0; i < count; i++) u[i] = 0;
    if (!program && sw_initial_in_file(setup)) return initial_from_file(setup, ld, column, j, count, u);
    if (!program) return SW_OK;
    SW_TRY(begin_program(program, ld, column, j, count, x, &eval));
    sample_program(eval, count, x, NULL, 0, 0, u);
    sw_eval_destroy(&eval);
    return SW_OK;
}

static double largest_of(int count, const double *u)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(u[i]));
    return largest;
}

static enum sw_status largest_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      double *largest)
{
    double x[SAMPLES], u[SAMPLES];
    const int count = sample_points(setup, ld, column, j, x);
    SW_TRY(initial_at(setup, ld, column, j, count, x, u));
    *largest = largest_of(count, u);
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

static double balance(const struct limit *l, double u, double q, double omega)
{
    const double q2 = q * q;
    return u * hypot(omega, q2 * (value_at(&l->g, u) / u + l->a4 * q2 + l->a2) - value_at(&l->source, u) / u);
}

/* The force that drives u furthest beyond the limit. */
struct force { double amplitude, wavelength, u; };  /* u 0: none does */

static void check_wave(struct limit *l, double q, const struct wave *w, struct force *worst)
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
    const int count = sample_points(setup, ld, column, j, x), modes = count / 4 < MODES ? count / 4 : MODES;
    const double length = setup_of(setup, ld, column, j).n[0] * l->dx;
    for (int i = 0; i < count; i++) {
        cosine[2 * i] = cos(2 * pi * i / count);
        cosine[2 * i + 1] = sin(2 * pi * i / count);
    }
    SW_TRY(begin_program(program, ld, column, j, count, x, &eval));
    for (int k = 0; k < TIMES; k++) {
        const int64_t step = (int64_t)(end / l->dt * k / TIMES);
        sample_program(eval, count, x, NULL, (double)step * l->dt, step, now);
        sample_program(eval, count, x, NULL, (double)(step + 1) * l->dt, step + 1, then);
        for (int m = 1; m <= modes; m++) add_wave(&wave[m], m, count, cosine, now, then);
    }
    sw_eval_destroy(&eval);
    for (int m = 1; m <= modes; m++) check_wave(l, 2 * pi * m / length, &wave[m], worst);
    return SW_OK;
}

/* The least |mean| of the force over the line, at times that share no period with it; 0 if its sign changes. */
static enum sw_status mean_force(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const struct limit *l, double *mean)
{
    const struct sw_program *program = sw_setup_function(setup, "forcing");
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    double x[SAMPLES], s[SAMPLES], least = INFINITY, largest = -INFINITY;
    struct sw_eval *eval = NULL;
    *mean = 0;
    if (!program || sw_program_uses(program, "u")) return SW_OK;
    const int count = sample_points(setup, ld, column, j, x);
    SW_TRY(begin_program(program, ld, column, j, count, x, &eval));
    for (int k = 0; k < TIMES; k++) {
        const int64_t step = (int64_t)(end / l->dt * fmod(0.6180339887498949 * k, 1));
        double sum = 0;
        sample_program(eval, count, x, NULL, (double)step * l->dt, step, s);
        for (int i = 0; i < count; i++) sum += s[i] / count;
        least = fmin(least, sum);
        largest = fmax(largest, sum);
    }
    sw_eval_destroy(&eval);
    if (least > 0) *mean = least;
    if (largest < 0) *mean = largest;
    return SW_OK;
}

/* The rate at which a wave of the peak u grows without a force. */
static double growth(const struct limit *l, double u, double q)
{
    const double q2 = q * q;
    return value_at(&l->source, u) / u - q2 * (value_at(&l->g, u) / u + l->a4 * q2 + l->a2);
}

/* How far the instability of the state at rest grows if that is beyond the limit, else 0: the peak at which the wave
 * that grows fastest at the limit neither grows nor decays. (Harmonics left out: r^(1/2) for Swift-Hohenberg, whose
 * pattern is up to (4/3)^(1/2) times as large.)
 * @param initial  max|u| at the start */
static double saturated(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                        const struct limit *l, double initial)
{
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    const int64_t n = setup_of(setup, ld, column, j).n[0], modes = n / 2 < 4096 ? n / 2 : 4096;
    double fastest = 0, rate = -INFINITY, low = l->u, high = 2 * l->u;
    if (!l->source.eval || !(initial > 0) || !(l->u > 0)) return 0;
    for (int64_t m = 0; m <= modes; m++) {
        const double q = 2 * pi * (double)m / ((double)n * l->dx), g = growth(l, l->u, q);
        if (g > rate) { rate = g; fastest = q; }
    }
    if (!(rate > 0) || rate * end < log(l->u / initial)) return 0;
    while (growth(l, high, fastest) > 0 && high < 1e100) high *= 2;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (growth(l, middle, fastest) > 0) low = middle;
        else high = middle;
    }
    return low;
}

/* A pattern diverges only well beyond the limit. Measured for Swift-Hohenberg, dt = 0.02 ... 0.2: no run diverged whose
 * pattern grows to 1.2 times the limit, all did from 1.27 times on. */
static const double beyond = 1.2;

/* What drives u beyond the limit, "" if nothing is known to, and how far. */
static enum sw_status find_driver(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct limit *l, char cause[80], double *u)
{
    struct force force;
    double mean, initial;
    cause[0] = 0;
    SW_TRY(largest_initial(setup, ld, column, j, u));
    initial = *u;
    if (*u > l->u) {
        snprintf(cause, 80, "the initial value is up to %.3g", *u);
        return SW_OK;
    }
    SW_TRY(mean_force(setup, ld, column, j, l, &mean));
    if (l->source.eval) {  /* the source balances it */
        const struct wave all = {.amplitude = fabs(mean)};
        force = (struct force){0};
        check_wave(l, 0, &all, &force);
        *u = force.u;
        if (*u > l->u) snprintf(cause, 80, "a force of mean %.3g drives it to %.3g", mean, *u);
    } else {
        *u = fabs(mean) * column[sw_setup_column(setup, "time.end") * ld + j];
        if (*u > l->u)
            snprintf(cause, 80, "a force of mean %.3g makes it grow without limit, to %.3g by the end", mean, *u);
    }
    if (*cause) return SW_OK;
    SW_TRY(worst_force(setup, ld, column, j, l, &force));
    *u = force.u;
    if (force.u > 0)
        snprintf(cause, 80, "a force of %.3g over a wavelength of %.3g drives it to %.3g", force.amplitude,
                 force.wavelength, force.u);
    if (*cause || sw_setup_function(setup, "forcing")) return SW_OK;
    *u = saturated(setup, ld, column, j, l, initial);
    if (*u > beyond * l->u) snprintf(cause, 80, "u grows by itself to %.3g", *u);
    return SW_OK;
}

static enum sw_status warn_stability(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                     const double *column, int64_t j, const double *state,
                                     char text[200])
{
    struct limit l;
    char cause[80] = "";
    double u;
    (void)state;
    text[0] = 0;
    enum sw_status st = limit_of(problem, setup, ld, column, j, &l);
    if (!st && isfinite(l.u)) st = find_driver(setup, ld, column, j, &l, cause, &u);
    if (!st && *cause) {
        char range[40];
        const double step = stable_step(&l, u);
        const int length = snprintf(text, 200, "time.dt = %.4g is stable for %s but %s: the run may diverge; ", l.dt,
                                    print_range(l.u, range), cause);
        if (step > 0) snprintf(text + length, 200 - (size_t)length, "time.dt <= %.2g is stable", step);
        else snprintf(text + length, 200 - (size_t)length, "no time.dt is stable for such a u");
    }
    limit_free(&l);
    return st;
}

/* ------------------------------------------------------------------ how many points an interface has */

/* With fewer, the energy of an interface is off by more than 4 %, and depends by more than 1e-4 on where among the
 * points it lies: it stays there instead of moving (numerics.md, 4). */
static const double least_points = 4.0;

/* Of a wave of its own length: with fewer, its wave number is off by more than (2 pi/8)²/24 = 2.6 % (numerics.md,
 * 1). */
static const double least_of_wave = 8.0;

/* Interfaces join u near -1 and 1. A field that varies by less than this, a millionth of it, has none. */
static const double flat = 2e-6;

static bool varies(int count, const double *u)
{
    double least = INFINITY, largest = -INFINITY;
    for (int i = 0; i < count; i++) {
        least = fmin(least, u[i]);
        largest = fmax(largest, u[i]);
    }
    return largest - least > flat;
}

/* Whether the field has waves that may become interfaces: at the end, or by the initial value or a force in x. */
static enum sw_status has_waves(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                const double *state, bool *waves)
{
    const struct sw_program *force = sw_setup_function(setup, "forcing");
    double x[SAMPLES], u[SAMPLES];
    if (state) {
        *waves = varies((int)setup_of(setup, ld, column, j).n[0], state);
        return SW_OK;
    }
    const int count = sample_points(setup, ld, column, j, x);
    SW_TRY(initial_at(setup, ld, column, j, count, x, u));
    *waves = varies(count, u) || (force && sw_program_rate(force) >= SW_RATE_CELL);
    return SW_OK;
}

static enum sw_status warn_resolution(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                      const double *column, int64_t j, const double *state,
                                      char text[200])
{
    const struct sw_line_kind *kind = problem->model;
    const struct sw_setup one = setup_of(setup, ld, column, j);
    const double dx = sw_setup_grid(&one, ld, column, j).dx[0], least = kind->width ? least_points : least_of_wave;
    const char *of = kind->width ? kind->width : kind->wavelength;
    double size, points;
    bool waves;
    text[0] = 0;
    SW_TRY(number_of(problem, setup, of, ld, column, j, &size));
    points = size / dx;
    if (!of || points >= least) return SW_OK;
    SW_TRY(has_waves(setup, ld, column, j, state, &waves));
    if (!waves) return SW_OK;
    int length = snprintf(text, 200, kind->width ?
                          "under-resolved: interfaces %s = %.3g wide have %.2g points (dx = %.3g) and stick to them; " :
                          "under-resolved: waves %s = %.3g long have %.2g points (dx = %.3g) and come out too short; ",
                          of, size, points, dx);
    const double needed = ceil(least / points * (double)one.n[0] * (1 - 1e-12));
    snprintf(text + length, 200 - (size_t)length, needed < 1e15 ? "%.0f need grid.n >= %.0f" :
             "%.0f need grid.n >= %g", least, needed);
    return SW_OK;
}

/* ------------------------------------------------------------------ what rounding does to the mean */

/* The sizes of what a step adds up, over the points and times looked at. */
struct sizes {
    double u, g, s;  /* max|u|, max|G(u)|, max|S|          */
    double mean;     /* mean of S: u grows by it in time  */
};

/* Of the field u at the points of sample_points(). */
static enum sw_status add_sizes(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                struct limit *l, int count, const double *x, const double *u, struct sizes *z)
{
    const struct sw_program *force = sw_setup_function(setup, "forcing");
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    double s[SAMPLES], sum = 0;
    struct sw_eval *eval = NULL;
    z->u = fmax(z->u, largest_of(count, u));
    for (int i = 0; i < count && l->g.eval; i++) z->g = fmax(z->g, fabs(value_at(&l->g, u[i])));
    if (!force) return SW_OK;
    SW_TRY(begin_program(force, ld, column, j, count, x, &eval));
    for (int k = 0; k < TIMES; k++) {
        const int64_t step = (int64_t)(end / l->dt * k / TIMES);
        sample_program(eval, count, x, u, (double)step * l->dt, step, s);
        z->s = fmax(z->s, largest_of(count, s));
        for (int i = 0; i < count; i++) sum += s[i] / ((double)count * TIMES);
    }
    z->mean = sum;
    sw_eval_destroy(&eval);
    return SW_OK;
}

/* The longest wave on the line. */
struct longest {
    double gain;  /* how much larger than a force the first recursion of a solve is: sqrt(g)/sqrt of A's symbol there
                   * (docs/numerics.md, 3) */
    double rate;  /* at which the implicit part damps it */
};

static enum sw_status longest_of(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, const struct limit *l, struct longest *wave)
{
    const struct sw_line_kind *kind = problem->model;
    const double n = (double)setup_of(setup, ld, column, j).n[0], dx2 = l->dx * l->dx;
    const double part = l->crank_nicolson ? 0.5 * l->dt : l->dt, s = 2 - 2 * cos(2 * pi / n);
    double a4, a2;
    SW_TRY(number_of(problem, setup, kind->a4, ld, column, j, &a4));
    SW_TRY(number_of(problem, setup, kind->a2, ld, column, j, &a2));
    const double s4 = part * a4 / (dx2 * dx2), s2 = part * a2 / dx2;
    const double damped = fmax(0, s2 * s + s4 * s * s);
    *wave = (struct longest){.gain = (1 + sqrt(fabs(s2)) + sqrt(fabs(s4))) / sqrt(1 + damped), .rate = damped / part};
    return SW_OK;
}

/* What the roundings of the right-hand side can move the mean by in a run, in terms of max|u| (docs/numerics.md, 3). */
static enum sw_status moved_mean(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, struct limit *l, const double *state, double *moved)
{
    const struct sw_setup one = setup_of(setup, ld, column, j);
    const double end = column[sw_setup_column(setup, "time.end") * ld + j], steps = round(end / l->dt);
    double x[SAMPLES], u[SAMPLES];
    struct longest wave;
    struct sizes z = {0};
    const int count = sample_points(setup, ld, column, j, x);
    SW_TRY(longest_of(problem, setup, ld, column, j, l, &wave));
    SW_TRY(initial_at(setup, ld, column, j, count, x, u));
    SW_TRY(add_sizes(setup, ld, column, j, l, count, x, u, &z));
    for (int i = 0; i < count && state; i++) u[i] = state[i * one.n[0] / count];
    if (state) SW_TRY(add_sizes(setup, ld, column, j, l, count, x, u, &z));
    else z.u += end * fabs(z.mean) + fmin(end, 1 / wave.rate) * z.s;  /* not less than what the force makes of it */
    const double unit = setup->single_steps ? 0x1p-24 : 0x1p-53;
    const double step = unit * l->dt * (4 * z.g / (l->dx * l->dx) + wave.gain * z.s);
    *moved = z.u > 0 ? steps * step / z.u : 0;
    return SW_OK;
}

static enum sw_status warn_rounding(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                    const double *column, int64_t j, const double *state, char text[200])
{
    const struct sw_line_kind *kind = problem->model;
    struct limit l;
    double moved = 0;
    text[0] = 0;
    if (kind->source || !is_known(problem, setup)) return SW_OK;  /* a source draws the mean back */
    enum sw_status st = limit_of(problem, setup, ld, column, j, &l);
    if (!st) st = moved_mean(problem, setup, ld, column, j, &l, state, &moved);
    if (!st && !(moved <= SW_LINE_MAX_ROUNDING))
        snprintf(text, 200, "rounding of the right-hand side could move the mean of u by %.2g of max|u|, more than %g, "
                 "and nothing damps it; use a smaller time.dt%s", moved, SW_LINE_MAX_ROUNDING,
                 setup->single_steps ? " or run.precision = \"double\"" : "");
    limit_free(&l);
    return st;
}

const struct sw_run_warning sw_line_warnings[] = {
    {.warn = warn_stability},
    {.warn = warn_rounding, .of_result = true},
    {.warn = warn_resolution, .of_result = true},
    SW_INITIAL_WARNINGS,
    {0},
};

enum sw_status sw_line_advise(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                              const double *column, int64_t j, char text[200])
{
    struct limit l;
    char cause[80] = "", range[40], smaller[40];
    double u;
    text[0] = 0;
    enum sw_status st = limit_of(problem, setup, ld, column, j, &l);
    if (!st && isfinite(l.u)) st = find_driver(setup, ld, column, j, &l, cause, &u);
    if (!st && isfinite(l.u)) print_range(l.u, range);
    if (!st && *cause) {
        const double step = stable_step(&l, u);
        const int length = snprintf(text, 200, "time.dt = %.4g is stable for %s but %s; ", l.dt, range, cause);
        if (step > 0) snprintf(text + length, 200 - (size_t)length, "use time.dt <= %.2g", step);
        else snprintf(text + length, 200 - (size_t)length, "no time.dt is stable for such a u");
    } else if (!st && isfinite(l.u))
        snprintf(text, 200, "time.dt = %.4g is stable for %s and %.4g for %s; use a smaller time.dt", l.dt, range,
                 l.dt / 4, print_range(stable_to(&l, l.dt / 4), smaller));
    limit_free(&l);
    return st;
}
