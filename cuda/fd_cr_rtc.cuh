/* Cyclic reduction of near-Toeplitz systems with precomputed coefficients (A. Srinath's draft): right-hand side and
 * solve in one kernel, a line in the shared memory of a block. Rows of level l are the multiples of 2^l, counted from
 * 1. On the way down even rows lose their neighbours, on the way up odd rows are found from theirs. All rows inside
 * have the same coefficients.
 *
 * N     points of a line, a power of two          TEAM     threads of a line, a power of two
 * LINES of a block                                ACROSS   lines lie side by side in memory
 * SIDE_PITCH, PITCH  numbers of shared memory that a line has for f and for the reduction
 *
 * Strides that are powers of two would hit one bank: entry i is kept at i + i/16 + i/256, so that the 16 numbers that
 * are moved at once lie in different banks up to strides of 256.
 *
 * Operations on a point, d1_c6: right-hand side 1 + 4; down n/2 + n/4 + ... times 2, up as often times 3: 5. Bytes: f
 * read and the result written, 16. */

#define SHARE (N / TEAM)  /* points of a thread */

__device__ static inline int padded(int i) { return i + i / 16 + i / 256; }

/* Before `readers` threads of each line look at what `writers` of them wrote. */
__device__ static inline void meet(int writers, int readers)
{
    if (TEAM > 32 && (writers > 32 || readers > 32)) __syncthreads();
    else __syncwarp();
}

__device__ static inline void reduce(const struct fd_cr &c, double *d, int t)
{
#pragma unroll
    for (int l = 0; (N >> l) > 2; l++) {
        const int s = 1 << l, rows = N >> (l + 1);
        meet(l ? rows * 2 : N, rows);
#pragma unroll 2
        for (int r = t; r < rows; r += TEAM) {
            const int i = 2 * s * (r + 1) - 1;
            const int which = r == 0 ? FD_CR_FIRST : r == rows - 1 ? FD_CR_LAST : r == rows - 2 ? FD_CR_BEFORE
                                                                                                 : FD_CR_INSIDE;
            const struct fd_cr_down &k = c.level[l].down[which];
            double x = d[padded(i)];
            x = fma(-k.before, d[padded(i - s)], x);
            d[padded(i)] = fma(-k.after, d[padded((i + s) & (N - 1))], x);
        }
    }
}

__device__ static inline void last_two(const struct fd_cr &c, double *d, int t)
{
    meet(2, 1);
    if (t) return;
    double *a = d + padded(N / 2 - 1), *b = d + padded(N - 1), u = *a, v = *b;
    *a = fma(c.inverse[1], v, c.inverse[0] * u);
    *b = fma(c.inverse[3], v, c.inverse[2] * u);
}

__device__ static inline void substitute(const struct fd_cr &c, double *d, int t)
{
#pragma unroll
    for (int m = 1; (2 << m) <= N; m++) {
        const int rows = 1 << m, s = N / 2 / rows, l = SHIFT - 1 - m;  /* s = 2^l */
        meet(rows / 2, rows);
#pragma unroll 2
        for (int r = t; r < rows; r += TEAM) {
            const int i = s * (2 * r + 1) - 1;
            const struct fd_cr_up &k = c.level[l].up[r == 0 ? FD_CR_FIRST : r == rows - 1 ? FD_CR_LAST : FD_CR_INSIDE];
            double x = k.own * d[padded(i)];
            x = fma(-k.before, d[padded((i - s) & (N - 1))], x);
            d[padded(i)] = fma(-k.after, d[padded(i + s)], x);
        }
    }
}

extern "C" __global__ void __launch_bounds__(LINES * TEAM)
cr_k(const __grid_constant__ struct fd_cr c, const void *f, void *out)
{
    extern __shared__ double memory[];
    const int tid = (int)threadIdx.x, line = tid / TEAM, t = tid % TEAM;       /* to compute with */
    const int moved = ACROSS ? tid % LINES : line, from = ACROSS ? tid / LINES : t;  /* to load and store */
    const long long mine = (long long)blockIdx.x * LINES + moved;
    const bool there = mine < c.lines.all;
    const long long begin = there ? fd_line_begin(c.lines.stride, &c.lines, mine) : 0;
    double *const side = memory, *const row = memory + LINES * SIDE_PITCH, *const d = row + line * PITCH;
    double v[SHARE];
#pragma unroll
    for (int j = 0; j < SHARE; j++)
        v[j] = there ? field_at(c.lines, f, begin + (long long)(from + j * TEAM) * c.lines.stride) : 0;
#pragma unroll
    for (int j = 0; j < SHARE; j++) side[moved * SIDE_PITCH + from + j * TEAM] = v[j];
    if (ACROSS) __syncthreads();
    else meet(N, N);
#pragma unroll 2
    for (int j = 0; j < SHARE; j++) {
        const int i = t + j * TEAM;
        d[padded(i)] = fd_side_at(&c.side, side + line * SIDE_PITCH, 1, i, N);
    }
    reduce(c, d, t);
    last_two(c, d, t);
    substitute(c, d, t);
    if (ACROSS) __syncthreads();
    else meet(N, N);
#pragma unroll
    for (int j = 0; j < SHARE; j++) {
        const int i = from + j * TEAM;
        if (there) field_put(c.lines, out, begin + (long long)i * c.lines.stride, row[moved * PITCH + padded(i)]);
    }
}
