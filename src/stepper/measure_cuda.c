#include "stepper/measure_cuda.h"

#include "base/sw_mem.h"
#include "stepper/measure.h"
#include "stepper/spectrum_point.h"

/* A run needs 4 n numbers while it is measured: in shared memory, if they fit beside what else is there. */
static bool is_short(int n) { return 4 * (size_t)n * sizeof(double) <= 47 * 1024; }

/* Runs measured at once: 1024 blocks fill any device; where lines are long, no more than need 256 MiB. */
static int measured_at_once(int n)
{
    size_t blocks = ((size_t)1 << 25) / (4 * (size_t)n);
    return blocks < 1 ? 1 : blocks > 1024 ? 1024 : (int)blocks;
}

static size_t scratch_of(int n) { return is_short(n) ? 0 : (size_t)measured_at_once(n) * 4 * (size_t)n; }

size_t sw_spectrum_bytes(int n) { return (scratch_of(n) + 2 * (size_t)n) * sizeof(double); }

static enum sw_status upload_circle(struct sw_device *device, int n, struct sw_cuda_spectrum *p)
{
    enum sw_status st;
    double *circle = NULL;
    size_t bytes = (size_t)n * sizeof *circle;
    SW_TRY(sw_alloc(2 * (size_t)n, &circle));
    sw_measure_circle(n, circle, circle + n);
    st = sw_device_upload(device, p->cosine, circle, bytes);
    if (!st) st = sw_device_upload(device, p->sine, circle + n, bytes);
    sw_free(circle);
    return st;
}

enum sw_status sw_spectrum_create(struct sw_device *device, int n, struct sw_cuda_spectrum *p)
{
    _Static_assert(sizeof p->radix == SW_MAX_PASSES * sizeof *p->radix, "room for all passes");
    p->passes = sw_spectrum_passes(n, p->radix);
    p->blocks = measured_at_once(n);
    p->stride = SW_LINE_SCALARS;
    p->mass = SW_MASS;
    p->energy = SW_ENERGY;
    p->least = SW_MIN;
    p->largest = SW_MAX;
    p->domain_length = SW_DOMAIN_LENGTH;
    if (!is_short(n)) SW_TRY(sw_device_alloc(device, scratch_of(n), &p->scratch));
    SW_TRY(sw_device_alloc(device, (size_t)n, &p->cosine));
    SW_TRY(sw_device_alloc(device, (size_t)n, &p->sine));
    return upload_circle(device, n, p);
}

void sw_spectrum_destroy(struct sw_device *device, struct sw_cuda_spectrum *p)
{
    sw_device_free(device, p->scratch);
    sw_device_free(device, p->cosine);
    sw_device_free(device, p->sine);
}
