/* Vertical modes on the CPU (elliptic_modal.h): row `cpu.modal`. g = X^T r and u += X w go slab by slab, 2 nz
 * operations a cell, and the problems in the plane a mode a thread (elliptic_plane_cpu.c). Only the lowest modes take
 * many steps there: lambda grows with the square of the mode. The problem of a mode is an elliptic one of a single
 * level: if it takes very many steps `cpu.multigrid` solves it, with all threads. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_err.h"
#include "comm/sw_comm.h"
#include "elliptic/elliptic_cells_cpu.h"
#include "elliptic/elliptic_host.h"
#include "elliptic/elliptic_modal.h"
#include "elliptic/elliptic_plane_cpu.h"
#include "elliptic/elliptic_transform_cpu.h"
#include "elliptic/sw_elliptic_impl.h"

/* Steps in the plane that cost more than multigrid does: it takes what some 120 of them do, whatever lambda is. */
static const double MANY_STEPS = 150;
enum { CYCLES = 40 };  /* of multigrid at most; 5 to 12 are usual */

extern const struct sw_elliptic_ops elliptic_multigrid_cpu;

/* The modes of one set of vertical vectors, packed to multiply with. */
struct packed { double *to_modes, *to_levels; };

/* What threads work with that solve a system together. */
struct team {
    int     threads;
    struct elliptic_host host;
    struct elliptic_modes modes;
    struct elliptic_plane *plane;     /* [threads] */
    double *scratch;                  /* [threads][elliptic_transform_scratch()] */
    double *in_modes;                 /* [nz][ny][nx]; the residual is in host.work */
    double *planes;                   /* [modes of this rank][rows of the whole grid][nx]; not cut: in_modes */
    double *hardness, *share;         /* [nz] each */
    struct elliptic_plane_outcome *outcome;  /* [nz] */
    struct sw_device device;          /* of so many threads */
    struct sw_elliptic *multigrid;    /* of one level */
    const struct elliptic_vertical *now;  /* of the system at hand */
    const struct packed *packed;      /* likewise */
    struct elliptic_modal_cut cut;
    double *arrived;                  /* of a grid that is cut: planes, as the all-to-all brings and takes them */
};

struct modal {
    int     teams;             /* of one thread each; 0: there are too few systems, or they are large */
    struct team all, *team;    /* all threads; [teams] */
    struct elliptic_verticals set;
    struct packed *packed;     /* [batch]: of set.vertical */
};

static const char *refuse(const struct sw_elliptic_desc *d)
{
    return d->variable ? "it needs coefficients that are the same everywhere" : NULL;
}

/* A thread a system wastes no time in waiting for others, and costs two more fields a thread. Large systems keep all
 * threads busy, unless they have too few modes for them. */
static const size_t SMALL = 1 << 20;  /* cells */

static int teams_of(const struct sw_elliptic_desc *d, int threads)
{
    const bool better = sw_elliptic_cells(d) <= SMALL || d->n[2] < 2 * (int64_t)threads;
    return threads > 1 && d->batch >= threads && better && !d->cut.comm ? threads : 0;
}

static struct sw_elliptic_desc plane_of(const struct sw_elliptic_desc *d)
{
    struct sw_elliptic_desc plane = elliptic_modal_planes(d);
    plane.n[2] = 1;
    plane.batch = 1;
    return plane;
}

/* Of a team's solver of one level. */
static size_t multigrid_bytes(const struct sw_elliptic_desc *d, const struct sw_device *device, int threads)
{
    const struct sw_elliptic_desc plane = plane_of(d);
    struct sw_device some = *device;
    size_t bytes = 0;
    some.threads = threads;
    (void)sw_elliptic_bytes(&plane, elliptic_multigrid_cpu.name, &some, &bytes);
    return bytes;
}

static size_t other_bytes(const struct sw_elliptic_desc *d, const struct sw_device *device)
{
    return multigrid_bytes(d, device, device->threads) +
           (size_t)teams_of(d, device->threads) * multigrid_bytes(d, device, 1);
}

