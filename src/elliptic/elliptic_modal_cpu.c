/* Vertical modes on the CPU: row `cpu.modal`. An iteration corrects u by what all modes make of its residual,
 *
 *     g = X^T r          slab by slab, 2 nz operations a cell
 *     (Lh + lambda_m area) w_m = g_m     for each mode, a mode a thread (elliptic_plane_cpu.c)
 *     u += X w           as g
 *
 * and one iteration is enough but where rounding leaves more than the tolerance. Only the lowest modes take many steps
 * in the plane: lambda grows with the square of the mode.
 *
 * How small the modes' residuals have to be. r = D X s where s_m is that of mode m, so that |r|² = sum of g_m |s_m|²,
 * g_m = sum over k of (d_k X_km)², but for products of different modes, which half the tolerance is left for. The rest
 * is shared out by the condition numbers of the modes: a share costs a slow mode more steps than a fast one. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "elliptic/elliptic_host.h"
#include "elliptic/elliptic_modes.h"
#include "elliptic/elliptic_plane_cpu.h"
#include "elliptic/elliptic_transform_cpu.h"
#include "elliptic/sw_elliptic_impl.h"

/* The least part of a residual that one iteration leaves: rounding leaves more, or nearly so. */
static const double LEAST_PART = 1e-13;

/* The modes of one set of vertical vectors, ready to multiply with. */
struct vertical {
    bool    found, used;     /* of systems loaded now */
    double *numbers;         /* [4][nz]: a, b, c, d */
    double *lambda, *weight; /* [nz]; g_m */
    double *to_modes, *to_levels;  /* packed */
};

struct modal {
    struct elliptic_host host;
    struct elliptic_modes modes;
    struct elliptic_plane *plane;     /* [threads] */
    double *scratch;                  /* [threads][elliptic_transform_scratch()] */
    double *residual, *in_modes;      /* [ny][nz][nx]; [nz][ny][nx] */
    double *share;                    /* [nz] */
    struct elliptic_plane_outcome *outcome;  /* [nz] */
    struct vertical *vertical;        /* [batch] */
    int    *vertical_of;              /* [batch]: of a system that is loaded */
    int     threads;
    const struct vertical *now;       /* of the system at hand */
};

static const char *refuse(const struct sw_elliptic_desc *d)
{
    return d->variable ? "it needs coefficients that are the same everywhere" : NULL;
}

/* Words of a struct vertical. */
static size_t vertical_words(int64_t nz) { return 6 * (size_t)nz + 2 * elliptic_packed_words(nz); }

static size_t bytes(const struct sw_elliptic_desc *d)
{
    const size_t threads = (size_t)omp_get_max_threads(), nz = (size_t)d->n[2], batch = (size_t)d->batch;
    return elliptic_host_bytes(d) + elliptic_modes_bytes(d->n[2]) +
           threads * (sizeof(struct elliptic_plane) + elliptic_plane_bytes(d) +
                      elliptic_transform_scratch(d->n[2]) * sizeof(double)) +
           2 * sw_elliptic_cells(d) * sizeof(double) + nz * (sizeof(double) + sizeof(struct elliptic_plane_outcome)) +
           batch * (sizeof(struct vertical) + sizeof(int) + vertical_words(d->n[2]) * sizeof(double));
}

static void destroy(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    if (!p) return;
    elliptic_host_free(&p->host);
    elliptic_modes_free(&p->modes);
    for (int t = 0; p->plane && t < p->threads; t++) elliptic_plane_free(&p->plane[t]);
    for (int j = 0; p->vertical && j < s->desc.batch; j++) sw_free(p->vertical[j].to_modes);
    sw_free(p->plane);
    sw_free(p->scratch);
    sw_free(p->residual);
    sw_free(p->in_modes);
    sw_free(p->share);
    sw_free(p->outcome);
    sw_free(p->vertical);
    sw_free(p->vertical_of);
    sw_free(p);
}

