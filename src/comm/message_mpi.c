#include <assert.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "comm/sw_message.h"
#include "comm/world_mpi.h"

/* ---- messages that nobody waits for */

/* One that MPI may still read. */
struct pending { struct pending *next; MPI_Request request; char message[SW_MESSAGE_BYTES]; };
static struct pending *pending_list;

static void free_sent_messages(void)
{
    for (struct pending **link = &pending_list; *link;) {
        struct pending *p = *link;
        int sent;
        MPI_Test(&p->request, &sent, MPI_STATUS_IGNORE);
        if (!sent) { link = &p->next; continue; }
        *link = p->next;
        sw_free(p);
    }
}

enum sw_status sw_message_send(int to, const void *message, size_t bytes)
{
    struct pending *p = NULL;
    assert(bytes <= sizeof p->message);
    SW_TRY(sw_alloc(1, &p));
    memcpy(p->message, message, bytes);
    world_lock();
    MPI_Isend(p->message, (int)bytes, MPI_BYTE, to, 0, world_comm(WORLD_MESSAGES), &p->request);
    p->next = pending_list;
    pending_list = p;
    free_sent_messages();
    world_unlock();
    return SW_OK;
}

static bool receive_locked(int *from, void *message, size_t *bytes)
{
    const MPI_Comm world = world_comm(WORLD_MESSAGES);
    int there, length;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, world, &there, &status);
    if (!there) return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    *from = status.MPI_SOURCE;
    *bytes = (size_t)length;
    MPI_Recv(message, SW_MESSAGE_BYTES, MPI_BYTE, *from, 0, world, MPI_STATUS_IGNORE);
    return true;
}

bool sw_message_receive(int *from, void *message, size_t *bytes)
{
    world_lock();
    bool there = receive_locked(from, message, bytes);
    world_unlock();
    return there;
}

void sw_message_flush(void)
{
    const double start = sw_clock();
    for (bool all_sent = false; !all_sent;) {
        world_lock();
        free_sent_messages();
        all_sent = !pending_list;
        world_unlock();
        if (!all_sent) world_pause(sw_clock() - start);
    }
}

void sw_message_abort_job(int code) { world_abort(code); }

/* ---- channels */

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
