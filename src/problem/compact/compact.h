#ifndef COMPACT_H
#define COMPACT_H
/* Between the files of the problem `compact`: compact.c has its keys and what is refused, compact_sim.c does the
 * work. */
#include "fd/sw_fd.h"
#include "problem/sw_problem.h"

/* What the words of a run mean. */
struct compact_method { const struct sw_fd_scheme *scheme; const char *boundary; int axis; bool walls; };
struct compact_method compact_method_of(const struct sw_setup *setup);
extern const char *const compact_axes[SW_DIMS];  /* "x", "y", "z" */

/** A number key of run j. @param column  [ncolumn][ld] */
double compact_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j);

enum sw_status compact_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                              struct sw_sim **sim);
enum sw_status compact_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                             const struct sw_device *device, size_t *fixed, size_t *per_run);
size_t compact_host_bytes(const struct sw_setup *setup);
#endif
