#include "sweep/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"

#define FUNCTIONS "linspace|logspace|range"

static enum sw_status read_argument(struct sw_sweep *s, struct times *t, const struct sw_setting *setting,
                                    const char *text)
{
    bool ok;
    SW_TRY(value_read(s, t->path, setting, text, &t->arg[t->narg], &ok));
    if (ok) t->narg++;
    else t->kind = TIMES_NONE;
    return SW_OK;
}

static enum sw_status read_call(struct sw_sweep *s, struct times *t, const struct list_call *call)
{
    bool range = !strcmp(call->name, "range");
    if (call->narg > 3 || call->narg < (range ? 2 : 3)) {
        report_error(s, t->setting, "'%s': write %s", t->path,
                     range                  ? "range(a, b) or range(a, b, step)"
                     : call->name[1] == 'i' ? "linspace(a, b, k)"
                                            : "logspace(a, b, k)");
        return SW_OK;
    }
    t->kind = range ? TIMES_RANGE : call->name[1] == 'i' ? TIMES_LINSPACE : TIMES_LOGSPACE;
    SW_TRY(sw_arena_take(s->own->arena, CALL_ARGS, &t->arg));
    for (int k = 0; k < 3 && t->kind; k++) SW_TRY(read_argument(s, t, t->setting, k < call->narg ? call->arg[k] : "1"));
    return SW_OK;
}

static enum sw_status read_list(struct sw_sweep *s, struct times *t, int count, struct sw_setting *const *element)
{
    t->kind = TIMES_LIST;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)count, &t->arg));
    for (int k = 0; k < count && t->kind; k++) SW_TRY(read_argument(s, t, element[k], NULL));
    if (count == 0) report_error(s, t->setting, "'%s' is empty; leave it out to save nothing", t->path);
    return SW_OK;
}

/* A list of times, or "linspace(0, end, 11)". */
static enum sw_status times_read(struct sw_sweep *s, const char *path, struct times *t)
{
    struct list_call call;
    bool is_call = false;
    struct sw_setting *setting = (struct sw_setting *)key_setting(s, path);
    *t = (struct times){.path = path, .setting = setting};
    if (!setting) return SW_OK;
    if (setting->kind == SW_SETTING_LIST) return read_list(s, t, setting->count, setting->child);
    if (setting->kind == SW_SETTING_STRING) SW_TRY(call_split(s, setting->text, FUNCTIONS, &call, &is_call));
    return is_call ? read_call(s, t, &call) : read_list(s, t, 1, &setting);
}

/* Of a problem without time: once, at the end, if the group at `path` is there. */
static enum sw_status end_read(struct sw_sweep *s, const char *path, struct times *t)
{
    *t = (struct times){.path = path, .setting = key_setting(s, path)};
    if (!t->setting) return SW_OK;
    t->kind = TIMES_LIST;
    SW_TRY(sw_arena_take(s->own->arena, 1, &t->arg));
    t->arg[t->narg++] = (struct run_value){.number = 1};
    return SW_OK;
}

enum sw_status every_read(struct sw_sweep *s, const char *path, struct times *t)
{
    *t = (struct times){.path = path, .setting = key_setting(s, path)};
    if (!t->setting) return SW_OK;
    t->kind = TIMES_EVERY;
    SW_TRY(sw_arena_take(s->own->arena, 1, &t->arg));
    return read_argument(s, t, t->setting, NULL);
}

enum sw_status outputs_read(struct sw_sweep *s)
{
    struct times every;
    if (s->problem->time) SW_TRY(times_read(s, "output.fields.times", s->own->fields));
    else SW_TRY(end_read(s, "output.fields", s->own->fields));
    SW_TRY(times_read(s, "output.scalars.times", s->own->scalars));
    SW_TRY(every_read(s, "output.scalars.every", &every));
    if (every.setting) *s->own->scalars = every;
    return SW_OK;
}

/* ------------------------------------------------------------------ in units of dt */

static bool is_count(const struct times *t, int k)
{
    return k == 2 && (t->kind == TIMES_LINSPACE || t->kind == TIMES_LOGSPACE);
}

static double rounded(double v)
{
    int e;
    double m = frexp(v, &e);
    return ldexp(round(ldexp(m, 40)), e - 40);
}

double times_scale(const struct times *t, int k, double value, double dt)
{
    return is_count(t, k) || t->exact ? value : rounded(value / dt);
}

