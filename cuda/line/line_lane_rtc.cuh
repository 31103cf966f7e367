/* A group of lanes holds a line, its points in registers: what of it does not depend on the equation. Compiled at run
 * time (src/problem/line/cuda/expression_kernels_cuda.c) for cuda.fused and cuda.stream, behind the *_point.h files
 * used below and
 *
 *     POINTS, LANES, WARPS, BLOCKS        points a line, lanes a line (4 .. 32, or 32 for each of its warps), warps a
 *                                         block, blocks a multiprocessor
 *     CLUSTER                             blocks a line, if it has several warps, else 1
 *     STREAM                              1: the warps of a line meet in device memory (line_stream_rtc.cuh);
 *                                         0: in shared memory (line_block_rtc.cuh)
 *     SPILLED                             how many of a lane's values between the two sweeps lie in shared memory
 *                                         (Crank-Nicolson)
 *     PER_LINE                            1: coefficients differ from line to line
 *     CRANK                               1 Crank-Nicolson, 0 backward Euler
 *     sw_real, SINGLE                     double, 0; or float, 1: type of a lane's points and of all that a solve needs
 *     NPARAM                              parameters of a run
 *     SW_HAS_G, SW_HAS_S                  whether there are G and S; G_RUN, ... how many values they keep at each rate;
 *                                         model_g_*, model_s_* their functions (line_force_rtc.cuh)
 *     CELLS_SHARED                        1: values kept a cell lie in shared memory; 0: they are computed again in
 *                                         each step
 *     AT_STEP, AT_CELL, GROUP_ROOM        shared memory of a group, in doubles: where values kept a step and a cell
 *                                         begin, all of it
 *     AT_WARPS                            that of a block, likewise: where the part of a line's warps begins
 *
 * Lane l has the points of block l, LANE_POINTS of them or one fewer. A solve is two sweeps
 * (problem/line/stepper/recursive.h), forward and backward, and a sweep is two parts:
 *     1. the state before each block, by an exclusive scan over the block totals, a total being the state behind a
 *        block that started from zero: stage k adds that of the lane 2^k back, round the circle, times the power of P
 *        for the points between; then the closure                                                4 FMA a lane and stage
 *     2. the recursion through the block, from that state                                        2 FMA a point
 * A block total is the sum of the block's values times h_k, the response of the recursion to a single one k points
 * on. It is summed while the values are computed, in part 2 of the sweep before (or with the right-hand side),
 * 2 FMA a point: a recursion waits for its own last result, and these sums fill the time. 8 FMA a point, and one for
 * the new field.
 *
 * The double-precision units take two instructions in four cycles, but can read only two registers a cycle: with three
 * registers an instruction takes a third longer, with two and a constant it does not. So a1, a2, h and the powers of P
 * are arguments of the kernel where all lines have the same; where coefficients differ, h and the powers lie in shared
 * memory. Which stages are left out is decided for each line from its own coefficients.
 *
 * Single precision: shared memory is laid out as in double precision, a number in the first half of its place, a 2x2
 * matrix in the first half of its. Expressions are evaluated in double and rounded. The field in device memory is
 * double. */

enum { THREADS = 32 * WARPS, LANE_POINTS = (POINTS + LANES - 1) / LANES, EVEN = POINTS % LANES == 0 };
/* Lanes of a warp that share a line, warps a line; lanes of a line in a block, lines a block. */
enum { GROUP = LANES < 32 ? LANES : 32, LINE_WARPS = LANES / GROUP };
enum { LINE_THREADS = LINE_WARPS > 1 ? THREADS : GROUP, GROUPS = THREADS / LINE_THREADS };
enum { STAGES = GROUP == 32 ? 5 : GROUP == 16 ? 4 : GROUP == 8 ? 3 : 2 };
enum { IN_PLACE = !CRANK };
enum { WIDE = sizeof(double) / sizeof(sw_real) };  /* numbers in the place of one in shared memory */
enum { AT_POWER = 4, TABLE = AT_POWER + 8 * STAGES };
enum { TOGETHER = 32 / GROUP };  /* lines a warp; their responses lie side by side, for the sake of the banks */
/* In pairs, h_k and h_k+1 for even k, of which one load brings both, where all lanes read the same ones. */
enum { PAIRED = PER_LINE && EVEN && LANE_POINTS % 2 == 0 && !SINGLE && !STREAM && !ENDED };

