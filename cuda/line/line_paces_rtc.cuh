/* The kernel of cuda.fused where runs take other numbers of steps than each other (struct sw_paces in
 * problem/sw_setup.h), in place of the one that line_fused_rtc.cuh or line_imex_rtc.cuh has; advance_line() is theirs.
 * The lines of a warp go from step to step together, so they have one pace: a group of lanes has a place, and `place`
 * says which line is there, of which pace. A pace that fills its last warp in part leaves places without a line.
 * Compiled with SYSTEMS, which is 1 behind line_fused_rtc.cuh. */

/* place [][2]: a line, or b.count; and the pace of its warp. at [paces][goals + 1]. from, to: ticks. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fused_k(const __grid_constant__ struct sw_line_batch b, const struct sw_fused_line *__restrict__ coefficient,
        const __grid_constant__ struct sw_fused_common common, const double *__restrict__ table, double *__restrict__ u,
        long long from, long long to, double *__restrict__ scalars, const int *__restrict__ place,
        const long long *__restrict__ at, long long goals)
{
    struct lane me;
    me.common = &common;
    locate_lane(me);
    me.spilled += (SYSTEMS - 1) * GROUPS * (LANE_POINTS + 2) * (int)sizeof(double);
    place += 2 * (LINE_WARPS > 1 ? blockIdx.x / CLUSTER : blockIdx.x * GROUPS + threadIdx.x / GROUP);
    at += place[1] * (goals + 1);
    advance_line(me, b, coefficient, table, u, sw_step_at_tick(at, from), sw_step_at_tick(at, to), scalars, place[0]);
}
