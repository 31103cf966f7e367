/* Runs of a problem with time.
 *
 * What should be there: of a linear problem whose initial field is two modes, without a force, the discrete exact
 * solution (docs/numerics.md, 3), of every run; else what a row of the CPU computes for a few of the runs. Where all
 * runs are alike, all are compared with one. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "problem/initial_file.h"
#include "problem/line/line_family.h"
#include "problem/line/sw_stepper_impl.h"

struct sim {
    const struct sw_bench_spec *spec;
    struct sw_device           *device;
    struct sw_sim              *sim;
    double                     *s4, *s2;  /* [batch] of the line equation (docs/numerics.md, 1); NULL: another one */
    double                     *state;    /* [batch][state size] while it is checked                              */
};

static bool is_line(const struct sw_bench_spec *spec) { return spec->problem->create == sw_line_create; }
static bool has_line_rows(const struct sw_bench_spec *spec) { return spec->problem->solver == sw_line_solver; }
static const struct sw_line_kind *line_kind(const struct sw_bench_spec *spec) { return spec->problem->model; }

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

/* factor/dx^power times a coefficient of the equation, of every run. */
static enum sw_status fill_coefficient(const struct sw_bench_spec *spec, const char *text, int power, double *out)
{
    const double theta = sw_line_scheme(spec->problem, &spec->setup) == SW_CRANK_NICOLSON ? 0.5 : 1.0;
    struct sw_program *program = NULL;
    if (!text) return SW_OK;  /* the array is of zeros */
    SW_TRY(sw_line_expression(spec->problem, &spec->setup, text, 0, &program));
    enum sw_status st = sw_program_over_runs(program, spec->batch, spec->column, spec->batch, out);
    for (int j = 0; j < spec->batch && !st; j++) {
        const struct sw_grid g = sw_setup_grid(&spec->setup, spec->batch, spec->column, j);
        const double dx2 = g.dx[0] * g.dx[0];
        out[j] *= theta * g.dt / (power == 4 ? dx2 * dx2 : dx2);
    }
    sw_program_destroy(&program);
    return st;
}

