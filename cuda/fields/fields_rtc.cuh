/* What the kernels that step fields share: right-hand sides, solves of lines, reductions. Compiled at run time
 * (src/problem/fields/cuda/fields_text.c), behind the *_point.h files and
 *
 *     UNKNOWNS, AXES, NX, NY, NZ, STAGES    of the problem; OWN: each run takes steps of its own; STEEP: their errors
 *                                           are looked at by time, too
 *     method_a(i, j), method_h, method_b(i), method_e, method_c    numbers of the method
 *     of_terms, of_energy                   neighbours that programs take in: NEIGHBOURS, unknown(q), offset(q, axis)
 *     rhs_of<v>, varying<k>, initial_of<v>, energy_of<0>    programs: THERE; values kept a run, a step, a cell (RUN,
 *                                           STEP, CELL); run, step, cell, point of sw_program_cuda()
 *     VARYING, varying_unknown(k), varying_axis(k), varying_fourth(k)    coefficients that are no numbers of a run;
 *     varying_same(k)                       the first one of the same program
 *     KEPT_RUN, KEPT_STEP                   the most that one of these keeps
 *     SEGMENT_X, SEGMENT_Y, SEGMENT_Z       points of a line that a thread has in registers
 *     ROWS, COLUMNS_Y, COLUMNS_Z            lines that a block has at a time
 *     SINGLE                                fields leave in single precision
 *
 * A block works on one run at a time. Fields are [unknowns][z][y][x]. Recursions are fused multiply-adds by name: the
 * compiler is told to join nothing. */

enum { PLANE = NX * NY, POINTS = NX * NY * NZ, SIZE = UNKNOWNS * POINTS, ROWS_OF_ALL = NY * NZ };

/* The fields of a run. */
struct fields { double *u, *stage, *k[STAGES]; };

__device__ static inline struct fields fields_of(const struct fields_on_device &b, int run)
{
    const size_t at = (size_t)run * SIZE;
    const bool turned = b.pace[run].turned;
    struct fields f;
    f.u = (turned ? b.stage : b.u) + at;
    f.stage = (turned ? b.u : b.stage) + at;
    for (int i = 0; i < STAGES; i++) f.k[i] = b.k[i] + at;
    return f;
}

/* ------------------------------------------------------------------ programs */

/* What a program keeps of a run and of a time: of a block, in shared memory. */
struct kept { double r[KEPT_RUN + 1], s[KEPT_STEP + 1]; };

/* By one thread. */
template <class T>
__device__ static inline void keep(const struct fields_on_device &b, int run, double t, long long step, struct kept *to)
{
    T::run(b.param + run, b.count, to->r);
    T::step(b.param + run, b.count, to->r, 1, t, step, to->s);
}

template <class T>
__device__ static __forceinline__ double value_of(const struct fields_on_device &b, int run, const struct kept *k,
                                                  const double *in, int cell, double t, long long step)
{
    double c[T::CELL + 1];
    T::cell(b.param + run, b.count, k->r, 1, in, cell, c);
    return T::point(b.param + run, b.count, k->r, 1, k->s, 1, c, 1, in, cell, t, step);
}

__device__ static __forceinline__ int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

__device__ static __forceinline__ void set_place(const double *place, int i, int j, int k, double *in)
{
    in[SW_IN_X] = sw_grid_place(place[0], place[3], place[6], (double)i);
    in[SW_IN_Y] = sw_grid_place(place[1], place[4], place[7], (double)j);
    in[SW_IN_Z] = sw_grid_place(place[2], place[5], place[8], (double)k);
}

/* What programs take in at point (i, j, k): what they do not use is not loaded. */
template <class VIEW>
__device__ static __forceinline__ void set_inputs(const double *place, const double *u, int i, int j, int k, double *in)
{
    set_place(place, i, j, k, in);
#pragma unroll
    for (int q = 0; q < VIEW::NEIGHBOURS; q++) {
        const int x = wrapped(i + VIEW::offset(q, 0), NX), y = wrapped(j + VIEW::offset(q, 1), NY),
                  z = wrapped(k + VIEW::offset(q, 2), NZ);
        in[FIELDS_INPUTS + q] = u[(size_t)VIEW::unknown(q) * POINTS + (size_t)(z * NY + y) * NX + x];
    }
}

/* At point number `at` of a field. */
template <class T, class VIEW>
__device__ static __forceinline__ double value_at(const struct fields_on_device &b, int run, const struct kept *k,
                                                  const double *u, int at, double t, long long step)
{
    double in[FIELDS_INPUTS + VIEW::NEIGHBOURS];
    set_inputs<VIEW>(b.place + (size_t)run * FIELDS_PLACE, u, at % NX, at / NX % NY, at / PLANE, in);
    return value_of<T>(b, run, k, in, at, t, step);
}

