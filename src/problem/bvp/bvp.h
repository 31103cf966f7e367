#ifndef BVP_H
#define BVP_H
/* What a config of the problem `bvp` asks of the solvers. */
#include "problem/bvp/sw_bvp.h"
#include "problem/sw_problem.h"

/** Borrows the setup's programs. */
struct sw_bvp_desc sw_bvp_describe(const struct sw_setup *setup);
#endif
