#include "comm/sw_comm.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "comm/sw_comm_impl.h"

static const char *refuse(const struct sw_row *row, const void *ranks, enum sw_status *kind)
{
    (void)kind;
    if (!row) return "no row does so many ranks";
    return ((const struct sw_comm_ops *)row)->fits(*(const int *)ranks) ? NULL : "it does not do so many ranks";
}

SW_ROWS(rows, "communicator", sw_comm_table, .refuse = refuse);

enum sw_status sw_comm_run(const char *row, int ranks, sw_comm_part *part, void *context)
{
    const struct sw_row *picked = NULL;
    if (ranks < 1 || ranks > SW_COMM_MOST)
        return SW_FAIL(SW_E_ARG, "%d ranks: 1 to %d are possible", ranks, SW_COMM_MOST);
    SW_TRY(sw_row_pick(&rows, row, SW_HOST, &ranks, &picked));
    return ((const struct sw_comm_ops *)picked)->run(ranks, part, context);
}

const char *sw_comm_row(int k) { return sw_comm_table[k] ? sw_comm_table[k]->name : NULL; }

const char *sw_comm_name(const struct sw_comm *comm) { return comm->ops->name; }

enum sw_space sw_comm_space(const struct sw_comm *comm) { return comm->ops->space; }

/* ---- what is sent */

void sw_comm_count(struct sw_comm *comm, struct sw_comm_traffic *traffic) { comm->traffic = traffic; }

/* `numbers` go to each of some other ranks. */
static void count_sent(const struct sw_comm *comm, enum sw_comm_way way, int ranks, size_t numbers)
{
    struct sw_comm_traffic *t = comm->traffic;
    if (!t || !numbers || ranks < 1) return;
    t->messages[way] += ranks;
    t->numbers[way] += (double)numbers * ranks;
}

/* A rank that is its own neighbour sends nothing. */
static void count_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                           const struct sw_comm_transfer *rightward)
{
    if (comm->size == 1) return;
    count_sent(comm, SW_COMM_LEFTWARD, sw_comm_left(comm, periodic) >= 0, leftward->count);
    count_sent(comm, SW_COMM_RIGHTWARD, sw_comm_right(comm, periodic) >= 0, rightward->count);
}

static enum sw_status gather_few(const struct sw_comm *comm, size_t numbers, const double *mine, double *all)
{
    count_sent(comm, SW_COMM_FEW_TO_ALL, comm->size - 1, numbers);
    return comm->ops->gather_host(comm, numbers, mine, all);
}

/* ---- exchange and gather */

/* One direction: `to` and `from` say whether there is a neighbour on the side it goes to, and comes from. */
static enum sw_status check(const struct sw_comm_transfer *m, const char *name, bool to, bool from)
{
    if (!m->count) return SW_OK;
    if (to && !m->send) return SW_FAIL(SW_E_ARG, "%zu numbers go %s, but there is no array of them", m->count, name);
    if (from && !m->receive)
        return SW_FAIL(SW_E_ARG, "%zu numbers come %s, but there is no array for them", m->count, name);
    return SW_OK;
}

static enum sw_status check_exchange(const struct sw_comm *comm, bool periodic,
                                     const struct sw_comm_transfer *leftward, const struct sw_comm_transfer *rightward)
{
    bool left = sw_comm_left(comm, periodic) >= 0, right = sw_comm_right(comm, periodic) >= 0;
    SW_TRY(check(leftward, "leftward", left, right));
    return check(rightward, "rightward", right, left);
}

enum sw_status sw_comm_exchange(const struct sw_comm *comm, bool periodic, const struct sw_comm_transfer *leftward,
                                const struct sw_comm_transfer *rightward)
{
    SW_TRY(check_exchange(comm, periodic, leftward, rightward));
    count_exchange(comm, periodic, leftward, rightward);
    if (comm->ops->exchange) return comm->ops->exchange(comm, periodic, leftward, rightward);
    SW_TRY(comm->ops->exchange_begin(comm, periodic, leftward, rightward));
    return comm->ops->exchange_end(comm);
}

enum sw_status sw_comm_exchange_begin(const struct sw_comm *comm, bool periodic,
                                      const struct sw_comm_transfer *leftward, const struct sw_comm_transfer *rightward)
{
    SW_TRY(check_exchange(comm, periodic, leftward, rightward));
    count_exchange(comm, periodic, leftward, rightward);
    return (comm->ops->exchange_begin ? comm->ops->exchange_begin : comm->ops->exchange)(comm, periodic, leftward,
                                                                                         rightward);
}

enum sw_status sw_comm_exchange_end(const struct sw_comm *comm)
{
    return comm->ops->exchange_end ? comm->ops->exchange_end(comm) : SW_OK;
}

enum sw_status sw_comm_all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                  const size_t *receive_count, double *receive)
{
    if (!send_count || !receive_count) return SW_FAIL(SW_E_ARG, "no counts of the numbers between the ranks");
    for (int r = 0; r < comm->size; r++) {
        if (send_count[r] && !send)
            return SW_FAIL(SW_E_ARG, "%zu numbers go to rank %d, but there is no array of them", send_count[r], r);
        if (receive_count[r] && !receive)
            return SW_FAIL(SW_E_ARG, "%zu numbers come from rank %d, but there is no array for them", receive_count[r],
                           r);
    }
    for (int r = 0; r < comm->size; r++) count_sent(comm, SW_COMM_TO_ALL, r != comm->rank, send_count[r]);
    return comm->ops->all_to_all(comm, send_count, send, receive_count, receive);
}

