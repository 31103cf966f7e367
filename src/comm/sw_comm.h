#ifndef SW_COMM_H
#define SW_COMM_H
/* A communicator: `size` ranks run one function, each on its own part of the data, and meet in the operations below.
 *
 *     static enum sw_status part(const struct sw_comm *comm, void *context) { ... sw_comm_sum(comm, 1, &mass) ... }
 *     SW_TRY(sw_comm_run("threads", 4, part, &context));
 *
 * A serial run is a run with the row `null`, one rank whose neighbour on a circle is itself, and not a special case.
 *
 * Every operation is collective: all ranks call the same operations in the same order, with the same counts. Operations
 * block: on return, what was sent may be overwritten and what was received is there. (In a row for device memory both
 * hold for work on the device's compute stream: what was queued before is sent, what is queued after sees what came.)
 * An array to send and one to receive do not overlap. Zero counts are legal, and pointers to no numbers are not read.
 *
 * Threads: a communicator serves one thread at a time. Different communicators, also parts of one, may serve different
 * threads of a process at once, beside messages and channels (sw_message.h); but of two threads of a
 * process only one may be in sw_comm_split().
 *
 * Memory: the arrays of exchange(), gather() and all_to_all() live in the row's space (sw_comm_space()); counts and the
 * few numbers of sum(), max() and agree() always live on the host.
 *
 * Bits: rows move numbers and add none. sum() adds in the order of ranks, so that its bits are the same on every rank
 * and for every row (a sum by the library may differ from one call to the next); they may differ for another number of
 * ranks.
 *
 * Failures: a rank that cannot go on returns its status from the function that sw_comm_run() called, and the others do
 * not wait for it for ever. Ranks of the row `threads` get SW_E_COMM from every operation that can no longer complete,
 * with the rank that failed and its message, also in parts of the communicator that do not have that rank. The row also
 * finds ranks that call different operations. In the row `mpi` a rank that fails while others go on prints its error
 * and ends all processes with MPI_Abort. Where a failure of one rank may happen in normal use, agree() tells all ranks,
 * and all of them return.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "device/sw_device.h"

enum { SW_COMM_MOST = 4096 };  /* ranks, at most */

/* What a rank has sent to other ranks: to the left neighbour, to the right one, by gather and all_to_all, and in
 * operations on a few numbers, as reductions and agreements. What goes to all is a message to each of the others. */
enum sw_comm_way { SW_COMM_LEFTWARD, SW_COMM_RIGHTWARD, SW_COMM_TO_ALL, SW_COMM_FEW_TO_ALL, SW_COMM_WAYS };
struct sw_comm_traffic { double messages[SW_COMM_WAYS], numbers[SW_COMM_WAYS]; };

struct sw_comm {               /* made by sw_comm_run(), _split(), _on_device(); read only to others */
    const struct sw_comm_ops *ops;
    int   rank, size;          /* 0 <= rank < size                           */
    void *own;                 /* the row's own data                         */
    struct sw_comm_traffic *traffic;  /* counts what this rank sends; NULL: nobody counts. See sw_comm_count() */
};

/* What one rank does. The communicator is its own: valid until the function returns, on the thread that called it. */
typedef enum sw_status sw_comm_part(const struct sw_comm *comm, void *context);

/** Run a function on a number of ranks, and wait for all of them.
 * @param row      row of comm_table.c, "threads"; NULL: the first that does so many ranks
 * @param ranks    1 .. SW_COMM_MOST
 * @param part     called once on each rank of this process
 * @param context  handed to it; ranks in one process share what it points to
 * @return what the part of a rank returned, with its message: the lowest rank's of those that failed on their own;
 *         SW_E_ARG ranks out of range; SW_E_CONFIG no such row; SW_E_ABSENT not in this build, or not so many ranks
 *         (with the rows that would do); SW_E_MEMORY; SW_E_COMM the ranks could not be started, or called different
 *         operations */
enum sw_status sw_comm_run(const char *row, int ranks, sw_comm_part *part, void *context);

