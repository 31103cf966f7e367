#ifndef ELLIPTIC_CELLS_CUH
#define ELLIPTIC_CELLS_CUH
/* Cells and columns of elliptic systems in kernels. M is struct sw_cuda_elliptic or, in single precision, struct
 * sw_cuda_elliptic_single; of_system() makes it the matrix of one system. FULL: there are cross terms. VARIABLE: there
 * are coefficients at the faces. Columns are numbered along x, then along y: column c is cell (c mod nx, c/nx). */
#include "elliptic/elliptic_point.h"
#include "cuda/elliptic/elliptic_kernels.h"

template <typename M> __device__ static inline M of_system(M m, int64_t system)
{
    m.a += system * m.nz, m.b += system * m.nz, m.c += system * m.nz, m.d += system * m.nz;
    if (m.kx) {
        m.kx += system * (m.nx + 1) * m.ny * m.nz;
        m.ky += system * m.nx * (m.ny + 1) * m.nz;
        m.kz += system * m.nx * m.ny * (m.nz + 1);
    }
    if (m.before) m.before += system * m.nx * m.nz;
    if (m.behind) m.behind += system * m.nx * m.nz;
    return m;
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
