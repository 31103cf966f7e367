/* Which blocks suit cuda.fused (src/fd): the share of the copy bandwidth that a derivative reaches, counting a field
 * read and a field written once, for numbers of lines in a block and of segments of a line; the best marked.
 * sw_fd_fused_shape() is read off this table.
 *   bench_fd [REPEATS [N [SCHEME [BOUNDARY]]]]          N^3 points, for those given only */
#include <stdio.h>
#include <stdlib.h>

#ifdef SW_HAVE_CUDA
#include <cuda_runtime.h>
#include <string.h>

#include "base/sw_clock.h"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

enum { RUNS = 10 };

static void need(enum sw_status st)
{
    if (st) exit(fprintf(stderr, "%s\n", sw_err_message()));
}

struct variant { int lines, held; };  /* 0, 0: what the row takes */

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

static void axis(struct sw_device *device, struct sw_fd_desc d, const void *f, void *out, size_t bytes, int repeats)
{
    static const struct variant v[2][8] = {
        {{0, 0}, {1, 256}, {2, 256}, {4, 256}, {8, 256}},
        {{0, 0}, {16, 32}, {8, 32}, {8, 64}, {16, 64}, {32, 32}, {32, 16}, {4, 128}},
    };
    double copy = least(device, repeats, NULL, f, out, bytes);
    for (int k = 0; k < 8; k++) {
        struct sw_fd *fd = NULL;
        need(sw_fd_create(&d, "cuda.fused", device, &fd));
        struct sw_cuda_fd *own = fd->own;
        const struct variant w = v[d.axis != 0][k];
        bool fits = (k == 0 || w.lines) && (!w.lines || sw_fd_fused_cut(own, w.lines, w.held));
        if (fits && own->lines * own->held <= (own->reach > 3 ? 512 : 1024)) {
            double seconds = least(device, repeats, fd, f, out, bytes);
            printf("%s %-8s n = %4d  axis %c  %2d lines x %3d segments of %2d, %2d blocks a line  %9.3e points/s  "
                   "%5.1f %% of copy%s\n",
                   d.scheme, d.boundary, (int)d.n[d.axis], 'x' + d.axis, own->lines, own->held, own->points,
                   own->chunks, (double)bytes / (d.single ? 4 : 8) / seconds, 100 * copy / seconds,
                   k ? "" : "  (taken)");
        }
        sw_fd_destroy(&fd);
    }
}

static void run(struct sw_device *device, int n, int across, const char *scheme, const char *boundary, int repeats)
{
    void *f = NULL, *out = NULL;
    for (int k = 0; k < 3; k++) {
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
            repeats);
    } else {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            run(device, sizes[k], sizes[k] > 640 ? 320 : sizes[k] < 200 ? 480 : sizes[k], "d1_c6", "periodic", repeats);
        run(device, 512, 512, "d1_c6", "3-4-6", repeats);
        run(device, 512, 512, "d1_c8", "periodic", repeats);
        run(device, 512, 512, "d1_c10", "periodic", repeats);
        run(device, 512, 512, "d2_c6", "3-4-6", repeats);
        run(device, 512, 512, "f10", "periodic", repeats);
        run(device, 512, 512, "f10", "reduced", repeats);
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
