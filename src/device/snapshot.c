#include "base/sw_mem.h"
#include "device/snapshot_impl.h"

enum sw_status sw_snapshots_create(struct sw_device *device, size_t field_bytes, size_t scalar_bytes,
                                   struct sw_snapshots **snapshots)
{
    enum sw_status st;
    struct sw_snapshots *s = NULL;
    *snapshots = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->device = device;
    s->ops = device->ops->snapshot;
    s->field_bytes = field_bytes;
    s->scalar_bytes = scalar_bytes;
    s->last = -1;
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++)
        SW_TRY_TO(failed, st, sw_device_alloc_host_bytes(device, scalar_bytes, 1, &s->in[k].scalars));
    if (s->ops) {
        SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, scalar_bytes, 1, &s->scalars));
        SW_TRY_TO(failed, st, s->ops->create(s));
    }
    *snapshots = s;
    return SW_OK;
failed:
    sw_snapshots_destroy(&s);
    return st;
}

void sw_snapshots_destroy(struct sw_snapshots **snapshots)
{
    struct sw_snapshots *s = snapshots ? *snapshots : NULL;
    if (!s) return;
    (void)sw_device_wait(s->device);  /* copies into the slots may be in flight */
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++) {
        sw_device_free_host(s->device, s->in[k].field);
        sw_device_free_host(s->device, s->in[k].scalars);
    }
    if (s->ops) s->ops->destroy(s);
    if (!s->lent) sw_device_free(s->device, s->staging);
    sw_device_free(s->device, s->scalars);
    sw_free(s);
    *snapshots = NULL;
}

void sw_snapshots_lend(struct sw_snapshots *s, void *staging)
{
    s->staging = staging;
    s->lent = true;
}

enum sw_status sw_snapshots_wait(struct sw_snapshots *s) { return s->ops ? s->ops->wait(s) : SW_OK; }

enum sw_status sw_snapshots_begin(struct sw_snapshots *s, int slot, int what, void **field, double **scalars)
{
    struct sw_snapshot_slot *in = &s->in[slot];
    SW_TRY(sw_snapshots_wait(s));
    s->slot = slot;
    in->what = what;
    if (what & SW_SNAPSHOT_FIELD) {
        if (!in->field) SW_TRY(sw_device_alloc_host_bytes(s->device, s->field_bytes, 1, &in->field));
        if (s->ops && !s->staging) SW_TRY(sw_device_alloc_bytes(s->device, s->field_bytes, 1, &s->staging));
    }
    *field = !(what & SW_SNAPSHOT_FIELD) ? NULL : s->ops ? s->staging : in->field;
    *scalars = !(what & SW_SNAPSHOT_SCALARS) ? NULL : s->ops ? s->scalars : in->scalars;
    return SW_OK;
}

enum sw_status sw_snapshots_send(struct sw_snapshots *s, size_t field_bytes, size_t scalar_bytes)
{
    return s->ops ? s->ops->send(s, field_bytes, scalar_bytes) : SW_OK;
}

enum sw_status sw_snapshots_fetch(const struct sw_snapshots *s, int slot, const void **field, const double **scalars)
{
    const struct sw_snapshot_slot *in = &s->in[slot];
    if (s->ops) SW_TRY(s->ops->wait_for_slot(s, slot));
    *field = in->what & SW_SNAPSHOT_FIELD ? in->field : NULL;
    *scalars = in->what & SW_SNAPSHOT_SCALARS ? in->scalars : NULL;
    return SW_OK;
}
