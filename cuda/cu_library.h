#ifndef CU_LIBRARY_H
#define CU_LIBRARY_H
/* Libraries of the CUDA toolkit are loaded when they are first needed, so that the program starts without them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/** The library, from $CUDA_HOME, from where the loader looks, or from /usr/local/cuda; NULL: it is on none of them. It
 *  is never closed: others may be using it.
 *  @param file   its name in a toolkit
 *  @param names  others that the loader may know, in the order of preference; end with NULL */
static inline void *cu_library_open(const char *file, const char *const *names)
{
    const char *const homes[] = {getenv("CUDA_HOME"), "/usr/local/cuda"};
    void *library = NULL;
    for (int k = 0; k < 2 && !library; k++) {
        char path[4096];
        if (homes[k] && snprintf(path, sizeof path, "%s/lib64/%s", homes[k], file) < (int)sizeof path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        for (int i = 0; k == 0 && !library && names[i]; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}
#endif
