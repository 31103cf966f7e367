/* Vertical modes on a GPU (elliptic_modal.h): row `cuda.modal`. All systems of a batch together: products with X and
 * X^T by tensor cores (cuda/elliptic_transform.cu), and one queue of problems (system, mode) in the plane, hardest
 * first, in single precision under corrections in double: on chip (cuda/elliptic_plane_chip.cu) where the plane fits
 * and the zero-order term holds all waves, else with vectors in device memory (cuda/elliptic_plane_memory.cu). A
 * problem whose long waves single precision does not resolve is solved in double from the start; one that was missed is
 * in the next iteration. */
#include <math.h>
#include <stdlib.h>

#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/elliptic_modal.h"
#include "elliptic/sw_elliptic_impl.h"

enum {
    BLOCKS = 128,         /* thread blocks at once, of all problems: nearly as many as an H100 has processors */
    BLOCK_CELLS = 4096,   /* of a plane at most a block, where a cluster has fewer than CLUSTER blocks        */
    CLUSTER = 8,
    CHIP_BLOCKS = 256     /* on chip: small planes have room for several on a processor                       */
};
/* Ways to solve a problem. */
enum { ON_CHIP, IN_MEMORY, IN_DOUBLE, WAYS };

static const double MOST_IN_SINGLE = 1e6;  /* condition number */
static const int64_t MOST_CELLS = INT64_C(1) << 30;  /* of a plane */

/* Steps on chip are that much faster than those in memory, whose number walls bound too. */
static const double STEPS_OVER_CELLS = 4;

struct problem { double hardness; int item; };

struct modal {
    struct elliptic_device on;
    struct elliptic_verticals set;
    struct elliptic_modes modes;
    cudaEvent_t solved;
    size_t   words;                   /* of X that is packed                                                     */
    int      size[WAYS];              /* blocks of a cluster; 0: not that way                                    */
    int      clusters[WAYS];          /* problems at once                                                        */
    int      count[WAYS];             /* of problems                                                             */
    bool     has_planes;              /* there_planes were copied: they are the same for all systems             */
    bool     missed;                  /* not all problems go the way that load() found                           */
    /* on the host */
    double  *packed;                  /* [words] */
    double  *lambda, *share;          /* [batch][nz] */
    struct problem *problem;          /* [batch*nz]: hardest first */
    unsigned char *way, *first_way;   /* [batch*nz]; as load() found them */
    int     *order;                   /* [batch*nz] */
    double  *goal;                    /* [batch], pinned */
    struct elliptic_plane_outcome *outcome;  /* [batch*nz], pinned */
    /* on the device */
    double  *in_modes;                /* [batch][nz][ny][nx] */
    double  *there_packed;            /* [2][batch][words]: to modes, to levels */
    double  *there_lambda, *there_share, *there_goal;  /* one block */
    int     *there_of, *there_order, *there_queue;     /* one block; a queue a way */
    struct elliptic_plane_outcome *there_outcome;
    float   *there_planes;            /* of the matrix on chip; NULL: not that way */
    char    *work;
};

/* On chip at most: of a block, of a plane. */
static const int64_t CHIP_BLOCK_CELLS = 8192, CHIP_CELLS = INT64_C(1) << 16;

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (d->variable) return "it needs coefficients that are the same everywhere";
    if (d->n[0] > MOST_CELLS / d->n[1]) return "it takes planes of 2^30 cells at most";
    return NULL;
}

/* Beyond the chip cuda.multigrid takes a third of the time in 1024 x 1024 x 128 cells, a ninth in 512 x 512 x 8; a
 * plane on chip takes a fifth of its time (results/gpu/equations_elliptic.txt). */
static bool slower(const struct sw_elliptic_desc *d) { return d->n[0] * d->n[1] > CHIP_CELLS; }

/* ------------------------------------------------------------------ shapes */

static int size_of(const struct sw_elliptic_desc *d)
{
    int size = 1;
    while (size < CLUSTER && d->n[0] * d->n[1] > (int64_t)size * BLOCK_CELLS) size *= 2;
    return size;
}

static size_t problems_of(const struct sw_elliptic_desc *d) { return (size_t)d->batch * (size_t)d->n[2]; }

