/* Lengthening writes the runs of a finished file as parts of a longer sweep that was stopped where the file ended: the
 * runs have their new ids, are pending, and have the outputs that both sweeps ask for and the states in which they
 * ended. The longer sweep goes on from these parts like from any checkpoint. Where a state is larger than a part may
 * be, and it is known which numbers of it are fields, parts have slabs of it, as ranks would have written them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "store/merge/joined_file_hdf5.h"
#include "store/merge/sw_lengthen.h"
#include "store/sw_part.h"

enum { PART_BYTES = 64 << 20 };    /* of states and of one output, in a part */

struct pair { int old_group, group; int64_t run, row; };  /* row: in the file's run table */

struct lengthening {
    const char             *file, *output;
    const struct sw_lengthen_desc *l;
    const struct sw_provenance *provenance;
    struct sw_input_file        in;
    struct sw_h5            h5;
    struct sw_group        *old_group, *group;
    int                     nold, ngroup;
    struct pair            *pair;  /* [l->count] by groups, then by run */
};

/* Runs with the same pair of groups. */
struct run_block {
    const struct sw_group   *old, *group;
    const struct sw_data_group *data_group;
    const struct pair       *pair;
    int64_t count;
    struct sw_part_slab slab;  /* that is read; ranks 0: whole grids   */
    int     nfield, nscalar;  /* outputs that are there already      */
    int    *field, *scalar;   /* [nfield], [nscalar]: which of old's */
};

/* ---- which runs go together */
static int by_group(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->old_group != y->old_group) return x->old_group - y->old_group;
    if (x->group != y->group) return x->group - y->group;
    return (x->run > y->run) - (x->run < y->run);
}

/* The groups of some runs, and of[run] for each of them. */
static enum sw_status sort_into_groups(const struct sw_sweep *sweep, const int64_t *run, int64_t count,
                                       struct sw_group **group, int *ngroup, int **of)
{
    int64_t *sorted = NULL;
    SW_TRY(sw_alloc((size_t)sweep->nruns, of));
    enum sw_status st = sw_alloc((size_t)count, &sorted);
    if (!st) {
        memcpy(sorted, run, (size_t)count * sizeof *run);
        qsort(sorted, (size_t)count, sizeof *sorted, sw_by_integer);
        st = sw_sweep_groups(sweep, sorted, count, group, ngroup);
    }
    for (int g = 0; !st && g < *ngroup; g++)
        for (int64_t k = 0; k < (*group)[g].count; k++) (*of)[(*group)[g].run[k]] = g;
    sw_free(sorted);
    return st;
}

static enum sw_status pair_up(struct lengthening *g)
{
    const struct sw_lengthen_desc *l = g->l;
    int *old_of = NULL, *of = NULL;
    enum sw_status st = sort_into_groups(l->old, l->old_run, l->count, &g->old_group, &g->nold, &old_of);
    if (!st) st = sort_into_groups(l->sweep, l->run, l->count, &g->group, &g->ngroup, &of);
    if (!st) st = sw_alloc((size_t)l->count, &g->pair);
    for (int64_t k = 0; !st && k < l->count; k++) {
        const int64_t row = sw_run_table_find(g->in.table, l->old_run[k]);
        if (row < 0) st = SW_FAIL(SW_E_IO, "%s has no run %lld", g->file, (long long)l->old_run[k]);
        else g->pair[k] = (struct pair){old_of[l->old_run[k]], of[l->run[k]], l->run[k], row};
    }
    if (!st) qsort(g->pair, (size_t)l->count, sizeof *g->pair, by_group);
    sw_free(old_of);
    sw_free(of);
    return st;
}

/* ---- what the file has to have */
/* Which of the old outputs the new ones up to the old end are; -1 of one that has no step, also right behind it, where
 * a batch that goes on looks for the next that has one. */
static enum sw_status match_outputs(const struct lengthening *g, const struct run_block *s, const char *key,
                                    const int64_t *old_step, int nold, const int64_t *step, int count, int **which,
                                    int *chosen)
{
    SW_TRY(sw_alloc((size_t)count, which));
    for (int k = 0, at = 0; k < count && step[k] <= s->old->steps; k++) {
        if (step[k] < 0) {
            (*which)[(*chosen)++] = -1;
            continue;
        }
        while (at < nold && old_step[at] < step[k]) at++;
        if (at == nold || old_step[at] != step[k])
            return SW_FAIL(SW_E_REFUSED,
                           "%s ends at step %lld of run %lld, and lacks an output at step %lld that %s "
                           "asks for: it can only be computed from the beginning; use -o FILE or --force",
                           g->file, (long long)s->old->steps, (long long)s->pair->run, (long long)step[k], key);
        (*which)[(*chosen)++] = at;
    }
    return SW_OK;
}

