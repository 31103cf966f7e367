/* Runs that end early: those that are steady, and those of which stop.when holds. They are looked at between steps, at
 * times that depend on the config alone (struct sw_group), so that where a run ends depends on nothing but the run. All
 * is on the host, of a copy of the state in double precision: to the same bits on every device.
 *
 * A run is steady if from one look, at t', to the next, at t,
 *
 *     max |u(t) - u(t')| <= stop.steady (t - t') U
 *
 * with the maximum over all points, for each unknown with a U of its own; if it had not moved further than that at a
 * glance on the way, at t' + 0.618 (t - t'), as what is periodic in t may be back at each look; and if it changes no
 * faster in the step after t, that ends at t":
 *
 *     max |u(t") - u(t)| <= max(stop.steady (t" - t), ROUNDINGS eps) U
 *
 * as a state whose sign changes each step is the same at looks an even number of steps apart. U is max |u(t)|; of
 * several unknowns, of which some may die out, the largest |u| of the unknown at all looks so far. That step is taken,
 * and taken back, only where the first holds of some run; of runs with steps of
 * their own it is a tick, in which each takes at least one, and there is none after the end. The first look is compared
 * with the initial values.
 *
 * A run of which stop.when is NaN has failed: whether it was to end, nothing says. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/stopping_sim.h"
#include "run/batch_impl.h"

/* By so many eps of its size a state at rest may change in a step. Of equations of fourth order on lines of 64 to 2048
 * points 0 to 40 were seen in double precision, and 0 to 67 in single; it grows with the points. */
enum { ROUNDINGS = 64 };

struct batch_stops {
    int        next;            /* look                                                                     */
    int64_t    last;            /* step of the look before; 0: the initial values                           */
    int        steady;          /* the column of stop.steady, -1: none                                      */
    double    *now, *before;    /* [count][state_size] at this look, and at the last: NULL without steady   */
    double    *rate;            /* [count] stop.steady, of runs that may be steady                          */
    int        unknowns;
    double    *size;            /* [count][unknowns] U                                                      */
    double    *moved;           /* [count] at the glance since the last look: the largest |u - before|/(U of then) */
    int64_t    glanced;         /* step of the last glance                                                  */
    double    *t_ahead;         /* [count] when the step after this look ends                               */
    struct sw_reducer *reducer; /* of stop.when; NULL: none                                                 */
    struct sw_grid *grid;       /* [count]                                                                  */
    double    *t, *value;       /* [count]                                                                  */
    bool      *stop, *lost;     /* [count] runs that the sim need not compute: ended early, or failed; these */
    int64_t   *step;            /* [count] after which a run has stopped; -1: it has not                    */
    enum sw_run_end *why;       /* [count]; SW_RUN_TO_END with a step: it failed there, stop.when being NaN */
    enum sw_run_end *found;     /* [count] at this look                                                     */
    int64_t    chunk;           /* the worker's when the first run stopped; 0: none has                     */
};

static int built_in_scalars(const struct batch *b)
{
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    return sweep->nscalar - sweep->ndefined;
}

size_t batch_stops_stored(const struct batch *b)
{
    if (!b->stops) return 0;
    return 2 + (size_t)built_in_scalars(b) +
           (b->stops->before ? 1 + (size_t)b->stops->unknowns + batch_state_size(b) : 0);
}

/* ------------------------------------------------------------------ begin and end */

static enum sw_status create_reducer(const struct batch *b, const struct sw_setup *setup)
{
    const struct sw_reduction *const *when = &b->w->scheduler->sweep->stop_when;
    const size_t count = (size_t)b->plan->count;
    struct batch_stops *s = b->stops;
    if (!*when) return SW_OK;
    SW_TRY(sw_alloc(count, &s->grid));
    SW_TRY(sw_alloc(count, &s->t));
    SW_TRY(sw_alloc(count, &s->value));
    for (int j = 0; j < b->plan->count; j++) s->grid[j] = sw_setup_grid(setup, b->plan->count, b->column, j);
    const struct sw_reducer_desc desc = batch_reducer_desc(b, 1, when);
    return sw_reducer_create(&desc, &s->reducer);
}

/* The looks that are still to come. */
static void find_next(struct batch *b)
{
    struct batch_stops *s = b->stops;
    const struct sw_group *g = b->group;
    for (; s->next < g->nlook && g->look_step[s->next] <= b->step; s->next++)
        if (g->look_step[s->next] >= 0) s->last = g->look_step[s->next];
}

