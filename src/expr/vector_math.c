#include "expr/vector_math.h"

#include <stdlib.h>   /* also says whose C library this is */

#if defined(__x86_64__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Names are those of the x86-64 vector function ABI: the instruction set, N for no mask, the width, a v for each
 * argument. */
struct variant {
    const char *name;      /* as the rows of problem/line/simd/lanes.c, for SWEEP_SIMD */
    char        letter;
    int         width;
    void      (*apply1)(void *f, const double *a, double *out);  /* a vector */
    void      (*apply2)(void *f, const double *a, const double *b, double *out);
};

/* A function pointer may not be cast from void * in C, but POSIX says that its bytes are the same. */
#define APPLY(width, target_, type, load, store)                                                              \
    __attribute__((target(target_))) static void apply1_##width(void *f, const double *a, double *out)        \
    {                                                                                                         \
        type (*function)(type);                                                                               \
        memcpy(&function, &f, sizeof function);                                                               \
        store(out, function(load(a)));                                                                        \
    }                                                                                                         \
    __attribute__((target(target_))) static void apply2_##width(void *f, const double *a, const double *b,    \
                                                                double *out)                                  \
    {                                                                                                         \
        type (*function)(type, type);                                                                         \
        memcpy(&function, &f, sizeof function);                                                               \
        store(out, function(load(a), load(b)));                                                               \
    }
APPLY(8, "avx512f,avx512dq", __m512d, _mm512_loadu_pd, _mm512_storeu_pd)
APPLY(4, "avx2,fma", __m256d, _mm256_loadu_pd, _mm256_storeu_pd)

static const struct variant variants[] = {
    {"avx512", 'e', 8, apply1_8, apply2_8},
    {"avx2", 'd', 4, apply1_4, apply2_4},
};

static const struct variant *variant;      /* NULL: none */
static void                 *library;
static void                 *function[VECTOR_MATH_MOST];
static pthread_once_t        once = PTHREAD_ONCE_INIT;
static pthread_mutex_t       lock = PTHREAD_MUTEX_INITIALIZER;
static bool                  looked[VECTOR_MATH_MOST];

static bool here(const struct variant *v)
{
    if (v->width == 8) return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static void load_library(void)
{
    const char *wanted = getenv("SWEEP_SIMD");
    for (int k = 0; k < 2; k++) {
        if (!here(&variants[k])) continue;
        if (!variant || (wanted && !strcmp(wanted, variants[k].name))) variant = &variants[k];
    }
    if (wanted && !strcmp(wanted, "generic")) variant = NULL;
    if (variant) library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
}

static void *find(int which, const char *name, int arguments)
{
    char symbol[64];
    pthread_once(&once, load_library);
    if (!library) return NULL;
    if (__atomic_load_n(&looked[which], __ATOMIC_ACQUIRE)) return function[which];
    pthread_mutex_lock(&lock);
    snprintf(symbol, sizeof symbol, "_ZGV%cN%d%s_%s", variant->letter, variant->width, arguments == 2 ? "vv" : "v",
             name);
    function[which] = dlsym(library, symbol);
    __atomic_store_n(&looked[which], true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return function[which];
}

static void apply(void *f, int arguments, const double *a, const double *b, double *out)
{
    if (arguments == 2) variant->apply2(f, a, b, out);
    else variant->apply1(f, a, out);
}

bool vector_math(int which, const char *name, int arguments, int n, const double *a, const double *b, double *out)
{
    void *f = find(which, name, arguments);
    int i = 0;
    if (!f) return false;
    for (; i + variant->width <= n; i += variant->width)
        apply(f, arguments, a + i, arguments == 2 ? b + i : a, out + i);
    if (i < n) {   /* the rest, among ones */
        double rest[3][8] = {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}};
        size_t bytes = (size_t)(n - i) * sizeof *a;
        memcpy(rest[0], a + i, bytes);
        if (arguments == 2) memcpy(rest[1], b + i, bytes);
        apply(f, arguments, rest[0], rest[1], rest[2]);
        memcpy(out + i, rest[2], bytes);
    }
    return true;
}

const char *vector_math_name(void) { return library ? variant->name : "scalar"; }
#else
const char *vector_math_name(void) { return "scalar"; }

bool vector_math(int which, const char *name, int arguments, int n, const double *a, const double *b, double *out)
{
    (void)which, (void)name, (void)arguments, (void)n, (void)a, (void)b, (void)out;
    return false;
}
#endif
