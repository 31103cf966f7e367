/* The language: values, precedence, errors, printing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/sw_expr.h"
#include "expr_cases.h"
#include "helpers.h"

enum { NAMES = 6 };
static const char *const names[NAMES] = {"a", "b", "k", "x", "u", "t"};
static const double values[NAMES] = {CASE_A, CASE_B, CASE_K, CASE_X, CASE_U, CASE_T};

static struct sw_expr *parse(const char *text)
{
    struct sw_expr *expr = NULL;
    struct sw_expr_error err;
    if (sw_expr_parse(text, &expr, &err)) fail_msg("'%s', column %d: %s", text, err.column, err.text);
    return expr;
}

/* Compile with every name changing at this rate: RUN or POINT (or CELL). */
static struct sw_program *compile(const struct sw_expr *expr, enum sw_rate rate)
{
    struct sw_symbol symbol[NAMES];
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    for (int k = 0; k < NAMES; k++) symbol[k] = (struct sw_symbol){names[k], rate, k};
    if (sw_program_compile(expr, &(struct sw_scope){symbol, NAMES, false, 0}, &program, &err))
        fail_msg("column %d: %s", err.column, err.text);
    return program;
}

static double over_runs(const struct sw_expr *expr)
{
    double value;
    struct sw_program *program = compile(expr, SW_RATE_RUN);
    assert_ok(sw_program_over_runs(program, 1, values, 1, &value));
    sw_program_destroy(&program);
    return value;
}

/* The value by sw_eval_*, with the names as arrays of this rate. */
static double at_points(const struct sw_expr *expr, enum sw_rate rate)
{
    const double *in[NAMES];
    double value = 0;
    struct sw_eval *eval;
    struct sw_program *program = compile(expr, rate);
    for (int k = 0; k < NAMES; k++) in[k] = &values[k];
    assert_ok(sw_eval_create(program, 1, &eval));
    sw_eval_run(eval, values, 1);
    sw_eval_cells(eval, 1, in);
    sw_eval_step(eval, 0, 0);
    sw_eval_points(eval, 1, in, &value);
    sw_eval_destroy(&eval);
    sw_program_destroy(&program);
    return value;
}

static bool same(double a, double b) { return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b)); }

/* Two units in the last place: the expected value is the compiler's, folded with correctly rounded functions; libm's
 * are within one of that, and one more may be lost by what is done with them. */
static bool nearly(double a, double b) { return a == b || same(a, b) || fabs(a - b) <= 0x1p-51 * fabs(b); }

static const char *const cases[] = {
#define X(text, value) text,
    EXPR_CASES(X, CASE_A, CASE_B, CASE_K, CASE_X, CASE_U, CASE_T)
#undef X
};
enum { CASES = sizeof cases / sizeof cases[0] };

static double value_of_case(int k)
{
    const double value[] = {
#define X(text, value) value,
        EXPR_CASES(X, CASE_A, CASE_B, CASE_K, CASE_X, CASE_U, CASE_T)
#undef X
    };
    return value[k];
}

static void every_expression_of_the_table_has_its_value(void **state)
{
    (void)state;
    assert_true(CASES >= 120);
    for (int k = 0; k < CASES; k++) {
        struct sw_expr *expr = parse(cases[k]);
        double value = over_runs(expr);
        if (!nearly(value, value_of_case(k)))
            fail_msg("%s = %.17g, expected %.17g", cases[k], value, value_of_case(k));
        sw_expr_destroy(&expr);
    }
}

static void a_value_does_not_depend_on_the_rate_of_its_names(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        struct sw_expr *expr = parse(cases[k]);
        double run = over_runs(expr);
        for (int rate = SW_RATE_RUN; rate <= SW_RATE_POINT; rate++) {
            if (rate == SW_RATE_STEP) continue;
            double value = at_points(expr, (enum sw_rate)rate);
            if (!same(run, value)) fail_msg("%s: %.17g at rate %d, %.17g over runs", cases[k], value, rate, run);
        }
        sw_expr_destroy(&expr);
    }
}

