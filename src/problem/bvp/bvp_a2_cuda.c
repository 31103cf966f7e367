/* Rows `cuda.a2s`, `cuda.a2d`, `cuda.a2sd`: divide and conquer over r columns on a GPU as published (the paper's
 * figures 3 to 7): steps A and C are kernels, cuda/bvp_a2_rtc.cuh; the rows of r numbers that steps B sum up come to
 * the CPU and go back. One problem after another. What does not fill the columns is summed up with them, on the CPU. */
#include "base/sw_mem.h"
#include "problem/bvp/device_bvp_cuda.h"

#define REAL float
#define CARRY float
#define STEP(x) x##_s
#include "problem/bvp/edges_body.h"

#define REAL double
#define CARRY double
#define STEP(x) x##_d
#include "problem/bvp/edges_body.h"

#define REAL float
#define CARRY double
#define STEP(x) x##_sd
#include "problem/bvp/edges_body.h"

enum { SET_K, DOWN_K, UP_K, TOPS_K, MEASURE_K, KEEP_K };
static const char *const kernels[] = {"set_k", "down_k", "up_k", "tops_k", "measure_k", "keep_k", 0};
static const struct device_bvp_source source = {"bvp_a2_rtc.cuh", kernels, NULL};

struct columns { void *u; long long r, s, rest; };  /* as kernels see them */

struct a2 {
    struct device_bvp device;
    void   *u;          /* [n] on the device                                            */
    void   *part;       /* [parts_room()] struct bvp_norms on the device                */
    char   *edge;       /* a row and what comes after the columns, pinned; grows        */
    int64_t edge_room;  /* its numbers                                                  */
};

/* ------------------------------------------------------------------ steps B */

struct steps {
    void (*along_bottom)(void *bottom, int64_t r, int64_t rest);
    void (*along_top)(void *top, void *after, int64_t r, int64_t rest);
};
static const struct steps steps_s = {along_bottom_s, along_top_s}, steps_d = {along_bottom_d, along_top_d},
                          steps_sd = {along_bottom_sd, along_top_sd};

static const struct steps *steps_of(const struct sw_bvp *bvp)
{
    if (bvp->ops->word == 8) return &steps_d;
    return bvp->ops->carry == 8 ? &steps_sd : &steps_s;
}

/* r is known only now; for the default it is a small part of n. */
static enum sw_status make_room(struct sw_bvp *bvp, struct a2 *a, int64_t entries)
{
    if (entries <= a->edge_room) return SW_OK;
    sw_device_free_host(bvp->device, a->edge);
    a->edge = NULL;
    a->edge_room = 0;
    SW_TRY(sw_device_alloc_host_bytes(bvp->device, (size_t)entries, (size_t)bvp->ops->word, &a->edge));
    a->edge_room = entries;
    return SW_OK;
}

/* Entries first .. first+count-1 of u to or from a place in edge. */
static enum sw_status to_host(struct sw_bvp *bvp, struct a2 *a, int64_t first, int64_t count, int64_t place)
{
    const int64_t word = bvp->ops->word;
    return sw_device_download(bvp->device, a->edge + place * word, (char *)a->u + first * word, (size_t)(count * word));
}

static enum sw_status to_device(struct sw_bvp *bvp, struct a2 *a, int64_t first, int64_t count, int64_t place)
{
    const int64_t word = bvp->ops->word;
    return sw_device_upload(bvp->device, (char *)a->u + first * word, a->edge + place * word, (size_t)(count * word));
}

static enum sw_status step_1b(struct sw_bvp *bvp, struct a2 *a, const struct columns *c)
{
    const int64_t bottom = (c->s - 1) * c->r, count = c->r + c->rest;
    SW_TRY(to_host(bvp, a, bottom, count, 0));
    steps_of(bvp)->along_bottom(a->edge, c->r, c->rest);
    return to_device(bvp, a, bottom, count, 0);
}

/* What comes after the columns is still in edge. */
static enum sw_status step_2b(struct sw_bvp *bvp, struct a2 *a, const struct columns *c)
{
    SW_TRY(to_host(bvp, a, 0, c->r, 0));
    steps_of(bvp)->along_top(a->edge, a->edge + c->r * bvp->ops->word, c->r, c->rest);
    SW_TRY(to_device(bvp, a, 0, c->r, 0));
    return to_device(bvp, a, c->r * c->s, c->rest, c->r);
}

/* ------------------------------------------------------------------ norms, fields */

enum { NORM_THREADS = 256, TILE = 32, TILE_THREADS = 256 };

/* Some 2^18 threads where r is smaller; n and r alone decide, as the order of sums depends on it. */
static int64_t slices_of(int64_t r)
{
    const int64_t slices = ((1 << 18) + r - 1) / r;
    return slices < 1024 ? slices : 1024;
}

/* With b = ceil(r/256) blocks in a row b (slices + 1) <= 2 * 1025 for r <= 256; else slices + 1 <= 2^18/r + 2, and the
 * product is at most 1024 + r/128 + 2^18/r + 2, where 2 r <= n. */
static size_t parts_room(int64_t n) { return 4096 + (size_t)(n / 256); }

