/* The boundary value problem -(p u')' + q u = f (docs/explanation/bvp.md). A batch is solved by a row of
 * src/problem/bvp; this file has its keys, validates runs, makes problems of them, and says of a run what can be said
 * before. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "expr/sw_expr.h"
#include "field/compatibility.h"
#include "field/evaluate.h"
#include "problem/bvp/sw_bvp.h"
#include "problem/nonfinite.h"
#include "problem/sw_problem.h"

struct bvp_sim {
    struct sw_sim       sim;      /* first: the operations get a pointer to it */
    struct sw_setup     setup;
    int                 count;
    double             *column;   /* [ncolumn][count]; room for capacity       */
    struct sw_bvp_run  *run;      /* [capacity]                                */
    struct sw_bvp      *bvp;
    const void         *field;    /* of the batch solved; the solver's         */
    const struct sw_bvp_result *result;
};

static const char *const left[] = {"left.dirichlet", "left.neumann", "left.robin.0", "left.robin.1", "left.robin.2"},
                  *const right[] = {"right.dirichlet", "right.neumann", "right.robin.0", "right.robin.1",
                                    "right.robin.2"};

static struct sw_bvp_end describe_end(const struct sw_setup *setup, const char *const *key)
{
    struct sw_bvp_end e = {.dirichlet = sw_setup_function(setup, key[0]), .neumann = sw_setup_function(setup, key[1])};
    for (int k = 0; k < 3; k++) e.robin[k] = sw_setup_function(setup, key[2 + k]);
    return e;
}

struct sw_bvp_desc sw_bvp_describe(const struct sw_setup *setup)
{
    return (struct sw_bvp_desc){
        .n = setup->n[0],
        .capacity = setup->capacity,
        .single = setup->single_steps,
        .save = setup->fields,
        .save_single = setup->single,
        .nparam = setup->ncolumn,
        .f = sw_setup_function(setup, "f"),
        .exact = sw_setup_function(setup, "exact"),
        .p = sw_setup_function(setup, "p"),
        .q = sw_setup_function(setup, "q"),
        .left = describe_end(setup, left),
        .right = describe_end(setup, right),
        .zero_mean = sw_setup_chosen(setup, "gauge", "zero_mean"),
    };
}

static bool right_is_point(const struct sw_setup *setup)
{
    const struct sw_bvp_desc desc = {.right = describe_end(setup, right)};
    return sw_bvp_right_is_point(&desc);
}

static void points(const struct sw_setup *setup, int64_t n[SW_DIMS]) { n[0] += right_is_point(setup); }

static bool walls(const struct sw_setup *setup, int d) { return d == 0 && right_is_point(setup); }

static const char *solver_name(const struct sw_sim *sim) { return sw_bvp_name(((const struct bvp_sim *)sim)->bvp); }

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct bvp_sim *b = (struct bvp_sim *)sim;
    const double *r = column + (size_t)sw_setup_column(&b->setup, "r") * (size_t)count;
    for (int j = 0; j < count; j++) {
        struct sw_grid g = sw_setup_grid(&b->setup, count, column, j);
        b->run[j] = (struct sw_bvp_run){.h = g.dx[0], .x0 = g.x0[0], .r = (int64_t)r[j]};
        load_error[j] = sw_bvp_refusal(b->bvp, &b->run[j]);
    }
    for (size_t k = 0; k < (size_t)b->setup.ncolumn * (size_t)count; k++) b->column[k] = column[k];
    b->count = count;
    b->field = b->result = NULL;
    return SW_OK;
}

/* The one step. It waits for the solution: there is no other step to queue. */
static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct bvp_sim *b = (struct bvp_sim *)sim;
    if (from == to) return SW_OK;
    SW_TRY(sw_bvp_solve(b->bvp, b->count, b->run, b->column));
    return sw_bvp_fetch(b->bvp, &b->field, &b->result);
}

