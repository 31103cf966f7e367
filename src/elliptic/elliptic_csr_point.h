#ifndef ELLIPTIC_CSR_POINT_H
#define ELLIPTIC_CSR_POINT_H
/* A row of the matrix of an elliptic system in compressed rows, where the diagonal is added up as libraries want it.
 * Columns ascend, but for the neighbours across a periodic end. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_hd.h"

enum { ELLIPTIC_CSR_MOST = 11 };  /* entries of a row */

/* What a cell weighs against its neighbours, times its level's d or its area. */
struct elliptic_csr_weights {
    double own;                           /* area a                                                       */
    double below, above;                  /* 0 where there is no cell and no wall                         */
    double west, east, south, north;
    double corner[4];                     /* south-west, south-east, north-west, north-east; 0: none      */
};

struct elliptic_csr_shape {
    int64_t nx, ny, nz;
    bool    periodic_x, periodic_y;
    bool    corners;                      /* there are cross terms */
};

/** What a vertex of weight w, times d, counts between the two cells on a diagonal through it: elliptic_vertex() gives
 * w (upper right - lower left)/2 and w (lower right - upper left)/2. */
SW_HD static inline double elliptic_csr_corner(double w, bool rising) { return rising ? -0.5 * w : 0.5 * w; }

/** Entries of the row of cell (i, j, k), the cell with the number `at`.
 * @param column, value  out [ELLIPTIC_CSR_MOST]; NULL: only counted  @return how many */
SW_HD static inline int elliptic_csr_row(const struct elliptic_csr_shape *s, const struct elliptic_csr_weights *w,
                                         int64_t i, int64_t j, int64_t k, int64_t *column, double *value)
{
    const int64_t nx = s->nx, ny = s->ny, slab = nx * s->nz, at = (j * s->nz + k) * nx + i;
    const bool wraps_x = s->periodic_x && nx > 2, wraps_y = s->periodic_y && ny > 2,
               joined_x = s->periodic_x && nx == 2, joined_y = s->periodic_y && ny == 2,
               south = j > 0 || wraps_y, north = j < ny - 1 || wraps_y, first = i == 0, last = i == nx - 1;
    const int64_t to_south = j > 0 ? at - slab : at + (ny - 1) * slab,
                  to_north = j < ny - 1 ? at + slab : at - (ny - 1) * slab;
    const bool is[ELLIPTIC_CSR_MOST] = {s->corners && south && !first, south, s->corners && south && !last, k > 0,
                                        !first || wraps_x, true, !last || wraps_x, k < s->nz - 1,
                                        s->corners && north && !first, north, s->corners && north && !last};
    int count = 0;
    if (!column) {
        for (int e = 0; e < ELLIPTIC_CSR_MOST; e++) count += is[e];
        return count;
    }
    /* a cell that is its own neighbour has no difference to it; of two neighbours that are one the weights add up */
    const double x = s->periodic_x && nx == 1 ? 0 : w->west + w->east,
                 y = s->periodic_y && ny == 1 ? 0 : w->south + w->north;
    const double own = w->own + w->above + w->below + (x + y) -
                       ((w->corner[0] + w->corner[1]) + (w->corner[2] + w->corner[3]));
    const double values[ELLIPTIC_CSR_MOST] = {w->corner[0], -(joined_y ? y : w->south), w->corner[1], -w->below,
                                              -(joined_x ? x : w->west), own, -(joined_x ? x : w->east), -w->above,
                                              w->corner[2], -(joined_y ? y : w->north), w->corner[3]};
    const int64_t columns[ELLIPTIC_CSR_MOST] = {to_south - 1, to_south, to_south + 1, at - nx,
                                                first ? at + nx - 1 : at - 1, at, last ? at - nx + 1 : at + 1, at + nx,
                                                to_north - 1, to_north, to_north + 1};
    for (int e = 0; e < ELLIPTIC_CSR_MOST; e++) {
        if (!is[e]) continue;
        column[count] = columns[e];
        value[count++] = values[e];
    }
    return count;
}
#endif
