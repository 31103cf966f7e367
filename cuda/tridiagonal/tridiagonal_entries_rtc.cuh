/* Entries of tridiagonal systems from expressions, and measures of their solutions; compiled at run time
 * (src/problem/systems/entries_cuda.c), behind
 *
 *     base/sw_hd.h, expr/random_point.h, field/double_double_point.h, field/square_sum_point.h,
 *     problem/systems/measure_point.h, problem/systems/entries_point.h
 *     SW_HAS_LOWER, .. SW_HAS_EXACT     1 if there is the program, else 0
 *     value_lower(b, j, row), ..        its value in run j at a row, which is counted from 0
 *     cache_run_values(b, j)            keeps what depends on the run alone
 *     MULTIPLIES                        1 if rhs := A exact
 *     FILL_THREADS, MEASURE_THREADS
 *
 * Nothing in the text depends on n or on a run. */

/* Once a batch, a thread a run. */
extern "C" __global__ void begin_k(struct entries_batch b)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= b.count) return;
    cache_run_values(b, j);
    b.bad[j] = SYSTEM_NO_ROW;
}

/* The exact solution of run j; 0 where there is no row. */
__device__ static inline double exact_at(const struct entries_batch &b, int j, long long row)
{
#if SW_HAS_EXACT
    if (b.cyclic) row = row < 0 ? row + b.n : row < b.n ? row : row - b.n;
    return row >= 0 && row < b.n ? value_exact(b, j, row) : 0;
#else
    return 0;
#endif
}

/* A thread an entry of each array, through all runs. 8 bytes written for each program; with rhs := A exact, whose
 * neighbours are those of the threads to both sides, 32 bytes and 3 multiply-adds in double-double. */
extern "C" __global__ void fill_k(struct entries_batch b, long long first, long long rows, struct entries_arrays out)
{
    __shared__ double exact[FILL_THREADS];
    const int t = threadIdx.x;
    const long long begin = (long long)blockIdx.x * FILL_THREADS, at = begin + t, all = rows * b.count;
    long long j = b.count > 1 ? begin / rows : 0, k = begin - j * rows + t;
    if (k >= rows && rows > FILL_THREADS) {
        k -= rows;
        j++;
    } else if (k >= rows && b.count > 1) {
        j += (unsigned)k / (unsigned)rows;
        k = (unsigned)k % (unsigned)rows;
    }
    const long long row = first + k;
    const bool here = at < all;
    bool finite = true;
    double x = 0;
    if (MULTIPLIES) {
        if (here) x = exact_at(b, (int)j, row);
        exact[t] = x;
        __syncthreads();
    }
    if (!here) return;
#if SW_HAS_LOWER
    const double a = row == 0 && !b.cyclic ? 0 : value_lower(b, (int)j, row);
    finite = finite && isfinite(a);
    out.lower[at] = a;
#else
    if (out.lower && row == 0 && !b.cyclic) out.lower[at] = 0;
    const double a = MULTIPLIES ? out.lower[at] : 0;
#endif
#if SW_HAS_MAIN
    const double d = value_main(b, (int)j, row);
    finite = finite && isfinite(d);
    out.main[at] = d;
#else
    const double d = MULTIPLIES ? out.main[at] : 0;
#endif
#if SW_HAS_UPPER
    const double c = row == b.n - 1 && !b.cyclic ? 0 : value_upper(b, (int)j, row);
    finite = finite && isfinite(c);
    out.upper[at] = c;
#else
    if (out.upper && row == b.n - 1 && !b.cyclic) out.upper[at] = 0;
    const double c = MULTIPLIES ? out.upper[at] : 0;
#endif
#if SW_HAS_RHS
    const double f = value_rhs(b, (int)j, row);
    finite = finite && isfinite(f);
    out.rhs[at] = f;
#elif MULTIPLIES
    const double before = t > 0 && k > 0 ? exact[t - 1] : exact_at(b, (int)j, row - 1);
    const double behind = t < FILL_THREADS - 1 && k < rows - 1 ? exact[t + 1] : exact_at(b, (int)j, row + 1);
    const double f = tridiagonal_residual(a, d, c, 0, before, x, behind);
    finite = finite && isfinite(f);
    out.rhs[at] = f;
#endif
    (void)a, (void)d, (void)c;
    if (!finite) atomicMin(&b.bad[j], row);
}

