/* Gradient, divergence and Laplacian, by every row of the table of compact differences. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "fd/sw_fd_impl.h"
#include "fd/sw_fd_nabla.h"

#define ROW_OPS sw_fd_ops
#include "base/sw_err.h"
#include "row_helpers.h"
#include "fd_row_helpers.h"

/* Shapes whose planes are worked on together (z long enough), and not. */
static const int64_t shapes[][3] = {
    {33, 1, 1}, {1, 20, 1}, {40, 21, 1}, {1, 17, 30}, {17, 35, 12}, {12, 9, 7}, {300, 256, 9},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const double pi = 3.14159265358979323846;

static struct sw_fd_nabla_desc desc_of(const int64_t n[3], const char *scheme, bool periodic)
{
    struct sw_fd_nabla_desc d = {.scheme = scheme};
    for (int k = 0; k < 3; k++) {
        const bool along = periodic && k != 1;  /* y between walls in any case */
        d.n[k] = n[k];
        d.boundary[k] = along ? "periodic" : "3-4-6";
        d.h[k] = along ? 2 * pi / (double)n[k] : 2.0 / (double)(n[k] > 1 ? n[k] - 1 : 1);
    }
    return d;
}

static size_t points(const int64_t n[3]) { return (size_t)(n[0] * n[1] * n[2]); }

struct fields { size_t count, word; void *device[7]; double *host; };  /* f or v[3], then g[3] */

static void make_fields(struct fields *a, const struct sw_fd_nabla_desc *d)
{
    uint64_t seed = 21;
    char *raw = NULL;
    a->count = points(d->n);
    a->word = sw_reals_word(d->single);
    assert_ok(sw_alloc(a->count, &a->host));
    assert_ok(sw_alloc_bytes(a->count, a->word, &raw));
    for (int k = 0; k < 7; k++) {
        assert_ok(sw_device_alloc_bytes(device, a->count, a->word, &a->device[k]));
        for (size_t i = 0; i < a->count; i++) sw_reals_set(raw, a->word, i, test_random(&seed));
        assert_ok(sw_device_upload(device, a->device[k], raw, a->count * a->word));
    }
    sw_free(raw);
}

static void free_fields(struct fields *a)
{
    for (int k = 0; k < 7; k++) sw_device_free(device, a->device[k]);
    sw_free(a->host);
}

static char *fetch(const struct fields *a, int k)
{
    char *raw = NULL;
    assert_ok(sw_alloc_bytes(a->count, a->word, &raw));
    assert_ok(sw_device_download(device, raw, a->device[k], a->count * a->word));
    return raw;
}

/* Rows for lines that are cut over ranks do them over one rank, which all of the field is on. */
static const struct sw_comm *ranks(const struct sw_fd_nabla_desc *d, int axis)
{
    return d->n[axis] > 1 ? one_rank : NULL;
}

static struct sw_fd_nabla_desc taken(const struct sw_fd_nabla_desc *d)
{
    struct sw_fd_nabla_desc t = *d;
    for (int axis = 0; axis < 3; axis++) t.along[axis] = ranks(d, axis);
    return t;
}

static bool make(const struct sw_fd_nabla_desc *d, struct sw_fd_nabla **w)
{
    const struct sw_fd_nabla_desc t = taken(d);
    enum sw_status st = sw_fd_nabla_create(&t, under_test->name, device, w);
    if (st == SW_E_ABSENT) return false;
    assert_ok(st);
    return true;
}

/* to := (add: to +) derivative of from, along one axis alone. */
static void derive(const struct sw_fd_nabla_desc *d, int axis, bool add, const void *from, void *to)
{
    struct sw_fd *fd = NULL;
    const struct sw_fd_desc one = {.n = {d->n[0], d->n[1], d->n[2]}, .axis = axis, .fields = 1, .scheme = d->scheme,
                                   .boundary = d->boundary[axis], .h = d->h[axis], .single = d->single, .add = add,
                                   .comm = ranks(d, axis)};
    assert_ok(sw_fd_create(&one, under_test->name, device, &fd));
    assert_ok(sw_fd_apply(fd, from, to));
    sw_fd_destroy(&fd);
}

static void assert_same(const struct fields *a, int k, int l)
{
    char *x = fetch(a, k), *y = fetch(a, l);
    assert_memory_equal(x, y, a->count * a->word);
    sw_free(x);
    sw_free(y);
}

/* Field 6 := the sum over axes, z, x, y, of derivatives of field from[axis]. */
static void sum_by_hand(const struct sw_fd_nabla_desc *d, const struct fields *a, const int from[3])
{
    static const int order[3] = {2, 0, 1};
    bool any = false;
    for (int k = 0; k < 3; k++) {
        if (d->n[order[k]] == 1) continue;
        derive(d, order[k], any, a->device[from[order[k]]], a->device[6]);
        any = true;
    }
}

static void check_bits(const struct sw_fd_nabla_desc *d)
{
    struct sw_fd_nabla *w = NULL;
    struct fields a;
    if (!make(d, &w)) return;
    make_fields(&a, d);
    if (d->scheme[1] == '1') {
        void *const g[3] = {a.device[3], a.device[4], a.device[5]};
        const void *const v[3] = {a.device[0], a.device[1], a.device[2]};
        const int from[3] = {0, 1, 2};
        assert_ok(sw_fd_gradient(w, a.device[0], g));
        for (int axis = 0; axis < 3; axis++) {
            if (d->n[axis] == 1) continue;
            derive(d, axis, false, a.device[0], a.device[6]);
            assert_same(&a, 3 + axis, 6);
        }
        if (under_test->adds) {
            assert_ok(sw_fd_divergence(w, v, a.device[3]));
            sum_by_hand(d, &a, from);
            assert_same(&a, 3, 6);
        }
    } else {
        const int from[3] = {0, 0, 0};
        assert_ok(sw_fd_laplacian(w, a.device[0], a.device[3]));
        sum_by_hand(d, &a, from);
        assert_same(&a, 3, 6);
    }
    free_fields(&a);
    sw_fd_nabla_destroy(&w);
    assert_null(w);
}

static void has_the_bits_of_its_parts(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < SHAPES; k++)
        for (int way = 0; way < 8; way += small_suite() ? 3 : 1) {
            struct sw_fd_nabla_desc d = desc_of(shapes[k], way & 1 ? "d1_c6" : "d2_c6", way & 2);
            d.single = way & 4;
            d.sums = way & 1 && under_test->adds;
            check_bits(&d);
        }
}