enum sw_status batch_stops_begin(struct batch *b)
{
    const struct sw_setup setup = sw_sweep_setup(b->w->scheduler->sweep, b->group, 1);
    const size_t count = (size_t)b->plan->count, states = count * batch_state_size(b);
    if (!b->w->scheduler->sweep->stops) return SW_OK;
    SW_TRY(sw_alloc(1, &b->stops));
    struct batch_stops *s = b->stops;
    s->steady = sw_setup_column(&setup, "stop.steady");
    SW_TRY(sw_alloc(count, &s->rate));
    s->unknowns = setup.nunknown ? setup.nunknown : 1;
    SW_TRY(sw_alloc(count * (size_t)s->unknowns, &s->size));
    SW_TRY(sw_alloc(count, &s->moved));
    SW_TRY(sw_alloc(count, &s->t_ahead));
    SW_TRY(sw_alloc(count, &s->stop));
    SW_TRY(sw_alloc(count, &s->lost));
    SW_TRY(sw_alloc(count, &s->step));
    SW_TRY(sw_alloc(count, &s->why));
    SW_TRY(sw_alloc(count, &s->found));
    for (size_t j = 0; j < count; j++) s->step[j] = -1;
    find_next(b);  /* the first looks may have no step */
    SW_TRY(sw_device_alloc_host(b->w->device, states, &s->now));
    if (s->steady >= 0) SW_TRY(sw_device_alloc_host(b->w->device, states, &s->before));
    return create_reducer(b, &setup);
}

/* The largest |u - v| of an unknown of run j; NaN where one is. @param v  NULL: 0 */
static double largest(const struct batch *b, int j, int unknown, const double *u, const double *v)
{
    const size_t points = (size_t)sw_points(b->w->setup.n),
                 first = (size_t)j * batch_state_size(b) + (size_t)unknown * points;
    double most = 0;
    for (size_t i = first; i < first + points; i++) {
        const double d = fabs(u[i] - (v ? v[i] : 0));
        if (!(d <= most)) most = d;
    }
    return most;
}

/* U of run j at a look. */
static void measure_size(const struct batch *b, int j, const double *u)
{
    const struct batch_stops *s = b->stops;
    double *size = s->size + (size_t)j * (size_t)s->unknowns;
    for (int v = 0; v < s->unknowns; v++) {
        const double now = largest(b, j, v, u, NULL);
        size[v] = s->unknowns == 1 ? now : fmax(size[v], now);
    }
}

enum sw_status batch_stops_initial(const struct batch *b)
{
    const struct batch_stops *s = b->stops;
    if (!s || !s->before) return SW_OK;
    SW_TRY(sw_sim_get_state(b->w->sim, s->before));
    for (int j = 0; j < b->plan->count; j++) measure_size(b, j, s->before);
    return SW_OK;
}

enum sw_status batch_stops_finish(const struct batch *b)
{
    if (!b->stops) return SW_OK;
    SW_TRY(writer_wait_slots(b->w->writer));
    return sw_stopping_sim_load_all(b->w->sim);
}

void batch_stops_end(struct batch *b)
{
    struct batch_stops *s = b->stops;
    if (!s) return;
    if (s->chunk) b->w->chunk = s->chunk;  /* the next batch begins with all its runs */
    sw_device_free_host(b->w->device, s->now);
    sw_device_free_host(b->w->device, s->before);
    sw_reducer_destroy(&s->reducer);
    sw_free(s->grid);
    sw_free(s->t);
    sw_free(s->value);
    sw_free(s->rate);
    sw_free(s->size);
    sw_free(s->moved);
    sw_free(s->t_ahead);
    sw_free(s->stop);
    sw_free(s->lost);
    sw_free(s->step);
    sw_free(s->why);
    sw_free(s->found);
    sw_free(s);
    b->stops = NULL;
}

/* ------------------------------------------------------------------ a look */

static bool is_running(const struct batch *b, int j)
{
    return b->stops->step[j] < 0 && b->failed_step[j] < 0 && !b->load_error[j];
}

bool batch_stops_all(const struct batch *b) { return b->stops && !sw_stopping_sim_running(b->w->sim); }

static int64_t look_at(const struct batch *b)
{
    const struct batch_stops *s = b->stops;
    return !s || batch_stops_all(b) || s->next >= b->group->nlook ? b->group->steps : b->group->look_step[s->next];
}

/* The golden section of the time to the next look is far from all simple fractions of it. */
static int64_t glance_at(const struct batch *b)
{
    const struct batch_stops *s = b->stops;
    const int64_t between = look_at(b) - s->last;
    return between > 1 ? s->last + (int64_t)(0.6180339887498949 * (double)between) : -1;
}

int64_t batch_next_look(const struct batch *b)
{
    const struct batch_stops *s = b->stops;
    const int64_t look = look_at(b), glance = s && s->before && !batch_stops_all(b) ? glance_at(b) : -1;
    return glance > b->step && glance < look ? glance : look;
}

