/* The error norms of the runs of a batch at their end. */
#include "base/sw_mem.h"
#include "field/norms.h"
#include "run/batch_impl.h"

static void measure_run(const struct sw_setup *setup, struct sw_evaluator *exact, int count, int j,
                        const double *column, const double *u, int64_t steps, struct sw_run_result *result)
{
    const struct sw_grid g = sw_setup_grid(setup, count, column, j);
    sw_evaluator_begin(exact, &g, column + j, count, (double)steps * g.dt, steps);
    result->row.err = sw_norms_of_run(exact, u);
}

enum sw_status norms_measure(const struct sw_setup *setup, int threads, int count, const double *column,
                             const double *u, int64_t steps, struct sw_run_result *result)
{
    const struct sw_program *program = sw_setup_function(setup, "exact");
    const size_t points = (size_t)sw_points(setup->n);
    struct sw_err_kept failure = {0};
#pragma omp parallel num_threads(threads)
    {
        struct sw_evaluator exact;
        enum sw_status st = sw_evaluator_create(program, setup->n, &exact);
#pragma omp critical(sw_norms_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(dynamic, 8)
        for (int j = 0; j < count; j++)
            if (!st && result[j].row.status == SW_RUN_DONE)
                measure_run(setup, &exact, count, j, column, u + (size_t)j * points, steps, &result[j]);
        sw_evaluator_destroy(&exact);
    }
    return sw_err_raise(&failure);
}
