/* What the kernels that step fields share: right-hand sides, solves of lines, reductions. Compiled at run time
 * (src/problem/fields/cuda/fields_text.c), behind the *_point.h files and
 *
 *     UNKNOWNS, AXES, NX, NY, NZ, STAGES    of the problem; OWN: each run takes steps of its own; STEEP: their errors
 *                                           are looked at by time, too
 *     method_a(i, j), method_h, method_b(i), method_e, method_c    numbers of the method
 *     of_terms, of_energy                   neighbours that programs take in: NEIGHBOURS, unknown(q), offset(q, axis),
 *                                           how far they lie (REACH_X ..), which is the point itself (CENTRE), and of
 *                                           how many points above each other they are taken TOGETHER, of how many
 *                                           BESIDE these
 *     rhs_of<v>, varying<k>, initial_of<v>, energy_of<0>    programs: THERE; values kept a run, a step, a cell (RUN,
 *                                           STEP, CELL); run, step, cell, point of sw_program_cuda()
 *     uses_of<rhs_of<v>>::next(q) ..        the first neighbour from q on that one takes in
 *     VARYING, varying_unknown(k), varying_axis(k), varying_fourth(k)    coefficients that are no numbers of a run;
 *     varying_same(k)                       the first one of the same program
 *     varying_local(k)                      it takes in the only unknown at the point alone, at all times the same
 *     KEPT_RUN, KEPT_STEP                   the most that one of these keeps
 *     SEGMENT_X, SEGMENT_Y, SEGMENT_Z       points of a line that a thread has in registers
 *     ROWS, COLUMNS_Y, COLUMNS_Z            lines that a block has at a time
 *     BLOCKS_Y, BLOCKS_Z                    in a cluster, of the same lines
 *     BLOCKS_RUN                            that have a run in their shared memory, BLOCKS_Y of them where it is a
 *                                           cluster; else 1
 *     SINGLE                                fields leave in single precision
 *     what fields_walls_rtc.cuh says        of walls
 *
 * A block works on one run at a time. Fields are [unknowns][z][y][x]. Recursions are fused multiply-adds by name: the
 * compiler is told to join nothing. */

extern __shared__ __align__(16) double shared[];

/* A kernel has so many unknowns and stages that what all of them need is a call: it takes longer than twice as long to
 * compile twice as much. */
enum { MUCH = UNKNOWNS * STAGES > 4 };

/* The rows of a run that a block steps, first .. end - 1: in a cluster a part of them, PART_ROWS but of the last one. A
 * field has there the rows that programs take in of neighbours, too, and unknowns lie OF_UNKNOWN apart. Pointers are
 * such that places in it have the numbers they have in the run. */
struct part { int rank, first, end; };
enum {
    PARTED = BLOCKS_RUN > 1, EDGE_ROWS = PARTED ? (int)of_terms::REACH_Y : 0,
    PART_ROWS = PARTED ? ((NY + SEGMENT_Y - 1) / SEGMENT_Y + BLOCKS_RUN - 1) / BLOCKS_RUN * SEGMENT_Y : NY,
    OF_UNKNOWN = PARTED ? (PART_ROWS + 2 * EDGE_ROWS) * NX : POINTS
};
__device__ static __forceinline__ struct part part_of(int rank)
{
    const struct part all = {0, 0, NY};
    if (!PARTED) return all;
    const int first = rank * PART_ROWS, rest = NY - first;
    return {rank, first, first + (rest < PART_ROWS ? rest : PART_ROWS)};
}

/* What programs take in where fields are stepped. */
struct stepped_terms : of_terms { enum { PART = PARTED }; };

/* Of views of one point: not of points together. */
template <class VIEW> struct one_of : VIEW { enum { TOGETHER = 1, BESIDE = 1 }; };

/* Where in a field the neighbours lie of VIEW::TOGETHER points above each other and VIEW::BESIDE beside each other in a
 * plane: along an axis its places from -reach on, those of x and y once for all of the points. */
template <class VIEW> struct around {
    int x[VIEW::BESIDE + 2 * VIEW::REACH_X], y[VIEW::TOGETHER + 2 * VIEW::REACH_Y], z[2 * VIEW::REACH_Z + 1];
};

/* Of these points above each other so many are rows of the field, the first one for certain. */
template <class VIEW> struct rows_there {
    enum { ALL = WHOLE && SEGMENT_X % VIEW::TOGETHER == 0, COUNT = ALL ? (int)VIEW::TOGETHER : 1 };
};

/* @param INTERIOR  rows that they take in do not go beyond the ends of their lines: these lie at a fixed distance */
template <bool INTERIOR, class VIEW>
__device__ static __forceinline__ void look_around(int i, int j, int k, struct around<VIEW> *a)
{
#pragma unroll
    for (int d = 0; d < VIEW::BESIDE + 2 * VIEW::REACH_X; d++) {
        const int e = d - VIEW::REACH_X;
        a->x[d] = e >= 0 && e < VIEW::BESIDE ? i + e : place_of<0>(i + e);
    }
#pragma unroll
    for (int d = 0; d < VIEW::TOGETHER + 2 * VIEW::REACH_Y; d++) {
        const int e = d - VIEW::REACH_Y;
        const bool there = INTERIOR || VIEW::PART || (e >= 0 && e < rows_there<VIEW>::COUNT);
        a->y[d] = NX * (there ? j + e : place_of<1>(j + e));
    }
#pragma unroll
    for (int d = 0; d <= 2 * VIEW::REACH_Z; d++) a->z[d] = PLANE * place_of<2>(k + d - VIEW::REACH_Z);
}

/* All values of one unknown around points that lie BESIDE each other, in a plane, two by two: what is not used is not
 * loaded. Their rows begin at even places. */
template <class VIEW> struct patch {
    enum {
        LEFT = (VIEW::REACH_X + 1) / 2 * 2, WIDTH = VIEW::BESIDE + 2 * LEFT,
        HEIGHT = VIEW::TOGETHER + 2 * VIEW::REACH_Y
    };
    double value[HEIGHT][WIDTH];
};
struct alignas(16) pair { double one, two; };

