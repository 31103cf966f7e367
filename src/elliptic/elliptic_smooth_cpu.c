#include "elliptic/elliptic_smooth_cpu.h"

#include <string.h>

#include "elliptic/elliptic_cells_cpu.h"

static const double DAMPING = 0.8;

static bool has_colours(const struct sw_elliptic_matrix *m)
{
    return !m->cross && !m->panel && !(m->periodic[0] && m->nx % 2) && !(m->periodic[1] && m->ny % 2);
}

bool elliptic_grid_has_colours(const struct sw_elliptic_desc *d, int which, const int64_t n[2])
{
    struct sw_elliptic_matrix shape = {.nx = n[0], .ny = n[1], .nz = d->n[2],
                                       .panel = sw_elliptic_is_sphere(d) && n[1] > 1 ? n[0] : 0};
    for (int a = 0; a < 2; a++) shape.periodic[a] = d->sides[a] == SW_ELLIPTIC_PERIODIC && (which == 0 || n[a] > 1);
    return has_colours(&shape);
}

/* Beside what a slab of A needs: a slab, and rows. */
size_t elliptic_smooth_scratch(const struct sw_elliptic_matrix *m)
{
    return elliptic_scratch(m) + (size_t)(m->nz + 4) * (size_t)(m->nx + 2);
}

/* ------------------------------------------------------------------ columns of a colour */

/* The columns first, first + 2 ... of a slab: their weights lie side by side. */
struct columns {
    const struct sw_elliptic_matrix *matrix;
    int64_t j, first, count;
    double *area, *sides, *west, *east, *south, *north;  /* [count]; of one level where coefficients vary */
    double *down, *up;                                   /* coefficients; used where they vary            */
    double *zeros;                                       /* [2 count]: a row beyond a wall                */
};
enum { COLUMN_ROWS = 9 };

static void pick(const double *restrict x, int64_t count, double *restrict out)
{
    for (int64_t i = 0; i < count; i++) out[i] = x[2 * i];
}

static void multiply(double *restrict x, const double *restrict by, int64_t count)
{
    for (int64_t i = 0; i < count; i++) x[i] *= by[2 * i];
}

static void set_level(struct columns *c, int64_t k)
{
    const struct sw_elliptic_matrix *m = c->matrix;
    const int64_t j = c->j, nx = m->nx, nz = m->nz, n = c->count;
    if (k > 0 && !m->faces.kx) return;
    pick(m->east + j * (nx + 1) + c->first, n, c->west);
    pick(m->east + j * (nx + 1) + c->first + 1, n, c->east);
    pick(m->north + j * nx + c->first, n, c->south);
    pick(m->north + (j + 1) * nx + c->first, n, c->north);
    if (m->faces.kx) {
        const double *kx = m->faces.kx + (j * nz + k) * (nx + 1) + c->first,
                     *ky = m->faces.ky + (j * nz + k) * nx + c->first,
                     *kz = m->faces.kz + (j * (nz + 1) + k) * nx + c->first;
        multiply(c->west, kx, n);
        multiply(c->east, kx + 1, n);
        multiply(c->south, ky, n);
        multiply(c->north, ky + nz * nx, n);
        pick(kz, n, c->down);
        pick(kz + nx, n, c->up);
    }
    for (int64_t i = 0; i < n; i++) c->sides[i] = (c->west[i] + c->east[i]) + (c->south[i] + c->north[i]);
}

static struct columns columns_of(const struct sw_elliptic_matrix *m, int64_t j, int colour, double **scratch)
{
    struct columns c = {.matrix = m, .j = j, .first = (j + colour) % 2};
    double **const rows[COLUMN_ROWS] = {&c.area, &c.sides, &c.west, &c.east, &c.south, &c.north, &c.down, &c.up,
                                           &c.zeros};
    c.count = (m->nx - c.first + 1) / 2;
    for (int k = 0; k < COLUMN_ROWS; k++, *scratch += c.count) *rows[k] = *scratch;
    memset(c.zeros, 0, 2 * (size_t)c.count * sizeof *c.zeros);
    *scratch += c.count;
    pick(m->area + j * m->nx + c.first, c.count, c.area);
    return c;
}

