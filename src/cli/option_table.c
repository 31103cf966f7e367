/* The options: one row each drives parsing, --help and the man page. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "cli/command_line.h"

static enum sw_status set_override(struct sw_cli *cli, const char *value)
{
    if (!strchr(value, '='))
        return SW_FAIL(SW_E_USAGE, "-s takes KEY=VALUE, for example -s time.dt=0.01; got '%s'", value);
    SW_TRY(sw_resize((size_t)cli->noverrides, (size_t)cli->noverrides + 1, &cli->override));
    cli->override[cli->noverrides++] = value;
    return SW_OK;
}

/* The row's name decides numbers of the run table, so it is kept with the config like any other override. */
static enum sw_status set_solver(struct sw_cli *cli, const char *value)
{
    struct sw_text text = {0};
    if (cli->solver_override) return SW_FAIL(SW_E_USAGE, "--solver is given twice");
    sw_text_printf(&text, "solver=\"%s\"", value);
    cli->solver_override = sw_text_take(&text);
    if (!cli->solver_override) return SW_FAIL(SW_E_MEMORY, "out of memory");
    return set_override(cli, cli->solver_override);
}

static enum sw_status set_longest(struct sw_cli *cli, const char *value)
{
    char *end;
    cli->longest = strtod(value, &end);
    if (*end || end == value || !(cli->longest > 0 && cli->longest <= 86400))
        return SW_FAIL(SW_E_USAGE, "--longest takes a number of seconds above 0, at most 86400; got '%s'", value);
    return SW_OK;
}

static enum sw_status set_whole_number(const char *option, const char *value, long least, long most, int *out)
{
    char *end;
    long n = strtol(value, &end, 10);
    if (*end || end == value || n < least || n > most)
        return SW_FAIL(SW_E_USAGE, "%s takes a whole number from %ld to %ld; got '%s'", option, least, most, value);
    *out = (int)n;
    return SW_OK;
}

enum { MOST_SHARDS = 100000 };

static enum sw_status set_shard(struct sw_cli *cli, const char *value)
{
    char *slash, *end;
    const long shard = strtol(value, &slash, 10), nshards = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (*slash != '/' || slash == value || end == slash + 1 || *end || shard < 1 || shard > nshards ||
        nshards > MOST_SHARDS)
        return SW_FAIL(SW_E_USAGE, "--shard takes I/N with 1 <= I <= N <= %d, for example 1/4; got '%s'", MOST_SHARDS,
                       value);
    cli->shard = (int)shard;
    cli->nshards = (int)nshards;
    return SW_OK;
}

static enum sw_status set_threads(struct sw_cli *cli, const char *value)
{
    return set_whole_number("-j", value, 1, 4096, &cli->threads);
}
static enum sw_status set_repeats(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--repeats", value, 1, 100000, &cli->repeats);
}
static enum sw_status set_shards(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--shards", value, 1, MOST_SHARDS, &cli->shards);
}
static enum sw_status set_max_parallel(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--max-parallel", value, 1, 100000, &cli->job.max_parallel);
}
static enum sw_status set_cpus(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--cpus-per-shard", value, 1, 4096, &cli->job.cpus);
}

static enum sw_status set_gpus(struct sw_cli *cli, const char *value)
{
    int gpus = 0;
    SW_TRY(set_whole_number("--gpus-per-shard", value, 0, SW_DEVICES_MOST, &gpus));
    cli->job.gpus = 1 + gpus;
    return SW_OK;
}

static enum sw_status set_max_time(struct sw_cli *cli, const char *value)
{
    char *unit;
    double seconds = strtod(value, &unit), factor = 1;
    if (!strcmp(unit, "m")) factor = 60;
    else if (!strcmp(unit, "h")) factor = 3600;
    else if (strcmp(unit, "s") && *unit) factor = 0;
    if (unit == value || !(seconds * factor > 0) || !isfinite(seconds))
        return SW_FAIL(SW_E_USAGE, "--max-time takes a positive time such as 90, 90s, 55m or 7.5h; got '%s'", value);
    cli->max_seconds = seconds * factor;
    return SW_OK;
}

