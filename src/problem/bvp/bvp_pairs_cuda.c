/* Row `cuda.relations`: the general problem as pairs, solved by linalg/tridiagonal_relations_cuda.c; the systems are
 * made on the CPU (cuda/bvp/bvp_pairs.cu). */
#include "problem/bvp/bvp_pairs.h"
#include "cuda/bvp/bvp_kernels.h"

static enum sw_status make(struct sw_device *device, const struct sw_bvp_pairs *p, int first, int count)
{
    SW_TRY(sw_device_use(device));  /* first of all that a batch queues */
    return sw_cuda_pairs_make(device->compute, p, first, count);
}

static enum sw_status fill(struct sw_device *device, const struct sw_bvp_pairs *p, int count)
{
    return sw_cuda_pairs_fill(device->compute, p, count);
}

static enum sw_status measure(struct sw_device *device, const struct sw_bvp_pairs *p, int count)
{
    return sw_cuda_pairs_measure(device->compute, p, count);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    static const struct bvp_pairs_work work = {make, fill, measure};
    SW_TRY(sw_device_use(bvp->device));
    return bvp_pairs_create(bvp, &work);
}

extern const struct sw_bvp_ops bvp_relations_cuda;
const struct sw_bvp_ops bvp_relations_cuda = {
    .name = "cuda.relations",
    .about = "the pairs of cpu.relations by the tridiagonal solver of that name; the systems are made on the CPU",
    .space = SW_DEVICE,
    .fits = bvp_general_fits,
    .general = true,
    .own_size = sizeof(struct bvp_pairs),
    .arrays = bvp_pairs_arrays,
    .other_bytes = bvp_pairs_solver_bytes,
    .create = create,
    .solve = bvp_general_solve,
    .fetch = bvp_general_fetch,
    .destroy = bvp_pairs_destroy,
    .cost = bvp_pairs_cost,
    .element_size = 8,
    /* A thread of cuda.thomas takes the rows of a system one after another, 5.9 us a row on an H200: 0.1 s for so many,
     * where this row takes 1 ms. Of some hundreds of systems and more cuda.thomas is faster at any n: the CPU makes 47
     * million rows a second here. (results/gpu/tridiagonal.txt) */
    .from = 16384,
};
