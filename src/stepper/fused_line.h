#ifndef FUSED_LINE_H
#define FUSED_LINE_H
/* What the kernel of cuda.fused needs to know of a line, from its coefficients (fused_point.h explains it). */
#include "stepper/fused_point.h"
#include "stepper/sw_stepper.h"

/** One line of n points over so many lanes. An operator that cannot be factored, of a run that will not be computed, counts as 1.
 *  @param table  out [sw_fused_table(lanes)]; of a team */
void sw_fused_line_set(int n, int lanes, double s4, double s2, struct sw_fused_line *line, double *table);

/** Those of all runs; the first alone where all have the same s4 and s2. The same for any number of threads.
 *  @param line   out [count]
 *  @param table  out [count][sw_fused_table(lanes)]
 *  @return whether runs differ */
bool sw_fused_lines_set(int n, int lanes, int count, const struct sw_line_run *run, int threads, struct sw_fused_line *line,
                        double *table);
#endif
