/* Tridiagonal systems A x = f with pivoting (docs/explanation/tridiagonal.md). tridiagonal_sim.c solves them; this file
 * has the keys, and what is refused. */
#include "problem/tridiagonal/tridiagonal.h"

#include "problem/tridiagonal/matrices.h"

/* ------------------------------------------------------------------ what is refused */

static enum sw_status points(const struct sw_setup *setup, int64_t *n, const char **key, struct sw_text *why)
{
    return system_points(setup, &tridiagonal_keys, n, key, why);
}

static enum sw_status content(const struct sw_setup *setup, bool *any, unsigned char digest[32], const char **key)
{
    return system_content(setup, &tridiagonal_keys, any, digest, key);
}

static const char *idle_key(const struct sw_setup *setup, struct sw_text *why)
{
    const char *word = sw_setup_word(setup, "matrix");
    const struct named_matrix *matrix = named_matrix_find(tridiagonal_matrices, word);
    if (matrix && named_matrix_is_random(matrix)) return NULL;
    return sw_refuse(why, "seed",
                     matrix ? "matrix = \"%s\" has no random numbers" : "it is for the random matrices with a name",
                     word);
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why)
{
    const int64_t n = (int64_t)sw_setup_number(setup, "grid.n", ld, column, j);
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(setup, n, 1);
    const bool named = named_matrix_find(tridiagonal_matrices, sw_setup_word(setup, "matrix")) != NULL;
    const char *refusal, *key = system_refuse_run(setup, &tridiagonal_keys, named, ld, column, j, why);
    if (key) return key;
    if (desc.cyclic && n < 3)
        return sw_refuse(why, "grid.n", "a cyclic system has 3 unknowns at least: with fewer, two entries of a row are "
                         "one");
    if (setup->single_steps)
        return sw_refuse(why, "run.precision", "tridiagonal systems are solved in double precision only");
    if (!(refusal = sw_tridiagonal_refusal(&desc, solver))) return NULL;
    return sw_refuse(why, "solver", "%s", refusal);
}

/* ------------------------------------------------------------------ keys */

static const struct sw_key keys[] = {
    {.path = "matrix", .kind = SW_KEY_WORD, .word = tridiagonal_matrix_word, .fallback = "given", .decides = true,
     .about = "The matrix A: a word of the table of matrices (docs/explanation/tridiagonal.md), or `given` by "
              "lower, main and upper."},
    SYSTEM_KEY_FUNCTION("lower", "The entry A(i, i-1) of row i, an expression in i = 1 .. n; that of row 1 counts only "
                        "where the system is cyclic, as A(1, n)."),
    SYSTEM_KEY_FUNCTION("main", "The entry A(i, i)."),
    SYSTEM_KEY_FUNCTION("upper", "The entry A(i, i+1); that of row n counts only where the system is cyclic, as "
                        "A(n, 1)."),
    SYSTEM_KEYS_RHS_EXACT,
    SYSTEM_KEY_FILE("source.lower, main, upper and rhs"),
    SYSTEM_KEY_DATASET("lower", "the entries A(i, i-1): n of them, entry i in row i, or systems x n"),
    SYSTEM_KEY_DATASET("main", "the entries A(i, i)"),
    SYSTEM_KEY_DATASET("upper", "the entries A(i, i+1)"),
    SYSTEM_KEY_SOURCE_RHS, SYSTEM_KEY_SOURCE_SYSTEM,
    {.path = "cyclic", .kind = SW_KEY_SWITCH, .fallback = "false", .decides = true,
     .about = "Whether the system is closed to a circle: the neighbour of x_1 below is x_n, and that of x_n above is "
              "x_1."},
    {.path = "seed", .kind = SW_KEY_COUNT, .unit = "1", .min = 0, .max = 1e15, .fallback = "1", .decides = true,
     .visible = true,
     .about = "Which random numbers the matrices of the table have: those of rand(seed + 1/4) in the lower, "
              "rand(seed + 1/2) in the main and rand(seed + 3/4) in the upper diagonal."},
    {.path = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "The row of the table of tridiagonal solvers, as `sweep list` names it, \"cpu.lapack\"; \"auto\" takes "
              "the best that fits, \"$axis\" the word of an axis."},
    SYSTEM_KEY_N(0x1p39),
    {0},
};

static const struct sw_quantity fields[] = {{"x", "1", "solution"}, {0}};

static const char example[] =
    "// A x = f with a tridiagonal A: five of the matrices with a name, which `sweep list` shows.\n"
    "title   = \"Tridiagonal systems with pivoting\";\n"
    "problem = \"tridiagonal\";\n"
    "sweep   = { kind = [\"uniform\", \"lesp\", \"half_zero\", \"svd_one_large\", \"dorr\"];\n"
    "            n = [512, 65536]; };\n"
    "grid    = { n = \"n\"; };\n"
    "matrix  = \"$kind\";                                     // or lower, main and upper: expressions in i = 1 .. n\n"
    "exact   = \"3 + randn(1)\";                              // f = A x; or rhs = \"...\"\n"
    "solver  = \"auto\";                                      // a row of `sweep list`\n"
    "// fields = { precision = \"double\"; } in output saves x, too\n"
    "output  = { file = \"results/tridiagonal.h5\"; };\n";

static const struct sw_problem_shape shape = {.min_points = 1, .numbered = true};
static const struct sw_problem_cuts cuts = {
    .deepest_cut = tridiagonal_deepest_cut, .row_of_slices = tridiagonal_row_of_slices};
static const struct sw_problem_files files = {.points = points, .content = content};
static const struct sw_problem_advice advice = {.idle_key = idle_key};

extern const struct sw_problem problem_tridiagonal;
const struct sw_problem problem_tridiagonal = {
    .name = "tridiagonal",
    .title = "Tridiagonal systems with pivoting",
    .equation = "lower_i x_(i-1) + main_i x_i + upper_i x_(i+1) = rhs_i, i = 1 .. n; cyclic or not",
    .example = example,
    .keys = keys,
    .fields = fields,
    .measures = SW_SOLVES_EQUATIONS,
    .solver = sw_tridiagonal_row,
    .validate_run = validate_run,
    .bytes = tridiagonal_bytes,
    .create = tridiagonal_create,
    .shape = &shape,
    .cuts = &cuts,
    .files = &files,
    .advice = &advice,
};
