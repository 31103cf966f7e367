/* The operations that a problem may leave out. */
#include <string.h>

#include "base/sw_mem.h"
#include "problem/sw_sim.h"

size_t sw_sim_state_size(const struct sw_sim *sim) { return sim->ops->states ? sim->ops->states->size(sim) : 0; }

enum sw_status sw_sim_initial(struct sw_sim *sim)
{
    const struct sw_state_ops *states = sim->ops->states;
    return states && states->initial ? states->initial(sim) : SW_OK;
}

enum sw_status sw_sim_set_state(struct sw_sim *sim, const double *state)
{
    return sim->ops->states ? sim->ops->states->set(sim, state) : SW_OK;
}

enum sw_status sw_sim_begin(struct sw_sim *sim, const double *field)
{
    const struct sw_state_ops *states = sim->ops->states;
    return states && states->begin ? states->begin(sim, field) : sw_sim_set_state(sim, field);
}

enum sw_status sw_sim_set_record(struct sw_sim *sim, const double *record)
{
    const struct sw_record_ops *records = sim->ops->records;
    return records && records->set ? records->set(sim, record) : SW_OK;
}

enum sw_status sw_sim_get_state(struct sw_sim *sim, double *state)
{
    return sim->ops->states ? sim->ops->states->get(sim, state) : SW_OK;
}

enum sw_status sw_sim_get_states(struct sw_sim *sim, int all, int count, const int *which, double *state)
{
    const size_t size = sw_sim_state_size(sim);
    double *whole;
    if (!size) return SW_OK;
    if (sim->ops->states->get_some) return sim->ops->states->get_some(sim, count, which, state);
    SW_TRY(sw_alloc((size_t)all * size, &whole));
    const enum sw_status st = sw_sim_get_state(sim, whole);
    for (size_t k = 0; k < (size_t)count && !st; k++)
        memcpy(state + k * size, whole + (size_t)which[k] * size, size * sizeof *state);
    sw_free(whole);
    return st;
}

enum sw_status sw_sim_snapshot(struct sw_sim *sim, int slot, int what)
{
    return sim->ops->snapshot ? sim->ops->snapshot(sim, slot, what) : SW_OK;
}