/* Exact times that differ by less than this, over the end, are one. */
static const double near = 1e-9;

/* Whether a time is within the run, up to rounding, which grows with the number of steps. */
static bool is_within(const struct times *t, double time, double steps)
{
    const double slack = t->exact ? near * steps : 1e-6 + 1e-9 * steps;
    return time >= -fmin(slack, 1e-6) && time <= steps + slack;
}

static double range_count(const double *a) { return floor((a[1] - a[0]) / a[2] * (1 + 1e-12) + 1e-6) + 1; }

static const char *ends_error(const struct times *t, const double *a, int n, double steps, double dt,
                              struct sw_text *why)
{
    for (int k = 0; k < n; k++)
        if (!is_within(t, a[k], steps)) {
            sw_text_set(why, "time %.6g is not within 0 and the end, %.6g", a[k] * dt, steps * dt);
            return sw_text_get(why);
        }
    return NULL;
}

const char *times_error(const struct times *t, const double *a, double steps, double dt, struct sw_text *why)
{
    switch (t->kind) {
    case TIMES_NONE: return NULL;
    case TIMES_LIST: return ends_error(t, a, t->narg, steps, dt, why);
    case TIMES_EVERY:
        if (!(a[0] > 0 && isfinite(a[0]))) return "the time between two entries must be positive and finite";
        return steps / a[0] < MAX_TIMES || (steps < MAX_TIMES && !t->aligned && !t->exact)
                   ? NULL
                   : "more than 10 million times in a run";
    case TIMES_RANGE:
        if (ends_error(t, a, 2, steps, dt, why)) return sw_text_get(why);
        if (!(a[2] > 0 && isfinite(a[2]))) return "the step must be positive and finite";
        if (!(range_count(a) >= 1)) return "there is no time in this range";
        return range_count(a) <= MAX_TIMES ? NULL : "more than 10 million times in a run";
    default:
        if (ends_error(t, a, 2, steps, dt, why)) return sw_text_get(why);
        if (t->kind == TIMES_LOGSPACE && !(a[0] > 0 && a[1] > 0)) return "the ends of logspace must be positive";
        if (!(a[2] >= 1 && a[2] == floor(a[2]))) return "the number of times must be a whole number from 1";
        return a[2] <= MAX_TIMES ? NULL : "more than 10 million times in a run";
    }
}

/* ------------------------------------------------------------------ as steps */

/* The interval of TIMES_EVERY, at least a step; where runs differ in their steps, as the config gives it. */
static double interval(const struct times *t, const double *a)
{
    return a[0] > 1 || t->aligned || t->exact ? a[0] : 1;
}

static double time_at(const struct times *t, const double *a, int k)
{
    switch (t->kind) {
    case TIMES_LIST: return a[k];
    case TIMES_RANGE: return a[0] + k * a[2];
    case TIMES_EVERY: return k * interval(t, a);
    case TIMES_LINSPACE: return k == 0 ? a[0] : a[0] + (a[1] - a[0]) * k / (a[2] - 1);
    default: return k == 0 ? a[0] : a[0] * pow(a[1] / a[0], k / (a[2] - 1));
    }
}

/* How many whole intervals the run has. */
static int64_t count_intervals(const struct times *t, const double *a, double steps)
{
    return (int64_t)(steps / interval(t, a) * (1 + 1e-12) + 1e-6);
}

/* Whether the end has an entry beside the multiples of the interval. It has none where the ends of runs differ as well
 * as their steps: in a longer run the same position would hold another time. */
static bool has_end(const struct times *t, const double *a, double steps)
{
    const double last = (double)count_intervals(t, a, steps) * interval(t, a);
    return steps - last > 1e-6 * (!t->exact + interval(t, a)) && !(t->aligned && t->ends_differ);
}

static int64_t count_of(const struct times *t, const double *a, double steps)
{
    switch (t->kind) {
    case TIMES_NONE: return 0;
    case TIMES_LIST: return t->narg;
    case TIMES_RANGE: return (int64_t)range_count(a);
    case TIMES_EVERY: return count_intervals(t, a, steps) + 1 + has_end(t, a, steps);
    default: return (int64_t)a[2];
    }
}