static enum sw_status check_quantities(const struct lengthening *g, const struct run_block *s,
                                       const struct sw_quantity *q, enum sw_h5_type type, const char *key)
{
    for (; q && q->name; q++) {
        const struct sw_var *v = sw_data_group_var(s->data_group, q->name);
        if (!v || v->type != type)
            return SW_FAIL(SW_E_REFUSED, "%s holds %s '%s'%s, which %s asks for; use -o FILE or --force", g->file,
                           v ? "in another precision" : "no", q->name, v ? "" : " before its end", key);
    }
    return SW_OK;
}

static enum sw_status check_block(const struct lengthening *g, struct run_block *s)
{
    const struct sw_run_table *t = g->in.table;
    const enum sw_h5_type type = g->l->sweep->single_fields ? SW_H5_SINGLE : SW_H5_DOUBLE;
    if (s->group->steps < s->old->steps)
        return SW_FAIL(SW_E_REFUSED,
                       "%s is longer than the config: run %lld took %lld steps there, and has %lld here; "
                       "use -o FILE or --force",
                       g->file, (long long)s->pair->run, (long long)s->old->steps, (long long)s->group->steps);
    for (int64_t k = 0; k < s->count; k++) {
        const struct sw_run_row row = sw_run_table_row(t, s->pair[k].row);
        if (row.status == SW_RUN_DONE && row.steps != s->old->steps && !row.stopped)
            return SW_FAIL(SW_E_IO, "%s: run %lld has other steps than its config says", g->file,
                           (long long)t->index[s->pair[k].row]);
    }
    SW_TRY(match_outputs(g, s, "output.fields", s->old->field_step, s->old->nfield, s->group->field_step,
                         s->group->nfield, &s->field, &s->nfield));
    SW_TRY(match_outputs(g, s, "output.scalars", s->old->scalar_step, s->old->nscalar, s->group->scalar_step,
                         s->group->nscalar, &s->scalar, &s->nscalar));
    if (s->nfield) SW_TRY(check_quantities(g, s, sw_sweep_fields(g->l->sweep, s->group), type, "output.fields"));
    if (s->nscalar) SW_TRY(check_quantities(g, s, g->l->sweep->scalar, SW_H5_DOUBLE, "output.scalars"));
    return SW_OK;
}

/* ---- reading rows of the file */
/* Points of a field that are read. */
static size_t points_of(const struct run_block *s)
{
    const struct sw_data_group *d = s->data_group;
    return (size_t)(s->slab.ranks ? sw_data_group_across(d) * s->slab.count : sw_points(d->n));
}

/* Output `output` of a variable for runs pair[0 .. count-1], into to[count][inner]: neighbours in one go. */
static enum sw_status read_rows(struct lengthening *g, const struct run_block *s, const char *name,
                                const struct pair *pair, int64_t count, int64_t output, char *to)
{
    const struct sw_var *v = sw_data_group_var(s->data_group, name);
    const bool field = v->kind == SW_VAR_FIELD;
    const size_t bytes = (field ? points_of(s) : (size_t)sw_var_inner(s->data_group, v->kind)) * sw_h5_size(v->type);
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    hid_t dataset = sw_h5_dataset(&g->h5, sw_data_group_path(s->data_group, name, path), &shape, &type);
    for (int64_t k = 0, next; k < count && !g->h5.status; k = next) {
        const int64_t row = g->in.row_of[pair[k].row];
        hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
        for (next = k + 1; next < count && g->in.row_of[pair[next].row] == row + next - k;) next++;
        const int rank = sw_var_start(s->data_group, v->kind, row, output, start);
        sw_var_size(s->data_group, v->kind, next - k, 1, size);
        if (field && s->slab.ranks) {
            start[rank - 1 - sw_data_group_axis(s->data_group)] = (hsize_t)s->slab.first;
            size[rank - 1 - sw_data_group_axis(s->data_group)] = (hsize_t)s->slab.count;
        }
        sw_h5_read(&g->h5, dataset, v->type, rank, start, size, to + (size_t)k * bytes);
    }
    sw_h5_dataset_close(dataset);
    return g->h5.status;
}

/* The slab of the state of a run. */
static enum sw_status read_slab_of_state(struct lengthening *g, const struct run_block *s, const struct pair *pair,
                                         double *state)
{
    const struct sw_data_group *d = s->data_group;
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    hid_t dataset = sw_h5_dataset(&g->h5, sw_data_group_path(d, "state_last", path), &shape, &type);
    int64_t count, here, there;
    for (int64_t k = 0; (count = sw_data_group_state_part(d, k, s->slab.first, s->slab.count, &here, &there)); k++) {
        const hsize_t start[] = {(hsize_t)g->in.row_of[pair->row], (hsize_t)there}, size[] = {1, (hsize_t)count};
        sw_h5_read(&g->h5, dataset, SW_H5_DOUBLE, 2, start, size, state + here);
    }
    sw_h5_dataset_close(dataset);
    return g->h5.status;
}

