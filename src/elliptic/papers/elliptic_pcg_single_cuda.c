/* `cuda.pcg` in single precision throughout: vectors, matrix and u; sums are formed in double, as f - A u is, from
 * which each pass begins. r is multiplied by a power of two such that its numbers are near 1 at first, u follows. The
 * matrix is rounded as it is: its numbers have to be in the range of float. */
#define ELLIPTIC_SINGLE
#include <math.h>

#include "cuda/cu_check.cuh"
#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/elliptic_krylov.h"

struct pcg {
    struct elliptic_device on;    /* work: f - A u                          */
    float  *numbers;              /* the matrices, rounded                  */
    float  *work[4], *u;          /* [cells]: r, z, p, q; u times 2^up      */
    struct elliptic_device one;   /* the system at hand                     */
    struct sw_cuda_elliptic_single matrix;  /* its                          */
    const float *rests;
    int     up;
    bool    begun;
};

static void arrays(struct sw_elliptic *s)
{
    struct pcg *p = s->own;
    const size_t cells = sw_elliptic_cells(&s->desc);
    elliptic_device_make(&s->desc, s->device, 1, 1, true, &s->arrays, &p->on);
    sw_array_device(&s->arrays, elliptic_device_numbers(&s->desc), &p->numbers);
    for (int k = 0; k < 4; k++) sw_array_device(&s->arrays, cells, &p->work[k]);
    sw_array_device(&s->arrays, cells, &p->u);
}

static enum sw_status load(struct sw_elliptic *s)
{
    struct pcg *p = s->own;
    SW_TRY(elliptic_device_load(&p->on, s->count, s->matrix));
    if (s->count == 0) return SW_OK;
    return sw_cuda_elliptic_single_from(s->device->compute, (int64_t)elliptic_device_numbers(&s->desc), 1,
                                        p->on.numbers, p->numbers);
}

/* ------------------------------------------------------------------ as a space */

static enum sw_status apply(void *context, const real *x, real *y)
{
    const struct pcg *p = context;
    return sw_cuda_elliptic_single_apply(p->on.device->compute, &p->matrix, x, y);
}

static enum sw_status precondition(void *context, const real *r, real *z)
{
    const struct pcg *p = context;
    return sw_cuda_elliptic_single_columns(p->on.device->compute, &p->matrix, p->rests, r, z);
}

static enum sw_status dot(void *context, const real *x, const real *y, double *sum)
{
    const struct pcg *p = context;
    SW_TRY(sw_cuda_elliptic_single_dot(p->on.device->compute, &p->matrix, x, y, p->on.partial, p->on.sums));
    CU_TRY(cudaStreamSynchronize(p->on.device->compute));
    *sum = p->on.sums[0];
    return SW_OK;
}

static int64_t cells_of(const struct pcg *p) { return p->matrix.nx * p->matrix.ny * p->matrix.nz; }

static enum sw_status combine(void *context, double alpha, const real *x, double beta, real *y)
{
    const struct pcg *p = context;
    return sw_cuda_elliptic_single_combine(p->on.device->compute, cells_of(p), alpha, x, beta, y);
}

/* ------------------------------------------------------------------ solve */

static struct elliptic_space space_of(struct pcg *p)
{
    return (struct elliptic_space){.context = p, .systems = 1, .apply = apply, .precondition = precondition, .dot = dot,
                                   .combine = combine, .work = {p->work[0], p->work[1], p->work[2], p->work[3]}};
}

static void find_space(struct sw_elliptic *s, void *space) { *(struct elliptic_space *)space = space_of(s->own); }

static enum sw_status iterate(void *context, struct elliptic_pass *pass, double *u)
{
    struct pcg *p = context;
    struct elliptic_way *way = pass->way;
    const struct elliptic_space space = space_of(p);
    sw_cuda_stream stream = p->on.device->compute;
    if (!p->begun) {
        frexp(sqrt((double)cells_of(p) / way->rr), &p->up);
        SW_TRY(combine(p, 0, p->u, 0, p->u));
    }
    p->begun = true;
    const double up = ldexp(1, p->up);
    SW_TRY(sw_cuda_elliptic_single_from(stream, cells_of(p), up, pass->r, p->work[0]));
    way->norm_f *= up;
    way->rr *= up * up;
    const enum sw_status st = elliptic_pcg_pass(&space, way, p->u);
    way->norm_f /= up;
    SW_TRY(st);
    return sw_cuda_elliptic_single_to(stream, cells_of(p), 1 / up, p->u, u);
}

static enum sw_status solve_one(struct sw_elliptic *s, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct pcg *p = s->own;
    p->one = elliptic_device_one(&p->on, system);
    p->matrix = elliptic_device_single(&p->one, p->numbers, &p->rests);
    p->begun = false;
    return elliptic_device_solve(&p->one, &s->numbers[system], f, u, outcome, history, most, iterate, p);
}

static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    (void)d;
    return (struct sw_cost){(20 + 2.0 / SW_CUDA_ELLIPTIC_CHUNK) * sizeof(real), NAN};
}

static const struct sw_elliptic_kernel kernels[] = {
    {"SpMV", 24, 2, elliptic_run_product},
    {"prec", 22 + 1, 2 + 2.0 / SW_CUDA_ELLIPTIC_CHUNK, elliptic_run_preconditioner},
    {"dot", 1, 2, elliptic_run_dot}, {"axpby", 2, 3, elliptic_run_combine}, {0}};

extern const struct sw_elliptic_ops elliptic_pcg_single_cuda;
const struct sw_elliptic_ops elliptic_pcg_single_cuda = {
    .name = "cuda.pcg",
    .about = "the same in single precision throughout",
    .space = SW_DEVICE,
    .own_size = sizeof(struct pcg),
    .arrays = arrays,
    .load = load,
    .solve_one = solve_one,
    .cost = cost,
    .kernels = kernels,
    .find_space = find_space,
};
