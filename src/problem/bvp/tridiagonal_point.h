#ifndef TRIDIAGONAL_POINT_H
#define TRIDIAGONAL_POINT_H
/* One symmetric tridiagonal system whose row sums are stored apart, for one core or one thread of a GPU
 * (docs/explanation/bvp.md):
 *
 *     c_{k-1} (u_k - u_{k-1}) + c_k (u_k - u_{k+1}) + e_k u_k = b_k,   k = 0 .. n-1,   c_k > 0,   c_{-1} = c_{n-1} = 0
 *
 * The diagonal c_{k-1} + c_k + e_k is never formed: where e is h² q, that would lose digits like n². A pivot is
 * c_k + s_k, with s_k its excess,
 *
 *     s_0 = e_0,   s_{k+1} = e_{k+1} + c_k s_k / (c_k + s_k)
 *
 * which is a sum of positive numbers where no e is negative: no digit is lost then, whatever c, e and n. Where e has
 * any sign, c_k + s_k may be small, and rows k and k+1 are then eliminated together: a 2 x 2 pivot, taken where Bunch's
 * condition asks for it (Bunch and Marcia, Numer. Linear Algebra Appl. 12, 2005: backward stable for symmetric
 * tridiagonal matrices of any sign).
 *
 * refinement_point.h refines what an elimination gives and estimates the condition, whoever eliminates.
 *
 * The vectors of a system lie in memory with one stride: entry k of v is v[k*stride]. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_hd.h"

struct sw_bvp_system {
    int           n;
    size_t        stride;
    const double *c, *e, *b;            /* [n]; c of the last row is not read                                        */
    double        e_size[2], b_size[2]; /* of the first and the last row: |terms| that e and b were added up from    */
    bool          uneven;               /* c varies so much that corrections alone do not show what a solver loses   */
    bool          keeps;                /* `solve` loses no digit where no term of an e is negative                  */
    double       *l, *inverse;          /* [n] the factors, out of sw_tri_factor()                                   */
    void        (*solve)(const struct sw_bvp_system *t, double *x);  /* A x = x in place: sw_tri_solve() or another's */
    const void   *own;                  /* of another's solve                                                        */
    int           system;               /* likewise                                                                  */
};

enum sw_tri_fault {
    SW_TRI_FINE,
    SW_TRI_PIVOT,          /* a pivot is zero or not finite                                                          */
    SW_TRI_OVERFLOW,       /* u is not finite                                                                        */
    SW_TRI_NOT_CONVERGED,  /* corrections do not shrink: no digit of u is right                                      */
    SW_TRI_LOST,           /* likewise, of a matrix that is not singular: no e is negative. The solver's own fault   */
    SW_TRI_SENSITIVE       /* one rounding of each e and b moves u by more than SW_TRI_MOVES of its largest value     */
};
#define SW_TRI_MOVES 1e-3

struct sw_tri_outcome { int fault, row; double moved; };  /* row: of the pivot; moved: by how much of max |u|        */

/* ------------------------------------------------------------------ factors */

SW_HD static inline double sw_tri_c(const struct sw_bvp_system *t, int k)
{
    return k < t->n - 1 ? t->c[(size_t)k * t->stride] : 0.0;
}

/* Whether row k is to be eliminated together with the next, by a 2 x 2 pivot: |d| max |A| < phi c² of the two rows,
 * phi = (√5 - 1)/2. */
SW_HD static inline bool sw_tri_pivot_is_2x2(double d, double c, double next, double coupling)
{
    double largest = fmax(fmax(c, coupling), fabs(next));
    return fabs(d) < 0.6180339887498949 * c * (c / largest);
}

/** Pivots of one row are stored as l = c/d and inverse = 1/d. Those of rows k and k+1 as the inverse of the two rows,
 * (inverse_k, l_k; l_k, inverse_{k+1}), with l_{k+1} = INFINITY, which no other l is.
 * @return 0, or 1 + the row whose pivot is zero or not finite */
SW_HD static inline int sw_tri_factor(const struct sw_bvp_system *t)
{
    const size_t w = t->stride;
    double s = t->e[0];
    for (int k = 0; k < t->n; k++) {
        const double c = sw_tri_c(t, k), d = c + s, e1 = k < t->n - 1 ? t->e[(size_t)(k + 1) * w] : 0.0,
                     c1 = sw_tri_c(t, k + 1);
        const size_t at = (size_t)k * w;
        if (k < t->n - 1 && sw_tri_pivot_is_2x2(d, c, c + e1 + c1, c1)) {
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
SW_HD static inline void sw_tri_solve(const struct sw_bvp_system *t, double *x)
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
#endif
