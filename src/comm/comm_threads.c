/* Ranks are threads of this process, for tests, for machines without MPI, and for GPUs of one process.
 *
 * A rank posts each call: it publishes where its numbers are and increments its count of calls. It copies what it needs
 * from the posts of other ranks as they reach the same call, and returns once the others have copied its own numbers:
 * then its arrays are its own again. One lock guards all of that but the copying. A rank that sees that calls do not
 * match, or that another rank has returned, fails all communicators, which wakes all ranks that wait.
 *
 * The communicator that sw_comm_run() makes and its parts are groups, which share the lock and the failure.
 */
#include <pthread.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"

enum call { EXCHANGE, GATHER, ALL_TO_ALL, BARRIER };
static const char *const call_names[] = {"exchange", "gather", "all-to-all", "barrier"};

struct post {
    enum call     call;
    bool          periodic;
    size_t        count[2];  /* exchange: leftward, rightward; gather: count, 0; else 0 */
    const double *data[2];
    const size_t *counts;    /* all-to-all: how many numbers of data[0] are for each rank; else NULL */
};

struct rank {
    struct sw_comm     comm;
    struct group      *group;
    int                thread;   /* which one calls; -1: not known yet         */
    unsigned long      calls;    /* so far, with the present one               */
    struct post        post;     /* the last call                              */
    pthread_cond_t     posted;   /* signals a new post, or that it returned    */
    int                uncopied; /* copies of its numbers still to be made     */
    int                copying;  /* copies being made now                      */
    pthread_cond_t     copied;   /* signals that both have become 0            */
    bool               returned; /* it makes no more calls: its part has returned, or has left this group */
};

/* A communicator. */
struct group {
    struct shared *shared;
    struct group  *next;
    int            size, users;  /* ranks, and how many of them have not left it */
    struct rank   *member;       /* [size] */
};

struct thread {
    struct rank       *rank;     /* in the group of all                        */
    pthread_t          id;
    enum sw_status     status;   /* of its part, with its message:             */
    struct sw_err_kept failure;
};

struct shared {
    pthread_mutex_t    lock;     /* of all here, and in the groups             */
    pthread_cond_t     ready;    /* signals begun or failed                    */
    bool               begun;    /* all threads have started                   */
    struct sw_err_kept failed;   /* what operations return from now on         */
    struct group      *groups;   /* the last one is that of all ranks          */
    int                size;
    struct thread     *thread;   /* [size]                                     */
    sw_comm_part      *part;
    void              *context;
};

