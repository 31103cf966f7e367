#ifndef THOMAS_POINT_H
#define THOMAS_POINT_H
/* cuPentBatch's method for one system: E = L R (penta_point.h), and Navon's closure where A is periodic
 * (border_point.h, whose letters are used here). The vectors of a system lie in memory with one stride, entry i of v
 * at v[i*stride], which for one of many interleaved systems is their leading dimension. */
#include <math.h>
#include <stddef.h>

#include "base/sw_hd.h"
#include "linalg/papers/border_point.h"
#include "linalg/papers/penta_point.h"

struct sw_thomas_matrix {        /* A: diagonal[o + 2] holds A(i, i + o), wrapping where periodic; NULL: zeros */
    const double *diagonal[5];
    size_t stride;
    int    n, p;                 /* p: unknowns split off, max(lower, upper) when periodic, else 0             */
};

struct sw_thomas_factors {       /* of E, the first m = n - p rows and columns: [m] each                       */
    double *inverse, *a, *b, *gamma, *delta;
    size_t  stride;
};

SW_HD static inline double sw_thomas_entry(const struct sw_thomas_matrix *A, int i, int off)
{
    const double *d = A->diagonal[off + 2];
    return d ? d[(size_t)i * A->stride] : 0.0;
}

/* The same of E, which ends at m and does not wrap. */
SW_HD static inline double sw_thomas_inner_entry(const struct sw_thomas_matrix *A, int i, int off)
{
    int column = i + off;
    return column < 0 || column >= A->n - A->p ? 0.0 : sw_thomas_entry(A, i, off);
}

/** Factor E. @param f  NULL: only find the bad pivot
 *  @return 0, or 1 + the row whose pivot is zero or not finite */
SW_HD static inline int sw_thomas_factor(const struct sw_thomas_matrix *A, const struct sw_thomas_factors *f)
{
    struct sw_penta zero = {0.0, 0.0, 0.0, 0.0, 0.0}, up = zero, up2 = zero;
    for (int i = 0; i < A->n - A->p; i++) {
        struct sw_penta row = sw_penta_factor(sw_thomas_inner_entry(A, i, -2), sw_thomas_inner_entry(A, i, -1),
                                              sw_thomas_inner_entry(A, i, 0), sw_thomas_inner_entry(A, i, 1),
                                              sw_thomas_inner_entry(A, i, 2), up, up2);
        if (!isfinite(row.inverse) || row.inverse == 0.0) return 1 + i;
        if (f) {
            size_t k = (size_t)i * f->stride;
            f->inverse[k] = row.inverse;
            f->a[k] = row.a;
            f->b[k] = row.b;
            f->gamma[k] = row.gamma;
            f->delta[k] = row.delta;
        }
        up2 = up;
        up = row;
    }
    return 0;
}

/** E x = f in place, m unknowns. 72 bytes and 8 operations an unknown: 32 read and 8 written down, 24 and 8 up. */
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

/* ---- Navon's closure, around any solver of E. Z0, Z1 [m]: the columns of k, and of Z = E^-1 k once solved for. */

/* Row i of A in the border's columns, n-2 and n-1. */
SW_HD static inline void sw_thomas_border_row(const struct sw_thomas_matrix *A, int i, double part[2])
{
    int n = A->n, m = n - A->p;
    part[0] = part[1] = 0.0;
    for (int off = -2; off <= 2; off++) {
        int column = (i + off + n) % n;
        if (A->diagonal[off + 2] && column >= m) part[column - (n - 2)] = sw_thomas_entry(A, i, off);
    }
}

/** Take k and h out of A. Both columns of k are written, also where p = 1 and the first is zero. */
SW_HD static inline void sw_thomas_split_border(const struct sw_thomas_matrix *A, struct sw_border *c, size_t stride,
                                                double *Z0, double *Z1)
{
    int n = A->n, m = n - A->p, two = A->p == 2;
    double part[2];
    for (int i = 0; i < m; i++) {
        sw_thomas_border_row(A, i, part);
        Z0[(size_t)i * stride] = part[0];
        Z1[(size_t)i * stride] = part[1];
    }
    c->h[0] = two ? sw_thomas_entry(A, n - 2, 2) : 0.0;
    c->h[1] = sw_thomas_entry(A, n - 1, 1);
    c->h[2] = two && m > 1 ? sw_thomas_entry(A, n - 1, 2) : 0.0;
    c->h[3] = two && m > 1 ? sw_thomas_entry(A, n - 2, -2) : 0.0;
    c->h[4] = two ? sw_thomas_entry(A, n - 2, -1) : 0.0;
    c->h[5] = sw_thomas_entry(A, n - 1, -A->p);
}

