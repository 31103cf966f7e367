/* Ranks are the processes that mpirun has started.
 *
 * What is promised in sw_comm.h, that nobody waits for ever for a rank that broke off, is not in MPI's own collective
 * operations: they wait. So operations are made of messages between two ranks, all of which can be waited for while
 * looking out for bad news:
 *
 *   POST  which call this is, as the sender sees it; few numbers travel in it
 *   DATA  many numbers, right from and into the caller's arrays, after their POST
 *   END   the sender's part has returned, with what status and message; to all ranks
 *
 * exchange() posts to both neighbours. gather() and barrier() are Bruck's dissemination: in round k a rank sends all it
 * knows, the blocks of ranks r .. r + 2^k - 1, to r - 2^k, so that P ranks take log2 P rounds (J. Bruck et al., IEEE
 * Trans. Parallel Distrib. Syst. 8 (1997) 1143). In each operation a rank hears first from its right neighbour, so
 * ranks that call different ones are found: along the chain there are two neighbours that differ.
 *
 * A rank that fails, or sees that calls do not match, returns from its operation once its own messages are gone, and
 * takes in what others sent meanwhile. All wait for each other's END at the end of run(), until no message is left
 * over: the next run() has the communicator as if new.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "comm/world_mpi.h"

enum call { EXCHANGE, GATHER, BARRIER };
static const char *const call_names[] = {"exchange", "gather", "barrier"};

enum tag { POST, DATA, END, TAGS };
enum { INLINE = 500 };                   /* numbers that go with their POST: below 4 KiB, which MPI sends at once */
static const double patience = 60;       /* seconds a failed rank waits for the others to end */

struct post {
    int64_t  turn;                       /* calls so far, this one included         */
    int32_t  call, periodic;
    uint64_t count[2];                   /* exchange: leftward, rightward; gather: count, 0 */
};

struct end {
    struct post last;                    /* what it called last                          */
    int64_t     sent;                    /* messages it has sent to the reader           */
    bool        failed;                  /* another END follows, with struct sw_err_kept */
};

struct peer {
    int64_t    sent, received;           /* POST and DATA messages                       */
    bool       ended;
    struct end end;
};

/* A rank's place in one run(). */
struct team {
    struct sw_comm comm;
    MPI_Comm       mpi;
    int            tag;                  /* added to all tags: messages of the next run may come while this one ends */
    struct post    post;                 /* the last call                           */
    char          *out;                  /* room for one POST on its way            */
    char          *in;
    MPI_Request    sending[64];          /* of this call                            */
    int            nsending;
    struct peer   *peer;                 /* [size]                                  */
    struct sw_err_kept broken;           /* what operations return from now on      */
    struct sw_err_kept worst;            /* what run() returns: of the lowest rank that failed on its own */
    int            worst_rank;
};

enum { POST_BYTES = sizeof(struct post) + INLINE * sizeof(double) };

/* ---- failures */

static enum sw_status break_team(struct team *t, enum sw_status st)
{
    sw_err_keep(&t->broken, st);
    return sw_err_raise(&t->broken);
}

static bool same(const struct post *a, const struct post *b)
{
    return a->turn == b->turn && a->call == b->call && a->periodic == b->periodic && a->count[0] == b->count[0] &&
           a->count[1] == b->count[1];
}

static enum sw_status mismatch(const struct team *t, int rank, const struct post *b)
{
    const struct post *a = &t->post;
    if (a->turn != b->turn)
        return SW_FAIL(SW_E_COMM,
                       "rank %d is at its call %lld, %s, while rank %d is at %lld, %s: all ranks must call the same "
                       "operations",
                       t->comm.rank, (long long)a->turn, call_names[a->call], rank, (long long)b->turn,
                       call_names[b->call]);
    return SW_FAIL(SW_E_COMM,
                   "call %lld of rank %d is %s of %llu and %llu numbers%s, that of rank %d %s of %llu and %llu%s: all "
                   "ranks must call the same operations",
                   (long long)a->turn, t->comm.rank, call_names[a->call], (unsigned long long)a->count[0],
                   (unsigned long long)a->count[1], a->periodic ? " (periodic)" : "", rank, call_names[b->call],
                   (unsigned long long)b->count[0], (unsigned long long)b->count[1], b->periodic ? " (periodic)" : "");
}

