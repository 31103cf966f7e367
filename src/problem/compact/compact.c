/* The problem `compact`: compact finite differences of a field that an expression gives (docs/explanation/compact.md),
 * and their difference from the exact result, which is derived from the expression. A derivative, filter or
 * interpolation along one axis; or the gradient, divergence or Laplacian. There is no time. Here are the keys and what
 * is refused. */
#include "problem/compact/compact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/given.h"
#include "problem/grid_keys.h"

/* ------------------------------------------------------------------ what the words of a run mean */

const char *const compact_axes[SW_DIMS] = {"x", "y", "z"};

static const char *const operators[] = {"derivative", "gradient", "divergence", "laplacian", NULL};
static const char *operator_word(int k) { return operators[k]; }

struct compact_method compact_method_of(const struct sw_setup *setup)
{
    struct compact_method m = {.operator = COMPACT_DERIVATIVE,
                               .scheme = sw_fd_scheme_find(sw_setup_word(setup, "scheme")),
                               .boundary = sw_setup_word(setup, "boundary")};
    while (m.axis < SW_DIMS - 1 && !sw_setup_chosen(setup, "axis", compact_axes[m.axis])) m.axis++;
    while (operators[m.operator] && !sw_setup_chosen(setup, "operator", operators[m.operator])) m.operator++;
    m.walls = strcmp(m.boundary, "periodic") != 0;
    return m;
}

bool compact_along(const struct compact_method *m, int dim, int d)
{
    return m->operator == COMPACT_DERIVATIVE ? d == m->axis : d < dim;
}

int compact_inputs(const struct compact_method *m, int dim) { return m->operator == COMPACT_DIVERGENCE ? dim : 1; }

int compact_results(const struct compact_method *m, int dim) { return m->operator == COMPACT_GRADIENT ? dim : 1; }

static const char *const component[SW_DIMS] = {"vector.x", "vector.y", "vector.z"};

const char *compact_input(const struct compact_method *m, int k)
{
    return m->operator == COMPACT_DIVERGENCE ? component[k] : "field";
}

double compact_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, path) * ld + j];
}

static bool walls(const struct sw_setup *setup, int d)
{
    const struct compact_method m = compact_method_of(setup);
    return m.walls && compact_along(&m, SW_DIMS, d);
}

/* ------------------------------------------------------------------ what is refused */

/* Gradient and divergence take the schemes of first derivatives, the Laplacian those of second ones: the other kinds
 * have their results elsewhere, or are no derivatives. */
static const char *refuse_scheme(const struct compact_method *m, char why[160])
{
    const enum sw_fd_kind wanted = m->operator == COMPACT_LAPLACIAN ? SW_FD_SECOND : SW_FD_FIRST;
    const bool second = wanted == SW_FD_SECOND;
    if (m->operator == COMPACT_DERIVATIVE || m->scheme->kind == wanted) return NULL;
    snprintf(why, 160, "the %s takes a scheme of %s derivatives at the points:", operators[m->operator],
                        second ? "second" : "first");
    for (int k = 0; sw_fd_schemes[k]; k++)
        if (sw_fd_schemes[k]->kind == wanted)
            snprintf(why + strlen(why), 160 - strlen(why), " %s", sw_fd_schemes[k]->name);
    return "scheme";
}

/* A function that the operator needs and the config does not give. */
static const char *refuse_inputs(const struct sw_setup *setup, const struct compact_method *m, int dim, char why[160])
{
    for (int k = 0; k < compact_inputs(m, dim); k++) {
        if (sw_setup_find(setup, compact_input(m, k))) continue;
        snprintf(why, 160, "the %s on a grid of %d dimension%s needs it", operators[m->operator], dim,
                 dim == 1 ? "" : "s");
        return compact_input(m, k);
    }
    return NULL;
}

/* What the config sets and the operator ignores. */
static const char *refuse_unused(const struct sw_setup *setup, const struct compact_method *m, char why[160])
{
    const bool divergence = m->operator == COMPACT_DIVERGENCE;
    const char *key = m->operator != COMPACT_DERIVATIVE && m->axis > 0 ? "axis" : NULL;
    if (divergence && sw_setup_find(setup, "field")) key = "field";
    for (int k = 0; k < SW_DIMS; k++)
        if (!divergence && sw_setup_find(setup, component[k])) key = component[k];
    snprintf(why, 160, "operator = \"%s\" does not use it", operators[m->operator]);
    return key;
}

static const char *const n_of[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};

