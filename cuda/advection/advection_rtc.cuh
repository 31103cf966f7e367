/* The kernels of `advection`; compiled at run time (src/problem/advection/advection_cuda.c), behind
 *
 *     base/sw_hd.h, problem/advection/advection_point.h, problem/advection/advection_wall_point.h
 *     real_t, field_t            numbers of the fields, of a field in a snapshot: float or double
 *     DIM                        dimensions of the grid
 *     SW_HAS_VX, _VY, _VZ        1 if there is the velocity, else 0: then value_vx(b, j, in, t) is its value at a point
 *     SW_HAS_S                   the same of the source, value_s
 *     WALLS_WITH_U(X)            X(value, kind, axis, side) for each wall where u is given, in the order in which they
 *                                are put in: value(b, j, in, t) is u there, kind the id of the wall condition
 *     WALLS_WITH_RHS(X)          the same of the conditions on the right-hand side: what advection_wall_rhs() takes
 *     USES_U                     whether c or S name u
 *     cache_run_values(b, j)     computes the values of the programs that depend on run j alone
 *
 * Arithmetic is double. A block works on points of one run: blockIdx.x counts ranges of points, blockIdx.y the runs.
 * Nothing is contracted: the formulas are those of advection_cpu.c, in their order. */

__device__ static inline const real_t *run_field(const void *field, const struct advection_batch &b, int j)
{
    return (const real_t *)field + j * b.points;
}

/* The indices of a point among those that are here; 64-bit divisions only where they must be. */
__device__ static inline void local_index(const struct advection_batch &b, long long p, long long i[3])
{
    if (DIM == 1) { i[0] = p; i[1] = i[2] = 0; return; }
    if (b.points <= 0xffffffffLL) {
        const unsigned q = (unsigned)p, nx = (unsigned)b.n[0], ny = (unsigned)b.n[1], line = q / nx;
        i[0] = q - line * nx;
        i[1] = line % ny;
        i[2] = line / ny;
    } else {
        const long long line = p / b.n[0];
        i[0] = p - line * b.n[0];
        i[1] = line % b.n[1];
        i[2] = line / b.n[1];
    }
}

/* The indices of a point in the whole grid. */
__device__ static inline void index_of(const struct advection_batch &b, long long p, long long i[3])
{
    local_index(b, p, i);
#pragma unroll
    for (int d = 0; d < DIM; d++) i[d] += b.first[d];
}

__device__ static inline void point_coordinates(const struct advection_batch &b, const struct advection_run &r,
                                                long long p, long long i[3], double in[SW_INPUTS])
{
    index_of(b, p, i);
    in[SW_IN_X] = r.x0[0] + (double)i[0] * r.dx[0];
    in[SW_IN_Y] = r.x0[1] + (double)i[1] * r.dx[1];
    in[SW_IN_Z] = r.x0[2] + (double)i[2] * r.dx[2];
}

#define AT_WALL(axis, side) (i[axis] == ((side) ? b.last[axis] : 0))

/* v, or what is given for u at this point: z, then y, then x, so that in corners x has it. */
__device__ static inline double u_at_walls(const struct advection_batch &b, int j, const long long i[3],
                                           const double *in, double t, double v)
{
#define HOLD(value, kind, axis, side) if (AT_WALL(axis, side)) v = value(b, j, in, t);
    WALLS_WITH_U(HOLD)
    return v;
}

/* The right-hand side v, or what the conditions at walls make of it, in the same order. */
__device__ static inline double rhs_at_walls(const struct advection_batch &b, const struct advection_run &r, int j,
                                             const long long i[3], long long p, const double *in, double t, double v)
{
#define APPLY(value, kind, axis, side) \
    if (AT_WALL(axis, side)) { \
        const double u_x = b.first_derivative[axis] ? \
            (double)run_field(b.first_derivative[axis], b, j)[p] * r.inv_dx[axis] : 0; \
        const struct advection_wall_point w = {value(b, j, in, t), u_x, r.nu, r.inv_dx[axis], (side) ? 1.0 : -1.0}; \
        v = advection_wall_rhs(kind, &w, v); \
    }
    WALLS_WITH_RHS(APPLY)
    return v;
}

