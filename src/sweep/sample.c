#include "sweep/sample.h"

#include <math.h>

#include "expr/random_point.h"
#include "sweep/sweep_own.h"

/* ------------------------------------------------------------------ Sobol's sequence */

/* Sobol's sequence with the direction numbers of Joe and Kuo ("Constructing Sobol sequences with better two-dimensional
 * projections", SIAM J. Sci. Comput. 30, 2008; file new-joe-kuo-6.21201), dimensions 2 to 21: the degree s of a
 * primitive polynomial, its inner coefficients a, and m_1 .. m_s. Dimension 1 is van der Corput's sequence. */
static const struct { int s; uint32_t a, m[7]; } polynomial[SOBOL_AXES - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

void sobol_directions(int dimension, uint32_t v[32])
{
    if (dimension == 0) {
        for (int k = 0; k < 32; k++) v[k] = 1u << (31 - k);
        return;
    }
    int s = polynomial[dimension - 1].s;
    uint32_t a = polynomial[dimension - 1].a;
    for (int k = 0; k < s; k++) v[k] = polynomial[dimension - 1].m[k] << (31 - k);
    for (int k = s; k < 32; k++) {
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int i = 1; i < s; i++)
            if ((a >> (s - 1 - i)) & 1) v[k] ^= v[k - i];
    }
}

/* In Gray code order (Antonov and Saleev 1979), as other implementations have it. */
uint32_t sobol_point(const uint32_t direction[32], uint32_t index)
{
    uint32_t x = 0;
    for (uint32_t gray = index ^ (index >> 1), k = 0; gray; gray >>= 1, k++)
        if (gray & 1) x ^= direction[k];
    return x;
}

/* ------------------------------------------------------------------ points */

/* Streams of random numbers; 0 and 1 belong to initial and forcing. */
enum { STREAM_COORDINATE = 2, STREAM_SHUFFLE, STREAM_SHIFT };

static int hash_name(const char *name)
{
    uint32_t h = 2166136261u;  /* FNV-1a */
    for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c) * 16777619u;
    return (int)(h >> 1);
}

/* A random order of 0 .. count-1 (Fisher and Yates). */
static void shuffle(double seed, int stream, int64_t count, uint32_t *rank)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t other = (int64_t)(sw_rand(seed, stream, k, STREAM_SHUFFLE) * (double)(k + 1));
        rank[k] = rank[other];
        rank[other] = (uint32_t)k;
    }
}

static enum sw_status prepare_lhs(struct sw_sweep *s, struct sample *p)
{
    SW_TRY(sw_arena_take(s->own->arena, (size_t)p->dimensions * (size_t)p->count, &p->rank));
    for (int d = 0; d < p->dimensions; d++) shuffle(p->seed, p->stream[d], p->count, p->rank + d * p->count);
    return SW_OK;
}

/* Seed 0 is the plain sequence, which begins at (0, 0, ...). Any other seed flips binary digits, the same ones in all
 * points of an axis: the points fill the box as evenly as before. */
static enum sw_status prepare_sobol(struct sw_sweep *s, struct sample *p)
{
    if (p->dimensions > SOBOL_AXES) {
        report_error(s, NULL,
                     "a Sobol sequence has at most %d axes here, the sweep has %d; use sample.method = \"lhs\"",
                     SOBOL_AXES, p->dimensions);
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, (size_t)p->dimensions, &p->direction));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)p->dimensions, &p->shift));
    for (int k = 0; k < p->dimensions; k++) {
        sobol_directions(k, p->direction[k]);
        if (p->seed != 0) p->shift[k] = (uint32_t)(sw_rand(p->seed, k, 0, STREAM_SHIFT) * 0x1p32);
    }
    return SW_OK;
}

enum sw_status sample_prepare(struct sw_sweep *s, const char *const *name)
{
    struct sample *p = s->own->sample;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)p->dimensions, &p->stream));
    for (int d = 0; d < p->dimensions; d++) p->stream[d] = hash_name(name[d]);
    if (p->method == SAMPLE_LHS) return prepare_lhs(s, p);
    return p->method == SAMPLE_SOBOL ? prepare_sobol(s, p) : SW_OK;
}

double sample_coordinate(const struct sample *p, int d, int64_t point)
{
    if (p->method == SAMPLE_SOBOL) return (sobol_point(p->direction[d], (uint32_t)point) ^ p->shift[d]) * 0x1p-32;
    double u = sw_rand(p->seed, p->stream[d], point, STREAM_COORDINATE);
    return p->method == SAMPLE_RANDOM ? u : (p->rank[d * p->count + point] + u) / (double)p->count;
}

/* ------------------------------------------------------------------ the normal distribution */

/* Its inverse: M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
 * Statistics 37 (1988) 477, the version of 16 digits. Rational functions, of (p - 1/2)^2 in the middle, of
 * sqrt(-log p) in the tails. */
enum { COEFFICIENTS = 8 };

static double evaluate(const double c[COEFFICIENTS], double r)
{
    double sum = 0;
    for (int k = 0; k < COEFFICIENTS; k++) sum = sum * r + c[k];
    return sum;
}

static double ratio(const double top[COEFFICIENTS], const double bottom[COEFFICIENTS], double r)
{
    return evaluate(top, r) / evaluate(bottom, r);
}

static const double middle[2][COEFFICIENTS] = {
    {2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
     1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0},
    {5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
     5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0}};
static const double near[2][COEFFICIENTS] = {
    {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
     3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0},
    {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0}};
static const double far[2][COEFFICIENTS] = {
    {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0},
    {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0}};

double normal_quantile(double p)
{
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) return q * ratio(middle[0], middle[1], 0.180625 - q * q);
    const double r = sqrt(-log(q < 0 ? p : 1 - p));
    return copysign(r <= 5 ? ratio(near[0], near[1], r - 1.6) : ratio(far[0], far[1], r - 5), q);
}
