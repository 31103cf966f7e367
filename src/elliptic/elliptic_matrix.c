/* The matrix of an elliptic system: weights of cell-centred finite volumes (docs/explanation/elliptic.md). In the box
 * all areas and lengths are products. In the shell a cell spans a solid angle of a gnomonic panel, of which `area` is
 * exact; the weight of a face is its length over the distance of the midpoints at its sides. */
#include <math.h>
#include <string.h>

#include "base/sw_cubed_sphere.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "elliptic/sw_elliptic.h"

static const int64_t MOST_CELLS = INT64_C(1) << 36;  /* 0.5 TB an array */

static enum sw_status check_sphere(const struct sw_elliptic_desc *d)
{
    const bool seams[2] = {d->sides[0] == SW_ELLIPTIC_SEAM, d->sides[1] == SW_ELLIPTIC_SEAM};
    if (!seams[0] && !seams[1]) return SW_OK;
    if (!seams[0] || !seams[1] || d->geometry != SW_ELLIPTIC_SHELL)
        return SW_FAIL(SW_E_ARG, "seams join panels of the shell at all four sides");
    if (d->n[1] != SW_PANELS * d->n[0] || d->cut.comm)
        return SW_FAIL(SW_E_ARG, "%lld x %lld cells: the sphere has 6 panels of n x n cells, and is not cut",
                       (long long)d->n[0], (long long)d->n[1]);
    return SW_OK;
}

static enum sw_status check_desc(const struct sw_elliptic_desc *d)
{
    const bool shell = d->geometry == SW_ELLIPTIC_SHELL;
    int64_t cells = 1;
    for (int k = 0; k < 3; k++) {
        if (d->n[k] < 1 || d->n[k] > MOST_CELLS / cells)
            return SW_FAIL(SW_E_ARG, "%lld x %lld x %lld cells: there are at least 1 along each axis, at most 2^36 in "
                           "all",
                           (long long)d->n[0], (long long)d->n[1], (long long)d->n[2]);
        cells *= d->n[k];
    }
    if (sw_elliptic_first(d) < 0 || sw_elliptic_first(d) > sw_elliptic_whole(d) - d->n[1])
        return SW_FAIL(SW_E_ARG, "%lld rows along y from row %lld on, of %lld", (long long)d->n[1],
                       (long long)sw_elliptic_first(d), (long long)sw_elliptic_whole(d));
    for (int k = 0; k < 2; k++)
        if (shell && d->sides[k] == SW_ELLIPTIC_PERIODIC)
            return SW_FAIL(SW_E_ARG, "a panel of the shell has walls at its sides");
    SW_TRY(check_sphere(d));
    if (d->bottom > SW_ELLIPTIC_NEUMANN || d->top > SW_ELLIPTIC_NEUMANN)
        return SW_FAIL(SW_E_ARG, "bottom and top are walls");
    if (d->full && !shell) return SW_FAIL(SW_E_ARG, "a box has no cross terms");
    if (d->variable && shell) return SW_FAIL(SW_E_ARG, "the shell has no variable coefficients");
    return SW_OK;
}

static enum sw_status check_numbers(const struct sw_elliptic_numbers *p)
{
    const double positive[] = {p->omega2, p->lambda2, p->depth};
    static const char *const name[] = {"omega2", "lambda2", "depth"};
    for (int k = 0; k < 3; k++)
        if (!(positive[k] > 0) || !isfinite(positive[k]))
            return SW_FAIL(SW_E_ARG, "%s = %g: it is above 0", name[k], positive[k]);
    if (!(p->delta >= 0) || !isfinite(p->delta))
        return SW_FAIL(SW_E_ARG, "delta = %g: below 0 the operator may be indefinite", p->delta);
    return SW_OK;
}

