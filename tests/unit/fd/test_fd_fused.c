/* However cuda.fused cuts a field into tiles (src/fd/fd_fused_cuda.h), the bits are the same: a line is cut into
 * segments by its length alone. tests/rows/fd/test_fd.c says that they are right. */
#include "base/sw_err.h"
#include "device/sw_device.h"
#include "helpers.h"

#ifdef SW_HAVE_CUDA
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "architecture.h"
#include "fd/fd_fused_cuda.h"
#include "fd_helpers.h"
#include "fd/sw_fd_impl.h"

enum { ACROSS = 37 };

static struct sw_device *device;

static struct sw_fd *make(const char *scheme, const char *boundary, int axis, int n)
{
    struct sw_fd *fd = NULL;
    struct sw_fd_desc d = {.n = {ACROSS, ACROSS, 1}, .axis = axis, .fields = 1, .scheme = scheme, .boundary = boundary,
                           .h = 1, .alpha = sw_fd_scheme_find(scheme)->any_alpha ? 0.4 : 0};
    d.n[axis] = n;
    assert_ok(sw_fd_create(&d, "cuda.fused", device, &fd));
    return fd;
}

static void apply(const struct sw_fd *fd, const double *f, double *out, void *from, void *to)
{
    const size_t bytes = (size_t)fd->line.n * ACROSS * sizeof(double);
    assert_ok(sw_device_upload(device, from, f, bytes));
    memset(out, 0xff, bytes);
    assert_ok(sw_device_upload(device, to, out, bytes));
    assert_ok(sw_fd_apply(fd, from, to));
    assert_ok(sw_device_download(device, out, to, bytes));
}

static void try_cuts(struct sw_fd *fd, const double *f, const double *expected, double *out, void *from, void *to)
{
    static const int cut[][4] = {  /* lines, segments; results separate; padded */
        {16, 32, 0, 0}, {8, 64, 0, 0}, {4, 32, 0, 0},  {8, 20, 0, 0},  {16, 12, 0, 0}, {1, 256, 0, 0}, {2, 256, 0, 0},
        {2, 256, 1, 0}, {8, 20, 1, 0}, {16, 32, 0, 1}, {8, 64, 0, 1},  {7, 32, 1, 1}};
    struct sw_fd_fused_kernel *own = fd->own;
    for (size_t c = 0; c < sizeof cut / sizeof *cut; c++) {
        if ((cut[c][0] < 4 || cut[c][2]) && fd->desc.axis) continue;
        const struct sw_fd_fused_shape shape = {own->shape.max_points, cut[c][0], cut[c][1], 1 + (int)c % 2, 1,
                                                cut[c][2], cut[c][3]};
        if (sw_fd_fused_create(fd, &shape, own)) continue;
        apply(fd, f, out, from, to);
        if (memcmp(out, expected, (size_t)fd->line.n * ACROSS * sizeof *out))
            fail_msg("n = %d, axis %d: %d lines and %d segments a tile, %d tiles a line, padded %d: other bits",
                     own->d.n, fd->desc.axis, own->d.tile_lines, own->d.tile_segments, own->d.chunks, shape.padded);
    }
}

static void compare(const char *scheme, const char *boundary, int n)
{
    double *f = NULL, *expected = NULL, *out = NULL;
    void *from = NULL, *to = NULL;
    const size_t count = (size_t)n * ACROSS;
    uint64_t seed = 3;
    assert_ok(sw_alloc(3 * count, &f));
    expected = f + count;
    out = expected + count;
    assert_ok(sw_device_alloc_bytes(device, count, sizeof *f, &from));
    assert_ok(sw_device_alloc_bytes(device, count, sizeof *f, &to));
    for (size_t k = 0; k < count; k++) f[k] = test_random(&seed);
    for (int axis = 0; axis < 2; axis++) {
        struct sw_fd *fd = make(scheme, boundary, axis, n);
        apply(fd, f, expected, from, to);
        try_cuts(fd, f, expected, out, from, to);
        sw_fd_destroy(&fd);
    }
    sw_device_free(device, from);
    sw_device_free(device, to);
    sw_free(f);
}

/* ------------------------------------------------------------------ two axes at once */

struct two { struct sw_fd *fd[2]; size_t bytes; void *f, *out[2]; char *expected[2], *got; };