static void division_by_minus_zero_keeps_the_sign(void **state)
{
    (void)state;
    struct sw_expr *expr = parse("1/(-0)");
    assert_true(over_runs(expr) == -INFINITY);
    sw_expr_destroy(&expr);
}

/* ------------------------------------------------------------------ printing */

static char *print(const struct sw_expr *expr)
{
    struct sw_text text = {0};
    sw_expr_print(expr, &text);
    return sw_text_take(&text);
}

static void assert_prints(const char *text, const char *expected)
{
    struct sw_expr *expr = parse(text);
    char *printed = print(expr);
    assert_string_equal(printed, expected);
    sw_free(printed);
    sw_expr_destroy(&expr);
}

static void what_is_printed_parses_to_the_same_value_and_text(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        struct sw_expr *first = parse(cases[k]);
        char *printed = print(first);
        struct sw_expr *again = parse(printed);
        if (!same(over_runs(first), over_runs(again))) fail_msg("%s printed as %s", cases[k], printed);
        assert_prints(printed, printed);
        sw_free(printed);
        sw_expr_destroy(&first);
        sw_expr_destroy(&again);
    }
}

static void parentheses_are_printed_where_they_are_needed(void **state)
{
    (void)state;
    static const char *const printed[][2] = {
        {"((a))+((b))", "a + b"}, {"a-(b-x)", "a - (b - x)"}, {"(a-b)-x", "a - b - x"}, {"a+(b+x)", "a + (b + x)"},
        {"a/(b*x)", "a/(b*x)"}, {"(a/b)*x", "a/b*x"}, {"a*(b/x)", "a*(b/x)"}, {"(a+b)*x", "(a + b)*x"},
        {"-(x^2)", "-x^2"}, {"(-x)^2", "(-x)^2"}, {"x^(-2)", "x^-2"}, {"x^(2^3)", "x^2^3"}, {"(x^2)^3", "(x^2)^3"},
        {"-(a*b)", "-(a*b)"}, {"(-a)*b", "-a*b"}, {"a*(-b)", "a*-b"}, {"a-(-b)", "a - -b"}, {"-(-a)", "--a"},
        {"!(a&&b)", "!(a && b)"}, {"(!a)&&b", "!a && b"}, {"(a||b)&&x", "(a || b) && x"}, {"a||(b&&x)", "a || b && x"},
        {"(a<b)==x", "a < b == x"}, {"(a==b)<x", "(a == b) < x"}, {"(a<b)<x", "(a < b) < x"},
        {"a==(b==x)", "a == (b == x)"},
        {"(a?b:x)?u:k", "(a ? b : x) ? u : k"}, {"a?(b?x:u):k", "a ? b ? x : u : k"},
        {"a?b:(x?u:k)", "a ? b : x ? u : k"},
        {"(a?b:x)+1", "(a ? b : x) + 1"}, {"min(min(a,b),x)", "min(a, b, x)"}, {"min(a,min(b,x))", "min(a, min(b, x))"},
        {"max(a,b,x,u)", "max(a, b, x, u)"}, {"atan2((a+b),(x))", "atan2(a + b, x)"}, {"+a", "a"}, {"2*pi*e", "2*pi*e"},
        {"0.1", "0.1"}, {"0.30000000000000004", "0.30000000000000004"}, {"1e22", "1e+22"}, {"2.50", "2.5"},
    };
    for (size_t k = 0; k < sizeof printed / sizeof printed[0]; k++) assert_prints(printed[k][0], printed[k][1]);
}

/* A random expression, written as text and computed at the same time. */
struct pair { struct sw_text text; uint64_t random; };

static int pick(struct pair *p, int count) { return (int)((test_random(&p->random) + 1) / 2 * count); }

