/* Coarse grids and their matrices. A face between coarse cells consists of faces of the fine grid, side by side. Behind
 * each of these lies the way from one coarse midpoint to the other, through this fine face and through a part of those
 * in the middle of the two coarse cells: resistances (one over a weight) in series along the way, then conductances in
 * parallel along the face. Where the coefficients are constant and the cells even this is the discretisation on the
 * coarse grid; of an uneven grid it has the right distances, of coefficients that jump a mean that lies between the
 * harmonic one (across) and the arithmetic one (along), as homogenisation wants it. */
#include "elliptic/elliptic_coarsen.h"

#include <string.h>

/* ------------------------------------------------------------------ sizes */

/* An axis is halved where its coupling, that goes with n² on a square, is at least half of the other one's: columns
 * then smooth errors along it well. Otherwise it waits until the other one has been halved often enough. */
static bool is_halved(const int64_t n[2], int axis)
{
    const double own = (double)n[axis] * (double)n[axis], other = (double)n[1 - axis] * (double)n[1 - axis];
    return n[axis] > 1 && own >= 0.5 * other;
}

static bool next_size(int64_t n[2])
{
    const bool halved[2] = {is_halved(n, 0), is_halved(n, 1)};
    for (int a = 0; a < 2; a++)
        if (halved[a]) n[a] = (n[a] + 1) / 2;
    return halved[0] || halved[1];
}

/* Panels of the sphere are halved as long as they have an even number of cells along a side: seams then join coarse
 * cells one to one. The next grid is a single column for the whole sphere. */
static bool next_panels(int64_t n[2])
{
    if (n[1] == 1) return false;
    if (n[0] % 2) n[0] = n[1] = 1;
    else n[0] /= 2, n[1] /= 2;
    return true;
}

bool elliptic_grid_size(const struct sw_elliptic_desc *d, int which, int64_t n[2])
{
    n[0] = d->n[0];
    n[1] = d->n[1];
    for (int g = 0; g < which; g++)
        if (!(sw_elliptic_is_sphere(d) ? next_panels(n) : next_size(n))) return false;
    return true;
}

void elliptic_rank_slabs(const struct sw_elliptic_desc *d, int which, int ranks, int64_t *least, int64_t *most)
{
    int64_t n[2], before = d->n[1];
    *least = d->n[1] / ranks;
    *most = (d->n[1] + ranks - 1) / ranks;
    for (int g = 1; g <= which && elliptic_grid_size(d, g, n); before = n[1], g++)
        if (n[1] < before) *least /= 2, *most = *most / 2 + 1;
}

/* Words of the arrays of a coarse matrix: area, east, north, cross, kx, ky, kz. */
enum { ARRAYS = 7 };
static size_t words_of(const struct sw_elliptic_desc *d, const int64_t n[2], size_t words[ARRAYS])
{
    const size_t nx = (size_t)n[0], ny = (size_t)n[1], nz = (size_t)d->n[2], variable = d->variable;
    size_t all = 0;
    words[0] = nx * ny;
    words[1] = (nx + 1) * ny;
    words[2] = nx * (ny + 1);
    words[3] = d->full ? (nx + 1) * (ny + 1) : 0;
    words[4] = variable * (nx + 1) * ny * nz;
    words[5] = variable * nx * (ny + 1) * nz;
    words[6] = variable * nx * ny * (nz + 1);
    for (int k = 0; k < ARRAYS; k++) all += words[k];
    return all;
}

/* ------------------------------------------------------------------ axes */

/* Of an odd number one of the widest cells stays alone, so that the widths on no grid differ by more than a factor of
 * two or so. An even number of cells is on either side of it. */
static int64_t choose_alone(const struct elliptic_axis *x)
{
    int64_t widest = 0;
    if (x->coarse == x->n || x->n % 2 == 0) return x->coarse;
    for (int64_t i = 2; i < x->n; i += 2)
        if (x->width[i] >= x->width[widest]) widest = i;
    return widest / 2;
}

