#ifndef LANES_H
#define LANES_H
/* Lines side by side: SW_LANES lines of n points, in single precision SW_LANES_SINGLE, interleaved, so that point i
 * of the line in lane l lies at i*lanes + l and one vector operation works on the same point of several lines. No
 * lane ever reads another: what a line becomes does not depend on its neighbours, nor on which lane it has.
 *
 * A step is a solve by two recursions in opposite directions (recursive.h). Each is closed into a circle like this:
 *
 *     the first  runs from a state of zero and leaves the state v. The true state before its first point is c v, c the closure:
 *                the missing part, P^k c v after k points, is added afterwards to the first `reach` points;
 *     the second is warmed up on the `reach` points before its first one, which are those same points.
 *
 * reach is the number of points after which P^k is negligible, a multiple of 16, and c = I; where there is no such
 * number below n, reach = n and c = (I - P^n)⁻¹. Both follow from a line's own coefficients alone.
 *
 * The arithmetic is one body (lanes_body.h) compiled for each instruction set and precision. Where there is a fused
 * multiply-add, and each of the vector sets has one, all of one precision give the same bits. */
#include <stdbool.h>
#include <stdint.h>

#include "stepper/recursive.h"

enum {
    SW_LANES = 16,         /* two AVX-512 registers: their recursions hide each other's latency; 8 KiB hold 64 points */
    SW_LANES_SINGLE = 32,  /* the same registers */
    SW_LANES_MOST = 32
};

/* Lanes with one reach. */
struct sw_lanes_reach {
    int    points;
    int8_t mine[SW_LANES_MOST];                            /* -1 for these lanes, 0 for the others */
};

struct sw_lanes {                                          /* double in either precision: rounded when it is used */
    _Alignas(64) double b1[SW_LANES_MOST], b2[SW_LANES_MOST];  /* -a1, -a2                                     */
    double scale[SW_LANES_MOST];                               /* 1/g                                          */
    double twice[SW_LANES_MOST];                               /* 2/g                                          */
    double closure[4][SW_LANES_MOST];                          /* c by rows                                    */
    double g_weight[SW_LANES_MOST], s_weight[SW_LANES_MOST];   /* dt/dx², dt                                   */
    int    reaches;                                            /* how many different ones                      */
    struct sw_lanes_reach reach[SW_LANES_MOST];
};

/* What a line's operator is to a lane. */
struct sw_lanes_line {
    struct sw_recursive factor;
    double              closure[4];
    int                 reach;
};

/** @param single  a1 and a2 are rounded to single precision, and what is negligible there is left out
 *  @return false where A is not positive definite (recursive.h) */
bool sw_lanes_line(int n, double s4, double s2, bool single, struct sw_lanes_line *line);

/** Give a line to a lane; lanes nobody has are A = I. The structure begins as zeros. */
void sw_lanes_set(struct sw_lanes *lanes, int lane, const struct sw_lanes_line *line, double dt, double dx);

/* Right-hand sides u_weight u + dt/dx² d2 G + dt S, of A (u' + u_left u) = rhs. */
struct sw_lanes_terms {
    double  u_weight, u_left;  /* Crank-Nicolson: 2, 1, for A u' = (2I - A) u + ...; backward Euler: 1, 0          */
    /* either as values */
    void   *g;                 /* [n+2][lanes]: G at points -1 .. n, where -1 and n are filled in here; NULL: none    */
    bool    has_s;             /* S is in y                                                                         */
    /* or as polynomials in u, those of (dt/dx²) G and dt S, with a sum of values known at the cells besides */
    const struct sw_lanes_forms *forms;  /* NULL: as values */
};

enum { SW_LANES_CELLS = 4, SW_LANES_POWERS = 4 };

struct sw_lanes_forms {        /* what is not used is zero */
    _Alignas(64) double g[SW_LANES_POWERS][SW_LANES_MOST], s[SW_LANES_POWERS][SW_LANES_MOST];  /* of u^0, u, u², u³ */
    double      cell_factor[SW_LANES_CELLS][SW_LANES_MOST];
    const void *cell[SW_LANES_CELLS];     /* [n][lanes]; all valid where cells > 0    */
    int         cells;                    /* how many are used                        */
    bool        has_g, has_s_in_u;        /* s[1 ..] are used; s[0] always is         */
};

/* Arrays of points are double, or float in the rows for single precision, and 64-byte aligned. */

struct sw_lanes_ops {
    const char *name;          /* "avx512" */
    int         lanes;         /* SW_LANES or SW_LANES_SINGLE */
    bool (*here)(void);        /* does this processor have it? */
    /** Crank-Nicolson steps from .. to-1 (at least one) without G and S: u' = 2 A⁻¹ u - u.
     *  @param u  [n][lanes] */
    void (*advance)(const struct sw_lanes *lanes, int n, void *u, int64_t from, int64_t to);
    /** One step with terms. @param y  [n][lanes] S, or anything; destroyed */
    void (*step)(const struct sw_lanes *lanes, int n, void *u, const struct sw_lanes_terms *terms, void *y);
};
/* End with NULL; order is preference. */
extern const struct sw_lanes_ops *const sw_lanes_table[], *const sw_lanes_single_table[];

/** The first of a table that this processor has: the last one is for any. SWEEP_SIMD=avx2 in the environment asks for
 *  one by name, for comparisons. */
const struct sw_lanes_ops *sw_lanes_pick(bool single);
#endif
