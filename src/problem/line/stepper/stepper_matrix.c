/* The matrices of a run: whether they are positive definite, and what rounding does to their solves. */
#include <math.h>

#include "problem/line/stepper/recursive.h"
#include "problem/line/stepper/sw_stepper_impl.h"

/* The real part of the symbol of A is 1 + s0 + s2 s + s4 s² over s in [0, 4] (docs/explanation/line_equations.md): A is
 * positive definite, if not symmetric, where its least value is > 0. */
static void symbol_range(const struct sw_line_operator *a, double *least, double *largest)
{
    const double s4 = a->s4, s2 = a->s2, one = 1.0 + a->s0, at_end = one + 4.0 * s2 + 16.0 * s4;
    const double extreme = s4 != 0.0 ? -s2 / (2.0 * s4) : 0.0;
    *least = fmin(one, at_end);
    *largest = fmax(one, at_end);
    if (extreme > 0.0 && extreme < 4.0) {
        *least = fmin(*least, one - s2 * s2 / (4.0 * s4));
        *largest = fmax(*largest, one - s2 * s2 / (4.0 * s4));
    }
}

bool sw_line_positive_definite(const struct sw_line_operator *a)
{
    double least, largest;
    symbol_range(a, &least, &largest);
    return least > 0.0;
}

double sw_line_condition(const struct sw_line_operator *a)
{
    double least, largest;
    symbol_range(a, &least, &largest);
    return hypot(largest, fabs(a->s1) + 2.6 * fabs(a->s3)) / least;
}

double sw_line_rounding(const struct sw_line_operator *a, bool single_steps)
{
    const double u = single_steps ? 0x1p-24 : 0x1p-53, at_zero = 1.0 + a->s0;
    struct sw_recursive up, down;
    if (a->s1 == 0.0 && a->s3 == 0.0)
        return 10.0 * u * (1.0 + sqrt(fabs(a->s2 / at_zero)) + sqrt(fabs(a->s4 / at_zero)));
    if (!sw_recursive_factors(a, false, &up, &down)) return INFINITY;
    return 10.0 * u * fmax(sw_recursive_growth(&up), sw_recursive_growth(&down));
}

/* Elimination in a symmetric positive definite A is backward stable without pivoting: the error is u times the
 * condition of A, and some u of the right-hand side. With T the symmetric and S the other part of A, the products of
 * the factors are as large as T + S' T⁻¹ S (G. H. Golub, C. Van Loan, Linear Algebra Appl. 28 (1979) 85); the symbol
 * of S is s1 sin - s3 sin (2 - 2 cos). What closes the circle, E⁻¹k (linalg/papers/border_point.h), is as large as
 * 1 + S T⁻¹. */
double sw_line_band_rounding(const struct sw_line_operator *a)
{
    const double other = fabs(a->s1) + 2.6 * fabs(a->s3);
    double least, largest;
    symbol_range(a, &least, &largest);
    return 0x1p-53 * (9.0 + (largest + other * other / least) / least * (1.0 + other / least));
}

struct sw_line_operator sw_line_operator_of(const struct sw_line_operator *a, double dt)
{
    return (struct sw_line_operator){.s4 = dt * a->s4, .s2 = dt * a->s2, .s0 = dt * a->s0, .s1 = dt * a->s1,
                                     .s3 = dt * a->s3};
}
