#ifndef SW_MESSAGE_H
#define SW_MESSAGE_H
/* Short letters between the processes that were started together (sw_launch.h): sent without waiting, looked for when
 * there is time. What is collective is in sw_comm.h; this is for those who cannot know when another wants something.
 *
 * A communicator of the row "mpi" must be in use (sw_comm_run). Any thread may call these, they take turns, but none
 * while another communicates by sw_comm.h. Letters that a thread sends to another process arrive in order.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_err.h"

enum { SW_MESSAGE_BYTES = 1024 };  /* bytes of a letter */

/** Send a copy of it. @param bytes  at most SW_MESSAGE_BYTES @return SW_E_MEMORY; SW_E_ABSENT this build has no MPI */
enum sw_status sw_message_send(int to, const void *letter, size_t bytes);

/** The next letter, if one is there.
 * @param letter  out [SW_MESSAGE_BYTES]
 * @return whether there was one */
bool sw_message_receive(int *from, void *letter, size_t *bytes);

/** Wait until all that was sent may be forgotten: it is on its way. Those it goes to have to look for it. */
void sw_message_flush(void);

/** End all processes now, with this exit code: one of them does not answer any more. */
_Noreturn void sw_message_abort(int code);
#endif
