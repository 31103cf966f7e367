/* Rows `cuda.a2s`, `cuda.a2d`, `cuda.a2sd`: divide and conquer over r columns on a GPU as published (the paper's
 * figures 3 to 7): steps A and C are kernels, cuda/bvp/bvp_a2_rtc.cuh; the rows of r numbers that steps B scan are
 * copied to the CPU and back. One problem after another. The entries that do not fill the columns are scanned with
 * them, on the CPU. */
#include "problem/bvp/bvp_device_cuda.h"

#define STEPS_B_ONLY
#include "problem/bvp/bvp_a2_precisions.h"

enum { RIGHT_HAND_SIDE_K = BVP_ROW_K, FORWARD_SWEEP_K, BACKWARD_SWEEP_K, ADD_TOPS_K, BLOCK_NORMS_K, SAVE_K };
static const char *const kernels[] = {"right_hand_side_k", "forward_sweep_k", "backward_sweep_k",
                                      "add_tops_k",        "block_norms_k",   "save_k", 0};
static const struct bvp_kernels source = {"cuda/bvp/bvp_a2_rtc.cuh", kernels, NULL};

struct columns { void *u; long long r, s, rest; };  /* as kernels see them */

struct a2 {
    struct bvp_device device;
    void   *u;            /* [n] on the device                                          */
    void   *block_norms;  /* [norms_room()] struct bvp_norms on the device              */
    char   *rows;         /* a row and what comes after the columns, pinned; grows      */
    int64_t rows_room;    /* its numbers                                                */
};

/* ------------------------------------------------------------------ steps B */

struct steps {
    void (*scan_bottom_row)(void *bottom, int64_t r, int64_t rest);
    void (*scan_top_row)(void *top, void *after, int64_t r, int64_t rest);
};
static const struct steps steps_s = {scan_bottom_row_s, scan_top_row_s}, steps_d = {scan_bottom_row_d, scan_top_row_d},
                          steps_sd = {scan_bottom_row_sd, scan_top_row_sd};

static const struct steps *steps_of(const struct sw_bvp *bvp)
{
    if (bvp->ops->element_size == 8) return &steps_d;
    return bvp->ops->scan_element_size == 8 ? &steps_sd : &steps_s;
}

/* r is known only now; for the default it is a small part of n. */
static enum sw_status reserve_rows(struct sw_bvp *bvp, struct a2 *a, int64_t entries)
{
    if (entries <= a->rows_room) return SW_OK;
    sw_device_free_host(bvp->device, a->rows);
    a->rows = NULL;
    a->rows_room = 0;
    SW_TRY(sw_device_alloc_host_bytes(bvp->device, (size_t)entries, (size_t)bvp->ops->element_size, &a->rows));
    a->rows_room = entries;
    return SW_OK;
}

/* Entries first .. first+count-1 of u to or from entry `at` of the rows on the host. */
static enum sw_status download_entries(struct sw_bvp *bvp, struct a2 *a, int64_t first, int64_t count, int64_t at)
{
    const int64_t size = bvp->ops->element_size;
    return sw_device_download(bvp->device, a->rows + at * size, (char *)a->u + first * size, (size_t)(count * size));
}

static enum sw_status upload_entries(struct sw_bvp *bvp, struct a2 *a, int64_t first, int64_t count, int64_t at)
{
    const int64_t size = bvp->ops->element_size;
    return sw_device_upload(bvp->device, (char *)a->u + first * size, a->rows + at * size, (size_t)(count * size));
}

static enum sw_status step_1b(struct sw_bvp *bvp, struct a2 *a, const struct columns *c)
{
    const int64_t bottom = (c->s - 1) * c->r, count = c->r + c->rest;
    SW_TRY(download_entries(bvp, a, bottom, count, 0));
    steps_of(bvp)->scan_bottom_row(a->rows, c->r, c->rest);
    return upload_entries(bvp, a, bottom, count, 0);
}

