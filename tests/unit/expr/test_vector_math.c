/* Functions of many values, by the vector functions of the C library (expr/vector_math.h) or by whatever takes their
 * place. */
#include <math.h>
#include <string.h>

#include "expr/expr_impl.h"
#include "expr/random_point.h"
#include "helpers.h"

static const char *const functions[] = {
    "sin(x)", "cos(x)", "tan(x)", "asin(x/9)", "acos(x/9)", "atan(x)", "atan2(x, 2)",
    "sinh(x)", "cosh(x)", "tanh(x)", "exp(x)", "log(abs(x))", "abs(x)^1.7",
    "log10(abs(x))", "erf(x)", "sech(x)", "csch(x)", "coth(x)",
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double by_libm(int k, double x)
{
    const double value[FUNCTIONS] = {sin(x),     cos(x),  tan(x),  asin(x / 9), acos(x / 9), atan(x),      atan2(x, 2),
                                     sinh(x),    cosh(x), tanh(x), exp(x),      log(fabs(x)), pow(fabs(x), 1.7),
                                     log10(fabs(x)), erf(x), 1 / cosh(x), 1 / sinh(x), 1 / tanh(x)};
    return value[k];
}

static struct sw_eval *eval_of_x(const char *text, int points, struct sw_program **program)
{
    static const struct sw_symbol symbol = {"x", SW_RATE_POINT, SW_IN_X};
    const struct sw_scope scope = {&symbol, 1, false, 0};
    struct sw_expr *expr = NULL;
    struct sw_expr_error err;
    struct sw_eval *eval = NULL;
    assert_ok(sw_expr_parse(text, &expr, &err));
    assert_ok(sw_program_compile(expr, &scope, program, &err));
    assert_ok(sw_eval_create(*program, points, &eval));
    sw_eval_run(eval, NULL, 1);
    sw_expr_destroy(&expr);
    return eval;
}

static void functions_are_those_of_math_h_to_four_units_in_the_last_place(void **state)
{
    enum { N = 1000 };
    double x[N], y[N];
    (void)state;
    for (int i = 0; i < N; i++) x[i] = -8.97 + 0.01793 * i;
    for (int k = 0; k < FUNCTIONS; k++) {
        struct sw_program *program = NULL;
        struct sw_eval *eval = eval_of_x(functions[k], N, &program);
        sw_eval_points(eval, N, (const double *[SW_INPUTS]){x}, y);
        /* 4 of the vector functions and 1 of math.h: an ulp is at most 2^-52 of a value; one over it has half of one
         * more on both sides */
        for (int i = 0; i < N; i++) {
            double exact = by_libm(k, x[i]);
            if (!(fabs(y[i] - exact) <= 5 * 0x1p-52 * fabs(exact)))
                fail_msg("%s at %.17g is %.17g, not %.17g", functions[k], x[i], y[i], exact);
        }
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

/* The name of the vector function and the expression of the same row. */
static void rows_name_the_function_that_they_call(void **state)
{
    enum { N = 400 };
    double a[N], b[N], y[N];
    (void)state;
    for (int i = 0; i < N; i++) a[i] = 0.0173 * i - 0.97, b[i] = 2.1 - 0.0101 * i;
    for (enum operation op = 0; op < OP_COUNT; op++) {
        if (!op_table[op].library || !op_vector(op, N, a, b, y)) continue;
        for (int i = 0; i < N; i++) {
            double exact = op_value(op, a[i], b[i], 0);
            /* as above */
            if (!(fabs(y[i] - exact) <= 5 * 0x1p-52 * fabs(exact)) && !(isnan(y[i]) && isnan(exact)))
                fail_msg("%s(%.17g, %.17g) is %.17g, not %.17g", op_table[op].written, a[i], b[i], y[i], exact);
        }
    }
}

/* Among other values, some of them such as no fast method does, and at any place. */
static void functions_give_the_same_bits_in_any_company(void **state)
{
    static const double odd[] = {1e300, -1e22, NAN, INFINITY, 0.0, 1e-310, -745.2, 710.0};
    enum { N = 37, VALUES = 64 };
    double x[N], y[N], alone;
    (void)state;
    for (int k = 0; k < FUNCTIONS; k++) {
        struct sw_program *program = NULL;
        struct sw_eval *eval = eval_of_x(functions[k], N, &program);
        for (int v = 0; v < VALUES; v++) {
            double value = v < 8 ? odd[v] : 0.37 * (v - 30) + 1e-3 * v * v;
            const double *const one[SW_INPUTS] = {&value}, *const many[SW_INPUTS] = {x};
            sw_eval_points(eval, 1, one, &alone);
            for (int place = 0; place < N; place += 3) {
                for (int i = 0; i < N; i++) x[i] = (i + v) % 3 ? odd[(i + v) % 8] : 0.11 * i;
                x[place] = value;
                sw_eval_points(eval, N, many, y);
                if (!(isnan(alone) && isnan(y[place]))) assert_memory_equal(&y[place], &alone, sizeof alone);
            }
        }
        sw_eval_destroy(&eval);
        sw_program_destroy(&program);
    }
}

/* Numbers drawn side by side are those of random_point.h, to the bit: rand and randn, and the noise of a line at any
 * place in a block, at its ends too. */
static void random_numbers_are_those_drawn_one_by_one(void **state)
{
    enum { N = 700, LANES = 4 };
    static double a[N], b[N], c[N], exact[N], drawn[N];
    static const enum operation ops[] = {OP_RAND, OP_RANDN, OP_NOISE};
    static const int faces[] = {SW_NOISE_HERE, SW_NOISE_LEFT, SW_NOISE_RIGHT};
    (void)state;
    for (int k = 0; k < 3 * 3 * 4; k++)
        for (int lanes = 1; lanes <= LANES; lanes *= LANES) {
            const enum operation op = ops[k % 3];
            const int cell = k / 9 ? 100 + k / 9 : 0, n = N - 4 * (k % 7);
            const struct op_where where = {.cell = cell, .lanes = lanes, .step = (1LL << 33) + 7, .stream = 1};
            for (int i = 0; i < N; i++) {
                a[i] = op == OP_NOISE ? 3.25 * (i % LANES) : i % 97 == 5 ? NAN : 3.25 * (i % LANES) - 1e-300 * i;
                if (op == OP_NOISE && lanes == 1) a[i] = 3.25;
                b[i] = faces[k / 3 % 3];
                c[i] = lanes == 1 ? cell + 77 : cell + 77 + i % LANES;
            }
            op_loops[op](n, a, b, c, exact, &where);
            op_random(op, n, a, b, c, drawn, &where);
            for (int i = 0; i < n; i++)
                if (drawn[i] != exact[i] && !(isnan(drawn[i]) && isnan(exact[i])))
                    fail_msg("%d, %d lanes, face %g, %d: %.17g, not %.17g", (int)op, lanes, b[i], i, drawn[i],
                             exact[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_those_of_math_h_to_four_units_in_the_last_place),
        cmocka_unit_test(rows_name_the_function_that_they_call),
        cmocka_unit_test(functions_give_the_same_bits_in_any_company),
        cmocka_unit_test(random_numbers_are_those_drawn_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
