#define DISABLE_CUSPARSE_DEPRECATED  /* its header warns of types of its own */
#include "linalg/cusparse_cuda.h"

#include <cusparse.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "cu_check.cuh"

/* ------------------------------------------------------------------ the library */

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

/* ------------------------------------------------------------------ tridiagonal systems */

#define CUSPARSE_LIST(X) X(Create) X(Destroy) X(SetStream) X(GetErrorString) X(Dgtsv2StridedBatch) \
                         X(Dgtsv2StridedBatch_bufferSizeExt) X(DgtsvInterleavedBatch)              \
                         X(DgtsvInterleavedBatch_bufferSizeExt)

enum { THOMAS = 0 };  /* of the library's three ways to solve interleaved systems the one that moves least */

struct sw_gtsv {
#define X(name) __typeof__(&cusparse##name) name;
    CUSPARSE_LIST(X)
#undef X
    struct sw_gtsv_desc desc;
    struct sw_device   *device;
    cusparseHandle_t    handle;
    double             *lower, *main, *upper;
    char               *buffer;
};

#define SPARSE_TRY(call)                                                                            \
    do {                                                                                            \
        cusparseStatus_t cs_ = s->call;                                                             \
        if (cs_) return SW_FAIL(SW_E_CUDA, "cuSPARSE: %s: %s", #call, s->GetErrorString(cs_));      \
    } while (0)

static enum sw_status load(struct sw_gtsv *s, const char *row, const char *instead)
{
#define X(name) "cusparse" #name,
    static const char *const names[] = {CUSPARSE_LIST(X) 0};
#undef X
    void *symbol[sizeof names / sizeof *names];
    int k = 0;
    SW_TRY(sw_cusparse_load(row, instead, names, symbol));
#define X(name) memcpy(&s->name, &symbol[k++], sizeof *symbol);
    CUSPARSE_LIST(X)
#undef X
    return SW_OK;
}

static enum sw_status make_buffer(struct sw_gtsv *s)
{
    const struct sw_gtsv_desc *d = &s->desc;
    size_t bytes = 0;
    if (d->interleaved)
        SPARSE_TRY(DgtsvInterleavedBatch_bufferSizeExt(s->handle, THOMAS, d->n, s->lower, s->main, s->upper, s->main,
                                                       d->batch, &bytes));
    else
        SPARSE_TRY(Dgtsv2StridedBatch_bufferSizeExt(s->handle, d->n, s->lower, s->main, s->upper, s->main, d->batch,
                                                    d->n, &bytes));
    return sw_device_alloc(s->device, bytes, &s->buffer);
}

static enum sw_status make(struct sw_gtsv *s, const char *row, const char *instead)
{
    SW_TRY(load(s, row, instead));
    if (s->desc.batch == 0) return SW_OK;
    CU_TRY(cudaSetDevice(s->device->index));
    SPARSE_TRY(Create(&s->handle));
    SPARSE_TRY(SetStream(s->handle, s->device->compute));
    return make_buffer(s);
}

enum sw_status sw_gtsv_create(const struct sw_gtsv_desc *desc, struct sw_device *device, double *matrix,
                              const char *row, const char *instead, struct sw_gtsv **solver)
{
    const size_t vector = (size_t)desc->n * (size_t)desc->batch;
    struct sw_gtsv *s = NULL;
    *solver = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->desc = *desc;
    s->device = device;
    s->lower = matrix;
    s->main = matrix + vector;
    s->upper = matrix + 2 * vector;
    enum sw_status st = make(s, row, instead);
    if (st) sw_gtsv_destroy(&s);
    *solver = s;
    return st;
}

enum sw_status sw_gtsv_solve(struct sw_gtsv *s, double *x)
{
    const struct sw_gtsv_desc *d = &s->desc;
    if (d->batch == 0) return SW_OK;
    CU_TRY(cudaSetDevice(s->device->index));
    if (d->interleaved)
        SPARSE_TRY(DgtsvInterleavedBatch(s->handle, THOMAS, d->n, s->lower, s->main, s->upper, x, d->batch, s->buffer));
    else
        SPARSE_TRY(Dgtsv2StridedBatch(s->handle, d->n, s->lower, s->main, s->upper, x, d->batch, d->n, s->buffer));
    return SW_OK;
}

void sw_gtsv_destroy(struct sw_gtsv **solver)
{
    struct sw_gtsv *s = *solver;
    if (!s) return;
    if (s->handle) s->Destroy(s->handle);
    sw_device_free(s->device, s->buffer);
    sw_free(s);
    *solver = NULL;
}
