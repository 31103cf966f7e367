#include "problem/line/stepper/drive_forces.h"

#include <math.h>

#include "problem/line/stepper/own_steps_point.h"

enum { LANES = SW_DRIVE_LANES, PLACES = SW_DRIVE_PLACES };

/* ------------------------------------------------------------------ windows */

int sw_drive_count(int64_t goals, const double *times)
{
    if (!times) return 0;
    return goals < SW_DRIVE_WINDOWS ? (int)goals : SW_DRIVE_WINDOWS;
}

void sw_drive_set_windows(int64_t goals, const double *times, struct sw_drive_windows *w)
{
    w->count = sw_drive_count(goals, times);
    w->each = SW_DRIVE_TIMES / w->count;
    for (int k = 0; k < w->count; k++) w->begin[k] = INFINITY;
    for (long long goal = 1; goal <= goals; goal++) {
        const int k = sw_own_steps_window(goal, w->count / (double)goals);
        w->begin[k] = fmin(w->begin[k], times[goal - 1]);
        w->end[k] = times[goal];
    }
}

/* The last ones are in no window where their number is no multiple of the windows'. */
int sw_drive_window_of(const struct sw_drive_windows *w, int k) { return k / w->each < w->count ? k / w->each : -1; }

static double time_of(const struct sw_drive_windows *w, int k)
{
    const int window = sw_drive_window_of(w, k);
    if (window < 0) return w->end[w->count - 1];
    return w->begin[window] + (w->end[window] - w->begin[window]) * (k % w->each) / (w->each - 1);
}

/* Times beside each other see other places. */
double sw_drive_place(int k) { return (k / LANES + fmod(0.6180339887498949 * (k % LANES), 1.0)) / PLACES; }

void sw_drive_begin_times(const struct sw_drive_windows *w, struct sw_eval *eval, int round)
{
    double t[LANES];
    for (int l = 0; l < LANES; l++) t[l] = time_of(w, l * SW_DRIVE_ROUNDS + round);
    sw_eval_step_lanes(eval, t, 0);
}

void sw_drive_begin_first_time(struct sw_eval *eval)
{
    const double t[LANES] = {0};
    sw_eval_step_lanes(eval, t, 0);
}

/* ------------------------------------------------------------------ a force */

/* Of a lane, the largest |now - first|; where it is no number, a force counts as none. */
static double largest_of_lane(const double *now, const double *first, int lane)
{
    double largest = 0.0;
    for (int p = 0; p < PLACES; p++) {
        const double x = fabs(now[p * LANES + lane] - (first ? first[p * LANES + lane] : 0.0));
        if (isfinite(x)) largest = fmax(largest, x);
    }
    return largest;
}

/* What a force brings in such a time, whose largest values have such a mean and such a maximum: without decay, or
 * against the decay of a mean value, a0 u, that is implicit. */
static double bring(const struct sw_drive_force *f, double time, double mean, double most)
{
    return fmin(1e-4 * time * mean, f->decay > 0.0 ? 0.1 * most / f->decay : INFINITY);
}

static void evaluate_first(const struct sw_drive_force *f)
{
    sw_drive_begin_first_time(f->eval);
    sw_eval_points(f->eval, PLACES, f->in, f->first);
}

void sw_drive_add_steady(const struct sw_drive_windows *w, const struct sw_drive_force *f, double *drive)
{
    double sum = 0.0, most = 0.0;
    evaluate_first(f);
    for (int l = 0; l < LANES; l++) {
        const double largest = largest_of_lane(f->first, NULL, l);
        sum += largest;
        most = fmax(most, largest);
    }
    for (int k = 0; k < w->count; k++) {
        const double brought = bring(f, w->end[k] - w->begin[k], sum / LANES, most);
        drive[k * f->unknowns + f->v] = fmax(drive[k * f->unknowns + f->v], brought);
    }
}

/* By the mean over times. The first round decides whether the others are worth their work: of a force that brings
 * little in comparison with what is there nothing depends on it. */
void sw_drive_add_moving(const struct sw_drive_windows *w, const struct sw_drive_force *f, double *drive)
{
    double sum[SW_DRIVE_WINDOWS] = {0}, most[SW_DRIVE_WINDOWS] = {0}, all = 0.0, largest = 0.0;
    evaluate_first(f);
    for (int round = 0; round < SW_DRIVE_ROUNDS; round++) {
        sw_drive_begin_times(w, f->eval, round);
        sw_eval_points(f->eval, PLACES, f->in, f->now);
        for (int l = 0; l < LANES; l++) {
            const double here = largest_of_lane(f->now, f->from_zero ? NULL : f->first, l);
            const int window = sw_drive_window_of(w, l * SW_DRIVE_ROUNDS + round);
            all += here;
            largest = fmax(largest, here);
            if (window < 0) continue;
            sum[window] += here;
            most[window] = fmax(most[window], here);
        }
        if (round == 0 && bring(f, f->last, all / LANES, largest) < 0.01 * f->size) return;
    }
    for (int k = 0; k < w->count; k++) {
        const double brought = bring(f, w->end[k] - w->begin[k], sum[k] / w->each, most[k]);
        drive[k * f->unknowns + f->v] = fmax(drive[k * f->unknowns + f->v], brought);
    }
}
