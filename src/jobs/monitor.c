/* The shards of a sweep: which there are, and how many runs each has. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "jobs/jobs_impl.h"
#include "output/files.h"

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

enum sw_status monitor_each(const char *file, monitor_found *found, void *user)
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

bool sw_monitor_is_one(const char *file)
{
    char **part;
    int count;
    if (access(file, F_OK) == 0 || sw_files_parts(file, &part, &count)) return true;
    sw_files_free_list(&part, count);
    return count > 0 || exists(file, ".d/status.json");
}

/* @param submitted  into how many shards, 0: nobody said so */
static enum sw_status choose_cut(const char *file, int submitted, int wanted, int *nshards)
{
    struct cuts c = {.wanted = wanted};
    SW_TRY(monitor_each(file, note_cut, &c));
    *nshards = wanted ? wanted : submitted ? submitted : c.first;
    if (wanted && wanted != submitted && !c.there)
        return SW_FAIL(SW_E_USAGE, "--shards %d: there is no shard of %s that is one of %d", wanted, file, wanted);
    if (!wanted && !submitted && c.other)
        return SW_FAIL(SW_E_USAGE, "%s was cut in several ways: there are shards of %d and of %d; say which is meant "
                                   "with --shards N", file, c.first, c.other);
    return SW_OK;
}

/* ---- how many runs each has */

enum sw_status sw_monitor_measure(struct sw_monitor *m, const struct sw_sweep *sweep, const char *only)
{
    int64_t *run, *first;
    SW_TRY(sw_sweep_shares(sweep, only, m->nshards, &run, &first));
    for (int k = 0; k < m->nshards; k++) m->shard[k].runs = first[k + 1] - first[k];
    m->known = true;
    snprintf(m->of.sweep_id, sizeof m->of.sweep_id, "%s", sweep->id);
    snprintf(m->of.config_sha256, sizeof m->of.config_sha256, "%s", sweep->config->sha256);
    sw_free(run);
    sw_free(first);
    return SW_OK;
}

/* ---- making and freeing */

enum sw_status sw_monitor_find(const char *file, int submitted, int nshards, struct sw_monitor **monitor)
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
