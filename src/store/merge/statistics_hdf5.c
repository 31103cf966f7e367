#include "store/merge/statistics_hdf5.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "base/sw_stop.h"
#include "field/power.h"
#include "store/statistics.h"

#define GROUP "/statistics"

struct forming {
    struct sw_h5 *out;
    struct sw_slice_reader *in;
    const struct sw_joined_file *layout;
    const struct sw_statistics *what;
    struct sw_ensembles e;
    char    *coordinates;       /* of ensembles that form no grid: their parameters               */
    double  *scratch;
    double  *time;              /* of the outputs of fields that count, where these are some      */
    struct sw_power *power;     /* of the quantity under way, a spectrum; else NULL               */
    /* of a piece: [rows][cells] numbers, as read and in double precision; and what is formed of them */
    struct room { char *at; size_t bytes; } block, value, result[SW_STATISTICS_COUNT], ring;
};

/* What statistics are formed of: a column of the run table, a series, or a field. */
struct quantity {
    const char *name, *unit;
    char        variable[SW_QUANTITY_NAME];  /* the series or the field                                     */
    bool        spectrum;                    /* of the field, over wave numbers                             */
    const struct sw_run_column *column;  /* else NULL                                                       */
    const struct sw_joined_group *of;    /* of a field its group; of a series the first that has it         */
    const struct sw_var *var;
    bool        pieces;                  /* inputs hold a field in part: it is read run by run              */
    int64_t outputs, inner;              /* and numbers of an output                                        */
};

/* Some numbers of each run: those of a piece of so many outputs. */
struct piece { int64_t output, outputs, point, points, level, cells; };

static const char *in_group(const char *name, char path[SW_PATH])
{
    snprintf(path, SW_PATH, GROUP "/%s", name);
    return path;
}

/* ---- the axes that are left */

static double param_of(const struct forming *f, int k, int64_t row)
{
    const struct sw_run_table *t = f->layout->table;
    return t->param[(size_t)k * (size_t)t->nruns + (size_t)row];
}

/* The values that a parameter has in some rows, as a scale or as a list over the ensembles. */
static enum sw_status write_values(const struct forming *f, int k, const int64_t *row, int64_t count, bool scale)
{
    const struct sw_run_table *t = f->layout->table;
    const bool words = t->nword[k] > 0;
    char path[SW_PATH], **text = NULL;
    double *number = NULL;
    in_group(t->param_name[k], path);
    enum sw_status st = words ? sw_alloc((size_t)count, &text) : sw_alloc((size_t)count, &number);
    for (int64_t v = 0; v < count && !st; v++) {
        if (words) text[v] = t->word[k][(int)param_of(f, k, row[v])];
        else number[v] = param_of(f, k, row[v]);
    }
    const void *data = words ? (const void *)text : number;
    const enum sw_h5_type type = words ? SW_H5_TEXT : SW_H5_DOUBLE;
    if (!st && scale) sw_h5_put_scale(f->out, path, type, count, false, data);
    else if (!st) sw_h5_put_list(f->out, path, type, count, data);
    if (!st && !words) sw_h5_attr_text(f->out, path, "units", "1");
    if (!st) sw_h5_attr_text(f->out, path, "long_name", t->param_name[k]);
    sw_free(text);
    sw_free(number);
    return st;
}

static enum sw_status write_axes(struct forming *f)
{
    const struct sw_ensembles *e = &f->e;
    struct sw_text text = {0};
    char path[SW_PATH];
    for (int k = 0; k < e->naxis && e->grid; k++)
        SW_TRY(write_values(f, e->param[k], e->sample[k], e->size[k], true));
    if (e->grid) return SW_OK;
    sw_h5_put_numbers(f->out, in_group("point", path), 0, e->count, true);
    sw_h5_attr_text(f->out, path, "long_name", "number of the point of the parameters");
    for (int k = 0; k < e->naxis; k++) {
        const char *name = f->layout->table->param_name[e->param[k]];
        SW_TRY(write_values(f, e->param[k], e->first, e->count, false));
        sw_h5_attach(f->out, in_group(name, path), 0, GROUP "/point");
        sw_text_printf(&text, "%s%s", k ? " " : "", name);
    }
    return (f->coordinates = sw_text_take(&text)) ? SW_OK : SW_E_MEMORY;
}

