#ifndef KERNEL_FILES_CUDA_H
#define KERNEL_FILES_CUDA_H
/* Compiled kernels in files: those that come with the program, whichever compiler made them, in a folder beside it
 * (kernels, ../lib/sweep/kernels), or in the one that SWEEP_KERNELS names; and the cache of this user, of each compiler
 * its own ($XDG_CACHE_HOME/sweep or ~/.cache/sweep). Whatever fails here only costs time. */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_text.h"

/** @param code      all that decides what the cubin is, but for the compiler
 *  @param compiler  its name and version; "": look among those that come with the program
 *  @param cubin     out; sw_free()  @return whether it is there, and whole */
bool kernel_file_read(const struct sw_text *code, const char *compiler, void **cubin, size_t *bytes);
/** Put it into the folder that SWEEP_KERNELS names. @return whether it is there; false where it names none */
bool kernel_file_share(const struct sw_text *code, const void *cubin, size_t bytes);
/** Put it into the folder that SWEEP_KERNELS names; where it names none, or none to write into, into the cache.
 * @return whether it is there */
bool kernel_file_write(const struct sw_text *code, const char *compiler, const void *cubin, size_t bytes);
#endif