/* An axis along which there are fewer points than the scheme needs. */
static const char *refuse_points(const struct sw_setup *setup, const struct compact_method *m, int ld,
                                 const double *column, int j, int dim, char why[160])
{
    const int least = sw_fd_min_points(m->scheme->name, m->boundary);
    for (int d = 0; d < dim; d++) {
        if (!compact_along(m, dim, d) || compact_number(setup, n_of[d], ld, column, j) >= least) continue;
        snprintf(why, 160, "%s, %s needs at least %d points along %s", m->scheme->name, m->boundary, least,
                 compact_axes[d]);
        return n_of[d];
    }
    return NULL;
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                char why[160])
{
    const struct compact_method m = compact_method_of(setup);
    const double alpha = compact_number(setup, "alpha", ld, column, j);
    const int dim = (int)compact_number(setup, "grid.dim", ld, column, j);
    const char *key;
    char known[120];
    (void)solver;
    if (m.operator == COMPACT_DERIVATIVE && m.axis >= dim) {
        snprintf(why, 160, "there is no %s on a grid of %d dimension%s", compact_axes[m.axis], dim,
                 dim == 1 ? "" : "s");
        return "axis";
    }
    if ((key = refuse_scheme(&m, why)) || (key = refuse_inputs(setup, &m, dim, why))) return key;
    if ((key = refuse_unused(setup, &m, why))) return key;
    if (!sw_fd_min_points(m.scheme->name, m.boundary)) {
        snprintf(why, 160, "%s has no closure \"%s\"; it has %s", m.scheme->name, m.boundary,
                 sw_fd_boundaries(m.scheme, known));
        return "boundary";
    }
    if ((key = refuse_points(setup, &m, ld, column, j, dim, why))) return key;
    if (m.scheme->kind == SW_FD_FILTER && !(alpha > -0.5 && alpha < 0.5)) {
        snprintf(why, 160, "a filter's lies between -1/2 and 1/2; near 1/2 it takes only the shortest waves");
        return "alpha";
    }
    return NULL;
}

/* A float is off by up to 2^-24 of itself, a second difference of four such by 2^-22/h² of the field; of a derivative
 * that is (2 pi/L)² times the field that is 2^-22 (n/2 pi)². (Seen: 5e-3 at n = 1024 of d2_c6, where this is 6e-3.) */
static void warn_rounding(const struct sw_problem *problem, const struct sw_setup *setup, char text[200])
{
    const struct compact_method m = compact_method_of(setup);
    int64_t n = 1;
    for (int d = 0; d < setup->dim; d++)
        if (compact_along(&m, setup->dim, d) && setup->n[d] > n) n = setup->n[d];
    const double waves = (double)n / (2 * 3.14159265358979323846), floor = ldexp(waves * waves, -22);
    (void)problem;
    text[0] = 0;
    if (setup->single_steps && m.scheme->kind == SW_FD_SECOND && floor > 1e-4)
        snprintf(text, 200,
                 "%s in single precision on %lld points: rounding leaves about %.1g of a wave as long as the domain; "
                 "use run.precision = \"double\"", m.scheme->name, (long long)n, floor);
}

static enum sw_status name_given(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                 const double *column, int64_t j, const double *span, char text[200])
{
    const struct compact_method m = compact_method_of(setup);
    struct sw_given given[SW_DIMS + 1] = {{0}};
    struct sw_setup one = *setup;
    (void)problem;
    one.dim = (int)compact_number(setup, "grid.dim", ld, column, j);
    for (int d = 0; d < SW_DIMS; d++) {
        one.n[d] = (int64_t)compact_number(setup, n_of[d], ld, column, j);
        one.walls[d] = m.walls && d < one.dim && compact_along(&m, one.dim, d);
    }
    for (int k = 0; k < compact_inputs(&m, one.dim); k++) given[k].key = compact_input(&m, k);
    return sw_given_name(&one, ld, column, j, given, span, text);
}

static const struct sw_run_warning warnings[] = {{.warn = sw_given_warn}, {0}};

/* ------------------------------------------------------------------ keys */

static const char *scheme_word(int k) { return sw_fd_schemes[k] ? sw_fd_schemes[k]->name : NULL; }

/* "periodic", then the names of the closures, each once. */
static const char *boundary_word(int k)
{
    if (k == 0) return "periodic";
    for (int c = 0; sw_fd_closures[c]; c++) {
        bool first = true;
        for (int earlier = 0; earlier < c; earlier++)
            first &= strcmp(sw_fd_closures[earlier]->name, sw_fd_closures[c]->name) != 0;
        if (first && --k == 0) return sw_fd_closures[c]->name;
    }
    return NULL;
}

#define VECTOR_KEY(axis)                                                                                      \
    {.path = "vector." axis, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,  \
     .about = "The component along " axis " of the vector whose divergence is formed, an expression in the "  \
              "coordinates; refused beside other operators."}

