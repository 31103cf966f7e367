/* A batch of `compact`: run by run the fields are sampled, the scheme applied, and the results compared with the exact
 * ones. */
#include "problem/compact/compact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "fd/sw_fd_nabla.h"
#include "field/norms.h"

/* Away from the walls: the middle half of each line that ends at some. What the closure does there decays as rho^w over
 * w points, rho < 1/2, so that it is gone long before h^p is, as n grows. Without walls it is all of the line. */
static struct sw_interior interior_of(const struct sw_setup *setup)
{
    struct sw_interior in;
    for (int d = 0; d < SW_DIMS; d++) {
        const int64_t n = setup->n[d];
        in.first[d] = setup->walls[d] ? n / 4 : 0;
        in.last[d] = n - in.first[d];
    }
    return in;
}

/* ------------------------------------------------------------------ a batch being computed */

struct compact_sim {
    struct sw_sim     sim;       /* first: the operations get a pointer to it                           */
    struct sw_setup   setup;
    struct compact_method method;
    int               inputs, results;  /* fields                                                       */
    struct sw_device *device;
    struct sw_program *exact[SW_DIMS];  /* [results]                                                    */
    int               count;
    double           *column;    /* [ncolumn][count]; room for capacity                                 */
    struct sw_fd     *fd;        /* of a derivative: for runs with the step and alpha of `along[axis]`  */
    struct sw_fd_nabla *nabla;   /* of the other operators: for runs with the steps of `along`          */
    struct sw_fd_desc along[SW_DIMS];
    size_t            element;   /* bytes of a number of the field                                      */
    void             *f[SW_DIMS], *g[SW_DIMS];      /* [points] on the host: inputs, results            */
    void             *d_f[SW_DIMS], *d_g[SW_DIMS];  /* the same on a device; NULL: the host is it       */
    char             *saved;     /* [2][results][count][points]: results, errors; NULL: none are saved  */
    struct sw_difference *difference;  /* [capacity]                                                    */
    char            (*why)[160]; /* [capacity] why a run cannot begin, "" if it can                     */
};

/* Differences along axis d. @param h  of the grid along it; 1 where the scheme does not use it, as with alpha
 *  @param alpha  of a filter */
static struct sw_fd_desc describe(const struct sw_setup *setup, int d, double h, double alpha)
{
    const struct compact_method m = compact_method_of(setup);
    return (struct sw_fd_desc){.n = {setup->n[0], setup->n[1], setup->n[2]},
                               .axis = d,
                               .fields = 1,
                               .scheme = m.scheme->name,
                               .boundary = m.boundary,
                               .h = sw_fd_derivative(m.scheme->kind) ? h : 1,
                               .alpha = m.scheme->kind == SW_FD_FILTER ? alpha : 0,
                               .single = setup->single_steps};
}

/* @param along  out [SW_DIMS] */
static void describe_run(const struct compact_sim *c, int j, struct sw_fd_desc *along)
{
    const struct sw_grid g = sw_setup_grid(&c->setup, c->count, c->column, j);
    const double alpha = compact_number(&c->setup, "alpha", c->count, c->column, j);
    for (int d = 0; d < SW_DIMS; d++) along[d] = describe(&c->setup, d, g.dx[d], alpha);
}

static bool same_differences(const struct compact_sim *c, const struct sw_fd_desc *along)
{
    bool same = c->fd || c->nabla;
    for (int d = 0; d < SW_DIMS; d++)
        if (compact_along(&c->method, c->setup.dim, d))
            same = same && c->along[d].h == along[d].h && c->along[d].alpha == along[d].alpha;
    return same;
}

/* The differences for these steps and alpha: those at hand, or new ones. */
static enum sw_status prepare(struct compact_sim *c, const struct sw_fd_desc *along)
{
    const struct compact_method *m = &c->method;
    const struct sw_fd_desc *x = &along[0];
    struct sw_fd_nabla_desc all = {.n = {x->n[0], x->n[1], x->n[2]}, .scheme = x->scheme, .single = x->single,
                                   .sums = m->operator == COMPACT_DIVERGENCE};
    if (same_differences(c, along)) return SW_OK;
    sw_fd_destroy(&c->fd);
    sw_fd_nabla_destroy(&c->nabla);
    memcpy(c->along, along, sizeof c->along);
    if (m->operator == COMPACT_DERIVATIVE) return sw_fd_create(&along[m->axis], c->setup.solver, c->device, &c->fd);
    for (int d = 0; d < SW_DIMS; d++) {
        all.boundary[d] = along[d].boundary;
        all.h[d] = along[d].h;
    }
    return sw_fd_nabla_create(&all, c->setup.solver, c->device, &c->nabla);
}

