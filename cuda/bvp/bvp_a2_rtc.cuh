/* The kernels of cuda.a2s, cuda.a2d, cuda.a2sd as the paper prints them (figures 4 to 7): a thread a column of s
 * entries, entry k of column m at u[m + k r], so that each access of a warp is one contiguous segment of memory. Behind
 * cuda/bvp/bvp_rtc.cuh. What the paper leaves out: entries r s .. n-1, fewer than r, that do not fill the columns; and
 * numbers of threads that do not divide r.
 *
 * Numbers of memory an entry: right_hand_side_k 1, forward_sweep_k 2, backward_sweep_k 4, add_tops_k 2. */

struct columns { real_t *u; long long r, s, rest; };

__device__ static inline long long column_of_thread(void) { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }

/* Figure 4. u = h² f(x), half of it at the first point; each thread has one of the entries after the columns, if there
 * are so many. */
extern "C" __global__ void right_hand_side_k(struct bvp_batch b, int j, struct columns c)
{
    const struct problem p = problem_of(b, j);
    const long long m = column_of_thread(), after = c.r * c.s + m;
    long long bad = BVP_NONE;
    if (m >= c.r) return;
    for (long long k = 0; k < c.s; k++) {
        const double f = f_at(p, x_at(p, m * c.s + k));
        if (!isfinite(f) && bad == BVP_NONE) bad = m * c.s + k;
        c.u[m + k * c.r] = (real_t)d_of(p, m * c.s + k, f);
    }
    if (m < c.rest) {
        const double f = f_at(p, x_at(p, after));
        if (!isfinite(f) && bad == BVP_NONE) bad = after;
        c.u[after] = (real_t)d_of(p, after, f);
    }
    if (bad != BVP_NONE) record_bad(b, j, bad);
}

/* Figure 5, step 1A. */
extern "C" __global__ void forward_sweep_k(struct columns c)
{
    const long long m = column_of_thread();
    if (m >= c.r) return;
    for (long long k = 1; k < c.s; k++) c.u[m + k * c.r] += c.u[m + (k - 1) * c.r];
}

/* Figure 6, steps 1C and 2A. */
extern "C" __global__ void backward_sweep_k(struct columns c)
{
    const long long m = column_of_thread();
    if (m >= c.r) return;
    if (m > 0) {
        const real_t a = c.u[(c.s - 1) * c.r + m - 1];
        for (long long k = 0; k < c.s - 1; k++) c.u[m + k * c.r] += a;
    }
    for (long long k = c.s - 2; k >= 0; k--) c.u[m + k * c.r] += c.u[m + (k + 1) * c.r];
}

/* Figure 7, step 2C. The last column gets what comes after it. */
extern "C" __global__ void add_tops_k(struct bvp_batch b, int j, struct columns c)
{
    const long long m = column_of_thread();
    if (m >= c.r) return;
    if (m == 0) save_u(b, j, 0, (double)c.u[0]);
    if (m == c.r - 1 && !c.rest) return;
    const real_t a = m < c.r - 1 ? c.u[m + 1] : c.u[c.r * c.s];
    for (long long k = 1; k < c.s; k++) c.u[m + k * c.r] += a;
}

/* Norms by blocks of threads, block[blockIdx.y * gridDim.x + blockIdx.x]: row y of blocks, but the last, takes rows
 * y rows .. of all columns, a thread a column; the last takes the entries after them. A number read an entry, and
 * exact. */
extern "C" __global__ void block_norms_k(struct bvp_batch b, int j, struct columns c, long long rows,
                                         struct bvp_norms *block)
{
    __shared__ struct bvp_norms shared[NORM_THREADS];
    const struct problem p = problem_of(b, j);
    const long long m = column_of_thread(), first = blockIdx.y * rows, end = first + rows < c.s ? first + rows : c.s;
    struct bvp_norms sum = {0, 0, 0};
    if (blockIdx.y == gridDim.y - 1) {
        const long long i = c.r * c.s + m;
        if (m < c.rest) norms_point(&sum, (double)c.u[i], exact_at(p, x_at(p, i)));
    } else if (m < c.r) {
        for (long long k = first; k < end; k++)
            norms_point(&sum, (double)c.u[m + k * c.r], exact_at(p, x_at(p, m * c.s + k)));
    }
    sum = block_norms(sum, shared);
    if (threadIdx.x == 0) block[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

/* The field in the order of the points: tiles of TILE columns and rows go through shared memory, so that reading and
 * writing are both along contiguous segments. TILE * 8 threads a block; blocks with y = 0 also take the entries after
 * the columns. */
enum { TILE = 32, TILE_ROWS = 8 };
extern "C" __global__ void save_k(struct bvp_batch b, int j, struct columns c)
{
    __shared__ real_t tile[TILE][TILE + 1];
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const long long first = (long long)blockIdx.x * TILE, after = c.r * c.s + first + x;
    if (blockIdx.y == 0 && y == 0 && first + x < c.rest) save_u(b, j, after, (double)c.u[after]);
    for (long long top = (long long)blockIdx.y * TILE; top < c.s; top += (long long)gridDim.y * TILE) {
        for (int k = y; k < TILE; k += TILE_ROWS)
            if (first + x < c.r && top + k < c.s) tile[k][x] = c.u[first + x + (top + k) * c.r];
        __syncthreads();
        for (int m = y; m < TILE; m += TILE_ROWS)
            if (first + m < c.r && top + x < c.s) save_u(b, j, (first + m) * c.s + top + x, (double)tile[x][m]);
        __syncthreads();
    }
}
