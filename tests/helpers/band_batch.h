#ifndef BAND_BATCH_H
#define BAND_BATCH_H
/* Batches of banded systems for tests of all rows of band_table.c. Matrices and vectors are kept line by line, entry i
 * of system j at [j*n + i], band row r after band row; put() and get() carry them to a row's layout and memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/sw_band_impl.h"

#define ROW_OPS sw_band_ops
#include "row_helpers.h"

/* Some rows solve symmetric systems only, or batches whose matrices are all equal. */
static inline struct sw_band_desc suited(struct sw_band_desc d)
{
    struct sw_band_desc uniform = d;
    uniform.uniform = true;
    if (!under_test->fits || under_test->fits(&d)) return d;
    if (under_test->fits(&uniform)) return uniform;
    d.symmetric = d.lower == d.upper;
    return d;
}

static inline struct sw_band_desc five_diagonals(int n, int batch, bool periodic)
{
    return suited((struct sw_band_desc){.n = n, .batch = batch, .lower = 2, .upper = 2, .periodic = periodic});
}

static inline bool only_uniform(void) { return five_diagonals(16, 1, false).uniform; }

/* LAPACK may be there when the tests are built and not when they run. */
static inline void need_row_and_library(void)
{
    struct sw_band *s = NULL;
    const struct sw_band_desc smallest = five_diagonals(5, 1, false);
    need_row();
    if (sw_band_create(&smallest, under_test->name, device, &s) == SW_E_ABSENT)
        skip_unless_needed(under_test->name, sw_err_message());
    sw_band_destroy(&s);
}

/* ---- a batch of systems on the host */

struct batch {
    struct sw_band_desc d;
    double *band;  /* [lower+upper+1][batch][n] */
    double *x;     /* [batch][n] */
    double *b;     /* [batch][n]: A x */
};

static inline int rows(const struct sw_band_desc *d) { return d->lower + d->upper + 1; }

static inline size_t entries(const struct sw_band_desc *d) { return (size_t)d->n * (size_t)d->batch; }

static inline struct batch make_batch(struct sw_band_desc d)
{
    return (struct batch){d, zeros(rows(&d) * entries(&d)), zeros(entries(&d)), zeros(entries(&d))};
}

static inline void free_batch(struct batch *y)
{
    sw_free(y->band);
    sw_free(y->x);
    sw_free(y->b);
}

static inline double *entry(const struct batch *y, int j, int i, int off)
{
    return y->band + ((size_t)(off + y->d.lower) * y->d.batch + j) * y->d.n + i;
}

/* b = A x; norm: the largest row sum of |A|. */
static inline void multiply(const struct batch *y, int j, const double *x, double *b, double *norm)
{
    const struct sw_band_desc *d = &y->d;
    *norm = 0.0;
    for (int i = 0; i < d->n; i++) {
        double sum = 0.0, size = 0.0;
        for (int off = -d->lower; off <= d->upper; off++) {
            int column = i + off;
            if (d->periodic) column = (column + d->n) % d->n;
            if (column < 0 || column >= d->n) continue;
            sum += *entry(y, j, i, off) * x[column];
            size += fabs(*entry(y, j, i, off));
        }
        b[i] = sum;
        if (size > *norm) *norm = size;
    }
}

static inline void set_right_hand_sides(struct batch *y)
{
    double norm;
    for (int j = 0; j < y->d.batch; j++) multiply(y, j, y->x + (size_t)j * y->d.n, y->b + (size_t)j * y->d.n, &norm);
}

static inline bool outside(const struct sw_band_desc *d, int i, int off)
{
    return !d->periodic && (i + off < 0 || i + off >= d->n);
}

/* Entries beside the main diagonal; what lies outside the matrix is NaN: nobody may read it. */
static inline void fill_sides(const struct batch *y, int j, uint64_t *seed)
{
    const struct sw_band_desc *d = &y->d;
    for (int i = 0; i < d->n; i++)
        for (int off = -d->lower; off <= d->upper; off++) {
            double value = test_random(seed);
            if (d->symmetric && off > 0 && !outside(d, i, off)) value = *entry(y, j, i, off);  /* from below */
            *entry(y, j, i, off) = outside(d, i, off) ? NAN : value;
            if (d->symmetric && off < 0 && !outside(d, i, off)) *entry(y, j, (i + off + d->n) % d->n, -off) = value;
        }
}

/* ---- carrying it to the row under test */

static inline size_t place(const struct sw_band *s, int i, int j)
{
    const struct sw_band_desc *d = sw_band_shape(s);
    return sw_band_layout(s) == SW_LINES ? (size_t)j * d->ld + i : (size_t)i * d->ld + j;
}

static inline double *put(const struct sw_band *s, const double *lines, int vectors)
{
    const struct sw_band_desc *d = sw_band_shape(s);
    size_t stride = sw_band_vector(s);
    double *host = zeros(stride * vectors), *there = NULL;
    for (int r = 0; r < vectors; r++)
        for (int j = 0; j < d->batch; j++)
            for (int i = 0; i < d->n; i++)
                host[r * stride + place(s, i, j)] = lines[((size_t)r * d->batch + j) * d->n + i];
    assert_ok(sw_device_alloc(device, stride * vectors, &there));
    assert_ok(sw_device_upload(device, there, host, stride * vectors * sizeof *host));
    sw_free(host);
    return there;
}

static inline void get(const struct sw_band *s, const double *there, double *lines)
{
    const struct sw_band_desc *d = sw_band_shape(s);
    double *host = zeros(sw_band_vector(s));
    assert_ok(sw_device_download(device, host, there, sw_band_vector(s) * sizeof *host));
    for (int j = 0; j < d->batch; j++)
        for (int i = 0; i < d->n; i++) lines[(size_t)j * d->n + i] = host[place(s, i, j)];
    sw_free(host);
}

static inline enum sw_status factor(struct sw_band *s, const struct batch *y, int *bad)
{
    double *band = put(s, y->band, rows(&y->d));
    enum sw_status st = sw_band_factor(s, band, bad);
    sw_device_free(device, band);
    return st;
}

static inline void solve(const struct sw_band *s, const double *b, double *x)
{
    double *v = put(s, b, 1);
    assert_ok(sw_band_solve(s, v));
    get(s, v, x);
    sw_device_free(device, v);
}

/* Create, factor, solve. x [batch][n] */
static inline void solve_batch(const struct batch *y, double *x)
{
    struct sw_band *s = NULL;
    assert_ok(sw_band_create(&y->d, under_test->name, device, &s));
    assert_ok(factor(s, y, NULL));
    solve(s, y->b, x);
    sw_band_destroy(&s);
    assert_null(s);
}
#endif
