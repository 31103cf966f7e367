/* Texts of equations as parts: which terms are implicit, what G and N are, and what is refused where. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/equation/equation_text.h"

static const char *const numbers[] = {"D", "gamma", "r", "q0", "nu", "F", "k", "Du", "Dv", "a", "b", "c", "L"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static struct sw_equation_text text_of(const char *rhs_u, const char *rhs_v)
{
    return (struct sw_equation_text){.unknowns = rhs_v ? 2 : 1, .unknown = {"u", "v"}, .rhs = {rhs_u, rhs_v},
                                     .number = numbers, .numbers = NUMBERS};
}

static struct sw_equation *read(const struct sw_equation_text *text)
{
    struct sw_equation *equation = NULL;
    struct sw_equation_error err;
    if (sw_equation_create(text, &equation, &err))
        fail_msg("'%s', column %d: %s", text->rhs[0], err.error.column, err.error.text);
    return equation;
}

static struct sw_equation_parts split(const struct sw_equation *equation,
                                      const enum sw_taken (*taken)[SW_EQUATION_ORDERS])
{
    struct sw_equation_parts parts;
    struct sw_equation_error err;
    if (sw_equation_split(equation, taken, &parts, &err)) fail_msg("%s", err.error.text);
    return parts;
}

static void assert_tree(const char *what, const char *of, const struct sw_expr *expr, const char *expected)
{
    struct sw_text text = {0};
    if (expr) sw_expr_print(expr, &text);
    if (strcmp(sw_text_get(&text), expected))
        fail_msg("%s of '%s' is\n  '%s', expected\n  '%s'", what, of, sw_text_get(&text), expected);
    sw_text_free(&text);
}

/* ------------------------------------------------------------------ the catalogue */