static const struct sw_key keys[] = {
    {.path = "operator", .kind = SW_KEY_WORD, .word = operator_word, .fallback = "derivative", .decides = true,
     .later = true, .common = true,
     .about = "What is formed: what the scheme makes of the field along one axis, `derivative`; or, along all axes of "
              "the grid with one scheme, the gradient of the field, the divergence of `vector` or the Laplacian of "
              "the field. It is one word for all runs, no axis."},
    {.path = "field", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X, .decides = true,
     .about = "The field, an expression in the coordinates; the exact result is derived from it. All operators but the "
              "divergence need it; beside the divergence it is refused."},
    VECTOR_KEY("x"),
    VECTOR_KEY("y"),
    VECTOR_KEY("z"),
    {.path = "scheme", .kind = SW_KEY_WORD, .word = scheme_word, .fallback = "d1_c6", .decides = true,
     .about = "The scheme (docs/explanation/compact.md): d1 and d2 for first and second derivatives, d1s and mid for "
              "derivatives and values half-way between points, f for filters; c4 and the like for compact ones of that "
              "order. A filter's exact result is the field itself. Gradient and divergence take d1, the Laplacian d2."},
    {.path = "boundary", .kind = SW_KEY_WORD, .word = boundary_word, .fallback = "periodic", .decides = true,
     .about = "What the ends of the axis are, and of all axes unless the operator is `derivative`: periodic, or walls "
              "with closures of these orders in the first row, the second row and inside; refused where the scheme has "
              "no such closure. Axes without derivatives are sampled periodically."},
    {.path = "axis", .kind = SW_KEY_WORD, .words = "x|y|z", .fallback = "x", .decides = true,
     .about = "The axis along which the lines of a `derivative` run; the other operators take all axes, and no word "
              "but the default."},
    {.path = "alpha", .kind = SW_KEY_REAL, .unit = "1", .min = -0.5, .max = 0.5, .above = true, .fallback = "0.4",
     .decides = true,
     .about = "Of a filter, below 1/2: the larger, the shorter the waves that it takes. Other schemes do not use it."},
    {.path = "differences", .former = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "The row of the table of compact differences that does the lines, as `sweep list` names it, "
              "\"cpu.thomas\"; \"auto\" takes the best that fits, \"$axis\" the word of an axis."},
    SW_GRID_KEYS,
    {0},
};

static const struct sw_quantity fields[] = {
    {"g", "1", "result of the scheme"}, {"g_error", "1", "result less the exact one"}, {0}};

/* All components first, then their errors. */
#define G(axis) {"g_" axis, "1", "derivative along " axis}
#define G_ERROR(axis) {"g_" axis "_error", "1", "derivative along " axis " less the exact one"}
static const struct sw_quantity gradient[SW_DIMS][2 * SW_DIMS + 1] = {
    {G("x"), G_ERROR("x"), {0}},
    {G("x"), G("y"), G_ERROR("x"), G_ERROR("y"), {0}},
    {G("x"), G("y"), G("z"), G_ERROR("x"), G_ERROR("y"), G_ERROR("z"), {0}},
};

static const struct sw_quantity *fields_of(const struct sw_setup *setup)
{
    const struct compact_method m = compact_method_of(setup);
    return m.operator == COMPACT_GRADIENT ? gradient[setup->dim - 1] : fields;
}

static const char example[] =
    "// First derivatives of a periodic field by compact schemes, compared with the exact one.\n"
    "title   = \"Compact schemes for the first derivative\";\n"
    "problem = \"compact\";\n"
    "sweep   = { order = [\"d1_c4\", \"d1_c6\", \"d1_c8\"];\n"
    "            n = [16, 32, 64, 128]; };\n"
    "grid    = { n = \"n\"; length = \"2*pi\"; };               // in 2-D and 3-D n = [nx, ny, nz]\n"
    "scheme  = \"$order\";                                    // the word of the axis\n"
    "boundary = \"periodic\";                                 // or walls with closures: \"3-4-6\"\n"
    "field   = \"exp(sin(x))\";                               // its derivative is worked out from this\n"
    "// fields = { precision = \"double\"; } in output saves g and its error, too\n"
    "output  = { file = \"results/compact.h5\"; };\n";

static const struct sw_problem_shape shape = {
    .min_points = 1, .max_dim = 3, .walls = walls, .fields_of = fields_of};
static const struct sw_problem_advice advice = {
    .warn_setup = warn_rounding, .warn_run = warnings, .name_given = name_given};

extern const struct sw_problem problem_compact;
const struct sw_problem problem_compact = {
    .name = "compact",
    .title = "Compact finite differences",
    .equation = "g = a derivative, shift or filter of a field along an axis, its gradient or Laplacian; a divergence",
    .example = example,
    .keys = keys,
    .fields = fields,
    .measures = SW_DERIVES_EXACT | SW_HAS_INTERIOR,
    .solver = sw_fd_row,
    .validate_run = validate_run,
    .bytes = compact_bytes,
    .create = compact_create,
    .shape = &shape,
    .advice = &advice,
};
