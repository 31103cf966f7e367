/* Entries and measures on a CUDA device: kernels compiled at run time with the expressions in them
 * (cuda/tridiagonal/tridiagonal_entries_rtc.cuh). */
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "cuda/cu_check.cuh"
#include "device/sw_kernels.h"
#include "problem/systems/entries_impl.h"
#include "problem/systems/entries_point.h"

/* Blocks of 4 warps: a warp measures a part of a run by itself. Parts are of 64 rows a lane at least, so that adding up
 * the lanes is a small share, and are not more than some waves of warps on the largest device. */
enum { FILL_THREADS = 256, MEASURE_THREADS = 128, RUN_THREADS = 128, LEAST_ROWS = 64 * 32, MOST_PARTS = 16384 };

enum kernel { BEGIN_K, FILL_K, MEASURE_K, MERGE_K };

struct own {
    struct entries_batch batch;
    double *param, *beyond;          /* [used][capacity], [capacity][2] on the device, as the rest */
    struct system_sums *part;   /* [capacity][parts of n rows]                                */
    struct system_sums *sums;   /* [capacity]                                                 */
    struct system_sums *here;   /* [capacity] on the host                                     */
    int     used;                    /* parameters                                                 */
    struct sw_kernels kernels;
};

/* ------------------------------------------------------------------ the text of the kernels */

/* By the number of a program: of a tridiagonal system (check_diagonals()). NULL: there is no such one. */
static const char *const name_of[ENTRIES_PROGRAMS] = {
    "lower", "main", "upper", [ENTRIES_RHS] = "rhs", [ENTRIES_EXACT] = "exact"};
static const char *const macro_of[ENTRIES_PROGRAMS] = {
    "LOWER", "MAIN", "UPPER", [ENTRIES_RHS] = "RHS", [ENTRIES_EXACT] = "EXACT"};

/* The value of a program at a row; and its values that depend on the run alone, which are cached behind those of the
 * programs before it. */
static void add_value(const char *name, const char *macro, int first_cached, struct sw_text *text)
{
    sw_text_printf(text, "__device__ static inline double value_%s(const struct entries_batch &b, int j, "
                   "long long row)\n{\n"
                   "    const double *p = b.param + j, *r = b.cached + %dLL * b.count + j;\n"
                   "    const long long step = row >> 31;\n"
                   "    const int cell = (int)(row & 0x7fffffff);\n"
                   "    double in[SW_INPUTS] = {0}, s[%s_STEP + 1], c[%s_CELL + 1];\n"
                   "    in[SW_IN_X] = (double)(row + 1);\n", name, first_cached, macro, macro);
    sw_text_printf(text, "    model_%s_step(p, b.count, r, b.count, 0.0, step, s);\n", name);
    sw_text_printf(text, "    model_%s_cell(p, b.count, r, b.count, in, cell, c);\n", name);
    sw_text_printf(text, "    return model_%s_point(p, b.count, r, b.count, s, 1, c, 1, in, cell, 0.0, step);\n}\n",
                   name);
    sw_text_printf(text, "__device__ static inline void cache_%s(const struct entries_batch &b, int j)\n{\n"
                   "    double r[%s_RUN + 1];\n    model_%s_run(b.param + j, b.count, r);\n"
                   "    for (int k = 0; k < %s_RUN; k++) b.cached[(%dLL + k) * b.count + j] = r[k];\n}\n",
                   name, macro, name, macro, first_cached);
}

