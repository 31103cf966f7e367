#include "field/reduce.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "field/sum.h"

/* Points evaluated at once, a multiple of SW_SUM_LANES: points of a line stay in their lanes from block to block. */
enum { BLOCK = 16 * SW_SUM_LANES };

/* Waking the other threads up takes as long as one thread takes for so many values. */
enum { FEW_VALUES = 16384 };

/* ------------------------------------------------------------------ what threads have */

struct expression {              /* of a thread */
    struct sw_eval *argument[SW_REDUCTIONS_MOST], *value;
    double         *number;      /* [first_result + count] those that the programs take        */
};

struct worker {
    struct expression *expression;  /* [count]                                                 */
    double *x, *y, *z, *v;          /* [BLOCK] coordinates; values                             */
    double *around;                 /* [unknowns][n + 2 SW_REACH] a line with its neighbours   */
    double *beside;                 /* [most_beside][BLOCK] neighbours on a grid               */
    const double **in;              /* [SW_INPUTS + most_beside] what programs take in         */
    double *of_lines;               /* [lines] what each line gives: of runs by one thread     */
    void   *beyond;                 /* what lies beyond walls; NULL: polynomials               */
};

struct sw_reducer {
    struct sw_reducer_desc desc;
    size_t  points;
    int64_t lines;
    double  weights;             /* their sum                                                   */
    bool    derives;             /* some argument takes neighbours along x                      */
    int     most_beside;         /* neighbours on a grid that an argument takes                 */
    bool    first, last;         /* of a part of a line, for crossings: whether its first value, and its last, was
                                    negative                                                    */
    struct worker *worker;       /* [threads]                                                   */
};

static enum sw_status create_expression(const struct sw_reduction *r, struct expression *e)
{
    for (int k = 0; k < r->count; k++) SW_TRY(sw_eval_create(r->reduced[k].argument, BLOCK, &e->argument[k]));
    SW_TRY(sw_eval_create(r->value, 1, &e->value));
    return sw_alloc((size_t)(r->first_result + r->count), &e->number);
}

static void destroy_expression(struct expression *e)
{
    for (int k = 0; k < SW_REDUCTIONS_MOST; k++) sw_eval_destroy(&e->argument[k]);
    sw_eval_destroy(&e->value);
    sw_free(e->number);
}

/* How far along an axis of a grid an argument asks for an unknown. */
static int reach_along(const struct sw_reduced *part, int unknown, int axis)
{
    int reach = 0;
    for (int k = 0; k < part->neighbours; k++) {
        const int far = abs(part->neighbour[k].offset[axis]);
        if (part->neighbour[k].unknown == unknown && far > reach) reach = far;
    }
    return reach;
}

static size_t around_size(const struct sw_reducer *r) { return (size_t)r->desc.n[0] + 2 * SW_REACH; }

/* Points beyond each end that any argument takes. */
static void find_most(const struct sw_reducer_desc *d, int64_t most[SW_DIMS])
{
    for (int a = 0; a < SW_DIMS; a++) most[a] = 0;
    for (int e = 0; e < d->count; e++)
        for (int k = 0; k < d->reduction[e]->count; k++)
            for (int unknown = 0; unknown < d->unknowns; unknown++)
                for (int a = 0; a < SW_DIMS; a++) {
                    const int reach = reach_along(&d->reduction[e]->reduced[k], unknown, a);
                    most[a] = reach > most[a] ? reach : most[a];
                }
}

