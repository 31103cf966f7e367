/* The tables of commands and options, one row each, and the parser that they drive. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "comm/sw_launch.h"

/* ---- commands */

const struct cli_command cli_command_table[] = {
#define X(bit, name, arguments, least, most, about) {#name, arguments, about, CLI_##bit, least, most},
    CLI_COMMANDS(X)
#undef X
    {0},
};

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *c = cli_command_table; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

const char *cli_command_near(const char *word)
{
    const char *names[CLI_COMMAND_COUNT];
    for (int k = 0; k < CLI_COMMAND_COUNT; k++) names[k] = cli_command_table[k].name;
    return sw_nearest_name(word, names, CLI_COMMAND_COUNT);
}

/* ---- options */

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
    SW_TRY(set_override(cli, cli->solver_override));
    cli->solver_option = cli->noverrides;
    return SW_OK;
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

static enum sw_status set_nodes(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--nodes", value, 1, SW_COMM_MOST, &cli->job.nodes);
}
static enum sw_status set_node_gpus(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--gpus-per-node", value, 1, SW_DEVICES_MOST, &cli->job.node_gpus);
}
static enum sw_status set_node_ranks(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--ranks-per-node", value, 1, SW_COMM_MOST, &cli->job.node_ranks);
}
static enum sw_status set_rank_cpus(struct sw_cli *cli, const char *value)
{
    return set_whole_number("--cpus-per-rank", value, 1, 4096, &cli->job.rank_cpus);
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

enum { CLI_JOBS = CLI_SUBMIT | CLI_KEPT };

#define AT(member) offsetof(struct sw_cli, member), NULL
#define BY(function) 0, function

const struct cli_option cli_option_table[] = {
    {'s', "set", "KEY=VALUE", CLI_RUNS | CLI_ASK | CLI_JOBS,
     "set one config key (repeatable; the syntax of the file, dotted paths)", BY(set_override)},
    {'o', "output", "FILE", CLI_RUNS | CLI_ASK | CLI_SUBMIT | CLI_MERGE | CLI_PLOT | CLI_REPORT | CLI_BENCH,
     "the output file, in a folder that is there, or is that of the config", AT(output)},
    {'j', "threads", "N", CLI_ANY | CLI_KEPT, "threads to use (default: all this process may use)", BY(set_threads)},
    {0, "device", "DEVICE", CLI_RUNS | CLI_ASK | CLI_JOBS | CLI_BENCH,
     "auto, cpu, cuda (all), cuda:N,M,... (default: run.device); check: also sm_90", AT(device)},
    {0, "solver", "ROW", CLI_RUNS | CLI_ASK | CLI_JOBS,
     "a row of `sweep list`, in place of the best that fits", BY(set_solver)},
    {0, "shard", "I/N", CLI_RUNS, "compute only the I-th of N shares of equal cost, into NAME.shard-I-of-N.h5",
     BY(set_shard)},
    {0, "only", "EXPRESSION", CLI_RUNS | CLI_JOBS,
     "compute only runs for which this holds, for example 'A > 1 && eps == 0.02'", AT(only)},
    {0, "shards", "N", CLI_JOBS | CLI_STATUS,
     "submit: the number of shards, each a job of one array; status: of the cut into N", BY(set_shards)},
    {0, "watch", NULL, CLI_STATUS, "print the status again and again, until no run is pending", AT(watch)},
    {0, "gpus-per-shard", "G", CLI_JOBS, "GPUs of each shard, which uses all of them (default: 0)", BY(set_gpus)},
    {0, "cpus-per-shard", "C", CLI_JOBS, "CPUs of each shard (default: 1)", BY(set_cpus)},
    {0, "nodes", "N", CLI_JOBS, "in place of --shards: one job over N nodes, whose processes share the sweep",
     BY(set_nodes)},
    {0, "gpus-per-node", "G", CLI_JOBS, "of this job: GPUs of each node, a process for each", BY(set_node_gpus)},
    {0, "ranks-per-node", "R", CLI_JOBS, "of this job: processes of each node, which compute on CPUs",
     BY(set_node_ranks)},
    {0, "cpus-per-rank", "C", CLI_JOBS, "of this job: CPUs of each process (default: 1)", BY(set_rank_cpus)},
    {0, "partition", "NAME", CLI_JOBS, "as sbatch takes it", AT(job.partition)},
    {0, "account", "NAME", CLI_JOBS, "as sbatch takes it", AT(job.account)},
    {0, "max-parallel", "K", CLI_JOBS, "at most K shards run at a time", BY(set_max_parallel)},
    {0, "missing", "FILE", CLI_SUBMIT, "submit the unfinished shards of FILE again, with the options they had",
     AT(missing)},
    {0, "print", NULL, CLI_SUBMIT, "print the job scripts; write nothing, submit nothing", AT(print)},
    {0, "max-time", "TIME", CLI_RUN | CLI_RESUME, "stop cleanly after 90, 90s, 55m or 7.5h; the same command continues",
     BY(set_max_time)},
    {0, "fail-fast", NULL, CLI_RUN | CLI_RESUME, "stop at the first run that diverges or fails", AT(fail_fast)},
    {0, "retry-failed", NULL, CLI_RUN | CLI_RESUME, "compute the runs that diverged or failed again", AT(retry_failed)},
    {0, "force", NULL, CLI_RUN | CLI_RESUME | CLI_MERGE, "replace the output file, once the new one is complete",
     AT(force)},
    {0, "trust", "WHOM", CLI_RUN | CLI_RESUME | CLI_ASK | CLI_MERGE | CLI_JOBS,
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
    {0, "statistics", NULL, CLI_SHOW, "the statistics over runs, in place of the runs", AT(statistics)},
    {0, "kind", "KIND", CLI_PLOT, CLI_KIND_WORDS, AT(kind)},
    {0, "of", "NAME", CLI_PLOT | CLI_ASK,
     "plot: which norm, series, history or field to draw; ask: scalars of an answer, A,B", AT(of)},
    {0, "time", "T", CLI_PLOT | CLI_JOBS, "plot: at which time; submit: the jobs' time limit, as sbatch takes it",
     AT(time)},
    {0, "at", "PLACES", CLI_PLOT, "where the planes of a box lie, for example z=0.5 (default: the middle)", AT(at)},
    {0, "over", "PARAMETERS", CLI_PLOT, "over which parameters: A on the x axis, or A,B, a line for each value of B",
     AT(over)},
    {0, "where", "TEXT", CLI_PLOT | CLI_REPORT, "only runs of such parameters, for example 'k == 0.06 and r < 0.5'",
     AT(where)},
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

/* ---- parsing */

enum { LONG = 256, MOST = 64 };  /* getopt_long's value of row k without a letter is LONG + k */

/* getopt's two descriptions of the option table. */
struct getopt_tables { char letters[2 * MOST + 2]; struct option names[MOST + 1]; };

static void fill_getopt_tables(struct getopt_tables *g)
{
    char *p = g->letters;
    *p++ = ':';  /* getopt then distinguishes a missing argument from an unknown option */
    for (int k = 0; k < MOST && cli_option_table[k].name; k++) {
        const struct cli_option *o = &cli_option_table[k];
        g->names[k] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL, LONG + k};
        if (!o->letter) continue;
        *p++ = (char)o->letter;
        if (o->argument) *p++ = ':';
    }
}

static const struct cli_option *option_of(int value)
{
    if (value >= LONG) return &cli_option_table[value - LONG];
    for (const struct cli_option *o = cli_option_table; o->name; o++)
        if (o->letter == value) return o;
    return NULL;
}

static enum sw_status unknown_option(const char *word)
{
    const char *names[MOST];
    int count = 0;
    char plain[64];
    if (word[1] != '-') return SW_FAIL(SW_E_USAGE, "unknown option '-%c'; `sweep --help` lists them", optopt);
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (!strcmp(plain, "virtual"))
        return SW_FAIL(SW_E_USAGE, "--virtual is no option any more: leave it out, and FILE gets a copy of the "
                       "fields, so that it needs its parts no longer");
    for (; cli_option_table[count].name; count++) names[count] = cli_option_table[count].name;
    const char *near = sw_nearest_name(plain, names, count);
    if (near) return SW_FAIL(SW_E_USAGE, "unknown option '--%s'; did you mean '--%s'?", plain, near);
    return SW_FAIL(SW_E_USAGE, "unknown option '--%s'; `sweep --help` lists them", plain);
}

static enum sw_status refuse_option(int value, const char *word)
{
    const struct cli_option *o = optopt ? option_of(optopt) : NULL;
    if (value == ':' && o) return SW_FAIL(SW_E_USAGE, "option '%s' needs its %s", word, o->argument);
    if (o && !o->argument) return SW_FAIL(SW_E_USAGE, "option '--%s' takes no value", o->name);
    return unknown_option(word);
}

/* A later value takes the place of an earlier one, but of -s, which is given again and again. */
static enum sw_status keep_given(struct sw_cli *cli, const struct cli_option *o, const char *value)
{
    for (int k = 0; k < cli->ngiven && o->set != set_override; k++)
        if (cli->given[k].option == o) { cli->given[k].value = value; return SW_OK; }
    SW_TRY(sw_resize((size_t)cli->ngiven, (size_t)cli->ngiven + 1, &cli->given));
    cli->given[cli->ngiven++] = (struct cli_given){o, value};
    return SW_OK;
}

static enum sw_status set_option(struct sw_cli *cli, const struct cli_option *o, const char *value)
{
    char *place = (char *)cli + o->offset;
    SW_TRY(keep_given(cli, o, value));
    if (o->argument && !*value) return SW_FAIL(SW_E_USAGE, "option '--%s' needs its %s, not ''", o->name, o->argument);
    if (o->set) return o->set(cli, value);
    if (o->argument) *(const char **)(void *)place = value;
    else *(bool *)(void *)place = true;
    return SW_OK;
}

static enum sw_status parse_options(struct sw_cli *cli, int argc, char **argv)
{
    struct getopt_tables g = {0};
    int value;
    fill_getopt_tables(&g);
    opterr = 0;
    optind = 1;
    while ((value = getopt_long(argc, argv, g.letters, g.names, NULL)) != -1) {
        if (value == '?' || value == ':') return refuse_option(value, argv[optind - 1]);
        SW_TRY(set_option(cli, option_of(value), optarg));
    }
    cli->argument = argv + optind;
    cli->narguments = argc - optind;
    return SW_OK;
}

/* A word that is not a command is a config when it could be the name of a file. */
static enum sw_status find_command(struct sw_cli *cli)
{
    const char *word = cli->argument[0];
    if (!cli->narguments) return SW_OK;
    cli->command = cli_command_find(word);
    if (cli->command) { cli->argument++; cli->narguments--; return SW_OK; }
    if (strpbrk(word, "./") || access(word, F_OK) == 0) { cli->command = cli_command_find("run"); return SW_OK; }
    const char *near = cli_command_near(word);
    if (near) return SW_FAIL(SW_E_USAGE, "unknown command '%s'; did you mean '%s'?", word, near);
    return SW_FAIL(SW_E_USAGE, "unknown command '%s', and no such file; `sweep --help` lists the commands", word);
}

/* What follows -- is for sbatch. getopt has moved it to the end of the arguments, as it was. */
static void keep_sbatch_arguments(struct sw_cli *cli, int after)
{
    if (!cli->command || cli->command->bit != CLI_SUBMIT) return;
    cli->narguments -= after;
    cli->job.passed = cli->argument + cli->narguments;
    cli->job.npassed = after;
}

static int count_after_dashes(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (!strcmp(argv[k], "--")) return argc - k - 1;
    return 0;
}

static enum sw_status check_command(const struct sw_cli *cli)
{
    const struct cli_command *c = cli->command;
    for (const struct cli_option *o = cli_option_table; o->name; o++)
        for (int k = 0; k < cli->ngiven; k++)
            if (cli->given[k].option == o && !(o->commands & c->bit))
                return SW_FAIL(SW_E_USAGE, "`sweep %s` has no option '--%s'; see `sweep %s --help`", c->name, o->name,
                               c->name);
    if (cli->narguments < c->least) return SW_FAIL(SW_E_USAGE, "`sweep %s` needs %s", c->name, c->arguments);
    if (cli->narguments > c->most)
        return SW_FAIL(SW_E_USAGE, "`sweep %s` does not take '%s'", c->name, cli->argument[c->most]);
    return SW_OK;
}

static char *quote_command_line(int argc, char **argv)
{
    struct sw_text t = {0};
    for (int k = 0; k < argc; k++) {
        bool plain = *argv[k] && !strpbrk(argv[k], " \t\n'\"\\$&|;<>()*?!`[]{}#~");
        const char *base = strrchr(argv[k], '/');
        if (k == 0) { sw_text_add(&t, base ? base + 1 : argv[k]); continue; }
        sw_text_add(&t, plain ? " " : " '");
        for (const char *p = argv[k]; *p; p++)
            if (*p == '\'') sw_text_add(&t, "'\\''");
            else sw_text_add_bytes(&t, p, 1);
        if (!plain) sw_text_add(&t, "'");
    }
    return sw_text_take(&t);
}

/* As setlocale would decide it, without calling it: the program's numbers must not depend on the locale. */
static bool is_locale_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (int k = 0; k < 3 && !(value && *value); k++) value = getenv(names[k]);
    return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

static bool decide(enum cli_when when, bool automatic) { return when == CLI_ALWAYS || (when == CLI_AUTO && automatic); }

static void detect_terminal(struct sw_cli *cli)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
    cli->terminal = isatty(STDERR_FILENO);
    cli->utf8 = is_locale_utf8();
    cli->colored = decide(cli->color, terminal && !(no_color && *no_color));
    cli->bar = !cli->quiet && decide(cli->progress, terminal);
}

enum sw_status sw_cli_parse(int argc, char **argv, struct sw_cli **out)
{
    struct sw_cli *cli = NULL;
    *out = NULL;
    SW_TRY(sw_alloc(1, &cli));
    *out = cli;  /* also on failure: it knows how to print */
    cli->utf8 = is_locale_utf8();
    cli->comm = sw_comm_null();
    cli->local_ranks = 1;
    cli->muted = sw_launched().rank > 0;
    cli->command_line = quote_command_line(argc, argv);
    if (!cli->command_line) return SW_FAIL(SW_E_MEMORY, "out of memory");
    const int after = count_after_dashes(argc, argv);
    SW_TRY(parse_options(cli, argc, argv));
    detect_terminal(cli);
    SW_TRY(find_command(cli));
    keep_sbatch_arguments(cli, after);
    if (cli->help || cli->version) {
        cli->help_of = cli->command;
        cli->command = cli_command_find("help");
        return SW_OK;
    }
    if (!cli->command)
        return SW_FAIL(
            SW_E_USAGE,
            "a config or a command is needed; `sweep --help` lists the commands, `sweep init` prints a config");
    return check_command(cli);
}

void cli_free(struct sw_cli **cli)
{
    struct sw_cli *c = *cli;
    if (!c) return;
    sw_report_free(&c->report);
    sw_free(c->given);
    sw_free(c->override);
    sw_free(c->solver_override);
    sw_free(c->command_line);
    sw_free(c);
    *cli = NULL;
}
