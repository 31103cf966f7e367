/* Runs of a batch that fail: which ones, and why. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "field/evaluate.h"
#include "problem/given.h"
#include "problem/initial_file.h"
#include "run/batch_impl.h"

size_t batch_state_size(const struct batch *b) { return sw_sim_state_size(b->w->sim); }

double batch_dt(const struct batch *b, int j)
{
    return sw_setup_grid(&b->w->setup, b->plan->count, b->column, j).dt;
}

double batch_time(const struct batch *b, int j, int64_t step) { return sw_group_time(b->group, step) * batch_dt(b, j); }

size_t batch_diagnostics(const struct batch *b) { return (size_t)b->w->sim->ops->diagnostics; }

static const double *diagnostics_of(const struct batch *b, int j)
{
    return b->diagnostics + batch_diagnostics(b) * (size_t)j;
}

enum sw_status batch_read_diagnostics(struct batch *b)
{
    return b->diagnostics ? b->w->sim->ops->get_diagnostics(b->w->sim, b->diagnostics) : SW_OK;
}

/* ---- why a run failed */

/* @param numbered  points are i = 1 .. n, without coordinates */
static void describe_point(const struct sw_setup *setup, const struct sw_grid *g, bool numbered, int64_t point,
                           double value, const char *what, char text[160])
{
    const bool rounds = isfinite(value);
    char number[32];
    const int used = snprintf(text, 160, "%s is %s%s at", what, sw_number(value, number),
                        rounds ? ", beyond single precision," : "");
    if (numbered) snprintf(text + used, 160 - (size_t)used, " i = %lld", (long long)point + 1);
    else sw_point_print(setup, g, point, 160 - (size_t)used, text + used);
}

/* Rows of a numbered problem count on with the next step of rand and randn at 2^31 (problem/tridiagonal/entries.h): the
 * rows from there on are those of another grid. */
static void begin_rows(struct sw_evaluator *e, const struct batch *b, const struct sw_grid *grid, int j, int64_t first)
{
    struct sw_grid g = *grid;
    g.x0[0] += (double)(first & ~(int64_t)INT32_MAX);
    sw_evaluator_begin(e, &g, b->column + j, b->plan->count, 0, first >> 31);
}

bool batch_describe_bad_point(const struct batch *b, int j, const char *key, const char *what, char text[160])
{
    const struct sw_setup *setup = &b->w->setup;
    const bool numbered = b->w->scheduler->sweep->problem->numbered, at_end = strcmp(key, "initial") != 0;
    const struct sw_program *program = sw_setup_function(setup, key);
    const struct sw_grid g = sw_setup_grid(setup, b->plan->count, b->column, j);
    const int64_t points = sw_points(setup->n), step = at_end ? b->group->steps : 0;
    const double most = setup->single_steps && !at_end ? (double)FLT_MAX : DBL_MAX;
    struct sw_evaluator e = {0};
    bool found = false;
    if (!program || sw_evaluator_create(program, setup->n, &e)) goto out;
    sw_evaluator_begin(&e, &g, b->column + j, b->plan->count, batch_time(b, j, step), step);
    for (int64_t first = 0; first < points && !found; first += SW_EVALUATOR_POINTS) {
        const int64_t left = points - first;
        const int here = left < SW_EVALUATOR_POINTS ? (int)left : SW_EVALUATOR_POINTS;
        if (numbered && !(first & INT32_MAX)) begin_rows(&e, b, &g, j, first);
        sw_evaluator_points(&e, numbered ? first & INT32_MAX : first, here, e.value);
        for (int i = 0; i < here && !found; i++) {
            found = !(fabs(e.value[i]) <= most);
            if (found) describe_point(setup, &g, numbered, first + i, e.value[i], what, text);
        }
    }
out:
    sw_evaluator_destroy(&e);
    return found;
}

/* "first at x = 1.25 (i = 20)", "first of v at x = 1.25 … 1.5, v largest at x = 1.3", "u_t was largest at x = 1.25
 * (i = 20)" */
