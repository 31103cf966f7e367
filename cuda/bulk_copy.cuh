#ifndef BULK_COPY_CUH
#define BULK_COPY_CUH
/* Hopper's bulk copies between device memory and shared memory, begun by one thread, and kernels that begin while the
 * one before them ends (CUDA C++ Programming Guide, "Asynchronous Data Copies using the Tensor Memory Accelerator",
 * "Programmatic Dependent Launch"). Before Hopper BULK is 0: nobody may call the copies, and the rest does nothing. */
#include <stdint.h>

#include "cu_check.cuh"

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

/* Programmatic dependent launch: the next kernel may begin; wait until the kernels before have ended. */
__device__ static inline void allow_next()
{
#if BULK
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ static inline void wait_previous()
{
#if BULK
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Queue a kernel that may begin while the one before it ends (`overlap`), where the device can do that. */
template <typename... P, typename... Q>
static inline enum sw_status launch(void (*kernel)(P...), long long blocks, int threads, size_t shared,
                                    cudaStream_t stream,
                             bool overlap, Q... argument)
{
    int device, major = 0;
    if (overlap) {
        CU_TRY(cudaGetDevice(&device));
        CU_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    }
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = major >= 9;
    CU_TRY(cudaLaunchKernelEx(&config, kernel, P(argument)...));
    CU_LAUNCHED(stream);
    return SW_OK;
}

/* Let a kernel have so much shared memory. */
template <typename F> static inline enum sw_status allow_shared(F *kernel, size_t bytes)
{
    CU_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return SW_OK;
}
#endif