/* What a row of these columns sees, from its first cell on: the columns between are those of the other colour. */
struct seen { const double *own, *south, *north; double d, west_of_first, east_of_last; };

static inline double neighbours_of(const struct columns *c, const struct seen *r, int64_t i, double west, double east)
{
    return r->d * ((c->west[i] * west + c->east[i] * east) +
                   (c->south[i] * r->south[2 * i] + c->north[i] * r->north[2 * i]));
}

/* out = f + d times the weighted sum of the neighbours along x and y in level k; f = NULL counts as 0. */
static void add_neighbours(const struct columns *c, const double *u, int64_t k, const double *f, double *restrict out)
{
    const struct sw_elliptic_matrix *m = c->matrix;
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz, j = c->j, n = c->count, first = c->first,
                  south = j > 0 ? j - 1 : m->periodic[1] ? ny - 1 : -1,
                  north = j < ny - 1 ? j + 1 : m->periodic[1] ? 0 : -1,
                  begin = first == 0, end = 2 * (n - 1) + first == nx - 1 ? n - 1 : n;
    const double *row = u + (j * nz + k) * nx, *right = f ? f : c->zeros;
    const struct seen r = {.own = row + first,
                           .south = south >= 0 ? u + (south * nz + k) * nx + first : c->zeros,
                           .north = north >= 0 ? u + (north * nz + k) * nx + first : c->zeros,
                           .d = m->d[k],
                           .west_of_first = m->periodic[0] ? row[nx - 1] : 0,
                           .east_of_last = m->periodic[0] ? row[0] : 0};
    for (int64_t i = begin; i < end; i++)
        out[i] = right[2 * i] + neighbours_of(c, &r, i, r.own[2 * i - 1], r.own[2 * i + 1]);
    if (begin) out[0] = right[0] + neighbours_of(c, &r, 0, r.west_of_first, nx > 1 ? r.own[1] : r.east_of_last);
    if (end < n && n > begin)
        out[end] = right[2 * end] + neighbours_of(c, &r, end, r.own[2 * end - 1], r.east_of_last);
}

void elliptic_relax_slab(const struct sw_elliptic_matrix *m, const double *f, double *u, int64_t j, int colour,
                         bool alone, double *scratch)
{
    const int64_t nx = m->nx, nz = m->nz;
    struct columns c = columns_of(m, j, colour, &scratch);
    const int64_t n = c.count;
    double *const right = scratch, *const rest = right + n, *const up = rest + n, *const z = up + nz * n;
    for (int64_t i = 0; i < n; i++) rest[i] = 1;
    for (int64_t k = 0; n && k < nz; k++) {
        const double *from = f + (j * nz + k) * nx + c.first;
        set_level(&c, k);
        if (alone) pick(from, n, right);
        else add_neighbours(&c, u, k, from, right);
        const bool varies = m->faces.kz;
        const struct elliptic_level level = {.area = c.area, .sides = c.sides, .below = varies ? c.down : NULL,
                                             .above = varies ? c.up : NULL,
                                             .a = m->a[k], .b = m->b[k], .c = m->c[k], .d = m->d[k]};
        elliptic_eliminate(&level, n, right, k ? z + (k - 1) * n : c.zeros, rest, up + k * n, z + k * n);
    }
    elliptic_substitute(n, nz, up, z, n);
    for (int64_t k = 0; k < nz; k++) {
        double *restrict to = u + (j * nz + k) * nx + c.first;
        const double *restrict x = z + k * n;
        for (int64_t i = 0; i < n; i++) to[2 * i] = x[i];
    }
}

/* ------------------------------------------------------------------ all columns */

void elliptic_damped_slab(const struct sw_elliptic_matrix *m, const double *r, double *u, int64_t j,
                          bool from_zero, double *scratch)
{
    const int64_t slab = m->nz * m->nx;
    double *const z = scratch + elliptic_scratch(m), *to = u + j * slab;
    elliptic_precondition_slab(m, j, r, z, scratch);
    for (int64_t i = 0; i < slab; i++) to[i] = from_zero ? DAMPING * z[i] : to[i] + DAMPING * z[i];
}

