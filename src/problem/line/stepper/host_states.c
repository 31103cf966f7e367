#include "problem/line/stepper/host_states.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_reals.h"
#include "problem/line/plain/stencil_cpu.h"
#include "problem/line/stepper/scalars_point.h"

/* Without a parallel region of one thread: OpenMP makes a team for it, and wakes the threads of the one before, 0.3 us
 * in which a step of a short line is done. With all threads where fewer have work: GNU's OpenMP ends those that a team
 * has less than the one before, and makes them anew for the next, 30 us each. */
void sw_host_each(int threads, int count, void (*work)(void *user, int thread, int k), void *user)
{
    if (threads <= 1 || count <= 1) {
        for (int k = 0; k < count; k++) work(user, 0, k);
        return;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int k = 0; k < count; k++) work(user, omp_get_thread_num(), k);
}

/* ------------------------------------------------------------------ create, destroy */

enum sw_status sw_host_states_create(struct sw_device *device, struct sw_owned *own, struct sw_host_states *h)
{
    const size_t numbers = h->capacity * sw_host_states_size(h);
    sw_array(own, numbers, &h->u);
    sw_array(own, h->capacity, &h->sound);
    sw_array(own, h->capacity, &h->stopped);
    sw_array(own, h->capacity, &h->diverged);
    if (h->own_steps) sw_array(own, h->capacity, &h->steps);
    SW_TRY(own->status);
    return sw_snapshots_create(device, numbers * sw_reals_word(h->single),
                               h->capacity * SW_LINE_SCALARS * sizeof(double), &h->snapshots);
}

void sw_host_states_destroy(struct sw_host_states *h) { sw_snapshots_destroy(&h->snapshots); }

size_t sw_host_states_bytes(const struct sw_host_states *h)
{
    return sw_host_states_size(h) * (sizeof(double) + SW_SNAPSHOT_SLOTS * sw_reals_word(h->single)) + 256;
}

/* ------------------------------------------------------------------ states */

void sw_host_states_stop(struct sw_host_states *h, int j, int64_t step)
{
    double *u = sw_host_states_of(h, j);
    for (size_t i = 0; i < sw_host_states_size(h); i++) u[i] = NAN;
    h->stopped[j] = true;
    h->diverged[j] = step;
}

static void resume(struct sw_host_states *h, int j)
{
    h->stopped[j] = false;
    h->diverged[j] = -1;
    if (h->steps) h->steps[j] = (struct sw_own_steps){0};
}

void sw_host_states_load(struct sw_host_states *h, int count, const char *const *load_error)
{
    for (int j = 0; j < count; j++) {
        h->sound[j] = !load_error[j];
        if (load_error[j]) sw_host_states_stop(h, j, 0);
        else resume(h, j);
    }
}

void sw_host_states_begin(struct sw_host_states *h, int j, int64_t step)
{
    resume(h, j);
    if (!sw_line_is_finite(sw_host_states_size(h), sw_host_states_of(h, j))) sw_host_states_stop(h, j, step);
}

static struct sw_host_states *states_of(const struct sw_sim *sim) { return ((const struct sw_stepped *)sim)->own; }

static size_t count_of(const struct sw_sim *sim) { return (size_t)((const struct sw_stepped *)sim)->count; }

enum sw_status sw_host_states_set(struct sw_sim *sim, const double *u)
{
    struct sw_host_states *h = states_of(sim);
    const size_t size = sw_host_states_size(h);
    for (int j = 0; j < (int)count_of(sim); j++) {
        if (!h->sound[j]) continue;
        memcpy(sw_host_states_of(h, j), u + (size_t)j * size, size * sizeof *u);
        sw_host_states_begin(h, j, -1);
    }
    return SW_OK;
}

enum sw_status sw_host_states_get(struct sw_sim *sim, double *u)
{
    const struct sw_host_states *h = states_of(sim);
    memcpy(u, h->u, count_of(sim) * sw_host_states_size(h) * sizeof *u);
    return SW_OK;
}

enum sw_status sw_host_states_get_some(struct sw_sim *sim, int count, const int *which, double *u)
{
    const struct sw_host_states *h = states_of(sim);
    const size_t size = sw_host_states_size(h);
    for (size_t k = 0; k < (size_t)count; k++) memcpy(u + k * size, sw_host_states_of(h, which[k]), size * sizeof *u);
    return SW_OK;
}

enum sw_status sw_host_states_diverged(struct sw_sim *sim, int64_t *step)
{
    memcpy(step, states_of(sim)->diverged, count_of(sim) * sizeof *step);
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    memcpy(record, states_of(sim)->steps, count_of(sim) * sizeof(struct sw_own_steps));
    return SW_OK;
}

static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    memcpy(states_of(sim)->steps, record, count_of(sim) * sizeof(struct sw_own_steps));
    return SW_OK;
}

const struct sw_record_ops sw_host_states_records = {.get = get_record, .set = set_record};

/* ------------------------------------------------------------------ snapshots */

struct taking {
    const struct sw_host_states *h;
    size_t count;
    void *field;
    double *scalars;
    sw_host_measure *measure;
    void *user;
};

/* Fields follow one another: all runs of the first unknown, then all of the next. */
static void copy_field(const struct taking *t, int j)
{
    const struct sw_host_states *h = t->h;
    for (size_t v = 0; v < h->unknowns; v++)
        sw_reals_put(t->field, sw_reals_word(h->single), (v * t->count + (size_t)j) * h->points,
                     sw_host_states_of(h, j) + v * h->points, h->points);
}

static void take_run(void *user, int thread, int j)
{
    const struct taking *t = user;
    if (t->field) copy_field(t, j);
    if (!t->scalars) return;
    double *out = t->scalars + (size_t)j * SW_LINE_SCALARS;
    for (int k = 0; k < SW_LINE_SCALARS; k++) out[k] = NAN;
    if (!t->h->stopped[j]) t->measure(t->user, thread, j, out);
}

enum sw_status sw_host_states_snapshot(struct sw_sim *sim, int threads, int slot, int what, sw_host_measure *measure)
{
    const struct sw_host_states *h = states_of(sim);
    struct taking t = {.h = h, .count = count_of(sim), .measure = measure, .user = sim};
    SW_TRY(sw_snapshots_begin(h->snapshots, slot, what, &t.field, &t.scalars));
    sw_host_each(threads, (int)t.count, take_run, &t);
    return sw_snapshots_send(h->snapshots, t.count * sw_host_states_size(h) * sw_reals_word(h->single),
                             t.count * SW_LINE_SCALARS * sizeof(double));
}

enum sw_status sw_host_states_fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(states_of(sim)->snapshots, slot, field, scalars);
}
