/* The kernel of cuda.fused, behind fields_stream_rtc.cuh: a block, or a cluster of them (BLOCKS_RUN), has a run in its
 * shared memory and takes all steps of a call, with the passes of cuda.stream one after another; or, of one unknown in
 * two dimensions (WHOLE), each thread has a segment of a row in registers and then one of a column. Also needed:
 *
 *     THREADS_FUSED   threads of the block, at least as many as a pass over rows or columns has
 *     FIELDS_KEPT     fields of a run in shared memory: u, increments, and what a stage begins with
 *     WHOLE           1: there are as many threads as segments of columns, none of them shorter, nor those of rows, of
 *                     which they have a whole number; the last increment has no field, nor the first one where it is
 *                     DERIVED
 *     BLOCKS_FUSED    that share the registers of a multiprocessor
 *     ELSEWHERE       some coefficient that varies is not known behind a step (varying_local)
 *
 * Memory sees 16 bytes a point and call; shared memory of a point and stage of imex1 some 100 bytes, and 48 where
 * segments are in registers, beside what F reads of neighbours.
 *
 * A block of a cluster has whole rows above each other, which are solved in it; columns are solved over the cluster.
 * Behind a stage each block takes the rows that it needs of its neighbours from their memory: of REACH_Y = 2 and 512
 * columns 16 KiB a stage, where forming and solving touch some 1.2 MiB. Cluster barriers: two in the solve of columns,
 * one behind the stage, behind which blocks also read what others found in their parts, 8 bytes each; what is read lies
 * where it was written, so that no barrier waits for global memory. All blocks decide on a step by the same numbers,
 * and each makes P, so that none waits for what another one decides.
 *
 * Barriers of a block that has segments in registers: two where columns are solved, two where a step ends; of each band
 * of columns three for SEGMENT_X of their SEGMENT_Y points. */

enum {
    FIELD = UNKNOWNS * OF_UNKNOWN,    /* of a block                             */
    SCRATCH = FIELDS_KEPT * FIELD,    /* where in shared memory passes begin to work */
    /* what is known of parts: most, next_most, largest; and whether the run has stopped */
    NEXT_MOST = VARYING + 1, LARGEST = 2 * (VARYING + 1), WORDS = LARGEST + FIELDS_LARGEST * UNKNOWNS
};

/* ------------------------------------------------------------------ blocks of a cluster */

__device__ static __forceinline__ int rows_of(int rank)
{
    return rank < BLOCKS_RUN - 1 ? (int)PART_ROWS : NY - (BLOCKS_RUN - 1) * PART_ROWS;
}

/* The rows beside a part, of the blocks that have them, across the ends of columns, too. All threads together, behind a
 * barrier of the cluster. */
__device__ static inline void take_edges(double *field, const struct part &part)
{
    enum { OF_EDGE = EDGE_ROWS * NX };
    const int below = wrapped(part.rank - 1, BLOCKS_RUN), above = wrapped(part.rank + 1, BLOCKS_RUN);
    for (int v = 0; v < UNKNOWNS; v++) {
        double *mine = field + (size_t)v * OF_UNKNOWN + (size_t)part.first * NX;
        const double *last = in_block(mine, below) + (rows_of(below) - EDGE_ROWS) * NX, *first = in_block(mine, above);
        for (int c = threadIdx.x; c < OF_EDGE; c += blockDim.x) {
            const double x = last[c], y = first[c];
            mine[c - OF_EDGE] = x;
            mine[rows_of(part.rank) * NX + c] = y;
        }
    }
}

/* What the blocks of a run found in their parts, and are about to tell. Of both kinds in turn, so that none is written
 * that another block may still read. */
struct of_parts { unsigned long long told[2][WORDS + 1], heard[BLOCKS_RUN * (WORDS + 1)]; double size[UNKNOWNS]; };
enum { BEFORE_STEP, BEHIND_STEP };

/* @param word  [WORDS]  @param stopped  the run has, by what this block found */
__device__ static inline void tell(const unsigned long long *word, const int *stopped, unsigned long long *told)
{
    __syncthreads();
    for (int k = threadIdx.x; k <= WORDS; k += blockDim.x) told[k] = k < WORDS ? word[k] : (unsigned long long)*stopped;
    line_blocks<BLOCKS_RUN>::barrier();
}

