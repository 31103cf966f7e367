/* lanes.h with AVX2 and FMA where there are four lanes in all: one vector. Processors with AVX-512 take it, too. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>

#define real double
#define NAMED(name) name##_few
#define LANES SW_LANES_FEW
#define VL 4
#define GROUP 1
#define TARGET __attribute__((target("avx2,fma")))
#define FMA(a, b, c) ((vec)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FMS(a, b, c) ((vec)_mm256_fmsub_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FNMA(a, b, c) ((vec)_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#include "problem/line/simd/lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

extern const struct sw_lanes_ops sw_lanes_few_avx2;
const struct sw_lanes_ops sw_lanes_few_avx2 = {
    .name = "avx2", .lanes = SW_LANES_FEW, .here = here,
    .begin = begin_few, .first = first_few, .pass = pass_few, .apply = apply_few, .add = add_few,
    .largest = largest_few,
};
#else
typedef int sw_not_x86;  /* lanes.c leaves the row out */
#endif
