#ifndef SW_COMM_H
#define SW_COMM_H
/* Who else works on this problem. `size` ranks run one function, each on its own part of the data, and meet in the
 * operations below.
 *
 *     static enum sw_status part(const struct sw_comm *comm, void *context) { ... sw_comm_sum(comm, 1, &mass) ... }
 *     SW_TRY(sw_comm_run("threads", 4, part, &context));
 *
 * A serial run is a run with the row `null`, one rank whose neighbour on a circle is itself, and not a special case.
 *
 * Every operation is collective: all ranks call the same ones in the same order, with the same counts. They block: on
 * return, what was sent may be written again and what was received is there. (In a row for device memory both hold
 * for work on the device's compute stream: what was queued before is sent, what is queued after sees what came.)
 * An array to send and one to receive do not overlap. Zero numbers are legal, pointers to them are not read.
 *
 * Memory: the arrays of exchange() and gather() live in the row's space (sw_comm_space()); the few numbers of sum(),
 * max() and agree() always in the host's.
 *
 * Bits: rows move numbers and add none. sum() adds in the order of ranks, so that its bits are the same on every rank
 * and for every row; they may differ for another number of ranks.
 *
 * Failures: a rank that cannot go on returns its status from the function that sw_comm_run() called, and no other rank
 * waits for it for ever: an operation that cannot be completed any more returns SW_E_COMM, with the rank that broke
 * off and its message, and so do all after it. Where a rank may refuse while all could still go on, agree() tells the
 * others in an orderly way.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_err.h"
#include "device/sw_device.h"

enum { SW_COMM_MOST = 4096 };  /* ranks, at most */

struct sw_comm {               /* made by sw_comm_run(); read only to others */
    const struct sw_comm_ops *ops;
    int   rank, size;          /* 0 <= rank < size                           */
    void *own;                 /* the row's own data                         */
};

/* The part of one rank. The communicator is its own, valid until the function returns, and for the thread that it was
 * called on. */
typedef enum sw_status sw_comm_part(const struct sw_comm *comm, void *context);

/** Run a function on so many ranks, and wait for all of them.
 * @param row      row of comm_table.c, "threads"; NULL: the first that does so many ranks
 * @param ranks    1 .. SW_COMM_MOST
 * @param part     called once on each rank of this process
 * @param context  handed to it; ranks in one process share what it points to
 * @return what the part of a rank returned, with its message: of those that failed on their own the lowest rank's;
 *         SW_E_ARG ranks out of range; SW_E_CONFIG no such row; SW_E_ABSENT not in this build, or not so many ranks
 *         (with the rows that would do); SW_E_MEMORY; SW_E_COMM the ranks could not be started, or called operations
 *         that do not match */
enum sw_status sw_comm_run(const char *row, int ranks, sw_comm_part *part, void *context);

/** The communicator of a serial run: one rank, row `null`. Always there, nothing to free. */
const struct sw_comm *sw_comm_null(void);

/** The name of row k of the table, NULL after the last. */
const char *sw_comm_row(int k);
const char *sw_comm_name(const struct sw_comm *comm);
enum sw_space sw_comm_space(const struct sw_comm *comm);

/** The rank beside this one, -1 if there is none. With periodic, rank size-1 is the left neighbour of rank 0. */
int sw_comm_left(const struct sw_comm *comm, bool periodic);
int sw_comm_right(const struct sw_comm *comm, bool periodic);

/* Numbers that travel one way along all ranks. */
struct sw_comm_message {
    size_t        count;    /* numbers, the same on all ranks                          */
    const double *send;     /* [count] to the neighbour on one side; not read if there is none           */
    double       *receive;  /* [count] from the neighbour on the other side; untouched if there is none  */
};

/** Exchange with both neighbours at once.
 * @param periodic   the ranks are a circle and not a line
 * @param leftward   goes to the left neighbour and comes from the right one
 * @param rightward  the other way round
 * @return SW_E_ARG NULL where numbers are; SW_E_COMM; SW_E_CUDA */
enum sw_status sw_comm_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_message *leftward,
                                const struct sw_comm_message *rightward);

/** Everybody's numbers, to everybody.
 * @param mine   [count]
 * @param all    out [size][count], in the order of ranks
 * @return SW_E_ARG; SW_E_COMM; SW_E_CUDA */
enum sw_status sw_comm_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all);

/** Return when all ranks have called. On a device: when their queued work is done as well. */
enum sw_status sw_comm_barrier(const struct sw_comm *comm);

/** Sum, or largest, over all ranks, for each of a few numbers; the result is on every rank. A NaN anywhere makes NaN.
 * @param values  [count] on the host, in and out */
enum sw_status sw_comm_sum(const struct sw_comm *comm, size_t count, double *values);
enum sw_status sw_comm_max(const struct sw_comm *comm, size_t count, double *values);

/** Whether all ranks may go on.
 * @param st  this rank's status, with its message
 * @return SW_OK everywhere if it is SW_OK everywhere. Else a rank's own failure where it has one, and where it has none
 *         SW_E_COMM with the lowest failing rank and its message. Operations go on working. */
enum sw_status sw_comm_agree(const struct sw_comm *comm, enum sw_status st);
#endif
