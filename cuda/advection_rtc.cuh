/* The passes of `advection`; compiled at run time (src/problem/advection/advection_cuda.c), behind
 *
 *     base/sw_hd.h, problem/advection/advection_point.h
 *     word_t, field_t            numbers of the fields, of a field snapshotted: float or double
 *     DIM                        dimensions of the grid
 *     SW_HAS_VX, _VY, _VZ        1 if there is the velocity, else 0: then value_vx(b, j, in, t) is its value at a point
 *     SW_HAS_S                   the same of the source, value_s
 *     SW_HAS_G0 .. _G5           of what is given at walls: left and right of x, y, z; value_g0, ..; then there is its
 *                                derivative in t, too, value_r0, ..
 *     USES_U                     whether c or S name u
 *     keep_all(b, j)             computes what the programs keep of run j
 *
 * Arithmetic is double. A block works on points of one run: x counts its stretches, y the runs. Nothing is contracted:
 * the formulas are those of advection_cpu.c, in their order. */

__device__ static inline const word_t *of_run(const void *field, const struct advection_batch &b, int j)
{
    return (const word_t *)field + j * b.points;
}

/* The indices of a point; 64-bit divisions only where they must be. */
__device__ static inline void index_of(const struct advection_batch &b, long long p, long long i[3])
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

__device__ static inline void place(const struct advection_batch &b, const struct advection_run &r, long long p,
                                    long long i[3], double in[SW_INPUTS])
{
    index_of(b, p, i);
    in[SW_IN_X] = r.x0[0] + (double)i[0] * r.dx[0];
    in[SW_IN_Y] = r.x0[1] + (double)i[1] * r.dx[1];
    in[SW_IN_Z] = r.x0[2] + (double)i[2] * r.dx[2];
}

/* v, or what is given at this point, or its derivative in t: z, then y, then x, so that in corners x has it. */
#define AT_WALL(k, axis, wall) if (i[axis] == (wall)) v = RATE ? value_r##k(b, j, in, t) : value_g##k(b, j, in, t)
template <bool RATE>
__device__ static inline double given_at(const struct advection_batch &b, int j, const long long i[3], const double *in,
                                         double t, double v)
{
#if SW_HAS_G5
    AT_WALL(5, 2, b.n[2] - 1);
#endif
#if SW_HAS_G4
    AT_WALL(4, 2, 0);
#endif
#if SW_HAS_G3
    AT_WALL(3, 1, b.n[1] - 1);
#endif
#if SW_HAS_G2
    AT_WALL(2, 1, 0);
#endif
#if SW_HAS_G1
    AT_WALL(1, 0, b.n[0] - 1);
#endif
#if SW_HAS_G0
    AT_WALL(0, 0, 0);
#endif
    return v;
}

/* One part of the advection, and of the speed. */
#define MOVE(v, d) { const double c = value_##v(b, j, in, t); \
                     k -= c * ((double)of_run(b.slope[d], b, j)[p] * r.per[d]); *speed += fabs(c) * r.per[d]; }
/* nu (u_xx + u_yy + u_zz) - c_x u_x - c_y u_y - c_z u_z + S, in this order. *speed: |c_x|/dx + |c_y|/dy + |c_z|/dz. */
__device__ static inline double rate_at(const struct advection_batch &b, const struct advection_run &r, int j,
                                        long long p, const double *in, double t, double *speed)
{
    double k = 0;
    *speed = 0;
    if (r.nu != 0) {
#pragma unroll
        for (int d = 0; d < DIM; d++)
            if (b.bend[d]) k += (double)of_run(b.bend[d], b, j)[p] * r.per2[d];
        k *= r.nu;
    }
#if SW_HAS_VX
    MOVE(vx, 0);
#endif
#if SW_HAS_VY
    MOVE(vy, 1);
#endif
#if SW_HAS_VZ
    MOVE(vz, 2);
#endif
#if SW_HAS_S
    k += value_s(b, j, in, t);
#endif
    return k;
}

/* A Courant number of run j at this step. Where it does not exceed what was noted, that is read and no more. Numbers
 * that are not negative are in the order of their bits. */
__device__ static inline void note(const struct advection_batch &b, int j, double courant, long long step)
{
    struct advection_watch *w = &b.watch[j];
    if (courant > *(volatile double *)&w->most)
        atomicMax((unsigned long long *)&w->most, (unsigned long long)__double_as_longlong(courant));
    if (courant > b.run[j].bound && step < *(volatile long long *)&w->beyond) atomicMin(&w->beyond, step);
}