/* The advection along axis d, and its Courant rate. */
#define ADVECT(v, d) { const double c = value_##v(b, j, in, t); \
                       k -= c * ((double)run_field(b.first_derivative[d], b, j)[p] * r.inv_dx[d]); \
                       *courant_rate += fabs(c) * r.inv_dx[d]; }
/* nu (u_xx + u_yy + u_zz) - c_x u_x - c_y u_y - c_z u_z + S, in this order. *courant_rate: |c_x|/dx + |c_y|/dy +
 * |c_z|/dz. */
__device__ static inline double rhs_at(const struct advection_batch &b, const struct advection_run &r, int j,
                                       long long p, const double *in, double t, double *courant_rate)
{
    double k = 0;
    *courant_rate = 0;
    if (r.nu != 0) {
#pragma unroll
        for (int d = 0; d < DIM; d++)
            if (b.second_derivative[d]) k += (double)run_field(b.second_derivative[d], b, j)[p] * r.inv_dx2[d];
        k *= r.nu;
    }
#if SW_HAS_VX
    ADVECT(vx, 0);
#endif
#if SW_HAS_VY
    ADVECT(vy, 1);
#endif
#if SW_HAS_VZ
    ADVECT(vz, 2);
#endif
#if SW_HAS_S
    k += value_s(b, j, in, t);
#endif
    return k;
}

/* Record a Courant number of run j at this step. Where it does not exceed the record, the record is read and no more.
 * Numbers that are not negative are in the order of their bits. */
__device__ static inline void record_courant(const struct advection_batch &b, int j, double courant, long long step)
{
    struct advection_diagnostics *d = &b.diagnostics[j];
    if (courant > *(volatile double *)&d->max_courant)
        atomicMax((unsigned long long *)&d->max_courant, (unsigned long long)__double_as_longlong(courant));
    if (courant > b.run[j].courant_limit && step < *(volatile long long *)&d->unstable_from)
        atomicMin(&d->unstable_from, step);
}

/* The maximum over a warp, all of whose threads call this; every thread gets it. */
__device__ static inline double warp_max(double most)
{
    for (int lane = 16; lane > 0; lane /= 2) most = fmax(most, __shfl_xor_sync(0xffffffffu, most, lane));
    return most;
}

/* The run is not finite any more after this step. Threads that store it store the same. */
__device__ static inline void check_finite(const struct advection_batch &b, int j, real_t v, long long step)
{
    if (!isfinite(v)) b.diverged_at[j] = step;
}

/* A stage: reads the D derivatives, u and, where its formula has them, the previous stage's result and the sum; writes
 * the result, and the sum: as many numbers as the head of advection_cpu.c counts. */
extern "C" __global__ void __launch_bounds__(256)
stage_k(struct advection_batch b, struct rk_stage st, long long step, int how)
{
    const bool first = how & ADVECTION_FIRST_STAGE, last = how & ADVECTION_LAST_STAGE;
    const bool ends_step = how & ADVECTION_ENDS_STEP, record = how & ADVECTION_RECORD_COURANT;
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        if (((volatile long long *)b.diverged_at)[j] <= step) continue;  /* others may write step + 1 there */
        const struct advection_run r = b.run[j];
        const double t = (double)step * r.dt + st.time * r.dt;
        const long long base = j * b.points;
        real_t *now = (real_t *)b.now + base, *next = (real_t *)b.next + base, *sum = (real_t *)b.sum + base;
        double largest = 0;
        for (long long p = blockIdx.x * (long long)blockDim.x + threadIdx.x; p < b.points;
             p += (long long)gridDim.x * blockDim.x) {
            double in[SW_INPUTS] = {0}, courant_rate;
            long long i[3];
            const bool takes_next = st.next != 0 || (USES_U && !first), takes_now = st.now != 0 || first;
            const double u = takes_now ? (double)now[p] : 0, w = takes_next ? (double)next[p] : 0;
            const double s = first ? u : st.share != 0 || st.sum != 0 ? (double)sum[p] : 0;
            point_coordinates(b, r, p, i, in);
            in[SW_IN_U] = first ? u : w;
            const double k = rhs_at_walls(b, r, j, i, p, in, t, rhs_at(b, r, j, p, in, t, &courant_rate)) * r.dt;
            if (isfinite(courant_rate)) largest = fmax(largest, courant_rate);
            if (st.share != 0) sum[p] = (real_t)(s + st.share * k);
            double v = rk_result(&st, k, u, w, s);
            if (ends_step) v = u_at_walls(b, j, i, in, (double)(step + 1) * r.dt, v);
            const real_t out = (real_t)v;
            (last ? now : next)[p] = out;
            if (ends_step) check_finite(b, j, out, step + 1);
        }
        if (!record) continue;
        largest = warp_max(largest);
        if (threadIdx.x % 32 == 0) record_courant(b, j, largest * r.dt, step);
    }
}

