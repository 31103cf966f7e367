/* A merge: what is refused, the joined file that is written or the part that becomes it, and what is checked before it
 * takes its name and the parts go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "store/catalog/part_index.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"
#include "store/files/sw_status_file.h"
#include "store/merge/joined_file_hdf5.h"
#include "store/merge/sw_merge.h"
#include "store/sw_verify.h"
#include "sweep/sw_run_result.h"

/* ---- what is refused */
static bool same_sweep(const struct sw_run_table *a, const struct sw_run_table *b)
{
    const struct sw_sweep_identity of_a = sw_run_table_identity(a), of_b = sw_run_table_identity(b);
    return sw_same_sweep(&of_a, &of_b);
}

static enum sw_status check_one_sweep(const struct sw_catalog *c)
{
    const struct sw_input_file *first = c->input;
    for (int k = 1; k < c->ninput; k++)
        if (!same_sweep(first->table, c->input[k].table))
            return SW_FAIL(SW_E_REFUSED, "%s (%s) and %s (%s) are of different sweeps: leave out what does not belong",
                           first->path,
                           first->table->sweep_id, c->input[k].path, c->input[k].table->sweep_id);
    for (int64_t j = 1; j < c->nselected; j++)
        if (c->selected[j].index == c->selected[j - 1].index)
            return SW_FAIL(SW_E_REFUSED, "run %lld is not the same in all of the files",
                           (long long)c->selected[j].index);
    return SW_OK;
}

/* A part that says it is of the sweep, and has an id that none of its runs has, is damaged. (One with checksums would
 * not have come so far.) @param met  [c->nentry] entries that are of the sweep */
static void find_strange_part(struct sw_catalog *c, const struct sw_sweep *sweep, const bool *met, const char *output)
{
    for (int k = 0; k < c->ninput && !c->unreadable; k++) {
        const struct sw_run_table *t = c->input[k].table;
        if (!strcmp(c->input[k].path, output) || strcmp(t->sweep_id, sweep->id)) continue;
        for (int64_t j = 0; j < t->nruns; j++)
            if (!met[sw_catalog_find(c, t->id[j]) - c->entry]) c->unreadable = 1 + k;
    }
}

/* Check that every run of the inputs is one of the sweep's; a run that is not would be lost. A shard has few runs, the
 * sweep many: the sweep's are searched for in the inputs. */
static enum sw_status check_all_wanted(struct sw_catalog *c, const struct sw_sweep *sweep, const char *output)
{
    int64_t strangers = c->nentry;
    bool *met;
    SW_TRY(sw_alloc((size_t)c->nentry, &met));
    for (int64_t j = 0; j < c->nselected; j++) {
        const struct sw_catalog_entry *f = sw_catalog_find(c, c->selected[j].id);
        if (!f || met[f - c->entry]) continue;
        met[f - c->entry] = true;
        strangers--;
    }
    if (strangers) find_strange_part(c, sweep, met, output);
    sw_free(met);
    if (!strangers) return SW_OK;
    if (c->unreadable)
        return SW_FAIL(SW_E_IO, "%s is damaged: it says that it is of this sweep, and holds a run that is not",
                       c->input[c->unreadable - 1].path);
    return SW_FAIL(SW_E_REFUSED, "%s holds %lld runs that are not of this sweep; use -o FILE or --force", output,
                   (long long)strangers);
}

/* Indices 0 .. runs-1 that have no row in the table. */
static enum sw_status check_complete(const struct sw_catalog *c, const struct sw_run_table *t, const char *output)
{
    struct sw_text list = {0}, shards = {0};
    int64_t missing = t->sweep_runs - t->nruns, next = 0;
    if (missing <= 0) return SW_OK;
    for (int64_t j = 0; j <= t->nruns; j++) {
        int64_t index = j < t->nruns ? t->index[j] : t->sweep_runs;
        if (index > next) sw_run_ranges_add(&list, next, index - 1);
        next = index + 1;
    }
    if (list.length > 200) sw_text_add(&list, ", ...");
    sw_shards_describe_missing(c, &shards);
    SW_FAIL(SW_E_REFUSED, "%s would lack %lld of %lld runs: %s%s", output, (long long)missing,
            (long long)t->sweep_runs, sw_text_get(&list), sw_text_get(&shards));
    sw_text_free(&list);
    sw_text_free(&shards);
    return SW_E_REFUSED;
}

