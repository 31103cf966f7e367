/* Runs of a problem with time.
 *
 * What should be there: of a linear problem whose initial field is two modes, without a force, the discrete exact
 * solution (docs/explanation/line_equations.md), of every run; else what a row of the CPU computes for a few of the
 * runs. Where all runs are alike, all are compared with one. The reference refines its solves where it can: on fine
 * grids the rounding of its band matrix would be larger than that of many rows by orders of magnitude. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "problem/fields/fields_problem.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/equation_coefficients.h"
#include "problem/line/kinds/line_problem.h"
#include "problem/line/stepper/sw_stepper_impl.h"

struct sim {
    const struct sw_bench_spec *spec;
    struct sw_device           *device;
    struct sw_sim              *sim;
    bool                        exact;    /* as cpu.fourier, which it is compared with then                         */
    double                     *s4, *s2;  /* [batch], of (2) in docs/explanation/line_equations.md, or NULL  */
    double                     *state;    /* [batch][state size] while it is checked                              */
};

static bool is_line(const struct sw_bench_spec *spec) { return spec->problem->create == sw_line_create; }

static bool takes_crank_nicolson(const struct sw_bench_spec *spec)
{
    return is_line(spec) && sw_line_scheme(&spec->setup) == SW_CRANK_NICOLSON;
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column)
{
    const char **load_error = NULL;
    SW_TRY(sw_alloc((size_t)count, &load_error));
    enum sw_status st = sim->ops->load(sim, count, column, load_error);
    for (int j = 0; !st && j < count; j++)
        if (load_error[j]) st = SW_FAIL(SW_E_ARG, "run %d cannot be advanced: %s", j, load_error[j]);
    sw_free(load_error);
    return st;
}

static enum sw_status fill_coefficients(struct sim *l)
{
    const struct sw_bench_spec *spec = l->spec;
    const int64_t batch = spec->batch;
    if (!is_line(spec)) return SW_OK;
    SW_TRY(sw_alloc((size_t)batch, &l->s4));
    SW_TRY(sw_alloc((size_t)batch, &l->s2));
    for (int64_t j = 0; j < batch; j++) {
        const struct equation_model *m = equation_model_of(&spec->setup);
        const struct sw_line_run run = equation_run(m, &spec->setup, batch, spec->column, j, NULL);
        l->s4[j] = run.a[0].s4;
        l->s2[j] = run.a[0].s2;
    }
    return SW_OK;
}

static void sim_destroy(void *own)
{
    struct sim *l = own;
    if (!l) return;
    if (l->sim) l->sim->ops->destroy(l->sim);
    sw_free(l->s4);
    sw_free(l->s2);
    sw_free(l->state);
    sw_free(l);
}

/* Whether a row of fields solves exactly. */
static bool is_exact(const struct sw_bench_spec *spec, const struct sw_setup *setup)
{
    return spec->problem->create == fields_create && fields_are_exact(setup);
}

static enum sw_status sim_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                 void **own)
{
    struct sw_setup setup = spec->setup;
    struct sim *l = NULL;
    enum sw_status st;
    *own = NULL;
    SW_TRY(sw_alloc(1, &l));
    l->spec = spec;
    l->device = device;
    setup.solver = row;
    SW_TRY_TO(failed, st, spec->problem->create(&setup, device, &l->sim));
    l->exact = is_exact(spec, &setup);
    SW_TRY_TO(failed, st, load(l->sim, spec->batch, spec->column));
    SW_TRY_TO(failed, st, fill_coefficients(l));
    *own = l;
    return SW_OK;
failed:
    sim_destroy(l);
    return st;
}

static enum sw_status begin(struct sw_sim *sim, const struct sw_setup *setup, const struct sw_device *device, int count,
                            const double *column)
{
    bool *finite;
    SW_TRY(sw_alloc((size_t)count, &finite));
    enum sw_status st = sw_initial_begin(sim, setup, device->threads, count, column, finite);
    sw_free(finite);
    return st;
}

static enum sw_status sim_begin(void *own)
{
    const struct sim *l = own;
    return begin(l->sim, &l->spec->setup, l->device, l->spec->batch, l->spec->column);
}

static enum sw_status sim_advance(void *own, int64_t steps)
{
    struct sim *l = own;
    return l->sim->ops->advance(l->sim, 0, steps);
}

