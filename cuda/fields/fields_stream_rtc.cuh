/* The kernels of cuda.stream, behind fields_rtc.cuh: fields lie in memory, a stage is a pass over rows and one over
 * columns along each other axis. And those of any row: initial values, what is read out. What a block does is the work
 * of one run; blocks that share a run come one after another. Also needed:
 *
 *     THREADS_ROWS, THREADS_COLUMNS   threads of a block of these passes
 *     BLOCKS_OF_ROWS, BLOCKS_OF_COLUMNS   that are to share the registers of a multiprocessor
 *     TILE                            points of a block of the other kernels, THREADS at a time
 *     FIELDS_KEPT                     0: of cuda.stream, whose passes are kernels; else these have no text */

enum { THREADS = 256, TILES_OF_ALL = (POINTS + TILE - 1) / TILE };

__device__ static inline int run_of_thread(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

/* The largest |u| of an unknown. All threads of the run's block together. */
__device__ static inline double largest_in(const double *u)
{
    double largest = 0.0;
    for (int at = threadIdx.x; at < POINTS; at += blockDim.x) largest = sw_own_steps_worse(largest, fabs(u[at]));
    return block_worst(largest, shared);
}

/* ------------------------------------------------------------------ steps */

/* @param from, to  steps or ticks of the batch  @param k  of given dt the step's number, from the first on: a run takes
 * it if there are so many of its own */
extern "C" __global__ void pace_k(struct fields_on_device b, long long from, long long to, long long k)
{
    const int run = run_of_thread();
    if (FIELDS_KEPT || run >= b.count) return;
    const long long first = step_at(b, run, from);
    if (!OWN && first + k >= step_at(b, run, to)) b.pace[run].goes = 0;
    else set_pace(b, run, first, OWN ? to : first + k);
    if (OWN && b.pace[run].goes) atomicAdd(b.going, 1);
}

/* @param from     the step, or tick, at which runs are, where dt is given; not of a step that they take
 * @param to       of those that begin: to which they are going
 * @param purpose  FIELDS_WALLS_STEP .. */
extern "C" __global__ void walls_k(struct fields_on_device b, long long from, long long to, int purpose)
{
    if constexpr (WALLED) {
        __shared__ struct kept kept[2 * SETS];
        const int run = blockIdx.x;
        const struct fields f = fields_of(b, run);
        const bool steps = purpose == FIELDS_WALLS_STEP;
        if (steps ? !b.pace[run].goes : b.stopped[run]) return;
        if (purpose == FIELDS_WALLS_BEGIN && !begins_between(b, run, from, to)) return;
        find_walls(b, run, steps ? step_of(b, run)
                                 : outside_steps(OWN ? sw_own_steps_time(&b.steps[run], b.times)
                                                     : (double)step_at(b, run, from) * b.dt[run]), !steps, kept);
        if (purpose == FIELDS_WALLS_LOOK) return;
        impose_walls(b, run, f.u);
        for (int v = 0; OWN && !steps && v < UNKNOWNS; v++) {
            const double size = largest_in(f.u + (size_t)v * POINTS);
            if (threadIdx.x == 0) b.size[(size_t)run * UNKNOWNS + v] = size;
        }
    }
}

/* Where tile number `tile` of a field begins, and where it ends. */
__device__ static inline int tile_at(int tile) { return tile < TILES_OF_ALL ? tile * TILE : POINTS; }

/* The largest values over some points of what varies: 8 bytes a point.
 * @param local  of coefficients that steps know behind themselves (varying_local), else of the others
 * @param room   [threads] */
template <class VIEW, int K = 0>
__device__ static inline void find_most(const struct fields_on_device &b, int run, const struct fields &f, int first,
                                        int end, bool local, struct kept *kept)
{
    if constexpr (K < VARYING && varying_same(K) != K) {
        find_most<VIEW, K + 1>(b, run, f, first, end, local, kept);
    } else if constexpr (K < VARYING) {
        const struct fields_pace p = b.pace[run];
        double most = 0.0;
        if (is_local(K) == local) {
            if (threadIdx.x == 0) keep<varying<K>>(b, run, p.t, p.number, kept);
            __syncthreads();
            for (int at = first + threadIdx.x; at < end; at += blockDim.x)
                most = sw_own_steps_worse(
                    most, value_anywhere<varying<K>, VIEW>(b, run, kept, f.u, at, p.t, p.number));
            raise(&b.most[(size_t)run * VARYING + K], most);
            __syncthreads();  /* the next one is kept where this one is */
        }
        find_most<VIEW, K + 1>(b, run, f, first, end, local, kept);
    }
}

/* @param local  1: of runs that begin between these steps, or ticks; 0: before a step */
extern "C" __global__ void most_k(struct fields_on_device b, long long from, long long to, int local)
{
    __shared__ struct kept kept;
    const int run = blockIdx.x / TILES_OF_ALL;
    const int tile = blockIdx.x % TILES_OF_ALL;
    if (local ? !b.stopped[run] && begins_between(b, run, from, to) : b.pace[run].goes)
        find_most<of_terms>(b, run, fields_of(b, run), tile_at(tile), tile_at(tile + 1), local, &kept);
}

extern "C" __global__ void system_k(struct fields_on_device b)
{
    const int run = run_of_thread() / UNKNOWNS;
    if (!FIELDS_KEPT && run < b.count && b.pace[run].goes) make_system(b, run, run_of_thread() % UNKNOWNS);
}

/* What right-hand sides keep of a run, in memory. */
__device__ static __forceinline__ struct kept *kept_of(const struct fields_on_device &b, int run)
{
    return (struct kept *)b.kept + run * UNKNOWNS;
}

template <int I, int V = 0>
__device__ static inline void all_rows(const struct fields_on_device &b, int run, int block, struct kept *kept)
{
    if constexpr (V < UNKNOWNS) {
        const struct fields_pace p = b.pace[run];
        const double t = p.t + method_c(I) * p.dt;
        const struct kept *of = kept_of(b, run) + V;
        if (rhs_of<V>::STEP > 0) {
            if (threadIdx.x == 0) keep<rhs_of<V>>(b, run, t, p.number, kept);
            __syncthreads();
            of = kept;
        }
        pass_rows<V, I>(b, run, fields_of(b, run), block, part_of(0), of, t, p.dt, p.number, shared);
        all_rows<I, V + 1>(b, run, block, kept);
    }
}

template <int I = 0>
__device__ static inline void rows_in_stage(const struct fields_on_device &b, int run, int block, int stage,
                                            struct kept *kept)
{
    if constexpr (I < STAGES) {
        if (stage == I) all_rows<I>(b, run, block, kept);
        else rows_in_stage<I + 1>(b, run, block, stage, kept);
    }
}

/* What a block will read is on its way into the cache while it finds out what to do. */
__device__ static inline void fetch_rows(const struct fields_on_device &b, int run, int block)
{
    enum { AT_ONCE = 16 };  /* doubles of a line of the cache */
    const int k = block / BLOCKS_PLANE, j = block % BLOCKS_PLANE * ROWS, most = NY - j < ROWS ? NY - j : ROWS;
    const double *from = b.u + (size_t)run * SIZE + (size_t)(k * NY + j) * NX;
    for (int c = threadIdx.x * AT_ONCE; c < most * NX; c += blockDim.x * AT_ONCE) SW_FETCH(from + c);
}

extern "C" __global__ void __launch_bounds__(THREADS_ROWS, BLOCKS_OF_ROWS) rows_k(struct fields_on_device b, int stage)
{
    if constexpr (FIELDS_KEPT == 0) {
        __shared__ struct kept kept;
        const int run = blockIdx.x / BLOCKS_ROWS;
        if (!OWN && stage == 0) fetch_rows(b, run, blockIdx.x % BLOCKS_ROWS);
        if (b.pace[run].goes == 1) rows_in_stage(b, run, blockIdx.x % BLOCKS_ROWS, stage, &kept);
    }
}

/* Behind the last pass of a step. */
__device__ static inline void report(const struct fields_on_device &b, int run, int v, const struct found &found)
{
    for (int k = 0; k < VARYING; k++)
        if (is_local(k)) raise(&b.next_most[(size_t)run * VARYING + k], largest_seen(found.most[k]));
    if (OWN) {
        raise(largest_of(b, run, ERROR, v), found.error);
        raise(largest_of(b, run, NEXT_SIZE, v), found.largest);
    } else if (!are_finite(found.next)) {
        stop_run(b, run, b.pace[run].number + 1);
    }
}

template <int A, int I = 0>
__device__ static inline void columns_in_stage(const struct fields_on_device &b, int run, int v, int tile, int rank,
                                               int stage)
{
    if constexpr (I < STAGES) {
        struct found found = {};
        if (stage != I) {
            columns_in_stage<A, I + 1>(b, run, v, tile, rank, stage);
            return;
        }
        pass_columns<A, I>(b, run, fields_of(b, run), v, tile, rank, shared, &found);
        if (A + 1 == AXES && I + 1 == STAGES) report(b, run, v, found);
    }
}

template <int A> __device__ static inline void columns_of(const struct fields_on_device &b, int stage)
{
    typedef column_shape<A> S;
    const int cluster = blockIdx.x / S::BLOCKS, rank = blockIdx.x % S::BLOCKS, tiles = S::TILES * S::PLANES;
    const int run = cluster / (UNKNOWNS * tiles), v = cluster / tiles % UNKNOWNS, tile = cluster % tiles;
    if (b.pace[run].goes == 1) columns_in_stage<A>(b, run, v, tile, rank, stage);
}

extern "C" __global__ void __launch_bounds__(THREADS_COLUMNS, BLOCKS_OF_COLUMNS) columns_k(struct fields_on_device b,
                                                                                           int axis, int stage)
{
    if constexpr (FIELDS_KEPT == 0) {
        if (axis == 1) columns_of<1>(b, stage);
        if constexpr (AXES > 2)
            if (axis == 2) columns_of<2>(b, stage);
    }
}

/* ------------------------------------------------------------------ steps of a run's own */

/* What F does more by the time than the stages see (fields_estimate_by_time()). */
template <class VIEW, int V = 0>
__device__ static inline void see_time(const struct fields_on_device &b, int run, const struct fields &f, int first,
                                       int end, struct kept *kept)
{
    if constexpr (V < UNKNOWNS) {
        const struct fields_pace p = b.pace[run];
        double largest = 0.0;
        if (threadIdx.x == 0)
            for (int i = 0; i <= STAGES; i++)
                keep<rhs_of<V>>(b, run, p.t + (i < STAGES ? method_c(i) : 1.0) * p.dt, p.number, kept + i);
        __syncthreads();
        for (int at = first + threadIdx.x; at < end; at += blockDim.x) {
            double sum = 0.0;
#pragma unroll 1
            for (int i = 0; i <= STAGES; i++) {
                const double weight = p.dt * (i < STAGES ? b.method->q[i] - b.method->b[i] : b.method->q_end),
                             t = p.t + (i < STAGES ? method_c(i) : 1.0) * p.dt;
                sum += weight * rate_at<V, MOVING, VIEW>(b, run, kept + i, f.stage, at, t, p.number, i);
            }
            largest = sw_own_steps_worse(largest, fabs(sum));
        }
        raise(largest_of(b, run, BY_TIME, V), largest);
        __syncthreads();
        see_time<VIEW, V + 1>(b, run, f, first, end, kept);
    }
}

extern "C" __global__ void time_k(struct fields_on_device b)
{
    __shared__ struct kept kept[STAGES + 1];
    const int run = blockIdx.x / TILES_OF_ALL;
    const int tile = blockIdx.x % TILES_OF_ALL;
    if (STEEP && !FIELDS_KEPT && b.pace[run].goes == 1)
        see_time<of_terms>(b, run, fields_of(b, run), tile_at(tile), tile_at(tile + 1), kept);
}

extern "C" __global__ void judge_k(struct fields_on_device b)
{
    const int run = run_of_thread();
    if (OWN && !FIELDS_KEPT && run < b.count && b.pace[run].goes) judge(b, run);
}

/* The largest |F| of a run at t = 0. */
template <int V = 0>
__device__ static inline void find_rates(const struct fields_on_device &b, int run, struct kept *kept, double *rate)
{
    if constexpr (V < UNKNOWNS) {
        const double *u = fields_of(b, run).u;
        double largest = 0.0;
        if (threadIdx.x == 0) keep<rhs_of<V>>(b, run, 0.0, 0, kept);
        __syncthreads();
        for (int at = threadIdx.x; at < POINTS; at += blockDim.x)
            largest = sw_own_steps_worse(largest, fabs(rate_at<V>(b, run, kept, u, at, 0.0, 0)));
        rate[V] = block_worst(largest, shared);
        find_rates<V + 1>(b, run, kept, rate);
    }
}

/* A block a run that has not begun; walls_k has been there. */
extern "C" __global__ void first_k(struct fields_on_device b)
{
    __shared__ struct kept kept;
    const int run = blockIdx.x;
    double rate[UNKNOWNS];
    if (!OWN || b.stopped[run] || b.steps[run].goal != 0.0) return;
    find_rates(b, run, &kept, rate);
    if (threadIdx.x == 0)
        sw_own_steps_first(&b.steps[run], UNKNOWNS, b.size + (size_t)run * UNKNOWNS, rate, b.times[1], b.first_dt[run],
                           &b.limits[run]);
}

/* ------------------------------------------------------------------ states */

/* @param sound  [count] the run may be advanced */
template <int V = 0>
__device__ static inline void set_initial(const struct fields_on_device &b, int run, int tile, struct kept *kept)
{
    if constexpr (V < UNKNOWNS) {
        typedef initial_of<V> T;
        double *u = b.u + (size_t)run * SIZE + (size_t)V * POINTS, in[FIELDS_INPUTS];
        if (threadIdx.x == 0) keep<T>(b, run, 0.0, 0, kept);
        __syncthreads();
        for (int c = threadIdx.x; T::THERE && c < TILE && tile * TILE + c < POINTS; c += blockDim.x) {
            const int at = tile * TILE + c;
            set_place(b.place + (size_t)run * FIELDS_PLACE, at % NX, at / NX % NY, at / PLANE, in);
            u[at] = value_of<T>(b, run, kept, in, at, 0.0, 0);
        }
        __syncthreads();
        set_initial<V + 1>(b, run, tile, kept);
    }
}

extern "C" __global__ void initial_k(struct fields_on_device b, const int *sound)
{
    __shared__ struct kept kept;
    const int run = blockIdx.x / TILES_OF_ALL;
    if (sound[run]) set_initial(b, run, blockIdx.x % TILES_OF_ALL, &kept);
}

/* A run begins with the field that it has: a block a run. @param mark  of a run whose field is not finite */
extern "C" __global__ void begin_k(struct fields_on_device b, const int *sound, long long mark)
{
    const int run = blockIdx.x;
    const double *u = b.u + (size_t)run * SIZE;
    double largest_of_all = 0.0;
    if (!sound[run]) return;
    if (!FIELDS_KEPT) keep_runs(b, run, kept_of(b, run));
    for (int v = 0; v < UNKNOWNS; v++) {
        const double largest = largest_in(u + (size_t)v * POINTS);
        largest_of_all = sw_own_steps_worse(largest_of_all, largest);
        if (OWN && threadIdx.x == 0) b.size[(size_t)run * UNKNOWNS + v] = largest;
    }
    if (threadIdx.x) return;
    if (OWN) b.steps[run] = sw_own_steps{};
    for (int v = 0; v < UNKNOWNS; v++) {
        struct fields_system *system = &b.system[run * UNKNOWNS + v];
        system->dt = 0.0;
        for (int k = 0; k < 2 * FIELDS_AXES; k++) system->most[k / FIELDS_AXES][k % FIELDS_AXES] = 0.0;
    }
    b.pace[run].turned = b.pace[run].took = 0;
    for (int k = 0; k < VARYING; k++) b.most[(size_t)run * VARYING + k] = b.next_most[(size_t)run * VARYING + k] = 0;
    b.stopped[run] = !isfinite(largest_of_all);
    b.diverged[run] = isfinite(largest_of_all) ? -1 : mark;
}

/* The state of all runs into `u`, NaN where one has stopped; then, in a launch of its own, `done` says so. */
extern "C" __global__ void settle_k(struct fields_on_device b, int done)
{
    const int run = blockIdx.x / TILES_OF_ALL, tile = blockIdx.x % TILES_OF_ALL;
    const struct fields f = fields_of(b, run);
    const bool stopped = b.stopped[run];
    if (done) {
        if (tile == 0 && threadIdx.x == 0) b.pace[run].turned = 0;
        return;
    }
    if (!stopped && !b.pace[run].turned) return;
    double *to = b.u + (size_t)run * SIZE;
    for (int v = 0; v < UNKNOWNS; v++)
        for (int c = threadIdx.x; c < TILE && tile * TILE + c < POINTS; c += blockDim.x) {
            const size_t at = (size_t)v * POINTS + tile * TILE + c;
            to[at] = stopped ? nan("") : f.u[at];
        }
}

/* ------------------------------------------------------------------ what is read out; states have settled */

/* All runs of the first unknown, then all of the next: 16 bytes a point, or 12. */
extern "C" __global__ void copy_k(struct fields_on_device b, void *to)
{
    const int run = blockIdx.x / TILES_OF_ALL, tile = blockIdx.x % TILES_OF_ALL;
    const double *u = b.u + (size_t)run * SIZE;
    for (int v = 0; v < UNKNOWNS; v++)
        for (int c = threadIdx.x; c < TILE && tile * TILE + c < POINTS; c += blockDim.x) {
            const size_t in = tile * TILE + c, out = ((size_t)v * b.count + run) * POINTS + in;
            if (SINGLE) ((float *)to)[out] = (float)u[(size_t)v * POINTS + in];
            else ((double *)to)[out] = u[(size_t)v * POINTS + in];
        }
}

/* The sum of the density over all points with their weights, times their volume, a block of SW_SUM_LANES threads a run;
 * walls_k has been there. */
extern "C" __global__ void energy_k(struct fields_on_device b, double *energy)
{
    __shared__ struct kept kept;
    const int run = blockIdx.x;
    const double *u = b.u + (size_t)run * SIZE, *place = b.place + (size_t)run * FIELDS_PLACE;
    double sum = 0.0, volume = 1.0;
    if (!energy_of<0>::THERE || b.stopped[run]) {
        if (threadIdx.x == 0) energy[run] = nan("");
        return;
    }
    for (int a = 0; a < AXES; a++) volume *= place[3 + a];
    if (threadIdx.x == 0) keep<energy_of<0>>(b, run, 0.0, 0, &kept);
    __syncthreads();
    for (int at = threadIdx.x; at < POINTS; at += blockDim.x)
        sum += weight_of(at) * value_anywhere<energy_of<0>, of_energy>(b, run, &kept, u, at, 0.0, 0);
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) energy[run] = volume * sum;
}

