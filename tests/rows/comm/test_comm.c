/* Every row of the communicators: what goes where, for how many ranks, in which order sums are taken, and that nobody
 * hangs when a rank fails. Parts run on threads, where an assertion of the test library cannot: they return a
 * failure.
 *
 * mpirun -n 3 build/test_comm mpi tests one row on 3 ranks (test_mpi.sh). Each is a process then, and checks
 * what its own part has noted. mpirun -n 3 build/test_comm mpi fail CALL has its last rank fail while the others wait
 * in an operation: that ends the job. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "comm/sw_comm.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "comm/sw_message.h"
#include "device/sw_device.h"
#include "helpers.h"

static const struct sw_comm_ops *under_test;
static const int sizes[] = {1, 2, 3, 4, 8};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 8 };
static int rounds = 300;

#define EXPECT(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) return SW_FAIL(SW_E_ARG, "rank %d: expected %s (line %d)", comm->rank, #what, __LINE__);          \
    } while (0)

/* Whether the part of this rank was run in this process. */
static bool here(int rank) { return !under_test->apart || rank == sw_launched().rank; }

/* ---- communicators of devices: each test runs on them as well */

enum kind { HOST, CPU, FAR, CUDA };

/* What is tested now: the row itself (HOST), or one that is made of it for devices. */
static struct { enum kind kind; const char *row; } over;
static int gpus;
static _Thread_local struct sw_device *device_here;  /* of this rank */

static bool by_nccl(void) { return over.row && !strcmp(over.row, "nccl"); }

static bool does(int ranks) { return under_test->fits(ranks) && (!by_nccl() || ranks <= gpus); }

/* A device whose memory the host cannot reach: what is copied goes through its operations, or there is a fault. */
static void *far(const void *memory) { return (void *)((uintptr_t)memory ^ (uintptr_t)1 << 62); }

static enum sw_status far_alloc(struct sw_device *device, size_t bytes, void **out)
{
    (void)device;
    *out = calloc(1, bytes + 1);
    if (!*out) return SW_FAIL(SW_E_MEMORY, "no memory");
    *out = far(*out);
    return SW_OK;
}

static enum sw_status far_alloc_host(struct sw_device *device, size_t bytes, void **out)
{
    (void)device;
    *out = calloc(1, bytes + 1);
    return *out ? SW_OK : SW_FAIL(SW_E_MEMORY, "no memory");
}

static void far_free(struct sw_device *device, void *memory) { (void)device, free(far(memory)); }
static void far_free_host(struct sw_device *device, void *memory) { (void)device, free(memory); }

static enum sw_status far_upload(struct sw_device *device, void *to, const void *from, size_t bytes)
{
    (void)device;
    memcpy(far(to), from, bytes);
    return SW_OK;
}

static enum sw_status far_download(struct sw_device *device, void *to, const void *from, size_t bytes)
{
    (void)device;
    memcpy(to, far(from), bytes);
    return SW_OK;
}

static enum sw_status far_wait(struct sw_device *device)
{
    (void)device;
    return SW_OK;
}

static const struct sw_device_ops far_ops = {
    .kind = "far", .alloc = far_alloc, .free = far_free, .alloc_host = far_alloc_host, .free_host = far_free_host,
    .upload = far_upload, .download = far_download, .wait = far_wait};

/* An array that is in the memory of the communicator for the time of an operation. */
struct array { const double *from; double *to; size_t count; double *there; };

/* NCCL: all ranks have their memory before an operation of one of them waits for the others. */
static enum sw_status place(const struct sw_comm *comm, struct array *a, int arrays)
{
    for (int k = 0; k < arrays; k++) {
        if (!a[k].from || !a[k].count) continue;
        SW_TRY(sw_device_alloc(device_here, a[k].count, &a[k].there));
        SW_TRY(sw_device_upload(device_here, a[k].there, a[k].from, a[k].count * sizeof(double)));
    }
    return by_nccl() ? sw_comm_barrier(comm) : SW_OK;
}

/* NCCL: all ranks' operations have ended before memory is freed, and before numbers are looked at. */
static enum sw_status take_back(const struct sw_comm *comm, enum sw_status st, struct array *a, int arrays)
{
    if (!st && by_nccl()) st = sw_comm_barrier(comm);
    for (int k = 0; k < arrays; k++) {
        if (!st && a[k].to && a[k].there)
            st = sw_device_download(device_here, a[k].to, a[k].there, a[k].count * sizeof(double));
        sw_device_free(device_here, a[k].there);
    }
    return st;
}

static enum sw_status exchange_there(const struct sw_comm *comm, bool two_calls, bool periodic,
                                     const struct sw_comm_transfer *leftward, const struct sw_comm_transfer *rightward)
{
    if (!two_calls) return sw_comm_exchange(comm, periodic, leftward, rightward);
    SW_TRY(sw_comm_exchange_begin(comm, periodic, leftward, rightward));
    return sw_comm_exchange_end(comm);
}

