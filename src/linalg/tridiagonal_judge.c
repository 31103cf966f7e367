/* Look at a tridiagonal system that a solver has not solved in all its rows, or not to finite numbers: one elimination
 * over all its rows, on the host, by the formulas of relation_point.h with IEEE divisions.
 *
 * Rows, then columns, are scaled by powers of two first, which rounds nothing, so that the largest entry of each is in
 * [1/2, 1): a pivot is then below 2^-1000 only where the matrix is singular to some 300 digits. Right-hand sides are
 * scaled together where an unknown leaves the range of numbers on the way. */
#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "base/sw_mem.h"
#include "linalg/relation_point.h"
#include "linalg/sw_tridiagonal_impl.h"
#include "linalg/tridiagonal_row_point.h"

struct system {
    int64_t n;
    bool    cyclic;
    const struct sw_tridiagonal_rows *rows;
    int    *column;              /* [n]: of entries times 2^-column, after rows have been scaled */
    int     rhs;                 /* right-hand sides are times 2^-rhs                            */
    struct relation_pivot *pivot;  /* [n]                                                        */
    double  least;               /* pivot of an elimination, and its column                      */
    int64_t least_at;
};

struct row { double a, b, c, d; };

/* 2^exponent is above the largest, by less than a factor of two. A row of zeros: 0. */
static int exponent_of(double a, double b, double c)
{
    int exponent = 0;
    frexp(fmax(fmax(fabs(a), fabs(b)), fabs(c)), &exponent);
    return exponent;
}

static struct row read_row(const struct system *y, int64_t i)
{
    return (struct row){i > 0 || y->cyclic ? y->rows->lower[i] : 0, y->rows->main[i],
                        i < y->n - 1 || y->cyclic ? y->rows->upper[i] : 0, y->rows->rhs[i]};
}

static int64_t before(const struct system *y, int64_t i) { return i > 0 ? i - 1 : y->n - 1; }
static int64_t behind(const struct system *y, int64_t i) { return i < y->n - 1 ? i + 1 : 0; }

static struct row scaled_row(const struct system *y, int64_t i)
{
    const struct row r = read_row(y, i);
    const int e = exponent_of(r.a, r.b, r.c);
    return (struct row){ldexp(r.a, -e - y->column[before(y, i)]), ldexp(r.b, -e - y->column[i]),
                        ldexp(r.c, -e - y->column[behind(y, i)]), ldexp(r.d, -e - y->rhs)};
}

/* The first row with an entry that is not finite; else the first row of zeros; else FINE. */
static struct sw_tridiagonal_outcome check_rows(const struct system *y)
{
    struct sw_tridiagonal_outcome first = {SW_TRIDIAGONAL_FINE, -1};
    for (int64_t i = 0; i < y->n; i++) {
        const struct row r = read_row(y, i);
        if (!(isfinite(r.a) && isfinite(r.b) && isfinite(r.c) && isfinite(r.d)))
            return (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_ENTRY, i};
        if (r.a == 0 && r.b == 0 && r.c == 0 && !first.fault)
            first = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_SINGULAR, i};
    }
    return first;
}

static void note_exponent(double entry, int row_exponent, int *column)
{
    int e;
    if (entry == 0) return;
    frexp(entry, &e);
    if (e - row_exponent > *column) *column = e - row_exponent;
}

/* @return the first column of zeros, -1: none */
static int64_t scale_columns(const struct system *y)
{
    for (int64_t i = 0; i < y->n; i++) y->column[i] = INT_MIN;
    for (int64_t i = 0; i < y->n; i++) {
        const struct row r = read_row(y, i);
        const int e = exponent_of(r.a, r.b, r.c);
        note_exponent(r.a, e, &y->column[before(y, i)]);
        note_exponent(r.b, e, &y->column[i]);
        note_exponent(r.c, e, &y->column[behind(y, i)]);
    }
    for (int64_t i = 0; i < y->n; i++)
        if (y->column[i] == INT_MIN) return i;
    return -1;
}

/* The largest exponent of the right-hand sides. */
static int scale_of_rhs(const struct system *y)
{
    int largest = INT_MIN;
    for (int64_t i = 0; i < y->n; i++) {
        const struct row r = read_row(y, i);
        note_exponent(r.d, exponent_of(r.a, r.b, r.c), &largest);
    }
    return largest == INT_MIN ? 0 : largest;
}

static const double least_pivot = 0x1p-1000;

static bool is_pivot(struct system *y, double pivot, int64_t column)
{
    if (!(fabs(pivot) >= y->least)) {
        y->least = fabs(pivot);
        y->least_at = column;
    }
    return fabs(pivot) >= least_pivot;
}

/* The relation of all rows, and the pivot rows of columns 1 .. n-2.
 * @return the first column without a pivot, -1: none */
static int64_t eliminate(struct system *y, double relation[10])
{
    const struct row r = scaled_row(y, 0);
    if (y->n == 1) {
        relation_of_row(r.a, r.b, r.c, r.d, relation);
        return -1;
    }
    const struct row s = scaled_row(y, 1);
    struct relation_rows w = relation_begin(r.a, r.b, r.c, r.d, s.a, s.b, s.c, s.d);
    for (int64_t i = 1; i < y->n - 1; i++) {
        const struct row next = scaled_row(y, i + 1);
        if (!is_pivot(y, fmax(fmax(fabs(w.p1), fabs(w.p2)), fabs(next.a)), i)) return i;
        relation_eliminate(&w, next.a, next.b, next.c, next.d, &y->pivot[i]);
    }
    relation_of_rows(&w, relation);
    return -1;
}

