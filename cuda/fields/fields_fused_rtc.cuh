/* The kernel of cuda.fused, behind fields_stream_rtc.cuh: a block has a run in its shared memory and takes all steps of
 * a call, with the passes of cuda.stream one after another; or, of one unknown in two dimensions (WHOLE), each thread
 * has a segment of a row in registers and then one of a column. Also needed:
 *
 *     THREADS_FUSED   threads of the block, at least as many as a pass over rows or columns has
 *     FIELDS_KEPT     fields of a run in shared memory: u, increments, and what a stage begins with
 *     WHOLE           1: there are as many threads as segments, of as many points along x as along y, none of them
 *                     shorter; the last increment has no field
 *     GROUP           of those: rows that go through shared memory at a time, whole segments of columns
 *
 * Memory sees 16 bytes a point and call; shared memory of a point and stage of imex1 some 100 bytes, and 48 where
 * segments are in registers, beside what F reads of neighbours. */

enum { SCRATCH = FIELDS_KEPT * SIZE };  /* where in shared memory passes begin to work */

template <int V = 0>
__device__ static inline void keep_runs(const struct fields_on_device &b, int run, struct kept *kept)
{
    if constexpr (V < UNKNOWNS) {
        if (threadIdx.x == V) rhs_of<V>::run(b.param + run, b.count, kept[V].r);
        keep_runs<V + 1>(b, run, kept);
    }
}

/* What changes with the time alone, if anything. */
template <int I, int V>
__device__ static inline void keep_stage(const struct fields_on_device &b, int run, struct kept *kept)
{
    typedef rhs_of<V> T;
    if constexpr (T::STEP > 0) {
        const struct fields_pace p = b.pace[run];
        if (threadIdx.x == 0)
            T::step(b.param + run, b.count, kept[V].r, 1, p.t + method_c(I) * p.dt, p.number, kept[V].s);
        __syncthreads();
    }
}

/* Pass over all rows. */
template <int I, int V = 0>
__device__ static inline void fused_rows(const struct fields_on_device &b, int run, const struct fields &f,
                                         struct kept *kept)
{
    if constexpr (V < UNKNOWNS) {
        const struct fields_pace p = b.pace[run];
        const double t = p.t + method_c(I) * p.dt;
        keep_stage<I, V>(b, run, kept);
        for (int first = 0; first < ROWS_OF_ALL; first += ROWS)
            pass_rows<V, I>(b, run, f, first, kept + V, t, p.dt, p.number, shared + SCRATCH);
        fused_rows<I, V + 1>(b, run, f, kept);
    }
}

template <int A, int I>
__device__ static inline void fused_columns(const struct fields_on_device &b, int run, const struct fields &f)
{
    typedef column_shape<A> S;
    for (int v = 0; v < UNKNOWNS; v++) {
        struct found found = {0.0, 0.0};
        for (int tile = 0; tile < S::TILES * S::PLANES; tile++)
            pass_columns<A, I>(b, run, f, v, tile, shared + SCRATCH, &found);
        if (A + 1 == AXES && I + 1 == STAGES) report(b, run, v, found, shared + SCRATCH);
    }
}

/* A stage with an increment in registers. Threads that have rows of a group have its columns, too: what a thread takes
 * of others it takes behind what it gave. */
