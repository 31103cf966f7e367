/* Philox4x32-10 and what is made of it. */
#include <math.h>
#include <string.h>

#include "expr/random_point.h"
#include "helpers.h"

static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    /* kat_vectors of Random123 (Salmon et al.), philox4x32 with 10 rounds: counter, key, result */
    static const uint32_t known[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
         0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
         0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (int k = 0; k < 3; k++) {
        uint32_t x[4];
        memcpy(x, known[k], sizeof x);
        sw_philox(x, known[k][4], known[k][5]);
        for (int j = 0; j < 4; j++) assert_int_equal(x[j], known[k][6 + j]);
    }
}

static void a_number_is_built_from_the_words_of_one_block(void **state)
{
    (void)state;
    const double key = 3.0;
    uint64_t bits;
    memcpy(&bits, &key, sizeof bits);
    uint32_t x[4] = {12, 0x89abcdef, 0x01234567, 1};  /* cell, step low and high, stream */
    sw_philox(x, (uint32_t)bits, (uint32_t)(bits >> 32));
    double whole = ldexp(x[0], 20) + (x[1] >> 12);
    assert_near(sw_rand(3.0, 12, 0x0123456789abcdef, 1), ldexp(whole + 0.5, -52), 0);
}

enum { CELLS = 1000, STEPS = 1000, COUNT = CELLS * STEPS };

static void uniform_numbers_have_the_moments_of_the_uniform_distribution(void **state)
{
    (void)state;
    double sum[3] = {0}, low = 1, high = 0, lag = 0, previous = 0.5;
    for (int n = 0; n < COUNT; n++) {
        double v = sw_rand(1.0, n % CELLS, n / CELLS, 0), d = v - 0.5;
        sum[0] += d;
        sum[1] += d * d;
        sum[2] += d * d * d;
        lag += d * (previous - 0.5);
        previous = v;
        low = fmin(low, v);
        high = fmax(high, v);
    }
    /* five standard deviations of the mean of 1e6 numbers; variances 1/12, 1/180, 1/448, 1/144 */
    assert_near(sum[0] / COUNT, 0, 5e-3 * sqrt(1.0 / 12));
    assert_near(sum[1] / COUNT, 1.0 / 12, 5e-3 * sqrt(1.0 / 180));
    assert_near(sum[2] / COUNT, 0, 5e-3 * sqrt(1.0 / 448));
    assert_near(lag / COUNT, 0, 5e-3 / 12);
    assert_true(low > 0 && low < 2e-5 && high < 1 && high > 1 - 2e-5);  /* e^-20 that 1e6 numbers leave such a gap */
}

static void normal_numbers_have_the_moments_of_the_normal_distribution(void **state)
{
    (void)state;
    double sum[4] = {0}, neighbour = 0, previous = 0, uniform = 0;
    for (int n = 0; n < COUNT; n++) {
        int cell = n % CELLS, step = n / CELLS;
        double v = sw_randn(5.0, cell, step, 0);
        for (int k = 0; k < 4; k++) sum[k] += pow(v, k + 1);
        neighbour += v * previous;
        uniform += v * v * (sw_rand(5.0, cell, step, 0) - 0.5);  /* Box and Muller's radius comes from such a number */
        previous = v;
    }
    /* five standard deviations: variances of v, v², v³, v⁴ are 1, 2, 15, 96 */
    assert_near(sum[0] / COUNT, 0, 5e-3);
    assert_near(sum[1] / COUNT, 1, 5e-3 * sqrt(2));
    assert_near(sum[2] / COUNT, 0, 5e-3 * sqrt(15));
    assert_near(sum[3] / COUNT, 3, 5e-3 * sqrt(96));
    assert_near(neighbour / COUNT, 0, 5e-3);
    assert_near(uniform / COUNT, 0, 5e-3 * sqrt(3.0 / 12));
}