static void add_programs(const struct system_entries_desc *desc, struct sw_text *text)
{
    const struct sw_program *program[ENTRIES_PROGRAMS];
    int cached = 0;
    entries_programs(desc, program);
    for (int k = 0; k < ENTRIES_PROGRAMS; k++) {
        char prefix[32];
        if (!name_of[k]) continue;
        snprintf(prefix, sizeof prefix, "model_%s", name_of[k]);
        sw_program_cuda_fragment(program[k], macro_of[k], prefix, text);
        if (program[k]) add_value(name_of[k], macro_of[k], cached, text);
        cached += sw_program_size(program[k]).run;
    }
    sw_text_add(text, "__device__ static inline void cache_run_values(const struct entries_batch &b, int j)\n{\n"
                      "    (void)b, (void)j;\n");
    for (int k = 0; k < ENTRIES_PROGRAMS; k++)
        if (program[k]) sw_text_printf(text, "    cache_%s(b, j);\n", name_of[k]);
    sw_text_add(text, "}\n");
    /* As a macro: preprocessor and compiler look at it. */
    sw_text_printf(text, "#define MULTIPLIES %d\n", entries_multiplies(desc));
}

static const struct sw_kernel_source source = {
    .label = "the GPU code of the entries",
    .before = {"expr/inputs_point.h", "base/sw_hd.h", "expr/random_point.h", "field/double_double_point.h",
               "field/square_sum_point.h", "problem/systems/measure_point.h",
               "problem/systems/entries_point.h"},
    .after = {"cuda/tridiagonal/tridiagonal_entries_rtc.cuh"},
    .kernel = {[BEGIN_K] = "begin_k", [FILL_K] = "fill_k", [MEASURE_K] = "measure_k", [MERGE_K] = "merge_k"},
};

static void add_definitions(const struct system_entries_desc *desc, struct sw_text *text)
{
    sw_text_printf(text, "enum { FILL_THREADS = %d, MEASURE_THREADS = %d };\n", FILL_THREADS, MEASURE_THREADS);
    add_programs(desc, text);
}

/* ------------------------------------------------------------------ life */

static int64_t parts_of(int64_t rows)
{
    const int64_t parts = (rows + LEAST_ROWS - 1) / LEAST_ROWS;
    return parts < MOST_PARTS ? parts : MOST_PARTS;
}

static size_t cached_values(const struct system_entries_desc *desc, int *params)
{
    const struct sw_program *program[ENTRIES_PROGRAMS];
    size_t cached = 0;
    *params = 0;
    entries_programs(desc, program);
    for (int k = 0; k < ENTRIES_PROGRAMS; k++) {
        const struct sw_program_size size = sw_program_size(program[k]);
        cached += (size_t)size.run;
        if (size.params > *params) *params = size.params;
    }
    return cached;
}

static size_t bytes(const struct system_entries_desc *desc, size_t *per_run)
{
    int params;
    const size_t cached = cached_values(desc, &params);
    *per_run = (cached + (size_t)params + 2) * sizeof(double) + sizeof(long long) +
               ((size_t)parts_of(desc->n) + 1) * sizeof(struct system_sums);
    return 0;
}

static enum sw_status check_diagonals(const struct system_entries_desc *d)
{
    if (d->diagonals == 3 && d->place[0] == -1 && d->place[1] == 0 && d->place[2] == 1) return SW_OK;
    return SW_FAIL(SW_E_ABSENT, "on a GPU only tridiagonal systems are filled");
}

static enum sw_status create(struct system_entries *e)
{
    struct own *own = e->own;
    struct sw_text definitions = {0};
    SW_TRY(check_diagonals(&e->desc));
    const size_t room = (size_t)e->desc.capacity;
    const size_t cached = cached_values(&e->desc, &own->used);
    own->batch = (struct entries_batch){.n = e->desc.n, .cyclic = e->desc.cyclic};
    add_definitions(&e->desc, &definitions);
    SW_TRY(sw_kernels_create(e->device, &source, &definitions, &own->kernels));
    sw_array_device(&e->arrays, room * (size_t)own->used, &own->param);
    sw_array_device(&e->arrays, room * 2, &own->beyond);
    sw_array_device(&e->arrays, room * cached, &own->batch.cached);
    sw_array_device(&e->arrays, room, &own->batch.bad);
    sw_array_device(&e->arrays, room * (size_t)parts_of(e->desc.n), &own->part);
    sw_array_device(&e->arrays, room, &own->sums);
    sw_array(&e->arrays, room, &own->here);
    own->batch.param = own->param;
    return e->arrays.status;
}

