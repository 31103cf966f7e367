#ifndef SWEEP_CELLS_H
#define SWEEP_CELLS_H
/* The cells between the points of a refined sweep: which are split, and which points that adds. It knows numbers of
 * points and values alone.
 *
 * The points are those of the finest grid: of a refined axis of n values, (n - 1) 2^levels + 1. A cell of level l is a
 * box of 2^(levels - l) steps of that grid along each refined axis; those of level 0 lie between the values of the
 * config. Other axes have no cells between their values: each of their points has cells of its own, a slice.
 *
 * A cell is split where all of its corners have values, and the least and the largest of the values on it, at corners
 * and at points that cells beside it have put on its sides, fulfil the rule. So a boundary that leaves a split cell
 * through a side is followed into the next cell, whose corners alone would not tell of it: of the cells of the finest
 * grid through which a boundary passes, all are found that hang together with one that is (two cells hang together that
 * share a side whose points differ). With more points having values, more cells are split, and none fewer: in which
 * order results come changes nothing, unless the rule asks for the range of values so far. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"

enum { CELLS_DIMS = 3, CELLS_LEVELS = 12 };

enum cells_where {
    CELLS_JUMP,      /* largest - least > number                                    */
    CELLS_GRADIENT,  /* largest - least > number * (the same of all of the slice)   */
    CELLS_BETWEEN    /* least < number <= largest                                   */
};

struct cells_grid {
    int     dims, levels;
    int64_t count[CELLS_DIMS], stride[CELLS_DIMS];  /* of the finest grid, along each refined axis */
    enum cells_where where;
    double  number;
};

struct cells;
/** @param cells  out: free with cells_destroy()  @return SW_E_MEMORY */
enum sw_status cells_create(const struct cells_grid *grid, struct cells **cells);
void cells_destroy(struct cells **cells);

/** A point and its value; NaN: it has none. Each point once. @return SW_E_MEMORY */
enum sw_status cells_add(struct cells *cells, int64_t point, double value);

/** Split what is to be split, once: a cell that this makes waits for the values of its corners.
 * @param point  out: [count] ascending, corners of the new cells that were neither added nor asked for before; free
 *               with sw_free()
 * @return SW_E_MEMORY */
enum sw_status cells_split(struct cells *cells, int64_t **point, int64_t *count);

/* Cells so far that have been split, and that could be and have a corner without a value. */
struct cells_counts { int64_t split, blocked; };
struct cells_counts cells_count(const struct cells *cells);

/** The level at which a point is the first time a corner: 0 to levels. */
int cells_level(const struct cells_grid *grid, int64_t point);

/** The number of a point of a level above 0 that does not depend on how many levels there are: the points of the
 * coarser grids, then its own place in the grid of its level. @param slices  points of the other axes, which vary as
 * the strides say  @param slice  of the point */
double cells_number(const struct cells_grid *grid, int64_t point, double slices, int64_t slice);
#endif
