/* Vertical modes on a GPU (elliptic_modal.h): row `cuda.modal`. All systems of a batch together: products with X and
 * X^T by tensor cores (cuda/elliptic/elliptic_transform.cu), and queues of problems (system, mode) in the plane,
 * hardest first. Most need a few steps, and are solved in double in tiles that overlap
 * (cuda/elliptic/elliptic_plane_overlapped.cu). The others are solved in single precision under corrections in double:
 * on chip (cuda/elliptic/elliptic_plane_chip.cu) where the plane fits and the zero-order term holds all waves, the
 * hardest by more processors at once, else with vectors in device memory (cuda/elliptic/elliptic_plane_memory.cu). All
 * of these run side by side. A problem whose long waves single precision does not resolve is solved in double from the
 * start; one that was missed is in the next iteration. Which way a problem goes depends on its own system alone.
 *
 * Of a grid that is cut a rank transforms its slab, and solves the problems of its own modes in whole planes, which an
 * all-to-all from GPU to GPU brings, and another one takes back (struct elliptic_modal_cut). Sums of squares of g go
 * the same way, |f|² comes from the sums of all ranks on the GPU, and the host knows of all that where it does of a
 * whole grid: what is computed for a mode has the same bits on any number of ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "comm/sw_comm.h"
#include "cuda/cu_check.cuh"
#include "elliptic/elliptic_device_cuda.h"
#include "elliptic/elliptic_modal.h"
#include "elliptic/sw_elliptic_impl.h"

enum {
    BLOCKS = 128,         /* thread blocks at once, of all problems: nearly as many as an H100 has processors */
    BLOCK_CELLS = 4096,   /* of a plane at most a block, where a cluster has fewer than CLUSTER blocks        */
    CLUSTER = 8,
    CHIP_BLOCKS = 256,    /* on chip: small planes have room for several on a processor                       */
    LARGE_BLOCKS = 128,   /* likewise, in clusters of twice as many blocks as a plane needs                   */
    LARGE_STEPS = 80,     /* problems that take so many steps have such clusters                              */
    CLASSES = SW_CUDA_PLANE_GROUPS  /* of problems in tiles that overlap, by the steps they take at most      */
};
/* Ways to solve a problem; those from OVERLAPPED on in the first iteration only, as no residual is formed. */
enum { ON_LARGE_CHIP, ON_CHIP, IN_MEMORY, IN_DOUBLE, OVERLAPPED, WAYS = OVERLAPPED + CLASSES };
static const int MOST_STEPS[CLASSES] = {3, 5, 7, 9, 11, 13};  /* the fewer, the more of a tile is written */

/* Streams beside the device's own, which has clusters of more blocks: of the other clusters, and of tiles. */
enum { CHIP, TILES, BESIDE };

static const double MOST_IN_SINGLE = 1e6;  /* condition number */
static const int64_t MOST_CELLS = INT64_C(1) << 30;  /* of a plane */

/* Steps on chip are that much faster than those in memory, whose number walls bound too. */
static const double STEPS_OVER_CELLS = 4;

struct problem { double hardness; int item; };

struct modal {
    struct elliptic_device on;
    struct elliptic_modal_cut cut;
    struct sw_elliptic_desc planes;   /* the problems of this rank: modes in place of levels */
    struct elliptic_verticals set;
    struct elliptic_modes modes;
    cudaEvent_t solved, known, begun, ended[BESIDE];
    cudaStream_t beside[BESIDE];
    struct elliptic_plane_bounds bounds;
    size_t   words;                   /* of X that is packed                                                     */
    int      size[WAYS];              /* blocks of a cluster; 0: not that way                                    */
    int      clusters[WAYS];          /* problems at once                                                        */
    int      count[WAYS];             /* of problems                                                             */
    bool     has_planes;              /* there_planes were copied: they are the same for all systems             */
    bool     missed;                  /* not all problems go the way that load() found                           */
    bool     overlap;                 /* some problems are solved in tiles                                       */
    bool     queued;                  /* the first iteration is on its way, or done                              */
    struct sw_elliptic *solver;       /* whose this is                                                           */
    double  *u;                       /* of the solve at hand                                                    */
    /* on the host; m modes are those of this rank: of a whole grid nz, all of them */
    double  *packed;                  /* [words] */
    double  *lambda, *share;          /* [batch][m] */
    struct problem *problem;          /* [batch*m]: hardest first */
    unsigned char *way, *first_way;   /* [batch*m]; as load() found them */
    int     *order;                   /* [batch*m] */
    int     *first_tiled;             /* [batch]: the first mode that is solved in tiles; m: none */
    double  *goal, *ff;               /* [batch], pinned; |f|², of the same block */
    double  *part;                    /* [batch]: the goals of the first iteration, over |f| */
    struct elliptic_plane_outcome *outcome;  /* [batch*m], pinned */
    struct elliptic_plane_outcome *of_all;   /* [batch*nz]; of a whole grid `outcome` */
    /* on the device */
    double  *in_modes;                /* [batch][nz][ny][nx]: of a slab in the order of the all-to-all */
    double  *w, *tiled;               /* [batch][m] of whole planes: g, then w; w of modes that are solved in tiles. Of
                                         a whole grid w is in_modes */
    double  *squares, *f_squares;     /* [batch][nz][sw_cuda_transform_squares()] of g, and likewise of f; one block */
    double  *plane_squares;           /* [batch][m] likewise of whole planes; of a whole grid `squares` */
    double  *arrived;                 /* of a cut grid: [m] of planes, as an all-to-all brings and takes them */
    double  *sums;                    /* of a cut grid: [batch] |f|² of this rank, [batch][ranks] of all */
    double  *there_plane;             /* of a cut grid: area, east, north, cross of the whole plane */
    struct sw_cuda_elliptic plane;    /* of these */
    double  *there_packed;            /* [2][batch][words]: to modes, to levels */
    double  *there_lambda, *there_share, *there_goal, *there_part;  /* one block */
    int     *there_of, *there_order, *there_queue;     /* one block; a queue a way */
    int     *there_first_tiled;                        /* of the same */
    struct elliptic_plane_outcome *there_outcome;
    float   *there_planes;            /* of the matrix on chip; NULL: not that way */
    char    *work, *large_work, *tasks;
};