#define EVERYONE 0xffffffffu

struct lane {
    int    l, first;         /* of the line; its first point                              */
    bool   full;             /* it has LANE_POINTS points, not LANE_POINTS - 1            */
    int    forth, back;      /* bit k: the 2^k blocks up to, or from, this one have the larger number of points */
    int    stages, most;     /* of its line; of all lines in the warp (PER_LINE)          */
    int    decay_warps;      /* warps before whose totals are not negligible (LINE_WARPS > 1, PER_LINE, no STREAM) */
    struct sw_state outer[2];  /* before the warp, forward and backward (STREAM)          */
    double2 *totals_out;     /* where the warp writes its totals; NULL: nowhere (STREAM)  */
    double neighbour;        /* lanes 0 and 31: u at the point before, or behind, the warp (STREAM, G) */
    bool   closed;
    sw_real a1, a2, scale;   /* (PER_LINE)                                                */
    int    at;               /* bytes: where the shared memory of the group begins        */
    int    response;         /* bytes: where h_0 is                                       */
    int    h_offset;         /* bytes: where h_0 is for a full block, h_-1 for another    */
    int    spilled;          /* bytes: where the first of its spilled values is           */
    const struct sw_fused_common *common;  /* of all lines, an argument of the kernel (PER_LINE 0) */
};

template <typename T> __device__ static inline T from_lane(T value, int source)
{
    return __shfl_sync(EVERYONE, value, source, GROUP);
}

/* For lines longer than a warp (line_warps_rtc.cuh; line_block_rtc.cuh or line_stream_rtc.cuh). */
template <int DIRECTION>
__device__ static inline struct sw_state scan_over_warps(const struct lane &me, struct sw_state s);
__device__ static inline void locate_warp(struct lane &me);

__device__ static inline double *bytes_into_shared(int at)
{
    extern __shared__ double2 shared[];
    return (double *)((char *)shared + at);
}

__device__ static inline sw_real *numbers_in_shared(int at) { return (sw_real *)bytes_into_shared(at); }

__device__ static inline double *shared_of(const struct lane &me)
{
    return bytes_into_shared(me.at);
}

__device__ static inline sw_real a1_of(const struct lane &me) { return PER_LINE ? me.a1 : me.common->line.a1; }

__device__ static inline sw_real a2_of(const struct lane &me) { return PER_LINE ? me.a2 : me.common->line.a2; }

/* y of a line of Crank-Nicolson counts twice. */
__device__ static inline sw_real scale_of(const struct lane &me) { return PER_LINE ? me.scale : me.common->scale; }

/* Number k of a table of 2x2 matrices that begins at `table` in shared memory. */
__device__ static inline void put_in_table(double *table, int k, sw_real value)
{
    ((sw_real *)table)[k / 4 * 4 * WIDE + k % 4] = value;
}

__device__ static inline struct sw_state join_shared(const double *matrix, struct sw_state t, struct sw_state s)
{
#if SINGLE
    float4 all = *(const float4 *)matrix;
    float M[4] = {all.x, all.y, all.z, all.w};
#else
    double2 top = *(const double2 *)matrix, bottom = *(const double2 *)(matrix + 2);
    double M[4] = {top.x, top.y, bottom.x, bottom.y};
#endif
    return sw_recursive_join(M, t, s);
}