/* Put in what is given at walls, and check whether u is finite: after a filter, and at the beginning. */
extern "C" __global__ void __launch_bounds__(256) end_step_k(struct advection_batch b, long long step)
{
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        if (((volatile long long *)b.diverged_at)[j] < step) continue;
        const struct advection_run r = b.run[j];
        const double t = (double)step * r.dt;
        real_t *now = (real_t *)b.now + j * b.points;
        for (long long p = blockIdx.x * (long long)blockDim.x + threadIdx.x; p < b.points;
             p += (long long)gridDim.x * blockDim.x) {
            double in[SW_INPUTS] = {0};
            long long i[3];
            point_coordinates(b, r, p, i, in);
            const real_t out = (real_t)u_at_walls(b, j, i, in, t, (double)now[p]);
            now[p] = out;
            check_finite(b, j, out, step);
        }
    }
}

/* Once a batch, a thread a run. */
extern "C" __global__ void begin_k(struct advection_batch b)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= b.count) return;
    cache_run_values(b, j);
    b.diverged_at[j] = ADVECTION_FINITE;
}

/* ------------------------------------------------------------------ snapshots */

extern "C" __global__ void __launch_bounds__(256) field_k(struct advection_batch b, field_t *out)
{
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        const bool fine = b.diverged_at[j] == ADVECTION_FINITE;
        const real_t *now = run_field(b.now, b, j);
        for (long long p = blockIdx.x * (long long)blockDim.x + threadIdx.x; p < b.points;
             p += (long long)gridDim.x * blockDim.x)
            out[j * b.points + p] = fine ? (field_t)now[p] : (field_t)nan("");
    }
}

struct scalars { double of[ADVECTION_SCALARS]; };

/* What becomes of a row of the table, by its kind: scalars are joined, */
#define ADD(id, name, unit, long_name, term, value) a->of[id] += more->of[id];
#define LESS(id, name, unit, long_name, term, value) a->of[id] = fmin(a->of[id], more->of[id]);
#define GREATER(id, name, unit, long_name, term, value) a->of[id] = fmax(a->of[id], more->of[id]);
/* those of no points are what changes none, */
#define ZERO(id, name, unit, long_name, term, value) s.of[id] = 0;
#define INFINITE(id, name, unit, long_name, term, value) s.of[id] = infinity;
#define MINUS_INFINITE(id, name, unit, long_name, term, value) s.of[id] = -infinity;
/* those of a point are its terms, */
#define SET_TERM(id, name, unit, long_name, term, value) here.of[id] = (term);
#define SET_RATE(id, name, unit, long_name, term, value) here.of[id] = courant_rate_at(b, r, j, in, t);
/* and a run reports its values. */
#define REPORT(id, name, unit, long_name, term, value)  \
    {                                                   \
        const double total = mine.of[id];               \
        mine.of[id] = (value);                          \
    }

__device__ static inline void add_scalars(struct scalars *a, const struct scalars *more)
{
    ADVECTION_SCALAR_TABLE(ADD, LESS, GREATER, GREATER)
}

