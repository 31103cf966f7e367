/* A batch of runs of the equations of a config: their model, advanced by a stepper of lines. */
#include <limits.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/kinds/equation_model.h"
#include "problem/line/advice/equation_stability.h"
#include "problem/line/kinds/line_given.h"
#include "problem/line/kinds/line_samples.h"
#include "problem/line/stepper/line_sim.h"

struct batch {
    struct sw_setup setup;
    double         *param;   /* [equation_parameters()][capacity] */
    double         *number;  /* of one run, beside the config's */
};

static enum sw_status describe(const struct sw_setup *setup, struct sw_stepper_desc *desc)
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
        .model = equation_line_model(equation_model_of(setup), setup),
    };
    sw_line_own_steps(setup, desc);
    return SW_OK;
}

static enum sw_status fill(void *own, int count, const double *column, struct sw_line_run *run, const double **param)
{
    struct batch *b = own;
    const struct equation_model *m = equation_model_of(&b->setup);
    const int more = equation_parameters(m) - m->ncolumn;
    memcpy(b->param, column, (size_t)m->ncolumn * (size_t)count * sizeof *column);
    double *rest = b->param + (size_t)m->ncolumn * (size_t)count;
    for (int j = 0; j < count; j++) {
        run[j] = equation_run(m, &b->setup, count, column, j, b->number);
        for (int k = 0; k < more; k++) rest[(size_t)k * (size_t)count + (size_t)j] = b->number[k];
    }
    *param = b->param;
    return SW_OK;
}

static void destroy(void *own)
{
    struct batch *b = own;
    if (!b) return;
    sw_free(b->param);
    sw_free(b->number);
    sw_free(b);
}

static const struct sw_line_model_ops model_ops = {.fill = fill, .destroy = destroy};

enum sw_status equation_create(const struct sw_problem *problem, const struct sw_setup *setup,
                               struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct sw_stepper_desc desc;
    struct batch *b = NULL;
    (void)problem;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &b));
    b->setup = *setup;
    const size_t parameters = (size_t)equation_parameters(equation_model_of(setup));
    SW_TRY_TO(failed, st, describe(setup, &desc));
    SW_TRY_TO(failed, st, sw_alloc(parameters * (size_t)setup->capacity, &b->param));
    SW_TRY_TO(failed, st, sw_alloc(parameters, &b->number));
    return sw_line_sim_create(&desc, setup, device, &model_ops, b, sim);
failed:
    destroy(b);
    return st;
}

/* ------------------------------------------------------------------ before a batch is made */

enum sw_status equation_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                              const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    struct sw_stepper_desc desc;
    (void)problem;
    SW_TRY(describe(setup, &desc));
    SW_TRY(sw_stepper_bytes(&desc, setup->solver, device, fixed, per_run));
    *per_run += (size_t)equation_parameters(equation_model_of(setup)) * sizeof(double);
    return SW_OK;
}

enum sw_status equation_name_first(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                   const double *column, int64_t j, char text[200])
{
    const struct equation_model *m = equation_model_of(setup);
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    struct sw_stepper_desc desc;
    double *param;
    (void)problem;
    text[0] = 0;
    if (!m || one.n[0] > INT_MAX) return SW_OK;
    SW_TRY(sw_alloc((size_t)equation_parameters(m), &param));
    for (int k = 0; k < m->ncolumn; k++) param[k] = column[k * ld + j];
    const struct sw_line_run run = equation_run(m, &one, ld, column, j, param + m->ncolumn);
    enum sw_status st = describe(&one, &desc);
    if (!st) st = sw_line_name_rhs(&desc, &run, param, &one, ld, column, j, text);
    sw_free(param);
    return st;
}

/* Where the beginning is not finite no time step helps. */
enum sw_status equation_advise(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                               const double *column, int64_t j, char text[200])
{
    SW_TRY(equation_name_first(problem, setup, ld, column, j, text));
    return *text ? SW_OK : equation_warn_stability(problem, setup, ld, column, j, NULL, text);
}

enum sw_status equation_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm)
{
    struct sw_stepper_desc desc;
    (void)problem;
    SW_TRY(describe(setup, &desc));
    return sw_stepper_try_compile(&desc, setup->solver, sm);
}
