/* Every row of the communicators: what goes where, for how many ranks, in which order sums are taken, and that nobody
 * hangs when a rank fails. Parts run on threads, where an assertion of the test library cannot: they return a
 * failure.
 *
 * mpirun -n 3 build/test_comm mpi tests one row on 3 ranks (test_mpi.sh). Each is a process then, and checks
 * what its own part has noted. mpirun -n 3 build/test_comm mpi fail CALL has its last rank fail while the others wait
 * in an operation: that ends the job. */
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "comm/sw_channel.h"
#include "comm/sw_comm.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "helpers.h"

static const struct sw_comm_ops *under_test;
static const int sizes[] = {1, 2, 3, 4, 8};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 8, ROUNDS = 300 };

#define EXPECT(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) return SW_FAIL(SW_E_ARG, "rank %d: expected %s (line %d)", comm->rank, #what, __LINE__);          \
    } while (0)

/* Whether the part of this rank was run in this process. */
static bool here(int rank) { return !under_test->apart || rank == sw_launched().rank; }

/* Run on each number of ranks that the row does. */
static void on_all_sizes(sw_comm_part *part, void *context)
{
    if (under_test->absent) skip_unless_needed(under_test->name, under_test->absent);
    for (int k = 0; k < SIZES; k++)
        if (under_test->fits(sizes[k])) assert_ok(sw_comm_run(under_test->name, sizes[k], part, context));
}

static enum sw_status knows_itself(const struct sw_comm *comm, void *context)
{
    atomic_int *seen = context;
    int last = comm->size - 1, r = comm->rank;
    EXPECT(r >= 0 && r <= last);
    EXPECT(!strcmp(sw_comm_name(comm), under_test->name) && sw_comm_space(comm) == under_test->space);
    EXPECT(sw_comm_left(comm, false) == r - 1);
    EXPECT(sw_comm_left(comm, true) == (r > 0 ? r - 1 : last));
    EXPECT(sw_comm_right(comm, false) == (r < last ? r + 1 : -1));
    EXPECT(sw_comm_right(comm, true) == (r < last ? r + 1 : 0));
    atomic_fetch_add(&seen[comm->size], 1 << r);
    return SW_OK;
}

static void each_rank_runs_once(void **state)
{
    atomic_int seen[MOST + 1] = {0};
    (void)state;
    on_all_sizes(knows_itself, seen);
    for (int k = 0; k < SIZES; k++) {
        int all = 0;
        for (int r = 0; r < sizes[k]; r++) all |= here(r) ? 1 << r : 0;
        assert_int_equal(seen[sizes[k]], under_test->fits(sizes[k]) ? all : 0);
    }
}

/* A number that says who sent it, where to, when, and which it is. */
static double label(int rank, int way, int round, size_t k)
{
    return rank + 0.25 * way + 16.0 * round + 0x1p20 * (double)k;
}

enum { COUNT = 37 };

static enum sw_status exchange_round(const struct sw_comm *comm, int round, bool periodic, size_t left_count,
                                     size_t right_count)
{
    double out[2][COUNT], in[2][COUNT];
    int left = sw_comm_left(comm, periodic), right = sw_comm_right(comm, periodic);
    for (size_t k = 0; k < COUNT; k++) {
        in[0][k] = in[1][k] = -7;
        out[0][k] = label(comm->rank, 0, round, k);
        out[1][k] = label(comm->rank, 1, round, k);
    }
    SW_TRY(sw_comm_exchange(comm, periodic, &(struct sw_comm_transfer){left_count, out[0], in[0]},
                            &(struct sw_comm_transfer){right_count, out[1], in[1]}));
    for (size_t k = 0; k < COUNT; k++) {
        EXPECT(in[0][k] == (right >= 0 && k < left_count ? label(right, 0, round, k) : -7));
        EXPECT(in[1][k] == (left >= 0 && k < right_count ? label(left, 1, round, k) : -7));
    }
    return SW_OK;
}

static enum sw_status exchanges(const struct sw_comm *comm, void *context)
{
    (void)context;
    for (int round = 0; round < ROUNDS; round++) {
        size_t a = (size_t)(round % (COUNT + 1)), b = (size_t)(round * 7 % (COUNT + 1));
        SW_TRY(exchange_round(comm, round, round & 1, a, b));
    }
    return SW_OK;
}