/* s + P^k t, k the points of 2^stage blocks; many: one point more. */
__device__ static inline struct sw_state join_blocks(const struct lane &me, int stage, int many, struct sw_state t,
                                                     struct sw_state s)
{
    if (EVEN && !PER_LINE) return sw_recursive_join(me.common->line.power[2 * stage], t, s);
    int at = me.at;
    if (!EVEN) at |= (many << 5) & 32;  /* at is a multiple of 64 */
    return join_shared(bytes_into_shared(at) + AT_POWER + 8 * stage, t, s);
}

/* The state before the first point, from the total of all n points. */
__device__ static inline struct sw_state close_periodic(const struct lane &me, struct sw_state s)
{
    const struct sw_state zero = {0.0, 0.0};
    if (!PER_LINE) return me.common->line.closed ? sw_recursive_join(me.common->line.closure, s, zero) : s;
    return me.closed ? join_shared(shared_of(me), s, zero) : s;
}

/* The state before this lane's block, from the total of each block: an exclusive scan. DIRECTION: 1 forward,
 * the block before is that of lane l - 1; -1 backward, of lane l + 1. */
template <int DIRECTION>
__device__ static inline struct sw_state exclusive_scan(const struct lane &me, struct sw_state s)
{
    int odd = DIRECTION > 0 ? me.forth : me.back, l = threadIdx.x % GROUP;
#pragma unroll
    for (int k = 0; k < STAGES; k++) {
        if (k < (PER_LINE ? me.most : me.common->line.stages)) {
            int source = l - DIRECTION * (1 << k);
            bool mine = LINE_WARPS > 1 ? source >= 0 && source < GROUP : GROUP == 32 || !PER_LINE || k < me.stages;
            struct sw_state t = {from_lane(s.u, source & (GROUP - 1)), from_lane(s.v, source & (GROUP - 1))};
            if (mine) s = join_blocks(me, k, odd >> k, t, s);
        }
    }
    if (LINE_WARPS > 1) return scan_over_warps<DIRECTION>(me, s);
    s = close_periodic(me, s);
    int before = (l - DIRECTION) & (GROUP - 1);
    return sw_state{from_lane(s.u, before), from_lane(s.v, before)};
}

/* ------------------------------------------------------------------ a solve */

/* Where h_k lies, seen from h_0, in numbers: k is constant. */
__device__ static inline int place_of_response(int k)
{
    return PAIRED ? (k >> 1) * 2 * TOGETHER + (k & 1) : k * TOGETHER * WIDE;
}

/* h_k and h_k+1, k even. */
__device__ static inline double2 pair_of_responses(const struct lane &me, int k)
{
    return *(const double2 *)(bytes_into_shared(me.response) + place_of_response(k));
}

/* h_k: what a recursion from zero gives k points behind a single one; 0 for k = -1 and -2. */
__device__ static inline sw_real response(const struct lane &me, int k)
{
    if (PAIRED) return k & 1 ? pair_of_responses(me, k - 1).y : pair_of_responses(me, k).x;
    return PER_LINE ? numbers_in_shared(me.response)[place_of_response(k)] : me.common->h[k + 2];
}

/* As response(), but for a sum that begins at the other end of the block: in a block that is not full, which lacks its
 * last point, it is h_{k-1}. */
__device__ static inline sw_real response_from_end(const struct lane &me, int k)
{
    if (PAIRED) return response(me, k);
    return PER_LINE || !EVEN ? numbers_in_shared(me.h_offset)[place_of_response(k)] : me.common->h[k + 2];
}

__device__ static inline void add_to(struct sw_state *s, sw_real value, sw_real u, sw_real v)
{
    s->u = fma(u, value, s->u);
    s->v = fma(v, value, s->v);
}

/* Add value j of the block, zero where it has none, to the forward, or backward, total of the block. */
__device__ static inline void add_to_forward_total(const struct lane &me, int j, sw_real value, struct sw_state *s)
{
    add_to(s, value, response_from_end(me, LANE_POINTS - 1 - j), response_from_end(me, LANE_POINTS - 2 - j));
}

