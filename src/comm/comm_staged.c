/* Numbers of devices travel through the memory of the host: copied to a block there, sent by the communicator of the
 * host, copied from there. The copies wait for the device, so that nothing is queued when an operation returns. */
#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"

struct staged {
    struct comm_on_device   base;    /* first                                                             */
    size_t                  room;    /* numbers that the block has room for                               */
    double                 *block;
    struct sw_comm_transfer on_device[2], staged[2];  /* of an exchange that has begun, leftward and rightward; staged
                                                         is in the block                                  */
};

static enum sw_status have_room(struct staged *s, size_t count)
{
    if (count <= s->room) return SW_OK;
    sw_device_free_host(s->base.device, s->block);
    s->block = NULL;
    s->room = 0;
    SW_TRY(sw_device_alloc_host(s->base.device, count, &s->block));
    s->room = count;
    return SW_OK;
}

static enum sw_status to_host(const struct staged *s, double *to, const double *from, size_t count)
{
    return sw_device_download(s->base.device, to, from, count * sizeof *to);
}

static enum sw_status to_device(const struct staged *s, double *to, const double *from, size_t count)
{
    return sw_device_upload(s->base.device, to, from, count * sizeof *to);
}

/* @param block     [2 * count] for what goes and what comes
 * @param to, from  whether there is a neighbour that gets, and one that sends */
static enum sw_status stage(struct staged *s, int way, const struct sw_comm_transfer *t, double *block, bool to,
                            bool from)
{
    s->on_device[way] = (struct sw_comm_transfer){from ? t->count : 0, t->send, t->receive};
    s->staged[way] = (struct sw_comm_transfer){t->count, block, block + t->count};
    return to ? to_host(s, block, t->send, t->count) : SW_OK;
}

static enum sw_status staged_exchange_begin(const struct sw_comm *comm, bool periodic,
                                            const struct sw_comm_transfer *leftward,
                                            const struct sw_comm_transfer *rightward)
{
    struct staged *s = comm->own;
    const bool left = sw_comm_left(comm, periodic) >= 0, right = sw_comm_right(comm, periodic) >= 0;
    SW_TRY(have_room(s, 2 * (leftward->count + rightward->count)));
    SW_TRY(stage(s, 0, leftward, s->block, left, right));
    SW_TRY(stage(s, 1, rightward, s->block + 2 * leftward->count, right, left));
    return sw_comm_exchange_begin(s->base.host, periodic, &s->staged[0], &s->staged[1]);
}

static enum sw_status staged_exchange_end(const struct sw_comm *comm)
{
    struct staged *s = comm->own;
    SW_TRY(sw_comm_exchange_end(s->base.host));
    for (int way = 0; way < 2; way++) {
        const struct sw_comm_transfer *t = &s->on_device[way];
        SW_TRY(to_device(s, t->receive, s->staged[way].receive, t->count));
    }
    return SW_OK;
}

static enum sw_status staged_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                        const size_t *receive_count, double *receive)
{
    struct staged *s = comm->own;
    size_t sent = 0, received = 0;
    for (int r = 0; r < comm->size; r++) {
        sent += send_count[r];
        received += receive_count[r];
    }
    SW_TRY(have_room(s, sent + received));
    SW_TRY(to_host(s, s->block, send, sent));
    SW_TRY(sw_comm_all_to_all(s->base.host, send_count, s->block, receive_count, s->block + sent));
    return to_device(s, receive, s->block + sent, received);
}

static enum sw_status staged_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    struct staged *s = comm->own;
    const size_t received = count * (size_t)comm->size;
    SW_TRY(have_room(s, count + received));
    SW_TRY(to_host(s, s->block, mine, count));
    SW_TRY(sw_comm_gather(s->base.host, count, s->block, s->block + count));
    return to_device(s, all, s->block + count, received);
}

static enum sw_status staged_barrier(const struct sw_comm *comm)
{
    const struct staged *s = comm->own;
    SW_TRY(sw_device_wait(s->base.device));
    return sw_comm_barrier(s->base.host);
}

extern const struct sw_comm_ops comm_staged;

static enum sw_status staged_attach(const struct sw_comm *host, struct sw_device *device, struct sw_comm **comm)
{
    struct staged *s;
    SW_TRY(sw_alloc(1, &s));
    comm_on_device_init(&s->base, &comm_staged, host, device);
    *comm = &s->base.comm;
    return SW_OK;
}

static void staged_destroy(struct sw_comm *comm)
{
    struct staged *s = comm->own;
    sw_device_free_host(s->base.device, s->block);
    sw_comm_destroy(&s->base.host_part);
    sw_free(s);
}

const struct sw_comm_ops comm_staged = {
    .name = "staged",
    .about = "between devices, through the memory of the host",
    .space = SW_DEVICE,
    .exchange_begin = staged_exchange_begin,
    .exchange_end = staged_exchange_end,
    .all_to_all = staged_all_to_all,
    .gather = staged_gather,
    .gather_host = comm_on_device_gather_host,
    .barrier = staged_barrier,
    .split = comm_on_device_split,
    .destroy = staged_destroy,
    .attach = staged_attach,
};