static void make_two(struct two *t, const int64_t n[3], const char *const boundary[2], const char *scheme, bool single)
{
    int k = 0;
    uint64_t seed = 5;
    const size_t count = (size_t)(n[0] * n[1] * n[2]), word = single ? 4 : 8;
    t->bytes = count * word;
    for (int axis = 0; axis < 3 && k < 2; axis++) {
        const struct sw_fd_desc d = {.n = {n[0], n[1], n[2]}, .axis = axis, .fields = 1, .scheme = scheme,
                                     .boundary = boundary[k], .h = 1 + k, .single = single};
        if (n[axis] > 1) assert_ok(sw_fd_create(&d, "cuda.fused", device, &t->fd[k++]));
    }
    assert_ok(sw_alloc_bytes(t->bytes, 1, &t->got));
    for (size_t i = 0; i < count; i++) {
        const double x = test_random(&seed);
        if (single) ((float *)t->got)[i] = (float)x;
        else ((double *)t->got)[i] = x;
    }
    assert_ok(sw_device_alloc_bytes(device, t->bytes, 1, &t->f));
    assert_ok(sw_device_upload(device, t->f, t->got, t->bytes));
    for (k = 0; k < 2; k++) {
        assert_ok(sw_device_alloc_bytes(device, t->bytes, 1, &t->out[k]));
        assert_ok(sw_alloc_bytes(t->bytes, 1, &t->expected[k]));
        assert_ok(sw_fd_apply(t->fd[k], t->f, t->out[k]));
        assert_ok(sw_device_download(device, t->expected[k], t->out[k], t->bytes));
    }
}

static void free_two(struct two *t)
{
    for (int k = 0; k < 2; k++) {
        sw_fd_destroy(&t->fd[k]);
        sw_device_free(device, t->out[k]);
        sw_free(t->expected[k]);
    }
    sw_device_free(device, t->f);
    sw_free(t->got);
}

/* Twice: what gives out the tiles has come round to 0. */
static void compare_two(struct two *t, const struct sw_fd_joined *joined)
{
    const struct sw_fd_fused_joined_kernel *own = joined->own;
    for (int k = 0; k < 4; k++) {
        memset(t->got, 0xff, t->bytes);
        if (k % 2 == 0) {
            for (int axis = 0; axis < 2; axis++)
                assert_ok(sw_device_upload(device, t->out[axis], t->got, t->bytes));
            assert_ok(sw_fd_joined_apply(joined, t->f, t->out[0], t->out[1]));
        }
        assert_ok(sw_device_download(device, t->got, t->out[k % 2], t->bytes));
        if (memcmp(t->got, t->expected[k % 2], t->bytes))
            fail_msg("%d by %d points, %d and %d lines a tile, %d tiles a line, lead %u, hints %d: other bits in %d",
                     own->d.first.n, own->d.second.n, own->d.first.tile_lines, own->d.second.tile_lines,
                     own->d.second.chunks, own->d.lead, (int)own->shape.hints, k % 2);
    }
}

/* @param all  other tiles than those taken, too: each is a kernel to compile */
static void try_two(const int64_t n[3], const char *const boundary[2], const char *scheme, bool single, bool all)
{
    static const struct sw_fd_fused_joined_shape shapes[] = {
        {{0, 4, 128, 0, 0, 1, 1}, {0, 16, 64, 2, 1, 0, 0}, 1, SW_FD_HINTS_NONE},
        {{0, 16, 128, 0, 0, 0, 0}, {0, 8, 64, 3, 1, 0, 0}, 0, SW_FD_HINTS_ALL},
        {{0, 1, 128, 0, 0, 0, 0}, {0, 32, 12, 1, 1, 0, 0}, 4, SW_FD_HINTS_RESULTS},
        {{0, 8, 10, 0, 0, 1, 1}, {0, 16, 20, 2, 1, 0, 0}, 1000, SW_FD_HINTS_RESULTS},
    };
    struct two t = {.f = NULL};
    struct sw_fd_joined *joined = NULL;
    make_two(&t, n, boundary, scheme, single);
    assert_ok(sw_fd_join(t.fd[0], t.fd[1], &joined));
    assert_non_null(joined);
    compare_two(&t, joined);
    for (size_t k = 0; all && k < (small_suite() ? 1 : sizeof shapes / sizeof *shapes); k++)
        if (!sw_fd_fused_joined_create(t.fd[0], t.fd[1], &shapes[k], joined->own)) compare_two(&t, joined);
    sw_fd_joined_destroy(&joined);
    assert_null(joined);
    free_two(&t);
}

