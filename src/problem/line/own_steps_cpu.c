#include "problem/line/own_steps_cpu.h"

#include <math.h>
#include <string.h>

double sw_line_largest(int n, const double *u)
{
    double largest = 0;
    for (int c = 0; c < n; c++) largest = sw_own_steps_worse(largest, fabs(u[c]));
    return largest;
}

void sw_own_run_begin(const struct sw_stepper *s, int j, const double *size, struct sw_own_run *run)
{
    const struct sw_host_batch *h = s->own;
    const size_t unknowns = (size_t)sw_line_unknowns(&s->desc.model);
    run->steps = &h->steps[j];
    run->longest = sw_stepper_longest(s, &s->run[j]);
    memcpy(run->size, size, unknowns * sizeof *size);
    if (run->steps->goal == 0) memcpy(run->steps->peak, size, unknowns * sizeof *size);
}

void sw_own_run_first(const struct sw_stepper *s, int j, const double *rate, struct sw_own_run *run)
{
    double dt = 1e-3 * s->desc.times[1];
    bool bounded = false;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const double change = 0.01 * run->size[v] / rate[v];
        if (!(change > 0) || (bounded && !(change < dt))) continue;
        if (isfinite(change)) dt = change, bounded = true;
    }
    run->steps->wanted = fmin(s->run[j].first_dt > 0 ? s->run[j].first_dt : dt, run->longest);
    run->steps->dt = 0;
}

void sw_own_run_aim(const struct sw_stepper *s, struct sw_own_run *run)
{
    const int64_t at = (int64_t)run->steps->goal;
    if (run->steps->left == 0) sw_own_steps_next(run->steps, s->desc.times[at + 1] - s->desc.times[at]);
}

bool sw_own_run_control(const struct sw_stepper *s, int j, const double *error, const double *size,
                        struct sw_own_run *run)
{
    const int unknowns = sw_line_unknowns(&s->desc.model), order = sw_imex_of(s->desc.model.scheme)->order;
    struct sw_own_steps *steps = run->steps;
    double ratio = 0, worst = 0, peak = 0;
    for (int v = 0; v < unknowns; v++) peak = fmax(peak, steps->peak[v]);
    for (int v = 0; v < unknowns; v++) {
        const double scale = sw_own_steps_scale(s->run[j].tolerance, sw_own_steps_worse(size[v], run->size[v]),
                                                steps->peak[v], peak);
        worst = sw_own_steps_worse(worst, error[v]);
        ratio = sw_own_steps_worse(ratio, sw_own_steps_ratio(error[v], scale));
    }
    if (!sw_own_steps_control(steps, ratio, worst, order, run->longest, s->desc.times[(int64_t)steps->goal]))
        return false;
    for (int v = 0; v < unknowns; v++) {
        run->size[v] = size[v];
        steps->peak[v] = fmax(steps->peak[v], size[v]);
    }
    return true;
}
