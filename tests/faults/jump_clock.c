/* A library to preload: other clocks.
 * JUMP  the clock on the wall, as the program sees it, is set by so many seconds (a day back: -86400) when it is first
 *       asked and again at every second look, back and forth; clocks that nobody can set go on as they are
 * LOOK  the steady clock goes so many seconds further at each look. A time limit is then reached after about as many
 *       chunks of steps on every machine, however fast it computes
 *     LD_PRELOAD=build/jump_clock.so JUMP=-86400 ./sweep ... */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static atomic_long looks;

static time_t jump(void)
{
    const char *by = getenv("JUMP");
    return by && atomic_fetch_add(&looks, 1) % 2 == 0 ? (time_t)atol(by) : 0;
}

static void go_further(struct timespec *t)
{
    static atomic_long steady_looks;
    const char *look = getenv("LOOK");
    if (!look) return;
    const double by = atof(look) * (double)atomic_fetch_add(&steady_looks, 1);
    t->tv_sec += (time_t)by;
    t->tv_nsec += (long)(1e9 * (by - (double)(time_t)by));
    t->tv_sec += t->tv_nsec / 1000000000;
    t->tv_nsec %= 1000000000;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = next(clock, t);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) t->tv_sec += jump();
    if (!failed && clock == CLOCK_MONOTONIC) go_further(t);
    return failed;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return failed;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
