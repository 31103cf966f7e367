/* One rank of several of which there is no other, so that what it would send can be counted: nothing moves. It is not
 * in the table, as no work can be done with it. */
#include <string.h>

#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"

struct trial { struct sw_comm comm; struct sw_comm_ops ops; };

/* What would come is 0, where the host can write it. */
static void receive_nothing(const struct sw_comm *comm, const struct sw_comm_transfer *m)
{
    if (m->count && m->receive && comm->ops->space == SW_HOST) memset(m->receive, 0, m->count * sizeof *m->receive);
}

static enum sw_status trial_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                                     const struct sw_comm_transfer *rightward)
{
    const bool left = sw_comm_left(comm, periodic) >= 0, right = sw_comm_right(comm, periodic) >= 0;
    if (right) receive_nothing(comm, leftward);
    if (left) receive_nothing(comm, rightward);
    return SW_OK;
}

/* The others have the numbers of this one. */
static void repeat(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    for (int r = 0; count && r < comm->size; r++) memcpy(all + (size_t)r * count, mine, count * sizeof *all);
}

static enum sw_status trial_gather_host(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    repeat(comm, count, mine, all);
    return SW_OK;
}

static enum sw_status trial_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    if (comm->ops->space == SW_HOST) repeat(comm, count, mine, all);
    return SW_OK;
}

static enum sw_status trial_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                       const size_t *receive_count, double *receive)
{
    size_t received = 0;
    (void)send_count;
    (void)send;
    for (int r = 0; r < comm->size; r++) received += receive_count[r];
    receive_nothing(comm, &(struct sw_comm_transfer){.count = received, .receive = receive});
    return SW_OK;
}

static enum sw_status trial_barrier(const struct sw_comm *comm)
{
    (void)comm;
    return SW_OK;
}

static enum sw_status trial_split(const struct sw_comm *comm, const struct comm_place *place, struct sw_comm **part)
{
    if (place->color < 0) return SW_OK;
    return sw_comm_trial(place->size, place->rank, comm->ops->space, part);
}

static void trial_destroy(struct sw_comm *comm)
{
    struct trial *t = comm->own;
    sw_free(t);
}

enum sw_status sw_comm_trial(int size, int rank, enum sw_space space, struct sw_comm **comm)
{
    struct trial *t = NULL;
    *comm = NULL;
    SW_TRY(sw_alloc(1, &t));
    t->ops = (struct sw_comm_ops){
        .name = "trial", .about = "one rank of several that are not there", .space = space, .exchange = trial_exchange,
        .all_to_all = trial_all_to_all, .gather = trial_gather, .gather_host = trial_gather_host,
        .barrier = trial_barrier, .split = trial_split, .destroy = trial_destroy};
    t->comm = (struct sw_comm){.ops = &t->ops, .rank = rank, .size = size, .own = t};
    *comm = &t->comm;
    return SW_OK;
}