static void team_arrays(const struct sw_elliptic_desc *d, int threads, struct sw_owned *own, struct team *t)
{
    const struct sw_elliptic_desc plane = plane_of(d);
    struct elliptic_plane none;
    t->threads = threads;
    elliptic_host_make(d, threads, 1, own, &t->host);
    elliptic_modes_make(d->n[2], own, &t->modes);
    sw_array(own, (size_t)threads, &t->plane);
    for (int k = 0; k < threads; k++) elliptic_plane_make(&plane, own, t->plane ? &t->plane[k] : &none);
    sw_array(own, (size_t)threads * elliptic_transform_scratch(d->n[2]), &t->scratch);
    sw_array(own, sw_elliptic_cells(d), &t->in_modes);
    sw_array(own, (size_t)d->n[2], &t->hardness);
    sw_array(own, (size_t)d->n[2], &t->share);
    sw_array(own, (size_t)d->n[2], &t->outcome);
    elliptic_modal_cut_make(d, own, &t->cut);
    const size_t planes = t->cut.comm ? (size_t)(t->cut.modes * d->n[0] * d->cut.whole) : 0;
    t->planes = t->in_modes;
    if (t->cut.comm) sw_array(own, planes, &t->planes);
    if (t->cut.comm) sw_array(own, planes, &t->arrived);
}

static void arrays(struct sw_elliptic *s)
{
    const struct sw_elliptic_desc *d = &s->desc;
    struct sw_owned *own = &s->arrays;
    struct modal *p = s->own;
    struct team no_team = {0};
    struct packed nothing;
    p->teams = teams_of(d, s->device->threads);
    team_arrays(d, s->device->threads, own, &p->all);
    sw_array(own, (size_t)p->teams, &p->team);
    for (int t = 0; t < p->teams; t++) team_arrays(d, 1, own, p->team ? &p->team[t] : &no_team);
    elliptic_verticals_make(d->n[2], d->batch, own, &p->set);
    sw_array(own, (size_t)d->batch, &p->packed);
    for (int j = 0; j < d->batch; j++) {
        struct packed *packed = p->packed ? &p->packed[j] : &nothing;
        sw_array(own, elliptic_packed_words(d->n[2]), &packed->to_modes);
        sw_array(own, elliptic_packed_words(d->n[2]), &packed->to_levels);
    }
}

static enum sw_status create_multigrid(const struct sw_elliptic *s, struct team *t)
{
    const struct sw_elliptic_desc plane = plane_of(&s->desc);
    t->device = *s->device;
    t->device.threads = t->threads;
    return sw_elliptic_create(&plane, elliptic_multigrid_cpu.name, &t->device, &t->multigrid);
}

static enum sw_status create(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    SW_TRY(create_multigrid(s, &p->all));
    for (int t = 0; t < p->teams; t++) SW_TRY(create_multigrid(s, &p->team[t]));
    return SW_OK;
}

static void destroy(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    sw_elliptic_destroy(&p->all.multigrid);
    sw_elliptic_matrix_free(&p->all.cut.plane);
    for (int t = 0; p->team && t < p->teams; t++) sw_elliptic_destroy(&p->team[t].multigrid);
}

typedef enum sw_status team_task(void *context, struct team *team, int system);

/* A task for each of count systems: as many rounds of a team a system as come out even, the others by all threads. */
static enum sw_status for_systems(struct modal *p, int count, team_task *task, void *context)
{
    struct sw_err_kept kept = {0};
    const int apart = p->teams ? count / p->teams * p->teams : 0;
#pragma omp parallel for num_threads(p->teams > 0 ? p->teams : 1) schedule(dynamic) if (apart > 0)
    for (int j = 0; j < apart; j++) {
        const enum sw_status st = task(context, &p->team[omp_get_thread_num()], j);
#pragma omp critical(elliptic_modal)
        sw_err_keep(&kept, st);
    }
    for (int j = apart; j < count && !kept.status; j++) sw_err_keep(&kept, task(context, &p->all, j));
    return sw_err_raise(&kept);
}

/* One of what is due, by a team. */
static enum sw_status find_modes(void *context, struct team *t, int due)
{
    const struct sw_elliptic *s = context;
    struct modal *p = s->own;
    const int v = elliptic_vertical_find(&p->set, due, s->matrix, &t->modes, t->threads);
    elliptic_modal_order(&t->cut, p->set.nz, t->modes.x);
    elliptic_pack(p->set.nz, t->modes.x, true, p->packed[v].to_modes);
    elliptic_pack(p->set.nz, t->modes.x, false, p->packed[v].to_levels);
    return SW_OK;
}

