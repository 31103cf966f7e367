/* The discrete Fourier transform of lines of any length, against its definition in long double. */
#include "helpers.h"

#include <math.h>

#include "base/sw_mem.h"
#include "field/dft.h"

static const double unit = 0x1p-53, two_pi = 6.283185307179586476925286766559;

/* By the definition, of x less x_0: |X_k|, k >= 1. */
static double definition(int n, const double *x, int k)
{
    long double re = 0, im = 0;
    for (int i = 0; i < n; i++) {
        long double angle = 2 * 3.14159265358979323846264338327950288L * ((long long)i * k % n) / n;
        re += (x[i] - x[0]) * cosl(angle);
        im += (x[i] - x[0]) * sinl(angle);
    }
    return (double)sqrtl(re * re + im * im);
}

struct spectrum { struct sw_dft d; double *x, *room, *re, *im; };

static void make(int n, struct spectrum *s)
{
    assert_ok(sw_dft_create(n, &s->d));
    assert_ok(sw_alloc((size_t)n, &s->x));
    assert_ok(sw_alloc(4 * (size_t)s->d.length, &s->room));
}

static void transform(struct spectrum *s)
{
    const int length = s->d.length;
    double *const re[2] = {s->room, s->room + length}, *const im[2] = {re[1] + length, re[1] + 2 * length};
    const int at = sw_dft_run(&s->d, s->x, re, im);
    s->re = re[at];
    s->im = im[at];
}

static void unmake(struct spectrum *s)
{
    sw_dft_destroy(&s->d);
    sw_free(s->x);
    sw_free(s->room);
}

/* In units of |x|: a pass of radix r adds r terms, whose errors of a unit each add like noise, sqrt(r) of them; the
 * worst of n is twice what is usual (seen: at most 0.6 of this). A convolution is two transforms and a product. */
static double tolerance(const struct sw_dft *d)
{
    double passes = 0;
    for (int p = 0; p < d->passes; p++) passes += sqrt(d->radix[p]);
    return unit * (d->chirp_re ? 4 * passes + 4 : 2 * passes);
}

/* Primes below and above SW_LARGEST_RADIX, alone and with other factors; lengths of passes with and without a three. */
static void agrees_with_the_definition(void **state)
{
    static const int sizes[] = {5,   8,   37,  64,  96,   97,   101,  103,  127, 202,
                                211, 303, 509, 707, 1009, 1024, 1514, 1787, 2018};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int n = sizes[k];
        struct spectrum s;
        uint64_t seed = 3;
        double size = 0;
        make(n, &s);
        for (int i = 0; i < n; i++) s.x[i] = test_random(&seed) + 4 * cos(two_pi * 3 * i / n);
        for (int i = 0; i < n; i++) size += (s.x[i] - s.x[0]) * (s.x[i] - s.x[0]);
        transform(&s);
        for (int j = 1; j <= n / 2; j++)
            assert_near(hypot(s.re[j], s.im[j]), definition(n, s.x, j), tolerance(&s.d) * sqrt(size));
        unmake(&s);
    }
}

/* A mode has its own entry and no other: x and the tables are off by up to 4 units each, always in the same way, so
 * that errors may add up. A constant has none at all, not even rounding. */
static void finds_one_mode_of_a_long_line(void **state)
{
    static const int sizes[] = {65536, 65537, 100003, 2 * 50021};  /* all but the first with a large prime factor */
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int n = sizes[k], mode = n / 3;
        struct spectrum s;
        make(n, &s);
        assert_int_equal(s.d.length != n, k > 0);
        for (int i = 0; i < n; i++) s.x[i] = cos(two_pi * (double)((int64_t)mode * i % n) / n);
        transform(&s);
        for (int j = 1; j <= n / 2; j++)
            assert_near(hypot(s.re[j], s.im[j]), j == mode ? n / 2.0 : 0, 8 * unit * n);
        for (int i = 0; i < n; i++) s.x[i] = 1.0 / 3;
        transform(&s);
        for (int j = 1; j <= n / 2; j++) assert_true(s.re[j] == 0 && s.im[j] == 0);
        unmake(&s);
    }
}

static void takes_lengths_without_large_factors(void **state)
{
    (void)state;
    assert_int_equal(sw_spectrum_length(97 * 97 * 64), 97 * 97 * 64);
    assert_int_equal(sw_spectrum_length(1000000000), 1000000000);
    assert_int_equal(sw_spectrum_length(101), 192);          /* 101 + 50 <= 3 * 64 < 256    */
    assert_int_equal(sw_spectrum_length(167), 256);          /* 167 + 83 <= 256 < 384       */
    assert_int_equal(sw_spectrum_length(999999937), 3 << 29);  /* the largest prime below 10^9 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(finds_one_mode_of_a_long_line),
        cmocka_unit_test(takes_lengths_without_large_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