bool sw_elliptic_is_singular(const struct sw_elliptic_desc *d, double delta)
{
    const bool held = d->sides[0] == SW_ELLIPTIC_DIRICHLET || d->sides[1] == SW_ELLIPTIC_DIRICHLET ||
                      d->bottom == SW_ELLIPTIC_DIRICHLET || d->top == SW_ELLIPTIC_DIRICHLET;
    return !held && delta == 0;
}

double sw_elliptic_face(enum sw_elliptic_geometry geometry, int64_t n, int64_t i)
{
    const double part = (double)i / (double)n;
    return geometry == SW_ELLIPTIC_BOX ? part : 2 * part - 1;
}

/* Of the solid angle between 0 and the point (x, y) of the panel: exact. */
static long double solid_angle(long double x, long double y) { return atanl(x * y / sqrtl(1 + x * x + y * y)); }

/* A cell's area. Four angles nearly cancel where cells are small: the differences are taken in long double, whose 64
 * bits leave 1e-15 of the area up to n = 4096. */
static double area_of(const struct sw_elliptic_desc *d, int64_t i, int64_t j)
{
    const double x0 = sw_elliptic_face(d->geometry, d->n[0], i), x1 = sw_elliptic_face(d->geometry, d->n[0], i + 1),
                 y0 = sw_elliptic_face(d->geometry, d->n[1], j), y1 = sw_elliptic_face(d->geometry, d->n[1], j + 1);
    if (d->geometry == SW_ELLIPTIC_BOX) return 1 / ((double)d->n[0] * (double)d->n[1]);
    return (double)(solid_angle(x1, y1) - solid_angle(x0, y1) - solid_angle(x1, y0) + solid_angle(x0, y0));
}

/* The weight of face i across a horizontal axis, at `along` of the other one; h are the steps along the two. Gnomonic
 * coordinates are skewed by the angle whose cosine is x y/sqrt((1 + x²)(1 + y²)): fluxes of two points take them for
 * orthogonal, and a wall's face a quarter of a cell inside, as the paper has it; `full` knows the metric. At a seam the
 * way between the midpoints has a kink, of which both halves are mirror images: what is skewed about them cancels, and
 * the difference is that across the seam, to second order. */
static double weight_of(const struct sw_elliptic_desc *d, int axis, int64_t i, double along)
{
    const int64_t n = d->n[axis], other = d->n[1 - axis];
    const bool wall = i == 0 || i == n;
    const double shape = (double)n / (double)other;  /* a box: length over distance */
    double at = sw_elliptic_face(d->geometry, n, i);
    if (wall && d->sides[axis] == SW_ELLIPTIC_NEUMANN) return 0;
    const double halves = wall && d->sides[axis] == SW_ELLIPTIC_DIRICHLET ? 2 : 1;
    if (d->geometry == SW_ELLIPTIC_BOX) return halves * shape;
    if (d->full) return halves * shape * (1 + at * at) / sqrt(1 + at * at + along * along);
    if (wall && d->sides[axis] != SW_ELLIPTIC_SEAM) at += (i == 0 ? 0.5 : -0.5) / (double)n;
    return halves * shape * sqrt((1 + at * at) / (1 + along * along));
}

static double centre(const struct sw_elliptic_desc *d, int axis, int64_t i)
{
    return 0.5 * (sw_elliptic_face(d->geometry, d->n[axis], i) + sw_elliptic_face(d->geometry, d->n[axis], i + 1));
}

/* The weight of vertex (i, j) of a shell in the cross terms. */
static double cross_of(const struct sw_elliptic_desc *d, int64_t i, int64_t j)
{
    const double x = sw_elliptic_face(d->geometry, d->n[0], i), y = sw_elliptic_face(d->geometry, d->n[1], j);
    return x * y / sqrt(1 + x * x + y * y);
}

