#ifndef SIMD_STAGES_H
#define SIMD_STAGES_H
/* Steps of a group of cpu.simd, stage by stage of a method, with the values of G and N at all points: any model. */
#include "problem/line/simd/simd_programs.h"

/** Make a sum of terms a right-hand side that is multiplied by P, where it is not 1; of_first is what l_0 has there. */
void sw_simd_widen(const struct sw_line_mass *p, double of_first, struct sw_lanes_terms *t);

/** Steps from .. to-1, from w->u to w->next. */
void sw_simd_steps_of_stages(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                             int64_t from, int64_t to);

/** A step from a state into another one, or the same; where runs take steps of their own, each lane the one at hand. */
void sw_simd_take_step(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                       int64_t number, void *from, void *into);

/** Of the step just taken so: the largest |estimated error| and |u| behind it of each unknown and lane. */
void sw_simd_step_errors(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                         void *from, void *into, double largest[SW_UNKNOWNS_MOST][2][SW_LANES_MOST]);
#endif