static const char *solver_name(const struct sw_sim *sim)
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    if (c->nabla) return sw_fd_nabla_name(c->nabla);
    return c->fd ? sw_fd_name(c->fd) : c->setup.solver ? c->setup.solver : "";
}

/* A step that cannot be divided by is a load_error of its run. A matrix that breaks down would be one, too, but no
 * scheme has such: test_fd.c tries them all. */
static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct compact_sim *c = (struct compact_sim *)sim;
    struct sw_fd_desc along[SW_DIMS];
    memcpy(c->column, column, (size_t)c->setup.ncolumn * (size_t)count * sizeof *column);
    c->count = count;
    for (int j = 0; j < count; j++) {
        enum sw_status st = SW_OK;
        describe_run(c, j, along);
        for (int d = 0; d < c->setup.dim && !st; d++)
            if (compact_along(&c->method, c->setup.dim, d)) st = sw_fd_check(&along[d]);
        snprintf(c->why[j], sizeof c->why[j], "%s", st ? sw_err_message() : "");
        load_error[j] = st ? c->why[j] : NULL;
    }
    return SW_OK;
}

static struct sw_sampling sampling(const struct compact_sim *c, int j, const struct sw_program *program)
{
    return (struct sw_sampling){.program = program,
                                .n = {c->setup.n[0], c->setup.n[1], c->setup.n[2]},
                                .grid = sw_setup_grid(&c->setup, c->count, c->column, j),
                                .column = c->column + j,
                                .stride = c->count,
                                .threads = c->device->threads};
}

/* @param f, g  inputs and results in the memory of the device */
static enum sw_status apply_operator(const struct compact_sim *c, void *const *f, void *const *g)
{
    switch (c->method.operator) {
    case COMPACT_GRADIENT:   return sw_fd_gradient(c->nabla, f[0], g);
    case COMPACT_DIVERGENCE: return sw_fd_divergence(c->nabla, (const void *const[]){f[0], f[1], f[2]}, g[0]);
    case COMPACT_LAPLACIAN:  return sw_fd_laplacian(c->nabla, f[0], g[0]);
    default:                 return sw_fd_apply(c->fd, f[0], g[0]);
    }
}

static enum sw_status apply(struct compact_sim *c, size_t bytes)
{
    if (!c->d_f[0]) return apply_operator(c, c->f, c->g);
    for (int k = 0; k < c->inputs; k++) SW_TRY(sw_device_upload(c->device, c->d_f[k], c->f[k], bytes));
    SW_TRY(apply_operator(c, c->d_f, c->d_g));
    for (int k = 0; k < c->results; k++) SW_TRY(sw_device_download(c->device, c->g[k], c->d_g[k], bytes));
    return SW_OK;
}

/* Field `what` of run j among those that are saved: a result, or c->results later its error. */
static void save(struct compact_sim *c, int j, int what, const void *field)
{
    const size_t points = (size_t)sw_points(c->setup.n), element = sw_reals_word(c->setup.single);
    const size_t first = ((size_t)what * (size_t)c->count + (size_t)j) * points;
    if (!c->saved) return;
#pragma omp parallel for num_threads(c->device->threads)
    for (size_t i = 0; i < points; i++)
        sw_reals_set(c->saved, element, first + i, sw_reals_at(field, c->element, i));
}

/* The norms of a vector: |d|² is the sum of the squares of its components, the largest error that of any component. */
static void add_component(struct sw_difference *sum, const struct sw_difference *d, int64_t points)
{
    const double interior = sum->norms.interior;
    sw_norm_sums_add(&sum->sums, &d->sums);
    sum->norms = sw_norms_from_sums(&sum->sums, points);
    sum->norms.interior = d->norms.interior <= interior ? interior : d->norms.interior;
    if (sum->bad < 0) sum->bad = d->bad;
}

/* Compare result k of run j with the exact one. */
static enum sw_status compare(struct compact_sim *c, int j, int k)
{
    const struct sw_interior interior = interior_of(&c->setup);
    const int axis = c->method.axis;
    struct sw_sampling exact = sampling(c, j, c->exact[k]);
    struct sw_difference d;
    if (sw_fd_at_midpoints(c->method.scheme->kind)) exact.grid.x0[axis] += 0.5 * exact.grid.dx[axis];
    save(c, j, k, c->g[k]);
    SW_TRY(sw_compare(&exact, &interior, c->setup.single_steps, c->g[k], c->saved ? c->g[k] : NULL, &d));
    save(c, j, c->results + k, c->g[k]);
    if (k) add_component(&c->difference[j], &d, sw_points(c->setup.n));
    else c->difference[j] = d;
    return SW_OK;
}

