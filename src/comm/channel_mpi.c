#include "comm/sw_channel.h"
#include "comm/world_mpi.h"

void sw_channel_send(int to, int tag, const void *data, size_t bytes)
{
    MPI_Request request;
    world_lock();
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, world_comm(WORLD_CHANNELS), &request);
    world_unlock();
    world_wait(1, &request, 0);
}

/* MPI completes it by itself. Whoever takes it exits afterwards, and finalize() waits for all. */
void sw_channel_post(int to, int tag, const void *data, size_t bytes)
{
    MPI_Request request;
    world_lock();
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, world_comm(WORLD_CHANNELS), &request);
    MPI_Request_free(&request);
    world_unlock();
}

void sw_channel_receive(int from, int tag, void *data, size_t bytes)
{
    MPI_Request request;
    world_lock();
    MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, world_comm(WORLD_CHANNELS), &request);
    world_unlock();
    world_wait(1, &request, 0);
}

bool sw_channel_has(int from, int tag)
{
    int there;
    world_lock();
    MPI_Iprobe(from, tag, world_comm(WORLD_CHANNELS), &there, MPI_STATUS_IGNORE);
    world_unlock();
    return there;
}

void sw_channel_pause(double waited) { world_pause(waited); }