void elliptic_residual_slab(const struct sw_elliptic_matrix *m, const double *f, const double *u, int64_t j, double *r,
                            double *scratch)
{
    const int64_t slab = m->nz * m->nx;
    elliptic_apply_slab(m, u, elliptic_own_ends(m, u), j, r, scratch);
    for (int64_t i = 0; i < slab; i++) r[i] = f[j * slab + i] - r[i];
}

/* ------------------------------------------------------------------ between grids */

/* out += the sums over the cells of a coarse one. */
static void add_row(const struct elliptic_axis *x, const double *restrict r, double *restrict out)
{
    if (x->coarse == x->n) {
        for (int64_t i = 0; i < x->n; i++) out[i] += r[i];
        return;
    }
    for (int64_t i = 0; elliptic_joins_all(x) && i < x->n; i++) out[0] += r[i];
    if (elliptic_joins_all(x)) return;
    for (int64_t c = 0; c < x->alone; c++) out[c] += r[2 * c] + r[2 * c + 1];
    if (x->alone < x->coarse) out[x->alone] += r[2 * x->alone];
    for (int64_t c = x->alone + 1; c < x->coarse; c++) out[c] += r[2 * c - 1] + r[2 * c];
}

/* The same of a row with the cells first, first + 2 ... only, which lie side by side: each pair has one of them. */
static void add_picked_row(const struct elliptic_axis *x, int64_t first, int64_t count, const double *restrict r,
                           double *restrict out)
{
    if (x->coarse == x->n) {
        for (int64_t i = 0; i < count; i++) out[2 * i + first] += r[i];
        return;
    }
    const int64_t before = first == 0 || count < x->alone ? count : x->alone;
    for (int64_t c = 0; c < before; c++) out[c] += r[c];
    for (int64_t i = before; i < count; i++) out[i + 1] += r[i];
}

/* The transpose of interpolate_by_matrix() for one of its rows of coarse cells. @param weight  [2][nx] of that row */
static void restrict_by_matrix(const struct elliptic_axis *x, bool periodic, const double *weight,
                               const double *restrict r, double *restrict out)
{
    for (int64_t c = 0; c < x->coarse; c++) {
        const int64_t first = elliptic_first(x, c), behind = elliptic_first(x, c + 1);
        for (int64_t i = first; i < behind; i++) {
            const int64_t next = i == first ? c - 1 : c + 1,
                          side = next >= 0 && next < x->coarse ? next : !periodic ? -1 : next < 0 ? x->coarse - 1 : 0;
            out[c] += weight[i] * r[i];
            if (side >= 0) out[side] += weight[x->n + i] * r[i];
        }
    }
}

/* Residuals of slab j, level after level, to a coarse slab in which they have a part, or of which they are beside. */
static void restrict_part(const struct elliptic_grid *grid, const double *f, const double *u, int64_t j, bool beside,
                          bool swept, double *slab, double *scratch)
{
    const struct sw_elliptic_matrix *m = &grid->matrix;
    const int64_t nz = m->nz, nx = m->nx;
    double *const r = swept ? scratch : scratch + elliptic_scratch(m), *weight = swept ? r + nx : scratch, *at;
    struct columns red;
    if (swept) {
        at = weight + 4 * nx;
        red = columns_of(m, j, ELLIPTIC_RED, &at);
        memset(r, 0, (size_t)nx * sizeof *r);
    } else {
        elliptic_residual_slab(m, f, u, j, r, scratch);
    }
    for (int64_t k = 0; k < nz; k++) {
        const double *row = swept ? r : r + k * nx;
        if (swept && red.count) {
            set_level(&red, k);
            add_neighbours(&red, u, k, NULL, at);
            for (int64_t i = 0; i < red.count; i++) r[2 * i + red.first] = at[i];
        }
        elliptic_corner_rows(grid, j, k, weight);
        restrict_by_matrix(&grid->axis[0], m->periodic[0], beside ? weight + 2 * nx : weight, row,
                           slab + k * grid->axis[0].coarse);
    }
}

