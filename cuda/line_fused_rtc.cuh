/* The kernel of cuda.fused: a group of lanes takes a line through all steps from one output to the next, its points in registers.
 * Compiled at run time (src/stepper/line_kernels_cuda.c) behind the *_point.h files used below and
 *
 *     POINTS, LANES, WARPS, BLOCKS        points a line, lanes a line (4 .. 32), warps a block, blocks a multiprocessor
 *     CHAINS                              recursions at the same time in a lane
 *     CRANK                               1 Crank-Nicolson, 0 backward Euler
 *     NPARAM                              parameters of a run
 *     SW_HAS_G, SW_HAS_S, G_RUN, ...      as in line_rtc.cuh
 *     CELLS_SHARED                        1: values kept a cell lie in shared memory; 0: they are computed again in each step
 *     AT_STEP, AT_CELL, GROUP_ROOM        shared memory of a group, in doubles: where values kept a step and a cell begin, all of it
 *
 * Lane l has the points of block l, BLOCK of them or one fewer, in CHAINS chains of PART points, the last one the rest. A solve is two
 * sweeps (stepper/recursive.h); a sweep
 *     1. recurs through the chains of the block from zero, all at the same time, as a recursion waits for itself: the
 *        state that each leaves behind                                                           2 FMA a point
 *     2. joins them to the state that the block leaves behind                                    4 FMA a lane and chain but one
 *     3. adds up states round the circle: stage k takes the state of the lane 2^k back, times the
 *        power of P for the points between; then the closure                                     4 FMA a lane and stage
 *     4. joins states once more, to the one before each chain                                    4 FMA a lane and chain but one
 *     5. recurs through the chains again, from these states                                      2 FMA a point
 * 8 FMA a point, and one for the new field; no table but the powers, so runs with different coefficients cost the same. Which
 * stages are left out is decided for each line from its own coefficients. Memory is touched before the first and after the last step. */

enum { THREADS = 32 * WARPS, GROUPS = THREADS / LANES, BLOCK = (POINTS + LANES - 1) / LANES, EVEN = POINTS % LANES == 0 };
enum { PART = BLOCK / CHAINS, LAST = BLOCK - (CHAINS - 1) * PART };
enum { STAGES = LANES == 32 ? 5 : LANES == 16 ? 4 : LANES == 8 ? 3 : 2 };
enum { FORCED = SW_HAS_G || SW_HAS_S, IN_PLACE = !CRANK };
enum { HELD_RUN = G_RUN + S_RUN, HELD_STEP = G_STEP + S_STEP, HELD_CELL = G_CELL + S_CELL };
enum { AT_CHAIN = 4, AT_POWER = 16 };

#define EVERYONE 0xffffffffu

struct lane {
    int    l, first;         /* of the group; its first point                             */
    bool   full;             /* it has BLOCK points, not BLOCK - 1                        */
    int    forth, back;      /* bit k: the 2^k blocks up to, or from, this one have the larger number of points */
    int    stages, most;     /* of its line; of all lines in the warp                     */
    bool   closed;
    double a1, a2, scale;
    int    at;               /* bytes: where the shared memory of the group begins        */
};

__device__ static inline double from_lane(double value, int source) { return __shfl_sync(EVERYONE, value, source, LANES); }

__device__ static inline double *shared_of(const struct lane &me)
{
    extern __shared__ double2 shared[];
    return (double *)((char *)shared + me.at);
}

__device__ static inline struct sw_state join_shared(const double *matrix, struct sw_state t, struct sw_state s)
{
    double2 top = *(const double2 *)matrix, bottom = *(const double2 *)(matrix + 2);
    double M[4] = {top.x, top.y, bottom.x, bottom.y};
    return sw_recursive_join(M, t, s);
}

/* The state behind the block before, from what each block leaves behind when it starts from zero. DIRECTION: 1 forward, the
 * block before is that of lane l - 1; -1 backward, of lane l + 1. */
template <int DIRECTION> __device__ static inline struct sw_state carry(const struct lane &me, struct sw_state s)
{
    int odd = DIRECTION > 0 ? me.forth : me.back;
#pragma unroll
    for (int k = 0; k < STAGES; k++) {
        if (k < me.most) {
            int source = (me.l - DIRECTION * (1 << k)) & (LANES - 1);
            struct sw_state t = {from_lane(s.u, source), from_lane(s.v, source)};
            struct lane its = me;
            if (!EVEN) its.at |= (odd << (5 - k)) & 32;  /* at is a multiple of 64 */
            const double *power = shared_of(its) + AT_POWER + 8 * k;
            if (LANES == 32 || k < me.stages) s = join_shared(power, t, s);
        }
    }
    if (me.closed) s = join_shared(shared_of(me), s, sw_state{0.0, 0.0});
    int before = (me.l - DIRECTION) & (LANES - 1);
    return sw_state{from_lane(s.u, before), from_lane(s.v, before)};
}

