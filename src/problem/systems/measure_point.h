#ifndef MEASURE_POINT_H
#define MEASURE_POINT_H
/* What is measured of a solution x of a tridiagonal system at a row, and how it adds up. Everything here is the same
 * whatever the order of the rows: maxima, and sums of squares by square_sum_point.h. */
#ifndef __CUDACC_RTC__
#include "field/double_double_point.h"
#include "field/square_sum_point.h"
#endif

struct system_sums {
    struct square_sum residual, rhs;      /* of r = A x - f, of f                                   */
    struct square_sum difference, exact;  /* of x - exact, of exact                                 */
    double residual_max, rhs_max, x_max;  /* max |r|, max |f|, max |x|                              */
    double row_sum_max;                   /* the norm |A| that goes with them: max of |a| + |b| + |c| */
    double difference_max, exact_max;
    long long bad;                        /* the first row where r is not finite: the norms are NaN */
};
#define SYSTEM_NO_ROW 0x7fffffffffffffffLL

SW_HD static inline struct system_sums system_sums_zero(void)
{
    const struct square_sum none = square_sum_zero();
    const struct system_sums s = {none, none, none, none, 0, 0, 0, 0, 0, 0, SYSTEM_NO_ROW};
    return s;
}

SW_HD static inline double system_larger(double a, double b) { return b > a ? b : a; }

/** a x[i-1] + b x[i] + c x[i+1] - f in double-double, rounded once. */
SW_HD static inline double tridiagonal_residual(double a, double b, double c, double f, double x0, double x1, double x2)
{
    struct sw_dd s = {-f, 0};
    s = sw_dd_add_product(s, a, x0);
    s = sw_dd_add_product(s, b, x1);
    s = sw_dd_add_product(s, c, x2);
    return sw_dd_value(s);
}

/** Take in a row. a or c is 0 where there is no neighbour. */
SW_HD static inline void system_sums_row(struct system_sums *s, long long row, double a, double b, double c,
                                         double f, double x0, double x1, double x2)
{
    const double r = tridiagonal_residual(a, b, c, f, x0, x1, x2);
    square_sum_add(&s->residual, r);
    square_sum_add(&s->rhs, f);
    s->residual_max = system_larger(s->residual_max, fabs(r));
    s->rhs_max = system_larger(s->rhs_max, fabs(f));
    s->x_max = system_larger(s->x_max, fabs(x1));
    s->row_sum_max = system_larger(s->row_sum_max, fabs(a) + fabs(b) + fabs(c));
    if (!(fabs(r) <= 0x1.fffffffffffffp1023) && row < s->bad) s->bad = row;
}

SW_HD static inline void system_sums_exact(struct system_sums *s, double x, double exact)
{
    const double d = x - exact;
    square_sum_add(&s->difference, d);
    square_sum_add(&s->exact, exact);
    s->difference_max = system_larger(s->difference_max, fabs(d));
    s->exact_max = system_larger(s->exact_max, fabs(exact));
}

SW_HD static inline void system_sums_settle(struct system_sums *s)
{
    square_sum_settle(&s->residual);
    square_sum_settle(&s->rhs);
    square_sum_settle(&s->difference);
    square_sum_settle(&s->exact);
}

/** sum := sum and more, both settled. */
SW_HD static inline void system_sums_merge(struct system_sums *sum, const struct system_sums *more)
{
    square_sum_merge(&sum->residual, &more->residual);
    square_sum_merge(&sum->rhs, &more->rhs);
    square_sum_merge(&sum->difference, &more->difference);
    square_sum_merge(&sum->exact, &more->exact);
    sum->residual_max = system_larger(sum->residual_max, more->residual_max);
    sum->rhs_max = system_larger(sum->rhs_max, more->rhs_max);
    sum->x_max = system_larger(sum->x_max, more->x_max);
    sum->row_sum_max = system_larger(sum->row_sum_max, more->row_sum_max);
    sum->difference_max = system_larger(sum->difference_max, more->difference_max);
    sum->exact_max = system_larger(sum->exact_max, more->exact_max);
    if (more->bad < sum->bad) sum->bad = more->bad;
}
#endif
