#include "device/snapshot_cuda.h"

#include "cu_check.cuh"

enum sw_status sw_snapshots_create(struct sw_device *device, size_t field_room, size_t scalar_room,
                                  struct sw_snapshots *c)
{
    c->device = device;
    c->field_room = field_room;
    c->last = -1;
    SW_TRY(sw_device_alloc_bytes(device, scalar_room, 1, &c->scalars));
    CU_TRY(cudaSetDevice(device->index));
    CU_TRY(cudaEventCreateWithFlags(&c->taken, cudaEventDisableTiming));
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++) {
        CU_TRY(cudaEventCreateWithFlags(&c->slot[k].done, cudaEventDisableTiming));
        SW_TRY(sw_device_alloc_host_bytes(device, scalar_room, 1, &c->slot[k].scalars));
    }
    return SW_OK;
}

void sw_snapshots_destroy(struct sw_snapshots *c)
{
    if (!c->device) return;
    (void)sw_device_wait(c->device);  /* copies into pinned memory may be under way */
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++) {
        if (c->slot[k].done) cudaEventDestroy(c->slot[k].done);
        sw_device_free_host(c->device, c->slot[k].field);
        sw_device_free_host(c->device, c->slot[k].scalars);
    }
    if (c->taken) cudaEventDestroy(c->taken);
    sw_device_free(c->device, c->scalars);
}

enum sw_status sw_snapshots_wait(struct sw_snapshots *c)
{
    CU_TRY(cudaSetDevice(c->device->index));
    if (c->last >= 0) CU_TRY(cudaStreamWaitEvent(c->device->compute, c->slot[c->last].done, 0));
    return SW_OK;
}

static enum sw_status download(struct sw_snapshots *c, void *to, const void *from, size_t bytes)
{
    CU_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, c->device->copy));
    return SW_OK;
}

enum sw_status sw_snapshots_send(struct sw_snapshots *c, int slot, int what, size_t field_bytes, size_t scalar_bytes)
{
    struct sw_snapshot_slot *y = &c->slot[slot];
    if ((what & SW_SNAPSHOT_FIELD) && !y->field)
        SW_TRY(sw_device_alloc_host_bytes(c->device, c->field_room, 1, &y->field));
    y->what = what;
    CU_TRY(cudaSetDevice(c->device->index));
    CU_TRY(cudaEventRecord(c->taken, c->device->compute));
    CU_TRY(cudaStreamWaitEvent(c->device->copy, c->taken, 0));
    if (what & SW_SNAPSHOT_FIELD) SW_TRY(download(c, y->field, c->staging, field_bytes));
    if (what & SW_SNAPSHOT_SCALARS) SW_TRY(download(c, y->scalars, c->scalars, scalar_bytes));
    CU_TRY(cudaEventRecord(y->done, c->device->copy));
    c->last = slot;
    return SW_OK;
}

/* It looks at nothing but its slot. */
enum sw_status sw_snapshots_fetch(const struct sw_snapshots *c, int slot, const void **field, const double **scalars)
{
    const struct sw_snapshot_slot *y = &c->slot[slot];
    CU_TRY(cudaSetDevice(c->device->index));
    CU_TRY(cudaEventSynchronize(y->done));
    *field = y->what & SW_SNAPSHOT_FIELD ? y->field : NULL;
    *scalars = y->what & SW_SNAPSHOT_SCALARS ? y->scalars : NULL;
    return SW_OK;
}
