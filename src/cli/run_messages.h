#ifndef RUN_MESSAGES_H
#define RUN_MESSAGES_H
/* A sweep being run by cmd_run.c, and what is told of it: messages for people on stderr and lines in the log for
 * programs (run_messages.c), a progress bar, and the status file that `sweep status` reads (progress_bar.c). */
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/refine.h"
#include "run/sw_run_sweep.h"

/* ---- the log of --log-json: one JSON object a line, one line an event */

enum sw_status event_log_open(struct sw_cli *cli);
/** @return SW_E_IO events are missing in it, or may be; the message says how many */
enum sw_status event_log_close(struct sw_cli *cli);

/* ---- plan_warnings.c: what a plan gives cause to warn of before a run starts: disk space, many batches, output times
 * that no step has, and what the problem knows about its runs */

/* Time of a batch beside its steps, in ms: its part of the file is written, and joined with the others. Measured with
 * 600 and 2,000 parts of a few kB, most of it in HDF5; a slow disk takes more. */
enum { BATCH_OVERHEAD_MS = 20 };

/** Each warning once, as a line of its own. @param notes  in, out: lines are added */
void plan_warnings_collect(const struct cli_sweep *s, const struct sw_plan *plan, struct sw_text *notes);
/** The same, printed. */
void plan_warnings_print(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                         console_printer *print);

/* ---- progress_bar.c: a bar on a terminal, lines elsewhere, and the status file */

struct progress_bar {
    struct sw_cli *cli;
    const struct sw_plan *plan;
    const struct sw_sweep *sweep;
    const char *file;
    double next_line, saved;            /* clock when a line is due, and when the last status was written    */
    double since, from;                 /* seconds at the first progress, and what was done by then          */
    bool   shown;
};
void progress_bar_start(struct progress_bar *bar, struct sw_cli *cli, const struct sw_sweep *sweep,
                        const struct sw_plan *plan, const char *file);
void progress_bar_update(void *bar, const struct sw_progress *progress);  /* struct sw_run_sweep_options.progress */
void progress_bar_clear(struct progress_bar *bar);   /* take the bar off the terminal before something is printed */

/* ---- run_messages.c */

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
    struct refined    refined;       /* by the results in file                                 */
    double            seconds;       /* of the rounds so far                                   */
    int64_t           stopped;       /* runs that ended early in them                          */
    bool              another;       /* the results have led to another round of runs          */
    bool              executed;      /* whether any of its plan was                            */
};

/** Lines "next     sweep ..." about a finished result: commands that can be typed as they stand. */
void suggest_commands(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file);

/** The sweep was stopped before a result or a checkpoint. */
void message_nothing_stored(const struct sw_cli *cli);
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