/* ------------------------------------------------------------------ reductions */

/* The largest of a block's numbers, NaN if one is. All threads together. @param shared  [threads] */
__device__ static inline double block_worst(double x, double *shared)
{
    enum { FEW = 32 };
    const int thread = threadIdx.x, threads = blockDim.x;
    __syncthreads();
    shared[thread] = x;
    __syncthreads();
    if (thread < FEW) {
        for (int k = thread + FEW; k < threads; k += FEW) x = sw_own_steps_worse(x, shared[k]);
        shared[thread] = x;
    }
    __syncthreads();
    x = shared[0];
    for (int k = 1; k < FEW && k < threads; k++) x = sw_own_steps_worse(x, shared[k]);
    __syncthreads();
    return x;
}

/* Numbers of 0 or more, and NaN. */
__device__ static inline unsigned long long bits_of(double x)
{
    return (unsigned long long)__double_as_longlong(x) & 0x7fffffffffffffffull;
}

__device__ static inline double of_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }

/* Raise a number that all blocks of a run have together. */
__device__ static inline void raise(unsigned long long *to, double x, double *shared)
{
    const unsigned long long bits = bits_of(block_worst(x, shared));
    if (threadIdx.x == 0 && bits > *(volatile unsigned long long *)to) atomicMax(to, bits);
}

/* ------------------------------------------------------------------ lines */

template <int SEGMENT, int N> struct line_shape {
    enum { SEGMENTS = (N + SEGMENT - 1) / SEGMENT, LAST = N - (SEGMENTS - 1) * SEGMENT };
};

/* The state that comes into a segment, from those before it (DIRECTION 1) or behind it (-1): 4 FMAs a term.
 * @param left  what the segments of the line leave, segment s at s*stride, second numbers `tasks` behind */
template <int SEGMENTS, int DIRECTION>
__device__ static __forceinline__ void come_in(const struct fields_line &line, int segment, const double *left,
                                               int stride, int tasks, double *one, double *two)
{
    double a = 0.0, b = 0.0;
#pragma unroll 1
    for (int t = line.terms; t >= 1; t--) {
        const int from = wrapped(segment - DIRECTION * t, SEGMENTS);
        const double *m = line.power[from == SEGMENTS - 1];
        const double x = fma(m[0], a, fma(m[1], b, left[from * stride]));
        b = fma(m[2], a, fma(m[3], b, left[from * stride + tasks]));
        a = x;
    }
    *one = fma(line.closure[0], a, line.closure[1] * b);
    *two = fma(line.closure[2], a, line.closure[3] * b);
}

/* Solve lines of N points whose segments threads have in registers: 12 FMAs a point. All threads of a block together.
 * @param segment  the thread's  @param works  it has one
 * @param shared   [4 tasks]: what segments leave; the line's segment s is task line + s*stride */
template <int SEGMENT, int N>
__device__ static __forceinline__ void solve_lines(const struct fields_line &line, double (&c)[SEGMENT], int segment,
                                                   bool works, int first, int stride, int tasks, double *shared)
{
    typedef line_shape<SEGMENT, N> S;
    const int points = segment == S::SEGMENTS - 1 ? S::LAST : SEGMENT;
    const double a1 = -line.a1, a2 = -line.a2;
    double *left = shared + first, *right = shared + 2 * tasks + first;
    double u = 0.0, v = 0.0;
#define NEXT(f)                                       \
    {                                                 \
        const double y = fma(a1, u, fma(a2, v, (f))); \
        v = u;                                        \
        u = y;                                        \
    }
    if (works) {
#pragma unroll
        for (int e = 0; e < SEGMENT; e++)
            if (S::LAST == SEGMENT || e < points) NEXT(c[e])
        left[segment * stride] = u;
        left[segment * stride + tasks] = v;
    }
    __syncthreads();
    if (works) {
        come_in<S::SEGMENTS, 1>(line, segment, left, stride, tasks, &u, &v);
#pragma unroll
        for (int e = 0; e < SEGMENT; e++)
            if (S::LAST == SEGMENT || e < points) {
                NEXT(c[e])
                c[e] = u;
            }
        u = v = 0.0;
#pragma unroll
        for (int e = SEGMENT - 1; e >= 0; e--)
            if (S::LAST == SEGMENT || e < points) NEXT(c[e])
        right[segment * stride] = u;
        right[segment * stride + tasks] = v;
    }
    __syncthreads();
    if (works) {
        come_in<S::SEGMENTS, -1>(line, segment, right, stride, tasks, &u, &v);
#pragma unroll
        for (int e = SEGMENT - 1; e >= 0; e--)
            if (S::LAST == SEGMENT || e < points) {
                NEXT(c[e])
                c[e] = u;
            }
    }
#undef NEXT
}