static bool has_pair(const struct elliptic_axis *x, int64_t coarse)
{
    return x->coarse < x->n && coarse != x->alone;
}

int64_t elliptic_coarse_begin(const struct elliptic_axis *y, int64_t fine)
{
    int64_t c = y->coarse == y->n ? fine : fine / 2;
    while (c < y->coarse && elliptic_first(y, c) < fine) c++;
    return c;
}

static double coarse_width(const struct elliptic_axis *x, int64_t coarse)
{
    const int64_t i = elliptic_first(x, coarse);
    if (elliptic_joins_all(x)) return (double)x->n * x->width[0];
    return has_pair(x, coarse) ? x->width[i] + x->width[i + 1] : x->width[i];
}

/* Linear interpolation between coarse midpoints, also of two panels of the sphere, or between one and the wall. The
 * midpoint of a cell lies half the width of the other one of the pair away from that of the coarse cell. */
static void set_interpolation(struct elliptic_axis *x, enum sw_elliptic_wall wall)
{
    for (int64_t c = 0; c < x->coarse; c++) {
        const int64_t i = elliptic_first(x, c);
        x->near[i] = 1;
        x->far[i] = 0;
        for (int side = 0; has_pair(x, c) && side < 2; side++) {
            const int64_t next = side ? c + 1 : c - 1, other = next < 0 ? x->coarse - 1 : next == x->coarse ? 0 : next;
            const double off = 0.5 * x->width[side ? i : i + 1], width = coarse_width(x, c);
            double part = off / (0.5 * (width + coarse_width(x, other)));
            if (next != other && wall == SW_ELLIPTIC_NEUMANN) part = 0;
            if (next != other && wall == SW_ELLIPTIC_DIRICHLET) part = off / (0.5 * width);
            x->near[i + side] = 1 - part;
            x->far[i + side] = part;
        }
    }
}

static void make_axis(int64_t n, int64_t coarse, const struct elliptic_axis *finer, enum sw_elliptic_wall wall,
                      struct sw_owned *own, struct elliptic_axis *x)
{
    *x = (struct elliptic_axis){.n = n, .coarse = coarse, .alone = coarse};
    sw_array(own, 3 * (size_t)n, &x->width);
    if (!x->width) return;
    x->near = x->width + n;
    x->far = x->near + n;
    for (int64_t i = 0; i < n; i++) x->width[i] = finer ? coarse_width(finer, i) : 1;
    for (int64_t i = 0; elliptic_joins_all(x) && i < n; i++) x->near[i] = 1, x->far[i] = 0;
    if (elliptic_joins_all(x)) return;
    x->alone = choose_alone(x);
    set_interpolation(x, wall);
}

static void make_matrix(const struct sw_elliptic_desc *d, const int64_t n[2], struct sw_owned *own,
                        struct sw_elliptic_matrix *m)
{
    size_t words[ARRAYS], all = words_of(d, n, words);
    double *block = NULL, *at[ARRAYS];
    sw_array(own, all, &block);
    if (!block) return;
    for (int k = 0; k < ARRAYS; block += words[k], k++) at[k] = words[k] ? block : NULL;
    *m = (struct sw_elliptic_matrix){.nx = n[0], .ny = n[1], .nz = d->n[2], .area = at[0], .east = at[1],
                                     .north = at[2], .cross = at[3], .faces = {at[4], at[5], at[6]},
                                     .panel = sw_elliptic_is_sphere(d) && n[1] > 1 ? n[0] : 0};
    /* The face between a cell and itself has no flux. */
    for (int a = 0; a < 2; a++) m->periodic[a] = d->sides[a] == SW_ELLIPTIC_PERIODIC && n[a] > 1;
}

