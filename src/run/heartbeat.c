#include "run/heartbeat.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

enum { SECONDS = 5 };  /* between two */

struct heartbeat {
    int             first, end;
    void          (*send)(int rank);
    bool            stop;
    pthread_t       thread;
    pthread_mutex_t mutex;
    pthread_cond_t  stopped;
};

static void *heartbeat_run(void *argument)
{
    struct heartbeat *h = argument;
    pthread_mutex_lock(&h->mutex);
    while (!h->stop) {
        struct timespec next;
        int error = 0;
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec += SECONDS;
        while (!h->stop && error != ETIMEDOUT) error = pthread_cond_timedwait(&h->stopped, &h->mutex, &next);
        for (int rank = h->first; rank < h->end && !h->stop; rank++) h->send(rank);
    }
    pthread_mutex_unlock(&h->mutex);
    return NULL;
}

static void heartbeat_free(struct heartbeat *h)
{
    pthread_cond_destroy(&h->stopped);
    pthread_mutex_destroy(&h->mutex);
    sw_free(h);
}

enum sw_status heartbeat_start(int first, int end, void (*send)(int rank), struct heartbeat **beat)
{
    pthread_condattr_t clock;
    struct heartbeat *h;
    *beat = NULL;
    SW_TRY(sw_alloc(1, &h));
    *h = (struct heartbeat){.first = first, .end = end, .send = send};
    pthread_mutex_init(&h->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&h->stopped, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&h->thread, NULL, heartbeat_run, h)) {
        heartbeat_free(h);
        return SW_FAIL(SW_E_MEMORY, "cannot start the thread that sends heartbeats");
    }
    *beat = h;
    return SW_OK;
}

void heartbeat_stop(struct heartbeat **beat)
{
    struct heartbeat *h = *beat;
    if (!h) return;
    pthread_mutex_lock(&h->mutex);
    h->stop = true;
    pthread_cond_signal(&h->stopped);
    pthread_mutex_unlock(&h->mutex);
    pthread_join(h->thread, NULL);
    heartbeat_free(h);
    *beat = NULL;
}
