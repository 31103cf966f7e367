#include <errno.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "cli/cli_impl.h"
#include "output/files.h"

/* ---- files that grow */

/* A file that is there and does not begin as ours do is somebody else's: its owner would not thank us for our lines. */
static enum sw_status check_beginning(const char *path, FILE *file, const char *beginning)
{
    char head[16] = "";
    struct sw_file_mark mark;
    SW_TRY(sw_files_mark(path, &mark));
    if (!mark.bytes) return SW_OK;
    rewind(file);
    const size_t length = fread(head, 1, strlen(beginning), file);
    if (ferror(file)) return sw_files_fail(path);
    if (length == strlen(beginning) && !memcmp(head, beginning, length)) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s is there and was not written by sweep, so nothing is added to it; use another "
                   "name", path);
}

enum sw_status cli_append(const char *path, const char *beginning, FILE **file)
{
    const bool is_file = !sw_files_regular(path);  /* a pipe is opened for writing alone: its reader is another */
    *file = fopen(path, is_file ? "a+" : "a");
    if (!*file) return sw_files_fail(path);
    enum sw_status st = is_file ? check_beginning(path, *file, beginning) : SW_OK;
    if (!st) return SW_OK;
    fclose(*file);
    *file = NULL;
    return st;
}

/* ---- the log */

struct cli_log {
    FILE   *file;
    struct sw_json json;
    int64_t lost;                       /* events that could not be written      */
    int     error;                      /* errno of the first of them, 0: none   */
    bool    torn;                       /* the last line may lack its end        */
};

enum sw_status cli_log_open(struct sw_cli *cli)
{
    if (!cli->log_path || cli->log) return SW_OK;
    struct cli_log *log = NULL;
    SW_TRY(sw_alloc(1, &log));
    enum sw_status st = cli_append(cli->log_path, "{\"event\": ", &log->file);
    if (st) sw_free(log);
    else cli->log = log;
    return st;
}

static void note_lost(struct cli_log *log, int64_t events)
{
    if (!log->error) log->error = errno ? errno : EIO;
    log->lost += events;
    log->torn = true;
    clearerr(log->file);
}

enum sw_status cli_log_close(struct sw_cli *cli)
{
    enum sw_status st = SW_OK;
    struct cli_log *log = cli->log;
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

struct sw_json *cli_log_begin(struct sw_cli *cli, const char *event)
{
    char now[21];
    struct cli_log *log = cli->log;
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

/* Followed by others while we run. A line that is lost to a full disk is no reason to stop: it is told of at once, and
 * at the end, by the exit code too. */
void cli_log_end(struct sw_cli *cli)
{
    struct cli_log *log = cli->log;
    sw_json_end(&log->json, '}');
    errno = 0;
    if (!fflush(log->file) && !ferror(log->file)) return;
    const bool first = !log->error;
    note_lost(log, 1);
    if (first)
        cli_say(cli, "warning: %s: %s; the sweep goes on, its log lacks lines\n", cli->log_path, strerror(log->error));
}
