/* How accurate every row of the table of tridiagonal solvers is on the matrices of the paper's table III
 * (table_iii.h): beside LAPACK's elimination in double ("dgtsv") against the same in quadruple precision.
 *   bench_accuracy [SEEDS [N]]     default: 20 512
 * CSV: a line a matrix, seed and row. The right-hand side is from U(-1, 1); errors that are not finite are empty, with
 * the fault (sw_tridiagonal.h) in the last column. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sw_mem.h"
#include "device/sw_device.h"
#include "linalg/sw_tridiagonal_impl.h"
#include "problem/tridiagonal/matrices.h"
#include "table_iii.h"
#include "need.h"

static double *put(struct sw_device *device, const double *host, int64_t n)
{
    double *p = NULL;
    need(sw_device_alloc(device, (size_t)n, &p));
    need(sw_device_upload(device, p, host, (size_t)n * sizeof *p));
    return p;
}

/* @return whether the row does that */
static bool solve(const struct sw_tridiagonal_ops *row, struct sw_device *device, const struct tri *t, double *x,
                  struct sw_tridiagonal_outcome *outcome)
{
    const struct sw_tridiagonal_desc d = {.n = t->n, .batch = 1};
    struct sw_tridiagonal *s = NULL;
    if (!device || row->absent || (row->refuse && row->refuse(&d))) return false;
    if (sw_tridiagonal_create(&d, row->name, device, &s)) return false;  /* no LAPACK, no cuSPARSE */
    double *p[] = {put(device, t->lower, t->n), put(device, t->main, t->n), put(device, t->upper, t->n),
                   put(device, t->rhs, t->n), put(device, t->rhs, t->n)};
    const struct sw_tridiagonal_rows rows = {p[0], p[1], p[2], p[3]};
    need(sw_tridiagonal_solve(s, &rows, p[4]));
    need(sw_tridiagonal_outcome(s, &rows, p[4], outcome));
    need(sw_device_download(device, x, p[4], (size_t)t->n * sizeof *x));
    sw_tridiagonal_destroy(&s);
    for (int k = 0; k < 5; k++) sw_device_free(device, p[k]);
    return true;
}

static void print_number(double value)
{
    if (isfinite(value)) printf(",%.6g", value);
    else printf(",");
}

/* As the program calls them, whose off-diagonals are random numbers in all four that table III has as Toeplitz. */
static const char *name_of(int type)
{
    static const int random[] = {2, 6, 14, 16};
    if (type == 2) return "main_1e8 Toeplitz";
    if (type == 6) return "main_64 Toeplitz";
    if (type == 14) return "main_1e8_inverse Toeplitz";
    if (type == 16) return "zero_main Toeplitz";
    return tridiagonal_matrix_word((type > 16 ? random[type - 17] : type) - 1);
}

struct matrix { int type; uint64_t seed; struct tri t; double condition; quad *exact; };

static void print_row(const struct matrix *m, const char *row, const double *x, int fault)
{
    const struct errors e = errors_of(&m->t, x);
    printf("%s,%lld,%d,%s", name_of(m->type), (long long)m->t.n, (int)m->seed, row);
    print_number(m->condition);
    print_number(e.backward);
    print_number(e.residual);
    print_number(forward_error_of(m->t.n, x, m->exact));
    printf(",%d\n", fault);
}

static void measure(struct matrix *m, struct sw_device *const device[2])
{
    struct sw_tridiagonal_outcome outcome;
    double *x = NULL;
    need(sw_alloc((size_t)m->t.n, &x));
    need(sw_alloc((size_t)m->t.n, &m->exact));
    set_rhs(&m->t, false, m->seed);
    m->condition = condition_of(&m->t);
    solve_quad(&m->t, m->exact);
    solve_double(&m->t, x);
    print_row(m, "dgtsv", x, 0);
    for (int k = 0; sw_tridiagonal_table[k]; k++)
        if (solve(sw_tridiagonal_table[k], device[sw_tridiagonal_table[k]->space == SW_DEVICE], &m->t, x, &outcome))
            print_row(m, sw_tridiagonal_table[k]->name, x, outcome.fault);
    sw_free(m->exact);
    sw_free(x);
}

int main(int argc, char **argv)
{
    const int seeds = argc > 1 ? atoi(argv[1]) : 20;
    const int64_t n = argc > 2 ? atoll(argv[2]) : 512;
    struct sw_device *device[2] = {NULL, NULL};
    if (seeds < 1 || n < 3) return fprintf(stderr, "usage: bench_accuracy [SEEDS [N]]\n"), 2;
    need(sw_device_open("cpu", 0, &device[0]));
    (void)sw_device_open("cuda", 0, &device[1]);
    printf("matrix,n,seed,row,condition,backward_error,residual,forward_error,fault\n");
    for (int type = 1; type <= TABLE_III_TYPES; type++)
        for (int seed = 1; seed <= seeds && is_regular(type, n); seed++) {
            struct matrix m = {type, (uint64_t)seed, make_table_iii(type, n, 512, (uint64_t)seed), 0, NULL};
            measure(&m, device);
            tri_free(&m.t);
        }
    sw_device_close(&device[0]);
    sw_device_close(&device[1]);
    return 0;
}
