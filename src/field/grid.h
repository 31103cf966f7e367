#ifndef GRID_H
#define GRID_H
/* The grid of a run: points in up to three dimensions. A field on it lies with x fastest, point (i, j, k) at
 * (k*ny + j)*nx + i; n is 1 in a dimension that the grid does not have. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_cubed_sphere.h"
#include "field/sample_point.h"

enum { SW_DIMS = 3 };  /* x, y, z */

/* Where the points of a run are: in dimension d point i = 0 .. n[d]-1 at sw_grid_at() (1 apart in one that the grid
 * does not have); and how long a step takes (0 without time). Points of a uniform grid are dx apart; of a graded one,
 * whose distances grow evenly, ddx is not 0. Of a grid that is cut over ranks a rank has some points: its point 0 is
 * point first[d] of the grid; where it is cut along y and has planes beyond, each has `lines` in the whole grid.
 * On a cubed sphere `panel` is not 0: the grid has six panels of so many cells along x and along y, stacked along y. x0
 * and dx are then those of a panel's coordinates, and expressions see sw_grid_point(). */
struct sw_grid { double x0[SW_DIMS], dx[SW_DIMS], ddx[SW_DIMS], dt; int64_t first[SW_DIMS], lines, panel; };

static inline double sw_grid_at(const struct sw_grid *g, int d, int64_t i)
{
    return sw_grid_place(g->x0[d], g->dx[d], g->ddx[d], (double)(g->first[d] + i));
}

/** The x, y, z of a point, as expressions see it: on a cubed sphere its longitude, its latitude, its z. */
static inline void sw_grid_point(const struct sw_grid *g, const int64_t index[SW_DIMS], double at[SW_DIMS])
{
    const int64_t panel = g->panel ? index[1] / g->panel : 0, row = index[1] - panel * g->panel;
    const double x = sw_grid_at(g, 0, index[0]), y = sw_grid_at(g, 1, row);
    at[0] = x, at[1] = y, at[2] = sw_grid_at(g, 2, index[2]);
    if (g->panel) sw_panel_angles((int)panel, x, y, &at[0], &at[1]);
}

/** Whether two grids have the same points along dimension d. */
static inline bool sw_grid_agrees(const struct sw_grid *g, const struct sw_grid *h, int d)
{
    return g->x0[d] == h->x0[d] && g->dx[d] == h->dx[d] && g->ddx[d] == h->ddx[d];
}

/** Points in all: the product. */
static inline int64_t sw_points(const int64_t n[SW_DIMS]) { return n[0] * n[1] * n[2]; }
#endif
