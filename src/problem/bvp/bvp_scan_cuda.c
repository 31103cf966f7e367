/* Row `cuda.scan`: totals first, then u, on a GPU (docs/explanation/bvp.md; cuda/bvp/bvp_scan_rtc.cuh). Short problems
 * are a block each. The others are cut into groups of chunks, in a way that n alone decides, and all of a batch go
 * through three kernels: totals of groups, their exclusive scans, u. Where the field is not saved, only its norms are
 * formed.
 *
 * f and exact go into the kernels as programs in X and t, x = X + t, so that much of them is computed once for each X
 * or each t. */
#include <limits.h>

#include "problem/bvp/bvp_device_cuda.h"

enum { GROUP_TOTALS_K = BVP_ROW_K, SCAN_GROUPS_K, SOLUTION_K, SHORT_PROBLEM_K = GROUP_TOTALS_K };
enum {
    SEGMENT = 16,          /* points of a thread: their u are 32 registers                                   */
    SHORT_POINTS = 8192,     /* points of a problem that a block does by itself, 16 warps                      */
    LONG_WARPS = 4,
    GROUPS = 2048,         /* of a problem, some: segments and tiles double while there would be more       */
    MOST_TILES = 8,        /* times a thread of the first pass begins anew                                   */
    MOST_PARTS = 4,        /* of a group, blocks of the last pass                                            */
    SCAN_THREADS = 1024,
    WARPS_SHORT = 32,      /* of a multiprocessor at once, for short problems: up to 64 registers a thread   */
    WARPS_LONG = 24,       /* for the others: 80                                                             */
    WARPS_MEASURING = 20,  /* with norms: 96                                                                 */
    MOST_VALUES_OF_T = 64,        /* values for each t: 32 KiB of shared memory where there are 64 t                 */
    MOST_OF_F = 64,            /* instructions of f at a point that are copied for each point of a segment        */
    MOST_OF_EXACT = 24         /* of exact: all u are in registers beside them                                   */
};

/* ------------------------------------------------------------------ the shape */

struct shape {
    int     is_short, m, warps, segments, tiles;
    int     chunks;      /* of a group                                                      */
    int64_t groups;      /* of a problem                                                    */
    int64_t pad;         /* places before the first point                                   */
};

static void shape_short(int64_t n, struct shape *s)
{
    const int64_t most = 32 * SEGMENT;
    s->warps = (int)((n + most - 1) / most);
    s->m = (int)((n + 32 * s->warps - 1) / (32 * s->warps));
    if (n % 2 == 0 && s->m > 1) s->m += s->m % 2;  /* pairs of points can be stored at once */
}

static void shape_long(int64_t n, struct shape *s)
{
    const int64_t tile = 32 * SEGMENT * LONG_WARPS;
    s->warps = LONG_WARPS;
    s->m = SEGMENT;
    while (s->segments < 4 && n > tile * s->segments * GROUPS) s->segments *= 2;
    while (s->tiles < MOST_TILES && n > tile * s->segments * s->tiles * GROUPS) s->tiles *= 2;
}

static struct shape shape_of(int64_t n)
{
    struct shape s = {.is_short = n <= SHORT_POINTS, .segments = 1, .tiles = 1};
    if (s.is_short) shape_short(n, &s);
    else shape_long(n, &s);
    s.chunks = s.warps * s.segments * s.tiles;
    int64_t group = (int64_t)32 * s.m * s.chunks;
    s.groups = (n - 1) / group + 1;
    s.pad = s.groups * group - n;
    return s;
}

/* Distance of the segments of a warp in shared memory, in doubles: 8 lanes with 16 bytes each, or 16 with 8, then meet
 * all banks. */
static int stride_of(int m) { return m % 4 == 0 ? m + 2 : m; }

static size_t shared_of(const struct shape *s) { return sizeof(double) * 32 * (size_t)(s->warps * stride_of(s->m)); }

