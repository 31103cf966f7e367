#ifndef PROGRESS_BAR_H
#define PROGRESS_BAR_H
/* Progress of a run: a bar on a terminal, lines elsewhere, and the status file that `sweep status` reads. */
#include "cli/open_sweep.h"
#include "run/sw_run_sweep.h"

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
#endif
