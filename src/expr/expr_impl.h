#ifndef EXPR_IMPL_H
#define EXPR_IMPL_H
/* The operators, the tree, the instructions: for src/expr, and for src/problem, which takes trees apart. */
#include <stddef.h>

#include "expr/sw_expr.h"

/* How tightly an operator binds, as in C, with ^ above the unary ones. */
enum precedence {
    BINDS_CHOICE = 1, BINDS_OR, BINDS_AND, BINDS_EQUAL, BINDS_ORDER, BINDS_SUM, BINDS_PRODUCT, BINDS_UNARY, BINDS_POWER,
    BINDS_CALL
};

/* Every operation of the language: parser, printer, CPU loops and CUDA text are all made from this list. The value is a
 * C expression in the operands a, b, c, and for random numbers cell, step and stream; it is compiled for the CPU and
 * copied as text for CUDA, so that both do the same arithmetic. min, max and sign pass a NaN on: a blown-up run must
 * show. mod(a, b) = a - b floor(a/b) has the sign of b; it is made of fmod, which is exact. library: the function of
 * math.h that takes most of its time (sech, csch and coth are one over it), of which the C library may have a version
 * for many values (vector_math.h); NULL where a few instructions do. The order of rows means nothing; what is no column
 * is the derivative, a case in derivative.c. */
