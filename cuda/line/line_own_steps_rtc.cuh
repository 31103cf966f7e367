/* Lines each of which takes steps of its own (problem/line/stepper/own_steps_point.h), for cuda.fused, behind
 * line_imex_rtc.cuh and the *_point.h files used below. A group of lanes takes a run from a queue, advances it to where
 * the call shall bring it, and takes the next: the runs of a warp are at different times, take steps of different
 * lengths, and never wait for the host. Compiled with, besides what line_imex_rtc.cuh says,
 *
 *     AT_OWN                      shared memory of a group, in doubles: where its struct sw_own_steps begins, behind
 *                                 which the largest |u| of each unknown is
 *
 * A step sums the estimated error beside the right-hand sides and keeps u^n, which a refused step goes back to. Its
 * largest numbers go over the lanes as upper words (sw_own_steps_upper()), integers in the order of |x|, NaN above all.
 * Lane 0 of a group judges the step. Where dt has changed the group forms its matrices anew
 * (line_own_systems_rtc.cuh); the others of the warp wait.
 *
 * Of each unknown, per point: beside what a step takes with a dt that all runs have, 1 FMA a stage and right-hand side
 * for the error, and 2 maxima of words. No number of a run depends on which group has it, or beside which others. */

enum { OWN_NUMBERS = sizeof(struct sw_own_steps) / sizeof(double) };

__device__ static inline struct sw_own_steps *steps_of(const struct lane &me)
{
    return (struct sw_own_steps *)(shared_of(me) + AT_OWN);
}

/* [UNKNOWNS] largest |u| where the run is. */
__device__ static inline double *sizes_of(const struct lane &me) { return shared_of(me) + AT_OWN + OWN_NUMBERS; }

/* ------------------------------------------------------------------ largest numbers */

__device__ static inline int size_word(double x) { return __double2hiint(x) & 0x7fffffff; }

__device__ static inline int larger(int a, int b) { return a > b ? a : b; }

/* Of all lanes of the group. */
__device__ static inline double largest_of_line(int word)
{
#pragma unroll
    for (int w = GROUP / 2; w > 0; w /= 2) word = larger(word, from_lane(word, (threadIdx.x % GROUP) ^ w));
    return __hiloint2double(word, 0);
}

/* A lane has LANE_POINTS points, or one fewer. */
__device__ static inline bool has_own_point(const struct lane &me, int j)
{
    return EVEN || j < LANE_POINTS - 1 || me.full;
}

template <int V> __device__ static inline double largest_of_unknown(const struct lane &me, const points &c)
{
    int word = 0;
#pragma unroll
    for (int j = 0; j < LANE_POINTS; j++)
        if (has_own_point(me, j)) word = larger(word, size_word(c[V][j]));
    return largest_of_line(word);
}

template <int V = 0>
__device__ static inline void largest_of_state(const struct lane &me, const points &c, double (&size)[UNKNOWNS])
{
    if constexpr (V < UNKNOWNS) {
        size[V] = largest_of_unknown<V>(me, c);
        largest_of_state<V + 1>(me, c, size);
    }
}

/* ------------------------------------------------------------------ a line comes and goes */

__device__ static inline void load_line(const struct lane &me, const double *u, int line, bool there, points &c)
{
    const double *at = u + (size_t)line * UNKNOWNS * POINTS + me.first;
#pragma unroll
    for (int k = 0; k < UNKNOWNS * LANE_POINTS; k++) {
        const int V = k / LANE_POINTS, j = k % LANE_POINTS;
        if (there) c[V][j] = has_own_point(me, j) ? at[V * POINTS + j] : 0.0;
    }
}

__device__ static inline void store_line(const struct lane &me, double *u, int line, const points &c)
{
    double *at = u + (size_t)line * UNKNOWNS * POINTS + me.first;
#pragma unroll
    for (int k = 0; k < UNKNOWNS * LANE_POINTS; k++) {
        const int V = k / LANE_POINTS, j = k % LANE_POINTS;
        if (has_own_point(me, j)) at[V * POINTS + j] = c[V][j];
    }
}

