#include "problem/line/kinds/line_family.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/kinds/line_samples.h"
#include "problem/line/stepper/line_sim.h"

#define QUANTITY(id, name, unit, long_name, term, value) [id] = {name, unit, long_name},
const struct sw_quantity sw_line_scalars[] = {
    SW_LINE_SCALAR_TABLE(QUANTITY, QUANTITY, QUANTITY, QUANTITY, QUANTITY)
    [SW_LINE_SCALARS] = {0},
};

/* ------------------------------------------------------------------ the expressions of a kind */

struct programs {
    struct sw_program *a4, *a2, *g, *energy;
    struct sw_program *own_s;          /* NULL where s is the user's forcing */
    const struct sw_program *s;
};

static void free_programs(struct programs *p)
{
    sw_program_destroy(&p->a4);
    sw_program_destroy(&p->a2);
    sw_program_destroy(&p->g);
    sw_program_destroy(&p->energy);
    sw_program_destroy(&p->own_s);
}

static enum sw_status compile_programs(const struct sw_problem *problem, const struct sw_setup *setup,
                                       struct programs *p)
{
    const struct sw_line_kind *kind = problem->model;
    enum sw_status st;
    SW_TRY_TO(failed, st, sw_line_expression(problem, setup, kind->a4, 0, &p->a4));
    SW_TRY_TO(failed, st, sw_line_expression(problem, setup, kind->a2, 0, &p->a2));
    SW_TRY_TO(failed, st, sw_line_expression(problem, setup, kind->g, SW_LINE_SEES_U, &p->g));
    SW_TRY_TO(failed, st, sw_line_expression(problem, setup, kind->energy,
                                             SW_LINE_SEES_U | SW_LINE_SEES_X | SW_LINE_SEES_DERIVATIVES, &p->energy));
    SW_TRY_TO(failed, st, sw_line_source(problem, setup, &p->own_s, &p->s));
    return SW_OK;
failed:
    free_programs(p);
    return st;
}

static enum sw_status describe(const struct sw_problem *problem, const struct sw_setup *setup, const struct programs *p,
                               struct sw_stepper_desc *desc)
{
    if (setup->n[0] > INT_MAX)
        return SW_FAIL(SW_E_ARG, "grid.n = %lld: at most %d points are possible", (long long)setup->n[0], INT_MAX);
    *desc = (struct sw_stepper_desc){
        .n = (int)setup->n[0],
        .capacity = setup->capacity,
        .single = setup->single,
        .single_steps = setup->single_steps,
        .refined = setup->refined,
        .uniform = setup->uniform,
        .model = {.scheme = sw_line_scheme(problem, setup),
                  .nparam = setup->ncolumn,
                  .initial = {sw_setup_function(setup, "initial")},
                  .g = {p->g},
                  .s = {p->s},
                  .end = {{sw_line_end_of(setup, 0, 0)}, {sw_line_end_of(setup, 1, 0)}},
                  .mass = {sw_line_mass_of(problem, setup)},
                  .energy = p->energy},
    };
    sw_line_own_steps(setup, desc);
    return SW_OK;
}

/* ------------------------------------------------------------------ a batch being simulated */

struct family {                   /* of a sim: what its stepper's model is made of, and of its runs */
    struct sw_setup setup;
    struct method   { enum sw_scheme scheme; bool fourth; struct sw_line_mass mass; } method;
    struct programs programs;
    double         *a4, *a2;      /* [capacity] */
};

static struct method method_of(const struct sw_problem *problem, const struct sw_setup *setup)
{
    return (struct method){sw_line_scheme(problem, setup), sw_line_is_fourth(setup), sw_line_mass_of(problem, setup)};
}

/* numerics.md, 1 and 13: s4 = theta dt a4/dx⁴, s2 = theta dt a2/dx². */
static struct sw_line_run run_of(const struct method *method, struct sw_grid g, double a4, double a2)
{
    double theta = sw_scheme_weight(method->scheme), dx2 = g.dx[0] * g.dx[0];
    struct sw_line_run run = {.dt = g.dt, .dx = g.dx[0], .x0 = g.x0[0],
                              .a[0] = {.s4 = theta * g.dt * a4 / (dx2 * dx2), .s2 = theta * g.dt * a2 / dx2}};
    if (method->fourth) run.a[0] = sw_line_fourth_order(&run.a[0], &method->mass);
    return run;
}

