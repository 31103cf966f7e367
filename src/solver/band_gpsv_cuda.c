/* cuSPARSE's gpsvInterleavedBatch, the library's own batched pentadiagonal solver (QR without storing the factors): the
 * baseline of the paper. Its interface destroys the matrix, which is therefore written again before each solve. It
 * knows no corners: periodic systems are closed around it (solver/thomas_point.h). The library, 160 MB, is loaded when
 * the row is asked for. */
#define DISABLE_CUSPARSE_DEPRECATED  /* its header warns of types of its own */
#include <cusparse.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "solver/sw_band_impl.h"
#include "sw_cuda.h"

#define CUSPARSE_LIST(X) X(Create) X(Destroy) X(SetStream) X(GetErrorString) X(DgpsvInterleavedBatch) \
                         X(DgpsvInterleavedBatch_bufferSizeExt)

struct gpsv {
#define X(name) __typeof__(&cusparse##name) name;
    CUSPARSE_LIST(X)
#undef X
    cusparseHandle_t    handle;
    struct sw_cuda_gpsv d;
    double *work;              /* [5][m][batch]: the matrix that a solve destroys         */
    double *packed;            /* [m][batch]: right-hand sides where ld > batch, and for set-up */
    void   *buffer;
    int    *bad;               /* [batch] on the host                                     */
};