static enum sw_status create_worker(const struct sw_reducer *r, struct worker *w)
{
    int64_t most[SW_DIMS];
    find_most(&r->desc, most);
    if (r->desc.beyond && r->most_beside) SW_TRY(r->desc.beyond->create(r->desc.beyond_context, most, &w->beyond));
    SW_TRY(sw_alloc((size_t)r->desc.count, &w->expression));
    for (int e = 0; e < r->desc.count; e++) SW_TRY(create_expression(r->desc.reduction[e], &w->expression[e]));
    SW_TRY(sw_alloc(4 * (size_t)BLOCK, &w->x));
    w->y = w->x + BLOCK;
    w->z = w->y + BLOCK;
    w->v = w->z + BLOCK;
    if (r->derives) SW_TRY(sw_alloc((size_t)r->desc.unknowns * around_size(r), &w->around));
    SW_TRY(sw_alloc((size_t)r->most_beside * BLOCK, &w->beside));
    SW_TRY(sw_alloc((size_t)(SW_INPUTS + r->most_beside), &w->in));
    w->in[SW_IN_X] = w->x;
    w->in[SW_IN_Y] = w->y;
    w->in[SW_IN_Z] = w->z;
    for (int k = 0; k < r->most_beside; k++) w->in[SW_INPUTS + k] = w->beside + (size_t)k * BLOCK;
    return sw_alloc((size_t)r->lines, &w->of_lines);
}

static void destroy_worker(const struct sw_reducer *r, struct worker *w)
{
    for (int e = 0; w->expression && e < r->desc.count; e++) destroy_expression(&w->expression[e]);
    sw_free(w->expression);
    sw_free(w->x);
    sw_free(w->around);
    sw_free(w->beside);
    sw_free(w->in);
    sw_free(w->of_lines);
    if (r->desc.beyond) r->desc.beyond->destroy(w->beyond);
}

enum sw_status sw_reducer_create(const struct sw_reducer_desc *desc, struct sw_reducer **reducer)
{
    enum sw_status st;
    struct sw_reducer *r = NULL;
    *reducer = NULL;
    SW_TRY(sw_alloc(1, &r));
    r->desc = *desc;
    r->points = (size_t)sw_points(desc->n);
    r->lines = desc->n[1] * desc->n[2];
    r->weights = 1;
    for (int e = 0; e < desc->count; e++)
        for (int k = 0; k < desc->reduction[e]->count; k++) {
            const struct sw_reduced *part = &desc->reduction[e]->reduced[k];
            r->derives |= part->reach > 0;
            if (part->neighbours > r->most_beside) r->most_beside = part->neighbours;
        }
    for (int d = 0; d < SW_DIMS; d++) {
        if (!desc->combine) r->desc.whole[d] = desc->n[d];
        if (!desc->combine) r->desc.first[d] = 0;
        r->weights *= (double)(r->desc.whole[d] - desc->walls[d]);
    }
    SW_TRY_TO(failed, st, sw_alloc((size_t)desc->threads, &r->worker));
    for (int k = 0; k < desc->threads; k++) SW_TRY_TO(failed, st, create_worker(r, &r->worker[k]));
    *reducer = r;
    return SW_OK;
failed:
    sw_reducer_destroy(&r);
    return st;
}

void sw_reducer_destroy(struct sw_reducer **reducer)
{
    struct sw_reducer *r = reducer ? *reducer : NULL;
    if (!r) return;
    for (int k = 0; r->worker && k < r->desc.threads; k++) destroy_worker(r, &r->worker[k]);
    sw_free(r->worker);
    sw_free(r);
    *reducer = NULL;
}

/* ------------------------------------------------------------------ a line */

/* What the values of a line give, value by value. */
struct line {
    enum sw_reduction_kind kind;
    double lane[SW_SUM_LANES];     /* of sums                                             */
    double extreme;
    double crossings;
    bool   first, last;            /* whether the first value, and the last, was negative */
    bool   nan;
};