template <class VIEW>
__device__ static __forceinline__ void load_patch(const struct around<VIEW> &a, const double *u, int i,
                                                  struct patch<VIEW> *p)
{
    typedef struct patch<VIEW> S;
#pragma unroll
    for (int c = 0; c < S::WIDTH; c += 2) {
        const int one = place_of<0>(i + c - S::LEFT), two = place_of<0>(i + c + 1 - S::LEFT);
#pragma unroll
        for (int r = 0; r < S::HEIGHT; r++) {
            if (WALLS_X) {
                p->value[r][c] = u[a.y[r] + one];
                p->value[r][c + 1] = u[a.y[r] + two];
            } else {
                const struct pair both = *(const struct pair *)(u + a.y[r] + one);
                p->value[r][c] = both.one;
                p->value[r][c + 1] = both.two;
            }
        }
    }
}

/* What programs take in at the point that is the e-th one beside the first, and so many above it. */
template <class VIEW>
__device__ static __forceinline__ void set_inputs_in(const struct patch<VIEW> &p, int e, int above, double *in)
{
#pragma unroll
    for (int q = 0; q < VIEW::NEIGHBOURS; q++)
        in[FIELDS_INPUTS + q] =
            p.value[above + VIEW::offset(q, 1) + VIEW::REACH_Y][e + VIEW::offset(q, 0) + patch<VIEW>::LEFT];
}

/* Neighbour Q of the e-th of these points. */
template <int Q, class VIEW>
__device__ static __forceinline__ double neighbour_at(const struct around<VIEW> &a, const double *u, int e)
{
    constexpr int x = VIEW::offset(Q, 0) + VIEW::REACH_X, y = VIEW::offset(Q, 1) + VIEW::REACH_Y,
                  z = VIEW::offset(Q, 2) + VIEW::REACH_Z;
    constexpr size_t unknown = VIEW::unknown(Q);
    return u[unknown * (VIEW::PART ? OF_UNKNOWN : POINTS) + a.z[z] + a.y[y + e] + a.x[x]];
}

template <class VIEW, int... Q>
__device__ static __forceinline__ void set_neighbours(sequence<Q...>, const struct around<VIEW> &a, const double *u,
                                                      int e, double *in)
{
    ((in[FIELDS_INPUTS + Q] = neighbour_at<Q>(a, u, e)), ...);
}

/* What programs take in at the e-th of these points: what they do not use is not loaded. */
template <class VIEW>
__device__ static __forceinline__ void set_inputs_at(const struct around<VIEW> &a, const double *u, int e, double *in)
{
    set_neighbours(below<VIEW::NEIGHBOURS>(), a, u, e, in);
}

/* At point number `at` of a field. @param set  of what walls give (fields_walls_rtc.cuh), of a state that is the one of
 * the end of the step where LIFTED */
template <class T, class VIEW, bool LIFTED = false>
__device__ static __forceinline__ double value_at(const struct fields_on_device &b, int run, const struct kept *k,
                                                  const double *u, int at, double t, long long step, int set = 0)
{
    const int i = at % NX, j = at / NX % NY, n = at / PLANE;
    double in[FIELDS_INPUTS + VIEW::NEIGHBOURS];
    struct around<one_of<VIEW>> around;
    set_place(b.place + (size_t)run * FIELDS_PLACE, i, j, n, in);
    look_around<false>(i, j, n, &around);
    set_inputs_at(around, u, 0, in);
    if constexpr (OPEN || LIFTED) pass_walls<T, VIEW, LIFTED>(b, run, i, j, n, set, in);
    return value_of<T>(b, run, k, in, at, t, step);
}

template <int V, bool LIFTED, class VIEW = of_terms>
__device__ static __forceinline__ double find_rate(const struct fields_on_device &b, int run, const struct kept *k,
                                                   const double *u, int at, double t, long long step, int set)
{
    const double f = value_at<rhs_of<V>, VIEW, LIFTED>(b, run, k, u, at, t, step, set);
    return close_walls<V>(b, run, set, at % NX, at / NX % NY, at / PLANE, f);
}

/* Both of a run with what is its own, where walls have conditions. Calls, and by values: few points are beside walls,
 * but what they ask for is most of a kernel, and of the time to compile it. */
template <int V, bool LIFTED>
__device__ static __noinline__ double rate_between(const double *param, int count, const double *place, double *walls,
                                                   const double *weights, const struct kept *k, const double *u,
                                                   int at, double t, long long step, int set)
{
    struct fields_on_device b = {};
    b.param = param, b.count = count, b.place = place, b.walls = walls, b.weights = weights;
    return find_rate<V, LIFTED>(b, 0, k, u, at, t, step, set);
}

template <class T, class VIEW>
__device__ static __noinline__ double value_between(const double *param, int count, const double *place, double *walls,
                                                    const struct kept *k, const double *u, int at, double t,
                                                    long long step)
{
    struct fields_on_device b = {};
    b.param = param, b.count = count, b.place = place, b.walls = walls;
    return value_at<T, VIEW>(b, 0, k, u, at, t, step);
}

/* A program's value at a point anywhere, of a state whose walls are those of set 0. */
template <class T, class VIEW>
__device__ static __forceinline__ double value_anywhere(const struct fields_on_device &b, int run,
                                                        const struct kept *k, const double *u, int at, double t,
                                                        long long step)
{
    if constexpr (OPEN)
        return value_between<T, VIEW>(b.param + run, b.count, b.place + (size_t)run * FIELDS_PLACE,
                                      b.walls + (size_t)run * WALLS_SIZE, k, u, at, t, step);
    else return value_at<T, VIEW>(b, run, k, u, at, t, step);
}

/* F at a point anywhere, less what moves at walls. */
template <int V, bool LIFTED = false, class VIEW = of_terms>
__device__ static __forceinline__ double rate_at(const struct fields_on_device &b, int run, const struct kept *k,
                                                 const double *u, int at, double t, long long step, int set = 0)
{
    if constexpr (OPEN || LIFTED)
        return rate_between<V, LIFTED>(b.param + run, b.count, b.place + (size_t)run * FIELDS_PLACE,
                                       b.walls + (size_t)run * WALLS_SIZE, b.weights + (size_t)run * WEIGHTS_SIZE, k,
                                       u, at, t, step, set);
    return find_rate<V, LIFTED, VIEW>(b, run, k, u, at, t, step, set);
}

/* ------------------------------------------------------------------ reductions */

enum { WARP = 32 };

/* The largest of a block's numbers, NaN if one is, for every thread; a call, once for a field. All threads together;
 * blocks are whole warps. @param shared  [threads], free again afterwards */
