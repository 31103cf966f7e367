/* What the kernels of compact differences share that are compiled at run time; behind fd/fd_rhs_point.h. Multiply-adds
 * are written as such: the compiler makes none. */

#define FULL_WARP 0xffffffffu

template <typename T> __device__ static inline void store_or_add(T *to, int add, double x)
{
    __stcs(to, (T)(add ? *to + x : x));
}

/* Nothing is read twice by the same block. */
__device__ static inline double load_field(const struct fd_lines &l, const void *f, long long at)
{
    return l.single ? (double)__ldcs((const float *)f + at) : __ldcs((const double *)f + at);
}

__device__ static inline void store_field(const struct fd_lines &l, void *out, long long at, double x)
{
    if (l.single) store_or_add((float *)out + at, l.add, x);
    else store_or_add((double *)out + at, l.add, x);
}