static void add_block(struct line *l, int64_t from, int count, const double *v)
{
    switch (l->kind) {
    case SW_REDUCTION_MEAN: case SW_REDUCTION_INTEGRAL:
        for (int base = 0; base < count; base += SW_SUM_LANES) {
            const int width = count - base < SW_SUM_LANES ? count - base : SW_SUM_LANES;
            for (int k = 0; k < width; k++) l->lane[k] += v[base + k];
        }
        return;
    case SW_REDUCTION_MIN:
        for (int i = 0; i < count; i++)
            if ((from == 0 && i == 0) || v[i] < l->extreme || v[i] != v[i]) l->extreme = v[i];
        return;
    case SW_REDUCTION_MAX:
        for (int i = 0; i < count; i++)
            if ((from == 0 && i == 0) || v[i] > l->extreme || v[i] != v[i]) l->extreme = v[i];
        return;
    case SW_REDUCTION_CROSSINGS:
        if (from == 0) l->first = l->last = v[0] < 0;
        for (int i = 0; i < count; i++) {
            l->crossings += (v[i] < 0) != l->last;
            l->last = v[i] < 0;
            l->nan |= v[i] != v[i];
        }
        return;
    case SW_REDUCTION_KINDS: return;
    }
}

/* Whether the lines along x are cut over ranks: there is but one then. */
static bool has_part_of_line(const struct sw_reducer *r) { return r->desc.n[0] < r->desc.whole[0]; }

/* @param periodic  along x, and whole */
static double end_line(struct line *l, bool periodic)
{
    switch (l->kind) {
    case SW_REDUCTION_MEAN: case SW_REDUCTION_INTEGRAL: return sw_sum_of_lanes(l->lane);
    case SW_REDUCTION_MIN: case SW_REDUCTION_MAX: return l->extreme;
    case SW_REDUCTION_CROSSINGS: return l->nan ? NAN : l->crossings + (periodic && l->first != l->last);
    case SW_REDUCTION_KINDS: break;
    }
    return NAN;
}

/* Where a thread is. */
struct run {
    struct sw_reducer *r;
    const struct sw_grid *grid;
    const double *field;
    double t;
    const void *beyond;  /* of the worker that began it */
};

/* The trapezoidal rule: 1/2 at the ends of an axis between walls. Halving is exact. */
static double weight(const struct sw_reducer *r, int d, int64_t i)
{
    const int64_t at = r->desc.first[d] + i;
    return r->desc.walls[d] && (at == 0 || at == r->desc.whole[d] - 1) ? 0.5 : 1.0;
}

/* Beyond the ends of a line between walls the polynomial through the last six points goes on (of a shorter one through
 * all): its sixth difference is 0. So differences of up to the fourth order have errors of dx² at the ends, too. */
static void extrapolate(double *line, int64_t n)
{
    const int points = n < 6 ? (int)n : 6;
    for (int k = 1; k <= SW_REACH; k++) {
        double *before = &line[-k], *after = &line[n - 1 + k], factor = 1;
        *before = *after = 0;
        for (int j = 1; j <= points; j++) {
            factor *= -(double)(points - j + 1) / j;  /* (-1)^j times a binomial coefficient */
            *before -= factor * before[j];
            *after -= factor * after[-j];
        }
    }
}

/* A line along x of all unknowns, with the points beyond its ends. */
static void surround(const struct run *run, struct worker *w, int64_t line)
{
    const struct sw_reducer *r = run->r;
    const int64_t n = r->desc.n[0];
    for (int u = 0; u < r->desc.unknowns; u++) {
        const double *from = run->field + (size_t)u * r->points + (size_t)(line * n);
        double *to = w->around + (size_t)u * around_size(r) + SW_REACH;
        memcpy(to, from, (size_t)n * sizeof *to);
        if (r->desc.walls[0]) extrapolate(to, n);
        for (int k = 1; k <= SW_REACH && !r->desc.walls[0]; k++) {
            to[-k] = from[n - k];
            to[n - 1 + k] = from[k - 1];
        }
    }
}

/* Whether it is at a wall of axis d, and beyond one of an axis before: where walls meet the later one may give u. */
static bool is_corner(const struct run *run, const int64_t at[SW_DIMS], int d)
{
    const struct sw_reducer_desc *desc = &run->r->desc;
    bool before = false;
    if (!run->beyond || !desc->walls[d] || (at[d] > 0 && at[d] < desc->n[d] - 1)) return false;
    for (int a = 0; a < d; a++) before |= desc->walls[a] && (at[a] < 0 || at[a] >= desc->n[a]);
    return before;
}

