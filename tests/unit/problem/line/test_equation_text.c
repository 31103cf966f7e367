/* Texts of equations as parts: which terms are implicit, what G and N are, and what is refused where. */
#include "equation_helpers.h"

/* ------------------------------------------------------------------ the catalogue */

/* What each text becomes, by hand from docs/explanation/equation.md. Empty: there is none. */
static const struct {
    const char *rhs, *other;   /* of u, and of v where there is one              */
    const char *implicit, *by_run, *explicit_;
    const char *g, *n;
    int reach, held;
} catalogue[] = {
    /* Cahn–Hilliard */
    {"D*dxx(u^3 - u - gamma*dxx(u))", NULL, "", "-D*gamma*dxxxx(u) - D*dxx(u)", "dxx(D*u^3)",
     "D*(u^3 - [keep u 2]*u)",
     "-(D*(gamma*[keep u 4])*[1/dx^4])*(u[+2] + u[-2] - 4*(u[+1] + u[-1]) + 6*u)", 2, 2},
    /* Swift–Hohenberg */
    {"r*u - (q0^4*u + 2*q0^2*dxx(u) + dxxxx(u)) - u^3", NULL, "-dxxxx(u)", "-2*q0^2*dxx(u) + (r - q0^4)*u", "-u^3",
     "-(2*q0^2*([keep u 2]*u))", "r*([keep u 0]*u) - q0^4*([keep u 0]*u) - u^3", 0, 0},
    /* Kuramoto–Sivashinsky, both ways to write it */
    {"-dxxxx(u) - dxx(u) - u*dx(u)", NULL, "-dxxxx(u)", "", "-dxx(u) - u*dx(u)", "-u",
     "-[1/(2dx)]*(u*(u[+1] - u[-1]))", 1, 1},
    {"-dxxxx(u) - dxx(u) - dx(u^2/2)", NULL, "-dxxxx(u)", "", "-dxx(u) - dx(u^2/2)", "-u",
     "-(0.5*[1/(2dx)])*(u[+1]^2 - u[-1]^2)", 1, 1},
    /* Allen–Cahn */
    {"gamma*dxx(u) + u - u^3", NULL, "", "gamma*dxx(u)", "u - u^3", "gamma*([keep u 2]*u)", "u - u^3", 0, 0},
    /* Fisher–KPP, as a product and taken apart */
    {"D*dxx(u) + r*u*(1 - u)", NULL, "", "D*dxx(u)", "r*u*(1 - u)", "D*([keep u 2]*u)", "r*u*(1 - u)", 0, 0},
    {"dxx(u) + r*(u - u^2)", NULL, "dxx(u)", "r*u", "-r*u^2", "", "r*([keep u 0]*u - u^2)", 0, 0},
    /* Korteweg–de Vries */
    {"-6*u*dx(u) - dxxx(u)", NULL, "-dxxx(u)", "", "-6*u*dx(u)", "", "-(6*[1/(2dx)])*(u*(u[+1] - u[-1]))", 1, 1},
    /* Burgers */
    {"nu*dxx(u) - u*dx(u)", NULL, "", "nu*dxx(u)", "-u*dx(u)", "nu*([keep u 2]*u)",
     "-[1/(2dx)]*(u*(u[+1] - u[-1]))", 1, 1},
    /* Gray–Scott, u and v */
    {"Du*dxx(u) - u*v^2 + F*(1 - u)", "0", "", "Du*dxx(u) - F*u", "-u*v^2 + F", "Du*([keep u 2]*u)",
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
     "u - b*dxx(v) - (u^2 + v^2)*(u - c*v)", "", "u - (u^2 + v^2)*(u - c*v) - b*[1/dx^2]*(v[+1] + v[-1] - 2*v)", 1, 2},
    /* thin film: conservative, staggered */
    {"-dx(u^3*dxxx(u))", NULL, "", "", "-dx(u^3*dxxx(u))", "",
     "-([1/dx^3]*[1/dx])*((0.5*(u + u[+1]))^3*(u[+2] - u[-1] - 3*(u[+1] - u)) - "
     "(0.5*(u[-1] + u))^3*(u[+1] - u[-2] - 3*(u - u[-1])))", 2, 4},
    /* chemotaxis */
    {"-a*dx(u*dx(v))", "0", "", "", "-a*dx(u*dx(v))", "",
     "-(a*(0.5*[1/dx])*[1/dx])*((u + u[+1])*(v[+1] - v) - (u[-1] + u)*(v - v[-1]))", 1, 2},
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
    {"dxx(u) + dxxt(u)", NULL, SW_IN_RHS, 10, 4, "unknown function 'dxxt'", "stands on the left only"},
    {"dxx(u) - u_t", NULL, SW_IN_RHS, 10, 3, "'u_t' is a derivative in time", "rhs is what it equals"},
    {"dxx(u) - vt", NULL, SW_IN_RHS, 10, 2, "'vt' is a derivative in time", ""},
    {"u_xx - u", NULL, SW_IN_RHS, 1, 4, "unknown name 'u_xx'", "write dxx(u)"},
    {"2*vx", NULL, SW_IN_RHS, 3, 2, "unknown name 'vx'", "write dx(v)"},
    {"2*dyy(u)", NULL, SW_IN_RHS, 3, 3, "unknown function 'dyy'", "lines have one coordinate, x"},
    {"2*d2x(u)", NULL, SW_IN_RHS, 3, 3, "unknown function 'd2x'", "derivatives are written dx(u)"},
    {"2*dXX(u)", NULL, SW_IN_RHS, 3, 3, "unknown function 'dXX'", "derivatives are written dx(u)"},
    {"d(u)", NULL, SW_IN_RHS, 1, 1, "unknown function 'd'", "derivatives are written dx(u)"},
    {"2*U", NULL, SW_IN_RHS, 3, 1, "unknown name 'U'", "did you mean 'u'?"},
    {"2*laplace(u)", NULL, SW_IN_RHS, 3, 7, "unknown function 'laplace'", "it is written dxx(u) or lap(u)"},
    {"2*dxx", NULL, SW_IN_RHS, 3, 3, "'dxx' without what it is the derivative of; write dxx(u)", ""},
    {"2*lap", NULL, SW_IN_RHS, 3, 3, "'lap' without what it is the derivative of; write lap(u)", ""},
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

/* Those of the catalogue do not even differ by rounding, whether other runs take a term otherwise or not. */
static void other_runs_do_not_change_the_bits_of_the_catalogue(void **state)
{
    (void)state;
    static struct line line;
    fill_line(&line, 64);
    for (size_t j = 0; j < sizeof catalogue / sizeof *catalogue; j++) {
        const struct sw_equation_text text = text_of(catalogue[j].rhs, "v");
        struct sw_equation *equation = read(&text);
        unsigned by_run = 0, implicit = 0;
        double bits[2][MOST_POINTS], a[2][SW_EQUATION_ORDERS] = {{0}};
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            by_run |= (unsigned)(equation->row[0].taken[order] == SW_TAKEN_BY_RUN) << order;
        do {
            enum sw_taken known[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS] = {{0}};
            for (int order = 0; order < SW_EQUATION_ORDERS; order++)
                known[0][order] = by_run >> order & 1
                                      ? implicit >> order & 1 ? SW_TAKEN_IMPLICITLY : SW_TAKEN_EXPLICITLY
                                      : equation->row[0].taken[order];
            for (int way = 0; way < 2; way++) {
                struct sw_equation_parts parts =
                    split(equation, way ? (const enum sw_taken (*)[SW_EQUATION_ORDERS])known : NULL);
                total(equation, &parts, implicit, a, &line, bits[way]);
                sw_equation_free_parts(&parts);
            }
            for (int i = 0; i < line.n; i++)
                if (bits[0][i] != bits[1][i])
                    fail_msg("%s, implicit %u: %a, known %a", text.rhs[0], implicit, bits[0][i], bits[1][i]);
            implicit = (implicit - by_run) & by_run;
        } while (implicit);
        sw_equation_destroy(&equation);
    }
}

/* ------------------------------------------------------------------ what is linear */

static void linear_terms_are_found_however_written(void **state)
{
    (void)state;
    static const struct { const char *rhs, *coefficient[SW_EQUATION_ORDERS]; } linear[] = {
        {"2*u/L", {"2/L"}}, {"(a + b)*u", {"a + b"}}, {"u*(1 - v)", {NULL}}, {"u*(1 - a)", {"1 - a"}},
        {"x*u + t*u + sin(t)*dxx(u)", {NULL}}, {"-(-(u))", {"1"}}, {"u - u", {NULL}}, {"2*u - 3*u", {"-1"}},
        {"u^1", {"1"}}, {"u*v/v", {NULL}}, {"a > 0 ? u : 2*u", {"a > 0 ? 1 : 2"}}, {"u*dx(D) + dx(t)", {NULL}},
        {"dx(u)*D/2", {NULL, "D/2"}}, {"dx(dx(u))", {NULL, NULL, "1"}}, {"dx(a*dxx(u) - u)", {NULL, "-1", NULL, "a"}},
        {"dxx(dxx(u) + 2*u) + u", {"1", NULL, "2", NULL, "1"}}, {"u*dx(u)", {NULL}}, {"dx(u*1)*(2*a)", {NULL, "2*a"}},
        {"(u + v)*(a + b)", {"a + b"}}, {"a*(b*(c*u))", {"a*(b*c)"}}, {"u/0 + 1", {"1/0"}}, {"floor(u)", {NULL}},
        {"max(u, 2*u)", {NULL}}, {"dxx(v) + v", {NULL}}, {"randn(1)*u", {NULL}}, {"dx(x*u)", {NULL}},
    };
    for (size_t j = 0; j < sizeof linear / sizeof *linear; j++) {
        const struct sw_equation_text text = text_of(linear[j].rhs, "0");
        struct sw_equation *equation = read(&text);
        for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
            const char *expected = linear[j].coefficient[order];
            assert_tree("a coefficient", linear[j].rhs, equation->row[0].linear[order], expected ? expected : "");
        }
        sw_equation_destroy(&equation);
    }
}

