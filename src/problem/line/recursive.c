#include "problem/line/recursive.h"

#include <complex.h>
#include <math.h>

/* With s = 2 - 2 cos(theta) the symbol of A is 1 + s2 s + s4 s² = (1 + s/z_1)(1 + s/z_2), where s4 z² - s2 z + 1 = 0,
 * and 1 + s/z = (1 - rho e^{i theta})(1 - rho e^{-i theta})/(1 - rho)² with rho = exp(-2 asinh(sqrt(z)/2)). Neither
 * form loses digits for z small or large, as solving rho + 1/rho = 2 + z would. */

/* A real z. z < -4: rho is negative. NaN where the symbol has a zero at s = -z in [0, 4]. */
static long double root_real(long double z)
{
    if (z > 0.0L) return expl(-2.0L * asinhl(sqrtl(z) / 2.0L));
    return z < -4.0L ? -expl(-2.0L * acoshl(sqrtl(-z) / 2.0L)) : nanl("");
}

/* sum = rho_1 + rho_2, product = rho_1 rho_2. Where the roots nearly meet each has few digits, but these
 * two keep theirs. */
static void roots(long double s4, long double s2, long double *sum, long double *product)
{
    long double D = s2 * s2 - 4.0L * s4;
    if (D < 0.0L) {
        long double complex z = s2 / (2.0L * s4) + sqrtl(-D) / (2.0L * s4) * I;
        long double complex rho = cexpl(-2.0L * casinhl(csqrtl(z) / 2.0L));
        *sum = 2.0L * creall(rho);
        *product = creall(rho) * creall(rho) + cimagl(rho) * cimagl(rho);
    } else {
        long double t = s2 + copysignl(sqrtl(D), s2);  /* z_1 = 2/t, z_2 = t/(2 s4); infinite: rho = 0 */
        long double rho1 = t != 0.0L ? root_real(2.0L / t) : 0.0L;
        long double rho2 = s4 != 0.0L ? root_real(t / (2.0L * s4)) : 0.0L;
        *sum = rho1 + rho2;
        *product = rho1 * rho2;
    }
}

static void set_scale(struct sw_recursive *r)
{
    long double at_one = 1.0L + r->a1 + r->a2;
    r->scale = (double)(at_one * at_one);
}

bool sw_recursive_factor(double s4, double s2, struct sw_recursive *r)
{
    long double sum = 0, product = 0;
    if (!isfinite(s4) || !isfinite(s2)) return false;
    roots(s4, s2, &sum, &product);
    r->a1 = (double)-sum;
    r->a2 = (double)product;
    set_scale(r);
    return isfinite(sum) && isfinite(product);
}

void sw_recursive_to_single(struct sw_recursive *r)
{
    r->a1 = (float)r->a1;
    r->a2 = (float)r->a2;
    set_scale(r);
}

static void multiply(const long double x[4], const long double y[4], long double out[4])
{
    long double product[4] = {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3],
                              x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]};
    for (int k = 0; k < 4; k++) out[k] = product[k];
}

static void power_long(const struct sw_recursive *r, int64_t k, long double power[4])
{
    long double square[4] = {-r->a1, -r->a2, 1.0L, 0.0L};
    const long double one[4] = {1.0L, 0.0L, 0.0L, 1.0L};
    for (int i = 0; i < 4; i++) power[i] = one[i];
    for (; k > 0; k >>= 1) {
        if (k & 1) multiply(power, square, power);
        multiply(square, square, square);
    }
}

static void store(const long double exact[4], double power[4])
{
    for (int i = 0; i < 4; i++) power[i] = (double)exact[i];
}

void sw_recursive_power(const struct sw_recursive *r, int64_t k, double power[4])
{
    long double exact[4];
    power_long(r, k, exact);
    store(exact, power);
}

/* Too small to come back in any later power: |rho|^k can be larger than the entries of P^k by 1/|rho_1 - rho_2|, no
 * more than 2^40. */
static bool vanished(const long double power[4])
{
    for (int i = 0; i < 4; i++)
        if (!(fabsl(power[i]) < 0x1p-120L)) return false;
    return true;
}

