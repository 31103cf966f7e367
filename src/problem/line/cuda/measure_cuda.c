#include "problem/line/cuda/measure_cuda.h"

#include "field/dft.h"

/* While a run is measured, each point of its transforms needs 4 numbers: they lie in shared memory if they fit beside
 * what else is there. */
static bool is_short(int length) { return 4 * (size_t)length * sizeof(double) <= 47 * 1024; }

/* Runs measured at once: 1024 blocks fill any device; where lines are long, no more than need 256 MiB. */
static int measured_at_once(int length)
{
    size_t blocks = ((size_t)1 << 25) / (4 * (size_t)length);
    return blocks < 1 ? 1 : blocks > 1024 ? 1024 : (int)blocks;
}

static size_t scratch_of(int length)
{
    return is_short(length) ? 0 : (size_t)measured_at_once(length) * 4 * (size_t)length;
}

static int circle_of(int n, bool ended) { return ended ? 2 * (n - 1) : n; }

size_t sw_spectrum_bytes(int n, bool ended)
{
    const int circle = circle_of(n, ended);
    return (scratch_of(sw_spectrum_length(circle)) + sw_dft_numbers(circle)) * sizeof(double);
}

/* The tables of struct sw_dft on the device, and where each of them begins. */
static enum sw_status upload_tables(struct sw_device *device, int n, struct sw_cuda_spectrum *p)
{
    struct sw_dft d;
    enum sw_status st;
    SW_TRY_TO(out, st, sw_dft_create(n, &d));
    SW_TRY_TO(out, st, sw_device_alloc(device, sw_dft_numbers(n), &p->table));
    p->cosine = p->table;
    p->sine = p->table + (d.sine - d.table);
    if (d.chirp_re) {
        p->chirp_re = p->table + (d.chirp_re - d.table);
        p->chirp_im = p->table + (d.chirp_im - d.table);
        p->filter_re = p->table + (d.filter_re - d.table);
        p->filter_im = p->table + (d.filter_im - d.table);
    }
    st = sw_device_upload(device, p->table, d.table, sw_dft_numbers(n) * sizeof *d.table);
out:
    sw_dft_destroy(&d);
    return st;
}

enum sw_status sw_spectrum_create(struct sw_device *device, int n, bool ended, struct sw_cuda_spectrum *p)
{
    _Static_assert(sizeof p->radix == SW_MAX_PASSES * sizeof *p->radix, "room for all passes");
    p->ended = ended;
    p->circle = circle_of(n, ended);
    p->length = sw_spectrum_length(p->circle);
    p->passes = sw_spectrum_passes(p->length, p->radix);
    p->blocks = measured_at_once(p->length);
    if (!is_short(p->length)) SW_TRY(sw_device_alloc(device, scratch_of(p->length), &p->scratch));
    return upload_tables(device, p->circle, p);
}

void sw_spectrum_destroy(struct sw_device *device, struct sw_cuda_spectrum *p)
{
    sw_device_free(device, p->scratch);
    sw_device_free(device, p->table);
}
