#ifndef THOMAS_POINT_H
#define THOMAS_POINT_H
/* cuPentBatch's method for one system: A = L R (penta_point.h), and Navon's closure where A is periodic (navon_point.h). The
 * vectors of a system lie in memory with one stride, entry i of v at v[i*stride], so that the same lines serve interleaved
 * systems, one a thread, and systems one after another. */
#include <math.h>
#include <stddef.h>

#include "base/sw_hd.h"
#include "solver/navon_point.h"
#include "solver/penta_point.h"

struct sw_thomas_matrix {        /* A: diagonal[o + 2] holds A(i, i + o), wrapping where periodic; NULL: zeros */
    const double *diagonal[5];
    size_t stride;
    int    n, p;                 /* p: unknowns split off, max(lower, upper) when periodic, else 0             */
};

struct sw_thomas_factors {       /* of E, the first m = n - p rows and columns                                 */
    double *inverse, *a, *b, *gamma, *delta;  /* [m], penta_point.h                                            */
    double *w[2];                /* [m] h^T E^-1 when periodic; w[0] is zero when p = 1                        */
    size_t  stride;
};

SW_HD static inline double sw_thomas_entry(const struct sw_thomas_matrix *A, int i, int off)
{
    const double *d = A->diagonal[off + 2];
    return d ? d[(size_t)i * A->stride] : 0.0;
}

/* The same of E, which ends at m and does not wrap. */
SW_HD static inline double sw_thomas_inner(const struct sw_thomas_matrix *A, int i, int off)
{
    int column = i + off;
    return column < 0 || column >= A->n - A->p ? 0.0 : sw_thomas_entry(A, i, off);
}

/** Factor E. @return 0, or 1 + the row whose pivot is zero or not finite */
SW_HD static inline int sw_thomas_factor(const struct sw_thomas_matrix *A, const struct sw_thomas_factors *f)
{
    struct sw_penta zero = {0.0, 0.0, 0.0, 0.0, 0.0}, up = zero, up2 = zero;
    for (int i = 0; i < A->n - A->p; i++) {
        size_t k = (size_t)i * f->stride;
        struct sw_penta row = sw_penta_factor(sw_thomas_inner(A, i, -2), sw_thomas_inner(A, i, -1), sw_thomas_inner(A, i, 0),
                                              sw_thomas_inner(A, i, 1), sw_thomas_inner(A, i, 2), up, up2);
        if (!isfinite(row.inverse) || row.inverse == 0.0) return 1 + i;
        f->inverse[k] = row.inverse;
        f->a[k] = row.a;
        f->b[k] = row.b;
        f->gamma[k] = row.gamma;
        f->delta[k] = row.delta;
        up2 = up;
        up = row;
    }
    return 0;
}

/* Row n-2+r of A, r = 0, 1: its entries in columns < m go to h, which is zero before, the others to c. */
SW_HD static inline void sw_thomas_border_row(const struct sw_thomas_matrix *A, int r, double *h, size_t stride, double c[2])
{
    int n = A->n, m = n - A->p;
    c[0] = c[1] = 0.0;
    for (int off = -2; off <= 2; off++) {
        int column = (n - 2 + r + off + n) % n;
        if (!A->diagonal[off + 2]) continue;
        if (column < m) h[(size_t)column * stride] = sw_thomas_entry(A, n - 2 + r, off);
        else c[column - (n - 2)] = sw_thomas_entry(A, n - 2 + r, off);
    }
}

/* The entries of rows < m in columns >= m. */
SW_HD static inline void sw_thomas_border_columns(const struct sw_thomas_matrix *A, double k[6])
{
    int m = A->n - A->p, two = A->p == 2;
    k[0] = two ? sw_thomas_entry(A, 0, -2) : 0.0;
    k[1] = sw_thomas_entry(A, 0, -1);
    k[2] = two && m > 1 ? sw_thomas_entry(A, 1, -2) : 0.0;
    k[3] = two && m > 1 ? sw_thomas_entry(A, m - 2, 2) : 0.0;
    k[4] = two ? sw_thomas_entry(A, m - 1, 1) : 0.0;
    k[5] = sw_thomas_entry(A, m - 1, A->p);
}

/* E^T w = h in place. */
SW_HD static inline void sw_thomas_transposed(int m, const struct sw_thomas_factors *f, double *w)
{
    size_t s = f->stride;
    double v1 = 0.0, v2 = 0.0;
    for (int i = 0; i < m; i++) {
        size_t k = (size_t)i * s;
        double v = sw_penta_across(i > 0 ? f->gamma[k - s] : 0.0, i > 1 ? f->delta[k - 2 * s] : 0.0, w[k], v1, v2);
        w[k] = v;
        v2 = v1;
        v1 = v;
    }
    v1 = v2 = 0.0;
    for (int i = m - 1; i >= 0; i--) {
        size_t k = (size_t)i * s;
        double z = sw_penta_across(i + 1 < m ? f->b[k + s] : 0.0, i + 2 < m ? f->a[k + 2 * s] : 0.0, w[k], v1, v2);
        w[k] = z * f->inverse[k];
        v2 = v1;
        v1 = z;
    }
}

