#ifndef SW_DIFFERENCES_H
#define SW_DIFFERENCES_H
/* Derivatives dx .. dxxxx of fields as differences (docs/explanation/equation.md): a tree that has them becomes a tree
 * that has none, in the names of the unknowns at a point and up to SW_REACH points beside it, and of numbers of the
 * grid.
 *
 * These names hold characters that no text of a user's can have: "u[+1]" is u one point to the right, "[1/dx]" a number
 * of the run. The unknown at the point itself keeps its own name. */
#include "expr/sw_expr.h"

enum { SW_GRID_AXES = 3, SW_GRID_REACH = 3 };  /* of grids with more dimensions, and how far differences on them go */

/* Numbers of the grid, which a program takes from the numbers of a run: from column `first` + k of them, number k. Of a
 * grid with more dimensions those along y and z follow, so many each. */
enum { SW_GRID_NUMBERS = 10 };

/** The name of number k, 0 .. SW_GRID_AXES * SW_GRID_NUMBERS - 1; the value of a number along an axis, 0 ..
 * SW_GRID_NUMBERS - 1, where points are dx apart along it. */
const char *sw_grid_number_name(int k);
double sw_grid_number(int k, double dx);

/** "u[+1]". @param offset  -SW_REACH .. SW_REACH; 0: the name itself  @return name, or text  */
enum { SW_NEIGHBOUR_ROOM = 64, SW_UNKNOWN_LONGEST = 48 };
const char *sw_neighbour_name(char text[SW_NEIGHBOUR_ROOM], const char *unknown, int offset);

/** The names of numbers of a run, twice where an axis ends on the left (0) and right: of an x of a closed flux that is
 * beyond an end they make the one as far inside. Infinite, minus on the left, where it does not end. */
const char *sw_mirror_name(int axis, int side);

/** Replace derivatives by differences of second or fourth order, written so that a sum over a periodic line of dx(..)
 * to dxxxx(..) is zero but for rounding. Those of fourth order are dx and dxx of what has no derivatives in it.
 * @param expr      borrowed, each node used once (as parsed); `x` in it is the coordinate; what is no unknown and not x
 *                  is the same at all points
 * @param unknown   [unknowns] names of the fields, at most SW_UNKNOWN_LONGEST characters
 * @param order     2 or 4
 * @param closed    [2] left, right: bit v, no flux of unknown v goes through that end; where that is so of all in the E
 *                  of a summand dx(E), and E is odd about the end but for x, it is 0 in differences, too. NULL: none
 * @param reach     out: how many points to either side it takes, 0 .. SW_REACH
 * @param out       new tree, NULL on failure; free with sw_expr_destroy()
 * @param err       filled on SW_E_CONFIG
 * @return SW_E_CONFIG derivatives that come to an order above 4, or need more points than there are; random numbers
 *         under a derivative, or more than 100 000 nodes; SW_E_MEMORY */
enum sw_status sw_expr_differences(const struct sw_expr *expr, const char *const *unknown, int unknowns, int order,
                                   const unsigned *closed, int *reach, struct sw_expr **out,
                                   struct sw_expr_error *err);

/** The same on grids of two or three dimensions, where a name of a point beside it is "u[+1,0]" or "u[0,-1,+2]", and y
 * and z are coordinates, too. Derivatives in a row, as dx(dy(E)), are one product of differences along the axes, which
 * are central along each; all odd ones are staggered where E has odd derivatives in it, along whichever axis. So
 * dx(dy(E)) is (E++ - E+- - E-+ + E--)/(4 dx dy), and the flux of dx(f*dy(u)) the mean of f times the mean of central
 * differences. An unknown in the middle along several axes is the mean of four points, or eight. Sums of derivatives
 * over a periodic grid are zero but for rounding.
 *
 * Differences of fourth order are those of what has no derivatives in it: dxx from five points, dxxx and dxxxx from
 * seven.
 * @param expr   borrowed, of sw_expr_parse_fields(), or made of such
 * @param order  2 or 4
 * @param closed [dimensions][2] along each axis as above; NULL: none
 * @param reach  out: along each axis, how many points to either side it takes: 0 .. SW_REACH of order 2 and derivatives
 *               to the fourth, else 0 .. SW_GRID_REACH
 * @return as sw_expr_differences(), but derivatives may come to the sixth order, of order 4 the fourth along an axis */
enum sw_status sw_grid_differences(const struct sw_expr *expr, int dimensions, const char *const *unknown, int unknowns,
                                   int order, const unsigned (*closed)[2], int reach[SW_GRID_AXES],
                                   struct sw_expr **out, struct sw_expr_error *err);

/** "u[+1]", "u[+1,0]", "u[+1,0,-2]"; u alone for the point itself. @return name, or text */
const char *sw_grid_neighbour_name(char text[SW_NEIGHBOUR_ROOM], const char *unknown, int dimensions,
                                   const int offset[SW_GRID_AXES]);

/** Whether a name is that of an unknown, at the point or beside it. @param offset  out: where */
bool sw_grid_neighbour(const char *name, const char *unknown, int offset[SW_GRID_AXES]);
#endif
