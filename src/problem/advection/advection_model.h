#ifndef ADVECTION_MODEL_H
#define ADVECTION_MODEL_H
/* The expressions of `advection` as programs. */
#include "problem/sw_problem.h"

/* Where the programs of a batch stand. At the wall WALL + 2d + side (side 0: the left end of axis d) u is given, and
 * RATE + 2d + side is its derivative in t. */
enum {
    ADVECTION_VELOCITY,
    ADVECTION_SOURCE = ADVECTION_VELOCITY + SW_DIMS,
    ADVECTION_WALL,
    ADVECTION_RATE = ADVECTION_WALL + 2 * SW_DIMS,
    ADVECTION_PROGRAMS = ADVECTION_RATE + 2 * SW_DIMS
};

struct advection_model {
    const struct sw_program *program[ADVECTION_PROGRAMS];  /* NULL: 0, or nothing is given there        */
    struct sw_program       *rate[2 * SW_DIMS];            /* what it owns                              */
    bool moves[SW_DIMS];                                   /* c has a part along this axis              */
    bool uses[SW_DIMS];                                    /* some program names this coordinate        */
    bool given;                                            /* u is given at some wall                   */
};

/** @return SW_E_CONFIG a derivative in t does not compile; SW_E_MEMORY */
enum sw_status advection_model_make(const struct sw_setup *setup, struct advection_model *model);
void advection_model_free(struct advection_model *model);
#endif