static enum sw_status fill_coefficients(struct sim *l)
{
    if (!is_line(l->spec)) return SW_OK;
    SW_TRY(sw_alloc((size_t)l->spec->batch, &l->s4));
    SW_TRY(sw_alloc((size_t)l->spec->batch, &l->s2));
    SW_TRY(fill_coefficient(l->spec, line_kind(l->spec)->a4, 4, l->s4));
    return fill_coefficient(l->spec, line_kind(l->spec)->a2, 2, l->s2);
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
    SW_TRY_TO(failed, st, spec->problem->create(spec->problem, &setup, device, &l->sim));
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

/* cos(2 pi m i/n), the argument reduced in integers. */
static double angle(int m, int i, int n) { return 2 * 3.14159265358979323846 * (double)((int64_t)m * i % n) / n; }

/* What a mode is multiplied by in so many Crank-Nicolson steps: numerics.md (3). */
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

/* Change what a batch begins with by CHANGE of itself, up and down in turn. @param state  room for all of it */
#define CHANGE 0x1p-30
static enum sw_status change_state(struct sw_sim *sim, size_t numbers, double *state)
{
    SW_TRY(sw_sim_get_state(sim, state));
    for (size_t i = 0; i < numbers; i++) state[i] *= i % 3 == 1 ? 1 - CHANGE : 1 + CHANGE;
    return sw_sim_set_state(sim, state);
}

/* What the reference computes for the runs picked: [count][state size].
 * @param changed  from initial values that are changed a little */
static enum sw_status compute_reference(const struct sim *l, int count, const int *pick, int64_t steps, bool changed,
                                        double *state)
{
    const struct sw_bench_spec *spec = l->spec;
    struct sw_setup setup = spec->setup;
    struct sw_device *cpu = NULL;
    struct sw_sim *sim = NULL;
    double *column = NULL;
    enum sw_status st;
    setup.solver = has_line_rows(spec) ? "cpu.plain+cpu.thomas" : NULL;
    setup.capacity = count;
    setup.single_steps = false;
    SW_TRY_TO(done, st, sw_device_open("cpu", 0, &cpu));
    SW_TRY_TO(done, st, sw_alloc((size_t)setup.ncolumn * (size_t)count, &column));
    for (int k = 0; k < setup.ncolumn; k++)
        for (int j = 0; j < count; j++)
            column[k * count + j] = spec->column[(size_t)k * (size_t)spec->batch + (size_t)pick[j]];
    SW_TRY_TO(done, st, spec->problem->create(spec->problem, &setup, cpu, &sim));
    SW_TRY_TO(done, st, load(sim, count, column));
    SW_TRY_TO(done, st, begin(sim, &setup, cpu, count, column));
    if (changed) SW_TRY_TO(done, st, change_state(sim, (size_t)count * sw_sim_state_size(sim), state));
    SW_TRY_TO(done, st, sim->ops->advance(sim, 0, steps));
    SW_TRY_TO(done, st, sw_sim_get_state(sim, state));
done:
    if (sim) sim->ops->destroy(sim);
    sw_free(column);
    sw_device_close(&cpu);
    return st;
}

/* By how much the equation makes small changes of its initial values larger, at most and at least by 1: as it does
 * errors of rounding. */
static enum sw_status measure_growth(const struct sim *l, int count, const int *pick, int64_t steps,
                                     const double *exact, double *growth)
{
    const size_t size = sw_sim_state_size(l->sim);
    double *changed = NULL;
    SW_TRY(sw_alloc((size_t)count * size, &changed));
    enum sw_status st = compute_reference(l, count, pick, steps, true, changed);
    for (int k = 0; !st && k < count; k++)
        *growth = fmax(*growth, relative_error(size, changed + (size_t)k * size, exact + (size_t)k * size) / CHANGE);
    sw_free(changed);
    return st;
}

/* @param growth  in: 1; out: of rounding, where it has no bound of its own */
static enum sw_status compare_with_reference(struct sim *l, int64_t steps, double *error, double *growth)
{
    const size_t size = sw_sim_state_size(l->sim);
    int pick[PICKS], count = pick_runs(l->spec, pick);
    double *exact = NULL, worst = 0;
    SW_TRY(sw_alloc((size_t)count * size, &exact));
    enum sw_status st = compute_reference(l, count, pick, steps, false, exact);
    if (!st && !l->s4) st = measure_growth(l, count, pick, steps, exact, growth);
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
    return is_line(spec) && line_kind(spec)->scheme == SW_CRANK_NICOLSON && !line_kind(spec)->g &&
           !line_kind(spec)->source && !sw_setup_find(&spec->setup, "forcing") &&
           bench_has_function(spec, "initial", BENCH_MODES) && bench_value(spec, "grid.x0", 0) == 0 &&
           !sw_setup_chosen(&spec->setup, "order", "4");
}

/* Rounding of so many solves by the published method, which loses most (numerics.md, 2), with room for the sums; more
 * than a tenth would be no answer. Rows that round less have errors far below. In single precision all rows are of the
 * recursive form: their bound (numerics.md, 2a), twice for Crank-Nicolson, and as much for what is solved for. Of other
 * problems the rounding is not bounded: a thousand times that of a sum in each step, and as the equation lets it grow.
 */
static double bound_of(const struct sim *l, int64_t steps, double growth)
{
    const bool single = l->spec->setup.single_steps;
    const int j = l->spec->per_run ? l->spec->batch - 1 : 0;
    const double times = 4 * (double)steps + 64;
    if (!l->s4) return fmin(0.1, times * 1000 * growth * (single ? 0x1p-24 : 0x1p-53));
    const struct sw_line_operator a = {.s4 = l->s4[j], .s2 = l->s2[j]};
    if (single) return fmin(0.1, times * sw_line_rounding(&a, true));
    return fmin(0.1, times * 0x1p-53 * (1 + 4 * l->s2[j] + 16 * l->s4[j]));
}

static enum sw_status sim_check(void *own, int64_t steps, double *error, double *bound)
{
    struct sim *l = own;
    SW_TRY(sw_alloc((size_t)l->spec->batch * sw_sim_state_size(l->sim), &l->state));
    enum sw_status st = sw_sim_get_state(l->sim, l->state);
    double growth = 1;
    const bool known = has_known_modes(l->spec);
    if (!st) st = known ? compare_with_modes(l, steps, error) : compare_with_reference(l, steps, error, &growth);
    *bound = bound_of(l, steps, growth);
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
    if (has_line_rows(spec)) { list_line_rows(spec, rows); return; }
    for (int k = 0; spec->problem->solver && (name = spec->problem->solver(k)); k++)
        if (!strncmp(name, "cpu.", 4)) bench_rows_add(rows, name, "", SW_HOST);
        else if (!strncmp(name, "cuda.", 5)) bench_rows_add(rows, name, "", SW_DEVICE);
}

static enum sw_status sim_validate(const struct sw_bench_spec *spec)
{
    if (spec->problem->timed) return SW_OK;
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
