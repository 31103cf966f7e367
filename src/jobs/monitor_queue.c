/* What Slurm says of the jobs of a sweep: squeue of those that wait or run, sacct, where accounting is kept, of those
 * that ended. The numbers of the jobs are in FILE.jobs/jobs, the newest last. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "jobs/jobs_impl.h"
#include "output/files.h"

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

static void note(struct sw_monitor *v, const char *job, int task, const char *state, const char *reason)
{
    if (task < 1 || task > v->nshards) return;
    struct sw_shard *k = &v->shard[task - 1];
    if (*k->job && strtol(k->job, NULL, 10) > strtol(job, NULL, 10)) return;  /* it was submitted again since */
    snprintf(k->job, sizeof k->job, "%.20s_%d", job, task);
    snprintf(k->job_state, sizeof k->job_state, "%.*s", (int)strcspn(state, " +"), state);
    snprintf(k->reason, sizeof k->reason, "%s", strcmp(reason, "None") ? reason : "");
}

static void take_lines(struct sw_monitor *v, char *text, const char *format)
{
    char job[24], state[24], reason[40];
    int task;
    for (char *p = text, *end; p && *p; p = end ? end + 1 : NULL) {
        if ((end = strchr(p, '\n'))) *end = 0;
        *reason = 0;
        if (sscanf(p, format, job, &task, state, reason) >= 3) note(v, job, task, state, reason);
    }
}

static void ask(struct sw_monitor *v, char *const *argv, const char *format)
{
    struct sw_text answer = {0};
    if (slurm_ask(argv, true, &answer)) take_lines(v, answer.data, format);
    sw_text_free(&answer);
}

static bool is_one_of(const char *word, const char *list)
{
    char spaced[40];
    snprintf(spaced, sizeof spaced, " %.30s ", word);
    return *word && strstr(list, spaced);
}

/* What the files say counts: they are newer than what Slurm knows, and the result is what is in them. */
static void decide(struct sw_shard *k)
{
    bool there = is_one_of(k->job_state, " PENDING CONFIGURING REQUEUED REQUEUE_HOLD REQUEUE_FED SUSPENDED RESIZING "),
         runs = is_one_of(k->job_state, " RUNNING COMPLETING STOPPED "),
         bad = is_one_of(k->job_state, " FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY BOOT_FAIL DEADLINE "
                                       "PREEMPTED ");
    bool idle = k->state == SW_SHARD_WAITING || k->state == SW_SHARD_STOPPED || k->state == SW_SHARD_DIED ||
                k->state == SW_SHARD_SILENT;
    if (idle && there) k->state = SW_SHARD_QUEUED;
    else if (idle && bad) k->state = SW_SHARD_FAILED;
    else if (runs && (k->state == SW_SHARD_WAITING || k->state == SW_SHARD_STOPPED)) {
        k->state = SW_SHARD_RUNNING;
        snprintf(k->now.phase, sizeof k->now.phase, "starting");
    }
}

/* What was said at the last look: a job that has left the queue may not be spoken of any more (no accounts). */
static void forget(struct sw_monitor *v)
{
    for (int k = 0; k < v->nshards; k++) *v->shard[k].job = *v->shard[k].job_state = *v->shard[k].reason = 0;
}

void monitor_queue(struct sw_monitor *v)
{
    struct sw_text jobs = {0};
    if (v->submitted && read_jobs(v, &jobs)) {
        char *list = jobs.data;
        char *const queue[] = {"squeue", "-h", "-r", "-j", list, "-o", "%F %K %T %r", NULL};
        char *const past[] = {"sacct", "-n", "-X", "-P", "-j", list, "-o", "JobID,State", NULL};
        forget(v);
        ask(v, past, "%20[0-9]_%d|%23s");  /* "CANCELLED by 0": a user's number is no reason */
        ask(v, queue, "%20[0-9] %d %23s %39s");
        for (int k = 0; k < v->nshards; k++) decide(&v->shard[k]);
    }
    sw_text_free(&jobs);
}
