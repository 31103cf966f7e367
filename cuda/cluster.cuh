#ifndef CLUSTER_CUH
#define CLUSTER_CUH
/* Thread-block clusters (CUDA C++ Programming Guide, "Distributed Shared Memory"): blocks that run at the same time and
 * reach each other's shared memory. In code for a processor before Hopper a cluster is one block. */
#include "elliptic_sum.cuh"

enum { CLUSTER_MOST = 8 };  /* blocks that every processor with clusters takes */

__device__ static inline unsigned rank_in_cluster()
{
#if __CUDA_ARCH__ >= 900
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
#else
    return 0;
#endif
}

/* All threads of all blocks; what they wrote before, to shared memory or not, all see afterwards. */
__device__ static inline void cluster_barrier()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

/* The same place of shared memory in another block of the cluster. */
template <typename T> __device__ static inline T *in_block(T *here, unsigned rank)
{
#if __CUDA_ARCH__ >= 900
    T *there;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
    return there;
#else
    (void)rank;
    return here;
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
