#ifndef SW_KERNELS_H
#define SW_KERNELS_H
/* Kernels that are compiled at run time (NVRTC, src/device/kernels/compiler_cuda.c), as they depend on a shape or on
 * expressions of the user's. Their text: embedded files, definitions, embedded files. */
#include "base/sw_text.h"
#include "device/sw_device.h"

enum { SW_KERNEL_FILES = 14, SW_KERNELS = 16 };

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

/** Begin to compile the text for a device, in threads, its kernels apart from each other, or to take kernels from the
 * cache. The first launch of a kernel waits for it and loads it: all of a sim are compiled side by side, those of other
 * sims among them. For an architecture (sw_device_open_architecture()) they are compiled when this returns.
 * @param source       its strings live as long as the program
 * @param definitions  the constants, types and functions between the files; freed here
 * @param kernels      out
 * @return SW_E_ABSENT no NVRTC on this machine (the message says what to install), too old a driver, or a build without
 *         CUDA; SW_E_MEMORY, also of a text that ran out of it. What sw_kernel_compile() returns besides, the first
 *         launch does */
enum sw_status sw_kernels_create(struct sw_device *device, const struct sw_kernel_source *source,
                                 struct sw_text *definitions, struct sw_kernels *kernels);
/** Of zeros it does nothing; leaves zeros. */
void sw_kernels_destroy(struct sw_device *device, struct sw_kernels *kernels);


/** How many texts sw_kernels_create() has begun with so far, in this process. */
int sw_kernels_begun(void);
/* Kernels that this process has compiled, as they were in no file; of these, those that are in files now; and how many
 * are missing for want of a compiler. */
struct sw_kernel_counts { int compiled, kept, missing; };
struct sw_kernel_counts sw_kernels_count(void);
/** The folder that they are kept in; nothing where there is none.
 * @return SW_E_REFUSED SWEEP_KERNELS names one that is not used, with the reason; they are kept in the cache */
enum sw_status sw_kernel_folder(struct sw_text *path);
/** Wait until no thread compiles, and none goes on with what waits: before exit(), whose handlers would take the
 * compiler away under those that compile what nobody has waited for. */
void sw_kernels_end(void);
/** Wait until all that has begun is compiled, whether it can be or not: what follows is timed. */
void sw_kernels_wait(void);

/** Queue one kernel on the compute stream, once it is compiled. args: as for cuLaunchKernel. A grid of zero blocks is
 * legal and does nothing; so does every launch on an architecture. @return also as sw_kernel_compile() */
enum sw_status sw_kernel_launch(struct sw_device *device, void *kernel, int blocks_x, int blocks_y, int threads,
                                size_t shared_bytes, void **args);

/** The same with blocks in thread-block clusters: `clusters` of `size` blocks each, in a row, which needs compute
 * capability 9.0; of size <= 1 so many blocks. */
enum sw_status sw_kernel_launch_clusters(struct sw_device *device, void *kernel, int clusters, int size, int threads,
                                         size_t shared_bytes, void **args);

/* ---- what they are made of */

/** Whether there is any kernel in files: without one the first run on a GPU waits for the compiler. */
bool sw_kernel_cache_begun(void);

/** Compile CUDA C text for an architecture, or take the cubin from a file (device/kernels/kernel_files_cuda.h).
 * @param text    complete source
 * @param label   what it is, for messages: "forcing"
 * @param sm      90 for sm_90
 * @param cubin   out; free with sw_free()
 * @return SW_E_ABSENT no NVRTC on this machine (the message says what to install) or a build without CUDA;
 *         SW_E_CUDA with the compiler's log */
enum sw_status sw_kernel_compile(const char *text, const char *label, int sm, void **cubin, size_t *bytes,
                                 bool *from_cache);

/** The text with some of its kernels ('extern "C" __global__'). The others become templates that nobody uses, which the
 * compiler only reads: a text of 130 KB without a kernel takes 40 ms.
 * @param names  [count] of the kernels  @param some  in: empty */
void sw_kernel_text(const char *text, const char *const *names, int count, struct sw_text *some);
/** Compile the kernels of a text, side by side. @return as sw_kernel_compile() */
enum sw_status sw_kernels_compile(const char *text, const char *label, const char *const *names, int count, int sm);

/** Kernels of a text that are being compiled; the first launch of one of them waits for it.
 * @param label, names  of the text and of its kernels (extern "C"), count; they live as long as the program
 * @param kernels       out [count]; opaque, for sw_kernel_launch()
 * @return as sw_kernels_create() */
enum sw_status sw_module_create(struct sw_device *device, const char *text, const char *label, const char *const *names,
                                int count, void **kernels, struct sw_module **module);
void sw_module_unload(struct sw_device *device, struct sw_module **module);
#endif
