#ifndef HELP_H
#define HELP_H
/* Workers without a batch help others, mostly of other processes, whose batch is a run that is cut: it has steps enough
 * for all (sw_problem.h).
 *
 * The coordinator sends a worker that it has no batch for to a batch in flight. When the worker has made a sim and
 * loaded the run, it is offered, by a message, to the scheduler of the process that leads the batch, and waits. From
 * then on the worker that leads the batch and its helper talk over channels (sw_message.h): the leader asks for steps
 * and for pieces of a field. However the batch ends, its leader dismisses each helper; the scheduler dismisses those
 * that no worker takes. A helper that fails says so in place of an answer, and is dismissed. So neither waits for ever,
 * unless the other process dies, which ends the job. All that is sent over a channel is received: each question has one
 * answer, which the leader takes also where its own device has failed, and each helper that is offered is dismissed
 * once. */
#include "problem/sw_problem.h"
#include "run/sw_work_queue.h"

struct worker;

/* Helpers offered to the workers of this process. Guarded by the scheduler's mutex. An offer may come before the batch
 * that it is for, which another process assigns. */
struct help_offers {
    struct sw_help *offer;         /* [count] that no worker has taken                  */
    int      count, room;
    int64_t *ended;                /* [nbatch] the last assignment that takes no more of them; 0: none */
};

/* A helper that has come. */
struct attached_helper {
    struct sw_remote_helper helper;    /* first: the sim gets a pointer to it */
    struct sw_help help;
    bool asked;                        /* its answer has not been taken       */
    bool lost;                         /* it has failed                       */
};

/* ---- on the thread of a worker that leads a batch */

/** Take those that are offered for the batch; dismiss those that have failed.
 * @return whether there are more or fewer than before */
bool accept_helpers(struct worker *w, int64_t batch);

/** How many of the steps that helpers were asked for have not been taken: where one has failed, its own and those
 * behind it. @param asked  steps, of the first helpers */
int64_t help_missing(const struct worker *w, int64_t asked);

/** Dismiss all helpers of a batch, which takes no others. Waits for those that take a step. */
void help_dismiss(struct worker *w, int64_t batch);

/* ---- on the thread of a worker that helps */

/** Take steps for the leader, which we are offered to, until it dismisses us. The sim has the run.
 * @param pause  called while there is nothing to do; its failure is ours
 * @return the first failure */
enum sw_status help_serve(struct worker *w, const struct sw_help *help, enum sw_status (*pause)(struct worker *w));

/* ---- on the scheduler's thread; and sw_scheduler_offer_help() */

enum sw_status help_open(struct sw_scheduler *s);  /* before there are workers. @return SW_E_MEMORY */
void help_close(struct sw_scheduler *s);           /* when they have exited                         */
#endif
