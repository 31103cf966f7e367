/* Row `cuda.multigrid`: flexible conjugate gradients with a multigrid cycle, in single precision, for corrections of u
 * in double precision (elliptic_refine.c). The cycle is that of elliptic_multigrid_cpu.c, on its grids; the kernels are
 * in cuda/elliptic/elliptic_multigrid.cu and elliptic_multigrid_directions.cu, and are queued in
 * elliptic_multigrid_cycle_cuda.c. All systems of a batch go along together, each with its own sums, grids and end.
 *
 * The residual of a pass is scaled to length 1, the matrix to entries of 1 at most, so that nothing leaves the range of
 * single precision. u = sum of alpha p is added up in double precision, and q = A p is formed from the p that is added:
 * rounding of p is no error then. One pass comes to about 5e-8 of the residual that it began with.
 *
 * Of a grid that is cut over ranks a rank has `depth` rows of its neighbours beside its own, and all kernels go through
 * these, too: what they compute there is right except in a few rows at the outer end, where the rows end as at a wall.
 * So each grid takes one exchange a cycle: the finest one of z, from which a rank also forms p, q and r of its
 * neighbours' rows, the others of f on the way down. Where u of a grid has to be right in v rows beside a rank's own,
 * its last sweep needs what the way down has found for that colour in v + 2 rows, and that needs the other colour, and
 * f, in v + 3; in 3 rows for the way down, too, as the last coarse row of a rank may have a fine one of the next rank.
 * And u of the next grid has to be right in v/2 + 3 rows at most, or in v + 2 where it has the same rows. Of the finest
 * grid 4 rows come, in 3 of which q, and so f, is right. Rows begin with an even one, which may be one row more, in
 * which nothing is right. From the grid on where ranks have few rows all of them have all of it: they gather f, and
 * each computes what one device does. */
#include <math.h>
#include <string.h>

#include "comm/sw_comm.h"
#include "elliptic/elliptic_multigrid_cuda.h"
#include "elliptic/elliptic_smooth_cpu.h"
#include "elliptic/sw_elliptic_impl.h"

static const double ENOUGH = 4;  /* of grids (elliptic_coarsen.h): a small grid takes as long as its launches */
enum { RING = SW_CUDA_MULTIGRID_RING, USUAL = 6, SUMS = SW_CUDA_MULTIGRID_SUMS };

/* Grids are gathered where ranks have fewer rows than they send, or so few rows of a small grid that sending takes
 * longer than computing all of it. */
enum { LEAST_ROWS = 4, FEW_ROWS = 96, SMALL_GRID = 1 << 21 };

/* ------------------------------------------------------------------ memory */

/* Room in a block of memory, or, where there is none yet, the words that it will take. */
struct room { float *base; size_t used; };