/* On chip at most: of a block, of a plane. */
static const int64_t CHIP_BLOCK_CELLS = 8192, CHIP_CELLS = INT64_C(1) << 16;

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (d->variable) return "it needs coefficients that are the same everywhere";
    if (d->n[0] > MOST_CELLS / sw_elliptic_whole(d)) return "it takes planes of 2^30 cells at most";
    return NULL;
}

/* Beyond the chip cuda.multigrid takes a third of the time in 1024 x 1024 x 128 cells, a ninth in 512 x 512 x 8; a
 * plane on chip takes a fifth of its time (results/gpu/equations_elliptic.txt). */
static bool slower(const struct sw_elliptic_desc *d) { return d->n[0] * sw_elliptic_whole(d) > CHIP_CELLS; }

/* ------------------------------------------------------------------ shapes: d is that of the problems of a rank */

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

/* Likewise, of those with more blocks. */
static int large_clusters(const struct sw_elliptic_desc *d, int size)
{
    const size_t most = (size_t)(LARGE_BLOCKS / size);
    return (int)(problems_of(d) < most ? problems_of(d) : most);
}
static size_t large_work_of(const struct sw_elliptic_desc *d)
{
    const int64_t cells = d->n[0] * d->n[1];
    const size_t fit = (size_t)LARGE_BLOCKS * CHIP_BLOCK_CELLS / 2 / (size_t)cells, problems = problems_of(d);
    return cells <= CHIP_CELLS ? (problems < fit ? problems : fit) * (size_t)cells * sizeof(double) : 0;
}

/* Of g, then of f, for the desc of the solver. */
static size_t squares_of(const struct sw_elliptic_desc *d)
{
    return (problems_of(d) + (size_t)d->batch) * (size_t)sw_cuda_transform_squares(d->n[0], d->n[1], d->n[2]);
}

/* Integers on the device: of, order, queues, first_tiled. */
static size_t integers_of(const struct sw_elliptic_desc *d)
{
    return 2 * (size_t)d->batch + problems_of(d) + WAYS;
}

/* What create() allocates where the device has clusters that take a plane on chip. */
static size_t other_bytes(const struct sw_elliptic_desc *desc, const struct sw_device *device)
{
    const struct sw_elliptic_desc planes = elliptic_modal_planes(desc), *d = &planes;
    (void)device;
    return large_work_of(d) + sizeof(float) * (d->n[0] * d->n[1] <= CHIP_CELLS ?
                                               sw_cuda_planes_chip_words(d->n[0], d->n[1], d->full) : 0);
}

/* Words of a plane's matrix. */
static size_t plane_words(const struct sw_elliptic_desc *d)
{
    const size_t nx = (size_t)d->n[0], ny = (size_t)d->n[1];
    return nx * ny + (nx + 1) * ny + nx * (ny + 1) + (d->full ? (nx + 1) * (ny + 1) : 0);
}

static void destroy(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    sw_elliptic_matrix_free(&p->cut.plane);
    cudaEvent_t const events[] = {p->solved, p->known, p->begun, p->ended[CHIP], p->ended[TILES]};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        if (events[k]) cudaEventDestroy(events[k]);
    for (int k = 0; k < BESIDE; k++)
        if (p->beside[k]) cudaStreamDestroy(p->beside[k]);
}

static void arrays_here(struct sw_elliptic *s, struct modal *p)
{
    const size_t batch = (size_t)s->desc.batch, problems = problems_of(&p->planes);
    struct sw_owned *own = &s->arrays;
    elliptic_verticals_make(s->desc.n[2], s->desc.batch, own, &p->set);
    elliptic_modes_make(s->desc.n[2], own, &p->modes);
    sw_array(own, p->words, &p->packed);
    sw_array(own, problems, &p->lambda);
    sw_array(own, problems, &p->share);
    sw_array(own, problems, &p->problem);
    sw_array(own, problems, &p->way);
    sw_array(own, problems, &p->first_way);
    sw_array(own, problems, &p->order);
    sw_array(own, batch, &p->first_tiled);
    sw_array_pinned(own, 2 * batch, &p->goal);
    sw_array(own, batch, &p->part);
    sw_array_pinned(own, problems, &p->outcome);
    p->of_all = p->outcome;
    if (p->cut.comm) sw_array(own, problems_of(&s->desc), &p->of_all);
}

