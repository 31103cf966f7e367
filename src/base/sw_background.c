#include "base/sw_background.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/sw_mem.h"

struct sw_background {
    pthread_t       thread;
    bool            has_thread, ends;
    pthread_mutex_t mutex;
    pthread_cond_t  started, done;
    void          (*body)(void *user, int64_t k);
    void           *user;
    int64_t         next, count;  /* next: nobody has taken it yet */
    bool            busy;         /* the thread, with one of them  */
};

/* The mutex is held, and let go of meanwhile. @return false: nothing is left to take */
static bool run_next(struct sw_background *b)
{
    if (b->next == b->count) return false;
    const int64_t k = b->next++;
    pthread_mutex_unlock(&b->mutex);
    b->body(b->user, k);
    pthread_mutex_lock(&b->mutex);
    return true;
}

static void *thread_run(void *argument)
{
    struct sw_background *b = argument;
    pthread_mutex_lock(&b->mutex);
    while (!b->ends) {
        b->busy = true;
        while (run_next(b)) {}
        b->busy = false;
        pthread_cond_signal(&b->done);
        if (!b->ends) pthread_cond_wait(&b->started, &b->mutex);
    }
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

struct sw_background *sw_background_create(void (*body)(void *user, int64_t k), void *user)
{
    struct sw_background *b;
    if (sw_alloc(1, &b)) return NULL;
    b->body = body;
    b->user = user;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->started, NULL);
    pthread_cond_init(&b->done, NULL);
    b->has_thread = !pthread_create(&b->thread, NULL, thread_run, b);
    return b;
}

void sw_background_extend(struct sw_background *b, int64_t count)
{
    pthread_mutex_lock(&b->mutex);
    b->count = count;
    pthread_cond_signal(&b->started);
    pthread_mutex_unlock(&b->mutex);
}

void sw_background_wait(struct sw_background *b)
{
    if (!b) return;
    pthread_mutex_lock(&b->mutex);
    while (run_next(b)) {}
    while (b->busy) pthread_cond_wait(&b->done, &b->mutex);
    b->next = b->count = 0;
    pthread_mutex_unlock(&b->mutex);
}

void sw_background_free(struct sw_background **background)
{
    struct sw_background *b = background ? *background : NULL;
    if (!b) return;
    sw_background_wait(b);
    if (b->has_thread) {
        pthread_mutex_lock(&b->mutex);
        b->ends = true;
        pthread_cond_signal(&b->started);
        pthread_mutex_unlock(&b->mutex);
        pthread_join(b->thread, NULL);
    }
    pthread_cond_destroy(&b->done);
    pthread_cond_destroy(&b->started);
    pthread_mutex_destroy(&b->mutex);
    sw_free(b);
    *background = NULL;
}
