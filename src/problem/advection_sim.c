/* A batch of `advection`: a Runge-Kutta stage is the derivatives of all runs along each axis, by one call of src/fd for
 * each, and then one pass over all points, which forms -c.grad u + nu lap u + S and the next stage. The differences are
 * made with h = 1, and the pass divides by the dx of the run: so runs of any lengths go together. */
#include "problem/advection.h"

#include <math.h>
#include <omp.h>
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

static enum sw_status make_filter(struct advection_sim *a, struct sw_device *device, struct advection_filter *f)
{
    for (int d = 0; d < SW_DIMS; d++) {
        struct sw_fd_desc desc = describe(a, d, a->method.filter, f->count);
        desc.alpha = f->alpha;
        if (advection_walled(&a->method, d)) desc.boundary = "reduced";
        if (a->setup.n[d] > 1) SW_TRY(sw_fd_create(&desc, a->setup.solver, device, &f->fd[d]));
    }
    return SW_OK;
}

static double alpha_of(const struct advection_sim *a, int j)
{
    return advection_number(&a->setup, "alpha", a->count, a->column, j);
}

static enum sw_status make_filters(struct advection_sim *a, struct sw_device *device, struct advection_part *p)
{
    if (!a->method.filter) return SW_OK;
    SW_TRY(sw_alloc((size_t)p->count, &p->filter));
    for (int k = 0; k < p->count; k++) {
        const double alpha = alpha_of(a, p->from + k);
        struct advection_filter *last = p->nfilter ? &p->filter[p->nfilter - 1] : NULL;
        if (last && last->alpha == alpha) last->count++;
        else p->filter[p->nfilter++] = (struct advection_filter){.from = k, .count = 1, .alpha = alpha};
    }
    for (int k = 0; k < p->nfilter; k++) SW_TRY(make_filter(a, device, &p->filter[k]));
    return SW_OK;
}

static enum sw_status make_differences(struct advection_sim *a, struct sw_device *device, struct advection_part *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->setup.n[d] == 1) continue;
        const struct sw_fd_desc first = describe(a, d, a->method.first, p->count),
                                second = describe(a, d, a->method.second, p->count);
        if (a->model.moves[d]) SW_TRY(sw_fd_create(&first, a->setup.solver, device, &p->first[d]));
        if (a->diffuses) SW_TRY(sw_fd_create(&second, a->setup.solver, device, &p->second[d]));
    }
    return SW_OK;
}

static enum sw_status make_part(struct advection_sim *a, struct sw_device *device, int from, int count,
                                struct advection_part *p)
{
    p->from = from;
    p->count = count;
    SW_TRY(make_differences(a, device, p));
    return make_filters(a, device, p);
}

/* All but the fields. */
static void unmake_part(struct advection_part *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        sw_fd_destroy(&p->first[d]);
        sw_fd_destroy(&p->second[d]);
        for (int k = 0; k < p->nfilter; k++) sw_fd_destroy(&p->filter[k].fd[d]);
    }
    sw_free(p->filter);
    p->filter = NULL;
    p->nfilter = 0;
}

static void unmake_parts(struct advection_sim *a)
{
    unmake_part(&a->whole);
    for (int t = 0; t < a->device->threads && a->team; t++)
        for (int k = 0; k < 2; k++) unmake_part(&a->team[t].part[k]);
}

/* ------------------------------------------------------------------ teams */

/* A team's runs have about this many points: their fields, some six, stay in a second-level cache. SIDE of them lie
 * side by side in the vectors of src/fd. (2000 runs of 512 points, one thread: half the time of all runs stage by
 * stage.) */
enum { TEAM_POINTS = 16384, SIDE = 32 };

static bool same_alpha(const struct advection_sim *a)
{
    for (int j = 1; j < a->count; j++)
        if (alpha_of(a, j) != alpha_of(a, 0)) return false;
    return true;
}

/* How many runs a team takes at once: where threads have more than one each. No bit depends on it. */
static int team_size(const struct advection_sim *a)
{
    const int threads = a->device->threads;
    if (a->device->space != SW_HOST || a->points > 4 * TEAM_POINTS || a->count < threads) return 0;
    if (a->method.filter && !same_alpha(a)) return 0;
    const int most = (a->count + threads - 1) / threads, fit = (int)(TEAM_POINTS / a->points);
    int each = fit < 1 ? 1 : fit;
    if (each < SIDE && a->points * SIDE <= 4 * TEAM_POINTS) each = SIDE;
    if (each > SIDE) each -= each % SIDE;
    return each < most ? each : most;
}