/* The least and the greatest of a block's numbers. */
__device__ static inline double block_range(double least, double greatest, double *largest)
{
    const double top = block_worst(greatest, shared), bottom = -block_worst(-least, shared);
    *largest = fmax(fabs(bottom), fabs(top));
    return top - bottom;
}

/* What one more step of dt F would change of u over its range (fields_sim_impl.h, look_ahead). */
template <int V = 0>
__device__ static inline void look_at(const struct fields_on_device &b, int run, long long step, struct kept *kept,
                                      double *change)
{
    if constexpr (V < UNKNOWNS) {
        const double *u = b.u + (size_t)run * SIZE, dt = OWN ? 0.0 : b.dt[run], t = dt * (double)step;
        double least = INFINITY, greatest = -INFINITY, slowest = INFINITY, fastest = -INFINITY, size, rate;
        if (threadIdx.x == 0) keep<rhs_of<V>>(b, run, t, step, kept);
        __syncthreads();
        for (int at = threadIdx.x; at < POINTS; at += blockDim.x) {
            const double x = u[(size_t)V * POINTS + at],
                         f = rate_at<V>(b, run, kept, u, at, t, step);
            least = fmin(least, x), greatest = fmax(greatest, x);
            slowest = fmin(slowest, f), fastest = fmax(fastest, f);
        }
        const double range = block_range(least, greatest, &size),
                     changes = dt * block_range(slowest, fastest, &rate);
        if (changes > SEEN * size) *change = fmax(*change, changes / range);
        look_at<V + 1>(b, run, step, kept, change);
    }
}

/* walls_k has been there. */
extern "C" __global__ void look_k(struct fields_on_device b, long long step, double *change)
{
    __shared__ struct kept kept;
    const int run = blockIdx.x;
    double most = 0.0;
    if (!b.stopped[run]) look_at(b, run, step_at(b, run, step), &kept, &most);
    if (threadIdx.x == 0) change[run] = most;
}
