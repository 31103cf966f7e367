/* What the lanes need of a line (fd_lanes.h). */
#include <math.h>

#include "base/sw_mem.h"
#include "fd/fd_lanes.h"
#include "fd/sw_fd_impl.h"

static double decay(double alpha) { return 2 * alpha / (1 + sqrt(1 - 4 * alpha * alpha)); }

/* 1 + 2 alpha cos w + 2 beta cos 2w = 4 beta (c - c_1)(c - c_2), c = cos w: a product of 1 - c/c_k, that is of matrices
 * with -1/(2 c_k) beside a diagonal of ones, and of 4 beta c_1 c_2 = 1 - 2 beta. Roots are real and outside of -1 .. 1
 * for the schemes of the table. */
static int split(const struct sw_fd_line *line, double alpha[2], double *scale)
{
    const double al = line->alpha, be = line->beta;
    alpha[0] = al;
    *scale = 1;
    if (be == 0) return 1;
    const double q = -(al + sqrt(al * al - 4 * be * (1 - 2 * be))) / (4 * be);  /* the root of larger size */
    alpha[0] = -0.5 / q;
    alpha[1] = -0.5 * q / ((1 - 2 * be) / (4 * be));
    *scale = 1 / (1 - 2 * be);
    return 2;
}

static enum sw_status make_closing(struct fd_lanes *c, int k)
{
    const double rho = c->rho[k], n = (double)c->line.n;
    const double needed = rho == 0 ? 1 : ceil(60 / -log2(fabs(rho)));
    c->reach[k] = needed < n ? (int64_t)needed : c->line.n;
    SW_TRY(sw_alloc((size_t)c->reach[k] + 1, &c->power[k]));
    c->power[k][0] = 1;
    for (int64_t i = 0; i < c->reach[k]; i++) c->power[k][i + 1] = -rho * c->power[k][i];
    c->close[k] = 1 / (1 - (c->line.n % 2 ? -1 : 1) * pow(rho, n));
    return SW_OK;
}

static enum sw_status make_circle(struct fd_lanes *c)
{
    double alpha[2], scale;
    c->factors = split(&c->line, alpha, &scale);
    for (int k = 0; k < c->factors; k++) {
        c->rho[k] = decay(alpha[k]);
        scale *= alpha[k] == 0 ? 1 : c->rho[k] / alpha[k];
        SW_TRY(make_closing(c, k));
    }
    SW_TRY(sw_alloc(1, &c->factor));
    c->factor[0] = (struct fd_factor){scale, c->rho[0], c->rho[0]};
    return SW_OK;
}

static enum sw_status vanishes(int64_t row, int64_t m)
{
    return SW_FAIL(SW_E_SINGULAR, "compact differences: zero or non-finite pivot in row %lld of %lld", (long long)row,
                   (long long)m);
}

/* The rows of the recursion are those of points 2 .. n-3, m of them. */
static enum sw_status make_walls(struct fd_lanes *c)
{
    const struct sw_fd_end *e = &c->line.end;
    const double al = c->line.alpha;
    const int64_t m = c->line.n - 4;
    double upper = e->next / e->diagonal;
    SW_TRY(sw_alloc((size_t)m, &c->factor));
    c->factor[0] = (struct fd_factor){1 / e->diagonal, 0, upper};
    if (!sw_fd_pivot_good(e->diagonal)) return vanishes(0, m);
    for (int64_t k = 1; k < m - 1; k++) {
        double pivot = 1 - al * upper;
        if (!sw_fd_pivot_good(pivot)) return vanishes(k, m);
        c->factor[k] = (struct fd_factor){1 / pivot, al / pivot, al / pivot};
        c->steps = k;
        if (k > 1 && al / pivot == upper) break;
        upper = al / pivot;
    }
    double pivot = e->diagonal - e->next * c->factor[c->steps].upper;
    if (!sw_fd_pivot_good(pivot)) return vanishes(m - 1, m);
    c->last = (struct fd_factor){1 / pivot, e->next / pivot, 0};
    return SW_OK;
}

enum sw_status fd_lanes_make(const struct sw_fd_line *line, struct fd_lanes *c)
{
    const int64_t n = line->n;
    *c = (struct fd_lanes){.line = *line};
    SW_TRY(sw_alloc((size_t)n + 2 * FD_MARGIN, &c->row));
    c->row += FD_MARGIN;
    for (int64_t i = -FD_MARGIN; i < n + FD_MARGIN; i++) c->row[i] = ((i % n) + n) % n;
    return line->periodic ? make_circle(c) : make_walls(c);
}

void fd_lanes_free(struct fd_lanes *c)
{
    if (c->row) sw_free(c->row - FD_MARGIN);
    sw_free(c->factor);
    sw_free(c->power[0]);
    sw_free(c->power[1]);
    *c = (struct fd_lanes){0};
}
