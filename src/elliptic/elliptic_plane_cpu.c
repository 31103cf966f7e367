/* With S = diagonal^(-1/2) the matrix S (Lh + lambda area) S has a diagonal of ones and weights beside it that are
 * formed once a mode. An iteration is two passes,
 *
 *     w += alpha p;  p = r + beta p;  q = p - neighbours;  p q      row by row: q finds rows of p in the cache
 *     r -= alpha q;  r r
 *
 * and moves 11 words a cell: w and p in and out, r, two weights, q out; r in and out, q. Cross terms have two weights
 * more. Operations: 18 a cell, 26 with cross terms. */
#include "elliptic/elliptic_plane_cpu.h"

#include <math.h>
#include <string.h>

#include "elliptic/elliptic_cells_cpu.h"

void elliptic_plane_make(const struct sw_elliptic_desc *d, struct sw_owned *own, struct elliptic_plane *p)
{
    const size_t nx = (size_t)d->n[0], ny = (size_t)d->n[1], vertices = (nx + 1) * (ny + 1);
    *p = (struct elliptic_plane){.p = NULL};
    sw_array(own, nx * ny, &p->scale);
    sw_array(own, (nx + 1) * ny, &p->east);
    sw_array(own, nx * (ny + 1), &p->north);
    if (d->full) sw_array(own, vertices, &p->rising);
    if (d->full) sw_array(own, vertices, &p->falling);
    sw_array(own, (nx + 2) * (ny + 2), &p->p);
    sw_array(own, nx * ny, &p->q);
    sw_array(own, nx * ny, &p->r);
}

/* ------------------------------------------------------------------ the matrix of a mode */

/* The sum of weights towards the neighbours of a row of cells. The energy 2 X Dx Dy of a vertex with the weight X is
 * X/2 ((ne - sw)² - (nw - se)²): a weight of X/2 along the rising diagonal, -X/2 along the falling one. */
static void add_weights(const struct sw_elliptic_matrix *m, int64_t j, double *restrict sum)
{
    const int64_t nx = m->nx;
    const double *east = m->east + j * (nx + 1), *below = m->north + j * nx, *above = below + nx;
    for (int64_t i = 0; i < nx; i++) sum[i] = (east[i] + east[i + 1]) + (below[i] + above[i]);
    if (!m->cross) return;
    const double *south = m->cross + j * (nx + 1), *north = south + nx + 1;
    for (int64_t i = 0; i < nx; i++) sum[i] += 0.5 * ((south[i] - south[i + 1]) + (north[i + 1] - north[i]));
}

static double least_of(const double *x, int64_t count)
{
    double lane[8], least = INFINITY;
    for (int l = 0; l < 8; l++) lane[l] = INFINITY;
    for (int64_t i = 0; i + 8 <= count; i += 8)
        for (int l = 0; l < 8; l++) lane[l] = x[i + l] < lane[l] ? x[i + l] : lane[l];
    for (int64_t i = count - count % 8; i < count; i++) least = fmin(least, x[i]);
    for (int l = 0; l < 8; l++) least = fmin(least, lane[l]);
    return least;
}

/* @return 1/sqrt(the largest number of the diagonal) */
static double scale_matrix(const struct sw_elliptic_matrix *m, double lambda, const struct elliptic_plane *w)
{
    const int64_t nx = m->nx, ny = m->ny;
    double least = INFINITY;
    for (int64_t j = 0; j < ny; j++) {
        double *restrict scale = w->scale + j * nx;
        const double *restrict area = m->area + j * nx;
        add_weights(m, j, scale);
        for (int64_t i = 0; i < nx; i++) scale[i] = 1 / sqrt(scale[i] + lambda * area[i]);
        least = fmin(least, least_of(scale, nx));
    }
    for (int64_t j = 0; j < ny; j++) {
        const double *scale = w->scale + j * nx, *from = m->east + j * (nx + 1);
        double *restrict to = w->east + j * (nx + 1);
        for (int64_t i = 1; i < nx; i++) to[i] = from[i] * scale[i - 1] * scale[i];
        to[0] = to[nx] = m->periodic[0] ? from[0] * scale[nx - 1] * scale[0] : 0;
    }
    for (int64_t j = 0; j <= ny; j++) {
        const bool wall = (j == 0 || j == ny) && !m->periodic[1];
        const double *below = w->scale + (j ? j - 1 : ny - 1) * nx, *above = w->scale + (j < ny ? j : 0) * nx,
                     *from = m->north + j * nx;
        double *restrict to = w->north + j * nx;
        for (int64_t i = 0; i < nx; i++) to[i] = wall ? 0 : from[i] * below[i] * above[i];
    }
    for (int64_t j = 1; m->cross && j < ny; j++) {  /* vertices at the walls have no weight */
        const double *below = w->scale + (j - 1) * nx, *above = below + nx, *from = m->cross + j * (nx + 1);
        double *restrict rising = w->rising + j * (nx + 1), *restrict falling = w->falling + j * (nx + 1);
        for (int64_t i = 1; i < nx; i++) {
            rising[i] = 0.5 * from[i] * below[i - 1] * above[i];
            falling[i] = -0.5 * from[i] * below[i] * above[i - 1];
        }
    }
    return least;
}

/* ------------------------------------------------------------------ an iteration */

