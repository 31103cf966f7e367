#ifndef MEASURE_H
#define MEASURE_H
/* The scalars of a line (scalars_point.h) on the CPU: formulas of measure_point.h, spectrum by dft.h. */
#include "problem/line/stepper/sw_stepper.h"

struct sw_measure;  /* workspace for lines of n points, one a thread */

/** @param ends  lines end at their first and last point: these count half in sums, and the spectrum is that of the
 *               line and its mirror image, a circle of 2 (n - 1) points; n >= 4 then */
enum sw_status sw_measure_create(int n, bool ends, struct sw_measure **measure);
void sw_measure_destroy(struct sw_measure **measure);
size_t sw_measure_bytes(int n, bool ends);

/** u_x by central differences, at ends by one-sided ones, for the energy's density.
 *  @return [n], valid until the next call */
const double *sw_measure_first_derivative(struct sw_measure *m, const double *u, double dx);

/** u_xx by second differences, likewise. */
const double *sw_measure_second_derivative(struct sw_measure *m, const double *u, double dx);

/** All scalars of a line.
 *  @param line       [n], finite
 *  @param noise      sw_stepper_rounding() times sw_measure_noise_growth(): by this a constant field may vary
 *  @param densities  [n] of the energy; NULL: it is reported as NaN */
void sw_measure_line(struct sw_measure *m, const double *line, double dx, double noise, const double *densities,
                     double out[SW_LINE_SCALARS]);
#endif
