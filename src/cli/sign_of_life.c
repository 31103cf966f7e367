/* Is the process that computes a file alive? On this machine the process tells. Of one on another machine, which shares
 * our file system, we see only when it last wrote FILE.d/status.json: the age of that is taken between two times of the
 * file system, that file's and a new file's, so that the clocks of the machines do not come into it as long as the file
 * system has one of its own (NFS; where clients stamp what they write, as on Lustre, it is an estimate). */
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

#include "base/sw_text.h"
#include "cli/status.h"

/* A status is written at least every 20 s, but for the merge at the end, which is not interrupted for it. */
static const double silent_after = 120, merge_silent_after = 1800;

double cli_process_started(int64_t pid)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *from = fopen(path, "r");
    if (!from) return NAN;
    size_t length = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[length] = 0;
    char *p = strrchr(text, ')');  /* the second word, a name, may hold anything; the time is the 22nd */
    for (int k = 0; p && k < 20; k++) p = strchr(p + 1, ' ');
    return p ? strtod(p, NULL) : NAN;
}

static double time_of(const struct stat *s) { return (double)s->st_mtim.tv_sec + 1e-9 * (double)s->st_mtim.tv_nsec; }

double status_now(const char *file, bool *by_files)
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
    return *by_files ? time_of(&s) : (double)time(NULL);
}

static bool here(const char *host)
{
    char own[sizeof ((struct cli_running *)0)->host] = "";
    return !gethostname(own, sizeof own - 1) && !strcmp(own, host);
}

static bool lives(const struct cli_running *now)
{
    double started = cli_process_started(now->pid);
    if (started > 0 && now->started > 0) return started == now->started;  /* else another process has its number */
    return now->pid > 0 && (kill((pid_t)now->pid, 0) == 0 || errno == EPERM);
}

/* What the lock says until there is a status: "process 123 on node07", and perhaps more after a comma. */
static bool read_lock(const char *path, struct cli_running *now)
{
    char text[300];
    FILE *from = fopen(path, "r");
    *now = (struct cli_running){.started = NAN, .fraction = NAN, .rate = NAN, .eta = NAN};
    if (!from) return false;
    size_t length = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[length] = 0;
    long long pid;
    int at = 0;
    if (sscanf(text, "process %lld on %n", &pid, &at) < 1 || !at) return false;
    now->pid = pid;
    snprintf(now->host, sizeof now->host, "%.*s", (int)strcspn(text + at, ","), text + at);
    snprintf(now->phase, sizeof now->phase, "starting");
    return true;
}

enum cli_life status_life(const char *file, double now, struct cli_running *running, struct status_sign *sign)
{
    struct sw_text path = {0};
    struct stat s;
    bool found = cli_status_read(file, running);
    sw_text_printf(&path, "%s.d/%s", file, found ? "status.json" : "lock");
    if (!found) found = read_lock(sw_text_get(&path), running);
    found = found && !stat(sw_text_get(&path), &s);
    sw_text_free(&path);
    if (!found) { *sign = (struct status_sign){.age = NAN}; return CLI_NOBODY; }
    bool merging = !strcmp(running->phase, "merging"), changed = sign->time > 0 && sign->time != time_of(&s);
    sign->watched |= changed;
    if (changed || !(sign->time > 0)) sign->since = sw_clock();
    sign->time = time_of(&s);
    sign->age = sign->watched ? sw_clock() - sign->since : now - sign->time;
    if (here(running->host)) return lives(running) ? CLI_LIVES : CLI_DIED;
    if (sign->age < -60) return CLI_SILENT;  /* written in the future: a clock is wrong, and tells nothing */
    if (sign->age < 0) sign->age = 0;
    return sign->age < (merging ? merge_silent_after : silent_after) ? CLI_LIVES : CLI_SILENT;
}
