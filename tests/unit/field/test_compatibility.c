/* Whether a mean is that of a text, or what the rule of a grid makes of none. */
#include "helpers.h"

#include <math.h>

#include "field/compatibility.h"

/* Texts on [0, 1] with the mean `extra`. */
struct text { double (*f)(double x, double a); double a, extra; int cells; };

static double smooth(double x, double a) { return exp(a * x) - (exp(a) - 1) / a; }
static double jump(double x, double a) { return (x < a) - a; }
static double kink(double x, double a) { return fabs(x - a) - (a * a + (1 - a) * (1 - a)) / 2; }
static double pole(double x, double a) { return 1 / (x - a); }
static double wave(double x, double a) { return cos(6.283185307179586 * a * x); }

static double value(const struct text *t, double x) { return t->f(x, t->a) + t->extra; }

static enum sw_status finer(void *context, const struct sw_gauss *rule, double *mean)
{
    const struct text *t = context;
    *mean = 0;
    for (int k = 0; k < rule->count; k++)
        for (int i = 0; i < t->cells; i++) *mean += rule->weight[k] * value(t, (i + rule->at[k]) / t->cells) / t->cells;
    return SW_OK;
}

/* By the midpoint rule, or by the trapezoidal rule. */
static enum sw_mean_kind judged(struct text t, bool midpoint, bool brief, double *by_finer)
{
    struct sw_mean_question q = {.cells = (size_t)t.cells, .dim = 1, .brief = brief, .finer = finer,
                                 .context = &t};
    enum sw_mean_kind kind;
    for (int i = 0; i < t.cells; i++) {
        const double x = i, width = 1.0 / t.cells;
        const double one = midpoint ? value(&t, (x + 0.5) * width)
                                    : 0.5 * (value(&t, x * width) + value(&t, (x + 1) * width));
        q.mean += one * width;
        q.size += fabs(one) * width;
    }
    q.rounding = 1e-15 * q.size;
    assert_ok(sw_mean_judge(&q, &kind, by_finer));
    return kind;
}

static bool is_of_grid(struct text t, bool midpoint, double *by_finer)
{
    return judged(t, midpoint, false, by_finer) == SW_MEAN_OF_GRID;
}

/* Gauss's rule of three points integrates powers up to the fifth. Sums of 192 terms below 1 round to 2e-14. */
static void integrates_powers_up_to_the_fifth(void **state)
{
    (void)state;
    for (int parts = 1; parts <= SW_GAUSS_PARTS; parts = 2 * parts + 1) {
        struct sw_gauss rule;
        sw_gauss_rule(parts, &rule);
        assert_int_equal(rule.count, SW_GAUSS * parts);
        for (int power = 0; power <= 6; power++) {
            double sum = 0;
            for (int k = 0; k < rule.count; k++) sum += rule.weight[k] * pow(rule.at[k], power);
            if (power < 6) assert_near(sum, 1.0 / (power + 1), 2e-14);
            else if (parts < 4) assert_true(fabs(sum - 1.0 / 7) > 1e-8);
        }
    }
}

static void smooth_texts_without_a_mean_have_one_on_the_grid_alone(void **state)
{
    double by_finer;
    (void)state;
    for (int cells = 4; cells <= 1024; cells *= 2)
        for (int midpoint = 0; midpoint < 2; midpoint++) {
            assert_true(is_of_grid((struct text){smooth, 2, 0, cells}, midpoint, &by_finer));
            assert_true(fabs(by_finer) < 1e-5);
        }
}

/* Where every rule has the same side of a jump, which lies next to a face: one in a hundred. */
static void jumps_and_kinks_do_nearly_always(void **state)
{
    double (*const f[])(double, double) = {jump, kink};
    (void)state;
    for (int which = 0; which < 2; which++)
        for (int midpoint = 0; midpoint < 2; midpoint++) {
            int refused = 0;
            double by_finer;
            for (int k = 0; k < 500; k++) {
                const double a = 0.1 + 0.8 * fmod(0.618033988749895 * k, 1);
                refused += !is_of_grid((struct text){f[which], a, 0, 24}, midpoint, &by_finer);
            }
            if (refused > 5) fail_msg("%d of 500 refused of text %d", refused, which);
        }
}

static void waves_as_short_as_a_cell_have_no_mean(void **state)
{
    double by_finer;
    (void)state;
    for (int midpoint = 0; midpoint < 2; midpoint++)
        for (int times = 1; times <= 2; times++)
            assert_true(is_of_grid((struct text){wave, 16.0 * times, 0, 16}, midpoint, &by_finer));
}

/* smooth() has a midpoint error of 1.1/cells². */
static void a_mean_of_its_own_is_told_from_that(void **state)
{
    static const double extra[] = {1, -0.3, 0.01, 1e-3};
    double by_finer;
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int midpoint = 0; midpoint < 2; midpoint++) {
            assert_false(is_of_grid((struct text){smooth, 2, extra[k], 64}, midpoint, &by_finer));
            assert_near(by_finer, extra[k], 1e-10);
            assert_false(is_of_grid((struct text){jump, 0.3141, extra[k], 2000}, midpoint, &by_finer));
        }
    assert_true(is_of_grid((struct text){smooth, 2, 1e-5, 64}, true, &by_finer));
}

/* Without parts of cells what is as large as the text is known to be a mean, what is a hundredth of it is not. */
static void the_first_rule_knows_a_large_mean(void **state)
{
    double by_finer;
    (void)state;
    for (int midpoint = 0; midpoint < 2; midpoint++) {
        assert_int_equal(judged((struct text){smooth, 2, 0, 16}, midpoint, true, &by_finer), SW_MEAN_OF_GRID);
        assert_int_equal(judged((struct text){smooth, 2, 3, 16}, midpoint, true, &by_finer), SW_MEAN_OF_TEXT);
        assert_int_equal(judged((struct text){smooth, 2, 3, 16}, midpoint, false, &by_finer), SW_MEAN_OF_TEXT);
        assert_int_equal(judged((struct text){smooth, 2, 0.01, 16}, midpoint, true, &by_finer), SW_MEAN_UNDECIDED);
    }
}

static void a_text_that_is_not_finite_has_no_mean_to_take_off(void **state)
{
    double by_finer;
    (void)state;
    struct sw_gauss rule;
    sw_gauss_rule(1, &rule);
    assert_false(is_of_grid((struct text){pole, rule.at[0] / 8, 0, 8}, true, &by_finer));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrates_powers_up_to_the_fifth),
        cmocka_unit_test(smooth_texts_without_a_mean_have_one_on_the_grid_alone),
        cmocka_unit_test(jumps_and_kinks_do_nearly_always),
        cmocka_unit_test(waves_as_short_as_a_cell_have_no_mean),
        cmocka_unit_test(a_mean_of_its_own_is_told_from_that),
        cmocka_unit_test(the_first_rule_knows_a_large_mean),
        cmocka_unit_test(a_text_that_is_not_finite_has_no_mean_to_take_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
