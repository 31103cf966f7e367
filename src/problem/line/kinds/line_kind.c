#include "problem/line/kinds/line_kind.h"

#include <string.h>

#include "problem/line/stepper/imex.h"

enum sw_scheme sw_line_scheme(const struct sw_line_kind *kind, const struct sw_setup *setup)
{
    const char *word = sw_setup_word(setup, "method");
    enum sw_scheme scheme;
    if (word && sw_scheme_named(word, &scheme)) return scheme;
    return kind ? kind->scheme : SW_IMEX2;
}

bool sw_line_is_fourth(const struct sw_setup *setup) { return sw_setup_chosen(setup, "order", "4"); }

const struct sw_renamed_word sw_line_renamed_methods[] = {{"backward_euler", "imex1"}, {0}};

static void add_key(const struct sw_setup *setup, const char *path, struct sw_symbol *symbol, int *count)
{
    int column = sw_setup_column(setup, path);
    const char *dot = strrchr(path, '.');
    if (column < 0 || *count >= SW_LINE_NUMBERS) return;
    symbol[(*count)++] = (struct sw_symbol){dot ? dot + 1 : path, SW_RATE_RUN, column};
}

/* Axes and defines are not in scope: `gamma` is the key whatever the user called an axis. */
int sw_line_numbers(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_symbol *symbol)
{
    static const char *const common[] = {"grid.n", "grid.length", "grid.x0", "time.dt", "time.end"};
    int count = 0;
    for (int k = 0; k < 5; k++) add_key(setup, common[k], symbol, &count);
    for (const struct sw_key *key = problem->keys; key->path; key++)
        if (key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) add_key(setup, key->path, symbol, &count);
    return count;
}

enum sw_status sw_line_compile_text(const char *text, const struct sw_scope *numbers, bool field,
                                    struct sw_program **program, struct sw_expr_error *err)
{
    static const struct sw_symbol of_field[] = {{"x", SW_RATE_CELL, SW_IN_X},
                                                {"u", SW_RATE_POINT, SW_IN_U},
                                                {"ux", SW_RATE_POINT, SW_IN_UX},
                                                {"uxx", SW_RATE_POINT, SW_IN_UXX}};
    struct sw_symbol symbol[SW_LINE_NUMBERS + sizeof of_field / sizeof *of_field];
    struct sw_scope scope = {.symbol = symbol, .count = numbers->count};
    struct sw_expr *expr = NULL;
    if (!text) return SW_OK;
    memcpy(symbol, numbers->symbol, (size_t)numbers->count * sizeof *symbol);
    for (size_t k = 0; field && k < sizeof of_field / sizeof *of_field; k++) symbol[scope.count++] = of_field[k];
    enum sw_status st = sw_expr_parse(text, &expr, err);
    if (!st) st = sw_program_compile(expr, &scope, program, err);
    sw_expr_destroy(&expr);
    return st;
}
