/* The matrix of one elliptic system in compressed rows, as a library takes it. Row (j nz + k) nx + i is cell (i, j, k),
 * and its entries are in the order of the rows of its neighbours, but for those across periodic sides; or rows go
 * column by column, row (j nx + i) nz + k, as solvers of tridiagonal systems want their numbers. No column comes
 * twice in a row, as a library takes no more entries than the matrix has places: along a periodic axis of two cells
 * both sides are one entry, and one of a single cell has none, as what goes out on one side comes in on the other. */
#include "cuda/elliptic/elliptic_cells.cuh"
#include "cuda/launch.cuh"

enum { THREADS = 256 };

/* How many entries the rows before (i, j, k) have: all that lack a neighbour lie at walls, or at the ends of a periodic
 * axis that is too short to have a neighbour beyond them. */
struct csr_shape {
    int64_t nx, ny, nz;
    bool    wraps_x, wraps_y, full;  /* wraps: the first and the last cell of an axis are entries of each other */
};

__host__ __device__ static inline int64_t neighbours_y(const struct csr_shape &s, int64_t j)
{
    return (s.wraps_y || j > 0) + (s.wraps_y || j < s.ny - 1);
}

/* Of a row of cells, which has `vertical` neighbours above and below and `y` to the south and north. */
__host__ __device__ static inline int64_t entries_of_row(const struct csr_shape &s, int64_t y, int64_t vertical)
{
    return s.nx * (1 + y + vertical) + (s.wraps_x ? 2 * s.nx : 2 * (s.nx - 1)) + (s.full ? 2 * y * (s.nx - 1) : 0);
}

__host__ __device__ static inline int64_t entries_of_slab(const struct csr_shape &s, int64_t y)
{
    return s.nz * entries_of_row(s, y, 2) - 2 * s.nx;
}

__host__ __device__ static inline int64_t entries_before(const struct csr_shape &s, int64_t i, int64_t j, int64_t k)
{
    const int64_t y = neighbours_y(s, j), slabs = j == 0 ? 0 : entries_of_slab(s, neighbours_y(s, 0)) +
                                                               (j - 1) * entries_of_slab(s, 2),
                  rows = k * entries_of_row(s, y, 2) - (k > 0 ? s.nx : 0),
                  vertical = (k > 0) + (k < s.nz - 1), each = 1 + y + vertical + 2 + (s.full ? 2 * y : 0);
    return slabs + rows + i * each - (i > 0 && !s.wraps_x ? 1 + (s.full ? y : 0) : 0);
}

/* The same where rows go column by column. Of the columns before, only the first may lack a neighbour along x. */
__host__ __device__ static inline int64_t entries_before_in_columns(const struct csr_shape &s, int64_t i, int64_t j,
                                                                    int64_t k)
{
    const int64_t y = neighbours_y(s, j), slabs = j == 0 ? 0 : entries_of_slab(s, neighbours_y(s, 0)) +
                                                               (j - 1) * entries_of_slab(s, 2),
                  beside = i > 0 ? 2 * i - 1 : 0, own = (i > 0) + (i < s.nx - 1),
                  columns = i * (s.nz * (1 + y) + 2 * (s.nz - 1)) + s.nz * (s.wraps_x ? 2 * i : beside) +
                            (s.full ? s.nz * y * beside : 0),
                  levels = k * (1 + y + (s.wraps_x ? 2 : own) + (s.full ? y * own : 0)) + (k > 0 ? 2 * k - 1 : 0);
    return slabs + columns + levels;
}

template <typename M> static struct csr_shape shape_of(const M *m)
{
    return {m->nx, m->ny, m->nz, m->periodic_x && m->nx > 2, m->periodic_y && m->ny > 2, m->cross != NULL};
}

extern "C" int64_t sw_cuda_elliptic_entries(const struct sw_cuda_elliptic *m)
{
    const struct csr_shape s = shape_of(m);
    const int64_t last = neighbours_y(s, s.ny - 1);
    return (s.ny == 1 ? 0 : entries_of_slab(s, neighbours_y(s, 0)) + (s.ny - 2) * entries_of_slab(s, 2)) +
           entries_of_slab(s, last);
}