static enum sw_status make_vertical(int64_t nz, struct vertical *v)
{
    const size_t packed = elliptic_packed_words(nz);
    double *block = NULL;
    SW_TRY(sw_alloc(vertical_words(nz), &block));
    v->to_modes = block;
    v->to_levels = block + packed;
    v->numbers = v->to_levels + packed;
    v->lambda = v->numbers + 4 * nz;
    v->weight = v->lambda + nz;
    return SW_OK;
}

static enum sw_status create(struct sw_elliptic *s)
{
    const struct sw_elliptic_desc *d = &s->desc;
    const size_t nz = (size_t)d->n[2];
    struct modal *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    p->threads = s->device->threads;
    SW_TRY(elliptic_host_make(d, p->threads, &p->host));
    SW_TRY(elliptic_modes_make(d->n[2], &p->modes));
    SW_TRY(sw_alloc((size_t)p->threads, &p->plane));
    for (int t = 0; t < p->threads; t++) SW_TRY(elliptic_plane_make(d, &p->plane[t]));
    SW_TRY(sw_alloc((size_t)p->threads * elliptic_transform_scratch(d->n[2]), &p->scratch));
    SW_TRY(sw_alloc(sw_elliptic_cells(d), &p->residual));
    SW_TRY(sw_alloc(sw_elliptic_cells(d), &p->in_modes));
    SW_TRY(sw_alloc(nz, &p->share));
    SW_TRY(sw_alloc(nz, &p->outcome));
    SW_TRY(sw_alloc((size_t)d->batch, &p->vertical));
    for (int j = 0; j < d->batch; j++) SW_TRY(make_vertical(d->n[2], &p->vertical[j]));
    return sw_alloc((size_t)d->batch, &p->vertical_of);
}

/* ------------------------------------------------------------------ modes of the systems */

static bool has_numbers(const struct vertical *v, const struct sw_elliptic_matrix *m)
{
    const double *const vectors[] = {m->a, m->b, m->c, m->d};
    bool same = v->found;
    for (int k = 0; same && k < 4; k++)
        same = memcmp(v->numbers + k * m->nz, vectors[k], (size_t)m->nz * sizeof(double)) == 0;
    return same;
}

static int find_vertical(const struct modal *p, int batch, const struct sw_elliptic_matrix *m)
{
    for (int v = 0; v < batch; v++)
        if (has_numbers(&p->vertical[v], m)) return v;
    return -1;
}

static void fill_vertical(struct modal *p, const struct sw_elliptic_matrix *m, struct vertical *v)
{
    const double *const vectors[] = {m->a, m->b, m->c, m->d};
    const int64_t nz = m->nz;
    const double *x = p->modes.x;
    elliptic_modes_find(&p->modes, m, p->threads);
    for (int k = 0; k < 4; k++) memcpy(v->numbers + k * nz, vectors[k], (size_t)nz * sizeof(double));
    memcpy(v->lambda, p->modes.lambda, (size_t)nz * sizeof(double));
    for (int64_t i = 0; i < nz; i++) v->weight[i] = 0;
    for (int64_t k = 0; k < nz; k++)
        for (int64_t i = 0; i < nz; i++) v->weight[i] += (m->d[k] * x[k * nz + i]) * (m->d[k] * x[k * nz + i]);
    elliptic_pack(nz, x, true, v->to_modes);
    elliptic_pack(nz, x, false, v->to_levels);
    v->found = true;
}