#define OPERATIONS(X)                                                                                       \
    /* id     operands   written  binds          library  value */                                          \
    X(NEG,    1,         "-",     BINDS_UNARY,   NULL,    -a)                                               \
    X(NOT,    1,         "!",     BINDS_UNARY,   NULL,    a == 0.0 ? 1.0 : 0.0)                             \
    X(ADD,    2,         "+",     BINDS_SUM,     NULL,    a + b)                                            \
    X(SUB,    2,         "-",     BINDS_SUM,     NULL,    a - b)                                            \
    X(MUL,    2,         "*",     BINDS_PRODUCT, NULL,    a * b)                                            \
    X(DIV,    2,         "/",     BINDS_PRODUCT, NULL,    a / b)                                            \
    X(POW,    2,         "^",     BINDS_POWER,   "pow",   pow(a, b))                                        \
    X(LT,     2,         "<",     BINDS_ORDER,   NULL,    a < b ? 1.0 : 0.0)                                \
    X(LE,     2,         "<=",    BINDS_ORDER,   NULL,    a <= b ? 1.0 : 0.0)                               \
    X(GT,     2,         ">",     BINDS_ORDER,   NULL,    a > b ? 1.0 : 0.0)                                \
    X(GE,     2,         ">=",    BINDS_ORDER,   NULL,    a >= b ? 1.0 : 0.0)                               \
    X(EQ,     2,         "==",    BINDS_EQUAL,   NULL,    a == b ? 1.0 : 0.0)                               \
    X(NE,     2,         "!=",    BINDS_EQUAL,   NULL,    a != b ? 1.0 : 0.0)                               \
    X(AND,    2,         "&&",    BINDS_AND,     NULL,    ((a != 0.0) & (b != 0.0)) ? 1.0 : 0.0)            \
    X(OR,     2,         "||",    BINDS_OR,      NULL,    ((a != 0.0) | (b != 0.0)) ? 1.0 : 0.0)            \
    X(CHOICE, 3,         "?",     BINDS_CHOICE,  NULL,    a != 0.0 ? b : c)                                 \
    X(SIN,    1,         "sin",   BINDS_CALL,    "sin",   sin(a))                                           \
    X(COS,    1,         "cos",   BINDS_CALL,    "cos",   cos(a))                                           \
    X(TAN,    1,         "tan",   BINDS_CALL,    "tan",   tan(a))                                           \
    X(ASIN,   1,         "asin",  BINDS_CALL,    "asin",  asin(a))                                          \
    X(ACOS,   1,         "acos",  BINDS_CALL,    "acos",  acos(a))                                          \
    X(ATAN,   1,         "atan",  BINDS_CALL,    "atan",  atan(a))                                          \
    X(ATAN2,  2,         "atan2", BINDS_CALL,    "atan2", atan2(a, b))                                      \
    X(SINH,   1,         "sinh",  BINDS_CALL,    "sinh",  sinh(a))                                          \
    X(COSH,   1,         "cosh",  BINDS_CALL,    "cosh",  cosh(a))                                          \
    X(TANH,   1,         "tanh",  BINDS_CALL,    "tanh",  tanh(a))                                          \
    X(SECH,   1,         "sech",  BINDS_CALL,    "cosh",  1.0 / cosh(a))                                    \
    X(CSCH,   1,         "csch",  BINDS_CALL,    "sinh",  1.0 / sinh(a))                                    \
    X(COTH,   1,         "coth",  BINDS_CALL,    "tanh",  1.0 / tanh(a))                                    \
    X(EXP,    1,         "exp",   BINDS_CALL,    "exp",   exp(a))                                           \
    X(LOG,    1,         "log",   BINDS_CALL,    "log",   log(a))                                           \
    X(LOG10,  1,         "log10", BINDS_CALL,    "log10", log10(a))                                         \
    X(ERF,    1,         "erf",   BINDS_CALL,    "erf",   erf(a))                                           \
    X(SQRT,   1,         "sqrt",  BINDS_CALL,    NULL,    sqrt(a))                                          \
    X(ABS,    1,         "abs",   BINDS_CALL,    NULL,    fabs(a))                                          \
    X(MIN,    2,         "min",   BINDS_CALL,    NULL,    ((a != a) | (a < b)) ? a : b)                     \
    X(MAX,    2,         "max",   BINDS_CALL,    NULL,    ((a != a) | (a > b)) ? a : b)                     \
    X(FLOOR,  1,         "floor", BINDS_CALL,    NULL,    floor(a))                                         \
    X(CEIL,   1,         "ceil",  BINDS_CALL,    NULL,    ceil(a))                                          \
    X(ROUND,  1,         "round", BINDS_CALL,    NULL,    round(a))                                         \
    X(MOD,    2,         "mod",   BINDS_CALL,    NULL,                                                      \
      fmod(a, b) + (((fmod(a, b) < 0.0) & (b > 0.0)) | ((fmod(a, b) > 0.0) & (b < 0.0)) ? b : 0.0))         \
    X(SIGN,   1,         "sign",  BINDS_CALL,    NULL,    a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a)               \
    X(STEP,   1,         "step",  BINDS_CALL,    NULL,    a >= 0.0 ? 1.0 : 0.0)                             \
    X(HEAVISIDE, 1,  "heaviside", BINDS_CALL,    NULL,    a >= 0.0 ? 1.0 : 0.0)                             \
    X(RANDN,  1,         "randn", BINDS_CALL,    NULL,    sw_randn(a, cell, step, stream))                  \
    X(RAND,   1,         "rand",  BINDS_CALL,    NULL,    sw_rand(a, cell, step, stream))                   \
    X(NOISE,  3,         NULL,    BINDS_CALL,    NULL,                                                      \
      sw_noise(a, SW_NOISE_POINT, (int)(b), (int)(c), step, stream))

/* dx(a) .. dzzzz(a) are the derivatives of a field, which has no value at a point by itself: they stand in trees only
 * (sw_differences.h), never in a program, and are therefore not in the list. Those along y and z, in a row of four for
 * each axis as those along x are, stand only in what sw_expr_parse_fields() makes. */
#define X(id, operands, written, binds, library, value) OP_##id,
enum operation { OP_NUMBER, OP_NAME, OPERATIONS(X) OP_DX, OP_DXX, OP_DXXX, OP_DXXXX,
                 OP_DY, OP_DYY, OP_DYYY, OP_DYYYY, OP_DZ, OP_DZZ, OP_DZZZ, OP_DZZZZ, OP_COUNT };
#undef X

struct op_row {                 /* src/expr/operation.c */
    const char     *written;    /* NULL for OP_NUMBER and OP_NAME */
    enum precedence binds;
    int             operands;
    const char     *library;    /* NULL: a few instructions  */
    const char     *value;      /* the C expression, as text */
};
extern const struct op_row op_table[OP_COUNT];