/* ------------------------------------------------------------------ measures */

__device__ static inline double from_lane(double value, int mask) { return __shfl_xor_sync(~0u, value, mask); }
__device__ static inline long long from_lane(long long value, int mask) { return __shfl_xor_sync(~0u, value, mask); }
__device__ static inline int from_lane(int value, int mask) { return __shfl_xor_sync(~0u, value, mask); }

__device__ static inline void merge_lanes(struct square_sum *s, int mask)
{
    struct square_sum more;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        more.low[k] = from_lane(s->low[k], mask);
        more.high[k] = from_lane(s->high[k], mask);
    }
    more.top = from_lane(s->top, mask);
    square_sum_merge(s, &more);
}

__device__ static inline void merge_lanes(double *largest, int mask)
{
    *largest = system_larger(*largest, from_lane(*largest, mask));
}

/* What the lanes of a warp have, added up in all of them. */
__device__ static inline void merge_warp(struct system_sums *s)
{
    system_sums_settle(s);
#pragma unroll 1
    for (int mask = 16; mask > 0; mask /= 2) {
        merge_lanes(&s->residual, mask);
        merge_lanes(&s->rhs, mask);
        merge_lanes(&s->residual_max, mask);
        merge_lanes(&s->rhs_max, mask);
        merge_lanes(&s->x_max, mask);
        merge_lanes(&s->row_sum_max, mask);
#if SW_HAS_EXACT
        merge_lanes(&s->difference, mask);
        merge_lanes(&s->exact, mask);
        merge_lanes(&s->difference_max, mask);
        merge_lanes(&s->exact_max, mask);
#endif
        const long long bad = from_lane(s->bad, mask);
        if (bad < s->bad) s->bad = bad;
    }
}

/* A warp a part of a run; part[j*parts + p] of part p of run j. 40 bytes a row (x three times, twice from the cache);
 * some 60 operations for the residual and the sums, as many again with exact, and exact. */
extern "C" __global__ void __launch_bounds__(MEASURE_THREADS) measure_k(struct entries_batch b,
                                                                        struct entries_measured m,
                                                                        struct system_sums *part)
{
    const long long item = (long long)blockIdx.x * (MEASURE_THREADS / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (item >= m.parts * b.count) return;
    const long long j = b.count > 1 ? item / m.parts : 0, begin = (item - j * m.parts) * m.each,
                    end = begin + m.each < m.rows ? begin + m.each : m.rows, at = j * m.rows;
    const double *x = m.x + at;
    struct system_sums s = system_sums_zero();
#pragma unroll 2
    for (long long k = begin + lane; k < end; k += 32) {
        const long long row = m.first + k;
        const bool begins = row == 0 && !b.cyclic, ends = row == b.n - 1 && !b.cyclic;
        const double x0 = k > 0 ? x[k - 1] : m.beyond ? m.beyond[2 * j] : b.cyclic ? x[m.rows - 1] : 0,
                     x2 = k < m.rows - 1 ? x[k + 1] : m.beyond ? m.beyond[2 * j + 1] : b.cyclic ? x[0] : 0;
        system_sums_row(&s, row, begins ? 0 : m.lower[at + k], m.main[at + k], ends ? 0 : m.upper[at + k],
                             m.rhs[at + k], x0, x[k], x2);
#if SW_HAS_EXACT
        system_sums_exact(&s, x[k], value_exact(b, (int)j, row));
#endif
    }
    merge_warp(&s);
    if (lane == 0) part[item] = s;
}

/* A warp a run: sums[j] of its parts. */
extern "C" __global__ void merge_k(struct entries_batch b, long long parts, const struct system_sums *part,
                                   struct system_sums *sums)
{
    const long long j = (long long)blockIdx.x * (MEASURE_THREADS / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (j >= b.count) return;
    struct system_sums s = system_sums_zero();
    for (long long p = lane; p < parts; p += 32) system_sums_merge(&s, &part[j * parts + p]);
    merge_warp(&s);
    if (lane == 0) sums[j] = s;
}