/* Numbers of a state that are read. */
static int64_t state_size(const struct run_block *s)
{
    return s->slab.ranks ? sw_data_group_state_of(s->data_group, s->slab.count) : s->data_group->nstate;
}

static enum sw_status read_states(struct lengthening *g, const struct run_block *s, const struct pair *pair,
                                  int64_t count, double **state)
{
    const int64_t size = state_size(s);
    SW_TRY(sw_alloc((size_t)(count * size), state));
    if (s->slab.ranks) SW_TRY(read_slab_of_state(g, s, pair, *state));
    else SW_TRY(read_rows(g, s, "state_last", pair, count, 0, (char *)*state));
    for (int64_t k = 0; k < count; k++) {
        bool any = false;  /* of a run that diverged it holds when */
        for (int64_t i = 0; i < size && !any; i++) any = !isnan((*state)[k * size + i]);
        if (!any)
            return SW_FAIL(SW_E_REFUSED,
                           "%s holds no state of run %lld, which was computed without output.state = "
                           "true; use -o FILE or --force",
                           g->file, (long long)g->in.table->index[pair[k].row]);
    }
    return SW_OK;
}

/* ---- writing parts */
static enum sw_status add_fields(struct lengthening *g, const struct run_block *s, const struct pair *pair,
                                 int64_t count, struct sw_part *part)
{
    const struct sw_quantity *fields = sw_sweep_fields(g->l->sweep, s->group);
    const size_t number = g->l->sweep->single_fields ? sizeof(float) : sizeof(double),
                 bytes = points_of(s) * number;
    size_t many = 0;
    char *block = NULL;
    while (s->nfield && fields[many].name) many++;
    enum sw_status st = sw_alloc((size_t)count * bytes * many + 1, &block);
    for (int k = 0; k < s->nfield && !st; k++) {
        const bool blank = s->field[k] < 0;
        for (size_t f = 0; f < many && !st && !blank; f++)
            st = read_rows(g, s, fields[f].name, pair, count, s->field[k], block + f * (size_t)count * bytes);
        if (!st) st = sw_part_add_field(part, blank ? NULL : block);
    }
    sw_free(block);
    return st;
}

static enum sw_status add_scalars(struct lengthening *g, const struct run_block *s, const struct pair *pair,
                                  int64_t count, struct sw_part *part)
{
    const struct sw_sweep *sweep = g->l->sweep;
    const struct sw_quantity *q = sweep->scalar;
    const int64_t many = s->nscalar ? sweep->nscalar : 0, built_in = many ? many - sweep->ndefined : 0;
    double *one = NULL, *all = NULL, *defined;
    enum sw_status st = sw_alloc((size_t)count, &one);
    if (!st) st = sw_alloc((size_t)(count * many), &all);
    defined = all + count * built_in;
    for (int k = 0; k < s->nscalar && !st; k++) {
        const bool blank = s->scalar[k] < 0;
        for (int64_t v = 0; v < many && !st && !blank; v++) {
            st = read_rows(g, s, q[v].name, pair, count, s->scalar[k], (char *)one);
            double *to = v < built_in ? all + v : defined + (v - built_in);
            for (int64_t j = 0; j < count; j++) to[j * (v < built_in ? built_in : many - built_in)] = one[j];
        }
        if (!st) st = sw_part_add_scalars(part, blank ? NULL : all, blank ? NULL : defined);
    }
    sw_free(one);
    sw_free(all);
    return st;
}

static enum sw_status write_part(struct lengthening *g, const struct run_block *s, const struct sw_part_desc *desc,
                                 const struct pair *pair, struct sw_run_result *result, double *state)
{
    struct sw_part *part;
    const int64_t count = desc->count;
    for (int64_t k = 0; k < count; k++) {
        const struct sw_run_row old = sw_run_table_row(g->in.table, pair[k].row);
        struct sw_run_row *row = &result[k].row;
        *row = sw_run_row_empty();
        row->steps = s->old->steps;
        row->t_reached = old.t_reached;
        row->wall_time = old.wall_time;
        row->time_step = old.time_step;
    }
    SW_TRY(sw_part_create(g->output, desc, g->provenance, &part));
    enum sw_status st = add_fields(g, s, pair, count, part);
    if (!st) st = add_scalars(g, s, pair, count, part);
    if (!st)
        return sw_part_commit(&part, result, &(struct sw_part_state){state, (size_t)state_size(s), s->old->steps,
                                                                     false});
    sw_part_abandon(&part);
    return st;
}