static enum sw_status solve(struct compact_sim *c, int j)
{
    const size_t bytes = (size_t)sw_points(c->setup.n) * c->element;
    struct sw_fd_desc along[SW_DIMS];
    describe_run(c, j, along);
    SW_TRY(prepare(c, along));
    for (int k = 0; k < c->inputs; k++) {
        const struct sw_sampling field = sampling(c, j, sw_setup_function(&c->setup, compact_input(&c->method, k)));
        SW_TRY(sw_sample(&field, c->setup.single_steps, c->f[k]));
    }
    SW_TRY(apply(c, bytes));
    for (int k = 0; k < c->results; k++) SW_TRY(compare(c, j, k));
    return SW_OK;
}

/* The one step. */
static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct compact_sim *c = (struct compact_sim *)sim;
    const size_t points = (size_t)sw_points(c->setup.n);
    if (from == to) return SW_OK;
    for (int j = 0; j < c->count; j++) {
        c->difference[j] = (struct sw_difference){.bad = -1};
        if (!c->why[j][0]) { SW_TRY(solve(c, j)); continue; }
        sw_reals_fill(c->g[0], c->element, 0, NAN, points);
        for (int what = 0; what < 2 * c->results; what++) save(c, j, what, c->g[0]);
    }
    return SW_OK;
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    (void)slot;
    *field = ((struct compact_sim *)sim)->saved;
    *scalars = NULL;
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct compact_sim *c = (struct compact_sim *)sim;
    for (int j = 0; j < c->count; j++) step[j] = !c->why[j][0] && c->difference[j].bad >= 0 ? 1 : -1;
    return SW_OK;
}

static void explain(const struct sw_sim *sim, int j, char text[160])
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    const struct sw_grid g = sw_setup_grid(&c->setup, c->count, c->column, j);
    int64_t at = c->difference[j].bad;
    size_t used = (size_t)snprintf(text, 160, "the field or its derivative is not finite at");
    for (int d = 0; d < c->setup.dim && used < 160; at /= c->setup.n[d], d++)
        used += (size_t)snprintf(text + used, 160 - used, "%s %s = %.6g", d ? "," : "", compact_axes[d],
                                 sw_grid_at(&g, d, at % c->setup.n[d]));
}

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    const struct compact_sim *c = (struct compact_sim *)sim;
    for (int j = 0; j < c->count; j++) norm[j] = c->difference[j].norms;
    return SW_OK;
}

static void destroy(struct sw_sim *sim)
{
    struct compact_sim *c = (struct compact_sim *)sim;
    if (!c) return;
    sw_fd_destroy(&c->fd);
    sw_fd_nabla_destroy(&c->nabla);
    for (int d = 0; d < SW_DIMS; d++) {
        sw_program_destroy(&c->exact[d]);
        sw_free(c->f[d]);
        sw_free(c->g[d]);
        sw_device_free(c->device, c->d_f[d]);
        sw_device_free(c->device, c->d_g[d]);
    }
    sw_free(c->column);
    sw_free(c->saved);
    sw_free(c->difference);
    sw_free(c->why);
    sw_free(c);
}

static const struct sw_sim_ops compact_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = advance,
    .fetch = fetch,
    .diverged = diverged,
    .norms = norms,
    .explain = explain,
    .destroy = destroy,
};

/* ------------------------------------------------------------------ making one */

/* The input's expression, differentiated as often as the scheme does along axis d; *result stays NULL where that is not
 * at all. */
static enum sw_status derive(const struct sw_setup *setup, const struct compact_method *m, int input, int d,
                             struct sw_expr **result)
{
    const struct sw_expr *expr = sw_setup_find(setup, compact_input(m, input))->expr;
    struct sw_expr *derived = NULL;
    *result = NULL;
    for (int k = 0; k < sw_fd_derivative(m->scheme->kind); k++) {
        enum sw_status st = sw_expr_derivative(expr, compact_axes[d], &derived);
        sw_expr_destroy(result);
        if (st) return st;
        expr = *result = derived;
    }
    return SW_OK;
}

/* Divergence, Laplacian: the sum over axes. */
static enum sw_status derive_sum(const struct sw_setup *setup, const struct compact_method *m, struct sw_expr **result)
{
    enum sw_status st = SW_OK;
    *result = NULL;
    for (int d = 0; d < setup->dim && !st; d++) {
        struct sw_expr *derived = NULL, *sum = NULL;
        st = derive(setup, m, m->operator == COMPACT_DIVERGENCE ? d : 0, d, &derived);
        if (st || d == 0) { *result = derived; continue; }
        st = sw_expr_sum(*result, derived, &sum);
        sw_expr_destroy(&derived);
        sw_expr_destroy(result);
        *result = sum;
    }
    if (st) sw_expr_destroy(result);
    return st;
}

