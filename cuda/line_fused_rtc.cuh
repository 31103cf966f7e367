/* The kernel of cuda.fused: a group of lanes (line_lane_rtc.cuh) takes a line through all steps from one output to the
 * next. Device memory is touched before the first and after the last step. */

/* What lines longer than a warp need besides (line_team_rtc.cuh). */
__device__ static inline void team_begin(struct lane &me, const struct sw_fused_line *coefficient, const double *table,
                                         int run);
__device__ static inline void team_sync(void);
__device__ static inline void team_tell(bool wrong);
__device__ static inline bool team_was_told(void);
template <typename OP> __device__ static inline double team_over(double value, OP op);

/* What op makes of the values of all lanes of a line, in each of them. */
template <typename OP> __device__ static inline double over_line(const struct lane &me, double value, OP op)
{
#pragma unroll
    for (int w = GROUP / 2; w > 0; w /= 2) value = op(value, from_lane(value, (threadIdx.x % GROUP) ^ w));
    return TEAM > 1 ? team_over(value, op) : value;
}

/* The lanes of this one's group, a bit each. */
__device__ static inline unsigned group_mask(void)
{
    return (GROUP == 32 ? EVERYONE : (1u << (GROUP & 31)) - 1u) << (threadIdx.x % 32 / GROUP * GROUP);
}

/* One line through the steps; all lanes of a warp come here together, line >= b.count: with nothing to do. Its scalars
 * at the end, which may be the beginning, are set if there is room for them. */
__device__ static inline void take_line(struct lane &me, const struct sw_line_batch &b,
                                        const struct sw_fused_line *coefficient, const double *team,
                                        double *u, long long from, long long to, double *scalars, int line)
{
    struct values v;
    struct moment now;
    int run = line < b.count ? line : 0;
    long long bad = line < b.count ? b.first_bad[line] : 0;
    bool alive = bad == SW_LINE_FINITE;
    if (bad == SW_LINE_NOT_FINITE && me.l == 0 && from < to) b.first_bad[line] = from;
    if (!__any_sync(EVERYONE, alive)) return;
    __syncwarp();
    set_coefficients(me, EACH ? coefficient + run : &me.common->line);
    set_values(me, b, run, v);
    if (TEAM > 1) team_begin(me, coefficient, team, run);
    else __syncwarp();

    sw_real c[BLOCK], held[IN_PLACE || AWAY == BLOCK ? 1 : BLOCK - AWAY];
    double *at = u + (size_t)run * POINTS + me.first;
    struct between y = {me, IN_PLACE ? c : held};
    struct sw_state left = {0.0, 0.0};
#pragma unroll
    for (int j = 0; j < BLOCK; j++) c[j] = alive && (j < BLOCK - 1 || me.full) ? at[j] : 0.0;
    /* in go_down()'s order: the same bits */
#pragma unroll
    for (int j = BLOCK - 1; j >= 0 && !FORCED; j--) leave_up(me, j, c[j], &left);
    for (long long step = from; step < to; step++) {
        bool finite = true;
        forget_shared();
        if (FORCED) {
            set_moment(me, v, from, step, now);
            left = right_side(me, v, now, c, y);
            forget_shared();
        }
        struct sw_state before = carry<1>(me, left);
        if (TEAM > 1 && team_was_told()) {
            if (me.l == 0) b.first_bad[line] = step;
            return;
        }
        left = go_up(me, before, [&](int j) { return FORCED ? get(y, j) : c[j]; }, y);
        forget_shared();
        struct sw_state behind = carry<-1>(me, left);
        left = sw_state{0.0, 0.0};
        go_down(me, behind, y, [&](int j, sw_real z) {
            c[j] = CRANK ? fma(scale_of(me), z, -c[j]) : scale_of(me) * z;
            if (!FORCED) leave_up(me, j, c[j], &left);
            if (j == 0) finite = isfinite(z);
        });

        /* a recursion does not come back from what is not finite: its last point tells of all in the block */
        if (TEAM > 1) {
            team_tell(!finite);
            continue;
        }
        unsigned wrong = __ballot_sync(EVERYONE, alive && !finite);
        if (wrong) {
            if (wrong & group_mask()) {
                if (alive && me.l == 0) b.first_bad[line] = step + 1;
                alive = false;
                for (int j = 0; j < BLOCK; j++) c[j] = 0.0;
                left = sw_state{0.0, 0.0};
            }
            if (!__any_sync(EVERYONE, alive)) return;
        }
    }
    if (TEAM > 1) {
        team_sync();
        alive = !team_was_told();
        if (!alive && me.l == 0) b.first_bad[line] = to;
    }
#pragma unroll
    for (int j = 0; j < BLOCK; j++)
        if (alive && from < to && (j < BLOCK - 1 || me.full)) at[j] = c[j];
    if (scalars) measure(me, b, run, alive, c, scalars + (size_t)run * SW_LINE_SCALARS);
}

/* coefficient: one a line (EACH 1). common: of all lines (EACH 0). team: their tables (TEAM > 1). u [count][POINTS].
 * scalars [count][SW_LINE_SCALARS]; NULL: not wanted. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fused_k(const __grid_constant__ struct sw_line_batch b, const struct sw_fused_line *__restrict__ coefficient,
        const __grid_constant__ struct sw_fused_common common, const double *__restrict__ team, double *__restrict__ u,
        long long from, long long to, double *__restrict__ scalars)
{
    struct lane me;
    me.common = &common;
    find_place(me);
    take_line(me, b, coefficient, team, u, from, to, scalars,
              TEAM > 1 ? blockIdx.x / CLUSTER : blockIdx.x * GROUPS + threadIdx.x / GROUP);
}
