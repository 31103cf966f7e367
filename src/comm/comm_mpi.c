/* Ranks are the processes that mpirun has started; the operations are MPI's.
 *
 * They are the non-blocking ones, completed by polling: a rank that waits sleeps between two polls, and leaves its
 * processor to those that compute or, at the end, to rank 0, which merges.
 *
 * MPI's collectives cannot be interrupted, so other ranks would wait for ever for one that fails. Therefore all ranks
 * meet at the end of run(). A rank whose part has failed waits there for a few seconds: if all have failed, or ended,
 * together, as after sw_comm_agree(), run() returns the failure on all of them. If not, some rank waits in an operation
 * that will never complete; then the failed rank prints its error and ends the job. That ranks call the same operations
 * is not checked; the row `threads` does that, for tests.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_async_stream.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "comm/world_mpi.h"

/* Seconds that a rank that has failed waits for the others to end. They have nothing to do but to clean up. */
static const double patience = 5;

/* The communicator of a rank: what is sent in different ones does not mix, whichever threads use them. */
struct own {
    MPI_Comm    comm;
    MPI_Request request[4];  /* of an exchange that has begun */
};

static MPI_Comm comm_of(const struct sw_comm *comm) { return ((const struct own *)comm->own)->comm; }

/* ---- many numbers: MPI's counts are int */

enum { BLOCK = 1 << 18 };  /* numbers, 2 MiB: more of them are sent as blocks, and what remains */

struct numbers { int count; MPI_Datatype type; };

static struct numbers describe_numbers(size_t count)
{
    MPI_Datatype block, parts[2] = {MPI_DATATYPE_NULL, MPI_DOUBLE};
    struct numbers n = {(int)count, MPI_DOUBLE};
    if (count <= BLOCK) return n;
    const int length[2] = {(int)(count / BLOCK), (int)(count % BLOCK)};
    const MPI_Aint begin[2] = {0, (MPI_Aint)(count / BLOCK * BLOCK * sizeof(double))};
    MPI_Type_contiguous(BLOCK, MPI_DOUBLE, &block);
    parts[0] = block;
    MPI_Type_create_struct(2, length, begin, parts, &n.type);
    MPI_Type_commit(&n.type);
    MPI_Type_free(&block);
    n.count = 1;
    return n;
}

/* MPI keeps the type for as long as operations use it. */
static void free_description(struct numbers *n)
{
    if (n->type != MPI_DOUBLE) MPI_Type_free(&n->type);
}

/* ---- operations: each call of MPI under the lock, which nobody holds while he waits */

enum { LEFTWARD, RIGHTWARD, PAIR };  /* tags: of two ranks on a circle each is the other's left and right neighbour */

/* @param from, to  -1: there is no such neighbour */
static void begin_receive(MPI_Comm comm, double *numbers, size_t count, int from, int tag, MPI_Request *request)
{
    struct numbers n = describe_numbers(count);
    if (from < 0) *request = MPI_REQUEST_NULL;
    else MPI_Irecv(numbers, n.count, n.type, from, tag, comm, request);
    free_description(&n);
}

static void begin_send(MPI_Comm comm, const double *numbers, size_t count, int to, int tag, MPI_Request *request)
{
    struct numbers n = describe_numbers(count);
    if (to < 0) *request = MPI_REQUEST_NULL;
    else MPI_Isend(numbers, n.count, n.type, to, tag, comm, request);
    free_description(&n);
}

static enum sw_status mpi_exchange_begin(const struct sw_comm *comm, bool periodic,
                                         const struct sw_comm_transfer *leftward,
                                         const struct sw_comm_transfer *rightward)
{
    const int left = sw_comm_left(comm, periodic), right = sw_comm_right(comm, periodic);
    MPI_Request *request = ((struct own *)comm->own)->request;
    world_lock();
    begin_receive(comm_of(comm), leftward->receive, leftward->count, right, LEFTWARD, &request[0]);
    begin_receive(comm_of(comm), rightward->receive, rightward->count, left, RIGHTWARD, &request[1]);
    begin_send(comm_of(comm), leftward->send, leftward->count, left, LEFTWARD, &request[2]);
    begin_send(comm_of(comm), rightward->send, rightward->count, right, RIGHTWARD, &request[3]);
    world_unlock();
    return SW_OK;
}

static enum sw_status mpi_exchange_end(const struct sw_comm *comm)
{
    world_wait(4, ((struct own *)comm->own)->request, 0);
    return SW_OK;
}

/* Not MPI_Ialltoallv(), which counts where arrays begin in int. */
static enum sw_status mpi_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                     const size_t *receive_count, double *receive)
{
    MPI_Request request[2 * SW_COMM_MOST];
    int requests = 0;
    world_lock();
    for (int r = 0; r < comm->size; receive += receive_count[r++])
        if (receive_count[r])
            begin_receive(comm_of(comm), receive, receive_count[r], r, PAIR, &request[requests++]);
    for (int r = 0; r < comm->size; send += send_count[r++])
        if (send_count[r]) begin_send(comm_of(comm), send, send_count[r], r, PAIR, &request[requests++]);
    world_unlock();
    world_wait(requests, request, 0);
    return SW_OK;
}