/* The dimensions that all statistics begin with. @return how many */
static int axes_shape(const struct forming *f, hsize_t dim[SW_H5_RANK])
{
    if (!f->e.grid) dim[0] = (hsize_t)f->e.count;
    for (int k = 0; k < f->e.naxis && f->e.grid; k++) dim[k] = (hsize_t)f->e.size[k];
    return f->e.grid ? f->e.naxis : 1;
}

/* @return the next dimension */
static int attach_axes(const struct forming *f, const char *path)
{
    char scale[SW_PATH];
    if (!f->e.grid) sw_h5_attach(f->out, path, 0, GROUP "/point");
    for (int k = 0; k < f->e.naxis && f->e.grid; k++)
        sw_h5_attach(f->out, path, k, in_group(f->layout->table->param_name[f->e.param[k]], scale));
    if (f->coordinates) sw_h5_attr_text(f->out, path, "coordinates", f->coordinates);
    return f->e.grid ? f->e.naxis : 1;
}

static void write_counts(const struct forming *f, const char *name, const int64_t *count, const char *long_name)
{
    struct sw_h5_shape shape = {0};
    char path[SW_PATH];
    shape.rank = axes_shape(f, shape.dim);
    sw_h5_put(f->out, in_group(name, path), SW_H5_INTEGER, &shape, count);
    sw_h5_attr_text(f->out, path, "long_name", long_name);
    attach_axes(f, path);
}

/* ---- what statistics are formed of */

static const struct sw_run_column *column_of(const struct forming *f, const char *name)
{
    const struct sw_run_column *c = sw_run_column_find(name);
    return c && c->type != SW_RUN_COLUMN_FLAG && f->layout->table->column[c - sw_run_columns] ? c : NULL;
}

/* @return false: no run has it */
static bool find_quantity(const struct forming *f, const char *name, struct quantity *q)
{
    *q = (struct quantity){.name = name, .column = column_of(f, name), .outputs = 1, .inner = 1};
    q->spectrum = sw_statistics_spectrum(name, q->variable);
    if (q->column) {
        q->unit = q->column->unit;
        return true;
    }
    for (int g = 0; g < f->layout->count; g++) {
        const struct sw_joined_group *t = &f->layout->group[g];
        const struct sw_var *v = sw_data_group_var(&t->data_group, q->variable);
        if (!v || v->kind < SW_VAR_SERIES || (q->spectrum && v->kind != SW_VAR_FIELD)) continue;
        const int64_t outputs = sw_var_outputs(&t->data_group, v->kind);
        if (outputs > q->outputs || !q->var) q->outputs = outputs;
        if (q->var) continue;
        q->var = v;
        q->of = t;
        q->inner = sw_var_inner(&t->data_group, v->kind);
        q->unit = q->spectrum ? NULL : v->unit;
        q->pieces = v->kind == SW_VAR_FIELD && sw_joined_group_has_pieces(t, f->in->catalog);
    }
    if (q->var && q->var->kind == SW_VAR_FIELD && f->what->nat) q->outputs = f->what->nat;
    return q->var != NULL;
}

static bool is_field(const struct quantity *q) { return q->var && q->var->kind == SW_VAR_FIELD; }

/* Of some outputs of fields the one at a place among them. */
static int64_t output_at(const struct forming *f, const struct quantity *q, int64_t place)
{
    return is_field(q) && f->what->nat ? f->what->at[place] : place;
}

/* The outputs that count are among those of all groups. */
static enum sw_status check_outputs(const struct forming *f)
{
    for (int g = 0; g < f->layout->count && f->what->nat; g++) {
        const struct sw_data_group *s = &f->layout->group[g].data_group;
        if (sw_var_outputs(s, SW_VAR_FIELD) <= f->what->at[f->what->nat - 1])
            return sw_h5_damaged(f->out, "asks for statistics of outputs that fields have not");
    }
    return SW_OK;
}

/* The transform of the fields of a group. Points are evenly spaced: x holds 0, dx, ... */
static enum sw_status make_power(const struct sw_data_group *s, struct sw_power **power)
{
    double length[SW_DIMS] = {0};
    for (int d = 0; d < s->dim; d++) {
        const double *x = s->scale[sw_scale_var(d)];
        if (!x || s->n[d] < 2 || !(x[s->n[d] - 1] > x[0]))
            return SW_FAIL(SW_E_REFUSED, "the runs have no points in common of which spectra could be formed");
        length[d] = (x[s->n[d] - 1] - x[0]) * (double)s->n[d] / (double)(s->n[d] - 1);
    }
    return sw_power_create(s->dim, s->n, length, power);
}

