/* NCCL: numbers travel from GPU to GPU, by operations that are queued on the compute stream and wait there for those of
 * the other ranks. Each rank, a thread or a process, has a GPU of its own.
 *
 * The library is loaded when a communicator is first made, so that the program starts without it. It is used without
 * blocking: a call returns at once, and settle() waits until it has queued its work. So nothing but a GPU ever waits
 * for another rank, and that ends when ncclCommAbort() is called: a thread beside each communicator, watch(), does so
 * as soon as NCCL finds an error or the communicator of the host has failed.
 */
#include <dlfcn.h>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"  /* its header is C++, too */
#include <nccl.h>
#pragma GCC diagnostic pop
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"
#include "cuda/cu_check.cuh"
#include "cuda/cu_library.h"

/* Seconds until the GPUs of all ranks must have found each other. */
static const double patience = 60;

/* ---- the library */

/* Our use of NCCL: each function has the type that nccl.h declares. */
#define NCCL_LIST(X) X(GetUniqueId) X(CommInitRankConfig) X(CommAbort) X(CommGetAsyncError) X(GetErrorString) \
                     X(GetLastError) X(GroupStart) X(GroupEnd) X(Send) X(Recv) X(AllGather)
struct library {
#define X(name) __typeof__(&nccl##name) name;
    NCCL_LIST(X)
#undef X
};

