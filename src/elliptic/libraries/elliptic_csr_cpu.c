/* Preconditioned conjugate gradients as one writes them with libraries, on the CPU: the matrix in compressed rows with
 * a plain product, and for the preconditioner LAPACK's dgttrf and dgttrs, or sgttrf and sgttrs. Row `cpu.csr`, the
 * paper's explicit matrix. The columns of a slab follow one another as one tridiagonal system, with zeros between them:
 * a call a slab. The residual is formed by differences, as it is everywhere.
 *
 * Words a cell and iteration: A p 7 of values, 3.5 of columns and 1 of offsets (half as many again with cross terms), p
 * and q 2; <p, q> 2, u 3, r 3, <r, r> 1, M^-1 r 2, factors 4 and 1/2 of pivots' places, <r, z> 2, p 3: 34. */
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "elliptic/elliptic_csr_point.h"
#include "elliptic/elliptic_host.h"
#include "elliptic/elliptic_krylov.h"
#include "elliptic/sw_elliptic_impl.h"
#include "linalg/libraries/lapack_cpu.h"

/* Fortran: everything by address, and the length of a character argument last, by value. */
typedef void gttrf_function(const int *n, real *dl, real *d, real *du, real *du2, int *ipiv, int *info);
typedef void gttrs_function(const char *trans, const int *n, const int *nrhs, const real *dl, const real *d,
                            const real *du, const real *du2, const int *ipiv, real *b, const int *ldb, int *info,
                            size_t trans_length);

struct baseline {
    struct elliptic_host host;      /* the first: its space's context is this struct as well */
    const struct sw_elliptic_desc *desc;
    gttrf_function *gttrf;
    gttrs_function *gttrs;
    int64_t *offsets;               /* [cells + 1] */
    int32_t *columns;               /* [entries]   */
    real    *values;                /* [entries]   */
    real    *factors[4];            /* [cells]: dl, d, du, du2 of each slab, its columns one after another */
    int     *pivots;                /* [cells] */
    real    *slabs;                 /* [threads][nx][nz] */
    int      system, assembled;     /* the one at hand; the one whose matrix it is, -1: none */
};

static struct elliptic_csr_shape shape_of(const struct sw_elliptic_desc *d)
{
    return (struct elliptic_csr_shape){d->n[0], d->n[1], d->n[2], d->sides[0] == SW_ELLIPTIC_PERIODIC,
                                       d->sides[1] == SW_ELLIPTIC_PERIODIC, d->full};
}

static int64_t entries_of_row(const struct elliptic_csr_shape *s, int64_t i, int64_t j, int64_t k)
{
    return elliptic_csr_row(s, NULL, i, j, k, NULL, NULL);
}

/* Rows along an axis differ at its ends and those beside them only. */
static int64_t entries_of(const struct sw_elliptic_desc *d)
{
    const struct elliptic_csr_shape s = shape_of(d);
    const int64_t inner = s.nx > 2 ? s.nx - 2 : 0;
    int64_t sum = 0;
    for (int64_t j = 0; j < s.ny; j++)
        for (int64_t k = 0; k < s.nz; k++)
            sum += entries_of_row(&s, 0, j, k) + (inner ? inner * entries_of_row(&s, 1, j, k) : 0) +
                   (s.nx > 1 ? entries_of_row(&s, s.nx - 1, j, k) : 0);
    return sum;
}

static const char *refuse(const struct sw_elliptic_desc *d)
{
    if (sw_elliptic_cells(d) > INT_MAX) return "LAPACK counts with 32 bits: it does 2147483647 cells at most";
    return NULL;
}

static void arrays(struct sw_elliptic *s)
{
    struct baseline *b = s->own;
    const size_t cells = sw_elliptic_cells(&s->desc), entries = (size_t)entries_of(&s->desc),
                 slab = (size_t)(s->desc.n[0] * s->desc.n[2]);
    elliptic_host_make(&s->desc, s->device->threads, 4, &s->arrays, &b->host);
    sw_array(&s->arrays, cells + 1, &b->offsets);
    sw_array(&s->arrays, entries, &b->columns);
    sw_array(&s->arrays, entries, &b->values);
    for (int k = 0; k < 4; k++) sw_array(&s->arrays, cells, &b->factors[k]);
    sw_array(&s->arrays, cells, &b->pivots);
    sw_array(&s->arrays, (size_t)s->device->threads * slab, &b->slabs);
}

