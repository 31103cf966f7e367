#ifndef FUSED_LINE_H
#define FUSED_LINE_H
/* What the kernel of cuda.fused needs to know of a line, from its coefficients (fused_point.h explains it). */
#include "stepper/fused_point.h"
#include "stepper/sw_stepper.h"

/* As a kernel for single precision gets them. */
struct sw_fused_line_single SW_FUSED_LINE(float);
struct sw_fused_common_single SW_FUSED_COMMON(struct sw_fused_line_single, float);

/** One line of n points over so many lanes. An operator that cannot be factored, of a run that will not be computed, counts as 1.
 *  @param single  for steps in single precision: a1 and a2 are rounded before all else follows, and small powers
 *                 count as nothing earlier
 *  @param table   out [sw_fused_table(lanes)]; of a team */
void sw_fused_line_set(int n, int lanes, double s4, double s2, bool single, struct sw_fused_line *line, double *table);

/** What all lines of a scheme have, if they have the same coefficients. */
void sw_fused_common_set(const struct sw_fused_line *line, enum sw_scheme scheme, struct sw_fused_common *common);

/** The same in single precision. */
void sw_fused_line_to_single(const struct sw_fused_line *line, struct sw_fused_line_single *single);
void sw_fused_common_to_single(const struct sw_fused_common *common, struct sw_fused_common_single *single);

/** Those of all runs; the first alone where all have the same s4 and s2. The same for any number of threads.
 *  @param line   out [count]
 *  @param table  out [count][sw_fused_table(lanes)]
 *  @return whether runs differ */
bool sw_fused_lines_set(int n, int lanes, int count, const struct sw_line_run *run, bool single, int threads,
                        struct sw_fused_line *line, double *table);
#endif
