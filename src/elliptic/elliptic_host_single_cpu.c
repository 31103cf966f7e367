/* Vectors and matrices on the CPU in single precision. */
#define ELLIPTIC_SINGLE
#include <math.h>

#include "elliptic/elliptic_real.h"

/* Words of a matrix: what is horizontal, four vectors of levels, coefficients at faces. */
static size_t numbers_of(const struct sw_elliptic_desc *d)
{
    const size_t nx = (size_t)d->n[0], ny = (size_t)d->n[1], nz = (size_t)d->n[2];
    return nx * ny + (nx + 1) * ny + nx * (ny + 1) + (d->full ? (nx + 1) * (ny + 1) : 0) + 4 * nz +
           (d->variable ? (nx + 1) * ny * nz + nx * (ny + 1) * nz + nx * ny * (nz + 1) : 0);
}

#include "elliptic/elliptic_cells_cpu.c"
#include "elliptic/elliptic_host.c"

/* ------------------------------------------------------------------ the matrix of a system, rounded */

static double largest(const double *x, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, x[i]);
    return most;
}

/* Of its entries, about, so that none is far above 1. */
static int exponent_of(const elliptic_matrix_double *m)
{
    const double vertical = fmax(largest(m->a, m->nz), fmax(largest(m->b, m->nz), largest(m->c, m->nz))),
                 sides = fmax(largest(m->east, (m->nx + 1) * m->ny), largest(m->north, m->nx * (m->ny + 1)));
    int exponent;
    frexp(fmax(vertical * largest(m->area, m->nx * m->ny), sides * largest(m->d, m->nz)), &exponent);
    return exponent;
}

static const float *round_all(const double *x, size_t count, int exponent, float **at)
{
    float *const to = *at;
    for (size_t i = 0; i < count; i++) to[i] = (float)(exponent ? ldexp(x[i], -exponent) : x[i]);
    *at += count;
    return to;
}

static void round_matrix(struct elliptic_host *h, const elliptic_matrix_double *m)
{
    const size_t nx = (size_t)m->nx, ny = (size_t)m->ny, nz = (size_t)m->nz;
    const int e = h->exponent = exponent_of(m);
    float *at = h->numbers;
    h->rounded = (struct elliptic_matrix_single){
        .nx = m->nx, .ny = m->ny, .nz = m->nz, .periodic = {m->periodic[0], m->periodic[1]},
        .panel = m->panel};
    h->rounded.area = round_all(m->area, nx * ny, 0, &at);
    h->rounded.east = round_all(m->east, (nx + 1) * ny, 0, &at);
    h->rounded.north = round_all(m->north, nx * (ny + 1), 0, &at);
    if (m->cross) h->rounded.cross = round_all(m->cross, (nx + 1) * (ny + 1), 0, &at);
    h->rounded.a = round_all(m->a, nz, e, &at);
    h->rounded.b = round_all(m->b, nz, e, &at);
    h->rounded.c = round_all(m->c, nz, e, &at);
    h->rounded.d = round_all(m->d, nz, e, &at);
    if (!m->faces.kx) return;
    h->rounded.faces.kx = round_all(m->faces.kx, (nx + 1) * ny * nz, 0, &at);
    h->rounded.faces.ky = round_all(m->faces.ky, nx * (ny + 1) * nz, 0, &at);
    h->rounded.faces.kz = round_all(m->faces.kz, nx * ny * (nz + 1), 0, &at);
}

/* ------------------------------------------------------------------ a solve */

struct solve { struct elliptic_host *host; elliptic_host_method *method; void *context; bool begun; };

/* r is multiplied by a power of two such that its numbers are near 1 at first, u follows: nothing is rounded by that,
 * and what is squared stays in the range of float. */
static enum sw_status iterate(void *context, struct elliptic_pass *pass, double *u)
{
    struct solve *s = context;
    struct elliptic_host *h = s->host;
    struct elliptic_way *way = pass->way;
    const int64_t cells = (int64_t)h->cells;
    if (!s->begun) frexp(sqrt((double)cells / way->rr), &h->up);
    s->begun = true;
    const double up = ldexp(1, h->up);
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t c = 0; c < cells; c++) h->work[c] = (float)(up * pass->r[c]);
    way->norm_f *= up;
    way->rr *= up * up;
    const enum sw_status st = s->method(s->context, way, h->u);
    way->norm_f /= up;
#pragma omp parallel for num_threads(h->threads) schedule(static)
    for (int64_t c = 0; c < cells; c++) u[c] = ldexp((double)h->u[c], -h->exponent - h->up);
    return st;
}

enum sw_status elliptic_host_solve(struct elliptic_host *h, const struct sw_elliptic *solver, int system,
                                   const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                                   int most, elliptic_host_method *method, void *context)
{
    struct solve solve = {h, method, context, false};
    round_matrix(h, &solver->matrix[system]);
    elliptic_host_begin(h, &h->rounded, &solver->numbers[system]);
    memset(h->u, 0, h->cells * sizeof *h->u);
    return elliptic_judge_solve(h->judge, solver, system, f, u, outcome, history, most, iterate, &solve);
}
