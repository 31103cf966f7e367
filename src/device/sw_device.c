#include "device/sw_device.h"

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"

static enum sw_status open_row(const struct sw_device_ops *ops, int index, int threads, struct sw_device **device)
{
    enum sw_status st;
    struct sw_device *d = NULL;

    SW_TRY(sw_alloc(1, &d));
    d->index = index;
    d->threads = threads > 0 ? threads : omp_get_max_threads();
    SW_TRY_TO(failed, st, ops->open(index, d));
    d->ops = ops;  /* only now: a device that did not open is not closed */
    *device = d;
    return SW_OK;
failed:
    sw_free(d);
    return st;
}

static enum sw_status open_first(int threads, struct sw_device **device)
{
    enum sw_status st = SW_E_ABSENT;
    for (int k = 0; sw_device_table[k]; k++) {
        if (sw_device_table[k]->absent) continue;
        st = open_row(sw_device_table[k], 0, threads, device);
        if (!st) return SW_OK;
    }
    return st;
}

/* "cuda:1" is the row "cuda" and the index 1. */
static bool is_of_kind(const char *spec, const char *kind, int *index)
{
    size_t length = strlen(kind);
    char *end;
    if (strncmp(spec, kind, length)) return false;
    *index = 0;
    if (!spec[length]) return true;
    if (spec[length] != ':' || spec[length + 1] < '0' || spec[length + 1] > '9') return false;
    *index = (int)strtol(spec + length + 1, &end, 10);
    return !*end && *index < 1024 && *index >= 0;
}

bool sw_device_is_spec(const char *spec)
{
    int index;
    if (!strcmp(spec, "auto")) return true;
    for (int k = 0; sw_device_table[k]; k++)
        if (is_of_kind(spec, sw_device_table[k]->kind, &index))
            return sw_device_table[k]->numbered || !strchr(spec, ':');
    return false;
}

enum sw_status sw_device_open(const char *spec, int threads, struct sw_device **device)
{
    *device = NULL;
    if (threads < 0) return SW_FAIL(SW_E_USAGE, "%d threads; give at least 1, or 0 for all", threads);
    if (!strcmp(spec, "auto")) return open_first(threads, device);
    for (int k = 0; sw_device_table[k]; k++) {
        const struct sw_device_ops *ops = sw_device_table[k];
        int index;
        if (!is_of_kind(spec, ops->kind, &index)) continue;
        if (ops->absent) return SW_FAIL(SW_E_ABSENT, "device '%s': %s", spec, ops->absent);
        return open_row(ops, index, threads, device);
    }
    return SW_FAIL(SW_E_USAGE, "there is no device '%s'; use auto, cpu, cuda or cuda:N", spec);
}

void sw_device_close(struct sw_device **device)
{
    if (!device || !*device) return;
    (*device)->ops->close(*device);
    sw_free(*device);
    *device = NULL;
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

enum sw_status sw_device_wait(struct sw_device *device) { return device->ops->wait(device); }
