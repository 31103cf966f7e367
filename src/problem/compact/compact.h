#ifndef COMPACT_H
#define COMPACT_H
/* Between the files of the problem `compact`: compact.c has its keys and what is refused, compact_sim.c computes. */
#include "fd/sw_fd.h"
#include "problem/sw_problem.h"

enum compact_operator { COMPACT_DERIVATIVE, COMPACT_GRADIENT, COMPACT_DIVERGENCE, COMPACT_LAPLACIAN };

/* What the words of a run mean. */
struct compact_method {
    enum compact_operator operator;
    const struct sw_fd_scheme *scheme;
    const char *boundary;
    int         axis;   /* of a derivative: the other operators differentiate along all axes of the grid */
    bool        walls;  /* at the ends of each axis that is differentiated along                         */
};
struct compact_method compact_method_of(const struct sw_setup *setup);

/** Whether lines run along axis d of a grid of this dimension. */
bool compact_along(const struct compact_method *method, int dim, int d);

/** How many fields go in (a divergence: components of the vector), and come out (a gradient: its components). */
int compact_inputs(const struct compact_method *method, int dim);
int compact_results(const struct compact_method *method, int dim);

/** The function key of input k. */
const char *compact_input(const struct compact_method *method, int k);

extern const char *const compact_axes[SW_DIMS];  /* "x", "y", "z" */

/** A number key of run j. @param column  [ncolumn][ld] */
double compact_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j);

enum sw_status compact_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                              struct sw_sim **sim);
enum sw_status compact_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                             const struct sw_device *device, struct sw_batch_bytes *bytes);
#endif
