/* Ranks are threads of this process, for tests and for machines without MPI.
 *
 * A rank posts each call: it publishes where its numbers are and increments its count of calls. It copies what it needs
 * from the posts of other ranks as they reach the same call, and returns once the others have copied its own numbers:
 * then its arrays are its own again. One lock guards all of that but the copying. A rank that sees that calls do not
 * match, or that another rank has returned, fails the communicator, which wakes all ranks that wait.
 */
#include <pthread.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"

enum call { EXCHANGE, GATHER, BARRIER };
static const char *const call_names[] = {"exchange", "gather", "barrier"};

struct post {
    enum call     call;
    bool          periodic;
    size_t        count[2];  /* exchange: leftward, rightward; gather: count, 0 */
    const double *data[2];
};

struct rank {
    struct sw_comm     comm;
    struct shared     *shared;
    pthread_t          thread;
    unsigned long      calls;    /* so far, with the present one               */
    struct post        post;     /* the last call                              */
    pthread_cond_t     posted;   /* signals a new post, or that it returned    */
    int                uncopied; /* copies of its numbers still to be made     */
    int                copying;  /* copies being made now                      */
    pthread_cond_t     copied;   /* signals that both have become 0            */
    bool               returned; /* its part has                               */
    enum sw_status     status;   /* of its part, with its message:             */
    struct sw_err_kept failure;
};

struct shared {
    pthread_mutex_t    lock;     /* of all here, and in its members            */
    pthread_cond_t     ready;    /* signals begun or failed                    */
    bool               begun;    /* all threads have started                   */
    struct sw_err_kept failed;   /* what operations return from now on         */
    int                size;
    struct rank       *member;   /* [size]                                     */
    sw_comm_part      *part;
    void              *context;
};

/* Keep this thread's failure as the communicator's, if it is the first, and wake all ranks that wait. */
static enum sw_status fail_communicator(struct shared *s, enum sw_status st)
{
    sw_err_keep(&s->failed, st);
    for (int r = 0; r < s->size; r++) {
        pthread_cond_broadcast(&s->member[r].posted);
        pthread_cond_broadcast(&s->member[r].copied);
    }
    return sw_err_raise(&s->failed);
}

static bool same(const struct post *a, const struct post *b)
{
    return a->call == b->call && a->periodic == b->periodic && a->count[0] == b->count[0] && a->count[1] == b->count[1];
}

static enum sw_status mismatch(const struct rank *a, const struct rank *b)
{
    if (a->calls != b->calls)
        return SW_FAIL(SW_E_COMM,
                       "rank %d is at its call %lu, %s, while rank %d is at %lu, %s: all ranks must call the "
                       "same operations",
                       a->comm.rank, a->calls, call_names[a->post.call], b->comm.rank, b->calls,
                       call_names[b->post.call]);
    return SW_FAIL(SW_E_COMM,
                   "call %lu of rank %d is %s of %zu and %zu numbers%s, that of rank %d %s of %zu and %zu%s: "
                   "all ranks must call the same operations",
                   a->calls, a->comm.rank, call_names[a->post.call], a->post.count[0], a->post.count[1],
                   a->post.periodic ? " (periodic)" : "", b->comm.rank, call_names[b->post.call], b->post.count[0],
                   b->post.count[1], b->post.periodic ? " (periodic)" : "");
}

static enum sw_status returned_early(const struct rank *m, const struct rank *from)
{
    return SW_FAIL(SW_E_COMM, "rank %d has returned after %lu calls, while rank %d waits for it in call %lu, %s",
                   from->comm.rank, from->calls, m->comm.rank, m->calls, call_names[m->post.call]);
}

/* Begin a call: publish this rank's numbers, of which the other ranks make so many copies. */
static void post_call(struct rank *m, const struct post *post, int copies)
{
    pthread_mutex_lock(&m->shared->lock);
    m->post = *post;
    m->calls++;
    m->uncopied = copies;
    pthread_cond_broadcast(&m->posted);
    pthread_mutex_unlock(&m->shared->lock);
}

/* Wait, under the lock, until `from` has posted this call. */
static enum sw_status wait_for_post(struct rank *m, struct rank *from)
{
    struct shared *s = m->shared;
    while (!s->failed.status && from->calls < m->calls && !from->returned) pthread_cond_wait(&from->posted, &s->lock);
    if (s->failed.status) return sw_err_raise(&s->failed);
    if (from->calls < m->calls)
        return fail_communicator(s, returned_early(m, from));
    if (from->calls > m->calls || !same(&from->post, &m->post)) return fail_communicator(s, mismatch(m, from));
    return SW_OK;
}