static float *take(struct room *r, size_t words)
{
    float *at = r->base ? r->base + r->used : NULL;
    r->used += (words + 31) / 32 * 32;
    return at;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Of the rows that are here. */
static struct elliptic_planes planes_of(const struct elliptic_multigrid *mg, int which, const int64_t n[2])
{
    const struct sw_elliptic_desc *d = &mg->cut.desc;
    return elliptic_planes_of((int)n[0], (int)(mg->rows[which].end - mg->rows[which].begin), (int)d->n[2],
                              elliptic_grid_has_colours(d, which, n) ? 2 : 1);
}

/* Weights that may differ from system to system: a last single column, whose mean may be held (elliptic_coarsen.c). */
static bool has_own_weights(const struct elliptic_planes *p) { return p->nx == 1 && p->ny == 1; }

/* @param staging  in, out: words of the largest array that comes from the host */
static void lay_out_grid(const struct sw_elliptic_desc *d, const struct sw_cuda_multigrid *m, struct room *r,
                         struct sw_cuda_multigrid_grid *g, size_t *staging)
{
    const struct elliptic_planes *p = &g->planes;
    const size_t columns = (size_t)elliptic_planes_columns(p), batch = (size_t)d->batch,
                 cells = (size_t)elliptic_planes_cells(p), sets = has_own_weights(p) ? batch : 1;
    const size_t faces[3] = {(size_t)elliptic_x_faces(p), (size_t)elliptic_y_faces(p), (size_t)elliptic_z_faces(p)};
    g->own = has_own_weights(p) ? 4 * (long long)columns : 0;
    g->column = take(r, 4 * columns * sets);
    g->side = d->variable ? NULL : take(r, 4 * columns * sets);
    g->corner = d->full ? take(r, 4 * columns) : NULL;
    *staging = larger(*staging, 4 * columns);
    if (d->variable) {
        g->x = take(r, faces[0] * batch);
        g->y = take(r, faces[1] * batch);
        g->z = take(r, faces[2] * batch);
        for (int k = 0; k < 3; k++) *staging = larger(*staging, faces[k]);
    }
    g->pivots = m->chunks > 1 ? take(r, batch * (size_t)m->chunks * columns) : NULL;
    g->f = take(r, batch * cells);
    g->u = take(r, batch * cells);
    g->first = p->colours == 2 && !d->full ? g->u : take(r, batch * cells);  /* corners are of the own colour */
    for (int a = 0; a < 2; a++) {
        const size_t n = (size_t)(a ? p->ny : p->nx);
        g->near[a] = take(r, n);
        g->far[a] = take(r, n);
        *staging = larger(*staging, n);
    }
}

/* The first and the last row of pieces. */
static const int *take_ends(struct room *r, int pieces) { return (const int *)take(r, 2 * (size_t)pieces); }

/* What travels. @param message  in, out: words of the largest message that is sent, and of the largest that comes */
static void lay_out_rows(struct elliptic_multigrid *mg, int which, struct room *r, size_t message[2])
{
    struct elliptic_rows *rows = &mg->rows[which];
    const struct elliptic_planes *p = &mg->grid[which].planes;
    const bool cut = which < mg->cut.count;
    const int ranks = cut ? 2 : mg->cut.comm->size, most = (int)(cut ? mg->cut.slabs[which].depth : mg->cut.most);
    rows->sent = (struct sw_cuda_multigrid_rows){cut ? 2 : 1, most, take_ends(r, cut ? 2 : 1)};
    rows->received = (struct sw_cuda_multigrid_rows){ranks, most, take_ends(r, ranks)};
    const struct sw_cuda_multigrid_rows *of[2] = {&rows->sent, &rows->received};
    for (int k = 0; k < 2; k++)
        message[k] = larger(message[k], sw_cuda_multigrid_message(p, mg->cut.desc.batch, of[k]->pieces, most));
}

/* @param rank     of this rank's part of the grid
 * @param staging  out: words of the largest array that comes from the host
 * @param message  out: as of lay_out_rows()
 * @return words of the device's memory */
static size_t lay_out(const struct sw_elliptic_desc *rank, struct elliptic_multigrid *mg, float *base, size_t *staging,
                      size_t message[2])
{
    const struct sw_elliptic_desc whole = sw_elliptic_uncut(rank), *const d = &whole;
    struct sw_cuda_multigrid *const m = &mg->d;
    struct sw_cuda_multigrid_grid *const grid = mg->grid;
    struct room r = {base, 0};
    const size_t batch = (size_t)d->batch;
    size_t most = 0;  /* words of a field, on any grid: a coarse one may have two colours where its finer one has not */
    int64_t n[2];
    *staging = 4 * (size_t)d->n[2];
    message[0] = message[1] = 0;
    m->nz = (int)d->n[2];
    m->grid = grid;
    sw_cuda_multigrid_chunks(m->nz, d->variable, &m->chunk, &m->chunks);
    for (int g = 0; elliptic_grid_size(d, g, n); g++) {
        const struct elliptic_slabs *s = &mg->cut.slabs[g];
        grid[g] = (struct sw_cuda_multigrid_grid){.planes = planes_of(mg, g, n),
                                                  .begin = (int)(s->first - mg->rows[g].begin),
                                                  .rows = (int)(s->behind - s->first)};
        lay_out_grid(d, m, &r, &grid[g], staging);
        if (mg->cut.comm && g <= mg->cut.count) lay_out_rows(mg, g, &r, message);
        most = larger(most, (size_t)elliptic_planes_cells(&grid[g].planes));
    }
    m->finest = grid[0].planes;
    m->begin = grid[0].begin;
    m->rows = grid[0].rows;
    m->cells = (double)d->n[0] * (double)d->n[1] * (double)d->n[2];
    const size_t cells = (size_t)elliptic_planes_cells(&m->finest),
                 state = sizeof(struct sw_cuda_multigrid_state) / sizeof(float);
    m->q = take(&r, batch * cells);
    m->ring = take(&r, RING * batch * cells);
    m->scratch = m->chunks ? NULL : take(&r, batch * most);
    m->vertical = take(&r, batch * 4 * (size_t)m->nz);
    m->state = (struct sw_cuda_multigrid_state *)take(&r, batch * state);
    m->partial = (double *)take(&r, 2 * sw_cuda_multigrid_partial(&m->finest, d->variable, d->batch));
    m->ticket = (unsigned *)take(&r, batch);
    m->sums = mg->cut.comm ? (double *)take(&r, 2 * batch * SUMS) : NULL;
    return r.used;
}

/* Rows in which u of the next grid has to be right beside a rank's own, and rows that come from either neighbour. */
static int next_valid(int valid, bool halved) { return halved ? valid / 2 + 3 : valid + 2; }
static int depth_of(int valid) { return valid + 3 > LEAST_ROWS ? valid + 3 : LEAST_ROWS; }

static bool is_cut(const struct elliptic_multigrid *mg, int which, const int64_t n[2], int depth)
{
    const struct sw_elliptic_desc *d = &mg->cut.desc;
    int64_t least, most;
    if (which == 0) return true;
    elliptic_rank_slabs(d, which, mg->cut.comm->size, &least, &most);
    if (mg->cut.periodic && n[1] % 2) return false;  /* the rows beside its ends would not go on in pairs */
    return least >= depth && (least >= FEW_ROWS || n[0] * n[1] * d->n[2] * d->batch > SMALL_GRID);
}

/* This row or the one before. */
static int64_t even_until(int64_t row) { return row % 2 ? row - 1 : row; }

/* Which rows of the grids are here, and how many grids are cut. */
static void plan_rows(const struct sw_elliptic_desc *d, struct elliptic_multigrid *mg)
{
    struct elliptic_cut *const c = &mg->cut;
    int64_t n[2];
    for (int g = 0, valid = 0; elliptic_grid_size(&c->desc, g, n); g++) {
        const struct elliptic_axis *y = &mg->grids.grid[g].axis[1];
        struct elliptic_slabs *s = &c->slabs[g];
        struct elliptic_rows *rows = &mg->rows[g];
        *s = (struct elliptic_slabs){.behind = n[1]};
        *rows = (struct elliptic_rows){.end = n[1]};
        if (c->comm && g == c->count) {
            elliptic_cut_own(d, &mg->grids, g, c);
            if (is_cut(mg, g, n, depth_of(valid))) {
                c->count++;
                s->depth = depth_of(valid);
                if (s->first || c->periodic) rows->begin = even_until(s->first - s->depth);
                rows->end = s->behind < n[1] || c->periodic ? s->behind + s->depth : n[1];
            }
        }
        valid = next_valid(valid, y->coarse < y->n);
    }
}

/* At most, of a grid that is cut. */
static size_t words_of_weights(const struct elliptic_multigrid *mg)
{
    int64_t n[2];
    size_t most = 0;
    for (int g = 0; g < mg->cut.count && elliptic_grid_size(&mg->cut.desc, g, n); g++)
        most = larger(most, (size_t)((mg->rows[g].end - mg->rows[g].begin + 1) * (3 * n[0] + 1)));
    return most;
}

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (!d->cut.comm) return NULL;
    if (d->sides[1] == SW_ELLIPTIC_PERIODIC && d->cut.whole % 2)
        return "it cuts periodic grids with an even number of cells along y only";
    if (d->sides[1] == SW_ELLIPTIC_PERIODIC && d->variable)
        return "it cuts grids with walls only where coefficients vary";
    if (d->cut.whole / d->cut.comm->size < LEAST_ROWS) return "it cuts grids into slabs of 4 rows or more only";
    return NULL;
}

