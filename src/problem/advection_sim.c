/* A batch of `advection`: a Runge-Kutta stage is the derivatives of all runs along each axis, by one call of src/fd for
 * each, and then one pass over all points, which forms -c.grad u + nu lap u + S and the next stage. The differences are
 * made with h = 1, and the pass divides by the dx of the run: so runs of any lengths go together. */
#include "problem/advection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"

static struct advection_sim *of(const struct sw_sim *sim) { return (struct advection_sim *)sim; }

/* ------------------------------------------------------------------ differences and filters */

static struct sw_fd_desc describe(const struct advection_sim *a, int axis, const char *scheme, int64_t fields)
{
    return (struct sw_fd_desc){.n = {a->setup.n[0], a->setup.n[1], a->setup.n[2]},
                               .axis = axis,
                               .fields = fields,
                               .scheme = scheme,
                               .boundary = a->method.boundary[axis],
                               .h = 1,
                               .single = a->setup.single_steps};
}

static enum sw_status make_differences(struct advection_sim *a, int64_t fields)
{
    if (a->made_for == fields) return SW_OK;
    a->made_for = 0;
    for (int d = 0; d < SW_DIMS; d++) {
        sw_fd_destroy(&a->first[d]);
        sw_fd_destroy(&a->second[d]);
        if (a->setup.n[d] == 1) continue;
        const struct sw_fd_desc first = describe(a, d, a->method.first, fields),
                                second = describe(a, d, a->method.second, fields);
        if (a->model.moves[d]) SW_TRY(sw_fd_create(&first, a->setup.solver, a->device, &a->first[d]));
        if (a->diffuses) SW_TRY(sw_fd_create(&second, a->setup.solver, a->device, &a->second[d]));
    }
    a->made_for = (int)fields;
    return SW_OK;
}

static void free_filters(struct advection_sim *a)
{
    for (int k = 0; k < a->nfilter; k++)
        for (int d = 0; d < SW_DIMS; d++) sw_fd_destroy(&a->filter[k].fd[d]);
    a->nfilter = 0;
}

static enum sw_status make_filter(struct advection_sim *a, struct advection_filter *f)
{
    for (int d = 0; d < SW_DIMS; d++) {
        struct sw_fd_desc desc = describe(a, d, a->method.filter, f->count);
        desc.alpha = f->alpha;
        if (advection_walled(&a->method, d)) desc.boundary = "reduced";
        if (a->setup.n[d] > 1) SW_TRY(sw_fd_create(&desc, a->setup.solver, a->device, &f->fd[d]));
    }
    return SW_OK;
}

static enum sw_status make_filters(struct advection_sim *a)
{
    free_filters(a);
    if (!a->method.filter) return SW_OK;
    for (int j = 0; j < a->count; j++) {
        const double alpha = advection_number(&a->setup, "alpha", a->count, a->column, j);
        struct advection_filter *last = a->nfilter ? &a->filter[a->nfilter - 1] : NULL;
        if (last && last->alpha == alpha) last->count++;
        else a->filter[a->nfilter++] = (struct advection_filter){.from = j, .count = 1, .alpha = alpha};
    }
    for (int k = 0; k < a->nfilter; k++) SW_TRY(make_filter(a, &a->filter[k]));
    return SW_OK;
}

/* ------------------------------------------------------------------ load */

static const char *solver_name(const struct sw_sim *sim)
{
    const struct advection_sim *a = of(sim);
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->first[d]) return sw_fd_name(a->first[d]);
        if (a->second[d]) return sw_fd_name(a->second[d]);
    }
    return a->setup.solver ? a->setup.solver : a->device->space == SW_HOST ? "cpu" : "cuda";
}

static size_t state_size(const struct sw_sim *sim) { return of(sim)->points; }

static struct advection_run run_of(const struct advection_sim *a, int j)
{
    const struct sw_grid g = sw_setup_grid(&a->setup, a->count, a->column, j);
    struct advection_run r = {.dt = g.dt, .nu = advection_number(&a->setup, "physics.nu", a->count, a->column, j),
                              .cell = 1};
    for (int d = 0; d < SW_DIMS; d++) {
        r.x0[d] = g.x0[d];
        r.dx[d] = g.dx[d];
        r.per[d] = 1 / g.dx[d];
        r.per2[d] = r.per[d] * r.per[d];
        if (d < a->setup.dim) r.cell *= g.dx[d];
    }
    return r;
}

static enum sw_status field(struct advection_sim *a, void *out)
{
    if (*(void **)out) return SW_OK;
    return sw_device_alloc_bytes(a->device, (size_t)a->setup.capacity * a->points, a->word, out);
}

