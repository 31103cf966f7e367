/* lanes.h with AVX-512 in single precision: as lanes_avx512.c, sixteen lanes a vector. */
#ifdef __x86_64__
#include <immintrin.h>

#define real float
#define LANES SW_LANES_SINGLE
#define VL 16
#define GROUP 2
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define FMA(a, b, c) ((vec)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMS(a, b, c) ((vec)_mm512_fmsub_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FNMA(a, b, c) ((vec)_mm512_fnmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#include "problem/line/lanes_body.h"

static bool here(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }

extern const struct sw_lanes_ops sw_lanes_single_avx512;
const struct sw_lanes_ops sw_lanes_single_avx512 = {
    .name = "avx512", .lanes = LANES, .here = here, .begin = begin, .first = first, .pass = pass,
};
#else
typedef int sw_not_x86;  /* lanes.c leaves the row out */
#endif