/* What they told becomes what is known of the run, the largest of it. @param heard  [BLOCKS_RUN][WORDS + 1] */
__device__ static inline void hear(unsigned long long *word, int *stopped, unsigned long long *told,
                                   unsigned long long *heard)
{
    for (int c = threadIdx.x; c < (WORDS + 1) * BLOCKS_RUN; c += blockDim.x)
        heard[c] = in_block(told, c / (WORDS + 1))[c % (WORDS + 1)];
    __syncthreads();
    for (int k = threadIdx.x; k <= WORDS; k += blockDim.x) {
        unsigned long long most = 0;
        for (int block = 0; block < BLOCKS_RUN; block++) {
            const unsigned long long x = heard[block * (WORDS + 1) + k];
            most = x > most ? x : most;
        }
        if (k < WORDS) word[k] = most;
        else *stopped = (int)most;
    }
    __syncthreads();
}

/* ------------------------------------------------------------------ stages */

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
                                         const struct part &part, struct kept *kept)
{
    if constexpr (V < UNKNOWNS) {
        const struct fields_pace p = b.pace[run];
        const double t = p.t + method_c(I) * p.dt;
        keep_stage<I, V>(b, run, kept);
        for (int block = 0; block < BLOCKS_ROWS; block++)
            pass_rows<V, I>(b, run, f, block, part, kept + V, t, p.dt, p.number, shared + SCRATCH);
        fused_rows<I, V + 1>(b, run, f, part, kept);
    }
}

template <int A, int I>
__device__ static inline void fused_columns(const struct fields_on_device &b, int run, const struct fields &f,
                                            const struct part &part)
{
    typedef column_shape<A> S;
    for (int v = 0; v < UNKNOWNS; v++) {
        struct found found = {};
        for (int tile = 0; tile < S::TILES * S::PLANES; tile++)
            pass_columns<A, I>(b, run, f, v, tile, part.rank, shared + SCRATCH, &found);
        if (A + 1 == AXES && I + 1 == STAGES) report(b, run, v, found);
    }
}

/* Segments of columns beside each other make a band, whose threads also form and solve its rows: they wait for others
 * only where columns are solved. */
typedef line_group<NX, THREADS_FUSED, row_group::BARRIERS> band_group;
enum { OF_BAND = SEGMENT_X * PITCH };  /* doubles of its rows, and of what its columns leave */

/* Solve the rows that lie in `room`, of which threads have segments; states of these lie where they were. */
__device__ static __forceinline__ void whole_rows(const struct fields_on_device &b, int run, double *room)
{
    const int row = threadIdx.x / SEGMENTS_X, segment = threadIdx.x % SEGMENTS_X;
    double line[SEGMENT_X], *mine = room + row * PITCH + segment * SLOT;
#pragma unroll
    for (int e = 0; e < SEGMENT_X; e++) line[e] = mine[e];
    solve_lines<SEGMENT_X, NX, WALLS_X, row_group>(b.system[run].axis[0], eliminated_of(b, run, 0, 0), line, segment,
                                                   true, row * PITCH, SLOT, 1, room);
    row_group::barrier();
#pragma unroll
    for (int e = 0; e < SEGMENT_X; e++) mine[e] = line[e];
    band_group::barrier();
}

/* A stage with an increment in registers. Rows go through shared memory, SEGMENT_X of each band at a time: there they
 * are solved along x, and threads take what their columns have of them. What columns leave lies in the same room, which
 * is the band's then. */
template <int I>
__device__ static __forceinline__ void whole_stage(const struct fields_on_device &b, int run, const struct fields &f,
                                          const struct part &part, const struct kept *kept, struct found *found)
{
    enum { BANDS = PART_ROWS / SEGMENT_Y, ONCE = (int)of_terms::TOGETHER * (int)of_terms::BESIDE == (int)SEGMENT_X };
    const struct fields_system &p = b.system[run];
    const struct fields_pace pace = b.pace[run];
    const double t = pace.t + method_c(I) * pace.dt;
    const int column = threadIdx.x % NX, band = threadIdx.x / NX, first = part.first + band * SEGMENT_Y;
    double *room = shared + SCRATCH, *rows = room + band * OF_BAND, *mine = rows + slot_of(0, column), c[SEGMENT_Y];
#pragma unroll
    for (int from = 0; from < SEGMENT_Y; from += SEGMENT_X) {
        form_rows<0, I, ONCE>(b, run, f, first + from, 0, SEGMENT_X, kept, t, pace.dt, pace.number, p.scale, rows,
                              column, NX);
        band_group::barrier();
        if (!p.axis[0].is_one) whole_rows(b, run, room);
#pragma unroll
        for (int e = 0; e < SEGMENT_X; e++) c[from + e] = mine[e * PITCH];
        band_group::barrier();
    }
    if (!p.axis[1].is_one)
        solve_lines<SEGMENT_Y, NY, WALLS_Y, line_blocks<BLOCKS_RUN>, BLOCKS_RUN>(
            p.axis[1], eliminated_of(b, run, 0, 1), c, part.rank * BANDS + band, true, column, OF_BAND, NX,
            room);
    else line_blocks<BLOCKS_RUN>::barrier();
    finish_segment<I, line_shape<SEGMENT_Y, NY>>(b, run, f, (size_t)first * NX + column, NX, SEGMENT_Y, c,
                                                 factor_of(b, run, 0), nullptr, 0, found);
    if (PARTED || I + 1 < STAGES) __syncthreads();
}