/* What comes after the columns is still in the rows on the host. */
static enum sw_status step_2b(struct sw_bvp *bvp, struct a2 *a, const struct columns *c)
{
    SW_TRY(download_entries(bvp, a, 0, c->r, 0));
    steps_of(bvp)->scan_top_row(a->rows, a->rows + c->r * bvp->ops->element_size, c->r, c->rest);
    SW_TRY(upload_entries(bvp, a, 0, c->r, 0));
    return upload_entries(bvp, a, c->r * c->s, c->rest, c->r);
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
static size_t norms_room(int64_t n) { return 4096 + (size_t)(n / 256); }

static enum sw_status queue_norms(struct sw_bvp *bvp, struct a2 *a, int j, struct columns *c)
{
    const int64_t slices = slices_of(c->r);
    long long rows = (c->s + slices - 1) / slices;
    int blocks = (int)((c->r + NORM_THREADS - 1) / NORM_THREADS), layers = (int)((c->s + rows - 1) / rows) + 1;
    void *args[] = {&a->device.batch, &j, c, &rows, &a->block_norms};
    if (!bvp->desc.exact) return SW_OK;
    SW_TRY(sw_kernel_launch(bvp->device, a->device.kernels.kernel[BLOCK_NORMS_K], blocks, layers, NORM_THREADS, 0,
                            args));
    return bvp_device_norms(bvp, &a->device, a->block_norms, j, 1, (int64_t)blocks * layers);
}

static enum sw_status save_field(struct sw_bvp *bvp, struct a2 *a, int j, struct columns *c)
{
    const int64_t across = (c->r + TILE - 1) / TILE, down = (c->s + TILE - 1) / TILE;
    void *args[] = {&a->device.batch, &j, c};
    if (!bvp->desc.save) return SW_OK;
    return sw_kernel_launch(bvp->device, a->device.kernels.kernel[SAVE_K], (int)across,
                            (int)(down < 65535 ? down : 65535), TILE_THREADS, 0, args);
}

/* ------------------------------------------------------------------ one problem */

/* Blocks as large as leave two to each multiprocessor: with few columns, small ones (bench_a2.c). No bit depends
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
    void *const *k = a->device.kernels.kernel, *args[] = {&a->device.batch, &j, &c}, *bare[] = {&c};
    const int threads = threads_for(bvp, r), blocks = (int)((r + threads - 1) / threads);
    SW_TRY(reserve_rows(bvp, a, r + c.rest));
    SW_TRY(sw_kernel_launch(bvp->device, k[RIGHT_HAND_SIDE_K], blocks, 1, threads, 0, args));
    SW_TRY(sw_kernel_launch(bvp->device, k[FORWARD_SWEEP_K], blocks, 1, threads, 0, bare));
    SW_TRY(step_1b(bvp, a, &c));
    SW_TRY(sw_kernel_launch(bvp->device, k[BACKWARD_SWEEP_K], blocks, 1, threads, 0, bare));
    SW_TRY(step_2b(bvp, a, &c));
    SW_TRY(sw_kernel_launch(bvp->device, k[ADD_TOPS_K], blocks, 1, threads, 0, args));
    SW_TRY(queue_norms(bvp, a, j, &c));
    return save_field(bvp, a, j, &c);
}

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct a2 *a = bvp->own;
    SW_TRY(bvp_device_begin(bvp, &a->device));
    for (int j = 0; j < bvp->count; j++)
        if (!bvp->refused[j]) SW_TRY(solve_one(bvp, a, j));
    return SW_OK;
}

/* ------------------------------------------------------------------ the rows */

static enum sw_status fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    return bvp_device_fetch(bvp, &((struct a2 *)bvp->own)->device, field, result);
}

static void destroy(struct sw_bvp *bvp)
{
    struct a2 *a = bvp->own;
    bvp_device_destroy(bvp, &a->device);
    sw_device_free_host(bvp->device, a->rows);
}

static void arrays(struct sw_bvp *bvp)
{
    const size_t size = (size_t)bvp->ops->element_size;
    struct a2 *a = bvp->own;
    bvp_device_arrays(bvp, &a->device);
    sw_array_bytes(&bvp->arrays, SW_ARRAY_DEVICE, (size_t)bvp->desc.n, size, &a->u);
    sw_array_bytes(&bvp->arrays, SW_ARRAY_DEVICE, norms_room(bvp->desc.n), sizeof(struct bvp_norms), &a->block_norms);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    return bvp_device_create(bvp, &source, &((struct a2 *)bvp->own)->device);
}

/* f set; each of 1A, 1C, 2A and 2C reads and writes. */
static struct sw_cost cost(const struct sw_bvp *bvp) { return (struct sw_cost){9.0 * bvp->ops->element_size, 4}; }

#define A2_ROW(row, n, text, size, size_in_scans)                                                                  \
    extern const struct sw_bvp_ops row;                                                                            \
    const struct sw_bvp_ops row = {                                                                                \
        .name = (n), .about = (text), .space = SW_DEVICE, .fits = sw_bvp_plain,                                    \
        .own_size = sizeof(struct a2), .arrays = arrays, .create = create,                                         \
        .solve = solve, .fetch = fetch, .destroy = destroy, .cost = cost,                                          \
        .columns = true, .element_size = (size), .scan_element_size = (size_in_scans)}

A2_ROW(bvp_a2s_cuda, "cuda.a2s", "the paper's kernels, a thread a column, single precision (A2S)", 4, 4);
A2_ROW(bvp_a2d_cuda, "cuda.a2d", "the paper's kernels, a thread a column, double precision (A2D)", 8, 8);
A2_ROW(bvp_a2sd_cuda, "cuda.a2sd", "a2s with the sums across columns in double precision, on the CPU (A2SD)", 4, 8);
