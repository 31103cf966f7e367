#ifndef MEASURE_POINT_H
#define MEASURE_POINT_H
/* The formulas of what is measured on a line (docs/explanation/results.md); scalars_point.h says which there
 * are. Every sum over a line in memory is taken in the order of field/sum_point.h. */
#ifndef __CUDACC_RTC__
#include <math.h>
#endif
#include "base/sw_hd.h"

/** u_x at a point, by the central difference. @param half  1/(2 dx) */
SW_HD static inline double sw_first_derivative_at(double left, double right, double half)
{
    return (right - left) * half;
}

/** u_x at an end, of second order from the points next to it: along +x at the left one, along -x at the right one. */
SW_HD static inline double sw_first_derivative_at_end(double here, double next, double after, double half)
{
    return (4.0 * next - (3.0 * here + after)) * half;
}

/** u_xx at a point, by the second difference. @param scale  1/dx² */
SW_HD static inline double sw_second_derivative_at(double left, double here, double right, double scale)
{
    return ((left + right) - 2.0 * here) * scale;
}

/** u_xx at an end, of second order likewise. */
SW_HD static inline double sw_second_derivative_at_end(double here, double next, double after, double last,
                                                       double scale)
{
    return ((2.0 * here + 4.0 * after) - (5.0 * next + last)) * scale;
}

/** How many times the rounding of one step a constant field varies by after some steps. Crank-Nicolson hardly damps
 * what rounding puts into stiff modes, and long waves are damped slowly anyway: the steps add up like a random walk.
 * (Measured over 1 to 10^4 steps, s4 and s2 up to 10^8, heat and hyperdiffusion: at most 2 sqrt(steps) with the
 * recursive form, 7.5 sqrt(steps) with a band solver.) */
SW_HD static inline double sw_measure_noise_growth(double steps) { return 8.0 * sqrt(1.0 + steps); }

/** 2 pi sum |û_k|² / sum k |û_k|² over k = 2 pi j/L, j = 1 .. n/2; power = sum |û_j|², moment = sum j |û_j|².
 *  NaN where the field is constant but for rounding: where it varies by no more than noise times its largest size.
 *  @param noise  sw_stepper_rounding() of the run times sw_measure_noise_growth() */
SW_HD static inline double sw_measure_domain_length(double length, double power, double moment, double least,
                                                    double greatest, double noise)
{
    const double size = fmax(fabs(least), fabs(greatest));
    return greatest - least > noise * size ? length * power / moment : nan("");
}
#endif
