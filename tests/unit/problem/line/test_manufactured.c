/* Sources of manufactured solutions: against those that a person works out, at points. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/line/kinds/manufactured.h"

static const struct sw_symbol symbols[] = {
    {"x", SW_RATE_RUN, 0}, {"y", SW_RATE_RUN, 1}, {"z", SW_RATE_RUN, 2}, {"t", SW_RATE_RUN, 3},
    {"a", SW_RATE_RUN, 4}, {"g", SW_RATE_RUN, 5}};
enum { SYMBOLS = 6, POINTS = 20 };

static struct sw_expr *parse(const char *text, int dimensions)
{
    struct sw_expr *expr = NULL;
    struct sw_expr_error err;
    if (sw_expr_parse_fields(text, dimensions, &expr, &err))
        fail_msg("'%s', column %d: %s", text, err.column, err.text);
    return expr;
}

/* [POINTS] */
static void values(const struct sw_expr *expr, double *value)
{
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    double param[SYMBOLS * POINTS];
    if (sw_program_compile(expr, &(struct sw_scope){symbols, SYMBOLS, false, 0}, &program, &err))
        fail_msg("%s", err.text);
    for (int k = 0; k < SYMBOLS * POINTS; k++) param[k] = 0.3 + fmod(0.6180339887498949 * k, 1.0);
    assert_ok(sw_program_over_runs(program, POINTS, param, POINTS, value));
    sw_program_destroy(&program);
}

struct problem {
    int dimensions;
    const char *exact[2];   /* of u, and v */
    const char *rhs;        /* of u        */
    const char *source;     /* what it is, worked out by hand */
};

static const struct problem problems[] = {
    {1, {"exp(-a*t)*sin(g*x)"}, "dxx(u)", "(g^2 - a)*exp(-a*t)*sin(g*x)"},
    {1, {"x^3*t"}, "u*dx(u) - dxxx(u) + a", "x^3 - 3*x^5*t^2 + 6*t - a"},
    /* dxx(u^3) = 6 u u_x^2 + 3 u^2 u_xx of u = x^2: 30 x^4; u_xxxx = 0 of x^2, 24 of x^4 */
    {1, {"x^2 + t"}, "dxx(u^3 - u - g*dxx(u))", "1 - (24*x^2*(x^2 + t) + 6*(x^2 + t)^2 - 2)"},
    {1, {"x^4"}, "-g*dxxxx(u) + dx(t*u)", "24*g - 4*t*x^3"},
    {1, {"sin(x)", "cos(x)"}, "dx(u*dx(v)) - u*v", "2*sin(x)*cos(x) + sin(x)*cos(x)"},
    {1, {"a"}, "u^2 + dx(u)*x", "-a^2"},
    {2, {"sin(x)*sin(g*y)*t"}, "lap(lap(u))", "sin(x)*sin(g*y)*(1 - t*(1 + g^2)^2)"},
    {2, {"x*y^2 + t^2"}, "dxy(u) + grad2(u) - dyy(u)/2", "2*t - 2*y - y^4 - 4*x^2*y^2 + x"},
    {2, {"x + y", "x*y"}, "div(u*dx(v), u*dy(v))", "-(y + x)"},
    {2, {"exp(x - a*t)*y", "t"}, "u*dx(v) + dy(v)*x", "-a*exp(x - a*t)*y"},
    {3, {"cos(x + 2*y - z - t)"}, "lap(u) + x*dz(u)",
     "(1 - x)*sin(x + 2*y - z - t) + 6*cos(x + 2*y - z - t)"},
    {3, {"sin(x)*exp(y)*z"}, "dxxy(u) + lap(lap(lap(u)))", "sin(x)*exp(y)*z"},
    /* a front of Allen-Cahn's, tanh' = 1 - tanh^2: what is left is what its motion brings */
    {2, {"tanh((y - a*t)/sqrt(2*g))"}, "g*lap(u) - u^3 + u", "-a/sqrt(2*g)*(1 - tanh((y - a*t)/sqrt(2*g))^2)"},
};

static struct sw_expr *source_of(const struct problem *p, enum sw_status wanted, struct sw_expr_error *err)
{
    struct sw_field_names names = {.dimensions = p->dimensions, .unknowns = p->exact[1] ? 2 : 1, .unknown = {"u", "v"}};
    struct sw_expr *exact[2] = {NULL}, *rhs = parse(p->rhs, p->dimensions), *source = NULL;
    for (int v = 0; v < names.unknowns; v++) exact[v] = parse(p->exact[v], 1);
    const struct sw_expr *const given[2] = {exact[0], exact[1]};
    assert_int_equal(sw_manufacture_one(&names, rhs, given, 0, &source, err), wanted);
    sw_expr_destroy(&rhs);
    for (int v = 0; v < 2; v++) sw_expr_destroy(&exact[v]);
    return source;
}

static void sources_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const struct problem *p = &problems[k];
        struct sw_expr_error err;
        struct sw_expr *source = source_of(p, SW_OK, &err), *wanted = parse(p->source, 1);
        double got[POINTS], right[POINTS];
        values(source, got);
        values(wanted, right);
        for (int i = 0; i < POINTS; i++)
            if (!(fabs(got[i] - right[i]) <= 1e-12 * (100 + fabs(right[i]))))  /* rounding of terms of some 100 */
                fail_msg("%s of u = %s: %.17g, not %.17g", p->rhs, p->exact[0], got[i], right[i]);
        sw_expr_destroy(&source);
        sw_expr_destroy(&wanted);
    }
}

static void noise_is_refused_where_it_stands(void **state)
{
    (void)state;
    struct sw_expr_error err;
    assert_null(source_of(&(struct problem){1, {"x"}, "dxx(u) + randn(3)", NULL}, SW_E_CONFIG, &err));
    assert_int_equal(err.column, 10);
    assert_non_null(strstr(err.text, "randn"));
}

static void jumps_and_kinks_in_space_and_time_are_found(void **state)
{
    (void)state;
    static const struct { const char *text; int column; bool kink; } cases[] = {
        {"sin(x)*t", 0, false}, {"1 + abs(x)", 5, true}, {"abs(a)*x", 0, false}, {"floor(t)", 1, false},
        {"a > 1 ? x : y", 0, false}, {"y > a ? x : 1", 3, false}, {"max(a, min(x, t))", 8, true}};
    const struct sw_field_names names = {.dimensions = 2, .unknowns = 1, .unknown = {"u"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct sw_expr *expr = parse(cases[k].text, 1);
        struct sw_equation_jump jump = {0};
        assert_int_equal(sw_manufactured_find_jump(&names, expr, &jump), cases[k].column > 0);
        assert_int_equal(jump.column, cases[k].column);
        assert_int_equal(jump.kink, cases[k].kink);
        sw_expr_destroy(&expr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_are_those_worked_out_by_hand),
        cmocka_unit_test(noise_is_refused_where_it_stands),
        cmocka_unit_test(jumps_and_kinks_in_space_and_time_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