/* The snapshot is the solver's own output: it stays until the next batch. */
static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    (void)slot;
    *field = ((struct bvp_sim *)sim)->field;
    *scalars = NULL;
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct bvp_sim *b = (struct bvp_sim *)sim;
    for (int j = 0; j < b->count; j++) step[j] = b->result && b->result[j].fault != SW_BVP_FINE ? 1 : -1;
    return SW_OK;
}

static void explain(const struct sw_sim *sim, int j, struct sw_text *text)
{
    sw_bvp_explain(&((const struct bvp_sim *)sim)->result[j], text);
}

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    const struct bvp_sim *b = (struct bvp_sim *)sim;
    for (int j = 0; j < b->count; j++)
        norm[j] = (struct sw_norms){.l2 = b->result[j].rms, .max = b->result[j].max, .rel = b->result[j].rel,
                                    .interior = NAN};
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    const struct bvp_sim *b = (struct bvp_sim *)sim;
    for (int j = 0; j < b->count; j++) {
        record[SW_DIAGNOSTICS * j] = b->result ? b->result[j].excess : 0;
        record[SW_DIAGNOSTICS * j + 1] = b->result ? b->result[j].finer : 0;
    }
    return SW_OK;
}

static void warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    (void)sim, (void)j;
    if (finite) sw_mean_say_taken("f and the fluxes", record[0], record[1], text);
}

static void destroy(struct sw_sim *sim)
{
    struct bvp_sim *b = (struct bvp_sim *)sim;
    if (!b) return;
    sw_bvp_destroy(&b->bvp);
    sw_free(b->column);
    sw_free(b->run);
    sw_free(b);
}

static const struct sw_record_ops record_ops = {
    .numbers = SW_DIAGNOSTICS, .get = get_record, .warn = warn_result};

static const struct sw_sim_ops bvp_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = advance,
    .fetch = fetch,
    .diverged = diverged,
    .norms = norms,
    .explain = explain,
    .destroy = destroy,
    .records = &record_ops,
};

static enum sw_status create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct bvp_sim *b = NULL;
    const struct sw_bvp_desc desc = sw_bvp_describe(setup);
    *sim = NULL;
    SW_TRY(sw_alloc(1, &b));
    b->sim.ops = &bvp_ops;
    b->setup = *setup;
    SW_TRY_TO(failed, st, sw_alloc((size_t)setup->ncolumn * (size_t)setup->capacity, &b->column));
    SW_TRY_TO(failed, st, sw_alloc((size_t)setup->capacity, &b->run));
    SW_TRY_TO(failed, st, sw_bvp_create(&desc, setup->solver, device, &b->bvp));
    *sim = &b->sim;
    return SW_OK;
failed:
    destroy(&b->sim);
    return st;
}

static enum sw_status bvp_bytes(const struct sw_setup *setup, const struct sw_device *device,
                                struct sw_batch_bytes *bytes)
{
    const struct sw_bvp_desc desc = sw_bvp_describe(setup);
    return sw_bvp_bytes(&desc, setup->solver, device, &bytes->fixed, &bytes->per_run);
}

/* ---- what no run can do, whatever its numbers */

static const char *validate_end(const struct sw_bvp_end *e, const char *const *key, struct sw_text *why)
{
    const struct sw_program *const given[] = {e->dirichlet, e->neumann, e->robin[0]};
    const int side = (int)strcspn(*key, ".");
    const char *last = NULL;
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (given[k]) { last = key[k]; count++; }
    if (count > 1) return sw_refuse(why, last, "'%.*s' has more than one of dirichlet, neumann and robin", side, *key);
    if (!sw_program_is(e->robin[1], 0)) return NULL;
    return sw_refuse(why, key[3], "it is the beta of [alpha, beta, value] and must not be 0; where u itself is known "
                     "give %s", key[0]);
}

/* Whether an end gives u' alone. */
static bool only_neumann(const struct sw_bvp_end *e) { return e->neumann || sw_program_is(e->robin[0], 0); }

