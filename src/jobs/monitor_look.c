/* How far each shard of a sweep is, and all of them together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sw_mem.h"
#include "jobs/jobs_impl.h"
#include "output/files.h"

#define X(name, text) text,
const char *const sw_shard_state_names[] = {SW_SHARD_STATES(X)};
#undef X

/* ---- from the parts and the file */

static void take_counts(struct sw_shard *k, const struct sw_run_counts *counts)
{
    k->done = counts->done;
    k->diverged = counts->diverged;
    k->failed = counts->failed;
}

/* Whatever its runs are: the sweep may not be known. */
static void take_stored(struct sw_shard *k, const struct sw_completed *completed)
{
    struct sw_run_counts counts = {0};
    for (int64_t r = 0; r < completed->count; r++) sw_run_count(&counts, (enum sw_run_status)completed->status[r]);
    take_counts(k, &counts);
}

static int64_t ended(const struct sw_shard *k) { return k->done + k->diverged + k->failed; }

static double modified(const char *file, bool folder)
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
    return *v->of.sweep_id && *k->of.sweep_id && !sw_same_sweep(&v->of, &k->of);
}

static void take_sweep(struct sw_monitor *v, struct sw_shard *k, const struct sw_sweep_identity *of)
{
    k->of = *of;
    if (*v->of.sweep_id || !*of->sweep_id) return;
    v->of = *of;
    v->of_shard = (int)(k - v->shard) + 1;
}

static void call_foreign(const struct sw_monitor *v, struct sw_shard *k)
{
    k->state = SW_SHARD_FOREIGN;
    k->done = k->diverged = k->failed = 0;
    k->part = 0;
    if (v->of_shard)
        snprintf(k->message, sizeof k->message, "of another sweep, %s; shard %d is of %s", k->of.sweep_id, v->of_shard,
                 v->of.sweep_id);
    else
        snprintf(k->message, sizeof k->message, "of another sweep, %s; this one is %s", k->of.sweep_id, v->of.sweep_id);
}

static enum sw_status measure_stored(struct sw_monitor *v, const struct sw_completed *completed,
                                     const struct sw_warnings *warnings)
{
    struct sw_config *config = NULL;
    struct sw_sweep *sweep = NULL;
    uint64_t *id = NULL;
    enum sw_status st = sw_config_read_text(v->file, completed->config_text, (const char *const *)completed->override,
                                            completed->noverride, warnings->report, &config);
    if (!st) st = sw_sweep_expand(config, warnings->report, &sweep);
    warnings->tell(warnings->user);
    if (!st) st = sw_alloc((size_t)sweep->nruns, &id);
    if (!st) st = sw_sweep_ids(sweep, 0, sweep->nruns, id);
    if (!st) st = sw_monitor_measure(v, sweep, NULL);
    sw_free(id);
    sw_sweep_destroy(&sweep);
    sw_config_destroy(&config);
    return st;
}

/* From the parts and the file. Not again while nothing has changed there. */
static enum sw_status read_shard(struct sw_monitor *v, const struct sw_warnings *warnings, const char *file,
                                 struct sw_shard *k)
{
    struct sw_completed *completed = NULL;
    double written = modified(file, k->saw_folder);
    if (k->written > 0 && written == k->written) return SW_OK;
    enum sw_status st = sw_completed_open_live(file, warnings->report, &completed);
    warnings->tell(warnings->user);
    *k->message = 0;
    if (st) {
        snprintf(k->message, sizeof k->message, "%s", sw_err_message());
        return SW_OK;  /* the others are to be told of all the same */
    }
    take_stored(k, completed);
    take_sweep(v, k, &completed->of);
    if (!v->known && completed->config_text && !is_foreign(v, k)) st = measure_stored(v, completed, warnings);
    k->has_file = completed->has_file;
    k->has_parts = completed->has_parts;
    k->written = written;
    sw_completed_close(&completed);
    return st;
}

