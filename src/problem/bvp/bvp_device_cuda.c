#include "problem/bvp/bvp_device_cuda.h"

#include <math.h>

#include "base/sw_embed.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "cuda/cu_check.cuh"

/* ------------------------------------------------------------------ the text of the kernels */

enum { NORM_THREADS = 256 };

/* The programs that kernels evaluate, as they name them, in the order of struct bvp_batch.cached. */
enum { PROGRAMS = 4 };

static const struct sw_program *program_of(const struct sw_bvp_desc *desc, int k)
{
    const struct sw_program *const program[PROGRAMS] = {desc->f, desc->exact, desc->p, desc->q};
    return program[k];
}

/* Parameters that they use, the first ones of a problem. */
static int params_of(const struct sw_bvp_desc *desc)
{
    int most = 0;
    for (int k = 0; k < PROGRAMS; k++) {
        const int params = sw_program_size(program_of(desc, k)).params;
        most = params > most ? params : most;
    }
    return most;
}

static void add_definitions(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc,
                            const struct bvp_kernels *source, struct sw_text *text)
{
    const int size = row->element_size ? row->element_size : desc->single ? 4 : 8;
    static const char *const macro[PROGRAMS] = {"F", "EXACT", "P", "Q"};
    static const char *const prefix[PROGRAMS] = {"model_f", "model_exact", "model_p", "model_q"};
    for (int k = 0; k < PROGRAMS; k++) sw_program_cuda_fragment(program_of(desc, k), macro[k], prefix[k], text);
    sw_text_printf(text, "enum { PARAMS = %d, NORM_THREADS = %d };\n", params_of(desc), NORM_THREADS);
    sw_text_printf(text, "typedef %s real_t;\ntypedef %s field_t;\n", size == 4 ? "float" : "double",
                   desc->save_single ? "float" : "double");
    sw_embedded_add("cuda/bvp/bvp_rtc.cuh", text);
    if (source->shape) source->shape(desc, text);
}

/* The row's kernels stand behind those that all rows have. */
static struct sw_kernel_source source_of(const struct bvp_kernels *row)
{
    struct sw_kernel_source source = {
        .label = "the GPU code of f and exact",
        .before = {"expr/inputs_point.h", "base/sw_hd.h", "expr/exp_point.h", "field/double_double_point.h",
                   "problem/bvp/bvp_batch_point.h", "problem/bvp/bvp_cells_point.h"},
        .after = {row->file},
        .kernel = {[BVP_BEGIN_K] = "begin_k", [BVP_NORMS_K] = "norms_k"},
    };
    for (int k = 0; row->kernel[k]; k++) source.kernel[BVP_ROW_K + k] = row->kernel[k];
    return source;
}

static enum sw_status create_kernels(struct sw_bvp *bvp, const struct bvp_kernels *kernels, struct bvp_device *d)
{
    const struct sw_kernel_source source = source_of(kernels);
    struct sw_text definitions = {0};
    add_definitions(bvp->ops, &bvp->desc, kernels, &definitions);
    return sw_kernels_create(bvp->device, &source, &definitions, &d->kernels);
}

/* ------------------------------------------------------------------ life */

static size_t cached_values(const struct sw_bvp_desc *desc)
{
    size_t values = 0;
    for (int k = 0; k < PROGRAMS; k++) values += (size_t)sw_program_size(program_of(desc, k)).run;
    return values;
}

static size_t input_of(const struct sw_bvp_desc *desc)
{
    return sizeof(struct bvp_job) + (size_t)desc->nparam * sizeof(double);
}

void bvp_device_arrays(struct sw_bvp *bvp, struct bvp_device *d)
{
    const struct sw_bvp_desc *desc = &bvp->desc;
    const size_t room = (size_t)desc->capacity;
    struct sw_owned *own = &bvp->arrays;
    d->batch.n = desc->n;
    d->output.element_size = sw_reals_word(desc->save_single);
    sw_array_bytes(own, SW_ARRAY_DEVICE, room, input_of(desc), &d->d_input);
    sw_array_bytes(own, SW_ARRAY_PINNED, room, input_of(desc), &d->input);
    sw_array_device(own, room, &d->batch.outcome);
    sw_array_pinned(own, room, &d->outcome);
    sw_array(own, room, &d->output.result);
    if (desc->save)
        sw_array_bytes(own, SW_ARRAY_DEVICE, room * (size_t)desc->n, d->output.element_size, &d->batch.field);
    if (own->counts) sw_array_device(own, room * cached_values(desc), &d->batch.cached);  /* made with the kernels */
}

static enum sw_status create_event(const struct sw_bvp *bvp, struct bvp_device *d)
{
    CU_TRY(cudaSetDevice(bvp->device->index));
    CU_TRY(cudaEventCreateWithFlags(&d->taken, cudaEventDisableTiming));
    return SW_OK;
}

