/* Kernels compiled at run time, in a build without CUDA (src/device/kernels/kernel_cuda.c has them in one with it). */
#include "base/sw_err.h"
#include "device/sw_kernels.h"

#ifndef SW_HAVE_CUDA
#define REFUSE return SW_FAIL(SW_E_ABSENT, SW_WITHOUT_CUDA)

enum sw_status sw_kernel_compile(const char *text, const char *label, int sm, void **cubin, size_t *bytes,
                                 bool *from_cache)
{
    (void)text, (void)label, (void)sm;
    *cubin = NULL;
    *bytes = 0;
    *from_cache = false;
    REFUSE;
}

bool sw_kernel_cache_begun(void) { return false; }

enum sw_status sw_kernels_compile(const char *text, const char *label, const char *const *names, int count, int sm)
{
    (void)text, (void)label, (void)names, (void)count, (void)sm;
    REFUSE;
}

struct sw_kernel_counts sw_kernels_count(void) { return (struct sw_kernel_counts){0}; }

enum sw_status sw_kernel_folder(struct sw_text *path)
{
    (void)path;
    return SW_OK;
}

void sw_kernels_wait(void) {}
void sw_kernels_end(void) {}

enum sw_status sw_module_create(struct sw_device *device, const char *text, const char *label, const char *const *names,
                                int count, void **kernels, struct sw_module **module)
{
    (void)device, (void)text, (void)label, (void)names, (void)count, (void)kernels;
    *module = NULL;
    REFUSE;
}

void sw_module_unload(struct sw_device *device, struct sw_module **module)
{
    (void)device;
    if (module) *module = NULL;
}

enum sw_status sw_kernel_launch(struct sw_device *device, void *kernel, int blocks_x, int blocks_y, int threads,
                                size_t shared_bytes, void **args)
{
    (void)device, (void)kernel, (void)blocks_x, (void)blocks_y, (void)threads, (void)shared_bytes, (void)args;
    REFUSE;
}

enum sw_status sw_kernel_launch_clusters(struct sw_device *device, void *kernel, int clusters, int size, int threads,
                                         size_t shared_bytes, void **args)
{
    (void)device, (void)kernel, (void)clusters, (void)size, (void)threads, (void)shared_bytes, (void)args;
    REFUSE;
}
#endif