/* Those of second derivatives when first needed: where nu is 0 in all runs they are not. */
static enum sw_status make_fields(struct advection_sim *a)
{
    SW_TRY(field(a, &a->now));
    SW_TRY(field(a, &a->next));
    if (a->method.rk->fields > 2) SW_TRY(field(a, &a->sum));
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->model.moves[d]) SW_TRY(field(a, &a->slope[d]));
        if (a->diffuses && a->setup.n[d] > 1) SW_TRY(field(a, &a->bend[d]));
    }
    return SW_OK;
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **fault)
{
    struct advection_sim *a = of(sim);
    const bool diffused = a->diffuses;
    SW_TRY(sw_device_wait(a->device));
    memcpy(a->column, column, (size_t)a->setup.ncolumn * (size_t)count * sizeof *column);
    a->count = count;
    a->diffuses = false;
    for (int j = 0; j < count; j++) {
        a->run[j] = run_of(a, j);
        a->diffuses |= a->run[j].nu != 0;
        a->pending[j] = false;
        fault[j] = NULL;
    }
    a->some_pending = false;
    if (a->diffuses != diffused) a->made_for = 0;
    SW_TRY(make_differences(a, count));
    SW_TRY(make_filters(a));
    SW_TRY(make_fields(a));
    return a->ops->load(a);
}

/* ------------------------------------------------------------------ the state */

static enum sw_status set_stops(struct advection_sim *a, int64_t value)
{
    int64_t *stop;
    SW_TRY(sw_alloc((size_t)a->count, &stop));
    for (int j = 0; j < a->count; j++) stop[j] = a->pending[j] ? value : ADVECTION_FINE;
    enum sw_status st = a->ops->set_stop(a, stop);
    sw_free(stop);
    return st;
}

/* From the host to the field, in its precision. */
static enum sw_status put(struct advection_sim *a, const double *u)
{
    const size_t values = (size_t)a->count * a->points;
    float *narrow = NULL;
    if (!a->setup.single_steps) return sw_device_upload(a->device, a->now, u, values * sizeof *u);
    SW_TRY(sw_alloc(values, &narrow));
    for (size_t i = 0; i < values; i++) narrow[i] = (float)u[i];
    enum sw_status st = sw_device_upload(a->device, a->now, narrow, values * sizeof *narrow);
    sw_free(narrow);
    return st;
}

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    struct advection_sim *a = of(sim);
    a->some_pending = false;
    for (int j = 0; j < a->count; j++) {
        a->pending[j] = false;
        for (size_t i = 0; i < a->points && !a->pending[j]; i++)
            a->pending[j] = !isfinite(u[(size_t)j * a->points + i]);
        a->some_pending |= a->pending[j];
    }
    SW_TRY(set_stops(a, ADVECTION_FINE));
    return put(a, u);
}

static enum sw_status get_state(struct sw_sim *sim, double *u)
{
    struct advection_sim *a = of(sim);
    const size_t values = (size_t)a->count * a->points;
    int64_t *stop;
    SW_TRY(sw_alloc((size_t)a->count, &stop));
    enum sw_status st = sw_device_download(a->device, u, a->now, values * a->word);
    if (!st) st = a->ops->get_stop(a, stop);
    for (size_t i = values; a->setup.single_steps && i-- > 0;) u[i] = (double)((const float *)u)[i];  /* from the end */
    for (int j = 0; j < a->count && !st; j++)
        for (size_t i = 0; (stop[j] != ADVECTION_FINE || a->pending[j]) && i < a->points; i++)
            u[(size_t)j * a->points + i] = NAN;
    sw_free(stop);
    return st;
}

/* ------------------------------------------------------------------ the initial value */

struct drawing {              /* of a run's initial value, in pieces of so many points */
    struct sw_eval *eval;
    double *at[SW_DIMS];      /* [piece] */
    size_t  piece;
};

static void coordinates(const struct advection_sim *a, int j, size_t first, size_t count, double *const at[SW_DIMS])
{
    const struct advection_run *r = &a->run[j];
    const size_t nx = (size_t)a->setup.n[0], ny = (size_t)a->setup.n[1];
    for (size_t i = 0; i < count; i++) {
        const size_t p = first + i, index[SW_DIMS] = {p % nx, p / nx % ny, p / nx / ny};
        for (int d = 0; d < SW_DIMS; d++) at[d][i] = r->x0[d] + (double)index[d] * r->dx[d];
    }
}

static void draw_run(const struct advection_sim *a, struct drawing *w, int j, double *u)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->at[0], [SW_IN_Y] = w->at[1], [SW_IN_Z] = w->at[2]};
    sw_eval_run(w->eval, a->column + j, a->count);
    for (size_t first = 0; first < a->points; first += w->piece) {
        const size_t count = a->points - first < w->piece ? a->points - first : w->piece;
        coordinates(a, j, first, count, w->at);
        sw_eval_cells(w->eval, (int)count, in);
        sw_eval_step(w->eval, 0, 0);
        sw_eval_points(w->eval, (int)count, in, u + first);
    }
}

