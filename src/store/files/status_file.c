/* FILE.d/status.json: how far a running sweep is. Small, replaced by rename every second and, later, every 20, gone at
 * the end; nothing but `sweep status` reads it, and no harm is done where it cannot be written. */
#include "store/files/sw_status_file.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_json.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "store/files/sw_files.h"

double sw_process_started(int64_t pid)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *from = fopen(path, "r");
    if (!from) return NAN;
    size_t length = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[length] = 0;
    /* the second word, a name, may hold anything; the third is the state, the 22nd the time */
    char *p = strrchr(text, ')');
    if (p && p[1] == ' ' && (p[2] == 'Z' || p[2] == 'X')) return -1;
    for (int k = 0; p && k < 20; k++) p = strchr(p + 1, ' ');
    return p ? strtod(p, NULL) : NAN;
}

static char *path_in_folder(const char *file, const char *name)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "%s.d/%s", file, name);
    return sw_text_take(&text);
}

/* What the file says, in its order. */
enum kind { COUNT, REAL, TEXT };
static const struct item { const char *name; enum kind kind; size_t at, room; } items[] = {
#define ITEM(name, kind, member) {name, kind, offsetof(struct sw_status_file, member), \
                                  sizeof ((struct sw_status_file *)0)->member}
    ITEM("pid", COUNT, pid),
    ITEM("host", TEXT, host),
    ITEM("phase", TEXT, phase),
    ITEM("updated", REAL, updated),
    ITEM("started", REAL, started),
    ITEM("asked", COUNT, asked),
    ITEM("was_done", COUNT, was_done),
    ITEM("was_failed", COUNT, was_failed),
    ITEM("points_steps", REAL, points_steps),
    ITEM("runs", COUNT, runs),
    ITEM("done", COUNT, done),
    ITEM("failed", COUNT, failed),
    ITEM("seconds", REAL, seconds),
    ITEM("fraction", REAL, fraction),
    ITEM("rate", REAL, rate),
    ITEM("eta", REAL, eta),
    ITEM("t", REAL, t),
    ITEM("end", REAL, end),
    ITEM("sweep_id", TEXT, identity.sweep_id),
    ITEM("config_sha256", TEXT, identity.config_sha256),
#undef ITEM
};
enum { ITEMS = sizeof items / sizeof *items };

static void write_json(FILE *to, const struct sw_status_file *now)
{
    struct sw_json j = {.to = to, .first = true};
    sw_json_begin(&j, NULL, '{');
    for (const struct item *i = items; i < items + ITEMS; i++) {
        const void *value = (const char *)now + i->at;
        switch (i->kind) {
        case COUNT: sw_json_count(&j, i->name, *(const int64_t *)value); break;
        case REAL: sw_json_real(&j, i->name, *(const double *)value); break;
        case TEXT: sw_json_text(&j, i->name, value); break;
        }
    }
    sw_json_end(&j, '}');
}

void sw_status_file_write(const char *file, const struct sw_status_file *now)
{
    struct sw_status_file all = *now;
    char *path = path_in_folder(file, "status.json"), *fresh = NULL;
    int fd = -1;
    FILE *to = path && !sw_private_file(path, &fd, &fresh) ? fdopen(fd, "w") : NULL;
    if (to) {
        all.pid = getpid();
        all.started = sw_process_started(all.pid);
        all.updated = (double)time(NULL);
        if (gethostname(all.host, sizeof all.host - 1)) all.host[0] = 0;
        write_json(to, &all);
        if (fclose(to) || rename(fresh, path)) unlink(fresh);
    } else if (fd >= 0) {
        close(fd);
        unlink(fresh);
    }
    sw_free(path);
    sw_free(fresh);
}

struct sw_run_counts sw_status_file_count(const struct sw_status_file *now)
{
    struct sw_run_counts n = {.done = now->was_done + now->done - now->failed,
                              .diverged = now->was_failed + now->failed};
    if (n.done < 0) n.done = 0;
    n.pending = now->asked - n.done - n.diverged;
    if (n.pending < 0) n.pending = 0;
    return n;
}

double sw_status_file_fraction(double fraction, int64_t computed, int64_t asked)
{
    return asked ? fmax(1 - (1 - fraction) * (double)computed / (double)asked, 0) : 0;
}

static double read_number(const char *text, const char *key)
{
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    return at && strncmp(at + strlen(quoted), "null", 4) ? strtod(at + strlen(quoted), NULL) : NAN;
}

static int64_t read_count(const char *text, const char *key)
{
    double value = read_number(text, key);
    return value >= 0 && value < 1e15 ? (int64_t)value : 0;
}

static void read_text(const char *text, const char *key, char *value, size_t room)
{
    char quoted[40];
    int n = snprintf(quoted, sizeof quoted, "\"%s\": \"", key);
    const char *at = strstr(text, quoted);
    snprintf(value, room, "%.*s", at ? (int)strcspn(at + n, "\"\n") : 0, at ? at + n : "");
}