static void arrays_there(struct sw_elliptic *s, struct modal *p)
{
    const struct sw_elliptic_desc *d = &p->planes;
    const size_t batch = (size_t)d->batch, problems = problems_of(d);
    struct sw_owned *own = &s->arrays;
    elliptic_device_make(&s->desc, s->device, 1, d->batch, false, own, &p->on);
    sw_array_device(own, batch * sw_elliptic_cells(&s->desc), &p->in_modes);
    sw_array_device(own, batch * sw_elliptic_cells(d), &p->tiled);
    sw_array_device(own, squares_of(&s->desc), &p->squares);
    sw_array_device(own, 2 * batch * p->words, &p->there_packed);
    sw_array_device(own, 2 * problems + 2 * batch, &p->there_lambda);
    sw_array_device(own, integers_of(d), &p->there_of);
    sw_array_device(own, sw_cuda_planes_tasks((int)problems), &p->tasks);
    sw_array_device(own, problems, &p->there_outcome);
    sw_array_device(own, work_of(d), &p->work);
    p->w = p->in_modes;
    p->plane_squares = p->squares;
    if (!p->cut.comm) return;
    sw_array_device(own, batch * sw_elliptic_cells(d), &p->w);
    sw_array_device(own, sw_elliptic_cells(d), &p->arrived);
    sw_array_device(own, problems * (size_t)sw_cuda_transform_squares(d->n[0], d->n[1], s->desc.n[2]),
                    &p->plane_squares);
    sw_array_device(own, batch * (1 + (size_t)p->cut.comm->size), &p->sums);
    sw_array_device(own, plane_words(d), &p->there_plane);
}

static void arrays(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    p->planes = elliptic_modal_planes(&s->desc);
    elliptic_modal_cut_make(&s->desc, &s->arrays, &p->cut);
    p->words = sw_cuda_transform_words(s->desc.n[2]);
    arrays_there(s, p);
    arrays_here(s, p);
}

/* Of a cluster that has a plane on chip, `least` at least; 0: it does not fit. */
static int chip_size(const struct sw_elliptic_desc *d, int least, int most, int shared)
{
    return d->n[0] * d->n[1] > CHIP_CELLS ? 0
        : sw_cuda_planes_chip_size(d->n[0], d->n[1], d->full, d->sides[0] == SW_ELLIPTIC_PERIODIC,
                                   d->sides[1] == SW_ELLIPTIC_PERIODIC, least, most, (size_t)shared);
}

/* Of a grid that is cut a rank has few problems, of large planes: the hardest one, which one cluster solves alone,
 * would take longest. It has clusters of twice as many blocks where there are such ones.
 * @param most  blocks of a cluster, or 1 */
static enum sw_status choose_memory_clusters(struct modal *p, int most)
{
    const struct sw_elliptic_desc *d = &p->planes;
    const size_t in_double = work_of(d) / sw_cuda_planes_work(d->n[0] * d->n[1], d->full, true);
    int size = most > 1 ? size_of(d) : 1, clusters = clusters_of(d), there_are = 0;
    if (p->cut.comm && size == CLUSTER && d->n[0] * d->n[1] > (int64_t)CLUSTER * BLOCK_CELLS)
        SW_TRY(sw_cuda_planes_memory_clusters(2 * size, &there_are));
    if (there_are > 0) {
        size *= 2;
        clusters = clusters < BLOCKS / size ? clusters : BLOCKS / size;
    }
    p->size[IN_MEMORY] = p->size[IN_DOUBLE] = size;
    p->clusters[IN_MEMORY] = clusters;
    p->clusters[IN_DOUBLE] = in_double < (size_t)clusters ? (int)in_double : clusters;
    return SW_OK;
}

/* Problems at once, each way, for which there is work_of(). */
static enum sw_status choose_clusters(struct sw_elliptic *s, struct modal *p)
{
    const struct sw_elliptic_desc *d = &p->planes;
    int shared = 0, there_are = 0;
    bool have = false;
    SW_TRY(sw_cuda_planes_have_clusters(&have));
    const int most = have ? CLUSTER : 1;
    CU_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, s->device->index));
    SW_TRY(choose_memory_clusters(p, most));
    const int size = p->size[ON_CHIP] = chip_size(d, 1, most, shared);
    if (!size) return SW_OK;
    const size_t fit = (size_t)(CHIP_BLOCKS / size), problems = problems_of(d);
    p->clusters[ON_CHIP] = (int)(problems < fit ? problems : fit);
    if (most > 1 && chip_size(d, 2 * size, 2 * size, shared))
        SW_TRY(sw_cuda_planes_chip_clusters(d->n[0], d->n[1], d->full, 2 * size, &there_are));
    if (there_are > 0) {
        p->size[ON_LARGE_CHIP] = 2 * size;
        p->clusters[ON_LARGE_CHIP] = large_clusters(d, 2 * size);
    }
    sw_array_device(&s->arrays, sw_cuda_planes_chip_words(d->n[0], d->n[1], d->full), &p->there_planes);
    if (p->size[ON_LARGE_CHIP]) sw_array_device(&s->arrays, large_work_of(d), &p->large_work);
    return s->arrays.status;
}

