#include "problem/line/stepper/recursive.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* A without odd derivatives: a1 and a2 of z + s2 s + s4 s², s = 2 - 2 cos(theta). With t = a2 + 1/a2 = 2 + delta,
 * comparing coefficients with (1 + a1 x + a2 x²)(1 + a1/x + a2/x²) gives
 *
 *     s4 delta² - (2 s2 + z) delta + (s2² - 4 z s4)/s4 = 0,     a1 = -(4 + s2/s4) a2/(1 + a2)
 *
 * of which N = 2 s4 delta is the larger root (the other is of the quotient of the roots x), the discriminant z times
 * the symbol at s = 4. B = N + 8 s4 and M = 4 s4/a2 are finite where s4 = 0; one form of M cancels, the other does not.
 * With b < 0 the symbol has a minimum between, which is positive if D < 0. Nothing else cancels: sums of a few doubles
 * are exact here where they are small. @return false where the symbol has a zero */
static bool factor_symmetric(long double s4, long double s2, long double z, struct sw_recursive *r)
{
    const long double q = 4.0L * s4 + s2, last = s2 < 0.0L ? 16.0L * s4 + (4.0L * s2 + z) : 4.0L * q + z;
    const long double b = 2.0L * s2 + z, root = sqrtl(z * last), B = 0.5L * (z + last) + root;
    const long double zs4 = z * s4, D = fmal(s2, s2, -4.0L * zs4) - 4.0L * fmal(z, s4, -zs4);
    const long double N = b >= 0.0L ? b + root : D < 0.0L ? -4.0L * D / (root - b) : nanl("");
    const long double middle = sqrtl(N * B), M = s4 < 0.0L ? (B + middle) - 4.0L * s4 : (4.0L * s4 + N) + middle;
    r->a2 = (double)(4.0L * s4 / M);
    r->a1 = (double)(-4.0L * q / (B + middle));
    return last > 0.0L && isfinite(r->a1) && isfinite(r->a2);
}

static void set_scale(long double at_zero, struct sw_recursive *up, struct sw_recursive *down)
{
    const long double at_one = 1.0L + up->a1 + up->a2, against = 1.0L + down->a1 + down->a2;
    up->scale = down->scale = (double)(at_one * against / at_zero);
}

/* A call of its own: GCC 12 at -O3 with AVX makes vectors of two such conversions and leaves out their store. */
__attribute__((noinline)) static double as_single(double x) { return (float)x; }

static void round_to_single(struct sw_recursive *r)
{
    r->a1 = as_single(r->a1);
    r->a2 = as_single(r->a2);
}

bool sw_recursive_factor(double s4, double s2, struct sw_recursive *r)
{
    if (!isfinite(s4) || !isfinite(s2) || !factor_symmetric(s4, s2, 1.0L, r)) return false;
    set_scale(1.0L, r, r);
    return true;
}

void sw_recursive_to_single(struct sw_recursive *r)
{
    round_to_single(r);
    set_scale(1.0L, r, r);
}

/* ------------------------------------------------------------------ any A
 *
 * With e^{i theta} = (1 + x)/(1 - x), which maps the unit circle to the imaginary axis, its inside to the left and its
 * outside to the right, the symbol of A times (1 - x²)² is
 *
 *     Q = (16 s4 + 4 s2 + z) x⁴ + (8 s3 - 2 s1) x³ - (4 s2 + 2 z) x² + 2 s1 x + z,     z = 1 + s0
 *
 * whose first and last coefficients are the symbol at theta = pi and 0. Roots near e^{i theta} = 1 are small x, so that
 * nothing is lost where they are close to 1. In y = x/sigma, sigma⁴ = z/(the first coefficient),
 *
 *     Q ~ y⁴ + b3 y³ + b2 y² + b1 y + 1 = (y² + alpha y + beta)(y² - gamma y + delta),    beta delta = 1,
 *
 * one factor for the roots on either side; on the imaginary axis the real part is y⁴ + b2 |y|² + 1 with -b2, positive
 * where b2 < 2. beta + delta = 2 + e is a root of the resolvent cubic of Q, and e the only positive root of
 *
 *     e³ + (6 - b2) e² + (8 - 4 b2 + b1 b3) e - (b3 - b1)²,
 *
 * to which Newton's method comes down from any larger number, as the cubic is convex there. All its terms but
 * b1 b3 e are of one sign on either side of the equation, and where b1 b3 < 0 it is less than the last, so that e has
 * as many digits as its coefficients. alpha and gamma then follow from alpha - gamma = b3, alpha gamma = 2 + e - b2. */