void elliptic_grids_make(const struct sw_elliptic_desc *d, struct sw_owned *own, struct elliptic_grids *grids)
{
    int64_t n[2], next[2];
    memset(grids, 0, sizeof *grids);
    grids->enough = 0.5;
    for (int g = 0; elliptic_grid_size(d, g, n); g++) {
        struct elliptic_grid *grid = &grids->grid[g];
        if (!elliptic_grid_size(d, g + 1, next)) memcpy(next, n, sizeof next);
        grids->planned++;
        for (int a = 0; a < 2; a++)
            make_axis(n[a], next[a], g ? &grid[-1].axis[a] : NULL, d->sides[a], own, &grid->axis[a]);
        if (g) make_matrix(d, n, own, &grid->matrix);
    }
}

/* ------------------------------------------------------------------ matrices */

/* The way through coarse face c: the fine face, and the faces in the middle of the coarse cells before and behind it,
 * with the part of them that is on the way. */
struct way { int64_t face, before, behind; double part_before, part_behind; bool closed; };

/* Both sides of a seam are mirror images. */
static void mirror(struct way *w, bool before, bool behind)
{
    if (!before) w->before = w->behind, w->part_before = w->part_behind;
    if (!behind) w->behind = w->before, w->part_behind = w->part_before;
}

/* @param seams  the ends of the axis are seams of the sphere */
static struct way way_through(const struct elliptic_axis *x, int64_t c, bool periodic, bool seams)
{
    struct way w = {.face = elliptic_first(x, c), .closed = periodic && x->coarse == 1};
    const int64_t before = c > 0 ? c - 1 : periodic ? x->coarse - 1 : -1,
                  behind = c < x->coarse ? c : periodic ? 0 : -1;
    w.before = w.behind = w.face;
    if (before >= 0 && has_pair(x, before)) {
        const double *width = x->width + elliptic_first(x, before);
        w.before = elliptic_first(x, before) + 1;
        w.part_before = width[0] / (width[0] + width[1]);
    }
    if (behind >= 0 && has_pair(x, behind)) {
        const double *width = x->width + elliptic_first(x, behind);
        w.behind = elliptic_first(x, behind) + 1;
        w.part_behind = width[1] / (width[0] + width[1]);
    }
    if (seams) mirror(&w, before >= 0, behind >= 0);
    return w;
}

static inline double conductance(const struct way *w, double face, double before, double behind)
{
    if (w->closed || !(face > 0)) return 0;
    return 1 / (1 / face + w->part_before / before + w->part_behind / behind);
}

static void coarsen_area(const struct elliptic_grid *fine, struct sw_elliptic_matrix *m)
{
    const struct elliptic_axis *x = &fine->axis[0], *y = &fine->axis[1];
    for (int64_t cy = 0; cy < m->ny; cy++)
        for (int64_t cx = 0; cx < m->nx; cx++) {
            double all = 0;
            for (int64_t j = elliptic_first(y, cy); j < elliptic_first(y, cy + 1); j++)
                for (int64_t i = elliptic_first(x, cx); i < elliptic_first(x, cx + 1); i++)
                    all += fine->matrix.area[j * x->n + i];
            m->area[cy * m->nx + cx] = all;
        }
}

/* Faces across x of the row cy: out [nx + 1]. @param k  level, of variable coefficients; -1: without them */
static void coarsen_east(const struct elliptic_grid *fine, int64_t cy, int64_t k, int64_t nx, double *out)
{
    const struct elliptic_axis *x = &fine->axis[0], *y = &fine->axis[1];
    const struct sw_elliptic_matrix *m = &fine->matrix;
    for (int64_t cx = 0; cx <= nx; cx++) {
        const struct way w = way_through(x, cx, m->periodic[0], m->panel);
        out[cx] = 0;
        for (int64_t j = elliptic_first(y, cy); j < elliptic_first(y, cy + 1); j++) {
            const double *e = m->east + j * (x->n + 1), *kx = k < 0 ? NULL : m->faces.kx + (j * m->nz + k) * (x->n + 1);
            out[cx] += kx ? conductance(&w, e[w.face] * kx[w.face], e[w.before] * kx[w.before],
                                        e[w.behind] * kx[w.behind])
                          : conductance(&w, e[w.face], e[w.before], e[w.behind]);
        }
    }
}