/* Lines of the two axes of odd and even lengths, longer and shorter; planes of less than a tile, tiles over the ends of
 * planes; an x of one point. */
static void gives_the_same_bits_along_two_axes_at_once(void **state)
{
    static const int64_t n[][3] = {{64, 96, 5}, {333, 20, 7}, {17, 512, 3}, {1, 65, 70}, {1001, 12, 2}, {130, 700, 1}};
    static const char *const boundary[][2] = {{"periodic", "periodic"}, {"3-4-6", "periodic"}, {"periodic", "4-4-6"},
                                              {"3-4-6", "3-4-6"}};
    (void)state;
    if (sw_device_open("cuda", 1, &device)) skip_unless_needed("cuda", sw_err_message());
    for (size_t k = 0; k < (small_suite() ? 2 : sizeof n / sizeof *n); k++) {
        try_two(n[k], boundary[k % 4], "d1_c6", k % 2, true);
        try_two(n[k], boundary[(k + 1) % 4], "d1_c6", k % 3 == 0, false);
    }
    try_two(n[0], boundary[0], "d1_c10", false, true);
    sw_device_close(&device);
}

/* Of as little shared memory as any device has that could be asked: what sw_fd_fits() promises is kept by create. */
static void find_shapes(const char *scheme, const char *boundary, double alpha)
{
    static const struct sw_on_chip little = {64 * 1024, 1024, 64 * 1024, 0};
    static const int n[] = {6, 17, 32, 45, 64, 65, 100, 333, 512, 1001, 2048, 4097, 70000};
    static const size_t stride[] = {1, 37, 512, 1 << 20};
    struct sw_fd_fused_shape shape;
    for (size_t k = 0; k < sizeof n / sizeof *n; k++)
        for (int way = 0; way < 8; way++) {
            struct sw_fd fd = {.stride = stride[way / 2], .outer = 3,
                                 .desc = {.axis = way / 2 ? 1 : 0, .single = way % 2}};
            if (sw_fd_line_make(scheme, boundary, n[k], 1, alpha, false, &fd.line)) continue;
            if (!sw_fd_fused_fits(&fd.line)) continue;
            if (sw_fd_fused_best(&fd, &little, &shape))
                fail_msg("%s %s, n = %d, alpha = %g: %s", scheme, boundary, n[k], alpha, sw_err_message());
        }
}

static void finds_a_shape_for_every_line_that_fits(void **state)
{
    (void)state;
    for_each_case(scheme, boundary) {
        const bool filter = scheme[0] == 'f';
        find_shapes(scheme, boundary, 0);
        if (!filter) continue;
        find_shapes(scheme, boundary, 0.4);
        find_shapes(scheme, boundary, 0.49);
        find_shapes(scheme, boundary, 0.498);
        find_shapes(scheme, boundary, -0.49);
    }
}

/* Of sm_90. In lines of 96 doubles all that a tile's threads read at once lay 8 to a bank, with gaps 2. */
static void lines_have_gaps_where_their_threads_would_meet(void **state)
{
    static const struct sw_on_chip sm_90 = {228 * 1024, 1024, 227 * 1024, 50 << 20};
    static const struct { int n, axis; bool padding; } at[] = {{64, 0, true},   {96, 0, true},   {128, 0, true},
                                                          {192, 0, true},  {256, 0, true},  {320, 0, true},
                                                          {512, 0, false}, {333, 0, false}, {96, 1, false}};
    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        struct sw_fd fd = {.stride = at[k].axis ? 1024 : 1, .outer = 1024, .desc = {.axis = at[k].axis}};
        struct sw_fd_fused_kernel own = {0};
        assert_ok(sw_fd_line_make("d1_c6", "periodic", at[k].n, 1, 0, false, &fd.line));
        assert_ok(sw_fd_fused_best(&fd, &sm_90, &own.shape));
        assert_ok(sw_fd_fused_fit(&fd, &sm_90, &own));
        if ((own.d.padding > 0) != at[k].padding || own.d.padding % 2)
            fail_msg("n = %d: padding of %d words", at[k].n, own.d.padding);
        if (at[k].n == 96 && !at[k].axis) assert_int_equal(own.d.padding, 2);
    }
}

