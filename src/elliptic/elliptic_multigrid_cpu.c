/* Conjugate gradients preconditioned by a multigrid cycle, on the CPU: row `cpu.multigrid`. The cycle: smooth by
 * columns, restrict the residual, solve on the next grid, which is coarser along x and y only, add the bilinear
 * interpolation of what it found, smooth in the reverse order. The coarsest grid is one column, or one whose columns
 * hardly feel their neighbours (elliptic_coarsen.c). Sums over cells and bilinear interpolation are no transposes of
 * each other, so that the cycle is not symmetric: the flexible method of elliptic_krylov.c takes it.
 *
 * Threads share the slabs. What a cycle does on the way down, and on the way up, are stages; a stage at a slab needs
 * the stage before at two slabs on either side. A thread takes the stages through its slabs like a wave, one a slab
 * behind the other, so that slabs are in the cache still; what lies too close to the slabs of another thread waits for
 * that thread. Every stage at a slab sees the same numbers whatever the number of threads. */
#include <omp.h>
#include <string.h>

#include "elliptic/elliptic_host.h"
#include "elliptic/elliptic_smooth_cpu.h"
#include "elliptic/sw_elliptic_impl.h"

struct level {
    const struct elliptic_grid *grid;
    bool    coloured;        /* else r is used */
    double *u, *r;           /* [ny][nz][nx]; u of the finest is the caller's */
    const double *f;
    double *coarse_f;        /* of the next level: out of the way down; its u: in of the way up */
    const double *coarse_u;
};

struct multigrid {
    struct elliptic_host host;      /* the first: its space's context is this struct as well */
    struct elliptic_grids grids;
    struct level level[ELLIPTIC_MOST_GRIDS];
    size_t  scratch;                /* words of a thread */
    double *scratches;              /* [threads][scratch] */
};

/* ------------------------------------------------------------------ stages at a slab */

typedef void stage(const struct level *level, int64_t j, double *scratch);

static void relax_first(const struct level *l, int64_t j, double *scratch)
{
    elliptic_relax_slab(&l->grid->matrix, l->f, l->u, j, ELLIPTIC_RED, true, scratch);
}

static void relax_red(const struct level *l, int64_t j, double *scratch)
{
    elliptic_relax_slab(&l->grid->matrix, l->f, l->u, j, ELLIPTIC_RED, false, scratch);
}

static void relax_black(const struct level *l, int64_t j, double *scratch)
{
    elliptic_relax_slab(&l->grid->matrix, l->f, l->u, j, ELLIPTIC_BLACK, false, scratch);
}

static double *slab_of(const struct level *l, double *array, int64_t j)
{
    return array + j * l->grid->matrix.nz * l->grid->matrix.nx;
}

static void damp_first(const struct level *l, int64_t j, double *scratch)
{
    const struct sw_elliptic_matrix *m = &l->grid->matrix;
    elliptic_damped_slab(m, l->f + j * m->nz * m->nx, l->u, j, true, scratch);
}

static void damp(const struct level *l, int64_t j, double *scratch)
{
    elliptic_damped_slab(&l->grid->matrix, slab_of(l, l->r, j), l->u, j, false, scratch);
}

static void form_residual(const struct level *l, int64_t j, double *scratch)
{
    elliptic_residual_slab(&l->grid->matrix, l->f, l->u, j, slab_of(l, l->r, j), scratch);
}

/* At the last of the slabs that make a coarse one. */
static void restrict_residual(const struct level *l, int64_t j, double *scratch)
{
    const struct elliptic_axis *y = &l->grid->axis[1];
    const int64_t coarse = y->coarse == y->n ? j : j <= 2 * y->alone ? j / 2 : (j + 1) / 2;
    if (j + 1 == elliptic_first(y, coarse + 1))
        elliptic_restrict_slab(l->grid, l->f, l->u, coarse, l->coloured, l->coarse_f, scratch);
}

static void prolong(const struct level *l, int64_t j, double *scratch)
{
    elliptic_prolong_slab(l->grid, l->coarse_u, j, l->u, scratch);
}

/* ------------------------------------------------------------------ the cycle */

enum { REACH = 2 };  /* slabs on either side that a stage may need of the stage before */

/* All stages at all slabs. Stage s keeps s REACH slabs away from those of other threads at first. */
static void go(const struct multigrid *mg, const struct level *l, stage *const stages[], int count)
{
    const struct sw_elliptic_matrix *m = &l->grid->matrix;
    const bool small = m->nx * m->ny * m->nz < 8192;  /* 10 us of work: a barrier costs as much */
#pragma omp parallel num_threads(small ? 1 : mg->host.threads)
    {
        const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads(),
                      first = m->ny * thread / threads, behind = m->ny * (thread + 1) / threads;
        double *const scratch = mg->scratches + (size_t)thread * mg->scratch;
        for (int64_t at = first; at < behind + count; at++)
            for (int s = 0; s < count; s++)
                if (at - s >= first + s * REACH && at - s < behind - s * REACH) stages[s](l, at - s, scratch);
        for (int s = 1; s < count; s++) {
#pragma omp barrier
            for (int64_t j = first; j < behind; j++)
                if (j < first + s * REACH || j >= behind - s * REACH) stages[s](l, j, scratch);
        }
    }
}

