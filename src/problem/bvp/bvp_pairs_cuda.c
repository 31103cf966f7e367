/* Row `cuda.relations`: the general problem as pairs (cuda/bvp/bvp_pairs.cu), solved by
 * linalg/tridiagonal_relations_cuda.c. */
#include "problem/bvp/bvp_form_cuda.h"
#include "problem/bvp/bvp_pairs.h"
#include "cuda/bvp/bvp_kernels.h"

struct relations {
    struct bvp_pairs pairs;  /* first: bvp_pairs.h works on it */
    struct bvp_form  form;
};

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

static void arrays(struct sw_bvp *bvp)
{
    struct relations *p = bvp->own;
    bvp_form_choose(bvp, &p->pairs.general, &p->form);
    bvp_pairs_arrays(bvp);
    bvp_form_arrays(bvp, &p->pairs.general);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    static const struct bvp_pairs_work work = {make, fill, measure};
    struct relations *p = bvp->own;
    SW_TRY(sw_device_use(bvp->device));
    SW_TRY(bvp_form_create(bvp, &p->pairs.general, p->pairs.system, p->pairs.pairs.u));
    return bvp_pairs_create(bvp, &work);
}

static void destroy(struct sw_bvp *bvp)
{
    struct relations *p = bvp->own;
    bvp_form_destroy(bvp, &p->pairs.general);
    bvp_pairs_destroy(bvp);
}

extern const struct sw_bvp_ops bvp_relations_cuda;
const struct sw_bvp_ops bvp_relations_cuda = {
    .name = "cuda.relations",
    .about = "the pairs of cpu.relations by the tridiagonal solver of that name",
    .space = SW_DEVICE,
    BVP_GENERAL_OPS,
    .own_size = sizeof(struct relations),
    .arrays = arrays,
    .other_bytes = bvp_pairs_solver_bytes,
    .create = create,
    .fetch = bvp_form_fetch,
    .destroy = destroy,
    .cost = bvp_pairs_cost,
    /* A thread of cuda.thomas takes the rows of a system one after another, 5.9 us a row on an H200: 0.1 s for so many,
     * where this row takes 1 ms. Of some hundreds of systems and more cuda.thomas is faster at any n: the CPU makes 47
     * million rows a second here. (results/gpu/tridiagonal.txt) */
    .from = 16384,
};
