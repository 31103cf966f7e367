/* What the kernels of compact differences share that are compiled at run time; behind fd/side_point.h. Multiply-adds
 * are written as such: the compiler makes none. */

#define EVERY 0xffffffffu

/* Nothing is read twice by the same block. */
__device__ static inline double field_at(const struct fd_lines &l, const void *f, long long at)
{
    return l.single ? (double)__ldcs((const float *)f + at) : __ldcs((const double *)f + at);
}

__device__ static inline void field_put(const struct fd_lines &l, void *out, long long at, double x)
{
    if (l.single) {
        float *to = (float *)out + at;
        __stcs(to, (float)(l.add ? *to + x : x));
    } else {
        double *to = (double *)out + at;
        __stcs(to, l.add ? *to + x : x);
    }
}
