/* Times of the rows of the stepper table on a GPU: point-steps/s, the error against the exact solution of the discrete
 * equation.
 *   bench_fused [REPEATS]      rows: $BENCH_ROWS, separated by commas (cuda.fused); works: numbers $BENCH_FIRST ..
 *                              $BENCH_LAST, or those with $BENCH_WORK in their name
 *   bench_fused -c SM          only compile all kernels for sm_SM, without a device */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_kernels.h"
#include "helpers.h"
#include "stepper_calls.h"
#include "need.h"

static const double pi = 3.14159265358979323846;
static int repeats = 5;
static double fma_rate;

struct bench {
    const char *name, *g, *s;
    enum sw_scheme scheme;
    int  n, runs, steps;
    bool each;              /* coefficients and parameters differ from run to run */
};

static struct sw_program *compile(const char *text)
{
    static const struct sw_symbol symbol[] = {
        {"a", SW_RATE_RUN, 0}, {"q", SW_RATE_RUN, 1}, {"v", SW_RATE_RUN, 2}, {"t", SW_RATE_STEP, 0},
        {"x", SW_RATE_CELL, SW_IN_X}, {"u", SW_RATE_POINT, SW_IN_U},
    };
    const struct sw_scope scope = {.symbol = symbol, .count = 6};
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    if (!text) return NULL;
    if (sw_expr_parse(text, &expr, &err) || sw_program_compile(expr, &scope, &program, &err))
        exit(fprintf(stderr, "%s\n", err.text));
    sw_expr_destroy(&expr);
    return program;
}

/* Crank-Nicolson: dt = 1e-8 on a length of 1 (1e-9 from 2048 points on), as the goals say. Backward Euler:
 * Cahn-Hilliard, a phase of small amplitude. Per run the length grows by up to a half. */
static struct sw_line_run line_of(const struct bench *b, int j)
{
    double length = (b->g ? 8 * pi : 1.0) * (b->each ? 1.0 + 0.5 * (j % 1000) / 1000.0 : 1.0), dx = length / b->n;
    double dt = b->g ? 1e-4 : b->n >= 2048 ? 1e-9 : 1e-8;
    return (struct sw_line_run){.dt = dt, .dx = dx, .a[0].s4 = (b->g ? 1.0 : 0.5) * dt / (dx * dx * dx * dx)};
}