static enum sw_status fill(void *own, int count, const double *column, struct sw_line_run *run, const double **param)
{
    struct family *f = own;
    if (f->programs.a4) SW_TRY(sw_program_over_runs(f->programs.a4, count, column, count, f->a4));
    if (f->programs.a2) SW_TRY(sw_program_over_runs(f->programs.a2, count, column, count, f->a2));
    for (int j = 0; j < count; j++)
        run[j] = run_of(&f->method, sw_setup_grid(&f->setup, count, column, j), f->a4[j], f->a2[j]);
    *param = column;
    return SW_OK;
}

static void destroy(void *own)
{
    struct family *f = own;
    if (!f) return;
    free_programs(&f->programs);
    sw_free(f->a4);
    sw_free(f->a2);
    sw_free(f);
}

static const struct sw_line_model_ops family_ops = {.fill = fill, .destroy = destroy};

enum sw_status sw_line_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                              struct sw_sim **sim)
{
    enum sw_status st;
    struct sw_stepper_desc desc;
    struct family *f = NULL;
    size_t room = (size_t)setup->capacity;

    *sim = NULL;
    SW_TRY(sw_alloc(1, &f));
    f->method = method_of(problem, setup);
    f->setup = *setup;
    SW_TRY_TO(failed, st, compile_programs(problem, setup, &f->programs));
    SW_TRY_TO(failed, st, describe(problem, setup, &f->programs, &desc));
    SW_TRY_TO(failed, st, sw_alloc(room, &f->a4));
    SW_TRY_TO(failed, st, sw_alloc(room, &f->a2));
    return sw_line_sim_create(&desc, setup, device, &family_ops, f, sim);
failed:
    destroy(f);
    return st;
}

/* ------------------------------------------------------------------ before a batch is made */

enum sw_status sw_line_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                             const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    struct programs p = {0};
    struct sw_stepper_desc desc;
    SW_TRY(compile_programs(problem, setup, &p));
    enum sw_status st = describe(problem, setup, &p, &desc);
    if (!st) st = sw_stepper_bytes(&desc, setup->solver, device, fixed, per_run);
    free_programs(&p);
    return st;
}

enum sw_status sw_line_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm)
{
    struct programs p = {0};
    struct sw_stepper_desc desc;
    SW_TRY(compile_programs(problem, setup, &p));
    enum sw_status st = describe(problem, setup, &p, &desc);
    if (!st) st = sw_stepper_try_compile(&desc, setup->solver, sm);
    free_programs(&p);
    return st;
}

enum sw_status sw_line_name_first_rhs(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                      const double *column, int64_t j, char text[200])
{
    const struct method method = method_of(problem, setup);
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    struct programs p = {0};
    struct sw_stepper_desc desc;
    double *param = NULL;
    text[0] = 0;
    SW_TRY(compile_programs(problem, setup, &p));
    enum sw_status st = describe(problem, &one, &p, &desc);
    if (!st) st = sw_alloc((size_t)setup->ncolumn, &param);
    for (int k = 0; k < setup->ncolumn && !st; k++) param[k] = column[k * ld + j];
    const struct sw_line_run run = run_of(&method, sw_setup_grid(&one, ld, column, j), 0, 0);  /* no L in it */
    if (!st) st = sw_line_name_rhs(&desc, &run, param, &one, ld, column, j, text);
    free_programs(&p);
    sw_free(param);
    return st;
}

