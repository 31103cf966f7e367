/* What lies in FILE.jobs: written, and read again. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "cli/jobs.h"
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

/* ---- the options, one word a line, which the parser reads again */

static void add_given(const struct sw_cli *cli, struct sw_text *text)
{
    for (int k = 0; k < cli->ngiven; k++) {
        const struct cli_option *o = cli->given[k].option;
        if (!(o->commands & CLI_KEPT)) continue;
        if (o->letter) sw_text_printf(text, "-%c\n%s\n", o->letter, cli->given[k].value);
        else sw_text_printf(text, "--%s\n%s\n", o->name, cli->given[k].value);
    }
}

void stored_arguments_write(const struct sw_cli *cli, struct sw_text *text)
{
    add_given(cli, text);
    if (cli->job.npassed) sw_text_add(text, "--\n");
    for (int k = 0; k < cli->job.npassed; k++) sw_text_printf(text, "%s\n", cli->job.passed[k]);
}

/* Put options that are given anew behind the stored ones, of which they take the place, and before what is passed on to
 * sbatch, which stands behind "--". */
static void add_anew(struct sw_text *words, const struct sw_cli *anew)
{
    struct sw_text all = {0};
    const char *stored = sw_text_get(words), *dashes = !strncmp(stored, "--\n", 3) ? stored : strstr(stored, "\n--\n");
    if (dashes && dashes > stored) dashes++;
    sw_text_add_bytes(&all, stored, dashes ? (size_t)(dashes - stored) : words->length);
    if (anew->job.npassed) stored_arguments_write(anew, &all);
    else {
        add_given(anew, &all);
        sw_text_add(&all, dashes ? dashes : "");
    }
    sw_text_free(words);
    *words = all;
}

/* "sweep submit CONFIG WORD..."; the words lie in text. */
static enum sw_status split_lines(struct stored_arguments *stored, int *argc)
{
    char *text = stored->words.data;
    size_t lines = 0;
    if (!text)
        return SW_FAIL(SW_E_USAGE, "the file `arguments` beside %s is missing: remove the folder and submit again",
                       stored->config);
    for (const char *p = text; *p; p++) lines += *p == '\n';
    SW_TRY(sw_alloc(lines + 4, &stored->argv));
    stored->argv[0] = "sweep";
    stored->argv[1] = "submit";
    stored->argv[2] = stored->config;
    *argc = 3;
    for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
        *end = 0;
        stored->argv[(*argc)++] = p;
    }
    return SW_OK;
}

/* @param there  out: whether it was submitted; NULL: that it was not is a failure */
static enum sw_status read_words(const char *file, struct stored_arguments *stored, bool *there)
{
    char *folder = sw_files_name(file, ".jobs"), *path = folder ? jobs_inside(folder, "arguments") : NULL;
    enum sw_status st = path && (stored->config = jobs_inside(folder, "sweep.cfg")) ? SW_OK : SW_E_MEMORY;
    if (!st) st = sw_private_folder_check(folder);  /* what is in it becomes a command */
    const bool none = !st && sw_files_absent(path);
    if (there) *there = !none;
    if (none && !there)
        st = SW_FAIL(SW_E_IO, "there is no %s: %s was not made by `sweep submit CONFIG`, or is elsewhere", path, file);
    if (!st && !none) st = jobs_read(path, &stored->words);
    sw_free(path);
    sw_free(folder);
    return st;
}

enum sw_status stored_arguments_read(const char *file, const struct sw_cli *anew, bool needed,
                                     struct stored_arguments *stored)
{
    bool there = true;
    int argc = 0;
    SW_TRY(read_words(file, stored, needed ? NULL : &there));
    if (!there) return SW_OK;
    if (anew && stored->words.data) add_anew(&stored->words, anew);
    SW_TRY(sw_text_status(&stored->words));
    SW_TRY(split_lines(stored, &argc));
    return sw_cli_parse(argc, stored->argv, &stored->cli);
}

void stored_arguments_free(struct stored_arguments *stored)
{
    cli_free(&stored->cli);
    sw_free(stored->argv);
    sw_free(stored->config);
    sw_text_free(&stored->words);
}
