/* Row `cuda.thomas`: the general problem by the elimination of cpu.thomas, one thread a system, interleaved
 * (cuda/bvp/bvp_general.cu). The systems are made on the CPU. */
#include "base/sw_mem.h"
#include "problem/bvp/bvp_general.h"
#include "cuda/bvp/bvp_kernels.h"

enum { VECTORS = 7 };  /* c, e, b, u; work, l, inverse */

struct thomas {
    struct bvp_general     general;    /* first: bvp_general.h works on it */
    double                *d_vector;   /* [VECTORS] vectors                */
    struct sw_bvp_system         *d_tri;      /* [capacity]                       */
    struct sw_tri_outcome *d_outcome;  /* [capacity]                       */
};

static enum sw_status eliminate(struct sw_bvp *bvp)
{
    const struct thomas *p = bvp->own;
    const struct bvp_general *s = &p->general;
    const size_t count = (size_t)bvp->count, vector = s->vector;
    double *d_u = p->d_vector + 3 * vector;
    for (int j = 0; j < bvp->count; j++) {
        struct sw_bvp_system *t = &s->tri[j];
        bvp_general_bind(s, j, p->d_vector, t);
        t->l = d_u + 2 * vector + (size_t)j * s->line;
        t->inverse = t->l + vector;
    }
    SW_TRY(sw_device_upload(bvp->device, p->d_vector, s->system, 3 * vector * sizeof *s->system));
    SW_TRY(sw_device_upload(bvp->device, p->d_tri, s->tri, count * sizeof *s->tri));
    SW_TRY(sw_cuda_tri_solve_refined(bvp->device->compute, bvp->count, p->d_tri, d_u, d_u + vector, p->d_outcome));
    SW_TRY(sw_device_download(bvp->device, s->outcome, p->d_outcome, count * sizeof *s->outcome));
    return sw_device_download(bvp->device, s->u, d_u, vector * sizeof *s->u);
}

static void destroy(struct sw_bvp *bvp)
{
    struct thomas *p = bvp->own;
    if (!p) return;
    bvp_general_destroy(&p->general);
    sw_device_free(bvp->device, p->d_vector);
    sw_device_free(bvp->device, p->d_tri);
    sw_device_free(bvp->device, p->d_outcome);
    sw_free(p);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    const size_t room = (size_t)bvp->desc.capacity;
    struct thomas *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    bvp->own = p;
    p->general.eliminate = eliminate;
    p->general.interleaved = true;
    SW_TRY(bvp_general_create(bvp, &p->general));
    SW_TRY(sw_device_alloc(bvp->device, VECTORS * p->general.vector, &p->d_vector));
    SW_TRY(sw_device_alloc(bvp->device, room, &p->d_tri));
    return sw_device_alloc(bvp->device, room, &p->d_outcome);
}

/* As much on the CPU as on the device. */
static enum sw_status bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc,
                            const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    (void)row, (void)device;
    *fixed = bvp_general_bytes_fixed(desc);
    *per_run = bvp_general_bytes_per_run(desc, VECTORS - 4);
    return SW_OK;
}

/* As cpu.thomas. */
static struct sw_cost cost(const struct sw_bvp *bvp)
{
    (void)bvp;
    return bvp_general_cost((struct sw_cost){56, 3});
}

extern const struct sw_bvp_ops bvp_thomas_cuda;
const struct sw_bvp_ops bvp_thomas_cuda = {
    .name = "cuda.thomas",
    .about = "the elimination of cpu.thomas, one thread a system; the systems are made on the CPU",
    .space = SW_DEVICE,
    .fits = bvp_general_fits,
    .general = true,
    .bytes = bytes,
    .create = create,
    .solve = bvp_general_solve,
    .fetch = bvp_general_fetch,
    .destroy = destroy,
    .cost = cost,
    .element_size = 8,
};
