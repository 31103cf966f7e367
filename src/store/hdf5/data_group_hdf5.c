#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "store/hdf5/schema_hdf5.h"

/* What the outputs of a run are along: a dimension, its scale, what holds its values where runs disagree, and what it
 * is called where it has numbers only. */
enum along { ALONG_NOTHING, ALONG_TIME, ALONG_SERIES, ALONG_ITERATIONS };
static const struct { const char *scale, *axis; enum sw_var_kind own; const char *of_numbers; } output_scales[] = {
    [ALONG_TIME]   = {"time", "T", SW_VAR_T, "number of the saved field"},
    [ALONG_SERIES] = {"time_s", NULL, SW_VAR_TS, "number in the scalar series"},
    [ALONG_ITERATIONS] = {"iteration", NULL, SW_VAR_KINDS, "iteration of the solver"},
};

/* The dimensions of a kind of variable besides runs. Where it has no name, its rank tells it. */
enum { OVER_X = 1, OVER_Y = 2, OVER_Z = 4, OVER_SPACE = OVER_X | OVER_Y | OVER_Z };
static const struct kind { const char *name; enum along along; unsigned over; const char *long_name; } kinds[] = {
    [SW_VAR_T]      = {"t", ALONG_TIME, 0, "time of saved fields"},
    [SW_VAR_TS]     = {"t_s", ALONG_SERIES, 0, "time of scalar series"},
    [SW_VAR_XC]     = {"xc", ALONG_NOTHING, OVER_X, "space"},
    [SW_VAR_YC]     = {"yc", ALONG_NOTHING, OVER_Y, "space"},
    [SW_VAR_ZC]     = {"zc", ALONG_NOTHING, OVER_Z, "space"},
    [SW_VAR_LON]    = {"lon", ALONG_NOTHING, OVER_X | OVER_Y, "longitude"},
    [SW_VAR_LAT]    = {"lat", ALONG_NOTHING, OVER_X | OVER_Y, "latitude"},
    [SW_VAR_STATE]  = {"state_last", ALONG_NOTHING, 0, "what a longer sweep goes on from"},
    [SW_VAR_HISTORY] = {"residual_history", ALONG_ITERATIONS, 0, "reported relative residual"},
    [SW_VAR_SERIES] = {NULL, ALONG_SERIES, 0, NULL},
    [SW_VAR_FIELD]  = {NULL, ALONG_TIME, OVER_SPACE, NULL},
};

const char *sw_data_group_scale(const struct sw_data_group *s, int d)
{
    return d == 0 ? (s->numbered ? "i" : "x") : d == 1 ? "y" : "z";
}

static bool lies_over(const struct sw_data_group *s, enum sw_var_kind kind, int d)
{
    return d < s->dim && kinds[kind].over >> d & 1;
}

enum sw_status sw_data_group_add(struct sw_data_group *s, enum sw_var_kind kind, enum sw_h5_type type, const char *name,
                                 const char *unit, const char *long_name)
{
    SW_TRY(sw_resize((size_t)s->nvar, (size_t)s->nvar + 1, &s->var));
    struct sw_var *v = &s->var[s->nvar++];
    *v = (struct sw_var){.kind = kind, .type = type};
    v->name = sw_strdup(name);
    v->unit = sw_strdup(unit ? unit : "");
    v->long_name = sw_strdup(long_name ? long_name : "");
    return v->name && v->unit && v->long_name ? SW_OK : SW_E_MEMORY;
}

enum sw_status sw_data_group_add_kind(struct sw_data_group *s, enum sw_var_kind kind)
{
    const bool angle = kind == SW_VAR_LON || kind == SW_VAR_LAT;
    return sw_data_group_add(s, kind, SW_H5_DOUBLE, kinds[kind].name, angle ? "radian" : "1", kinds[kind].long_name);
}

int sw_data_group_axis(const struct sw_data_group *s)
{
    return s->columns && s->dim > 1 ? 1 : s->n[2] > 1 ? 2 : s->n[1] > 1 ? 1 : 0;
}

int64_t sw_data_group_across(const struct sw_data_group *s) { return sw_points(s->n) / s->n[sw_data_group_axis(s)]; }

int64_t sw_data_group_outer(const struct sw_data_group *s) { return sw_data_group_axis(s) == 1 ? s->n[2] : 1; }