/* A program in x changes from cell to cell, or not at all; one in X and t also with t, or not at all. */
static bool is_in_x(const struct sw_program *program) { return program && sw_program_rate(program) == SW_RATE_CELL; }

static int parts_of(const struct sw_bvp_desc *desc, const struct shape *s)
{
    const int rounds = s->segments * s->tiles;
    return desc->exact ? 1 : rounds < MOST_PARTS ? rounds : MOST_PARTS;
}

/* Whether what it does at a point is short, and has no branches. */
static bool is_short(const struct sw_program *program, int most)
{
    const int instructions = sw_program_instructions(program);
    return instructions >= 0 && instructions <= most;
}

static void add_shape(const struct sw_bvp_desc *desc, struct sw_text *text)
{
    const struct shape s = shape_of(desc->n);
    const int warps = desc->exact ? WARPS_MEASURING : s.is_short ? WARPS_SHORT : WARPS_LONG;
    sw_text_printf(text, "#define SHORT %d\n#define PADDED %d\n#define WIDE %d\n#define SINGLE %d\n", s.is_short,
                   s.pad > 0, desc->n % 2 == 0 && s.m % 2 == 0, desc->single);
    sw_text_printf(text, "#define BY_OFFSET %d\n#define F_UNROLLED %d\n#define EXACT_UNROLLED %d\n",
                   !is_in_x(desc->f) && !is_in_x(desc->exact), is_short(desc->f, MOST_OF_F),
                   is_short(desc->exact, MOST_OF_EXACT));
    sw_text_printf(text, "enum { M = %d, WARPS = %d, SEGMENTS = %d, TILES = %d, SCAN_THREADS = %d };\n", s.m, s.warps,
                   s.segments, s.tiles, SCAN_THREADS);
    sw_text_printf(text, "enum { AT_ONCE = %d, STRIDE = %d, PARTS = %d };\n", s.warps < warps ? warps / s.warps : 1,
                   stride_of(s.m), parts_of(desc, &s));
}

static const char *const kernels_long[] = {"group_totals_k", "scan_groups_k", "solution_k", 0};
static const char *const kernels_short[] = {"short_problem_k", 0};

static struct bvp_kernels source_of(int64_t n)
{
    return (struct bvp_kernels){"cuda/bvp/bvp_scan_rtc.cuh", shape_of(n).is_short ? kernels_short : kernels_long,
                                      add_shape};
}

/* ------------------------------------------------------------------ programs in X and t */

struct offsets { struct sw_program *f, *exact; };

static void offsets_destroy(struct offsets *o)
{
    sw_program_destroy(&o->f);
    sw_program_destroy(&o->exact);
}

/* desc's programs become those of o, unless these have too many values for each t. */
static enum sw_status offsets_create(struct sw_bvp_desc *desc, struct offsets *o)
{
    SW_TRY(sw_program_offset(desc->f, SW_IN_X, &o->f));
    if (desc->exact) SW_TRY(sw_program_offset(desc->exact, SW_IN_X, &o->exact));
    if (sw_program_size(o->f).step > MOST_VALUES_OF_T
        || sw_program_size(o->exact).step > MOST_VALUES_OF_T) return SW_OK;
    desc->f = o->f;
    desc->exact = o->exact;
    return SW_OK;
}

/* ------------------------------------------------------------------ life */

struct pair2 { double value[2]; };                /* double2, as kernels have it   */
struct prefix { double y[2], u[2]; };             /* two double-doubles, likewise  */

struct scan {
    struct bvp_device device;
    struct shape      shape;
    struct arrays {                               /* struct scan of the kernels    */
        long long     pad, groups;
        struct pair2 *local;                      /* [capacity][groups][chunks]    */
        struct prefix *group;                     /* [capacity][groups]            */
        struct bvp_norms *norms;                  /* [capacity][groups]            */
    } arrays;
};

static void destroy(struct sw_bvp *bvp) { bvp_device_destroy(bvp, &((struct scan *)bvp->own)->device); }