static void arrays(struct sw_elliptic *s)
{
    struct elliptic_multigrid *mg = s->own;
    size_t staging, message[2];
    elliptic_cut_begin(&s->desc, s->device, &mg->cut);
    elliptic_device_make(&s->desc, s->device, 1, s->desc.batch, false, &s->arrays, &mg->on);
    elliptic_grids_make(&mg->cut.desc, &s->arrays, &mg->grids);
    plan_rows(&s->desc, mg);
    if (mg->cut.comm) elliptic_cut_make(&s->desc, &s->arrays, &mg->cut);
    sw_array_device(&s->arrays, lay_out(&s->desc, mg, NULL, &staging, message), &mg->memory);
    if (mg->cut.comm && mg->cut.periodic) sw_array(&s->arrays, words_of_weights(mg), &mg->weights);
    if (mg->cut.comm) {
        sw_array_device(&s->arrays, (message[0] + 1) / 2, &mg->sent);
        sw_array_device(&s->arrays, (message[1] + 1) / 2, &mg->received);
        sw_array_device(&s->arrays, (size_t)mg->cut.comm->size * (size_t)s->desc.batch * SUMS, &mg->sums);
    }
    sw_array_pinned(&s->arrays, (size_t)s->desc.batch, &mg->state);
    sw_array(&s->arrays, (size_t)s->desc.batch, &mg->size);
    sw_array(&s->arrays, (size_t)s->desc.batch, &mg->seen);
    sw_array(&s->arrays, staging, &mg->staging);
}

