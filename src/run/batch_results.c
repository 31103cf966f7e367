/* The results of a batch: status, norms and messages of its runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "field/norms.h"
#include "run/batch_impl.h"

/* ---- warnings */

static bool warns_of_results(const struct sw_problem *problem)
{
    const struct sw_run_warning *w = problem->warn_run;
    while (w && w->warn && !w->of_result) w++;
    return w && w->warn;
}

/* Nothing if memory is out. @param state  that of run j at its end */
static void append_result_warnings(const struct batch *b, int j, const double *state, char text[SW_MESSAGE])
{
    const struct sw_problem *problem = b->w->scheduler->sweep->problem;
    char more[200];
    for (const struct sw_run_warning *w = problem->warn_run; w->warn; w++)
        if (w->of_result && !w->warn(problem, &b->w->setup, b->plan->count, b->column, j, state, more))
            batch_append_message(text, more);
}

/* What the problem says of results, of those runs that the plan has chosen. */
static enum sw_status look_at_results(const struct batch *b, struct sw_run_result *result)
{
    int which[SW_PLAN_LOOKS], count = 0;
    double *state;
    if (!warns_of_results(b->w->scheduler->sweep->problem)) return SW_OK;
    for (int j = 0; j < b->plan->count; j++)
        if (result[j].row.status == SW_RUN_DONE && sw_few_has(&b->w->scheduler->plan->looks, b->plan->run[j]))
            which[count++] = j;
    if (!count) return SW_OK;
    SW_TRY(sw_alloc((size_t)count * batch_state_size(b), &state));
    const enum sw_status st = sw_sim_get_states(b->w->sim, b->plan->count, count, which, state);
    for (int k = 0; k < count && !st; k++)
        append_result_warnings(b, which[k], state + (size_t)k * batch_state_size(b), result[which[k]].message);
    sw_free(state);
    return st;
}

/* Where a run took steps of its own past a pole, or u has decayed, the errors that they allowed, relative to u as it
 * was, may be more than all of u: nothing else tells. */
static void warn_estimated_error(const double *state, size_t count, struct sw_run_result *r)
{
    double largest = 0;
    char text[160];
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(state[i]));
    if (!(r->row.estimated_error > largest)) return;
    snprintf(text, sizeof text, "error_estimate = %.3g is above the largest |u| at the end, %.3g: u has decayed, or a "
             "pole was stepped over; use a smaller time.tolerance", r->row.estimated_error, largest);
    batch_append_message(r->message, text);
}

static enum sw_status warn_estimated_errors(const struct batch *b, struct sw_run_result *result)
{
    const size_t size = batch_state_size(b);
    double *state;
    if (!b->w->sim->ops->steps_taken) return SW_OK;
    SW_TRY(sw_alloc((size_t)b->plan->count * size, &state));
    const enum sw_status st = sw_sim_get_state(b->w->sim, state);
    for (int j = 0; j < b->plan->count && !st; j++)
        if (result[j].row.status == SW_RUN_DONE) warn_estimated_error(state + (size_t)j * size, size, &result[j]);
    sw_free(state);
    return st;
}

/* ---- results */

/* A problem without time cannot diverge: its run failed. */
static enum sw_run_status failure_status(const struct batch *b, int j)
{
    return b->w->scheduler->sweep->problem->timed && !batch_stop_unknown(b, j) ? SW_RUN_DIVERGED : SW_RUN_ERROR;
}

static void fill_steps_taken(const struct batch *b, int j, struct sw_run_row *row)
{
    const struct sw_sim *sim = b->w->sim;
    const struct sw_steps_taken taken = sim->ops->steps_taken(sim, b->diagnostics + batch_diagnostics(b) * (size_t)j);
    row->steps = taken.taken;
    row->refused = taken.refused;
    row->least_dt = taken.least;
    row->largest_dt = taken.largest;
    row->estimated_error = taken.error;
    if (row->status == SW_RUN_DIVERGED) row->t_reached = taken.t;
}

static void fill_result(const struct batch *b, int j, struct sw_run_result *r)
{
    struct sw_run_row *row = &r->row;
    *row = sw_run_row_empty();
    row->status = SW_RUN_DONE;
    row->wall_time = batch_seconds_per_run(b);
    row->steps = b->group->cut ? 1 : b->group->steps;  /* as of the same run in one piece */
    row->time_step = batch_dt(b, j);
    if (b->load_error[j]) { row->status = SW_RUN_ERROR; row->steps = 0; }
    else if (b->failed_step[j] >= 0) {
        row->status = failure_status(b, j);
        row->steps = b->group->cut ? 1 : b->failed_step[j];
    }
    if (row->status == SW_RUN_DONE) row->stopped = batch_stopped(b, j, &row->steps);
    if (row->status != SW_RUN_DONE) batch_describe_failure(b, j, r->message);
    else batch_warn_diagnostics(b, j, r->message);  /* batch_end() appends the warnings, which are not reported again */
    row->t_reached = batch_time(b, j, row->steps);
    if (b->w->sim->ops->steps_taken) fill_steps_taken(b, j, row);
}