/* div grad of cos x cos 2y cos 3z is -14 times it, and so is the Laplacian; n = 48 and 96 show the sixth order. */
static double error_of(int64_t n, bool laplacian)
{
    struct sw_fd_nabla_desc d = {.n = {n, n, n}, .scheme = laplacian ? "d2_c6" : "d1_c6", .sums = !laplacian};
    struct sw_fd_nabla *w = NULL;
    struct fields a;
    double off = 0;
    for (int k = 0; k < 3; k++) {
        d.boundary[k] = "periodic";
        d.h[k] = 2 * pi / (double)n;
    }
    if (!make(&d, &w)) return NAN;
    make_fields(&a, &d);
    for (size_t i = 0; i < a.count; i++) {
        size_t x = i % (size_t)n, y = i / (size_t)n % (size_t)n, z = i / (size_t)(n * n);
        a.host[i] = cos((double)x * d.h[0]) * cos(2 * (double)y * d.h[0]) * cos(3 * (double)z * d.h[0]);
    }
    assert_ok(sw_device_upload(device, a.device[0], a.host, a.count * sizeof(double)));
    if (laplacian) assert_ok(sw_fd_laplacian(w, a.device[0], a.device[6]));
    else {
        void *const g[3] = {a.device[3], a.device[4], a.device[5]};
        const void *const v[3] = {g[0], g[1], g[2]};
        assert_ok(sw_fd_gradient(w, a.device[0], g));
        assert_ok(sw_fd_divergence(w, v, a.device[6]));
    }
    double *out = (double *)fetch(&a, 6);
    for (size_t i = 0; i < a.count; i++) off = fmax(off, fabs(out[i] + 14 * a.host[i]));
    sw_free(out);
    free_fields(&a);
    sw_fd_nabla_destroy(&w);
    return off;
}

static void finds_the_laplacian_of_a_wave_to_sixth_order(void **state)
{
    (void)state;
    need_row();
    if (!under_test->adds) return;
    for (int laplacian = 0; laplacian < 2; laplacian++) {
        double coarse = error_of(24, laplacian), fine = error_of(48, laplacian), seen = log2(coarse / fine);
        if (isnan(coarse)) continue;
        /* the next term of the error is (3 h)^2 of it */
        assert_near(seen, 6, 0.3);
    }
}

static void refuse(struct sw_fd_nabla_desc d, enum sw_status status, const char *text)
{
    struct sw_fd_nabla *w = (struct sw_fd_nabla *)&d;
    d = taken(&d);
    assert_int_equal(sw_fd_nabla_create(&d, under_test->name, device, &w), status);
    assert_contains(sw_err_message(), text);
    assert_null(w);
}

static void refuses_with_a_message(void **state)
{
    const int64_t n[3] = {64, 64, 1}, one[3] = {1, 1, 1}, few[3] = {64, 3, 1};
    struct sw_fd_nabla *w = NULL;
    (void)state;
    need_row();
    refuse(desc_of(n, "f4", true), SW_E_CONFIG, "scheme f4: gradient and divergence take d1_*, the Laplacian d2_*");
    refuse(desc_of(n, "d1_c5", true), SW_E_CONFIG, "scheme d1_c5 is unknown");
    refuse(desc_of(one, "d1_c6", true), SW_E_CONFIG, "a field of one point has no derivatives");
    refuse(desc_of(few, "d1_c6", true), SW_E_CONFIG, "needs at least 6 points along its axis; there are 3");
    struct sw_fd_nabla_desc d = desc_of(n, "d1_c6", true);
    d.sums = true;
    if (!under_test->adds) refuse(d, SW_E_ABSENT, "it does not add to a field");
    d.sums = under_test->adds;
    if (!make(&d, &w)) return;
    assert_string_equal(sw_fd_nabla_name(w), under_test->name);
    assert_int_equal(sw_fd_laplacian(w, NULL, NULL), SW_E_ARG);
    assert_contains(sw_err_message(), "the Laplacian takes a scheme of second derivatives");
    sw_fd_nabla_destroy(&w);
    d = desc_of(n, "d2_c6", true);
    if (!make(&d, &w)) return;
    assert_int_equal(sw_fd_gradient(w, NULL, NULL), SW_E_ARG);
    assert_contains(sw_err_message(), "the gradient takes a scheme of first derivatives");
    assert_int_equal(sw_fd_divergence(w, NULL, NULL), SW_E_ARG);
    sw_fd_nabla_destroy(&w);
    sw_fd_nabla_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_bits_of_its_parts),
        cmocka_unit_test(finds_the_laplacian_of_a_wave_to_sixth_order),
        cmocka_unit_test(refuses_with_a_message),
    };
    int failed = 0;
    for_each_row(sw_fd_table)
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_device_and_rank,
                                              close_device_and_rank);
    return failed != 0;
}