/* One more point of a recursion from zero; j points came before. */
__device__ static inline void leave(const struct lane &me, int j, double f, struct sw_state *s)
{
    double z = j == 0 ? f : j == 1 ? fma(-me.a1, s->u, f) : sw_recursive_next(me.a1, me.a2, f, s->u, s->v);
    s->v = s->u;
    s->u = z;
}

__device__ static inline int points_of(int chain) { return chain < CHAINS - 1 ? PART : LAST; }

/* The power of P for the points of a chain. */
__device__ static inline const double *chain_power(const struct lane &me, int chain)
{
    return shared_of(me) + AT_CHAIN + (chain < CHAINS - 1 ? 0 : me.full ? 8 : 4);
}

/* e: the state before each chain, from what each leaves behind when it starts from zero, s. */
template <int DIRECTION>
__device__ static inline void carry_chains(const struct lane &me, const struct sw_state *s, struct sw_state *e)
{
    const int first = DIRECTION > 0 ? 0 : CHAINS - 1;
    struct sw_state all = s[first];
#pragma unroll
    for (int q = 1; q < CHAINS; q++) all = join_shared(chain_power(me, first + DIRECTION * q), all, s[first + DIRECTION * q]);
    e[first] = carry<DIRECTION>(me, all);
#pragma unroll
    for (int q = 1; q < CHAINS; q++) {
        int before = first + DIRECTION * (q - 1);
        e[before + DIRECTION] = join_shared(chain_power(me, before), e[before], s[before]);
    }
}

/* A = I + s4 d4 - s2 d2 has been applied to the solution times 1/scale: f, given by value(j), becomes it; done(j, x) takes it. y [BLOCK]
 * is room. */
