/* The passes of `advection` on a CUDA device, compiled at run time with the expressions in them
 * (cuda/advection_rtc.cuh). Nothing in the text belongs to a run, nor to the number of points. */
#include <stdio.h>
#include <string.h>

#include "base/sw_embed.h"
#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "device/sw_snapshot.h"
#include "problem/advection/advection_impl.h"

enum kernel { STAGE_K, CLOSE_K, BEGIN_K, FIELD_K, MEASURE_K, JOIN_K, KERNELS };
static const char *const kernel_name[KERNELS] = {"stage_k", "close_k", "begin_k", "field_k", "measure_k", "join_k"};

struct cuda {
    struct advection_batch batch;
    struct advection_run  *run;      /* [capacity] on the device, as the rest                              */
    double                *param;    /* [ncolumn][capacity]                                                */
    double                *part;     /* [capacity][parts][ADVECTION_SCALARS]                               */
    void                  *kernel[KERNELS];
    struct sw_module      *module;
    struct sw_snapshots   *snapshots;
};

/* ------------------------------------------------------------------ the text of the kernels */

struct part { char macro[4], name[4]; };

/* "VX" and "vx" .. "R5" and "r5" */
static struct part part_of(int program)
{
    static const char *const velocity[SW_DIMS] = {"vx", "vy", "vz"};
    struct part p = {.name = "s"};
    if (program < ADVECTION_SOURCE) memcpy(p.name, velocity[program - ADVECTION_VELOCITY], 3);
    else if (program >= ADVECTION_RATE) memcpy(p.name, (char[3]){'r', (char)('0' + program - ADVECTION_RATE)}, 3);
    else if (program >= ADVECTION_WALL) memcpy(p.name, (char[3]){'g', (char)('0' + program - ADVECTION_WALL)}, 3);
    for (int k = 0; p.name[k]; k++) p.macro[k] = (char)(p.name[k] >= 'a' ? p.name[k] - 'a' + 'A' : p.name[k]);
    return p;
}

/* The value of a program at a point; and what it keeps a run, which lies behind that of the programs before it. */
static void add_value(const struct part *p, int at, struct sw_text *text)
{
    static const char before[] = "    const double *p = b.param + j, *r = b.kept + %dLL * b.count + j;\n";
    sw_text_printf(text, "__device__ static inline double value_%s(const struct advection_batch &b, int j, "
                   "const double *in, double t)\n{\n", p->name);
    sw_text_printf(text, before, at);
    sw_text_printf(text, "    double s[%s_STEP + 1], c[%s_CELL + 1];\n", p->macro, p->macro);
    sw_text_printf(text, "    model_%s_step(p, b.count, r, b.count, t, 0, s);\n", p->name);
    sw_text_printf(text, "    model_%s_cell(p, b.count, r, b.count, in, 0, c);\n", p->name);
    sw_text_printf(text, "    return model_%s_point(p, b.count, r, b.count, s, 1, c, 1, in, 0, t, 0);\n}\n", p->name);
    sw_text_printf(text, "__device__ static inline void keep_%s(const struct advection_batch &b, int j)\n{\n", p->name);
    sw_text_printf(text, "    double r[%s_RUN + 1];\n    model_%s_run(b.param + j, b.count, r);\n", p->macro, p->name);
    sw_text_printf(text, "    for (int k = 0; k < %s_RUN; k++) b.kept[(%dLL + k) * b.count + j] = r[k];\n}\n",
                   p->macro, at);
}

static int kept_by(const struct sw_program *program) { return program ? sw_program_size(program).run : 0; }

static size_t kept_of(const struct advection_model *m)
{
    size_t kept = 0;
    for (int k = 0; k < ADVECTION_PROGRAMS; k++) kept += (size_t)kept_by(m->program[k]);
    return kept;
}

static void add_programs(const struct advection_model *m, struct sw_text *text)
{
    int at = 0;
    bool uses_u = false;
    for (int k = 0; k < ADVECTION_PROGRAMS; k++) {
        const struct part p = part_of(k);
        char prefix[16];
        snprintf(prefix, sizeof prefix, "model_%s", p.name);
        sw_program_cuda_part(m->program[k], p.macro, prefix, text);
        if (m->program[k]) add_value(&p, at, text);
        at += kept_by(m->program[k]);
        uses_u |= m->program[k] && sw_program_uses(m->program[k], "u");
    }
    sw_text_add(text, "__device__ static inline void keep_all(const struct advection_batch &b, int j)\n{\n");
    for (int k = 0; k < ADVECTION_PROGRAMS; k++)
        if (m->program[k]) sw_text_printf(text, "    keep_%s(b, j);\n", part_of(k).name);
    sw_text_printf(text, "}\nenum { USES_U = %d };\n", uses_u);
}