static void neighbours_get_what_was_sent_to_them(void **state)
{
    (void)state;
    on_all_sizes(exchanges, NULL);
}

/* So many numbers that they do not travel in one piece with what announces them. */
static enum sw_status sends_much(const struct sw_comm *comm, void *context)
{
    static const size_t counts[] = {1, 499, 500, 501, 502, 40000};
    enum { LARGEST = 40000 };
    double *mine = malloc(LARGEST * sizeof *mine), *all = malloc(((size_t)comm->size + 1) * LARGEST * sizeof *all);
    enum sw_status st = mine && all ? SW_OK : SW_FAIL(SW_E_MEMORY, "no memory");
    (void)context;
    for (size_t k = 0; k < LARGEST && !st; k++) mine[k] = label(comm->rank, 0, 7, k);
    for (size_t c = 0; c < sizeof counts / sizeof *counts && !st; c++) {
        const size_t count = counts[c];
        const int right = sw_comm_right(comm, true);
        st = sw_comm_gather(comm, count, mine, all);
        for (size_t k = 0; k < (size_t)comm->size * count && !st; k++)
            if (all[k] != label((int)(k / count), 0, 7, k % count))
                st = SW_FAIL(SW_E_ARG, "number %zu of %zu", k, count);
        if (!st)
            st = sw_comm_exchange(comm, true, &(struct sw_comm_transfer){count, mine, all},
                                  &(struct sw_comm_transfer){count / 2, mine, all + count});
        for (size_t k = 0; k < count && !st; k++)
            if (all[k] != label(right, 0, 7, k)) st = SW_FAIL(SW_E_ARG, "exchanged number %zu of %zu", k, count);
    }
    free(mine);
    free(all);
    return st;
}

static void many_numbers_may_be_sent(void **state)
{
    (void)state;
    on_all_sizes(sends_much, NULL);
}

/* One rank returns while the others are sending many numbers. */
static enum sw_status returns_while_others_send(const struct sw_comm *comm, void *context)
{
    enum { LARGE = 60000 };
    double *mine = calloc(LARGE, sizeof *mine), *all = calloc((size_t)comm->size * LARGE, sizeof *all);
    enum sw_status st = mine && all ? sw_comm_barrier(comm) : SW_FAIL(SW_E_MEMORY, "no memory");
    const int *who = context;
    if (!st && comm->rank == *who) st = SW_FAIL(SW_E_IO, "rank %d has had enough", *who);
    else if (!st) st = sw_comm_gather(comm, LARGE, mine, all);
    free(mine);
    free(all);
    return st;
}

static void numbers_sent_to_a_rank_that_returned_hold_nobody_up(void **state)
{
    (void)state;
    for (int k = 1; k < SIZES; k++)
        for (int who = 0; who < sizes[k] && under_test->fits(sizes[k]); who++) {
            assert_int_equal(sw_comm_run(under_test->name, sizes[k], returns_while_others_send, &who), SW_E_IO);
            assert_contains(sw_err_message(), "has had enough");
        }
}

static enum sw_status sends_nothing(const struct sw_comm *comm, void *context)
{
    double in = -7, out = comm->rank;
    const struct sw_comm_transfer none = {0};
    (void)context;
    SW_TRY(sw_comm_exchange(comm, false, &none, &none));
    SW_TRY(sw_comm_exchange(comm, true, &none, &none));
    SW_TRY(sw_comm_gather(comm, 0, NULL, NULL));
    SW_TRY(sw_comm_sum(comm, 0, NULL));
    /* the ends of a line need no arrays on their outer sides */
    SW_TRY(sw_comm_exchange(comm, false,
                            &(struct sw_comm_transfer){1, comm->rank > 0 ? &out : NULL,
                                                      comm->rank < comm->size - 1 ? &in : NULL}, &none));
    EXPECT(in == (comm->rank < comm->size - 1 ? comm->rank + 1 : -7));
    return SW_OK;
}

static void nothing_may_be_sent(void **state)
{
    (void)state;
    on_all_sizes(sends_nothing, NULL);
}

