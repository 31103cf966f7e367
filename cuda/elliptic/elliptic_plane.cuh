#ifndef ELLIPTIC_PLANE_CUH
#define ELLIPTIC_PLANE_CUH
/* The matrix Lh + lambda area of a vertical mode in the plane, in double: numbers of a cell. */
#include "cuda/elliptic/elliptic_kernels.h"

/* The number on the diagonal. The energy 2 X Dx Dy of a vertex with the weight X is X/2 ((ne - sw)² - (nw - se)²): a
 * weight of X/2 along the rising diagonal, -X/2 along the falling one. */
__device__ static inline double plane_diagonal(const struct sw_cuda_elliptic &m, double lambda, int i, int j)
{
    const int64_t nx = m.nx;
    const double *east = m.east + j * (nx + 1) + i, *north = m.north + j * nx + i;
    double sum = lambda * m.area[j * nx + i] + ((east[0] + east[1]) + (north[0] + north[nx]));
    if (m.cross) {
        const double *south = m.cross + j * (nx + 1) + i, *above = south + nx + 1;
        sum += 0.5 * ((south[0] - south[1]) + (above[1] - above[0]));
    }
    return sum;
}

/* g - (Lh + lambda area) w in a cell, by differences: 18 operations, with cross terms 30.
 * @param w  [ny][nx] */
__device__ static inline double plane_residual(const struct sw_cuda_elliptic &m, double lambda, const double *g,
                                               const double *w, int i, int j)
{
    const int64_t nx = m.nx, ny = m.ny, at = j * nx + i;
    const double own = w[at], west = i > 0 ? w[at - 1] : m.periodic_x ? w[at + nx - 1] : 0,
                 east = i < nx - 1 ? w[at + 1] : m.periodic_x ? w[at - nx + 1] : 0,
                 south = j > 0 ? w[at - nx] : m.periodic_y ? w[at + (ny - 1) * nx] : 0,
                 north = j < ny - 1 ? w[at + nx] : m.periodic_y ? w[at - (ny - 1) * nx] : 0;
    const double *across = m.east + j * (nx + 1) + i, *along = m.north + at;
    double image = lambda * m.area[at] * own + ((across[0] * (own - west) + across[1] * (own - east)) +
                                                (along[0] * (own - south) + along[nx] * (own - north)));
    if (m.cross) {  /* 0 at the walls, beyond which there is no cell */
        const double *below = m.cross + at + j, *above = below + nx + 1;
        double twice = 0;
        if (i > 0 && j > 0) twice += below[0] * (own - w[at - nx - 1]);
        if (i < nx - 1 && j > 0) twice -= below[1] * (own - w[at - nx + 1]);
        if (i > 0 && j < ny - 1) twice -= above[0] * (own - w[at + nx - 1]);
        if (i < nx - 1 && j < ny - 1) twice += above[1] * (own - w[at + nx + 1]);
        image += 0.5 * twice;
    }
    return g[at] - image;
}
#endif
