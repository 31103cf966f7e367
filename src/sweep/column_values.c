#include "sweep/column_values.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_stop.h"
#include "sweep/axis.h"
#include "sweep/columns.h"
#include "sweep/keys.h"
#include "sweep/refine.h"
#include "sweep/sweep_own.h"
#include "sweep/words.h"

/* ------------------------------------------------------------------ one column */

static void fill_grid(const struct source *from, int count, const double *column, double *out)
{
    const double *dim = column + (size_t)from->dim * RUNS_AT_ONCE, *like = column + (size_t)from->like * RUNS_AT_ONCE;
    for (int j = 0; j < count; j++) out[j] = dim[j] > from->dimension ? like[j] : from->unused;
}

struct sw_setup setup_of_sweep(const struct sw_sweep *s)
{
    return (struct sw_setup){.problem = s->problem, .dim = s->own->dimensions, .ncolumn = s->ncolumn,
                             .numbered = s->own->numbered, .scope = &s->own->scope, .column = s->column_name,
                             .grid_columns = s->own->grid_columns, .nfunction = s->nfunction,
                             .function = s->function, .single_steps = s->single_steps, .nchoice = s->nchoice,
                             .choice = s->choice, .nunknown = s->nunknown, .unknown = s->unknown,
                             .prepared = s->own->prepared};
}

struct sw_setup setup_of_run(const struct sw_sweep *s, const double *column, int j,
                             struct sw_choice choice[MAX_CHOICES])
{
    for (int k = 0; k < s->nchoice; k++) {
        const int axis = s->own->choice_column[k];
        choice[k] = (struct sw_choice){s->choice[k].key,
                                       choice_word(s, k,
                                                   axis < 0 ? 0 : column[(size_t)axis * RUNS_AT_ONCE + (size_t)j])};
    }
    struct sw_setup setup = setup_of_sweep(s);
    setup.choice = choice;
    return setup;
}

/* Whether all other numbers of a run are known and allowed: only then is the problem asked for a step. */
static bool others_allowed(const struct sw_sweep *s, const double *column, int j)
{
    for (int k = 0; k < s->ncolumn; k++) {
        if (k == s->own->step_column) continue;
        if (s->own->source[k].unknown || !key_allows(s->column[k].key, column[(size_t)k * RUNS_AT_ONCE + (size_t)j]))
            return false;
    }
    return true;
}

/* A step may be expensive to compute (speeds are sampled): each is computed once. NaN in a run with another number
 * that is unknown or not allowed. */
static enum sw_status fill_step(const struct sw_sweep *s, const int64_t *run, int64_t first, int count,
                                const double *column, double *out)
{
    struct sw_choice choice[MAX_CHOICES];
    for (int j = 0; j < count; j++) {
        double *cached = &s->own->step[run ? run[j] : first + j], step;
#pragma omp atomic read
        step = *cached;
        if (step == 0) {  /* not computed yet; two threads may both compute it, with the same result */
            const struct sw_setup setup = setup_of_run(s, column, j, choice);
            out[j] = NAN;  /* for a function that names it, which the problem refuses */
            step = NAN;
            if (others_allowed(s, column, j)) SW_TRY(s->problem->time->step(&setup, RUNS_AT_ONCE, column, j, &step));
#pragma omp atomic write
            *cached = step;
        }
        out[j] = step;
    }
    return SW_OK;
}

/* A dt with fewer digits than it has, 0.0333333333, divides the end but for a millionth of itself, or less. */
static void take_divisors(const struct sw_sweep *s, const int64_t *run, int64_t first, int count,
                          const double *column, double *dt)
{
    const double *end = column + (size_t)s->own->end_column * RUNS_AT_ONCE;
    for (int j = 0; j < count; j++) {
        const double ratio = end[j] / dt[j], steps = round(ratio), off = fabs(ratio - steps);
        if (!(steps >= 1 && off > steps_slack(ratio) && off <= 1e-6 * ratio && ratio < 1e15)) continue;
        const int64_t r = run ? run[j] : first + j;
#pragma omp critical(sw_dt_divides)
        if (s->own->divided < 0 || r < s->own->divided) {
            s->own->divided = r;
            s->own->dt_written = dt[j];
        }
        dt[j] = end[j] / steps;
    }
}

/* The number that stands for a run: among the runs, where it is that of a row of another file; of a stream of random
 * numbers that of its point of the axes, which sweep.where and refinement do not change. */
static void fill_number(const struct sw_sweep *s, const struct sw_key *key, const int64_t *run, int64_t first,
                        int count, double *out)
{
    for (int j = 0; j < count; j++) {
        const int64_t r = run ? run[j] : first + j, point = s->own->point && !key->idle ? s->own->point[r] : r;
        out[j] = s->own->refine && !key->idle ? refine_number(s, point) : (double)point;
    }
}

