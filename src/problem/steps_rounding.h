#ifndef PROBLEM_STEPS_ROUNDING_H
#define PROBLEM_STEPS_ROUNDING_H
/* What the roundings of many steps come to (docs/explanation/accuracy.md). */
#include <stdbool.h>

#include "base/sw_text.h"

/* From here on it may be more than u moves in a run. */
#define SW_STEPS_ROUNDING 1e-3

/** Say that it is more than 1 % of u, or than u has moved; nothing where it is not, or less than SW_STEPS_ROUNDING.
 * @param off    what it may be, and
 * @param moved  how far u has moved, both in terms of max|u|; INFINITY: not known */
void sw_steps_rounding_tell(double steps, double off, double moved, bool single, struct sw_text *text);
#endif
