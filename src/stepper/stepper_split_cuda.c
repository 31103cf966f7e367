/* The lines of a batch on a CUDA device, one step at a time: a kernel makes the right-hand sides, a band solver solves.
 *
 * Everything is interleaved over the runs (stepper/batch_point.h). All work is queued on the device's stream `compute`.
 * A capture is laid out line by line in a buffer of the device and goes from there to the host on the stream `copy`,
 * while the next steps are computed; the next capture waits until the buffer is free again. */
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "solver/sw_band.h"
#include "stepper/batch_point.h"
#include "stepper/line_kernels.h"
#include "stepper/measure.h"
#include "stepper/measure_point.h"
#include "stepper/spectrum_point.h"
#include "stepper/sw_stepper_impl.h"
#include "sw_cuda.h"

/* Vectors of n*capacity numbers in `work`. While a batch is loaded there is no state yet, and the matrix takes its
 * place. */
enum { STATE, NEXT, STAGING, MATRIX_VECTORS = 5 };

/* Numbers a run in `coefficient`. */
enum { DT, DX, X0, S4, S2, COEFFICIENTS };

struct slot {                  /* a capture on the host                                             */
    void        *field;        /* [capacity][n] float or double, pinned; made when first used       */
    double      *scalars;      /* [capacity][SW_LINE_SCALARS], pinned                               */
    int          what;         /* of the last capture                                               */
    cudaEvent_t  done;         /* its copies                                                        */
};

struct split {
    struct sw_band         *band;
    struct sw_module       *module;
    void                   *kernel[SW_LINE_KERNELS];
    struct sw_program_size  kept;
    struct sw_line_batch    batch;
    struct sw_cuda_spectrum spectrum;
    double       *work;        /* [MATRIX_VECTORS] vectors                                          */
    double       *u, *rhs;     /* its vectors STATE and NEXT, in turn                               */
    double       *coefficient; /* [COEFFICIENTS][count]                                             */
    double       *param;       /* [nparam][count]                                                   */
    int          *fault;
    double       *scalars;     /* [capacity][SW_LINE_SCALARS] of a capture                          */
    struct slot   slot[SW_SLOTS];
    int           last;        /* the slot whose copies may still be using STAGING and scalars, -1  */
    cudaEvent_t   taken;       /* a capture is in the device's buffers                              */
    double       *host;        /* [COEFFICIENTS][count], to be uploaded                             */
    int          *bad;         /* [capacity] on the host                                            */
};

static const char default_band[] = "cuda.thomas";

static bool split_fits(const struct sw_stepper_desc *desc)
{
    (void)desc;
    return true;
}

/* ------------------------------------------------------------------ memory */

static size_t vector_of(const struct sw_stepper_desc *d) { return (size_t)d->n * (size_t)d->capacity; }

static size_t field_size(const struct sw_stepper_desc *d) { return d->single ? sizeof(float) : sizeof(double); }

/* Runs measured at once. Each needs 4 n numbers, in all 256 MiB where lines are long; 1024 blocks fill any device. */
static int measured_at_once(int n)
{
    size_t blocks = ((size_t)1 << 25) / (4 * (size_t)n);
    return blocks < 1 ? 1 : blocks > 1024 ? 1024 : (int)blocks;
}

static void split_bytes(const struct sw_stepper_desc *d, const char *band, size_t *fixed, size_t *per_run)
{
    struct sw_program_size kept = sw_line_kept(&d->model);
    size_t n = (size_t)d->n, number = sizeof(double);
    size_t vectors = MATRIX_VECTORS + (size_t)sw_band_vectors(band ? band : default_band) + (size_t)kept.cell;
    size_t numbers = COEFFICIENTS + (size_t)d->model.nparam + (size_t)(kept.run + kept.step) + SW_LINE_SCALARS + 10;
    *fixed = ((size_t)measured_at_once(d->n) * 4 + 2) * n * number;
    *per_run = (vectors * n + numbers) * number + 2 * sizeof(int) + sizeof(long long);
}

