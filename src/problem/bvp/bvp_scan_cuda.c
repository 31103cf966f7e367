/* Row `cuda.scan`: totals first, then u, on a GPU (numerics.md, 7; cuda/bvp_scan_rtc.cuh). Short problems are a block
 * each. The others are cut into groups of chunks, in a way that n alone decides, and all of a batch go through three
 * kernels: totals of groups, what is before and after each, u. Where nobody wants the field, it is only measured.
 *
 * f and exact go into the kernels as programs in X and t, x = X + t, so that much of them is computed once for each X
 * or each t. */
#include <limits.h>

#include "base/sw_mem.h"
#include "problem/bvp/device_bvp_cuda.h"

enum { TOTALS_K, CHAIN_K, WRITE_K, SHORT_K = TOTALS_K };
enum {
    STRETCH = 16,          /* points of a thread: their u are 32 registers                                   */
    SHORT_MOST = 8192,     /* points of a problem that a block does by itself, 16 warps                      */
    LONG_WARPS = 4,
    GROUPS = 2048,         /* of a problem, some: stretches and tiles double while there would be more       */
    TILES_MOST = 8,        /* times a thread of the first pass begins anew                                   */
    CHAIN_THREADS = 1024,
    WARPS_SHORT = 32,      /* of a multiprocessor at once, for short problems: up to 64 registers a thread   */
    WARPS_LONG = 24,       /* for the others: 80                                                             */
    WARPS_MEASURING = 20,  /* with norms: 96                                                                 */
    KEPT_MOST = 64,        /* values for each t: 32 KiB of shared memory where there are 64 t                 */
    POINTS_MOST = 24       /* operations at a point that are copied for each point of a stretch              */
};

/* ------------------------------------------------------------------ the shape */

struct shape {
    int     is_short, m, warps, stretches, tiles;
    int     chunks;      /* of a group                                                      */
    int64_t groups;      /* of a problem                                                    */
    int64_t pad;         /* places before the first point                                   */
};

static void cut_short(int64_t n, struct shape *s)
{
    const int64_t most = 32 * STRETCH;
    s->warps = (int)((n + most - 1) / most);
    s->m = (int)((n + 32 * s->warps - 1) / (32 * s->warps));
    if (n % 2 == 0 && s->m > 1) s->m += s->m % 2;  /* pairs of points can be stored at once */
}

static void cut_long(int64_t n, struct shape *s)
{
    const int64_t tile = 32 * STRETCH * LONG_WARPS;
    s->warps = LONG_WARPS;
    s->m = STRETCH;
    while (s->stretches < 4 && n > tile * s->stretches * GROUPS) s->stretches *= 2;
    while (s->tiles < TILES_MOST && n > tile * s->stretches * s->tiles * GROUPS) s->tiles *= 2;
}

static struct shape shape_of(int64_t n)
{
    struct shape s = {.is_short = n <= SHORT_MOST, .stretches = 1, .tiles = 1};
    if (s.is_short) cut_short(n, &s);
    else cut_long(n, &s);
    s.chunks = s.warps * s.stretches * s.tiles;
    int64_t group = (int64_t)32 * s.m * s.chunks;
    s.groups = (n - 1) / group + 1;
    s.pad = s.groups * group - n;
    return s;
}

/* Distance of the stretches of a warp in shared memory, in doubles: 8 lanes with 16 bytes each, or 16 with 8, then meet
 * all banks. */
static int stride_of(int m) { return m % 4 == 0 ? m + 2 : m; }

static size_t shared_of(const struct shape *s) { return sizeof(double) * 32 * (size_t)(s->warps * stride_of(s->m)); }

static struct sw_program_size size_of(const struct sw_program *program)
{
    return program ? sw_program_size(program) : (struct sw_program_size){0};
}

static int calls_of(const struct sw_program *program) { return program ? sw_program_calls(program) : 0; }

/* A program in x changes from cell to cell, or not at all; one in X and t also with t, or not at all. */
static bool is_in_x(const struct sw_program *program) { return program && sw_program_rate(program) == SW_RATE_CELL; }

