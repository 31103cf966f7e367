#include <math.h>

#include "base/sw_mem.h"
#include "execute/execute_impl.h"

/* Pairwise, in an order that depends on n alone. */
static double sum(const double *v, int64_t n)
{
    if (n > 8) return sum(v, n / 2) + sum(v + n / 2, n - n / 2);
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += v[i];
    return s;
}

struct workspace {          /* of one thread */
    struct sw_eval *eval;
    double *x, *exact, *square;  /* [n] */
};

static void workspace_free(struct workspace *w)
{
    sw_eval_destroy(&w->eval);
    sw_free(w->x);
}

static enum sw_status workspace_make(const struct sw_program *program, int64_t n, struct workspace *w)
{
    *w = (struct workspace){0};
    SW_TRY(sw_alloc((size_t)n * 3, &w->x));
    w->exact = w->x + n;
    w->square = w->x + 2 * n;
    return sw_eval_create(program, (int)n, &w->eval);
}

static void measure(const struct sw_setup *setup, struct workspace *w, int count, int j, const double *column,
                    const double *u, int64_t steps, struct sw_run_result *result)
{
    const int64_t n = setup->n;
    const struct sw_grid g = sw_setup_grid(setup, count, column, j);
    double t = (double)steps * g.dt, worst = 0;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x, [SW_IN_U] = u};
    for (int64_t i = 0; i < n; i++) w->x[i] = g.x0 + (double)i * g.dx;
    sw_eval_run(w->eval, column + j, count);
    sw_eval_cells(w->eval, (int)n, in);
    sw_eval_step(w->eval, t, steps);
    sw_eval_points(w->eval, (int)n, in, w->exact);
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
    struct sw_err_kept failure = {0};
#pragma omp parallel num_threads(threads)
    {
        struct workspace w;
        enum sw_status st = workspace_make(exact, setup->n, &w);
#pragma omp critical(sw_norms_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(dynamic, 8)
        for (int j = 0; j < count; j++)
            if (!st && result[j].status == SW_RUN_DONE)
                measure(setup, &w, count, j, column, u + (size_t)j * (size_t)setup->n, steps, &result[j]);
        workspace_free(&w);
    }
    return sw_err_raise(&failure);
}