#define SPARSE_TRY(call)                                                                            \
    do {                                                                                            \
        cusparseStatus_t cs_ = g->call;                                                             \
        if (cs_) return SW_FAIL(SW_E_CUDA, "cuSPARSE: %s: %s", #call, g->GetErrorString(cs_));      \
    } while (0)

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

static enum sw_status load_library(struct gpsv *g)
{
    void *library = open_library();
    if (!library)
        return SW_FAIL(SW_E_ABSENT,
                       "cusparse.gpsv needs the library libcusparse.so.12, which is not on this machine; install the "
                       "package libcusparse12 (Debian, Ubuntu) or libcusparse-13-0 (NVIDIA), or take cuda.thomas");
#define X(name)                                                                                           \
    {                                                                                                     \
        void *symbol = dlsym(library, "cusparse" #name);                                                  \
        if (!symbol) return SW_FAIL(SW_E_ABSENT, "the cuSPARSE on this machine lacks cusparse%s", #name); \
        memcpy(&g->name, &symbol, sizeof symbol);                                                         \
    }
    CUSPARSE_LIST(X)
#undef X
    return SW_OK;
}

/* cuSPARSE's manual allows 3 unknowns, but version 12.6 then writes a fourth one behind the right-hand side
 * (compute-sanitizer). */
static bool gpsv_fits(const struct sw_band_desc *desc) { return desc->n - sw_band_border(desc) >= 4; }

/* Diagonal r of a matrix [5][m][batch]: ds, dl, d, du, dw of the library. */
static double *row(const struct gpsv *g, double *matrix, int r)
{
    return matrix + (size_t)r * (size_t)(g->d.n - g->d.p) * (size_t)g->d.batch;
}

static enum sw_status make_buffer(struct sw_band *s, struct gpsv *g)
{
    size_t bytes = 0;
    char *buffer;
    double *w = g->work;
    SPARSE_TRY(DgpsvInterleavedBatch_bufferSizeExt(g->handle, 0, g->d.n - g->d.p, row(g, w, 0), row(g, w, 1),
                                                   row(g, w, 2), row(g, w, 3), row(g, w, 4), g->packed, g->d.batch,
                                                   &bytes));
    SW_TRY(sw_device_alloc(s->device, bytes, &buffer));
    g->buffer = buffer;
    return SW_OK;
}

static enum sw_status gpsv_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct gpsv *g = NULL;
    SW_TRY(sw_alloc(1, &g));
    s->own = g;
    SW_TRY(load_library(g));
    g->d.n = d->n;
    g->d.p = sw_band_border(d);
    g->d.batch = d->batch;
    g->d.ld = d->ld;
    if (d->batch == 0) return SW_OK;
    size_t vector = (size_t)(d->n - g->d.p) * (size_t)d->batch;
    CU_TRY(cudaSetDevice(s->device->index));
    SPARSE_TRY(Create(&g->handle));
    SPARSE_TRY(SetStream(g->handle, s->device->compute));
    SW_TRY(sw_alloc((size_t)d->batch, &g->bad));
    SW_TRY(sw_device_alloc(s->device, (size_t)d->batch, &g->d.bad));
    SW_TRY(sw_device_alloc(s->device, 5 * vector, &g->d.matrix));
    SW_TRY(sw_device_alloc(s->device, 5 * vector, &g->work));
    SW_TRY(sw_device_alloc(s->device, vector, &g->packed));
    if (g->d.p) SW_TRY(sw_device_alloc(s->device, 2 * vector, &g->d.Z));
    if (g->d.p) SW_TRY(sw_device_alloc(s->device, 10 * (size_t)d->batch, &g->d.closure));
    return make_buffer(s, g);
}

/* E^-1 on one packed vector [m][batch], in place. */
static enum sw_status solve_inner(const struct sw_band *s, struct gpsv *g, double *x)
{
    int m = g->d.n - g->d.p;
    size_t bytes = 5 * (size_t)m * (size_t)g->d.batch * sizeof *x;
    double *w = g->work;
    CU_TRY(cudaMemcpyAsync(w, g->d.matrix, bytes, cudaMemcpyDeviceToDevice, s->device->compute));
    SPARSE_TRY(DgpsvInterleavedBatch(g->handle, 0, m, row(g, w, 0), row(g, w, 1), row(g, w, 2), row(g, w, 3),
                                     row(g, w, 4), x, g->d.batch, g->buffer));
    return SW_OK;
}

/* The library does not say when a matrix is singular: solve for ones and look. */
static enum sw_status probe(const struct sw_band *s, struct gpsv *g, const double *const diagonal[5])
{
    SW_TRY(sw_cuda_gpsv_ones(s->device->compute, &g->d, g->packed));
    SW_TRY(solve_inner(s, g, g->packed));
    return sw_cuda_gpsv_probe(s->device->compute, &g->d, diagonal, g->packed);
}

static enum sw_status gpsv_factor(struct sw_band *s, const double *band, int *bad)
{
    struct gpsv *g = s->own;
    const struct sw_thomas_matrix A = sw_band_matrix(s, band, 0);
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_gpsv_split(s->device->compute, &g->d, A.diagonal));
    SW_TRY(probe(s, g, A.diagonal));
    for (int k = 2 - g->d.p; k < 2; k++)
        SW_TRY(solve_inner(s, g, g->d.Z + (size_t)k * (size_t)(g->d.n - g->d.p) * (size_t)g->d.batch));
    SW_TRY(sw_cuda_gpsv_close(s->device->compute, &g->d, A.diagonal));
    SW_TRY(sw_device_download(s->device, g->bad, g->d.bad, (size_t)s->desc.batch * sizeof *g->bad));
    return sw_band_report(s, g->bad, bad);
}

/* The first m rows of x, packed, where the caller's rows are further apart than the batch is wide; and back. */
static enum sw_status repack(const struct sw_band *s, const struct gpsv *g, double *to, int to_ld, const double *from,
                             int from_ld)
{
    size_t size = sizeof *to;
    CU_TRY(cudaMemcpy2DAsync(to, (size_t)to_ld * size, from, (size_t)from_ld * size, (size_t)g->d.batch * size,
                             (size_t)(g->d.n - g->d.p), cudaMemcpyDeviceToDevice, s->device->compute));
    return SW_OK;
}

static enum sw_status gpsv_solve(const struct sw_band *s, double *x)
{
    struct gpsv *g = s->own;
    CU_TRY(cudaSetDevice(s->device->index));
    if (g->d.ld == g->d.batch) {
        SW_TRY(solve_inner(s, g, x));
    } else {
        SW_TRY(repack(s, g, g->packed, g->d.batch, x, g->d.ld));
        SW_TRY(solve_inner(s, g, g->packed));
        SW_TRY(repack(s, g, x, g->d.ld, g->packed, g->d.batch));
    }
    return sw_cuda_gpsv_finish(s->device->compute, &g->d, x);
}

static void gpsv_destroy(struct sw_band *s)
{
    struct gpsv *g = s->own;
    if (!g) return;
    if (g->handle) g->Destroy(g->handle);
    sw_device_free(s->device, g->buffer);
    sw_device_free(s->device, g->d.closure);
    sw_device_free(s->device, g->d.Z);
    sw_device_free(s->device, g->packed);
    sw_device_free(s->device, g->work);
    sw_device_free(s->device, g->d.matrix);
    sw_device_free(s->device, g->d.bad);
    sw_free(g->bad);
    sw_free(g);
}

/* The matrix is copied, 80 bytes; the library reads it and reads and writes the solution, 56 bytes at least: what its
 * work space takes is not known, nor how many operations it does. Periodic systems: 32 bytes more. */
static struct sw_cost gpsv_cost(const struct sw_band_desc *desc)
{
    return (struct sw_cost){desc->periodic ? 80 + 56 + 32 : 80 + 56, NAN};
}

extern const struct sw_band_ops band_gpsv_cuda;
const struct sw_band_ops band_gpsv_cuda = {
    .name = "cusparse.gpsv",
    .about = "cuSPARSE gpsvInterleavedBatch (QR), the matrix written again before each solve: a baseline",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors = 5 + 5 + 1 + 2 + 5,  /* matrix, its copy, right-hand sides, Z; and a buffer of a size told too late */
    .fits = gpsv_fits,
    .create = gpsv_create,
    .factor = gpsv_factor,
    .solve = gpsv_solve,
    .destroy = gpsv_destroy,
    .cost = gpsv_cost,
};
