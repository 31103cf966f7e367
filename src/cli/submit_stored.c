/* What a submission left in FILE.jobs, read again: its options and its config. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "cli/submit.h"
#include "results/files.h"

char *submit_inside(const char *folder, const char *name)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "%s/%s", folder, name);
    return sw_text_take(&text);
}

enum sw_status submit_read(const char *path, struct sw_text *text)
{
    char bytes[4096];
    FILE *from = fopen(path, "r");
    if (!from) return sw_files_fail(path);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;) sw_text_add_bytes(text, bytes, n);
    bool bad = ferror(from);
    fclose(from);
    return bad ? sw_files_fail(path) : sw_text_status(text);
}

/* "sweep submit CONFIG WORD..."; the words lie in text. */
static enum sw_status split(char *text, char *config, char ***argv, int *argc)
{
    size_t lines = 0;
    for (const char *p = text; *p; p++) lines += *p == '\n';
    SW_TRY(sw_alloc(lines + 4, argv));
    (*argv)[0] = "sweep";
    (*argv)[1] = "submit";
    (*argv)[2] = config;
    *argc = 3;
    for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
        *end = 0;
        (*argv)[(*argc)++] = p;
    }
    return SW_OK;
}

enum sw_status submit_stored_open(const char *file, struct submit_stored *stored)
{
    char *folder = sw_files_name(file, ".jobs"), *path = folder ? submit_inside(folder, "arguments") : NULL;
    int argc;
    enum sw_status st = path && (stored->config = submit_inside(folder, "sweep.cfg")) ? SW_OK : SW_E_MEMORY;
    if (!st && access(path, F_OK))
        st = SW_FAIL(SW_E_IO, "there is no %s: %s was not made by `sweep submit CONFIG`, or is elsewhere", path, file);
    if (!st) st = submit_read(path, &stored->words);
    if (!st) st = split(stored->words.data, stored->config, &stored->argv, &argc);
    if (!st) st = sw_cli_parse(argc, stored->argv, &stored->cli);
    sw_free(path);
    sw_free(folder);
    return st;
}

void submit_stored_close(struct submit_stored *stored, enum sw_status st)
{
    sw_cli_end(&stored->cli, st);
    sw_free(stored->argv);
    sw_free(stored->config);
    sw_text_free(&stored->words);
}
