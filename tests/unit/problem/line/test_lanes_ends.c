/* Lines that end, side by side, in each instruction set that this processor has, against the Fourier solution on the
 * circle that two reflections make of a line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "lanes_helpers.h"
#include "problem/line/stepper/ends_point.h"
#include "problem/line/simd/lanes.h"

static const double unit = 0x1p-53;
enum { MAX_N = 200, LINES = SW_LANES };

static _Alignas(64) double u[MAX_N * SW_LANES], before[MAX_N * SW_LANES];
static _Alignas(64) double swept[(MAX_N + 2 * SW_LANES_MARGIN) * SW_LANES], h[(MAX_N + 2) * SW_LANES];
static struct sw_lanes_closing closing;

static void set(struct sw_lanes *lanes, int n, const bool value[2], const double *s4, const double *s2)
{
    *lanes = (struct sw_lanes){.closing = &closing};
    for (int l = 0; l < LINES; l++) {
        struct sw_lanes_line line;
        const struct sw_line_operator a = {.s4 = s4[l], .s2 = s2[l]};
        if (!sw_lanes_line(n, &a, false, &line)) fail_msg("s4 = %g, s2 = %g refused", s4[l], s2[l]);
        sw_lanes_close_line(n, value, &line);
        sw_lanes_set(lanes, l, &line, 1.0, 1.0);
        sw_lanes_set_closing(&closing, l, &line);
    }
}

static void fill(int n, const bool value[2])
{
    srand(7);
    for (int i = 0; i < n * SW_LANES; i++) u[i] = before[i] = 0.5 + (double)rand() / RAND_MAX;
    for (int l = 0; l < SW_LANES; l++) {
        if (value[0]) u[l] = before[l] = 0;
        if (value[1]) u[(n - 1) * SW_LANES + l] = before[(n - 1) * SW_LANES + l] = 0;
    }
}

/* The right-hand side at a point of the circle of 4 (n - 1) points. */
static double on_circle(int n, const bool value[2], const double *f, int i)
{
    const int half = 2 * (n - 1), j = i % half;
    const double turn = i >= half && value[0] != value[1] ? -1 : 1;
    return turn * (j < n ? f[j * SW_LANES] : (value[1] ? -1 : 1) * f[(half - j) * SW_LANES]);
}

/* The bound of one solve on a circle, and the largest error over it. */
static double compare(const char *what, int n, const bool value[2], const double *s4, const double *s2)
{
    static long double expected[4 * MAX_N];
    static double f[4 * MAX_N];
    double worst = 0;
    for (int l = 0; l < LINES; l++) {
        double error = 0.0, largest = 0.0;
        for (int i = 0; i < 4 * (n - 1); i++) f[i] = on_circle(n, value, before + l, i);
        test_fourier_solve(4 * (n - 1), s4[l], s2[l], f, 1, expected);
        for (int i = 0; i < n; i++) {
            largest = fmax(largest, fabs(f[i]));
            error = fmax(error, (double)fabsl(u[i * SW_LANES + l] - expected[i]));
        }
        const double bound = 10.0 * unit * (1.0 + sqrt(s2[l]) + sqrt(s4[l])) * largest;
        if (!(error <= bound))
            fail_msg("%s, n = %d, ends %d %d, s4 = %g, s2 = %g: off by %g > %g", what, n, value[0], value[1], s4[l],
                     s2[l], error, bound);
        worst = fmax(worst, error / bound);
    }
    return worst;
}

static double check(const struct sw_lanes_ops *ops, int n, const double *s4, const double *s2)
{
    static struct sw_lanes lanes;
    static struct sw_lanes_work work;
    double worst = 0;
    for (int k = 0; k < 8; k++) {  /* kinds of ends; one goes up, the other down */
        const struct sw_lanes_ends ends = {.value = {k & 1, k & 2}};
        const struct sw_lanes_terms solve = {.u_weight = 1.0, .ends = &ends};
        set(&lanes, n, ends.value, s4, s2);
        fill(n, ends.value);
        memset(swept, 0, sizeof swept);
        work.w = swept;
        work.h[0] = h;
        ops->begin(&lanes, n, &work, false);
        ops->first(&lanes, n, &work, u, &solve, k & 4);
        ops->pass(&lanes, n, &work, u, u, &solve, k & 4, true);
        worst = fmax(worst, compare(ops->name, n, ends.value, s4, s2));
    }
    return worst;
}

static void solves_within_its_bound_for_all_coefficients(void **state)
{
    static const int sizes[] = {5, 6, 7, 16, 33, 100, 199};
    double s4[LINES], s2[LINES], worst = 0;
    (void)state;
    for (int k = 0; sw_lanes_table[k]; k++) {
        if (!sw_lanes_table[k]->here()) continue;
        for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++)
            for (int first = 0; first < (sizes[s] < 50 ? COEFFICIENTS : 1); first += 61) {
                choose_coefficients(first, 43, s4, s2);
                worst = fmax(worst, check(sw_lanes_table[k], sizes[s], s4, s2));
            }
    }
    print_message("at most %.2g of the bound\n", worst);
}

