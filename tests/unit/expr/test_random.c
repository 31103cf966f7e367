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

/* ------------------------------------------------------------------ the noise of steps */

/* Its parts beside double precision, in units of 2^-24 of them: a polynomial's error and the roundings of its steps.
 * Each exponent and the ends of its range, else every so many of the arguments; SW_LONG=1: 2^24 of them. */
static void parts_of_noise_are_rounded_in_their_last_digits_only(void **state)
{
    const uint32_t every = long_suite() ? 251 : 8171;
    double worst[4] = {0};
    (void)state;
    for (uint64_t n = 0; n < (uint64_t)1 << 32; n += every) {
        const int bit = (int)(n / every % 32);
        const uint32_t edge = n / every % 2 ? UINT32_MAX >> bit : 1u << bit, word = n < 64 * every ? edge : (uint32_t)n;
        const double u = ((double)word + 0.5) * 0x1p-32, square = -2 * log(u);
        const double a = ((double)(int32_t)word + 0.5) * 0x1p-32;
        const double upper = word >> 31 ? -2 * log1p(-((double)~word + 0.5) * 0x1p-32) : square;
        const float t = (float)a;
        const double sine = sin(M_PI / 2 * t), cosine = cos(M_PI / 2 * t), root = sqrt((double)sw_noise_square(word));
        worst[0] = fmax(worst[0], fabs(sw_noise_square(word) - upper) / upper);
        worst[1] = fmax(worst[1], fabs(sw_noise_sine(t) - sine) / fabs(sine));
        worst[2] = fmax(worst[2], fabs(sw_noise_cosine(t) - cosine) / cosine);
        worst[3] = fmax(worst[3], fabs(sw_noise_root(sw_noise_square(word)) - root) / root);
    }
    print_message("-2 log u %.2f, sine %.2f, cosine %.2f, root %.2f units of 2^-24\n", worst[0] * 0x1p24,
                  worst[1] * 0x1p24, worst[2] * 0x1p24, worst[3] * 0x1p24);
    assert_true(worst[0] < 4 * 0x1p-24 && worst[1] < 4 * 0x1p-24 && worst[2] < 4 * 0x1p-24 && worst[3] <= 0x1p-24);
}

static void noise_has_the_same_bits_everywhere(void **state)
{
    static const float known[] = {-0x1.45180ap+0f, 0x1.6daa92p-1f, 0x1.395d84p-3f, 0x1.beddbcp-3f};
    uint32_t x[4], y[4];
    (void)state;
    sw_noise_words(1.0, 1000003, 5, 1, x);
    const float two[2] = {sw_noise_of(x[0], x[1], 0), sw_noise_of(x[0], x[1], 1)};
    const float value[4] = {two[0], two[1], sw_noise_of(x[2], x[3], 0), sw_noise_of(x[2], x[3], 1)};
    for (int q = 0; q < 4; q++) {
        assert_true(sw_noise(1.0, 4 * 1000003 + q, 0, 0, 0, 0, 0, SW_NOISE_HERE, 0, 5, 1) == (double)value[q]);
        if (value[q] != known[q]) fail_msg("%d: %a", q, (double)value[q]);
    }
    sw_noise_words(1.0, 1000003, 5 + (1ll << 32), 1, y);
    assert_true(memcmp(x, y, sizeof x));
}

/* Points of planes and boxes have numbers of their own, of lines likewise. */
static void places_of_noise_differ(void **state)
{
    enum { NX = 5, NY = 6, NZ = 3, ROOM = NX * 8 * NZ * 4 };
    (void)state;
    for (int line = 0; line < 2; line++) {
        bool taken[ROOM] = {false};
        for (int c = 0; c < NX * NY * NZ; c++) {
            const struct sw_noise_place p =
                line ? sw_noise_place(c, 0, 0, 0, 0, 0, SW_NOISE_HERE, 0)
                     : sw_noise_place(c % NX, c / NX % NY & ~3, c / NX % NY & 3, c / NX / NY, NX, NY, SW_NOISE_HERE, 0);
            const unsigned at = 4 * p.block + (unsigned)p.lane;
            assert_true(at < ROOM && !taken[at]);
            taken[at] = true;
        }
    }
}

/* The probability of |x| < t of a normal number. */
static double within(double t) { return erf(t / sqrt(2.0)); }

/* A statistic beside its mean, in its standard deviations; 10^6 numbers, or with SW_LONG=1 10^8. */
static void assert_usual(const char *what, double value, double mean, double deviation)
{
    const double off = (value - mean) / deviation;
    if (!(fabs(off) < 5)) fail_msg("%s: %.9g, %.2f standard deviations from %.9g", what, value, off, mean);
}

static double noise_at(double key, int cell, long long step, uint32_t stream)
{
    return sw_noise(key, cell, 0, 0, 0, 0, 0, SW_NOISE_HERE, 0, step, stream);
}

