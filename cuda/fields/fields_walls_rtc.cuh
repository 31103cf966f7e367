/* Walls of fields on a GPU, behind fields_programs_rtc.cuh: what conditions give at a time, points beyond walls, what
 * moves at them. What all of it is says problem/fields/walls.h; formulas are those of walls_point.h. Also needed:
 *
 *     WALLS_X .., WALLED     axes that end, whether one does;  OPEN_X .., OPEN: some unknown's wall is not without flux
 *     MOVING                 conditions depend on time
 *     BEYOND_X, BEYOND_Y     how far differences ask beyond ends
 *     CONDITIONS, condition_of<k>, rate_of<k>    programs of conditions, and derivatives in t of those that move;
 *     condition_end(k), condition_second(k), condition_moves(k), condition_begins(k)    which end of an unknown it is
 *                            of, numbered (3 v + axis)*2 + side; where its values are in what a run has
 *     condition_same(k)      the first one with the same programs
 *     wall_kind(end), wall_condition(2 end + second)    -1: it is 0
 *     moving(v), above_second(3 v + axis), residual_begins(3 v + axis), weight_begins(3 v + axis)
 *     WALLS_SIZE, WEIGHTS_SIZE, ELIMINATED_SIZE, eliminated_begins(axis)
 *
 * A step knows conditions at several times, SETS: those of the stages and, the last one, its end. Of each that moves it
 * has the values of all points of its wall, with those beyond ends of other axes, and of points inside, of each set,
 * the conditions of G less those of the step's beginning, and of G_t + R: as G is linear in them, a state becomes that
 * of another time by what is between the two, and v itself is nowhere. A block forms these before a step: 24 bytes a
 * point of a wall, a condition and a set, and on walls across y and z 6 FMAs of each condition before.
 *
 * What walls cost the passes, of the cache alone. Without flux: nothing, as mirror images are where others wrap. Beside
 * others each point is a call (rate_between()), in which a neighbour has two comparisons an axis, and beyond a wall up
 * to 3 FMAs and 16 bytes; elsewhere nothing. Where conditions move, 2 FMAs and 32 bytes an axis for each of G_t + R and
 * the next G, of a point and a stage, twice that with derivatives above the second. Solves are in solve_lines(). */

enum {
    SETS = STAGES + 1, ROW_FACE = NX + 2 * BEYOND_X, END_OF_STEP = STAGES
};

__device__ static __forceinline__ constexpr bool walls_along(int axis)
{
    return axis == 0 ? WALLS_X : axis == 1 ? WALLS_Y : WALLS_Z;
}

__device__ static __forceinline__ constexpr int points_along(int axis) { return axis == 0 ? NX : axis == 1 ? NY : NZ; }

/* Points of a wall, by its other axes, the first of which it has from -beyond on; and of those inside. */
__device__ static __forceinline__ constexpr int face_row(int axis) { return axis == 0 ? NY : ROW_FACE; }
__device__ static __forceinline__ constexpr int face_points(int axis)
{
    return face_row(axis) * (axis == 2 ? NY + 2 * BEYOND_Y : NZ);
}
__device__ static __forceinline__ constexpr int inside_points(int axis) { return POINTS / points_along(axis); }

/* The number of the point of a wall that is beside a point, in a face and inside. */
__device__ static __forceinline__ int on_face(int axis, int i, int j, int k)
{
    return axis == 0 ? k * NY + j : axis == 1 ? k * ROW_FACE + i + BEYOND_X : (j + BEYOND_Y) * ROW_FACE + i + BEYOND_X;
}
__device__ static __forceinline__ int on_wall(int axis, int i, int j, int k)
{
    return axis == 0 ? k * NY + j : axis == 1 ? k * NX + i : j * NX + i;
}

/* The place along an axis that stands for one beyond its ends, by up to four places and of the rows taken together:
 * across them, or the mirror image of up to three. */
template <int A> __device__ static __forceinline__ int place_of(int i)
{
    constexpr int n = points_along(A);
    if (walls_along(A)) {
        i = i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
        return i < 0 ? 0 : i;
    }
    return n < 16 ? (i + 4 * n) % n : wrapped(i, n);
}

__device__ static __forceinline__ constexpr int end_of(int v, int axis, int side) { return (3 * v + axis) * 2 + side; }

__device__ static __forceinline__ constexpr bool is_closed(int end)
{
    return wall_kind(end) == FIELDS_SLOPE && wall_condition(2 * end) < 0 && wall_condition(2 * end + 1) < 0;
}