static enum sw_status create(struct sw_elliptic *s)
{
    static const char *const names[][2] = {{"dgttrf_", "dgttrs_"}, {"sgttrf_", "sgttrs_"}};
    void *found[2];
    struct baseline *b = s->own;
    b->desc = &s->desc;
    b->assembled = -1;
    SW_TRY(sw_lapack_find(s->ops->name, 2, names[sizeof(real) == sizeof(float)], found));
    memcpy(&b->gttrf, &found[0], sizeof b->gttrf);
    memcpy(&b->gttrs, &found[1], sizeof b->gttrs);
    return SW_OK;
}

static enum sw_status load(struct sw_elliptic *s)
{
    ((struct baseline *)s->own)->assembled = -1;
    return SW_OK;
}

/* ------------------------------------------------------------------ the matrix of a system */

static struct elliptic_csr_weights weights_of(const struct sw_elliptic_matrix *m, int64_t i, int64_t j, int64_t k)
{
    const int64_t nx = m->nx, nz = m->nz;
    const double area = m->area[j * nx + i], d = m->d[k];
    const real *of_x = m->east + j * (nx + 1) + i, *of_y = m->north + j * nx + i;
    struct elliptic_csr_weights w = {.own = area * m->a[k], .below = area * m->c[k], .above = area * m->b[k],
                                     .west = d * of_x[0], .east = d * of_x[1], .south = d * of_y[0],
                                     .north = d * of_y[nx]};
    if (m->faces.kx) {
        const real *kx = m->faces.kx + (j * nz + k) * (nx + 1) + i, *ky = m->faces.ky + (j * nz + k) * nx + i,
                   *kz = m->faces.kz + (j * (nz + 1) + k) * nx + i;
        w.west *= kx[0], w.east *= kx[1], w.south *= ky[0], w.north *= ky[nz * nx], w.below *= kz[0], w.above *= kz[nx];
    }
    for (int v = 0; m->cross && v < 4; v++)
        w.corner[v] = elliptic_csr_corner(d * m->cross[(j + v / 2) * (nx + 1) + i + v % 2], v == 0 || v == 3);
    return w;
}

static void count_entries(struct baseline *b, const struct elliptic_csr_shape *s)
{
    int64_t at = 0, sum = 0;
    for (int64_t j = 0; j < s->ny; j++)
        for (int64_t k = 0; k < s->nz; k++)
            for (int64_t i = 0; i < s->nx; i++, at++) {
                b->offsets[at] = sum;
                sum += entries_of_row(s, i, j, k);
            }
    b->offsets[at] = sum;
}

static void put_row(struct baseline *b, int64_t at, int count, const int64_t *column, const double *value)
{
    for (int e = 0; e < count; e++) {
        b->columns[b->offsets[at] + e] = (int32_t)column[e];
        b->values[b->offsets[at] + e] = (real)value[e];
    }
}

/* M is A without the neighbours along x and y, and without cross terms, but with their weights on the diagonal. */
static void assemble_slab(struct baseline *b, const struct elliptic_csr_shape *s, int64_t j)
{
    const struct sw_elliptic_matrix *m = b->host.matrix;
    const int64_t nx = s->nx, nz = s->nz, first = j * nx * nz;
    const int n = (int)(nx * nz);
    real *const dl = b->factors[0] + first, *const d = b->factors[1] + first, *const du = b->factors[2] + first;
    int64_t column[ELLIPTIC_CSR_MOST];
    double value[ELLIPTIC_CSR_MOST];
    int info;
    for (int64_t k = 0; k < nz; k++)
        for (int64_t i = 0; i < nx; i++) {
            const struct elliptic_csr_weights w = weights_of(m, i, j, k);
            const int64_t row = i * nz + k;
            put_row(b, first + k * nx + i, elliptic_csr_row(s, &w, i, j, k, column, value), column, value);
            d[row] = (real)(w.own + w.above + w.below + ((w.west + w.east) + (w.south + w.north)));
            du[row] = (real)(k < nz - 1 ? -w.above : 0);
            if (row > 0) dl[row - 1] = (real)(k > 0 ? -w.below : 0);
        }
    b->gttrf(&n, dl, d, du, b->factors[3] + first, b->pivots + first, &info);
}

static void assemble(struct baseline *b)
{
    const struct elliptic_csr_shape s = shape_of(b->desc);
    if (b->assembled == b->system) return;
    count_entries(b, &s);
#pragma omp parallel for num_threads(b->host.threads) schedule(static)
    for (int64_t j = 0; j < s.ny; j++) assemble_slab(b, &s, j);
    b->assembled = b->system;
}

