/* The kernel of cuda.fused, behind fields_stream_rtc.cuh: a block has a run in its shared memory and takes all steps of
 * a call, with the passes of cuda.stream one after another; or, of one unknown in two dimensions (WHOLE), each thread
 * has a segment of a row in registers and then one of a column. Also needed:
 *
 *     THREADS_FUSED   threads of the block, at least as many as a pass over rows or columns has
 *     FIELDS_KEPT     fields of a run in shared memory: u, increments, and what a stage begins with
 *     WHOLE           1: there are as many threads as segments of columns, none of them shorter, nor those of rows, of
 *                     which they have a whole number; the last increment has no field
 *     BLOCKS_FUSED    that share the registers of a multiprocessor
 *     ELSEWHERE       some coefficient that varies is not known behind a step (varying_local)
 *
 * Memory sees 16 bytes a point and call; shared memory of a point and stage of imex1 some 100 bytes, and 48 where
 * segments are in registers, beside what F reads of neighbours. */

enum { SCRATCH = FIELDS_KEPT * SIZE };  /* where in shared memory passes begin to work */

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
        for (int block = 0; block < BLOCKS_ROWS; block++)
            pass_rows<V, I>(b, run, f, block, kept + V, t, p.dt, p.number, shared + SCRATCH);
        fused_rows<I, V + 1>(b, run, f, kept);
    }
}

template <int A, int I>
__device__ static inline void fused_columns(const struct fields_on_device &b, int run, const struct fields &f)
{
    typedef column_shape<A> S;
    for (int v = 0; v < UNKNOWNS; v++) {
        struct found found = {0.0, 0.0, {0.0}, 0, 0};
        for (int tile = 0; tile < S::TILES * S::PLANES; tile++)
            pass_columns<A, I>(b, run, f, v, tile, 0, shared + SCRATCH, &found);
        if (A + 1 == AXES && I + 1 == STAGES) {
            report(b, run, v, found, shared + SCRATCH);
            if (UNKNOWNS > 1) __syncthreads();
        }
    }
}

/* A stage with an increment in registers. Rows go through shared memory, SEGMENT_X of each segment of columns at a
 * time: there they are solved along x, and threads take what their columns have of them. */
template <int I>
__device__ static inline void whole_stage(const struct fields_on_device &b, int run, const struct fields &f,
                                          const struct kept *kept, struct found *found)
{
    enum { BANDS = NY / SEGMENT_Y };
    const struct fields_system &p = b.system[run];
    const struct fields_pace pace = b.pace[run];
    const double t = pace.t + method_c(I) * pace.dt;
    const int thread = threadIdx.x, row = thread / SEGMENTS_X, segment = thread % SEGMENTS_X, column = thread % NX,
              of_column = thread / NX;
    double *room = shared + SCRATCH, *states = room + BANDS * SEGMENT_X * PITCH, c[SEGMENT_Y];
#pragma unroll
    for (int from = 0; from < SEGMENT_Y; from += SEGMENT_X) {
        form_rows<0, I, SEGMENT_X, SEGMENT_Y>(b, run, f, from, 0, BANDS * SEGMENT_X, kept, t, pace.dt, pace.number,
                                              p.scale, room);
        __syncthreads();
        if (!p.axis[0].is_one) {
            double line[SEGMENT_X], *mine = room + row * PITCH + segment * SLOT;
#pragma unroll
            for (int e = 0; e < SEGMENT_X; e++) line[e] = mine[e];
            solve_lines<SEGMENT_X, NX, WALLS_X, row_group>(p.axis[0], eliminated_of(b, run, 0, 0), line, segment, true,
                                                           row * SEGMENTS_X, 1, THREADS_FUSED, states);
#pragma unroll
            for (int e = 0; e < SEGMENT_X; e++) mine[e] = line[e];
            __syncthreads();
        }
#pragma unroll
        for (int e = 0; e < SEGMENT_X; e++) c[from + e] = room[slot_of(of_column * SEGMENT_X + e, column)];
        __syncthreads();
    }
    if (!p.axis[1].is_one)
        solve_lines<SEGMENT_Y, NY, WALLS_Y, line_blocks<1>>(p.axis[1], eliminated_of(b, run, 0, 1), c, of_column, true,
                                                            column, NX, THREADS_FUSED, states);
    finish_segment<I, line_shape<SEGMENT_Y, NY>>(b, run, f, (size_t)of_column * SEGMENT_Y * NX + column, NX, SEGMENT_Y,
                                                 c, factor_of(b, run, 0), nullptr, 0, found);
    if (I + 1 < STAGES) __syncthreads();
}