/* ---- is a part the final file as it is? */

static bool same_text(const char *a, const char *b) { return !strcmp(a ? a : "", b ? b : ""); }

static bool same_metadata(const struct sw_metadata *a, const struct sw_metadata *b)
{
    if (a->runs != b->runs || a->dirty != b->dirty || a->noverride != b->noverride) return false;
    for (int k = 0; k < SW_METADATA_COUNT; k++)
        if (!same_text(a->text[k], b->text[k])) return false;
    for (int k = 0; k < a->noverride; k++)
        if (!same_text(a->override[k], b->override[k])) return false;
    return same_text(a->config_text, b->config_text);
}

/* Words are numbered in the order each table met them. */
static bool same_param(const struct sw_run_table *a, const struct sw_run_table *b, int k)
{
    const double *x = a->param + (size_t)k * (size_t)a->nruns, *y = b->param + (size_t)k * (size_t)b->nruns;
    if (!same_text(a->param_name[k], b->param_name[k]) || !a->nword[k] != !b->nword[k]) return false;
    for (int64_t j = 0; j < a->nruns; j++)
        if (!(a->nword[k] ? same_text(a->word[k][(int)x[j]], b->word[k][(int)y[j]]) : sw_same_number(x[j], y[j])))
            return false;
    return true;
}

/* All arrays whole, in the one data group they have. */
static bool is_complete(const struct sw_input_file *in, bool drops_ends)
{
    const struct sw_data_group *s = in->data_group;
    for (int k = 0; k < in->ndata_group && drops_ends; k++)
        if (s[k].nstate) return false;
    if (in->has_state || in->ndata_group > 1) return false;
    if (!in->ndata_group) return true;
    if (s->count != in->table->nruns || s->field_first || s->scalar_first || s->piece_count) return false;
    for (int k = 0; k < s->nvar; k++)
        if (!sw_var_outputs(s, s->var[k].kind)) return false;
    return true;
}

/* Whether the rows are those of one input, one for one: their results and ids came from there. */
static bool has_all_rows(const struct sw_catalog *c, const struct sw_run_table *t, const int64_t *slice, int input)
{
    const struct sw_run_table *from = c->input[input].table;
    if (t->nruns != from->nruns || t->nparam != from->nparam) return false;
    for (int64_t j = 0; j < t->nruns; j++) {
        const struct sw_run_slice *l = &c->slice[slice[j]];
        if (l->input != input || l->row != j || l->previous >= 0 || t->index[j] != from->index[j]) return false;
    }
    return true;
}

/* Find the input that is already what the final file of these rows would be: it has all of them and no others, each
 * from its first output to its last, and the same table and metadata. Its values may lie in another order.
 * @return its number, from 1 on; 0: none */
static int find_promotable_part(const struct sw_catalog *c, const struct sw_run_table *t, const int64_t *slice)
{
    int input = t->nruns ? c->slice[slice[0]].input : 0;
    const struct sw_input_file *in = &c->input[input];
    if (!t->nruns || !is_complete(in, c->drops_ends) || !has_all_rows(c, t, slice, input)) return 0;
    if (*sw_run_table_statistics(t)->text) return 0;  /* they are formed of all runs, as these are joined */
    if (!same_metadata(&t->own->metadata, &in->table->own->metadata)) return 0;
    for (int k = 0; k < t->nparam; k++)
        if (!same_param(t, in->table, k)) return 0;
    return 1 + input;
}

/* ---- is the file what was written?
 *
 * Of the table that was written the runs, their ids and a digest of each row are enough: the rest of it is let go
 * before the file is read, which takes as much memory again. */

static uint64_t row_digest(const struct sw_run_table *t, int64_t row)
{
    const struct sw_run_row numbers = sw_run_table_row(t, row);
    uint64_t digest = sw_run_row_digest(&numbers);
    for (const char *c = t->message[row]; *c; c++) digest = (digest ^ (unsigned char)*c) * 0x100000001b3u;  /* FNV-1a */
    return digest;
}

