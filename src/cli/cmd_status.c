/* How far a sweep is: one file, or the shards of a sweep; once, or again and again. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/status.h"
#include "cli/submit_arguments.h"

static const double look_every = 2, line_every = 30;  /* seconds */

/* An existing file that is not HDF5 is a config; of one that does not exist the ending of its name decides. */
static bool is_config(const char *path)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    const char *dot = strrchr(path, '.');
    char bytes[sizeof signature] = "";
    struct stat s;
    if (dot && !strcmp(dot, ".h5")) return false;
    if (stat(path, &s)) return dot && !strcmp(dot, ".cfg");
    if (!S_ISREG(s.st_mode)) return false;
    FILE *from = fopen(path, "r");
    size_t length = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    if (from) fclose(from);
    return from && (length < sizeof bytes || memcmp(bytes, signature, sizeof bytes));
}

/* ---- --watch: on a terminal each page takes the place of the last one; elsewhere lines are added */

struct watch {
    bool   terminal;
    double line, took;            /* clock of the last line; seconds that a look took */
    struct sw_last_update update;
};

static void clear_page(const struct watch *w) { if (w->terminal) fputs("\033[H\033[2J", stdout); }

/* Looking costs the file system something: at most a twentieth of the time is spent on it. */
static void pause_between_looks(const struct watch *w)
{
    fflush(stdout);
    usleep((useconds_t)(1e6 * fmin(fmax(look_every, 20 * w->took), 60)));
}

static enum sw_status watch_shards(struct sw_cli *cli, struct watch *w, struct sw_monitor *v)
{
    const struct sw_warnings warnings = console_warnings(cli);
    for (;;) {
        double start = sw_clock();
        SW_TRY(sw_monitor_look(v, &warnings));
        w->took = sw_clock() - start;
        bool done = v->count[SW_SHARD_DONE] == v->nshards;
        clear_page(w);
        if (w->terminal) status_shards(cli, v, console_size_of(STDOUT_FILENO));
        else if (done || !(w->line > 0) || start - w->line >= line_every) {
            status_shards_line(cli, v);
            w->line = start;
        }
        if (done || ferror(stdout)) return SW_OK;
        pause_between_looks(w);
    }
}

static enum sw_status watch_one(struct sw_cli *cli, struct watch *w, const char *file)
{
    for (bool finished = false;;) {
        double start = sw_clock();
        clear_page(w);
        SW_TRY(status_one_file(cli, file, &w->update, &finished));
        w->took = sw_clock() - start;
        if (finished || ferror(stdout)) return SW_OK;
        pause_between_looks(w);
        if (!w->terminal) usleep((useconds_t)(1e6 * (line_every - look_every)));
    }
}

/* ---- */

static enum sw_status print_status(struct sw_cli *cli, const char *file, struct sw_monitor *v)
{
    const struct sw_warnings warnings = console_warnings(cli);
    struct watch w = {.terminal = isatty(STDOUT_FILENO)};
    bool finished;
    if (cli->watch) return v ? watch_shards(cli, &w, v) : watch_one(cli, &w, file);
    if (!v) return status_one_file(cli, file, &w.update, &finished);
    SW_TRY(sw_monitor_look(v, &warnings));
    if (cli->json) status_shards_json(v);
    else status_shards(cli, v, console_size_of(STDOUT_FILENO));
    return SW_OK;
}

static enum sw_status measure_submitted(const struct submit_arguments *stored, struct sw_monitor *v)
{
    struct cli_sweep s = {0};
    enum sw_status st = cli_outline_open(stored->cli, stored->config, &s);
    if (!st) st = sw_monitor_measure(v, s.sweep, stored->cli->only);
    if (stored->cli->report.errors) console_report(stored->cli);
    cli_sweep_close(&s);
    return st;
}

/* The shards of the file, NULL if it has none: those that were submitted, or those of a known sweep. */
static enum sw_status find_shards(const struct sw_cli *cli, const char *file, const struct cli_sweep *known,
                                  struct sw_monitor **v)
{
    struct submit_arguments stored = {0};
    *v = NULL;
    if (!cli->shards && sw_monitor_is_one(file)) return SW_OK;
    enum sw_status st = submit_arguments_read(file, false, &stored);
    if (!st) st = sw_monitor_find(file, stored.cli ? stored.cli->shards : -1, cli->shards, v);
    if (!st && *v && stored.cli) st = measure_submitted(&stored, *v);
    else if (!st && *v && known) st = sw_monitor_measure(*v, known->sweep, NULL);
    submit_arguments_free(&stored, st);
    return st;
}

static enum sw_status status_of(struct sw_cli *cli, const char *file, const struct cli_sweep *known)
{
    struct sw_monitor *v = NULL;
    enum sw_status st = find_shards(cli, file, known, &v);
    if (!st) st = print_status(cli, file, v);
    sw_monitor_free(&v);
    return st;
}

enum sw_status cmd_status(struct sw_cli *cli)
{
    struct cli_sweep s = {0};
    if (cli->watch && cli->json)
        return SW_FAIL(SW_E_USAGE, "--watch prints for people, --json prints one object for programs: not both");
    enum sw_status st;
    if (!is_config(cli->argument[0])) {
        char *file;
        SW_TRY(cli_input_path(cli->argument[0], &file));
        st = status_of(cli, file, NULL);
        sw_free(file);
        return st;
    }
    SW_TRY(cli_outline_open(cli, cli->argument[0], &s));
    st = status_of(cli, s.file, &s);
    cli_sweep_close(&s);
    return st;
}
