#include "problem/fields/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_mem.h"

enum { SPINS = 1 << 12, YIELDS = 1 << 14 };   /* looks of some 20 ns each: before a helper sleeps, the caller yields */
enum { ZERO = 1 << 20 };                      /* numbers in `open` are counted from here: takers in vain go below 0 */

struct helper { struct fields_team *team; int number; pthread_t id; };

struct fields_team {
    int helpers;
    void (*work)(void *user, int thread, int k);
    void *user;
    _Alignas(64) _Atomic uint64_t open;  /* tasks that nobody has: the first one, and (high) that behind the last one */
    _Alignas(64) atomic_int       done;
    _Alignas(64) atomic_int       asleep;
    atomic_bool     ends;
    pthread_mutex_t lock;                /* of going to sleep */
    pthread_cond_t  wake;
    struct helper  *helper;
};

static void pause_briefly(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* ------------------------------------------------------------------ tasks */

static bool has_tasks(struct fields_team *t)
{
    const uint64_t open = atomic_load(&t->open);
    return (uint32_t)open < open >> 32;
}

/* A task that was open; -1: there is none. What belongs to it is there until it is done. */
static int take_task(struct fields_team *t, int thread)
{
    if (!has_tasks(t)) return -1;
    const bool last = thread % 2;
    const uint64_t open = last ? atomic_fetch_sub(&t->open, (uint64_t)1 << 32) : atomic_fetch_add(&t->open, 1);
    const uint32_t first = (uint32_t)open, end = (uint32_t)(open >> 32);
    if (first >= end) return -1;
    return (int)((last ? end - 1 : first) - ZERO);
}

static void do_tasks(struct fields_team *t, int thread)
{
    for (int k = take_task(t, thread); k >= 0; k = take_task(t, thread)) {
        t->work(t->user, thread, k);
        atomic_fetch_add(&t->done, 1);
    }
}

/* ------------------------------------------------------------------ helpers */

static void sleep_until_called(struct fields_team *t)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->asleep, 1);
    while (!has_tasks(t) && !atomic_load(&t->ends)) pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->lock);
}

static void call_sleepers(struct fields_team *t)
{
    if (!atomic_load(&t->asleep)) return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

static void *help(void *user)
{
    const struct helper *h = user;
    struct fields_team *t = h->team;
    while (!atomic_load(&t->ends)) {
        int spins = 0;
        for (; spins < SPINS && !has_tasks(t) && !atomic_load(&t->ends); spins++) pause_briefly();
        if (spins == SPINS) sleep_until_called(t);
        do_tasks(t, h->number);
    }
    return NULL;
}

/* ------------------------------------------------------------------ passes, life */

void fields_team_each(struct fields_team *t, int count, void (*work)(void *user, int thread, int k), void *user)
{
    if (count < 1) return;
    t->work = work;
    t->user = user;
    atomic_store(&t->done, 0);
    atomic_store(&t->open, ((uint64_t)ZERO + (uint64_t)count) << 32 | ZERO);
    call_sleepers(t);
    do_tasks(t, 0);
    for (int spins = 0; atomic_load(&t->done) < count;) {
        if (spins < YIELDS) {
            pause_briefly();
            spins++;
        } else {
            sched_yield();
        }
    }
}

enum sw_status fields_team_create(int threads, struct fields_team **team)
{
    struct fields_team *t;
    enum sw_status st;
    *team = NULL;
    SW_TRY(sw_alloc(1, &t));
    if ((st = sw_alloc((size_t)threads, &t->helper))) {
        sw_free(t);
        return st;
    }
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    for (int k = 1; k < threads; k++) {
        struct helper *h = &t->helper[t->helpers];
        *h = (struct helper){.team = t, .number = k};
        if (!pthread_create(&h->id, NULL, help, h)) t->helpers++;
    }
    *team = t;
    return SW_OK;
}

void fields_team_destroy(struct fields_team **team)
{
    struct fields_team *t = *team;
    if (!t) return;
    atomic_store(&t->ends, true);
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    for (int k = 0; k < t->helpers; k++) pthread_join(t->helper[k].id, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    sw_free(t->helper);
    sw_free(t);
    *team = NULL;
}