int sw_recursive_powers(const struct sw_recursive *r, int n, int blocks, int count, double (*power)[4])
{
    long double P[4], block[2][4], now[4], more[4];
    int terms = 1, q = 0;
    power_long(r, 1, P);
    power_long(r, 0, now);
    power_long(r, n / blocks, block[0]);
    multiply(block[0], P, block[1]);
    for (; q < count && !vanished(now); q++) {
        int64_t points = (int64_t)q * n / blocks, next = (int64_t)(q + 1) * n / blocks;
        multiply(now, P, more);
        store(now, power[2 * q]);
        store(more, power[2 * q + 1]);
        if (!sw_recursive_negligible(power[2 * q]) || !sw_recursive_negligible(power[2 * q + 1])) terms = q + 1;
        multiply(now, block[next - points > n / blocks], now);
    }
    for (; q < count; q++)
        for (int i = 0; i < 8; i++) power[2 * q + i / 4][i % 4] = 0.0;
    return terms;
}

void sw_recursive_closure(const struct sw_recursive *r, int64_t n, double closure[4])
{
    long double p[4], det;
    power_long(r, n, p);
    det = (1.0L - p[0]) * (1.0L - p[3]) - p[1] * p[2];
    closure[0] = (double)((1.0L - p[3]) / det);
    closure[1] = (double)(p[1] / det);
    closure[2] = (double)(p[2] / det);
    closure[3] = (double)((1.0L - p[0]) / det);
}

/* In states (y_i, y_i - y_{i-1}) P is I + M, M = (-p a2; -p a2-1), p = 1 + a1 + a2. Where the roots are close to 1, M
 * is small and its entries are exact; P² = I + 2M + M² and so on keep them to rounding. P's own entries do not tell p
 * from rounding: squared, they lose the more digits the smaller p is, and the terms of the sums below cancel when they
 * are used. */
static void join(const long double M[4], const long double N[4], long double out[4])  /* (I + M)(I + N) = I + out */
{
    long double product[4];
    multiply(M, N, product);
    for (int k = 0; k < 4; k++) out[k] = M[k] + N[k] + product[k];
}

/* With x_k = (h_k, h_k - h_{k-1}) = P^k (1, 1) the sum H of x_k x_k' over k < 2m is that over k < m, and P^m H P^m': no
 * term is ever subtracted. H is symmetric: 11, 12, 22. */
static void add_later(const long double M[4], long double H[3])
{
    const long double Q[4] = {1.0L + M[0], M[1], M[2], 1.0L + M[3]};
    long double row[2][2] = {{Q[0] * H[0] + Q[1] * H[1], Q[0] * H[1] + Q[1] * H[2]},
                             {Q[2] * H[0] + Q[3] * H[1], Q[2] * H[1] + Q[3] * H[2]}};
    H[0] += row[0][0] * Q[0] + row[0][1] * Q[1];
    H[1] += row[0][0] * Q[2] + row[0][1] * Q[3];
    H[2] += row[1][0] * Q[2] + row[1][1] * Q[3];
}

/* P^m (1, 1): h_m, h_m - h_{m-1} */
static void impulse(const long double M[4], long double x[2])
{
    x[0] = 1.0L + M[0] + M[1];
    x[1] = 1.0L + M[2] + M[3];
}

void sw_recursive_overlap(const struct sw_recursive *r, int64_t n, double overlap[4])
{
    const long double p = 1.0L + r->a1 + r->a2, one[4] = {-p, r->a2, -p, r->a2 - 1.0L};
    long double H[3] = {0}, M[4] = {0}, x[2];  /* over k < m, of P^m */
    int64_t bit = 1;
    while (bit <= n / 2) bit *= 2;
    for (; bit; bit /= 2) {
        add_later(M, H);
        join(M, M, M);
        if (!(n & bit)) continue;
        impulse(M, x);
        H[0] += x[0] * x[0];
        H[1] += x[0] * x[1];
        H[2] += x[1] * x[1];
        join(M, one, M);
    }
    impulse(M, x);
    long double before = H[0] - H[1], square_before = H[0] - 2.0L * H[1] + H[2];  /* of h_k h_{k-1}, h_{k-1}² */
    overlap[0] = (double)(before + x[0] * (x[0] - x[1]));
    overlap[1] = (double)H[0];
    overlap[2] = (double)(-r->a1 * before - r->a2 * square_before);
    overlap[3] = (double)before;
}

static bool all_below(const double power[4], double least)
{
    for (int k = 0; k < 4; k++)
        if (!(fabs(power[k]) < least)) return false;
    return true;
}

bool sw_recursive_negligible(const double power[4]) { return all_below(power, 0x1p-56); }

bool sw_recursive_negligible_single(const double power[4]) { return all_below(power, 0x1p-27); }

float sw_recursive_next_single(float a1, float a2, float f, float u, float v) { return fmaf(-a1, u, fmaf(-a2, v, f)); }
