/* Conjugate gradients preconditioned by a multigrid cycle, on the CPU: row `cpu.multigrid`. The cycle: smooth by
 * columns, restrict the residual, solve on the next grid, which is coarser along x and y only, add the bilinear
 * interpolation of what it found, smooth again. The coarsest grid is one column, or one whose columns hardly feel their
 * neighbours (elliptic_coarsen.c). Sums over cells and bilinear interpolation are no transposes of each other, and both
 * ways take red columns first, so that the cycle is not symmetric: the flexible method of elliptic_krylov.c takes it.
 * Where coefficients vary, interpolation follows them, restriction is its transpose, and the way up takes colours in
 * the reverse order: across jumps the cycle has to be symmetric.
 *
 * Threads share the slabs. What a cycle does on the way down, and on the way up, are stages; a stage at a slab needs
 * the stage before at two slabs on either side. A thread takes the stages through its slabs like a wave, one a slab
 * behind the other, so that slabs are in the cache still; what lies too close to the slabs of another thread waits for
 * that thread. Every stage at a slab sees the same numbers whatever the number of threads. On the sphere slabs far away
 * are neighbours beyond a seam: there one stage follows another.
 *
 * Of a grid that is cut over ranks a coarse slab belongs to the rank of its first fine one. A level has GHOSTS slabs of
 * its neighbours beside its own, at which the stages are computed once more instead of being waited for: a cycle
 * exchanges those of f on the way down and those of u on the way up, once each. From the level on where some rank would
 * have less than LEAST_ROWS all ranks have all of it: f is gathered, and each computes what one device does. Arrays of
 * a cut level are addressed by slabs of the whole grid, of which only some are there; the weights are those of whole
 * planes. */
#include <omp.h>
#include <string.h>

#include "base/sw_err.h"
#include "comm/sw_comm.h"
#include "elliptic/elliptic_cut.h"
#include "elliptic/elliptic_host.h"
#include "elliptic/elliptic_smooth_cpu.h"
#include "elliptic/sw_elliptic_impl.h"

enum { GHOSTS = 3, GHOSTS_BY_MATRIX = 4, LEAST_ROWS = 4 };

