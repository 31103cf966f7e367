/* Whether Crank-Nicolson leaves short waves in a run without an explicit part.
 *
 * A step multiplies a wave by g = (1 - q)/(1 + q) ((3) of docs/explanation/line_equations.md), which tends to -1 where
 * q is large, while the equation multiplies it by exp(-2 q). Of the power of a wave with q > 1 a run keeps g^(2N) after
 * N steps, and should keep nothing. Noise has such waves; so has a jump m between the initial value and the value given
 * at an end, which is a series of sines of the sizes 2 m/(pi k). */
#include <math.h>
#include <stdio.h>

#include "base/sw_mem.h"
#include "field/dft.h"
#include "problem/line/advice/line_advice.h"
#include "problem/line/advice/line_limit.h"
#include "problem/line/kinds/line_samples.h"

static const double pi = 3.14159265358979323846;

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

enum sw_status sw_line_warn_ringing(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                    const double *column, int64_t j, const double *state, char text[200])
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
    text[0] = 0;
    if (!m || sw_line_scheme(problem->model, setup) != SW_CRANK_NICOLSON || m->g[0] || m->n[0]) return SW_OK;
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
    snprintf(text, 200, "Crank-Nicolson keeps short waves of the initial value%s, %.2g times its size, with another "
             "sign each step; use method = \"imex2\" or time.dt <= %.2g",
             sw_line_end_has_value(setup, 0, 0) || sw_line_end_has_value(setup, 1, 0) ? " or its jump at an end" : "",
             sqrt(left) / scale, digit * floor(dt / digit));
    return SW_OK;
}
