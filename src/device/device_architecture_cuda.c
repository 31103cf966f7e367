/* An architecture of GPUs as a device, "sm_90": there need not be such a GPU here. What is made on it begins as on a
 * GPU, so that its kernels are compiled, and kept in the cache; nothing is computed. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/sw_err.h"
#include "base/sw_text.h"
#include "device/device_spec.h"

/* Shared memory is that of the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". The rest
 * is of a GPU with it, which plans are made for: the text of a kernel depends on the L2 cache where a field is about as
 * large as that. */
static const struct architecture {
    int    sm;
    const char *like;
    int    processors;
    size_t memory;
    struct sw_on_chip on_chip;
} architectures[] = {
    {80, "A100", 108, (size_t)40 << 30, {164 << 10, 1 << 10, 163 << 10, 40 << 20}},
    {86, "A10", 72, (size_t)24 << 30, {100 << 10, 1 << 10, 99 << 10, 6 << 20}},
    {89, "L40S", 142, (size_t)48 << 30, {100 << 10, 1 << 10, 99 << 10, 96 << 20}},
    {90, "H100", 132, (size_t)80 << 30, {228 << 10, 1 << 10, 227 << 10, 50 << 20}},
    {100, "B200", 148, (size_t)180 << 30, {228 << 10, 1 << 10, 227 << 10, 126 << 20}},
};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures, HEAD = 256 };

static enum sw_status no_such(void)
{
    struct sw_text names = {0};
    for (int k = 0; k < ARCHITECTURES; k++) sw_text_printf(&names, "%s sm_%d", k ? "," : "", architectures[k].sm);
    const enum sw_status st = SW_FAIL(SW_E_USAGE, "there is no such architecture to compile kernels for; use one of%s",
                                      sw_text_get(&names));
    sw_text_free(&names);
    return st;
}

static enum sw_status architecture_open(int sm, struct sw_device *device)
{
    const struct architecture *a = architectures;
    while (a < architectures + ARCHITECTURES && a->sm != sm) a++;
    if (a == architectures + ARCHITECTURES) return no_such();
    snprintf(device->label, sizeof device->label, "sm_%d", sm);
    snprintf(device->name, sizeof device->name, "sm_%d (as %s)", sm, a->like);
    device->space = SW_DEVICE;
    device->sm = sm;
    device->compiles_only = true;
    device->processors = a->processors;
    device->memory_total = a->memory;
    device->on_chip = a->on_chip;
    return SW_OK;
}

static int architecture_count(void) { return ARCHITECTURES; }

static size_t architecture_memory_free(const struct sw_device *device) { return device->memory_total; }

/* Addresses without memory behind them until somebody writes there, which nobody does to most of a GPU's. The bytes of
 * a block stand before it. */
static enum sw_status architecture_alloc(struct sw_device *device, size_t bytes, void **out)
{
    const size_t all = bytes + HEAD;
    char *block = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *out = NULL;
    if (block == MAP_FAILED)
        return SW_FAIL(SW_E_MEMORY, "out of addresses: %zu bytes for what %s would have", bytes, device->label);
    memcpy(block, &all, sizeof all);
    *out = block + HEAD;
    return SW_OK;
}

static void architecture_free(struct sw_device *device, void *memory)
{
    size_t all;
    (void)device;
    if (!memory) return;
    char *block = (char *)memory - HEAD;
    memcpy(&all, block, sizeof all);
    munmap(block, all);
}

const struct sw_device_ops sw_device_architecture = {
    .kind = "sm",
    .count = architecture_count,
    .open = architecture_open,
    .close = device_host_close,
    .memory_free = architecture_memory_free,
    .alloc = architecture_alloc,
    .free = architecture_free,
    .alloc_host = architecture_alloc,
    .free_host = architecture_free,
    .upload = device_host_copy,
    .download = device_host_copy,
    .wait = device_host_wait,
};
