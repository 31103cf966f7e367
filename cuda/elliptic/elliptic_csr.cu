/* The matrix of one elliptic system in compressed rows, as a library takes it. Row (j nz + k) nx + i is cell (i, j, k);
 * its entries are in the order of the rows of its neighbours, but for those across periodic sides. No column comes
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
template <typename index> struct csr_row {
    index  *column;
    double *value;

    __device__ inline void add(bool is, int64_t at, double v)
    {
        if (!is) return;
        *column++ = (index)at;
        *value++ = v;
    }
};

template <typename index>
__global__ static void __launch_bounds__(THREADS)
    elliptic_csr_k(struct sw_cuda_elliptic m, struct csr_shape s, index *offsets, index *columns, double *values)
{
    const int64_t nx = m.nx, ny = m.ny, nz = m.nz, slab = nx * nz, cells = slab * ny,
                  at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= cells) return;
    const int64_t i = at % nx, j = at / slab, k = at / nx % nz, first = entries_before(s, i, j, k);
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
    if (m.periodic_x && nx == 1) x0 = x1 = 0;
    if (m.periodic_y && ny == 1) y0 = y1 = 0;
    const double own = area * m.a[k] + above + below + ((x0 + x1) + (y0 + y1)) -
                       ((corner[0] + corner[1]) + (corner[2] + corner[3]));
    if (m.periodic_x && nx == 2) x0 = x1 = x0 + x1;
    if (m.periodic_y && ny == 2) y0 = y1 = y0 + y1;
    struct csr_row<index> row = {columns + first, values + first};
    offsets[at] = (index)first;
    row.add(s.full && south && corner_w, at + to_south - 1, corner[0]);
    row.add(south, at + to_south, -y0);
    row.add(s.full && south && corner_e, at + to_south + 1, corner[1]);
    row.add(k > 0, at - nx, -below);
    row.add(west, i > 0 ? at - 1 : at + nx - 1, -x0);
    row.add(true, at, own);
    row.add(east, i < nx - 1 ? at + 1 : at - nx + 1, -x1);
    row.add(k < nz - 1, at + nx, -above);
    row.add(s.full && north && corner_w, at + to_north - 1, corner[2]);
    row.add(north, at + to_north, -y1);
    row.add(s.full && north && corner_e, at + to_north + 1, corner[3]);
    if (at == cells - 1) offsets[cells] = (index)(row.column - columns);
}

extern "C" enum sw_status sw_cuda_elliptic_csr(sw_cuda_stream stream, const struct sw_cuda_elliptic *m, bool narrow,
                                               void *offsets, void *columns, double *values)
{
    const int64_t blocks = (m->nx * m->ny * m->nz + THREADS - 1) / THREADS;
    const struct csr_shape s = shape_of(m);
    cudaStream_t to = (cudaStream_t)stream;
    if (narrow)
        return launch(elliptic_csr_k<int32_t>, blocks, THREADS, 0, to, ALONE, *m, s, (int32_t *)offsets,
                      (int32_t *)columns, values);
    return launch(elliptic_csr_k<int64_t>, blocks, THREADS, 0, to, ALONE, *m, s, (int64_t *)offsets,
                  (int64_t *)columns, values);
}