static void describe_place(const struct batch *b, int j, char text[160])
{
    const struct sw_setup *setup = &b->w->setup;
    const struct sw_failure_place *p = &b->place[j].at;
    const struct sw_grid g = sw_setup_grid(setup, b->plan->count, b->column, j);
    const char *unknown = setup->nunknown ? setup->unknown[p->unknown] : "u";
    const double first = sw_grid_at(&g, 0, p->first), last = sw_grid_at(&g, 0, p->last), at = sw_grid_at(&g, 0, p->at);
    text[0] = 0;
    if (!b->place[j].known || p->unknown >= (setup->nunknown ? setup->nunknown : 1)) return;
    int used = p->infinite ? snprintf(text, 160, setup->nunknown > 1 ? "first of %.40s at " : "first at ", unknown)
                           : snprintf(text, 160, "%.40s_t was largest at ", unknown);
    if (p->first == p->last)
        snprintf(text + used, 160 - (size_t)used, "x = %.6g (i = %lld)", at, (long long)p->at);
    else if (p->first == 0 && p->last == setup->n[0] - 1)
        snprintf(text + used, 160 - (size_t)used, "all x, %.40s largest at x = %.6g", unknown, at);
    else
        snprintf(text + used, 160 - (size_t)used, "x = %.6g … %.6g, %.40s largest at x = %.6g", first, last, unknown,
                 at);
}

void batch_warn_diagnostics(const struct batch *b, int j, char text[160])
{
    const struct sw_sim *sim = b->w->sim;
    text[0] = 0;
    if (b->diagnostics)
        sim->ops->warn_result(sim, j, diagnostics_of(b, j), b->failed_step[j] < 0, text);
}

void batch_append_message(char text[SW_MESSAGE], const char *more)
{
    const size_t length = strlen(text);
    if (*more) snprintf(text + length, SW_MESSAGE - length, "%s%s", length ? "; " : "", more);
}

/* A text of the config that is not finite in the step in which run j failed, or, where it chose its steps, in the last
 * one that it tried; "" if none is known to, or memory is out. */
static void name_given(const struct batch *b, int j, char text[200])
{
    const struct sw_problem *problem = b->w->scheduler->sweep->problem;
    const struct sw_sim_ops *ops = b->w->sim->ops;
    const int64_t step = b->failed_step[j];
    double span[2] = {batch_time(b, j, step > 0 ? step - 1 : 0), batch_time(b, j, step)};
    text[0] = 0;
    if (!problem->name_given) return;
    if (ops->steps_taken) {
        const struct sw_steps_taken taken = ops->steps_taken(b->w->sim, diagnostics_of(b, j));
        span[0] = taken.t;
        span[1] = taken.t + taken.tried;
    }
    if (problem->name_given(problem, &b->w->setup, b->plan->count, b->column, j, span, text)) text[0] = 0;
}

/* What to do about a run that diverged; nothing if memory is out. */
static void append_advice(const struct batch *b, int j, char text[SW_MESSAGE])
{
    const struct sw_problem *problem = b->w->scheduler->sweep->problem;
    char more[200];
    if (problem->advise && !problem->advise(problem, &b->w->setup, b->plan->count, b->column, j, more))
        batch_append_message(text, more);
}

/* What the sim explains, unless a text of the config is not finite: where a solve has spread that over all points, the
 * sim knows the first of them alone. */
static void explain_failure(const struct batch *b, int j, char text[SW_MESSAGE])
{
    const struct sw_problem *problem = b->w->scheduler->sweep->problem;
    const struct sw_sim *sim = b->w->sim;
    char given[200] = "";
    if (problem->name_given && problem->name_given(problem, &b->w->setup, b->plan->count, b->column, j, NULL, given))
        given[0] = 0;
    if (*given) snprintf(text, SW_MESSAGE, "%s", given);
    else sim->ops->explain(sim, j, text);
}

/* When run j failed, and where or why as far as it is known. A text of the config that is to blame is named before any
 * remark in brackets, behind which the last line of a sweep leaves out what is said (failure_list.h). */
