/* The method of the paper on the CPU, one system after another: A = L R without pivoting (cuPentBatch, II.4), periodic
 * systems by Navon's closure (II.3). The reference for all other solvers.
 *
 * A solve reads 5 factors an unknown, and 2 more when periodic, 64 bytes with x, and does 8 or 12 operations. Its time
 * is that of the two recursions, whose every step waits for the one before. */
#include <math.h>

#include "base/sw_mem.h"
#include "solver/navon_cpu.h"
#include "solver/penta_point.h"
#include "solver/sw_band_impl.h"

struct thomas {
    int              p, m;    /* navon_cpu.h                                                 */
    double          *factor;  /* [batch][5][m]: inverse, a, b, gamma, delta (penta_point.h)  */
    double          *Z;       /* [batch][2][m]: Z = E^-1 k, a line a border column                */
    struct sw_navon *closure; /* [batch]                                                     */
    int             *bad;     /* [batch]: 0, or 1 + row of a bad pivot                       */
};

/* One system's part of all that. */
struct system { double *inverse, *a, *b, *gamma, *delta, *Z[2]; struct sw_navon *closure; };

static struct system system_of(const struct thomas *t, int j)
{
    size_t m = (size_t)t->m;
    double *f = t->factor + (size_t)j * 5 * m;
    double *z = t->p ? t->Z + (size_t)j * 2 * m : NULL;
    return (struct system){f, f + m, f + 2 * m, f + 3 * m, f + 4 * m, {z, z ? z + m : NULL}, t->closure + j};
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
    t->p = sw_navon_split(d);
    t->m = d->n - t->p;
    size_t batch = (size_t)d->batch, line = batch * (size_t)t->m;
    SW_TRY(sw_alloc(5 * line, &t->factor));
    SW_TRY(sw_alloc(t->p ? 2 * line : 0, &t->Z));
    SW_TRY(sw_alloc(batch, &t->closure));
    SW_TRY(sw_alloc(batch, &t->bad));
    return SW_OK;
}

/* @return 0, or 1 + the row of a bad pivot */
static int factor_e(const struct sw_band *s, const double *band, int m, int j, struct system y)
{
    struct sw_penta up = {0}, up2 = {0};
    for (int i = 0; i < m; i++) {
        double e[5];
        for (int k = 0; k < 5; k++) e[k] = sw_navon_entry(s, band, m, i, k - 2, j);
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

static int factor_one(const struct sw_band *s, const double *band, const struct thomas *t, int j)
{
    struct system y = system_of(t, j);
    double c[2][2];
    int bad = factor_e(s, band, t->m, j, y);
    if (bad || !t->p) return bad;
    sw_navon_begin(s, band, t->p, j, y.closure, y.Z, c);
    for (int r = 2 - t->p; r < 2; r++) solve_e(y, t->m, y.Z[r]);
    return sw_navon_end(y.closure, t->p, t->m, y.Z, c);
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
    solve_e(y, t->m, x);
    if (t->p) sw_navon_close(y.closure, t->p, t->m, y.Z, x);
}

static enum sw_status thomas_solve(const struct sw_band *s, double *x)
{
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int j = 0; j < s->desc.batch; j++) thomas_solve_one(s, j, x + (size_t)j * (size_t)s->desc.ld);
    return SW_OK;
}

static void thomas_destroy(struct sw_band *s)
{
    struct thomas *t = s->own;
    if (!t) return;
    sw_free(t->factor);
    sw_free(t->Z);
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
    .vectors = 5 + 2,  /* five factors, two columns of Z */
    .fits = thomas_fits,
    .create = thomas_create,
    .factor = thomas_factor,
    .solve = thomas_solve,
    .solve_one = thomas_solve_one,
    .destroy = thomas_destroy,
};
