/* Whether the explicit part of a run stays stable: what drives u beyond its limit, if something does.
 *
 * A force a cos(q (x - v t)) is balanced by a wave of the peak U with
 *
 *     a = U sqrt(omega² + (q² G(U)/U + a4 q⁴ + a2 q² - S(U)/U)²),      omega = q v,
 *
 * S the kind's own source (at rest, a = q² (G(U) + a4 q² U) - S(U) holds at the peak). Its right-hand side grows with U
 * where U is large, so that a force with more than its value at the limit drives u beyond it.
 *
 * The limit is how large u may be so that no wave about it grows in a step that does not by the equation (waves.c).
 * (Measured for Cahn-Hilliard, dt = 0.005 ... 0.1, forces at rest of three wavelengths: no run diverged whose u a force
 * drives to 1.05 times the U so found, all did from 1.35 times on.) */
#include <math.h>
#include <stdio.h>

#include "problem/line/advice/line_advice.h"
#include "problem/line/kinds/line_problem.h"

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------------ what drives u beyond the limit */

enum { MODES = 64 };  /* waves shorter than 4 samples are not looked at */

static enum sw_status largest_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      double *largest)
{
    double x[SW_LINE_SAMPLES], u[SW_LINE_SAMPLES];
    const int count = sw_line_sample_points(setup, ld, column, j, x);
    SW_TRY(sw_line_sample_initial(setup, ld, column, j, count, x, u));
    *largest = sw_line_sample_largest(count, u);
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

static double balance(const struct sw_line_limit *l, double u, double q, double omega)
{
    const double q2 = q * q;
    return u * hypot(omega, q2 * (sw_line_value(l->g, u) / u + l->a4 * q2 + l->a2) - sw_line_value(l->source, u) / u);
}

/* The force that drives u furthest beyond the limit. */
struct force { double amplitude, wavelength, u; };  /* u 0: none does */

static void check_wave(struct sw_line_limit *l, double q, const struct wave *w, struct force *worst)
{
    const double omega = w->square > 0 ? sqrt(w->change / w->square) / l->dt : 0;
    double low = l->u, high = 2 * l->u;
    if (!(w->amplitude > 0) || !isfinite(w->amplitude) || !(balance(l, l->u, q, omega) < w->amplitude)) return;
    while (balance(l, high, q, omega) < w->amplitude && high < 1e100) high *= 2;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (balance(l, middle, q, omega) < w->amplitude) low = middle;
        else high = middle;
    }
    if (low > worst->u) *worst = (struct force){w->amplitude, 2 * pi / q, low};
}

static enum sw_status worst_force(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct sw_line_limit *l, struct force *worst)
{
    const struct sw_program *program = sw_setup_function(setup, "forcing");
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    double x[SW_LINE_SAMPLES], now[SW_LINE_SAMPLES], then[SW_LINE_SAMPLES], cosine[2 * SW_LINE_SAMPLES];
    struct wave wave[MODES + 1] = {{0}};
    struct sw_eval *eval = NULL;
    *worst = (struct force){0};
    if (!program || sw_program_uses(program, "u")) return SW_OK;
    const int count = sw_line_sample_points(setup, ld, column, j, x), modes = count / 4 < MODES ? count / 4 : MODES;
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const double length = (double)sw_line_circle(&one) * l->dx;
    for (int i = 0; i < count; i++) {
        cosine[2 * i] = cos(2 * pi * i / count);
        cosine[2 * i + 1] = sin(2 * pi * i / count);
    }
    SW_TRY(sw_line_begin_program(program, ld, column, j, count, x, &eval));
    for (int k = 0; k < SW_LINE_TIMES; k++) {
        const int64_t step = (int64_t)(end / l->dt * k / SW_LINE_TIMES);
        sw_line_sample(eval, count, x, NULL, (double)step * l->dt, step, now);
        sw_line_sample(eval, count, x, NULL, (double)(step + 1) * l->dt, step + 1, then);
        for (int m = 1; m <= modes; m++) add_wave(&wave[m], m, count, cosine, now, then);
    }
    sw_eval_destroy(&eval);
    for (int m = 1; m <= modes; m++) check_wave(l, 2 * pi * m / length, &wave[m], worst);
    return SW_OK;
}

