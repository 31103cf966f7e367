#include "fd/fd_simd_copy.h"

#include <string.h>


/* ------------------------------------------------------------------ transposing in registers */

/* Blocks of WIDTH by WIDTH numbers, WIDTH those of a vector register: rows become columns in registers, by exchanging
 * neighbours at distance 1, 2, 4 between rows at the same distance. */

/* Vectors wider than the target has go by value between inline functions alone. */
#pragma GCC diagnostic ignored "-Wpsabi"

#ifdef __AVX512F__
enum { WIDTH = 8 };
#define MASKS(of) of(1, 0, 8, 2, 10, 4, 12, 6, 14) of(2, 0, 1, 8, 9, 4, 5, 12, 13) of(4, 0, 1, 2, 3, 8, 9, 10, 11)
#else
enum { WIDTH = 4 };
#define MASKS(of) of(1, 0, 4, 2, 6) of(2, 0, 1, 4, 5)
#endif
typedef double vector __attribute__((vector_size(8 * WIDTH)));
typedef double unaligned_doubles __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef float unaligned_floats __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
typedef long long index_vector __attribute__((vector_size(8 * WIDTH)));

#ifdef __has_builtin
#if __has_builtin(__builtin_shuffle)
#define SHUFFLE(a, b, mask) __builtin_shuffle((a), (b), (mask))
#endif
#endif

#ifdef SHUFFLE
static inline __attribute__((always_inline)) void transpose(vector t[WIDTH])
{
    /* the upper row of a pair takes the even neighbours of both, the lower one the odd ones */
#define STAGE(s, ...)                                                                     \
    for (int i = 0; i < WIDTH; i++) {                                                      \
        if (i & (s)) continue;                                                            \
        const index_vector even = {__VA_ARGS__}, odd = even + (s);                           \
        vector a = t[i], b = t[i + (s)];                                                \
        t[i] = SHUFFLE(a, b, even);                                                  \
        t[i + (s)] = SHUFFLE(a, b, odd);                                             \
    }
    MASKS(STAGE)
#undef STAGE
}
#else
static inline void transpose(vector t[WIDTH])
{
    double a[WIDTH][WIDTH], b[WIDTH][WIDTH];
    memcpy(a, t, sizeof a);
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++) b[j][i] = a[i][j];
    memcpy(t, b, sizeof b);
}
#endif

static inline vector load_double(const double *p) { return (vector)*(const unaligned_doubles *)p; }
static inline vector load_float(const float *p)
{
    return __builtin_convertvector(*(const unaligned_floats *)p, vector);
}
static inline void store_double(double *p, vector x) { *(unaligned_doubles *)p = (unaligned_doubles)x; }
static inline void store_float(float *p, vector x)
{
    *(unaligned_floats *)p = __builtin_convertvector(x, unaligned_floats);
}

/* ------------------------------------------------------------------ blocks of lanes */

#define INLINE static inline __attribute__((always_inline))

/* Whether lanes l and k > l are as long, and but along x side by side in the field, k - l apart. */
static bool same_shape(const struct fd_simd_copy *c, int l, int k)
{
    const struct fd_segment *a = &c->segment[l], *b = &c->segment[k];
    if (a->skip != b->skip || a->keep != b->keep) return false;
    return c->stride == 1 || (a->first == b->first && b->base == a->base + (size_t)(k - l));
}

static bool within(const struct fd_simd_copy *c, int l)
{
    return c->segment[l].first >= 0 && c->segment[l].first + c->points <= c->n;
}

/* Lanes from l on that are copied together: along x WIDTH or 1, else those that are side by side in the field. */
static int block(const struct fd_simd_copy *c, int l)
{
    const int most = c->stride == 1 ? WIDTH : c->count;
    int side = 0;
    while (side < most && l + side < c->count && within(c, l + side) && same_shape(c, l, l + side)) side++;
    return c->stride == 1 && side < WIDTH ? 1 : side > 0 ? side : 1;
}

#define real double
#include "fd/fd_simd_copy_body.h"
#undef real
#define real float
#include "fd/fd_simd_copy_body.h"
