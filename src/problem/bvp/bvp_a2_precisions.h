/* The steps of divide and conquer (bvp_a2_body.h) in the precisions of the paper's rows: single (_s), double (_d), and
 * single with sums across the columns in double (_sd). STEPS_B_ONLY as there. Definitions: for two .c files. */
#ifndef BVP_A2_PRECISIONS_H
#define BVP_A2_PRECISIONS_H
#define REAL float
#define SUM float
#define STEP(x) x##_s
#include "problem/bvp/bvp_a2_body.h"

#define REAL double
#define SUM double
#define STEP(x) x##_d
#include "problem/bvp/bvp_a2_body.h"

#define REAL float
#define SUM double
#define STEP(x) x##_sd
#include "problem/bvp/bvp_a2_body.h"
#endif
