/* Pictures are drawn, and pages written, by plot.py (h5py, matplotlib), which is beside the program or in
 * PREFIX/share/sweep. It knows nothing of checksums: the file is compared with them before. Its package pysweep reads
 * the file; in the repository that is a link to python/pysweep. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/signals.h"
#include "store/files/sw_files.h"
#include "store/merge/sw_merge.h"
#include "store/sw_verify.h"

/* The folder the program is in, "" if unknown. */
static void program_folder(char *path, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", path, room - 1);
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
}

/* Python imports what lies beside the script, before anything else of that name. */
static enum sw_status check_script(const char *script, const char *folder)
{
    static const char *const parts[] = {"", "/plot.py", "/sweep_plot", "/pysweep", "/pysweep/.."};
    const size_t length = strlen(script) - strlen("/plot.py");
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        struct sw_text path = {0};
        sw_text_printf(&path, "%.*s%s", (int)length, script, parts[k]);
        enum sw_status st = sw_text_status(&path);
        if (!st) st = sw_private_code_check(sw_text_get(&path), program);
        sw_text_free(&path);
        if (!st) continue;
        struct sw_err_kept why = {0};
        sw_err_keep(&why, st);
        return SW_FAIL(st, "%s; it was found from the program in %s: if it is yours, set SWEEP_SHARE to its folder",
                       why.message, folder);
    }
    return SW_OK;
}

static enum sw_status find_script(char *script, size_t room)
{
    static const char *const places[] = {"scripts/plot", "../share/sweep", "../scripts/plot", "../../scripts/plot"};
    const char *share = getenv("SWEEP_SHARE");
    char folder[3000];
    program_folder(folder, sizeof folder);
    if (share) {
        snprintf(script, room, "%s/plot.py", share);
        return access(script, R_OK) ? SW_FAIL(SW_E_IO, "SWEEP_SHARE: there is no %s", script) : SW_OK;
    }
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(script, room, "%s/%s/plot.py", folder, places[k]);
        if (access(script, R_OK) == 0) return check_script(script, folder);
    }
    return SW_FAIL(SW_E_IO,
                   "plot.py is neither in %s/scripts/plot nor in %s/../share/sweep; set SWEEP_SHARE to its folder",
                   folder, folder);
}

/* The distribution's python has the distribution's h5py and matplotlib; another one on the PATH may not. */
static const char *python_program(void)
{
    const char *own = getenv("SWEEP_PYTHON");
    if (own && *own) return own;
    return access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
}

/* Adds --name=value: a value of its own that begins with '-', such as the limits -1,1, would be taken for an option. */
static enum sw_status add_option(char **argument, int *count, const char *name, const char *value)
{
    struct sw_text joined = {0};
    if (!value) return SW_OK;
    sw_text_printf(&joined, "--%s=%s", name, value);
    argument[*count] = sw_text_take(&joined);
    if (!argument[*count]) return SW_FAIL(SW_E_MEMORY, "out of memory");
    (*count)++;
    return SW_OK;
}

static enum sw_status add_options(const struct sw_cli *cli, char **argument, int *count)
{
    const struct { const char *name, *value; } options[] = {
        {"kind", cli->kind}, {"of", cli->of},         {"run", cli->run},      {"time", cli->time},
        {"at", cli->at},     {"over", cli->over},     {"log", cli->log_axes}, {"xlim", cli->xlim},
        {"ylim", cli->ylim}, {"clim", cli->clim},     {"size", cli->size},    {"dpi", cli->dpi},
        {"style", cli->style}, {"where", cli->where}, {"output", cli->output},
    };
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        SW_TRY(add_option(argument, count, options[k].name, options[k].value));
    if (cli->verbose) argument[(*count)++] = (char *)"--verbose";
    return SW_OK;
}

static enum sw_status join_in(const char *folder, const char *file, char **part, int count,
                              struct sw_merge_summary *sum, int *joined)
{
    struct sw_text path = {0};
    struct sw_merge_options how = {.allow_missing = true, .summary = sum};
    sw_text_printf(&path, "%s/joined.h5", folder);
    enum sw_status st = sw_text_status(&path);
    if (!st) st = sw_merge((const char *const *)part, count, sw_text_get(&path), &how, NULL);
    if (!st && sw_files_absent(sw_text_get(&path)))
        st = SW_FAIL(SW_E_IO, "%s is not complete, and no run in its parts has ended yet", file);
    if (!st && (*joined = open(sw_text_get(&path), O_RDONLY)) < 0) st = sw_files_fail(sw_text_get(&path));
    if (!st) unlink(sw_text_get(&path));
    sw_text_free(&path);
    return st;
}

/* What there is of a sweep that has not ended: its parts, joined into a file that has no name any more when this
 * returns, so that none is left behind. @param joined  out: it, open; a program that is executed inherits it */
static enum sw_status join_parts(struct sw_cli *cli, const char *file, int *joined)
{
    const char *where = getenv("TMPDIR");
    struct sw_merge_summary sum = {0};
    struct sw_text folder = {0};
    char **part;
    int count;
    signals_catch();
    SW_TRY(sw_files_parts(file, &part, &count));
    sw_text_printf(&folder, "%s/sweep-plot-XXXXXX", where && *where ? where : "/tmp");
    enum sw_status st = sw_text_status(&folder);
    if (!st && !count) st = SW_FAIL_ERRNO(SW_E_IO, ENOENT, "%s", file);
    if (!st && !mkdtemp(folder.data)) st = sw_files_fail(folder.data);
    if (!st) {
        st = join_in(folder.data, file, part, count, &sum, joined);
        rmdir(folder.data);
    }
    if (!st) console_message(cli, "note     %s is not complete: this is of the %lld runs in its parts\n", file,
                             (long long)sum.runs);
    sw_files_free_list(&part, count);
    sw_text_free(&folder);
    return st;
}

/* What add_option() has made is not freed: the memory goes with this program, on success or not.
 * @param what  an option of plot.py, NULL: none */
static enum sw_status run_script(struct sw_cli *cli, const char *what)
{
    char script[4096], stored[32], *argument[24];
    const char *file = cli->argument[0];
    bool lost = false;
    int count = 0, joined = -1;
    SW_TRY(find_script(script, sizeof script));
    if (sw_files_absent(file)) SW_TRY(join_parts(cli, file, &joined));
    else if (access(file, R_OK)) return SW_FAIL_ERRNO(SW_E_IO, errno, "%s", file);
    else SW_TRY(sw_output_check(file, &lost));
    if (lost) console_message(cli, "warning: " SW_LOST_CHECKSUMS "\n", file);
    argument[count++] = (char *)python_program();
    argument[count++] = script;
    if (what) argument[count++] = (char *)what;
    SW_TRY(add_options(cli, argument, &count));
    snprintf(stored, sizeof stored, "/proc/self/fd/%d", joined);
    if (joined >= 0) SW_TRY(add_option(argument, &count, "stored", stored));
    argument[count++] = (char *)"--";
    argument[count++] = (char *)file;
    argument[count] = NULL;
    fflush(NULL);
    execvp(argument[0], argument);
    return SW_FAIL(SW_E_ABSENT,
                   "%s: %s; pictures need python3 with h5py and matplotlib (Debian: python3-h5py python3-matplotlib)",
                   argument[0], strerror(errno));
}

enum sw_status cmd_plot(struct sw_cli *cli) { return run_script(cli, NULL); }

enum sw_status cmd_report(struct sw_cli *cli) { return run_script(cli, "--report"); }
