#include "comm/sw_message.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/sw_mem.h"
#include "comm/world_mpi.h"

/* A letter on its way, until MPI has let go of it. */
struct sent { struct sent *next; MPI_Request request; char letter[SW_MESSAGE_BYTES]; };
static struct sent *on_their_way;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;  /* MPI serves one thread at a time */

static void forget_what_arrived(void)
{
    for (struct sent **at = &on_their_way; *at;) {
        struct sent *s = *at;
        int over;
        MPI_Test(&s->request, &over, MPI_STATUS_IGNORE);
        if (!over) { at = &s->next; continue; }
        *at = s->next;
        sw_free(s);
    }
}

enum sw_status sw_message_send(int to, const void *letter, size_t bytes)
{
    struct sent *s = NULL;
    assert(bytes <= sizeof s->letter);
    SW_TRY(sw_alloc(1, &s));
    memcpy(s->letter, letter, bytes);
    pthread_mutex_lock(&turn);
    MPI_Isend(s->letter, (int)bytes, MPI_BYTE, to, 0, world_comm(WORLD_JOB), &s->request);
    s->next = on_their_way;
    on_their_way = s;
    forget_what_arrived();
    pthread_mutex_unlock(&turn);
    return SW_OK;
}

static bool receive(int *from, void *letter, size_t *bytes)
{
    int there, length;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, world_comm(WORLD_JOB), &there, &status);
    if (!there) return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    *from = status.MPI_SOURCE;
    *bytes = (size_t)length;
    MPI_Recv(letter, SW_MESSAGE_BYTES, MPI_BYTE, *from, 0, world_comm(WORLD_JOB), MPI_STATUS_IGNORE);
    return true;
}

bool sw_message_receive(int *from, void *letter, size_t *bytes)
{
    pthread_mutex_lock(&turn);
    bool there = receive(from, letter, bytes);
    pthread_mutex_unlock(&turn);
    return there;
}

void sw_message_flush(void)
{
    pthread_mutex_lock(&turn);
    while (on_their_way) forget_what_arrived();
    pthread_mutex_unlock(&turn);
}

void sw_message_abort(int code) { world_abort(code); }
