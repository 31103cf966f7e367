/* Lines that end, in the kernel of line_imex_rtc.cuh, behind which it is compiled: what lies beyond the ends, and the
 * solve, by the same two recursions closed by reflection in place of a circle (problem/line/simd/lanes.h). The
 * first three points of a line are those of its first lane, and the last three of its last one.
 *
 * A scan of the downward totals of the right-hand side tells the first lane v_1 and v_2; where an end sees the other
 * one, a scan of the upward totals tells the last lane y_{n-2} and y_{n-3} of a recursion from zero. From these follows
 * the state before the first point, which the first lane adds to its total. Then both sweeps are as on a circle, but
 * their scans do not go round, and the last lane begins with the state behind the last point.
 *
 * Of each unknown, per point: 2 FMA more than on a circle, and 8 where conditions are not zero; a scan or two more. */

/* Where an unknown's closing numbers are, SW_ENDED_.... */
__device__ static __forceinline__ double *ends_of(const struct lane &me, int V)
{
    return shared_of(me) + AT_ENDS + V * SW_ENDED_ROOM;
}

__device__ static __forceinline__ bool is_known(int V, int side) { return end_kind(V, side) == SW_END_VALUE; }

__device__ static inline void set_closings(const struct lane &me, const double *mine)
{
    for (int k = threadIdx.x % GROUP; k < UNKNOWNS * SW_ENDED_TABLE; k += GROUP)
        ends_of(me, k / SW_ENDED_TABLE)[k % SW_ENDED_TABLE] = mine[k];
    for (int k = threadIdx.x % GROUP; k < 2 * UNKNOWNS; k += GROUP) ends_of(me, k / 2)[SW_ENDED_GIVEN + k % 2] = 0.0;
    __syncwarp();
}

/* ------------------------------------------------------------------ what is known */

/* Points beyond the ends at time t. */
template <int V>
__device__ static __forceinline__ void see_ends(const struct lane &me, const struct values &v, double t, long long step,
                                                const double (&u)[LANE_POINTS], struct halo &h)
{
    if (me.l != 0 && me.l != LANES - 1) return;
    const struct conditions e = conditions_at<V>(v.p, 1, t, step);
#pragma unroll
    for (int k = 1; k <= REACH; k++) {
        if (me.l == 0) h.before[REACH - k] = fma(reflection(V, 0), u[k], beyond_end(e, V, 0, k, v.dx));
        else h.beyond[k - 1] = fma(reflection(V, 1), u[LANE_POINTS - 1 - k], beyond_end(e, V, 1, k, v.dx));
    }
}

/* Crank-Nicolson begins with what is known, whatever the initial value is. */
template <int V>
__device__ static __forceinline__ void begin_with_known(const struct lane &me, const struct values &v, double t,
                                                        long long step, points &c)
{
    if constexpr (V < UNKNOWNS) {
        if (me.l == 0 && is_known(V, 0)) c[V][0] = condition_at<4 * V>(v.p, 1, t, step);
        if (me.l == LANES - 1 && is_known(V, 1)) c[V][LANE_POINTS - 1] = condition_at<4 * V + 2>(v.p, 1, t, step);
        begin_with_known<V + 1>(me, v, t, step, c);
    }
}

/* The conditions of the solve whose unknown is u at time t, and with Crank-Nicolson the sum of it and u at t_n. */
template <int V = 0>
__device__ static __forceinline__ void set_solve(const struct lane &me, const struct sw_line_batch &b, int run,
                                                 const struct values &v, double t, long long step)
{
    if constexpr (V < UNKNOWNS) {
        const struct conditions now = conditions_at<V>(v.p, 1, t, step);
        struct conditions sum = now;
        const int is_value[2] = {is_known(V, 0), is_known(V, 1)};
        double *at = ends_of(me, V);
        if (LEFT) {
            const struct conditions before = conditions_at<V>(v.p, 1, (double)step * v.dt, step);
            for (int side = 0; side < 2; side++) {
                sum.first[side] += before.first[side];
                sum.second[side] += before.second[side];
            }
        }
        const struct sw_line_operator a = operator_for(b, V, run, v.dt);
        sw_end_lift(POINTS, is_value, sum.first, sum.second, v.dx, &a, at + SW_ENDED_LIFT, at + SW_ENDED_RHS);
        for (int side = 0; side < 2; side++) at[SW_ENDED_GIVEN + side] = now.first[side];
        set_solve<V + 1>(me, b, run, v, t, step);
    }
}

template <int STAGE>
__device__ static __forceinline__ void prepare_solve(const struct lane &me, const struct sw_line_batch &b, int run,
                                                     const struct values &v, long long step)
{
    if (!LIFTED) return;
    __syncwarp();
    const double steps = LEFT ? 1.0 : stage_time(STAGE);
    const double t = OWN_STEPS ? v.t + steps * v.dt : ((double)step + steps) * v.dt;
    if (me.l == 0) set_solve(me, b, run, v, t, step);
    __syncwarp();
}

__device__ static __forceinline__ void set_known(const struct lane &me, int V, double (&u)[LANE_POINTS])
{
    const double *given = ends_of(me, V) + SW_ENDED_GIVEN;
    if (me.l == 0 && is_known(V, 0)) u[0] = given[0];
    if (me.l == LANES - 1 && is_known(V, 1)) u[LANE_POINTS - 1] = given[1];
}

/* ------------------------------------------------------------------ a solve */

/* A polynomial at point j of the lane. */
__device__ static __forceinline__ double polynomial_at(const struct lane &me, const double *p, int j)
{
    const double x = (me.first + j) * (1.0 / (POINTS - 1));
    return fma(fma(fma(fma(p[4], x, p[3]), x, p[2]), x, p[1]), x, p[0]);
}

