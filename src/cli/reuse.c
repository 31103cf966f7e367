#include "cli/reuse.h"

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "store/catalog/sw_completed.h"
#include "store/files/sw_files.h"
#include "store/merge/sw_merge.h"

/* The last failure, at the line of the key. */
static enum sw_status fail_at_key(const struct sw_setting *reuse, enum sw_status st)
{
    struct sw_err_kept kept = {0};
    if (!st) return SW_OK;
    sw_err_keep(&kept, st);
    if (!reuse->line) return SW_FAIL(st, "%s: 'reuse': %s", reuse->file, kept.message);
    return SW_FAIL(st, "%s:%d: 'reuse': %s", reuse->file, reuse->line, kept.message);
}

/* Whether the output has runs or parts of them. A call that was killed before its first part leaves an empty folder. */
static bool is_begun(const char *file)
{
    struct sw_completed *there = NULL;
    if (!sw_files_absent(file)) return true;
    if (!sw_files_has_folder(file)) return false;
    const bool unreadable = sw_completed_open(file, NULL, &there) != SW_OK,
               begun = unreadable || there->has_parts || there->ncheckpoint || there->ndamaged;
    sw_completed_close(&there);
    return begun;
}

/* NULL: nothing is to be reused. */
static const struct sw_setting *find_reuse(const struct cli_sweep *s)
{
    const struct sw_setting *reuse = sw_config_find(s->sweep->config, "reuse");
    return reuse && reuse->kind == SW_SETTING_STRING && *reuse->text ? reuse : NULL;
}

/* A run of a ladder that is still to be computed needs the end of the one below, which the file may have left out. */
static enum sw_status check_ends(const struct cli_sweep *s, const struct sw_completed *completed, const char *file)
{
    for (int64_t k = 0; k < s->count; k++) {
        const int64_t run = s->run[k], below = sw_sweep_below(s->sweep, run);
        if (below < 0 || sw_completed_status(completed, s->id[run]) != SW_RUN_PENDING ||
            sw_completed_status(completed, s->id[below]) != SW_RUN_DONE ||
            sw_completed_has_end(completed, s->id[below]))
            continue;
        return SW_FAIL(SW_E_REFUSED, "run %lld starts from the end of run %lld, and %s does not keep it: leave `reuse` "
                       "out, or compute that file with output.state = true", (long long)run, (long long)below, file);
    }
    return SW_OK;
}

static enum sw_status look(const struct cli_sweep *s, const char *file, int64_t *runs)
{
    struct sw_completed *completed = NULL;
    SW_TRY(sw_completed_open(file, NULL, &completed));
    const struct sw_run_counts there = sw_completed_count(completed, s->id, s->run, s->count);
    enum sw_status st = SW_OK;
    *runs = s->count - there.pending;
    if (!completed->has_file)
        st = SW_FAIL(SW_E_REFUSED, completed->has_parts ? "%s is not finished: `sweep resume` continues it"
                                                        : "there is no file %s", file);
    else if (*runs) st = sw_completed_check_outputs(completed, file, s->sweep);
    if (!st && *runs) st = check_ends(s, completed, file);
    sw_completed_close(&completed);
    return st;
}

enum sw_status reuse_count(const struct sw_cli *cli, const struct cli_sweep *s, const char **from, int64_t *runs)
{
    const struct sw_setting *reuse = find_reuse(s);
    char *file;
    *from = NULL;
    if (!reuse || cli->force || is_begun(s->file)) return SW_OK;
    enum sw_status st = cli_input_path(reuse->text, &file);
    if (!st) st = look(s, file, runs);
    sw_free(file);
    *from = reuse->text;
    return fail_at_key(reuse, st);
}

enum sw_status reuse_runs(struct sw_cli *cli, const struct cli_sweep *s)
{
    const struct sw_merge_options options = {.allow_missing = true, .sweep = s->sweep, .id = s->id, .run = s->run,
                                             .nrun = s->count};
    const struct sw_provenance provenance = {.command_line = cli->command_line};
    const char *from;
    char *file;
    int64_t runs = 0;
    SW_TRY(reuse_count(cli, s, &from, &runs));
    if (!from && cli->force && find_reuse(s))
        console_message(cli, "note     --force computes all runs: 'reuse' takes none\n");
    if (!from) return SW_OK;
    if (!runs && s->count == s->sweep->nruns) {
        console_message(cli, "note     no run of %s is one of this sweep: all that decides numbers has to be the same, "
                        "and the values of the axes\n", from);
        return SW_OK;
    }
    SW_TRY(cli_input_path(from, &file));
    enum sw_status st = !runs ? SW_OK : sw_merge((const char *const *)&file, 1, s->file, &options, &provenance);
    sw_free(file);
    if (!st)
        console_message(cli, "reuse    %lld of %lld runs from %s\n", (long long)runs, (long long)s->count, from);
    return fail_at_key(sw_config_find(s->sweep->config, "reuse"), st);
}

/* ---- of a sweep that is refined: the runs of a later round */

static int64_t count_more(const struct cli_sweep *s, const struct sw_completed *completed,
                          const struct sw_completed *from)
{
    int64_t runs = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const uint64_t id = s->id[s->run[k]];
        runs += sw_completed_status(completed, id) == SW_RUN_PENDING && sw_completed_status(from, id) != SW_RUN_PENDING;
    }
    return runs;
}

/* What FILE holds stays, also where --only leaves it out. */
static enum sw_status add_runs(const struct sw_cli *cli, const struct cli_sweep *s, const char *from)
{
    const struct sw_provenance provenance = {.command_line = cli->command_line};
    const char *const input[] = {from, s->file};
    int64_t *all;
    SW_TRY(sw_alloc((size_t)s->sweep->nruns, &all));
    for (int64_t run = 0; run < s->sweep->nruns; run++) all[run] = run;
    const struct sw_merge_options options = {.allow_missing = true, .sweep = s->sweep, .id = s->id, .run = all,
                                             .nrun = s->sweep->nruns};
    const enum sw_status st = sw_merge(input, 2, s->file, &options, &provenance);
    sw_free(all);
    return st;
}

enum sw_status reuse_more(struct sw_cli *cli, const struct cli_sweep *s, const struct sw_completed *completed,
                          struct sw_output_lock **lock, int64_t *runs)
{
    const struct sw_setting *reuse = find_reuse(s);
    struct sw_completed *from = NULL;
    char *file;
    *runs = 0;
    if (cli->force || !completed->has_file || !reuse) return SW_OK;
    SW_TRY(cli_input_path(reuse->text, &file));
    enum sw_status st = sw_files_absent(file) ? SW_OK : sw_completed_open(file, NULL, &from);
    if (!st && from && from->has_file) *runs = count_more(s, completed, from);
    if (!st && *runs) st = sw_completed_check_outputs(from, file, s->sweep);
    if (!st && *runs) sw_output_unlock(lock);
    if (!st && *runs) st = add_runs(cli, s, file);
    if (!st && *runs)
        console_message(cli, "reuse    %lld of %lld runs from %s\n", (long long)*runs, (long long)s->count,
                        reuse->text);
    sw_completed_close(&from);
    sw_free(file);
    return fail_at_key(reuse, st);
}
