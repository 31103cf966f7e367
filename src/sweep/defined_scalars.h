#ifndef SWEEP_DEFINED_SCALARS_H
#define SWEEP_DEFINED_SCALARS_H
/* output.scalars.define: scalars of the user's own, beside those of the problem; and of a problem whose unknowns have
 * names of the user's, the mean, the least and the greatest value of each. */
#include "expr/sw_reduction.h"
#include "sweep/sw_sweep.h"

struct defined_scalar { const struct sw_setting *setting /* NULL: of an unknown */; struct sw_reduction *reduction; };

/** What expressions over reductions may name. @param unknown  out: room for the names, which the scope points to */
struct sw_reduction_scope defined_scalars_scope(const struct sw_sweep *s, const char *unknown[SW_UNKNOWNS_MOST]);

/** Compile the text of a setting, in which scalars of the user's own may stand by their names.
 * @param reduction  out: NULL where the text is refused, which is reported then  @return SW_E_MEMORY */
enum sw_status defined_scalars_compile(const struct sw_sweep *s, const struct sw_setting *setting,
                                       const struct sw_reduction_scope *scope, struct sw_reduction **reduction);

/** List what the series hold: fills sw_sweep.scalar and .defined, and reports expressions that are refused.
 * @return SW_E_MEMORY */
enum sw_status defined_scalars_read(struct sw_sweep *s);
void defined_scalars_free(struct sw_sweep *s);

/** The group that the config has; NULL: it has none. */
const struct sw_setting *defined_scalars_setting(const struct sw_sweep *s);
#endif
