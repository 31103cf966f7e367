#ifndef SCALARS_POINT_H
#define SCALARS_POINT_H
/* The scalars of a line: the one table of them (docs/explanation/results.md). A row is all that a scalar
 * needs; the CPU (measure.c), CUDA kernels (cuda/line/line_measure.cu, line_rtc.cuh, line_scalars_rtc.cuh), the sizes
 * of what is fetched and the datasets in the file follow from it. They lie in the order of the rows.
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