static void add_shape(const struct sw_bvp_desc *desc, struct sw_text *text)
{
    const int points = size_of(desc->f).point + size_of(desc->exact).point,
              calls = calls_of(desc->f) + calls_of(desc->exact);
    const struct shape s = shape_of(desc->n);
    const int warps = desc->exact ? WARPS_MEASURING : s.is_short ? WARPS_SHORT : WARPS_LONG;
    sw_text_printf(text, "#define SHORT %d\n#define PADDED %d\n#define WIDE %d\n#define SINGLE %d\n", s.is_short,
                   s.pad > 0, desc->n % 2 == 0 && s.m % 2 == 0, desc->single);
    sw_text_printf(text, "#define BY_OFFSET %d\n#define UNROLLED %d\n", !is_in_x(desc->f) && !is_in_x(desc->exact),
                   calls == 0 && points <= POINTS_MOST);
    sw_text_printf(text, "enum { M = %d, WARPS = %d, STRETCHES = %d, TILES = %d, CHAIN_THREADS = %d };\n", s.m, s.warps,
                   s.stretches, s.tiles, CHAIN_THREADS);
    sw_text_printf(text, "enum { AT_ONCE = %d, STRIDE = %d };\n", s.warps < warps ? warps / s.warps : 1,
                   stride_of(s.m));
}

static const char *const kernels_long[] = {"totals_k", "chain_k", "write_k", 0};
static const char *const kernels_short[] = {"short_k", 0};

static struct device_bvp_source source_of(int64_t n)
{
    return (struct device_bvp_source){"bvp_scan_rtc.cuh", shape_of(n).is_short ? kernels_short : kernels_long,
                                      add_shape};
}

/* ------------------------------------------------------------------ programs in X and t */

struct offsets { struct sw_program *f, *exact; };

static void offsets_destroy(struct offsets *o)
{
    sw_program_destroy(&o->f);
    sw_program_destroy(&o->exact);
}

/* desc's programs become those of o, unless these keep too much. */
static enum sw_status offsets_create(struct sw_bvp_desc *desc, struct offsets *o)
{
    SW_TRY(sw_program_offset(desc->f, SW_IN_X, &o->f));
    if (desc->exact) SW_TRY(sw_program_offset(desc->exact, SW_IN_X, &o->exact));
    if (size_of(o->f).step > KEPT_MOST || size_of(o->exact).step > KEPT_MOST) return SW_OK;
    desc->f = o->f;
    desc->exact = o->exact;
    return SW_OK;
}

/* ------------------------------------------------------------------ life */

struct pair2 { double value[2]; };                /* double2, as kernels have it   */
struct edge  { double y[2], u[2]; };              /* two pairs, likewise           */

struct scan {
    struct device_bvp device;
    struct shape      shape;
    struct arrays {                               /* struct scan of the kernels    */
        long long     pad, groups;
        struct pair2 *local;                      /* [capacity][groups][chunks]    */
        struct edge  *group;                      /* [capacity][groups]            */
        struct bvp_norms *part;                   /* [capacity][groups]            */
    } arrays;
};

static void destroy(struct sw_bvp *bvp)
{
    struct scan *p = bvp->own;
    if (!p) return;
    device_bvp_destroy(bvp, &p->device);
    sw_device_free(bvp->device, p->arrays.local);
    sw_device_free(bvp->device, p->arrays.group);
    sw_device_free(bvp->device, p->arrays.part);
    sw_free(p);
}

static enum sw_status create_kernels(struct sw_bvp *bvp, struct scan *p)
{
    const struct sw_bvp_desc desc = bvp->desc;
    const struct device_bvp_source source = source_of(desc.n);
    struct offsets o = {0};
    enum sw_status st = offsets_create(&bvp->desc, &o);
    if (!st) st = device_bvp_create(bvp, &source, &p->device);
    bvp->desc = desc;
    offsets_destroy(&o);
    return st;
}