static const char *validate_ends(const struct sw_bvp_desc *d, struct sw_text *why)
{
    const bool left_empty = !d->left.dirichlet && !d->left.neumann && !d->left.robin[0];
    double p;
    const char *key = validate_end(&d->left, left, why);
    if (!key) key = validate_end(&d->right, right, why);
    if (key) return key;
    if (d->p && sw_program_constant(d->p, &p) && !(p > 0 && isfinite(p)))
        return sw_refuse(why, "p", "p must be positive and finite");
    if (d->zero_mean || (d->q && !sw_program_is(d->q, 0)) || !only_neumann(&d->right) ||
        !(left_empty || only_neumann(&d->left)))
        return NULL;
    sw_text_set(why, "with u' alone at both ends and q = 0, u is known but for a constant; gauge = \"zero_mean\" takes "
                "the one of mean 0");
    return d->right.neumann ? right[1] : right[2];
}

/* What an end gives must be numbers, for the run in column j. A robin end enters the equations as alpha/beta and
 * value/beta; a beta of 0 is reported by validate_end() or by the run. */
static const char *validate_finite(const struct sw_bvp_end *e, const char *const *key, int ld, const double *column,
                                   int j, struct sw_text *why)
{
    const struct sw_program *const given[] = {e->dirichlet, e->neumann, e->robin[0], e->robin[1], e->robin[2]};
    double v[5] = {0};
    for (int k = 0; k < 5; k++) {
        if (!given[k] || sw_program_over_runs(given[k], 1, column + j, ld, &v[k]) || isfinite(v[k])) continue;
        return sw_refuse(why, key[k], "it is %s, and must be finite", isnan(v[k]) ? "not a number" : "infinite");
    }
    if (!e->robin[0] || v[3] == 0 || (isfinite(v[2] / v[3]) && isfinite(v[4] / v[3]))) return NULL;
    const bool value = isfinite(v[2] / v[3]);
    return sw_refuse(why, key[3], "%s/beta = %g/%g overflows, in [alpha, beta, value]; where u itself is known give %s",
                     value ? "value" : "alpha", value ? v[4] : v[2], v[3], key[0]);
}

/* What the rows of the general problem, by name or taken by "auto", would not look at. Of the plain case, a sweep over
 * algorithms, and `sweep bench`, give one r to those that use it and to others. */
static const char *refuse_unused(const struct sw_setup *setup, const struct sw_bvp_desc *desc, const char *solver,
                                 double r, struct sw_text *why)
{
    const bool automatic = !solver || !strcmp(solver, "auto");
    if (!sw_bvp_solves_general(solver) && (!automatic || sw_bvp_plain(desc))) return NULL;
    if (setup->single_steps)
        return sw_refuse(why, "run.precision", "the general problem, by thomas, relations and lapack, is solved in "
                         "double precision only");
    if (!(r > 0)) return NULL;
    return sw_refuse(why, "r", "solver \"%s\" has no columns, and does not use it; a2s, a2d and a2sd do",
                     solver ? solver : "auto");
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why)
{
    const double n = column[sw_setup_column(setup, "grid.n") * ld + j],
                 r = column[sw_setup_column(setup, "r") * ld + j];
    const struct sw_bvp_desc desc = sw_bvp_describe(setup);
    const char *refusal = sw_bvp_gauge_refusal(&desc), *key = validate_ends(&desc, why);
    if (!key) key = validate_finite(&desc.left, left, ld, column, j, why);
    if (!key) key = validate_finite(&desc.right, right, ld, column, j, why);
    if (key) return key;
    if (refusal) return sw_refuse(why, "gauge", "%s", refusal);
    if ((key = refuse_unused(setup, &desc, solver, r, why))) return key;
    if (!sw_bvp_uses_columns(solver)) return NULL;
    if (!(n >= 1 && r >= 0) || sw_bvp_columns_fit((int64_t)n, (int64_t)r)) return NULL;
    return sw_refuse(why, "r", "%s needs r columns of at least two entries, 1 <= r <= %.0f here; r = 0 takes the "
                     "square root of n", solver, fmax(1, floor(n / 2)));
}

/* ------------------------------------------------------------------ numbers that are not finite */

