#ifndef CU_CHECK_CUH
#define CU_CHECK_CUH
/* Turn a CUDA error into a status, with the text of both. For C and CUDA C. */
#include <cuda_runtime.h>

#include "base/sw_err.h"

#define CU_TRY(call)                                                              \
    do {                                                                          \
        cudaError_t cu_ = (call);                                                 \
        if (cu_ != cudaSuccess)                                                   \
            return SW_FAIL(SW_E_CUDA, "%s: %s", #call, cudaGetErrorString(cu_));  \
    } while (0)

/* After every launch. A debug build (make CUDA_SYNC=1) also waits: the kernel that made a fault then reports it. */
#ifdef SW_CUDA_SYNC
#define CU_LAUNCHED(stream) \
    do { CU_TRY(cudaGetLastError()); CU_TRY(cudaStreamSynchronize(stream)); } while (0)
#else
#define CU_LAUNCHED(stream) CU_TRY(cudaGetLastError())
#endif

#endif