/* Keep this thread's failure as that of all groups, if it is the first, and wake all ranks that wait. */
static enum sw_status fail_communicator(struct shared *s, enum sw_status st)
{
    sw_err_keep(&s->failed, st);
    for (struct group *g = s->groups; g; g = g->next)
        for (int r = 0; r < g->size; r++) {
            pthread_cond_broadcast(&g->member[r].posted);
            pthread_cond_broadcast(&g->member[r].copied);
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
    struct shared *s = m->group->shared;
    pthread_mutex_lock(&s->lock);
    m->post = *post;
    m->calls++;
    m->uncopied = copies;
    pthread_cond_broadcast(&m->posted);
    pthread_mutex_unlock(&s->lock);
}

/* Wait, under the lock, until `from` has posted this call. */
static enum sw_status wait_for_post(struct rank *m, struct rank *from)
{
    struct shared *s = m->group->shared;
    while (!s->failed.status && from->calls < m->calls && !from->returned) pthread_cond_wait(&from->posted, &s->lock);
    if (s->failed.status) return sw_err_raise(&s->failed);
    if (from->calls < m->calls)
        return fail_communicator(s, returned_early(m, from));
    if (from->calls > m->calls || !same(&from->post, &m->post)) return fail_communicator(s, mismatch(m, from));
    return SW_OK;
}

/* Numbers of another rank that come to this one. */
struct piece {
    int     from;
    int     which;     /* of its arrays, */
    size_t  skip;      /* behind so many */
    size_t  count;
    double *to;
};

static enum sw_status copy_piece(struct rank *m, const struct piece *piece)
{
    struct shared *s = m->group->shared;
    struct rank *from = &m->group->member[piece->from];
    pthread_mutex_lock(&s->lock);
    enum sw_status st = wait_for_post(m, from);
    if (!st) {
        from->copying++;
        pthread_mutex_unlock(&s->lock);
        if (piece->count)
            memcpy(piece->to, from->post.data[piece->which] + piece->skip, piece->count * sizeof *piece->to);
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
    struct shared *s = m->group->shared;
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
    struct post post = {.call = EXCHANGE, .periodic = periodic, .count = {leftward->count, rightward->count},
                        .data = {leftward->send, rightward->send}};
    enum sw_status st = SW_OK;
    post_call(m, &post, (left >= 0) + (right >= 0));  /* also for no numbers: the ranks synchronize */
    if (right >= 0) st = copy_piece(m, &(struct piece){right, 0, 0, leftward->count, leftward->receive});
    if (left >= 0 && !st) st = copy_piece(m, &(struct piece){left, 1, 0, rightward->count, rightward->receive});
    return wait_until_copied(m, st);
}

static enum sw_status gather_call(const struct sw_comm *comm, enum call call, size_t count, const double *mine,
                                  double *all)
{
    struct rank *m = comm->own;
    struct post post = {.call = call, .count = {count, 0}, .data = {mine, NULL}};
    enum sw_status st = SW_OK;
    post_call(m, &post, comm->size);
    for (int r = 0; r < comm->size && !st; r++)
        st = copy_piece(m, &(struct piece){r, 0, 0, count, count ? all + (size_t)r * count : NULL});
    return wait_until_copied(m, st);
}

static enum sw_status threads_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    return gather_call(comm, GATHER, count, mine, all);
}

static enum sw_status threads_barrier(const struct sw_comm *comm) { return gather_call(comm, BARRIER, 0, NULL, NULL); }

/* What another rank has for this one, and where it begins; it is to be as much as this rank expects. */
static enum sw_status find_piece(struct rank *m, struct piece *piece)
{
    struct shared *s = m->group->shared;
    struct rank *from = &m->group->member[piece->from];
    pthread_mutex_lock(&s->lock);
    enum sw_status st = wait_for_post(m, from);
    const size_t *counts = from->post.counts;
    for (int r = 0; r < m->comm.rank && !st; r++) piece->skip += counts[r];
    if (!st && counts[m->comm.rank] != piece->count)
        st = fail_communicator(s, SW_FAIL(SW_E_COMM, "call %lu, all-to-all: rank %d sends %zu numbers to rank %d, "
                                          "which expects %zu",
                                          m->calls, piece->from, counts[m->comm.rank], m->comm.rank, piece->count));
    pthread_mutex_unlock(&s->lock);
    return st;
}

static enum sw_status threads_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                         const size_t *receive_count, double *receive)
{
    struct rank *m = comm->own;
    struct post post = {.call = ALL_TO_ALL, .data = {send, NULL}, .counts = send_count};
    enum sw_status st = SW_OK;
    post_call(m, &post, comm->size);
    for (int r = 0; r < comm->size && !st; r++) {
        struct piece piece = {.from = r, .count = receive_count[r], .to = receive};
        st = find_piece(m, &piece);
        if (!st) st = copy_piece(m, &piece);
        if (receive_count[r]) receive += receive_count[r];
    }
    return wait_until_copied(m, st);
}

/* ---- groups */

extern const struct sw_comm_ops comm_threads;

static enum sw_status make_group(struct shared *s, int size, struct group **group)
{
    struct group *g;
    SW_TRY(sw_alloc(1, &g));
    enum sw_status st = sw_alloc((size_t)size, &g->member);
    if (st) {
        sw_free(g);
        return st;
    }
    g->shared = s;
    g->size = g->users = size;
    for (int r = 0; r < size; r++) {
        struct rank *m = &g->member[r];
        m->group = g;
        m->thread = -1;
        pthread_cond_init(&m->posted, NULL);
        pthread_cond_init(&m->copied, NULL);
        m->comm = (struct sw_comm){.ops = &comm_threads, .rank = r, .size = size, .own = m};
    }
    pthread_mutex_lock(&s->lock);
    g->next = s->groups;
    s->groups = g;
    pthread_mutex_unlock(&s->lock);
    *group = g;
    return SW_OK;
}

static void free_group(struct group *g)
{
    for (int r = 0; r < g->size; r++) {
        pthread_cond_destroy(&g->member[r].posted);
        pthread_cond_destroy(&g->member[r].copied);
    }
    sw_free(g->member);
    sw_free(g);
}

/* The first rank of a part makes the group, and tells where it is by the bits of a number; NULL: it could not. */
static enum sw_status threads_split(const struct sw_comm *comm, const struct comm_place *place, struct sw_comm **part)
{
    const struct rank *m = comm->own;
    struct shared *s = m->group->shared;
    struct group *group = NULL;
    double number = 0, all[SW_COMM_MOST];
    struct sw_err_kept failure = {0};
    if (place->color >= 0 && place->rank == 0) sw_err_keep(&failure, make_group(s, place->size, &group));
    memcpy(&number, &group, sizeof group);
    SW_TRY(threads_gather(comm, 1, &number, all));
    if (place->color < 0 || failure.status) return sw_err_raise(&failure);
    memcpy(&group, &all[place->leader], sizeof group);
    if (!group) return SW_FAIL(SW_E_COMM, "rank %d could not make a part of the communicator", place->leader);
    pthread_mutex_lock(&s->lock);
    group->member[place->rank].thread = m->thread;
    pthread_mutex_unlock(&s->lock);
    *part = &group->member[place->rank].comm;
    return SW_OK;
}