/* Vertices on Dirichlet walls. Two quarters of cells lie at a vertex v inside a wall, between cells p and q along it
 * with values g at their faces there: the cross term there counts half, the difference along the wall is the mean of
 * that of u and that of g, and that across it, over half a cell, 2 ((u_p + u_q)/2 - (g_p + g_q)/2). Half the gradient
 * of X (u_q - u_p + g_q - g_p) ((u_p + u_q)/2 - (g_p + g_q)/2) is X (u_q - g_p)/2 for cell q, -X (u_p - g_q)/2 for cell
 * p: a weight of the wall's face, and a right-hand side. In a corner where both walls are given it is X (u - g)/2 with
 * g there, which follows from the values beside it, half of it for either wall.
 * @return what vertex v counts for the weight of a face on a wall, whose normal points along the axis where sign = 1 */
static double share_of_wall(const struct sw_elliptic_desc *d, int side, int64_t v)
{
    const int axis = side / 2;
    const int64_t wall = side % 2 ? d->n[axis] : 0, n = d->n[1 - axis];
    const double cross = axis == 0 ? cross_of(d, wall, v) : cross_of(d, v, wall), sign = side % 2 ? -1 : 1;
    if (v > 0 && v < n) return 0.5 * sign * cross;
    return d->sides[1 - axis] == SW_ELLIPTIC_DIRICHLET ? 0.25 * sign * cross : 0;
}

/* The rows of a matrix: of the whole grid of `d` those from `first` on. */
struct rows { const struct sw_elliptic_desc *d; int64_t first; };

/* Whether a side wall is at these rows. */
static bool has_wall(const struct rows *rows, const struct sw_elliptic_matrix *m, int side)
{
    if (side / 2 != 1) return true;
    return side % 2 ? rows->first + m->ny == rows->d->n[1] : rows->first == 0;
}

static void add_dirichlet_wall(const struct rows *rows, int side, struct sw_elliptic_matrix *m)
{
    const struct sw_elliptic_desc *d = rows->d;
    if (side / 2 == 0) {
        for (int64_t j = 0; j < m->ny; j++)
            m->east[j * (m->nx + 1) + (side % 2 ? m->nx : 0)] += share_of_wall(d, side, rows->first + j) -
                                                                 share_of_wall(d, side, rows->first + j + 1);
    } else {
        for (int64_t i = 0; i < m->nx; i++)
            m->north[(side % 2 ? m->ny : 0) * m->nx + i] += share_of_wall(d, side, i) - share_of_wall(d, side, i + 1);
    }
}

/* Where no flux goes through a wall the derivative across it is -X/k of that along it, k the weight across: the energy
 * of the two quarters of cells at a vertex is less by half of X^2/k times the square of the difference along the wall,
 * and so is the weight of the face between their cells. At a seam the same holds of the part of the gradient along it,
 * and the part across it is the difference of the cells at both of its sides: no cross term is left. */
static void add_neumann_wall(const struct rows *rows, int side, struct sw_elliptic_matrix *m)
{
    const struct sw_elliptic_desc *d = rows->d;
    const int axis = side / 2;
    const int64_t wall = side % 2 ? d->n[axis] : 0, cell = side % 2 ? d->n[axis] - 1 : 0, n = d->n[1 - axis];
    const double at = sw_elliptic_face(d->geometry, d->n[axis], wall), shape = (double)n / (double)d->n[axis];
    for (int64_t v = 1; v < n; v++) {
        const double cross = axis == 0 ? cross_of(d, wall, v) : cross_of(d, v, wall),
                     along = sw_elliptic_face(d->geometry, n, v),
                     across = (1 + at * at) / sqrt(1 + at * at + along * along);
        const int64_t face = v - rows->first;
        if (axis == 0 && (face < 0 || face > m->ny)) continue;
        double *weight = axis == 0 ? &m->north[face * m->nx + cell]
                                   : &m->east[(cell - rows->first) * (m->nx + 1) + v];
        *weight -= 0.5 * shape * cross * cross / across;
    }
}

