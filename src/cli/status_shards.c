/* The shards of a sweep: which there are, and how far each is. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "cli/status.h"
#include "cli/submit.h"
#include "results/files.h"

#define X(name, text) text,
const char *const status_names[] = {STATUS_STATES(X)};
#undef X

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

typedef void (*found_shard)(void *user, int shard, int nshards, bool folder);

static enum sw_status each_shard(const char *file, found_shard found, void *user)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? sw_strndup(file, slash == file ? 1 : (size_t)(slash - file)) : sw_strdup(".");
    if (!folder) return SW_FAIL(SW_E_MEMORY, "out of memory");
    DIR *dir = opendir(folder);
    enum sw_status st = dir || errno == ENOENT ? SW_OK : sw_files_fail(folder);
    int shard, nshards;
    bool is_folder;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (is_shard(entry->d_name, file, &shard, &nshards, &is_folder)) found(user, shard, nshards, is_folder);
    if (dir) closedir(dir);
    sw_free(folder);
    return st;
}

struct cuts { int wanted, first, other; bool there; };

static void note_cut(void *user, int shard, int nshards, bool folder)
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

static bool speaks_for_itself(const char *file)
{
    char **part;
    int count;
    if (access(file, F_OK) == 0 || sw_files_parts(file, &part, &count)) return true;
    sw_files_free_list(&part, count);
    return count > 0 || exists(file, ".d/status.json");
}

/* @param submitted  into how many shards, 0: it was not */
static enum sw_status choose_cut(const char *file, int submitted, int wanted, int *nshards)
{
    struct cuts c = {.wanted = wanted};
    SW_TRY(each_shard(file, note_cut, &c));
    *nshards = wanted ? wanted : submitted ? submitted : c.first;
    if (wanted && wanted != submitted && !c.there)
        return SW_FAIL(SW_E_USAGE, "--shards %d: there is no shard of %s that is one of %d", wanted, file, wanted);
    if (!wanted && !submitted && c.other)
        return SW_FAIL(SW_E_USAGE, "%s was cut in several ways: there are shards of %d and of %d; say which is meant "
                                   "with --shards N", file, c.first, c.other);
    return SW_OK;
}

/* ---- how many runs each has */

static enum sw_status measure(struct status_sweep *v, const struct cli_sweep *s, const char *only)
{
    int64_t *run, *first;
    SW_TRY(sw_sweep_shares(s->sweep, only, v->nshards, &run, &first));
    for (int k = 0; k < v->nshards; k++) v->shard[k].runs = first[k + 1] - first[k];
    v->known = true;
    snprintf(v->of.sweep_id, sizeof v->of.sweep_id, "%s", s->sweep->id);
    snprintf(v->of.config_sha256, sizeof v->of.config_sha256, "%s", s->config->sha256);
    sw_free(run);
    sw_free(first);
    return SW_OK;
}

static enum sw_status measure_stored(struct sw_cli *cli, struct status_sweep *v, const struct sw_ledger *ledger)
{
    struct cli_sweep s = {0};
    SW_TRY(cli_sweep_stored(cli, v->file, ledger, &s));
    enum sw_status st = measure(v, &s, NULL);
    cli_sweep_close(&s);
    return st;
}

static enum sw_status measure_submitted(struct status_sweep *v, struct submit_stored *stored)
{
    struct cli_sweep s = {0};
    enum sw_status st = cli_sweep_open(stored->cli, stored->config, &s);
    if (!st) st = measure(v, &s, stored->cli->only);
    if (stored->cli->report.errors) cli_report(stored->cli);
    cli_sweep_close(&s);
    return st;
}

/* ---- how far each is */

static void note_shard(void *user, int shard, int nshards, bool folder)
{
    struct status_sweep *v = user;
    if (nshards != v->nshards) return;
    if (folder) v->shard[shard - 1].saw_folder = true;
    else v->shard[shard - 1].saw_file = true;
}

static void take_counts(struct status_shard *k, const struct sw_ledger *ledger)
{
    k->done = k->diverged = k->failed = 0;
    for (int64_t r = 0; r < ledger->count; r++) {
        k->done += ledger->status[r] == SW_RUN_DONE;
        k->diverged += ledger->status[r] == SW_RUN_DIVERGED;
        k->failed += ledger->status[r] == SW_RUN_ERROR;
    }
}

