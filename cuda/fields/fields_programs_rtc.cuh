/* What programs of fields are and where points lie: before all other text of the kernels that step fields, behind what
 * fields_rtc.cuh says. */

#ifndef SW_FETCH
#define SW_FETCH(p) asm volatile("prefetch.global.L2 [%0];" ::"l"(p))
#define SW_LARGEST_OF_WARP(x) __reduce_max_sync(~0u, x)
#define SW_FIRST_OF_WARP (threadIdx.x % 32 == 0)
#define SW_PART_BARRIER(number, threads) asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")
#if FETCHED
/* Eight bytes, which the thread itself reads behind SW_COPY_WAIT(). */
#define SW_COPY_BEGIN(to, from)                                                                                       \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)  \
                 : "memory")
#define SW_COPY_WAIT() asm volatile("cp.async.wait_all;" ::: "memory")
#else
#define SW_COPY_BEGIN(to, from) (void)(to), (void)(from)
#define SW_COPY_WAIT() (void)0
#endif
#endif

enum { PLANE = NX * NY, POINTS = NX * NY * NZ, SIZE = UNKNOWNS * POINTS };

/* The fields of a run. */
struct fields { double *u, *stage, *k[STAGES]; };

__device__ static inline struct fields fields_of(const struct fields_on_device &b, int run)
{
    const size_t at = (size_t)run * SIZE;
    const bool turned = OWN && b.pace[run].turned;
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

/* Of right-hand sides what they keep of a run: thread V that of unknown V. */
template <int V = 0>
__device__ static inline void keep_runs(const struct fields_on_device &b, int run, struct kept *kept)
{
    if constexpr (V < UNKNOWNS) {
        if (threadIdx.x == V) rhs_of<V>::run(b.param + run, b.count, kept[V].r);
        keep_runs<V + 1>(b, run, kept);
    }
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

/* Of a point in row j + above, j a multiple of 4, for its noise: bits, which the compiler sees through as it does not
 * through conversions. */
__device__ static __forceinline__ void set_numbers(int i, int j, int above, int k, double *in)
{
    in[FIELDS_POINT] = __longlong_as_double(i);
    in[FIELDS_POINT + 1] = __longlong_as_double(j);
    in[FIELDS_POINT + 2] = __longlong_as_double(above);
    in[FIELDS_POINT + 3] = __longlong_as_double(k);
}

__device__ static __forceinline__ void set_place(const double *place, int i, int j, int k, double *in)
{
    in[SW_IN_X] = sw_grid_place(place[0], place[3], place[6], (double)i);
    in[SW_IN_Y] = sw_grid_place(place[1], place[4], place[7], (double)j);
    in[SW_IN_Z] = sw_grid_place(place[2], place[5], place[8], (double)k);
    set_numbers(i, j & ~3, j & 3, k, in);
}
