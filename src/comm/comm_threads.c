/* Ranks are threads of this process, for tests and for machines without MPI.
 *
 * An operation is posted: a rank shows where its numbers are and counts its call. It takes what it needs from the posts
 * of the others as they reach the same call, and stays until those that need its own numbers have them: then its arrays
 * are its own again. All of that is under one lock but the copying. Whoever sees that the calls do not match, or that a
 * rank has left, breaks the team, which wakes all that wait.
 */
#include <pthread.h>
#include <string.h>

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

struct member {
    struct sw_comm     comm;
    struct team       *team;
    pthread_t          thread;
    unsigned long      turn;     /* calls so far, the one under way included   */
    struct post        post;     /* the last call                              */
    pthread_cond_t     shown;    /* there is a new one, or it has left         */
    int                unread;   /* how often its numbers are still to be read */
    int                reading;  /* how many copy from them now                */
    pthread_cond_t     read;     /* both have become 0                         */
    bool               left;     /* its part has returned                      */
    enum sw_status     status;   /* what it returned, then its message:        */
    struct sw_err_kept failure;
};

struct team {
    pthread_mutex_t    lock;     /* of all here, and in its members            */
    pthread_cond_t     ready;    /* begun, or broken before that               */
    bool               begun;    /* all threads are there                      */
    struct sw_err_kept broken;   /* what operations return from now on         */
    int                size;
    struct member     *member;
    sw_comm_part      *part;
    void              *context;
};

/* Keep this thread's failure as the team's, if it is the first, and wake all that wait. */
static enum sw_status break_team(struct team *t, enum sw_status st)
{
    sw_err_keep(&t->broken, st);
    for (int r = 0; r < t->size; r++) {
        pthread_cond_broadcast(&t->member[r].shown);
        pthread_cond_broadcast(&t->member[r].read);
    }
    return sw_err_raise(&t->broken);
}

static bool same(const struct post *a, const struct post *b)
{
    return a->call == b->call && a->periodic == b->periodic && a->count[0] == b->count[0] && a->count[1] == b->count[1];
}

static enum sw_status mismatch(const struct member *a, const struct member *b)
{
    if (a->turn != b->turn)
        return SW_FAIL(SW_E_COMM,
                       "rank %d is at its call %lu, %s, while rank %d is at %lu, %s: all ranks must call the "
                       "same operations",
                       a->comm.rank, a->turn, call_names[a->post.call], b->comm.rank, b->turn,
                       call_names[b->post.call]);
    return SW_FAIL(SW_E_COMM,
                   "call %lu of rank %d is %s of %zu and %zu numbers%s, that of rank %d %s of %zu and %zu%s: "
                   "all ranks must call the same operations",
                   a->turn, a->comm.rank, call_names[a->post.call], a->post.count[0], a->post.count[1],
                   a->post.periodic ? " (periodic)" : "", b->comm.rank, call_names[b->post.call], b->post.count[0],
                   b->post.count[1], b->post.periodic ? " (periodic)" : "");
}

/* Begin a call: show one's numbers, to be read `readers` times. */
static void show(struct member *m, const struct post *post, int readers)
{
    pthread_mutex_lock(&m->team->lock);
    m->post = *post;
    m->turn++;
    m->unread = readers;
    pthread_cond_broadcast(&m->shown);
    pthread_mutex_unlock(&m->team->lock);
}

/* Wait, under the lock, until `from` has shown its numbers of this call. */
static enum sw_status await(struct member *m, struct member *from)
{
    struct team *t = m->team;
    while (!t->broken.status && from->turn < m->turn && !from->left) pthread_cond_wait(&from->shown, &t->lock);
    if (t->broken.status) return sw_err_raise(&t->broken);
    if (from->turn < m->turn)
        return break_team(t, SW_FAIL(SW_E_COMM,
                                     "rank %d has returned after %lu calls, while rank %d waits for it in call "
                                     "%lu, %s",
                                     from->comm.rank, from->turn, m->comm.rank, m->turn, call_names[m->post.call]));
    if (from->turn > m->turn || !same(&from->post, &m->post)) return break_team(t, mismatch(m, from));
    return SW_OK;
}

/* Copy array `which` of another rank. */
static enum sw_status take(struct member *m, int rank, int which, double *to)
{
    struct team *t = m->team;
    struct member *from = &t->member[rank];
    pthread_mutex_lock(&t->lock);
    enum sw_status st = await(m, from);
    if (!st) {
        from->reading++;
        pthread_mutex_unlock(&t->lock);
        if (to && m->post.count[which]) memcpy(to, from->post.data[which], m->post.count[which] * sizeof *to);
        pthread_mutex_lock(&t->lock);
        from->reading--;
        from->unread--;
        if (!from->reading && (!from->unread || t->broken.status)) pthread_cond_signal(&from->read);
    }
    pthread_mutex_unlock(&t->lock);
    return st;
}

/* End a call, after taking what there was to take: wait until one's own numbers have been read, or, in a broken team,
 * until nobody reads them any more. */