static enum sw_status measure(struct sw_bvp *bvp, struct a2 *a, int j, struct columns *c)
{
    const int64_t slices = slices_of(c->r);
    long long rows = (c->s + slices - 1) / slices;
    int blocks = (int)((c->r + NORM_THREADS - 1) / NORM_THREADS), layers = (int)((c->s + rows - 1) / rows) + 1;
    void *args[] = {&a->device.batch, &j, c, &rows, &a->part};
    if (!bvp->desc.exact) return SW_OK;
    SW_TRY(sw_kernel_launch(bvp->device, a->device.kernel[MEASURE_K], blocks, layers, NORM_THREADS, 0, args));
    return device_bvp_norms(bvp, &a->device, a->part, j, 1, (int64_t)blocks * layers);
}

static enum sw_status keep(struct sw_bvp *bvp, struct a2 *a, int j, struct columns *c)
{
    const int64_t across = (c->r + TILE - 1) / TILE, down = (c->s + TILE - 1) / TILE;
    void *args[] = {&a->device.batch, &j, c};
    if (!bvp->desc.keep) return SW_OK;
    return sw_kernel_launch(bvp->device, a->device.kernel[KEEP_K], (int)across, (int)(down < 65535 ? down : 65535),
                            TILE_THREADS, 0, args);
}

/* ------------------------------------------------------------------ one problem */

/* Blocks as large as leave two to each multiprocessor: with few columns, small ones (tests/bench_a2.c). No bit depends
 * on this. */
static int threads_for(const struct sw_bvp *bvp, int64_t r)
{
    int threads = 256;
    while (threads > 32 && r / threads < 2 * bvp->device->processors) threads /= 2;
    return threads;
}

static enum sw_status solve_one(struct sw_bvp *bvp, struct a2 *a, int j)
{
    const int64_t n = bvp->desc.n, r = bvp->run[j].r, s = n / r;
    struct columns c = {a->u, r, s, n - r * s};
    void *const *k = a->device.kernel, *args[] = {&a->device.batch, &j, &c}, *bare[] = {&c};
    const int threads = threads_for(bvp, r), blocks = (int)((r + threads - 1) / threads);
    SW_TRY(make_room(bvp, a, r + c.rest));
    SW_TRY(sw_kernel_launch(bvp->device, k[SET_K], blocks, 1, threads, 0, args));
    SW_TRY(sw_kernel_launch(bvp->device, k[DOWN_K], blocks, 1, threads, 0, bare));
    SW_TRY(step_1b(bvp, a, &c));
    SW_TRY(sw_kernel_launch(bvp->device, k[UP_K], blocks, 1, threads, 0, bare));
    SW_TRY(step_2b(bvp, a, &c));
    SW_TRY(sw_kernel_launch(bvp->device, k[TOPS_K], blocks, 1, threads, 0, args));
    SW_TRY(measure(bvp, a, j, &c));
    return keep(bvp, a, j, &c);
}

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct a2 *a = bvp->own;
    SW_TRY(device_bvp_begin(bvp, &a->device));
    for (int j = 0; j < bvp->count; j++)
        if (!bvp->refused[j]) SW_TRY(solve_one(bvp, a, j));
    return SW_OK;
}

/* ------------------------------------------------------------------ the rows */

static enum sw_status fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    return device_bvp_fetch(bvp, &((struct a2 *)bvp->own)->device, field, result);
}

static void destroy(struct sw_bvp *bvp)
{
    struct a2 *a = bvp->own;
    if (!a) return;
    device_bvp_destroy(bvp, &a->device);
    sw_device_free(bvp->device, a->u);
    sw_device_free(bvp->device, a->part);
    sw_device_free_host(bvp->device, a->edge);
    sw_free(a);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    struct a2 *a = NULL;
    SW_TRY(sw_alloc(1, &a));
    bvp->own = a;
    SW_TRY(device_bvp_create(bvp, &source, &a->device));
    SW_TRY(sw_device_alloc_bytes(bvp->device, (size_t)bvp->desc.n, (size_t)bvp->ops->word, &a->u));
    return sw_device_alloc_bytes(bvp->device, parts_room(bvp->desc.n), sizeof(struct bvp_norms), &a->part);
}

static void bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, size_t *fixed, size_t *per_run)
{
    *fixed = (size_t)row->word * (size_t)desc->n + parts_room(desc->n) * sizeof(struct bvp_norms);
    *per_run = device_bvp_bytes(desc);
}

static enum sw_status try_compile(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, int sm)
{
    return device_bvp_try_compile(row, desc, &source, sm);
}

/* f set; each of 1A, 1C, 2A and 2C reads and writes. */
static struct sw_cost cost(const struct sw_bvp *bvp) { return (struct sw_cost){9.0 * bvp->ops->word, 4}; }

#define A2_ROW(row, n, text, size, size_of_carry)                                                                  \
    extern const struct sw_bvp_ops row;                                                                            \
    const struct sw_bvp_ops row = {                                                                                \
        .name = (n), .about = (text), .space = SW_DEVICE, .fits = sw_bvp_plain, .bytes = bytes, .create = create,  \
        .solve = solve, .fetch = fetch, .destroy = destroy, .try_compile = try_compile, .cost = cost,              \
        .columns = true, .word = (size), .carry = (size_of_carry)}

A2_ROW(bvp_a2s_cuda, "cuda.a2s", "the paper's kernels, a thread a column, single precision (A2S)", 4, 4);
A2_ROW(bvp_a2d_cuda, "cuda.a2d", "the paper's kernels, a thread a column, double precision (A2D)", 8, 8);
A2_ROW(bvp_a2sd_cuda, "cuda.a2sd", "a2s with the sums across columns in double precision, on the CPU (A2SD)", 4, 8);
