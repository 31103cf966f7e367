/* The writer thread: a queue of jobs, done one after another on the part being written. */
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_snapshot.h"
#include "run/gather.h"
#include "run/writer.h"

enum { QUEUE = 16 };
enum job_kind { JOB_BEGIN, JOB_SNAPSHOT, JOB_PIECE, JOB_BLANK, JOB_HISTORY, JOB_FINISH, JOB_ABANDON,
                JOB_WRITE, JOB_END };  /* WRITE: what is gathered */

struct job {
    enum job_kind kind;
    struct sw_part_desc desc;                    /* BEGIN   */
    const struct sw_provenance *provenance;
    struct sw_sim *sim;                          /* SNAPSHOT, PIECE */
    int slot, what;                              /* what: of BLANK, too */
    int64_t first, count;                        /* PIECE: points; count: entries of HISTORY, too */
    void   *field;                               /* SNAPSHOT; NULL: the sim's */
    double *defined;                             /* SNAPSHOT */
    double *history;                             /* HISTORY */
    struct sw_run_result *result;                /* FINISH  */
    struct sw_part_state state;
};

struct writer {
    pthread_t       thread;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    bool            started;
    const char     *file;
    struct job      queue[QUEUE];                /* job k is in queue[k % QUEUE]            */
    int64_t         given, begun, finished;      /* numbers of jobs                         */
    int64_t         good;                        /* finished before any failed, and on disk */
    double          finish_seconds;              /* that the last FINISH took               */
    bool            busy[SW_SNAPSHOT_SLOTS];
    int             next_slot;
    struct sw_err_kept failed;                   /* the first job that failed               */
    struct sw_part *part;                        /* the thread's own; NULL: it gathers      */
    struct gather  *gather;                      /* likewise, but for outputs               */
    int64_t        *infinite;                    /* of the runs of a batch                  */
};

static enum sw_status add_field(struct writer *w, const void *field)
{
    if (!gather_has_begun(w->gather)) return sw_part_add_field(w->part, field);
    gather_add_field(w->gather, field);
    return SW_OK;
}

static enum sw_status add_scalars(struct writer *w, const double *scalars, const double *defined)
{
    if (!gather_has_begun(w->gather)) return sw_part_add_scalars(w->part, scalars, defined);
    gather_add_scalars(w->gather, scalars, defined);
    return SW_OK;
}

static enum sw_status write_snapshot(struct writer *w, const struct job *j)
{
    const void *field = NULL;
    const double *scalars = NULL;
    SW_TRY(j->sim->ops->fetch(j->sim, j->slot, &field, &scalars));
    if (j->what & SW_SNAPSHOT_FIELD) SW_TRY(add_field(w, j->field ? j->field : field));
    if (j->what & SW_SNAPSHOT_SCALARS) SW_TRY(add_scalars(w, scalars, j->defined));
    return SW_OK;
}

static enum sw_status write_piece(struct writer *w, const struct job *j)
{
    const void *piece = NULL;
    const double *scalars = NULL;
    SW_TRY(j->sim->ops->fetch(j->sim, j->slot, &piece, &scalars));
    return sw_part_add_piece(w->part, piece, j->first, j->count);
}

static enum sw_status write_blank(struct writer *w, const struct job *j)
{
    if (j->what & SW_SNAPSHOT_FIELD) SW_TRY(add_field(w, NULL));
    if (j->what & SW_SNAPSHOT_SCALARS) SW_TRY(add_scalars(w, NULL, NULL));
    return SW_OK;
}

/* ---- parts, and batches that are gathered for one */

static enum sw_status begin(struct writer *w, const struct job *j)
{
    bool fits;
    const bool takes = gather_takes(w->gather, &j->desc, &fits);
    if (!takes || !fits) SW_TRY(gather_write(w->gather));
    return takes ? gather_begin(w->gather, &j->desc, j->provenance)
                 : sw_part_create(w->file, &j->desc, j->provenance, &w->part);
}

