#include "elliptic/elliptic_cells_cpu.h"

#include <string.h>

#include "elliptic/elliptic_point.h"

/* Rows of scratch memory: one of zeros, for neighbours that are not there; four for cross terms; two for what lies
 * beyond seams; the slab of the preconditioner's pivots, and a row of them. */
size_t elliptic_scratch(const struct sw_elliptic_matrix *m)
{
    return (size_t)(m->nz + 7) * (size_t)(m->nx + 2);
}

/* What one row of cells sees. */
struct row {
    const real *own, *up, *down, *south, *north;     /* u: [nx]                                                 */
    real        west_of_first, east_of_last;         /* u beyond the ends                                       */
    const real *area, *east, *below, *above;         /* weights [nx], [nx+1], [nx] towards south, towards north */
    real        a, b, c, d;
};

static inline real of_cell(const struct row *r, int64_t i, real west, real east)
{
    const real u = r->own[i], vertical = elliptic_vertical(r->a, r->b, r->c, u, r->up[i], r->down[i]),
               x = elliptic_pair(r->east[i], r->east[i + 1], u, west, east),
               y = elliptic_pair(r->below[i], r->above[i], u, r->south[i], r->north[i]);
    return r->area[i] * vertical + r->d * (x + y);
}

static void apply_row(const struct row *r, int64_t nx, real *restrict out)
{
    for (int64_t i = 1; i < nx - 1; i++) out[i] = of_cell(r, i, r->own[i - 1], r->own[i + 1]);
    out[0] = of_cell(r, 0, r->west_of_first, nx > 1 ? r->own[1] : r->east_of_last);
    if (nx > 1) out[nx - 1] = of_cell(r, nx - 1, r->own[nx - 2], r->east_of_last);
}

/* The same with coefficients at the faces of the row: kx [nx+1], ky below and above [nx], kz below and above [nx]. */
struct row_faces { const real *kx, *south, *north, *down, *up; };

static inline real of_variable_cell(const struct row *r, const struct row_faces *k, int64_t i, real west,
                                    real east)
{
    const real u = r->own[i],
               vertical = elliptic_vertical(r->a, r->b * k->up[i], r->c * k->down[i], u, r->up[i], r->down[i]),
               x = elliptic_pair(r->east[i] * k->kx[i], r->east[i + 1] * k->kx[i + 1], u, west, east),
               y = elliptic_pair(r->below[i] * k->south[i], r->above[i] * k->north[i], u, r->south[i], r->north[i]);
    return r->area[i] * vertical + r->d * (x + y);
}

static void apply_variable_row(const struct row *r, const struct row_faces *k, int64_t nx, real *restrict out)
{
    for (int64_t i = 1; i < nx - 1; i++) out[i] = of_variable_cell(r, k, i, r->own[i - 1], r->own[i + 1]);
    out[0] = of_variable_cell(r, k, 0, r->west_of_first, nx > 1 ? r->own[1] : r->east_of_last);
    if (nx > 1) out[nx - 1] = of_variable_cell(r, k, nx - 1, r->own[nx - 2], r->east_of_last);
}

/* elliptic_vertex() for the vertices i = 1 .. nx-1 between two rows of cells; 0 at the ends. */
static void cross_row(const real *weight, const real *lower, const real *upper, int64_t nx,
                      real *restrict sum, real *restrict difference)
{
    sum[0] = sum[nx] = difference[0] = difference[nx] = 0;
    for (int64_t i = 1; i < nx; i++)
        elliptic_vertex(weight[i], lower[i - 1], lower[i], upper[i - 1], upper[i], &sum[i], &difference[i]);
}

static void add_cross(const struct sw_elliptic_matrix *m, int64_t j, const struct row *r, real *scratch, real *out)
{
    const int64_t nx = m->nx;
    real *below_sum = scratch, *below_difference = below_sum + nx + 1, *above_sum = below_difference + nx + 1,
         *above_difference = above_sum + nx + 1;
    cross_row(m->cross + j * (nx + 1), r->south, r->own, nx, below_sum, below_difference);
    cross_row(m->cross + (j + 1) * (nx + 1), r->own, r->north, nx, above_sum, above_difference);
    for (int64_t i = 0; i < nx; i++)
        out[i] += r->d * elliptic_cross(below_sum[i], below_difference[i + 1], above_difference[i], above_sum[i + 1]);
}

struct elliptic_beside elliptic_own_ends(const struct sw_elliptic_matrix *m, const real *u)
{
    if (!m->periodic[1]) return (struct elliptic_beside){NULL, NULL};
    return (struct elliptic_beside){.south = u + (m->ny - 1) * m->nz * m->nx, .north = u};
}