/* Begin a run where a group has none, line = -1, and there are more. */
__device__ static inline void take_line(const struct lane &me, const struct sw_line_batch &b,
                                        const struct sw_own_batch &o, const double *u, int &line, bool &drained,
                                        struct values &v, points &c)
{
    const bool wanted = line < 0 && !drained;
    int at = 0;
    if (wanted && is_first_lane()) at = atomicAdd(o.counter + 1, 1);
    at = from_lane(at, 0);
    if (wanted) drained = at >= o.counter[0];
    const bool begins = wanted && !drained;
    if (begins) {
        line = o.queue[at];
        set_values(me, b, line, v);
        for (int k = threadIdx.x % GROUP; k < OWN_NUMBERS; k += GROUP)
            ((double *)steps_of(me))[k] = ((const double *)&o.steps[line])[k];
    }
    load_line(me, u, begins ? line : 0, begins, c);
    double size[UNKNOWNS];
    largest_of_state(me, c, size);
    if (begins && is_first_lane())
        for (int V = 0; V < UNKNOWNS; V++) sizes_of(me)[V] = size[V];
    __syncwarp();
}

/* The run is at the tick, or cannot go on. */
__device__ static inline void leave_line(const struct lane &me, const struct sw_line_batch &b,
                                         const struct sw_own_batch &o, double *u, int line, const points &c)
{
    const struct sw_own_steps *steps = steps_of(me);
    if (steps->end == SW_OWN_STEPS_GO_ON) store_line(me, u, line, c);
    else if (is_first_lane()) b.first_bad[line] = sw_own_steps_tick(steps, o.times);
    for (int k = threadIdx.x % GROUP; k < OWN_NUMBERS; k += GROUP)
        ((double *)&o.steps[line])[k] = ((const double *)steps)[k];
}

/* ------------------------------------------------------------------ terms by time */

/* The sum with of_time() of a term over the times of all stages. now: what it is in the last one with values */
template <int K>
__device__ static __forceinline__ double sum_by_time(const struct lane &me, const struct values &v, int j, double now,
                                                     double in[SW_INPUTS])
{
    double sum = of_time(VALUED - 1) * now;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const struct moment then = moment_with(0, v.t + stage_time(i) * v.dt, shared_of(me) + AT_STEP + i * HELD_STEP);
        if (i != VALUED - 1) sum = fma(of_time(i), value_at<K>(me, v, then, j, in), sum);
    }
    return sum;
}

template <int V>
__device__ static __forceinline__ double g_by_time(const struct lane &me, const struct values &v, int j, double u)
{
    const struct moment now = moment_with(0, v.t + stage_time(VALUED - 1) * v.dt,
                                          shared_of(me) + AT_STEP + (VALUED - 1) * HELD_STEP);
    double in[SW_INPUTS] = {};
    in[SW_IN_U + NEIGHBOURS * V] = u;
    return sum_by_time<2 * V>(me, v, j, g_at<V>(me, v, now, j, u), in);
}

/* As look_by_time() of plain_step.c. */
template <int V, typename SEEN>
__device__ static __forceinline__ void look_by_time(const struct lane &me, const struct values &v, int j, double n,
                                                    SEEN seen, int *by_time)
{
    double e = 0.0;
    if constexpr (term<2 * V + 1>::STEEP) {
        double in[SW_INPUTS] = {};
#pragma unroll
        for (int k = 0; k < UNKNOWNS * NEIGHBOURS; k++)
            in[SW_IN_U - REACH + k] = seen(k / NEIGHBOURS, k % NEIGHBOURS - REACH);
        e = v.dt * sum_by_time<2 * V + 1>(me, v, j, n, in);
    }
    if constexpr (term<2 * V>::STEEP) {
        const double left = g_by_time<V>(me, v, j, seen(V, -1)), right = g_by_time<V>(me, v, j, seen(V, 1));
        e = fma(v.kappa, fma(-2.0, g_by_time<V>(me, v, j, seen(V, 0)), left + right), e);
    }
    if constexpr (term<2 * V>::STEEP || term<2 * V + 1>::STEEP)
        if (has_own_point(me, j) && !(ENDED && is_given(me, V, j))) by_time[V] = larger(by_time[V], size_word(e));
}

/* ------------------------------------------------------------------ steps */

/* The last stage's part of the error at point j of unknown V: of P u where P is not 1. beyond: of c[V] */
template <int V>
__device__ static inline double last_of_error(const points &c, const struct halo &beyond, int j)
{
    double five[NEIGHBOURS];
    if (!MASS) return c[V][j];
#pragma unroll
    for (int k = 0; k < NEIGHBOURS; k++) five[k] = in_line(c[V], beyond, j + k - REACH);
    return times_mass<V>(five);
}