static enum sw_status create_streams(struct modal *p)
{
    int least, greatest;
    CU_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CU_TRY(cudaStreamCreateWithPriority(&p->beside[CHIP], cudaStreamNonBlocking, greatest));
    CU_TRY(cudaStreamCreateWithPriority(&p->beside[TILES], cudaStreamNonBlocking, least));
    cudaEvent_t *const events[] = {&p->solved, &p->known, &p->begun, &p->ended[CHIP], &p->ended[TILES]};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        CU_TRY(cudaEventCreateWithFlags(events[k], cudaEventDisableTiming));
    return SW_OK;
}

static enum sw_status create(struct sw_elliptic *s)
{
    const struct sw_elliptic_desc *d = &s->desc;
    struct modal *p = s->own;
    const size_t batch = (size_t)d->batch, problems = problems_of(&p->planes);
    p->ff = p->goal + batch;
    p->f_squares = p->squares + problems_of(d) * (size_t)sw_cuda_transform_squares(d->n[0], d->n[1], d->n[2]);
    p->there_share = p->there_lambda + problems;
    p->there_goal = p->there_share + problems;
    p->there_part = p->there_goal + batch;
    p->there_order = p->there_of + batch;
    p->there_queue = p->there_order + problems;
    p->there_first_tiled = p->there_queue + WAYS;
    SW_TRY(create_streams(p));
    return choose_clusters(s, p);
}

/* ------------------------------------------------------------------ load */

static int harder_first(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    return x->hardness > y->hardness ? -1 : x->hardness < y->hardness ? 1 : x->item < y->item ? -1 : x->item > y->item;
}

/* Steps of Chebyshev's polynomials at most, with which a mode of a system has the residual that it has to have. */
static double most_steps(const struct modal *p, bool cross, double tolerance, double lambda, double norm, double share)
{
    const double part = 0.25 * tolerance * share / (norm * sqrt(elliptic_plane_spread(&p->bounds, lambda)));
    double mean, half;
    elliptic_plane_interval(&p->bounds, lambda, !cross, &mean, &half);
    return part < 1 ? acosh(1 / part) / acosh(mean / half) : 0;
}

/* @return CLASSES: none */
static int class_of(double steps)
{
    int class = 0;
    while (class < CLASSES && !(steps <= MOST_STEPS[class])) class++;
    return class;
}

/* Single precision resolves the longest wave of a plane if its walls hold it, or its zero-order term.
 * @param steps  most_steps() */
static int way_of(const struct sw_elliptic *s, double stiffness, double lambda, double steps)
{
    const struct modal *p = s->own;
    const struct sw_elliptic_desc *d = &p->planes;
    const bool held = d->sides[0] == SW_ELLIPTIC_DIRICHLET || d->sides[1] == SW_ELLIPTIC_DIRICHLET;
    const double cells = (double)(d->n[0] > d->n[1] ? d->n[0] : d->n[1]),
                 condition = lambda > 0 ? 1 + 2 * stiffness / lambda : INFINITY;
    if (p->size[ON_CHIP] && condition <= MOST_IN_SINGLE && sqrt(condition) <= STEPS_OVER_CELLS * cells)
        return p->size[ON_LARGE_CHIP] && steps >= LARGE_STEPS ? ON_LARGE_CHIP : ON_CHIP;
    return (held ? fmin(condition, cells * cells) : condition) <= MOST_IN_SINGLE ? IN_MEMORY : IN_DOUBLE;
}

/* Problems of one way after those of another. */
static enum sw_status order(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const int all = s->count * (int)p->cut.modes;
    int at = 0;
    for (int way = 0; way < WAYS; way++) {
        const int before = at;
        for (int k = 0; k < all; k++)
            if (p->way[p->problem[k].item] == way) p->order[at++] = p->problem[k].item;
        p->count[way] = at - before;
    }
    return sw_device_upload(s->device, p->there_order, p->order, (size_t)all * sizeof *p->order);
}

/* As load() found them. */
static enum sw_status begin_ways(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const size_t all = (size_t)s->count * (size_t)p->cut.modes;
    p->overlap = p->missed = false;
    for (size_t k = 0; k < all; k++) {
        p->way[k] = p->first_way[k];
        p->overlap |= p->way[k] >= OVERLAPPED;
    }
    return order(s);
}

static enum sw_status load_modes(struct sw_elliptic *s, int due)
{
    struct modal *p = s->own;
    const int v = elliptic_vertical_find(&p->set, due, s->matrix, &p->modes, s->device->threads);
    elliptic_modal_order(&p->cut, s->desc.n[2], p->modes.x);
    for (int to_levels = 0; to_levels < 2; to_levels++) {
        sw_cuda_transform_pack(s->desc.n[2], p->modes.x, !to_levels, p->packed);
        SW_TRY(sw_device_upload(s->device, p->there_packed + ((size_t)to_levels * (size_t)s->desc.batch + (size_t)v) *
                                p->words, p->packed, p->words * sizeof *p->packed));
    }
    return SW_OK;
}

static struct sw_elliptic_matrix plane_of(const struct sw_elliptic *s)
{
    return elliptic_modal_plane(&((const struct modal *)s->own)->cut, &s->matrix[0]);
}