static enum sw_status gathers(const struct sw_comm *comm, void *context)
{
    double mine[COUNT], all[MOST * COUNT + 1];
    (void)context;
    for (int round = 0; round < ROUNDS; round++) {
        size_t count = (size_t)(round % (COUNT + 1)), size = (size_t)comm->size;
        for (size_t k = 0; k < count; k++) mine[k] = label(comm->rank, 2, round, k);
        all[size * count] = -7;
        SW_TRY(sw_comm_gather(comm, count, mine, all));
        for (size_t r = 0; r < size; r++)
            for (size_t k = 0; k < count; k++) EXPECT(all[r * count + k] == label((int)r, 2, round, k));
        EXPECT(all[size * count] == -7);
    }
    return SW_OK;
}

static void everybody_gets_everybodys_numbers(void **state)
{
    (void)state;
    on_all_sizes(gathers, NULL);
}

static enum sw_status keeps_bits(const struct sw_comm *comm, void *context)
{
    const uint64_t bits[4] = {0x7FF0000000000001u, 0xFFF8DEADBEEF0000u, 0x8000000000000000u, 1};
    double mine[4], all[4 * MOST], one[SW_COMM_MOST];
    (void)context;
    memcpy(mine, bits, sizeof bits);
    SW_TRY(sw_comm_gather(comm, 4, mine, all));
    for (int r = 0; r < comm->size; r++) EXPECT(!memcmp(all + 4 * r, bits, sizeof bits));
    SW_TRY(sw_comm_gather_one(comm, mine[comm->rank % 4], one));
    for (int r = 0; r < comm->size; r++) EXPECT(!memcmp(one + r, bits + r % 4, sizeof *one));
    return SW_OK;
}

static void bits_arrive_as_they_were(void **state)
{
    (void)state;
    on_all_sizes(keeps_bits, NULL);
}

/* Number k of rank r: of all sizes, so that another order gives another sum. */
static double addend(int r, size_t k)
{
    uint64_t s = (uint64_t)r * 1000003 + k;
    double v = test_random(&s);
    return ldexp(v, (int)((uint64_t)(r * 13 + (int)k) % 90) - 45);
}

enum { MANY = SW_COMM_MOST + 3 };  /* more than go at once, for any number of ranks */

static enum sw_status reduces(const struct sw_comm *comm, void *context)
{
    double *sum = context;  /* [ranks][MANY] */
    double top[2] = {comm->rank == comm->size / 2 ? 5 : -1.0 - comm->rank, comm->rank ? 1 : NAN};
    sum += comm->rank * MANY;
    for (size_t k = 0; k < MANY; k++) sum[k] = addend(comm->rank, k);
    SW_TRY(sw_comm_sum(comm, MANY, sum));
    SW_TRY(sw_comm_max(comm, 2, top));
    EXPECT(top[0] == 5 && isnan(top[1]));
    for (size_t k = 0; k < MANY; k++) {
        double v = addend(0, k);
        for (int r = 1; r < comm->size; r++) v += addend(r, k);
        EXPECT(sum[k] == v);
    }
    return SW_OK;
}

static void sums_are_in_the_order_of_ranks(void **state)
{
    static double sum[MOST * MANY];
    (void)state;
    on_all_sizes(reduces, sum);
}

static enum sw_status meets(const struct sw_comm *comm, void *context)
{
    atomic_int *met = context;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_fetch_add(met, 1);
        SW_TRY(sw_comm_barrier(comm));
        EXPECT(atomic_load(met) >= (round + 1) * comm->size);
        SW_TRY(sw_comm_barrier(comm));
        EXPECT(atomic_load(met) <= (round + 2) * comm->size);
    }
    SW_TRY(sw_comm_barrier(comm));
    if (comm->rank == 0) atomic_store(met, 0);
    return SW_OK;
}