static enum sw_status form_digests(const struct sw_run_table *t, uint64_t **digest)
{
    SW_TRY(sw_alloc((size_t)t->nruns, digest));
    for (int64_t row = 0; row < t->nruns; row++) (*digest)[row] = row_digest(t, row);
    return SW_OK;
}

/* Whether `to` has room for all outputs of a run whose last ones are in `from`, and the variables they are of, but for
 * what is dropped. */
static bool has_arrays(const struct sw_data_group *to, const struct sw_data_group *from, const char *dropped)
{
    if (!to || to->dim != from->dim || memcmp(to->n, from->n, sizeof to->n)) return false;
    for (int k = 0; k < from->nvar; k++) {
        const struct sw_var *v = &from->var[k];
        if (strstr(dropped, v->kind == SW_VAR_FIELD ? "fields" : "scalars") && v->kind >= SW_VAR_SERIES) continue;
        const int64_t end = sw_var_first(from, v->kind) + sw_var_outputs(from, v->kind);
        if (v->kind < SW_VAR_HISTORY || !sw_var_outputs(from, v->kind)) continue;
        if (!sw_data_group_var(to, v->name) || sw_var_outputs(to, v->kind) < end) return false;
    }
    return true;
}

static enum sw_status compare_tables(const struct sw_catalog *c, const struct sw_run_table *t, const int64_t *slice,
                                     const uint64_t *digest, const struct sw_input_file *written)
{
    const struct sw_run_table *w = written->table;
    const struct sw_data_group *met_from = NULL, *met_to = NULL;  /* of the row before: most rows have them, too */
    if (w->nruns != t->nruns)
        return SW_FAIL(SW_E_IO, "%s has %lld rows, and should have %lld; its parts are kept", written->path,
                       (long long)w->nruns, (long long)t->nruns);
    for (int64_t row = 0; row < t->nruns; row++) {
        const struct sw_run_slice *last = &c->slice[slice[row]];
        const struct sw_data_group *from = sw_input_file_group(&c->input[last->input], last->row),
                                   *to = sw_input_file_group(written, row);
        const bool arrays = !from || (from == met_from && to == met_to) ||
                            has_arrays(to, from, sw_run_table_dropped(t));
        met_from = arrays ? from : NULL;
        met_to = to;
        if (w->index[row] == t->index[row] && w->id[row] == t->id[row] && row_digest(w, row) == digest[row] && arrays)
            continue;
        return SW_FAIL(SW_E_IO, "%s: the row of run %lld is not what was written; its parts are kept", written->path,
                       (long long)t->index[row]);
    }
    return SW_OK;
}

/* Open a file that is to become the final file and compare its rows with the table, and its arrays with those that the
 * slices lead to. Results are reported, and parts removed, only when it has every row, and every row its arrays.
 * @param digest  of each row of the table, which needs its runs and ids alone */
static enum sw_status check_written_file(const struct sw_catalog *c, const struct sw_run_table *table,
                                         const int64_t *slice, const uint64_t *digest, const char *path)
{
    struct sw_input_file written;
    bool damaged;
    SW_TRY(sw_input_file_open(path, &written, &damaged));
    enum sw_status st = compare_tables(c, table, slice, digest, &written);
    sw_input_file_free(&written);
    return st;
}

/* A file that is cut while it is open is read as zeros. @return SW_E_IO an input has changed since it was opened */
static enum sw_status check_inputs_unchanged(const struct sw_catalog *c)
{
    for (int k = 0; k < c->ninput; k++) {
        struct sw_file_version now;
        SW_TRY(sw_files_version(c->input[k].path, &now));
        if (!sw_files_same_version(&now, &c->input[k].version))
            return SW_FAIL(SW_E_IO, "%s was changed while it was read; nothing was joined, run the same command again",
                           c->input[k].path);
    }
    return SW_OK;
}

/* ---- what the caller knows to have ended */

/* A run that was computed again has its result in a part; that in FILE is older. */
static bool is_missing(const struct sw_catalog *c, const char *file, const struct sw_merge_options *o, int64_t run)
{
    const enum sw_expected what = (enum sw_expected)o->expected[run];
    if (what == SW_EXPECTED_NOT) return false;
    const struct sw_catalog_entry *f = sw_catalog_find(c, o->id[run]);
    if (!f || f->ended < 0) return true;
    return what == SW_EXPECTED_IN_PART && !strcmp(c->input[c->slice[f->ended].input].path, file);
}

