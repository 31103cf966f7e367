#ifndef FUSED_COEFFICIENTS_H
#define FUSED_COEFFICIENTS_H
/* What the kernels of cuda.fused and cuda.stream need to know of a line, from its coefficients (fused_point.h explains
 * it). */
#include "problem/line/cuda/fused_point.h"
#include "problem/line/stepper/sw_stepper.h"

/* As a kernel for single precision gets them. */
struct sw_fused_line_single SW_FUSED_LINE(float);
struct sw_fused_common_single SW_FUSED_COMMON(struct sw_fused_line_single, float);

/* How lines are cut. */
struct sw_fused_cut {
    int  n, lanes;
    int  ended;    /* unknowns of lines that end; 0: circles                                                */
    bool stream;   /* for cuda.stream                                                                     */
    bool single;   /* steps in single precision: a1 and a2 are rounded before all else follows, and small
                      powers count as nothing earlier                                                     */
};

/** Doubles in the table of a line. */
int sw_fused_table(const struct sw_fused_cut *cut);

/** One line. An operator that cannot be factored, of a run that will not be computed, counts as 1.
 *  @param table  out [sw_fused_table(cut)] */
void sw_fused_line_set(const struct sw_fused_cut *cut, double s4, double s2, struct sw_fused_line *line, double *table);

/** Of each run and unknown, for the general kernel: the recursion upwards and, with two sides, that downwards. An
 * operator that cannot be factored counts as 1. The same for any number of threads.
 *  @param model  of the runs
 *  @param line   out [count][unknowns][sides]
 *  @param table  out [count][sw_fused_table(cut)] */
void sw_fused_systems_set(const struct sw_fused_cut *cut, const struct sw_line_model *model, int sides, int count,
                          const struct sw_line_run *run, int threads, struct sw_fused_line *line, double *table);

/** What all lines of a scheme have, if they have the same coefficients. */
void sw_fused_common_set(const struct sw_fused_line *line, enum sw_scheme scheme, struct sw_fused_common *common);

/** The same in single precision. */
void sw_fused_line_to_single(const struct sw_fused_line *line, struct sw_fused_line_single *single);
void sw_fused_common_to_single(const struct sw_fused_common *common, struct sw_fused_common_single *single);

/** Those of all runs; the first alone where all have the same s4 and s2. The same for any number of threads.
 *  @param line   out [count]
 *  @param table  out [count][sw_fused_table(cut)]
 *  @return whether runs differ */
bool sw_fused_batch_set(const struct sw_fused_cut *cut, int count, const struct sw_line_run *run, int threads,
                        struct sw_fused_line *line, double *table);
#endif
