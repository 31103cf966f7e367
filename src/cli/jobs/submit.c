/* A sweep as jobs of a cluster: which shards are not finished, what is written down, what is submitted. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "cli/jobs/jobs_impl.h"
#include "store/files/sw_files.h"

/* Slurm looks at its clock twice a minute, and a checkpoint of a full GPU takes some seconds to reach a shared disk. */
enum { WARNING = 120 };

/* ---- time limits */

double sw_submit_seconds(const char *time)
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
    if (*path != '/' && !getcwd(here, sizeof here)) return SW_FAIL(SW_E_IO, "working directory: %s", strerror(errno));
    sw_text_printf(&text, "%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path);
    *out = sw_text_take(&text);
    return *out ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status find_program(struct sw_submit *u)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0) return SW_FAIL(SW_E_IO, "/proc/self/exe: %s", strerror(errno));
    path[n] = 0;
    u->program = sw_strdup(path);
    return u->program ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status make_resume_command(struct sw_submit *u)
{
    struct sw_text text = {0};
    sw_text_add(&text, "sweep submit --missing ");
    sw_text_add_word(&text, u->file);
    u->go_on = sw_text_take(&text);
    return u->go_on ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status make_names(struct sw_submit *u)
{
    int shard, nshards;
    if (sw_shard_find(u->desc.file, &shard, &nshards))
        return SW_FAIL(SW_E_USAGE, "%s is by its name shard %d of %d of another file, and not the output of all: "
                       "give it another name with -o", u->desc.file, shard, nshards);
    SW_TRY(absolute_path(u->desc.file, &u->file));
    if (!(u->folder = sw_files_name(u->file, ".jobs"))) return SW_E_MEMORY;
    if (u->desc.dry) SW_TRY(absolute_path(u->desc.source, &u->config));
    else if (!(u->config = jobs_inside(u->folder, "sweep.cfg"))) return SW_E_MEMORY;
    if (strchr(u->file, '\n'))
        return SW_FAIL(SW_E_USAGE, "the output's folder has a line break in its name: job scripts cannot name it");
    SW_TRY(make_resume_command(u));
    return find_program(u);
}

/* A second submission into one folder would cut the same runs in another way. */
static enum sw_status refuse_second(const struct sw_submit *u)
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

static enum sw_status open_completed(const struct sw_warnings *warnings, const char *file,
                                     struct sw_completed **completed)
{
    enum sw_status st = sw_completed_open(file, warnings->report, completed);
    warnings->print(warnings->user);
    return st;
}

/* Of the runs [count] that are to be in a file. */
static enum sw_status check_file(const struct sw_submit *u, const struct sw_warnings *warnings, const char *file,
                                 const int64_t *run, int64_t count, bool *has_file, bool *unfinished)
{
    struct sw_completed *completed = NULL;
    enum sw_status st = open_completed(warnings, file, &completed);
    if (!st) st = sw_completed_check_sweep(completed, file, u->desc.sweep, u->desc.id);
    if (!st) {
        *has_file = completed->has_file;
        *unfinished = completed->has_parts;
        for (int64_t k = 0; k < count && !*unfinished; k++)
            *unfinished = sw_completed_status(completed, u->desc.id[run[k]]) == SW_RUN_PENDING;
    }
    sw_completed_close(&completed);
    return st;
}

/* run: [count] of shard k. */
static enum sw_status check_shard(struct sw_submit *u, const struct sw_warnings *warnings, int k, const int64_t *run,
                                  int64_t count)
{
    char *file = sw_shard_file(u->file, k + 1, u->desc.shards);
    bool has_file;
    if (!file) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = check_file(u, warnings, file, run, count, &has_file, &u->wanted[k]);
    if (!st) u->count += u->wanted[k];
    sw_free(file);
    return st;
}

static enum sw_status check_shards(struct sw_submit *u, const struct sw_warnings *warnings)
{
    int64_t *run, *first;
    SW_TRY(sw_sweep_shares(u->desc.sweep, u->desc.only, u->desc.shards, &run, &first));
    enum sw_status st = sw_alloc((size_t)u->desc.shards, &u->wanted);
    for (int k = 0; k < u->desc.shards && !st; k++)
        st = check_shard(u, warnings, k, run + first[k], first[k + 1] - first[k]);
    sw_free(run);
    sw_free(first);
    return st;
}

static void list_wanted(struct sw_submit *u)
{
    const int n = u->desc.shards;
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

static enum sw_status check_all(struct sw_submit *u, const struct sw_warnings *warnings)
{
    bool has_file, unfinished;
    SW_TRY(check_file(u, warnings, u->file, u->desc.run, u->desc.count, &has_file, &unfinished));
    u->done = !unfinished;
    if (u->done) return SW_OK;
    if (has_file)
        return SW_FAIL(SW_E_REFUSED, "%s is there and lacks runs: the shards could not be merged into it; use -o FILE, "
                       "or move it away", u->file);
    SW_TRY(check_shards(u, warnings));
    SW_TRY(slurm_skip_queued(u));
    list_wanted(u);
    return sw_text_status(&u->list);
}

enum sw_status sw_submit_open(const struct sw_submit_desc *desc, const struct sw_warnings *warnings,
                              struct sw_submit *u)
{
    const double seconds = desc->job.time ? sw_submit_seconds(desc->job.time) : 0;
    *u = (struct sw_submit){.desc = *desc};
    u->warning = seconds > 0 && seconds < 4 * WARNING ? (long)(seconds / 4) : WARNING;
    SW_TRY(make_names(u));
    if (!desc->again && !desc->dry) SW_TRY(refuse_second(u));
    if (desc->shards > desc->count)
        return SW_FAIL(SW_E_USAGE, "--shards %d: there are only %lld runs", desc->shards, (long long)desc->count);
    return check_all(u, warnings);
}

void sw_submit_close(struct sw_submit *u)
{
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

enum sw_status sw_submit_write(const struct sw_submit *u)
{
    struct sw_text shards = {0}, merge = {0}, words = {0}, config = {0};
    SW_TRY(slurm_find_sbatch(u));
    sw_text_add(&words, u->desc.words);
    enum sw_status st = sw_submit_scripts(u, &shards, &merge);
    if (!st) st = jobs_read(u->desc.source, &config);
    if (!st && strcmp(u->desc.source, u->config)) st = jobs_write(u->folder, "sweep.cfg", &config);
    if (!st) st = jobs_write(u->folder, "arguments", &words);
    if (!st) st = jobs_write(u->folder, "shards.sh", &shards);
    if (!st) st = jobs_write(u->folder, "merge.sh", &merge);
    sw_text_free(&shards);
    sw_text_free(&merge);
    sw_text_free(&words);
    sw_text_free(&config);
    return st;
}

/* At once, so that a later --missing knows of it whatever happens next. */
static enum sw_status record_job(const struct sw_submit *u, const char *id)
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

enum sw_status sw_submit_shards(struct sw_submit *u, char id[32])
{
    SW_TRY(slurm_submit(u, "shards.sh", "", id));
    enum sw_status st = record_job(u, id);
    if (st)
        return SW_FAIL(st, "job %s is submitted, but that could not be recorded (%s), and it would be submitted twice: "
                       "scancel %s, and once that is mended: %s", id, sw_err_message(), id, u->go_on);
    sw_text_printf(&u->alive, ":%s", id);
    return SW_OK;
}

enum sw_status sw_submit_merge(struct sw_submit *u, char id[32])
{
    return slurm_submit(u, "merge.sh", sw_text_get(&u->alive), id);
}
