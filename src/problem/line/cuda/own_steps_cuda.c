#include "problem/line/cuda/own_steps_cuda.h"

#include <string.h>

#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "problem/line/cuda/fused_shape_cuda.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/own_steps_drive.h"

_Static_assert(sizeof(struct sw_own_limits) % sizeof(double) == 0, "numbers of 8 bytes follow");

/* Of a run in `numbers`, which has limits, first dt and drive of all runs, one after another. */
static size_t count_numbers(const struct sw_stepper_desc *d)
{
    return sizeof(struct sw_own_limits) / sizeof(double) + 1 + sw_own_drive_numbers(d);
}

enum { QUEUE_THREADS = 1024, NOISE_THREADS = 128 };  /* the first as in cuda/line/line_own_steps_rtc.cuh */

static size_t count_times(const struct sw_stepper_desc *d) { return d->times ? (size_t)d->goals + 1 : 0; }

/* ------------------------------------------------------------------ memory */

enum sw_status sw_cuda_own_create(struct sw_stepper *s, struct sw_cuda_own *p)
{
    const size_t room = (size_t)s->desc.capacity, times = count_times(&s->desc), numbers = count_numbers(&s->desc);
    SW_TRY(sw_device_alloc(s->device, times, &p->times));
    SW_TRY(sw_device_alloc(s->device, numbers * room, &p->numbers));
    SW_TRY(sw_device_alloc(s->device, room, &p->view.steps));
    SW_TRY(sw_device_alloc(s->device, room, &p->view.queue));
    SW_TRY(sw_device_alloc(s->device, 2, &p->view.counter));
    SW_TRY(sw_alloc(numbers * room, &p->host));
    p->view.times = p->times;
    p->view.windows = sw_own_drive_windows(&s->desc);
    p->view.gamma = sw_imex_of(s->desc.model.scheme)->gamma;
    return times ? sw_device_upload(s->device, p->times, s->desc.times, times * sizeof *p->times) : SW_OK;
}

void sw_cuda_own_destroy(struct sw_stepper *s, struct sw_cuda_own *p)
{
    void *array[] = {p->times, p->numbers, p->view.steps, p->view.queue, p->view.counter};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) sw_device_free(s->device, array[k]);
    sw_free(p->host);
}

void sw_cuda_own_bytes(const struct sw_stepper_desc *d, size_t *fixed, size_t *per_run)
{
    *fixed = count_times(d) * sizeof(double) + 2 * sizeof(int);
    *per_run = count_numbers(d) * sizeof(double) + sizeof(struct sw_own_steps) + sizeof(int);
}

/* ------------------------------------------------------------------ load */

enum sw_status sw_cuda_own_restart(struct sw_stepper *s, struct sw_cuda_own *p)
{
    p->begun = false;
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaMemsetAsync(p->view.steps, 0, (size_t)s->count * sizeof *p->view.steps,
                           (cudaStream_t)s->device->compute));
    return SW_OK;
}

enum sw_status sw_cuda_own_load(struct sw_stepper *s, struct sw_cuda_own *p)
{
    const size_t count = (size_t)s->count;
    const size_t first = count * sizeof(struct sw_own_limits) / sizeof(double), drive = first + count;
    struct sw_own_limits *limits = (struct sw_own_limits *)p->host;
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->device->threads) if (count > 64)
    for (size_t j = 0; j < count; j++) {
        limits[j] = s->desc.times ? sw_stepper_limits(s, &s->run[j]) : (struct sw_own_limits){0};
        p->host[first + j] = s->run[j].first_dt;
    }
    memcpy(p->host + drive, s->drive, count * sw_own_drive_numbers(&s->desc) * sizeof *p->host);
    p->view.limits = (const struct sw_own_limits *)p->numbers;
    p->view.first_dt = p->numbers + first;
    p->view.drive = p->numbers + drive;
    SW_TRY(sw_device_upload(s->device, p->numbers, p->host, count_numbers(&s->desc) * count * sizeof *p->host));
    return sw_cuda_own_restart(s, p);
}

/* ------------------------------------------------------------------ launches */

static enum sw_status launch_groups(struct sw_stepper *s, const struct sw_fused_kernels *k, int kernel, int most,
                                    void **args)
{
    const int threads = 32 * k->shape.warps, lines = threads / k->shape.lanes;
    const int blocks = (s->count + lines - 1) / lines;
    return sw_kernel_launch(s->device, sw_fused_kernels_get(k, kernel), blocks < most ? blocks : most, 1, threads,
                            sw_fused_shared(&k->shape) * sizeof(double), args);
}

/* As many blocks as are on the device at once take the runs from the queue. */
enum sw_status sw_cuda_own_advance(struct sw_stepper *s, struct sw_cuda_own *p, struct sw_cuda_batch *batch,
                                   const struct sw_fused_kernels *k, int64_t from, int64_t to)
{
    void *begin[] = {&batch->view, &p->view, &batch->u}, *queue[] = {&batch->view, &p->view, &from, &to};
    void *steps[] = {&batch->view, &p->view, &batch->u, &to};
    if (!p->begun) SW_TRY(launch_groups(s, k, SW_OWN_BEGIN_K, s->count, begin));
    p->begun = true;
    SW_TRY(sw_kernel_launch(s->device, sw_fused_kernels_get(k, SW_OWN_QUEUE_K), 1, 1, QUEUE_THREADS, 0, queue));
    return launch_groups(s, k, SW_OWN_STEPS_K, s->device->processors * k->shape.blocks, steps);
}

enum sw_status sw_cuda_own_set_noise(struct sw_stepper *s, struct sw_cuda_own *p, struct sw_cuda_batch *batch,
                                     const struct sw_fused_kernels *k)
{
    double *noise = sw_cuda_batch_noise(batch);
    void *args[] = {&batch->view, &p->view, &noise};
    return sw_kernel_launch(s->device, sw_fused_kernels_get(k, SW_OWN_NOISE_K),
                            (s->count + NOISE_THREADS - 1) / NOISE_THREADS, 1, NOISE_THREADS, 0, args);
}

/* ------------------------------------------------------------------ what their steps have been */

enum sw_status sw_cuda_own_get(struct sw_stepper *s, const struct sw_cuda_own *p, double *record)
{
    return sw_device_download(s->device, record, p->view.steps, (size_t)s->count * sizeof *p->view.steps);
}

enum sw_status sw_cuda_own_set(struct sw_stepper *s, struct sw_cuda_own *p, const double *record)
{
    p->begun = false;
    return sw_device_upload(s->device, p->view.steps, record, (size_t)s->count * sizeof *p->view.steps);
}
