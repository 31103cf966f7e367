#include "run/pulse.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "base/sw_mem.h"

struct pulse {
    double  every;
    void  (*beat)(void *user);
    void   *user;
    bool    over;
    pthread_t       thread;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
};

static struct timespec in(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double then = (double)t.tv_nsec + 1e9 * fmod(seconds, 1);
    t.tv_sec += (time_t)seconds + (then >= 1e9);
    t.tv_nsec = (long)(then >= 1e9 ? then - 1e9 : then);
    return t;
}

static void *run(void *argument)
{
    struct pulse *p = argument;
    pthread_mutex_lock(&p->mutex);
    while (!p->over) {
        const struct timespec next = in(p->every);
        int why = 0;
        while (!p->over && why != ETIMEDOUT) why = pthread_cond_timedwait(&p->changed, &p->mutex, &next);
        if (!p->over) p->beat(p->user);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void release(struct pulse *p)
{
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->mutex);
    sw_free(p);
}

enum sw_status pulse_start(double every, void (*beat)(void *user), void *user, struct pulse **pulse)
{
    pthread_condattr_t clock;
    struct pulse *p;
    *pulse = NULL;
    SW_TRY(sw_alloc(1, &p));
    p->every = every;
    p->beat = beat;
    p->user = user;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&p->thread, NULL, run, p)) {
        release(p);
        return SW_FAIL(SW_E_MEMORY, "cannot start the thread that gives signs of life");
    }
    *pulse = p;
    return SW_OK;
}

void pulse_stop(struct pulse **pulse)
{
    struct pulse *p = pulse ? *pulse : NULL;
    if (!p) return;
    pthread_mutex_lock(&p->mutex);
    p->over = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    pthread_join(p->thread, NULL);
    release(p);
    *pulse = NULL;
}
