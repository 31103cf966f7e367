#ifndef QUICK_KERNELS_H
#define QUICK_KERNELS_H
/* Kernels that a test compiles for an architecture, and nothing runs: all of a text at once, which is then read once
 * instead of once a kernel (0.1 s each), and with little optimization where there is no GPU. Each is half of the time.
 * The Makefile links tests that include architecture.h so that they call the functions below. SW_LONG=1: each kernel by
 * itself, and as optimized as the program has it. */
#ifdef SW_HAVE_CUDA
#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <string.h>

#include "base/sw_mem.h"
#include "device/sw_device.h"
#include "device/sw_kernels.h"
#include "helpers.h"

enum sw_status __real_sw_module_create(struct sw_device *device, const char *text, const char *label,
                                       const char *const *names, int count, void **kernels, struct sw_module **module);
enum sw_status __wrap_sw_module_create(struct sw_device *device, const char *text, const char *label,
                                       const char *const *names, int count, void **kernels, struct sw_module **module);
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

enum sw_status __wrap_sw_module_create(struct sw_device *device, const char *text, const char *label,
                                       const char *const *names, int count, void **kernels, struct sw_module **module)
{
    void *cubin;
    size_t bytes;
    bool from_cache;
    if (!device->compiles_only || long_suite())
        return __real_sw_module_create(device, text, label, names, count, kernels, module);
    *module = NULL;
    const enum sw_status st = sw_kernel_compile(text, label, device->sm, &cubin, &bytes, &from_cache);
    sw_free(cubin);
    return st;
}

/* ------------------------------------------------------------------ the compiler */

static __typeof__(&nvrtcVersion) quick_version;
static __typeof__(&nvrtcCompileProgram) quick_compile;

/* The option is of NVRTC 12.9. What runs on a GPU is compiled as the program does it. */
static inline bool compiles_quickly(void)
{
    int major = 0, minor = 0, gpus = 0;
    quick_version(&major, &minor);
    return !long_suite() && (major > 12 || (major == 12 && minor >= 9)) && (cudaGetDeviceCount(&gpus) || !gpus);
}

/* It calls itself another version, so that the program takes no such kernel from the cache. */
static inline nvrtcResult other_version(int *major, int *minor)
{
    const bool quickly = compiles_quickly();
    const nvrtcResult result = quick_version(major, minor);
    if (quickly) *minor += 1000;
    return result;
}

static inline nvrtcResult compile_quickly(nvrtcProgram of, int count, const char *const *options)
{
    const char *more[8];
    if (count >= 8 || !compiles_quickly()) return quick_compile(of, count, options);
    memcpy(more, options, (size_t)count * sizeof *options);
    more[count] = "--Ofast-compile=max";
    return quick_compile(of, count + 1, more);
}

void *__wrap_dlsym(void *library, const char *name)
{
    void *symbol = __real_dlsym(library, name), *ours = symbol;
    if (symbol && !strcmp(name, "nvrtcVersion")) {
        memcpy(&quick_version, &symbol, sizeof symbol);
        memcpy(&ours, &(__typeof__(&nvrtcVersion)){other_version}, sizeof ours);
    } else if (symbol && !strcmp(name, "nvrtcCompileProgram")) {
        memcpy(&quick_compile, &symbol, sizeof symbol);
        memcpy(&ours, &(__typeof__(&nvrtcCompileProgram)){compile_quickly}, sizeof ours);
    }
    return ours;
}
#endif
#endif
