/* --log-json: one JSON object a line, one line an event. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_json.h"
#include "base/sw_mem.h"
#include "cli/append_file.h"
#include "cli/console.h"
#include "cli/event_log.h"
#include "output/sw_files.h"

struct event_log {
    FILE   *file;
    struct sw_json json;
    int64_t lost;                       /* events that could not be written      */
    int     error;                      /* errno of the first of them, 0: none   */
    bool    torn;                       /* the last line may lack its end        */
};

enum sw_status event_log_open(struct sw_cli *cli)
{
    if (!cli->log_path || cli->log) return SW_OK;
    struct event_log *log = NULL;
    SW_TRY(sw_alloc(1, &log));
    enum sw_status st = append_open(cli->log_path, "{\"event\": ", &log->file);
    if (st) sw_free(log);
    else cli->log = log;
    return st;
}

static void count_lost(struct event_log *log, int64_t events)
{
    if (!log->error) log->error = errno ? errno : EIO;
    log->lost += events;
    log->torn = true;
    clearerr(log->file);
}

enum sw_status event_log_close(struct sw_cli *cli)
{
    enum sw_status st = SW_OK;
    struct event_log *log = cli->log;
    if (!log) return SW_OK;
    errno = 0;
    if (fclose(log->file) && !log->error) log->error = errno ? errno : EIO;  /* what a server refuses only now */
    if (log->lost)
        st = SW_FAIL(SW_E_IO, "%s: %s; %lld event%s are not in it", cli->log_path, strerror(log->error),
                     (long long)log->lost, log->lost == 1 ? "" : "s");
    else if (log->error) st = SW_FAIL(SW_E_IO, "%s: %s", cli->log_path, strerror(log->error));
    sw_free(log);
    cli->log = NULL;
    return st;
}

struct sw_json *event_log_begin(struct sw_cli *cli, const char *event)
{
    char now[21];
    struct event_log *log = cli->log;
    if (!log) return NULL;
    if (log->torn && ftell(log->file) > 0) fputc('\n', log->file);
    log->torn = false;
    log->json = (struct sw_json){.to = log->file, .first = true, .line = true};
    sw_clock_utc(0, now);
    sw_json_begin(&log->json, NULL, '{');
    sw_json_text(&log->json, "event", event);
    sw_json_text(&log->json, "at", now);
    return &log->json;
}

/* Other programs follow the log during a run, so each line is flushed. A line lost to a full disk does not stop the
 * run: a warning is printed at once, and at the end the exit code reports it. */
void event_log_end(struct sw_cli *cli)
{
    struct event_log *log = cli->log;
    sw_json_end(&log->json, '}');
    errno = 0;
    if (!fflush(log->file) && !ferror(log->file)) return;
    const bool first = !log->error;
    count_lost(log, 1);
    if (first)
        console_message(cli, "warning: %s: %s; the sweep continues, but its log lacks lines\n", cli->log_path,
                        strerror(log->error));
}
