/* sweep submit CONFIG: a sweep as jobs of a cluster. Which shards are not finished, what is written down, what is
 * submitted. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/jobs.h"
#include "comm/sw_comm_impl.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"

/* Slurm looks at its clock twice a minute, and a checkpoint of a full GPU takes some seconds to reach a shared disk. */
enum { WARNING = 120 };

/* ---- time limits */

/* A time limit as sbatch takes it, in seconds: "90" (minutes), "1:30", "2:00:00", "1-12", "1-12:30"; < 0: it is none;
 * 0: no limit. */
static double limit_seconds(const char *time)
{
    static const double minutes_first[] = {60, 1}, hours_first[] = {3600, 60, 1};
    double days = 0, part[3];
    int count = 0;
    char *end;
    const char *p = time, *dash = strchr(time, '-');
    if (!strcmp(time, "UNLIMITED") || !strcmp(time, "0")) return 0;
    if (dash) {
        days = (double)strtoul(time, &end, 10);
        if (end != dash || strspn(time, "0123456789") == 0) return -1;
        p = dash + 1;
    }
    for (;; p = end + 1) {
        if (count == 3 || strspn(p, "0123456789") == 0) return -1;
        part[count++] = (double)strtoul(p, &end, 10);
        if (*end != ':') break;
    }
    if (*end) return -1;
    const double *unit = dash || count == 3 ? hours_first : minutes_first;
    double seconds = 86400 * days;
    for (int k = 0; k < count; k++) seconds += part[k] * unit[k];
    return seconds;
}

/* ---- names */