/* What each text becomes, by hand from numerics.md, 13. Empty: there is none. */
static const struct {
    const char *rhs, *other;   /* of u, and of v where there is one              */
    const char *implicit, *by_run, *explicit_;
    const char *g, *n;
    int reach, held;
} catalogue[] = {
    /* Cahn–Hilliard */
    {"D*dxx(u^3 - u - gamma*dxx(u))", NULL, "", "-D*gamma*dxxxx(u) - D*dxx(u)", "dxx(D*u^3)",
     "D*(u^3 - [keep u 2]*u)",
     "-(D*(gamma*([keep u 4]*[1/dx^4]))*(u[+2] + u[-2] - 4*(u[+1] + u[-1]) + 6*u))", 2, 2},
    /* Swift–Hohenberg */
    {"r*u - (q0^4*u + 2*q0^2*dxx(u) + dxxxx(u)) - u^3", NULL, "-dxxxx(u)", "-2*q0^2*dxx(u) + (r - q0^4)*u", "-u^3",
     "-(2*q0^2*([keep u 2]*u))", "r*([keep u 0]*u) - q0^4*([keep u 0]*u) - u^3", 0, 0},
    /* Kuramoto–Sivashinsky, both ways to write it */
    {"-dxxxx(u) - dxx(u) - u*dx(u)", NULL, "-dxxxx(u)", "", "-dxx(u) - u*dx(u)", "-u",
     "-([1/(2dx)]*(u*(u[+1] - u[-1])))", 1, 1},
    {"-dxxxx(u) - dxx(u) - dx(u^2/2)", NULL, "-dxxxx(u)", "", "-dxx(u) - dx(u^2/2)", "-u",
     "-(0.5*[1/(2dx)]*(u[+1]^2 - u[-1]^2))", 1, 1},
    /* Allen–Cahn */
    {"gamma*dxx(u) + u - u^3", NULL, "", "gamma*dxx(u)", "u - u^3", "gamma*([keep u 2]*u)", "u - u^3", 0, 0},
    /* Fisher–KPP, as a product and taken apart */
    {"D*dxx(u) + r*u*(1 - u)", NULL, "", "D*dxx(u)", "r*u*(1 - u)", "D*([keep u 2]*u)", "r*u*(1 - u)", 0, 0},
    {"dxx(u) + r*(u - u^2)", NULL, "dxx(u)", "r*u", "-r*u^2", "", "r*([keep u 0]*u - u^2)", 0, 0},
    /* Korteweg–de Vries */
    {"-6*u*dx(u) - dxxx(u)", NULL, "-dxxx(u)", "", "-6*u*dx(u)", "", "-(6*[1/(2dx)]*(u*(u[+1] - u[-1])))", 1, 1},
    /* Burgers */
    {"nu*dxx(u) - u*dx(u)", NULL, "", "nu*dxx(u)", "-u*dx(u)", "nu*([keep u 2]*u)",
     "-([1/(2dx)]*(u*(u[+1] - u[-1])))", 1, 1},
    /* Gray–Scott, u and v */
    {"Du*dxx(u) - u*v^2 + F*(1 - u)", "0", "", "Du*dxx(u) - F*u", "-u*v^2 + F*1", "Du*([keep u 2]*u)",
     "-(u*v^2) + F*(1 - [keep u 0]*u)", 0, 0},
    {"Dv*dxx(u) + v*u^2 - (F + k)*u", "0", "", "Dv*dxx(u) - (F + k)*u", "v*u^2", "Dv*([keep u 2]*u)",
     "v*u^2 - (F + k)*([keep u 0]*u)", 0, 0},
    /* FitzHugh–Nagumo */
    {"dxx(u) + u - u^3/3 - v", "r*(u + a - b*v)", "dxx(u)", "", "u - u^3/3 - v", "", "u - u^3/3 - v", 0, 0},
    /* Brusselator */
    {"Du*dxx(u) + a - (b + 1)*u + u^2*v", "0", "", "Du*dxx(u) - (b + 1)*u", "a + u^2*v", "Du*([keep u 2]*u)",
     "a - (b + 1)*([keep u 0]*u) + u^2*v", 0, 0},
    /* complex Ginzburg–Landau, real part */
    {"u + dxx(u) - b*dxx(v) - (u^2 + v^2)*(u - c*v)", "0", "dxx(u)", "",
     "u - b*dxx(v) - (u^2 + v^2)*(u - c*v)", "", "u - b*[1/dx^2]*(v[+1] + v[-1] - 2*v) - (u^2 + v^2)*(u - c*v)", 1, 2},
    /* thin film: conservative, staggered */
    {"-dx(u^3*dxxx(u))", NULL, "", "", "-dx(u^3*dxxx(u))", "",
     "-([1/dx^3]*[1/dx]*((0.5*(u + u[+1]))^3*(u[+2] - u[-1] - 3*(u[+1] - u)) - "
     "(0.5*(u[-1] + u))^3*(u[+1] - u[-2] - 3*(u - u[-1]))))", 2, 4},
    /* chemotaxis */
    {"-a*dx(u*dx(v))", "0", "", "", "-a*dx(u*dx(v))", "",
     "-(a*(0.5*[1/dx]*[1/dx])*((u + u[+1])*(v[+1] - v) - (u[-1] + u)*(v - v[-1])))", 1, 2},
};

static void the_catalogue_becomes_its_parts(void **state)
{
    (void)state;
    for (size_t j = 0; j < sizeof catalogue / sizeof *catalogue; j++) {
        const char *rhs = catalogue[j].rhs;
        const struct sw_equation_text text = text_of(rhs, catalogue[j].other);
        struct sw_equation *equation = read(&text);
        struct sw_equation_parts parts = split(equation, NULL);
        struct sw_text shown[3] = {{0}};
        const char *expected[] = {catalogue[j].implicit, catalogue[j].by_run, catalogue[j].explicit_};
        assert_tree("G", rhs, parts.g[0], catalogue[j].g);
        assert_tree("N", rhs, parts.n[0], catalogue[j].n);
        assert_ok(sw_equation_show(equation, 0, NULL, &shown[0], &shown[1], &shown[2]));
        for (int k = 0; k < 3; k++) {
            if (strcmp(sw_text_get(&shown[k]), expected[k]))
                fail_msg("part %d of '%s' is '%s', expected '%s'", k, rhs, sw_text_get(&shown[k]), expected[k]);
            sw_text_free(&shown[k]);
        }
        if (parts.reach[0] != catalogue[j].reach) fail_msg("'%s' reaches %d", rhs, parts.reach[0]);
        if (equation->row[0].held != catalogue[j].held) fail_msg("'%s' is held by %d", rhs, equation->row[0].held);
        assert_int_equal(equation->jumps, 0);
        sw_equation_free_parts(&parts);
        sw_equation_destroy(&equation);
    }
}

