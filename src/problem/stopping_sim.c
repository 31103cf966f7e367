#include "problem/stopping_sim.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "device/sw_snapshot.h"
#include "field/grid.h"

/* What a snapshot in a slot is of. A thread that fetches it uses nothing else but what is kept of stopped runs, which
 * does not change until all slots are free. */
struct slot {
    int     what;
    bool    all;        /* no run had stopped          */
    int     loaded;
    int    *at;         /* [capacity]                  */
    char   *field;      /* [capacity] runs; made when it is first needed */
    double *scalars;
};

struct stopping_sim {
    struct sw_sim     sim;        /* first: the operations get a pointer to it */
    struct sw_sim_ops ops;
    struct sw_state_ops  state_ops;
    struct sw_record_ops record_ops;
    struct sw_sim    *inner;
    bool    single;               /* fields of snapshots, which are one after another: [fields][count][points] */
    size_t  points;
    size_t  capacity, ncolumn, size, recorded, scalars;
    int     count, loaded, running;
    double *column;               /* [ncolumn][count]                          */
    int    *of, *at;              /* [loaded] which run that is; [count] where a run is among those loaded, -1: it
                                     is not                                    */
    bool   *stopped;              /* [count]                                   */
    double *state, *record, *kept_scalars;  /* [count][size], [recorded], [scalars] of stopped runs; state NULL: none
                                               has ever stopped                */
    double *loaded_state, *loaded_record, *loaded_scalars;  /* [loaded] of the same, on their way */
    bool    held;                 /* records and scalars of the runs as they are now, since the last advance() */
    struct slot slot[SW_SNAPSHOT_SLOTS];
};

static struct stopping_sim *of(const struct sw_sim *sim) { return (struct stopping_sim *)sim; }

static void copy(double *to, const double *from, size_t size)
{
    if (size) memcpy(to, from, size * sizeof *to);
}

/* ------------------------------------------------------------------ what is loaded */

static void set_loaded(struct stopping_sim *s, bool without_stopped)
{
    s->loaded = 0;
    for (int j = 0; j < s->count; j++) {
        s->at[j] = without_stopped && s->stopped[j] ? -1 : s->loaded;
        if (s->at[j] >= 0) s->of[s->loaded++] = j;
    }
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct stopping_sim *s = of(sim);
    s->count = s->running = count;
    s->held = false;
    for (int j = 0; j < count; j++) s->stopped[j] = false;
    copy(s->column, column, s->ncolumn * (size_t)count);
    set_loaded(s, false);
    return s->inner->ops->load(s->inner, count, column, load_error);
}

/* Load the inner simulation again. @param state, record  [count] of all runs */
static enum sw_status load_again(struct stopping_sim *s, bool without_stopped, const double *state,
                                 const double *record)
{
    double *column = NULL;
    const char **load_error = NULL;
    enum sw_status st;
    set_loaded(s, without_stopped);
    s->held = false;
    if (!s->loaded) return SW_OK;
    const size_t loaded = (size_t)s->loaded;
    SW_TRY_TO(done, st, sw_alloc(s->ncolumn * loaded, &column));
    SW_TRY_TO(done, st, sw_alloc(loaded, &load_error));
    for (size_t i = 0; i < loaded; i++) {
        const size_t j = (size_t)s->of[i];
        for (size_t k = 0; k < s->ncolumn; k++) column[k * loaded + i] = s->column[k * (size_t)s->count + j];
        copy(s->loaded_state + i * s->size, state + j * s->size, s->size);
        copy(s->loaded_record + i * s->recorded, record + j * s->recorded, s->recorded);
    }
    SW_TRY_TO(done, st, s->inner->ops->load(s->inner, s->loaded, column, load_error));
    SW_TRY_TO(done, st, sw_sim_set_state(s->inner, s->loaded_state));
    if (s->recorded) st = sw_sim_set_record(s->inner, s->loaded_record);
done:
    sw_free(column);
    sw_free(load_error);
    return st;
}

/* ------------------------------------------------------------------ runs that stop */