__device__ static __noinline__ double block_worst(double x, double *shared)
{
    const int thread = threadIdx.x, threads = blockDim.x;
    __syncthreads();
    shared[thread] = x;
    __syncthreads();
    if (thread < WARP) {
        for (int k = thread + WARP; k < threads; k += WARP) x = sw_own_steps_worse(x, shared[k]);
        for (int half = WARP / 2; half > 0; half /= 2) {
            shared[thread] = x;
            __syncwarp();
            x = sw_own_steps_worse(x, shared[thread ^ half]);
            __syncwarp();
        }
        shared[thread] = x;
    }
    __syncthreads();
    x = shared[0];
    __syncthreads();
    return x;
}

/* Numbers of 0 or more, and NaN. */
__device__ static inline unsigned long long bits_of(double x)
{
    return (unsigned long long)__double_as_longlong(x) & 0x7fffffffffffffffull;
}

__device__ static inline double of_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }

/* Raise a number that all threads of a run have together, to one of 0 or more or NaN, by warps: no thread waits for one
 * of another warp. */
__device__ static inline void raise(unsigned long long *to, double x)
{
    const unsigned long long mine = bits_of(x);
    const unsigned mine_above = (unsigned)(mine >> 32), above = SW_LARGEST_OF_WARP(mine_above),
                   below = SW_LARGEST_OF_WARP(mine_above == above ? (unsigned)mine : 0u);
    const unsigned long long bits = (unsigned long long)above << 32 | below;
    if (SW_FIRST_OF_WARP && bits > *(volatile unsigned long long *)to) atomicMax(to, bits);
}

/* The upper halves of numbers: of those above 0 the largest; and of those below 0, if there are any, the one of the
 * largest size. They tell whether all numbers were finite, half an instruction a number each where there is a maximum
 * of three. */
struct uppers { int above; unsigned below; };
__device__ static __forceinline__ void see(double x, struct uppers *seen)
{
    const int upper = (int)(__double_as_longlong(x) >> 32);
    seen->above = upper > seen->above ? upper : seen->above;
    seen->below = (unsigned)upper > seen->below ? (unsigned)upper : seen->below;
}
__device__ static __forceinline__ bool are_finite(const struct uppers &seen)
{
    return seen.above < 0x7ff00000 && seen.below < 0xfff00000u;
}

/* The largest above 0, cut off behind its upper half, or NaN. */
__device__ static __forceinline__ double largest_seen(const struct uppers &seen)
{
    return are_finite(seen) ? of_bits((unsigned long long)seen.above << 32) : nan("");
}

/* ------------------------------------------------------------------ lines */

template <int SEGMENT, int N> struct line_shape {
    enum { SEGMENTS = (N + SEGMENT - 1) / SEGMENT, LAST = N - (SEGMENTS - 1) * SEGMENT };
    /* Whether a segment of so many points, 0, SEGMENT or LAST, has an e-th one. */
    __device__ static __forceinline__ bool has(int e, int points)
    {
        return e < SEGMENT && ((int)LAST == SEGMENT ? points > 0 : e < points);
    }
};

__device__ static __forceinline__ constexpr int common_multiple(int a, int b)
{
    int multiple = a;
    while (multiple % b) multiple += a;
    return multiple;
}

/* Threads that share lines of SEGMENTS segments each. Only these wait for each other where whole lines are whole warps;
 * there are 15 barriers for parts of a block, of which others have TAKEN some. */
template <int SEGMENTS, int THREADS, int TAKEN = 0> struct line_group {
    enum {
        WHOLE_WARPS = common_multiple(SEGMENTS, WARP), OF_WARP = (int)WHOLE_WARPS == WARP,
        OF_WARPS = !OF_WARP && THREADS % WHOLE_WARPS == 0 && TAKEN + THREADS / WHOLE_WARPS < 16,
        ALONE = OF_WARP || OF_WARPS, SIZE = ALONE ? (int)WHOLE_WARPS : THREADS, LINES = SIZE / SEGMENTS,
        BARRIERS = OF_WARPS ? TAKEN + THREADS / WHOLE_WARPS : TAKEN
    };
    __device__ static __forceinline__ void barrier(void)
    {
        if (OF_WARP) __syncwarp();
        else if (OF_WARPS) SW_PART_BARRIER(1 + TAKEN + threadIdx.x / SIZE, SIZE);
        else __syncthreads();
    }
};

/* A line's threads are those of a block, or in a cluster of blocks, which have as many segments each. What others read
 * behind the barrier lies in the shared memory of who wrote it: it does not wait for what goes elsewhere. */
template <int BLOCKS> struct line_blocks {
    __device__ static __forceinline__ void barrier(void)
    {
        if (BLOCKS > 1) {
            cluster_arrive_shared();
            cluster_wait();
        } else {
            __syncthreads();
        }
    }
};

/* The number of a segment of a line that goes round, less than twice. */
template <int SEGMENTS> __device__ static __forceinline__ int segment_at(int i)
{
    return SEGMENTS & (SEGMENTS - 1) ? wrapped(i, SEGMENTS) : i & (SEGMENTS - 1);
}

/* Where a segment has left its state, the second number of which lies `tasks` behind. */
template <int SEGMENTS, int BLOCKS>
__device__ static __forceinline__ const double *state_left(const double *left, int segment, int stride)
{
    enum { EACH = (SEGMENTS + BLOCKS - 1) / BLOCKS };
    if (BLOCKS > 1) return in_block(left + segment % EACH * stride, segment / EACH);
    return left + segment * stride;
}

/* The state that comes into a segment, from those before it (DIRECTION 1) or behind it (-1): 4 FMAs a term. Some are
 * loaded together, more where other blocks have them; those beyond the last one are 0.
 * @param EVEN  the last segment of a line is as long as the others
 * @param matrices  where lines have WALLS of their segments, [segments][2][4]
 * @param left  what the segments of the block's part of the line leave, segment s at s*stride, second numbers `tasks`
 *              behind; other blocks' at the same place of their memory */