/* ------------------------------------------------------------------ errors */

static const struct {
    const char *rhs, *implicit;
    enum sw_equation_place place;
    int column, length;
    const char *message, *hint;
} errors[] = {
    {"D*dxx(w)", NULL, SW_IN_RHS, 7, 1, "unknown name 'w'", "known: u v D gamma"},
    {"1 + gama*u", NULL, SW_IN_RHS, 5, 4, "unknown name 'gama'", "did you mean 'gamma'?"},
    {"u + dxxxxx(u)", NULL, SW_IN_RHS, 5, 6, "dxxxxx() is a derivative of order 5, the highest is 4", "dx dxx dxxx"},
    {"u + dxx(dxxx(u))", NULL, SW_IN_RHS, 5, 3, "dxx() makes a derivative of order 5", "up to the fourth"},
    {"dx(u*dx(dxxx(u^2)*dx(v)))", NULL, SW_IN_RHS, 1, 2, "dx() makes a derivative of order 5", ""},
    {"dx(dx(u*dxxx(u)))", NULL, SW_IN_RHS, 1, 2, "dx() makes a derivative of order 5", ""},
    {"dxx(u) + dt(u)", NULL, SW_IN_RHS, 10, 2, "unknown function 'dt'", "stands on the left only"},
    {"dxx(u) - u_t", NULL, SW_IN_RHS, 10, 3, "'u_t' is a derivative in time", "rhs is what it equals"},
    {"dxx(u) - vt", NULL, SW_IN_RHS, 10, 2, "'vt' is a derivative in time", ""},
    {"u_xx - u", NULL, SW_IN_RHS, 1, 4, "unknown name 'u_xx'", "write dxx(u)"},
    {"2*vx", NULL, SW_IN_RHS, 3, 2, "unknown name 'vx'", "write dx(v)"},
    {"2*laplace(u)", NULL, SW_IN_RHS, 3, 7, "unknown function 'laplace'", "it is written dxx(u)"},
    {"2*dxx", NULL, SW_IN_RHS, 3, 3, "'dxx' without what it is the derivative of; write dxx(u)", ""},
    {"dx(u, v)", NULL, SW_IN_RHS, 1, 2, "dx takes 1 argument, not 2", ""},
    {"u + dx(u + randn(1))", NULL, SW_IN_RHS, 12, 5, "randn() cannot stand inside a derivative", "as dx falls"},
    {"dxx(D*rand(3))", NULL, SW_IN_RHS, 7, 4, "rand() cannot stand inside a derivative", ""},
    {"dxx(u", NULL, SW_IN_RHS, 4, 1, "'(' without ')'", ""},
    {"", NULL, SW_IN_RHS, 0, 1, "empty expression", ""},
    {"u[+1]", NULL, SW_IN_RHS, 2, 1, "'[' is not part of the language", ""},
    {"dxx(u)", "D*u + u^2", SW_IN_IMPLICIT, 8, 1, "this term is not linear in u", "c of numbers of the run"},
    {"dxx(u)", "dxx(u) + dxx(v)", SW_IN_IMPLICIT, 14, 1, "this term is not linear in u", ""},
    {"dxx(u)", "dxx(u) - x*u", SW_IN_IMPLICIT, 11, 1, "this term is not linear in u", ""},
    {"dxx(u)", "sin(t)*u", SW_IN_IMPLICIT, 7, 1, "this term is not linear in u", ""},
    {"dxx(u)", "dxx(u) + D", SW_IN_IMPLICIT, 10, 1, "this term is not linear in u", ""},
    {"dxx(u)", "u*dx(u)", SW_IN_IMPLICIT, 2, 1, "this term is not linear in u", ""},
    {"dxx(u)", "dxx(w)", SW_IN_IMPLICIT, 5, 1, "unknown name 'w'", ""},
    {"dxx(u)", "dxx(", SW_IN_IMPLICIT, 4, 1, "'(' without ')'", ""},
};