/* Column k of some runs, into column[k*RUNS_AT_ONCE + j]; the columns that it needs are there already. */
static enum sw_status fill_column(const struct sw_sweep *s, int k, const int64_t *run, int64_t first, int count,
                                  double *column)
{
    const struct source *from = &s->own->source[k];
    double *out = column + (size_t)k * RUNS_AT_ONCE;
    if (from->kind == SOURCE_STEP) return fill_step(s, run, first, count, column, out);
    if (from->kind == SOURCE_FORMULA) SW_TRY(sw_program_over_runs(from->formula->program, count, column, RUNS_AT_ONCE,
        out));
    if (from->kind == SOURCE_GRID) fill_grid(from, count, column, out);
    else if (from->kind == SOURCE_RUN) fill_number(s, s->column[k].key, run, first, count, out);
    else if (from->kind == SOURCE_AXIS) axis_values(s, from->axis, run, first, count, out);
    else if (from->kind == SOURCE_CONSTANT) for (int j = 0; j < count; j++) out[j] = from->number;
    if (k == s->own->dt_column) take_divisors(s, run, first, count, column, out);
    return SW_OK;
}

enum sw_status value_over_runs(const struct run_value *value, int count, const double *column, double *out)
{
    if (value->formula) return sw_program_over_runs(value->formula->program, count, column, RUNS_AT_ONCE, out);
    for (int j = 0; j < count; j++) out[j] = value->number;
    return SW_OK;
}

/* ------------------------------------------------------------------ all columns */

enum sw_status columns_fold(struct sw_sweep *s)
{
    double *column;
    enum sw_status st = SW_OK;
    int varying = 0;
    SW_TRY(sw_alloc((size_t)s->ncolumn * RUNS_AT_ONCE, &column));
    for (int j = 0; j < s->own->norder && !st; j++) {
        int k = s->own->order[j];
        bool unknown = s->own->source[k].unknown;
        if (!s->column[k].uniform && !unknown) { s->own->order[varying++] = k; continue; }
        if (!unknown) st = fill_column(s, k, NULL, 0, 1, column);
        s->own->source[k].kind = SOURCE_CONSTANT;
        s->own->source[k].number = unknown ? NAN : column[(size_t)k * RUNS_AT_ONCE];
    }
    s->own->norder = varying;
    sw_free(column);
    return st;
}

static enum sw_status fill_constants(const struct sw_sweep *s, double *column)
{
    for (int k = 0; k < s->ncolumn; k++)
        if (s->own->source[k].kind == SOURCE_CONSTANT) SW_TRY(fill_column(s, k, NULL, 0, RUNS_AT_ONCE, column));
    return SW_OK;
}

static enum sw_status fill_varying(const struct sw_sweep *s, const int64_t *run, int64_t first, int count,
                                   double *column)
{
    for (int j = 0; j < s->own->norder; j++) SW_TRY(fill_column(s, s->own->order[j], run, first, count, column));
    return SW_OK;
}

enum sw_status blocks_each(const struct sw_sweep *s, const int64_t *run, int64_t first, int64_t count, bool in_order,
                           enum sw_status (*work)(void *user, const struct column_block *block), void *user)
{
    struct sw_err_kept failure = {0};
    int64_t nblock = (count + RUNS_AT_ONCE - 1) / RUNS_AT_ONCE;
#pragma omp parallel if (!in_order && nblock > 1)
    {
        double *column;
        enum sw_status st = sw_alloc((size_t)s->ncolumn * RUNS_AT_ONCE, &column);
        if (!st) st = fill_constants(s, column);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < nblock; b++) {
            const int64_t left = count - b * RUNS_AT_ONCE;
            struct column_block block = {b * RUNS_AT_ONCE, (int)(left < RUNS_AT_ONCE ? left : RUNS_AT_ONCE), column};
            if (!st) st = sw_stop_check();
            if (!st) st = fill_varying(s, run ? run + block.first : NULL, first + block.first, block.count, column);
            if (!st) st = work(user, &block);
        }
#pragma omp critical(sw_blocks_failure)
        sw_err_keep(&failure, st);
        sw_free(column);
    }
    return sw_err_raise(&failure);
}

struct copying { const struct sw_sweep *s; int64_t count; double *out; };

static enum sw_status copy_block(void *user, const struct column_block *b)
{
    const struct copying *c = user;
    for (int k = 0; k < c->s->ncolumn; k++)
        memcpy(c->out + (int64_t)k * c->count + b->first, b->column + (size_t)k * RUNS_AT_ONCE,
               (size_t)b->count * sizeof *c->out);
    return SW_OK;
}

enum sw_status sw_sweep_columns(const struct sw_sweep *s, const int64_t *run, int64_t first, int64_t count, double *out)
{
    return blocks_each(s, run, first, count, false, copy_block, &(struct copying){s, count, out});
}