/* In memory that all ranks see: that of a file, named in the environment, where they are processes. */
static void a_barrier_holds_until_all_are_there(void **state)
{
    static atomic_int own;
    atomic_int *met = &own;
    const char *shared = getenv("SW_TEST_SHARED");
    (void)state;
    if (under_test->apart && sw_launched().size > 1) {
        int fd = shared ? open(shared, O_RDWR) : -1;
        assert_true(fd >= 0);
        met = mmap(NULL, sizeof *met, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_true(met != MAP_FAILED);
        close(fd);
    }
    on_all_sizes(meets, met);
}

/* All operations in an order that differs from round to round; ranks dawdle now and then. */
static enum sw_status mixes(const struct sw_comm *comm, void *context)
{
    uint64_t all_alike = 5, mine = 77 + (uint64_t)comm->rank;
    (void)context;
    for (int round = 0; round < 4 * ROUNDS; round++) {
        int which = (int)(8 * (test_random(&all_alike) + 1)) % 5;
        double v = label(comm->rank, 3, round, 1), all[MOST];
        if (test_random(&mine) > 0.99) usleep(200);
        if (which == 0) SW_TRY(exchange_round(comm, round, false, 3, COUNT));
        if (which == 1) SW_TRY(exchange_round(comm, round, true, COUNT, 1));
        if (which == 2) SW_TRY(sw_comm_barrier(comm));
        if (which == 3) SW_TRY(sw_comm_sum(comm, 1, &v));
        if (which == 4) SW_TRY(sw_comm_gather(comm, 1, &v, all));
        for (int r = 0; which == 4 && r < comm->size; r++) EXPECT(all[r] == label(r, 3, round, 1));
    }
    return SW_OK;
}

static void operations_follow_each_other_in_any_order(void **state)
{
    (void)state;
    on_all_sizes(mixes, NULL);
}

/* ---- failures */

struct failing {
    int            rank, round;     /* who fails, before which of its calls */
    int            call;            /* what the others wait in              */
    enum sw_status heard[MOST];
    char           text[MOST][200];
};

static enum sw_status one_call(const struct sw_comm *comm, int call)
{
    double one = 1, all[MOST];
    if (call == 0) return exchange_round(comm, 0, false, 2, 2);
    if (call == 1) return exchange_round(comm, 0, true, 2, 2);
    if (call == 2) return sw_comm_gather(comm, 1, &one, all);
    if (call == 3) return sw_comm_sum(comm, 1, &one);
    return sw_comm_barrier(comm);
}

static enum sw_status fails(const struct sw_comm *comm, void *context)
{
    struct failing *f = context;
    enum sw_status st = SW_OK;
    for (int round = 0; round < 6 && !st; round++) {
        if (comm->rank == f->rank && round == f->round) return SW_FAIL(SW_E_SINGULAR, "row %d is singular", 10 + round);
        st = one_call(comm, f->call);
    }
    if (!st) st = sw_comm_barrier(comm);  /* ranks whose neighbours went on get the failure here at the latest */
    f->heard[comm->rank] = st;
    snprintf(f->text[comm->rank], sizeof f->text[0], "%s", sw_err_message());
    for (int call = 0; call < 5 && st && comm->size > 1; call++) EXPECT(one_call(comm, call) == SW_E_COMM);
    return st;
}

static void nobody_waits_for_a_rank_that_failed(void **state)
{
    char expected[64];
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int trial = 0; under_test->fits(sizes[k]) && trial < 5 * 4 * sizes[k]; trial++) {
            struct failing f = {.rank = trial % sizes[k], .call = trial / sizes[k] % 5, .round = trial / sizes[k] / 5};
            assert_int_equal(sw_comm_run(under_test->name, sizes[k], fails, &f), SW_E_SINGULAR);
            snprintf(expected, sizeof expected, "row %d is singular", 10 + f.round);
            assert_string_equal(sw_err_message(), expected);
            snprintf(expected, sizeof expected, "rank %d of %d: row %d is singular", f.rank, sizes[k], 10 + f.round);
            for (int r = 0; r < sizes[k]; r++)
                if (r != f.rank && here(r)) {
                    assert_int_equal(f.heard[r], SW_E_COMM);
                    assert_string_equal(f.text[r], expected);
                }
        }
}

static enum sw_status returns_early(const struct sw_comm *comm, void *context)
{
    SW_TRY(sw_comm_barrier(comm));
    if (comm->rank == comm->size - 1) return SW_OK;
    return one_call(comm, *(int *)context);
}

