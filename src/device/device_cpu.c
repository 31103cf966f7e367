/* The CPU as a device: arrays are ordinary memory, copies are copies, and nothing is ever queued. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/device_spec.h"

/* ---- memory of the host that this process may use: the machine's, or less where a control group (a container, a batch
 * job) sets a limit */

struct host_memory { size_t total, free; };  /* bytes */

/* The number after `name` at the start of a line of a file, in its own unit; SIZE_MAX if it is not there. */
static size_t number_after(const char *path, const char *name)
{
    char line[256];
    size_t length = strlen(name);
    unsigned long long value;
    FILE *f = fopen(path, "r");
    if (!f) return SIZE_MAX;
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, name, length) && sscanf(line + length, "%llu", &value) == 1) {
            fclose(f);
            return value < SIZE_MAX ? (size_t)value : SIZE_MAX;
        }
    fclose(f);
    return SIZE_MAX;
}

/* The names of the files differ between the two versions of control groups. */
struct version { const char *prefix, *root, *limit, *usage, *cache; };
static const struct version version1 = {
    "memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ",
};
static const struct version version2 = {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};

static void apply_limit(const struct version *v, const char *group, struct host_memory *m)
{
    char path[1200];
    size_t limit, usage, cache, left;
    snprintf(path, sizeof path, "%s%s/%s", v->root, group, v->limit);
    limit = number_after(path, "");
    if (limit >= m->total) return;  /* "max", or the huge number that means it in version 1 */
    m->total = limit;
    snprintf(path, sizeof path, "%s%s/%s", v->root, group, v->usage);
    usage = number_after(path, "");
    snprintf(path, sizeof path, "%s%s/memory.stat", v->root, group);
    cache = number_after(path, v->cache);  /* file cache not in use counts as usage but is given back on demand */
    if (usage == SIZE_MAX) return;
    if (cache < usage) usage -= cache;
    left = usage < limit ? limit - usage : 0;
    if (left < m->free) m->free = left;
}

/* A group's limit binds all groups below it: walk up to the root. */
static void apply_limits(const struct version *v, char *group, struct host_memory *m)
{
    for (;;) {
        apply_limit(v, group, m);
        char *slash = strrchr(group, '/');
        if (!slash) return;
        *slash = 0;
    }
}

static void apply_groups(struct host_memory *m)
{
    char line[1024];
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {  /* "9:memory:/a/b" in version 1, "0::/a/b" in version 2 */
        char *colon = strchr(line, ':');
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, version2.prefix, 3)) apply_limits(&version2, line + 3, m);
        else if (colon && !strncmp(colon + 1, version1.prefix, 7)) apply_limits(&version1, colon + 8, m);
    }
    fclose(f);
}

static struct host_memory host_memory(void)
{
    size_t total = number_after("/proc/meminfo", "MemTotal:");
    size_t available = number_after("/proc/meminfo", "MemAvailable:");
    struct host_memory m = {.total = SIZE_MAX, .free = SIZE_MAX};
    if (total < SIZE_MAX / 1024) m.total = 1024 * total;  /* the file counts KiB */
    if (available < SIZE_MAX / 1024) m.free = 1024 * available;
    apply_groups(&m);
    return m;
}

/* ---- the device */

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
    device->memory_total = host_memory().total;
    return SW_OK;
}

void device_host_close(struct sw_device *device) { (void)device; }

static size_t cpu_memory_free(const struct sw_device *device)
{
    (void)device;
    return host_memory().free;
}

static enum sw_status cpu_alloc(struct sw_device *device, size_t bytes, void **out)
{
    (void)device;
    if (!sw_alloc_bytes(bytes, 1, out)) return SW_OK;
    return SW_FAIL(SW_E_MEMORY, "out of memory: %.4g GiB asked for, %.4g GiB free", (double)bytes * 0x1p-30,
                   (double)host_memory().free * 0x1p-30);
}

static void cpu_free(struct sw_device *device, void *memory)
{
    (void)device;
    sw_free(memory);
}

enum sw_status device_host_copy(struct sw_device *device, void *to, const void *from, size_t bytes)
{
    (void)device;
    memmove(to, from, bytes);
    return SW_OK;
}

enum sw_status device_host_wait(struct sw_device *device)
{
    (void)device;
    return SW_OK;
}

extern const struct sw_device_ops device_cpu;
const struct sw_device_ops device_cpu = {
    .kind = "cpu",
    .open = cpu_open,
    .close = device_host_close,
    .memory_free = cpu_memory_free,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .alloc_host = cpu_alloc,
    .free_host = cpu_free,
    .upload = device_host_copy,
    .download = device_host_copy,
    .wait = device_host_wait,
};