/* A run is looked at before it is computed, and so are others. */
static struct sw_setup setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j)
{
    struct sw_setup one = *setup;
    const struct sw_bvp_desc desc = sw_bvp_describe(setup);
    one.walls[0] = sw_bvp_right_is_point(&desc);
    one.n[0] = (int64_t)column[sw_setup_column(setup, "grid.n") * ld + j] + one.walls[0];
    one.n[1] = one.n[2] = 1;
    return one;
}

/* f and q count at points where u is not given; p in between. */
static enum sw_status name_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *span, struct sw_text *text)
{
    const bool known = sw_setup_find(setup, "left.dirichlet") != NULL;
    const struct sw_config_text given[] = {{.key = "f", .known[0][0] = known}, {.key = "q", .known[0][0] = known}, {0}};
    const struct sw_setup one = setup_of_run(setup, ld, column, j);
    return sw_nonfinite_name(&one, ld, column, j, given, span, text);
}

/* ------------------------------------------------------------------ means, where a gauge wants them to be 0 */

/* Of a text over the line, and what the ends add to its integral. */
struct mean { struct sw_sampling points; double fluxes, *values; };

static enum sw_status finer_mean(void *context, const struct sw_gauss *rule, double *mean)
{
    const struct mean *q = context;
    struct sw_sampling inside = q->points;
    const double h = q->points.grid.dx[0];
    double sum = 0;
    inside.n[0]--;
    for (int k = 0; k < rule->count; k++) {
        inside.grid.x0[0] = q->points.grid.x0[0] + rule->at[k] * h;
        SW_TRY(sw_sample(&inside, false, q->values));
        for (int64_t i = 0; i < inside.n[0]; i++) sum += rule->weight[k] * q->values[i];
    }
    *mean = (sum + q->fluxes / h) / (double)inside.n[0];
    return SW_OK;
}

/* By the trapezoidal rule and the first finer one. */
static enum sw_status judge(struct mean *q, double sizes, enum sw_mean_kind *kind, double *mean)
{
    const int64_t n = q->points.n[0] - 1;
    const double length = q->points.grid.dx[0] * (double)n;
    double sum = 0, size = 0, finer;
    SW_TRY(sw_sample(&q->points, false, q->values));
    for (int64_t i = 0; i <= n; i++) {
        const double weight = i == 0 || i == n ? 0.5 : 1;
        sum += weight * q->values[i];
        size += weight * fabs(q->values[i]);
    }
    *mean = sum / (double)n + q->fluxes / length;
    const struct sw_mean_question question = {.mean = *mean, .size = size / (double)n + sizes / length,
                                              .rounding = 1e-9 * (size / (double)n + sizes / length),
                                              .cells = (size_t)n, .dim = 1, .brief = true, .finer = finer_mean,
                                              .context = q};
    *kind = SW_MEAN_OF_GRID;
    return fabs(*mean) <= question.rounding ? SW_OK : sw_mean_judge(&question, kind, &finer);
}

/* p u' at an end. */
static enum sw_status flux_at(const struct sw_bvp_desc *desc, const struct sw_sampling *points, int64_t i,
                              const struct sw_program *slope, double *flux)
{
    struct sw_sampling end = *points;
    double p = 1;
    *flux = 0;
    end.program = desc->p;
    end.n[0] = 1;
    end.grid.x0[0] = sw_grid_at(&points->grid, 0, i);
    if (desc->p) SW_TRY(sw_sample(&end, false, &p));
    if (slope) SW_TRY(sw_program_over_runs(slope, 1, points->column, points->stride, flux));
    *flux *= p;
    return SW_OK;
}

/* Of f with the fluxes at the ends, or of exact.
 * @param kind  out: SW_MEAN_OF_GRID as well where there is no such text or gauge, or there are too many points */
