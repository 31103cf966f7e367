#ifndef SW_MESSAGE_H
#define SW_MESSAGE_H
/* Short messages between the processes that were started together (sw_launch.h). Sending does not wait, and a process
 * looks for messages when it has time. Collective operations are in sw_comm.h; this is for processes that cannot know
 * when another one needs something.
 *
 * A communicator of the row "mpi" must be in use (sw_comm_run). Any thread may call these functions, also while other
 * threads are in operations of sw_comm.h: a lock serializes what they ask of MPI. Messages of one process to another
 * arrive in the order in which they were sent.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_status.h"

enum { SW_MESSAGE_BYTES = 1024 };  /* of a message, at most */

/** Send a copy of a message.
 * @param bytes  at most SW_MESSAGE_BYTES
 * @return SW_E_MEMORY; SW_E_ABSENT this build has no MPI */
enum sw_status sw_message_send(int to, const void *message, size_t bytes);

/** Receive the next message, if one is there.
 * @param message  out [SW_MESSAGE_BYTES]
 * @return whether there was one */
bool sw_message_receive(int *from, void *message, size_t *bytes);

/** Wait until MPI has sent all messages. It may need the receivers to look for them. */
void sw_message_flush(void);

/** End all processes at once, with this exit code: one of them does not answer any more. */
_Noreturn void sw_message_abort_job(int code);
#endif