/* Before Hopper a cluster is one block, and there are as few. */
static int clusters_of(const struct sw_elliptic_desc *d)
{
    const size_t most = (size_t)(BLOCKS / size_of(d));
    return (int)(problems_of(d) < most ? problems_of(d) : most);
}

/* Bytes of device memory that clusters work in. */
static size_t work_of(const struct sw_elliptic_desc *d)
{
    const int64_t cells = d->n[0] * d->n[1];
    const size_t single = (size_t)clusters_of(d) * sw_cuda_planes_work(cells, d->full, false),
                 one = sw_cuda_planes_work(cells, d->full, true), problems = problems_of(d),
                 fit = (size_t)CHIP_BLOCKS * CHIP_BLOCK_CELLS / (size_t)cells,
                 chip = (problems < fit ? problems : fit) * (size_t)cells * sizeof(double),
                 memory = single > one ? single : one;
    return cells <= CHIP_CELLS && chip > memory ? chip : memory;
}

static size_t bytes(const struct sw_elliptic_desc *d)
{
    const size_t batch = (size_t)d->batch, problems = problems_of(d),
                 planes = d->n[0] * d->n[1] <= CHIP_CELLS ? sw_cuda_planes_chip_words(d->n[0], d->n[1], d->full) : 0;
    return elliptic_device_bytes(d, 1, d->batch, false) + batch * sw_elliptic_cells(d) * sizeof(double) +
           2 * batch * sw_cuda_transform_words(d->n[2]) * sizeof(double) + (2 * problems + batch) * sizeof(double) +
           (batch + problems + WAYS) * sizeof(int) + problems * sizeof(struct elliptic_plane_outcome) +
           planes * sizeof(float) + work_of(d);
}

static void destroy(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    if (!p) return;
    elliptic_device_free(&p->on);
    elliptic_verticals_free(&p->set);
    elliptic_modes_free(&p->modes);
    if (p->solved) cudaEventDestroy(p->solved);
    sw_free(p->packed);
    sw_free(p->lambda);
    sw_free(p->problem);
    sw_free(p->way);
    sw_free(p->order);
    sw_device_free_host(s->device, p->goal);
    sw_device_free_host(s->device, p->outcome);
    void *const there[] = {p->in_modes, p->there_packed, p->there_lambda, p->there_of, p->there_outcome,
                           p->there_planes, p->work};
    for (size_t k = 0; k < sizeof there / sizeof *there; k++) sw_device_free(s->device, there[k]);
    sw_free(p);
}

static enum sw_status create_here(const struct sw_elliptic *s, struct modal *p)
{
    const size_t batch = (size_t)s->desc.batch, problems = problems_of(&s->desc);
    SW_TRY(elliptic_verticals_make(s->desc.n[2], s->desc.batch, &p->set));
    SW_TRY(elliptic_modes_make(s->desc.n[2], &p->modes));
    SW_TRY(sw_alloc(p->words, &p->packed));
    SW_TRY(sw_alloc(2 * problems, &p->lambda));
    p->share = p->lambda + problems;
    SW_TRY(sw_alloc(problems, &p->problem));
    SW_TRY(sw_alloc(2 * problems, &p->way));
    p->first_way = p->way + problems;
    SW_TRY(sw_alloc(problems, &p->order));
    SW_TRY(sw_device_alloc_host(s->device, batch, &p->goal));
    return sw_device_alloc_host(s->device, problems, &p->outcome);
}

