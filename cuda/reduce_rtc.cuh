/* Reductions of lines that lie on the device (field/reduce.h): one block of SW_SUM_LANES threads a run, which adds in
 * the order of field/sum_point.h. Compiled at run time (src/problem/device/reducer.c) behind base/sw_hd.h,
 * expr/random_point.h, field/sum_point.h, field/reduce_point.h, cuda/sum_rtc.cuh and
 *
 *     UNKNOWNS, REACH, IN_U, NEIGHBOURS   of the fields, and where they stand among the inputs of a program
 *     OWN, GRID_NUMBERS, EXPRESSIONS, MOST_NUMBERS
 *     MEAN, LEAST, GREATEST, INTEGRAL, CROSSINGS   kinds of reductions
 *     struct a0_0, ...                    arguments: kind, reach; begin(numbers, t), at(inputs, i)
 *     form_values(line, number, out)      calls reduce() for each of them, one after another
 *
 * A point costs 8 bytes a reduction, which the cache has after the first, and what the argument costs; crossings cost
 * their argument twice. */

/* A run. number: shared by the block. */
struct line {
    const struct sw_reduce_batch *b;
    const double *u;
    int    j;
    double t;
    double *shared;   /* [SW_SUM_LANES] */
};

__device__ static inline double pick_least(double a, double b) { return b < a || b != b ? b : a; }
__device__ static inline double pick_greatest(double a, double b) { return b > a || b != b ? b : a; }

/* Over the block; NaN where a thread has it. Every thread gets it. */
__device__ static inline double block_extreme(double value, bool least, double *shared)
{
    const int lane = threadIdx.x;
    shared[lane] = value;
    __syncthreads();
    for (int w = SW_SUM_LANES / 2; w > 0; w /= 2) {
        if (lane < w)
            shared[lane] = least ? pick_least(shared[lane], shared[lane + w])
                                 : pick_greatest(shared[lane], shared[lane + w]);
        __syncthreads();
    }
    const double extreme = shared[0];
    __syncthreads();
    return extreme;
}

__device__ static inline double field_at(const struct line &l, int unknown, int i)
{
    const int n = l.b->n;
    i = i < 0 ? i + n : i < n ? i : i - n;
    return l.u[(size_t)unknown * l.b->unknown + (size_t)i * l.b->point];
}

template <typename A> __device__ static inline double value_at(const struct line &l, const A &argument, int i)
{
    double in[SW_INPUTS];
    for (int k = 0; k < SW_INPUTS; k++) in[k] = 0.0;
    in[SW_IN_X] = l.b->x0[l.j] + i * l.b->dx[l.j];
    for (int v = 0; v < UNKNOWNS; v++)
        for (int k = -A::reach; k <= A::reach; k++) in[IN_U + v * NEIGHBOURS + k] = field_at(l, v, i + k);
    return argument.at(in, i);
}

template <typename A> __device__ static inline double reduce(const struct line &l, const double *number)
{
    const int n = l.b->n, kind = A::kind, me = threadIdx.x;
    const bool extreme = kind == LEAST || kind == GREATEST;
    A argument;
    argument.begin(number, l.t);
    double total = extreme ? value_at(l, argument, me < n ? me : 0) : 0.0;  /* a thread without a point has point 0 */
    for (int i = extreme ? me + SW_SUM_LANES : me; i < n; i += SW_SUM_LANES) {
        const double v = value_at(l, argument, i);
        if (kind == LEAST) total = pick_least(total, v);
        else if (kind == GREATEST) total = pick_greatest(total, v);
        else if (kind != CROSSINGS) total += v;
        else {
            const double next = value_at(l, argument, i + 1 < n ? i + 1 : 0);
            total += v != v ? v : (v < 0.0) != (next < 0.0) ? 1.0 : 0.0;
        }
    }
    if (extreme) return block_extreme(total, kind == LEAST, l.shared);
    total = block_sum(total, l.shared);
    return kind == MEAN ? total / n : kind == INTEGRAL ? l.b->dx[l.j] * total : total;
}

/* Whether all fields of the run are finite. */
__device__ static inline bool is_finite(const struct line &l)
{
    double bad = l.b->first_bad[l.j] != -1;
    for (int v = 0; v < UNKNOWNS; v++)
        for (int i = threadIdx.x; i < l.b->n; i += SW_SUM_LANES) bad += !isfinite(field_at(l, v, i));
    return block_sum(bad, l.shared) == 0.0;
}

__device__ static void form_values(const struct line &l, double *number, double *out);

extern "C" __global__ void reduce_k(struct sw_reduce_batch b)
{
    __shared__ double shared[SW_SUM_LANES], number[MOST_NUMBERS];
    for (int j = blockIdx.x; j < b.count; j += gridDim.x) {
        const struct line l = {&b, b.field + (size_t)j * b.run, j, b.t[j], shared};
        double *out = b.value + (size_t)j * EXPRESSIONS;
        if (!is_finite(l)) {
            for (int e = threadIdx.x; e < EXPRESSIONS; e += SW_SUM_LANES) out[e] = nan("");
            continue;
        }
        for (int k = threadIdx.x; k < OWN; k += SW_SUM_LANES) number[k] = b.column[(size_t)k * b.count + j];
        for (int k = threadIdx.x; k < GRID_NUMBERS; k += SW_SUM_LANES)
            number[OWN + k] = b.grid[(size_t)k * b.count + j];
        __syncthreads();
        form_values(l, number, out);
        __syncthreads();
    }
}
