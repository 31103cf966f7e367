#include "problem/systems/named_matrix.h"

#include <string.h>

#include "expr/sw_expr.h"

const struct named_matrix *named_matrix_find(const struct named_matrix *table, const char *word)
{
    const struct named_matrix *m = table;
    while (m->word && strcmp(m->word, word)) m++;
    return m->word ? m : NULL;
}

bool named_matrix_is_random(const struct named_matrix *matrix)
{
    for (int k = 0; k < ENTRIES_DIAGONALS; k++)
        if (matrix->diagonal[k] && strstr(matrix->diagonal[k], "seed")) return true;
    return matrix->mode != 0;
}

/* Axes and defines are not in scope: n and seed are the keys, whatever the user calls an axis. */
enum sw_status named_matrix_compile(const struct named_matrix *matrix, int k, const struct sw_setup *setup,
                                    struct sw_program **program)
{
    const int sigma = sw_setup_column(setup, "sigma");
    const struct sw_symbol symbol[] = {{"i", SW_RATE_CELL, SW_IN_X},
                                       {"n", SW_RATE_RUN, sw_setup_column(setup, "grid.n")},
                                       {"seed", SW_RATE_RUN, sw_setup_column(setup, "seed")},
                                       {"sigma", SW_RATE_RUN, sigma}};
    const struct sw_scope scope = {.symbol = symbol, .count = sigma < 0 ? 3 : 4, .random = true};
    struct sw_expr_error err = {0};
    struct sw_expr *expr = NULL;
    enum sw_status st = sw_expr_parse(matrix->diagonal[k], &expr, &err);
    if (!st) st = sw_program_compile(expr, &scope, program, &err);
    sw_expr_destroy(&expr);
    return st;
}
