/* The kernels of cuda.scan (docs/explanation/bvp.md): totals first, nothing stored; then u. Behind
 * cuda/bvp/bvp_rtc.cuh, with f and exact as programs in X and t, x = X + t (sw_program_offset()), and
 *
 *     M               points of a segment: consecutive ones, of one thread
 *     WARPS           of a block
 *     PARTS           of a group, a block's each in solution_k, so that few blocks do not end long after the others; 1
 *                     with norms, whose sums are over groups
 *     SEGMENTS        that a thread of group_totals_k takes in a row, 1, 2 or 4; TILES, how many times it does
 *     SHORT           1: one block solves a problem, by short_problem_k; 0: group_totals_k, scan_groups_k, solution_k
 *     PADDED          0: points fill the segments; 1: there are zeros before the first one, where they change no sum
 *     WIDE            1: pairs of points may be stored at once: n and M are even
 *     AT_ONCE         blocks a multiprocessor that registers are cut for
 *     SCAN_THREADS    of scan_groups_k
 *     STRIDE          distance of the segments of a warp in shared memory, in doubles; even if M is
 *     BY_OFFSET       1: f and exact are programs in X and t; 0: in x, as they keep too many values for each t
 *     F_UNROLLED      0: f is long, or has branches: one copy of it for all points of a segment; 1: a copy each, which
 *                     share what constants take and hide each other's latency; EXACT_UNROLLED the same
 *     SINGLE          1: u is rounded to single precision
 *
 * Position i + pad belongs to point i. 32 segments are a chunk, a warp's; CHUNKS of them a group, a block's. Of a
 * segment X is its first point, so that the values of f for X alone are computed once for M points (in group_totals_k
 * for SEGMENTS times as many) and those for t = h k once a block, in shared memory, all lanes of a warp reading the
 * same at a time.
 *
 * Plain sums within a warp, where no number goes through more than 2 (M + 5) + 4 additions, and across the few warps of
 * a short problem; pairs (double_double_point.h) between chunks and groups. Sums are of f, and h² comes last: h² (sum
 * f) + y + u is one rounding more than that of y + u.
 *
 * Double-precision instructions a point (f_t those of f once X and t are known, f_X those of its values for X; for
 * f = a cos(w x) f_t = 2 and f_X = 100 or so), and bytes:
 *     group_totals_k   f_t + 2 + f_X/(M SEGMENTS) + 0.3, nothing read or written but 16 bytes a chunk
 *     solution_k       f_t + 4 + f_X/M + 2, u written once, 16 bytes a chunk read; 5 more and those of exact for norms
 *     short_problem_k  the same
 * All instructions a point where f is 20000 exp(-100 x²)(1 - 200 x²), f_t 21: 41 in group_totals_k and 54 in solution_k
 * (sm_90, the body of the loop over 16 points).
 *
 * Of shared memory 16 bytes a point, on the way to the field. */

enum { CHUNK = 32 * M, CHUNKS = TILES * WARPS * SEGMENTS, GROUP = CHUNK * CHUNKS, THREADS = 32 * WARPS };
enum { REACH = M * SEGMENTS };  /* points from X on in group_totals_k */

#define EVERYONE 0xffffffffu

struct prefix { struct sw_dd y, u; };  /* y before, u after; or totals: the sum of d, that of y if it began with 0 */

struct scan {                 /* as bvp_scan_cuda.c has it                                                */
    long long         pad;
    long long         groups; /* of a problem                                                             */
    double2          *local;  /* [problems][groups][CHUNKS] y and u at the edges of a chunk from its group alone */
    struct prefix    *group;  /* [problems][groups]                                                       */
    struct bvp_norms *norms;  /* [problems][groups]                                                       */
};

/* ------------------------------------------------------------------ f and exact on a segment */

/* number: the point X is, as a double: converting k would cost as much as four additions. */
struct segment { double X, number, f[F_CELL + 1], exact[EXACT_CELL + 1]; };

__device__ static inline void begin_f(const struct problem &p, long long point, struct segment &s)
{
    s.number = (double)point;
    s.X = x_at(p, point);
#if BY_OFFSET
    double in[SW_INPUTS] = {0};
    in[SW_IN_X] = s.X;
    model_f_cell(p.param, 1, p.f, 1, in, 0, s.f);
#endif
}

