/* A sweep as jobs of a cluster (src/cli/jobs does it; here options are checked and results printed). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/submit_arguments.h"
#include "cli/jobs/sw_submit.h"

/* ---- options */

static enum sw_status check_options(const struct sw_cli *cli)
{
    const double seconds = cli->time ? sw_submit_seconds(cli->time) : 0;
    if (!cli->shards)
        return SW_FAIL(SW_E_USAGE, "`sweep submit` needs --shards N, the number of jobs to cut the sweep into");
    if (cli->time && seconds != 0 && !(seconds >= 60))
        return SW_FAIL(SW_E_USAGE, "--time takes a time limit of a minute or more as sbatch does: 90 (minutes), "
                       "2:00:00, 1-12:00; got '%s'", cli->time);
    return SW_OK;
}

static struct sw_submit_desc describe_submission(const struct sw_cli *cli, const struct cli_sweep *s,
                                                 const char *source,
                                                 bool again, const char *words)
{
    return (struct sw_submit_desc){
        .sweep = s->sweep, .id = s->id, .run = s->run, .count = s->count, .file = s->file, .source = source,
        .words = words, .again = again, .dry = cli->print, .shards = cli->shards, .override = cli->override,
        .noverrides = cli->noverrides, .only = cli->only, .job = submit_job_options(cli),
    };
}

/* ---- results */

static enum sw_status print_scripts(const struct sw_submit *u)
{
    struct sw_text shards = {0}, merge = {0};
    enum sw_status st = sw_submit_scripts(u, &shards, &merge);
    if (!st)
        printf("%s\n# ---- the second job, a file of its own: sbatch --dependency=afterany:JOB merge.sh\n%s",
               sw_text_get(&shards), sw_text_get(&merge));
    sw_text_free(&shards);
    sw_text_free(&merge);
    return st;
}

static enum sw_status submit_jobs(struct sw_submit *u, const struct sw_cli *cli)
{
    char shards[32] = "", merge[32];
    enum sw_status st = u->count ? sw_submit_shards(u, shards) : SW_OK;
    if (!st && u->count)
        console_print(cli, "shards   job %s: %s of %d\n", shards, sw_text_get(&u->list), u->desc.shards);
    if (!st) st = sw_submit_merge(u, merge);
    if (!st) {
        console_print(cli, "merge    job %s, after them, into %s\n", merge, u->file);
        console_message(cli, "logs     %s\nnext     squeue -j %s%s%s; if a shard is lost: %s\n", u->folder, shards,
                        *shards ? "," : "", merge, u->go_on);
    }
    return st;
}

/* @param cli  as typed: its options decide what is printed */
static enum sw_status report_and_submit(struct sw_submit *u, const struct sw_cli *cli, const struct cli_sweep *s)
{
    struct sw_text headline = {0};
    cli_sweep_headline(s, &headline);
    console_message(cli, "sweep    %s\n", sw_text_get(&headline));
    sw_text_free(&headline);
    if (u->done) { console_message(cli, "nothing to do: all runs are in %s\n", u->file); return SW_OK; }
    if (!u->count && u->alive.length) {
        for (char *p = u->alive.data; *p; p++) *p = *p == ':' ? ' ' : *p;
        console_message(cli, "nothing to do: the unfinished shards are in the queue: job%s\n",
                        sw_text_get(&u->alive));
        return SW_OK;
    }
    if (u->desc.dry) return print_scripts(u);
    SW_TRY(sw_submit_write(u));
    return submit_jobs(u, cli);
}

/* @param wanted  the options: as typed, or stored  @param cli  as typed */
static enum sw_status submit(struct sw_cli *wanted, const struct sw_cli *cli, const char *source, bool again)
{
    const struct sw_warnings warnings = console_warnings(wanted);
    struct cli_sweep s = {0};
    struct sw_submit u = {0};
    struct sw_text words = {0};
    SW_TRY(check_options(wanted));
    SW_TRY(cli_sweep_open(wanted, source, &s));
    submit_arguments_write(wanted, &words);
    enum sw_status st = sw_text_status(&words);
    const struct sw_submit_desc desc = describe_submission(wanted, &s, source, again, sw_text_get(&words));
    if (!st) st = sw_submit_open(&desc, &warnings, &u);
    if (!st) st = report_and_submit(&u, cli, &s);
    sw_submit_close(&u);
    sw_text_free(&words);
    cli_sweep_close(&s);
    return st;
}

/* ---- --missing: the options are those that are stored, but for what is given now */

static enum sw_status check_missing_options(const struct sw_cli *cli)
{
    const char *name = cli->shards ? "--shards" : cli->noverrides ? "-s" : cli->only ? "--only" : NULL;
    if (cli->output) name = "-o";
    if (cli->narguments) name = cli->argument[0];
    return name ? SW_FAIL(SW_E_USAGE, "--missing continues the sweep and the shards that were submitted; it does "
                          "not take %s", name) : SW_OK;
}

static enum sw_status submit_missing(struct sw_cli *cli)
{
    struct submit_arguments stored = {0};
    enum sw_status st = check_missing_options(cli);
    if (!st) st = submit_arguments_read(cli->missing, true, &stored);
    if (!st) {
        submit_arguments_override(stored.cli, cli);
        stored.cli->output = cli->missing;
        stored.cli->print = cli->print;
        stored.cli->quiet = cli->quiet;
        stored.cli->verbose = cli->verbose;
        stored.cli->colored = cli->colored;
        st = submit(stored.cli, cli, stored.config, true);
        if (stored.cli->report.errors) console_report(stored.cli);
    }
    submit_arguments_free(&stored, st);
    return st;
}

enum sw_status cmd_submit(struct sw_cli *cli)
{
    if (strchr(cli->command_line, '\n'))
        return SW_FAIL(SW_E_USAGE, "an option with a line break in it cannot go into a job script");
    if (cli->missing) return submit_missing(cli);
    if (!cli->narguments) return SW_FAIL(SW_E_USAGE, "`sweep submit` needs CONFIG, or --missing FILE");
    return submit(cli, cli, cli->argument[0], false);
}
