#ifndef LANES_H
#define LANES_H
/* Lines side by side: SW_LANES lines of n points, in single precision SW_LANES_SINGLE, interleaved, so that point i
 * of the line in lane l lies at i*lanes + l and one vector operation works on the same point of several lines. No
 * lane ever reads another: what a line becomes does not depend on its neighbours, nor on which lane it has.
 *
 * A step is two recursions in opposite directions (recursive.h). As they commute, the second one of a step and the
 * first one of the next may go the same way, so that a step is one pass over the line: it reads the first recursion's
 * result w, and leaves behind that of the next step. Even steps go one way, odd ones the other.
 *
 * Each recursion is closed into a circle without a second walk. With h the answer to an impulse, h_k = (P^k)_11 and
 * h_-1 = 0:
 *
 *     the first  runs from a state of zero and leaves the state v. The true state before its first point is t = c v, c
 *                the closure, and what is missing k points on is h_{k+1} t_1 + h_k b2 t_2: the next pass adds it when
 *                it reads w;
 *     the second begins in the state c d, d = sum over k of (h_k, h_{k-1}) w_k + missing_k, k counted as in the first:
 *                the sum over w is taken while w is written, that over what is missing is a matrix times t (overlap).
 *
 * Both concern the first `decay` points only, after which P^k is negligible: then c = I. Where there is no such number
 * below n, decay = n and c = (I - P^n)⁻¹. All of it follows from a line's own coefficients alone; in a lane whose decay
 * is shorter than that of others h is zero from there on.
 *
 * Where A is not symmetric the recursion upwards has other numbers than the one downwards. t is then made with h and c
 * of the first recursion, d and z with those of the second: overlap is that of the two. As the second recursion of a
 * step and the first one of the next go the same way, a pass has one a1, a2, and the h of the other direction.
 *
 * The arithmetic is one body (lanes_body.h) compiled for each instruction set, precision and number of lanes. Where
 * there is a fused multiply-add, and each of the vector sets has one, all of one precision give the same bits. */
#include <stdbool.h>
#include <stdint.h>

#include "problem/line/stepper/recursive.h"

enum {
    SW_LANES = 16,         /* two AVX-512 registers: their recursions hide each other's latency; 8 KiB hold 64 points */
    SW_LANES_SINGLE = 32,  /* the same registers */
    SW_LANES_FEW = 4,      /* where there are so few lines that most of these would be empty: one AVX2 register */
    SW_LANES_MOST = 32
};

enum { SW_LANES_UP, SW_LANES_DOWN, SW_LANES_WAYS };

struct sw_lanes {                                              /* double in either precision: rounded when it is used */
    _Alignas(64) double b1[SW_LANES_WAYS][SW_LANES_MOST];      /* -a1, -a2 of the recursion upwards, downwards        */
    double b2[SW_LANES_WAYS][SW_LANES_MOST];
    double scale[SW_LANES_MOST];                               /* 1/g                                        */
    double twice[SW_LANES_MOST];                               /* 2/g                                        */
    double closure[SW_LANES_WAYS][4][SW_LANES_MOST];           /* c by rows                                  */
    double overlap[SW_LANES_WAYS][4][SW_LANES_MOST];           /* of (t_1, b2 t_2), likewise; by the way of the first */
    double g_weight[SW_LANES_MOST], s_weight[SW_LANES_MOST];   /* dt/dx², dt                                 */
    double s4[SW_LANES_MOST], s2[SW_LANES_MOST], s0[SW_LANES_MOST];  /* of A - P                             */
    double half_s1[SW_LANES_MOST], half_s3[SW_LANES_MOST];
    double decay[SW_LANES_MOST];                               /* h_k = 0 for k >= decay                     */
    int    points;                                             /* where h matters in some lane: k < points   */
    uint32_t set;                                              /* a bit for each lane that was set           */
    bool   alike;                                              /* all of these have one h                    */
    bool   one_sided;                                          /* of some lane A is not symmetric            */
    struct sw_lanes_closing *closing;                          /* lines that end (below); NULL: circles      */
};

enum {
    SW_LANES_STARTS = 6,  /* numbers that tell the state before the first point of a line that ends */
    SW_LANES_LIFT = SW_END_LIFT
};

struct sw_lanes_closing {      /* by the way of the first recursion */
    _Alignas(64) double start[SW_LANES_WAYS][2][SW_LANES_STARTS][SW_LANES_MOST];
    double far[SW_LANES_WAYS][3][3][SW_LANES_MOST];
};

/* What a line's operator is to a lane. */
struct sw_lanes_line {
    struct sw_line_operator a;         /* A - 1; its caller may put A - P, which apply() takes */
    struct sw_recursive     factor[SW_LANES_WAYS];
    double                  closure[SW_LANES_WAYS][4], overlap[SW_LANES_WAYS][4];
    int                     decay;
    bool                    decays;  /* decay < n */
    double                  start[SW_LANES_WAYS][2][SW_LANES_STARTS];  /* of a line that ends */
    double                  far[SW_LANES_WAYS][3][3];
};

