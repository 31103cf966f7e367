/* The problem `compact`: compact finite differences of a field that an expression gives (docs/explanation/compact.md),
 * and their difference from the exact result, which is derived from the expression. A derivative, filter or
 * interpolation along one axis; or the gradient, divergence or Laplacian. There is no time.
 *
 * Where the grid is cut over ranks (setup->domain), create() and advance() are collective over all of them: they return
 * SW_OK on all ranks or on none, and norms, and where a run is not finite, are the same on all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "comm/sw_comm.h"
#include "fd/sw_fd.h"
#include "fd/sw_fd_nabla.h"
#include "field/norms.h"
#include "problem/device/sampler.h"
#include "problem/nonfinite.h"
#include "problem/grid_keys.h"
#include "problem/sw_problem.h"

enum compact_operator { COMPACT_DERIVATIVE, COMPACT_GRADIENT, COMPACT_DIVERGENCE, COMPACT_LAPLACIAN };

/* What the words of a run mean. */
struct compact_method {
    enum compact_operator operator;
    const struct sw_fd_scheme *scheme;
    const char *boundary;
    int         axis;   /* of a derivative: the other operators differentiate along all axes of the grid */
    bool        walls;  /* at the ends of each axis that is differentiated along                         */
};

/* ------------------------------------------------------------------ what the words of a run mean */

static const char *const axes[SW_DIMS] = {"x", "y", "z"};

static const char *const operators[] = {"derivative", "gradient", "divergence", "laplacian", NULL};
static const char *operator_word(int k) { return operators[k]; }

static struct compact_method method_of(const struct sw_setup *setup)
{
    struct compact_method m = {.operator = COMPACT_DERIVATIVE,
                               .scheme = sw_fd_scheme_find(sw_setup_word(setup, "scheme")),
                               .boundary = sw_setup_word(setup, "boundary")};
    while (m.axis < SW_DIMS - 1 && !sw_setup_chosen(setup, "axis", axes[m.axis])) m.axis++;
    while (operators[m.operator] && !sw_setup_chosen(setup, "operator", operators[m.operator])) m.operator++;
    m.walls = strcmp(m.boundary, "periodic") != 0;
    return m;
}

static bool runs_along(const struct compact_method *m, int dim, int d)
{
    return m->operator == COMPACT_DERIVATIVE ? d == m->axis : d < dim;
}

static int inputs_of(const struct compact_method *m, int dim) { return m->operator == COMPACT_DIVERGENCE ? dim : 1; }

static int results_of(const struct compact_method *m, int dim) { return m->operator == COMPACT_GRADIENT ? dim : 1; }

static const char *const component[SW_DIMS] = {"vector.x", "vector.y", "vector.z"};

static const char *input_key(const struct compact_method *m, int k)
{
    return m->operator == COMPACT_DIVERGENCE ? component[k] : "field";
}

static bool walls(const struct sw_setup *setup, int d)
{
    const struct compact_method m = method_of(setup);
    return m.walls && runs_along(&m, SW_DIMS, d);
}

/* ------------------------------------------------------------------ what is refused */

/* Gradient and divergence take the schemes of first derivatives, the Laplacian those of second ones: the other kinds
 * have their results elsewhere, or are no derivatives. */
static const char *refuse_scheme(const struct compact_method *m, struct sw_text *why)
{
    const enum sw_fd_kind wanted = m->operator == COMPACT_LAPLACIAN ? SW_FD_SECOND : SW_FD_FIRST;
    const bool second = wanted == SW_FD_SECOND;
    if (m->operator == COMPACT_DERIVATIVE || m->scheme->kind == wanted) return NULL;
    sw_text_set(why, "the %s takes a scheme of %s derivatives at the points:", operators[m->operator],
                second ? "second" : "first");
    for (int k = 0; sw_fd_schemes[k]; k++)
        if (sw_fd_schemes[k]->kind == wanted)
            sw_text_printf(why, " %s", sw_fd_schemes[k]->name);
    return "scheme";
}

