/* What a stage adds to the right-hand sides behind it where P of an unknown is not 1
 * (problem/line/stepper/fourth_order.h), for the kernel of line_imex_rtc.cuh, behind which it is compiled: sums over
 * five points of u and N with P, of G with d2 and a part of d4, and (P - A) u. Lanes form N and G at their points
 * first, and see two more of u, N and G beyond either end; a lane needs room for N of all unknowns and G of one.
 *
 * Of each unknown, per point, besides what line_imex_rtc.cuh counts: 3 operations each for P u and P N, 8 where P has a
 * d4; 5 for G. */

/* Of the points of a lane: N of each unknown, and what lies beyond. */
struct wide_view { points n; struct halo u[UNKNOWNS], of_n[UNKNOWNS]; };

__device__ static __forceinline__ double in_line(const double (&x)[LANE_POINTS], const struct halo &h, int k)
{
    if (k < 0) return h.before[REACH + k];
    return k < LANE_POINTS ? x[k < LANE_POINTS ? k : 0] : h.beyond[k < LANE_POINTS ? 0 : k - LANE_POINTS];
}

/* A product with 0 is not left out by the compiler, as it may be of infinity. */
template <int V> __device__ static __forceinline__ double times_mass(const double (&five)[NEIGHBOURS])
{
    const struct sw_line_mass mass = {mass_d2(V), mass_d4(V)};
    if constexpr (mass_d4(V) == 0.0) return fma(mass.d2, sw_line_d2(five[1], five[2], five[3]), five[2]);
    return sw_line_mass_times(&mass, five[0], five[1], five[2], five[3], five[4]);
}

/* by_time: look_by_time() adds to it; NULL: nothing does */
template <bool LOOKS, int V = 0>
__device__ static __forceinline__ void evaluate_n(const struct lane &me, const struct values &v,
                                                  const struct moment &now, const points &c, struct wide_view &w,
                                                  int *by_time)
{
    if constexpr (V < UNKNOWNS) {
        if (term<2 * V + 1>::THERE) {
#pragma unroll
            for (int j = 0; j < LANE_POINTS; j++) {
                double in[SW_INPUTS] = {};
#pragma unroll
                for (int k = 0; k < UNKNOWNS * NEIGHBOURS; k++)
                    in[SW_IN_U - REACH + k] = in_line(c[k / NEIGHBOURS], w.u[k / NEIGHBOURS],
                                                      j + k % NEIGHBOURS - REACH);
                w.n[V][j] = value_at<2 * V + 1>(me, v, now, j, in);
            }
        }
        if constexpr (LOOKS) {
#pragma unroll
            for (int j = 0; j < LANE_POINTS; j++)
                look_by_time<V>(me, v, j, w.n[V][j],
                                [&](int of, int offset) { return in_line(c[of], w.u[of], j + offset); }, by_time);
        }
        if (term<2 * V + 1>::THERE) w.of_n[V] = take_halo(me, w.n[V]);
        evaluate_n<LOOKS, V + 1>(me, v, now, c, w, by_time);
    }
}

/* G of unknown V at the points of a lane, and beyond. */
struct wide_g { double here[LANE_POINTS]; struct halo beyond; };

template <int V>
__device__ static __forceinline__ void evaluate_g(const struct lane &me, const struct values &v,
                                                  const struct moment &now, const points &c, struct wide_g &g)
{
    if (!term<2 * V>::THERE) return;
#pragma unroll
    for (int j = 0; j < LANE_POINTS; j++) g.here[j] = g_at<V>(me, v, now, j, c[V][j]);
    g.beyond = take_halo(me, g.here);
}

/* u, N and G of unknown V at point j and two on either side. */
struct five { double u[NEIGHBOURS], n[NEIGHBOURS], g[NEIGHBOURS]; };

/* before: u at j - 2, j - 1 */
template <int V>
__device__ static __forceinline__ void look_at(const points &c, const struct wide_view &w, const struct wide_g &g,
                                               const double (&before)[REACH], int j, struct five &at)
{
#pragma unroll
    for (int k = 0; k < NEIGHBOURS; k++) {
        at.u[k] = k < REACH ? before[k] : in_line(c[V], w.u[V], j + k - REACH);
        at.n[k] = term<2 * V + 1>::THERE ? in_line(w.n[V], w.of_n[V], j + k - REACH) : 0.0;
        at.g[k] = term<2 * V>::THERE ? in_line(g.here, g.beyond, j + k - REACH) : 0.0;
    }
}

/* What stage I adds to the right-hand sides from R on, as add_to_rows_from(). The estimated error is P times that of u
 * (plain_step.c). here, of_n, of_g: u, N and (d2 G) as right-hand sides have them, and as the result does */
