/* The method of the paper on the CPU, one system after another: A = L R without pivoting (cuPentBatch, II.4), periodic systems
 * by Navon's closure (II.3). The reference for all other solvers.
 *
 * A solve reads 5 factors an unknown, and 2 more when periodic, 64 bytes with x, and does 8 or 12 operations. Its time is that of
 * the two recursions, whose every step waits for the one before. */
#include <math.h>

#include "base/sw_mem.h"
#include "solver/navon_point.h"
#include "solver/penta_point.h"
#include "solver/sw_band_impl.h"

struct thomas {
    int              p;       /* unknowns split off: max(lower, upper) when periodic, else 0 */
    int              m;       /* n - p: the size of E                                        */
    double          *factor;  /* [batch][5][m]: inverse, a, b, gamma, delta (penta_point.h)  */
    double          *w;       /* [batch][2][m]: h^T E^-1, a line a border row                */
    struct sw_navon *closure; /* [batch]                                                     */
    int             *bad;     /* [batch]: 1 + row of a bad pivot                             */
};

/* One system's part of all that. */
struct system { double *inverse, *a, *b, *gamma, *delta, *w[2]; struct sw_navon *closure; };

static struct system system_of(const struct thomas *t, int j)
{
    size_t m = (size_t)t->m;
    double *f = t->factor + (size_t)j * 5 * m;
    double *w = t->w + (size_t)j * 2 * m;
    return (struct system){f, f + m, f + 2 * m, f + 3 * m, f + 4 * m, {w, w + m}, t->closure + j};
}

static bool thomas_fits(const struct sw_band_desc *desc)
{
    (void)desc;
    return true;
}

static enum sw_status thomas_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct thomas *t = NULL;
    SW_TRY(sw_alloc(1, &t));
    s->own = t;
    t->p = d->periodic ? (d->lower > d->upper ? d->lower : d->upper) : 0;
    t->m = d->n - t->p;
    size_t batch = (size_t)d->batch, line = batch * (size_t)t->m;
    SW_TRY(sw_alloc(5 * line, &t->factor));
    SW_TRY(sw_alloc(t->p ? 2 * line : 0, &t->w));
    SW_TRY(sw_alloc(batch, &t->closure));
    SW_TRY(sw_alloc(batch, &t->bad));
    return SW_OK;
}

/* A(i, i + off) of system j. */
static double entry(const struct sw_band *s, const double *band, int i, int off, int j)
{
    return sw_band_entry(s, band, off + s->desc.lower, i, j);
}

/* The same of E, which ends at m and does not wrap. */
static double entry_of_e(const struct sw_band *s, const double *band, int m, int i, int off, int j)
{
    return i + off < 0 || i + off >= m ? 0.0 : entry(s, band, i, off, j);
}

/* @return 0, or 1 + the row of a bad pivot */
static int factor_e(const struct sw_band *s, const double *band, int m, int j, struct system y)
{
    struct sw_penta up = {0}, up2 = {0};
    for (int i = 0; i < m; i++) {
        double e[5];
        for (int k = 0; k < 5; k++) e[k] = entry_of_e(s, band, m, i, k - 2, j);
        struct sw_penta row = sw_penta_factor(e[0], e[1], e[2], e[3], e[4], up, up2);
        if (!isfinite(row.inverse) || row.inverse == 0.0) return 1 + i;
        y.inverse[i] = row.inverse;
        y.a[i] = row.a;
        y.b[i] = row.b;
        y.gamma[i] = row.gamma;
        y.delta[i] = row.delta;
        up2 = up;
        up = row;
    }
    return 0;
}

/* Row `row` (n-2 or n-1) of A: its entries in columns < m go to h, the others to its row c[2] of the border matrix C. */
static void border_row(const struct sw_band *s, const double *band, int m, int row, int j, double *h, double c[2])
{
    int n = s->desc.n;
    for (int off = -s->desc.lower; off <= s->desc.upper; off++) {
        int column = (row + off + n) % n;
        double value = entry(s, band, row, off, j);
        if (column < m) h[column] = value;
        else c[column - (n - 2)] = value;
    }
}

/* E^T w = h in place. */
static void solve_transposed(struct system y, int m, double *w)
{
    double v1 = 0.0, v2 = 0.0;
    for (int i = 0; i < m; i++) {
        double v = sw_penta_across(i > 0 ? y.gamma[i - 1] : 0.0, i > 1 ? y.delta[i - 2] : 0.0, w[i], v1, v2);
        w[i] = v;
        v2 = v1;
        v1 = v;
    }
    v1 = v2 = 0.0;
    for (int i = m - 1; i >= 0; i--) {
        double z = sw_penta_across(i + 1 < m ? y.b[i + 1] : 0.0, i + 2 < m ? y.a[i + 2] : 0.0, w[i], v1, v2);
        w[i] = z * y.inverse[i];
        v2 = v1;
        v1 = z;
    }
}

static void border_columns(const struct sw_band *s, const double *band, int p, int m, int j, double k[6])
{
    if (p == 2) {
        k[0] = entry(s, band, 0, -2, j);
        k[2] = m > 1 ? entry(s, band, 1, -2, j) : 0.0;
        k[3] = m > 1 ? entry(s, band, m - 2, 2, j) : 0.0;
        k[4] = entry(s, band, m - 1, 1, j);
    } else {
        k[0] = k[2] = k[3] = k[4] = 0.0;
    }
    k[1] = entry(s, band, 0, -1, j);
    k[5] = entry(s, band, m - 1, p, j);
}

