#ifndef INPUTS_POINT_H
#define INPUTS_POINT_H
/* What expressions take in at a point; and, where it is compiled at run time, what their functions ask for
 * (sw_program_cuda()): types of stdint.h, double for `real`, fma for SW_FMA, exp for SW_EXP (expr/exp_point.h has
 * another one). */
#ifdef __CUDACC_RTC__
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef double real;
#define SW_FMA(x, y, z) fma(x, y, z)
#define SW_EXP(a) exp(a)
#endif

/* The slots of CELL and POINT symbols, wherever expressions are used: in[SW_IN_X] is x, ... From SW_IN_LINE on those of
 * unknowns on a line, at the point itself and its neighbours up to SW_REACH points away. */
enum { SW_UNKNOWNS_MOST = 4, SW_REACH = 2, SW_NEIGHBOURS = 2 * SW_REACH + 1 };
enum sw_input {
    SW_IN_X, SW_IN_Y, SW_IN_Z, SW_IN_UX, SW_IN_UXX, SW_IN_LINE,
    SW_IN_U = SW_IN_LINE + SW_REACH,  /* the first unknown at the point */
    SW_INPUTS = SW_IN_LINE + SW_UNKNOWNS_MOST * SW_NEIGHBOURS
};
#endif
