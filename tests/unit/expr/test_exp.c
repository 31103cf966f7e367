/* exp of GPUs (expr/exp_point.h), compiled here, against expl(). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "expr/exp_point.h"
#include "helpers.h"

static const char short_long[] = "long double has no more digits than double on this processor";

static double unit_random(uint64_t *random) { return 0.5 + 0.5 * test_random(random); }

/* Units in the last place of the double that the exact value is nearest to, of those that are subnormal 2^-1074. */
static double error_of(double x)
{
    const long double exact = expl((long double)x);
    int exponent;
    frexpl(exact, &exponent);
    const int unit = exponent - DBL_MANT_DIG > -1074 ? exponent - DBL_MANT_DIG : -1074;
    return (double)fabsl(((long double)sw_exp(x) - exact) / ldexpl(1, unit));
}

/* The bounds are those of the header. Without an expl() of more digits than exp() has there is nothing to compare with
 * (long double is double on some processors). */
static void is_off_by_less_than_one_unit(void **state)
{
    static const struct { double from, to, most; } range[] = {
        {-1, 1, 0.55},      {-20, 20, 0.55},       {-0.03, 0.03, 0.55}, {-708.3, 709.78, 0.55},
        {709, 709.78, 0.55}, {-745.2, -708.3, 0.78}, {-1e-15, 1e-15, 0.51},
    };
    const int count = small_suite() ? 100000 : 1000000;
    uint64_t random = 7;
    (void)state;
    if (LDBL_MANT_DIG < 60) skip_because(short_long);
    for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
        double most = 0, at = 0;
        for (int i = 0; i < count; i++) {
            const double x = range[k].from + (range[k].to - range[k].from) * unit_random(&random), error = error_of(x);
            if (error > most) most = error, at = x;
        }
        if (!(most <= range[k].most)) fail_msg("%a: off by %.4f units", at, most);
    }
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void what_is_no_number_or_out_of_range_comes_out_as_that(void **state)
{
    static const double large[] = {0x1.62e42fefa39fp+9, 710, 1023.999, 1024, 1025, 1e10, 1e300, DBL_MAX, INFINITY};
    static const double small[] = {-0x1.74910d52d3053p+9, -746, -1023.999, -1024, -1025, -1e10, -1e300, -DBL_MAX,
                                   -INFINITY};
    static const double one[] = {0.0, -0.0, 5e-324, -5e-324, 1e-300, -1e-300, 0x1p-54, -0x1p-55};
    static const uint64_t nan_bits[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff0000000000001,
                                        0x7ff00000ffffffff, 0x7fffffffffffffff, 0xffffffffffffffff};
    (void)state;
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) assert_true(sw_exp(large[k]) == INFINITY);
    for (size_t k = 0; k < sizeof small / sizeof *small; k++)
        assert_true(sw_exp(small[k]) == 0 && !signbit(sw_exp(small[k])));
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) assert_true(sw_exp(one[k]) == 1);
    for (size_t k = 0; k < sizeof nan_bits / sizeof *nan_bits; k++) assert_true(isnan(sw_exp(of_bits(nan_bits[k]))));
    assert_true(isfinite(sw_exp(0x1.62e42fefa39efp+9)) && sw_exp(-0x1.74910d52d3051p+9) == 5e-324);
}

/* Of random bits: all exponents. */
static void is_right_for_doubles_of_all_sizes(void **state)
{
    uint64_t random = 11;
    (void)state;
    if (LDBL_MANT_DIG < 60) skip_because(short_long);
    for (int i = 0; i < 1000000; i++) {
        const uint64_t upper = (uint64_t)(unit_random(&random) * 0x1p32),
                       lower = (uint64_t)(unit_random(&random) * 0x1p32);
        const double x = of_bits(upper << 32 | lower), e = sw_exp(x);
        if (isnan(x) ? !isnan(e) : x > 709.79 ? e != INFINITY : x < -745.14 ? e != 0 : !(error_of(x) <= 0.78))
            fail_msg("exp(%a) = %a", x, e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_off_by_less_than_one_unit),
        cmocka_unit_test(what_is_no_number_or_out_of_range_comes_out_as_that),
        cmocka_unit_test(is_right_for_doubles_of_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