static void a_rank_that_returned_is_named(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int call = 0; call < 5 && sizes[k] > 1 && under_test->fits(sizes[k]); call++) {
            assert_int_equal(sw_comm_run(under_test->name, sizes[k], returns_early, &call), SW_E_COMM);
            assert_contains(sw_err_message(), "has returned after 1 calls, while rank");
            assert_contains(sw_err_message(), call < 2 ? "exchange" : call < 4 ? "gather" : "barrier");
        }
}

static enum sw_status calls_another(const struct sw_comm *comm, void *context)
{
    const int *calls = context;
    double v[3] = {0}, all[3 * MOST];
    bool odd = comm->rank == comm->size - 1;
    if (calls[0] < 0) return sw_comm_gather(comm, odd ? 2 : 3, v, all);
    return one_call(comm, calls[odd]);
}

static void calls_that_do_not_match_are_named(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        if (sizes[k] == 1 || !under_test->fits(sizes[k])) continue;
        assert_int_equal(sw_comm_run(under_test->name, sizes[k], calls_another, (int[]){-1, 0}), SW_E_COMM);
        assert_contains(sw_err_message(), "all ranks must call the same operations");
        assert_contains(sw_err_message(), "gather of 2 and 0");
        assert_contains(sw_err_message(), "gather of 3 and 0");
        assert_int_equal(sw_comm_run(under_test->name, sizes[k], calls_another, (int[]){0, 4}), SW_E_COMM);
        assert_contains(sw_err_message(), "all ranks must call the same operations");
        assert_contains(sw_err_message(), "barrier");
        assert_contains(sw_err_message(), "exchange");
        assert_int_equal(sw_comm_run(under_test->name, sizes[k], calls_another, (int[]){0, 1}), SW_E_COMM);
        assert_contains(sw_err_message(), "(periodic)");
    }
}

static enum sw_status agrees(const struct sw_comm *comm, void *context)
{
    double one = 1;
    char expected[700], text[640];
    unsigned failing = *(unsigned *)context & ((1u << comm->size) - 1), first = 0;
    bool mine = failing >> comm->rank & 1;
    memset(text, 'x', sizeof text);  /* longer than what the others get, and cut there */
    for (int round = 0; round < 10; round++) {
        SW_TRY(sw_comm_agree(comm, SW_OK));
        enum sw_status st = mine ? SW_FAIL(SW_E_MEMORY, "no room for %d, %.600s", comm->rank, text) : SW_OK;
        enum sw_status all = sw_comm_agree(comm, st);
        EXPECT(all == (!failing ? SW_OK : mine ? SW_E_MEMORY : SW_E_COMM));
        while (failing && !(failing >> first & 1)) first++;
        snprintf(expected, sizeof expected, "rank %u of %d: no room for %u, xxxx", first, comm->size, first);
        const char *message = sw_err_message();
        if (mine) EXPECT(strstr(message, "no room for") == message && strlen(message) > 600);
        if (failing && !mine) EXPECT(!strncmp(message, expected, strlen(expected)) && strlen(message) > 500);
        one = 1;
        SW_TRY(sw_comm_sum(comm, 1, &one));  /* operations still work */
        EXPECT(one == comm->size);
    }
    return SW_OK;
}

static void all_hear_who_refuses_and_go_on(void **state)
{
    (void)state;
    for (unsigned failing = 0; failing < 256; failing += 1 + failing / 3) on_all_sizes(agrees, &failing);
}

static enum sw_status refuses_together(const struct sw_comm *comm, void *context)
{
    char (*heard)[64] = context;
    bool mine = comm->rank >= comm->size / 2;
    enum sw_status st = sw_comm_agree(comm, mine ? SW_FAIL(SW_E_ARG, "rank %d has 2 points", comm->rank) : SW_OK);
    snprintf(heard[comm->rank], sizeof *heard, "%.60s", sw_err_message());
    return st;
}

/* All ranks return failures at once: the lowest rank's of those that failed on their own is reported, every time, on
 * all ranks. */
