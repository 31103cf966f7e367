/* Solves of tridiagonal systems, of the problem `tridiagonal`. Rows of the matrix are formed once; what is timed is the
 * solve alone. Verified is the backward error of every system: all rows of the table then solve nearly the same one. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "linalg/sw_tridiagonal_impl.h"

/* Of a row that pivots: ten times that of elimination with partial pivoting, some units of rounding. Of the others it
 * depends on the matrix; the bound tells a solution from none. */
static const double bound_stable = 0x1p-46, bound_else = 1e-2;

struct systems {
    const struct sw_bench_spec *spec;
    const struct sw_tridiagonal_ops *row;
    struct sw_sim *sim;
};

static void systems_destroy(void *own)
{
    struct systems *s = own;
    if (!s) return;
    if (s->sim) s->sim->ops->destroy(s->sim);
    sw_free(s);
}

static enum sw_status load(const struct systems *s)
{
    const char **load_error = NULL;
    SW_TRY(sw_alloc((size_t)s->spec->batch, &load_error));
    enum sw_status st = s->sim->ops->load(s->sim, s->spec->batch, s->spec->column, load_error);
    for (int j = 0; !st && j < s->spec->batch; j++)
        if (load_error[j]) st = SW_FAIL(SW_E_ARG, "system %d cannot be solved: %s", j, load_error[j]);
    sw_free(load_error);
    return st;
}

static enum sw_status check_memory(const struct sw_bench_spec *spec, const struct sw_setup *setup,
                                   const struct sw_device *device)
{
    size_t fixed = 0, per_run = 0;
    SW_TRY(spec->problem->bytes(spec->problem, setup, device, &fixed, &per_run));
    return bench_check_memory(device, (double)fixed + (double)per_run * spec->batch);
}

static enum sw_status systems_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                     void **own)
{
    struct sw_setup setup = spec->setup;
    struct systems *s = NULL;
    enum sw_status st;
    *own = NULL;
    setup.solver = row;
    SW_TRY(check_memory(spec, &setup, device));
    SW_TRY(sw_alloc(1, &s));
    *own = s;
    s->spec = spec;
    for (int k = 0; sw_tridiagonal_table[k]; k++)
        if (!strcmp(sw_tridiagonal_table[k]->name, row)) s->row = sw_tridiagonal_table[k];
    st = spec->problem->create(spec->problem, &setup, device, &s->sim);
    return st ? st : load(s);
}

static enum sw_status systems_advance(void *own, int64_t steps)
{
    const struct systems *s = own;
    for (int64_t k = 0; k < steps; k++) SW_TRY(s->sim->ops->advance(s->sim, 0, 1));
    return SW_OK;
}

/* The largest backward error of all systems; infinite where one has no solution. */
static enum sw_status systems_check(void *own, int64_t steps, double *error, double *bound)
{
    const struct systems *s = own;
    struct sw_residuals *residual = NULL;
    (void)steps;
    SW_TRY(sw_alloc((size_t)s->spec->batch, &residual));
    enum sw_status st = s->sim->ops->residuals(s->sim, residual);
    *error = 0;
    for (int j = 0; j < s->spec->batch && !st; j++)
        if (!(residual[j].backward <= *error))
            *error = isfinite(residual[j].backward) ? residual[j].backward : INFINITY;
    *bound = s->row->stable ? bound_stable : bound_else;
    sw_free(residual);
    return st;
}

static struct sw_cost systems_cost(void *own, int64_t steps)
{
    const struct systems *s = own;
    return s->sim->ops->cost(s->sim, steps);
}

static void systems_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_tridiagonal_desc shape = {.n = spec->n, .batch = spec->batch,
                                              .cyclic = sw_setup_chosen(&spec->setup, "cyclic", "true")};
    for (int k = 0; sw_tridiagonal_table[k]; k++) {
        const struct sw_tridiagonal_ops *o = sw_tridiagonal_table[k];
        if (!o->absent && !sw_tridiagonal_refusal(&shape, o->name)) bench_rows_add(rows, o->name, "", o->space);
    }
}

const struct bench_work bench_tridiagonal = {
    .terms = {"rows/s", "least s/solve", "row"},
    .steps = 20,
    .list_rows = systems_list_rows,
    .create = systems_create,
    .advance = systems_advance,
    .check = systems_check,
    .cost = systems_cost,
    .destroy = systems_destroy,
    .most_checked = 1,
};
