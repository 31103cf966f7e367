#ifndef TRIDIAGONAL_POINT_H
#define TRIDIAGONAL_POINT_H
/* One symmetric tridiagonal system whose row sums are stored apart, for one core or one thread of a GPU
 * (docs/numerics.md, 7):
 *
 *     c_{k-1} (u_k - u_{k-1}) + c_k (u_k - u_{k+1}) + e_k u_k = b_k,   k = 0 .. n-1,   c_k > 0,   c_{-1} = c_{n-1} = 0
 *
 * The diagonal c_{k-1} + c_k + e_k is never formed: where e is h² q, that would lose digits like n². A pivot is
 * c_k + s_k, with s_k its excess,
 *
 *     s_0 = e_0,   s_{k+1} = e_{k+1} + c_k s_k / (c_k + s_k)
 *
 * which is a sum of positive numbers where no e is negative: no digit is lost then, whatever c, e and n. Where e has
 * any sign, c_k + s_k may be small, and rows k and k+1 are then eliminated together: a pivot of two rows, taken where
 * Bunch's condition asks for it (Bunch and Marcia, Numer. Linear Algebra Appl. 12, 2005: backward stable for symmetric
 * tridiagonal matrices of any sign).
 *
 * The solution is corrected by the solution for its residual until that changes nothing. The residual is that of the
 * system above in twice the working precision, so that the error of u falls to rounding, relative to its largest value,
 * however many digits an elimination loses, as long as one is left. Where none is left, the corrections show it.
 *
 * The vectors of a system lie in memory with one stride: entry k of v is v[k*stride]. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_hd.h"
#include "field/double_double_point.h"

struct sw_tri {
    int           n;
    size_t        stride;
    const double *c, *e, *b;            /* [n]; c of the last row is not read                                        */
    double        e_size[2], b_size[2]; /* of the first and the last row: |terms| that e and b were added up from    */
    double       *l, *inverse;          /* [n] the factors, out of sw_tri_factor()                                   */
    void        (*solve)(const struct sw_tri *t, double *x);  /* A x = x in place: sw_tri_solve(), or another's      */
    const void   *own;                  /* of another's solve                                                        */
    int           system;               /* likewise                                                                  */
};

enum sw_tri_fault {
    SW_TRI_FINE,
    SW_TRI_PIVOT,      /* a pivot is zero or not finite                                                              */
    SW_TRI_OVERFLOW,   /* u is not finite                                                                            */
    SW_TRI_STUCK,      /* corrections do not shrink: no digit of u is right                                          */
    SW_TRI_SENSITIVE   /* one rounding of each e and b moves u by more than SW_TRI_MOVES of its largest value         */
};
#define SW_TRI_MOVES 1e-3

struct sw_tri_outcome { int fault, row; double moved; };  /* row: of the pivot; moved: by how much of max |u|        */

/* ------------------------------------------------------------------ factors */

SW_HD static inline double sw_tri_c(const struct sw_tri *t, int k)
{
    return k < t->n - 1 ? t->c[(size_t)k * t->stride] : 0.0;
}

/* Whether row k is to be eliminated together with the next: |d| max |A| < phi c² of the two rows, phi = (√5 - 1)/2. */
SW_HD static inline bool sw_tri_pairs(double d, double c, double next, double coupling)
{
    double largest = fmax(fmax(c, coupling), fabs(next));
    return fabs(d) < 0.6180339887498949 * c * (c / largest);
}

/** Pivots of one row are stored as l = c/d and inverse = 1/d. Those of rows k and k+1 as the inverse of the two rows,
 * (inverse_k, l_k; l_k, inverse_{k+1}), with l_{k+1} = INFINITY, which no other l is.
 * @return 0, or 1 + the row whose pivot is zero or not finite */
SW_HD static inline int sw_tri_factor(const struct sw_tri *t)
{
    const size_t w = t->stride;
    double s = t->e[0];
    for (int k = 0; k < t->n; k++) {
        const double c = sw_tri_c(t, k), d = c + s, e1 = k < t->n - 1 ? t->e[(size_t)(k + 1) * w] : 0.0,
                     c1 = sw_tri_c(t, k + 1);
        const size_t at = (size_t)k * w;
        if (k < t->n - 1 && sw_tri_pairs(d, c, c + e1 + c1, c1)) {
            const double r = d / c, det = s + r * (e1 + c1);  /* the determinant of the two rows, over c */
            t->inverse[at] = (c + e1 + c1) / c / det;
            t->l[at] = 1.0 / det;
            t->inverse[at + w] = r / det;
            t->l[at + w] = (double)INFINITY;
            if (!isfinite(t->inverse[at]) || !isfinite(t->l[at]) || !isfinite(t->inverse[at + w])) return 1 + k;
            s = (k + 2 < t->n ? t->e[at + 2 * w] : 0.0) + c1 * ((s + r * e1) / det);
            k++;
        } else {
            t->inverse[at] = 1.0 / d;
            t->l[at] = c / d;
            if (!isfinite(t->inverse[at]) || t->inverse[at] == 0.0 || !isfinite(t->l[at])) return 1 + k;
            s = e1 + t->l[at] * s;
        }
    }
    return 0;
}

