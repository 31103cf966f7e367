#include "problem/bvp/bvp_warnings.h"

#include <math.h>
#include <stdio.h>

#include "base/sw_mem.h"
#include "field/compatibility.h"
#include "field/evaluate.h"
#include "problem/bvp/sw_bvp.h"
#include "problem/given.h"

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
enum sw_status bvp_name_given(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                              const double *column, int64_t j, const double *span, char text[200])
{
    const bool known = sw_setup_find(setup, "left.dirichlet") != NULL;
    const struct sw_given given[] = {{.key = "f", .known[0][0] = known}, {.key = "q", .known[0][0] = known}, {0}};
    const struct sw_setup one = setup_of_run(setup, ld, column, j);
    (void)problem;
    return sw_given_name(&one, ld, column, j, given, span, text);
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
    if (!desc.zero_mean || !q.points.program || one.n[0] < 2 || one.n[0] > SW_GIVEN_VALUES) return SW_OK;
    if (of_f) SW_TRY(flux_at(&desc, &q.points, 0, desc.left.neumann, &west));
    if (of_f) SW_TRY(flux_at(&desc, &q.points, one.n[0] - 1, desc.right.neumann, &east));
    q.fluxes = east - west;
    SW_TRY(sw_alloc((size_t)one.n[0], &q.values));
    const enum sw_status st = judge(&q, fabs(west) + fabs(east), kind, mean);
    sw_free(q.values);
    return st;
}

/* Of a mean that is comparable to f and the fluxes. */
static enum sw_status warn_mean(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                const double *column, int64_t j, const double *state, char text[200])
{
    const struct sw_setup one = setup_of_run(setup, ld, column, j);
    const double length = sw_setup_grid(&one, ld, column, j).dx[0] * (double)(one.n[0] - 1);
    struct sw_bvp_result result = {.fault = SW_BVP_INCOMPATIBLE};
    enum sw_mean_kind kind;
    char why[160];
    (void)problem, (void)state;
    text[0] = 0;
    SW_TRY(look_at_mean(setup, ld, column, j, true, &kind, &result.excess));
    result.defect = result.excess * length;
    sw_bvp_explain(&result, why);
    if (kind == SW_MEAN_OF_TEXT) snprintf(text, 200, "%s: the run will fail", why);
    return SW_OK;
}

/* u has the mean 0, and is compared with exact as it is. */
static enum sw_status warn_exact(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, const double *state, char text[200])
{
    enum sw_mean_kind kind;
    double mean;
    (void)problem, (void)state;
    text[0] = 0;
    SW_TRY(look_at_mean(setup, ld, column, j, false, &kind, &mean));
    if (kind != SW_MEAN_OF_GRID && isfinite(mean)) sw_mean_say_exact(mean, text);
    return SW_OK;
}

const struct sw_run_warning bvp_warnings[] = {
    {.warn = sw_given_warn}, {.warn = warn_mean}, {.warn = warn_exact, .of_result = true}, {0}};