template <int I, int V, int R = I>
__device__ static __forceinline__ void add_wide_from(const struct values &v, const double (&here)[2],
                                                     const double (&of_n)[2], const double (&of_g)[2],
                                                     const struct ahead &rows, int j, double first, double &next)
{
    if constexpr (R < ROWS) {
        constexpr bool result = !LAST && R == ROWS - 1 - OWN_STEPS;
        constexpr double state = of_state(R, I), value = of_value(R, I), initial = of_first(R);
        double f;
        if constexpr (I == 0) f = state * here[result];
        else f = fma(state, here[result], *ahead_at(rows, R, V, j));
        if constexpr (term<2 * V>::THERE && value != 0.0) f = fma(value * v.kappa, of_g[result], f);
        if constexpr (term<2 * V + 1>::THERE && value != 0.0) f = fma(value * v.dt, of_n[result], f);
        if constexpr (FIRST && I == 0 && initial != 0.0) f = fma(initial, first, f);
        if constexpr (R > I) *ahead_at(rows, R, V, j) = f;
        else next = f;
        add_wide_from<I, V, R + 1>(v, here, of_n, of_g, rows, j, first, next);
    }
}

/* What stage I adds at a point, where u, N and G of unknown V are known there and around it. @return the right-hand
 * side of the next stage */
template <int I, int V>
__device__ static __forceinline__ double add_wide(const struct sw_line_batch &b, int run, const struct values &v,
                                                  const double (&u)[NEIGHBOURS], const double (&n)[NEIGHBOURS],
                                                  const double (&g)[NEIGHBOURS], const struct ahead &rows, int j)
{
    const double d2 = sw_line_d2(g[1], g[2], g[3]),  /* formed at each point once, for three */
                 d4 = sw_line_d2(sw_line_d2(g[0], g[1], g[2]), d2, sw_line_d2(g[2], g[3], g[4]));
    const double here[2] = {times_mass<V>(u), u[REACH]}, of_n[2] = {times_mass<V>(n), n[REACH]};
    const double of_g[2] = {fma(mass_of_g(V), d4, d2), fma(mass_of_g_in_result(V), d4, d2)};
    double next = 0.0, first = 0.0;
    if (FIRST && I == 0)
        first = sw_line_apply(&b.a[(size_t)V * b.count + run], u[0], u[1], u[2], u[3], u[4]);
    if (OWN_STEPS) first *= v.dt;
    add_wide_from<I, V>(v, here, of_n, of_g, rows, j, first, next);
    if (LEFT) *ahead_at(rows, 1, V, j) = u[REACH];
    if (OWN_STEPS && I == 0) *ahead_at(rows, OLD_PLACE, V, j) = u[REACH];
    return next;
}

/* All points of unknown V and those from it on; each one's next right-hand side replaces it in c. done(V, j) takes
 * it. */
template <int I, int V = 0, typename DONE>
__device__ static __forceinline__ void add_wide_rows(const struct lane &me, const struct sw_line_batch &b, int run,
                                                     const struct values &v, const struct moment &now, points &c,
                                                     struct wide_view &w, const struct ahead &rows, DONE done)
{
    if constexpr (V < UNKNOWNS) {
        struct wide_g g = {};
        double before[REACH] = {w.u[V].before[0], w.u[V].before[1]};
        evaluate_g<V>(me, v, now, c, g);
#pragma unroll
        for (int j = 0; j < LANE_POINTS; j++) {
            struct five at;
            look_at<V>(c, w, g, before, j, at);
            before[0] = before[1];
            before[1] = c[V][j];
            c[V][j] = add_wide<I, V>(b, run, v, at.u, at.n, at.g, rows, j);
            done(V, j);
        }
        add_wide_rows<I, V + 1>(me, b, run, v, now, c, w, rows, done);
    }
}

/* All that the points of the lines see of each other. */
template <bool LOOKS = false>
__device__ static __forceinline__ void look_wide(const struct lane &me, const struct values &v,
                                                 const struct moment &now, points &c, struct wide_view &w,
                                                 int *by_time = 0)
{
#pragma unroll
    for (int V = 0; V < UNKNOWNS; V++) w.u[V] = take_halo(me, c[V]);
    evaluate_n<LOOKS>(me, v, now, c, w, by_time);
}

template <int I, typename DONE>
__device__ static __forceinline__ void wide_stage(const struct lane &me, const struct sw_line_batch &b, int run,
                                                  const struct values &v, const struct moment &now, points &c,
                                                  const struct ahead &rows, DONE done)
{
    struct wide_view w;
    look_wide<SEES_TIME && I == VALUED - 1>(me, v, now, c, w, rows.by_time);
    add_wide_rows<I>(me, b, run, v, now, c, w, rows, done);
}
