/* Elliptic problems whose grid is cut over ranks: a slab's matrix is the slab of the whole matrix, and each row that
 * cuts takes the iterations of one device and finds its u. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm.h"
#include "elliptic/sw_elliptic_impl.h"
#include "helpers.h"

static const struct sw_elliptic_numbers usual = {.omega2 = 0.01, .lambda2 = 0.05, .delta = 1, .depth = 0.1,
                                                 .tolerance = 1e-10, .iterations = 2000};
enum { KINDS = 9 };

static struct sw_elliptic_desc kind_of(int k, const int64_t n[3])
{
    const enum sw_elliptic_wall d = SW_ELLIPTIC_DIRICHLET, o = SW_ELLIPTIC_NEUMANN, p = SW_ELLIPTIC_PERIODIC;
    struct sw_elliptic_desc kind[KINDS] = {
        {.bottom = o, .top = o},
        {.sides = {d, p}, .graded = true},
        {.sides = {p, p}, .bottom = d, .top = o},
        {.sides = {o, o}},
        {.sides = {p, d}, .variable = true, .graded = true},
        {.sides = {o, p}, .variable = true},
        {.geometry = SW_ELLIPTIC_SHELL, .graded = true, .bottom = o, .top = o},
        {.geometry = SW_ELLIPTIC_SHELL, .graded = true, .full = true, .top = o},
        {.geometry = SW_ELLIPTIC_SHELL, .full = true, .sides = {o, o}}};
    memcpy(kind[k].n, n, sizeof kind[k].n);
    kind[k].batch = 1;
    return kind[k];
}

/* A system as one device has it. */
struct whole {
    struct sw_elliptic_desc desc;
    struct sw_elliptic_numbers numbers;
    struct sw_elliptic_matrix matrix;
    double *kx, *ky, *kz, *f, *u;
    struct sw_elliptic_outcome outcome;
    const char *row;
    int batch;                /* systems that are solved together, 0: one. The last of them is looked at */
    bool (*give_up)(int rank, void *user);
};

static double *random_numbers(int64_t count, double least, double most, uint64_t *seed)
{
    double *x = NULL;
    assert_ok(sw_alloc((size_t)count, &x));
    for (int64_t i = 0; i < count; i++) x[i] = least + (most - least) * 0.5 * (1 + test_random(seed));
    return x;
}

static struct whole make_whole(const struct sw_elliptic_desc *d, const struct sw_elliptic_numbers *numbers)
{
    struct whole w = {.desc = *d, .numbers = *numbers};
    const int64_t nx = d->n[0], ny = d->n[1], nz = d->n[2];
    uint64_t seed = 11;
    if (d->variable) {
        w.kx = random_numbers((nx + 1) * ny * nz, 0.3, 3, &seed);
        w.ky = random_numbers(nx * (ny + 1) * nz, 0.3, 3, &seed);
        w.kz = random_numbers(nx * ny * (nz + 1), 0.3, 3, &seed);
        for (int64_t r = 0; d->sides[0] == SW_ELLIPTIC_PERIODIC && r < ny * nz; r++)
            w.kx[r * (nx + 1) + nx] = w.kx[r * (nx + 1)];
        if (d->sides[1] == SW_ELLIPTIC_PERIODIC)
            memcpy(w.ky + ny * nz * nx, w.ky, (size_t)(nz * nx) * sizeof *w.ky);
    }
    const struct sw_elliptic_faces faces = {w.kx, w.ky, w.kz};
    assert_ok(sw_elliptic_matrix_make(d, numbers, d->variable ? &faces : NULL, NULL, &w.matrix));
    w.f = random_numbers(nx * ny * nz, -1, 1, &seed);
    w.u = random_numbers(nx * ny * nz, -1, 1, &seed);
    return w;
}

static void free_whole(struct whole *w)
{
    sw_elliptic_matrix_free(&w->matrix);
    double *const arrays[] = {w->kx, w->ky, w->kz, w->f, w->u};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sw_free(arrays[k]);
}

