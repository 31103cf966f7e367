/* relation_lanes.h with AVX2 and FMA: four runs a vector, two vectors at a time, as one waits for its divisions. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define VL 4
#define GROUP 2
#define TARGET __attribute__((target("avx2,fma")))
typedef __m256d vec;
#define relation_mask vec
#define relation_fma(a, b, c) _mm256_fmadd_pd((a), (b), (c))
#define relation_larger(u, v) _mm256_cmp_pd(size_of(u), size_of(v), _CMP_GT_OQ)
#define relation_where(mask, u) _mm256_and_pd((mask), (u))
#define relation_unless(mask, u) _mm256_andnot_pd((mask), (u))
#define relation_choose(mask, u, v) _mm256_or_pd(relation_where(mask, u), relation_unless(mask, v))
#define relation_order order

#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE vec size_of(vec u) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), u); }

/* Three operations that all four pipes of a core do: blends would compete with the multiply-adds for two of them. */
INLINE void order(vec swap, vec *x, vec *y)
{
    const vec change = _mm256_and_pd(swap, _mm256_xor_pd(*x, *y));
    *x = _mm256_xor_pd(*x, change);
    *y = _mm256_xor_pd(*y, change);
}

/* Two neighbours of one run, and two of another. */
INLINE vec pairs(const double *low, const double *high)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

INLINE void read_avx2(double *to, const double *from, const int64_t *start)
{
    const double *p[4] = {from + start[0], from + start[1], from + start[2], from + start[3]};
    for (int k = 0; k < 8; k += 2) {
        const vec even = pairs(p[0] + k, p[2] + k), odd = pairs(p[1] + k, p[3] + k);
        _mm256_store_pd(to + k * GROUP * VL, _mm256_unpacklo_pd(even, odd));
        _mm256_store_pd(to + (k + 1) * GROUP * VL, _mm256_unpackhi_pd(even, odd));
    }
}

INLINE void write_four(double *to, vec x, bool past)
{
    if (past) _mm256_stream_pd(to, x);
    else _mm256_storeu_pd(to, x);
}

INLINE void write_avx2(double *to, const int64_t *start, const double *from, bool past)
{
    for (int k = 0; k < 8; k += 4) {
        const double *p = from + k * GROUP * VL;
        const vec a = _mm256_load_pd(p), b = _mm256_load_pd(p + GROUP * VL), c = _mm256_load_pd(p + 2 * GROUP * VL),
                  d = _mm256_load_pd(p + 3 * GROUP * VL);
        const vec ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d), ba = _mm256_unpackhi_pd(a, b),
                  dc = _mm256_unpackhi_pd(c, d);
        write_four(to + start[0] + k, _mm256_permute2f128_pd(ab, cd, 0x20), past);
        write_four(to + start[1] + k, _mm256_permute2f128_pd(ba, dc, 0x20), past);
        write_four(to + start[2] + k, _mm256_permute2f128_pd(ab, cd, 0x31), past);
        write_four(to + start[3] + k, _mm256_permute2f128_pd(ba, dc, 0x31), past);
    }
}

#define READ read_avx2
#define WRITE write_avx2
#define WRITTEN _mm_sfence()
#include "linalg/relation_lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

extern const struct relation_lanes_ops relation_lanes_avx2;
const struct relation_lanes_ops relation_lanes_avx2 = {
    .name = "avx2", .here = here,
    .sweep = sweep, .join = join, .part = part, .close = close_lanes, .substitute = substitute,
};
#else
typedef int sw_not_x86;  /* relation_lanes.c leaves the row out */
#endif