/* Check that the runs are there that the options say have ended (expected).
 * @return SW_E_IO they are not: the message names them, and options->summary counts them */
static enum sw_status check_expected_runs(const struct sw_catalog *c, const char *file,
                                          const struct sw_merge_options *o)
{
    struct sw_text list = {0};
    int64_t missing = 0, first = -1;
    if (!o->expected) return SW_OK;
    for (int64_t run = 0; run <= o->sweep->nruns; run++) {
        const bool lacks = run < o->sweep->nruns && is_missing(c, file, o, run);
        missing += lacks;
        if (lacks && first < 0) first = run;
        if (lacks || first < 0) continue;
        sw_run_ranges_add(&list, first, run - 1);
        first = -1;
    }
    if (list.length > 200) sw_text_add(&list, ", ...");
    if (o->summary) o->summary->missing = missing;
    if (!missing) return SW_OK;
    SW_FAIL(SW_E_IO,
            "%s: the results of %lld run%s that had ended are gone (run%s %s): a file in %s.d/ is damaged or "
            "was removed",
            file, (long long)missing, missing == 1 ? "" : "s", missing == 1 ? "" : "s", sw_text_get(&list), file);
    sw_text_free(&list);
    return SW_E_IO;
}

/* ---- merging */
static enum sw_status write_safely(struct sw_catalog *c, struct sw_run_table *t, const int64_t *slice,
                                   const uint64_t *digest, const char *output)
{
    char *tmp = NULL;
    enum sw_status st = sw_files_make_parents(output);
    if (!st) st = sw_files_new(output, &tmp);
    if (!st) {
        st = sw_join_inputs(c, t, slice, tmp);
        sw_run_table_drop_values(t);
        sw_mem_trim();
        if (!st) st = check_inputs_unchanged(c);
        if (!st) st = check_written_file(c, t, slice, digest, tmp);
        if (!st) st = sw_files_move(tmp, output, NULL);
        if (st) unlink(tmp);
    }
    sw_free(tmp);
    return st;
}

/* A part has not been read back: a join reads all that it takes of it, and compares. */
static enum sw_status check_promoted(struct sw_catalog *c, int promoted)
{
    if (!c->input[promoted - 1].has_checksums) return SW_OK;  /* FILE itself, changed since or of an early build */
    const enum sw_status st = sw_files_read_back(c->input[promoted - 1].path);
    if (st == SW_E_IO && sw_err_cause() == SW_CAUSE_DAMAGED) c->unreadable = promoted;
    return st;
}

/* Promote a part that is already what the joined file would be, by renaming it; else write the joined file. */
static enum sw_status promote_or_write(struct sw_catalog *c, struct sw_run_table *t, const int64_t *slice,
                                       bool own_parts, const char *output)
{
    const int promoted = own_parts ? find_promotable_part(c, t, slice) : 0;
    const char *part = promoted ? c->input[promoted - 1].path : NULL;
    bool apart = true;  /* FILE.d/ may lead to another disk */
    uint64_t *digest;
    SW_TRY(form_digests(t, &digest));
    sw_catalog_drop_results(c);
    enum sw_status st = part ? check_written_file(c, t, slice, digest, part) : SW_OK;
    if (!st && part) st = check_promoted(c, promoted);
    if (st) goto done;
    if (part) st = sw_files_move(part, output, &apart);
    if (apart) st = write_safely(c, t, slice, digest, output);
done:
    sw_free(digest);
    return st;
}

static enum sw_status add_history(struct sw_run_table *t, const struct sw_provenance *provenance)
{
    struct sw_metadata metadata = t->own->metadata;
    if (!provenance || !provenance->command_line) return SW_OK;
    const enum sw_status st = sw_metadata_add_history(&metadata, provenance),
                         taken = sw_run_table_take_metadata(t, &metadata);
    return st ? st : taken;
}

static void summarize(const struct sw_run_table *t, struct sw_merge_summary *sum)
{
    sum->runs = t->nruns;
    for (int64_t k = 0; k < t->nruns; k++) sum->not_done += sw_run_table_status(t, k) != SW_RUN_DONE;
}

