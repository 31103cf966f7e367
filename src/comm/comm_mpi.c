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
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_async_stream.h"
#include "base/sw_text.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "comm/world_mpi.h"

/* Seconds that a rank that has failed waits for the others to end. They have nothing to do but to clean up. */
static const double patience = 5;

/* ---- operations */

static enum sw_status check_count(size_t count)
{
    if (count <= INT_MAX) return SW_OK;
    return SW_FAIL(SW_E_ARG, "%zu numbers: MPI takes %d at once", count, INT_MAX);
}

/* @param from, to  -1: there is no such neighbour */
static void begin_receive(double *numbers, size_t count, int from, int tag, MPI_Request *request)
{
    const MPI_Comm world = world_comm(WORLD_OPERATIONS);
    if (from < 0) *request = MPI_REQUEST_NULL;
    else MPI_Irecv(numbers, (int)count, MPI_DOUBLE, from, tag, world, request);
}

static void begin_send(const double *numbers, size_t count, int to, int tag, MPI_Request *request)
{
    const MPI_Comm world = world_comm(WORLD_OPERATIONS);
    if (to < 0) *request = MPI_REQUEST_NULL;
    else MPI_Isend(numbers, (int)count, MPI_DOUBLE, to, tag, world, request);
}

static enum sw_status mpi_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                                   const struct sw_comm_transfer *rightward)
{
    enum { LEFTWARD, RIGHTWARD };  /* tags: of two ranks on a circle each is the other's left and right neighbour */
    const int left = sw_comm_left(comm, periodic), right = sw_comm_right(comm, periodic);
    MPI_Request request[4];
    SW_TRY(check_count(leftward->count));
    SW_TRY(check_count(rightward->count));
    begin_receive(leftward->receive, leftward->count, right, LEFTWARD, &request[0]);
    begin_receive(rightward->receive, rightward->count, left, RIGHTWARD, &request[1]);
    begin_send(leftward->send, leftward->count, left, LEFTWARD, &request[2]);
    begin_send(rightward->send, rightward->count, right, RIGHTWARD, &request[3]);
    world_wait(4, request, 0);
    return SW_OK;
}

static enum sw_status mpi_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    MPI_Request request;
    (void)comm;
    SW_TRY(check_count(count));
    MPI_Iallgather(mine, (int)count, MPI_DOUBLE, all, (int)count, MPI_DOUBLE, world_comm(WORLD_OPERATIONS), &request);
    world_wait(1, &request, 0);
    return SW_OK;
}

static enum sw_status mpi_barrier(const struct sw_comm *comm)
{
    MPI_Request request;
    (void)comm;
    MPI_Ibarrier(world_comm(WORLD_OPERATIONS), &request);
    world_wait(1, &request, 0);
    return SW_OK;
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
    MPI_Ibarrier(world, &request);
    if (!world_wait(1, &request, own->status ? patience : 0)) end_job(comm, own);
    MPI_Iallgather(&mine, 1, MPI_INT, status, 1, MPI_INT, world, &request);
    world_wait(1, &request, 0);
    const int from = rank_to_report(status, comm->size);
    if (from < 0) return SW_OK;
    MPI_Ibcast(&failure, sizeof failure, MPI_BYTE, from, world, &request);
    world_wait(1, &request, 0);
    return sw_err_raise(&failure);
}

extern const struct sw_comm_ops comm_mpi;

static enum sw_status mpi_run(int ranks, sw_comm_part *part, void *context)
{
    const struct sw_comm comm = {.ops = &comm_mpi, .rank = sw_launched().rank, .size = ranks};
    struct sw_err_kept own = {0};
    SW_TRY(world_start());
    sw_err_keep(&own, part(&comm, context));
    return meet_at_end(&comm, &own);
}

static bool mpi_fits(int ranks) { return ranks == sw_launched().size; }

const struct sw_comm_ops comm_mpi = {
    .name = "mpi",
    .about = "ranks are the processes that mpirun has started",
    .space = SW_HOST,
    .apart = true,
    .fits = mpi_fits,
    .run = mpi_run,
    .exchange = mpi_exchange,
    .gather = mpi_gather,
    .gather_host = mpi_gather,
    .barrier = mpi_barrier,
};
