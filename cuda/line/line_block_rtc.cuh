/* The warps of a line longer than a warp holds, for cuda.fused (line_warps_rtc.cuh): the LINE_WARPS warps of one thread
 * block, or of the CLUSTER blocks of a thread-block cluster, meet in shared memory. Warp w has the points of lanes 32 w
 * .. 32 w + 31.
 *
 * A warp scans the totals of its lanes by itself and writes its own total into the shared memory of each block whose
 * warps need it. After one barrier each warp sums over the warps before it, round the circle,
 *
 *     e = (I - P^n)^-1 sum_q P^(points of the q warps between) total(q + 1 warps back),      q = 0 .. decay_warps - 1
 *
 * decay_warps being the number of terms that are not negligible, by the run's own coefficients; mostly 1. Lane q of a
 * warp takes the terms q, q + 32, ..., then the warp reduces them. A lane's state is the total of the lanes before it
 * in its warp plus P^(their points) e.
 *
 * One barrier a sweep is enough, because forward and backward totals lie in different places: what is written before
 * the barrier of one sweep is read between this barrier and the next, and written again only after the next. The
 * edges that G needs have a place and a barrier of their own, and so has the flag that something is not finite: all
 * warps read it once a step, after the barrier of the forward sweep, see the same value and return together. No block
 * of a cluster returns while others may still write to it. */

__device__ static inline void warps_sync(void)
{
#if CLUSTERED
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

#if CLUSTERED
/* The address, for st.shared::cluster, of the same place in another block of the cluster. */
__device__ static inline unsigned address_in(int rank, const void *here)
{
    unsigned place;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(place)
        : "r"((unsigned)__cvta_generic_to_shared(here)), "r"(rank));
    return place;
}

__device__ static inline void store_pair(int rank, double *here, double u, double v)
{
    asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(address_in(rank, here)), "d"(u), "d"(v) : "memory");
}

__device__ static inline void store_one(int rank, double *here, double u)
{
    asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(address_in(rank, here)), "d"(u) : "memory");
}

__device__ static inline void store_bits(int rank, int *here, int bits)
{
    asm volatile("red.shared::cluster.or.b32 [%0], %1;" ::"r"(address_in(rank, here)), "r"(bits) : "memory");
}
#else
__device__ static inline void store_pair(int, double *here, double u, double v) { *(double2 *)here = double2{u, v}; }
__device__ static inline void store_one(int, double *here, double u) { *here = u; }
__device__ static inline void store_bits(int, int *here, int bits) { atomicOr(here, bits); }
#endif

/* Where things lie in shared memory behind the powers for lanes (line_warps_rtc.cuh): those for warps (fused_point.h);
 * totals of all warps of the line, forward and backward; the neighbours of the first and last point of each warp of
 * the block; whether something is not finite. */
enum { WARP_POWERS = LANE_POWERS + 256, TOTALS = WARP_POWERS + 8 * LINE_WARPS, EDGES = TOTALS + 4 * LINE_WARPS };
enum { NOT_FINITE = EDGES + 2 * WARPS };

__device__ static inline void warps_begin(struct lane &me, const struct sw_fused_line *coefficient, const double *table,
                                          int run)
{
    for (int k = threadIdx.x; k < TOTALS; k += THREADS)
        put_in_table(warps_shared(0), k, table[(PER_LINE ? (size_t)run : 0) * TOTALS + k]);
    if (threadIdx.x == 0) *(int *)warps_shared(NOT_FINITE) = 0;
    if (PER_LINE) me.decay_warps = coefficient[run].decay_warps;
    warps_sync();
}

__device__ static inline int decay_of(const struct lane &me)
{
    return PER_LINE ? me.decay_warps : me.common->line.decay_warps;
}

/* Write the warp's total, s in its last lane, into the blocks of the warps that need it. */
template <int DIRECTION>
__device__ static inline void publish_total(const struct lane &me, double *total, struct sw_state s)
{
    const int last = DIRECTION > 0 ? 31 : 0, l = lane_of_warp();
    double *place = total + 2 * warp_of_line();
    if (CLUSTER == 1) {
        if (l == last) store_pair(0, place, s.u, s.v);
        return;
    }
    int in_block = threadIdx.x / 32, passed = DIRECTION > 0 ? in_block : WARPS - 1 - in_block;
    int distance = (l - rank_in_cluster()) * DIRECTION;
    if (distance < 0) distance += CLUSTER;
    s = sw_state{from_lane(s.u, last), from_lane(s.v, last)};
    if (l < CLUSTER && distance * WARPS <= passed + decay_of(me)) store_pair(l, place, s.u, s.v);
}

