/* The kernels of cuda.split that hold a user's expressions; compiled at run time
 * (src/problem/line/cuda/expression_kernels_cuda.c), behind
 *
 *     base/sw_hd.h, the *_point.h files used below, cuda/sum_rtc.cuh
 *     UNKNOWNS, REACH, NEIGHBOURS          of the model; of sw_expr.h
 *     term<0> .. term<TERMS - 1>           G and N of each unknown as types: whether they are THERE; how many values
 *                                          they keep at each rate (RUN, STEP, CELL), and where these begin (AT_RUN,
 *                                          ...); the functions run, step, cell and point of sw_program_cuda()
 *     initial_of<0> ..                     likewise the initial value of each unknown
 *     MASS, mass_d2(v), mass_d4(v)         1: P of some unknown is not 1; P of each (stepper/fourth_order.h)
 *     mass_of_g(v), mass_of_g_in_result(v) what the fourth difference of G has in a right-hand side, in the result
 *     ENDED, and what line_ends_rtc.cuh needs  1: lines end
 *     SW_HAS_ENERGY, ENERGY_RUN, ...       1 if the model has an energy, how many values it keeps; model_energy_*, its
 *                                          functions
 *
 * One thread a run or, where blockIdx.y goes over the points, a run and a stretch of points: consecutive threads have
 * consecutive runs, so that each access of a warp is one contiguous stretch of memory. Functions with a number of an
 * unknown or term as their first template argument do their work for it and for those behind it. */

