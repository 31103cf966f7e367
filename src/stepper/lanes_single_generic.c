/* lanes.h in plain C in single precision: as lanes_generic.c, with vectors of four. */
#include <math.h>

#define real float
#define LANES SW_LANES_SINGLE
#define VL 4
#define GROUP 2
#define TARGET
#ifdef __FP_FAST_FMAF
#define FMA(a, b, c) fma_each((a), (b), (c))
#define FMS(a, b, c) fma_each((a), (b), -(c))
#define FNMA(a, b, c) fma_each(-(a), (b), (c))
typedef float four __attribute__((vector_size(16), may_alias));
static inline four fma_each(four a, four b, four c)
{
    return (four){fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]), fmaf(a[3], b[3], c[3])};
}
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#define FMS(a, b, c) ((a) * (b) - (c))
#define FNMA(a, b, c) ((c) - (a) * (b))
#endif
#include "stepper/lanes_body.h"

static bool here(void) { return true; }

extern const struct sw_lanes_ops sw_lanes_single_generic;
const struct sw_lanes_ops sw_lanes_single_generic = {
    .name = "generic", .lanes = LANES, .here = here, .begin = begin, .first = first, .pass = pass,
};