static enum sw_status create(struct sw_elliptic *s)
{
    struct elliptic_multigrid *mg = s->own;
    size_t staging, message[2];
    mg->threads = s->device->threads;
    mg->usual = USUAL;
    mg->grids.enough = ENOUGH;
    lay_out(&s->desc, mg, mg->memory, &staging, message);
    return SW_OK;
}

static void destroy(struct sw_elliptic *s) { elliptic_cut_free(&((struct elliptic_multigrid *)s->own)->cut); }

/* ------------------------------------------------------------------ matrices */

/* A block of the device's memory := the staging memory. The pointers of grids say const to the kernels. */
static enum sw_status upload(struct sw_elliptic *s, const float *to, size_t words)
{
    struct elliptic_multigrid *mg = s->own;
    return sw_device_upload(s->device, (float *)to, mg->staging, words * sizeof(float));
}

/* Pieces of rows for the device. */
static enum sw_status upload_ends(struct sw_elliptic *s, const struct sw_cuda_multigrid_rows *rows, const int *ends)
{
    return sw_device_upload(s->device, (int *)rows->ends, ends, 2 * (size_t)rows->pieces * sizeof *ends);
}

/* Of a grid that is cut: what goes to the ranks before and behind, and what comes from them. */
static enum sw_status load_neighbours(struct sw_elliptic *s, int which)
{
    const struct elliptic_multigrid *mg = s->own;
    const struct elliptic_rows *rows = &mg->rows[which];
    const struct elliptic_slabs *of = &mg->cut.slabs[which];
    const int first = (int)(of->first - rows->begin), behind = (int)(of->behind - rows->begin), depth = (int)of->depth,
              sent[4] = {first, first + depth, behind - depth, behind};
    int received[4] = {first - depth, first, behind, behind + depth};
    if (sw_comm_left(mg->cut.comm, mg->cut.periodic) < 0) received[1] = received[0];
    if (sw_comm_right(mg->cut.comm, mg->cut.periodic) < 0) received[3] = received[2];
    SW_TRY(upload_ends(s, &rows->sent, sent));
    return upload_ends(s, &rows->received, received);
}

/* Of the first grid that is not cut: the rows of this rank, and of each. */
static enum sw_status load_gathered(struct sw_elliptic *s)
{
    const struct elliptic_multigrid *mg = s->own;
    const struct elliptic_rows *rows = &mg->rows[mg->cut.count];
    const struct elliptic_slabs *of = &mg->cut.slabs[mg->cut.count];
    const int sent[2] = {(int)of->first, (int)of->behind};
    int received[2 * SW_COMM_MOST];
    for (int r = 0; r < mg->cut.comm->size; r++) {
        received[2 * r] = (int)mg->cut.begin[r];
        received[2 * r + 1] = (int)mg->cut.begin[r + 1];
    }
    SW_TRY(upload_ends(s, &rows->sent, sent));
    return upload_ends(s, &rows->received, received);
}

