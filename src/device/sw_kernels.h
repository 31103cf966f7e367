#ifndef SW_KERNELS_H
#define SW_KERNELS_H
/* Kernels that are compiled at run time (NVRTC, src/device/kernel_cuda.c), as they depend on a shape or on expressions
 * of the user's. Their text: embedded files, definitions, embedded files. */
#include "base/sw_text.h"
#include "device/sw_device.h"

enum { SW_KERNEL_FILES = 12, SW_KERNELS = 16 };

/* What stands in a text beside the definitions, and what is in it. NULL behind the last of each, if there is room. */
struct sw_kernel_source {
    const char *label;                                        /* begins messages: "the GPU code of f and exact" */
    const char *before[SW_KERNEL_FILES], *after[SW_KERNEL_FILES];  /* embedded files (base/sw_embed.h)          */
    const char *kernel[SW_KERNELS];                           /* names of kernels, extern "C"                   */
};

struct sw_module;
struct sw_kernels {
    void *kernel[SW_KERNELS];                                 /* in the order of their names, for sw_kernel_launch() */
    struct sw_module *module;
};

/** Compile the text for a device, or take it from the cache, and find its kernels.
 * @param definitions  the constants, types and functions between the files; freed here
 * @param kernels      out
 * @return as sw_kernel_compile(); SW_E_MEMORY, also of a text that ran out of it */
enum sw_status sw_kernels_create(struct sw_device *device, const struct sw_kernel_source *source,
                                 struct sw_text *definitions, struct sw_kernels *kernels);
/** Of zeros it does nothing; leaves zeros. */
void sw_kernels_destroy(struct sw_device *device, struct sw_kernels *kernels);

/** Compile the text for an architecture, on any machine that has the compiler. @param definitions  freed here */
enum sw_status sw_kernels_try_compile(const struct sw_kernel_source *source, struct sw_text *definitions, int sm);

/** Queue one kernel on the compute stream. args: as for cuLaunchKernel. A grid of zero blocks is
 * legal and does nothing. */
enum sw_status sw_kernel_launch(struct sw_device *device, void *kernel, int blocks_x, int blocks_y, int threads,
                                size_t shared_bytes, void **args);

/** The same with blocks in thread-block clusters: `clusters` of `size` blocks each, in a row, which needs compute
 * capability 9.0; of size <= 1 so many blocks. */
enum sw_status sw_kernel_launch_clusters(struct sw_device *device, void *kernel, int clusters, int size, int threads,
                                         size_t shared_bytes, void **args);

/* ---- what they are made of */

/** Compile CUDA C text for an architecture, or take the cubin from the cache ($XDG_CACHE_HOME/sweep or ~/.cache/sweep).
 * @param text    complete source
 * @param label   what it is, for messages: "forcing"
 * @param sm      90 for sm_90
 * @param cubin   out; free with sw_free()
 * @return SW_E_ABSENT no NVRTC on this machine (the message says what to install) or a build without CUDA;
 *         SW_E_CUDA with the compiler's log */
enum sw_status sw_kernel_compile(const char *text, const char *label, int sm, void **cubin, size_t *bytes,
                                 bool *from_cache);

/** Load a cubin and find its kernels.
 * @param names    count kernel names (extern "C")
 * @param kernels  out [count]; opaque, for sw_kernel_launch() */
enum sw_status sw_module_load(struct sw_device *device, const void *cubin, const char *const *names, int count,
                              void **kernels, struct sw_module **module);
void sw_module_unload(struct sw_device *device, struct sw_module **module);
#endif