static enum sw_status load(struct library *nccl)
{
    static const char *const names[] = {"libnccl.so.2", "libnccl.so", NULL};
    void *library = cu_library_open("libnccl.so.2", names);
    if (!library)
        return SW_FAIL(SW_E_ABSENT, "communicator nccl: the library libnccl.so.2 is not on this machine; install the "
                                    "package libnccl2 (NVIDIA), or take staged");
#define X(name)                                                                                                \
    {                                                                                                          \
        void *symbol = dlsym(library, "nccl" #name);                                                           \
        if (!symbol)                                                                                           \
            return SW_FAIL(SW_E_ABSENT, "communicator nccl: the NCCL on this machine is too old: it lacks "    \
                                        "nccl%s; install a newer libnccl2 (NVIDIA), or take staged", #name);   \
        memcpy(&nccl->name, &symbol, sizeof symbol);                                                           \
    }
    NCCL_LIST(X)
#undef X
    return SW_OK;
}

static enum sw_status nccl_usable(const struct sw_device *device)
{
    struct library nccl;
    (void)device;
    return load(&nccl);
}

/* ---- one communicator */

struct own {
    struct comm_on_device base;        /* first                                                      */
    struct library     lib;
    cudaStream_t       stream;         /* of exchanges beside the work of the compute stream         */
    cudaEvent_t        ready, done;    /* what an exchange sends is there; it has ended              */
    pthread_t          watch;
    bool               watched;        /* the thread has been started                                */
    bool               connected;      /* all ranks have been                                        */
    bool               reported;       /* the failure has been                                       */
    pthread_mutex_t    lock;           /* of all that follows, and of calls of NCCL                  */
    bool               stop;           /* the thread is to end                                       */
    ncclComm_t         comm;           /* NULL: not made, or aborted                                 */
    struct sw_err_kept failed;         /* what operations return from now on                         */
};

/* Under the lock: keep the failure, and end what is queued. */
static enum sw_status break_off(struct own *n, enum sw_status st)
{
    sw_err_keep(&n->failed, st);
    if (n->comm) n->lib.CommAbort(n->comm);
    n->comm = NULL;
    return sw_err_raise(&n->failed);
}

/* Under the lock. */
static enum sw_status nccl_failed(struct own *n, ncclResult_t result, const char *call)
{
    const char *detail = n->lib.GetLastError(n->comm);
    const struct sw_comm *c = &n->base.comm;
    char rank[40] = "";  /* which all agree on afterwards while they are being connected */
    if (n->connected) snprintf(rank, sizeof rank, "rank %d of %d, ", c->rank, c->size);
    return break_off(n, SW_FAIL(SW_E_COMM, "%s%s: %s: %s%s%s", rank, n->base.device->label, call,
                                n->lib.GetErrorString(result), *detail ? ": " : "", detail));
}

/* Under the lock: whether NCCL has an error, or no operation of the host can complete.
 * @param busy  out: a call has not yet queued its work */
static enum sw_status look(struct own *n, bool *busy)
{
    const struct sw_comm *host = n->base.host;
    ncclResult_t state = ncclSuccess;
    *busy = false;
    if (n->failed.status) return sw_err_raise(&n->failed);
    enum sw_status st = host->ops->failure ? host->ops->failure(host) : SW_OK;
    if (st) return break_off(n, st);
    if (!n->comm) return SW_OK;
    ncclResult_t result = n->lib.CommGetAsyncError(n->comm, &state);
    if (!result && state != ncclInProgress) result = state;
    if (result) return nccl_failed(n, result, "NCCL");
    *busy = state == ncclInProgress;
    return SW_OK;
}

static void *watch(void *argument)
{
    struct own *n = argument;
    sw_device_use(n->base.device);
    for (bool busy, end = false; !end; usleep(10000)) {
        pthread_mutex_lock(&n->lock);
        end = n->stop || look(n, &busy);
        pthread_mutex_unlock(&n->lock);
    }
    return NULL;
}

/* Return a failure to the caller, who frees memory next, once the other ranks have had the time to find it, too: what
 * they have queued may write to that memory until their watch() has broken it off. */
static enum sw_status report(struct own *n, enum sw_status st)
{
    if (!n->reported) usleep(200000);
    n->reported = true;
    return st;
}

/* Wait until the calls of NCCL so far have queued their work. */
static enum sw_status settle(struct own *n)
{
    const double start = sw_clock();
    for (;;) {
        bool busy;
        pthread_mutex_lock(&n->lock);
        enum sw_status st = look(n, &busy);
        pthread_mutex_unlock(&n->lock);
        if (st) return report(n, st);
        if (!busy) return SW_OK;
        if (sw_clock() - start > 1e-4) usleep(50);
    }
}

/* ---- operations: groups of calls, on one stream */

static enum sw_status begin_group(struct own *n)
{
    pthread_mutex_lock(&n->lock);
    if (!n->failed.status) {
        n->lib.GroupStart();
        return SW_OK;
    }
    enum sw_status st = sw_err_raise(&n->failed);
    pthread_mutex_unlock(&n->lock);
    return report(n, st);
}

/* @param result  of the calls of the group, the first that has failed */
static enum sw_status end_group(struct own *n, ncclResult_t result)
{
    const ncclResult_t ended = n->lib.GroupEnd();
    enum sw_status st = SW_OK;
    if (!result && ended != ncclInProgress) result = ended;
    if (result) st = nccl_failed(n, result, "NCCL");
    pthread_mutex_unlock(&n->lock);
    return st ? report(n, st) : settle(n);
}

static void keep(ncclResult_t *first, ncclResult_t result)
{
    if (!*first && result != ncclInProgress) *first = result;
}

static void send_to(struct own *n, const double *numbers, size_t count, int to, cudaStream_t stream,
                    ncclResult_t *result)
{
    if (count && to >= 0) keep(result, n->lib.Send(numbers, count, ncclDouble, to, n->comm, stream));
}

static void receive_from(struct own *n, double *numbers, size_t count, int from, cudaStream_t stream,
                         ncclResult_t *result)
{
    if (count && from >= 0) keep(result, n->lib.Recv(numbers, count, ncclDouble, from, n->comm, stream));
}

static enum sw_status copy_own(double *to, const double *from, size_t count, cudaStream_t stream)
{
    if (count) CU_TRY(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToDevice, stream));
    return SW_OK;
}

/* Of two ranks on a circle each is both neighbours of the other: calls between two ranks match in their order, leftward
 * first on both. */
static enum sw_status queue_exchange(struct own *n, bool periodic, const struct sw_comm_transfer *leftward,
                                     const struct sw_comm_transfer *rightward, cudaStream_t stream)
{
    const struct sw_comm *c = &n->base.comm;
    const int left = sw_comm_left(c, periodic), right = sw_comm_right(c, periodic);
    ncclResult_t result = ncclSuccess;
    if (c->size == 1) {
        if (!periodic) return SW_OK;
        SW_TRY(copy_own(leftward->receive, leftward->send, leftward->count, stream));
        return copy_own(rightward->receive, rightward->send, rightward->count, stream);
    }
    SW_TRY(begin_group(n));
    send_to(n, leftward->send, leftward->count, left, stream, &result);
    receive_from(n, leftward->receive, leftward->count, right, stream, &result);
    send_to(n, rightward->send, rightward->count, right, stream, &result);
    receive_from(n, rightward->receive, rightward->count, left, stream, &result);
    return end_group(n, result);
}

static enum sw_status nccl_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                                    const struct sw_comm_transfer *rightward)
{
    struct own *n = comm->own;
    SW_TRY(sw_device_use(n->base.device));
    return queue_exchange(n, periodic, leftward, rightward, n->base.device->compute);
}

