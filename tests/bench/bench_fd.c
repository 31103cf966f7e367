/* Which blocks suit cuda.fused (src/fd): the share of the copy bandwidth that a derivative reaches, counting a field
 * read and a field written once, for shapes of its tiles. sw_fd_fused_best() is read off this table.
 *   bench_fd [REPEATS [N [SCHEME [BOUNDARY [AXES]]]]]          N^3 points, for those given only
 *   bench_fd gradient [REPEATS [N [SCHEME [BOUNDARY]]]]        two axes at once, and gradients, in bytes of copy a
 *                                                              point: time x copied bytes a second / points */
#include <stdio.h>
#include <stdlib.h>

#ifdef SW_HAVE_CUDA
#include <cuda_runtime.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "fd/fd_fused_cuda.h"
#include "fd/sw_fd_impl.h"
#include "fd/sw_fd_nabla.h"
#include "cuda/bench/bench_kernels.h"
#include "need.h"

enum { RUNS = 10 };

/* f, and what is made of it; copy: bytes a second, read and written. */
struct field { struct sw_device *device; double points; size_t bytes; void *f, *g[3]; double copy; int repeats; };

/* Least seconds of a call. */
static double least_of(const struct field *a, enum sw_status (*one_call)(const void *what, const struct field *a),
                       const void *what)
{
    double best = 1e30;
    for (int k = 0; k <= a->repeats; k++) {
        need(sw_device_wait(a->device));
        double start = sw_clock();
        for (int run = 0; run < RUNS; run++) need(one_call(what, a));
        need(sw_device_wait(a->device));
        double seconds = (sw_clock() - start) / RUNS;
        if (k && seconds < best) best = seconds;
    }
    return best;
}

static enum sw_status call_copy(const void *what, const struct field *a)
{
    (void)what;
    return sw_cuda_copy(a->device->compute, a->g[0], a->f, a->bytes);
}

static enum sw_status call_one(const void *what, const struct field *a)
{
    const struct sw_fd *fd = what;
    return sw_fd_apply(fd, a->f, a->g[0]);
}

/* points of a segment (0: what suits n), lines, segments, stages, blocks, results separate, padded */
static const struct sw_fd_fused_shape along_x[] = {
    {0, 1, 128, 2, 4, 0, 0}, {0, 2, 128, 2, 4, 0, 0}, {0, 2, 128, 2, 8, 0, 0}, {0, 4, 128, 2, 4, 0, 0},
    {0, 4, 128, 2, 6, 0, 0}, {0, 4, 128, 3, 4, 0, 0}, {0, 8, 128, 2, 2, 0, 0}, {0, 8, 128, 2, 4, 0, 0},
    {0, 8, 128, 1, 4, 0, 0}, {0, 16, 128, 2, 1, 0, 0}, {0, 24, 128, 2, 4, 0, 0}, {0, 32, 128, 2, 4, 0, 0},
    {0, 32, 128, 1, 4, 0, 0}, {0, 32, 128, 1, 6, 0, 0}, {0, 48, 128, 1, 4, 0, 0}, {0, 4, 128, 2, 4, 1, 0},
    {0, 4, 128, 1, 6, 1, 0}, {0, 8, 128, 1, 3, 1, 0}, {0, 8, 128, 2, 2, 1, 0}, {0, 8, 128, 1, 4, 1, 0},
    {0, 16, 128, 2, 1, 1, 0}, {0, 24, 128, 2, 3, 1, 0}, {0, 24, 128, 2, 4, 1, 0}, {0, 32, 128, 2, 3, 1, 0},
    {0, 32, 128, 2, 2, 1, 0}, {17, 4, 256, 2, 4, 0, 0}, {0, 24, 128, 1, 5, 1, 1}, {0, 24, 128, 1, 4, 1, 1},
    {0, 32, 128, 1, 3, 1, 1}, {0, 16, 128, 1, 6, 1, 1}, {0, 8, 128, 1, 6, 1, 1}, {0, 8, 128, 1, 4, 1, 1},
    {0, 4, 128, 1, 6, 1, 1}, {0, 24, 128, 1, 5, 0, 1}, {0, 16, 128, 2, 4, 1, 1}, {0}};
static const struct sw_fd_fused_shape beside[] = {
    {0, 16, 64, 2, 1, 0, 0}, {0, 16, 64, 3, 1, 0, 0}, {0, 16, 64, 1, 2, 0, 0}, {0, 32, 64, 2, 1, 0, 0},
    {0, 32, 64, 2, 2, 0, 0}, {0, 32, 64, 2, 4, 0, 0}, {0, 32, 64, 1, 1, 0, 0}, {0, 24, 64, 2, 1, 0, 0},
    {0, 40, 64, 1, 1, 0, 0}, {0, 48, 64, 1, 1, 0, 0}, {0, 64, 64, 1, 1, 0, 0}, {0, 8, 64, 2, 2, 0, 0},
    {0, 16, 20, 2, 1, 0, 0}, {0, 16, 24, 2, 1, 0, 0}, {0, 32, 12, 2, 1, 0, 0}, {16, 16, 64, 2, 1, 0, 0},
    {16, 32, 64, 1, 1, 0, 0}, {0, 64, 8, 1, 1, 0, 0}, {0, 16, 16, 1, 2, 0, 0}, {0}};