/** @param single  a1 and a2 are rounded to single precision, and what is negligible there is left out
 *  @return false where A is not positive definite (recursive.h) */
bool sw_lanes_line(int n, const struct sw_line_operator *a, bool single, struct sw_lanes_line *line);

/** Give a line to a lane, lane 0 first; lanes without a line hold zeros. The structure begins as zeros. */
void sw_lanes_set(struct sw_lanes *lanes, int lane, const struct sw_lanes_line *line, double dt, double dx);

/** Where lanes have been given other lines than before, by sw_lanes_set(): count points anew. */
void sw_lanes_count_points(struct sw_lanes *lanes, int n, int count);

/* The conditions at the ends of a solve: of zero, or those of a polynomial. */
struct sw_lanes_ends {
    _Alignas(64) double rhs[SW_LANES_LIFT][SW_LANES_MOST];  /* A times the polynomial */
    double lift[SW_LANES_LIFT][SW_LANES_MOST];
    double given[2][SW_LANES_MOST];  /* left, right: u' where it is given  */
    bool   value[2];                 /* it is */
    bool   lifted;                   /* there is a polynomial              */
};

enum { SW_LANES_OTHERS = 4, SW_LANES_VALUES = 4 };

/* Right-hand sides u_weight u + dt/dx² d2 G + dt S, of A (u' + u_left u) = rhs. */
struct sw_lanes_terms {
    double  u_weight, u_left;  /* Crank-Nicolson: 2, 1, for A u' = (2I - A) u + ...; the others: 1, 0, or what a stage
                                * of a method has                                                                    */
    /* either as values: G and S are sums over those of some stages, and there may be other states besides u */
    int         others, gs, ss;
    const void *other[SW_LANES_OTHERS];   /* [n][lanes]                                                              */
    void       *g[SW_LANES_VALUES];       /* [n+2][lanes]: G at points -1 .. n, where -1 and n are filled in here    */
    const void *s[SW_LANES_VALUES];       /* [n][lanes]: S                                                           */
    double      other_weight[SW_LANES_OTHERS], g_factor[SW_LANES_VALUES], s_factor[SW_LANES_VALUES];
    /* P is not 1 (fourth_order.h), of forms in first() only, and the right-hand side
     * P (u_weight u + others + dt S) + dt/dx² (d2 + g_d4 d4) G + after_weight after */
    bool        is_wide;
    struct sw_line_mass mass;
    double      g_d4, after_weight;
    const void *after;  /* [n][lanes]; NULL: none */
    const struct sw_lanes_ends *ends;     /* lines that end: g[-1] and g[n] are there, and all passes are last ones;
                                           * NULL: circles                                                           */
    /* or as polynomials in u, those of (dt/dx²) G and dt S, with a sum of values known at the cells besides */
    const struct sw_lanes_forms *forms;  /* NULL: as values */
};

enum { SW_LANES_CELLS = 4, SW_LANES_POWERS = 4 };

struct sw_lanes_forms {        /* what is not used is zero */
    _Alignas(64) double g[SW_LANES_POWERS][SW_LANES_MOST], s[SW_LANES_POWERS][SW_LANES_MOST];  /* of u^0, u, u², u³ */
    double      cell_factor[SW_LANES_CELLS][SW_LANES_MOST];
    const void *cell[SW_LANES_CELLS];     /* [n][lanes]; all valid where cells > 0    */
    int         cells;                    /* how many are used                        */
    int         g_degree;                 /* 0: no G; 1; or SW_LANES_POWERS - 1       */
    bool        has_s_in_u;               /* s[1 ..] are used; s[0] always is         */
};

/* Arrays of points are double, or float in the rows for single precision, and 64-byte aligned. */

/* Between two passes. */
struct sw_lanes_work {
    void *w;          /* [n+4][lanes]: the first recursion's result, two zeros before it and two after               */
    void *h[SW_LANES_WAYS];  /* [n+2][lanes]: h_-1, h_0, .. of the recursion upwards, downwards; the second is not used,
                              * and may be NULL, where A is symmetric in all lanes                                   */
    bool  narrow;     /* h_k is one number for all lanes, and stands at h[k+1]                                       */
    _Alignas(64) double last[2][SW_LANES_MOST];  /* the state v that the recursion left                              */
    double sum[2][SW_LANES_MOST];                /* over k of h_k w_k, h_{k-1} w_k                                   */
    double beyond[SW_LANES_MOST];                /* what its first point did not have yet: a term of the one before  */
};

enum { SW_LANES_MARGIN = 2 };  /* points before and after w */

