/* What is written is opened again before it takes its name: a result is told of, and its parts are removed, only when
 * the file that is to hold it has every row, and every row its arrays. */
#include <string.h>

#include "base/sw_mem.h"
#include "output/gather.h"
#include "output/target_hdf5.h"

static bool same_row(const struct sw_run_table *a, const struct sw_run_table *b, int64_t row)
{
    return a->index[row] == b->index[row] && a->id[row] == b->id[row] && sw_run_row_same(&a->row[row], &b->row[row]) &&
           !strcmp(a->message[row], b->message[row]);
}

/* Whether `to` has room for all outputs of a run whose last ones are in `from`, and the variables they are of. */
static bool has_arrays(const struct sw_section *to, const struct sw_section *from)
{
    if (!to || to->dim != from->dim || memcmp(to->n, from->n, sizeof to->n)) return false;
    if (to->nfield < from->field_first + from->nfield || to->nscalar < from->scalar_first + from->nscalar) return false;
    for (int k = 0; k < from->nvar; k++) {
        const struct sw_var *v = &from->var[k];
        if (v->kind >= SW_VAR_SERIES && sw_var_outputs(from, v->kind) && !sw_section_var(to, v->name)) return false;
    }
    return true;
}

static const struct sw_section *section_of(const struct sw_source *in, int64_t row)
{
    return in->section_of[row] < 0 ? NULL : &in->section[in->section_of[row]];
}

static enum sw_status compare(const struct sw_gather *g, const struct sw_run_table *t, const int64_t *link,
                              const struct sw_source *written)
{
    const struct sw_run_table *w = written->table;
    if (w->nruns != t->nruns)
        return SW_FAIL(SW_E_IO, "%s has %lld rows, and should have %lld; its parts are kept", written->path,
                       (long long)w->nruns, (long long)t->nruns);
    for (int64_t row = 0; row < t->nruns; row++) {
        const struct sw_section *from = sw_link_section(g, link[row]);
        if (same_row(w, t, row) && (!from || has_arrays(section_of(written, row), from))) continue;
        return SW_FAIL(SW_E_IO, "%s: the row of run %lld is not what was written; its parts are kept", written->path,
                       (long long)t->index[row]);
    }
    return SW_OK;
}

enum sw_status sw_written_check(const struct sw_gather *g, const struct sw_run_table *table, const int64_t *link,
                                const char *path)
{
    struct sw_source written;
    bool damaged;
    SW_TRY(sw_source_open(path, &written, &damaged));
    enum sw_status st = compare(g, table, link, &written);
    sw_source_free(&written);
    return st;
}

enum sw_status sw_inputs_check(const struct sw_gather *g)
{
    for (int k = 0; k < g->ninput; k++) {
        struct sw_file_mark now;
        SW_TRY(sw_files_mark(g->input[k].path, &now));
        if (!sw_files_same(&now, &g->input[k].mark))
            return SW_FAIL(SW_E_IO, "%s was changed while it was read; nothing was joined, run the same command again",
                           g->input[k].path);
    }
    return SW_OK;
}

/* ---- what the caller knows to have ended */

void sw_runs_add(struct sw_text *t, int64_t first, int64_t last)
{
    if (t->length > 200) return;
    sw_text_printf(t, "%s%lld", t->length ? ", " : "", (long long)first);
    if (last > first) sw_text_printf(t, "..%lld", (long long)last);
}

/* A run that was computed since is in a part; what FILE has of it is older. */
static bool is_missing(const struct sw_gather *g, const char *file, const struct sw_merge_options *o, int64_t run)
{
    const enum sw_expected what = (enum sw_expected)o->expected[run];
    if (what == SW_EXPECTED_NOT) return false;
    const struct sw_found *f = sw_gather_find(g, o->id[run]);
    if (!f || f->ended < 0) return true;
    return what == SW_EXPECTED_IN_PART && !strcmp(g->input[g->link[f->ended].input].path, file);
}

enum sw_status sw_expected_check(const struct sw_gather *g, const char *file, const struct sw_merge_options *o)
{
    struct sw_text list = {0};
    int64_t missing = 0, first = -1;
    if (!o->expected) return SW_OK;
    for (int64_t run = 0; run <= o->sweep->nruns; run++) {
        const bool lacks = run < o->sweep->nruns && is_missing(g, file, o, run);
        missing += lacks;
        if (lacks && first < 0) first = run;
        if (lacks || first < 0) continue;
        sw_runs_add(&list, first, run - 1);
        first = -1;
    }
    if (list.length > 200) sw_text_add(&list, ", ...");
    if (o->summary) o->summary->missing = missing;
    if (!missing) return SW_OK;
    SW_FAIL(SW_E_IO, "%s: the results of %lld run%s that had ended are gone (run%s %s): a file in %s.d/ is damaged or "
                     "was removed", file, (long long)missing, missing == 1 ? "" : "s", missing == 1 ? "" : "s",
            sw_text_get(&list), file);
    sw_text_free(&list);
    return SW_E_IO;
}
