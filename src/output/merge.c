#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "output/files.h"
#include "output/gather.h"
#include "output/sw_liveness.h"

/* ---- what is refused */
static bool same_sweep(const struct sw_run_table *a, const struct sw_run_table *b)
{
    const struct sw_sweep_identity of_a = sw_run_table_of(a), of_b = sw_run_table_of(b);
    return sw_same_sweep(&of_a, &of_b);
}

static enum sw_status check_one_sweep(const struct sw_gather *g)
{
    const struct sw_source *first = g->input;
    for (int k = 1; k < g->ninput; k++)
        if (!same_sweep(first->table, g->input[k].table))
            return SW_FAIL(SW_E_REFUSED, "%s (%s) and %s (%s) are of different sweeps: leave out what does not belong",
                           first->path,
                           first->table->sweep_id, g->input[k].path, g->input[k].table->sweep_id);
    for (int64_t j = 1; j < g->nwanted; j++)
        if (g->wanted[j].index == g->wanted[j - 1].index)
            return SW_FAIL(SW_E_REFUSED, "run %lld is not the same in all of the files", (long long)g->wanted[j].index);
    return SW_OK;
}

/* Every run of the inputs must be one of the sweep's, or it would be lost. Of a shard they are few, of the sweep many:
 * these are looked up among those. */
static enum sw_status check_all_wanted(const struct sw_gather *g, const char *output)
{
    int64_t strangers = g->nfound;
    bool *met;
    SW_TRY(sw_alloc((size_t)g->nfound, &met));
    for (int64_t j = 0; j < g->nwanted; j++) {
        const struct sw_found *f = sw_gather_find(g, g->wanted[j].id);
        if (!f || met[f - g->found]) continue;
        met[f - g->found] = true;
        strangers--;
    }
    sw_free(met);
    if (!strangers) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s holds %lld runs that are not of this sweep; use -o FILE or --force", output,
                   (long long)strangers);
}

/* Indices 0 .. runs-1 that have no row in the table. */
static enum sw_status check_complete(const struct sw_gather *g, const struct sw_run_table *t, const char *output)
{
    struct sw_text list = {0}, shards = {0};
    int64_t missing = t->sweep_runs - t->nruns, next = 0;
    if (missing <= 0) return SW_OK;
    for (int64_t j = 0; j <= t->nruns; j++) {
        int64_t index = j < t->nruns ? t->index[j] : t->sweep_runs;
        if (index > next) sw_runs_add(&list, next, index - 1);
        next = index + 1;
    }
    if (list.length > 200) sw_text_add(&list, ", ...");
    sw_shards_missing(g, &shards);
    SW_FAIL(SW_E_REFUSED, "%s would lack %lld of %lld runs: %s%s", output, (long long)missing,
            (long long)t->sweep_runs, sw_text_get(&list), sw_text_get(&shards));
    sw_text_free(&list);
    sw_text_free(&shards);
    return SW_E_REFUSED;
}

/* ---- merging */
static enum sw_status write_safely(struct sw_gather *g, const struct sw_run_table *t, const int64_t *link,
                                   bool as_virtual, const char *output)
{
    char *tmp = sw_files_name(output, ".tmp");
    if (!tmp) return SW_E_MEMORY;
    enum sw_status st = sw_files_make_parents(output);
    if (!st) {
        st = sw_join_write(g, t, link, as_virtual, tmp);
        if (!st) st = sw_inputs_check(g);
        if (!st) st = sw_written_check(g, t, link, tmp);
        if (!st) st = sw_files_keep(tmp);
        if (st) unlink(tmp);
    }
    sw_free(tmp);
    return st;
}