/* The scales of time and space that the quantities lie along. */
static enum sw_status write_scales(struct forming *f)
{
    struct sw_data_group s = {.name = "statistics"};
    struct sw_var along[2];
    struct quantity q;
    bool points = false;
    s.var = along;
    for (int k = 0; k < f->what->nof; k++) {
        if (!find_quantity(f, f->what->of[k], &q) || q.column) continue;
        const struct sw_data_group *of = &q.of->data_group;
        bool known = false;
        for (int v = 0; v < s.nvar; v++) known |= along[v].kind == q.var->kind;
        points |= is_field(&q) && !q.spectrum;
        if (known) continue;
        along[s.nvar++] = (struct sw_var){.kind = q.var->kind};
        if (!is_field(&q)) {
            s.nscalar = q.outputs;
            s.scale[SW_VAR_TS] = of->nscalar == q.outputs ? of->scale[SW_VAR_TS] : NULL;
            continue;
        }
        s.nfield = q.outputs;
        s.dim = of->dim;
        s.numbered = of->numbered;
        memcpy(s.n, of->n, sizeof s.n);
        for (int d = 0; d < SW_DIMS; d++) s.scale[sw_scale_var(d)] = of->scale[sw_scale_var(d)];
        s.scale[SW_VAR_T] = of->scale[SW_VAR_T];
        if (!f->what->nat || !s.scale[SW_VAR_T]) continue;
        SW_TRY(sw_alloc((size_t)q.outputs, &f->time));
        for (int64_t o = 0; o < q.outputs; o++) f->time[o] = of->scale[SW_VAR_T][output_at(f, &q, o)];
        s.scale[SW_VAR_T] = f->time;
    }
    if (!points) s.dim = 0;  /* of spectra alone no x */
    sw_h5_write_scales(f->out, &s);
    return SW_OK;
}

/* The waves of the first spectrum; all fields lie on one grid. */
static enum sw_status write_waves(const struct forming *f)
{
    char path[SW_PATH];
    struct quantity q;
    for (int k = 0; k < f->what->nof; k++) {
        struct sw_power *power = NULL;
        if (!find_quantity(f, f->what->of[k], &q) || !q.spectrum) continue;
        SW_TRY(make_power(&q.of->data_group, &power));
        sw_h5_put_scale(f->out, in_group("wave_number", path), SW_H5_DOUBLE, sw_power_rings(power), false,
                        sw_power_waves(power));
        sw_h5_attr_text(f->out, path, "units", "1");
        sw_h5_attr_text(f->out, path, "long_name", "mean wave number of a ring");
        sw_power_destroy(&power);
        break;
    }
    return SW_OK;
}

/* ---- their numbers */

static enum sw_status read_column(struct forming *f, const struct quantity *q)
{
    const struct sw_run_table *t = f->layout->table;
    SW_TRY(sw_have_room((size_t)t->nruns * sizeof(double), &f->value.at, &f->value.bytes));
    double *number = (double *)(void *)f->value.at;
    for (int64_t j = 0; j < t->nruns; j++) {
        const void *value = sw_run_table_value(t, q->column, j);
        number[j] = q->column->type == SW_RUN_COLUMN_COUNT ? (double)*(const int64_t *)value : *(const double *)value;
    }
    return SW_OK;
}

/* The piece of the runs of a group, to where their rows are. */
static enum sw_status read_group(struct forming *f, const struct quantity *q, const struct sw_joined_group *t,
                                 const struct piece *p)
{
    const struct sw_data_group *s = &t->data_group;
    const struct sw_var *var = sw_data_group_var(s, q->variable);
    if (!var || var->kind != q->var->kind) return SW_OK;
    const size_t word = sw_h5_size(var->type), cells = (size_t)p->cells;
    double *number = (double *)(void *)f->value.at;
    const int64_t step = q->pieces ? 1 : s->count;
    struct sw_hyperslab w = {.s = s, .var = var, .rows = step, .output = output_at(f, q, p->output),
                             .outputs = p->outputs, .point = p->point, .points = p->points, .level = p->level,
                             .cell = cells / (size_t)p->outputs * word};
    SW_TRY(sw_have_room((size_t)step * cells * word, &f->block.at, &f->block.bytes));
    w.block = f->block.at;
    for (int64_t row = 0, to = 0; row < s->count; row++) {
        w.row = row;
        if (row % step == 0) SW_TRY(sw_hyperslabs_fill(f->in, t, &w, 1));
        while (f->layout->table->index[to] != s->index[row]) to++;
        sw_reals_get(f->block.at, word, (size_t)(row % step) * cells, number + (size_t)to * cells, cells);
    }
    return SW_OK;
}

