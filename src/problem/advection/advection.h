#ifndef ADVECTION_H
#define ADVECTION_H
/* The problem `advection`
 *
 *     u_t + c.grad u = nu lap u + S,      c and S expressions in the coordinates, t and u
 *
 * (docs/numerics.md, 10). advection.c has its keys, and its row in the problem table. From the ground up: what the
 * words of a run mean is in advection_method.c, the programs are made in advection_model.c, how fast it goes is sampled
 * in advection_speed.c, and what bounds the time step follows in advection_limit.c; advection_unfit.c refuses,
 * advection_caution.c warns, and advection_sim.c simulates a batch (advection_impl.h).
 *
 * Here are the operations of the row, which struct sw_problem describes. */
#include "problem/sw_problem.h"

/* advection_unfit.c */
const char *advection_unfit(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                            char why[160]);

/* advection_limit.c */
enum sw_status advection_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *step);

/* advection_caution.c */
void advection_remark(const struct sw_problem *problem, const struct sw_setup *setup, char text[200]);
enum sw_status advection_caution(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, const double *state, char text[200]);

/* advection_sim.c */
enum sw_status advection_create(const struct sw_problem *problem, const struct sw_setup *setup,
                                struct sw_device *device, struct sw_sim **sim);
enum sw_status advection_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                               const struct sw_device *device, size_t *fixed, size_t *per_run);
enum sw_status advection_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm);
#endif
