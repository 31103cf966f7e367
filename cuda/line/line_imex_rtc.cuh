/* The kernel of cuda.fused for lines of any model: several unknowns, N of neighbouring points, methods of several
 * stages, matrices that are not symmetric. A group of lanes (line_lane_rtc.cuh) holds a line of all unknowns and takes
 * it through all steps from one output to the next. Compiled at run time behind the texts that line_lane_rtc.cuh needs
 * and
 *
 *     UNKNOWNS, REACH, NEIGHBOURS, term<K>       as in line_rtc.cuh
 *     HELD_RUN, HELD_STEP, HELD_CELL             how many values all terms keep at each rate
 *     COUNT, LAST, FIRST, LEFT                   struct sw_imex_stages of the method
 *     ROWS, VALUED                               right-hand sides, with the result unless it is the last stage; stages
 *                                                with values of G and N
 *     stage_time(i)                              of stage i, in steps
 *     SEES_TIME, of_time(i)                      1: with OWN_STEPS, some term is STEEP in t, which steps look at by
 *                                                time, with these weights (imex.h, q)
 *     of_state(r, i), of_value(r, i), of_first(r)  what stage i adds to right-hand side r, that of stage r + 1
 *     MASS, ENDED                                1: P of some unknown is not 1 (line_wide_rtc.cuh); lines end
 *                                                (line_ended_rtc.cuh)
 *     OWN_STEPS                                  1: each line has a dt of its own (line_own_steps_rtc.cuh); the last of
 *                                                ROWS is then the estimated error, and u^n is kept
 *     SIDES                                      2: the recursions up and down differ
 *     KEPT                                       how many of a lane's numbers of later right-hand sides lie in shared
 *                                                memory; the others are the compiler's to place
 *
 * c holds the stage at hand. Each stage's values are added, point by point, to all right-hand sides behind it
 * (imex.h); the next one replaces c and is solved there. Between stages a point has ROWS - 1 numbers of each unknown
 * besides c. N sees its neighbours in the registers of the lane, and two beyond either end from the lanes beside it.
 *
 * Of each unknown, per point: a solve as in line_lane_rtc.cuh, 8 FMA and one product; for a stage 1 FMA a right-hand
 * side for the state, 1 for N, 1 for G and 2 for its difference, besides what G and N cost. */

enum { SYSTEMS = UNKNOWNS * SIDES, SYSTEM_ROOM = TABLE + 4 };  /* table, then a1, a2, 1/g */
/* With OWN_STEPS the last row is the error, to which stages add from ERROR_AT on, in the place of that stage's row if
 * it is not 0; and there is u^n. */
enum { ERROR_ROW = ROWS - 1, ERROR_PLACE = ERROR_AT ? ERROR_AT : ERROR_ROW, OLD_PLACE = ROWS - (ERROR_AT != 0) };
enum { EXTRA = OWN_STEPS ? OLD_PLACE : ROWS - 1 + LEFT, NUMBERS = EXTRA * UNKNOWNS * LANE_POINTS };

/* A system is the recursion of an unknown upwards or downwards; bits of each are 8 of `facts`. Bit v of `across`: in
 * some line of the warp an end sees the other one (ENDED). */
struct systems { unsigned long long facts; int across; };

__device__ static __forceinline__ struct lane system_of(const struct lane &me, const struct systems &all, int s)
{
    struct lane there = me;
    const int facts = (int)(all.facts >> 8 * s), apart = s * GROUPS * (LANE_POINTS + 2) * (int)sizeof(double);
    there.at += s * SYSTEM_ROOM * (int)sizeof(double);
    there.response += apart;
    there.h_offset += apart;
    const double *number = shared_of(there) + TABLE;
    there.a1 = number[0];
    there.a2 = number[1];
    there.scale = number[2];
    there.stages = facts & 7;
    there.most = facts >> 3 & 7;
    there.closed = facts >> 6 & 1;
    return there;
}

