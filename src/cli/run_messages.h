#ifndef RUN_MESSAGES_H
#define RUN_MESSAGES_H
/* A sweep being run by run_and_resume.c, and the messages about it: for people on stderr, for programs in the log. */
#include "cli/open_sweep.h"

struct sweep_run {
    struct sw_cli    *cli;
    struct cli_sweep *s;
    const char       *file;          /* where the parts go: s->file, or beside it with --force */
    char             *fresh;         /* s->file ".new", while an old result is being replaced  */
    struct sw_output_lock *lock;     /* of s->file, from before anything is decided by what is there to the end: of
                                      * rank 0; NULL: nothing is to be written                    */
    uint64_t          seen;          /* sw_files_mark() of s->file, once it is locked             */
    struct sw_completed *completed;        /* of file                                                */
    struct sw_run_counts before;     /* of the runs asked for, in what is there                */
    struct sw_devices devices;
    struct sw_plan_sharing sharing;        /* who else computes                                      */
    struct sw_plan   *plan;
    struct progress_bar    bar;
    int64_t           stored;        /* batches and checkpoints that this call has put on disk */
    int64_t           missing;       /* runs whose results were on disk, and are gone          */
    bool              executed;      /* whether any of its plan was                            */
};

void message_start(struct sweep_run *run);
void message_ranks(const struct sweep_run *run);  /* where there are several */
void message_plan(const struct sweep_run *run, double seconds);
void message_nothing_to_do(const struct sweep_run *run);
void message_stopped(struct sweep_run *run, const struct sw_run_sweep_summary *sum);
void message_late(const struct sweep_run *run,
                  double left); /* seconds of --max-time that are left as computing begins */
void message_missing(const struct sweep_run *run, const char *message);
void message_done(const struct sweep_run *run, const struct sw_run_sweep_summary *sum, const struct sw_run_counts *all);
void message_progress(void *job, const struct sw_progress *p);  /* of struct sw_run_sweep_options */
void message_event(void *job, const struct sw_event *e);
#endif
