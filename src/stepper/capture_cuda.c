#include "stepper/capture_cuda.h"

#include "base/sw_reals.h"
#include "cu_check.cuh"

enum sw_status sw_captures_create(struct sw_stepper *s, struct sw_captures *c)
{
    size_t room = (size_t)s->desc.capacity * SW_LINE_SCALARS;
    c->last = -1;
    SW_TRY(sw_device_alloc(s->device, room, &c->scalars));
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventCreateWithFlags(&c->taken, cudaEventDisableTiming));
    for (int k = 0; k < SW_SLOTS; k++) {
        CU_TRY(cudaEventCreateWithFlags(&c->slot[k].done, cudaEventDisableTiming));
        SW_TRY(sw_device_alloc_host(s->device, room, &c->slot[k].scalars));
    }
    return SW_OK;
}

void sw_captures_destroy(struct sw_stepper *s, struct sw_captures *c)
{
    (void)sw_device_wait(s->device);  /* copies into pinned memory may be under way */
    for (int k = 0; k < SW_SLOTS; k++) {
        if (c->slot[k].done) cudaEventDestroy(c->slot[k].done);
        sw_device_free_host(s->device, c->slot[k].field);
        sw_device_free_host(s->device, c->slot[k].scalars);
    }
    if (c->taken) cudaEventDestroy(c->taken);
    sw_device_free(s->device, c->scalars);
}

enum sw_status sw_captures_wait(struct sw_stepper *s, struct sw_captures *c)
{
    CU_TRY(cudaSetDevice(s->device->index));
    if (c->last >= 0) CU_TRY(cudaStreamWaitEvent(s->device->compute, c->slot[c->last].done, 0));
    return SW_OK;
}

static enum sw_status download(struct sw_stepper *s, void *to, const void *from, size_t bytes)
{
    CU_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s->device->copy));
    return SW_OK;
}

enum sw_status sw_captures_send(struct sw_stepper *s, struct sw_captures *c, int slot, int what)
{
    struct sw_capture_slot *y = &c->slot[slot];
    size_t n = (size_t)s->desc.n, count = (size_t)s->count, size = sw_reals_word(s->desc.single);
    size_t scalars = count * SW_LINE_SCALARS * sizeof(double);
    if ((what & SW_CAPTURE_FIELD) && !y->field)
        SW_TRY(sw_device_alloc_host_bytes(s->device, n * (size_t)s->desc.capacity, size, &y->field));
    y->what = what;
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventRecord(c->taken, s->device->compute));
    CU_TRY(cudaStreamWaitEvent(s->device->copy, c->taken, 0));
    if (what & SW_CAPTURE_FIELD) SW_TRY(download(s, y->field, c->staging, n * count * size));
    if (what & SW_CAPTURE_SCALARS) SW_TRY(download(s, y->scalars, c->scalars, scalars));
    CU_TRY(cudaEventRecord(y->done, s->device->copy));
    c->last = slot;
    return SW_OK;
}

/* Possibly on another thread than the rest: it looks at nothing but its slot. */
enum sw_status sw_captures_fetch(struct sw_stepper *s, const struct sw_captures *c, int slot, const void **field,
                                 const double **scalars)
{
    const struct sw_capture_slot *y = &c->slot[slot];
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventSynchronize(y->done));
    *field = y->what & SW_CAPTURE_FIELD ? y->field : NULL;
    *scalars = y->what & SW_CAPTURE_SCALARS ? y->scalars : NULL;
    return SW_OK;
}
