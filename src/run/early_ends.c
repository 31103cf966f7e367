#include "run/early_ends.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "comm/sw_comm.h"
#include "problem/stopping_sim.h"

/* Runs are looked at between steps, at times that depend on the config alone (struct sw_group): where a run ends
 * depends on nothing but the run. All is on the host, of a copy of the state in double precision: to the same bits on
 * every device.
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
 * Where the grid is cut over ranks, each forms these maxima of its slab, and the largest of all ranks counts.
 *
 * NaN makes stop.when undecidable: the run fails. */

/* By so many eps of its size a state at rest may change in a step. Of equations of fourth order on lines of 64 to 2048
 * points 0 to 40 were seen in double precision, and 0 to 67 in single; it grows with the points. */
enum { ROUNDINGS = 64 };

struct early_ends {
    const struct runs *r;
    struct failures *f;
    struct writer *writer;
    int64_t    at;              /* step of the batch                                                        */
    int        next;            /* look                                                                     */
    int64_t    last;            /* step of the look before; 0: the initial values                           */
    int        steady;          /* the column of stop.steady, -1: none                                      */
    double    *now, *before;    /* [count][state_size] at this look, and at the last: NULL without steady   */
    double    *rate;            /* [count] stop.steady, of runs that may be steady                          */
    int        unknowns;        /* at least 1                                                               */
    double    *size;            /* [count][unknowns] U                                                      */
    double    *most, *most_size;  /* [count][unknowns] of a measurement                                     */
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
    bool      *measured;        /* [count] runs that are looked at for whether they are steady              */
};

static int built_in_scalars(const struct early_ends *e)
{
    const struct sw_sweep *sweep = e->r->sweep;
    return sweep->nscalar - sweep->ndefined;
}

size_t early_ends_stored(const struct early_ends *e)
{
    if (!e) return 0;
    return 2 + (size_t)built_in_scalars(e) + (e->before ? 1 + (size_t)e->unknowns + e->r->size : 0);
}

size_t early_ends_stored_states(const struct early_ends *e) { return e && e->before; }

/* ------------------------------------------------------------------ begin and end */

static enum sw_status create_reducer(struct early_ends *e)
{
    const struct runs *r = e->r;
    const size_t count = (size_t)r->count;
    if (!r->sweep->stop_when) return SW_OK;
    SW_TRY(sw_arena_take(r->arena, count, &e->grid));
    SW_TRY(sw_arena_take(r->arena, count, &e->t));
    SW_TRY(sw_arena_take(r->arena, count, &e->value));
    for (int j = 0; j < r->count; j++) e->grid[j] = sw_setup_grid(r->setup, r->count, r->column, j);
    const struct sw_reducer_desc desc = runs_reducer_desc(r, 1, &r->sweep->stop_when);
    return sw_reducer_create(&desc, &e->reducer);
}

/* The looks that are still to come. */
static void find_next(struct early_ends *e)
{
    const struct sw_group *g = e->r->group;
    for (; e->next < g->nlook && g->look_step[e->next] <= e->at; e->next++)
        if (g->look_step[e->next] >= 0) e->last = g->look_step[e->next];
}

enum sw_status early_ends_create(const struct runs *r, struct failures *f, struct writer *writer,
                                 struct early_ends **ends)
{
    const size_t count = (size_t)r->count, states = count * r->size;
    struct early_ends *e;
    *ends = NULL;
    if (!r->sweep->stops) return SW_OK;
    SW_TRY(sw_arena_take(r->arena, 1, ends));
    e = *ends;
    *e = (struct early_ends){.r = r, .f = f, .writer = writer, .steady = sw_setup_column(r->setup, "stop.steady"),
                             .unknowns = r->setup->nunknown ? r->setup->nunknown : 1};
    SW_TRY(sw_arena_take(r->arena, count, &e->rate));
    SW_TRY(sw_arena_take(r->arena, count * (size_t)e->unknowns, &e->size));
    SW_TRY(sw_arena_take(r->arena, count * (size_t)e->unknowns, &e->most));
    SW_TRY(sw_arena_take(r->arena, count * (size_t)e->unknowns, &e->most_size));
    SW_TRY(sw_arena_take(r->arena, count, &e->measured));
    SW_TRY(sw_arena_take(r->arena, count, &e->moved));
    SW_TRY(sw_arena_take(r->arena, count, &e->t_ahead));
    SW_TRY(sw_arena_take(r->arena, count, &e->stop));
    SW_TRY(sw_arena_take(r->arena, count, &e->lost));
    SW_TRY(sw_arena_take(r->arena, count, &e->step));
    SW_TRY(sw_arena_take(r->arena, count, &e->why));
    SW_TRY(sw_arena_take(r->arena, count, &e->found));
    for (size_t j = 0; j < count; j++) e->step[j] = -1;
    find_next(e);  /* the first looks may have no step */
    SW_TRY(sw_device_alloc_host(r->device, states, &e->now));
    if (e->steady >= 0) SW_TRY(sw_device_alloc_host(r->device, states, &e->before));
    return create_reducer(e);
}

