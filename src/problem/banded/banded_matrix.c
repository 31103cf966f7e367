/* The matrices of banded systems: their diagonals, those that have a name, and their shape as solvers see it. */
#include "problem/banded/banded.h"

const struct system_keys banded_keys = {
    .diagonals = 9,
    .place = {-4, -3, -2, -1, 0, 1, 2, 3, 4},
    .optional = true,
    .name = {"m4", "m3", "m2", "m1", "main", "p1", "p2", "p3", "p4", "rhs"},
    .key = {"bands.m4", "bands.m3", "bands.m2", "bands.m1", "bands.main", "bands.p1", "bands.p2", "bands.p3",
            "bands.p4", "rhs"},
    .dataset = {"source.m4", "source.m3", "source.m2", "source.m1", "source.main", "source.p1", "source.p2",
                "source.p3", "source.p4", "source.rhs"},
    .take = "source.m4 to m1, main, p1 to p4 or rhs",
    .give = "bands = { main = \"..\"; p1 = \"..\"; .. }",
};

/* ------------------------------------------------------------------ matrices with a name */

/* Random numbers of each diagonal are those of a key of its own, as of tridiagonal matrices with a name, whose m1, main
 * and p1 they have in common. */
#define UNIFORM(key) "2*rand(seed + " key ") - 1"
#define OFF_MAIN(main) \
    {NULL, NULL, UNIFORM("1/16"), UNIFORM("1/4"), main, UNIFORM("3/4"), UNIFORM("15/16"), NULL, NULL}

const struct named_matrix banded_matrices[] = {
    {"hyperdiffusion", "1 + sigma (1, -4, 6, -4, 1): the implicit matrix of hyperdiffusion and of Cahn-Hilliard",
     {NULL, NULL, "sigma", "-4*sigma", "1 + 6*sigma", "-4*sigma", "sigma", NULL, NULL}, 0},
    {"biharmonic", "1, -4, 6, -4, 1, with 7 in the corners: the fourth difference of a clamped beam",
     {NULL, NULL, "1", "-4", "i == 1 || i == n ? 7 : 6", "-4", "1", NULL, NULL}, 0},
    {"toeppen", "gallery('toeppen', n): 1, -10, 0, 10, 1, with a zero main diagonal",
     {NULL, NULL, "1", "-10", "0", "10", "1", NULL, NULL}, 0},
    {"grcar", "gallery('grcar', n): -1 below the main diagonal, 1 on it and on three above it",
     {NULL, NULL, NULL, "-1", "1", "1", "1", "1", NULL}, 0},
    {"uniform", "five diagonals from U(-1, 1)", OFF_MAIN(UNIFORM("1/2")), 0},
    {"uniform_9", "nine diagonals from U(-1, 1)",
     {UNIFORM("1/64"), UNIFORM("1/32"), UNIFORM("1/16"), UNIFORM("1/4"), UNIFORM("1/2"), UNIFORM("3/4"),
      UNIFORM("15/16"), UNIFORM("31/32"), UNIFORM("63/64")}, 0},
    {"main_64", "main diagonal 64, four others from U(-1, 1): without need of row exchanges", OFF_MAIN("64"), 0},
    {"main_1e10_inverse", "main diagonal 1e-10, four others from U(-1, 1): in need of row exchanges",
     OFF_MAIN("1e-10"), 0},
    {"zero_main", "main diagonal 0, four others from U(-1, 1)", OFF_MAIN("0"), 0},
    {NULL},
};

const char *banded_matrix_word(int k)
{
    enum { WORDS = sizeof banded_matrices / sizeof *banded_matrices - 1 };
    return k < WORDS ? banded_matrices[k].word : k == WORDS ? "given" : NULL;
}

const struct named_matrix *banded_matrix_of(const struct sw_setup *setup)
{
    return named_matrix_find(banded_matrices, sw_setup_word(setup, "matrix"));
}

/* ------------------------------------------------------------------ their shape */

void banded_diagonals(const struct sw_setup *setup, const struct system_source *source, bool use[SYSTEM_ARRAYS])
{
    const struct named_matrix *matrix = banded_matrix_of(setup);
    for (int k = 0; k < banded_keys.diagonals; k++)
        use[k] = matrix ? matrix->diagonal[k] != NULL
                        : sw_setup_find(setup, banded_keys.key[k]) || system_source_has(source, k);
}

/* Without a circle, diagonals that begin beyond n have no entry. */
struct sw_band_desc banded_shape(const struct sw_setup *setup, const bool use[SYSTEM_ARRAYS], int n, int batch)
{
    const bool cyclic = sw_setup_chosen(setup, "cyclic", "true");
    struct sw_band_desc d = {.n = n, .batch = batch};
    for (int k = 0; k < banded_keys.diagonals; k++) {
        const int place = banded_keys.place[k];
        if (!use[k] || (!cyclic && (place >= n || -place >= n))) continue;
        if (-place > d.lower) d.lower = -place;
        if (place > d.upper) d.upper = place;
    }
    d.periodic = cyclic && d.lower + d.upper > 0;
    return d;
}

struct sw_band_desc banded_shape_for(const struct sw_band_desc *desc, const char *row)
{
    struct sw_band_desc d = *desc;
    d.uniform = true;
    if (!sw_band_refusal(&d, row) || d.lower != d.upper) return d;
    d.symmetric = true;
    if (sw_band_refusal(&d, row)) d.symmetric = false;
    return d;
}