static enum sw_status mpi_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    MPI_Request request;
    world_lock();
    struct numbers n = describe_numbers(count);
    MPI_Iallgather(mine, n.count, n.type, all, n.count, n.type, comm_of(comm), &request);
    free_description(&n);
    world_unlock();
    world_wait(1, &request, 0);
    return SW_OK;
}

static enum sw_status mpi_barrier(const struct sw_comm *comm)
{
    MPI_Request request;
    world_lock();
    MPI_Ibarrier(comm_of(comm), &request);
    world_unlock();
    world_wait(1, &request, 0);
    return SW_OK;
}

/* ---- parts */

extern const struct sw_comm_ops comm_mpi;

struct part { struct sw_comm comm; struct own own; };

/* MPI_Comm_split() waits for the other ranks under the lock: they are on their way to it, as all have agreed. */
static enum sw_status mpi_split(const struct sw_comm *comm, const struct comm_place *place, struct sw_comm **part)
{
    struct part *p = NULL;
    MPI_Comm made;
    enum sw_status st = sw_comm_agree(comm, place->color < 0 ? SW_OK : sw_alloc(1, &p));
    if (st) {
        sw_free(p);
        return st;
    }
    world_lock();
    MPI_Comm_split(comm_of(comm), place->color < 0 ? MPI_UNDEFINED : place->color, place->rank, &made);
    world_unlock();
    if (!p) return SW_OK;
    p->own.comm = made;
    p->comm = (struct sw_comm){.ops = &comm_mpi, .rank = place->rank, .size = place->size, .own = &p->own};
    *part = &p->comm;
    return SW_OK;
}

static void mpi_destroy(struct sw_comm *part)
{
    struct part *p = (struct part *)part;
    world_lock();
    MPI_Comm_free(&p->own.comm);
    world_unlock();
    sw_free(p);
}

/* ---- starting and ending */

_Noreturn static void end_job(const struct sw_comm *comm, const struct sw_err_kept *failure)
{
    char host[64] = "";
    struct sw_text message = {0};
    gethostname(host, sizeof host - 1);
    sw_text_add_shown(&message, failure->message, "\n\t");
    fprintf(stderr, "error: rank %d of %d on %s: %s\n", comm->rank, comm->size, host, sw_text_get(&message));
    sw_async_stderr_wait(1, NULL);
    world_abort(sw_status_exit_code(failure->status));
}

/* The lowest rank that failed on its own, else the lowest that got a failure from sw_comm_agree(); -1: none has
 * failed. */
static int rank_to_report(const int *status, int size)
{
    int informed = -1;
    for (int r = size - 1; r >= 0; r--)
        if (status[r] == SW_E_COMM) informed = r;
    for (int r = 0; r < size; r++)
        if (status[r] && status[r] != SW_E_COMM) return r;
    return informed;
}

/* All ranks have ended their parts: the same failure on all of them. They meet on a communicator of their own, since a
 * rank that failed alone must not be taken for one that takes part in the operation that the others wait in. */
static enum sw_status meet_at_end(const struct sw_comm *comm, const struct sw_err_kept *own)
{
    const MPI_Comm world = world_comm(WORLD_ENDS);
    int mine = own->status, status[SW_COMM_MOST];
    struct sw_err_kept failure = *own;
    MPI_Request request;
    world_lock();
    MPI_Ibarrier(world, &request);
    world_unlock();
    if (!world_wait(1, &request, own->status ? patience : 0)) end_job(comm, own);
    world_lock();
    MPI_Iallgather(&mine, 1, MPI_INT, status, 1, MPI_INT, world, &request);
    world_unlock();
    world_wait(1, &request, 0);
    const int from = rank_to_report(status, comm->size);
    if (from < 0) return SW_OK;
    world_lock();
    MPI_Ibcast(&failure, sizeof failure, MPI_BYTE, from, world, &request);
    world_unlock();
    world_wait(1, &request, 0);
    return sw_err_raise(&failure);
}

static enum sw_status mpi_meet(const struct sw_comm *comm, enum sw_status st)
{
    struct sw_err_kept own = {0};
    sw_err_keep(&own, st);
    return meet_at_end(comm, &own);
}


static enum sw_status mpi_run(int ranks, sw_comm_part *part, void *context)
{
    struct own own = {0};
    const struct sw_comm comm = {.ops = &comm_mpi, .rank = sw_launched().rank, .size = ranks, .own = &own};
    struct sw_err_kept failure = {0};
    SW_TRY(world_start());
    own.comm = world_comm(WORLD_OPERATIONS);
    sw_err_keep(&failure, part(&comm, context));
    return meet_at_end(&comm, &failure);
}

static bool mpi_fits(int ranks) { return ranks == sw_launched().size; }

const struct sw_comm_ops comm_mpi = {
    .name = "mpi",
    .about = "ranks are the processes that mpirun has started",
    .space = SW_HOST,
    .apart = true,
    .fits = mpi_fits,
    .run = mpi_run,
    .exchange_begin = mpi_exchange_begin,
    .exchange_end = mpi_exchange_end,
    .all_to_all = mpi_all_to_all,
    .gather = mpi_gather,
    .gather_host = mpi_gather,
    .barrier = mpi_barrier,
    .split = mpi_split,
    .destroy = mpi_destroy,
    .meet = mpi_meet,
};
