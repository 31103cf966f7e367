/* What a run of `tridiagonal` is, whether it is solved as a whole (tridiagonal_sim.c) or in slices
 * (tridiagonal_slices.c): where its entries come from, and what is said of its result. */
#include <math.h>

#include "base/sw_err.h"
#include "problem/tridiagonal/matrices.h"
#include "problem/tridiagonal/tridiagonal.h"

struct sw_tridiagonal_desc tridiagonal_describe(const struct sw_setup *setup, int64_t n, int batch)
{
    return (struct sw_tridiagonal_desc){.n = n, .batch = batch, .cyclic = sw_setup_chosen(setup, "cyclic", "true")};
}

double tridiagonal_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, path) * ld + j];
}

/* ------------------------------------------------------------------ entries */

enum sw_status tridiagonal_find_source(const struct sw_setup *setup, const struct tridiagonal_source **source)
{
    const char *key;
    struct sw_text why = SW_SHORT_TEXT;
    SW_TRY(tridiagonal_source_find(setup, source, &key, &why));
    return key ? SW_FAIL(SW_E_IO, "%s: %s", sw_setup_word(setup, "source.file"), sw_text_get(&why)) : SW_OK;
}

enum sw_status tridiagonal_describe_entries(const struct sw_setup *setup, const struct tridiagonal_source *source,
                                            struct sw_program *own[3], struct tridiagonal_entries_desc *desc)
{
    const struct tridiagonal_matrix *matrix = tridiagonal_matrix_find(sw_setup_word(setup, "matrix"));
    *desc = (struct tridiagonal_entries_desc){
        .n = setup->n[0],
        .capacity = setup->capacity,
        .cyclic = sw_setup_chosen(setup, "cyclic", "true"),
        .nparam = setup->ncolumn,
        .diagonals = 3,
        .place = {-1, 0, 1},
        .rhs = sw_setup_function(setup, "rhs"),
        .exact = sw_setup_function(setup, "exact"),
        .given_rhs = tridiagonal_source_has(source, TRIDIAGONAL_RHS),
    };
    for (int k = 0; k < 3; k++) {
        if (matrix && !matrix->mode) SW_TRY(tridiagonal_matrix_compile(matrix, k, setup, &own[k]));
        desc->diagonal[k] = matrix ? own[k] : sw_setup_function(setup, tridiagonal_array[k]);
    }
    return SW_OK;
}

bool tridiagonal_needs_staging(const struct sw_setup *setup)
{
    const struct tridiagonal_matrix *matrix = tridiagonal_matrix_find(sw_setup_word(setup, "matrix"));
    return (matrix && matrix->mode) || (setup->fields && setup->single) || *sw_setup_word(setup, "source.file");
}

/* ------------------------------------------------------------------ the result */

/* max|x| <= |inverse of A| max|f|: |A| max|x|/max|f| is a condition number that A has at least. */
void tridiagonal_record(const struct tridiagonal_sums *s, double *record)
{
    const struct tridiagonal_norms m = tridiagonal_norms_from_sums(s, 1, false);
    record[0] = s->rhs_max > 0 ? tridiagonal_least_condition(s) : 0;
    record[1] = m.backward_error;
}

void tridiagonal_warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const double condition = record[0], error = record[1];
    (void)sim, (void)j;
    if (!finite) return;
    if (error > 1e-12)
        sw_text_set(text, "x has a backward error of %.1g: elimination with pivoting (solver = \"auto\") leaves 1e-16, "
                    "unless numbers underflow", error);
    else if (isnan(error))
        sw_text_set(text, "no residual is known: the right-hand side is below 1e-301, and rounding errors underflow");
    else if (condition >= 1e16)
        sw_text_set(text, "no digit of x is certain: the condition number of the matrix is %.1g at least", condition);
}
