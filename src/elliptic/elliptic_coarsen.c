/* Coarse grids and their matrices. A face between coarse cells consists of faces of the fine grid, side by side. Behind
 * each of these lies the way from one coarse midpoint to the other, through this fine face and through a part of those
 * in the middle of the two coarse cells: resistances (one over a weight) in series along the way, then conductances in
 * parallel along the face. Where the coefficients are constant and the cells even this is the discretisation on the
 * coarse grid; of an uneven grid it has the right distances, of coefficients that jump a mean that lies between the
 * harmonic one (across) and the arithmetic one (along), as homogenisation wants it.
 *
 * Where coefficients jump, cells of one coarse cell may have little to do with each other: one that conducts well may
 * hang on the coarse cell beside it. Transfer by the matrix (elliptic_grids_weigh()) says how much of a cell belongs to
 * which coarse cell, and the coarse matrix shares out the conductances of fine columns and rows accordingly. For
 * constant coefficients the shares that a coarse cell gives are those that it gets: its matrix is the same. */
#include "elliptic/elliptic_coarsen.h"

#include <omp.h>
#include <string.h>

/* Interpolation along an axis fades where the cell conducts less along it than a fourth of both axes together: a
 * channel one cell wide has its values from itself, not from the cells at its sides. */
static const double WEAK = 0.25;
static const double LOOSE = 8;  /* a cell follows those above and below where these weigh more than so many sides */
static const double MOST_SHARE = 1 - 1e-10;  /* so that no coarse weight vanishes */

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

/* ------------------------------------------------------------------ between grids */

int64_t elliptic_around(const struct elliptic_axis *x, int64_t i, bool periodic, int64_t panel, int64_t *beside)
{
    if (x->coarse == x->n) return *beside = i;
    if (elliptic_joins_all(x)) return *beside = 0;
    const int64_t c = i <= 2 * x->alone ? i / 2 : (i + 1) / 2, next = i == elliptic_first(x, c) ? c - 1 : c + 1;
    *beside = c == x->alone ? c : next >= 0 && next < x->coarse ? next : !periodic ? -1 : next < 0 ? x->coarse - 1 : 0;
    if (panel && (next < 0 || next / panel != c / panel)) *beside = -1;
    return c;
}

void elliptic_grids_weigh(const struct sw_elliptic_desc *d, int which, int64_t first, int64_t behind, int threads,
                          struct sw_owned *own, struct elliptic_grids *grids)
{
    struct elliptic_grid *grid = &grids->grid[which];
    const int64_t slab = grid->axis[0].n * d->n[2];
    if (which == 0) sw_array(own, (size_t)(threads * 2 * d->n[2] * ELLIPTIC_FACES), &grids->room);
    for (int a = 0; a < 2; a++) {
        double *share = NULL;
        sw_array(own, (size_t)((behind - first) * slab), &share);
        grid->share[a] = share ? share - first * slab : NULL;
    }
    grid->first = first < 0 ? 0 : first;
    grid->behind = behind < grid->axis[1].n ? behind : grid->axis[1].n;
}

/* The fine cell behind the outer face of cell i; i itself where there is none. */
static int64_t behind_face(const struct elliptic_axis *x, int64_t i, bool periodic)
{
    int64_t beside;
    const int64_t c = elliptic_around(x, i, periodic, 0, &beside);
    if (beside < 0 || x->coarse == x->n || c == x->alone) return i;
    const int64_t next = i == elliptic_first(x, c) ? i - 1 : i + 1;
    return next < 0 ? x->n - 1 : next < x->n ? next : 0;
}