template <int SEGMENTS, int BLOCKS, int DIRECTION, bool WALLS, bool EVEN>
__device__ static __forceinline__ void come_in(const struct fields_line &line, const double *matrices, int segment,
                                               const double *left, int stride, int tasks, double *one, double *two)
{
    const int before = DIRECTION > 0 ? segment : SEGMENTS - 1 - segment,
              terms = WALLS && before < line.terms ? before : line.terms;
    enum { AHEAD = BLOCKS > 1 ? 4 : 2 };
    double a = 0.0, b = 0.0;
#pragma unroll 1
    for (int most = (terms + AHEAD - 1) / AHEAD * AHEAD; most > 0; most -= AHEAD) {
        double x[AHEAD], y[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            x[k] = y[k] = 0.0;
            if (most - k > terms) continue;
            const double *there =
                state_left<SEGMENTS, BLOCKS>(left, segment_at<SEGMENTS>(segment - DIRECTION * (most - k)), stride);
            x[k] = there[0];
            y[k] = there[tasks];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int from = segment_at<SEGMENTS>(segment - DIRECTION * (most - k));
            const double *m = WALLS ? matrices + 8 * from + (DIRECTION > 0 ? 0 : 4)
                                    : line.power[!EVEN && from == SEGMENTS - 1];
            const double next = fma(m[0], a, fma(m[1], b, x[k]));
            b = fma(m[2], a, fma(m[3], b, y[k]));
            a = next;
        }
    }
    *one = WALLS ? a : fma(line.closure[0], a, line.closure[1] * b);
    *two = WALLS ? b : fma(line.closure[2], a, line.closure[3] * b);
}

/* Solve lines of N points whose segments threads have in registers: 8 FMAs a point. Between WALLS these take 9 numbers
 * a point from the cache, which lines of a run share, as each row has coefficients of its own, and another product. All
 * threads of a block together, and of a cluster, which has to wait before one of its blocks ends or uses `shared`
 * otherwise.
 * @param WAITS       line_group, line_blocks: whose barrier() it is
 * @param eliminated  between WALLS (fields_point.h)
 * @param segment  the thread's, of the line  @param works  it has one
 * @param shared   [4 tasks]: what segments leave; the block's segment s of a line is task line + s*stride */
template <int SEGMENT, int N, bool WALLS, class WAITS, int BLOCKS = 1>
__device__ static __forceinline__ void solve_lines(const struct fields_line &line, const double *eliminated,
                                                   double (&c)[SEGMENT], int segment, bool works, int first,
                                                   int stride, int tasks, double *shared)
{
    typedef line_shape<SEGMENT, N> S;
    const int points = segment == S::SEGMENTS - 1 ? S::LAST : SEGMENT;
    enum { EACH = ((int)S::SEGMENTS + BLOCKS - 1) / BLOCKS, EVEN = (int)S::LAST == SEGMENT };
    double *left = shared + first, *right = shared + 2 * tasks + first;
    const double *mine_of = eliminated + segment, *matrices = eliminated + FIELDS_ELIMINATED * SEGMENT * S::SEGMENTS;
    const int mine = BLOCKS > 1 ? segment % EACH : segment;
    double u = 0.0, v = 0.0;
#define OF_POINT(which, e) mine_of[((which) * SEGMENT + (e)) * S::SEGMENTS]
#define NEXT(which, e, f)                                                                  \
    {                                                                                      \
        const double one = WALLS ? OF_POINT(which, e) : line.a1,                           \
                     two = WALLS ? OF_POINT((which) + 1, e) : line.a2,                     \
                     y = fma(-one, u, fma(-two, v, (f)));                                  \
        v = u;                                                                             \
        u = y;                                                                             \
    }
    if (works) {
#pragma unroll
        for (int e = 0; e < SEGMENT; e++)
            if (S::LAST == SEGMENT || e < points) NEXT(0, e, c[e])
        left[mine * stride] = u;
        left[mine * stride + tasks] = v;
    }
    WAITS::barrier();
    if (works) {
        come_in<S::SEGMENTS, BLOCKS, 1, WALLS, EVEN>(line, matrices, segment, left, stride, tasks, &u, &v);
#pragma unroll
        for (int e = 0; e < SEGMENT; e++)
            if (S::LAST == SEGMENT || e < points) {
                NEXT(0, e, c[e])
                c[e] = WALLS ? OF_POINT(2, e) * u : u;
            }
        u = v = 0.0;
#pragma unroll
        for (int e = SEGMENT - 1; e >= 0; e--)
            if (S::LAST == SEGMENT || e < points) NEXT(3, e, c[e])
        right[mine * stride] = u;
        right[mine * stride + tasks] = v;
    }
    WAITS::barrier();
    if (works) {
        come_in<S::SEGMENTS, BLOCKS, -1, WALLS, EVEN>(line, matrices, segment, right, stride, tasks, &u, &v);
#pragma unroll
        for (int e = SEGMENT - 1; e >= 0; e--)
            if (S::LAST == SEGMENT || e < points) {
                NEXT(3, e, c[e])
                c[e] = u;
            }
    }
#undef NEXT
#undef OF_POINT
}

/* ------------------------------------------------------------------ stages
 *
 * k_i = Q (dt F + D) - D, D = sum h_ij k_j. The pass over rows forms dt F + D and solves along x; that over columns
 * along y and, in three dimensions, once more along z. The last one subtracts D and forms what follows.
 *
 * Bytes a point and stage through memory: rows 8 (u; its neighbours are in the cache) + 8 i (k_j) + 8 written; each
 * pass over columns 8 + 8; the last one reads u and k_j as well and, unless the stage is the last, writes what the next
 * stage begins with: imex1 in two dimensions 16 + 24 = 40, in three 56. Where coefficients of P
 * vary otherwise than with u at the point, 8 more a step. */

enum {
    SEGMENTS_X = line_shape<SEGMENT_X, NX>::SEGMENTS,
    SLOT = SEGMENT_X | 1,                 /* doubles of a segment in shared memory: odd, so that banks differ */
    PITCH = SEGMENTS_X * SLOT,
    ROW_TASKS = ROWS * SEGMENTS_X,
    THREADS_OF_ROWS = FIELDS_KEPT ? THREADS_FUSED : THREADS_ROWS
};
typedef line_group<SEGMENTS_X, THREADS_OF_ROWS> row_group;

__device__ static __forceinline__ int slot_of(int row, int i)
{
    return row * PITCH + i / SEGMENT_X * SLOT + i % SEGMENT_X;
}

/* Rows lie in planes; a block has some of a plane. */
enum { BLOCKS_PLANE = (PART_ROWS + ROWS - 1) / ROWS, BLOCKS_ROWS = BLOCKS_PLANE * NZ };

/* Whether the first increment has no field: of two stages that of segments in registers follows from the state of the
 * second one, u + a_10 k_0, but for the rounding of u. @param times  what it is multiplied with */
