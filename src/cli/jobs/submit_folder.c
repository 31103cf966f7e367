/* What lies in FILE.jobs: written, and read again. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "cli/jobs/jobs_impl.h"
#include "store/files/sw_files.h"

char *jobs_inside(const char *folder, const char *name)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "%s/%s", folder, name);
    return sw_text_take(&text);
}

enum sw_status jobs_read(const char *path, struct sw_text *text)
{
    char bytes[4096];
    const char *why;
    FILE *from = sw_open_to_read(path, &why);
    if (!from) return SW_FAIL(SW_E_IO, "%s: %s", path, why);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;) sw_text_add_bytes(text, bytes, n);
    bool bad = ferror(from);
    fclose(from);
    return bad ? sw_files_fail(path) : sw_text_status(text);
}

enum sw_status jobs_write(const char *folder, const char *name, const struct sw_text *text)
{
    char *path = jobs_inside(folder, name), *tmp = NULL;
    int fd = -1;
    enum sw_status st = path ? sw_text_status(text) : SW_E_MEMORY;
    if (!st) st = sw_files_make_parents(folder);
    if (!st) st = sw_files_make_own_folder(folder);
    if (!st) st = sw_private_file(path, &fd, &tmp);
    FILE *to = st ? NULL : fdopen(fd, "w");
    if (!st && (!to || fputs(sw_text_get(text), to) < 0)) st = sw_files_fail(path);
    if (!to && fd >= 0) close(fd);
    if (to && st) fclose(to);
    else if (to) st = sw_files_end_text(to, path);
    if (!st) st = sw_files_move(tmp, path, NULL);
    if (st && tmp) unlink(tmp);
    sw_free(path);
    sw_free(tmp);
    return st;
}

enum sw_status sw_submit_stored(const char *file, struct sw_text *words, char **config, bool *there)
{
    char *folder = sw_files_name(file, ".jobs"), *path = folder ? jobs_inside(folder, "arguments") : NULL;
    enum sw_status st = path && (*config = jobs_inside(folder, "sweep.cfg")) ? SW_OK : SW_E_MEMORY;
    if (!st) st = sw_private_folder_check(folder);  /* what is in it becomes a command */
    const bool none = !st && sw_files_absent(path);
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
