#include <math.h>

#include "sweep/expand_impl.h"

/* Values are computed from the axis where they are needed, so that an axis of a million values costs nothing. */

static double on_log_scale(double a, double b, double place)
{
    return pow(10, log10(a) + (log10(b) - log10(a)) * place);
}

/* Products are rounded once, and so is i/10: linspace(0, 1, 11) and range(0, 1, 0.1) give the 0.3 a user would write,
 * not 0.30000000000000004 (and the run keeps its id). */
static double spaced(const struct axis *a, int64_t i)
{
    if (i == 0) return a->a;
    if (i == a->count - 1) return a->b;
    if (a->kind == AXIS_LINSPACE) return a->a + (a->b - a->a) * (double)i / (double)(a->count - 1);
    return on_log_scale(a->a, a->b, (double)i / (double)(a->count - 1));
}

static double ranged(const struct axis *a, int64_t i)
{
    double inverse = round(1 / a->b);
    if (inverse != 0 && 1 / inverse == a->b) return a->a + (double)i / inverse;
    return a->a + (double)i * a->b;
}

/* Each of the whole numbers a .. b with one probability; the place may round to 1. */
static double whole(const struct axis *a, double place) { return fmin(a->a + floor(place * (a->b - a->a + 1)), a->b); }

/* Sobol's plain sequence begins at 0, which is no probability of a number: it counts as half of its smallest step. */
static double normal(const struct axis *a, double place)
{
    return a->a + a->b * normal_quantile(fmin(fmax(place, 0x1p-33), 1 - 0x1p-33));
}

static double drawn(const struct axis *a, double place)
{
    switch (a->kind) {
    case AXIS_UNIFORM: return a->a + (a->b - a->a) * place;
    case AXIS_LOGUNIFORM: return on_log_scale(a->a, a->b, place);
    case AXIS_INTEGER: return whole(a, place);
    case AXIS_LOGNORMAL: return exp(normal(a, place));
    default: return normal(a, place);
    }
}

static double value_at(const struct sw_sweep *s, int k, int64_t run)
{
    const struct axis *a = &s->own->axis[k];
    int64_t i = run / a->stride % a->count;
    switch (a->kind) {
    case AXIS_LIST: return a->value[i];
    case AXIS_RANGE: return ranged(a, i);
    case AXIS_LINSPACE:
    case AXIS_LOGSPACE: return spaced(a, i);
    default: return drawn(a, sample_place(&s->own->sample, a->dimension, i));
    }
}

void axis_values(const struct sw_sweep *s, int k, const int64_t *run, int64_t first, int count, double *out)
{
    for (int j = 0; j < count; j++) {
        int64_t r = run ? run[j] : first + j;
        /* neighbours mostly share the value of a slow axis */
        bool same = !run && j && s->own->axis[k].stride > 1 && r % s->own->axis[k].stride;
        out[j] = same ? out[j - 1] : value_at(s, k, r);
    }
}