/* The times asked for, ascending. */
static enum sw_status list_times(const struct times *t, const double *scaled, double end, double **time, int *count)
{
    const int n = (int)count_of(t, scaled, end);
    SW_TRY(sw_alloc((size_t)n, time));
    for (int k = 0; k < n; k++) (*time)[k] = time_at(t, scaled, k);
    if (t->kind == TIMES_EVERY && has_end(t, scaled, end)) (*time)[n - 1] = end;
    qsort(*time, (size_t)n, sizeof **time, sw_by_real);
    *count = n;
    return SW_OK;
}

static int64_t nearest_step(double time, int64_t steps)
{
    const double step = floor(time + 0.5);
    return step < 0 ? 0 : step > (double)steps ? steps : (int64_t)step;
}

/* Of the times that round to one step, the nearest keeps it; the others have none (-1). */
static void assign_steps(int n, double *time, int64_t *step, int64_t *lost)
{
    for (int first = 0, next; first < n; first = next) {
        int best = first;
        for (next = first + 1; next < n && step[next] == step[first]; next++)
            if (fabs(time[next] - (double)step[next]) < fabs(time[best] - (double)step[best])) best = next;
        for (int k = first; k < next; k++) {
            if (k == best) time[k] = (double)step[k];
            else step[k] = -1;
        }
        *lost += next - first - 1;
    }
}

const char *looks_error(const struct times *t, const double *a, double steps, double dt, struct sw_text *why)
{
    const char *error = times_error(t, a, steps, dt, why);
    if (error || !t->kind || count_intervals(t, a, steps) > 0) return error;
    sw_text_set(why, "the run would first be looked at at t = %.6g and ends at %.6g: nothing stops it early", a[0] * dt,
                steps * dt);
    return sw_text_get(why);
}

/* The step of each time. Of times that round to one step the nearest has it. The others are left out, in all runs
 * alike; but where the runs of the sweep have different steps (`aligned`), they keep their positions, so that the k-th
 * entry is of the k-th time in every run.
 * @param step   out [*count]: ascending, each once; -1: another time has it. Free with sw_free()
 * @param time   out [*count] ascending, in units of dt: the step, or the time asked for. Free with sw_free()
 * @param count  out
 * @param lost   out: times without a step of their own */
