#include "problem/nonfinite.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sw_text.h"
#include "field/evaluate.h"

/* Beyond this a step's products, u^2 and a cubed difference among them, are beyond all numbers. */
static const double huge = 1e150, huge_single = 1e30;

void sw_point_print(const struct sw_setup *setup, const struct sw_grid *grid, int64_t point, struct sw_text *text)
{
    const int64_t *n = setup->n, index[SW_DIMS] = {point % n[0], point / n[0] % n[1], point / n[0] / n[1]};
    double at[SW_DIMS];
    sw_grid_point(grid, index, at);
    for (int d = 0; d < setup->dim; d++)
        sw_text_printf(text, "%s %c = %.6g", d ? "," : "", "xyz"[d], at[d]);
    for (int d = 0; d < setup->dim; d++)
        sw_text_printf(text, "%s%c = %lld", d ? ", " : " (", "ijk"[d], (long long)index[d]);
    sw_text_add(text, ")");
}

/* ------------------------------------------------------------------ a text of a run */

struct look {
    const struct sw_setup *one;
    const struct sw_config_text *given;
    const struct sw_function *function;
    struct sw_evaluator *at;
    const double *column;   /* of the run */
    int64_t ld;
    struct sw_grid grid;
    bool    points, times;  /* whether its value depends on the point, and on the time */
    bool    infinite;       /* numbers that are finite are not named                   */
    double  most;           /* those beyond this are                                   */
};

/* What is named. */
struct bad { double value, t; int64_t point; };

/* Whether the text is not asked for at a point. */
static bool is_known(const struct look *l, int64_t point)
{
    const int64_t *n = l->one->n, index[SW_DIMS] = {point % n[0], point / n[0] % n[1], point / n[0] / n[1]};
    const int axis = (l->given->wall - 1) / 2, right = (l->given->wall - 1) % 2;
    if (l->given->wall && index[axis] != (right ? n[axis] - 1 : 0)) return true;
    for (int d = 0; d < l->one->dim; d++)
        if ((index[d] == 0 && l->given->known[d][0]) || (index[d] == n[d] - 1 && l->given->known[d][1])) return true;
    return false;
}

/* At count points from `first` on, of the time that the evaluator has begun. */
static bool find_among(const struct look *l, int64_t first, int count, struct bad *bad)
{
    double *const value = l->at->value;
    sw_evaluator_points(l->at, first, count, value);
    for (int i = 0; i < count; i++) {
        if (fabs(value[i]) <= l->most || (l->points && is_known(l, first + i))) continue;
        *bad = (struct bad){value[i], l->at->t, first + i};
        return true;
    }
    return false;
}

/* At one time. @param values  about how many points are looked at */
static bool find_at(const struct look *l, double t, double dt, int64_t values, struct bad *bad)
{
    const int64_t points = l->points ? sw_points(l->one->n) : 1,
                  blocks = (points + SW_EVALUATOR_POINTS - 1) / SW_EVALUATOR_POINTS,
                  looked = blocks * SW_EVALUATOR_POINTS <= values ? blocks : values / SW_EVALUATOR_POINTS + 1;
    const int64_t step = dt > 0 && t / dt < 1e15 ? (int64_t)(t / dt) : 0;
    sw_evaluator_begin(l->at, &l->grid, l->column, l->ld, t, step);
    for (int64_t k = 0; k < looked && k < blocks; k++) {
        const int64_t first = blocks * k / looked * SW_EVALUATOR_POINTS, left = points - first;
        if (find_among(l, first, left < SW_EVALUATOR_POINTS ? (int)left : SW_EVALUATOR_POINTS, bad)) return true;
    }
    return false;
}

static double number(const struct look *l, const char *path)
{
    const int k = sw_setup_column(l->one, path);
    return k < 0 ? 0 : l->column[k * l->ld];
}

/* Of a run that chooses its steps: at its output times, or some of them, and between 0 and its end, a power of 2 apart
 * in number, so that they halve it. */
static bool find_in_own_run(const struct look *l, int64_t fit, struct bad *bad)
{
    const int64_t goals = l->one->goals, landed = goals < fit ? goals : fit;
    const double end = number(l, "time.end");
    int64_t parts = 1;
    while (2 * parts <= fit) parts *= 2;
    for (int64_t k = 1; k <= parts + landed; k++) {
        const double t = k <= parts ? end * ((double)k / (double)parts) : l->one->times[goals * (k - parts) / landed];
        if (find_at(l, t, end, SW_NONFINITE_VALUES / parts, bad)) return true;
    }
    return false;
}

