#ifndef ADVECTION_METHOD_H
#define ADVECTION_METHOD_H
/* What the words of a run of `advection` mean. */
#include "problem/advection/advection_point.h"
#include "problem/sw_problem.h"

/* "x", "y", "z"; and the keys along them, of the points, of the velocity and of what the ends are. */
extern const char *const advection_axes[SW_DIMS], *const advection_points[SW_DIMS], *const advection_velocity[SW_DIMS],
    *const advection_boundary[SW_DIMS];

/** The key of wall data: "left.x" .. "right.z". */
const char *advection_wall_key(int d, int side);

/** The words of `stepper`, one a Runge-Kutta method; NULL after the last. */
const char *advection_method_word(int k);

struct advection_method {
    const char *first, *second;      /* schemes of the first and the second derivative        */
    const char *boundary[SW_DIMS];   /* along each axis                                       */
    const char *filter;              /* NULL: none                                            */
    const struct rk_method *rk;
};
struct advection_method advection_method_of(const struct sw_setup *setup);

/** Whether the grid has walls at the ends of an axis. */
bool advection_walled(const struct advection_method *method, int d);

/** A number key of run j. @param column  [ncolumn][ld] */
double advection_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j);

/** The setup of one run: runs of different shape may stand side by side in the columns. @return false: its numbers are
 * out of range, which their keys refuse */
bool advection_setup_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                        struct sw_setup *one);
#endif
