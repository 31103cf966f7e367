/* The messages of a call: posted to some ranks and taken in from others, while looking out for bad news. */
#include "comm/team_mpi.h"

#include <string.h>

static const char *const call_names[] = {"exchange", "gather", "barrier"};

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

void team_post(struct team *t, int to, char *room, const struct piece *piece, int pieces)
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

enum sw_status team_finish_sends(struct team *t, enum sw_status st)
{
    for (double since = 0; !sends_are_over(t); team_pause(&since)) {
        team_hear(t);
        if (t->broken.status) team_drain(t);
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
        if (!team_hear(t)) team_pause(&since);
        if (t->broken.status) return sw_err_raise(&t->broken);
        if (!team_drained(p)) continue;
        if (p->end.last.turn < t->post.turn)
            return team_break(t, SW_FAIL(SW_E_COMM,
                                         "rank %d has returned after %lld calls, while rank %d waits for it in call "
                                         "%lld, %s",
                                         from, (long long)p->end.last.turn, t->comm.rank, (long long)t->post.turn,
                                         call_names[t->post.call]));
        return team_break(t, mismatch(t, from, &p->end.last));
    }
}

enum sw_status team_receive(struct team *t, int from, const struct piece *piece, int pieces)
{
    struct post theirs;
    MPI_Status message;
    const char *next = t->in + sizeof theirs;
    SW_TRY(await(t, from, &message));
    MPI_Recv(t->in, POST_BYTES, MPI_BYTE, from, POST + t->tag, t->mpi, MPI_STATUS_IGNORE);
    t->peer[from].received++;
    memcpy(&theirs, t->in, sizeof theirs);
    if (!same(&theirs, &t->post)) return team_break(t, mismatch(t, from, &theirs));
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

enum sw_status team_begin(struct team *t, enum call call, bool periodic, size_t first, size_t second)
{
    t->post = (struct post){t->post.turn + 1, (int32_t)call, periodic, {first, second}};
    team_hear(t);
    return sw_err_raise(&t->broken);
}
