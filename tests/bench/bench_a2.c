/* Which block size, and how many columns, suit the published kernels of -u'' = f (src/problem/bvp/bvp_a2_cuda.c):
 * milliseconds of a solve of P1 for each, f evaluated, nothing measured or fetched; the best of a row is marked. What
 * threads_for() there chooses is read off this table.
 *   bench_a2 [LOG2_N] [REPEATS]      default 28 5 */
#include <stdio.h>
#include <stdlib.h>

#include "base/sw_clock.h"
#include "problem/bvp/sw_bvp.h"
#include "need.h"

static struct sw_program *compiled(const char *text)
{
    static const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}};
    const struct sw_scope scope = {.symbol = symbol, .count = 1};
    struct sw_expr_error err = {0};
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    if (sw_expr_parse(text, &expr, &err) || sw_program_compile(expr, &scope, &program, &err))
        exit(fprintf(stderr, "%s\n", err.text));
    sw_expr_destroy(&expr);
    return program;
}

/* Milliseconds, the least of some repeats. threads_for() takes blocks of at most 256, and so small that each
 * multiprocessor has two: how many of these there are said to be decides. */
static double time_of(struct sw_device *device, struct sw_bvp *bvp, int64_t n, int64_t r, int threads, int repeats)
{
    const struct sw_bvp_run run = {.h = 1 / (double)n, .r = r};
    double least = 1e30;
    device->processors = (int)(r / (2 * threads));
    for (int k = 0; k <= repeats; k++) {
        need(sw_device_wait(device));
        double start = sw_clock();
        need(sw_bvp_solve(bvp, 1, &run, NULL));
        need(sw_device_wait(device));
        double seconds = sw_clock() - start;
        if (k && seconds < least) least = seconds;
    }
    return 1e3 * least;
}

enum { FEWEST = 32, SIZES = 4 };  /* threads a block: 32, 64, 128, 256 */

static void print_line(struct sw_device *device, struct sw_bvp *bvp, int64_t n, int64_t r, int repeats)
{
    double ms[SIZES], least = 1e30;
    for (int k = 0; k < SIZES; k++) {
        ms[k] = time_of(device, bvp, n, r, FEWEST << k, repeats);
        if (ms[k] < least) least = ms[k];
    }
    printf("%-10s %10lld", sw_bvp_name(bvp), (long long)r);
    for (int k = 0; k < SIZES; k++) printf(" %9.3f%c", ms[k], ms[k] == least ? '*' : ' ');
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const rows[] = {"cuda.a2s", "cuda.a2d", "cuda.a2sd"};
    const int64_t n = 1ll << (argc > 1 ? atoi(argv[1]) : 28);
    const int repeats = argc > 2 ? atoi(argv[2]) : 5;
    struct sw_device *device;
    struct sw_bvp *bvp;
    need(sw_device_open("cuda", 0, &device));
    const int processors = device->processors;
    struct sw_program *f = compiled("pi^2/4*cos(pi/2*x)");
    const struct sw_bvp_desc desc = {.n = n, .capacity = 1, .f = f};
    printf("%s\nn = %lld, ms a solve by threads a block\n%-10s %10s", device->name, (long long)n, "row", "r");
    for (int k = 0; k < SIZES; k++) printf(" %9d ", FEWEST << k);
    printf("\n");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        need(sw_bvp_create(&desc, rows[k], device, &bvp));
        for (int64_t r = 8192; r <= n / 64 && r <= 1 << 22; r *= 2) print_line(device, bvp, n, r, repeats);
        sw_bvp_destroy(&bvp);
    }
    device->processors = processors;
    sw_program_destroy(&f);
    sw_device_close(&device);
    return 0;
}
