#ifndef EQUATION_IMPL_H
#define EQUATION_IMPL_H
/* Private to the equation files of this folder. */
#include "expr/terms.h"
#include "problem/line/kinds/equation_text.h"

/** The value of a tree of numbers without names. @return false: it has names, or memory is out, where asking run by run
 * is as right */
bool equation_literal(const struct sw_expr *expr, double *value);
#endif