__device__ static inline void begin_exact(const struct problem &p, struct segment &s)
{
#if BY_OFFSET && SW_HAS_EXACT
    double in[SW_INPUTS] = {0};
    in[SW_IN_X] = s.X;
    model_exact_cell(p.param, 1, p.exact, 1, in, 0, s.exact);
#endif
}

/* At point `number`, k points from X. table [][F_STEP]: the values of f for t = h k. A jump of f may lie at a point; so
 * what is made of x itself gets x_i as it is on the CPU, as X, and -0 for t: their sum is it, to the bit. */
__device__ static inline double f_of(const struct problem &p, const struct segment &s, const double *table, int k,
                                     double number)
{
    const double x = p.x0 + p.h * number;
#if BY_OFFSET
    double in[SW_INPUTS] = {0};
    in[SW_IN_X] = x;
    return model_f_point(p.param, 1, p.f, 1, table + k * F_STEP, 1, s.f, 1, in, 0, -0.0, 0);
#else
    return f_at(p, x);
#endif
}

__device__ static inline double exact_of(const struct problem &p, const struct segment &s, const double *table, int k,
                                         double number)
{
    const double x = p.x0 + p.h * number;
#if BY_OFFSET && SW_HAS_EXACT
    double in[SW_INPUTS] = {0};
    in[SW_IN_X] = x;
    return model_exact_point(p.param, 1, p.exact, 1, table + k * EXACT_STEP, 1, s.exact, 1, in, 0, -0.0, 0);
#else
    return exact_at(p, x);
#endif
}

/* By all threads; a barrier must follow. */
__device__ static inline void fill_tables(const struct problem &p, int count, double *f, double *exact)
{
#if BY_OFFSET
    for (int k = threadIdx.x; k < count; k += THREADS) {
        model_f_step(p.param, 1, p.f, 1, p.h * k, 0, f + k * F_STEP);
#if SW_HAS_EXACT
        if (exact) model_exact_step(p.param, 1, p.exact, 1, p.h * k, 0, exact + k * EXACT_STEP);
#endif
    }
#endif
}

/* Where the first point is, seen from a position: -1 before it, so that no k = 0, 1, .. is or precedes the first
 * point. */
__device__ static inline int first_from(const struct scan &s, long long position)
{
    const long long ahead = s.pad - position;
    return ahead < 0 ? -1 : (int)ahead;
}

/* Half of f at the first point, nothing before it; k is a constant or PADDED is 1. */
__device__ static inline double weighted(double f, int k, int first)
{
    if ((PADDED || k == 0) && k == first) f *= 0.5;
    return PADDED && k < first ? 0.0 : f;
}

/* Find the first f from a position on that is not finite, where their sum is not. */
__device__ static inline void find_bad(const struct bvp_batch &b, const struct scan &s, int j,
                                       const struct problem &p, const struct segment &x, const double *table,
                                       int count, long long position)
{
#pragma unroll 1
    for (int k = 0; k < count; k++)
        if (position + k >= s.pad && !isfinite(f_of(p, x, table, k, x.number + k))) {
            record_bad(b, j, position + k - s.pad);
            return;
        }
}

/* ------------------------------------------------------------------ exclusive scans over a block */

/* The sum over the threads before this one; DIRECTION -1: over those after it. all: over all, for every thread. Each
 * thread adds up along the warps. shared: [blockDim.x/32], free again afterwards. */
template <int DIRECTION>
__device__ static inline struct sw_dd exclusive_scan(struct sw_dd own, struct sw_dd *shared, struct sw_dd *all)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int rank = DIRECTION > 0 ? lane : 31 - lane;
    struct sw_dd sum = own, before = {0, 0}, some = {0, 0};
