#ifndef PENTA_POINT_H
#define PENTA_POINT_H
/* Pentadiagonal A = L R, L lower triangular, R unit upper triangular, no pivoting (Gloster, Ó Náraigh, Pang,
 * "cuPentBatch", section II.4, eq. 13; after Engeln-Müllges and Uhlig). Row i of A is  a b c d e  in columns i-2 ..
 * i+2; entries outside the matrix are 0, and so the first and last rows are no special cases. A tridiagonal matrix is
 * one with a = e = 0.
 *
 *     beta  = b - a gamma''                       ' : row i-1,  '' : row i-2
 *     alpha = c - a delta'' - beta gamma'
 *     gamma = (d - beta delta') / alpha           delta = e / alpha
 *     L g = f:  g = (f - a g'' - beta g') / alpha
 *     R x = g:  x_i = g_i - gamma_i x_{i+1} - delta_i x_{i+2}
 *
 * The division by alpha is multiplied out at set-up (a/alpha, beta/alpha and 1/alpha are stored), so that a solve has
 * no division and 8 operations a row. */
#include "base/sw_hd.h"

struct sw_penta {           /* row i of L and R                  */
    double inverse;         /* 1/alpha                           */
    double a, b;            /* a/alpha (epsilon/alpha), beta/alpha */
    double gamma, delta;
};

/** The next row of the factors. up, up2: those of rows i-1 and i-2, zeros above the matrix.
 *  Its pivot alpha is zero or not finite exactly if `inverse` is not finite or is 0. */
SW_HD static inline struct sw_penta sw_penta_factor(double a, double b, double c, double d, double e,
                                                    struct sw_penta up, struct sw_penta up2)
{
    struct sw_penta row;
    double beta = b - a * up2.gamma;
    double alpha = c - a * up2.delta - beta * up.gamma;
    row.inverse = 1.0 / alpha;
    row.a = a * row.inverse;
    row.b = beta * row.inverse;
    row.gamma = (d - beta * up.delta) * row.inverse;
    row.delta = e * row.inverse;
    return row;
}

/** Row i of L g = f; g1, g2: g of rows i-1 and i-2, zeros above the matrix. */
SW_HD static inline double sw_penta_forward(double inverse, double a, double b, double f, double g1, double g2)
{
    return (f * inverse - a * g2) - b * g1;
}

/** Row i of R x = g; x1, x2: x of rows i+1 and i+2, zeros below the matrix. */
SW_HD static inline double sw_penta_backward(double gamma, double delta, double g, double x1, double x2)
{
    return (g - delta * x2) - gamma * x1;
}
#endif
