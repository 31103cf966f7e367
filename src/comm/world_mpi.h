#ifndef WORLD_MPI_H
#define WORLD_MPI_H
/* The MPI library in this process: started when something first asks for it, ended with the process, both by the thread
 * of main(). Other calls may be any thread's, one at a time (MPI_THREAD_SERIALIZED). */
#include <mpi.h>
#include <stdbool.h>

#include "base/sw_err.h"

/** Start MPI, if that was not done yet. All ranks must come here (it waits for them).
 * @return SW_E_COMM the library sees another number of processes than were started; it is another MPI's than that of
 *         the mpirun that started them */
enum sw_status world_start(void);

/** A communicator of all ranks that nobody else uses: the same slot is the same one on all ranks. The library is
 * started. */
enum { WORLD_TEAMS = 4, WORLD_JOB = WORLD_TEAMS, WORLD_SLOTS };
MPI_Comm world_comm(int slot);

/** End all processes at once, with this exit code. */
_Noreturn void world_abort(int code);
#endif