enum { DERIVED = WHOLE && STAGES == 2 && !MOVING };
__device__ static __forceinline__ double first_increment(double stage, double u, double times)
{
    return (stage - u) * (times / method_a(1, 0));
}

/* D of a stage at a point of unknown V. */
template <int V, int I>
__device__ static __forceinline__ double of_stages(const struct fields &f, int at)
{
    double d = 0.0;
    if (DERIVED) return first_increment(f.stage[at], f.u[at], method_h(1, 0));
#pragma unroll
    for (int q = 0; q < I; q++)
        if (method_h(I, q) != 0.0) d += method_h(I, q) * f.k[q][(size_t)V * OF_UNKNOWN + at];
    return d;
}

/* scale (dt F + D), or of the only stage F: the end of the step has the factor then (factor_of). */
template <int V, int I>
__device__ static __forceinline__ double of_stage(const struct fields &f, int at, double dt, double scale, double rate)
{
    if (STAGES == 1) return rate;
    return I ? scale * (dt * rate + of_stages<V, I>(f, at)) : scale * dt * rate;  /* one factor of all points */
}

/* Of an increment, behind the last solve. */
__device__ static __forceinline__ double factor_of(const struct fields_on_device &b, int run, int v)
{
    return STAGES == 1 ? b.system[run * UNKNOWNS + v].scale * b.pace[run].dt : 1.0;
}

/* Whether all that form_points() forms begins in a row whose number is a multiple of 4. */
enum { ROWS_BY_FOUR = of_terms::TOGETHER % 4 == 0 && (WHOLE ? SEGMENT_X : ROWS) % 4 == 0 && SEGMENT_Y % 4 == 0 };

/* Right-hand sides of points above and beside each other, from (i, j, k) on: scale (dt F + D). None is beside walls
 * that have conditions. */
template <int V, int I, bool INTERIOR>
__device__ static __forceinline__ void form_points(const struct fields_on_device &b, int run, const struct fields &f,
                                                   int i, int j, int k, const double *place, const struct kept *kept,
                                                   double t, double dt, long long step, double scale,
                                                   double (&right)[of_terms::TOGETHER][of_terms::BESIDE])
{
    enum { BESIDE = of_terms::BESIDE, POINTS_FORMED = of_terms::TOGETHER * BESIDE };
    const double *from = I ? f.stage : f.u;
    struct around<stepped_terms> around;
    struct patch<stepped_terms> patch;
    look_around<INTERIOR>(i, j, k, &around);
    if constexpr (BESIDE > 1) load_patch(around, from, i, &patch);
#pragma unroll
    for (int c = 0; c < POINTS_FORMED; c++) {
        double in[FIELDS_INPUTS + of_terms::NEIGHBOURS];
        const int e = c / BESIDE, column = i + c % BESIDE;
        const int row = INTERIOR || j + e < NY ? j + e : NY - 1, at = (k * NY + row) * NX + column;
        set_place(place, column, row, k, in);
        if (ROWS_BY_FOUR) set_numbers(column, j, e, k, in);  /* a row behind the last one has a number, too */
        if constexpr (BESIDE > 1) set_inputs_in(patch, c % BESIDE, e, in);
        else set_inputs_at(around, from, e, in);
        const double rate = less_moves<V>(b, run, I, column, row, k,
                                          value_of<rhs_of<V>>(b, run, kept, in, at, t, step));
        right[e][c % BESIDE] = of_stage<V, I>(f, at, dt, scale, rate);
    }
}

/* The same of a point anywhere. */
template <int V, int I>
__device__ static __forceinline__ double form_point(const struct fields_on_device &b, int run, const struct fields &f,
                                                    int i, int j, int k, const struct kept *kept, double t, double dt,
                                                    long long step, double scale)
{
    const int at = (k * NY + j) * NX + i;
    return of_stage<V, I>(f, at, dt, scale, rate_at<V>(b, run, kept, I ? f.stage : f.u, at, t, step, I));
}

/* The same of rows j .. of plane k, into `to`: some above each other at a time, so that neighbours that they share are
 * loaded once, and what is formed of these alone is formed once. Points beside walls that have conditions are formed
 * one by one, those at the ends of rows last: no thread waits for one of its warp.
 * @param ONCE  there are as many threads, which begin with number `thread`, as points that are formed together
 * @param to    slot_of(row, i) */
template <int V, int I, bool ONCE = false>
__device__ static __forceinline__ void form_rows(const struct fields_on_device &b, int run, const struct fields &f,
                                                 int j, int k, int rows, const struct kept *kept, double t, double dt,
                                                 long long step, double scale, double *to, unsigned thread,
                                                 unsigned threads)
{
    enum {
        TOGETHER = of_terms::TOGETHER, BESIDE = of_terms::BESIDE,
        REACH_Y = of_terms::REACH_Y + (OPEN_Y && !of_terms::REACH_Y),
        EDGE = of_terms::REACH_X + !of_terms::REACH_X, EDGES = 2 * EDGE < NX ? 2 * EDGE : NX,
        SPLIT = BESIDE > 1 && NX / BESIDE % WARP  /* a warp would take both ways, one after the other */
    };
    const bool between = is_inside<2>(k, k, of_terms::REACH_Z + !of_terms::REACH_Z);
    const double *places = b.place + (size_t)run * FIELDS_PLACE;
    const unsigned tasks = (rows + TOGETHER - 1) / TOGETHER * (NX / BESIDE);
    double place[FIELDS_PLACE];
#pragma unroll
    for (int c = 0; c < FIELDS_PLACE; c++) place[c] = places[c];
    enum { FEW_KEPT = 6 };
    const struct kept copy = *kept, *mine = KEPT_RUN + KEPT_STEP > FEW_KEPT ? kept : &copy;  /* else loaded anew
                                                                                              * behind each store */
    for (unsigned task = thread; task < tasks; task = ONCE ? tasks : task + threads) {
        const int i = task % (NX / BESIDE) * BESIDE, above = task / (NX / BESIDE) * TOGETHER, lowest = j + above;
        double *first = to + slot_of(above, i);
        const bool apart = lowest >= REACH_Y && lowest + TOGETHER + REACH_Y <= NY;
        double right[TOGETHER][BESIDE];
        if (OPEN && !(apart && between)) {
#pragma unroll 1
            for (int e = 0; e < TOGETHER && above + e < rows; e++)
                to[slot_of(above + e, i)] = form_point<V, I>(b, run, f, i, lowest + e, k, mine, t, dt, step, scale);
            continue;
        }
        if (!is_inside<0>(i, i, EDGE)) continue;
        if (OPEN || PARTED || (apart && !SPLIT))
            form_points<V, I, true>(b, run, f, i, lowest, k, place, mine, t, dt, step, scale, right);
        else form_points<V, I, false>(b, run, f, i, lowest, k, place, mine, t, dt, step, scale, right);
#pragma unroll
        for (int e = 0; e < TOGETHER * BESIDE; e++)
            if (above + e / BESIDE < rows) first[e / BESIDE * PITCH + e % BESIDE] = right[e / BESIDE][e % BESIDE];
    }
    for (int task = (int)thread; OPEN_X && between && task < rows * EDGES; task += (int)threads) {
        const int c = task % EDGES, i = c < EDGE ? c : NX - EDGES + c, row = task / EDGES,
                  lowest = j + row / TOGETHER * TOGETHER;
        if (lowest >= REACH_Y && lowest + TOGETHER + REACH_Y <= NY)
            to[slot_of(row, i)] = form_point<V, I>(b, run, f, i, j + row, k, kept, t, dt, step, scale);
    }
}

