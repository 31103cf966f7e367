#include "base/sw_async_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"

enum { ROOM = 16 << 20, PIECE = 4096 };  /* a pipe that is not full takes a piece without waiting */

struct sw_async_stream {
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    int             fd;
    char           *path;
    const char     *told;
    char           *queue;
    size_t          first, count, room;  /* queue[first .. first+count-1] is to be written, of [room]    */
    char            piece[PIECE];        /* that the thread is writing; busy: it is one                  */
    size_t          piece_size;
    bool            busy, given_up;
    int64_t         dropped, untold;     /* lines; of these, not told yet                                */
    int             error;               /* errno of the first write that failed                         */
};

static int64_t lines_of(const char *text, size_t size)
{
    int64_t lines = 0;
    for (size_t k = 0; k < size; k++) lines += text[k] == '\n';
    return lines;
}

/* @return bytes written; fewer: errno says why */
static size_t write_piece(const struct sw_async_stream *o)
{
    size_t done = 0;
    while (done < o->piece_size) {
        const ssize_t got = write(o->fd, o->piece + done, o->piece_size - done);
        if (got > 0) done += (size_t)got;
        else if (got < 0 && errno == EAGAIN) poll(&(struct pollfd){o->fd, POLLOUT, 0}, 1, -1);
        else if (got < 0 && errno != EINTR) break;
    }
    return done;
}

static void note_error(struct sw_async_stream *o, int error)
{
    pthread_mutex_lock(&o->mutex);
    if (!o->error) o->error = error;
    pthread_mutex_unlock(&o->mutex);
}

static void *write_queued(void *argument)
{
    struct sw_async_stream *o = argument;
    if (o->path && (o->fd = open(o->path, O_WRONLY | O_APPEND | O_CLOEXEC)) < 0) note_error(o, errno);
    pthread_mutex_lock(&o->mutex);
    for (;;) {
        while (!o->count) pthread_cond_wait(&o->changed, &o->mutex);
        o->piece_size = o->count < PIECE ? o->count : PIECE;
        memcpy(o->piece, o->queue + o->first, o->piece_size);
        o->first += o->piece_size;
        o->count -= o->piece_size;
        o->busy = true;
        pthread_mutex_unlock(&o->mutex);
        const size_t done = write_piece(o);
        if (done < o->piece_size) note_error(o, errno);
        pthread_mutex_lock(&o->mutex);
        o->dropped += lines_of(o->piece + done, o->piece_size - done);
        o->busy = false;
        pthread_cond_broadcast(&o->changed);
    }
    return NULL;
}

/* The mutex is held. @return false: there is no room */
static bool make_room(struct sw_async_stream *o, size_t size)
{
    if (o->given_up || o->count + size > ROOM) return false;
    if (o->first + o->count + size <= o->room) return true;
    if (o->count) memmove(o->queue, o->queue + o->first, o->count);
    o->first = 0;
    size_t room = o->room ? o->room : 2 * PIECE;
    while (room < o->count + size) room *= 2;
    if (room > o->room && sw_resize(o->room, room, &o->queue)) return false;
    if (room > o->room) o->room = room;
    return true;
}

static void add(struct sw_async_stream *o, const char *text, size_t size)
{
    memcpy(o->queue + o->first + o->count, text, size);
    o->count += size;
    pthread_cond_broadcast(&o->changed);
}

static ssize_t take(void *cookie, const char *text, size_t size)
{
    struct sw_async_stream *o = cookie;
    char told[200] = "";
    pthread_mutex_lock(&o->mutex);
    if (o->untold && o->told) snprintf(told, sizeof told, o->told, (long long)o->untold);
    if (make_room(o, strlen(told) + size)) {
        add(o, told, strlen(told));
        add(o, text, size);
        o->untold = 0;
    } else {
        o->dropped += lines_of(text, size);
        o->untold += lines_of(text, size);
    }
    pthread_mutex_unlock(&o->mutex);
    return (ssize_t)size;
}

bool sw_async_stream_wanted(int fd)
{
    struct stat s;
    return isatty(fd) || (!fstat(fd, &s) && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode)));
}

struct sw_async_stream *sw_async_stream_create(int fd, const char *path, const char *told, FILE **stream)
{
    struct sw_async_stream *o;
    pthread_t thread;
    if (sw_alloc(1, &o)) return NULL;
    o->fd = fd;
    o->told = told;
    o->path = path ? sw_strdup(path) : NULL;
    pthread_mutex_init(&o->mutex, NULL);
    pthread_cond_init(&o->changed, NULL);
    *stream = path && !o->path ? NULL : fopencookie(o, "w", (cookie_io_functions_t){.write = take});
    if (*stream && !pthread_create(&thread, NULL, write_queued, o)) {
        pthread_detach(thread);
        return o;
    }
    if (*stream) fclose(*stream);
    sw_free(o->path);
    sw_free(o);
    return NULL;
}

bool sw_async_stream_lags(struct sw_async_stream *o)
{
    pthread_mutex_lock(&o->mutex);
    const bool lags = o->count || o->busy;
    pthread_mutex_unlock(&o->mutex);
    return lags;
}

int64_t sw_async_stream_wait(struct sw_async_stream *o, double patience, const volatile sig_atomic_t *stop, int *error)
{
    const double hurried = 1;
    double since = sw_clock();
    pthread_mutex_lock(&o->mutex);
    size_t left = o->count;
    while (!o->given_up && (o->count || o->busy)) {
        pthread_mutex_unlock(&o->mutex);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        pthread_mutex_lock(&o->mutex);
        if (o->count != left) since = sw_clock();
        left = o->count;
        if (sw_clock() - since <= (stop && *stop ? fmin(patience, hurried) : patience)) continue;
        o->dropped += lines_of(o->queue + o->first, o->count) + (o->busy ? lines_of(o->piece, o->piece_size) : 0);
        o->given_up = true;
        o->count = 0;
    }
    pthread_mutex_unlock(&o->mutex);
    return sw_async_stream_dropped(o, error);
}

int64_t sw_async_stream_dropped(struct sw_async_stream *o, int *error)
{
    pthread_mutex_lock(&o->mutex);
    const int64_t dropped = o->dropped;
    *error = o->error;
    pthread_mutex_unlock(&o->mutex);
    return dropped;
}

/* ---- stderr */

static struct sw_async_stream *async_stderr;

void sw_async_stderr(void)
{
    FILE *stream;
    if (async_stderr || !sw_async_stream_wanted(STDERR_FILENO)) return;
    fflush(stderr);
    async_stderr = sw_async_stream_create(STDERR_FILENO, NULL,
                                 "warning: %lld lines of messages are missing here: nothing took them\n", &stream);
    if (!async_stderr) return;
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    stderr = stream;  /* the C library's own, and those of other libraries, follow */
}

bool sw_async_stderr_lags(void) { return async_stderr && sw_async_stream_lags(async_stderr); }

bool sw_async_stderr_wait(double patience, const volatile sig_atomic_t *stop)
{
    int error;
    if (!async_stderr) return true;
    fflush(stderr);
    return !sw_async_stream_wait(async_stderr, patience, stop, &error) && !error;
}
