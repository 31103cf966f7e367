/* Power spectra over rings, against sums over the points of every mode, for awkward sizes. */
#include "helpers.h"

#include <complex.h>
#include <math.h>

#include "base/sw_mem.h"
#include "field/power.h"

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.4;
}

/* All modes, -n/2 < j <= n/2 along each dimension, by their sums. @return mean(u²) V, which all modes together make */
static double sum_modes(int dim, const int64_t n[SW_DIMS], const double length[SW_DIMS], const double *u, int64_t rings,
                        double dk, double *ring, double *wave)
{
    double *count, all = 0, volume = 1;
    const int64_t points = sw_points(n);
    assert_ok(sw_alloc((size_t)rings, &count));
    for (int d = 0; d < dim; d++) volume *= length[d];
    for (int64_t j = 0; j < rings; j++) ring[j] = wave[j] = 0;
    for (int64_t m = 0; m < points; m++) {
        const int64_t k[SW_DIMS] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
        double complex sum = 0;
        double square = 0;
        for (int d = 0; d < dim; d++) {
            const double j = (double)(2 * k[d] > n[d] ? k[d] - n[d] : k[d]);
            square += pow(2 * M_PI * j / length[d], 2);
        }
        for (int64_t x = 0; x < points; x++) {
            const int64_t at[SW_DIMS] = {x % n[0], x / n[0] % n[1], x / n[0] / n[1]};
            double phase = 0;
            for (int d = 0; d < dim; d++) phase += (double)(k[d] * at[d] % n[d]) / (double)n[d];
            sum += u[x] * cexp(-2 * M_PI * I * phase);
        }
        const double power = volume / (double)points / (double)points * pow(cabs(sum), 2);
        const int64_t j = (int64_t)floor(sqrt(square) / dk + 0.5);
        all += power;
        if (j >= rings) continue;
        ring[j] += power;
        wave[j] += sqrt(square);
        count[j]++;
    }
    for (int64_t j = 0; j < rings; j++) {
        assert_true(count[j] > 0);
        ring[j] /= count[j];
        wave[j] /= count[j];
    }
    sw_free(count);
    return all;
}

static void is_the_sum_over_points(void **state)
{
    (void)state;
    static const struct { int dim; int64_t n[SW_DIMS]; double length[SW_DIMS]; int64_t rings; } cases[] = {
        {1, {1, 1, 1}, {2, 0, 0}, 1},      {1, {2, 1, 1}, {2, 0, 0}, 2},        {1, {16, 1, 1}, {3, 0, 0}, 9},
        {1, {45, 1, 1}, {1, 0, 0}, 23},    {1, {101, 1, 1}, {7, 0, 0}, 51},     {2, {8, 8, 1}, {2, 2, 0}, 5},
        {2, {9, 6, 1}, {1, 1, 0}, 4},      {2, {12, 5, 1}, {3, 1, 0}, 3},       {2, {5, 14, 1}, {1, 2.5, 0}, 3},
        {2, {7, 1, 1}, {1, 0.1, 0}, 1},    {3, {4, 6, 5}, {1, 1, 1}, 3},        {3, {6, 4, 3}, {2, 1, 1.5}, 2},
        {3, {5, 3, 8}, {1, 0.5, 2}, 2}};
    unsigned seed = 1;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t points = sw_points(cases[c].n);
        double *u, ring[64], expect[64], wave[64], shortest = INFINITY, square = 0, volume = 1;
        struct sw_power *p;
        assert_ok(sw_alloc((size_t)points, &u));
        for (int64_t x = 0; x < points; x++) u[x] = random_number(&seed);
        for (int d = 0; d < cases[c].dim; d++) {
            shortest = fmin(shortest, cases[c].length[d]);
            volume *= cases[c].length[d];
        }
        for (int64_t x = 0; x < points; x++) square += u[x] * u[x];
        assert_ok(sw_power_create(cases[c].dim, cases[c].n, cases[c].length, &p));
        if (sw_power_rings(p) != cases[c].rings) fail_msg("case %zu: %lld rings", c, (long long)sw_power_rings(p));
        for (int again = 0; again < 2; again++) sw_power_form(p, u, ring);
        const double all = sum_modes(cases[c].dim, cases[c].n, cases[c].length, u, sw_power_rings(p),
                                     2 * M_PI / shortest, expect, wave);
        /* some 100 numbers below 1 a mode, log2(n) roundings of their root mean square in each transform */
        assert_true(fabs(all - volume * square / (double)points) <= 1e-13 * volume);
        for (int64_t j = 0; j < sw_power_rings(p); j++) {
            if (!(fabs(ring[j] - expect[j]) <= 1e-14 * volume)) fail_msg("case %zu, ring %lld: %.17g and %.17g", c,
                                                                         (long long)j, ring[j], expect[j]);
            assert_true(fabs(sw_power_waves(p)[j] - wave[j]) <= 1e-13 * (1 + wave[j]));
        }
        u[points / 2] = NAN;
        sw_power_form(p, u, ring);
        for (int64_t j = 0; j < sw_power_rings(p); j++) assert_true(isnan(ring[j]));
        sw_power_destroy(&p);
        sw_free(u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_the_sum_over_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