/* An unknown at a point, which along the first of `axes` may be beyond the ends. Between walls it is what the
 * conditions say, or what extrapolate() has there: a sum of six points, for each axis beyond whose ends the point
 * is. */
static double value_at(const struct run *run, const struct sw_reduced *part, int unknown, const int64_t at[SW_DIMS],
                       int axes)
{
    const struct sw_reducer *r = run->r;
    const double *u = run->field + (size_t)unknown * r->points;
    if (axes == 0) return u[(at[2] * r->desc.n[1] + at[1]) * r->desc.n[0] + at[0]];
    const int d = axes - 1;
    const int64_t n = r->desc.n[d], inwards = at[d] < 0 ? 1 : -1;
    int64_t moved[SW_DIMS] = {at[0], at[1], at[2]};
    double factor = 1, sum = 0;
    if (at[d] >= 0 && at[d] < n) {
        if (is_corner(run, at, d) && r->desc.beyond->at(run->beyond, unknown, d, 0, at, &factor, &sum)) return sum;
        return value_at(run, part, unknown, at, d);
    }
    if (!r->desc.walls[d]) {
        moved[d] = (at[d] + n) % n;
        return value_at(run, part, unknown, moved, d);
    }
    if (run->beyond && r->desc.beyond->at(run->beyond, unknown, d, reach_along(part, unknown, d), at, &factor, &sum)) {
        moved[d] = at[d] < 0 ? -at[d] : 2 * (n - 1) - at[d];
        return factor * value_at(run, part, unknown, moved, d) + sum;
    }
    const int points = n < 6 ? (int)n : 6;
    for (int j = 1; j <= points; j++) {
        factor *= -(double)(points - j + 1) / j;
        moved[d] = at[d] + j * inwards;
        sum -= factor * value_at(run, part, unknown, moved, axes);
    }
    return sum;
}

/* Neighbour k of points from .. from + count - 1 of a line. */
static void fill_beside(const struct run *run, struct worker *w, const struct sw_reduced *part, int k, int64_t line,
                        int64_t from, int count)
{
    const struct sw_reducer *r = run->r;
    const struct sw_reduced_neighbour *b = &part->neighbour[k];
    const double *u = run->field + (size_t)b->unknown * r->points;
    double *out = w->beside + (size_t)k * BLOCK;
    int64_t at[SW_DIMS] = {0, line % r->desc.n[1] + b->offset[1], line / r->desc.n[1] + b->offset[2]};
    for (int d = 1; d < SW_DIMS; d++)
        if (!r->desc.walls[d]) at[d] = (at[d] + r->desc.n[d]) % r->desc.n[d];
    const bool inside = at[1] >= 0 && at[1] < r->desc.n[1] && at[2] >= 0 && at[2] < r->desc.n[2];
    const double *row = u + (inside ? (at[2] * r->desc.n[1] + at[1]) * r->desc.n[0] : 0);
    for (int i = 0; i < count; i++) {
        at[0] = from + i + b->offset[0];
        out[i] = inside && at[0] >= 0 && at[0] < r->desc.n[0] ? row[at[0]]
                                                                 : value_at(run, part, b->unknown, at, SW_DIMS);
    }
}