static double generate(struct pair *p, int depth)
{
    static const char *const binary[] = {" + ", " - ", "*", "/", " < ", " <= ", " == ", " != ", " && ", " || "};
    static const char *const unary[] = {"-(", "!(", "sin(", "exp(", "abs(", "floor(", "sign(", "sqrt("};
    double v, w;
    int kind = depth > 0 ? pick(p, 10) : 0, which;
    if (kind < 2) {
        which = pick(p, NAMES + 2);
        sw_text_add(&p->text, which < NAMES ? names[which] : which == NAMES ? "0.3" : "2");
        return which < NAMES ? values[which] : which == NAMES ? 0.3 : 2.0;
    }
    if (kind < 7) {
        which = pick(p, 10);
        sw_text_add(&p->text, "(");
        v = generate(p, depth - 1);
        sw_text_add(&p->text, binary[which]);
        w = generate(p, depth - 1);
        sw_text_add(&p->text, ")");
        switch (which) {
        case 0: return v + w;
        case 1: return v - w;
        case 2: return v * w;
        case 3: return v / w;
        case 4: return v < w;
        case 5: return v <= w;
        case 6: return v == w;
        case 7: return v != w;
        case 8: return v && w;
        default: return v || w;
        }
    }
    if (kind < 9) {
        which = pick(p, 8);
        sw_text_add(&p->text, unary[which]);
        v = generate(p, depth - 1);
        sw_text_add(&p->text, ")");
        return which == 0 ? -v : which == 1 ? !v : which == 2 ? sin(v) : which == 3 ? exp(v) : which == 4 ? fabs(v)
             : which == 5 ? floor(v) : which == 6 ? (v > 0 ? 1 : v < 0 ? -1 : v) : sqrt(v);
    }
    sw_text_add(&p->text, "(");
    double condition = generate(p, depth - 1);
    sw_text_add(&p->text, " ? ");
    v = generate(p, depth - 1);
    sw_text_add(&p->text, " : ");
    w = generate(p, depth - 1);
    sw_text_add(&p->text, ")");
    return condition != 0 ? v : w;
}

static void random_expressions_have_the_value_of_the_same_c_expression(void **state)
{
    (void)state;
    struct pair p = {.random = 7};
    int numbers = 0;
    for (int k = 0; k < 3000; k++) {
        double expected = generate(&p, 6);
        const char *text = sw_text_get(&p.text);
        struct sw_expr *expr = parse(text);
        double value = over_runs(expr), point = at_points(expr, SW_RATE_POINT);
        if (!same(expected, value)) fail_msg("%s = %.17g, expected %.17g", text, value, expected);
        if (!same(value, point)) fail_msg("%s = %.17g, at a point %.17g", text, value, point);
        numbers += isfinite(expected);
        char *printed = print(expr);
        struct sw_expr *again = parse(printed);
        if (!same(value, over_runs(again))) fail_msg("%s printed as %s", text, printed);
        sw_free(printed);
        sw_expr_destroy(&again);
        sw_expr_destroy(&expr);
        sw_text_free(&p.text);
    }
    assert_true(numbers > 1500);  /* the test would be empty if most were nan */
}

/* ------------------------------------------------------------------ errors */