/* Systems with the same vertical vectors share their modes, which stay for later systems as long as there is room. */
static enum sw_status load(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    for (int v = 0; v < s->desc.batch; v++) p->vertical[v].used = false;
    for (int j = 0; j < s->count; j++) {
        p->vertical_of[j] = find_vertical(p, s->desc.batch, &s->matrix[j]);
        if (p->vertical_of[j] >= 0) p->vertical[p->vertical_of[j]].used = true;
    }
    for (int j = 0, free = 0; j < s->count; j++) {
        if (p->vertical_of[j] >= 0) continue;
        p->vertical_of[j] = find_vertical(p, s->desc.batch, &s->matrix[j]);
        if (p->vertical_of[j] >= 0) continue;
        while (p->vertical[free].used) free++;
        fill_vertical(p, &s->matrix[j], &p->vertical[free]);
        p->vertical[free].used = true;
        p->vertical_of[j] = free;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ an iteration */

static double *scratch(const struct modal *p, int64_t nz)
{
    return p->scratch + (size_t)omp_get_thread_num() * elliptic_transform_scratch(nz);
}

static void to_modes(const struct modal *p, const struct sw_elliptic_matrix *m)
{
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz;
#pragma omp parallel for num_threads(p->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++)
        elliptic_multiply(nz, nx, p->now->to_modes, p->residual + j * nz * nx, nx, p->in_modes + j * nx, ny * nx, false,
                          scratch(p, nz));
}

static void add_levels(const struct modal *p, const struct sw_elliptic_matrix *m, double *u)
{
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz;
#pragma omp parallel for num_threads(p->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++)
        elliptic_multiply(nz, nx, p->now->to_levels, p->in_modes + j * nx, ny * nx, u + j * nz * nx, nx, true,
                          scratch(p, nz));
}

/* Shares of the square of the residual, 1 in all. */
static void share_out(const struct modal *p, const struct sw_elliptic_matrix *m)
{
    double all = 0;
    for (int64_t i = 0; i < m->nz; i++) all += p->share[i] = elliptic_plane_hardness(m, p->now->lambda[i]);
    for (int64_t i = 0; i < m->nz; i++) p->share[i] /= all;
}

static enum sw_status correct(void *context, struct elliptic_way *way, double *u)
{
    struct modal *p = context;
    const struct sw_elliptic_matrix *m = p->host.matrix;
    const double goal = fmax(0.5 * way->numbers->tolerance * way->norm_f, LEAST_PART * sqrt(way->rr));
    if (way->outcome->iterations >= way->numbers->iterations) return SW_OK;
    to_modes(p, m);
    share_out(p, m);
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (int64_t i = 0; i < m->nz; i++)  /* the slowest first */
        p->outcome[i] = elliptic_plane_solve(m, p->now->lambda[i], goal * sqrt(p->share[i] / p->now->weight[i]),
                                             &p->plane[omp_get_thread_num()], p->in_modes + i * m->ny * m->nx);
    add_levels(p, m, u);
    way->rr = 0;
    for (int64_t i = 0; i < m->nz; i++) {
        if (elliptic_breaks(way, p->outcome[i].pq)) return SW_OK;
        way->rr += p->now->weight[i] * p->outcome[i].residual * p->outcome[i].residual;
    }
    elliptic_record(way);
    return SW_OK;
}

static enum sw_status solve(struct sw_elliptic *s, const double *f, double *u, struct sw_elliptic_outcome *outcome,
                            double *history, int most)
{
    struct modal *p = s->own;
    const size_t cells = sw_elliptic_cells(&s->desc);
    struct elliptic_space space = elliptic_host_space(&p->host);
    space.work[0] = p->residual;
    for (int j = 0; j < s->count; j++) {
        p->host.matrix = &s->matrix[j];
        p->now = &p->vertical[p->vertical_of[j]];
        SW_TRY(elliptic_refine(&space, &s->numbers[j], f + (size_t)j * cells, u + (size_t)j * cells, &outcome[j],
                               history ? history + (size_t)j * (size_t)(most + 1) : NULL, most, correct, p));
    }
    return SW_OK;
}

extern const struct sw_elliptic_ops elliptic_modal_cpu;
const struct sw_elliptic_ops elliptic_modal_cpu = {
    .name = "cpu.modal",
    .about = "vertical modes: a problem in the plane for each, by conjugate gradients; an iteration solves all",
    .space = SW_HOST,
    .refuse = refuse,
    .bytes = bytes,
    .create = create,
    .load = load,
    .solve = solve,
    .destroy = destroy,
};