static enum sw_status leave(struct member *m, enum sw_status st)
{
    struct team *t = m->team;
    pthread_mutex_lock(&t->lock);
    while (m->reading || (m->unread && !t->broken.status)) pthread_cond_wait(&m->read, &t->lock);
    if (!st && m->unread) st = sw_err_raise(&t->broken);
    pthread_mutex_unlock(&t->lock);
    return st;
}

static enum sw_status threads_exchange(const struct sw_comm *comm, bool periodic,
                                       const struct sw_comm_message *leftward, const struct sw_comm_message *rightward)
{
    struct member *m = comm->own;
    int left = sw_comm_left(comm, periodic), right = sw_comm_right(comm, periodic);
    struct post post = {EXCHANGE, periodic, {leftward->count, rightward->count}, {leftward->send, rightward->send}};
    enum sw_status st = SW_OK;
    show(m, &post, (left >= 0) + (right >= 0));
    if (right >= 0) st = take(m, right, 0, leftward->receive);  /* also of no numbers: both sides meet */
    if (left >= 0 && !st) st = take(m, left, 1, rightward->receive);
    return leave(m, st);
}

static enum sw_status collect(const struct sw_comm *comm, enum call call, size_t count, const double *mine, double *all)
{
    struct member *m = comm->own;
    struct post post = {call, false, {count, 0}, {mine, NULL}};
    enum sw_status st = SW_OK;
    show(m, &post, comm->size);
    for (int r = 0; r < comm->size && !st; r++) st = take(m, r, 0, count ? all + (size_t)r * count : NULL);
    return leave(m, st);
}

static enum sw_status threads_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    return collect(comm, GATHER, count, mine, all);
}

static enum sw_status threads_barrier(const struct sw_comm *comm) { return collect(comm, BARRIER, 0, NULL, NULL); }

/* ---- starting and ending */

/* What the others hear of a rank whose part returned a failure. One that only passes on what it heard itself, from a
 * broken team or by sw_comm_agree(), is quoted as it is. */
static enum sw_status quote(const struct member *m)
{
    sw_err_raise(&m->failure);
    if (m->status == SW_E_COMM) return SW_E_COMM;
    return SW_FAIL(SW_E_COMM, "rank %d of %d: %s", m->comm.rank, m->comm.size, m->failure.message);
}

static void *be_rank(void *arg)
{
    struct member *m = arg;
    struct team *t = m->team;
    pthread_mutex_lock(&t->lock);
    while (!t->begun && !t->broken.status) pthread_cond_wait(&t->ready, &t->lock);
    bool begun = t->begun;
    pthread_mutex_unlock(&t->lock);
    if (!begun) return NULL;

    m->status = t->part(&m->comm, t->context);
    sw_err_keep(&m->failure, m->status);
    pthread_mutex_lock(&t->lock);
    m->left = true;
    if (m->status) break_team(t, quote(m));
    pthread_cond_broadcast(&m->shown);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static enum sw_status start(struct team *t, int *started)
{
    for (*started = 0; *started < t->size; (*started)++) {
        struct member *m = &t->member[*started];
        int error = pthread_create(&m->thread, NULL, be_rank, m);
        if (error) return SW_FAIL(SW_E_COMM, "cannot start thread %d of %d: %s", *started, t->size, strerror(error));
    }
    return SW_OK;
}

/* The failure to report: the lowest rank's that failed on its own, else the lowest rank's that heard of one. */
static enum sw_status outcome(const struct team *t)
{
    const struct member *found = NULL;
    for (int r = t->size - 1; r >= 0; r--) {
        const struct member *m = &t->member[r];
        if (m->status && (m->status != SW_E_COMM || !found || found->status == SW_E_COMM)) found = m;
    }
    return found ? sw_err_raise(&found->failure) : SW_OK;
}

static enum sw_status run_team(struct team *t)
{
    int started;
    enum sw_status st = start(t, &started);
    pthread_mutex_lock(&t->lock);
    t->begun = !st;
    if (st) break_team(t, st);
    pthread_cond_broadcast(&t->ready);
    pthread_mutex_unlock(&t->lock);
    for (int r = 0; r < started; r++) pthread_join(t->member[r].thread, NULL);
    return st ? st : outcome(t);
}

extern const struct sw_comm_ops comm_threads;

static enum sw_status threads_run(int ranks, sw_comm_part *part, void *context)
{
    struct team t = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER, .size = ranks,
                     .part = part, .context = context};
    SW_TRY(sw_alloc((size_t)ranks, &t.member));
    for (int r = 0; r < ranks; r++) {
        struct member *m = &t.member[r];
        m->team = &t;
        pthread_cond_init(&m->shown, NULL);
        pthread_cond_init(&m->read, NULL);
        m->comm = (struct sw_comm){.ops = &comm_threads, .rank = r, .size = ranks, .own = m};
    }
    enum sw_status st = run_team(&t);
    for (int r = 0; r < ranks; r++) {
        pthread_cond_destroy(&t.member[r].shown);
        pthread_cond_destroy(&t.member[r].read);
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
