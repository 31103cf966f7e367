#include "problem/fields/cuda/fields_waves.h"

#include <math.h>

#include "base/sw_mem.h"
#include "device/sw_kernels.h"
#include "problem/fields/cuda/fields_text.h"
#include "problem/fields/exact.h"
#include "problem/fields/fourier.h"

/* Numbers of the symbols of a run: as many parts of each unknown. */
static size_t parts_of(const struct fields_desc *d)
{
    size_t parts = 1;
    for (int v = 0; v < d->terms->unknowns; v++)
        if (d->terms->row[v].linear.odd) parts = 2;
    return parts;
}

static size_t unknowns_of(const struct fields_desc *d) { return (size_t)d->terms->unknowns; }

static size_t table_size(const struct fields_desc *d) { return (size_t)(d->n[0] / 2 + 1 + d->n[1] + d->n[2]); }

void fields_waves_add_bytes(const struct fields_desc *d, size_t *fixed, size_t *per_run)
{
    const size_t numbers = unknowns_of(d) * fields_fourier_waves(d->n);
    *fixed += table_size(d) * sizeof(double);
    *per_run += (3 * 2 + parts_of(d)) * numbers * sizeof(double);
}

/* ------------------------------------------------------------------ create, destroy */

static double *set_axis(int64_t n, int64_t waves, double *wave)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    for (int64_t k = 0; k < waves; k++) {
        const long double half = sinl(pi * (long double)k / (long double)n);
        *wave++ = (double)(4.0L * half * half);
    }
    return wave;
}

static enum sw_status set_table(const struct fields_sim *s, const struct fields_waves *w)
{
    const int64_t *n = s->desc.n;
    double *wave = NULL;
    SW_TRY(sw_alloc(table_size(&s->desc), &wave));
    set_axis(n[2], n[2], set_axis(n[1], n[1], set_axis(n[0], n[0] / 2 + 1, wave)));
    const enum sw_status st = sw_device_upload(s->device, w->wave, wave, table_size(&s->desc) * sizeof *wave);
    sw_free(wave);
    return st;
}

enum sw_status fields_waves_create(struct fields_sim *s, struct fields_waves *w)
{
    const size_t waves = (size_t)s->desc.capacity * unknowns_of(&s->desc) * fields_fourier_waves(s->desc.n);
    sw_array_device(&s->arrays, 2 * waves, &w->spectrum);
    sw_array_device(&s->arrays, parts_of(&s->desc) * waves, &w->symbol);
    sw_array_device(&s->arrays, table_size(&s->desc), &w->wave);
    SW_TRY(s->arrays.status);
    return set_table(s, w);
}

void fields_waves_destroy(struct fields_waves *w) { sw_cufft_destroy(&w->fft); }

/* ------------------------------------------------------------------ load */

enum sw_status fields_waves_load(const struct fields_sim *s, const struct fields_waves *w, int j, const void *solver)
{
    const size_t waves = fields_fourier_waves(s->desc.n), parts = parts_of(&s->desc), unknowns = unknowns_of(&s->desc);
    for (size_t k = 0; k < unknowns * parts; k++) {
        const double *symbol = fields_symbol(solver, (int)(k / parts), (int)(k % parts));
        if (symbol)
            SW_TRY(sw_device_upload(s->device, w->symbol + ((size_t)j * unknowns * parts + k) * waves, symbol,
                                    waves * sizeof *symbol));
    }
    return SW_OK;
}

enum sw_status fields_waves_plan(const struct fields_sim *s, struct fields_waves *w)
{
    const int64_t fields = (int64_t)s->count * s->desc.terms->unknowns;
    if (fields == w->fields) return SW_OK;
    w->fields = 0;
    sw_cufft_destroy(&w->fft);
    SW_TRY(sw_cufft_create(s->desc.terms->dimensions, s->desc.n, fields, s->device, s->ops->name,
                           s->desc.terms->high ? "cpu.fourier with --device cpu" : "cuda.stream", &w->fft));
    w->fields = fields;
    return SW_OK;
}

/* ------------------------------------------------------------------ solves */

enum sw_status fields_waves_solve(struct fields_sim *s, const struct fields_waves *w, void *divide,
                                  struct fields_on_device *batch, double *k)
{
    const int tiles = (int)((fields_fourier_waves(s->desc.n) + FIELDS_TILE - 1) / FIELDS_TILE);
    const double *wave = w->wave, *symbol = w->symbol;
    double *spectrum = w->spectrum;
    void *args[] = {batch, &wave, &symbol, &spectrum};
    SW_TRY(sw_cufft_forward(w->fft, k, spectrum));
    SW_TRY(sw_kernel_launch(s->device, divide, (int)w->fields * tiles, 1, FIELDS_THREADS, 0, args));
    return sw_cufft_backward(w->fft, spectrum, k);
}
