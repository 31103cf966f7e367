/* Banded systems A x = f with up to four diagonals on each side of the main one (docs/explanation/banded.md).
 * banded_sim.c solves them; this file has the keys, and what is refused. */
#include "problem/banded/banded.h"

#include "base/sw_err.h"

/* ------------------------------------------------------------------ what is refused */

static enum sw_status points(const struct sw_setup *setup, int64_t *n, const char **key, struct sw_text *why)
{
    return system_points(setup, &banded_keys, n, key, why);
}

static enum sw_status content(const struct sw_setup *setup, bool *any, unsigned char digest[32], const char **key)
{
    return system_content(setup, &banded_keys, any, digest, key);
}

static const char *idle_key(const struct sw_setup *setup, struct sw_text *why)
{
    const struct named_matrix *matrix = banded_matrix_of(setup);
    if (matrix && named_matrix_is_random(matrix))
        return sw_refuse(why, "sigma", "it is for matrix = \"hyperdiffusion\"");
    return sw_refuse(why, "seed",
                     matrix ? "matrix = \"%s\" has no random numbers" : "it is for the random matrices with a name",
                     sw_setup_word(setup, "matrix"));
}

static const char *validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why)
{
    const bool named = banded_matrix_of(setup) != NULL;
    const char *refusal, *key = system_refuse_run(setup, &banded_keys, named, ld, column, j, why);
    const struct system_source *source;
    const int n = (int)sw_setup_number(setup, "grid.n", ld, column, j);
    bool use[SYSTEM_ARRAYS];
    if (key) return key;
    if (system_source_find(setup, &banded_keys, &source, &key, why))
        return sw_refuse(why, "source.file", "%s", sw_err_message());
    if (!source && !sw_setup_chosen(setup, "source.width", "file"))
        return sw_refuse(why, "source.width", "source.file is missing: which file is it of?");
    banded_diagonals(setup, source, use);
    const struct sw_band_desc desc = banded_shape(setup, use, n, 1), as_row = banded_shape_for(&desc, solver);
    if (desc.periodic && n < desc.lower + desc.upper + 1)
        return sw_refuse(why, "grid.n", "a cyclic system with %d diagonal%s below the main one and %d above has %d "
                         "unknowns at least: with fewer, two entries of a row are one%s", desc.lower,
                         desc.lower == 1 ? "" : "s", desc.upper, desc.lower + desc.upper + 1,
                         source && sw_setup_chosen(setup, "source.width", "file") ?
                         "; source.width says how many diagonals a file has" : "");
    if (setup->single_steps)
        return sw_refuse(why, "run.precision", "banded systems are solved in double precision only");
    if (!(refusal = sw_band_refusal(&as_row, solver))) return NULL;
    return sw_refuse(why, "solver", "%s", refusal);
}

/* ------------------------------------------------------------------ what `sweep check` says */

static enum sw_status describe(const struct sw_setup *setup, struct sw_text *text)
{
    const struct system_source *source;
    bool use[SYSTEM_ARRAYS], one = true;
    const char *before = "";
    SW_TRY(system_open_source(setup, &banded_keys, &source));
    banded_diagonals(setup, source, use);
    const struct sw_band_desc d = banded_shape(setup, use, INT32_MAX, 1);
    sw_text_printf(text, "bands    ");
    for (int k = 0; k < banded_keys.diagonals; k++) {
        const struct sw_program *program = sw_setup_function(setup, banded_keys.key[k]);
        if (!use[k]) continue;
        sw_text_printf(text, "%s%s", before, banded_keys.name[k]);
        before = ", ";
        one &= program && sw_program_size(program).params == 0;
    }
    sw_text_printf(text, ": %d below the main diagonal, %d above%s\n", d.lower, d.upper, d.periodic ? ", cyclic" : "");
    sw_text_printf(text, "matrices %s\n", one ? "one for all runs" : "one for each run");
    return SW_OK;
}

/* ------------------------------------------------------------------ keys */

#define OF_PLACE(sign, letter, place)                                                                \
    SYSTEM_KEY_FUNCTION("bands." letter place, "The entry A(i, i " sign " " place ") of row i; one outside the " \
                        "matrix counts only where the system is cyclic.")
#define DATASET(name_) \
    SYSTEM_KEY_DATASET(name_, "the entries of bands." name_ ": n of them, entry i in row i, or systems x n")