/* ---- error norms */

/* The expressions of a thread for the exact fields, one for each unknown that has one. */
struct exact_fields { int unknowns; bool given[SW_UNKNOWNS_MOST]; struct sw_evaluator field[SW_UNKNOWNS_MOST]; };

static void exact_destroy(struct exact_fields *exact)
{
    for (int v = 0; v < exact->unknowns; v++)
        if (exact->given[v]) sw_evaluator_destroy(&exact->field[v]);
}

static enum sw_status exact_create(const struct sw_setup *setup, struct exact_fields *exact)
{
    *exact = (struct exact_fields){.unknowns = setup->nunknown ? setup->nunknown : 1};
    for (int v = 0; v < exact->unknowns; v++) {
        const struct sw_function *f = sw_setup_find_of(setup, "exact", v);
        exact->given[v] = f != NULL;
        if (f) SW_TRY(sw_evaluator_create(f->program, setup->n, &exact->field[v]));
    }
    return SW_OK;
}

/* Of several unknowns the points of all of them count alike. */
static void measure_run(const struct sw_setup *setup, struct exact_fields *exact, int count, int j,
                        const double *column, const double *u, int64_t steps, struct sw_run_result *result)
{
    const struct sw_grid g = sw_setup_grid(setup, count, column, j);
    const double end = setup->times ? setup->times[setup->goals] : (double)steps * g.dt,
                 t = result->row.stopped ? result->row.t_reached : end;
    const int64_t points = sw_points(setup->n);
    struct sw_norm_sums sums = {0};
    int64_t compared = 0;
    for (int v = 0; v < exact->unknowns; v++) {
        if (!exact->given[v]) continue;
        sw_evaluator_begin(&exact->field[v], &g, column + j, count, t, steps);
        const struct sw_norm_sums more = sw_norm_sums_of_run(&exact->field[v], u + v * points);
        if (compared) sw_norm_sums_add(&sums, &more);
        else sums = more;
        compared += points;
    }
    result->row.err = sw_norms_from_sums(&sums, compared);
}

enum sw_status batch_norms_of_states(const struct sw_setup *setup, int threads, int count, const double *column,
                                     const double *u, int64_t steps, struct sw_run_result *result)
{
    const size_t size = (size_t)sw_points(setup->n) * (size_t)(setup->nunknown ? setup->nunknown : 1);
    struct sw_err_kept failure = {0};
#pragma omp parallel num_threads(threads)
    {
        struct exact_fields exact;
        enum sw_status st = exact_create(setup, &exact);
#pragma omp critical(sw_norms_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(dynamic, 8)
        for (int j = 0; j < count; j++)
            if (!st && result[j].row.status == SW_RUN_DONE)
                measure_run(setup, &exact, count, j, column, u + (size_t)j * size, steps, &result[j]);
        exact_destroy(&exact);
    }
    return sw_err_raise(&failure);
}

static enum sw_status copy_norms_of_sim(const struct batch *b, struct sw_run_result *result)
{
    struct sw_sim *sim = b->w->sim;
    struct sw_norms *norm;
    SW_TRY(sw_alloc((size_t)b->plan->count, &norm));
    enum sw_status st = sim->ops->norms(sim, norm);
    for (int j = 0; j < b->plan->count && !st; j++)
        if (result[j].row.status == SW_RUN_DONE) result[j].row.err = norm[j];
    sw_free(norm);
    return st;
}

static enum sw_status measure_residuals(const struct batch *b, struct sw_run_result *result)
{
    struct sw_sim *sim = b->w->sim;
    const bool iterates = b->w->scheduler->sweep->problem->iterates;
    struct sw_residuals *residual;
    if (!sim->ops->residuals) return SW_OK;
    SW_TRY(sw_alloc((size_t)b->plan->count, &residual));
    enum sw_status st = sim->ops->residuals(sim, residual);
    for (int j = 0; j < b->plan->count && !st; j++)
        if (result[j].row.status == SW_RUN_DONE || (iterates && !b->load_error[j]))
            result[j].row.residual = residual[j];
    sw_free(residual);
    return st;
}

/* Give the histories to the writer, as wide as the longest of them. */
static enum sw_status write_histories(const struct batch *b)
{
    const size_t count = (size_t)b->plan->count, width = 1 + (size_t)b->w->setup.history;
    size_t most = 1;
    double *history;
    if (!b->w->setup.history) return SW_OK;
    SW_TRY(sw_alloc(count * width, &history));
    const enum sw_status st = b->w->sim->ops->history(b->w->sim, history);
    if (st) { sw_free(history); return st; }
    for (size_t j = 0; j < count; j++)
        for (size_t k = most; k < width; k++)
            if (!isnan(history[j * width + k])) most = k + 1;
    for (size_t j = 1; j < count; j++) memmove(history + j * most, history + j * width, most * sizeof *history);
    return writer_history(b->w->writer, history, (int64_t)most);
}

