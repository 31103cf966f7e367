#include "run/runs.h"

#include <math.h>

#include "base/sw_mem.h"
#include "comm/sw_comm.h"
#include "problem/initial_file.h"

enum sw_status runs_create(struct runs *r)
{
    const size_t count = (size_t)r->count;
    r->size = sw_sim_state_size(r->sim);
    r->unknowns = (int)(r->size / (size_t)sw_points(r->setup->n));
    SW_TRY(sw_arena_create(&r->arena));
    SW_TRY(sw_arena_take(r->arena, (size_t)r->sweep->ncolumn * count, &r->column));
    r->recorded = r->sim->ops->records ? (size_t)r->sim->ops->records->numbers : 0;
    if (r->recorded) SW_TRY(sw_arena_take(r->arena, r->recorded * count, &r->diagnostics));
    SW_TRY(sw_sweep_columns(r->sweep, r->plan->run, 0, r->count, r->column));
    if (!r->setup->paces) return SW_OK;
    SW_TRY(sw_arena_take(r->arena, count, &r->pace));
    for (int j = 0; j < r->count; j++) r->pace[j] = sw_setup_pace(r->setup, r->count, r->column, j);
    return SW_OK;
}

void runs_destroy(struct runs *r) { sw_arena_destroy(&r->arena); }

double runs_dt(const struct runs *r, int j) { return sw_setup_grid(r->setup, r->count, r->column, j).dt; }

int64_t runs_step(const struct runs *r, int j, int64_t of_batch)
{
    return sw_pace_step(r->setup->paces, r->pace ? r->pace[j] : 0, of_batch);
}

int64_t runs_steps(const struct runs *r, int j) { return runs_step(r, j, r->group->steps); }

enum sw_status runs_other_paces(const struct runs *r, int times, int64_t goals, struct sw_paces *paces)
{
    const struct sw_paces *of = r->setup->paces;
    *paces = (struct sw_paces){.count = of->count, .goals = goals};
    SW_TRY(sw_arena_take(r->arena, (size_t)of->count, &paces->steps));
    for (int p = 0; p < of->count; p++) paces->steps[p] = times * of->steps[p];
    return sw_arena_take(r->arena, (size_t)of->count * (size_t)(goals + 1), &paces->at);
}

double runs_time(const struct runs *r, int j, int64_t step) { return sw_group_time(r->group, step) * runs_dt(r, j); }

enum sw_status runs_read_diagnostics(const struct runs *r)
{
    return r->diagnostics ? r->sim->ops->records->get(r->sim, r->diagnostics) : SW_OK;
}

bool runs_own_steps(const struct runs *r) { return r->recorded && r->sim->ops->records->steps_taken; }

static const double *diagnostics_of(const struct runs *r, int j) { return r->diagnostics + r->recorded * (size_t)j; }

struct sw_steps_taken runs_steps_taken(const struct runs *r, int j)
{
    return r->sim->ops->records->steps_taken(r->sim, diagnostics_of(r, j));
}

void runs_warn(const struct runs *r, int j, bool finite, struct sw_text *text)
{
    struct sw_text warning = SW_SHORT_TEXT;
    if (r->recorded) r->sim->ops->records->warn(r->sim, j, diagnostics_of(r, j), finite, &warning);
    sw_text_add_sentence(text, sw_text_get(&warning));
}

static void combine(const void *comm, enum sw_reduction_kind kind, double *value)
{
    const double sign = kind == SW_REDUCTION_MIN ? -1 : 1;
    const bool extreme = kind == SW_REDUCTION_MIN || kind == SW_REDUCTION_MAX;
    double x = sign * *value;
    *value = (extreme ? sw_comm_max : sw_comm_sum)(comm, 1, &x) ? NAN : sign * x;
}

static double before(const void *context, double mine)
{
    const struct sw_comm *comm = context;
    double all[SW_COMM_MOST];
    return sw_comm_gather_one(comm, mine, all) ? NAN : all[(comm->rank ? comm->rank : comm->size) - 1];
}

struct sw_reducer_desc runs_reducer_desc(const struct runs *r, int count, const struct sw_reduction *const *reduction)
{
    struct sw_reducer_desc desc = {.count = count, .reduction = reduction, .unknowns = r->unknowns,
                                   .threads = r->device->threads,
                                   .beyond_context = r->setup};
    const struct sw_problem_shape *shape = r->sweep->problem->shape;
    desc.beyond = shape ? shape->beyond : NULL;
    for (int d = 0; d < SW_DIMS; d++) {
        desc.n[d] = r->setup->n[d];
        desc.walls[d] = r->setup->walls[d];
        desc.whole[d] = r->setup->domain.whole[d];
        desc.first[d] = r->setup->domain.first[d];
    }
    desc.context = r->setup->domain.all;
    desc.combine = desc.context ? combine : NULL;
    desc.before = before;
    return desc;
}

void result_say(struct sw_run_result *result, const char *sentence)
{
    struct sw_text message = sw_text_in(result->message, sizeof result->message);
    sw_text_add_sentence(&message, sentence);
}

enum sw_status sim_of_runs(const struct sw_setup *setup, struct sw_device *device, const double *column, bool begin,
                           struct sw_sim **sim)
{
    const int count = setup->capacity;
    const char **load_error = NULL;
    bool *finite = NULL;
    enum sw_status st;
    *sim = NULL;
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &load_error));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &finite));
    SW_TRY_TO(done, st, setup->problem->create(setup, device, sim));
    SW_TRY_TO(done, st, (*sim)->ops->load(*sim, count, column, load_error));
    if (begin) st = sw_initial_begin(*sim, setup, device->threads, count, column, finite);
done:
    if (st && *sim) {
        (*sim)->ops->destroy(*sim);
        *sim = NULL;
    }
    sw_free(finite);
    sw_free(load_error);
    return st;
}
