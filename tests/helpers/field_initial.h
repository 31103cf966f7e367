#ifndef FIELD_INITIAL_H
#define FIELD_INITIAL_H
/* Initial values of rows that step fields. */
#include "helpers.h"

#include "field/grid.h"
#include "expr/sw_expr.h"

/* A text in x, y and z; free with sw_program_destroy(). */
static inline struct sw_program *compile_initial(const char *text)
{
    static const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y},
                                              {"z", SW_RATE_CELL, SW_IN_Z}};
    const struct sw_scope scope = {.symbol = symbol, .count = 3};
    struct sw_expr *expr;
    struct sw_expr_error err;
    struct sw_program *program;
    assert_ok(sw_expr_parse(text, &expr, &err));
    assert_ok(sw_program_compile(expr, &scope, &program, &err));
    sw_expr_destroy(&expr);
    return program;
}
#endif
