/* What a rank hears of the ends of others, and what it does so that nobody waits for ever. */
#include "comm/team_mpi.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "comm/world_mpi.h"

static const double patience = 60;       /* seconds a failed rank waits for the others to end */

/* ---- failures */

enum sw_status team_break(struct team *t, enum sw_status st)
{
    sw_err_keep(&t->broken, st);
    return sw_err_raise(&t->broken);
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
    team_break(t, quote(t, rank, &failure));
}

bool team_hear(struct team *t)
{
    int there;
    MPI_Status from;
    MPI_Iprobe(MPI_ANY_SOURCE, END + t->tag, t->mpi, &there, &from);
    if (there) take_end(t, from.MPI_SOURCE);
    return there;
}

_Noreturn void team_give_up(const struct team *t, const char *why)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    fprintf(stderr, "error: rank %d of %d on %s: %s\n", t->comm.rank, t->comm.size, host, why);
    world_abort(sw_status_exit_code(SW_E_COMM));
}

/* ---- messages that nobody wants any more */

bool team_drained(const struct peer *p) { return p->ended && p->received == p->end.sent; }

static void discard(struct team *t, int rank, int tag, const MPI_Status *message)
{
    int bytes;
    char *scrap = NULL;
    MPI_Get_count(message, MPI_BYTE, &bytes);
    if (sw_alloc((size_t)bytes + 1, &scrap)) team_give_up(t, sw_err_message());
    MPI_Recv(scrap, bytes, MPI_BYTE, rank, tag, t->mpi, MPI_STATUS_IGNORE);
    t->peer[rank].received++;
    sw_free(scrap);
}

bool team_drain(struct team *t)
{
    bool any = false;
    for (int r = 0; r < t->comm.size; r++)
        for (int tag = POST; tag <= DATA && !team_drained(&t->peer[r]); tag++) {
            int there;
            MPI_Status message;
            MPI_Iprobe(r, tag + t->tag, t->mpi, &there, &message);
            if (there) discard(t, r, tag + t->tag, &message);
            any |= there;
        }
    return any;
}

/* ---- waiting */

/* Who has waited for a millisecond sleeps a little: where there are fewer processors than ranks, or
 * others are at work, who sleeps is woken sooner than who spins gets his next turn (two ranks beside ten other
 * processes on two processors: the tests took 43 s by yielding alone). After half a second nobody is in a hurry, and
 * others may want the processor: rank 0, that merges what all have computed. */
void team_pause(double *since)
{
    const double now = sw_clock();
    if (*since <= 0) *since = now;
    const double waited = now - *since;
    if (waited < 1e-3) sched_yield();
    else nanosleep(&(struct timespec){.tv_nsec = waited < 0.5 ? 50000 : 1000000}, NULL);
}

/* Until all have ended, and no message is left over. */
static void wait_for_ends(struct team *t, const struct sw_err_kept *failure)
{
    double start = sw_clock(), since = 0;
    for (int r = 0; r < t->comm.size; r++)
        while (r != t->comm.rank && !team_drained(&t->peer[r])) {
            bool heard = team_hear(t), any = team_drain(t);
            if (failure->status && sw_clock() - start > patience) {
                SW_FAIL(SW_E_COMM, "%s; the other ranks did not end within %.0f s", failure->message, patience);
                team_give_up(t, sw_err_message());
            }
            if (!heard && !any) team_pause(&since);
        }
}

static void send_bytes(const struct team *t, const void *data, size_t bytes, int to, MPI_Request *request)
{
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, END + t->tag, t->mpi, request);
}

enum sw_status team_end(struct team *t, struct end *e, MPI_Request *request, const struct sw_err_kept *failure)
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