/* Of a cut grid the plane's matrix goes to the device as well; m->area is the first of the arrays of one block. */
static enum sw_status load_whole_plane(struct sw_elliptic *s, const struct sw_elliptic_matrix *m)
{
    struct modal *p = s->own;
    const double *const there = p->there_plane;
    p->plane = p->on.matrix;
    p->plane.nz = p->cut.modes;
    if (!p->cut.comm) return SW_OK;
    p->plane = (struct sw_cuda_elliptic){
        .nx = m->nx, .ny = m->ny, .nz = p->cut.modes, .periodic_x = m->periodic[0], .periodic_y = m->periodic[1],
        .area = there, .east = there + (m->east - m->area), .north = there + (m->north - m->area),
        .cross = m->cross ? there + (m->cross - m->area) : NULL};
    return sw_device_upload(s->device, p->there_plane, m->area, plane_words(&p->planes) * sizeof *m->area);
}

/* What is horizontal is the same for all systems of a shape. */
static enum sw_status load_planes(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const struct sw_elliptic_matrix plane = plane_of(s), *const m = &plane;
    const struct sw_cuda_elliptic here = {.nx = m->nx, .ny = m->ny, .area = m->area, .east = m->east,
                                          .north = m->north, .cross = m->cross};
    const size_t words = sw_cuda_planes_chip_words(m->nx, m->ny, m->cross != NULL);
    float *planes = NULL;
    if (p->has_planes) return SW_OK;
    SW_TRY(load_whole_plane(s, m));
    elliptic_plane_bound(m, s->desc.sides[0] == SW_ELLIPTIC_PERIODIC, s->desc.sides[1] == SW_ELLIPTIC_PERIODIC,
                         &p->bounds);
    p->has_planes = !p->there_planes;
    if (p->has_planes) return SW_OK;
    SW_TRY(sw_alloc(words, &planes));
    sw_cuda_planes_chip_pack(&here, planes);
    const enum sw_status st = sw_device_upload(s->device, p->there_planes, planes, words * sizeof *planes);
    sw_free(planes);
    p->has_planes = st == SW_OK;
    return st;
}

/* The ways of a system's problems. From some mode on all are solved in tiles, so that the transform knows where w is.
 * @param hardness, share  [nz], of all modes: a rank has some of them */
static void choose_ways(struct sw_elliptic *s, int system, double stiffness, const double *hardness,
                        const double *share)
{
    struct modal *p = s->own;
    const struct elliptic_vertical *v = &p->set.vertical[p->set.of[system]];
    int64_t tiled = s->desc.n[2], own = p->cut.modes;
    p->first_tiled[system] = (int)own;
    for (int64_t k = s->desc.n[2] - 1; k >= 0; k--) {
        const double lambda = v->lambda[k],
                     steps = most_steps(p, s->desc.full, s->numbers[system].tolerance, lambda, v->norm[k], share[k]);
        const int class = class_of(steps);
        if (tiled == k + 1 && class < CLASSES) tiled = k;
        if (own == 0 || k != elliptic_modal_mode(&p->cut, own - 1)) continue;
        const int item = system * (int)p->cut.modes + (int)--own;
        if (tiled == k) p->first_tiled[system] = (int)own;
        p->lambda[item] = lambda;
        p->share[item] = share[k];
        p->problem[item] = (struct problem){hardness[k], item};
        p->first_way[item] =
            (unsigned char)(tiled == k ? OVERLAPPED + class : way_of(s, stiffness, lambda, steps));
    }
}

/* Of all systems. @param hardness  [2][nz], scratch */
static void choose_all_ways(struct sw_elliptic *s, double *hardness)
{
    struct modal *p = s->own;
    const struct sw_elliptic_matrix plane = plane_of(s);
    const double stiffness = elliptic_plane_stiffness(&plane);
    double *const share = hardness + plane.nz;
    for (int j = 0; j < s->count; j++) {
        elliptic_modal_share(&p->set.vertical[p->set.of[j]], &plane, stiffness, hardness, share);
        p->part[j] = elliptic_modal_part(&s->numbers[j]);
        choose_ways(s, j, stiffness, hardness, share);
    }
}

static enum sw_status load(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const size_t all = (size_t)s->count * (size_t)p->cut.modes;
    double *scratch = NULL;
    SW_TRY(elliptic_device_load(&p->on, s->count, s->matrix));
    const int due = elliptic_verticals_load(&p->set, s->count, s->matrix);
    for (int k = 0; k < due; k++) SW_TRY(load_modes(s, k));
    if (s->count == 0) return SW_OK;
    SW_TRY(elliptic_modal_cut_load(&s->desc, &s->numbers[0], &p->cut));
    SW_TRY(load_planes(s));
    p->plane.systems = s->count;
    SW_TRY(sw_alloc(2 * (size_t)s->desc.n[2], &scratch));
    choose_all_ways(s, scratch);
    sw_free(scratch);
    qsort(p->problem, all, sizeof *p->problem, harder_first);
    SW_TRY(sw_device_upload(s->device, p->there_first_tiled, p->first_tiled,
                            (size_t)s->count * sizeof *p->first_tiled));
    SW_TRY(sw_device_upload(s->device, p->there_part, p->part, (size_t)s->count * sizeof *p->part));
    SW_TRY(sw_device_upload(s->device, p->there_of, p->set.of, (size_t)s->count * sizeof *p->set.of));
    SW_TRY(sw_device_upload(s->device, p->there_lambda, p->lambda, all * sizeof *p->lambda));
    SW_TRY(sw_device_upload(s->device, p->there_share, p->share, all * sizeof *p->share));
    return begin_ways(s);
}

