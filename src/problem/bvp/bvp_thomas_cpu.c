/* Row `cpu.thomas`: the general problem by elimination with the row sums kept apart, plain C, one system after another
 * (tri_point.h). */
#include "base/sw_mem.h"
#include "problem/bvp/bvp_cells.h"

struct thomas {
    struct cells cells;   /* first: bvp_cells.h works on it */
    double      *factor;  /* [2] vectors: l, inverse        */
    double      *work;    /* a vector                       */
};

static enum sw_status eliminate(struct sw_bvp *bvp)
{
    const struct thomas *p = bvp->own;
    const struct cells *s = &p->cells;
#pragma omp parallel for schedule(dynamic) num_threads(cells_threads(bvp, s))
    for (int j = 0; j < bvp->count; j++) {
        struct sw_tri *t = &s->tri[j];
        const size_t at = (size_t)j * s->line;
        cells_point(s, j, s->system, t);
        t->l = p->factor + at;
        t->inverse = t->l + s->vector;
        t->solve = sw_tri_solve;
        cells_solve_one(s, j, t->n ? sw_tri_factor(t) : 0, p->work + at);
    }
    return SW_OK;
}

static void destroy(struct sw_bvp *bvp)
{
    struct thomas *p = bvp->own;
    if (!p) return;
    cells_destroy(&p->cells);
    sw_free(p->factor);
    sw_free(p->work);
    sw_free(p);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    struct thomas *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    bvp->own = p;
    p->cells.eliminate = eliminate;
    SW_TRY(cells_create(bvp, &p->cells));
    SW_TRY(sw_alloc(2 * p->cells.vector, &p->factor));
    return sw_alloc(p->cells.vector, &p->work);
}

static void bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, size_t *fixed, size_t *per_run)
{
    (void)row;
    *fixed = cells_bytes_fixed(desc);
    *per_run = cells_bytes_per_run(desc, 3);
}

/* l, the inverse and x down and up; two multiplications with an addition, one without. */
static struct sw_cost cost(const struct sw_bvp *bvp)
{
    (void)bvp;
    return cells_cost((struct sw_cost){56, 3});
}

extern const struct sw_bvp_ops bvp_thomas_cpu;
const struct sw_bvp_ops bvp_thomas_cpu = {
    .name = "cpu.thomas",
    .about = "the general problem, any sign of q: elimination that keeps row sums apart, corrected to rounding",
    .space = SW_HOST,
    .fits = cells_fit,
    .bytes = bytes,
    .create = create,
    .solve = cells_solve,
    .fetch = cells_fetch,
    .destroy = destroy,
    .cost = cost,
    .word = 8,
};