static const struct { const char *text; int column, length; const char *message, *hint; } errors[] = {
    {"", 0, 1, "empty expression", ""},
    {"  ", 0, 1, "empty expression", ""},
    {"sine(x)", 1, 4, "unknown function 'sine'", "did you mean 'sin'? known: sin cos tan asin"},
    {"1 + foo(x)", 5, 3, "unknown function 'foo'", "known: sin"},
    {"pow(x, 2)", 1, 3, "unknown function 'pow'", "a power is written a^b"},
    {"1 + cot(x)", 5, 3, "unknown function 'cot'", "it is 1/tan(a)"},
    {"x + u²", 6, 1, "'²' is not part of the language", "a power is written with ^"},
    {"x(3)", 1, 1, "unknown function 'x'", "known: sin"},
    {"pi(2)", 1, 2, "unknown function 'pi'", "known: sin"},
    {"2*sin()", 3, 3, "sin takes 1 argument, not 0", ""},
    {"sin(x, u)", 1, 3, "sin takes 1 argument, not 2", ""},
    {"atan2(x)", 1, 5, "atan2 takes 2 arguments, not 1", ""},
    {"atan2(x, u, a, b)", 1, 5, "atan2 takes 2 arguments, not 4", ""},
    {"min(1)", 1, 3, "min takes at least 2 arguments, not 1", ""},
    {"max()", 1, 3, "max takes at least 2 arguments, not 0", ""},
    {"randn()", 1, 5, "randn takes 1 argument, not 0", "randn(seed)"},
    {"1 + sin", 5, 3, "function 'sin' without arguments; write sin(...)", ""},
    {"a +", 3, 1, "missing operand after '+'", ""},
    {"a + * b", 5, 1, "missing operand before '*'", ""},
    {"* 2", 1, 1, "missing operand before '*'", ""},
    {"a &&", 3, 2, "missing operand after '&&'", ""},
    {"-", 1, 1, "missing operand after '-'", ""},
    {"2^", 2, 1, "missing operand after '^'", ""},
    {"()", 2, 1, "missing operand before ')'", ""},
    {"sin(,x)", 5, 1, "missing operand before ','", ""},
    {"max(1,)", 7, 1, "missing operand before ')'", ""},
    {"a ? : b", 5, 1, "missing operand before ':'", ""},
    {"(a + b", 1, 1, "'(' without ')'", ""},
    {"2*(a + (b)", 3, 1, "'(' without ')'", ""},
    {"sin(x", 4, 1, "'(' without ')'", ""},
    {"sin(x,", 4, 1, "'(' without ')'", ""},
    {"(", 1, 1, "'(' without ')'", ""},
    {"a + b)", 6, 1, "')' without '('", ""},
    {"a b", 3, 1, "missing operator before 'b'", "multiplication is written with *"},
    {"2x", 2, 1, "missing operator before 'x'", "multiplication is written with *"},
    {"0x10", 2, 3, "missing operator before 'x10'", ""},
    {"2 3", 3, 1, "missing operator before '3'", ""},
    {"2(x)", 2, 1, "missing operator before '('", ""},
    {"(a b)", 4, 1, "missing operator before 'b'", ""},
    {"a ? b", 3, 1, "'?' without ':'", "condition ? a : b"},
    {"(a ? b)", 4, 1, "'?' without ':'", "condition ? a : b"},
    {"a : b", 3, 1, "':' without '?'", "condition ? a : b"},
    {"1,5", 2, 1, "',' outside of a function's arguments", "with a point"},
    {"a ! b", 3, 1, "unexpected '!'", ""},
    {"1 < 2 < 3", 7, 1, "comparisons do not chain", "write a < b && b < c"},
    {"a == b == x", 8, 2, "comparisons do not chain", ""},
    {"1.2.3", 1, 5, "bad number '1.2.3'", "numbers look like"},
    {".", 1, 1, "bad number '.'", ""},
    {"1 + 2e", 5, 2, "bad number '2e'", ""},
    {"2e+", 1, 2, "bad number '2e'", ""},
    {"3*1e999", 3, 5, "number '1e999' is out of range", "1.79e308"},
    {"a = b", 3, 1, "'=' is not part of the language", "equality is written =="},
    {"a ** 2", 3, 2, "'**' is not part of the language", "a power is written with ^"},
    {"a & b", 3, 1, "'&' is not part of the language", "&&"},
    {"|a|", 1, 1, "'|' is not part of the language", "abs(x)"},
    {"a % 2", 3, 1, "'%' is not part of the language", "mod(a, b)"},
    {"a; b", 2, 1, "unexpected character ';'", ""},
    {"\"a\"", 1, 1, "unexpected character '\"'", ""},
    {"a $ b", 3, 1, "unexpected character '$'", ""},
    {"2\xC2\xB7x", 2, 1, "'\xC2\xB7' is not part of the language", "multiplication is written with *"},
    {"x + \xC3\xA4", 5, 1, "unexpected character '\xC3\xA4'", ""},
    {"x \xFF", 3, 1, "unexpected byte 0xff", ""},
    {"x\x01", 2, 1, "unexpected byte 0x01", ""},
    {"sin(x); system(1)", 7, 1, "unexpected character ';'", ""},
};

