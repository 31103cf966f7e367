/* Recursive descent; binary operators by precedence climbing.
 *
 *   choice  = binary [ ? choice : choice ]
 *   binary  = unary { operator unary }           || && == != < <= > >= + - * /   by precedence, left to right
 *   unary   = (- | + | !) unary | power
 *   power   = primary [ ^ unary ]                so -2^2 = -(2^2), 2^-1 = 2^(-1), 2^3^2 = 2^(3^2)
 *   primary = number | name | function ( choice {, choice} ) | ( choice )
 *
 * lap, grad2 and div become derivatives at once, on a line those along x alone.
 *
 * A rule returns the index of its node, or -1 with the parser's status set. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/lex.h"
#include "expr/sw_reduction.h"

enum { NAMES_MOST = 1000 };  /* different names in one expression: they are found by linear search */

struct parser {
    struct lexer   lexer;
    struct token   now;
    struct token   operator;  /* the last one passed that wants an operand after it; bytes = 0: none */
    struct sw_expr *expr;
    enum sw_status status;
    int            depth;
    int            dimensions;  /* of the grid: derivatives along so many axes are known */
};

static int choice(struct parser *p);
static int unary(struct parser *p);

/* ------------------------------------------------------------------ errors */

#define REFUSE(p, column, length, hint, ...) \
    ((p)->status = expr_refuse((p)->lexer.err, (column), (length), (hint), __VA_ARGS__), -1)
#define REFUSE_HERE(p, hint, ...) REFUSE(p, (p)->now.column, (p)->now.length, hint, __VA_ARGS__)

/* Of what a define cannot hold, fields and x, there is nothing to split off. */
static const char too_long[] = "what has no x, t or field in it can go to define",
                  too_deep[] = "sums and products of many need no parentheses; what has no x, t or field in it can go "
                               "to define";

static int clip(const struct token *t) { return t->bytes < 40 ? (int)t->bytes : 40; }

static int refuse_missing_operand(struct parser *p)
{
    const struct token *op = &p->operator;
    if (p->now.kind != T_END)
        return REFUSE_HERE(p, "", "missing operand before '%.*s'", clip(&p->now), p->now.begin);
    if (op->bytes) return REFUSE(p, op->column, op->length, "", "missing operand after '%.*s'", clip(op), op->begin);
    return REFUSE(p, 0, 1, "", "empty expression");
}

/* The expression could have ended, but something follows it that cannot. */
static int refuse_trailing(struct parser *p)
{
    const struct token *t = &p->now;
    switch (t->kind) {
    case T_RIGHT: return REFUSE_HERE(p, "", "')' without '('");
    case T_COMMA:
        return REFUSE_HERE(p, "decimal fractions are written with a point", "',' outside of a function's arguments");
    case T_COLON: return REFUSE_HERE(p, "a choice is written condition ? a : b", "':' without '?'");
    case T_NUMBER: case T_NAME: case T_LEFT:
        return REFUSE_HERE(p, "multiplication is written with *", "missing operator before '%.*s'", clip(t), t->begin);
    default: return REFUSE_HERE(p, "", "unexpected '%.*s'", clip(t), t->begin);
    }
}

/* ------------------------------------------------------------------ small steps */

static int advance(struct parser *p)
{
    p->operator = (struct token){0};
    p->status = lex(&p->lexer, &p->now);
    return p->status ? -1 : 0;
}

static int advance_operator(struct parser *p)
{
    struct token op = p->now;
    if (advance(p)) return -1;
    p->operator = op;
    return 0;
}

static bool at_operator(const struct parser *p, enum operation op)
{
    return p->now.kind == T_OPERATOR && p->now.op == op;
}

static int add(struct parser *p, const struct node *node)
{
    int k = tree_add(p->expr, node);
    if (k < 0) p->status = SW_E_MEMORY;
    return k;
}

static int add_operation(struct parser *p, enum operation op, const struct token *at, int a, int b, int c)
{
    return add(p, &(struct node){.op = op, .child = {a, b, c}, .column = at->column, .length = at->length});
}

/* One rule, one level deeper. The limit keeps the C stack small; it is counted here and nowhere else. */
static int nested(struct parser *p, int (*rule)(struct parser *))
{
    if (++p->depth > DEEPEST) return REFUSE_HERE(p, too_deep, "nested deeper than %d levels", DEEPEST);
    int k = rule(p);
    p->depth--;
    return k;
}

/* ------------------------------------------------------------------ primary */

