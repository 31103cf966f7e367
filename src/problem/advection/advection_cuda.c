/* `advection` on a CUDA device: its kernels are compiled at run time with the expressions in them
 * (cuda/advection/advection_rtc.cuh). Nothing in the text depends on a run or on the number of points. */
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "device/sw_kernels.h"
#include "device/sw_snapshot.h"
#include "problem/advection/advection_impl.h"

enum kernel { STAGE_K, END_STEP_K, BEGIN_K, FIELD_K, BLOCK_SCALARS_K, RUN_SCALARS_K };

struct cuda {
    struct advection_batch batch;
    struct advection_run  *run;            /* [capacity] on the device, as the rest                        */
    double                *param;          /* [ncolumn][capacity]                                          */
    double                *block_scalars;  /* [capacity][blocks][ADVECTION_SCALARS]                        */
    struct sw_kernels      kernels;
    struct sw_snapshots   *snapshots;
};

/* ------------------------------------------------------------------ the text of the kernels */

/* What the text calls a program: "vx" and "VX", "s", "u3" (u at wall 3), "w3" (what the right-hand side takes
 * there). */
struct program_name { char name[16], macro[16]; };

static struct program_name name_of(int program)
{
    struct program_name p = {.name = "s"};
    if (program < ADVECTION_SOURCE) snprintf(p.name, sizeof p.name, "v%s", advection_axis[program]);
    else if (program >= ADVECTION_WALL_RHS) snprintf(p.name, sizeof p.name, "w%d", program - ADVECTION_WALL_RHS);
    else if (program >= ADVECTION_WALL_U) snprintf(p.name, sizeof p.name, "u%d", program - ADVECTION_WALL_U);
    for (int k = 0; p.name[k]; k++) p.macro[k] = (char)(p.name[k] >= 'a' ? p.name[k] - 'a' + 'A' : p.name[k]);
    return p;
}

/* The value of a program at a point; and its values that depend on the run alone, which are cached behind those of the
 * programs before it. */
static void add_value(const struct program_name *p, int first_cached, struct sw_text *text)
{
    static const char before[] = "    const double *p = b.param + j, *r = b.cached + %dLL * b.count + j;\n";
    sw_text_printf(text, "__device__ static inline double value_%s(const struct advection_batch &b, int j, "
                   "const double *in, double t)\n{\n", p->name);
    sw_text_printf(text, before, first_cached);
    sw_text_printf(text, "    double s[%s_STEP + 1], c[%s_CELL + 1];\n", p->macro, p->macro);
    sw_text_printf(text, "    model_%s_step(p, b.count, r, b.count, t, 0, s);\n", p->name);
    sw_text_printf(text, "    model_%s_cell(p, b.count, r, b.count, in, 0, c);\n", p->name);
    sw_text_printf(text, "    return model_%s_point(p, b.count, r, b.count, s, 1, c, 1, in, 0, t, 0);\n}\n", p->name);
    sw_text_printf(text, "__device__ static inline void cache_%s(const struct advection_batch &b, int j)\n{\n",
                   p->name);
    sw_text_printf(text, "    double r[%s_RUN + 1];\n    model_%s_run(b.param + j, b.count, r);\n", p->macro, p->name);
    sw_text_printf(text, "    for (int k = 0; k < %s_RUN; k++) b.cached[(%dLL + k) * b.count + j] = r[k];\n}\n",
                   p->macro, first_cached);
}

static size_t cached_values(const struct advection_terms *m)
{
    size_t cached = 0;
    for (int k = 0; k < ADVECTION_PROGRAMS; k++) cached += (size_t)sw_program_size(m->program[k]).run;
    return cached;
}

/* #define LIST(X) X(value, kind, axis, side) for each wall where there is something, the last one first. */
static void add_walls(const char *list, const struct advection_terms *m, int first, struct sw_text *text)
{
    sw_text_printf(text, "#define %s(X)", list);
    for (int slot = ADVECTION_WALL_PROGRAMS - 1; slot >= 0; slot--)
        if (m->program[first + slot])
            sw_text_printf(text, " X(value_%s, %d, %d, %d)", name_of(first + slot).name, slot / (2 * SW_DIMS),
                           slot % (2 * SW_DIMS) / 2, slot % 2);
    sw_text_add(text, "\n");
}

static void add_programs(const struct advection_terms *m, struct sw_text *text)
{
    int first_cached = 0;
    bool uses_u = false;
    for (int k = 0; k < ADVECTION_PROGRAMS; k++) {
        const struct program_name p = name_of(k);
        char prefix[32];
        if (k >= ADVECTION_WALL_U && !m->program[k]) continue;
        snprintf(prefix, sizeof prefix, "model_%s", p.name);
        sw_program_cuda_fragment(m->program[k], p.macro, prefix, text);
        if (m->program[k]) add_value(&p, first_cached, text);
        first_cached += sw_program_size(m->program[k]).run;
        uses_u |= m->program[k] && sw_program_uses(m->program[k], "u");
    }
    sw_text_add(text, "__device__ static inline void cache_run_values(const struct advection_batch &b, int j)\n{\n");
    for (int k = 0; k < ADVECTION_PROGRAMS; k++)
        if (m->program[k]) sw_text_printf(text, "    cache_%s(b, j);\n", name_of(k).name);
    sw_text_printf(text, "}\nenum { USES_U = %d };\n", uses_u);
    add_walls("WALLS_WITH_U", m, ADVECTION_WALL_U, text);
    add_walls("WALLS_WITH_RHS", m, ADVECTION_WALL_RHS, text);
}