/* At the times of the steps, or some of them. */
static bool find_in_run(const struct look *l, struct bad *bad)
{
    const double end = number(l, "time.end"), dt = l->grid.dt;
    const int64_t points = l->points ? sw_points(l->one->n) : 1, room = SW_NONFINITE_VALUES / points;
    const double steps = dt > 0 && end > 0 ? fmin(round(end / dt), 1e15) : 0;
    const int64_t fit = room < 2 ? 2 : room < SW_NONFINITE_TIMES ? room : SW_NONFINITE_TIMES;
    const bool once = !l->times || l->given->once;
    const int64_t times = once ? 1 : steps < (double)fit ? (int64_t)steps + 1 : fit;
    if (sw_setup_own_steps(l->one))
        return find_at(l, 0, 0, SW_NONFINITE_VALUES, bad) || (!once && find_in_own_run(l, fit, bad));
    for (int64_t k = 0; k < times; k++) {
        const double at = times > 1 ? floor(steps * (double)k / (double)(times - 1)) : 0;
        if (l->given->offset > 0 && at >= steps) break;
        if (find_at(l, (at + l->given->offset) * dt, dt, SW_NONFINITE_VALUES / times, bad)) return true;
    }
    return false;
}

static bool find_in_span(const struct look *l, const double *span, struct bad *bad)
{
    const double dt = span[1] - span[0];
    if (l->given->once && span[0] > 0) return false;
    if (l->given->offset > 0) return find_at(l, span[0] + l->given->offset * dt, dt, SW_NONFINITE_OF_FAILURE, bad);
    return find_at(l, span[0], dt, SW_NONFINITE_OF_FAILURE, bad) ||
           (!l->given->once && l->times && dt > 0 && find_at(l, span[1], dt, SW_NONFINITE_OF_FAILURE, bad));
}

static void describe(const struct look *l, const struct bad *bad, struct sw_text *text)
{
    const struct sw_function *f = l->function;
    const bool several = l->one->nunknown > 1 && l->one->unknown;
    char shorter[48];
    sw_text_set(text, "%s%s%s = \"%s\" is ", f->key, several ? " of " : "",
                several ? l->one->unknown[f->unknown] : "", sw_text_shorten(shorter, sizeof shorter, f->text));
    if (isnan(bad->value)) sw_text_add(text, "nan");  /* whose sign means nothing */
    else sw_text_printf(text, "%.6g", bad->value);
    if (l->infinite && isfinite(bad->value))
        sw_text_printf(text, ", beyond single precision%s", l->points || l->times ? "," : "");
    if (l->points || l->times) sw_text_add(text, " at");
    if (l->points) sw_point_print(l->one, &l->grid, bad->point, text);
    if (l->times) sw_text_printf(text, "%s t = %.6g", l->points ? "," : "", bad->t);
}

/* ------------------------------------------------------------------ all texts of a run */

static bool depends_on_points(const struct sw_function *f)
{
    const struct sw_program *p = f->program;
    return sw_expr_is_random(f->expr) || sw_program_uses_input(p, SW_IN_X) || sw_program_uses_input(p, SW_IN_Y) ||
           sw_program_uses_input(p, SW_IN_Z);
}

static bool sees_unknowns(const struct sw_program *p)
{
    for (int slot = SW_IN_UX; slot < SW_INPUTS; slot++)
        if (sw_program_uses_input(p, (enum sw_input)slot)) return true;
    return false;
}

static enum sw_status look_at(struct look *l, const double *span, bool *found, struct bad *bad)
{
    static const int64_t one_point[SW_DIMS] = {1, 1, 1};
    const bool single = l->one->single_steps;  /* in which the state is kept, while texts are evaluated in double */
    struct sw_evaluator at = {0};
    if (!l->function->program || sees_unknowns(l->function->program)) return SW_OK;
    l->points = depends_on_points(l->function);
    l->times = sw_program_uses(l->function->program, "t");
    l->most = l->infinite ? (single && l->given->once ? (double)FLT_MAX : DBL_MAX) : single ? huge_single : huge;
    l->at = &at;
    const enum sw_status st = sw_evaluator_create(l->function->program, l->points ? l->one->n : one_point, &at);
    if (!st) *found = span ? find_in_span(l, span, bad) : find_in_run(l, bad);
    sw_evaluator_destroy(&at);
    return st;
}

static enum sw_status name(struct look *l, const struct sw_config_text *given, const double *span, struct sw_text *text)
{
    struct bad bad;
    bool found = false;
    for (l->given = given; l->given->key && !found; l->given++)
        for (int k = 0; k < l->one->nfunction && !found; k++) {
            l->function = &l->one->function[k];
            if (strcmp(l->function->key, l->given->key)) continue;
            SW_TRY(look_at(l, span, &found, &bad));
            if (found) describe(l, &bad, text);
        }
    return SW_OK;
}

enum sw_status sw_nonfinite_name(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                 const struct sw_config_text *given, const double *span, struct sw_text *text)
{
    struct look l = {.one = one, .column = column + j, .ld = ld, .grid = sw_setup_grid(one, ld, column, j),
                     .infinite = true};
    SW_TRY(name(&l, given, span, text));
    l.infinite = false;
    return text->length || !span ? SW_OK : name(&l, given, span, text);
}

enum sw_status sw_nonfinite_warn(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    if (state) return SW_OK;
    SW_TRY(setup->problem->advice->name_nonfinite(setup, ld, column, j, NULL, text));
    if (!text->length && setup->problem->advice->name_first)
        SW_TRY(setup->problem->advice->name_first(setup, ld, column, j, text));
    if (text->length) sw_text_add(text, setup->problem->time ? ": the run may diverge" : ": the run will fail");
    return SW_OK;
}
