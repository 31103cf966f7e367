#include "run/failures.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "field/evaluate.h"
#include "problem/initial_file.h"
#include "problem/nonfinite.h"

enum sw_status failures_create(struct failures *f, const struct runs *r,
                               void (*report)(void *user, const struct sw_event *event), void *user)
{
    const size_t count = (size_t)r->count;
    *f = (struct failures){.r = r, .report = report, .user = user};
    SW_TRY(sw_arena_take(r->arena, count, &f->load_error));
    SW_TRY(sw_arena_take(r->arena, count, &f->step));
    SW_TRY(sw_arena_take(r->arena, count, &f->undecided));
    SW_TRY(sw_arena_take(r->arena, count, &f->place));
    SW_TRY(sw_arena_take(r->arena, count, &f->said));
    SW_TRY(sw_arena_take(r->arena, count, &f->now));
    for (size_t j = 0; j < count; j++) f->step[j] = -1;
    return SW_OK;
}

/* ---- why a run failed */

/* @param numbered  points are i = 1 .. n, without coordinates */
static void describe_point(const struct sw_setup *setup, const struct sw_grid *g, bool numbered, int64_t point,
                           double value, const char *what, struct sw_text *text)
{
    char number[32];
    sw_text_set(text, "%s is %s%s at", what, sw_number(value, number),
                isfinite(value) ? ", beyond single precision," : "");
    if (numbered) sw_text_printf(text, " i = %lld", (long long)point + 1);
    else sw_point_print(setup, g, point, text);
}

/* Rows of a numbered problem count on with the next step of rand and randn at 2^31 (problem/systems/entries.h): the
 * rows from there on are those of another grid. */
static void begin_rows(struct sw_evaluator *e, const struct runs *r, const struct sw_grid *grid, int j, int64_t first)
{
    struct sw_grid g = *grid;
    g.x0[0] += (double)(first & ~(int64_t)INT32_MAX);
    sw_evaluator_begin(e, &g, r->column + j, r->count, 0, first >> 31);
}

