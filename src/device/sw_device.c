#include "device/sw_device.h"

#include <stdint.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

void sw_devices_close(struct sw_devices *devices)
{
    while (devices->count) sw_device_close(&devices->device[--devices->count]);
}

void sw_device_close(struct sw_device **device)
{
    if (!device || !*device) return;
    (*device)->ops->close(*device);
    sw_free(*device);
    *device = NULL;
}

enum sw_status sw_device_use(const struct sw_device *device)
{
    return device->ops->use ? device->ops->use(device) : SW_OK;
}

size_t sw_device_memory_free(const struct sw_device *device) { return device->ops->memory_free(device); }

typedef enum sw_status alloc_op(struct sw_device *device, size_t bytes, void **out);

static enum sw_status alloc(alloc_op *op, struct sw_device *device, size_t count, size_t size, void *out)
{
    void *p = NULL;
    enum sw_status st = SW_OK;
    if (size && count > SIZE_MAX / size)
        st = SW_FAIL(SW_E_MEMORY, "%zu items of %zu bytes are more than this machine can address", count, size);
    else
        st = op(device, count * size, &p);
    memcpy(out, &p, sizeof p);
    return st;
}

enum sw_status sw_device_alloc_bytes(struct sw_device *device, size_t count, size_t size, void *out)
{
    return alloc(device->ops->alloc, device, count, size, out);
}

enum sw_status sw_device_alloc_host_bytes(struct sw_device *device, size_t count, size_t size, void *out)
{
    return alloc(device->ops->alloc_host, device, count, size, out);
}

void sw_device_free(struct sw_device *device, void *memory)
{
    if (memory) device->ops->free(device, memory);
}

void sw_device_free_host(struct sw_device *device, void *memory)
{
    if (memory) device->ops->free_host(device, memory);
}

enum sw_status sw_device_upload(struct sw_device *device, void *to_device, const void *from_host, size_t bytes)
{
    return bytes ? device->ops->upload(device, to_device, from_host, bytes) : SW_OK;
}

enum sw_status sw_device_download(struct sw_device *device, void *to_host, const void *from_device, size_t bytes)
{
    return bytes ? device->ops->download(device, to_host, from_device, bytes) : SW_OK;
}

enum sw_status sw_device_download_some(struct sw_device *device, void *to_host, const void *from_device, size_t bytes,
                                       int count, const int *which)
{
    for (int k = 0, blocks; k < count; k += blocks) {
        for (blocks = 1; k + blocks < count && which[k + blocks] == which[k] + blocks;) blocks++;
        SW_TRY(sw_device_download(device, (char *)to_host + (size_t)k * bytes,
                                  (const char *)from_device + (size_t)which[k] * bytes, (size_t)blocks * bytes));
    }
    return SW_OK;
}

enum sw_status sw_device_wait(struct sw_device *device) { return device->ops->wait(device); }