static enum sw_status load(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    if (s->count) SW_TRY(elliptic_modal_cut_load(&s->desc, &s->numbers[0], &p->all.cut));
    return for_systems(p, elliptic_verticals_load(&p->set, s->count, s->matrix), find_modes, s);
}

/* ------------------------------------------------------------------ an iteration */

static double *scratch(const struct team *t, int64_t nz)
{
    return t->scratch + (size_t)omp_get_thread_num() * elliptic_transform_scratch(nz);
}

static void to_modes(const struct team *t, const struct sw_elliptic_matrix *m)
{
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz;
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++)
        elliptic_multiply(nz, nx, t->packed->to_modes, t->host.work + j * nz * nx, nx, t->in_modes + j * nx, ny * nx,
                          false, scratch(t, nz));
}

static void add_levels(const struct team *t, const struct sw_elliptic_matrix *m, double *u)
{
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz;
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++)
        elliptic_multiply(nz, nx, t->packed->to_levels, t->in_modes + j * nx, ny * nx, u + j * nz * nx, nx, true,
                          scratch(t, nz));
}

/* Between the whole planes of this rank's modes and the slabs of them that ranks have. */
static void order_by_slabs(const struct team *t, bool back)
{
    const struct elliptic_modal_cut *c = &t->cut;
    const int64_t nx = c->plane.nx, plane = c->plane.ny * nx;
    double *at = t->arrived;
    for (int r = 0; r < c->comm->size; r++) {
        const int64_t rows = c->first[r + 1] - c->first[r];
        for (int64_t k = 0; k < c->modes; k++, at += rows * nx) {
            double *const slab = t->planes + k * plane + c->first[r] * nx;
            if (back) memcpy(at, slab, (size_t)(rows * nx) * sizeof *at);
            else memcpy(slab, at, (size_t)(rows * nx) * sizeof *at);
        }
    }
}

/* g to the ranks of its modes. */
static enum sw_status send_modes(struct team *t, const struct sw_elliptic_matrix *m)
{
    struct elliptic_modal_cut *c = &t->cut;
    if (!c->comm) return SW_OK;
    elliptic_modal_count(c, m->nz, m->ny, m->nx);
    SW_TRY(sw_comm_all_to_all(c->comm, c->with_rows, t->in_modes, c->with_modes, t->arrived));
    order_by_slabs(t, false);
    return SW_OK;
}

/* w back to the ranks of the slabs, and all outcomes to all ranks. */
static enum sw_status return_modes(struct team *t, const struct sw_elliptic_matrix *m)
{
    struct elliptic_modal_cut *c = &t->cut;
    if (!c->comm) return SW_OK;
    order_by_slabs(t, true);
    SW_TRY(sw_comm_all_to_all(c->comm, c->with_modes, t->arrived, c->with_rows, t->in_modes));
    return elliptic_modal_outcomes(c, m->nz, t->outcome);
}

/* g, or w, of mode number k of this rank. */
static double *plane_of_mode(const struct team *t, const struct sw_elliptic_matrix *plane, int64_t k)
{
    return t->planes + k * plane->ny * plane->nx;
}

/* |g| of a mode if it takes very many steps: 2 exp(-2 k/sqrt(condition)) bounds what k steps leave. Else 0. */
static double hard_norm(const struct team *t, const struct sw_elliptic_matrix *m, int64_t mode, const double *g,
                        double target)
{
    const double e_folds = 2 * MANY_STEPS / t->hardness[mode];
    struct elliptic_lanes gg = {{0}};
    if (e_folds > 40) return 0;  /* more than any residual falls */
    elliptic_add_products(&gg, g, g, m->ny * m->nx);
    const double norm = sqrt(elliptic_sum_of(&gg));
    return isfinite(norm) && 2 * norm > exp(e_folds) * target ? norm : 0;
}

/* By multigrid: a problem of one level with the weights of the plane, a = lambda and d = 1. Whatever residual it comes
 * to, what it has found is taken; where it breaks, as it may where nothing holds u, steps in the plane begin anew. */
