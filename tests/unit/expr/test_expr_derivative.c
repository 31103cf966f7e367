/* Symbolic derivatives: against differences for every function, and against the forms of a textbook. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/expr_impl.h"
#include "helpers.h"

static const struct sw_symbol symbols[] = {{"x", SW_RATE_RUN, 0}, {"a", SW_RATE_RUN, 1}, {"k", SW_RATE_RUN, 2}};
static const double a = 1.75, k = 3.0;

static struct sw_expr *parse(const char *text)
{
    struct sw_expr *expr = NULL;
    struct sw_expr_error err;
    if (sw_expr_parse(text, &expr, &err)) fail_msg("'%s', column %d: %s", text, err.column, err.text);
    return expr;
}

static struct sw_program *compile(const struct sw_expr *expr)
{
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    if (sw_program_compile(expr, &(struct sw_scope){symbols, 3, false, 0}, &program, &err)) fail_msg("%s", err.text);
    return program;
}

static double value(const struct sw_program *program, double x)
{
    const double param[] = {x, a, k};
    double v;
    assert_ok(sw_program_over_runs(program, 1, param, 1, &v));
    return v;
}

/* Points lie in (low, high), clear of kinks and poles. */
static const struct { const char *text; double low, high; } functions[] = {
    {"x", -2, 2}, {"-x", -2, 2}, {"x + a*x", -2, 2}, {"a - x", -2, 2}, {"x*x*x", -2, 2}, {"a*x", -2, 2},
    {"a/x", 0.5, 2},
    {"x/a", -2, 2}, {"x/(1 + x^2)", -2, 2}, {"x^2", -2, 2}, {"x^3 - x", -2, 2}, {"x^-2", 0.5, 2}, {"x^0.5", 0.5, 2},
    {"x^a", 0.5, 2}, {"a^x", -2, 2}, {"2^x", -2, 2}, {"x^x", 0.5, 2}, {"(1 + x^2)^(x/3)", -2, 2}, {"sin(x)", -3, 3},
    {"cos(x)", -3, 3}, {"tan(x)", -1.2, 1.2}, {"asin(x)", -0.9, 0.9}, {"acos(x)", -0.9, 0.9}, {"atan(x)", -3, 3},
    {"atan2(x, a)", -3, 3}, {"atan2(a, x)", 0.5, 3}, {"atan2(sin(x), 2 + cos(x))", -3, 3}, {"sinh(x)", -2, 2},
    {"cosh(x)", -2, 2}, {"tanh(x)", -2, 2}, {"exp(x)", -2, 2}, {"exp(-x^2)", -2, 2}, {"log(x)", 0.5, 3},
    {"sqrt(x)", 0.5, 3},
    {"sqrt(1 + x^2)", -2, 2}, {"abs(x)", 0.1, 2}, {"abs(x)", -2, -0.1}, {"min(x, x^2)", 0.1, 0.9},
    {"min(x, x^2)", 1.1, 2},
    {"max(x, x^2)", 0.1, 0.9}, {"max(x, x^2, a)", 1.8, 2}, {"floor(x)*x", 1.1, 1.9}, {"sign(x)*x^2", 0.1, 2},
    {"step(x)*sin(x)", 0.1, 2}, {"step(x)*sin(x)", -2, -0.1}, {"x < 1 ? x^2 : cos(x)", -1, 0.9},
    {"x < 1 ? x^2 : cos(x)", 1.1, 2}, {"(x > 0)*x^2", 0.1, 2}, {"(x > 0 && x < 3 || !x)*x", 0.1, 2},
    {"a*sin(k*x)*exp(-x/a)", -2, 2}, {"tanh((x - a)/0.5)", -2, 3}, {"exp(sin(cos(x)))", -3, 3},
    {"log(2 + sin(x))/x", 0.5, 3}, {"log10(x)", 0.5, 3}, {"log10(2 + sin(x))", -2, 2}, {"erf(x)", -3, 3},
    {"erf((x - a)/0.5)", -1, 3}, {"mod(x, a)", 0.1, 1.7}, {"mod(x, a)", -1.7, -0.1}, {"mod(x^2, -a)", 0.1, 1.3},
    {"mod(k, x)", 1.6, 2.9}, {"mod(-k, x)", 1.6, 2.9}, {"ceil(x)*x", 1.1, 1.9}, {"round(x)*x^2", 0.6, 1.4},
};

