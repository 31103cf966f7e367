#include "run/results.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm.h"
#include "field/norms.h"
#include "run/domain.h"
#include "sweep/sw_refine.h"

/* ---- warnings */

static bool warns_of_results(const struct sw_problem *problem)
{
    const struct sw_run_warning *w = problem->advice->warn_run;
    while (w && w->warn && !w->of_result) w++;
    return w && w->warn;
}

/* Nothing if memory is out. Of slabs collective. @param state  that of run j at its end, of what is here */
static void say_warnings(const struct runs *r, int j, const double *state, struct sw_run_result *result)
{
    const struct sw_problem *problem = r->sweep->problem;
    for (const struct sw_run_warning *w = problem->advice->warn_run; w->warn; w++) {
        struct sw_text warning = SW_SHORT_TEXT;
        if (w->of_result && !w->warn(r->whole, r->count, r->column, j, state, &warning))
            result_say(result, sw_text_get(&warning));
    }
}

/* Of pencils: the states as slabs, which neighbours in the order of ranks follow.
 * @param st  of this rank  @param state  in and out: another array  @param size  in and out: numbers of each */
static enum sw_status take_slabs(const struct runs *r, int count, enum sw_status st, double **state, size_t *size)
{
    const size_t fields = *size / (size_t)sw_points(r->setup->n),
                 stored = fields * (size_t)sw_points(r->whole->slab->n);
    double *slab = NULL;
    if (!st) st = sw_alloc((size_t)count * stored, &slab);
    st = sw_comm_agree(r->setup->domain.all, st);
    if (!st) st = domain_to_slab(r->setup, (size_t)count * fields, sizeof *slab, *state, slab);
    if (st) {
        sw_free(slab);
        return st;
    }
    sw_free(*state);
    *state = slab;
    *size = stored;
    return SW_OK;
}

enum sw_status results_look(const struct runs *r, const struct sw_representatives *looks, struct sw_run_result *result)
{
    int which[SW_PLAN_LOOKS], count = 0;
    double *state;
    if (!warns_of_results(r->sweep->problem)) return SW_OK;
    for (int j = 0; j < r->count; j++)
        if (result[j].row.status == SW_RUN_DONE && sw_representatives_has(looks, r->plan->run[j]))
            which[count++] = j;
    if (!count) return SW_OK;
    SW_TRY(sw_alloc((size_t)count * r->size, &state));
    size_t size = r->size;
    enum sw_status st = sw_sim_get_states(r->sim, r->count, count, which, state);
    if (r->setup->domain.same_planes) st = take_slabs(r, count, st, &state, &size);
    for (int k = 0; k < count && !st; k++) say_warnings(r, which[k], state + (size_t)k * size, &result[which[k]]);
    sw_free(state);
    return st;
}

/* Where a run took steps of its own past a pole, or u has decayed, the errors that they allowed, relative to u as it
 * was, may be more than all of u: nothing else tells. */
static void warn_estimated_error(const double *state, size_t count, struct sw_run_result *r)
{
    double largest = 0;
    struct sw_text text = SW_SHORT_TEXT;
#pragma omp simd reduction(max : largest)
    for (size_t i = 0; i < count; i++) largest = fabs(state[i]) > largest ? fabs(state[i]) : largest;
    if (!(r->row.error_estimate > largest)) return;
    sw_text_set(&text, "error_estimate = %.3g is above the largest |u| at the end, %.3g: u has decayed, or a pole was "
                "stepped over; use a smaller time.tolerance", r->row.error_estimate, largest);
    result_say(r, sw_text_get(&text));
}

/* Some MiB at a time: new memory for all states would take as long as their way from a device. A sixteenth at least: a
 * device lays out all lines at each time. */