/** With the factors. */
SW_HD static inline void sw_tri_solve(const struct sw_tri *t, double *x)
{
    const size_t w = t->stride, end = (size_t)t->n * w;
    const double *l = t->l, *inverse = t->inverse;
    for (size_t at = 0; at + w < end; at += w) {
        if (isinf(l[at + w])) {
            double u1 = l[at] * x[at] + inverse[at + w] * x[at + w];
            at += w;
            if (at + w < end) x[at + w] += t->c[at] * u1;
        } else x[at + w] = fma(l[at], x[at], x[at + w]);
    }
    double after = 0.0;  /* u of the row below */
    for (size_t at = end; at > 0;) {
        at -= w;
        if (isinf(l[at])) {
            double second = at + w < end ? fma(t->c[at], after, x[at]) : x[at], first = x[at - w];
            x[at] = l[at - w] * first + inverse[at] * second;
            x[at - w] = inverse[at - w] * first + l[at - w] * second;
            at -= w;
        } else x[at] = fma(l[at], after, x[at] * inverse[at]);
        after = x[at];
    }
}

/* ------------------------------------------------------------------ the solution to rounding */

/* c (a - b) as a pair. */
SW_HD static inline struct sw_dd sw_tri_flux(double c, double a, double b)
{
    struct sw_dd d = {a, 0.0}, v;
    d = sw_dd_add_double(d, -b);
    v.hi = c * d.hi;
    v.lo = fma(c, d.hi, -v.hi) + c * d.lo;
    return v;
}

/** r = b - A u in twice the working precision, rounded at the end. */
SW_HD static inline void sw_tri_residual(const struct sw_tri *t, const double *u, double *r)
{
    struct sw_dd before = {0.0, 0.0};
    for (int k = 0; k < t->n; k++) {
        const size_t at = (size_t)k * t->stride;
        const double eu = t->e[at] * u[at];
        struct sw_dd flux = {0.0, 0.0}, sum = {t->b[at], 0.0};
        if (k < t->n - 1) flux = sw_tri_flux(t->c[at], u[at], u[at + t->stride]);
        sum = sw_dd_add_double(sw_dd_add_double(sw_dd_add_double(sum, before.hi), -flux.hi), -eu);
        r[at] = sum.hi + (sum.lo + (before.lo - flux.lo - fma(t->e[at], u[at], -eu)));
        before = flux;
    }
}

/* max |x|; NaN if any is not finite. */
SW_HD static inline double sw_tri_largest(const struct sw_tri *t, const double *x)
{
    double largest = 0.0, zero = 0.0;
    for (int k = 0; k < t->n; k++) {
        const double v = fabs(x[(size_t)k * t->stride]);
        largest = v > largest ? v : largest;
        zero += 0.0 * v;
    }
    return largest + zero;
}

/* Corrections fall by a factor rho that the first two show, so that the next one is known to be negligible: rho times
 * the last, where u is rounded by up to DBL_EPSILON/2 of itself. @param work  [n] */
SW_HD static inline int sw_tri_correct(const struct sw_tri *t, double *u, double *work, double *size)
{
    enum { MOST = 64 };  /* a factor of 2 each would reach rounding in 53 */
    double last = *size;
    for (int pass = 0; pass < MOST && *size > 0.0; pass++) {
        sw_tri_residual(t, u, work);
        t->solve(t, work);
        const double step = sw_tri_largest(t, work);
        if (!isfinite(step)) return SW_TRI_OVERFLOW;
        if (step > last / 2 && step > DBL_EPSILON * *size) return SW_TRI_STUCK;
        for (int k = 0; k < t->n; k++) u[(size_t)k * t->stride] += work[(size_t)k * t->stride];
        *size = sw_tri_largest(t, u);
        if (!isfinite(*size)) return SW_TRI_OVERFLOW;
        if (step * (step / last) <= DBL_EPSILON / 4 * *size) return SW_TRI_FINE;
        last = step;
    }
    return *size > 0.0 ? SW_TRI_STUCK : SW_TRI_FINE;
}

/* ------------------------------------------------------------------ how well u is determined */

SW_HD static inline double sw_tri_end(const struct sw_tri *t, const double *v, const double size[2], int k)
{
    return k == 0 ? size[0] : k == t->n - 1 ? size[1] : fabs(v[(size_t)k * t->stride]);
}

