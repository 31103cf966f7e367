#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_reals.h"
#include "problem/elliptic/elliptic.h"

/* Faces along z are at depth k/nz or depth (k/nz)^2 above the bottom; centres half-way between them, of a graded grid
 * at depth (k^2 + k + 1/2)/nz^2. Faces: centres moved by half a cell along d. */
static struct sw_grid points_of(const struct sw_elliptic_desc *d, double depth, int faces_along)
{
    struct sw_grid g = {.dt = 0};
    for (int a = 0; a < 2; a++) {
        const double first = sw_elliptic_face(d->geometry, d->n[a], 0);
        g.dx[a] = (d->geometry == SW_ELLIPTIC_SHELL ? 2 : 1) / (double)d->n[a];
        g.x0[a] = faces_along == a ? first : first + 0.5 * g.dx[a];
    }
    const double n = (double)d->n[2], bottom = d->geometry == SW_ELLIPTIC_SHELL ? 1 : 0;
    if (d->graded) {
        g.ddx[2] = depth / (n * n);
        g.dx[2] = faces_along == 2 ? 0 : g.ddx[2];
        g.x0[2] = faces_along == 2 ? bottom : bottom + 0.5 * g.ddx[2];
    } else {
        g.dx[2] = depth / n;
        g.x0[2] = faces_along == 2 ? bottom : bottom + 0.5 * g.dx[2];
    }
    return g;
}

struct sw_grid elliptic_centres(const struct sw_elliptic_desc *d, double depth) { return points_of(d, depth, -1); }

static void shape_of(const struct sw_elliptic_desc *desc, int d, int64_t n[SW_DIMS])
{
    for (int a = 0; a < SW_DIMS; a++) n[a] = desc->n[a] + (a == d);
}

enum sw_status elliptic_sample(const struct elliptic_run *run, const struct sw_program *program, int d, double *value)
{
    struct sw_sampling at = {.program = program,
                             .grid = points_of(&run->desc, run->depth, d),
                             .column = run->column,
                             .stride = run->stride,
                             .threads = run->threads};
    shape_of(&run->desc, d, at.n);
    return sw_sample(&at, false, value);
}

void elliptic_turn(int64_t nx, int64_t ny, int64_t nz, const double *from, double *to, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < ny; j++)
        for (int64_t k = 0; k < nz; k++)
            memcpy(to + (j * nz + k) * nx, from + (k * ny + j) * nx, (size_t)nx * sizeof *to);
}

int64_t elliptic_find_bad(const double *value, int64_t count, bool positive)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(value[i]) || (positive && !(value[i] > 0))) return i;
    return -1;
}

void elliptic_say_bad(const struct elliptic_run *run, const char *key, int d, int64_t bad, double value,
                      char text[160])
{
    const struct sw_grid g = points_of(&run->desc, run->depth, d);
    int64_t n[SW_DIMS];
    char number[32];
    shape_of(&run->desc, d, n);
    snprintf(text, 160, "%s is %s at x = %.6g, y = %.6g, z = %.6g%s", key, sw_number(value, number),
             sw_grid_at(&g, 0, bad % n[0]), sw_grid_at(&g, 1, bad / n[0] % n[1]), sw_grid_at(&g, 2, bad / n[0] / n[1]),
             isfinite(value) ? "; it has to be above 0" : "");
}