/* Faces across y below the row cy: out [nx]. */
static void coarsen_north(const struct elliptic_grid *fine, int64_t cy, int64_t k, int64_t nx, double *out)
{
    const struct elliptic_axis *x = &fine->axis[0];
    const struct sw_elliptic_matrix *m = &fine->matrix;
    const struct way w = way_through(&fine->axis[1], cy, m->periodic[1], m->panel);
    const double *at[3] = {m->north + w.face * x->n, m->north + w.before * x->n, m->north + w.behind * x->n},
                 *ky[3] = {NULL};
    if (k >= 0) {
        ky[0] = m->faces.ky + (w.face * m->nz + k) * x->n;
        ky[1] = m->faces.ky + (w.before * m->nz + k) * x->n;
        ky[2] = m->faces.ky + (w.behind * m->nz + k) * x->n;
    }
    for (int64_t cx = 0; cx < nx; cx++) {
        out[cx] = 0;
        for (int64_t i = elliptic_first(x, cx); i < elliptic_first(x, cx + 1); i++)
            out[cx] += k < 0 ? conductance(&w, at[0][i], at[1][i], at[2][i])
                             : conductance(&w, at[0][i] * ky[0][i], at[1][i] * ky[1][i], at[2][i] * ky[2][i]);
    }
}

/* A cross term is an energy over the cell between four midpoints: its weight has no unit of length, and is that of the
 * same vertex of the fine grid. */
static void coarsen_cross(const struct elliptic_grid *fine, struct sw_elliptic_matrix *m)
{
    const struct elliptic_axis *x = &fine->axis[0], *y = &fine->axis[1];
    for (int64_t cy = 0; cy <= m->ny; cy++)
        for (int64_t cx = 0; cx <= m->nx; cx++)
            m->cross[cy * (m->nx + 1) + cx] =
                fine->matrix.cross[elliptic_first(y, cy) * (x->n + 1) + elliptic_first(x, cx)];
}

/* Coefficients at a row's vertical faces: means by area. */
static void coarsen_vertical(const struct elliptic_grid *fine, int64_t cy, int64_t k, const double *area, int64_t nx,
                             double *out)
{
    const struct elliptic_axis *x = &fine->axis[0], *y = &fine->axis[1];
    const struct sw_elliptic_matrix *m = &fine->matrix;
    for (int64_t cx = 0; cx < nx; cx++) {
        double sum = 0;
        for (int64_t j = elliptic_first(y, cy); j < elliptic_first(y, cy + 1); j++)
            for (int64_t i = elliptic_first(x, cx); i < elliptic_first(x, cx + 1); i++)
                sum += m->area[j * x->n + i] * m->faces.kz[(j * (m->nz + 1) + k) * x->n + i];
        out[cx] = sum / area[cx];
    }
}

/* A face's weight is that of the geometry times a coefficient. */
static void divide(double *weight, const double *geometry, int64_t count)
{
    for (int64_t i = 0; i < count; i++) weight[i] = geometry[i] > 0 ? weight[i] / geometry[i] : 1;
}

static void coarsen_faces(const struct elliptic_grid *fine, struct sw_elliptic_matrix *m, int64_t first,
                          int64_t behind, int threads)
{
    double *const kx = (double *)m->faces.kx, *const ky = (double *)m->faces.ky, *const kz = (double *)m->faces.kz;
    const int64_t nx = m->nx, nz = m->nz;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = first; j <= behind; j++) {
        for (int64_t k = 0; k < nz; k++) {
            double *const south = ky + (j * nz + k) * nx, *const west = kx + (j * nz + k) * (nx + 1);
            coarsen_north(fine, j, k, nx, south);
            divide(south, m->north + j * nx, nx);
            if (j == behind) continue;
            coarsen_east(fine, j, k, nx, west);
            divide(west, m->east + j * (nx + 1), nx + 1);
        }
        for (int64_t k = 0; j < behind && k <= nz; k++)
            coarsen_vertical(fine, j, k, m->area + j * nx, nx, kz + (j * (nz + 1) + k) * nx);
    }
}