/* Room for what is kept, when the first run stops. */
static enum sw_status make_room(struct stopping_sim *s)
{
    if (s->state) return SW_OK;
    SW_TRY(sw_alloc(s->capacity * s->recorded, &s->record));
    SW_TRY(sw_alloc(s->capacity * s->recorded, &s->loaded_record));
    SW_TRY(sw_alloc(s->capacity * s->scalars, &s->kept_scalars));
    SW_TRY(sw_alloc(s->capacity * s->scalars, &s->loaded_scalars));
    SW_TRY(sw_alloc(s->capacity * s->size, &s->loaded_state));
    return sw_alloc(s->capacity * s->size, &s->state);
}

/* Records and scalars of the runs that are loaded, by their places there. */
static enum sw_status hold(struct stopping_sim *s)
{
    const void *field;
    const double *scalars;
    if (s->held || !s->loaded) return SW_OK;
    SW_TRY(make_room(s));
    if (s->recorded) SW_TRY(s->inner->ops->records->get(s->inner, s->loaded_record));
    if (s->scalars) {
        SW_TRY(sw_sim_snapshot(s->inner, 0, SW_SNAPSHOT_SCALARS));
        SW_TRY(s->inner->ops->fetch(s->inner, 0, &field, &scalars));
        copy(s->loaded_scalars, scalars, (size_t)s->loaded * s->scalars);
    }
    s->held = true;
    return SW_OK;
}

/* The times at which the runs that are loaded are, where these take steps of their own. */
static enum sw_status get_times(const struct stopping_sim *s, double *t)
{
    double *record;
    if (!s->record_ops.steps_taken) return SW_OK;
    SW_TRY(sw_alloc((size_t)s->loaded * s->recorded, &record));
    const enum sw_status st = s->inner->ops->records->get(s->inner, record);
    for (int i = 0; i < s->loaded && !st; i++)
        t[s->of[i]] = s->inner->ops->records->steps_taken(s->inner, record + (size_t)i * s->recorded).t;
    sw_free(record);
    return st;
}

/* The step is taken with all that are loaded, and taken back as from a checkpoint. */
enum sw_status sw_stopping_sim_look_ahead(struct sw_sim *sim, int64_t step, const double *state, double *ahead,
                                          double *t)
{
    struct stopping_sim *s = of(sim);
    if (!s->running) return SW_OK;
    SW_TRY(hold(s));
    SW_TRY(s->inner->ops->advance(s->inner, step, step + 1));
    SW_TRY(sw_sim_get_state(s->inner, ahead));
    SW_TRY(get_times(s, t));
    for (int i = s->loaded - 1; i >= 0; i--) {  /* from their places there to their own, which are not before these */
        const size_t j = (size_t)s->of[i], at = (size_t)i;
        if (j != at) copy(ahead + j * s->size, ahead + at * s->size, s->size);
        copy(s->loaded_state + at * s->size, state + j * s->size, s->size);
    }
    SW_TRY(sw_sim_set_state(s->inner, s->loaded_state));
    return s->recorded ? sw_sim_set_record(s->inner, s->loaded_record) : SW_OK;
}

static void fill_nan(double *to, size_t size)
{
    for (size_t i = 0; i < size; i++) to[i] = NAN;
}

static void keep(struct stopping_sim *s, const bool *stop, const bool *lost, const double *state)
{
    for (int i = 0; i < s->loaded; i++) {
        const size_t j = (size_t)s->of[i], at = (size_t)i;
        copy(s->record + j * s->recorded, s->loaded_record + at * s->recorded, s->stopped[j] ? 0 : s->recorded);
        if (!stop[j] || s->stopped[j]) continue;
        copy(s->state + j * s->size, state + j * s->size, s->size);
        copy(s->kept_scalars + j * s->scalars, s->loaded_scalars + at * s->scalars, s->scalars);
        if (lost[j]) fill_nan(s->state + j * s->size, s->size);
        if (lost[j]) fill_nan(s->kept_scalars + j * s->scalars, s->scalars);
        s->stopped[j] = true;
        s->running--;
    }
}

