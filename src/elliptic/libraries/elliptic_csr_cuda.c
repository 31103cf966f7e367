/* Preconditioned conjugate gradients as one writes them with libraries: the matrix in compressed rows by cuSPARSE,
 * vectors by cuBLAS, and for the preconditioner, which neither has, our column solves. Row `cuda.csr`, the baseline of
 * the paper. The residual is formed by differences, as it is everywhere.
 *
 * Words a cell and iteration: A p 7 of values, 3.5 of indices and 0.5 of offsets in 32 bits (half as many again with
 * cross terms), p and q 2; <p, q> 2, u 3, r 3, <r, r> 1, M^-1 r 4 and pivots 1/8, <r, z> 2, p 5, as level 1 takes two
 * calls for it: 33. */
#include <limits.h>
#include <math.h>

#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/elliptic_krylov.h"
#include "elliptic/sw_elliptic_impl.h"
#include "linalg/libraries/csr_cuda.h"

struct baseline {
    struct elliptic_device on;
    struct elliptic_device one;   /* the system at hand                  */
    struct sw_csr *csr;
    struct sw_csr_matrix matrix;
    int    assembled;             /* the system whose matrix it is; -1: none */
};

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (sw_elliptic_cells(d) > INT_MAX) return "the library counts with 32 bits: it does 2147483647 cells at most";
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

static size_t other_bytes(const struct sw_elliptic_desc *d, const struct sw_device *device)
{
    (void)device;
    return sw_csr_bytes((int64_t)sw_elliptic_cells(d), entries_of(d));
}

static void arrays(struct sw_elliptic *s)
{
    const size_t cells = sw_elliptic_cells(&s->desc), entries = (size_t)entries_of(&s->desc),
                 index = sw_csr_narrow((int64_t)entries) ? sizeof(int32_t) : sizeof(int64_t);
    struct baseline *b = s->own;
    elliptic_device_make(&s->desc, s->device, 4, 1, true, &s->arrays, &b->on);
    b->matrix.rows = (int64_t)cells;
    b->matrix.entries = (int64_t)entries;
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, cells + 1, index, &b->matrix.offsets);
    sw_array_bytes(&s->arrays, SW_ARRAY_DEVICE, entries, index, &b->matrix.columns);
    sw_array_device(&s->arrays, entries, &b->matrix.values);
}

static enum sw_status create(struct sw_elliptic *s)
{
    struct baseline *b = s->own;
    return sw_csr_create(&b->matrix, s->device, s->ops->name, "cuda.pcg", &b->csr);
}

static void destroy(struct sw_elliptic *s) { sw_csr_destroy(&((struct baseline *)s->own)->csr); }

static enum sw_status assemble(struct baseline *b, int system)
{
    const struct sw_csr_matrix *m = &b->matrix;
    b->one = elliptic_device_one(&b->on, system);
    if (b->assembled == system) return SW_OK;
    SW_TRY(sw_cuda_elliptic_csr(b->on.device->compute, &b->one.matrix, sw_csr_narrow(m->entries), m->offsets,
                                m->columns, m->values));
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

static enum sw_status apply(void *context, const double *x, double *y)
{
    return sw_csr_apply(((struct baseline *)context)->csr, x, y);
}

static enum sw_status dot(void *context, const double *x, const double *y, double *sum)
{
    return sw_csr_dot(((struct baseline *)context)->csr, x, y, sum);
}

static enum sw_status combine(void *context, double alpha, const double *x, double beta, double *y)
{
    return sw_csr_combine(((struct baseline *)context)->csr, alpha, x, beta, y);
}

static enum sw_status precondition(void *context, const double *r, double *z)
{
    struct baseline *b = context;
    return elliptic_device_space(&b->one).precondition(&b->one, r, z);
}

static enum sw_status residual(void *context, const double *f, const double *u, double *r, double *rr)
{
    struct baseline *b = context;
    return elliptic_device_space(&b->one).residual(&b->one, f, u, r, rr);
}

static enum sw_status solve_one(struct sw_elliptic *s, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct baseline *b = s->own;
    SW_TRY(sw_device_use(s->device));
    SW_TRY(assemble(b, system));
    struct elliptic_space space = elliptic_device_space(&b->one);
    space.context = b;
    space.apply = apply;
    space.dot = dot;
    space.combine = combine;
    space.precondition = precondition;
    space.residual = residual;
    return elliptic_pcg(&space, &s->numbers[system], f, u, outcome, history, most);
}

/* The operations of the libraries are not ours to count. */
static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    const double entries = (double)entries_of(d) / (double)sw_elliptic_cells(d),
                 index = sw_csr_narrow(entries_of(d)) ? sizeof(int32_t) : sizeof(int64_t);
    return (struct sw_cost){entries * (sizeof(double) + index) + index +
                            (22 + 2.0 / SW_CUDA_ELLIPTIC_CHUNK) * sizeof(double), NAN};
}

extern const struct sw_elliptic_ops elliptic_csr_cuda;
const struct sw_elliptic_ops elliptic_csr_cuda = {
    .name = "cuda.csr",
    .about = "conjugate gradients by cuSPARSE and cuBLAS, with our column solves: a baseline",
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
};