static void every_refusal_names_place_and_reason(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
        struct sw_expr *expr;
        struct sw_expr_error err;
        if (sw_expr_parse(errors[k].text, &expr, &err) != SW_E_CONFIG) fail_msg("'%s' was accepted", errors[k].text);
        assert_null(expr);
        if (err.column != errors[k].column || err.length != errors[k].length || strcmp(err.text, errors[k].message))
            fail_msg("'%s': column %d + %d: %s", errors[k].text, err.column, err.length, err.text);
        assert_contains(err.hint, errors[k].hint);
        assert_contains(sw_err_message(), errors[k].message);
    }
}

/* What texts about fields on grids become. */
static const struct { const char *text; int dimensions; const char *becomes; } fields[] = {
    {"dy(u) + dzzz(u)", 3, "dy(u) + dzzz(u)"},
    {"dyxx(u*a)", 2, "dxx(dy(u*a))"},
    {"dzyx(u)", 3, "dx(dy(dz(u)))"},
    {"dxyxy(u)", 2, "dxx(dyy(u))"},
    {"lap(u^3 - u)", 2, "dxx(u^3 - u) + dyy(u^3 - u)"},
    {"-lap(lap(u))", 2, "-(dxx(dxx(u) + dyy(u)) + dyy(dxx(u) + dyy(u)))"},
    {"lap(u)", 3, "dxx(u) + dyy(u) + dzz(u)"},
    {"-grad2(u)/2", 2, "-(dx(u)^2 + dy(u)^2)/2"},
    {"a*div(u*dx(u), u*dy(u))", 2, "a*(dx(u*dx(u)) + dy(u*dy(u)))"},
    {"div(u, x, dz(u))", 3, "dx(u) + dy(x) + dz(dz(u))"},
    {"dx(u) + dxxxx(u) + max(a, b, u)", 3, "dx(u) + dxxxx(u) + max(a, b, u)"},
    {"lap + dy*div - grad2", 2, "lap + dy*div - grad2"},  /* names like any other */
    {"a*lap(u^3 - u)", 1, "a*dxx(u^3 - u)"},
    {"grad2(u)/2 + dxx(u)", 1, "dx(u)^2/2 + dxx(u)"},
    {"div(u*dx(lap(u)))", 1, "dx(u*dx(dxx(u)))"},
    {"lap + div - grad2", 1, "lap + div - grad2"},
    {"dyy(u)", 1, NULL},
};

static void operators_on_fields_become_derivatives_along_axes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        struct sw_expr *expr;
        struct sw_expr_error err;
        struct sw_text text = {0};
        const enum sw_status st = sw_expr_parse_fields(fields[k].text, fields[k].dimensions, &expr, &err);
        if (!fields[k].becomes) assert_int_equal(st, SW_E_CONFIG);
        if (!fields[k].becomes) continue;
        if (st) fail_msg("'%s', column %d: %s", fields[k].text, err.column, err.text);
        sw_expr_print(expr, &text);
        if (strcmp(sw_text_get(&text), fields[k].becomes))
            fail_msg("'%s' becomes '%s'", fields[k].text, sw_text_get(&text));
        sw_text_free(&text);
        sw_expr_destroy(&expr);
    }
}

