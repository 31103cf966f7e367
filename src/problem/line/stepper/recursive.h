#ifndef RECURSIVE_H
#define RECURSIVE_H
/* A periodic operator as a product of two recursions (docs/explanation/recursive_form.md):
 *
 *     A = I + s4 d4 - s2 d2 = g (1 + a1 Z + a2 Z²)(1 + a1 Z⁻¹ + a2 Z⁻²),      (Z y)_i = y_{i-1},   1/g = (1 + a1 + a2)²
 *
 * x = A⁻¹ f:  forward  y_i = f_i - a1 y_{i-1} - a2 y_{i-2},  then the same backward on y,  then times 1/g. In states
 * (y_i, y_{i-1}) a step without f is the matrix P = (-a1 -a2; 1 0): k points on, a state has become P^k of itself, and
 * on a circle of n points the state before the first point is (I - P^n)⁻¹ times the state that n points leave behind
 * when started from zero. Error of one solve: sw_line_rounding() times max|x|.
 *
 * With derivatives of the orders 1 and 3 A is not symmetric, and the recursion downwards has other a1, a2 than the one
 * upwards; 1/g is the product of both 1 + a1 + a2, over 1 + s0. */
#include <stdbool.h>
#include <stdint.h>

#include "problem/line/stepper/sw_stepper.h"

struct sw_recursive {  /* of one direction */
    double a1, a2;
    double scale;      /* 1/g */
};

/** Factor A. a1 and a2 are rounded to double first, and everything else follows from the rounded numbers.
 *  @return false where the symbol 1 + s2 s + s4 s² of A is not > 0 for all s in [0, 4], or s4, s2 are not finite */
bool sw_recursive_factor(double s4, double s2, struct sw_recursive *r);

/** The same for any A: upwards, 1 + a1 Z + a2 Z², and downwards. With s0 = s1 = s3 = 0 both are what
 *  sw_recursive_factor() gives.
 *  @param single  a1 and a2 are rounded to single precision; the rest follows
 *  @return false where the real part of the symbol of A is not > 0, or a coefficient is not finite */
bool sw_recursive_factors(const struct sw_line_operator *a, bool single, struct sw_recursive *up,
                          struct sw_recursive *down);

/** The largest of 1/|1 + a1 e^{i theta} + a2 e^{2 i theta}|: by this a recursion lets rounding grow. */
double sw_recursive_growth(const struct sw_recursive *r);

/** Round a1 and a2 to single precision; scale follows, of a symmetric A. */
void sw_recursive_to_single(struct sw_recursive *r);

/** P^k, k >= 0, by rows; computed in long double, then rounded. */
void sw_recursive_power(const struct sw_recursive *r, int64_t k, double power[4]);

/** h_k and h_{k+1}, the answer of the recursion to an impulse, (P^k)_11. */
void sw_recursive_answer(const struct sw_recursive *r, int64_t k, long double h[2]);

/** The first k >= 1 with all entries of P^(unit k) smaller than `least`; more than `most` where that is later. */
int sw_recursive_decay(const struct sw_recursive *r, int unit, int most, double least);

/** The powers of P for q = 0 .. count-1 blocks in a row, of the `blocks` that n points are cut into
 *  (sw_recursive_start()): power[2q] for floor(q n/blocks) points, power[2q + 1] for one more. Zero from where they
 *  have vanished.
 *  @return 1 + the largest q whose powers are not negligible: of a sum over blocks, so many terms matter */
int sw_recursive_powers(const struct sw_recursive *r, int n, int blocks, int count, double (*power)[4]);

/** (I - P^n)⁻¹, n >= 1, likewise. */
void sw_recursive_closure(const struct sw_recursive *r, int64_t n, double closure[4]);

/** With h_k = (P^k)_11 and h_-1 = 0 of the first of two recursions in opposite directions, q_k of the second: sums of
 *  q_k h_{k+1}, q_k h_k, q_{k-1} h_{k+1}, q_{k-1} h_k over k = 0 .. n-1; likewise. */
void sw_recursive_overlap(const struct sw_recursive *first, const struct sw_recursive *second, int64_t n,
                          double overlap[4]);

/** Whether P^k changes no state by more than rounding does: what lies k points back may be left out. */
bool sw_recursive_negligible(const double power[4]);
bool sw_recursive_negligible_single(const double power[4]);

/** y_i = f_i - a1 y_{i-1} - a2 y_{i-2} in single precision. */
float sw_recursive_next_single(float a1, float a2, float f, float u, float v);
#endif
