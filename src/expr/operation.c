#include <math.h>
#include <string.h>

#include "expr/expr_impl.h"
#include "expr/random_point.h"
#include "expr/sw_reduction.h"
#include "expr/vector_math.h"

#define X(id, operand_count, text, precedence, function, expression) \
    [OP_##id] = {text, precedence, operand_count, function, #expression},
const struct op_row op_table[OP_COUNT] = {
    [OP_NUMBER] = {NULL, BINDS_CALL, 0, NULL, NULL}, [OP_NAME] = {NULL, BINDS_CALL, 0, NULL, NULL}, OPERATIONS(X)
    [OP_DX] = {"dx", BINDS_CALL, 1, NULL, NULL},     [OP_DXX] = {"dxx", BINDS_CALL, 1, NULL, NULL},
    [OP_DXXX] = {"dxxx", BINDS_CALL, 1, NULL, NULL}, [OP_DXXXX] = {"dxxxx", BINDS_CALL, 1, NULL, NULL},
    [OP_DY] = {"dy", BINDS_CALL, 1, NULL, NULL},     [OP_DYY] = {"dyy", BINDS_CALL, 1, NULL, NULL},
    [OP_DYYY] = {"dyyy", BINDS_CALL, 1, NULL, NULL}, [OP_DYYYY] = {"dyyyy", BINDS_CALL, 1, NULL, NULL},
    [OP_DZ] = {"dz", BINDS_CALL, 1, NULL, NULL},     [OP_DZZ] = {"dzz", BINDS_CALL, 1, NULL, NULL},
    [OP_DZZZ] = {"dzzz", BINDS_CALL, 1, NULL, NULL}, [OP_DZZZZ] = {"dzzzz", BINDS_CALL, 1, NULL, NULL},
};
#undef X

enum operation op_find_function(const char *name)
{
    for (enum operation op = 0; op < OP_COUNT; op++)
        if (op_is_function(op) && !strcmp(op_table[op].written, name)) return op;
    return OP_COUNT;
}

const char *sw_expr_function(int k, int *arguments, const char **value)
{
    for (enum operation op = 0; op < OP_COUNT; op++) {
        if (!op_is_function(op) || op_derivative(op) || k-- > 0) continue;
        *arguments = op_table[op].operands;
        *value = op_is_random(op) ? NULL : op_table[op].value;
        return op_table[op].written;
    }
    return NULL;
}

const char *sw_expr_derivative_name(int k)
{
    return k >= 0 && k <= OP_DXXXX - OP_DX ? op_table[OP_DX + k].written : NULL;
}

const struct sw_reduction_word sw_reduction_kinds[SW_REDUCTION_KINDS] = {
    [SW_REDUCTION_MEAN] = {"mean", "the mean over the domain"},
    [SW_REDUCTION_MIN] = {"min", "the least value at a point"},
    [SW_REDUCTION_MAX] = {"max", "the greatest value at a point"},
    [SW_REDUCTION_INTEGRAL] = {"integral", "the integral over the domain"},
    [SW_REDUCTION_CROSSINGS] = {"crossings", "how often the sign changes from a point to the next along x"},
};

const char *sw_reduction_name(int k, const char **about)
{
    if (k >= SW_REDUCTION_KINDS) return NULL;
    *about = sw_reduction_kinds[k].about;
    return sw_reduction_kinds[k].name;
}

bool sw_is_reduction(const char *name)
{
    for (int k = 0; k < SW_REDUCTION_KINDS; k++)
        if (!strcmp(sw_reduction_kinds[k].name, name)) return true;
    return false;
}

/* Each loop is one the compiler can vectorise where the hardware has the operation; sin, exp, pow ... are called
 * element by element, so that no value depends on its place in the block. */
#define X(id, operands, written, binds, library, value)                                                          \
    static void loop_##id(int n, const double *restrict a_, const double *restrict b_, const double *restrict c_, \
                          double *restrict out, const struct op_where *where)                                    \
    {                                                                                                            \
        const long long step = where->step;                                                                      \
        const uint32_t stream = where->stream;                                                                   \
        const int lanes = where->lanes;                                                                          \
        for (int i = 0; i < n; i++) {                                                                            \
            const double a = a_[i], b = b_[i], c = c_[i];                                                        \
            const int cell = where->cell + i / lanes;                                                            \
            (void)a, (void)b, (void)c, (void)cell, (void)step, (void)stream;                                     \
            out[i] = value;                                                                                      \
        }                                                                                                        \
    }