/* A function that the operator needs and the config does not give. */
static const char *refuse_inputs(const struct sw_setup *setup, const struct compact_method *m, int dim,
                                 struct sw_text *why)
{
    for (int k = 0; k < inputs_of(m, dim); k++) {
        if (sw_setup_find(setup, input_key(m, k))) continue;
        return sw_refuse(why, input_key(m, k), "the %s on a grid of %d dimension%s needs it", operators[m->operator],
                         dim, dim == 1 ? "" : "s");
    }
    return NULL;
}

/* What the config sets and the operator ignores. */
static const char *refuse_unused(const struct sw_setup *setup, const struct compact_method *m, struct sw_text *why)
{
    const bool divergence = m->operator == COMPACT_DIVERGENCE;
    const char *key = m->operator != COMPACT_DERIVATIVE && m->axis > 0 ? "axis" : NULL;
    if (divergence && sw_setup_find(setup, "field")) key = "field";
    for (int k = 0; k < SW_DIMS; k++)
        if (!divergence && sw_setup_find(setup, component[k])) key = component[k];
    return sw_refuse(why, key, "operator = \"%s\" does not use it", operators[m->operator]);
}

static const char *const n_of[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};

/* An axis along which there are fewer points than the scheme needs. */
static const char *refuse_points(const struct sw_setup *setup, const struct compact_method *m, int ld,
                                 const double *column, int j, int dim, struct sw_text *why)
{
    const int least = sw_fd_min_points(m->scheme->name, m->boundary);
    for (int d = 0; d < dim; d++) {
        if (!runs_along(m, dim, d) || sw_setup_number(setup, n_of[d], ld, column, j) >= least) continue;
        return sw_refuse(why, n_of[d], "%s, %s needs at least %d points along %s", m->scheme->name, m->boundary, least,
                         axes[d]);
    }
    return NULL;
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why)
{
    const struct compact_method m = method_of(setup);
    const double alpha = sw_setup_number(setup, "alpha", ld, column, j);
    const int dim = (int)sw_setup_number(setup, "grid.dim", ld, column, j);
    const char *key;
    (void)solver;
    if (m.operator == COMPACT_DERIVATIVE && m.axis >= dim)
        return sw_refuse(why, "axis", "there is no %s on a grid of %d dimension%s", axes[m.axis], dim,
                         dim == 1 ? "" : "s");
    if ((key = refuse_scheme(&m, why)) || (key = refuse_inputs(setup, &m, dim, why))) return key;
    if ((key = refuse_unused(setup, &m, why))) return key;
    if (!sw_fd_min_points(m.scheme->name, m.boundary)) {
        sw_text_set(why, "%s has no closure \"%s\"; it has ", m.scheme->name, m.boundary);
        sw_fd_add_boundaries(m.scheme, why);
        return "boundary";
    }
    if ((key = refuse_points(setup, &m, ld, column, j, dim, why))) return key;
    const char *refusal = sw_fd_alpha_refusal(m.scheme, m.boundary, alpha);
    return sw_refuse(why, refusal ? "alpha" : NULL, "%s", refusal ? refusal : "");
}

/* Of what order a family is. */
static enum sw_status describe_order(const struct sw_setup *setup, struct sw_text *text)
{
    const struct compact_method m = method_of(setup);
    const struct sw_fd_scheme *s = m.scheme;
    if (s->higher_order)
        sw_text_printf(text, "order    %d for every alpha between -1/2 and 1/2, %d for alpha = %d/%d%s\n", s->order,
                       s->higher_order, s->alpha.num, s->alpha.den,
                       m.walls ? "; closures at walls have orders of their own" : "");
    return SW_OK;
}

static const char *idle_key(const struct sw_setup *setup, struct sw_text *why)
{
    const struct sw_fd_scheme *s = method_of(setup).scheme;
    return s->any_alpha ? NULL : sw_refuse(why, "alpha", "the coefficients of %s are fixed", s->name);
}

/* A float is off by up to 2^-24 of itself, a second difference of four such by 2^-22/h² of the field; of a derivative
 * that is (2 pi/L)² times the field that is 2^-22 (n/2 pi)². (Seen: 5e-3 at n = 1024 of d2_c6, where this is 6e-3.) */
