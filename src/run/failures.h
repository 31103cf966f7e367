#ifndef FAILURES_H
#define FAILURES_H
/* Runs of a batch that fail: which ones, where and why. Each is reported once. */
#include "run/runs.h"
#include "run/sw_run_sweep.h"

struct failures {          /* written by failures.c alone */
    const struct runs *r;
    const char **load_error;   /* [count] why a run could not begin; NULL: it could                    */
    int64_t *step;         /* [count] step after which it was not finite; -1: finite so far            */
    bool    *undecided;    /* [count] there stop.when was NaN                                          */
    struct sw_failure_place *place;  /* [count] where it failed                                        */
    char   **said;         /* [count] why a run failed, as it was reported; NULL: not yet               */
    int64_t *now;          /* [count] as step, as the sim reports it now                                */
    void   (*report)(void *user, const struct sw_event *event);
    void    *user;
};

/** No run has failed. load_error is for load() to fill.
 * @param report  told of each run that fails  @return SW_E_MEMORY */
enum sw_status failures_create(struct failures *f, const struct runs *runs,
                               void (*report)(void *user, const struct sw_event *event), void *user);

/** Notice runs that are no longer finite. */
enum sw_status failures_find(struct failures *f);

/** Run j has failed. @param undecided  at `step` stop.when is NaN; else it could not begin, or its initial value, at
 * step 0, is not finite */
void failures_add(struct failures *f, int j, int64_t step, bool undecided);

/** Set a text to why run j failed: a load error, its initial value, what the sim explains, or when it was not
 * finite. */
void failures_describe(const struct failures *f, int j, struct sw_text *text);

/** Report something about run j. @param kind  SW_EVENT_FAILURE, SW_EVENT_NOTE
 * @param earlier  it had failed in an earlier call */
void failures_report(const struct failures *f, enum sw_event_kind kind, int j, const char *message, bool earlier);

/** What a checkpoint has of a failed run, in place of its state; and back. @param stored  [size of a state] */
void failures_store(const struct failures *f, int j, double *stored);
void failures_restore(struct failures *f, int j, int64_t step, const double *stored);

/** Name the first point at which a function of run j, "initial" or at the end of the run "exact", is not finite: its
 * value, coordinates and indices.
 * @param what  what to call it  @return false: there is none, or memory is out */
bool describe_bad_point(const struct runs *r, int j, const char *key, const char *what, struct sw_text *text);
#endif
