#define DISABLE_CUSPARSE_DEPRECATED  /* its header warns of types of its own */
#include "linalg/libraries/csr_cuda.h"

#include <cublas_v2.h>
#include <cusparse.h>
#include <limits.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "cuda/cu_library.h"
#include "linalg/libraries/cusparse_functions.h"

#define CUSPARSE_OF s
#define CUSPARSE_LIST(X) X(Create) X(Destroy) X(SetStream) X(GetErrorString) X(CreateCsr) X(DestroySpMat)   \
                         X(CreateDnVec) X(DnVecSetValues) X(DestroyDnVec) X(SpMV_bufferSize)                \
                         X(SpMV_preprocess) X(SpMV)
#define CUBLAS_LIST(X) X(Create) X(Destroy) X(SetStream) X(Ddot) X(Daxpy) X(Dscal) X(Dcopy) X(Sdot) \
                       X(Saxpy) X(Sscal) X(Scopy)

/* The algorithm of which the library says that its bits repeat from run to run. */
static const cusparseSpMVAlg_t repeatable = CUSPARSE_SPMV_CSR_ALG2;

struct sw_csr {
    CUSPARSE_LIST(CUSPARSE_MEMBER)
    struct {
#define X(name) __typeof__(&cublas##name##_v2) name;
        CUBLAS_LIST(X)
#undef X
    } blas;
    struct sw_csr_matrix matrix;
    struct sw_device    *device;
    cusparseHandle_t     sparse;
    cublasHandle_t       dense;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    char                *buffer;
};

#define BLAS_TRY(call)                                                                              \
    do {                                                                                            \
        cublasStatus_t cb_ = s->blas.call;                                                          \
        if (cb_) return SW_FAIL(SW_E_CUDA, "cuBLAS: %s: status %d", #call, (int)cb_);               \
    } while (0)

/* ------------------------------------------------------------------ the libraries */

static enum sw_status load_sparse(struct sw_csr *s, const char *row, const char *instead)
{
    CUSPARSE_LOAD(row, instead);
}

static enum sw_status load_blas(struct sw_csr *s, const char *row, const char *instead)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};
    void *library = cu_library_open("libcublas.so", names), *symbol;
    if (!library)
        return SW_FAIL(SW_E_ABSENT,
                       "%s needs the library libcublas.so, which is not on this machine; install the package "
                       "libcublas12 (Debian, Ubuntu) or libcublas-13-0 (NVIDIA), or take %s", row, instead);