#pragma unroll
    for (int w = 1; w < 32; w *= 2) {
        const int source = (lane - DIRECTION * w) & 31;
        const struct sw_dd other = {__shfl_sync(EVERYONE, sum.hi, source), __shfl_sync(EVERYONE, sum.lo, source)};
        if (rank >= w) sum = sw_dd_add(other, sum);
    }
    if (rank == 31) shared[warp] = sum;
    const int source = (lane - DIRECTION) & 31;
    sum = {__shfl_sync(EVERYONE, sum.hi, source), __shfl_sync(EVERYONE, sum.lo, source)};
    __syncthreads();
    for (int k = 0; k < warps; k++) {
        const int w = DIRECTION > 0 ? k : warps - 1 - k;
        if (w == warp) before = some;
        some = sw_dd_add(some, shared[w]);
    }
    __syncthreads();
    *all = some;
    return rank == 0 ? before : sw_dd_add(before, sum);
}

/* ------------------------------------------------------------------ totals */

#if !SHORT
/* Totals of what a lane has and what comes after it, `points` of them. */
__device__ static inline void append_totals(double2 &left, double2 right, int points)
{
    left.y = fma((double)points, left.x, left.y) + right.y;
    left.x += right.x;
}

/* Sums and sums of running sums over a thread's segments, X being the first one's. */
__device__ static inline double2 thread_totals(const struct problem &p, const struct segment &x, const double *table,
                                               int first)
{
    double2 total = {0, 0};
    double number = x.number;
#pragma unroll 1
    for (int q = 0; q < SEGMENTS; q++) {
        double2 own = {0, 0};
#pragma unroll (F_UNROLLED ? M : 1)
        for (int k = 0; k < M; k++, number += 1) {
            own.x += weighted(f_of(p, x, table + q * M * F_STEP, k, number), k, first - q * M);
            own.y += own.x;
        }
        append_totals(total, own, M);
    }
    return total;
}

/* A group of chunks to each block. */
extern "C" __global__ void __launch_bounds__(THREADS) group_totals_k(struct bvp_batch b, struct scan s)
{
    enum { LANES = 32 / SEGMENTS };  /* of a chunk */
    __shared__ __align__(16) double table[REACH * F_STEP + 2];
    __shared__ double2 total[CHUNKS];
    __shared__ struct sw_dd shared[WARPS];
    const int j = blockIdx.x / (unsigned)s.groups, g = blockIdx.x % (unsigned)s.groups;
    const struct problem p = problem_of(b, j);
    struct segment x;
    fill_tables(p, REACH, table, 0);
    __syncthreads();
#pragma unroll 1
    for (int tile = 0; tile < TILES; tile++) {
        const int thread = tile * THREADS + threadIdx.x;
        const long long position = (long long)g * GROUP + (long long)thread * REACH;
        begin_f(p, position - s.pad, x);
        double2 own = thread_totals(p, x, table, first_from(s, position));
        if (!isfinite(own.x)) find_bad(b, s, j, p, x, table, REACH, position);
#pragma unroll
        for (int w = 1; w < LANES; w *= 2) {
            const double2 next = {__shfl_down_sync(EVERYONE, own.x, w), __shfl_down_sync(EVERYONE, own.y, w)};
            append_totals(own, next, w * REACH);
        }
        if (threadIdx.x % LANES == 0) total[thread / LANES] = own;
    }
    __syncthreads();

    const int c = threadIdx.x;
    struct sw_dd a = {c < CHUNKS ? p.h2 * total[c].x : 0, 0}, u = {c < CHUNKS ? p.h2 * total[c].y : 0, 0};
    struct prefix all;
    const struct sw_dd y = exclusive_scan<1>(a, shared, &all.y);
    if (c < CHUNKS) u = sw_dd_scale_add(y, CHUNK, u);
    u = exclusive_scan<-1>(u, shared, &all.u);
    if (c < CHUNKS) s.local[(size_t)blockIdx.x * CHUNKS + c] = {sw_dd_value(y), sw_dd_value(u)};
    if (c == 0) s.group[blockIdx.x] = all;
}

/* Totals of groups become their exclusive scans, y before and u after each: a block of SCAN_THREADS a problem, a
 * thread a range of groups. 64 bytes and 30 additions a group. */