static int constant(struct parser *p, const struct token *at, double value)
{
    return add(p, &(struct node){.op = OP_NUMBER, .child = {-1, -1, -1}, .column = at->column, .length = at->length,
                                 .value = value});
}

static int number(struct parser *p)
{
    struct token at = p->now;
    return advance(p) ? -1 : constant(p, &at, at.value);
}

static int parenthesis(struct parser *p)
{
    struct token left = p->now;
    if (advance(p)) return -1;
    if (p->now.kind == T_END) return REFUSE(p, left.column, 1, "", "'(' without ')'");
    int k = nested(p, choice);
    if (k < 0) return -1;
    if (p->now.kind == T_END) return REFUSE(p, left.column, 1, "", "'(' without ')'");
    if (p->now.kind != T_RIGHT) return refuse_trailing(p);
    return advance(p) ? -1 : k;
}

/* What people write who come from another language. */
static const struct { const char *name, *hint; } foreign[] = {
    {"pow", "a power is written a^b"}, {"ln", "the natural logarithm is log()"},
    {"sec", "it is 1/cos(a)"}, {"csc", "it is 1/sin(a)"}, {"cot", "it is 1/tan(a)"}, {"erfc", "it is 1 - erf(a)"},
    {"asinh", "it is log(a + sqrt(a^2 + 1))"}, {"acosh", "it is log(a + sqrt(a^2 - 1))"},
    {"atanh", "it is log((1 + a)/(1 - a))/2"}, {"log2", "it is log(a)/log(2)"}, {"cbrt", "it is a^(1/3)"},
};

static const char on_lines[] = "derivatives are written dx(u), dxx(u), dxxx(u), dxxxx(u)",
                  on_grids[] = "derivatives are written dx(u), dyy(u), dxxxx(u), dxy(u)";

/* Operators on fields, on lines and on grids of more dimensions. */
static const struct { const char *name, *line, *grid; } foreign_operators[] = {
    {"d", on_lines, on_grids}, {"diff", on_lines, on_grids},
    {"laplace", "it is written dxx(u) or lap(u)", "it is written lap(u)"},
    {"laplacian", "it is written dxx(u) or lap(u)", "it is written lap(u)"},
    {"gradient", "it is written dx(u)", "it is written dx(u), dy(u); grad2(u) is its square"},
    {"grad", "it is written dx(u)", "it is written dx(u), dy(u); grad2(u) is its square"},
    {"ddx", "it is written dx(u)", "it is written dx(u)"},
};

/* Derivatives that there are in other languages, or by other coordinates: "dyy", "dXX", "d2x", "dxxt". */
static const char *derivative_hint(const char *text, bool line)
{
    const char *const digits = "0123456789";
    const size_t begin = 1 + strspn(text + 1, digits), letters = strspn(text + begin, "xXyYzZtT");
    if (text[0] != 'd' || !letters || text[begin + letters + strspn(text + begin + letters, digits)]) return NULL;
    if (strpbrk(text, "tT")) return "a derivative in time stands on the left only: rhs is what u_t equals";
    if (!line) return on_grids;
    if (!strpbrk(text, "yYzZ")) return on_lines;
    return "lines have one coordinate, x, and the derivatives dx dxx dxxx dxxxx; y is there with grid.n = [nx, ny]";
}

/* Sums over the axes. */
enum compound { LAPLACIAN, GRADIENT_SQUARED, DIVERGENCE, COMPOUNDS };
static const struct { const char *word, *usage, *about; } compounds[COMPOUNDS] = {
    [LAPLACIAN] = {"lap", "lap(a)", "dxx(a) + dyy(a) + dzz(a), of the axes that the grid has."},
    [GRADIENT_SQUARED] = {"grad2", "grad2(a)", "dx(a)^2 + dy(a)^2 + dz(a)^2, of the axes that the grid has."},
    [DIVERGENCE] = {"div", "div(a, b)", "dx(a) + dy(b); div(a) on a line, div(a, b, c) in three dimensions."},
};

const char *sw_expr_derivative_sum(int k, const char **usage, const char **about)
{
    if (k < 0 || k >= COMPOUNDS) return NULL;
    *usage = compounds[k].usage;
    *about = compounds[k].about;
    return compounds[k].word;
}

static const char reductions[] = "of a field it is a number, known in output.scalars.define alone";

/* Derivatives that are known, "dx" to "dxyzz", those of low order first. */
struct derivative_words { char word[ORDERS][8]; int count; };