/* The largest |estimated error|, with u^{n+1} in c; where u is given there is none. */
template <int V = 0>
__device__ static inline void largest_errors(const struct lane &me, points &c, const struct ahead &rows,
                                             double (&error)[UNKNOWNS])
{
    if constexpr (V < UNKNOWNS) {
        struct halo beyond = {};
        int word = 0;
        if (MASS && LAST) beyond = take_halo(me, c[V]);
#pragma unroll
        for (int j = 0; j < LANE_POINTS; j++) {
            const double before = *ahead_at(rows, ERROR_PLACE, V, j);
            const double last = last_of_error<V>(c, beyond, j);
            const double e = LAST ? fma(of_state(ERROR_ROW, COUNT - 1), last, before) : before;
            if (has_own_point(me, j) && !(ENDED && is_given(me, V, j))) word = larger(word, size_word(e));
        }
        if (MASS && LAST && !has_own_point(me, LANE_POINTS - 1)) c[V][LANE_POINTS - 1] = 0.0;
        error[V] = largest_of_line(word);
        if (SEES_TIME && (term<2 * V>::STEEP || term<2 * V + 1>::STEEP))
            error[V] = sw_own_steps_with_time(error[V], largest_of_line(rows.by_time[V]));
        largest_errors<V + 1>(me, c, rows, error);
    }
}

__device__ static inline bool judge_step(const struct lane &me, const struct sw_own_batch &o, int line,
                                         const double (&error)[UNKNOWNS], const double (&size)[UNKNOWNS])
{
    struct sw_own_steps *steps = steps_of(me);
    return sw_own_steps_judge(steps, UNKNOWNS, error, size, sizes_of(me),
                              o.drive + (size_t)line * o.windows * UNKNOWNS, &o.limits[line], o.times);
}

__device__ static inline void keep_or_go_back(const struct lane &me, const struct ahead &rows, bool taken, points &c)
{
    if (__all_sync(EVERYONE, taken)) return;
    if (from_lane((int)taken, 0)) return;
#pragma unroll
    for (int k = 0; k < UNKNOWNS * LANE_POINTS; k++) {
        const int V = k / LANE_POINTS, j = k % LANE_POINTS;
        c[V][j] = has_own_point(me, j) ? *ahead_at(rows, OLD_PLACE, V, j) : 0.0;
    }
}

/* u [count][UNKNOWNS][POINTS]: the runs of the queue to a tick. */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
own_steps_k(const __grid_constant__ struct sw_line_batch b, const __grid_constant__ struct sw_own_batch o,
            double *__restrict__ u, long long to)
{
    struct lane me;
    struct systems all = {0};
    struct values v = {};
    points c;
    double held[NUMBERS > KEPT ? NUMBERS - KEPT : 1], factored = 0.0;
    int line = -1, by_time[UNKNOWNS];
    bool drained = false;
    me.common = 0;
    locate_lane(me);
    me.spilled += (SYSTEMS - 1) * GROUPS * (LANE_POINTS + 2) * (int)sizeof(double);
    const struct ahead rows = {me, held, by_time};
    struct sw_own_steps *steps = steps_of(me);
    const double end = sw_own_steps_time_of_tick(o.times, to);
#pragma unroll
    for (int k = 0; k < UNKNOWNS * LANE_POINTS; k++) c[k / LANE_POINTS][k % LANE_POINTS] = 0.0;
    for (;;) {
        const bool begins = line < 0;
        if (__any_sync(EVERYONE, line < 0 && !drained)) {
            if (line < 0) factored = 0.0;
            take_line(me, b, o, u, line, drained, v, c);
        }
        const bool there = line >= 0;
        if (!__any_sync(EVERYONE, there)) return;
        const bool aims = there && steps->left == 0;
        __syncwarp();
        if (aims && is_first_lane()) {
            const long long at = (long long)steps->goal;
            sw_own_steps_next(steps, o.times[at + 1] - o.times[at]);
        }
        __syncwarp();
        if (there) v.dt = steps->dt;
        if (there && (begins || aims)) v.t = sw_own_steps_time(steps, o.times);
        const bool other = there && v.dt != factored;
        if (__any_sync(EVERYONE, other)) {
            if (there) v.kappa = v.dt / (v.dx * v.dx);
            set_own_systems(me, b, there ? line : 0, v.dt, other, all);
            factored = v.dt;
        }
        reload_shared();
        for (int V = 0; V < UNKNOWNS; V++) by_time[V] = 0;
        (void)take_stages(me, all, b, there ? line : 0, v, 0, 0, c, rows);
        double error[UNKNOWNS], size[UNKNOWNS];
        largest_errors(me, c, rows, error);
        largest_of_state(me, c, size);
        bool taken = true;
        __syncwarp();
        if (there && is_first_lane()) taken = judge_step(me, o, line, error, size);
        __syncwarp();
        keep_or_go_back(me, rows, taken, c);
        if (there) v.t = sw_own_steps_time(steps, o.times);
        if (there && (steps->end != SW_OWN_STEPS_GO_ON || sw_own_steps_is_at(steps, v.t, to, end))) {
            leave_line(me, b, o, u, line, c);
            line = -1;
        }
        __syncwarp();
    }
}