static enum sw_status nccl_exchange_begin(const struct sw_comm *comm, bool periodic,
                                          const struct sw_comm_transfer *leftward,
                                          const struct sw_comm_transfer *rightward)
{
    struct own *n = comm->own;
    SW_TRY(sw_device_use(n->base.device));
    CU_TRY(cudaEventRecord(n->ready, n->base.device->compute));
    CU_TRY(cudaStreamWaitEvent(n->stream, n->ready, 0));
    SW_TRY(queue_exchange(n, periodic, leftward, rightward, n->stream));
    CU_TRY(cudaEventRecord(n->done, n->stream));
    return SW_OK;
}

static enum sw_status nccl_exchange_end(const struct sw_comm *comm)
{
    const struct own *n = comm->own;
    SW_TRY(sw_device_use(n->base.device));
    CU_TRY(cudaStreamWaitEvent(n->base.device->compute, n->done, 0));
    return SW_OK;
}

static enum sw_status nccl_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                      const size_t *receive_count, double *receive)
{
    struct own *n = comm->own;
    cudaStream_t stream = n->base.device->compute;
    const double *own_send = send;
    double *own_receive = receive;
    ncclResult_t result = ncclSuccess;
    SW_TRY(sw_device_use(n->base.device));
    SW_TRY(begin_group(n));
    for (int r = 0; r < comm->size; r++) {
        if (r == comm->rank) {
            own_send = send;
            own_receive = receive;
        } else {
            send_to(n, send, send_count[r], r, stream, &result);
            receive_from(n, receive, receive_count[r], r, stream, &result);
        }
        if (send_count[r]) send += send_count[r];
        if (receive_count[r]) receive += receive_count[r];
    }
    SW_TRY(end_group(n, result));
    return copy_own(own_receive, own_send, send_count[comm->rank], stream);
}

static enum sw_status nccl_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    struct own *n = comm->own;
    cudaStream_t stream = n->base.device->compute;
    ncclResult_t result = ncclSuccess;
    SW_TRY(sw_device_use(n->base.device));
    if (comm->size == 1) return copy_own(all, mine, count, stream);
    SW_TRY(begin_group(n));
    if (count) keep(&result, n->lib.AllGather(mine, all, count, ncclDouble, n->comm, stream));
    return end_group(n, result);
}

/* Few numbers of the host, of ranks of which none has failed. */
static enum sw_status nccl_gather_host(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    SW_TRY(settle(comm->own));
    return comm_on_device_gather_host(comm, count, mine, all);
}

/* What is queued ends, by itself or since watch() has broken it off. */
static enum sw_status nccl_barrier(const struct sw_comm *comm)
{
    struct own *n = comm->own;
    SW_TRY(sw_device_wait(n->base.device));
    CU_TRY(cudaStreamSynchronize(n->stream));
    SW_TRY(settle(n));
    return sw_comm_barrier(n->base.host);
}

/* ---- making and freeing */

static enum sw_status make_streams(struct own *n)
{
    int least, greatest;
    SW_TRY(sw_device_use(n->base.device));
    CU_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CU_TRY(cudaStreamCreateWithPriority(&n->stream, cudaStreamNonBlocking, greatest));
    CU_TRY(cudaEventCreateWithFlags(&n->ready, cudaEventDisableTiming));
    CU_TRY(cudaEventCreateWithFlags(&n->done, cudaEventDisableTiming));
    return SW_OK;
}

/* Rank 0 makes it. */
static enum sw_status make_id(const struct own *n, ncclUniqueId *id)
{
    double number[sizeof *id / sizeof(double)];
    enum sw_status st = SW_OK;
    memset(id, 0, sizeof *id);
    if (n->base.comm.rank == 0) {
        const ncclResult_t result = n->lib.GetUniqueId(id);
        if (result) st = SW_FAIL(SW_E_COMM, "ncclGetUniqueId: %s", n->lib.GetErrorString(result));
    }
    SW_TRY(sw_comm_agree(n->base.host, st));
    memcpy(number, id, sizeof number);
    SW_TRY(sw_comm_broadcast(n->base.host, 0, sizeof number / sizeof *number, number));
    memcpy(id, number, sizeof number);
    return SW_OK;
}