static enum sw_status finish(struct writer *w, struct job *j)
{
    const struct sw_part_state *state = j->state.number ? &j->state : NULL;
    gather_count(w->gather);
    if (!gather_has_begun(w->gather)) return sw_part_commit(&w->part, j->result, state);
    if (state) return gather_break_off(w->gather, j->result, state);
    SW_TRY(gather_end(w->gather, &j->result));
    return gather_due(w->gather) > 0 ? SW_OK : gather_write(w->gather);
}

static enum sw_status abandon(struct writer *w)
{
    sw_part_abandon(&w->part);
    gather_abandon(w->gather);
    return SW_OK;
}

static enum sw_status do_job(struct writer *w, struct job *j)
{
    switch (j->kind) {
    case JOB_BEGIN: return begin(w, j);
    case JOB_SNAPSHOT: return write_snapshot(w, j);
    case JOB_PIECE: return write_piece(w, j);
    case JOB_BLANK: return write_blank(w, j);
    case JOB_HISTORY: return sw_part_add_history(w->part, j->history, j->count);
    case JOB_FINISH: return finish(w, j);
    case JOB_ABANDON: return abandon(w);
    case JOB_WRITE: return gather_write(w->gather);
    case JOB_END: break;
    }
    return SW_OK;
}

static void finish_job(struct writer *w, const struct job *j, enum sw_status st)
{
    sw_free(j->field);
    sw_free(j->defined);
    sw_free(j->history);
    sw_free(j->result);
    sw_free(j->state.number);
    pthread_mutex_lock(&w->mutex);
    sw_err_keep(&w->failed, st);
    if (j->kind == JOB_SNAPSHOT || j->kind == JOB_PIECE) w->busy[j->slot] = false;
    w->finished++;
    if (!w->failed.status && !gather_waits(w->gather)) w->good = w->finished;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

/* OpenMP threads that wait for each other spin for milliseconds and keep this thread from a processor, unless OpenMP
 * counts more threads than processors: then they soon sleep. This thread is one more, but OpenMP counts it only once it
 * has run a parallel region. (Two processors, others at work, an output every 10 steps: 12 to 28 s without, 1.4 to 5.7
 * s with it.) */
static int join_openmp(void)
{
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    return members;
}

/* With OMP_PROC_BIND set, this thread begins bound to the processor of the worker that made it, and the worker computes
 * there: allow it all processors of OpenMP's places. */
static void unbind_thread(void)
{
    int processor[CPU_SETSIZE];
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int place = 0; place < omp_get_num_places(); place++) {
        int count = omp_get_place_num_procs(place);
        if (count > CPU_SETSIZE) continue;
        omp_get_place_proc_ids(place, processor);
        for (int k = 0; k < count; k++) CPU_SET((size_t)processor[k], &all);
    }
    if (CPU_COUNT(&all)) pthread_setaffinity_np(pthread_self(), sizeof all, &all);
}

static void set_finish_seconds(struct writer *w, double seconds)
{
    pthread_mutex_lock(&w->mutex);
    w->finish_seconds = seconds;
    pthread_mutex_unlock(&w->mutex);
}

double writer_finish_seconds(struct writer *w)
{
    pthread_mutex_lock(&w->mutex);
    const double seconds = w->finish_seconds;
    pthread_mutex_unlock(&w->mutex);
    return seconds;
}

/* The next job. The mutex is held. Where there is none in time, what is gathered is written. */
static struct job take_job(struct writer *w)
{
    while (w->begun == w->given) {
        if (!gather_waits(w->gather) || w->failed.status) {
            pthread_cond_wait(&w->changed, &w->mutex);
            continue;
        }
        const double due = gather_due(w->gather);
        const struct timespec until = {(time_t)due, (long)(1e9 * (due - floor(due)))};
        if (pthread_cond_timedwait(&w->changed, &w->mutex, &until) && w->begun == w->given) {
            w->queue[w->given % QUEUE] = (struct job){.kind = JOB_WRITE};
            w->given++;
        }
    }
    return w->queue[w->begun++ % QUEUE];
}