/* Only what write_json() wrote needs to be understood. */
bool sw_status_file_read(const char *file, struct sw_status_file *now)
{
    char *path = path_in_folder(file, "status.json"), text[2048];
    const char *why;
    FILE *from = path ? sw_open_to_read(path, &why) : NULL;
    sw_free(path);
    *now = (struct sw_status_file){0};
    if (!from) return false;
    size_t length = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[length] = 0;
    if (!read_count(text, "pid")) return false;
    for (const struct item *i = items; i < items + ITEMS; i++) {
        void *value = (char *)now + i->at;
        switch (i->kind) {
        case COUNT: *(int64_t *)value = read_count(text, i->name); break;
        case REAL: *(double *)value = read_number(text, i->name); break;
        case TEXT: read_text(text, i->name, value, i->room); break;
        }
    }
    return true;
}

void sw_status_file_remove(const char *file)
{
    char *path = path_in_folder(file, "status.json"), *folder = path_in_folder(file, "");
    if (path) unlink(path);
    if (folder) sw_files_remove_empty(folder);
    sw_free(path);
    sw_free(folder);
}

/* ---- Is the process that computes a file alive? On this machine the process table and the lock say so. Of one on
 * another machine, which shares our file system, we see only when it last wrote FILE.d/status.json. The age of that is
 * the difference of two times of the file system, its own and that of a new file, so the clocks of the machines do
 * not matter as long as the file system has a clock (NFS). Where clients stamp what they write, as on Lustre, the age
 * is an estimate. */

/* A status is written at least every 20 s, but not during the merge at the end. */
static const double silent_after = 120, merge_silent_after = 1800;

static double modification_time(const struct stat *s)
{
    return (double)s->st_mtim.tv_sec + 1e-9 * (double)s->st_mtim.tv_nsec;
}

double sw_filesystem_time(const char *file, bool *by_files)
{
    struct sw_text name = {0};
    struct stat s;
    const char *slash = strrchr(file, '/');
    sw_text_printf(&name, "%.*s.sweep-status-XXXXXX", slash ? (int)(slash - file + 1) : 0, file);
    int fd = name.data ? mkstemp(name.data) : -1;
    *by_files = fd >= 0 && !fstat(fd, &s);
    if (fd >= 0) {
        close(fd);
        unlink(name.data);
    }
    sw_text_free(&name);
    return *by_files ? modification_time(&s) : (double)time(NULL);
}

static bool is_this_host(const char *host)
{
    char own[sizeof ((struct sw_status_file *)0)->host] = "";
    return !gethostname(own, sizeof own - 1) && !strcmp(own, host);
}

/* Its number may be another process's, later or in another container: with the time at which it started it is its own.
 * A process of another container has no number here, but holds the lock. */
static bool is_process_alive(const char *file, const struct sw_status_file *now)
{
    const double started = sw_process_started(now->pid);
    return (started > 0 && started == now->started) || sw_files_is_locked(file);
}

/* Read the lock file, which says until there is a status: "process 123 on node07", perhaps more after a comma, and on
 * a line of its own when the process started. */
static bool read_lock(const char *path, struct sw_status_file *now)
{
    char text[300];
    const char *why;
    FILE *from = sw_open_to_read(path, &why);
    *now = (struct sw_status_file){.started = NAN, .updated = NAN, .seconds = NAN, .fraction = NAN, .rate = NAN,
                                   .eta = NAN, .t = NAN, .end = NAN, .points_steps = NAN};
    if (!from) return false;
    size_t length = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[length] = 0;
    long long pid;
    int at = 0;
    if (sscanf(text, "process %lld on %n", &pid, &at) < 1 || !at) return false;
    now->pid = pid;
    snprintf(now->host, sizeof now->host, "%.*s", (int)strcspn(text + at, ",\n"), text + at);
    const char *line = strchr(text, '\n');
    if (line && line[1]) now->started = strtod(line + 1, NULL);
    snprintf(now->phase, sizeof now->phase, "starting");
    return true;
}

enum sw_liveness sw_liveness_of(const char *file, double now, struct sw_status_file *status,
                                struct sw_last_update *update)
{
    struct sw_text path = {0};
    struct stat s;
    bool found = sw_status_file_read(file, status);
    sw_text_printf(&path, "%s.d/%s", file, found ? "status.json" : "lock");
    if (!found) found = read_lock(sw_text_get(&path), status);
    found = found && !stat(sw_text_get(&path), &s);
    sw_text_free(&path);
    if (!found) { *update = (struct sw_last_update){.age = NAN}; return SW_LIVENESS_NONE; }
    bool merging = !strcmp(status->phase, "merging");
    bool changed = update->time > 0 && update->time != modification_time(&s);
    update->watched |= changed;
    if (changed || !(update->time > 0)) update->since = sw_clock();
    update->time = modification_time(&s);
    update->age = update->watched ? sw_clock() - update->since : now - update->time;
    if (is_this_host(status->host)) return is_process_alive(file, status) ? SW_LIVENESS_ALIVE : SW_LIVENESS_DEAD;
    if (update->age < -60) return SW_LIVENESS_SILENT;  /* written in the future: a clock is wrong */
    if (update->age < 0) update->age = 0;
    return update->age < (merging ? merge_silent_after : silent_after) ? SW_LIVENESS_ALIVE : SW_LIVENESS_SILENT;
}
