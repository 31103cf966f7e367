/* Row `cuda.thomas`: the general problem by the elimination of cpu.thomas, one thread a system, interleaved
 * (cuda/bvp/bvp_general.cu). */
#include "problem/bvp/bvp_form_cuda.h"
#include "cuda/bvp/bvp_kernels.h"

enum { VECTORS = 7 };  /* c, e, b, u; work, l, inverse */

struct thomas {
    struct bvp_general     general;    /* first: bvp_general.h works on it */
    double                *d_vector;   /* [VECTORS] vectors                */
    struct bvp_form        form;
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
    if (!s->work) SW_TRY(sw_device_upload(bvp->device, p->d_vector, s->system, 3 * vector * sizeof *s->system));
    SW_TRY(sw_device_upload(bvp->device, p->d_tri, s->tri, count * sizeof *s->tri));
    SW_TRY(sw_cuda_tri_solve_refined(bvp->device->compute, bvp->count, p->d_tri, d_u, d_u + vector, p->d_outcome));
    SW_TRY(sw_device_download(bvp->device, s->outcome, p->d_outcome, count * sizeof *s->outcome));
    return s->work ? SW_OK : sw_device_download(bvp->device, s->u, d_u, vector * sizeof *s->u);
}

static void arrays(struct sw_bvp *bvp)
{
    const size_t room = (size_t)bvp->desc.capacity;
    struct thomas *p = bvp->own;
    p->general.eliminate = eliminate;
    p->general.interleaved = true;
    bvp_form_choose(bvp, &p->general, &p->form);
    bvp_general_arrays(bvp, &p->general);
    bvp_form_arrays(bvp, &p->general);
    sw_array_device(&bvp->arrays, VECTORS * p->general.vector, &p->d_vector);
    sw_array_device(&bvp->arrays, room, &p->d_tri);
    sw_array_device(&bvp->arrays, room, &p->d_outcome);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    struct thomas *p = bvp->own;
    return bvp_form_create(bvp, &p->general, p->d_vector, p->d_vector + 3 * p->general.vector);
}

static void destroy(struct sw_bvp *bvp)
{
    bvp_form_destroy(bvp, bvp->own);
    bvp_general_destroy(bvp);
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
    .about = "the elimination of cpu.thomas, one thread a system",
    .space = SW_DEVICE,
    BVP_GENERAL_OPS,
    .own_size = sizeof(struct thomas),
    .arrays = arrays,
    .create = create,
    .fetch = bvp_form_fetch,
    .destroy = destroy,
    .cost = cost,
};