/* ------------------------------------------------------------------ stages
 *
 * k_i = Q (dt F + D) - D, D = sum h_ij k_j. The pass over rows forms dt F + D and solves along x; that over columns
 * along y and, in three dimensions, once more along z. The last one subtracts D and forms what follows.
 *
 * Bytes a point and stage through memory: rows 8 (u; its neighbours are in the cache) + 8 i (k_j) + 8 written; each
 * pass over columns 8 + 8; the last one reads u and k_j as well and, unless the stage is the last, writes what the next
 * stage begins with: imex1 in two dimensions 16 + 24 = 40, in three 56. Where coefficients of P vary, 8 more a step. */

enum {
    SEGMENTS_X = line_shape<SEGMENT_X, NX>::SEGMENTS,
    SLOT = SEGMENT_X | 1,                 /* doubles of a segment in shared memory: odd, so that banks differ */
    PITCH = SEGMENTS_X * SLOT,
    ROW_TASKS = ROWS * SEGMENTS_X,
    ROW_SHARED = ROWS * PITCH + 4 * ROW_TASKS
};

__device__ static __forceinline__ int slot_of(int row, int i)
{
    return row * PITCH + i / SEGMENT_X * SLOT + i % SEGMENT_X;
}

/* Rows first .. of unknown V in stage I. @param shared  [ROW_SHARED] */
template <int V, int I>
__device__ static inline void pass_rows(const struct fields_on_device &b, int run, const struct fields &f, int first,
                                        const struct kept *kept, double t, double dt, long long step, double *shared)
{
    const struct fields_system &p = b.system[run * UNKNOWNS + V];
    const double *from = I ? f.stage : f.u;
    const int rows = ROWS_OF_ALL - first < ROWS ? ROWS_OF_ALL - first : ROWS;
    for (int c = threadIdx.x; c < rows * NX; c += blockDim.x) {
        const int at = first * NX + c;
        double right = dt * value_at<rhs_of<V>, of_terms>(b, run, kept, from, at, t, step), d = 0.0;
#pragma unroll
        for (int j = 0; j < I; j++)
            if (method_h(I, j) != 0.0) d += method_h(I, j) * f.k[j][(size_t)V * POINTS + at];
        shared[slot_of(c / NX, c % NX)] = p.scale * (right + d);
    }
    __syncthreads();
    if (!p.axis[0].is_one) {
        const int task = threadIdx.x, row = task / SEGMENTS_X, segment = task % SEGMENTS_X;
        const bool works = row < rows;
        double c[SEGMENT_X], *mine = shared + task * SLOT;
        const int points = segment == SEGMENTS_X - 1 ? line_shape<SEGMENT_X, NX>::LAST : SEGMENT_X;
#pragma unroll
        for (int e = 0; e < SEGMENT_X; e++) c[e] = works && e < points ? mine[e] : 0.0;
        solve_lines<SEGMENT_X, NX>(p.axis[0], c, segment, works, row * SEGMENTS_X, 1, ROW_TASKS,
                                   shared + ROWS * PITCH);
#pragma unroll
        for (int e = 0; e < SEGMENT_X; e++)
            if (works && e < points) mine[e] = c[e];
        __syncthreads();
    }
    double *to = f.k[I] + (size_t)V * POINTS + (size_t)first * NX;
    for (int c = threadIdx.x; c < rows * NX; c += blockDim.x) to[c] = shared[slot_of(c / NX, c % NX)];
    __syncthreads();
}

/* What a thread found in the points that it finished. */
struct found { double error, largest; };

/* A point of k_i, and what follows from it. @param k  behind the last solve */
template <int I>
__device__ static __forceinline__ void finish(const struct fields &f, size_t at, double k, struct found *found)
{
    double d = 0.0, before[I + 1];
#pragma unroll
    for (int j = 0; j < I; j++) {
        before[j] = f.k[j][at];
        if (method_h(I, j) != 0.0) d += method_h(I, j) * before[j];
    }
    before[I] = I ? k - d : k;
    double next = f.u[at], error = 0.0;
    if (I + 1 < STAGES) {
#pragma unroll
        for (int j = 0; j <= I; j++)
            if (method_a(I + 1, j) != 0.0) next += method_a(I + 1, j) * before[j];
        f.k[I][at] = before[I];
        f.stage[at] = next;
        return;
    }
#pragma unroll
    for (int j = 0; j <= I; j++) {
        if (method_b(j) != 0.0) next += method_b(j) * before[j];
        if (OWN && method_e(j) != 0.0) error += method_e(j) * before[j];
    }
    (OWN ? f.stage : f.u)[at] = next;
    found->largest = sw_own_steps_worse(found->largest, fabs(next));
    if (OWN) found->error = sw_own_steps_worse(found->error, fabs(error));
}