static enum sw_status load_rows(struct sw_elliptic *s)
{
    struct elliptic_multigrid *mg = s->own;
    if (mg->has_rows) return SW_OK;
    for (int g = 0; g < mg->cut.count; g++) SW_TRY(load_neighbours(s, g));
    if (mg->cut.count < mg->grids.planned) SW_TRY(load_gathered(s));
    mg->has_rows = true;
    return SW_OK;
}

/* Row `row` of the whole grid, going around. */
static int64_t around(int64_t row, int64_t ny) { return row < 0 ? row + ny : row < ny ? row : row - ny; }

/* Copy weights of these rows. @param past  1: of an array that has the ends of rows; else 0 */
static double *copy_rows(const double *from, const struct elliptic_rows *rows, int64_t ny, int64_t row, int past,
                         double **to)
{
    double *const first = *to;
    for (int64_t j = rows->begin; j < rows->end + past; j++, *to += row)
        memcpy(*to, from + around(j, ny) * row, (size_t)row * sizeof **to);
    return first;
}

/* The rows of a grid's matrix that are here; where they are some of them they end as at walls. */
static struct sw_elliptic_matrix part_of(const struct elliptic_multigrid *mg, int which)
{
    const struct sw_elliptic_matrix *m = &mg->grids.grid[which].matrix;
    const struct elliptic_rows *rows = &mg->rows[which];
    const int64_t nx = m->nx, nz = m->nz, begin = rows->begin;
    const bool some = which < mg->cut.count;
    double *to = mg->weights;
    struct sw_elliptic_matrix part = *m;
    part.ny = rows->end - begin;
    part.periodic[1] = m->periodic[1] && !some;
    if (some && mg->cut.periodic) {
        part.area = copy_rows(m->area, rows, m->ny, nx, 0, &to);
        part.east = copy_rows(m->east, rows, m->ny, nx + 1, 0, &to);
        part.north = copy_rows(m->north, rows, m->ny, nx, 1, &to);
        return part;
    }
    part.area += begin * nx;
    part.east += begin * (nx + 1);
    part.north += begin * nx;
    if (m->cross) part.cross += begin * (nx + 1);
    if (!m->faces.kx) return part;
    part.faces.kx += begin * nz * (nx + 1);
    part.faces.ky += begin * nz * nx;
    part.faces.kz += begin * (nz + 1) * nx;
    return part;
}

/* What the systems' weights are over: areas over the largest one, vertical vectors over their largest entry. */
static double largest(const double *x, int64_t count)
{
    double most = 0;
#pragma omp simd reduction(max : most)
    for (int64_t i = 0; i < count; i++) most = x[i] > most ? x[i] : most;
    return most;
}

static double largest_area(const struct sw_elliptic_matrix *m) { return largest(m->area, m->nx * m->ny); }

static double vertical_size(const struct sw_elliptic_matrix *m)
{
    const double area = largest_area(m), *v[3] = {m->a, m->b, m->c};
    double size = largest(m->d, m->nz) / area;
    for (int k = 0; k < 3; k++) size = fmax(size, largest(v[k], m->nz));
    return size;
}

/* The largest coefficient at the faces of a system, or 1. @param own  the matrix of this rank */
static enum sw_status largest_face(const struct elliptic_multigrid *mg, const struct sw_elliptic_matrix *own,
                                   double *most)
{
    *most = 1;
    if (!own->faces.kx) return SW_OK;
    const double x = largest(own->faces.kx, (own->nx + 1) * own->ny * own->nz),
                 y = largest(own->faces.ky, own->nx * (own->ny + 1) * own->nz),
                 z = largest(own->faces.kz, own->nx * own->ny * (own->nz + 1));
    *most = fmax(fmax(x, y), fmax(z, 1));
    return sw_comm_max(mg->cut.comm, 1, most);
}

