#include <math.h>

#include "base/sw_mem.h"
#include "run/run_impl.h"

/* Pairwise, in an order that depends on n alone. */
static double sum(const double *v, int64_t n)
{
    if (n > 8) return sum(v, n / 2) + sum(v + n / 2, n - n / 2);
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += v[i];
    return s;
}

/* A field is gone through line by line along x; sums are over all of it at once. */
struct workspace {          /* of one thread */
    struct sw_eval *eval;
    double *at[SW_DIMS];    /* [n[0]] coordinates of the points of a line */
    double *exact, *square; /* [points]                                   */
};

static void workspace_free(struct workspace *w)
{
    sw_eval_destroy(&w->eval);
    for (int d = 0; d < SW_DIMS; d++) sw_free(w->at[d]);
    sw_free(w->exact);
    sw_free(w->square);
}

static enum sw_status workspace_make(const struct sw_program *program, const struct sw_setup *setup,
                                     struct workspace *w)
{
    const size_t points = (size_t)sw_points(setup->n);
    *w = (struct workspace){0};
    for (int d = 0; d < setup->dim; d++) SW_TRY(sw_alloc((size_t)setup->n[0], &w->at[d]));
    SW_TRY(sw_alloc(points, &w->exact));
    SW_TRY(sw_alloc(points, &w->square));
    return sw_eval_create(program, (int)setup->n[0], &w->eval);
}

/* The exact solution on line `line`, of those one after another along y, then z. */
static void exact_line(const struct sw_setup *setup, struct workspace *w, const struct sw_grid *g, int64_t line,
                       double t, int64_t steps)
{
    const int64_t n = setup->n[0], index[SW_DIMS] = {0, line % setup->n[1], line / setup->n[1]};
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->at[0], [SW_IN_Y] = w->at[1], [SW_IN_Z] = w->at[2]};
    for (int d = 1; d < setup->dim; d++)
        for (int64_t i = 0; i < n; i++) w->at[d][i] = g->x0[d] + (double)index[d] * g->dx[d];
    sw_eval_cells(w->eval, (int)n, in);
    sw_eval_step(w->eval, t, steps);
    sw_eval_points(w->eval, (int)n, in, w->exact + line * n);
}

static void measure(const struct sw_setup *setup, struct workspace *w, int count, int j, const double *column,
                    const double *u, int64_t steps, struct sw_run_result *result)
{
    const int64_t n = sw_points(setup->n), lines = n / setup->n[0];
    const struct sw_grid g = sw_setup_grid(setup, count, column, j);
    double t = (double)steps * g.dt, worst = 0;
    for (int64_t i = 0; i < setup->n[0]; i++) w->at[0][i] = g.x0[0] + (double)i * g.dx[0];
    sw_eval_run(w->eval, column + j, count);
    for (int64_t line = 0; line < lines; line++) exact_line(setup, w, &g, line, t, steps);
    for (int64_t i = 0; i < n; i++) {
        double d = fabs(u[i] - w->exact[i]);
        if (!(d <= worst)) worst = d;  /* also when d is NaN */
        w->square[i] = d * d;
    }
    double difference = sum(w->square, n);
    for (int64_t i = 0; i < n; i++) w->square[i] = w->exact[i] * w->exact[i];
    result->err_l2 = sqrt(difference / (double)n);
    result->err_max = worst;
    result->err_rel = sqrt(difference) / sqrt(sum(w->square, n));
}

enum sw_status norms_measure(const struct sw_setup *setup, int threads, int count, const double *column,
                             const double *u, int64_t steps, struct sw_run_result *result)
{
    const struct sw_program *exact = sw_setup_function(setup, "exact");
    const size_t points = (size_t)sw_points(setup->n);
    struct sw_err_kept failure = {0};
#pragma omp parallel num_threads(threads)
    {
        struct workspace w;
        enum sw_status st = workspace_make(exact, setup, &w);
#pragma omp critical(sw_norms_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(dynamic, 8)
        for (int j = 0; j < count; j++)
            if (!st && result[j].status == SW_RUN_DONE)
                measure(setup, &w, count, j, column, u + (size_t)j * points, steps, &result[j]);
        workspace_free(&w);
    }
    return sw_err_raise(&failure);
}
