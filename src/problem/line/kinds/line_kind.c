#include "problem/line/kinds/line_kind.h"

#include <string.h>

#include "problem/line/stepper/imex.h"

enum sw_scheme sw_line_scheme(const struct sw_problem *problem, const struct sw_setup *setup)
{
    const struct sw_line_kind *kind = problem->model;
    const char *word = sw_setup_word(setup, "method");
    enum sw_scheme scheme;
    if (word && sw_scheme_named(word, &scheme)) return scheme;
    return kind->scheme;
}

bool sw_line_is_fourth(const struct sw_setup *setup) { return sw_setup_chosen(setup, "order", "4"); }

struct sw_line_mass sw_line_mass_of(const struct sw_problem *problem, const struct sw_setup *setup)
{
    const struct sw_line_kind *kind = problem->model;
    return sw_line_is_fourth(setup) ? sw_line_mass_for(false, kind->a4 != NULL) : (struct sw_line_mass){0};
}

/* Crank-Nicolson takes what is explicit at the old time, but for forces that do not depend on u. */
void sw_line_orders(const struct sw_problem *problem, const struct sw_setup *setup, int order[2])
{
    const struct sw_line_kind *kind = problem->model;
    const struct sw_imex *method = sw_imex_of(sw_line_scheme(problem, setup));
    const struct sw_program *forcing = sw_setup_function(setup, "forcing");
    const bool first = kind->g || kind->source || (forcing && sw_program_uses(forcing, "u"));
    order[0] = method ? method->order : first ? 1 : 2;
    order[1] = sw_line_is_fourth(setup) ? 4 : 2;
}

const struct sw_renamed_word sw_line_renamed_methods[] = {{"backward_euler", "imex1"}, {0}};

enum { MAX_SYMBOLS = 32 };

static void add_key(const struct sw_setup *setup, const char *path, struct sw_symbol *symbol, int *count)
{
    int column = sw_setup_column(setup, path);
    const char *dot = strrchr(path, '.');
    if (column < 0 || *count >= MAX_SYMBOLS - SW_INPUTS) return;
    symbol[(*count)++] = (struct sw_symbol){dot ? dot + 1 : path, SW_RATE_RUN, column};
}

/* The number keys under their short names. Axes and defines are not in scope: `gamma` is the key whatever the user
 * called an axis. */
static int make_symbols(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_symbol *symbol)
{
    static const char *const common[] = {"grid.n", "grid.length", "grid.x0", "time.dt", "time.end"};
    int count = 0;
    for (int k = 0; k < 5; k++) add_key(setup, common[k], symbol, &count);
    for (const struct sw_key *key = problem->keys; key->path; key++)
        if (key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) add_key(setup, key->path, symbol, &count);
    return count;
}

enum sw_status sw_line_expression(const struct sw_problem *problem, const struct sw_setup *setup, const char *text,
                                  unsigned sees, struct sw_program **program)
{
    static const struct { unsigned seen; struct sw_symbol symbol; } known[] = {
        {SW_LINE_SEES_U, {"u", SW_RATE_POINT, SW_IN_U}},
        {SW_LINE_SEES_X, {"x", SW_RATE_CELL, SW_IN_X}},
        {SW_LINE_SEES_T, {"t", SW_RATE_STEP, 0}},
        {SW_LINE_SEES_DERIVATIVES, {"ux", SW_RATE_POINT, SW_IN_UX}},
        {SW_LINE_SEES_DERIVATIVES, {"uxx", SW_RATE_POINT, SW_IN_UXX}},
    };
    struct sw_symbol symbol[MAX_SYMBOLS];
    struct sw_expr_error err = {0};
    struct sw_expr *expr = NULL;
    struct sw_scope scope = {.symbol = symbol, .count = make_symbols(problem, setup, symbol)};

    if (!text) return SW_OK;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (sees & known[k].seen) symbol[scope.count++] = known[k].symbol;
    enum sw_status st = sw_expr_parse(text, &expr, &err);
    if (!st) st = sw_program_compile(expr, &scope, program, &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "%s: '%s', column %d: %s", problem->name, text, err.column, err.text);
    sw_expr_destroy(&expr);
    return st;
}

enum sw_status sw_line_source(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_program **own,
                              const struct sw_program **program)
{
    const struct sw_line_kind *kind = problem->model;
    const struct sw_program *forcing = sw_setup_function(setup, "forcing");
    struct sw_program *source = NULL;
    enum sw_status st;
    *own = NULL;
    *program = forcing;
    if (!kind->source) return SW_OK;
    SW_TRY(sw_line_expression(problem, setup, kind->source, SW_LINE_SEES_U | SW_LINE_SEES_X | SW_LINE_SEES_T,
                              &source));
    if (forcing) {
        st = sw_program_sum(source, forcing, own);
        sw_program_destroy(&source);
        SW_TRY(st);
    } else {
        *own = source;
    }
    *program = *own;
    return SW_OK;
}