/* ------------------------------------------------------------------ what should be there */

static bool has_known_rounding(const struct sim *l)
{
    return takes_crank_nicolson(l->spec);
}

/* cos(2 pi m i/n), the argument reduced in integers. */
static double angle(int m, int i, int n) { return 2 * 3.14159265358979323846 * (double)((int64_t)m * i % n) / n; }

/* What a mode is multiplied by in so many Crank-Nicolson steps: (3) of docs/explanation/line_equations.md. */
static double damping(int m, int n, double s4, double s2, int64_t steps)
{
    double w = 2 - 2 * cos(angle(m, 1, n)), q = s4 * w * w + s2 * w;
    return pow((1 - q) / (1 + q), (double)steps);
}

/* Infinite where something is not finite, and where there is nothing to compare with. */
static double relative(double off, double size)
{
    double error = sqrt(off / size);
    return isfinite(error) ? error : INFINITY;
}

static double relative_error(size_t n, const double *u, const double *exact)
{
    double off = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        off += (u[i] - exact[i]) * (u[i] - exact[i]);
        size += exact[i] * exact[i];
    }
    return relative(off, size);
}

static double worst_of_modes(const struct sim *l, int64_t steps, const double *a, const double *b)
{
    int n = (int)l->spec->n, batch = l->spec->batch;
    double worst = 0;
#pragma omp parallel for reduction(max : worst)
    for (int j = 0; j < batch; j++) {
        const double *u = l->state + (size_t)j * (size_t)n;
        double s4 = l->s4[j], s2 = l->s2[j], off = 0, size = 0;
        double size_a = damping(BENCH_MODE_A, n, s4, s2, steps);
        double size_b = BENCH_MODE_B_SIZE * damping(BENCH_MODE_B, n, s4, s2, steps);
        for (int i = 0; i < n; i++) {
            double exact = size_a * a[i] + size_b * b[i];
            off += (u[i] - exact) * (u[i] - exact);
            size += exact * exact;
        }
        worst = fmax(worst, relative(off, size));
    }
    return worst;
}

static enum sw_status compare_with_modes(struct sim *l, int64_t steps, double *error)
{
    int n = (int)l->spec->n;
    double *mode = NULL;
    SW_TRY(sw_alloc(2 * (size_t)n, &mode));
    for (int i = 0; i < n; i++) {
        mode[i] = cos(angle(BENCH_MODE_A, i, n));
        mode[n + i] = sin(angle(BENCH_MODE_B, i, n));
    }
    *error = worst_of_modes(l, steps, mode, mode + n);
    sw_free(mode);
    return SW_OK;
}

enum { PICKS = 4 };

static int pick_runs(const struct sw_bench_spec *spec, int pick[PICKS])
{
    const int from[PICKS] = {0, spec->batch / 3, spec->batch / 2, spec->batch - 1};
    int count = 0;
    for (int k = 0; k < (spec->per_run ? PICKS : 1); k++)
        if (!count || from[k] > pick[count - 1]) pick[count++] = from[k];
    return count;
}

/* By how much of themselves numbers are changed to see what becomes of their rounding: far more than that of the
 * reference, and so little that the effect is proportional, of explicit fourth derivatives on a fine grid, too. Steps
 * of a run's own take other decisions, which is no proportional effect: the less of that the more they are changed. */
static double change_of(const struct sim *l) { return l->sim->ops->rounding ? 0x1p-40 : 0x1p-30; }

/* Change a state by that, up or down at random. @param state  room for all of it */
static enum sw_status change_state(struct sw_sim *sim, double change, int64_t step, size_t numbers, double *state)
{
    SW_TRY(sw_sim_get_state(sim, state));
    for (size_t i = 0; i < numbers; i++)
        state[i] *= bench_mix(bench_mix((uint64_t)step) + i) & 1 ? 1 - change : 1 + change;
    return sw_sim_set_state(sim, state);
}

enum disturbed { NEVER, AT_FIRST, BEFORE_EACH_STEP };

