/* What there is to say of a run on the line equation (docs/explanation/line_equations.md): whether its interfaces or
 * waves have enough points, and what rounding does to the mean; stability_warnings.c says whether the explicit part
 * stays stable. */
#include <math.h>

#include "base/sw_mem.h"
#include "field/dft.h"
#include "problem/nonfinite.h"
#include "problem/line/advice/line_advice.h"
#include "problem/line/kinds/line_problem.h"
#include "problem/steps_rounding.h"

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------------ how many points an interface has */

/* With fewer, the energy of an interface is off by more than 4 %, and depends by more than 1e-4 on where among the
 * points it lies: it stays there instead of moving (docs/explanation/line_equations.md). */
static const double least_points = 4.0;

/* Of a wave of its own length: with fewer, its wave number is off by more than (2 pi/8)²/24 = 2.6 %
 * (docs/explanation/line_equations.md). */
static const double least_of_wave = 8.0;

/* Of the key grid.n (sweep/key_table.c). */
static const double most_points = 1e9;

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
    double x[SW_LINE_SAMPLES], u[SW_LINE_SAMPLES];
    if (state) {
        *waves = varies((int)sw_line_setup_of_run(setup, ld, column, j).n[0], state);
        return SW_OK;
    }
    const int count = sw_line_sample_points(setup, ld, column, j, x);
    SW_TRY(sw_line_sample_initial(setup, ld, column, j, count, x, u));
    *waves = varies(count, u) || (force && sw_program_rate(force) >= SW_RATE_CELL);
    return SW_OK;
}

static enum sw_status warn_resolution(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const double *state, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_line_kind *kind = setup->problem->model;
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const double dx = sw_setup_grid(&one, ld, column, j).dx[0], least = kind->width ? least_points : least_of_wave;
    const char *of = kind->width ? kind->width : kind->wavelength;
    double size, points;
    bool waves;
    if (!m || !m->size) return SW_OK;
    SW_TRY(sw_program_over_runs(m->size, 1, column + j, ld, &size));
    points = size / dx;
    if (points >= least) return SW_OK;
    SW_TRY(has_waves(setup, ld, column, j, state, &waves));
    if (!waves) return SW_OK;
    sw_text_set(text, kind->width ?
                "under-resolved: interfaces %s = %.3g wide have %.2g points (dx = %.3g) and stick to them; " :
                "under-resolved: waves %s = %.3g long have %.2g points (dx = %.3g) and come out too short; ",
                of, size, points, dx);
    const double needed = ceil(least / points * (double)(one.n[0] - one.walls[0]) * (1 - 1e-12)) + one.walls[0];
    sw_text_printf(text, needed <= most_points ? "%.0f need grid.n >= %.0f" :
                   "%.0f need grid.n >= %.3g, more than it may be: a smaller grid.length does", least, needed);
    return SW_OK;
}

/* ------------------------------------------------------------------ what rounding does to the mean */

/* The sizes of what a step adds up, over the points and times looked at. */
struct sizes {
    double u, g, s;  /* max|u|, max|G(u)|, max|S|          */
    double mean;     /* mean of S: u grows by it in time  */
};

/* Of the field u at the points of sw_line_sample_points(). */
static enum sw_status add_sizes(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                struct sw_line_limit *l, int count, const double *x, const double *u, struct sizes *z)
{
    const struct sw_program *force = sw_setup_function(setup, "forcing");
    const double end = column[sw_setup_column(setup, "time.end") * ld + j];
    double s[SW_LINE_SAMPLES], sum = 0;
    struct sw_eval *eval = NULL;
    z->u = fmax(z->u, sw_line_sample_largest(count, u));
    for (int i = 0; i < count && l->g; i++) z->g = fmax(z->g, fabs(sw_line_value(l->g, u[i])));
    if (!force) return SW_OK;
    SW_TRY(sw_line_begin_program(force, ld, column, j, count, x, &eval));
    for (int k = 0; k < SW_LINE_TIMES; k++) {
        const int64_t step = (int64_t)(end / l->dt * k / SW_LINE_TIMES);
        sw_line_sample(eval, count, x, u, (double)step * l->dt, step, s);
        z->s = fmax(z->s, sw_line_sample_largest(count, s));
        for (int i = 0; i < count; i++) sum += s[i] / ((double)count * SW_LINE_TIMES);
    }
    z->mean = sum;
    sw_eval_destroy(&eval);
    return SW_OK;
}

