#include "field/evaluate.h"

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"

/* ------------------------------------------------------------------ by one thread */

enum sw_status sw_evaluator_create(const struct sw_program *program, const int64_t n[SW_DIMS], struct sw_evaluator *e)
{
    static const enum sw_input slot[SW_DIMS] = {SW_IN_X, SW_IN_Y, SW_IN_Z};
    const int64_t points = sw_points(n);  /* a short run is not to pay for more than it has */
    const size_t room = points < SW_EVALUATOR_POINTS ? (size_t)points : SW_EVALUATOR_POINTS;
    *e = (struct sw_evaluator){.n = {n[0], n[1], n[2]}};
    SW_TRY(sw_alloc((SW_DIMS + 1) * room, &e->x[0]));
    for (int d = 1; d < SW_DIMS; d++) e->x[d] = e->x[0] + (size_t)d * room;
    for (int d = 0; d < SW_DIMS; d++) e->uses[d] = sw_program_uses_input(program, slot[d]);
    e->value = e->x[0] + SW_DIMS * room;
    return sw_eval_create(program, (int)room, &e->eval);
}

void sw_evaluator_destroy(struct sw_evaluator *e)
{
    sw_eval_destroy(&e->eval);
    sw_free(e->x[0]);
    *e = (struct sw_evaluator){0};
}

void sw_evaluator_begin(struct sw_evaluator *e, const struct sw_grid *grid, const double *column, int64_t stride,
                        double t, int64_t step)
{
    e->grid = *grid;
    e->t = t;
    e->step = step;
    sw_eval_run(e->eval, column, stride);
}

/* The coordinates of points first .. first + count - 1, by the lines along x that they lie in. */
static void set_coordinates(struct sw_evaluator *e, int64_t first, int count)
{
    const struct sw_grid *g = &e->grid;
    for (int from = 0, to; from < count; from = to) {
        const int64_t i = (first + from) % e->n[0], line = (first + from) / e->n[0];
        const double y = sw_grid_at(g, 1, line % e->n[1]), z = sw_grid_at(g, 2, line / e->n[1]);
        to = e->n[0] - i < count - from ? from + (int)(e->n[0] - i) : count;
        for (int p = from; g->panel && p < to; p++) {
            double at[SW_DIMS];
            sw_grid_point(g, (const int64_t[SW_DIMS]){i + (p - from), line % e->n[1], line / e->n[1]}, at);
            for (int d = 0; d < SW_DIMS; d++) e->x[d][p] = at[d];
        }
        if (g->panel) continue;
        for (int p = from; e->uses[0] && p < to; p++)
            e->x[0][p] = sw_grid_at(g, 0, i + (p - from));
        for (int p = from; e->uses[1] && p < to; p++) e->x[1][p] = y;
        for (int p = from; e->uses[2] && p < to; p++) e->x[2][p] = z;
    }
}

/* The number in the whole grid of a point of the slab. Of slabs along y the points that follow it in its line have the
 * next ones. */
static int64_t number_of(const struct sw_evaluator *e, int64_t point)
{
    const int64_t *before = e->grid.first, *n = e->n, line = point / n[0];
    if (!e->grid.lines) return (before[2] * n[1] + before[1]) * n[0] + before[0] + point;
    return ((before[2] + line / n[1]) * e->grid.lines + before[1] + line % n[1]) * n[0] + point % n[0];
}

static void evaluate_numbered(struct sw_evaluator *e, int64_t first, int count, double *value)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = e->x[0], [SW_IN_Y] = e->x[1], [SW_IN_Z] = e->x[2]};
    set_coordinates(e, first, count);
    sw_eval_number_from(e->eval, (int)number_of(e, first));
    sw_eval_cells(e->eval, count, in);
    sw_eval_step(e->eval, e->t, e->step);
    sw_eval_points(e->eval, count, in, value);
}

void sw_evaluator_points(struct sw_evaluator *e, int64_t first, int count, double *value)
{
    for (int from = 0, here; from < count; from += here) {
        const int64_t left = e->grid.lines ? e->n[0] - (first + from) % e->n[0] : count;
        here = left < count - from ? (int)left : count - from;
        evaluate_numbered(e, first + from, here, value + from);
    }
}

/* ------------------------------------------------------------------ by all threads */

struct sw_pieces sw_pieces_of(const struct sw_sampling *at)
{
    int64_t a_line = (at->n[0] + SW_EVALUATOR_POINTS - 1) / SW_EVALUATOR_POINTS;
    return (struct sw_pieces){at, a_line, a_line * at->n[1] * at->n[2]};
}

static struct sw_piece piece_of(const struct sw_pieces *p, int64_t number)
{
    const int64_t *n = p->at->n, line = number / p->a_line, i = number % p->a_line * SW_EVALUATOR_POINTS;
    return (struct sw_piece){.number = number, .first = line * n[0] + i, .index = {i, line % n[1], line / n[1]},
                             .count = (int)(n[0] - i < SW_EVALUATOR_POINTS ? n[0] - i : SW_EVALUATOR_POINTS)};
}

enum sw_status sw_pieces_each(const struct sw_pieces *pieces, sw_piece_function *function, void *own)
{
    const struct sw_sampling *at = pieces->at;
    struct sw_err_kept failure = {0};
#pragma omp parallel num_threads(at->threads) if (pieces->count > 1)
    {
        struct sw_evaluator e;
        enum sw_status st = sw_evaluator_create(at->program, at->n, &e);
#pragma omp critical(sw_pieces_failure)
        sw_err_keep(&failure, st);
        if (!st) sw_evaluator_begin(&e, &at->grid, at->column, at->stride, 0, 0);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < pieces->count; k++) {
            const struct sw_piece piece = piece_of(pieces, k);
            if (!st) function(&piece, &e, own);
        }
        sw_evaluator_destroy(&e);
    }
    return sw_err_raise(&failure);
}

struct values { void *out; size_t word; int64_t line[2]; };

static void store_piece(const struct sw_piece *piece, struct sw_evaluator *e, void *own)
{
    const struct values *v = own;
    const int64_t at = piece->index[0] + piece->index[1] * v->line[0] + piece->index[2] * v->line[1];
    sw_evaluator_points(e, piece->first, piece->count, e->value);
    sw_reals_put(v->out, v->word, (size_t)at, e->value, (size_t)piece->count);
}

enum sw_status sw_sample(const struct sw_sampling *at, bool single, void *out)
{
    const struct sw_pieces pieces = sw_pieces_of(at);
    struct values v = {out, sw_reals_word(single), {at->line[0], at->line[1]}};
    if (!v.line[0]) v.line[0] = at->n[0], v.line[1] = at->n[0] * at->n[1];
    return sw_pieces_each(&pieces, store_piece, &v);
}
