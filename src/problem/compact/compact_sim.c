/* A batch of `compact`: run by run the field is sampled, the scheme applied, the result compared with the exact one. */
#include "problem/compact/compact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "field/norms.h"

/* Away from the walls: the middle half of a line. What the closure does there decays as rho^w over w points, rho < 1/2,
 * so that it is gone long before h^p is, as n grows. Without walls it is all of the line. */
static struct sw_interior interior_of(const struct sw_setup *setup)
{
    const struct compact_method m = compact_method_of(setup);
    const int64_t n = setup->n[m.axis];
    if (!m.walls) return (struct sw_interior){m.axis, 0, n};
    return (struct sw_interior){m.axis, n / 4, n - n / 4};
}

/* ------------------------------------------------------------------ a batch being computed */

struct compact_sim {
    struct sw_sim     sim;       /* first: the operations get a pointer to it                          */
    struct sw_setup   setup;
    struct compact_method method;
    struct sw_device *device;
    struct sw_program *exact;    /* the field or its derivative                                        */
    int               count;
    double           *column;    /* [ncolumn][count]; room for capacity                                */
    struct sw_fd     *fd;        /* for runs with the step and alpha of...                             */
    double            h, alpha;
    size_t            word;      /* bytes of a number of the field                                     */
    void             *f, *g;     /* [points] on the host: the field; what the scheme makes of it       */
    void             *d_f, *d_g; /* the same on a device; NULL where the host is the device            */
    char             *kept;      /* [2][count][points] as they are saved; NULL: not                    */
    struct sw_difference *difference;  /* [capacity]                                                   */
    char            (*why)[160]; /* [capacity] why a run cannot begin, "" if it can                    */
};

/* @param h      of the grid along the axis; 1 where the scheme does not use it, as with alpha
 *  @param alpha  of a filter */
static struct sw_fd_desc describe(const struct sw_setup *setup, double h, double alpha)
{
    const struct compact_method m = compact_method_of(setup);
    return (struct sw_fd_desc){.n = {setup->n[0], setup->n[1], setup->n[2]},
                               .axis = m.axis,
                               .fields = 1,
                               .scheme = m.scheme->name,
                               .boundary = m.boundary,
                               .h = sw_fd_derivative(m.scheme->kind) ? h : 1,
                               .alpha = m.scheme->kind == SW_FD_FILTER ? alpha : 0,
                               .single = setup->single_steps};
}

static struct sw_fd_desc describe_run(const struct compact_sim *c, int j)
{
    const struct sw_grid g = sw_setup_grid(&c->setup, c->count, c->column, j);
    return describe(&c->setup, g.dx[c->method.axis], compact_number(&c->setup, "alpha", c->count, c->column, j));
}

/* The differences for a step and an alpha: those at hand, or new ones. */
static enum sw_status prepare(struct compact_sim *c, const struct sw_fd_desc *desc)
{
    if (c->fd && c->h == desc->h && c->alpha == desc->alpha) return SW_OK;
    sw_fd_destroy(&c->fd);
    c->h = desc->h;
    c->alpha = desc->alpha;
    return sw_fd_create(desc, c->setup.solver, c->device, &c->fd);
}

static const char *solver_name(const struct sw_sim *sim)
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    return c->fd ? sw_fd_name(c->fd) : c->setup.solver ? c->setup.solver : "";
}

/* A step that cannot be divided by is a load_error of its run. A matrix that breaks down would be one, too, but no
 * scheme has such: test_fd.c tries them all. */
static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct compact_sim *c = (struct compact_sim *)sim;
    memcpy(c->column, column, (size_t)c->setup.ncolumn * (size_t)count * sizeof *column);
    c->count = count;
    for (int j = 0; j < count; j++) {
        const struct sw_fd_desc desc = describe_run(c, j);
        enum sw_status st = sw_fd_check(&desc);
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

static enum sw_status apply(struct compact_sim *c, size_t bytes)
{
    if (!c->d_f) return sw_fd_apply(c->fd, c->f, c->g);
    SW_TRY(sw_device_upload(c->device, c->d_f, c->f, bytes));
    SW_TRY(sw_fd_apply(c->fd, c->d_f, c->d_g));
    return sw_device_download(c->device, c->g, c->d_g, bytes);
}

/* Number what (0: the result, 1: its error) of run j among what is saved. */
static void keep(struct compact_sim *c, int j, int what, const void *field)
{
    const size_t points = (size_t)sw_points(c->setup.n), word = sw_reals_word(c->setup.single);
    const size_t at = ((size_t)what * (size_t)c->count + (size_t)j) * points;
    if (!c->kept) return;
#pragma omp parallel for num_threads(c->device->threads)
    for (size_t i = 0; i < points; i++) sw_reals_set(c->kept, word, at + i, sw_reals_at(field, c->word, i));
}

static enum sw_status solve(struct compact_sim *c, int j)
{
    const bool single = c->setup.single_steps;
    const size_t bytes = (size_t)sw_points(c->setup.n) * c->word;
    const struct sw_interior interior = interior_of(&c->setup);
    const struct sw_fd_desc desc = describe_run(c, j);
    const struct sw_sampling field = sampling(c, j, sw_setup_function(&c->setup, "field"));
    struct sw_sampling exact = sampling(c, j, c->exact);
    if (sw_fd_at_midpoints(c->method.scheme->kind))
        exact.grid.x0[c->method.axis] += 0.5 * exact.grid.dx[c->method.axis];
    SW_TRY(prepare(c, &desc));
    SW_TRY(sw_sample(&field, single, c->f));
    SW_TRY(apply(c, bytes));
    keep(c, j, 0, c->g);
    SW_TRY(sw_compare(&exact, &interior, single, c->g, c->kept ? c->g : NULL, &c->difference[j]));
    keep(c, j, 1, c->g);
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
        sw_reals_fill(c->g, c->word, 0, NAN, points);
        for (int what = 0; what < 2; what++) keep(c, j, what, c->g);
    }
    return SW_OK;
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    (void)slot;
    *field = ((struct compact_sim *)sim)->kept;
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
                                 g.x0[d] + (double)(at % c->setup.n[d]) * g.dx[d]);
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
    sw_program_destroy(&c->exact);
    sw_free(c->column);
    sw_free(c->f);
    sw_free(c->g);
    sw_device_free(c->device, c->d_f);
    sw_device_free(c->device, c->d_g);
    sw_free(c->kept);
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

