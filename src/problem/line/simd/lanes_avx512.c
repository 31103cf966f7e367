/* lanes.h with AVX-512: the two vectors of a point together, of eight lanes, or sixteen in single precision, with their
 * states and coefficients in 20 of the 32 registers. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>

#define real double
#define NAMED(name) name##_double
#define LANES SW_LANES
#define VL 8
#define GROUP 2
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define FMA(a, b, c) ((vec)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define FMS(a, b, c) ((vec)_mm512_fmsub_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define FNMA(a, b, c) ((vec)_mm512_fnmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#include "problem/line/simd/lanes_body.h"

#define real float
#define NAMED(name) name##_single
#define LANES SW_LANES_SINGLE
#define VL 16
#define GROUP 2
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define FMA(a, b, c) ((vec)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMS(a, b, c) ((vec)_mm512_fmsub_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FNMA(a, b, c) ((vec)_mm512_fnmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#include "problem/line/simd/lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }

extern const struct sw_lanes_ops sw_lanes_avx512, sw_lanes_single_avx512;
const struct sw_lanes_ops sw_lanes_avx512 = {
    .name = "avx512", .lanes = SW_LANES, .here = here,
    .begin = begin_double, .first = first_double, .pass = pass_double, .apply = apply_double, .add = add_double,
    .largest = largest_double,
};
const struct sw_lanes_ops sw_lanes_single_avx512 = {
    .name = "avx512", .lanes = SW_LANES_SINGLE, .here = here,
    .begin = begin_single, .first = first_single, .pass = pass_single, .apply = apply_single, .add = add_single,
    .largest = largest_single,
};
#else
typedef int sw_not_x86;  /* lanes.c leaves the rows out */
#endif