/* Solve rows along x that lie in shared memory, and take them to where they belong. @param room  [ROWS*PITCH +
 * 4*ROW_TASKS] */
__device__ static __forceinline__ void solve_rows(const struct fields_line &line, const double *eliminated, int rows,
                                                  double *room, double *to)
{
    if (!line.is_one) {
        const int task = threadIdx.x, row = task / SEGMENTS_X, segment = task % SEGMENTS_X;
        const bool works = row < rows;
        double c[SEGMENT_X], *mine = room + task * SLOT;
        const int points = segment == SEGMENTS_X - 1 ? line_shape<SEGMENT_X, NX>::LAST : SEGMENT_X;
#pragma unroll
        for (int e = 0; e < SEGMENT_X; e++) c[e] = works && e < points ? mine[e] : 0.0;
        solve_lines<SEGMENT_X, NX, WALLS_X, row_group>(line, eliminated, c, segment, works, row * SEGMENTS_X, 1,
                                                       ROW_TASKS, room + ROWS * PITCH);
#pragma unroll
        for (int e = 0; e < SEGMENT_X; e++)
            if (works && e < points) mine[e] = c[e];
        row_group::barrier();
    }
    const int group = row_group::ALONE ? threadIdx.x / row_group::SIZE : 0,
              first = group * row_group::LINES * NX, end = row_group::ALONE ? first + row_group::LINES * NX : ROWS * NX,
              step_of = row_group::ALONE ? row_group::SIZE : blockDim.x;
    for (int c = first + threadIdx.x % step_of; c < end && c < rows * NX; c += step_of)
        to[c] = room[slot_of(c / NX, c % NX)];
}

/* A call, where MUCH. @param room  in shared memory */
__device__ static __noinline__ void solve_rows_apart(const struct fields_line *line, const double *eliminated, int rows,
                                                     int room, double *to)
{
    solve_rows(*line, eliminated, rows, shared + room, to);
}

/* The rows of block number `block` of a part, of unknown V in stage I. @param room  of solve_rows() */
template <int V, int I>
__device__ static inline void pass_rows(const struct fields_on_device &b, int run, const struct fields &f, int block,
                                        const struct part &part, const struct kept *kept, double t, double dt,
                                        long long step, double *room)
{
    const struct fields_system &p = b.system[run * UNKNOWNS + V];
    const double *eliminated = eliminated_of(b, run, V, 0);
    const int k = block / BLOCKS_PLANE, j = part.first + block % BLOCKS_PLANE * ROWS,
              rows = part.end - j < ROWS ? part.end - j : ROWS;
    double *to = f.k[I] + (size_t)V * OF_UNKNOWN + (size_t)(k * NY + j) * NX;
    form_rows<V, I>(b, run, f, j, k, rows, kept, t, dt, step, p.scale, room, threadIdx.x, blockDim.x);
    __syncthreads();
    if (MUCH) solve_rows_apart(&p.axis[0], eliminated, rows, (int)(room - shared), to);
    else solve_rows(p.axis[0], eliminated, rows, room, to);
    if (FIELDS_KEPT || V + 1 < UNKNOWNS) __syncthreads();
}

/* What a thread found in the points that it finished: `largest` of a run's own steps, else `next`; and of coefficients
 * what fields_raised() asks for. */
struct found { double error, largest; struct uppers next, most[VARYING + 1]; };

/* A coefficient that is to be known at the next step, from the state that begins it, in the same pass. */
__device__ static __forceinline__ constexpr bool is_local(int k) { return varying_local(k) && varying_same(k) == k; }

template <int K = 0>
__device__ static __forceinline__ void find_local(const struct fields_on_device &b, int run, double u,
                                                  struct found *found)
{
    if constexpr (K < VARYING) {
        if constexpr (is_local(K)) {
            typedef varying<K> T;
            double r[T::RUN + 1], s[1], c[T::CELL + 1], in[FIELDS_INPUTS + of_terms::NEIGHBOURS] = {0.0};
            in[FIELDS_INPUTS + of_terms::CENTRE] = u;
            T::run(b.param + run, b.count, r);
            T::cell(b.param + run, b.count, r, 1, in, 0, c);
            const double x = T::point(b.param + run, b.count, r, 1, s, 1, c, 1, in, 0, 0.0, 0);
            see(x, &found->most[K]);
        }
        find_local<K + 1>(b, run, u, found);
    }
}

/* A point of k_i, and what follows from it: the state of the next stage, or the next state.
 * @param k          behind the last solve; with `factor`, factor_of()
 * @param u, before  the state, and k_j, at the point; out: k_i among these */
template <int I>
__device__ static __forceinline__ double finish(const struct fields_on_device &b, int run, size_t at, double k,
                                                double factor, double u, double (&before)[I + 1], struct found *found)
{
    double d = 0.0, next = u, error = 0.0;
#pragma unroll
    for (int j = 0; j < I; j++)
        if (method_h(I, j) != 0.0) d += method_h(I, j) * before[j];
    before[I] = I ? k - d : k;
    if (I + 1 < STAGES) {
#pragma unroll
        for (int j = 0; j <= I; j++)
            if (method_a(I + 1, j) != 0.0) next += method_a(I + 1, j) * before[j];
        return move_walls(b, run, at, I + 1, next);
    }
#pragma unroll
    for (int j = 0; j <= I; j++) {
        if (STAGES == 1) next = fma(factor, before[j], next);
        else if (method_b(j) != 0.0) next += method_b(j) * before[j];
        if (OWN && method_e(j) != 0.0) error += method_e(j) * before[j];
    }
    next = move_walls(b, run, at, STAGES, next);
    find_local(b, run, next, found);
    if (OWN) found->largest = sw_own_steps_worse(found->largest, fabs(next));
    else see(next, &found->next);
    if (OWN) found->error = sw_own_steps_worse(found->error, fabs(error));
    return next;
}

