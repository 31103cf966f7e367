#include "run/runs.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/initial_file.h"

enum sw_status runs_create(struct runs *r)
{
    const size_t count = (size_t)r->count;
    r->size = sw_sim_state_size(r->sim);
    r->unknowns = (int)(r->size / (size_t)sw_points(r->setup->n));
    SW_TRY(sw_alloc((size_t)r->sweep->ncolumn * count, &r->column));
    if (r->sim->ops->get_diagnostics) SW_TRY(sw_alloc((size_t)r->sim->ops->diagnostics * count, &r->diagnostics));
    return sw_sweep_columns(r->sweep, r->plan->run, 0, r->count, r->column);
}

void runs_destroy(struct runs *r)
{
    sw_free(r->column);
    sw_free(r->diagnostics);
}

double runs_dt(const struct runs *r, int j) { return sw_setup_grid(r->setup, r->count, r->column, j).dt; }

double runs_time(const struct runs *r, int j, int64_t step) { return sw_group_time(r->group, step) * runs_dt(r, j); }

enum sw_status runs_read_diagnostics(const struct runs *r)
{
    return r->diagnostics ? r->sim->ops->get_diagnostics(r->sim, r->diagnostics) : SW_OK;
}

void runs_warn(const struct runs *r, int j, bool finite, char text[160])
{
    const struct sw_sim_ops *ops = r->sim->ops;
    text[0] = 0;
    if (r->diagnostics) ops->warn_result(r->sim, j, r->diagnostics + ops->diagnostics * j, finite, text);
}

struct sw_reducer_desc runs_reducer_desc(const struct runs *r, int count, const struct sw_reduction *const *reduction)
{
    struct sw_reducer_desc desc = {.count = count, .reduction = reduction, .unknowns = r->unknowns,
                                   .threads = r->device->threads};
    for (int d = 0; d < SW_DIMS; d++) {
        desc.n[d] = r->setup->n[d];
        desc.walls[d] = r->setup->walls[d];
    }
    return desc;
}

void message_append(char text[SW_MESSAGE], const char *more)
{
    const size_t length = strlen(text);
    if (*more) snprintf(text + length, SW_MESSAGE - length, "%s%s", length ? "; " : "", more);
}

enum sw_status sim_of_runs(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                           const double *column, bool begin, struct sw_sim **sim)
{
    const int count = setup->capacity;
    const char **load_error = NULL;
    bool *finite = NULL;
    enum sw_status st;
    *sim = NULL;
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &load_error));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &finite));
    SW_TRY_TO(done, st, problem->create(problem, setup, device, sim));
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
