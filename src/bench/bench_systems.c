/* Solves of systems of equations, of the problems `tridiagonal` and `elliptic`. Matrices and right-hand sides are
 * formed once; what is timed is the solve alone. Verified is what a solution leaves of each of them. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "elliptic/sw_elliptic_impl.h"
#include "linalg/sw_tridiagonal_impl.h"
#include "problem/elliptic/elliptic.h"

struct systems {
    const struct sw_bench_spec *spec;
    const char    *row;
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
    struct sw_batch_bytes bytes = {0};
    SW_TRY(spec->problem->bytes(setup, device, &bytes));
    return bench_check_memory(device, (double)bytes.fixed + (double)bytes.per_run * spec->batch);
}

static enum sw_status systems_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                     void **own)
{
    struct sw_setup setup = spec->setup;
    struct systems *s = NULL;
    enum sw_status st;
    *own = NULL;
    setup.solver = row;
    SW_TRY(bench_agree(spec, check_memory(spec, &setup, device)));
    SW_TRY(sw_alloc(1, &s));
    *own = s;
    s->spec = spec;
    s->row = row;
    st = spec->problem->create(&setup, device, &s->sim);
    return st ? st : load(s);
}

static enum sw_status systems_advance(void *own, int64_t steps)
{
    const struct systems *s = own;
    for (int64_t k = 0; k < steps; k++) SW_TRY(s->sim->ops->advance(s->sim, 0, 1));
    return SW_OK;
}

/* The largest of what `size` says of all systems; infinite where one has no solution. */
static enum sw_status largest(const struct systems *s, double (*size)(const struct sw_residuals *r), double *error)
{
    struct sw_residuals *residual = NULL;
    SW_TRY(sw_alloc((size_t)s->spec->batch, &residual));
    enum sw_status st = s->sim->ops->residuals->get(s->sim, residual);
    *error = 0;
    for (int j = 0; j < s->spec->batch && !st; j++)
        if (!(size(&residual[j]) <= *error)) *error = isfinite(size(&residual[j])) ? size(&residual[j]) : INFINITY;
    sw_free(residual);
    return st;
}

static double systems_iterations(void *own)
{
    const struct systems *s = own;
    struct sw_residuals *residual = NULL;
    double sum = 0;
    if (!sw_alloc((size_t)s->spec->batch, &residual) && !s->sim->ops->residuals->get(s->sim, residual))
        for (int j = 0; j < s->spec->batch; j++) sum += (double)residual[j].iterations / s->spec->batch;
    sw_free(residual);
    return sum;
}

static struct sw_cost systems_cost(void *own, int64_t steps)
{
    const struct systems *s = own;
    return s->sim->ops->cost(s->sim, steps);
}

/* ------------------------------------------------------------------ tridiagonal systems */

/* Of a row that pivots: ten times that of elimination with partial pivoting, some units of rounding. Of the others it
 * depends on the matrix; the bound tells a solution from none. */
static const double bound_stable = 0x1p-46, bound_else = 1e-2;

static double backward_error(const struct sw_residuals *r) { return r->backward; }

static enum sw_status tridiagonal_check(void *own, int64_t steps, double *error, double *bound)
{
    const struct systems *s = own;
    (void)steps;
    *bound = bound_else;
    for (int k = 0; sw_tridiagonal_table[k]; k++)
        if (!strcmp(sw_tridiagonal_table[k]->name, s->row) && sw_tridiagonal_table[k]->stable) *bound = bound_stable;
    return largest(s, backward_error, error);
}

static void tridiagonal_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
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
    .list_rows = tridiagonal_list_rows,
    .create = systems_create,
    .advance = systems_advance,
    .check = tridiagonal_check,
    .cost = systems_cost,
    .destroy = systems_destroy,
    .most_checked = 1,
};

/* ------------------------------------------------------------------ elliptic problems */

static double residual_of(const struct sw_residuals *r) { return r->residual; }

/* The residual is formed from u, whatever the method takes it for: it is the tolerance at most. */
static enum sw_status elliptic_check(void *own, int64_t steps, double *error, double *bound)
{
    const struct systems *s = own;
    (void)steps;
    *bound = 0;
    for (int j = 0; j < s->spec->batch; j++)
        *bound = fmax(*bound, s->spec->column[sw_setup_column(&s->spec->setup, "tolerance") * s->spec->batch + j]);
    return largest(s, residual_of, error);
}

static void elliptic_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_elliptic_desc shape = elliptic_describe(&spec->setup, spec->batch);
    for (int k = 0; sw_elliptic_table[k]; k++) {
        const struct sw_elliptic_ops *o = sw_elliptic_table[k];
        if (!o->absent && !sw_elliptic_refusal(&shape, o->name)) bench_rows_add(rows, o->name, "", o->space);
    }
}

const struct bench_work bench_elliptic = {
    .terms = {"cells/s", "least s/solve", "cell"},
    .steps = 1,
    .list_rows = elliptic_list_rows,
    .create = systems_create,
    .advance = systems_advance,
    .check = elliptic_check,
    .cost = systems_cost,
    .destroy = systems_destroy,
    .most_checked = 1,
    .iterations = systems_iterations,
};