/* The largest |u - v| of an unknown of run j; NaN where one is. @param v  NULL: 0 */
static double largest(const struct early_ends *e, int j, int unknown, const double *u, const double *v)
{
    const size_t points = (size_t)sw_points(e->r->setup->n),
                 first = (size_t)j * e->r->size + (size_t)unknown * points;
    double most = 0;
    for (size_t i = first; i < first + points; i++) {
        const double d = fabs(u[i] - (v ? v[i] : 0));
        if (!(d <= most)) most = d;
    }
    return most;
}

/* Those of all unknowns of the runs that are measured, on all ranks. @param most  out: [count][unknowns] */
static enum sw_status measure(const struct early_ends *e, const double *u, const double *v, double *most)
{
#pragma omp parallel for num_threads(e->r->device->threads) schedule(dynamic, 8)
    for (int j = 0; j < e->r->count; j++)
        for (int k = 0; k < e->unknowns; k++)
            most[j * e->unknowns + k] = e->measured[j] ? largest(e, j, k, u, v) : 0;
    return sw_comm_max(e->r->setup->domain.all, (size_t)e->r->count * (size_t)e->unknowns, most);
}

/* U of the runs that are measured, at a look. */
static enum sw_status measure_size(const struct early_ends *e, const double *u)
{
    SW_TRY(measure(e, u, NULL, e->most_size));
    for (int j = 0; j < e->r->count; j++)
        for (int k = j * e->unknowns; e->measured[j] && k < (j + 1) * e->unknowns; k++)
            e->size[k] = e->unknowns == 1 ? e->most_size[k] : fmax(e->size[k], e->most_size[k]);
    return SW_OK;
}

static void measure_all(const struct early_ends *e)
{
    for (int j = 0; j < e->r->count; j++) e->measured[j] = true;
}

enum sw_status early_ends_initial(struct early_ends *e)
{
    if (!e || !e->before) return SW_OK;
    SW_TRY(sw_sim_get_state(e->r->sim, e->before));
    measure_all(e);
    return measure_size(e, e->before);
}

enum sw_status early_ends_finish(struct early_ends *e)
{
    if (!e) return SW_OK;
    SW_TRY(writer_wait_slots(e->writer));
    return sw_stopping_sim_load_all(e->r->sim);
}

void early_ends_destroy(struct early_ends *e)
{
    if (!e) return;
    sw_device_free_host(e->r->device, e->now);
    sw_device_free_host(e->r->device, e->before);
    sw_reducer_destroy(&e->reducer);
}

/* ------------------------------------------------------------------ a look */

static bool is_running(const struct early_ends *e, int j)
{
    return e->step[j] < 0 && e->f->step[j] < 0 && !e->f->load_error[j];
}

static bool none_runs(const struct early_ends *e) { return !sw_stopping_sim_running(e->r->sim); }

static int64_t look_at(const struct early_ends *e)
{
    return none_runs(e) || e->next >= e->r->group->nlook ? e->r->group->steps : e->r->group->look_step[e->next];
}

/* The golden section of the time to the next look is far from all simple fractions of it. */
static int64_t glance_at(const struct early_ends *e)
{
    const int64_t between = look_at(e) - e->last;
    return between > 1 ? e->last + (int64_t)(0.6180339887498949 * (double)between) : -1;
}

int64_t early_ends_next(const struct early_ends *e, int64_t step)
{
    if (!e) return INT64_MAX;
    const int64_t look = look_at(e), glance = e->before && !none_runs(e) ? glance_at(e) : -1;
    return glance > step && glance < look ? glance : look;
}

/* Whether run j, which is measured, has moved by no more than some rate times U. A NaN is not near. */
static bool is_near(const struct early_ends *e, int j, double rate)
{
    for (int k = j * e->unknowns; k < (j + 1) * e->unknowns; k++)
        if (!(e->most[k] <= rate * e->size[k])) return false;
    return true;
}