static void every_derivative_agrees_with_central_differences(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (size_t j = 0; j < sizeof functions / sizeof functions[0]; j++) {
        struct sw_expr *expr = parse(functions[j].text), *slope;
        assert_ok(sw_expr_derivative(expr, "x", &slope));
        struct sw_program *f = compile(expr), *df = compile(slope);
        for (int i = 0; i < 100; i++) {
            double low = functions[j].low, high = functions[j].high, h = 1e-5;
            double x = (low + high) / 2 + (high - low) / 2 * test_random(&random);
            double difference = (value(f, x + h) - value(f, x - h)) / (2 * h), exact = value(df, x);
            /* h² f'''/6 with |f'''| < 1e3 here, and rounding 2^-53 |f|/h: both below 2e-8 */
            if (!(fabs(difference - exact) <= 1e-7 * (1 + fabs(exact))))
                fail_msg("d/dx %s at %.17g: %.12g, differences give %.12g", functions[j].text, x, exact, difference);
        }
        sw_program_destroy(&f);
        sw_program_destroy(&df);
        sw_expr_destroy(&expr);
        sw_expr_destroy(&slope);
    }
}

/* x, f(x), and a second function, where the operation is a function of two, an operator, or a choice. */
static void write_operation(enum operation op, int form, struct sw_text *text)
{
    static const char *const pair[][2] = {{"x", "a"}, {"a", "x"}, {"x", "(1.1 + x/3)"}, {"(x/5)", "x"}};
    const struct op_row *row = &op_table[op];
    const char *const *arg = pair[form];
    if (row->operands == 3) sw_text_printf(text, "x < 1 ? %s : %s", arg[0], arg[1]);
    else if (row->operands == 2 && op_is_function(op)) sw_text_printf(text, "%s(%s, %s)", row->written, arg[0], arg[1]);
    else if (row->operands == 2) sw_text_printf(text, "%s %s %s", arg[0], row->written, arg[1]);
    else sw_text_printf(text, "%s(%s)", row->written, form ? "x/1.3 - 0.2" : "x");
}

/* The derivative of every row of the table, wherever three values of it are finite, so that a new row needs none here.
 * The points are clear of the kinks and jumps that the forms above have, at halves and at whole numbers. */
static int compare_with_differences(const char *text)
{
    const double h = 1e-5;
    int compared = 0;
    struct sw_expr *expr = parse(text), *slope;
    assert_ok(sw_expr_derivative(expr, "x", &slope));
    struct sw_program *f = compile(expr), *df = compile(slope);
    for (int i = 0; i < 64; i++) {
        double x = -2.98 + 0.0937 * i;
        double difference = (value(f, x + h) - value(f, x - h)) / (2 * h), exact = value(df, x);
        if (!isfinite(difference) || !isfinite(value(f, x))) continue;
        compared++;
        /* as above; |f'''| < 1e3 but near a pole or a branch point, where it grows as a power of the slope */
        if (!(fabs(difference - exact) <= 1e-7 * (1 + pow(fabs(exact), 4))))
            fail_msg("d/dx %s at %.17g: %.12g, differences give %.12g", text, x, exact, difference);
    }
    sw_program_destroy(&f);
    sw_program_destroy(&df);
    sw_expr_destroy(&expr);
    sw_expr_destroy(&slope);
    return compared;
}

static void every_operation_has_its_derivative(void **state)
{
    (void)state;
    for (enum operation op = 0; op < OP_COUNT; op++) {
        int compared = 0;
        if (!op_table[op].written || op_derivative(op)) continue;  /* those of fields: below */
        if (op_is_random(op)) continue;                            /* rand and randn: in the forms below */
        for (int form = 0; form < (op_table[op].operands > 1 ? 4 : 2); form++) {
            struct sw_text text = {0};
            write_operation(op, form, &text);
            compared += compare_with_differences(sw_text_get(&text));
            sw_text_free(&text);
        }
        if (compared < 20) fail_msg("'%s' has a finite value at %d points only", op_table[op].written, compared);
    }
}

static void assert_derivative(const char *text, const char *name, const char *expected)
{
    struct sw_expr *expr = parse(text), *slope;
    struct sw_text printed = {0};
    assert_ok(sw_expr_derivative(expr, name, &slope));
    sw_expr_print(slope, &printed);
    if (strcmp(sw_text_get(&printed), expected))
        fail_msg("d/d%s %s = %s, expected %s", name, text, sw_text_get(&printed), expected);
    sw_text_free(&printed);
    sw_expr_destroy(&expr);
    sw_expr_destroy(&slope);
}