/* The slab of a rank. @param matrix  out, with faces that are those of the whole */
static enum sw_status make_slab(const struct whole *w, const struct sw_comm *comm, struct sw_elliptic_desc *d,
                                struct sw_elliptic_matrix *matrix)
{
    const int64_t nx = w->desc.n[0], ny = w->desc.n[1], nz = w->desc.n[2], first = ny * comm->rank / comm->size;
    *d = w->desc;
    d->cut = (struct sw_elliptic_cut){.comm = comm, .whole = ny, .first = first};
    d->n[1] = ny * (comm->rank + 1) / comm->size - first;
    const struct sw_elliptic_faces faces = {w->kx + first * nz * (nx + 1), w->ky + first * nz * nx,
                                            w->kz + first * (nz + 1) * nx};
    return sw_elliptic_matrix_make(d, &w->numbers, d->variable ? &faces : NULL, NULL, matrix);
}

/* ------------------------------------------------------------------ matrices */

static double wall_value(const void *context, int side, int64_t i, int64_t j, int64_t k)
{
    (void)context;
    return 1 + side + 0.5 * (double)i - 0.25 * (double)(j * j) + (double)k;
}

static bool same(const double *slab, const double *whole, int64_t from, int64_t count)
{
    return !slab || !memcmp(slab, whole + from, (size_t)count * sizeof *slab);
}

static enum sw_status compare_slab(const struct sw_comm *comm, void *context)
{
    const struct whole *w = context;
    const int64_t nx = w->desc.n[0], nz = w->desc.n[2];
    struct sw_elliptic_desc d;
    struct sw_elliptic_matrix m;
    double *f = NULL;
    SW_TRY(make_slab(w, comm, &d, &m));
    const int64_t first = d.cut.first, ny = d.n[1];
    bool good = same(m.area, w->matrix.area, first * nx, ny * nx) &&
                same(m.east, w->matrix.east, first * (nx + 1), ny * (nx + 1)) &&
                same(m.north, w->matrix.north, first * nx, (ny + 1) * nx) &&
                same(m.cross, w->matrix.cross, first * (nx + 1), (ny + 1) * (nx + 1));
    enum sw_status st = sw_alloc((size_t)(nx * ny * nz), &f);
    if (!st) sw_elliptic_add_walls(&d, &m, wall_value, NULL, f);
    good = good && !st && same(f, w->f, first * nx * nz, ny * nx * nz);
    sw_free(f);
    sw_elliptic_matrix_free(&m);
    return good ? st : SW_FAIL(SW_E_ARG, "rank %d of %d has another matrix", comm->rank, comm->size);
}

static const int64_t sizes[][3] = {{7, 5, 6}, {16, 17, 9}, {33, 8, 20}, {1, 5, 3}, {6, 11, 1}, {25, 53, 3}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void has_the_slabs_of_the_whole_matrix(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++)
        for (int k = 0; k < KINDS; k++) {
            const struct sw_elliptic_desc d = kind_of(k, sizes[s]);
            struct whole w = make_whole(&d, &usual);
            memset(w.f, 0, sw_elliptic_cells(&d) * sizeof *w.f);
            sw_elliptic_add_walls(&d, &w.matrix, wall_value, NULL, w.f);
            for (int ranks = small_suite() ? 4 : 1; ranks <= 5; ranks++)
                assert_ok(sw_comm_run("threads", ranks, compare_slab, &w));
            free_whole(&w);
        }
}

/* ------------------------------------------------------------------ solvers */

struct asked { struct whole *w; int rank; };

static bool asks(void *user)
{
    const struct asked *a = user;
    return a->w->give_up(a->rank, a->w);
}

static enum sw_space space;  /* of the rows under test */
static int gpus;

/* The device of a rank, and its communicator there. Ranks share GPUs where there are too few. */
static enum sw_status open_rank(const struct sw_comm *host, const char *row, struct sw_device **device,
                                struct sw_comm **comm)
{
    char spec[24] = "cpu";
    if (!strncmp(row, "cuda", 4)) snprintf(spec, sizeof spec, "cuda:%d", host->rank % gpus);
    SW_TRY(sw_device_open(spec, 1, device));
    return sw_comm_on_device(host, *device, NULL, comm);
}

enum { BATCH = 3 };

