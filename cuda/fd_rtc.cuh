/* What the kernels of compact differences share that are compiled at run time; behind fd/side_point.h. Multiply-adds
 * are written as such: the compiler makes none. */

#define EVERY 0xffffffffu

template <typename T> __device__ static inline void put(T *to, int add, double x)
{
    __stcs(to, (T)(add ? *to + x : x));
}

/* Nothing is read twice by the same block. */
__device__ static inline double field_at(const struct fd_lines &l, const void *f, long long at)
{
    return l.single ? (double)__ldcs((const float *)f + at) : __ldcs((const double *)f + at);
}

__device__ static inline void field_put(const struct fd_lines &l, void *out, long long at, double x)
{
    if (l.single) put((float *)out + at, l.add, x);
    else put((double *)out + at, l.add, x);
}