static enum sw_status absolute_path(const char *path, char **out)
{
    char here[PATH_MAX];
    struct sw_text text = {0};
    if (*path != '/' && !getcwd(here, sizeof here)) return SW_FAIL_ERRNO(SW_E_IO, errno, "working directory");
    sw_text_printf(&text, "%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path);
    *out = sw_text_take(&text);
    return *out ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status find_program(struct submission *u)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0) return SW_FAIL_ERRNO(SW_E_IO, errno, "/proc/self/exe");
    path[n] = 0;
    u->program = sw_strdup(path);
    return u->program ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status make_resume_command(struct submission *u)
{
    struct sw_text text = {0};
    sw_text_add(&text, "sweep submit --missing ");
    sw_text_add_word(&text, u->file);
    u->go_on = sw_text_take(&text);
    return u->go_on ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status make_names(struct submission *u)
{
    int shard, nshards;
    if (sw_shard_find(u->sweep.file, &shard, &nshards))
        return SW_FAIL(SW_E_USAGE, "%s is by its name shard %d of %d of another file, and not the output of all: "
                       "give it another name with -o", u->sweep.file, shard, nshards);
    SW_TRY(absolute_path(u->sweep.file, &u->file));
    if (!(u->folder = sw_files_name(u->file, ".jobs"))) return SW_E_MEMORY;
    if (u->options->print) SW_TRY(absolute_path(u->source, &u->config));
    else if (!(u->config = jobs_inside(u->folder, "sweep.cfg"))) return SW_E_MEMORY;
    if (strchr(u->file, '\n'))
        return SW_FAIL(SW_E_USAGE, "the output's folder has a line break in its name: job scripts cannot name it");
    SW_TRY(make_resume_command(u));
    return find_program(u);
}

/* A second submission into one folder would cut the same runs in another way. */
static enum sw_status refuse_second(const struct submission *u)
{
    char *path = jobs_inside(u->folder, "arguments");
    if (!path) return SW_E_MEMORY;
    bool there = !sw_files_absent(path);
    sw_free(path);
    if (!there) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s was submitted before: `%s` submits what is not finished; to begin anew, remove "
                   "the folder %s", u->file, u->go_on, u->folder);
}

/* ---- which shards are not finished */

/* Of the runs [count] that are to be in a file. */
static enum sw_status check_file(const struct submission *u, const char *file,
                                 const int64_t *run, int64_t count, bool *has_file, bool *unfinished)
{
    struct sw_completed *completed = NULL;
    enum sw_status st = cli_completed_open(u->options, file, &completed);
    if (!st) st = sw_completed_check_sweep(completed, file, u->sweep.sweep, u->sweep.id);
    if (!st) {
        *has_file = completed->has_file;
        *unfinished = completed->has_parts;
        for (int64_t k = 0; k < count && !*unfinished; k++)
            *unfinished = sw_completed_status(completed, u->sweep.id[run[k]]) == SW_RUN_PENDING;
    }
    sw_completed_close(&completed);
    return st;
}

/* run: [count] of shard k. */
static enum sw_status check_shard(struct submission *u, int k, const int64_t *run,
                                  int64_t count)
{
    char *file = sw_shard_file(u->file, k + 1, u->options->shards);
    bool has_file;
    if (!file) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = check_file(u, file, run, count, &has_file, &u->wanted[k]);
    if (!st) u->count += u->wanted[k];
    sw_free(file);
    return st;
}

static enum sw_status check_shards(struct submission *u)
{
    int64_t *run, *first;
    SW_TRY(sw_sweep_shares(u->sweep.sweep, u->options->only, u->options->shards, &run, &first));
    enum sw_status st = sw_alloc((size_t)u->options->shards, &u->wanted);
    for (int k = 0; k < u->options->shards && !st; k++)
        st = check_shard(u, k, run + first[k], first[k + 1] - first[k]);
    sw_free(run);
    sw_free(first);
    return st;
}

static void list_wanted(struct submission *u)
{
    const int n = u->options->shards;
    const char *comma = "";
    for (int k = 0; k < n; k++) {
        int last = k;
        if (!u->wanted[k]) continue;
        while (last + 1 < n && u->wanted[last + 1]) last++;
        sw_text_printf(&u->list, "%s%d", comma, k + 1);
        if (last > k) sw_text_printf(&u->list, "-%d", last + 1);
        comma = ",";
        k = last;
    }
}

static enum sw_status check_all(struct submission *u)
{
    bool has_file, unfinished;
    SW_TRY(check_file(u, u->file, u->sweep.run, u->sweep.count, &has_file, &unfinished));
    u->done = !unfinished;
    if (u->done) return SW_OK;
    if (is_one_job(u)) {
        u->count = 1;
        return slurm_skip_queued(u);
    }
    if (has_file)
        return SW_FAIL(SW_E_REFUSED, "%s is there and lacks runs: the shards could not be merged into it; use -o FILE, "
                       "or move it away", u->file);
    SW_TRY(check_shards(u));
    SW_TRY(slurm_skip_queued(u));
    list_wanted(u);
    return sw_text_status(&u->list);
}

/* Look which shards are not finished, and which of these Slurm has in its queue. Nothing is written. */
static enum sw_status look(struct submission *u)
{
    const double seconds = u->options->time ? limit_seconds(u->options->time) : 0;
    u->warning = seconds > 0 && seconds < 4 * WARNING ? (long)(seconds / 4) : WARNING;
    SW_TRY(make_names(u));
    if (!u->again && !u->options->print) SW_TRY(refuse_second(u));
    if (u->options->shards > u->sweep.count)
        return SW_FAIL(SW_E_USAGE, "--shards %d: there are only %lld runs", u->options->shards,
                       (long long)u->sweep.count);
    return check_all(u);
}

static void end_submission(struct submission *u)
{
    cli_sweep_close(&u->sweep);
    sw_free(u->program);
    sw_free(u->config);
    sw_free(u->folder);
    sw_free(u->file);
    sw_free(u->go_on);
    sw_free(u->wanted);
    sw_text_free(&u->list);
    sw_text_free(&u->alive);
}

/* ---- submitting */

/* Write FILE.jobs/, all of it anew but for what Slurm and the jobs wrote. Without an sbatch nothing is written. */
static enum sw_status write_folder(const struct submission *u)
{
    struct sw_text shards = {0}, merge = {0}, words = {0}, config = {0};
    SW_TRY(slurm_find_sbatch(u));
    stored_arguments_write(u->options, &words);
    enum sw_status st = job_scripts(u, &shards, &merge);
    if (!st) st = jobs_read(u->source, &config);
    if (!st && strcmp(u->source, u->config)) st = jobs_write(u->folder, "sweep.cfg", &config);
    if (!st) st = jobs_write(u->folder, "arguments", &words);
    if (!st) st = jobs_write(u->folder, is_one_job(u) ? "job.sh" : "shards.sh", &shards);
    if (!st && !is_one_job(u)) st = jobs_write(u->folder, "merge.sh", &merge);
    sw_text_free(&shards);
    sw_text_free(&merge);
    sw_text_free(&words);
    sw_text_free(&config);
    return st;
}

/* At once, so that a later --missing knows of it whatever happens next. */
static enum sw_status record_job(const struct submission *u, const char *id)
{
    char *path = jobs_inside(u->folder, "jobs");
    int in = -1;
    enum sw_status st = path ? sw_private_folder_open(u->folder, &in) : SW_E_MEMORY;
    const int fd = in < 0 ? -1 : openat(in, "jobs", O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "a");
    if (!st && (!to || fprintf(to, "%s\n", id) < 0)) st = sw_files_fail(path);
    if (to ? fclose(to) : fd >= 0 && close(fd)) st = st ? st : sw_files_fail(path);
    if (in >= 0) close(in);
    sw_free(path);
    return st;
}

static enum sw_status submit_and_record(struct submission *u, const char *script, char id[32])
{
    SW_TRY(slurm_submit(u, script, "", id));
    enum sw_status st = record_job(u, id);
    if (st)
        return SW_FAIL(st, "job %s is submitted, but that could not be recorded (%s), and it would be submitted twice: "
                       "scancel %s, and once that is mended: %s", id, sw_err_message(), id, u->go_on);
    sw_text_printf(&u->alive, ":%s", id);
    return SW_OK;
}

/* ---- results */

static enum sw_status print_scripts(const struct submission *u)
{
    struct sw_text shards = {0}, merge = {0};
    enum sw_status st = job_scripts(u, &shards, &merge);
    if (!st) printf("%s", sw_text_get(&shards));
    if (!st && !is_one_job(u))
        printf("\n# ---- the second job, a file of its own: sbatch --dependency=afterany:JOB merge.sh\n%s",
               sw_text_get(&merge));
    sw_text_free(&shards);
    sw_text_free(&merge);
    return st;
}

static enum sw_status submit_one_job(struct submission *u, const struct sw_cli *cli)
{
    const struct cli_job *job = &u->options->job;
    char id[32];
    SW_TRY(submit_and_record(u, "job.sh", id));
    const int ranks = ranks_per_node(job);
    console_print(cli, "job      %s: %d node%s, %d process%s each, into %s\n", id, job->nodes,
                  job->nodes == 1 ? "" : "s", ranks, ranks == 1 ? "" : "es", u->file);
    console_message(cli, "log      %s/job.log\nnext     squeue -j %s; if it is lost: %s\n", u->folder, id, u->go_on);
    return SW_OK;
}

static enum sw_status submit_jobs(struct submission *u, const struct sw_cli *cli)
{
    char shards[32] = "", merge[32];
    enum sw_status st = u->count ? submit_and_record(u, "shards.sh", shards) : SW_OK;
    if (!st && u->count)
        console_print(cli, "shards   job %s: %s of %d\n", shards, sw_text_get(&u->list), u->options->shards);
    if (!st) st = slurm_submit(u, "merge.sh", sw_text_get(&u->alive), merge);
    if (!st) {
        console_print(cli, "merge    job %s, after them, into %s\n", merge, u->file);
        console_message(cli, "logs     %s\nnext     squeue -j %s%s%s; if a shard is lost: %s\n", u->folder, shards,
                        *shards ? "," : "", merge, u->go_on);
    }
    return st;
}

/* @param cli  as typed: its options decide what is printed */
static enum sw_status report_and_submit(struct submission *u, const struct sw_cli *cli)
{
    struct sw_text headline = {0};
    cli_sweep_headline(&u->sweep, &headline);
    console_message(cli, "sweep    %s\n", sw_text_get(&headline));
    sw_text_free(&headline);
    if (u->done) { console_message(cli, "nothing to do: all runs are in %s\n", u->file); return SW_OK; }
    if (!u->count && u->alive.length) {
        for (char *p = u->alive.data; *p; p++) *p = *p == ':' ? ' ' : *p;
        console_message(cli, "nothing to do: %s: job%s\n",
                        is_one_job(u) ? "it is in the queue" : "the unfinished shards are in the queue",
                        sw_text_get(&u->alive));
        return SW_OK;
    }
    if (u->options->print) return print_scripts(u);
    SW_TRY(write_folder(u));
    return is_one_job(u) ? submit_one_job(u, cli) : submit_jobs(u, cli);
}

/* ---- the command */

/* Options of shards beside --nodes, or of the one job without it; NULL: none. */
static const char *misplaced_option(const struct sw_cli *cli)
{
    const struct cli_job *j = &cli->job;
    if (j->nodes)
        return cli->shards ? "--shards" : j->gpus ? "--gpus-per-shard" : j->cpus ? "--cpus-per-shard" :
               j->max_parallel ? "--max-parallel" : NULL;
    return j->node_gpus ? "--gpus-per-node" : j->node_ranks ? "--ranks-per-node" : j->rank_cpus ? "--cpus-per-rank" :
           NULL;
}

/* Of one job over nodes. */
static enum sw_status check_one_job(const struct sw_cli *cli)
{
    const struct cli_job *j = &cli->job;
    const long ranks = (long)j->nodes * ranks_per_node(j);
    if (!j->node_gpus == !j->node_ranks)
        return SW_FAIL(SW_E_USAGE, "--nodes takes one of the two: --gpus-per-node G, a process for each GPU, or "
                       "--ranks-per-node R, processes that compute on CPUs");
    if (ranks > SW_COMM_MOST)
        return SW_FAIL(SW_E_USAGE, "%ld processes: a job has %d at most", ranks, SW_COMM_MOST);
    for (int k = 0; sw_comm_table[k] && ranks > 1; k++)
        if (sw_comm_table[k]->apart && sw_comm_table[k]->absent)
            return SW_FAIL(SW_E_ABSENT, "a job of %ld processes takes MPI: %s", ranks, sw_comm_table[k]->absent);
    return SW_OK;
}

/* Groups of run.ranks_per_run that the processes of the job do not form would be refused when it starts. */
static enum sw_status check_groups(const struct submission *u)
{
    const int ranks = u->options->job.nodes * ranks_per_node(&u->options->job), each = u->sweep.sweep->ranks_per_run;
    if (!is_one_job(u) || !each || (ranks >= each && ranks % each == 0)) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "%d nodes with %d processes each are %d, which do not form groups of %d "
                   "(run.ranks_per_run): change one of them", u->options->job.nodes,
                   ranks_per_node(&u->options->job), ranks, each);
}

