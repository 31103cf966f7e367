#ifndef SWEEP_NAMES_H
#define SWEEP_NAMES_H
/* The names of axes and defines. In expressions a name means the axis; a key of that name must be the axis as well, or
 * the equation would have another number than the table of the runs. The config says so, kappa = "kappa", or leaves the
 * key out where it has no default: then the axis is the only number it can mean. */
#include "sweep/sw_sweep.h"

/** Report axes, defines and defined scalars whose name is not allowed, or is that of a key that is not they. */
void names_check(const struct sw_sweep *s);

/** Whether the expression language has a function or constant of this name. */
bool name_is_in_language(const struct sw_sweep *s, const char *name);

/** Whether the numbers of a column follow from those of an axis, of a key perhaps by defines. @return SW_E_MEMORY */
enum sw_status names_column_follows(const struct sw_sweep *s, int column, int axis, bool *follows);

/** Report axes that no key or expression uses: all their values would be the same run. One that a list gives a single
 * value may be there for its name in the file; a column of a table was meant to decide something.
 * @param but  a number key that does not count, NULL: none  @return SW_E_MEMORY */
enum sw_status names_check_used(struct sw_sweep *s, const char *but);
#endif