/* Behind a stage, the next state of which may ask for rows of others; behind the last one where time is looked at. */
template <int I>
__device__ static __forceinline__ void end_stage(const struct fields &f, const struct part &part)
{
    if constexpr (PARTED && (I + 1 < STAGES || STEEP)) {
        line_blocks<BLOCKS_RUN>::barrier();
        take_edges(f.stage, part);
        __syncthreads();
    }
}

template <int I = 0>
__device__ static inline void fused_stages(const struct fields_on_device &b, int run, const struct fields &f,
                                           const struct part &part, struct kept *kept)
{
    if constexpr (I < STAGES && WHOLE) {
        struct found found = {};
        keep_stage<I, 0>(b, run, kept);
        whole_stage<I>(b, run, f, part, kept, &found);
        if (I + 1 == STAGES) report(b, run, 0, found);
        end_stage<I>(f, part);
        fused_stages<I + 1>(b, run, f, part, kept);
    } else if constexpr (I < STAGES) {
        fused_rows<I>(b, run, f, part, kept);
        fused_columns<1, I>(b, run, f, part);
        if constexpr (AXES > 2) fused_columns<2, I>(b, run, f, part);
        end_stage<I>(f, part);
        fused_stages<I + 1>(b, run, f, part, kept);
    }
}

/* ------------------------------------------------------------------ steps */

/* What is known of a run, of its block. */
struct of_block {
    struct fields_pace   pace;
    struct fields_system system[UNKNOWNS];
    struct sw_own_steps  steps;
    unsigned long long   word[WORDS];
    int                  stopped;
};

/* The batch as a block sees it: its run is the first one, and what changes from step to step lies in shared memory. */
__device__ static inline struct fields_on_device batch_of_block(const struct fields_on_device &b, int run,
                                                                struct of_block *own, struct of_parts *parts)
{
    struct fields_on_device m = b;
    m.param += run;
    m.place += (size_t)run * FIELDS_PLACE;
    m.dt += run;
    m.constant += run * UNKNOWNS;
    m.diverged += run;
    m.pace = &own->pace;
    m.system = own->system;
    m.most = own->word;
    m.next_most = own->word + NEXT_MOST;
    m.largest = own->word + LARGEST;
    m.stopped = &own->stopped;
    m.walls += (size_t)run * WALLS_SIZE;
    m.weights += (size_t)run * WEIGHTS_SIZE;
    m.eliminated += (size_t)run * UNKNOWNS * ELIMINATED_SIZE;
    if (!OWN) return m;
    m.steps = &own->steps;
    m.limits += run;
    m.first_dt += run;
    m.drive += (size_t)run * b.drives;
    m.size = PARTED ? parts->size : m.size + (size_t)run * UNKNOWNS;
    return m;
}

__device__ static inline void take_records(const struct fields_on_device &b, int run, struct of_block *own)
{
    own->pace = b.pace[run];
    own->stopped = b.stopped[run];
    if (OWN) own->steps = b.steps[run];
    for (int v = 0; v < UNKNOWNS; v++) own->system[v] = b.system[run * UNKNOWNS + v];
    for (int k = 0; k < VARYING; k++) {
        own->word[k] = b.most[(size_t)run * VARYING + k];
        own->word[NEXT_MOST + k] = b.next_most[(size_t)run * VARYING + k];
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
        b.most[(size_t)run * VARYING + k] = own->word[k];
        b.next_most[(size_t)run * VARYING + k] = own->word[NEXT_MOST + k];
    }
}

/* @param to  of given dt the step's number, of steps of the run's own a tick
 * @return whether a step was taken, or tried */