/* A row on its way into memory. */
template <typename index, typename real> struct csr_row {
    index *column;
    real  *value;

    __device__ inline void add(bool is, int64_t at, double v)
    {
        if (!is) return;
        *column++ = (index)at;
        *value++ = (real)v;
    }
};

template <typename index, typename real>
__global__ static void __launch_bounds__(THREADS)
    elliptic_csr_k(struct sw_cuda_elliptic m, struct csr_shape s, index *offsets, index *columns, real *values,
                   real *lower, real *main, real *upper)
{
    const int64_t nx = m.nx, ny = m.ny, nz = m.nz, slab = nx * nz, cells = slab * ny,
                  at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= cells) return;
    const bool in_columns = main != NULL;
    const int64_t i = at % nx, j = at / slab, k = at / nx % nz, to_x = in_columns ? nz : 1, to_z = in_columns ? 1 : nx,
                  own_row = j * slab + i * to_x + k * to_z,
                  first = in_columns ? entries_before_in_columns(s, i, j, k) : entries_before(s, i, j, k);
    const bool west = i > 0 || s.wraps_x, east = i < nx - 1 || s.wraps_x, south = j > 0 || s.wraps_y,
               north = j < ny - 1 || s.wraps_y, corner_w = i > 0, corner_e = i < nx - 1;
    const int64_t to_south = j > 0 ? -slab : (ny - 1) * slab, to_north = j < ny - 1 ? slab : (1 - ny) * slab;
    const double area = m.area[j * nx + i], d = m.d[k], *of_x = m.east + j * (nx + 1) + i,
                 *of_y = m.north + j * nx + i;
    double above = area * m.b[k], below = area * m.c[k], x0 = d * of_x[0], x1 = d * of_x[1], y0 = d * of_y[0],
           y1 = d * of_y[nx], corner[4] = {0, 0, 0, 0};
    if (m.kx) {
        const double *kx = m.kx + (j * nz + k) * (nx + 1) + i, *ky = m.ky + at,
                     *kz = m.kz + (j * (nz + 1) + k) * nx + i;
        x0 *= kx[0], x1 *= kx[1], y0 *= ky[0], y1 *= ky[slab], below *= kz[0], above *= kz[nx];
    }
    if (m.cross) {  /* elliptic_vertex(): w (upper right - lower left)/2, w (lower right - upper left)/2 */
        const double *v = m.cross + j * (nx + 1) + i;
        corner[0] = -0.5 * d * v[0], corner[1] = 0.5 * d * v[1];
        corner[2] = 0.5 * d * v[nx + 1], corner[3] = -0.5 * d * v[nx + 2];
    }
    if (in_columns) {  /* M: the weights of the neighbours along x and y stay on the diagonal */
        lower[own_row] = (real)(k > 0 ? -below : 0), upper[own_row] = (real)(k < nz - 1 ? -above : 0);
        main[own_row] = (real)(area * m.a[k] + above + below + ((x0 + x1) + (y0 + y1)));
    }
    if (m.periodic_x && nx == 1) x0 = x1 = 0;
    if (m.periodic_y && ny == 1) y0 = y1 = 0;
    const double own = area * m.a[k] + above + below + ((x0 + x1) + (y0 + y1)) -
                       ((corner[0] + corner[1]) + (corner[2] + corner[3]));
    if (m.periodic_x && nx == 2) x0 = x1 = x0 + x1;
    if (m.periodic_y && ny == 2) y0 = y1 = y0 + y1;
    struct csr_row<index, real> row = {columns + first, values + first};
    offsets[own_row] = (index)first;
    row.add(s.full && south && corner_w, own_row + to_south - to_x, corner[0]);
    row.add(south, own_row + to_south, -y0);
    row.add(s.full && south && corner_e, own_row + to_south + to_x, corner[1]);
    row.add(k > 0, own_row - to_z, -below);
    row.add(west, i > 0 ? own_row - to_x : own_row + (nx - 1) * to_x, -x0);
    row.add(true, own_row, own);
    row.add(east, i < nx - 1 ? own_row + to_x : own_row - (nx - 1) * to_x, -x1);
    row.add(k < nz - 1, own_row + to_z, -above);
    row.add(s.full && north && corner_w, own_row + to_north - to_x, corner[2]);
    row.add(north, own_row + to_north, -y1);
    row.add(s.full && north && corner_e, own_row + to_north + to_x, corner[3]);
    if (at == cells - 1) offsets[cells] = (index)(row.column - columns);
}