/* cos of mode 2 + 0.3 sin of mode 3, run 0, after the steps taken. */
static double error_of(const struct bench *b, const double *u, int steps)
{
    struct sw_line_run r = line_of(b, 0);
    double sum = 0.0, size = 0.0;
    double w2 = pow(2 * sin(2 * pi / b->n), 4) * r.a[0].s4, w3 = pow(2 * sin(3 * pi / b->n), 4) * r.a[0].s4;
    double f2 = pow((1 - w2) / (1 + w2), steps), f3 = pow((1 - w3) / (1 + w3), steps);
    for (int i = 0; i < b->n; i++) {
        double e = f2 * cos(2 * pi * (2LL * i % b->n) / b->n) + 0.3 * f3 * sin(2 * pi * (3LL * i % b->n) / b->n);
        sum += (u[i] - e) * (u[i] - e);
        size += e * e;
    }
    return sqrt(sum / size);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run(const struct bench *b, const char *row, struct sw_device *device)
{
    struct sw_program *g = compile(b->g), *s = compile(b->s);
    struct sw_stepper_desc desc = {.n = b->n, .capacity = b->runs,
                                   .model = {.scheme = b->scheme, .nparam = 3, .g = {g}, .explicit_term = {s}}};
    struct sw_stepper *stepper = NULL;
    struct sw_line_run *line = NULL;
    double *param = NULL, *u = NULL, seconds[32];
    const char **load_error = NULL;
    size_t room = (size_t)b->runs;
    char label[200];
    snprintf(label, sizeof label, "%-34s n=%6d runs=%7d %-18s", b->name, b->n, b->runs, row);
    if (stepper_create(&desc, row, device, &stepper)) {
        printf("%s %s\n", label, sw_err_message());
        goto done;
    }
    need(sw_alloc(room, &line));
    need(sw_alloc(room * 3, &param));
    need(sw_alloc(room * (size_t)b->n, &u));
    need(sw_alloc(room, &load_error));
    for (int j = 0; j < b->runs; j++) {
        line[j] = line_of(b, j);
        param[j] = 1e-3 * (1 + (b->each ? j % 7 : 0));
        param[room + (size_t)j] = 2 * pi / (line[j].dx * b->n) * (1 + (b->each ? j % 5 : 0));
        param[2 * room + (size_t)j] = 0.1 * (1 + (b->each ? j % 11 : 0));
        for (int i = 0; j == 0 && i < b->n; i++)
            u[i] = cos(2 * pi * (2LL * i % b->n) / b->n) + 0.3 * sin(2 * pi * (3LL * i % b->n) / b->n);
        if (j) memcpy(u + (size_t)j * (size_t)b->n, u, (size_t)b->n * sizeof *u);
    }
    double begin = sw_clock();
    need(stepper_load(stepper, b->runs, line, param, load_error));
    need(stepper_set_state(stepper, u));
    double loading = sw_clock() - begin;
    need(stepper_advance(stepper, 0, b->steps));
    need(stepper_get_state(stepper, u));
    double error = b->g || b->s ? NAN : error_of(b, u, b->steps);
    for (int k = 0; k < repeats; k++) {
        need(sw_device_wait(device));
        begin = sw_clock();
        need(stepper_advance(stepper, (int64_t)b->steps * (k + 1), (int64_t)b->steps * (k + 2)));
        need(sw_device_wait(device));
        seconds[k] = sw_clock() - begin;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare);
    double work = (double)b->n * b->runs * b->steps;
    printf("%s %.3e point-steps/s (best %.3e)  9 FMA: %.3f of the rate  error %.2e  load %.2f s\n", label,
           work / seconds[repeats / 2], work / seconds[0], 9 * work / seconds[repeats / 2] / fma_rate, error, loading);
    fflush(stdout);
done:
    stepper_destroy(&stepper);
    sw_program_destroy(&g);
    sw_program_destroy(&s);
    sw_free(line);
    sw_free(param);
    sw_free(u);
    sw_free(load_error);
}

/* FMA/s: eight chains a thread, 64 warps a multiprocessor. */
static void measure_fma(struct sw_device *device)
{
    static const char text[] =
        "extern \"C\" __global__ void fma_k(double *out, double a, double b, int rounds)\n{\n"
        "    double x[8];\n    for (int k = 0; k < 8; k++) x[k] = threadIdx.x + k;\n"
        "    for (int i = 0; i < rounds; i++)\n"
        "#pragma unroll\n        for (int j = 0; j < 64; j++) x[j % 8] = fma(x[j % 8], a, b);\n"
        "    double sum = 0;\n    for (int k = 0; k < 8; k++) sum += x[k];\n"
        "    if (sum == 1.0) *out = sum;\n}\n";
    static const char *const name = "fma_k";
    void *kernel;
    struct sw_module *module;
    double *out, a = 0.999, b = 1e-3, best = INFINITY;
    int rounds = 4000, blocks = 2 * device->processors;
    need(sw_module_create(device, text, name, &name, 1, &kernel, &module));
    need(sw_device_alloc(device, 1, &out));
    void *args[] = {&out, &a, &b, &rounds};
    for (int k = 0; k < 5; k++) {
        double begin = sw_clock();
        need(sw_kernel_launch(device, kernel, blocks, 1, 1024, 0, args));
        need(sw_device_wait(device));
        double seconds = sw_clock() - begin;
        if (k && seconds < best) best = seconds;
    }
    fma_rate = 64.0 * rounds * 1024 * blocks / best;
    printf("double-precision FMA rate %.3e /s\n", fma_rate);
    sw_device_free(device, out);
    sw_module_unload(device, &module);
}

#define HYPER(n, runs, each) {"hyperdiffusion" , NULL, NULL, SW_CRANK_NICOLSON, n, runs, 250, each}
#define MIXTURE(n, runs, s, each) {"Cahn-Hilliard", "u^3 - u", s, SW_BACKWARD_EULER, n, runs, 250, each}
static const struct bench benches[] = {
    HYPER(256, 65536, false), HYPER(512, 8192, false), HYPER(512, 65536, false), HYPER(1024, 65536, false),
    HYPER(1024, 65536, true), HYPER(512, 65536, true), HYPER(64, 1048576, false), HYPER(100, 671088, false),
    HYPER(128, 524288, false),
    HYPER(333, 201528, false), HYPER(1000, 65536, false), HYPER(1500, 32768, false), HYPER(2048, 16384, false),
    MIXTURE(1024, 65536, NULL, false), MIXTURE(1000, 65536, NULL, false), MIXTURE(512, 65536, NULL, false),
    MIXTURE(128, 524288, NULL, false), MIXTURE(2048, 16384, NULL, false),
    MIXTURE(1024, 65536, "a*cos(q*(x - v*t))", true), MIXTURE(512, 65536, "a*cos(q*(x - v*t))", true),
    /* 20 .. 23: cuda.stream */
    HYPER(262145, 256, false), HYPER(1 << 20, 64, false), HYPER(1 << 20, 64, true), HYPER(1 << 24, 4, false),
    MIXTURE(1 << 20, 64, NULL, false), MIXTURE(1 << 20, 64, "a*cos(q*(x - v*t))", true),
};
enum { BENCHES = sizeof benches / sizeof *benches };

int main(int argc, char **argv)
{
    struct sw_device *device = NULL;
    const char *only = getenv("BENCH_ROWS"), *chosen = getenv("BENCH_WORK");
    const char *first = getenv("BENCH_FIRST"), *last = getenv("BENCH_LAST");
    if (argc > 1) repeats = atoi(argv[1]);
    if (repeats < 1 || repeats > 32) repeats = 5;
    need(sw_device_open("cuda", 1, &device));
    printf("%s, %d multiprocessors\n", device->name, device->processors);
    measure_fma(device);
    for (int k = first ? atoi(first) : 0; k < BENCHES && k <= (last ? atoi(last) : BENCHES); k++) {
        char rows[400], *rest = rows;
        if (chosen && !strstr(chosen, benches[k].name)) continue;
        snprintf(rows, sizeof rows, "%s", only ? only : "cuda.fused");
        for (char *row; (row = strsep(&rest, ","));) run(&benches[k], row, device);
    }
    sw_device_close(&device);
    return 0;
}
