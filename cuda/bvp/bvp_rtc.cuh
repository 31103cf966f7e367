/* What the kernels of all rows of the boundary value problem share; compiled at run time
 * (src/problem/bvp/bvp_device_cuda.c), behind
 *
 *     base/sw_hd.h, field/double_double_point.h, problem/bvp/bvp_batch_point.h
 *     SW_HAS_F (1), SW_HAS_EXACT, _P, _Q    1 if there is the expression, else 0
 *     F_RUN, .. Q_CELL                      how many values it has at each rate
 *     model_f_*, .. model_q_*               its functions (sw_program_cuda), in the CELL symbol x and parameters
 *     PARAMS                                parameters that these use, the first ones of a problem
 *     real_t, field_t                       numbers of the row's columns, of a saved field: float or double
 *     NORM_THREADS                          threads of norms_k
 *
 * Nothing in the text belongs to a run. x, f, exact, p and q are double in all rows. */

/* One problem in the registers of a thread: all indices below are constants, so what is not used takes none. */
struct problem {
    double    h, x0, h2;
    long long r;                              /* 0: left out, nothing else is set    */
    double    param[PARAMS + 1], f[F_RUN + 1], exact[EXACT_RUN + 1], p[P_RUN + 1], q[Q_RUN + 1];
};

/* The values of a program that depend on the run alone: `count` of them, behind the first `from` of a problem. */
__device__ static inline void load_cached(const struct bvp_batch &b, int j, int from, int count, double *value)
{
#pragma unroll
    for (int k = 0; k < count; k++) value[k] = b.cached[(long long)(from + k) * b.count + j];
}

__device__ static inline struct problem problem_of(const struct bvp_batch &b, int j)
{
    struct problem p;
    p.h = b.job[j].h;
    p.x0 = b.job[j].x0;
    p.r = b.job[j].r;
    p.h2 = p.h * p.h;
#pragma unroll
    for (int k = 0; k < PARAMS; k++) p.param[k] = b.param[(long long)k * b.count + j];
    load_cached(b, j, 0, F_RUN, p.f);
    load_cached(b, j, F_RUN, EXACT_RUN, p.exact);
    load_cached(b, j, F_RUN + EXACT_RUN, P_RUN, p.p);
    load_cached(b, j, F_RUN + EXACT_RUN + P_RUN, Q_RUN, p.q);
    return p;
}

__device__ static inline double x_at(const struct problem &p, long long i) { return p.x0 + p.h * (double)i; }

