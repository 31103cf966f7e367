#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "output/target_hdf5.h"

const struct sw_section *sw_link_section(const struct sw_gather *g, int64_t link)
{
    const struct sw_link *l = &g->link[link];
    const struct sw_source *in = &g->input[l->input];
    return in->section_of[l->row] < 0 ? NULL : &in->section[in->section_of[l->row]];
}

static int compare_points(const struct sw_section *a, const struct sw_section *b)
{
    for (int d = 0; d < SW_DIMS; d++)
        if (a->n[d] != b->n[d]) return a->n[d] < b->n[d] ? -1 : 1;
    return a->dim - b->dim;
}

static struct sw_target *find_target(struct sw_targets *o, const struct sw_section *like)
{
    for (int k = 0; k < o->count; k++)
        if (!compare_points(&o->target[k].section, like)) return &o->target[k];
    return NULL;
}

static enum sw_status add_target(struct sw_targets *o, const struct sw_section *like)
{
    SW_TRY(sw_resize((size_t)o->count, (size_t)o->count + 1, &o->target));
    struct sw_section *s = &o->target[o->count++].section;
    s->dim = like->dim;
    memcpy(s->n, like->n, sizeof s->n);
    return SW_OK;
}

static int by_points(const void *a, const void *b)
{
    return compare_points(&((const struct sw_target *)a)->section, &((const struct sw_target *)b)->section);
}

static enum sw_status count_rows(struct sw_targets *o, bool *named)
{
    for (int64_t row = 0; row < o->table->nruns; row++) {
        const struct sw_section *s = sw_link_section(o->g, o->link[row]);
        if (!s) continue;
        *named |= s->name[0] != 0;
        if (!find_target(o, s)) SW_TRY(add_target(o, s));
        find_target(o, s)->section.count++;
    }
    *named |= o->count > 1;
    return SW_OK;
}

static void put_rows(struct sw_targets *o)
{
    for (int k = 0; k < o->count; k++) o->target[k].section.count = 0;
    for (int64_t row = 0; row < o->table->nruns; row++) {
        const struct sw_section *s = sw_link_section(o->g, o->link[row]);
        struct sw_target *t = s ? find_target(o, s) : NULL;
        if (!t) continue;
        t->section.index[t->section.count] = o->table->index[row];
        t->link[t->section.count++] = o->link[row];
    }
}

/* One section a number of points, rows in the table's order. */
static enum sw_status sort_rows(struct sw_targets *o)
{
    bool named = false;
    SW_TRY(count_rows(o, &named));
    if (o->count) qsort(o->target, (size_t)o->count, sizeof *o->target, by_points);
    for (int k = 0; k < o->count; k++) {
        struct sw_target *t = &o->target[k];
        if (named) sw_shape_name(t->section.dim, t->section.n, t->section.name);
        SW_TRY(sw_alloc((size_t)t->section.count, &t->section.index));
        SW_TRY(sw_alloc((size_t)t->section.count, &t->link));
    }
    put_rows(o);
    return SW_OK;
}

struct sw_var *sw_section_var(const struct sw_section *s, const char *name)
{
    for (int k = 0; k < s->nvar; k++)
        if (!strcmp(s->var[k].name, name)) return &s->var[k];
    return NULL;
}

static void widen(int64_t *length, int64_t end) { *length = *length > end ? *length : end; }

static enum sw_status add_vars(struct sw_section *to, const struct sw_section *from)
{
    for (int k = 0; k < from->nvar; k++) {
        const struct sw_var *v = &from->var[k];
        struct sw_var *known = sw_section_var(to, v->name);
        if (!sw_var_outputs(from, v->kind)) continue;
        if (known) known->type = v->type;  /* the newest decides */
        else if (v->kind >= SW_VAR_STATE)
            SW_TRY(sw_section_add(to, v->kind, v->type, v->name, v->unit, v->long_name));
    }
    return SW_OK;
}

/* Put an input's scale values where they belong; true if something else is there already. NaN: not known yet. */
static bool put_scale(double *to, const double *from, int64_t first, int64_t count)
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

/* Number the sections of all inputs one after another: first[input]; first[ninput] is how many there are. */
static enum sw_status number_sections(const struct sw_gather *g, int **first)
{
    SW_TRY(sw_alloc((size_t)g->ninput + 1, first));
    for (int k = 0; k < g->ninput; k++) (*first)[k + 1] = (*first)[k] + g->input[k].nsection;
    return SW_OK;
}