__device__ static inline int run_of_thread(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ static inline double x_at(const struct sw_line_batch &b, int i, int j) { return b.x0[j] + i * b.dx[j]; }

__device__ static inline void fill_inputs(double in[SW_INPUTS], double x, double u)
{
    for (int k = 0; k < SW_INPUTS; k++) in[k] = 0.0;
    in[SW_IN_X] = x;
    in[SW_IN_U] = u;
}

/* Once a batch: what all terms keep a run. */
template <int K = 0> __device__ static inline void keep_run(const struct sw_line_batch &b, int j)
{
    if constexpr (K < TERMS) {
        typedef term<K> T;
        double r[T::RUN + 1];
        T::run(b.param + j, b.count, r);
        for (int k = 0; k < T::RUN; k++) b.run[(size_t)(T::AT_RUN + k) * b.ld + j] = r[k];
        keep_run<K + 1>(b, j);
    }
}

extern "C" __global__ void run_k(struct sw_line_batch b)
{
    int j = run_of_thread();
    if (j < b.count) keep_run(b, j);
}

template <int K> __device__ static inline const double *run_values(const struct sw_line_batch &b, int j)
{
    return b.run + (size_t)term<K>::AT_RUN * b.ld + j;
}

/* Once a batch, after run_k: what they keep a cell. 8 bytes a value written. */
template <int K = 0> __device__ static inline void keep_cell(const struct sw_line_batch &b, int i, int j)
{
    if constexpr (K < TERMS) {
        typedef term<K> T;
        double in[SW_INPUTS], c[T::CELL + 1], *cell = b.cell + sw_line_cell_at(&b, i, j, T::AT_CELL);
        fill_inputs(in, x_at(b, i, j), 0.0);
        T::cell(b.param + j, b.count, run_values<K>(b, j), b.ld, in, i, c);
        for (int k = 0; k < T::CELL; k++) cell[(size_t)k * sw_line_cell_next(&b)] = c[k];
        keep_cell<K + 1>(b, i, j);
    }
}

extern "C" __global__ void cell_k(struct sw_line_batch b)
{
    int j = run_of_thread();
    if (j >= b.count) return;
    for (int i = blockIdx.y; i < b.n; i += gridDim.y) keep_cell(b, i, j);
}

/* Once a stage, whose time is step + `time` steps: what they keep a step. */
template <int K = 0>
__device__ static inline void keep_step(const struct sw_line_batch &b, int j, double t, long long step)
{
    if constexpr (K < TERMS) {
        typedef term<K> T;
        double s[T::STEP + 1];
        T::step(b.param + j, b.count, run_values<K>(b, j), b.ld, t, step, s);
        for (int k = 0; k < T::STEP; k++) b.step[(size_t)(T::AT_STEP + k) * b.ld + j] = s[k];
        keep_step<K + 1>(b, j, t, step);
    }
}

extern "C" __global__ void step_k(struct sw_line_batch b, long long step, double time)
{
    int j = run_of_thread();
    if (j < b.count) keep_step(b, j, ((double)step + time) * b.dt[j], step);
}

/* A term at point i of run j, at a time. */
struct where { int i, j; double t; long long step; };

template <int K>
__device__ static inline double value_at(const struct sw_line_batch &b, const struct where &w, const double *in)
{
    typedef term<K> T;
    return T::point(b.param + w.j, b.count, run_values<K>(b, w.j), b.ld, b.step + (size_t)T::AT_STEP * b.ld + w.j, b.ld,
                    b.cell + sw_line_cell_at(&b, w.i, w.j, T::AT_CELL), sw_line_cell_next(&b), in, w.i, w.t, w.step);
}

/* What a thread has of the points it goes along: of each unknown u at i - 2 .. i + 2, G at i - 1 .. i + 1. Where P is
 * not 1 (MASS) it reaches over G and N of five points, and over what N sees from there. */
enum { N_REACH = MASS ? REACH : 0, G_REACH = MASS ? REACH : 1, U_REACH = REACH + N_REACH };
struct window { double u[UNKNOWNS][2 * U_REACH + 1], g[UNKNOWNS][2 * G_REACH + 1], n[UNKNOWNS][2 * N_REACH + 1]; };

/* G of all unknowns at point w.i, `offset` from that of the window. */
template <int V = 0>
__device__ static inline void set_g(const struct sw_line_batch &b, const struct where &w, int offset, struct window &p)
{
    if constexpr (V < UNKNOWNS) {
        if (term<2 * V>::THERE) {
            double in[SW_INPUTS];
            fill_inputs(in, x_at(b, w.i, w.j), 0.0);
            in[SW_IN_U + NEIGHBOURS * V] = p.u[V][U_REACH + offset];
            p.g[V][G_REACH + offset] = value_at<2 * V>(b, w, in);
        }
        set_g<V + 1>(b, w, offset, p);
    }
}

/* N likewise, of one unknown or all. */
template <int V>
__device__ static inline double n_at(const struct sw_line_batch &b, const struct where &w, int offset,
                                     const struct window &p)
{
    double in[SW_INPUTS];
    fill_inputs(in, x_at(b, w.i, w.j), 0.0);
    for (int v = 0; v < UNKNOWNS; v++)
        for (int o = 0; o < NEIGHBOURS; o++)
            in[SW_IN_U - REACH + NEIGHBOURS * v + o] = p.u[v][N_REACH + offset + o];
    return value_at<2 * V + 1>(b, w, in);
}

template <int V = 0>
__device__ static inline void set_n(const struct sw_line_batch &b, const struct where &w, int offset, struct window &p)
{
    if constexpr (V < UNKNOWNS) {
        if (term<2 * V + 1>::THERE) p.n[V][N_REACH + offset] = n_at<V>(b, w, offset, p);
        set_n<V + 1>(b, w, offset, p);
    }
}

/* Of five numbers, and in the middle of more. */
__device__ static inline double d4_of(const double *five)
{
    return sw_line_d4(five[0], five[1], five[2], five[3], five[4]);
}

template <int V> __device__ static inline double times_mass(const double *five)
{
    const struct sw_line_mass mass = {mass_d2(V), mass_d4(V)};
    return sw_line_mass_times(&mass, five[0], five[1], five[2], five[3], five[4]);
}

/* The rows of all unknowns at point w.i. A row whose expression is absent is left out of the sum. Of a right-hand side
 * P multiplies u and N, and G has a part of the fourth difference; the result of a method is no right-hand side
 * (problem/line/plain/plain_step.c, finish_with_mass()). */
template <int V = 0>
__device__ static inline void add_to_rows(const struct sw_line_batch &b, const struct sw_line_stage &m,
                                          const struct where &w, const struct window &p)
{
    if constexpr (V < UNKNOWNS) {
        const struct sw_line_operator a = b.a[(size_t)V * b.count + w.j];
        const double dt = b.dt[w.j], kappa = dt / (b.dx[w.j] * b.dx[w.j]), *u = p.u[V] + N_REACH;
        const size_t at = sw_line_at(&b, w.i, w.j) + V * b.unknown;
        double d2 = 0.0, n = 0.0, first = 0.0;
        if (term<2 * V>::THERE) d2 = sw_line_d2(p.g[V][G_REACH - 1], p.g[V][G_REACH], p.g[V][G_REACH + 1]);
        if (term<2 * V + 1>::THERE && !MASS) n = n_at<V>(b, w, 0, p);
        if (m.wants_first) first = sw_line_apply(&a, u[0], u[1], u[2], u[3], u[4]);
        for (int k = 0; k < m.rows; k++) {
            const bool wide = MASS && k != m.result;
            const double here = wide ? times_mass<V>(u) : u[REACH];
            double f = b.theta >= 1.0 ? m.of_state[k] * here
                       : MASS         ? here + sw_line_apply(&a, u[0], u[1], u[2], u[3], u[4])
                                      : sw_line_explicit(a.s4, a.s2, u[0], u[1], u[2], u[3], u[4]);
            if (!m.begins) f += m.row[k][at];
            if (term<2 * V>::THERE && m.of_value[k] != 0.0) {
                f += m.of_value[k] * kappa * d2;
                if (MASS)
                    f += m.of_value[k] * kappa * (wide ? mass_of_g(V) : mass_of_g_in_result(V)) * d4_of(p.g[V]);
            }
            if (term<2 * V + 1>::THERE && m.of_value[k] != 0.0)
                f += m.of_value[k] * dt * (wide ? times_mass<V>(p.n[V]) : MASS ? p.n[V][N_REACH] : n);
            if (m.wants_first && m.of_first[k] != 0.0) f += m.of_first[k] * first;
            m.row[k][at] = f;
        }
        add_to_rows<V + 1>(b, m, w, p);
    }
}

/* What is known of a run's ends at a stage. */
struct line_ends { double beyond[UNKNOWNS][2][REACH], given[UNKNOWNS][2]; };

template <int V = 0>
__device__ static inline void set_ends(const struct sw_line_batch &b, int j, double time, long long step,
                                       struct line_ends &ends)
{
    if constexpr (V < UNKNOWNS) {
        const struct conditions e = conditions_at<V>(b.param + j, b.count, ((double)step + time) * b.dt[j], step);
        for (int side = 0; side < 2; side++) {
            ends.given[V][side] = e.first[side];
            for (int k = 1; k <= REACH; k++) ends.beyond[V][side][k - 1] = beyond_end(e, V, side, k, b.dx[j]);
        }
        set_ends<V + 1>(b, j, time, step, ends);
    }
}

/* The point that stands at i, which may lie beyond an end. */
__device__ static inline int point_at(int i, int n)
{
    if (ENDED) return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
    return i < 0 ? i + n : i < n ? i : i - n;
}

/* u of unknown v at i. Crank-Nicolson begins with what is known at the ends, whatever the initial value is. */
__device__ static inline double u_at(const struct sw_line_batch &b, const double *__restrict__ u,
                                     const struct line_ends &ends, int v, int i, int j)
{
    const double there = u[sw_line_at(&b, point_at(i, b.n), j) + v * b.unknown];
    if (!ENDED) return there;
    if (b.theta < 1.0 && (i == 0 || i == b.n - 1) && end_kind(v, i > 0) == SW_END_VALUE) return ends.given[v][i > 0];
    if (i < 0) return reflection(v, 0) * there + ends.beyond[v][0][-i - 1];
    return i < b.n ? there : reflection(v, 1) * there + ends.beyond[v][1][i - b.n];
}

/* Make a right-hand side that of the matrices (sw_end_row()), or only set what is known of u at the ends.
 * @param f     [unknowns][n][ld]
 * @param time  of what is known, so many steps after the step's beginning */
template <int V = 0>
__device__ static inline void impose_ends(const struct sw_line_batch &b, double *f, struct line_ends &ends, bool solved,
                                          int j)
{
    if constexpr (V < UNKNOWNS) {
        double row[5], *at = f + sw_line_at(&b, 0, j) + V * b.unknown;
        sw_line_row(&b.a[(size_t)V * b.count + j], row);
        if (solved) sw_end_impose(row, ends.beyond[V], b.n, at, (size_t)b.point);
        for (int side = 0; side < 2; side++)
            if (end_kind(V, side) == SW_END_VALUE) at[side ? (size_t)(b.n - 1) * b.point : 0] = ends.given[V][side];
        impose_ends<V + 1>(b, f, ends, solved, j);
    }
}

extern "C" __global__ void ends_k(struct sw_line_batch b, double *f, long long step, double time, int solved)
{
    struct line_ends ends;
    const int j = run_of_thread();
    if (!ENDED || j >= b.count) return;
    set_ends(b, j, time, step, ends);
    impose_ends(b, f, ends, solved, j);
}

/* Mark with `mark`, a step or SW_LINE_NOT_FINITE, the runs whose field is not finite: 8 bytes read a point. */
extern "C" __global__ void check_k(struct sw_line_batch b, const double *__restrict__ u, long long mark, int rows)
{
    int j = run_of_thread();
    if (j >= b.count || b.first_bad[j] != SW_LINE_FINITE) return;
    bool finite = true;
    for (long long start = (long long)blockIdx.y * rows; start < b.n; start += (long long)gridDim.y * rows)
        for (int i = (int)start; i < b.n && i < start + rows; i++)
            for (int v = 0; v < UNKNOWNS; v++) finite = finite && isfinite(u[sw_line_at(&b, i, j) + v * b.unknown]);
    if (!finite) b.first_bad[j] = mark;
}

/* u at step 0; NaN where the run has a load_error. Computed once, so nothing is kept. */
template <int V = 0> __device__ static inline void set_initial(const struct sw_line_batch &b, double *u, int j)
{
    if constexpr (V < UNKNOWNS) {
        typedef initial_of<V> T;
        const double *p = b.param + j;
        double r[T::RUN + 1], s[T::STEP + 1], c[T::CELL + 1], in[SW_INPUTS];
        T::run(p, b.count, r);
        T::step(p, b.count, r, 1, 0.0, 0, s);
        for (int i = blockIdx.y; i < b.n; i += gridDim.y) {
            fill_inputs(in, x_at(b, i, j), 0.0);
            T::cell(p, b.count, r, 1, in, i, c);
            double value = T::point(p, b.count, r, 1, s, 1, c, 1, in, i, 0.0, 0);
            u[sw_line_at(&b, i, j) + V * b.unknown] = b.load_error[j] ? nan("") : value;
        }
        set_initial<V + 1>(b, u, j);
    }
}

extern "C" __global__ void initial_k(struct sw_line_batch b, double *u)
{
    int j = run_of_thread();
    if (j < b.count) set_initial(b, u, j);
}

/* scalars [count][SW_LINE_SCALARS]: the rows of the kind DENSITY (problem/line/stepper/scalars_point.h), one block of
 * SW_SUM_LANES threads a run. A warp reads one run, so 32 bytes are fetched for each 8 used; neighbouring blocks find
 * the rest in the cache. */
#define BEGIN(id, name, unit, long_name, term, value) totals[id] = 0.0;
#define ADD(id, name, unit, long_name, term, value) totals[id] += (term);
#define LESS_HALF(id, name, unit, long_name, term, value) totals[id] -= 0.5 * (term);
#define BLOCK_SUM(id, name, unit, long_name, term, value) totals[id] = block_sum(totals[id], shared);
#define REPORT(id, name, unit, long_name, term, value)  \
    {                                                   \
        const double total = totals[id];                \
        out[id] = finite ? (value) : nan("");           \
    }
#define DENSITY_ROWS(KIND) \
    SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, KIND, SW_LINE_NO_ROW)
