/* The method of the paper on the CPU, one system after another: A = L R without pivoting (cuPentBatch, II.4), periodic
 * systems by Navon's closure (II.3). The reference for all other solvers.
 *
 * A solve reads 5 factors an unknown, and 2 more when periodic, 64 bytes with x, and does 8 or 12 operations. Its time
 * is that of the two recursions, whose every step waits for the one before. */
#include <math.h>

#include "linalg/sw_band_impl.h"

struct thomas {
    int              p, m;    /* unknowns split off, and those left                          */
    double          *factor;  /* [batch][5][m]: inverse, a, b, gamma, delta (penta_point.h)  */
    double          *Z;       /* [batch][2][m]: Z = E^-1 k, a line a border column           */
    struct sw_border *border; /* [batch]                                                     */
    int             *bad;     /* [batch]: 0, or 1 + row of a bad pivot                       */
};

/* One system's part of all that. */
struct system { struct sw_thomas_factors f; double *Z0, *Z1; struct sw_border *border; };

static struct system system_of(const struct thomas *t, int j)
{
    size_t m = (size_t)t->m;
    double *f = t->factor + (size_t)j * 5 * m, *z = t->p ? t->Z + (size_t)j * 2 * m : NULL;
    return (struct system){{f, f + m, f + 2 * m, f + 3 * m, f + 4 * m, 1}, z, z ? z + m : NULL, t->border + j};
}

static enum sw_status thomas_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct thomas *t = s->own;
    t->p = sw_band_border(d);
    t->m = d->n - t->p;
    size_t batch = (size_t)d->batch, line = batch * (size_t)t->m;
    sw_array(&s->arrays, 5 * line, &t->factor);
    sw_array(&s->arrays, t->p ? 2 * line : 0, &t->Z);
    sw_array(&s->arrays, batch, &t->border);
    sw_array(&s->arrays, batch, &t->bad);
    return s->arrays.status;
}

/* E x = f in place. */
static void solve_e(const struct system *y, int m, double *x)
{
    sw_thomas_inner_solve(m, 1, y->f.inverse, y->f.a, y->f.b, y->f.gamma, y->f.delta, x);
}

/* @return 0, or 1 + the row of a bad pivot */
static int factor_one(const struct sw_band *s, const double *band, const struct thomas *t, int j)
{
    struct system y = system_of(t, j);
    struct sw_thomas_matrix A = sw_band_matrix(s, band, j);
    return sw_thomas_prepare(&A, &y.f, y.border, y.Z0, y.Z1);
}

static enum sw_status thomas_factor(struct sw_band *s, const double *band, int *bad)
{
    struct thomas *t = s->own;
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) t->bad[j] = factor_one(s, band, t, j);
    return sw_band_report(s, t->bad, bad);
}

static void thomas_solve_one(const struct sw_band *s, int j, double *x)
{
    const struct thomas *t = s->own;
    struct system y = system_of(t, j);
    if (t->bad[j]) {
        for (int i = 0; i < s->desc.n; i++) x[i] = NAN;
        return;
    }
    solve_e(&y, t->m, x);
    if (t->p) sw_thomas_correct(y.border, s->desc.n, t->p, 1, y.Z0, y.Z1, x);
}

static enum sw_status thomas_solve(const struct sw_band *s, double *x)
{
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) thomas_solve_one(s, j, x + (size_t)j * (size_t)s->desc.ld);
    return SW_OK;
}

/* 5 factors and the solution read and written once, 56 bytes (a line stays in the cache between its two sweeps), and 9
 * operations; periodic systems read 2 columns of Z, 16 bytes and 4 operations more. */
static struct sw_cost thomas_cost(const struct sw_band_desc *desc)
{
    return desc->periodic ? (struct sw_cost){72, 13} : (struct sw_cost){56, 9};
}

extern const struct sw_band_ops band_thomas_cpu;
const struct sw_band_ops band_thomas_cpu = {
    .name = "cpu.thomas",
    .about = "LR factors without pivoting, Navon's closure for periodic systems (cuPentBatch, II.3-4): the reference",
    .space = SW_HOST,
    .layout = SW_LINES,
    .vectors = 5 + 2,  /* five factors, two columns of Z */
    .own_size = sizeof(struct thomas),
    .fits = sw_band_narrow,
    .create = thomas_create,
    .factor = thomas_factor,
    .solve = thomas_solve,
    .solve_one = thomas_solve_one,
    .cost = thomas_cost,
};