/** NOISE, the normal number of a point or a face beside it (random_point.h), stands in trees that the program makes
 * alone; its operands, a key, a face and an end, are the same at all points. */
static inline bool op_is_random(enum operation op) { return op == OP_RAND || op == OP_RANDN || op == OP_NOISE; }
/** Whether texts of a line know op as a function: derivatives along y and z they do not. */
static inline bool op_is_function(enum operation op)
{
    return op_table[op].binds == BINDS_CALL && op_table[op].written && op < OP_DY;
}

/** The order of the derivative that op is, 1 .. 4; 0: it is none. Along which axis: 0 .. 2. */
static inline int op_derivative(enum operation op) { return op >= OP_DX && op < OP_COUNT ? (op - OP_DX) % 4 + 1 : 0; }
static inline int op_axis(enum operation op) { return (op - OP_DX) / 4; }
static inline enum operation op_derivative_along(int axis, int order)
{
    return (enum operation)(OP_DX + 4 * axis + order - 1);
}

/** Whether the value of op jumps somewhere, or is continuous and has a slope that jumps. */
static inline bool op_is_logic(enum operation op) { return op == OP_NOT || (op >= OP_LT && op <= OP_OR); }
static inline bool op_jumps(enum operation op)
{
    return op_is_logic(op) || op == OP_CHOICE || op == OP_FLOOR || op == OP_CEIL || op == OP_ROUND || op == OP_MOD ||
           op == OP_SIGN || op == OP_STEP || op == OP_HEAVISIDE;
}
static inline bool op_has_kink(enum operation op) { return op == OP_ABS || op == OP_MIN || op == OP_MAX; }

/** The function or derivative along x of this name, OP_COUNT if there is none. */
enum operation op_find_function(const char *name);

/** Whether texts about a grid of so many dimensions know an operator on fields of this name that is no operation:
 * "lap", and beyond a line "dxy". (parse.c) */
bool op_is_grid_operator(const char *name, int dimensions);

/* ------------------------------------------------------------------ values of an operation (operation.c) */

/* lanes values belong to one cell; `cell` is that of the first value, which is the first of its lanes. nx, ny: of the
 * grid whose points the cells are, as sw_noise_place() wants them. */
struct op_where { int cell, lanes; long long step; uint32_t stream; int nx, ny; };

/* out[i] = op(a[i], b[i], c[i]) for i < n. Operands an operation lacks may be any readable array; out overlaps none. */
typedef void op_loop(int n, const double *a, const double *b, const double *c, double *out,
                     const struct op_where *where);
extern op_loop *const op_loops[OP_COUNT];

/* The loop of an operation whose first or second operand may be a number, of which it then reads the first alone. */
op_loop *op_loop_of(enum operation op, bool number_first, bool number_second);

/* The loop of second(k, c), or of second(c, k), with k = first(a, b), where b and c may be numbers; out may be a, b or
 * c. NULL: there is none. (joined.c) */
op_loop *op_joined_loop(enum operation first, bool number_b, enum operation second, bool k_is_second, bool number_c);

/* The same by the C library's vector functions (vector_math.h), whose last digits may be others; of an operation with a
 * `library`. false: there is none. */
bool op_vector(enum operation op, int n, const double *a, const double *b, double *out);

/* Random numbers: those of the loop, many values side by side. */
void op_random(enum operation op, int n, const double *a, const double *b, const double *c, double *out,
               const struct op_where *where);

/* One value, by the same loop; not for random numbers. */
double op_value(enum operation op, double a, double b, double c);

/* ------------------------------------------------------------------ the tree (tree.c) */

enum { NAME_LONGEST = 63, TEXT_LONGEST = 65536, DEEPEST = 200, DERIVATIVE_LARGEST = 100000 };

struct node {
    enum operation op;
    int    child[3];        /* indices of nodes before this one; -1 where there is none */
    int    name;            /* OP_NAME: index into names                                */
    int    column, length;  /* in the text, in characters                               */
    double value;           /* OP_NUMBER: finite, not negative                          */
};

/* Children stand before their parents, so that walking a tree is a loop and no depth of it can exhaust the stack. What
 * the parser makes is a tree; what is made of trees may use a node in several places. */