/* What a running process says of itself: parts need not be read. */
static void take_running(struct sw_shard *k)
{
    const struct sw_status_file *now = &k->now;
    const struct sw_run_counts counts = sw_status_file_count(now);
    if (!k->runs) k->runs = now->asked;
    take_counts(k, &counts);
    k->part = now->asked ? 1 - (1 - now->fraction) * (double)now->runs / (double)now->asked : 0;
    if (!(k->part >= 0)) k->part = 0;
}

static enum sw_status look_at(struct sw_monitor *v, const struct sw_warnings *warnings, const char *file, double now,
                              struct sw_shard *k)
{
    static const enum sw_shard_state left[] = {[SW_LIVENESS_NONE] = SW_SHARD_STOPPED,
[SW_LIVENESS_SILENT] = SW_SHARD_SILENT, [SW_LIVENESS_DEAD] = SW_SHARD_DIED};
    enum sw_liveness life = k->saw_folder ? sw_liveness_of(file, now, &k->now, &k->sign) : SW_LIVENESS_NONE;
    bool told = life == SW_LIVENESS_ALIVE && k->now.asked > 0;
    if (k->state == SW_SHARD_FOREIGN) *k->message = 0;
    if (!k->saw_folder && !k->saw_file) {
        k->has_file = k->has_parts = false;
        k->of = (struct sw_sweep_identity){0};
    } else if (!told) SW_TRY(read_shard(v, warnings, file, k));
    if (told && *k->now.of.sweep_id) take_sweep(v, k, &k->now.of);
    if (is_foreign(v, k)) {
        call_foreign(v, k);
        return SW_OK;
    }
    if (told) take_running(k);
    else k->part = k->runs ? (double)ended(k) / (double)k->runs : 0;
    if (life == SW_LIVENESS_ALIVE) k->state = SW_SHARD_RUNNING;
    else if (*k->message) k->state = SW_SHARD_UNREADABLE;
    else if (k->has_file && !k->has_parts && ended(k) >= k->runs) k->state = SW_SHARD_DONE;
    else if (k->has_file || k->has_parts || life != SW_LIVENESS_NONE) k->state = left[life];
    else k->state = SW_SHARD_WAITING;
    if (k->state == SW_SHARD_DONE) k->part = 1;
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
        v->fraction += share * k->part;
        left += share * (1 - k->part);
        if (k->state != SW_SHARD_RUNNING || !(k->now.eta > 0)) continue;
        speed += share * (1 - k->part) / k->now.eta;
        longest = fmax(longest, k->now.eta);
        if (k->now.rate > 0) v->rate += k->now.rate;
    }
    v->eta = left <= 0 || v->count[SW_SHARD_DONE] == v->nshards ? 0 : speed > 0 ? fmax(left / speed, longest) : NAN;
}

static void note_shard(void *user, int shard, int nshards, bool folder)
{
    struct sw_monitor *v = user;
    if (nshards != v->nshards) return;
    if (folder) v->shard[shard - 1].saw_folder = true;
    else v->shard[shard - 1].saw_file = true;
}

enum sw_status sw_monitor_look(struct sw_monitor *v, const struct sw_warnings *warnings)
{
    double now = sw_filesystem_time(v->file, &v->by_files);
    for (int j = 0; j < v->nshards; j++)
        v->shard[j].saw_file = v->shard[j].saw_folder = false;
    SW_TRY(monitor_each(v->file, note_shard, v));
    for (int j = 0; j < v->nshards; j++) {
        if (v->shard[j].state == SW_SHARD_DONE && v->shard[j].written > 0) continue;  /* was read, and stays so */
        char *file = sw_shard_file(v->file, j + 1, v->nshards);
        enum sw_status st = file ? look_at(v, warnings, file, now, &v->shard[j]) : SW_E_MEMORY;
        sw_free(file);
        SW_TRY(st);
    }
    monitor_queue(v);
    sum_up(v);
    return SW_OK;
}