/* What an order is by its literal sign, and what it is in a run. */
static void what_damps_is_implicit(void **state)
{
    (void)state;
    static const enum sw_taken E = SW_TAKEN_EXPLICITLY, I = SW_TAKEN_IMPLICITLY, R = SW_TAKEN_BY_RUN;
    const struct { const char *rhs; enum sw_taken taken[SW_EQUATION_ORDERS]; } terms[] = {
        {"u + dx(u) + dxx(u) + dxxx(u) + dxxxx(u)", {E, I, I, I, E}},
        {"-u - dx(u) - dxx(u) - dxxx(u) - dxxxx(u)", {I, I, E, I, I}},
        {"D*(u + dx(u) + dxx(u) + dxxx(u) + dxxxx(u))", {R, I, R, I, R}},
        {"dxx(3*u) - 2*dxx(u)", {E, E, I, E, E}}, {"-sqrt(2)*u", {I, E, E, E, E}}, {"u*(0/0)", {E, E, E, E, E}},
    };
    for (size_t j = 0; j < sizeof terms / sizeof *terms; j++) {
        const struct sw_equation_text text = text_of(terms[j].rhs, NULL);
        struct sw_equation *equation = read(&text);
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            if (equation->row[0].taken[order] != terms[j].taken[order])
                fail_msg("'%s', order %d: %d", terms[j].rhs, order, equation->row[0].taken[order]);
        sw_equation_destroy(&equation);
    }
    const struct sw_equation_text text = text_of("D*(u + dx(u) + dxx(u) + dxxx(u) + dxxxx(u))", "v");
    struct sw_equation *equation = read(&text);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
        const bool odd = order % 2, plus = order == 2;
        assert_int_equal(sw_equation_take(equation, 0, order, 2), odd || plus ? I : E);
        assert_int_equal(sw_equation_take(equation, 0, order, -2), odd || !plus ? I : E);
        assert_int_equal(sw_equation_take(equation, 0, order, NAN), E);
        assert_int_equal(sw_equation_take(equation, 0, order, -INFINITY), E);
        assert_int_equal(sw_equation_take(equation, 1, order, -2), order == 0 ? I : E);
    }
    const double a[2][SW_EQUATION_ORDERS] = {{-1, 1, -1, 1, -1}, {1, 0, 0, 0, 0}};
    double number[SW_GRID_NUMBERS + 2 * SW_EQUATION_ORDERS + SW_EQUATION_ENDS];
    assert_int_equal(sw_equation_numbers(equation), SW_GRID_NUMBERS + 2 * SW_EQUATION_ORDERS + SW_EQUATION_ENDS);
    sw_equation_number_values(equation, a, 0.5, NULL, number);
    static const double expected[] = {0.5, 2, 1, 4, 8, 4, 16, 32, 16, 64, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1,
                                      -INFINITY, INFINITY};
    for (int k = 0; k < sw_equation_numbers(equation); k++) assert_true(number[k] == expected[k]);
    sw_equation_destroy(&equation);
}

