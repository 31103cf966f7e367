/* The initial values of a batch of `advection`, by all threads. */
#include "base/sw_mem.h"
#include "problem/advection/advection_impl.h"

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
    sw_eval_number_from(w->eval, (int)first);
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

enum sw_status advection_draw(const struct advection_sim *a, double *u)
{
    const struct sw_function *initial = sw_setup_find(&a->setup, "initial");
    const size_t piece = a->points < 4096 ? a->points : 4096;
    struct sw_err_kept failure = {0};
    if (sw_expr_is_random(initial->expr) && a->points > INT32_MAX)
        return SW_FAIL(SW_E_ARG, "initial: noise on more than %d points is not possible", INT32_MAX);
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
