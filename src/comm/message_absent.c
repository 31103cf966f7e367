/* Without MPI a process is alone: there is nobody to send messages to, and there are no channels. */
#include "comm/sw_message.h"

#ifndef SW_HAVE_MPI
#include <assert.h>
#include <stdlib.h>

#include "base/sw_err.h"
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

void sw_channel_send(int to, int tag, const void *data, size_t bytes)
{
    (void)to, (void)tag, (void)data, (void)bytes;
    assert(!"there are no channels");
}

void sw_channel_post(int to, int tag, const void *data, size_t bytes) { sw_channel_send(to, tag, data, bytes); }

void sw_channel_receive(int from, int tag, void *data, size_t bytes) { sw_channel_send(from, tag, data, bytes); }

bool sw_channel_has(int from, int tag)
{
    (void)from, (void)tag;
    return false;
}

void sw_channel_pause(double waited) { (void)waited; }
#endif
