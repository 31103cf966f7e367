#include "stepper/lines_cuda.h"

#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "stepper/measure.h"
#include "stepper/measure_point.h"
#include "stepper/spectrum_point.h"

/* Numbers a run in `coefficient`. */
enum { DT, DX, X0, S4, S2, COEFFICIENTS };

static size_t vector_of(const struct sw_stepper_desc *d) { return (size_t)d->n * (size_t)d->capacity; }

static size_t field_size(const struct sw_stepper_desc *d) { return d->single ? sizeof(float) : sizeof(double); }

/* ------------------------------------------------------------------ memory */

/* Runs measured at once. Each needs 4 n numbers, in all 256 MiB where lines are long; 1024 blocks fill any device. */
static int measured_at_once(int n)
{
    size_t blocks = ((size_t)1 << 25) / (4 * (size_t)n);
    return blocks < 1 ? 1 : blocks > 1024 ? 1024 : (int)blocks;
}

void sw_lines_bytes(const struct sw_stepper_desc *d, size_t *fixed, size_t *per_run)
{
    size_t numbers = COEFFICIENTS + (size_t)d->model.nparam + SW_LINE_SCALARS;
    *fixed = ((size_t)measured_at_once(d->n) * 4 + 2) * (size_t)d->n * sizeof(double);
    *per_run = numbers * sizeof(double) + 2 * sizeof(int) + sizeof(long long);
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

static enum sw_status make_arrays(struct sw_stepper *s, struct sw_lines *p)
{
    struct sw_device *device = s->device;
    size_t room = (size_t)s->desc.capacity;
    SW_TRY(sw_device_alloc(device, COEFFICIENTS * room, &p->coefficient));
    SW_TRY(sw_device_alloc(device, (size_t)s->desc.model.nparam * room, &p->param));
    SW_TRY(sw_device_alloc(device, room, &p->fault));
    SW_TRY(sw_device_alloc(device, room * SW_LINE_SCALARS, &p->scalars));
    SW_TRY(sw_device_alloc(device, (size_t)p->kept.run * room, &p->batch.run));
    SW_TRY(sw_device_alloc(device, room, &p->batch.first_bad));
    SW_TRY(sw_alloc(COEFFICIENTS * room, &p->host));
    return sw_alloc(room, &p->bad);
}

static enum sw_status make_events(struct sw_stepper *s, struct sw_lines *p)
{
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventCreateWithFlags(&p->taken, cudaEventDisableTiming));
    for (int k = 0; k < SW_SLOTS; k++) {
        CU_TRY(cudaEventCreateWithFlags(&p->slot[k].done, cudaEventDisableTiming));
        SW_TRY(sw_device_alloc_host(s->device, (size_t)s->desc.capacity * SW_LINE_SCALARS, &p->slot[k].scalars));
    }
    return SW_OK;
}

static enum sw_status make_kernels(struct sw_stepper *s, struct sw_lines *p)
{
    void *cubin = NULL;
    enum sw_status st;
    SW_TRY(sw_line_compile(&s->desc.model, s->device->sm, &cubin));
    st = sw_module_load(s->device, cubin, sw_line_kernel_name, SW_LINE_KERNELS, p->kernel, &p->module);
    sw_free(cubin);
    return st;
}

enum sw_status sw_lines_create(struct sw_stepper *s, struct sw_lines *p, bool line_by_line)
{
    const struct sw_stepper_desc *d = &s->desc;
    p->last = -1;
    p->kept = sw_line_kept(&d->model);
    p->batch.n = d->n;
    p->batch.ld = d->capacity;
    p->batch.point = line_by_line ? 1 : d->capacity;
    p->batch.line = line_by_line ? d->n : 1;
    p->batch.cells = p->kept.cell;
    p->batch.theta = d->model.scheme == SW_CRANK_NICOLSON ? 0.5 : 1.0;
    SW_TRY(make_kernels(s, p));
    SW_TRY(make_arrays(s, p));
    SW_TRY(make_spectrum(s, &p->spectrum));
    return make_events(s, p);
}