/* The longest wave on the line. */
struct longest {
    double gain;  /* how much larger than a force the first recursion of a solve is: sqrt(g)/sqrt of A's symbol there
                   * (docs/explanation/accuracy.md) */
    double rate;  /* at which the implicit part damps it */
    double k2;    /* of its wave number                  */
};

static struct longest longest_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const struct sw_line_limit *l)
{
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const double part = l->weight * l->dt, dx2 = l->dx * l->dx;
    const double s = 2 - 2 * cos(2 * pi / (double)sw_line_circle(&one));
    const double s4 = part * l->a4 / (dx2 * dx2), s2 = part * l->a2 / dx2;
    const double damped = fmax(0, s2 * s + s4 * s * s);
    return (struct longest){.gain = (1 + sqrt(fabs(s2)) + sqrt(fabs(s4))) / sqrt(1 + damped), .rate = damped / part,
                            .k2 = s / dx2};
}

/* What the roundings of the right-hand side can move the mean by in a run, in terms of max|u|
 * (docs/explanation/accuracy.md). */
static enum sw_status moved_mean(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 struct sw_line_limit *l, const double *state, double *moved)
{
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const double end = column[sw_setup_column(setup, "time.end") * ld + j], steps = round(end / l->dt);
    double x[SW_LINE_SAMPLES], u[SW_LINE_SAMPLES];
    const struct longest wave = longest_of(setup, ld, column, j, l);
    struct sizes z = {0};
    const int count = sw_line_sample_points(setup, ld, column, j, x);
    SW_TRY(sw_line_sample_initial(setup, ld, column, j, count, x, u));
    SW_TRY(add_sizes(setup, ld, column, j, l, count, x, u, &z));
    for (int i = 0; i < count && state; i++) u[i] = state[sw_line_sample_at(&one, i, count)];
    if (state) SW_TRY(add_sizes(setup, ld, column, j, l, count, x, u, &z));
    else z.u += end * fabs(z.mean) + fmin(end, 1 / wave.rate) * z.s;  /* not less than what the force makes of it */
    const double unit = setup->single_steps ? 0x1p-24 : 0x1p-53;
    const double step = unit * l->dt * (4 * z.g / (l->dx * l->dx) + wave.gain * z.s);
    *moved = z.u > 0 ? steps * step / z.u : 0;
    return SW_OK;
}

static enum sw_status warn_rounding(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                    const double *state, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    struct sw_line_limit l;
    double moved = 0;
    if (!m || m->n[0]) return SW_OK;  /* a source draws the mean back, */
    if (sw_line_end_has_value(setup, 0, 0) || sw_line_end_has_value(setup, 1, 0)) return SW_OK;  /* as a value does */
    enum sw_status st = sw_line_limit_of(setup, ld, column, j, &l);
    if (!st && sw_line_has_one_stage(&l)) st = moved_mean(setup, ld, column, j, &l, state, &moved);
    if (!st && moved > SW_LINE_MAX_ROUNDING && isfinite(moved))  /* else sw_nonfinite_warn() has something to say */
        sw_text_set(text, "rounding of the right-hand side could move the mean of u by %.2g of max|u|, more than %g, "
                    "and nothing damps it; use a smaller time.dt%s", moved, SW_LINE_MAX_ROUNDING,
                    setup->single_steps ? " or run.precision = \"double\"" : "");
    sw_line_limit_free(&l);
    return st;
}

/* ------------------------------------------------------------------ what the roundings of all steps do to u */

/* By how many roundings of itself a step moves u, the same in each: measured (docs/explanation/accuracy.md). */
static double roundings_of_step(enum sw_scheme scheme)
{
    return scheme == SW_CRANK_NICOLSON ? 2.5 : scheme == SW_BACKWARD_EULER ? 1.0 : scheme == SW_IMEX2 ? 5.0 : 3.0;
}

