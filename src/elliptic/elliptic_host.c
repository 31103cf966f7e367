#include "elliptic/elliptic_host.h"

#include <omp.h>
#include <string.h>

#include "comm/sw_comm.h"
#include "elliptic/sw_elliptic_impl.h"

static size_t scratch_of(const struct sw_elliptic_desc *d)
{
    const struct sw_elliptic_matrix shape = {.nx = d->n[0], .ny = d->n[1], .nz = d->n[2]};
    return (elliptic_scratch(&shape) + 7) / 8 * 8;  /* whole cache lines */
}

void elliptic_host_make(const struct sw_elliptic_desc *d, int threads, int vectors, struct sw_owned *own,
                        struct elliptic_host *h)
{
    *h = (struct elliptic_host){.threads = threads, .scratch = scratch_of(d), .cells = sw_elliptic_cells(d),
                                .vectors = vectors};
    elliptic_ranks_make(d, own, &h->ranks);
    sw_array(own, (size_t)threads * h->scratch, &h->scratches);
    sw_array(own, (size_t)vectors * h->cells, &h->work);
    sw_array(own, 3 * (size_t)d->n[1], &h->sums);
    for (int k = 0; k < 2 && d->cut.comm; k++) sw_array(own, (size_t)d->n[0] * (size_t)d->n[2], &h->beside[k]);
#ifdef ELLIPTIC_SINGLE
    h->judge = elliptic_judge_make(d, threads, own);
    sw_array(own, numbers_of(d), &h->numbers);
    sw_array(own, h->cells, &h->u);
#endif
}

const struct sw_elliptic_numbers *elliptic_host_begin(struct elliptic_host *h, const struct sw_elliptic_matrix *matrix,
                                                      const struct sw_elliptic_numbers *numbers)
{
    h->matrix = matrix;
    return elliptic_ranks_begin(&h->ranks, 1, numbers);
}

real *elliptic_host_scratch(const struct elliptic_host *h)
{
    return h->scratches + (size_t)omp_get_thread_num() * h->scratch;
}

static size_t slab(const struct sw_elliptic_matrix *m) { return (size_t)m->nx * (size_t)m->nz; }

/* Begin to fetch what lies beside the ends of u. */
static enum sw_status fetch(const struct elliptic_host *h, const real *u)
{
#ifdef ELLIPTIC_SINGLE
    (void)h, (void)u;  /* grids that are cut are solved in double */
    return SW_OK;
#else
    const struct sw_elliptic_matrix *m = h->matrix;
    const size_t count = slab(m);
    const struct sw_comm_transfer leftward = {count, u, h->beside[1]},
                                  rightward = {count, u + (size_t)(m->ny - 1) * count, h->beside[0]};
    return sw_comm_exchange_begin(h->ranks.comm, h->ranks.periodic, &leftward, &rightward);
#endif
}

/* What has been fetched. */
static struct elliptic_beside ends_of(const struct elliptic_host *h, const real *u)
{
    if (!h->ranks.comm) return elliptic_own_ends(h->matrix, u);
    return (struct elliptic_beside){.south = sw_comm_left(h->ranks.comm, h->ranks.periodic) < 0 ? NULL : h->beside[0],
                                    .north = sw_comm_right(h->ranks.comm, h->ranks.periodic) < 0 ? NULL : h->beside[1]};
}

/* Slabs first, first + step .. below `behind`. */
static void some_slabs(const struct elliptic_host *h, int64_t first, int64_t behind, int64_t step,
                       struct elliptic_beside ends, elliptic_slab_function *function, const void *own)
{
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t j = first; j < behind; j += step) function(own, ends, j);
}

enum sw_status elliptic_host_slabs(const struct elliptic_host *h, const real *u, elliptic_slab_function *function,
                                   const void *own)
{
    const int64_t ny = h->matrix->ny;
    const struct elliptic_beside ends = ends_of(h, u);
    if (!h->ranks.comm) {
        some_slabs(h, 0, ny, 1, ends, function, own);
        return SW_OK;
    }
    SW_TRY(fetch(h, u));
    some_slabs(h, 1, ny - 1, 1, ends, function, own);
    SW_TRY(sw_comm_exchange_end(h->ranks.comm));
    some_slabs(h, 0, ny, ny > 1 ? ny - 1 : 1, ends, function, own);
    return SW_OK;
}