enum sw_status sw_stopping_sim_stop(struct sw_sim *sim, const bool *stop, const bool *lost, const double *state)
{
    struct stopping_sim *s = of(sim);
    SW_TRY(make_room(s));
    SW_TRY(hold(s));
    keep(s, stop, lost, state);
    if (s->running && 4 * s->running > 3 * s->loaded) return SW_OK;
    return load_again(s, true, state, s->record);
}

static enum sw_status get_state(struct sw_sim *sim, double *state)
{
    struct stopping_sim *s = of(sim);
    if (s->running == s->count) return sw_sim_get_state(s->inner, state);
    if (s->running) SW_TRY(sw_sim_get_state(s->inner, s->loaded_state));
    for (int j = 0; j < s->count; j++) {
        const double *from = s->stopped[j] ? s->state + (size_t)j * s->size
                                           : s->loaded_state + (size_t)s->at[j] * s->size;
        copy(state + (size_t)j * s->size, from, s->size);
    }
    return SW_OK;
}

/* Those that go on at once, packed, then each to its place from the last on. */
static enum sw_status get_states(struct sw_sim *sim, int count, const int *which, double *state)
{
    struct stopping_sim *s = of(sim);
    const struct sw_state_ops *inner = s->inner->ops->states;
    int *at, running = 0;
    if (s->running == s->count) return inner->get_some(s->inner, count, which, state);
    SW_TRY(sw_alloc((size_t)count, &at));
    for (int k = 0; k < count; k++)
        if (!s->stopped[which[k]]) at[running++] = s->at[which[k]];
    const enum sw_status st = running ? inner->get_some(s->inner, running, at, state) : SW_OK;
    for (int k = count; k-- > 0 && !st;) {
        const double *from = s->stopped[which[k]] ? s->state + (size_t)which[k] * s->size
                                                  : state + (size_t)--running * s->size;
        if (from != state + (size_t)k * s->size) copy(state + (size_t)k * s->size, from, s->size);
    }
    sw_free(at);
    return st;
}

static enum sw_status get_diagnostics(struct sw_sim *sim, double *record)
{
    struct stopping_sim *s = of(sim);
    if (s->running == s->count) return s->inner->ops->records->get(s->inner, record);
    if (s->running) SW_TRY(s->inner->ops->records->get(s->inner, s->loaded_record));
    for (int j = 0; j < s->count; j++) {
        const double *from = s->stopped[j] ? s->record + (size_t)j * s->recorded
                                           : s->loaded_record + (size_t)s->at[j] * s->recorded;
        copy(record + (size_t)j * s->recorded, from, s->recorded);
    }
    return SW_OK;
}

enum sw_status sw_stopping_sim_load_all(struct sw_sim *sim)
{
    struct stopping_sim *s = of(sim);
    double *state = NULL, *record = NULL;
    enum sw_status st;
    if (s->loaded == s->count) return SW_OK;
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count * s->size, &state));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count * s->recorded, &record));
    SW_TRY_TO(done, st, get_state(sim, state));
    if (s->recorded) SW_TRY_TO(done, st, get_diagnostics(sim, record));
    st = load_again(s, false, state, record);
done:
    sw_free(state);
    sw_free(record);
    return st;
}

int sw_stopping_sim_running(const struct sw_sim *sim) { return of(sim)->running; }

double *sw_stopping_sim_scalars(struct sw_sim *sim, int j)
{
    return of(sim)->kept_scalars + (size_t)j * of(sim)->scalars;
}

size_t sw_stopping_sim_bytes(const struct sw_setup *setup, size_t state_size)
{
    const size_t field = setup->fields ? state_size * (setup->single ? 4 : 8) : 0;
    return 2 * 8 * state_size + SW_SNAPSHOT_SLOTS * (field + sizeof(int)) + 8 * (size_t)setup->ncolumn + 16;
}

/* ------------------------------------------------------------------ snapshots */

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct stopping_sim *s = of(sim);
    struct slot *to = &s->slot[slot];
    to->what = what;
    to->all = s->running == s->count;
    to->loaded = s->running ? s->loaded : 0;
    for (int j = 0; j < s->count; j++) to->at[j] = s->stopped[j] ? -1 : s->at[j];
    return s->running ? sw_sim_snapshot(s->inner, slot, what) : SW_OK;
}

