/* The values of axes, computed where they are needed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/axis.h"
#include "sweep/sample.h"
#include "sweep/sweep_own.h"

static double on_log_scale(double a, double b, double u)
{
    return pow(10, log10(a) + (log10(b) - log10(a)) * u);
}

/* A value between a and b, where their distance, or a multiple of it, is beyond all numbers. */
static double between(const struct axis *a, double value, double u)
{
    return isfinite(value) ? value : (1 - u) * a->a + u * a->b;
}

/* (whole/parts)/unit, rounded once, as a config's reader rounds the decimal that stands there: linspace(0, 1, 11) and
 * range(0, 1, 0.1) give 0.3 as a user writes it, not 0.30000000000000004; so the run has the same id.
 * @return false: the ends are no decimals, or whole or the divisor is not exact */
static bool decimal_value(double unit, double whole, double parts, double *value)
{
    const double divisor = unit * parts;
    *value = whole / divisor;
    return unit > 0 && fabs(whole) <= 0x1p52 && fma(unit, parts, -divisor) == 0;
}

/* What is within the rounding of pow() of a decimal of ten digits is that decimal: 0.02, not 0.020000000000000004. */
static double near_decimal(double v)
{
    const int digit = (int)fmin(22, 9 - floor(log10(v)));
    const double unit = pow(10, abs(digit)), decimal = digit < 0 ? round(v / unit) * unit : round(v * unit) / unit;
    return digit >= -22 && fabs(decimal - v) <= 1e-14 * v ? decimal : v;
}

static double spaced_value(const struct axis *a, int64_t i)
{
    double v;
    if (i == 0) return a->a;
    if (i == a->count - 1) return a->b;
    const double steps = (double)(a->count - 1), k = (double)i, u = k / steps;
    if (a->kind == AXIS_LOGSPACE) {
        v = on_log_scale(a->a, a->b, u);
        return a->unit > 0 ? near_decimal(v) : v;
    }
    const double first = round(a->a * a->unit), last = round(a->b * a->unit);
    if (fmax(fabs(first), fabs(last)) * steps <= 0x1p53 &&
        decimal_value(a->unit, first * (steps - k) + last * k, steps, &v))
        return v;
    return between(a, a->a + (a->b - a->a) * k / steps, u);
}

static double range_value(const struct axis *a, int64_t i)
{
    double v, inverse = round(1 / a->b);
    if (decimal_value(a->unit, round(a->a * a->unit) + (double)i * round(a->b * a->unit), 1, &v)) return v;
    if (inverse != 0 && 1 / inverse == a->b) return a->a + (double)i / inverse;
    return a->a + (double)i * a->b;
}

/* Each integer a .. b has the same probability; u may round to 1. */
static double integer_value(const struct axis *a, double u) { return fmin(a->a + floor(u * (a->b - a->a + 1)), a->b); }

/* Sobol's plain sequence begins at 0, where the quantile is infinite: 0 counts as half of the sequence's smallest step.
 */
static double normal_value(const struct axis *a, double u)
{
    return a->a + a->b * normal_quantile(fmin(fmax(u, 0x1p-33), 1 - 0x1p-33));
}

static double drawn_value(const struct axis *a, double u)
{
    switch (a->kind) {
    case AXIS_UNIFORM: return between(a, a->a + (a->b - a->a) * u, u);
    case AXIS_LOGUNIFORM: return on_log_scale(a->a, a->b, u);
    case AXIS_INTEGER: return integer_value(a, u);
    case AXIS_LOGNORMAL: return exp(normal_value(a, u));
    default: return normal_value(a, u);
    }
}

double axis_value(const struct axis *a, int64_t i)
{
    if (a->kind == AXIS_RANGE) return range_value(a, i);
    return a->value ? a->value[i] : spaced_value(a, i);
}

/* At a point of all axes. */
static double value_at(const struct sw_sweep *s, int k, int64_t point)
{
    const struct axis *a = &s->own->axis[k];
    const int64_t i = point / a->stride % a->count;
    if (a->kind < AXIS_UNIFORM) return axis_value(a, i);
    return drawn_value(a, sample_coordinate(s->own->sample, a->dimension, i));
}

void axis_values(const struct sw_sweep *s, int k, const int64_t *run, int64_t first, int count, double *out)
{
    const uint32_t *point = s->own->point;
    for (int j = 0; j < count; j++) {
        const int64_t r = run ? run[j] : first + j;
        /* neighbouring runs mostly share the value of a slow axis */
        const bool same = !run && !point && j && s->own->axis[k].stride > 1 && r % s->own->axis[k].stride;
        out[j] = same ? out[j - 1] : value_at(s, k, point ? point[r] : r);
    }
}

void sw_sweep_describe(const struct sw_sweep *s, int64_t run, char *text, int capacity)
{
    int length = 0;
    if (capacity > 0) text[0] = 0;
    for (int k = 0; k < s->naxis && length < capacity; k++) {
        const struct axis *a = &s->own->axis[k];
        double v;
        axis_values(s, k, &run, 0, 1, &v);
        if (a->word)
            length += snprintf(text + length, (size_t)(capacity - length), "%s%s = %s", k ? ", " : "", a->name,
                               a->word[(int)v]);
        else length += snprintf(text + length, (size_t)(capacity - length), "%s%s = %g", k ? ", " : "", a->name, v);
    }
}