__device__ static inline void set_systems(const struct lane &me, const struct sw_fused_line *mine, struct systems &all)
{
    all.facts = 0;
    all.across = 0;
    for (int s = 0; s < SYSTEMS; s++, mine++) {
        struct lane there = system_of(me, all, s);
        const int most = __reduce_max_sync(EVERYONE, mine->stages), closed = mine->closed != 0;
        all.facts |= (unsigned long long)(mine->stages | most << 3 | closed << 6) << 8 * s;
        if (ENDED) all.across |= (__any_sync(EVERYONE, closed) != 0) << s / SIDES;
        for (int k = threadIdx.x % GROUP; k < TABLE; k += GROUP)
            put_in_table(shared_of(there), k, ((const double *)mine)[k]);
        there.a1 = mine->a1;
        there.a2 = mine->a2;
        if (threadIdx.x % GROUP) continue;
        double *number = shared_of(there) + TABLE;
        number[0] = mine->a1;
        number[1] = mine->a2;
        number[2] = mine->scale;
        compute_response(there);
    }
    __syncwarp();
}

/* ------------------------------------------------------------------ values of the terms */

struct values { double p[NPARAM + 1], r[HELD_RUN + 1], x0, dx, kappa, dt, t; };  /* t: OWN_STEPS */

/* A - P of an unknown for a step of dt. */
__device__ static __forceinline__ struct sw_line_operator operator_for(const struct sw_line_batch &b, int V, int run,
                                                                       double dt)
{
    struct sw_line_operator a = b.a[(size_t)V * b.count + run];
    if (OWN_STEPS) a.s4 *= dt, a.s2 *= dt, a.s0 *= dt, a.s1 *= dt, a.s3 *= dt;
    return a;
}

__device__ static inline double x_of(const struct lane &me, const struct values &v, int j)
{
    return v.x0 + (me.first + j) * v.dx;
}

/* Where value 0 of those kept at point j lies; the next ones are GROUP numbers apart. */
__device__ static inline double *cell_of(const struct lane &me, int j)
{
    return shared_of(me) + AT_CELL + j * HELD_CELL * GROUP + threadIdx.x % GROUP;
}

template <int K = 0> __device__ static inline void keep_cells(const struct lane &me, const struct values &v, int j)
{
    if constexpr (K < TERMS) {
        typedef term<K> T;
        double in[SW_INPUTS] = {}, c[T::CELL + 1];
        in[SW_IN_X] = x_of(me, v, j);
        T::cell(v.p, 1, v.r + T::AT_RUN, 1, in, me.first + j, c);
        for (int k = 0; k < T::CELL; k++) cell_of(me, j)[(T::AT_CELL + k) * GROUP] = c[k];
        keep_cells<K + 1>(me, v, j);
    }
}

template <int K = 0>
__device__ static inline void keep_step(const struct values &v, double t, long long step, double *kept)
{
    if constexpr (K < TERMS) {
        typedef term<K> T;
        T::step(v.p, 1, v.r + T::AT_RUN, 1, t, step, kept + T::AT_STEP);
        keep_step<K + 1>(v, t, step, kept);
    }
}

__device__ static inline void set_values(const struct lane &me, const struct sw_line_batch &b, int run,
                                         struct values &v)
{
    v.dt = b.dt[run];
    v.dx = b.dx[run];
    v.x0 = b.x0[run];
    v.kappa = v.dt / (v.dx * v.dx);
    for (int k = 0; k < NPARAM; k++) v.p[k] = b.param[(size_t)k * b.count + run];
    for (int k = 0; k < HELD_RUN; k++) v.r[k] = b.run[(size_t)k * b.ld + run];
    if (CELLS_SHARED && HELD_CELL)
        for (int j = 0; j < LANE_POINTS; j++) keep_cells(me, v, j);
}

/* kept: the values kept at this time; held: the same in registers, if they are few: from shared memory the compiler
 * loads them again behind each store of a point's numbers */
