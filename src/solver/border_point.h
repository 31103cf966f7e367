#ifndef BORDER_POINT_H
#define BORDER_POINT_H
/* Navon's closure around any solver of E, as the paper prints it (cuPentBatch, eq. 8-12; letters of navon_point.h):
 *
 *     S = C - h^T (E^-1 k),     z = S^-1 (g - h^T (E^-1 f)),     x = E^-1 f - (E^-1 k) z
 *
 * h has entries in the same places as k: six at most, in the first two and the last two rows of E. */
#include "solver/thomas_point.h"

/** The entries of h, in the order of sw_navon.k, and of C. */
SW_HD static inline void sw_border_rows(const struct sw_thomas_matrix *A, double h[6], double C[2][2])
{
    int n = A->n, two = A->p == 2;
    h[0] = two ? sw_thomas_entry(A, n - 2, 2) : 0.0;
    h[1] = sw_thomas_entry(A, n - 1, 1);
    h[2] = two ? sw_thomas_entry(A, n - 1, 2) : 0.0;
    h[3] = two ? sw_thomas_entry(A, n - 2, -2) : 0.0;
    h[4] = two ? sw_thomas_entry(A, n - 2, -1) : 0.0;
    h[5] = sw_thomas_entry(A, n - 1, -A->p);
    C[0][0] = two ? sw_thomas_entry(A, n - 2, 0) : 1.0;
    C[0][1] = two ? sw_thomas_entry(A, n - 2, 1) : 0.0;
    C[1][0] = two ? sw_thomas_entry(A, n - 1, -1) : 0.0;
    C[1][1] = sw_thomas_entry(A, n - 1, 0);
}

/** The right-hand sides k: column c into q[c], which is zero before. m >= 3. */
SW_HD static inline void sw_border_columns(const struct sw_thomas_matrix *A, size_t stride, double *q0, double *q1)
{
    int m = A->n - A->p;
    double k[6];
    sw_thomas_border_columns(A, k);
    q0[0] = k[0];
    q0[(size_t)(m - 2) * stride] = k[3];
    q0[(size_t)(m - 1) * stride] = k[4];
    q1[0] = k[1];
    q1[stride] = k[2];
    q1[(size_t)(m - 1) * stride] = k[5];
}

/** h^T v for a vector of E. */
SW_HD static inline void sw_border_sums(const struct sw_navon *h, int m, size_t stride, const double *v, double *s0, double *s1)
{
    sw_navon_product(h, v[0], v[stride], v[(size_t)(m - 2) * stride], v[(size_t)(m - 1) * stride], s0, s1);
}

/** Fill c: its k with h, its inverse with S^-1. q0, q1: E^-1 k. @return 0, or n if S cannot be inverted */
SW_HD static inline int sw_border_close(const struct sw_thomas_matrix *A, size_t stride, const double *q0, const double *q1,
                                        struct sw_navon *c)
{
    int m = A->n - A->p;
    double C[2][2], p00, p01, p10, p11, det;
    sw_border_rows(A, c->k, C);
    sw_border_sums(c, m, stride, q0, &p00, &p10);
    sw_border_sums(c, m, stride, q1, &p01, &p11);
    det = sw_navon_inverse(C[0][0] - p00, C[0][1] - p01, C[1][0] - p10, C[1][1] - p11, c->inverse);
    return isfinite(det) && isfinite(1.0 / det) ? 0 : A->n;
}
#endif