static void make_sides(const struct rows *rows, struct sw_elliptic_matrix *m)
{
    const struct sw_elliptic_desc *d = rows->d;
    const int64_t nx = m->nx, ny = m->ny, first = rows->first;
    for (int64_t j = 0; j < ny; j++)
        for (int64_t i = 0; i < nx; i++) m->area[j * nx + i] = area_of(d, i, first + j);
    for (int64_t j = 0; j < ny; j++)
        for (int64_t i = 0; i <= nx; i++) m->east[j * (nx + 1) + i] = weight_of(d, 0, i, centre(d, 1, first + j));
    for (int64_t j = 0; j <= ny; j++)
        for (int64_t i = 0; i < nx; i++) m->north[j * nx + i] = weight_of(d, 1, first + j, centre(d, 0, i));
    for (int64_t j = 0; m->cross && j <= ny; j++)
        for (int64_t i = 1; i < nx && first + j > 0 && first + j < d->n[1]; i++)
            m->cross[j * (nx + 1) + i] = cross_of(d, i, first + j);
    for (int side = 0; m->cross && side < 4; side++)
        if (has_wall(rows, m, side))
            (d->sides[side / 2] == SW_ELLIPTIC_DIRICHLET ? add_dirichlet_wall : add_neumann_wall)(rows, side, m);
}

/* The eight points where three panels meet. Between the midpoints of the cells around a vertex lies a quadrilateral,
 * over which the energy is that of a function between them; there it is a triangle with equal sides, whose energy is
 * the sum of the squares of the three differences over 2 sqrt(3): half of what a vertex of a seam counts for a face. */
static void cut_corners(struct sw_elliptic_matrix *panel)
{
    const double share = 1 / (2 * sqrt(3));
    const int64_t n = panel->nx, last = n - 1;
    for (int k = 0; k < 4; k++) {
        const bool east = k % 2, north = k / 2;
        panel->east[(north ? last : 0) * (n + 1) + (east ? n : 0)] -= share;
        panel->north[(north ? n : 0) * n + (east ? last : 0)] -= share;
    }
}

/* All panels of the sphere are alike. */
static void make_panels(const struct sw_elliptic_desc *d, struct sw_elliptic_matrix *m)
{
    struct sw_elliptic_desc one = *d;
    struct sw_elliptic_matrix panel = *m;
    const size_t n = (size_t)m->nx;
    one.n[1] = panel.ny = d->n[0];
    make_sides(&(struct rows){&one, 0}, &panel);
    if (m->cross) cut_corners(&panel);
    /* Of `north` and `cross` the row between two panels is stored once. */
    const size_t behind = SW_PANELS * n;
    memcpy(m->north + behind * n, m->north + n * n, n * sizeof *m->north);
    if (m->cross) memcpy(m->cross + behind * (n + 1), m->cross + n * (n + 1), (n + 1) * sizeof *m->cross);
    for (size_t p = 1; p < SW_PANELS; p++) {
        memcpy(m->area + p * n * n, m->area, n * n * sizeof *m->area);
        memcpy(m->east + p * n * (n + 1), m->east, n * (n + 1) * sizeof *m->east);
        memcpy(m->north + p * n * n, m->north, n * n * sizeof *m->north);
        if (m->cross) memcpy(m->cross + p * n * (n + 1), m->cross, n * (n + 1) * sizeof *m->cross);
    }
}

