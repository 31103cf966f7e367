/* lanes.h in plain C with the compiler's vectors of two: SSE2, NEON, or nothing. Fused where the target has it. */
#include <math.h>

#define real double
#define LANES SW_LANES
#define VL 2
#define GROUP 2
#define TARGET
#ifdef __FP_FAST_FMA
#define FMA(a, b, c) fma_each((a), (b), (c))
#define FMS(a, b, c) fma_each((a), (b), -(c))
#define FNMA(a, b, c) fma_each(-(a), (b), (c))
typedef double pair __attribute__((vector_size(16), may_alias));
static inline pair fma_each(pair a, pair b, pair c) { return (pair){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])}; }
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#define FMS(a, b, c) ((a) * (b) - (c))
#define FNMA(a, b, c) ((c) - (a) * (b))
#endif
#include "stepper/lanes_body.h"

static bool here(void) { return true; }

extern const struct sw_lanes_ops sw_lanes_generic;
const struct sw_lanes_ops sw_lanes_generic = {
    .name = "generic", .lanes = LANES, .here = here, .begin = begin, .first = first, .pass = pass,
};