/* Rings point .. point + points - 1 of the spectra of an output, of some runs at a time. */
static enum sw_status read_spectra(struct forming *f, const struct quantity *q, const struct piece *p)
{
    const struct sw_data_group *s = &q->of->data_group;
    const size_t word = sw_h5_size(q->var->type), points = (size_t)sw_points(s->n);
    const int64_t step = q->pieces ? 1 : sw_clamp(SW_STATISTICS_BLOCK / (int64_t)(points * word), 1, s->count);
    double *to = (double *)(void *)f->value.at;
    SW_TRY(sw_have_room((size_t)step * points * word, &f->block.at, &f->block.bytes));
    SW_TRY(sw_have_room((points + (size_t)q->inner) * sizeof(double), &f->ring.at, &f->ring.bytes));
    double *ring = (double *)(void *)f->ring.at, *u = ring + q->inner;
    for (int64_t row = 0, at = 0; row < s->count; row += step) {
        struct sw_hyperslab w = {.s = s, .var = q->var, .row = row, .rows = sw_clamp(s->count - row, 1, step),
                                 .output = output_at(f, q, p->output), .outputs = 1, .cell = points * word,
                                 .block = f->block.at};
        if (q->pieces) w.points = s->n[sw_data_group_axis(s)];
        SW_TRY(sw_hyperslabs_fill(f->in, q->of, &w, 1));
        for (int64_t j = 0; j < w.rows; j++) {
            while (f->layout->table->index[at] != s->index[row + j]) at++;
            sw_reals_get(f->block.at, word, (size_t)j * points, u, points);
            sw_power_form(f->power, u, ring);
            memcpy(to + at * p->cells, ring + p->point, (size_t)p->cells * sizeof *to);
        }
    }
    return SW_OK;
}

static enum sw_status read_piece(struct forming *f, const struct quantity *q, const struct piece *p)
{
    const size_t bytes = (size_t)(f->layout->table->nruns * p->cells) * sizeof(double);
    if (q->column) return read_column(f, q);
    SW_TRY(sw_stop_check());
    SW_TRY(sw_have_room(bytes, &f->value.at, &f->value.bytes));
    sw_fill_nan(f->value.at, bytes, SW_H5_DOUBLE);
    if (q->spectrum) return read_spectra(f, q, p);
    for (int g = 0; g < f->layout->count; g++) SW_TRY(read_group(f, q, &f->layout->group[g], p));
    return SW_OK;
}

/* ---- their statistics */

static bool is_asked(const struct forming *f, int k) { return f->what->what >> k & 1; }

/* The block that a piece is of a statistic. @return its rank */
static int block_of(const struct forming *f, const struct quantity *q, int statistic, const struct piece *p,
                    hsize_t start[SW_H5_RANK], hsize_t size[SW_H5_RANK])
{
    memset(start, 0, SW_H5_RANK * sizeof *start);
    int rank = axes_shape(f, size);
    if (statistic == SW_STATISTIC_QUANTILES) size[rank++] = (hsize_t)f->what->nquantile;
    if (q->column) return rank;
    start[rank] = (hsize_t)p->output;
    size[rank++] = (hsize_t)p->outputs;
    if (q->spectrum) {
        start[rank] = (hsize_t)p->point;
        size[rank++] = (hsize_t)(p->points ? p->points : q->inner);
    }
    if (!is_field(q) || q->spectrum) return rank;
    const struct sw_data_group *s = &q->of->data_group;
    const int axis = sw_data_group_axis(s);
    for (int d = s->dim - 1; d >= 0; d--, rank++) {
        const bool level = p->points && d > axis, along = p->points && d == axis;
        start[rank] = (hsize_t)(level ? p->level : along ? p->point : 0);
        size[rank] = (hsize_t)(level ? 1 : along ? p->points : s->n[d]);
    }
    return rank;
}