static void coarsen(const struct elliptic_grid *fine, struct sw_elliptic_matrix *m, int64_t first, int64_t behind,
                    int threads)
{
    const struct sw_elliptic_matrix *f = &fine->matrix;
    m->level = f->level;
    m->volume = f->volume;
    m->a = f->a;
    m->b = f->b;
    m->c = f->c;
    m->d = f->d;
    coarsen_area(fine, m);
    if (elliptic_joins_all(&fine->axis[1])) {  /* a column has no neighbours */
        memset(m->east, 0, 2 * sizeof *m->east);
        memset(m->north, 0, 2 * sizeof *m->north);
        if (m->cross) memset(m->cross, 0, 4 * sizeof *m->cross);
        return;
    }
    for (int64_t j = 0; j < m->ny; j++) coarsen_east(fine, j, -1, m->nx, m->east + j * (m->nx + 1));
    for (int64_t j = 0; j <= m->ny; j++) coarsen_north(fine, j, -1, m->nx, m->north + j * m->nx);
    if (m->cross) coarsen_cross(fine, m);
    if (m->faces.kx) coarsen_faces(fine, m, first, behind, threads);
}

/* Whether the neighbours of a column weigh less than `enough` of what keeps its mean: its zero-order term. Where that
 * is half, a sweep over the columns all but solves the system. Of variable coefficients that is not known: never. */
static bool is_dominant(const struct sw_elliptic_matrix *m, double enough)
{
    double most = 0;
    if (m->faces.kx) return false;
    for (int64_t j = 0; j < m->ny; j++)
        for (int64_t i = 0; i < m->nx; i++) {
            const double *e = m->east + j * (m->nx + 1) + i, *n = m->north + j * m->nx + i,
                         sides = (e[0] + e[1]) + (n[0] + n[m->nx]), part = sides / m->area[j * m->nx + i];
            if (part > most) most = part;
        }
    for (int64_t k = 0; k < m->nz; k++)
        if (!(m->d[k] * most < enough * m->a[k])) return false;
    return true;
}

/* A single column without walls and zero-order term: nothing fixes the mean of u, and that of the residual is 0 but for
 * rounding. It gets a wall at a side that conducts a thousandth of what the column conducts from bottom to top: other
 * vertical modes hardly feel that, and rounding grows by no more than that. */
static void fix_mean(struct sw_elliptic_matrix *m)
{
    double resistance = 0, capacity = 0;
    if (m->nx * m->ny > 1 || m->c[0] > 0 || m->b[m->nz - 1] > 0) return;
    for (int k = 0; k < 2; k++)
        if (m->east[k] > 0 || m->north[k] > 0) return;
    for (int64_t k = 0; k < m->nz; k++) {
        if (m->a[k] > 0) return;
        if (k < m->nz - 1) resistance += 1 / (m->area[0] * m->b[k] * (m->faces.kz ? m->faces.kz[k + 1] : 1));
        capacity += m->d[k];
    }
    m->east[0] = m->nz > 1 ? 1e-3 / (resistance * capacity) : 1;
}

void elliptic_grids_begin(struct elliptic_grids *grids, const struct sw_elliptic_matrix *matrix)
{
    grids->grid[0].matrix = *matrix;
    grids->count = 1;
}

bool elliptic_grids_next(struct elliptic_grids *grids, int64_t first, int64_t behind, int threads)
{
    const struct elliptic_grid *fine = &grids->grid[grids->count - 1];
    struct sw_elliptic_matrix *next = &grids->grid[grids->count].matrix;
    if (grids->count == grids->planned || is_dominant(&fine->matrix, grids->enough)) return false;
    coarsen(fine, next, first, behind, threads);
    fix_mean(next);
    grids->count++;
    return true;
}

void elliptic_grids_load(struct elliptic_grids *grids, const struct sw_elliptic_matrix *matrix, int threads)
{
    elliptic_grids_begin(grids, matrix);
    while (elliptic_grids_next(grids, 0, grids->grid[grids->count].matrix.ny, threads)) { }
}