static void describe_divergence(const struct batch *b, int j, char text[SW_MESSAGE])
{
    const struct sw_sim *sim = b->w->sim;
    const long long step = b->failed_step[j], steps = b->group->steps;
    char given[200], more[160];
    name_given(b, j, given);
    text[0] = 0;
    if (sim->ops->steps_taken) batch_append_message(text, given);  /* warn_result() says when */
    else
        snprintf(text, SW_MESSAGE, *given ? "not finite at t = %.6g: %s; step %lld of %lld" :
                 "not finite at t = %.6g%s (step %lld of %lld)", batch_time(b, j, step), given, step, steps);
    batch_warn_diagnostics(b, j, more);
    batch_append_message(text, more);
    if (*given) return;
    describe_place(b, j, more);
    batch_append_message(text, more);
    append_advice(b, j, text);
}

void batch_describe_failure(const struct batch *b, int j, char text[SW_MESSAGE])
{
    const struct sw_sim *sim = b->w->sim;
    if (b->said[j]) snprintf(text, SW_MESSAGE, "%s", b->said[j]);
    else if (b->load_error[j]) snprintf(text, SW_MESSAGE, "%s", b->load_error[j]);
    else if (batch_stop_unknown(b, j))
        snprintf(text, SW_MESSAGE, "stop.when is NaN at t = %.6g: %s",
                 batch_time(b, j, b->failed_step[j]), b->w->scheduler->sweep->stop_when_text);
    else if (b->failed_step[j] == 0 && sw_initial_in_file(&b->w->setup) &&
             sw_initial_describe_bad(&b->w->setup, b->plan->count, b->column, j, text))
        return;
    else if (sim->ops->explain) explain_failure(b, j, text);
    else if (b->failed_step[j] > 0 || !batch_describe_bad_point(b, j, "initial", "the initial value", text))
        describe_divergence(b, j, text);
}

/* ---- reports */

/* The time at which a run that has failed did so, as last read. */
static double failure_time(const struct batch *b, int j)
{
    const struct sw_sim *sim = b->w->sim;
    if (sim->ops->steps_taken && !batch_stop_unknown(b, j)) return sim->ops->steps_taken(sim, diagnostics_of(b, j)).t;
    return batch_time(b, j, b->failed_step[j]);
}

void batch_report_run(const struct batch *b, enum sw_event_kind kind, int j, const char *message, bool earlier)
{
    const bool timed = b->w->scheduler->sweep->problem->timed;
    const double t = b->load_error[j] || b->failed_step[j] < 0 ? 0 : failure_time(b, j);
    struct sw_event e = {.kind = kind, .batch = b->number, .run = b->plan->run[j], .message = message,
                         .t = timed && kind == SW_EVENT_FAILURE ? t : NAN, .earlier = earlier};
    worker_request_event(b->w, &e);
}

/* What is said is kept for the results: to find it out takes longer than many a run. */
void batch_report_failure(struct batch *b, int j)
{
    char text[SW_MESSAGE];
    batch_describe_failure(b, j, text);
    batch_report_run(b, SW_EVENT_FAILURE, j, text, false);
    sw_free(b->said[j]);
    b->said[j] = sw_strdup(text);
}

enum sw_status batch_find_failures(struct batch *b)
{
    struct sw_sim *sim = b->w->sim;
    bool diagnostics_read = false;
    SW_TRY(sim->ops->diverged(sim, b->failed_now));
    for (int j = 0; j < b->plan->count; j++) {
        if (b->failed_now[j] < 0 || b->failed_step[j] >= 0 || b->load_error[j]) continue;
        if (!diagnostics_read) SW_TRY(batch_read_diagnostics(b));
        diagnostics_read = true;
        b->failed_step[j] = b->failed_now[j];
        if (sim->ops->place && b->failed_now[j] > 0) b->place[j].known = sim->ops->place(sim, j, &b->place[j].at);
        batch_report_failure(b, j);
    }
    return SW_OK;
}