static enum sw_status advance_disturbed(struct sw_sim *sim, double change, int64_t steps, enum disturbed when,
                                        size_t numbers, double *state)
{
    if (when == NEVER) return sim->ops->advance(sim, 0, steps);
    SW_TRY(change_state(sim, change, 0, numbers, state));
    if (when == AT_FIRST) return sim->ops->advance(sim, 0, steps);
    for (int64_t step = 0; step < steps; step++) {
        if (step > 0) SW_TRY(change_state(sim, change, step, numbers, state));
        SW_TRY(sim->ops->advance(sim, step, step + 1));
    }
    return SW_OK;
}

/* The set-up of the whole grid, where it is cut over ranks. */
static struct sw_setup whole_setup(const struct sw_setup *part)
{
    struct sw_setup whole = *part;
    for (int k = 0; k < SW_DIMS; k++) whole.n[k] = sw_setup_whole(part, k);
    whole.domain = (struct sw_decomposition){.all = NULL};
    return whole;
}

/* Numbers of the state of a run, on the whole grid. */
static size_t whole_size(const struct sim *l)
{
    const struct sw_setup whole = whole_setup(&l->spec->setup);
    return sw_sim_state_size(l->sim) / (size_t)sw_points(l->spec->setup.n) * (size_t)sw_points(whole.n);
}

/* What the reference computes for the runs picked: [count][whole state size]. */
static enum sw_status compute_reference(const struct sim *l, int count, const int *pick, int64_t steps,
                                        enum disturbed when, double *state)
{
    const struct sw_bench_spec *spec = l->spec;
    struct sw_setup setup = whole_setup(&spec->setup);
    struct sw_device *cpu = NULL;
    struct sw_sim *sim = NULL;
    double *column = NULL;
    enum sw_status st;
    setup.solver = is_line(spec) ? "cpu.plain+cpu.thomas" : l->exact ? "cpu.fourier" : NULL;
    setup.capacity = count;
    setup.single_steps = false;
    setup.refined = true;
    SW_TRY_TO(done, st, sw_device_open("cpu", 0, &cpu));
    SW_TRY_TO(done, st, sw_alloc((size_t)setup.ncolumn * (size_t)count, &column));
    for (int k = 0; k < setup.ncolumn; k++)
        for (int j = 0; j < count; j++)
            column[k * count + j] = spec->column[(size_t)k * (size_t)spec->batch + (size_t)pick[j]];
    SW_TRY_TO(done, st, spec->problem->create(&setup, cpu, &sim));
    SW_TRY_TO(done, st, load(sim, count, column));
    SW_TRY_TO(done, st, begin(sim, &setup, cpu, count, column));
    SW_TRY_TO(done, st, advance_disturbed(sim, change_of(l), steps, when, (size_t)count * sw_sim_state_size(sim),
                                          state));
    SW_TRY_TO(done, st, sw_sim_get_state(sim, state));
done:
    if (sim) sim->ops->destroy(sim);
    sw_free(column);
    sw_device_close(&cpu);
    return st;
}

/* What becomes of errors, at most of the runs picked. */
struct growth {
    double once;   /* of one at first, both relative to the field; at least 1                       */
    double steps;  /* of one before each step                                                       */
    double peak;   /* the largest number of the field over its root mean square, at first or at the end */
};

static enum sw_status measure_one_growth(const struct sim *l, int count, const int *pick, int64_t steps,
                                         const double *exact, enum disturbed when, double *state, double *growth)
{
    const size_t size = whole_size(l);
    SW_TRY(compute_reference(l, count, pick, steps, when, state));
    for (int k = 0; k < count; k++) {
        const double error = relative_error(size, state + (size_t)k * size, exact + (size_t)k * size);
        *growth = fmax(*growth, error / change_of(l));
    }
    return SW_OK;
}

/* NaN for a field of zeros. */
static double peak_of(size_t n, const double *u)
{
    double largest = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(u[i]));
        square += u[i] * u[i];
    }
    return largest / sqrt(square / (double)n);
}

static enum sw_status measure_growth(const struct sim *l, int count, const int *pick, int64_t steps,
                                     const double *exact, struct growth *growth)
{
    const size_t size = whole_size(l);
    double *state = NULL;
    enum sw_status st;
    *growth = (struct growth){.once = 1};
    SW_TRY(sw_alloc((size_t)count * size, &state));
    SW_TRY_TO(done, st, measure_one_growth(l, count, pick, steps, exact, AT_FIRST, state, &growth->once));
    if (!l->sim->ops->rounding) goto done;  /* the rest is nowhere used */
    SW_TRY_TO(done, st, measure_one_growth(l, count, pick, steps, exact, BEFORE_EACH_STEP, state, &growth->steps));
    SW_TRY_TO(done, st, compute_reference(l, count, pick, 0, NEVER, state));
    for (int k = 0; k < count; k++)
        growth->peak = fmax(growth->peak, fmax(peak_of(size, state + (size_t)k * size),
                                               peak_of(size, exact + (size_t)k * size)));
done:
    sw_free(state);
    return st;
}