static enum sw_status load_vertical(struct sw_elliptic *s, int system, double size)
{
    struct elliptic_multigrid *mg = s->own;
    const struct sw_elliptic_matrix *m = &mg->grids.grid[0].matrix;
    const double area = largest_area(m);
    for (int64_t k = 0; k < m->nz; k++) {
        float *t = mg->staging + 4 * k;
        t[0] = (float)(m->a[k] / size);
        t[1] = (float)(m->b[k] / size);
        t[2] = (float)(m->c[k] / size);
        t[3] = (float)(m->d[k] / (area * size));
    }
    return upload(s, mg->d.vertical + (size_t)system * 4 * (size_t)m->nz, 4 * (size_t)m->nz);
}

/* Of a column and its neighbours; `area` is that by which areas are divided. */
static enum sw_status load_columns(struct sw_elliptic *s, const struct sw_elliptic_matrix *m, int system, double area,
                                   const struct sw_cuda_multigrid_grid *g)
{
    struct elliptic_multigrid *mg = s->own;
    const struct elliptic_planes *p = &g->planes;
    const size_t words = 4 * (size_t)elliptic_planes_columns(p), at = (size_t)system * (size_t)g->own;
    for (int side = 0; side < 2; side++) {
        float *const to = mg->staging;
        if (side && !g->side) continue;
        for (size_t i = 0; i < words; i++) to[i] = 0;
#pragma omp parallel for num_threads(mg->threads) schedule(static)
        for (int j = 0; j < p->ny; j++)
            for (int i = 0; i < p->nx; i++) {
                const double *e = m->east + j * (m->nx + 1) + i, *n = m->north + j * m->nx + i,
                             own = m->area[j * m->nx + i] / area, west = e[0] / own, east = e[1] / own,
                             south = n[0] / own, north = n[m->nx] / own;
                const bool has[4] = {i > 0 || m->periodic[0], i < p->nx - 1 || m->periodic[0],
                                     j > 0 || m->periodic[1], j < p->ny - 1 || m->periodic[1]};
                float *w = to + 4 * elliptic_column(p, i, j);
                if (side) {
                    w[0] = has[0] ? (float)west : 0;
                    w[1] = has[1] ? (float)east : 0;
                    w[2] = has[2] ? (float)south : 0;
                    w[3] = has[3] ? (float)north : 0;
                } else {
                    w[0] = (float)own;
                    w[1] = (float)((has[0] ? 0 : west) + (has[1] ? 0 : east) + (has[2] ? 0 : south) +
                                   (has[3] ? 0 : north));
                    w[2] = (float)((west + east) + (south + north));
                    w[3] = (float)(1 / own);
                }
            }
        SW_TRY(upload(s, (side ? g->side : g->column) + at, words));
    }
    return SW_OK;
}

/* Half of a vertex's weight joins the cells south-west and north-east of it, less half of it the others: the gradient
 * of 2 X Dx Dy, written out. */
static enum sw_status load_corners(struct sw_elliptic *s, const struct sw_elliptic_matrix *m, double area,
                                   const struct sw_cuda_multigrid_grid *g)
{
    struct elliptic_multigrid *mg = s->own;
    const struct elliptic_planes *p = &g->planes;
    const size_t words = 4 * (size_t)elliptic_planes_columns(p);
    for (size_t i = 0; i < words; i++) mg->staging[i] = 0;
    for (int j = 0; j < p->ny; j++)
        for (int i = 0; i < p->nx; i++) {
            const double *below = m->cross + j * (m->nx + 1) + i, *above = below + m->nx + 1,
                         half = 0.5 * area / m->area[j * m->nx + i];
            const bool west = i > 0, east = i < p->nx - 1, south = j > 0, north = j < p->ny - 1;
            float *w = mg->staging + 4 * elliptic_column(p, i, j);
            w[0] = west && south ? (float)(half * below[0]) : 0;
            w[1] = east && south ? (float)(-half * below[1]) : 0;
            w[2] = west && north ? (float)(-half * above[0]) : 0;
            w[3] = east && north ? (float)(half * above[1]) : 0;
        }
    return upload(s, g->corner, words);
}

/* A row before those that come has no faces on this rank, as nothing is right there: those of the next one stand in.
 * @param size  the weights are divided by it */
