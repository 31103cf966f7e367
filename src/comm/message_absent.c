/* Without MPI a process is alone: there is nobody to send messages to. */
#include "base/sw_err.h"
#include "comm/sw_message.h"

#ifndef SW_HAVE_MPI
#include <stdlib.h>

#include "comm/sw_launch.h"

enum sw_status sw_message_send(int to, const void *message, size_t bytes)
{
    (void)to, (void)message, (void)bytes;
    return SW_FAIL(SW_E_ABSENT, SW_WITHOUT_MPI);
}

bool sw_message_receive(int *from, void *message, size_t *bytes)
{
    (void)from, (void)message, (void)bytes;
    return false;
}

void sw_message_flush(void) {}

void sw_message_abort_job(int code) { exit(code); }
#endif