static void drawing_free(struct drawing *w)
{
    sw_eval_destroy(&w->eval);
    for (int d = 0; d < SW_DIMS; d++) sw_free(w->at[d]);
}

static enum sw_status drawing_make(const struct sw_program *initial, size_t piece, struct drawing *w)
{
    *w = (struct drawing){.piece = piece};
    for (int d = 0; d < SW_DIMS; d++) SW_TRY(sw_alloc(piece, &w->at[d]));
    return sw_eval_create(initial, (int)piece, &w->eval);
}

/* Noise is drawn by the number of the point in its array: then a run is one piece. */
static enum sw_status draw(const struct advection_sim *a, double *u)
{
    const struct sw_program *initial = sw_setup_function(&a->setup, "initial");
    size_t piece = 4096;
    struct sw_err_kept failure = {0};
    for (int k = 0; k < a->setup.nfunction; k++)
        if (a->setup.function[k].program == initial && sw_expr_is_random(a->setup.function[k].expr)) piece = a->points;
    if (piece > INT32_MAX) return SW_FAIL(SW_E_ARG, "initial: noise on more than %d points is not possible", INT32_MAX);
#pragma omp parallel num_threads(a->device->threads) if (a->count > 1)
    {
        struct drawing w;
        enum sw_status st = drawing_make(initial, piece < a->points ? piece : a->points, &w);
#pragma omp critical(sw_advection_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(static)
        for (int j = 0; j < a->count; j++)
            if (!st) draw_run(a, &w, j, u + (size_t)j * a->points);
        drawing_free(&w);
    }
    return sw_err_raise(&failure);
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct advection_sim *a = of(sim);
    double *u = NULL;
    enum sw_status st;
    memset(a->pending, 0, (size_t)a->count * sizeof *a->pending);
    a->some_pending = false;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count * a->points, &u));
    SW_TRY_TO(done, st, draw(a, u));
    SW_TRY_TO(done, st, set_stops(a, 0));
    SW_TRY_TO(done, st, put(a, u));
    SW_TRY_TO(done, st, a->ops->close(a, 0));
done:
    sw_free(u);
    return st;
}

/* ------------------------------------------------------------------ steps */

static enum sw_status differentiate(struct advection_sim *a, const void *w)
{
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->first[d]) SW_TRY(sw_fd_apply(a->first[d], w, a->slope[d]));
        if (a->second[d]) SW_TRY(sw_fd_apply(a->second[d], w, a->bend[d]));
    }
    return SW_OK;
}

static enum sw_status filter(struct advection_sim *a)
{
    const size_t run = a->points * a->word;
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->setup.n[d] == 1) continue;
        for (int k = 0; k < a->nfilter; k++) {
            const size_t at = (size_t)a->filter[k].from * run;
            SW_TRY(sw_fd_apply(a->filter[k].fd[d], (char *)a->now + at, (char *)a->next + at));
        }
        void *filtered = a->next;
        a->next = a->now;
        a->now = filtered;
    }
    return SW_OK;
}

static enum sw_status take_step(struct advection_sim *a, int64_t step)
{
    const bool filtered = a->nfilter > 0;
    for (int k = 0; k < a->method.rk->stages; k++) {
        SW_TRY(differentiate(a, k ? a->next : a->now));
        SW_TRY(a->ops->stage(a, step, k, !filtered));
    }
    if (!filtered) return SW_OK;
    SW_TRY(filter(a));
    return a->ops->close(a, step + 1);
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct advection_sim *a = of(sim);
    if (a->some_pending && from < to) {
        SW_TRY(set_stops(a, from));
        a->some_pending = false;
    }
    for (int64_t step = from; step < to; step++) SW_TRY(take_step(a, step));
    return SW_OK;
}

static enum sw_status capture(struct sw_sim *sim, int slot, int what) { return of(sim)->ops->capture(of(sim), slot, what); }

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field_, const double **scalars)
{
    return of(sim)->ops->fetch(of(sim), slot, field_, scalars);
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    struct advection_sim *a = of(sim);
    SW_TRY(a->ops->get_stop(a, step));
    for (int j = 0; j < a->count; j++)
        if (step[j] == ADVECTION_FINE) step[j] = -1;
    return SW_OK;
}

/* A stage: for each derivative 2 words a point, and the pass: derivatives and u read, a word or two written, the sum as
 * well. The arithmetic of the pass is that of the expressions, which nobody counts. */
static struct sw_cost cost(const struct sw_sim *sim, int64_t steps)
{
    const struct advection_sim *a = of(sim);
    const double word = (double)a->word;
    double derivatives = 0;
    (void)steps;
    for (int d = 0; d < SW_DIMS; d++) derivatives += (a->first[d] != NULL) + (a->second[d] != NULL);
    const double pass = derivatives + (a->method.rk->fields > 2 ? 4 : 3);
    return (struct sw_cost){a->method.rk->stages * word * (2 * derivatives + pass), NAN};
}

