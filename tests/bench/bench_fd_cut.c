/* Compact differences of lines that are cut over two GPUs, beside undivided lines of as many points a GPU: seconds of a
 * call, the slowest rank's, and the ratio.
 *   bench_fd_cut [N [SCHEME [BOUNDARY [REPEATS [all axes]]]]]     N^3 points a GPU */
#include <stdio.h>
#include <stdlib.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "comm/sw_comm.h"
#include "fd/sw_fd.h"

struct request { int n, repeats, all; const char *scheme, *boundary; };

enum { RUNS = 10 };

/* Least over the repeats of the most over the ranks. */
static enum sw_status measure(const struct sw_comm *host, struct sw_device *device, const struct sw_fd *fd,
                              const void *f, void *out, int repeats, double *least)
{
    *least = 1e30;
    for (int k = 0; k <= repeats; k++) {
        SW_TRY(sw_device_wait(device));
        SW_TRY(sw_comm_barrier(host));
        const double start = sw_clock();
        for (int run = 0; run < RUNS; run++) SW_TRY(sw_fd_apply(fd, f, out));
        SW_TRY(sw_device_wait(device));
        double seconds = (sw_clock() - start) / RUNS;
        SW_TRY(sw_comm_max(host, 1, &seconds));
        if (k && seconds < *least) *least = seconds;
    }
    return SW_OK;
}

static enum sw_status part(const struct sw_comm *host, void *context)
{
    const struct request *r = context;
    struct sw_device *device;
    struct sw_comm *comm;
    char spec[24];
    void *f, *out;
    const int64_t n = r->n;
    const size_t points = (size_t)(n * n * n);
    snprintf(spec, sizeof spec, "cuda:%d", host->rank);
    SW_TRY(sw_device_open(spec, 1, &device));
    SW_TRY(sw_comm_on_device(host, device, NULL, &comm));
    SW_TRY(sw_device_alloc_bytes(device, points, 8, &f));
    SW_TRY(sw_device_alloc_bytes(device, points, 8, &out));
    for (int axis = r->all ? 0 : 2; axis < 3; axis++) {
        struct sw_fd_desc d = {.n = {n, n, n}, .axis = axis, .fields = 1, .scheme = r->scheme,
                               .boundary = r->boundary, .h = 1, .alpha = r->scheme[0] == 'f' ? 0.4 : 0};
        struct sw_fd *whole, *cut;
        double alone, together;
        SW_TRY(sw_fd_create(&d, NULL, device, &whole));
        d.comm = comm;
        SW_TRY(sw_fd_create(&d, NULL, device, &cut));
        SW_TRY(measure(host, device, whole, f, out, r->repeats, &alone));
        SW_TRY(measure(host, device, cut, f, out, r->repeats, &together));
        if (host->rank == 0)
            printf("%s %s %c %lld^3 a GPU over %d: whole %.1f us (%.3f TB/s), cut %.1f us, ratio %.3f\n", r->scheme,
                   r->boundary, 'x' + axis, (long long)n, host->size, alone * 1e6, 16.0 * (double)points / alone / 1e12,
                   together * 1e6, alone / together);
        SW_TRY(sw_comm_barrier(host));
        sw_fd_destroy(&whole);
        sw_fd_destroy(&cut);
    }
    sw_device_free(device, f);
    sw_device_free(device, out);
    sw_comm_destroy(&comm);
    sw_device_close(&device);
    return SW_OK;
}

int main(int argc, char **argv)
{
    struct request r = {argc > 1 ? atoi(argv[1]) : 512, argc > 4 ? atoi(argv[4]) : 5, argc > 5,
                        argc > 2 ? argv[2] : "d1_c6", argc > 3 ? argv[3] : "periodic"};
    if (sw_comm_run("threads", 2, part, &r)) return fprintf(stderr, "%s\n", sw_err_message());
    return 0;
}
