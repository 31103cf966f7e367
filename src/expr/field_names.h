#ifndef FIELD_NAMES_H
#define FIELD_NAMES_H
/* What names in the right-hand side of an equation are, on a line or on a grid of more dimensions, and which are
 * refused. */
#include "expr/sw_expr.h"

struct sw_field_names {
    int dimensions;                          /* the coordinates x (, y (, z)); the time is t     */
    int unknowns;
    const char *unknown[SW_UNKNOWNS_MOST];   /* borrowed                                         */
    const char *const *number;               /* [numbers] numbers of a run, borrowed; for checks */
    int numbers;
};

/** Whether it is a coordinate: along which axis, 0 .. 2; -1: it is none. */
int sw_field_axis(const struct sw_field_names *names, const char *name);

/** Whether unknown v may have its name.
 * @return SW_E_CONFIG it means something else, is written in a way that no name is, or an unknown before it has it */
enum sw_status sw_field_check_unknown(const struct sw_field_names *names, int v, struct sw_expr_error *err);

/** Whether all names of a tree are known.
 * @return SW_E_CONFIG with what is known; SW_E_MEMORY */
enum sw_status sw_field_check_names(const struct sw_field_names *names, const struct sw_expr *expr,
                                    struct sw_expr_error *err);
#endif
