/* cuSPARSE's gpsvInterleavedBatch, the library's own batched pentadiagonal solver (QR without storing the factors): the
 * baseline of the paper. Its interface destroys the matrix, which is therefore written again before each solve: copied,
 * or where all systems have the same, spread from one. It knows no corners: periodic systems are closed around it
 * (linalg/papers/thomas_point.h). */
#define DISABLE_CUSPARSE_DEPRECATED  /* its header warns of types of its own */
#include <cusparse.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "linalg/libraries/cusparse_functions.h"
#include "linalg/host_factor_cuda.h"
#include "linalg/sw_band_impl.h"
#include "cuda/band/band_kernels.h"

#define CUSPARSE_OF g
#define CUSPARSE_LIST(X) X(Create) X(Destroy) X(SetStream) X(GetErrorString) X(DgpsvInterleavedBatch) \
                         X(DgpsvInterleavedBatch_bufferSizeExt)

struct gpsv {
    CUSPARSE_LIST(CUSPARSE_MEMBER)
    cusparseHandle_t    handle;
    struct sw_cuda_gpsv d;
    double *work;              /* [5][m][batch]: the matrix that a solve destroys         */
    double *packed;            /* [m][batch]: right-hand sides where ld > batch, and for set-up */
    char   *buffer;
    int    *bad;               /* [batch] on the host                                     */
    bool    any_bad;
};

static enum sw_status load_library(struct gpsv *g)
{
    CUSPARSE_LOAD("cusparse.gpsv", "cuda.thomas");
}

/* cuSPARSE's manual allows 3 unknowns, but version 12.6 then writes a fourth one behind the right-hand side
 * (compute-sanitizer). */
static bool gpsv_fits(const struct sw_band_desc *desc)
{
    return sw_band_narrow(desc) && desc->n - sw_band_border(desc) >= 4;
}

/* Diagonal r of a matrix [5][m][batch]: ds, dl, d, du, dw of the library. */
static double *row(const struct gpsv *g, double *matrix, int r)
{
    return matrix + (size_t)r * (size_t)(g->d.n - g->d.p) * (size_t)g->d.batch;
}

static enum sw_status make_buffer(struct sw_band *s, struct gpsv *g)
{
    size_t bytes = 0;
    double *w = g->work;
    SPARSE_TRY(DgpsvInterleavedBatch_bufferSizeExt(g->handle, 0, g->d.n - g->d.p, row(g, w, 0), row(g, w, 1),
                                                   row(g, w, 2), row(g, w, 3), row(g, w, 4), g->packed, g->d.batch,
                                                   &bytes));
    sw_array_device(&s->arrays, bytes, &g->buffer);
    return s->arrays.status;
}

static enum sw_status gpsv_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct gpsv *g = s->own;
    SW_TRY(load_library(g));
    g->d.n = d->n;
    g->d.p = sw_band_border(d);
    g->d.batch = d->batch;
    g->d.ld = d->ld;
    g->d.matrices = d->uniform ? 1 : d->batch;
    if (d->batch == 0) return SW_OK;
    size_t m = (size_t)(d->n - g->d.p), vector = m * (size_t)d->batch, matrices = (size_t)g->d.matrices;
    SPARSE_TRY(Create(&g->handle));
    SPARSE_TRY(SetStream(g->handle, s->device->compute));
    sw_array(&s->arrays, (size_t)d->batch, &g->bad);
    sw_array_device(&s->arrays, (size_t)d->batch, &g->d.bad);
    sw_array_device(&s->arrays, 5 * m * matrices, &g->d.matrix);
    sw_array_device(&s->arrays, 5 * vector, &g->work);
    sw_array_device(&s->arrays, vector, &g->packed);
    if (g->d.p) sw_array_device(&s->arrays, 2 * m * matrices, &g->d.Z);
    if (g->d.p) sw_array_device(&s->arrays, 10 * matrices, &g->d.border);
    SW_TRY(s->arrays.status);
    return make_buffer(s, g);
}

/* What the library destroyed. */
static enum sw_status reset_matrix(const struct sw_band *s, struct gpsv *g)
{
    size_t bytes = 5 * (size_t)(g->d.n - g->d.p) * (size_t)g->d.batch * sizeof *g->work;
    if (s->desc.uniform) return sw_cuda_gpsv_reset(s->device->compute, &g->d, g->work);
    CU_TRY(cudaMemcpyAsync(g->work, g->d.matrix, bytes, cudaMemcpyDeviceToDevice, s->device->compute));
    return SW_OK;
}