struct sw_expr {
    struct node *node;
    int          count, room, root;
    char       (*names)[NAME_LONGEST + 1];
    int          name_count, name_room;
};

/** Append a node; its index, or -1 if memory is out. */
int tree_add(struct sw_expr *expr, const struct node *node);
/** The index of a name, added if new; -1 if memory is out. */
int tree_name(struct sw_expr *expr, const char *name, size_t length);
/** Drop what the root does not use. */
enum sw_status tree_prune(struct sw_expr *expr);
/** Append the nodes of another tree. @param root  out: index of its root */
enum sw_status tree_append(struct sw_expr *to, const struct sw_expr *from, int *root);
/** What hangs on node k, as a tree of its own. @param part  out: NULL on failure; free with sw_expr_destroy() */
enum sw_status tree_part(const struct sw_expr *expr, int k, struct sw_expr **part);

/* ------------------------------------------------------------------ orders of derivatives (tree.c) */

/* Orders along x, y and z that come to HIGHEST_ORDER at most are numbered, of a line 0 .. HIGHEST_ON_LINES; those of
 * what is no derivative are number 0. */
enum { HIGHEST_ON_LINES = 4, HIGHEST_ORDER = 6, ORDERS = 84 };
struct derivative_orders {
    int count;
    int order[ORDERS][3];
    int number[HIGHEST_ORDER + 1][HIGHEST_ORDER + 1][HIGHEST_ORDER + 1];  /* -1: they come to more */
};
void number_orders(int dimensions, struct derivative_orders *orders);

/** The number of orders with one more derivative; of those without it. -1: there are none. */
int orders_after(const struct derivative_orders *orders, int number, enum operation derivative);
int orders_before(const struct derivative_orders *orders, int number, enum operation derivative);

/** All that stands before the derivatives of a field when everything else is frozen: of E in fields and their
 * derivatives the slopes by one field u and each of its derivatives, where derivatives of E are taken of u alone, as
 * f u_xx of dx(f*dx(u)) and G'(u) u_xx of dxx(G(u)). (derivative.c)
 * @param expr  with derivatives
 * @param out   the trees; free with sw_expr_destroy()
 * @param root  out: of the slope by the derivative of each orders, a node of *out; -1: it is 0
 * @return SW_E_CONFIG they would be too large; SW_E_MEMORY */
enum sw_status expr_freeze(const struct sw_expr *expr, const char *name, const struct derivative_orders *orders,
                           struct sw_expr **out, int root[ORDERS]);

/** Write a tree term by term, as -a*b + c where sw_expr_print() writes -(a*b) + c. @return SW_E_MEMORY */
enum sw_status expr_print_sum(const struct sw_expr *expr, struct sw_text *text);

/* ------------------------------------------------------------------ errors (expr_error.c) */

/** Fill err, and the message of base/sw_err.h. @return SW_E_CONFIG */
enum sw_status expr_refuse(struct sw_expr_error *err, int column, int length, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/** "did you mean 'sin'? known: sin cos ..." into hint; at most count names, cut to fit. */
void expr_hint_names(char hint[400], const char *wrong, const char *const *names, int count);

/* ------------------------------------------------------------------ programs (compile.c) */

struct instruction {
    enum operation op;
    enum sw_rate   rate;
    int    operand[3];  /* indices of instructions before this one; -1 where there is none */
    double value;       /* OP_NUMBER                                                       */
    int    slot;        /* OP_NAME                                                         */
    int    symbol;      /* OP_NAME: index into the program's names                         */
    int    kept;        /* index among the values kept at its rate (r, s, c), or -1        */
    int    repeated;    /* which block holds this number, RUN or STEP value repeated, or -1 */
    int    scratch;     /* which scratch block receives the value, or -1                   */
};

/* Instructions are sorted by rate: those of rate k are first[k] .. first[k+1]-1. */
struct sw_program {
    struct instruction *code;
    int count, root, first[5];
    int kept[4], repeats, scratches;
    int params, operations;  /* as in sw_program_size: params, point */
    uint32_t stream;
    char (*names)[NAME_LONGEST + 1];
    int name_count;
};
#endif
