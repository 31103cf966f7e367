/* lanes.h with AVX2 and FMA: one vector of four lanes at a time, eight in single precision, for which the 16 registers
 * just suffice. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>

#define real double
#define NAMED(name) name##_double
#define LANES SW_LANES
#define VL 4
#define GROUP 1
#define TARGET __attribute__((target("avx2,fma")))
#define FMA(a, b, c) ((vec)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FMS(a, b, c) ((vec)_mm256_fmsub_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FNMA(a, b, c) ((vec)_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#include "problem/line/simd/lanes_body.h"

#define real float
#define NAMED(name) name##_single
#define LANES SW_LANES_SINGLE
#define VL 8
#define GROUP 1
#define TARGET __attribute__((target("avx2,fma")))
#define FMA(a, b, c) ((vec)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMS(a, b, c) ((vec)_mm256_fmsub_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FNMA(a, b, c) ((vec)_mm256_fnmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#include "problem/line/simd/lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

extern const struct sw_lanes_ops sw_lanes_avx2, sw_lanes_single_avx2;
const struct sw_lanes_ops sw_lanes_avx2 = {
    .name = "avx2", .lanes = SW_LANES, .here = here,
    .begin = begin_double, .first = first_double, .pass = pass_double, .apply = apply_double, .add = add_double,
    .largest = largest_double,
};
const struct sw_lanes_ops sw_lanes_single_avx2 = {
    .name = "avx2", .lanes = SW_LANES_SINGLE, .here = here,
    .begin = begin_single, .first = first_single, .pass = pass_single, .apply = apply_single, .add = add_single,
    .largest = largest_single,
};
#else
typedef int sw_not_x86;  /* lanes.c leaves the rows out */
#endif