static void *writer_run(void *argument)
{
    struct writer *w = argument;
    struct job j;
    (void)join_openmp();
    unbind_thread();
    do {
        pthread_mutex_lock(&w->mutex);
        j = take_job(w);
        bool dropped = w->failed.status != SW_OK;
        pthread_mutex_unlock(&w->mutex);
        const double begun = sw_clock();
        const enum sw_status st = dropped ? SW_OK : do_job(w, &j);
        if (j.kind == JOB_FINISH) set_finish_seconds(w, sw_clock() - begun);
        finish_job(w, &j, st);
    } while (j.kind != JOB_END);
    abandon(w);
    return NULL;
}

/* Wait until the queue has room. The mutex is held. */
static void enqueue(struct writer *w, const struct job *j)
{
    while (w->given - w->finished >= QUEUE) pthread_cond_wait(&w->changed, &w->mutex);
    w->queue[w->given++ % QUEUE] = *j;
    pthread_cond_broadcast(&w->changed);
}

static enum sw_status give_job(struct writer *w, const struct job *j)
{
    pthread_mutex_lock(&w->mutex);
    enqueue(w, j);
    enum sw_status st = sw_err_raise(&w->failed);
    pthread_mutex_unlock(&w->mutex);
    return st;
}

/* ---- jobs that the caller does itself */

/* Snapshots of this size and less in host memory are written by the thread that gives them: to wake the writer takes
 * 5 to 25 us, longer than to copy them into the part's block. (Two busy processors, a million outputs of 16 points:
 * 24 s by the writer's thread, 2.6 s so.) */
enum { SMALL_BYTES = 16 << 10 };

/* Whether the writer is idle, or soon will be: another kind of job (the end of a part is synced) is not waited for. */
static bool wait_idle(struct writer *w)
{
    for (int64_t k = w->finished; k < w->given; k++)
        if (w->queue[k % QUEUE].kind != JOB_SNAPSHOT) return false;
    while (w->finished < w->given) pthread_cond_wait(&w->changed, &w->mutex);
    return !w->failed.status;
}

/* The queue is empty, and only this thread fills it: the part is ours for the moment. */
static enum sw_status do_job_here(struct writer *w, struct job *j)
{
    const enum sw_status st = do_job(w, j);
    sw_free(j->field);
    sw_free(j->defined);
    pthread_mutex_lock(&w->mutex);
    sw_err_keep(&w->failed, st);
    w->busy[j->slot] = false;
    pthread_mutex_unlock(&w->mutex);
    return st;
}

enum sw_status writer_create(const char *file, struct writer **writer)
{
    struct writer *w = NULL;
    *writer = NULL;
    pthread_condattr_t clock;
    SW_TRY(sw_alloc(1, &w));
    w->file = file;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &clock);
    pthread_condattr_destroy(&clock);
    const enum sw_status st = gather_create(file, &w->gather);
    if (st) {
        writer_destroy(&w);
        return st;
    }
    if (pthread_create(&w->thread, NULL, writer_run, w)) {
        writer_destroy(&w);
        return SW_FAIL(SW_E_MEMORY, "cannot start the writer thread: `ulimit -v` or `ulimit -u` allows no more");
    }
    w->started = true;
    *writer = w;
    return SW_OK;
}

void writer_destroy(struct writer **writer)
{
    struct writer *w = *writer;
    if (!w) return;
    if (w->started) {
        pthread_mutex_lock(&w->mutex);
        enqueue(w, &(struct job){.kind = JOB_END});  /* not give_job(), which may overwrite the caller's message */
        pthread_mutex_unlock(&w->mutex);
        pthread_join(w->thread, NULL);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mutex);
    gather_destroy(&w->gather);
    sw_free(w->infinite);
    sw_free(w);
    *writer = NULL;
}

enum sw_status writer_begin(struct writer *w, const struct sw_part_desc *desc, const struct sw_provenance *provenance)
{
    return give_job(w, &(struct job){.kind = JOB_BEGIN, .desc = *desc, .provenance = provenance});
}

enum sw_status writer_count_infinite(struct writer *w, size_t count, int64_t **infinite)
{
    sw_free(w->infinite);
    enum sw_status st = sw_alloc(count, &w->infinite);
    *infinite = w->infinite;
    return st;
}