static enum sw_status compile(const struct sw_setup *setup, const struct advection_model *m, int sm, void **cubin)
{
    size_t bytes;
    bool from_cache;
    struct sw_text text = {0};
    *cubin = NULL;
    sw_program_cuda_prologue(&text);
    sw_embedded_add("base/sw_hd.h", &text);
    sw_embedded_add("problem/advection/advection_point.h", &text);
    sw_text_printf(&text, "typedef %s word_t;\ntypedef %s field_t;\nenum { DIM = %d };\n",
                   setup->single_steps ? "float" : "double", setup->single ? "float" : "double", setup->dim);
    add_programs(m, &text);
    sw_embedded_add("advection_rtc.cuh", &text);
    enum sw_status st = sw_text_status(&text);
    if (!st)
        st = sw_kernel_compile(sw_text_get(&text), "the GPU code of the expressions", sm, cubin, &bytes, &from_cache);
    sw_text_free(&text);
    return st;
}

static enum sw_status try_compile(const struct sw_setup *setup, const struct advection_model *model, int sm)
{
    void *cubin;
    enum sw_status st = compile(setup, model, sm, &cubin);
    sw_free(cubin);
    return st;
}

/* ------------------------------------------------------------------ life */

static size_t field_word(const struct sw_setup *setup) { return setup->single ? 4 : 8; }

static size_t parts_of(const struct sw_setup *setup)
{
    return ((size_t)sw_points(setup->n) + ADVECTION_PART - 1) / ADVECTION_PART;
}

static enum sw_status make_kernels(struct advection_sim *a, struct cuda *c)
{
    void *cubin;
    SW_TRY(compile(&a->setup, &a->model, a->device->sm, &cubin));
    enum sw_status st = sw_module_load(a->device, cubin, kernel_name, KERNELS, c->kernel, &c->module);
    sw_free(cubin);
    return st;
}

static enum sw_status create(struct advection_sim *a)
{
    const size_t room = (size_t)a->setup.capacity;
    struct cuda *c;
    SW_TRY(sw_alloc(1, &c));
    a->own = c;
    SW_TRY(make_kernels(a, c));
    SW_TRY(sw_device_alloc(a->device, room, &c->run));
    SW_TRY(sw_device_alloc(a->device, room * (size_t)a->setup.ncolumn, &c->param));
    SW_TRY(sw_device_alloc(a->device, room * kept_of(&a->model), &c->batch.kept));
    SW_TRY(sw_device_alloc(a->device, room, &c->batch.stop));
    SW_TRY(sw_device_alloc(a->device, room, &c->batch.watch));
    SW_TRY(sw_device_alloc(a->device, room * parts_of(&a->setup) * ADVECTION_SCALARS, &c->part));
    return sw_snapshots_create(a->device, room * a->points * field_word(&a->setup),
                               room * ADVECTION_SCALARS * sizeof(double), &c->snapshots);
}

static void destroy(struct advection_sim *a)
{
    struct cuda *c = a->own;
    if (!c) return;
    (void)sw_device_wait(a->device);
    sw_snapshots_destroy(&c->snapshots);
    sw_module_unload(a->device, &c->module);
    void *array[] = {c->run, c->param, c->batch.kept, c->batch.stop, c->batch.watch, c->part};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) sw_device_free(a->device, array[k]);
    sw_free(c);
}

/* Columns and runs are counted by the caller. */
static void bytes(const struct sw_setup *setup, const struct advection_model *model, size_t *fixed, size_t *per_run)
{
    (void)fixed;
    *per_run += (setup->fields ? (size_t)sw_points(setup->n) * field_word(setup) : 0)
                + ((parts_of(setup) + 1) * ADVECTION_SCALARS + kept_of(model)) * sizeof(double);
}

/* ------------------------------------------------------------------ launches */

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

/* Blocks of at most 256 threads for the points of a run, four points or so a thread where there are many: what a thread
 * computes of its run and of the time is then shared by them. */
static enum sw_status launch_points(struct advection_sim *a, enum kernel kernel, void **args)
{
    struct cuda *c = a->own;
    const size_t threads = a->points >= 256 ? 256 : ceil_div(a->points, 32) * 32;
    const size_t x = ceil_div(a->points, threads * (a->points > 4096 ? 4 : 1)), y = (size_t)a->count;
    return sw_kernel_launch(a->device, c->kernel[kernel], x < 1 << 30 ? (int)x : 1 << 30, y < 65535 ? (int)y : 65535,
                            (int)threads, 0, args);
}

/* Where the fields are: filters change places. */
static void point_to_fields(const struct advection_part *p, struct advection_batch *b)
{
    b->now = p->now;
    b->next = p->next;
    b->sum = p->sum;
    for (int d = 0; d < SW_DIMS; d++) {
        b->slope[d] = p->first[d] ? p->slope[d] : NULL;
        b->bend[d] = p->second[d] ? p->bend[d] : NULL;
    }
}

