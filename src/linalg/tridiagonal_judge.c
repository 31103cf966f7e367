/* Look at a tridiagonal system that a solver has not solved to finite numbers: one elimination over all its rows, on
 * the host, by the formulas of relation_point.h with IEEE divisions. Each row is scaled by a power of two first, which
 * rounds nothing, so that its largest entry is in [1/2, 1): a pivot then leaves the range of numbers only where the
 * matrix is singular to some 300 digits. */
#include <math.h>
#include <stddef.h>

#include "base/sw_mem.h"
#include "linalg/relation_point.h"
#include "linalg/sw_tridiagonal_impl.h"

struct row { double a, b, c, d; };

/* What keeps a row from being eliminated at all; else the row, scaled. */
static enum sw_tridiagonal_fault read_row(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows, int64_t i,
                                          struct row *row)
{
    const double a = i > 0 || cyclic ? rows->lower[i] : 0, b = rows->main[i],
                 c = i < n - 1 || cyclic ? rows->upper[i] : 0, largest = fmax(fmax(fabs(a), fabs(b)), fabs(c));
    int exponent;
    if (!(isfinite(a) && isfinite(b) && isfinite(c) && isfinite(rows->rhs[i]))) return SW_TRIDIAGONAL_ENTRY;
    if (largest == 0) return SW_TRIDIAGONAL_SINGULAR;
    frexp(largest, &exponent);
    *row = (struct row){ldexp(a, -exponent), ldexp(b, -exponent), ldexp(c, -exponent), ldexp(rows->rhs[i], -exponent)};
    return SW_TRIDIAGONAL_FINE;
}

static struct sw_tridiagonal_outcome check_rows(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows)
{
    struct sw_tridiagonal_outcome first = {SW_TRIDIAGONAL_FINE, -1};
    struct row row;
    for (int64_t i = 0; i < n; i++) {
        const enum sw_tridiagonal_fault fault = read_row(n, cyclic, rows, i, &row);
        if (fault == SW_TRIDIAGONAL_ENTRY) return (struct sw_tridiagonal_outcome){fault, i};
        if (fault && !first.fault) first = (struct sw_tridiagonal_outcome){fault, i};
    }
    return first;
}

static bool is_zero_pivot(const struct relation_rows *w, double a) { return w->p1 == 0 && w->p2 == 0 && a == 0; }

/* The relation of all rows; pivot[i] of column i, 1 <= i <= n-2. @return the first column without a pivot, -1: none */
static int64_t eliminate(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows, struct relation_pivot *pivot,
                         double relation[10])
{
    struct row r, s;
    read_row(n, cyclic, rows, 0, &r);
    if (n == 1) {
        relation_of_row(r.a, r.b, r.c, r.d, relation);
        return -1;
    }
    read_row(n, cyclic, rows, 1, &s);
    struct relation_rows w = relation_begin(r.a, r.b, r.c, r.d, s.a, s.b, s.c, s.d);
    for (int64_t i = 1; i < n - 1; i++) {
        read_row(n, cyclic, rows, i + 1, &r);
        if (is_zero_pivot(&w, r.a)) return i;
        relation_eliminate(&w, r.a, r.b, r.c, r.d, &pivot[i]);
    }
    relation_of_rows(&w, relation);
    return -1;
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

enum sw_status sw_tridiagonal_judge(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows, double *x,
                                    struct sw_tridiagonal_outcome *outcome)
{
    struct relation_pivot *pivot;
    double relation[10], ends[4], determinant;
    *outcome = check_rows(n, cyclic, rows);
    if (outcome->fault) return SW_OK;
    SW_TRY(sw_alloc((size_t)n, &pivot));
    outcome->row = eliminate(n, cyclic, rows, pivot, relation);
    if (outcome->row >= 0) outcome->fault = SW_TRIDIAGONAL_SINGULAR;
    else {
        const double *w = relation;
        determinant = cyclic ? (w[1] + w[3]) * (w[7] + w[5]) - (w[2] + w[0]) * (w[6] + w[8])
                             : w[1] * w[7] - w[2] * w[6];
        relation_close(relation, cyclic, ends);
        substitute(n, pivot, ends, x);
        for (int64_t i = 0; i < n && !outcome->fault; i++)
            if (!isfinite(x[i]))
                *outcome = (struct sw_tridiagonal_outcome){
                    determinant == 0 ? SW_TRIDIAGONAL_SINGULAR : SW_TRIDIAGONAL_OVERFLOW, determinant == 0 ? n - 1 : i};
    }
    sw_free(pivot);
    return SW_OK;
}
