/* What rows of tridiagonal solvers on a GPU do beside solving (test_tridiagonal.c): the shapes they refuse; that
 * cuSPARSE's give back the two words of a system that they borrow; that the paper's kernels have the same bits with and
 * without data marshalling and dynamic tiling. */
#include "helpers.h"

#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "linalg/sw_tridiagonal.h"

static const char *const row[] = {"cusparse.gtsv2", "cusparse.gtsv2_nopivot", "cusparse.gtsv2_strided", NULL};
static const char *const spike[] = {"cuda.spike", "cuda.spike_untiled", "cuda.spike_unmarshalled", "cuda.spike_thomas",
                                    NULL};

/* ------------------------------------------------------------------ without a device */

static void refuse(const char *name, struct sw_tridiagonal_desc d, const char *why)
{
    struct sw_device nowhere = {.space = SW_DEVICE};
    struct sw_tridiagonal *s = NULL;
    assert_int_equal(sw_tridiagonal_create(&d, name, &nowhere, &s), SW_E_ABSENT);
    assert_null(s);
    if (strstr(sw_err_message(), SW_WITHOUT_CUDA)) skip_unless_needed("cuda", SW_WITHOUT_CUDA);
    assert_contains(sw_err_message(), name);
    assert_contains(sw_err_message(), why);
}

static void refuses_what_the_library_does_not_do(void **state)
{
    const int64_t most = INT64_C(2147483647);
    (void)state;
    for (int k = 0; row[k]; k++) {
        refuse(row[k], (struct sw_tridiagonal_desc){.n = 2, .batch = 5}, "the library needs 3 unknowns at least");
        refuse(row[k], (struct sw_tridiagonal_desc){.n = 8, .batch = 5, .cyclic = true},
               "the library does not do cyclic systems");
        refuse(row[k], (struct sw_tridiagonal_desc){.n = most + 1, .batch = 1}, "it solves 2147483647 rows at most");
    }
    refuse(row[2], (struct sw_tridiagonal_desc){.n = most / 2, .batch = 3}, "those of all systems together");
}

static void refuses_a_circle(void **state)
{
    (void)state;
    for (int k = 0; spike[k]; k++)
        refuse(spike[k], (struct sw_tridiagonal_desc){.n = 8, .batch = 5, .cyclic = true}, "it takes no cyclic system");
}

/* ------------------------------------------------------------------ with one */

enum { N = 37, BATCH = 3, ALL = N * BATCH };

static struct sw_device *device;
static char absent[4096];

static int open_device(void **state)
{
    (void)state;
    if (sw_device_open("cuda", 1, &device)) strncpy(absent, sw_err_message(), sizeof absent - 1);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    sw_device_close(&device);
    return 0;
}

static void need_device(void)
{
    if (!device) skip_unless_needed("cuda", absent);
}

static struct sw_tridiagonal *make_shape(const char *name, int64_t n, int batch)
{
    const struct sw_tridiagonal_desc d = {.n = n, .batch = batch};
    struct sw_tridiagonal *s = NULL;
    need_device();
    enum sw_status st = sw_tridiagonal_create(&d, name, device, &s);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    assert_ok(st);
    return s;
}

static struct sw_tridiagonal *make(const char *name) { return make_shape(name, N, BATCH); }

/* -x[i-1] + 4 x[i] + x[i+1] of x = 1; the words beyond the ends are 7 and 9. */
static void fill(double *v)
{
    for (int k = 0; k < ALL; k++) {
        const bool first = k % N == 0, last = k % N == N - 1;
        v[k] = first ? 7 : -1;
        v[ALL + k] = 4;
        v[2 * ALL + k] = last ? 9 : 1;
        v[3 * ALL + k] = 4 - !first + !last;
    }
}

