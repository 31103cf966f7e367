/* A tridiagonal system whose slices lie with several ranks, against the whole system on one device: the same bits at
 * every depth, for every row that keeps relations and every transport.
 *
 * mpirun -n 3 build/test_tridiagonal_distributed takes the cases of 3 ranks, and these are processes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "comm/sw_launch.h"
#include "linalg/sw_tridiagonal_distributed.h"
#include "tridiagonal_helpers.h"

struct problem {
    struct sw_tridiagonal_desc desc;
    int     depth;
    double *rows;    /* [4][n]: lower, main, upper, rhs */
    double *x;       /* [n] out, the rows of all ranks that are in this process */
    const double *whole;  /* [n] what x is to be; NULL: unknown */
    int64_t broken;  /* out, of every rank              */
    double  right;   /* out, of every rank: rows of all ranks that have the bits of the whole */
};

static struct problem make(int64_t n, bool cyclic, uint64_t seed)
{
    struct problem p = {.desc = {n, 1, cyclic}, .rows = zeros(4 * (size_t)n), .x = zeros((size_t)n), .broken = -2};
    for (int64_t k = 0; k < 4 * n; k++) p.rows[k] = test_random(&seed);
    return p;
}

static void unmake(struct problem *p)
{
    sw_free(p->rows);
    sw_free(p->x);
}

/* ------------------------------------------------------------------ whole */

static double *solve_whole(const struct problem *p)
{
    const size_t n = (size_t)p->desc.n;
    struct sw_tridiagonal *solver;
    struct sw_tridiagonal_outcome outcome;
    double *d, *x = zeros(n);
    assert_ok(sw_tridiagonal_create(&p->desc, under_test->name, device, &solver));
    assert_ok(sw_device_alloc(device, 5 * n, &d));
    assert_ok(sw_device_upload(device, d, p->rows, 4 * n * sizeof *d));
    const struct sw_tridiagonal_rows rows = {d, d + n, d + 2 * n, d + 3 * n};
    assert_ok(sw_tridiagonal_solve(solver, &rows, d + 4 * n));
    assert_ok(sw_tridiagonal_outcome(solver, &rows, d + 4 * n, &outcome));
    assert_int_equal(outcome.fault, SW_TRIDIAGONAL_FINE);
    assert_ok(sw_device_download(device, x, d + 4 * n, n * sizeof *d));
    sw_device_free(device, d);
    sw_tridiagonal_destroy(&solver);
    return x;
}

/* ------------------------------------------------------------------ slice by slice, on ranks */

/* The rows of one slice on a rank's own device; x behind them. */
static enum sw_status load_slice(const struct sw_tridiagonal_distributed *d, const struct problem *p,
                                 struct sw_device *own, int64_t s, double *room, struct sw_tridiagonal_rows *rows,
                                 int64_t *first, int64_t *count)
{
    sw_tridiagonal_distributed_rows(d, s, first, count);
    for (int a = 0; a < 4; a++)
        SW_TRY(sw_device_upload(own, room + a * *count, p->rows + a * p->desc.n + *first,
                                (size_t)*count * sizeof *room));
    *rows = (struct sw_tridiagonal_rows){room, room + *count, room + 2 * *count, room + 3 * *count};
    return SW_OK;
}

static enum sw_status solve_slices(struct sw_tridiagonal_distributed *d, struct problem *p, struct sw_device *own,
                                   double *room)
{
    struct sw_tridiagonal_rows rows;
    int64_t from, slices, first, count;
    sw_tridiagonal_distributed_slices(d, &from, &slices);
    for (int64_t s = from; s < from + slices; s++) {
        SW_TRY(load_slice(d, p, own, s, room, &rows, &first, &count));
        SW_TRY(sw_tridiagonal_distributed_reduce(d, s, &rows));
    }
    SW_TRY(sw_tridiagonal_distributed_close(d, &p->broken));
    for (int64_t s = from + slices - 1; s >= from; s--) {
        SW_TRY(load_slice(d, p, own, s, room, &rows, &first, &count));
        SW_TRY(sw_tridiagonal_distributed_expand(d, s, &rows, room + 4 * count));
        SW_TRY(sw_device_download(own, p->x + first, room + 4 * count, (size_t)count * sizeof *room));
    }
    return SW_OK;
}

/* Each rank compares its own rows: on a busy machine all of them would take the ranks long to send. */
static enum sw_status count_right(const struct sw_tridiagonal_distributed *d, const struct sw_comm *comm,
                                  struct problem *p)
{
    int64_t from, slices, first, count;
    double right = 0;
    sw_tridiagonal_distributed_slices(d, &from, &slices);
    for (int64_t s = from; s < from + slices; s++) {
        sw_tridiagonal_distributed_rows(d, s, &first, &count);
        for (int64_t k = first; k < first + count; k++) right += !memcmp(&p->x[k], &p->whole[k], sizeof *p->x);
    }
    SW_TRY(sw_comm_sum(comm, 1, &right));
    p->right = right;
    return SW_OK;
}