struct level {
    const struct elliptic_grid *grid;
    const struct elliptic_slabs *slabs;  /* of a grid that is cut */
    double *own_u, *own_f;   /* of a level that is cut: from the first slab that is here on; else all of it */
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
    struct elliptic_cut cut;
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

static void restrict_at_last(const struct level *l, int64_t j, double *scratch)
{
    const struct elliptic_axis *y = &l->grid->axis[1];
    int64_t beside;
    const int64_t coarse = elliptic_around(y, j, false, 0, &beside);
    if (j + 1 == elliptic_first(y, coarse + 1))
        elliptic_restrict_slab(l->grid, l->f, l->u, coarse, l->coloured, l->coarse_f, scratch);
}

/* At the last of the slabs that make a coarse one; by the matrix one slab later, as it takes the next one, too. */
static void restrict_residual(const struct level *l, int64_t j, double *scratch)
{
    const bool by_matrix = l->grid->share[0];
    if (!by_matrix || j == l->grid->axis[1].n - 1) restrict_at_last(l, j, scratch);
    if (by_matrix && j > 0) restrict_at_last(l, j - 1, scratch);
}

static void prolong(const struct level *l, int64_t j, double *scratch)
{
    elliptic_prolong_slab(l->grid, l->coarse_u, j, l->u, scratch);
}

/* ------------------------------------------------------------------ the cycle */

/* Slabs on either side that a stage may need of the stage before. */
enum { REACH = 2, REACH_BY_MATRIX = 4 };

/* 10 us of work: a barrier costs as much. */
static bool is_small(const struct sw_elliptic_matrix *m) { return m->nx * m->ny * m->nz < 8192; }

/* A stage at slabs first .. behind - 1, of those that there are. */
static void go_over(const struct multigrid *mg, const struct level *l, stage *function, int64_t first, int64_t behind)
{
    const int64_t from = first < 0 ? 0 : first, to = behind < l->grid->matrix.ny ? behind : l->grid->matrix.ny;
#pragma omp parallel for num_threads(is_small(&l->grid->matrix) ? 1 : mg->host.threads) schedule(static)
    for (int64_t j = from; j < to; j++) function(l, j, mg->scratches + (size_t)omp_get_thread_num() * mg->scratch);
}

/* All stages at all slabs. Stage s keeps s times that reach away from those of other threads at first; on the sphere
 * each waits for the one before. */
static void go(const struct multigrid *mg, const struct level *l, stage *const stages[], int count)
{
    const struct sw_elliptic_matrix *m = &l->grid->matrix;
    const int64_t reach = l->grid->share[0] ? REACH_BY_MATRIX : REACH;
    for (int s = 0; s < count && m->panel; s++) go_over(mg, l, stages[s], 0, m->ny);
    if (m->panel) return;
#pragma omp parallel num_threads(is_small(m) ? 1 : mg->host.threads)
    {
        const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads(),
                      first = m->ny * thread / threads, behind = m->ny * (thread + 1) / threads;
        double *const scratch = mg->scratches + (size_t)thread * mg->scratch;
        for (int64_t at = first; at < behind + count; at++)
            for (int s = 0; s < count; s++)
                if (at - s >= first + s * reach && at - s < behind - s * reach) stages[s](l, at - s, scratch);
        for (int s = 1; s < count; s++) {
#pragma omp barrier
            for (int64_t j = first; j < behind; j++)
                if (j < first + s * reach || j >= behind - s * reach) stages[s](l, j, scratch);
        }
    }
}

/* The sweeps of the way up. */
static stage *const *sweeps_up(const struct level *l)
{
    static stage *const alike[] = {relax_red, relax_black}, *const symmetric[] = {relax_black, relax_red};
    return l->grid->share[0] ? symmetric : alike;
}

/* u = an approximation of A^-1 f on this level, and those below it: all of it is here. */
static void cycle(const struct multigrid *mg, int which)
{
    static stage *const down[] = {relax_first, relax_black, restrict_residual},
                 *const alone[] = {relax_first, relax_black, relax_red},
                 *const down_damped[] = {damp_first, restrict_residual},
                 *const up_damped[] = {prolong, form_residual, damp},
                 *const alone_damped[] = {damp_first, form_residual, damp};
    const struct level *l = &mg->level[which];
    stage *const *const sweeps = sweeps_up(l), *const up[] = {prolong, sweeps[0], sweeps[1]};
    if (which == mg->grids.count - 1) {
        go(mg, l, l->coloured ? alone : alone_damped, 3);
        return;
    }
    go(mg, l, l->coloured ? down : down_damped, l->coloured ? 3 : 2);
    cycle(mg, which + 1);
    go(mg, l, l->coloured ? up : up_damped, 3);
}

/* ------------------------------------------------------------------ the cycle of a grid that is cut */

static int64_t slab_words(const struct level *l) { return l->grid->matrix.nz * l->grid->matrix.nx; }

static void restrict_own(const struct multigrid *mg, const struct level *l)
{
#pragma omp parallel for num_threads(mg->host.threads) schedule(static)
    for (int64_t c = l[1].slabs->first; c < l[1].slabs->behind; c++)
        elliptic_restrict_slab(l->grid, l->f, l->u, c, l->coloured, l->coarse_f,
                               mg->scratches + (size_t)omp_get_thread_num() * mg->scratch);
}

/* The first level that is not cut: f of all ranks, then as on one device. */
static enum sw_status cycle_gathered(const struct multigrid *mg)
{
    const struct level *l = &mg->level[mg->cut.count];
    SW_TRY(elliptic_cut_gather(&mg->cut, slab_words(l), 0, l->own_f));
    cycle(mg, mg->cut.count);
    return SW_OK;
}

static enum sw_status cycle_cut(const struct multigrid *mg, int which)
{
    const struct level *l = &mg->level[which];
    const bool last = which == mg->grids.count - 1;
    if (which == mg->cut.count) return cycle_gathered(mg);
    const int64_t a = l->slabs->first, b = l->slabs->behind, ghosts = l->slabs->depth;
    SW_TRY(elliptic_cut_fetch(&mg->cut, which, slab_words(l), 0, (double *)l->f));
    if (l->coloured) {
        go_over(mg, l, relax_first, a - ghosts, b + ghosts);
        go_over(mg, l, relax_black, a - ghosts + 1, b + ghosts - 1);
    } else {
        go_over(mg, l, damp_first, a - ghosts + 1, b + ghosts - 1);
    }
    if (!last) {
        restrict_own(mg, l);
        SW_TRY(cycle_cut(mg, which + 1));
        if (which + 1 < mg->cut.count)
            SW_TRY(elliptic_cut_fetch(&mg->cut, which + 1, slab_words(l + 1), 0, l[1].u));
        go_over(mg, l, prolong, a - 2, b + 2);
    }
    if (l->coloured && last) {
        go_over(mg, l, relax_red, a, b);
    } else if (l->coloured) {
        go_over(mg, l, sweeps_up(l)[0], a - 1, b + 1);
        go_over(mg, l, sweeps_up(l)[1], a, b);
    } else {
        go_over(mg, l, form_residual, a, b);
        go_over(mg, l, damp, a, b);
    }
    return SW_OK;
}

static enum sw_status precondition_cut(const struct multigrid *mg, const double *r, double *z)
{
    const struct level *l = &mg->level[0];
    const int64_t slab = slab_words(l), first = l->slabs->first;
    const size_t bytes = (size_t)((l->slabs->behind - first) * slab) * sizeof *z;
    memcpy((double *)l->f + first * slab, r, bytes);
    SW_TRY(cycle_cut(mg, 0));
    memcpy(z, l->u + first * slab, bytes);
    return SW_OK;
}

static enum sw_status precondition(void *context, const double *r, double *z)
{
    struct multigrid *mg = context;
    if (mg->cut.comm) return precondition_cut(mg, r, z);
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

/* Slabs of this level that a rank has at least, evenly cut. */
static int64_t least_rows(const struct sw_elliptic_desc *whole, int which, int ranks)
{
    int64_t least, most;
    elliptic_rank_slabs(whole, which, ranks, &least, &most);
    return least;
}

/* The first level that is not cut: f comes from the ranks. */
static void gathered_level(const struct sw_elliptic_desc *d, const int64_t n[2], struct sw_owned *own,
                           struct multigrid *mg)
{
    struct level *l = &mg->level[mg->cut.count];
    sw_array(own, cells_of(d, n), &l->own_f);
    sw_array(own, cells_of(d, n), &l->own_u);
    l->u = l->own_u;
    l->f = l->own_f;
    if (mg->cut.sent) l[-1].coarse_f = mg->cut.sent - l->slabs->first * n[0] * d->n[2];
    l[-1].coarse_u = l->u;
}

static void cut_level(const struct sw_elliptic_desc *d, int which, const int64_t n[2], struct sw_owned *own,
                      struct multigrid *mg)
{
    struct level *l = &mg->level[which];
    const int64_t slab = n[0] * d->n[2], begin = l->slabs->first - l->slabs->depth;
    double *residual = NULL;
    if (which == mg->cut.count) {
        gathered_level(d, n, own, mg);
        return;
    }
    const size_t room = (size_t)((l->slabs->behind + l->slabs->depth - begin) * slab);
    sw_array(own, room, &l->own_u);
    sw_array(own, room, &l->own_f);
    if (!l->coloured) sw_array(own, room, &residual);
    if (!l->own_u || !l->own_f) return;
    l->u = l->own_u - begin * slab;
    l->f = l->own_f - begin * slab;
    if (residual) l->r = residual - begin * slab;
    if (!which) return;
    l[-1].coarse_f = (double *)l->f;
    l[-1].coarse_u = l->u;
}

/* How many levels are cut, and into which slabs. */
static void plan_cut(const struct sw_elliptic_desc *d, struct sw_owned *own, struct multigrid *mg)
{
    struct elliptic_cut *const c = &mg->cut;
    int64_t n[2];
    while (elliptic_grid_size(&c->desc, c->count, n)) {
        elliptic_cut_own(d, &mg->grids, c->count, c);
        if (least_rows(&c->desc, c->count, c->comm->size) < LEAST_ROWS) break;
        c->slabs[c->count++].depth = d->variable ? GHOSTS_BY_MATRIX : GHOSTS;
    }
    elliptic_cut_make(d, own, c);
}

/* Coefficients that vary may jump: transfer follows them. */
static void weigh(int which, struct sw_owned *own, struct multigrid *mg)
{
    const struct elliptic_cut *c = &mg->cut;
    const bool cut = c->comm && which < c->count;
    const struct elliptic_slabs *s = &c->slabs[which];
    if (which == mg->grids.planned - 1) return;
    elliptic_grids_weigh(&c->desc, which, cut ? s->first - s->depth : 0,
                         cut ? s->behind + s->depth : mg->grids.grid[which].axis[1].n, mg->host.threads, own,
                         &mg->grids);
}

static void make_levels(const struct sw_elliptic_desc *d, struct sw_owned *own, struct multigrid *mg)
{
    const struct elliptic_cut *c = &mg->cut;
    int64_t n[2];
    elliptic_grids_make(&c->desc, own, &mg->grids);
    if (c->comm) plan_cut(d, own, mg);
    for (int g = 0; elliptic_grid_size(&c->desc, g, n); g++) {
        struct level *l = &mg->level[g];
        const size_t cells = cells_of(d, n);
        l->grid = &mg->grids.grid[g];
        l->coloured = !d->full && elliptic_grid_has_colours(&c->desc, g, n);
        l->slabs = &c->slabs[g];
        if (d->variable) weigh(g, own, mg);
        if (c->comm && g <= c->count) cut_level(d, g, n, own, mg);
        if (c->comm && g < c->count) continue;
        if (g && !(c->comm && g == c->count)) {
            sw_array(own, cells, &l[-1].coarse_f);
            sw_array(own, cells, &l->u);
            l->f = l[-1].coarse_f;
            l[-1].coarse_u = l->u;
        }
        if (!l->coloured) sw_array(own, cells, &l->r);
    }
}

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (!d->cut.comm) return NULL;
    if (d->sides[1] == SW_ELLIPTIC_PERIODIC) return "it cuts grids with walls only";
    if (d->cut.whole / d->cut.comm->size < LEAST_ROWS) return "it cuts grids into slabs of 4 rows or more only";
    return NULL;
}

/* On the sphere the coarsest panels, of an odd number of cells along a side, are smoothed only. Conjugate gradients are
 * as fast where that is 25, and faster beyond it (2 cores, `full`, 16 levels). */
static bool slower(const struct sw_elliptic_desc *d)
{
    int64_t odd = d->n[0];
    while (odd % 2 == 0) odd /= 2;
    return sw_elliptic_is_sphere(d) && odd > 25;
}

static void destroy(struct sw_elliptic *s) { elliptic_cut_free(&((struct multigrid *)s->own)->cut); }

static void arrays(struct sw_elliptic *s)
{
    struct multigrid *mg = s->own;
    elliptic_host_make(&s->desc, s->device->threads, 4, &s->arrays, &mg->host);
    elliptic_cut_begin(&s->desc, s->device, &mg->cut);
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
    const struct sw_elliptic_numbers *numbers =
        elliptic_host_begin(&mg->host, &s->matrix[system], &s->numbers[system]);
    if (mg->cut.comm)
        SW_TRY(elliptic_cut_load(&mg->cut, &mg->grids, &s->numbers[system], &s->matrix[system], mg->host.threads));
    else elliptic_grids_load(&mg->grids, &s->matrix[system], mg->host.threads);
    return elliptic_pcg(&space, numbers, f, u, outcome, history, most);
}

/* Of an iteration. On the finest grid the way down reads f and writes u, the way up reads f and u and writes u: 5
 * words; the residual of the red columns is in the cache still. A sweep solves for each column once, 13 + 8 operations
 * and a division a cell; the residual takes 4, bilinear interpolation 5. Damped, a sweep is A u and M^-1 r, and the way
 * up writes a residual. Grids of a fourth of the cells each add a third. Conjugate gradients: A p 2, two dot products
 * 3, u and p 5, r 3. */
static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    const bool coloured = !d->full && elliptic_grid_has_colours(d, 0, d->n);
    const double words = coloured ? 5 : 6,
                 work = coloured ? 2 * 22 + 4 + 5 : 2 * (14 + 2) + 2 * (d->full ? 41 : 25) + 5;
    return (struct sw_cost){(words * 4 / 3 + 13) * sizeof(double), work * 4 / 3 + (d->full ? 40 : 24) + 2 * 6};
}

extern const struct sw_elliptic_ops elliptic_multigrid_cpu;
const struct sw_elliptic_ops elliptic_multigrid_cpu = {
    .name = "cpu.multigrid",
    .about = "conjugate gradients, preconditioned by multigrid: horizontally coarser grids, columns as smoother",
    .space = SW_HOST,
    .cuts = true,
    .spheres = true,
    .refuse = refuse,
    .slower = slower,
    .own_size = sizeof(struct multigrid),
    .arrays = arrays,
    .solve_one = solve_one,
    .destroy = destroy,
    .cost = cost,
    .falls_back = "cpu.pcg",
    .fast = true,
};