/* Cell `along` of level k beyond an edge of a panel lies at `first` + along `step`. */
struct beyond { int64_t first, step; };

static struct beyond beyond_edge(const struct sw_elliptic_matrix *m, int64_t j, enum sw_panel_edge edge, int64_t k)
{
    const int64_t n = m->panel, last = n - 1;
    const struct sw_seam seam = sw_seam_of((int)(j / n), edge);
    const bool upright = seam.edge == SW_WEST || seam.edge == SW_EAST;
    const int64_t column = upright ? m->nz * m->nx : 1, across = upright ? 1 : m->nz * m->nx,
                  corner = seam.panel * n * m->nz * m->nx + k * m->nx +
                           (seam.edge == SW_EAST || seam.edge == SW_NORTH ? last * across : 0);
    return (struct beyond){corner + (seam.reversed ? last * column : 0), seam.reversed ? -column : column};
}

real elliptic_cell_beyond(const struct sw_elliptic_matrix *m, const real *u, int64_t j, enum sw_panel_edge edge,
                          int64_t k)
{
    const struct beyond b = beyond_edge(m, j, edge, k);
    return u[b.first + j % m->panel * b.step];
}

const real *elliptic_row_beyond(const struct sw_elliptic_matrix *m, const real *u, int64_t j,
                                enum sw_panel_edge edge, int64_t k, real *room)
{
    const struct beyond b = beyond_edge(m, j, edge, k);
    if (b.step == 1) return u + b.first;
    for (int64_t i = 0; i < m->nx; i++) room[i] = u[b.first + i * b.step];
    return room;
}

/* What a row of the sphere sees beyond the edges of its panel. @param room  [2 nx] */
static void cross_seams(const struct sw_elliptic_matrix *m, const real *u, int64_t j, int64_t k, real *room,
                        struct row *r)
{
    r->west_of_first = elliptic_cell_beyond(m, u, j, SW_WEST, k);
    r->east_of_last = elliptic_cell_beyond(m, u, j, SW_EAST, k);
    if (j % m->panel == 0) r->south = elliptic_row_beyond(m, u, j, SW_SOUTH, k, room);
    if ((j + 1) % m->panel == 0) r->north = elliptic_row_beyond(m, u, j, SW_NORTH, k, room + m->nx);
}

void elliptic_apply_row(const struct sw_elliptic_matrix *m, const real *u, struct elliptic_beside beside, int64_t j,
                        int64_t k, real *y, real *scratch)
{
    const int64_t nx = m->nx, nz = m->nz;
    const real *own = u + (j * nz + k) * nx, *south = j > 0 ? u + (j - 1) * nz * nx : beside.south,
               *north = j < m->ny - 1 ? u + (j + 1) * nz * nx : beside.north;
    real *const zeros = scratch;
    if (k == 0 || k == nz - 1 || !south || !north) memset(zeros, 0, (size_t)nx * sizeof *zeros);
    struct row r = {.own = own,
                    .up = k < nz - 1 ? own + nx : zeros,
                    .down = k > 0 ? own - nx : zeros,
                    .south = south ? south + k * nx : zeros,
                    .north = north ? north + k * nx : zeros,
                    .west_of_first = m->periodic[0] ? own[nx - 1] : 0,
                    .east_of_last = m->periodic[0] ? own[0] : 0,
                    .area = m->area + j * nx,
                    .east = m->east + j * (nx + 1),
                    .below = m->north + j * nx,
                    .above = m->north + (j + 1) * nx,
                    .a = m->a[k], .b = m->b[k], .c = m->c[k], .d = m->d[k]};
    if (m->panel) cross_seams(m, u, j, k, scratch + nx + 4 * (nx + 1), &r);
    const struct sw_elliptic_faces *f = &m->faces;
    if (f->kx) {
        const struct row_faces faces = {f->kx + (j * nz + k) * (nx + 1), f->ky + (j * nz + k) * nx,
                                        f->ky + ((j + 1) * nz + k) * nx, f->kz + (j * (nz + 1) + k) * nx,
                                        f->kz + (j * (nz + 1) + k + 1) * nx};
        apply_variable_row(&r, &faces, nx, y);
    } else {
        apply_row(&r, nx, y);
    }
    if (m->cross) add_cross(m, j, &r, scratch + nx, y);
}

void elliptic_apply_slab(const struct sw_elliptic_matrix *m, const real *u, struct elliptic_beside beside, int64_t j,
                         real *y, real *scratch)
{
    for (int64_t k = 0; k < m->nz; k++) elliptic_apply_row(m, u, beside, j, k, y + k * m->nx, scratch);
}