static enum sw_status make_spectrum(struct sw_stepper *s, struct sw_cuda_spectrum *p)
{
    enum sw_status st;
    int n = s->desc.n;
    double *circle = NULL;
    _Static_assert(sizeof p->radix == SW_MAX_PASSES * sizeof *p->radix, "room for all passes");
    p->passes = sw_spectrum_passes(n, p->radix);
    p->blocks = measured_at_once(n);
    p->stride = SW_LINE_SCALARS;
    p->mass = SW_MASS;
    p->energy = SW_ENERGY;
    p->least = SW_MIN;
    p->largest = SW_MAX;
    p->domain_length = SW_DOMAIN_LENGTH;
    SW_TRY(sw_device_alloc(s->device, (size_t)p->blocks * 4 * (size_t)n, &p->scratch));
    SW_TRY(sw_device_alloc(s->device, (size_t)n, &p->cosine));
    SW_TRY(sw_device_alloc(s->device, (size_t)n, &p->sine));
    SW_TRY(sw_alloc(2 * (size_t)n, &circle));
    sw_measure_circle(n, circle, circle + n);
    SW_TRY_TO(done, st, sw_device_upload(s->device, p->cosine, circle, (size_t)n * sizeof *circle));
    SW_TRY_TO(done, st, sw_device_upload(s->device, p->sine, circle + n, (size_t)n * sizeof *circle));
done:
    sw_free(circle);
    return st;
}

static enum sw_status make_arrays(struct sw_stepper *s, struct split *p)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_device *device = s->device;
    size_t room = (size_t)d->capacity;
    SW_TRY(sw_device_alloc(device, MATRIX_VECTORS * vector_of(d), &p->work));
    SW_TRY(sw_device_alloc(device, COEFFICIENTS * room, &p->coefficient));
    SW_TRY(sw_device_alloc(device, (size_t)d->model.nparam * room, &p->param));
    SW_TRY(sw_device_alloc(device, room, &p->fault));
    SW_TRY(sw_device_alloc(device, room * SW_LINE_SCALARS, &p->scalars));
    SW_TRY(sw_device_alloc(device, (size_t)p->kept.run * room, &p->batch.run));
    SW_TRY(sw_device_alloc(device, (size_t)p->kept.step * room, &p->batch.step));
    SW_TRY(sw_device_alloc(device, (size_t)p->kept.cell * vector_of(d), &p->batch.cell));
    SW_TRY(sw_device_alloc(device, room, &p->batch.first_bad));
    SW_TRY(sw_alloc(COEFFICIENTS * room, &p->host));
    return sw_alloc(room, &p->bad);
}

static enum sw_status make_events(struct sw_stepper *s, struct split *p)
{
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventCreateWithFlags(&p->taken, cudaEventDisableTiming));
    for (int k = 0; k < SW_SLOTS; k++) {
        CU_TRY(cudaEventCreateWithFlags(&p->slot[k].done, cudaEventDisableTiming));
        SW_TRY(sw_device_alloc_host(s->device, (size_t)s->desc.capacity * SW_LINE_SCALARS, &p->slot[k].scalars));
    }
    return SW_OK;
}

static enum sw_status make_kernels(struct sw_stepper *s, struct split *p)
{
    void *cubin = NULL;
    enum sw_status st;
    SW_TRY(sw_line_compile(&s->desc.model, s->device->sm, &cubin));
    st = sw_module_load(s->device, cubin, sw_line_kernel_name, SW_LINE_KERNELS, p->kernel, &p->module);
    sw_free(cubin);
    return st;
}

static enum sw_status split_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    const struct sw_band_desc shape = {.n = d->n, .batch = d->capacity, .lower = 2, .upper = 2, .periodic = true};
    struct split *p = NULL;

    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    p->last = -1;
    p->kept = sw_line_kept(&d->model);
    SW_TRY(make_kernels(s, p));
    SW_TRY(sw_band_create(&shape, band ? band : default_band, s->device, &p->band));
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band));
    SW_TRY(make_arrays(s, p));
    SW_TRY(make_spectrum(s, &p->spectrum));
    return make_events(s, p);
}