static void warn_rounding(const struct sw_setup *setup, struct sw_text *text)
{
    const struct compact_method m = method_of(setup);
    int64_t n = 1;
    for (int d = 0; d < setup->dim; d++)
        if (runs_along(&m, setup->dim, d) && sw_setup_whole(setup, d) > n) n = sw_setup_whole(setup, d);
    const double waves = (double)n / (2 * 3.14159265358979323846), floor = ldexp(waves * waves, -22);
    if (setup->single_steps && m.scheme->kind == SW_FD_SECOND && floor > 1e-4)
        sw_text_set(text, "%s in single precision on %lld points: rounding leaves about %.1g of a wave as long as the "
                    "domain; use run.precision = \"double\"", m.scheme->name, (long long)n, floor);
}

static enum sw_status name_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *span, struct sw_text *text)
{
    const struct compact_method m = method_of(setup);
    struct sw_config_text given[SW_DIMS + 1] = {{0}};
    struct sw_setup one = *setup;
    one.dim = (int)sw_setup_number(setup, "grid.dim", ld, column, j);
    one.domain.all = NULL;
    for (int d = 0; d < SW_DIMS; d++) {
        one.n[d] = (int64_t)sw_setup_number(setup, n_of[d], ld, column, j);
        one.walls[d] = m.walls && d < one.dim && runs_along(&m, one.dim, d);
    }
    for (int k = 0; k < inputs_of(&m, one.dim); k++) given[k].key = input_key(&m, k);
    return sw_nonfinite_name(&one, ld, column, j, given, span, text);
}

static const struct sw_run_warning warnings[] = {{.warn = sw_nonfinite_warn}, {0}};

/* Away from the walls: the middle half of each line that ends at some, in points of this rank. What the closure does
 * there decays as rho^w over w points, rho < 1/2, so that it is gone long before h^p is, as n grows. Without walls it
 * is all of the line. */