/* Of the two equations that remain, in x[0] and x[n-1]: the column without a pivot, as relation_close() would divide by
 * it; -1: none. */
static int64_t column_not_closed(struct system *y, const double *w)
{
    const double t1 = y->cyclic ? w[1] + w[3] : w[1], p1 = y->cyclic ? w[2] + w[0] : w[2],
                 t2 = y->cyclic ? w[6] + w[8] : w[6], p2 = y->cyclic ? w[7] + w[5] : w[7];
    const bool swap = fabs(t2) > fabs(t1);
    const double t = swap ? t2 : t1, m = swap ? t1 / t2 : t2 / t1,
                 p = swap ? fma(-m, p2, p1) : fma(-m, p1, p2);
    return !is_pivot(y, t, 0) ? 0 : !is_pivot(y, p, y->n - 1) ? y->n - 1 : -1;
}

static void substitute(int64_t n, const struct relation_pivot *pivot, const double ends[4], double *x)
{
    double x1 = ends[2], x2 = ends[3];
    x[n - 1] = ends[2];
    for (int64_t i = n - 2; i >= 1; i--) {
        x[i] = relation_unknown(&pivot[i], ends[0], ends[1], x1, x2);
        x2 = x1;
        x1 = x[i];
    }
    x[0] = ends[1];
}

/* Solve, with right-hand sides times 2^-rhs: x is times 2^(column - rhs) then. @return whether all of it is finite */
static bool solve_scaled(struct system *y, int rhs, double *x, struct sw_tridiagonal_outcome *outcome)
{
    double relation[10], ends[4];
    y->rhs = rhs;
    y->least = INFINITY;
    int64_t column = eliminate(y, relation);
    if (column < 0) column = column_not_closed(y, relation);
    if (column >= 0) {
        *outcome = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_SINGULAR, column};
        return true;
    }
    relation_close(1, relation, y->cyclic, ends);
    substitute(y->n, y->pivot, ends, x);
    for (int64_t i = 0; i < y->n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static void judge_scaled(struct system *y, double *x, struct sw_tridiagonal_outcome *outcome)
{
    const int largest = scale_of_rhs(y);
    bool finite = solve_scaled(y, 0, x, outcome);
    for (int k = 0; k < 3 && !finite; k++) finite = solve_scaled(y, largest + 500 * k, x, outcome);
    if (outcome->fault) return;
    for (int64_t i = 0; i < y->n; i++) {
        x[i] = ldexp(x[i], y->rhs - y->column[i]);
        if (!isfinite(x[i]) && !outcome->fault)
            *outcome = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_OVERFLOW, i};
    }
}

/* The largest entry of A x - f, rows and columns scaled, where the largest unknown is near 1; infinite where x is not
 * finite. */
static double error_of(struct system *y, const double *x)
{
    double largest = 0;
    y->rhs = INT_MIN;
    for (int64_t i = 0; i < y->n; i++) {
        if (!isfinite(x[i])) return INFINITY;
        note_exponent(x[i], -y->column[i], &y->rhs);
    }
    if (y->rhs == INT_MIN) y->rhs = 0;
    for (int64_t i = 0; i < y->n; i++) {
        const struct row r = scaled_row(y, i);
        const int64_t j = before(y, i), k = behind(y, i);
        largest = fmax(largest, fabs(fma(r.a, ldexp(x[j], y->column[j] - y->rhs),
                                         fma(r.b, ldexp(x[i], y->column[i] - y->rhs),
                                             fma(r.c, ldexp(x[k], y->column[k] - y->rhs), -r.d)))));
    }
    return largest;
}

static void judge_x(struct system *y, const double *x, double *solution, bool *better,
                    struct sw_tridiagonal_outcome *outcome)
{
    const bool singular = sw_tridiagonal_is_singular(y->n, y->cyclic, y->rows);
    const double error = singular ? INFINITY : error_of(y, x);
    if (!(error > TRIDIAGONAL_ROW_LIMIT)) return;
    judge_scaled(y, solution, outcome);
    if (singular) *outcome = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_SINGULAR, y->least_at};
    else if (outcome->fault == SW_TRIDIAGONAL_SINGULAR) outcome->fault = SW_TRIDIAGONAL_BREAKDOWN;
    *better = !outcome->fault && (isinf(error) || error_of(y, solution) < error);
}

enum sw_status sw_tridiagonal_judge(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows, const double *x,
                                    double *solution, bool *better, struct sw_tridiagonal_outcome *outcome)
{
    struct system y = {.n = n, .cyclic = cyclic, .rows = rows};
    *better = false;
    *outcome = check_rows(&y);
    if (outcome->fault) return SW_OK;
    enum sw_status st = sw_alloc((size_t)n, &y.column);
    if (!st) st = sw_alloc((size_t)n, &y.pivot);
    if (!st) {
        const int64_t column = scale_columns(&y);
        if (column >= 0) *outcome = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_SINGULAR, column};
        else judge_x(&y, x, solution, better, outcome);
    }
    sw_free(y.pivot);
    sw_free(y.column);
    return st;
}
