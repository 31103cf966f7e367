/* The operations that a problem may leave out. */
#include "problem/sw_problem.h"

size_t sw_sim_state_size(const struct sw_sim *sim) { return sim->ops->state_size ? sim->ops->state_size(sim) : 0; }

enum sw_status sw_sim_initial(struct sw_sim *sim) { return sim->ops->initial ? sim->ops->initial(sim) : SW_OK; }

enum sw_status sw_sim_set_state(struct sw_sim *sim, const double *state)
{
    return sim->ops->set_state ? sim->ops->set_state(sim, state) : SW_OK;
}

enum sw_status sw_sim_begin(struct sw_sim *sim, const double *field)
{
    return sim->ops->begin ? sim->ops->begin(sim, field) : sw_sim_set_state(sim, field);
}

enum sw_status sw_sim_get_state(struct sw_sim *sim, double *state)
{
    return sim->ops->get_state ? sim->ops->get_state(sim, state) : SW_OK;
}

enum sw_status sw_sim_snapshot(struct sw_sim *sim, int slot, int what)
{
    return sim->ops->snapshot ? sim->ops->snapshot(sim, slot, what) : SW_OK;
}
