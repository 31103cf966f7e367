/* Seconds of what an iteration of conjugate gradients consists of, by each row that lists its kernels, in double and in
 * single precision: the least of some repeats. reproduce_elliptic.sh puts them beside tables 3, 4, 5 (set-up) and 7 of
 * E (docs/explanation/elliptic.md).
 *   bench_elliptic cpu|cuda N    a shell of N x N x N/2 cells; cpu: one core
 * A line a kernel: row,kernel,cells,seconds,operations,words,precision; operations and words of a cell, counted as the
 * rows count them: what lies in caches is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "elliptic/sw_elliptic_impl.h"
#include "need.h"

enum { REPEATS = 7 };

/* The least of some repeats, each long enough for the clock. */
static double seconds_of(struct sw_elliptic *s, const struct sw_elliptic_kernel *kernel, double *u)
{
    double least = 1e30;
    int times = 1;
    for (int k = 0; k < REPEATS; k++) {
        need(sw_device_wait(s->device));
        const double start = sw_clock();
        for (int i = 0; i < times; i++) need(kernel->run(s, u));
        need(sw_device_wait(s->device));
        const double all = sw_clock() - start;
        if (all / times < least) least = all / times;
        if (all < 0.02) times *= 4;
    }
    return least;
}

/* One iteration fills the vectors of the row. */
static void time_row(const struct sw_elliptic_ops *row, struct sw_elliptic_desc desc, bool single,
                     const struct sw_elliptic_numbers *numbers, const struct sw_elliptic_matrix *matrix,
                     struct sw_device *device)
{
    const size_t cells = sw_elliptic_cells(&desc);
    struct sw_elliptic *s = NULL;
    struct sw_elliptic_outcome outcome;
    double *f = NULL, *u = NULL, *values = NULL;
    desc.single = single;
    if (sw_elliptic_create(&desc, row->name, device, &s)) return;  /* a library is not here */
    need(sw_elliptic_load(s, 1, numbers, matrix));
    need(sw_alloc(cells, &values));
    for (size_t c = 0; c < cells; c++) values[c] = 1e-3 * (double)(c % 1001);
    need(sw_device_alloc(device, cells, &f));
    need(sw_device_alloc(device, cells, &u));
    need(sw_device_upload(device, f, values, cells * sizeof *f));
    need(sw_elliptic_solve(s, f, u, &outcome, NULL, 0));
    for (const struct sw_elliptic_kernel *k = s->ops->kernels; k->name; k++) {
        const double seconds = seconds_of(s, k, u);
        printf("%s%s,%s,%zu,%.6g,%g,%g,%s\n", row->name, device->space == SW_HOST ? "@1" : "", k->name, cells, seconds,
               k->operations, k->words, single ? "single" : "double");
    }
    sw_device_free(device, f);
    sw_device_free(device, u);
    sw_free(values);
    sw_elliptic_destroy(&s);
}

int main(int argc, char **argv)
{
    const int64_t n = argc == 3 ? atoll(argv[2]) : 0;
    const struct sw_elliptic_desc desc = {.n = {n, n, n / 2}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL, .graded = true,
                                          .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
    const struct sw_elliptic_numbers numbers = {.omega2 = 6.641e-4, .lambda2 = 0.033, .delta = 1, .depth = 0.01,
                                                .tolerance = 1e-5, .iterations = 1};
    struct sw_elliptic_matrix matrix;
    struct sw_device *device;
    if (n < 2) return fprintf(stderr, "usage: bench_elliptic cpu|cuda N\n"), 2;
    need(sw_elliptic_matrix_make(&desc, &numbers, NULL, NULL, &matrix));
    need(sw_device_open(argv[1], 1, &device));
    for (int k = 0; sw_elliptic_table[k]; k++) {
        const struct sw_elliptic_ops *row = sw_elliptic_table[k];
        if (row->absent || row->space != device->space || !row->kernels) continue;
        time_row(row, desc, false, &numbers, &matrix, device);
        if (row->single && row->single->kernels) time_row(row, desc, true, &numbers, &matrix, device);
    }
    sw_device_close(&device);
    sw_elliptic_matrix_free(&matrix);
    return 0;
}