static enum sw_status solve_hard(const struct team *t, const struct sw_elliptic_matrix *m, int64_t mode, double *g,
                                 double norm, double target)
{
    double *const w = t->plane[0].q, zero = 0, one = 1;
    struct sw_elliptic_matrix plane = *m;
    const struct sw_elliptic_numbers numbers = {.tolerance = target / norm, .iterations = CYCLES};
    struct sw_elliptic_outcome o;
    plane.nz = 1;
    plane.a = &t->now->lambda[mode];
    plane.b = plane.c = &zero;
    plane.d = &one;
    SW_TRY(sw_elliptic_load(t->multigrid, 1, &numbers, &plane));
    SW_TRY(sw_elliptic_solve(t->multigrid, g, w, &o, NULL, 0));
    if (o.fault == SW_ELLIPTIC_INDEFINITE || o.fault == SW_ELLIPTIC_NOT_FINITE) {
        t->outcome[mode] = elliptic_plane_solve(m, t->now->lambda[mode], target, &t->plane[0], g);
        return SW_OK;
    }
    memcpy(g, w, (size_t)(m->ny * m->nx) * sizeof *g);
    t->outcome[mode] = (struct elliptic_plane_outcome){.residual = o.residual * norm, .pq = 1};
    return SW_OK;
}

static enum sw_status correct(void *context, struct elliptic_pass *pass, double *u)
{
    struct team *t = context;
    struct elliptic_way *const way = pass->way;
    const struct sw_elliptic_matrix *m = t->host.matrix;
    const struct sw_elliptic_matrix plane = elliptic_modal_plane(&t->cut, m);
    const double goal = elliptic_modal_goal(way);
    int64_t k = 0;
    if (way->outcome->iterations >= way->numbers->iterations) return SW_OK;
    to_modes(t, m);
    SW_TRY(send_modes(t, m));
    memset(t->outcome, 0, (size_t)m->nz * sizeof *t->outcome);
    elliptic_modal_share(t->now, &plane, elliptic_plane_stiffness(&plane), t->hardness, t->share);
    for (; k < t->cut.modes; k++) {
        const int64_t mode = elliptic_modal_mode(&t->cut, k);
        const double target = goal * t->share[mode];
        double *const g = plane_of_mode(t, &plane, k), norm = hard_norm(t, &plane, mode, g, target);
        if (!(norm > 0)) break;
        SW_TRY(solve_hard(t, &plane, mode, g, norm, target));
    }
#pragma omp parallel for num_threads(t->threads) schedule(dynamic)
    for (int64_t easy = k; easy < t->cut.modes; easy++) {  /* the slowest first */
        const int64_t mode = elliptic_modal_mode(&t->cut, easy);
        t->outcome[mode] = elliptic_plane_solve(&plane, t->now->lambda[mode], goal * t->share[mode],
                                                &t->plane[omp_get_thread_num()], plane_of_mode(t, &plane, easy));
    }
    SW_TRY(return_modes(t, m));
    add_levels(t, m, u);
    elliptic_modal_record(way, t->now, m->nz, t->outcome);
    return SW_OK;
}

struct task { struct sw_elliptic *solver; const double *f; double *u; struct sw_elliptic_outcome *outcome;
              double *history; int most; };

static enum sw_status solve_one(void *context, struct team *t, int j)
{
    const struct task *k = context;
    const struct sw_elliptic *s = k->solver;
    const struct modal *p = s->own;
    const size_t at = (size_t)j * sw_elliptic_cells(&s->desc);
    const struct elliptic_space space = elliptic_host_space(&t->host);
    const struct sw_elliptic_numbers *numbers = elliptic_host_begin(&t->host, &s->matrix[j], &s->numbers[j]);
    t->now = &p->set.vertical[p->set.of[j]];
    t->packed = &p->packed[p->set.of[j]];
    return elliptic_refine(&space, numbers, k->f + at, k->u + at, &k->outcome[j],
                           k->history ? k->history + (size_t)j * (size_t)(k->most + 1) : NULL, k->most, correct, t);
}

static enum sw_status solve(struct sw_elliptic *s, const double *f, double *u, struct sw_elliptic_outcome *outcome,
                            double *history, int most)
{
    struct task k = {s, f, u, outcome, history, most};
    return for_systems(s->own, s->count, solve_one, &k);
}

extern const struct sw_elliptic_ops elliptic_modal_cpu;
const struct sw_elliptic_ops elliptic_modal_cpu = {
    .name = "cpu.modal",
    .about = "vertical modes: a problem in the plane for each, by conjugate gradients; an iteration solves all",
    .space = SW_HOST,
    .cuts = true,
    .refuse = refuse,
    .own_size = sizeof(struct modal),
    .arrays = arrays,
    .other_bytes = other_bytes,
    .create = create,
    .load = load,
    .solve = solve,
    .destroy = destroy,
};