static int64_t ended(const struct status_shard *k) { return k->done + k->diverged + k->failed; }

static double modified(const char *file, bool folder)
{
    char *path = folder ? sw_files_name(file, ".d") : sw_strdup(file);
    struct stat s;
    double time = path && !stat(path, &s) ? (double)s.st_mtim.tv_sec + 1e-9 * (double)s.st_mtim.tv_nsec : 0;
    sw_free(path);
    return time;
}

/* `sweep merge` joins what is of one sweep. */
static bool is_foreign(const struct status_sweep *v, const struct status_shard *k)
{
    return *v->of.sweep_id && *k->of.sweep_id && !sw_results_of_one(&v->of, &k->of);
}

static void take_sweep(struct status_sweep *v, struct status_shard *k, const struct sw_results_of *of)
{
    k->of = *of;
    if (*v->of.sweep_id || !*of->sweep_id) return;
    v->of = *of;
    v->of_shard = (int)(k - v->shard) + 1;
}

static void call_foreign(const struct status_sweep *v, struct status_shard *k)
{
    k->state = STATUS_FOREIGN;
    k->done = k->diverged = k->failed = 0;
    k->part = 0;
    if (v->of_shard)
        snprintf(k->message, sizeof k->message, "of another sweep, %s; shard %d is of %s", k->of.sweep_id, v->of_shard,
                 v->of.sweep_id);
    else
        snprintf(k->message, sizeof k->message, "of another sweep, %s; this one is %s", k->of.sweep_id, v->of.sweep_id);
}

/* From the parts and the file. Not again while nothing has changed there. */
static enum sw_status read_shard(struct sw_cli *cli, struct status_sweep *v, const char *file, struct status_shard *k)
{
    struct sw_ledger *ledger = NULL;
    double written = modified(file, k->saw_folder);
    if (k->written > 0 && written == k->written) return SW_OK;
    enum sw_status st = cli_ledger_live(cli, file, &ledger);
    *k->message = 0;
    if (st) {
        snprintf(k->message, sizeof k->message, "%s", sw_err_message());
        return SW_OK;  /* the others are to be told of all the same */
    }
    take_counts(k, ledger);
    take_sweep(v, k, &ledger->of);
    if (!v->known && ledger->config_text && !is_foreign(v, k)) st = measure_stored(cli, v, ledger);
    k->has_file = ledger->has_file;
    k->has_parts = ledger->has_parts;
    k->written = written;
    sw_ledger_close(&ledger);
    return st;
}

/* What a running process says of itself: parts need not be read. */
static void take_running(struct status_shard *k)
{
    const struct sw_running *now = &k->now;
    if (!k->runs) k->runs = now->asked;
    k->diverged = now->was_failed + now->failed;
    k->failed = 0;
    k->done = now->was_done + now->was_failed + now->done - k->diverged;
    if (k->done < 0) k->done = 0;
    k->part = now->asked ? 1 - (1 - now->fraction) * (double)now->runs / (double)now->asked : 0;
    if (!(k->part >= 0)) k->part = 0;
}

static enum sw_status look_at(struct sw_cli *cli, struct status_sweep *v, const char *file, double now,
                              struct status_shard *k)
{
    static const enum status_state left[] = {[SW_LIFE_NOBODY] = STATUS_STOPPED, [SW_LIFE_SILENT] = STATUS_SILENT,
                                             [SW_LIFE_DIED] = STATUS_DIED};
    enum sw_life life = k->saw_folder ? sw_life_of(file, now, &k->now, &k->sign) : SW_LIFE_NOBODY;
    bool told = life == SW_LIFE_LIVES && k->now.asked > 0;
    if (k->state == STATUS_FOREIGN) *k->message = 0;
    if (!k->saw_folder && !k->saw_file) {
        k->has_file = k->has_parts = false;
        k->of = (struct sw_results_of){0};
    }
    else if (!told) SW_TRY(read_shard(cli, v, file, k));
    if (told && *k->now.of.sweep_id) take_sweep(v, k, &k->now.of);
    if (is_foreign(v, k)) {
        call_foreign(v, k);
        return SW_OK;
    }
    if (told) take_running(k);
    else k->part = k->runs ? (double)ended(k) / (double)k->runs : 0;
    if (life == SW_LIFE_LIVES) k->state = STATUS_RUNNING;
    else if (*k->message) k->state = STATUS_UNREADABLE;
    else if (k->has_file && !k->has_parts && ended(k) >= k->runs) k->state = STATUS_DONE;
    else if (k->has_file || k->has_parts || life != SW_LIFE_NOBODY) k->state = left[life];
    else k->state = STATUS_WAITING;
    if (k->state == STATUS_DONE) k->part = 1;
    return SW_OK;
}

