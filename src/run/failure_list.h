#ifndef FAILURE_LIST_H
#define FAILURE_LIST_H
/* Runs that failed, or that are done and have a message, as the last line of a sweep names them: a few one by one, many
 * by their number and times. The text does not depend on the order in which the runs were reported. */
#include <stdint.h>

#include "base/sw_text.h"
#include "run/sw_run_sweep.h"

enum {
    NAMED_RUNS = 4,                     /* at most so many are named one by one */
    NAMED_MESSAGE = 120
};
struct failure_list {
    int64_t count;
    double  first, last;                /* times; NaN: no run has one           */
    int     kept;
    struct { int64_t run; char message[NAMED_MESSAGE]; } entry[NAMED_RUNS];  /* [kept] of the lowest runs, ascending */
};

/** Count a run and its message, of which the part before a remark in brackets is kept.
 * @param t  when it failed; NaN: the problem has no time */
void failure_list_add(struct failure_list *list, int64_t run, double t, const char *message);

/** "runs 12, 40: not finite at t = 0.31; run 50: ..."; of more than NAMED_RUNS "t = 18 … 26", or without times
 * "the first of 48, run 3: ...". "": there are none. */
void failure_list_print(const struct failure_list *list, struct sw_text *text);
#endif