int64_t sw_data_group_state_of(const struct sw_data_group *s, int64_t points)
{
    const int64_t here = s->slabs ? s->piece_count : s->n[sw_data_group_axis(s)];
    return s->nstate + (s->state_fields + s->state_behind) * sw_data_group_across(s) * (points - here);
}

int64_t sw_data_group_whole_state(const struct sw_data_group *s)
{
    return sw_data_group_state_of(s, s->n[sw_data_group_axis(s)]);
}

int64_t sw_data_group_state_part(const struct sw_data_group *s, int64_t k, int64_t first, int64_t points,
                                 int64_t *from, int64_t *to)
{
    const int64_t across = sw_data_group_across(s), n = s->n[sw_data_group_axis(s)], fields = s->state_fields,
                  more = sw_data_group_state_of(s, 0), before = k <= fields ? k : k - 1,
                  alike = k > fields ? more : 0;
    if (k > fields + s->state_behind) return 0;
    *from = before * across * points + alike;
    *to = before * across * n + alike;
    if (k == fields) return more;
    *to += across * first;
    return across * points;
}

struct sw_var *sw_data_group_var(const struct sw_data_group *s, const char *name)
{
    for (int k = 0; k < s->nvar; k++)
        if (!strcmp(s->var[k].name, name)) return &s->var[k];
    return NULL;
}

void sw_data_group_free(struct sw_data_group *s)
{
    for (int k = 0; k < s->nvar; k++) {
        sw_free(s->var[k].name);
        sw_free(s->var[k].unit);
        sw_free(s->var[k].long_name);
    }
    sw_free(s->var);
    sw_free(s->index);
    for (int k = 0; k < SW_VAR_SCALES; k++) sw_free(s->scale[k]);
    *s = (struct sw_data_group){0};
}

/* Schema 1 called these series otherwise: a dataset of xarray has methods of those names. */
static const struct { const char *name, *schema_1; } renamed[] = {{"u_min", "min"}, {"u_max", "max"}};
enum { RENAMED = sizeof renamed / sizeof *renamed };

/* The dimension of a group's runs has a name of its own: a tree of datasets (xarray's DataTree) hands the scales of the
 * root down, and `run` has another length there. Schema 1 called both `run`. */
static const char *stored_name(const struct sw_data_group *s, const char *name)
{
    if (!strcmp(name, "run")) return s->name[0] && !s->schema_1 ? "group_run" : name;
    for (int k = 0; s->schema_1 && k < RENAMED; k++)
        if (!strcmp(name, renamed[k].name)) return renamed[k].schema_1;
    return name;
}

/* The name in schema 2 of a dataset of the file. */
static const char *current_name(const struct sw_data_group *s, const char *stored)
{
    for (int k = 0; s->schema_1 && k < RENAMED; k++)
        if (!strcmp(stored, renamed[k].schema_1)) return renamed[k].name;
    return stored;
}

const char *sw_data_group_path(const struct sw_data_group *s, const char *name, char *path)
{
    snprintf(path, SW_PATH, "%s%s/%s", s->name[0] ? "/" : "", s->name, stored_name(s, name));
    return path;
}

int64_t sw_clamp(int64_t value, int64_t least, int64_t most)
{
    return value > most ? most : value < least ? least : value;
}

int64_t sw_var_outputs(const struct sw_data_group *s, enum sw_var_kind kind)
{
    switch (kinds[kind].along) {
    case ALONG_NOTHING: break;
    case ALONG_TIME: return s->nfield;
    case ALONG_SERIES: return s->nscalar;
    case ALONG_ITERATIONS: return s->nhistory;
    }
    return 1;
}

int64_t sw_var_first(const struct sw_data_group *s, enum sw_var_kind kind)
{
    switch (kinds[kind].along) {
    case ALONG_NOTHING:
    case ALONG_ITERATIONS: break;
    case ALONG_TIME: return s->field_first;
    case ALONG_SERIES: return s->scalar_first;
    }
    return 0;
}

int64_t sw_var_inner(const struct sw_data_group *s, enum sw_var_kind kind)
{
    int64_t points = kind == SW_VAR_STATE ? s->nstate : 1;
    for (int d = 0; d < SW_DIMS; d++)
        if (lies_over(s, kind, d)) points *= s->n[d];
    return points;
}

