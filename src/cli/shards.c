/* The shards of a sweep: which there are, how many runs each has, and how far they are. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/jobs.h"
#include "cli/open_sweep.h"
#include "cli/shards.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"

/* ---- states */

#define X(name, text) text,
const char *const sw_shard_state_names[] = {SW_SHARD_STATES(X)};
#undef X

enum sw_shard_state sw_shard_state_of_file(const struct sw_file_facts *f)
{
    static const enum sw_shard_state without_process[] = {[SW_LIVENESS_NONE] = SW_SHARD_STOPPED,
                                                          [SW_LIVENESS_SILENT] = SW_SHARD_SILENT,
                                                          [SW_LIVENESS_DEAD] = SW_SHARD_DIED};
    if (f->liveness == SW_LIVENESS_ALIVE) return SW_SHARD_RUNNING;
    if (f->unreadable) return SW_SHARD_UNREADABLE;
    if (f->has_file && !f->has_parts && f->all_ended) return SW_SHARD_DONE;
    if (f->has_file || f->has_parts || f->liveness != SW_LIVENESS_NONE) return without_process[f->liveness];
    return SW_SHARD_WAITING;
}

static bool is_one_of(const char *word, const char *list)
{
    char spaced[40];
    snprintf(spaced, sizeof spaced, " %.30s ", word);
    return *word && strstr(list, spaced);
}

/* With what Slurm says of its job, "PENDING"; "": nothing. The files count: they are newer than what Slurm knows, and
 * the result is what is in them. */
static enum sw_shard_state state_with_job(enum sw_shard_state state, const char *job)
{
    const bool stopped = state == SW_SHARD_WAITING || state == SW_SHARD_STOPPED,
               idle = stopped || state == SW_SHARD_DIED || state == SW_SHARD_SILENT;
    if (is_one_of(job, " PENDING CONFIGURING REQUEUED REQUEUE_HOLD REQUEUE_FED SUSPENDED RESIZING "))
        return idle ? SW_SHARD_QUEUED : state;
    if (is_one_of(job, " FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY BOOT_FAIL DEADLINE PREEMPTED "))
        return idle ? SW_SHARD_FAILED : state;
    if (is_one_of(job, " RUNNING COMPLETING STOPPED ")) return stopped ? SW_SHARD_RUNNING : state;
    return state;
}

const char *sw_sweep_state(const int *count, int nshards)
{
    if (count[SW_SHARD_DONE] == nshards) return "done";
    if (count[SW_SHARD_RUNNING]) return "running";
    return count[SW_SHARD_QUEUED] ? "queued" : "interrupted";
}

const char *sw_file_state(enum sw_shard_state state)
{
    if (state == SW_SHARD_RUNNING) return "running";
    return state == SW_SHARD_DONE ? "finished" : "interrupted";
}

/* ---- which there are */

/* "ch.shard-3-of-16.h5" or "ch.shard-3-of-16.h5.d" of "ch.h5"; false: another name. */
static bool is_shard(const char *name, const char *file, int *shard, int *nshards, bool *folder)
{
    const char *slash = strrchr(file, '/');
    if (!sw_shard_find(name, shard, nshards)) return false;
    char *own = sw_shard_file(slash ? slash + 1 : file, *shard, *nshards);
    const size_t length = own ? strlen(own) : 0;
    const bool same = own && !strncmp(name, own, length);
    sw_free(own);
    *folder = same && !strcmp(name + length, ".d");
    return *folder || (same && !name[length]);
}

/* A shard of a sweep in the folder of its output: its file, or the folder of its parts. */
typedef void found_shard(void *user, int shard, int nshards, bool folder);

static enum sw_status for_each_shard(const char *file, found_shard *found, void *user)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? sw_strndup(file, slash == file ? 1 : (size_t)(slash - file)) : sw_strdup(".");
    if (!folder) return SW_FAIL(SW_E_MEMORY, "out of memory");
    DIR *dir = opendir(folder);
    enum sw_status st = dir || errno == ENOENT ? SW_OK : sw_files_fail(folder);
    int shard, nshards;
    bool is_folder;
    for (struct dirent *entry; dir && (errno = 0, entry = readdir(dir));)
        if (is_shard(entry->d_name, file, &shard, &nshards, &is_folder)) found(user, shard, nshards, is_folder);
    if (dir && errno) st = sw_files_fail(folder);
    if (dir) closedir(dir);
    sw_free(folder);
    return st;
}

struct cuts { int wanted, first, other; bool there; };

