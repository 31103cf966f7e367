/* Two operations in one loop: a block between them is neither written nor read. Each rounds as it does by itself. */
#include "expr/expr_impl.h"

/* The first one makes k of a and b, the second one the value of k and c; b and c may be numbers. Loads come before the
 * store of the same point: out may be the block of an operand. */
#define LOOP(name, first, second, b_is, c_is)                                                                   \
    static void name(int n, const double *a_, const double *b_, const double *c_, double *out,                  \
                     const struct op_where *where)                                                              \
    {                                                                                                           \
        const double b_number = *b_, c_number = *c_;                                                            \
        (void)where, (void)b_number, (void)c_number;                                                            \
        _Pragma("GCC ivdep")                                                                                    \
        for (int i = 0; i < n; i++) {                                                                           \
            const double a = a_[i], b = b_is, c = c_is, k = first;                                              \
            out[i] = second;                                                                                    \
        }                                                                                                       \
    }
#define LOOPS(id, first, second)                        \
    LOOP(id##_00, first, second, b_[i], c_[i])          \
    LOOP(id##_01, first, second, b_[i], c_number)       \
    LOOP(id##_10, first, second, b_number, c_[i])       \
    LOOP(id##_11, first, second, b_number, c_number)
#define AFTER(id, first)            \
    LOOPS(id##_add, first, k + c)   \
    LOOPS(id##_sub, first, k - c)   \
    LOOPS(id##_from, first, c - k)  \
    LOOPS(id##_mul, first, k * c)
AFTER(add, a + b)
AFTER(sub, a - b)
AFTER(mul, a * b)

#define ROWS(id) {{id##_00, id##_01}, {id##_10, id##_11}}
#define TABLE(id) {ROWS(id##_add), ROWS(id##_sub), ROWS(id##_from), ROWS(id##_mul)}
enum { ADDS, SUBS, MULS, NONE };

static int kind_of(enum operation op) { return op == OP_ADD ? ADDS : op == OP_SUB ? SUBS : op == OP_MUL ? MULS : NONE; }

op_loop *op_joined_loop(enum operation first, bool number_b, enum operation second, bool k_is_second, bool number_c)
{
    static op_loop *const table[3][4][2][2] = {TABLE(add), TABLE(sub), TABLE(mul)};
    const int f = kind_of(first), s = kind_of(second);
    if (f == NONE || s == NONE) return NULL;
    return table[f][s == ADDS ? 0 : s == MULS ? 3 : k_is_second ? 2 : 1][number_b][number_c];
}