/* Problems at once, each way, for which there is work_of(). */
static enum sw_status choose_clusters(const struct sw_elliptic *s, struct modal *p)
{
    const struct sw_elliptic_desc *d = &s->desc;
    const int64_t cells = d->n[0] * d->n[1];
    const int most = s->device->sm >= 90 ? CLUSTER : 1;
    const size_t in_double = work_of(d) / sw_cuda_planes_work(cells, d->full, true);
    int shared = 0;
    CU_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, s->device->index));
    p->size[IN_MEMORY] = p->size[IN_DOUBLE] = most > 1 ? size_of(d) : 1;
    p->clusters[IN_MEMORY] = clusters_of(d);
    p->clusters[IN_DOUBLE] = in_double < (size_t)p->clusters[IN_MEMORY] ? (int)in_double : p->clusters[IN_MEMORY];
    p->size[ON_CHIP] = cells > CHIP_CELLS ? 0
        : sw_cuda_planes_chip_size(d->n[0], d->n[1], d->full, d->sides[0] == SW_ELLIPTIC_PERIODIC,
                                   d->sides[1] == SW_ELLIPTIC_PERIODIC, most, (size_t)shared);
    if (!p->size[ON_CHIP]) return SW_OK;
    const size_t fit = (size_t)(CHIP_BLOCKS / p->size[ON_CHIP]), problems = problems_of(d);
    p->clusters[ON_CHIP] = (int)(problems < fit ? problems : fit);
    return sw_device_alloc(s->device, sw_cuda_planes_chip_words(d->n[0], d->n[1], d->full), &p->there_planes);
}

static enum sw_status create(struct sw_elliptic *s)
{
    const struct sw_elliptic_desc *d = &s->desc;
    const size_t batch = (size_t)d->batch, problems = problems_of(d);
    struct modal *p = NULL;
    SW_TRY(sw_device_use(s->device));
    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    p->words = sw_cuda_transform_words(d->n[2]);
    SW_TRY(elliptic_device_make(d, s->device, 1, d->batch, false, &p->on));
    SW_TRY(create_here(s, p));
    CU_TRY(cudaEventCreateWithFlags(&p->solved, cudaEventDisableTiming));
    SW_TRY(sw_device_alloc(s->device, batch * sw_elliptic_cells(d), &p->in_modes));
    SW_TRY(sw_device_alloc(s->device, 2 * batch * p->words, &p->there_packed));
    SW_TRY(sw_device_alloc(s->device, 2 * problems + batch, &p->there_lambda));
    p->there_share = p->there_lambda + problems;
    p->there_goal = p->there_share + problems;
    SW_TRY(sw_device_alloc(s->device, batch + problems + WAYS, &p->there_of));
    p->there_order = p->there_of + batch;
    p->there_queue = p->there_order + problems;
    SW_TRY(sw_device_alloc(s->device, problems, &p->there_outcome));
    SW_TRY(choose_clusters(s, p));
    return sw_device_alloc(s->device, work_of(d), &p->work);
}

/* ------------------------------------------------------------------ load */

static int harder_first(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    return x->hardness > y->hardness ? -1 : x->hardness < y->hardness ? 1 : x->item < y->item ? -1 : x->item > y->item;
}

/* Single precision resolves the longest wave of a plane if its walls hold it, or its zero-order term. */
static int way_of(const struct sw_elliptic *s, double stiffness, double lambda)
{
    const struct sw_elliptic_desc *d = &s->desc;
    const struct modal *p = s->own;
    const bool held = d->sides[0] == SW_ELLIPTIC_DIRICHLET || d->sides[1] == SW_ELLIPTIC_DIRICHLET;
    const double cells = (double)(d->n[0] > d->n[1] ? d->n[0] : d->n[1]),
                 condition = lambda > 0 ? 1 + 2 * stiffness / lambda : INFINITY;
    if (p->size[ON_CHIP] && condition <= MOST_IN_SINGLE && sqrt(condition) <= STEPS_OVER_CELLS * cells) return ON_CHIP;
    return (held ? fmin(condition, cells * cells) : condition) <= MOST_IN_SINGLE ? IN_MEMORY : IN_DOUBLE;
}

/* Problems of one way after those of another. */
static enum sw_status order(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const int all = s->count * (int)s->desc.n[2];
    int at = 0;
    for (int way = 0; way < WAYS; way++) {
        const int before = at;
        for (int k = 0; k < all; k++)
            if (p->way[p->problem[k].item] == way) p->order[at++] = p->problem[k].item;
        p->count[way] = at - before;
    }
    return sw_device_upload(s->device, p->there_order, p->order, (size_t)all * sizeof *p->order);
}

