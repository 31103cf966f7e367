/* The kernels of cuda.stream: lines that no cluster of blocks holds. The field streams through the multiprocessors in
 * each step; warp w of a line's LINE_WARPS (line_warps_rtc.cuh) has span w, 32 LANE_POINTS points or fewer: the field
 * in shared memory, what is between the two sweeps in registers (line_lane_rtc.cuh).
 *
 * A step is
 *     stream_k, begin    each span's right-hand side f, and the totals of the span: forward, the sum over f, and
 *                        backward, the sum over y of a forward sweep from zero                    reads 8 bytes a point
 *     stream_join_k      the states before each span, forward and then backward
 *     stream_k, finish   f again, both sweeps from these states, the new field into another array   reads and writes 16
 *
 * y is linear in the state e before its span, and so is the backward total of y: that from zero plus M e, with
 *
 *     M = ( sum h_k h_{k+1}      -a2 sum h_k²       )
 *         ( sum h_{k-1} h_{k+1}  -a2 sum h_{k-1} h_k )      (sw_recursive_overlap), k over the points of the span.
 *
 * Where there is no G a right-hand side needs no neighbour, so that the kernel which finishes a step begins the next
 * one with what it has: 16 bytes a point and step. With G it is 24. Some 20 FMA a point, and G and S twice. States are
 * double in every precision. */

enum { SPANS_A_LANE = LINE_WARPS / JOIN };  /* spans of each of the JOIN lanes of stream_join_k */
/* Where the points of the warps are, those of a lane PITCH from the next's. */
enum { LANDING = LANE_POWERS + 256, PITCH = LANE_POINTS | 1 };

__device__ static inline double2 *totals_of(double2 *state, int line, int direction)
{
    return state + ((size_t)line * 2 + (direction < 0)) * LINE_WARPS;
}

/* The rest of exclusive_scan(), the states before the warp being known; the warp's total goes to me.totals_out, if that
 * is not NULL. */
template <int DIRECTION>
__device__ static inline struct sw_state scan_over_warps(const struct lane &me, struct sw_state s)
{
    struct sw_state before = total_before_lane<DIRECTION>(s);
    if (me.totals_out && lane_of_warp() == (DIRECTION > 0 ? 31 : 0))
        me.totals_out[DIRECTION > 0 ? 0 : LINE_WARPS] = double2{s.u, s.v};
    return state_of_lane<DIRECTION>(me, me.outer[DIRECTION < 0], before);
}

/* ------------------------------------------------------------------ points of a warp */

/* Points k, k + 32, ... of the warp's 32 LANE_POINTS places, k of this lane: where it is in the line, and in shared
 * memory. The last place of a block that is not full has none. */
struct place { int at, landing; bool any; };

__device__ static inline struct place place_of(const struct lane &me, unsigned full, int k)
{
    int q = (k * 32 + lane_of_warp()) / LANE_POINTS, j = (k * 32 + lane_of_warp()) % LANE_POINTS;
    return place{__shfl_sync(EVERYONE, me.first, q) + j, q * PITCH + j, j < LANE_POINTS - 1 || (full >> q & 1)};
}

__device__ static inline double *landing_of_warp(void) { return warps_shared(LANDING) + threadIdx.x / 32 * 32 * PITCH; }

/* The warp's points of a line into shared memory; each load is one contiguous stretch of memory, or a few. */
__device__ static inline void load_points(const struct lane &me, const double *line)
{
    enum { AT_ONCE = LANE_POINTS < 16 ? LANE_POINTS : 16 };
    double *landing = landing_of_warp();
    const unsigned full = __ballot_sync(EVERYONE, me.full);
#pragma unroll
    for (int begin = 0; begin < LANE_POINTS; begin += AT_ONCE) {
        double value[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE && begin + k < LANE_POINTS; k++) {
            struct place p = place_of(me, full, begin + k);
            value[k] = p.any ? line[p.at] : 0.0;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE && begin + k < LANE_POINTS; k++)
            landing[place_of(me, full, begin + k).landing] = value[k];
    }
    __syncwarp();
}

