/* Solves of banded systems with a known solution, all systems different, or with `uniform` all matrices the first.
 *
 * Entries beside the main diagonal are in (-1/2, 0), the main one is 1 minus their sum: an M-matrix whose rows sum to
 * 1, so |A^-1| = 1, |A| <= 1 + lower + upper, and solving again and again neither grows nor dies away. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "linalg/sw_band_impl.h"

struct bands {
    const struct sw_bench_spec *spec;
    struct sw_device           *device;
    struct sw_band             *band;
    double                     *exact, *rhs;   /* on the host, in the row's layout */
    double                     *x;             /* on the device                    */
};

/* A number in (0, 1) for each index: bench_mix(). */
static double hash01(uint64_t k)
{
    return ((double)(bench_mix(k) >> 12) + 0.5) * 0x1p-52;
}

static size_t entry_index(const struct bands *b, int i, int j)
{
    const struct sw_band_desc *d = sw_band_shape(b->band);
    return sw_band_layout(b->band) == SW_LINES ? (size_t)j * (size_t)d->ld + (size_t)i
                                               : (size_t)i * (size_t)d->ld + (size_t)j;
}

static double exact_of(int i, int j) { return 1 + 0.5 * hash01(((uint64_t)j << 34) + (uint64_t)i * 8 + 7); }

/* Row i of system j: its entries into band, its product with the exact solution. */
static double fill_row(const struct bands *b, int i, int j, double *band)
{
    const struct sw_bench_spec *s = b->spec;
    size_t vector = sw_band_vector(b->band), at = entry_index(b, i, j);
    uint64_t matrix = s->uniform ? 0 : (uint64_t)j;
    double sum = 0, product = 0;
    for (int r = 0; r <= s->lower + s->upper; r++) {
        int column = i + r - s->lower;
        if (column == i || (!s->periodic && (column < 0 || column >= s->n))) continue;
        double entry = -0.5 * hash01((matrix << 34) + (uint64_t)i * 8 + (uint64_t)r);
        band[(size_t)r * vector + at] = entry;
        sum += entry;
        product += entry * exact_of((column + (int)s->n) % (int)s->n, j);
    }
    band[(size_t)s->lower * vector + at] = 1 - sum;
    return product + (1 - sum) * exact_of(i, j);
}

static void fill(struct bands *b, double *band)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < b->spec->n; i++)
        for (int j = 0; j < b->spec->batch; j++) {
            b->rhs[entry_index(b, i, j)] = fill_row(b, i, j, band);
            b->exact[entry_index(b, i, j)] = exact_of(i, j);
        }
}

static enum sw_status factor(struct bands *b)
{
    size_t entries = (size_t)(b->spec->lower + b->spec->upper + 1) * sw_band_vector(b->band);
    double *host = NULL, *band = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc(entries, &host));
    fill(b, host);
    SW_TRY_TO(done, st, sw_device_alloc(b->device, entries, &band));
    SW_TRY_TO(done, st, sw_device_upload(b->device, band, host, entries * sizeof *host));
    SW_TRY_TO(done, st, sw_band_factor(b->band, band, NULL));
    st = sw_device_wait(b->device);
done:
    sw_free(host);
    sw_device_free(b->device, band);
    return st;
}

static void bands_destroy(void *own)
{
    struct bands *b = own;
    if (!b) return;
    sw_band_destroy(&b->band);
    sw_device_free(b->device, b->x);
    sw_free(b->exact);
    sw_free(b->rhs);
    sw_free(b);
}

static enum sw_status bands_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                   void **own)
{
    const struct sw_band_desc shape = {.n = (int)spec->n, .batch = spec->batch, .lower = spec->lower,
                                       .upper = spec->upper, .periodic = spec->periodic, .uniform = spec->uniform};
    struct bands *b = NULL;
    enum sw_status st;
    *own = NULL;
    SW_TRY(sw_alloc(1, &b));
    b->spec = spec;
    b->device = device;
    SW_TRY_TO(failed, st, sw_band_create(&shape, row, device, &b->band));
    SW_TRY_TO(failed, st, sw_alloc(sw_band_vector(b->band), &b->exact));
    SW_TRY_TO(failed, st, sw_alloc(sw_band_vector(b->band), &b->rhs));
    SW_TRY_TO(failed, st, sw_device_alloc(device, sw_band_vector(b->band), &b->x));
    SW_TRY_TO(failed, st, factor(b));
    *own = b;
    return SW_OK;
failed:
    bands_destroy(b);
    return st;
}

static enum sw_status bands_begin(void *own)
{
    struct bands *b = own;
    return sw_device_upload(b->device, b->x, b->rhs, sw_band_vector(b->band) * sizeof *b->x);
}

static enum sw_status bands_advance(void *own, int64_t steps)
{
    struct bands *b = own;
    for (int64_t k = 0; k < steps; k++) SW_TRY(sw_band_solve(b->band, b->x));
    return SW_OK;
}

/* The condition is at most 1 + lower + upper; elimination of such matrices, with or without pivoting, loses a small
 * multiple of it. */
static enum sw_status bands_check(void *own, int64_t steps, double *error, double *bound)
{
    struct bands *b = own;
    double *x = NULL, worst = 0;
    size_t entries = sw_band_vector(b->band);
    (void)steps;
    SW_TRY(sw_alloc(entries, &x));
    enum sw_status st = sw_device_download(b->device, x, b->x, entries * sizeof *x);
    for (size_t k = 0; !st && k < entries; k++) {
        double off = fabs(x[k] - b->exact[k]) / b->exact[k];
        if (!(off <= worst)) worst = isfinite(off) ? off : INFINITY;
    }
    sw_free(x);
    *error = worst;
    *bound = 64 * 0x1p-53 * (1 + b->spec->lower + b->spec->upper);
    return st;
}

static struct sw_cost bands_cost(void *own, int64_t steps)
{
    struct bands *b = own;
    (void)steps;
    return sw_band_cost(sw_band_shape(b->band), sw_band_name(b->band));
}

static void bands_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_band_desc shape = {.n = (int)spec->n, .batch = spec->batch, .lower = spec->lower,
                                       .upper = spec->upper, .periodic = spec->periodic, .uniform = spec->uniform};
    for (int space = SW_HOST; space <= SW_DEVICE; space++) bench_rows_add_bands(rows, "", (enum sw_space)space, &shape);
}

const struct bench_work bench_bands = {
    .terms = {"unknown/s", "least s/solve", "unknown and solve"},
    .steps = 20,
    .list_rows = bands_list_rows,
    .create = bands_create,
    .begin = bands_begin,
    .advance = bands_advance,
    .check = bands_check,
    .cost = bands_cost,
    .destroy = bands_destroy,
    .most_checked = 1,
};
