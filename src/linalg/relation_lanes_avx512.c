/* relation_lanes.h with AVX-512: eight runs a vector, two vectors at a time, which are all lanes. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define VL 8
#define GROUP 2
#define TARGET __attribute__((target("avx512f,avx512dq")))
typedef __m512d vec;
#define relation_mask __mmask8
#define relation_fma(a, b, c) _mm512_fmadd_pd((a), (b), (c))
#define relation_larger(u, v) _mm512_cmp_pd_mask(_mm512_abs_pd(u), _mm512_abs_pd(v), _CMP_GT_OQ)
#define relation_where(mask, u) _mm512_maskz_mov_pd((mask), (u))
#define relation_unless(mask, u) _mm512_maskz_mov_pd(_knot_mask8(mask), (u))
#define relation_choose(mask, u, v) _mm512_mask_blend_pd((mask), (v), (u))

#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE void read_avx512(double *to, const double *from, const int64_t *start)
{
    const __m512i at = _mm512_loadu_si512(start);
    for (int k = 0; k < 8; k++) _mm512_store_pd(to + k * GROUP * VL, _mm512_i64gather_pd(at, from + k, 8));
}

INLINE void write_avx512(double *to, const int64_t *start, const double *from, bool past)
{
    (void)past;
    const __m512i at = _mm512_loadu_si512(start);
    for (int k = 0; k < 8; k++) _mm512_i64scatter_pd(to + k, at, _mm512_load_pd(from + k * GROUP * VL), 8);
}

#define READ read_avx512
#define WRITE write_avx512
#define WRITTEN ((void)0)
#include "linalg/relation_lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }

extern const struct relation_lanes_ops relation_lanes_avx512;
const struct relation_lanes_ops relation_lanes_avx512 = {
    .name = "avx512", .here = here,
    .sweep = sweep, .join = join, .part = part, .close = close_lanes, .substitute = substitute,
};
#else
typedef int sw_not_x86;  /* relation_lanes.c leaves the row out */
#endif
