/* lanes.h with AVX2 and FMA in single precision: as lanes_avx2.c, eight lanes a vector. */
#ifdef __x86_64__
#include <immintrin.h>

#define real float
#define LANES SW_LANES_SINGLE
#define VL 8
#define GROUP 1
#define TARGET __attribute__((target("avx2,fma")))
#define FMA(a, b, c) ((vec)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMS(a, b, c) ((vec)_mm256_fmsub_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FNMA(a, b, c) ((vec)_mm256_fnmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#include "problem/line/lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

extern const struct sw_lanes_ops sw_lanes_single_avx2;
const struct sw_lanes_ops sw_lanes_single_avx2 = {
    .name = "avx2", .lanes = LANES, .here = here, .begin = begin, .first = first, .pass = pass,
};
#else
typedef int sw_not_x86;
#endif