/* `implicit` is taken whole, and taken away from the right-hand side. */
static void an_implicit_of_the_users_is_taken_away_again(void **state)
{
    (void)state;
    static struct line line;
    struct sw_equation_text text = text_of("D*dxx(u^3 - u - gamma*dxx(u))", NULL);
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS + SW_EQUATION_ENDS], with[MOST_POINTS], without[MOST_POINTS];
    double a[2][SW_EQUATION_ORDERS] = {{0}};
    const double none[2][SW_EQUATION_ORDERS] = {{0}};
    struct sw_text shown[3] = {{0}};
    text.implicit[0] = "a*dxx(u) - gamma*D*dxx(dxx(u)) + b*u";
    struct sw_equation *equation = read(&text);
    struct sw_equation_parts parts = split(equation, NULL);
    assert_tree("G", text.implicit[0], parts.g[0], "D*(u^3 - u) - a*u");
    assert_ok(sw_equation_show(equation, 0, NULL, &shown[0], &shown[1], &shown[2]));
    assert_string_equal(sw_text_get(&shown[0]), "-gamma*D*dxxxx(u) + a*dxx(u) + b*u");
    assert_string_equal(sw_text_get(&shown[1]), "");
    assert_contains(sw_text_get(&shown[2]), "dxx(D*(u^3 - u) - a*u)");
    for (int k = 0; k < 3; k++) sw_text_free(&shown[k]);
    fill_line(&line, 64);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
        a[0][order] = coefficient_value(equation, sw_equation_implicit(equation, 0, order));
        assert_int_equal(equation->row[0].taken[order], sw_equation_implicit(equation, 0, order)
                                                            ? SW_TAKEN_IMPLICITLY : SW_TAKEN_EXPLICITLY);
    }
    sw_equation_number_values(equation, a, line.dx, NULL, number);
    total(equation, &parts, 1 | 4 | 16, a, &line, with);
    sw_equation_free_parts(&parts);
    sw_equation_destroy(&equation);
    text.implicit[0] = "0";  /* everything explicit */
    equation = read(&text);
    parts = split(equation, NULL);
    total(equation, &parts, 0, none, &line, without);
    /* the same but for the rounding of fourth differences: 2^-53 * 16/dx^4 = 2e-11 of gamma D u */
    assert_all_near("rhs", with, without, 64, 1e-10);
    sw_equation_free_parts(&parts);
    sw_equation_destroy(&equation);
}

