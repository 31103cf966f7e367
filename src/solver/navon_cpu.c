#include "solver/navon_cpu.h"

#include <string.h>

int sw_navon_split(const struct sw_band_desc *desc)
{
    if (!desc->periodic) return 0;
    return desc->lower > desc->upper ? desc->lower : desc->upper;
}

static double entry(const struct sw_band *s, const double *band, int i, int off, int j)
{
    return sw_band_entry(s, band, off + s->desc.lower, i, j);
}

double sw_navon_entry(const struct sw_band *s, const double *band, int m, int i, int off, int j)
{
    return i + off < 0 || i + off >= m ? 0.0 : entry(s, band, i, off, j);
}

static void border_rows(const struct sw_band *s, const double *band, int p, int j, double h[6])
{
    int n = s->desc.n, m = n - p;
    memset(h, 0, 6 * sizeof *h);
    if (p == 2) {
        h[0] = entry(s, band, n - 2, 2, j);
        if (m > 1) h[2] = entry(s, band, n - 1, 2, j);
        if (m > 1) h[3] = entry(s, band, n - 2, -2, j);
        h[4] = entry(s, band, n - 2, -1, j);
    }
    h[1] = entry(s, band, n - 1, 1, j);
    h[5] = entry(s, band, n - 1, -p, j);
}

/* Row i of A in the border's columns, which are n-2 and n-1. */
static void border_part(const struct sw_band *s, const double *band, int m, int i, int j, double part[2])
{
    int n = s->desc.n;
    part[0] = part[1] = 0.0;
    for (int off = -s->desc.lower; off <= s->desc.upper; off++) {
        int column = (i + off + n) % n;
        if (column >= m) part[column - (n - 2)] = entry(s, band, i, off, j);
    }
}

void sw_navon_begin(const struct sw_band *s, const double *band, int p, int j, struct sw_navon *closure,
                    double *const k[2], double c[2][2])
{
    int m = s->desc.n - p;
    double part[2];
    memset(closure, 0, sizeof *closure);
    border_rows(s, band, p, j, closure->h);
    for (int i = 0; i < m; i++) {
        border_part(s, band, m, i, j, part);
        k[0][i] = part[0];
        k[1][i] = part[1];
    }
    c[0][0] = 1.0;
    c[0][1] = c[1][0] = 0.0;
    for (int r = 2 - p; r < 2; r++) border_part(s, band, m, m + p - 2 + r, j, c[r]);
}

/* h^T y */
static void product(const struct sw_navon *closure, int m, const double *y, double *p0, double *p1)
{
    sw_navon_product(closure, y[0], m > 1 ? y[1] : 0.0, m > 1 ? y[m - 2] : 0.0, y[m - 1], p0, p1);
}

int sw_navon_end(struct sw_navon *closure, int p, int m, double *const Z[2], double c[2][2])
{
    for (int column = 2 - p; column < 2; column++) {
        double p0, p1;
        product(closure, m, Z[column], &p0, &p1);
        c[0][column] -= p0;
        c[1][column] -= p1;
    }
    int bad = sw_navon_factor(c[0][0], c[0][1], c[1][0], c[1][1], closure->border);
    return bad ? m + p - 2 + bad : 0;
}

void sw_navon_close(const struct sw_navon *closure, int p, int m, double *const Z[2], double *x)
{
    const double *restrict Z0 = Z[0], *restrict Z1 = Z[1];
    int n = m + p;
    double p0, p1, z0, z1;

    product(closure, m, x, &p0, &p1);
    sw_navon_border(closure, p == 2 ? x[n - 2] - p0 : 0.0, x[n - 1] - p1, &z0, &z1);
    for (int i = 0; i < m; i++) x[i] = sw_navon_correct(x[i], Z0[i], Z1[i], z0, z1);
    if (p == 2) x[n - 2] = z0;
    x[n - 1] = z1;
}
