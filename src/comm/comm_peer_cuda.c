/* Ranks that are threads of one process: each copies what it sends into the memory of the GPU that gets it, by the copy
 * engines, which take no multiprocessor from the kernels beside them. Where GPUs do not reach each other's memory, the
 * driver goes through the host.
 *
 * The ranks first tell each other where numbers are to land; each then queues its copies, behind the event of the other
 * rank that the place is free; and when all have queued theirs, each has its compute stream wait for those that it
 * needs. So the host meets the other ranks twice, and never waits for a GPU. */
#include <cuda_runtime_api.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"
#include "cuda/cu_check.cuh"

struct peer {
    struct comm_on_device base;   /* first                                                                  */
    cudaStream_t  stream;         /* of the copies                                                          */
    cudaEvent_t   ready, sent;    /* what it sends is there, and where it gets is free; its copies have ended */
    struct peer **rank;           /* [size] those of all ranks                                              */
    double      **place;          /* [size][size or 2] where numbers land, as the ranks said                 */
    bool          circle;         /* of the exchange that has begun                                         */
    bool          reported;       /* a failure has been                                                     */
};

_Static_assert(sizeof(double *) == sizeof(double), "pointers travel as numbers");

/* Return a failure to the caller, who frees memory next, once what others have queued for that memory has ended. */
static enum sw_status report(struct peer *p, enum sw_status st)
{
    if (st && !p->reported) usleep(200000);
    p->reported = p->reported || st;
    return st;
}

/* @param mine  [count] where the numbers of this rank are to land */
static enum sw_status tell_places(struct peer *p, size_t count, double *const *mine)
{
    const struct sw_comm *host = p->base.host;
    SW_TRY(sw_device_use(p->base.device));
    CU_TRY(cudaEventRecord(p->ready, p->base.device->compute));
    CU_TRY(cudaStreamWaitEvent(p->stream, p->ready, 0));
    return host->ops->gather_host(host, count, (const double *)mine, (double *)p->place);
}

static enum sw_status copy_to(struct peer *p, int rank, double *to, const double *from, size_t count)
{
    const struct peer *other = p->rank[rank];
    if (!count) return SW_OK;
    CU_TRY(cudaStreamWaitEvent(p->stream, other->ready, 0));
    CU_TRY(cudaMemcpyPeerAsync(to, other->base.device->index, from, p->base.device->index, count * sizeof *to,
                               p->stream));
    return SW_OK;
}

/* The copies of all ranks are queued: what is queued next on the compute stream follows those of this one and of
 * ranks first .. last. */
static enum sw_status follow(struct peer *p, int first, int last)
{
    CU_TRY(cudaStreamWaitEvent(p->base.device->compute, p->sent, 0));
    for (int r = first; r <= last; r++) CU_TRY(cudaStreamWaitEvent(p->base.device->compute, p->rank[r]->sent, 0));
    return SW_OK;
}

/* A rank that could not queue its copies tells the others. @param st  whether it could */
static enum sw_status all_queued(struct peer *p, enum sw_status st)
{
    if (!st && cudaEventRecord(p->sent, p->stream)) st = SW_FAIL(SW_E_CUDA, "cannot record an event");
    return st ? st : sw_comm_barrier(p->base.host);
}

static enum sw_status begin(struct peer *p, bool periodic, const struct sw_comm_transfer *leftward,
                            const struct sw_comm_transfer *rightward)
{
    const struct sw_comm *c = &p->base.comm;
    const int left = sw_comm_left(c, periodic), right = sw_comm_right(c, periodic);
    SW_TRY(tell_places(p, 2, (double *const[]){leftward->receive, rightward->receive}));
    if (left >= 0) SW_TRY(copy_to(p, left, p->place[2 * left], leftward->send, leftward->count));
    if (right >= 0) SW_TRY(copy_to(p, right, p->place[2 * right + 1], rightward->send, rightward->count));
    CU_TRY(cudaEventRecord(p->sent, p->stream));
    p->circle = periodic;
    return SW_OK;
}

static enum sw_status end(struct peer *p)
{
    const struct sw_comm *c = &p->base.comm;
    const int left = sw_comm_left(c, p->circle), right = sw_comm_right(c, p->circle);
    SW_TRY(sw_comm_barrier(p->base.host));
    SW_TRY(sw_device_use(p->base.device));
    if (left >= 0) SW_TRY(follow(p, left, left));
    return right >= 0 ? follow(p, right, right) : SW_OK;
}

static enum sw_status peer_exchange_begin(const struct sw_comm *comm, bool periodic,
                                          const struct sw_comm_transfer *leftward,
                                          const struct sw_comm_transfer *rightward)
{
    return report(comm->own, begin(comm->own, periodic, leftward, rightward));
}

static enum sw_status peer_exchange_end(const struct sw_comm *comm) { return report(comm->own, end(comm->own)); }