void elliptic_host_slabs_again(const struct elliptic_host *h, const real *u, elliptic_slab_function *function,
                               const void *own)
{
    some_slabs(h, 0, h->matrix->ny, 1, ends_of(h, u), function, own);
}

struct product { const struct elliptic_host *host; const real *x; real *y; };

static void apply_slab(const void *own, struct elliptic_beside ends, int64_t j)
{
    const struct product *p = own;
    const struct elliptic_host *h = p->host;
    elliptic_apply_slab(h->matrix, p->x, ends, j, p->y + (size_t)j * slab(h->matrix), elliptic_host_scratch(h));
}

static enum sw_status apply(void *context, const real *x, real *y)
{
    const struct product product = {context, x, y};
    return elliptic_host_slabs(context, x, apply_slab, &product);
}

static enum sw_status precondition(void *context, const real *r, real *z)
{
    const struct elliptic_host *h = context;
    const struct sw_elliptic_matrix *m = h->matrix;
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t j = 0; j < m->ny; j++)
        elliptic_precondition_slab(m, j, r + (size_t)j * slab(m), z + (size_t)j * slab(m), elliptic_host_scratch(h));
    return SW_OK;
}

static double pairwise(const double *x, int64_t count)
{
    if (count <= 8) {
        double sum = x[0];
        for (int64_t k = 1; k < count; k++) sum += x[k];
        return sum;
    }
    return pairwise(x, count / 2) + pairwise(x + count / 2, count - count / 2);
}

enum sw_status elliptic_host_sums(struct elliptic_host *h, int first, int count, double *sum)
{
    for (int k = 0; k < count; k++) sum[k] = pairwise(h->sums + (first + k) * h->matrix->ny, h->matrix->ny);
    return elliptic_ranks_sum(&h->ranks, count, sum);
}

/* ------------------------------------------------------------------ as a space */

static enum sw_status dot(void *context, const real *x, const real *y, double *sum)
{
    struct elliptic_host *h = context;
    const size_t length = slab(h->matrix);
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t j = 0; j < h->matrix->ny; j++) {
        struct elliptic_lanes own = {{0}};
        elliptic_add_products(&own, x + (size_t)j * length, y + (size_t)j * length, (int64_t)length);
        h->sums[j] = elliptic_sum_of(&own);
    }
    return elliptic_host_sums(h, 0, 1, sum);
}

static enum sw_status combine(void *context, double by_alpha, const real *x, double by_beta, real *y)
{
    const real alpha = (real)by_alpha, beta = (real)by_beta;
    const struct elliptic_host *h = context;
    const size_t length = slab(h->matrix);
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t j = 0; j < h->matrix->ny; j++) {
        const real *from = x + (size_t)j * length;
        real *to = y + (size_t)j * length;
        if (alpha == 0 && beta == 0) memset(to, 0, length * sizeof *to);
        else if (beta == 0) for (size_t i = 0; i < length; i++) to[i] = alpha * from[i];
        else if (beta == 1) for (size_t i = 0; i < length; i++) to[i] += alpha * from[i];
        else for (size_t i = 0; i < length; i++) to[i] = alpha * from[i] + beta * to[i];
    }
    return SW_OK;
}

struct elliptic_space elliptic_host_space(struct elliptic_host *h)
{
    struct elliptic_space space = {.context = h, .systems = 1, .apply = apply, .precondition = precondition, .dot = dot,
                                   .combine = combine};
    for (int k = 0; k < h->vectors; k++) space.work[k] = h->work + (size_t)k * h->cells;
    return space;
}

/* ------------------------------------------------------------------ several things in one pass */