__device__ static inline void store_points(const struct lane &me, double *line)
{
    const double *landing = landing_of_warp();
    const unsigned full = __ballot_sync(EVERYONE, me.full);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < LANE_POINTS; k++) {
        struct place p = place_of(me, full, k);
        if (p.any) line[p.at] = landing[p.landing];
    }
}

/* The point before the warp, for its lane 0, or behind it, for the others. */
__device__ static inline int neighbour_of_warp(const struct lane &me)
{
    if (lane_of_warp() == 0) return me.first == 0 ? POINTS - 1 : me.first - 1;
    int next = me.first + LANE_POINTS - (me.full ? 0 : 1);
    return next == POINTS ? 0 : next;
}

__device__ static inline void outer_edges(const struct lane &me, const struct values &v, const struct step_time &now,
                                          double *left, double *beyond)
{
    const int l = lane_of_warp();
    if (l != 0 && l != 31) return;
    struct lane there = me;
    struct values w = v;
    there.first = neighbour_of_warp(me);
    w.origin = there.first;
    *(l == 0 ? left : beyond) = g_at(there, w, now, 0, me.neighbour);
}

/* ------------------------------------------------------------------ a span */

__device__ static inline struct sw_state begin_solve(const struct lane &me, const struct values &v, long long step,
                                                     const sw_real *c, const struct lane_values &y)
{
    struct sw_state total = {0.0, 0.0};
    if (FORCED) {
        struct step_time now;
        if (HELD_STEP) __syncthreads();  /* what is kept for the last step lies where that for this one comes */
        set_step_time(me, v, step, step, now);
        total = right_hand_side(me, v, now, c, y);
    }
#pragma unroll
    for (int j = LANE_POINTS - 1; j >= 0 && !FORCED; j--) add_to_forward_total(me, j, c[j], &total);
    reload_shared();
    return total;
}

/* The forward sweep. @return the block's backward total of y */
__device__ static inline struct sw_state solve_forward(const struct lane &me, struct sw_state total, const sw_real *c,
                                                       const struct lane_values &y)
{
    struct sw_state before = exclusive_scan<1>(me, total);
    total = forward_sweep(me, before, [&](int j) { return FORCED ? load_value(y, j) : c[j]; }, y);
    reload_shared();
    return total;
}

/* state [count][2][LINE_WARPS]: totals, then states; forward, then backward. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    stream_k(const __grid_constant__ struct sw_line_batch b, const struct sw_fused_line *__restrict__ coefficient,
             const __grid_constant__ struct sw_fused_common common, const double *__restrict__ table,
             const double *__restrict__ u, double *__restrict__ next, double2 *__restrict__ state, long long step,
             int finish, int begin)
{
    const int line = blockIdx.x / CLUSTER;
    struct lane me;
    struct values v;
    me.common = &common;
    locate_lane(me);
    /* all of a block, also if another finds it now */
    if (!__syncthreads_and(b.first_bad[line] == SW_LINE_FINITE)) return;
    set_coefficients(me, PER_LINE ? coefficient + line : &common.line);
    set_values(me, b, line, v);
    for (int k = threadIdx.x; k < 256; k += THREADS)
        put_in_table(warps_shared(LANE_POWERS), k, table[(PER_LINE ? (size_t)line : 0) * SW_STREAM_TABLE + k]);
    __syncthreads();

    sw_real held[LANE_POINTS], *c = landing_of_warp() + lane_of_warp() * PITCH;
    struct lane_values y = {me, held};
    double2 *mine = totals_of(state, line, 1) + warp_of_line();
    u += (size_t)line * POINTS;
    load_points(me, u);
    if (SW_HAS_G) me.neighbour = u[neighbour_of_warp(me)];
    /* the code once: the end of a step, the beginning of the next */
#pragma unroll 1
    for (int ending = finish; ending >= 1 - begin; ending--) {
        me.totals_out = ending ? NULL : mine;
        me.outer[0] = me.outer[1] = sw_state{0.0, 0.0};
        if (ending) {
            double2 before = mine[0], behind = mine[LINE_WARPS];
            me.outer[0] = sw_state{sw_real(before.x), sw_real(before.y)};
            me.outer[1] = sw_state{sw_real(behind.x), sw_real(behind.y)};
        }
        struct sw_state total = begin_solve(me, v, ending ? step : step + finish, c, y);
        struct sw_state behind = exclusive_scan<-1>(me, solve_forward(me, total, c, y));
        if (!ending) continue;
        bool finite = true;
        backward_sweep(me, behind, y, [&](int j, sw_real z) {
            c[j] = CRANK ? fma(scale_of(me), z, -c[j]) : scale_of(me) * z;
            if (j == 0) finite = isfinite(z);  /* a recursion does not come back from what is not */
        });
        /* all warps that write write the same */
        if (__any_sync(EVERYONE, !finite) && lane_of_warp() == 0) b.first_bad[line] = step + 1;
        store_points(me, next + (size_t)line * POINTS);
        __syncwarp();
    }
}

