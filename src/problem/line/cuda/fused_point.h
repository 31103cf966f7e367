#ifndef FUSED_POINT_H
#define FUSED_POINT_H
/* What cuda.fused and cuda.stream hand to their kernels for each line, besides struct sw_line_batch
 * (problem/line/stepper/recursive.h explains the numbers).
 *
 * A line of n points is cut into `lanes` blocks, one a lane; any q blocks in a row have floor(q n/lanes) points
 * together, or one more, so there are two powers of P for them. power[2k] and power[2k + 1] are those for 2^k lanes in
 * a row, within a warp.
 *
 * A line of more than 32 lanes goes over lanes/32 warps. It also has a table of 2x2 matrices of doubles: two powers of
 * P each for q = 0 .. 31 lanes in a row, then
 *     cuda.fused   those for q = 0 .. lanes/32 - 1 warps in a row
 *     cuda.stream  what stream_join_k needs, at SW_STREAM_...: those for a span, which is the points of a warp; what
 *                  the state before a span adds to its backward total, likewise two; those for 2^k of the
 *                  parts, one a lane of stream_join_k, that the line is cut into there; (I - P^n)^-1 */
#ifndef __CUDACC_RTC__
#include <math.h>

#include "base/sw_hd.h"

/* The type of this arithmetic: on the host double. The text of a kernel has its own definition, float for steps in
 * single precision. */
typedef double sw_real;
#endif

/* The arithmetic of the recursive solver (problem/line/stepper/recursive.h; docs/explanation/recursive_form.md). A
 * state is the pair (u, v) = (y_i, y_{i-1}); a 2x2 matrix is stored by rows. Every fma is one rounding, on the CPU and
 * on a GPU. */

struct sw_state { sw_real u, v; };

/** y_i = f_i - a1 y_{i-1} - a2 y_{i-2} */
SW_HD static inline sw_real sw_recursive_next(sw_real a1, sw_real a2, sw_real f, sw_real u, sw_real v)
{
    return fma(-a1, u, fma(-a2, v, f));
}

/** s + M t */
SW_HD static inline struct sw_state sw_recursive_join(const sw_real *M, struct sw_state t, struct sw_state s)
{
    struct sw_state r;
    r.u = fma(M[0], t.u, fma(M[1], t.v, s.u));
    r.v = fma(M[2], t.u, fma(M[3], t.v, s.v));
    return r;
}

/** The first point of block l of a line of n points cut into `blocks` (l may be -blocks .. 2*blocks: the line goes
 *  round). Any q blocks in a row have floor(q n/blocks) points together, or one more. */
SW_HD static inline int sw_recursive_start(int l, int n, int blocks)
{
    int turn = l < 0 ? -1 : l / blocks;
    return turn * n + (int)((long long)(l - turn * blocks) * n / blocks);
}

/* A line that ends has of each unknown, at SW_ENDED_...: what tells the state before its first point, y_{-1} and
 * b2 y_{-2}, from f_0, v_1, v_2, f_{n-1}, y_{n-2}, y_{n-3} of a recursion from zero; the state behind its last point,
 * and what y_{n-1} lacks, from the last three y (problem/line/simd/lanes.h); powers of P downwards for the first
 * lane less a point, upwards for the last lane less a point. A kernel has there, too, what goes with the solve at hand:
 * the polynomial, A times it, and the values given. */
enum {
    SW_ENDED_START = 0,
    SW_ENDED_FAR = SW_ENDED_START + 2 * 6,
    SW_ENDED_NEAR_POWER = SW_ENDED_FAR + 3 * 3,
    SW_ENDED_FAR_POWER = SW_ENDED_NEAR_POWER + 4,
    SW_ENDED_TABLE = SW_ENDED_FAR_POWER + 4,
    SW_ENDED_LIFT = SW_ENDED_TABLE,
    SW_ENDED_RHS = SW_ENDED_LIFT + 5,
    SW_ENDED_GIVEN = SW_ENDED_RHS + 5,
    SW_ENDED_ROOM = SW_ENDED_GIVEN + 2
};

enum { SW_FUSED_MAX_STAGES = 5, SW_FUSED_MOST = 64 };  /* points a lane */

/* Both in the type of number that a kernel has. */
#define SW_FUSED_LINE(number) {                                                                             \
    number closure[4];  /* (I - P^n)^-1                                                              */     \
    number power[2 * SW_FUSED_MAX_STAGES][4];                                                               \
    number a1, a2, scale;                                                                                   \
    int    stages;      /* of the scan, those beyond change nothing                                  */     \
    int    decay_warps; /* of several warps: so many before one change anything in it, at least 1   */     \
    int    closed;      /* 0: what comes round the circle changes nothing                            */     \
}
struct sw_fused_line SW_FUSED_LINE(sw_real);

/* Where all lines have the same coefficients. */
#define SW_FUSED_COMMON(line_struct, number) {                                                              \
    line_struct line;                                                                                       \
    number scale;                 /* line.scale; twice that for Crank-Nicolson                     */       \
    number h[SW_FUSED_MOST + 2];  /* 0, 0, h_0 = 1, h_1, ...: the response to a single value       */       \
}
struct sw_fused_common SW_FUSED_COMMON(struct sw_fused_line, sw_real);

/** Lanes of stream_join_k, a power of two: one for 128 points up to 128 lanes, then one for 16 Ki up to 512. n >=
 * 64. */
SW_HD static inline int sw_stream_join(int n)
{
    int join = 2;
    while (join < 128 && 256 * join <= n) join *= 2;
    while (join < 512 && n / join > 16384) join *= 2;
    return join;
}

enum { SW_STREAM_LEVELS = 9 };
enum {
    SW_STREAM_SPAN = 8 * 32,
    SW_STREAM_OVERLAP = SW_STREAM_SPAN + 8,
    SW_STREAM_STAGES = SW_STREAM_OVERLAP + 8,
    SW_STREAM_CLOSURE = SW_STREAM_STAGES + 8 * SW_STREAM_LEVELS,
    SW_STREAM_TABLE = SW_STREAM_CLOSURE + 4
};
#endif
