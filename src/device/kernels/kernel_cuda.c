/* Kernels compiled at run time are loaded when they are first launched, and launched. The driver is reached through the
 * CUDA run-time library, so that the program starts without it. */
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "device/kernels/compilation_cuda.h"
#include "device/sw_kernels.h"

#define DRIVER_LIST(X) X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuLaunchKernel) \
                       X(cuLaunchKernelEx) X(cuFuncSetAttribute) X(cuGetErrorString)
static struct {
#define X(name) __typeof__(&name) name##_;
    DRIVER_LIST(X)
#undef X
} driver;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;
static bool driver_complete;

static void *driver_symbol(const char *name)
{
    void *symbol = NULL;
    enum cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    if (cudaGetDriverEntryPointByVersion(name, &symbol, 12000, cudaEnableDefault, &found)) return NULL;
#else
    if (cudaGetDriverEntryPoint(name, &symbol, cudaEnableDefault, &found)) return NULL;
#endif
    return found == cudaDriverEntryPointSuccess ? symbol : NULL;
}

static void load_driver(void)
{
    driver_complete = true;
#define X(name)                                          \
    {                                                    \
        void *symbol = driver_symbol(#name);             \
        memcpy(&driver.name##_, &symbol, sizeof symbol); \
        if (!symbol) driver_complete = false;            \
    }
    DRIVER_LIST(X)
#undef X
    cudaGetLastError();
}

static enum sw_status driver_failed(const char *call, CUresult result)
{
    const char *text = NULL;
    driver.cuGetErrorString_(result, &text);
    return SW_FAIL(SW_E_CUDA, "%s: %s", call, text ? text : "unknown error");
}

#define DRIVER_TRY(call)                                            \
    do {                                                            \
        CUresult result_ = driver.call;                             \
        if (result_) return driver_failed(#call, result_);          \
    } while (0)

/* What sw_kernel_launch() takes as a kernel. Each is compiled by itself, so that those of a text are compiled side by
 * side, and one that is never launched is not waited for; and its cubin is the same on every machine. */
struct kernel {
    const char *name;
    struct sw_compilation *compilation;  /* NULL: loaded */
    CUmodule   module;
    CUfunction function;
};

struct sw_module {
    int           count;
    struct kernel kernel[SW_KERNELS];
};

static enum sw_status begin(const char *text, const char *label, const char *name, int sm,
                            struct sw_compilation **compilation)
{
    struct sw_text one = {0};
    sw_kernel_text(text, &name, 1, &one);
    enum sw_status st = sw_text_status(&one);
    if (!st) st = sw_compilation_begin(sw_text_get(&one), label, sm, compilation);
    sw_text_free(&one);
    return st;
}

enum sw_status sw_kernels_compile(const char *text, const char *label, const char *const *names, int count, int sm)
{
    struct sw_compilation *compilation[SW_KERNELS] = {NULL};
    struct sw_err_kept failed = {0};
    const void *cubin;
    size_t bytes;
    bool from_cache;
    for (int k = 0; k < count; k++) sw_err_keep(&failed, begin(text, label, names[k], sm, &compilation[k]));
    for (int k = 0; k < count; k++) {
        if (compilation[k]) sw_err_keep(&failed, sw_compilation_end(compilation[k], &cubin, &bytes, &from_cache));
        sw_compilation_leave(&compilation[k]);
    }
    return sw_err_raise(&failed);
}

static enum sw_status find_driver(const struct sw_device *device)
{
    CU_TRY(cudaSetDevice(device->index));
    pthread_once(&driver_once, load_driver);
    if (driver_complete) return SW_OK;
    return SW_FAIL(SW_E_ABSENT, "the NVIDIA driver on this machine is too old; install a newer one");
}

enum sw_status sw_module_create(struct sw_device *device, const char *text, const char *label, const char *const *names,
                                int count, void **kernels, struct sw_module **module)
{
    enum sw_status st;
    struct sw_module *m = NULL;
    *module = NULL;
    if (device->compiles_only) return sw_kernels_compile(text, label, names, count, device->sm);
    SW_TRY(find_driver(device));
    SW_TRY(sw_alloc(1, &m));
    for (; m->count < count; m->count++) {
        struct kernel *k = &m->kernel[m->count];
        k->name = names[m->count];
        kernels[m->count] = k;
        SW_TRY_TO(failed, st, begin(text, label, k->name, device->sm, &k->compilation));
    }
    *module = m;
    return SW_OK;
failed:
    sw_module_unload(device, &m);
    return st;
}

/* What comes with the program may be newer than the driver: compile it here. */
static enum sw_status again(struct kernel *k)
{
    struct sw_compilation *here;
    SW_TRY(sw_compilation_again(k->compilation, &here));
    sw_compilation_leave(&k->compilation);
    k->compilation = here;
    return SW_OK;
}

/* The device's context is current. */
static enum sw_status load(struct kernel *k)
{
    const void *cubin;
    size_t bytes;
    bool from_cache;
    CUresult result;
    if (k->function) return SW_OK;
    if (k->compilation) {
        SW_TRY(sw_compilation_end(k->compilation, &cubin, &bytes, &from_cache));
        result = driver.cuModuleLoadData_(&k->module, cubin);
        if (result && !again(k)) {
            SW_TRY(sw_compilation_end(k->compilation, &cubin, &bytes, &from_cache));
            result = driver.cuModuleLoadData_(&k->module, cubin);
        }
        if (result) return driver_failed("cuModuleLoadData", result);
        sw_compilation_leave(&k->compilation);
    }
    result = driver.cuModuleGetFunction_(&k->function, k->module, k->name);
    return result ? driver_failed(k->name, result) : SW_OK;
}

void sw_module_unload(struct sw_device *device, struct sw_module **module)
{
    struct sw_module *m = module ? *module : NULL;
    if (!m) return;
    const bool entered = !cudaSetDevice(device->index);
    for (int k = 0; k < m->count; k++) {
        sw_compilation_leave(&m->kernel[k].compilation);
        if (m->kernel[k].module && entered) driver.cuModuleUnload_(m->kernel[k].module);
    }
    sw_free(m);
    *module = NULL;
}

/* A launch must ask for more than 48 KiB of shared memory a block, and what the kernel itself declares counts: 16 KiB
 * are left for that. To ask for less than 48 KiB does no harm. */
static enum sw_status ask_for_shared(CUfunction function, size_t bytes)
{
    enum { WITHOUT_ASKING = 48 * 1024, DECLARED = 16 * 1024 };
    if (bytes > WITHOUT_ASKING - DECLARED)
        DRIVER_TRY(cuFuncSetAttribute_(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes));
    return SW_OK;
}

/* The function of a kernel, for which the first launch waits. */
static enum sw_status prepare(struct sw_device *device, struct kernel *kernel, size_t shared_bytes)
{
    CU_TRY(cudaSetDevice(device->index));
    SW_TRY(load(kernel));
    return ask_for_shared(kernel->function, shared_bytes);
}

static enum sw_status launched(struct sw_device *device)
{
#ifdef SW_CUDA_SYNC
    CU_TRY(cudaStreamSynchronize(device->compute));
#else
    (void)device;
#endif
    return SW_OK;
}

enum sw_status sw_kernel_launch(struct sw_device *device, void *kernel, int blocks_x, int blocks_y, int threads,
                                size_t shared_bytes, void **args)
{
    struct kernel *k = kernel;
    if (blocks_x <= 0 || blocks_y <= 0 || device->compiles_only) return SW_OK;
    SW_TRY(prepare(device, k, shared_bytes));
    DRIVER_TRY(cuLaunchKernel_(k->function, (unsigned)blocks_x, (unsigned)blocks_y, 1, (unsigned)threads, 1, 1,
                               (unsigned)shared_bytes, device->compute, args, NULL));
    return launched(device);
}

enum sw_status sw_kernel_launch_clusters(struct sw_device *device, void *kernel, int clusters, int size, int threads,
                                         size_t shared_bytes, void **args)
{
    struct kernel *k = kernel;
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {
        .gridDimX = (unsigned)clusters * (unsigned)size, .gridDimY = 1, .gridDimZ = 1,
        .blockDimX = (unsigned)threads, .blockDimY = 1, .blockDimZ = 1,
        .sharedMemBytes = (unsigned)shared_bytes, .hStream = device->compute, .attrs = &attribute, .numAttrs = 1,
    };
    if (size <= 1) return sw_kernel_launch(device, kernel, clusters, 1, threads, shared_bytes, args);
    if (clusters <= 0 || device->compiles_only) return SW_OK;
    attribute.value.clusterDim.x = (unsigned)size;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    SW_TRY(prepare(device, k, shared_bytes));
    if (size > 8)  /* it must be asked for, as such shared memory */
        DRIVER_TRY(cuFuncSetAttribute_(k->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    DRIVER_TRY(cuLaunchKernelEx_(&config, k->function, args, NULL));
    return launched(device);
}
