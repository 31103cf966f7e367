#ifndef CLUSTER_CUH
#define CLUSTER_CUH
/* What blocks of a cluster send each other, and what they sum and take together. */
#include "cuda/cluster.cuh"
#include "cuda/elliptic/elliptic_sum.cuh"
#include "cuda/launch.cuh"

/* The address for store_at() of the same place in another block of the cluster. */
__device__ static inline uint32_t address_in(const void *here, unsigned rank)
{
    const uint32_t own = (uint32_t)__cvta_generic_to_shared(here);
#if __CUDA_ARCH__ >= 900
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
    return there;
#else
    (void)rank;
    return own;
#endif
}

__device__ static inline void store_at(uint32_t address, float4 v)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(v.x), "f"(v.y), "f"(v.z),
                 "f"(v.w)
                 : "memory");
#else
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
#endif
}

/* A meeting of a block's threads, and of words that other blocks of the cluster send to it (PTX ISA, "mbarrier" and
 * "st.async"): a phase ends when each thread has arrived and all bytes have come. Nobody waits for blocks that send
 * nothing, and no fence for all memory is needed. Two of them are used in turn: a sender is a phase ahead at most. A
 * thread a warp that arrived for all of it, behind __syncwarp(), was 3 % slower in cuda.modal, and racecheck took it
 * for a race (results/gpu/elliptic_variants.txt). In code for a processor before Hopper it is a barrier of the block.
 */
struct meeting { uint64_t word; };

/* By one thread, before a barrier of the cluster. */
__device__ static inline void begin_meeting(struct meeting *m, unsigned threads)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(m)), "r"(threads)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/* All threads call it, after all that they leave for this block. @param bytes  that come from others */
__device__ static inline void arrive_at(struct meeting *m, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(m);
    __syncwarp();  /* so that a warp's arrivals are one instruction */
    if (threadIdx.x == 0 && bytes > 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    else
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
#endif
}

/* @param parity  of phases of this meeting that have ended: 0, 1, 0 .. */
__device__ static inline void wait_at(struct meeting *m, unsigned parity)
{
#if __CUDA_ARCH__ >= 900
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(m);
    uint32_t ended = 0;
    while (!ended)
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                     " selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(ended) : "r"(at), "r"(parity) : "memory");
#else
    __syncthreads();
#endif
}

/* To an address_in() of a block whose meeting is at another one: in a cluster of two blocks or more, where it may be
 * this block. */
__device__ static inline void send_to(uint32_t address, float4 v, uint32_t meeting)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
                 ::"r"(address), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(meeting)
                 : "memory");
#else
    store_at(address, v);
#endif
}

/* A number likewise. */
__device__ static inline void send_to(uint32_t address, double v, uint32_t meeting)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(address),
                 "l"(__double_as_longlong(v)), "r"(meeting)
                 : "memory");
#else
    asm volatile("st.shared.f64 [%0], %1;" ::"r"(address), "d"(v) : "memory");
#endif
}

/* What threads of a cluster have in common, in shared memory of each block. */
struct cluster_words {
    double sum[2][CLUSTER_MOST];
    int    item;
};

struct cluster {
    unsigned size, rank;
    int      turn;                 /* 0, 1: sums lie in turn, so that none is overwritten before all have read it */
    struct cluster_words *words;
};

__device__ static inline struct cluster join_cluster(unsigned size, struct cluster_words *words)
{
    const struct cluster c = {size, rank_in_cluster(), 0, words};
    return c;
}

/* The sum over a cluster, blocks in their order; a barrier. */
__device__ static inline double sum_of_cluster(struct cluster *c, double term)
{
    double sum = sum_of_block(term);
    c->turn ^= 1;
    if (threadIdx.x < c->size) in_block(c->words, threadIdx.x)->sum[c->turn][c->rank] = sum;
    cluster_barrier();
    sum = 0;
    for (unsigned k = 0; k < c->size; k++) sum += c->words->sum[c->turn][k];
    return sum;
}

/* Let a kernel run in clusters of `size` blocks, with dynamic shared memory. */
template <typename F> static inline enum sw_status allow_clusters(F *kernel, int size)
{
    if (size > CLUSTER_PORTABLE) SW_TRY(allow_large_clusters(kernel));
    return allow_shared(kernel);
}

/* How many of them run at once on this device; 0: none. */
template <typename F>
static inline enum sw_status clusters_at_once(F *kernel, int size, int threads, size_t shared, int *clusters)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)size);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    SW_TRY(allow_clusters(kernel, size));
    CU_TRY(cudaOccupancyMaxActiveClusters(clusters, kernel, &config));
    return SW_OK;
}

/* The next number of a queue, for all blocks of a cluster; a barrier before and behind it. */
__device__ static inline int take_next(struct cluster *c, int *queue)
{
    cluster_barrier();
    if (c->rank == 0 && threadIdx.x == 0) {
        const int item = atomicAdd(queue, 1);
        for (unsigned k = 0; k < c->size; k++) in_block(c->words, k)->item = item;
    }
    cluster_barrier();
    return c->words->item;
}
#endif