/* ------------------------------------------------------------------ an iteration */

/* @param first  the first iteration: w of modes that are solved in tiles are in p->tiled, unless the grid is cut;
 *               squares of f and g are wanted, and goals are not known before */
static enum sw_status transform(const struct sw_elliptic *s, bool to_levels, bool first, bool add, const double *from,
                                double *to)
{
    const struct modal *p = s->own;
    const int64_t nx = s->desc.n[0], ny = s->desc.n[1], nz = s->desc.n[2], in_levels[] = {nx, nz * nx},
                  in_modes[] = {ny * nx, nx}, *a = to_levels ? in_modes : in_levels,
                  *b = to_levels ? in_levels : in_modes;
    const bool two = first && to_levels && !p->cut.comm;
    const struct sw_cuda_transform t = {
        .nx = nx, .ny = ny, .nz = nz, .systems = s->count, .add = add, .of = p->there_of,
        .goal = first && !to_levels ? NULL : p->there_goal,
        .packed = p->there_packed + (to_levels ? (size_t)s->desc.batch * p->words : 0),
        .from = from, .to = to, .from_row = a[0], .from_slab = a[1], .to_row = b[0], .to_slab = b[1],
        .other = two ? p->tiled : from,
        .first_other = two ? p->there_first_tiled : NULL,
        .squares = first && !to_levels ? p->squares : NULL,
        .from_squares = first && !to_levels ? p->f_squares : NULL};
    return sw_cuda_transform(s->device->compute, &t);
}

/* Sums of squares of a whole plane. */
static int64_t plane_squares(const struct sw_elliptic *s)
{
    return sw_cuda_transform_squares(s->desc.n[0], sw_elliptic_whole(&s->desc), s->desc.n[2]);
}

/* @param check  residuals are formed: those of an iteration before were larger than their bounds */
static enum sw_status solve_way(const struct sw_elliptic *s, int way, const struct sw_cuda_planes *planes, bool check)
{
    const struct modal *p = s->own;
    sw_cuda_stream stream = s->device->compute;
    switch (way) {
    case ON_LARGE_CHIP:
        return sw_cuda_planes_on_chip(stream, planes, p->there_planes, check, p->clusters[way], p->size[way],
                                      p->large_work);
    case ON_CHIP:
        return sw_cuda_planes_on_chip(p->beside[CHIP], planes, p->there_planes, check, p->clusters[way], p->size[way],
                                      p->work);
    case IN_MEMORY: case IN_DOUBLE:  /* behind those on chip, as they share p->work */
        return sw_cuda_planes_in_memory(p->beside[CHIP], planes, way == IN_DOUBLE, p->clusters[way], p->size[way],
                                        p->work);
    case OVERLAPPED:  /* those of all classes */
        return sw_cuda_planes_overlapped(p->beside[TILES], planes, MOST_STEPS, p->count + OVERLAPPED,
                                         p->plane_squares, plane_squares(s), p->tasks, p->tiled);
    default:
        return SW_OK;
    }
}

/* All ways side by side: the device's stream goes on when all are done. */
static enum sw_status solve_planes(const struct sw_elliptic *s, bool check)
{
    const struct modal *p = s->own;
    struct sw_cuda_planes planes = {.matrix = p->plane, .lambda = p->there_lambda, .share = p->there_share,
                                    .goal = p->there_goal, .order = p->there_order, .queue = p->there_queue,
                                    .w = p->w, .outcome = p->there_outcome, .bounds = p->bounds};
    cudaStream_t stream = s->device->compute;
    CU_TRY(cudaMemsetAsync(p->there_queue, 0, WAYS * sizeof *p->there_queue, stream));
    CU_TRY(cudaEventRecord(p->begun, stream));
    for (int k = 0; k < BESIDE; k++) CU_TRY(cudaStreamWaitEvent(p->beside[k], p->begun, 0));
    for (int way = 0; way < WAYS; planes.order += p->count[way], planes.queue++, way++) {
        planes.count = p->count[way];
        SW_TRY(solve_way(s, way, &planes, check));
    }
    for (int k = 0; k < BESIDE; k++) {
        CU_TRY(cudaEventRecord(p->ended[k], p->beside[k]));
        CU_TRY(cudaStreamWaitEvent(stream, p->ended[k], 0));
    }
    return SW_OK;
}

/* In iterations behind the first one residuals are formed, which tiles do not do. */
static void leave_tiles(struct sw_elliptic *s)
{
    struct modal *p = s->own;
    const struct sw_elliptic_matrix plane = plane_of(s);
    const double stiffness = elliptic_plane_stiffness(&plane);
    for (size_t k = 0; p->overlap && k < (size_t)s->count * (size_t)p->cut.modes; k++)
        if (p->way[k] >= OVERLAPPED) p->way[k] = (unsigned char)way_of(s, stiffness, p->lambda[k], 0);
    p->overlap = false;
    p->missed = true;
}