static enum sw_status load(struct advection_sim *a)
{
    enum { THREADS = 128 };
    struct cuda *c = a->own;
    struct advection_batch *b = &c->batch;
    void *args[] = {b};
    const size_t count = (size_t)a->count;
    for (int d = 0; d < SW_DIMS; d++) {
        b->n[d] = a->setup.n[d];
        b->walls[d] = a->setup.walls[d];
    }
    b->points = (long long)a->points;
    b->count = a->count;
    b->run = c->run;
    b->param = c->param;
    SW_TRY(sw_device_upload(a->device, c->run, a->run, count * sizeof *a->run));
    SW_TRY(sw_device_upload(a->device, c->param, a->column, count * (size_t)a->setup.ncolumn * sizeof *a->column));
    return sw_kernel_launch(a->device, c->kernel[BEGIN_K], (int)ceil_div(count, THREADS), 1, THREADS, 0, args);
}

/* The part is all of the batch. */
static enum sw_status stage(struct advection_sim *a, const struct advection_part *part, int64_t step, int number,
                            int how)
{
    struct cuda *c = a->own;
    struct rk_stage st = a->method.rk->stage[number];
    long long at = step;
    void *args[] = {&c->batch, &st, &at, &how};
    point_to_fields(part, &c->batch);
    return launch_points(a, STAGE_K, args);
}

static enum sw_status close_step(struct advection_sim *a, const struct advection_part *part, int64_t step)
{
    struct cuda *c = a->own;
    long long at = step;
    void *args[] = {&c->batch, &at};
    point_to_fields(part, &c->batch);
    return launch_points(a, CLOSE_K, args);
}

static enum sw_status set_stop(struct advection_sim *a, const int64_t *stop)
{
    return sw_device_upload(a->device, ((struct cuda *)a->own)->batch.stop, stop, (size_t)a->count * sizeof *stop);
}

static enum sw_status get_stop(struct advection_sim *a, int64_t *stop)
{
    _Static_assert(sizeof *stop == sizeof(long long), "both have 64 bits");
    return sw_device_download(a->device, stop, ((struct cuda *)a->own)->batch.stop, (size_t)a->count * sizeof *stop);
}

static enum sw_status set_watch(struct advection_sim *a, const struct advection_watch *watch)
{
    return sw_device_upload(a->device, ((struct cuda *)a->own)->batch.watch, watch, (size_t)a->count * sizeof *watch);
}

static enum sw_status get_watch(struct advection_sim *a, struct advection_watch *watch)
{
    return sw_device_download(a->device, watch, ((struct cuda *)a->own)->batch.watch, (size_t)a->count * sizeof *watch);
}

/* ------------------------------------------------------------------ snapshots */

/* @param out  [capacity][points] on the device, in the precision that is saved */
static enum sw_status copy_fields(struct advection_sim *a, void *out)
{
    void *args[] = {&((struct cuda *)a->own)->batch, &out};
    return launch_points(a, FIELD_K, args);
}

/* And note the Courant number. @param out  [capacity][ADVECTION_SCALARS] on the device */
static enum sw_status measure_batch(struct advection_sim *a, void *out)
{
    struct cuda *c = a->own;
    long long parts = (long long)parts_of(&a->setup), at = a->step;
    void *measure[] = {&c->batch, &at, &c->part}, *join[] = {&c->batch, &at, &c->part, &parts, &out};
    SW_TRY(sw_kernel_launch(a->device, c->kernel[MEASURE_K], (int)parts, a->count < 65535 ? a->count : 65535,
                            ADVECTION_LANES, 0, measure));
    return sw_kernel_launch(a->device, c->kernel[JOIN_K], a->count, 1, ADVECTION_LANES, 0, join);
}

static enum sw_status snapshot(struct advection_sim *a, int slot, int what)
{
    struct cuda *c = a->own;
    const size_t count = (size_t)a->count;
    void *field;
    double *scalars;
    SW_TRY(sw_snapshots_begin(c->snapshots, slot, what, &field, &scalars));
    point_to_fields(&a->whole, &c->batch);
    if (field) SW_TRY(copy_fields(a, field));
    if (scalars) SW_TRY(measure_batch(a, scalars));
    return sw_snapshots_send(c->snapshots, count * a->points * field_word(&a->setup),
                             count * ADVECTION_SCALARS * sizeof(double));
}

static enum sw_status fetch(struct advection_sim *a, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(((const struct cuda *)a->own)->snapshots, slot, field, scalars);
}

extern const struct advection_ops advection_cuda;
const struct advection_ops advection_cuda = {
    .name = "cuda",
    .space = SW_DEVICE,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .load = load,
    .stage = stage,
    .close = close_step,
    .set_stop = set_stop,
    .get_stop = get_stop,
    .set_watch = set_watch,
    .get_watch = get_watch,
    .snapshot = snapshot,
    .fetch = fetch,
    .try_compile = try_compile,
};