bool describe_bad_point(const struct runs *r, int j, const char *key, const char *what, struct sw_text *text)
{
    const struct sw_setup *setup = r->whole;
    const bool numbered = r->sweep->problem->shape->numbered, at_end = strcmp(key, "initial") != 0;
    const struct sw_program *program = sw_setup_function(setup, key);
    const struct sw_grid g = sw_setup_grid(setup, r->count, r->column, j);
    const int64_t points = sw_points(setup->n), step = at_end ? runs_steps(r, j) : 0;
    const double most = setup->single_steps && !at_end ? (double)FLT_MAX : DBL_MAX;
    struct sw_evaluator e = {0};
    bool found = false;
    if (!program || sw_evaluator_create(program, setup->n, &e)) goto out;
    sw_evaluator_begin(&e, &g, r->column + j, r->count, runs_time(r, j, step), step);
    for (int64_t first = 0; first < points && !found; first += SW_EVALUATOR_POINTS) {
        const int64_t left = points - first;
        const int here = left < SW_EVALUATOR_POINTS ? (int)left : SW_EVALUATOR_POINTS;
        if (numbered && !(first & INT32_MAX)) begin_rows(&e, r, &g, j, first);
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

/* Add "first at x = 1.25 (i = 20)", "first of v at x = 1.25 … 1.5, v largest at x = 1.3", "u_t was largest at x = 1.25
 * (i = 20)" */
static void add_place(const struct failures *f, int j, struct sw_text *text)
{
    const struct runs *r = f->r;
    const struct sw_setup *setup = r->whole;
    const struct sw_failure_place *p = &f->place[j];
    const struct sw_grid g = sw_setup_grid(setup, r->count, r->column, j);
    const char *unknown = sw_setup_unknown(setup, p->unknown);
    const double first = sw_grid_at(&g, 0, p->first), last = sw_grid_at(&g, 0, p->last), at = sw_grid_at(&g, 0, p->at);
    if (!f->place[j].known || p->unknown >= sw_setup_unknowns(setup)) return;
    sw_text_add_sentence(text, !p->infinite ? unknown : setup->nunknown > 1 ? "first of " : "first");
    if (p->infinite && setup->nunknown > 1) sw_text_add(text, unknown);
    sw_text_add(text, p->infinite ? " at " : "_t was largest at ");
    if (p->first == p->last) sw_text_printf(text, "x = %.6g (i = %lld)", at, (long long)p->at);
    else if (p->first == 0 && p->last == setup->n[0] - 1)
        sw_text_printf(text, "all x, %s largest at x = %.6g", unknown, at);
    else sw_text_printf(text, "x = %.6g … %.6g, %s largest at x = %.6g", first, last, unknown, at);
}

/* A text of the config that is not finite in the step in which run j failed, or, where it chose its steps, in the last
 * one that it tried; nothing if none is known to, or memory is out. */
static void name_nonfinite(const struct failures *f, int j, struct sw_text *text)
{
    const struct runs *r = f->r;
    const struct sw_problem *problem = r->sweep->problem;
    const int64_t step = f->step[j];
    double span[2] = {runs_time(r, j, step > 0 ? step - 1 : 0), runs_time(r, j, step)};
    if (!problem->advice->name_nonfinite) return;
    if (runs_own_steps(r)) {
        const struct sw_steps_taken taken = runs_steps_taken(r, j);
        span[0] = taken.t;
        span[1] = taken.t + taken.tried;
    }
    if (problem->advice->name_nonfinite(r->whole, r->count, r->column, j, span, text)) sw_text_clear(text);
}

/* What to do about a run that diverged; nothing if memory is out. */
static void add_advice(const struct runs *r, int j, struct sw_text *text)
{
    const struct sw_problem *problem = r->sweep->problem;
    struct sw_text advice = SW_SHORT_TEXT;
    if (problem->advice->advise && !problem->advice->advise(r->whole, r->count, r->column, j, &advice))
        sw_text_add_sentence(text, sw_text_get(&advice));
}

/* What the sim explains, unless a text of the config is not finite: where a solve has spread that over all points, the
 * sim knows the first of them alone. */
static void explain_failure(const struct runs *r, int j, struct sw_text *text)
{
    const struct sw_problem *problem = r->sweep->problem;
    const struct sw_problem_advice *advice = problem->advice;
    const struct sw_sim *sim = r->sim;
    if (advice->name_nonfinite && advice->name_nonfinite(r->whole, r->count, r->column, j, NULL, text))
        sw_text_clear(text);
    if (!text->length) sim->ops->explain(sim, j, text);
}

/* When run j failed, and where or why as far as it is known. A text of the config that is to blame is named before any
 * remark in brackets, behind which the last line of a sweep leaves out what is said (failure_list.h). */
static void describe_divergence(const struct failures *f, int j, struct sw_text *text)
{
    const struct runs *r = f->r;
    const long long step = f->step[j], steps = runs_steps(r, j);
    struct sw_text given = SW_SHORT_TEXT;
    name_nonfinite(f, j, &given);
    if (runs_own_steps(r)) sw_text_add(text, sw_text_get(&given));  /* runs_warn() says when */
    else
        sw_text_printf(text, given.length ? "not finite at t = %.6g: %s; step %lld of %lld" :
                       "not finite at t = %.6g%s (step %lld of %lld)", runs_time(r, j, step), sw_text_get(&given), step,
                       steps);
    runs_warn(r, j, false, text);
    if (given.length) return;
    add_place(f, j, text);
    add_advice(r, j, text);
}

void failures_describe(const struct failures *f, int j, struct sw_text *text)
{
    const struct runs *r = f->r;
    const struct sw_sim *sim = r->sim;
    sw_text_clear(text);
    if (f->said[j]) sw_text_add(text, f->said[j]);
    else if (f->load_error[j]) sw_text_add(text, f->load_error[j]);
    else if (f->undecided[j])
        sw_text_printf(text, "stop.when is NaN at t = %.6g: %s", runs_time(r, j, f->step[j]), r->sweep->stop_when_text);
    else if (f->step[j] == 0 && sw_initial_in_file(r->whole) &&
             sw_initial_describe_nonfinite(r->whole, r->count, r->column, j, text))
        return;
    else if (sim->ops->explain) explain_failure(r, j, text);
    else if (f->step[j] > 0 || !describe_bad_point(r, j, "initial", "the initial value", text))
        describe_divergence(f, j, text);
}

/* ---- reports */

/* The time at which a run that has failed did so, as last read. */
static double failure_time(const struct failures *f, int j)
{
    const struct runs *r = f->r;
    if (runs_own_steps(r) && !f->undecided[j]) return runs_steps_taken(r, j).t;
    return runs_time(r, j, f->step[j]);
}

void failures_report(const struct failures *f, enum sw_event_kind kind, int j, const char *message, bool earlier)
{
    const bool timed = f->r->sweep->problem->time;
    const double t = f->load_error[j] || f->step[j] < 0 ? 0 : failure_time(f, j);
    struct sw_event e = {.kind = kind, .run = f->r->plan->run[j], .message = message,
                         .t = timed && kind == SW_EVENT_FAILURE ? t : NAN, .earlier = earlier};
    f->report(f->user, &e);
}

/* The text is kept for the results: to find it takes longer than many a run. */
static void report_failure(struct failures *f, int j)
{
    struct sw_text text = SW_SHORT_TEXT;
    failures_describe(f, j, &text);
    failures_report(f, SW_EVENT_FAILURE, j, sw_text_get(&text), false);
    sw_arena_printf(f->r->arena, &f->said[j], "%s", sw_text_get(&text));
}

void failures_add(struct failures *f, int j, int64_t step, bool undecided)
{
    if (!f->load_error[j]) f->step[j] = step;
    f->undecided[j] = undecided;
    report_failure(f, j);
}

enum sw_status failures_find(struct failures *f)
{
    struct sw_sim *sim = f->r->sim;
    bool diagnostics_read = false;
    SW_TRY(sim->ops->diverged(sim, f->now));
    for (int j = 0; j < f->r->count; j++) {
        if (f->now[j] < 0 || f->step[j] >= 0 || f->load_error[j]) continue;
        if (!diagnostics_read) SW_TRY(runs_read_diagnostics(f->r));
        diagnostics_read = true;
        f->step[j] = f->now[j];
        if (sim->ops->place && f->now[j] > 0) f->place[j].known = sim->ops->place(sim, j, &f->place[j]);
        report_failure(f, j);
    }
    return SW_OK;
}

/* ---- checkpoints */

/* A failed run has a state of NaN. Where its place is known, the first four numbers tell it: as many points as a
 * stencil has, at least five, are in all states that are lines, and one NaN is left. */
enum { PLACE_NUMBERS = 4 };

void failures_store(const struct failures *f, int j, double *stored)
{
    const struct sw_failure_place *p = &f->place[j];
    const double told[PLACE_NUMBERS] = {2 * p->unknown + p->infinite, (double)p->first, (double)p->last,
                                        (double)p->at};
    for (size_t i = 0; i < f->r->size; i++) stored[i] = NAN;
    if (f->place[j].known && f->r->size > PLACE_NUMBERS) memcpy(stored, told, sizeof told);
}

void failures_restore(struct failures *f, int j, int64_t step, const double *stored)
{
    f->step[j] = step;
    if (f->r->size <= PLACE_NUMBERS || !isfinite(stored[0])) return;
    const int of = (int)stored[0];
    f->place[j] = (struct sw_failure_place){.known = true, .infinite = of % 2 != 0, .unknown = of / 2,
                                            .first = (int64_t)stored[1], .last = (int64_t)stored[2],
                                            .at = (int64_t)stored[3]};
}
