/* What bounds the time step of `advection` (docs/numerics.md, 10): its problem, linearised with the largest speeds.
 *
 * A wave along the axes has, by the schemes, the derivatives i k'/dx and -k''/dx², |k'| <= K1 and 0 <= k'' <= K2; so
 * what a Runge-Kutta step multiplies it by is R(dt lambda) with
 *
 *     |Im lambda| <= K1 sum |c_d|/dx_d =: a,     0 <= -Re lambda <= nu K2 sum 1/dx_d² =: b
 *
 * and |R| <= 1 in the triangle between -real and +-i imaginary, the ends of its region on the axes: dt (a/imaginary +
 * b/real) <= 1 (tests/test_advection.c looks at all of the triangle). */
#include "problem/advection/advection_limit.h"

#include <math.h>

#include "problem/advection/advection.h"
#include "problem/advection/advection_speed.h"

/* The symbol of a row of the scheme, at the wave number w of points 1 apart. */
static double modified(const struct sw_fd_scheme *s, double w)
{
    const double alpha = (double)s->alpha.num / (s->alpha.den ? s->alpha.den : 1),
                 beta = (double)s->beta.num / (s->beta.den ? s->beta.den : 1);
    double sum = 0;
    for (int k = 1; k <= s->half_width; k++) {
        const double a = (double)s->a[k].num / (s->a[k].den ? s->a[k].den : 1) / sw_fd_divisor(s->kind, k);
        sum += s->kind == SW_FD_FIRST ? 2 * a * sin(k * w) : 2 * a * (1 - cos(k * w));
    }
    return sum / (1 + 2 * alpha * cos(w) + 2 * beta * cos(2 * w));
}

/* To 1e-6, as it is flat at its top. */
static double search(const struct sw_fd_scheme *scheme)
{
    enum { WAVES = 2000 };
    const double pi = 3.14159265358979323846;
    double largest = 0;
    for (int k = 0; k <= WAVES; k++) largest = fmax(largest, fabs(modified(scheme, pi * k / WAVES)));
    return largest;
}

/* Found once: every run of a sweep asks. Threads that find it at the same time find the same. */
double advection_largest(const struct sw_fd_scheme *scheme)
{
    enum { ROOM = 64 };
    static double known[ROOM];
    double largest = 0;
    int row = 0;
    while (sw_fd_schemes[row] != scheme) row++;
    if (row >= ROOM) return search(scheme);
    __atomic_load(&known[row], &largest, __ATOMIC_RELAXED);
    if (largest > 0) return largest;
    largest = search(scheme);
    __atomic_store(&known[row], &largest, __ATOMIC_RELAXED);
    return largest;
}

/* ------------------------------------------------------------------ the limit */

/* b/real, of nu sum 1/dx_d². */
static double diffusion(const struct advection_method *m, double b)
{
    return b > 0 ? b * advection_largest(sw_fd_scheme_find(m->second)) / m->rk->real : 0;
}

enum sw_status advection_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct advection_limit *limit)
{
    const struct advection_method m = advection_method_of(setup);
    const double nu = advection_number(setup, "physics.nu", ld, column, j);
    struct sw_setup one;
    double rate = 0, b = 0;
    *limit = (struct advection_limit){0};
    if (!advection_setup_of(setup, ld, column, j, &one)) return SW_OK;
    const struct sw_grid g = sw_setup_grid(&one, ld, column, j);
    SW_TRY(advection_speed(&one, ld, column, j, &rate));
    for (int d = 0; d < one.dim && nu > 0; d++) b += nu / (g.dx[d] * g.dx[d]);
    limit->courant = rate;
    limit->stiffness = rate * advection_scale(&m) + diffusion(&m, b);
    return SW_OK;
}

double advection_scale(const struct advection_method *m)
{
    return advection_largest(sw_fd_scheme_find(m->first)) / m->rk->imaginary;
}

/* A part in 1e9 is rounding's: a step may be chosen to be at the bound. */
double advection_bound(const struct advection_method *m, int dim, const struct advection_run *r)
{
    double b = 0;
    for (int d = 0; d < dim && r->nu > 0; d++) b += r->nu * r->per2[d];
    return (1 + 1e-9 - r->dt * diffusion(m, b)) / advection_scale(m);
}

/* The largest step with a Courant number of time.cfl that keeps 0.9 of the estimate above, then the next smaller one
 * that goes into time.end; 0, which is refused, for a Courant number of 0. Where nothing limits it, it is all of
 * time.end. */
enum sw_status advection_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *step)
{
    const double cfl = advection_number(setup, "time.cfl", ld, column, j),
                 end = advection_number(setup, "time.end", ld, column, j);
    struct advection_limit limit;
    *step = 0;
    if (!(cfl > 0)) return SW_OK;
    SW_TRY(advection_limit_of(setup, ld, column, j, &limit));
    const double least = fmax(end * limit.courant / cfl, end * limit.stiffness / 0.9);  /* steps */
    *step = end / fmax(1, ceil(least * (1 - 1e-12)));
    return SW_OK;
}
