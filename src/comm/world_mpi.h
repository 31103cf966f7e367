#ifndef WORLD_MPI_H
#define WORLD_MPI_H
/* The MPI library in this process. It is started when something first asks for it and finalized at exit, both by the
 * thread of main(). Any thread makes the other calls, one at a time (MPI_THREAD_SERIALIZED): under world_lock(). */
#include <mpi.h>
#include <stdbool.h>

#include "base/sw_status.h"

/** Start MPI, unless it is started. Collective over all processes.
 * @return SW_E_COMM the library finds another number of processes than were started: it is not the MPI of the mpirun
 *         that started them */
enum sw_status world_start(void);

/** A communicator of all processes for one purpose; the library is started. */
enum world_purpose {
    WORLD_OPERATIONS,  /* of sw_comm.h                     */
    WORLD_ENDS,        /* the end of a part: comm_mpi.c    */
    WORLD_MESSAGES,    /* of sw_message.h                  */
    WORLD_CHANNELS,    /* of its channels                  */
    WORLD_PURPOSES
};
MPI_Comm world_comm(enum world_purpose purpose);

/** MPI serves one thread at a time: each call of it is made with the lock held. Nobody waits for another rank with it,
 * but in MPI_Comm_split(), which all ranks are about to call then. */
void world_lock(void);
void world_unlock(void);

/** Wait for requests. The lock is held while MPI is asked, and not between.
 * @param limit  seconds to wait; 0: without a limit
 * @return whether all requests are complete */
bool world_wait(int count, MPI_Request *request, double limit);

/** Between two looks at MPI. @param waited  seconds so far */
void world_pause(double waited);

/** End all processes at once, with this exit code. */
_Noreturn void world_abort(int code);
#endif