static const struct sw_kernel_source source = {
    .label = "the GPU code of the expressions",
    .before = {"expr/inputs_point.h", "base/sw_hd.h", "problem/advection/advection_point.h",
               "problem/advection/advection_wall_point.h"},
    .after = {"cuda/advection/advection_rtc.cuh"},
    .kernel = {[STAGE_K] = "stage_k", [END_STEP_K] = "end_step_k", [BEGIN_K] = "begin_k", [FIELD_K] = "field_k",
               [BLOCK_SCALARS_K] = "block_scalars_k", [RUN_SCALARS_K] = "run_scalars_k"},
};

static void add_definitions(const struct sw_setup *setup, const struct advection_terms *m, struct sw_text *text)
{
    sw_text_printf(text, "typedef %s real_t;\ntypedef %s field_t;\nenum { DIM = %d };\n",
                   setup->single_steps ? "float" : "double", setup->single ? "float" : "double", setup->dim);
    add_programs(m, text);
}

/* ------------------------------------------------------------------ create, destroy */

static size_t field_element_size(const struct sw_setup *setup) { return setup->single ? 4 : 8; }

static size_t sum_blocks(const struct sw_setup *setup)
{
    return ((size_t)sw_points(setup->n) + ADVECTION_SUM_POINTS - 1) / ADVECTION_SUM_POINTS;
}

static enum sw_status create(struct advection_sim *a)
{
    const size_t room = (size_t)a->setup.capacity;
    struct cuda *c = a->own;
    struct sw_text definitions = {0};
    add_definitions(&a->setup, &a->terms, &definitions);
    SW_TRY(sw_kernels_create(a->device, &source, &definitions, &c->kernels));
    sw_array_device(&a->arrays, room, &c->run);
    sw_array_device(&a->arrays, room * (size_t)a->setup.ncolumn, &c->param);
    sw_array_device(&a->arrays, room * cached_values(&a->terms), &c->batch.cached);
    sw_array_device(&a->arrays, room, &c->batch.diverged_at);
    sw_array_device(&a->arrays, room, &c->batch.diagnostics);
    sw_array_device(&a->arrays, room * sum_blocks(&a->setup) * ADVECTION_SCALARS, &c->block_scalars);
    SW_TRY(a->arrays.status);
    return sw_snapshots_create(a->device, room * a->points * field_element_size(&a->setup),
                               room * ADVECTION_SCALARS * sizeof(double), &c->snapshots);
}

static void destroy(struct advection_sim *a)
{
    struct cuda *c = a->own;
    (void)sw_device_wait(a->device);
    sw_snapshots_destroy(&c->snapshots);
    sw_kernels_destroy(a->device, &c->kernels);
}

/* Columns and runs are counted by the caller. */
static void bytes(const struct sw_setup *setup, const struct advection_terms *terms, size_t *fixed, size_t *per_run)
{
    (void)fixed;
    *per_run += (setup->fields ? (size_t)sw_points(setup->n) * field_element_size(setup) : 0)
                + ((sum_blocks(setup) + 1) * ADVECTION_SCALARS + cached_values(terms)) * sizeof(double);
}

/* ------------------------------------------------------------------ launches */

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

/* Blocks of at most 256 threads for the points of a run, four points or so a thread where there are many: what a thread
 * computes for its run and for the time is then shared by them. */
static enum sw_status launch_points(struct advection_sim *a, enum kernel kernel, void **args)
{
    struct cuda *c = a->own;
    const size_t threads = a->points >= 256 ? 256 : ceil_div(a->points, 32) * 32;
    const size_t x = ceil_div(a->points, threads * (a->points > 4096 ? 4 : 1)), y = (size_t)a->count;
    return sw_kernel_launch(a->device, c->kernels.kernel[kernel], x < 1 << 30 ? (int)x : 1 << 30,
                            y < 65535 ? (int)y : 65535, (int)threads, 0, args);
}

/* Where the fields are now: a filter swaps now and next. */
static void point_to_fields(const struct advection_subbatch *p, struct advection_batch *b)
{
    b->now = p->now;
    b->next = p->next;
    b->sum = p->sum;
    for (int d = 0; d < SW_DIMS; d++) {
        b->first_derivative[d] = p->first_operator[d] ? p->first_derivative[d] : NULL;
        b->second_derivative[d] = p->second_operator[d] ? p->second_derivative[d] : NULL;
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
        b->first[d] = sw_setup_first(&a->setup, d);
        b->last[d] = sw_setup_whole(&a->setup, d) - 1;
        b->walls[d] = a->setup.walls[d];
    }
    b->points = (long long)a->points;
    b->count = a->count;
    b->run = c->run;
    b->param = c->param;
    SW_TRY(sw_device_upload(a->device, c->run, a->run, count * sizeof *a->run));
    SW_TRY(sw_device_upload(a->device, c->param, a->column, count * (size_t)a->setup.ncolumn * sizeof *a->column));
    return sw_kernel_launch(a->device, c->kernels.kernel[BEGIN_K], (int)ceil_div(count, THREADS), 1, THREADS, 0, args);
}