struct sw_lanes_ops {
    const char *name;          /* "avx512" */
    int         lanes;         /* SW_LANES, SW_LANES_FEW or SW_LANES_SINGLE */
    bool (*here)(void);        /* does this processor have it? */
    /** Fill in h. @param narrow  wanted; only where the lanes are alike, and only for steps without terms */
    void (*begin)(const struct sw_lanes *lanes, int n, struct sw_lanes_work *work, bool narrow);
    /** The first recursion of a step, on its right-hand sides; odd steps begin at the last point.
     *  @param u      [n][lanes]
     *  @param terms  NULL: a Crank-Nicolson step without G and S, of which u is all there is */
    void (*first)(const struct sw_lanes *lanes, int n, struct sw_lanes_work *work, const void *u,
                  const struct sw_lanes_terms *terms, bool odd);
    /** The second recursion of a step, and the first one of the next if there is one.
     *  @param u     the state before the step, read with u_left = 1
     *  @param into  u or another array: the state after it, written with u_left = 1 and if last
     *  @param terms of the next step, as forms; if last, for u_left only; NULL: as in first()
     *  @param odd   the step is
     *  @param last  there is no next one */
    void (*pass)(const struct sw_lanes *lanes, int n, struct sw_lanes_work *work, const void *u, void *into,
                 const struct sw_lanes_terms *terms, bool odd, bool last);
    /** out = (P - A) u, from differences of differences: rounded as these, not as s4 u.
     *  @param u  [n][lanes], with two points more before and behind  @param out  [n][lanes] */
    void (*apply)(const struct sw_lanes *lanes, int n, const void *u, void *out);
    /** out = u + the sum of G and S of terms, which may not be forms: u_weight, u_left and the way are not used. */
    void (*add)(const struct sw_lanes *lanes, int n, const void *u, const struct sw_lanes_terms *terms, void *out);
    /** Of each lane the largest |u_weight u + the sum of terms| and the largest |after|, NaN where a number is, over
     *  points from .. to-1. Terms as for add. @param largest  out: of the sum, of after */
    void (*largest)(const struct sw_lanes *lanes, int from, int to, const void *u, const struct sw_lanes_terms *terms,
                    const void *after, double largest[2][SW_LANES_MOST]);
};
/* End with NULL; order is preference. */
extern const struct sw_lanes_ops *const sw_lanes_table[], *const sw_lanes_few_table[], *const sw_lanes_single_table[];

/** Whether SW_LANES_FEW fill a vector of this processor: not where it has AVX-512. */
bool sw_lanes_few_fill_a_vector(void);

/** How many lanes so many lines should have. */
int sw_lanes_for(int lines, bool single);

/** The first row for so many lanes that this processor has: each build has one for it. SWEEP_SIMD=avx2 in the
 *  environment asks for one by name, for comparisons. */
const struct sw_lanes_ops *sw_lanes_pick(int lanes);

/* ---- lines that end
 *
 * The conditions are those of ends_point.h: the same two recursions, closed by reflection in place of a circle.
 *
 * With conditions of zero the solution goes on beyond an end as its reflection, x_{-k} = R x_k, R = -1 where x is given
 * and 1 where its slope is; where x is given its own equation falls away, and x = 0 there. In the order of the first
 * recursion, with b1, b2 its coefficients and c1, c2 those of the second,
 *
 *     y_k = f_k + b1 y_{k-1} + b2 y_{k-2}     z_k = y_k + c1 z_{k+1} + c2 z_{k+2}     x = z/g
 *     v_k = f_k + c1 v_{k+1} + c2 v_{k+2}     z_k = v_k + b1 z_{k-1} + b2 z_{k-2}
 *
 * The far end. y_{n-1}, y_{n-2}, y_{n-3} and z_{n-1+k} = R z_{n-1-k}, k = 1, 2, are five equations for z_{n-3} ..
 * z_{n+1}: the state (z_n, z_{n+1}) in which the second recursion begins is a matrix times these three y.
 *
 * The near end. In the same way v_0, v_1, v_2 tell z_{-2} .. z_2, hence y_{-1} and y_{-2}: the state before the first
 * point is a matrix times (f_0, v_1, v_2), with v_1 = sum of h_{k-1} f_k and v_2 = sum of h_{k-2} f_k, h the answer of
 * the second recursion to an impulse, taken while f is at hand. Where both recursions have the same numbers it is
 * R (v_1, v_2).
 *
 * Where neither answer has decayed over the line each end sees the other one: v_1 and v_2 lack what lies beyond the far
 * end, which depends on the last three y, which lack the state before the first point. So that state is a matrix times
 * f_0, the sums and the last three y of a recursion from zero, by two equations.
 *
 * Other conditions are a polynomial of degree 4 at most that fulfils them, which the differences take exactly: it is
 * taken from x, and A times it from f. The formulas are in closing_point.h. */

/** What closes a line whose lanes-independent part is set (sw_lanes_line()).
 * @param value  left, right: x is given there, else its slope */
void sw_lanes_close_line(int n, const bool value[2], struct sw_lanes_line *line);

/** Give it to a lane: sw_lanes_set() before it. */
void sw_lanes_set_closing(struct sw_lanes_closing *closing, int lane, const struct sw_lanes_line *line);
#endif