enum { FEW_OF_STEP = 4, STEP_IN_REGISTERS = HELD_STEP <= FEW_OF_STEP };
struct moment { long long step; double t; const double *kept; double held[FEW_OF_STEP + 1]; };

__device__ static __forceinline__ struct moment moment_with(long long step, double t, const double *kept)
{
    struct moment m = {step, t, kept, {}};
    for (int k = 0; k < HELD_STEP && STEP_IN_REGISTERS; k++) m.held[k] = kept[k];
    return m;
}

#if OWN_STEPS
static_assert(!SEES_TIME || COUNT <= GROUP, "a lane for each of the times");

/* The step is from v.t to v.t + v.dt: a lane for each of its stages. */
__device__ static inline struct moment moment_of(const struct lane &me, const struct values &v, long long, long long,
                                                 int stage)
{
    const int l = threadIdx.x % GROUP;
    if (HELD_STEP && stage == 0) {
        __syncwarp();
        if (l < (SEES_TIME ? COUNT : VALUED))
            keep_step(v, v.t + stage_time(l) * v.dt, 0, shared_of(me) + AT_STEP + l * HELD_STEP);
        __syncwarp();
    }
    return moment_with(0, v.t + stage_time(stage) * v.dt, shared_of(me) + AT_STEP + stage * HELD_STEP);
}
#else
/* Each lane computes the values kept at one of the next times. */
__device__ static inline struct moment moment_of(const struct lane &me, const struct values &v, long long from,
                                                 long long step, int stage)
{
    const int phase = (int)((step - from) * VALUED + stage) & (GROUP - 1), l = threadIdx.x % GROUP;
    if (HELD_STEP && phase == 0) {
        const long long at = step + (stage + l) / VALUED;
        __syncwarp();
        keep_step(v, ((double)at + stage_time((stage + l) % VALUED)) * v.dt, at,
                  shared_of(me) + AT_STEP + l * HELD_STEP);
        __syncwarp();
    }
    return moment_with(step, ((double)step + stage_time(stage)) * v.dt, shared_of(me) + AT_STEP + phase * HELD_STEP);
}
#endif

template <int K>
__device__ static __forceinline__ double value_at(const struct lane &me, const struct values &v,
                                                  const struct moment &now, int j, double in[SW_INPUTS])
{
    typedef term<K> T;
    double own[T::CELL + 1];
    in[SW_IN_X] = x_of(me, v, j);
    if (!CELLS_SHARED) T::cell(v.p, 1, v.r + T::AT_RUN, 1, in, me.first + j, own);
    return T::point(v.p, 1, v.r + T::AT_RUN, 1, (STEP_IN_REGISTERS ? now.held : now.kept) + T::AT_STEP, 1,
                    CELLS_SHARED ? cell_of(me, j) + T::AT_CELL * GROUP : own, CELLS_SHARED ? GROUP : 1, in,
                    me.first + j, now.t, now.step);
}

template <int V>
__device__ static __forceinline__ double g_at(const struct lane &me, const struct values &v, const struct moment &now,
                                              int j, double u)
{
    double in[SW_INPUTS] = {};
    in[SW_IN_U + NEIGHBOURS * V] = u;
    return value_at<2 * V>(me, v, now, j, in);
}

/* ------------------------------------------------------------------ a stage */

typedef double points[UNKNOWNS][LANE_POINTS];

/* Numbers of later right-hand sides: row r > 0 of unknown V at point j. With LEFT row 1 is u^n, with OWN_STEPS
 * OLD_PLACE. by_time [UNKNOWNS]: with SEES_TIME, what look_by_time() finds. */
struct ahead { const struct lane &me; double *held; int *by_time; };

__device__ static __forceinline__ double *ahead_at(const struct ahead &a, int row, int V, int j)
{
    const int k = ((row - 1) * UNKNOWNS + V) * LANE_POINTS + j;
    return k < KEPT ? (double *)numbers_in_shared(a.me.spilled) + k * THREADS : &a.held[k - KEPT];
}

