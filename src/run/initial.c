/* Where the initial value of a run is not finite. Problems report only that it is not; the message names a point. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/sw_mem.h"
#include "field/evaluate.h"
#include "run/batch_impl.h"

static void describe_point(const struct sw_setup *setup, const struct sw_grid *g, int64_t point, double value,
                           char text[160])
{
    const int64_t *n = setup->n, index[SW_DIMS] = {point % n[0], point / n[0] % n[1], point / n[0] / n[1]};
    const bool rounds = isfinite(value);
    char number[32];
    int used = snprintf(text, 160, "the initial value is %s%s at", sw_number(value, number),
                        rounds ? ", beyond single precision," : "");
    for (int d = 0; d < setup->dim; d++)
        used += snprintf(text + used, 160 - (size_t)used, "%s %c = %.6g", d ? "," : "", "xyz"[d],
                         g->x0[d] + (double)index[d] * g->dx[d]);
    used += snprintf(text + used, 160 - (size_t)used, " (");
    for (int d = 0; d < setup->dim; d++)
        used += snprintf(text + used, 160 - (size_t)used, "%s%c = %lld", d ? ", " : "", "ijk"[d],
                         (long long)index[d]);
    snprintf(text + used, 160 - (size_t)used, ")");
}

bool initial_describe(const struct sw_setup *setup, int count, const double *column, int j, char text[160])
{
    const struct sw_program *initial = sw_setup_function(setup, "initial");
    const struct sw_grid g = sw_setup_grid(setup, count, column, j);
    const int64_t points = sw_points(setup->n);
    const double most = setup->single_steps ? (double)FLT_MAX : DBL_MAX;
    struct sw_evaluator e = {0};
    bool found = false;
    if (!initial || sw_evaluator_create(initial, setup->n, &e)) goto out;
    sw_evaluator_begin(&e, &g, column + j, count, 0, 0);
    for (int64_t first = 0; first < points && !found; first += SW_EVALUATOR_POINTS) {
        const int64_t left = points - first;
        const int here = left < SW_EVALUATOR_POINTS ? (int)left : SW_EVALUATOR_POINTS;
        sw_evaluator_points(&e, first, here, e.value);
        for (int i = 0; i < here && !found; i++) {
            found = !(fabs(e.value[i]) <= most);
            if (found) describe_point(setup, &g, first + i, e.value[i], text);
        }
    }
out:
    sw_evaluator_destroy(&e);
    return found;
}