/* Columns of an axis A > 0: lines whose points lie `STRIDE` apart, COLUMNS of them at a time. */
template <int A> struct column_shape {
    enum {
        N = A == 1 ? NY : NZ, STRIDE = A == 1 ? NX : PLANE, SEGMENT = A == 1 ? SEGMENT_Y : SEGMENT_Z,
        COLUMNS = A == 1 ? COLUMNS_Y : COLUMNS_Z, SEGMENTS = line_shape<SEGMENT, N>::SEGMENTS,
        BLOCKS = A == 1 ? BLOCKS_Y : BLOCKS_Z, EACH = (SEGMENTS + BLOCKS - 1) / BLOCKS, /* segments of a block */
        TASKS = COLUMNS * EACH, TILES = (STRIDE + COLUMNS - 1) / COLUMNS,  /* of a plane that the lines lie in */
        PLANES = POINTS / (N * STRIDE)
    };
};

/* Whether a pass over columns has a copy of u in shared memory, which is on its way there while it solves. */
template <int A> __device__ static __forceinline__ constexpr bool fetches(void) { return FETCHED && A + 1 == AXES; }

/* What follows from the points of a segment, of which some at a time are loaded together.
 * @param stride   between points of the segment
 * @param fetched  where u has been copied to, `threads` between points; NULL: it is loaded */
template <int I, class LINE, int SEGMENT>
__device__ static __forceinline__ void finish_segment(const struct fields_on_device &b, int run,
                                                      const struct fields &f, size_t first, int stride, int points,
                                                      const double (&c)[SEGMENT], double factor, const double *fetched,
                                                      int threads, struct found *found)
{
    enum { FEW = I ? 4 : 8, CHUNK = SEGMENT < FEW ? SEGMENT : FEW };
    if (!LINE::has(0, points)) return;
#pragma unroll
    for (int from = 0; from < SEGMENT; from += CHUNK) {
        double u[CHUNK], before[CHUNK][I + 1];
#pragma unroll
        for (int e = 0; e < CHUNK; e++) {
            const size_t at = first + (size_t)(from + e) * stride;
            if (!LINE::has(from + e, points)) continue;
            u[e] = fetched ? fetched[(from + e) * threads] : f.u[at];
#pragma unroll
            for (int j = 0; j < I; j++)
                before[e][j] = DERIVED ? first_increment(f.stage[at], u[e], 1.0) : f.k[j][at];
        }
#pragma unroll
        for (int e = 0; e < CHUNK; e++)
            if (LINE::has(from + e, points))
                u[e] = finish<I>(b, run, first + (size_t)(from + e) * stride, c[from + e], factor, u[e], before[e],
                                 found);
#pragma unroll
        for (int e = 0; e < CHUNK; e++) {  /* a load behind a store would wait for it */
            const size_t at = first + (size_t)(from + e) * stride;
            if (!LINE::has(from + e, points)) continue;
            if (I + 1 < STAGES && !DERIVED) f.k[I][at] = before[e][I];
            (I + 1 < STAGES || OWN ? f.stage : f.u)[at] = u[e];
        }
    }
}

/* Tile number `tile` of unknown v: along axis A, in stage I.
 * @param rank    the block's in its cluster
 * @param shared  [4 TASKS], and where u is fetched another [SEGMENT TASKS] */
template <int A, int I>
__device__ static inline void pass_columns(const struct fields_on_device &b, int run, const struct fields &f, int v,
                                           int tile, int rank, double *shared, struct found *found)
{
    typedef column_shape<A> S;
    double *const fetched = shared + 4 * S::TASKS + threadIdx.x;
    typedef line_shape<S::SEGMENT, S::N> L;
    const struct fields_line &line = b.system[run * UNKNOWNS + v].axis[A];
    const int column = threadIdx.x % S::COLUMNS, part = threadIdx.x / S::COLUMNS, segment = rank * S::EACH + part;
    const int inner = tile % S::TILES * S::COLUMNS + column;
    const bool works = part < S::EACH && segment < S::SEGMENTS && inner < S::STRIDE;
    const int points = !works ? 0 : segment == S::SEGMENTS - 1 ? (int)L::LAST : (int)S::SEGMENT;
    const size_t first = (size_t)v * OF_UNKNOWN + (size_t)(tile / S::TILES) * S::N * S::STRIDE + inner +
                         (size_t)segment * S::SEGMENT * S::STRIDE;
    double c[S::SEGMENT];
    if constexpr (fetches<A>()) {
#pragma unroll
        for (int e = 0; e < S::SEGMENT; e++)
            if (L::has(e, points)) SW_COPY_BEGIN(fetched + e * S::TASKS, f.u + first + (size_t)e * S::STRIDE);
    }
#pragma unroll
    for (int e = 0; e < S::SEGMENT; e++) c[e] = L::has(e, points) ? f.k[I][first + (size_t)e * S::STRIDE] : 0.0;
    if (!line.is_one)
        solve_lines<S::SEGMENT, S::N, A == 1 ? WALLS_Y : WALLS_Z, line_blocks<S::BLOCKS>, S::BLOCKS>(
            line, eliminated_of(b, run, v, A), c, segment, works, column, S::COLUMNS, S::TASKS, shared);
    if (A + 1 == AXES) {
        if (fetches<A>()) SW_COPY_WAIT();
        finish_segment<I, L>(b, run, f, first, S::STRIDE, points, c, factor_of(b, run, v),
                             fetches<A>() ? fetched : nullptr, S::TASKS, found);
    } else {
#pragma unroll
        for (int e = 0; e < S::SEGMENT; e++)
            if (L::has(e, points)) f.k[I][first + (size_t)e * S::STRIDE] = c[e];
    }
    line_blocks<S::BLOCKS>::barrier();
}

