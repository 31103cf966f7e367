#include "store/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "field/sum.h"

/* ---- which runs go together */

struct keyed { uint64_t key; int64_t row; };

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* Number keys in the order in which they come.
 * @param k       [n] the key of each row, rows ascending; lost
 * @param number  out [n] of each row's key
 * @param first   out [*count] the first row of each key; free with sw_free() */
static enum sw_status number_keys(struct keyed *k, int64_t n, int64_t *number, int64_t *count, int64_t **first)
{
    int64_t distinct = 0;
    *count = 0;
    struct keyed *leader;
    SW_TRY(sw_alloc((size_t)n, &leader));
    qsort(k, (size_t)n, sizeof *k, by_key);
    for (int64_t j = 0; j < n; j++)
        if (!j || k[j].key != k[j - 1].key) leader[distinct++] = (struct keyed){(uint64_t)j, k[j].row};
    qsort(leader, (size_t)distinct, sizeof *leader, by_row);
    enum sw_status st = sw_alloc((size_t)distinct, first);
    for (int64_t v = 0; v < distinct && !st; v++) {
        const int64_t begin = (int64_t)leader[v].key;
        (*first)[v] = leader[v].row;
        for (int64_t j = begin; j < n && k[j].key == k[begin].key; j++) number[k[j].row] = v;
    }
    *count = distinct;
    sw_free(leader);
    return st;
}

static uint64_t bits_of(double v)
{
    uint64_t bits;
    v += 0.0;  /* -0 is 0 */
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

struct finding {
    const struct sw_run_table *t;
    struct keyed *key;               /* [nruns]                                        */
    int64_t *value, *point, *place;  /* [nruns] value of the axis; ensemble; of a grid */
    double   points;                 /* product of the sizes                           */
};

/* Tell rows apart by one more axis. Numbers of values and of ensembles are below those of runs, some 10^7. */
static enum sw_status split_by_axis(struct finding *f, struct sw_ensembles *e, int k)
{
    const int64_t n = f->t->nruns;
    const double *param = f->t->param + (size_t)e->param[k] * (size_t)n;
    for (int64_t j = 0; j < n; j++) f->key[j] = (struct keyed){bits_of(param[j]), j};
    SW_TRY(number_keys(f->key, n, f->value, &e->size[k], &e->sample[k]));
    f->points *= (double)e->size[k];
    for (int64_t j = 0; j < n; j++) {
        f->key[j] = (struct keyed){(uint64_t)f->point[j] * (uint64_t)e->size[k] + (uint64_t)f->value[j], j};
        if (f->points <= (double)n) f->place[j] = f->place[j] * e->size[k] + f->value[j];
    }
    sw_free(e->first);
    e->first = NULL;
    return number_keys(f->key, n, f->point, &e->count, &e->first);
}

/* By a pass over the rows that counts, and one that places them. */
static enum sw_status gather_rows(const struct finding *f, struct sw_ensembles *e)
{
    const struct sw_run_table *t = f->t;
    const int64_t *point = e->grid ? f->place : f->point;
    SW_TRY(sw_alloc((size_t)e->count, &e->nruns));
    SW_TRY(sw_alloc((size_t)e->count, &e->nok));
    SW_TRY(sw_alloc((size_t)e->count + 1, &e->begin));
    SW_TRY(sw_alloc((size_t)t->nruns, &e->row));
    for (int64_t j = 0; j < t->nruns; j++) {
        e->nruns[point[j]]++;
        e->nok[point[j]] += sw_run_table_status(t, j) == SW_RUN_DONE;
    }
    for (int64_t p = 0; p < e->count; p++) {
        e->begin[p + 1] = e->begin[p] + e->nok[p];
        if (e->nok[p] > e->largest) e->largest = e->nok[p];
        e->nok[p] = 0;
    }
    for (int64_t j = 0; j < t->nruns; j++)
        if (sw_run_table_status(t, j) == SW_RUN_DONE) e->row[e->begin[point[j]] + e->nok[point[j]]++] = j;
    return SW_OK;
}

static enum sw_status find_ensembles(struct finding *f, const struct sw_statistics *what, struct sw_ensembles *e)
{
    const size_t n = (size_t)f->t->nruns, most = (size_t)f->t->nparam;
    SW_TRY(sw_alloc(n, &f->key));
    SW_TRY(sw_alloc(n, &f->value));
    SW_TRY(sw_alloc(n, &f->point));
    SW_TRY(sw_alloc(n, &f->place));
    SW_TRY(sw_alloc(most, &e->param));
    SW_TRY(sw_alloc(most, &e->size));
    SW_TRY(sw_alloc(most, &e->sample));
    SW_TRY(sw_alloc(1, &e->first));
    e->count = 1;
    for (int k = 0; k < f->t->nparam; k++)
        if (!sw_statistics_is_over(what, f->t->param_name[k])) e->param[e->naxis++] = k;
    for (int k = 0; k < e->naxis; k++) SW_TRY(split_by_axis(f, e, k));
    e->grid = e->naxis <= SW_ENSEMBLE_AXES && f->points == (double)e->count;
    return gather_rows(f, e);
}

enum sw_status sw_ensembles_find(const struct sw_run_table *t, const struct sw_statistics *what, struct sw_ensembles *e)
{
    struct finding f = {.t = t, .points = 1};
    *e = (struct sw_ensembles){0};
    const enum sw_status st = find_ensembles(&f, what, e);
    sw_free(f.key);
    sw_free(f.value);
    sw_free(f.point);
    sw_free(f.place);
    if (st) sw_ensembles_free(e);
    return st;
}

void sw_ensembles_free(struct sw_ensembles *e)
{
    for (int k = 0; e->sample && k < e->naxis; k++) sw_free(e->sample[k]);
    sw_free(e->param);
    sw_free(e->size);
    sw_free(e->sample);
    sw_free(e->first);
    sw_free(e->nruns);
    sw_free(e->nok);
    sw_free(e->begin);
    sw_free(e->row);
    *e = (struct sw_ensembles){0};
}

/* ---- arithmetic */

/* @param v  [n] ascending */
static double quantile_of(const double *v, int64_t n, double p)
{
    const double at = (double)(n - 1) * p;
    const int64_t below = (int64_t)at;
    if (below >= n - 1) return v[n - 1];
    const double part = at - (double)below;
    return part > 0 ? v[below] + part * (v[below + 1] - v[below]) : v[below];
}

struct described { double of[SW_STATISTICS_COUNT]; bool whole; };

/* All but quantiles. @param v  [n] @param square  scratch [n] */
static struct described describe(const double *v, int64_t n, double *square)
{
    struct described d = {.whole = n > 0};
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) d.of[k] = NAN;
    for (int64_t j = 0; j < n; j++) d.whole &= !isnan(v[j]);
    if (!d.whole) return d;
    const double mean = sw_sum_pairwise(v, n) / (double)n;
    double least = v[0], most = v[0];
    for (int64_t j = 0; j < n; j++) {
        square[j] = (v[j] - mean) * (v[j] - mean);
        least = v[j] < least ? v[j] : least;
        most = v[j] > most ? v[j] : most;
    }
    d.of[SW_STATISTIC_MEAN] = mean;
    d.of[SW_STATISTIC_MIN] = least;
    d.of[SW_STATISTIC_MAX] = most;
    if (n < 2) return d;
    d.of[SW_STATISTIC_VAR] = sw_sum_pairwise(square, n) / (double)(n - 1);
    d.of[SW_STATISTIC_SEM] = sqrt(d.of[SW_STATISTIC_VAR] / (double)n);
    return d;
}