static void axis(const struct field *a, struct sw_fd_desc d)
{
    struct sw_fd *fd = NULL;
    need(sw_fd_create(&d, "cuda.fused", a->device, &fd));
    struct sw_fd_fused_kernel *own = fd->own;
    const struct sw_fd_fused_shape *all = d.axis ? beside : along_x, taken = own->shape;
    for (int k = -1; k < 0 || all[k].tile_lines; k++) {
        if (sw_fd_fused_create(fd, k < 0 ? &taken : &all[k], own)) continue;
        const struct sw_fd_fused_shape *s = &own->shape;
        const double seconds = least_of(a, call_one, fd);
        printf("%s %-8s n = %4d  axis %c  %2d lines x %3d segments of %2d, %2d tiles a line, %d stages, "
               "%s%s%d blocks of %4d  %9.3e points/s  %5.1f %% of copy%s\n",
               d.scheme, d.boundary, (int)d.n[d.axis], 'x' + d.axis, s->tile_lines,
               own->d.tile_segments, own->d.points, own->d.chunks, s->stages, s->separate ? "separate, " : "",
               own->d.padding ? "padded, " : "", s->blocks, own->threads, a->points / seconds,
               100 * 2 * (double)a->bytes / a->copy / seconds, k < 0 ? "  (taken)" : "");
        fflush(stdout);
    }
    sw_fd_destroy(&fd);
}

/* A field of the same small number everywhere, and one for results. */
static struct field open_field(struct sw_device *device, double points, int repeats)
{
    struct field a = {.device = device, .points = points, .bytes = (size_t)points * sizeof(double), .repeats = repeats};
    need(sw_device_alloc_bytes(device, a.bytes, 1, &a.f));
    need(sw_device_alloc_bytes(device, a.bytes, 1, &a.g[0]));
    if (cudaMemset(a.f, 0x3f, a.bytes)) exit(fprintf(stderr, "cudaMemset failed\n"));
    a.copy = 2 * (double)a.bytes / least_of(&a, call_copy, NULL);
    return a;
}

static void run(struct sw_device *device, int n, int across, const char *scheme, const char *boundary, int repeats,
                const char *axes)
{
    for (int k = 0; k < 3; k++) {
        if (!strchr(axes, 'x' + k)) continue;
        struct sw_fd_desc d = {.n = {across, across, across}, .axis = k, .fields = 1, .scheme = scheme,
                               .boundary = boundary, .h = 1, .alpha = sw_fd_scheme_find(scheme)->any_alpha ? 0.4 : 0};
        d.n[k] = n;
        struct field a = open_field(device, (double)n * across * across, repeats);
        axis(&a, d);
        sw_device_free(device, a.f);
        sw_device_free(device, a.g[0]);
    }
}

/* ------------------------------------------------------------------ gradients */

static enum sw_status call_two(const void *what, const struct field *a)
{
    return sw_fd_joined_apply(what, a->f, a->g[0], a->g[1]);
}

static enum sw_status call_gradient(const void *what, const struct field *a)
{
    return sw_fd_gradient(what, a->f, a->g);
}

/* Bytes of copy a point. */
static double bytes_of(const struct field *a, double seconds) { return seconds * a->copy / a->points; }

/* lines along x, lines along y; stages, blocks; planes ahead; what the cache is told; results along x separate */
static const struct { int x, y, stages, blocks, lead, hints, separate; } twos[] = {
    {16, 16, 2, 1, 1, 1, 0}, {16, 16, 1, 2, 1, 1, 0}, {16, 16, 1, 2, 0, 1, 0}, {16, 16, 1, 2, 4, 1, 0},
    {16, 16, 1, 2, 1, 0, 0}, {16, 16, 1, 2, 1, 2, 0}, {8, 8, 1, 4, 1, 1, 0},   {8, 8, 1, 5, 1, 1, 0},
    {8, 8, 2, 3, 1, 1, 0},   {8, 8, 3, 2, 1, 1, 0},   {24, 24, 1, 2, 1, 1, 0}, {32, 32, 1, 1, 1, 1, 0},
    {16, 16, 2, 1, 1, 1, 1}, {16, 16, 2, 1, 1, 0, 1}, {16, 16, 2, 1, 1, 2, 1}, {8, 8, 2, 2, 1, 1, 1},
    {8, 8, 1, 3, 1, 1, 1},   {8, 8, 3, 1, 1, 1, 1},   {4, 4, 1, 6, 1, 1, 1},   {4, 4, 2, 4, 1, 1, 1},
    {16, 16, 2, 1, 4, 1, 1}, {8, 8, 2, 2, 4, 1, 1},   {24, 16, 1, 2, 1, 1, 0}, {0}};

