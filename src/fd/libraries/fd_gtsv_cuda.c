/* Compact differences by cuSPARSE's batched tridiagonal solvers (linalg/libraries/cusparse_cuda.h), used as their
 * manual intends: baselines for the other rows. One pass makes right-hand sides, in the layout that the solver wants;
 * then the solver; then, where that layout is not the field's or the lines are periodic, one pass back.
 *
 * Systems one after another (gtsv_strided): lines along x lie so. The matrix, the same for all, must be there for each
 * system, and is read each time.
 *
 * Interleaved systems: all lines along z, those of one plane of f after another's, lie so. Lines along y would be nz
 * batches of nx systems, each too small for a GPU; so there, too, all lines become one batch. The solver overwrites
 * its matrix, which is made again for each solve. */
#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "fd/fd_closure.h"
#include "fd/libraries/fd_gtsv_point.h"
#include "fd/fd_rtc_cuda.h"
#include "linalg/libraries/cusparse_cuda.h"
#include "cuda/fd/fd_kernels.h"

typedef long double wide;

enum { ENOUGH = 1 << 16 };  /* systems, a thread each, that keep a GPU busy */

struct gtsv {
    struct fd_gtsv  d;
    struct sw_gtsv *solver;
    int             calls, batch;  /* of the solver: calls*batch lines */
    bool            interleaved;
    double         *matrix;        /* [3][n][batch]                    */
    double         *work;          /* [n*lines]; NULL: in place        */
    double         *z;
};

static const char *why_not(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int64_t points = desc->n[0] * desc->n[1] * desc->n[2];
    if (line->beta != 0) return "it knows three diagonals, not five";
    if (desc->single) return "it is for double precision";
    if (desc->fields && points > INT32_MAX / desc->fields) return "the library counts no more than 2^31 points";
    if (!line->periodic && fabs(1 - line->end.l2 * line->end.a1) < 0x1p-40)
        return "elimination without pivoting, as the library's, meets a pivot of 0 with this boundary";
    return NULL;
}

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line) { return !why_not(desc, line); }

/* ------------------------------------------------------------------ the matrix */

static void set_matrix(const struct sw_fd_line *line, struct fd_gtsv *d)
{
    const struct sw_fd_end *e = &line->end;
    const double al = line->alpha, corner = al * al;
    const double walls[4][3] = {{0, 1, e->a1}, {e->l2, 1, e->u2}, {e->u2, 1, e->l2}, {e->a1, 1, 0}};
    const double periodic[4][3] = {{0, 2, al}, {al, 1, al}, {al, 1, al}, {al, 1 + corner, 0}};
    for (int k = 0; k < 3; k++) {
        d->inside[k] = k == 1 ? 1 : al;
        for (int r = 0; r < 4; r++) d->end[r][k] = line->periodic ? periodic[r][k] : walls[r][k];
    }
}

/* z = T^-1 (-1, 0, .., 0, alpha), by the Thomas algorithm; T is diagonally dominant. @param upper  [n] */
static void solve_correction(const struct sw_fd_line *line, wide *z, wide *upper)
{
    const int64_t n = line->n;
    const wide al = line->alpha;
    for (int64_t i = 0; i < n; i++) {
        const wide diagonal = i == 0 ? 2 : i == n - 1 ? 1 + al * al : 1, rhs = i == 0 ? -1 : i == n - 1 ? al : 0;
        const wide pivot = i ? diagonal - al * upper[i - 1] : diagonal;
        upper[i] = al / pivot;
        z[i] = (i ? rhs - al * z[i - 1] : rhs) / pivot;
    }
    for (int64_t i = n - 2; i >= 0; i--) z[i] -= upper[i] * z[i + 1];
}

static enum sw_status create_correction(struct sw_fd *fd, struct gtsv *g)
{
    const size_t n = (size_t)fd->line.n;
    enum sw_status st;
    wide *z = NULL, *upper = NULL;
    double *rounded = NULL;
    SW_TRY_TO(done, st, sw_alloc(n, &z));
    SW_TRY_TO(done, st, sw_alloc(n, &upper));
    SW_TRY_TO(done, st, sw_alloc(n, &rounded));
    solve_correction(&fd->line, z, upper);
    for (size_t i = 0; i < n; i++) rounded[i] = (double)z[i];
    g->d.alpha = fd->line.alpha;
    g->d.close = (double)(1 / (1 + z[0] - fd->line.alpha * z[n - 1]));
    sw_array_device(&fd->arrays, n, &g->z);
    sw_array_device(&fd->arrays, (size_t)g->d.lines.all, &g->d.amount);
    SW_TRY_TO(done, st, fd->arrays.status);
    st = sw_device_upload(fd->device, g->z, rounded, n * sizeof *rounded);
    g->d.z = g->z;
done:
    sw_free(z);
    sw_free(upper);
    sw_free(rounded);
    return st;
}