static enum sw_status warn_estimated_errors(const struct runs *r, struct sw_run_result *result)
{
    enum { AT_ONCE = (4 << 20) / sizeof(double) };
    enum sw_status st = SW_OK;
    double *state = NULL;
    int *which = NULL;
    if (!runs_own_steps(r)) return SW_OK;
    const int few = r->size < AT_ONCE ? (int)(AT_ONCE / r->size) : 1, share = (r->count + 15) / 16,
              most = few > share ? few : share;
    SW_TRY_TO(done, st, sw_alloc((size_t)most * r->size, &state));
    SW_TRY_TO(done, st, sw_alloc((size_t)most, &which));
    for (int first = 0; first < r->count; first += most) {
        const int count = r->count - first < most ? r->count - first : most;
        for (int k = 0; k < count; k++) which[k] = first + k;
        SW_TRY_TO(done, st, sw_sim_get_states(r->sim, r->count, count, which, state));
#pragma omp parallel for schedule(static) num_threads(r->device->threads) if (count > 64)
        for (int k = 0; k < count; k++)
            if (result[first + k].row.status == SW_RUN_DONE)
                warn_estimated_error(state + (size_t)k * r->size, r->size, &result[first + k]);
    }
done:
    sw_free(state);
    sw_free(which);
    return st;
}

/* ---- results */

/* A problem without time cannot diverge: its run failed. */
static enum sw_run_status failure_status(const struct failures *f, int j)
{
    return f->r->sweep->problem->time && !f->undecided[j] ? SW_RUN_DIVERGED : SW_RUN_ERROR;
}

static void fill_steps_taken(const struct runs *r, int j, struct sw_run_row *row)
{
    const struct sw_steps_taken taken = runs_steps_taken(r, j);
    row->steps = taken.taken;
    row->steps_refused = taken.refused;
    row->dt_min = taken.least;
    row->dt_max = taken.largest;
    row->error_estimate = taken.error;
    if (row->status == SW_RUN_DIVERGED) row->t_reached = taken.t;
}

static void fill_result(const struct results_of *of, int j, struct sw_run_result *result)
{
    const struct runs *r = of->r;
    const struct failures *f = of->failures;
    struct sw_run_row *row = &result->row;
    struct sw_text message = sw_text_in(strcpy(result->message, ""), sizeof result->message);
    *row = sw_run_row_empty();
    row->status = SW_RUN_DONE;
    row->wall_time = of->seconds;
    row->steps = r->group->cut ? 1 : runs_steps(r, j);  /* as of the same run in one piece */
    row->time_step = runs_dt(r, j);
    row->refine_level = sw_sweep_refine_level(r->sweep, r->plan->run[j]);
    if (f->load_error[j]) { row->status = SW_RUN_ERROR; row->steps = 0; }
    else if (f->step[j] >= 0) {
        row->status = failure_status(f, j);
        row->steps = r->group->cut ? 1 : f->step[j];
    }
    if (row->status == SW_RUN_DONE) row->stopped = early_ends_of(of->ends, j, &row->steps);
    if (row->status != SW_RUN_DONE) failures_describe(f, j, &message);
    else runs_warn(r, j, true, &message);
    row->t_reached = runs_time(r, j, row->steps);
    if (runs_own_steps(r)) fill_steps_taken(r, j, row);
}

/* ---- error norms */

static void set_norms(struct sw_run_row *row, struct sw_norms norm)
{
    row->err_l2 = norm.l2;
    row->err_max = norm.max;
    row->err_rel = norm.rel;
    row->err_interior = norm.interior;
}

static void set_residuals(struct sw_run_row *row, const struct sw_residuals *residual)
{
    row->residual = residual->residual;
    row->backward_error = residual->backward;
    row->forward_error = residual->forward;
    row->residual_reported = residual->reported;
    row->iterations = residual->iterations;
}

/* The expressions of a thread for the exact fields, one for each unknown that has one. */
struct exact_fields { int unknowns; bool given[SW_UNKNOWNS_MOST]; struct sw_evaluator field[SW_UNKNOWNS_MOST]; };