static enum sw_status look_at_mean(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   bool of_f, enum sw_mean_kind *kind, double *mean)
{
    const struct sw_bvp_desc desc = sw_bvp_describe(setup);
    const struct sw_setup one = setup_of_run(setup, ld, column, j);
    struct mean q = {.points = {.program = of_f ? desc.f : desc.exact, .n = {one.n[0], 1, 1},
                                .grid = sw_setup_grid(&one, ld, column, j), .column = column + j, .stride = ld,
                                .threads = 1}};
    double west = 0, east = 0;
    *kind = SW_MEAN_OF_GRID;
    if (!desc.zero_mean || !q.points.program || one.n[0] < 2 || one.n[0] > SW_NONFINITE_VALUES) return SW_OK;
    if (of_f) SW_TRY(flux_at(&desc, &q.points, 0, desc.left.neumann, &west));
    if (of_f) SW_TRY(flux_at(&desc, &q.points, one.n[0] - 1, desc.right.neumann, &east));
    q.fluxes = east - west;
    SW_TRY(sw_alloc((size_t)one.n[0], &q.values));
    const enum sw_status st = judge(&q, fabs(west) + fabs(east), kind, mean);
    sw_free(q.values);
    return st;
}

/* Of a mean that is comparable to f and the fluxes. */
static enum sw_status warn_mean(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                const double *state, struct sw_text *text)
{
    const struct sw_setup one = setup_of_run(setup, ld, column, j);
    const double length = sw_setup_grid(&one, ld, column, j).dx[0] * (double)(one.n[0] - 1);
    struct sw_bvp_result result = {.fault = SW_BVP_INCOMPATIBLE};
    enum sw_mean_kind kind;
    (void)state;
    SW_TRY(look_at_mean(setup, ld, column, j, true, &kind, &result.excess));
    result.defect = result.excess * length;
    if (kind != SW_MEAN_OF_TEXT) return SW_OK;
    sw_bvp_explain(&result, text);
    sw_text_add(text, ": the run will fail");
    return SW_OK;
}

/* u has the mean 0, and is compared with exact as it is. */
static enum sw_status warn_exact(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    enum sw_mean_kind kind;
    double mean;
    (void)state;
    SW_TRY(look_at_mean(setup, ld, column, j, false, &kind, &mean));
    if (kind != SW_MEAN_OF_GRID && isfinite(mean)) sw_mean_say_exact(mean, text);
    return SW_OK;
}

static const struct sw_run_warning warnings[] = {
    {.warn = sw_nonfinite_warn}, {.warn = warn_mean}, {.warn = warn_exact, .of_result = true}, {0}};

/* ------------------------------------------------------------------ what holds at the ends, in words */

static const char *text_of(const struct sw_setup *setup, const char *key)
{
    const struct sw_function *f = sw_setup_find(setup, key);
    return f ? f->text : NULL;
}

/* @param otherwise  what holds where nothing is given */
static void describe_end_of(const struct sw_setup *setup, const char *const *key, const char *otherwise,
                            struct sw_text *text)
{
    const char *u = text_of(setup, key[0]), *slope = text_of(setup, key[1]), *alpha = text_of(setup, key[2]);
    sw_text_printf(text, "%-9.*s", (int)strcspn(*key, "."), *key);
    if (u) sw_text_printf(text, "u = %s\n", u);
    else if (slope) sw_text_printf(text, "u' = %s\n", slope);
    else if (alpha)
        sw_text_printf(text, "(%s)*u + (%s)*u' = %s\n", alpha, text_of(setup, key[3]), text_of(setup, key[4]));
    else sw_text_printf(text, "%s\n", otherwise);
}

static enum sw_status describe(const struct sw_setup *setup, struct sw_text *text)
{
    describe_end_of(setup, left, "u' = 0", text);
    describe_end_of(setup, right, "u = 0", text);
    return SW_OK;
}

#define END(path_, what)                                                                            \
    {.path = path_, .kind = SW_KEY_FUNCTION, .fallback = "", .decides = true, .about = what}
#define ENDS(side, default_)                                                                        \
    END(side ".dirichlet", "The value of u at the " side " end" default_),                          \
    END(side ".neumann", "The derivative of u, along +x, at the " side " end."),                    \
    END(side ".robin.0", "The alpha in alpha u + beta u' = value at the " side " end, written "     \
        "robin = [alpha, beta, value]."),                                                           \
    END(side ".robin.1", "The beta there; not 0."), END(side ".robin.2", "The value there.")