static void list_derivatives(int dimensions, struct derivative_words *list)
{
    struct derivative_orders orders;
    number_orders(dimensions, &orders);
    list->count = 0;
    for (int most = 1; most <= 4; most++)
        for (int k = 0; k < orders.count; k++) {
            const int *order = orders.order[k];
            if (order[0] + order[1] + order[2] != most) continue;
            char *at = list->word[list->count++];
            *at++ = 'd';
            for (int axis = 0; axis < 3; axis++)
                for (int j = 0; j < order[axis]; j++) *at++ = "xyz"[axis];
            *at = 0;
        }
}

static int refuse_function(struct parser *p, const struct token *name, const char *text)
{
    const bool line = p->dimensions == 1;
    const char *names[OP_COUNT + ORDERS + COMPOUNDS];
    struct derivative_words derivatives;
    char hint[400];
    int count = 0;
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
        if (!strcmp(text, foreign[k].name))
            return REFUSE(p, name->column, name->length, foreign[k].hint, "unknown function '%s'", text);
    for (size_t k = 0; k < sizeof foreign_operators / sizeof *foreign_operators; k++)
        if (!strcmp(text, foreign_operators[k].name))
            return REFUSE(p, name->column, name->length,
                          line ? foreign_operators[k].line : foreign_operators[k].grid, "unknown function '%s'", text);
    if (text[0] == 'd' && strspn(text + 1, "x") == strlen(text + 1) && text[1])
        return REFUSE(p, name->column, name->length, "dx dxx dxxx dxxxx are the derivatives there are",
                      "%s() is a derivative of order %zu, the highest is 4", text, strlen(text + 1));
    if (derivative_hint(text, line))
        return REFUSE(p, name->column, name->length, derivative_hint(text, line), "unknown function '%s'", text);
    if (sw_is_reduction(text)) return REFUSE(p, name->column, name->length, reductions, "%s cannot be used here", text);
    for (enum operation op = 0; op < OP_DX; op++)
        if (op_is_function(op)) names[count++] = op_table[op].written;
    for (enum compound c = 0; c < COMPOUNDS; c++) names[count++] = compounds[c].word;
    list_derivatives(p->dimensions, &derivatives);
    for (int k = 0; k < derivatives.count; k++) names[count++] = derivatives.word[k];
    expr_hint_names(hint, text, names, count);
    return REFUSE(p, name->column, name->length, hint, "unknown function '%s'", text);
}

static bool is_word(const struct token *name, const char *word)
{
    return name->bytes == strlen(word) && !memcmp(name->begin, word, name->bytes);
}

static bool takes_more(enum operation op) { return op == OP_MIN || op == OP_MAX; }

static int refuse_count(struct parser *p, const struct token *name, enum operation op, int wanted, int count)
{
    const char *hint = op_is_random(op) ? "its argument chooses the sequence, as in randn(seed)"
                       : takes_more(op) && count == 1 ? reductions
                       : !is_word(name, "div") ? ""
                       : wanted > 1 ? "one for each axis, as in div(u*dx(v), u*dy(v))"
                                    : "one for each axis, and a line has x alone: div(u*dx(v))";
    return REFUSE(p, name->column, name->length, hint, "%.*s takes %s%d argument%s, not %d", clip(name), name->begin,
                  takes_more(op) ? "at least " : "", wanted, wanted == 1 ? "" : "s", count);
}

/* The arguments and the closing parenthesis; min and max of more than two become a chain of pairs. */
static int arguments(struct parser *p, enum operation op, const struct token *name, int wanted, int arg[3])
{
    int count = 0;
    struct token left = p->now;
    if (advance(p)) return -1;
    if (p->now.kind == T_RIGHT) return refuse_count(p, name, op, wanted, 0);
    for (;; count++) {
        if (p->now.kind == T_END) return REFUSE(p, left.column, 1, "", "'(' without ')'");
        if (count >= 2 && takes_more(op)) {
            arg[0] = add_operation(p, op, name, arg[0], arg[1], -1);
            if (arg[0] < 0) return -1;
        }
        int k = nested(p, choice);
        if (k < 0) return -1;
        arg[takes_more(op) && count > 1 ? 1 : count < 3 ? count : 2] = k;
        if (p->now.kind != T_COMMA) break;
        if (advance(p)) return -1;
    }
    count++;
    if (p->now.kind == T_END) return REFUSE(p, left.column, 1, "", "'(' without ')'");
    if (p->now.kind != T_RIGHT) return refuse_trailing(p);
    if (count != wanted && !(takes_more(op) && count > 2)) return refuse_count(p, name, op, wanted, count);
    return advance(p);
}

