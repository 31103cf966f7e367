#ifndef SIMD_PROGRAMS_H
#define SIMD_PROGRAMS_H
/* What G and S are in the steps of a group of cpu.simd. */
#include "problem/line/simd/simd_group.h"

enum sw_status sw_simd_create_programs(const struct sw_stepper_desc *desc, struct sw_simd_group *g);
void           sw_simd_destroy_programs(struct sw_simd_group *g);

/** Make x of the group. */
void sw_simd_points(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g);

/** What lasts for the batch. */
void sw_simd_begin_batch(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g);

/** What lasts for a step, or a stage of one, that takes the time after so much of the step: number `step`, or where
 * runs take steps of their own, the one of each lane. */
void sw_simd_begin_step(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part);

/** The conditions at the ends of lines at such a time. @param ends  out [unknowns] */
void sw_simd_ends_at(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part,
                     struct sw_simd_ends *ends);

/** What the programs are in the step begun: as forms, where the group has them, */
void sw_simd_forms(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                   struct sw_lanes_forms *forms);

/** or their values at all points of a state whose ends are closed, into a stage. @param which  of each program; NULL:
 * of all */
void sw_simd_values(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                    const void *state, const struct sw_simd_stage *stage, const bool which[2][SW_UNKNOWNS_MOST]);
#endif