extern "C" __global__ void __launch_bounds__(SCAN_THREADS) scan_groups_k(struct scan s)
{
    __shared__ struct sw_dd shared[SCAN_THREADS / 32];
    struct prefix *group = s.group + blockIdx.x * s.groups;
    const long long each = (s.groups + SCAN_THREADS - 1) / SCAN_THREADS, from = threadIdx.x * each;
    const long long to = from + each < s.groups ? from + each : s.groups;
    struct sw_dd y = {0, 0}, u = {0, 0}, all;
    for (long long g = from; g < to; g++) y = sw_dd_add(y, group[g].y);
    y = exclusive_scan<1>(y, shared, &all);
    for (long long g = from; g < to; g++) {
        const struct prefix total = group[g], with_y = {y, sw_dd_scale_add(y, GROUP, total.u)};
        group[g] = with_y;
        y = sw_dd_add(y, total.y);
        u = sw_dd_add(u, with_y.u);
    }
    u = exclusive_scan<-1>(u, shared, &all);
    for (long long g = to - 1; g >= from; g--) {
        const struct sw_dd more = group[g].u;
        group[g].u = u;
        u = sw_dd_add(u, more);
    }
}
#endif

/* ------------------------------------------------------------------ u of a warp's chunk */

/* What a lane holds of its segment, and of the others of its chunk: all sums of f. */
struct lane {
    double value[M];        /* f; then the sums of running sums from k on; then u */
    double before, after;   /* the sum before the segment; those of y after it    */
    double all, all_y;      /* of the chunk, where it is SHORT                    */
};

/* mine: room for a segment in shared memory. */
__device__ static inline void f_values(const struct problem &p, const struct segment &x, const double *table, int first,
                                       double *mine, struct lane &l)
{
    double number = x.number;
#if F_UNROLLED
#pragma unroll
    for (int k = 0; k < M; k++, number += 1) l.value[k] = weighted(f_of(p, x, table, k, number), k, first);
#else
#pragma unroll 1
    for (int k = 0; k < M; k++, number += 1) mine[k] = f_of(p, x, table, k, number);
#pragma unroll
    for (int k = 0; k < M; k++) l.value[k] = weighted(mine[k], k, first);
#endif
}

/* value += that of the lane w before this one ("up", "0") or behind it ("down", "31"), where there is one. The shuffle
 * tells in a predicate, which its C++ function does not hand on: comparisons of lanes cost two instructions a point. */
#define ADD_OF_LANE(direction, last, value, w)                                                        \
    asm volatile("{ .reg .pred there; .reg .b32 lo, hi; .reg .f64 other;\n"                           \
                 "mov.b64 {lo, hi}, %0;\n"                                                            \
                 "shfl.sync." direction ".b32 lo|there, lo, %1, " last ", 0xffffffff;\n"              \
                 "shfl.sync." direction ".b32 hi|there, hi, %1, " last ", 0xffffffff;\n"              \
                 "mov.b64 other, {lo, hi};\n"                                                         \
                 "@there add.rn.f64 %0, %0, other; }" : "+d"(value) : "r"(w))

__device__ static inline void scan_chunk(struct lane &l)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 1; k < M; k++) l.value[k] += l.value[k - 1];
    double a = l.value[M - 1];
#pragma unroll
    for (int k = M - 2; k >= 0; k--) l.value[k] += l.value[k + 1];
#pragma unroll
    for (int w = 1; w < 32; w *= 2) ADD_OF_LANE("up", "0", a, w);
    l.before = __shfl_up_sync(EVERYONE, a, 1);
    if (lane == 0) l.before = 0;
    double b = fma((double)M, l.before, l.value[0]);
#pragma unroll
    for (int w = 1; w < 32; w *= 2) ADD_OF_LANE("down", "31", b, w);
#if SHORT
    l.all = __shfl_sync(EVERYONE, a, 31);
    l.all_y = __shfl_sync(EVERYONE, b, 0);
#endif
    l.after = __shfl_down_sync(EVERYONE, b, 1);
    if (lane == 31) l.after = 0;
}