__device__ static inline void add_to_backward_total(const struct lane &me, int j, sw_real value, struct sw_state *s)
{
    add_to(s, value, response(me, j), response(me, j - 1));
}

/* A lane's values between the sweeps: the first SPILLED of them lie in shared memory, those of all lanes side by
 * side. */
struct lane_values { const struct lane &me; sw_real *held; };

__device__ static inline sw_real load_value(const struct lane_values &y, int j)
{
    return j < SPILLED ? numbers_in_shared(y.me.spilled)[j * THREADS * WIDE] : y.held[j - SPILLED];
}

__device__ static inline void store_value(const struct lane_values &y, int j, sw_real value)
{
    *(j < SPILLED ? &numbers_in_shared(y.me.spilled)[j * THREADS * WIDE] : &y.held[j - SPILLED]) = value;
}

/* The forward recursion from the state e before the block; value(j) and y[j] may be the same. @return the block's
 * backward total of y */
template <typename F>
__device__ static inline struct sw_state forward_sweep(const struct lane &me, struct sw_state e, F value,
                                                       const struct lane_values &y)
{
    struct sw_state total = {0.0, 0.0};
    sw_real h = 0.0, ahead = 0.0;  /* PAIRED: kept, as the compiler loads them again behind store_value() */
#pragma unroll
    for (int j = 0; j < LANE_POINTS; j++) {
        sw_real z = sw_recursive_next(a1_of(me), a2_of(me), value(j), e.u, e.v);
        if (!EVEN && j == LANE_POINTS - 1 && !me.full) z = 0.0;
        e.v = e.u;
        e.u = z;
        if (!PAIRED) {
            store_value(y, j, z);
            add_to_backward_total(me, j, z, &total);
            continue;
        }
        const sw_real before = h;
        h = j % 2 ? ahead : response(me, j);
        if (j % 2 == 0) ahead = response(me, j + 1);
        store_value(y, j, z);
        add_to(&total, z, h, before);
    }
    return total;
}

/* The backward recursion from the state e behind the block; done(j, z) takes its results. */
template <typename G>
__device__ static inline void backward_sweep(const struct lane &me, struct sw_state e, const struct lane_values &y,
                                             G done)
{
#pragma unroll
    for (int j = LANE_POINTS - 1; j >= 0; j--) {
        sw_real z = sw_recursive_next(a1_of(me), a2_of(me), load_value(y, j), e.u, e.v);
        bool none = !EVEN && j == LANE_POINTS - 1 && !me.full;
        e.v = none ? e.v : e.u;
        e.u = none ? e.u : z;
        done(j, none ? sw_real(0) : z);
    }
}

/* Make the compiler load from shared memory again, instead of keeping values in registers from one part of a step to
 * the next. */
__device__ static inline void reload_shared(void) { __syncwarp(); }

/* ------------------------------------------------------------------ a place in the line */

/* h_-2, h_-1, h_0, ..., h_0 at me.response; its values have the rounding of a recursion of LANE_POINTS steps. */
__device__ static inline void compute_response(const struct lane &me)
{
    sw_real *h = numbers_in_shared(me.response), u = 0.0, v = 0.0;
    h[place_of_response(-2)] = h[place_of_response(-1)] = 0.0;
    for (int k = 0; k < LANE_POINTS; k++) {
        sw_real next = sw_recursive_next(a1_of(me), a2_of(me), k == 0 ? 1.0 : 0.0, u, v);
        v = u;
        u = h[place_of_response(k)] = next;
    }
}

