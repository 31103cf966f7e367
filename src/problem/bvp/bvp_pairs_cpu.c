/* Row `cpu.relations`: the general problem as pairs, solved by linalg/tridiagonal_relations_cpu.c. Threads share the
 * chunks of a batch; what is added up in a chunk does not depend on them. */
#include "problem/bvp/bvp_pairs.h"

enum { SERIAL = 16384 };  /* rows of a batch: fewer take less time than starting threads */

static int threads_for(const struct sw_device *device, size_t rows) { return rows < SERIAL ? 1 : device->threads; }

static enum sw_status make(struct sw_device *device, const struct sw_bvp_pairs *p, int first, int count)
{
    const int rows = (int)pairs_rows(p);
#pragma omp parallel for collapse(2) num_threads(threads_for(device, (size_t)count * pairs_rows(p)))
    for (int j = first; j < first + count; j++)
        for (int i = 0; i < rows; i++) pairs_make_row(p, j, i);
    return SW_OK;
}

static enum sw_status fill(struct sw_device *device, const struct sw_bvp_pairs *p, int count)
{
#pragma omp parallel for collapse(2) num_threads(threads_for(device, (size_t)count * pairs_rows(p)))
    for (int j = 0; j < count; j++)
        for (int chunk = 0; chunk < p->chunks; chunk++)
            for (int k = pairs_first(chunk); k < pairs_end(p, chunk); k++)
                pairs_fill(p, &p->tri[j], &p->refinement[j], j, k);
    return SW_OK;
}

static struct sw_tri_measured measure_chunk(const struct sw_bvp_pairs *p, int j, int chunk)
{
    struct sw_tri_measured m = sw_tri_nothing_measured();
    for (int k = pairs_first(chunk); k < pairs_end(p, chunk); k++)
        pairs_measure(p, &p->tri[j], &p->refinement[j], j, k, &m);
    return m;
}

static enum sw_status measure(struct sw_device *device, const struct sw_bvp_pairs *p, int count)
{
#pragma omp parallel for collapse(2) num_threads(threads_for(device, (size_t)count * pairs_rows(p)))
    for (int j = 0; j < count; j++)
        for (int chunk = 0; chunk < p->chunks; chunk++)
            if (p->refinement[j].step != SW_TRI_DONE)
                p->part[(size_t)j * (size_t)p->chunks + (size_t)chunk] = measure_chunk(p, j, chunk);
    return SW_OK;
}

static enum sw_status create(struct sw_bvp *bvp)
{
    static const struct bvp_pairs_work work = {make, fill, measure};
    SW_TRY(bvp_general_create(bvp));
    return bvp_pairs_create(bvp, &work);
}

extern const struct sw_bvp_ops bvp_relations_cpu;
const struct sw_bvp_ops bvp_relations_cpu = {
    .name = "cpu.relations",
    .about = "the same in pairs of u and flux by the tridiagonal solver of that name: all threads share a problem",
    .space = SW_HOST,
    BVP_GENERAL_OPS,
    .own_size = sizeof(struct bvp_pairs),
    .arrays = bvp_pairs_arrays,
    .other_bytes = bvp_pairs_solver_bytes,
    .create = create,
    .fetch = bvp_general_fetch,
    .destroy = bvp_pairs_destroy,
    .cost = bvp_pairs_cost,
};