/* Whether run j has moved from one state to another by no more than some rate times U. A NaN is not near. */
static bool is_near(const struct batch *b, int j, const double *from, const double *to, double rate)
{
    const struct batch_stops *s = b->stops;
    for (int v = 0; v < s->unknowns; v++)
        if (!(largest(b, j, v, to, from) <= rate * s->size[j * s->unknowns + v])) return false;
    return true;
}

/* How far the runs have moved since the last look. */
static enum sw_status glance(struct batch *b)
{
    struct batch_stops *s = b->stops;
    SW_TRY(sw_sim_get_state(b->w->sim, s->now));
    s->glanced = b->step;
#pragma omp parallel for num_threads(b->w->device->threads) schedule(dynamic, 8)
    for (int j = 0; j < b->plan->count; j++) {
        s->moved[j] = 0;
        for (int v = 0; v < s->unknowns; v++) {
            const double d = largest(b, j, v, s->now, s->before), size = largest(b, j, v, s->now, NULL),
                         most = s->unknowns == 1 ? size : fmax(s->size[j * s->unknowns + v], size);
            if (d > 0) s->moved[j] = fmax(s->moved[j], d / most);
        }
    }
    return SW_OK;
}

static bool is_steady(const struct batch *b, int j)
{
    const struct batch_stops *s = b->stops;
    const double since = batch_time(b, j, b->step) - batch_time(b, j, s->last);
    s->rate[j] = b->column[(size_t)s->steady * (size_t)b->plan->count + (size_t)j];
    measure_size(b, j, s->now);
    return is_near(b, j, s->before, s->now, s->rate[j] * since) &&
           (s->glanced <= s->last || s->moved[j] <= s->rate[j] * since);
}

/* In the step after the look, too: s->before is its end. */
static bool is_steady_ahead(const struct batch *b, int j)
{
    const struct batch_stops *s = b->stops;
    const double eps = b->w->setup.single_steps ? FLT_EPSILON : DBL_EPSILON,
                 change = s->rate[j] * (s->t_ahead[j] - batch_time(b, j, b->step));
    return is_near(b, j, s->now, s->before, fmax(change, ROUNDINGS * eps));
}

static void evaluate_when(const struct batch *b)
{
    const struct batch_stops *s = b->stops;
    const struct sw_reducer_runs runs = {.count = b->plan->count, .grid = s->grid, .column = b->column, .t = s->t,
                                         .field = s->now};
    for (int j = 0; j < b->plan->count; j++) s->t[j] = batch_time(b, j, b->step);
    sw_reducer_values(s->reducer, &runs, s->value);
}

static enum sw_run_end why_stop(const struct batch *b, int j)
{
    const struct batch_stops *s = b->stops;
    if (!is_running(b, j)) return SW_RUN_TO_END;
    if (s->reducer && s->value[j] != 0) return SW_RUN_STOPPED_WHEN;  /* or NaN */
    return s->before && is_steady(b, j) ? SW_RUN_STEADY : SW_RUN_TO_END;
}

/* Of the runs that seem to be steady, those that are in the next step as well. */
static enum sw_status look_ahead(const struct batch *b)
{
    const struct batch_stops *s = b->stops;
    bool any = false;
    for (int j = 0; j < b->plan->count; j++) any |= s->found[j] == SW_RUN_STEADY;
    if (!any || (b->group->goals && b->step == b->group->steps)) return SW_OK;
    SW_TRY(writer_wait_slots(b->w->writer));
    for (int j = 0; j < b->plan->count; j++) s->t_ahead[j] = batch_time(b, j, b->step + 1);
    SW_TRY(sw_stopping_sim_look_ahead(b->w->sim, b->step, s->now, s->before, s->t_ahead));
#pragma omp parallel for num_threads(b->w->device->threads) schedule(dynamic, 8)
    for (int j = 0; j < b->plan->count; j++)
        if (s->found[j] == SW_RUN_STEADY && !is_steady_ahead(b, j)) s->found[j] = SW_RUN_TO_END;
    return SW_OK;
}

/* Run j ends here. */
static void end_run(struct batch *b, int j)
{
    struct batch_stops *s = b->stops;
    const bool unknown = s->found[j] == SW_RUN_STOPPED_WHEN && isnan(s->value[j]);
    s->step[j] = b->step;
    s->why[j] = unknown ? SW_RUN_TO_END : s->found[j];
    if (!unknown) return;
    b->failed_step[j] = b->step;
    batch_report_failure(b, j);
}

