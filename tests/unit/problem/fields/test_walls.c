/* Walls of fields: polynomials against the conditions that they are made of, points beyond against polynomials, and
 * products of line matrices against the differences of fields that fulfil the conditions. */
#include "helpers.h"

#include <math.h>
#include <stdlib.h>

#include "problem/fields/product.h"

static const enum fields_wall_kind kinds[] = {FIELDS_VALUE, FIELDS_SLOPE, FIELDS_CLAMPED};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The derivative of an order of a polynomial with SW_END_LIFT coefficients. */
static double derivative(const double *p, int order, double x)
{
    double sum = 0;
    for (int k = SW_END_LIFT - 1; k >= order; k--) {
        double factor = p[k];
        for (int j = 0; j < order; j++) factor *= k - j;
        sum = sum * x + factor;
    }
    return sum;
}

static void polynomials_fulfil_their_conditions(void **state)
{
    const double condition[FIELDS_CONDITIONS] = {0.7, -1.3, 2.1, 0.4};
    (void)state;
    for (int k = 0; k < KINDS * KINDS; k++) {
        const enum fields_wall_kind kind[2] = {kinds[k / KINDS], kinds[k % KINDS]};
        double p[SW_END_LIFT];
        fields_wall_polynomial(kind[0], kind[1], condition, p);
        for (int m = 0; m < FIELDS_CONDITIONS; m++)
            assert_near(derivative(p, fields_wall_order(kind[m / 2], m % 2), m / 2), condition[m], 1e-14);
    }
}

/* Taylor's series to the third order is exact for what it is of: clamped walls know u_n alone. */
static void points_beyond_continue_polynomials(void **state)
{
    const double p[SW_END_LIFT] = {0.3, -0.8, 0.6, 1.1, 0}, bent[SW_END_LIFT] = {0.3, -0.8, 0.6, 0, 0}, d = 0.1;
    (void)state;
    for (int k = 0; k < 2 * KINDS; k++) {
        const enum fields_wall_kind kind = kinds[k / 2];
        const int side = k % 2;
        const double *u = kind == FIELDS_CLAMPED ? bent : p, inwards = side ? -1 : 1;
        const double first = derivative(u, fields_wall_order(kind, 0), 0),
                     second = derivative(u, fields_wall_order(kind, 1), 0);
        for (int j = 1; j <= 2; j++)
            assert_near(fields_wall_reflection(kind) * derivative(u, 0, inwards * j * d) +
                            fields_wall_beyond(kind, side, j, d, first, second),
                        derivative(u, 0, -inwards * j * d), 1e-15);
    }
}

/* ------------------------------------------------------------------ matrices */

enum { N = 9, FAR = 2 };

/* 1 - s2 d2 + s4 d4 of a line with points beyond by the conditions, which are 0. */
static void operate(const enum fields_wall_kind kind[2], double s2, double s4, const double *x, double *f)
{
    double room[N + 2 * FAR], *u = room + FAR;
    for (int i = 0; i < N; i++) u[i] = x[i];
    for (int side = 0; side < 2; side++) {
        const int wall = side ? N - 1 : 0, inwards = side ? -1 : 1;
        if (kind[side] != FIELDS_SLOPE) u[wall] = 0;
        for (int k = 1; k <= FAR; k++)
            u[wall - k * inwards] = (kind[side] == FIELDS_VALUE ? -1 : 1) * u[wall + k * inwards];
    }
    for (int i = 0; i < N; i++)
        f[i] = u[i] - s2 * (u[i - 1] - 2 * u[i] + u[i + 1]) +
               s4 * (u[i - 2] - 4 * u[i - 1] + 6 * u[i] - 4 * u[i + 1] + u[i + 2]);
    for (int side = 0; side < 2; side++)
        if (kind[side] != FIELDS_SLOPE) f[side ? N - 1 : 0] = x[side ? N - 1 : 0];
}

/* Along x and y the same, of a field of N x N: products solve what these operators make. */
static void products_solve(void **state)
{
    const int n[] = {N, N};
    const double dx[] = {1, 1};
    double room[8 * N], eliminated[2][FIELDS_ELIMINATED * N], u[N * N], x[N * N], line[N], f[N];
    (void)state;
    srand(5);
    for (int k = 0; k < KINDS * KINDS * 3; k++) {
        const enum fields_wall_kind kind[2] = {kinds[k % KINDS], kinds[k / KINDS % KINDS]};
        const double size = pow(100, k / (KINDS * KINDS));
        const struct fields_matrix m = {.m2 = {0.7 * size, 0.3 * size}, .m4 = {0.2 * size, 1.1 * size}};
        const struct fields_ends ends[2] = {{{kind[0], kind[1]}, eliminated[0]}, {{kind[1], kind[0]}, eliminated[1]}};
        struct fields_product product;
        for (int c = 0; c < N * N; c++) u[c] = rand() / (double)RAND_MAX - 0.5;
        for (int j = 0; j < N; j++) {  /* what is given at walls stays 0 */
            if (kind[0] != FIELDS_SLOPE) u[j * N] = u[(N - 1) * N + j] = 0;
            if (kind[1] != FIELDS_SLOPE) u[j * N + N - 1] = u[j] = 0;
        }
        for (int j = 0; j < N; j++) operate(kind, m.m2[0], m.m4[0], &u[j * N], &x[j * N]);
        for (int i = 0; i < N; i++) {
            const enum fields_wall_kind turned[2] = {kind[1], kind[0]};
            for (int j = 0; j < N; j++) line[j] = x[j * N + i];
            operate(turned, m.m2[1], m.m4[1], line, f);
            for (int j = 0; j < N; j++) x[j * N + i] = f[j];
        }
        assert_true(fields_product_factor(2, n, dx, ends, 1.0, &m, &product));
        fields_product_solve(&product, room, x);
        /* rounding, times the conditions of both matrices, 1 + 4 s2 + 16 s4 at most */
        for (int c = 0; c < N * N; c++) assert_near(x[c], u[c], 1e-15 * (1 + 7 * size) * (1 + 19 * size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_fulfil_their_conditions), cmocka_unit_test(points_beyond_continue_polynomials),
        cmocka_unit_test(products_solve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
