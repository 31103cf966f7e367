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
    bool                     aligned;  /* runs differ in their steps: each time keeps its position, see times_steps() */
    bool                     ends_differ;  /* time.end differs                                                  */
    bool                     exact;    /* runs take steps of their own and land on each time: dt is 1           */
};
/** Read a list of times, or "linspace(0, end, 11)". */
enum sw_status times_read(struct sw_sweep *s, const char *path, struct times *times);
/** Read a time between outputs. */
enum sw_status every_read(struct sw_sweep *s, const char *path, struct times *times);
/** For a problem without time: once, at the end, if the group at `path` is there. */
enum sw_status end_read(struct sw_sweep *s, const char *path, struct times *times);
/** Argument k in units of dt (a count stays a count), rounded to 40 bits, so that runs with dt and end in proportion
 * get the same: these numbers and the number of steps are all that the output steps of a run depend on. */
double times_scale(const struct times *times, int k, double value, double dt);
/** Why scaled arguments make no sense for a run of `steps` steps: text for the user, or NULL. */
const char *times_error(const struct times *times, const double *scaled, double steps, double dt, char text[160]);
/** The same of times at which to look at a run: beyond its end it would never be looked at. */
const char *looks_error(const struct times *looks, const double *scaled, double steps, double dt, char text[160]);
/** The step of each time. Of times that round to one step the nearest has it. The others are left out, in
 * all runs alike; but where the runs of the sweep have different steps (`aligned`), they keep their positions, so
 * that the k-th entry is of the k-th time in every run.
 * @param step   out [*count]: ascending, each once; -1: another time has it. Free with sw_free()
 * @param time   out [*count] ascending, in units of dt: the step, or the time asked for. Free with sw_free()
 * @param count  out
 * @param lost   out: times without a step of their own */
enum sw_status times_steps(const struct times *times, const double *scaled, int64_t steps, int64_t **step,
                           double **time, int *count, int64_t *lost);
/** Of exact times: the times asked for, those within 1e-9 of the end of each other as one, ascending.
 * @param time   out [*count]. Free with sw_free()
 * @param count  out
 * @param lost   out: times that were given twice */
enum sw_status times_exact(const struct times *times, const double *scaled, double end, double **time, int *count,
                           int64_t *lost);
/** The multiples of the interval of TIMES_EVERY after 0, as far as the end: what a run has of them does not depend on
 * its end. Of no times there are none. @param time  out [*count], in units of dt. Free with sw_free() */
enum sw_status times_multiples(const struct times *times, const double *scaled, double end, double **time, int *count);
/** The union of such times, 0 and the end. @param goal  out [*goals + 1]. Free with sw_free() */
enum sw_status times_union(const double *a, int na, const double *b, int nb, double end, double **goal, int64_t *goals);
/** The ticks of exact times, and the times as they are in the union. @param step  out [count]. Free with sw_free() */
enum sw_status times_ticks(double *time, int count, const double *goal, int64_t goals, double end, int64_t **step);
#endif