static void leaves_the_rows_as_they_were(void **state)
{
    static double v[4 * ALL], after[4 * ALL], x[ALL];
    double *there = NULL;
    (void)state;
    for (int k = 0; row[k]; k++) {
        struct sw_tridiagonal *s = make(row[k]);
        struct sw_tridiagonal_outcome outcome[BATCH];
        fill(v);
        assert_ok(sw_device_alloc(device, 5 * ALL, &there));
        assert_ok(sw_device_upload(device, there, v, sizeof v));
        const struct sw_tridiagonal_rows rows = {there, there + ALL, there + 2 * ALL, there + 3 * ALL};
        assert_ok(sw_tridiagonal_solve(s, &rows, there + 4 * ALL));
        assert_ok(sw_tridiagonal_outcome(s, &rows, there + 4 * ALL, outcome));
        assert_ok(sw_device_download(device, after, there, sizeof after));
        assert_ok(sw_device_download(device, x, there + 4 * ALL, sizeof x));
        assert_memory_equal(v, after, sizeof v);
        for (int j = 0; j < BATCH; j++) assert_int_equal(outcome[j].fault, SW_TRIDIAGONAL_FINE);
        for (int i = 0; i < ALL; i++) assert_near(x[i], 1, 1e-14);  /* condition < 4: some roundings */
        sw_device_free(device, there);
        sw_tridiagonal_destroy(&s);
    }
}

static void refuses_arrays_that_overlap(void **state)
{
    double *there = NULL;
    (void)state;
    for (int k = 0; row[k]; k++) {
        struct sw_tridiagonal *s = make(row[k]);
        assert_ok(sw_device_alloc(device, 5 * ALL, &there));
        const struct sw_tridiagonal_rows rows = {there, there + ALL, there, there + 3 * ALL};
        assert_int_equal(sw_tridiagonal_solve(s, &rows, there + 4 * ALL), SW_E_ARG);
        assert_contains(sw_err_message(), "the arrays of lower and upper entries overlap");
        sw_device_free(device, there);
        sw_tridiagonal_destroy(&s);
    }
}

static void says_how_much_memory_the_library_takes(void **state)
{
    const struct sw_tridiagonal_desc d = {.n = 1 << 16, .batch = 1};
    size_t bytes;
    (void)state;
    for (int k = 0; row[k]; k++) {
        struct sw_tridiagonal *s = make(row[k]);
        assert_ok(sw_tridiagonal_bytes(&d, row[k], device, &bytes));
        assert_true(bytes > (size_t)d.n * sizeof(double) && bytes < (size_t)d.n * 16 * sizeof(double));
        sw_tridiagonal_destroy(&s);
    }
}

/* x of random rows, with pivots of both sizes; the words beyond the ends are among them. */
static void solve_random(const char *name, int64_t n, int batch, double *x)
{
    const size_t all = (size_t)n * (size_t)batch;
    struct sw_tridiagonal *s = make_shape(name, n, batch);
    double *v = malloc(4 * all * sizeof *v), *there = NULL;
    uint64_t seed = 12;
    for (size_t k = 0; k < 4 * all; k++) v[k] = test_random(&seed);
    assert_ok(sw_device_alloc(device, 5 * all, &there));
    assert_ok(sw_device_upload(device, there, v, 4 * all * sizeof *v));
    const struct sw_tridiagonal_rows rows = {there, there + all, there + 2 * all, there + 3 * all};
    assert_ok(sw_tridiagonal_solve(s, &rows, there + 4 * all));
    assert_ok(sw_device_download(device, x, there + 4 * all, all * sizeof *x));
    sw_device_free(device, there);
    free(v);
    sw_tridiagonal_destroy(&s);
}

/* One level of the reduced system, two and three; partitions of 1 to 32 rows, the last ones shorter. */
static void has_the_same_bits_however_memory_is_ordered(void **state)
{
    static const struct { int64_t n; int batch; } shape[] = {{1, 1}, {37, 3}, {2049, 2}, {5000, 300}, {1200002, 1},
                                                             {2500001, 2}};
    const size_t shapes = small_suite() ? 3 : sizeof shape / sizeof *shape;
    (void)state;
    need_device();
    for (size_t k = 0; k < shapes; k++) {
        const size_t size = (size_t)shape[k].n * (size_t)shape[k].batch * sizeof(double);
        double *x = malloc(size), *y = malloc(size);
        solve_random(spike[0], shape[k].n, shape[k].batch, x);
        for (int way = 1; way <= 2; way++) {
            solve_random(spike[way], shape[k].n, shape[k].batch, y);
            if (memcmp(x, y, size)) fail_msg("%s, n = %lld", spike[way], (long long)shape[k].n);
        }
        free(x);
        free(y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_the_library_does_not_do),
        cmocka_unit_test(refuses_a_circle),
        cmocka_unit_test(leaves_the_rows_as_they_were),
        cmocka_unit_test(refuses_arrays_that_overlap),
        cmocka_unit_test(says_how_much_memory_the_library_takes),
        cmocka_unit_test(has_the_same_bits_however_memory_is_ordered),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