/* ------------------------------------------------------------------ the states before spans */

/* s + M t */
__device__ static inline double2 add_state(const double *M, double2 t, double2 s)
{
    return double2{fma(M[0], t.x, fma(M[1], t.y, s.x)), fma(M[2], t.x, fma(M[3], t.y, s.y))};
}

/* value of the lane `distance` back. */
__device__ static inline double2 from_join(double2 value, int distance)
{
    __shared__ double2 all[JOIN];
    __syncthreads();
    all[threadIdx.x] = value;
    __syncthreads();
    return all[(threadIdx.x - distance) & (JOIN - 1)];
}

/* The total of the n points that end with this lane's spans: stages as in exclusive_scan(), round the circle. */
template <int DIRECTION> __device__ static inline double2 sum_circle(const double *table, double2 s)
{
    const int t = threadIdx.x;
    for (int k = 0; 1 << k < JOIN; k++) {
        int q = 1 << k, first = DIRECTION > 0 ? t + 1 - q : t;
        int points = sw_recursive_start(first + q, POINTS, JOIN) - sw_recursive_start(first, POINTS, JOIN);
        double2 other = from_join(s, DIRECTION * q);
        s = add_state(table + SW_STREAM_STAGES + 8 * k + (points > (int)((long long)q * POINTS / JOIN) ? 4 : 0), other,
                      s);
    }
    return add_state(table + SW_STREAM_CLOSURE, s, double2{0.0, 0.0});
}

/* Turn totals into states. In the forward direction each state is also added to the backward total of its span. */
template <int DIRECTION> __device__ static inline void walk(const double *table, double2 *total)
{
    const int first = threadIdx.x * SPANS_A_LANE + (DIRECTION > 0 ? 0 : SPANS_A_LANE - 1);
    double2 s = {0.0, 0.0};
    for (int k = 0; k < SPANS_A_LANE; k++) {
        int w = first + DIRECTION * k, more = warp_start(w + 1) - warp_start(w) > POINTS / LINE_WARPS;
        s = add_state(table + SW_STREAM_SPAN + 4 * more, s, total[w]);
    }
    s = from_join(sum_circle<DIRECTION>(table, s), DIRECTION);
    for (int k = 0; k < SPANS_A_LANE; k++) {
        int w = first + DIRECTION * k, more = warp_start(w + 1) - warp_start(w) > POINTS / LINE_WARPS;
        double2 own = total[w];
        total[w] = s;
        if (DIRECTION > 0)
            total[w + LINE_WARPS] = add_state(table + SW_STREAM_OVERLAP + 4 * more, s, total[w + LINE_WARPS]);
        s = add_state(table + SW_STREAM_SPAN + 4 * more, s, own);
    }
}

/* A block of JOIN lanes a line, before its step from `step`. 2 LINE_WARPS states read and written twice; with
 * LINE_WARPS/JOIN spans a lane one after another. */
extern "C" __global__ void __launch_bounds__(JOIN)
    stream_join_k(const __grid_constant__ struct sw_line_batch b, const double *__restrict__ table,
                  double2 *__restrict__ state, long long step)
{
    const int line = blockIdx.x;
    long long bad = b.first_bad[line];
    if (bad == SW_LINE_NOT_FINITE && threadIdx.x == 0) b.first_bad[line] = step;
    if (__syncthreads_or(bad != SW_LINE_FINITE)) return;
    table += (PER_LINE ? (size_t)line : 0) * SW_STREAM_TABLE;
    walk<1>(table, totals_of(state, line, 1));
    __syncthreads();
    walk<-1>(table, totals_of(state, line, -1));
}