static void a_number_depends_on_key_cell_step_and_stream_and_on_nothing_else(void **state)
{
    (void)state;
    double first = sw_randn(2.0, 7, 11, 1);
    for (int n = 0; n < 100; n++) (void)sw_randn(n, n, n, 0);
    assert_true(sw_randn(2.0, 7, 11, 1) == first);
    assert_true(sw_randn(2.5, 7, 11, 1) != first);
    assert_true(sw_randn(2.0, 8, 11, 1) != first);
    assert_true(sw_randn(2.0, 7, 12, 1) != first);
    assert_true(sw_randn(2.0, 7, 11 + (1ll << 32), 1) != first);
    assert_true(sw_randn(2.0, 7, 11, 0) != first);
    assert_true(sw_rand(-0.0, 1, 1, 0) == sw_rand(0.0, 1, 1, 0));
    assert_true(isnan(sw_rand(NAN, 1, 1, 0)) && isnan(sw_randn(NAN, 1, 1, 0)));
    assert_true(sw_rand(INFINITY, 1, 1, 0) < 1);
}

static void fields_of_different_seeds_are_uncorrelated(void **state)
{
    (void)state;
    double dot = 0;
    for (int cell = 0; cell < 100000; cell++) dot += sw_randn(1.0, cell, 0, 0) * sw_randn(2.0, cell, 0, 0);
    assert_near(dot / 100000, 0, 5 / sqrt(100000));  /* five standard deviations */
}

/* Its parts beside long double, in units of 2^-53 of them: a polynomial's error of 2^-59 to 2^-54.5, the roundings of
 * its last steps; also next to 0, 1 and where the exponent or the sign changes. */
static void a_normal_number_is_rounded_in_its_last_digits_only(void **state)
{
    const long double turn = 2 * acosl(-1.0L);
    const double near[] = {0x1p-53, 1 - 0x1p-53, 0.5, sqrt(0.5), nextafter(sqrt(0.5), 0), 0.25, 0.75,
                           0x1.fffffffffffffp-2, nextafter(0.25, 1), 0x1.8000000000001p-53};
    (void)state;
    for (int n = 0; n < COUNT; n++) {
        double u, v;
        sw_rand_pair(1.0, n % CELLS, n / CELLS, 0, &u, &v);
        if (n < (int)(sizeof near / sizeof *near)) u = v = near[n];
        else if (n % 3 == 0) u = ldexp(u, -n % 40);
        const long double l = logl((long double)u), c = sinl(turn * (fabsl((long double)v - 0.5L) - 0.25L));
        if (!(fabsl(sw_log_of_uniform(u) - l) <= 1.5L * 0x1p-53L * fabsl(l))) fail_msg("log %a: %a", u, (double)l);
        if (!(fabsl(sw_cosine_of_turns(v) - c) <= 3 * 0x1p-53L * fabsl(c))) fail_msg("cos %a: %a", v, (double)c);
    }
}

/* What any compiler and processor has to give, as every multiply-add is written. */
static void a_normal_number_has_the_same_bits_everywhere(void **state)
{
    static const double known[] = {-0x1.3a8610e0f1a48p+0, 0x1.daa1ca52c2912p+0,
                                   -0x1.195248c0467c3p-2, 0x1.a8932885cdce9p+0};
    (void)state;
    for (int c = 0; c < 4; c++) assert_true(sw_randn(1.0, c * 1000003, c, 0) == known[c]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(a_number_is_built_from_the_words_of_one_block),
        cmocka_unit_test(uniform_numbers_have_the_moments_of_the_uniform_distribution),
        cmocka_unit_test(normal_numbers_have_the_moments_of_the_normal_distribution),
        cmocka_unit_test(a_number_depends_on_key_cell_step_and_stream_and_on_nothing_else),
        cmocka_unit_test(a_normal_number_is_rounded_in_its_last_digits_only),
        cmocka_unit_test(a_normal_number_has_the_same_bits_everywhere),
        cmocka_unit_test(fields_of_different_seeds_are_uncorrelated),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
