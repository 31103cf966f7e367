/* The devices of a run: which are opened, what they are called, what memory they have. */
#include <string.h>

#include "base/sw_text.h"
#include "cli/devices.h"
#include "cli/open_sweep.h"
#include "store/files/sw_output.h"

enum sw_status cli_devices_open(const struct sw_cli *cli, const struct cli_sweep *s,
                                const struct sw_completed *completed, struct sw_devices *devices, int *users)
{
    const char *spec = cli->device ? cli->device : s->sweep->device;
    const int64_t ranks = users ? cli->comm->size : 1;
    const struct sw_plan_desc desc = {s->sweep, s->run, s->count, s->id, completed, cli->retry_failed};
    int64_t all;
    SW_TRY(sw_plan_most_devices(&desc, SW_DEVICES_MOST * ranks, &all));
    const int64_t each = (all + ranks - 1) / ranks;
    const int most = each < SW_DEVICES_MOST ? (int)each : SW_DEVICES_MOST;
    if (!users) return sw_devices_open(spec, cli->threads, most, devices);
    return sw_devices_open_share(spec, cli->threads, most, cli->local_rank, cli->local_ranks, users, devices);
}

static bool of_one_model(const struct sw_devices *d)
{
    for (int k = 1; k < d->count; k++)
        if (strcmp(d->device[k]->name, d->device[0]->name)) return false;
    return true;
}

void cli_devices_name(const struct sw_devices *d, struct sw_text *text)
{
    const bool one = of_one_model(d);
    if (d->count > 1 && one) sw_text_printf(text, "%d × %s (", d->count, d->device[0]->name);
    else if (one) sw_text_add(text, d->device[0]->name);
    for (int k = 0; k < d->count && (d->count > 1 || !one); k++)
        sw_text_printf(text, "%s%s%s%s", k ? ", " : "", d->device[k]->label, one ? "" : " ",
                       one ? "" : d->device[k]->name);
    if (d->count > 1 && one) sw_text_add(text, ")");
}

double cli_devices_memory(const struct sw_devices *d)
{
    size_t least = d->device[0]->memory_total;
    for (int k = 1; k < d->count; k++)
        if (d->device[k]->memory_total < least) least = d->device[k]->memory_total;
    return (double)least;
}