/* Whether u is given at point j of the lane. */
__device__ static __forceinline__ bool is_given(const struct lane &me, int V, int j)
{
    return (j == 0 && me.l == 0 && is_known(V, 0)) || (j == LANE_POINTS - 1 && me.l == LANES - 1 && is_known(V, 1));
}

/* The right-hand side at point j with conditions of zero. */
__device__ static __forceinline__ double with_ends(const struct lane &me, int V, int j, double f)
{
    if (is_given(me, V, j)) return 0.0;
    return LIFTED ? f - polynomial_at(me, ends_of(me, V) + SW_ENDED_RHS, j) : f;
}

/* Into totals without the line's last point upwards, and without its first one downwards, as start_of() wants them. */
__device__ static __forceinline__ void add_to_totals(const struct lane &me, const struct systems &all, int V, int j,
                                                     double f, struct totals &t)
{
    const int entry = TOGETHER * (int)sizeof(double);
    struct lane up = system_of(me, all, V * SIDES), down = system_of(me, all, V * SIDES + SIDES - 1);
    up.h_offset -= me.l == LANES - 1 ? entry : 0;
    down.response -= me.l == 0 ? entry : 0;
    add_to_forward_total(up, j, f, &t.up[V]);
    add_to_backward_total(down, j, f, &t.down[V]);
}

/* As exclusive_scan(), on a line that does not go round; of no meaning in the lane that it begins with. */
template <int DIRECTION>
__device__ static __forceinline__ struct sw_state linear_scan(const struct lane &me, struct sw_state s)
{
    const int odd = DIRECTION > 0 ? me.forth : me.back, l = threadIdx.x % GROUP, before = (l - DIRECTION) & (GROUP - 1);
#pragma unroll
    for (int k = 0; k < STAGES; k++) {
        if (k < me.most) {
            const int source = l - DIRECTION * (1 << k);
            const struct sw_state t = {from_lane(s.u, source & (GROUP - 1)), from_lane(s.v, source & (GROUP - 1))};
            if (source >= 0 && source < GROUP && (GROUP == 32 || k < me.stages)) s = join_blocks(me, k, odd >> k, t, s);
        }
    }
    return sw_state{from_lane(s.u, before), from_lane(s.v, before)};
}

/* In the first lane: y_{-1} and -a2 y_{-2}. */
__device__ static __forceinline__ struct sw_state start_of(const struct lane &up, const struct lane &down, bool across,
                                                           const double *closing, const double (&f)[LANE_POINTS],
                                                           struct sw_state up_total, struct sw_state down_total)
{
    const struct sw_state v = sw_recursive_join(closing + SW_ENDED_NEAR_POWER, linear_scan<-1>(down, down_total),
                                                down_total);
    double known[6] = {f[0], v.u, v.v, 0.0, 0.0, 0.0};
    struct sw_state start = {0.0, 0.0};
    if (across) {
        const struct sw_state y = sw_recursive_join(closing + SW_ENDED_FAR_POWER, linear_scan<1>(up, up_total),
                                                    up_total);
        known[3] = from_lane(f[LANE_POINTS - 1], GROUP - 1);
        known[4] = from_lane(y.u, GROUP - 1);
        known[5] = from_lane(y.v, GROUP - 1);
    }
#pragma unroll
    for (int k = 0; k < 6; k++) {
        start.u = fma(closing[SW_ENDED_START + k], known[k], start.u);
        start.v = fma(closing[SW_ENDED_START + 6 + k], known[k], start.v);
    }
    return start;
}

/* As solve() of line_imex_rtc.cuh. */
template <int V>
__device__ static __forceinline__ bool solve_ended(const struct lane &me, const struct systems &all, points &c,
                                                   const struct totals &totals, const struct ahead &rows)
{
    const int most = LANE_POINTS - 1;
    const bool first = me.l == 0, last = me.l == LANES - 1;
    const struct lane up = system_of(me, all, V * SIDES), down = system_of(me, all, V * SIDES + SIDES - 1);
    const double *closing = ends_of(me, V);
    struct lane forth = up;
    const struct lane_values y = {me, c[V]};
    struct sw_state total = totals.up[V], end = {0.0, 0.0};
    bool finite = true;
    forth.response = down.response;  /* of the backward totals */
    const struct sw_state start = start_of(up, down, all.across >> V & 1, closing, c[V], total, totals.down[V]);
    if (first) {
        c[V][0] += start.v;
        add_to_forward_total(up, 0, start.v, &total);
        total = join_blocks(up, 0, me.forth, sw_state{start.u, 0.0}, total);
    }
    struct sw_state before = linear_scan<1>(up, total);
    if (first) before = sw_state{start.u, 0.0};
    total = forward_sweep(forth, before, [&](int j) { return c[V][j]; }, y);
    if (last) {
        double out[3] = {0.0, 0.0, 0.0};
#pragma unroll
        for (int k = 0; k < 9; k++) out[k / 3] = fma(closing[SW_ENDED_FAR + k], c[V][most - k % 3], out[k / 3]);
        end = sw_state{out[0], out[1]};
        c[V][most] += out[2];
        add_to_backward_total(forth, most, out[2], &total);
        total = join_blocks(down, 0, me.back, end, total);
    }
    reload_shared();
    struct sw_state behind = linear_scan<-1>(down, total);
    if (last) behind = end;
    backward_sweep(down, behind, y, [&](int j, double z) {
        double x = down.scale * z;
        if (LIFTED) x += polynomial_at(me, closing + SW_ENDED_LIFT, j);
        c[V][j] = LEFT ? x - *ahead_at(rows, 1, V, j) : x;
        if (j == 0) finite = isfinite(z);
    });
    set_known(me, V, c[V]);
    return finite;
}
