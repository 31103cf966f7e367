/* Preconditioned conjugate gradients on a GPU, one pass over the vectors for each thing that is done with them, the
 * host in charge: row `cuda.pcg`, the reference of the rows there. Words a cell and iteration: A p 2, its dot product
 * 2, u 3, r 3, <r, r> 1, M^-1 r 4 and pivots 1/8, <r, z> 2, p 3: 20. */
#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/elliptic_krylov.h"
#include "elliptic/sw_elliptic_impl.h"

static void arrays(struct sw_elliptic *s)
{
    elliptic_device_make(&s->desc, s->device, 4, 1, true, &s->arrays, s->own);
}

static enum sw_status load(struct sw_elliptic *s) { return elliptic_device_load(s->own, s->count, s->matrix); }

static enum sw_status solve_one(struct sw_elliptic *s, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct elliptic_device one = elliptic_device_one(s->own, system);
    const struct elliptic_space space = elliptic_device_space(&one);
    const struct sw_elliptic_numbers *numbers = elliptic_ranks_begin(one.ranks, 1, &s->numbers[system]);
    return elliptic_pcg(&space, numbers, f, u, outcome, history, most);
}

static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    return (struct sw_cost){(20 + 2.0 / SW_CUDA_ELLIPTIC_CHUNK) * sizeof(double), (d->full ? 40 : 24) + 22 + 1 + 2 * 6};
}

static void find_space(struct sw_elliptic *s, void *space)
{
    *(struct elliptic_space *)space = elliptic_device_space(s->own);
}

static const struct sw_elliptic_kernel kernels[] = {
    {"SpMV", 24, 2, elliptic_run_product},
    {"prec", 22 + 1, 2 + 2.0 / SW_CUDA_ELLIPTIC_CHUNK, elliptic_run_preconditioner},
    {"dot", 1, 2, elliptic_run_dot}, {"axpby", 2, 3, elliptic_run_combine}, {0}};

extern const struct sw_elliptic_ops elliptic_pcg_cuda, elliptic_pcg_single_cuda;
const struct sw_elliptic_ops elliptic_pcg_cuda = {
    .name = "cuda.pcg",
    .about = "conjugate gradients on a GPU, preconditioned by vertical tridiagonal solves, pass by pass",
    .space = SW_DEVICE,
    .cuts = true,
    .own_size = sizeof(struct elliptic_device),
    .arrays = arrays,
    .load = load,
    .solve_one = solve_one,
    .cost = cost,
    .kernels = kernels,
    .find_space = find_space,
    .single = &elliptic_pcg_single_cuda,
};