static enum sw_status create(struct sw_bvp *bvp)
{
    struct scan *p = NULL;
    SW_TRY(sw_alloc(1, &p));
    bvp->own = p;
    p->shape = shape_of(bvp->desc.n);
    p->arrays.pad = p->shape.pad;
    p->arrays.groups = p->shape.groups;
    SW_TRY(create_kernels(bvp, p));
    if (p->shape.is_short) return SW_OK;
    const size_t groups = (size_t)bvp->desc.capacity * (size_t)p->shape.groups;
    SW_TRY(sw_device_alloc(bvp->device, groups * (size_t)p->shape.chunks, &p->arrays.local));
    SW_TRY(sw_device_alloc(bvp->device, groups, &p->arrays.group));
    return sw_device_alloc(bvp->device, groups, &p->arrays.part);
}

static void bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, size_t *fixed, size_t *per_run)
{
    const struct shape s = shape_of(desc->n);
    const size_t group = sizeof(struct edge) + sizeof(struct bvp_norms) + (size_t)s.chunks * sizeof(struct pair2);
    (void)row;
    *fixed = 0;
    *per_run = device_bvp_bytes(desc) + (s.is_short ? 0 : (size_t)s.groups * group);
}

static enum sw_status try_compile(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, int sm)
{
    const struct device_bvp_source source = source_of(desc->n);
    struct sw_bvp_desc with_offsets = *desc;
    struct offsets o = {0};
    enum sw_status st = offsets_create(&with_offsets, &o);
    if (!st) st = device_bvp_try_compile(row, &with_offsets, &source, sm);
    offsets_destroy(&o);
    return st;
}

/* ------------------------------------------------------------------ a batch */

static enum sw_status solve_long(struct sw_bvp *bvp, struct scan *p)
{
    const int threads = 32 * p->shape.warps, blocks = (int)(bvp->count * p->shape.groups);
    void *args[] = {&p->device.batch, &p->arrays}, *chain[] = {&p->arrays};
    SW_TRY(sw_kernel_launch(bvp->device, p->device.kernel[TOTALS_K], blocks, 1, threads, 0, args));
    SW_TRY(sw_kernel_launch(bvp->device, p->device.kernel[CHAIN_K], bvp->count, 1, CHAIN_THREADS, 0, chain));
    SW_TRY(sw_kernel_launch(bvp->device, p->device.kernel[WRITE_K], blocks, 1, threads, shared_of(&p->shape), args));
    return device_bvp_norms(bvp, &p->device, p->arrays.part, 0, bvp->count, p->shape.groups);
}

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct scan *p = bvp->own;
    void *args[] = {&p->device.batch, &p->arrays};
    SW_TRY(device_bvp_begin(bvp, &p->device));
    if (!p->shape.is_short) return solve_long(bvp, p);
    return sw_kernel_launch(bvp->device, p->device.kernel[SHORT_K], bvp->count, 1, 32 * p->shape.warps,
                            shared_of(&p->shape), args);
}

static enum sw_status fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    return device_bvp_fetch(bvp, &((struct scan *)bvp->own)->device, field, result);
}

/* ------------------------------------------------------------------ the row */

/* Blocks are counted by an int. */
static bool fits(const struct sw_bvp_desc *desc)
{
    return sw_bvp_plain(desc) && shape_of(desc->n).groups <= INT_MAX / desc->capacity;
}

/* Nothing is read; u is written, where it is kept. Additions, a product counting as one more: five in the first pass,
 * eight in the second; in one kernel, six. */
static struct sw_cost cost(const struct sw_bvp *bvp)
{
    const double word = bvp->desc.keep_single ? 4 : 8;
    return (struct sw_cost){bvp->desc.keep ? word : 0, shape_of(bvp->desc.n).is_short ? 6 : 8};
}

extern const struct sw_bvp_ops bvp_scan_cuda;
const struct sw_bvp_ops bvp_scan_cuda = {
    .name = "cuda.scan",
    .about = "totals first, then u, on a GPU; short problems in one kernel",
    .space = SW_DEVICE,
    .fits = fits,
    .bytes = bytes,
    .create = create,
    .solve = solve,
    .fetch = fetch,
    .destroy = destroy,
    .try_compile = try_compile,
    .cost = cost,
};
