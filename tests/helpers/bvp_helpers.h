#ifndef BVP_HELPERS_H
#define BVP_HELPERS_H
/* What tests of the table of boundary value problems share beside the row at work (row_helpers.h). */
#include "problem/bvp/sw_bvp_impl.h"

#define ROW_OPS sw_bvp_ops
#include "row_helpers.h"

static const struct sw_symbol x_alone[] = {{"x", SW_RATE_CELL, SW_IN_X}};

/* The program of an expression of these symbols; sw_program_destroy() it. */
static inline struct sw_program *compile_text(const char *text, const struct sw_symbol *symbol, int count)
{
    const struct sw_scope scope = {.symbol = symbol, .count = count};
    struct sw_expr_error err = {0};
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    if (sw_expr_parse(text, &expr, &err) || sw_program_compile(expr, &scope, &program, &err))
        fail_msg("'%s': %s", text, err.text);
    sw_expr_destroy(&expr);
    return program;
}

/* Whether the row solves the general problem, and so keeps a matrix a problem. */
static inline bool is_general(void)
{
    struct sw_program *q = compile_text("1 + x", x_alone, 1);
    const struct sw_bvp_desc desc = {.n = 10, .q = q};
    const bool fits = under_test->absent || under_test->fits(&desc);
    sw_program_destroy(&q);
    return fits;
}
#endif