static enum sw_status load_modes(struct sw_elliptic *s, int due)
{
    struct modal *p = s->own;
    const int v = elliptic_vertical_find(&p->set, due, s->matrix, &p->modes, s->device->threads);
    for (int to_levels = 0; to_levels < 2; to_levels++) {
        sw_cuda_transform_pack(s->desc.n[2], p->modes.x, !to_levels, p->packed);
        SW_TRY(sw_device_upload(s->device, p->there_packed + ((size_t)to_levels * (size_t)s->desc.batch + (size_t)v) *
                                p->words, p->packed, p->words * sizeof *p->packed));
    }
    return SW_OK;
}

/* What is horizontal is the same for all systems of a shape. */
static enum sw_status load_planes(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const struct sw_elliptic_matrix *m = &s->matrix[0];
    const struct sw_cuda_elliptic here = {.nx = m->nx, .ny = m->ny, .area = m->area, .east = m->east,
                                          .north = m->north, .cross = m->cross};
    const size_t words = sw_cuda_planes_chip_words(m->nx, m->ny, m->cross != NULL);
    float *planes = NULL;
    if (!p->there_planes || p->has_planes) return SW_OK;
    SW_TRY(sw_alloc(words, &planes));
    sw_cuda_planes_chip_pack(&here, planes);
    const enum sw_status st = sw_device_upload(s->device, p->there_planes, planes, words * sizeof *planes);
    sw_free(planes);
    p->has_planes = st == SW_OK;
    return st;
}

static enum sw_status load(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const size_t nz = (size_t)s->desc.n[2], all = (size_t)s->count * nz;
    SW_TRY(elliptic_device_load(&p->on, s->count, s->matrix));
    const int due = elliptic_verticals_load(&p->set, s->count, s->matrix);
    for (int k = 0; k < due; k++) SW_TRY(load_modes(s, k));
    if (s->count == 0) return SW_OK;
    SW_TRY(load_planes(s));
    const double stiffness = elliptic_plane_stiffness(&s->matrix[0]);
    double *hardness = NULL;
    SW_TRY(sw_alloc(nz, &hardness));
    for (int j = 0; j < s->count; j++) {
        const struct elliptic_vertical *v = &p->set.vertical[p->set.of[j]];
        elliptic_modal_share(v, &s->matrix[j], stiffness, hardness, p->share + (size_t)j * nz);
        for (size_t k = 0; k < nz; k++) {
            const size_t item = (size_t)j * nz + k;
            p->lambda[item] = v->lambda[k];
            p->problem[item] = (struct problem){hardness[k], (int)item};
            p->way[item] = p->first_way[item] = (unsigned char)way_of(s, stiffness, v->lambda[k]);
        }
    }
    sw_free(hardness);
    qsort(p->problem, all, sizeof *p->problem, harder_first);
    p->missed = false;
    SW_TRY(sw_device_upload(s->device, p->there_of, p->set.of, (size_t)s->count * sizeof *p->set.of));
    SW_TRY(sw_device_upload(s->device, p->there_lambda, p->lambda, all * sizeof *p->lambda));
    SW_TRY(sw_device_upload(s->device, p->there_share, p->share, all * sizeof *p->share));
    return order(s);
}

/* ------------------------------------------------------------------ an iteration */

static enum sw_status transform(const struct sw_elliptic *s, bool to_levels, bool add, const double *from, double *to)
{
    const struct modal *p = s->own;
    const int64_t nx = s->desc.n[0], ny = s->desc.n[1], nz = s->desc.n[2], in_levels[] = {nx, nz * nx},
                  in_modes[] = {ny * nx, nx}, *a = to_levels ? in_modes : in_levels,
                  *b = to_levels ? in_levels : in_modes;
    const struct sw_cuda_transform t = {
        .nx = nx, .ny = ny, .nz = nz, .systems = s->count, .add = add, .of = p->there_of, .goal = p->there_goal,
        .packed = p->there_packed + (to_levels ? (size_t)s->desc.batch * p->words : 0),
        .from = from, .to = to, .from_row = a[0], .from_slab = a[1], .to_row = b[0], .to_slab = b[1]};
    return sw_cuda_transform(s->device->compute, &t);
}

