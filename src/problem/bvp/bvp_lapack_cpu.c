/* Row `cpu.lapack`: the general problem as a tridiagonal matrix that LAPACK factors, with partial pivoting. The matrix
 * is added up, which loses digits like n² (its diagonal holds h² q beside 2 p); the corrections bring them back as long
 * as one is left. A baseline that knows nothing of tri_point.h's elimination. */
#include "base/sw_mem.h"
#include "problem/bvp/bvp_cells.h"
#include "linalg/sw_band.h"

struct lapack {
    struct cells    cells;  /* first: bvp_cells.h works on it           */
    struct sw_band *band;
    double         *A;      /* [3] vectors: the diagonals               */
    double         *work;   /* a vector                                 */
    int            *bad;    /* [capacity] 1 + the row of a bad pivot; 0 */
};

/* 1 on the diagonal for what is no unknown. */
static void put_matrix(const struct lapack *p, int j)
{
    const struct cells *s = &p->cells;
    const double *c = s->system + (size_t)j * s->line, *e = c + s->vector;
    double *below = p->A + (size_t)j * s->line, *diagonal = below + s->vector, *above = diagonal + s->vector;
    const int n = s->tri[j].n;
    for (int k = 0; k < s->rows; k++) {
        const double west = k > 0 && k < n ? c[k - 1] : 0, east = k < n - 1 ? c[k] : 0;
        below[k] = -west;
        diagonal[k] = k < n ? west + east + e[k] : 1;
        above[k] = -east;
    }
}

static void solve_one(const struct sw_tri *t, double *x) { sw_band_solve_one(t->own, t->system, x); }

static enum sw_status eliminate(struct sw_bvp *bvp)
{
    const struct lapack *p = bvp->own;
    const struct cells *s = &p->cells;
    for (int j = 0; j < bvp->desc.capacity; j++) put_matrix(p, j);
    enum sw_status st = sw_band_factor(p->band, p->A, p->bad);
    if (st && st != SW_E_SINGULAR) return st;  /* the others are unharmed */
#pragma omp parallel for schedule(dynamic) num_threads(cells_threads(bvp, s))
    for (int j = 0; j < bvp->count; j++) {
        struct sw_tri *t = &s->tri[j];
        cells_point(s, j, s->system, t);
        t->solve = solve_one;
        t->own = p->band;
        t->system = j;
        cells_solve_one(s, j, p->bad[j], p->work + (size_t)j * s->line);
    }
    return SW_OK;
}

static void destroy(struct sw_bvp *bvp)
{
    struct lapack *p = bvp->own;
    if (!p) return;
    cells_destroy(&p->cells);
    sw_band_destroy(&p->band);
    sw_free(p->A);
    sw_free(p->work);
    sw_free(p->bad);
    sw_free(p);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    struct lapack *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    bvp->own = p;
    p->cells.eliminate = eliminate;
    SW_TRY(cells_create(bvp, &p->cells));
    const struct sw_band_desc band = {.n = p->cells.rows, .batch = bvp->desc.capacity, .lower = 1, .upper = 1};
    SW_TRY(sw_band_create(&band, bvp->ops->name, bvp->device, &p->band));
    SW_TRY(sw_alloc(3 * p->cells.vector, &p->A));
    SW_TRY(sw_alloc(p->cells.vector, &p->work));
    return sw_alloc((size_t)bvp->desc.capacity, &p->bad);
}

static void bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, size_t *fixed, size_t *per_run)
{
    *fixed = cells_bytes_fixed(desc);
    *per_run = cells_bytes_per_run(desc, 4 + sw_band_vectors(row->name));
}

static struct sw_cost cost(const struct sw_bvp *bvp)
{
    const struct lapack *p = bvp->own;
    return cells_cost(sw_band_cost(sw_band_shape(p->band), bvp->ops->name));
}

extern const struct sw_bvp_ops bvp_lapack_cpu;
const struct sw_bvp_ops bvp_lapack_cpu = {
    .name = "cpu.lapack",
    .about = "the same by LAPACK's general band solver",
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