/* What is seen from point j on, while the points before it are overwritten. */
struct view {
    double before[UNKNOWNS][REACH], beyond[UNKNOWNS][REACH];  /* u at j - 2, j - 1; behind the LANE_POINTS points */
    double g_before[UNKNOWNS], g_here[UNKNOWNS], g_last[UNKNOWNS], g_beyond[UNKNOWNS];
};

/* Two numbers beyond either end of a lane's. */
struct halo { double before[REACH], beyond[REACH]; };

/* From the lanes beside this one. A lane that lacks its last number has the first one beyond in its place. */
__device__ static __forceinline__ struct halo take_halo(const struct lane &me, double (&x)[LANE_POINTS])
{
    const int l = threadIdx.x % GROUP, before = (l - 1) & (GROUP - 1), behind = (l + 1) & (GROUP - 1);
    const int most = LANE_POINTS - 1, few = LANE_POINTS > 1 ? LANE_POINTS - 2 : 0,
              fewer = LANE_POINTS > 2 ? LANE_POINTS - 3 : 0;
    const double last = me.full ? x[most] : x[few];
    const double left = from_lane(last, before), right = from_lane(x[0], behind);
    /* the second of a lane of one point is its neighbour */
    const double second_last = LANE_POINTS > (me.full ? 1 : 2) ? (me.full ? x[few] : x[fewer]) : left;
    const double second = LANE_POINTS > (me.full ? 1 : 2) ? x[LANE_POINTS > 1] : right;
    const double right2 = from_lane(second, behind);
    const struct halo h = {{from_lane(second_last, before), left}, {me.full ? right : right2, right2}};
    if (!EVEN && !me.full) x[most] = right;
    return h;
}

/* Points beyond the ends of a line (line_ended_rtc.cuh). */
template <int V>
__device__ static __forceinline__ void see_ends(const struct lane &me, const struct values &v, double t, long long step,
                                                const double (&u)[LANE_POINTS], struct halo &h);

template <int V = 0>
__device__ static __forceinline__ void look_around(const struct lane &me, const struct values &v,
                                                   const struct moment &now, points &c, struct view &w)
{
    if constexpr (V < UNKNOWNS) {
        const int l = threadIdx.x % GROUP, before = (l - 1) & (GROUP - 1), behind = (l + 1) & (GROUP - 1);
        const int most = LANE_POINTS - 1, few = LANE_POINTS > 1 ? LANE_POINTS - 2 : 0;
        const double last = me.full ? c[V][most] : c[V][few];
        struct halo h = take_halo(me, c[V]);
        if constexpr (ENDED) see_ends<V>(me, v, LEFT ? (double)now.step * v.dt : now.t, now.step, c[V], h);
        w.before[V][0] = h.before[0];
        w.before[V][1] = h.before[1];
        w.beyond[V][0] = h.beyond[0];
        w.beyond[V][1] = h.beyond[1];
        if (term<2 * V>::THERE) {
            w.g_here[V] = g_at<V>(me, v, now, 0, c[V][0]);
            w.g_last[V] = g_at<V>(me, v, now, me.full ? most : few, last);
            w.g_before[V] = from_lane(w.g_last[V], before);
            w.g_beyond[V] = from_lane(w.g_here[V], behind);
            if (ENDED && me.l == 0) w.g_before[V] = g_at<V>(me, v, now, 0, h.before[1]);
            if (ENDED && me.l == LANES - 1) w.g_beyond[V] = g_at<V>(me, v, now, most, h.beyond[0]);
        }
        look_around<V + 1>(me, v, now, c, w);
    }
}

__device__ static __forceinline__ double seen(const points &c, const struct view &w, int V, int j, int offset)
{
    const int k = j + offset;
    if (offset < 0) return w.before[V][REACH + offset];
    return k < LANE_POINTS ? c[V][k < LANE_POINTS ? k : 0] : w.beyond[V][k < LANE_POINTS ? 0 : k - LANE_POINTS];
}

