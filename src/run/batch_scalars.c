/* Scalars of the user's own: one mechanism for all problems and devices. They are formed where the state lies if it
 * lies on a device as lines (problem/device_reducer.h); else on the host, by all threads of the worker, of a copy of
 * the state in double precision, for which the device waits. */
#include "base/sw_mem.h"
#include "field/reduce.h"
#include "problem/device_reducer.h"
#include "run/batch_impl.h"

struct batch_scalars {
    struct sw_device_reducer *on_device;  /* NULL: on the host                               */
    struct sw_reducer *reducer;           /* NULL: on the device                             */
    struct sw_grid    *grid;              /* [count]                                         */
    double            *t;                 /* [count]                                         */
    double            *state;             /* [count][state_size] on the host; page-locked on a GPU  */
};

struct sw_reducer_desc batch_reducer_desc(const struct batch *b, int count,
                                          const struct sw_reduction *const *reduction)
{
    const struct sw_setup *setup = &b->w->setup;
    struct sw_reducer_desc desc = {.count = count, .reduction = reduction,
                                   .unknowns = (int)(batch_state_size(b) / (size_t)sw_points(setup->n)),
                                   .threads = b->w->device->threads};
    for (int d = 0; d < SW_DIMS; d++) {
        desc.n[d] = setup->n[d];
        desc.walls[d] = setup->walls[d];
    }
    return desc;
}

/* A machine without a compiler for kernels forms them on the host. */
static enum sw_status begin_on_device(const struct batch *b, const struct sw_reducer_desc *desc)
{
    struct batch_scalars *s = b->scalars;
    const struct sw_sim_ops *ops = b->w->sim->ops;
    const struct sw_reducer_runs runs = {.count = b->plan->count, .grid = s->grid, .column = b->column};
    struct sw_device_state state;
    if (!ops->device_state || !ops->device_state(b->w->sim, &state) || !sw_device_reducer_fits(desc)) return SW_OK;
    if (desc->unknowns > 1 && !state.unknown) return SW_OK;
    const enum sw_status st = sw_device_reducer_create(desc, b->plan->count, b->w->device, &s->on_device);
    if (st) return st == SW_E_ABSENT ? SW_OK : st;
    return sw_device_reducer_load(s->on_device, &runs);
}

enum sw_status batch_scalars_begin(struct batch *b)
{
    const struct sw_setup setup = sw_sweep_setup(b->w->scheduler->sweep, b->group, 1);
    const size_t count = (size_t)b->plan->count;
    struct batch_scalars *s = NULL;
    if (!b->w->scheduler->sweep->ndefined || !b->group->nscalar) return SW_OK;
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    const struct sw_reducer_desc desc = batch_reducer_desc(b, sweep->ndefined, sweep->defined);
    SW_TRY(sw_alloc(1, &s));
    b->scalars = s;
    SW_TRY(sw_alloc(count, &s->grid));
    SW_TRY(sw_alloc(count, &s->t));
    for (int j = 0; j < b->plan->count; j++) s->grid[j] = sw_setup_grid(&setup, b->plan->count, b->column, j);
    SW_TRY(begin_on_device(b, &desc));
    if (s->on_device) return SW_OK;
    SW_TRY(sw_device_alloc_host(b->w->device, count * batch_state_size(b), &s->state));
    return sw_reducer_create(&desc, &s->reducer);
}

static enum sw_status form_on_device(const struct batch *b, double *value)
{
    struct sw_device_state state;
    b->w->sim->ops->device_state(b->w->sim, &state);
    return sw_device_reducer_values(b->scalars->on_device, &state, b->step, value);
}

static enum sw_status form_on_host(const struct batch *b, double *value)
{
    struct batch_scalars *s = b->scalars;
    const struct sw_reducer_runs runs = {.count = b->plan->count, .grid = s->grid, .column = b->column, .t = s->t,
                                         .field = s->state};
    for (int j = 0; j < b->plan->count; j++) {
        int64_t step = b->step;
        batch_stopped(b, j, &step);  /* the scalars of a run that has ended early stay what they were */
        s->t[j] = batch_time(b, j, step);
    }
    SW_TRY(sw_sim_get_state(b->w->sim, s->state));
    sw_reducer_values(s->reducer, &runs, value);
    return SW_OK;
}

enum sw_status batch_scalars_form(const struct batch *b, double **value)
{
    *value = NULL;
    if (!b->scalars) return SW_OK;
    SW_TRY(sw_alloc((size_t)b->plan->count * (size_t)b->w->scheduler->sweep->ndefined, value));
    const enum sw_status st = b->scalars->on_device ? form_on_device(b, *value) : form_on_host(b, *value);
    if (!st) return SW_OK;
    sw_free(*value);
    *value = NULL;
    return st;
}

void batch_scalars_end(struct batch *b)
{
    struct batch_scalars *s = b->scalars;
    if (!s) return;
    sw_device_reducer_destroy(&s->on_device);
    sw_reducer_destroy(&s->reducer);
    sw_free(s->grid);
    sw_free(s->t);
    sw_device_free_host(b->w->device, s->state);
    sw_free(s);
    b->scalars = NULL;
}