__device__ static inline bool fused_step(const struct fields_on_device &b, int run, const struct fields &f,
                                         const struct part &part, long long from, long long to, struct kept *kept,
                                         struct kept *other, struct of_block *own, struct of_parts *parts)
{
    enum { AT_ONCE = UNKNOWNS == 1 && !MOVING && !ELSEWHERE };  /* one thread decides all of it */
    const int first = part.first * NX, end = PARTED ? part.end * NX : (int)POINTS;
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
            find_most<stepped_terms>(b, run, f, first, end, false, other);
            if constexpr (PARTED) {
                tell(own->word, &own->stopped, parts->told[BEFORE_STEP]);
                hear(own->word, &own->stopped, parts->told[BEFORE_STEP], parts->heard);
            } else {
                __syncthreads();
            }
        }
        if (threadIdx.x < UNKNOWNS) make_system(b, run, threadIdx.x);
        __syncthreads();
    }
    if (b.pace[run].goes == 1) {
        fused_stages(b, run, f, part, kept);
        if (STEEP) see_time<stepped_terms>(b, run, f, first, end, other);
        if constexpr (PARTED) {
            tell(own->word, &own->stopped, parts->told[BEHIND_STEP]);
            if (!STEEP) take_edges(OWN ? f.stage : f.u, part);
            hear(own->word, &own->stopped, parts->told[BEHIND_STEP], parts->heard);
        }
    } else if (PARTED) {
        line_blocks<BLOCKS_RUN>::barrier();
    }
    __syncthreads();
    if (OWN) {
        if (threadIdx.x == 0) judge(b, run);
        __syncthreads();
    }
    return true;
}

/* A field of a block, such that places have the numbers that they have in the run. In a cluster increments are the last
 * ones: rows taken together may be more than a part has, what is read behind a state is not written meanwhile. */
__device__ static __forceinline__ double *field_at(int number, const struct part &part)
{
    return shared + number * FIELD + (PARTED ? (EDGE_ROWS - part.first) * NX : 0);
}

__device__ static inline void take_field(const double *u, const struct part &part, double *to)
{
    if (!PARTED) {
        for (int c = threadIdx.x; c < SIZE; c += blockDim.x) to[c] = u[c];
        return;
    }
    const int first = part.first - EDGE_ROWS, points = (part.end + EDGE_ROWS - first) * NX;
    for (int v = 0; v < UNKNOWNS; v++)
        for (int c = threadIdx.x; c < points; c += blockDim.x)
            to[(size_t)v * OF_UNKNOWN + (first * NX + c)] =
                u[(size_t)v * POINTS + wrapped(first + c / NX, NY) * NX + c % NX];
}

__device__ static inline void give_field(const double *from, const struct part &part, double *u)
{
    if (!PARTED) {
        for (int c = threadIdx.x; c < SIZE; c += blockDim.x) u[c] = from[c];
        return;
    }
    for (int v = 0; v < UNKNOWNS; v++)
        for (int c = part.first * NX + threadIdx.x; c < part.end * NX; c += blockDim.x)
            u[(size_t)v * POINTS + c] = from[(size_t)v * OF_UNKNOWN + c];
}

extern "C" __global__ void __launch_bounds__(THREADS_FUSED, BLOCKS_FUSED) fused_k(struct fields_on_device b,
                                                                                  long long from, long long to)
{
    __shared__ struct kept kept[UNKNOWNS], other[MOVING ? 2 * SETS : SETS];
    __shared__ struct of_block own;
    __shared__ struct of_parts parts;
    const int run = blockIdx.x / BLOCKS_RUN;
    const struct part part = part_of(blockIdx.x % BLOCKS_RUN);
    double *u = b.u + (size_t)run * SIZE;
    const struct fields_on_device mine = batch_of_block(b, run, &own, &parts);
    struct fields f;
    f.u = field_at(0, part);
    f.stage = field_at(PARTED || DERIVED ? 1 : WHOLE ? STAGES : STAGES + 1, part);
    for (int i = 0; i < STAGES; i++) f.k[i] = field_at(PARTED && (STAGES > 1 || OWN) ? 2 + i : 1 + i, part);
    take_field(u, part, f.u);
    if (threadIdx.x == 0) take_records(b, run, &own);
    if (PARTED && OWN && threadIdx.x < UNKNOWNS) parts.size[threadIdx.x] = b.size[run * UNKNOWNS + threadIdx.x];
    keep_runs(mine, 0, kept);
    if (PARTED) cluster_barrier();  /* the last block has read what the first one writes in the end */
    else __syncthreads();
    if (OWN) {
        bool turned = false;
        while (fused_step(mine, 0, f, part, from, to, kept, other, &own, &parts)) {
            if (turned == (bool)own.pace.turned) continue;
            turned = !turned;
            double *next = f.stage;
            f.stage = f.u;
            f.u = next;
        }
    } else {
        const long long first = step_at(b, run, from), end = step_at(b, run, to);
        for (long long number = first; number < end; number++)
            if (!fused_step(mine, 0, f, part, first, number, kept, other, &own, &parts)) break;
    }
    if (PARTED) cluster_barrier();  /* others may read what is here */
    else __syncthreads();
    give_field(f.u, part, u);
    if (part.rank > 0) return;
    if (threadIdx.x == 0) give_records(b, run, &own);
    if (PARTED && OWN && threadIdx.x < UNKNOWNS) b.size[run * UNKNOWNS + threadIdx.x] = parts.size[threadIdx.x];
}
