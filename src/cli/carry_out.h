#ifndef CARRY_OUT_H
#define CARRY_OUT_H
/* One sweep being run: carry_out.c does it, tell.c says what happens. */
#include "cli/cli_impl.h"

struct job {
    struct sw_cli    *cli;
    struct cli_sweep *s;
    const char       *file;          /* where the parts go: s->file, or beside it with --force */
    char             *fresh;         /* s->file ".new", while an old result is being replaced  */
    struct sw_completed *completed;        /* of file                                                */
    struct sw_run_counts before;     /* of the runs asked for, in what is there                */
    struct sw_devices devices;
    struct sw_plan_sharing sharing;      /* who else computes                                      */
    struct sw_plan   *plan;
    struct cli_bar    bar;
    int64_t           stored;        /* batches and checkpoints that this call has put on disk */
    int64_t           missing;       /* runs whose results were on disk, and are gone          */
};

void tell_start(struct job *j);
void tell_ranks(const struct job *j);  /* where there are several */
void tell_plan(const struct job *j, double seconds);
void tell_nothing_to_do(const struct job *j);
void tell_stopped(struct job *j, const struct sw_run_sweep_summary *sum);
void tell_late(const struct job *j, double left);  /* seconds of --max-time that are left as computing begins */
void tell_missing(const struct job *j, const char *message);
void tell_done(const struct job *j, const struct sw_run_sweep_summary *sum, const struct sw_run_counts *all);
void tell_progress(void *job, const struct sw_progress *p);  /* of struct sw_run_sweep_options */
void tell_event(void *job, const struct sw_event *e);
#endif
