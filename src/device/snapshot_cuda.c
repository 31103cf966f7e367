/* Snapshots on a CUDA device: two streams and an event a slot (sw_snapshot.h). Each entry sets the thread's device,
 * since any thread may come. */
#include "cuda/cu_check.cuh"
#include "device/snapshot_impl.h"

static enum sw_status make_event(void **event)
{
    cudaEvent_t made;
    CU_TRY(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    *event = made;
    return SW_OK;
}

static enum sw_status create(struct sw_snapshots *s)
{
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(make_event(&s->formed));
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++) SW_TRY(make_event(&s->in[k].copied));
    return SW_OK;
}

static void destroy(struct sw_snapshots *s)
{
    if (s->formed) cudaEventDestroy(s->formed);
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++)
        if (s->in[k].copied) cudaEventDestroy(s->in[k].copied);
}

static enum sw_status wait_for_buffers(struct sw_snapshots *s)
{
    CU_TRY(cudaSetDevice(s->device->index));
    if (s->last >= 0) CU_TRY(cudaStreamWaitEvent(s->device->compute, s->in[s->last].copied, 0));
    return SW_OK;
}

static enum sw_status queue_copy(struct sw_snapshots *s, void *to, const void *from, size_t bytes)
{
    CU_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s->device->copy));
    return SW_OK;
}

static enum sw_status send(struct sw_snapshots *s, size_t field_bytes, size_t scalar_bytes)
{
    struct sw_snapshot_slot *in = &s->in[s->slot];
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventRecord(s->formed, s->device->compute));
    CU_TRY(cudaStreamWaitEvent(s->device->copy, s->formed, 0));
    if (in->what & SW_SNAPSHOT_FIELD) SW_TRY(queue_copy(s, in->field, s->staging, field_bytes));
    if (in->what & SW_SNAPSHOT_SCALARS) SW_TRY(queue_copy(s, in->scalars, s->scalars, scalar_bytes));
    CU_TRY(cudaEventRecord(in->copied, s->device->copy));
    s->last = s->slot;
    return SW_OK;
}

static enum sw_status wait_for_slot(const struct sw_snapshots *s, int slot)
{
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaEventSynchronize(s->in[slot].copied));
    return SW_OK;
}

extern const struct sw_snapshot_ops snapshot_cuda;
const struct sw_snapshot_ops snapshot_cuda = {
    .create = create,
    .destroy = destroy,
    .wait = wait_for_buffers,
    .send = send,
    .wait_for_slot = wait_for_slot,
};