/* (d2 G) at point j, from which the view goes on. */
template <int V>
__device__ static __forceinline__ double d2_of_g(const struct lane &me, const struct values &v,
                                                 const struct moment &now, const points &c, struct view &w, int j)
{
    double right = w.g_beyond[V];
    if (j < LANE_POINTS - 1 && (EVEN || me.full || j < LANE_POINTS - 2))
        right = EVEN && j == LANE_POINTS - 2 ? w.g_last[V]
                                             : g_at<V>(me, v, now, j + 1, c[V][j + 1 < LANE_POINTS ? j + 1 : j]);
    const double d2 = fma(-2.0, w.g_here[V], w.g_before[V] + right);
    w.g_before[V] = w.g_here[V];
    w.g_here[V] = right;
    return d2;
}

/* Add to the largest of what terms do by time (line_own_steps_rtc.cuh).
 * @param n     N of unknown V at point j, in the last stage that has values, where there is one
 * @param seen  (V, offset): unknown V there, so many points from j */
template <int V, typename SEEN>
__device__ static __forceinline__ void look_by_time(const struct lane &me, const struct values &v, int j, double n,
                                                    SEEN seen, int *by_time);

template <int... K>
__device__ static __forceinline__ void see_neighbours(sequence<K...>, const points &c, const struct view &w, int j,
                                                      double *in)
{
    ((in[SW_IN_U - REACH + K] = seen(c, w, K / NEIGHBOURS, j, K % NEIGHBOURS - REACH)), ...);
}

/* What stage I adds to the right-hand sides of unknown V from R on: u, dt n, kappa d2 and `first`, with weights. */
template <int I, int V, int R = I>
__device__ static __forceinline__ void add_to_rows_from(const struct values &v, const struct ahead &rows, int j,
                                                        double u, double n, double d2, double first, double &next)
{
    if constexpr (R < ROWS) {
        constexpr bool error = OWN_STEPS && R == ERROR_ROW;
        constexpr int place = error ? ERROR_PLACE : R;
        if constexpr (!error || I >= ERROR_AT) {
            constexpr double state = of_state(R, I), value = of_value(R, I), initial = of_first(R);
            double f;
            if constexpr (I == 0) f = state * u;
            else if constexpr (error && I == ERROR_AT) {
                constexpr double old = of_state(R, 0);
                f = fma(state, u, old * *ahead_at(rows, OLD_PLACE, V, j));
            } else f = fma(state, u, *ahead_at(rows, place, V, j));
            if constexpr (term<2 * V>::THERE && value != 0.0) f = fma(value * v.kappa, d2, f);
            if constexpr (term<2 * V + 1>::THERE && value != 0.0) f = fma(value * v.dt, n, f);
            if constexpr (FIRST && I == 0 && initial != 0.0) f = fma(initial, first, f);
            if constexpr (R > I) *ahead_at(rows, place, V, j) = f;
            else next = f;
        }
        add_to_rows_from<I, V, R + 1>(v, rows, j, u, n, d2, first, next);
    }
}

