#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "store/merge/joined_file_hdf5.h"

/* The data group of the input that a slice is in; NULL: it has no arrays. */
static const struct sw_data_group *group_of_slice(const struct sw_catalog *c, int64_t slice)
{
    return sw_input_file_group(&c->input[c->slice[slice].input], c->slice[slice].row);
}

static int compare_points(const struct sw_data_group *a, const struct sw_data_group *b)
{
    for (int d = 0; d < SW_DIMS; d++)
        if (a->n[d] != b->n[d]) return a->n[d] < b->n[d] ? -1 : 1;
    return a->dim - b->dim;
}

static struct sw_joined_group *find_group(struct sw_joined_file *o, const struct sw_data_group *like)
{
    for (int k = 0; k < o->count; k++)
        if (!compare_points(&o->group[k].data_group, like)) return &o->group[k];
    return NULL;
}

static enum sw_status add_group(struct sw_joined_file *o, const struct sw_data_group *like)
{
    SW_TRY(sw_resize((size_t)o->count, (size_t)o->count + 1, &o->group));
    struct sw_data_group *s = &o->group[o->count++].data_group;
    s->numbered = like->numbered;
    s->columns = like->columns;
    s->dim = like->dim;
    memcpy(s->n, like->n, sizeof s->n);
    return SW_OK;
}

static int by_points(const void *a, const void *b)
{
    return compare_points(&((const struct sw_joined_group *)a)->data_group,
                          &((const struct sw_joined_group *)b)->data_group);
}

static enum sw_status count_rows(struct sw_joined_file *o, bool *named)
{
    for (int64_t row = 0; row < o->table->nruns; row++) {
        const struct sw_data_group *s = group_of_slice(o->catalog, o->slice[row]);
        if (!s) continue;
        *named |= s->name[0] != 0;
        if (!find_group(o, s)) SW_TRY(add_group(o, s));
        find_group(o, s)->data_group.count++;
    }
    *named |= o->count > 1;
    return SW_OK;
}

static void assign_rows(struct sw_joined_file *o)
{
    for (int k = 0; k < o->count; k++) o->group[k].data_group.count = 0;
    for (int64_t row = 0; row < o->table->nruns; row++) {
        const struct sw_data_group *s = group_of_slice(o->catalog, o->slice[row]);
        struct sw_joined_group *t = s ? find_group(o, s) : NULL;
        if (!t) continue;
        t->data_group.index[t->data_group.count] = o->table->index[row];
        t->slice[t->data_group.count++] = o->slice[row];
    }
}

/* One data group a number of points, rows in the table's order. */
static enum sw_status sort_rows(struct sw_joined_file *o)
{
    bool named = false;
    SW_TRY(count_rows(o, &named));
    if (o->count) qsort(o->group, (size_t)o->count, sizeof *o->group, by_points);
    for (int k = 0; k < o->count; k++) {
        struct sw_joined_group *t = &o->group[k];
        if (named) sw_shape_name(t->data_group.dim, t->data_group.n, t->data_group.name);
        SW_TRY(sw_alloc((size_t)t->data_group.count, &t->data_group.index));
        SW_TRY(sw_alloc((size_t)t->data_group.count, &t->slice));
    }
    assign_rows(o);
    return SW_OK;
}

static void extend(int64_t *length, int64_t end) { *length = *length > end ? *length : end; }

static enum sw_status add_vars(struct sw_data_group *to, const struct sw_data_group *from, bool ends)
{
    for (int k = 0; k < from->nvar; k++) {
        const struct sw_var *v = &from->var[k];
        struct sw_var *known = sw_data_group_var(to, v->name);
        if (!sw_var_outputs(from, v->kind) || (v->kind == SW_VAR_STATE && !ends)) continue;
        if (known) known->type = v->type;  /* the newest decides */
        else if (v->kind >= SW_VAR_SCALES)
            SW_TRY(sw_data_group_add(to, v->kind, v->type, v->name, v->unit, v->long_name));
    }
    return SW_OK;
}

/* Merge the values of an input's scale into that of the joined group, where NaN is not known yet.
 * @return true: they differ from the values that are there */
static bool merge_scale(double *to, const double *from, int64_t first, int64_t count)
{
    for (int64_t k = 0; from && k < count; k++) {
        if (isnan(to[first + k])) to[first + k] = from[k];
        if (to[first + k] != from[k]) return true;
    }
    return !from && count;
}

static enum sw_status alloc_nan(int64_t count, double **value)
{
    SW_TRY(sw_alloc((size_t)count, value));
    for (int64_t k = 0; k < count; k++) (*value)[k] = NAN;
    return SW_OK;
}

/* Number the data groups of all inputs one after another: first[input]; first[ninput] is how many there are. */
static enum sw_status number_data_groups(const struct sw_catalog *c, int **first)
{
    SW_TRY(sw_alloc((size_t)c->ninput + 1, first));
    for (int k = 0; k < c->ninput; k++) (*first)[k + 1] = (*first)[k] + c->input[k].ndata_group;
    return SW_OK;
}

