#ifndef SW_LINEAR_H
#define SW_LINEAR_H
/* A program as a linear function of its POINT symbols, with factors that are the same at all points: what differences
 * with constant coefficients are. A caller then adds up arrays, each read once, where the interpreter takes two dozen
 * operations through blocks.
 *
 *     value = constant + sum_g (sum_g r_g + sum_{k of g} factor_k (x_k - r_g))
 *
 * Symbols are in groups, values of one field at several points, and r_g is one symbol of group g. sum_g, the sum of all
 * factors of a group, comes of the program's own operations: where these give 0 for a constant field, as differences
 * do, it is 0, whatever the rounding of the factors is. */
#include "expr/sw_expr.h"

struct sw_linear;

struct sw_linear_term {
    int    slot;      /* of x_k                                                        */
    int    group;
    bool   first;     /* x_k is r_g, and `factor` is sum_g; the terms of g follow it   */
    double factor;
};

/** @param eval    of one lane; borrowed, must outlive it
 *  @param first_slot, count, group  slots first_slot + k are symbols of group[k], in [0, count); the POINT symbols of
 *                 the program are among them
 *  @param linear  out; NULL where the program is none, which is no error
 *  @return SW_E_MEMORY */
enum sw_status sw_linear_create(const struct sw_eval *eval, int first_slot, int count, const int *group,
                                struct sw_linear **linear);
void sw_linear_destroy(struct sw_linear **linear);

/** How many terms there are. */
int sw_linear_count(const struct sw_linear *linear);

/** The terms at the step that sw_eval_step() began, groups one behind the other; valid until the next call.
 * @param constant  out */
const struct sw_linear_term *sw_linear_terms(struct sw_linear *linear, double *constant);
#endif