static void exact_destroy(struct exact_fields *exact)
{
    for (int v = 0; v < exact->unknowns; v++)
        if (exact->given[v]) sw_evaluator_destroy(&exact->field[v]);
}

static enum sw_status exact_create(const struct sw_setup *setup, struct exact_fields *exact)
{
    *exact = (struct exact_fields){.unknowns = sw_setup_unknowns(setup)};
    for (int v = 0; v < exact->unknowns; v++) {
        const struct sw_function *f = sw_setup_find_of(setup, "exact", v);
        exact->given[v] = f != NULL;
        if (f) SW_TRY(sw_evaluator_create(f->program, setup->n, &exact->field[v]));
    }
    return SW_OK;
}

/* Of several unknowns the points of all of them count alike. @param points  out: that were compared */
static struct sw_norm_sums measure_run(const struct sw_setup *setup, struct exact_fields *exact, int count, int j,
                                       const double *column, const double *u, int64_t of_batch,
                                       const struct sw_run_result *result, int64_t *compared)
{
    const int64_t steps = setup->paces ? result->row.steps : of_batch;
    const struct sw_grid g = sw_setup_grid(setup, count, column, j);
    const double end = setup->times ? setup->times[setup->goals] : (double)steps * g.dt,
                 t = result->row.stopped ? result->row.t_reached : end;
    const int64_t points = sw_points(setup->n);
    struct sw_norm_sums sums = {0};
    *compared = 0;
    for (int v = 0; v < exact->unknowns; v++) {
        if (!exact->given[v]) continue;
        sw_evaluator_begin(&exact->field[v], &g, column + j, count, t, steps);
        const struct sw_norm_sums more = sw_norm_sums_of_run(&exact->field[v], u + v * points);
        if (*compared) sw_norm_sums_add(&sums, &more);
        else sums = more;
        *compared += points;
    }
    return sums;
}

struct measured { struct sw_norm_sums sums; int64_t points; };

static enum sw_status measure_runs(const struct sw_setup *setup, int threads, int count, const double *column,
                                   const double *u, int64_t steps, const struct sw_run_result *result,
                                   struct measured *m)
{
    const size_t size = (size_t)sw_points(setup->n) * (size_t)sw_setup_unknowns(setup);
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
                m[j].sums = measure_run(setup, &exact, count, j, column, u + (size_t)j * size, steps, &result[j],
                                        &m[j].points);
        exact_destroy(&exact);
    }
    return sw_err_raise(&failure);
}

/* Of slabs: the sums of all ranks, added in their order. */
static enum sw_status add_ranks(const struct sw_comm *comm, int count, struct measured *m)
{
    enum { SUMS = 3 };
    double *sums = NULL, *largest = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc(SUMS * (size_t)count, &sums));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &largest));
    for (int j = 0; j < count; j++) {
        const double mine[SUMS] = {m[j].sums.difference, m[j].sums.exact, (double)m[j].points};
        memcpy(sums + SUMS * j, mine, sizeof mine);
        largest[j] = m[j].sums.largest;
    }
    SW_TRY_TO(done, st, sw_comm_sum(comm, SUMS * (size_t)count, sums));
    SW_TRY_TO(done, st, sw_comm_max(comm, (size_t)count, largest));
    for (int j = 0; j < count; j++)
        m[j] = (struct measured){{sums[SUMS * j], sums[SUMS * j + 1], largest[j]}, (int64_t)sums[SUMS * j + 2]};
done:
    sw_free(sums);
    sw_free(largest);
    return st;
}

enum sw_status results_norms_of_states(const struct sw_setup *setup, int threads, int count, const double *column,
                                       const double *u, int64_t steps, struct sw_run_result *result)
{
    struct measured *m;
    SW_TRY(sw_alloc((size_t)count, &m));
    enum sw_status st = measure_runs(setup, threads, count, column, u, steps, result, m);
    if (!st && setup->domain.all) st = add_ranks(setup->domain.all, count, m);
    for (int j = 0; j < count && !st; j++)
        if (result[j].row.status == SW_RUN_DONE) set_norms(&result[j].row, sw_norms_from_sums(&m[j].sums, m[j].points));
    sw_free(m);
    return st;
}

