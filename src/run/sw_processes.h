#ifndef SW_PROCESSES_H
#define SW_PROCESSES_H
/* One sweep over several processes, the ranks of a communicator. All of them make the same plan. Rank 0, the
 * coordinator, gives out its batches, computes as well, and merges; the other ranks, its clients, request batches and
 * report their outcomes.
 *
 *     SW_TRY(sw_processes_create(comm, host, plan, workers, stop, &processes));
 *     options.queue = sw_processes_queue(processes); options.client = comm->rank > 0;
 *     st = sw_run_sweep(...);
 *     st = sw_processes_finish(&processes, st);
 *
 * Everything happens on the calling thread but for heartbeats, which a thread sends: a rank whose main thread waits for
 * its file system is not taken for dead. No rank waits for a batch that another one computes. A rank that stops (a
 * signal, the time limit, a failure with fail_fast) stops all of them, each with its checkpoints. If the devices of a
 * rank fail it exits, and the others compute its batches. A rank that dies, or sends nothing for 40 s, ends the job at
 * once, with a message: what is on disk is consistent, and the same command continues.
 */
#include "comm/sw_comm.h"
#include "run/sw_work_queue.h"

struct sw_processes;

/** Collective.
 * @param host     [comm->size] the host name of each rank, for messages; must outlive the processes, as comm must
 * @param plan     the same on all ranks
 * @param workers  of this rank: its devices
 * @param stop     as in struct sw_run_sweep_options; may be NULL
 * @return SW_E_COMM, SW_E_MEMORY */
enum sw_status sw_processes_create(const struct sw_comm *comm, char (*host)[64], const struct sw_plan *plan,
                                   int workers, const volatile sig_atomic_t *stop, struct sw_processes **processes);
struct sw_work_queue *sw_processes_queue(struct sw_processes *processes);  /* freed by sw_processes_finish() */

/** Send an event of a client to rank 0: for struct sw_run_sweep_options.event, with the processes as user. */
void sw_processes_event(void *processes, const struct sw_event *event);

/** After sw_run_sweep(), with its status: wait until all ranks have exited, and free. Rank 0 need not wait, unless it
 * has failed: sw_run_sweep() returns there when the others have exited.
 * @return the same status, with its message */
enum sw_status sw_processes_finish(struct sw_processes **processes, enum sw_status st);
#endif