static void count_cut(void *user, int shard, int nshards, bool folder)
{
    struct cuts *c = user;
    (void)shard;
    (void)folder;
    c->there |= nshards == c->wanted;
    if (!c->first) c->first = nshards;
    else if (nshards != c->first) c->other = nshards;
}

static bool exists(const char *file, const char *suffix)
{
    char *path = sw_files_name(file, suffix);
    bool yes = path && access(path, F_OK) == 0;
    sw_free(path);
    return yes;
}

/* Whether a file that is there, whole or begun, counts by itself: its shards, if it has some, are older. */
static bool is_one(const char *file)
{
    char **part;
    int count;
    if (access(file, F_OK) == 0 || sw_files_parts(file, &part, &count)) return true;
    sw_files_free_list(&part, count);
    return count > 0 || exists(file, ".d/status.json");
}

/* @param submitted  into how many shards, 0: it was not submitted */
static enum sw_status choose_cut(const char *file, int submitted, int wanted, int *nshards)
{
    struct cuts c = {.wanted = wanted};
    SW_TRY(for_each_shard(file, count_cut, &c));
    *nshards = wanted ? wanted : submitted ? submitted : c.first;
    if (wanted && wanted != submitted && !c.there)
        return SW_FAIL(SW_E_USAGE, "--shards %d: there is no shard of %s that is one of %d", wanted, file, wanted);
    if (!wanted && !submitted && c.other)
        return SW_FAIL(SW_E_USAGE, "%s was cut in several ways: there are shards of %d and of %d; say which is meant "
                       "with --shards N", file, c.first, c.other);
    return SW_OK;
}

/* ---- how many runs each has */

/* What the shards are of, and how many runs each has: otherwise the first shard that has stored its config tells.
 * @param sweep  with its id (sw_sweep_ids()), or without one: that of the first shard counts; not kept
 * @param only   of which runs; NULL: of all
 * @return as sw_sweep_shares() */
static enum sw_status measure(struct sw_monitor *m, const struct sw_sweep *sweep, const char *only)
{
    int64_t *run, *first;
    SW_TRY(sw_sweep_shares(sweep, only, m->nshards, &run, &first));
    for (int k = 0; k < m->nshards; k++) m->shard[k].runs = first[k + 1] - first[k];
    m->known = true;
    if (*sweep->id) {
        snprintf(m->identity.sweep_id, sizeof m->identity.sweep_id, "%s", sweep->id);
        snprintf(m->identity.config_sha256, sizeof m->identity.config_sha256, "%s", sweep->config_sha256);
    }
    sw_free(run);
    sw_free(first);
    return SW_OK;
}

/* ---- making and freeing */

/* @param submitted  into how many shards it was submitted; -1: it was not
 * @param nshards    the cut that is meant; 0: that which was submitted, else the only one there is */
static enum sw_status find_shards(const char *file, int submitted, int nshards, struct sw_monitor **monitor)
{
    struct sw_monitor *m = NULL;
    *monitor = NULL;
    enum sw_status st = choose_cut(file, submitted > 0 ? submitted : 0, nshards, &nshards);
    if (!st && nshards) st = sw_alloc(1, &m);
    if (!st && m) st = sw_alloc((size_t)nshards, &m->shard);
    if (!st && m) {
        m->nshards = nshards;
        m->submitted = submitted >= 0;
        m->file = sw_strdup(file);
        for (int k = 0; k < nshards; k++) m->shard[k].state = SW_SHARD_WAITING;
        if (!m->file) st = SW_FAIL(SW_E_MEMORY, "out of memory");
    }
    if (st) sw_monitor_free(&m);
    *monitor = m;
    return st;
}

void sw_monitor_free(struct sw_monitor **monitor)
{
    if (!monitor || !*monitor) return;
    sw_free((*monitor)->shard);
    sw_free((*monitor)->file);
    sw_free(*monitor);
    *monitor = NULL;
}

static enum sw_status measure_submitted(const struct stored_arguments *stored, struct sw_monitor *v)
{
    struct cli_sweep s = {0};
    enum sw_status st = cli_outline_open(stored->cli, stored->config, &s);
    if (!st) st = measure(v, s.sweep, stored->cli->only);
    if (stored->cli->report.errors) console_report(stored->cli);
    cli_sweep_close(&s);
    return st;
}

enum sw_status sw_monitor_open(struct sw_cli *cli, const char *file, const struct cli_sweep *known,
                               struct sw_monitor **v)
{
    struct stored_arguments stored = {0};
    *v = NULL;
    if (!cli->shards && is_one(file)) return SW_OK;
    enum sw_status st = stored_arguments_read(file, NULL, false, &stored);
    if (!st) st = find_shards(file, stored.cli ? stored.cli->shards : -1, cli->shards, v);
    if (!st && *v && stored.cli) st = measure_submitted(&stored, *v);
    else if (!st && *v && known) st = measure(*v, known->sweep, NULL);
    stored_arguments_free(&stored);
    return st;
}