template <typename real>
static enum sw_status queue_csr(cudaStream_t to, const struct sw_cuda_elliptic *m, const struct sw_cuda_csr *out)
{
    const int64_t blocks = (m->nx * m->ny * m->nz + THREADS - 1) / THREADS;
    const struct csr_shape s = shape_of(m);
    real *const values = (real *)out->values, *const lower = (real *)out->lower, *const main = (real *)out->main,
         *const upper = (real *)out->upper;
    if (out->narrow)
        return launch(elliptic_csr_k<int32_t, real>, blocks, THREADS, 0, to, ALONE, *m, s, (int32_t *)out->offsets,
                      (int32_t *)out->columns, values, lower, main, upper);
    return launch(elliptic_csr_k<int64_t, real>, blocks, THREADS, 0, to, ALONE, *m, s, (int64_t *)out->offsets,
                  (int64_t *)out->columns, values, lower, main, upper);
}

extern "C" enum sw_status sw_cuda_elliptic_csr(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                               const struct sw_cuda_csr *out)
{
    return out->single ? queue_csr<float>((cudaStream_t)stream, m, out)
                       : queue_csr<double>((cudaStream_t)stream, m, out);
}

/* ------------------------------------------------------------------ fields column by column */

enum { SIDE = 32, ROWS = 8 };

/* Each of the slabs [rows][columns] becomes [columns][rows], times a factor: SIDE x SIDE numbers by a block of SIDE x
 * ROWS threads. */
template <typename from_real, typename to_real>
__global__ static void __launch_bounds__(SIDE * ROWS)
    elliptic_turn_k(int64_t rows, int64_t columns, int64_t tiles_x, int64_t tiles, double scale, const from_real *from,
                    to_real *to)
{
    __shared__ double tile[SIDE][SIDE + 1];
    const int64_t slab = blockIdx.x / tiles, at = blockIdx.x % tiles, column = at % tiles_x * SIDE,
                  row = at / tiles_x * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    from += slab * rows * columns, to += slab * rows * columns;
    for (int r = y; r < SIDE; r += ROWS)
        if (row + r < rows && column + x < columns) tile[r][x] = (double)from[(row + r) * columns + column + x];
    __syncthreads();
    for (int c = y; c < SIDE; c += ROWS)
        if (column + c < columns && row + x < rows)
            to[(column + c) * rows + row + x] = (to_real)(scale * tile[x][c]);
}

template <typename from_real, typename to_real>
static enum sw_status queue_turn(cudaStream_t stream, const struct sw_cuda_elliptic *m, bool into, double scale,
                                 const void *from, void *to)
{
    const int64_t rows = into ? m->nz : m->nx, columns = into ? m->nx : m->nz, tiles_x = (columns + SIDE - 1) / SIDE,
                  tiles = tiles_x * ((rows + SIDE - 1) / SIDE);
    if (m->ny * tiles == 0) return SW_OK;
    return launch(elliptic_turn_k<from_real, to_real>, m->ny * tiles, SIDE * ROWS, 0, stream, ALONE, rows, columns,
                  tiles_x, tiles, scale, (const from_real *)from, (to_real *)to);
}

extern "C" enum sw_status sw_cuda_elliptic_into_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                        bool single, double scale, const double *from, void *to)
{
    return single ? queue_turn<double, float>((cudaStream_t)stream, m, true, scale, from, to)
                  : queue_turn<double, double>((cudaStream_t)stream, m, true, scale, from, to);
}

extern "C" enum sw_status sw_cuda_elliptic_from_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                        bool single, double scale, const void *from, double *to)
{
    return single ? queue_turn<float, double>((cudaStream_t)stream, m, false, scale, from, to)
                  : queue_turn<double, double>((cudaStream_t)stream, m, false, scale, from, to);
}
