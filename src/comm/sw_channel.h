#ifndef SW_CHANNEL_H
#define SW_CHANNEL_H
/* Channels between threads of the processes that were started together (sw_launch.h): one end sends, the other waits
 * for what comes. Two processes and a tag name a channel, in one direction; both ends have to know the tag, and how
 * many bytes come next. They arrive in the order in which they were sent. Both ends may be in the same process. All
 * that is sent has to be received: how much MPI buffers is not known, and it may be nothing.
 *
 * As for messages (sw_message.h), a communicator of the row "mpi" must be in use, and any thread may call, also while
 * others are in operations of sw_comm.h. Without MPI nobody has a tag to call with. */
#include <stdbool.h>
#include <stddef.h>

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
