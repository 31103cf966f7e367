#include "problem/line/stepper/own_steps_cpu.h"

#include <math.h>
#include <string.h>

#include "problem/line/stepper/own_steps_drive.h"

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
    run->limits = sw_stepper_limits(s, &s->run[j]);
    run->drive = s->drive + (size_t)j * (size_t)sw_own_drive_windows(&s->desc) * unknowns;
    memcpy(run->size, size, unknowns * sizeof *size);
}

void sw_own_run_first(const struct sw_stepper *s, int j, const double *rate, struct sw_own_run *run)
{
    sw_own_steps_first(run->steps, sw_line_unknowns(&s->desc.model), run->size, rate, s->desc.times[1],
                       s->run[j].first_dt, &run->limits);
}

void sw_own_run_aim(const struct sw_stepper *s, struct sw_own_run *run)
{
    const int64_t at = (int64_t)run->steps->goal;
    if (run->steps->left == 0) sw_own_steps_next(run->steps, s->desc.times[at + 1] - s->desc.times[at]);
}

bool sw_own_run_control(const struct sw_stepper *s, const double *error, const double *size, struct sw_own_run *run)
{
    return sw_own_steps_judge(run->steps, sw_line_unknowns(&s->desc.model), error, size, run->size, run->drive,
                              &run->limits, s->desc.times);
}