static int call(struct parser *p, enum operation op, const struct token *name)
{
    int arg[3] = {-1, -1, -1};
    return arguments(p, op, name, op_table[op].operands, arg) ? -1 : add_operation(p, op, name, arg[0], arg[1], -1);
}

/* ------------------------------------------------------------------ operators on fields */

/* Of the word of a derivative, d and letters x y z: how often along each axis. @return false: it is no such word */
static bool count_axes(const char *text, int order[3])
{
    memset(order, 0, 3 * sizeof *order);
    if (text[0] != 'd' || !text[1] || text[1 + strspn(text + 1, "xyz")]) return false;
    for (const char *letter = text + 1; *letter; letter++) order[*letter - 'x']++;
    return true;
}

static int derivative(struct parser *p, const struct token *name, const int order[3])
{
    int arg[3] = {-1, -1, -1};
    if (order[0] + order[1] + order[2] > HIGHEST_ORDER)
        return REFUSE(p, name->column, name->length, "derivatives may be nested up to the sixth order",
                      "%.*s() is a derivative of order %d, the highest is 6", clip(name), name->begin,
                      order[0] + order[1] + order[2]);
    if (order[2] && p->dimensions == 2)
        return REFUSE(p, name->column, name->length,
                      "a grid of two dimensions has the axes x and y; z is there with grid.n = [nx, ny, nz]",
                      "unknown function '%.*s'", clip(name), name->begin);
    if (arguments(p, OP_DX, name, 1, arg)) return -1;
    int k = arg[0];
    for (int axis = 2; axis >= 0; axis--)
        for (int left = order[axis], part; left > 0 && k >= 0; left -= part) {
            part = left < 4 ? left : 4;
            k = add_operation(p, op_derivative_along(axis, part), name, k, -1, -1);
        }
    return k;
}

static enum compound find_compound(const char *text)
{
    enum compound c = 0;
    while (c < COMPOUNDS && strcmp(text, compounds[c].word)) c++;
    return c;
}

bool op_is_grid_operator(const char *name, int dimensions)
{
    int order[3];
    return find_compound(name) < COMPOUNDS || (dimensions > 1 && count_axes(name, order));
}

static int square(struct parser *p, const struct token *at, int k)
{
    const int two = k < 0 ? -1 : constant(p, at, 2);
    return two < 0 ? -1 : add_operation(p, OP_POW, at, k, two, -1);
}

static int compound(struct parser *p, enum compound c, const struct token *name)
{
    int arg[3] = {-1, -1, -1}, sum = -1;
    if (arguments(p, OP_DX, name, c == DIVERGENCE ? p->dimensions : 1, arg)) return -1;
    for (int axis = 0; axis < p->dimensions; axis++) {
        const int of = arg[c == DIVERGENCE ? axis : 0];
        int k = add_operation(p, op_derivative_along(axis, c == LAPLACIAN ? 2 : 1), name, of, -1, -1);
        if (c == GRADIENT_SQUARED) k = square(p, name, k);
        if (k >= 0 && axis) k = add_operation(p, OP_ADD, name, sum, k, -1);
        if (k < 0) return -1;
        sum = k;
    }
    return sum;
}

static int function(struct parser *p, const struct token *name, const char *text)
{
    const enum operation op = op_find_function(text);
    int order[3];
    if (p->dimensions > 1 && count_axes(text, order)) return derivative(p, name, order);
    if (find_compound(text) < COMPOUNDS) return compound(p, find_compound(text), name);
    return op < OP_COUNT ? call(p, op, name) : refuse_function(p, name, text);
}

const char *sw_expr_constant(int k, double *value)
{
    static const struct { const char *name; double value; } constants[] = {{"pi", M_PI}, {"e", M_E}};
    if (k >= (int)(sizeof constants / sizeof *constants)) return NULL;
    *value = constants[k].value;
    return constants[k].name;
}

static int name(struct parser *p)
{
    struct token at = p->now;
    char text[NAME_LONGEST + 1] = "";
    memcpy(text, at.begin, at.bytes);
    if (advance(p)) return -1;
    enum operation op = op_find_function(text);
    if (p->now.kind == T_LEFT) return function(p, &at, text);
    if (op < OP_COUNT && !op_derivative(op))  /* dx by itself is a name like any other */
        return REFUSE(p, at.column, at.length, "", "function '%s' without arguments; write %s(...)", text, text);
    double value;
    const char *known;
    for (int k = 0; (known = sw_expr_constant(k, &value)); k++)
        if (!strcmp(text, known)) return constant(p, &at, value);
    int k = tree_name(p->expr, text, at.bytes);
    if (k >= NAMES_MOST) return REFUSE(p, at.column, at.length, "", "more than %d different names", NAMES_MOST);
    if (k < 0) p->status = SW_E_MEMORY;
    return k < 0 ? -1 : add(p, &(struct node){.op = OP_NAME, .child = {-1, -1, -1}, .name = k, .column = at.column,
                                              .length = at.length});
}