static enum sw_status measure_norms(const struct batch *b, struct sw_run_result *result)
{
    struct sw_sim *sim = b->w->sim;
    double *state = NULL;
    enum sw_status st;
    if (!b->w->scheduler->sweep->problem->derives_exact && !sw_setup_function(&b->w->setup, "exact")) return SW_OK;
    if (sim->ops->norms) return copy_norms_of_sim(b, result);
    SW_TRY(sw_alloc((size_t)b->plan->count * batch_state_size(b), &state));
    st = sw_sim_get_state(sim, state);
    if (!st)
        st = batch_norms_of_states(&b->w->setup, b->w->device->threads, b->plan->count, b->column, state,
                                   b->group->steps, result);
    sw_free(state);
    return st;
}

/* Runs without error norms say why, where it is for the exact solution. */
static void explain_norms(const struct batch *b, struct sw_run_result *result)
{
    if (!sw_setup_function(&b->w->setup, "exact")) return;
#pragma omp parallel for schedule(dynamic, 8) num_threads(b->w->device->threads)
    for (int j = 0; j < b->plan->count; j++) {
        char text[160];
        if (result[j].row.status != SW_RUN_DONE || isfinite(result[j].row.err.l2)) continue;
        if (!batch_describe_bad_point(b, j, "exact", "no error norms: exact", text)) continue;
        batch_append_message(result[j].message, text);
    }
}

/* Runs whose numbers single precision does not hold say so. */
static enum sw_status tell_infinite(const struct batch *b, struct sw_run_result *result)
{
    char text[160];
    if (!b->infinite) return SW_OK;
    SW_TRY(writer_wait_slots(b->w->writer));
    for (int j = 0; j < b->plan->count; j++) {
        const long long count = b->infinite[j];
        if (!count || result[j].row.status != SW_RUN_DONE) continue;
        snprintf(text, sizeof text, "%lld number%s beyond single precision and saved as infinite; use "
                 "output.fields.precision = \"double\"", count, count == 1 ? " is" : "s are");
        batch_append_message(result[j].message, text);
    }
    return SW_OK;
}

/* ---- the end */

static void count_and_report(struct batch *b, const struct sw_run_result *result)
{
    struct sw_totals *t = &b->w->totals;
    for (int j = 0; j < b->plan->count; j++) {
        const struct sw_run_row *row = &result[j].row;
        t->done += result[j].row.status == SW_RUN_DONE;
        t->stopped += row->stopped != SW_RUN_TO_END;
        t->diverged += result[j].row.status == SW_RUN_DIVERGED;
        t->failed += result[j].row.status == SW_RUN_ERROR;
        if (b->plan->resume && result[j].row.status != SW_RUN_DONE &&
            (b->load_error[j] || b->failed_step[j] <= b->plan->resume->step))
            batch_report_run(b, SW_EVENT_FAILURE, j, result[j].message, true);
        if (result[j].row.status == SW_RUN_DONE && *result[j].message)
            batch_report_run(b, SW_EVENT_NOTE, j, result[j].message, false);
    }
}

enum sw_status batch_end(struct batch *b)
{
    struct sw_run_result *result = NULL;
    double *state = NULL;
    enum sw_status st;
    SW_TRY(batch_find_failures(b));
    SW_TRY(batch_read_diagnostics(b));
    SW_TRY(batch_stops_finish(b));
    SW_TRY(sw_alloc((size_t)b->plan->count, &result));
    for (int j = 0; j < b->plan->count; j++) fill_result(b, j, &result[j]);
    SW_TRY_TO(failed, st, measure_norms(b, result));
    explain_norms(b, result);
    SW_TRY_TO(failed, st, measure_residuals(b, result));
    SW_TRY_TO(failed, st, batch_accuracy(b, result));
    SW_TRY_TO(failed, st, tell_infinite(b, result));
    SW_TRY_TO(failed, st, warn_estimated_errors(b, result));
    SW_TRY_TO(failed, st, write_histories(b));
    count_and_report(b, result);
    SW_TRY_TO(failed, st, look_at_results(b, result));  /* what it finds is stored, and not reported again */
    if (b->w->scheduler->sweep->save_state) SW_TRY_TO(failed, st, batch_copy_state(b, &state));
    SW_TRY(writer_finish(b->w->writer, result, state, batch_stored_size(b), b->group->steps));
    batch_report(b, SW_EVENT_BATCH);
    return SW_OK;
failed:
    sw_free(result);
    return st == SW_E_STOPPED ? batch_stop(b) : st;
}
