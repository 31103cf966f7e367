/* Heartbeats: a thread sends them, so that a process whose main thread waits for a file system is not taken for dead;
 * and ranks from which nothing comes any more are noticed. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/sw_late.h"
#include "base/sw_mem.h"
#include "run/processes_impl.h"

/* Seconds: between heartbeats; of silence, after which a rank is taken for dead; for an answer to a stop, before the
 * silence is reported. The last is less than the time after which mpirun, when one process has died, kills the others
 * (1 s). */
static const double heartbeat_every = 5, dead_after = 40, answer_within = 0.25;

/* ---- sending */

struct heartbeat {
    const struct sw_comm *comm;
    bool            end;
    pthread_t       thread;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
};

/* Clients that have exited receive messages until RELEASE, after which none is sent. A heartbeat that is lost for want
 * of memory does no harm. */
static void send_heartbeats(const struct sw_comm *comm)
{
    const int first = comm->rank ? 0 : 1, end = comm->rank ? 1 : comm->size;
    for (int k = first; k < end; k++) send_kind(k, HEARTBEAT);
}

static struct timespec clock_in(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double nanoseconds = (double)t.tv_nsec + 1e9 * fmod(seconds, 1);
    t.tv_sec += (time_t)seconds + (nanoseconds >= 1e9);
    t.tv_nsec = (long)(nanoseconds >= 1e9 ? nanoseconds - 1e9 : nanoseconds);
    return t;
}

static void *heartbeat_run(void *argument)
{
    struct heartbeat *h = argument;
    pthread_mutex_lock(&h->mutex);
    while (!h->end) {
        const struct timespec next = clock_in(heartbeat_every);
        int error = 0;
        while (!h->end && error != ETIMEDOUT) error = pthread_cond_timedwait(&h->changed, &h->mutex, &next);
        if (!h->end) send_heartbeats(h->comm);
    }
    pthread_mutex_unlock(&h->mutex);
    return NULL;
}

static void heartbeat_free(struct heartbeat *h)
{
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->mutex);
    sw_free(h);
}

enum sw_status heartbeat_start(struct sw_processes *p)
{
    pthread_condattr_t clock;
    struct heartbeat *h;
    SW_TRY(sw_alloc(1, &h));
    h->comm = p->comm;
    pthread_mutex_init(&h->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&h->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&h->thread, NULL, heartbeat_run, h)) {
        heartbeat_free(h);
        return SW_FAIL(SW_E_MEMORY, "cannot start the thread that sends heartbeats");
    }
    p->heartbeat = h;
    return SW_OK;
}

void heartbeat_stop(struct sw_processes *p)
{
    struct heartbeat *h = p->heartbeat;
    if (!h) return;
    pthread_mutex_lock(&h->mutex);
    h->end = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->mutex);
    pthread_join(h->thread, NULL);
    heartbeat_free(h);
    p->heartbeat = NULL;
}

/* ---- silent ranks */

/* Printed here, and not by main(): mpirun may kill this process before it gets there. */
static void print_silent_rank(const struct sw_processes *p, int rank, const char *what)
{
    const struct sw_comm *c = p->comm;
    if (c->rank) fprintf(stderr, "rank %d of %d on %s: ", c->rank, c->size, p->host[c->rank]);
    fprintf(stderr, "rank %d of %d on %s %s; what is on disk is whole: run the same command again to continue\n", rank,
            c->size, p->host[rank], what);
}

void heartbeat_check(struct sw_processes *p, int rank, double now)
{
    struct peer *peer = &p->peer[rank];
    char text[64];
    if (peer->exited) return;
    if (now - peer->last_message > dead_after) {
        snprintf(text, sizeof text, "has sent nothing for %.0f s", now - peer->last_message);
        print_silent_rank(p, rank, text);
        sw_late_stderr_wait(1, NULL);
        sw_message_abort_job(sw_status_exit_code(SW_E_COMM));
    }
    const bool no_answer = p->stop_sent && now - p->stop_sent > answer_within && peer->last_message < p->stop_sent;
    if (!no_answer || peer->suspected || p->comm->rank > 1) return;  /* one client that reports it is enough */
    peer->suspected = true;
    print_silent_rank(p, rank, "does not answer");
}

void heartbeat_allow_for_suspension(struct sw_processes *p, double now)
{
    const double since = p->polled > 0 ? now - p->polled : 0;
    for (int k = 0; k < p->comm->size && since > 5; k++) p->peer[k].last_message += since;
    p->polled = now;
}
