/* The kernel of cuda.fused: a group of lanes (line_lane_rtc.cuh) takes a line through all steps from one output to the
 * next. Device memory is touched before the first and after the last step. */

/* For lines longer than a warp (line_block_rtc.cuh). */
__device__ static inline void warps_begin(struct lane &me, const struct sw_fused_line *coefficient, const double *table,
                                          int run);
__device__ static inline void warps_sync(void);
__device__ static inline void warps_flag(bool wrong);
__device__ static inline bool warps_flagged(void);

/* Take one line through the steps. All lanes of a warp call this together; a line >= b.count has nothing to do. Scalars
 * of the line at the end, which may be the beginning, are written unless `scalars` is NULL. */
__device__ static inline void advance_line(struct lane &me, const struct sw_line_batch &b,
                                           const struct sw_fused_line *coefficient, const double *table, double *u,
                                           long long from, long long to, double *scalars, int line)
{
    struct values v;
    struct step_time now;
    int run = line < b.count ? line : 0;
    long long bad = line < b.count ? b.first_bad[line] : 0;
    bool alive = bad == SW_LINE_FINITE;
    if (bad == SW_LINE_NOT_FINITE && me.l == 0 && from < to) b.first_bad[line] = from;
    if (!__any_sync(EVERYONE, alive)) return;
    __syncwarp();
    set_coefficients(me, PER_LINE ? coefficient + run : &me.common->line);
    set_values(me, b, run, v);
    if (LINE_WARPS > 1) warps_begin(me, coefficient, table, run);
    else __syncwarp();

    sw_real c[LANE_POINTS], held[IN_PLACE || SPILLED == LANE_POINTS ? 1 : LANE_POINTS - SPILLED];
    double *at = u + (size_t)run * POINTS + me.first;
    struct lane_values y = {me, IN_PLACE ? c : held};
    struct sw_state total = {0.0, 0.0};
#pragma unroll
    for (int j = 0; j < LANE_POINTS; j++) c[j] = alive && (j < LANE_POINTS - 1 || me.full) ? at[j] : 0.0;
    /* in the order of backward_sweep(): the same bits */
#pragma unroll
    for (int j = LANE_POINTS - 1; j >= 0 && !FORCED; j--) add_to_forward_total(me, j, c[j], &total);
    for (long long step = from; step < to; step++) {
        bool finite = true;
        reload_shared();
        if (FORCED) {
            set_step_time(me, v, from, step, now);
            total = right_hand_side(me, v, now, c, y);
            reload_shared();
        }
        struct sw_state before = exclusive_scan<1>(me, total);
        if (LINE_WARPS > 1 && warps_flagged()) {
            if (me.l == 0) b.first_bad[line] = step;
            return;
        }
        total = forward_sweep(me, before, [&](int j) { return FORCED ? load_value(y, j) : c[j]; }, y);
        reload_shared();
        struct sw_state behind = exclusive_scan<-1>(me, total);
        total = sw_state{0.0, 0.0};
        backward_sweep(me, behind, y, [&](int j, sw_real z) {
            c[j] = CRANK ? fma(scale_of(me), z, -c[j]) : scale_of(me) * z;
            if (!FORCED) add_to_forward_total(me, j, c[j], &total);
            if (j == 0) finite = isfinite(z);
        });

        /* a recursion never becomes finite again: the last point of a block shows whether all were */
        if (LINE_WARPS > 1) {
            warps_flag(!finite);
            continue;
        }
        unsigned wrong = __ballot_sync(EVERYONE, alive && !finite);
        if (wrong) {
            if (wrong & group_mask()) {
                if (alive && me.l == 0) b.first_bad[line] = step + 1;
                alive = false;
                for (int j = 0; j < LANE_POINTS; j++) c[j] = 0.0;
                total = sw_state{0.0, 0.0};
            }
            if (!__any_sync(EVERYONE, alive)) return;
        }
    }
    if (LINE_WARPS > 1) {
        warps_sync();
        alive = !warps_flagged();
        if (!alive && me.l == 0) b.first_bad[line] = to;
    }
#pragma unroll
    for (int j = 0; j < LANE_POINTS; j++)
        if (alive && from < to && (j < LANE_POINTS - 1 || me.full)) at[j] = c[j];
    if (scalars) measure(me, b, run, alive, c, scalars + (size_t)run * SW_LINE_SCALARS);
}

/* coefficient: one a line (PER_LINE 1). common: of all lines (PER_LINE 0). table: one a line (LINE_WARPS > 1). u
 * [count][POINTS]. scalars [count][SW_LINE_SCALARS]; NULL: not wanted. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fused_k(const __grid_constant__ struct sw_line_batch b, const struct sw_fused_line *__restrict__ coefficient,
        const __grid_constant__ struct sw_fused_common common, const double *__restrict__ table, double *__restrict__ u,
        long long from, long long to, double *__restrict__ scalars)
{
    struct lane me;
    me.common = &common;
    locate_lane(me);
    advance_line(me, b, coefficient, table, u, from, to, scalars,
                 LINE_WARPS > 1 ? blockIdx.x / CLUSTER : blockIdx.x * GROUPS + threadIdx.x / GROUP);
}
