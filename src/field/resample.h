#ifndef SW_RESAMPLE_H
#define SW_RESAMPLE_H
/* A periodic line at another number of points. */
#include <stdint.h>

#include "base/sw_err.h"

/** The trigonometric polynomial through n points of a period, at m points, the first of which is the first of the n:
 *     u(x) = sum of c_k exp(2 pi i k x/L), |k| <= n/2, of which those with |k| <= m/2 are kept.
 * The mean is kept, to rounding. A function is met to rounding once its shortest wave has more than two points on both
 * grids; of another one the waves that the coarser grid does not have are left out.
 * @param u  [n]  @param v  out [m]  @return SW_E_MEMORY */
enum sw_status sw_resample(int64_t n, const double *u, int64_t m, double *v);
#endif