void sw_lines_destroy(struct sw_stepper *s, struct sw_lines *p)
{
    struct sw_device *device = s->device;
    (void)sw_device_wait(device);  /* copies into pinned memory may be under way */
    for (int k = 0; k < SW_SLOTS; k++) {
        if (p->slot[k].done) cudaEventDestroy(p->slot[k].done);
        sw_device_free_host(device, p->slot[k].field);
        sw_device_free_host(device, p->slot[k].scalars);
    }
    if (p->taken) cudaEventDestroy(p->taken);
    void *array[] = {p->coefficient, p->param, p->fault, p->scalars, p->batch.run, p->batch.step, p->batch.cell,
                     p->batch.first_bad, p->spectrum.scratch, p->spectrum.cosine, p->spectrum.sine};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) sw_device_free(device, array[k]);
    sw_module_unload(device, &p->module);
    sw_free(p->host);
    sw_free(p->bad);
}

/* ------------------------------------------------------------------ launches */

/* A small batch is spread over more multiprocessors by smaller blocks. No bit depends on this. */
static int threads_for(int count) { return count < 4096 ? 32 : 128; }

static int ceil_div(size_t a, size_t b) { return (int)((a + b - 1) / b); }

enum sw_status sw_lines_launch_runs(struct sw_stepper *s, struct sw_lines *p, enum sw_line_kernel kernel, void **args)
{
    int threads = threads_for(s->count), blocks = ceil_div((size_t)s->count, (size_t)threads);
    return sw_kernel_launch(s->device, p->kernel[kernel], blocks, 1, threads, 0, args);
}

/* The y grid ends at 65535; the kernels go on in steps of it. */
enum sw_status sw_lines_launch_points(struct sw_stepper *s, struct sw_lines *p, enum sw_line_kernel kernel, int rows, void **args)
{
    int threads = threads_for(s->count), x = ceil_div((size_t)s->count, (size_t)threads);
    int y = ceil_div((size_t)s->desc.n, (size_t)rows);
    return sw_kernel_launch(s->device, p->kernel[kernel], x, y < 32768 ? y : 32768, threads, 0, args);
}

enum sw_status sw_lines_check(struct sw_stepper *s, struct sw_lines *p, long long mark)
{
    int rows = SW_LINE_ROWS;
    void *args[] = {&p->batch, &p->u, &mark, &rows};
    return sw_lines_launch_points(s, p, SW_CHECK_K, rows, args);
}

/* ------------------------------------------------------------------ load */

static enum sw_status upload_coefficients(struct sw_stepper *s, struct sw_lines *p)
{
    size_t count = (size_t)s->count;
    struct sw_line_batch *b = &p->batch;
    for (size_t j = 0; j < count; j++) {
        const struct sw_line_run *r = &s->run[j];
        const double value[COEFFICIENTS] = {[DT] = r->dt, [DX] = r->dx, [X0] = r->x0, [S4] = r->s4, [S2] = r->s2};
        for (int k = 0; k < COEFFICIENTS; k++) p->host[(size_t)k * count + j] = value[k];
    }
    b->count = s->count;
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

enum sw_status sw_lines_faults(struct sw_stepper *s, struct sw_lines *p, const char *const *fault)
{
    for (int j = 0; j < s->count; j++) p->bad[j] = fault[j] != NULL;
    SW_TRY(sw_device_upload(s->device, p->fault, p->bad, (size_t)s->count * sizeof *p->bad));
    return sw_cuda_line_reset(s->device->compute, &p->batch);
}

enum sw_status sw_lines_load(struct sw_stepper *s, struct sw_lines *p, const char *const *fault)
{
    void *args[] = {&p->batch};
    SW_TRY(sw_device_wait(s->device));  /* a capture may still be on its way out of `staging` */
    SW_TRY(upload_coefficients(s, p));
    SW_TRY(sw_lines_faults(s, p, fault));
    return p->kept.run ? sw_lines_launch_runs(s, p, SW_RUN_K, args) : SW_OK;
}

/* ------------------------------------------------------------------ the state */

enum sw_status sw_lines_initial(struct sw_stepper *s, struct sw_lines *p)
{
    void *args[] = {&p->batch, &p->u};
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_line_reset(s->device->compute, &p->batch));
    SW_TRY(sw_lines_launch_points(s, p, SW_INITIAL_K, 1, args));
    return sw_lines_check(s, p, 0);
}