/* A group that not all have left is freed by threads_run(). */
static void threads_destroy(struct sw_comm *part)
{
    struct rank *m = part->own;
    struct group *g = m->group;
    struct shared *s = g->shared;
    pthread_mutex_lock(&s->lock);
    m->returned = true;
    pthread_cond_broadcast(&m->posted);
    const bool last = --g->users == 0;
    struct group **link = &s->groups;
    while (last && *link != g) link = &(*link)->next;
    if (last) *link = g->next;
    pthread_mutex_unlock(&s->lock);
    if (last) free_group(g);
}

static enum sw_status threads_failure(const struct sw_comm *comm)
{
    struct shared *s = ((struct rank *)comm->own)->group->shared;
    pthread_mutex_lock(&s->lock);
    enum sw_status st = sw_err_raise(&s->failed);
    pthread_mutex_unlock(&s->lock);
    return st;
}

/* ---- starting and ending */

/* What operations of the other ranks return after this rank's part has failed. A failure that the rank itself got from
 * an operation or from sw_comm_agree() keeps its message. */
static enum sw_status failure_for_others(const struct thread *t)
{
    sw_err_raise(&t->failure);
    if (t->status == SW_E_COMM) return SW_E_COMM;
    return SW_FAIL(SW_E_COMM, "rank %d of %d: %s", t->rank->comm.rank, t->rank->comm.size, t->failure.message);
}

/* In all groups: nobody is to wait for this thread. */
static void make_no_more_calls(struct shared *s, int thread)
{
    for (struct group *g = s->groups; g; g = g->next)
        for (int r = 0; r < g->size; r++)
            if (g->member[r].thread == thread) {
                g->member[r].returned = true;
                pthread_cond_broadcast(&g->member[r].posted);
            }
}

static void *rank_main(void *arg)
{
    struct thread *t = arg;
    struct shared *s = t->rank->group->shared;
    pthread_mutex_lock(&s->lock);
    while (!s->begun && !s->failed.status) pthread_cond_wait(&s->ready, &s->lock);
    bool begun = s->begun;
    pthread_mutex_unlock(&s->lock);
    if (!begun) return NULL;

    t->status = s->part(&t->rank->comm, s->context);
    sw_err_keep(&t->failure, t->status);
    pthread_mutex_lock(&s->lock);
    make_no_more_calls(s, t->rank->thread);
    if (t->status) fail_communicator(s, failure_for_others(t));
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static enum sw_status start_threads(struct shared *s, int *started)
{
    for (*started = 0; *started < s->size; (*started)++) {
        struct thread *t = &s->thread[*started];
        int error = pthread_create(&t->id, NULL, rank_main, t);
        if (error) return SW_FAIL(SW_E_COMM, "cannot start thread %d of %d: %s", *started, s->size, strerror(error));
    }
    return SW_OK;
}

/* The failure to report: the lowest rank's of those that failed on their own, else the lowest rank's of those that got
 * one from an operation. */
static enum sw_status failure_to_report(const struct shared *s)
{
    const struct thread *found = NULL;
    for (int r = s->size - 1; r >= 0; r--) {
        const struct thread *t = &s->thread[r];
        if (t->status && (t->status != SW_E_COMM || !found || found->status == SW_E_COMM)) found = t;
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
    for (int r = 0; r < started; r++) pthread_join(s->thread[r].id, NULL);
    return st ? st : failure_to_report(s);
}

static enum sw_status threads_run(int ranks, sw_comm_part *part, void *context)
{
    struct shared s = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER, .size = ranks,
                       .part = part, .context = context};
    struct group *all;
    SW_TRY(sw_alloc((size_t)ranks, &s.thread));
    enum sw_status st = make_group(&s, ranks, &all);
    for (int r = 0; r < ranks && !st; r++) {
        all->member[r].thread = r;
        s.thread[r].rank = &all->member[r];
    }
    if (!st) st = run_ranks(&s);
    while (s.groups) {
        struct group *g = s.groups;
        s.groups = g->next;
        free_group(g);
    }
    pthread_cond_destroy(&s.ready);
    pthread_mutex_destroy(&s.lock);
    sw_free(s.thread);
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
    .all_to_all = threads_all_to_all,
    .gather = threads_gather,
    .gather_host = threads_gather,
    .barrier = threads_barrier,
    .split = threads_split,
    .destroy = threads_destroy,
    .failure = threads_failure,
};
