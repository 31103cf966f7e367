#ifndef LAST_STEPS_H
#define LAST_STEPS_H
/* Whether what some runs end in is made by the steps (last_steps.c says how it is found). */
#include "run/runs.h"

/* A field that has decayed to less than this share of its initial value is compared with that share; and by how much of
 * it steps may be off before there is a warning. */
#define SW_DECAYED 1e-3
#define SW_COARSE 0.01

struct last_steps { double off; char text[128]; };  /* by how much of u they are off; "" or what they make */

/** Look at the last steps of some of the runs, from their ends on.
 * @param column  [ncolumn][count]
 * @param end     [count][unknowns][points] their states
 * @param first   [count][unknowns] root mean squares at the beginning
 * @param steps   how many are taken once more, at least 4
 * @param found   [count] zeroed; out
 * @return SW_E_MEMORY; what the sim returns */
enum sw_status last_steps_look(const struct runs *runs, int count, const double *column, const double *end,
                               const double *first, int steps, struct last_steps *found);
#endif
