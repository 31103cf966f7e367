/* Checks of a merge: what a file holds is compared with the table that it should have. A part may be the final file as
 * it is; a joined file is opened again before it takes its name: results are reported, and parts removed, only when the
 * file has every row, and every row its arrays. */
#include <string.h>

#include "base/sw_mem.h"
#include "store/hdf5/schema_hdf5.h"
#include "store/merge/merge_impl.h"
#include "sweep/sw_run_result.h"

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
static bool is_complete(const struct sw_input_file *in)
{
    const struct sw_data_group *s = in->data_group;
    if (in->has_state || in->ndata_group > 1) return false;
    if (!in->ndata_group) return true;
    if (s->count != in->table->nruns || s->field_first || s->scalar_first || s->piece_count) return false;
    for (int k = 0; k < s->nvar; k++)
        if (!sw_var_outputs(s, s->var[k].kind)) return false;
    return true;
}

/* Are the rows those of one input, one for one? What they hold, and their ids, came from there. */
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

const char *sw_promotable_part(const struct sw_catalog *c, const struct sw_run_table *t, const int64_t *slice)
{
    int input = t->nruns ? c->slice[slice[0]].input : 0;
    const struct sw_input_file *in = &c->input[input];
    if (!t->nruns || !is_complete(in) || !has_all_rows(c, t, slice, input)) return NULL;
    if (!same_metadata(&t->own->metadata, &in->table->own->metadata)) return NULL;
    for (int k = 0; k < t->nparam; k++)
        if (!same_param(t, in->table, k)) return NULL;
    return in->path;
}

/* ---- is the file what was written? */

static bool same_row(const struct sw_run_table *a, const struct sw_run_table *b, int64_t row)
{
    const struct sw_run_row x = sw_run_table_row(a, row), y = sw_run_table_row(b, row);
    return a->index[row] == b->index[row] && a->id[row] == b->id[row] && sw_run_row_same(&x, &y) &&
           !strcmp(a->message[row], b->message[row]);
}

/* Whether `to` has room for all outputs of a run whose last ones are in `from`, and the variables they are of. */
static bool has_arrays(const struct sw_data_group *to, const struct sw_data_group *from)
{
    if (!to || to->dim != from->dim || memcmp(to->n, from->n, sizeof to->n)) return false;
    for (int k = 0; k < from->nvar; k++) {
        const struct sw_var *v = &from->var[k];
        const int64_t end = sw_var_first(from, v->kind) + sw_var_outputs(from, v->kind);
        if (v->kind < SW_VAR_HISTORY || !sw_var_outputs(from, v->kind)) continue;
        if (!sw_data_group_var(to, v->name) || sw_var_outputs(to, v->kind) < end) return false;
    }
    return true;
}

static enum sw_status compare_tables(const struct sw_catalog *c, const struct sw_run_table *t, const int64_t *slice,
                                     const struct sw_input_file *written)
{
    const struct sw_run_table *w = written->table;
    if (w->nruns != t->nruns)
        return SW_FAIL(SW_E_IO, "%s has %lld rows, and should have %lld; its parts are kept", written->path,
                       (long long)w->nruns, (long long)t->nruns);
    for (int64_t row = 0; row < t->nruns; row++) {
        const struct sw_run_slice *last = &c->slice[slice[row]];
        const struct sw_data_group *from = sw_input_file_group(&c->input[last->input], last->row);
        if (same_row(w, t, row) && (!from || has_arrays(sw_input_file_group(written, row), from))) continue;
        return SW_FAIL(SW_E_IO, "%s: the row of run %lld is not what was written; its parts are kept", written->path,
                       (long long)t->index[row]);
    }
    return SW_OK;
}

enum sw_status sw_check_written_file(const struct sw_catalog *c, const struct sw_run_table *table, const int64_t *slice,
                                     const char *path)
{
    struct sw_input_file written;
    bool damaged;
    SW_TRY(sw_input_file_open(path, &written, &damaged));
    enum sw_status st = compare_tables(c, table, slice, &written);
    sw_input_file_free(&written);
    return st;
}

enum sw_status sw_check_inputs_unchanged(const struct sw_catalog *c)
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

/* The result of a run that was computed again is in a part; the result in FILE is older. */
static bool is_missing(const struct sw_catalog *c, const char *file, const struct sw_merge_options *o, int64_t run)
{
    const enum sw_expected what = (enum sw_expected)o->expected[run];
    if (what == SW_EXPECTED_NOT) return false;
    const struct sw_catalog_entry *f = sw_catalog_find(c, o->id[run]);
    if (!f || f->ended < 0) return true;
    return what == SW_EXPECTED_IN_PART && !strcmp(c->input[c->slice[f->ended].input].path, file);
}

enum sw_status sw_check_expected_runs(const struct sw_catalog *c, const char *file, const struct sw_merge_options *o)
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