static struct sw_interior interior_of(const struct sw_setup *setup)
{
    struct sw_interior in;
    for (int d = 0; d < SW_DIMS; d++) {
        const int64_t n = sw_setup_whole(setup, d), first = setup->domain.all ? setup->domain.first[d] : 0;
        const int64_t less = setup->walls[d] ? n / 4 : 0;
        in.first[d] = less - first;
        in.last[d] = n - less - first;
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
    struct sw_device_sampler *f_there[SW_DIMS], *exact_there[SW_DIMS];  /* they evaluate inputs and exact results in the
                                            memory of the device; all NULL: the host does               */
    int               count;
    double           *column;    /* [ncolumn][count]; room for capacity                                 */
    struct sw_fd     *fd;        /* of a derivative: for runs with the step and alpha of `along[axis]`  */
    struct sw_fd_nabla *nabla;   /* of the other operators: for runs with the steps of `along`          */
    struct sw_fd_desc along[SW_DIMS];
    size_t            element;   /* bytes of a number of the field                                      */
    void             *f[SW_DIMS], *g[SW_DIMS];      /* [points] on the host: inputs, results; NULL where the device
                                            evaluates, but for g where fields are saved                 */
    void             *d_f[SW_DIMS], *d_g[SW_DIMS];  /* the same on a device; NULL: the host is it       */
    char             *saved;     /* [2][results][count][points]: results, errors; NULL: none are saved  */
    struct sw_difference *difference;  /* [capacity]                                                    */
    char            (*why)[160]; /* [capacity] why a run cannot begin, "" if it can                     */
};

/* Differences along axis d. @param h  of the grid along it; 1 where the scheme does not use it, as with alpha
 *  @param alpha  of a filter, or a family */
static struct sw_fd_desc describe(const struct sw_setup *setup, int d, double h, double alpha)
{
    const struct compact_method m = method_of(setup);
    return (struct sw_fd_desc){.n = {setup->n[0], setup->n[1], setup->n[2]},
                               .axis = d,
                               .fields = 1,
                               .scheme = m.scheme->name,
                               .boundary = m.boundary,
                               .h = sw_fd_derivative(m.scheme->kind) ? h : 1,
                               .alpha = m.scheme->any_alpha ? alpha : 0,
                               .single = setup->single_steps,
                               .comm = setup->domain.all ? setup->domain.along[d] : NULL};
}

/* @param along  out [SW_DIMS] */
static void describe_run(const struct compact_sim *c, int j, struct sw_fd_desc *along)
{
    const struct sw_grid g = sw_setup_grid(&c->setup, c->count, c->column, j);
    const double alpha = sw_setup_number(&c->setup, "alpha", c->count, c->column, j);
    for (int d = 0; d < SW_DIMS; d++) along[d] = describe(&c->setup, d, g.dx[d], alpha);
}

static bool same_differences(const struct compact_sim *c, const struct sw_fd_desc *along)
{
    bool same = c->fd || c->nabla;
    for (int d = 0; d < SW_DIMS; d++)
        if (runs_along(&c->method, c->setup.dim, d))
            same = same && c->along[d].h == along[d].h && c->along[d].alpha == along[d].alpha;
    return same;
}

/* Whether all ranks can go on. */
static enum sw_status agree(const struct compact_sim *c, enum sw_status st)
{
    return sw_comm_agree(c->setup.domain.all, st);
}

static enum sw_status make_differences(struct compact_sim *c)
{
    const struct sw_fd_desc *along = c->along;
    const struct compact_method *m = &c->method;
    const struct sw_fd_desc *x = &along[0];
    struct sw_fd_nabla_desc all = {.n = {x->n[0], x->n[1], x->n[2]}, .scheme = x->scheme, .alpha = x->alpha,
                                   .single = x->single, .sums = m->operator == COMPACT_DIVERGENCE};
    if (m->operator == COMPACT_DERIVATIVE) return sw_fd_create(&along[m->axis], c->setup.solver, c->device, &c->fd);
    for (int d = 0; d < SW_DIMS; d++) {
        all.boundary[d] = along[d].boundary;
        all.h[d] = along[d].h;
        all.along[d] = along[d].comm;
    }
    return sw_fd_nabla_create(&all, c->setup.solver, c->device, &c->nabla);
}

/* The differences for these steps and alpha, which are those of all ranks: those at hand, or new ones. */
static enum sw_status prepare(struct compact_sim *c, const struct sw_fd_desc *along)
{
    if (same_differences(c, along)) return SW_OK;
    sw_fd_destroy(&c->fd);
    sw_fd_nabla_destroy(&c->nabla);
    memcpy(c->along, along, sizeof c->along);
    return agree(c, make_differences(c));
}

static const char *solver_name(const struct sw_sim *sim)
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    if (c->nabla) return sw_fd_nabla_name(c->nabla);
    return c->fd ? sw_fd_name(c->fd) : c->setup.solver ? c->setup.solver : "";
}

