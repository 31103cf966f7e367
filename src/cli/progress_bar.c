/* Progress of a run: a bar on a terminal, lines elsewhere, and the status file that `sweep status` reads. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_async_stream.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/run_messages.h"
#include "store/files/sw_status_file.h"

/* Where stderr is no terminal. The first line comes soon: it shows the rate and the time left. */
static const double first_line = 10, line_every = 60;  /* seconds */

/* Each status is a new file and a rename for the file system, and a sweep may have thousands of shards: after the first
 * minute they come more and more rarely, up to 20 s apart. */
static double status_every(double seconds) { return fmin(fmax(seconds / 60, 1), 20); }

static int columns(void)
{
    const int columns = console_size_of(STDERR_FILENO).columns;
    return columns ? columns : 80;
}

/* Of the runs that are computed, with the steps before the checkpoints from which they go on. */
static double fraction_of(const struct progress_bar *bar, const struct sw_progress *p)
{
    const struct sw_plan *plan = bar->plan;
    const double all = plan->points_steps_before + plan->points_steps;
    return all > 0 ? fmin((plan->points_steps_before + p->points_steps_done) / all, 1) : 1;
}

static int64_t runs_asked(const struct sw_plan *plan) { return plan->nruns + plan->done + plan->failed; }

static double whole_of(const struct progress_bar *bar, const struct sw_progress *p)
{
    return sw_status_file_fraction(fraction_of(bar, p), bar->plan->nruns, runs_asked(bar->plan));
}

/* The start is no measure of what comes (files are made, kernels compiled, and the first chunk is one step): the rate
 * is that since the first progress. @return 0: not known yet */
static double rate_of(const struct progress_bar *bar, const struct sw_progress *p)
{
    const double least = 0.5, seconds = p->seconds - bar->since;
    return bar->since >= 0 && seconds >= least ? (p->points_steps_done - bar->from) / seconds : 0;
}

static double seconds_left(const struct progress_bar *bar, const struct sw_progress *p)
{
    const double rate = rate_of(bar, p);
    return rate > 0 ? fmax(bar->plan->points_steps - p->points_steps_done, 0) / rate : NAN;
}

/* Adaptive runs choose their steps: their work is counted in ticks, so no rate is printed.
 * "62 %  t = 124 of 200 · 4.1e11 points·steps/s · 3 diverged · ETA 00:01"
 * @param brief  only what fits on a narrow terminal */
static void describe(const struct progress_bar *bar, const struct sw_progress *p, bool brief, struct sw_text *text)
{
    char left[24];
    const double rate = rate_of(bar, p);
    if (!strcmp(p->phase, "merging")) { sw_text_add(text, "merging the parts"); return; }
    sw_text_printf(text, "%2.0f %%  ", floor(100 * whole_of(bar, p)));
    if (bar->plan->nbatch > 1 && !brief)
        sw_text_printf(text, "batch %lld of %lld · ", (long long)p->batches_done + 1, (long long)bar->plan->nbatch);
    if (p->end > 0) sw_text_printf(text, "t = %.4g of %.4g · ", p->t, p->end);
    if (!brief && !bar->sweep->own_steps && rate > 0)
        sw_text_printf(text, "%.2g %s · ", rate, format_rate_unit(bar->sweep->problem->time));
    if (p->runs_failed) sw_text_printf(text, "%lld diverged · ", (long long)p->runs_failed);
    sw_text_printf(text, "ETA %s", format_clock(seconds_left(bar, p), left));
}

static void add_blocks(struct sw_text *line, double fraction, int width)
{
    /* one eighth is left blank: its sign is that of the bar's end, which has another spelling in ASCII */
    static const char *const eighths[] = {"", " ", "▎", "▍", "▌", "▋", "▊", "▉"};
    int filled = (int)(fraction * width * 8), k = 0;
    sw_text_add(line, "▕");
    for (; k < filled / 8; k++) sw_text_add(line, "█");
    if (filled % 8 && k < width) { sw_text_add(line, eighths[filled % 8]); k++; }
    for (; k < width; k++) sw_text_add(line, " ");
    sw_text_add(line, "▏ ");
}

static void draw_bar(struct progress_bar *bar, const struct sw_progress *p)
{
    struct sw_text words = {0}, line = {0};
    if (sw_async_stderr_lags()) return;  /* a terminal that takes nothing (Ctrl-S): it gets the next one */
    describe(bar, p, false, &words);
    if (console_width(sw_text_get(&words)) >= columns()) {
        sw_text_free(&words);
        describe(bar, p, true, &words);
    }
    int room = columns() - 1 - console_width(sw_text_get(&words)) - 3;
    if (room >= 5) add_blocks(&line, whole_of(bar, p), room > 30 ? 30 : room);
    sw_text_add(&line, sw_text_get(&words));
    console_cut(&line, columns() - 1);
    fputs("\r\033[K", stderr);
    console_write(bar->cli, stderr, sw_text_get(&line));
    fflush(stderr);
    bar->shown = true;
    sw_text_free(&words);
    sw_text_free(&line);
}

static void print_line(struct progress_bar *bar, const struct sw_progress *p)
{
    struct sw_text words = {0};
    describe(bar, p, false, &words);
    console_message(bar->cli, "%s\n", sw_text_get(&words));
    sw_text_free(&words);
}

static void save_status(const struct progress_bar *bar, const struct sw_progress *p)
{
    struct sw_status_file now = {.asked = runs_asked(bar->plan),
                                 .was_done = bar->plan->done,
                                 .was_failed = bar->plan->failed,
                                 .points_steps = bar->plan->points_steps,
                                 .runs = bar->plan->nruns,
                                 .done = p->runs_done,
                                 .failed = p->runs_failed,
                                 .seconds = p->seconds,
                                 .fraction = fraction_of(bar, p),
                                 .rate = rate_of(bar, p),
                                 .eta = seconds_left(bar, p),
                                 .t = p->t,
                                 .end = p->end};
    if (bar->sweep->own_steps) now.rate = now.points_steps = NAN;
    snprintf(now.phase, sizeof now.phase, "%s", p->phase);
    snprintf(now.identity.sweep_id, sizeof now.identity.sweep_id, "%s", bar->sweep->id);
    snprintf(now.identity.config_sha256, sizeof now.identity.config_sha256, "%s", bar->sweep->config_sha256);
    sw_status_file_write(bar->file, &now);
}

void progress_bar_start(struct progress_bar *bar, struct sw_cli *cli, const struct sw_sweep *sweep,
                        const struct sw_plan *plan, const char *file)
{
    *bar = (struct progress_bar){
        .cli = cli, .sweep = sweep, .plan = plan, .file = file, .next_line = sw_clock() + first_line, .saved = -1,
        .since = -1};
}

void progress_bar_update(void *user, const struct sw_progress *p)
{
    struct progress_bar *bar = user;
    double now = sw_clock();
    bool merging = !strcmp(p->phase, "merging");
    if (bar->since < 0 && p->points_steps_done > 0) {
        bar->since = p->seconds;
        bar->from = p->points_steps_done;
    }
    if (merging || bar->saved < 0 || now - bar->saved >= status_every(p->seconds)) {
        save_status(bar, p);
        bar->saved = now;
    }
    if (bar->cli->bar) draw_bar(bar, p);
    else if (now >= bar->next_line || (merging && p->seconds >= first_line)) {
        print_line(bar, p);
        bar->next_line = now + line_every;
    }
}

void progress_bar_clear(struct progress_bar *bar)
{
    if (!bar->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    bar->shown = false;
}