/* The largest of a warp's threads, all of which are here; every one has it. */
__device__ static inline double over_warp(double most)
{
    for (int lane = 16; lane > 0; lane /= 2) most = fmax(most, __shfl_xor_sync(0xffffffffu, most, lane));
    return most;
}

/* A run that is not finite any more after this step. All who say so say the same. */
__device__ static inline void look_at(const struct advection_batch &b, int j, word_t v, long long step)
{
    if (!isfinite(v)) b.stop[j] = step;
}

/* A stage: reads the D derivatives, u and, as the stage asks for them, the last stage's result and the sum; writes the
 * result, and the sum: as many words as the head of advection_cpu.c counts. */
extern "C" __global__ void __launch_bounds__(256)
stage_k(struct advection_batch b, struct rk_stage st, long long step, int how)
{
    const bool first = how & ADVECTION_FIRST, last = how & ADVECTION_LAST, closing = how & ADVECTION_CLOSING;
    const bool watching = how & ADVECTION_WATCHING;
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        if (((volatile long long *)b.stop)[j] <= step) continue;  /* others may write step + 1 there */
        const struct advection_run r = b.run[j];
        const double t = (double)step * r.dt + st.time * r.dt;
        const long long base = j * b.points;
        word_t *now = (word_t *)b.now + base, *next = (word_t *)b.next + base, *sum = (word_t *)b.sum + base;
        double fastest = 0;
        for (long long p = blockIdx.x * (long long)blockDim.x + threadIdx.x; p < b.points;
             p += (long long)gridDim.x * blockDim.x) {
            double in[SW_INPUTS] = {0}, speed;
            long long i[3];
            const bool takes_next = st.next != 0 || (USES_U && !first), takes_now = st.now != 0 || first;
            const double u = takes_now ? (double)now[p] : 0, w = takes_next ? (double)next[p] : 0;
            const double s = first ? u : st.share != 0 || st.sum != 0 ? (double)sum[p] : 0;
            place(b, r, p, i, in);
            in[SW_IN_U] = first ? u : w;
            const double k = given_at<true>(b, j, i, in, t, rate_at(b, r, j, p, in, t, &speed)) * r.dt;
            if (isfinite(speed)) fastest = fmax(fastest, speed);
            if (st.share != 0) sum[p] = (word_t)(s + st.share * k);
            double v = rk_result(&st, k, u, w, s);
            if (closing) v = given_at<false>(b, j, i, in, (double)(step + 1) * r.dt, v);
            const word_t out = (word_t)v;
            (last ? now : next)[p] = out;
            if (closing) look_at(b, j, out, step + 1);
        }
        if (!watching) continue;
        fastest = over_warp(fastest);
        if (threadIdx.x % 32 == 0) note(b, j, fastest * r.dt, step);
    }
}

/* What is given at walls, and whether u is finite: after a filter, and at the beginning. */
extern "C" __global__ void __launch_bounds__(256) close_k(struct advection_batch b, long long step)
{
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        if (((volatile long long *)b.stop)[j] < step) continue;
        const struct advection_run r = b.run[j];
        const double t = (double)step * r.dt;
        word_t *now = (word_t *)b.now + j * b.points;
        for (long long p = blockIdx.x * (long long)blockDim.x + threadIdx.x; p < b.points;
             p += (long long)gridDim.x * blockDim.x) {
            double in[SW_INPUTS] = {0};
            long long i[3];
            place(b, r, p, i, in);
            const word_t out = (word_t)given_at<false>(b, j, i, in, t, (double)now[p]);
            now[p] = out;
            look_at(b, j, out, step);
        }
    }
}

/* Once a batch, a thread a run. */
extern "C" __global__ void begin_k(struct advection_batch b)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= b.count) return;
    keep_all(b, j);
    b.stop[j] = ADVECTION_FINE;
}

/* ---- pictures */

extern "C" __global__ void __launch_bounds__(256) field_k(struct advection_batch b, field_t *out)
{
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        const bool fine = b.stop[j] == ADVECTION_FINE;
        const word_t *now = of_run(b.now, b, j);
        for (long long p = blockIdx.x * (long long)blockDim.x + threadIdx.x; p < b.points;
             p += (long long)gridDim.x * blockDim.x)
            out[j * b.points + p] = fine ? (field_t)now[p] : (field_t)nan("");
    }
}

struct scalars { double of[ADVECTION_SCALARS]; };

