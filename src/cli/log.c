#include <errno.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "cli/cli_impl.h"

struct cli_log { FILE *file; struct sw_json json; };

enum sw_status cli_log_open(struct sw_cli *cli)
{
    if (!cli->log_path || cli->log) return SW_OK;
    struct cli_log *log = NULL;
    SW_TRY(sw_alloc(1, &log));
    log->file = fopen(cli->log_path, "a");
    if (!log->file) {
        sw_free(log);
        return SW_FAIL(SW_E_IO, "%s: %s", cli->log_path, strerror(errno));
    }
    cli->log = log;
    return SW_OK;
}

void cli_log_close(struct sw_cli *cli)
{
    if (!cli->log) return;
    fclose(cli->log->file);
    sw_free(cli->log);
    cli->log = NULL;
}

struct sw_json *cli_log_begin(struct sw_cli *cli, const char *event)
{
    char now[21];
    if (!cli->log) return NULL;
    cli->log->json = (struct sw_json){.to = cli->log->file, .first = true, .line = true};
    sw_clock_utc(0, now);
    sw_json_begin(&cli->log->json, NULL, '{');
    sw_json_text(&cli->log->json, "event", event);
    sw_json_text(&cli->log->json, "at", now);
    return &cli->log->json;
}

void cli_log_end(struct sw_cli *cli)
{
    sw_json_end(&cli->log->json, '}');
    fflush(cli->log->file);  /* followed by others while we run; a line lost to a full disk is no reason to stop */
}
