#ifndef WALLS_LAYOUT_H
#define WALLS_LAYOUT_H
/* What a run on a GPU has of its walls, and where (cuda/fields/fields_walls_rtc.cuh): conditions that are not 0, one
 * after the other, each with the values of all points of its wall, those of one that moves at all times of a step; and,
 * of each unknown whose walls move, what G is made of. */
#include "problem/fields/fields_sim.h"

enum {
    FIELDS_ENDS = SW_UNKNOWNS_MOST * SW_DIMS * 2,  /* number (3 v + axis)*2 + side */
    FIELDS_CONDITIONS_MOST = 2 * FIELDS_ENDS
};

struct fields_walls_layout {
    bool walled, open[SW_DIMS];            /* some axis ends; some unknown has other walls there than without flux */
    int64_t beyond[SW_DIMS];               /* how far differences ask beyond ends                                  */
    int  conditions;                       /* how many are not 0                                                   */
    const struct sw_program *condition[FIELDS_CONDITIONS_MOST];  /* of these                                       */
    const struct sw_program *rate[FIELDS_CONDITIONS_MOST];  /* the derivative in t; NULL: it does not move         */
    int  end[FIELDS_CONDITIONS_MOST], second[FIELDS_CONDITIONS_MOST];
    size_t begins[FIELDS_CONDITIONS_MOST];
    int  kind[FIELDS_ENDS], number[FIELDS_CONDITIONS_MOST];  /* of an end; of condition 2 end + second, -1: it is 0 */
    bool moves, moving[SW_UNKNOWNS_MOST];
    int  above_second[SW_UNKNOWNS_MOST * SW_DIMS];
    size_t residual[SW_UNKNOWNS_MOST * SW_DIMS], weight[SW_UNKNOWNS_MOST * SW_DIMS];
    size_t walls, weights;                 /* numbers of a run                                                     */
};

struct fields_walls_layout fields_walls_layout_of(const struct fields_desc *desc);

/** What a run's conditions add to G. @param weight  out: [layout->weights] */
void fields_walls_layout_weights(const struct fields_walls_layout *layout, const struct fields_desc *desc,
                                 const double dx[SW_DIMS], double *weight);
#endif