enum sw_status bvp_device_create(struct sw_bvp *bvp, const struct bvp_kernels *source, struct bvp_device *d)
{
    SW_TRY(create_kernels(bvp, source, d));
    if (!bvp->device->compiles_only) SW_TRY(create_event(bvp, d));
    sw_array_device(&bvp->arrays, (size_t)bvp->desc.capacity * cached_values(&bvp->desc), &d->batch.cached);
    return bvp->arrays.status;
}

void bvp_device_destroy(struct sw_bvp *bvp, struct bvp_device *d)
{
    (void)sw_device_wait(bvp->device);  /* copies into pinned memory may be under way */
    if (d->taken) cudaEventDestroy(d->taken);
    sw_kernels_destroy(bvp->device, &d->kernels);
}

/* ------------------------------------------------------------------ a batch */

static enum sw_status queue_copy(struct sw_bvp *bvp, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (bytes) CU_TRY(cudaMemcpyAsync(to, from, bytes, kind, bvp->device->compute));
    return SW_OK;
}

/* Jobs, then parameters. */
static void fill_input(const struct sw_bvp *bvp, char *input)
{
    struct bvp_job *job = (struct bvp_job *)input;
    const size_t count = (size_t)bvp->count;
    const int threads = bvp->device->threads;
#pragma omp parallel for num_threads(threads) if (count > SW_BVP_MANY)
    for (size_t j = 0; j < count; j++)
        job[j] = (struct bvp_job){bvp->run[j].h, bvp->run[j].x0, bvp->refused[j] ? 0 : bvp->run[j].r};
    sw_copy(job + count, bvp->param, count * (size_t)bvp->desc.nparam * sizeof(double), threads);
}

enum sw_status bvp_device_begin(struct sw_bvp *bvp, struct bvp_device *d)
{
    enum { THREADS = 128 };
    void *args[] = {&d->batch};
    CU_TRY(cudaSetDevice(bvp->device->index));
    CU_TRY(cudaEventSynchronize(d->taken));  /* of the batch before: its input may still be read */
    fill_input(bvp, d->input);
    d->batch.count = bvp->count;
    d->batch.job = d->d_input;
    d->batch.param = (const double *)(d->batch.job + bvp->count);
    SW_TRY(queue_copy(bvp, d->d_input, d->input, (size_t)bvp->count * input_of(&bvp->desc), cudaMemcpyHostToDevice));
    CU_TRY(cudaEventRecord(d->taken, bvp->device->compute));
    return sw_kernel_launch(bvp->device, d->kernels.kernel[BVP_BEGIN_K], (bvp->count + THREADS - 1) / THREADS, 1,
                            THREADS, 0, args);
}

enum sw_status bvp_device_norms(struct sw_bvp *bvp, struct bvp_device *d, const void *d_part, int first, int count,
                                int64_t parts)
{
    long long number = parts;
    void *args[] = {&d->batch, &d_part, &first, &number};
    if (!bvp->desc.exact) return SW_OK;
    return sw_kernel_launch(bvp->device, d->kernels.kernel[BVP_NORMS_K], count, 1, NORM_THREADS, 0, args);
}

static void finish(const struct sw_bvp *bvp, const struct bvp_device *d, int j)
{
    const struct bvp_outcome *o = &d->outcome[j];
    const struct sw_bvp_run *run = &bvp->run[j];
    const struct sw_norm_sums sum = {o->norms.error, o->norms.exact, o->norms.max};
    double bad = o->bad == BVP_NONE ? INFINITY : run->x0 + run->h * (double)o->bad;
    if (bvp->refused[j]) bvp_result_refused(&d->output.result[j]);
    else bvp_result_from_norms(&sum, bvp, j, bad, o->u0, &d->output.result[j]);
}

static enum sw_status fetch_field(struct sw_bvp *bvp, struct bvp_device *d)
{
    const size_t size = sw_reals_word(bvp->desc.save_single);
    if (!bvp->desc.save) return SW_OK;
    if (!d->output.field)
        sw_array_bytes(&bvp->arrays, SW_ARRAY_PINNED, (size_t)bvp->desc.capacity * (size_t)bvp->desc.n, size,
                       &d->output.field);
    SW_TRY(bvp->arrays.status);
    return sw_device_download(bvp->device, d->output.field, d->batch.field,
                              (size_t)bvp->count * (size_t)bvp->desc.n * size);
}

enum sw_status bvp_device_fetch(struct sw_bvp *bvp, struct bvp_device *d, const void **field,
                                const struct sw_bvp_result **result)
{
    CU_TRY(cudaSetDevice(bvp->device->index));
    SW_TRY(sw_device_download(bvp->device, d->outcome, d->batch.outcome, (size_t)bvp->count * sizeof *d->outcome));
    SW_TRY(fetch_field(bvp, d));
    for (int j = 0; j < bvp->count; j++) finish(bvp, d, j);
    bvp_output_clear_failed(&d->output, bvp);
    *field = d->output.field;
    *result = d->output.result;
    return SW_OK;
}
