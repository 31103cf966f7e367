/* Seconds of what an iteration of conjugate gradients consists of: one application of the matrix, one of the
 * preconditioner, and vector operations, of the rows `pcg`; the least of some repeats. reproduce_elliptic.sh
 * puts them beside tables 3, 4 and 7 of E (docs/explanation/elliptic.md).
 *   bench_elliptic cpu|cuda N    a shell of N x N x N/2 cells; cpu: one core
 * A line a kernel: row,kernel,cells,seconds,operations,words; operations and words of a cell, counted as the rows count
 * them: what lies in caches is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "elliptic/elliptic_host.h"
#include "elliptic/sw_elliptic_impl.h"
#ifdef SW_HAVE_CUDA
#include "elliptic/elliptic_device_cuda.h"
#endif

static void need(enum sw_status st)
{
    if (st) exit(fprintf(stderr, "%s\n", sw_err_message()));
}

struct timed { const struct elliptic_space *space; struct sw_device *device; double *x, *y; };

static enum sw_status spmv(const struct timed *t) { return t->space->apply(t->space->context, t->x, t->y); }
static enum sw_status prec(const struct timed *t) { return t->space->precondition(t->space->context, t->x, t->y); }
static enum sw_status dot(const struct timed *t)
{
    double sum;
    return t->space->dot(t->space->context, t->x, t->y, &sum);
}
static enum sw_status combine(const struct timed *t)
{
    return t->space->combine(t->space->context, 0.5, t->x, 0.5, t->y);
}

enum { REPEATS = 7 };

/* The least of some repeats, each long enough for the clock. */
static double seconds_of(enum sw_status (*kernel)(const struct timed *t), const struct timed *t)
{
    double least = 1e30;
    int times = 1;
    for (int k = 0; k < REPEATS; k++) {
        need(sw_device_wait(t->device));
        const double start = sw_clock();
        for (int i = 0; i < times; i++) need(kernel(t));
        need(sw_device_wait(t->device));
        const double all = sw_clock() - start;
        if (all / times < least) least = all / times;
        if (all < 0.02) times *= 4;
    }
    return least;
}

static void print(const char *row, const char *name, size_t cells, double seconds, double operations, double words)
{
    printf("%s,%s,%zu,%.6g,%g,%g\n", row, name, cells, seconds, operations, words);
}

/* @param prec_operations, prec_words  of the preconditioner there */
static void time_all(const char *row, const struct elliptic_space *space, struct sw_device *device, size_t cells,
                     double prec_operations, double prec_words)
{
    const struct timed t = {space, device, space->work[0], space->work[1]};
    print(row, "SpMV", cells, seconds_of(spmv, &t), 24, 2);
    print(row, "prec", cells, seconds_of(prec, &t), prec_operations, prec_words);
    print(row, "dot", cells, seconds_of(dot, &t), 1, 2);
    print(row, "axpby", cells, seconds_of(combine, &t), 2, 3);
}

static void time_core(const struct sw_elliptic_desc *desc, const struct sw_elliptic_matrix *matrix)
{
    const size_t cells = sw_elliptic_cells(desc);
    struct elliptic_host host;
    struct sw_owned own = {0};
    struct sw_device *cpu;
    need(sw_device_open("cpu", 1, &cpu));
    elliptic_host_make(desc, 1, 3, &own, &host);
    need(own.status);
    host.matrix = matrix;
    for (size_t i = 0; i < 3 * cells; i++) host.work[i] = 1e-3 * (double)(i % 1001);
    const struct elliptic_space space = elliptic_host_space(&host);
    time_all("cpu.pcg@1", &space, cpu, cells, 14, 2);  /* 13 and one division */
    sw_owned_free(&own);
    sw_device_close(&cpu);
}

#ifdef SW_HAVE_CUDA
static void time_device(const struct sw_elliptic_desc *desc, const struct sw_elliptic_matrix *matrix)
{
    const size_t cells = sw_elliptic_cells(desc);
    struct elliptic_device on;
    struct sw_device *device;
    double *numbers;
    need(sw_device_open("cuda", 0, &device));
    struct sw_owned own = {.device = device};
    elliptic_device_make(desc, device, 3, 1, true, &own, &on);
    need(own.status);
    need(elliptic_device_load(&on, 1, matrix));
    need(sw_alloc(cells, &numbers));
    for (size_t i = 0; i < cells; i++) numbers[i] = 1e-3 * (double)(i % 1001);
    for (int k = 0; k < 3; k++) need(sw_device_upload(device, on.work[k], numbers, cells * sizeof *numbers));
    const struct elliptic_space space = elliptic_device_space(&on);
    time_all("cuda.pcg", &space, device, cells, 23, 2 + 2.0 / SW_CUDA_ELLIPTIC_CHUNK);  /* 22 and one division */
    sw_free(numbers);
    sw_owned_free(&own);
    sw_device_close(&device);
}
#endif

int main(int argc, char **argv)
{
    const int64_t n = argc == 3 ? atoll(argv[2]) : 0;
    const struct sw_elliptic_desc desc = {.n = {n, n, n / 2}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL, .graded = true,
                                          .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
    const struct sw_elliptic_numbers numbers = {.omega2 = 6.641e-4, .lambda2 = 0.033, .delta = 1, .depth = 0.01,
                                                .tolerance = 1e-5, .iterations = 1};
    struct sw_elliptic_matrix matrix;
    if (n < 2) return fprintf(stderr, "usage: bench_elliptic cpu|cuda N\n"), 2;
    need(sw_elliptic_matrix_make(&desc, &numbers, NULL, NULL, &matrix));
    if (!strcmp(argv[1], "cpu")) {
        time_core(&desc, &matrix);
    } else {
#ifdef SW_HAVE_CUDA
        time_device(&desc, &matrix);
#else
        return fprintf(stderr, "%s\n", SW_WITHOUT_CUDA), 1;
#endif
    }
    sw_elliptic_matrix_free(&matrix);
    return 0;
}