/* ------------------------------------------------------------------ points beyond */

/* What a condition of an end gives. @param at  on_face() */
__device__ static __forceinline__ double given_at(const struct fields_on_device &b, int run, int end, int second,
                                                  int set, int at)
{
    const int k = wall_condition(2 * end + second);
    if (k < 0) return 0.0;
    return b.walls[(size_t)run * WALLS_SIZE + condition_begins(k) +
                   (condition_moves(k) ? set * face_points(end / 2 % 3) : 0) + at];
}

/* The same of an end that is known. */
template <int END, int SECOND>
__device__ static __forceinline__ double given_of(const struct fields_on_device &b, int run, int set, int at)
{
    constexpr int k = wall_condition(2 * END + SECOND);
    if constexpr (k < 0) {
        return 0.0;
    } else {
        constexpr int begins = condition_begins(k), apart = condition_moves(k) ? face_points(END / 2 % 3) : 0;
        return b.walls[(size_t)run * WALLS_SIZE + begins + set * apart + at];
    }
}

/* u at a wall or `far` beyond it. @param inside  u at the image */
template <int END>
__device__ static __forceinline__ double at_wall(const struct fields_on_device &b, int run, int far, double inside,
                                                 int set, int at)
{
    constexpr int kind = wall_kind(END), axis = END / 2 % 3, side = END % 2;
    constexpr bool given = wall_condition(2 * END) >= 0 || wall_condition(2 * END + 1) >= 0;
    if (far == 0) return fields_wall_is_given(kind) ? given_of<END, 0>(b, run, set, at) : inside;
    const double reflected = fields_wall_reflection(kind) * inside;
    if constexpr (!given) return reflected;
    return reflected + fields_wall_beyond(kind, side, far, b.place[(size_t)run * FIELDS_PLACE + 3 + axis],
                                          given_of<END, 0>(b, run, set, at), given_of<END, 1>(b, run, set, at));
}

/* u of an unknown at place i of an axis, OFFSET from a point that it has. */
template <int V, int A, int OFFSET>
__device__ static __forceinline__ double through_wall(const struct fields_on_device &b, int run, int i, double inside,
                                                      int set, int at)
{
    constexpr int last = points_along(A) - 1;
    if (OFFSET <= 0 && i <= 0) return at_wall<end_of(V, A, 0)>(b, run, OFFSET ? -i : 0, inside, set, at);
    if (OFFSET >= 0 && i >= last) return at_wall<end_of(V, A, 1)>(b, run, OFFSET ? i - last : 0, inside, set, at);
    return inside;
}

/* G of a point, of what is kept for a set: its change since the step began, or G_t + R where RATE, by the axes before
 * `axes`. */
template <bool RATE>
__device__ static __forceinline__ double lift_at(const struct fields_on_device &b, int run, int v, int set, int axes,
                                                 int i, int j, int k)
{
    double g = 0.0;
#pragma unroll
    for (int axis = 0; axis < AXES; axis++) {
        if (axis >= axes || !walls_along(axis)) continue;
        const int n = points_along(axis), inside = inside_points(axis), of = 3 * v + axis;
        const double *w = b.weights + (size_t)run * WEIGHTS_SIZE + weight_begins(of) +
                          (axis == 0 ? i : axis == 1 ? j : k),
                     *r = b.walls + (size_t)run * WALLS_SIZE + residual_begins(of) +
                          (2 * set + RATE) * FIELDS_CONDITIONS * inside + on_wall(axis, i, j, k);
        g = g + r[0] * w[0] + r[2 * inside] * w[2 * n];
        if (above_second(of)) g = g + r[inside] * w[n] + r[3 * inside] * w[3 * n];
    }
    return g;
}

/* What G of a point is at a set more than at the end of the step. A call: each neighbour of a point asks for it. */
template <int V>
__device__ static __noinline__ double lift_from_end(double *walls, const double *weights, int set, int i, int j, int k)
{
    struct fields_on_device b = {};
    b.walls = walls, b.weights = weights;
    return lift_at<false>(b, 0, V, set, AXES, i, j, k) - lift_at<false>(b, 0, V, END_OF_STEP, AXES, i, j, k);
}