static enum sw_status stop_runs(struct batch *b)
{
    struct batch_stops *s = b->stops;
    if (!s->chunk) s->chunk = b->w->chunk;
    for (int j = 0; j < b->plan->count; j++) s->lost[j] = b->failed_step[j] >= 0;
    SW_TRY(writer_wait_slots(b->w->writer));
    return sw_stopping_sim_stop(b->w->sim, s->stop, s->lost, s->now);
}

enum sw_status batch_look(struct batch *b)
{
    struct batch_stops *s = b->stops;
    bool any = false;  /* more than at the last look */
    if (s && s->before && !batch_stops_all(b) && glance_at(b) == b->step) return glance(b);
    if (!s || look_at(b) != b->step || s->next >= b->group->nlook || batch_stops_all(b)) return SW_OK;
    SW_TRY(sw_sim_get_state(b->w->sim, s->now));
    SW_TRY(batch_find_failures(b));
    if (s->reducer) evaluate_when(b);
#pragma omp parallel for num_threads(b->w->device->threads) schedule(dynamic, 8)
    for (int j = 0; j < b->plan->count; j++) s->found[j] = why_stop(b, j);
    SW_TRY(look_ahead(b));
    for (int j = 0; j < b->plan->count; j++) {
        if (s->found[j]) end_run(b, j);
        const bool stop = s->found[j] || b->failed_step[j] >= 0;
        any |= stop && !s->stop[j];
        s->stop[j] |= stop;
    }
    if (any) SW_TRY(stop_runs(b));
    double *before = s->before;
    if (before) {
        s->before = s->now;
        s->now = before;
    }
    find_next(b);
    return SW_OK;
}

/* ------------------------------------------------------------------ of one run */

enum sw_run_end batch_stopped(const struct batch *b, int j, int64_t *step)
{
    const struct batch_stops *s = b->stops;
    if (!s || s->step[j] < 0) return SW_RUN_TO_END;
    *step = s->step[j];
    return s->why[j];
}

bool batch_stop_unknown(const struct batch *b, int j)
{
    const struct batch_stops *s = b->stops;
    return s && s->step[j] >= 0 && s->why[j] == SW_RUN_TO_END;
}

void batch_stops_store(const struct batch *b, int j, double *to)
{
    const struct batch_stops *s = b->stops;
    const size_t size = batch_state_size(b), scalars = (size_t)built_in_scalars(b);
    if (!s) return;
    to[0] = (double)s->step[j];
    to[1] = (double)s->why[j];
    const double *kept = s->step[j] < 0 ? NULL : sw_stopping_sim_scalars(b->w->sim, j);
    for (size_t k = 0; k < scalars; k++) to[2 + k] = kept ? kept[k] : 0;
    if (!s->before) return;
    to += 2 + scalars;
    *to++ = s->glanced > s->last ? s->moved[j] : -1;
    for (int v = 0; v < s->unknowns; v++) *to++ = s->size[j * s->unknowns + v];
    memcpy(to, s->before + (size_t)j * size, size * sizeof *to);
}

enum sw_status batch_stops_resume(struct batch *b, const double *stored, size_t width)
{
    struct batch_stops *s = b->stops;
    const size_t size = batch_state_size(b), scalars = (size_t)built_in_scalars(b),
                 first = width - batch_stops_stored(b);
    bool any = false;
    if (!s) return SW_OK;
    find_next(b);
    for (int j = 0; j < b->plan->count; j++) {
        const double *from = stored + (size_t)b->plan->row[j] * width + first;
        s->step[j] = (int64_t)from[0];
        s->why[j] = (enum sw_run_end)from[1];
        any |= s->stop[j] = s->step[j] >= 0;
        if (!s->before) continue;
        const double *more = from + 2 + scalars;
        s->moved[j] = *more++;
        if (s->moved[j] >= 0) s->glanced = b->step;
        for (int v = 0; v < s->unknowns; v++) s->size[j * s->unknowns + v] = *more++;
        memcpy(s->before + (size_t)j * size, more, size * sizeof *more);
    }
    if (!any) return SW_OK;
    s->chunk = b->w->chunk;
    for (int j = 0; j < b->plan->count; j++) s->lost[j] = b->failed_step[j] >= 0;
    SW_TRY(sw_sim_get_state(b->w->sim, s->now));
    SW_TRY(sw_stopping_sim_stop(b->w->sim, s->stop, s->lost, s->now));
    for (int j = 0; j < b->plan->count; j++) {
        const double *from = stored + (size_t)b->plan->row[j] * width + first + 2;
        double *to = s->stop[j] ? sw_stopping_sim_scalars(b->w->sim, j) : NULL;
        for (size_t k = 0; k < scalars && to; k++) to[k] = from[k];
    }
    return SW_OK;
}