void elliptic_restrict_slab(const struct elliptic_grid *grid, const double *f, const double *u, int64_t coarse,
                            bool swept, double *out, double *scratch)
{
    const struct sw_elliptic_matrix *m = &grid->matrix;
    const struct elliptic_axis *x = &grid->axis[0], *y = &grid->axis[1];
    const int64_t nz = m->nz, nx = m->nx;
    double *const slab = out + coarse * nz * x->coarse;
    memset(slab, 0, (size_t)(nz * x->coarse) * sizeof *slab);
    if (grid->share[0]) {
        struct elliptic_part part[ELLIPTIC_PARTS];
        const int parts = elliptic_parts_of(y, coarse, m->periodic[1], part);
        for (int p = 0; p < parts; p++)
            restrict_part(grid, f, u, part[p].fine, part[p].beside, swept, slab, scratch);
        return;
    }
    for (int64_t j = elliptic_first(y, coarse); j < elliptic_first(y, coarse + 1); j++) {
        double *at = scratch;
        if (swept) {
            struct columns red = columns_of(m, j, ELLIPTIC_RED, &at);
            for (int64_t k = 0; red.count && k < nz; k++) {
                set_level(&red, k);
                add_neighbours(&red, u, k, NULL, at);
                add_picked_row(x, red.first, red.count, at, slab + k * x->coarse);
            }
        } else {
            double *const r = scratch + elliptic_scratch(m);
            elliptic_residual_slab(m, f, u, j, r, scratch);
            for (int64_t k = 0; k < nz; k++) add_row(x, r + k * nx, slab + k * x->coarse);
        }
    }
}

/* u += the interpolation along x of t [coarse], which has a number before its first and one behind its last. */
static void interpolate_row(const struct elliptic_axis *x, const double *restrict t, double *restrict u)
{
    const double *restrict near = x->near, *restrict far = x->far;
    if (x->coarse == x->n) {
        for (int64_t i = 0; i < x->n; i++) u[i] += t[i];
        return;
    }
    for (int64_t i = 0; elliptic_joins_all(x) && i < x->n; i++) u[i] += t[0];
    if (elliptic_joins_all(x)) return;
    for (int64_t c = 0; c < x->alone; c++) {
        u[2 * c] += near[2 * c] * t[c] + far[2 * c] * t[c - 1];
        u[2 * c + 1] += near[2 * c + 1] * t[c] + far[2 * c + 1] * t[c + 1];
    }
    if (x->alone < x->coarse) u[2 * x->alone] += t[x->alone];
    for (int64_t c = x->alone + 1; c < x->coarse; c++) {
        u[2 * c - 1] += near[2 * c - 1] * t[c] + far[2 * c - 1] * t[c - 1];
        u[2 * c] += near[2 * c] * t[c] + far[2 * c] * t[c + 1];
    }
}

/* The same by the matrix: `weight` is that of elliptic_corner_rows(), `around` and `beside` are rows of coarse cells,
 * each with a number before its first and one behind its last. */
static void interpolate_by_matrix(const struct elliptic_axis *x, const double *weight, const double *restrict around,
                                  const double *restrict beside, double *restrict u)
{
    const int64_t nx = x->n;
    for (int64_t c = 0; c < x->coarse; c++) {
        const int64_t first = elliptic_first(x, c), behind = elliptic_first(x, c + 1);
        for (int64_t i = first; i < behind; i++) {
            const int64_t side = i == first ? c - 1 : c + 1;
            u[i] += (weight[i] * around[c] + weight[nx + i] * around[side]) +
                    (weight[2 * nx + i] * beside[c] + weight[3 * nx + i] * beside[side]);
        }
    }
}

/* A row of coarse cells with what lies beyond its ends; NULL: zeros. */
static void copy_with_ends(const double *from, int64_t nx, bool periodic, double *to)
{
    if (from) memcpy(to, from, (size_t)nx * sizeof *to);
    else memset(to, 0, (size_t)nx * sizeof *to);
    to[-1] = periodic ? to[nx - 1] : 0;
    to[nx] = periodic ? to[0] : 0;
}