/* run, time, z, y, x, as far as the variable has them; run, state_value */
static int pack_dimensions(const struct sw_data_group *s, enum sw_var_kind kind, int64_t run, int64_t output,
                           const int64_t space[SW_DIMS], int64_t state, hsize_t dim[SW_H5_RANK])
{
    int rank = 0;
    dim[rank++] = (hsize_t)run;
    if (kinds[kind].along) dim[rank++] = (hsize_t)output;
    for (int d = SW_DIMS - 1; d >= 0; d--)
        if (lies_over(s, kind, d)) dim[rank++] = (hsize_t)space[d];
    if (kind == SW_VAR_STATE) dim[rank++] = (hsize_t)state;
    return rank;
}

int sw_var_start(const struct sw_data_group *s, enum sw_var_kind kind, int64_t row, int64_t output,
                 hsize_t start[SW_H5_RANK])
{
    static const int64_t whole[SW_DIMS];
    return pack_dimensions(s, kind, row, output, whole, 0, start);
}

int sw_var_size(const struct sw_data_group *s, enum sw_var_kind kind, int64_t rows, int64_t outputs,
                hsize_t size[SW_H5_RANK])
{
    return pack_dimensions(s, kind, rows, outputs, s->n, s->nstate, size);
}

int sw_var_chunk(const struct sw_data_group *s, enum sw_var_kind kind, int64_t rows, int64_t outputs,
                 hsize_t chunk[SW_H5_RANK])
{
    int64_t side[SW_DIMS], left = s->cut ? SW_CHUNK_OF_PIECES : SW_CHUNK_POINTS;
    for (int d = 0; d < SW_DIMS; d++) {  /* whole lines, then whole planes, as far as they go; of a slab no more */
        const int64_t n = s->cut && s->slabs && s->columns && d == 1 ? s->piece_count : s->n[d];
        side[d] = sw_clamp(n, 1, left);
        left /= side[d];
    }
    return pack_dimensions(s, kind, rows, outputs, side, s->nstate, chunk);
}

/* Whether the scale of dimension d holds 1 .. n: it is not kept in memory then. */
static bool is_numbered(const struct sw_data_group *s, int d) { return s->numbered && d == 0; }

bool sw_scale_has_values(const struct sw_data_group *s, enum sw_var_kind kind)
{
    const int d = (int)kind - SW_VAR_XC;
    return d < 0 || (d < s->dim && !is_numbered(s, d));
}

int64_t sw_scale_length(const struct sw_data_group *s, enum sw_var_kind kind)
{
    return sw_var_outputs(s, kind) * sw_var_inner(s, kind);
}

static bool has_kind(const struct sw_data_group *s, enum sw_var_kind kind)
{
    for (int k = 0; k < s->nvar; k++)
        if (s->var[k].kind == kind) return true;
    return false;
}

void sw_h5_write_state_shape(struct sw_h5 *h, const struct sw_data_group *s)
{
    char path[SW_PATH];
    snprintf(path, sizeof path, "/%s", s->name);
    sw_h5_attr(h, path, "state_fields", SW_H5_INTEGER, 1, &s->state_fields);
    sw_h5_attr(h, path, "state_behind", SW_H5_INTEGER, 1, &s->state_behind);
}

void sw_h5_write_data_group(struct sw_h5 *h, const struct sw_data_group *s)
{
    char path[SW_PATH];
    snprintf(path, sizeof path, "/%s", s->name);
    if (s->name[0]) sw_h5_group(h, path);
    const int64_t points = sw_points(s->n);
    sw_h5_attr(h, path, "points", SW_H5_INTEGER, 1, &points);
    if (s->dim > 1) sw_h5_attr(h, path, "points_along", SW_H5_INTEGER, s->dim, s->n);
    if (s->field_first) sw_h5_attr(h, path, "field_first", SW_H5_INTEGER, 1, &s->field_first);
    if (s->scalar_first) sw_h5_attr(h, path, "scalar_first", SW_H5_INTEGER, 1, &s->scalar_first);
    if (s->nstate && s->state_fields) sw_h5_write_state_shape(h, s);
}

/* One scale: its values, or the numbers first, first + 1, ... where it has none. */
static void write_scale(struct sw_h5 *h, const struct sw_data_group *s, const char *name, const char *axis,
                        int64_t count, const double *value, int64_t first, const char *long_name)
{
    char path[SW_PATH];
    sw_data_group_path(s, name, path);
    if (value) sw_h5_put_scale(h, path, SW_H5_DOUBLE, count, false, value);
    else sw_h5_put_numbers(h, path, first, count, !s->piece_count);
    sw_h5_attr_text(h, path, "units", "1");
    if (axis) sw_h5_attr_text(h, path, "axis", axis);
    sw_h5_attr_text(h, path, "long_name", long_name);
}