/* A part that is all there is to the result becomes it: what the writing cost is not paid again. */
static enum sw_status put_in_place(struct sw_gather *g, const struct sw_run_table *t, const int64_t *link,
                                   bool own_parts, bool as_virtual, const char *output)
{
    const char *part = own_parts ? sw_adopt_path(g, t, link) : NULL;
    bool apart = true;  /* FILE.d/ may lead to another disk */
    if (part) SW_TRY(sw_written_check(g, t, link, part));
    enum sw_status st = part ? sw_files_move(part, output, &apart) : SW_OK;
    return apart ? write_safely(g, t, link, as_virtual, output) : st;
}

static enum sw_status add_call(struct sw_run_table *t, const struct sw_provenance *provenance)
{
    struct sw_facts facts = t->own->facts;
    if (!provenance || !provenance->command_line) return SW_OK;
    enum sw_status st = sw_facts_add_history(&facts, provenance);
    sw_run_table_take_facts(t, &facts);
    return st;
}

static void summarize(const struct sw_run_table *t, struct sw_merge_summary *sum)
{
    sum->runs = t->nruns;
    for (int64_t k = 0; k < t->nruns; k++) sum->not_done += t->row[k].status != SW_RUN_DONE;
}

/* own_parts: the inputs are the output's parts, and may be used up. */
static enum sw_status merge(struct sw_gather *g, const char *output, bool own_parts, const struct sw_merge_options *o,
                            const struct sw_provenance *provenance)
{
    struct sw_run_table *table = NULL;
    int64_t *link = NULL;
    SW_TRY(sw_gather_want(g, o->sweep, o->id));
    SW_TRY(o->sweep ? check_all_wanted(g, output) : check_one_sweep(g));
    enum sw_status st = sw_gather_table(g, true, o->sweep, &table, &link);
    if (!st && !o->allow_missing) st = check_complete(g, table, output);
    if (!st) st = add_call(table, provenance);
    if (!st && table->nruns) st = put_in_place(g, table, link, own_parts, o->as_virtual, output);
    if (!st && o->summary) summarize(table, o->summary);
    sw_run_table_free(&table);
    sw_free(link);
    return st;
}

static bool among(const char *const *input, int ninput, const char *output)
{
    for (int k = 0; k < ninput; k++)
        if (!strcmp(input[k], output)) return true;
    return false;
}