/* Of those that failed on their own the lowest rank's, else the lowest rank's that heard of one. */
static void note_outcome(struct team *t, int rank, const struct sw_err_kept *failure)
{
    bool own = failure->status != SW_E_COMM, had_own = t->worst.status != SW_E_COMM;
    if (!failure->status) return;
    if (t->worst.status && (own == had_own ? rank > t->worst_rank : had_own)) return;
    t->worst = *failure;
    t->worst_rank = rank;
}

/* What a rank hears of another's failure. One that only passes on what it heard itself is quoted as it is. */
static enum sw_status quote(const struct team *t, int rank, const struct sw_err_kept *failure)
{
    sw_err_raise(failure);
    if (failure->status == SW_E_COMM) return SW_E_COMM;
    return SW_FAIL(SW_E_COMM, "rank %d of %d: %s", rank, t->comm.size, failure->message);
}

static void take_end(struct team *t, int rank)
{
    struct peer *p = &t->peer[rank];
    struct sw_err_kept failure;
    MPI_Recv(&p->end, sizeof p->end, MPI_BYTE, rank, END + t->tag, t->mpi, MPI_STATUS_IGNORE);
    p->ended = true;
    if (!p->end.failed) return;
    MPI_Recv(&failure, sizeof failure, MPI_BYTE, rank, END + t->tag, t->mpi, MPI_STATUS_IGNORE);
    note_outcome(t, rank, &failure);
    break_team(t, quote(t, rank, &failure));
}

/* Has somebody ended? */
static bool hear(struct team *t)
{
    int there;
    MPI_Status from;
    MPI_Iprobe(MPI_ANY_SOURCE, END + t->tag, t->mpi, &there, &from);
    if (there) take_end(t, from.MPI_SOURCE);
    return there;
}

/* The one place where the program ends otherwise than through main: the others hang, and so would this rank. */
static _Noreturn void give_up(const struct team *t, const char *why)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    fprintf(stderr, "error: rank %d of %d on %s: %s\n", t->comm.rank, t->comm.size, host, why);
    world_abort(sw_status_exit_code(SW_E_COMM));
}

/* ---- messages that nobody wants any more */

static bool drained(const struct peer *p) { return p->ended && p->received == p->end.sent; }

static void discard(struct team *t, int rank, int tag, const MPI_Status *message)
{
    int bytes;
    char *scrap = NULL;
    MPI_Get_count(message, MPI_BYTE, &bytes);
    if (sw_alloc((size_t)bytes + 1, &scrap)) give_up(t, sw_err_message());
    MPI_Recv(scrap, bytes, MPI_BYTE, rank, tag, t->mpi, MPI_STATUS_IGNORE);
    t->peer[rank].received++;
    sw_free(scrap);
}

/* Take in what is there of POST and DATA; whether there was anything. */
static bool drain(struct team *t)
{
    bool any = false;
    for (int r = 0; r < t->comm.size; r++)
        for (int tag = POST; tag <= DATA && !drained(&t->peer[r]); tag++) {
            int there;
            MPI_Status message;
            MPI_Iprobe(r, tag + t->tag, t->mpi, &there, &message);
            if (there) discard(t, r, tag + t->tag, &message);
            any |= there;
        }
    return any;
}

/* ---- one call */