__device__ static inline void add(struct scalars *a, const struct scalars *more)
{
    a->of[ADVECTION_MASS] += more->of[ADVECTION_MASS];
    a->of[ADVECTION_ENERGY] += more->of[ADVECTION_ENERGY];
    a->of[ADVECTION_MIN] = fmin(a->of[ADVECTION_MIN], more->of[ADVECTION_MIN]);
    a->of[ADVECTION_MAX] = fmax(a->of[ADVECTION_MAX], more->of[ADVECTION_MAX]);
    a->of[ADVECTION_COURANT] = fmax(a->of[ADVECTION_COURANT], more->of[ADVECTION_COURANT]);
}

__device__ static inline struct scalars nothing()
{
    const double infinity = __longlong_as_double(0x7ff0000000000000LL);
    const struct scalars s = {{0, 0, infinity, -infinity, 0}};
    return s;
}

/* Over a block of ADVECTION_LANES threads; the first one has it. */
__device__ static inline struct scalars over_block(struct scalars mine)
{
    __shared__ struct scalars shared[ADVECTION_LANES];
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned w = ADVECTION_LANES / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) add(&shared[threadIdx.x], &shared[threadIdx.x + w]);
        __syncthreads();
    }
    mine = shared[0];
    __syncthreads();
    return mine;
}

/* The sum of |c_d|/dx_d at a point; 0 where it is not finite. */
__device__ static inline double speed_at(const struct advection_batch &b, const struct advection_run &r, int j,
                                         const double *in, double t)
{
    double speed = 0;
#if SW_HAS_VX
    speed += fabs(value_vx(b, j, in, t)) * r.per[0];
#endif
#if SW_HAS_VY
    speed += fabs(value_vy(b, j, in, t)) * r.per[1];
#endif
#if SW_HAS_VZ
    speed += fabs(value_vz(b, j, in, t)) * r.per[2];
#endif
    return isfinite(speed) ? speed : 0;
}

/* Part blockIdx.x of the points of a run: in an order that the numbers of points and threads fix. One word a point.
 * step: of this state, -1 if it is not known. */
extern "C" __global__ void __launch_bounds__(ADVECTION_LANES)
measure_k(struct advection_batch b, long long step, struct scalars *part)
{
    for (int j = blockIdx.y; j < b.count; j += gridDim.y) {
        const word_t *now = of_run(b.now, b, j);
        const struct advection_run r = b.run[j];
        const double t = (double)step * r.dt;
        struct scalars mine = nothing();
        for (int m = threadIdx.x; m < ADVECTION_PART; m += ADVECTION_LANES) {
            const long long p = blockIdx.x * (long long)ADVECTION_PART + m;
            double in[SW_INPUTS] = {0}, weight = 1;
            long long i[3];
            if (p >= b.points) break;
            const double u = (double)now[p];
            place(b, r, p, i, in);
            in[SW_IN_U] = u;
#pragma unroll
            for (int d = 0; d < DIM; d++)
                if (b.walls[d] && (i[d] == 0 || i[d] == b.n[d] - 1)) weight *= 0.5;
            const double mass = weight * u;
            const struct scalars here = {{mass, mass * u, u, u, speed_at(b, r, j, in, t)}};
            add(&mine, &here);
        }
        mine = over_block(mine);
        if (threadIdx.x == 0) part[j * (long long)gridDim.x + blockIdx.x] = mine;
    }
}

/* A block a run: its parts become its scalars, and its Courant number is noted. */
extern "C" __global__ void __launch_bounds__(ADVECTION_LANES)
join_k(struct advection_batch b, long long step, const struct scalars *part, long long parts, struct scalars *out)
{
    for (int j = blockIdx.x; j < b.count; j += gridDim.x) {
        struct scalars mine = nothing();
        for (long long k = threadIdx.x; k < parts; k += ADVECTION_LANES) add(&mine, &part[j * parts + k]);
        mine = over_block(mine);
        if (threadIdx.x) continue;
        mine.of[ADVECTION_MASS] *= b.run[j].cell;
        mine.of[ADVECTION_ENERGY] *= 0.5 * b.run[j].cell;
        mine.of[ADVECTION_COURANT] *= step < 0 ? nan("") : b.run[j].dt;
        if (b.stop[j] == ADVECTION_FINE) note(b, j, mine.of[ADVECTION_COURANT], step);
        for (int k = 0; k < ADVECTION_SCALARS; k++)
            out[j].of[k] = b.stop[j] == ADVECTION_FINE ? mine.of[k] : nan("");
    }
}