static enum sw_status make_teams(struct advection_sim *a)
{
    a->whole.from = 0;
    a->whole.count = a->count;
    for (int t = 0; t < a->device->threads; t++) {
        struct advection_team *team = &a->team[t];
        team->alone = *a->device;
        team->alone.threads = 1;
        SW_TRY(make_part(a, &team->alone, 0, a->each, &team->part[0]));
        if (a->count % a->each) SW_TRY(make_part(a, &team->alone, 0, a->count % a->each, &team->part[1]));
    }
    return SW_OK;
}

/* Those of the batch before, where they do as well: its alphas are kept only if they were one. */
static enum sw_status make_parts(struct advection_sim *a)
{
    const bool reusable = !a->method.filter || same_alpha(a);
    const double alpha = a->method.filter ? alpha_of(a, 0) : 0;
    if (reusable && a->made.count == a->count && a->made.diffuses == a->diffuses && a->made.alpha == alpha)
        return SW_OK;
    unmake_parts(a);
    a->made.count = 0;
    a->each = team_size(a);
    a->whole.worker = -1;
    SW_TRY(a->each ? make_teams(a) : make_part(a, a->device, 0, a->count, &a->whole));
    if (!reusable) return SW_OK;
    a->made.count = a->count;
    a->made.diffuses = a->diffuses;
    a->made.alpha = alpha;
    return SW_OK;
}

/* ------------------------------------------------------------------ load */

static const char *solver_name(const struct sw_sim *sim) { return of(sim)->solver; }

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
    r.bound = advection_bound(&a->method, a->setup.dim, &r);
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
    struct advection_part *p = &a->whole;
    SW_TRY(field(a, &p->now));
    SW_TRY(field(a, &p->next));
    if (a->method.rk->fields > 2) SW_TRY(field(a, &p->sum));
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->model.moves[d]) SW_TRY(field(a, &p->slope[d]));
        if (a->diffuses && a->setup.n[d] > 1) SW_TRY(field(a, &p->bend[d]));
    }
    return SW_OK;
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **fault)
{
    struct advection_sim *a = of(sim);
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
    SW_TRY(make_parts(a));
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

static enum sw_status clear_watch(struct advection_sim *a)
{
    struct advection_watch *watch;
    SW_TRY(sw_alloc((size_t)a->count, &watch));
    for (int j = 0; j < a->count; j++) watch[j].beyond = ADVECTION_FINE;
    enum sw_status st = a->ops->set_watch(a, watch);
    sw_free(watch);
    return st;
}

/* From the host to the field, in its precision. */
static enum sw_status put(struct advection_sim *a, const double *u)
{
    const size_t values = (size_t)a->count * a->points;
    float *narrow = NULL;
    if (!a->setup.single_steps) return sw_device_upload(a->device, a->whole.now, u, values * sizeof *u);
    SW_TRY(sw_alloc(values, &narrow));
    for (size_t i = 0; i < values; i++) narrow[i] = (float)u[i];
    enum sw_status st = sw_device_upload(a->device, a->whole.now, narrow, values * sizeof *narrow);
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
    a->step = -1;
    SW_TRY(set_stops(a, ADVECTION_FINE));
    SW_TRY(clear_watch(a));
    return put(a, u);
}

static enum sw_status get_state(struct sw_sim *sim, double *u)
{
    struct advection_sim *a = of(sim);
    const size_t values = (size_t)a->count * a->points;
    int64_t *stop;
    SW_TRY(sw_alloc((size_t)a->count, &stop));
    enum sw_status st = sw_device_download(a->device, u, a->whole.now, values * a->word);
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

static void draw_piece(const struct advection_sim *a, struct drawing *w, int j, size_t first, double *u)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->at[0], [SW_IN_Y] = w->at[1], [SW_IN_Z] = w->at[2]};
    const size_t count = a->points - first < w->piece ? a->points - first : w->piece;
    coordinates(a, j, first, count, w->at);
    sw_eval_run(w->eval, a->column + j, a->count);
    sw_eval_cells(w->eval, (int)count, in);
    sw_eval_step(w->eval, 0, 0);
    sw_eval_points(w->eval, (int)count, in, u + (size_t)j * a->points + first);
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
    const struct sw_function *initial = sw_setup_find(&a->setup, "initial");
    size_t piece = a->points < 4096 ? a->points : 4096;
    struct sw_err_kept failure = {0};
    if (sw_expr_is_random(initial->expr)) piece = a->points;
    if (piece > INT32_MAX) return SW_FAIL(SW_E_ARG, "initial: noise on more than %d points is not possible", INT32_MAX);
    const int64_t pieces = (int64_t)((a->points + piece - 1) / piece), items = a->count * pieces;
#pragma omp parallel num_threads(a->device->threads) if (items > 1)
    {
        struct drawing w;
        enum sw_status st = drawing_make(initial->program, piece, &w);
#pragma omp critical(sw_advection_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < items; k++)
            if (!st) draw_piece(a, &w, (int)(k / pieces), (size_t)(k % pieces) * piece, u);
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
    a->step = 0;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count * a->points, &u));
    SW_TRY_TO(done, st, draw(a, u));
    SW_TRY_TO(done, st, set_stops(a, 0));
    SW_TRY_TO(done, st, clear_watch(a));
    SW_TRY_TO(done, st, put(a, u));
    SW_TRY_TO(done, st, a->ops->close(a, &a->whole, 0));
