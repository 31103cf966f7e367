#include <string.h>

#include "store/merge/merge_impl.h"
#include "store/hdf5/schema_hdf5.h"
#include "sweep/sw_run_result.h"

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