enum sw_status writer_slot(struct writer *w, int *slot)
{
    pthread_mutex_lock(&w->mutex);
    *slot = w->next_slot;
    while (w->busy[*slot]) pthread_cond_wait(&w->changed, &w->mutex);  /* slots become free in the order of their use */
    w->busy[*slot] = true;
    w->next_slot = (*slot + 1) % SW_SNAPSHOT_SLOTS;
    enum sw_status st = sw_err_raise(&w->failed);
    if (st) w->busy[*slot] = false;
    pthread_mutex_unlock(&w->mutex);
    return st;
}

void writer_return_slot(struct writer *w, int slot)
{
    pthread_mutex_lock(&w->mutex);
    w->busy[slot] = false;
    w->next_slot = slot;
    pthread_mutex_unlock(&w->mutex);
}

enum sw_status writer_snapshot(struct writer *w, struct sw_sim *sim, int slot, int what, void *field, double *defined,
                               size_t host_bytes)
{
    struct job j = {.kind = JOB_SNAPSHOT, .sim = sim, .slot = slot, .what = what, .field = field, .defined = defined};
    bool here = false;
    if (host_bytes && host_bytes <= SMALL_BYTES) {
        pthread_mutex_lock(&w->mutex);
        here = wait_idle(w);
        pthread_mutex_unlock(&w->mutex);
    }
    return here ? do_job_here(w, &j) : give_job(w, &j);
}

enum sw_status writer_piece(struct writer *w, struct sw_sim *sim, int slot, int64_t first, int64_t count)
{
    return give_job(w, &(struct job){.kind = JOB_PIECE, .sim = sim, .slot = slot, .first = first, .count = count});
}

enum sw_status writer_blank(struct writer *w, int what)
{
    return give_job(w, &(struct job){.kind = JOB_BLANK, .what = what});
}

enum sw_status writer_history(struct writer *w, double *history, int64_t entries)
{
    return give_job(w, &(struct job){.kind = JOB_HISTORY, .history = history, .count = entries});
}

enum sw_status writer_finish(struct writer *w, struct sw_run_result *result, const struct sw_part_state *state)
{
    const struct job j = {.kind = JOB_FINISH, .result = result, .state = *state};
    set_finish_seconds(w, INFINITY);
    return give_job(w, &j);
}

enum sw_status writer_abandon(struct writer *w) { return give_job(w, &(struct job){.kind = JOB_ABANDON}); }

enum sw_status writer_wait_slots(struct writer *w)
{
    pthread_mutex_lock(&w->mutex);
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++)
        while (w->busy[k]) pthread_cond_wait(&w->changed, &w->mutex);
    enum sw_status st = sw_err_raise(&w->failed);
    pthread_mutex_unlock(&w->mutex);
    return st;
}

static enum sw_status wait_until(struct writer *w, int64_t mark)
{
    while (w->finished < mark) pthread_cond_wait(&w->changed, &w->mutex);
    return sw_err_raise(&w->failed);
}

enum sw_status writer_wait_mark(struct writer *w, int64_t mark)
{
    pthread_mutex_lock(&w->mutex);
    enum sw_status st = wait_until(w, mark);
    pthread_mutex_unlock(&w->mutex);
    return st;
}

enum sw_status writer_wait(struct writer *w)
{
    pthread_mutex_lock(&w->mutex);
    enqueue(w, &(struct job){.kind = JOB_WRITE});
    enum sw_status st = wait_until(w, w->given);
    pthread_mutex_unlock(&w->mutex);
    return st;
}

int64_t writer_mark(struct writer *w)
{
    pthread_mutex_lock(&w->mutex);
    int64_t mark = w->given;
    pthread_mutex_unlock(&w->mutex);
    return mark;
}

bool writer_reached(struct writer *w, int64_t mark)
{
    pthread_mutex_lock(&w->mutex);
    bool reached = w->good >= mark;
    pthread_mutex_unlock(&w->mutex);
    return reached;
}

enum sw_status writer_status(struct writer *w)
{
    pthread_mutex_lock(&w->mutex);
    enum sw_status st = sw_err_raise(&w->failed);
    pthread_mutex_unlock(&w->mutex);
    return st;
}