done:
    sw_free(u);
    return st;
}

/* ------------------------------------------------------------------ steps */

static void *at_run(const struct advection_sim *a, void *field_, int j)
{
    return (char *)field_ + (size_t)j * a->points * a->word;
}

static enum sw_status differentiate(const struct advection_sim *a, const struct advection_part *p, void *w)
{
    for (int d = 0; d < SW_DIMS; d++) {
        void *from = at_run(a, w, p->from);
        if (p->first[d]) SW_TRY(sw_fd_apply(p->first[d], from, at_run(a, p->slope[d], p->from)));
        if (p->second[d]) SW_TRY(sw_fd_apply(p->second[d], from, at_run(a, p->bend[d], p->from)));
    }
    return SW_OK;
}

static void swap_fields(struct advection_part *p)
{
    void *next = p->next;
    p->next = p->now;
    p->now = next;
}

static enum sw_status filter(const struct advection_sim *a, struct advection_part *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->setup.n[d] == 1) continue;
        for (int k = 0; k < p->nfilter; k++) {
            const int j = p->from + p->filter[k].from;
            SW_TRY(sw_fd_apply(p->filter[k].fd[d], at_run(a, p->now, j), at_run(a, p->next, j)));
        }
        swap_fields(p);
    }
    return SW_OK;
}

static enum sw_status take_steps(struct advection_sim *a, struct advection_part *p, int64_t from, int64_t to)
{
    for (int64_t step = from; step < to; step++) {
        if (step % a->watch_every == 0) SW_TRY(a->ops->watch(a, p, step));
        for (int k = 0; k < a->method.rk->stages; k++) {
            SW_TRY(differentiate(a, p, k ? p->next : p->now));
            SW_TRY(a->ops->stage(a, p, step, k, !p->nfilter));
        }
        if (!p->nfilter) continue;
        SW_TRY(filter(a, p));
        SW_TRY(a->ops->close(a, p, step + 1));
    }
    return SW_OK;
}

/* The part of a team that takes group g. */
static struct advection_part *begin_group(const struct advection_sim *a, struct advection_team *team, int g, int worker)
{
    const int from = g * a->each, left = a->count - from;
    struct advection_part *p = &team->part[left < a->each];
    p->from = from;
    p->worker = worker;
    p->now = a->whole.now;
    p->next = a->whole.next;
    p->sum = a->whole.sum;
    memcpy(p->slope, a->whole.slope, sizeof p->slope);
    memcpy(p->bend, a->whole.bend, sizeof p->bend);
    return p;
}

/* Where the new u is, is the same for all groups. */
static enum sw_status advance_teams(struct advection_sim *a, int64_t from, int64_t to)
{
    const int groups = (a->count + a->each - 1) / a->each;
    struct sw_err_kept failure = {0};
    bool swapped = false;
#pragma omp parallel for schedule(dynamic) num_threads(a->device->threads) if (groups > 1)
    for (int g = 0; g < groups; g++) {
        const int worker = omp_get_thread_num();
        struct advection_part *p = begin_group(a, &a->team[worker], g, worker);
        const enum sw_status st = take_steps(a, p, from, to);
        if (g == 0) swapped = p->now != a->whole.now;
#pragma omp critical(sw_advection_failure)
        sw_err_keep(&failure, st);
    }
    if (swapped) swap_fields(&a->whole);
    return sw_err_raise(&failure);
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct advection_sim *a = of(sim);
    if (a->some_pending && from < to) {
        SW_TRY(set_stops(a, from));
        a->some_pending = false;
    }
    if (from < to) a->step = to;
    return a->each ? advance_teams(a, from, to) : take_steps(a, &a->whole, from, to);
}

static enum sw_status capture(struct sw_sim *sim, int slot, int what)
{
    return of(sim)->ops->capture(of(sim), slot, what);
}

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

/* ------------------------------------------------------------------ the Courant number */

/* How often it is looked at, in steps: growth that is not stable takes more of them from rounding to what can be seen,
 * and one look is less than a stage. Once where c is the same at all times. */
enum { WATCH_EVERY = 16 };