/* What stage I adds at point j, of all unknowns from V on. next: of the right-hand side of the next stage. */
template <int I, int V = 0>
__device__ static __forceinline__ void add_to_rows(const struct lane &me, const struct sw_line_batch &b, int run,
                                                   const struct values &v, const struct moment &now, const points &c,
                                                   struct view &w, const struct ahead &rows, int j,
                                                   double (&next)[UNKNOWNS])
{
    if constexpr (V < UNKNOWNS) {
        const double u = c[V][j];
        double n = 0.0, d2 = 0.0, first = 0.0;
        if (term<2 * V>::THERE) d2 = d2_of_g<V>(me, v, now, c, w, j);
        if (term<2 * V + 1>::THERE) {
            double in[SW_INPUTS] = {};
            see_neighbours(below<UNKNOWNS * NEIGHBOURS>(), c, w, j, in);
            n = value_at<2 * V + 1>(me, v, now, j, in);
        }
        if constexpr (SEES_TIME && I == VALUED - 1)
            look_by_time<V>(me, v, j, n, [&](int of, int offset) { return seen(c, w, of, j, offset); }, rows.by_time);
        if (FIRST && I == 0)
            first = sw_line_apply(&b.a[(size_t)V * b.count + run], seen(c, w, V, j, -2), seen(c, w, V, j, -1), u,
                                  seen(c, w, V, j, 1), seen(c, w, V, j, 2));
        if (OWN_STEPS) first *= v.dt;
        add_to_rows_from<I, V>(v, rows, j, u, n, d2, first, next[V]);
        if (LEFT) *ahead_at(rows, 1, V, j) = u;
        if (OWN_STEPS && I == 0) *ahead_at(rows, OLD_PLACE, V, j) = u;
        add_to_rows<I, V + 1>(me, b, run, v, now, c, w, rows, j, next);
    }
}

/* A^-1 of c[V], whose forward totals are known. @return whether it is finite */
template <int V>
__device__ static __forceinline__ bool solve(const struct lane &me, const struct systems &all, points &c,
                                             struct sw_state total, const struct ahead &rows)
{
    const struct lane up = system_of(me, all, V * SIDES), down = system_of(me, all, V * SIDES + SIDES - 1);
    struct lane forth = up;
    const struct lane_values y = {me, c[V]};
    bool finite = true;
    forth.response = down.response;  /* of the backward totals */
    const struct sw_state before = exclusive_scan<1>(up, total);
    total = forward_sweep(forth, before, [&](int j) { return c[V][j]; }, y);
    reload_shared();
    const struct sw_state behind = exclusive_scan<-1>(down, total);
    backward_sweep(down, behind, y, [&](int j, double z) {
        c[V][j] = LEFT ? fma(down.scale, z, -*ahead_at(rows, 1, V, j)) : down.scale * z;
        /* a recursion never becomes finite again: the last point of a block shows whether all were */
        if (j == 0) finite = isfinite(z);
    });
    return finite;
}

/* Totals of a right-hand side by the recursion upwards, and by that downwards (ENDED). */
struct totals { struct sw_state up[UNKNOWNS], down[UNKNOWNS]; };

/* Where P of an unknown is not 1 (line_wide_rtc.cuh). */
template <int I, typename DONE>
__device__ static __forceinline__ void wide_stage(const struct lane &me, const struct sw_line_batch &b, int run,
                                                  const struct values &v, const struct moment &now, points &c,
                                                  const struct ahead &rows, DONE done);

/* Of lines that end (line_ended_rtc.cuh). */
__device__ static inline void set_closings(const struct lane &me, const double *mine);
__device__ static __forceinline__ void set_known(const struct lane &me, int V, double (&u)[LANE_POINTS]);
__device__ static __forceinline__ double with_ends(const struct lane &me, int V, int j, double f);
__device__ static __forceinline__ void add_to_totals(const struct lane &me, const struct systems &all, int V, int j,
                                                     double f, struct totals &t);
template <int V>
__device__ static __forceinline__ void begin_with_known(const struct lane &me, const struct values &v, double t,
                                                        long long step, points &c);
template <int STAGE>
__device__ static __forceinline__ void prepare_solve(const struct lane &me, const struct sw_line_batch &b, int run,
                                                     const struct values &v, long long step);
template <int V>
__device__ static __forceinline__ bool solve_ended(const struct lane &me, const struct systems &all, points &c,
                                                   const struct totals &totals, const struct ahead &rows);

template <int V = 0>
__device__ static __forceinline__ bool solve_all(const struct lane &me, const struct systems &all, points &c,
                                                 const struct totals &total, const struct ahead &rows)
{
    bool finite = true;
    if constexpr (V < UNKNOWNS) {
        if constexpr (ENDED) finite = solve_ended<V>(me, all, c, total, rows);
        else finite = solve<V>(me, all, c, total.up[V], rows);
        reload_shared();
        finite = solve_all<V + 1>(me, all, c, total, rows) && finite;
    }
    return finite;
}