/* How far the runs have moved since the last look. */
static enum sw_status glance(struct early_ends *e)
{
    SW_TRY(sw_sim_get_state(e->r->sim, e->now));
    e->glanced = e->at;
    measure_all(e);
    SW_TRY(measure(e, e->now, e->before, e->most));
    SW_TRY(measure(e, e->now, NULL, e->most_size));
    for (int j = 0; j < e->r->count; j++) {
        e->moved[j] = 0;
        for (int k = j * e->unknowns; k < (j + 1) * e->unknowns; k++) {
            const double d = e->most[k], size = e->unknowns == 1 ? e->most_size[k] : fmax(e->size[k], e->most_size[k]);
            if (d > 0) e->moved[j] = fmax(e->moved[j], d / size);
        }
    }
    return SW_OK;
}

static bool is_steady(const struct early_ends *e, int j)
{
    const double since = runs_time(e->r, j, e->at) - runs_time(e->r, j, e->last);
    return is_near(e, j, e->rate[j] * since) && (e->glanced <= e->last || e->moved[j] <= e->rate[j] * since);
}

/* Find the runs that are steady, of those that nothing else stops. */
static enum sw_status find_steady(struct early_ends *e)
{
    for (int j = 0; j < e->r->count; j++) {
        e->measured[j] = is_running(e, j) && e->found[j] == SW_RUN_TO_END;
        e->rate[j] = e->r->column[(size_t)e->steady * (size_t)e->r->count + (size_t)j];
    }
    SW_TRY(measure_size(e, e->now));
    SW_TRY(measure(e, e->now, e->before, e->most));
    for (int j = 0; j < e->r->count; j++)
        if (e->measured[j] && is_steady(e, j)) e->found[j] = SW_RUN_STEADY;
    return SW_OK;
}

/* In the step after the look, too: e->before is its end. */
static bool is_steady_ahead(const struct early_ends *e, int j)
{
    const double eps = e->r->setup->single_steps ? FLT_EPSILON : DBL_EPSILON,
                 change = e->rate[j] * (e->t_ahead[j] - runs_time(e->r, j, e->at));
    return is_near(e, j, fmax(change, ROUNDINGS * eps));
}

static void evaluate_when(const struct early_ends *e)
{
    const struct sw_reducer_runs runs = {.count = e->r->count, .grid = e->grid, .column = e->r->column, .t = e->t,
                                         .field = e->now};
    for (int j = 0; j < e->r->count; j++) e->t[j] = runs_time(e->r, j, e->at);
    sw_reducer_values(e->reducer, &runs, e->value);
}

static enum sw_run_end stop_when(const struct early_ends *e, int j)
{
    if (!is_running(e, j)) return SW_RUN_TO_END;
    return e->reducer && e->value[j] != 0 ? SW_RUN_STOPPED_WHEN : SW_RUN_TO_END;  /* or NaN */
}

/* Of the runs that seem to be steady, those that are in the next step as well. */
static enum sw_status look_ahead(const struct early_ends *e)
{
    bool any = false;
    for (int j = 0; j < e->r->count; j++) any |= e->found[j] == SW_RUN_STEADY;
    if (!any || (e->r->group->goals && e->at == e->r->group->steps)) return SW_OK;
    SW_TRY(writer_wait_slots(e->writer));
    for (int j = 0; j < e->r->count; j++) e->t_ahead[j] = runs_time(e->r, j, e->at + 1);
    SW_TRY(sw_stopping_sim_look_ahead(e->r->sim, e->at, e->now, e->before, e->t_ahead));
    for (int j = 0; j < e->r->count; j++) e->measured[j] = e->found[j] == SW_RUN_STEADY;
    SW_TRY(measure(e, e->before, e->now, e->most));
    for (int j = 0; j < e->r->count; j++)
        if (e->found[j] == SW_RUN_STEADY && !is_steady_ahead(e, j)) e->found[j] = SW_RUN_TO_END;
    return SW_OK;
}

/* Run j ends here. */
static void end_run(struct early_ends *e, int j)
{
    const bool undecided = e->found[j] == SW_RUN_STOPPED_WHEN && isnan(e->value[j]);
    e->step[j] = e->at;
    e->why[j] = undecided ? SW_RUN_TO_END : e->found[j];
    if (undecided) failures_add(e->f, j, e->at, true);
}