/** The communicator of a serial run: one rank, row `null`. Static; nothing to free. */
const struct sw_comm *sw_comm_null(void);

/** The name of row k of the table, NULL after the last. */
const char *sw_comm_row(int k);
const char *sw_comm_name(const struct sw_comm *comm);
enum sw_space sw_comm_space(const struct sw_comm *comm);

/** Add to *traffic what this rank sends from now on through comm, and through parts of it that are made from now on.
 * @param comm  made by sw_comm_split() or sw_comm_on_device()
 * @param traffic  borrowed; NULL: count no longer */
void sw_comm_count(struct sw_comm *comm, struct sw_comm_traffic *traffic);

/** The rank beside this one, -1 if there is none. With periodic, rank size-1 is the left neighbour of rank 0. */
static inline int sw_comm_left(const struct sw_comm *comm, bool periodic)
{
    if (comm->rank > 0) return comm->rank - 1;
    return periodic ? comm->size - 1 : -1;
}
static inline int sw_comm_right(const struct sw_comm *comm, bool periodic)
{
    if (comm->rank < comm->size - 1) return comm->rank + 1;
    return periodic ? 0 : -1;
}

/* Numbers that travel in one direction along all ranks. */
struct sw_comm_transfer {
    size_t        count;    /* numbers, the same on all ranks                          */
    const double *send;     /* [count] to the neighbour on one side; not read if there is none           */
    double       *receive;  /* [count] from the neighbour on the other side; untouched if there is none  */
};

/** Exchange with both neighbours at once.
 * @param periodic   the ranks are a circle and not a line
 * @param leftward   goes to the left neighbour and comes from the right one
 * @param rightward  the other way round
 * @return SW_E_ARG an array is NULL; SW_E_COMM; SW_E_CUDA */
enum sw_status sw_comm_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                                const struct sw_comm_transfer *rightward);

/** The same in two calls, so that a rank computes between them while numbers travel. Until end() returns the caller
 * does not write what it sends, does not read what it receives, and calls no other operation of this communicator. In
 * the rows `null` and `threads` begin() does all of it.
 * @return as sw_comm_exchange(); after a failure of begin() there is no end() */
enum sw_status sw_comm_exchange_begin(const struct sw_comm *comm, bool periodic,
                                      const struct sw_comm_transfer *leftward,
                                      const struct sw_comm_transfer *rightward);
enum sw_status sw_comm_exchange_end(const struct sw_comm *comm);

/** Numbers of each rank for each rank, its own among them.
 * @param send_count     [size] on the host: how many go to each rank
 * @param send           those for rank 0, then those for rank 1, ...
 * @param receive_count  [size] on the host: how many come from each rank, as many as it sends
 * @param receive        out: those from rank 0, then those from rank 1, ...
 * @return SW_E_ARG there is no array; SW_E_COMM; SW_E_CUDA */
enum sw_status sw_comm_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                  const size_t *receive_count, double *receive);

/** The numbers of all ranks, on every rank.
 * @param mine   [count]
 * @param all    out [size][count], in the order of ranks
 * @return SW_E_ARG; SW_E_COMM; SW_E_CUDA */
enum sw_status sw_comm_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all);

/** One number of each rank, on every rank. It takes no memory, so that no rank can be missing.
 * @param all    out [size], on the host
 * @return SW_E_COMM */
enum sw_status sw_comm_gather_one(const struct sw_comm *comm, double mine, double all[SW_COMM_MOST]);

/** Return when all ranks have called. On a device: when their queued work is done as well. */
enum sw_status sw_comm_barrier(const struct sw_comm *comm);

/** A few numbers of one rank, on every rank.
 * @param numbers  [count] on the host, in on rank `from` and out on the others */
enum sw_status sw_comm_broadcast(const struct sw_comm *comm, int from, size_t count, double *numbers);