static void derivatives_come_in_their_usual_form(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        {"3", "0"}, {"a", "0"}, {"x", "1"}, {"-x", "-1"}, {"2*x", "2"}, {"x*2", "2"}, {"x + x", "2"}, {"x - 1", "1"},
        {"x^2", "2*x"}, {"x^3", "3*x^2"}, {"x^3 - x", "3*x^2 - 1"}, {"3*(2*x^2)", "12*x"}, {"x^0.5", "0.5*x^-0.5"},
        {"x/2", "0.5"}, {"1/x", "-(1/x^2)"}, {"a*x^2/2", "a*(2*x)/2"}, {"sin(x)", "cos(x)"}, {"cos(x)", "-sin(x)"},
        {"tan(x)", "1 + tan(x)^2"}, {"asin(x)", "1/sqrt(1 - x^2)"}, {"acos(x)", "-(1/sqrt(1 - x^2))"},
        {"atan(x)", "1/(1 + x^2)"}, {"sinh(x)", "cosh(x)"}, {"cosh(x)", "sinh(x)"}, {"tanh(x)", "1 - tanh(x)^2"},
        {"exp(x)", "exp(x)"}, {"exp(-x)", "-exp(-x)"}, {"log(x)", "1/x"}, {"sqrt(x)", "1/(2*sqrt(x))"},
        {"abs(x)", "sign(x)"}, {"log10(x)", "1/(2.302585092994046*x)"}, {"erf(x)", "1.1283791670955126*exp(-x^2)"},
        {"mod(x, a)", "1"}, {"mod(a, x)", "-floor(a/x)"}, {"round(x)", "0"}, {"ceil(x)", "0"},
        {"sin(2*x)", "2*cos(2*x)"}, {"e^x", "e^x"}, {"2^x", "2^x*log(2)"}, {"2^a", "0"}, {"floor(x)", "0"},
        {"x > 1", "0"}, {"!x", "0"},
        {"step(x)", "0"}, {"x ? 1 : 2", "0"}, {"x > 1 ? x : 2*x", "x > 1 ? 1 : 2"}, {"min(x, 1)", "x < 1 ? 1 : 0"},
        {"max(a, x)", "a > x ? 0 : 1"}, {"randn(x)", "0"}, {"0*x", "0"}, {"1/0", "0"},
        {"cos(k*x - a)", "-(sin(k*x - a)*k)"},
    };
    for (size_t j = 0; j < sizeof forms / sizeof forms[0]; j++) assert_derivative(forms[j][0], "x", forms[j][1]);
    assert_derivative("a^2*x", "a", "2*a*x");
    assert_derivative("a*x", "nobody", "0");
}

static void the_heat_kernel_solves_the_heat_equation(void **state)
{
    (void)state;
    /* u = exp(-x²/(4 a))/sqrt(a), a as the time: u_a = u_xx; three derivatives of one another */
    struct sw_expr *u = parse("exp(-x^2/(4*a))/sqrt(a)"), *ua, *ux, *uxx;
    assert_ok(sw_expr_derivative(u, "a", &ua));
    assert_ok(sw_expr_derivative(u, "x", &ux));
    assert_ok(sw_expr_derivative(ux, "x", &uxx));
    struct sw_program *left = compile(ua), *right = compile(uxx);
    /* a few roundings of numbers of order 1 */
    for (double x = -3; x <= 3; x += 0.37) assert_near(value(left, x), value(right, x), 1e-15);
    sw_program_destroy(&left);
    sw_program_destroy(&right);
    sw_expr_destroy(&u);
    sw_expr_destroy(&ua);
    sw_expr_destroy(&ux);
    sw_expr_destroy(&uxx);
}

static void a_derivative_that_explodes_is_refused(void **state)
{
    (void)state;
    struct sw_text text = {0};
    for (int j = 0; j < 1000; j++) sw_text_add(&text, "sin(x)*");
    sw_text_add(&text, "x");
    struct sw_expr *expr = parse(sw_text_get(&text)), *slope = expr;
    assert_int_equal(sw_expr_derivative(expr, "x", &slope), SW_E_CONFIG);
    assert_null(slope);
    assert_contains(sw_err_message(), "at most 100000 are allowed");
    sw_expr_destroy(&expr);
    sw_text_free(&text);
}

/* A tree of its own, which prints as the sum would be written; names that both trees have are one. */
static void a_sum_of_trees_is_their_sum(void **state)
{
    (void)state;
    struct sw_expr *one = parse("sin(x)*a - 2"), *other = parse("x/(a + k)"), *sum = NULL, *derived = NULL;
    struct sw_text text = {0};
    assert_ok(sw_expr_sum(one, other, &sum));
    struct sw_program *parts[] = {compile(one), compile(other), compile(sum)};
    sw_expr_destroy(&one);
    sw_expr_destroy(&other);
    for (double x = -2; x < 2; x += 0.25) assert_near(value(parts[2], x), value(parts[0], x) + value(parts[1], x), 0);
    sw_expr_print(sum, &text);
    assert_string_equal(sw_text_get(&text), "sin(x)*a - 2 + x/(a + k)");
    assert_ok(sw_expr_derivative(sum, "k", &derived));
    struct sw_program *of_k = compile(derived);
    assert_near(value(of_k, 1), -1 / ((a + k) * (a + k)), 1e-15);
    sw_program_destroy(&of_k);
    for (int i = 0; i < 3; i++) sw_program_destroy(&parts[i]);
    sw_expr_destroy(&derived);
    sw_expr_destroy(&sum);
    sw_text_free(&text);
}

