#include "device/device_spec.h"

#include "base/sw_err.h"

#include <stdlib.h>
#include <string.h>

static enum sw_status no_such(const char *spec)
{
    return SW_FAIL(SW_E_USAGE, "there is no device '%s'; use auto, cpu, cuda, cuda:N or cuda:N,M,...%s", spec,
                   strncmp(spec, "sm_", 3) ? "" : "; an architecture is for `sweep check --device` alone");
}

/* "0,2" */
static enum sw_status read_numbers(const char *spec, const char *list, struct device_wanted *w)
{
    for (char *end; ; list = end + 1) {
        if (*list < '0' || *list > '9') return no_such(spec);
        long number = strtol(list, &end, 10);
        if ((*end && *end != ',') || number >= 1024) return no_such(spec);
        if (w->count == SW_DEVICES_MOST)
            return SW_FAIL(SW_E_USAGE, "device '%s': more than %d devices", spec, SW_DEVICES_MOST);
        for (int k = 0; k < w->count; k++)
            if (w->index[k] == number)
                return SW_FAIL(SW_E_USAGE, "device '%s' names %ld twice; name each device once", spec, number);
        w->index[w->count++] = (int)number;
        if (!*end) return SW_OK;
    }
}

/* One thing in several groups of threads: 0, 1, ... */
static enum sw_status check_groups(const char *spec, const struct device_wanted *w)
{
    for (int k = 0; k < w->count; k++)
        if (w->index[k] != k)
            return SW_FAIL(SW_E_USAGE,
                           "there is no device '%s': all cores together are the device '%s', and two groups of "
                           "threads are '%s:0,1'", spec, w->ops->kind, w->ops->kind);
    return SW_OK;
}

enum sw_status device_read_spec(const char *spec, struct device_wanted *w)
{
    *w = (struct device_wanted){0};
    if (!strcmp(spec, "auto")) return SW_OK;
    for (int k = 0; sw_device_table[k]; k++) {
        const size_t length = strlen(sw_device_table[k]->kind);
        if (strncmp(spec, sw_device_table[k]->kind, length) || (spec[length] && spec[length] != ':')) continue;
        w->ops = sw_device_table[k];
        if (!spec[length]) return SW_OK;
        SW_TRY(read_numbers(spec, spec + length + 1, w));
        return w->ops->absent || w->ops->count ? SW_OK : check_groups(spec, w);
    }
    return no_such(spec);
}

enum sw_status sw_device_check(const char *spec)
{
    struct device_wanted w;
    return device_read_spec(spec, &w);
}