static void prolong_by_matrix(const struct elliptic_grid *grid, const double *coarse, int64_t j, double *u,
                              double *scratch)
{
    const struct sw_elliptic_matrix *m = &grid->matrix;
    const int64_t nx = grid->axis[0].coarse, nz = m->nz;
    int64_t beside;
    const int64_t c = elliptic_around(&grid->axis[1], j, m->periodic[1], 0, &beside);
    double *const a = scratch + 1, *const b = a + nx + 2, *const weight = b + nx + 1;
    for (int64_t k = 0; k < nz; k++) {
        copy_with_ends(coarse + (c * nz + k) * nx, nx, m->periodic[0], a);
        copy_with_ends(beside < 0 ? NULL : coarse + (beside * nz + k) * nx, nx, m->periodic[0], b);
        elliptic_corner_rows(grid, j, k, weight);
        interpolate_by_matrix(&grid->axis[0], weight, a, b, u + (j * nz + k) * m->nx);
    }
}

/* On the sphere: a row of the interpolation along y, from the row c and that at the side of j, which may be beyond a
 * seam; with a number before its first and one behind its last. In the corner of three panels there is no cell beyond
 * both seams: the mean of those beyond either stands for it.
 * @param next  the coarse grid  @param t  out, with a place before it  @param room  [nx] */
static void interpolate_across_seams(const struct sw_elliptic_matrix *next, const double *coarse, int64_t k, int64_t c,
                                     int64_t beside, bool south, double near, double far, double *t, double *room)
{
    const int64_t nx = next->nx, nz = next->nz;
    const double *a = coarse + (c * nz + k) * nx,
                 *b = beside >= 0 ? coarse + (beside * nz + k) * nx
                                  : elliptic_row_beyond(next, coarse, c, south ? SW_SOUTH : SW_NORTH, k, room);
    for (int64_t i = 0; i < nx; i++) t[i] = near * a[i] + far * b[i];
    for (int end = 0; end < 2; end++) {
        const enum sw_panel_edge edge = end ? SW_EAST : SW_WEST;
        const double own = elliptic_cell_beyond(next, coarse, c, edge, k),
                     other = beside >= 0 ? elliptic_cell_beyond(next, coarse, beside, edge, k)
                                         : 0.5 * (own + b[end ? nx - 1 : 0]);
        t[end ? nx : -1] = near * own + far * other;
    }
}

void elliptic_prolong_slab(const struct elliptic_grid *grid, const double *coarse, int64_t j, double *u,
                           double *scratch)
{
    const struct sw_elliptic_matrix *m = &grid->matrix;
    const struct elliptic_axis *x = &grid->axis[0], *y = &grid->axis[1];
    const int64_t nx = x->coarse, nz = m->nz;
    if (grid->share[0]) {
        prolong_by_matrix(grid, coarse, j, u, scratch);
        return;
    }
    int64_t beside;
    const struct sw_elliptic_matrix *next = &grid[1].matrix;
    const int64_t c = elliptic_around(y, j, m->periodic[1], next->panel, &beside), other = beside < 0 ? c : beside;
    const double near = y->near[j], far = beside < 0 ? 0 : y->far[j];
    double *restrict t = scratch + 1;
    for (int64_t k = 0; next->panel && k < nz; k++) {
        interpolate_across_seams(next, coarse, k, c, beside, j % 2 == 0, y->near[j], y->far[j], t, scratch + nx + 2);
        interpolate_row(x, t, u + (j * nz + k) * m->nx);
    }
    for (int64_t k = 0; !next->panel && k < nz; k++) {
        const double *a = coarse + (c * nz + k) * nx, *b = coarse + (other * nz + k) * nx;
        for (int64_t i = 0; i < nx; i++) t[i] = near * a[i] + far * b[i];
        t[-1] = m->periodic[0] ? t[nx - 1] : 0;
        t[nx] = m->periodic[0] ? t[0] : 0;
        interpolate_row(x, t, u + (j * nz + k) * m->nx);
    }
}
