/* Equations of the user's own (docs/explanation/equation.md): one to four unknowns u on a line,
 *
 *     u_t = rhs(x, t, unknowns, their derivatives, parameters)
 *
 * from texts. Linear terms with constant coefficients that damp are implicit, what is left is explicit; the steppers of
 * the line equation advance the runs. */
#include <math.h>

#include "problem/line/kinds/equation_coefficients.h"
#include "problem/nonfinite.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/kinds/line_ends.h"
#include "problem/initial_file.h"
#include "problem/line/kinds/manufactured.h"
#include "problem/line/kinds/line_problem.h"
#include "problem/line/advice/line_advice.h"

#define GROUP ", or a group with one for each unknown"
#define END(side) SW_LINE_END(side, "the unknown", true, GROUP)

static const struct sw_key keys[] = {
    {.path = "unknowns", .kind = SW_KEY_UNKNOWNS, .fallback = "u",
     .about = "The names of the unknowns, one to four: [\"u\", \"v\"]."},
    {.path = "rhs", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_TERMS | SW_USES_RANDOM, .each = true, .decides = true,
     .about = "The time derivative of the unknown, or a group with one for each: an expression in x, t, the unknowns, "
              "the parameters and derivatives dx() to dxxxx() of any expression."},
    {.path = "implicit", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_TERMS, .each = true,
     .decides = true,
     .about = "What the steps take implicitly, in place of all linear terms that damp: an expression that is linear in "
              "the unknown with constant coefficients, like \"S*dxx(u)\", which is added and taken away; or a group."},
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .each = true, .decides = true,
     .from_exact = true,
     .about = "The unknown at time 0, an expression in x, or a group with one for each; randn(k) and rand(k) give "
              "noise. Or a group that names a file that has it. Left out, it is `exact` "
              "at t = 0."},
    SW_INITIAL_FILE_KEYS,
    SW_LINE_STEP_KEYS(SW_LINE_STEP_KEY)
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .each = true,
     .decides = true,
     .about = "The exact solution in x and t, or a group with one for each unknown or for some; the error norms at the "
              "end are taken against it."},
    SW_MANUFACTURED_KEY,
    SW_NOISE_KEYS(true),
    {SW_LINE_BOUNDARY},
    END("left"),
    END("right"),
    {.path = "method", .kind = SW_KEY_WORD, .words = "imex1|imex2|imex3", .fallback = "imex2", .adaptive = "imex3",
     .unless_set = "implicit|time.tolerance", .decides = true,
     .about = "The steps in time: of order 1 (backward Euler and forward Euler), 2 (ARS(2,2,2)) or 3 "
              "(ARK3(2)4L[2]SA)."},
    {.path = "order", .kind = SW_KEY_WORD, .words = "2|4", .fallback = "2", .added_later = true, .common = true,
     .decides = true,
     .about = "The order of all derivatives in dx, from five points: 2 or 4, on periodic lines."},
    {0},
};

static const struct sw_quantity fields[] = {{"u", "1", "the unknown"}, {0}};

static const char example[] =
    "// An equation of your own: the Swift-Hohenberg equation, below and above the onset of a pattern, from noise.\n"
    "title    = \"The onset of a pattern\";\n"
    "problem  = \"equation\";\n"
    "rhs      = \"r*u - u - 2*dxx(u) - dxxxx(u) - u^3\";     // u_t; dx, dxx, dxxx, dxxxx of any expression\n"
    "sweep    = { r    = \"linspace(-0.1, 0.3, 5)\";         // ten runs: each r with each seed\n"
    "             seed = [1, 2]; };\n"
    "grid     = { n = 256; length = \"2*pi*16\"; };          // periodic; x_i = i length/n\n"
    "time     = { end = 100.0; };                           // each run chooses its steps; or dt = 0.1, for all\n"
    "initial  = \"0.01*randn(seed)\";                       // the same seed gives the same noise for each r\n"
    "output   = { file    = \"results/equation.h5\";\n"
    "             fields  = { times = \"linspace(0, end, 51)\"; precision = \"single\"; };\n"
    "             scalars = { every = 1.0; }; };\n"
    "// Two unknowns:  unknowns = [\"u\", \"v\"]; rhs = { u = \"dxx(u) - u*v^2\"; v = \"...\"; }; initial = { ... };\n";

/* ------------------------------------------------------------------ what there is to say of a run */

/* The mean is damped by a term a0 u that is implicit; without one a linear wave is as slow as the longest. */
static enum sw_status warn_steps(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text)
{
    const struct equation_model *model = equation_model_of(setup);
    const struct sw_setup one = sw_line_setup_of_run(setup, ld, column, j);
    enum sw_scheme scheme;
    double rate = INFINITY;
    if (!model || sw_setup_own_steps(setup) || !sw_scheme_named(sw_setup_word(setup, "method"), &scheme)) return SW_OK;
    SW_TRY(sw_line_warn_steps(setup, scheme, 0, ld, column, j, state, text));
    if (!text->length) return SW_OK;
    sw_text_clear(text);
    const struct sw_line_run run = equation_run(model, &one, ld, column, j, NULL);
    const double s = 4 * pow(sin(acos(-1) / (double)sw_line_circle(&one)), 2);
    for (int v = 0; v < model->equation->unknowns; v++) {
        const struct sw_line_operator *a = &run.a[v];
        rate = fmin(rate, fmax(0, a->s0 + s * (a->s2 + s * a->s4)) / (sw_scheme_weight(scheme) * run.dt));
    }
    return sw_line_warn_steps(setup, scheme, rate, ld, column, j, state, text);
}

/* Where the beginning is not finite no time step helps. */
static enum sw_status advise(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                             struct sw_text *text)
{
    SW_TRY(sw_line_name_first(setup, ld, column, j, text));
    return text->length ? SW_OK : sw_line_warn_waves(setup, ld, column, j, NULL, text);
}

static const struct sw_run_warning warnings[] = {
    {.warn = sw_nonfinite_warn}, {.warn = sw_line_warn_waves}, SW_INITIAL_WARNINGS,
    {.warn = warn_steps, .of_result = true}, {.warn = sw_line_warn_flux}, {.warn = sw_line_warn_third}, {0}};

static const struct sw_problem_advice advice = {.warn_run = warnings, .advise = advise, SW_LINE_ADVICE};

extern const struct sw_problem problem_equation, problem_equation_in_fields;
static const struct sw_problem_shape shape = {SW_LINE_SHAPE(problem_equation_in_fields)};

const struct sw_problem problem_equation = {
    .name = "equation",
    .title = "Equations of your own",
    .equation = "u_t = any expression in u, its derivatives, x, t and parameters; up to four unknowns",
    .example = example,
    .keys = keys,
    .fields = fields,
    SW_LINE_OPERATIONS,
    .shape = &shape,
    .advice = &advice,
};