/* r^3 differences as products: no digits are lost in a thin shell. */
static void make_levels(const struct sw_elliptic_desc *d, const struct sw_elliptic_numbers *p,
                        struct sw_elliptic_matrix *m)
{
    const int64_t nz = m->nz;
    const bool shell = d->geometry == SW_ELLIPTIC_SHELL;
    const double inner = shell ? 1 : 0;
    for (int64_t k = 0; k <= nz; k++) {
        const double part = (double)k / (double)nz;
        m->level[k] = inner + p->depth * (d->graded ? part * part : part);
    }
    for (int64_t k = 0; k < nz; k++) {
        const double *r = m->level + k, thick = r[1] - r[0], flux = p->omega2 * p->lambda2,
                     below = flux * (shell ? r[0] * r[0] : 1), above = flux * (shell ? r[1] * r[1] : 1);
        m->volume[k] = shell ? thick * (r[1] * r[1] + r[1] * r[0] + r[0] * r[0]) / 3 : thick;
        m->a[k] = p->delta * m->volume[k];
        m->b[k] = k < nz - 1 ? 2 * above / (r[2] - r[0]) : d->top == SW_ELLIPTIC_DIRICHLET ? 2 * above / thick : 0;
        m->c[k] = k > 0 ? 2 * below / (r[1] - r[-1]) : d->bottom == SW_ELLIPTIC_DIRICHLET ? 2 * below / thick : 0;
        m->d[k] = p->omega2 * thick;
    }
}

/* In the shell the faces of a level are the same number where it is thinner than rounding of the radius. */
static enum sw_status check_levels(const struct sw_elliptic_numbers *p, struct sw_elliptic_matrix *m)
{
    const long long nz = m->nz;
    for (long long k = 0; k < nz; k++) {
        const bool thick = m->level[k + 1] > m->level[k];
        if (thick && isfinite(m->b[k]) && isfinite(m->c[k])) continue;
        sw_elliptic_matrix_free(m);
        if (!thick)
            return SW_FAIL(SW_E_ARG, "level %lld of %lld has no thickness in double precision: depth = %g is too "
                           "small", k, nz, p->depth);
        return SW_FAIL(SW_E_ARG, "the coefficients between levels are not finite at level %lld of %lld: omega2 = %g, "
                       "lambda2 = %g, depth = %g", k, nz, p->omega2, p->lambda2, p->depth);
    }
    return SW_OK;
}

enum sw_status sw_elliptic_matrix_make(const struct sw_elliptic_desc *d, const struct sw_elliptic_numbers *p,
                                       const struct sw_elliptic_faces *faces, const struct sw_elliptic_matrix *like,
                                       struct sw_elliptic_matrix *m)
{
    struct sw_elliptic_desc whole = *d;
    const struct rows rows = {&whole, sw_elliptic_first(d)};
    *m = (struct sw_elliptic_matrix){.nx = d->n[0], .ny = d->n[1], .nz = d->n[2],
                                     .panel = sw_elliptic_is_sphere(d) ? d->n[0] : 0};
    whole.n[1] = sw_elliptic_whole(d);
    SW_TRY(check_desc(d));
    SW_TRY(check_numbers(p));
    const size_t nx = (size_t)m->nx, ny = (size_t)m->ny, nz = (size_t)m->nz,
                 sizes[] = {nx * ny, (nx + 1) * ny, nx * (ny + 1), d->full ? (nx + 1) * (ny + 1) : 0,
                            nz + 1, nz, nz, nz, nz, nz};
    double **const arrays[] = {&m->area, &m->east, &m->north, &m->cross, &m->level, &m->volume, &m->a, &m->b, &m->c,
                               &m->d};
    double *block = NULL;
    size_t all = 0;
    for (int k = 0; k < 10; k++) all += sizes[k];
    SW_TRY(sw_alloc(all, &block));
    for (int k = 0; k < 10; block += sizes[k], k++) *arrays[k] = sizes[k] ? block : NULL;
    for (int k = 0; k < 2; k++) m->periodic[k] = d->sides[k] == SW_ELLIPTIC_PERIODIC;
    if (faces && d->variable) m->faces = *faces;
    if (like) memcpy(m->area, like->area, (sizes[0] + sizes[1] + sizes[2] + sizes[3]) * sizeof *m->area);
    else if (m->panel) make_panels(d, m);
    else make_sides(&rows, m);
    make_levels(d, p, m);
    return check_levels(p, m);
}

void sw_elliptic_matrix_free(struct sw_elliptic_matrix *m)
{
    sw_free(m->area);  /* the first of the block */
    memset(m, 0, sizeof *m);
}

