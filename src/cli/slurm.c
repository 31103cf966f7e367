/* Slurm: sbatch submits jobs, squeue knows those that wait or run, sacct, where accounting is kept, those that ended.
 * The numbers of the jobs of a sweep are in FILE.jobs/jobs, the newest last. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cli/jobs.h"
#include "store/files/sw_files.h"

/* Run a program and keep what it prints; its errors go to our stderr, unless quiet.
 * @return false: it is not there, or failed */
static bool ask(char *const *argv, bool quiet, struct sw_text *answer)
{
    char bytes[4096];
    int ends[2], status;
    ssize_t n;
    if (pipe(ends)) return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {  /* no end is a standard stream: main() holds these */
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (quiet && !freopen("/dev/null", "w", stderr)) _exit(127);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    while (pid > 0 && ((n = read(ends[0], bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) sw_text_add_bytes(answer, bytes, (size_t)n);
    close(ends[0]);
    if (pid < 0) return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum sw_status slurm_find_sbatch(const struct submission *u)
{
    const char *path = getenv("PATH");
    char name[4096];
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(name, sizeof name, "%.*s/sbatch", (int)n, path);
        if (access(name, X_OK) == 0) return SW_OK;
    }
    if (is_one_job(u))
        return SW_FAIL(SW_E_ABSENT, "there is no sbatch here: submit where Slurm is, or take the job script from "
                       "--print; under another scheduler the job runs `mpirun sweep run CONFIG` (docs/howto/mpi.md)");
    return SW_FAIL(SW_E_ABSENT,
                   "there is no sbatch here: submit where Slurm is, or take the job scripts from --print; under "
                   "another scheduler each job runs one `sweep run CONFIG --shard I/%d`, and `sweep merge` joins "
                   "their files (docs/howto/shards.md)", u->options->shards);
}

/* Our arguments come last, so that they hold against those that are passed on. */
enum sw_status slurm_submit(const struct submission *u, const char *script, const char *after, char id[32])
{
    struct sw_text path = {0}, answer = {0}, wait_for = {0};
    char **argv = NULL;
    int n = 0;
    sw_text_printf(&path, "%s/%s", u->folder, script);
    sw_text_printf(&wait_for, "--dependency=afterany%s", after);
    enum sw_status st = sw_alloc((size_t)u->options->job.npassed + 5, &argv);
    if (st) goto done;
    argv[n++] = "sbatch";
    for (int k = 0; k < u->options->job.npassed; k++) argv[n++] = u->options->job.passed[k];
    argv[n++] = "--parsable";
    if (*after) argv[n++] = (char *)sw_text_get(&wait_for);
    argv[n++] = (char *)sw_text_get(&path);
    if (!ask(argv, false, &answer) || !isdigit((unsigned char)*sw_text_get(&answer))) {
        st = SW_FAIL(SW_E_IO, "sbatch did not take %s, for the reason above; once that is mended: %s",
                     sw_text_get(&path), u->go_on);
        goto done;
    }
    snprintf(id, 32, "%.*s", (int)strspn(sw_text_get(&answer), "0123456789"), sw_text_get(&answer));
done:
    sw_free(argv);
    sw_text_free(&path);
    sw_text_free(&answer);
    sw_text_free(&wait_for);
    return st;
}

/* Is the number one of the lines of FILE.jobs/jobs? */
static bool is_ours(const char *jobs, const char *id)
{
    const size_t n = strlen(id);
    for (const char *p = jobs; (p = strstr(p, id)); p += n)
        if ((p == jobs || p[-1] == '\n') && p[n] == '\n') return true;
    return false;
}

/* Is it in ":17:23"? */
static bool is_listed(const char *list, const char *entry)
{
    const size_t n = strlen(entry);
    for (const char *p = list; (p = strstr(p, entry)); p += n)
        if (!p[n] || p[n] == ':') return true;
    return false;
}

static void skip_task(struct submission *u, const char *id, int shard)
{
    char entry[40];
    snprintf(entry, sizeof entry, ":%s", id);
    if (is_one_job(u)) {
        u->count = 0;
        sw_text_add(&u->alive, entry);
        return;
    }
    if (shard < 1 || shard > u->options->shards) return;
    if (u->wanted[shard - 1]) u->count--;
    u->wanted[shard - 1] = false;
    if (!is_listed(sw_text_get(&u->alive), entry)) sw_text_add(&u->alive, entry);
}

/* A user who only prints the scripts knows the queue: there squeue may fail. */
static enum sw_status ask_squeue(const struct submission *u, struct sw_text *queue)
{
    static char *const argv[] = {"squeue", "-h", "-r", "-o", "%F %K", NULL};  /* job of the array, task */
    if (ask(argv, u->options->print, queue)) return sw_text_status(queue);
    if (u->options->print) return SW_OK;
    SW_TRY(slurm_find_sbatch(u));
    return SW_FAIL(SW_E_IO, "squeue does not answer, and what is in the queue would be submitted twice; once it does: "
                   "%s", u->go_on);
}

enum sw_status slurm_skip_queued(struct submission *u)
{
    struct sw_text jobs = {0}, queue = {0};
    char id[32], *path = jobs_inside(u->folder, "jobs");
    int task;
    enum sw_status st = !path ? SW_E_MEMORY : sw_files_absent(path) ? SW_OK : jobs_read(path, &jobs);
    if (!st && jobs.length) st = ask_squeue(u, &queue);
    for (const char *p = sw_text_get(&queue); *p && !st; p += strcspn(p, "\n"), p += *p == '\n')
        if (sscanf(p, "%31[0-9] %d", id, &task) >= 1 + !is_one_job(u) && is_ours(sw_text_get(&jobs), id))
            skip_task(u, id, task);
    sw_free(path);
    sw_text_free(&jobs);
    sw_text_free(&queue);
    return st;
}

/* ---- the jobs of the shards, for `sweep status` */

/* The lines as a list with commas. */
static bool read_jobs(const struct sw_monitor *v, struct sw_text *list)
{
    char *folder = sw_files_name(v->file, ".jobs"), *path = folder ? jobs_inside(folder, "jobs") : NULL;
    bool there = path && !jobs_read(path, list) && list->length > 1;
    sw_free(path);
    sw_free(folder);
    if (!there) return false;
    for (char *p = list->data; *p; p++)
        if (*p == '\n') *p = p[1] ? ',' : 0;
    return true;
}

static void set_job(struct sw_monitor *v, const char *job, int task, const char *state, const char *reason)
{
    if (task < 1 || task > v->nshards) return;
    struct sw_shard *k = &v->shard[task - 1];
    if (*k->job && strtol(k->job, NULL, 10) > strtol(job, NULL, 10)) return;  /* it was submitted again since */
    snprintf(k->job, sizeof k->job, "%.20s_%d", job, task);
    snprintf(k->job_state, sizeof k->job_state, "%.*s", (int)strcspn(state, " +"), state);
    snprintf(k->reason, sizeof k->reason, "%s", strcmp(reason, "None") ? reason : "");
}

static void parse_jobs(struct sw_monitor *v, char *text, const char *format)
{
    char job[24], state[24], reason[40];
    int task;
    for (char *p = text, *end; p && *p; p = end ? end + 1 : NULL) {
        if ((end = strchr(p, '\n'))) *end = 0;
        *reason = 0;
        if (sscanf(p, format, job, &task, state, reason) >= 3) set_job(v, job, task, state, reason);
    }
}

static void ask_jobs(struct sw_monitor *v, char *const *argv, const char *format)
{
    struct sw_text answer = {0};
    if (ask(argv, true, &answer)) parse_jobs(v, answer.data, format);
    sw_text_free(&answer);
}

/* Of the last look: without accounting, Slurm does not know a job any more that has left the queue. */
static void forget_jobs(struct sw_monitor *v)
{
    for (int k = 0; k < v->nshards; k++) *v->shard[k].job = *v->shard[k].job_state = *v->shard[k].reason = 0;
}

void slurm_find_jobs(struct sw_monitor *v)
{
    struct sw_text jobs = {0};
    if (v->submitted && read_jobs(v, &jobs)) {
        char *list = jobs.data;
        char *const queue[] = {"squeue", "-h", "-r", "-j", list, "-o", "%F %K %T %r", NULL};
        char *const past[] = {"sacct", "-n", "-X", "-P", "-j", list, "-o", "JobID,State", NULL};
        forget_jobs(v);
        ask_jobs(v, past, "%20[0-9]_%d|%23s");  /* "CANCELLED by 0": a user's number is no reason */
        ask_jobs(v, queue, "%20[0-9] %d %23s %39s");
    }
    sw_text_free(&jobs);
}