static enum sw_status do_part(const struct sw_comm *comm, void *context)
{
    struct problem *p = context;
    struct sw_tridiagonal_distributed *d = NULL;
    struct sw_device *own = NULL;
    double *room = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_device_open(kind_of_row(), 1, &own));
    SW_TRY_TO(done, st, sw_device_use(own));
    SW_TRY_TO(done, st, sw_tridiagonal_distributed_create(&p->desc, p->depth, under_test->name, comm, own, &d));
    SW_TRY_TO(done, st, sw_device_alloc(own, 5 * (size_t)sw_tridiagonal_distributed_most_rows(d), &room));
    SW_TRY_TO(done, st, solve_slices(d, p, own, room));
    if (p->whole) st = count_right(d, comm, p);
done:
    sw_device_free(own, room);
    sw_tridiagonal_distributed_destroy(&d);
    sw_device_close(&own);
    return st;
}

/* Under mpirun the ranks are processes, all of them; else threads. */
static bool by_mpirun(void) { return sw_launched().size > 1; }
static const char *transport_for(int ranks) { return by_mpirun() ? "mpi" : ranks > 1 ? "threads" : "null"; }

static void gives_the_bits_of_the_whole_system(void **state)
{
    static const int64_t tiles[] = {1, 3, 65, 200, 1500};
    const int sizes = small_suite() ? 4 : 5, fewest = sw_launched().size, most = by_mpirun() ? fewest : 4;
    (void)state;
    need_row();
    for (int c = 0; c < 2 * sizes; c++) {
        const int64_t n = tiles[c / 2] * under_test->tile - (c % 3 ? 0 : 17);
        struct problem p = make(n, c % 2, (uint64_t)c + 1);
        const int deepest = sw_tridiagonal_depth(&p.desc, under_test->name);
        double *x = solve_whole(&p);
        p.whole = x;
        for (p.depth = 0; p.depth <= deepest; p.depth++)
            for (int ranks = fewest; ranks <= most && ranks <= 1 << p.depth; ranks++) {
                memset(p.x, 0, (size_t)n * sizeof *p.x);
                p.broken = -2;
                p.right = 0;
                assert_ok(sw_comm_run(transport_for(ranks), ranks, do_part, &p));
                assert_int_equal(p.broken, -1);
                if (p.right != (double)n)
                    fail_msg("n = %lld, depth %d, %d ranks: not the bits of the whole", (long long)n, p.depth, ranks);
            }
        sw_free(x);
        unmake(&p);
    }
}

/* A column of zeros, which no slice can eliminate. */
static void names_a_slice_that_is_singular(void **state)
{
    const int ranks = sw_launched().size;
    (void)state;
    need_row();
    struct problem p = make(200 * under_test->tile, false, 5);
    const int64_t n = p.desc.n, bad = n / 2 + under_test->tile / 3;
    p.depth = sw_tridiagonal_depth(&p.desc, under_test->name);
    assert_true(p.depth > 0 && ranks <= 1 << p.depth);
    p.rows[2 * n + bad - 1] = p.rows[n + bad] = p.rows[bad + 1] = 0;
    assert_ok(sw_comm_run(transport_for(ranks), ranks, do_part, &p));
    int64_t first, count;
    assert_true(p.broken >= 0);
    sw_tridiagonal_slice(&p.desc, under_test->name, p.depth, p.broken, &first, &count);
    assert_true(bad >= first && bad < first + count);
    unmake(&p);
}

static void refuses_more_ranks_than_slices(void **state)
{
    const int ranks = by_mpirun() ? sw_launched().size : 2;
    char expected[60];
    (void)state;
    need_row();
    struct problem p = make(3 * under_test->tile, false, 6);
    snprintf(expected, sizeof expected, "%d ranks cannot share 1 slice", ranks);
    assert_int_equal(sw_comm_run(transport_for(ranks), ranks, do_part, &p), SW_E_ARG);
    assert_contains(sw_err_message(), expected);
    unmake(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_bits_of_the_whole_system),
        cmocka_unit_test(names_a_slice_that_is_singular),
        cmocka_unit_test(refuses_more_ranks_than_slices),
    };
    int failed = 0;
    for (int k = 0; (under_test = sw_tridiagonal_table[k]); k++)  /* the small suite has those of the host, too */
        if (under_test->tile && row_asked_for(under_test->name))
            failed += run_for_row(tests);
    return failed;
}