static void destroy(struct system_entries *e)
{
    struct own *own = e->own;
    (void)sw_device_wait(e->device);
    sw_kernels_destroy(e->device, &own->kernels);
}

/* ------------------------------------------------------------------ a batch */

static int blocks_for(int64_t threads, int each) { return (int)((threads + each - 1) / each); }

static enum sw_status load(struct system_entries *e)
{
    struct own *own = e->own;
    void *args[] = {&own->batch};
    own->batch.count = e->count;
    SW_TRY(sw_device_upload(e->device, own->param, e->param,
                            (size_t)own->used * (size_t)e->count * sizeof *own->param));
    return sw_kernel_launch(e->device, own->kernels.kernel[BEGIN_K], blocks_for(e->count, RUN_THREADS), 1, RUN_THREADS,
                            0, args);
}

static enum sw_status fill(struct system_entries *e, int64_t first, int64_t rows,
                           const struct system_arrays *out)
{
    struct own *own = e->own;
    struct entries_arrays arrays = {out->diagonal[0], out->diagonal[1], out->diagonal[2], out->rhs};
    long long from = first, number = rows;
    void *args[] = {&own->batch, &from, &number, &arrays};
    return sw_kernel_launch(e->device, own->kernels.kernel[FILL_K], blocks_for(rows * e->count, FILL_THREADS), 1,
                            FILL_THREADS, 0, args);
}

static enum sw_status first_bad(struct system_entries *e, int64_t *row)
{
    const struct own *own = e->own;
    SW_TRY(sw_device_download(e->device, row, own->batch.bad, (size_t)e->count * sizeof *row));
    for (int j = 0; j < e->count; j++)
        if (row[j] == SYSTEM_NO_ROW) row[j] = -1;
    return SW_OK;
}

static enum sw_status measure(struct system_entries *e, int64_t first, int64_t rows,
                              const struct system_arrays *of, const double *x, const double (*beyond)[2],
                              struct system_sums *sums)
{
    struct own *own = e->own;
    const size_t count = (size_t)e->count;
    long long parts = parts_of(rows);
    struct entries_measured m = {first, rows, parts, (rows + parts - 1) / parts, of->diagonal[0], of->diagonal[1],
                                 of->diagonal[2], of->rhs, x, beyond ? own->beyond : NULL};
    void *measure_args[] = {&own->batch, &m, &own->part}, *merge_args[] = {&own->batch, &parts, &own->part, &own->sums};
    if (beyond) SW_TRY(sw_device_upload(e->device, own->beyond, beyond, count * sizeof *beyond));
    SW_TRY(sw_kernel_launch(e->device, own->kernels.kernel[MEASURE_K],
                            blocks_for(parts * e->count * 32, MEASURE_THREADS), 1, MEASURE_THREADS, 0, measure_args));
    SW_TRY(sw_kernel_launch(e->device, own->kernels.kernel[MERGE_K], blocks_for(32LL * e->count, MEASURE_THREADS), 1,
                            MEASURE_THREADS, 0, merge_args));
    SW_TRY(sw_device_download(e->device, own->here, own->sums, count * sizeof *own->here));
    for (size_t j = 0; j < count; j++) system_sums_merge(&sums[j], &own->here[j]);
    return SW_OK;
}

extern const struct entries_ops entries_cuda;
const struct entries_ops entries_cuda = {
    .name = "cuda",
    .space = SW_DEVICE,
    .bytes = bytes,
    .own_size = sizeof(struct own),
    .create = create,
    .load = load,
    .fill = fill,
    .first_bad = first_bad,
    .measure = measure,
    .destroy = destroy,
};