/* Copy array `which` of another rank. */
static enum sw_status copy_numbers(struct rank *m, int rank, int which, double *to)
{
    struct shared *s = m->shared;
    struct rank *from = &s->member[rank];
    pthread_mutex_lock(&s->lock);
    enum sw_status st = wait_for_post(m, from);
    if (!st) {
        from->copying++;
        pthread_mutex_unlock(&s->lock);
        if (to && m->post.count[which]) memcpy(to, from->post.data[which], m->post.count[which] * sizeof *to);
        pthread_mutex_lock(&s->lock);
        from->copying--;
        from->uncopied--;
        if (!from->copying && (!from->uncopied || s->failed.status)) pthread_cond_signal(&from->copied);
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

/* End a call: wait until the other ranks have copied this rank's numbers, or, once the communicator has failed, until
 * none of them is copying. */
static enum sw_status wait_until_copied(struct rank *m, enum sw_status st)
{
    struct shared *s = m->shared;
    pthread_mutex_lock(&s->lock);
    while (m->copying || (m->uncopied && !s->failed.status)) pthread_cond_wait(&m->copied, &s->lock);
    if (!st && m->uncopied) st = sw_err_raise(&s->failed);
    pthread_mutex_unlock(&s->lock);
    return st;
}

static enum sw_status threads_exchange(const struct sw_comm *comm, bool periodic,
                                       const struct sw_comm_transfer *leftward,
                                       const struct sw_comm_transfer *rightward)
{
    struct rank *m = comm->own;
    int left = sw_comm_left(comm, periodic), right = sw_comm_right(comm, periodic);
    struct post post = {EXCHANGE, periodic, {leftward->count, rightward->count}, {leftward->send, rightward->send}};
    enum sw_status st = SW_OK;
    post_call(m, &post, (left >= 0) + (right >= 0));
    if (right >= 0) st = copy_numbers(m, right, 0, leftward->receive);  /* also for no numbers: the ranks synchronize */
    if (left >= 0 && !st) st = copy_numbers(m, left, 1, rightward->receive);
    return wait_until_copied(m, st);
}

static enum sw_status gather_call(const struct sw_comm *comm, enum call call, size_t count, const double *mine,
                                  double *all)
{
    struct rank *m = comm->own;
    struct post post = {call, false, {count, 0}, {mine, NULL}};
    enum sw_status st = SW_OK;
    post_call(m, &post, comm->size);
    for (int r = 0; r < comm->size && !st; r++) st = copy_numbers(m, r, 0, count ? all + (size_t)r * count : NULL);
    return wait_until_copied(m, st);
}

static enum sw_status threads_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    return gather_call(comm, GATHER, count, mine, all);
}

static enum sw_status threads_barrier(const struct sw_comm *comm) { return gather_call(comm, BARRIER, 0, NULL, NULL); }

/* ---- starting and ending */

/* What operations of the other ranks return after this rank's part has failed. A failure that the rank itself got from
 * an operation or from sw_comm_agree() keeps its message. */
static enum sw_status failure_for_others(const struct rank *m)
{
    sw_err_raise(&m->failure);
    if (m->status == SW_E_COMM) return SW_E_COMM;
    return SW_FAIL(SW_E_COMM, "rank %d of %d: %s", m->comm.rank, m->comm.size, m->failure.message);
}

static void *rank_main(void *arg)
{
    struct rank *m = arg;
    struct shared *s = m->shared;
    pthread_mutex_lock(&s->lock);
    while (!s->begun && !s->failed.status) pthread_cond_wait(&s->ready, &s->lock);
    bool begun = s->begun;
    pthread_mutex_unlock(&s->lock);
    if (!begun) return NULL;

    m->status = s->part(&m->comm, s->context);
    sw_err_keep(&m->failure, m->status);
    pthread_mutex_lock(&s->lock);
    m->returned = true;
    if (m->status) fail_communicator(s, failure_for_others(m));
    pthread_cond_broadcast(&m->posted);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static enum sw_status start_threads(struct shared *s, int *started)
{
    for (*started = 0; *started < s->size; (*started)++) {
        struct rank *m = &s->member[*started];
        int error = pthread_create(&m->thread, NULL, rank_main, m);
        if (error) return SW_FAIL(SW_E_COMM, "cannot start thread %d of %d: %s", *started, s->size, strerror(error));
    }
    return SW_OK;
}

/* The failure to report: the lowest rank's of those that failed on their own, else the lowest rank's of those that got
 * one from an operation. */
static enum sw_status failure_to_report(const struct shared *s)
{
    const struct rank *found = NULL;
    for (int r = s->size - 1; r >= 0; r--) {
        const struct rank *m = &s->member[r];
        if (m->status && (m->status != SW_E_COMM || !found || found->status == SW_E_COMM)) found = m;
    }
    return found ? sw_err_raise(&found->failure) : SW_OK;
}

static enum sw_status run_ranks(struct shared *s)
{
    int started;
    enum sw_status st = start_threads(s, &started);
    pthread_mutex_lock(&s->lock);
    s->begun = !st;
    if (st) fail_communicator(s, st);
    pthread_cond_broadcast(&s->ready);
    pthread_mutex_unlock(&s->lock);
    for (int r = 0; r < started; r++) pthread_join(s->member[r].thread, NULL);
    return st ? st : failure_to_report(s);
}

extern const struct sw_comm_ops comm_threads;

static enum sw_status threads_run(int ranks, sw_comm_part *part, void *context)
{
    struct shared t = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER, .size = ranks,
                     .part = part, .context = context};
    SW_TRY(sw_alloc((size_t)ranks, &t.member));
    for (int r = 0; r < ranks; r++) {
        struct rank *m = &t.member[r];
        m->shared = &t;
        pthread_cond_init(&m->posted, NULL);
        pthread_cond_init(&m->copied, NULL);
        m->comm = (struct sw_comm){.ops = &comm_threads, .rank = r, .size = ranks, .own = m};
    }
    enum sw_status st = run_ranks(&t);
    for (int r = 0; r < ranks; r++) {
        pthread_cond_destroy(&t.member[r].posted);
        pthread_cond_destroy(&t.member[r].copied);
    }
    pthread_cond_destroy(&t.ready);
    pthread_mutex_destroy(&t.lock);
    sw_free(t.member);
    return st;
}

static bool threads_fits(int ranks) { return ranks <= 256; }  /* a thread each, with its stack */

const struct sw_comm_ops comm_threads = {
    .name = "threads",
    .about = "ranks are threads of this process",
    .space = SW_HOST,
    .fits = threads_fits,
    .run = threads_run,
    .exchange = threads_exchange,
    .gather = threads_gather,
    .gather_host = threads_gather,
    .barrier = threads_barrier,
};
