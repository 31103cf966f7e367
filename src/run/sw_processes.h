#ifndef SW_PROCESSES_H
#define SW_PROCESSES_H
/* One sweep over several processes: rank 0 gives out the batches of a plan that all of them have made alike, and
 * merges; the others ask it for batches and tell it what became of them. Each writes parts of its own, to the one
 * output file.
 *
 *     SW_TRY(sw_processes_create(comm, host, plan, workers, stop, &ranks));
 *     options.queue = sw_processes_queue(ranks); options.client = comm->rank > 0;
 *     st = sw_run_sweep(...);
 *     st = sw_processes_finish(ranks, st);
 *
 * All of it happens on the thread that calls, but for signs of life, which have one of their own: a rank that waits for
 * its file system is not dead. Nobody waits for a batch that somebody else computes. A rank that stops
 * (a signal, the time limit, a failure with fail_fast) stops all of them, each with its checkpoint. A rank whose device
 * breaks off goes home, and the others do its batches. One that dies without a word, or is not heard of for
 * 40 s, ends the job at once, with a message: what is on disk is whole, and the same command goes on.
 */
#include "comm/sw_comm.h"
#include "run/sw_work_queue.h"

struct sw_processes;

/** Collective.
 * @param host     [comm->size] where each rank is, for messages; must outlive the ranks, as comm must
 * @param plan     the same on all ranks
 * @param workers  of this rank: its devices
 * @param stop     as in struct sw_run_sweep_options; may be NULL
 * @return SW_E_COMM, SW_E_MEMORY */
enum sw_status sw_processes_create(const struct sw_comm *comm, char (*host)[64], const struct sw_plan *plan,
                                   int workers,
                               const volatile sig_atomic_t *stop, struct sw_processes **ranks);
struct sw_work_queue *sw_processes_queue(struct sw_processes *ranks);

/** On other ranks than 0, what they tell of goes to rank 0: for struct sw_run_sweep_options.event, with the ranks as
 * user. */
void sw_processes_event(void *ranks, const struct sw_event *event);

/** After sw_run_sweep(), with what it returned: wait until all are through, and free. On rank 0 they are when
 * sw_run_sweep() returns, unless it has failed.
 * @return the same, with its message */
enum sw_status sw_processes_finish(struct sw_processes **ranks, enum sw_status st);
#endif