static bool same_file(const char *a, const char *b)
{
    struct stat s, t;
    return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static enum sw_status check_output(const struct sw_gather *g, const char *output, bool as_virtual)
{
    for (int k = 0; as_virtual && k < g->ninput; k++)
        if (same_file(g->input[k].path, output))
            return SW_FAIL(SW_E_REFUSED, "%s would be a virtual file of itself; use another name after -o", output);
    return SW_OK;
}

/* Mostly 1024 files may be open at once; HDF5 does not tell a file that it may not open from one that is not there. */
enum { MANY_PARTS = 900 };

/* What is no reason to refuse, but should be known. */
static void remark(const struct sw_gather *g, bool as_virtual, struct sw_report *report)
{
    const struct sw_source *first = g->input;
    if (g->again)
        sw_report_add(report, SW_WARNING, NULL, 0, "%lld runs are in more than one of the files; the later file counts",
                      (long long)g->again);
    if (as_virtual && g->ninput > MANY_PARTS)
        sw_report_add(report, SW_WARNING, NULL, 0, "who reads the fields opens all %d files: raise `ulimit -n` above "
                      "that, or HDF5 reads NaN in place of the rest and says nothing", g->ninput);
    for (int k = 1; k < g->ninput; k++) {
        if (!strcmp(first->table->source, g->input[k].table->source)) continue;
        sw_report_add(report, SW_WARNING, NULL, 0, "%s was computed by %s, %s by %s: numbers may differ in their last "
                      "digits from those of one program; provenance lists all of them", first->path,
                      first->table->source, g->input[k].path, g->input[k].table->source);
        return;
    }
}

static enum sw_status advise_resume(const char *input, enum sw_status st)
{
    struct sw_text word = {0};
    struct sw_last_update sign = {0};
    struct sw_status_file now;
    bool by_files;
    if (sw_liveness_of(input, sw_filesystem_time(input, &by_files), &now, &sign) == SW_LIVENESS_ALIVE)
        return SW_FAIL(st, "%s is not there yet: process %lld on %s computes it; merge when it has ended", input,
                       (long long)now.pid, *now.host ? now.host : "this machine");
    sw_text_add_word(&word, input);
    SW_FAIL(st, "%s is not there, only what is not finished of it, %s.d: go on with it by `sweep resume %s`, then "
            "merge", input, input, sw_text_get(&word));
    sw_text_free(&word);
    return st;
}

/* What to do about an input that cannot be read. */
static enum sw_status advise(const char *const *input, int ninput, enum sw_status st)
{
    char text[1000];
    if (st != SW_E_IO) return st;
    snprintf(text, sizeof text, "%s", sw_err_message());
    for (int k = 0; k < ninput; k++) {
        struct stat s;
        const size_t length = strlen(input[k]);
        if (strncmp(text, input[k], length) || !strchr(": ", text[length])) continue;
        if (!stat(input[k], &s) && S_ISDIR(s.st_mode))
            return SW_FAIL(st, "%s is a folder; a folder FILE.h5.d holds what is not finished of FILE.h5: go on with "
                               "it by `sweep resume FILE.h5`, then merge FILE.h5", input[k]);
        if (access(input[k], F_OK) && sw_files_begun(input[k])) return advise_resume(input[k], st);
        if (strstr(text, "is a damaged HDF5 file"))
            return SW_FAIL(st, "%s; nothing was merged: copy the file once more, or remove it and compute it again",
                           text);
    }
    return st;
}

static enum sw_status merge_locked(const char *const *input, int ninput, const char *output,
                                   const struct sw_merge_options *options, const struct sw_provenance *provenance)
{
    struct sw_gather g = {0};
    enum sw_status st = advise(input, ninput, sw_gather_real(input, ninput, &g));
    if (!st) st = check_output(&g, output, options->as_virtual);
    if (!st) st = merge(&g, output, false, options, provenance);
    if (!st && options->report) remark(&g, options->as_virtual, options->report);
    sw_gather_free(&g);
    return st;
}

enum sw_status sw_merge(const char *const *input, int ninput, const char *output,
                        const struct sw_merge_options *options, const struct sw_provenance *provenance)
{
    struct sw_output_lock *lock;
    if (ninput < 1) return SW_FAIL(SW_E_ARG, "nothing to merge");
    if (!options->overwrite && !access(output, F_OK) && !among(input, ninput, output))
        return SW_FAIL(SW_E_REFUSED, "%s is there and is not among the files to merge; use --force or another name",
                       output);
    if (options->summary) *options->summary = (struct sw_merge_summary){0};
    if (!among(input, ninput, output)) SW_TRY(sw_output_check_replaceable(output));
    SW_TRY(sw_output_lock(output, &lock));
    enum sw_status st = merge_locked(input, ninput, output, options, provenance);
    sw_output_unlock(&lock);
    return st;
}

/* Whether the newest chain of a run is to go on: not if the run is done elsewhere. */
static bool goes_on(const struct sw_gather *g, const struct sw_found *f)
{
    if (f->newest == f->ended) return false;
    if (f->ended < 0) return true;
    const struct sw_link *l = &g->link[f->ended];
    return g->input[l->input].table->row[l->row].status != SW_RUN_DONE;
}

/* Parts in chains that are to go on are still needed. A part that nobody can read is of no use once FILE has all runs
 * of the sweep. */
static enum sw_status remove_parts(const struct sw_gather *g, const char *file, bool complete)
{
    bool *needed;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc((size_t)g->ninput, &needed));
    for (int64_t j = 0; j < g->nfound; j++) {
        const struct sw_found *f = &g->found[j];
        for (int64_t l = goes_on(g, f) ? f->newest : -1; l >= 0; l = g->link[l].before) needed[g->link[l].input] = true;
    }
    for (int k = 0; k < g->ninput && !st; k++)
        if (!needed[k] && strcmp(g->input[k].path, file)) st = sw_files_remove(g->input[k].path);
    for (int k = 0; k < g->ndamaged && !st && complete; k++) st = sw_files_remove(g->damaged[k]);
    sw_free(needed);
    return st || !complete ? st : sw_files_remove_aside(file);
}

