/* What is known at the ends of a line at a time (problem/line/stepper/ends_point.h), for cuda.split and cuda.fused;
 * compiled at run time behind
 *
 *     end_kind(v, side)             enum sw_line_end_kind of unknown v, left and right
 *     condition<(2 v + side) 2 + k> the first and second number known there, as types like those of terms */

struct conditions { double first[2], second[2]; };

template <int K> __device__ static inline double condition_at(const double *p, int ld, double t, long long step)
{
    typedef condition<K> T;
    double r[T::RUN + 1], s[T::STEP + 1], c[T::CELL + 1], in[SW_INPUTS] = {};
    if (!T::THERE) return 0.0;
    T::run(p, ld, r);
    T::step(p, ld, r, 1, t, step, s);
    T::cell(p, ld, r, 1, in, 0, c);
    return T::point(p, ld, r, 1, s, 1, c, 1, in, 0, t, step);
}

/* @param p  the parameters of the run, `ld` apart */
template <int V> __device__ static inline struct conditions conditions_at(const double *p, int ld, double t,
                                                                          long long step)
{
    return conditions{{condition_at<4 * V>(p, ld, t, step), condition_at<4 * V + 2>(p, ld, t, step)},
                      {condition_at<4 * V + 1>(p, ld, t, step), condition_at<4 * V + 3>(p, ld, t, step)}};
}

__device__ static inline double reflection(int v, int side)
{
    return sw_end_reflection(end_kind(v, side) == SW_END_VALUE);
}

/* What u has at distance k beyond an end besides its reflection. */
__device__ static inline double beyond_end(const struct conditions &e, int v, int side, int k, double dx)
{
    return sw_end_beyond(end_kind(v, side) == SW_END_VALUE, side, k, dx, e.first[side], e.second[side]);
}