/* ------------------------------------------------------------------ the rows */

/* Interleaved: in place where planes are large, or there is one. */
static void set_layout(const struct sw_fd *fd, struct gtsv *g)
{
    const long long all = g->d.lines.all, stride = g->d.lines.stride;
    const bool planes = stride > 1 && (stride >= ENOUGH || stride >= all);
    g->d.stride = !g->interleaved ? 1 : planes ? stride : all;
    g->calls = g->interleaved && planes ? (int)fd->outer : 1;
    g->batch = (int)(all / (g->calls ? g->calls : 1));
}

static enum sw_status create(struct sw_fd *fd, bool interleaved)
{
    struct gtsv *g = fd->own;
    const size_t n = (size_t)fd->line.n;
    g->interleaved = interleaved;
    fd_lines_of(fd, &g->d.lines);
    fd_rhs_make(&fd->line, 1, &g->d.rhs);
    SW_TRY(fd_end_check(&fd->line));
    set_layout(fd, g);
    set_matrix(&fd->line, &g->d);
    sw_array_device(&fd->arrays, 3 * n * (size_t)g->batch, &g->matrix);
    if (g->d.stride != g->d.lines.stride) sw_array_device(&fd->arrays, n * (size_t)g->d.lines.all, &g->work);
    SW_TRY(fd->arrays.status);
    if (fd->device->compiles_only) return SW_OK;
    CU_TRY(cudaSetDevice(fd->device->index));
    const struct sw_gtsv_desc d = {.n = (int)n, .batch = g->batch,
                                   .method = interleaved ? SW_GTSV_INTERLEAVED : SW_GTSV_STRIDED};
    SW_TRY(sw_gtsv_create(&d, fd->device, fd->ops->name, "cuda.fused", &g->solver));
    if (!interleaved)
        SW_TRY(sw_cuda_gtsv_matrix(fd->device->compute, &g->d, g->batch, false, g->matrix));
    return fd->line.periodic ? create_correction(fd, g) : SW_OK;
}

static enum sw_status create_strided(struct sw_fd *fd) { return create(fd, false); }
static enum sw_status create_interleaved(struct sw_fd *fd) { return create(fd, true); }

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    struct gtsv *g = fd->own;
    const size_t vector = (size_t)fd->line.n * (size_t)g->batch;
    const struct sw_gtsv_matrix matrix = {g->matrix, g->matrix + vector, g->matrix + 2 * vector};
    double *x = g->work ? g->work : out;
    sw_cuda_stream stream = fd->device->compute;
    CU_TRY(cudaSetDevice(fd->device->index));
    SW_TRY(sw_cuda_gtsv_rhs(stream, &g->d, f, x));
    for (int k = 0; k < g->calls; k++) {
        if (g->interleaved) SW_TRY(sw_cuda_gtsv_matrix(stream, &g->d, g->batch, true, g->matrix));
        SW_TRY(sw_gtsv_solve(g->solver, &matrix, x + (size_t)k * vector));
    }
    return sw_cuda_gtsv_finish(stream, &g->d, x, out);
}

static void destroy(struct sw_fd *fd) { sw_gtsv_destroy(&((struct gtsv *)fd->own)->solver); }

/* Right-hand side 16; the library reads the matrix, 24, and reads and writes x, 16 at least: what its work space takes
 * is not known, nor how many operations it does. Back, where there is need: 16. */
static struct sw_cost cost_strided(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    return (struct sw_cost){16 + 24 + 16 + (desc->axis > 0 || line->periodic ? 16 : 0), NAN};
}

/* The same, and the matrix written again, 24. */
static struct sw_cost cost_interleaved(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    return (struct sw_cost){16 + 24 + 24 + 16 + (desc->axis < 2 || line->periodic ? 16 : 0), NAN};
}

#define GTSV_ROW(id, text)                                                                               \
    extern const struct sw_fd_ops fd_gtsv_##id##_cuda;                                                          \
    const struct sw_fd_ops fd_gtsv_##id##_cuda = {                                                              \
        .name = "cusparse.gtsv_" #id, .about = (text), .space = SW_DEVICE, .fits = fits, .why_not = why_not,    \
        .own_size = sizeof(struct gtsv), .create = create_##id, .apply = apply, .destroy = destroy, .cost = cost_##id}

GTSV_ROW(strided, "cuSPARSE gtsv2StridedBatch, a matrix for each line, a pass for the right-hand side: a baseline");
GTSV_ROW(interleaved, "cuSPARSE gtsvInterleavedBatch (Thomas), the matrix written again each time: a baseline");
