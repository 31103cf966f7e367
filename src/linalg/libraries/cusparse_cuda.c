#define DISABLE_CUSPARSE_DEPRECATED  /* its header warns of types of its own */
#include "linalg/libraries/cusparse_cuda.h"

#include <cusparse.h>
#include <dlfcn.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "cuda/cu_library.h"
#include "linalg/libraries/cusparse_functions.h"

/* ------------------------------------------------------------------ the library */

enum sw_status sw_cusparse_load(const char *row, const char *instead, const char *const *name, void **symbol)
{
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so", NULL};
    void *library = cu_library_open("libcusparse.so", names);
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

#define CUSPARSE_OF s
#define CUSPARSE_LIST(X) X(Create) X(Destroy) X(SetStream) X(GetErrorString) X(Dgtsv2StridedBatch)    \
                         X(Dgtsv2StridedBatch_bufferSizeExt) X(Sgtsv2StridedBatch)                    \
                         X(Sgtsv2StridedBatch_bufferSizeExt) X(DgtsvInterleavedBatch)                 \
                         X(DgtsvInterleavedBatch_bufferSizeExt) X(Dgtsv2) X(Dgtsv2_bufferSizeExt)     \
                         X(Dgtsv2_nopivot) X(Dgtsv2_nopivot_bufferSizeExt)

enum { THOMAS = 0 };  /* of the library's three ways to solve interleaved systems the one that moves least */

struct sw_gtsv {
    CUSPARSE_LIST(CUSPARSE_MEMBER)
    struct sw_gtsv_desc desc;
    struct sw_device   *device;
    cusparseHandle_t    handle;
    char               *buffer;
};

static enum sw_status load(struct sw_gtsv *s, const char *row, const char *instead)
{
    CUSPARSE_LOAD(row, instead);
}

/* The library takes the arrays here, too, and looks at whether they are there: the shape decides. */
static enum sw_status ask_bytes(const struct sw_gtsv *s, size_t *bytes)
{
    static const double somewhere[2];
    const struct sw_gtsv_desc *d = &s->desc;
    const double *v = somewhere;
    switch (d->method) {
    case SW_GTSV_STRIDED:
        if (d->single) {
            const float *w = (const float *)somewhere;
            SPARSE_TRY(Sgtsv2StridedBatch_bufferSizeExt(s->handle, d->n, w, w, w, w, d->batch, d->n, bytes));
            break;
        }
        SPARSE_TRY(Dgtsv2StridedBatch_bufferSizeExt(s->handle, d->n, v, v, v, v, d->batch, d->n, bytes));
        break;
    case SW_GTSV_INTERLEAVED:
        SPARSE_TRY(DgtsvInterleavedBatch_bufferSizeExt(s->handle, THOMAS, d->n, v, v, v, v, d->batch, bytes));
        break;
    case SW_GTSV_PIVOTING:
        SPARSE_TRY(Dgtsv2_bufferSizeExt(s->handle, d->n, 1, v, v, v, v, d->n, bytes));
        break;
    case SW_GTSV_PLAIN:
        SPARSE_TRY(Dgtsv2_nopivot_bufferSizeExt(s->handle, d->n, 1, v, v, v, v, d->n, bytes));
        break;
    }
    return SW_OK;
}

static enum sw_status open(struct sw_gtsv *s, const char *row, const char *instead, size_t *bytes)
{
    SW_TRY(load(s, row, instead));
    SPARSE_TRY(Create(&s->handle));
    return ask_bytes(s, bytes);
}

size_t sw_gtsv_bytes(const struct sw_gtsv_desc *desc)
{
    struct sw_gtsv s = {.desc = *desc};
    size_t bytes = 0;
    if (desc->batch && open(&s, "", "", &bytes)) bytes = 0;
    if (s.handle) s.Destroy(s.handle);
    return bytes;
}

static enum sw_status make(struct sw_gtsv *s, const char *row, const char *instead)
{
    size_t bytes = 0;
    if (s->desc.batch == 0) return load(s, row, instead);
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(open(s, row, instead, &bytes));
    SPARSE_TRY(SetStream(s->handle, s->device->compute));
    return sw_device_alloc(s->device, bytes, &s->buffer);
}

enum sw_status sw_gtsv_create(const struct sw_gtsv_desc *desc, struct sw_device *device, const char *row,
                              const char *instead, struct sw_gtsv **solver)
{
    struct sw_gtsv *s = NULL;
    *solver = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->desc = *desc;
    s->device = device;
    enum sw_status st = make(s, row, instead);
    if (st) sw_gtsv_destroy(&s);
    *solver = s;
    return st;
}

/* System j of those that the library takes one by one: it takes many right-hand sides, but of one matrix. */
static enum sw_status solve_one(const struct sw_gtsv *s, const struct sw_gtsv_matrix *m, int j, double *x)
{
    const int n = s->desc.n;
    const size_t at = (size_t)j * (size_t)n;
    const double *lower = (const double *)m->lower + at, *diagonal = (const double *)m->main + at,
                 *upper = (const double *)m->upper + at;
    if (s->desc.method == SW_GTSV_PIVOTING)
        SPARSE_TRY(Dgtsv2(s->handle, n, 1, lower, diagonal, upper, x + at, n, s->buffer));
    else
        SPARSE_TRY(Dgtsv2_nopivot(s->handle, n, 1, lower, diagonal, upper, x + at, n, s->buffer));
    return SW_OK;
}

enum sw_status sw_gtsv_solve(struct sw_gtsv *s, const struct sw_gtsv_matrix *m, void *x)
{
    const struct sw_gtsv_desc *d = &s->desc;
    if (d->batch == 0) return SW_OK;
    CU_TRY(cudaSetDevice(s->device->index));
    if (d->method == SW_GTSV_INTERLEAVED)
        SPARSE_TRY(DgtsvInterleavedBatch(s->handle, THOMAS, d->n, m->lower, m->main, m->upper, x, d->batch, s->buffer));
    else if (d->method == SW_GTSV_STRIDED && d->single)
        SPARSE_TRY(Sgtsv2StridedBatch(s->handle, d->n, m->lower, m->main, m->upper, x, d->batch, d->n, s->buffer));
    else if (d->method == SW_GTSV_STRIDED)
        SPARSE_TRY(Dgtsv2StridedBatch(s->handle, d->n, m->lower, m->main, m->upper, x, d->batch, d->n, s->buffer));
    else
        for (int j = 0; j < d->batch; j++) SW_TRY(solve_one(s, m, j, x));
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
