/* A line longer than a warp holds goes over LINE_WARPS warps; warp w has the points of lanes 32 w .. 32 w + 31
 * (line_lane_rtc.cuh). line_block_rtc.cuh or line_stream_rtc.cuh finds the state before each warp. From it each lane
 * has its own by a table of two powers of P for each q = 0 .. 31 lanes in a row, in the shared memory of the block. */

__device__ static inline int rank_in_cluster(void) { return blockIdx.x % CLUSTER; }
__device__ static inline int lane_of_warp(void) { return threadIdx.x % 32; }
__device__ static inline int warp_of_line(void) { return rank_in_cluster() * WARPS + threadIdx.x / 32; }

/* In doubles from AT_WARPS on: the table. What line_block_rtc.cuh or line_stream_rtc.cuh need comes behind. */
enum { LANE_POWERS = 0 };

__device__ static inline double *warps_shared(int at)
{
    return bytes_into_shared((AT_WARPS + at) * (int)sizeof(double));
}

__device__ static inline int warp_start(int w) { return sw_recursive_start(w, POINTS, LINE_WARPS); }

/* Bits 5 of forth and back: the lanes of the warp before this one, in the order of the sweep, have the larger number of
 * points. */
__device__ static inline void locate_warp(struct lane &me)
{
    int l = lane_of_warp(), begin = me.l - l, end = sw_recursive_start(me.l + 1, POINTS, LANES);
    me.forth |= (me.first - sw_recursive_start(begin, POINTS, LANES) > (int)((long long)l * POINTS / LANES)) << 5;
    me.back |= (sw_recursive_start(begin + 32, POINTS, LANES) - end > (int)((long long)(31 - l) * POINTS / LANES)) << 5;
}

/* The total of the lanes before this one in its warp, from that of the lanes up to it. */
template <int DIRECTION> __device__ static inline struct sw_state total_before_lane(struct sw_state s)
{
    const int l = lane_of_warp(), first = DIRECTION > 0 ? 0 : 31;
    struct sw_state before = {from_lane(s.u, (l - DIRECTION) & 31), from_lane(s.v, (l - DIRECTION) & 31)};
    return l == first ? sw_state{0.0, 0.0} : before;
}

/* The state before a lane, from that before its warp and the total of the lanes between. */
template <int DIRECTION>
__device__ static inline struct sw_state state_of_lane(const struct lane &me, struct sw_state e, struct sw_state before)
{
    const int l = lane_of_warp(), passed = DIRECTION > 0 ? l : 31 - l, odd = DIRECTION > 0 ? me.forth : me.back;
    return join_shared(warps_shared(LANE_POWERS) + 8 * passed + (odd >> 3 & 4), e, before);
}
