#include <math.h>
#include <string.h>

#include "output/gather.h"
#include "output/schema_hdf5.h"

static bool same_text(const char *a, const char *b) { return !strcmp(a ? a : "", b ? b : ""); }

static bool same_facts(const struct sw_facts *a, const struct sw_facts *b)
{
    if (a->runs != b->runs || a->dirty != b->dirty || a->noverride != b->noverride) return false;
    for (int k = 0; k < SW_FACTS; k++)
        if (!same_text(a->text[k], b->text[k])) return false;
    for (int k = 0; k < a->noverride; k++)
        if (!same_text(a->override[k], b->override[k])) return false;
    return same_text(a->config_text, b->config_text);
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Words are numbered in the order each table met them. */
static bool same_param(const struct sw_run_table *a, const struct sw_run_table *b, int k)
{
    const double *x = a->param + (size_t)k * (size_t)a->nruns, *y = b->param + (size_t)k * (size_t)b->nruns;
    if (!same_text(a->param_name[k], b->param_name[k]) || !a->nword[k] != !b->nword[k]) return false;
    for (int64_t j = 0; j < a->nruns; j++)
        if (!(a->nword[k] ? same_text(a->word[k][(int)x[j]], b->word[k][(int)y[j]]) : same_number(x[j], y[j])))
            return false;
    return true;
}

/* All arrays whole, in the one section they have. */
static bool is_complete(const struct sw_source *in)
{
    const struct sw_section *s = in->section;
    if (in->has_state || in->nsection > 1) return false;
    if (!in->nsection) return true;
    if (s->count != in->table->nruns || s->field_first || s->scalar_first) return false;
    for (int k = 0; k < s->nvar; k++)
        if (!sw_var_outputs(s, s->var[k].kind)) return false;
    return true;
}

/* Are the rows those of one input, one for one? What they hold, and their ids, came from there. */
static bool has_all_rows(const struct sw_gather *g, const struct sw_run_table *t, const int64_t *link, int input)
{
    const struct sw_run_table *from = g->input[input].table;
    if (t->nruns != from->nruns || t->nparam != from->nparam) return false;
    for (int64_t j = 0; j < t->nruns; j++) {
        const struct sw_link *l = &g->link[link[j]];
        if (l->input != input || l->row != j || l->before >= 0 || t->index[j] != from->index[j]) return false;
    }
    return true;
}

const char *sw_adopt_path(const struct sw_gather *g, const struct sw_run_table *t, const int64_t *link)
{
    int input = t->nruns ? g->link[link[0]].input : 0;
    const struct sw_source *in = &g->input[input];
    if (!t->nruns || !is_complete(in) || !has_all_rows(g, t, link, input)) return NULL;
    if (!same_facts(&t->own->facts, &in->table->own->facts)) return NULL;
    for (int k = 0; k < t->nparam; k++)
        if (!same_param(t, in->table, k)) return NULL;
    return in->path;
}
