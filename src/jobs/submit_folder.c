/* What lies in FILE.jobs: written, and read again. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "jobs/jobs_impl.h"
#include "output/sw_files.h"

char *jobs_inside(const char *folder, const char *name)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "%s/%s", folder, name);
    return sw_text_take(&text);
}

enum sw_status jobs_read(const char *path, struct sw_text *text)
{
    char bytes[4096];
    FILE *from = fopen(path, "r");
    if (!from) return sw_files_fail(path);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;) sw_text_add_bytes(text, bytes, n);
    bool bad = ferror(from);
    fclose(from);
    return bad ? sw_files_fail(path) : sw_text_status(text);
}

enum sw_status jobs_write(const char *folder, const char *name, const struct sw_text *text)
{
    char *path = jobs_inside(folder, name), *tmp = path ? sw_files_name(path, ".tmp") : NULL;
    enum sw_status st = tmp ? sw_text_status(text) : SW_E_MEMORY;
    if (!st) st = sw_files_make_parents(path);
    FILE *to = st ? NULL : fopen(tmp, "w");
    if (!st && (!to || fputs(sw_text_get(text), to) < 0)) st = sw_files_fail(tmp);
    if (to && st) fclose(to);
    else if (to) st = sw_files_end_text(to, tmp);
    if (!st) st = sw_files_commit(tmp);
    sw_free(path);
    sw_free(tmp);
    return st;
}

enum sw_status sw_submit_stored(const char *file, struct sw_text *words, char **config, bool *there)
{
    char *folder = sw_files_name(file, ".jobs"), *path = folder ? jobs_inside(folder, "arguments") : NULL;
    enum sw_status st = path && (*config = jobs_inside(folder, "sweep.cfg")) ? SW_OK : SW_E_MEMORY;
    const bool none = !st && access(path, F_OK);
    if (there) *there = !none;
    if (none && !there)
        st = SW_FAIL(SW_E_IO, "there is no %s: %s was not made by `sweep submit CONFIG`, or is elsewhere", path, file);
    if (!st && !none) st = jobs_read(path, words);
    sw_free(path);
    sw_free(folder);
    return st;
}

bool sw_submit_is_copy(const char *config)
{
    static const char end[] = ".jobs/sweep.cfg";
    const size_t length = strlen(config);
    return length >= sizeof end && !strcmp(config + length - (sizeof end - 1), end);
}
