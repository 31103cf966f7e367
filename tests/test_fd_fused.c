/* However cuda.fused cuts a field into tiles (src/fd/fused_cuda.h), the bits are the same: a line is cut into segments
 * by its length alone. tests/test_fd.c says that they are right. */
#include "device/sw_device.h"
#include "helpers.h"

#ifdef SW_HAVE_CUDA
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

enum { ACROSS = 37 };

static struct sw_device *device;

static struct sw_fd *make(const char *scheme, const char *boundary, int axis, int n)
{
    struct sw_fd *fd = NULL;
    struct sw_fd_desc d = {.n = {ACROSS, ACROSS, 1}, .axis = axis, .fields = 1, .scheme = scheme, .boundary = boundary,
                           .h = 1, .alpha = scheme[0] == 'f' ? 0.4 : 0};
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
    static const int cut[][3] = {{16, 32, 1}, {8, 64, 1}, {4, 32, 1}, {8, 20, 1},  {16, 12, 1},
                                 {1, 256, 1}, {2, 256, 1}, {8, 0, 2}, {16, 0, 4}};
    struct sw_fd_fused_kernel *own = fd->own;
    for (size_t c = 0; c < sizeof cut / sizeof *cut; c++) {
        if ((cut[c][0] < 4 && fd->desc.axis) || (cut[c][2] > 1 && device->sm < 90)) continue;
        const struct sw_fd_fused_shape shape = {own->shape.most, cut[c][0], cut[c][1], 1 + (int)c % 2, 1, cut[c][2]};
        if (sw_fd_fused_make(fd, &shape, own)) continue;
        apply(fd, f, out, from, to);
        if (memcmp(out, expected, (size_t)fd->line.n * ACROSS * sizeof *out))
            fail_msg("n = %d, axis %d: %d lines and %d segments a tile, %d tiles a line: other bits", own->d.n,
                     fd->desc.axis, own->d.side, own->d.held, own->d.chunks);
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

static void gives_the_same_bits_however_a_field_is_cut(void **state)
{
    static const char *const work[][2] = {{"d1_c6", "periodic"}, {"d1_c6", "3-4-6"}, {"d1_c10", "periodic"},
                                          {"d2_c8", "periodic"}, {"d2_c4", "4-4-4"}, {"f10", "reduced"},
                                          {"f8", "periodic"}, {"d1s_c6", "periodic"}, {"mid_c4", "periodic"}};
    static const int n[] = {64, 333, 512, 1001, 2048};
    (void)state;
    if (sw_device_open("cuda", 1, &device)) skip_unless_needed("cuda", sw_err_message());
    const size_t works = small_suite() ? 3 : sizeof work / sizeof *work;
    const size_t sizes = small_suite() ? 2 : sizeof n / sizeof *n;
    for (size_t w = 0; w < works; w++)
        for (size_t k = 0; k < sizes; k++) compare(work[w][0], work[w][1], n[k]);
    sw_device_close(&device);
}
#else
static void gives_the_same_bits_however_a_field_is_cut(void **state)
{
    (void)state;
    skip_unless_needed("cuda", SW_WITHOUT_CUDA);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_same_bits_however_a_field_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
