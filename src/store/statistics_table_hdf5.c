#include "store/sw_statistics_table.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hdf5_lock.h"
#include "base/sw_mem.h"
#include "store/catalog/run_table_impl.h"
#include "store/files/sw_files.h"
#include "store/hdf5/schema_hdf5.h"
#include "sweep/sw_statistics.h"

struct reading {
    struct sw_h5 h;
    const struct sw_run_table *runs;
    const struct sw_statistics *what;
    bool     grid;
    int      naxis;
    int      axis[SW_H5_RANK];   /* which parameters of the run table */
    int64_t  size[SW_H5_RANK];
    struct sw_statistics_table *table;
};

static const char *in_group(const char *name, char path[SW_PATH])
{
    snprintf(path, SW_PATH, "/statistics/%s", name);
    return path;
}

static enum sw_status add_column(struct reading *r, const char *name, struct sw_statistics_column **column)
{
    struct sw_statistics_table *t = r->table;
    SW_TRY(sw_resize((size_t)t->ncolumn, (size_t)t->ncolumn + 1, &t->column));
    *column = &t->column[t->ncolumn++];
    return ((*column)->name = sw_strdup(name)) ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

/* ---- the axes that are left */

static enum sw_status list_axes(struct reading *r)
{
    char path[SW_PATH];
    r->grid = !sw_h5_has(&r->h, in_group("point", path));
    r->table->nrow = r->grid ? 1 : sw_h5_length(&r->h, path);
    for (int k = 0; k < r->runs->nparam && !r->h.status; k++) {
        if (sw_statistics_is_over(r->what, r->runs->param_name[k])) continue;
        if (r->naxis == SW_H5_RANK) return sw_h5_damaged(&r->h, "has statistics over more axes than it should");
        r->size[r->naxis] = sw_h5_length(&r->h, in_group(r->runs->param_name[k], path));
        if (r->grid && __builtin_mul_overflow(r->table->nrow, r->size[r->naxis], &r->table->nrow))
            return sw_h5_damaged(&r->h, "has more statistics than it should");
        r->axis[r->naxis++] = k;
    }
    if (!r->h.status && (r->table->nrow < 1 || r->table->nrow > r->runs->nruns))
        return sw_h5_damaged(&r->h, "has more statistics than it should");
    return r->h.status;
}

struct words { char **text; };

static enum sw_status keep_word(void *user, int64_t k, const char *text)
{
    const struct words *to = user;
    return (to->text[k] = sw_strdup(text)) ? SW_OK : SW_E_MEMORY;
}

/* The value of each row: of a grid the last axis varies fastest. */
static enum sw_status spread(struct reading *r, int k, const double *number, char *const *word,
                             struct sw_statistics_column *c)
{
    int64_t behind = 1;
    for (int j = k + 1; j < r->naxis && r->grid; j++) behind *= r->size[j];
    const int64_t nrow = r->table->nrow;
    SW_TRY(word ? sw_alloc((size_t)nrow, &c->text) : sw_alloc((size_t)nrow, &c->number));
    for (int64_t row = 0; row < nrow; row++) {
        const int64_t at = row / behind % r->size[k];
        if (word && !(c->text[row] = sw_strdup(word[at]))) return SW_FAIL(SW_E_MEMORY, "out of memory");
        if (!word) c->number[row] = number[at];
    }
    return SW_OK;
}

static enum sw_status read_axis(struct reading *r, int k)
{
    const char *name = r->runs->param_name[r->axis[k]];
    const bool words = r->runs->nword[r->axis[k]] > 0;
    struct sw_statistics_column *c;
    struct words word = {0};
    char path[SW_PATH];
    double *number = NULL;
    SW_TRY(add_column(r, name, &c));
    c->axis = true;
    in_group(name, path);
    enum sw_status st = words ? sw_alloc((size_t)r->size[k], &word.text) : sw_alloc((size_t)r->size[k], &number);
    if (!st && words) sw_h5_get_texts(&r->h, path, r->size[k], keep_word, &word);
    if (!st && !words) sw_h5_get_list(&r->h, path, SW_H5_DOUBLE, r->size[k], number);
    if (!st) st = r->h.status;
    if (!st) st = spread(r, k, number, word.text, c);
    sw_h5_free_texts(&word.text, r->size[k]);
    sw_free(number);
    return st;
}

static enum sw_status read_counts(struct reading *r, const char *name)
{
    struct sw_statistics_column *c;
    char path[SW_PATH];
    SW_TRY(add_column(r, name, &c));
    c->counts = true;
    SW_TRY(sw_alloc((size_t)r->table->nrow, &c->count));
    sw_h5_get_list(&r->h, in_group(name, path), SW_H5_INTEGER, r->table->nrow, c->count);
    return r->h.status;
}

/* ---- the statistics */

/* Entry `at` of `of`, which are the same for all rows, at the last of so many times. */
static enum sw_status add_numbers(struct reading *r, const char *name, const double *value, int64_t of, int64_t at,
                                  int64_t times)
{
    struct sw_statistics_column *c;
    SW_TRY(add_column(r, name, &c));
    SW_TRY(sw_alloc((size_t)r->table->nrow, &c->number));
    for (int64_t row = 0; row < r->table->nrow; row++) c->number[row] = value[(row * of + at) * times + times - 1];
    return SW_OK;
}

/* Quantiles are columns of their own: "energy_q0.05". */
static enum sw_status add_columns(struct reading *r, const char *quantity, int k, const double *value, int64_t times)
{
    const bool quantiles = k == SW_STATISTIC_QUANTILES;
    const int64_t of = quantiles ? r->what->nquantile : 1;
    for (int64_t q = 0; q < of; q++) {
        char name[160], digits[32];
        if (quantiles) snprintf(name, sizeof name, "%.100s_q%s", quantity, sw_number(r->what->quantile[q], digits));
        else snprintf(name, sizeof name, "%.100s_%s", quantity, sw_statistic_names[k]);
        SW_TRY(add_numbers(r, name, value, of, q, times));
    }
    return SW_OK;
}

static enum sw_status read_statistic(struct reading *r, const char *quantity, int k)
{
    char name[160], path[SW_PATH], stem[SW_STATISTICS_STEM];
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    double *value = NULL;
    snprintf(name, sizeof name, "%s_%s", sw_statistics_stem(quantity, stem), sw_statistic_names[k]);
    if (!sw_h5_has(&r->h, in_group(name, path))) return r->h.status;
    sw_h5_dataset_close(sw_h5_dataset(&r->h, path, &shape, &type));
    const int first = (r->grid ? r->naxis : 1) + (k == SW_STATISTIC_QUANTILES);
    if (r->h.status || shape.rank > first + 1) {
        r->table->nfield += !r->h.status;
        return r->h.status;
    }
    if (shape.rank < first) return sw_h5_damaged(&r->h, "has statistics of other dimensions than it should");
    const int64_t times = shape.rank > first ? (int64_t)shape.dim[first] : 1,
                  of = k == SW_STATISTIC_QUANTILES ? r->what->nquantile : 1;
    int64_t count;
    if (times < 1 || times > SW_H5_MOST || __builtin_mul_overflow(r->table->nrow * of, times, &count))
        return sw_h5_damaged(&r->h, "has statistics of other dimensions than it should");
    sw_h5_charge(&r->h, count, sizeof *value);
    enum sw_status st = r->h.status ? r->h.status : sw_alloc((size_t)count, &value);
    if (!st) sw_h5_get_list(&r->h, path, SW_H5_DOUBLE, count, value);
    if (!st && !(st = r->h.status)) st = add_columns(r, quantity, k, value, times);
    sw_free(value);
    return st;
}

static enum sw_status read_all(struct reading *r)
{
    SW_TRY(list_axes(r));
    for (int k = 0; k < r->naxis; k++) SW_TRY(read_axis(r, k));
    SW_TRY(read_counts(r, "n_ok"));
    SW_TRY(read_counts(r, "n_runs"));
    for (int j = 0; j < r->what->nof; j++)
        for (int k = 0; k < SW_STATISTICS_COUNT; k++)
            if (r->what->what >> k & 1) SW_TRY(read_statistic(r, r->what->of[j], k));
    return SW_OK;
}

static enum sw_status read_file(const char *file, struct reading *r)
{
    sw_hdf5_lock();
    enum sw_status st = sw_h5_open(&r->h, file);
    if (!st) st = read_all(r);
    const enum sw_status closed = sw_h5_close(&r->h);
    sw_hdf5_unlock();
    return st ? st : closed;
}

enum sw_status sw_statistics_table_read(const char *file, const struct sw_run_table *runs,
                                        struct sw_statistics_table *table)
{
    struct reading r = {.runs = runs, .table = table, .what = sw_run_table_statistics(runs)};
    *table = (struct sw_statistics_table){0};
    if (!*r.what->text)
        return SW_FAIL(SW_E_REFUSED, "%s has no statistics: add statistics = { over = ...; of = ...; } to the config, "
                       "and `sweep run` forms them of the runs that are there", file);
    if (sw_files_absent(file))
        return SW_FAIL(SW_E_REFUSED, "%s is not there yet: statistics are formed when its parts are joined", file);
    if (!r.what->what) return SW_FAIL(SW_E_IO, "%s has statistics that this version of sweep does not know", file);
    const enum sw_status st = read_file(file, &r);
    if (st) sw_statistics_table_free(table);
    return st;
}

void sw_statistics_table_free(struct sw_statistics_table *t)
{
    for (int k = 0; k < t->ncolumn; k++) {
        struct sw_statistics_column *c = &t->column[k];
        sw_free(c->name);
        sw_free(c->number);
        sw_free(c->count);
        if (c->text) sw_h5_free_texts(&c->text, t->nrow);
    }
    sw_free(t->column);
    *t = (struct sw_statistics_table){0};
}