/* One part of runs pair[0 .. count-1] of a block. dry: only check that their states are there. */
static enum sw_status make_part(struct lengthening *g, const struct run_block *s, const struct pair *pair,
                                int64_t count, bool dry)
{
    struct sw_part_desc desc = {.sweep = g->l->sweep, .group = s->group, .count = (int)count, .slab = s->slab};
    struct sw_run_result *result = NULL;
    int64_t *run = NULL;
    uint64_t *id = NULL;
    double *state = NULL;
    enum sw_status st = sw_alloc((size_t)count, &run);
    if (!st) st = sw_alloc((size_t)count, &id);
    if (!st) st = sw_alloc((size_t)count, &result);
    for (int64_t k = 0; k < count && !st; k++) {
        run[k] = pair[k].run;
        id[k] = g->l->id[run[k]];
    }
    desc.run = run;
    desc.id = id;
    if (!st) st = read_states(g, s, pair, count, &state);
    if (!st && !dry) st = write_part(g, s, &desc, pair, result, state);
    sw_free(run);
    sw_free(id);
    sw_free(result);
    sw_free(state);
    return st;
}

/* A run in slabs, a part each. @param bytes  of the run */
static enum sw_status make_slabs(struct lengthening *g, const struct run_block *s, const struct pair *pair,
                                 int64_t bytes, bool dry)
{
    const struct sw_data_group *d = s->data_group;
    const int64_t n = d->n[sw_data_group_axis(d)], slabs = sw_clamp((bytes + PART_BYTES - 1) / PART_BYTES, 1, n);
    for (int k = 0; k < slabs; k++) {
        const int64_t first = sw_slab_begin(n, (int)slabs, k), next = sw_slab_begin(n, (int)slabs, k + 1);
        struct run_block slab = *s;
        slab.slab = (struct sw_part_slab){k, (int)slabs, first, next - first, d->state_fields, d->state_behind};
        SW_TRY(make_part(g, &slab, pair, 1, dry));
    }
    return SW_OK;
}

static enum sw_status make_parts(struct lengthening *g, const struct run_block *s, bool dry)
{
    const int64_t size = 8 * (s->data_group->nstate > sw_points(s->data_group->n) ? s->data_group->nstate
                              : sw_points(s->data_group->n));
    int64_t most = sw_clamp(PART_BYTES / size, 1, s->count);
    const bool in_slabs = size > PART_BYTES && s->data_group->state_fields;
    for (int64_t k = 0; in_slabs && k < s->count; k++) SW_TRY(make_slabs(g, s, s->pair + k, size, dry));
    if (in_slabs) return SW_OK;
    enum sw_status st = SW_OK;
    if (g->l->sweep->batch) most = sw_clamp(most, 1, g->l->sweep->batch);
    for (int64_t k = 0; k < s->count && !st; k += most)
        st = make_part(g, s, s->pair + k, sw_clamp(s->count - k, 1, most), dry);
    return st;
}

static enum sw_status lengthen_block(struct lengthening *g, const struct pair *pair, int64_t count, bool dry)
{
    struct run_block s = {.old = &g->old_group[pair->old_group], .group = &g->group[pair->group], .pair = pair,
                          .count = count};
    s.data_group = sw_input_file_group(&g->in, pair->row);
    if (!s.data_group || !s.data_group->nstate)
        return SW_FAIL(SW_E_REFUSED,
                       "%s holds no states to continue from: it was computed without output.state = true; "
                       "use -o FILE or --force",
                       g->file);
    enum sw_status st = check_block(g, &s);
    if (!st) st = make_parts(g, &s, dry);
    sw_free(s.field);
    sw_free(s.scalar);
    return st;
}

static enum sw_status for_each_block(struct lengthening *g, bool dry)
{
    const struct pair *p = g->pair;
    enum sw_status st = SW_OK;
    for (int64_t k = 0, next; k < g->l->count && !st; k = next) {
        for (next = k + 1; next < g->l->count && p[next].old_group == p[k].old_group && p[next].group == p[k].group;)
            next++;
        st = lengthen_block(g, p + k, next - k, dry);
    }
    return st;
}

enum sw_status sw_output_lengthen(const char *file, const char *output, const struct sw_lengthen_desc *longer,
                                  const struct sw_provenance *provenance)
{
    struct lengthening g = {.file = file, .output = output, .l = longer, .provenance = provenance};
    bool damaged;
    SW_TRY(sw_input_file_open(file, &g.in, &damaged));
    enum sw_status st = pair_up(&g);
    if (!st) st = sw_h5_open(&g.h5, file);
    if (!st) st = for_each_block(&g, true);
    if (!st) st = for_each_block(&g, false);
    const enum sw_status closed = sw_h5_close(&g.h5);
    sw_groups_free(&g.old_group, g.nold);
    sw_groups_free(&g.group, g.ngroup);
    sw_free(g.pair);
    sw_input_file_free(&g.in);
    return st ? st : closed;
}
