/* Lines that are cut over ranks: what a rank tells its neighbours of its part, and what it makes of what they tell it,
 * so that the kernel of cuda.fused then writes each result once.
 *
 * A factor of the matrix has rate q (fd_fused_rtc.cuh). With the right-hand sides r of all points of the line, a part
 * feels what is left of an interface only by
 *     e = r_{-1} + q r_{-2} + q^2 r_{-3} + ..,         and what is right of it by     f = r_0 + q r_1 + q^2 r_2 + ..,
 * counted from the interface. Each rank sums up those of its points whose right-hand side needs no other rank's f
 * (ends_k): POINTS of them, the others decay below 2^-56. It sends that, and the f of the PLANES = 2 HALF_WIDTH points
 * next to the interface, in one message. Then both sides know all right-hand sides that were missing, and both complete
 * e and f of both factors (beside_k), from which the values next to the part follow:
 *     Y = sum from_e e + from_f f  left of it,    X likewise right of it
 * with three diagonals  Y = e,  X = sigma (f + q e),  sigma = 1/(1 - q^2).  With five, y of the second factor runs over
 * x of the first, and X is a value of the result (src/fd/fd_cut_cuda.c).
 *
 * A message: real_t [PLANES][lines], points in the order of the line, then double [FACTORS][lines].
 *
 * Bytes: POINTS + PLANES points at each end are read, 42 of C6, and so twice in all; a message is 8 (PLANES + FACTORS)
 * bytes a line, 40 of C6.
 *
 * Constants of the text: real_t, HALF_WIDTH, FACTORS. */

enum { PLANES = 2 * HALF_WIDTH, WINDOW = 2 * HALF_WIDTH + 1 };

__device__ static __forceinline__ double *states_in(const void *message, long long lines)
{
    return (double *)((real_t *)message + PLANES * lines);
}

/* Of the middle of a window of f. */
__device__ static __forceinline__ double right_hand_side(const struct fd_rhs &s, const double *w)
{
    const double here = w[HALF_WIDTH];
    double sum = s.centre * here;
#pragma unroll
    for (int k = 1; k <= HALF_WIDTH; k++) {
        const double plus = w[HALF_WIDTH + k + UP], other = w[HALF_WIDTH - k + DOWN];
        sum = fma(s.weight[k], fd_pair(SECOND, s.minus, here, plus, other), sum);
    }
    return sum;
}

/* The sums of an end, and its points. @param at  the line, of this launch */
template <bool RIGHT> __device__ static __forceinline__ void sum_end(const struct sw_fd_cut_ends &d, const real_t *f,
                                                                     long long at)
{
    enum { END = RIGHT };
    const long long l = d.line + at, by = RIGHT ? -d.stride : d.stride;  /* from the end inward */
    const real_t *const from = f + l / d.stride * d.stride * d.m + l % d.stride + (RIGHT ? (d.m - 1) * d.stride : 0);
    real_t *const planes = (real_t *)d.message[END] + at;
    double w[WINDOW], sum[FACTORS] = {0};                     /* w[0] is nearest to the end */
#pragma unroll
    for (int k = 1; k < WINDOW; k++) w[k] = from[(d.points - 1 + k) * by];
#pragma unroll 14
    for (int i = d.points - 1; i >= 0; i--) {
        double in_order[WINDOW];
        w[0] = from[i * by];
#pragma unroll
        for (int k = 0; k < WINDOW; k++) in_order[k] = RIGHT ? w[WINDOW - 1 - k] : w[k];
        const double r = right_hand_side(d.rhs, in_order);
#pragma unroll
        for (int k = 0; k < FACTORS; k++) sum[k] = fma(d.q[k], sum[k], r);
#pragma unroll
        for (int k = WINDOW - 1; k > 0; k--) w[k] = w[k - 1];
    }
#pragma unroll
    for (int k = 0; k < PLANES; k++) planes[(RIGHT ? PLANES - 1 - k : k) * d.lines] = from[k * by];
#pragma unroll
    for (int k = 0; k < FACTORS; k++) states_in(d.message[END], d.lines)[k * d.lines + at] = sum[k];
}

/* One end of a line for each thread; blockIdx.y, or where only one end has a neighbour that end: 0 left, 1 right. */
extern "C" __global__ void __launch_bounds__(256)
ends_k(const __grid_constant__ struct sw_fd_cut_ends d, const real_t *f)
{
    const long long at = (long long)blockIdx.x * 256 + threadIdx.x;
    if (at >= d.lines) return;
    if (d.first_end + (int)blockIdx.y) sum_end<true>(d, f, at);
    else sum_end<false>(d, f, at);
}

/* One end of a line for each thread, as above. */
extern "C" __global__ void __launch_bounds__(256)
beside_k(const __grid_constant__ struct sw_fd_cut_ends d)
{
    const long long at = (long long)blockIdx.x * 256 + threadIdx.x;
    const int end = d.first_end + (int)blockIdx.y;
    if (at >= d.lines) return;
    const void *const left = end ? d.message[1] : d.received[0], *const right = end ? d.received[1] : d.message[0];
    double g[2 * PLANES], e[FACTORS], f[FACTORS];
#pragma unroll
    for (int k = 0; k < PLANES; k++) {
        g[k] = ((const real_t *)left)[k * d.lines + at];
        g[PLANES + k] = ((const real_t *)right)[k * d.lines + at];
    }
#pragma unroll
    for (int k = 0; k < FACTORS; k++) {
        e[k] = states_in(left, d.lines)[k * d.lines + at];
        f[k] = states_in(right, d.lines)[k * d.lines + at];
    }
#pragma unroll
    for (int i = 0; i < HALF_WIDTH; i++) {
        const double before = right_hand_side(d.rhs, g + i), after = right_hand_side(d.rhs, g + PLANES - 1 - i);
#pragma unroll
        for (int k = 0; k < FACTORS; k++) {
            e[k] = fma(d.q[k], e[k], before);
            f[k] = fma(d.q[k], f[k], after);
        }
    }
#pragma unroll
    for (int k = 0; k < FACTORS; k++) {
        double sum = 0;
#pragma unroll
        for (int j = 0; j < FACTORS; j++) sum = fma(d.from_f[end][k][j], f[j], fma(d.from_e[end][k][j], e[j], sum));
        d.value[end][k][d.line + at] = sum;
    }
}