/* What a program takes in at a point beside walls, of what lies at images so far: beyond x first, then y of all x, then
 * z of all, so that corners are beyond both. Neighbours are numbers of templates: of one that is only known once loops
 * are unrolled, the compiler looks at all kinds of walls there are, three axes of two ends, and at those of neighbours
 * that the program does not use: of four unknowns in three dimensions for three minutes.
 * @param LIFTED  the state is that of the step's end, and is looked at as at that of the set */
template <class VIEW, int Q, bool LIFTED>
__device__ static __forceinline__ double neighbour_between(const struct fields_on_device &b, int run, int i, int j,
                                                           int k, int set, double u)
{
    constexpr int V = VIEW::unknown(Q), dx = VIEW::offset(Q, 0), dy = VIEW::offset(Q, 1), dz = VIEW::offset(Q, 2);
    const int x = i + dx, y = j + dy, z = k + dz, y_in = place_of<1>(y), z_in = place_of<2>(z);
    if constexpr (LIFTED && moving(V))
        u += lift_from_end<V>(b.walls + (size_t)run * WALLS_SIZE, b.weights + (size_t)run * WEIGHTS_SIZE, set,
                              place_of<0>(x), y_in, z_in);
    if constexpr (OPEN_X) u = through_wall<V, 0, dx>(b, run, x, u, set, on_face(0, x, y_in, z_in));
    if constexpr (OPEN_Y) u = through_wall<V, 1, dy>(b, run, y, u, set, on_face(1, x, y, z_in));
    if constexpr (OPEN_Z) u = through_wall<V, 2, dz>(b, run, z, u, set, on_face(2, x, y, z));
    return u;
}

template <class T, class VIEW, bool LIFTED, int FROM = 0>
__device__ static __forceinline__ void pass_walls(const struct fields_on_device &b, int run, int i, int j, int k,
                                                  int set, double *in)
{
    constexpr int Q = uses_of<T>::next(FROM);
    if constexpr (Q < VIEW::NEIGHBOURS) {
        double &u = in[FIELDS_INPUTS + Q];
        u = neighbour_between<VIEW, Q, LIFTED>(b, run, i, j, k, set, u);
        pass_walls<T, VIEW, LIFTED, Q + 1>(b, run, i, j, k, set, in);
    }
}

/* ------------------------------------------------------------------ steps */

/* Whether u of an unknown is given at a point, by a wall of an axis. @param end  out: which one */
__device__ static __forceinline__ bool is_given_by(int v, int axis, int at, int *end)
{
    const int last = points_along(axis) - 1;
    if (!walls_along(axis) || (at != 0 && at != last)) return false;
    *end = end_of(v, axis, at == last);
    return fields_wall_is_given(wall_kind(*end));
}

/* Whether what is up to `reach` >= 1 away along an axis from its places first .. last is not beyond a wall that has
 * conditions, nor are these at it. */
template <int A> __device__ static __forceinline__ bool is_inside(int first, int last, int reach)
{
    if (!(A == 0 ? OPEN_X : A == 1 ? OPEN_Y : OPEN_Z)) return true;
    return first >= reach && last + reach < points_along(A);
}

/* F of increments, where u is not given; and anywhere. */
template <int V>
__device__ static __forceinline__ double less_moves(const struct fields_on_device &b, int run, int set, int i, int j,
                                                    int k, double f)
{
    if (WALLED && moving(V)) f -= lift_at<true>(b, run, V, set, AXES, i, j, k);
    return f;
}

template <int V>
__device__ static __forceinline__ double close_walls(const struct fields_on_device &b, int run, int set, int i, int j,
                                                     int k, double f)
{
    int end;
    if (WALLED && (is_given_by(V, 0, i, &end) || is_given_by(V, 1, j, &end) || is_given_by(V, 2, k, &end))) return 0.0;
    return less_moves<V>(b, run, set, i, j, k, f);
}

/* move_walls() of a run with what is its own. A call, as each thread has many points. */
__device__ static __noinline__ double moved(double *walls, const double *weights, int at, int set, double next)
{
    struct fields_on_device b = {};
    const int v = at / POINTS, c = at % POINTS, i = c % NX, j = c / NX % NY, k = c / PLANE;
    int end;
    b.walls = walls;
    b.weights = weights;
    if (!moving(v)) return next;
    if (is_given_by(v, 2, k, &end)) return given_at(b, 0, end, 0, set, on_face(2, i, j, k));
    if (is_given_by(v, 1, j, &end)) return given_at(b, 0, end, 0, set, on_face(1, i, j, k));
    if (is_given_by(v, 0, i, &end)) return given_at(b, 0, end, 0, set, on_face(0, i, j, k));
    return next + lift_at<false>(b, 0, v, set, AXES, i, j, k);
}

