/* --log-json: one JSON object a line, one line an event. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_json.h"
#include "base/sw_late.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/run_messages.h"
#include "cli/signals.h"
#include "store/files/sw_files.h"

struct event_log {
    FILE   *file;
    struct sw_late *late;               /* whose stream it is; NULL: a file's    */
    struct sw_json json;
    int64_t lost;                       /* events that could not be written      */
    int     error;                      /* errno of the first of them, 0: none   */
    bool    torn;                       /* the last line may lack its end        */
};

/* A FIFO is opened by the thread that writes into it: a reader may come later. */
static enum sw_status open_stream(const char *path, struct event_log *log)
{
    struct stat s;
    FILE *late = NULL;
    const bool fifo = !stat(path, &s) && S_ISFIFO(s.st_mode);
    if (fifo && access(path, W_OK)) return sw_files_fail(path);
    if (!fifo) SW_TRY(console_append_open(path, "{\"event\": ", &log->file));
    if (fifo) log->late = sw_late_create(-1, path, NULL, &late);
    else if (sw_late_wanted(fileno(log->file))) log->late = sw_late_create(fileno(log->file), NULL, NULL, &late);
    if (log->late) log->file = late;
    return log->file ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

enum sw_status event_log_open(struct sw_cli *cli)
{
    if (!cli->log_path || cli->log) return SW_OK;
    struct event_log *log = NULL;
    SW_TRY(sw_alloc(1, &log));
    enum sw_status st = open_stream(cli->log_path, log);
    if (st) sw_free(log);
    else cli->log = log;
    return st;
}

static const char *why_lost(const struct event_log *log)
{
    return log->error ? strerror(log->error) : "nobody reads it";
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
    if (log->late) log->lost = sw_late_wait(log->late, console_patience(cli, -1), &stop_signal, &log->error);
    else if (fclose(log->file) && !log->error) log->error = errno ? errno : EIO;  /* what a server refuses only now */
    if (log->lost)
        st = SW_FAIL(SW_E_IO, "%s: %s; %lld event%s are not in it", cli->log_path, why_lost(log),
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
    const bool first = !log->error && !log->lost, failed = fflush(log->file) || ferror(log->file);
    if (log->late) log->lost = sw_late_dropped(log->late, &log->error);
    else if (failed) count_lost(log, 1);
    if (first && (log->error || log->lost))
        console_message(cli, "warning: %s: %s; the sweep continues, but its log lacks lines\n", cli->log_path,
                        why_lost(log));
}
