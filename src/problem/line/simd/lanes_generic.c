/* lanes.h in plain C with the compiler's vectors of 16 bytes: SSE2, NEON, or nothing. Fused where the target has it;
 * the elements of a vector are written out, as a loop over them makes the passes half as fast, and where the
 * instruction has a name it is called by it: elements take twice as long to compile. */
#include <math.h>
#include <stdbool.h>

#ifdef __FMA__
#include <immintrin.h>
#endif

typedef double doubles __attribute__((vector_size(16), may_alias));
typedef float floats __attribute__((vector_size(16), may_alias));
#define SEPARATE_FMA(a, b, c) ((a) * (b) + (c))
#define SEPARATE_FMS(a, b, c) ((a) * (b) - (c))
#define SEPARATE_FNMA(a, b, c) ((c) - (a) * (b))

#ifdef __FP_FAST_FMA
static inline doubles fma_doubles(doubles a, doubles b, doubles c)
{
#ifdef __FMA__
    return (doubles)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
#else
    return (doubles){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])};
#endif
}
#define FMA_DOUBLES(a, b, c) fma_doubles((a), (b), (c))
#define FMS_DOUBLES(a, b, c) fma_doubles((a), (b), -(c))
#define FNMA_DOUBLES(a, b, c) fma_doubles(-(a), (b), (c))
#else
#define FMA_DOUBLES SEPARATE_FMA
#define FMS_DOUBLES SEPARATE_FMS
#define FNMA_DOUBLES SEPARATE_FNMA
#endif

#ifdef __FP_FAST_FMAF
static inline floats fma_floats(floats a, floats b, floats c)
{
#ifdef __FMA__
    return (floats)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#else
    return (floats){fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]), fmaf(a[3], b[3], c[3])};
#endif
}
#define FMA_FLOATS(a, b, c) fma_floats((a), (b), (c))
#define FMS_FLOATS(a, b, c) fma_floats((a), (b), -(c))
#define FNMA_FLOATS(a, b, c) fma_floats(-(a), (b), (c))
#else
#define FMA_FLOATS SEPARATE_FMA
#define FMS_FLOATS SEPARATE_FMS
#define FNMA_FLOATS SEPARATE_FNMA
#endif

#define real double
#define NAMED(name) name##_double
#define LANES SW_LANES
#define VL 2
#define GROUP 2
#define TARGET
#define FMA FMA_DOUBLES
#define FMS FMS_DOUBLES
#define FNMA FNMA_DOUBLES
#include "problem/line/simd/lanes_body.h"

#define real double
#define NAMED(name) name##_few
#define LANES SW_LANES_FEW
#define VL 2
#define GROUP 2
#define TARGET
#define FMA FMA_DOUBLES
#define FMS FMS_DOUBLES
#define FNMA FNMA_DOUBLES
#include "problem/line/simd/lanes_body.h"

#define real float
#define NAMED(name) name##_single
#define LANES SW_LANES_SINGLE
#define VL 4
#define GROUP 2
#define TARGET
#define FMA FMA_FLOATS
#define FMS FMS_FLOATS
#define FNMA FNMA_FLOATS
#include "problem/line/simd/lanes_body.h"

static bool here(void) { return true; }

extern const struct sw_lanes_ops sw_lanes_generic, sw_lanes_few_generic, sw_lanes_single_generic;
const struct sw_lanes_ops sw_lanes_generic = {
    .name = "generic", .lanes = SW_LANES, .here = here,
    .begin = begin_double, .first = first_double, .pass = pass_double, .apply = apply_double, .add = add_double,
    .largest = largest_double,
};
const struct sw_lanes_ops sw_lanes_few_generic = {
    .name = "generic", .lanes = SW_LANES_FEW, .here = here,
    .begin = begin_few, .first = first_few, .pass = pass_few, .apply = apply_few, .add = add_few,
    .largest = largest_few,
};
const struct sw_lanes_ops sw_lanes_single_generic = {
    .name = "generic", .lanes = SW_LANES_SINGLE, .here = here,
    .begin = begin_single, .first = first_single, .pass = pass_single, .apply = apply_single, .add = add_single,
    .largest = largest_single,
};