/** The closure of a periodic system whose E is factored: fills w and c. @return 0, or n if S cannot be inverted */
SW_HD static inline int sw_thomas_close(const struct sw_thomas_matrix *A, const struct sw_thomas_factors *f, struct sw_navon *c)
{
    int m = A->n - A->p;
    size_t s = f->stride;
    double S[2][2] = {{0.0, 0.0}, {0.0, 0.0}}, det;
    sw_thomas_border_columns(A, c->k);
    for (int r = 0; r < 2; r++) {
        double p0, p1, *w = f->w[r];
        for (int i = 0; i < m; i++) w[(size_t)i * s] = 0.0;
        if (r < 2 - A->p) continue;
        sw_thomas_border_row(A, r, w, s, S[r]);
        sw_thomas_transposed(m, f, w);
        sw_navon_product(c, w[0], m > 1 ? w[s] : 0.0, m > 1 ? w[(size_t)(m - 2) * s] : 0.0, w[(size_t)(m - 1) * s], &p0, &p1);
        S[r][0] -= p0;
        S[r][1] -= p1;
    }
    if (A->p == 2) {
        det = sw_navon_inverse(S[0][0], S[0][1], S[1][0], S[1][1], c->inverse);
    } else {
        det = S[1][1];
        c->inverse[0] = c->inverse[1] = c->inverse[2] = 0.0;
        c->inverse[3] = 1.0 / det;
    }
    return isfinite(det) && isfinite(1.0 / det) ? 0 : A->n;
}

/** E x = f in place. 72 bytes and 8 operations an unknown: 32 read and 8 written going down, 24 and 8 going up. */
SW_HD static inline void sw_thomas_inner_solve(int m, size_t stride, const double *__restrict__ inverse,
                                               const double *__restrict__ a, const double *__restrict__ b,
                                               const double *__restrict__ gamma, const double *__restrict__ delta,
                                               double *__restrict__ x)
{
    double g1 = 0.0, g2 = 0.0, x1 = 0.0, x2 = 0.0;
    for (int i = 0; i < m; i++) {
        size_t k = (size_t)i * stride;
        double g = sw_penta_forward(inverse[k], a[k], b[k], x[k], g1, g2);
        x[k] = g;
        g2 = g1;
        g1 = g;
    }
    for (int i = m - 1; i >= 0; i--) {
        size_t k = (size_t)i * stride;
        double v = sw_penta_backward(gamma[k], delta[k], x[k], x1, x2);
        x[k] = v;
        x2 = x1;
        x1 = v;
    }
}

/* The sums of w0 f and w1 f: 24 bytes and 4 operations an unknown. */
SW_HD static inline void sw_thomas_border_sums(int m, size_t stride, const double *__restrict__ w0,
                                               const double *__restrict__ w1, const double *__restrict__ f, double *s0,
                                               double *s1)
{
    double sum0 = 0.0, sum1 = 0.0;
    for (int i = 0; i < m; i++) {
        size_t k = (size_t)i * stride;
        sum0 += w0[k] * f[k];
        sum1 += w1[k] * f[k];
    }
    *s0 = sum0;
    *s1 = sum1;
}

/** A x = f in place, the stride of x being that of the factors. c is not looked at where p = 0. */
SW_HD static inline void sw_thomas_solve(int n, int p, const struct sw_thomas_factors *f, const struct sw_navon *c, double *x)
{
    int m = n - p;
    size_t s = f->stride;
    double s0, s1, z0 = 0.0, z1 = 0.0;
    if (p) {
        sw_thomas_border_sums(m, s, f->w[0], f->w[1], x, &s0, &s1);
        sw_navon_border(c, p == 2 ? x[(size_t)(n - 2) * s] - s0 : 0.0, x[(size_t)(n - 1) * s] - s1, &z0, &z1);
        x[0] -= sw_navon_first(c, z0, z1);
        if (m > 1) x[s] -= sw_navon_second(c, z1);
        if (m > 1) x[(size_t)(m - 2) * s] -= sw_navon_last_but_one(c, z0);
        x[(size_t)(m - 1) * s] -= sw_navon_last(c, z0, z1);
    }
    sw_thomas_inner_solve(m, s, f->inverse, f->a, f->b, f->gamma, f->delta, x);
    if (p == 2) x[(size_t)(n - 2) * s] = z0;
    if (p) x[(size_t)(n - 1) * s] = z1;
}
#endif
