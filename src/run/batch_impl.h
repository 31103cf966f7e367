#ifndef BATCH_IMPL_H
#define BATCH_IMPL_H
/* A batch under way: batch.c begins and advances it, batch_end.c makes checkpoints and results of it. */
#include "run/run_impl.h"

/* A checkpoint holds, a run: the state; the step after which it was not finite (-1: it is); the record, if the sim
 * keeps one. */

struct batch {
    struct worker *w;
    const struct sw_plan_batch *plan;
    const struct sw_group *group;
    int64_t  number, step;
    int      field, scalar;    /* the next outputs                                              */
    double  *column;           /* [ncolumn][count]                                              */
    const char **load_error;        /* [count] why a run could not begin                             */
    int64_t *bad;              /* [count] step after which it was not finite, -1: finite so far */
    int64_t *seen;             /* [count] as the sim tells it now                               */
    double  *record;           /* [count][SW_DIAGNOSTICS] as the sim told it last; NULL: it keeps none */
    double   saved;            /* clock when the part began                                     */
    int64_t  queued;           /* steps since the last look at the clock                        */
    double   looked;           /* clock then                                                    */
};

size_t batch_state_size(const struct batch *b);   /* doubles a run                       */
size_t batch_stored_size(const struct batch *b);  /* and in a checkpoint                 */
double batch_dt(const struct batch *b, int j);    /* the time step of run j; 0 without   */

/** Notice runs that are no longer finite, and report them. */
enum sw_status batch_look_for_failures(struct batch *b);
void batch_report_failure(struct batch *b, int j);

/** The part so far becomes permanent, with the state the batch goes on from. */
enum sw_status batch_checkpoint(struct batch *b);

/** The last part becomes permanent, with the results. */
enum sw_status batch_end(struct batch *b);
#endif
