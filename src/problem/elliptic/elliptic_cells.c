#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_reals.h"
#include "problem/elliptic/elliptic.h"

/* Faces along z are at depth k/nz or depth (k/nz)^2 above the bottom; what lies a part p of the way between them, as
 * the centres half-way, is of a graded grid at depth (k^2 + p (2 k + 1))/nz^2. */
struct sw_grid elliptic_grid(const struct sw_elliptic_desc *d, double depth, struct elliptic_points points)
{
    const bool shell = d->geometry == SW_ELLIPTIC_SHELL;
    const double first[SW_DIMS] = {shell ? -1 : 0, shell ? -1 : 0, shell ? 1 : 0},
                 length[SW_DIMS] = {shell ? 2 : 1, shell ? 2 : 1, depth};
    struct sw_grid g = {.dt = 0};
    for (int a = 0; a < SW_DIMS; a++) {
        const bool inside = points.kind == ELLIPTIC_CENTRES || points.kind == ELLIPTIC_INSIDE;
        const bool across = !inside && points.axis == a, graded = a == 2 && d->graded;
        const double n = (double)d->n[a], step = length[a] / n;
        const double part = points.kind == ELLIPTIC_INSIDE ? points.part[a] : 0.5;
        if (across && points.kind == ELLIPTIC_WALLS) {
            g.x0[a] = first[a], g.dx[a] = length[a];
        } else if (graded) {
            g.ddx[a] = step / n, g.dx[a] = across ? 0 : 2 * part * step / n;
            g.x0[a] = first[a] + (across ? 0 : part * step / n);
        } else {
            g.dx[a] = step, g.x0[a] = first[a] + (across ? 0 : part * step);
        }
    }
    return g;
}

int64_t elliptic_count(const struct sw_elliptic_desc *d, struct elliptic_points points, int64_t n[SW_DIMS])
{
    for (int a = 0; a < SW_DIMS; a++) n[a] = d->n[a];
    if (points.kind == ELLIPTIC_FACES) n[points.axis]++;
    if (points.kind == ELLIPTIC_WALLS) n[points.axis] = 2;
    return sw_points(n);
}

enum sw_status elliptic_sample(const struct elliptic_run *run, const struct sw_program *program,
                               struct elliptic_points points, double *value)
{
    struct sw_sampling at = {.program = program,
                             .grid = elliptic_grid(&run->desc, run->depth, points),
                             .column = run->column,
                             .stride = run->stride,
                             .threads = run->threads};
    elliptic_count(&run->desc, points, at.n);
    return sw_sample(&at, false, value);
}

bool elliptic_holds_u(const struct sw_elliptic_desc *d, int axis)
{
    if (axis < 2) return d->sides[axis] == SW_ELLIPTIC_DIRICHLET;
    return d->bottom == SW_ELLIPTIC_DIRICHLET || d->top == SW_ELLIPTIC_DIRICHLET;
}

enum sw_status elliptic_sample_walls(const struct elliptic_run *run, int axis, double *value)
{
    const struct elliptic_points walls = {.kind = ELLIPTIC_WALLS, .axis = axis};
    const size_t level = (size_t)(run->desc.n[0] * run->desc.n[1]) * sizeof *value;
    SW_TRY(elliptic_sample(run, sw_setup_function(run->setup, "boundary.value"), walls, value));
    if (axis == 2 && run->desc.bottom != SW_ELLIPTIC_DIRICHLET) memset(value, 0, level);
    if (axis == 2 && run->desc.top != SW_ELLIPTIC_DIRICHLET) memset(value + level / sizeof *value, 0, level);
    return SW_OK;
}

void elliptic_turn(int64_t nx, int64_t ny, int64_t nz, const double *from, double *to, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < ny; j++)
        for (int64_t k = 0; k < nz; k++)
            memcpy(to + (j * nz + k) * nx, from + (k * ny + j) * nx, (size_t)nx * sizeof *to);
}

void elliptic_integrate(const struct sw_elliptic_matrix *m, int threads, double *f)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < m->ny * m->nz; r++)
        for (int64_t i = 0; i < m->nx; i++)
            f[r * m->nx + i] *= m->area[r / m->nz * m->nx + i] * m->volume[r % m->nz];
}

int64_t elliptic_find_bad(const double *value, int64_t count, bool positive)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(value[i]) || (positive && !(value[i] > 0))) return i;
    return -1;
}

bool elliptic_jumps(double first, double last) { return !(fabs(first - last) <= 1e-9 * fmax(first, last)); }

double elliptic_seam(double first, double last)
{
    return elliptic_jumps(first, last) ? 2 * last * (first / (first + last)) : first;
}

void elliptic_say_bad(const struct elliptic_run *run, const char *key, struct elliptic_points points, int64_t bad,
                      double value, char text[160])
{
    const struct sw_grid g = elliptic_grid(&run->desc, run->depth, points);
    int64_t n[SW_DIMS];
    char number[32], z[32] = "";
    elliptic_count(&run->desc, points, n);
    if (run->dim > 2) snprintf(z, sizeof z, ", z = %.6g", sw_grid_at(&g, 2, bad / n[0] / n[1]));
    snprintf(text, 160, "%s is %s at x = %.6g, y = %.6g%s%s", key, sw_number(value, number),
             sw_grid_at(&g, 0, bad % n[0]), sw_grid_at(&g, 1, bad / n[0] % n[1]), z,
             isfinite(value) ? "; it has to be above 0" : "");
}