/* ------------------------------------------------------------------ what check warns of */

static void jumps_in_derivatives_are_told(void **state)
{
    (void)state;
    static const struct { const char *rhs; int jumps, column[3]; const char *function[3]; bool kink[3]; } texts[] = {
        {"floor(u) + abs(u) + (u > 0 ? 1 : 2)", 0, {0}, {0}, {0}},
        {"dx(floor(u)) + dxx(abs(u)*v)", 2, {20, 4}, {"abs", "floor"}, {true, false}},
        {"dx(u > 0 ? u : v)", 1, {10}, {"?"}, {false}}, {"dx(a > 0 ? u : v)", 0, {0}, {0}, {0}},
        {"dx((u > v && u < 2)*u)", 1, {11}, {"&&"}, {false}}, {"dx(abs(D)*u + floor(t))", 0, {0}, {0}, {0}},
        {"dx(max(u, v) + step(x))", 2, {16, 4}, {"step", "max"}, {false, true}},
        {"dx(sign(u) + round(u) + mod(u, 2))", 3, {25, 14, 4}, {"mod", "round", "sign"}, {false, false, false}},
    };
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
        const struct sw_equation_text text = text_of("0", texts[j].rhs);
        struct sw_equation *equation = read(&text);
        if (equation->jumps != texts[j].jumps) fail_msg("'%s' has %d", texts[j].rhs, equation->jumps);
        for (int k = 0; k < equation->jumps; k++) {
            const struct sw_equation_jump *jump = &equation->jump[k];
            assert_int_equal(jump->unknown, 1);
            assert_int_equal(jump->column, texts[j].column[k]);
            assert_int_equal(jump->length, (int)strlen(texts[j].function[k]));
            assert_string_equal(jump->function, texts[j].function[k]);
            assert_int_equal(jump->kink, texts[j].kink[k]);
        }
        sw_equation_destroy(&equation);
    }
}