/* Operations on arrays of the host, wherever the communicator has its own. */
static enum sw_status exchange(const struct sw_comm *comm, bool two_calls, bool periodic,
                               const struct sw_comm_transfer *l, const struct sw_comm_transfer *r)
{
    struct array a[] = {{l->send, NULL, l->count, NULL}, {l->receive, l->receive, l->count, NULL},
                        {r->send, NULL, r->count, NULL}, {r->receive, r->receive, r->count, NULL}};
    if (sw_comm_space(comm) == SW_HOST) return exchange_there(comm, two_calls, periodic, l, r);
    enum sw_status st = place(comm, a, 4);
    if (!st)
        st = exchange_there(comm, two_calls, periodic, &(struct sw_comm_transfer){l->count, a[0].there, a[1].there},
                            &(struct sw_comm_transfer){r->count, a[2].there, a[3].there});
    return take_back(comm, st, a, 4);
}

static enum sw_status gather(const struct sw_comm *comm, size_t count, const double *mine, double *all)
{
    struct array a[] = {{mine, NULL, count, NULL}, {all, all, count * (size_t)comm->size, NULL}};
    if (sw_comm_space(comm) == SW_HOST) return sw_comm_gather(comm, count, mine, all);
    enum sw_status st = place(comm, a, 2);
    if (!st) st = sw_comm_gather(comm, count, a[0].there, a[1].there);
    return take_back(comm, st, a, 2);
}

static enum sw_status all_to_all(const struct sw_comm *comm, const size_t *send_count, const double *send,
                                 const size_t *receive_count, double *receive)
{
    struct array a[] = {{send, NULL, 0, NULL}, {receive, receive, 0, NULL}};
    if (sw_comm_space(comm) == SW_HOST)
        return sw_comm_all_to_all(comm, send_count, send, receive_count, receive);
    for (int r = 0; r < comm->size; r++) {
        a[0].count += send_count ? send_count[r] : 0;
        a[1].count += receive_count ? receive_count[r] : 0;
    }
    enum sw_status st = place(comm, a, 2);
    if (!st) st = sw_comm_all_to_all(comm, send_count, a[0].there, receive_count, a[1].there);
    return take_back(comm, st, a, 2);
}

struct part { sw_comm_part *run; void *context; };

static enum sw_status open_device(int rank, struct sw_device *fake, struct sw_device **device)
{
    char spec[24];
    *fake = (struct sw_device){.ops = &far_ops, .space = SW_DEVICE};
    *device = fake;
    if (over.kind == FAR) return SW_OK;
    snprintf(spec, sizeof spec, "cuda:%d", gpus ? rank % gpus : 0);
    return sw_device_open(over.kind == CPU ? "cpu" : spec, 1, device);
}

static enum sw_status run_on_device(const struct sw_comm *host, void *context)
{
    const struct part *part = context;
    struct sw_device fake, *device, *outer = device_here;
    struct sw_comm *comm = NULL;
    SW_TRY(open_device(host->rank, &fake, &device));
    device_here = device;
    enum sw_status st = sw_comm_on_device(host, device, over.row, &comm);
    if (!st) st = part->run(comm, part->context);
    if (!st) st = sw_comm_barrier(comm);
    struct sw_err_kept failure = {0};
    sw_err_keep(&failure, st);
    sw_comm_destroy(&comm);
    if (device != &fake) sw_device_close(&device);
    device_here = outer;
    return sw_err_raise(&failure);
}

static enum sw_status run(int ranks, sw_comm_part *part, void *context)
{
    struct part p = {part, context};
    if (over.kind == HOST) return sw_comm_run(under_test->name, ranks, part, context);
    return sw_comm_run(under_test->name, ranks, run_on_device, &p);
}

/* Run on each number of ranks that the row does. */
static void on_all_sizes(sw_comm_part *part, void *context)
{
    if (under_test->absent) skip_unless_needed(under_test->name, under_test->absent);
    for (int k = 0; k < SIZES; k++)
        if (does(sizes[k])) assert_ok(run(sizes[k], part, context));
}

static enum sw_status knows_itself(const struct sw_comm *comm, void *context)
{
    atomic_int *seen = context;
    int last = comm->size - 1, r = comm->rank;
    EXPECT(r >= 0 && r <= last);
    EXPECT(!strcmp(sw_comm_name(comm), over.kind == FAR || over.kind == CUDA ? over.row : under_test->name));
    EXPECT(sw_comm_space(comm) == (over.kind == FAR || over.kind == CUDA ? SW_DEVICE : under_test->space));
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
        assert_int_equal(seen[sizes[k]], does(sizes[k]) ? all : 0);
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
    const struct sw_comm_transfer leftward = {left_count, out[0], in[0]}, rightward = {right_count, out[1], in[1]};
    SW_TRY(exchange(comm, round % 3 == 2, periodic, &leftward, &rightward));
    for (size_t k = 0; k < COUNT; k++) {
        EXPECT(in[0][k] == (right >= 0 && k < left_count ? label(right, 0, round, k) : -7));
        EXPECT(in[1][k] == (left >= 0 && k < right_count ? label(left, 1, round, k) : -7));
    }
    return SW_OK;
}

