#ifndef CUDA_CLUSTER_CUH
#define CUDA_CLUSTER_CUH
/* Thread-block clusters (CUDA C++ Programming Guide, "Distributed Shared Memory"): blocks that run at the same time and
 * reach each other's shared memory. In code for a processor before Hopper a cluster is one block. */

enum {
    CLUSTER_PORTABLE = 8,  /* blocks that every processor with clusters takes      */
    CLUSTER_MOST = 16      /* that some take, where allow_large_clusters() was called */
};

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

/* A barrier in two halves: what all threads of all blocks wrote before they arrived, to shared memory or not, a thread
 * sees when it has waited. */
__device__ static inline void cluster_arrive()
{
#if __CUDA_ARCH__ >= 900
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
/* The first half for what was written to shared memory alone: it does not wait for what goes to global memory. */
__device__ static inline void cluster_arrive_shared()
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 13
    asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#else
    cluster_arrive();
#endif
}
/* The first half for threads that have read what they wanted, but wrote nothing for others. */
__device__ static inline void cluster_arrive_relaxed()
{
#if __CUDA_ARCH__ >= 900
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ static inline void cluster_wait()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}
__device__ static inline void cluster_barrier()
{
    cluster_arrive();
    cluster_wait();
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
#endif