/* h^T y */
SW_HD static inline void sw_thomas_border_product(const struct sw_border *c, int m, size_t stride, const double *y,
                                                  double *p0, double *p1)
{
    sw_border_product(c, y[0], m > 1 ? y[stride] : 0.0, m > 1 ? y[(size_t)(m - 2) * stride] : 0.0,
                      y[(size_t)(m - 1) * stride], p0, p1);
}

/** Factor S = C - h^T Z. stride: of Z. @return 0, or 1 + the row of A whose pivot is zero or not finite */
SW_HD static inline int sw_thomas_factor_border(const struct sw_thomas_matrix *A, struct sw_border *c, size_t stride,
                                                const double *Z0, const double *Z1)
{
    int n = A->n, m = n - A->p, bad;
    double C0[2] = {1.0, 0.0}, C1[2], p00 = 0.0, p10 = 0.0, p01, p11;
    if (A->p == 2) {
        sw_thomas_border_row(A, n - 2, C0);
        sw_thomas_border_product(c, m, stride, Z0, &p00, &p10);
    }
    sw_thomas_border_row(A, n - 1, C1);
    sw_thomas_border_product(c, m, stride, Z1, &p01, &p11);
    bad = sw_border_factor(C0[0] - p00, C0[1] - p01, C1[0] - p10, C1[1] - p11, c->S);
    return bad ? n - 2 + bad : 0;
}

/** The border unknowns, of which x holds the right-hand sides behind y = E^-1 f. */
SW_HD static inline void sw_thomas_border_solve(const struct sw_border *c, int n, int p, size_t stride, const double *x,
                                                double *z0, double *z1)
{
    double p0, p1;
    sw_thomas_border_product(c, n - p, stride, x, &p0, &p1);
    sw_border_solve(c, p == 2 ? x[(size_t)(n - 2) * stride] - p0 : 0.0, x[(size_t)(n - 1) * stride] - p1, z0, z1);
}

/** All of it: E, then Z (of the stride of the factors) and the border where A is periodic.
 *  @return 0, or 1 + the row of A whose pivot is zero or not finite */
SW_HD static inline int sw_thomas_prepare(const struct sw_thomas_matrix *A, const struct sw_thomas_factors *f,
                                          struct sw_border *c, double *Z0, double *Z1)
{
    int m = A->n - A->p, bad = sw_thomas_factor(A, f);
    if (bad || !A->p) return bad;
    sw_thomas_split_border(A, c, f->stride, Z0, Z1);
    if (A->p == 2) sw_thomas_inner_solve(m, f->stride, f->inverse, f->a, f->b, f->gamma, f->delta, Z0);
    sw_thomas_inner_solve(m, f->stride, f->inverse, f->a, f->b, f->gamma, f->delta, Z1);
    return sw_thomas_factor_border(A, c, f->stride, Z0, Z1);
}

/** x = y - Z z, and the border unknowns in their places. 32 bytes and 4 operations an unknown. */
SW_HD static inline void sw_thomas_correct(const struct sw_border *c, int n, int p, size_t stride,
                                           const double *__restrict__ Z0, const double *__restrict__ Z1,
                                           double *__restrict__ x)
{
    double z0, z1;
    sw_thomas_border_solve(c, n, p, stride, x, &z0, &z1);
    for (int i = 0; i < n - p; i++) {
        size_t k = (size_t)i * stride;
        x[k] = sw_border_correct(x[k], Z0[k], Z1[k], z0, z1);
    }
    if (p == 2) x[(size_t)(n - 2) * stride] = z0;
    x[(size_t)(n - 1) * stride] = z1;
}
#endif