static void tell_two(const struct field *a, const struct sw_fd_joined *joined, bool taken)
{
    const struct sw_fd_fused_joined_kernel *own = joined->own;
    const struct sw_fd_fused_joined_shape *s = &own->shape;
    const double bytes = bytes_of(a, least_of(a, call_two, joined));
    printf("x and y  %2d lines, %2d lines x %3d segments, %d stages, %s%d blocks of %4d, lead %d, hints %d  "
           "%6.2f bytes of copy a point  %5.1f %% of copy%s\n",
           s->first.tile_lines, s->second.tile_lines, own->d.second.tile_segments, s->second.stages,
           s->first.separate ? "separate, " : "", s->second.blocks, own->threads, s->lead, (int)s->hints, bytes,
           100 * 24 / bytes, taken ? "  (taken)" : "");
    fflush(stdout);
}

static void try_twos(const struct field *a, const struct sw_fd *x, const struct sw_fd *y)
{
    struct sw_fd_joined *joined = NULL;
    need(sw_fd_join(x, y, &joined));
    if (!joined) { puts("x and y  not at once: one axis after the other"); return; }
    tell_two(a, joined, true);
    for (int k = 0; twos[k].x; k++) {
        const struct sw_fd_fused_joined_shape s = {
            {0, twos[k].x, 128, 0, 0, twos[k].separate, 1},
            {0, twos[k].y, 64, twos[k].stages, twos[k].blocks, 0, 0},
            twos[k].lead, (enum sw_fd_fused_hints)twos[k].hints};
        if (!sw_fd_fused_joined_create(x, y, &s, joined->own)) tell_two(a, joined, false);
    }
    sw_fd_joined_destroy(&joined);
}

static void gradients(struct sw_device *device, int n, const char *scheme, const char *boundary, int repeats)
{
    struct field a = open_field(device, (double)n * n * n, repeats);
    struct sw_fd *fd[3] = {NULL, NULL, NULL};
    struct sw_fd_nabla_desc d = {.n = {n, n, n}, .scheme = scheme, .boundary = {boundary, boundary, boundary},
                                 .h = {1, 1, 1}};
    for (int k = 1; k < 3; k++) need(sw_device_alloc_bytes(device, a.bytes, 1, &a.g[k]));
    printf("%s %s, n = %d; copies %.4g bytes/s, read and written\n", scheme, boundary, n, a.copy);
    for (int k = 0; k < 3; k++) {
        const struct sw_fd_desc one = {.n = {n, n, n}, .axis = k, .fields = 1, .scheme = scheme, .boundary = boundary,
                                       .h = 1};
        need(sw_fd_create(&one, "cuda.fused", device, &fd[k]));
        printf("%c alone  %6.2f bytes of copy a point\n", 'x' + k, bytes_of(&a, least_of(&a, call_one, fd[k])));
    }
    try_twos(&a, fd[0], fd[1]);
    for (int separate = 1; separate >= 0; separate--) {
        struct sw_fd_nabla *w = NULL;
        d.separate = separate;
        need(sw_fd_nabla_create(&d, "cuda.fused", device, &w));
        printf("gradient, %s  %6.2f bytes of copy a point\n", sw_fd_nabla_joins(w) ? "x and y at once" : "three passes",
               bytes_of(&a, least_of(&a, call_gradient, w)));
        sw_fd_nabla_destroy(&w);
    }
    for (int k = 0; k < 3; k++) {
        sw_fd_destroy(&fd[k]);
        sw_device_free(device, a.g[k]);
    }
    sw_device_free(device, a.f);
}

static int bench_gradients(int argc, char **argv)
{
    struct sw_device *device = NULL;
    const int repeats = argc > 2 ? atoi(argv[2]) : 5, n = argc > 3 ? atoi(argv[3]) : 512;
    if (sw_device_open("cuda", 1, &device)) return puts(sw_err_message()), 0;
    if (argc > 4) gradients(device, n, argv[4], argc > 5 ? argv[5] : "periodic", repeats);
    else {
        gradients(device, n, "d1_c6", "periodic", repeats);
        gradients(device, n, "d1_c6", "3-4-6", repeats);
    }
    sw_device_close(&device);
    return 0;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {96, 333, 500, 512, 1000, 2048};
    const int repeats = argc > 1 ? atoi(argv[1]) : 5, only = argc > 2 ? atoi(argv[2]) : 0;
    struct sw_device *device = NULL;
    if (argc > 1 && !strcmp(argv[1], "gradient")) return bench_gradients(argc, argv);
    if (sw_device_open("cuda", 1, &device)) return puts(sw_err_message()), 0;
    if (only) {
        run(device, only, only > 640 ? 320 : only < 200 ? 1024 : only, argc > 3 ? argv[3] : "d1_c6",
            argc > 4 ? argv[4] : "periodic", repeats, argc > 5 ? argv[5] : "xyz");
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