static void mark_data_groups(const struct sw_joined_file *o, const struct sw_joined_group *t, const int *first,
                             bool *seen)
{
    for (int64_t row = 0; row < t->data_group.count; row++)
        for (int64_t l = t->slice[row]; l >= 0; l = o->catalog->slice[l].previous) {
            const struct sw_run_slice *k = &o->catalog->slice[l];
            int data_group = o->catalog->input[k->input].data_group_of[k->row];
            if (data_group >= 0) seen[first[k->input] + data_group] = true;
        }
}

/* Call use(o, t, data group) for each data group of an input that some row of t is in, old to new. */
static enum sw_status for_each_input_group(const struct sw_joined_file *o, struct sw_joined_group *t,
                                           enum sw_status (*use)(const struct sw_joined_file *o,
                                                                 struct sw_joined_group *t,
                                                                 const struct sw_data_group *s))
{
    const struct sw_catalog *c = o->catalog;
    bool *seen = NULL;
    int *first;
    SW_TRY(number_data_groups(c, &first));
    enum sw_status st = sw_alloc((size_t)first[c->ninput], &seen);
    if (!st) mark_data_groups(o, t, first, seen);
    for (int k = 0; k < c->ninput; k++)
        for (int s = 0; s < c->input[k].ndata_group && !st; s++)
            if (seen[first[k] + s]) st = use(o, t, &c->input[k].data_group[s]);
    sw_free(seen);
    sw_free(first);
    return st;
}

static enum sw_status add_shape(const struct sw_joined_file *o, struct sw_joined_group *t,
                                const struct sw_data_group *s)
{
    extend(&t->data_group.nfield, s->field_first + s->nfield);
    extend(&t->data_group.nscalar, s->scalar_first + s->nscalar);
    extend(&t->data_group.nhistory, s->nhistory);
    const bool ends = !o->catalog->drops_ends;
    const int64_t nstate = ends ? sw_data_group_whole_state(s) : 0;
    if (nstate && t->data_group.nstate && nstate != t->data_group.nstate)
        return SW_FAIL(SW_E_REFUSED, "the files hold states of different sizes (output.state); they cannot be joined");
    extend(&t->data_group.nstate, nstate);
    extend(&t->data_group.state_fields, ends ? s->state_fields : 0);
    extend(&t->data_group.state_behind, ends ? s->state_behind : 0);
    return add_vars(&t->data_group, s, ends);
}

static enum sw_status add_scales(const struct sw_joined_file *o, struct sw_joined_group *t,
                                 const struct sw_data_group *s)
{
    (void)o;
    for (int k = 0; k < SW_VAR_SCALES; k++) {
        if (!sw_scale_has_values(s, k) || (k >= SW_VAR_XC && !s->nfield)) continue;
        t->differs[k] |= merge_scale(t->data_group.scale[k], s->scale[k], sw_var_first(s, k), sw_scale_length(s, k));
    }
    return SW_OK;
}

static enum sw_status shape_group(const struct sw_joined_file *o, struct sw_joined_group *t)
{
    struct sw_data_group *s = &t->data_group;
    SW_TRY(for_each_input_group(o, t, add_shape));
    for (int k = 0; k < SW_VAR_SCALES; k++)
        if (sw_scale_has_values(s, k)) SW_TRY(alloc_nan(sw_scale_length(s, k), &s->scale[k]));
    SW_TRY(for_each_input_group(o, t, add_scales));
    for (int k = 0; k < SW_VAR_SCALES; k++) {
        if (!t->differs[k]) continue;
        sw_free(s->scale[k]);
        s->scale[k] = NULL;
        SW_TRY(sw_data_group_add_kind(s, k));
    }
    return SW_OK;
}

enum sw_status sw_joined_file_plan(struct sw_joined_file *o)
{
    SW_TRY(sort_rows(o));
    for (int k = 0; k < o->count; k++) SW_TRY(shape_group(o, &o->group[k]));
    return SW_OK;
}

/* Whether a variable is dropped: of fields also where their points and times are. */
static bool is_dropped(enum sw_var_kind kind, bool fields, bool scalars)
{
    if (kind == SW_VAR_SERIES || kind == SW_VAR_TS) return scalars;
    return fields && kind != SW_VAR_STATE && kind != SW_VAR_HISTORY;
}

static void drop_of_group(struct sw_data_group *s, bool fields, bool scalars)
{
    int kept = 0;
    for (int k = 0; k < s->nvar; k++) {
        const struct sw_var v = s->var[k];
        if (!is_dropped(v.kind, fields, scalars)) { s->var[kept++] = v; continue; }
        sw_free(v.name);
        sw_free(v.unit);
        sw_free(v.long_name);
    }
    s->nvar = kept;
    if (fields) s->nfield = 0;
    if (scalars) s->nscalar = 0;
}

void sw_joined_file_drop(struct sw_joined_file *o, const char *what)
{
    const bool fields = strstr(what, "fields"), scalars = strstr(what, "scalars");
    for (int k = 0; k < o->count; k++) drop_of_group(&o->group[k].data_group, fields, scalars);
}

void sw_joined_file_free(struct sw_joined_file *o)
{
    for (int k = 0; k < o->count; k++) {
        sw_data_group_free(&o->group[k].data_group);
        sw_free(o->group[k].slice);
    }
    sw_free(o->group);
    o->group = NULL;
    o->count = 0;
}
