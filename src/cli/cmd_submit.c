/* A sweep as jobs of a cluster: which shards are not finished, what is written down, what is submitted. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "cli/submit.h"
#include "results/files.h"

/* Slurm looks at its clock twice a minute, and a checkpoint of a full GPU takes some seconds to reach a shared disk. */
enum { WARNING = 120 };

/* ---- names and files */

static enum sw_status absolute(const char *path, char **out)
{
    char here[PATH_MAX];
    struct sw_text text = {0};
    if (*path != '/' && !getcwd(here, sizeof here)) return SW_FAIL(SW_E_IO, "working directory: %s", strerror(errno));
    sw_text_printf(&text, "%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path);
    *out = sw_text_take(&text);
    return *out ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

/* By rename. */
static enum sw_status write_file(const struct submit *u, const char *name, const struct sw_text *text)
{
    char *path = submit_inside(u->folder, name), *tmp = path ? sw_files_name(path, ".tmp") : NULL;
    enum sw_status st = tmp ? sw_text_status(text) : SW_E_MEMORY;
    if (!st) st = sw_files_make_parents(path);
    FILE *to = st ? NULL : fopen(tmp, "w");
    if (!st && (!to || fputs(sw_text_get(text), to) < 0)) st = sw_files_fail(tmp);
    if (to && fclose(to) && !st) st = sw_files_fail(tmp);
    if (!st) st = sw_files_keep(tmp);
    sw_free(path);
    sw_free(tmp);
    return st;
}

static enum sw_status find_program(struct submit *u)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0) return SW_FAIL(SW_E_IO, "/proc/self/exe: %s", strerror(errno));
    path[n] = 0;
    u->program = sw_strdup(path);
    return u->program ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

/* ---- which shards are not finished */

static enum sw_status look_at(struct sw_cli *cli, struct cli_sweep *s, bool *has_file, bool *unfinished)
{
    struct sw_ledger *ledger = NULL;
    enum sw_status st = cli_ledger(cli, s->file, &ledger);
    if (!st) st = sw_ledger_belongs(ledger, s->file, s->sweep, s->id);
    if (!st) {
        *has_file = ledger->has_file;
        *unfinished = ledger->has_parts;
        for (int64_t k = 0; k < s->count && !*unfinished; k++)
            *unfinished = sw_ledger_status(ledger, s->id[s->run[k]]) == SW_RUN_PENDING;
    }
    sw_ledger_close(&ledger);
    return st;
}

/* run: [count] of shard k. */
static enum sw_status look_at_shard(struct submit *u, int k, int64_t *run, int64_t count)
{
    struct cli_sweep part = u->s;  /* borrows all */
    bool has_file;
    part.file = sw_shard_file(u->s.file, k + 1, u->cli->shards);
    part.run = run;
    part.count = count;
    if (!part.file) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = look_at(u->cli, &part, &has_file, &u->wanted[k]);
    if (!st) u->count += u->wanted[k];
    sw_free(part.file);
    return st;
}

static enum sw_status look_at_shards(struct submit *u)
{
    int64_t *run, *first;
    SW_TRY(sw_sweep_shares(u->s.sweep, u->cli->only, u->cli->shards, &run, &first));
    enum sw_status st = sw_alloc((size_t)u->cli->shards, &u->wanted);
    for (int k = 0; k < u->cli->shards && !st; k++)
        st = look_at_shard(u, k, run + first[k], first[k + 1] - first[k]);
    sw_free(run);
    sw_free(first);
    return st;
}

static enum sw_status look_at_all(struct submit *u, bool *done)
{
    bool has_file, unfinished;
    SW_TRY(look_at(u->cli, &u->s, &has_file, &unfinished));
    *done = !unfinished;
    if (*done) return SW_OK;
    if (has_file)
        return SW_FAIL(SW_E_REFUSED, "%s is there and lacks runs: the shards could not be merged into it; use -o FILE, "
                                     "or move it away", u->s.file);
    SW_TRY(look_at_shards(u));
    submit_look_at_queue(u);
    return SW_OK;
}

/* ---- submitting */

static enum sw_status write_folder(const struct submit *u, const char *source)
{
    struct sw_text shards = {0}, merge = {0}, arguments = {0}, config = {0};
    submit_shards_script(u, &shards);
    submit_merge_script(u, &merge);
    submit_arguments(u->cli, &arguments);
    enum sw_status st = submit_read(source, &config);
    if (!st && strcmp(source, u->config)) st = write_file(u, "sweep.cfg", &config);
    if (!st) st = write_file(u, "arguments", &arguments);
    if (!st) st = write_file(u, "shards.sh", &shards);
    if (!st) st = write_file(u, "merge.sh", &merge);
    sw_text_free(&shards);
    sw_text_free(&merge);
    sw_text_free(&arguments);
    sw_text_free(&config);
    return st;
}

/* At once, so that a later --missing knows of it whatever happens next. */
static enum sw_status note_job(const struct submit *u, const char *id)
{
    char *path = submit_inside(u->folder, "jobs");
    FILE *to = path ? fopen(path, "a") : NULL;
    enum sw_status st = SW_OK;
    if (!path) st = SW_E_MEMORY;
    else if (!to || fprintf(to, "%s\n", id) < 0) st = sw_files_fail(path);
    if (to && fclose(to) && !st) st = sw_files_fail(path);
    sw_free(path);
    return st;
}

static enum sw_status submit_all(struct submit *u, const struct sw_cli *cli)
{
    struct sw_text list = {0};
    char shards[32] = "", merge[32];
    submit_list(u, &list);
    enum sw_status st = u->count ? submit_job(u, "shards.sh", "", shards) : SW_OK;
    if (!st && u->count) st = note_job(u, shards);
    if (!st && u->count) {
        cli_print(cli, "shards   job %s: %s of %d\n", shards, sw_text_get(&list), u->cli->shards);
        sw_text_printf(&u->alive, ":%s", shards);
    }
    if (!st) st = submit_job(u, "merge.sh", sw_text_get(&u->alive), merge);
    if (!st) {
        cli_print(cli, "merge    job %s, after them, into %s\n", merge, u->s.file);
        cli_say(cli, "logs     %s\nnext     squeue -j %s%s%s; if a shard is lost: sweep submit --missing %s\n",
                u->folder, shards, *shards ? "," : "", merge, u->s.file);
    }
    sw_text_free(&list);
    return st;
}

static enum sw_status print_scripts(const struct submit *u)
{
    struct sw_text shards = {0}, merge = {0};
    submit_shards_script(u, &shards);
    submit_merge_script(u, &merge);
    enum sw_status st = sw_text_status(&shards);
    if (!st) st = sw_text_status(&merge);
    if (!st)
        printf("%s\n# ---- the second job, a file of its own: sbatch --dependency=afterany:JOB merge.sh\n%s",
               sw_text_get(&shards), sw_text_get(&merge));
    sw_text_free(&shards);
    sw_text_free(&merge);
    return st;
}

/* ---- what was asked for */

static enum sw_status check(struct submit *u)
{
    struct sw_cli *cli = u->cli;
    double seconds = cli->time ? submit_seconds(cli->time) : 0;
    if (!cli->shards)
        return SW_FAIL(SW_E_USAGE, "`sweep submit` needs --shards N, the number of jobs to cut the sweep into");
    if (cli->time && seconds != 0 && !(seconds >= 60))
        return SW_FAIL(SW_E_USAGE, "--time takes a time limit of a minute or more as sbatch does: 90 (minutes), "
                                   "2:00:00, 1-12:00; got '%s'", cli->time);
    u->warning = seconds > 0 && seconds < 4 * WARNING ? (long)(seconds / 4) : WARNING;
    return SW_OK;
}

static enum sw_status name_all(struct submit *u, const char *source)
{
    char *file = NULL;
    SW_TRY(absolute(u->s.file, &file));
    sw_free(u->s.file);
    u->s.file = file;
    if (!(u->folder = sw_files_name(file, ".jobs"))) return SW_E_MEMORY;
    if (u->cli->print) SW_TRY(absolute(source, &u->config));
    else if (!(u->config = submit_inside(u->folder, "sweep.cfg"))) return SW_E_MEMORY;
    if (strchr(file, '\n'))
        return SW_FAIL(SW_E_USAGE, "the output's folder has a line break in its name: job scripts cannot name it");
    return find_program(u);
}

/* A second submission into one folder would cut the same runs in another way. */
static enum sw_status refuse_second(const struct submit *u)
{
    char *path = submit_inside(u->folder, "arguments");
    if (!path) return SW_E_MEMORY;
    bool there = access(path, F_OK) == 0;
    sw_free(path);
    if (!there) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s was submitted before: `sweep submit --missing %s` submits what is not finished; "
                                 "to begin anew, remove the folder %s", u->s.file, u->s.file, u->folder);
}