static enum sw_status check_options(const struct sw_cli *cli)
{
    const double seconds = cli->time ? limit_seconds(cli->time) : 0;
    const char *misplaced = misplaced_option(cli);
    if (misplaced)
        return SW_FAIL(SW_E_USAGE, cli->job.nodes ? "%s is for jobs that have a shard each, and --nodes is one job: "
                       "leave one of them out" : "%s is for the one job of --nodes N", misplaced);
    if (cli->job.nodes) SW_TRY(check_one_job(cli));
    else if (!cli->shards)
        return SW_FAIL(SW_E_USAGE, "`sweep submit` needs --shards N, the number of jobs to cut the sweep into, or "
                       "--nodes N, of one job");
    if (cli->time && seconds != 0 && !(seconds >= 60))
        return SW_FAIL(SW_E_USAGE, "--time takes a time limit of a minute or more as sbatch does: 90 (minutes), "
                       "2:00:00, 1-12:00; got '%s'", cli->time);
    return SW_OK;
}

/* @param wanted  the options: as typed, or stored  @param cli  as typed */
static enum sw_status submit(struct sw_cli *wanted, const struct sw_cli *cli, const char *source, bool again)
{
    struct submission u = {.options = wanted, .source = source, .again = again};
    SW_TRY(check_options(wanted));
    SW_TRY(cli_sweep_open(wanted, source, &u.sweep));
    enum sw_status st = check_groups(&u);
    if (!st) st = look(&u);
    if (!st) st = report_and_submit(&u, cli);
    end_submission(&u);
    return st;
}

/* --missing: the options are those that are stored, but for what is given now. */
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
    struct stored_arguments stored = {0};
    enum sw_status st = check_missing_options(cli);
    if (!st) st = stored_arguments_read(cli->missing, cli, true, &stored);
    if (!st) {
        stored.cli->output = cli->missing;
        stored.cli->print = cli->print;
        stored.cli->quiet = cli->quiet;
        stored.cli->verbose = cli->verbose;
        stored.cli->colored = cli->colored;
        st = submit(stored.cli, cli, stored.config, true);
        if (stored.cli->report.errors) console_report(stored.cli);
    }
    stored_arguments_free(&stored);
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
