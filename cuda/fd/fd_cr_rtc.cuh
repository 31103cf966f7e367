/* Cyclic reduction of near-Toeplitz systems with precomputed coefficients (A. Srinath's draft): right-hand side and
 * solve in one kernel, a line in the shared memory of a block. Rows of level l are the multiples of 2^l, counted from
 * 1. On the way down even rows lose their neighbours, on the way up odd rows are found from theirs. All rows inside
 * have the same coefficients.
 *
 * N     points of a line, a power of two          THREADS_PER_LINE     threads of a line, a power of two
 * LINES of a block                                ACROSS   lines lie side by side in memory
 * F_PITCH, PITCH  numbers of shared memory that a line has for f and for the reduction
 *
 * Strides that are powers of two would hit one bank: entry i is kept at i + i/16 + i/256, so that the 16 numbers that
 * are moved at once lie in different banks up to strides of 256.
 *
 * Operations on a point, d1_c6: right-hand side 1 + 4; down n/2 + n/4 + ... times 2, up as often times 3: 5. Bytes: f
 * read and the result written, 16. */

template <typename T> __device__ static inline void store_or_add(T *to, int add, double x)
{
    __stcs(to, (T)(add ? *to + x : x));
}

/* Nothing is read twice by the same block. */
__device__ static inline double load_field(const struct fd_lines &l, const void *f, long long at)
{
    return l.single ? (double)__ldcs((const float *)f + at) : __ldcs((const double *)f + at);
}

__device__ static inline void store_field(const struct fd_lines &l, void *out, long long at, double x)
{
    if (l.single) store_or_add((float *)out + at, l.add, x);
    else store_or_add((double *)out + at, l.add, x);
}

#define POINTS_PER_THREAD (N / THREADS_PER_LINE)  /* points of a thread */

__device__ static inline int padded(int i) { return i + i / 16 + i / 256; }

/* A barrier between `writers` threads of each line and the `readers` that use what they wrote. */
__device__ static inline void sync_line(int writers, int readers)
{
    if (THREADS_PER_LINE > 32 && (writers > 32 || readers > 32)) __syncthreads();
    else __syncwarp();
}

__device__ static inline void forward_reduction(const struct fd_cr &c, double *d, int t)
{
#pragma unroll
    for (int l = 0; (N >> l) > 2; l++) {
        const int s = 1 << l, rows = N >> (l + 1);
        sync_line(l ? rows * 2 : N, rows);
#pragma unroll 2
        for (int r = t; r < rows; r += THREADS_PER_LINE) {
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

__device__ static inline void solve_last_two(const struct fd_cr &c, double *d, int t)
{
    sync_line(2, 1);
    if (t) return;
    double *a = d + padded(N / 2 - 1), *b = d + padded(N - 1), u = *a, v = *b;
    *a = fma(c.inverse[1], v, c.inverse[0] * u);
    *b = fma(c.inverse[3], v, c.inverse[2] * u);
}

__device__ static inline void backward_substitution(const struct fd_cr &c, double *d, int t)
{
#pragma unroll
    for (int m = 1; (2 << m) <= N; m++) {
        const int rows = 1 << m, s = N / 2 / rows, l = SHIFT - 1 - m;  /* s = 2^l */
        sync_line(rows / 2, rows);
#pragma unroll 2
        for (int r = t; r < rows; r += THREADS_PER_LINE) {
            const int i = s * (2 * r + 1) - 1;
            const struct fd_cr_up &k = c.level[l].up[r == 0 ? FD_CR_FIRST : r == rows - 1 ? FD_CR_LAST : FD_CR_INSIDE];
            double x = k.own * d[padded(i)];
            x = fma(-k.before, d[padded((i - s) & (N - 1))], x);
            d[padded(i)] = fma(-k.after, d[padded(i + s)], x);
        }
    }
}

extern "C" __global__ void __launch_bounds__(LINES * THREADS_PER_LINE)
cr_k(const __grid_constant__ struct fd_cr c, const void *f, void *out)
{
    extern __shared__ double memory[];
    const int tid = (int)threadIdx.x, line = tid / THREADS_PER_LINE, t = tid % THREADS_PER_LINE; /* to compute with */
    const int moved = ACROSS ? tid % LINES : line, from = ACROSS ? tid / LINES : t;  /* to load and store */
    const long long mine = (long long)blockIdx.x * LINES + moved;
    const bool there = mine < c.lines.all;
    const long long begin = there ? fd_line_begin(c.lines.stride, &c.lines, mine) : 0;
    double *const f_lines = memory, *const row = memory + LINES * F_PITCH, *const d = row + line * PITCH;
    double v[POINTS_PER_THREAD];
#pragma unroll
    for (int j = 0; j < POINTS_PER_THREAD; j++)
        v[j] = there ? load_field(c.lines, f, begin + (long long)(from + j * THREADS_PER_LINE) * c.lines.stride) : 0;
#pragma unroll
    for (int j = 0; j < POINTS_PER_THREAD; j++) f_lines[moved * F_PITCH + from + j * THREADS_PER_LINE] = v[j];
    if (ACROSS) __syncthreads();
    else sync_line(N, N);
#pragma unroll 2
    for (int j = 0; j < POINTS_PER_THREAD; j++) {
        const int i = t + j * THREADS_PER_LINE;
        d[padded(i)] = fd_rhs_at(&c.rhs, f_lines + line * F_PITCH, 1, i, N);
    }
    forward_reduction(c, d, t);
    solve_last_two(c, d, t);
    backward_substitution(c, d, t);
    if (ACROSS) __syncthreads();
    else sync_line(N, N);
#pragma unroll
    for (int j = 0; j < POINTS_PER_THREAD; j++) {
        const int i = from + j * THREADS_PER_LINE;
        if (there) store_field(c.lines, out, begin + (long long)i * c.lines.stride, row[moved * PITCH + padded(i)]);
    }
}