/* All outcomes, of all modes. */
static enum sw_status gather_outcomes(const struct sw_elliptic *s)
{
    const struct modal *p = s->own;
    const int64_t nz = s->desc.n[2], own = p->cut.modes;
    if (!p->cut.comm) return SW_OK;
    memset(p->of_all, 0, (size_t)(s->count * nz) * sizeof *p->of_all);
    for (int j = 0; j < s->count; j++)
        for (int64_t k = 0; k < own; k++)
            p->of_all[j * nz + elliptic_modal_mode(&p->cut, k)] = p->outcome[j * own + k];
    return elliptic_modal_outcomes(&p->cut, s->count * nz, p->of_all);
}

/* What became of the systems; problems that were missed are solved in double from now on. */
static enum sw_status record(const struct sw_elliptic *s, struct elliptic_pass *pass)
{
    struct modal *p = s->own;
    const size_t nz = (size_t)s->desc.n[2], own = (size_t)p->cut.modes;
    SW_TRY(gather_outcomes(s));
    for (int j = 0; j < s->count; j++) {
        const size_t first = (size_t)j * own;
        if (p->goal[j] < 0) continue;
        elliptic_modal_record(&pass->way[j], &p->set.vertical[p->set.of[j]], (int64_t)nz, p->of_all + (size_t)j * nz);
        for (size_t k = first; k < first + own; k++)
            if (p->outcome[k].residual > p->goal[j] * p->share[k] && p->way[k] != IN_DOUBLE) {
                p->way[k] = IN_DOUBLE;
                p->missed = true;
            }
    }
    return SW_OK;
}

/* |f|² and the goals of the first iteration, on the device. */
static enum sw_status find_goals(const struct sw_elliptic *s)
{
    const struct modal *p = s->own;
    sw_cuda_stream stream = s->device->compute;
    const int64_t squares = sw_cuda_transform_squares(s->desc.n[0], s->desc.n[1], s->desc.n[2]);
    const struct sw_comm *comm = p->cut.comm;
    if (!comm)
        return sw_cuda_transform_goals(stream, s->count, p->f_squares, squares, p->there_part, p->ff, p->there_goal);
    double *const of_ranks = p->sums + s->desc.batch;
    SW_TRY(sw_cuda_transform_goals(stream, s->count, p->f_squares, squares, p->there_part, p->sums, p->there_goal));
    for (int j = 0; j < s->count; j++)
        SW_TRY(sw_comm_gather(comm, 1, p->sums + j, of_ranks + (size_t)j * (size_t)comm->size));
    return sw_cuda_transform_goals(stream, s->count, of_ranks, comm->size, p->there_part, p->ff, p->there_goal);
}

/* The slabs of a system, in modes, become whole planes of this rank's modes.
 * @param words   of a row along y
 * @param slab    [nz][ny][words]
 * @param planes  out [modes of this rank][rows of the whole grid][words] */
static enum sw_status fetch_planes(struct sw_elliptic *s, int64_t words, const double *slab, double *planes)
{
    struct modal *p = s->own;
    struct elliptic_modal_cut *c = &p->cut;
    const double *at = p->arrived;
    elliptic_modal_count(c, s->desc.n[2], s->desc.n[1], words);
    SW_TRY(sw_comm_all_to_all(c->comm, c->with_rows, slab, c->with_modes, p->arrived));
    for (int r = 0; r < c->comm->size; at += c->with_modes[r++]) {
        const int64_t width = (c->first[r + 1] - c->first[r]) * words;
        SW_TRY(sw_cuda_copy_rows(s->device->compute, width, c->modes, at, width, planes + c->first[r] * words,
                                 p->planes.n[1] * words));
    }
    return SW_OK;
}

/* And back.
 * @param first_tiled  modes of this rank from this one on are in `tiled` */
static enum sw_status return_planes(struct sw_elliptic *s, int64_t first_tiled, const double *planes,
                                    const double *tiled, double *slab)
{
    struct modal *p = s->own;
    struct elliptic_modal_cut *c = &p->cut;
    const int64_t nx = s->desc.n[0], plane = p->planes.n[1] * nx;
    double *at = p->arrived;
    elliptic_modal_count(c, s->desc.n[2], s->desc.n[1], nx);
    for (int r = 0; r < c->comm->size; at += c->with_modes[r++]) {
        const int64_t width = (c->first[r + 1] - c->first[r]) * nx, from = c->first[r] * nx;
        SW_TRY(sw_cuda_copy_rows(s->device->compute, width, first_tiled, planes + from, plane, at, width));
        SW_TRY(sw_cuda_copy_rows(s->device->compute, width, c->modes - first_tiled,
                                 tiled + first_tiled * plane + from, plane, at + first_tiled * width, width));
    }
    return sw_comm_all_to_all(c->comm, c->with_modes, p->arrived, c->with_rows, slab);
}

