#ifndef SW_MESSAGE_H
#define SW_MESSAGE_H
/* Messages between two of the processes that were started together (sw_launch.h); collective operations are in
 * sw_comm.h. There are short ones that nobody waits for, and channels.
 *
 * A communicator of the row "mpi" must be in use (sw_comm_run). Any thread may call these functions, also while other
 * threads are in operations of sw_comm.h: a lock serializes what they ask of MPI. What one process sends to another, or
 * through a channel, arrives in the order in which it was sent.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_status.h"

/* ---- short messages. Sending does not wait, and a process looks for messages when it has time: for processes that
 * cannot know when another one needs something. */

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

/* ---- channels between threads: one end sends, the other waits for what comes. Two processes and a tag name a channel,
 * in one direction; both ends have to know the tag, and how many bytes come next. Both ends may be in the same process.
 * All that is sent has to be received: how much MPI buffers is not known, and it may be nothing. Without MPI nobody has
 * a tag to call with. */

enum { SW_CHANNEL_TAGS = 32768 };  /* 0 <= tag < SW_CHANNEL_TAGS, which any MPI has */

/** Return when data may be overwritten: for all that the caller knows, when the other end receives it.
 * @param bytes  at most INT_MAX */
void sw_channel_send(int to, int tag, const void *data, size_t bytes);

/** As sw_channel_send(), but does not wait. @param data  is never overwritten */
void sw_channel_post(int to, int tag, const void *data, size_t bytes);

/** Wait for what comes next. @param bytes  as many as the other end sends */
void sw_channel_receive(int from, int tag, void *data, size_t bytes);

/** Whether something has come. Does not wait. */
bool sw_channel_has(int from, int tag);

/** Between two looks at a channel: the thread sleeps, unless it has waited for less than a sleep lasts.
 * @param waited  seconds so far */
void sw_channel_pause(double waited);
#endif
