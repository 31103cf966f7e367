#include <sched.h>
#include <time.h>

#include "base/sw_clock.h"
#include "comm/sw_channel.h"
#include "comm/world_mpi.h"

/* As comm_mpi.c: a rank that sleeps leaves its processor to those that compute. */
void sw_channel_pause(double waited)
{
    if (waited < 1e-3) sched_yield();
    else nanosleep(&(struct timespec){.tv_nsec = waited < 0.5 ? 50000 : 1000000}, NULL);
}

/* The lock is held while MPI is asked, and not between. */
static void wait_for(MPI_Request *request)
{
    const double start = sw_clock();
    for (;;) {
        int complete;
        world_lock();
        MPI_Test(request, &complete, MPI_STATUS_IGNORE);
        world_unlock();
        if (complete) return;
        sw_channel_pause(sw_clock() - start);
    }
}

void sw_channel_send(int to, int tag, const void *data, size_t bytes)
{
    MPI_Request request;
    world_lock();
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, world_comm(WORLD_CHANNELS), &request);
    world_unlock();
    wait_for(&request);
}

void sw_channel_receive(int from, int tag, void *data, size_t bytes)
{
    MPI_Request request;
    world_lock();
    MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, world_comm(WORLD_CHANNELS), &request);
    world_unlock();
    wait_for(&request);
}

bool sw_channel_has(int from, int tag)
{
    int there;
    world_lock();
    MPI_Iprobe(from, tag, world_comm(WORLD_CHANNELS), &there, MPI_STATUS_IGNORE);
    world_unlock();
    return there;
}