static void sum_up(struct status_sweep *v)
{
    double speed = 0, longest = 0, left = 0;
    v->runs = v->done = v->diverged = v->failed = v->pending = 0;
    v->fraction = v->rate = 0;
    memset(v->count, 0, sizeof v->count);
    for (int j = 0; j < v->nshards; j++) {
        const struct status_shard *k = &v->shard[j];
        const double share = 1. / v->nshards;  /* of the cost: shards are cut so */
        v->count[k->state]++;
        v->runs += k->runs;
        v->done += k->done;
        v->diverged += k->diverged;
        v->failed += k->failed;
        v->pending += k->runs > ended(k) ? k->runs - ended(k) : 0;
        v->fraction += share * k->part;
        left += share * (1 - k->part);
        if (k->state != STATUS_RUNNING || !(k->now.eta > 0)) continue;
        speed += share * (1 - k->part) / k->now.eta;
        longest = fmax(longest, k->now.eta);
        if (k->now.rate > 0) v->rate += k->now.rate;
    }
    v->eta = left <= 0 || v->count[STATUS_DONE] == v->nshards ? 0 : speed > 0 ? fmax(left / speed, longest) : NAN;
}

enum sw_status status_sweep_look(struct sw_cli *cli, struct status_sweep *v)
{
    double now = sw_life_now(v->file, &v->by_files);
    for (int j = 0; j < v->nshards; j++)
        v->shard[j].saw_file = v->shard[j].saw_folder = false;
    SW_TRY(each_shard(v->file, note_shard, v));
    for (int j = 0; j < v->nshards; j++) {
        if (v->shard[j].state == STATUS_DONE && v->shard[j].written > 0) continue;  /* was read, and stays so */
        char *file = sw_shard_file(v->file, j + 1, v->nshards);
        enum sw_status st = file ? look_at(cli, v, file, now, &v->shard[j]) : SW_E_MEMORY;
        sw_free(file);
        SW_TRY(st);
    }
    status_queue(v);
    sum_up(v);
    return SW_OK;
}

/* ---- making and freeing */

enum sw_status status_sweep_find(const char *file, const struct cli_sweep *known, int nshards,
                                 struct status_sweep **sweep)
{
    struct submit_stored stored = {0};
    struct status_sweep *v = NULL;
    enum sw_status st = SW_OK;
    bool submitted = exists(file, ".jobs/arguments");
    *sweep = NULL;
    if (!nshards && speaks_for_itself(file)) return SW_OK;
    if (submitted) st = submit_stored_open(file, &stored);
    if (!st) st = choose_cut(file, submitted ? stored.cli->shards : 0, nshards, &nshards);
    if (!st && nshards) st = sw_alloc(1, &v);
    if (!st && v) st = sw_alloc((size_t)nshards, &v->shard);
    if (!st && v) {
        v->nshards = nshards;
        v->submitted = submitted;
        v->file = sw_strdup(file);
        for (int k = 0; k < nshards; k++) v->shard[k].state = STATUS_WAITING;
        if (!v->file) st = SW_FAIL(SW_E_MEMORY, "out of memory");
        else if (submitted) st = measure_submitted(v, &stored);
        else if (known) st = measure(v, known, NULL);
    }
    submit_stored_close(&stored, st);
    if (st) status_sweep_free(&v);
    *sweep = v;
    return st;
}

void status_sweep_free(struct status_sweep **sweep)
{
    if (!sweep || !*sweep) return;
    sw_free((*sweep)->shard);
    sw_free((*sweep)->file);
    sw_free(*sweep);
    *sweep = NULL;
}
