#ifndef SCALARS_POINT_H
#define SCALARS_POINT_H
/* The scalars of a line: the one table of them (docs/explanation/results.md), and the formulas they are made of. A row
 * is all that a scalar needs; the CPU (batch_cpu.c), CUDA kernels (cuda/line/line_measure.cu, line_rtc.cuh,
 * line_scalars_rtc.cuh), the sizes of what is fetched and the datasets in the file follow from it. They lie in the
 * order of the rows. Every sum over a line in memory is taken in the order of field/sum_point.h.
 *
 *     KIND(identifier, dataset, unit, long name, term, value)
 *
 * The kind says how `total` is formed from `term`, an expression at a point; `value` is what is reported:
 *
 *     SUM       the sum of term over the points, in u
 *     MIN, MAX  its least and greatest value, in u
 *     DENSITY   the sum of term over the points, in `density`, that of the energy; the row is optional: NaN for an
 *               equation without an energy
 *     SPECTRUM  no total: value is formed of power = sum |û_j|² and moment = sum j |û_j|² over j = 1 .. n/2, û the
 *               discrete Fourier transform of the line, and of what the rest of sw_measure_domain_length() is
 *
 * value may also use n and dx. Of lines that end, the first and the last point count half in sums, and the spectrum and
 * its n are those of the circle that the line is with its mirror image. A use of the table gives a macro for each kind,
 * which all get the fields of a row; SW_LINE_NO_ROW leaves a kind out. */
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

#define SW_LINE_SCALAR_TABLE(SUM, MIN, MAX, DENSITY, SPECTRUM)                                            \
    SUM(SW_MASS, "mass", "1", "integral of u", u, dx * total)                                             \
    DENSITY(SW_ENERGY, "energy", "1", "free energy", density, dx * total)                                 \
    MIN(SW_MIN, "u_min", "1", "least u", u, total)                                                        \
    MAX(SW_MAX, "u_max", "1", "greatest u", u, total)                                                     \
    SPECTRUM(SW_DOMAIN_LENGTH, "domain_length", "1", "2 pi over the first moment of the power spectrum",, \
             sw_measure_domain_length(n * dx, power, moment, least, greatest, noise))

#define SW_LINE_NO_ROW(...)

#define SW_LINE_ID(id, ...) id,
enum sw_line_scalar {
    SW_LINE_SCALAR_TABLE(SW_LINE_ID, SW_LINE_ID, SW_LINE_ID, SW_LINE_ID, SW_LINE_ID)
    SW_LINE_SCALARS
};
#undef SW_LINE_ID
#endif