/* How far u is from where it began, in terms of max|u|. */
static enum sw_status moved_by(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                               const double *state, double *moved)
{
    const size_t numbers = (size_t)one->n[0] * (size_t)(one->nunknown ? one->nunknown : 1);
    double *u, largest = 0, most = 0;
    SW_TRY(sw_alloc(numbers, &u));
    const enum sw_status st = sw_line_initial_values(one, ld, column, j, u);
    for (size_t i = 0; i < numbers && !st; i++) {
        largest = fmax(largest, fmax(fabs(u[i]), fabs(state[i])));
        most = fmax(most, fabs(state[i] - u[i]));
    }
    sw_free(u);
    *moved = !st && largest > 0 ? most / largest : INFINITY;
    return st == SW_E_MEMORY ? st : SW_OK;  /* what is wrong with a file is said elsewhere */
}

enum sw_status sw_line_warn_steps(const struct sw_setup *setup, enum sw_scheme scheme, double rate, int64_t ld,
                                  const double *column, int64_t j, const double *state, struct sw_text *text)
{
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const double end = column[sw_setup_column(setup, "time.end") * ld + j], dt = sw_setup_grid(&one, ld, column, j).dt;
    const double unit = setup->single_steps ? 0x1p-24 : 0x1p-53, steps = round(end / dt), moving = 8 / (rate * dt);
    const double off = unit * roundings_of_step(scheme) * fmin(steps, moving);
    double moved = INFINITY;
    if (sw_setup_own_steps(setup) || !(off > SW_STEPS_ROUNDING)) return SW_OK;
    if (state) SW_TRY(moved_by(&one, ld, column, j, state, &moved));
    sw_steps_rounding_tell(steps, off, moved, setup->single_steps, text);
    return SW_OK;
}

/* The rate of the longest wave is that of the implicit part, and of G near the phases -1 and 1; a source of the kind
 * draws u back at a rate of 1 or so. */
static enum sw_status warn_steps(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    const enum sw_scheme scheme = sw_line_scheme(setup);
    struct sw_line_limit l;
    SW_TRY(sw_line_warn_steps(setup, scheme, 0, ld, column, j, state, text));
    if (!text->length || !m) return SW_OK;
    sw_text_clear(text);
    enum sw_status st = sw_line_limit_of(setup, ld, column, j, &l);
    if (!st) {
        struct longest wave = longest_of(setup, ld, column, j, &l);
        wave.rate += fmax(0, sw_line_value(l.g, 1.001) - sw_line_value(l.g, 0.999)) / 0.002 * wave.k2;
        st = sw_line_warn_steps(setup, scheme, m->n[0] ? fmax(1, wave.rate) : wave.rate, ld, column, j, state,
                                text);
    }
    sw_line_limit_free(&l);
    return st;
}

/* ------------------------------------------------------------------ ringing */

/* Whether Crank-Nicolson leaves short waves in a run without an explicit part.
 *
 * A step multiplies a wave by g = (1 - q)/(1 + q) ((3) of docs/explanation/line_equations.md), which tends to -1 where
 * q is large, while the equation multiplies it by exp(-2 q). Of the power of a wave with q > 1 a run keeps g^(2N) after
 * N steps, and should keep nothing. Noise has such waves; so has a jump m between the initial value and the value given
 * at an end, which is a series of sines of the sizes 2 m/(pi k). */

/* Of the initial value's root mean square: what is left may be so much. */
static const double most_left = 0.01;

enum { MOST_WAVES = SW_LINE_SAMPLES / 2 + 1 };

/* power[k]: the mean square of the waves k of `count` points around a circle, 1 <= k <= count/2. */
static enum sw_status powers(int count, const double *u, double power[MOST_WAVES])
{
    struct sw_dft d;
    double *room = NULL;
    enum sw_status st = sw_dft_create(count, &d);
    if (!st) st = sw_alloc(4 * (size_t)d.length, &room);
    if (!st) {
        double *const re[2] = {room, room + d.length}, *const im[2] = {room + 2 * d.length, room + 3 * d.length};
        const int at = sw_dft_run(&d, u, re, im);
        for (int k = 1; k <= count / 2; k++)
            power[k] = (2 * k == count ? 1 : 2) * (re[at][k] * re[at][k] + im[at][k] * im[at][k]) /
                       ((double)count * count);
    }
    sw_free(room);
    sw_dft_destroy(&d);
    return st;
}