template <int I = 0>
__device__ static inline void fused_stages(const struct fields_on_device &b, int run, const struct fields &f,
                                           struct kept *kept)
{
    if constexpr (I < STAGES && WHOLE) {
        struct found found = {0.0, 0.0, {0.0}, 0, 0};
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
    enum { AT_ONCE = UNKNOWNS == 1 && !MOVING && !ELSEWHERE };  /* one thread decides all of it */
    if (threadIdx.x == 0) {
        set_pace(b, run, from, to);
        if (AT_ONCE && b.pace[run].goes) make_system(b, run, 0);
    }
    __syncthreads();
    if (!b.pace[run].goes) return false;
    if constexpr (!AT_ONCE) {
        if constexpr (MOVING) {
            find_walls(b, run, step_of(b, run), false, other);
            impose_walls(b, run, f.u);
        }
        if constexpr (ELSEWHERE) {
            find_most(b, run, f, 0, POINTS, false, other, shared + SCRATCH);
            __syncthreads();
        }
        if (threadIdx.x < UNKNOWNS) make_system(b, run, threadIdx.x);
        __syncthreads();
    }
    if (b.pace[run].goes == 1) {
        fused_stages(b, run, f, kept);
        if (STEEP) see_time(b, run, f, 0, POINTS, other, shared + SCRATCH);
    }
    __syncthreads();
    if (OWN) {
        if (threadIdx.x == 0) judge(b, run);
        __syncthreads();
    }
    return true;
}

/* What is known of a run, of its block. */
struct of_block {
    struct fields_pace   pace;
    struct fields_system system[UNKNOWNS];
    struct sw_own_steps  steps;
    unsigned long long   most[VARYING + 1], next_most[VARYING + 1], largest[FIELDS_LARGEST * UNKNOWNS];
    int                  stopped;
};

/* The batch as a block sees it: its run is the first one, and what changes from step to step lies in shared memory. */
__device__ static inline struct fields_on_device batch_of_block(const struct fields_on_device &b, int run,
                                                                struct of_block *own)
{
    struct fields_on_device m = b;
    m.param += run;
    m.place += (size_t)run * FIELDS_PLACE;
    m.dt += run;
    m.constant += run * UNKNOWNS;
    m.diverged += run;
    m.pace = &own->pace;
    m.system = own->system;
    m.most = own->most;
    m.next_most = own->next_most;
    m.largest = own->largest;
    m.stopped = &own->stopped;
    m.walls += (size_t)run * WALLS_SIZE;
    m.weights += (size_t)run * WEIGHTS_SIZE;
    m.eliminated += (size_t)run * UNKNOWNS * ELIMINATED_SIZE;
    if (!OWN) return m;
    m.steps = &own->steps;
    m.limits += run;
    m.first_dt += run;
    m.drive += (size_t)run * b.drives;
    m.size += (size_t)run * UNKNOWNS;
    return m;
}

__device__ static inline void take_records(const struct fields_on_device &b, int run, struct of_block *own)
{
    own->pace = b.pace[run];
    own->stopped = b.stopped[run];
    if (OWN) own->steps = b.steps[run];
    for (int v = 0; v < UNKNOWNS; v++) own->system[v] = b.system[run * UNKNOWNS + v];
    for (int k = 0; k < VARYING; k++) {
        own->most[k] = b.most[(size_t)run * VARYING + k];
        own->next_most[k] = b.next_most[(size_t)run * VARYING + k];
    }
}

__device__ static inline void give_records(const struct fields_on_device &b, int run, const struct of_block *own)
{
    b.pace[run] = own->pace;
    b.pace[run].turned = 0;
    b.stopped[run] = own->stopped;
    if (OWN) b.steps[run] = own->steps;
    for (int v = 0; v < UNKNOWNS; v++) b.system[run * UNKNOWNS + v] = own->system[v];
    for (int k = 0; k < VARYING; k++) {
        b.most[(size_t)run * VARYING + k] = own->most[k];
        b.next_most[(size_t)run * VARYING + k] = own->next_most[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS_FUSED, BLOCKS_FUSED) fused_k(struct fields_on_device b,
                                                                                  long long from, long long to)
{
    __shared__ struct kept kept[UNKNOWNS], other[MOVING ? 2 * SETS : SETS];
    __shared__ struct of_block own;
    const int run = blockIdx.x;
    double *u = b.u + (size_t)run * SIZE;
    const struct fields_on_device mine = batch_of_block(b, run, &own);
    struct fields f;
    f.u = shared;
    f.stage = shared + (WHOLE ? STAGES : STAGES + 1) * SIZE;
    for (int i = 0; i < STAGES; i++) f.k[i] = shared + (1 + i) * SIZE;
    for (int c = threadIdx.x; c < SIZE; c += blockDim.x) f.u[c] = u[c];
    if (threadIdx.x == 0) take_records(b, run, &own);
    keep_runs(mine, 0, kept);
    __syncthreads();
    if (OWN) {
        bool turned = false;
        while (fused_step(mine, 0, f, from, to, kept, other)) {
            if (turned == (bool)own.pace.turned) continue;
            turned = !turned;
            double *next = f.stage;
            f.stage = f.u;
            f.u = next;
        }
    } else {
        for (long long number = from; number < to; number++)
            if (!fused_step(mine, 0, f, from, number, kept, other)) break;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < SIZE; c += blockDim.x) u[c] = f.u[c];
    if (threadIdx.x == 0) give_records(b, run, &own);
}
