/* Preconditioned conjugate gradients as one writes them with libraries: the matrix in compressed rows by cuSPARSE,
 * vectors by cuBLAS, and cuSPARSE's gtsv2StridedBatch as preconditioner. Row `cuda.csr`, the baseline of the paper.
 * Unknowns go column by column, as that solver wants them; f and u do not, and are turned where the method begins and
 * ends. The residual is formed by differences, as it is everywhere, and in double; in single precision throughout
 * (elliptic_csr_single_cuda.c) all else is in single, sums and the diagonal of the matrix, too.
 *
 * Words a cell and iteration: A p 7 of values, 3.5 of indices and 0.5 of offsets in 32 bits (half as many again with
 * cross terms), p and q 2; <p, q> 2, u 3, r 3, <r, r> 1, z = r 2 and M^-1 of that 5 (what the library moves more is not
 * counted), <r, z> 2, p 5, as level 1 takes two calls for it: 36. */
#include <limits.h>
#include <math.h>

#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/elliptic_krylov.h"
#include "elliptic/sw_elliptic_impl.h"
#include "cuda/cu_check.cuh"
#include "linalg/libraries/csr_cuda.h"
#include "linalg/libraries/cusparse_cuda.h"

struct baseline {
    struct elliptic_device on;
    struct elliptic_device one;   /* the system at hand                  */
    struct sw_csr *csr;
    struct sw_csr_matrix matrix;
    struct sw_gtsv *gtsv;
    struct sw_gtsv_matrix columns;  /* [cells] each: the diagonals of M    */
    real  *work[5];               /* [cells]: r, z, p, q, u, column by column */
    int    assembled;             /* the system whose matrix it is; -1: none */
    bool   begun;                 /* u is of this solve                      */
    int    up;                    /* r is the residual times 2^up, and u likewise: 0 in double */
};

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (sw_elliptic_cells(d) > INT_MAX) return "the library counts with 32 bits: it does 2147483647 cells at most";
    if (d->n[2] < 3) return "the library's solver of columns does 3 levels at least; cuda.pcg does fewer";
    return NULL;
}

static int64_t entries_of(const struct sw_elliptic_desc *d)
{
    static const double some;
    const struct sw_cuda_elliptic shape = {.nx = d->n[0], .ny = d->n[1], .nz = d->n[2],
                                           .periodic_x = d->sides[0] == SW_ELLIPTIC_PERIODIC,
                                           .periodic_y = d->sides[1] == SW_ELLIPTIC_PERIODIC,
                                           .cross = d->full ? &some : NULL};
    return sw_cuda_elliptic_entries(&shape);
}

static struct sw_gtsv_desc columns_of(const struct sw_elliptic_desc *d)
{
    return (struct sw_gtsv_desc){.n = (int)d->n[2], .batch = (int)(d->n[0] * d->n[1]), .method = SW_GTSV_STRIDED,
                                 .single = d->single};
}

static size_t other_bytes(const struct sw_elliptic_desc *d, const struct sw_device *device)
{
    const struct sw_gtsv_desc columns = columns_of(d);
    (void)device;
    return sw_csr_bytes((int64_t)sw_elliptic_cells(d), entries_of(d), d->single) + sw_gtsv_bytes(&columns);
}

static void arrays(struct sw_elliptic *s)
{
    const size_t cells = sw_elliptic_cells(&s->desc), entries = (size_t)entries_of(&s->desc),
                 index = sw_csr_narrow((int64_t)entries) ? sizeof(int32_t) : sizeof(int64_t);
    struct baseline *b = s->own;
    elliptic_device_make(&s->desc, s->device, 1, 1, false, &s->arrays, &b->on);
    b->matrix.rows = (int64_t)cells;
    b->matrix.entries = (int64_t)entries;
    b->matrix.single = s->desc.single;
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, cells + 1, index, &b->matrix.offsets);
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, entries, index, &b->matrix.columns);
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, entries, sizeof(real), &b->matrix.values);
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, cells, sizeof(real), &b->columns.lower);
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, cells, sizeof(real), &b->columns.main);
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, cells, sizeof(real), &b->columns.upper);
    for (int k = 0; k < 5; k++) sw_array_device(&s->arrays, cells, &b->work[k]);
}

static enum sw_status create(struct sw_elliptic *s)
{
    struct baseline *b = s->own;
    const struct sw_gtsv_desc columns = columns_of(&s->desc);
    SW_TRY(sw_csr_create(&b->matrix, s->device, s->ops->name, "cuda.pcg", &b->csr));
    return sw_gtsv_create(&columns, s->device, s->ops->name, "cuda.pcg", &b->gtsv);
}

static void destroy(struct sw_elliptic *s)
{
    struct baseline *b = s->own;
    sw_csr_destroy(&b->csr);
    sw_gtsv_destroy(&b->gtsv);
}

static enum sw_status assemble(struct baseline *b, int system)
{
    const struct sw_csr_matrix *m = &b->matrix;
    const struct sw_cuda_csr out = {sw_csr_narrow(m->entries), m->single, m->offsets, m->columns, m->values,
                                    b->columns.lower, b->columns.main, b->columns.upper};
    b->one = elliptic_device_one(&b->on, system);
    if (b->assembled == system) return SW_OK;
    SW_TRY(sw_cuda_elliptic_csr(b->on.device->compute, &b->one.matrix, &out));
    b->assembled = system;
    return sw_csr_prepare(b->csr);
}