/* Of all systems. Sums of squares of g are wanted in the first iteration. */
static enum sw_status send_modes(struct sw_elliptic *s, bool first)
{
    struct modal *p = s->own;
    const int64_t slab = (int64_t)sw_elliptic_cells(&s->desc), planes = (int64_t)sw_elliptic_cells(&p->planes),
                  tiles = sw_cuda_transform_squares(s->desc.n[0], 1, s->desc.n[2]);
    for (int j = 0; p->cut.comm && j < s->count; j++) {
        SW_TRY(fetch_planes(s, s->desc.n[0], p->in_modes + j * slab, p->w + j * planes));
        if (first)
            SW_TRY(fetch_planes(s, tiles, p->squares + j * s->desc.n[2] * s->desc.n[1] * tiles,
                                p->plane_squares + j * p->cut.modes * plane_squares(s)));
    }
    return SW_OK;
}
static enum sw_status return_modes(struct sw_elliptic *s, bool first)
{
    struct modal *p = s->own;
    const int64_t slab = (int64_t)sw_elliptic_cells(&s->desc), planes = (int64_t)sw_elliptic_cells(&p->planes);
    for (int j = 0; p->cut.comm && j < s->count; j++)
        SW_TRY(return_planes(s, first ? p->first_tiled[j] : p->cut.modes, p->w + j * planes, p->tiled + j * planes,
                             p->in_modes + j * slab));
    return SW_OK;
}

/* Queue an iteration, but the residual: from r to u. */
static enum sw_status queue_iteration(struct sw_elliptic *s, bool first, const double *r, double *u)
{
    struct modal *p = s->own;
    cudaStream_t stream = s->device->compute;
    const size_t problems = (size_t)s->count * (size_t)p->cut.modes;
    SW_TRY(transform(s, false, first, false, r, p->in_modes));
    if (first) {
        SW_TRY(find_goals(s));
        CU_TRY(cudaEventRecord(p->known, stream));
    }
    SW_TRY(send_modes(s, first));
    SW_TRY(solve_planes(s, !first));
    CU_TRY(cudaEventRecord(p->begun, stream));
    CU_TRY(cudaStreamWaitEvent(p->beside[CHIP], p->begun, 0));
    if (problems)
        CU_TRY(cudaMemcpyAsync(p->outcome, p->there_outcome, problems * sizeof *p->outcome, cudaMemcpyDeviceToHost,
                               p->beside[CHIP]));
    CU_TRY(cudaEventRecord(p->solved, p->beside[CHIP]));
    SW_TRY(return_modes(s, first));
    return transform(s, true, first, !first, p->in_modes, u);
}

/* |f|². The first iteration needs nothing of the host and is queued with it, so that the device does not wait; where a
 * system turns out not to be due, u is set to 0 behind it, and it is queued again. */
static enum sw_status square(void *context, const double *f, const double *same, double *ff)
{
    struct modal *p = context;
    struct sw_elliptic *s = p->solver;
    (void)same;
    SW_TRY(queue_iteration(s, true, f, p->u));
    CU_TRY(cudaEventSynchronize(p->known));
    SW_TRY(elliptic_ranks_sum(p->on.ranks, 0, NULL));  /* of a cut grid: whether one is to give up */
    p->queued = true;
    for (int j = 0; j < s->count; j++) {
        ff[j] = p->ff[j];
        p->queued &= ff[j] > 0 && isfinite(ff[j]) && p->part[j] >= 0;
    }
    return SW_OK;
}

static enum sw_status correct(void *context, struct elliptic_pass *pass, double *u)
{
    struct sw_elliptic *s = context;
    struct modal *p = s->own;
    bool any = false;
    for (int j = 0; j < s->count; j++) {
        const struct elliptic_way *way = &pass->way[j];
        const bool due = way->due && way->outcome->iterations < way->numbers->iterations;
        p->goal[j] = due ? elliptic_modal_goal(way) : -1;
        any |= due;
    }
    if (!any) return SW_OK;
    if (pass->first && !p->queued) {  /* u was set to 0 since */
        SW_TRY(queue_iteration(s, true, pass->r, u));
    } else if (!pass->first) {
        leave_tiles(s);
        SW_TRY(order(s));
        CU_TRY(cudaMemcpyAsync(p->there_goal, p->goal, (size_t)s->count * sizeof *p->goal, cudaMemcpyHostToDevice,
                               s->device->compute));
        SW_TRY(queue_iteration(s, false, pass->r, u));
    }
    CU_TRY(cudaEventSynchronize(p->solved));  /* while u is formed */
    return record(s, pass);
}

static enum sw_status solve(struct sw_elliptic *s, const double *f, double *u, struct sw_elliptic_outcome *outcome,
                            double *history, int most)
{
    struct modal *p = s->own;
    struct elliptic_space space = elliptic_device_space(&p->on);
    const struct sw_elliptic_numbers *numbers = elliptic_ranks_begin(p->on.ranks, s->count, s->numbers);
    space.lean = true;
    space.dot = square;
    p->solver = s;
    p->u = u;
    p->queued = false;
    if (p->missed) SW_TRY(begin_ways(s));
    return elliptic_refine(&space, numbers, f, u, outcome, history, most, correct, s);
}

extern const struct sw_elliptic_ops elliptic_modal_cuda;
const struct sw_elliptic_ops elliptic_modal_cuda = {
    .name = "cuda.modal",
    .about = "vertical modes on a GPU: tensor cores between levels and modes, a problem in the plane for each mode",
    .space = SW_DEVICE,
    .refuse = refuse,
    .slower = slower,
    .cuts = true,
    .own_size = sizeof(struct modal),
    .arrays = arrays,
    .other_bytes = other_bytes,
    .create = create,
    .load = load,
    .solve = solve,
    .destroy = destroy,
};
