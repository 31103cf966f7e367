/* Steps of a problem on the line equation.
 *
 * What should be there: without G and S, the discrete exact solution (docs/numerics.md, 3), of every run; else what the
 * reference row computes for a few of the runs. Where all runs are alike, all are compared with one. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "problem/line/sw_stepper_impl.h"

static const char reference_row[] = "cpu.plain+cpu.thomas";

struct lines {
    const struct sw_bench_spec *spec;
    struct sw_device           *device;
    struct bench_setup          setup;
    struct sw_sim              *sim;
    double                     *u;      /* [batch][n], made by the first check */
};

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

static void lines_destroy(void *own)
{
    struct lines *l = own;
    if (!l) return;
    if (l->sim) l->sim->ops->destroy(l->sim);
    bench_setup_free(&l->setup);
    sw_free(l->u);
    sw_free(l);
}

static enum sw_status lines_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                   void **own)
{
    struct lines *l = NULL;
    enum sw_status st;
    *own = NULL;
    SW_TRY(sw_alloc(1, &l));
    l->spec = spec;
    l->device = device;
    SW_TRY_TO(failed, st, bench_setup_make(spec, &l->setup));
    l->setup.setup.solver = row;
    SW_TRY_TO(failed, st, spec->problem->create(spec->problem, &l->setup.setup, device, &l->sim));
    SW_TRY_TO(failed, st, load(l->sim, spec->batch, l->setup.column));
    *own = l;
    return SW_OK;
failed:
    lines_destroy(l);
    return st;
}

static enum sw_status lines_begin(void *own)
{
    struct lines *l = own;
    return sw_sim_initial(l->sim);
}

static enum sw_status lines_advance(void *own, int64_t steps)
{
    struct lines *l = own;
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

static double relative_error(int n, const double *u, const double *exact)
{
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off += (u[i] - exact[i]) * (u[i] - exact[i]);
        size += exact[i] * exact[i];
    }
    return relative(off, size);
}

static double worst_of_modes(const struct lines *l, int64_t steps, const double *a, const double *b)
{
    int n = (int)l->spec->n, batch = l->spec->batch;
    double worst = 0;
#pragma omp parallel for reduction(max : worst)
    for (int j = 0; j < batch; j++) {
        const double *u = l->u + (size_t)j * (size_t)n;
        double s4, s2, off = 0, size = 0;
        bench_setup_matrix(&l->setup, j, &s4, &s2);
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

static enum sw_status compare_with_modes(struct lines *l, int64_t steps, double *error)
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

/* What the reference computes for the runs picked: u [count][n]. */
static enum sw_status compute_reference(const struct lines *l, int count, const int *pick, int64_t steps, double *u)
{
    struct sw_setup setup = l->setup.setup;
    struct sw_device *cpu = NULL;
    struct sw_sim *sim = NULL;
    double *column = NULL;
    enum sw_status st;
    setup.solver = reference_row;
    setup.capacity = count;
    setup.single_steps = false;
    SW_TRY_TO(done, st, sw_device_open("cpu", 0, &cpu));
    SW_TRY_TO(done, st, sw_alloc((size_t)setup.ncolumn * (size_t)count, &column));
    for (int k = 0; k < setup.ncolumn; k++)
        for (int j = 0; j < count; j++)
            column[k * count + j] = l->setup.column[(size_t)k * (size_t)l->spec->batch + (size_t)pick[j]];
    SW_TRY_TO(done, st, l->spec->problem->create(l->spec->problem, &setup, cpu, &sim));
    SW_TRY_TO(done, st, load(sim, count, column));
    SW_TRY_TO(done, st, sw_sim_initial(sim));
    SW_TRY_TO(done, st, sim->ops->advance(sim, 0, steps));
    SW_TRY_TO(done, st, sw_sim_get_state(sim, u));
done:
    if (sim) sim->ops->destroy(sim);
    sw_free(column);
    sw_device_close(&cpu);
    return st;
}

static enum sw_status compare_with_reference(struct lines *l, int64_t steps, double *error)
{
    int pick[PICKS], count = pick_runs(l->spec, pick), n = (int)l->spec->n;
    double *exact = NULL, worst = 0;
    SW_TRY(sw_alloc((size_t)count * (size_t)n, &exact));
    enum sw_status st = compute_reference(l, count, pick, steps, exact);
    int compared = l->spec->per_run ? count : l->spec->batch;
    for (int k = 0; !st && k < compared; k++) {
        size_t run = l->spec->per_run ? (size_t)pick[k] : (size_t)k, of = l->spec->per_run ? (size_t)k : 0;
        double e = relative_error(n, l->u + run * (size_t)n, exact + of * (size_t)n);
        if (e > worst) worst = e;
    }
    *error = worst;
    sw_free(exact);
    return st;
}

/* Rounding of so many solves by the published method, which loses most (numerics.md, 2), with room for the sums; more
 * than a tenth would be no answer. Rows that round less have errors far below. In single precision all rows are of the
 * recursive form: their bound (numerics.md, 2a), twice for Crank-Nicolson, and as much for what is solved for. */
static double bound_of(const struct lines *l, int64_t steps)
{
    double s4, s2;
    bench_setup_matrix(&l->setup, l->spec->per_run ? l->spec->batch - 1 : 0, &s4, &s2);
    if (l->spec->single) return fmin(0.1, (4 * (double)steps + 64) * sw_line_rounding(s4, s2, true));
    return fmin(0.1, (4 * (double)steps + 64) * 0x1p-53 * (1 + 4 * s2 + 16 * s4));
}

static enum sw_status lines_check(void *own, int64_t steps, double *error, double *bound)
{
    struct lines *l = own;
    if (!l->u) SW_TRY(sw_alloc((size_t)l->spec->batch * (size_t)l->spec->n, &l->u));
    SW_TRY(sw_sim_get_state(l->sim, l->u));
    *bound = bound_of(l, steps);
    bool modes = l->setup.kind->modes && !l->spec->forced;
    enum sw_status st = modes ? compare_with_modes(l, steps, error) : compare_with_reference(l, steps, error);
    sw_free(l->u);  /* may be large */
    l->u = NULL;
    return st;
}

static struct sw_cost lines_cost(void *own, int64_t steps)
{
    struct lines *l = own;
    return l->sim->ops->cost(l->sim, steps);
}

static void lines_know(const struct sw_bench_spec *spec, struct bench_known *known)
{
    const struct sw_band_desc shape = {.n = (int)spec->n, .batch = spec->batch, .lower = 2, .upper = 2,
                                       .periodic = true, .symmetric = true, .uniform = !spec->per_run};
    const struct sw_stepper_desc lines = {.n = spec->n, .capacity = spec->batch, .single_steps = spec->single};
    for (int k = 0; sw_stepper_table[k]; k++) {
        const struct sw_stepper_ops *o = sw_stepper_table[k];
        if (o->absent || (spec->single && !o->fits(&lines, 0))) continue;
        if (o->takes_band) bench_know_bands(known, o->name, o->space, &shape);
        else bench_know(known, o->name, "", o->space);
    }
}

const struct bench_work bench_lines = {
    .terms = {"pt*step/s", "least s/step", "point and step"},
    .words = BENCH_LINES,
    .n = 512,
    .batch = 8192,
    .steps = 250,
    .least = 3,
    .most = 1 << 30,
    .know = lines_know,
    .create = lines_create,
    .begin = lines_begin,
    .advance = lines_advance,
    .check = lines_check,
    .cost = lines_cost,
    .destroy = lines_destroy,
};