static void destroy(struct sw_sim *sim)
{
    struct advection_sim *a = of(sim);
    if (!a) return;
    if (a->ops->destroy) a->ops->destroy(a);
    void *array[] = {a->now, a->next, a->sum, a->slope[0], a->slope[1], a->slope[2], a->bend[0], a->bend[1], a->bend[2]};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) sw_device_free(a->device, array[k]);
    for (int d = 0; d < SW_DIMS; d++) {
        sw_fd_destroy(&a->first[d]);
        sw_fd_destroy(&a->second[d]);
    }
    free_filters(a);
    advection_model_free(&a->model);
    sw_free(a->filter);
    sw_free(a->column);
    sw_free(a->run);
    sw_free(a->pending);
    sw_free(a);
}

static const struct sw_sim_ops advection_sim_ops = {
    .solver_name = solver_name,
    .state_size = state_size,
    .load = load,
    .initial = initial,
    .set_state = set_state,
    .get_state = get_state,
    .advance = advance,
    .capture = capture,
    .fetch = fetch,
    .diverged = diverged,
    .cost = cost,
    .destroy = destroy,
};

/* ------------------------------------------------------------------ making one */

/* No row of a device does the differences of this grid. */
static enum sw_status absent(void)
{
    char why[400];
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(SW_E_ABSENT, "%s; use --device cpu", why);
}

/* Whether the differences and the filter can be had, before the batch is there. */
static enum sw_status probe(struct advection_sim *a)
{
    struct advection_filter f = {.count = 1};
    a->diffuses = true;
    for (int d = 0; d < a->setup.dim; d++) {  /* where it cannot be done nu is 0: others are refused */
        const int least = sw_fd_min_points(a->method.second, a->method.boundary[d]);
        a->diffuses &= least > 0 && a->setup.n[d] >= least;
    }
    enum sw_status st = make_differences(a, 1);
    if (!st && a->method.filter) st = make_filter(a, &f);
    for (int d = 0; d < SW_DIMS; d++) sw_fd_destroy(&f.fd[d]);
    if (st == SW_E_ABSENT && !a->setup.solver && a->device->space == SW_DEVICE) return absent();
    return st;
}

enum sw_status advection_create(const struct sw_problem *problem, const struct sw_setup *setup,
                                struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct advection_sim *a = NULL;
    const size_t room = (size_t)setup->capacity;
    (void)problem;
    *sim = NULL;
    if (advection_row(device->space)->absent) return SW_FAIL(SW_E_ABSENT, "%s", advection_row(device->space)->absent);
    SW_TRY(sw_alloc(1, &a));
    a->sim.ops = &advection_sim_ops;
    a->ops = advection_row(device->space);
    a->setup = *setup;
    a->device = device;
    a->method = advection_method_of(setup);
    a->points = (size_t)sw_points(setup->n);
    a->word = setup->single_steps ? 4 : 8;
    SW_TRY_TO(failed, st, sw_alloc((size_t)setup->ncolumn * room, &a->column));
    SW_TRY_TO(failed, st, sw_alloc(room, &a->run));
    SW_TRY_TO(failed, st, sw_alloc(room, &a->pending));
    SW_TRY_TO(failed, st, sw_alloc(room, &a->filter));
    SW_TRY_TO(failed, st, advection_model_make(setup, &a->model));
    SW_TRY_TO(failed, st, probe(a));
    SW_TRY_TO(failed, st, a->ops->create(a));
    *sim = &a->sim;
    return SW_OK;
failed:
    destroy(&a->sim);
    return st;
}

enum sw_status advection_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                               const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const struct advection_method m = advection_method_of(setup);
    const size_t points = (size_t)sw_points(setup->n), word = setup->single_steps ? 4 : 8;
    (void)problem;
    *fixed = 0;
    *per_run = ((size_t)m.rk->fields + 2 * (size_t)setup->dim) * points * word
               + (size_t)setup->ncolumn * sizeof(double) + sizeof(struct advection_run) + sizeof(int64_t);
    if (!advection_row(device->space)->absent) advection_row(device->space)->bytes(setup, fixed, per_run);
    return SW_OK;
}

enum sw_status advection_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm)
{
    struct advection_model model;
    (void)problem;
    const struct advection_ops *ops = advection_row(SW_DEVICE);
    if (ops->absent) return SW_FAIL(SW_E_ABSENT, "%s", ops->absent);
    SW_TRY(advection_model_make(setup, &model));
    enum sw_status st = ops->try_compile(setup, &model, sm);
    advection_model_free(&model);
    return st;
}