static void split_destroy(struct sw_stepper *s)
{
    struct split *p = s->own;
    struct sw_device *device = s->device;
    if (!p) return;
    (void)sw_device_wait(device);  /* copies into pinned memory may be under way */
    for (int k = 0; k < SW_SLOTS; k++) {
        if (p->slot[k].done) cudaEventDestroy(p->slot[k].done);
        sw_device_free_host(device, p->slot[k].field);
        sw_device_free_host(device, p->slot[k].scalars);
    }
    if (p->taken) cudaEventDestroy(p->taken);
    void *array[] = {p->work, p->coefficient, p->param, p->fault, p->scalars, p->batch.run, p->batch.step,
                     p->batch.cell, p->batch.first_bad, p->spectrum.scratch, p->spectrum.cosine, p->spectrum.sine};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) sw_device_free(device, array[k]);
    sw_band_destroy(&p->band);
    sw_module_unload(device, &p->module);
    sw_free(p->host);
    sw_free(p->bad);
    sw_free(p);
}

/* ------------------------------------------------------------------ launches */

enum { ROWS = 16 };  /* points a thread of the stencil kernel goes along */

/* A small batch is spread over more multiprocessors by smaller blocks. No bit depends on this. */
static int threads_for(int count) { return count < 4096 ? 32 : 128; }

static int ceil_div(size_t a, size_t b) { return (int)((a + b - 1) / b); }

/* A thread a run. */
static enum sw_status launch_runs(struct sw_stepper *s, enum sw_line_kernel kernel, void **args)
{
    struct split *p = s->own;
    int threads = threads_for(s->count);
    return sw_kernel_launch(s->device, p->kernel[kernel], ceil_div((size_t)s->count, (size_t)threads), 1, threads, 0,
                            args);
}

/* A thread a run and `rows` points. The y grid ends at 65535; the kernels go on in steps of it. */
static enum sw_status launch_points(struct sw_stepper *s, enum sw_line_kernel kernel, int rows, void **args)
{
    struct split *p = s->own;
    int threads = threads_for(s->count), x = ceil_div((size_t)s->count, (size_t)threads);
    int y = ceil_div((size_t)s->desc.n, (size_t)rows);
    return sw_kernel_launch(s->device, p->kernel[kernel], x, y < 32768 ? y : 32768, threads, 0, args);
}

/* Mark runs whose field is not finite. */
static enum sw_status check(struct sw_stepper *s, long long mark)
{
    struct split *p = s->own;
    int rows = ROWS;
    void *args[] = {&p->batch, &p->u, &mark, &rows};
    return launch_points(s, SW_CHECK_K, rows, args);
}

/* ------------------------------------------------------------------ load */

static enum sw_status upload_coefficients(struct sw_stepper *s, struct split *p)
{
    size_t count = (size_t)s->count;
    struct sw_line_batch *b = &p->batch;
    for (size_t j = 0; j < count; j++) {
        const struct sw_line_run *r = &s->run[j];
        const double value[COEFFICIENTS] = {[DT] = r->dt, [DX] = r->dx, [X0] = r->x0, [S4] = r->s4, [S2] = r->s2};
        for (int k = 0; k < COEFFICIENTS; k++) p->host[(size_t)k * count + j] = value[k];
    }
    b->n = s->desc.n;
    b->count = s->count;
    b->ld = s->desc.capacity;
    b->cells = p->kept.cell;
    b->theta = s->desc.model.scheme == SW_CRANK_NICOLSON ? 0.5 : 1.0;
    b->dt = p->coefficient + DT * count;
    b->dx = p->coefficient + DX * count;
    b->x0 = p->coefficient + X0 * count;
    b->s4 = p->coefficient + S4 * count;
    b->s2 = p->coefficient + S2 * count;
    b->param = p->param;
    b->fault = p->fault;
    SW_TRY(sw_device_upload(s->device, p->coefficient, p->host, COEFFICIENTS * count * sizeof *p->host));
    return sw_device_upload(s->device, p->param, s->param, (size_t)s->desc.model.nparam * count * sizeof *s->param);
}

static enum sw_status upload_faults(struct sw_stepper *s, struct split *p, const char *const *fault)
{
    for (int j = 0; j < s->count; j++) p->bad[j] = fault[j] != NULL;
    return sw_device_upload(s->device, p->fault, p->bad, (size_t)s->count * sizeof *p->bad);
}

static enum sw_status factor(struct sw_stepper *s, struct split *p, const char **fault)
{
    SW_TRY(sw_cuda_line_matrix(s->device->compute, &p->batch, p->work));
    enum sw_status st = sw_band_factor(p->band, p->work, p->bad);
    if (st && st != SW_E_SINGULAR) return st;  /* bad tells which; the others go on */
    for (int j = 0; j < s->count; j++)
        if (p->bad[j] && !fault[j]) fault[j] = "the implicit part has a zero or non-finite pivot";
    return upload_faults(s, p, fault);
}