/* Of the points of line number `line`, what reduction k of an expression makes. */
static double reduce_line(const struct run *run, struct worker *w, int e, int k, int64_t line)
{
    const struct sw_reducer *r = run->r;
    const int64_t nx = r->desc.n[0], j[2] = {line % r->desc.n[1], line / r->desc.n[1]};
    struct sw_eval *eval = w->expression[e].argument[k];
    struct line l = {.kind = r->desc.reduction[e]->reduced[k].kind};
    const bool sum = l.kind == SW_REDUCTION_MEAN || l.kind == SW_REDUCTION_INTEGRAL;
    const struct sw_reduced *part = &r->desc.reduction[e]->reduced[k];
    const double **in = w->in;
    const int reach = part->reach;
    if (reach) surround(run, w, line);
    for (int64_t from = 0; from < nx; from += BLOCK) {
        const int count = nx - from < BLOCK ? (int)(nx - from) : BLOCK;
        for (int i = 0; i < count; i++) {
            w->x[i] = sw_grid_at(run->grid, 0, from + i);
            w->y[i] = sw_grid_at(run->grid, 1, j[0]);
            w->z[i] = sw_grid_at(run->grid, 2, j[1]);
        }
        for (int u = 0; u < r->desc.unknowns; u++) {
            in[sw_input_at(u, 0)] = run->field + (size_t)u * r->points + (size_t)(line * nx + from);
            for (int offset = -SW_REACH; reach && offset <= SW_REACH; offset++)
                in[sw_input_at(u, offset)] = w->around + (size_t)u * around_size(r) + from + SW_REACH + offset;
        }
        for (int b = 0; b < part->neighbours; b++) fill_beside(run, w, part, b, line, from, count);
        sw_eval_cells(eval, count, in);
        sw_eval_points(eval, count, in, w->v);
        if (sum && from == 0) w->v[0] *= weight(r, 0, 0);
        if (sum && from + count == nx && nx > 1) w->v[count - 1] *= weight(r, 0, nx - 1);
        add_block(&l, from, count, w->v);
    }
    if (has_part_of_line(r)) {
        run->r->first = l.first;
        run->r->last = l.last;
    }
    const double result = end_line(&l, !r->desc.walls[0] && !has_part_of_line(r));
    return sum ? result * (weight(r, 1, j[0]) * weight(r, 2, j[1])) : result;
}

/* ------------------------------------------------------------------ a run */

/* Of the lines that are here. */
static double combine_lines(int64_t lines, enum sw_reduction_kind kind, const double *of_lines)
{
    double extreme = of_lines[0];
    switch (kind) {
    case SW_REDUCTION_MEAN: case SW_REDUCTION_INTEGRAL: case SW_REDUCTION_CROSSINGS:
        return sw_sum_pairwise(of_lines, lines);
    case SW_REDUCTION_MIN:
        for (int64_t k = 1; k < lines; k++)
            if (of_lines[k] < extreme || of_lines[k] != of_lines[k]) extreme = of_lines[k];
        return extreme;
    case SW_REDUCTION_MAX:
        for (int64_t k = 1; k < lines; k++)
            if (of_lines[k] > extreme || of_lines[k] != of_lines[k]) extreme = of_lines[k];
        return extreme;
    case SW_REDUCTION_KINDS: break;
    }
    return NAN;
}

/* Between this part of a line and the one before it. */
static double crossing_before(const struct sw_reducer *r)
{
    const double before = r->desc.before(r->desc.context, r->last);
    return isnan(before) ? NAN : (r->desc.first[0] > 0 || !r->desc.walls[0]) && before != r->first;
}

static double over_lines(const struct run *run, enum sw_reduction_kind kind, const double *of_lines)
{
    const struct sw_reducer *r = run->r;
    double value = combine_lines(r->lines, kind, of_lines);
    if (kind == SW_REDUCTION_CROSSINGS && has_part_of_line(r)) value += crossing_before(r);
    if (r->desc.combine) r->desc.combine(r->desc.context, kind, &value);
    if (kind == SW_REDUCTION_MEAN) return value / r->weights;
    if (kind == SW_REDUCTION_INTEGRAL) return run->grid->dx[0] * run->grid->dx[1] * run->grid->dx[2] * value;
    return value;
}

/* Begin reduction k, whose argument may use the results of those before. */
static void begin_argument(const struct run *run, struct worker *w, int e, int k)
{
    sw_eval_run(w->expression[e].argument[k], w->expression[e].number, 1);
    sw_eval_step(w->expression[e].argument[k], run->t, 0);
}