/* A polynomial of degree 3, or 4 between slopes, and A times it. */
static void lifts_by_a_polynomial_that_fulfils_the_conditions(void **state)
{
    enum { N = 11 };
    const double dx = 0.3, e = 1.0 / (N - 1), length = (N - 1) * dx;
    const struct sw_line_operator a = {.s4 = 2.0, .s2 = 0.7, .s0 = 0.2, .s1 = 0.4, .s3 = -0.6};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int value[2] = {k & 1, k & 2};
        const double first[2] = {0.3, -0.8}, second[2] = {1.1, -0.4};
        double p[SW_LANES_LIFT], rhs[SW_LANES_LIFT], at[N + 4], q;
        sw_end_lift(N, value, first, second, dx, &a, p, rhs);
        for (int i = -2; i < N + 2; i++) {
            const double x = i * e;
            at[i + 2] = (((p[4] * x + p[3]) * x + p[2]) * x + p[1]) * x + p[0];
        }
        for (int side = 0; side < 2; side++) {
            const double x = side;
            const double one = ((4 * p[4] * x + 3 * p[3]) * x + 2 * p[2]) * x + p[1];
            const double two = (12 * p[4] * x + 6 * p[3]) * x + 2 * p[2];
            const double zero = at[side ? N + 1 : 2], three = 24 * p[4] * x + 6 * p[3];
            assert_near(value[side] ? zero : one / length, first[side], 1e-14);
            assert_near(value[side] ? two / length / length : three / length / length / length, second[side], 1e-13);
        }
        for (int i = 0; i < N; i++) {
            const double *v = at + i + 2, x = i * e;
            q = (1 + a.s0) * v[0] + a.s1 * (v[1] - v[-1]) / 2 - a.s2 * (v[-1] - 2 * v[0] + v[1]) +
                a.s3 * (v[2] - 2 * v[1] + 2 * v[-1] - v[-2]) / 2 +
                a.s4 * (v[-2] - 4 * v[-1] + 6 * v[0] - 4 * v[1] + v[2]);
            assert_near((((rhs[4] * x + rhs[3]) * x + rhs[2]) * x + rhs[1]) * x + rhs[0], q, 1e-12);
        }
    }
}

/* ------------------------------------------------------------------ digits, against elimination in 113 bits */

typedef __float128 quad;

/* Of A with two ends, by its rows as they are printed in ends_point.h: nothing of recursions or their closing. */
static void eliminate(int n, const bool value[2], double s4, double s2, const double *f, int stride, quad *x)
{
    static quad row[MAX_N][MAX_N + 1];
    const double inside[5] = {s4, -4 * s4 - s2, 1 + 6 * s4 + 2 * s2, -4 * s4 - s2, s4};
    for (int i = 0; i < n; i++) {
        double entry[5];
        sw_end_row(value[0] ? SW_END_VALUE : SW_END_SLOPE, value[1] ? SW_END_VALUE : SW_END_SLOPE, n, i, inside, entry);
        for (int c = 0; c < n; c++) row[i][c] = c >= i - 2 && c <= i + 2 ? entry[c - i + 2] : 0;
        row[i][n] = f[i * stride];
    }
    for (int k = 0; k < n; k++)  /* A is diagonally dominant, or nearly so: without pivoting */
        for (int i = k + 1; i < n && i <= k + 2; i++) {
            const quad factor = row[i][k] / row[k][k];
            for (int c = k; c < n && c <= k + 2; c++) row[i][c] -= factor * row[k][c];
            row[i][n] -= factor * row[k][n];
        }
    for (int i = n - 1; i >= 0; i--) {
        quad sum = row[i][n];
        for (int c = i + 1; c < n && c <= i + 2; c++) sum -= row[i][c] * x[c];
        x[i] = sum / row[i][i];
    }
}

/* How much of itself the solution of lane 0 loses: of the largest |x|. */
static double lost_of_itself(int n, const bool value[2], double s4, double s2)
{
    static quad x[MAX_N];
    double error = 0, largest = 0;
    eliminate(n, value, s4, s2, before, SW_LANES, x);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs((double)x[i]));
        error = fmax(error, fabs((double)(x[i] - u[i * SW_LANES])));
    }
    return error / largest;
}

static double random_of(double least, double most)
{
    return least * pow(most / least, (double)rand() / RAND_MAX);
}

/* Random A, to the coefficients at which steps are refused: where the closing lost digits, so would the result. */
static void loses_few_digits_of_itself(void **state)
{
    const struct sw_lanes_ops *ops = NULL;
    static struct sw_lanes lanes;
    static struct sw_lanes_work work;
    double worst[4] = {0};
    (void)state;
    for (int k = 0; !ops && sw_lanes_table[k]; k++)
        if (sw_lanes_table[k]->here()) ops = sw_lanes_table[k];
    assert_non_null(ops);
    srand(11);
    for (int round = 0; round < 400; round++) {
        const int n = 12 + rand() % (MAX_N - 12), kind = round % 4;
        const bool value[2] = {kind & 1, kind & 2};
        double s4[LINES], s2[LINES];
        for (int l = 0; l < LINES; l++) s4[l] = random_of(1e-3, 1e10), s2[l] = random_of(1e-3, 1e3);
        const struct sw_lanes_ends ends = {.value = {value[0], value[1]}};
        const struct sw_lanes_terms solve = {.u_weight = 1.0, .ends = &ends};
        set(&lanes, n, value, s4, s2);
        fill(n, value);
        memset(swept, 0, sizeof swept);
        work.w = swept;
        work.h[0] = h;
        ops->begin(&lanes, n, &work, false);
        ops->first(&lanes, n, &work, u, &solve, false);
        ops->pass(&lanes, n, &work, u, u, &solve, false, true);
        const double lost = lost_of_itself(n, value, s4[0], s2[0]);
        worst[kind] = fmax(worst[kind], lost);
    }
    print_message("slopes %.2g, one value %.2g %.2g, values %.2g\n", worst[0], worst[1], worst[2], worst[3]);
    for (int kind = 0; kind < 4; kind++) assert_true(worst[kind] < 1e-6);  /* seen: 7e-8; in double 7e-5 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_within_its_bound_for_all_coefficients),
        cmocka_unit_test(loses_few_digits_of_itself),
        cmocka_unit_test(lifts_by_a_polynomial_that_fulfils_the_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
