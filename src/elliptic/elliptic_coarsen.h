#ifndef ELLIPTIC_COARSEN_H
#define ELLIPTIC_COARSEN_H
/* Grids for multigrid: each has about half the cells of the one before along x, along y, or along both, and all the
 * levels, so that the vertical part of the matrix is the same on all of them. On the host. */
#include "device/sw_owned.h"
#include "elliptic/sw_elliptic.h"

enum { ELLIPTIC_MOST_GRIDS = 40 };  /* more than 2^36 cells allow */

/* How the cells of a grid along one axis make those of the next: two by two, and of an odd number one alone; on the
 * sphere at last all of them one. */
struct elliptic_axis {
    int64_t n, coarse;   /* cells here and there; the same number: this axis stays                              */
    int64_t alone;       /* the coarse cell that has one cell; `coarse` where there is none                     */
    double *width;       /* [n] in units of a cell of the finest grid                                           */
    double *near, *far;  /* [n]: linear interpolation to a cell from the coarse cell around it, and from the one at
                            its side; beyond a Dirichlet wall that one is 0, beyond a Neumann wall it has no weight */
};

/** Whether all cells of the axis, more than two, make one coarse cell. */
static inline bool elliptic_joins_all(const struct elliptic_axis *axis) { return axis->coarse == 1 && axis->n > 2; }

/** The first cell of a coarse one; of `coarse`: n. */
static inline int64_t elliptic_first(const struct elliptic_axis *axis, int64_t coarse)
{
    if (elliptic_joins_all(axis)) return coarse ? axis->n : 0;
    if (axis->coarse == axis->n) return coarse;
    return coarse <= axis->alone ? 2 * coarse : 2 * coarse - 1;
}

/** The first coarse cell whose first cell is `fine`, or behind it: of a grid that is cut a coarse slab belongs to the
 * rank of its first fine one. */
int64_t elliptic_coarse_begin(const struct elliptic_axis *axis, int64_t fine);

/* Transfer between a grid and the next one by distances (the weights of the axes), or by the matrix (`share`). */
struct elliptic_grid {
    struct sw_elliptic_matrix matrix;  /* of the finest and of vertical arrays: the memory of the system's matrix */
    struct elliptic_axis axis[2];      /* to the next grid; of the coarsest: width only                         */
    double *share[2];                  /* [ny][nz][nx]: what the coarse cell beside a cell has in it, along x and along
                                          y, as the resistances between the two coarse midpoints say; NULL: transfer
                                          is by distances                                                       */
    int64_t first, behind;             /* the slabs of `share`; it is addressed by slabs of the whole grid      */
};

struct elliptic_grids {
    int     planned;   /* down to one column; 0: none yet           */
    int     count;     /* that the system at hand needs: at least 1 */
    double  enough;    /* of a column's zero-order term: where its neighbours weigh less the grid is the last; 0.5, or
                          what a row sets */
    double *room;          /* [threads][2][nz][ELLIPTIC_FACES], where transfer is by the matrix */
    struct elliptic_grid grid[ELLIPTIC_MOST_GRIDS];
};
enum { ELLIPTIC_FACES = 6 };

/** Cells along x and y of grid `which`. @return whether there is such a grid */
bool elliptic_grid_size(const struct sw_elliptic_desc *desc, int which, int64_t n[2]);

/** Let transfer from grid `which` to the next one, and the next one's matrix, follow the coefficients of this grid. Not
 * of the last grid.
 * @param desc  of the whole grid  @param first, behind  the slabs of grid `which` that are here
 * @param threads  as many as elliptic_grids_next() will have, at most
 * @param own   gets the arrays */
void elliptic_grids_weigh(const struct sw_elliptic_desc *desc, int which, int64_t first, int64_t behind, int threads,
                          struct sw_owned *own, struct elliptic_grids *grids);

/** The coarse cell around cell i, and the one at its side; *beside = -1: that is a wall, or a seam. Of an axis that
 * stays, and of a coarse cell that has one cell, both are the same.
 * @param panel  of the coarse grid; 0: it is not the sphere's */
int64_t elliptic_around(const struct elliptic_axis *axis, int64_t i, bool periodic, int64_t panel, int64_t *beside);

/* A cell that has a part in a coarse one: what it does not share, or, of a cell beside it, its share. */
struct elliptic_part { int64_t fine; bool beside; };
enum { ELLIPTIC_PARTS = 4 };

/** The cells that have a part in coarse cell c: its own, and those beside these.
 * @param part  out [ELLIPTIC_PARTS]  @return how many */
int elliptic_parts_of(const struct elliptic_axis *axis, int64_t c, bool periodic, struct elliptic_part *part);

/* The weights of four coarse cells in a cell: of the one around it, of those beside it along x, along y, and of the one
 * beside both. */
struct elliptic_corners { double around, along_x, along_y, beyond; };

/** Interpolation along x and then along y, and the other way around, half of each: interpolation along x in the fine
 * cell behind the face along y is that of its own coefficients. Where these are constant it is bilinear.
 * @param x, y      shares of the cell
 * @param x_beside  share along x of the fine cell behind the outer face along y; y_beside accordingly */
static inline struct elliptic_corners elliptic_corners_of(double x, double y, double x_beside, double y_beside)
{
    return (struct elliptic_corners){.around = (1 - x) * (1 - y),
                                     .along_x = 0.5 * x * ((1 - y) + (1 - y_beside)),
                                     .along_y = 0.5 * y * ((1 - x) + (1 - x_beside)),
                                     .beyond = 0.5 * (y * x_beside + x * y_beside)};
}

/** The weights of a row of cells: of slab j, level k. @param weight  out [4][nx], in the order of the struct */
void elliptic_corner_rows(const struct elliptic_grid *grid, int64_t j, int64_t k, double *weight);

/** How many slabs of grid `which` a rank has of a grid that is cut evenly, at least and at most.
 * @param desc  of the whole grid */
void elliptic_rank_slabs(const struct sw_elliptic_desc *desc, int which, int ranks, int64_t *least, int64_t *most);

/** Plan the grids of a shape. @param own  gets their arrays, on the host */
void elliptic_grids_make(const struct sw_elliptic_desc *desc, struct sw_owned *own, struct elliptic_grids *grids);

/** The same in steps, for a grid that is cut: the first grid, then others as long as they are needed. Coefficients at
 * faces are formed for the slabs first .. behind - 1 of the next grid, those of both ends of them included: of the grid
 * before they are looked at for the slabs that make these, and for two more. @return whether there was a next grid */
void elliptic_grids_begin(struct elliptic_grids *grids, const struct sw_elliptic_matrix *matrix);
bool elliptic_grids_next(struct elliptic_grids *grids, int64_t first, int64_t behind, int threads);

/** Form the matrices of a system, and count the grids that it needs: a grid where columns hardly feel their neighbours
 * is the last one.
 * @param matrix  borrowed as long as the grids are used */
void elliptic_grids_load(struct elliptic_grids *grids, const struct sw_elliptic_matrix *matrix, int threads);
#endif