/* Those of a batch, of which the last one is `last` and has `matrix`. */
static enum sw_status make_batch(const struct sw_elliptic_desc *d, const struct sw_elliptic_numbers *last,
                                 const struct sw_elliptic_matrix *matrix, struct sw_elliptic_numbers *numbers,
                                 struct sw_elliptic_matrix *m)
{
    for (int k = 0; k < d->batch; k++) {
        numbers[k] = *last;
        m[k] = *matrix;
        if (k == d->batch - 1) continue;
        numbers[k].omega2 *= 2 + k;
        const enum sw_status st = sw_elliptic_matrix_make(d, &numbers[k], &matrix->faces, matrix, &m[k]);
        while (st && k-- > 0) sw_elliptic_matrix_free(&m[k]);
        if (st) return st;
    }
    return SW_OK;
}

/* Solve the slab of a rank: f and u lie where the device has them. @param u  out, on the host */
static enum sw_status solve_on(struct sw_device *device, const struct whole *w, const struct sw_elliptic_desc *one,
                               const struct sw_elliptic_matrix *matrix, const struct sw_elliptic_numbers *last,
                               double *u, struct sw_elliptic_outcome *o)
{
    struct sw_elliptic_desc d = *one;
    d.batch = w->batch ? w->batch : 1;
    const size_t cells = sw_elliptic_cells(&d), bytes = cells * sizeof *u, batch = (size_t)d.batch;
    struct sw_elliptic_numbers numbers[BATCH];
    struct sw_elliptic_matrix m[BATCH];
    struct sw_elliptic_outcome outcome[BATCH];
    struct sw_elliptic *solver = NULL;
    double *there = NULL;
    SW_TRY(make_batch(&d, last, matrix, numbers, m));
    enum sw_status st = sw_device_alloc(device, 2 * batch * cells, &there);
    if (!st) st = sw_elliptic_create(&d, w->row, device, &solver);
    if (!st) st = sw_elliptic_load(solver, d.batch, numbers, m);
    for (size_t k = 0; k < batch && !st; k++)
        st = sw_device_upload(device, there + k * cells, w->f + sw_elliptic_first(&d) * d.n[0] * d.n[2], bytes);
    if (!st) st = sw_elliptic_solve(solver, there, there + batch * cells, outcome, NULL, 0);
    if (!st) st = sw_device_download(device, u, there + (2 * batch - 1) * cells, bytes);
    if (!st) *o = outcome[batch - 1];
    sw_elliptic_destroy(&solver);
    sw_device_free(device, there);
    for (int k = 0; k < d.batch - 1; k++) sw_elliptic_matrix_free(&m[k]);
    return st;
}

/* The same, compared with the whole. */
static enum sw_status solve_slab(const struct sw_comm *host, void *context)
{
    struct whole *w = context;
    struct sw_device *device = NULL;
    struct sw_comm *comm = NULL;
    struct sw_elliptic_desc d;
    struct sw_elliptic_matrix m = {0};
    struct sw_elliptic_outcome o = {0};
    struct asked asked = {w, host->rank};
    struct sw_elliptic_numbers numbers = w->numbers;
    double *u = NULL, most[2] = {0, 0};
    if (w->give_up) numbers.give_up = asks, numbers.give_up_user = &asked;
    enum sw_status st = open_rank(host, w->row, &device, &comm);
    if (!st) st = make_slab(w, comm, &d, &m);
    const size_t cells = st ? 0 : sw_elliptic_cells(&d), at = st ? 0 : (size_t)(d.cut.first * d.n[0] * d.n[2]);
    if (!st) st = sw_alloc(cells, &u);
    if (!st) st = solve_on(device, w, &d, &m, &numbers, u, &o);
    for (size_t i = 0; i < cells && !st; i++) {
        const double difference = fabs(u[i] - w->u[at + i]);
        most[0] = difference <= most[0] ? most[0] : difference;
        most[1] = fmax(most[1], fabs(w->u[at + i]));
    }
    if (!st) st = sw_comm_max(host, 2, most);
    sw_elliptic_matrix_free(&m);
    sw_free(u);
    sw_comm_destroy(&comm);
    sw_device_close(&device);
    if (st) return st;
    if (o.fault != w->outcome.fault || o.iterations != w->outcome.iterations)
        return SW_FAIL(SW_E_ARG, "%s on %d ranks: fault %d after %d iterations (residual %g), whole %d after %d",
                       w->row, host->size, (int)o.fault, o.iterations, o.residual, (int)w->outcome.fault,
                       w->outcome.iterations);
    if (o.fault == SW_ELLIPTIC_FINE && !(most[0] <= 1e-11 * most[1]))
        return SW_FAIL(SW_E_ARG, "%s on %d ranks: u differs by %g of %g", w->row, host->size, most[0], most[1]);
    return SW_OK;
}