static enum sw_status set_when(const char *option, const char *value, enum cli_when *out)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (int k = 0; k < 3; k++)
        if (!strcmp(value, names[k])) { *out = (enum cli_when)k; return SW_OK; }
    return SW_FAIL(SW_E_USAGE, "--%s takes " CLI_WHEN_WORDS "; got '%s'", option, value);
}

/* A job's option too: its processes trust whom this one does. */
static enum sw_status set_trust(struct sw_cli *cli, const char *value)
{
    static const char *const names[] = {"nobody", "group", "anyone"};
    for (int k = 0; k < 3; k++) {
        if (strcmp(value, names[k])) continue;
        sw_set_trust((enum sw_trust)k);
        cli->job.trust = value;
        return SW_OK;
    }
    return SW_FAIL(SW_E_USAGE, "--trust takes " CLI_TRUST_WORDS "; got '%s'", value);
}

static enum sw_status set_progress(struct sw_cli *cli, const char *value)
{
    return set_when("progress", value, &cli->progress);
}
static enum sw_status set_color(struct sw_cli *cli, const char *value) { return set_when("color", value, &cli->color); }

#define AT(member) offsetof(struct sw_cli, member), NULL
#define BY(function) 0, function

const struct cli_option cli_option_table[] = {
    {'s', "set", "KEY=VALUE", CLI_RUNS | CLI_SUBMIT,
     "set one config key (repeatable; the syntax of the file, dotted paths)", BY(set_override)},
    {'o', "output", "FILE", CLI_RUNS | CLI_SUBMIT | CLI_MERGE | CLI_PLOT | CLI_BENCH,
     "the output file, in a folder that is there, or is that of the config", AT(output)},
    {'j', "threads", "N", CLI_ANY, "threads to use (default: all this process may use)", BY(set_threads)},
    {0, "device", "DEVICE", CLI_RUNS | CLI_SUBMIT | CLI_BENCH,
     "auto, cpu, cuda (all GPUs), cuda:N, or cuda:N,M,... (default: run.device)", AT(device)},
    {0, "solver", "ROW", CLI_RUNS | CLI_SUBMIT,
     "a row of `sweep list`, in place of the best that fits", BY(set_solver)},
    {0, "shard", "I/N", CLI_RUNS, "compute only the I-th of N shares of equal cost, into NAME.shard-I-of-N.h5",
     BY(set_shard)},
    {0, "only", "EXPRESSION", CLI_RUNS | CLI_SUBMIT,
     "compute only runs for which this holds, for example 'A > 1 && eps == 0.02'", AT(only)},
    {0, "shards", "N", CLI_SUBMIT | CLI_STATUS,
     "submit: the number of shards, each a job of one array; status: of the cut into N", BY(set_shards)},
    {0, "watch", NULL, CLI_STATUS, "print the status again and again, until no run is pending", AT(watch)},
    {0, "gpus-per-shard", "G", CLI_SUBMIT, "GPUs of each shard, which uses all of them (default: 0)", BY(set_gpus)},
    {0, "cpus-per-shard", "C", CLI_SUBMIT, "CPUs of each shard (default: 1)", BY(set_cpus)},
    {0, "partition", "NAME", CLI_SUBMIT, "as sbatch takes it", AT(job.partition)},
    {0, "account", "NAME", CLI_SUBMIT, "as sbatch takes it", AT(job.account)},
    {0, "max-parallel", "K", CLI_SUBMIT, "at most K shards run at a time", BY(set_max_parallel)},
    {0, "missing", "FILE", CLI_SUBMIT, "submit the unfinished shards of FILE again, with the options they had",
     AT(missing)},
    {0, "print", NULL, CLI_SUBMIT, "print the job scripts; write nothing, submit nothing", AT(print)},
    {0, "max-time", "TIME", CLI_RUN | CLI_RESUME, "stop cleanly after 90, 90s, 55m or 7.5h; the same command continues",
     BY(set_max_time)},
    {0, "fail-fast", NULL, CLI_RUN | CLI_RESUME, "stop at the first run that diverges or fails", AT(fail_fast)},
    {0, "retry-failed", NULL, CLI_RUN | CLI_RESUME, "compute the runs that diverged or failed again", AT(retry_failed)},
    {0, "force", NULL, CLI_RUN | CLI_RESUME | CLI_MERGE, "replace the output file, once the new one is complete",
     AT(force)},
    {0, "trust", "WHOM", CLI_RUN | CLI_RESUME | CLI_MERGE | CLI_SUBMIT,
     "who else may write into FILE.d: nobody (default), group, anyone", BY(set_trust)},
    {'n', "dry-run", NULL, CLI_RUNS, "the same as `sweep check`", AT(dry_run)},
    {0, "list", NULL, CLI_CHECK, "print the table of runs as CSV", AT(list)},
    {0, "equations", NULL, CLI_LIST, "print the catalogue of equations alone", AT(equations)},
    {0, "csv", NULL, CLI_SHOW | CLI_BENCH, "print CSV", AT(csv)},
    {0, "json", NULL, CLI_SHOW | CLI_STATUS | CLI_BENCH | CLI_CHECK | CLI_LIST | CLI_VERIFY, "print JSON", AT(json)},
    {0, "rows", "ROWS", CLI_BENCH, "which rows, separated by commas, NAME@T for T threads; default: all of the device",
     AT(rows)},
    {0, "baseline", "ROW", CLI_BENCH, "the row that the ratios refer to (default: the last)", AT(baseline)},
    {0, "repeats", "K", CLI_BENCH, "time each row K times (default: at least 5, for half a second)", BY(set_repeats)},
    {0, "longest", "SECONDS", CLI_BENCH, "time fewer steps if a repeat would take longer (default: 1)",
     BY(set_longest)},
    {0, "run", "RUN", CLI_SHOW | CLI_PLOT, "one run, by its index or id", AT(run)},
    {0, "status", "STATUS", CLI_SHOW, "only runs that are pending, done, diverged or error", AT(status)},
    {0, "kind", "KIND", CLI_PLOT, CLI_KIND_WORDS, AT(kind)},
    {0, "of", "NAME", CLI_PLOT, "which norm, series, history or field to draw", AT(of)},
    {0, "time", "T", CLI_PLOT | CLI_SUBMIT, "plot: at which time; submit: the jobs' time limit, as sbatch takes it",
     AT(time)},
    {0, "at", "PLACES", CLI_PLOT, "where the planes of a box lie, for example z=0.5 (default: the middle)", AT(at)},
    {0, "over", "PARAMETERS", CLI_PLOT, "over which parameters", AT(over)},
    {0, "log", "AXES", CLI_PLOT, "the logarithmic axes, of x, y and c (the colours), for example xy; none: none",
     AT(log_axes)},
    {0, "xlim", "A,B", CLI_PLOT, "ends of the x axis; one of them may be left out: 0,", AT(xlim)},
    {0, "ylim", "A,B", CLI_PLOT, "ends of the y axis", AT(ylim)},
    {0, "clim", "A,B", CLI_PLOT, "ends of the colours", AT(clim)},
    {0, "size", "WxH", CLI_PLOT, "width and height of the picture in inches", AT(size)},
    {0, "dpi", "N", CLI_PLOT, "pixels an inch (default: 150)", AT(dpi)},
    {0, "style", "FILE", CLI_PLOT, "a style sheet of matplotlib, applied last", AT(style)},
    {0, "markdown", NULL, CLI_EXPLAIN, "print all keys as Markdown", AT(markdown)},
    {0, "man", NULL, CLI_EXPLAIN, "print all keys in the man macros", AT(man)},
    {'q', "quiet", NULL, CLI_ANY, "print errors only", AT(quiet)},
    {'v', "verbose", NULL, CLI_ANY, "print more: every setting, and the place that raised an error", AT(verbose)},
    {0, "progress", "WHEN", CLI_RUN | CLI_RESUME, "draw a progress bar: auto (on a terminal), always, never",
     BY(set_progress)},
    {0, "color", "WHEN", CLI_ANY, "colors: auto (on a terminal without NO_COLOR), always, never", BY(set_color)},
    {0, "log-json", "FILE", CLI_RUN | CLI_RESUME, "append one JSON object for each event", AT(log_path)},
    {'h', "help", NULL, CLI_ANY, "this help", AT(help)},
    {'V', "version", NULL, CLI_ANY,
     "version, commit, compiler, and whether it was built with CUDA and MPI", AT(version)},
    {0},
};