static const struct { const char *text; int dimensions, column, length; const char *message, *hint; } field_errors[] = {
    {"u + dzz(u)", 2, 5, 3, "unknown function 'dzz'", "two dimensions has the axes x and y"},
    {"dxyxyxyx(u)", 2, 1, 8, "dxyxyxyx() is a derivative of order 7, the highest is 6", "up to the sixth order"},
    {"dxzzzzzz(u)", 2, 1, 8, "dxzzzzzz() is a derivative of order 7, the highest is 6", ""},
    {"2*dxy(u, a)", 2, 3, 3, "dxy takes 1 argument, not 2", ""},
    {"2*lap()", 2, 3, 3, "lap takes 1 argument, not 0", ""},
    {"div(u)", 2, 1, 3, "div takes 2 arguments, not 1", "one for each axis"},
    {"div(u, u, u)", 2, 1, 3, "div takes 2 arguments, not 3", "one for each axis"},
    {"div(u, u)", 3, 1, 3, "div takes 3 arguments, not 2", "one for each axis"},
    {"div(u, u, u, u, u)", 3, 1, 3, "div takes 3 arguments, not 5", "one for each axis"},
    {"laplacian(u)", 2, 1, 9, "unknown function 'laplacian'", "it is written lap(u)"},
    {"grad(u)", 2, 1, 4, "unknown function 'grad'", "grad2(u) is its square"},
    {"d2x(u)", 2, 1, 3, "unknown function 'd2x'", "derivatives are written dx(u), dyy(u), dxxxx(u), dxy(u)"},
    {"dyt(u)", 3, 1, 3, "unknown function 'dyt'", "a derivative in time stands on the left only"},
    {"dyy(u", 3, 4, 1, "'(' without ')'", ""},
    {"grad3(u)", 2, 1, 5, "unknown function 'grad3'", "did you mean 'grad2'?"},
    {"grad3(u)", 1, 1, 5, "unknown function 'grad3'", "did you mean 'grad2'?"},
    {"div(u, u)", 1, 1, 3, "div takes 1 argument, not 2", "a line has x alone: div(u*dx(v))"},
    {"2*foo(u)", 1, 3, 3, "unknown function 'foo'", " lap grad2 div dx dxx dxxx dxxxx"},
    {"2*foo(u)", 2, 3, 3, "unknown function 'foo'",
     " lap grad2 div dx dy dxx dxy dyy dxxx dxxy dxyy dyyy dxxxx dxxxy dxxyy dxyyy dyyyy"},
    {"2*foo(u)", 3, 3, 3, "unknown function 'foo'", " lap grad2 div dx dy dz dxx dxy dyy dxz dyz dzz dxxx"},
    {"dxyw(u)", 2, 1, 4, "unknown function 'dxyw'", "did you mean 'dxy'?"},
};

static void every_refusal_of_an_operator_on_fields_names_place_and_reason(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof field_errors / sizeof *field_errors; k++) {
        struct sw_expr *expr;
        struct sw_expr_error err;
        const char *text = field_errors[k].text;
        if (sw_expr_parse_fields(text, field_errors[k].dimensions, &expr, &err) != SW_E_CONFIG)
            fail_msg("'%s' was accepted", text);
        assert_null(expr);
        if (err.column != field_errors[k].column || err.length != field_errors[k].length ||
            strcmp(err.text, field_errors[k].message))
            fail_msg("'%s': column %d + %d: %s", text, err.column, err.length, err.text);
        assert_contains(err.hint, field_errors[k].hint);
    }
}

static void assert_refused(const char *text, const char *message)
{
    struct sw_expr *expr;
    struct sw_expr_error err;
    assert_int_equal(sw_expr_parse(text, &expr, &err), SW_E_CONFIG);
    assert_contains(err.text, message);
}

static char *repeat(const char *part, int times, const char *end)
{
    struct sw_text text = {0};
    for (int k = 0; k < times; k++) sw_text_add(&text, part);
    sw_text_add(&text, end);
    return sw_text_take(&text);
}