/* @param place  [size] where the numbers of each rank are to land; room for as many of all ranks is in p->place */
static enum sw_status to_all(struct peer *p, const size_t *count, const double *send, double *const *place)
{
    const int size = p->base.comm.size, me = p->base.comm.rank;
    enum sw_status st = tell_places(p, (size_t)size, place);
    for (int r = 0; r < size && !st; send += count[r++])
        st = copy_to(p, r, p->place[(size_t)r * (size_t)size + (size_t)me], send, count[r]);
    SW_TRY(all_queued(p, st));
    return follow(p, 0, size - 1);
}

static enum sw_status peer_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                      const size_t *receive_count, double *receive)
{
    struct peer *p = comm->own;
    double **place;
    enum sw_status st = sw_alloc((size_t)comm->size, &place);
    for (int r = 0; r < comm->size && !st; r++) {
        place[r] = receive;
        if (receive_count[r]) receive += receive_count[r];
    }
    if (!st) st = to_all(p, send_count, send, place);
    sw_free(place);
    return report(p, st);
}

static enum sw_status gather(struct peer *p, size_t count, const double *mine, double *all)
{
    const int size = p->base.comm.size, me = p->base.comm.rank;
    enum sw_status st = tell_places(p, 1, &all);
    for (int r = 0; r < size && !st; r++)
        st = copy_to(p, r, count ? p->place[r] + (size_t)me * count : NULL, mine, count);
    SW_TRY(all_queued(p, st));
    return follow(p, 0, size - 1);
}

static enum sw_status peer_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    return report(comm->own, gather(comm->own, count, mine, all));
}

static enum sw_status peer_barrier(const struct sw_comm *comm)
{
    struct peer *p = comm->own;
    SW_TRY(sw_device_wait(p->base.device));
    CU_TRY(cudaStreamSynchronize(p->stream));
    return report(p, sw_comm_barrier(p->base.host));
}

/* ---- making and freeing */

static enum sw_status peer_usable(const struct sw_device *device)
{
    if (!strcmp(device->ops->kind, "cuda")) return SW_OK;
    return SW_FAIL(SW_E_ABSENT, "communicator peer: it works between GPUs");
}

static enum sw_status make_streams(struct peer *p)
{
    SW_TRY(sw_device_use(p->base.device));
    CU_TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    CU_TRY(cudaEventCreateWithFlags(&p->ready, cudaEventDisableTiming));
    CU_TRY(cudaEventCreateWithFlags(&p->sent, cudaEventDisableTiming));
    return SW_OK;
}

/* Copies go straight to the other GPU where it can be reached. */
static void reach(const struct peer *p, const struct sw_device *other)
{
    int can = 0;
    if (other->index == p->base.device->index) return;
    if (!cudaDeviceCanAccessPeer(&can, p->base.device->index, other->index) && can)
        cudaDeviceEnablePeerAccess(other->index, 0);
    cudaGetLastError();  /* also of one that was enabled before */
}

extern const struct sw_comm_ops comm_peer;

static enum sw_status peer_attach(const struct sw_comm *host, struct sw_device *device, struct sw_comm **comm)
{
    struct peer *p = NULL;
    enum sw_status st = sw_alloc(1, &p);
    if (!st) {
        comm_on_device_init(&p->base, &comm_peer, host, device);
        *comm = &p->base.comm;
        st = make_streams(p);
    }
    const size_t size = (size_t)host->size;
    if (!st) st = sw_alloc(size, &p->rank);
    if (!st) st = sw_alloc(size * (size > 2 ? size : 2), &p->place);
    SW_TRY(sw_comm_agree(host, st));
    SW_TRY(host->ops->gather_host(host, 1, (const double *)&p, (double *)p->rank));
    for (int r = 0; r < host->size; r++) reach(p, p->rank[r]->base.device);
    return SW_OK;
}

/* What is queued has ended: of others, who copy to this one, as their operations have returned. */
static void peer_destroy(struct sw_comm *comm)
{
    struct peer *p = comm->own;
    if (!sw_device_use(p->base.device)) {
        cudaStreamSynchronize(p->base.device->compute);
        if (p->stream) cudaStreamSynchronize(p->stream);
    }
    if (p->stream) cudaStreamDestroy(p->stream);
    if (p->ready) cudaEventDestroy(p->ready);
    if (p->sent) cudaEventDestroy(p->sent);
    sw_free(p->rank);
    sw_free(p->place);
    sw_comm_destroy(&p->base.host_part);
    sw_free(p);
}

const struct sw_comm_ops comm_peer = {
    .name = "peer",
    .about = "from GPU to GPU of one process, by copies between their memories",
    .space = SW_DEVICE,
    .one_process = true,
    .exchange_begin = peer_exchange_begin,
    .exchange_end = peer_exchange_end,
    .all_to_all = peer_all_to_all,
    .gather = peer_gather,
    .gather_host = comm_on_device_gather_host,
    .barrier = peer_barrier,
    .split = comm_on_device_split,
    .destroy = peer_destroy,
    .usable = peer_usable,
    .attach = peer_attach,
};