template <typename F, typename G>
__device__ static inline void solve(const struct lane &me, double *y, F value, G done)
{
    struct sw_state s[CHAINS] = {}, e[CHAINS];
#pragma unroll
    for (int j = 0; j < LAST; j++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++) {
            struct sw_state before = s[k];
            if (j < points_of(k)) leave(me, j, value(k * PART + j), &s[k]);
            if (!EVEN && k * PART + j == BLOCK - 1 && !me.full) s[k] = before;
        }
    carry_chains<1>(me, s, e);
#pragma unroll
    for (int j = 0; j < LAST; j++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            if (j < points_of(k)) {
                double z = sw_recursive_next(me.a1, me.a2, value(k * PART + j), e[k].u, e[k].v);
                e[k].v = e[k].u;
                e[k].u = y[k * PART + j] = z;
            }
    if (!EVEN && !me.full) y[BLOCK - 1] = 0.0;
#pragma unroll
    for (int k = 0; k < CHAINS; k++) s[k] = sw_state{0.0, 0.0};
#pragma unroll
    for (int j = LAST - 1; j >= 0; j--)
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            if (j < points_of(k)) leave(me, points_of(k) - 1 - j, y[k * PART + j], &s[k]);
    carry_chains<-1>(me, s, e);
#pragma unroll
    for (int j = LAST - 1; j >= 0; j--)
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            if (j < points_of(k)) {
                struct sw_state before = e[k];
                double z = sw_recursive_next(me.a1, me.a2, y[k * PART + j], e[k].u, e[k].v);
                e[k].v = e[k].u;
                e[k].u = z;
                if (!EVEN && k * PART + j == BLOCK - 1 && !me.full) {
                    e[k] = before;
                    z = 0.0;
                }
                done(k * PART + j, z);
            }
}

/* ------------------------------------------------------------------ expressions */

struct values { double p[NPARAM + 1], r[HELD_RUN + 1], x0, dx, kappa, dt; double origin; };

__device__ static inline void fill_inputs(double in[SW_INPUTS], double x, double u)
{
    for (int k = 0; k < SW_INPUTS; k++) in[k] = 0.0;
    in[SW_IN_X] = x;
    in[SW_IN_U] = u;
}

__device__ static inline double x_of(const struct values &v, int j) { return v.x0 + (v.origin + j) * v.dx; }

/* Values kept a step, those of lane l for step + l, into shared memory. */
__device__ static inline void compute_steps(const struct lane &me, const struct values &v, long long step)
{
    double *kept = shared_of(me) + AT_STEP + me.l * HELD_STEP, t = sw_line_time(CRANK ? 0.5 : 1.0, step + me.l, v.dt);
    (void)kept, (void)t;
#if SW_HAS_G
    double g[G_STEP + 1];
    model_g_step(v.p, 1, v.r, 1, t, step + me.l, g);
    for (int k = 0; k < G_STEP; k++) kept[k] = g[k];
#endif
#if SW_HAS_S
    double s[S_STEP + 1];
    model_s_step(v.p, 1, v.r + G_RUN, 1, t, step + me.l, s);
    for (int k = 0; k < S_STEP; k++) kept[G_STEP + k] = s[k];
#endif
}

/* Values kept at point j of the lane: value k at out[k*distance]. */
__device__ static inline void compute_cell(const struct lane &me, const struct values &v, int j, double *out, int distance)
{
    double in[SW_INPUTS];
    fill_inputs(in, x_of(v, j), 0.0);
    (void)out, (void)distance;
#if SW_HAS_G
    double g[G_CELL + 1];
    model_g_cell(v.p, 1, v.r, 1, in, me.first + j, g);
    for (int k = 0; k < G_CELL; k++) out[k * distance] = g[k];
#endif
#if SW_HAS_S
    double s[S_CELL + 1];
    model_s_cell(v.p, 1, v.r + G_RUN, 1, in, me.first + j, s);
    for (int k = 0; k < S_CELL; k++) out[(G_CELL + k) * distance] = s[k];
#endif
}

struct moment { long long step; double t; const double *kept; };  /* kept: of this step */

__device__ static inline double g_at(const struct lane &me, const struct values &v, const struct moment &now, int j, double u)
{
#if SW_HAS_G
    double in[SW_INPUTS], own[HELD_CELL + 1];
    const double *cell = shared_of(me) + AT_CELL + j * HELD_CELL * LANES + me.l;
    fill_inputs(in, x_of(v, j), u);
    if (!CELLS_SHARED) compute_cell(me, v, j, own, 1);
    return model_g_point(v.p, 1, v.r, 1, now.kept, 1, CELLS_SHARED ? cell : own, CELLS_SHARED ? LANES : 1, in, me.first + j, now.t,
                         now.step);
#else
    return 0.0;
#endif
}

__device__ static inline double s_at(const struct lane &me, const struct values &v, const struct moment &now, int j, double u)
{
#if SW_HAS_S
    double in[SW_INPUTS], own[HELD_CELL + 1];
    const double *cell = shared_of(me) + AT_CELL + (j * HELD_CELL + G_CELL) * LANES + me.l;
    fill_inputs(in, x_of(v, j), u);
    if (!CELLS_SHARED) compute_cell(me, v, j, own, 1);
    return model_s_point(v.p, 1, v.r + G_RUN, 1, now.kept + G_STEP, 1, CELLS_SHARED ? cell : own + G_CELL, CELLS_SHARED ? LANES : 1, in,
                         me.first + j, now.t, now.step);
#else
    return 0.0;
#endif
}

/* f[j] := c[j] + weight ((dt/dx²) d2 G + dt S), weight 1/2 for Crank-Nicolson, whose solution is doubled. f may be c. */
__device__ static inline void right_side(const struct lane &me, const struct values &v, const struct moment &now, const double *c,
                                         double *f)
{
    const double weight = CRANK ? 0.5 : 1.0;
    double left = 0.0, here = 0.0, last = 0.0, beyond = 0.0;
    if (SW_HAS_G) {
        here = g_at(me, v, now, 0, c[0]);
        last = g_at(me, v, now, BLOCK - 1, c[BLOCK - 1]);
        if (!EVEN && !me.full) last = g_at(me, v, now, BLOCK > 1 ? BLOCK - 2 : 0, c[BLOCK > 1 ? BLOCK - 2 : 0]);
        left = from_lane(last, (me.l - 1) & (LANES - 1));
        beyond = from_lane(here, (me.l + 1) & (LANES - 1));
    }
#pragma unroll
    for (int j = 0; j < BLOCK; j++) {
        double u = c[j], value = u;
        if (SW_HAS_G) {
            double right = j == BLOCK - 1 ? beyond : EVEN && j == BLOCK - 2 ? last : g_at(me, v, now, j + 1, c[j < BLOCK - 1 ? j + 1 : j]);
            if (!EVEN && j == BLOCK - 2 && !me.full) right = beyond;
            value = fma(weight * v.kappa, sw_line_d2(left, here, right), value);
            left = here;
            here = right;
        }
        if (SW_HAS_S) value = fma(weight * v.dt, s_at(me, v, now, j, u), value);
        f[j] = value;
    }
}

/* ------------------------------------------------------------------ the kernel */

/* coefficient: one a line, or one for all (each 0). u [count][POINTS]. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fused_k(const __grid_constant__ struct sw_line_batch b, const struct sw_fused_line *__restrict__ coefficient, int each,
        double *__restrict__ u, long long from, long long to)
{
    struct lane me;
    struct values v;
    int group = threadIdx.x / LANES, line = blockIdx.x * GROUPS + group, run = line < b.count ? line : 0;
    me.l = threadIdx.x % LANES;
    me.at = group * GROUP_ROOM * (int)sizeof(double);
    asm volatile("" : "+r"(me.at));  /* kept, not computed anew from the number of the thread wherever it is used */
    long long bad = line < b.count ? b.first_bad[line] : 0;
    bool alive = bad == SW_LINE_FINITE;
    if (bad == SW_LINE_NOT_FINITE && me.l == 0) b.first_bad[line] = from;
    if (!__any_sync(EVERYONE, alive)) return;

    const struct sw_fused_line *mine = coefficient + (each ? run : 0);
    for (int k = me.l; k < AT_STEP; k += LANES) shared_of(me)[k] = ((const double *)mine)[k];  /* closure, chain, power */
    me.a1 = mine->a1;
    me.a2 = mine->a2;
    me.scale = (CRANK ? 2.0 : 1.0) * mine->scale;
    me.stages = mine->stages;
    me.closed = mine->closed;
    me.most = __reduce_max_sync(EVERYONE, me.stages);
    me.first = sw_recursive_start(me.l, POINTS, LANES);
    me.full = EVEN || sw_recursive_start(me.l + 1, POINTS, LANES) - me.first == BLOCK;
    me.forth = me.back = 0;
    for (int k = 0; k < STAGES && !EVEN; k++) {
        int q = 1 << k, few = (int)((long long)q * POINTS / LANES);
        int up_to = sw_recursive_start(me.l + 1, POINTS, LANES) - sw_recursive_start(me.l + 1 - q, POINTS, LANES);
        int on = sw_recursive_start(me.l + q, POINTS, LANES) - me.first;
        me.forth |= (up_to > few) << k;
        me.back |= (on > few) << k;
    }

    v.dt = b.dt[run];
    v.dx = b.dx[run];
    v.x0 = b.x0[run];
    v.kappa = v.dt / (v.dx * v.dx);
    v.origin = me.first;
    for (int k = 0; k < NPARAM; k++) v.p[k] = b.param[(size_t)k * b.count + run];
    for (int k = 0; k < HELD_RUN; k++) v.r[k] = b.run[(size_t)k * b.ld + run];
    if (CELLS_SHARED && HELD_CELL)
        for (int j = 0; j < BLOCK; j++) compute_cell(me, v, j, shared_of(me) + AT_CELL + j * HELD_CELL * LANES + me.l, LANES);
    __syncwarp();

    double c[BLOCK], y_[IN_PLACE ? 1 : BLOCK], *at = u + (size_t)run * POINTS + me.first;
#pragma unroll
    for (int j = 0; j < BLOCK; j++) c[j] = alive && (j < BLOCK - 1 || me.full) ? at[j] : 0.0;

    struct moment now;
    for (long long step = from; step < to; step++) {
        asm volatile("" ::: "memory");  /* what lies in shared memory is not to be kept in registers */
        bool finite = true;
        double *y = IN_PLACE ? c : y_;
        if (FORCED) {
            int phase = (int)(step - from) & (LANES - 1);
            if (HELD_STEP && phase == 0) {
                __syncwarp();
                compute_steps(me, v, step);
                __syncwarp();
            }
            now.step = step;
            now.t = sw_line_time(CRANK ? 0.5 : 1.0, step, v.dt);
            now.kept = shared_of(me) + AT_STEP + phase * HELD_STEP;
            right_side(me, v, now, c, y);
        }
        solve(me, y, [&](int j) { return FORCED ? y[j] : c[j]; },
              [&](int j, double z) {
                  c[j] = CRANK ? fma(me.scale, z, -c[j]) : me.scale * z;
                  if (j % PART == 0 && j / PART < CHAINS) finite = finite && isfinite(z);
              });

        /* a recursion does not come back from what is not finite: its last point tells of all in the chain */
        unsigned wrong = __ballot_sync(EVERYONE, alive && !finite);
        if (wrong) {
            unsigned group_mask = (LANES == 32 ? EVERYONE : (1u << (LANES & 31)) - 1u) << (threadIdx.x % 32 / LANES * LANES);
            if (wrong & group_mask) {
                if (alive && me.l == 0) b.first_bad[line] = step + 1;
                alive = false;
                for (int j = 0; j < BLOCK; j++) c[j] = 0.0;
            }
            if (!__any_sync(EVERYONE, alive)) return;
        }
    }
#pragma unroll
    for (int j = 0; j < BLOCK; j++)
        if (alive && (j < BLOCK - 1 || me.full)) at[j] = c[j];
}