/* "u_mean" */
static const char *path_of(const struct quantity *q, int statistic, char path[SW_PATH])
{
    char stem[SW_STATISTICS_STEM];
    snprintf(path, SW_PATH, GROUP "/%s_%s", sw_statistics_stem(q->name, stem), sw_statistic_names[statistic]);
    return path;
}

static hid_t make_dataset(const struct forming *f, const struct quantity *q, int statistic)
{
    const struct piece all = {.outputs = q->outputs};
    struct sw_h5_shape shape = {0};
    hsize_t start[SW_H5_RANK];
    char path[SW_PATH];
    shape.rank = block_of(f, q, statistic, &all, start, shape.dim);
    return sw_h5_make(f->out, path_of(q, statistic, path), SW_H5_DOUBLE, &shape);
}

static void describe(const struct forming *f, const struct quantity *q, int statistic)
{
    static const char *const about[] = {"mean", "standard error of the mean", "variance", "least value",
                                        "greatest value", "quantiles"};
    struct sw_text text = {0};
    char path[SW_PATH], scale[SW_PATH];
    const bool one = !q->unit || !q->unit[0] || !strcmp(q->unit, "1");
    path_of(q, statistic, path);
    sw_text_set(&text, "%s%s", one ? "1" : q->unit, !one && statistic == SW_STATISTIC_VAR ? "^2" : "");
    sw_h5_attr_text(f->out, path, "units", sw_text_get(&text));
    int axis = attach_axes(f, path);
    if (statistic == SW_STATISTIC_QUANTILES) sw_h5_attach(f->out, path, axis++, GROUP "/quantile");
    if (!q->column) sw_h5_attach(f->out, path, axis++, is_field(q) ? GROUP "/time" : GROUP "/time_s");
    if (q->spectrum) sw_h5_attach(f->out, path, axis++, GROUP "/wave_number");
    for (int d = is_field(q) && !q->spectrum ? q->of->data_group.dim - 1 : -1; d >= 0; d--)
        sw_h5_attach(f->out, path, axis++, in_group(sw_data_group_scale(&q->of->data_group, d), scale));
    sw_text_set(&text, "%s of %s over", about[statistic], q->name);
    for (int k = 0; k < f->what->nover; k++) sw_text_printf(&text, "%s %s", k ? "," : "", f->what->over[k]);
    sw_h5_attr_text(f->out, path, "long_name", sw_text_get(&text));
    sw_text_free(&text);
}

static enum sw_status form_piece(struct forming *f, const struct quantity *q, const struct piece *p,
                                 const hid_t dataset[SW_STATISTICS_COUNT])
{
    SW_TRY(read_piece(f, q, p));
    double *result[SW_STATISTICS_COUNT] = {0};
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) {
        const int64_t each = k == SW_STATISTIC_QUANTILES ? f->what->nquantile : 1;
        if (!is_asked(f, k)) continue;
        SW_TRY(sw_have_room((size_t)(f->e.count * each * p->cells) * sizeof(double), &f->result[k].at,
                            &f->result[k].bytes));
        result[k] = (double *)(void *)f->result[k].at;
    }
    sw_ensembles_form(&f->e, f->what, (const double *)(const void *)f->value.at, p->cells, result, f->scratch);
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) {
        hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
        if (!result[k]) continue;
        const int rank = block_of(f, q, k, p, start, size);
        sw_h5_write(f->out, dataset[k], SW_H5_DOUBLE, rank, start, size, result[k]);
    }
    return f->out->status;
}

static enum sw_status form_rings(struct forming *f, const struct quantity *q, int64_t most,
                                 const hid_t dataset[SW_STATISTICS_COUNT])
{
    const int64_t step = sw_clamp(most, 1, q->inner);
    for (int64_t o = 0; o < q->outputs; o++)
        for (int64_t ring = 0; ring < q->inner; ring += step) {
            struct piece p = {.output = o, .outputs = 1, .point = ring, .points = sw_clamp(q->inner - ring, 1, step)};
            p.cells = p.points;
            SW_TRY(form_piece(f, q, &p, dataset));
        }
    return SW_OK;
}

/* As many outputs at once as fit; of a field whose outputs do not, or of which inputs hold pieces, points along its
 * axis. */