/** Sum, or largest, over all ranks, for each of a few numbers; the result is on every rank. A NaN anywhere makes NaN.
 * @param comm    NULL: there is one rank; likewise in agree()
 * @param values  [count] on the host, in and out */
enum sw_status sw_comm_sum(const struct sw_comm *comm, size_t count, double *values);
enum sw_status sw_comm_max(const struct sw_comm *comm, size_t count, double *values);

/** Where ranks meet after work in which one may have failed while others wait for it in an operation: sw_comm_run()
 * does this at the end of their parts. Collective, but for the ranks that will never come.
 * @param st  of this rank, with its message
 * @return SW_OK if it was that on all ranks; else, on all of them, the failure of the lowest rank that failed on its
 *         own. In the row `mpi` a rank that has failed, and for which the others do not come, ends the job */
enum sw_status sw_comm_meet(const struct sw_comm *comm, enum sw_status st);

/** Tell all ranks whether any of them has failed.
 * @param st  this rank's status, with its message
 * @return SW_OK on every rank if all ranks passed SW_OK. Else a rank that failed gets its own failure back, and the
 *         others get SW_E_COMM with the lowest failing rank and its message. Later operations work. */
enum sw_status sw_comm_agree(const struct sw_comm *comm, enum sw_status st);

/** A communicator of some of the ranks: those that pass the same color, in the order that they have here. Collective
 * over comm: all ranks get SW_OK or none does. Both may be used afterwards.
 * @param color  >= 0; -1: this rank is in none of them
 * @param part   out; NULL where color is -1; free with sw_comm_destroy() before the function that sw_comm_run() called
 *               returns
 * @return SW_E_ARG a color < -1; SW_E_MEMORY; SW_E_COMM another rank could not */
enum sw_status sw_comm_split(const struct sw_comm *comm, int color, struct sw_comm **part);

/** A communicator of the same ranks for arrays in the memory of a device that each rank has; its operations are ordered
 * with the work on the device's compute stream. Collective over host: all ranks get the same row, or a failure. On the
 * CPU it is host by another name. Parts of it (sw_comm_split()) have the same row; reductions go through host, which
 * has no operation of its own between exchange_begin() and exchange_end().
 *
 * NCCL's operations wait on the GPU for those of other ranks. The memory of a GPU is therefore allocated and freed
 * while none is queued: CUDA may then wait for the other GPUs of the process. Where a rank fails, what the others have
 * queued ends without the numbers, and their next operation returns SW_E_COMM.
 * @param host    row null, threads or mpi; borrowed
 * @param device  of this rank, used by the thread that calls the operations; borrowed
 * @param row     "peer" (ranks are threads), "nccl" (a GPU of its own for each rank), "staged" (through the memory of
 *                the host); NULL: the first that works on all ranks
 * @param comm    out; free with sw_comm_destroy() before host and device
 * @return SW_E_CONFIG there is no such row; SW_E_ABSENT it does not work here; SW_E_ARG some ranks have the CPU and
 *         others do not; SW_E_MEMORY; SW_E_CUDA; SW_E_COMM NCCL has failed, or another rank could not */
enum sw_status sw_comm_on_device(const struct sw_comm *host, struct sw_device *device, const char *row,
                                 struct sw_comm **comm);

/** A communicator of one rank of several of which there is no other, to count what it sends in some work: operations
 * return at once. On the host 0 comes from others, or where all gather, what this rank sends; on a device nothing.
 * @param space    of the arrays of exchange(), gather() and all_to_all()
 * @param comm     out; free with sw_comm_destroy()
 * @return SW_E_MEMORY */
enum sw_status sw_comm_trial(int size, int rank, enum sw_space space, struct sw_comm **comm);

/** Free what sw_comm_split(), sw_comm_on_device() and sw_comm_trial() made. All its ranks do so when their operations
 * have returned. Each waits for its own device, and for no other rank: where none has failed, ranks of devices pass a
 * barrier before, since another one may still be reading. NULL and *NULL are fine. */
void sw_comm_destroy(struct sw_comm **comm);
#endif