static void noise_is_normal(void **state)
{
    enum { BINS = 200, TAILS = 12 };
    const long long count = long_suite() ? 100000000 : 1000000;
    static long long bin[BINS + 2], tail[TAILS + 1];
    double sum[4] = {0}, lanes[4][4] = {{0}}, squares[4][4] = {{0}}, next = 0, before[4] = {0};
    (void)state;
    for (long long n = 0; n < count / 4; n++) {
        uint32_t x[4];
        sw_noise_words(5.0, (uint32_t)(n % 1000), n / 1000, 1, x);
        double v[4];
        for (int q = 0; q < 4; q++) {
            v[q] = sw_noise_of(x[q & 2], x[(q & 2) + 1], q & 1);
            const double s = v[q] * v[q];
            sum[0] += v[q], sum[1] += s, sum[2] += s * v[q], sum[3] += s * s;
            const int at = (int)(BINS * 0.5 * (1 + (v[q] < 0 ? -1 : 1) * within(fabs(v[q]))));
            bin[at < BINS ? at : BINS - 1]++;
            for (int t = 1; t <= TAILS; t++) tail[t] += fabs(v[q]) > 0.5 * t;
        }
        for (int q = 0; q < 4; q++)
            for (int p = 0; p < q; p++) {
                lanes[q][p] += v[q] * v[p];
                squares[q][p] += (v[q] * v[q] - 1) * (v[p] * v[p] - 1);
            }
        next += before[3] * v[0];
        memcpy(before, v, sizeof v);
    }
    const double N = (double)count, root = sqrt(N);
    /* variances of v, v^2, v^3, v^4 are 1, 2, 15, 96; of products of two 1 and 4 */
    assert_usual("mean", sum[0] / N, 0, 1 / root);
    assert_usual("variance", sum[1] / N, 1, sqrt(2) / root);
    assert_usual("third moment", sum[2] / N, 0, sqrt(15) / root);
    assert_usual("fourth moment", sum[3] / N, 3, sqrt(96) / root);
    for (int q = 0; q < 4; q++)
        for (int p = 0; p < q; p++) {
            assert_usual("correlation of two lanes", lanes[q][p] / (N / 4), 0, 2 / root);
            assert_usual("correlation of their squares", squares[q][p] / (N / 4), 0, 4 / root);
        }
    assert_usual("correlation of two blocks", next / (N / 4), 0, 2 / root);
    double chi = 0;
    for (int k = 0; k < BINS; k++) chi += (bin[k] - N / BINS) * (bin[k] - N / BINS) / (N / BINS);
    assert_usual("chi square", chi, BINS - 1, sqrt(2.0 * (BINS - 1)));
    for (int t = 1; t <= TAILS; t++) {  /* |v| > t/2, up to 6: to 5 by 10^8 numbers, as far as ten are expected */
        const double p = erfc(0.5 * t / sqrt(2.0));
        if (N * p < 10) continue;
        print_message("|v| > %.1f: %lld, %.5g expected\n", 0.5 * t, tail[t], N * p);
        assert_usual("tail", (double)tail[t], N * p, sqrt(N * p * (1 - p)));
    }
}

/* Of neighbours, steps, keys and streams; of randn and rand of the same key. */
static void noise_of_different_places_is_uncorrelated(void **state)
{
    enum { WHICH = 8, SAMPLES = 200000 };
    double dot[WHICH] = {0}, of_squares[WHICH] = {0};
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const int cell = n % 1000, step = n / 1000;
        const double v = noise_at(2.0, cell, step, 1);
        const double other[WHICH] = {noise_at(2.0, cell + 1, step, 1),    noise_at(2.0, cell + 4, step, 1),
                                     noise_at(2.0, cell, step + 1, 1),    noise_at(3.0, cell, step, 1),
                                     noise_at(2.0, cell, step, 2),        sw_randn(2.0, cell, step, 1),
                                     sw_randn(2.0, cell / 4, step, 1),    noise_at(2.0, step, cell + 1000, 1)};
        for (int k = 0; k < WHICH; k++) {
            dot[k] += v * other[k];
            of_squares[k] += (v * v - 1) * (other[k] * other[k] - 1);
        }
    }
    for (int k = 0; k < WHICH; k++) {
        assert_usual("correlation", dot[k] / SAMPLES, 0, 1 / sqrt(SAMPLES));
        assert_usual("correlation of squares", of_squares[k] / SAMPLES, 0, 2 / sqrt(SAMPLES));
    }
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
        cmocka_unit_test(parts_of_noise_are_rounded_in_their_last_digits_only),
        cmocka_unit_test(noise_has_the_same_bits_everywhere),
        cmocka_unit_test(places_of_noise_differ),
        cmocka_unit_test(noise_is_normal),
        cmocka_unit_test(noise_of_different_places_is_uncorrelated),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