static int primary(struct parser *p)
{
    switch (p->now.kind) {
    case T_NUMBER: return number(p);
    case T_NAME: return name(p);
    case T_LEFT: return parenthesis(p);
    default: return refuse_missing_operand(p);
    }
}

/* ------------------------------------------------------------------ operators */

static int power(struct parser *p)
{
    int base = primary(p);
    struct token at = p->now;
    if (base < 0 || !at_operator(p, OP_POW)) return base;
    if (advance_operator(p)) return -1;
    int exponent = nested(p, unary);
    return exponent < 0 ? -1 : add_operation(p, OP_POW, &at, base, exponent, -1);
}

static int unary(struct parser *p)
{
    struct token at = p->now;
    if (!at_operator(p, OP_SUB) && !at_operator(p, OP_ADD) && !at_operator(p, OP_NOT)) return power(p);
    if (advance_operator(p)) return -1;
    int k = nested(p, unary);
    if (k < 0 || at.op == OP_ADD) return k;
    return add_operation(p, at.op == OP_SUB ? OP_NEG : OP_NOT, &at, k, -1, -1);
}

static bool is_binary(const struct token *t, enum precedence least)
{
    return t->kind == T_OPERATOR && op_table[t->op].operands == 2 && op_table[t->op].binds >= least &&
           op_table[t->op].binds < BINDS_UNARY;
}

static int binary(struct parser *p, enum precedence least)
{
    int left = unary(p);
    while (left >= 0 && is_binary(&p->now, least)) {
        struct token at = p->now;
        enum precedence binds = op_table[at.op].binds;
        if (advance_operator(p)) return -1;
        int right = binary(p, binds + 1);
        if (right < 0) return -1;
        left = add_operation(p, at.op, &at, left, right, -1);
        /* a < b < c would mean (a < b) < c, which nobody wants */
        if (left >= 0 && (binds == BINDS_ORDER || binds == BINDS_EQUAL) && p->now.kind == T_OPERATOR &&
            op_table[p->now.op].binds == binds)
            return REFUSE_HERE(p, "write a < b && b < c", "comparisons do not chain");
    }
    return left;
}

static int choice(struct parser *p)
{
    int condition = binary(p, BINDS_OR);
    struct token question = p->now;
    if (condition < 0 || question.kind != T_QUESTION) return condition;
    if (advance_operator(p)) return -1;
    int yes = nested(p, choice);
    if (yes < 0) return -1;
    if (p->now.kind == T_END || p->now.kind == T_RIGHT)
        return REFUSE(p, question.column, 1, "a choice is written condition ? a : b", "'?' without ':'");
    if (p->now.kind != T_COLON) return refuse_trailing(p);
    if (advance_operator(p)) return -1;
    int no = nested(p, choice);
    return no < 0 ? -1 : add_operation(p, OP_CHOICE, &question, condition, yes, no);
}

static int whole(struct parser *p)
{
    if (advance(p)) return -1;
    int root = choice(p);
    return root >= 0 && p->now.kind != T_END ? refuse_trailing(p) : root;
}

enum sw_status sw_expr_parse_fields(const char *text, int dimensions, struct sw_expr **expr,
                                    struct sw_expr_error *err)
{
    size_t length = strlen(text);
    *expr = NULL;
    *err = (struct sw_expr_error){0};
    if (length > TEXT_LONGEST)
        return expr_refuse(err, 0, 1, too_long, "expression of %zu characters, at most %d are allowed",
                           length, TEXT_LONGEST);
    struct parser p = {.lexer = {text, 1, err}, .dimensions = dimensions};
    SW_TRY(sw_alloc(1, &p.expr));
    p.expr->root = whole(&p);
    if (p.status) sw_expr_destroy(&p.expr);
    *expr = p.expr;
    return p.status;
}

enum sw_status sw_expr_parse(const char *text, struct sw_expr **expr, struct sw_expr_error *err)
{
    return sw_expr_parse_fields(text, 1, expr, err);
}