static int find_imprecise(const struct method *method, const struct sw_setup *setup, const char *const *solver,
                          int count, int ld, const double *column, const double *a4, const double *a2, char why[160])
{
    struct sw_setup at = *setup;
    at.n[1] = at.n[2] = 1;
    at.walls[0] = sw_line_has_ends(setup);
    const double *n = column + (size_t)sw_setup_column(setup, "grid.n") * (size_t)ld;
    if (sw_setup_own_steps(setup)) return -1;  /* which are as small as precision needs them */
    for (int j = 0; j < count; j++) {
        if (!(n[j] >= 1.0 && n[j] <= 1e9)) continue;  /* refused by its key */
        at.n[0] = (int64_t)n[j];
        const struct sw_line_run r = run_of(method, sw_setup_grid(&at, ld, column, j), a4[j], a2[j]);
        const struct sw_line_operator a = sw_line_matrix_of(&r.a[0], &method->mass);
        double off = sw_stepper_rounding(solver[j], &a, setup->single_steps);
        if (off <= SW_LINE_MAX_ROUNDING) continue;
        if (!isfinite(off)) {
            snprintf(why, 160, "a step's coefficients are beyond all numbers: s4 = %.3g, s2 = %.3g with dx = %.3g",
                     a.s4, a.s2, r.dx);
            return j;
        }
        char much[32];  /* with as many digits as make it more than the limit */
        for (int digits = 2; digits <= 17; digits++) {
            snprintf(much, sizeof much, "%.*g", digits, off);
            if (strtod(much, NULL) > SW_LINE_MAX_ROUNDING) break;
        }
        snprintf(why, 160, "rounding could change the field by %s of itself in a step, more than %g "
                 "(s4 = %.3g, s2 = %.3g)", much, SW_LINE_MAX_ROUNDING, a.s4, a.s2);
        return j;
    }
    return -1;
}

enum sw_status sw_line_check_precision(const struct sw_problem *problem, const struct sw_setup *setup,
                                       const char *const *solver, int count, int ld, const double *column, int *first,
                                       const char **key, char why[160])
{
    const struct sw_line_kind *kind = problem->model;
    struct programs p = {0};
    double *a4 = NULL, *a2 = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &a4));
    SW_TRY_TO(done, st, sw_alloc((size_t)count, &a2));
    SW_TRY_TO(done, st, sw_line_expression(problem, setup, kind->a4, 0, &p.a4));
    SW_TRY_TO(done, st, sw_line_expression(problem, setup, kind->a2, 0, &p.a2));
    if (p.a4) SW_TRY_TO(done, st, sw_program_over_runs(p.a4, count, column, ld, a4));
    if (p.a2) SW_TRY_TO(done, st, sw_program_over_runs(p.a2, count, column, ld, a2));
    const struct method method = method_of(problem, setup);
    *first = find_imprecise(&method, setup, solver, count, ld, column, a4, a2, why);
    if (*first < 0) goto done;
    *key = setup->single_steps ? "run.precision" : sw_stepper_takes_band(solver[*first]) ? "stepper" : "time.dt";
done:
    free_programs(&p);
    sw_free(a4);
    sw_free(a2);
    return st;
}

const char *sw_line_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                 char why[160])
{
    const bool ends = sw_line_has_ends(setup);
    const int order = sw_setup_column(setup, "order");  /* a number of heat, a word of the others */
    (void)solver;
    const char *key = sw_line_validate_own_steps(setup, why);
    if (!key) key = sw_initial_validate(setup, ends, ld, column, j, why);
    if (!key && ends && order >= 0 && column[(size_t)order * (size_t)ld + (size_t)j] != 2) {
        snprintf(why, 160, "lines that end are of second order in space: set it to 2, or boundary to \"periodic\"");
        key = "order";
    }
    return key || !ends ? key : sw_line_check_ends(setup, ~0U, why);
}

enum sw_status sw_line_describe(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_text *text)
{
    const struct sw_line_kind *kind = problem->model;
    sw_line_describe_ends(setup, kind->highest > 2 ? ~0U : 0, text);
    return SW_OK;
}

/* The steppers; and the band solvers, of which sw_stepper.c says how they are named. */
const char *sw_line_solver(int k)
{
    int steppers = 0;
    while (sw_stepper_row(steppers)) steppers++;
    return k < steppers ? sw_stepper_row(k) : sw_band_row(k - steppers);
}

void sw_line_warn_setup(const struct sw_problem *problem, const struct sw_setup *setup, char text[200])
{
    const struct sw_line_kind *kind = problem->model;
    const struct sw_program *s = sw_setup_function(setup, "forcing");
    text[0] = 0;
    if (sw_line_scheme(problem, setup) != SW_CRANK_NICOLSON) return;
    if (kind->g || kind->source)
        snprintf(text, 200,
                 "method = \"crank_nicolson\": the explicit terms are of first order in time all the same");
    else if (s && sw_program_uses(s, "u"))
        snprintf(text, 200, "forcing depends on u: first order in time");
}