/* Between two looks. Who has waited for a millisecond sleeps a little: where there are fewer processors than ranks, or
 * others are at work, who sleeps is woken sooner than who spins gets his next turn (two ranks beside ten other
 * processes on two processors: the tests took 43 s by yielding alone). After half a second nobody is in a hurry, and
 * others may want the processor: rank 0, that merges what all have computed. */
static void pause_a_little(double *since)
{
    const double now = sw_clock();
    if (*since <= 0) *since = now;
    const double waited = now - *since;
    if (waited < 1e-3) sched_yield();
    else nanosleep(&(struct timespec){.tv_nsec = waited < 0.5 ? 50000 : 1000000}, NULL);
}

struct piece { double *data; size_t count; };  /* of an array */

static size_t total(const struct piece *piece, int pieces)
{
    size_t count = 0;
    for (int k = 0; k < pieces; k++) count += piece[k].count;
    return count;
}

/* DATA goes in messages that an int can count. */
enum { MOST = 1 << 27 };

static void begin_send(struct team *t, int to, const void *data, size_t bytes, int tag)
{
    if (t->nsending == sizeof t->sending / sizeof *t->sending) {
        MPI_Waitall(t->nsending, t->sending, MPI_STATUSES_IGNORE);
        t->nsending = 0;
    }
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag + t->tag, t->mpi, &t->sending[t->nsending++]);
    t->peer[to].sent++;
}

/* Post this call to another rank. What is pointed to must stay until finish_sends(). */
static void post(struct team *t, int to, char *room, const struct piece *piece, int pieces)
{
    size_t bytes = sizeof t->post;
    bool within = total(piece, pieces) <= INLINE;
    memcpy(room, &t->post, sizeof t->post);
    for (int k = 0; k < pieces && within; k++) {
        if (piece[k].count) memcpy(room + bytes, piece[k].data, piece[k].count * sizeof(double));
        bytes += piece[k].count * sizeof(double);
    }
    begin_send(t, to, room, bytes, POST);
    for (int k = 0; k < pieces && !within; k++)
        for (size_t done = 0; done < piece[k].count; done += MOST) {
            size_t some = piece[k].count - done < MOST ? piece[k].count - done : MOST;
            begin_send(t, to, piece[k].data + done, some * sizeof(double), DATA);
        }
}

static bool sends_are_over(struct team *t)
{
    int over = 1;
    if (t->nsending) MPI_Testall(t->nsending, t->sending, &over, MPI_STATUSES_IGNORE);
    if (over) t->nsending = 0;
    return over;
}

/* Wait until what was sent may be written again. Others take it in at the latest when they end; in a broken team they
 * may wait for this rank to do the same. */
static enum sw_status finish_sends(struct team *t, enum sw_status st)
{
    for (double since = 0; !sends_are_over(t); pause_a_little(&since)) {
        hear(t);
        if (t->broken.status) drain(t);
    }
    return st;
}

/* Wait for the POST of another rank. */
static enum sw_status await(struct team *t, int from, MPI_Status *message)
{
    const struct peer *p = &t->peer[from];
    double since = 0;
    for (int there = 0;;) {
        MPI_Iprobe(from, POST + t->tag, t->mpi, &there, message);
        if (there) return SW_OK;
        if (!hear(t)) pause_a_little(&since);
        if (t->broken.status) return sw_err_raise(&t->broken);
        if (!drained(p)) continue;
        if (p->end.last.turn < t->post.turn)
            return break_team(t, SW_FAIL(SW_E_COMM,
                                         "rank %d has returned after %lld calls, while rank %d waits for it in call "
                                         "%lld, %s",
                                         from, (long long)p->end.last.turn, t->comm.rank, (long long)t->post.turn,
                                         call_names[t->post.call]));
        return break_team(t, mismatch(t, from, &p->end.last));
    }
}