/* The sub-batch is all of the batch. */
static enum sw_status stage(struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t step,
                            int number, int how)
{
    struct cuda *c = a->own;
    struct rk_stage st = a->discretization.rk->stage[number];
    long long from = step;
    void *args[] = {&c->batch, &st, &from, &how};
    point_to_fields(subbatch, &c->batch);
    return launch_points(a, STAGE_K, args);
}

static enum sw_status end_step(struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t step)
{
    struct cuda *c = a->own;
    long long from = step;
    void *args[] = {&c->batch, &from};
    point_to_fields(subbatch, &c->batch);
    return launch_points(a, END_STEP_K, args);
}

static enum sw_status set_diverged(struct advection_sim *a, const int64_t *diverged_at)
{
    struct cuda *c = a->own;
    return sw_device_upload(a->device, c->batch.diverged_at, diverged_at, (size_t)a->count * sizeof *diverged_at);
}

static enum sw_status get_diverged(struct advection_sim *a, int64_t *diverged_at)
{
    _Static_assert(sizeof *diverged_at == sizeof(long long), "both have 64 bits");
    const struct cuda *c = a->own;
    return sw_device_download(a->device, diverged_at, c->batch.diverged_at, (size_t)a->count * sizeof *diverged_at);
}

static enum sw_status set_diagnostics(struct advection_sim *a, const struct advection_diagnostics *diagnostics)
{
    struct cuda *c = a->own;
    return sw_device_upload(a->device, c->batch.diagnostics, diagnostics, (size_t)a->count * sizeof *diagnostics);
}

static enum sw_status get_diagnostics(struct advection_sim *a, struct advection_diagnostics *diagnostics)
{
    const struct cuda *c = a->own;
    return sw_device_download(a->device, diagnostics, c->batch.diagnostics, (size_t)a->count * sizeof *diagnostics);
}

/* ------------------------------------------------------------------ snapshots */

/* @param out  [capacity][points] on the device, in the precision that is saved */
static enum sw_status form_field(struct advection_sim *a, void *out)
{
    void *args[] = {&((struct cuda *)a->own)->batch, &out};
    return launch_points(a, FIELD_K, args);
}

/* Compute the scalars of all runs, and record their Courant numbers.
 * @param out  [capacity][ADVECTION_SCALARS] on the device */
static enum sw_status form_scalars(struct advection_sim *a, void *out)
{
    struct cuda *c = a->own;
    long long blocks = (long long)sum_blocks(&a->setup), step = a->step;
    void *of_blocks[] = {&c->batch, &step, &c->block_scalars},
         *of_runs[] = {&c->batch, &step, &c->block_scalars, &blocks, &out};
    SW_TRY(sw_kernel_launch(a->device, c->kernels.kernel[BLOCK_SCALARS_K], (int)blocks,
                            a->count < 65535 ? a->count : 65535, ADVECTION_SUM_THREADS, 0, of_blocks));
    return sw_kernel_launch(a->device, c->kernels.kernel[RUN_SCALARS_K], a->count, 1, ADVECTION_SUM_THREADS, 0,
                            of_runs);
}

/* Of slabs: the ranks combine them on the host, and wait for them. @param out  as above */
static enum sw_status combine_scalars(struct advection_sim *a, void *out)
{
    const size_t numbers = (size_t)a->count * ADVECTION_SCALARS;
    double *scalars;
    if (!a->setup.domain.all) return SW_OK;
    SW_TRY(sw_alloc(numbers, &scalars));
    enum sw_status st = sw_device_download(a->device, scalars, out, numbers * sizeof *scalars);
    if (!st) st = advection_combine_scalars(a, scalars);
    if (!st) st = sw_device_upload(a->device, out, scalars, numbers * sizeof *scalars);
    sw_free(scalars);
    return st;
}

static enum sw_status snapshot(struct advection_sim *a, int slot, int what)
{
    struct cuda *c = a->own;
    const size_t count = (size_t)a->count;
    void *field;
    double *scalars;
    SW_TRY(sw_snapshots_begin(c->snapshots, slot, what, &field, &scalars));
    point_to_fields(&a->batch, &c->batch);
    if (field) SW_TRY(form_field(a, field));
    if (scalars) {
        SW_TRY(form_scalars(a, scalars));
        SW_TRY(combine_scalars(a, scalars));
    }
    return sw_snapshots_send(c->snapshots, count * a->points * field_element_size(&a->setup),
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
    .own_size = sizeof(struct cuda),
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .load = load,
    .stage = stage,
    .end_step = end_step,
    .set_diverged = set_diverged,
    .get_diverged = get_diverged,
    .set_diagnostics = set_diagnostics,
    .get_diagnostics = get_diagnostics,
    .snapshot = snapshot,
    .fetch = fetch,
};
