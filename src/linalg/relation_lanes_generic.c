/* relation_lanes.h in plain C with the compiler's vectors of 16 bytes: SSE2, NEON, or nothing. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define VL 2
#define GROUP 2
#define TARGET
typedef double vec __attribute__((vector_size(8 * VL), may_alias));
typedef int64_t mask __attribute__((vector_size(8 * VL), may_alias));
#define relation_mask mask
#define relation_fma(a, b, c) fma_pairs((a), (b), (c))
#define relation_larger(u, v) ((mask)(size_of(u) > size_of(v)))
#define relation_where(which, u) ((vec)((which) & (mask)(u)))
#define relation_unless(which, u) ((vec)(~(which) & (mask)(u)))
#define relation_choose(which, u, v) choose((which), (u), (v))

static inline vec fma_pairs(vec a, vec b, vec c) { return (vec){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])}; }

static inline vec size_of(vec u) { return (vec){fabs(u[0]), fabs(u[1])}; }

static inline vec choose(mask which, vec u, vec v) { return (vec)((which & (mask)u) | (~which & (mask)v)); }

static inline void read_generic(double *to, const double *from, const int64_t *start)
{
    for (int k = 0; k < 8; k++)
        for (int l = 0; l < VL; l++) to[k * GROUP * VL + l] = from[start[l] + k];
}

static inline void write_generic(double *to, const int64_t *start, const double *from, bool past)
{
    (void)past;
    for (int k = 0; k < 8; k++)
        for (int l = 0; l < VL; l++) to[start[l] + k] = from[k * GROUP * VL + l];
}

#define READ read_generic
#define WRITE write_generic
#define WRITTEN ((void)0)
#include "linalg/relation_lanes_body.h"

static bool here(void) { return true; }

extern const struct relation_lanes_ops relation_lanes_generic;
const struct relation_lanes_ops relation_lanes_generic = {
    .name = "generic", .here = here,
    .sweep = sweep, .join = join, .part = part, .close = close_lanes, .substitute = substitute,
};
