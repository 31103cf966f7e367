/* The right-hand side of a step, from the points of a lane in registers (line_lane_rtc.cuh) and the expressions G and
 * S. */

enum { FORCED = SW_HAS_G || SW_HAS_S };
enum { HELD_RUN = G_RUN + S_RUN, HELD_STEP = G_STEP + S_STEP, HELD_CELL = G_CELL + S_CELL };

struct values { double p[NPARAM + 1], r[HELD_RUN + 1], x0, dx, kappa, dt; double origin; };

__device__ static inline void fill_inputs(double in[SW_INPUTS], double x, double u)
{
    for (int k = 0; k < SW_INPUTS; k++) in[k] = 0.0;
    in[SW_IN_X] = x;
    in[SW_IN_U] = u;
}

__device__ static inline double x_of(const struct values &v, int j) { return v.x0 + (v.origin + j) * v.dx; }

/* Values kept a step, those of lane l of the group for step + l, into shared memory. */
__device__ static inline void compute_steps(const struct lane &me, const struct values &v, long long step)
{
    int l = threadIdx.x % GROUP;
    double *kept = shared_of(me) + AT_STEP + l * HELD_STEP, t = sw_line_time(CRANK ? 0.5 : 1.0, step + l, v.dt);
    (void)kept, (void)t;
#if SW_HAS_G
    double g[G_STEP + 1];
    model_g_step(v.p, 1, v.r, 1, t, step + l, g);
    for (int k = 0; k < G_STEP; k++) kept[k] = g[k];
#endif
#if SW_HAS_S
    double s[S_STEP + 1];
    model_s_step(v.p, 1, v.r + G_RUN, 1, t, step + l, s);
    for (int k = 0; k < S_STEP; k++) kept[G_STEP + k] = s[k];
#endif
}

/* Values kept at point j of the lane: value k at out[k*distance]. */
__device__ static inline void compute_cell(const struct lane &me, const struct values &v, int j, double *out,
                                           int distance)
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

struct step_time { long long step; double t; const double *kept; };  /* kept: of this step */

__device__ static inline sw_real g_at(const struct lane &me, const struct values &v, const struct step_time &now, int j,
                                      double u)
{
#if SW_HAS_G
    double in[SW_INPUTS], own[HELD_CELL + 1];
    const double *cell = shared_of(me) + AT_CELL + j * HELD_CELL * LINE_THREADS + threadIdx.x % LINE_THREADS;
    fill_inputs(in, x_of(v, j), u);
    if (!CELLS_SHARED) compute_cell(me, v, j, own, 1);
    return model_g_point(v.p, 1, v.r, 1, now.kept, 1, CELLS_SHARED ? cell : own, CELLS_SHARED ? LINE_THREADS : 1, in,
                         me.first + j, now.t, now.step);
#else
    return 0.0;
#endif
}

__device__ static inline sw_real s_at(const struct lane &me, const struct values &v, const struct step_time &now, int j,
                                      double u)
{
#if SW_HAS_S
    double in[SW_INPUTS], own[HELD_CELL + 1];
    const double *cell = shared_of(me) + AT_CELL + (j * HELD_CELL + G_CELL) * LINE_THREADS + threadIdx.x % LINE_THREADS;
    fill_inputs(in, x_of(v, j), u);
    if (!CELLS_SHARED) compute_cell(me, v, j, own, 1);
    return model_s_point(v.p, 1, v.r + G_RUN, 1, now.kept + G_STEP, 1, CELLS_SHARED ? cell : own + G_CELL,
                         CELLS_SHARED ? LINE_THREADS : 1, in, me.first + j, now.t, now.step);
#else
    return 0.0;
#endif
}

#if STREAM
__device__ static inline void outer_edges(const struct lane &me, const struct values &v, const struct step_time &now,
                                          double *left, double *beyond);
#endif

/* f[j] := c[j] + weight ((dt/dx²) d2 G + dt S), weight 1/2 for Crank-Nicolson, whose solution is doubled. f may be c.
 * @return the block's forward total of f */
__device__ static inline struct sw_state right_hand_side(const struct lane &me, const struct values &v,
                                                         const struct step_time &now, const sw_real *c,
                                                         const struct lane_values &f)
{
    struct sw_state total = {0.0, 0.0};
    const double weight = CRANK ? 0.5 : 1.0;
    const sw_real g_weight = weight * v.kappa, s_weight = weight * v.dt;
    sw_real left = 0.0, here = 0.0, last = 0.0, beyond = 0.0;
    if (SW_HAS_G) {
        here = g_at(me, v, now, 0, c[0]);
        last = g_at(me, v, now, LANE_POINTS - 1, c[LANE_POINTS - 1]);
        if (!EVEN && !me.full) last = g_at(me, v, now, LANE_POINTS > 1 ? LANE_POINTS - 2 : 0,
                                         c[LANE_POINTS > 1 ? LANE_POINTS - 2 : 0]);
        double from_left = 0.0, from_beyond = 0.0;
        edges(me, here, last, &from_left, &from_beyond);
#if STREAM
        outer_edges(me, v, now, &from_left, &from_beyond);
#endif
        left = from_left;
        beyond = from_beyond;
    }
#pragma unroll
    for (int j = 0; j < LANE_POINTS; j++) {
        sw_real u = c[j], value = u;
        if (SW_HAS_G) {
            sw_real right = j == LANE_POINTS - 1 ? beyond : EVEN && j == LANE_POINTS - 2 ? last
                          : g_at(me, v, now, j + 1, c[j < LANE_POINTS - 1 ? j + 1 : j]);
            if (!EVEN && j == LANE_POINTS - 2 && !me.full) right = beyond;
            value = fma(g_weight, fma(sw_real(-2), here, left + right), value);  /* d2: 2 here is exact */
            left = here;
            here = right;
        }
        if (SW_HAS_S) value = fma(s_weight, s_at(me, v, now, j, u), value);
        if (!EVEN && j == LANE_POINTS - 1 && !me.full) value = 0.0;
        store_value(f, j, value);
        add_to_forward_total(me, j, value, &total);
    }
    return total;
}

__device__ static inline void set_values(const struct lane &me, const struct sw_line_batch &b, int run,
                                         struct values &v)
{
    v.dt = b.dt[run];
    v.dx = b.dx[run];
    v.x0 = b.x0[run];
    v.kappa = v.dt / (v.dx * v.dx);
    v.origin = me.first;
    for (int k = 0; k < NPARAM; k++) v.p[k] = b.param[(size_t)k * b.count + run];
    for (int k = 0; k < HELD_RUN; k++) v.r[k] = b.run[(size_t)k * b.ld + run];
    if (CELLS_SHARED && HELD_CELL)
        for (int j = 0; j < LANE_POINTS; j++)
            compute_cell(me, v, j, shared_of(me) + AT_CELL + j * HELD_CELL * LINE_THREADS + threadIdx.x % LINE_THREADS,
                         LINE_THREADS);
}

__device__ static inline void set_step_time(const struct lane &me, const struct values &v, long long from,
                                            long long step, struct step_time &now)
{
    int phase = (int)(step - from) & (GROUP - 1);
    if (HELD_STEP && phase == 0) {
        __syncwarp();
        /* the warps of a line have met at a barrier since the values before were used */
        if (LINE_WARPS == 1 || threadIdx.x < 32) compute_steps(me, v, step);
        if (LINE_WARPS > 1) __syncthreads();
        else __syncwarp();
    }
    now.step = step;
    now.t = sw_line_time(CRANK ? 0.5 : 1.0, step, v.dt);
    now.kept = shared_of(me) + AT_STEP + phase * HELD_STEP;
}
