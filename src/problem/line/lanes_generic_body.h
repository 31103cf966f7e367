/* What lanes_generic.c and lanes_single_generic.c have in common: lanes.h in plain C with the compiler's vectors, after
 * definitions of real, LANES, VL, GROUP and, where the target has a fused multiply-add, of FUSED(a, b, c) on numbers
 * and NUMBERS(of), of(0), of(1), .. for a whole vector (a loop in its place makes the passes half as fast). */
#define TARGET
#ifdef FUSED
#define FUSED_AT(k) FUSED(a[k], b[k], c[k])
#define FMA(a, b, c) fma_each((a), (b), (c))
#define FMS(a, b, c) fma_each((a), (b), -(c))
#define FNMA(a, b, c) fma_each(-(a), (b), (c))
typedef real some __attribute__((vector_size(sizeof(real) * VL), may_alias));
static inline some fma_each(some a, some b, some c) { return (some){NUMBERS(FUSED_AT)}; }
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#define FMS(a, b, c) ((a) * (b) - (c))
#define FNMA(a, b, c) ((c) - (a) * (b))
#endif
#include "problem/line/lanes_body.h"

static bool here(void) { return true; }