static enum sw_status load(struct sw_elliptic *s)
{
    struct baseline *b = s->own;
    SW_TRY(elliptic_device_load(&b->on, s->count, s->matrix));
    b->assembled = -1;
    return s->count ? assemble(b, 0) : SW_OK;
}

/* ------------------------------------------------------------------ as a space */

static enum sw_status apply(void *context, const real *x, real *y)
{
    return sw_csr_apply(((struct baseline *)context)->csr, x, y);
}

static enum sw_status dot(void *context, const real *x, const real *y, double *sum)
{
    return sw_csr_dot(((struct baseline *)context)->csr, x, y, sum);
}

static enum sw_status combine(void *context, double alpha, const real *x, double beta, real *y)
{
    return sw_csr_combine(((struct baseline *)context)->csr, alpha, x, beta, y);
}

static enum sw_status precondition(void *context, const real *r, real *z)
{
    struct baseline *b = context;
    CU_TRY(cudaMemcpyAsync(z, r, (size_t)b->matrix.rows * sizeof *z, cudaMemcpyDeviceToDevice, b->on.device->compute));
    return sw_gtsv_solve(b->gtsv, &b->columns, z);
}

static struct elliptic_space space_of(struct baseline *b)
{
    return (struct elliptic_space){.context = b, .systems = 1, .apply = apply, .precondition = precondition, .dot = dot,
                                   .combine = combine, .work = {b->work[0], b->work[1], b->work[2], b->work[3]}};
}

static void find_space(struct sw_elliptic *s, void *space) { *(struct elliptic_space *)space = space_of(s->own); }

/* From r = f - A u on: what it finds is added to u, which stays in columns from one beginning to the next. In single r
 * is multiplied by a power of two such that its numbers are near 1 at first. */
static enum sw_status iterate(void *context, struct elliptic_pass *pass, double *u)
{
    struct baseline *b = context;
    const struct sw_cuda_elliptic *m = &b->one.matrix;
    const bool single = b->matrix.single;
    struct elliptic_way *way = pass->way;
    sw_cuda_stream stream = b->on.device->compute;
    const struct elliptic_space space = space_of(b);
    if (!b->begun) {
        b->up = 0;
        if (single) frexp(sqrt((double)b->matrix.rows / way->rr), &b->up);
        SW_TRY(combine(b, 0, b->work[4], 0, b->work[4]));
    }
    b->begun = true;
    const double up = ldexp(1, b->up);
    SW_TRY(sw_cuda_elliptic_into_columns(stream, m, single, up, pass->r, b->work[0]));
    way->norm_f *= up;
    way->rr *= up * up;
    const enum sw_status st = elliptic_pcg_pass(&space, way, b->work[4]);
    way->norm_f /= up;
    SW_TRY(st);
    return sw_cuda_elliptic_from_columns(stream, m, single, 1 / up, b->work[4], u);
}

static enum sw_status solve_one(struct sw_elliptic *s, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct baseline *b = s->own;
    SW_TRY(assemble(b, system));
    b->begun = false;
    return elliptic_device_solve(&b->one, &s->numbers[system], f, u, outcome, history, most, iterate, b);
}

/* The operations of the libraries are not ours to count. */
static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    const double entries = (double)entries_of(d) / (double)sw_elliptic_cells(d),
                 index = sw_csr_narrow(entries_of(d)) ? sizeof(int32_t) : sizeof(int64_t);
    return (struct sw_cost){entries * (sizeof(real) + index) + index + 25 * sizeof(real), NAN};
}

static enum sw_status time_assembly(struct sw_elliptic *s, void *u)
{
    struct baseline *b = s->own;
    (void)u;
    b->assembled = -1;
    return assemble(b, 0);
}

/* 7 entries a row, as on the CPU. */
static const struct sw_elliptic_kernel kernels[] = {
    {"SpMV", 13, 7 + 8 * sizeof(int32_t) / (double)sizeof(real) + 2, elliptic_run_product},
    {"prec", NAN, 2 + 5, elliptic_run_preconditioner},
    {"set-up", NAN, 7 + 8 * sizeof(int32_t) / (double)sizeof(real) + 3, time_assembly}, {0}};

extern const struct sw_elliptic_ops elliptic_csr_cuda, elliptic_csr_single_cuda;
const struct sw_elliptic_ops elliptic_csr_cuda = {
    .name = "cuda.csr",
    .about = "conjugate gradients by cuSPARSE and cuBLAS, with cuSPARSE's gtsv2StridedBatch: a baseline",
    .space = SW_DEVICE,
    .refuse = refuse,
    .own_size = sizeof(struct baseline),
    .arrays = arrays,
    .other_bytes = other_bytes,
    .create = create,
    .load = load,
    .solve_one = solve_one,
    .destroy = destroy,
    .cost = cost,
    .kernels = kernels,
    .find_space = find_space,
    .single = &elliptic_csr_single_cuda,
};