/* A row of the padded p. */
static double *row_of(const struct sw_elliptic_matrix *m, const struct elliptic_plane *w, int64_t j)
{
    return w->p + (j + 1) * (m->nx + 2) + 1;
}

/* Of row j: x += alpha p; p = r + beta p. Where the plane is periodic the copies of p follow. */
static void turn_row(const struct sw_elliptic_matrix *m, const struct elliptic_plane *w, int64_t j, double alpha,
                     double beta, double *x)
{
    const int64_t nx = m->nx, ny = m->ny;
    double *restrict p = row_of(m, w, j), *restrict to = x + j * nx;
    const double *restrict r = w->r + j * nx;
    for (int64_t i = 0; i < nx; i++) {
        to[i] += alpha * p[i];
        p[i] = r[i] + beta * p[i];
    }
    if (m->periodic[0]) {
        p[-1] = p[nx - 1];
        p[nx] = p[0];
    }
    if (m->periodic[1] && j == 0) memcpy(row_of(m, w, ny), p, (size_t)nx * sizeof *p);
    if (m->periodic[1] && j == ny - 1) memcpy(row_of(m, w, -1), p, (size_t)nx * sizeof *p);
}

static void apply_row(const struct sw_elliptic_matrix *m, const struct elliptic_plane *w, int64_t j)
{
    const int64_t nx = m->nx;
    const double *own = row_of(m, w, j), *south = own - (nx + 2), *north = own + (nx + 2),
                 *east = w->east + j * (nx + 1), *below = w->north + j * nx, *above = below + nx;
    double *restrict q = w->q + j * nx;
    for (int64_t i = 0; i < nx; i++)
        q[i] = own[i] - ((east[i] * own[i - 1] + east[i + 1] * own[i + 1]) +
                         (below[i] * south[i] + above[i] * north[i]));
    if (!m->cross) return;
    const double *rise = w->rising + j * (nx + 1), *fall = w->falling + j * (nx + 1), *rise_on = rise + nx + 1,
                 *fall_on = fall + nx + 1;
    for (int64_t i = 0; i < nx; i++)
        q[i] -= (rise[i] * south[i - 1] + rise_on[i + 1] * north[i + 1]) +
                (fall[i + 1] * south[i + 1] + fall_on[i] * north[i - 1]);
}

/* @return <p, q> */
static double first_pass(const struct sw_elliptic_matrix *m, const struct elliptic_plane *w, double alpha, double beta,
                         double *x)
{
    const int64_t nx = m->nx, ny = m->ny;
    struct elliptic_lanes pq = {{0}};
    turn_row(m, w, ny - 1, alpha, beta, x);
    if (ny > 1) turn_row(m, w, 0, alpha, beta, x);
    for (int64_t j = 0; j < ny; j++) {
        if (j + 1 < ny - 1) turn_row(m, w, j + 1, alpha, beta, x);
        apply_row(m, w, j);
        elliptic_add_products(&pq, row_of(m, w, j), w->q + j * nx, nx);
    }
    return elliptic_sum_of(&pq);
}

/* @return |r|² */
static double second_pass(const struct sw_elliptic_matrix *m, const struct elliptic_plane *w, double alpha)
{
    const int64_t nx = m->nx;
    struct elliptic_lanes rr = {{0}};
    for (int64_t j = 0; j < m->ny; j++) {
        double *restrict r = w->r + j * nx;
        const double *restrict q = w->q + j * nx;
        for (int64_t i = 0; i < nx; i++) r[i] -= alpha * q[i];
        elliptic_add_products(&rr, r, r, nx);
    }
    return elliptic_sum_of(&rr);
}

struct elliptic_plane_outcome elliptic_plane_solve(const struct sw_elliptic_matrix *m, double lambda, double target,
                                                   const struct elliptic_plane *w, double *x)
{
    const int64_t cells = m->nx * m->ny;
    const double least = scale_matrix(m, lambda, w), enough = target * least, room = enough * enough;
    struct elliptic_plane_outcome o = {.pq = 1};
    struct elliptic_lanes first = {{0}};
    double alpha = 0, beta = 0;
    for (int64_t i = 0; i < cells; i++) w->r[i] = w->scale[i] * x[i];
    memset(x, 0, (size_t)cells * sizeof *x);
    elliptic_add_products(&first, w->r, w->r, cells);
    double rr = elliptic_sum_of(&first);
    memset(w->p, 0, (size_t)((m->nx + 2) * (m->ny + 2)) * sizeof *w->p);
    for (int64_t left = 2 * cells + 100; left > 0 && rr > room; left--) {
        const double before = rr;
        o.pq = first_pass(m, w, alpha, beta, x);
        if (!(o.pq > 0)) break;
        alpha = rr / o.pq;
        rr = second_pass(m, w, alpha);
        beta = rr / before;
    }
    if (!(o.pq > 0)) alpha = 0;  /* what is before that direction has been added */
    for (int64_t j = 0; j < m->ny; j++) {
        const double *restrict p = row_of(m, w, j), *restrict scale = w->scale + j * m->nx;
        double *restrict to = x + j * m->nx;
        for (int64_t i = 0; i < m->nx; i++) to[i] = scale[i] * (to[i] + alpha * p[i]);
    }
    o.residual = sqrt(rr) / least;
    return o;
}
