#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli_impl.h"

void cli_provenance(const struct sw_cli *cli, const struct sw_devices *devices, struct cli_facts *facts,
                    struct sw_provenance *provenance)
{
    memset(facts, 0, sizeof *facts);
    if (gethostname(facts->hostname, sizeof facts->hostname - 1)) facts->hostname[0] = 0;
    if (devices->count) {  /* of several, each names itself in what it writes */
        const struct sw_device *device = devices->device[0];
        snprintf(facts->device, sizeof facts->device, "%s", device->name);
        snprintf(facts->cuda, sizeof facts->cuda, "%s", device->runtime);
        snprintf(facts->driver, sizeof facts->driver, "%s", device->driver);
    }
    *provenance = (struct sw_provenance){.command_line = cli->command_line, .solver = "", .device = facts->device,
                                         .driver = facts->driver, .cuda = facts->cuda, .hostname = facts->hostname,
                                         .started = (double)time(NULL)};
}