/* The exact result: the field's expression, differentiated as often as the scheme does. */
static enum sw_status derive(const struct sw_setup *setup, const struct compact_method *m, struct sw_expr **result)
{
    const struct sw_expr *expr = sw_setup_find(setup, "field")->expr;
    struct sw_expr *derived = NULL;
    *result = NULL;
    for (int k = 0; k < sw_fd_derivative(m->scheme->kind); k++) {
        enum sw_status st = sw_expr_derivative(expr, compact_axes[m->axis], &derived);
        sw_expr_destroy(result);
        if (st) return st;
        expr = *result = derived;
    }
    return SW_OK;
}

static enum sw_status compile_exact(const struct sw_setup *setup, const struct compact_method *m,
                                    struct sw_program **program)
{
    static const enum sw_input slot[SW_DIMS] = {SW_IN_X, SW_IN_Y, SW_IN_Z};
    struct sw_expr *derived;
    struct sw_expr_error err = {0};
    struct sw_symbol *symbol = NULL;
    struct sw_scope scope = {.count = SW_DIMS};
    SW_TRY(derive(setup, m, &derived));
    enum sw_status st = sw_alloc((size_t)setup->scope->count + SW_DIMS, &symbol);
    for (int d = 0; d < SW_DIMS && !st; d++) symbol[d] = (struct sw_symbol){compact_axes[d], SW_RATE_CELL, slot[d]};
    for (int k = 0; k < setup->scope->count && !st; k++) symbol[scope.count++] = setup->scope->symbol[k];
    scope.symbol = symbol;
    if (!st) st = sw_program_compile(derived ? derived : sw_setup_find(setup, "field")->expr, &scope, program, &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "'field', its derivative: %s", err.text);
    sw_expr_destroy(&derived);
    sw_free(symbol);
    return st;
}

static enum sw_status allocate(struct compact_sim *c)
{
    const size_t room = (size_t)c->setup.capacity, points = (size_t)sw_points(c->setup.n);
    const bool apart = c->device->space == SW_DEVICE;
    SW_TRY(sw_alloc((size_t)c->setup.ncolumn * room, &c->column));
    SW_TRY(sw_alloc(room, &c->difference));
    SW_TRY(sw_alloc(room, &c->why));
    SW_TRY(sw_alloc_bytes(points, c->word, &c->f));
    SW_TRY(sw_alloc_bytes(points, c->word, &c->g));
    if (apart) SW_TRY(sw_device_alloc_bytes(c->device, points, c->word, &c->d_f));
    if (apart) SW_TRY(sw_device_alloc_bytes(c->device, points, c->word, &c->d_g));
    if (!c->setup.fields) return SW_OK;
    return sw_alloc_bytes(2 * room * points, sw_reals_word(c->setup.single), &c->kept);
}

/* No row of a device does it. */
static enum sw_status absent(void)
{
    char why[400];
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(SW_E_ABSENT, "%s; use --device cpu", why);
}

/* Any filter has an alpha of 0, any grid might have a step of 1. */
enum sw_status compact_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                              struct sw_sim **sim)
{
    const struct sw_fd_desc desc = describe(setup, 1, 0);
    enum sw_status st;
    struct compact_sim *c = NULL;
    (void)problem;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &c));
    c->sim.ops = &compact_ops;
    c->setup = *setup;
    c->device = device;
    c->method = compact_method_of(setup);
    c->word = sw_reals_word(setup->single_steps);
    SW_TRY_TO(failed, st, compile_exact(setup, &c->method, &c->exact));
    SW_TRY_TO(failed, st, allocate(c));
    st = prepare(c, &desc);
    if (st == SW_E_ABSENT && !setup->solver && device->space == SW_DEVICE) st = absent();
    if (st) goto failed;
    *sim = &c->sim;
    return SW_OK;
failed:
    destroy(&c->sim);
    return st;
}

/* The field and the result. */
size_t compact_host_bytes(const struct sw_setup *setup)
{
    return 2 * (size_t)sw_points(setup->n) * sw_reals_word(setup->single_steps);
}

/* The same again where the device has its own memory; what is saved stays on the host. */
enum sw_status compact_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                             const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const size_t points = (size_t)sw_points(setup->n);
    (void)problem;
    *fixed = compact_host_bytes(setup);
    *per_run = device->space == SW_HOST && setup->fields ? 2 * points * sw_reals_word(setup->single) : 0;
    return SW_OK;
}
