/* Compact finite differences of a field that an expression gives (docs/numerics.md, 8): what a scheme of src/fd makes
 * of it, and what that differs from the exact result, which is derived from the expression. There is no time; here are
 * the keys and what is refused. */
#include "problem/compact/compact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/grid_keys.h"

/* ------------------------------------------------------------------ what the words of a run mean */

const char *const compact_axes[SW_DIMS] = {"x", "y", "z"};

struct compact_method compact_method_of(const struct sw_setup *setup)
{
    struct compact_method m = {.scheme = sw_fd_scheme_find(sw_setup_word(setup, "scheme")),
                               .boundary = sw_setup_word(setup, "boundary")};
    while (m.axis < SW_DIMS - 1 && !sw_setup_chosen(setup, "axis", compact_axes[m.axis])) m.axis++;
    m.walls = strcmp(m.boundary, "periodic") != 0;
    return m;
}

double compact_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, path) * ld + j];
}

static bool walls(const struct sw_setup *setup, int d)
{
    const struct compact_method m = compact_method_of(setup);
    return m.walls && m.axis == d;
}

/* ------------------------------------------------------------------ what is refused */

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                         char why[160])
{
    static const char *const n_of[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
    const struct compact_method m = compact_method_of(setup);
    const int least = sw_fd_min_points(m.scheme->name, m.boundary);
    const double alpha = compact_number(setup, "alpha", ld, column, j);
    const double dim = compact_number(setup, "grid.dim", ld, column, j);
    char known[120];
    (void)solver;
    if (m.axis >= dim) {
        snprintf(why, 160, "there is no %s on a grid of %.0f dimension%s", compact_axes[m.axis], dim,
                 dim == 1 ? "" : "s");
        return "axis";
    }
    if (!least) {
        snprintf(why, 160, "%s has no closure \"%s\"; it has %s", m.scheme->name, m.boundary,
                 sw_fd_boundaries(m.scheme, known));
        return "boundary";
    }
    if (compact_number(setup, n_of[m.axis], ld, column, j) < least) {
        snprintf(why, 160, "%s, %s needs at least %d points along %s", m.scheme->name, m.boundary, least,
                 compact_axes[m.axis]);
        return n_of[m.axis];
    }
    if (m.scheme->kind == SW_FD_FILTER && !(alpha > -0.5 && alpha < 0.5)) {
        snprintf(why, 160, "a filter's lies between -1/2 and 1/2; near 1/2 it takes only the shortest waves");
        return "alpha";
    }
    return NULL;
}

/* A float is off by up to 2^-24 of itself, a second difference of four such by 2^-22/h² of the field; of a derivative
 * that is (2 pi/L)² times the field that is 2^-22 (n/2 pi)². (Seen: 5e-3 at n = 1024 of d2_c6, where this is 6e-3.) */
static void remark(const struct sw_problem *problem, const struct sw_setup *setup, char text[200])
{
    const struct compact_method m = compact_method_of(setup);
    const double waves = (double)setup->n[m.axis] / (2 * 3.14159265358979323846), floor = ldexp(waves * waves, -22);
    (void)problem;
    text[0] = 0;
    if (setup->single_steps && m.scheme->kind == SW_FD_SECOND && floor > 1e-4)
        snprintf(text, 200,
                 "%s in single precision on %lld points: rounding leaves about %.1g of a wave as long as the domain; "
                 "use run.precision = \"double\"", m.scheme->name, (long long)setup->n[m.axis], floor);
}

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

static const struct sw_key keys[] = {
    {.path = "field", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X, .decides = true,
     .about = "The field, an expression in the coordinates; the exact result is derived from it."},
    {.path = "scheme", .kind = SW_KEY_WORD, .word = scheme_word, .fallback = "d1_c6", .decides = true,
     .about = "The scheme (numerics.md, 8): d1 and d2 for first and second derivatives, d1s and mid for derivatives "
              "and values half-way between points, f for filters; c4 and the like for compact ones of that order. A "
              "filter's exact result is the field itself."},
    {.path = "boundary", .kind = SW_KEY_WORD, .word = boundary_word, .fallback = "periodic", .decides = true,
     .about = "What the ends of the axis are: periodic, or walls with closures of these orders in the first row, the "
              "second row and inside; refused where the scheme has no such closure. Other axes are sampled "
              "periodically."},
    {.path = "axis", .kind = SW_KEY_WORD, .words = "x|y|z", .fallback = "x", .decides = true,
     .about = "The axis along which lines run."},
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

extern const struct sw_problem problem_compact;
const struct sw_problem problem_compact = {
    .name = "compact",
    .title = "Compact finite differences",
    .equation = "g = a derivative, a shift or a filter of the field along one axis, by a compact scheme",
    .example = example,
    .keys = keys,
    .fields = fields,
    .min_points = 1,
    .max_dim = 3,
    .timed = false,
    .derives_exact = true,
    .interior = true,
    .walls = walls,
    .bytes = compact_bytes,
    .host_bytes = compact_host_bytes,
    .create = compact_create,
    .validate_run = validate_run,
    .solver = sw_fd_row,
    .warn_setup = remark,
};
