#include "stepper/measure_cuda.h"

#include "base/sw_mem.h"
#include "stepper/measure.h"
#include "stepper/spectrum_point.h"

/* Runs measured at once. Each needs 4 n numbers, in all 256 MiB where lines are long; 1024 blocks fill any device. */
static int measured_at_once(int n)
{
    size_t blocks = ((size_t)1 << 25) / (4 * (size_t)n);
    return blocks < 1 ? 1 : blocks > 1024 ? 1024 : (int)blocks;
}

size_t sw_spectrum_bytes(int n) { return ((size_t)measured_at_once(n) * 4 + 2) * (size_t)n * sizeof(double); }

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
    SW_TRY(sw_device_alloc(device, (size_t)p->blocks * 4 * (size_t)n, &p->scratch));
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
