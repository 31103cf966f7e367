/* Which block size, and how many rows ahead, suit cuPentBatch's solver and the one whose factors all systems share:
 * unknowns/s of a periodic solve for each, the best of a shape marked. What cuda/band/band_thomas.cu and
 * cuda/band/band_shared.cu choose is read off this table.
 *   bench_thomas [REPEATS]
 * Before it: how much of the matrix a solve by cuSPARSE's gpsvInterleavedBatch destroys, which is why it is written
 * again. */
#include <stdio.h>
#include <stdlib.h>

#ifdef SW_HAVE_CUDA
#define DISABLE_CUSPARSE_DEPRECATED
#include <cuda_runtime.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <string.h>

#include "base/sw_clock.h"
#include "device/sw_device.h"
#include "cuda/band/band_kernels.h"
#include "need.h"

enum { SOLVES = 10, MOST = 16 };

struct shape { int n, batch; };
struct variant { int threads, ahead; };  /* ahead 0: cuda.thomas */

/* Every byte 0x3f: numbers of 5e-4, so that nothing grows, whatever is factor and what is solution. */
static double *numbers(struct sw_device *device, size_t count)
{
    double *p = NULL;
    need(sw_device_alloc(device, count, &p));
    if (cudaMemset(p, 0x3f, count * sizeof *p)) exit(fprintf(stderr, "cudaMemset failed\n"));
    return p;
}

static struct sw_cuda_thomas make(struct sw_device *device, struct shape shape)
{
    size_t vector = (size_t)shape.n * (size_t)shape.batch;
    struct sw_cuda_thomas t = {.n = shape.n, .p = 2, .batch = shape.batch, .ld = shape.batch, .border_ld = 1};
    t.factor = numbers(device, 5 * vector);
    t.Z = numbers(device, 2 * (size_t)shape.n);
    t.border = numbers(device, 10);
    need(sw_device_alloc(device, (size_t)shape.batch, &t.bad));
    if (cudaMemset(t.bad, 0, (size_t)shape.batch * sizeof *t.bad)) exit(fprintf(stderr, "cudaMemset failed\n"));
    return t;
}

/* Seconds of a solve, the least of some repeats. */
static double time_of(struct sw_device *device, struct sw_cuda_thomas t, struct variant v, double *x, int repeats)
{
    double least = 1e30;
    t.threads = v.threads;
    t.ahead = v.ahead;
    for (int k = 0; k <= repeats; k++) {
        need(sw_device_wait(device));
        double start = sw_clock();
        for (int solve = 0; solve < SOLVES; solve++)
            need(v.ahead ? sw_cuda_shared_solve(device->compute, &t, x) : sw_cuda_thomas_solve(device->compute, &t, x));
        need(sw_device_wait(device));
        double seconds = (sw_clock() - start) / SOLVES;
        if (k && seconds < least) least = seconds;
    }
    return least;
}

static void print(const struct variant *v, const double *seconds, int count, struct shape shape)
{
    int best = 0;
    for (int k = 1; k < count; k++)
        if (seconds[k] < seconds[best]) best = k;
    for (int k = 0; k < count; k++) {
        if (v[k].ahead) printf("n = %6d  batch = %7d  cuda.thomas_shared  %3d threads, %2d ahead", shape.n, shape.batch,
                               v[k].threads, v[k].ahead);
        else printf("n = %6d  batch = %7d  cuda.thomas         %3d threads          ", shape.n, shape.batch,
                    v[k].threads);
        printf("  %9.3e unknowns/s%s\n", (double)shape.n * shape.batch / seconds[k], k == best ? "  best" : "");
    }
}

static void run(struct sw_device *device, struct shape shape, const struct variant *v, int count, int repeats)
{
    double seconds[MOST];
    struct sw_cuda_thomas t = make(device, shape);
    double *x = numbers(device, (size_t)shape.n * (size_t)shape.batch);
    for (int k = 0; k < count; k++) seconds[k] = time_of(device, t, v[k], x, repeats);
    print(v, seconds, count, shape);
    sw_device_free(device, x);
    sw_device_free(device, t.bad);
    sw_device_free(device, t.border);
    sw_device_free(device, t.Z);
    sw_device_free(device, t.factor);
}