/* @param y, u  before and after the chunk */
__device__ static inline void form_u(const struct problem &p, double y, double u, struct lane &l)
{
    u = fma(p.h2, l.after, fma((double)(M * (31 - (int)(threadIdx.x % 32))), y, u));
    y = fma(p.h2, l.before, y);
#pragma unroll
    for (int k = 0; k < M; k++) {
        l.value[k] = fma(p.h2, l.value[k], fma((double)(M - k), y, u));
        if (SINGLE) l.value[k] = (float)l.value[k];
    }
}

__device__ static inline void add_norms(const struct problem &p, const struct segment &x, const double *table,
                                        int first, double *mine, const struct lane &l, struct bvp_norms *sum)
{
#if SW_HAS_EXACT
#if !EXACT_UNROLLED
#pragma unroll
    for (int k = 0; k < M; k++) mine[k] = l.value[k];
#endif
    double number = x.number;
#pragma unroll (EXACT_UNROLLED ? M : 1)
    for (int k = 0; k < M; k++, number += 1)
        if (!PADDED || k >= first)
            norms_point(sum, EXACT_UNROLLED ? l.value[k] : mine[k], exact_of(p, x, table, k, number));
#endif
}

__device__ static inline void store_pair(double *to, double2 v) { __stcs((double2 *)to, v); }
__device__ static inline void store_pair(float *to, double2 v)
{
    __stcs((float2 *)to, make_float2((float)v.x, (float)v.y));
}

/* Where point at + first of a chunk lies in shared memory; `at` is a constant, and where segments divide it so is what
 * it adds. */
__device__ static inline int place(int at, int first)
{
    const int whole = at % M ? 0 : at, rest = at - whole + first;
    return whole / M * STRIDE + rest / M * STRIDE + rest % M;
}

/* Through shared memory, so that a warp writes one contiguous segment at a time. @param chunk  room for all lanes */
__device__ static inline void save_chunk(const struct bvp_batch &b, const struct scan &s, int j, long long position,
                                         double *chunk, const struct lane &l)
{
    const int lane = threadIdx.x % 32;
    const int first = WIDE ? 2 * lane : lane;
    field_t *const field = (field_t *)b.field + j * b.n + position - s.pad + first;
    double *const mine = chunk + lane * STRIDE;
#if WIDE
#pragma unroll
    for (int k = 0; k < M; k += 2) *(double2 *)(mine + k) = {l.value[k], l.value[k + 1]};
    __syncwarp();
#pragma unroll
    for (int at = 0; at < CHUNK; at += 64)
        if (!PADDED || position + at + first >= s.pad)
            store_pair(field + at, *(const double2 *)(chunk + place(at, first)));
#else
#pragma unroll
    for (int k = 0; k < M; k++) mine[k] = l.value[k];
    __syncwarp();
#pragma unroll
    for (int at = 0; at < CHUNK; at += 32)
        if (!PADDED || position + at + first >= s.pad) __stcs(field + at, (field_t)chunk[place(at, first)]);
#endif
    __syncwarp();
}

struct tables { const double *f, *exact; };

/* Form u, add it to the norms, save it. position: of the chunk; x: of the lane's segment */
__device__ static inline void finish_chunk(const struct bvp_batch &b, const struct scan &s, int j,
                                           const struct problem &p, struct segment &x, const struct tables &t,
                                           long long position, double y, double u, double *chunk, struct lane &l,
                                           struct bvp_norms *sum)
{
    const int lane = threadIdx.x % 32, first = first_from(s, position + lane * M);
    form_u(p, y, u, l);
#pragma unroll
    for (int k = 0; k < (PADDED ? M : 1); k++)
        if (k == first) b.outcome[j].u0 = l.value[k];
    begin_exact(p, x);
    add_norms(p, x, t.exact, first, chunk + lane * STRIDE, l, sum);
    if (b.field) save_chunk(b, s, j, position, chunk, l);
}

/* The sum over a block, in an order that its size fixes; the first thread gets it. shared: [WARPS] */
__device__ static inline struct bvp_norms warps_norms(struct bvp_norms sum, struct bvp_norms *shared)
{
#pragma unroll
    for (int w = 16; w > 0; w /= 2) {
        const struct bvp_norms other = {__shfl_xor_sync(EVERYONE, sum.error, w),
                                        __shfl_xor_sync(EVERYONE, sum.exact, w), __shfl_xor_sync(EVERYONE, sum.max, w)};
        norms_add(&sum, &other);
    }
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum;
    __syncthreads();
    for (int w = 1; w < WARPS && threadIdx.x == 0; w++) norms_add(&sum, &shared[w]);
    return sum;
}