/* By one thread, or by all on the lines of the run. */
static void reduce(const struct run *run, struct worker *w, int e, int k, int threads)
{
    const struct sw_reducer *r = run->r;
    const struct sw_reduction *reduction = r->desc.reduction[e];
    double *of_lines = w->of_lines;
    if (threads == 1) {
        begin_argument(run, w, e, k);
        for (int64_t line = 0; line < r->lines; line++) of_lines[line] = reduce_line(run, w, e, k, line);
    } else {
#pragma omp parallel num_threads(threads)
        {
            struct worker *mine = &r->worker[omp_get_thread_num()];
            begin_argument(run, mine, e, k);
#pragma omp for schedule(static)
            for (int64_t line = 0; line < r->lines; line++) of_lines[line] = reduce_line(run, mine, e, k, line);
        }
    }
    const double result = over_lines(run, reduction->reduced[k].kind, of_lines);
    w->expression[e].number[reduction->first_result + k] = result;
    for (int other = 0; threads > 1 && other < threads; other++)
        r->worker[other].expression[e].number[reduction->first_result + k] = result;
}

static bool is_finite(const struct run *run, int threads)
{
    const int64_t count = (int64_t)run->r->points * run->r->desc.unknowns;
    const double *u = run->field;
    int bad = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : bad) if (threads > 1)
    for (int64_t i = 0; i < count; i++) bad |= !(u[i] - u[i] == 0);
    double anywhere = bad;
    if (run->r->desc.combine) run->r->desc.combine(run->r->desc.context, SW_REDUCTION_MAX, &anywhere);
    return anywhere == 0;
}

static void set_numbers(struct worker *w, int e, const struct sw_reduction *reduction,
                        const struct sw_reducer_runs *runs, int j)
{
    for (int k = 0; k < reduction->own; k++)
        w->expression[e].number[k] = runs->column[(size_t)k * (size_t)runs->count + (size_t)j];
    for (int k = 0; k < reduction->axes * SW_GRID_NUMBERS; k++)
        w->expression[e].number[reduction->own + k] =
            sw_grid_number(k % SW_GRID_NUMBERS, runs->grid[j].dx[k / SW_GRID_NUMBERS]);
}

/* @param threads  1: the worker's; else all of them, and the worker is the first */
static void values_of_run(struct sw_reducer *r, const struct sw_reducer_runs *runs, int j, struct worker *w,
                          int threads, double *value)
{
    const struct run run = {.r = r, .grid = &runs->grid[j], .t = runs->t[j],
                            .field = runs->field + (size_t)j * (size_t)r->desc.unknowns * r->points,
                            .beyond = w->beyond};
    const bool finite = is_finite(&run, threads);
    if (w->beyond && finite) r->desc.beyond->begin(w->beyond, run.grid, runs->column + j, runs->count, run.t);
    for (int e = 0; e < r->desc.count; e++) {
        const struct sw_reduction *reduction = r->desc.reduction[e];
        struct expression *x = &w->expression[e];
        value[e] = NAN;
        if (!finite) continue;
        if (threads == 1) set_numbers(w, e, reduction, runs, j);
        else for (int k = 0; k < threads; k++) set_numbers(&r->worker[k], e, reduction, runs, j);
        for (int k = 0; k < reduction->count; k++) reduce(&run, w, e, k, threads);
        sw_eval_run(x->value, x->number, 1);
        sw_eval_step(x->value, run.t, 0);
        sw_eval_points(x->value, 1, NULL, &value[e]);
    }
}

/* A run on a line belongs to one thread, and so does one of many; but ranks take the runs in turn. */
void sw_reducer_values(struct sw_reducer *r, const struct sw_reducer_runs *runs, double *value)
{
    const size_t width = (size_t)r->desc.count;
    const double work = (double)runs->count * (double)r->points * r->desc.count;
    const int threads = work < FEW_VALUES ? 1 : r->desc.threads;
    if (r->desc.combine || (r->lines > 1 && runs->count < threads)) {
        for (int j = 0; j < runs->count; j++)
            values_of_run(r, runs, j, r->worker, threads, value + (size_t)j * width);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int j = 0; j < runs->count; j++)
        values_of_run(r, runs, j, &r->worker[omp_get_thread_num()], 1, value + (size_t)j * width);
}
