#ifndef BULK_COPY_CUH
#define BULK_COPY_CUH
/* Hopper's bulk copies between device memory and shared memory, begun by one thread (CUDA C++ Programming Guide,
 * "Asynchronous Data Copies using the Tensor Memory Accelerator"). In code for a processor before Hopper BULK is 0, and
 * nobody may call them. */
#include <stdint.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define BULK 1
#else
#define BULK 0
#endif

__device__ static inline uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

/* One thread begins a copy of `bytes` (a multiple of 16, addresses too) that reports to the barrier. */
__device__ static inline void bulk_load(double *to, const double *from, uint32_t bytes, uint64_t *barrier)
{
#if BULK
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
#endif
}

__device__ static inline void bulk_prefetch(const double *from, uint32_t bytes)
{
#if BULK
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
#endif
}

__device__ static inline void bulk_store(double *to, const double *from, uint32_t bytes)
{
#if BULK
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/* Wait until the copies out of shared memory have read it. */
__device__ static inline void bulk_stored()
{
#if BULK
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

/* Order what threads wrote to shared memory before the copies that one of them begins after a barrier. */
__device__ static inline void bulk_fence()
{
#if BULK
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

__device__ static inline void barrier_init(uint64_t *barrier)
{
#if BULK
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)));
#endif
}

__device__ static inline void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
#if BULK
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
#endif
}

__device__ static inline void barrier_wait(uint64_t *barrier, unsigned phase)
{
#if BULK
    asm volatile("{.reg .pred p;\n"
                 "wait_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra wait_%=;}" ::"r"(shared_address(barrier)), "r"(phase)
                 : "memory");
#endif
}
#endif