/* What one rounding of e and b is in the equation of row k, over the unit roundoff. Those of c add no more: at a
 * singular matrix with kernel z, Σ c (z_k - z_{k+1})² = -Σ e z². */
SW_HD static inline double sw_tri_weight(const struct sw_tri *t, const double *u, int k)
{
    return sw_tri_end(t, t->b, t->b_size, k) + sw_tri_end(t, t->e, t->e_size, k) * fabs(u[(size_t)k * t->stride]);
}

/* x = weights times x, or times its signs. @return Σ|x| */
SW_HD static inline double sw_tri_weigh(const struct sw_tri *t, const double *u, bool signs, double *x)
{
    double sum = 0.0;
    for (int k = 0; k < t->n; k++) {
        double *v = &x[(size_t)k * t->stride];
        const double g = sw_tri_weight(t, u, k);
        *v = signs ? (*v < 0.0 ? -g : g) : g * *v;
        sum += fabs(*v);
    }
    return sum;
}

/* |A⁻¹| times the weights, its largest entry, where A may have any sign: the 1-norm of weights times A⁻¹ by Hager's
 * estimate with Higham's last vector (Accuracy and Stability of Numerical Algorithms, algorithm 15.1); rarely less than
 * a third of it. A⁻¹ is symmetric. */
SW_HD static inline double sw_tri_estimate(const struct sw_tri *t, const double *u, double *x)
{
    const int n = t->n;
    double estimate = 0.0;
    int peak = -1;
    for (int k = 0; k < n; k++) x[(size_t)k * t->stride] = 1.0 / n;
    for (int pass = 0; pass < 5; pass++) {
        t->solve(t, x);
        const double norm = sw_tri_weigh(t, u, false, x);
        if (!(norm > estimate)) break;
        estimate = norm;
        sw_tri_weigh(t, u, true, x);
        t->solve(t, x);
        int at = 0;
        for (int k = 1; k < n; k++)
            if (fabs(x[(size_t)k * t->stride]) > fabs(x[(size_t)at * t->stride])) at = k;
        if (peak >= 0 && fabs(x[(size_t)at * t->stride]) <= fabs(x[(size_t)peak * t->stride])) break;
        peak = at;
        for (int k = 0; k < n; k++) x[(size_t)k * t->stride] = k == peak;
    }
    for (int k = 0; k < n; k++) x[(size_t)k * t->stride] = (k % 2 ? -1 : 1) * (1.0 + (double)k / (n > 1 ? n - 1 : 1));
    t->solve(t, x);
    return fmax(estimate, 2.0 * sw_tri_weigh(t, u, false, x) / (3.0 * n));
}

/* The same where no e is negative: A⁻¹ has no negative entry, A⁻¹ e is at most 1, so that only b can move u by more
 * than itself, and not if b has one sign. */
SW_HD static inline double sw_tri_bound(const struct sw_tri *t, double size, double *x)
{
    bool up = false, down = false;
    for (int k = 0; k < t->n; k++) {
        const double b = t->b[(size_t)k * t->stride];
        up |= b > 0.0;
        down |= b < 0.0;
        x[(size_t)k * t->stride] = sw_tri_end(t, t->b, t->b_size, k);
    }
    if (!up || !down) return size;
    t->solve(t, x);
    return sw_tri_largest(t, x);
}

SW_HD static inline bool sw_tri_no_negative(const struct sw_tri *t)
{
    bool none = true;
    for (int k = 0; k < t->n; k++) none &= t->e[(size_t)k * t->stride] >= 0.0;
    return none;
}

/** Solve with factors that are there.
 * @param u     out [n], with the stride of t
 * @param work  [n], likewise */
SW_HD static inline struct sw_tri_outcome sw_tri_solution(const struct sw_tri *t, double *u, double *work)
{
    struct sw_tri_outcome o = {SW_TRI_FINE, 0, 0.0};
    for (int k = 0; k < t->n; k++) u[(size_t)k * t->stride] = t->b[(size_t)k * t->stride];
    t->solve(t, u);
    double size = sw_tri_largest(t, u);
    if (!isfinite(size)) {
        o.fault = SW_TRI_OVERFLOW;
        return o;
    }
    o.fault = sw_tri_correct(t, u, work, &size);
    if (o.fault || size == 0.0) return o;
    o.moved = (sw_tri_no_negative(t) ? sw_tri_bound(t, size, work) : sw_tri_estimate(t, u, work)) / size;
    o.moved *= DBL_EPSILON / 2;
    if (!(o.moved <= SW_TRI_MOVES)) o.fault = SW_TRI_SENSITIVE;
    return o;
}
#endif