/* A field of a stopped run, as a snapshot has it: a part of its state. */
static void put_state(const struct stopping_sim *s, const double *state, char *field)
{
    if (s->single)
        for (size_t i = 0; i < s->points; i++) ((float *)field)[i] = (float)state[i];
    else copy((double *)field, state, s->points);
}

static enum sw_status join_fields(struct stopping_sim *s, struct slot *slot, const char *running, const void **field)
{
    const size_t bytes = s->points * (s->single ? sizeof(float) : sizeof(double)), fields = s->size / s->points,
                 count = (size_t)s->count, loaded = (size_t)slot->loaded;
    if (!slot->field) SW_TRY(sw_alloc(s->capacity * fields * bytes, &slot->field));
    for (size_t v = 0; v < fields; v++)
        for (size_t j = 0; j < count; j++) {
            char *to = slot->field + (v * count + j) * bytes;
            if (slot->at[j] < 0) put_state(s, s->state + j * s->size + v * s->points, to);
            else memcpy(to, running + (v * loaded + (size_t)slot->at[j]) * bytes, bytes);
        }
    *field = slot->field;
    return SW_OK;
}

static enum sw_status join_scalars(struct stopping_sim *s, struct slot *slot, const double *running,
                                   const double **scalars)
{
    if (!slot->scalars) SW_TRY(sw_alloc(s->capacity * s->scalars, &slot->scalars));
    for (int j = 0; j < s->count; j++) {
        const double *from = slot->at[j] < 0 ? s->kept_scalars + (size_t)j * s->scalars
                                             : running + (size_t)slot->at[j] * s->scalars;
        copy(slot->scalars + (size_t)j * s->scalars, from, s->scalars);
    }
    *scalars = slot->scalars;
    return SW_OK;
}

static enum sw_status fetch(struct sw_sim *sim, int number, const void **field, const double **scalars)
{
    struct stopping_sim *s = of(sim);
    struct slot *slot = &s->slot[number];
    *field = NULL;
    *scalars = NULL;
    if (slot->loaded) SW_TRY(s->inner->ops->fetch(s->inner, number, field, scalars));
    if (slot->all) return SW_OK;
    if (slot->what & SW_SNAPSHOT_FIELD) SW_TRY(join_fields(s, slot, *field, field));
    if (slot->what & SW_SNAPSHOT_SCALARS && s->scalars) SW_TRY(join_scalars(s, slot, *scalars, scalars));
    return SW_OK;
}

/* ------------------------------------------------------------------ operations that are passed on */

static const char *solver_name(const struct sw_sim *sim) { return of(sim)->inner->ops->solver_name(of(sim)->inner); }
static size_t state_size(const struct sw_sim *sim) { return of(sim)->size; }
static enum sw_status initial(struct sw_sim *sim) { return sw_sim_initial(of(sim)->inner); }
static enum sw_status begin(struct sw_sim *sim, const double *field) { return sw_sim_begin(of(sim)->inner, field); }

/* After load(): all runs. */
static enum sw_status set_state(struct sw_sim *sim, const double *state)
{
    return sw_sim_set_state(of(sim)->inner, state);
}

static enum sw_status set_diagnostics(struct sw_sim *sim, const double *record)
{
    return sw_sim_set_record(of(sim)->inner, record);
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    of(sim)->held = false;
    return of(sim)->running ? of(sim)->inner->ops->advance(of(sim)->inner, from, to) : SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    struct stopping_sim *s = of(sim);
    int64_t *loaded;
    if (!s->loaded) {
        for (int j = 0; j < s->count; j++) step[j] = -1;
        return SW_OK;
    }
    SW_TRY(sw_alloc((size_t)s->loaded, &loaded));
    const enum sw_status st = s->inner->ops->diverged(s->inner, loaded);
    for (int j = 0; j < s->count && !st; j++) step[j] = s->stopped[j] ? -1 : loaded[s->at[j]];
    sw_free(loaded);
    return st;
}

