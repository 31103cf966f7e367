#ifndef ADVECTION_LIMIT_H
#define ADVECTION_LIMIT_H
/* What bounds the time step of `advection`. */
#include "fd/sw_fd.h"
#include "problem/advection/advection_method.h"

/* Bounds of the linearised problem with the largest speeds: dt*courant <= C for a Courant number C; and the step is
 * stable if dt*stiffness <= 1 (numerics.md, 10). */
struct advection_limit { double courant, stiffness; };

/** Of run j. @param column  [ncolumn][ld] */
enum sw_status advection_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct advection_limit *limit);
/** The largest Courant number with which steps of a run are stable, if all of dt goes with dx and nu of `run`; with
 * another one a step is 1 + (courant - bound) scale times what is stable. */
double advection_bound(const struct advection_method *method, int dim, const struct advection_run *run);
double advection_scale(const struct advection_method *method);

/** The largest modified wave number of a derivative's scheme on a circle, with h = 1: of d1_* a wave number, of d2_* a
 * square of one. */
double advection_largest(const struct sw_fd_scheme *scheme);
#endif