static enum sw_status load_faces(struct sw_elliptic *s, const struct sw_elliptic_matrix *m, int system, double size,
                                 int which)
{
    struct elliptic_multigrid *mg = s->own;
    const struct sw_cuda_multigrid_grid *g = &mg->grid[which];
    const struct elliptic_slabs *slabs = &mg->cut.slabs[which];
    const int64_t without = which < mg->cut.count ? slabs->first - slabs->depth - mg->rows[which].begin : 0;
    const struct elliptic_planes *p = &g->planes;
    const int64_t nx = m->nx, ny = m->ny, nz = m->nz;
    float *const to = mg->staging;
    const size_t words[3] = {(size_t)elliptic_x_faces(p), (size_t)elliptic_y_faces(p), (size_t)elliptic_z_faces(p)},
                 of = (size_t)system;
#pragma omp parallel for num_threads(mg->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++) {
        const int64_t row = j < without ? without : j;
        for (int64_t k = 0; k < nz; k++)
            for (int64_t i = 0; i <= nx; i++)
                to[elliptic_x_face(p, (int)i, (int)j) + k * ELLIPTIC_TILE] =
                    (float)(m->d[k] * m->east[j * (nx + 1) + i] * m->faces.kx[(row * nz + k) * (nx + 1) + i] / size);
    }
    SW_TRY(upload(s, g->x + of * words[0], words[0]));
#pragma omp parallel for num_threads(mg->threads) schedule(static)
    for (int64_t j = 0; j <= ny; j++) {
        const int64_t row = j < without ? without : j;
        for (int64_t k = 0; k < nz; k++)
            for (int64_t i = 0; i < nx; i++)
                to[elliptic_y_face(p, (int)i, (int)j) + k * ELLIPTIC_TILE] =
                    (float)(m->d[k] * m->north[j * nx + i] * m->faces.ky[(row * nz + k) * nx + i] / size);
    }
    SW_TRY(upload(s, g->y + of * words[1], words[1]));
#pragma omp parallel for num_threads(mg->threads) schedule(static)
    for (int64_t j = 0; j < ny; j++) {
        const int64_t row = j < without ? without : j;
        for (int64_t k = 0; k <= nz; k++)
            for (int64_t i = 0; i < nx; i++)
                to[elliptic_z_face(p, (int)i, (int)j) + k * ELLIPTIC_TILE] =
                    (float)(m->area[j * nx + i] * (k < nz ? m->c[k] : m->b[nz - 1]) *
                            m->faces.kz[(row * (nz + 1) + k) * nx + i] / size);
    }
    return upload(s, g->z + of * words[2], words[2]);
}

/* How the cells of a grid make those of the next, as both count the rows that are here. */
static enum sw_status load_axes(struct sw_elliptic *s, int which, struct sw_cuda_multigrid_grid *g)
{
    struct elliptic_multigrid *mg = s->own;
    const struct elliptic_grid *from = &mg->grids.grid[which];
    const struct elliptic_rows *rows = &mg->rows[which];
    const bool coarsest = which + 1 == mg->grids.planned, some = which < mg->cut.count;
    const int64_t begin[2] = {0, rows->begin}, count[2] = {from->axis[0].n, rows->end - rows->begin},
                  next[2] = {from->axis[0].coarse, coarsest ? count[1] : rows[1].end - rows[1].begin};
    g->periodic_x = from->matrix.periodic[0];
    g->periodic_y = from->matrix.periodic[1] && !some;
    g->wraps = from->matrix.periodic[1] && some && which + 1 >= mg->cut.count;
    for (int a = 0; a < 2; a++) {
        const struct elliptic_axis *x = &from->axis[a];
        g->halved[a] = x->coarse < x->n;
        g->coarse[a] = (int)next[a];
        g->alone[a] = (int)(x->alone < x->coarse ? x->alone - begin[a] / 2 : count[a]);  /* behind all rows: none */
        for (int far = 0; far < 2 && !coarsest; far++) {
            for (int64_t i = 0; i < count[a]; i++)
                mg->staging[i] = (float)(far ? x->far : x->near)[around(begin[a] + i, x->n)];
            SW_TRY(upload(s, far ? g->far[a] : g->near[a], (size_t)count[a]));
        }
    }
    g->shift = coarsest ? 0 : (int)((g->halved[1] ? rows->begin / 2 : rows->begin) - rows[1].begin);
    return SW_OK;
}

