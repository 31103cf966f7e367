/* Preconditioned conjugate gradients on the CPU, one pass over the vectors for each thing that is done with them: row
 * `cpu.pcg`, the reference. Words a cell and iteration: A p 2, its dot product 2, u 3, r 3, <r, r> 1, M^-1 r 2, <r, z>
 * 2, p 3: 18. */
#include "elliptic/elliptic_host.h"
#include "elliptic/elliptic_krylov.h"
#include "elliptic/sw_elliptic_impl.h"

static void arrays(struct sw_elliptic *s) { elliptic_host_make(&s->desc, s->device->threads, 4, &s->arrays, s->own); }

static enum sw_status iterate(void *context, struct elliptic_way *way, real *u)
{
    const struct elliptic_space space = elliptic_host_space(context);
    return elliptic_pcg_pass(&space, way, u);
}

static enum sw_status solve_one(struct sw_elliptic *s, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    return elliptic_host_solve(s->own, s, system, f, u, outcome, history, most, iterate, s->own);
}

static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    return (struct sw_cost){18 * sizeof(real), (d->full ? 40 : 24) + 13 + 1 + 2 * 6};
}

static void find_space(struct sw_elliptic *s, void *space)
{
    *(struct elliptic_space *)space = elliptic_host_space(s->own);
}

static const struct sw_elliptic_kernel kernels[] = {
    {"SpMV", 24, 2, elliptic_run_product},
    {"prec", 13 + 1, 2, elliptic_run_preconditioner}, {"dot", 1, 2, elliptic_run_dot},
    {"axpby", 2, 3, elliptic_run_combine}, {0}};

extern const struct sw_elliptic_ops elliptic_pcg_cpu, elliptic_pcg_single_cpu;
const struct sw_elliptic_ops elliptic_pcg_cpu = {
    .name = "cpu.pcg",
    .about = "conjugate gradients, preconditioned by vertical tridiagonal solves, pass by pass: the reference",
    .space = SW_HOST,
    .cuts = true,
    .spheres = true,
    .own_size = sizeof(struct elliptic_host),
    .arrays = arrays,
    .solve_one = solve_one,
    .cost = cost,
    .kernels = kernels,
    .find_space = find_space,
    .single = &elliptic_pcg_single_cpu,
};