/* ---- how far one is: from its parts and its file */

static void set_counts(struct sw_shard *k, const struct sw_run_counts *counts)
{
    k->done = counts->done;
    k->diverged = counts->diverged;
    k->failed = counts->failed;
}

/* Count all runs that are stored: whether they are of the sweep may not be known yet. */
static void count_stored(struct sw_shard *k, const struct sw_completed *completed)
{
    struct sw_run_counts counts = {0};
    for (int64_t r = 0; r < completed->count; r++) sw_run_count(&counts, (enum sw_run_status)completed->status[r]);
    set_counts(k, &counts);
}

static int64_t ended(const struct sw_shard *k) { return k->done + k->diverged + k->failed; }

static double modification_time(const char *file, bool folder)
{
    char *path = folder ? sw_files_name(file, ".d") : sw_strdup(file);
    struct stat s;
    double time = path && !stat(path, &s) ? (double)s.st_mtim.tv_sec + 1e-9 * (double)s.st_mtim.tv_nsec : 0;
    sw_free(path);
    return time;
}

/* `sweep merge` joins what is of one sweep. */
static bool is_foreign(const struct sw_monitor *v, const struct sw_shard *k)
{
    return *v->identity.sweep_id && *k->identity.sweep_id && !sw_same_sweep(&v->identity, &k->identity);
}

static void set_sweep(struct sw_monitor *v, struct sw_shard *k, const struct sw_sweep_identity *of)
{
    k->identity = *of;
    if (*v->identity.sweep_id || !*of->sweep_id) return;
    v->identity = *of;
    v->of_shard = (int)(k - v->shard) + 1;
}

static void mark_foreign(const struct sw_monitor *v, struct sw_shard *k)
{
    k->state = SW_SHARD_FOREIGN;
    k->done = k->diverged = k->failed = 0;
    k->fraction = 0;
    if (v->of_shard)
        snprintf(k->message, sizeof k->message, "of another sweep, %s; shard %d is of %s", k->identity.sweep_id,
                 v->of_shard, v->identity.sweep_id);
    else
        snprintf(k->message, sizeof k->message, "of another sweep, %s; this one is %s", k->identity.sweep_id,
                 v->identity.sweep_id);
}

static enum sw_status measure_stored(struct sw_monitor *v, const struct sw_completed *completed,
                                     struct sw_cli *cli)
{
    struct sw_config *config = NULL;
    struct sw_sweep *sweep = NULL;
    uint64_t *id = NULL;
    enum sw_status st = sw_config_read_text(v->file, completed->config_text, (const char *const *)completed->override,
                                            completed->noverride, &cli->report, &config);
    if (!st) st = sw_sweep_outline(config, &cli->report, &sweep);
    console_report(cli);
    const bool by_files = !st && sw_sweep_file_key(sweep, NULL);  /* which are not needed here, nor may be there */
    if (!st && !by_files) st = sw_alloc((size_t)sweep->nruns, &id);
    if (!st && !by_files) st = sw_sweep_ids(sweep, 0, sweep->nruns, id);
    if (!st) st = measure(v, sweep, NULL);
    sw_free(id);
    sw_sweep_destroy(&sweep);
    sw_config_destroy(&config);
    return st;
}

/* Read the parts and the file, unless nothing has changed there since the last look. */
static enum sw_status read_shard(struct sw_monitor *v, struct sw_cli *cli, const char *file,
                                 struct sw_shard *k)
{
    struct sw_completed *completed = NULL;
    double written = modification_time(file, k->saw_folder);
    if (k->written > 0 && written == k->written) return SW_OK;
    enum sw_status st = sw_completed_open_live(file, &cli->report, &completed);
    console_report(cli);
    *k->message = 0;
    if (st) {
        snprintf(k->message, sizeof k->message, "%s", sw_err_message());
        return SW_OK;  /* the others are reported all the same */
    }
    count_stored(k, completed);
    set_sweep(v, k, &completed->identity);
    if (!v->known && completed->config_text && !is_foreign(v, k)) st = measure_stored(v, completed, cli);
    k->has_file = completed->has_file;
    k->has_parts = completed->has_parts;
    k->written = written;
    sw_completed_close(&completed);
    return st;
}