enum sw_status sw_output_refuse_virtual(const char *file)
{
    struct sw_text word = {0};
    sw_text_add_word(&word, file);
    SW_FAIL(SW_E_REFUSED, "%s is virtual, and nothing can be added to it; make it a file of its own first: sweep merge "
                          "%s -o %s", file, sw_text_get(&word), sw_text_get(&word));
    sw_text_free(&word);
    return SW_E_REFUSED;
}

/* Whether FILE came into being, or another one took its name, since the inputs were opened. */
static bool is_new(const struct sw_gather *g, const char *file)
{
    struct sw_file_mark now;
    if (sw_files_mark(file, &now)) return false;
    return strcmp(g->input[0].path, file) || !sw_files_same(&g->input[0].mark, &now);
}

/* A part may have been harmed while it was joined: then what is gone is named.
 * @return st, with its message, if none was, or the message says it already, or if FILE is joined and only what came
 *         after that failed */
static enum sw_status look_again(const struct sw_gather *old, const char *file, const struct sw_merge_options *o,
                                 enum sw_status st)
{
    struct sw_gather g = {0};
    struct sw_err_kept kept = {0};
    sw_err_keep(&kept, st);
    const bool harmed = !is_new(old, file) && !sw_gather_output(file, NULL, &g) && sw_expected_check(&g, file, o);
    sw_gather_free(&g);
    return harmed && !old->unreadable ? SW_E_IO : sw_err_raise(&kept);
}

/* An input that opens, and whose arrays cannot be read: without it the part's runs are computed again. It keeps its
 * content under another name until FILE has all runs.
 * @return SW_E_IO, with what the join said and what came of it */
static enum sw_status put_aside(const struct sw_gather *g, const char *file)
{
    struct sw_text why = {0};
    const char *part = g->input[g->unreadable - 1].path;
    sw_text_add(&why, sw_err_message());
    char *aside = sw_files_name(part, SW_FILES_ASIDE);
    if (!strcmp(part, file))
        SW_FAIL(SW_E_IO, "%s; the file is damaged: move it away, and the same command computes its runs again",
                sw_text_get(&why));
    else if (aside && !sw_files_move(part, aside, NULL))
        SW_FAIL(SW_E_IO, "%s; put aside as %s, its results are lost", sw_text_get(&why), aside);
    sw_free(aside);
    sw_text_free(&why);
    return SW_E_IO;
}

enum sw_status sw_merge_parts(const char *file, const struct sw_merge_options *options,
                              const struct sw_provenance *provenance)
{
    struct sw_gather g = {0};
    struct sw_merge_summary sum = {0};
    struct sw_merge_options how = *options;
    how.summary = &sum;
    enum sw_status st = sw_gather_output(file, NULL, &g);
    if (!st) st = sw_expected_check(&g, file, &how);
    bool parts = g.ninput && strcmp(g.input[g.ninput - 1].path, file);
    if (!st && parts && g.input[0].npart) st = sw_output_refuse_virtual(file);
    if (!st && parts) {
        st = merge(&g, file, !options->keep_parts, &how, provenance);
        if (st == SW_E_IO && g.unreadable) st = put_aside(&g, file);
        if (st == SW_E_IO) st = look_again(&g, file, &how, st);
    }
    const bool complete = how.sweep && sum.runs == how.sweep->nruns;
    if (!st && parts && !options->keep_parts) st = remove_parts(&g, file, complete);
    if (options->summary) *options->summary = sum;
    sw_gather_free(&g);
    return st;
}
