/* Numbers that a config gives a run on the line and that are not finite (docs/explanation/line_equations.md): by a text
 * alone, which problem/given.h finds, or by one of the initial value, as log(u) or u^3 are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "problem/given.h"
#include "problem/line/stepper/failure_place.h"
#include "problem/line/kinds/line_ends.h"
#include "problem/line/kinds/line_given.h"
#include "problem/line/kinds/line_kind.h"
#include "problem/line/kinds/line_samples.h"

/* The explicit part of Crank-Nicolson is that of half the step. Where u is given at an end, nobody asks what a force
 * is there. */
enum sw_status sw_line_name_given(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, const double *span, char text[200])
{
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    const bool half = sw_setup_find(setup, "forcing") && sw_line_scheme(problem->model, setup) == SW_CRANK_NICOLSON;
    struct sw_given given[3 + 2 * SW_LINE_CONDITIONS] = {
        {.key = "initial", .once = true},
        {.key = "forcing", .later = half ? 0.5 : 0,
         .known[0] = {sw_line_end_has_value(setup, 0, 0), sw_line_end_has_value(setup, 1, 0)}},
    };
    for (int k = 0; k < 2 * SW_LINE_CONDITIONS; k++)
        given[2 + k].key = sw_line_condition_key(k / SW_LINE_CONDITIONS, k % SW_LINE_CONDITIONS);
    return sw_given_name(&one, ld, column, j, given, span, text);
}

/* Whether the user's forcing is what is not finite at a point of the initial value. */
static bool blames_forcing(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, double x, double u)
{
    const struct sw_program *forcing = sw_setup_function(one, "forcing");
    struct sw_eval *eval = NULL;
    double value = 0;
    if (!forcing || sw_line_begin_program(forcing, ld, column, j, 1, &x, &eval)) return false;
    sw_line_sample(eval, 1, &x, &u, 0, 0, &value);
    sw_eval_destroy(&eval);
    return !isfinite(value);
}

static void describe(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, const double *u,
                     const struct sw_failure_place *place, char text[200])
{
    const struct sw_grid grid = sw_setup_grid(one, ld, column, j);
    const struct sw_function *f = sw_setup_find_of(one, "rhs", place->unknown);
    const double at = u[(int64_t)place->unknown * one->n[0] + place->first];
    char shorter[48], where[80];
    int used;
    if (!f && blames_forcing(one, ld, column, j, sw_grid_at(&grid, 0, place->first), at))
        f = sw_setup_find(one, "forcing");
    if (f && one->nunknown > 1) used = snprintf(text, 200, "%s of %.20s = ", f->key, one->unknown[place->unknown]);
    else used = snprintf(text, 200, f ? "%s = " : "the right-hand side", f ? f->key : "");
    if (f)
        used += snprintf(text + used, 200 - (size_t)used, "\"%s\"", sw_text_shorten(shorter, sizeof shorter, f->text));
    sw_point_print(one, &grid, place->first, sizeof where, where);
    snprintf(text + used, 200 - (size_t)used, " is not finite at the beginning, at%s, where %.20s = %.6g", where,
             one->nunknown ? one->unknown[place->unknown] : "u", at);
}

enum sw_status sw_line_name_rhs(const struct sw_stepper_desc *desc, const struct sw_line_run *run, const double *param,
                                const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                char text[200])
{
    struct sw_failure_place place = {0};
    double *u;
    text[0] = 0;
    if (desc->n > SW_GIVEN_VALUES) return SW_OK;
    SW_TRY(sw_alloc((size_t)sw_line_unknowns(&desc->model) * (size_t)desc->n, &u));
    const enum sw_status st = sw_line_initial_values(one, ld, column, j, u);
    if (!st) sw_line_find_first_place(desc, run, param, u, &place);
    if (place.known && place.infinite) describe(one, ld, column, j, u, &place, text);
    sw_free(u);
    return st == SW_E_MEMORY ? st : SW_OK;  /* a file that cannot be read is refused elsewhere */
}
