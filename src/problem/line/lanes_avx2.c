/* lanes.h with AVX2 and FMA: one vector of four lanes at a time, for which the 16 registers just suffice. */
#ifdef __x86_64__
#include <immintrin.h>

#define real double
#define LANES SW_LANES
#define VL 4
#define GROUP 1
#define TARGET __attribute__((target("avx2,fma")))
#define FMA(a, b, c) ((vec)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FMS(a, b, c) ((vec)_mm256_fmsub_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FNMA(a, b, c) ((vec)_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#include "problem/line/lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

extern const struct sw_lanes_ops sw_lanes_avx2;
const struct sw_lanes_ops sw_lanes_avx2 = {
    .name = "avx2", .lanes = LANES, .here = here, .begin = begin, .first = first, .pass = pass,
};
#else
typedef int sw_not_x86;
#endif
