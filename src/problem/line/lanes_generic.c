/* lanes.h in plain C with the compiler's vectors of 16 bytes: SSE2, NEON, or nothing. Fused where the target has it;
 * the elements of a vector are written out, as a loop over them makes the passes half as fast. */
#include <math.h>
#include <stdbool.h>

#define SEPARATE_FMA(a, b, c) ((a) * (b) + (c))
#define SEPARATE_FMS(a, b, c) ((a) * (b) - (c))
#define SEPARATE_FNMA(a, b, c) ((c) - (a) * (b))

#define real double
#define NAMED(name) name##_double
#define LANES SW_LANES
#define VL 2
#define GROUP 2
#define TARGET
#ifdef __FP_FAST_FMA
typedef double doubles __attribute__((vector_size(sizeof(double) * VL), may_alias));
static inline doubles fma_doubles(doubles a, doubles b, doubles c)
{
    return (doubles){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])};
}
#define FMA(a, b, c) fma_doubles((a), (b), (c))
#define FMS(a, b, c) fma_doubles((a), (b), -(c))
#define FNMA(a, b, c) fma_doubles(-(a), (b), (c))
#else
#define FMA SEPARATE_FMA
#define FMS SEPARATE_FMS
#define FNMA SEPARATE_FNMA
#endif
#include "problem/line/lanes_body.h"

#define real double
#define NAMED(name) name##_few
#define LANES SW_LANES_FEW
#define VL 2
#define GROUP 2
#define TARGET
#ifdef __FP_FAST_FMA
#define FMA(a, b, c) fma_doubles((a), (b), (c))
#define FMS(a, b, c) fma_doubles((a), (b), -(c))
#define FNMA(a, b, c) fma_doubles(-(a), (b), (c))
#else
#define FMA SEPARATE_FMA
#define FMS SEPARATE_FMS
#define FNMA SEPARATE_FNMA
#endif
#include "problem/line/lanes_body.h"

#define real float
#define NAMED(name) name##_single
#define LANES SW_LANES_SINGLE
#define VL 4
#define GROUP 2
#define TARGET
#ifdef __FP_FAST_FMAF
typedef float floats __attribute__((vector_size(sizeof(float) * VL), may_alias));
static inline floats fma_floats(floats a, floats b, floats c)
{
    return (floats){fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]), fmaf(a[3], b[3], c[3])};
}
#define FMA(a, b, c) fma_floats((a), (b), (c))
#define FMS(a, b, c) fma_floats((a), (b), -(c))
#define FNMA(a, b, c) fma_floats(-(a), (b), (c))
#else
#define FMA SEPARATE_FMA
#define FMS SEPARATE_FMS
#define FNMA SEPARATE_FNMA
#endif
#include "problem/line/lanes_body.h"

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