/* The next state of a point, from one that has the conditions of the step's beginning.
 * @param at  in a field @param set  of the next state */
__device__ static __forceinline__ double move_walls(const struct fields_on_device &b, int run, size_t at, int set,
                                                    double next)
{
    if constexpr (!MOVING) return next;
    return moved(b.walls + (size_t)run * WALLS_SIZE, b.weights + (size_t)run * WEIGHTS_SIZE, (int)at, set, next);
}

/* Set what is given at walls, of set 0. All threads of the run's block together. */
__device__ static inline void impose_walls(const struct fields_on_device &b, int run, double *u)
{
#pragma unroll
    for (int axis = 0; axis < AXES; axis++) {
        if (!walls_along(axis)) continue;
        for (int side = 0; side < 2; side++)
            for (int v = 0; v < UNKNOWNS; v++) {
                const int end = end_of(v, axis, side), wall = side ? points_along(axis) - 1 : 0;
                if (!fields_wall_is_given(wall_kind(end))) continue;
                for (int c = threadIdx.x; c < inside_points(axis); c += blockDim.x) {
                    const int row = axis == 0 ? NY : NX, first = c % row, other = c / row, i = axis == 0 ? wall : first,
                              j = axis == 1 ? wall : axis == 0 ? first : other, k = axis == 2 ? wall : other;
                    u[v * POINTS + (k * NY + j) * NX + i] = given_at(b, run, end, 0, 0, on_face(axis, i, j, k));
                }
            }
        __syncthreads();
    }
}

/* ------------------------------------------------------------------ conditions at times */

/* Of a step, from t by dt to `end`. */
struct wall_times { double t, dt, end; };

__device__ static __forceinline__ double time_of(const struct wall_times &s, int set)
{
    return set == END_OF_STEP ? s.end : s.t + method_c(set) * s.dt;
}

/* Walls without flux, a bit each. */
__device__ static __forceinline__ constexpr unsigned long long closed_ends(void)
{
    unsigned long long closed = 0;
    for (int end = 0; end < 6 * UNKNOWNS; end++) closed |= (unsigned long long)is_closed(end) << end;
    return closed;
}

/* Where point c of a wall is. @return its number in a wall, -1: beyond ends of other axes */
__device__ static __forceinline__ int place_on_wall(const struct fields_on_device &b, int run, int end, int c,
                                                    double *in)
{
    constexpr unsigned long long all_closed = closed_ends();
    const int axis = end / 2 % 3, row = face_row(axis), wall = end % 2 ? points_along(axis) - 1 : 0,
              first = c % row - (axis ? BEYOND_X : 0), other = c / row - (axis == 2 ? BEYOND_Y : 0);
    const int i = axis == 0 ? wall : first, j = axis == 0 ? first : axis == 1 ? wall : other,
              k = axis == 2 ? wall : other, closed = (int)(all_closed >> end / 6 * 6) & 63;
    const bool inside = i >= 0 && i < NX && j >= 0 && j < NY && k >= 0 && k < NZ;
    set_place(b.place + (size_t)run * FIELDS_PLACE, (int)fields_wall_place(i, NX, WALLS_X, closed & 1, closed & 2),
              (int)fields_wall_place(j, NY, WALLS_Y, closed & 4, closed & 8),
              (int)fields_wall_place(k, NZ, WALLS_Z, closed & 16, closed & 32), in);
    return inside ? on_wall(axis, i, j, k) : -1;
}

/* Programs of conditions by number, so that what is around them is compiled once.
 * @param k  condition_same() of one @param rate  its derivative in t */
template <int K = 0>
__device__ static inline void keep_condition(const struct fields_on_device &b, int run, int k, bool rate, double t,
                                             struct kept *to)
{
    if constexpr (K < CONDITIONS) {
        if (condition_same(K) != K || k != K) keep_condition<K + 1>(b, run, k, rate, t, to);
        else if (rate) keep<rate_of<K>>(b, run, t, 0, to);
        else keep<condition_of<K>>(b, run, t, 0, to);
    }
}

template <int K = 0>
__device__ static __forceinline__ double condition_at(const struct fields_on_device &b, int run, int k, bool rate,
                                                      const struct kept *kept, const double *in, int c, double t)
{
    if constexpr (K < CONDITIONS) {
        if (condition_same(K) != K || k != K) return condition_at<K + 1>(b, run, k, rate, kept, in, c, t);
        return rate ? value_of<rate_of<K>>(b, run, kept, in, c, t, 0)
                    : value_of<condition_of<K>>(b, run, kept, in, c, t, 0);
    }
    return 0.0;
}