static void mark_sections(const struct sw_targets *o, const struct sw_target *t, const int *first, bool *seen)
{
    for (int64_t row = 0; row < t->section.count; row++)
        for (int64_t l = t->link[row]; l >= 0; l = o->g->link[l].before) {
            const struct sw_link *k = &o->g->link[l];
            int section = o->g->input[k->input].section_of[k->row];
            if (section >= 0) seen[first[k->input] + section] = true;
        }
}

/* Call use(target, section) for each section of an input that some row of a target is in, old to new. */
static enum sw_status each_source(const struct sw_targets *o, struct sw_target *t,
                                  enum sw_status (*use)(struct sw_target *t, const struct sw_section *s))
{
    const struct sw_gather *g = o->g;
    bool *seen = NULL;
    int *first;
    SW_TRY(number_sections(g, &first));
    enum sw_status st = sw_alloc((size_t)first[g->ninput], &seen);
    if (!st) mark_sections(o, t, first, seen);
    for (int k = 0; k < g->ninput; k++)
        for (int s = 0; s < g->input[k].nsection && !st; s++)
            if (seen[first[k] + s]) st = use(t, &g->input[k].section[s]);
    sw_free(seen);
    sw_free(first);
    return st;
}

static enum sw_status add_shape(struct sw_target *t, const struct sw_section *s)
{
    widen(&t->section.nfield, s->field_first + s->nfield);
    widen(&t->section.nscalar, s->scalar_first + s->nscalar);
    if (s->nstate && t->section.nstate && s->nstate != t->section.nstate)
        return SW_FAIL(SW_E_REFUSED, "the files hold states of different sizes (output.state); they cannot be joined");
    widen(&t->section.nstate, s->nstate);
    return add_vars(&t->section, s);
}

static enum sw_status add_scales(struct sw_target *t, const struct sw_section *s)
{
    t->time_differs |= put_scale(t->section.time, s->time, s->field_first, s->nfield);
    t->time_s_differs |= put_scale(t->section.time_s, s->time_s, s->scalar_first, s->nscalar);
    for (int d = 0; d < s->dim && s->nfield; d++) t->x_differs[d] |= put_scale(t->section.x[d], s->x[d], 0, s->n[d]);
    return SW_OK;
}

static enum sw_status replace_scale(struct sw_target *t, double **scale, enum sw_var_kind kind, const char *name,
                                    const char *long_name)
{
    sw_free(*scale);
    *scale = NULL;
    return sw_section_add(&t->section, kind, SW_H5_DOUBLE, name, "1", long_name);
}

static enum sw_status shape_target(const struct sw_targets *o, struct sw_target *t)
{
    static const char *const own[SW_DIMS] = {"xc", "yc", "zc"};
    struct sw_section *s = &t->section;
    SW_TRY(each_source(o, t, add_shape));
    SW_TRY(alloc_nan(s->nfield, &s->time));
    SW_TRY(alloc_nan(s->nscalar, &s->time_s));
    for (int d = 0; d < s->dim; d++) SW_TRY(alloc_nan(s->n[d], &s->x[d]));
    SW_TRY(each_source(o, t, add_scales));
    if (t->time_differs) SW_TRY(replace_scale(t, &s->time, SW_VAR_T, "t", "time of saved fields"));
    if (t->time_s_differs) SW_TRY(replace_scale(t, &s->time_s, SW_VAR_TS, "t_s", "time of scalar series"));
    for (int d = 0; d < s->dim; d++)
        if (t->x_differs[d]) SW_TRY(replace_scale(t, &s->x[d], sw_scale_var(d), own[d], "space"));
    return SW_OK;
}

enum sw_status sw_targets_make(struct sw_targets *o)
{
    SW_TRY(sort_rows(o));
    for (int k = 0; k < o->count; k++) SW_TRY(shape_target(o, &o->target[k]));
    return SW_OK;
}

void sw_targets_free(struct sw_targets *o)
{
    for (int k = 0; k < o->count; k++) {
        sw_section_free(&o->target[k].section);
        sw_free(o->target[k].link);
    }
    sw_free(o->target);
    o->target = NULL;
    o->count = 0;
}