/* All ranks look together at how far they are, so that none waits for one that has failed. */
static enum sw_status wait_for_ranks(struct own *n)
{
    enum { CONNECTED, BUSY, FAILED };
    const double start = sw_clock();
    for (;;) {
        bool busy;
        pthread_mutex_lock(&n->lock);
        enum sw_status st = look(n, &busy);
        if (!st && busy && sw_clock() - start > patience)
            st = break_off(n, SW_FAIL(SW_E_COMM, "%s: NCCL has not connected the GPUs of all ranks after %.0f s "
                                      "(NCCL_DEBUG=INFO in the environment has it say what it does)",
                                      n->base.device->label, patience));
        pthread_mutex_unlock(&n->lock);
        double worst = st ? FAILED : busy ? BUSY : CONNECTED;
        enum sw_status met = sw_comm_max(n->base.host, 1, &worst);
        if (met || worst == CONNECTED || worst == FAILED) return st ? st : met;
        usleep(1000);
    }
}

static enum sw_status connect_ranks(struct own *n)
{
    const struct sw_comm *c = &n->base.comm;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    SW_TRY(make_id(n, &id));
    config.blocking = 0;
    pthread_mutex_lock(&n->lock);
    const ncclResult_t result = n->lib.CommInitRankConfig(&n->comm, c->size, id, c->rank, &config);
    if (result && result != ncclInProgress) nccl_failed(n, result, "ncclCommInitRankConfig");
    pthread_mutex_unlock(&n->lock);
    SW_TRY(wait_for_ranks(n));
    n->connected = true;
    return SW_OK;
}

static enum sw_status start_watch(struct own *n)
{
    const int error = pthread_create(&n->watch, NULL, watch, n);
    if (error) return SW_FAIL(SW_E_COMM, "communicator nccl: cannot start a thread: %s", strerror(error));
    n->watched = true;
    return SW_OK;
}

extern const struct sw_comm_ops comm_nccl;

/* All agree before NCCL has them meet: a rank that is not there would be waited for. */
static enum sw_status nccl_attach(const struct sw_comm *host, struct sw_device *device, struct sw_comm **comm)
{
    struct own *n = NULL;
    enum sw_status st = sw_alloc(1, &n);
    if (!st) {
        comm_on_device_init(&n->base, &comm_nccl, host, device);
        pthread_mutex_init(&n->lock, NULL);
        *comm = &n->base.comm;
        st = load(&n->lib);
    }
    if (!st) st = make_streams(n);
    SW_TRY(sw_comm_agree(host, st));
    if (host->size > 1) SW_TRY(connect_ranks(n));
    return start_watch(n);
}

/* All that is queued has ended, or a rank has failed and watch() breaks it off. */
static void wait_for_queued(struct own *n)
{
    if (sw_device_use(n->base.device)) return;
    cudaStreamSynchronize(n->base.device->compute);
    if (n->stream) cudaStreamSynchronize(n->stream);
}

/* Not ncclCommDestroy(), which waits for the other ranks of this machine: they may have failed. */
static void nccl_destroy(struct sw_comm *comm)
{
    struct own *n = comm->own;
    wait_for_queued(n);
    pthread_mutex_lock(&n->lock);
    n->stop = true;
    if (n->comm) n->lib.CommAbort(n->comm);
    n->comm = NULL;
    pthread_mutex_unlock(&n->lock);
    if (n->watched) pthread_join(n->watch, NULL);
    if (n->stream) cudaStreamDestroy(n->stream);
    if (n->ready) cudaEventDestroy(n->ready);
    if (n->done) cudaEventDestroy(n->done);
    pthread_mutex_destroy(&n->lock);
    sw_comm_destroy(&n->base.host_part);
    sw_free(n);
}

const struct sw_comm_ops comm_nccl = {
    .name = "nccl",
    .about = "GPU to GPU, by NCCL",
    .space = SW_DEVICE,
    .gpu_each = true,
    .exchange = nccl_exchange,
    .exchange_begin = nccl_exchange_begin,
    .exchange_end = nccl_exchange_end,
    .all_to_all = nccl_all_to_all,
    .gather = nccl_gather,
    .gather_host = nccl_gather_host,
    .barrier = nccl_barrier,
    .split = comm_on_device_split,
    .destroy = nccl_destroy,
    .usable = nccl_usable,
    .attach = nccl_attach,
};