/* u = an approximation of A^-1 f on this level. */
static void cycle(const struct multigrid *mg, int which)
{
    static stage *const down[] = {relax_first, relax_black, restrict_residual},
                 *const up[] = {prolong, relax_black, relax_red},
                 *const alone[] = {relax_first, relax_black, relax_red},
                 *const down_damped[] = {damp_first, restrict_residual},
                 *const up_damped[] = {prolong, form_residual, damp},
                 *const alone_damped[] = {damp_first, form_residual, damp};
    const struct level *l = &mg->level[which];
    if (which == mg->grids.count - 1) {
        go(mg, l, l->coloured ? alone : alone_damped, 3);
        return;
    }
    go(mg, l, l->coloured ? down : down_damped, l->coloured ? 3 : 2);
    cycle(mg, which + 1);
    go(mg, l, l->coloured ? up : up_damped, 3);
}

static enum sw_status precondition(void *context, const double *r, double *z)
{
    struct multigrid *mg = context;
    mg->level[0].f = r;
    mg->level[0].u = z;
    cycle(mg, 0);
    return SW_OK;
}

/* ------------------------------------------------------------------ the row */

static size_t cells_of(const struct sw_elliptic_desc *d, const int64_t n[2])
{
    return (size_t)n[0] * (size_t)n[1] * (size_t)d->n[2];
}

static size_t scratch_of(const struct sw_elliptic_desc *d)
{
    const struct sw_elliptic_matrix shape = {.nx = d->n[0], .ny = d->n[1], .nz = d->n[2]};
    return (elliptic_smooth_scratch(&shape) + 7) / 8 * 8;  /* whole cache lines */
}

static void make_levels(const struct sw_elliptic_desc *d, struct sw_owned *own, struct multigrid *mg)
{
    int64_t n[2];
    elliptic_grids_make(d, own, &mg->grids);
    for (int g = 0; elliptic_grid_size(d, g, n); g++) {
        struct level *l = &mg->level[g];
        const size_t cells = cells_of(d, n);
        l->grid = &mg->grids.grid[g];
        l->coloured = elliptic_grid_has_colours(d, g, n);
        if (g) {
            sw_array(own, cells, &l[-1].coarse_f);
            sw_array(own, cells, &l->u);
            l->f = l[-1].coarse_f;
            l[-1].coarse_u = l->u;
        }
        if (!l->coloured) sw_array(own, cells, &l->r);
    }
}

static void arrays(struct sw_elliptic *s)
{
    struct multigrid *mg = s->own;
    elliptic_host_make(&s->desc, s->device->threads, 4, &s->arrays, &mg->host);
    make_levels(&s->desc, &s->arrays, mg);
    mg->scratch = scratch_of(&s->desc);
    sw_array(&s->arrays, (size_t)mg->host.threads * mg->scratch, &mg->scratches);
}

static enum sw_status solve_one(struct sw_elliptic *s, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct multigrid *mg = s->own;
    struct elliptic_space space = elliptic_host_space(&mg->host);
    space.precondition = precondition;
    space.fused = &elliptic_host_fused;
    space.flexible = true;
    mg->host.matrix = &s->matrix[system];
    elliptic_grids_load(&mg->grids, &s->matrix[system], mg->host.threads);
    return elliptic_pcg(&space, &s->numbers[system], f, u, outcome, history, most);
}

/* Of an iteration. On the finest grid the way down reads f and writes u, the way up reads f and u and writes u: 5
 * words; the residual of the red columns is in the cache still. A sweep solves for each column once, 13 + 8 operations
 * and a division a cell; the residual takes 4, bilinear interpolation 5. Damped, a sweep is A u and M^-1 r, and the way
 * up writes a residual. Grids of a fourth of the cells each add a third. Conjugate gradients: A p 2, two dot products
 * 3, u and p 5, r 3. */
static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    const bool coloured = elliptic_grid_has_colours(d, 0, d->n);
    const double words = coloured ? 5 : 6,
                 work = coloured ? 2 * 22 + 4 + 5 : 2 * (14 + 2) + 2 * (d->full ? 41 : 25) + 5;
    return (struct sw_cost){(words * 4 / 3 + 13) * sizeof(double), work * 4 / 3 + (d->full ? 40 : 24) + 2 * 6};
}

extern const struct sw_elliptic_ops elliptic_multigrid_cpu;
const struct sw_elliptic_ops elliptic_multigrid_cpu = {
    .name = "cpu.multigrid",
    .about = "conjugate gradients, preconditioned by multigrid: horizontally coarser grids, columns as smoother",
    .space = SW_HOST,
    .own_size = sizeof(struct multigrid),
    .arrays = arrays,
    .solve_one = solve_one,
    .cost = cost,
    .falls_back = "cpu.pcg",
    .fast = true,
};
