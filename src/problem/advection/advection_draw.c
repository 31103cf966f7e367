/* The initial values of a batch of `advection`, by all threads. */
#include "base/sw_mem.h"
#include "field/evaluate.h"
#include "problem/advection/advection_impl.h"

enum { POINTS = SW_EVALUATOR_POINTS };

/* Points first .. of run j, up to POINTS of them. */
static void initialise_points(const struct advection_sim *a, struct sw_evaluator *initial, int j, size_t first,
                              double *u)
{
    const struct sw_grid g = sw_setup_grid(&a->setup, a->count, a->column, j);
    const size_t left = a->points - first;
    sw_evaluator_begin(initial, &g, a->column + j, a->count, 0, 0);
    sw_evaluator_points(initial, (int64_t)first, left < POINTS ? (int)left : POINTS, u + (size_t)j * a->points + first);
}

enum sw_status advection_draw(const struct advection_sim *a, double *u)
{
    const struct sw_function *initial = sw_setup_find(&a->setup, "initial");
    struct sw_err_kept failure = {0};
    if (sw_expr_is_random(initial->expr) && a->points > INT32_MAX)
        return SW_FAIL(SW_E_ARG, "initial: noise on more than %d points is not possible", INT32_MAX);
    const int64_t pieces = (int64_t)((a->points + POINTS - 1) / POINTS), items = a->count * pieces;
#pragma omp parallel num_threads(a->device->threads) if (items > 1)
    {
        struct sw_evaluator e;
        enum sw_status st = sw_evaluator_create(initial->program, a->setup.n, &e);
#pragma omp critical(sw_advection_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < items; k++)
            if (!st) initialise_points(a, &e, (int)(k / pieces), (size_t)(k % pieces) * POINTS, u);
        sw_evaluator_destroy(&e);
    }
    return sw_err_raise(&failure);
}