/* ------------------------------------------------------------------ before the steps */

/* The largest |u_t| of an unknown, v being at t = 0 with dt = 1. */
template <int V>
__device__ static inline double largest_rate(const struct lane &me, const struct sw_line_batch &b, int run,
                                             double gamma, const struct values &v, const struct moment &now,
                                             const points &c, struct view w)
{
    int word = 0;
#pragma unroll
    for (int j = 0; j < LANE_POINTS; j++) {
        double f = sw_line_apply(&b.a[(size_t)V * b.count + run], seen(c, w, V, j, -2), seen(c, w, V, j, -1), c[V][j],
                                 seen(c, w, V, j, 1), seen(c, w, V, j, 2)) / gamma;
        if (term<2 * V>::THERE) f = fma(v.kappa, d2_of_g<V>(me, v, now, c, w, j), f);
        if (term<2 * V + 1>::THERE) {
            double in[SW_INPUTS] = {};
#pragma unroll
            for (int k = 0; k < UNKNOWNS * NEIGHBOURS; k++)
                in[SW_IN_U - REACH + k] = seen(c, w, k / NEIGHBOURS, j, k % NEIGHBOURS - REACH);
            f += value_at<2 * V + 1>(me, v, now, j, in);
        }
        if (has_own_point(me, j)) word = larger(word, size_word(f));
#pragma unroll
        for (int V2 = 0; V2 < UNKNOWNS; V2++) {
            w.before[V2][0] = w.before[V2][1];
            w.before[V2][1] = c[V2][j];
        }
    }
    return largest_of_line(word);
}

template <int V = 0>
__device__ static inline void largest_rates(const struct lane &me, const struct sw_line_batch &b, int run,
                                            double gamma, const struct values &v, const struct moment &now,
                                            const points &c, const struct view &w, double (&rate)[UNKNOWNS])
{
    if constexpr (V < UNKNOWNS) {
        rate[V] = largest_rate<V>(me, b, run, gamma, v, now, c, w);
        largest_rates<V + 1>(me, b, run, gamma, v, now, c, w, rate);
    }
}

/* The same of P u_t where P of some unknown is not 1. */
template <int V = 0>
__device__ static inline void largest_wide_rates(const struct lane &me, const struct sw_line_batch &b, int run,
                                                 double gamma, const struct values &v, const struct moment &now,
                                                 const points &c, const struct wide_view &w, double (&rate)[UNKNOWNS])
{
    if constexpr (V < UNKNOWNS) {
        struct wide_g g = {};
        double before[REACH] = {w.u[V].before[0], w.u[V].before[1]};
        int word = 0;
        evaluate_g<V>(me, v, now, c, g);
#pragma unroll
        for (int j = 0; j < LANE_POINTS; j++) {
            struct five at;
            look_at<V>(c, w, g, before, j, at);
            double f = sw_line_apply(&b.a[(size_t)V * b.count + run], at.u[0], at.u[1], at.u[2], at.u[3], at.u[4]);
            f /= gamma;
            if (term<2 * V>::THERE)
                f = fma(v.kappa, fma(mass_of_g(V), sw_line_d4(at.g[0], at.g[1], at.g[2], at.g[3], at.g[4]),
                                     sw_line_d2(at.g[1], at.g[2], at.g[3])), f);
            if (term<2 * V + 1>::THERE) f += times_mass<V>(at.n);
            if (has_own_point(me, j)) word = larger(word, size_word(f));
            before[0] = before[1];
            before[1] = c[V][j];
        }
        rate[V] = largest_of_line(word);
        largest_wide_rates<V + 1>(me, b, run, gamma, v, now, c, w, rate);
    }
}