/* The grids of a system: what is horizontal comes from the first one ever that has a grid. */
static enum sw_status load_grids(struct sw_elliptic *s, int system)
{
    struct elliptic_multigrid *mg = s->own;
    const struct sw_elliptic_matrix *finest = &mg->grids.grid[0].matrix;
    double size;
    SW_TRY(largest_face(mg, &s->matrix[system], &size));
    size *= vertical_size(finest);
    const double area = largest_area(finest);
    mg->size[system] = area * size;
    SW_TRY(load_vertical(s, system, size));
    for (int k = 0; k < mg->grids.count; k++) {
        const struct sw_elliptic_matrix part = part_of(mg, k);
        struct sw_cuda_multigrid_grid *g = &mg->grid[k];
        if (k >= mg->there) SW_TRY(load_axes(s, k, g));
        if (k >= mg->there || g->own) SW_TRY(load_columns(s, &part, system, area, g));
        if (k >= mg->there && g->corner) SW_TRY(load_corners(s, &part, area, g));
        if (g->x) SW_TRY(load_faces(s, &part, system, area * size, k));
        if (k >= mg->there) mg->there = k + 1;
    }
    return SW_OK;
}

static enum sw_status load(struct sw_elliptic *s)
{
    struct elliptic_multigrid *mg = s->own;
    SW_TRY(elliptic_device_load(&mg->on, s->count, s->matrix));
    mg->d.systems = s->count;
    mg->d.grids = 0;
    for (int y = 0; y < s->count; y++) {
        if (mg->cut.comm)
            SW_TRY(elliptic_cut_load(&mg->cut, &mg->grids, &s->numbers[y], &s->matrix[y], mg->threads));
        else elliptic_grids_load(&mg->grids, &s->matrix[y], mg->threads);
        if (mg->cut.comm) SW_TRY(load_rows(s));
        SW_TRY(load_grids(s, y));
        const bool singular = sw_elliptic_is_singular(&s->desc, s->numbers[y].delta);
        mg->state[y] = (struct sw_cuda_multigrid_state){.grids = mg->grids.count, .singular = singular};
        if (mg->grids.count > mg->d.grids) mg->d.grids = mg->grids.count;
    }
    return sw_cuda_multigrid_pivots(s->device->compute, &mg->d);
}

/* ------------------------------------------------------------------ the row */

/* Of an iteration, in words of single precision. A direction reads z, p and writes p, q, and u gets p: 5. On the finest
 * grid, with two colours, each way half of the words a colour: down r, q, r, u, and of the other colour u; for the next
 * grid 3/4; up 5/4 for what comes from there, f, q, u, and u of the other colour: 3 1/2 + 1 + 3/4 + 5/4 + 3 + 1/2. With
 * one colour, and about as much with corners: down r, q, r, u; 2 1/4; 2 1/4; up f, q, u, u. Other grids add a third,
 * without r and q. Weights of variable systems: 3 of a direction, 2 1/2 of a colour, 2 of the residuals. Operations: a
 * direction 34, u 2; columns 20 and neighbours 7, or 15, twice; residuals and interpolation 12. */
static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    const int64_t n[2] = {d->n[0], d->n[1]};
    const bool coloured = !d->full && elliptic_grid_has_colours(d, 0, n);
    const double cycle = (coloured ? 7 : 10) + (d->variable ? 12 : 0), finest = 3,
                 work = 2 * 20 + 2 * (d->full ? 15 : 7) + 12;
    return (struct sw_cost){(5 + (d->variable ? 3 : 0) + finest + cycle * 4 / 3) * sizeof(float),
                            36 + (d->full ? 8 : 0) + 8 + work * 4 / 3};
}

extern const struct sw_elliptic_ops elliptic_multigrid_cuda;
const struct sw_elliptic_ops elliptic_multigrid_cuda = {
    .name = "cuda.multigrid",
    .about = "conjugate gradients, preconditioned by multigrid, in single precision; u in double precision",
    .space = SW_DEVICE,
    .cuts = true,
    .refuse = refuse,
    .own_size = sizeof(struct elliptic_multigrid),
    .arrays = arrays,
    .create = create,
    .load = load,
    .solve = elliptic_multigrid_solve_cuda,
    .destroy = destroy,
    .cost = cost,
    .falls_back = "cuda.pcg",
    .fast = true,
};
