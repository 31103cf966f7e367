#include "device/sw_owned.h"

#include <string.h>

#include "base/sw_mem.h"
#include "device/sw_device.h"

struct sw_owned_array { void *memory; enum sw_array_place place; };

static enum sw_status allocate(struct sw_owned *own, enum sw_array_place place, size_t count, size_t size, void *out)
{
    switch (place) {
    case SW_ARRAY_DEVICE: return sw_device_alloc_bytes(own->device, count, size, out);
    case SW_ARRAY_PINNED: return sw_device_alloc_host_bytes(own->device, count, size, out);
    default: return sw_alloc_bytes(count, size, out);
    }
}

static enum sw_status add(struct sw_owned *own, enum sw_array_place place, size_t count, size_t size, void **memory)
{
    if (own->used == own->room) {
        SW_TRY(sw_resize(own->room, own->room + 16, &own->list));
        own->room += 16;
    }
    SW_TRY(allocate(own, place, count, size, memory));
    own->list[own->used++] = (struct sw_owned_array){*memory, place};
    return SW_OK;
}

void sw_array_bytes(struct sw_owned *own, enum sw_array_place place, size_t count, size_t size, void *out)
{
    void *memory = NULL;
    *(place == SW_ARRAY_DEVICE ? &own->on_device : &own->host) += count * size;
    if (!own->status && !own->counts) own->status = add(own, place, count, size, &memory);
    memcpy(out, &memory, sizeof memory);
}

size_t sw_owned_bytes(const struct sw_owned *own, enum sw_space space)
{
    return space == SW_DEVICE ? own->on_device : own->host + own->on_device;
}

void sw_owned_free(struct sw_owned *own)
{
    while (own->used) {
        const struct sw_owned_array *a = &own->list[--own->used];
        if (a->place == SW_ARRAY_DEVICE) sw_device_free(own->device, a->memory);
        else if (a->place == SW_ARRAY_PINNED) sw_device_free_host(own->device, a->memory);
        else sw_free(a->memory);
    }
    sw_free(own->list);
    *own = (struct sw_owned){.device = own->device, .counts = own->counts};
}