enum sw_status sw_comm_gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    if (count && (!mine || !all)) return SW_FAIL(SW_E_ARG, "%zu numbers of each rank to gather, but no array", count);
    count_sent(comm, SW_COMM_TO_ALL, comm->size - 1, count);
    return comm->ops->gather(comm, count, mine, all);
}

enum sw_status sw_comm_meet(const struct sw_comm *comm, enum sw_status st)
{
    return comm->ops->meet ? comm->ops->meet(comm, st) : sw_comm_agree(comm, st);
}

enum sw_status sw_comm_barrier(const struct sw_comm *comm) { return comm->ops->barrier(comm); }

/* ---- reductions: every rank gathers the numbers of all and combines them in the order of ranks. They are few, so that
 * sending all of them to all ranks costs little. */

typedef double combine(double a, double b);

static double add(double a, double b) { return a + b; }

static double larger(double a, double b) { return isnan(a) || b <= a ? a : b; }

static enum sw_status reduce(const struct sw_comm *comm, combine *op, size_t count, double *values)
{
    double all[SW_COMM_MOST];
    if (!comm) return SW_OK;
    size_t size = (size_t)comm->size, room = SW_COMM_MOST / size;
    if (count && !values) return SW_FAIL(SW_E_ARG, "%zu numbers to reduce, but no array", count);
    for (size_t done = 0; done < count; done += room) {
        size_t part = count - done < room ? count - done : room;
        SW_TRY(gather_few(comm, part, values + done, all));
        for (size_t k = 0; k < part; k++) {
            double v = all[k];
            for (size_t r = 1; r < size; r++) v = op(v, all[r * part + k]);
            values[done + k] = v;
        }
    }
    return SW_OK;
}

enum sw_status sw_comm_sum(const struct sw_comm *comm, size_t count, double *values)
{
    return reduce(comm, add, count, values);
}

enum sw_status sw_comm_max(const struct sw_comm *comm, size_t count, double *values)
{
    return reduce(comm, larger, count, values);
}

/* As many numbers at once as `all` has room for. */
enum sw_status sw_comm_broadcast(const struct sw_comm *comm, int from, size_t count, double *numbers)
{
    double all[SW_COMM_MOST];
    const size_t most = SW_COMM_MOST / (size_t)comm->size;
    for (size_t done = 0; done < count; done += most) {
        const size_t part = count - done < most ? count - done : most;
        SW_TRY(gather_few(comm, part, numbers + done, all));
        memcpy(numbers + done, all + (size_t)from * part, part * sizeof *numbers);
    }
    return SW_OK;
}

/* ---- agreement */

enum { SENT_BYTES = 512 };  /* of a message, with its final 0, that the other ranks get */

/* Send the message of rank `from` to all ranks: rows do not look at numbers, so its bytes travel as numbers. Only
 * failures come here. */
static enum sw_status send_failure(const struct sw_comm *comm, int from, const char *message, char *text)
{
    double numbers[SENT_BYTES / sizeof(double)];
    memcpy(numbers, message, sizeof numbers);
    SW_TRY(sw_comm_broadcast(comm, from, sizeof numbers / sizeof *numbers, numbers));
    memcpy(text, numbers, sizeof numbers);
    text[SENT_BYTES - 1] = 0;
    return SW_OK;
}

enum sw_status sw_comm_gather_one(const struct sw_comm *comm, double mine, double all[SW_COMM_MOST])
{
    return gather_few(comm, 1, &mine, all);
}

/* After a failure the ranks wait for each other: one that returned at once, with that failure, could fail the operation
 * in which the others still receive the message. */
enum sw_status sw_comm_agree(const struct sw_comm *comm, enum sw_status st)
{
    double all[SW_COMM_MOST], mine = st;
    char text[SENT_BYTES];
    struct sw_err_kept own = {0};
    int first = 0;
    if (!comm) return st;
    sw_err_keep(&own, st);
    enum sw_status failed = gather_few(comm, 1, &mine, all);
    while (!failed && first < comm->size && all[first] == SW_OK) first++;
    if (!failed && first == comm->size) return SW_OK;
    if (!failed) failed = send_failure(comm, first, own.message, text);
    if (!failed) comm->ops->barrier(comm);
    if (st) return sw_err_raise(&own);
    return failed ? failed : SW_FAIL(SW_E_COMM, "rank %d of %d: %s", first, comm->size, text);
}

/* ---- parts */

enum sw_status sw_comm_split(const struct sw_comm *comm, int color, struct sw_comm **part)
{
    double all[SW_COMM_MOST];
    struct comm_place place = {.color = color};
    *part = NULL;
    SW_TRY(sw_comm_agree(comm, color < -1 ? SW_FAIL(SW_E_ARG, "a color of %d: -1 is the least", color) : SW_OK));
    SW_TRY(sw_comm_gather_one(comm, color, all));
    for (int r = comm->size - 1; r >= 0; r--)
        if (all[r] == color) {
            place.leader = r;
            place.rank += r < comm->rank;
            place.size++;
        }
    enum sw_status st = sw_comm_agree(comm, comm->ops->split(comm, &place, part));
    if (st) sw_comm_destroy(part);
    else if (*part) sw_comm_count(*part, comm->traffic);
    return st;
}

void sw_comm_destroy(struct sw_comm **comm)
{
    if (!comm || !*comm) return;
    if ((*comm)->ops->destroy) (*comm)->ops->destroy(*comm);
    *comm = NULL;
}