/* A run that failed may be computed again, and statistics are then formed anew of all runs. */
static bool any_failed(const struct sw_run_table *t)
{
    for (int64_t row = 0; row < t->nruns; row++)
        if (sw_run_table_status(t, row) == SW_RUN_ERROR) return true;
    return false;
}

/* A file that has all runs of the sweep, none of which failed, keeps the statistics alone of what the config says. */
static enum sw_status drop_what_is_not_kept(const struct sw_catalog *c, struct sw_run_table *t)
{
    const struct sw_statistics *what = sw_run_table_statistics(t);
    for (int k = 0; k < c->ninput; k++)
        if (*sw_run_table_dropped(c->input[k].table)) return sw_output_refuse_dropped(c->input[k].path);
    if (!what->what || t->nruns != t->sweep_runs || any_failed(t)) return SW_OK;
    return sw_run_table_set_dropped(t, what->drop_fields, what->drop_scalars);
}

/* A run that starts from the end of another needs that until it is done itself: where all above are, the ends go,
 * unless they were asked for. */
static bool needs_no_ends(const struct sw_run_table *t, const struct sw_sweep *sweep)
{
    if (!sweep || sweep->rungs == 1 || sweep->save_state) return false;
    for (int64_t row = 0; row < t->nruns; row++) {
        const int64_t above = sw_sweep_above(sweep, t->index[row]),
                      there = above < 0 ? -1 : sw_run_table_find(t, above);
        if (above >= 0 && (there < 0 || sw_run_table_status(t, there) != SW_RUN_DONE)) return false;
    }
    return true;
}

/* own_parts: the inputs are the output's parts, one of which may be promoted. */
static enum sw_status merge(struct sw_catalog *c, const char *output, bool own_parts, const struct sw_merge_options *o,
                            const struct sw_provenance *provenance)
{
    struct sw_run_table *table = NULL;
    struct sw_merge_summary sum = {0};
    int64_t *slice = NULL;
    SW_TRY(sw_catalog_select(c, o->sweep, o->id));
    if (o->run) c->nselected = o->nrun;
    for (int64_t k = 0; o->run && k < o->nrun; k++) c->selected[k] = c->selected[o->run[k]];  /* run[k] >= k */
    if (!o->run) SW_TRY(o->sweep ? check_all_wanted(c, o->sweep, output) : check_one_sweep(c));
    enum sw_status st = sw_catalog_table(c, true, o->sweep, &table, &slice);
    if (!st && !o->allow_missing) st = check_complete(c, table, output);
    if (!st) st = drop_what_is_not_kept(c, table);
    if (!st) st = add_history(table, provenance);
    if (!st) c->drops_ends = needs_no_ends(table, o->sweep);
    if (!st) summarize(table, &sum);
    if (!st && table->nruns) st = promote_or_write(c, table, slice, own_parts, output);
    if (!st && o->summary) {
        o->summary->runs = sum.runs;
        o->summary->not_done = sum.not_done;
    }
    sw_run_table_free(&table);
    sw_free(slice);
    return st;
}

/* Files of earlier builds do not say. */
static bool differ(const char *a, const char *b) { return a && b && *a && *b && strcmp(a, b); }

/* Warn about inputs that can be merged all the same. */
static void warn_inputs(const struct sw_catalog *c, struct sw_report *report)
{
    const struct sw_input_file *first = c->input;
    if (c->repeated)
        sw_report_add(report, SW_WARNING, NULL, 0, "%lld runs are in more than one of the files; the later file counts",
                      (long long)c->repeated);
    for (int k = 0; k < c->ninput; k++)
        if (c->input[k].lost_checksums)
            sw_report_add(report, SW_WARNING, NULL, 0, SW_LOST_CHECKSUMS, c->input[k].path);
    for (int k = 1; k < c->ninput; k++) {
        const struct sw_run_table *a = first->table, *b = c->input[k].table;
        const bool programs = strcmp(a->source, b->source), math = differ(a->math_library, b->math_library);
        if (!programs && !math) continue;
        sw_report_add(report, SW_WARNING, NULL, 0, "%s was computed by %s, %s by %s: numbers may differ in their last "
                      "digits from those of one %s; provenance lists all of them", first->path,
                      programs ? a->source : a->math_library, c->input[k].path,
                      programs ? b->source : b->math_library, programs ? "program" : "library and processor");
        return;
    }
}

