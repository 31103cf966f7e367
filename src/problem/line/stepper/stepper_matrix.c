/* What the matrices of a run bear: whether they are positive definite, what rounding does to their solves, and the
 * longest step of a run with steps of its own. */
#include <math.h>

#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/own_steps_drive.h"
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

static bool positive_definite(const struct sw_line_operator *a)
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

static const char *coarse_fault(const struct sw_stepper *s, const struct sw_line_operator *a)
{
    const bool single = s->desc.single_steps;
    if (!(sw_stepper_rounding(s->name, a, single) > SW_LINE_MAX_ROUNDING)) return NULL;
    if (single) return "single precision is too coarse for the implicit part: run.precision = \"double\" is needed";
    if (s->ops->takes_band)
        return "a band solver is too coarse for the implicit part: a row without one, or a smaller dt, is needed";
    return "double precision is too coarse for the implicit part: a smaller dt or fewer points are needed";
}

static const char *fault_of_operator(const struct sw_stepper *s, int v, const struct sw_line_operator *of_run)
{
    const struct sw_line_operator matrix = sw_line_matrix_of(of_run, &s->desc.model.mass[v]), *a = &matrix;
    if (!(isfinite(a->s4) && isfinite(a->s2) && isfinite(a->s0) && isfinite(a->s1) && isfinite(a->s3)))
        return "a coefficient of the equation is not finite";
    if (s->desc.own_steps) return NULL;  /* dt is small enough: sw_stepper_limits() */
    if (!positive_definite(a)) return "the implicit part is not positive definite: the equation is ill-posed";
    return coarse_fault(s, a);
}

const char *sw_stepper_fault(const struct sw_stepper *s, const struct sw_line_run *r)
{
    if (!(isfinite(r->dt) && isfinite(r->x0))) return "dt or x0 is not finite";
    if (!(isfinite(r->dx) && r->dx > 0.0)) return "the grid spacing is not a positive number";
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const char *why = fault_of_operator(s, v, &r->a[v]);
        if (why) return why;
    }
    if (!s->desc.own_steps) return NULL;
    if (!(isfinite(r->tolerance) && r->tolerance > 0.0)) return "the tolerance is not a positive number";
    if (!(isfinite(r->absolute) && r->absolute >= 0.0)) return "the absolute tolerance is not a number of 0 or more";
    return isfinite(r->first_dt) && r->first_dt >= 0.0 ? NULL : "the first dt is not a positive number";
}

struct sw_line_operator sw_line_operator_of(const struct sw_line_operator *a, double dt)
{
    return (struct sw_line_operator){.s4 = dt * a->s4, .s2 = dt * a->s2, .s0 = dt * a->s0, .s1 = dt * a->s1,
                                     .s3 = dt * a->s3};
}

/* Half of what would take a matrix its definiteness, so that no pivot comes near zero; and rounding of a solve that
 * takes no more than a tenth of the tolerance, or than 1e-13. */
static bool is_short(const struct sw_stepper *s, const struct sw_line_run *r, double dt)
{
    const double most = fmin(fmax(0.1 * r->tolerance, 1e-13), SW_LINE_MAX_ROUNDING);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        const struct sw_line_mass *mass = &s->desc.model.mass[v];
        struct sw_line_operator a = sw_line_operator_of(&r->a[v], dt), twice = sw_line_operator_of(&r->a[v], 2.0 * dt);
        a = sw_line_matrix_of(&a, mass);
        twice = sw_line_matrix_of(&twice, mass);
        if (!positive_definite(&twice) || !(sw_stepper_rounding(s->name, &a, false) <= most)) return false;
    }
    return true;
}

static double longest(const struct sw_stepper *s, const struct sw_line_run *r)
{
    double dt = s->desc.times[s->desc.goals];
    if (r->longest_dt > 0 && r->longest_dt < dt) dt = r->longest_dt;
    while (dt > 1e-300 && !is_short(s, r, dt)) dt *= 0.5;
    return dt;
}

struct sw_own_limits sw_stepper_limits(const struct sw_stepper *s, const struct sw_line_run *r)
{
    return (struct sw_own_limits){
        .tolerance = r->tolerance, .absolute = r->absolute,
        .most = longest(s, r), .careful = sw_own_drive_careful(&s->desc), .quiet = sw_own_drive_quiet(&s->desc),
        .share = sw_own_drive_windows(&s->desc) / (double)s->desc.goals, .k = sw_imex_of(s->desc.model.scheme)->order};
}
