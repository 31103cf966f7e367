#ifndef GRID_H
#define GRID_H
/* The grid of a run: points in up to three dimensions. A field on it lies with x fastest, point (i, j, k) at
 * (k*ny + j)*nx + i; n is 1 in a dimension that the grid does not have. */
#include <stdint.h>

enum { SW_DIMS = 3 };  /* x, y, z */

/* Where the points of a run are: in dimension d point i at x0[d] + i*dx[d], i = 0 .. n[d]-1 (1 apart in one that the
 * grid does not have); and how long a step takes (0 without time). */
struct sw_grid { double x0[SW_DIMS], dx[SW_DIMS], dt; };

/** Points in all: the product. */
static inline int64_t sw_points(const int64_t n[SW_DIMS]) { return n[0] * n[1] * n[2]; }
#endif