/* name_at(p, x): the value of a program at x. */
#define VALUE_AT(name, NAME)                                                                             \
    __device__ static inline double name##_at(const struct problem &p, double x)                          \
    {                                                                                                     \
        double in[SW_INPUTS] = {0}, step[NAME##_STEP + 1], cell[NAME##_CELL + 1];                          \
        in[SW_IN_X] = x;                                                                                  \
        model_##name##_step(p.param, 1, p.name, 1, 0.0, 0, step);                                         \
        model_##name##_cell(p.param, 1, p.name, 1, in, 0, cell);                                          \
        return model_##name##_point(p.param, 1, p.name, 1, step, 1, cell, 1, in, 0, 0.0, 0);              \
    }
#define CONSTANT_AT(name, value) \
    __device__ static inline double name##_at(const struct problem &, double) { return value; }

VALUE_AT(f, F)
#if SW_HAS_EXACT
VALUE_AT(exact, EXACT)
#else
CONSTANT_AT(exact, nan(""))
#endif
#if SW_HAS_P
VALUE_AT(p, P)
#else
CONSTANT_AT(p, 1.0)
#endif
#if SW_HAS_Q
VALUE_AT(q, Q)
#else
CONSTANT_AT(q, 0.0)
#endif

/* h² f(x_i), half of it at the first point: one rounding more than f, as on the CPU. */
__device__ static inline double d_of(const struct problem &p, long long i, double f)
{
    double d = f * p.h2;
    return i == 0 ? 0.5 * d : d;
}

/* f is not finite at point i of problem j. h > 0, so that the least i is the least x. */
__device__ static inline void record_bad(const struct bvp_batch &b, int j, long long i)
{
    atomicMin(&b.outcome[j].bad, i);
}

/* Save u at point i, if fields are wanted. It must be called for the first point even where none are. */
__device__ static inline void save_u(const struct bvp_batch &b, int j, long long i, double u)
{
    if (i == 0) b.outcome[j].u0 = u;
    if (b.field) ((field_t *)b.field)[j * b.n + i] = (field_t)u;
}

/* Add a point. No comparison finds a NaN: that of max is in error (bvp_result_from_norms). */
__device__ static inline void norms_point(struct bvp_norms *sum, double u, double exact)
{
    double e = fabs(u - exact);
    sum->error += e * e;
    sum->exact += exact * exact;
    if (e > sum->max) sum->max = e;
}

__device__ static inline void norms_add(struct bvp_norms *sum, const struct bvp_norms *more)
{
    sum->error += more->error;
    sum->exact += more->exact;
    if (more->max > sum->max) sum->max = more->max;
}

/* The sum over a block, whose size is a power of 2, in an order that its size fixes; every thread gets it. shared: an
 * entry a thread, free again afterwards. */
__device__ static inline struct bvp_norms block_norms(struct bvp_norms term, struct bvp_norms *shared)
{
    shared[threadIdx.x] = term;
    __syncthreads();
    for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) norms_add(&shared[threadIdx.x], &shared[threadIdx.x + w]);
        __syncthreads();
    }
    term = shared[0];
    __syncthreads();
    return term;
}

/* The blocks of each problem j = first .. first + gridDim.x - 1, block[(j - first) * blocks + k], become its norms: a
 * block of NORM_THREADS a problem. 24 bytes and 3 additions a block. */
extern "C" __global__ void norms_k(struct bvp_batch b, const struct bvp_norms *block, int first, long long blocks)
{
    __shared__ struct bvp_norms shared[NORM_THREADS];
    struct bvp_norms sum = {0, 0, 0};
    for (long long k = threadIdx.x; k < blocks; k += NORM_THREADS)
        norms_add(&sum, &block[blockIdx.x * blocks + k]);
    sum = block_norms(sum, shared);
    if (threadIdx.x == 0) b.outcome[first + blockIdx.x].norms = sum;
}

/* value[0 .. count-1] behind the first `from` of problem j. */
__device__ static inline void store_cached(const struct bvp_batch &b, int j, int from, int count, const double *value)
{
    for (int k = 0; k < count; k++) b.cached[(long long)(from + k) * b.count + j] = value[k];
}

/* Once a batch, a thread a problem: the values of its programs that depend on the run alone, and an empty outcome. */
extern "C" __global__ void begin_k(struct bvp_batch b)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= b.count) return;
    const struct bvp_outcome nothing = {{0, 0, 0}, 0, BVP_NONE};
    double f[F_RUN + 1];
    model_f_run(b.param + j, b.count, f);
    store_cached(b, j, 0, F_RUN, f);
#if SW_HAS_EXACT
    double exact[EXACT_RUN + 1];
    model_exact_run(b.param + j, b.count, exact);
    store_cached(b, j, F_RUN, EXACT_RUN, exact);
#endif
#if SW_HAS_P
    double p[P_RUN + 1];
    model_p_run(b.param + j, b.count, p);
    store_cached(b, j, F_RUN + EXACT_RUN, P_RUN, p);
#endif
#if SW_HAS_Q
    double q[Q_RUN + 1];
    model_q_run(b.param + j, b.count, q);
    store_cached(b, j, F_RUN + EXACT_RUN + P_RUN, Q_RUN, q);
#endif
    b.outcome[j] = nothing;
}