static void endless_nesting_and_length_are_refused(void **state)
{
    (void)state;
    static const char *const nests[] = {"(", "-", "!", "2^", "sin(", "1 ? 2 : ", "max(1, "};
    for (size_t k = 0; k < sizeof nests / sizeof nests[0]; k++) {
        char *text = repeat(nests[k], 8000, "x");
        assert_refused(text, "nested deeper than 200 levels");
        sw_free(text);
        text = repeat(nests[k], 201, "x");
        assert_refused(text, "nested deeper than 200 levels");
        sw_free(text);
    }
    char *text = repeat("-", 200, "x"), *large = repeat("x+", 32768, "x"), *name = repeat("n", 64, "");
    struct sw_expr *expr = parse(text);
    assert_refused(large, "expression of 65537 characters, at most 65536 are allowed");
    assert_refused(name, "name of 64 characters, at most 63 are allowed");
    sw_expr_destroy(&expr);
    sw_free(text);
    sw_free(large);
    sw_free(name);
}

static void a_long_sum_is_not_deep(void **state)
{
    (void)state;
    char *text = repeat("x+", 30000, "x");
    struct sw_expr *expr = parse(text);
    assert_near(over_runs(expr), 30001 * CASE_X, 0);  /* multiples of 5/8 add without rounding */
    char *printed = print(expr);
    assert_int_equal(strlen(printed), 30001 + 3 * 30000);
    sw_free(printed);
    sw_free(text);
    sw_expr_destroy(&expr);
}

static void too_many_names_are_refused(void **state)
{
    (void)state;
    struct sw_text text = {0};
    for (int k = 0; k < 1001; k++) sw_text_printf(&text, "n%d+", k);
    sw_text_add(&text, "1");
    assert_refused(sw_text_get(&text), "more than 1000 different names");
    sw_text_free(&text);
}

static void unknown_names_are_found_when_compiling(void **state)
{
    (void)state;
    static const struct sw_symbol symbol[] = {
        {"A", SW_RATE_RUN, 0}, {"eps", SW_RATE_RUN, 1}, {"seed", SW_RATE_RUN, 2}, {"k", SW_RATE_RUN, 3},
        {"x", SW_RATE_CELL, 0}, {"t", SW_RATE_STEP, 0},
    };
    struct sw_scope scope = {symbol, 6, false, 0};
    struct sw_expr *expr = parse("A*sin(kx*x)*exp(-t)");
    struct sw_program *program;
    struct sw_expr_error err;
    assert_int_equal(sw_program_compile(expr, &scope, &program, &err), SW_E_CONFIG);
    assert_null(program);
    char *shown = sw_expr_error_show("A*sin(kx*x)*exp(-t)", &err);
    assert_string_equal(shown, "column 7: unknown name 'kx'\n"
                               "    A*sin(kx*x)*exp(-t)\n"
                               "          ^~  known: A eps seed k x t pi e");
    sw_free(shown);
    sw_expr_destroy(&expr);
    expr = parse("1 + sede");
    assert_int_equal(sw_program_compile(expr, &scope, &program, &err), SW_E_CONFIG);
    assert_string_equal(err.hint, "did you mean 'seed'? known: A eps seed k x t pi e");
    sw_expr_destroy(&expr);
    expr = parse("A + rand(seed)");
    assert_int_equal(sw_program_compile(expr, &scope, &program, &err), SW_E_CONFIG);
    assert_string_equal(err.text, "rand cannot be used here");
    assert_int_equal(err.column, 5);
    sw_expr_destroy(&expr);
}

static void a_long_list_of_names_is_cut(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    static char name[COUNT][24];
    struct sw_symbol symbol[COUNT];
    for (int k = 0; k < COUNT; k++) {
        snprintf(name[k], sizeof name[k], "parameter%d", k);
        symbol[k] = (struct sw_symbol){name[k], SW_RATE_RUN, k};
    }
    struct sw_expr *expr = parse("q");
    struct sw_program *program;
    struct sw_expr_error err;
    struct sw_scope scope = {symbol, COUNT, false, 0};
    assert_int_equal(sw_program_compile(expr, &scope, &program, &err), SW_E_CONFIG);
    assert_string_equal(err.hint + strlen(err.hint) - 4, " ...");
    sw_expr_destroy(&expr);
}

