/* One rank, alone: what it sends to a neighbour on a circle comes back from the other side. */
#include <string.h>

#include "base/sw_err.h"
#include "comm/sw_comm_impl.h"

static bool null_fits(int ranks) { return ranks == 1; }

static enum sw_status null_run(int ranks, sw_comm_part *part, void *context)
{
    (void)ranks;
    return part(sw_comm_null(), context);
}

static void copy_numbers(size_t count, const double *from, double *to)
{
    if (count) memcpy(to, from, count * sizeof *to);
}

static enum sw_status null_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                                    const struct sw_comm_transfer *rightward)
{
    (void)comm;
    if (!periodic) return SW_OK;
    copy_numbers(leftward->count, leftward->send, leftward->receive);
    copy_numbers(rightward->count, rightward->send, rightward->receive);
    return SW_OK;
}

static enum sw_status null_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    (void)comm;
    copy_numbers(count, mine, all);
    return SW_OK;
}

static enum sw_status null_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                      const size_t *receive_count, double *receive)
{
    if (*send_count != *receive_count)
        return SW_FAIL(SW_E_COMM, "rank 0 sends %zu numbers to rank 0, which expects %zu", *send_count, *receive_count);
    return null_gather(comm, *send_count, send, receive);
}

static enum sw_status null_barrier(const struct sw_comm *comm)
{
    (void)comm;
    return SW_OK;
}

extern const struct sw_comm_ops comm_null;
static struct sw_comm alone = {.ops = &comm_null, .rank = 0, .size = 1};

/* A part of it is itself. */
static enum sw_status null_split(const struct sw_comm *comm, const struct comm_place *place, struct sw_comm **part)
{
    (void)comm;
    *part = place->color < 0 ? NULL : &alone;
    return SW_OK;
}

const struct sw_comm_ops comm_null = {
    .name = "null",
    .about = "one rank: a serial run",
    .space = SW_HOST,
    .fits = null_fits,
    .run = null_run,
    .exchange = null_exchange,
    .all_to_all = null_all_to_all,
    .gather = null_gather,
    .gather_host = null_gather,
    .barrier = null_barrier,
    .split = null_split,
};

const struct sw_comm *sw_comm_null(void) { return &alone; }