static enum sw_status check_finite(size_t n, const double *exact, int64_t steps)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(exact[i]))
            return SW_FAIL(SW_E_ARG, "nothing to compare with: the reference is not finite after %lld steps, either; "
                           "a smaller dt or fewer steps are needed", (long long)steps);
    return SW_OK;
}

static enum sw_status compute_exact(const struct sim *l, int count, const int *pick, int64_t steps, double *exact,
                                    struct growth *growth)
{
    const size_t numbers = (size_t)count * whole_size(l);
    SW_TRY(compute_reference(l, count, pick, steps, NEVER, exact));
    SW_TRY(check_finite(numbers, exact, steps));
    return has_known_rounding(l) ? SW_OK : measure_growth(l, count, pick, steps, exact, growth);
}

/* The first rank computes for all, and each keeps its part. @param exact  [count][whole size] in, [count][size] out */
static enum sw_status share_exact(const struct sim *l, int count, const int *pick, int64_t steps, double *exact,
                                  struct growth *growth)
{
    const struct sw_comm *comm = l->spec->setup.domain.all;
    const size_t numbers = (size_t)count * sw_sim_state_size(l->sim);
    double number[] = {1, 0, 0};
    if (!comm) return compute_exact(l, count, pick, steps, exact, growth);
    SW_TRY(sw_comm_agree(comm, comm->rank ? SW_OK : compute_exact(l, count, pick, steps, exact, growth)));
    SW_TRY(sw_comm_broadcast(comm, 0, (size_t)count * whole_size(l), exact));
    if (!comm->rank) memcpy(number, (double[]){growth->once, growth->steps, growth->peak}, sizeof number);
    SW_TRY(sw_comm_broadcast(comm, 0, 3, number));
    *growth = (struct growth){number[0], number[1], number[2]};
    for (size_t i = 0; i < numbers; i++) exact[i] = exact[bench_place_in_whole(&l->spec->setup, i)];
    return SW_OK;
}

/* @param growth  out, where the rounding is not known without */
static enum sw_status compare_with_reference(struct sim *l, int64_t steps, double *error, struct growth *growth)
{
    const size_t size = sw_sim_state_size(l->sim);
    int pick[PICKS], count = pick_runs(l->spec, pick);
    double *exact = NULL, worst = 0;
    SW_TRY(bench_agree(l->spec, sw_alloc((size_t)count * whole_size(l), &exact)));
    enum sw_status st = share_exact(l, count, pick, steps, exact, growth);
    int compared = l->spec->per_run ? count : l->spec->batch;
    for (int k = 0; !st && k < compared; k++) {
        size_t run = l->spec->per_run ? (size_t)pick[k] : (size_t)k, of = l->spec->per_run ? (size_t)k : 0;
        double e = relative_error(size, l->state + run * size, exact + of * size);
        if (e > worst) worst = e;
    }
    *error = worst;
    sw_free(exact);
    return st;
}

/* Whether the modes keep their shape and are at rest at x = 0. */
static bool has_known_modes(const struct sw_bench_spec *spec)
{
    const struct equation_model *m = spec->setup.prepared;
    return takes_crank_nicolson(spec) && !m->g[0] && !m->n[0] && !sw_setup_find(&spec->setup, "forcing") &&
           bench_has_function(spec, "initial", BENCH_MODES) && bench_value(spec, "grid.x0", 0) == 0 &&
           !sw_setup_chosen(&spec->setup, "order", "4");
}

