/* Row `cpu.relations`: the general problem as pairs, solved by linalg/tridiagonal_relations_cpu.c. Threads share the
 * chunks of a batch; what is added up in a chunk does not depend on them. */
#include "problem/bvp/bvp_pairs.h"

enum { SERIAL = 16384 };  /* rows of a batch: fewer take less time than starting threads */

static int threads_for(const struct sw_device *device, size_t rows) { return rows < SERIAL ? 1 : device->threads; }

static enum sw_status make(struct sw_device *device, const struct pairs *p, int first, int count)
{
    const int rows = (int)pairs_rows(p);
#pragma omp parallel for collapse(2) num_threads(threads_for(device, (size_t)count * pairs_rows(p)))
    for (int j = first; j < first + count; j++)
        for (int i = 0; i < rows; i++) pairs_make_row(p, j, i);
    return SW_OK;
}

static void fill_chunk(const struct pairs *p, int j, int chunk)
{
    const int first = pairs_first(chunk), end = pairs_end(p, chunk);
    const double over = 1 / p->scale[j];  /* a power of two */
    double *rhs = p->rhs + (size_t)j * pairs_rows(p);
    sw_tri_fill_rhs(&p->tri[j], &p->refinement[j], p->u + (size_t)j * p->line, p->x + (size_t)j * pairs_rows(p), rhs, 2,
                    first, end);
    for (int k = first; k < end; k++) rhs[2 * (size_t)k] *= over;
}

static enum sw_status fill(struct sw_device *device, const struct pairs *p, int count)
{
#pragma omp parallel for collapse(2) num_threads(threads_for(device, (size_t)count * pairs_rows(p)))
    for (int j = 0; j < count; j++)
        for (int chunk = 0; chunk < p->chunks; chunk++) fill_chunk(p, j, chunk);
    return SW_OK;
}

static enum sw_status measure(struct sw_device *device, const struct pairs *p, int count)
{
#pragma omp parallel for collapse(2) num_threads(threads_for(device, (size_t)count * pairs_rows(p)))
    for (int j = 0; j < count; j++)
        for (int chunk = 0; chunk < p->chunks; chunk++)
            if (p->refinement[j].step != SW_TRI_DONE)
                p->part[(size_t)j * (size_t)p->chunks + (size_t)chunk] =
                    sw_tri_measure(&p->tri[j], &p->refinement[j], p->u + (size_t)j * p->line,
                                   p->x + (size_t)j * pairs_rows(p), 2, pairs_first(chunk), pairs_end(p, chunk));
    return SW_OK;
}

static enum sw_status create(struct sw_bvp *bvp)
{
    static const struct bvp_pairs_work work = {make, fill, measure};
    return bvp_pairs_create(bvp, &work);
}

extern const struct sw_bvp_ops bvp_relations_cpu;
const struct sw_bvp_ops bvp_relations_cpu = {
    .name = "cpu.relations",
    .about = "the same in pairs of u and flux by the tridiagonal solver of that name: all threads share a problem",
    .space = SW_HOST,
    .fits = bvp_general_fits,
    .bytes = bvp_pairs_bytes,
    .create = create,
    .solve = bvp_general_solve,
    .fetch = bvp_general_fetch,
    .destroy = bvp_pairs_destroy,
    .cost = bvp_pairs_cost,
    .element_size = 8,
};