/* ---- what gpsv destroys */

enum { M = 64, SYSTEMS = 64, DIAGONAL = M * SYSTEMS };

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) exit(fprintf(stderr, "cuSPARSE lacks %s\n", name));
    return found;
}

#define CALL(function) __typeof__(&function) function##_ = (__typeof__(&function))symbol(library, #function)

/* Diagonally dominant: 1 2 8 2 1. */
static void fill(double *matrix)
{
    static const double entry[5] = {1, 2, 8, 2, 1};
    for (int k = 0; k < 5 * DIAGONAL; k++) {
        int row = k % DIAGONAL / SYSTEMS, column = row + k / DIAGONAL - 2;
        matrix[k] = column < 0 || column >= M ? 0.0 : entry[k / DIAGONAL];
    }
}

static void tell_what_gpsv_destroys(struct sw_device *device)
{
    static double before[5 * DIAGONAL], after[5 * DIAGONAL];
    void *library = dlopen("libcusparse.so.12", RTLD_NOW);
    cusparseHandle_t handle;
    size_t bytes = 0;
    char *buffer = NULL;
    int changed = 0;
    if (!library) { printf("no cuSPARSE here\n"); return; }
    CALL(cusparseCreate);
    CALL(cusparseSetStream);
    CALL(cusparseDgpsvInterleavedBatch_bufferSizeExt);
    CALL(cusparseDgpsvInterleavedBatch);
    double *w = numbers(device, 5 * DIAGONAL), *x = numbers(device, DIAGONAL), *row[5];
    for (int k = 0; k < 5; k++) row[k] = w + k * DIAGONAL;
    fill(before);
    need(sw_device_upload(device, w, before, sizeof before));
    if (cusparseCreate_(&handle) || cusparseSetStream_(handle, device->compute) ||
        cusparseDgpsvInterleavedBatch_bufferSizeExt_(handle, 0, M, row[0], row[1], row[2], row[3], row[4], x, SYSTEMS,
                                                     &bytes)) exit(fprintf(stderr, "cuSPARSE failed\n"));
    need(sw_device_alloc(device, bytes, &buffer));
    if (cusparseDgpsvInterleavedBatch_(handle, 0, M, row[0], row[1], row[2], row[3], row[4], x, SYSTEMS, buffer))
        exit(fprintf(stderr, "cuSPARSE failed\n"));
    need(sw_device_download(device, after, w, sizeof after));
    for (int k = 0; k < 5 * DIAGONAL; k++) changed += memcmp(&before[k], &after[k], sizeof *after) != 0;
    printf("gpsvInterleavedBatch: a solve changes %d of %d entries of its matrix; its buffer takes %.1f numbers an "
           "unknown\n", changed, 5 * DIAGONAL, (double)bytes / sizeof(double) / DIAGONAL);
    sw_device_free(device, buffer);
    sw_device_free(device, x);
    sw_device_free(device, w);
}

int main(int argc, char **argv)
{
    static const struct shape shape[] = {{64, 512}, {512, 2048}, {512, 8192}, {512, 32768}, {1024, 65536},
                                         {512, 131072}, {16384, 1024}};
    static const struct variant own[] = {{32, 0}, {64, 0}, {128, 0}, {256, 0}};
    static const struct variant shared[] = {{32, 1}, {128, 1}, {32, 8},  {64, 8},
                                            {128, 8}, {32, 16}, {64, 16}, {128, 16}};
    int repeats = argc > 1 ? atoi(argv[1]) : 5;
    struct sw_device *device = NULL;
    need(sw_device_open("cuda", 0, &device));
    printf("%s\n", device->name);
    tell_what_gpsv_destroys(device);
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        run(device, shape[k], own, sizeof own / sizeof *own, repeats);
        run(device, shape[k], shared, sizeof shared / sizeof *shared, repeats);
    }
    sw_device_close(&device);
    return 0;
}
#else
int main(void)
{
    printf("built without CUDA\n");
    return 0;
}
#endif