static void assert_shows(const char *text, const char *expected)
{
    struct sw_expr *expr;
    struct sw_expr_error err;
    assert_int_equal(sw_expr_parse(text, &expr, &err), SW_E_CONFIG);
    char *shown = sw_expr_error_show(text, &err);
    assert_string_equal(shown, expected);
    sw_free(shown);
}

static void errors_are_shown_under_the_place(void **state)
{
    (void)state;
    assert_shows("", "empty expression");
    assert_shows("1 + 2x", "column 6: missing operator before 'x'\n"
                           "    1 + 2x\n"
                           "         ^  multiplication is written with *");
    assert_shows("a +\n\tb )", "column 8: ')' without '('\n    a +  b )\n           ^");
    assert_shows("a\xC3\xA4 + b", "column 2: unexpected character '\xC3\xA4'\n    a\xC3\xA4 + b\n     ^");
}

static void a_long_expression_is_shown_around_the_fault(void **state)
{
    (void)state;
    char *text = repeat("123456789+", 20, "zzzz(x)*2+"), *all;
    struct sw_text long_text = {0};
    sw_text_add(&long_text, text);
    for (int k = 0; k < 20; k++) sw_text_add(&long_text, "123456789+");
    all = sw_text_take(&long_text);
    struct sw_expr *expr;
    struct sw_expr_error err;
    assert_int_equal(sw_expr_parse(all, &expr, &err), SW_E_CONFIG);
    char *shown = sw_expr_error_show(all, &err);
    assert_contains(shown, "column 201: unknown function 'zzzz'\n"
                           "    ...9+123456789+123456789+123456789+zzzz(x)*2+123456789+123456789+123456789+...\n"
                           "                                       ^~~~  known: sin");
    sw_free(shown);
    sw_free(all);
    sw_free(text);
}

/* ------------------------------------------------------------------ names */

struct seen { char list[100]; };

static void remember(void *user, const char *name, int column)
{
    struct seen *seen = user;
    size_t at = strlen(seen->list);
    snprintf(seen->list + at, sizeof seen->list - at, "%s@%d ", name, column);
}

static void names_are_visited_once_per_use(void **state)
{
    (void)state;
    struct seen seen = {""};
    struct sw_expr *expr = parse("a*sin(k_1*x + pi) - x^e");
    sw_expr_names(expr, remember, &seen);
    assert_string_equal(seen.list, "a@1 k_1@7 x@11 x@21 ");
    assert_false(sw_expr_is_random(expr));
    sw_expr_destroy(&expr);
    expr = parse("1 + randn(seed)");
    assert_true(sw_expr_is_random(expr));
    sw_expr_destroy(&expr);
    sw_expr_destroy(&expr);
    sw_expr_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_expression_of_the_table_has_its_value),
        cmocka_unit_test(a_value_does_not_depend_on_the_rate_of_its_names),
        cmocka_unit_test(division_by_minus_zero_keeps_the_sign),
        cmocka_unit_test(what_is_printed_parses_to_the_same_value_and_text),
        cmocka_unit_test(parentheses_are_printed_where_they_are_needed),
        cmocka_unit_test(random_expressions_have_the_value_of_the_same_c_expression),
        cmocka_unit_test(every_refusal_names_place_and_reason),
        cmocka_unit_test(operators_on_fields_become_derivatives_along_axes),
        cmocka_unit_test(every_refusal_of_an_operator_on_fields_names_place_and_reason),
        cmocka_unit_test(endless_nesting_and_length_are_refused),
        cmocka_unit_test(a_long_sum_is_not_deep),
        cmocka_unit_test(too_many_names_are_refused),
        cmocka_unit_test(unknown_names_are_found_when_compiling),
        cmocka_unit_test(a_long_list_of_names_is_cut),
        cmocka_unit_test(errors_are_shown_under_the_place),
        cmocka_unit_test(a_long_expression_is_shown_around_the_fault),
        cmocka_unit_test(names_are_visited_once_per_use),
    };
    /* the functions of math.h, whose bits the compiler's are; test_vector_math.c tests the others */
    setenv("SWEEP_SIMD", "generic", 1);
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
