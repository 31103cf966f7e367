#ifndef LANES_H
#define LANES_H
/* Lines side by side: SW_LANES lines of n points, interleaved, so that point i of the line in lane l lies at i*SW_LANES + l
 * and one vector operation works on the same point of several lines. No lane ever reads another: what a line becomes does
 * not depend on its neighbours, nor on which lane it has.
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
 * The arithmetic is one body (lanes_body.h) compiled for each instruction set. Where there is a fused multiply-add, and
 * each of the vector sets has one, all give the same bits. */
#include <stdbool.h>
#include <stdint.h>

#include "stepper/recursive.h"

enum { SW_LANES = 16 };  /* two AVX-512 registers: their recursions hide each other's latency; 8 KiB hold 64 points */

/* Lanes with one reach. */
struct sw_lanes_reach {
    int     points;
    _Alignas(64) int64_t mine[SW_LANES];  /* -1 for these lanes, 0 for the others */
};

struct sw_lanes {
    _Alignas(64) double b1[SW_LANES], b2[SW_LANES];  /* -a1, -a2                                     */
    double scale[SW_LANES];                          /* 1/g                                          */
    double twice[SW_LANES];                          /* 2/g                                          */
    double closure[4][SW_LANES];                     /* c by rows                                    */
    double g_weight[SW_LANES], s_weight[SW_LANES];   /* dt/dx², dt                                   */
    int    reaches;                                  /* how many different ones, at most SW_LANES    */
    struct sw_lanes_reach reach[SW_LANES];
};

/* What a line's operator is to a lane. */
struct sw_lanes_line {
    struct sw_recursive factor;
    double              closure[4];
    int                 reach;
};

/** @return false where A is not positive definite (recursive.h) */
bool sw_lanes_line(int n, double s4, double s2, struct sw_lanes_line *line);

/** Give a line to a lane; lanes nobody has are A = I. The structure begins as zeros. */
void sw_lanes_set(struct sw_lanes *lanes, int lane, const struct sw_lanes_line *line, double dt, double dx);

/* Right-hand sides u_weight u + dt/dx² d2 G + dt S, of A (u' + u_left u) = rhs. */
struct sw_lanes_terms {
    double  u_weight, u_left;  /* Crank-Nicolson: 2, 1, for A u' = (2I - A) u + ...; backward Euler: 1, 0          */
    /* either as values */
    double *g;                 /* [n+2][SW_LANES]: G at points -1 .. n, where -1 and n are filled in here; NULL: none */
    bool    has_s;             /* S is in y                                                                         */
    /* or as polynomials in u, those of (dt/dx²) G and dt S, with a sum of values known at the cells besides */
    const struct sw_lanes_forms *forms;  /* NULL: as values */
};

enum { SW_LANES_CELLS = 4, SW_LANES_POWERS = 4 };

struct sw_lanes_forms {        /* what is not used is zero */
    _Alignas(64) double g[SW_LANES_POWERS][SW_LANES], s[SW_LANES_POWERS][SW_LANES];  /* of u^0, u, u², u³    */
    double        cell_factor[SW_LANES_CELLS][SW_LANES];
    const double *cell[SW_LANES_CELLS];   /* [n][SW_LANES]; all valid where cells > 0 */
    int           cells;                  /* how many are used                        */
    bool          has_g, has_s_in_u;      /* s[1 ..] are used; s[0] always is         */
};

struct sw_lanes_ops {
    const char *name;          /* "avx512" */
    bool (*here)(void);        /* does this processor have it? */
    /** Crank-Nicolson steps from .. to-1 (at least one) without G and S: u' = 2 A⁻¹ u - u.
     *  @param u  [n][SW_LANES], 64-byte aligned, as all arrays here */
    void (*advance)(const struct sw_lanes *lanes, int n, double *u, int64_t from, int64_t to);
    /** One step with terms. @param y  [n][SW_LANES] S, or anything; destroyed */
    void (*step)(const struct sw_lanes *lanes, int n, double *u, const struct sw_lanes_terms *terms, double *y);
};
extern const struct sw_lanes_ops *const sw_lanes_table[];  /* ends with NULL; order is preference */

/** The first of the table that this processor has: the last one is for any. SWEEP_SIMD=avx2 in the environment asks for
 *  one by name, for comparisons. */
const struct sw_lanes_ops *sw_lanes_pick(void);
#endif