/* Term q of the sum for warp w. */
template <int DIRECTION>
__device__ static inline struct sw_state add_term(int w, int q, const double *total, struct sw_state e)
{
    int from = w - DIRECTION * (1 + q), behind = DIRECTION > 0 ? w : w + 1, more = 0;
    from += from < 0 ? LINE_WARPS : from >= LINE_WARPS ? -LINE_WARPS : 0;
    if (POINTS % LINE_WARPS && q) {
        int points = DIRECTION * (warp_start(behind) - warp_start(behind - DIRECTION * q));
        more = points > (int)((long long)q * POINTS / LINE_WARPS);
    }
    double2 t = *(const double2 *)(total + 2 * from);
    return join_shared(warps_shared(WARP_POWERS) + 8 * q + 4 * more, sw_state{sw_real(t.x), sw_real(t.y)}, e);
}

/* The state before the warp, in all its lanes. */
template <int DIRECTION>
__device__ static inline struct sw_state state_before(const struct lane &me, const double *total)
{
    struct sw_state e = {0.0, 0.0};
    if (decay_of(me) == 1) {
        e = add_term<DIRECTION>(warp_of_line(), 0, total, e);
    } else {
#pragma unroll 1
        for (int q = lane_of_warp(); q < decay_of(me); q += 32) e = add_term<DIRECTION>(warp_of_line(), q, total, e);
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            e.u += __shfl_xor_sync(EVERYONE, e.u, d);
            e.v += __shfl_xor_sync(EVERYONE, e.v, d);
        }
    }
    return close_periodic(me, e);
}

/* The rest of exclusive_scan(), s being the total of the warp's lanes up to this one. */
template <int DIRECTION>
__device__ static inline struct sw_state scan_over_warps(const struct lane &me, struct sw_state s)
{
    double *total = warps_shared(TOTALS) + (DIRECTION > 0 ? 0 : 2 * LINE_WARPS);
    struct sw_state before = total_before_lane<DIRECTION>(s);
    publish_total<DIRECTION>(me, total, s);
    warps_sync();
    return state_of_lane<DIRECTION>(me, state_before<DIRECTION>(me, total), before);
}

/* The neighbours of a warp's first and last point, into its lanes 0 and 31. */
__device__ static inline void warp_edges(double first, double last, double *left, double *beyond)
{
    double *edge = warps_shared(EDGES);  /* of each warp of the block: left, beyond */
    int l = lane_of_warp(), own = threadIdx.x / 32, to = own + (l == 0 ? -1 : 1), rank = rank_in_cluster();
    if (to < 0 || to == WARPS) {
        rank = (rank + (l == 0 ? CLUSTER - 1 : 1)) % CLUSTER;
        to = to < 0 ? WARPS - 1 : 0;
    }
    if (l == 0) store_one(rank, edge + 2 * to + 1, first);
    if (l == 31) store_one(rank, edge + 2 * to, last);
    warps_sync();
    if (l == 0) *left = edge[2 * own];
    if (l == 31) *beyond = edge[2 * own + 1];
}

__device__ static inline void warps_flag(bool wrong)
{
    if (__any_sync(EVERYONE, wrong) && lane_of_warp() < CLUSTER)
        store_bits(lane_of_warp(), (int *)warps_shared(NOT_FINITE), 1);
}

/* After a barrier that follows warps_flag(), and before the next that follows. */
__device__ static inline bool warps_flagged(void) { return *(const int *)warps_shared(NOT_FINITE); }

/* What op makes of the values of all warps, value being that of this one in each of its lanes. */
template <typename OP> __device__ static inline double reduce_over_warps(double value, OP op)
{
    double *all = warps_shared(TOTALS);
    if (lane_of_warp() < CLUSTER) store_one(lane_of_warp(), all + warp_of_line(), value);
    warps_sync();
    value = all[0];
    for (int w = 1; w < LINE_WARPS; w++) value = op(value, all[w]);
    warps_sync();
    return value;
}