/* The first dt of runs that have not begun, goal 0; a group a run. */
extern "C" __global__ void __launch_bounds__(THREADS)
own_begin_k(const __grid_constant__ struct sw_line_batch b, const __grid_constant__ struct sw_own_batch o,
            const double *__restrict__ u)
{
    struct lane me;
    struct values v;
    points c;
    double size[UNKNOWNS], rate[UNKNOWNS];
    const int line = blockIdx.x * GROUPS + threadIdx.x / GROUP, run = line < b.count ? line : 0;
    const bool begins = line < b.count && b.first_bad[run] == SW_LINE_FINITE && o.steps[run].goal == 0;
    me.common = 0;
    locate_lane(me);
    set_values(me, b, run, v);
    v.t = 0.0;
    v.dt = 1.0;
    v.kappa = 1.0 / (v.dx * v.dx);
    __syncwarp();
    load_line(me, u, run, true, c);
    largest_of_state(me, c, size);
    const struct moment now = moment_of(me, v, 0, 0, 0);
    if constexpr (MASS) {
        struct wide_view w;
        look_wide(me, v, now, c, w);
        largest_wide_rates(me, b, run, o.gamma, v, now, c, w, rate);
    } else {
        struct view w;
        look_around(me, v, now, c, w);
        largest_rates(me, b, run, o.gamma, v, now, c, w, rate);
    }
    if (!begins || !is_first_lane()) return;
    struct sw_own_steps steps = {};
    sw_own_steps_first(&steps, UNKNOWNS, size, rate, o.times[1], o.first_dt[run], &o.limits[run]);
    o.steps[run] = steps;
}

enum { QUEUE_THREADS = 1024, QUEUE_BINS = 256 };

/* Bins by the number of steps that are expected, a quarter of a power of two each: the last for the fewest. */
__device__ static inline int bin_of(const struct sw_own_batch &o, int run, long long to)
{
    const double bin = 4.0 * log2(1.0 + sw_own_steps_expected(&o.steps[run], o.times, to));
    return QUEUE_BINS - 1 - (bin > 0.0 ? bin < QUEUE_BINS - 1 ? (int)bin : QUEUE_BINS - 1 : 0);
}

__device__ static inline bool goes_on(const struct sw_line_batch &b, const struct sw_own_batch &o, int run,
                                      long long to)
{
    return b.first_bad[run] == SW_LINE_FINITE && !sw_own_steps_reached(&o.steps[run], o.times, to);
}

/* The queue, by one block. What order runs of a bin get differs from call to call, and changes no result. */
extern "C" __global__ void __launch_bounds__(QUEUE_THREADS)
own_queue_k(struct sw_line_batch b, struct sw_own_batch o, long long from, long long to)
{
    __shared__ int bin[QUEUE_BINS];
    for (int k = threadIdx.x; k < QUEUE_BINS; k += QUEUE_THREADS) bin[k] = 0;
    __syncthreads();
    for (int j = threadIdx.x; j < b.count; j += QUEUE_THREADS) {
        if (b.first_bad[j] == SW_LINE_NOT_FINITE) b.first_bad[j] = from;
        if (goes_on(b, o, j, to)) atomicAdd(&bin[bin_of(o, j, to)], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int before = 0;
        for (int k = 0; k < QUEUE_BINS; k++) {
            const int here = bin[k];
            bin[k] = before;
            before += here;
        }
        o.counter[0] = before;
        o.counter[1] = 0;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < b.count; j += QUEUE_THREADS)
        if (goes_on(b, o, j, to)) o.queue[atomicAdd(&bin[bin_of(o, j, to)], 1)] = j;
}

/* noise [count]: by this a constant field may vary, as what is measured of a line wants it. */
extern "C" __global__ void own_noise_k(struct sw_line_batch b, struct sw_own_batch o, double *noise)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= b.count) return;
    const double dt = o.steps[j].largest;
    const struct sw_line_operator a = matrix_for(b, 0, j, dt);
    noise[j] = sw_recursion_rounding(&a) * sw_measure_noise_growth(o.steps[j].taken);
}
