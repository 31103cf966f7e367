/* cuSPARSE's solvers of tridiagonal systems (linalg/libraries/cusparse_cuda.h), as baselines:
 *
 *   cusparse.gtsv2          SPIKE with diagonal pivoting, which is the paper's method
 *   cusparse.gtsv2_nopivot  cyclic reduction, parallel cyclic reduction
 *   cusparse.gtsv2_strided  the same for many small systems
 *
 * The first two take many right-hand sides, but one matrix: a batch is one call a system. (One call for all of them,
 * as one system with zeros between, is faster, but a singular system would make all behind it NaN.)
 *
 * The library wants zeros in lower[0] and upper[n-1], which are the caller's and may be anything. A copy of both arrays
 * would take 16 bytes a row and 32 of traffic, which the timing of a baseline should not carry. So these two words are
 * kept elsewhere while the library works, and put back behind it on the same stream; nobody looks at them, whoever
 * reads the rows meanwhile. It would be wrong only where such a word is another entry of the rows as well: arrays that
 * overlap are refused. */
#include <limits.h>
#include <math.h>

#include "base/sw_err.h"
#include "cuda/cu_check.cuh"
#include "linalg/libraries/cusparse_cuda.h"
#include "linalg/tridiagonal_finite_cuda.h"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

struct gtsv2 {
    struct sw_gtsv *library;
    double         *kept;      /* [batch][2]: what is at the ends of lower and upper */
    bool           *finite;    /* [batch]                                            */
};

/* ------------------------------------------------------------------ the rows */

static const char *refuse(const struct sw_tridiagonal_desc *d)
{
    if (d->cyclic) return "the library does not do cyclic systems";
    if (d->n < 3) return "the library needs 3 unknowns at least";
    if (d->n > INT_MAX) return "the library counts with 32 bits: it solves 2147483647 rows at most";
    return NULL;
}

static const char *refuse_strided(const struct sw_tridiagonal_desc *d)
{
    const char *why = refuse(d);
    if (why) return why;
    return d->n * d->batch > INT_MAX ? "the library counts with 32 bits: it solves 2147483647 rows at most, those of "
                                       "all systems together" : NULL;
}

static struct sw_gtsv_desc desc_of(const struct sw_tridiagonal_desc *d, enum sw_gtsv_method method)
{
    return (struct sw_gtsv_desc){.n = (int)d->n, .batch = d->batch, .method = method};
}

static size_t library_bytes(const struct sw_tridiagonal_desc *d, enum sw_gtsv_method method)
{
    const struct sw_gtsv_desc g = desc_of(d, method);
    return sw_gtsv_bytes(&g);
}

static void arrays(struct sw_tridiagonal *s)
{
    struct gtsv2 *g = s->own;
    sw_array_device(&s->arrays, 2 * (size_t)s->desc.batch, &g->kept);
    sw_array_device(&s->arrays, (size_t)s->desc.batch, &g->finite);
}

static enum sw_status create(struct sw_tridiagonal *s, enum sw_gtsv_method method)
{
    const struct sw_gtsv_desc d = desc_of(&s->desc, method);
    struct gtsv2 *g = s->own;
    return sw_gtsv_create(&d, s->device, s->ops->name, "cuda.spike", &g->library);
}

static bool overlap(const double *a, const double *b, size_t count)
{
    const uintptr_t p = (uintptr_t)a, q = (uintptr_t)b, size = count * sizeof *a;
    return p < q + size && q < p + size;
}

static enum sw_status check_apart(const struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r)
{
    const size_t count = (size_t)s->desc.n * (size_t)s->desc.batch;
    if (overlap(r->lower, r->upper, count) || overlap(r->lower, r->main, count) || overlap(r->upper, r->main, count) ||
        overlap(r->lower, r->rhs, count) || overlap(r->upper, r->rhs, count))
        return SW_FAIL(SW_E_ARG, "%s: the arrays of lower and upper entries overlap with another one; cuda.spike takes "
                                 "them so", s->ops->name);
    return SW_OK;
}

static enum sw_status solve(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, double *x)
{
    const struct sw_tridiagonal_desc *d = &s->desc;
    struct gtsv2 *g = s->own;
    sw_cuda_stream stream = s->device->compute;
    const struct sw_gtsv_matrix matrix = {(double *)r->lower, (double *)r->main, (double *)r->upper};
    SW_TRY(check_apart(s, r));
    CU_TRY(cudaMemcpyAsync(x, r->rhs, (size_t)d->n * (size_t)d->batch * sizeof *x, cudaMemcpyDeviceToDevice,
                           s->device->compute));
    SW_TRY(sw_cuda_tridiagonal_zero_ends(stream, d->n, d->batch, matrix.lower, matrix.upper, g->kept));
    const enum sw_status st = sw_gtsv_solve(g->library, &matrix, x),
                         back = sw_cuda_tridiagonal_restore_ends(stream, d->n, d->batch, matrix.lower, matrix.upper,
                                                                 g->kept);
    return st ? st : back;
}

static enum sw_status check_solution(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *rows, const double *x,
                                     bool *out)
{
    const struct gtsv2 *g = s->own;
    return tridiagonal_rows_finite_cuda(s, rows, x, g->finite, out);
}

static void destroy(struct sw_tridiagonal *s)
{
    struct gtsv2 *g = s->own;
    sw_gtsv_destroy(&g->library);
}

/* The right-hand side is copied, 16 bytes; the library reads the matrix, 24, and reads and writes x, 16 at least: what
 * its work space takes is not known, nor how many operations it does. */
static struct sw_cost cost(const struct sw_tridiagonal_desc *d)
{
    (void)d;
    return (struct sw_cost){16 + 24 + 16, NAN};
}

#define GTSV2_ROW(id, row, method, why, text)                                                             \
    static size_t bytes_##id(const struct sw_tridiagonal_desc *d) { return library_bytes(d, method); }    \
    static enum sw_status create_##id(struct sw_tridiagonal *s) { return create(s, method); }             \
    extern const struct sw_tridiagonal_ops tridiagonal_##id##_cuda;                                       \
    const struct sw_tridiagonal_ops tridiagonal_##id##_cuda = {                                           \
        .name = (row), .about = (text), .space = SW_DEVICE, .refuse = (why),                              \
        .own_size = sizeof(struct gtsv2), .arrays = arrays, .library_bytes = bytes_##id,                  \
        .create = create_##id, .solve = solve, .check_solution = check_solution, .destroy = destroy, .cost = cost}

GTSV2_ROW(gtsv2, "cusparse.gtsv2", SW_GTSV_PIVOTING, refuse,
          "cuSPARSE gtsv2 (SPIKE with diagonal pivoting), one system after another: a baseline");
GTSV2_ROW(gtsv2_nopivot, "cusparse.gtsv2_nopivot", SW_GTSV_PLAIN, refuse,
          "cuSPARSE gtsv2_nopivot (cyclic reduction), one system after another; does not pivot: a baseline");
GTSV2_ROW(gtsv2_strided, "cusparse.gtsv2_strided", SW_GTSV_STRIDED, refuse_strided,
          "cuSPARSE gtsv2StridedBatch (cyclic reduction) for many systems; does not pivot: a baseline");