/* Numbers keep their values; of x = NaN, a = 1.75, k = 3 a value is NaN unless the rest decides it. */
static void a_nan_is_passed_on(void **state)
{
    static const struct { const char *text; double of_nan; } cases[] = {
        {"x > a", NAN}, {"a <= x", NAN}, {"x == x", NAN}, {"x != a", NAN}, {"!x", NAN}, {"step(x)", NAN},
        {"x ? a : k", NAN}, {"a ? x : k", NAN}, {"a ? k : x", 3}, {"x && a", NAN}, {"x && 0", 0}, {"a > k && x", 0},
        {"x || a", 1}, {"0 || x", NAN}, {"x > a || k > a", 1}, {"x > a && k > a", NAN}, {"x || x", NAN},
        {"!(x > a) || k", 1}, {"min(x, a) > 1", NAN}, {"log(-k) < a", NAN}, {"1/0 > a", 1}, {"-1/0 > 1/0", 0},
        {"1/0 && -1/0", 1}, {"a > k ? x : a < k", 1}, {"sqrt(x)*0 == 0", NAN}};
    (void)state;
    for (size_t j = 0; j < sizeof functions / sizeof functions[0] + sizeof cases / sizeof cases[0]; j++) {
        const size_t first = sizeof functions / sizeof functions[0];
        struct sw_expr *expr = parse(j < first ? functions[j].text : cases[j - first].text), *passing;
        assert_ok(sw_expr_pass_nan(expr, &passing));
        struct sw_program *f = compile(expr), *g = compile(passing);
        for (double x = -2; x < 3; x += 0.125)
            if (isfinite(value(f, x)) && (j < first || !strpbrk(cases[j - first].text, "gq")))  /* log, sqrt */
                assert_near(value(g, x), value(f, x), 0);
        if (j >= first) {
            const double v = value(g, NAN), wanted = cases[j - first].of_nan;
            if (isnan(wanted) ? !isnan(v) : v != wanted)
                fail_msg("%s: %g, not %g", cases[j - first].text, v, wanted);
        }
        sw_program_destroy(&f);
        sw_program_destroy(&g);
        sw_expr_destroy(&expr);
        sw_expr_destroy(&passing);
    }
}

/* dx(u) is no function of u at a point, and nothing that could be differentiated; where no name is in it, it is as
 * constant as all else. In a program it has no meaning. */
static void derivatives_of_fields_are_no_functions_of_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"dx(x)", "1 + a*dxx(x)", "dxxx(sin(x))", "dxxxx(x^2)"};
    static const int column[] = {1, 7, 1, 1};
    const struct sw_scope scope = {symbols, 3, false, 0};
    const char *value_text, *name;
    int arguments;
    for (int j = 0; j < 4; j++) {
        struct sw_expr *expr = parse(texts[j]), *slope;
        struct sw_program *program = NULL;
        struct sw_expr_error err;
        struct sw_text printed = {0};
        assert_int_equal(sw_expr_derivative(expr, "x", &slope), SW_E_CONFIG);
        assert_null(slope);
        assert_ok(sw_expr_derivative(expr, "k", &slope));
        sw_expr_print(slope, &printed);
        assert_string_equal(sw_text_get(&printed), "0");
        assert_int_equal(sw_program_compile(expr, &scope, &program, &err), SW_E_CONFIG);
        assert_null(program);
        assert_int_equal(err.column, column[j]);
        assert_int_equal(err.length, j == 0 ? 2 : j + 2);
        assert_non_null(strstr(err.text, "means something only in rhs, implicit"));
        sw_text_free(&printed);
        sw_expr_print(expr, &printed);
        assert_string_equal(sw_text_get(&printed), texts[j]);
        sw_text_free(&printed);
        sw_expr_destroy(&expr);
        sw_expr_destroy(&slope);
    }
    for (int j = 0; (name = sw_expr_function(j, &arguments, &value_text)); j++) assert_true(name[0] != 'd');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_derivative_agrees_with_central_differences),
        cmocka_unit_test(every_operation_has_its_derivative),
        cmocka_unit_test(derivatives_of_fields_are_no_functions_of_numbers),
        cmocka_unit_test(a_sum_of_trees_is_their_sum),
        cmocka_unit_test(a_nan_is_passed_on),
        cmocka_unit_test(derivatives_come_in_their_usual_form),
        cmocka_unit_test(the_heat_kernel_solves_the_heat_equation),
        cmocka_unit_test(a_derivative_that_explodes_is_refused),
    };
    return cmocka_run_group_tests_name("expr derivative", tests, NULL, NULL);
}