/* cli: whoever asked, for what is said. */
static enum sw_status submit(struct submit *u, const struct sw_cli *cli, const char *source, bool again)
{
    struct sw_text headline = {0};
    bool done;
    SW_TRY(check(u));
    SW_TRY(cli_sweep_open(u->cli, source, &u->s));
    SW_TRY(name_all(u, source));
    if (!again && !u->cli->print) SW_TRY(refuse_second(u));
    if (u->cli->shards > u->s.count)
        return SW_FAIL(SW_E_USAGE, "--shards %d: there are only %lld runs", u->cli->shards, (long long)u->s.count);
    SW_TRY(look_at_all(u, &done));
    cli_sweep_headline(&u->s, &headline);
    cli_say(cli, "sweep    %s\n", sw_text_get(&headline));
    sw_text_free(&headline);
    if (done) { cli_say(cli, "nothing to do: all runs are in %s\n", u->s.file); return SW_OK; }
    if (!u->count && u->alive.length) {
        for (char *p = u->alive.data; *p; p++) *p = *p == ':' ? ' ' : *p;
        cli_say(cli, "nothing to do: all that is not finished is in the queue: job%s\n", sw_text_get(&u->alive));
        return SW_OK;
    }
    if (u->cli->print) return print_scripts(u);
    SW_TRY(submit_find_sbatch(u));
    SW_TRY(write_folder(u, source));
    return submit_all(u, cli);
}