/* The right-hand side, or result, of stage I + 1 at point j, where a lane that has none has zero. */
template <int I>
__device__ static __forceinline__ bool take_next(const struct lane &me, const struct systems &all,
                                                 const struct lane &forward, int V, int j, double next, points &c,
                                                 struct totals &total)
{
    const bool none = !EVEN && j == LANE_POINTS - 1 && !me.full;
    c[V][j] = none ? 0.0 : next;
    if (I + 1 == COUNT) return isfinite(c[V][j]);
    if constexpr (ENDED) {
        c[V][j] = none ? 0.0 : with_ends(me, V, j, next);
        add_to_totals(me, all, V, j, c[V][j], total);
    } else {
        add_to_forward_total(forward, j, c[V][j], &total.up[V]);
    }
    return true;
}

/* Stage I at point J. @return whether it is finite */
template <int I, int J>
__device__ static __forceinline__ bool take_point(const struct lane &me, const struct systems &all,
                                                  const struct sw_line_batch &b, int run, const struct values &v,
                                                  const struct moment &now, const struct lane (&forward)[UNKNOWNS],
                                                  points &c, struct view &w, const struct ahead &rows,
                                                  struct totals &total)
{
    bool finite = true;
    double next[UNKNOWNS];
    add_to_rows<I>(me, b, run, v, now, c, w, rows, J, next);
#pragma unroll
    for (int V = 0; V < UNKNOWNS; V++) {
        w.before[V][0] = w.before[V][1];
        w.before[V][1] = c[V][J];
        finite = take_next<I>(me, all, forward[V], V, J, next[V], c, total) && finite;
    }
    return finite;
}

/* The points J of a stage. A loop would not be unrolled where there are many rows: the compiler then keeps c and the
 * rows in memory. @return whether all are finite */
template <int I, int... J>
__device__ static __forceinline__ bool go_along(sequence<J...>, const struct lane &me, const struct systems &all,
                                                const struct sw_line_batch &b, int run, const struct values &v,
                                                const struct moment &now, const struct lane (&forward)[UNKNOWNS],
                                                points &c, struct view &w, const struct ahead &rows,
                                                struct totals &total)
{
    bool finite = true;
    ((finite = take_point<I, J>(me, all, b, run, v, now, forward, c, w, rows, total) && finite), ...);
    return finite;
}

/* All stages from I on. @return whether all are finite */
template <int I = 0>
__device__ static __forceinline__ bool take_stages(const struct lane &me, const struct systems &all,
                                                   const struct sw_line_batch &b, int run, const struct values &v,
                                                   long long from, long long step, points &c, const struct ahead &rows)
{
    bool finite = true;
    if constexpr (I < VALUED) {
        struct totals total;
        struct lane forward[UNKNOWNS];
        const struct moment now = moment_of(me, v, from, step, I);
        if constexpr (ENDED && LEFT) begin_with_known<0>(me, v, (double)step * v.dt, step, c);
        if constexpr (ENDED && I + 1 < COUNT) prepare_solve<I + 1>(me, b, run, v, step);
#pragma unroll
        for (int V = 0; V < UNKNOWNS; V++) {
            total.up[V] = total.down[V] = sw_state{0.0, 0.0};
            forward[V] = system_of(me, all, V * SIDES);
        }
        if constexpr (MASS) {
            wide_stage<I>(me, b, run, v, now, c, rows, [&](int V, int j) {
                finite = take_next<I>(me, all, forward[V], V, j, c[V][j], c, total) && finite;
            });
        } else {
            struct view w;
            look_around(me, v, now, c, w);
            finite = go_along<I>(below<LANE_POINTS>(), me, all, b, run, v, now, forward, c, w, rows, total);
        }
        reload_shared();
        if (I + 1 < COUNT) finite = solve_all(me, all, c, total, rows);
        else if constexpr (ENDED)
            for (int V = 0; V < UNKNOWNS; V++) set_known(me, V, c[V]);
        finite = take_stages<I + 1>(me, all, b, run, v, from, step, c, rows) && finite;
    }
    return finite;
}