/* The jump between the initial value and the value given at an end. */
static enum sw_status add_jump(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, int side,
                               double x, double u, int waves, double power[MOST_WAVES], double *scale)
{
    struct sw_eval *eval = NULL;
    double value = 0;
    if (!sw_line_end_has_value(setup, side, 0)) return SW_OK;
    const struct sw_program *program = sw_line_end_of(setup, side, 0).first;
    if (program) {
        SW_TRY(sw_line_begin_program(program, ld, column, j, 1, &x, &eval));
        sw_line_sample(eval, 1, &x, NULL, 0, 0, &value);
        sw_eval_destroy(&eval);
    }
    for (int k = 1; k < waves; k++) power[k] += 2 * (value - u) * (value - u) / (pi * pi * k * k);
    *scale = fmax(*scale, fabs(value));
    return SW_OK;
}

/* @param count  points, of the circle that has so many  @param scale  out: how large u is */
static enum sw_status initial_powers(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     int *count, double power[MOST_WAVES], double *scale)
{
    double x[SW_LINE_SAMPLES], u[SW_LINE_SAMPLES], square = 0;
    *count = sw_line_sample_points(setup, ld, column, j, x);
    SW_TRY(sw_line_sample_initial(setup, ld, column, j, *count, x, u));
    for (int i = 0; i < *count; i++) square += u[i] * u[i];
    *scale = sqrt(square / *count);
    for (int k = 0; k < MOST_WAVES; k++) power[k] = 0;
    if (!sw_line_end_has_value(setup, 0, 0) && !sw_line_end_has_value(setup, 1, 0)) return powers(*count, u, power);
    /* with its mirror image such a line has kinks, whose waves are no error */
    SW_TRY(add_jump(setup, ld, column, j, 0, x[0], u[0], *count / 2 + 1, power, scale));
    const int last = *count / 2;
    return add_jump(setup, ld, column, j, 1, x[last], u[last], *count / 2 + 1, power, scale);
}

static enum sw_status warn_ringing(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   const double *state, struct sw_text *text)
{
    const struct equation_model *m = equation_model_of(setup);
    struct equation_values a;
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const struct sw_grid grid = sw_setup_grid(&one, ld, column, j);
    const double end = column[sw_setup_column(setup, "time.end") * ld + j], steps = round(end / grid.dt),
                 dx2 = grid.dx[0] * grid.dx[0];
    double power[MOST_WAVES], scale, left = 0, rate = 0;
    int count;
    (void)state;
    if (!m || sw_line_scheme(setup) != SW_CRANK_NICOLSON || m->g[0] || m->n[0]) return SW_OK;
    SW_TRY(equation_values_of(m, setup, 1, ld, column, j, &a));
    const double a4 = -a.value[0][4][0], a2 = a.value[0][2][0];
    SW_TRY(initial_powers(setup, ld, column, j, &count, power, &scale));
    const double around = (double)sw_line_circle(&one);
    for (int k = 1; k <= count / 2; k++) {
        const double w = 2 - 2 * cos(2 * pi * k / around), s = a4 * w * w / (dx2 * dx2) + a2 * w / dx2,
                     q = 0.5 * grid.dt * s;
        if (!(q > 1)) continue;
        left += power[k] * pow((q - 1) / (q + 1), 2 * steps);
        rate = s;  /* of the shortest: it decays least */
    }
    if (!(sqrt(left) > most_left * scale)) return SW_OK;
    /* exp(-2 N/q) <= most_left, N = end/dt, q = dt rate/2 */
    const double dt = sqrt(4 * end / (-log(most_left) * rate)), digit = pow(10, floor(log10(dt)) - 1);
    sw_text_set(text, "Crank-Nicolson keeps short waves of the initial value%s, %.2g times its size, with another sign "
                "each step; use method = \"imex2\" or time.dt <= %.2g", sw_line_end_has_value(setup, 0, 0) ||
                sw_line_end_has_value(setup, 1, 0) ? " or its jump at an end" : "", sqrt(left) / scale,
                digit * floor(dt / digit));
    return SW_OK;
}

const struct sw_run_warning sw_line_warnings[] = {
    {.warn = sw_nonfinite_warn},
    {.warn = sw_line_warn_stability},
    {.warn = warn_rounding, .of_result = true},
    {.warn = warn_steps, .of_result = true},
    {.warn = warn_resolution, .of_result = true},
    {.warn = warn_ringing, .of_result = true},
    SW_INITIAL_WARNINGS,
    {0},
};