/* The scale along the outputs of a kind of variable, if there are such. */
static void write_outputs(struct sw_h5 *h, const struct sw_data_group *s, enum sw_var_kind kind)
{
    const enum along k = kinds[kind].along;
    const enum sw_var_kind own = output_scales[k].own;
    const double *value = own < SW_VAR_SCALES ? s->scale[own] : NULL;
    if (has_kind(s, kind))
        write_scale(h, s, output_scales[k].scale, output_scales[k].axis, sw_var_outputs(s, kind), value, 0,
                    value ? kinds[own].long_name : output_scales[k].of_numbers);
}

void sw_h5_write_scales(struct sw_h5 *h, const struct sw_data_group *s)
{
    bool field = has_kind(s, SW_VAR_FIELD);
    write_outputs(h, s, SW_VAR_FIELD);
    write_outputs(h, s, SW_VAR_SERIES);
    write_outputs(h, s, SW_VAR_HISTORY);
    if (has_kind(s, SW_VAR_STATE))
        write_scale(h, s, "state_value", NULL, s->nstate, NULL, 0, "number in the state of a run");
    for (int d = s->dim - 1; field && d >= 0; d--) {
        const double *x = s->scale[sw_scale_var(d)];
        write_scale(h, s, sw_data_group_scale(s, d), &"X\0Y\0Z"[2 * d], s->n[d], x, is_numbered(s, d),
                    is_numbered(s, d) ? "number of the unknown" : x ? "space" : "number of the point");
    }
}

hid_t sw_h5_make_var(struct sw_h5 *h, const struct sw_data_group *s, const struct sw_var *var,
                     const struct sw_h5_shape *shape)
{
    char path[SW_PATH];
    return sw_h5_make(h, sw_data_group_path(s, var->name, path), var->type, shape);
}

static void attach_all(struct sw_h5 *h, const struct sw_data_group *s, const struct sw_var *v, const char *path)
{
    char scale[SW_PATH];
    int axis = 1;
    sw_h5_attach(h, path, 0, sw_data_group_path(s, "run", scale));
    const enum along along = kinds[v->kind].along;
    if (along) sw_h5_attach(h, path, axis++, sw_data_group_path(s, output_scales[along].scale, scale));
    for (int d = SW_DIMS - 1; d >= 0; d--)
        if (lies_over(s, v->kind, d))
            sw_h5_attach(h, path, axis++, sw_data_group_path(s, sw_data_group_scale(s, d), scale));
    if (v->kind == SW_VAR_STATE) sw_h5_attach(h, path, axis, sw_data_group_path(s, "state_value", scale));
}

/* The coordinates of a variable: the parameters, in the root group, and t, t_s, xc, yc, zc, lon, lat, if there are
 * any. */
static void write_coordinates(struct sw_h5 *h, const struct sw_data_group *s, const struct sw_var *v, const char *path,
                              const char *params)
{
    struct sw_text t = {0};
    sw_text_add(&t, s->name[0] ? "" : params);
    for (int k = 0; k < SW_VAR_STATE; k++) {
        bool over = (kinds[k].along && kinds[k].along == kinds[v->kind].along) ||
                    (kinds[k].over & kinds[v->kind].over);
        if (over && has_kind(s, k)) sw_text_printf(&t, "%s%s", t.length ? " " : "", kinds[k].name);
    }
    if (t.failed) sw_h5_fail(h, SW_E_MEMORY, "out of memory");
    else if (t.length) sw_h5_attr_text(h, path, "coordinates", sw_text_get(&t));
    sw_text_free(&t);
}

static void finish_var(struct sw_h5 *h, const struct sw_data_group *s, const struct sw_var *v, const char *params)
{
    const float nan_single = NAN;
    const double nan_double = NAN;
    char path[SW_PATH];
    sw_data_group_path(s, v->name, path);
    attach_all(h, s, v, path);
    sw_h5_attr_text(h, path, "units", v->unit[0] ? v->unit : "1");
    if (v->long_name[0]) sw_h5_attr_text(h, path, "long_name", v->long_name);
    if (v->kind < SW_VAR_HISTORY) return;
    write_coordinates(h, s, v, path, params);
    if (v->kind == SW_VAR_FIELD)
        sw_h5_attr(h, path, "_FillValue", v->type, 1,
                   v->type == SW_H5_SINGLE ? (const void *)&nan_single : &nan_double);
}

