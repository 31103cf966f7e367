/* What Slurm is asked: sbatch, squeue. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "jobs/jobs_impl.h"

bool slurm_ask(char *const *argv, bool quiet, struct sw_text *answer)
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

enum sw_status slurm_find_sbatch(const struct sw_submit *u)
{
    const char *path = getenv("PATH");
    char name[4096];
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(name, sizeof name, "%.*s/sbatch", (int)n, path);
        if (access(name, X_OK) == 0) return SW_OK;
    }
    return SW_FAIL(SW_E_ABSENT,
                   "there is no sbatch here: submit where Slurm is, or take the job scripts from --print; under "
                   "another scheduler each job runs one `sweep run CONFIG --shard I/%d`, and `sweep merge` joins "
                   "their files (docs/cluster.md)", u->desc.shards);
}

/* Ours come last: they hold against what is passed on. */
enum sw_status slurm_submit(const struct sw_submit *u, const char *script, const char *after, char id[32])
{
    struct sw_text path = {0}, answer = {0}, wait_for = {0};
    char **argv = NULL;
    int n = 0;
    sw_text_printf(&path, "%s/%s", u->folder, script);
    sw_text_printf(&wait_for, "--dependency=afterany%s", after);
    enum sw_status st = sw_alloc((size_t)u->desc.job.npassed + 5, &argv);
    if (st) goto done;
    argv[n++] = "sbatch";
    for (int k = 0; k < u->desc.job.npassed; k++) argv[n++] = u->desc.job.passed[k];
    argv[n++] = "--parsable";
    if (*after) argv[n++] = (char *)sw_text_get(&wait_for);
    argv[n++] = (char *)sw_text_get(&path);
    if (!slurm_ask(argv, false, &answer) || !isdigit((unsigned char)*sw_text_get(&answer))) {
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
static bool ours(const char *jobs, const char *id)
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

static void found_task(struct sw_submit *u, const char *id, int shard)
{
    char entry[40];
    snprintf(entry, sizeof entry, ":%s", id);
    if (shard < 1 || shard > u->desc.shards) return;
    if (u->wanted[shard - 1]) u->count--;
    u->wanted[shard - 1] = false;
    if (!is_listed(sw_text_get(&u->alive), entry)) sw_text_add(&u->alive, entry);
}

/* Scripts that are only printed are submitted by somebody who knows the queue. */
static enum sw_status ask_squeue(const struct sw_submit *u, struct sw_text *queue)
{
    static char *const argv[] = {"squeue", "-h", "-r", "-o", "%F %K", NULL};  /* job of the array, task */
    if (slurm_ask(argv, u->desc.dry, queue)) return sw_text_status(queue);
    if (u->desc.dry) return SW_OK;
    SW_TRY(slurm_find_sbatch(u));
    return SW_FAIL(SW_E_IO, "squeue does not answer, and what is in the queue would be submitted twice; once it does: "
                            "%s", u->go_on);
}

enum sw_status slurm_look_at_queue(struct sw_submit *u)
{
    struct sw_text jobs = {0}, queue = {0};
    char id[32], *path = jobs_inside(u->folder, "jobs");
    int task;
    enum sw_status st = !path ? SW_E_MEMORY : access(path, F_OK) ? SW_OK : jobs_read(path, &jobs);
    if (!st && jobs.length) st = ask_squeue(u, &queue);
    for (const char *p = sw_text_get(&queue); *p && !st; p += strcspn(p, "\n"), p += *p == '\n')
        if (sscanf(p, "%31[0-9] %d", id, &task) == 2 && ours(sw_text_get(&jobs), id))
            found_task(u, id, task);
    sw_free(path);
    sw_text_free(&jobs);
    sw_text_free(&queue);
    return st;
}