/* Set what a lane keeps for all its lines: its block, and where in shared memory things are. */
__device__ static inline void locate_lane(struct lane &me)
{
    int group = threadIdx.x / LINE_THREADS, entry = (int)sizeof(double) * TOGETHER;
    int warp = LINE_WARPS > 1 ? 0 : threadIdx.x / 32;
    me.l = (LINE_WARPS > 1 ? blockIdx.x % CLUSTER * LINE_THREADS : 0) + threadIdx.x % LINE_THREADS;
    me.first = sw_recursive_start(me.l, POINTS, LANES);
    me.full = EVEN || sw_recursive_start(me.l + 1, POINTS, LANES) - me.first == LANE_POINTS;
    me.at = group * GROUP_ROOM * (int)sizeof(double);
    me.response =
        (GROUPS * GROUP_ROOM + warp * TOGETHER * (LANE_POINTS + 2) + (PAIRED ? 2 : 1) * (group % TOGETHER))
        * (int)sizeof(double) + 2 * entry;
    me.h_offset = me.response - (me.full ? 0 : entry);
    me.spilled = (GROUPS * (GROUP_ROOM + LANE_POINTS + 2) + threadIdx.x) * (int)sizeof(double);
    /* kept, not computed anew wherever they are used */
    asm volatile("" : "+r"(me.at), "+r"(me.response), "+r"(me.h_offset), "+r"(me.spilled));
    me.forth = me.back = 0;
    for (int k = 0; k < STAGES && !EVEN; k++) {
        int q = 1 << k, few = (int)((long long)q * POINTS / LANES);
        int up_to = sw_recursive_start(me.l + 1, POINTS, LANES) - sw_recursive_start(me.l + 1 - q, POINTS, LANES);
        int on = sw_recursive_start(me.l + q, POINTS, LANES) - me.first;
        me.forth |= (up_to > few) << k;
        me.back |= (on > few) << k;
    }
    if (LINE_WARPS > 1) locate_warp(me);
}

__device__ static inline void set_coefficients(struct lane &me, const struct sw_fused_line *mine)
{
    if (PER_LINE || !EVEN)
        for (int k = threadIdx.x % LINE_THREADS; k < TABLE; k += LINE_THREADS)  /* closure, power */
            put_in_table(shared_of(me), k, ((const sw_real *)mine)[k]);
    if (!PER_LINE) {
        if (!EVEN && threadIdx.x % LINE_THREADS == 0) compute_response(me);
        return;
    }
    me.a1 = mine->a1;
    me.a2 = mine->a2;
    me.scale = (CRANK ? 2.0 : 1.0) * mine->scale;
    me.stages = mine->stages;
    me.closed = mine->closed;
    me.most = __reduce_max_sync(EVERYONE, me.stages);
    if (threadIdx.x % LINE_THREADS == 0) compute_response(me);
}

/* ------------------------------------------------------------------ what lanes of a line tell each other */

#if !STREAM
__device__ static inline void warp_edges(double first, double last, double *left, double *beyond);
template <typename OP> __device__ static inline double reduce_over_warps(double value, OP op);

/* Reduce the values of all lanes of a line by op; every lane gets the result. */
template <typename OP> __device__ static inline double over_line(const struct lane &me, double value, OP op)
{
#pragma unroll
    for (int w = GROUP / 2; w > 0; w /= 2) value = op(value, from_lane(value, (threadIdx.x % GROUP) ^ w));
    return LINE_WARPS > 1 ? reduce_over_warps(value, op) : value;
}
#endif

/* The neighbours of a lane's first and last point. */
__device__ static inline void edges(const struct lane &me, double first, double last, double *left, double *beyond)
{
    *left = from_lane(last, (threadIdx.x - 1) & (GROUP - 1));
    *beyond = from_lane(first, (threadIdx.x + 1) & (GROUP - 1));
#if !STREAM
    if (LINE_WARPS > 1) warp_edges(first, last, left, beyond);
#endif
}

/* The lanes of this one's group, a bit each. */
__device__ static inline unsigned group_mask(void)
{
    return (GROUP == 32 ? EVERYONE : (1u << (GROUP & 31)) - 1u) << (threadIdx.x % 32 / GROUP * GROUP);
}