static struct sw_device *cpu, *gpu;

static void solve_whole(struct whole *w)
{
    assert_ok(solve_on(strncmp(w->row, "cuda", 4) ? cpu : gpu, w, &w->desc, &w->matrix, &w->numbers, w->u,
                       &w->outcome));
}

/* On so many ranks, if the row cuts the grid over them. */
static enum sw_status solve_cut(struct whole *w, int ranks)
{
    const struct sw_comm some = {.size = ranks};
    struct sw_elliptic_desc d = w->desc;
    d.cut = (struct sw_elliptic_cut){&some, d.n[1], 0};
    return sw_elliptic_refusal(&d, w->row) ? SW_OK : sw_comm_run("threads", ranks, solve_slab, w);
}

static void for_rows(void (*visit)(const char *row))
{
    if (space == SW_DEVICE && !gpus) skip_unless_needed("cuda", "there is no GPU");
    for (int k = 0; sw_elliptic_table[k]; k++)
        if (row_asked_for(sw_elliptic_table[k]->name) && sw_elliptic_table[k]->cuts &&
            sw_elliptic_table[k]->space == space) visit(sw_elliptic_table[k]->name);
}

static void solve_all(const char *row)
{
    for (int s = 0; s < SIZES; s++)
        for (int k = 0; k < KINDS; k++) {
            const struct sw_elliptic_desc d = kind_of(k, sizes[s]);
            if (sw_elliptic_refusal(&d, row)) continue;
            struct whole w = make_whole(&d, &usual);
            w.row = row;
            solve_whole(&w);
            for (int ranks = 1; ranks <= 5; ranks += ranks < 3 ? 1 : 2)
                if (!small_suite() || ranks == 3) assert_ok(solve_cut(&w, ranks));
            free_whole(&w);
        }
}

static void takes_the_iterations_of_one_device(void **state)
{
    (void)state;
    for_rows(solve_all);
}

/* Far from diagonal: some hundred iterations. */
static void solve_long(const char *row)
{
    static const int64_t n[3] = {24, 37, 12};
    struct sw_elliptic_numbers numbers = usual;
    numbers.omega2 = 10, numbers.tolerance = 1e-7;
    for (int k = 0; k < KINDS; k++) {
        const struct sw_elliptic_desc d = kind_of(k, n);
        if (sw_elliptic_refusal(&d, row)) continue;
        struct whole w = make_whole(&d, &numbers);
        w.row = row;
        solve_whole(&w);
        assert_int_equal(w.outcome.fault, SW_ELLIPTIC_FINE);
        assert_ok(solve_cut(&w, 3));
        free_whole(&w);
    }
}

/* On two ranks and on three; small: on three. */
static void solve_kind(const char *row, int kind, const int64_t n[3], int batch)
{
    const struct sw_elliptic_desc d = kind_of(kind, n);
    if (sw_elliptic_refusal(&d, row)) return;
    struct whole w = make_whole(&d, &usual);
    w.row = row;
    w.batch = batch;
    solve_whole(&w);
    for (int ranks = small_suite() ? 3 : 2; ranks <= 3; ranks++) assert_ok(solve_cut(&w, ranks));
    free_whole(&w);
}

/* So many rows that multigrid cuts several of its grids. */
static void solve_high(const char *row)
{
    static const int64_t sizes_of[][3] = {{3, 601, 2}, {2, 1200, 2}};
    if (!strstr(row, "multigrid")) return;
    for (size_t s = 0; s < sizeof sizes_of / sizeof *sizes_of; s++)
        for (int k = 0; k < KINDS; k += small_suite() ? 2 : 1) solve_kind(row, k, sizes_of[s], 1);
}

static void takes_as_many_where_slabs_have_many_rows(void **state)
{
    (void)state;
    for_rows(solve_high);
}

/* So large that one sum an iteration does not pay. */
static void solve_large(const char *row)
{
    static const int64_t n[3] = {72, 49, 31};
    for (int k = 1; k < KINDS; k += 3) solve_kind(row, k, n, 1);
}

