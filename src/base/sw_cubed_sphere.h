#ifndef SW_CUBED_SPHERE_H
#define SW_CUBED_SPHERE_H
/* The six panels of a gnomonic cubed sphere, and how they are joined. A panel has the coordinates -1 < x, y < 1 and the
 * points N + x E + y F over their length, with the directions N, E, F of its middle, its x and its y in (X, Y, Z):
 *
 *     panel    0    1    2    3    4    5
 *     N       +Z   +Y   -Z   -Y   +X   -X
 *     E       +X   +X   +X   +X   -Z   +Z
 *     F       +Y   -Z   -Y   +Z   +Y   +Y
 *
 * Panels 0 .. 3 are a belt around the X axis, each joined to the next one along y; 4 and 5 are its caps. A field has
 * the rows of panel 0, then those of panel 1, ..: 6 n rows of n cells. Where panels meet their cells match one to one,
 * and each is the mirror image of the other. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { SW_PANELS = 6 };
enum sw_panel_edge { SW_WEST, SW_EAST, SW_SOUTH, SW_NORTH };  /* x = -1, x = 1, y = -1, y = 1 */

/* What lies beyond an edge: an edge of another panel, along which cells are numbered the other way round where it is
 * reversed. */
struct sw_seam { int panel; enum sw_panel_edge edge; bool reversed; };

static inline struct sw_seam sw_seam_of(int panel, enum sw_panel_edge edge)
{
    static const struct sw_seam beyond[SW_PANELS][4] = {
        {{5, SW_EAST, false}, {4, SW_WEST, false}, {3, SW_NORTH, false}, {1, SW_SOUTH, false}},
        {{5, SW_NORTH, true}, {4, SW_NORTH, false}, {0, SW_NORTH, false}, {2, SW_SOUTH, false}},
        {{5, SW_WEST, true}, {4, SW_EAST, true}, {1, SW_NORTH, false}, {3, SW_SOUTH, false}},
        {{5, SW_SOUTH, false}, {4, SW_SOUTH, true}, {2, SW_NORTH, false}, {0, SW_SOUTH, false}},
        {{0, SW_EAST, false}, {2, SW_EAST, true}, {3, SW_EAST, true}, {1, SW_EAST, false}},
        {{2, SW_WEST, true}, {0, SW_WEST, false}, {3, SW_WEST, false}, {1, SW_WEST, true}},
    };
    return beyond[panel][edge];
}

/** The direction (X, Y, Z) of a point of a panel, of length 1. */
static inline void sw_panel_direction(int panel, double x, double y, double direction[3])
{
    static const signed char frame[SW_PANELS][3][3] = {  /* N, E, F */
        {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},  {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 0, -1}, {1, 0, 0}, {0, -1, 0}},
        {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}},
    };
    const double length = sqrt(1 + x * x + y * y);
    for (int d = 0; d < 3; d++)
        direction[d] = (frame[panel][0][d] + x * frame[panel][1][d] + y * frame[panel][2][d]) / length;
}

/** Its longitude, between -pi and pi from X towards Y, and its latitude, between -pi/2 and pi/2 from the plane of X and
 * Y towards Z. */
static inline void sw_panel_angles(int panel, double x, double y, double *longitude, double *latitude)
{
    double at[3];
    sw_panel_direction(panel, x, y, at);
    *longitude = atan2(at[1], at[0]);
    *latitude = atan2(at[2], sqrt(at[0] * at[0] + at[1] * at[1]));
}
#endif
