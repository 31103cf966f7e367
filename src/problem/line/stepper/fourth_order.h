#ifndef FOURTH_ORDER_H
#define FOURTH_ORDER_H
/* Derivatives of fourth order from five points (docs/explanation/line_methods.md). The equation is multiplied by
 *
 *     P = 1 + p2 d2 + p4 d4,      u_x  = (d1 + (p2 - 1/6)  d3) u/dx  /P + O(dx⁴),     u_xxx  = d3 u/dx³/P, p2 = 1/4,
 *                                 u_xx = (d2 + (p2 - 1/12) d4) u/dx² /P + O(dx⁴),     u_xxxx = d4 u/dx⁴/P, p2 = 1/6
 *
 * (Collatz's Mehrstellenverfahren), so that P u_t = P L u + P N + ... has an A of five diagonals, which is factored,
 * eliminated and multiplied with as that of second order. p4 is free:
 *
 *     L has      p2    p4      P between    relative errors of u_x, u_xx, u_xxx, u_xxxx, over (k dx)⁴
 *     u_xxxx     1/6   0       1/3  .. 1    -1/180    1/360    none     -1/720
 *     u_xxx      1/4   1/120   2/15 .. 1     0        1/720   -1/240     none
 *     neither    0     0       1            -1/30    -1/90     none      none
 *
 * In the last case P = 1: this is the five-point formula, and `heat` with order = 4 (cuPentBatch, remark 3). The first
 * two cannot be joined: five points leave no p2 for u_xxx and u_xxxx at once. */
#include "problem/line/stepper/sw_stepper.h"

/** P for an L with derivatives of these orders; not both. */
static inline struct sw_line_mass sw_line_mass_for(bool third, bool fourth)
{
    if (fourth) return (struct sw_line_mass){.d2 = 1.0 / 6.0};
    if (third) return (struct sw_line_mass){.d2 = 1.0 / 4.0, .d4 = 1.0 / 120.0};
    return (struct sw_line_mass){0};
}

/* The factor of d4 beside d2 in the five-point formula of u_xx itself, P = 1. */
#define SW_LINE_FIVE_POINTS (-1.0 / 12.0)

/** A - P of fourth order. @param a  A - 1 of second order: s3 only where p2 = 1/4, s4 where p2 = 1/6 */
static inline struct sw_line_operator sw_line_fourth_order(const struct sw_line_operator *a,
                                                           const struct sw_line_mass *p)
{
    return (struct sw_line_operator){.s4 = a->s4 - (p->d2 - 1.0 / 12.0) * a->s2 + p->d4 * a->s0,
                                     .s2 = a->s2 - p->d2 * a->s0,
                                     .s0 = a->s0,
                                     .s1 = a->s1,
                                     .s3 = a->s3 + (p->d2 - 1.0 / 6.0) * a->s1};
}

/** What d4 is multiplied by in P u_xx; 0 where P = 1, as G is then of second order. */
static inline double sw_line_mass_of_g(const struct sw_line_mass *p)
{
    return sw_line_has_mass(p) ? p->d2 - 1.0 / 12.0 : 0.0;
}
#endif