static enum sw_status create_kernels(struct sw_bvp *bvp, struct scan *p)
{
    const struct sw_bvp_desc desc = bvp->desc;
    const struct bvp_kernels source = source_of(desc.n);
    struct offsets o = {0};
    enum sw_status st = offsets_create(&bvp->desc, &o);
    if (!st) st = bvp_device_create(bvp, &source, &p->device);
    bvp->desc = desc;
    offsets_destroy(&o);
    return st;
}

static void arrays(struct sw_bvp *bvp)
{
    struct scan *p = bvp->own;
    p->shape = shape_of(bvp->desc.n);
    p->arrays.pad = p->shape.pad;
    p->arrays.groups = p->shape.groups;
    bvp_device_arrays(bvp, &p->device);
    if (p->shape.is_short) return;
    const size_t groups = (size_t)bvp->desc.capacity * (size_t)p->shape.groups;
    sw_array_device(&bvp->arrays, groups * (size_t)p->shape.chunks, &p->arrays.local);
    sw_array_device(&bvp->arrays, groups, &p->arrays.group);
    sw_array_device(&bvp->arrays, groups, &p->arrays.norms);
}

static enum sw_status create(struct sw_bvp *bvp) { return create_kernels(bvp, bvp->own); }

/* ------------------------------------------------------------------ a batch */

static enum sw_status solve_long(struct sw_bvp *bvp, struct scan *p)
{
    const int threads = 32 * p->shape.warps, blocks = (int)(bvp->count * p->shape.groups),
              parts = parts_of(&bvp->desc, &p->shape);
    void *args[] = {&p->device.batch, &p->arrays}, *scan[] = {&p->arrays};
    SW_TRY(sw_kernel_launch(bvp->device, p->device.kernels.kernel[GROUP_TOTALS_K], blocks, 1, threads, 0, args));
    SW_TRY(sw_kernel_launch(bvp->device, p->device.kernels.kernel[SCAN_GROUPS_K], bvp->count, 1, SCAN_THREADS, 0,
                            scan));
    SW_TRY(sw_kernel_launch(bvp->device, p->device.kernels.kernel[SOLUTION_K], blocks * parts, 1, threads,
                            shared_of(&p->shape), args));
    return bvp_device_norms(bvp, &p->device, p->arrays.norms, 0, bvp->count, p->shape.groups);
}

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct scan *p = bvp->own;
    void *args[] = {&p->device.batch, &p->arrays};
    SW_TRY(bvp_device_begin(bvp, &p->device));
    if (!p->shape.is_short) return solve_long(bvp, p);
    return sw_kernel_launch(bvp->device, p->device.kernels.kernel[SHORT_PROBLEM_K], bvp->count, 1, 32 * p->shape.warps,
                            shared_of(&p->shape), args);
}

static enum sw_status fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    return bvp_device_fetch(bvp, &((struct scan *)bvp->own)->device, field, result);
}

/* ------------------------------------------------------------------ the row */

/* Blocks are counted by an int. */
static bool fits(const struct sw_bvp_desc *desc)
{
    return sw_bvp_plain(desc) && shape_of(desc->n).groups <= INT_MAX / MOST_PARTS / desc->capacity;
}

/* Nothing is read; u is written, where it is saved. Additions, a product counting as one more: five in the first pass,
 * eight in the second; in one kernel, six. */
static struct sw_cost cost(const struct sw_bvp *bvp)
{
    const double size = bvp->desc.save_single ? 4 : 8;
    return (struct sw_cost){bvp->desc.save ? size : 0, shape_of(bvp->desc.n).is_short ? 6 : 8};
}

extern const struct sw_bvp_ops bvp_scan_cuda;
const struct sw_bvp_ops bvp_scan_cuda = {
    .name = "cuda.scan",
    .about = "totals first, then u, on a GPU; short problems in one kernel",
    .space = SW_DEVICE,
    .fits = fits,
    .own_size = sizeof(struct scan),
    .arrays = arrays,
    .create = create,
    .solve = solve,
    .fetch = fetch,
    .destroy = destroy,
    .cost = cost,
};
