#include "problem/systems/measure.h"

#include <float.h>
#include <math.h>

/* Of two numbers >= 0; nothing is no part of nothing. */
static double share(double part, double of) { return part == 0 ? 0 : part / of; }

/* A number m 2^e, for products and sums of numbers >= 0 that may be beyond the range. */
struct scaled { double m; int e; };

/* A largest row sum that is infinite is three times the largest number at most. */
static struct scaled scaled_of(double v)
{
    struct scaled s;
    s.m = frexp(fmin(v, DBL_MAX), &s.e);
    return s;
}

static struct scaled scaled_product(struct scaled a, struct scaled b) { return (struct scaled){a.m * b.m, a.e + b.e}; }

static struct scaled scaled_sum(struct scaled a, struct scaled b)
{
    const int e = a.m == 0 ? b.e : b.m == 0 ? a.e : a.e > b.e ? a.e : b.e;
    return (struct scaled){ldexp(a.m, a.e - e) + ldexp(b.m, b.e - e), e};
}

static double scaled_share(struct scaled part, struct scaled of)
{
    return part.m == 0 ? 0 : ldexp(part.m / of.m, part.e - of.e);
}

static struct scaled scaled_root(const struct square_sum *s)
{
    const struct square_sum_root r = square_sum_scaled_root(s);
    return (struct scaled){r.m, r.e};
}

/* Rounding errors of numbers so small are below the range of numbers themselves: r is not known. */
static const double LEAST = 0x1p-1000;

double system_least_condition(const struct system_sums *s)
{
    return scaled_share(scaled_product(scaled_of(s->row_sum_max), scaled_of(s->x_max)), scaled_of(s->rhs_max));
}

static double backward_error(const struct system_sums *s)
{
    const struct scaled ax = scaled_product(scaled_of(s->row_sum_max), scaled_of(s->x_max));
    return scaled_share(scaled_of(s->residual_max), scaled_sum(ax, scaled_of(s->rhs_max)));
}

struct system_norms system_norms_from_sums(const struct system_sums *s, int64_t n, bool exact)
{
    struct system_norms norms = {NAN, NAN, NAN, NAN, NAN, NAN};
    if (s->bad != SYSTEM_NO_ROW) return norms;
    if (s->rhs_max >= LEAST || s->rhs_max == 0) {
        norms.residual = scaled_share(scaled_root(&s->residual), scaled_root(&s->rhs));
        norms.backward_error = backward_error(s);
    }
    const struct scaled difference = scaled_root(&s->difference);
    if (!exact || isnan(difference.m)) return norms;
    norms.forward_error = share(s->difference_max, s->exact_max);
    norms.max = s->difference_max;
    if (s->exact_max < LEAST && s->exact_max > 0) return norms;
    norms.l2 = ldexp(difference.m / sqrt((double)n), difference.e);
    norms.rel = scaled_share(difference, scaled_root(&s->exact));
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

void system_sums_pack(const struct system_sums *sums, double number[SYSTEM_SUMS_NUMBERS])
{
    struct system_sums s = *sums;
    system_sums_settle(&s);
    number = pack_square_sum(&s.residual, number);
    number = pack_square_sum(&s.rhs, number);
    number = pack_square_sum(&s.difference, number);
    number = pack_square_sum(&s.exact, number);
    const double rest[] = {s.residual_max, s.rhs_max, s.x_max, s.row_sum_max, s.difference_max, s.exact_max,
                           s.bad == SYSTEM_NO_ROW ? -1 : (double)s.bad};
    for (int k = 0; k < 7; k++) number[k] = rest[k];
}

void system_sums_unpack(const double number[SYSTEM_SUMS_NUMBERS], struct system_sums *sums)
{
    number = unpack_square_sum(number, &sums->residual);
    number = unpack_square_sum(number, &sums->rhs);
    number = unpack_square_sum(number, &sums->difference);
    number = unpack_square_sum(number, &sums->exact);
    double *const rest[] = {&sums->residual_max, &sums->rhs_max, &sums->x_max, &sums->row_sum_max,
                            &sums->difference_max, &sums->exact_max};
    for (int k = 0; k < 6; k++) *rest[k] = *number++;
    sums->bad = *number < 0 ? SYSTEM_NO_ROW : (long long)*number;
}
