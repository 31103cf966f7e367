#ifndef ELLIPTIC_CELLS_CUH
#define ELLIPTIC_CELLS_CUH
/* Cells and columns of elliptic systems in kernels. M is struct sw_cuda_elliptic or, in single precision, struct
 * sw_cuda_elliptic_single; of_system() makes it the matrix of one system. FULL: there are cross terms. VARIABLE: there
 * are coefficients at the faces. Columns are numbered along x, then along y: column c is cell (c mod nx, c/nx). */
#include "elliptic/elliptic_point.h"
#include "sw_cuda.h"

template <typename M> __device__ static inline M of_system(M m, int64_t system)
{
    m.a += system * m.nz, m.b += system * m.nz, m.c += system * m.nz, m.d += system * m.nz;
    if (m.kx) {
        m.kx += system * (m.nx + 1) * m.ny * m.nz;
        m.ky += system * m.nx * (m.ny + 1) * m.nz;
        m.kz += system * m.nx * m.ny * (m.nz + 1);
    }
    return m;
}

/* A u of cell (i, j, k); u is the system's. */
template <bool FULL, bool VARIABLE, typename M, typename real>
__device__ static inline real apply_at(const M &m, const real *u, int64_t i, int64_t j, int64_t k)
{
    const int64_t nx = m.nx, ny = m.ny, nz = m.nz, slab = nx * nz, at = j * slab + k * nx + i;
    const bool wraps_x = m.periodic_x, wraps_y = m.periodic_y;
    const real own = u[at], zero = 0, up = k < nz - 1 ? u[at + nx] : zero, down = k > 0 ? u[at - nx] : zero;
    const real west = i > 0 ? u[at - 1] : wraps_x ? u[at + nx - 1] : zero,
               east = i < nx - 1 ? u[at + 1] : wraps_x ? u[at - nx + 1] : zero;
    const int64_t to_south = j > 0 ? -slab : (ny - 1) * slab, to_north = j < ny - 1 ? slab : -(ny - 1) * slab;
    const bool has_south = j > 0 || wraps_y, has_north = j < ny - 1 || wraps_y;
    const real south = has_south ? u[at + to_south] : zero, north = has_north ? u[at + to_north] : zero;
    const real *of_x = m.east + j * (nx + 1) + i, *of_y = m.north + j * nx + i;
    real a = m.a[k], b = m.b[k], c = m.c[k], d = m.d[k], x0 = of_x[0], x1 = of_x[1], y0 = of_y[0], y1 = of_y[nx];
    if (VARIABLE) {
        const real *kx = m.kx + (j * nz + k) * (nx + 1) + i, *ky = m.ky + at, *kz = m.kz + (j * (nz + 1) + k) * nx + i;
        x0 *= kx[0], x1 *= kx[1], y0 *= ky[0], y1 *= ky[slab], c *= kz[0], b *= kz[nx];
    }
    real sides = elliptic_pair(x0, x1, own, west, east) + elliptic_pair(y0, y1, own, south, north);
    if (FULL) {
        const real *of_vertex = m.cross + j * (nx + 1) + i;
        const bool has_west = i > 0, has_east = i < nx - 1;
        const real south_west = has_south && has_west ? u[at + to_south - 1] : zero,
                   south_east = has_south && has_east ? u[at + to_south + 1] : zero,
                   north_west = has_north && has_west ? u[at + to_north - 1] : zero,
                   north_east = has_north && has_east ? u[at + to_north + 1] : zero;
        real sum[4], difference[4];
        elliptic_vertex(of_vertex[0], south_west, south, west, own, &sum[0], &difference[0]);
        elliptic_vertex(of_vertex[1], south, south_east, own, east, &sum[1], &difference[1]);
        elliptic_vertex(of_vertex[nx + 1], west, own, north_west, north, &sum[2], &difference[2]);
        elliptic_vertex(of_vertex[nx + 2], own, east, north, north_east, &sum[3], &difference[3]);
        sides += elliptic_cross(sum[0], difference[1], difference[2], sum[3]);
    }
    return m.area[j * nx + i] * elliptic_vertical(a, b, c, own, up, down) + d * sides;
}

/* What the elimination of a level of a column needs. */
template <typename real> struct column_level { real p, above, below; };  /* elliptic_pivot() */

/* A column of one system. */
template <bool VARIABLE, typename M, typename real> struct column {
    M       m;
    int64_t i, j;
    real    area, sides;  /* sides: weights of the neighbours along x and y, added up, over d; not of VARIABLE */

    __device__ inline column(const M &matrix, int64_t number)
        : m(matrix), i(number % matrix.nx), j(number / matrix.nx), area(matrix.area[number]), sides(0)
    {
        const real *of_x = m.east + j * (m.nx + 1) + i, *of_y = m.north + number;
        if (!VARIABLE) sides = (of_x[0] + of_x[1]) + (of_y[0] + of_y[m.nx]);
    }

    __device__ inline int64_t first() const { return j * m.nz * m.nx + i; }  /* its lowest cell; the next is nx on */

    __device__ inline column_level<real> level(int64_t k) const
    {
        const real a = m.a[k], d = m.d[k];
        column_level<real> l = {0, area * m.b[k], area * m.c[k]};
        real all = sides;
        if (VARIABLE) {
            const int64_t nx = m.nx, nz = m.nz;
            const real *of_x = m.east + j * (nx + 1) + i, *of_y = m.north + j * nx + i,
                       *kx = m.kx + (j * nz + k) * (nx + 1) + i, *ky = m.ky + (j * nz + k) * nx + i,
                       *kz = m.kz + (j * (nz + 1) + k) * nx + i;
            all = (of_x[0] * kx[0] + of_x[1] * kx[1]) + (of_y[0] * ky[0] + of_y[nx] * ky[nz * nx]);
            l.below *= kz[0];
            l.above *= kz[nx];
        }
        l.p = area * a + d * all;
        return l;
    }
};
#endif