/* ------------------------------------------------------------------ a thread for a run */

__device__ static inline void stop_run(const struct fields_on_device &b, int run, long long step)
{
    b.stopped[run] = 1;
    b.diverged[run] = step;
}

/* The run's step at a step of the batch, which is a tick where runs have paces. */
__device__ static inline long long step_at(const struct fields_on_device &b, int run, long long step)
{
    return b.steps_at ? sw_step_at_tick(b.steps_at + (size_t)b.pace_of[run] * (b.goals + 1), step) : step;
}

/* Whether a run begins with the first of these steps, or ticks, of the batch. All do where none has a pace: the host
 * asks but once. */
__device__ static inline bool begins_between(const struct fields_on_device &b, int run, long long from, long long to)
{
    return !b.steps_at || (!b.pace[run].took && step_at(b, run, from) < step_at(b, run, to));
}

/* Where the run is, and whether it takes a step. A run that had stopped before it was known where says so now.
 * @param from   the step, or tick, that the host's call begins with
 * @param to     of given dt the step's number; else the tick to go to */
__device__ static inline void set_pace(const struct fields_on_device &b, int run, long long from, long long to)
{
    struct fields_pace *p = &b.pace[run];
    p->goes = 0;
    if (b.stopped[run]) {
        if (b.diverged[run] < 0) b.diverged[run] = from;
        return;
    }
    if (OWN) {
        struct sw_own_steps *s = &b.steps[run];
        if (sw_own_steps_reached(s, b.times, to)) return;
        const long long at = (long long)s->goal;
        if (s->left == 0) sw_own_steps_next(s, b.times[at + 1] - b.times[at]);
        p->t = sw_own_steps_time(s, b.times);
        p->dt = s->dt;
        p->number = 0;
    } else {
        p->dt = b.dt[run];
        p->t = (double)to * p->dt;
        p->number = to;
    }
    p->goes = 1;
    for (int k = 0; k < VARYING; k++) {
        unsigned long long *most = &b.most[(size_t)run * VARYING + k], *next = &b.next_most[(size_t)run * VARYING + k];
        if (!is_local(k)) *most = 0;
        else if (!OWN && p->took) *most = *next;
        *next = 0;
    }
    p->took = 1;
    for (int k = 0; OWN && k < FIELDS_LARGEST * UNKNOWNS; k++)
        b.largest[(size_t)run * FIELDS_LARGEST * UNKNOWNS + k] = 0;
}

__device__ static inline unsigned long long *largest_of(const struct fields_on_device &b, int run, int which, int v)
{
    return &b.largest[((size_t)run * FIELDS_LARGEST + which) * UNKNOWNS + v];
}
enum { ERROR, NEXT_SIZE, BY_TIME };

/* A call, where MUCH. */
__device__ static __noinline__ bool make_system_apart(const struct fields_method *method,
                                                      const struct fields_matrix_rule *rule,
                                                      const struct fields_stiffness *s, double dt, const int *n,
                                                      const int *segment, const double *dx,
                                                      const struct fields_line_ends *ends, struct fields_system *system)
{
    return fields_system_make(method, rule, s, dt, n, segment, dx, ends, system);
}

/* P of an unknown. Where a coefficient is not finite a step of a given dt ends the run; the error of one of its own is
 * no number. */
__device__ static inline void make_system(const struct fields_on_device &b, int run, int v)
{
    const int n[3] = {NX, NY, NZ}, segment[3] = {SEGMENT_X, SEGMENT_Y, SEGMENT_Z};
    struct fields_pace *p = &b.pace[run];
    struct fields_system *system = &b.system[run * UNKNOWNS + v];
    bool same = system->dt == p->dt;
#pragma unroll
    for (int k = 0; k < VARYING; k++) {
        if (varying_unknown(k) != v) continue;
        double *most = &system->most[varying_fourth(k)][varying_axis(k)];
        const double before = *most;
        *most = fields_raised_from(of_bits(b.most[(size_t)run * VARYING + varying_same(k)]), before);
        same = same && *most == before;
    }
    if (same) return;
    struct fields_stiffness s = b.constant[run * UNKNOWNS + v];
#pragma unroll
    for (int k = 0; k < VARYING; k++) {
        if (varying_unknown(k) != v) continue;
        if (varying_fourth(k)) s.most4[varying_axis(k)] = system->most[1][varying_axis(k)];
        else s.most2[varying_axis(k)] = system->most[0][varying_axis(k)];
    }
    const struct fields_line_ends ends = line_ends_of(b, run, v);
    const double *dx = b.place + (size_t)run * FIELDS_PLACE + 3;
    const struct fields_line_ends *at_ends = WALLED ? &ends : nullptr;
    if (MUCH ? make_system_apart(b.method, b.rule, &s, p->dt, n, segment, dx, at_ends, system)
             : fields_system_make(b.method, b.rule, &s, p->dt, n, segment, dx, at_ends, system))
        return;
    p->goes = 2;
    if (!OWN) stop_run(b, run, p->number + 1);
    for (int w = 0; OWN && w < UNKNOWNS; w++)
        *largest_of(b, run, ERROR, w) = *largest_of(b, run, NEXT_SIZE, w) = bits_of(nan(""));
}

/* A step of the run's own has been accepted. */
__device__ static inline void turn(const struct fields_on_device &b, int run)
{
    b.pace[run].turned ^= 1;
    for (int k = 0; k < VARYING; k++)
        if (is_local(k)) b.most[(size_t)run * VARYING + k] = b.next_most[(size_t)run * VARYING + k];
}

/* Behind a step of the run's own. */
__device__ static inline void judge(const struct fields_on_device &b, int run)
{
    struct sw_own_steps *s = &b.steps[run];
    double error[UNKNOWNS], next[UNKNOWNS];
    for (int v = 0; v < UNKNOWNS; v++) {
        error[v] = of_bits(*largest_of(b, run, ERROR, v));
        next[v] = of_bits(*largest_of(b, run, NEXT_SIZE, v));
        if (STEEP) error[v] = sw_own_steps_with_time(error[v], of_bits(*largest_of(b, run, BY_TIME, v)));
    }
    if (sw_own_steps_judge(s, UNKNOWNS, error, next, b.size + (size_t)run * UNKNOWNS,
                           b.drive + (size_t)run * b.drives, &b.limits[run], b.times))
        turn(b, run);
    if (s->end) stop_run(b, run, sw_own_steps_tick(s, b.times));
}