/* The line that the ranks share, as if it were in one piece: what is wrong with it is wrong for all ranks. */
static enum sw_status check_line(const struct compact_sim *c, const struct sw_fd_desc *along)
{
    struct sw_fd_desc whole = *along;
    whole.n[whole.axis] = sw_setup_whole(&c->setup, whole.axis);
    whole.comm = NULL;
    return sw_fd_check(&whole);
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
            if (runs_along(&c->method, c->setup.dim, d)) st = check_line(c, &along[d]);
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
    if (c->f_there[0]) return apply_operator(c, c->d_f, c->d_g);
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

static int64_t all_points(const struct compact_sim *c)
{
    int64_t n[SW_DIMS];
    for (int d = 0; d < SW_DIMS; d++) n[d] = sw_setup_whole(&c->setup, d);
    return sw_points(n);
}

/* d := that of all ranks: sums in their order, and the first point of the whole grid that is not finite on any. */
static enum sw_status join_ranks(const struct compact_sim *c, struct sw_difference *d)
{
    const struct sw_comm *all = c->setup.domain.all;
    double sums[2] = {d->sums.difference, d->sums.exact}, most[3] = {d->sums.largest, d->norms.interior, -INFINITY};
    if (!all) return SW_OK;
    if (d->bad >= 0) most[2] = -(double)sw_setup_number_in_whole(&c->setup, d->bad);
    SW_TRY(sw_comm_sum(all, 2, sums));
    SW_TRY(sw_comm_max(all, 3, most));
    d->sums = (struct sw_norm_sums){sums[0], sums[1], most[0]};
    d->norms = sw_norms_from_sums(&d->sums, all_points(c));
    d->norms.interior = most[1];
    d->bad = isinf(most[2]) ? -1 : (int64_t)-most[2];
    return SW_OK;
}

/* Compare result k of run j with the exact one, and save both it and its error. */
static enum sw_status compare_here(struct compact_sim *c, int j, int k, const struct sw_sampling *exact,
                                   const struct sw_interior *interior, struct sw_difference *d)
{
    save(c, j, k, c->g[k]);
    SW_TRY(sw_compare(exact, interior, c->setup.single_steps, c->g[k], c->saved ? c->g[k] : NULL, d));
    save(c, j, c->results + k, c->g[k]);
    return SW_OK;
}

/* The same on the device: only fields that are saved come to the host. */
static enum sw_status compare_there(struct compact_sim *c, int j, int k, const struct sw_sampling *exact,
                                    const struct sw_interior *interior, struct sw_difference *d)
{
    const size_t bytes = (size_t)sw_points(c->setup.n) * c->element;
    if (c->saved) SW_TRY(sw_device_download(c->device, c->g[k], c->d_g[k], bytes));
    save(c, j, k, c->g[k]);
    SW_TRY(sw_device_compare(c->exact_there[k], exact, interior, c->setup.single_steps, c->d_g[k], c->saved != NULL,
                             d));
    if (c->saved) SW_TRY(sw_device_download(c->device, c->g[k], c->d_g[k], bytes));
    save(c, j, c->results + k, c->g[k]);
    return SW_OK;
}

/* Compare result k of run j with the exact one. */
static enum sw_status compare(struct compact_sim *c, int j, int k)
{
    const struct sw_interior interior = interior_of(&c->setup);
    const int axis = c->method.axis;
    struct sw_sampling exact = sampling(c, j, c->exact[k]);
    struct sw_difference d;
    if (sw_fd_at_midpoints(c->method.scheme->kind)) exact.grid.x0[axis] += 0.5 * exact.grid.dx[axis];
    SW_TRY(agree(c, (c->f_there[0] ? compare_there : compare_here)(c, j, k, &exact, &interior, &d)));
    SW_TRY(join_ranks(c, &d));
    if (k) add_component(&c->difference[j], &d, all_points(c));
    else c->difference[j] = d;
    return SW_OK;
}

static enum sw_status sample(const struct compact_sim *c, int j)
{
    for (int k = 0; k < c->inputs; k++) {
        const struct sw_sampling field = sampling(c, j, sw_setup_function(&c->setup, input_key(&c->method, k)));
        struct sw_sample_found found;
        if (!c->f_there[k]) SW_TRY(sw_sample(&field, c->setup.single_steps, c->f[k]));
        else SW_TRY(sw_device_sample(c->f_there[k], &field, c->setup.single_steps, NULL, NULL, c->d_f[k], &found));
    }
    return SW_OK;
}

static enum sw_status solve(struct compact_sim *c, int j)
{
    const size_t bytes = (size_t)sw_points(c->setup.n) * c->element;
    struct sw_fd_desc along[SW_DIMS];
    describe_run(c, j, along);
    SW_TRY(prepare(c, along));
    SW_TRY(agree(c, sample(c, j)));
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
        if (!c->saved) continue;
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

static void explain(const struct sw_sim *sim, int j, struct sw_text *text)
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    struct sw_grid g = sw_setup_grid(&c->setup, c->count, c->column, j);
    int64_t at = c->difference[j].bad;  /* of the whole grid */
    sw_text_set(text, "the field or its derivative is not finite at");
    for (int d = 0; d < c->setup.dim; at /= sw_setup_whole(&c->setup, d), d++) {
        g.first[d] = 0;
        sw_text_printf(text, "%s %s = %.6g", d ? "," : "", axes[d],
                       sw_grid_at(&g, d, at % sw_setup_whole(&c->setup, d)));
    }
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
        sw_device_sampler_destroy(&c->f_there[d]);
        sw_device_sampler_destroy(&c->exact_there[d]);
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
    const struct sw_expr *expr = sw_setup_find(setup, input_key(m, input))->expr;
    struct sw_expr *derived = NULL;
    *result = NULL;
    for (int k = 0; k < sw_fd_derivative(m->scheme->kind); k++) {
        enum sw_status st = sw_expr_derivative(expr, axes[d], &derived);
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
    for (int d = 0; d < SW_DIMS && !st; d++) symbol[d] = (struct sw_symbol){axes[d], SW_RATE_CELL, slot[d]};
    for (int i = 0; i < setup->scope->count && !st; i++) symbol[scope.count++] = setup->scope->symbol[i];
    scope.symbol = symbol;
    if (!st)
        st = sw_program_compile(derived ? derived : sw_setup_find(setup, input_key(m, 0))->expr, &scope, program,
                                &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "'%s', its derivative: %s", input_key(m, 0), err.text);
    sw_expr_destroy(&derived);
    sw_free(symbol);
    return st;
}

/* Whether the device is to evaluate, where it can. Fields of fewer points the host has evaluated before the kernels are
 * compiled. */
static bool evaluates_there(const struct sw_setup *setup, const struct sw_device *device)
{
    return device->space == SW_DEVICE && sw_points(setup->n) >= INT64_C(1) << 20;
}

/* @param on_host  whether the host has these fields, too */
static enum sw_status allocate_fields(struct compact_sim *c, int count, bool on_host, void **host, void **device)
{
    const size_t points = (size_t)sw_points(c->setup.n);
    for (int k = 0; k < count; k++) {
        if (on_host) SW_TRY(sw_alloc_bytes(points, c->element, &host[k]));
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
    SW_TRY(allocate_fields(c, c->inputs, !c->f_there[0], c->f, c->d_f));
    SW_TRY(allocate_fields(c, c->results, !c->f_there[0] || c->setup.fields, c->g, c->d_g));
    if (!c->setup.fields) return SW_OK;
    return sw_alloc_bytes(2 * (size_t)c->results * room * points, sw_reals_word(c->setup.single), &c->saved);
}

/* All samplers, or none where there is no compiler for kernels. */
static enum sw_status make_samplers(struct compact_sim *c)
{
    enum sw_status st = SW_OK;
    if (!evaluates_there(&c->setup, c->device)) return SW_OK;
    for (int k = 0; k < c->inputs && !st; k++)
        st = sw_device_sampler_create(sw_setup_function(&c->setup, input_key(&c->method, k)), c->setup.ncolumn,
                                      c->device, &c->f_there[k]);
    for (int k = 0; k < c->results && !st; k++)
        st = sw_device_sampler_create(c->exact[k], c->setup.ncolumn, c->device, &c->exact_there[k]);
    for (int k = 0; k < SW_DIMS && st; k++) {
        sw_device_sampler_destroy(&c->f_there[k]);
        sw_device_sampler_destroy(&c->exact_there[k]);
    }
    return st == SW_E_ABSENT ? SW_OK : st;
}

static enum sw_status make_parts(struct compact_sim *c)
{
    for (int k = 0; k < c->results; k++) SW_TRY(compile_exact(&c->setup, &c->method, k, &c->exact[k]));
    SW_TRY(make_samplers(c));
    return allocate(c);
}

/* Any grid might have a step of 1. */
static enum sw_status create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    struct sw_fd_desc along[SW_DIMS];
    enum sw_status st;
    struct compact_sim *c = NULL;
    *sim = NULL;
    st = sw_alloc(1, &c);
    st = sw_comm_agree(setup->domain.all, st);
    if (st) goto failed;
    c->sim.ops = &compact_ops;
    c->setup = *setup;
    c->device = device;
    c->method = method_of(setup);
    c->inputs = inputs_of(&c->method, setup->dim);
    c->results = results_of(&c->method, setup->dim);
    c->element = sw_reals_word(setup->single_steps);
    for (int d = 0; d < SW_DIMS; d++) along[d] = describe(setup, d, 1, SW_FD_SOME_ALPHA);
    SW_TRY_TO(failed, st, agree(c, make_parts(c)));
    st = sw_setup_suggest_cpu(setup, device, prepare(c, along));
    if (st) goto failed;
    *sim = &c->sim;
    return SW_OK;
failed:
    if (c) destroy(&c->sim);
    return st;
}

/* Of so many fields, as they are computed. */
static size_t bytes_of(const struct sw_setup *setup, int fields)
{
    return (size_t)fields * (size_t)sw_points(setup->n) * sw_reals_word(setup->single_steps);
}

/* What the differences along axes that are cut over ranks have beside: those of a sum, but for the first, are added. */
static size_t cut_bytes(const struct sw_setup *setup, const struct sw_device *device)
{
    static const int order[SW_DIMS] = {2, 0, 1};
    const struct compact_method m = method_of(setup);
    const bool sum = m.operator == COMPACT_DIVERGENCE || m.operator == COMPACT_LAPLACIAN;
    size_t bytes = 0;
    for (int k = 0, added = 0; k < SW_DIMS; k++) {
        struct sw_fd_desc along = describe(setup, order[k], 1, SW_FD_SOME_ALPHA);
        if (!runs_along(&m, setup->dim, order[k])) continue;
        bytes += sw_fd_cut_bytes(&along, NULL, device);
        along.add = true;
        if (sum && added++) bytes += sw_fd_cut_bytes(&along, NULL, device);
    }
    return bytes;
}

/* Inputs and results, on the host, too, where it evaluates or saves them; what is saved stays there. */
static enum sw_status bytes_of_batch(const struct sw_setup *setup, const struct sw_device *device,
                                     struct sw_batch_bytes *bytes)
{
    const struct compact_method m = method_of(setup);
    const int inputs = inputs_of(&m, setup->dim), results = results_of(&m, setup->dim);
    const size_t saved = 2 * (size_t)results * (size_t)sw_points(setup->n);
    bytes->fixed = bytes_of(setup, inputs + results) + cut_bytes(setup, device);
    bytes->fixed_on_host = bytes_of(setup, !evaluates_there(setup, device) ? inputs + results
                                                                           : setup->fields ? results : 0);
    bytes->per_run = device->space == SW_HOST && setup->fields ? saved * sw_reals_word(setup->single) : 0;
    return SW_OK;
}

/* ------------------------------------------------------------------ keys */

static const char *scheme_word(int k) { return sw_fd_schemes[k] ? sw_fd_schemes[k]->name : NULL; }

/* "periodic", then the names of the closures, each once. */
static const char *boundary_word(int k)
{
    if (k == 0) return "periodic";
    for (int c = 0; sw_fd_closures[c]; c++) {
        bool first = true;
        for (int earlier = 0; earlier < c; earlier++)
            first &= strcmp(sw_fd_closures[earlier]->name, sw_fd_closures[c]->name) != 0;
        if (first && --k == 0) return sw_fd_closures[c]->name;
    }
    return NULL;
}

#define VECTOR_KEY(axis)                                                                                      \
    {.path = "vector." axis, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,  \
     .about = "The component along " axis " of the vector whose divergence is formed, an expression in the "  \
              "coordinates; refused beside other operators."}

static const struct sw_key keys[] = {
    {.path = "operator", .kind = SW_KEY_WORD, .word = operator_word, .fallback = "derivative", .decides = true,
     .added_later = true, .common = true,
     .about = "What is formed: what the scheme makes of the field along one axis, `derivative`; or, along all axes of "
              "the grid with one scheme, the gradient of the field, the divergence of `vector` or the Laplacian of "
              "the field. It is one word for all runs, no axis."},
    {.path = "field", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,
     .about = "The field, an expression in the coordinates; the exact result is derived from it. All operators but the "
              "divergence need it; beside the divergence it is refused."},
    VECTOR_KEY("x"),
    VECTOR_KEY("y"),
    VECTOR_KEY("z"),
    {.path = "scheme", .kind = SW_KEY_WORD, .word = scheme_word, .fallback = "d1_c6", .decides = true,
     .about = "The scheme (docs/explanation/compact.md): d1 and d2 for first and second derivatives, d1s and mid for "
              "derivatives and values half-way between points, f for filters; c4 and the like for compact ones of that "
              "order, a2 and a4 for those of that order with any `alpha`. A filter's exact result is the field itself. "
              "Gradient and divergence take d1, the Laplacian d2."},
    {.path = "boundary", .kind = SW_KEY_WORD, .word = boundary_word, .fallback = "periodic", .decides = true,
     .about = "What the ends of the axis are, and of all axes unless the operator is `derivative`: periodic, or walls "
              "with closures of these orders in the first row, the second row and inside; refused where the scheme has "
              "no such closure. Axes without derivatives are sampled periodically."},
    {.path = "axis", .kind = SW_KEY_WORD, .words = "x|y|z", .fallback = "x", .decides = true,
     .about = "The axis along which the lines of a `derivative` run; the other operators take all axes, and no word "
              "but the default."},
    {.path = "alpha", .kind = SW_KEY_REAL, .unit = "1", .min = -0.5, .max = 0.5, .above = true, .fallback = "0.4",
     .decides = true,
     .about = "Of a filter, below 1/2: the larger, the shorter the waves that it takes. Of the families d1_a2, d1_a4, "
              "d2_a2 and d2_a4 the parameter, between -1/2 and 1/2, where the matrix is diagonally dominant. Other "
              "schemes do not use it."},
    {.path = "differences", .former = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "The row of the table of compact differences that does the lines, as `sweep list` names it, "
              "\"cpu.thomas\"; \"auto\" takes the best that fits, \"$axis\" the word of an axis."},
    SW_GRID_KEYS,
    {0},
};

static const struct sw_quantity fields[] = {
    {"g", "1", "result of the scheme"}, {"g_error", "1", "result less the exact one"}, {0}};

/* All components first, then their errors. */
#define G(axis) {"g_" axis, "1", "derivative along " axis}
#define G_ERROR(axis) {"g_" axis "_error", "1", "derivative along " axis " less the exact one"}
static const struct sw_quantity gradient[SW_DIMS][2 * SW_DIMS + 1] = {
    {G("x"), G_ERROR("x"), {0}},
    {G("x"), G("y"), G_ERROR("x"), G_ERROR("y"), {0}},
    {G("x"), G("y"), G("z"), G_ERROR("x"), G_ERROR("y"), G_ERROR("z"), {0}},
};

static const struct sw_quantity *fields_of(const struct sw_setup *setup)
{
    const struct compact_method m = method_of(setup);
    return m.operator == COMPACT_GRADIENT ? gradient[setup->dim - 1] : fields;
}

static const char example[] =
    "// First derivatives of a periodic field by compact schemes, compared with the exact one.\n"
    "title   = \"Compact schemes for the first derivative\";\n"
    "problem = \"compact\";\n"
    "sweep   = { order = [\"d1_c4\", \"d1_c6\", \"d1_c8\"];\n"
    "            n = [16, 32, 64, 128]; };\n"
    "grid    = { n = \"n\"; length = \"2*pi\"; };               // in 2-D and 3-D n = [nx, ny, nz]\n"
    "scheme  = \"$order\";                                    // the word of the axis\n"
    "boundary = \"periodic\";                                 // or walls with closures: \"3-4-6\"\n"
    "field   = \"exp(sin(x))\";                               // its derivative is worked out from this\n"
    "// fields = { precision = \"double\"; } in output saves g and its error, too\n"
    "output  = { file = \"results/compact.h5\"; };\n";

static const struct sw_problem_shape shape = {
    .min_points = 1, .max_dim = 3, .decomposes = true, .walls = walls, .fields_of = fields_of};
static const struct sw_problem_advice advice = {
    .describe = describe_order, .idle_key = idle_key, .warn_setup = warn_rounding, .warn_run = warnings,
    .name_nonfinite = name_nonfinite};

extern const struct sw_problem problem_compact;
const struct sw_problem problem_compact = {
    .name = "compact",
    .title = "Compact finite differences",
    .equation = "g = a derivative, shift or filter of a field along an axis, its gradient or Laplacian; a divergence",
    .example = example,
    .keys = keys,
    .fields = fields,
    .measures = SW_DERIVES_EXACT | SW_HAS_INTERIOR,
    .solver = sw_fd_row,
    .validate_run = validate_run,
    .bytes = bytes_of_batch,
    .create = create,
    .shape = &shape,
    .advice = &advice,
};