static void explain(const struct sw_sim *sim, int j, struct sw_text *text)
{
    const struct stopping_sim *s = of(sim);
    if (s->at[j] >= 0) s->inner->ops->explain(s->inner, s->at[j], text);
}

static bool place(const struct sw_sim *sim, int j, struct sw_failure_place *where)
{
    const struct stopping_sim *s = of(sim);
    return s->at[j] >= 0 && s->inner->ops->place(s->inner, s->at[j], where);
}

static void warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const struct stopping_sim *s = of(sim);
    if (s->at[j] >= 0) s->inner->ops->records->warn(s->inner, s->at[j], record, finite, text);
}

static struct sw_steps_taken steps_taken(const struct sw_sim *sim, const double *record)
{
    return of(sim)->inner->ops->records->steps_taken(of(sim)->inner, record);
}

static void destroy(struct sw_sim *sim)
{
    struct stopping_sim *s = of(sim);
    if (!s) return;
    if (s->inner) s->inner->ops->destroy(s->inner);
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++) {
        sw_free(s->slot[k].at);
        sw_free(s->slot[k].field);
        sw_free(s->slot[k].scalars);
    }
    sw_free(s->column);
    sw_free(s->of);
    sw_free(s->at);
    sw_free(s->stopped);
    sw_free(s->state);
    sw_free(s->record);
    sw_free(s->kept_scalars);
    sw_free(s->loaded_state);
    sw_free(s->loaded_record);
    sw_free(s->loaded_scalars);
    sw_free(s);
}

/* What is optional is there if the inner simulation has it. The state is not shown where it lies on a device: stopped
 * runs are not there. */
static void make_ops(struct stopping_sim *s)
{
    const struct sw_sim_ops *inner = s->inner->ops;
    const struct sw_record_ops *records = inner->records;
    s->state_ops = (struct sw_state_ops){.size = state_size, .initial = initial, .set = set_state, .get = get_state,
                                         .begin = begin, .get_some = inner->states->get_some ? get_states : NULL};
    if (records)
        s->record_ops = (struct sw_record_ops){.numbers = records->numbers, .get = get_diagnostics,
                                               .set = set_diagnostics, .warn = warn_result,
                                               .steps_taken = records->steps_taken ? steps_taken : NULL};
    s->ops = (struct sw_sim_ops){.solver_name = solver_name, .load = load, .advance = advance, .snapshot = snapshot,
                                 .fetch = fetch, .diverged = diverged, .explain = inner->explain ? explain : NULL,
                                 .place = inner->place ? place : NULL, .destroy = destroy, .states = &s->state_ops,
                                 .records = records ? &s->record_ops : NULL};
    s->sim.ops = &s->ops;
}

enum sw_status sw_stopping_sim_create(const struct sw_setup *setup, int scalars, struct sw_sim **sim)
{
    struct sw_sim *inner = *sim;
    struct stopping_sim *s = NULL;
    enum sw_status st;
    *sim = NULL;
    if ((st = sw_alloc(1, &s))) {
        inner->ops->destroy(inner);
        return st;
    }
    *s = (struct stopping_sim){.inner = inner, .single = setup->single,
                               .points = (size_t)sw_points(setup->n), .capacity = (size_t)setup->capacity,
                               .ncolumn = (size_t)setup->ncolumn, .size = sw_sim_state_size(inner),
                               .scalars = (size_t)scalars,
                               .recorded = inner->ops->records ? (size_t)inner->ops->records->numbers : 0};
    make_ops(s);
    SW_TRY_TO(failed, st, sw_alloc(s->ncolumn * s->capacity, &s->column));
    SW_TRY_TO(failed, st, sw_alloc(s->capacity, &s->of));
    SW_TRY_TO(failed, st, sw_alloc(s->capacity, &s->at));
    SW_TRY_TO(failed, st, sw_alloc(s->capacity, &s->stopped));
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++)
        SW_TRY_TO(failed, st, sw_alloc(s->capacity, &s->slot[k].at));
    *sim = &s->sim;
    return SW_OK;
failed:
    destroy(&s->sim);
    return st;
}
