#ifndef SW_COMPARE_H
#define SW_COMPARE_H
#include "expr/sw_expr.h"

/** The expression with comparisons that take numbers within a few units in the last place for equal.
 * @param out  NULL on failure; free with sw_expr_destroy()  @return SW_E_MEMORY */
enum sw_status sw_expr_compare_nearly(const struct sw_expr *expr, struct sw_expr **out);
#endif
