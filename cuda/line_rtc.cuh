/* The kernels of cuda.split that hold a user's expressions; compiled at run time
 * (src/problem/line/kernels_cuda.c), behind
 *
 *     base/sw_hd.h, the *_point.h files used below, cuda/sum_rtc.cuh
 *     SW_HAS_INITIAL, SW_HAS_G, SW_HAS_S, SW_HAS_ENERGY     1 if the model has the expression, else 0
 *     INITIAL_RUN, INITIAL_STEP, INITIAL_CELL, G_RUN, ...   how many values it keeps at each rate
 *     model_initial_*, model_g_*, model_s_*, model_energy_* its functions (sw_program_cuda), where it has them
 *
 * One thread a run or, where blockIdx.y goes over the points, a run and a stretch of points: consecutive threads have
 * consecutive runs, so that each access of a warp is one contiguous stretch of memory. */

__device__ static inline int run_of_thread(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ static inline double x_at(const struct sw_line_batch &b, int i, int j) { return b.x0[j] + i * b.dx[j]; }

__device__ static inline void fill_inputs(double in[SW_INPUTS], double x, double u)
{
    for (int k = 0; k < SW_INPUTS; k++) in[k] = 0.0;
    in[SW_IN_X] = x;
    in[SW_IN_U] = u;
}

/* Once a batch: what G and S keep a run. */
extern "C" __global__ void run_k(struct sw_line_batch b)
{
    int j = run_of_thread();
    if (j >= b.count) return;
#if SW_HAS_G
    double g[G_RUN + 1];
    model_g_run(b.param + j, b.count, g);
    for (int k = 0; k < G_RUN; k++) b.run[(size_t)k * b.ld + j] = g[k];
#endif
#if SW_HAS_S
    double s[S_RUN + 1];
    model_s_run(b.param + j, b.count, s);
    for (int k = 0; k < S_RUN; k++) b.run[(size_t)(G_RUN + k) * b.ld + j] = s[k];
#endif
}

/* Once a batch, after run_k: what they keep a cell. 8 bytes a value written. */
extern "C" __global__ void cell_k(struct sw_line_batch b)
{
    int j = run_of_thread();
    if (j >= b.count) return;
    for (int i = blockIdx.y; i < b.n; i += gridDim.y) {
        double in[SW_INPUTS], *cell = b.cell + (size_t)i * b.cells * b.ld + j;
        fill_inputs(in, x_at(b, i, j), 0.0);
        (void)cell;
#if SW_HAS_G
        double g[G_CELL + 1];
        model_g_cell(b.param + j, b.count, b.run + j, b.ld, in, i, g);
        for (int k = 0; k < G_CELL; k++) cell[(size_t)k * b.ld] = g[k];
#endif
#if SW_HAS_S
        double s[S_CELL + 1];
        model_s_cell(b.param + j, b.count, b.run + (size_t)G_RUN * b.ld + j, b.ld, in, i, s);
        for (int k = 0; k < S_CELL; k++) cell[(size_t)(G_CELL + k) * b.ld] = s[k];
#endif
    }
}

/* Once a step: what they keep a step. */
extern "C" __global__ void step_k(struct sw_line_batch b, long long step)
{
    int j = run_of_thread();
    if (j >= b.count) return;
    double t = sw_line_time(b.theta, step, b.dt[j]);
    (void)t;
#if SW_HAS_G
    double g[G_STEP + 1];
    model_g_step(b.param + j, b.count, b.run + j, b.ld, t, step, g);
    for (int k = 0; k < G_STEP; k++) b.step[(size_t)k * b.ld + j] = g[k];
#endif
#if SW_HAS_S
    double s[S_STEP + 1];
    model_s_step(b.param + j, b.count, b.run + (size_t)G_RUN * b.ld + j, b.ld, t, step, s);
    for (int k = 0; k < S_STEP; k++) b.step[(size_t)(G_STEP + k) * b.ld + j] = s[k];
#endif
}

/* G(u) at point i of run j; 0 without G. */
__device__ static inline double g_at(const struct sw_line_batch &b, int i, int j, double u, double t, long long step)
{
#if SW_HAS_G
    double in[SW_INPUTS];
    fill_inputs(in, x_at(b, i, j), u);
    return model_g_point(b.param + j, b.count, b.run + j, b.ld, b.step + j, b.ld,
                         b.cell + (size_t)i * b.cells * b.ld + j, b.ld, in, i, t, step);
#else
    return 0.0;
#endif
}

/* S at point i of run j; 0 without S. */
__device__ static inline double s_at(const struct sw_line_batch &b, int i, int j, double u, double t, long long step)
{
#if SW_HAS_S
    double in[SW_INPUTS];
    fill_inputs(in, x_at(b, i, j), u);
    return model_s_point(b.param + j, b.count, b.run + (size_t)G_RUN * b.ld + j, b.ld,
                         b.step + (size_t)G_STEP * b.ld + j, b.ld, b.cell + ((size_t)i * b.cells + G_CELL) * b.ld + j,
                         b.ld, in, i, t, step);
#else
    return 0.0;
#endif
}

/* The right-hand side of the step from `step` to `step` + 1 (problem/line/line_point.h), and the mark on runs whose
 * field is no longer finite. Each thread goes along up to `rows` points with the five values it needs in registers: 8
 * bytes (1 + 4/rows) read and 8 written a point, 8 more for each value kept a cell; 6 FMA and what G and S cost.
 * first_bad may be written by several threads of a run, all with the same value; whether the others see it already
 * only decides whether they work in vain. */
extern "C" __global__ void rhs_k(struct sw_line_batch b, const double *__restrict__ u, double *__restrict__ rhs,
                                 long long step, int rows)
{
    int j = run_of_thread(), n = b.n;
    if (j >= b.count) return;
    long long bad = b.first_bad[j];
    if (bad == SW_LINE_NOT_FINITE) b.first_bad[j] = step;
    if (bad != SW_LINE_FINITE) return;

    size_t ld = b.ld;
    double dt = b.dt[j], s4 = b.s4[j], s2 = b.s2[j], kappa = dt / (b.dx[j] * b.dx[j]);
    double t = sw_line_time(b.theta, step, dt);
    bool finite = true;
    for (long long start = (long long)blockIdx.y * rows; start < n; start += (long long)gridDim.y * rows) {
        int first = (int)start, end = n - first < rows ? n : first + rows;
        int left = first > 0 ? first - 1 : n - 1, left2 = left > 0 ? left - 1 : n - 1;
        int right = first + 1 < n ? first + 1 : 0;
        double ul2 = u[left2 * ld + j], ul = u[left * ld + j], uc = u[first * ld + j], ur = u[right * ld + j];
        double gl = g_at(b, left, j, ul, t, step), gc = g_at(b, first, j, uc, t, step);
        for (int i = first; i < end; i++) {
            int right2 = right + 1 < n ? right + 1 : 0;
            double ur2 = u[right2 * ld + j], gr = g_at(b, right, j, ur, t, step);
            double value = b.theta < 1.0 ? sw_line_explicit(s4, s2, ul2, ul, uc, ur, ur2) : uc;
            if (SW_HAS_G) value += kappa * sw_line_d2(gl, gc, gr);
            if (SW_HAS_S) value += dt * s_at(b, i, j, uc, t, step);
            rhs[i * ld + j] = value;
            finite = finite && isfinite(uc);
            right = right2;
            ul2 = ul;
            ul = uc;
            uc = ur;
            ur = ur2;
            gl = gc;
            gc = gr;
        }
    }
    if (!finite) b.first_bad[j] = step;
}

/* Mark with `mark`, a step or SW_LINE_NOT_FINITE, the runs whose field is not finite: 8 bytes read a point. */
extern "C" __global__ void check_k(struct sw_line_batch b, const double *__restrict__ u, long long mark, int rows)
{
    int j = run_of_thread();
    if (j >= b.count || b.first_bad[j] != SW_LINE_FINITE) return;
    bool finite = true;
    for (long long start = (long long)blockIdx.y * rows; start < b.n; start += (long long)gridDim.y * rows)
        for (int i = (int)start; i < b.n && i < start + rows; i++) finite = finite && isfinite(u[sw_line_at(&b, i, j)]);
    if (!finite) b.first_bad[j] = mark;
}

/* u at step 0; NaN where the run has a load_error. Computed once, so nothing is kept. */
extern "C" __global__ void initial_k(struct sw_line_batch b, double *u)
{
#if SW_HAS_INITIAL
    int j = run_of_thread();
    if (j >= b.count) return;
    const double *p = b.param + j;
    bool faulty = b.load_error[j];
    double r[INITIAL_RUN + 1], s[INITIAL_STEP + 1], c[INITIAL_CELL + 1], in[SW_INPUTS];
    model_initial_run(p, b.count, r);
    model_initial_step(p, b.count, r, 1, 0.0, 0, s);
    for (int i = blockIdx.y; i < b.n; i += gridDim.y) {
        fill_inputs(in, x_at(b, i, j), 0.0);
        model_initial_cell(p, b.count, r, 1, in, i, c);
        double value = model_initial_point(p, b.count, r, 1, s, 1, c, 1, in, i, 0.0, 0);
        u[sw_line_at(&b, i, j)] = faulty ? nan("") : value;
    }
#endif
}

/* scalars [count][SW_LINE_SCALARS]: the rows of the kind DENSITY (problem/line/scalars_point.h), one block of
 * SW_SUM_LANES threads a run. A warp reads one run, so 32 bytes are fetched for each 8 used; neighbouring blocks find
 * the rest in the cache. */
#define BEGIN(id, name, unit, long_name, term, value) totals[id] = 0.0;
#define ADD(id, name, unit, long_name, term, value) totals[id] += (term);
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
            model_energy_cell(p, b.count, r, 1, in, i, c);
            const double density = model_energy_point(p, b.count, r, 1, s, 1, c, 1, in, i, 0.0, 0);
            DENSITY_ROWS(ADD)
        }
        DENSITY_ROWS(BLOCK_SUM)
        const bool finite = b.first_bad[j] == SW_LINE_FINITE;
        double *out = scalars + (size_t)j * SW_LINE_SCALARS;
        if (threadIdx.x) continue;
        DENSITY_ROWS(REPORT)
    }
#endif
}
