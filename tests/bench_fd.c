/* Which blocks suit cuda.fused (src/fd): the share of the copy bandwidth that a derivative reaches, counting a field
 * read and a field written once, for shapes of its tiles. sw_fd_fused_best() is read off this table.
 *   bench_fd [REPEATS [N [SCHEME [BOUNDARY [AXES]]]]]          N^3 points, for those given only */
#include <stdio.h>
#include <stdlib.h>

#ifdef SW_HAVE_CUDA
#include <cuda_runtime.h>
#include <string.h>

#include "base/sw_clock.h"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"
#include "sw_cuda.h"

enum { RUNS = 10 };

static void need(enum sw_status st)
{
    if (st) exit(fprintf(stderr, "%s\n", sw_err_message()));
}

static double least(struct sw_device *device, int repeats, const struct sw_fd *fd, const void *f, void *out,
                    size_t bytes)
{
    double best = 1e30;
    for (int k = 0; k <= repeats; k++) {
        need(sw_device_wait(device));
        double start = sw_clock();
        for (int run = 0; run < RUNS; run++)
            need(fd ? sw_fd_apply(fd, f, out) : sw_cuda_copy(device->compute, out, f, bytes));
        need(sw_device_wait(device));
        double seconds = (sw_clock() - start) / RUNS;
        if (k && seconds < best) best = seconds;
    }
    return best;
}

/* points of a segment (0: what suits n), lines, segments, stages, blocks, blocks of a team */
static const struct sw_fd_fused_shape along_x[] = {
    {0, 1, 128, 2, 4, 1}, {0, 2, 128, 2, 4, 1}, {0, 2, 128, 2, 8, 1}, {0, 4, 128, 2, 4, 1}, {0, 4, 128, 2, 6, 1},
    {0, 4, 128, 3, 4, 1}, {0, 8, 128, 2, 2, 1}, {0, 8, 128, 2, 4, 1}, {0, 8, 128, 1, 4, 1}, {0, 16, 128, 2, 1, 1},
    {17, 4, 256, 2, 4, 1}, {0}};
static const struct sw_fd_fused_shape beside[] = {
    {0, 16, 64, 2, 1, 1}, {0, 16, 64, 3, 1, 1}, {0, 16, 64, 1, 2, 1}, {0, 32, 64, 2, 1, 1}, {0, 32, 64, 2, 2, 1},
    {0, 32, 64, 2, 4, 1}, {0, 32, 64, 1, 1, 1}, {0, 24, 64, 2, 1, 1}, {0, 8, 64, 2, 2, 1}, {0, 16, 20, 2, 1, 1},
    {0, 16, 24, 2, 1, 1}, {0, 32, 12, 2, 1, 1}, {16, 16, 64, 2, 1, 1}, {16, 32, 22, 2, 1, 1}, {0, 32, 0, 2, 1, 2},
    {0, 64, 0, 2, 1, 4}, {0, 32, 0, 2, 2, 4}, {0, 16, 0, 2, 2, 2}, {0}};

static void axis(struct sw_device *device, struct sw_fd_desc d, const void *f, void *out, size_t bytes, int repeats)
{
    struct sw_fd *fd = NULL;
    need(sw_fd_create(&d, "cuda.fused", device, &fd));
    struct sw_fd_fused_kernel *own = fd->own;
    const struct sw_fd_fused_shape *all = d.axis ? beside : along_x, taken = own->shape;
    double copy = least(device, repeats, NULL, f, out, bytes);
    for (int k = -1; k < 0 || all[k].side; k++) {
        if (sw_fd_fused_make(fd, k < 0 ? &taken : &all[k], own)) continue;
        const struct sw_fd_fused_shape *s = &own->shape;
        double seconds = least(device, repeats, fd, f, out, bytes);
        printf("%s %-8s n = %4d  axis %c  %2d lines x %3d segments of %2d, %2d tiles a line, %d stages, "
               "teams of %d, %d blocks of %4d  %9.3e points/s  %5.1f %% of copy%s\n",
               d.scheme, d.boundary, (int)d.n[d.axis], 'x' + d.axis, s->side,
               own->d.held, own->d.points, own->d.chunks, s->stages, s->team ? s->team : 1, s->blocks, own->threads,
               (double)bytes / (d.single ? 4 : 8) / seconds, 100 * copy / seconds, k < 0 ? "  (taken)" : "");
        fflush(stdout);
    }
    sw_fd_destroy(&fd);
}

static void run(struct sw_device *device, int n, int across, const char *scheme, const char *boundary, int repeats,
                const char *axes)
{
    void *f = NULL, *out = NULL;
    for (int k = 0; k < 3; k++) {
        if (!strchr(axes, 'x' + k)) continue;
        struct sw_fd_desc d = {.n = {across, across, across}, .axis = k, .fields = 1, .scheme = scheme,
                               .boundary = boundary, .h = 1, .alpha = scheme[0] == 'f' ? 0.4 : 0};
        d.n[k] = n;
        const size_t bytes = (size_t)n * (size_t)across * (size_t)across * sizeof(double);
        need(sw_device_alloc_bytes(device, bytes, 1, &f));
        need(sw_device_alloc_bytes(device, bytes, 1, &out));
        if (cudaMemset(f, 0x3f, bytes)) exit(fprintf(stderr, "cudaMemset failed\n"));
        axis(device, d, f, out, bytes, repeats);
        sw_device_free(device, f);
        sw_device_free(device, out);
    }
}

int main(int argc, char **argv)
{
    static const int sizes[] = {96, 333, 500, 512, 1000, 2048};
    const int repeats = argc > 1 ? atoi(argv[1]) : 5, only = argc > 2 ? atoi(argv[2]) : 0;
    struct sw_device *device = NULL;
    if (sw_device_open("cuda", 1, &device)) return puts(sw_err_message()), 0;
    if (only) {
        run(device, only, only > 640 ? 320 : only, argc > 3 ? argv[3] : "d1_c6", argc > 4 ? argv[4] : "periodic",
            repeats, argc > 5 ? argv[5] : "xyz");
    } else {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            run(device, sizes[k], sizes[k] > 640 ? 320 : sizes[k] < 200 ? 1024 : sizes[k], "d1_c6", "periodic",
                repeats, argc > 5 ? argv[5] : "xyz");
        run(device, 512, 512, "d1_c6", "3-4-6", repeats, "xyz");
        run(device, 512, 512, "d1_c8", "periodic", repeats, "xyz");
        run(device, 512, 512, "d1_c10", "periodic", repeats, "xyz");
        run(device, 512, 512, "d2_c6", "3-4-6", repeats, "xyz");
        run(device, 512, 512, "f10", "periodic", repeats, "xyz");
        run(device, 512, 512, "f10", "reduced", repeats, "xyz");
    }
    sw_device_close(&device);
    return 0;
}
#else
int main(void)
{
    puts("bench_fd: built without CUDA");
    return 0;
}
#endif