static enum sw_status list_steps(const struct times *t, const double *scaled, int64_t steps, int64_t **step,
                                 double **time, int *count, int64_t *lost)
{
    int n;
    *count = 0;
    *lost = 0;
    SW_TRY(list_times(t, scaled, (double)steps, time, &n));
    SW_TRY(sw_alloc((size_t)n, step));
    if (t->kind == TIMES_EVERY && interval(t, scaled) > scaled[0])
        *lost = (int64_t)fmin((double)steps / scaled[0] * (1 + 1e-12) + 1e-6, 1e15) - steps;
    for (int k = 0; k < n; k++) (*step)[k] = nearest_step((*time)[k], steps);
    assign_steps(n, *time, *step, lost);
    for (int k = 0; k < n; k++) {
        if ((*step)[k] < 0 && !t->aligned) continue;
        (*time)[*count] = (*time)[k];
        (*step)[(*count)++] = (*step)[k];
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ as times on which runs land */

/* Of exact times: the times asked for, those within 1e-9 of the end of each other as one, ascending.
 * @param time   out [*count]. Free with sw_free()
 * @param count  out
 * @param lost   out: times that were given twice */
static enum sw_status list_exact(const struct times *t, const double *scaled, double end, double **time, int *count,
                                 int64_t *lost)
{
    int n;
    *count = 0;
    *lost = 0;
    SW_TRY(list_times(t, scaled, end, time, &n));
    for (int k = 0; k < n; k++) {
        if (*count && (*time)[k] - (*time)[*count - 1] <= near * end) ++*lost;
        else (*time)[(*count)++] = (*time)[k];
    }
    return SW_OK;
}

/* The multiples of the interval of TIMES_EVERY after 0, as far as the end: what a run has of them does not depend on
 * its end. Of no times there are none. @param time  out [*count], in units of dt. Free with sw_free() */
static enum sw_status list_multiples(const struct times *t, const double *scaled, double end, double **time, int *count)
{
    const int64_t n = t->kind ? count_intervals(t, scaled, end) : 0;
    SW_TRY(sw_alloc((size_t)n, time));
    for (*count = 0; *count < n; ++*count) (*time)[*count] = fmin(time_at(t, scaled, *count + 1), end);
    return SW_OK;
}

/* The union of such times, 0 and the end. @param goal  out [*goals + 1]. Free with sw_free() */
static enum sw_status unite(const double *a, int na, const double *b, int nb, double end, double **goal, int64_t *goals)
{
    double *all;
    *goals = 0;
    SW_TRY(sw_alloc((size_t)(na + nb) + 2, goal));
    all = *goal;
    for (int i = 0, j = 0; i < na || j < nb;) {
        const double time = j == nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
        if (time > all[*goals] + near * end && time < end * (1 - near)) all[++*goals] = time;
    }
    all[++*goals] = end;
    return SW_OK;
}

/* The ticks of exact times, and the times as they are in the union. @param step  out [count]. Free with sw_free() */
static enum sw_status list_ticks(double *time, int count, const double *goal, int64_t goals, double end, int64_t **step)
{
    int64_t at = 0;
    SW_TRY(sw_alloc((size_t)count, step));
    for (int k = 0; k < count; k++) {
        while (at < goals && goal[at] < time[k] - near * end) at++;
        (*step)[k] = at * SW_TICKS;
        time[k] = goal[at];
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ of a group */

/* Of runs that take steps of their own. */
static enum sw_status set_exact_times(const struct sw_sweep *s, const double *fields, const double *scalars,
                                      const double *looks, double end, struct sw_group *g)
{
    double *look = NULL, *outputs = NULL;
    int64_t noutput;
    enum sw_status st;
    SW_TRY(list_exact(s->own->fields, fields, end, &g->field_time, &g->nfield, &g->fields_lost));
    SW_TRY(list_exact(s->own->scalars, scalars, end, &g->scalar_time, &g->nscalar, &g->scalars_lost));
    SW_TRY_TO(done, st, list_multiples(s->own->looks, looks, end, &look, &g->nlook));
    SW_TRY_TO(done, st, unite(g->field_time, g->nfield, g->scalar_time, g->nscalar, end, &outputs, &noutput));
    SW_TRY_TO(done, st, unite(outputs, (int)noutput + 1, look, g->nlook, end, &g->times, &g->goals));
    SW_TRY_TO(done, st, list_ticks(g->field_time, g->nfield, g->times, g->goals, end, &g->field_step));
    SW_TRY_TO(done, st, list_ticks(g->scalar_time, g->nscalar, g->times, g->goals, end, &g->scalar_step));
    SW_TRY_TO(done, st, list_ticks(look, g->nlook, g->times, g->goals, end, &g->look_step));
    g->steps = g->goals * SW_TICKS;
done:
    sw_free(look);
    sw_free(outputs);
    return st;
}

/* Of runs that have one step. Looks closer to each other than that are one a step. */
static enum sw_status set_look_steps(const struct sw_sweep *s, const double *looks, struct sw_group *g)
{
    double *look;
    SW_TRY(list_multiples(s->own->looks, looks, (double)g->steps, &look, &g->nlook));
    enum sw_status st = sw_alloc((size_t)g->nlook, &g->look_step);
    for (int k = 0; k < g->nlook && !st; k++) {
        g->look_step[k] = (int64_t)floor(look[k] + 0.5);
        if (k && g->look_step[k] == g->look_step[k - 1]) g->look_step[k - 1] = -1;
        if (!g->look_step[k]) g->look_step[k] = -1;
    }
    sw_free(look);
    return st;
}

enum sw_status times_of_group(const struct sw_sweep *s, const double *scaled, double steps, struct sw_group *g)
{
    const struct times *fields = s->own->fields, *scalars = s->own->scalars;
    const double *of_fields = scaled, *of_scalars = of_fields + fields->narg, *looks = of_scalars + scalars->narg;
    g->fields_aligned = fields->aligned;
    g->scalars_aligned = scalars->aligned;
    if (s->own_steps) return set_exact_times(s, of_fields, of_scalars, looks, steps, g);
    g->steps = (int64_t)steps;
    SW_TRY(list_steps(fields, of_fields, g->steps, &g->field_step, &g->field_time, &g->nfield, &g->fields_lost));
    SW_TRY(list_steps(scalars, of_scalars, g->steps, &g->scalar_step, &g->scalar_time, &g->nscalar, &g->scalars_lost));
    return set_look_steps(s, looks, g);
}
