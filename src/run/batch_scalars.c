/* Scalars of the user's own. They are formed on the host, by all threads of the worker, of the state in double
 * precision: one mechanism for all problems and devices. On a GPU an entry of the series costs a copy of the state, and
 * the device waits until the scalars are formed. */
#include "base/sw_mem.h"
#include "field/reduce.h"
#include "run/batch_impl.h"

struct batch_scalars {
    struct sw_reducer *reducer;
    struct sw_grid    *grid;    /* [count]               */
    double            *t;       /* [count]               */
    double            *state;   /* [count][state_size]; page-locked on a GPU */
};

enum sw_status batch_scalars_begin(struct batch *b)
{
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    const struct sw_setup setup = sw_sweep_setup(sweep, b->group, 1);
    const size_t count = (size_t)b->plan->count, points = (size_t)sw_points(setup.n);
    struct sw_reducer_desc desc = {.count = sweep->ndefined, .reduction = sweep->defined,
                                   .unknowns = (int)(batch_state_size(b) / points), .threads = b->w->device->threads};
    if (!sweep->ndefined || !b->group->nscalar) return SW_OK;
    for (int d = 0; d < SW_DIMS; d++) {
        desc.n[d] = setup.n[d];
        desc.walls[d] = setup.walls[d];
    }
    SW_TRY(sw_alloc(1, &b->scalars));
    SW_TRY(sw_alloc(count, &b->scalars->grid));
    SW_TRY(sw_alloc(count, &b->scalars->t));
    SW_TRY(sw_device_alloc_host(b->w->device, count * batch_state_size(b), &b->scalars->state));
    for (int j = 0; j < b->plan->count; j++)
        b->scalars->grid[j] = sw_setup_grid(&setup, b->plan->count, b->column, j);
    return sw_reducer_create(&desc, &b->scalars->reducer);
}

enum sw_status batch_scalars_form(const struct batch *b, double **value)
{
    struct batch_scalars *s = b->scalars;
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    *value = NULL;
    if (!s) return SW_OK;
    for (int j = 0; j < b->plan->count; j++) s->t[j] = (double)b->step * s->grid[j].dt;
    SW_TRY(sw_sim_get_state(b->w->sim, s->state));
    SW_TRY(sw_alloc((size_t)b->plan->count * (size_t)sweep->ndefined, value));
    const struct sw_reducer_runs runs = {.count = b->plan->count, .grid = s->grid, .column = b->column, .t = s->t,
                                         .field = s->state};
    sw_reducer_values(s->reducer, &runs, *value);
    return SW_OK;
}

void batch_scalars_end(struct batch *b)
{
    struct batch_scalars *s = b->scalars;
    if (!s) return;
    sw_reducer_destroy(&s->reducer);
    sw_free(s->grid);
    sw_free(s->t);
    sw_device_free_host(b->w->device, s->state);
    sw_free(s);
    b->scalars = NULL;
}