static enum sw_status form_all(struct forming *f, const struct quantity *q, const hid_t dataset[SW_STATISTICS_COUNT])
{
    const int64_t most = sw_clamp(SW_STATISTICS_BYTES / (int64_t)sizeof(double) / f->layout->table->nruns, 1,
                                  INT64_MAX);
    if (q->spectrum) return form_rings(f, q, most, dataset);
    if (!is_field(q) || (q->inner <= most && !q->pieces)) {
        const bool one = is_field(q) && f->what->nat;  /* those that count do not follow each other */
        const int64_t step = one ? 1 : sw_clamp(most / q->inner, 1, q->outputs);
        for (int64_t o = 0; o < q->outputs; o += step) {
            struct piece p = {.output = o, .outputs = sw_clamp(q->outputs - o, 1, step)};
            p.cells = p.outputs * q->inner;
            SW_TRY(form_piece(f, q, &p, dataset));
        }
        return SW_OK;
    }
    const struct sw_data_group *s = &q->of->data_group;
    const int64_t n = s->n[sw_data_group_axis(s)], levels = sw_data_group_outer(s), word = q->inner / n / levels,
                  step = sw_clamp(most / word, 1, n), pieces = (n + step - 1) / step;
    for (int64_t o = 0; o < q->outputs; o++)
        for (int64_t k = 0; k < levels * pieces; k++) {
            struct piece p = {.output = o, .outputs = 1, .point = k % pieces * step, .level = k / pieces};
            p.points = sw_clamp(n - p.point, 1, step);
            p.cells = p.points * word;
            SW_TRY(form_piece(f, q, &p, dataset));
        }
    return SW_OK;
}

static enum sw_status write_quantity(struct forming *f, const char *name)
{
    hid_t dataset[SW_STATISTICS_COUNT];
    struct quantity q;
    if (!find_quantity(f, name, &q)) return SW_OK;  /* no run has come so far as to have it */
    if (q.spectrum) {
        SW_TRY(make_power(&q.of->data_group, &f->power));
        q.inner = sw_power_rings(f->power);
    }
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) dataset[k] = is_asked(f, k) ? make_dataset(f, &q, k) : -1;
    const enum sw_status st = f->out->status ? f->out->status : form_all(f, &q, dataset);
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) {
        sw_h5_dataset_close(dataset[k]);
        if (is_asked(f, k) && !st) describe(f, &q, k);
    }
    sw_slice_reader_close_datasets(f->in);
    sw_power_destroy(&f->power);
    return st ? st : f->out->status;
}

static enum sw_status write_group(struct forming *f)
{
    char path[SW_PATH];
    SW_TRY(sw_ensembles_find(f->layout->table, f->what, &f->e));
    SW_TRY(sw_alloc((size_t)(SW_ENSEMBLE_LANES * f->e.largest), &f->scratch));
    sw_h5_group(f->out, GROUP);
    SW_TRY(write_axes(f));
    if (f->what->nquantile) {
        sw_h5_put_scale(f->out, in_group("quantile", path), SW_H5_DOUBLE, f->what->nquantile, false, f->what->quantile);
        sw_h5_attr_text(f->out, path, "long_name", "fraction of the runs below");
    }
    SW_TRY(check_outputs(f));
    SW_TRY(write_scales(f));
    SW_TRY(write_waves(f));
    write_counts(f, "n_ok", f->e.nok, "runs that are done, of which the statistics are");
    write_counts(f, "n_runs", f->e.nruns, "runs, those that diverged or failed as well");
    for (int k = 0; k < f->what->nof; k++) SW_TRY(write_quantity(f, f->what->of[k]));
    return f->out->status;
}

enum sw_status sw_h5_write_statistics(struct sw_h5 *out, struct sw_slice_reader *in,
                                      const struct sw_joined_file *layout)
{
    struct forming f = {.out = out, .in = in, .layout = layout, .what = sw_run_table_statistics(layout->table)};
    if (!*f.what->text) return SW_OK;
    if (!f.what->what) return sw_h5_damaged(out, "asks for statistics that this version of sweep does not know");
    const enum sw_status st = write_group(&f);
    sw_ensembles_free(&f.e);
    sw_free(f.coordinates);
    sw_free(f.value.at);
    sw_free(f.block.at);
    sw_free(f.ring.at);
    sw_power_destroy(&f.power);
    sw_free(f.scratch);
    sw_free(f.time);
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) sw_free(f.result[k].at);
    return st;
}
