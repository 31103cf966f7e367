#include "run/scalars.h"

#include "base/sw_mem.h"
#include "problem/device/reducer.h"

struct scalars {
    const struct runs *r;
    struct sw_device_reducer *on_device;  /* NULL: on the host                                */
    struct sw_reducer *reducer;           /* NULL: on the device                              */
    struct sw_grid    *grid;              /* [count]                                          */
    double            *t;                 /* [count]                                          */
    double            *state;             /* [count][size] on the host; page-locked on a GPU  */
};

/* A machine without a compiler for kernels forms them on the host; so do ranks that have slabs. */
static enum sw_status begin_on_device(struct scalars *s, const struct sw_reducer_desc *desc)
{
    const struct sw_state_ops *states = s->r->sim->ops->states;
    const struct sw_reducer_runs runs = {.count = s->r->count, .grid = s->grid, .column = s->r->column};
    struct sw_device_state state;
    if (!states || !states->on_device || !states->on_device(s->r->sim, &state)) return SW_OK;
    if (desc->combine || !sw_device_reducer_fits(desc)) return SW_OK;
    if (desc->unknowns > 1 && !state.unknown) return SW_OK;
    const enum sw_status st = sw_device_reducer_create(desc, s->r->count, s->r->device, &s->on_device);
    if (st) return st == SW_E_ABSENT ? SW_OK : st;
    return sw_device_reducer_load(s->on_device, &runs);
}

enum sw_status scalars_create(const struct runs *r, struct scalars **scalars)
{
    const size_t count = (size_t)r->count;
    struct scalars *s;
    *scalars = NULL;
    if (!r->sweep->ndefined || !r->group->nscalar) return SW_OK;
    const struct sw_reducer_desc desc = runs_reducer_desc(r, r->sweep->ndefined, r->sweep->defined);
    SW_TRY(sw_arena_take(r->arena, 1, scalars));
    s = *scalars;
    s->r = r;
    SW_TRY(sw_arena_take(r->arena, count, &s->grid));
    SW_TRY(sw_arena_take(r->arena, count, &s->t));
    for (int j = 0; j < r->count; j++) s->grid[j] = sw_setup_grid(r->setup, r->count, r->column, j);
    SW_TRY(begin_on_device(s, &desc));
    if (s->on_device) return SW_OK;
    SW_TRY(sw_device_alloc_host(r->device, count * r->size, &s->state));
    return sw_reducer_create(&desc, &s->reducer);
}

static enum sw_status form_on_device(struct scalars *s, double *value)
{
    struct sw_device_state state;
    s->r->sim->ops->states->on_device(s->r->sim, &state);
    return sw_device_reducer_values(s->on_device, &state, s->t, value);
}

static enum sw_status form_on_host(struct scalars *s, double *value)
{
    const struct sw_reducer_runs runs = {.count = s->r->count, .grid = s->grid, .column = s->r->column, .t = s->t,
                                         .field = s->state};
    SW_TRY(sw_sim_get_state(s->r->sim, s->state));
    sw_reducer_values(s->reducer, &runs, value);
    return SW_OK;
}

enum sw_status scalars_form(struct scalars *s, const struct early_ends *ends, int64_t step, double **value)
{
    *value = NULL;
    if (!s) return SW_OK;
    SW_TRY(sw_alloc((size_t)s->r->count * (size_t)s->r->sweep->ndefined, value));
    for (int j = 0; j < s->r->count; j++) {
        int64_t at = runs_step(s->r, j, step);
        early_ends_of(ends, j, &at);
        s->t[j] = runs_time(s->r, j, at);
    }
    const enum sw_status st = s->on_device ? form_on_device(s, *value) : form_on_host(s, *value);
    if (!st) return SW_OK;
    sw_free(*value);
    *value = NULL;
    return st;
}

void scalars_destroy(struct scalars *s)
{
    if (!s) return;
    sw_device_reducer_destroy(&s->on_device);
    sw_reducer_destroy(&s->reducer);
    sw_device_free_host(s->r->device, s->state);
}