/* The positive root of e³ + c2 e² + c1 e - c0 with c2 > 0 and c0 > 0. */
static long double positive_root(long double c2, long double c1, long double c0)
{
    long double e;
    if (c1 > 0.0L) e = fminl(c0 / c1, fminl(sqrtl(c0 / c2), cbrtl(c0)));
    else e = fminl(fmaxl(2.0L * -c1 / c2, sqrtl(2.0L * c0 / c2)), fmaxl(sqrtl(2.0L * -c1), cbrtl(2.0L * c0)));
    for (int k = 0; k < 200; k++) {
        const long double value = ((e + c2) * e + c1) * e - c0, slope = (3.0L * e + 2.0L * c2) * e + c1;
        const long double next = e - value / slope;
        if (!(next < e)) break;
        e = next;
    }
    return e;
}

/* x² + linear x + constant, both of whose roots are on the left. */
static bool from_quadratic(long double linear, long double constant, struct sw_recursive *r)
{
    const long double sum = 1.0L + linear + constant;
    r->a1 = (double)(2.0L * (constant - 1.0L) / sum);
    r->a2 = (double)((1.0L - linear + constant) / sum);
    return isfinite(r->a1) && isfinite(r->a2);
}

static bool factor_general(const struct sw_line_operator *a, long double z, struct sw_recursive *up,
                           struct sw_recursive *down)
{
    const long double s4 = a->s4, s2 = a->s2, s1 = a->s1, q4 = 16.0L * s4 + 4.0L * s2 + z, q2 = -(4.0L * s2 + 2.0L * z);
    if (!(z > 0.0L && q4 > 0.0L)) return false;
    const long double middle = sqrtl(q4) * sqrtl(z), square = sqrtl(z / q4), sigma = sqrtl(square);
    const long double b3 = (8.0L * a->s3 - 2.0L * s1) * sigma * square / z, b1 = 2.0L * s1 * sigma / z;
    /* 2 - b2; where b2 > 0 it may be small, and is 4 q4 z - q2² over something */
    const long double apart = q2 <= 0.0L ? 2.0L - q2 / middle
                                         : 16.0L * (4.0L * z * s4 - s2 * s2) / (middle * (2.0L * middle + q2));
    if (!(apart > 0.0L)) return false;
    const long double c0 = (b3 - b1) * (b3 - b1);
    const long double e = c0 > 0.0L ? positive_root(4.0L + apart, 4.0L * apart + b1 * b3, c0) : 0.0L;
    const long double larger = (fabsl(b3) + sqrtl(b3 * b3 + 4.0L * (apart + e))) / 2.0L;
    const long double smaller = (apart + e) / larger, far = (2.0L + e + sqrtl(e * (4.0L + e))) / 2.0L;
    const bool right_is_far = 2.0L * b1 - b3 * (2.0L + e) > 0.0L;  /* (alpha + gamma) (delta - beta) */
    return from_quadratic((b3 > 0.0L ? larger : smaller) * sigma, (right_is_far ? 1.0L / far : far) * square, up) &&
           from_quadratic((b3 > 0.0L ? smaller : larger) * sigma, (right_is_far ? far : 1.0L / far) * square, down);
}

bool sw_recursive_factors(const struct sw_line_operator *a, bool single, struct sw_recursive *up,
                          struct sw_recursive *down)
{
    const long double z = 1.0L + a->s0;
    if (!(isfinite(a->s4) && isfinite(a->s2) && isfinite(a->s0) && isfinite(a->s1) && isfinite(a->s3))) return false;
    if (a->s1 != 0.0 || a->s3 != 0.0) {
        if (!factor_general(a, z, up, down)) return false;
    } else {
        if (!(z > 0.0L) || !factor_symmetric(a->s4, a->s2, z, up)) return false;
        *down = *up;
    }
    if (single) round_to_single(up), round_to_single(down);
    set_scale(z, up, down);
    return true;
}

