#ifndef GRID_KEYS_H
#define GRID_KEYS_H
/* The grid of a problem that may have 1, 2 or 3 dimensions: rows for its key table. A quantity is one number for all
 * dimensions, grid.dim of them, or a list with one for each: the columns "grid.n", "grid.n.1" and "grid.n.2" hold those
 * of x, y and z (sweep/columns.c), and in a dimension that a run does not have 1 point on a length of 1 at 0. */
#include "problem/sw_key.h"

#define SW_GRID_N(path_, name_, alias_, element_)                                                                    \
    {.path = path_, .kind = SW_KEY_COUNT, .unit = "points", .min = 1, .max = 1e9, .fallback = element_ ? "" : NULL,   \
     .decides = true, .visible = true, .name = name_, .alias = alias_, .element = element_,                           \
     .about = "Number of grid points: one number for all dimensions, or a list [nx, ny] or [nx, ny, nz]; they are "   \
              "L/n apart along a periodic length L, and L/(n-1) between walls, which are points themselves."}
#define SW_GRID_LENGTH(path_, name_, alias_, element_)                                                               \
    {.path = path_, .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true,                          \
     .fallback = element_ ? "" : NULL, .decides = true, .visible = true, .name = name_, .alias = alias_,              \
     .element = element_, .about = "Length of the domain: one number for all dimensions, or a list of one for each."}
#define SW_GRID_X0(path_, element_)                                                                                  \
    {.path = path_, .kind = SW_KEY_REAL, .unit = "1", .fallback = element_ ? "" : "0", .decides = true,               \
     .element = element_,                                                                                             \
     .about = "Coordinate of the first grid point: one number for all dimensions, or a list of one for each."}

#define SW_GRID_KEYS                                                                                                 \
    SW_GRID_N("grid.n", "n", "nx", false), SW_GRID_N("grid.n.1", "ny", NULL, true),                                   \
    SW_GRID_N("grid.n.2", "nz", NULL, true), SW_GRID_LENGTH("grid.length", "length", "lx", false),                    \
    SW_GRID_LENGTH("grid.length.1", "ly", NULL, true), SW_GRID_LENGTH("grid.length.2", "lz", NULL, true),             \
    SW_GRID_X0("grid.x0", false), SW_GRID_X0("grid.x0.1", true), SW_GRID_X0("grid.x0.2", true),                       \
    {.path = "grid.dim", .kind = SW_KEY_COUNT, .unit = "1", .min = 1, .max = 3, .fallback = "1", .decides = true,     \
     .visible = true,                                                                                                 \
     .about = "Number of space dimensions; unless given as many as the lists in `grid` are long, which must agree."}
#endif