/* ------------------------------------------------------------------ u */

#define TABLES                                                                              \
    __shared__ __align__(16) double f_table[M * F_STEP + 2], exact_table[M * EXACT_STEP + 2]; \
    extern __shared__ double2 scratch[];                                                      \
    __shared__ struct bvp_norms norms[WARPS];                                               \
    const struct tables t = {f_table, exact_table};                                         \
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                             \
    double *const chunk = (double *)scratch + warp * 32 * STRIDE, *const mine = chunk + lane * STRIDE; \
    struct bvp_norms sum = {0, 0, 0}

#if !SHORT
/* A part of a group to each block, its chunks to the warps in turn. */
extern "C" __global__ void __launch_bounds__(THREADS, AT_ONCE) solution_k(struct bvp_batch b, struct scan s)
{
    TABLES;
    enum { CHUNKS_OF_PART = CHUNKS / PARTS };
    const int group = blockIdx.x / PARTS, end = (blockIdx.x % PARTS + 1) * CHUNKS_OF_PART;
    const int j = group / (unsigned)s.groups, g = group % (unsigned)s.groups;
    const struct problem p = problem_of(b, j);
    fill_tables(p, M, f_table, exact_table);
    __syncthreads();
    const struct prefix prefix = s.group[group];
    const double y_group = sw_dd_value(prefix.y), u_group = sw_dd_value(prefix.u);
#pragma unroll 1
    for (int c = end - CHUNKS_OF_PART + warp; c < end; c += WARPS) {
        const double2 local = s.local[(size_t)group * CHUNKS + c];
        const long long position = (long long)g * GROUP + c * CHUNK, own = position + lane * M;
        struct segment x;
        struct lane l;
        if (PADDED && position + CHUNK <= s.pad) continue;
        begin_f(p, own - s.pad, x);
        f_values(p, x, f_table, first_from(s, own), mine, l);
        scan_chunk(l);
        finish_chunk(b, s, j, p, x, t, position, y_group + local.x,
                     fma((double)((CHUNKS - 1 - c) * CHUNK), y_group, u_group) + local.y, chunk, l, &sum);
    }
    if (!SW_HAS_EXACT) return;
    sum = warps_norms(sum, norms);
    if (threadIdx.x == 0) s.norms[blockIdx.x] = sum;
}
#endif

#if SHORT
/* A block a problem, a warp a chunk: f is evaluated once, everything stays in registers until u is written. */
extern "C" __global__ void __launch_bounds__(THREADS, AT_ONCE) short_problem_k(struct bvp_batch b, struct scan s)
{
    TABLES;
    __shared__ double shared[2][WARPS];
    const int j = blockIdx.x;
    const struct problem p = problem_of(b, j);
    const long long position = warp * CHUNK, own = position + lane * M;
    struct segment x;
    struct lane l;
    double y = 0, u = 0;
    fill_tables(p, M, f_table, exact_table);
    begin_f(p, own - s.pad, x);
    __syncthreads();
    f_values(p, x, f_table, first_from(s, own), mine, l);
    scan_chunk(l);
    if (!isfinite(l.all)) find_bad(b, s, j, p, x, f_table, M, own);
    if (WARPS > 1) {
        if (lane == 0) shared[0][warp] = l.all;
        __syncthreads();
        for (int w = 0; w < warp; w++) y += shared[0][w];
        if (lane == 0) shared[1][warp] = fma((double)CHUNK, y, l.all_y);
        __syncthreads();
        for (int w = WARPS - 1; w > warp; w--) u += shared[1][w];
    }
    finish_chunk(b, s, j, p, x, t, position, p.h2 * y, p.h2 * u, chunk, l, &sum);
    if (!SW_HAS_EXACT) return;
    sum = warps_norms(sum, norms);
    if (threadIdx.x == 0) b.outcome[j].norms = sum;
}
#endif