static enum sw_status fail_with_resume_hint(const char *input, enum sw_status st)
{
    struct sw_text word = {0};
    struct sw_last_update update = {0};
    struct sw_status_file now;
    bool by_files;
    if (sw_liveness_of(input, sw_filesystem_time(input, &by_files), &now, &update) == SW_LIVENESS_ALIVE)
        return SW_FAIL(st, "%s is not there yet: process %lld on %s computes it; merge when it has ended", input,
                       (long long)now.pid, *now.host ? now.host : "this machine");
    sw_text_add_word(&word, input);
    SW_FAIL(st, "%s is not there, only its unfinished parts in %s.d: continue it by `sweep resume %s`, then merge",
            input, input, sw_text_get(&word));
    sw_text_free(&word);
    return st;
}

/* What to do about an input that could not be opened. */
static enum sw_status explain_unopened_input(const char *input, enum sw_status st)
{
    struct stat s;
    if (st != SW_E_IO) return st;
    if (!stat(input, &s) && S_ISDIR(s.st_mode))
        return SW_FAIL(st, "%s is a folder; a folder FILE.h5.d holds the unfinished parts of FILE.h5: continue it by "
                       "`sweep resume FILE.h5`, then merge FILE.h5", input);
    if (access(input, F_OK) && sw_files_has_folder(input)) return fail_with_resume_hint(input, st);
    if (sw_err_cause() != SW_CAUSE_DAMAGED) return st;
    return SW_FAIL(st, "%s; nothing was merged: copy the file once more, or remove it and compute it again",
                   sw_err_message());
}

static enum sw_status merge_locked(const char *const *input, int ninput, const char *output,
                                   const struct sw_merge_options *options, const struct sw_provenance *provenance)
{
    struct sw_catalog c = {0};
    enum sw_status st = sw_catalog_open_resolved(input, ninput, &c);
    if (st && c.unopened) st = explain_unopened_input(input[c.unopened - 1], st);
    if (!st) st = merge(&c, output, false, options, provenance);
    if (!st && options->report) warn_inputs(&c, options->report);
    sw_catalog_free(&c);
    return st;
}

static enum sw_status check_absent(const char *const *input, int ninput, const char *output,
                                   const struct sw_merge_options *options)
{
    if (sw_name_index(output, input, ninput) >= 0) return SW_OK;
    if (!options->overwrite && !sw_files_absent(output))
        return SW_FAIL(SW_E_REFUSED, "%s is there and is not among the files to merge; use --force or another name",
                       output);
    return sw_output_check_replaceable(output);
}

enum sw_status sw_merge(const char *const *input, int ninput, const char *output,
                        const struct sw_merge_options *options, const struct sw_provenance *provenance)
{
    struct sw_output_lock *lock;
    if (ninput < 1) return SW_FAIL(SW_E_ARG, "nothing to merge");
    if (options->summary) *options->summary = (struct sw_merge_summary){0};
    SW_TRY(check_absent(input, ninput, output, options));
    SW_TRY(sw_output_lock(output, &lock));
    enum sw_status st = check_absent(input, ninput, output, options);  /* another call may have finished meanwhile */
    if (!st) st = merge_locked(input, ninput, output, options, provenance);
    sw_output_unlock(&lock);
    return st;
}

/* Whether the newest chain of a run is to go on: not if the run is done elsewhere. */
static bool has_later_batch(const struct sw_catalog *c, const struct sw_catalog_entry *f)
{
    if (f->newest == f->ended) return false;
    if (f->ended < 0) return true;
    return c->slice[f->ended].status != SW_RUN_DONE;
}

/* Parts in chains that are to go on are still needed. @param needed  out: [c->ninput], free with sw_free() */
static enum sw_status find_needed(const struct sw_catalog *c, bool **needed)
{
    SW_TRY(sw_alloc((size_t)c->ninput, needed));
    for (int64_t j = 0; j < c->nentry; j++) {
        const struct sw_catalog_entry *f = &c->entry[j];
        for (int64_t l = has_later_batch(c, f) ? f->newest : -1; l >= 0; l = c->slice[l].previous)
            (*needed)[c->slice[l].input] = true;
    }
    return SW_OK;
}