static enum sw_status exchanges(const struct sw_comm *comm, void *context)
{
    (void)context;
    for (int round = 0; round < rounds; round++) {
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

/* The first numbers go to rank 0, fewer by one to the next, ... */
static enum sw_status sends_much_to_all(const struct sw_comm *comm, size_t count, double *mine, double *all)
{
    size_t send_count[MOST], receive_count[MOST], begin = 0;
    if (count < MOST) return SW_OK;
    for (int r = 0; r < comm->size; r++) {
        send_count[r] = count / (size_t)comm->size - (size_t)r;
        receive_count[r] = count / (size_t)comm->size - (size_t)comm->rank;
        if (r < comm->rank) begin += count / (size_t)comm->size - (size_t)r;
    }
    SW_TRY(all_to_all(comm, send_count, mine, receive_count, all));
    for (int r = 0; r < comm->size; r++)
        for (size_t k = 0; k < receive_count[r]; k++) EXPECT(*all++ == label(r, 0, 7, begin + k));
    return SW_OK;
}

/* So many numbers that they do not travel in one piece with what announces them. */
static enum sw_status sends_much(const struct sw_comm *comm, void *context)
{
    enum { LARGEST = (1 << 18) + 5 };  /* so many are more than one block of comm_mpi.c */
    static const size_t counts[] = {1, 499, 500, 501, 502, 40000, LARGEST};
    double *mine = malloc(LARGEST * sizeof *mine), *all = malloc(((size_t)comm->size + 1) * LARGEST * sizeof *all);
    enum sw_status st = mine && all ? SW_OK : SW_FAIL(SW_E_MEMORY, "no memory");
    (void)context;
    for (size_t k = 0; k < LARGEST && !st; k++) mine[k] = label(comm->rank, 0, 7, k);
    for (size_t c = 0; c < sizeof counts / sizeof *counts && !st; c++) {
        const size_t count = counts[c];
        const int right = sw_comm_right(comm, true);
        st = gather(comm, count, mine, all);
        for (size_t k = 0; k < (size_t)comm->size * count && !st; k++)
            if (all[k] != label((int)(k / count), 0, 7, k % count))
                st = SW_FAIL(SW_E_ARG, "number %zu of %zu", k, count);
        if (!st)
            st = exchange(comm, c % 2, true, &(struct sw_comm_transfer){count, mine, all},
                                  &(struct sw_comm_transfer){count / 2, mine, all + count});
        for (size_t k = 0; k < count && !st; k++)
            if (all[k] != label(right, 0, 7, k)) st = SW_FAIL(SW_E_ARG, "exchanged number %zu of %zu", k, count);
        if (!st) st = sends_much_to_all(comm, count, mine, all);
    }
    free(mine);
    free(all);
    return st;
}

/* How many numbers rank r sends to rank s: also none, and to itself. */
static size_t pair_count(int r, int s, int round) { return (size_t)((3 * r + 5 * s + round) % 7 * (round % 50)); }

static enum sw_status all_to_all_round(const struct sw_comm *comm, int round)
{
    enum { ROOM = MOST * 6 * 49 + 1 };
    double send[ROOM], receive[ROOM];
    size_t send_count[MOST], receive_count[MOST], sent = 0, received = 0;
    for (int r = 0; r < comm->size; r++) {
        send_count[r] = pair_count(comm->rank, r, round);
        receive_count[r] = pair_count(r, comm->rank, round);
        for (size_t k = 0; k < send_count[r]; k++) send[sent++] = label(comm->rank, r, round, k);
        received += receive_count[r];
    }
    for (size_t k = 0; k <= received; k++) receive[k] = -7;
    SW_TRY(all_to_all(comm, send_count, send, receive_count, receive));
    const double *next = receive;
    for (int r = 0; r < comm->size; r++)
        for (size_t k = 0; k < receive_count[r]; k++) EXPECT(*next++ == label(r, comm->rank, round, k));
    EXPECT(*next == -7);
    return SW_OK;
}

static enum sw_status sends_to_all(const struct sw_comm *comm, void *context)
{
    const size_t none[MOST] = {0};
    (void)context;
    for (int round = 0; round < rounds; round++) SW_TRY(all_to_all_round(comm, round));
    return all_to_all(comm, none, NULL, none, NULL);
}

static void every_pair_may_have_its_own_numbers(void **state)
{
    (void)state;
    on_all_sizes(sends_to_all, NULL);
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
    else if (!st) st = gather(comm, LARGE, mine, all);
    free(mine);
    free(all);
    return st;
}

static void numbers_sent_to_a_rank_that_returned_hold_nobody_up(void **state)
{
    (void)state;
    for (int k = 1; k < SIZES; k++)
        for (int who = 0; who < sizes[k] && does(sizes[k]); who++) {
            assert_int_equal(run(sizes[k], returns_while_others_send, &who), SW_E_IO);
            assert_contains(sw_err_message(), "has had enough");
        }
}

static enum sw_status sends_nothing(const struct sw_comm *comm, void *context)
{
    double in = -7, out = comm->rank;
    const struct sw_comm_transfer none = {0};
    (void)context;
    SW_TRY(exchange(comm, false, false, &none, &none));
    SW_TRY(exchange(comm, false, true, &none, &none));
    SW_TRY(gather(comm, 0, NULL, NULL));
    SW_TRY(sw_comm_sum(comm, 0, NULL));
    /* the ends of a line need no arrays on their outer sides */
    SW_TRY(exchange(comm, false, false,
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
    for (int round = 0; round < rounds; round++) {
        size_t count = (size_t)(round % (COUNT + 1)), size = (size_t)comm->size;
        for (size_t k = 0; k < count; k++) mine[k] = label(comm->rank, 2, round, k);
        all[size * count] = -7;
        SW_TRY(gather(comm, count, mine, all));
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
    SW_TRY(gather(comm, 4, mine, all));
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

static enum sw_status broadcasts(const struct sw_comm *comm, void *context)
{
    double number[COUNT];
    (void)context;
    for (int from = 0; from < comm->size; from++)
        for (size_t count = 0; count <= COUNT; count += 1 + count / 2) {
            for (size_t k = 0; k < COUNT; k++) number[k] = comm->rank == from ? label(from, 1, 2, k) : -7;
            SW_TRY(sw_comm_broadcast(comm, from, count, number));
            for (size_t k = 0; k < COUNT; k++)
                EXPECT(number[k] == (k < count || comm->rank == from ? label(from, 1, 2, k) : -7));
        }
    return SW_OK;
}

static void everybody_gets_the_numbers_of_one(void **state)
{
    (void)state;
    on_all_sizes(broadcasts, NULL);
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
    for (int round = 0; round < rounds; round++) {
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
    for (int round = 0; round < 4 * rounds; round++) {
        int which = (int)(8 * (test_random(&all_alike) + 1)) % 6;
        double v = label(comm->rank, 3, round, 1), all[MOST];
        if (test_random(&mine) > 0.99) usleep(200);
        if (which == 0) SW_TRY(exchange_round(comm, round, false, 3, COUNT));
        if (which == 1) SW_TRY(exchange_round(comm, round, true, COUNT, 1));
        if (which == 2) SW_TRY(sw_comm_barrier(comm));
        if (which == 3) SW_TRY(sw_comm_sum(comm, 1, &v));
        if (which == 4) SW_TRY(gather(comm, 1, &v, all));
        if (which == 5) SW_TRY(all_to_all_round(comm, round % 60));
        for (int r = 0; which == 4 && r < comm->size; r++) EXPECT(all[r] == label(r, 3, round, 1));
    }
    return SW_OK;
}

static void operations_follow_each_other_in_any_order(void **state)
{
    (void)state;
    on_all_sizes(mixes, NULL);
}

/* ---- parts of a communicator */

/* Every operation of a part, which are its own: with other counts than those of the other parts. */
static enum sw_status uses_part(const struct sw_comm *part, int round)
{
    double one = 1;
    SW_TRY(exchange_round(part, round, true, 3, (size_t)(round % COUNT)));
    SW_TRY(exchange_round(part, round, false, 1, 1));
    SW_TRY(all_to_all_round(part, round));
    SW_TRY(sw_comm_barrier(part));
    SW_TRY(sw_comm_sum(part, 1, &one));
    if (one != part->size) return SW_FAIL(SW_E_ARG, "%g ranks in a part of %d", one, part->size);
    return sw_comm_agree(part, SW_OK);
}

/* The ranks of a color, in the order that they have in comm. */
static enum sw_status split_by(const struct sw_comm *comm, int (*color)(int rank, int size), struct sw_comm **part)
{
    const int mine = color(comm->rank, comm->size);
    double all[MOST], number = comm->rank;
    int size = 0;
    SW_TRY(sw_comm_split(comm, mine, part));
    EXPECT((*part != NULL) == (mine >= 0));
    if (!*part) return SW_OK;
    EXPECT(!strcmp(sw_comm_name(*part), sw_comm_name(comm)) && sw_comm_space(*part) == sw_comm_space(comm));
    SW_TRY(gather(*part, 1, &number, all));
    for (int r = 0; r < comm->size; r++)
        if (color(r, comm->size) == mine) EXPECT(size < (*part)->size && all[size++] == r);
    EXPECT(size == (*part)->size && all[(*part)->rank] == comm->rank);
    return SW_OK;
}

static int all_alike(int rank, int size) { return 0 * (rank + size); }
static int each_alone(int rank, int size) { return size - rank; }
static int strided(int rank, int size) { return rank % (size > 4 ? 4 : 2); }
static int consecutive(int rank, int size) { return rank / (size > 4 ? 3 : 2) * 1000000007; }
static int some(int rank, int size) { return rank == size / 2 ? -1 : 3; }

/* Rows and columns of ranks at once, and parts of parts. */
static enum sw_status splits(const struct sw_comm *comm, void *context)
{
    static int (*const colors[])(int, int) = {all_alike, each_alone, strided, consecutive, some};
    enum { COLORS = sizeof colors / sizeof *colors };
    struct sw_comm *row = NULL, *column = NULL, *inner = NULL;
    (void)context;
    for (int k = 0; k < COLORS * COLORS; k += by_nccl() ? 6 : 1) {  /* it takes its time to begin */
        SW_TRY(split_by(comm, colors[k % COLORS], &row));
        SW_TRY(split_by(comm, colors[k / COLORS], &column));
        if (column) SW_TRY(split_by(column, strided, &inner));
        for (int round = 0; round < 3; round++) {
            if (row) SW_TRY(uses_part(row, 10 * round + row->size));
            if (column) SW_TRY(uses_part(column, 7 * round));
            if (inner) SW_TRY(uses_part(inner, round));
            SW_TRY(exchange_round(comm, round, true, 2, 5));
        }
        sw_comm_destroy(&row);
        if (inner) SW_TRY(uses_part(inner, k));
        sw_comm_destroy(&column);
        sw_comm_destroy(&inner);
        EXPECT(!row && !column && !inner);
        sw_comm_destroy(&row);
    }
    sw_comm_destroy(NULL);
    return SW_OK;
}

static void parts_are_communicators(void **state)
{
    (void)state;
    on_all_sizes(splits, NULL);
}

static enum sw_status refuses_a_color(const struct sw_comm *comm, void *context)
{
    const bool mine = comm->rank == comm->size - 1;
    struct sw_comm *part = NULL;
    (void)context;
    EXPECT(sw_comm_split(comm, mine ? -2 : 0, &part) == (mine ? SW_E_ARG : SW_E_COMM) && !part);
    EXPECT(strstr(sw_err_message(), "a color of -2: -1 is the least"));
    return sw_comm_barrier(comm);
}

static void a_color_that_is_none_is_refused_by_all(void **state)
{
    (void)state;
    on_all_sizes(refuses_a_color, NULL);
}

/* ---- failures */

struct failing {
    int            rank, round;     /* who fails, before which of its calls */
    int            call;            /* what the others wait in              */
    bool           began[MOST];     /* else it was still making its communicator of a device */
    enum sw_status heard[MOST];
    char           text[MOST][200];
};

enum { CALLS = 8 };

static enum sw_status one_call(const struct sw_comm *comm, int call)
{
    double one = 1, all[MOST];
    struct sw_comm *part;
    if (call == 5) return all_to_all_round(comm, 3);
    if (call == 6) {
        SW_TRY(sw_comm_split(comm, comm->rank % 2, &part));
        enum sw_status st = exchange_round(part, 0, true, 2, 2);
        sw_comm_destroy(&part);
        return st;
    }
    if (call == 7) return exchange_round(comm, 2, true, 1, 1);
    if (call == 0) return exchange_round(comm, 0, false, 2, 2);
    if (call == 1) return exchange_round(comm, 0, true, 2, 2);
    if (call == 2) return gather(comm, 1, &one, all);
    if (call == 3) return sw_comm_sum(comm, 1, &one);
    return sw_comm_barrier(comm);
}

static enum sw_status fails(const struct sw_comm *comm, void *context)
{
    struct failing *f = context;
    enum sw_status st = SW_OK;
    f->began[comm->rank] = true;
    for (int round = 0; round < 6 && !st; round++) {
        if (comm->rank == f->rank && round == f->round) return SW_FAIL(SW_E_SINGULAR, "row %d is singular", 10 + round);
        st = one_call(comm, f->call);
    }
    if (!st) st = sw_comm_barrier(comm);  /* ranks whose neighbours went on get the failure here at the latest */
    f->heard[comm->rank] = st;
    snprintf(f->text[comm->rank], sizeof f->text[0], "%s", sw_err_message());
    for (int call = 0; call < CALLS && st && comm->size > 1; call++) EXPECT(one_call(comm, call) == SW_E_COMM);
    return st;
}

static void nobody_waits_for_a_rank_that_failed(void **state)
{
    char expected[64];
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int trial = 0; does(sizes[k]) && trial < CALLS * (over.kind == HOST ? 4 : 1) * sizes[k]; trial++) {
            struct failing f = {.rank = trial % sizes[k], .call = trial / sizes[k] % CALLS,
                                .round = trial / sizes[k] / CALLS};
            assert_int_equal(run(sizes[k], fails, &f), SW_E_SINGULAR);
            snprintf(expected, sizeof expected, "row %d is singular", 10 + f.round);
            assert_string_equal(sw_err_message(), expected);
            snprintf(expected, sizeof expected, "rank %d of %d: row %d is singular", f.rank, sizes[k], 10 + f.round);
            for (int r = 0; r < sizes[k]; r++)
                if (r != f.rank && here(r) && (f.began[r] || over.kind == HOST)) {
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
    static const char *const names[CALLS] = {"exchange", "exchange", "gather", "gather", "barrier", "all-to-all",
                                             "gather", "exchange"};
    (void)state;
    for (int k = 0; k < SIZES; k++)
        for (int call = 0; call < CALLS && sizes[k] > 1 && does(sizes[k]); call++) {
            assert_int_equal(run(sizes[k], returns_early, &call), SW_E_COMM);
            assert_contains(sw_err_message(), "has returned after 1 calls, while rank");
            assert_contains(sw_err_message(), names[call]);
        }
}

/* A rank that fails, and others that wait for each other, or for it, in parts. */
struct failing_part { int (*color)(int rank, int size); bool keep; };

static enum sw_status fails_beside_parts(const struct sw_comm *comm, void *context)
{
    const struct failing_part *f = context;
    struct sw_comm *part = NULL;
    SW_TRY(sw_comm_split(comm, f->color(comm->rank, comm->size), &part));
    enum sw_status st = part ? uses_part(part, 4) : SW_OK;
    if (!st && comm->rank == comm->size - 1) st = SW_FAIL(SW_E_IO, "a disk is full");
    while (!st) st = part ? uses_part(part, 4) : sw_comm_barrier(comm);
    struct sw_err_kept failure = {0};
    sw_err_keep(&failure, st);
    if (!f->keep) sw_comm_destroy(&part);
    EXPECT(st == (comm->rank == comm->size - 1 ? SW_E_IO : SW_E_COMM));
    return sw_err_raise(&failure);
}

static void nobody_waits_in_a_part_for_a_rank_that_failed(void **state)
{
    static int (*const colors[])(int, int) = {all_alike, each_alone, strided, consecutive, some};
    (void)state;
    for (int k = 1; k < SIZES; k++)
        for (int trial = 0; trial < (over.kind == HOST ? 50 : 10) && does(sizes[k]); trial++) {
            struct failing_part f = {.color = colors[trial % 5], .keep = trial % 2 && over.kind == HOST};
            assert_int_equal(run(sizes[k], fails_beside_parts, &f), SW_E_IO);
            assert_string_equal(sw_err_message(), "a disk is full");
        }
}

/* The last rank leaves a part, in which the others go on. */
static enum sw_status leaves_a_part(const struct sw_comm *comm, void *context)
{
    struct sw_comm *part = NULL;
    (void)context;
    SW_TRY(sw_comm_split(comm, 0, &part));
    SW_TRY(sw_comm_barrier(part));
    if (comm->rank == comm->size - 1) sw_comm_destroy(&part);
    else SW_TRY(sw_comm_barrier(part));
    return sw_comm_barrier(comm);
}

static enum sw_status sends_more_than_expected(const struct sw_comm *comm, void *context)
{
    size_t send_count[MOST], receive_count[MOST];
    double send[2 * MOST] = {0}, receive[2 * MOST];
    (void)context;
    for (int r = 0; r < comm->size; r++) send_count[r] = receive_count[r] = 1;
    if (comm->rank == comm->size - 1) send_count[0]++;
    return all_to_all(comm, send_count, send, receive_count, receive);
}

static void calls_of_parts_that_do_not_match_are_named(void **state)
{
    char expected[80];
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        if (!does(sizes[k])) continue;
        snprintf(expected, sizeof expected, "rank %d sends 2 numbers to rank 0, which expects 1", sizes[k] - 1);
        assert_int_equal(run(sizes[k], sends_more_than_expected, NULL), SW_E_COMM);
        assert_contains(sw_err_message(), expected);
        if (sizes[k] == 1) continue;
        assert_int_equal(run(sizes[k], leaves_a_part, NULL), SW_E_COMM);
        assert_contains(sw_err_message(), "has returned after ");
    }
}

static enum sw_status calls_another(const struct sw_comm *comm, void *context)
{
    const int *calls = context;
    double v[3] = {0}, all[3 * MOST];
    bool odd = comm->rank == comm->size - 1;
    if (calls[0] < 0) return gather(comm, odd ? 2 : 3, v, all);
    return one_call(comm, calls[odd]);
}

static void calls_that_do_not_match_are_named(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        if (sizes[k] == 1 || !does(sizes[k])) continue;
        assert_int_equal(run(sizes[k], calls_another, (int[]){-1, 0}), SW_E_COMM);
        assert_contains(sw_err_message(), "all ranks must call the same operations");
        assert_contains(sw_err_message(), "gather of 2 and 0");
        assert_contains(sw_err_message(), "gather of 3 and 0");
        assert_int_equal(run(sizes[k], calls_another, (int[]){0, 4}), SW_E_COMM);
        assert_contains(sw_err_message(), "all ranks must call the same operations");
        assert_contains(sw_err_message(), "barrier");
        assert_contains(sw_err_message(), "exchange");
        assert_int_equal(run(sizes[k], calls_another, (int[]){0, 1}), SW_E_COMM);
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
    for (unsigned failing = 0; failing < 256; failing += 1 + failing / (over.kind == HOST ? 3 : 1))
        on_all_sizes(agrees, &failing);
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
        for (int trial = 0; trial < rounds && does(sizes[k]); trial++) {
            const int first = sizes[k] / 2;
            assert_int_equal(run(sizes[k], refuses_together, heard), SW_E_ARG);
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
    double v[2] = {0};
    struct sw_comm_transfer good = {1, v, v}, none = {0}, no_send = {1, NULL, v}, no_receive = {1, v, NULL};
    const size_t one[MOST] = {1};
    int which = *(int *)context;
    (void)good;
    if (which == 0) return exchange(comm, false, true, &no_send, &none);
    if (which == 1) return exchange(comm, false, true, &none, &no_receive);
    if (which == 2) return gather(comm, 2, NULL, v);
    if (which == 3) return gather(comm, 2, v, NULL);
    if (which == 5) return all_to_all(comm, one, NULL, one, v);
    if (which == 6) return all_to_all(comm, one, v, one, NULL);
    if (which == 7) return all_to_all(comm, NULL, v, one, v);
    if (which == 8) return exchange(comm, true, true, &no_send, &none);
    return sw_comm_max(comm, 2, NULL);
}

static void missing_arrays_are_refused(void **state)
{
    static const char *const text[] = {"1 numbers go leftward, but there is no array of them",
                                       "1 numbers come rightward, but there is no array for them",
                                       "2 numbers of each rank to gather, but no array",
                                       "2 numbers of each rank to gather, but no array", "2 numbers to reduce",
                                       "1 numbers go to rank 0, but there is no array of them",
                                       "1 numbers come from rank 0, but there is no array for them",
                                       "no counts of the numbers between the ranks",
                                       "1 numbers go leftward, but there is no array of them"};
    (void)state;
    if (under_test->absent) skip_unless_needed(under_test->name, under_test->absent);
    for (int which = 0; which < (int)(sizeof text / sizeof *text); which++) {
        int ranks = 1;
        while (!does(ranks)) ranks++;
        assert_int_equal(run(ranks, passes_no_array, &which), SW_E_ARG);
        assert_contains(sw_err_message(), text[which]);
    }
}

static enum sw_status runs_another(const struct sw_comm *comm, void *context)
{
    double one = 1;
    SW_TRY(run(comm->size, exchanges, context));
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
    assert_ok(gather(comm, 1, &v, &all));
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

/* The last rank fails before its second call; with a call of -1, which is none, the others fail as well. */
static enum sw_status fails_alone(const struct sw_comm *comm, void *context)
{
    const int call = *(int *)context;
    SW_TRY(sw_comm_barrier(comm));
    if (comm->rank == comm->size - 1) return SW_FAIL(SW_E_IO, "a disk is full");
    return call >= 0 ? one_call(comm, call) : SW_FAIL(SW_E_COMM, "heard of it");
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

/* ---- threads: one sends messages and numbers around, and receives them, while another is in operations */

enum { TALKS = 300 };

struct beside { const struct sw_comm *comm; atomic_bool ended; const char *wrong; };

static const char *talk_once(int left, int right)
{
    static const double posted[FEW] = {1, 2, 3};
    double number[FEW] = {0};
    char text[SW_MESSAGE_BYTES];
    size_t bytes;
    int from;
    sw_channel_post(right, 9, posted, sizeof posted);
    if (sw_message_send(right, "beside", 7)) return "a message cannot be sent";
    sw_channel_receive(left, 9, number, sizeof number);
    for (double waited = 0; !sw_message_receive(&from, text, &bytes); waited += 1e-4) sw_channel_pause(waited);
    if (memcmp(number, posted, sizeof number)) return "other numbers";
    return from == left && bytes == 7 && !strcmp(text, "beside") ? NULL : "another message";
}

static void *talk(void *argument)
{
    struct beside *b = argument;
    const int left = sw_comm_left(b->comm, true), right = sw_comm_right(b->comm, true);
    for (int k = 0; k < TALKS && !b->wrong; k++) b->wrong = talk_once(left, right);
    sw_message_flush();
    atomic_store(&b->ended, true);
    return NULL;
}

static enum sw_status operates_beside(const struct sw_comm *comm, void *context)
{
    struct beside b = {.comm = comm};
    struct sw_comm *part = NULL;
    double ended = 0;
    pthread_t thread;
    (void)context;
    EXPECT(!pthread_create(&thread, NULL, talk, &b));
    enum sw_status st = SW_OK;
    for (int round = 0; ended < comm->size && !st; round++) {
        st = sw_comm_split(comm, 0, &part);
        if (!st) st = uses_part(part, round % 60);
        if (!st) st = exchange_round(comm, round, true, 3, 7);
        ended = atomic_load(&b.ended);
        if (!st) st = sw_comm_sum(comm, 1, &ended);
        sw_comm_destroy(&part);
    }
    pthread_join(thread, NULL);
    if (!st && b.wrong) st = SW_FAIL(SW_E_ARG, "%s", b.wrong);
    return st;
}

static void messages_and_operations_go_on_at_once(void **state)
{
    (void)state;
    on_all_sizes(operates_beside, NULL);
}

/* ---- communicators of devices: the choice of a row */

static int count_gpus(void)
{
    for (int k = 0; sw_device_table[k]; k++) {
        const struct sw_device_ops *ops = sw_device_table[k];
        if (!strcmp(ops->kind, "cuda") && !ops->absent) return ops->count();
    }
    return 0;
}

static void gpus_are_there(void **state)
{
    (void)state;
    if (!gpus) skip_unless_needed("cuda", "no GPU: communicators between GPUs are not tested");
    if (gpus == 1) skip_unless_needed("two GPUs", "one GPU: NCCL is tested with one rank");
}

struct request { const char *row; enum kind kind; bool shared; enum sw_status status; const char *text; };

static enum sw_status requests_a_row(const struct sw_comm *host, void *context)
{
    const struct request *q = context;
    const struct sw_comm *comm = host;
    struct sw_device fake = {.ops = &far_ops, .space = q->kind == CPU ? SW_HOST : SW_DEVICE};
    struct sw_comm *made = NULL;
    if (q->kind == HOST && host->rank == 0) fake.space = SW_HOST;
    fake.uuid[15] = q->shared ? 7 : (unsigned char)(host->rank + 1);
    const enum sw_status st = sw_comm_on_device(host, &fake, q->row, &made);
    EXPECT(st == q->status && !made == (st != SW_OK));
    EXPECT(st ? strstr(sw_err_message(), q->text) != NULL : !strcmp(sw_comm_name(made), q->text));
    sw_comm_destroy(&made);
    return sw_comm_barrier(host);
}

static void a_row_of_devices_is_chosen_by_all(void **state)
{
    const char *absent = sw_comm_device_table[1]->absent;  /* of nccl */
    const struct request requests[] = {
        {"mpi", FAR, false, SW_E_CONFIG, "communicator mpi: there is no such row for devices"},
        {"nccl", CPU, false, SW_E_ABSENT, "communicator nccl: it works between GPUs, and the ranks compute on the CPU"},
        {"nccl", FAR, true, SW_E_ABSENT, absent ? absent : "communicator nccl: ranks 0 and 1 share one GPU"},
        {NULL, FAR, true, SW_OK, "staged"},
        {NULL, CPU, true, SW_OK, "threads"},
        {"staged", CPU, false, SW_OK, "threads"},
        {NULL, HOST, false, SW_E_ARG, "1 of 3 ranks compute on the CPU, and the others do not"},
    };
    (void)state;
    assert_string_equal(sw_comm_device_table[0]->name, "peer");
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
        assert_ok(sw_comm_run("threads", 3, requests_a_row, (void *)&requests[k]));
}

/* One rank asks for what the others do not have. */
static enum sw_status asks_alone(const struct sw_comm *comm, void *context)
{
    const bool mine = comm->rank == 1;
    struct sw_device fake = {.ops = &far_ops, .space = SW_DEVICE};
    struct sw_comm *made = NULL;
    (void)context;
    EXPECT(sw_comm_on_device(comm, &fake, mine ? "none" : "staged", &made) == (mine ? SW_E_CONFIG : SW_E_COMM));
    EXPECT(!made && strstr(sw_err_message(), "communicator none: there is no such row"));
    return sw_comm_barrier(comm);
}

static void a_row_that_one_rank_lacks_is_refused_by_all(void **state)
{
    (void)state;
    assert_ok(sw_comm_run("threads", 3, asks_alone, NULL));
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[2], "fail")) return fail_alone(argv[3]);
    const struct CMUnitTest rows[] = {
        cmocka_unit_test(each_rank_runs_once),
        cmocka_unit_test(neighbours_get_what_was_sent_to_them),
        cmocka_unit_test(nothing_may_be_sent),
        cmocka_unit_test(many_numbers_may_be_sent),
        cmocka_unit_test(every_pair_may_have_its_own_numbers),
        cmocka_unit_test(parts_are_communicators),
        cmocka_unit_test(a_color_that_is_none_is_refused_by_all),
        cmocka_unit_test(everybody_gets_everybodys_numbers),
        cmocka_unit_test(bits_arrive_as_they_were),
        cmocka_unit_test(everybody_gets_the_numbers_of_one),
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
        cmocka_unit_test(nobody_waits_in_a_part_for_a_rank_that_failed),
        cmocka_unit_test(a_rank_that_returned_is_named),
        cmocka_unit_test(calls_of_parts_that_do_not_match_are_named),
        cmocka_unit_test(calls_that_do_not_match_are_named),
    };
    const struct CMUnitTest of_processes[] = {
        cmocka_unit_test(channels_carry_bytes_in_order),
        cmocka_unit_test(messages_and_operations_go_on_at_once),
    };
    const struct CMUnitTest table[] = {
        cmocka_unit_test(the_first_row_that_does_so_many_ranks_is_taken),
        cmocka_unit_test(refuses_what_no_row_does),
        cmocka_unit_test(a_serial_run_has_a_communicator),
        cmocka_unit_test(a_launcher_is_known_by_what_it_sets),
        cmocka_unit_test(a_row_of_devices_is_chosen_by_all),
        cmocka_unit_test(a_row_that_one_rank_lacks_is_refused_by_all),
        cmocka_unit_test(gpus_are_there),
    };
    /* Nor of devices: operations that are queued are not compared. */
    const struct CMUnitTest of_devices[] = {
        cmocka_unit_test(numbers_sent_to_a_rank_that_returned_hold_nobody_up),
        cmocka_unit_test(nobody_waits_for_a_rank_that_failed),
        cmocka_unit_test(nobody_waits_in_a_part_for_a_rank_that_failed),
    };
    /* Each row by itself, and for devices: of the CPU, of one that stands for a GPU, and of GPUs. */
    static const struct { enum kind kind; const char *row, *name; } overs[] = {
        {HOST, NULL, "%s"}, {CPU, NULL, "%s on the CPU"}, {FAR, "staged", "%s staged"},
        {CUDA, "staged", "%s staged by GPUs"}, {CUDA, "peer", "%s between peers"},
        {CUDA, "nccl", "%s by NCCL"},
    };
    int failed = 0;
    gpus = count_gpus();
    if (argc < 2) failed += cmocka_run_group_tests_name("communicators", table, NULL, NULL);
    for_each_row(sw_comm_table) {
        if (argc > 1 && strcmp(argv[1], under_test->name)) continue;
        for (size_t k = 0; k < sizeof overs / sizeof *overs; k++) {
            char name[64];
            over.kind = overs[k].kind;
            over.row = overs[k].row;
            rounds = over.kind == HOST ? 300 : by_nccl() ? 10 : 30;
            snprintf(name, sizeof name, overs[k].name, under_test->name);
            if (over.kind == CUDA && !gpus) continue;
            if (by_nccl() && under_test->apart && sw_launched().size > gpus) continue;
            if (over.row && !strcmp(over.row, "peer") && under_test->apart) continue;
            failed += cmocka_run_group_tests_name(name, rows, NULL, NULL);
            if (!under_test->apart && under_test->fits(2)) {
                if (over.kind == HOST) failed += cmocka_run_group_tests_name(name, of_one_process, NULL, NULL);
                else failed += cmocka_run_group_tests_name(name, of_devices, NULL, NULL);
            }
        }
        over.kind = HOST;
        over.row = NULL;
        if (under_test->apart) failed += cmocka_run_group_tests_name(under_test->name, of_processes, NULL, NULL);
    }
    return failed;
}