void elliptic_corner_rows(const struct elliptic_grid *grid, int64_t j, int64_t k, double *weight)
{
    const struct elliptic_axis *x = &grid->axis[0];
    const int64_t nx = x->n, nz = grid->matrix.nz, beside = behind_face(&grid->axis[1], j, grid->matrix.periodic[1]);
    const double *along_x = grid->share[0] + (j * nz + k) * nx, *along_y = grid->share[1] + (j * nz + k) * nx,
                 *x_beside = grid->share[0] + (beside * nz + k) * nx;
    for (int64_t i = 0; i < nx; i++) {
        const double y_beside = along_y[behind_face(x, i, grid->matrix.periodic[0])];
        const struct elliptic_corners w = elliptic_corners_of(along_x[i], along_y[i], x_beside[i], y_beside);
        weight[i] = w.around;
        weight[nx + i] = w.along_x;
        weight[2 * nx + i] = w.along_y;
        weight[3 * nx + i] = w.beyond;
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

/* ------------------------------------------------------------------ shares */

/* What the coarse cell on the other side of a coarse face has in the fine cell at this side of it: the resistance from
 * the midpoint of its own coarse cell over that from midpoint to midpoint, or to the wall. */
static inline double share_of(const struct way *w, double face, double before, double behind, bool is_before)
{
    if (w->closed || !(face > 0)) return 0;
    const double first = w->part_before > 0 ? w->part_before / before : 0,
                 last = w->part_behind > 0 ? w->part_behind / behind : 0,
                 share = (is_before ? first : last) / (first + 1 / face + last);
    return share < MOST_SHARE ? share : MOST_SHARE;
}

/* A cell of an axis: the way through its outer coarse face, on which side of it the cell is, and the face inside the
 * coarse cell beside. */
struct outer { bool has, is_before; struct way way; int64_t beyond; };

static struct outer outer_of(const struct elliptic_axis *x, int64_t i, bool periodic)
{
    int64_t beside;
    const int64_t c = elliptic_around(x, i, periodic, 0, &beside);
    struct outer o = {.has = has_pair(x, c)};
    if (!o.has) return o;
    o.is_before = i > elliptic_first(x, c);
    o.way = way_through(x, o.is_before ? c + 1 : c, periodic, 0);
    o.beyond = o.is_before ? o.way.behind : o.way.before;
    return o;
}

static inline double larger(double a, double b) { return a > b ? a : b; }

/* How much of a share remains where a cell conducts `own` along the axis and `other` along the other one. */
static inline double strength(double own, double other)
{
    const double part = own / (own + other);
    return part < WEAK ? part / WEAK : 1;
}

/* The weights of a fine grid's faces: of those across x of row (j, k), and of those across y below it. */
static inline double east_of(const struct sw_elliptic_matrix *m, int64_t j, int64_t k, int64_t i)
{
    return m->east[j * (m->nx + 1) + i] * m->faces.kx[(j * m->nz + k) * (m->nx + 1) + i];
}

static inline double north_of(const struct sw_elliptic_matrix *m, int64_t j, int64_t k, int64_t i)
{
    return m->north[j * m->nx + i] * m->faces.ky[(j * m->nz + k) * m->nx + i];
}

/* Of a cell: the weights of its faces, and of those beyond the cells beside it. */
enum { WEST, EAST, SOUTH, NORTH, BEYOND_X, BEYOND_Y, FACES = ELLIPTIC_FACES };

/* Where levels are coupled so well that u hardly differs between them, what counts is what all of them conduct: add to
 * the faces of each level those of the levels below and above, so far as it follows them.
 * @param own, all  [nz][FACES]; all: out */
static void join_levels(const struct sw_elliptic_matrix *m, int64_t j, int64_t i, const double *own, double *all)
{
    const int64_t nz = m->nz;
    const double area = m->area[j * m->nx + i], *kz = m->faces.kz + j * (nz + 1) * m->nx + i;
    memcpy(all, own, (size_t)(nz * FACES) * sizeof *all);
    for (int way = 0; way < 2; way++) {
        double sum[FACES] = {0};
        for (int64_t n = 0; n < nz; n++) {
            const int64_t k = way ? nz - 1 - n : n;
            const double *const face = own + k * FACES;
            const double vertical = n ? area * (way ? m->b[k] * kz[(k + 1) * m->nx] : m->c[k] * kz[k * m->nx]) : 0,
                         sides = m->d[k] * (face[WEST] + face[EAST] + face[SOUTH] + face[NORTH]),
                         follows = vertical > 0 ? vertical / (vertical + LOOSE * sides) : 0;
            for (int f = 0; f < FACES; f++) {
                all[k * FACES + f] += follows * sum[f];
                sum[f] = face[f] + follows * sum[f];
            }
        }
    }
}

/* @param before, behind  the weights of the faces of the cell */
static double share_through(const struct outer *o, double before, double behind, double beyond)
{
    if (!o->has) return 0;
    return o->is_before ? share_of(&o->way, behind, before, beyond, true)
                        : share_of(&o->way, before, beyond, behind, false);
}

/* @param room  [2][nz][FACES] */
static void form_shares(struct elliptic_grid *g, int64_t j, double *room)
{
    const struct sw_elliptic_matrix *m = &g->matrix;
    const bool both = (j > g->first || j == 0) && (j < g->behind - 1 || j == g->axis[1].n - 1);
    const struct outer oy = both ? outer_of(&g->axis[1], j, m->periodic[1]) : (struct outer){.has = false};
    const int64_t nx = m->nx, nz = m->nz;
    for (int64_t i = 0; i < nx; i++) {
        const struct outer ox = outer_of(&g->axis[0], i, m->periodic[0]);
        for (int64_t k = 0; k < nz; k++) {
            double *const face = room + k * FACES;
            face[WEST] = east_of(m, j, k, i);
            face[EAST] = east_of(m, j, k, i + 1);
            face[SOUTH] = north_of(m, j, k, i);
            face[NORTH] = north_of(m, j + 1, k, i);
            face[BEYOND_X] = ox.has ? east_of(m, j, k, ox.beyond) : 0;
            face[BEYOND_Y] = oy.has ? north_of(m, oy.beyond, k, i) : 0;
        }
        join_levels(m, j, i, room, room + nz * FACES);
        for (int64_t k = 0; k < nz; k++) {
            const double *const face = room + (nz + k) * FACES, along_x = larger(face[WEST], face[EAST]),
                         along_y = larger(face[SOUTH], face[NORTH]);
            const int64_t at = (j * nz + k) * nx + i;
            g->share[0][at] = strength(along_x, along_y) * share_through(&ox, face[WEST], face[EAST], face[BEYOND_X]);
            g->share[1][at] = strength(along_y, along_x) * share_through(&oy, face[SOUTH], face[NORTH], face[BEYOND_Y]);
        }
    }
}

int elliptic_parts_of(const struct elliptic_axis *x, int64_t c, bool periodic, struct elliptic_part *part)
{
    int count = 0;
    const int64_t first = elliptic_first(x, c), behind = elliptic_first(x, c + 1);
    for (int64_t i = first; i < behind; i++) part[count++] = (struct elliptic_part){i, false};
    if (x->coarse == x->n) return count;
    if (first > 0 || periodic) part[count++] = (struct elliptic_part){first > 0 ? first - 1 : x->n - 1, true};
    if (behind < x->n || periodic) part[count++] = (struct elliptic_part){behind < x->n ? behind : 0, true};
    return count;
}

/* The part of a fine conductance along the other axis. What would belong to a wall stays. */
static inline double part_in(const struct elliptic_axis *x, const struct elliptic_part *p, bool periodic, double share)
{
    int64_t beside;
    elliptic_around(x, p->fine, periodic, 0, &beside);
    return p->beside ? share : beside < 0 ? 1 : 1 - share;
}

/* The cells before and behind a fine face that coarse face c begins with; at a wall both are the same. */
static void cells_at(const struct elliptic_axis *x, int64_t face, bool periodic, int64_t cell[2])
{
    cell[0] = face > 0 ? face - 1 : periodic ? x->n - 1 : 0;
    cell[1] = face < x->n ? face : periodic ? 0 : x->n - 1;
}

/* As coarsen_east() and coarsen_north() below, with conductances shared out. */
static void share_east(const struct elliptic_grid *fine, int64_t cy, int64_t k, int64_t nx, double *out)
{
    const struct elliptic_axis *x = &fine->axis[0], *y = &fine->axis[1];
    const struct sw_elliptic_matrix *m = &fine->matrix;
    struct elliptic_part part[ELLIPTIC_PARTS];
    const int parts = elliptic_parts_of(y, cy, m->periodic[1], part);
    for (int64_t cx = 0; cx <= nx; cx++) {
        const struct way w = way_through(x, cx, m->periodic[0], 0);
        int64_t cell[2];
        cells_at(x, w.face, m->periodic[0], cell);
        out[cx] = 0;
        for (int p = 0; p < parts; p++) {
            const int64_t j = part[p].fine;
            const double *share = fine->share[1] + (j * m->nz + k) * m->nx;
            out[cx] += part_in(y, &part[p], m->periodic[1], 0.5 * (share[cell[0]] + share[cell[1]])) *
                       conductance(&w, east_of(m, j, k, w.face), east_of(m, j, k, w.before),
                                   east_of(m, j, k, w.behind));
        }
    }
}

static void share_north(const struct elliptic_grid *fine, int64_t cy, int64_t k, int64_t nx, double *out)
{
    const struct elliptic_axis *x = &fine->axis[0], *y = &fine->axis[1];
    const struct sw_elliptic_matrix *m = &fine->matrix;
    const struct way w = way_through(y, cy, m->periodic[1], 0);
    int64_t cell[2];
    cells_at(y, w.face, m->periodic[1], cell);
    const double *before = fine->share[0] + (cell[0] * m->nz + k) * m->nx,
                 *behind = fine->share[0] + (cell[1] * m->nz + k) * m->nx;
    for (int64_t cx = 0; cx < nx; cx++) {
        struct elliptic_part part[ELLIPTIC_PARTS];
        const int parts = elliptic_parts_of(x, cx, m->periodic[0], part);
        out[cx] = 0;
        for (int p = 0; p < parts; p++) {
            const int64_t i = part[p].fine;
            out[cx] += part_in(x, &part[p], m->periodic[0], 0.5 * (before[i] + behind[i])) *
                       conductance(&w, north_of(m, w.face, k, i), north_of(m, w.before, k, i),
                                   north_of(m, w.behind, k, i));
        }
    }
}

/* ------------------------------------------------------------------ weights */

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
            if (fine->share[0]) share_north(fine, j, k, nx, south);
            else coarsen_north(fine, j, k, nx, south);
            divide(south, m->north + j * nx, nx);
            if (j == behind) continue;
            if (fine->share[0]) share_east(fine, j, k, nx, west);
            else coarsen_east(fine, j, k, nx, west);
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
    struct elliptic_grid *const fine = &grids->grid[grids->count - 1];
    struct sw_elliptic_matrix *next = &grids->grid[grids->count].matrix;
    if (grids->count == grids->planned || is_dominant(&fine->matrix, grids->enough)) return false;
    if (fine->share[0]) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t j = fine->first; j < fine->behind; j++) 
            form_shares(fine, j, grids->room + omp_get_thread_num() * 2 * fine->matrix.nz * FACES);
    }
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