void sw_h5_finish_vars(struct sw_h5 *h, const struct sw_data_group *s, const char *coordinates)
{
    for (int k = 0; k < s->nvar; k++) finish_var(h, s, &s->var[k], coordinates);
}

/* ---- reading */
struct var_search { struct sw_h5 *h; struct sw_data_group *s; };

/* The kind of a dataset by its name and rank; SW_VAR_KINDS: none. */
static enum sw_var_kind kind_of(const char *name, int rank, int dim)
{
    for (int k = 0; k < SW_VAR_KINDS; k++) {
        const bool plane = k == SW_VAR_LON || k == SW_VAR_LAT;
        if (rank == (plane ? 3 : 2) && dim >= rank - 1 && kinds[k].name && !strcmp(name, kinds[k].name)) return k;
    }
    return rank == 2 ? SW_VAR_SERIES : rank == 2 + dim ? SW_VAR_FIELD : SW_VAR_KINDS;
}

static enum sw_status find_var(void *user, const char *name, bool is_group)
{
    struct var_search *f = user;
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    if (is_group) return SW_OK;
    sw_data_group_path(f->s, name, path);
    sw_h5_dataset_close(sw_h5_dataset(f->h, path, &shape, &type));
    if (!f->s->piece_count) sw_h5_check_stored(f->h, path, -1);
    else
        sw_h5_check_stored(f->h, path, kind_of(name, shape.rank, f->s->dim) == SW_VAR_FIELD && f->s->nfield ?
                           f->s->piece_count * sw_data_group_across(f->s) : 0);
    enum sw_var_kind kind = f->h->status ? SW_VAR_KINDS : kind_of(name, shape.rank, f->s->dim);
    if (kind == SW_VAR_KINDS) return f->h->status;
    if (type != SW_H5_DOUBLE && (type != SW_H5_SINGLE || kind < SW_VAR_SERIES))
        return sw_h5_damaged(f->h, "a dataset of numbers holds something else");
    char *unit = sw_h5_get_attr_text(f->h, path, "units"), *long_name = sw_h5_get_attr_text(f->h, path, "long_name");
    hsize_t expect[SW_H5_RANK];
    sw_var_size(f->s, kind, f->s->count, sw_var_outputs(f->s, kind), expect);
    for (int k = 0; k < shape.rank; k++)
        if (shape.dim[k] != expect[k])
            sw_h5_damaged(f->h, "the dimensions of a dataset do not fit those of the others");
    enum sw_status st = f->h->status;
    if (!st) st = sw_data_group_add(f->s, kind, type, current_name(f->s, name), unit, long_name);
    sw_free(unit);
    sw_free(long_name);
    return st;
}

static int64_t length_of(struct sw_h5 *h, const struct sw_data_group *s, const char *name)
{
    char path[SW_PATH];
    return sw_h5_has(h, sw_data_group_path(s, name, path)) ? sw_h5_length(h, path) : 0;
}

/* The values of a scale that has them. */
static void read_scale(struct sw_h5 *h, struct sw_data_group *s, enum sw_var_kind kind)
{
    char path[SW_PATH];
    const enum along along = kinds[kind].along;
    const char *name = along ? output_scales[along].scale : sw_data_group_scale(s, (int)kind - SW_VAR_XC);
    const int64_t count = sw_scale_length(s, kind);
    if (h->status || !sw_h5_has(h, sw_data_group_path(s, name, path))) return;
    if (sw_h5_has(h, sw_data_group_path(s, kinds[kind].name, path))) return;
    if (sw_h5_length(h, sw_data_group_path(s, name, path)) != count && !h->status)
        sw_h5_damaged(h, "the length of a scale does not fit the others");
    if (!h->status && sw_alloc((size_t)count, &s->scale[kind])) h->status = SW_E_MEMORY;
    sw_h5_get_list(h, path, SW_H5_DOUBLE, count, s->scale[kind]);
}

static void read_index(struct sw_h5 *h, struct sw_data_group *s, const struct sw_run_table *table)
{
    char path[SW_PATH];
    s->count = s->name[0] ? length_of(h, s, "run") : table->nruns;
    if (h->status || sw_alloc((size_t)s->count, &s->index)) { h->status = h->status ? h->status : SW_E_MEMORY; return; }
    sw_h5_read_runs(h, sw_data_group_path(s, "run", path), s->count, s->index);
}

