#include "linalg/libraries/lapack_cpu.h"

#include "base/sw_err.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_library(void)
{
    static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so", "libopenblas.so"};
    for (int k = 0; k < 4 && !library; k++) library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
}

enum sw_status sw_lapack_find(const char *row, int count, const char *const *names, void **functions)
{
    pthread_once(&once, load_library);
    for (int k = 0; k < count; k++) {
        functions[k] = library ? dlsym(library, names[k]) : NULL;
        if (!functions[k])
            return SW_FAIL(SW_E_ABSENT, "%s: LAPACK is not on this machine; apt-get install liblapack3", row);
    }
    return SW_OK;
}