/* Without a device. */
static void compiles_for_two_axes_at_once(void **state)
{
    static const int64_t n[][2] = {{512, 512}, {1000, 700}, {24, 33}};
    static const char *const work[][2] = {{"d1_c6", "periodic"}, {"d1_c6", "3-4-6"}, {"d1_c10", "periodic"}};
    (void)state;
    for (size_t k = 0; k < 9; k += 2) {
        struct sw_fd_desc desc[2];
        for (int axis = 0; axis < 2; axis++)
            desc[axis] = (struct sw_fd_desc){.n = {n[k % 3][0], n[k % 3][1], 2}, .axis = axis, .fields = 1, .h = 1,
                                             .scheme = work[k / 3][0], .boundary = work[k / 3][1],
                                             .single = k % 4 == 2};
        for (int sm = 80; sm <= 90; sm += 10) {
            struct sw_fd *fd[2] = {NULL, NULL};
            struct sw_fd_joined *joined = NULL;
            struct sw_device *own = open_architecture(sm);
            enum sw_status st = SW_OK;
            for (int axis = 0; axis < 2 && !st; axis++) st = sw_fd_create(&desc[axis], "cuda.fused", own, &fd[axis]);
            if (!st) st = sw_fd_join(fd[0], fd[1], &joined);
            assert_true(st || joined);
            sw_fd_joined_destroy(&joined);
            for (int axis = 0; axis < 2; axis++) sw_fd_destroy(&fd[axis]);
            assert_compiled(st, own);
        }
    }
}

static void leaves_planes_beyond_the_cache_to_one_axis_after_the_other(void **state)
{
    struct sw_fd *fd[2] = {NULL, NULL};
    struct sw_fd_joined *joined = NULL;
    (void)state;
    if (sw_device_open("cuda", 1, &device)) skip_unless_needed("cuda", sw_err_message());
    for (int k = 0; k < 2; k++) {
        const struct sw_fd_desc d = {.n = {32768, 32768, 1}, .axis = k, .fields = 1, .scheme = "d1_c6",
                                     .boundary = "periodic", .h = 1};
        assert_ok(sw_fd_create(&d, "cuda.fused", device, &fd[k]));
    }
    assert_ok(sw_fd_join(fd[0], fd[1], &joined));
    assert_null(joined);
    for (int k = 0; k < 2; k++) sw_fd_destroy(&fd[k]);
    sw_device_close(&device);
}

static void gives_the_same_bits_however_a_field_is_cut(void **state)
{
    static const char *const work[][2] = {{"d1_c6", "periodic"}, {"d1_c6", "3-4-6"}, {"d1_c10", "periodic"},
                                          {"d2_c8", "periodic"}, {"d2_c4", "4-4-4"}, {"f10", "reduced"},
                                          {"f8", "periodic"}, {"d1s_c6", "periodic"}, {"mid_c4", "periodic"}};
    static const int n[] = {96, 333, 64, 512, 1001, 2048};
    (void)state;
    if (sw_device_open("cuda", 1, &device)) skip_unless_needed("cuda", sw_err_message());
    const size_t works = small_suite() ? 3 : sizeof work / sizeof *work;
    const size_t sizes = small_suite() ? 2 : sizeof n / sizeof *n;
    for (size_t w = 0; w < works; w++)
        for (size_t k = 0; k < sizes; k++) compare(work[w][0], work[w][1], n[k]);
    sw_device_close(&device);
}
#else
static void without(void **state)
{
    (void)state;
    skip_unless_needed("cuda", SW_WITHOUT_CUDA);
}
#define gives_the_same_bits_however_a_field_is_cut without
#define gives_the_same_bits_along_two_axes_at_once without
#define lines_have_gaps_where_their_threads_would_meet without
#define finds_a_shape_for_every_line_that_fits without
#define compiles_for_two_axes_at_once without
#define leaves_planes_beyond_the_cache_to_one_axis_after_the_other without
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_bits_however_a_field_is_cut),
        cmocka_unit_test(gives_the_same_bits_along_two_axes_at_once),
        cmocka_unit_test(lines_have_gaps_where_their_threads_would_meet),
        cmocka_unit_test(finds_a_shape_for_every_line_that_fits),
        cmocka_unit_test(compiles_for_two_axes_at_once),
        cmocka_unit_test(leaves_planes_beyond_the_cache_to_one_axis_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