__device__ static inline struct scalars no_scalars()
{
    const double infinity = __longlong_as_double(0x7ff0000000000000LL);
    struct scalars s;
    ADVECTION_SCALAR_TABLE(ZERO, INFINITE, MINUS_INFINITE, ZERO)
    return s;
}

/* The total over a block of ADVECTION_SUM_THREADS threads; every thread gets it. */
__device__ static inline struct scalars block_total(struct scalars mine)
{
    __shared__ struct scalars shared[ADVECTION_SUM_THREADS];
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned w = ADVECTION_SUM_THREADS / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) add_scalars(&shared[threadIdx.x], &shared[threadIdx.x + w]);
        __syncthreads();
    }
    mine = shared[0];
    __syncthreads();
    return mine;
}

/* The sum of |c_d|/dx_d at a point; 0 where it is not finite. */
__device__ static inline double courant_rate_at(const struct advection_batch &b, const struct advection_run &r, int j,
                                                const double *in, double t)
{
    double rate = 0;
#if SW_HAS_VX
    rate += fabs(value_vx(b, j, in, t)) * r.inv_dx[0];
#endif
#if SW_HAS_VY
    rate += fabs(value_vy(b, j, in, t)) * r.inv_dx[1];
#endif
#if SW_HAS_VZ
    rate += fabs(value_vz(b, j, in, t)) * r.inv_dx[2];
#endif
    return isfinite(rate) ? rate : 0;
}

/* The scalars of block blockIdx.x of the points of a run, summed in an order that the numbers of points and threads
 * fix. One number read a point. step: of this state, -1 if it is not known. */
extern "C" __global__ void __launch_bounds__(ADVECTION_SUM_THREADS)
block_scalars_k(struct advection_batch b, long long step, struct scalars *block)
{
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        const real_t *now = run_field(b.now, b, j);
        const struct advection_run r = b.run[j];
        const double t = (double)step * r.dt;
        struct scalars mine = no_scalars();
        for (int m = threadIdx.x; m < ADVECTION_SUM_POINTS; m += ADVECTION_SUM_THREADS) {
            const long long p = blockIdx.x * (long long)ADVECTION_SUM_POINTS + m;
            double in[SW_INPUTS] = {0}, weight = 1;
            long long i[3];
            if (p >= b.points) break;
            const double u = (double)now[p];
            point_coordinates(b, r, p, i, in);
            in[SW_IN_U] = u;
#pragma unroll
            for (int d = 0; d < DIM; d++)
                if (b.walls[d] && (i[d] == 0 || i[d] == b.last[d])) weight *= 0.5;
            struct scalars here;
            ADVECTION_SCALAR_TABLE(SET_TERM, SET_TERM, SET_TERM, SET_RATE)
            add_scalars(&mine, &here);
        }
        mine = block_total(mine);
        if (threadIdx.x == 0) block[j * (long long)gridDim.x + blockIdx.x] = mine;
    }
}

/* A block of threads a run: the scalars of its blocks of points become its own, and its Courant number is recorded. */
extern "C" __global__ void __launch_bounds__(ADVECTION_SUM_THREADS)
run_scalars_k(struct advection_batch b, long long step, const struct scalars *block, long long blocks,
              struct scalars *out)
{
    for (int j = blockIdx.x; j < b.count; j += gridDim.x) {
        struct scalars mine = no_scalars();
        for (long long k = threadIdx.x; k < blocks; k += ADVECTION_SUM_THREADS)
            add_scalars(&mine, &block[j * blocks + k]);
        mine = block_total(mine);
        if (threadIdx.x) continue;
        const double volume = b.run[j].cell_volume, dt = step < 0 ? nan("") : b.run[j].dt;
        ADVECTION_SCALAR_TABLE(REPORT, REPORT, REPORT, REPORT)
        if (b.diverged_at[j] == ADVECTION_FINITE) record_courant(b, j, mine.of[ADVECTION_COURANT], step);
        for (int k = 0; k < ADVECTION_SCALARS; k++)
            out[j].of[k] = b.diverged_at[j] == ADVECTION_FINITE ? mine.of[k] : nan("");
    }
}