static void apply_and_dot_slab(const void *own, struct elliptic_beside ends, int64_t j)
{
    const struct product *p = own;
    const struct elliptic_host *h = p->host;
    const struct sw_elliptic_matrix *m = h->matrix;
    struct elliptic_lanes sum = {{0}};
    for (int64_t k = 0; k < m->nz; k++) {
        const int64_t at = (j * m->nz + k) * m->nx;
        elliptic_apply_row(m, p->x, ends, j, k, p->y + at, elliptic_host_scratch(h));
        elliptic_add_products(&sum, p->x + at, p->y + at, m->nx);
    }
    h->sums[j] = elliptic_sum_of(&sum);
}

static enum sw_status apply_and_dot(void *context, const real *x, real *y, double *sum)
{
    const struct product product = {context, x, y};
    SW_TRY(elliptic_host_slabs(context, x, apply_and_dot_slab, &product));
    return elliptic_host_sums(context, 0, 1, sum);
}

enum { PIECE = 512 };  /* words: what is done with them twice is in the first-level cache the second time */

static enum sw_status two_dots(void *context, const real *x, const real *y, const real *z, double sum[2])
{
    struct elliptic_host *h = context;
    const int64_t ny = h->matrix->ny, length = (int64_t)slab(h->matrix);
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++) {
        struct elliptic_lanes first = {{0}}, second = {{0}};
        for (int64_t i = 0; i < length; i += PIECE) {
            const int64_t at = j * length + i, count = length - i < PIECE ? length - i : PIECE;
            elliptic_add_products(&first, x + at, z + at, count);
            elliptic_add_products(&second, y + at, z + at, count);
        }
        h->sums[j] = elliptic_sum_of(&first);
        h->sums[ny + j] = elliptic_sum_of(&second);
    }
    return elliptic_host_sums(h, 0, 2, sum);
}

static enum sw_status add_and_square(void *context, double by_alpha, const real *x, real *y, double *sum)
{
    const real alpha = (real)by_alpha;
    struct elliptic_host *h = context;
    const int64_t ny = h->matrix->ny, length = (int64_t)slab(h->matrix);
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++) {
        struct elliptic_lanes own = {{0}};
        for (int64_t i = 0; i < length; i += PIECE) {
            const int64_t at = j * length + i, count = length - i < PIECE ? length - i : PIECE;
            const real *restrict from = x + at;
            real *restrict to = y + at;
            for (int64_t c = 0; c < count; c++) to[c] += alpha * from[c];
            elliptic_add_products(&own, to, to, count);
        }
        h->sums[j] = elliptic_sum_of(&own);
    }
    return elliptic_host_sums(h, 0, 1, sum);
}

static enum sw_status advance(void *context, double by_alpha, real *u, const real *z, double by_beta, real *p)
{
    const real alpha = (real)by_alpha, beta = (real)by_beta;
    const struct elliptic_host *h = context;
    const size_t length = slab(h->matrix);
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t j = 0; j < h->matrix->ny; j++) {
        real *restrict to = u + (size_t)j * length, *restrict direction = p + (size_t)j * length;
        const real *restrict from = z + (size_t)j * length;
        for (size_t i = 0; i < length; i++) {
            to[i] += alpha * direction[i];
            direction[i] = from[i] + beta * direction[i];
        }
    }
    return SW_OK;
}

const struct elliptic_fused elliptic_host_fused = {apply_and_dot, two_dots, add_and_square, advance};

/* ------------------------------------------------------------------ a solve */

#ifndef ELLIPTIC_SINGLE
struct solve { elliptic_host_method *method; void *context; };

static enum sw_status iterate(void *context, struct elliptic_pass *pass, double *u)
{
    const struct solve *s = context;
    return s->method(s->context, pass->way, u);
}

enum sw_status elliptic_host_solve(struct elliptic_host *h, const struct sw_elliptic *solver, int system,
                                   const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                                   int most, elliptic_host_method *method, void *context)
{
    struct solve solve = {method, context};
    const struct elliptic_space space = elliptic_host_space(h);
    const struct sw_elliptic_numbers *numbers =
        elliptic_host_begin(h, &solver->matrix[system], &solver->numbers[system]);
    return elliptic_refine(&space, numbers, f, u, outcome, history, most, iterate, &solve);
}
#endif