/* A condition that moves, at a point of its wall: at all times, with what G is made of.
 * @param at  the point's place in what walls give @param wall  its number in the wall */
__device__ static __forceinline__ void find_moving(const struct fields_on_device &b, int run, int k, int c, int wall,
                                                   const double *in, const struct wall_times &s,
                                                   const struct kept *kept)
{
    const int end = condition_end(k), of = end / 2, axis = of % 3, points = face_points(axis), same = condition_same(k),
              inside = inside_points(axis), m = end % 2 * 2 + condition_second(k);
    double *value = b.walls + (size_t)run * WALLS_SIZE + condition_begins(k) + c, first = 0.0, last = 0.0, rest = 0.0,
           *residual = b.walls + (size_t)run * WALLS_SIZE + residual_begins(of) + m * inside + wall;
    const bool lifts = wall >= 0 && (m % 2 == 0 || above_second(of));
#pragma unroll 1
    for (int which = 0; which < 2 * SETS; which++) {
        const int set = which / 2;
        const bool rate = which % 2;
        if (rate && !lifts) continue;
        const double x = condition_at(b, run, same, rate, kept + (rate ? SETS : 0) + set, in, c, time_of(s, set));
        if (rate) {
            residual[which * FIELDS_CONDITIONS * inside] = x;
            if (set < STAGES) rest -= b.method->b[set] * x;
            continue;
        }
        if (set == 0) first = x;
        last = x;
        value[set * points] = x;
        if (lifts) residual[which * FIELDS_CONDITIONS * inside] = x - first;
    }
    if (!lifts || s.dt == 0.0) return;
    rest += (last - first) / s.dt;
    for (int set = 0; set < SETS; set++) residual[(2 * set + 1) * FIELDS_CONDITIONS * inside] += rest;
}

/* @param all  else those that move  @param kept  [2 SETS] */
__device__ static inline void find_conditions(const struct fields_on_device &b, int run, const struct wall_times &s,
                                              bool all, struct kept *kept)
{
#pragma unroll 1
    for (int k = 0; k < CONDITIONS; k++) {
        const int end = condition_end(k), moves = condition_moves(k), same = condition_same(k);
        if (!all && !moves) continue;
        for (int which = 0; threadIdx.x == 0 && which < (moves ? 2 * SETS : 1); which++)
            keep_condition(b, run, same, which >= SETS, time_of(s, which % SETS), kept + which);
        __syncthreads();
        for (int c = threadIdx.x; c < face_points(end / 2 % 3); c += blockDim.x) {
            double in[FIELDS_INPUTS];
            const int wall = place_on_wall(b, run, end, c, in);
            if (MOVING && moves) find_moving(b, run, k, c, wall, in, s, kept);
            else b.walls[(size_t)run * WALLS_SIZE + condition_begins(k) + c] =
                     condition_at(b, run, same, false, kept, in, c, 0.0);
        }
        __syncthreads();
    }
}

/* What the axes before an axis have at its walls is not for its polynomials: less the derivative of what each of their
 * conditions has along its wall, times what it adds to G (walls.c, subtract_lift()). */
__device__ static inline void subtract_lifts(const struct fields_on_device &b, int run, int v, int axis)
{
    const int of = 3 * v + axis, inside = inside_points(axis), last = points_along(axis) - 1;
    double *walls = b.walls + (size_t)run * WALLS_SIZE;
    for (int task = threadIdx.x; task < 2 * FIELDS_CONDITIONS * SETS * inside; task += blockDim.x) {
        const int wall = task % inside, m = task / inside % FIELDS_CONDITIONS, side = m / 2,
                  which = task / inside / FIELDS_CONDITIONS, i = wall % NX, other = wall / NX;
        if (m % 2 && !above_second(of)) continue;
        double w[5], *f = walls + residual_begins(of) + (which * FIELDS_CONDITIONS + m) * inside + wall, x = *f;
        const int order = fields_wall_order(wall_kind(2 * of + side), m % 2);
        const double over = fields_wall_difference(order, side, b.place[(size_t)run * FIELDS_PLACE + 3 + axis], w);
#pragma unroll 1
        for (int c = 0; c < axis * FIELDS_CONDITIONS; c++) {
            const int before = c / FIELDS_CONDITIONS, beside = inside_points(before), from = 3 * v + before;
            if (!walls_along(before) || (c % 2 && !above_second(from))) continue;
            const double *r = walls + residual_begins(from) +
                              (which * FIELDS_CONDITIONS + c % FIELDS_CONDITIONS) * beside,
                         adds = b.weights[(size_t)run * WEIGHTS_SIZE + weight_begins(from) +
                                          c % FIELDS_CONDITIONS * points_along(before) + (before ? other : i)];
            double d = 0.0;
            for (int far = 0; far < 5; far++) {
                const int at = side ? last - far : far;
                d += w[far] * r[on_wall(before, i, axis == 1 ? at : other, axis == 1 ? other : at)];
            }
            x -= over * d * adds;
        }
        *f = x;
    }
    __syncthreads();
}