static const struct sw_key keys[] = {
    {.path = "matrix", .kind = SW_KEY_WORD, .word = banded_matrix_word, .fallback = "given", .decides = true,
     .about = "The matrix A: a word of the table of matrices (docs/explanation/banded.md), or `given` by bands."},
    OF_PLACE("-", "m", "4"), OF_PLACE("-", "m", "3"), OF_PLACE("-", "m", "2"), OF_PLACE("-", "m", "1"),
    SYSTEM_KEY_FUNCTION("bands.main", "The entry A(i, i), an expression in i = 1 .. n. A diagonal that is not given is "
                        "zero."),
    OF_PLACE("+", "p", "1"), OF_PLACE("+", "p", "2"), OF_PLACE("+", "p", "3"), OF_PLACE("+", "p", "4"),
    SYSTEM_KEYS_RHS_EXACT,
    SYSTEM_KEY_FILE("source.m4 to p4 and rhs"),
    DATASET("m4"), DATASET("m3"), DATASET("m2"), DATASET("m1"), DATASET("main"), DATASET("p1"), DATASET("p2"),
    DATASET("p3"), DATASET("p4"),
    SYSTEM_KEY_SOURCE_RHS,
    {.path = "source.width", .kind = SW_KEY_WORD, .words = "file|0|1|2|3|4", .fallback = "file", .with = "source.file",
     .about = "How many diagonals a Matrix Market matrix may have on each side of the main one, \"2\"; `file`: those "
              "that have an entry, four at most."},
    SYSTEM_KEY_SOURCE_SYSTEM,
    {.path = "cyclic", .kind = SW_KEY_SWITCH, .fallback = "false", .decides = true,
     .about = "Whether the system is closed to a circle: x_(i+n) is x_i."},
    {.path = "sigma", .kind = SW_KEY_REAL, .unit = "1", .fallback = "1", .decides = true, .visible = true,
     .about = "That of matrix = \"hyperdiffusion\": dt/(2 dx^4) in the scheme of hyperdiffusion, gamma D dt/dx^4 in "
              "that of Cahn-Hilliard."},
    {.path = "seed", .kind = SW_KEY_COUNT, .unit = "1", .min = 0, .max = 1e15, .fallback = "1", .decides = true,
     .visible = true,
     .about = "Which random numbers the matrices of the table have: those of rand(seed + 1/2) in the main diagonal, "
              "and of other fractions in the others."},
    {.path = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "The row of the table of band solvers, as `sweep list` names it, \"cpu.thomas\"; \"auto\" takes one that "
              "exchanges rows, \"$axis\" the word of an axis."},
    SYSTEM_KEY_N(0x1p30),
    {0},
};

static const struct sw_quantity fields[] = {{"x", "1", "solution"}, {0}};

static const char example[] =
    "// A x = f with up to four diagonals on each side of the main one: pK is A(i, i+K), mK is A(i, i-K).\n"
    "title   = \"Pentadiagonal systems\";\n"
    "problem = \"banded\";\n"
    "sweep   = { s = \"logspace(0.01, 1e4, 7)\"; };\n"
    "grid    = { n = 512; };\n"
    "bands   = { m2 = \"s\"; m1 = \"-4*s\"; main = \"1 + 6*s\"; p1 = \"-4*s\"; p2 = \"s\"; };  // or matrix = \"...\"\n"
    "cyclic  = true;\n"
    "exact   = \"sin(2*pi*i/n)\";                             // f = A x; or rhs = \"...\"\n"
    "solver  = \"auto\";                                      // a row of `sweep list`\n"
    "// fields = { precision = \"double\"; } in output saves x, too\n"
    "output  = { file = \"results/banded.h5\"; };\n";

static const struct sw_problem_shape shape = {.min_points = 1, .numbered = true};
static const struct sw_problem_files files = {.points = points, .content = content};
static const struct sw_problem_advice advice = {.describe = describe, .idle_key = idle_key};

extern const struct sw_problem problem_banded;
const struct sw_problem problem_banded = {
    .name = "banded",
    .title = "Banded systems",
    .equation = "sum over k = -4 .. 4 of A(i, i+k) x_(i+k) = rhs_i, i = 1 .. n; cyclic or not",
    .example = example,
    .keys = keys,
    .fields = fields,
    .measures = SW_SOLVES_EQUATIONS | SW_JUDGES_RESIDUALS,
    .solver = sw_band_row,
    .validate_run = validate_run,
    .bytes = banded_bytes,
    .create = banded_create,
    .shape = &shape,
    .files = &files,
    .advice = &advice,
};
