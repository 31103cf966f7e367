/* Is the process that computes a file alive? On this machine the process table says so. Of a process on another
 * machine, which shares our file system, we see only when it last wrote FILE.d/status.json. The age of that file is
 * the difference of two times of the file system, its own and that of a new file, so the clocks of the machines do
 * not matter as long as the file system has a clock (NFS). Where clients stamp what they write, as on Lustre, the age
 * is an estimate. */
#include "store/files/sw_liveness.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_private.h"
#include "base/sw_process.h"
#include "base/sw_text.h"

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

static bool is_process_alive(const struct sw_status_file *now)
{
    double started = sw_process_started(now->pid);
    if (started < 0) return false;
    if (started > 0 && now->started > 0) return started == now->started;  /* else another process has its number */
    return now->pid > 0 && (kill((pid_t)now->pid, 0) == 0 || errno == EPERM);
}

/* Read the lock file, which says until there is a status: "process 123 on node07", and perhaps more after a comma. */
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
    if (is_this_host(status->host)) return is_process_alive(status) ? SW_LIVENESS_ALIVE : SW_LIVENESS_DEAD;
    if (update->age < -60) return SW_LIVENESS_SILENT;  /* written in the future: a clock is wrong */
    if (update->age < 0) update->age = 0;
    return update->age < (merging ? merge_silent_after : silent_after) ? SW_LIVENESS_ALIVE : SW_LIVENESS_SILENT;
}
