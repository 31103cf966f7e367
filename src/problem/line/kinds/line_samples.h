#ifndef LINE_SAMPLES_H
#define LINE_SAMPLES_H
/* What a run of the line family is before it runs: its numbers, and its initial value and force at some points. */
#include "expr/sw_expr.h"
#include "problem/sw_problem.h"

enum { SW_LINE_SAMPLES = 256, SW_LINE_TIMES = 8 };  /* points, at most; times at which a force is looked at */

/** The setup of run j alone: its n is in the columns. */
struct sw_setup sw_line_setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j);

/** The points of the circle that a line is, or, if it ends, with its mirror image. */
int64_t sw_line_circle(const struct sw_setup *one);

/** As many points of the circle as there are, evenly spread if they are more than SW_LINE_SAMPLES: their mean and their
 * waves are those of the line. @return how many */
int sw_line_sample_points(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                          double x[SW_LINE_SAMPLES]);

/** The point of the line that sample i of so many is at, or the one before it. */
int64_t sw_line_sample_at(const struct sw_setup *one, int i, int count);

/** Make what evaluates a program of run j at `count` points x. @param eval  out: for sw_eval_destroy() */
enum sw_status sw_line_begin_program(const struct sw_program *program, int64_t ld, const double *column, int64_t j,
                                     int count, const double *x, struct sw_eval **eval);

/** A program at its points. @param u  there; NULL for a program that does not use it */
void sw_line_sample(struct sw_eval *eval, int count, const double *x, const double *u, double t, int64_t step,
                    double *out);

/** The initial value at the points of sw_line_sample_points(); zeros if there is none. */
enum sw_status sw_line_sample_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      int count, const double *x, double *u);

/** The initial values of a run, from its texts or a file. @param u  out: [unknowns][n]
 * @return SW_E_MEMORY; as sw_initial_read() */
enum sw_status sw_line_initial_values(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                      double *u);

/** max|u|, of samples that are no NaN */
double sw_line_sample_largest(int count, const double *u);
#endif