/* @param v  [n] the numbers of a cell of ensemble p; sorted here */
static void form_cell(const struct sw_ensembles *e, const struct sw_statistics *what, int64_t p, double *v,
                      double *square, int64_t cell, int64_t cells, double *const result[SW_STATISTICS_COUNT])
{
    const int64_t n = e->nok[p];
    const struct described d = describe(v, n, square);
    double *quantile = result[SW_STATISTIC_QUANTILES];
    for (int k = 0; k < SW_STATISTICS_COUNT; k++)
        if (result[k] && result[k] != quantile) result[k][p * cells + cell] = d.of[k];
    if (!quantile) return;
    if (d.whole) qsort(v, (size_t)n, sizeof *v, sw_by_real);
    for (int q = 0; q < what->nquantile; q++)
        quantile[(p * what->nquantile + q) * cells + cell] = d.whole ? quantile_of(v, n, what->quantile[q]) : NAN;
}

/* A line of the cache has the numbers of eight cells: they are gathered together. */
void sw_ensembles_form(const struct sw_ensembles *e, const struct sw_statistics *what, const double *value,
                       int64_t cells, double *const result[SW_STATISTICS_COUNT], double *scratch)
{
    enum { TOGETHER = SW_ENSEMBLE_LANES - 1 };
    double *square = scratch + TOGETHER * e->largest;
    for (int64_t p = 0; p < e->count; p++)
        for (int64_t cell = 0; cell < cells; cell += TOGETHER) {
            const int64_t here = cells - cell < TOGETHER ? cells - cell : TOGETHER;
            for (int64_t j = 0; j < e->nok[p]; j++)
                for (int64_t c = 0; c < here; c++)
                    scratch[c * e->largest + j] = value[e->row[e->begin[p] + j] * cells + cell + c];
            for (int64_t c = 0; c < here; c++)
                form_cell(e, what, p, scratch + c * e->largest, square, cell + c, cells, result);
        }
}