/* A part that nobody can read is of no use once FILE has all runs of the sweep. */
static enum sw_status remove_parts(const struct sw_catalog *c, const bool *needed, const char *file, bool complete)
{
    enum sw_status st = SW_OK;
    bool any = false;
    for (int k = 0; k < c->ninput && !st; k++) {
        any |= needed[k];
        if (!needed[k] && strcmp(c->input[k].path, file)) st = sw_files_remove(c->input[k].path);
    }
    if (!any && !st) sw_part_index_remove(file);
    for (int k = 0; k < c->ndamaged && !st && complete; k++) st = sw_files_remove(c->damaged[k]);
    return st || !complete ? st : sw_files_remove_damaged(file);
}

/* Whether FILE came into being, or another one took its name, since the inputs were opened. */
static bool is_new(const struct sw_catalog *c, const char *file)
{
    struct sw_file_version now;
    if (sw_files_version(file, &now)) return false;
    return strcmp(c->input[0].path, file) || !sw_files_same_version(&c->input[0].version, &now);
}

/* A part may have been harmed while it was joined: then what is gone is named.
 * @return st, with its message, if none was, or the message says it already, or if FILE is joined and only what came
 *         after that failed */
static enum sw_status check_parts_again(const struct sw_catalog *old, const char *file,
                                        const struct sw_merge_options *o, enum sw_status st)
{
    struct sw_catalog c = {0};
    struct sw_err_kept kept = {0};
    sw_err_keep(&kept, st);
    const bool harmed =
        !is_new(old, file) && !sw_catalog_open_output(file, NULL, &c) && check_expected_runs(&c, file, o);
    sw_catalog_free(&c);
    return harmed && !old->unreadable ? SW_E_IO : sw_err_raise(&kept);
}

/* An input that opens, and whose arrays cannot be read: without it the part's runs are computed again. It keeps its
 * content under another name until FILE has all runs.
 * @return SW_E_IO, with what the join said and what came of it */
static enum sw_status set_damaged_part_aside(const struct sw_catalog *c, const char *file)
{
    struct sw_text why = {0};
    const char *part = c->input[c->unreadable - 1].path;
    sw_text_add(&why, sw_err_message());
    char *aside = NULL;
    if (!strcmp(part, file))
        SW_FAIL(SW_E_IO, "%s; the file is damaged: move it away, and the same command computes its runs again",
                sw_text_get(&why));
    else if (!sw_files_set_aside(part, &aside) && aside)
        SW_FAIL(SW_E_IO, "%s; put aside as %s, its results are lost", sw_text_get(&why), aside);
    sw_free(aside);
    sw_text_free(&why);
    return SW_E_IO;
}

enum sw_status sw_merge_parts(const char *file, const struct sw_merge_options *options,
                              const struct sw_provenance *provenance)
{
    struct sw_catalog c = {0};
    struct sw_merge_summary sum = {0};
    struct sw_merge_options how = *options;
    bool *needed = NULL;
    how.summary = &sum;
    enum sw_status st = sw_catalog_open_output(file, NULL, &c);
    if (!st) st = check_expected_runs(&c, file, &how);
    if (!st) st = find_needed(&c, &needed);
    bool parts = c.ninput && strcmp(c.input[c.ninput - 1].path, file);
    if (!st && parts && c.input[0].nsource) st = sw_output_refuse_virtual(file);
    if (!st && parts && *sw_run_table_dropped(c.input[0].table)) {  /* a kill has left them behind: FILE has all runs */
        summarize(c.input[0].table, &sum);
    } else if (!st && parts) {
        st = merge(&c, file, !options->keep_parts, &how, provenance);
        if (st == SW_E_IO && c.unreadable) st = set_damaged_part_aside(&c, file);
        if (st == SW_E_IO) st = check_parts_again(&c, file, &how, st);
        if (st == SW_E_IO && c.unreadable && !sum.missing) sum.missing = c.input[c.unreadable - 1].table->nruns;
    }
    const bool complete = how.sweep && sum.runs == how.sweep->nruns;
    if (!st && parts && !options->keep_parts) st = remove_parts(&c, needed, file, complete);
    if (options->summary) *options->summary = sum;
    sw_free(needed);
    sw_catalog_free(&c);
    return st;
}
