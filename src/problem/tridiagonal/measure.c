#include "problem/tridiagonal/measure.h"

#include <math.h>

/* Of two numbers >= 0; nothing is no part of nothing. */
static double share(double part, double of) { return part == 0 ? 0 : part / of; }

/* r / (A x + f) where A x is beyond the range of numbers, too. */
static double backward_error(double r, double a, double x, double f)
{
    return isinf(a * x) && !isinf(a) ? r / a / (x + f / a) : share(r, a * x + f);
}

struct tridiagonal_norms tridiagonal_norms_from_sums(const struct tridiagonal_sums *s, int64_t n, bool exact)
{
    struct tridiagonal_norms norms = {NAN, NAN, NAN, NAN, NAN, NAN};
    const double difference = square_sum_root(&s->difference);
    if (s->bad != TRIDIAGONAL_NONE) return norms;
    norms.residual = share(square_sum_root(&s->residual), square_sum_root(&s->rhs));
    norms.backward_error = backward_error(s->residual_max, s->row_sum_max, s->x_max, s->rhs_max);
    if (!exact || isnan(difference)) return norms;
    norms.forward_error = share(s->difference_max, s->exact_max);
    norms.l2 = difference / sqrt((double)n);
    norms.max = s->difference_max;
    norms.rel = share(difference, square_sum_root(&s->exact));
    return norms;
}

/* ------------------------------------------------------------------ as numbers */

static double *pack_square_sum(const struct square_sum *s, double *number)
{
    for (int k = 0; k < 3; k++) {
        *number++ = (double)s->low[k];
        *number++ = (double)s->high[k];
    }
    *number++ = s->top;
    return number;
}

static const double *unpack_square_sum(const double *number, struct square_sum *s)
{
    for (int k = 0; k < 3; k++) {
        s->low[k] = (long long)*number++;
        s->high[k] = (long long)*number++;
    }
    s->top = (int)*number++;
    return number;
}

void tridiagonal_sums_pack(const struct tridiagonal_sums *sums, double number[TRIDIAGONAL_SUMS_NUMBERS])
{
    struct tridiagonal_sums s = *sums;
    tridiagonal_sums_settle(&s);
    number = pack_square_sum(&s.residual, number);
    number = pack_square_sum(&s.rhs, number);
    number = pack_square_sum(&s.difference, number);
    number = pack_square_sum(&s.exact, number);
    const double rest[] = {s.residual_max, s.rhs_max, s.x_max, s.row_sum_max, s.difference_max, s.exact_max,
                           s.bad == TRIDIAGONAL_NONE ? -1 : (double)s.bad};
    for (int k = 0; k < 7; k++) number[k] = rest[k];
}

void tridiagonal_sums_unpack(const double number[TRIDIAGONAL_SUMS_NUMBERS], struct tridiagonal_sums *sums)
{
    number = unpack_square_sum(number, &sums->residual);
    number = unpack_square_sum(number, &sums->rhs);
    number = unpack_square_sum(number, &sums->difference);
    number = unpack_square_sum(number, &sums->exact);
    double *const rest[] = {&sums->residual_max, &sums->rhs_max, &sums->x_max, &sums->row_sum_max,
                            &sums->difference_max, &sums->exact_max};
    for (int k = 0; k < 6; k++) *rest[k] = *number++;
    sums->bad = *number < 0 ? TRIDIAGONAL_NONE : (long long)*number;
}