/* Columns of an axis A > 0: lines whose points lie `STRIDE` apart, COLUMNS of them at a time. */
template <int A> struct column_shape {
    enum {
        N = A == 1 ? NY : NZ, STRIDE = A == 1 ? NX : PLANE, SEGMENT = A == 1 ? SEGMENT_Y : SEGMENT_Z,
        COLUMNS = A == 1 ? COLUMNS_Y : COLUMNS_Z, SEGMENTS = line_shape<SEGMENT, N>::SEGMENTS,
        TASKS = COLUMNS * SEGMENTS, TILES = (STRIDE + COLUMNS - 1) / COLUMNS,  /* of a plane that the lines lie in */
        PLANES = POINTS / (N * STRIDE), SHARED = 4 * TASKS
    };
};

/* Tile number `tile` of unknown v: along axis A, in stage I. @param shared  [column_shape<A>::SHARED] */
template <int A, int I>
__device__ static inline void pass_columns(const struct fields_on_device &b, int run, const struct fields &f, int v,
                                           int tile, double *shared, struct found *found)
{
    typedef column_shape<A> S;
    const struct fields_line &line = b.system[run * UNKNOWNS + v].axis[A];
    const int column = threadIdx.x % S::COLUMNS, segment = threadIdx.x / S::COLUMNS;
    const int inner = tile % S::TILES * S::COLUMNS + column, points = segment == S::SEGMENTS - 1
                                                                     ? (int)line_shape<S::SEGMENT, S::N>::LAST
                                                                     : (int)S::SEGMENT;
    const bool works = segment < S::SEGMENTS && inner < S::STRIDE;
    const size_t first = (size_t)v * POINTS + (size_t)(tile / S::TILES) * S::N * S::STRIDE + inner +
                         (size_t)segment * S::SEGMENT * S::STRIDE;
    double c[S::SEGMENT];
#pragma unroll
    for (int e = 0; e < S::SEGMENT; e++)
        c[e] = works && e < points ? f.k[I][first + (size_t)e * S::STRIDE] : 0.0;
    if (!line.is_one)
        solve_lines<S::SEGMENT, S::N>(line, c, segment, works, column, S::COLUMNS, S::TASKS, shared);
#pragma unroll
    for (int e = 0; e < S::SEGMENT; e++) {
        const size_t at = first + (size_t)e * S::STRIDE;
        if (!works || e >= points) continue;
        if (A + 1 < AXES) f.k[I][at] = c[e];
        else finish<I>(f, at, c[e], found);
    }
    __syncthreads();
}

/* ------------------------------------------------------------------ a thread for a run */

__device__ static inline void stop_run(const struct fields_on_device &b, int run, long long step)
{
    b.stopped[run] = 1;
    b.diverged[run] = step;
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
    for (int k = 0; k < VARYING; k++) b.most[(size_t)run * VARYING + k] = 0;
    for (int k = 0; OWN && k < FIELDS_LARGEST * UNKNOWNS; k++)
        b.largest[(size_t)run * FIELDS_LARGEST * UNKNOWNS + k] = 0;
}

__device__ static inline unsigned long long *largest_of(const struct fields_on_device &b, int run, int which, int v)
{
    return &b.largest[((size_t)run * FIELDS_LARGEST + which) * UNKNOWNS + v];
}
enum { ERROR, NEXT_SIZE, BY_TIME };

/* P of an unknown. Where a coefficient is not finite a step of a given dt ends the run; the error of one of its own is
 * no number. */
__device__ static inline void make_system(const struct fields_on_device &b, int run, int v)
{
    const int n[3] = {NX, NY, NZ}, segment[3] = {SEGMENT_X, SEGMENT_Y, SEGMENT_Z};
    struct fields_pace *p = &b.pace[run];
    struct fields_stiffness s = b.constant[run * UNKNOWNS + v];
    for (int k = 0; k < VARYING; k++) {
        const double most = fields_raised(of_bits(b.most[(size_t)run * VARYING + varying_same(k)]));
        if (varying_unknown(k) != v) continue;
        if (varying_fourth(k)) s.most4[varying_axis(k)] = most;
        else s.most2[varying_axis(k)] = most;
    }
    if (fields_system_make(&b.method, &b.rule, &s, p->dt, n, segment, b.place + (size_t)run * FIELDS_PLACE + 3,
                           &b.system[run * UNKNOWNS + v]))
        return;
    p->goes = 2;
    if (!OWN) stop_run(b, run, p->number + 1);
    for (int w = 0; OWN && w < UNKNOWNS; w++)
        *largest_of(b, run, ERROR, w) = *largest_of(b, run, NEXT_SIZE, w) = bits_of(nan(""));
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
        b.pace[run].turned ^= 1;
    if (s->end) stop_run(b, run, sw_own_steps_tick(s, b.times));
}
