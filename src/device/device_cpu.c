/* The CPU as a device: arrays are ordinary memory, copies are copies, and nothing is ever queued. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/host_memory.h"
#include "device/sw_device.h"

/* "model name : Intel(R) Xeon(R) ..." of the first processor. */
static void read_model(char *name, size_t room)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, room, "CPU");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10)) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(name, room, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    if (f) fclose(f);
}

static enum sw_status cpu_open(int index, struct sw_device *device)
{
    char model[96];
    (void)index;  /* there is one */
    read_model(model, sizeof model);
    snprintf(device->name, sizeof device->name, "%s (%d thread%s)", model, device->threads,
             device->threads == 1 ? "" : "s");
    device->space = SW_HOST;
    device->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    device->memory_total = sw_host_memory().total;
    return SW_OK;
}

static void cpu_close(struct sw_device *device) { (void)device; }

static size_t cpu_memory_free(const struct sw_device *device)
{
    (void)device;
    return sw_host_memory().free;
}

static enum sw_status cpu_alloc(struct sw_device *device, size_t bytes, void **out)
{
    (void)device;
    if (!sw_alloc_bytes(bytes, 1, out)) return SW_OK;
    return SW_FAIL(SW_E_MEMORY, "out of memory: %.4g GiB asked for, %.4g GiB free", (double)bytes * 0x1p-30,
                   (double)sw_host_memory().free * 0x1p-30);
}

static void cpu_free(struct sw_device *device, void *memory)
{
    (void)device;
    sw_free(memory);
}

static enum sw_status cpu_copy(struct sw_device *device, void *to, const void *from, size_t bytes)
{
    (void)device;
    memmove(to, from, bytes);
    return SW_OK;
}

static enum sw_status cpu_wait(struct sw_device *device)
{
    (void)device;
    return SW_OK;
}

extern const struct sw_device_ops device_cpu;
const struct sw_device_ops device_cpu = {
    .kind = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .memory_free = cpu_memory_free,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .alloc_host = cpu_alloc,
    .free_host = cpu_free,
    .upload = cpu_copy,
    .download = cpu_copy,
    .wait = cpu_wait,
};