static enum sw_status split_load(struct sw_stepper *s, const char **fault)
{
    struct split *p = s->own;
    void *args[] = {&p->batch};
    SW_TRY(sw_device_wait(s->device));  /* a capture may still be on its way out of `work` */
    SW_TRY(upload_coefficients(s, p));
    SW_TRY(upload_faults(s, p, fault));
    SW_TRY(factor(s, p, fault));
    p->u = p->work + STATE * vector_of(&s->desc);
    p->rhs = p->work + NEXT * vector_of(&s->desc);
    SW_TRY(sw_cuda_line_reset(s->device->compute, &p->batch));
    if (p->kept.run) SW_TRY(launch_runs(s, SW_RUN_K, args));
    if (p->kept.cell) SW_TRY(launch_points(s, SW_CELL_K, 1, args));
    return SW_OK;
}

/* ------------------------------------------------------------------ the state */

static enum sw_status split_initial(struct sw_stepper *s)
{
    struct split *p = s->own;
    void *args[] = {&p->batch, &p->u};
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_line_reset(s->device->compute, &p->batch));
    SW_TRY(launch_points(s, SW_INITIAL_K, 1, args));
    return check(s, 0);
}

/* Between two steps the right-hand sides hold nothing that is needed: lines pass through them. */
static enum sw_status split_set_state(struct sw_stepper *s, const double *u)
{
    struct split *p = s->own;
    SW_TRY(sw_device_upload(s->device, p->rhs, u, (size_t)s->count * (size_t)s->desc.n * sizeof *u));
    SW_TRY(sw_cuda_line_reset(s->device->compute, &p->batch));
    SW_TRY(sw_cuda_from_lines(s->device->compute, &p->batch, p->rhs, p->u));
    SW_TRY(check(s, SW_LINE_NOT_FINITE));
    return sw_device_wait(s->device);
}

static enum sw_status split_get_state(struct sw_stepper *s, double *u)
{
    struct split *p = s->own;
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_to_lines(s->device->compute, &p->batch, p->u, false, p->rhs));
    return sw_device_download(s->device, u, p->rhs, (size_t)s->count * (size_t)s->desc.n * sizeof *u);
}

static enum sw_status step_once(struct sw_stepper *s, struct split *p, long long step)
{
    int rows = ROWS;
    void *step_args[] = {&p->batch, &step}, *rhs_args[] = {&p->batch, &p->u, &p->rhs, &step, &rows};
    double *solved = p->rhs;
    if (p->kept.step) SW_TRY(launch_runs(s, SW_STEP_K, step_args));
    SW_TRY(launch_points(s, SW_RHS_K, rows, rhs_args));
    SW_TRY(sw_band_solve(p->band, solved));
    p->rhs = p->u;
    p->u = solved;
    return SW_OK;
}

static enum sw_status split_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct split *p = s->own;
    for (int64_t step = from; step < to; step++) SW_TRY(step_once(s, p, step));
    return check(s, to);
}

static enum sw_status split_diverged(struct sw_stepper *s, int64_t *step)
{
    struct split *p = s->own;
    _Static_assert(sizeof *step == sizeof *p->batch.first_bad, "both have 64 bits");
    SW_TRY(sw_device_download(s->device, step, p->batch.first_bad, (size_t)s->count * sizeof *step));
    for (int j = 0; j < s->count; j++)
        if (step[j] == SW_LINE_NOT_FINITE) step[j] = -1;
    return SW_OK;
}

/* ------------------------------------------------------------------ captures */

static enum sw_status measure(struct sw_stepper *s, struct split *p)
{
    double *energy = p->scalars + SW_ENERGY;
    int stride = SW_LINE_SCALARS;
    void *args[] = {&p->batch, &p->u, &energy, &stride};
    SW_TRY(sw_cuda_line_measure(s->device->compute, &p->batch, &p->spectrum, p->u, p->scalars));
    if (!s->desc.model.energy) return SW_OK;
    return sw_kernel_launch(s->device, p->kernel[SW_ENERGY_K], s->count, 1, SW_SUM_LANES, 0, args);
}

