#ifndef HELP_H
#define HELP_H
/* Workers without a batch help others, mostly of other processes, whose batch is a run that is cut: it has steps enough
 * for all (sw_problem.h).
 *
 * The coordinator sends a worker that it has no batch for to a batch in flight, and offers it to the scheduler of the
 * process that computes that batch. From then on the worker that leads the batch and its helper talk over channels
 * (sw_channel.h): the helper says that it is ready, the leader asks for steps and for pieces of a field, and dismisses
 * the helper, however its batch ends. A helper that fails says so in place of an answer, and is dismissed. So neither
 * waits for ever, unless the other process dies, which ends the job. Some of what is sent nobody takes: "ready" from a
 * helper that is dismissed before, a dismissal that comes when its worker has exited. Helps are numbered, and messages
 * of another help are passed over. */
#include "problem/sw_problem.h"
#include "run/sw_work_queue.h"

struct worker;

/* Helpers offered to the workers of this process. Guarded by the scheduler's mutex. */
struct help_offers {
    struct sw_help *offer;         /* [count] that no worker has taken           */
    int   count, room;
    bool *closed;                  /* [nbatch] batches that take no more of them */
};

/* A helper that has come. */
struct help_led {
    struct sw_remote_helper helper;    /* first: the sim gets a pointer to it */
    struct sw_help help;
    bool lost;                         /* it has failed                       */
};

/* ---- on the thread of a worker that leads a batch */

/** Take those that are offered for the batch and ready; dismiss those that have failed.
 * @return whether there are more or fewer than before */
bool help_welcome(struct worker *w, int64_t batch);

/** How many of the steps that helpers were asked for have not been taken: where one has failed, its own and those
 * behind it. @param asked  steps, of the first helpers */
int64_t help_missing(const struct worker *w, int64_t asked);

/** Dismiss all helpers of a batch, which takes no others. */
void help_dismiss(struct worker *w, int64_t batch);

/* ---- on the thread of a worker that helps */

/** Take steps for the leader until it dismisses us.
 * @param ready  whether the sim was made, and has the run: if not we are dismissed
 * @param pause  called while there is nothing to do; its failure is ours
 * @return ready, or the first failure */
enum sw_status help_serve(struct worker *w, const struct sw_help *help, enum sw_status ready,
                          enum sw_status (*pause)(struct worker *w));

/* ---- on the scheduler's thread; and sw_scheduler_offer_help() */

enum sw_status help_open(struct sw_scheduler *s);  /* before there are workers. @return SW_E_MEMORY */
void help_close(struct sw_scheduler *s);           /* when they have exited                         */
#endif