/* @param check  residuals are formed: those of an iteration before were larger than their bounds */
static enum sw_status solve_planes(const struct sw_elliptic *s, bool check)
{
    const struct modal *p = s->own;
    struct sw_cuda_planes planes = {.matrix = p->on.matrix, .lambda = p->there_lambda, .share = p->there_share,
                                    .goal = p->there_goal, .order = p->there_order, .queue = p->there_queue,
                                    .w = p->in_modes, .outcome = p->there_outcome};
    sw_cuda_stream stream = s->device->compute;
    CU_TRY(cudaMemsetAsync(p->there_queue, 0, WAYS * sizeof *p->there_queue, stream));
    for (int way = 0; way < WAYS; planes.order += p->count[way], planes.queue++, way++) {
        planes.count = p->count[way];
        if (way == ON_CHIP)
            SW_TRY(sw_cuda_planes_on_chip(stream, &planes, p->there_planes, check, p->clusters[way], p->size[way],
                                          p->work));
        else
            SW_TRY(sw_cuda_planes_in_memory(stream, &planes, way == IN_DOUBLE, p->clusters[way], p->size[way],
                                            p->work));
    }
    return SW_OK;
}

/* What became of the systems; problems that were missed are solved in double from now on. */
static void record(const struct sw_elliptic *s, struct elliptic_pass *pass)
{
    struct modal *p = s->own;
    const size_t nz = (size_t)s->desc.n[2];
    for (int j = 0; j < s->count; j++) {
        const size_t first = (size_t)j * nz;
        if (p->goal[j] < 0) continue;
        elliptic_modal_record(&pass->way[j], &p->set.vertical[p->set.of[j]], (int64_t)nz, p->outcome + first);
        for (size_t k = first; k < first + nz; k++)
            if (p->outcome[k].residual > p->goal[j] * p->share[k] && p->way[k] != IN_DOUBLE) {
                p->way[k] = IN_DOUBLE;
                p->missed = true;
            }
    }
}

static enum sw_status correct(void *context, struct elliptic_pass *pass, double *u)
{
    struct sw_elliptic *s = context;
    struct modal *p = s->own;
    cudaStream_t stream = s->device->compute;
    bool any = false;
    for (int j = 0; j < s->count; j++) {
        const struct elliptic_way *way = &pass->way[j];
        const bool due = way->due && way->outcome->iterations < way->numbers->iterations;
        p->goal[j] = due ? elliptic_modal_goal(way) : -1;
        any |= due;
    }
    if (!any) return SW_OK;
    if (p->missed) SW_TRY(order(s));
    CU_TRY(cudaMemcpyAsync(p->there_goal, p->goal, (size_t)s->count * sizeof *p->goal, cudaMemcpyHostToDevice, stream));
    SW_TRY(transform(s, false, false, pass->r, p->in_modes));
    SW_TRY(solve_planes(s, !pass->first));
    CU_TRY(cudaMemcpyAsync(p->outcome, p->there_outcome, (size_t)s->count * (size_t)s->desc.n[2] * sizeof *p->outcome,
                           cudaMemcpyDeviceToHost, stream));
    CU_TRY(cudaEventRecord(p->solved, stream));
    SW_TRY(transform(s, true, !pass->first, p->in_modes, u));
    CU_TRY(cudaEventSynchronize(p->solved));  /* while u is formed */
    record(s, pass);
    return SW_OK;
}

static enum sw_status solve(struct sw_elliptic *s, const double *f, double *u, struct sw_elliptic_outcome *outcome,
                            double *history, int most)
{
    struct modal *p = s->own;
    struct elliptic_space space = elliptic_device_space(&p->on);
    space.lean = true;
    SW_TRY(sw_device_use(s->device));
    for (size_t k = 0; p->missed && k < (size_t)s->count * (size_t)s->desc.n[2]; k++)
        p->way[k] = p->first_way[k];
    if (p->missed) SW_TRY(order(s));
    p->missed = false;
    return elliptic_refine(&space, s->numbers, f, u, outcome, history, most, correct, s);
}

extern const struct sw_elliptic_ops elliptic_modal_cuda;
const struct sw_elliptic_ops elliptic_modal_cuda = {
    .name = "cuda.modal",
    .about = "vertical modes on a GPU: tensor cores between levels and modes, a problem in the plane for each mode",
    .space = SW_DEVICE,
    .refuse = refuse,
    .slower = slower,
    .bytes = bytes,
    .create = create,
    .load = load,
    .solve = solve,
    .destroy = destroy,
};