static enum sw_status derive_result(const struct sw_setup *setup, const struct compact_method *m, int k,
                                    struct sw_expr **result)
{
    if (m->operator == COMPACT_DERIVATIVE) return derive(setup, m, 0, m->axis, result);
    return m->operator == COMPACT_GRADIENT ? derive(setup, m, 0, k, result) : derive_sum(setup, m, result);
}

/* The program of the exact result k. */
static enum sw_status compile_exact(const struct sw_setup *setup, const struct compact_method *m, int k,
                                    struct sw_program **program)
{
    static const enum sw_input slot[SW_DIMS] = {SW_IN_X, SW_IN_Y, SW_IN_Z};
    struct sw_expr *derived;
    struct sw_expr_error err = {0};
    struct sw_symbol *symbol = NULL;
    struct sw_scope scope = {.count = SW_DIMS};
    SW_TRY(derive_result(setup, m, k, &derived));
    enum sw_status st = sw_alloc((size_t)setup->scope->count + SW_DIMS, &symbol);
    for (int d = 0; d < SW_DIMS && !st; d++) symbol[d] = (struct sw_symbol){compact_axes[d], SW_RATE_CELL, slot[d]};
    for (int i = 0; i < setup->scope->count && !st; i++) symbol[scope.count++] = setup->scope->symbol[i];
    scope.symbol = symbol;
    if (!st)
        st = sw_program_compile(derived ? derived : sw_setup_find(setup, compact_input(m, 0))->expr, &scope, program,
                                &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "'%s', its derivative: %s", compact_input(m, 0), err.text);
    sw_expr_destroy(&derived);
    sw_free(symbol);
    return st;
}

static enum sw_status allocate_fields(struct compact_sim *c, int count, void **host, void **device)
{
    const size_t points = (size_t)sw_points(c->setup.n);
    for (int k = 0; k < count; k++) {
        SW_TRY(sw_alloc_bytes(points, c->element, &host[k]));
        if (c->device->space == SW_DEVICE) SW_TRY(sw_device_alloc_bytes(c->device, points, c->element, &device[k]));
    }
    return SW_OK;
}

static enum sw_status allocate(struct compact_sim *c)
{
    const size_t room = (size_t)c->setup.capacity, points = (size_t)sw_points(c->setup.n);
    SW_TRY(sw_alloc((size_t)c->setup.ncolumn * room, &c->column));
    SW_TRY(sw_alloc(room, &c->difference));
    SW_TRY(sw_alloc(room, &c->why));
    SW_TRY(allocate_fields(c, c->inputs, c->f, c->d_f));
    SW_TRY(allocate_fields(c, c->results, c->g, c->d_g));
    if (!c->setup.fields) return SW_OK;
    return sw_alloc_bytes(2 * (size_t)c->results * room * points, sw_reals_word(c->setup.single), &c->saved);
}

/* Any filter has an alpha of 0, any grid might have a step of 1. */
enum sw_status compact_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                              struct sw_sim **sim)
{
    struct sw_fd_desc along[SW_DIMS];
    enum sw_status st;
    struct compact_sim *c = NULL;
    (void)problem;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &c));
    c->sim.ops = &compact_ops;
    c->setup = *setup;
    c->device = device;
    c->method = compact_method_of(setup);
    c->inputs = compact_inputs(&c->method, setup->dim);
    c->results = compact_results(&c->method, setup->dim);
    c->element = sw_reals_word(setup->single_steps);
    for (int d = 0; d < SW_DIMS; d++) along[d] = describe(setup, d, 1, 0);
    for (int k = 0; k < c->results; k++) SW_TRY_TO(failed, st, compile_exact(setup, &c->method, k, &c->exact[k]));
    SW_TRY_TO(failed, st, allocate(c));
    st = sw_setup_suggest_cpu(setup, device, prepare(c, along));
    if (st) goto failed;
    *sim = &c->sim;
    return SW_OK;
failed:
    destroy(&c->sim);
    return st;
}

/* Inputs and results. */
static size_t host_bytes(const struct sw_setup *setup)
{
    const struct compact_method m = compact_method_of(setup);
    const size_t fields = (size_t)(compact_inputs(&m, setup->dim) + compact_results(&m, setup->dim));
    return fields * (size_t)sw_points(setup->n) * sw_reals_word(setup->single_steps);
}

/* The same again where the device has its own memory; what is saved stays on the host. */
enum sw_status compact_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                             const struct sw_device *device, struct sw_batch_bytes *bytes)
{
    const struct compact_method m = compact_method_of(setup);
    const size_t saved = 2 * (size_t)compact_results(&m, setup->dim) * (size_t)sw_points(setup->n);
    (void)problem;
    bytes->fixed = bytes->fixed_on_host = host_bytes(setup);
    bytes->per_run = device->space == SW_HOST && setup->fields ? saved * sw_reals_word(setup->single) : 0;
    return SW_OK;
}