static void the_growth_of_the_shortest_wave_is_known(void **state)
{
    (void)state;
    static const struct { const char *rhs; double rate; int order; bool ill_posed; } texts[] = {
        {"-dxx(u)", 400, 2, true}, {"-dxx(u) + u^3", 400, 2, true}, {"dxx(u)", -400, 2, false},
        {"-dxx(u) - dxxxx(u)", 400 - 160000, 4, false}, {"dxxxx(u) + dxx(u)", 160000 - 400, 4, true},
        {"dxx(u^3 - u)", 400, 2, false}, {"-dxx(u) + u*dx(u)", 400, 2, true}, {"-dxx(u) + u*dxx(u)", 400, 2, false},
        {"-dxx(u) + dxx(v)", 400, 2, false}, {"3*u + dx(u) + dxxx(u)", 3, 0, false}, {"-dxx(u) + exp(x)", 400, 2, true},
        {"dxxxx(u) - dx(u^3*dxxx(u))", 160000, 4, false}, {"-dxx(u) + dx(u)^2", 400, 2, true},
    };
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
        const struct sw_equation_text text = text_of(texts[j].rhs, "0");
        struct sw_equation *equation = read(&text);
        double a[SW_EQUATION_ORDERS];
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            a[order] = coefficient_value(equation, equation->row[0].linear[order]);
        const struct sw_growth growth = sw_equation_growth(equation, 0, a, 0.1);
        if (growth.order != texts[j].order || growth.ill_posed != texts[j].ill_posed)
            fail_msg("'%s': order %d, ill-posed %d", texts[j].rhs, growth.order, growth.ill_posed);
        assert_near(growth.rate, texts[j].rate, 1e-9 * fabs(texts[j].rate));
        sw_equation_destroy(&equation);
    }
}

/* ------------------------------------------------------------------ long and deep texts */

static char *repeated(const char *first, const char *part, int times, const char *last)
{
    struct sw_text text = {0};
    sw_text_add(&text, first);
    for (int k = 0; k < times; k++) sw_text_add(&text, part);
    sw_text_add(&text, last);
    return sw_text_take(&text);
}

