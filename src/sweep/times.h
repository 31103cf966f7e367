#ifndef SWEEP_TIMES_H
#define SWEEP_TIMES_H
/* Output times. Their arguments are numbers of the run (so "linspace(0, end, 11)" follows time.end); the steps of the
 * outputs depend on the arguments in units of dt alone. */
#include "sweep/formula.h"
#include "sweep/sw_sweep.h"

enum times_kind { TIMES_NONE, TIMES_LIST, TIMES_LINSPACE, TIMES_LOGSPACE, TIMES_RANGE, TIMES_EVERY };
enum { MAX_TIMES = 10000000 };
struct times {
    enum times_kind          kind;
    const char              *path;
    const struct sw_setting *setting;
    int                      narg;
    struct run_value            *arg;
    bool                     aligned;  /* runs differ in their steps: each time keeps its position */
    bool                     ends_differ;  /* time.end differs                                                  */
    bool                     exact;    /* runs take steps of their own and land on each time: dt is 1           */
};
/** Read when fields and scalars are saved: sw_sweep_own.fields and .scalars. @return SW_E_MEMORY */
enum sw_status outputs_read(struct sw_sweep *s);
/** Read a time between outputs, or looks. */
enum sw_status every_read(struct sw_sweep *s, const char *path, struct times *times);
/** Argument k in units of dt (a count stays a count), rounded to 40 bits, so that runs with dt and end in proportion
 * get the same: these numbers and the number of steps are all that the output steps of a run depend on. */
double times_scale(const struct times *times, int k, double value, double dt);
/** Why scaled arguments make no sense for a run of `steps` steps: text for the user, or NULL. */
const char *times_error(const struct times *times, const double *scaled, double steps, double dt, struct sw_text *why);
/** The same of times at which to look at a run: beyond its end it would never be looked at. */
const char *looks_error(const struct times *looks, const double *scaled, double steps, double dt, struct sw_text *why);
/** The times of a group of runs, as steps or, where they take steps of their own, ticks.
 * @param scaled  the arguments of fields, scalars and looks  @param steps  of the runs; or when they end
 * @param group   out; free with sw_groups_free(), also on failure  @return SW_E_MEMORY */
enum sw_status times_of_group(const struct sw_sweep *s, const double *scaled, double steps, struct sw_group *group);
#endif