static int64_t watch_every(const struct advection_model *m)
{
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_program *c = m->program[ADVECTION_VELOCITY + d];
        if (c && (sw_program_uses(c, "t") || sw_program_uses(c, "u"))) return WATCH_EVERY;
    }
    return INT64_MAX;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    struct advection_sim *a = of(sim);
    struct advection_watch *watch;
    SW_TRY(sw_alloc((size_t)a->count, &watch));
    enum sw_status st = a->ops->get_watch(a, watch);
    for (int j = 0; j < a->count && !st; j++) {
        record[SW_RECORD * j] = watch[j].most;
        record[SW_RECORD * j + 1] = watch[j].beyond == ADVECTION_FINE ? -1 : (double)watch[j].beyond;
    }
    sw_free(watch);
    return st;
}

static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    struct advection_sim *a = of(sim);
    struct advection_watch *watch;
    SW_TRY(sw_alloc((size_t)a->count, &watch));
    for (int j = 0; j < a->count; j++) {
        const double *r = record + SW_RECORD * j;
        watch[j] = (struct advection_watch){r[0], r[1] < 0 ? ADVECTION_FINE : (long long)r[1]};
    }
    enum sw_status st = a->ops->set_watch(a, watch);
    sw_free(watch);
    return st;
}

/* How far beyond is of no interest in a run that ends in infinities. */
static void comment(const struct sw_sim *sim, int j, const double *record, bool finite, char text[160])
{
    const struct advection_sim *a = (const struct advection_sim *)sim;
    const struct advection_run *r = &a->run[j];
    const double from = record[1] * r->dt, times = 1 + (record[0] - r->bound) * advection_scale(&a->method);
    text[0] = 0;
    if (record[1] < 0) return;
    if (!finite) snprintf(text, 160, "the time step was beyond stability from t = %.4g on", from);
    else
        snprintf(text, 160, "the time step was beyond stability (from t = %.4g on, up to %.3g times what is stable; "
                 "Courant number %.3g)", from, times, record[0]);
}

/* A stage: for each derivative 2 words a point, and the pass: derivatives and u read, a word or two written, the sum as
 * well. The arithmetic of the pass is that of the expressions, which nobody counts. */
static struct sw_cost cost(const struct sw_sim *sim, int64_t steps)
{
    const struct advection_sim *a = of(sim);
    const double word = (double)a->word;
    double derivatives = 0;
    (void)steps;
    for (int d = 0; d < SW_DIMS; d++) derivatives += a->model.moves[d] + (a->diffuses && a->setup.n[d] > 1);
    const double pass = derivatives + (a->method.rk->fields > 2 ? 4 : 3);
    return (struct sw_cost){a->method.rk->stages * word * (2 * derivatives + pass), NAN};
}

static void destroy(struct sw_sim *sim)
{
    struct advection_sim *a = of(sim);
    if (!a) return;
    if (a->ops->destroy) a->ops->destroy(a);
    const struct advection_part *p = &a->whole;
    void *array[] = {p->now,      p->next,    p->sum,     p->slope[0], p->slope[1],
                     p->slope[2], p->bend[0], p->bend[1], p->bend[2]};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) sw_device_free(a->device, array[k]);
    unmake_parts(a);
    advection_model_free(&a->model);
    sw_free(a->team);
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
    .get_record = get_record,
    .set_record = set_record,
    .comment = comment,
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

/* Which row does the differences; without any, the config's, or where the passes are. */
static const char *row_of(const struct advection_sim *a, const struct advection_filter *f)
{
    for (int d = 0; d < SW_DIMS; d++) {
        const struct sw_fd *any[] = {a->whole.first[d], a->whole.second[d], f->fd[d]};
        for (int k = 0; k < 3; k++)
            if (any[k]) return sw_fd_name(any[k]);
    }
    return a->setup.solver ? a->setup.solver : a->ops->name;
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
    a->whole.count = 1;
    enum sw_status st = make_differences(a, a->device, &a->whole);
    if (!st && a->method.filter) st = make_filter(a, a->device, &f);
    snprintf(a->solver, sizeof a->solver, "%s", row_of(a, &f));
    for (int d = 0; d < SW_DIMS; d++) sw_fd_destroy(&f.fd[d]);
    unmake_part(&a->whole);
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
    SW_TRY_TO(failed, st, sw_alloc((size_t)device->threads, &a->team));
    SW_TRY_TO(failed, st, advection_model_make(setup, &a->model));
    a->watch_every = watch_every(&a->model);
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
               + (size_t)setup->ncolumn * sizeof(double) + sizeof(struct advection_run)
               + sizeof(struct advection_watch) + sizeof(int64_t);
    if (advection_row(device->space)->absent) return SW_OK;
    struct advection_model model;
    SW_TRY(advection_model_make(setup, &model));
    advection_row(device->space)->bytes(setup, &model, fixed, per_run);
    advection_model_free(&model);
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