static void the_lowest_rank_that_refused_is_reported(void **state)
{
    char expected[64], heard[MOST][64];
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int trial = 0; trial < 300 && under_test->fits(sizes[k]); trial++) {
            const int first = sizes[k] / 2;
            assert_int_equal(sw_comm_run(under_test->name, sizes[k], refuses_together, heard), SW_E_ARG);
            snprintf(expected, sizeof expected, "rank %d has 2 points", first);
            assert_string_equal(sw_err_message(), expected);
            for (int r = 0; r < sizes[k]; r++) {
                if (r >= first) snprintf(expected, sizeof expected, "rank %d has 2 points", r);
                else snprintf(expected, sizeof expected, "rank %d of %d: rank %d has 2 points", first, sizes[k], first);
                if (here(r)) assert_string_equal(heard[r], expected);
            }
        }
}

static enum sw_status passes_no_array(const struct sw_comm *comm, void *context)
{
    double v = 0;
    struct sw_comm_transfer good = {1, &v, &v}, none = {0}, no_send = {1, NULL, &v}, no_receive = {1, &v, NULL};
    int which = *(int *)context;
    (void)good;
    if (which == 0) return sw_comm_exchange(comm, true, &no_send, &none);
    if (which == 1) return sw_comm_exchange(comm, true, &none, &no_receive);
    if (which == 2) return sw_comm_gather(comm, 2, NULL, &v);
    if (which == 3) return sw_comm_gather(comm, 2, &v, NULL);
    return sw_comm_max(comm, 2, NULL);
}

static void missing_arrays_are_refused(void **state)
{
    static const char *const text[] = {"1 numbers go leftward, but there is no array of them",
                                       "1 numbers come rightward, but there is no array for them",
                                       "2 numbers of each rank to gather, but no array",
                                       "2 numbers of each rank to gather, but no array", "2 numbers to reduce"};
    (void)state;
    if (under_test->absent) skip_unless_needed(under_test->name, under_test->absent);
    for (int which = 0; which < 5; which++) {
        int ranks = 1;
        while (!under_test->fits(ranks)) ranks++;
        assert_int_equal(sw_comm_run(under_test->name, ranks, passes_no_array, &which), SW_E_ARG);
        assert_contains(sw_err_message(), text[which]);
    }
}

static enum sw_status runs_another(const struct sw_comm *comm, void *context)
{
    double one = 1;
    SW_TRY(sw_comm_run(under_test->name, comm->size, exchanges, context));
    SW_TRY(sw_comm_sum(comm, 1, &one));
    EXPECT(one == comm->size);
    return SW_OK;
}

static void parts_may_run_parts_of_their_own(void **state)
{
    (void)state;
    on_all_sizes(runs_another, NULL);
}

/* ---- the table */

static enum sw_status says_row(const struct sw_comm *comm, void *context)
{
    if (comm->rank == 0) *(const char **)context = sw_comm_name(comm);
    return SW_OK;
}

static void the_first_row_that_does_so_many_ranks_is_taken(void **state)
{
    const char *name = NULL;
    (void)state;
    assert_ok(sw_comm_run(NULL, 1, says_row, &name));
    assert_string_equal(name, "null");
    assert_ok(sw_comm_run(NULL, 3, says_row, &name));
    assert_string_equal(name, "threads");
    assert_string_equal(sw_comm_row(0), "null");
}

static void refuse(const char *row, int ranks, enum sw_status status, const char *text)
{
    assert_int_equal(sw_comm_run(row, ranks, knows_itself, NULL), status);
    assert_contains(sw_err_message(), text);
}

static void refuses_what_no_row_does(void **state)
{
    (void)state;
    refuse(NULL, 0, SW_E_ARG, "0 ranks: 1 to 4096 are possible");
    refuse("null", -1, SW_E_ARG, "-1 ranks");
    refuse(NULL, 4097, SW_E_ARG, "4097 ranks");
    refuse(NULL, 4096, SW_E_ABSENT, "communicator: no row does so many ranks; fit here: none");
    refuse("null", 2, SW_E_ABSENT, "communicator null: it does not do so many ranks; fit here: threads");
    refuse("nccl", 1, SW_E_CONFIG, "communicator nccl: there is no such row; fit here: null threads");
    refuse("mpi", 5, SW_E_ABSENT, "communicator mpi: ");
}