/* Take in the POST of another rank, and the numbers that belong to it. */
static enum sw_status receive(struct team *t, int from, const struct piece *piece, int pieces)
{
    struct post theirs;
    MPI_Status message;
    const char *next = t->in + sizeof theirs;
    SW_TRY(await(t, from, &message));
    MPI_Recv(t->in, POST_BYTES, MPI_BYTE, from, POST + t->tag, t->mpi, MPI_STATUS_IGNORE);
    t->peer[from].received++;
    memcpy(&theirs, t->in, sizeof theirs);
    if (!same(&theirs, &t->post)) return break_team(t, mismatch(t, from, &theirs));
    bool within = total(piece, pieces) <= INLINE;
    for (int k = 0; k < pieces && within; k++) {
        if (piece[k].count) memcpy(piece[k].data, next, piece[k].count * sizeof(double));
        next += piece[k].count * sizeof(double);
    }
    for (int k = 0; k < pieces && !within; k++)
        for (size_t done = 0; done < piece[k].count; done += MOST) {
            size_t some = piece[k].count - done < MOST ? piece[k].count - done : MOST;
            MPI_Recv(piece[k].data + done, (int)(some * sizeof(double)), MPI_BYTE, from, DATA + t->tag, t->mpi,
                     MPI_STATUS_IGNORE);
            t->peer[from].received++;
        }
    return SW_OK;
}

static enum sw_status begin(struct team *t, enum call call, bool periodic, size_t first, size_t second)
{
    t->post = (struct post){t->post.turn + 1, (int32_t)call, periodic, {first, second}};
    hear(t);
    return sw_err_raise(&t->broken);
}

static enum sw_status mpi_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_message *leftward,
                                   const struct sw_comm_message *rightward)
{
    struct team *t = comm->own;
    int left = sw_comm_left(comm, periodic), right = sw_comm_right(comm, periodic);
    /* what is sent is only read, through the same struct as what is received */
    struct piece to_left = {(double *)leftward->send, leftward->count},
                 from_right = {leftward->receive, leftward->count},
                 to_right = {(double *)rightward->send, rightward->count},
                 from_left = {rightward->receive, rightward->count};
    enum sw_status st = begin(t, EXCHANGE, periodic, leftward->count, rightward->count);
    if (st) return st;
    if (left >= 0) post(t, left, t->out, &to_left, 1);
    if (right >= 0) post(t, right, t->out + POST_BYTES, &to_right, 1);
    if (right >= 0) st = receive(t, right, &from_right, 1);
    if (left >= 0 && !st) st = receive(t, left, &from_left, 1);
    return finish_sends(t, st);
}

/* The blocks of ranks first .. first + blocks - 1, on a circle. */
static int blocks_of(const struct team *t, int first, int blocks, size_t count, double *all, struct piece piece[2])
{
    int before = t->comm.size - first < blocks ? t->comm.size - first : blocks;
    piece[0] = (struct piece){count ? all + (size_t)first * count : NULL, (size_t)before * count};
    piece[1] = (struct piece){all, (size_t)(blocks - before) * count};
    return blocks > before ? 2 : 1;
}

static enum sw_status collect(const struct sw_comm *comm, enum call call, size_t count, const double *mine, double *all)
{
    struct team *t = comm->own;
    const int size = comm->size, r = comm->rank;
    struct piece piece[2];
    enum sw_status st = begin(t, call, false, count, 0);
    if (st) return st;
    if (count) memcpy(all + (size_t)r * count, mine, count * sizeof *all);
    for (int known = 1; known < size && !st; known *= 2) {
        int blocks = size - known < known ? size - known : known;
        int to = (r - known + size) % size, from = (r + known) % size;
        post(t, to, t->out, piece, blocks_of(t, r, blocks, count, all, piece));
        st = receive(t, from, piece, blocks_of(t, from, blocks, count, all, piece));
        st = finish_sends(t, st);
    }
    return st;
}

static enum sw_status mpi_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    return collect(comm, GATHER, count, mine, all);
}

static enum sw_status mpi_barrier(const struct sw_comm *comm) { return collect(comm, BARRIER, 0, NULL, NULL); }

