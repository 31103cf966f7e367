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
#include <string.h>

#include "base/sw_mem.h"
#include "comm/sw_launch.h"
#include "comm/team_mpi.h"
#include "comm/world_mpi.h"

/* ---- operations */

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
    enum sw_status st = team_begin(t, EXCHANGE, periodic, leftward->count, rightward->count);
    if (st) return st;
    if (left >= 0) team_post(t, left, t->out, &to_left, 1);
    if (right >= 0) team_post(t, right, t->out + POST_BYTES, &to_right, 1);
    if (right >= 0) st = team_receive(t, right, &from_right, 1);
    if (left >= 0 && !st) st = team_receive(t, left, &from_left, 1);
    return team_finish_sends(t, st);
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
    enum sw_status st = team_begin(t, call, false, count, 0);
    if (st) return st;
    if (count) memcpy(all + (size_t)r * count, mine, count * sizeof *all);
    for (int known = 1; known < size && !st; known *= 2) {
        int blocks = size - known < known ? size - known : known;
        int to = (r - known + size) % size, from = (r + known) % size;
        team_post(t, to, t->out, piece, blocks_of(t, r, blocks, count, all, piece));
        st = team_receive(t, from, piece, blocks_of(t, from, blocks, count, all, piece));
        st = team_finish_sends(t, st);
    }
    return st;
}

static enum sw_status mpi_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    return collect(comm, GATHER, count, mine, all);
}

static enum sw_status mpi_barrier(const struct sw_comm *comm) { return collect(comm, BARRIER, 0, NULL, NULL); }

/* ---- starting and ending */

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
        team_give_up(t, sw_err_message());
    sw_err_keep(&failure, part(&t->comm, context));
    enum sw_status st = team_end(t, e, request, &failure);
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