/* ------------------------------------------------------------------ as a space */

static enum sw_status apply(void *context, const real *x, real *y)
{
    const struct baseline *b = context;
    const int64_t rows = (int64_t)b->host.cells;
#pragma omp parallel for num_threads(b->host.threads) schedule(static)
    for (int64_t at = 0; at < rows; at++) {
        real sum = 0;
        for (int64_t e = b->offsets[at]; e < b->offsets[at + 1]; e++) sum += b->values[e] * x[b->columns[e]];
        y[at] = sum;
    }
    return SW_OK;
}

/* A slab's columns one after another, and back. */
static void turn(int64_t rows, int64_t columns, const real *restrict from, real *restrict to)
{
    enum { BLOCK = 16 };
    for (int64_t r = 0; r < rows; r += BLOCK)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t k = r; k < rows && k < r + BLOCK; k++) to[c * rows + k] = from[k * columns + c];
}

static enum sw_status precondition(void *context, const real *r, real *z)
{
    const struct baseline *b = context;
    const struct sw_elliptic_matrix *m = b->host.matrix;
    const int64_t slab = m->nx * m->nz;
    const int n = (int)slab, one = 1;
#pragma omp parallel for num_threads(b->host.threads) schedule(static)
    for (int64_t j = 0; j < m->ny; j++) {
        real *const x = b->slabs + (int64_t)omp_get_thread_num() * slab;
        const int64_t at = j * slab;
        int info;
        turn(m->nz, m->nx, r + at, x);
        b->gttrs("N", &n, &one, b->factors[0] + at, b->factors[1] + at, b->factors[2] + at, b->factors[3] + at,
                 b->pivots + at, x, &n, &info, 1);
        turn(m->nx, m->nz, x, z + at);
    }
    return SW_OK;
}

static struct elliptic_space space_of(struct baseline *b)
{
    struct elliptic_space space = elliptic_host_space(&b->host);
    space.apply = apply;
    space.precondition = precondition;
    return space;
}

static void find_space(struct sw_elliptic *s, void *space) { *(struct elliptic_space *)space = space_of(s->own); }

static enum sw_status iterate(void *context, struct elliptic_way *way, real *u)
{
    struct baseline *b = context;
    const struct elliptic_space space = space_of(b);
    assemble(b);
    return elliptic_pcg_pass(&space, way, u);
}

static enum sw_status solve_one(struct sw_elliptic *s, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most)
{
    struct baseline *b = s->own;
    b->system = system;
    return elliptic_host_solve(&b->host, s, system, f, u, outcome, history, most, iterate, b);
}

/* The operations of LAPACK are not ours to count. */
static struct sw_cost cost(const struct sw_elliptic_desc *d)
{
    const double entries = (double)entries_of(d) / (double)sw_elliptic_cells(d);
    return (struct sw_cost){entries * (sizeof(real) + sizeof(int32_t)) + sizeof(int64_t) + 22 * sizeof(real) +
                            sizeof(int), NAN};
}

static enum sw_status time_assembly(struct sw_elliptic *s, void *u)
{
    struct baseline *b = s->own;
    (void)u;
    b->assembled = -1;
    assemble(b);
    return SW_OK;
}

/* 7 entries a row; dgttrs: forward 2, back 4 and a division. Their set-up writes all of it. */
static const struct sw_elliptic_kernel kernels[] = {
    {"SpMV", 13, 7 + (7 * sizeof(int32_t) + sizeof(int64_t)) / (double)sizeof(real) + 2, elliptic_run_product},
    {"prec", 7, 6 + sizeof(int) / (double)sizeof(real), elliptic_run_preconditioner},
    {"set-up", NAN, 7 + (7 * sizeof(int32_t) + sizeof(int64_t)) / (double)sizeof(real) + 4, time_assembly},
    {0}};

extern const struct sw_elliptic_ops elliptic_csr_cpu, elliptic_csr_single_cpu;
const struct sw_elliptic_ops elliptic_csr_cpu = {
    .name = "cpu.csr",
    .about = "conjugate gradients with the matrix in compressed rows, LAPACK's tridiagonal solves: a baseline",
    .space = SW_HOST,
    .refuse = refuse,
    .own_size = sizeof(struct baseline),
    .arrays = arrays,
    .create = create,
    .load = load,
    .solve_one = solve_one,
    .cost = cost,
    .kernels = kernels,
    .find_space = find_space,
    .single = &elliptic_csr_single_cpu,
};
