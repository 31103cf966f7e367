#ifndef ELLIPTIC_INTERLEAVED_CUH
#define ELLIPTIC_INTERLEAVED_CUH
/* What both passes of elliptic_interleaved share: numbers side by side, and how a sum over all blocks of a system
 * comes to its end. */
#include "cuda/elliptic/elliptic_cells.cuh"
#include "cuda/elliptic/elliptic_sum.cuh"
#include "cuda/launch.cuh"

/* V numbers that are loaded and stored together. */
template <typename real, int V> struct alignas(sizeof(real) * V) pack { real v[V]; };

template <size_t BYTES> struct word_of;
template <> struct word_of<4> { typedef int type; };
template <> struct word_of<8> { typedef int2 type; };
template <> struct word_of<16> { typedef int4 type; };

template <int V, typename real> __device__ static inline pack<real, V> load_pack(const real *from)
{
    return *reinterpret_cast<const pack<real, V> *>(from);
}

template <int V, typename real> __device__ static inline void store_pack(real *to, const pack<real, V> &x)
{
    *reinterpret_cast<pack<real, V> *>(to) = x;
}

/* The same of what is not looked at again before all other vectors have been: the second-level cache gives it up
 * first, and more of z and q is still there when the other pass comes to them. */
template <int V, typename real> __device__ static inline pack<real, V> load_once(const real *from)
{
    typedef typename word_of<sizeof(real) * V>::type word;
    const word w = __ldcs(reinterpret_cast<const word *>(from));
    return *reinterpret_cast<const pack<real, V> *>(&w);
}

template <int V, typename real> __device__ static inline void store_once(real *to, const pack<real, V> &x)
{
    typedef typename word_of<sizeof(real) * V>::type word;
    __stcs(reinterpret_cast<word *>(to), *reinterpret_cast<const word *>(&x));
}

/* a, b, c, d of a level. */
template <typename real> struct alignas(4 * sizeof(real)) level_of { real a, b, c, d; };

/* After threads of this block, whichever, have left `count` of the `all` sums of a system in memory: whether these were
 * the last ones. That block sees all of them, by __ldcg(). All threads call it. */
__device__ static inline bool is_last(struct sw_cuda_elliptic_way *way, unsigned count, unsigned all)
{
    __shared__ bool last;
    __syncthreads();  /* thread 0 counts what others have left: not before they have */
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&way->ticket, count) + count == all;
        if (last) way->ticket = 0;
    }
    __syncthreads();
    const bool answer = last;
    if (answer) __threadfence();
    __syncthreads();
    return answer;
}

/* Whether a pass goes on after an iteration: what the host finds as well, by elliptic_record(). */
__device__ static inline bool goes_on(const struct sw_cuda_elliptic_way *way, bool single, double rr)
{
    if (single) return isfinite(rr) && rr > way->enough;
    return sqrt(rr) / way->norm_f > way->tolerance;
}

/* The scalars of a system behind K1 and K2.
 * @param now     the system as it is in this launch until here: read early, it has come when the sums have
 * @param starts  turn -1 */
__device__ static inline void elliptic_end_k1(struct sw_cuda_elliptic_way *way, const struct sw_cuda_elliptic_way &now,
                                              double pq, struct sw_cuda_elliptic_turn *out)
{
    out->pq = pq;
    way->turns = now.turns + 1;
    way->alpha_before = now.alpha;
    way->alpha = pq > 0 ? now.rz / pq : 0;
    if (!(pq > 0)) way->done = 1;
}

__device__ static inline void elliptic_end_k2(struct sw_cuda_elliptic_way *way, const struct sw_cuda_elliptic_way &now,
                                              bool starts, bool single, double rr, double rz,
                                              struct sw_cuda_elliptic_turn *out)
{
    way->beta = starts ? 0 : rz / now.rz;
    way->rz = rz;
    if (starts) return;
    const double unscaled = single ? rr / (now.up * now.up) : rr;
    out->rr = unscaled;
    way->left = now.left - 1;
    if (now.left == 1 || !goes_on(&now, single, unscaled)) way->done = 1;
    if (single && !isfinite(unscaled)) way->alpha = 0;
}
#endif