static enum sw_status copy_norms_of_sim(const struct runs *r, struct sw_run_result *result)
{
    struct sw_sim *sim = r->sim;
    struct sw_norms *norm;
    SW_TRY(sw_alloc((size_t)r->count, &norm));
    enum sw_status st = sim->ops->norms(sim, norm);
    for (int j = 0; j < r->count && !st; j++)
        if (result[j].row.status == SW_RUN_DONE) set_norms(&result[j].row, norm[j]);
    sw_free(norm);
    return st;
}

static enum sw_status measure_residuals(const struct failures *f, struct sw_run_result *result)
{
    const struct runs *r = f->r;
    struct sw_sim *sim = r->sim;
    const bool failed_too = r->sweep->problem->measures & (SW_ITERATES | SW_JUDGES_RESIDUALS);
    struct sw_residuals *residual;
    if (!sim->ops->residuals) return SW_OK;
    SW_TRY(sw_alloc((size_t)r->count, &residual));
    enum sw_status st = sim->ops->residuals->get(sim, residual);
    for (int j = 0; j < r->count && !st; j++)
        if (result[j].row.status == SW_RUN_DONE || (failed_too && !f->load_error[j]))
            set_residuals(&result[j].row, &residual[j]);
    sw_free(residual);
    return st;
}

static enum sw_status measure_norms(const struct runs *r, struct sw_run_result *result)
{
    struct sw_sim *sim = r->sim;
    double *state = NULL;
    enum sw_status st;
    if (!(r->sweep->problem->measures & SW_DERIVES_EXACT) && !sw_setup_function(r->setup, "exact")) return SW_OK;
    if (sim->ops->norms) return copy_norms_of_sim(r, result);
    SW_TRY(sw_alloc((size_t)r->count * r->size, &state));
    st = sw_sim_get_state(sim, state);
    if (!st)
        st = results_norms_of_states(r->setup, r->device->threads, r->count, r->column, state, r->group->steps, result);
    sw_free(state);
    return st;
}

/* Runs without error norms say why, where it is for the exact solution. */
static void explain_norms(const struct runs *r, struct sw_run_result *result)
{
    if (!sw_setup_function(r->setup, "exact")) return;
#pragma omp parallel for schedule(dynamic, 8) num_threads(r->device->threads)
    for (int j = 0; j < r->count; j++) {
        struct sw_text text = SW_SHORT_TEXT;
        if (result[j].row.status != SW_RUN_DONE || isfinite(result[j].row.err_l2)) continue;
        if (describe_bad_point(r, j, "exact", "no error norms: exact", &text))
            result_say(&result[j], sw_text_get(&text));
    }
}

/* Runs whose numbers single precision does not hold say so. */
static void tell_infinite(const struct results_of *of, struct sw_run_result *result)
{
    for (int j = 0; j < of->r->count && of->infinite; j++) {
        struct sw_text text = SW_SHORT_TEXT;
        const long long count = of->infinite[j];
        if (!count || result[j].row.status != SW_RUN_DONE) continue;
        sw_text_set(&text, "%lld number%s beyond single precision and saved as infinite; use output.fields.precision = "
                    "\"double\"", count, count == 1 ? " is" : "s are");
        result_say(&result[j], sw_text_get(&text));
    }
}

enum sw_status results_fill(const struct results_of *of, struct sw_run_result *result, struct sw_accuracy *found)
{
    for (int j = 0; j < of->r->count; j++) fill_result(of, j, &result[j]);
    SW_TRY(measure_norms(of->r, result));
    explain_norms(of->r, result);
    SW_TRY(measure_residuals(of->failures, result));
    SW_TRY(accuracy_estimate(of->accuracy, result, found));
    tell_infinite(of, result);
    return warn_estimated_errors(of->r, result);
}