/* All that walls give at the times of a step. All threads of the run's block together. A call, of one run with what is
 * its own: two kernels of cuda.fused have it, one of them beside all else. */
__device__ static __noinline__ void find_walls_of(const double *param, int count, const double *place, double *walls,
                                                  const double *weights, const struct fields_method *method, double t,
                                                  double dt, double end, bool all, struct kept *kept)
{
    struct fields_on_device b = {};
    b.param = param, b.count = count, b.place = place, b.walls = walls, b.weights = weights, b.method = method;
#pragma unroll 1
    for (int of = 0; MOVING && of < 3 * UNKNOWNS; of++)
        if (moving(of / 3) && walls_along(of % 3))
            for (int c = threadIdx.x; c < 2 * SETS * FIELDS_CONDITIONS * inside_points(of % 3); c += blockDim.x)
                walls[residual_begins(of) + c] = 0.0;
    __syncthreads();
    find_conditions(b, 0, wall_times{t, dt, end}, all, kept);
#pragma unroll 1
    for (int of = 0; MOVING && of < 3 * UNKNOWNS; of++)
        if (moving(of / 3) && walls_along(of % 3) && ((of % 3 > 0 && WALLS_X) || (of % 3 > 1 && WALLS_Y)))
            subtract_lifts(b, 0, of / 3, of % 3);
}

__device__ static __forceinline__ void find_walls(const struct fields_on_device &b, int run, const struct wall_times &s,
                                                  bool all, struct kept *kept)
{
    find_walls_of(b.param + run, b.count, b.place + (size_t)run * FIELDS_PLACE, b.walls + (size_t)run * WALLS_SIZE,
                  b.weights + (size_t)run * WEIGHTS_SIZE, b.method, s.t, s.dt, s.end, all, kept);
}

/* A time outside steps, of which set 0 counts: a step of no length has no R. */
__device__ static __forceinline__ struct wall_times outside_steps(double t) { return wall_times{t, 0.0, t}; }

/* The step that the run takes. */
__device__ static __forceinline__ struct wall_times step_of(const struct fields_on_device &b, int run)
{
    const struct fields_pace p = b.pace[run];
    return wall_times{p.t, p.dt, OWN ? p.t + p.dt : (double)(p.number + 1) * p.dt};
}

/* ------------------------------------------------------------------ lines, sums */

/* Of an axis of an unknown (fields_point.h). */
__device__ static __forceinline__ double *eliminated_of(const struct fields_on_device &b, int run, int v, int axis)
{
    return b.eliminated + ((size_t)run * UNKNOWNS + v) * ELIMINATED_SIZE + eliminated_begins(axis);
}

__device__ static inline struct fields_line_ends line_ends_of(const struct fields_on_device &b, int run, int v)
{
    struct fields_line_ends ends;
    for (int axis = 0; axis < FIELDS_AXES; axis++) {
        for (int side = 0; side < 2; side++) ends.kind[axis][side] = wall_kind(end_of(v, axis, side));
        ends.eliminated[axis] = eliminated_of(b, run, v, axis);
    }
    return ends;
}

/* The weight of a point in sums: 1/2 at each wall. */
__device__ static inline double weight_of(int at)
{
    const int i = at % NX, j = at / NX % NY, k = at / PLANE;
    return (WALLS_X && (i == 0 || i == NX - 1) ? 0.5 : 1.0) * (WALLS_Y && (j == 0 || j == NY - 1) ? 0.5 : 1.0) *
           (WALLS_Z && (k == 0 || k == NZ - 1) ? 0.5 : 1.0);
}
