#define DISABLE_CUSPARSE_DEPRECATED  /* its header warns of types of its own */
#include "linalg/gtsv_cuda.h"

#include <cusparse.h>
#include <string.h>

#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "linalg/cusparse_cuda.h"

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