/* A running process keeps these numbers in its status file: parts need not be read. */
static void count_running(struct sw_shard *k)
{
    const struct sw_status_file *now = &k->now;
    const struct sw_run_counts counts = sw_status_file_count(now);
    if (!k->runs) k->runs = now->asked;
    set_counts(k, &counts);
    k->fraction = sw_status_file_fraction(now->fraction, now->runs, now->asked);
}

static enum sw_status look_at_shard(struct sw_monitor *v, struct sw_cli *cli, const char *file,
                                    double now, struct sw_shard *k)
{
    enum sw_liveness life = k->saw_folder ? sw_liveness_of(file, now, &k->now, &k->update) : SW_LIVENESS_NONE;
    const bool current = life == SW_LIVENESS_ALIVE && k->now.asked > 0;
    if (k->state == SW_SHARD_FOREIGN) *k->message = 0;
    if (!k->saw_folder && !k->saw_file) {
        k->has_file = k->has_parts = false;
        k->identity = (struct sw_sweep_identity){0};
    } else if (!current) SW_TRY(read_shard(v, cli, file, k));
    if (current && *k->now.identity.sweep_id) set_sweep(v, k, &k->now.identity);
    if (is_foreign(v, k)) {
        mark_foreign(v, k);
        return SW_OK;
    }
    if (current) count_running(k);
    else k->fraction = k->runs ? (double)ended(k) / (double)k->runs : 0;
    const struct sw_file_facts facts = {.liveness = life, .has_file = k->has_file, .has_parts = k->has_parts,
                                        .all_ended = ended(k) >= k->runs, .unreadable = *k->message != 0};
    k->state = sw_shard_state_of_file(&facts);
    if (k->state == SW_SHARD_DONE) k->fraction = 1;
    return SW_OK;
}

/* ---- all together */

static void sum_up(struct sw_monitor *v)
{
    double speed = 0, longest = 0, left = 0;
    v->runs = v->done = v->diverged = v->failed = v->pending = 0;
    v->fraction = v->rate = 0;
    memset(v->count, 0, sizeof v->count);
    for (int j = 0; j < v->nshards; j++) {
        const struct sw_shard *k = &v->shard[j];
        const double share = 1. / v->nshards;  /* of the cost: shards are cut so */
        v->count[k->state]++;
        v->runs += k->runs;
        v->done += k->done;
        v->diverged += k->diverged;
        v->failed += k->failed;
        v->pending += k->runs > ended(k) ? k->runs - ended(k) : 0;
        v->fraction += share * k->fraction;
        left += share * (1 - k->fraction);
        if (k->state != SW_SHARD_RUNNING || !(k->now.eta > 0)) continue;
        speed += share * (1 - k->fraction) / k->now.eta;
        longest = fmax(longest, k->now.eta);
        if (k->now.rate > 0) v->rate += k->now.rate;
    }
    v->eta = left <= 0 || v->count[SW_SHARD_DONE] == v->nshards ? 0 : speed > 0 ? fmax(left / speed, longest) : NAN;
}

static void mark_present(void *user, int shard, int nshards, bool folder)
{
    struct sw_monitor *v = user;
    if (nshards != v->nshards) return;
    if (folder) v->shard[shard - 1].saw_folder = true;
    else v->shard[shard - 1].saw_file = true;
}

/* Before a process has written its status file only Slurm knows that it runs. */
static void set_job_state(struct sw_shard *k)
{
    const enum sw_shard_state state = state_with_job(k->state, k->job_state);
    if (state == SW_SHARD_RUNNING && state != k->state) snprintf(k->now.phase, sizeof k->now.phase, "starting");
    k->state = state;
}

enum sw_status sw_monitor_look(struct sw_monitor *v, struct sw_cli *cli)
{
    double now = sw_filesystem_time(v->file, &v->by_files);
    for (int j = 0; j < v->nshards; j++)
        v->shard[j].saw_file = v->shard[j].saw_folder = false;
    SW_TRY(for_each_shard(v->file, mark_present, v));
    for (int j = 0; j < v->nshards; j++) {
        if (v->shard[j].state == SW_SHARD_DONE && v->shard[j].written > 0) continue;  /* was read, and stays so */
        char *file = sw_shard_file(v->file, j + 1, v->nshards);
        enum sw_status st = file ? look_at_shard(v, cli, file, now, &v->shard[j]) : SW_E_MEMORY;
        sw_free(file);
        SW_TRY(st);
    }
    slurm_find_jobs(v);
    for (int j = 0; j < v->nshards; j++) set_job_state(&v->shard[j]);
    sum_up(v);
    return SW_OK;
}
