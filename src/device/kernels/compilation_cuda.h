#ifndef COMPILATION_CUDA_H
#define COMPILATION_CUDA_H
/* Compilations of kernels, side by side in threads, and what they call. */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_status.h"

/* ---- the compiler, and what is in files (compiler_cuda.c) */

/** Whether there is one, or a file that makes it needless. @return SW_E_ABSENT, with what to install */
enum sw_status sw_compiler_find(const char *text, int sm);
/* As for sw_kernel_compile(). anew: what comes with the program is passed over. */
struct sw_compile_request { const char *text, *label; int sm; bool anew; };
/* The cubin, sw_free(); whether it is from a file, that of the program; whether it is in a file now. */
struct sw_compiled { void *cubin; size_t bytes; bool from_cache, shipped, stored; };

/** As sw_kernel_compile(), in the calling thread. @param out  on failure without a cubin */
enum sw_status sw_compile_or_read(const struct sw_compile_request *request, struct sw_compiled *out);

/* ---- threads (compilation_cuda.c) */

/* The compilation of a text for an architecture: one, however many want it. */
struct sw_compilation;

/** How many compile at a time, at most: at least 1. */
int sw_compilation_threads(void);

/** Begin to compile in a thread, or join those who wait for the same.
 * @param text         copied
 * @param label        as for sw_kernel_compile(); it lives as long as the program
 * @param compilation  out; sw_compilation_leave()  @return SW_E_ABSENT no compiler; SW_E_MEMORY */
enum sw_status sw_compilation_begin(const char *text, const char *label, int sm, struct sw_compilation **compilation);
/** Wait for its end. One that no thread has taken up yet is compiled by the caller.
 * @param cubin  out; the compilation's  @return as sw_kernel_compile() */
enum sw_status sw_compilation_end(struct sw_compilation *compilation, const void **cubin, size_t *bytes,
                                  bool *from_cache);
/** The same text once more, without what comes with the program, where that is what the driver does not load.
 * @return as sw_compilation_begin(); SW_E_CUDA it was compiled here */
enum sw_status sw_compilation_again(const struct sw_compilation *of, struct sw_compilation **compilation);
/** Nobody is waited for: what has begun ends, for those who come later. NULL does nothing; leaves NULL. */
void sw_compilation_leave(struct sw_compilation **compilation);
#endif