static void read_points(struct sw_h5 *h, const char *path, struct sw_data_group *s)
{
    int64_t points = sw_h5_get_attr_count(h, path, "points");
    s->n[0] = points;
    s->n[1] = s->n[2] = 1;
    s->dim = sw_h5_get_attr_integers(h, path, "points_along", SW_DIMS, s->n);
    if (!s->dim) s->dim = 1;
    if (h->status) return;
    for (int d = 0; d < SW_DIMS; d++)
        if (s->n[d] < 1 || s->n[d] > points) { sw_h5_damaged(h, "holds lines of less than one point"); return; }
    int64_t all = 1;
    for (int d = 0; d < SW_DIMS; d++)
        if (__builtin_mul_overflow(all, s->n[d], &all)) all = 0;
    if (all != points) sw_h5_damaged(h, "does not agree with itself on its points");
}

static void read_state_shape(struct sw_h5 *h, const char *path, struct sw_data_group *s)
{
    const int64_t across = h->status ? 0 : sw_data_group_across(s);
    s->nstate = length_of(h, s, "state_value");
    s->state_fields = sw_h5_get_attr_count(h, path, "state_fields");
    s->state_behind = sw_h5_get_attr_count(h, path, "state_behind");
    const double fields = (double)s->state_fields + (double)s->state_behind,
                 here = (double)(s->slabs ? s->piece_count : s->n[sw_data_group_axis(s)]);
    if (!h->status && (fields * (double)across * here > (double)s->nstate || fields * (double)sw_points(s->n) > 1e18))
        sw_h5_damaged(h, "has a state of other points than its fields");
}

static void read_data_group(struct sw_h5 *h, const struct sw_run_table *table, struct sw_data_group *s)
{
    char path[SW_PATH];
    snprintf(path, sizeof path, "/%s", s->name);
    const struct sw_problem *problem = sw_problem_find(table->own->metadata.text[SW_METADATA_PROBLEM]);
    s->schema_1 = atoi(table->own->metadata.text[SW_METADATA_SCHEMA]) < 2;
    s->numbered = problem && problem->shape->numbered;
    s->columns = problem && problem->shape->columns;
    read_points(h, path, s);
    s->field_first = sw_h5_get_attr_count(h, path, "field_first");
    s->scalar_first = sw_h5_get_attr_count(h, path, "scalar_first");
    s->piece_first = sw_h5_get_attr_count(h, path, "piece_first");
    s->piece_count = sw_h5_get_attr_count(h, path, "piece_count");
    s->slab = sw_h5_get_attr_count(h, path, "slab");
    s->slabs = sw_h5_get_attr_count(h, path, "slabs");
    if (s->piece_count > s->n[sw_data_group_axis(s)] - s->piece_first || (s->slab && s->slab >= s->slabs))
        sw_h5_damaged(h, "holds points that its fields do not have");
    s->nfield = length_of(h, s, "time");
    s->nscalar = length_of(h, s, "time_s");
    s->nhistory = length_of(h, s, "iteration");
    read_state_shape(h, path, s);
    read_index(h, s, table);
    for (int k = 0; k < SW_VAR_SCALES; k++)
        if (sw_scale_has_values(s, k)) read_scale(h, s, k);
    sw_h5_members(h, path, find_var, &(struct var_search){h, s});
}

struct data_groups { struct sw_h5 *h; int count; struct sw_data_group *data_group; };

static enum sw_status add_data_group(void *user, const char *name, bool is_group)
{
    struct data_groups *found = user;
    char path[SW_PATH];
    snprintf(path, sizeof path, "/%s", name);
    if (!is_group || strlen(name) >= sizeof found->data_group->name || !sw_h5_has_attr(found->h, path, "points"))
        return SW_OK;
    SW_TRY(sw_resize((size_t)found->count, (size_t)found->count + 1, &found->data_group));
    snprintf(found->data_group[found->count++].name, sizeof found->data_group->name, "%s", name);
    return SW_OK;
}

void sw_h5_read_data_groups(struct sw_h5 *h, const struct sw_run_table *table, struct sw_data_group **data_group,
                            int *count)
{
    struct data_groups found = {.h = h};
    if (sw_h5_has_attr(h, "/", "points")) h->status = add_data_group(&found, "", true);
    sw_h5_members(h, "/", add_data_group, &found);
    for (int k = 0; k < found.count && !h->status; k++) read_data_group(h, table, &found.data_group[k]);
    *data_group = found.data_group;
    *count = found.count;
}