static enum sw_status stop_runs(struct early_ends *e)
{
    for (int j = 0; j < e->r->count; j++) e->lost[j] = e->f->step[j] >= 0;
    SW_TRY(writer_wait_slots(e->writer));
    return sw_stopping_sim_stop(e->r->sim, e->stop, e->lost, e->now);
}

enum sw_status early_ends_look(struct early_ends *e, int64_t step)
{
    bool any = false;  /* more than at the last look */
    if (!e) return SW_OK;
    e->at = step;
    if (e->before && !none_runs(e) && glance_at(e) == e->at) return glance(e);
    if (look_at(e) != e->at || e->next >= e->r->group->nlook || none_runs(e)) return SW_OK;
    SW_TRY(sw_sim_get_state(e->r->sim, e->now));
    SW_TRY(failures_find(e->f));
    if (e->reducer) evaluate_when(e);
    for (int j = 0; j < e->r->count; j++) e->found[j] = stop_when(e, j);
    if (e->before) SW_TRY(find_steady(e));
    SW_TRY(look_ahead(e));
    for (int j = 0; j < e->r->count; j++) {
        if (e->found[j]) end_run(e, j);
        const bool stop = e->found[j] || e->f->step[j] >= 0;
        any |= stop && !e->stop[j];
        e->stop[j] |= stop;
    }
    if (any) SW_TRY(stop_runs(e));
    double *before = e->before;
    if (before) {
        e->before = e->now;
        e->now = before;
    }
    find_next(e);
    return SW_OK;
}

/* ------------------------------------------------------------------ of one run */

enum sw_run_end early_ends_of(const struct early_ends *e, int j, int64_t *step)
{
    if (!e || e->step[j] < 0) return SW_RUN_TO_END;
    *step = e->step[j];
    return e->why[j];
}

void early_ends_store(const struct early_ends *e, int j, double *to)
{
    if (!e) return;
    const size_t size = e->r->size, scalars = (size_t)built_in_scalars(e);
    to[0] = (double)e->step[j];
    to[1] = (double)e->why[j];
    const double *kept = e->step[j] < 0 ? NULL : sw_stopping_sim_scalars(e->r->sim, j);
    for (size_t k = 0; k < scalars; k++) to[2 + k] = kept ? kept[k] : 0;
    if (!e->before) return;
    to += 2 + scalars;
    *to++ = e->glanced > e->last ? e->moved[j] : -1;
    for (int v = 0; v < e->unknowns; v++) *to++ = e->size[j * e->unknowns + v];
    memcpy(to, e->before + (size_t)j * size, size * sizeof *to);
}

enum sw_status early_ends_resume(struct early_ends *e, int64_t step, const double *stored, size_t width)
{
    if (!e) return SW_OK;
    const size_t size = e->r->size, scalars = (size_t)built_in_scalars(e), first = width - early_ends_stored(e);
    bool any = false;
    e->at = step;
    find_next(e);
    for (int j = 0; j < e->r->count; j++) {
        const double *from = stored + (size_t)e->r->plan->row[j] * width + first;
        e->step[j] = (int64_t)from[0];
        e->why[j] = (enum sw_run_end)from[1];
        e->f->undecided[j] = e->step[j] >= 0 && e->why[j] == SW_RUN_TO_END;
        any |= e->stop[j] = e->step[j] >= 0;
        if (!e->before) continue;
        const double *more = from + 2 + scalars;
        e->moved[j] = *more++;
        if (e->moved[j] >= 0) e->glanced = e->at;
        for (int v = 0; v < e->unknowns; v++) e->size[j * e->unknowns + v] = *more++;
        memcpy(e->before + (size_t)j * size, more, size * sizeof *more);
    }
    if (!any) return SW_OK;
    for (int j = 0; j < e->r->count; j++) e->lost[j] = e->f->step[j] >= 0;
    SW_TRY(sw_sim_get_state(e->r->sim, e->now));
    SW_TRY(sw_stopping_sim_stop(e->r->sim, e->stop, e->lost, e->now));
    for (int j = 0; j < e->r->count; j++) {
        const double *from = stored + (size_t)e->r->plan->row[j] * width + first + 2;
        double *to = e->stop[j] ? sw_stopping_sim_scalars(e->r->sim, j) : NULL;
        for (size_t k = 0; k < scalars && to; k++) to[k] = from[k];
    }
    return SW_OK;
}
