#include "linalg/cusparse_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *open_library(void)
{
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so", "/usr/local/cuda/lib64/libcusparse.so",
                                        0};
    const char *home = getenv("CUDA_HOME");
    char path[4096];
    void *library = NULL;
    if (home && snprintf(path, sizeof path, "%s/lib64/libcusparse.so", home) < (int)sizeof path)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (int k = 0; !library && names[k]; k++) library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    return library;  /* never closed: other solvers may be using it */
}

enum sw_status sw_cusparse_load(const char *row, const char *instead, const char *const *name, void **symbol)
{
    void *library = open_library();
    if (!library)
        return SW_FAIL(SW_E_ABSENT,
                       "%s needs the library libcusparse.so.12, which is not on this machine; install the package "
                       "libcusparse12 (Debian, Ubuntu) or libcusparse-13-0 (NVIDIA), or take %s", row, instead);
    for (int k = 0; name[k]; k++) {
        symbol[k] = dlsym(library, name[k]);
        if (!symbol[k]) return SW_FAIL(SW_E_ABSENT, "the cuSPARSE on this machine lacks %s", name[k]);
    }
    return SW_OK;
}