static int factor_closure(const struct sw_band *s, const double *band, const struct thomas *t, int j, struct system y)
{
    int m = t->m, n = s->desc.n;
    double c[2][2] = {{0}}, det;
    struct sw_navon *closure = y.closure;

    border_columns(s, band, t->p, m, j, closure->k);
    for (int r = 2 - t->p; r < 2; r++) {
        double p0, p1;
        for (int i = 0; i < m; i++) y.w[r][i] = 0.0;
        border_row(s, band, m, n - 2 + r, j, y.w[r], c[r]);
        solve_transposed(y, m, y.w[r]);
        sw_navon_product(closure, y.w[r][0], m > 1 ? y.w[r][1] : 0.0, m > 1 ? y.w[r][m - 2] : 0.0, y.w[r][m - 1], &p0, &p1);
        c[r][0] -= p0;
        c[r][1] -= p1;
    }
    if (t->p == 1) {
        det = c[1][1];
        closure->inverse[3] = 1.0 / det;
    } else {
        det = sw_navon_inverse(c[0][0], c[0][1], c[1][0], c[1][1], closure->inverse);
    }
    return isfinite(det) && isfinite(1.0 / det) ? 0 : n;
}

static enum sw_status thomas_factor(struct sw_band *s, const double *band, int *bad)
{
    struct thomas *t = s->own;
#pragma omp parallel for schedule(static) num_threads(s->device->threads)
    for (int j = 0; j < s->desc.batch; j++) {
        struct system y = system_of(t, j);
        t->bad[j] = factor_e(s, band, t->m, j, y);
        if (!t->bad[j] && t->p) t->bad[j] = factor_closure(s, band, t, j, y);
    }
    return sw_band_report(s, t->bad, bad);
}

/* In eight partial sums, so that it is not a third recursion; their order is fixed here and not left to the compiler. */
static double dot(int m, const double *restrict w, const double *restrict f)
{
    double sum[8] = {0}, rest = 0.0;
    int i = 0;
    for (; i + 8 <= m; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += w[i + k] * f[i + k];
    for (; i < m; i++) rest += w[i] * f[i];
    return (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]))) + rest;
}

static void solve_e(struct system y, int m, double *restrict x)
{
    double g1 = 0.0, g2 = 0.0;
    for (int i = 0; i < m; i++) {
        double g = sw_penta_forward(y.inverse[i], y.a[i], y.b[i], x[i], g1, g2);
        x[i] = g;
        g2 = g1;
        g1 = g;
    }
    double x1 = 0.0, x2 = 0.0;
    for (int i = m - 1; i >= 0; i--) {
        double v = sw_penta_backward(y.gamma[i], y.delta[i], x[i], x1, x2);
        x[i] = v;
        x2 = x1;
        x1 = v;
    }
}

static void solve_periodic(const struct thomas *t, struct system y, double *x)
{
    const struct sw_navon *c = y.closure;
    int m = t->m, n = m + t->p;
    double z0, z1, r0 = t->p == 2 ? x[n - 2] - dot(m, y.w[0], x) : 0.0, r1 = x[n - 1] - dot(m, y.w[1], x);

    sw_navon_border(c, r0, r1, &z0, &z1);
    x[0] -= sw_navon_first(c, z0, z1);
    if (m > 1) x[1] -= sw_navon_second(c, z1);
    if (m > 1) x[m - 2] -= sw_navon_last_but_one(c, z0);
    x[m - 1] -= sw_navon_last(c, z0, z1);
    solve_e(y, m, x);
    if (t->p == 2) x[n - 2] = z0;
    x[n - 1] = z1;
}

static void thomas_solve_one(const struct sw_band *s, int j, double *x)
{
    const struct thomas *t = s->own;
    if (t->bad[j])
        for (int i = 0; i < s->desc.n; i++) x[i] = NAN;
    else if (t->p) solve_periodic(t, system_of(t, j), x);
    else solve_e(system_of(t, j), t->m, x);
}

static enum sw_status thomas_solve(const struct sw_band *s, double *x)
{
#pragma omp parallel for schedule(static) num_threads(s->device->threads)
    for (int j = 0; j < s->desc.batch; j++) thomas_solve_one(s, j, x + (size_t)j * (size_t)s->desc.ld);
    return SW_OK;
}

static void thomas_destroy(struct sw_band *s)
{
    struct thomas *t = s->own;
    if (!t) return;
    sw_free(t->factor);
    sw_free(t->w);
    sw_free(t->closure);
    sw_free(t->bad);
    sw_free(t);
}

extern const struct sw_band_ops band_thomas_cpu;
const struct sw_band_ops band_thomas_cpu = {
    .name = "cpu.thomas",
    .about = "LR factors without pivoting, Navon's closure for periodic systems (cuPentBatch, II.3-4): the reference",
    .space = SW_HOST,
    .layout = SW_LINES,
    .fits = thomas_fits,
    .create = thomas_create,
    .factor = thomas_factor,
    .solve = thomas_solve,
    .solve_one = thomas_solve_one,
    .destroy = thomas_destroy,
};
