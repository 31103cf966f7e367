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
    int64_t         next, count, batch;  /* next: nobody has taken it yet */
    bool            busy;                /* the thread with a batch       */
};

/* The mutex is held, and let go of meanwhile. @return false: nothing is left to take */
static bool run_batch(struct sw_background *b)
{
    const int64_t first = b->next, end = b->count - first < b->batch ? b->count : first + b->batch;
    if (first == end) return false;
    b->next = end;
    pthread_mutex_unlock(&b->mutex);
    for (int64_t k = first; k < end; k++) b->body(b->user, k);
    pthread_mutex_lock(&b->mutex);
    return true;
}

static void *thread_run(void *argument)
{
    struct sw_background *b = argument;
    pthread_mutex_lock(&b->mutex);
    while (!b->ends) {
        b->busy = true;
        while (run_batch(b)) {}
        b->busy = false;
        pthread_cond_signal(&b->done);
        if (!b->ends) pthread_cond_wait(&b->started, &b->mutex);
    }
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

static struct sw_background *make(void)
{
    struct sw_background *b;
    if (sw_alloc(1, &b)) return NULL;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->started, NULL);
    pthread_cond_init(&b->done, NULL);
    b->has_thread = !pthread_create(&b->thread, NULL, thread_run, b);
    return b;
}

void sw_background_start(struct sw_background **background, int64_t count, int64_t batch,
                         void (*body)(void *user, int64_t k), void *user)
{
    struct sw_background *b = *background ? *background : (*background = make());
    if (!b) {
        for (int64_t k = 0; k < count; k++) body(user, k);
        return;
    }
    pthread_mutex_lock(&b->mutex);
    b->body = body;
    b->user = user;
    b->batch = batch;
    b->next = 0;
    b->count = count;
    pthread_cond_signal(&b->started);
    pthread_mutex_unlock(&b->mutex);
}

void sw_background_wait(struct sw_background *b)
{
    if (!b) return;
    pthread_mutex_lock(&b->mutex);
    while (run_batch(b)) {}
    while (b->busy) pthread_cond_wait(&b->done, &b->mutex);
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
