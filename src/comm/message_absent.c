/* Without MPI a process is alone: there is nobody to write to. */
#include "comm/sw_message.h"

#ifndef SW_HAVE_MPI
#include <stdlib.h>

#include "comm/sw_launch.h"

enum sw_status sw_message_send(int to, const void *letter, size_t bytes)
{
    (void)to, (void)letter, (void)bytes;
    return SW_FAIL(SW_E_ABSENT, SW_WITHOUT_MPI);
}

bool sw_message_receive(int *from, void *letter, size_t *bytes)
{
    (void)from, (void)letter, (void)bytes;
    return false;
}

void sw_message_flush(void) {}

void sw_message_abort(int code) { exit(code); }
#endif