/* ---- starting and ending */

/* Until all have ended, and no message is left over. */
static void wait_for_ends(struct team *t, const struct sw_err_kept *failure)
{
    double start = sw_clock(), since = 0;
    for (int r = 0; r < t->comm.size; r++)
        while (r != t->comm.rank && !drained(&t->peer[r])) {
            bool heard = hear(t), any = drain(t);
            if (failure->status && sw_clock() - start > patience) {
                SW_FAIL(SW_E_COMM, "%s; the other ranks did not end within %.0f s", failure->message, patience);
                give_up(t, sw_err_message());
            }
            if (!heard && !any) pause_a_little(&since);
        }
}

static void send_bytes(const struct team *t, const void *data, size_t bytes, int to, MPI_Request *request)
{
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, END + t->tag, t->mpi, request);
}

/* @param e, request  [size], [2 size] */
static enum sw_status end_part(struct team *t, struct end *e, MPI_Request *request, const struct sw_err_kept *failure)
{
    const int size = t->comm.size, self = t->comm.rank;
    for (int r = 0; r < size; r++) {
        request[2 * r] = request[2 * r + 1] = MPI_REQUEST_NULL;
        if (r == self) continue;
        e[r] = (struct end){t->post, t->peer[r].sent, failure->status != SW_OK};
        send_bytes(t, &e[r], sizeof *e, r, &request[2 * r]);
        if (failure->status) send_bytes(t, failure, sizeof *failure, r, &request[2 * r + 1]);
    }
    note_outcome(t, self, failure);
    wait_for_ends(t, failure);
    MPI_Waitall(2 * size, request, MPI_STATUSES_IGNORE);
    return sw_err_raise(&t->worst);
}

extern const struct sw_comm_ops comm_mpi;

/* Without memory for its messages a rank cannot even tell the others. */
static enum sw_status run_team(struct team *t, sw_comm_part *part, void *context)
{
    const size_t size = (size_t)t->comm.size;
    struct end *e = NULL;
    MPI_Request *request = NULL;
    struct sw_err_kept failure = {0};
    if (sw_alloc(size, &t->peer) || sw_alloc(2 * POST_BYTES, &t->out) || sw_alloc(POST_BYTES, &t->in) ||
        sw_alloc(size, &e) || sw_alloc(2 * size, &request))
        give_up(t, sw_err_message());
    sw_err_keep(&failure, part(&t->comm, context));
    enum sw_status st = end_part(t, e, request, &failure);
    sw_free(t->peer);
    sw_free(t->out);
    sw_free(t->in);
    sw_free(e);
    sw_free(request);
    return st;
}

/* Ranks enter and leave runs together, so all count alike. */
static enum sw_status mpi_run(int ranks, sw_comm_part *part, void *context)
{
    static int depth, runs[WORLD_TEAMS];
    struct team t = {.comm = {.ops = &comm_mpi, .rank = sw_launched().rank, .size = ranks}};
    if (depth == WORLD_TEAMS) return SW_FAIL(SW_E_COMM, "ranks run teams of their own %d deep at most", WORLD_TEAMS);
    SW_TRY(world_start());
    t.comm.own = &t;
    t.mpi = world_comm(depth);
    t.tag = TAGS * (runs[depth]++ & 1);
    depth++;
    enum sw_status st = run_team(&t, part, context);
    depth--;
    return st;
}

static bool mpi_fits(int ranks) { return ranks == sw_launched().size; }

const struct sw_comm_ops comm_mpi = {
    .name = "mpi",
    .about = "ranks are the processes that mpirun has started",
    .space = SW_HOST,
    .apart = true,
    .fits = mpi_fits,
    .run = mpi_run,
    .exchange = mpi_exchange,
    .gather = mpi_gather,
    .gather_host = mpi_gather,
    .barrier = mpi_barrier,
};