/* The weights of the neighbours along x and y of `count` cells of a row from `first` on, added up, over d. */
static void add_sides(const struct sw_elliptic_matrix *m, int64_t j, int64_t k, int64_t first, int64_t count,
                      real *restrict sum)
{
    const int64_t nx = m->nx, nz = m->nz;
    const real *east = m->east + j * (nx + 1) + first, *below = m->north + j * nx + first, *above = below + nx;
    if (m->faces.kx) {
        const real *kx = m->faces.kx + (j * nz + k) * (nx + 1) + first,
                   *ky = m->faces.ky + (j * nz + k) * nx + first, *beyond = ky + nz * nx;
        for (int64_t i = 0; i < count; i++)
            sum[i] = (east[i] * kx[i] + east[i + 1] * kx[i + 1]) + (below[i] * ky[i] + above[i] * beyond[i]);
    } else {
        for (int64_t i = 0; i < count; i++) sum[i] = (east[i] + east[i + 1]) + (below[i] + above[i]);
    }
}

static inline void eliminate(const struct elliptic_level *l, bool variable, int64_t count, const real *restrict from,
                             const real *restrict before, real *restrict rest, real *restrict w,
                             real *restrict to)
{
    const real *restrict area = l->area, *restrict sides = l->sides;
    const real a = l->a, b = l->b, c = l->c, d = l->d;
    for (int64_t i = 0; i < count; i++) {
        const real below = area[i] * c * (variable ? l->below[i] : 1),
                   above = area[i] * b * (variable ? l->above[i] : 1),
                   inverse = elliptic_pivot(area[i] * a + d * sides[i], above, below, &rest[i]);
        w[i] = above * inverse;
        to[i] = (from[i] + below * before[i]) * inverse;
    }
}

void elliptic_eliminate(const struct elliptic_level *l, int64_t count, const real *from, const real *before,
                        real *rest, real *w, real *to)
{
    if (l->below) eliminate(l, true, count, from, before, rest, w, to);
    else eliminate(l, false, count, from, before, rest, w, to);
}

void elliptic_substitute(int64_t count, int64_t nz, const real *up, real *z, int64_t stride)
{
    for (int64_t k = nz - 2; k >= 0; k--) {
        const real *restrict w = up + k * count, *restrict above = z + (k + 1) * stride;
        real *restrict to = z + k * stride;
        for (int64_t i = 0; i < count; i++) to[i] += w[i] * above[i];
    }
}

void elliptic_precondition_columns(const struct sw_elliptic_matrix *m, int64_t j, int64_t first, int64_t count,
                                   const real *r, real *z, real *scratch)
{
    const int64_t nx = m->nx, nz = m->nz;
    real *const zeros = scratch, *const sides = zeros + count, *const rest = sides + count, *const up = rest + count;
    struct elliptic_level l = {.area = m->area + j * nx + first, .sides = sides};
    memset(zeros, 0, (size_t)count * sizeof *zeros);
    for (int64_t i = 0; i < count; i++) rest[i] = 1;
    for (int64_t k = 0; k < nz; k++) {
        const real *from = r + k * nx + first, *before = k ? z + (k - 1) * nx + first : zeros;
        real *const to = z + k * nx + first, *const w = up + k * count;
        l.a = m->a[k], l.b = m->b[k], l.c = m->c[k], l.d = m->d[k];
        if (k == 0 || m->faces.kx) add_sides(m, j, k, first, count, sides);
        if (m->faces.kz) l.below = m->faces.kz + (j * (nz + 1) + k) * nx + first, l.above = l.below + nx;
        elliptic_eliminate(&l, count, from, before, rest, w, to);
    }
    elliptic_substitute(count, nz, up, z + first, nx);
}

/* r, z and w of a block take half of a cache of 512 KiB, or more: with less than 2 KiB of a row at a time the processor
 * does not see what comes next, which costs more than words that lie in the next cache. */
int64_t elliptic_columns(const struct sw_elliptic_matrix *m)
{
    const int64_t room = (256 << 10) / (3 * (int64_t)sizeof(real)) / m->nz / 8 * 8;
    return room < 256 ? 256 : room;
}

void elliptic_precondition_slab(const struct sw_elliptic_matrix *m, int64_t j, const real *r, real *z,
                                real *scratch)
{
    const int64_t block = elliptic_columns(m);
    for (int64_t i = 0; i < m->nx; i += block)
        elliptic_precondition_columns(m, j, i, m->nx - i < block ? m->nx - i : block, r, z, scratch);
}
