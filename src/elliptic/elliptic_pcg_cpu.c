/* Preconditioned conjugate gradients on the CPU, one pass over the vectors for each thing that is done with them: row
 * `cpu.pcg`, the reference. Words a cell and iteration: A p 2, its dot product 2, u 3, r 3, <r, r> 1, M^-1 r 2, <r, z>
 * 2, p 3: 18. */
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "elliptic/elliptic_host.h"
#include "elliptic/sw_elliptic_impl.h"

struct pcg {
    struct elliptic_host host;
    double *work;           /* [4][cells] */
};

static size_t bytes(const struct sw_elliptic_desc *d)
{
    return 4 * sw_elliptic_cells(d) * sizeof(double) + elliptic_host_bytes(d);
}

static void destroy(struct sw_elliptic *s)
{
    struct pcg *p = s->own;
    if (!p) return;
    elliptic_host_free(&p->host);
    sw_free(p->work);
    sw_free(p);
}

static enum sw_status create(struct sw_elliptic *s)
{
    struct pcg *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    SW_TRY(elliptic_host_make(&s->desc, s->device->threads, &p->host));
    return sw_alloc(4 * sw_elliptic_cells(&s->desc), &p->work);
}

static enum sw_status solve(struct sw_elliptic *s, const double *f, double *u, struct sw_elliptic_outcome *outcome,
                            double *history, int most)
{
    struct pcg *p = s->own;
    const size_t cells = sw_elliptic_cells(&s->desc);
    struct elliptic_space space = elliptic_host_space(&p->host);
    for (int k = 0; k < 4; k++) space.work[k] = p->work + (size_t)k * cells;
    for (int j = 0; j < s->count; j++) {
        p->host.matrix = &s->matrix[j];
        SW_TRY(elliptic_pcg(&space, &s->numbers[j], f + (size_t)j * cells, u + (size_t)j * cells, &outcome[j],
                            history ? history + (size_t)j * (size_t)(most + 1) : NULL, most));
    }
    return SW_OK;
}

static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    return (struct sw_cost){18 * sizeof(double), (d->full ? 40 : 24) + 13 + 1 + 2 * 6};
}

extern const struct sw_elliptic_ops elliptic_pcg_cpu;
const struct sw_elliptic_ops elliptic_pcg_cpu = {
    .name = "cpu.pcg",
    .about = "conjugate gradients, preconditioned by vertical tridiagonal solves, pass by pass: the reference",
    .space = SW_HOST,
    .bytes = bytes,
    .create = create,
    .solve = solve,
    .destroy = destroy,
    .cost = cost,
};