/* The least |mean| of the force over the line, at times that share no period with it; 0 if its sign changes. */
static enum sw_status mean_force(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const struct sw_line_limit *l, double *mean)
{
    const struct sw_program *program = sw_setup_function(setup, "forcing");
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    double x[SW_LINE_SAMPLES], s[SW_LINE_SAMPLES], least = INFINITY, largest = -INFINITY;
    struct sw_eval *eval = NULL;
    *mean = 0;
    if (!program || sw_program_uses(program, "u")) return SW_OK;
    const int count = sw_line_sample_points(setup, ld, column, j, x);
    SW_TRY(sw_line_begin_program(program, ld, column, j, count, x, &eval));
    for (int k = 0; k < SW_LINE_TIMES; k++) {
        const int64_t step = (int64_t)(end / l->dt * fmod(0.6180339887498949 * k, 1));
        double sum = 0;
        sw_line_sample(eval, count, x, NULL, (double)step * l->dt, step, s);
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
static double growth(const struct sw_line_limit *l, double u, double q)
{
    const double q2 = q * q;
    return sw_line_value(l->source, u) / u - q2 * (sw_line_value(l->g, u) / u + l->a4 * q2 + l->a2);
}

/* How far the instability of the state at rest grows if that is beyond the limit, else 0: the peak at which the wave
 * that grows fastest at the limit neither grows nor decays. (Harmonics left out: r^(1/2) for Swift-Hohenberg, whose
 * pattern is up to (4/3)^(1/2) times as large.)
 * @param initial  max|u| at the start */
static double saturated(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                        const struct sw_line_limit *l, double initial)
{
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const int64_t n = sw_line_circle(&one), modes = n / 2 < 4096 ? n / 2 : 4096;
    double fastest = 0, rate = -INFINITY, low = l->u, high = 2 * l->u;
    if (!l->source || !(initial > 0) || !(l->u > 0)) return 0;
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

/* The largest value that is given at an end. */
static enum sw_status largest_at_ends(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const struct sw_line_limit *l, double *largest)
{
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    *largest = 0;
    for (int side = 0; side < 2; side++) {
        const struct sw_line_end at = sw_line_end_of(setup, side, 0);
        struct sw_eval *eval = NULL;
        if (at.kind != SW_END_VALUE) continue;
        SW_TRY(sw_line_begin_program(at.first, ld, column, j, 1, NULL, &eval));
        for (int k = 0; k <= SW_LINE_TIMES; k++) {
            const int64_t step = (int64_t)(end / l->dt * k / SW_LINE_TIMES);
            double value;
            sw_line_sample(eval, 1, NULL, NULL, (double)step * l->dt, step, &value);
            *largest = fmax(*largest, fabs(value));
        }
        sw_eval_destroy(&eval);
    }
    return SW_OK;
}

/* Whether nothing but a force drives u. */
static bool is_closed(const struct sw_setup *setup)
{
    return !sw_line_end_is_given(setup, 0, 0) && !sw_line_end_is_given(setup, 1, 0);
}

/* What drives u beyond the limit, if something is known to, and how far. Of what is not finite sw_nonfinite_warn()
 * speaks: it has no time step to blame. */
static enum sw_status find_driver(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct sw_line_limit *l, struct sw_text *cause, double *u)
{
    struct force force;
    double mean, initial;
    SW_TRY(largest_initial(setup, ld, column, j, u));
    initial = *u;
    if (!isfinite(*u)) return SW_OK;
    if (*u > l->u) {
        sw_text_set(cause, "the initial value is up to %.3g", *u);
        return SW_OK;
    }
    SW_TRY(largest_at_ends(setup, ld, column, j, l, u));
    if (!isfinite(*u)) return SW_OK;
    if (*u > l->u) {
        sw_text_set(cause, "the value at an end is up to %.3g", *u);
        return SW_OK;
    }
    if (!is_closed(setup)) return SW_OK;
    SW_TRY(mean_force(setup, ld, column, j, l, &mean));
    if (!isfinite(mean)) return SW_OK;
    if (l->source) {  /* the source balances it */
        const struct wave all = {.amplitude = fabs(mean)};
        force = (struct force){0};
        check_wave(l, 0, &all, &force);
        *u = force.u;
        if (*u > l->u) sw_text_set(cause, "a force of mean %.3g drives it to %.3g", mean, *u);
    } else {
        *u = fabs(mean) * column[sw_setup_column(setup, "time.end") * ld + j];
        if (*u > l->u)
            sw_text_set(cause, "a force of mean %.3g makes it grow without limit, to %.3g by the end", mean, *u);
    }
    if (cause->length) return SW_OK;
    SW_TRY(worst_force(setup, ld, column, j, l, &force));
    *u = force.u;
    if (force.u > 0)
        sw_text_set(cause, "a force of %.3g over a wavelength of %.3g drives it to %.3g", force.amplitude,
                    force.wavelength, force.u);
    if (cause->length || sw_setup_function(setup, "forcing")) return SW_OK;
    *u = saturated(setup, ld, column, j, l, initial);
    if (*u > beyond * l->u) sw_text_set(cause, "u grows by itself to %.3g", *u);
    return SW_OK;
}

/* "; time.dt <= 1e-05 is stable": what is as good as no step, as the run would take more than any run may
 * (sweep/runs_check.c), is not named. */
static void append_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                        const struct sw_line_limit *l, double u, bool advice, struct sw_text *text)
{
    const double end = column[sw_setup_column(setup, "time.end") * ld + j], step = sw_line_stable_step(l, u);
    if (step > 0 && end / step < 1e15)
        sw_text_printf(text, advice ? "use time.dt <= %.2g" : "time.dt <= %.2g is stable", step);
    else sw_text_printf(text, "no time.dt is stable for such a u");
}

/* "|u| up to 2.13" */
static const char *print_range(double u, char text[40])
{
    if (u > 0 && isfinite(u)) snprintf(text, 40, "|u| up to %.3g", u);
    else snprintf(text, 40, u > 0 ? "any u" : "no u");
    return text;
}

enum sw_status sw_line_warn_stability(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const double *state, struct sw_text *text)
{
    struct sw_line_limit l;
    struct sw_text cause = SW_SHORT_TEXT;
    double u;
    (void)state;
    enum sw_status st = sw_line_limit_of(setup, ld, column, j, &l);
    if (!st && isfinite(l.u) && sw_line_has_one_stage(&l)) st = find_driver(setup, ld, column, j, &l, &cause, &u);
    if (!st && cause.length) {
        char range[40];
        sw_text_set(text, "time.dt = %.4g is stable for %s but %s: the run may diverge; ", l.dt,
                    print_range(l.u, range), sw_text_get(&cause));
        append_step(setup, ld, column, j, &l, u, false, text);
    }
    sw_line_limit_free(&l);
    return st;
}

enum sw_status sw_line_advise_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   struct sw_text *text)
{
    struct sw_line_limit l;
    struct sw_text cause = SW_SHORT_TEXT;
    char range[40], smaller[40];
    double u;
    enum sw_status st = sw_line_limit_of(setup, ld, column, j, &l);
    if (!st && isfinite(l.u)) st = find_driver(setup, ld, column, j, &l, &cause, &u);
    if (!st && isfinite(l.u)) print_range(l.u, range);
    if (!st && cause.length) {
        sw_text_set(text, "time.dt = %.4g is stable for %s but %s; ", l.dt, range, sw_text_get(&cause));
        append_step(setup, ld, column, j, &l, u, true, text);
    } else if (!st && isfinite(l.u))
        sw_text_set(text, "time.dt = %.4g is stable for %s and %.4g for %s; use a smaller time.dt", l.dt, range,
                    l.dt / 4, print_range(sw_line_stable_to(&l, l.dt / 4), smaller));
    sw_line_limit_free(&l);
    return st;
}