extern "C" __global__ void energy_k(struct sw_line_batch b, const double *__restrict__ u, double *scalars)
{
#if SW_HAS_ENERGY
    __shared__ double shared[SW_SUM_LANES];
    const int n = b.n;
    for (int j = blockIdx.x; j < b.count; j += gridDim.x) {
        const double *p = b.param + j, dx = b.dx[j];
        double r[ENERGY_RUN + 1], s[ENERGY_STEP + 1], c[ENERGY_CELL + 1], in[SW_INPUTS];
        double totals[SW_LINE_SCALARS], half = 0.5 / dx, scale = 1.0 / (dx * dx);
        DENSITY_ROWS(BEGIN)
        model_energy_run(p, b.count, r);
        model_energy_step(p, b.count, r, 1, 0.0, 0, s);
        for (int i = threadIdx.x; i < n; i += SW_SUM_LANES) {
            double left = u[sw_line_at(&b, i > 0 ? i - 1 : n - 1, j)];
            double right = u[sw_line_at(&b, i + 1 < n ? i + 1 : 0, j)];
            double here = u[sw_line_at(&b, i, j)];
            fill_inputs(in, x_at(b, i, j), here);
            in[SW_IN_UX] = sw_first_derivative_at(left, right, half);
            in[SW_IN_UXX] = sw_second_derivative_at(left, here, right, scale);
            const bool at_end = ENDED && (i == 0 || i == n - 1);
            if (at_end) {
                const int inwards = i ? -1 : 1;
                double next[3];
                for (int k = 0; k < 3; k++) next[k] = u[sw_line_at(&b, i + (k + 1) * inwards, j)];
                in[SW_IN_UX] = inwards * sw_first_derivative_at_end(here, next[0], next[1], half);
                in[SW_IN_UXX] = sw_second_derivative_at_end(here, next[0], next[1], next[2], scale);
            }
            model_energy_cell(p, b.count, r, 1, in, i, c);
            const double density = model_energy_point(p, b.count, r, 1, s, 1, c, 1, in, i, 0.0, 0);
            DENSITY_ROWS(ADD)
            if (at_end) {
                DENSITY_ROWS(LESS_HALF)
            }
        }
        DENSITY_ROWS(BLOCK_SUM)
        const bool finite = b.first_bad[j] == SW_LINE_FINITE;
        double *out = scalars + (size_t)j * SW_LINE_SCALARS;
        if (threadIdx.x) continue;
        DENSITY_ROWS(REPORT)
    }
#endif
}