/* What the vertices on a side wall add to the right-hand side beside the weights of its faces (share_of_wall()). In a
 * corner the value there is extrapolated from the two walls. */
static void add_cross_walls(const struct rows *rows, const struct sw_elliptic_matrix *m, int side,
                            double (*value)(const void *context, int side, int64_t i, int64_t j, int64_t k),
                            const void *context, double *f)
{
    const struct sw_elliptic_desc *d = rows->d;
    const int axis = side / 2;
    const int64_t cell = side % 2 ? d->n[axis] - 1 : 0, n = d->n[1 - axis];
    for (int64_t k = 0; k < m->nz; k++)
        for (int64_t v = 0; v <= n && n > 1; v++) {
            const int64_t q = v == 0 ? 1 : v == n ? n - 1 : v, p = q - 1;
            const double g_q = axis == 0 ? value(context, side, cell, q, k) : value(context, side, q, cell, k),
                         g_p = axis == 0 ? value(context, side, cell, p, k) : value(context, side, p, cell, k),
                         term = m->d[k] * share_of_wall(d, side, v) * (g_q - g_p) * (v > 0 && v < n ? 1 : 0.5);
            for (int64_t c = v - 1; c <= v; c++) {
                const int64_t i = axis == 0 ? cell : c, j = (axis == 0 ? c : cell) - rows->first;
                if (c >= 0 && c < n && j >= 0 && j < m->ny) f[(j * m->nz + k) * m->nx + i] -= term;
            }
        }
}

/* What the matrix has of the face between a cell and the wall of a side. */
static double wall_weight(const struct sw_elliptic_matrix *m, int side, int64_t i, int64_t j, int64_t k)
{
    const int64_t nx = m->nx, nz = m->nz, last = side % 2;
    const double *kx = m->faces.kx, *ky = m->faces.ky, *kz = m->faces.kz;
    if (side / 2 == 0)
        return m->d[k] * m->east[j * (nx + 1) + i + last] * (kx ? kx[(j * nz + k) * (nx + 1) + i + last] : 1);
    if (side / 2 == 1)
        return m->d[k] * m->north[(j + last) * nx + i] * (ky ? ky[((j + last) * nz + k) * nx + i] : 1);
    return m->area[j * nx + i] * (last ? m->b[k] : m->c[k]) * (kz ? kz[(j * (nz + 1) + k + last) * nx + i] : 1);
}

void sw_elliptic_add_walls(const struct sw_elliptic_desc *d, const struct sw_elliptic_matrix *m,
                           double (*value)(const void *context, int side, int64_t i, int64_t j, int64_t k),
                           const void *context, double *f)
{
    const int64_t n[3] = {m->nx, m->ny, m->nz};
    const enum sw_elliptic_wall wall[6] = {d->sides[0], d->sides[0], d->sides[1], d->sides[1], d->bottom, d->top};
    struct sw_elliptic_desc whole = *d;
    const struct rows rows = {&whole, sw_elliptic_first(d)};
    whole.n[1] = sw_elliptic_whole(d);
    for (int side = 0; side < 6; side++) {
        const int axis = side / 2;
        int64_t first[3] = {0, 0, 0}, behind[3] = {n[0], n[1], n[2]};
        if (wall[side] != SW_ELLIPTIC_DIRICHLET || !has_wall(&rows, m, side)) continue;
        if (m->cross && axis < 2) add_cross_walls(&rows, m, side, value, context, f);
        if (side % 2) first[axis] = n[axis] - 1;
        else behind[axis] = 1;
        for (int64_t j = first[1]; j < behind[1]; j++)
            for (int64_t k = first[2]; k < behind[2]; k++)
                for (int64_t i = first[0]; i < behind[0]; i++)
                    f[(j * n[2] + k) * n[0] + i] +=
                        wall_weight(m, side, i, j, k) * value(context, side, i, rows.first + j, k);
    }
}