#define X(name)                                                                                                 \
    symbol = dlsym(library, "cublas" #name "_v2");                                                              \
    if (!symbol) return SW_FAIL(SW_E_ABSENT, "the cuBLAS on this machine lacks cublas" #name "_v2");            \
    memcpy(&s->blas.name, &symbol, sizeof symbol);
    CUBLAS_LIST(X)
#undef X
    return SW_OK;
}

/* ------------------------------------------------------------------ create, destroy */

bool sw_csr_narrow(int64_t entries) { return entries <= INT_MAX; }

static cudaDataType type_of(const struct sw_csr *s) { return s->matrix.single ? CUDA_R_32F : CUDA_R_64F; }

/* 1 and 0 in the precision of the vectors. */
struct factors { double in_double[2]; float in_single[2]; };
static const struct factors factors = {{1, 0}, {1, 0}};
static const void *one_of(const struct sw_csr *s)
{
    return s->matrix.single ? (const void *)&factors.in_single[0] : &factors.in_double[0];
}
static const void *zero_of(const struct sw_csr *s)
{
    return s->matrix.single ? (const void *)&factors.in_single[1] : &factors.in_double[1];
}

/* The shape, and what the library asks for. It wants to see arrays, and does not look into them. */
static enum sw_status open(struct sw_csr *s, const char *row, const char *instead, size_t *bytes)
{
    const struct sw_csr_matrix *m = &s->matrix;
    const cusparseIndexType_t index = sw_csr_narrow(m->entries) ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    SW_TRY(load_sparse(s, row, instead));
    SW_TRY(load_blas(s, row, instead));
    SPARSE_TRY(Create(&s->sparse));
    SPARSE_TRY(CreateCsr(&s->a, m->rows, m->rows, m->entries, m->offsets, m->columns, m->values, index, index,
                         CUSPARSE_INDEX_BASE_ZERO, type_of(s)));
    SPARSE_TRY(CreateDnVec(&s->x, m->rows, m->values, type_of(s)));
    SPARSE_TRY(CreateDnVec(&s->y, m->rows, m->values, type_of(s)));
    SPARSE_TRY(SpMV_bufferSize(s->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, one_of(s), s->a, s->x, zero_of(s), s->y,
                               type_of(s), repeatable, bytes));
    return SW_OK;
}

static void close(struct sw_csr *s)
{
    if (s->y) s->DestroyDnVec(s->y);
    if (s->x) s->DestroyDnVec(s->x);
    if (s->a) s->DestroySpMat(s->a);
    if (s->sparse) s->Destroy(s->sparse);
    if (s->dense) s->blas.Destroy(s->dense);
}

/* cuBLAS has 32 MiB of work space of its own on Hopper, by its manual. */
size_t sw_csr_bytes(int64_t rows, int64_t entries, bool single)
{
    static double somewhere[2];
    const size_t of_cublas = (size_t)32 << 20;
    struct sw_csr s = {.matrix = {rows, entries, single, somewhere, somewhere, somewhere}};
    size_t bytes = 0;
    if (open(&s, "", "", &bytes)) bytes = 0;
    else bytes += of_cublas;
    close(&s);
    return bytes;
}

static enum sw_status make(struct sw_csr *s, const char *row, const char *instead)
{
    size_t bytes = 0;
    SW_TRY(sw_device_use(s->device));
    SW_TRY(open(s, row, instead, &bytes));
    SPARSE_TRY(SetStream(s->sparse, s->device->compute));
    BLAS_TRY(Create(&s->dense));
    BLAS_TRY(SetStream(s->dense, s->device->compute));
    return sw_device_alloc(s->device, bytes, &s->buffer);
}

enum sw_status sw_csr_create(const struct sw_csr_matrix *matrix, struct sw_device *device, const char *row,
                             const char *instead, struct sw_csr **csr)
{
    struct sw_csr *s = NULL;
    *csr = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->matrix = *matrix;
    s->device = device;
    enum sw_status st = make(s, row, instead);
    if (st) sw_csr_destroy(&s);
    *csr = s;
    return st;
}

void sw_csr_destroy(struct sw_csr **csr)
{
    if (!csr || !*csr) return;
    close(*csr);
    sw_device_free((*csr)->device, (*csr)->buffer);
    sw_free(*csr);
    *csr = NULL;
}

/* ------------------------------------------------------------------ what is done with it */

enum sw_status sw_csr_prepare(struct sw_csr *s)
{
    SPARSE_TRY(SpMV_preprocess(s->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, one_of(s), s->a, s->x, zero_of(s), s->y,
                               type_of(s), repeatable, s->buffer));
    return SW_OK;
}

enum sw_status sw_csr_apply(struct sw_csr *s, const void *x, void *y)
{
    SPARSE_TRY(DnVecSetValues(s->x, (void *)x));
    SPARSE_TRY(DnVecSetValues(s->y, y));
    SPARSE_TRY(SpMV(s->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, one_of(s), s->a, s->x, zero_of(s), s->y, type_of(s),
                    repeatable, s->buffer));
    return SW_OK;
}

enum sw_status sw_csr_dot(struct sw_csr *s, const void *x, const void *y, double *sum)
{
    const int n = (int)s->matrix.rows;
    float in_single = 0;
    if (s->matrix.single) BLAS_TRY(Sdot(s->dense, n, x, 1, y, 1, &in_single));
    else BLAS_TRY(Ddot(s->dense, n, x, 1, y, 1, sum));
    if (s->matrix.single) *sum = (double)in_single;
    return SW_OK;
}

static enum sw_status copy(struct sw_csr *s, int n, const void *x, void *y)
{
    if (s->matrix.single) BLAS_TRY(Scopy(s->dense, n, x, 1, y, 1));
    else BLAS_TRY(Dcopy(s->dense, n, x, 1, y, 1));
    return SW_OK;
}

static enum sw_status scale(struct sw_csr *s, int n, double by, void *y)
{
    const float in_single = (float)by;
    if (s->matrix.single) BLAS_TRY(Sscal(s->dense, n, &in_single, y, 1));
    else BLAS_TRY(Dscal(s->dense, n, &by, y, 1));
    return SW_OK;
}

static enum sw_status add(struct sw_csr *s, int n, double by, const void *x, void *y)
{
    const float in_single = (float)by;
    if (s->matrix.single) BLAS_TRY(Saxpy(s->dense, n, &in_single, x, 1, y, 1));
    else BLAS_TRY(Daxpy(s->dense, n, &by, x, 1, y, 1));
    return SW_OK;
}

enum sw_status sw_csr_combine(struct sw_csr *s, double alpha, const void *x, double beta, void *y)
{
    const int n = (int)s->matrix.rows;
    if (beta == 0) {
        if (alpha == 0) {
            CU_TRY(cudaMemsetAsync(y, 0, (size_t)n * (s->matrix.single ? sizeof(float) : sizeof(double)),
                                   s->device->compute));
            return SW_OK;
        }
        SW_TRY(copy(s, n, x, y));
        return alpha != 1 ? scale(s, n, alpha, y) : SW_OK;
    }
    if (beta != 1) SW_TRY(scale(s, n, beta, y));
    return alpha != 0 ? add(s, n, alpha, x, y) : SW_OK;
}