/* Rounding of so many steps; more than a tenth would be no answer.
 *
 * Crank-Nicolson, of an operator that is known: solves by the published method, which loses most
 * (docs/explanation/banded_solvers.md), with room for the sums. In single precision all rows are of the recursive form:
 * their bound (docs/explanation/recursive_form.md), twice for Crank-Nicolson, and as much for what is solved for.
 *
 * Other lines: the solves of each step are off by what the row claims (sw_stepper_step_rounding(): 10 u (1 + sqrt(s2) +
 * sqrt(s4)) of the largest number in the recursive form, u times the condition of A by a band solver), and that grows
 * as a change of the initial values does. The explicit part is off as if each number that it sees were rounded a few
 * times: as the reference is that was changed before each step, by OPERATIONS u in place of that change.
 *
 * Of other problems the rounding is not bounded: a thousand times that of a sum in each step, and as the equation lets
 * it grow. */
static double bound_of(const struct sim *l, int64_t steps, const struct growth *growth)
{
    enum { OPERATIONS = 64 };
    const bool single = l->spec->setup.single_steps;
    const double unit = single ? 0x1p-24 : 0x1p-53, times = 4 * (double)steps + 64;
    double bound = times * 1000 * growth->once * unit;
    if (has_known_rounding(l)) {
        const int j = l->spec->per_run ? l->spec->batch - 1 : 0;
        const struct sw_line_operator a = {.s4 = l->s4[j], .s2 = l->s2[j]};
        bound = times * (single ? sw_line_rounding(&a, true) : unit * (1 + 4 * a.s2 + 16 * a.s4));
    } else if (l->sim->ops->rounding) {
        const double solves = (double)steps * l->sim->ops->rounding(l->sim);
        bound = growth->once * growth->peak * solves + OPERATIONS * unit * growth->steps;
    }
    return fmin(0.1, bound);
}

static enum sw_status sim_check(void *own, int64_t steps, double *error, double *bound)
{
    struct sim *l = own;
    SW_TRY(sw_alloc((size_t)l->spec->batch * sw_sim_state_size(l->sim), &l->state));
    enum sw_status st = sw_sim_get_state(l->sim, l->state);
    struct growth growth = {.once = 1};
    const bool known = has_known_modes(l->spec);
    if (!st) st = known ? compare_with_modes(l, steps, error) : compare_with_reference(l, steps, error, &growth);
    *bound = bound_of(l, steps, &growth);
    sw_free(l->state);  /* may be large */
    l->state = NULL;
    return st;
}

static struct sw_cost sim_cost(void *own, int64_t steps)
{
    const struct sim *l = own;
    return l->sim->ops->cost ? l->sim->ops->cost(l->sim, steps) : (struct sw_cost){NAN, NAN};
}

/* ------------------------------------------------------------------ rows */

static void list_line_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_band_desc shape = {.n = (int)spec->n, .batch = spec->batch, .lower = 2, .upper = 2,
                                       .periodic = true, .symmetric = true, .uniform = !spec->per_run};
    const bool single = spec->setup.single_steps;
    const struct sw_stepper_desc lines = {.n = (int)spec->n, .capacity = spec->batch, .single_steps = single};
    for (int k = 0; sw_stepper_table[k]; k++) {
        const struct sw_stepper_ops *o = sw_stepper_table[k];
        if (o->absent || (single && !o->fits(&lines, 0))) continue;
        if (o->takes_band) bench_rows_add_bands(rows, o->name, o->space, &shape);
        else bench_rows_add(rows, o->name, "", o->space);
    }
}

/* Of a problem that has other rows: by the names that its configs may have, with their places. */
static void sim_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const char *name;
    if (is_line(spec)) { list_line_rows(spec, rows); return; }
    for (int k = 0; spec->problem->solver && (name = spec->problem->solver(k)); k++)
        if (!strncmp(name, "cpu.", 4)) bench_rows_add(rows, name, "", SW_HOST);
        else if (!strncmp(name, "cuda.", 5)) bench_rows_add(rows, name, "", SW_DEVICE);
}

static enum sw_status sim_validate(const struct sw_bench_spec *spec)
{
    if (spec->problem->time) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "runs of %s have no time steps to be timed", spec->problem->name);
}

const struct bench_work bench_sim = {
    .terms = {"pt*step/s", "least s/step", "point and step"},
    .steps = 250,
    .validate = sim_validate,
    .list_rows = sim_list_rows,
    .create = sim_create,
    .begin = sim_begin,
    .advance = sim_advance,
    .check = sim_check,
    .cost = sim_cost,
    .destroy = sim_destroy,
};
