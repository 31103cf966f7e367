#ifndef LAUNCH_CUH
#define LAUNCH_CUH
/* Launches with more than <<<>>> says: kernels that begin while the one before them ends (CUDA C++ Programming Guide,
 * "Programmatic Dependent Launch"), and kernels with more shared memory than 48 KB.
 *
 * A kernel that is launched with OVERLAP calls wait_previous() before it reads or writes what the one before it may
 * have written. In code for a processor before Hopper wait_previous() does nothing: such code is launched when the
 * kernel before it has ended, whatever processor it runs on. */
#include <atomic>

#include "cuda/cu_check.cuh"

/* The next kernel may begin, if it overlaps. */
__device__ static inline void allow_next()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Wait until the kernels before have ended, and see what they wrote. */
__device__ static inline void wait_previous()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Whether this device runs code for Hopper or later of a kernel, in which wait_previous() waits and a cluster may be
 * more than one block. That is up to what it was compiled for (ptxVersion is __CUDA_ARCH__ / 10, also of machine code)
 * and not to the device, which may run older PTX. All kernels of a file are compiled for the same processors, so that
 * the answer is asked for once for each device. Several host threads may find it at once: it is the same. */
static inline enum sw_status has_hopper_code(const void *kernel, bool *has)
{
    enum { DEVICES = 64, NOT_ASKED = 0, NO, YES };  /* devices beyond are asked each time */
    static std::atomic<int> known[DEVICES];
    int device;
    CU_TRY(cudaGetDevice(&device));
    int answer = device < DEVICES ? known[device].load(std::memory_order_relaxed) : NOT_ASKED;
    if (answer == NOT_ASKED) {
        cudaFuncAttributes code;
        CU_TRY(cudaFuncGetAttributes(&code, kernel));
        answer = code.ptxVersion >= 90 ? YES : NO;
        if (device < DEVICES) known[device].store(answer, std::memory_order_relaxed);
    }
    *has = answer == YES;
    return SW_OK;
}

/* Ways to launch a kernel; may be added up. */
enum { ALONE = 0, OVERLAP = 1, TOGETHER = 2, CLUSTER_UNIT = 256 };
#define CLUSTERS(size) ((size) * CLUSTER_UNIT)

/* Queue a kernel.
 * @param shared  bytes of dynamic shared memory; above 48 KB after allow_shared()
 * @param how     OVERLAP: it may begin while the one before it ends: where its code can wait for that one. TOGETHER:
 *                its blocks wait for each other, so that none begins before there is room for all of them, whatever
 *                else is on the device (a cooperative launch); more than the device has room for are an error.
 *                CLUSTERS(n): blocks in clusters of n, which divides their number; with n = 1 there are none */
template <typename... P, typename... Q>
static inline enum sw_status launch(void (*kernel)(P...), long long blocks, int threads, size_t shared,
                                    cudaStream_t stream, int how, Q... argument)
{
    bool overlaps = false;
    if (how & OVERLAP) SW_TRY(has_hopper_code((const void *)kernel, &overlaps));
    const unsigned cluster = (unsigned)(how / CLUSTER_UNIT);
    bool clusters = true;
    if (cluster > 1) SW_TRY(has_hopper_code((const void *)kernel, &clusters));
    if (!clusters) return SW_FAIL(SW_E_CUDA, "a kernel of clusters, in a program that has no code for sm_90");
    cudaLaunchAttribute attribute[3];
    unsigned attributes = 0;
    if (overlaps) {
        attribute[attributes].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute[attributes++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (how & TOGETHER) {
        attribute[attributes].id = cudaLaunchAttributeCooperative;
        attribute[attributes++].val.cooperative = 1;
    }
    if (cluster > 1) {
        attribute[attributes].id = cudaLaunchAttributeClusterDimension;
        attribute[attributes].val.clusterDim.x = cluster;
        attribute[attributes].val.clusterDim.y = attribute[attributes].val.clusterDim.z = 1;
        attributes++;
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = attributes;
    CU_TRY(cudaLaunchKernelEx(&config, kernel, P(argument)...));
    CU_LAUNCHED(stream);
    return SW_OK;
}

/* Let a kernel have as much dynamic shared memory as a block can have on this device. It is a property of a kernel, not
 * of a launch: had it been what one launch needs, it would be too little for that of another host thread. */
template <typename F> static inline enum sw_status allow_shared(F *kernel)
{
    int device, most;
    cudaFuncAttributes code;
    CU_TRY(cudaGetDevice(&device));
    CU_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CU_TRY(cudaFuncGetAttributes(&code, kernel));
    CU_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                most - (int)code.sharedSizeBytes));
    return SW_OK;
}

/* Let a kernel run in clusters of more than 8 blocks, where the processor can. */
template <typename F> static inline enum sw_status allow_large_clusters(F *kernel)
{
    CU_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    return SW_OK;
}
#endif