static void a_serial_run_has_a_communicator(void **state)
{
    const struct sw_comm *comm = sw_comm_null();
    double v = 2, all = 0;
    (void)state;
    assert_true(comm->rank == 0 && comm->size == 1);
    assert_ok(exchange_round(comm, 0, true, 5, 6));
    assert_ok(exchange_round(comm, 0, false, 5, 6));
    assert_ok(sw_comm_gather(comm, 1, &v, &all));
    assert_ok(sw_comm_sum(comm, 1, &v));
    assert_true(all == 2 && v == 2);
    assert_ok(sw_comm_barrier(comm));
}

/* What launchers say in the environment, and who is a rank by that. */
static void a_launcher_is_known_by_what_it_sets(void **state)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
                                        "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_PROCID"};
    enum { NAMES = sizeof names / sizeof *names };
    static const struct { const char *set[NAMES]; int rank, size; } cases[] = {
        {{0}, 0, 1},
        {{"4", "2"}, 2, 4},
        {{"1", "0"}, 0, 1},                              /* mpirun -n 1         */
        {{0, 0, "3", "1"}, 1, 3},                        /* MPICH               */
        {{0, 0, 0, 0, "7", "8", "8", "7"}, 7, 8},        /* srun --mpi=pmix     */
        {{0, 0, 0, 0, 0, "8", "8", "7"}, 0, 1},          /* srun without MPI    */
        {{0, 0, 0, 0, 0, 0, "8", "0"}, 0, 1},            /* the script of a job */
        {{0, 0, 0, 0, "0", "1", "8", "0"}, 0, 1},        /* srun -n 1           */
        {{"4", "4"}, 0, 1},                              /* nonsense            */
        {{"x", "0"}, 0, 1},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int k = 0; k < NAMES; k++) unsetenv(names[k]);
        for (int k = 0; k < NAMES; k++)
            if (cases[c].set[k]) setenv(names[k], cases[c].set[k], 1);
        struct sw_launch launch = sw_launched();
        assert_int_equal(launch.rank, cases[c].rank);
        assert_int_equal(launch.size, cases[c].size);
        assert_true((launch.size > 1) == (*launch.by != 0));
    }
    for (int k = 0; k < NAMES; k++) unsetenv(names[k]);
}

/* The last rank fails before its second call; with a call of 5, which is none, the others fail as well. */
static enum sw_status fails_alone(const struct sw_comm *comm, void *context)
{
    const int call = *(int *)context;
    SW_TRY(sw_comm_barrier(comm));
    if (comm->rank == comm->size - 1) return SW_FAIL(SW_E_IO, "a disk is full");
    return call < 5 ? one_call(comm, call) : SW_FAIL(SW_E_COMM, "heard of it");
}

static int fail_alone(const char *call)
{
    int number = atoi(call);
    const enum sw_status st = sw_comm_run("mpi", sw_launched().size, fails_alone, &number);
    printf("run: %s\n", sw_err_message());
    return sw_status_exit_code(st);
}

/* ---- channels, which processes have */

enum { FEW = 64, BULK = 1 << 19 };  /* numbers that MPI may buffer, and too many for that */

static void make_labels(const struct sw_comm *comm, int tag, double *number, size_t count)
{
    for (size_t k = 0; k < count; k++) number[k] = label(comm->rank, 0, tag, k);
}

static void send_labels(const struct sw_comm *comm, int to, int tag, double *number, size_t count)
{
    make_labels(comm, tag, number, count);
    sw_channel_send(to, tag, number, count * sizeof *number);
}

/* @param number  [count] of its own */
static void post_labels(const struct sw_comm *comm, int to, int tag, double *number, size_t count)
{
    make_labels(comm, tag, number, count);
    sw_channel_post(to, tag, number, count * sizeof *number);
}

static enum sw_status receive_labels(const struct sw_comm *comm, int from, int tag, double *number, size_t count)
{
    sw_channel_receive(from, tag, number, count * sizeof *number);
    for (size_t k = 0; k < count; k++) EXPECT(number[k] == label(from, 0, tag, k));
    return SW_OK;
}