/* Together with others, whose numbers are their own. */
static void solve_batch(const char *row)
{
    const int64_t n[3] = {small_suite() ? 15 : 40, 21, small_suite() ? 9 : 19};
    for (int k = 0; k < KINDS; k += small_suite() ? 2 : 1) solve_kind(row, k, n, BATCH);
}

static void takes_as_many_in_a_batch(void **state)
{
    (void)state;
    for_rows(solve_batch);
}

static void takes_as_many_of_large_slabs(void **state)
{
    (void)state;
    if (small_suite()) return;
    for_rows(solve_large);
}

static void takes_as_many_where_they_are_many(void **state)
{
    (void)state;
    for_rows(solve_long);
}

static void fail_alike(const char *row)
{
    static const int64_t n[3] = {6, 13, 5};
    const struct sw_elliptic_desc d = kind_of(0, n);
    struct whole w = make_whole(&d, &usual);
    w.row = row;
    w.f[12 * 30 + 3] = NAN;  /* of the last rank alone */
    solve_whole(&w);
    assert_int_equal(w.outcome.fault, SW_ELLIPTIC_NOT_FINITE);
    assert_ok(sw_comm_run("threads", 3, solve_slab, &w));
    w.f[12 * 30 + 3] = 1;
    w.numbers.iterations = 2, w.numbers.tolerance = 1e-18;
    solve_whole(&w);
    assert_int_equal(w.outcome.fault, SW_ELLIPTIC_SLOW);
    assert_ok(sw_comm_run("threads", 3, solve_slab, &w));
    free_whole(&w);
}

static void fails_on_all_ranks_where_it_fails_on_one(void **state)
{
    (void)state;
    for_rows(fail_alike);
}

static bool rank_1_gives_up(int rank, void *user)
{
    (void)user;
    return rank == 1;
}

static void stop_all(const char *row)
{
    static const int64_t n[3] = {6, 13, 5};
    const struct sw_elliptic_desc d = kind_of(0, n);
    struct whole w = make_whole(&d, &usual);
    w.row = row;
    w.give_up = rank_1_gives_up;
    assert_int_equal(sw_comm_run("threads", 3, solve_slab, &w), SW_E_STOPPED);
    free_whole(&w);
}

static void stops_on_all_ranks_where_one_is_to(void **state)
{
    (void)state;
    for_rows(stop_all);
}

static void refuses_rows_that_do_not_cut(void **state)
{
    static const int64_t n[3] = {6, 7, 5};
    struct sw_elliptic_desc d = kind_of(0, n);
    struct sw_elliptic *solver;
    (void)state;
    d.cut = (struct sw_elliptic_cut){sw_comm_null(), 7, 0};
    for (int k = 0; sw_elliptic_table[k]; k++) {
        if (sw_elliptic_table[k]->cuts || sw_elliptic_table[k]->space != SW_HOST) continue;
        assert_int_equal(sw_elliptic_create(&d, sw_elliptic_table[k]->name, cpu, &solver), SW_E_ABSENT);
        assert_non_null(strstr(sw_err_message(), "cut"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_slabs_of_the_whole_matrix),
        cmocka_unit_test(refuses_rows_that_do_not_cut),
    }, rows[] = {
        cmocka_unit_test(takes_the_iterations_of_one_device),
        cmocka_unit_test(takes_as_many_where_they_are_many),
        cmocka_unit_test(takes_as_many_of_large_slabs),
        cmocka_unit_test(takes_as_many_in_a_batch),
        cmocka_unit_test(takes_as_many_where_slabs_have_many_rows),
        cmocka_unit_test(fails_on_all_ranks_where_it_fails_on_one),
        cmocka_unit_test(stops_on_all_ranks_where_one_is_to),
    };
    if (sw_device_open("cpu", 1, &cpu)) return 1;
    for (int k = 0; sw_device_table[k]; k++)
        if (!strcmp(sw_device_table[k]->kind, "cuda") && !sw_device_table[k]->absent)
            gpus = sw_device_table[k]->count();
    if (gpus && sw_device_open("cuda", 1, &gpu)) return 1;
    int failed = cmocka_run_group_tests_name("matrices", tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("rows on the CPU", rows, NULL, NULL);
    space = SW_DEVICE;
    failed += cmocka_run_group_tests_name("rows on GPUs", rows, NULL, NULL);
    sw_device_close(&gpu);
    sw_device_close(&cpu);
    return failed;
}
