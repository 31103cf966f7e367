#ifndef FD_TRANSPOSE_H
#define FD_TRANSPOSE_H
/* Blocks of SIDE by SIDE numbers, SIDE those of a vector register: rows become columns in registers, by exchanging
 * neighbours at distance 1, 2, 4 between rows at the same distance. */
#include <stddef.h>
#include <string.h>

/* Vectors wider than the target has go by value between inline functions alone. */
#pragma GCC diagnostic ignored "-Wpsabi"

#ifdef __AVX512F__
enum { SIDE = 8 };
#define MASKS(of) of(1, 0, 8, 2, 10, 4, 12, 6, 14) of(2, 0, 1, 8, 9, 4, 5, 12, 13) of(4, 0, 1, 2, 3, 8, 9, 10, 11)
#else
enum { SIDE = 4 };
#define MASKS(of) of(1, 0, 4, 2, 6) of(2, 0, 1, 4, 5)
#endif
typedef double side_vec __attribute__((vector_size(8 * SIDE)));
typedef double side_doubles __attribute__((vector_size(8 * SIDE), aligned(8), may_alias));
typedef float side_floats __attribute__((vector_size(4 * SIDE), aligned(4), may_alias));
typedef long long side_mask __attribute__((vector_size(8 * SIDE)));

#ifdef __has_builtin
#if __has_builtin(__builtin_shuffle)
#define SIDE_SHUFFLE(a, b, mask) __builtin_shuffle((a), (b), (mask))
#endif
#endif

#ifdef SIDE_SHUFFLE
static inline __attribute__((always_inline)) void side_transpose(side_vec t[SIDE])
{
    /* the upper row of a pair takes the even neighbours of both, the lower one the odd ones */
#define STAGE(s, ...)                                                                     \
    for (int i = 0; i < SIDE; i++) {                                                      \
        if (i & (s)) continue;                                                            \
        const side_mask even = {__VA_ARGS__}, odd = even + (s);                           \
        side_vec a = t[i], b = t[i + (s)];                                                \
        t[i] = SIDE_SHUFFLE(a, b, even);                                                  \
        t[i + (s)] = SIDE_SHUFFLE(a, b, odd);                                             \
    }
    MASKS(STAGE)
#undef STAGE
}
#else
static inline void side_transpose(side_vec t[SIDE])
{
    double a[SIDE][SIDE], b[SIDE][SIDE];
    memcpy(a, t, sizeof a);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) b[j][i] = a[i][j];
    memcpy(t, b, sizeof b);
}
#endif

static inline side_vec side_load_double(const double *p) { return (side_vec)*(const side_doubles *)p; }
static inline side_vec side_load_float(const float *p)
{
    return __builtin_convertvector(*(const side_floats *)p, side_vec);
}
static inline void side_store_double(double *p, side_vec x) { *(side_doubles *)p = (side_doubles)x; }
static inline void side_store_float(float *p, side_vec x)
{
    *(side_floats *)p = __builtin_convertvector(x, side_floats);
}
#endif
