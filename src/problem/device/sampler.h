#ifndef SAMPLER_H
#define SAMPLER_H
/* An expression at the points of a grid, evaluated where its values are wanted: in the memory of a device, by kernels
 * that are compiled at run time. The bits are those of sw_sample() (field/evaluate.h), but for the last ones of exp,
 * sin and their like. */
#include "device/sw_device.h"
#include "field/norms.h"

struct sw_device_sampler;

/** @param program   borrowed: of x, y, z and the columns
 *  @param ncolumn   columns of a run
 *  @return SW_E_ABSENT no compiler for kernels; SW_E_CUDA; SW_E_MEMORY; nothing is left behind */
enum sw_status sw_device_sampler_create(const struct sw_program *program, int ncolumn, struct sw_device *device,
                                        struct sw_device_sampler **sampler);
void sw_device_sampler_destroy(struct sw_device_sampler **sampler);


/* What was found on the way. */
struct sw_sample_found {
    int64_t bad;   /* the first point, in the order of fields, whose value is not finite; -1: there is none */
    double  most;  /* max |out|; NaN counts for nothing                                                     */
};

/** Evaluate, and wait. The sampling's program and threads do not count.
 * @param single  out holds float
 * @param area    [ny][nx] on the host; NULL: values are not weighted
 * @param volume  [nz]: a value is multiplied by area times volume
 * @param out     in the memory of the device; point (i, j, k) at i + j line[0] + k line[1]
 * @return SW_E_CUDA, SW_E_MEMORY */
enum sw_status sw_device_sample(struct sw_device_sampler *sampler, const struct sw_sampling *at, bool single,
                                const double *area, const double *volume, void *out, struct sw_sample_found *found);

/** As sw_compare() on the host, of a field in the memory of the device; sums have another order, which is that of the
 * field alone. Waits.
 * @param exact   lines as fields lie
 * @param u       [points]: in; with `keep` out: u - exact
 * @return SW_E_CUDA, SW_E_MEMORY */
enum sw_status sw_device_compare(struct sw_device_sampler *sampler, const struct sw_sampling *exact,
                                 const struct sw_interior *interior, bool single, void *u, bool keep,
                                 struct sw_difference *difference);
#endif
