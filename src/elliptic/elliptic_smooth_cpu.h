#ifndef ELLIPTIC_SMOOTH_CPU_H
#define ELLIPTIC_SMOOTH_CPU_H
/* What multigrid does with a slab (all x and z of one y) on the CPU: smoothing by columns, residuals to the next grid,
 * corrections from it. A slab only looks at the two beside it, and beyond the seams of the sphere.
 *
 * Columns are coloured like a chess board where the stencil has 5 points of a level: those of one colour do not see
 * each other, and are solved for at once. Cross terms, periodic sides with an odd number of cells, and the corners of
 * the sphere, where three panels meet, join columns of one colour: then all columns are corrected by the residual of
 * before, damped by 0.8. */
#include "elliptic/elliptic_coarsen.h"

enum { ELLIPTIC_RED, ELLIPTIC_BLACK };

/** Whether columns of one colour do not see each other in the matrix of grid `which` of a shape, n cells along x and
 * y, but for corners of `full`. */
bool elliptic_grid_has_colours(const struct sw_elliptic_desc *desc, int which, const int64_t n[2]);

/** Words of scratch memory that a thread needs for a slab. */
size_t elliptic_smooth_scratch(const struct sw_elliptic_matrix *matrix);

/** Solve for the columns of a colour in slab j. 13 + 5 operations and a division for each of their cells.
 * @param f, u  [ny][nz][nx]; u in, out  @param alone  neighbours count as 0 and are not looked at */
void elliptic_relax_slab(const struct sw_elliptic_matrix *matrix, const double *f, double *u, int64_t j, int colour,
                         bool alone, double *scratch);

/** u += 0.8 M^-1 r, or u = 0.8 M^-1 r, in slab j. @param r  [nz][nx] */
void elliptic_damped_slab(const struct sw_elliptic_matrix *matrix, const double *r, double *u, int64_t j,
                          bool from_zero, double *scratch);

/** r = f - A u in slab j. @param r  out [nz][nx] */
void elliptic_residual_slab(const struct sw_elliptic_matrix *matrix, const double *f, const double *u, int64_t j,
                            double *r, double *scratch);

/** Slab `coarse` of the next grid's right-hand side: sums of residuals over the cells of a coarse one.
 * @param swept  u has just been found from 0, red columns first: then those of the black ones have no residual, and
 *               those of the red ones what the black ones have brought
 * @param out    [ny][nz][nx] of the next grid */
void elliptic_restrict_slab(const struct elliptic_grid *grid, const double *f, const double *u, int64_t coarse,
                            bool swept, double *out, double *scratch);

/** Add to slab j of u what the next grid, grid[1], has found, bilinearly. @param coarse  [ny][nz][nx] of that */
void elliptic_prolong_slab(const struct elliptic_grid *grid, const double *coarse, int64_t j, double *u,
                           double *scratch);
#endif
