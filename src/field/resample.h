#ifndef SW_RESAMPLE_H
#define SW_RESAMPLE_H
/* A periodic line at another number of points. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"

struct sw_resampler;

/** @param n, m  points of the line, and those wanted, 1 to 10^9
 *  @param resampler  out: NULL on failure; has room, so it is for one thread at a time
 *  @return SW_E_ARG more points; SW_E_MEMORY */
enum sw_status sw_resampler_create(int64_t n, int64_t m, struct sw_resampler **resampler);
void sw_resampler_destroy(struct sw_resampler **resampler);

/** Whether it is one from n points to m. @param resampler  may be NULL, which is none */
bool sw_resampler_fits(const struct sw_resampler *resampler, int64_t n, int64_t m);

/** The trigonometric polynomial through n points of a period, at m points, the first of which is the first of the n:
 *     u(x) = sum of c_k exp(2 pi i k x/L), |k| <= n/2, of which those with |k| <= m/2 are kept.
 * The mean is kept, to rounding. A function is met to rounding once its shortest wave has more than two points on both
 * grids; of another one the waves that the coarser grid does not have are left out.
 * @param u  [n]  @param v  out [m]; NaN in all of it if u is not finite somewhere */
void sw_resample(struct sw_resampler *resampler, const double *u, double *v);
#endif