OPERATIONS(X)
#undef X

#define X(id, operands, written, binds, library, value) [OP_##id] = loop_##id,
op_loop *const op_loops[OP_COUNT] = {OPERATIONS(X)};
#undef X

/* The same where one operand is a number: blocks of it need no room in the first-level cache. */
#define X(id, value)                                                                                               \
    static void loop_##id##_number_first(int n, const double *restrict a_, const double *restrict b_,              \
                                         const double *restrict c_, double *restrict out,                          \
                                         const struct op_where *where)                                             \
    {                                                                                                              \
        const double a = *a_;                                                                                      \
        (void)c_, (void)where;                                                                                     \
        for (int i = 0; i < n; i++) {                                                                              \
            const double b = b_[i];                                                                                \
            out[i] = value;                                                                                        \
        }                                                                                                          \
    }                                                                                                              \
    static void loop_##id##_number_second(int n, const double *restrict a_, const double *restrict b_,             \
                                          const double *restrict c_, double *restrict out,                         \
                                          const struct op_where *where)                                            \
    {                                                                                                              \
        const double b = *b_;                                                                                      \
        (void)c_, (void)where;                                                                                     \
        for (int i = 0; i < n; i++) {                                                                              \
            const double a = a_[i];                                                                                \
            out[i] = value;                                                                                        \
        }                                                                                                          \
    }
X(ADD, a + b) X(SUB, a - b) X(MUL, a * b)
#undef X

op_loop *op_loop_of(enum operation op, bool number_first, bool number_second)
{
#define X(id)                                                      \
    if (op == OP_##id && number_first) return loop_##id##_number_first;   \
    if (op == OP_##id && number_second) return loop_##id##_number_second;
    X(ADD) X(SUB) X(MUL)
#undef X
    return op_loops[op];
}

_Static_assert((int)OP_COUNT <= (int)VECTOR_MATH_MOST, "a place in vector_math() for each operation");

bool op_vector(enum operation op, int n, const double *a, const double *b, double *out)
{
    const struct op_row *row = &op_table[op];
    if (!vector_math(op, row->library, row->operands, n, a, b, out)) return false;
    for (int i = 0; i < n && (op == OP_SECH || op == OP_CSCH || op == OP_COTH); i++) out[i] = 1.0 / out[i];
    return true;
}

enum { RANDOM_AT_ONCE = 256 };

/* Of values first .. first + n - 1: the compiler makes vectors of this loop, some 4 ns a pair of numbers with AVX-512
 * and 10 ns with AVX2, where one after the other takes 20. */
static void random_pairs(enum operation op, int first, int n, const double *a, const double *b,
                         const struct op_where *where, double *restrict u, double *restrict v)
{
    const uint32_t stream = where->stream | (op == OP_RAND ? 0 : 0x80000000u);  /* as sw_rand() and sw_randn() */
    const int lanes = __builtin_ctz((unsigned)where->lanes), cell = where->cell;  /* a power of 2, as a shift */
    if (op == OP_RANDN_AT)
        for (int i = 0; i < n; i++)
            sw_rand_pair(a[i], cell + ((first + i) >> lanes) + (int)b[i], where->step, stream, &u[i], &v[i]);
    else
        for (int i = 0; i < n; i++)
            sw_rand_pair(a[i], cell + ((first + i) >> lanes), where->step, stream, &u[i], &v[i]);
}

void op_random(enum operation op, int n, const double *a, const double *b, double *out, const struct op_where *where)
{
    double u[RANDOM_AT_ONCE], v[RANDOM_AT_ONCE];
    for (int first = 0; first < n; first += RANDOM_AT_ONCE) {
        const int here = n - first < RANDOM_AT_ONCE ? n - first : RANDOM_AT_ONCE;
        random_pairs(op, first, here, a + first, b + first, where, u, v);
        for (int i = 0; i < here && op != OP_RAND; i++) u[i] = sw_normal(u[i], v[i]);
        for (int i = 0; i < here; i++) out[first + i] = a[first + i] == a[first + i] ? u[i] : a[first + i];
    }
}

double op_value(enum operation op, double a, double b, double c)
{
    const struct op_where nowhere = {0, 1, 0, 0};
    double value;
    op_loops[op](1, &a, &b, &c, &value, &nowhere);
    return value;
}
