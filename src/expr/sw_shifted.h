#ifndef SW_SHIFTED_H
#define SW_SHIFTED_H
/* What a program computes at several points of a grid that are shifted against one another, taken out of it: lap(G(u))
 * has G at five points, lap(lap(u)) the same second difference at three. Each such value is then computed once at each
 * point, by a program of its own, and the program takes in the values around a point as it does those of unknowns. The
 * same operations on the same numbers, so to the same bits.
 *
 * Where a right-hand side is a sum of such values and of unknowns times what is the same at all points, everything else
 * is taken out, also what it has at one point alone, and what is left is linear: lap(lap(u)) stays as it is, 13
 * products. */
#include "expr/sw_expr.h"

enum { SW_SHIFTED_PARTS = 12, SW_SHIFTED_PLACES = 64, SW_SHIFTED_AXES = 3 };

/* What a POINT symbol is: unknown, or part, so many points along x, y, z from a point. */
struct sw_shifted_place { int of, offset[SW_SHIFTED_AXES]; };

struct sw_shifted {
    struct sw_program *program;                       /* takes in places, too                                      */
    int                parts;                         /* 0: there is nothing, and program is NULL                  */
    bool               linear;                        /* what is left, also of nothing, is linear (sw_linear.h)    */
    struct sw_program *part[SW_SHIFTED_PARTS];
    int                field[SW_SHIFTED_PARTS];       /* the first part that is the same in another plane z        */
    int                at[SW_SHIFTED_PARTS][SW_SHIFTED_AXES];  /* with the neighbours of a point a part gives the value
                                                       * at a place so many points from there                      */
    int                places;
    struct sw_shifted_place place[SW_SHIFTED_PLACES];  /* POINT symbol of slot first_slot + number of neighbours + k;
                                                       * those of a part are in one plane z                        */
};

/** @param neighbour   [neighbours] what the POINT symbols of slots first_slot and so on are
 *  @param shifted     out: free with sw_shifted_destroy()
 *  @return SW_E_MEMORY */
enum sw_status sw_shifted_create(const struct sw_program *program, int first_slot, int neighbours,
                                 const struct sw_shifted_place *neighbour, struct sw_shifted *shifted);
void sw_shifted_destroy(struct sw_shifted *shifted);
#endif