static void free_submit(struct submit *u)
{
    cli_sweep_close(&u->s);
    sw_free(u->program);
    sw_free(u->config);
    sw_free(u->folder);
    sw_free(u->wanted);
    sw_text_free(&u->alive);
}

/* ---- --missing: the options are those that are stored, but for what is given now */

static enum sw_status check_given(const struct sw_cli *cli)
{
    const char *name = cli->shards ? "--shards" : cli->noverrides ? "-s" : cli->only ? "--only" : NULL;
    if (cli->output) name = "-o";
    if (cli->narguments) name = cli->argument[0];
    return name ? SW_FAIL(SW_E_USAGE, "--missing goes on with the sweep and the shards that were submitted; it does "
                                      "not take %s", name) : SW_OK;
}

static void override(struct sw_cli *stored, const struct sw_cli *given)
{
    if (given->device) stored->device = given->device;
    if (given->threads) stored->threads = given->threads;
    if (given->gpus) stored->gpus = given->gpus;
    if (given->cpus) stored->cpus = given->cpus;
    if (given->max_parallel) stored->max_parallel = given->max_parallel;
    if (given->time) stored->time = given->time;
    if (given->partition) stored->partition = given->partition;
    if (given->account) stored->account = given->account;
    if (given->npassed) { stored->passed = given->passed; stored->npassed = given->npassed; }
    stored->output = given->missing;
    stored->print = given->print;
    stored->quiet = given->quiet;
    stored->verbose = given->verbose;
    stored->colored = given->colored;
}

static enum sw_status submit_missing(struct sw_cli *cli)
{
    struct submit_stored stored = {0};
    struct submit u = {0};
    enum sw_status st = check_given(cli);
    if (!st) st = submit_stored_open(cli->missing, &stored);
    if (!st) {
        override(stored.cli, cli);
        u.cli = stored.cli;
        st = submit(&u, cli, stored.config, true);
        if (stored.cli->report.errors) cli_report(stored.cli);
    }
    free_submit(&u);
    submit_stored_close(&stored, st);
    return st;
}

enum sw_status cmd_submit(struct sw_cli *cli)
{
    struct submit u = {.cli = cli};
    if (strchr(cli->command_line, '\n'))
        return SW_FAIL(SW_E_USAGE, "an option with a line break in it cannot go into a job script");
    if (cli->missing) return submit_missing(cli);
    if (!cli->narguments) return SW_FAIL(SW_E_USAGE, "`sweep submit` needs CONFIG, or --missing FILE");
    enum sw_status st = submit(&u, cli, cli->argument[0], false);
    free_submit(&u);
    return st;
}