/* Who posts does not wait for the receiver: two tags to the right, and taken in the other order; then to oneself. */
static enum sw_status posted_numbers(const struct sw_comm *comm, double *number)
{
    static double posted[3][BULK];
    const int left = sw_comm_left(comm, true), right = sw_comm_right(comm, true), last = SW_CHANNEL_TAGS - 1;
    EXPECT(!sw_channel_has(left, 4));
    post_labels(comm, right, 3, posted[0], BULK);
    post_labels(comm, right, last, posted[1], 1);
    SW_TRY(receive_labels(comm, left, last, number, 1));
    for (double waited = 0; !sw_channel_has(left, 3); waited += 1e-4) sw_channel_pause(waited);
    SW_TRY(receive_labels(comm, left, 3, number, BULK));
    EXPECT(!sw_channel_has(left, 3));
    post_labels(comm, comm->rank, 5, posted[2], FEW);
    return receive_labels(comm, comm->rank, 5, number, FEW);
}

static enum sw_status pass_around(const struct sw_comm *comm, void *context)
{
    const int left = sw_comm_left(comm, true), right = sw_comm_right(comm, true);
    double *number = context;
    SW_TRY(posted_numbers(comm, number));
    if (comm->size == 1) return SW_OK;
    if (comm->rank % 2 == 0) send_labels(comm, right, 6, number, BULK);
    SW_TRY(receive_labels(comm, left, 6, number, BULK));
    if (comm->rank % 2) send_labels(comm, right, 6, number, BULK);
    return SW_OK;
}

static void channels_carry_bytes_in_order(void **state)
{
    static double number[BULK];
    (void)state;
    on_all_sizes(pass_around, number);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[2], "fail")) return fail_alone(argv[3]);
    const struct CMUnitTest rows[] = {
        cmocka_unit_test(each_rank_runs_once),
        cmocka_unit_test(neighbours_get_what_was_sent_to_them),
        cmocka_unit_test(nothing_may_be_sent),
        cmocka_unit_test(many_numbers_may_be_sent),
        cmocka_unit_test(everybody_gets_everybodys_numbers),
        cmocka_unit_test(bits_arrive_as_they_were),
        cmocka_unit_test(sums_are_in_the_order_of_ranks),
        cmocka_unit_test(a_barrier_holds_until_all_are_there),
        cmocka_unit_test(operations_follow_each_other_in_any_order),
        cmocka_unit_test(all_hear_who_refuses_and_go_on),
        cmocka_unit_test(the_lowest_rank_that_refused_is_reported),
        cmocka_unit_test(missing_arrays_are_refused),
        cmocka_unit_test(parts_may_run_parts_of_their_own),
    };
    /* Not of ranks that are processes: these use the operations of a library, which cannot be interrupted and do not
     * check that all ranks call the same. A rank that fails alone ends the job (tests/cli/run/test_mpi.sh). */
    const struct CMUnitTest of_one_process[] = {
        cmocka_unit_test(numbers_sent_to_a_rank_that_returned_hold_nobody_up),
        cmocka_unit_test(nobody_waits_for_a_rank_that_failed),
        cmocka_unit_test(a_rank_that_returned_is_named),
        cmocka_unit_test(calls_that_do_not_match_are_named),
    };
    const struct CMUnitTest of_processes[] = {
        cmocka_unit_test(channels_carry_bytes_in_order),
    };
    const struct CMUnitTest table[] = {
        cmocka_unit_test(the_first_row_that_does_so_many_ranks_is_taken),
        cmocka_unit_test(refuses_what_no_row_does),
        cmocka_unit_test(a_serial_run_has_a_communicator),
        cmocka_unit_test(a_launcher_is_known_by_what_it_sets),
    };
    int failed = 0;
    if (argc < 2) failed += cmocka_run_group_tests_name("communicators", table, NULL, NULL);
    for_each_row(sw_comm_table) {
        if (argc > 1 && strcmp(argv[1], under_test->name)) continue;
        failed += cmocka_run_group_tests_name(under_test->name, rows, NULL, NULL);
        if (!under_test->apart && under_test->fits(2))
            failed += cmocka_run_group_tests_name(under_test->name, of_one_process, NULL, NULL);
        if (under_test->apart) failed += cmocka_run_group_tests_name(under_test->name, of_processes, NULL, NULL);
    }
    return failed;
}