/* E^-1 on one packed vector [m][batch], in place. */
static enum sw_status solve_inner(const struct sw_band *s, struct gpsv *g, double *x)
{
    int m = g->d.n - g->d.p;
    double *w = g->work;
    SW_TRY(reset_matrix(s, g));
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

static enum sw_status factor_each(struct sw_band *s, struct gpsv *g, const double *const diagonal[5])
{
    SW_TRY(sw_cuda_gpsv_split(s->device->compute, &g->d, diagonal));
    SW_TRY(probe(s, g, diagonal));
    for (int k = 2 - g->d.p; k < 2; k++)
        SW_TRY(solve_inner(s, g, g->d.Z + (size_t)k * (size_t)(g->d.n - g->d.p) * (size_t)g->d.batch));
    SW_TRY(sw_cuda_gpsv_factor_border(s->device->compute, &g->d, diagonal));
    return sw_device_download(s->device, g->bad, g->d.bad, (size_t)s->desc.batch * sizeof *g->bad);
}

/* matrix := E of the first system, which is made on the host as Z and the border are. */
static enum sw_status upload_shared(struct sw_band *s, struct gpsv *g, const struct sw_host_factor *host)
{
    size_t m = (size_t)(g->d.n - g->d.p), n = (size_t)g->d.n;
    double *E = NULL;
    SW_TRY(sw_alloc(5 * m, &E));
    for (size_t k = 0; k < 5 * m; k++) E[k] = sw_thomas_inner_entry(&host->A, (int)(k % m), (int)(k / m) - 2);
    enum sw_status st = sw_device_upload(s->device, g->d.matrix, E, 5 * m * sizeof *E);
    sw_free(E);
    if (st || !g->d.p) return st;
    for (size_t k = 0; k < 2; k++)
        SW_TRY(sw_device_upload(s->device, g->d.Z + k * m, host->Z + k * n, m * sizeof *host->Z));
    return sw_device_upload(s->device, g->d.border, host->border, sizeof host->border);
}

/* What is wrong with the first system is wrong with all. */
static enum sw_status factor_shared(struct sw_band *s, struct gpsv *g, const double *const diagonal[5],
                                    const struct sw_host_factor *host)
{
    size_t bytes = (size_t)s->desc.batch * sizeof *g->bad;
    SW_TRY(upload_shared(s, g, host));
    SW_TRY(probe(s, g, diagonal));
    SW_TRY(sw_device_download(s->device, g->bad, g->d.bad, bytes));
    for (int j = 0; g->d.p && host->bad && j < s->desc.batch; j++) g->bad[j] = host->bad;
    return sw_device_upload(s->device, g->d.bad, g->bad, bytes);
}

static enum sw_status gpsv_factor(struct sw_band *s, const double *band, int *bad)
{
    struct gpsv *g = s->own;
    const struct sw_thomas_matrix A = sw_band_matrix(s, band, 0);
    struct sw_host_factor host = {0};
    enum sw_status st;
    if (s->desc.uniform) {
        st = sw_host_factor_create(s, band, &host);
        if (!st) st = factor_shared(s, g, A.diagonal, &host);
        sw_host_factor_destroy(&host);
    } else {
        st = factor_each(s, g, A.diagonal);
    }
    if (st) return st;
    st = sw_band_report(s, g->bad, bad);
    g->any_bad = st == SW_E_SINGULAR;
    return st;
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
    if (g->d.ld == g->d.batch) {
        SW_TRY(solve_inner(s, g, x));
    } else {
        SW_TRY(repack(s, g, g->packed, g->d.batch, x, g->d.ld));
        SW_TRY(solve_inner(s, g, g->packed));
        SW_TRY(repack(s, g, x, g->d.ld, g->packed, g->d.batch));
    }
    return sw_cuda_gpsv_finish(s->device->compute, &g->d, g->any_bad, x);
}

static void gpsv_destroy(struct sw_band *s)
{
    struct gpsv *g = s->own;
    if (g->handle) g->Destroy(g->handle);
}

/* The matrix is written again, 40 bytes, from a copy, 40 more, unless all systems have the same; the library reads it
 * and reads and writes the solution, 56 bytes at least: what its work space takes is not known, nor how many operations
 * it does. Periodic systems: the solution read and written once more, 16 bytes, and Z, 16, unless it is the same for
 * all. */
static struct sw_cost gpsv_cost(const struct sw_band_desc *desc)
{
    double matrix = desc->uniform ? 40 : 80, Z = desc->uniform ? 0 : 16;
    return (struct sw_cost){matrix + 56 + (desc->periodic ? 16 + Z : 0), NAN};
}

extern const struct sw_band_ops band_gpsv_cuda;
const struct sw_band_ops band_gpsv_cuda = {
    .name = "cusparse.gpsv",
    .about = "cuSPARSE gpsvInterleavedBatch (QR), the matrix written again before each solve: a baseline",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .error_growth = 64,  /* QR by the library, which states no bound; 4.3 seen at n = 1000 on an H100, CUDA 13.0 */
    .vectors = 5 + 5 + 1 + 2 + 5,  /* matrix, its copy, right-hand sides, Z, a guess of the buffer */
    .own_size = sizeof(struct gpsv),
    .fits = gpsv_fits,
    .create = gpsv_create,
    .factor = gpsv_factor,
    .solve = gpsv_solve,
    .destroy = gpsv_destroy,
    .cost = gpsv_cost,
};
