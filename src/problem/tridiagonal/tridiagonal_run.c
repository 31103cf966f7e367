/* What a run of `tridiagonal` is, whether it is solved as a whole (tridiagonal_sim.c) or in slices
 * (tridiagonal_slices.c): its shape, and where its entries come from. */
#include "problem/tridiagonal/matrices.h"
#include "problem/tridiagonal/tridiagonal.h"

const struct system_keys tridiagonal_keys = {
    .diagonals = 3,
    .place = {-1, 0, 1},
    .name = {"lower", "main", "upper", "rhs"},
    .key = {"lower", "main", "upper", "rhs"},
    .dataset = {"source.lower", "source.main", "source.upper", "source.rhs"},
    .take = "source.lower, main, upper or rhs",
    .give = "lower, main and upper",
};

struct sw_tridiagonal_desc tridiagonal_describe(const struct sw_setup *setup, int64_t n, int batch)
{
    return (struct sw_tridiagonal_desc){.n = n, .batch = batch, .cyclic = sw_setup_chosen(setup, "cyclic", "true")};
}

enum sw_status tridiagonal_describe_entries(const struct sw_setup *setup, const struct system_source *source,
                                            struct system_given *given)
{
    const struct named_matrix *matrix = named_matrix_find(tridiagonal_matrices,
                                                          sw_setup_word(setup, "matrix"));
    bool use[SYSTEM_ARRAYS] = {true, true, true};
    return system_describe(setup, &tridiagonal_keys, use, matrix, source, given);
}

bool tridiagonal_needs_staging(const struct sw_setup *setup)
{
    const struct named_matrix *matrix = named_matrix_find(tridiagonal_matrices,
                                                          sw_setup_word(setup, "matrix"));
    return (matrix && matrix->mode) || (setup->fields && setup->single) || *sw_setup_word(setup, "source.file");
}
