#include "problem/fields/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum closes { CLOSES_NOTHING, CLOSES_STAGE, CLOSES_STEP };

/* The instruction sets that this build has, as problem/line/simd has them (LANES in the Makefile). */
#if defined SW_LANES_AVX512 && defined __x86_64__
#define ROW_AVX512 &tiles_avx512,
#include <immintrin.h>

static bool here_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }
#define NAMED(name) name##_avx512
#define SET "avx512"
#define VL 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define FMA(a, b, c) ((vec)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define FNMA(a, b, c) ((vec)_mm512_fnmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define LARGER(a, b) ((vec)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#define LARGER_BITS(a, b) ((bits)_mm512_max_epi64((__m512i)(a), (__m512i)(b)))
#include "problem/fields/tiles_body.h"
#else
#define ROW_AVX512
#endif

#if defined SW_LANES_AVX2 && defined __x86_64__
#define ROW_AVX2 &tiles_avx2,
#include <immintrin.h>

static bool here_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#define NAMED(name) name##_avx2
#define SET "avx2"
#define VL 4
#define TARGET __attribute__((target("avx2,fma")))
#define FMA(a, b, c) ((vec)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FNMA(a, b, c) ((vec)_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define LARGER(a, b) ((vec)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define LARGER_BITS(a, b) \
    ((bits)_mm256_blendv_epi8((__m256i)(b), (__m256i)(a), _mm256_cmpgt_epi64((__m256i)(a), (__m256i)(b))))
#include "problem/fields/tiles_body.h"
#else
#define ROW_AVX2
#endif

#ifdef SW_LANES_GENERIC
#define ROW_GENERIC &tiles_generic,
/* The compiler's vectors of 16 bytes: SSE2, NEON, or nothing; products and sums are rounded each. */
static bool here_generic(void) { return true; }
#define NAMED(name) name##_generic
#define SET "generic"
#define VL 2
#define TARGET
#define FMA(a, b, c) ((a) * (b) + (c))
#define FNMA(a, b, c) ((c) - (a) * (b))
#define LARGER(a, b) ((vec)LARGER_BY((a) > (b), (bits)(a), (bits)(b)))
#define LARGER_BITS(a, b) LARGER_BY((a) > (b), (a), (b))
#define LARGER_BY(which, a, b) (((a) & (bits)(which)) | ((b) & ~(bits)(which)))
#include "problem/fields/tiles_body.h"
#else
#define ROW_GENERIC
#endif

const struct fields_tiles *fields_tiles_pick(void)
{
    static const struct fields_tiles *const table[] = {ROW_AVX512 ROW_AVX2 ROW_GENERIC NULL};
    const char *wanted = getenv("SWEEP_SIMD");
    const struct fields_tiles *best = NULL;
    for (const struct fields_tiles *const *row = table; *row; row++) {
        if (!(*row)->here()) continue;
        if (!best || (wanted && !strcmp(wanted, (*row)->name))) best = *row;
    }
    return best;
}