/* With c = cos(theta) the square is 4 a2 c² + 2 a1 (1 + a2) c + (1 - a2)² + a1². */
double sw_recursive_growth(const struct sw_recursive *r)
{
    const long double a1 = r->a1, a2 = r->a2;
    long double least = fminl(1.0L + a1 + a2, 1.0L - a1 + a2);
    if (a2 > 0.0L && fabsl(a1) * (1.0L + a2) < 4.0L * a2)
        least = fminl(least, (1.0L - a2) * sqrtl(fmaxl(0.0L, 1.0L - a1 * a1 / (4.0L * a2))));
    return least > 0.0L ? (double)(1.0L / least) : INFINITY;
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

void sw_recursive_answer(const struct sw_recursive *r, int64_t k, long double h[2])
{
    long double power[4];
    power_long(r, k, power);
    h[0] = power[0];
    h[1] = -r->a1 * power[0] - r->a2 * power[2];
}

static bool all_smaller(const long double power[4], double least)
{
    for (int i = 0; i < 4; i++)
        if (!(fabs((double)power[i]) < least)) return false;
    return true;
}

/* P^unit, its square, .. while they are not small; from there downwards the bits of the last power that is not. */
int sw_recursive_decay(const struct sw_recursive *r, int unit, int most, double least)
{
    long double square[32][4], now[4], next[4];
    int bit = 0, k = 0;
    power_long(r, unit, square[0]);
    while (!all_smaller(square[bit], least)) {
        if (1 << bit > most) return most + 1;
        multiply(square[bit], square[bit], square[bit + 1]);
        bit++;
    }
    power_long(r, 0, now);
    while (bit-- > 0) {
        multiply(now, square[bit], next);
        if (all_smaller(next, least)) continue;
        memcpy(now, next, sizeof now);
        k += 1 << bit;
    }
    return k + 1;
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

/* With x_k = (h_k, h_k - h_{k-1}) = P^k (1, 1), y_k the same of Q, the sum H of x_k y_k' over k < 2m is that over
 * k < m, and P^m H Q^m': no term is ever subtracted. Both columns of H are treated alike: where P is Q H stays
 * symmetric to the bit.
 * @param alike  P is Q, and H[2] is not computed but copied */
static void add_later(const long double M[4], const long double N[4], bool alike, long double H[4])
{
    const long double P[4] = {1.0L + M[0], M[1], M[2], 1.0L + M[3]}, Q[4] = {1.0L + N[0], N[1], N[2], 1.0L + N[3]};
    const long double one[2] = {P[0] * H[0] + P[1] * H[2], P[0] * H[1] + P[1] * H[3]};  /* of P H */
    const long double two[2] = {P[2] * H[0] + P[3] * H[2], P[2] * H[1] + P[3] * H[3]};
    const long double other[2] = {alike ? 0 : Q[0] * H[0] + Q[1] * H[1],
                                  alike ? 0 : Q[0] * H[2] + Q[1] * H[3]};  /* of Q H' */
    H[0] += one[0] * Q[0] + one[1] * Q[1];
    H[1] += one[0] * Q[2] + one[1] * Q[3];
    H[2] = alike ? H[1] : H[2] + (other[0] * P[2] + other[1] * P[3]);
    H[3] += two[0] * Q[2] + two[1] * Q[3];
}

/* P^m (1, 1): h_m, h_m - h_{m-1} */
static void impulse(const long double M[4], long double x[2])
{
    x[0] = 1.0L + M[0] + M[1];
    x[1] = 1.0L + M[2] + M[3];
}

struct powers { long double one[4], M[4]; };  /* P - I and P^m - I, exact and to rounding */

static struct powers powers_of(const struct sw_recursive *r)
{
    const long double p = 1.0L + r->a1 + r->a2;
    return (struct powers){{-p, r->a2, -p, r->a2 - 1.0L}, {0}};
}

void sw_recursive_overlap(const struct sw_recursive *first, const struct sw_recursive *second, int64_t n,
                          double overlap[4])
{
    const bool alike = first->a1 == second->a1 && first->a2 == second->a2;  /* what is of Q is of P, then */
    struct powers P = powers_of(first), Q = powers_of(second);
    long double H[4] = {0}, x[2], y[2];  /* over k < m */
    int64_t bit = 1;
    while (bit <= n / 2) bit *= 2;
    for (; bit; bit /= 2) {
        add_later(P.M, Q.M, alike, H);
        join(P.M, P.M, P.M);
        if (alike) memcpy(Q.M, P.M, sizeof Q.M);
        else join(Q.M, Q.M, Q.M);
        if (!(n & bit)) continue;
        impulse(P.M, x);
        impulse(Q.M, y);
        for (int k = 0; k < 4; k++) H[k] += x[k / 2] * y[k % 2];
        join(P.M, P.one, P.M);
        if (alike) memcpy(Q.M, P.M, sizeof Q.M);
        else join(Q.M, Q.one, Q.M);
    }
    impulse(P.M, x);
    impulse(Q.M, y);
    long double before = H[0] - H[1], both_before = H[0] - (H[1] + H[2]) + H[3];  /* of q_{k-1} h_k, q_{k-1} h_{k-1} */
    overlap[0] = (double)(before + x[0] * (y[0] - y[1]));
    overlap[1] = (double)H[0];
    overlap[2] = (double)(-first->a1 * before - first->a2 * both_before);
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