static void every_error_names_its_place(void **state)
{
    (void)state;
    for (size_t j = 0; j < sizeof errors / sizeof *errors; j++)
        for (int v = 0; v < 2; v++) {  /* in the first text, and in the second */
            struct sw_equation_text text = text_of("u", "v");
            struct sw_equation *equation = (void *)&text;
            struct sw_equation_error err;
            if (v == 1) text.unknown[0] = "v", text.unknown[1] = "u";
            text.rhs[v] = errors[j].rhs;
            text.implicit[v] = errors[j].implicit;
            const char *rhs = errors[j].implicit ? errors[j].implicit : errors[j].rhs;
            if (sw_equation_create(&text, &equation, &err) != SW_E_CONFIG) fail_msg("'%s' is not refused", rhs);
            assert_null(equation);
            if (err.place != errors[j].place || err.unknown != v || err.error.column != errors[j].column ||
                err.error.length != errors[j].length)
                fail_msg("'%s': place %d of unknown %d, column %d, %d long: %s", rhs, err.place, err.unknown,
                         err.error.column, err.error.length, err.error.text);
            if (v == 1 && strstr(errors[j].hint, "known: u v")) continue;
            if (!strstr(err.error.text, errors[j].message) || !strstr(err.error.hint, errors[j].hint))
                if (v == 0) fail_msg("'%s': %s; %s", rhs, err.error.text, err.error.hint);
        }
}

static void a_name_with_another_meaning_is_no_unknown(void **state)
{
    (void)state;
    static const struct { const char *name, *hint; } names[] = {
        {"sin", "a function"}, {"dx", "a function"}, {"dxxxx", "a function"}, {"pi", "a constant"}, {"e", "a constant"},
        {"x", "the coordinate"}, {"t", "the time"}, {"gamma", "a number of the run"}, {"", "letters, digits and _"},
        {"2u", "begins with no digit"}, {"u[+1]", "letters"}, {"u v", "letters"},
        {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvw", "at most 48"},
    };
    struct sw_equation *equation;
    struct sw_equation_error err;
    for (size_t j = 0; j < sizeof names / sizeof *names; j++)
        for (int v = 0; v < 2; v++) {
            struct sw_equation_text text = text_of("1", "1");
            text.unknown[v] = names[j].name;
            assert_int_equal(sw_equation_create(&text, &equation, &err), SW_E_CONFIG);
            assert_int_equal(err.place, SW_IN_UNKNOWNS);
            assert_int_equal(err.unknown, v);
            assert_contains(err.error.text, "cannot be an unknown");
            assert_contains(err.error.hint, names[j].hint);
        }
    struct sw_equation_text twice = text_of("1", "1");
    twice.unknown[1] = "u";
    assert_int_equal(sw_equation_create(&twice, &equation, &err), SW_E_CONFIG);
    assert_contains(err.error.text, "two unknowns are called 'u'");
    assert_int_equal(err.unknown, 1);
    for (int count = 0; count < 6; count += 5) {
        struct sw_equation_text wrong = text_of("1", NULL);
        wrong.unknowns = count;
        assert_int_equal(sw_equation_create(&wrong, &equation, &err), SW_E_CONFIG);
        assert_contains(err.error.text, count ? "5 unknowns; there may be 1 to 4" : "0 unknowns");
    }
    struct sw_equation_text half = text_of("1", "1");
    half.rhs[1] = NULL;
    assert_int_equal(sw_equation_create(&half, &equation, &err), SW_E_CONFIG);
    assert_int_equal(err.place, SW_IN_RHS);
    assert_contains(err.error.text, "'v' has no right-hand side");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_becomes_its_parts),
        cmocka_unit_test(every_error_names_its_place),
        cmocka_unit_test(a_name_with_another_meaning_is_no_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
