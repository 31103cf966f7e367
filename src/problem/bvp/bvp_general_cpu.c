/* The general problem on the CPU, one system after another: rows `cpu.thomas` and `cpu.lapack`. */
#include "linalg/sw_band.h"
#include "problem/bvp/bvp_general.h"

/* ------------------------------------------------------------------ cpu.thomas */

/* Elimination with the row sums apart (tridiagonal_point.h), in plain C: the reference. */
struct thomas {
    struct bvp_general general;  /* first: bvp_general.h works on it */
    double *factor;              /* [2] vectors: l, inverse           */
    double *work;                /* a vector                          */
};

static enum sw_status thomas_eliminate(struct sw_bvp *bvp)
{
    const struct thomas *p = bvp->own;
    const struct bvp_general *s = &p->general;
#pragma omp parallel for schedule(dynamic) num_threads(bvp_general_threads(bvp, s))
    for (int j = 0; j < bvp->count; j++) {
        struct sw_bvp_system *t = &s->tri[j];
        const size_t at = (size_t)j * s->line;
        bvp_general_bind(s, j, s->system, t);
        t->l = p->factor + at;
        t->inverse = t->l + s->vector;
        t->solve = sw_tri_solve;
        t->keeps = true;
        bvp_general_solve_one(s, j, t->n ? sw_tri_factor(t) : 0, s->u + at, p->work + at);
    }
    return SW_OK;
}

static void thomas_arrays(struct sw_bvp *bvp)
{
    struct thomas *p = bvp->own;
    p->general.eliminate = thomas_eliminate;
    bvp_general_arrays(bvp, &p->general);
    sw_array(&bvp->arrays, 2 * p->general.vector, &p->factor);
    sw_array(&bvp->arrays, p->general.vector, &p->work);
}

/* l, the inverse and x down and up; two multiplications with an addition, one without. */
static struct sw_cost thomas_cost(const struct sw_bvp *bvp)
{
    (void)bvp;
    return bvp_general_cost((struct sw_cost){56, 3});
}

extern const struct sw_bvp_ops bvp_thomas_cpu;
const struct sw_bvp_ops bvp_thomas_cpu = {
    .name = "cpu.thomas",
    .about = "the general problem, any sign of q: elimination that keeps row sums apart, corrected to rounding",
    .space = SW_HOST,
    BVP_GENERAL_OPS,
    .own_size = sizeof(struct thomas),
    .arrays = thomas_arrays,
    .create = bvp_general_create,
    .fetch = bvp_general_fetch,
    .destroy = bvp_general_destroy,
    .cost = thomas_cost,
};

/* ------------------------------------------------------------------ cpu.lapack */

/* A tridiagonal matrix that LAPACK factors, with partial pivoting. The matrix is added up, which loses digits like n²
 * (its diagonal holds h² q beside 2 p); the corrections bring them back as long as one is left. A baseline that shares
 * nothing with the elimination of tridiagonal_point.h. */
struct lapack {
    struct bvp_general general;  /* first: bvp_general.h works on it        */
    struct sw_band *band;
    double *A;                   /* [3] vectors: the diagonals               */
    double *work;                /* a vector                                 */
    int    *bad;                 /* [capacity] 1 + the row of a bad pivot; 0 */
};

/* 1 on the diagonal for what is no unknown. */
static void assemble_matrix(const struct lapack *p, int j)
{
    const struct bvp_general *s = &p->general;
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

static void lapack_solve_system(const struct sw_bvp_system *t, double *x) { sw_band_solve_one(t->own, t->system, x); }

static enum sw_status lapack_eliminate(struct sw_bvp *bvp)
{
    const struct lapack *p = bvp->own;
    const struct bvp_general *s = &p->general;
    for (int j = 0; j < bvp->desc.capacity; j++) assemble_matrix(p, j);
    enum sw_status st = sw_band_factor(p->band, p->A, p->bad);
    if (st && st != SW_E_SINGULAR) return st;  /* the others are unharmed */
#pragma omp parallel for schedule(dynamic) num_threads(bvp_general_threads(bvp, s))
    for (int j = 0; j < bvp->count; j++) {
        struct sw_bvp_system *t = &s->tri[j];
        bvp_general_bind(s, j, s->system, t);
        t->solve = lapack_solve_system;
        t->own = p->band;
        t->system = j;
        bvp_general_solve_one(s, j, p->bad[j], s->u + (size_t)j * s->line, p->work + (size_t)j * s->line);
    }
    return SW_OK;
}

static void lapack_arrays(struct sw_bvp *bvp)
{
    struct lapack *p = bvp->own;
    p->general.eliminate = lapack_eliminate;
    bvp_general_arrays(bvp, &p->general);
    sw_array(&bvp->arrays, 3 * p->general.vector, &p->A);
    sw_array(&bvp->arrays, p->general.vector, &p->work);
    sw_array(&bvp->arrays, (size_t)bvp->desc.capacity, &p->bad);
}

static enum sw_status lapack_other_bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc,
                                         const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const struct sw_band_desc band = {.lower = 1, .upper = 1};
    (void)device, (void)fixed;
    *per_run += (size_t)sw_band_vectors_of(&band, row->name) * sizeof(double) * ((size_t)desc->n + 3);
    return SW_OK;
}

static enum sw_status lapack_create(struct sw_bvp *bvp)
{
    struct lapack *p = bvp->own;
    const struct sw_band_desc band = {.n = p->general.rows, .batch = bvp->desc.capacity, .lower = 1, .upper = 1};
    SW_TRY(bvp_general_create(bvp));
    return sw_band_create(&band, bvp->ops->name, bvp->device, &p->band);
}

static void lapack_destroy(struct sw_bvp *bvp)
{
    struct lapack *p = bvp->own;
    bvp_general_destroy(bvp);
    sw_band_destroy(&p->band);
}

static struct sw_cost lapack_cost(const struct sw_bvp *bvp)
{
    const struct lapack *p = bvp->own;
    return bvp_general_cost(sw_band_cost(sw_band_shape(p->band), bvp->ops->name));
}

extern const struct sw_bvp_ops bvp_lapack_cpu;
const struct sw_bvp_ops bvp_lapack_cpu = {
    .name = "cpu.lapack",
    .about = "the same by LAPACK's general band solver",
    .space = SW_HOST,
    BVP_GENERAL_OPS,
    .own_size = sizeof(struct lapack),
    .arrays = lapack_arrays,
    .other_bytes = lapack_other_bytes,
    .create = lapack_create,
    .fetch = bvp_general_fetch,
    .destroy = lapack_destroy,
    .cost = lapack_cost,
};