static const struct sw_key keys[] = {
    {.path = "f", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X, .decides = true,
     .about = "The right-hand side, an expression in x."},
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,
     .about = "The exact solution in x; the error norms are taken against it, also where no field is saved."},
    {.path = "p", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,
     .about = "The coefficient p > 0 in -(p u')' + q u = f, an expression in x; 1 unless given."},
    {.path = "q", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,
     .about = "The coefficient q, an expression in x; 0 unless given."},
    ENDS("left", "; without anything given there, u' = 0."),
    ENDS("right", "; without anything given there, u = 0."),
    {.path = "gauge", .kind = SW_KEY_WORD, .words = "none|zero_mean", .fallback = "none", .decides = true,
     .about = "With u' alone at both ends and q = 0, u is known but for a constant: \"zero_mean\" takes the solution "
              "whose mean over the points is 0. f and the fluxes p u' have to balance, to the error of the grid, which "
              "is taken off f. Refused where u is determined."},
    {.path = "r", .kind = SW_KEY_COUNT, .unit = "1", .min = 0, .max = 1e12, .fallback = "0", .decides = true,
     .about = "Columns of the divide-and-conquer rows a2s, a2d and a2sd, at most n/2 (refused before any run where "
              "it does not fit); 0 takes the square root of n, rounded down."},
    {.path = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "How it is solved, as `sweep list` names it, \"cpu.a2d\", or without the place, \"a2d\"; \"auto\" takes "
              "the best that fits (of the general problem \"relations\" on a GPU where n is large, else \"thomas\"), "
              "\"$axis\" the word of an axis."},
    {.path = "grid.n", .kind = SW_KEY_COUNT, .unit = "points", .min = 1, .max = 1e12, .decides = true, .visible = true,
     .about = "Number of points, L/n apart, without the one at the right end. Where u is not given there, that point "
              "is saved and measured as well: n + 1 points."},
    {.path = "grid.length", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .fallback = "1",
     .decides = true, .visible = true,
     .about = "Length L of the interval; the points are x0 + i L/n, i = 0 .. n-1, and n where u is not given at the "
              "right end."},
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "solution"}, {0}};

static const char example[] =
    "// -u'' = f on [0, 1], u'(0) = 0, u(1) = 0: four sizes by each of the published algorithms and by our own.\n"
    "title   = \"The boundary value problem P1\";\n"
    "problem = \"bvp\";\n"
    "sweep   = { n = [1000, 10000, 100000, 1000000];\n"
    "            algorithm = [\"a1s\", \"a1d\", \"a2s\", \"a2d\", \"a2sd\", \"scan\"]; };\n"
    "grid    = { n = \"n\"; };                                 // x_i = i/n, i = 0 .. n-1\n"
    "solver  = \"$algorithm\";\n"
    "f       = \"pi^2/4*cos(pi/2*x)\";\n"
    "exact   = \"cos(pi/2*x)\";                               // switches the error norms on\n"
    "run     = { device = \"cpu\"; };                         // a1s and a1d are the CPU's\n"
    "output  = { file = \"results/bvp.h5\"; };               // fields = { precision = \"double\"; } saves u, too\n";

static const struct sw_problem_shape shape = {.min_points = 1, .walls = walls, .points = points};
static const struct sw_problem_advice advice = {
    .describe = describe, .warn_run = warnings, .name_nonfinite = name_nonfinite};

extern const struct sw_problem problem_bvp;
const struct sw_problem problem_bvp = {
    .name = "bvp",
    .title = "Boundary value problem",
    .equation = "-(p u')' + q u = f(x); p = 1, q = 0, u' = 0 at the left end, u = 0 at the right one unless given",
    .example = example,
    .keys = keys,
    .fields = fields,
    .solver = sw_bvp_row,
    .validate_run = validate_run,
    .bytes = bvp_bytes,
    .create = create,
    .shape = &shape,
    .advice = &advice,
};