enum sw_status sw_lines_set_state(struct sw_stepper *s, struct sw_lines *p, double *scratch, const double *u)
{
    SW_TRY(sw_device_upload(s->device, scratch, u, (size_t)s->count * (size_t)s->desc.n * sizeof *u));
    SW_TRY(sw_cuda_line_reset(s->device->compute, &p->batch));
    if (scratch != p->u) SW_TRY(sw_cuda_from_lines(s->device->compute, &p->batch, scratch, p->u));
    SW_TRY(sw_lines_check(s, p, SW_LINE_NOT_FINITE));
    return sw_device_wait(s->device);
}

enum sw_status sw_lines_get_state(struct sw_stepper *s, struct sw_lines *p, double *scratch, double *u)
{
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_to_lines(s->device->compute, &p->batch, p->u, false, scratch));
    return sw_device_download(s->device, u, scratch, (size_t)s->count * (size_t)s->desc.n * sizeof *u);
}

enum sw_status sw_lines_diverged(struct sw_stepper *s, struct sw_lines *p, int64_t *step)
{
    _Static_assert(sizeof *step == sizeof *p->batch.first_bad, "both have 64 bits");
    SW_TRY(sw_device_download(s->device, step, p->batch.first_bad, (size_t)s->count * sizeof *step));
    for (int j = 0; j < s->count; j++)
        if (step[j] == SW_LINE_NOT_FINITE) step[j] = -1;
    return SW_OK;
}

/* ------------------------------------------------------------------ captures */

static enum sw_status measure(struct sw_stepper *s, struct sw_lines *p)
{
    double *energy = p->scalars + SW_ENERGY;
    int stride = SW_LINE_SCALARS;
    void *args[] = {&p->batch, &p->u, &energy, &stride};
    SW_TRY(sw_cuda_line_measure(s->device->compute, &p->batch, &p->spectrum, p->u, p->scalars));
    if (!s->desc.model.energy) return SW_OK;
    return sw_kernel_launch(s->device, p->kernel[SW_ENERGY_K], s->count, 1, SW_SUM_LANES, 0, args);
}

enum sw_status sw_lines_wait_staging(struct sw_stepper *s, struct sw_lines *p)
{
    if (p->last >= 0) CU_TRY(cudaStreamWaitEvent(s->device->compute, p->slot[p->last].done, 0));
    return SW_OK;
}

static enum sw_status take(struct sw_stepper *s, struct sw_lines *p, int what)
{
    cudaStream_t compute = s->device->compute;
    SW_TRY(sw_lines_wait_staging(s, p));
    if (what & SW_CAPTURE_FIELD) SW_TRY(sw_cuda_to_lines(compute, &p->batch, p->u, s->desc.single, p->staging));
    if (what & SW_CAPTURE_SCALARS) SW_TRY(measure(s, p));
    CU_TRY(cudaEventRecord(p->taken, compute));
    return SW_OK;
}

static enum sw_status send(struct sw_stepper *s, struct sw_lines *p, struct sw_lines_slot *y)
{
    cudaStream_t copy = s->device->copy;
    size_t count = (size_t)s->count, bytes = count * (size_t)s->desc.n * field_size(&s->desc);
    CU_TRY(cudaStreamWaitEvent(copy, p->taken, 0));
    if (y->what & SW_CAPTURE_FIELD) CU_TRY(cudaMemcpyAsync(y->field, p->staging, bytes, cudaMemcpyDeviceToHost, copy));
    if (y->what & SW_CAPTURE_SCALARS)
        CU_TRY(cudaMemcpyAsync(y->scalars, p->scalars, count * SW_LINE_SCALARS * sizeof *y->scalars, cudaMemcpyDeviceToHost,
                               copy));
    CU_TRY(cudaEventRecord(y->done, copy));
    return SW_OK;
}

enum sw_status sw_lines_capture(struct sw_stepper *s, struct sw_lines *p, int slot, int what)
{
    struct sw_lines_slot *y = &p->slot[slot];
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
enum sw_status sw_lines_fetch(struct sw_stepper *s, const struct sw_lines *p, int slot, const void **field, const double **scalars)
{
    const struct sw_lines_slot *y = &p->slot[slot];
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventSynchronize(y->done));
    *field = y->what & SW_CAPTURE_FIELD ? y->field : NULL;
    *scalars = y->what & SW_CAPTURE_SCALARS ? y->scalars : NULL;
    return SW_OK;
}