static enum sw_status take(struct sw_stepper *s, struct split *p, int what)
{
    cudaStream_t compute = s->device->compute;
    double *staging = p->work + STAGING * vector_of(&s->desc);
    if (p->last >= 0) CU_TRY(cudaStreamWaitEvent(compute, p->slot[p->last].done, 0));
    if (what & SW_CAPTURE_FIELD) SW_TRY(sw_cuda_to_lines(compute, &p->batch, p->u, s->desc.single, staging));
    if (what & SW_CAPTURE_SCALARS) SW_TRY(measure(s, p));
    CU_TRY(cudaEventRecord(p->taken, compute));
    return SW_OK;
}

static enum sw_status send(struct sw_stepper *s, struct split *p, struct slot *y)
{
    cudaStream_t copy = s->device->copy;
    const double *staging = p->work + STAGING * vector_of(&s->desc);
    size_t count = (size_t)s->count;
    CU_TRY(cudaStreamWaitEvent(copy, p->taken, 0));
    if (y->what & SW_CAPTURE_FIELD)
        CU_TRY(cudaMemcpyAsync(y->field, staging, count * (size_t)s->desc.n * field_size(&s->desc),
                               cudaMemcpyDeviceToHost, copy));
    if (y->what & SW_CAPTURE_SCALARS)
        CU_TRY(cudaMemcpyAsync(y->scalars, p->scalars, count * SW_LINE_SCALARS * sizeof *y->scalars,
                               cudaMemcpyDeviceToHost, copy));
    CU_TRY(cudaEventRecord(y->done, copy));
    return SW_OK;
}

static enum sw_status split_capture(struct sw_stepper *s, int slot, int what)
{
    struct split *p = s->own;
    struct slot *y = &p->slot[slot];
    if ((what & SW_CAPTURE_FIELD) && !y->field)
        SW_TRY(sw_device_alloc_host_bytes(s->device, vector_of(&s->desc), field_size(&s->desc), &y->field));
    CU_TRY(cudaSetDevice(s->device->index));
    y->what = what;
    SW_TRY(take(s, p, what));
    SW_TRY(send(s, p, y));
    p->last = slot;
    return SW_OK;
}

/* Possibly on another thread than the rest: it looks at nothing but its slot. */
static enum sw_status split_fetch(struct sw_stepper *s, int slot, const void **field, const double **scalars)
{
    const struct split *p = s->own;
    const struct slot *y = &p->slot[slot];
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventSynchronize(y->done));
    *field = y->what & SW_CAPTURE_FIELD ? y->field : NULL;
    *scalars = y->what & SW_CAPTURE_SCALARS ? y->scalars : NULL;
    return SW_OK;
}

static enum sw_status split_try_compile(const struct sw_stepper_desc *desc, int sm)
{
    void *cubin = NULL;
    enum sw_status st = sw_line_compile(&desc->model, sm, &cubin);
    sw_free(cubin);
    return st;
}

/* The right-hand side: u read, rhs written, 16 bytes, and what S keeps for each point; the stencil's operations and
 * those of G and S. Then the solve. */
static struct sw_cost split_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct split *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    struct sw_cost solve = sw_band_cost(sw_band_shape(p->band), sw_band_name(p->band));
    double kept = m->s ? 8.0 * sw_program_size(m->s).cell : 0;
    double operations = m->scheme == SW_CRANK_NICOLSON ? 12 : 0;
    (void)steps;
    if (m->g) operations += 5 + sw_program_size(m->g).point;
    if (m->s) operations += 2 + sw_program_size(m->s).point;
    return (struct sw_cost){16 + kept + solve.bytes, operations + solve.fma};
}

extern const struct sw_stepper_ops stepper_split_cuda;
const struct sw_stepper_ops stepper_split_cuda = {
    .name = "cuda.split",
    .about = "a kernel for the stencils and expressions, then a band solver, one step at a time",
    .space = SW_DEVICE,
    .fits = split_fits,
    .bytes = split_bytes,
    .create = split_create,
    .load = split_load,
    .initial = split_initial,
    .set_state = split_set_state,
    .get_state = split_get_state,
    .advance = split_advance,
    .capture = split_capture,
    .fetch = split_fetch,
    .diverged = split_diverged,
    .destroy = split_destroy,
    .takes_band = true,
    .cost = split_cost,
    .try_compile = split_try_compile,
};
