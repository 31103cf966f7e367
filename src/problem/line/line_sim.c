#include "problem/line/line_sim.h"

#include "base/sw_mem.h"

struct line_sim {
    struct sw_sim      sim;       /* first: the operations get a pointer to it */
    const struct sw_line_model_ops *ops;
    void              *own;
    struct sw_line_run *run;      /* [capacity] */
    size_t             size;      /* numbers of the state of a run */
    struct sw_stepper *stepper;
};

static struct sw_stepper *stepper_of(const struct sw_sim *sim) { return ((const struct line_sim *)sim)->stepper; }

static const char *solver_name(const struct sw_sim *sim) { return sw_stepper_name(stepper_of(sim)); }

static size_t state_size(const struct sw_sim *sim) { return ((const struct line_sim *)sim)->size; }

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct line_sim *l = (struct line_sim *)sim;
    const double *param = column;
    SW_TRY(l->ops->fill(l->own, count, column, l->run, &param));
    return sw_stepper_load(l->stepper, count, l->run, param, load_error);
}

static enum sw_status initial(struct sw_sim *sim) { return sw_stepper_initial(stepper_of(sim)); }

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    return sw_stepper_set_state(stepper_of(sim), u);
}

static enum sw_status get_state(struct sw_sim *sim, double *u) { return sw_stepper_get_state(stepper_of(sim), u); }

static bool device_state(const struct sw_sim *sim, struct sw_device_state *state)
{
    struct sw_stepper_state u;
    if (!sw_stepper_device_state(stepper_of(sim), &u)) return false;
    *state = (struct sw_device_state){u.u, u.point, u.unknown, u.line, u.first_bad};
    return true;
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    return sw_stepper_advance(stepper_of(sim), from, to);
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    return sw_stepper_snapshot(stepper_of(sim), slot, what);
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return sw_stepper_fetch(stepper_of(sim), slot, field, scalars);
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step) { return sw_stepper_diverged(stepper_of(sim), step); }

static struct sw_cost cost(const struct sw_sim *sim, int64_t steps) { return sw_stepper_cost(stepper_of(sim), steps); }

static void destroy(struct sw_sim *sim)
{
    struct line_sim *l = (struct line_sim *)sim;
    if (!l) return;
    sw_stepper_destroy(&l->stepper);
    l->ops->destroy(l->own);
    sw_free(l->run);
    sw_free(l);
}

static const struct sw_sim_ops line_ops = {
    .solver_name = solver_name,
    .state_size = state_size,
    .load = load,
    .initial = initial,
    .set_state = set_state,
    .get_state = get_state,
    .device_state = device_state,
    .advance = advance,
    .snapshot = snapshot,
    .fetch = fetch,
    .diverged = diverged,
    .cost = cost,
    .destroy = destroy,
};

enum sw_status sw_line_sim_create(const struct sw_stepper_desc *desc, const struct sw_setup *setup,
                                  struct sw_device *device, const struct sw_line_model_ops *ops, void *own,
                                  struct sw_sim **sim)
{
    enum sw_status st;
    struct line_sim *l = NULL;
    *sim = NULL;
    if ((st = sw_alloc(1, &l))) {
        ops->destroy(own);
        return st;
    }
    *l = (struct line_sim){.sim.ops = &line_ops, .ops = ops, .own = own,
                           .size = (size_t)desc->n * (size_t)sw_line_unknowns(&desc->model)};
    SW_TRY_TO(failed, st, sw_alloc((size_t)desc->capacity, &l->run));
    SW_TRY_TO(failed, st, sw_stepper_create(desc, setup->solver, device, &l->stepper));
    *sim = &l->sim;
    return SW_OK;
failed:
    destroy(&l->sim);
    return st;
}