#if !OWN_STEPS
/* ------------------------------------------------------------------ a line */

/* As advance_line() of line_fused_rtc.cuh. coefficient: SYSTEMS of the line. table: its closings (ENDED) */
__device__ static inline void advance_line(const struct lane &me, const struct sw_line_batch &b,
                                           const struct sw_fused_line *coefficient, const double *table, double *u,
                                           long long from, long long to, double *scalars, int line)
{
    struct values v;
    struct systems all;
    const int run = line < b.count ? line : 0;
    const long long bad = line < b.count ? b.first_bad[line] : 0;
    bool alive = bad == SW_LINE_FINITE;
    if (bad == SW_LINE_NOT_FINITE && me.l == 0 && from < to) b.first_bad[line] = from;
    if (!__any_sync(EVERYONE, alive)) return;
    __syncwarp();
    set_systems(me, coefficient + (size_t)run * SYSTEMS, all);
    set_values(me, b, run, v);
    if constexpr (ENDED) set_closings(me, table + (size_t)run * UNKNOWNS * SW_ENDED_TABLE);
    __syncwarp();

    points c;
    double held[NUMBERS > KEPT ? NUMBERS - KEPT : 1], *at = u + (size_t)run * UNKNOWNS * POINTS + me.first;
    const struct ahead rows = {me, held, 0};
#pragma unroll
    for (int k = 0; k < UNKNOWNS * LANE_POINTS; k++) {
        const int V = k / LANE_POINTS, j = k % LANE_POINTS;
        c[V][j] = alive && (j < LANE_POINTS - 1 || me.full) ? at[V * POINTS + j] : 0.0;
    }
#pragma unroll 1
    for (long long step = from; step < to; step++) {
        reload_shared();
        const bool finite = take_stages(me, all, b, run, v, from, step, c, rows);
        const unsigned wrong = __ballot_sync(EVERYONE, alive && !finite);
        if (wrong) {
            if (wrong & group_mask()) {
                if (alive && me.l == 0) b.first_bad[line] = step + 1;
                alive = false;
#pragma unroll
                for (int k = 0; k < UNKNOWNS * LANE_POINTS; k++) c[k / LANE_POINTS][k % LANE_POINTS] = 0.0;
            }
            if (!__any_sync(EVERYONE, alive)) return;
        }
    }
#pragma unroll
    for (int k = 0; k < UNKNOWNS * LANE_POINTS; k++) {
        const int V = k / LANE_POINTS, j = k % LANE_POINTS;
        if (alive && from < to && (j < LANE_POINTS - 1 || me.full)) at[V * POINTS + j] = c[V][j];
    }
    if (scalars) measure(me, b, run, alive, c[0], scalars + (size_t)run * SW_LINE_SCALARS);
}

/* coefficient [count][SYSTEMS]. table [count][UNKNOWNS][SW_ENDED_TABLE], of lines that end. u
 * [count][UNKNOWNS][POINTS]. scalars [count][SW_LINE_SCALARS]; NULL: not wanted. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fused_k(const __grid_constant__ struct sw_line_batch b, const struct sw_fused_line *__restrict__ coefficient,
        const __grid_constant__ struct sw_fused_common common, const double *__restrict__ table, double *__restrict__ u,
        long long from, long long to, double *__restrict__ scalars)
{
    struct lane me;
    me.common = &common;
    locate_lane(me);
    me.spilled += (SYSTEMS - 1) * GROUPS * (LANE_POINTS + 2) * (int)sizeof(double);
    advance_line(me, b, coefficient, table, u, from, to, scalars, blockIdx.x * GROUPS + threadIdx.x / GROUP);
}
#endif