/* Texts as long and as deep as texts may be, and what becomes of them; none takes long. */
static void long_and_deep_texts_are_bounded(void **state)
{
    (void)state;
    static const struct { const char *first, *part; int times; const char *last, *refused; } texts[] = {
        {"0", "+dx(u)", 10000, "", NULL}, {"0", "-u^2", 10000, "", NULL}, {"0", "+u*dx(u)", 7000, "", NULL},
        {"dxx(0", "+u^2", 10000, ")", NULL}, {"dxxxx(0", "+u*v", 16000, ")", "more than 100000 terms"},
        {"", "sin(", 64, "u", NULL}, {"dx(u*", "sin(", 64, "dx(u)", NULL}, {"", "(", 190, "u", NULL},
        {"dxx(", "(", 190, "u^2", NULL}, {"", "-", 190, "u", NULL}, {"u", "^2^(u", 64, "", NULL},
        {"", "dx(", 64, "u", "up to the fourth"}, {"", "dx(u*", 5, "u", "order 5"}, {"", "u*(u+", 64, "u", NULL},
        {"dx(", "u*(u+", 64, "dx(u)*u", NULL}, {"", "(a+b)*", 10000, "u", NULL}, {"", "a*(", 150, "dx(u)", NULL},
        {"", "u?u:", 150, "u", NULL},
    };
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
        struct sw_text closing = {0};
        int open = 0;
        char *begin = repeated(texts[j].first, texts[j].part, texts[j].times, texts[j].last);
        for (const char *s = begin; *s; s++) open += (*s == '(') - (*s == ')');
        sw_text_add(&closing, begin);
        while (open-- > 0) sw_text_add(&closing, ")");
        const struct sw_equation_text text = text_of(sw_text_get(&closing), "0");
        struct sw_equation *equation;
        struct sw_equation_error err;
        const enum sw_status st = sw_equation_create(&text, &equation, &err);
        if (texts[j].refused) {
            if (st != SW_E_CONFIG) fail_msg("%.20s... is not refused", begin);
            if (!strstr(err.error.text, texts[j].refused) && !strstr(err.error.hint, texts[j].refused))
                fail_msg("%.20s...: %s; %s", begin, err.error.text, err.error.hint);
        } else {
            if (st) fail_msg("%.20s...: %s", begin, err.error.text);
            struct sw_equation_parts parts = split(equation, NULL);
            struct sw_text shown[3] = {{0}};
            assert_ok(sw_equation_show(equation, 0, NULL, &shown[0], &shown[1], &shown[2]));
            for (int k = 0; k < 3; k++) sw_text_free(&shown[k]);
            sw_equation_free_parts(&parts);
        }
        sw_equation_destroy(&equation);
        sw_text_free(&closing);
        sw_free(begin);
    }
}

/* By hand: E of dx(E), or its derivatives, where u_x = u_xxx = 0. */
static void fluxes_through_an_even_end_are_found(void **state)
{
    static const struct { const char *rhs; int column, highest; } cases[] = {
        {"dxx(u) - dx(u^2)", 10, 2}, {"dx(x*u) + dxx(u)", 1, 2}, {"dxx(u^3 - u - gamma*dxx(u))", 0, 4},
        {"-dx(u^3*dxxx(u))", 0, 4}, {"dx(x*dx(u))", 0, 2}, {"dxx(x*u)", 1, 2}, {"dx(x*dxx(x*u))", 1, 3},
        {"u*dx(u)", 3, 1}, {"dx(u)^2", 0, 1}, {"dx(u)^3", 1, 1}, {"abs(dx(u))", 0, 1}, {"x*dxx(u) + x*u", 0, 2},
        {"-6*u*dx(u) - dxxx(u)", 6, 3}, {"dx(sin(dx(u)))", 0, 2}, {"dx(u*dx(v))", 0, 2}, {"u - dx(v)", 5, 1},
        {"r*(dxx(u) - dx(u))", 13, 2}, {"exp(dx(u))", 5, 1}, {"dx(u > 0 ? dx(u) : 0*dx(u))", 1, 2}, {"x*u", 0, 0},
    };
    (void)state;
    for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
        const struct sw_equation_text text = text_of(cases[j].rhs, "0");
        struct sw_equation *equation = read(&text);
        const int column = sw_equation_open_flux(equation, 0), u = sw_equation_highest(equation, 0, 0),
                  v = sw_equation_highest(equation, 0, 1);
        if (column != cases[j].column) fail_msg("'%s' has an open flux at column %d", cases[j].rhs, column);
        if ((u > v ? u : v) != cases[j].highest) fail_msg("'%s' has derivatives %d and %d", cases[j].rhs, u, v);
        sw_equation_destroy(&equation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_becomes_its_parts),
        cmocka_unit_test(other_runs_do_not_change_the_bits_of_the_catalogue),
        cmocka_unit_test(linear_terms_are_found_however_written),
        cmocka_unit_test(what_damps_is_implicit),
        cmocka_unit_test(an_implicit_of_the_users_is_taken_away_again),
        cmocka_unit_test(jumps_in_derivatives_are_told),
        cmocka_unit_test(fluxes_through_an_even_end_are_found),
        cmocka_unit_test(the_growth_of_the_shortest_wave_is_known),
        cmocka_unit_test(long_and_deep_texts_are_bounded),
        cmocka_unit_test(every_error_names_its_place),
        cmocka_unit_test(a_name_with_another_meaning_is_no_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