template <int I>
__device__ static inline void whole_stage(const struct fields_on_device &b, int run, const struct fields &f,
                                          const struct kept *kept, struct found *found)
{
    enum { GROUPS = (NY + GROUP - 1) / GROUP };
    const struct fields_system &p = b.system[run];
    const struct fields_pace pace = b.pace[run];
    const double *from = I ? f.stage : f.u, t = pace.t + method_c(I) * pace.dt, scale = p.scale;
    const int thread = threadIdx.x, row = thread / SEGMENTS_X, segment = thread % SEGMENTS_X, column = thread % NX,
              of_column = thread / NX, mine = row / GROUP;
    double *room = shared + SCRATCH, c[SEGMENT_X];
#pragma unroll
    for (int e = 0; e < SEGMENT_X; e++) c[e] = 0.0;
    for (int group = 0; group < GROUPS; group++) {
        const int first = group * GROUP * NX, points = NY - group * GROUP < GROUP ? PLANE - first : GROUP * NX;
        for (int at = thread; at < points; at += blockDim.x) {
            double d = 0.0;
#pragma unroll
            for (int j = 0; j < I; j++)
                if (method_h(I, j) != 0.0) d += method_h(I, j) * f.k[j][first + at];
            room[slot_of(at / NX, at % NX)] =
                scale * (pace.dt * value_at<rhs_of<0>, of_terms>(b, run, kept, from, first + at, t, pace.number) + d);
        }
        __syncthreads();
        if (mine == group)
#pragma unroll
            for (int e = 0; e < SEGMENT_X; e++) c[e] = room[(row - group * GROUP) * PITCH + segment * SLOT + e];
        __syncthreads();
    }
    if (!p.axis[0].is_one)
        solve_lines<SEGMENT_X, NX>(p.axis[0], c, segment, true, row * SEGMENTS_X, 1, THREADS_FUSED, room);
    __syncthreads();
    for (int group = 0; group < GROUPS; group++) {
        if (mine == group)
#pragma unroll
            for (int e = 0; e < SEGMENT_X; e++) room[(row - group * GROUP) * PITCH + segment * SLOT + e] = c[e];
        __syncthreads();
        if (mine == group)
#pragma unroll
            for (int e = 0; e < SEGMENT_X; e++) c[e] = room[slot_of(of_column * SEGMENT_X - group * GROUP + e, column)];
        __syncthreads();
    }
    if (!p.axis[1].is_one)
        solve_lines<SEGMENT_X, NY>(p.axis[1], c, of_column, true, column, NX, THREADS_FUSED, room);
#pragma unroll
    for (int e = 0; e < SEGMENT_X; e++) finish<I>(f, (of_column * SEGMENT_X + e) * NX + column, c[e], found);
    __syncthreads();
}

template <int I = 0>
__device__ static inline void fused_stages(const struct fields_on_device &b, int run, const struct fields &f,
                                           struct kept *kept)
{
    if constexpr (I < STAGES && WHOLE) {
        struct found found = {0.0, 0.0};
        keep_stage<I, 0>(b, run, kept);
        whole_stage<I>(b, run, f, kept, &found);
        if (I + 1 == STAGES) report(b, run, 0, found, shared + SCRATCH);
        fused_stages<I + 1>(b, run, f, kept);
    } else if constexpr (I < STAGES) {
        fused_rows<I>(b, run, f, kept);
        fused_columns<1, I>(b, run, f);
        if constexpr (AXES > 2) fused_columns<2, I>(b, run, f);
        fused_stages<I + 1>(b, run, f, kept);
    }
}

/* @param to  of given dt the step's number, of steps of the run's own a tick
 * @return whether a step was taken, or tried */
__device__ static inline bool fused_step(const struct fields_on_device &b, int run, const struct fields &f,
                                         long long from, long long to, struct kept *kept, struct kept *other)
{
    __syncthreads();
    if (threadIdx.x == 0) set_pace(b, run, from, to);
    __syncthreads();
    if (!b.pace[run].goes) return false;
    find_most(b, run, f, 0, POINTS, other, shared + SCRATCH);
    __syncthreads();
    if (threadIdx.x < UNKNOWNS) make_system(b, run, threadIdx.x);
    __syncthreads();
    if (b.pace[run].goes == 1) {
        fused_stages(b, run, f, kept);
        if (STEEP) see_time(b, run, f, 0, POINTS, other, shared + SCRATCH);
    }
    __syncthreads();
    if (OWN && threadIdx.x == 0) judge(b, run);
    __syncthreads();
    return true;
}

extern "C" __global__ void __launch_bounds__(THREADS_FUSED) fused_k(struct fields_on_device b, long long from,
                                                                    long long to)
{
    __shared__ struct kept kept[UNKNOWNS], other[STAGES + 1];
    const int run = blockIdx.x;
    double *u = b.u + (size_t)run * SIZE;
    struct fields f;
    f.u = shared;
    f.stage = shared + (WHOLE ? STAGES : STAGES + 1) * SIZE;
    for (int i = 0; i < STAGES; i++) f.k[i] = shared + (1 + i) * SIZE;
    for (int c = threadIdx.x; c < SIZE; c += blockDim.x) f.u[c] = u[c];
    keep_runs(b, run, kept);
    if (OWN) {
        bool turned = false;
        while (fused_step(b, run, f, from, to, kept, other)) {
            if (turned == (bool)b.pace[run].turned) continue;
            turned = !turned;
            double *next = f.stage;
            f.stage = f.u;
            f.u = next;
        }
    } else {
        for (long long number = from; number < to; number++)
            if (!fused_step(b, run, f, from, number, kept, other)) break;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < SIZE; c += blockDim.x) u[c] = f.u[c];
    if (threadIdx.x == 0) b.pace[run].turned = 0;
}
