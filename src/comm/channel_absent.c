/* Without MPI a process is alone: there are no channels, and nobody calls these. */
#include "comm/sw_channel.h"

#ifndef SW_HAVE_MPI
#include <assert.h>

void sw_channel_pause(double waited) { (void)waited; }

void sw_channel_send(int to, int tag, const void *data, size_t bytes)
{
    (void)to, (void)tag, (void)data, (void)bytes;
    assert(!"there are no channels");
}

void sw_channel_post(int to, int tag, const void *data, size_t bytes)
{
    (void)to, (void)tag, (void)data, (void)bytes;
    assert(!"there are no channels");
}

void sw_channel_receive(int from, int tag, void *data, size_t bytes)
{
    (void)from, (void)tag, (void)data, (void)bytes;
    assert(!"there are no channels");
}

bool sw_channel_has(int from, int tag)
{
    (void)from, (void)tag;
    return false;
}
#endif
