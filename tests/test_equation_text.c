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

/* ------------------------------------------------------------------ values on a periodic line */

enum { MOST_POINTS = 512 };
static const double run_value[NUMBERS] = {0.7, 0.3, 0.9, 1.1, 0.4, 0.6, 1.3, 0.8, 0.5, 1.7, -0.6, 0.2, 6.0};

struct line {                    /* u and v on a circle of length 2 pi */
    int    n;
    double dx, t;
    double x[MOST_POINTS], field[2][MOST_POINTS];
    double shifted[2][SW_NEIGHBOURS][MOST_POINTS];
    const double *in[SW_INPUTS];
};

/* Derivative `order` of u or v: a constant and two waves, small and long, so that what is made of them is smooth. */
static double field(int v, int order, double x)
{
    static const double mean[] = {0.8, 0.6}, first[] = {0.25, -0.2}, second[] = {0.04, 0.05};
    const double turn = order * M_PI / 2;
    return (order ? 0 : mean[v]) + first[v] * sin(x + v + turn) + second[v] * pow(2, order) * cos(2 * x - v + turn);
}

static void fill_line(struct line *line, int n)
{
    *line = (struct line){.n = n, .dx = 2 * M_PI / n, .t = 0.37};
    for (int i = 0; i < n; i++) {
        line->x[i] = i * line->dx;
        for (int v = 0; v < 2; v++) line->field[v][i] = field(v, 0, line->x[i]);
    }
    for (int v = 0; v < 2; v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++) {
            double *to = line->shifted[v][o + SW_REACH];
            for (int i = 0; i < n; i++) to[i] = line->field[v][(i + o + n) % n];
            line->in[sw_input_at(v, o)] = to;
        }
    line->in[SW_IN_X] = line->x;
}

static struct sw_program *compile(const struct sw_equation *equation, const struct sw_expr *expr)
{
    struct sw_symbol symbol[NUMBERS + SW_EQUATION_SYMBOLS];
    struct sw_expr_error err;
    struct sw_program *program;
    for (int k = 0; k < NUMBERS; k++) symbol[k] = (struct sw_symbol){numbers[k], SW_RATE_RUN, k};
    const int count = sw_equation_symbols(equation, NUMBERS, symbol, NUMBERS);
    assert_true(count <= NUMBERS + SW_EQUATION_SYMBOLS);
    if (sw_program_compile(expr, &(struct sw_scope){symbol, count, true, 1}, &program, &err))
        fail_msg("column %d: %s", err.column, err.text);
    return program;
}

/* @param number  the equation's own numbers of the run */
static void evaluate(const struct sw_equation *equation, const struct sw_expr *expr, const double *number,
                     const struct line *line, double *out)
{
    double param[NUMBERS + SW_GRID_NUMBERS + SW_EQUATION_ORDERS * SW_UNKNOWNS_MOST];
    struct sw_eval *eval;
    memset(out, 0, (size_t)line->n * sizeof *out);
    if (!expr) return;
    struct sw_program *program = compile(equation, expr);
    memcpy(param, run_value, sizeof run_value);
    memcpy(param + NUMBERS, number, (size_t)sw_equation_numbers(equation) * sizeof *number);
    assert_ok(sw_eval_create(program, line->n, &eval));
    sw_eval_by_scalars(eval);
    sw_eval_run(eval, param, 1);
    sw_eval_cells(eval, line->n, line->in);
    sw_eval_step(eval, line->t, 3);
    sw_eval_points(eval, line->n, line->in, out);
    sw_eval_destroy(&eval);
    sw_program_destroy(&program);
}

static double coefficient_value(const struct sw_equation *equation, const struct sw_expr *expr)
{
    double value = 0;
    if (!expr) return 0;
    struct sw_program *program = compile(equation, expr);
    assert_int_equal(sw_program_rate(program), SW_RATE_RUN);
    assert_ok(sw_program_over_runs(program, 1, run_value, 1, &value));
    sw_program_destroy(&program);
    return value;
}

/* Second-order differences of numerics.md, 13, in their textbook form. */
static double difference(const double *u, int n, int i, int order, double dx)
{
    static const double weight[SW_EQUATION_ORDERS][5] = {
        {0, 0, 1, 0, 0}, {0, -0.5, 0, 0.5, 0}, {0, 1, -2, 1, 0}, {-0.5, 1, 0, -1, 0.5}, {1, -4, 6, -4, 1}};
    double sum = 0;
    for (int o = -2; o <= 2; o++) sum += weight[order][o + 2] * u[(i + o + n) % n];
    return sum / pow(dx, order);
}

/* Implicit terms of the orders in `implicit` (bits), the second difference of G, and N. */
static void total(const struct sw_equation *equation, const struct sw_equation_parts *parts, unsigned implicit,
                  const double a[2][SW_EQUATION_ORDERS], const struct line *line, double *out)
{
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS * SW_UNKNOWNS_MOST], g[MOST_POINTS], n[MOST_POINTS];
    sw_equation_number_values(equation, a, line->dx, number);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++)
        if (equation->row[0].taken[order] == SW_TAKEN_BY_RUN)
            number[SW_GRID_NUMBERS + order] = !(implicit >> order & 1);
    evaluate(equation, parts->g[0], number, line, g);
    evaluate(equation, parts->n[0], number, line, n);
    for (int i = 0; i < line->n; i++) {
        out[i] = n[i] + difference(g, line->n, i, 2, line->dx);
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            if (implicit >> order & 1) out[i] += a[0][order] * difference(line->field[0], line->n, i, order, line->dx);
    }
}

/* ------------------------------------------------------------------ random right-hand sides */

/* A second, independent meaning: Taylor coefficients in x, f(x + h) = sum c[k] h^k, which a derivative shifts. */
enum { JET = 5, WAYS = 400 };
struct jet { double c[JET]; };

enum kind { K_NUMBER, K_RUN, K_U, K_V, K_WAVE, K_TIME, K_ADD, K_SUB, K_NEG, K_MUL, K_OVER, K_SQUARE, K_CUBE, K_SIN,
            K_EXP, K_D };
struct way { enum kind kind; int a, b, order; double value; };
struct ways { struct way way[WAYS]; int count; uint64_t random; };

static int random_below(struct ways *w, int n)
{
    return (int)(0.5 * (1 + test_random(&w->random)) * 0.999999 * n);
}

static int add_way(struct ways *w, struct way way)
{
    assert_true(w->count < WAYS);
    w->way[w->count] = way;
    return w->count++;
}

/* @param order  highest order that derivatives in it may come to */
static int random_way(struct ways *w, int depth, int order)
{
    static const enum kind leaf[] = {K_NUMBER, K_RUN, K_U, K_U, K_U, K_V, K_WAVE, K_TIME};
    static const enum kind node[] = {K_ADD, K_SUB, K_ADD, K_SUB, K_NEG, K_MUL, K_MUL, K_MUL, K_OVER, K_SQUARE, K_CUBE,
                                     K_SIN, K_EXP, K_D, K_D, K_D, K_D, K_D};
    struct way way = {.kind = leaf[random_below(w, 8)], .value = 0.25 * (1 + random_below(w, 7))};
    if (way.kind == K_RUN) way.order = random_below(w, NUMBERS);
    if (depth == 0 || w->count > WAYS - 100) return add_way(w, way);
    way.kind = node[random_below(w, order > 0 ? 18 : 13)];
    if (way.kind == K_D) way.order = 1 + random_below(w, order);
    way.a = random_way(w, depth - 1, order - (way.kind == K_D ? way.order : 0));
    if (way.kind == K_ADD || way.kind == K_SUB || way.kind == K_MUL) way.b = random_way(w, depth - 1, order);
    if (way.kind == K_OVER) way.b = random_way(w, 0, 0);
    return add_way(w, way);
}

/* The sum of a few terms c*d^m(u), c*d^m(u - something), c*something: what equations look like. */
static int random_sum(struct ways *w)
{
    int sum = -1;
    for (int j = 2 + random_below(w, 3); j > 0; j--) {
        const int order = random_below(w, 5), form = random_below(w, 3);
        int term = form == 2 ? -1 : add_way(w, (struct way){.kind = K_U});
        if (form == 1) term = add_way(w, (struct way){.kind = K_SUB, .a = term, .b = random_way(w, 2, 4 - order)});
        if (form == 2) term = random_way(w, 3, 4 - order);
        if (order) term = add_way(w, (struct way){.kind = K_D, .a = term, .order = order});
        const int c = add_way(w, (struct way){.kind = random_below(w, 2) ? K_NUMBER : K_RUN, .value = 1.5,
                                              .order = random_below(w, NUMBERS)});
        term = add_way(w, (struct way){.kind = K_MUL, .a = c, .b = term});
        const enum kind join = random_below(w, 2) ? K_ADD : K_SUB;
        sum = sum < 0 ? term : add_way(w, (struct way){.kind = join, .a = sum, .b = term});
    }
    return sum;
}

static void write_way(const struct ways *w, int k, struct sw_text *text)
{
    static const char *const around[][3] = {
        [K_ADD] = {"(", " + ", ")"}, [K_SUB] = {"(", " - ", ")"}, [K_NEG] = {"(-", ")", ""}, [K_MUL] = {"", "*", ""},
        [K_OVER] = {"", "/(3 + ", "^2)"}, [K_SQUARE] = {"(", ")^2", ""}, [K_CUBE] = {"(", ")^3", ""},
        [K_SIN] = {"sin(0.3*(", "))", ""}, [K_EXP] = {"exp(0.2*sin(", "))", ""}};
    const struct way *way = &w->way[k];
    switch (way->kind) {
    case K_NUMBER: sw_text_printf(text, "%g", way->value); return;
    case K_RUN: sw_text_add(text, numbers[way->order]); return;
    case K_U: sw_text_add(text, "u"); return;
    case K_V: sw_text_add(text, "v"); return;
    case K_WAVE: sw_text_add(text, "cos(x)"); return;
    case K_TIME: sw_text_add(text, "t"); return;
    case K_D:
        sw_text_printf(text, "d%.*s(", way->order, "xxxx");
        write_way(w, way->a, text);
        sw_text_add(text, ")");
        return;
    default: break;
    }
    /* a factor that is a product, a minus or a quotient needs no parentheses on the left; sums bring their own */
    sw_text_add(text, around[way->kind][0]);
    write_way(w, way->a, text);
    sw_text_add(text, around[way->kind][1]);
    if (way->kind == K_ADD || way->kind == K_SUB || way->kind == K_MUL || way->kind == K_OVER) {
        const bool enclose = way->kind == K_MUL;
        sw_text_add(text, enclose ? "(" : "");
        write_way(w, way->b, text);
        sw_text_add(text, enclose ? ")" : "");
    }
    sw_text_add(text, around[way->kind][2]);
}

static struct jet jet_sum(struct jet a, double factor, struct jet b)
{
    for (int k = 0; k < JET; k++) a.c[k] += factor * b.c[k];
    return a;
}

static struct jet jet_times(struct jet a, struct jet b)
{
    struct jet p = {{0}};
    for (int k = 0; k < JET; k++)
        for (int j = 0; j <= k; j++) p.c[k] += a.c[j] * b.c[k - j];
    return p;
}

static struct jet jet_over(struct jet a, struct jet b)
{
    struct jet q = {{0}};
    for (int k = 0; k < JET; k++) {
        q.c[k] = a.c[k];
        for (int j = 0; j < k; j++) q.c[k] -= q.c[j] * b.c[k - j];
        q.c[k] /= b.c[0];
    }
    return q;
}

/* f(a) from the derivatives of f at a.c[0]. */
static struct jet jet_of(struct jet a, const double derivative[JET])
{
    struct jet sum = {{0}}, power = {{1}};
    double factorial = 1;
    a.c[0] = 0;
    for (int k = 0; k < JET; k++) {
        sum = jet_sum(sum, derivative[k] / factorial, power);
        power = jet_times(power, a);
        factorial *= k + 1;
    }
    return sum;
}

static struct jet jet_sin(struct jet a)
{
    double d[JET];
    for (int k = 0; k < JET; k++) d[k] = sin(a.c[0] + k * M_PI / 2);
    return jet_of(a, d);
}

static struct jet jet_exp(struct jet a)
{
    double d[JET];
    for (int k = 0; k < JET; k++) d[k] = exp(a.c[0]);
    return jet_of(a, d);
}

static struct jet jet_field(int v, double x)
{
    struct jet f;
    double factorial = 1;
    for (int k = 0; k < JET; factorial *= ++k) f.c[k] = field(v, k, x) / factorial;
    return f;
}

/* What is behind the coefficients lost by derivatives is not used: they stay within JET - 1. */
static struct jet jet_derivative(struct jet a, int order)
{
    for (; order > 0; order--) {
        for (int k = 0; k + 1 < JET; k++) a.c[k] = (k + 1) * a.c[k + 1];
        a.c[JET - 1] = 0;
    }
    return a;
}

static struct jet jet_way(const struct ways *w, int k, double x, double t)
{
    const struct way *way = &w->way[k];
    struct jet a = {{0}}, b = {{0}};
    if (way->kind >= K_ADD) a = jet_way(w, way->a, x, t);
    if (way->kind == K_ADD || way->kind == K_SUB || way->kind == K_MUL || way->kind == K_OVER)
        b = jet_way(w, way->b, x, t);
    switch (way->kind) {
    case K_NUMBER: return (struct jet){{way->value}};
    case K_RUN: return (struct jet){{run_value[way->order]}};
    case K_U: return jet_field(0, x);
    case K_V: return jet_field(1, x);
    case K_WAVE: return (struct jet){{cos(x), -sin(x), -cos(x) / 2, sin(x) / 6, cos(x) / 24}};
    case K_TIME: return (struct jet){{t}};
    case K_ADD: return jet_sum(a, 1, b);
    case K_SUB: return jet_sum(a, -1, b);
    case K_NEG: return jet_sum((struct jet){{0}}, -1, a);
    case K_MUL: return jet_times(a, b);
    case K_OVER: return jet_over(a, jet_sum((struct jet){{3}}, 1, jet_times(b, b)));
    case K_SQUARE: return jet_times(a, a);
    case K_CUBE: return jet_times(a, jet_times(a, a));
    case K_SIN: return jet_sin(jet_sum((struct jet){{0}}, 0.3, a));
    case K_EXP: return jet_exp(jet_sum((struct jet){{0}}, 0.2, jet_sin(a)));
    case K_D: return jet_derivative(a, way->order);
    }
    return a;
}

/* Largest error of the parts on n points, and the size of the right-hand side. */
static double error_of(const struct ways *w, int root, const struct sw_equation *equation,
                       const struct sw_equation_parts *parts, unsigned implicit, int n, double *size)
{
    static struct line line;
    double out[MOST_POINTS], a[2][SW_EQUATION_ORDERS], worst = 0;
    fill_line(&line, n);
    for (int v = 0; v < 2; v++)
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            a[v][order] = coefficient_value(equation, sw_equation_implicit(equation, v, order));
    total(equation, parts, implicit, a, &line, out);
    *size = 0;
    for (int i = 0; i < n; i++) {
        const double exact = jet_way(w, root, line.x[i], line.t).c[0];
        *size = fmax(*size, fabs(exact));
        worst = fmax(worst, isnan(out[i]) ? INFINITY : fabs(out[i] - exact));
    }
    return worst;
}

/* The same numbers where the caller knows how each order is taken, and no number of the run has to say so. */
static void check_known(const char *text, const struct sw_equation *equation, const struct sw_equation_parts *by_run,
                        unsigned implicit)
{
    static struct line line;
    enum sw_taken known[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS] = {{0}};
    double a[2][SW_EQUATION_ORDERS] = {{0}}, with[MOST_POINTS], without[MOST_POINTS], size = 0;
    fill_line(&line, 64);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
        known[0][order] = implicit >> order & 1 ? SW_TAKEN_IMPLICITLY : SW_TAKEN_EXPLICITLY;
        a[0][order] = coefficient_value(equation, sw_equation_implicit(equation, 0, order));
    }
    struct sw_equation_parts parts = split(equation, (const enum sw_taken (*)[SW_EQUATION_ORDERS])known);
    total(equation, by_run, implicit, a, &line, with);
    total(equation, &parts, implicit, a, &line, without);
    for (int i = 0; i < line.n; i++) size = fmax(size, fabs(with[i]));
    for (int i = 0; i < line.n; i++)  /* rounding: 2^-53 * 16/dx^4 = 2e-11 of what a fourth difference is of */
        if (!(fabs(with[i] - without[i]) <= 1e-9 * (1 + size)))
            fail_msg("%s, implicit %u: %.17g, known %.17g", text, implicit, with[i], without[i]);
    sw_equation_free_parts(&parts);
}

/* Every way in which the orders that depend on the run may be taken. */
static int check_order(const struct ways *w, int root, const char *text, const struct sw_equation *equation)
{
    const struct sw_equation_row *row = &equation->row[0];
    struct sw_equation_parts parts = split(equation, NULL);
    unsigned always = 0, by_run = 0, chosen = 0;
    int checked = 0;
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
        always |= (unsigned)(row->taken[order] == SW_TAKEN_IMPLICITLY) << order;
        by_run |= (unsigned)(row->taken[order] == SW_TAKEN_BY_RUN) << order;
    }
    do {
        double size;
        const double coarse = error_of(w, root, equation, &parts, always | chosen, MOST_POINTS / 2, &size);
        const double fine = error_of(w, root, equation, &parts, always | chosen, MOST_POINTS, &size);
        /* rounding of a fourth difference: some 2^-53 * 16/dx^4 = 8e-8 of what it is of; what is no smaller than ten
         * times that has the order of the method but for dx² of the shortest wave */
        const bool exact = fine < 1e-6 * (1 + size);
        if (!exact && !(fabs(log2(coarse / fine) - 2) < 0.15))
            fail_msg("%s, implicit %u: errors %g, %g of %g: order %.3f", text, always | chosen, coarse, fine, size,
                     log2(coarse / fine));
        checked += !exact;
        if (by_run) check_known(text, equation, &parts, always | chosen);
        chosen = (chosen - by_run) & by_run;
    } while (chosen);
    sw_equation_free_parts(&parts);
    return checked;
}

static void random_texts_converge_with_order_two(void **state)
{
    (void)state;
    static struct ways w;
    int converged = 0, linear[SW_EQUATION_ORDERS] = {0}, with_g = 0;
    w.random = 19;
    for (int j = 0; j < (small_suite() ? 100 : 1500); j++) {
        struct sw_text text = {0};
        w.count = 0;
        const int root = j % 2 ? random_way(&w, 5, 4) : random_sum(&w);
        write_way(&w, root, &text);
        const struct sw_equation_text texts = text_of(sw_text_get(&text), "v");
        struct sw_equation *equation = read(&texts);
        converged += check_order(&w, root, sw_text_get(&text), equation);
        for (int order = 0; order < SW_EQUATION_ORDERS; order++)
            linear[order] += equation->row[0].linear[order] != NULL;
        struct sw_equation_parts parts = split(equation, NULL);
        with_g += parts.g[0] != NULL;
        sw_equation_free_parts(&parts);
        sw_equation_destroy(&equation);
        sw_text_free(&text);
    }
    /* the test would be empty if most were exact, or had nothing linear */
    const int least = small_suite() ? 5 : 200;
    assert_true(converged > 4 * least && with_g > least);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) assert_true(linear[order] > least);
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

/* The numbers of a run do not depend on how its terms are taken, but for rounding: neither on what is implicit in it,
 * nor on whether other runs take it otherwise. */
static void whatever_is_implicit_the_sum_is_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "dx(u^3 + D*dxx(dx(u)))", "dxxx(u*v - D*dx(u)) + r*u", "(a > 0 ? u : 2*u + v) - D*dxx(b > 0 ? v : 3*u)",
        "D*dxx(u^3 - u - gamma*dxx(u)) + r*dx(u) - F*dxxx(u)", "r*(a*u - dxx(D*u/2 - dxx(u)*gamma)) + dx(u*dx(u))",
    };
    static struct line line;
    fill_line(&line, 64);
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
        const struct sw_equation_text text = text_of(texts[j], "0");
        struct sw_equation *equation = read(&text);
        enum sw_taken taken[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS] = {{0}};
        double a[2][SW_EQUATION_ORDERS], expected[MOST_POINTS], got[MOST_POINTS];
        unsigned linear = 0, implicit = 0;
        for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
            a[0][order] = coefficient_value(equation, sw_equation_implicit(equation, 0, order));
            linear |= (unsigned)(equation->row[0].linear[order] != NULL) << order;
        }
        assert_true(linear);
        do {  /* by numbers of the run, then known */
            for (int way = 0; way < 2; way++) {
                for (int order = 0; order < SW_EQUATION_ORDERS; order++) {
                    taken[0][order] = implicit >> order & 1 ? SW_TAKEN_IMPLICITLY : SW_TAKEN_EXPLICITLY;
                    if (way == 0 && order % 2 == 0 && linear >> order & 1) taken[0][order] = SW_TAKEN_BY_RUN;
                }
                struct sw_equation_parts parts =
                    split(equation, (const enum sw_taken (*)[SW_EQUATION_ORDERS])taken);
                total(equation, &parts, implicit, a, &line, implicit || way ? got : expected);
                /* 2^-53 * 16/dx^4 = 2e-11 of u, times coefficients that come to 2 */
                if (implicit || way) assert_all_near(texts[j], got, expected, (size_t)line.n, 1e-9);
                sw_equation_free_parts(&parts);
            }
            implicit = (implicit - linear) & linear;
        } while (implicit);
        sw_equation_destroy(&equation);
    }
}

/* Any expression with derivatives of fields, as scalars have them. */
static void derivatives_become_differences(void **state)
{
    (void)state;
    static const struct { const char *text, *differences; int reach; } cases[] = {
        {"u", "u", 0}, {"dx(u)^2/2", "0.5*([1/(2dx)]*(u[+1] - u[-1]))^2", 1}, {"D*x - t", "D*x - t", 0},
        {"dx(v^2 + D)", "[1/(2dx)]*(v[+1]^2 - v[-1]^2)", 1}, {"dx(D)*u + dxx(t)", "0*u + 0", 0},
        {"dx(x*u)", "[1/(2dx)]*((x + [dx])*u[+1] - (x - [dx])*u[-1])", 1},
        {"dx(x*dx(u))", "[1/dx]*[1/dx]*((x + 0.5*[dx])*(u[+1] - u) - (x - 0.5*[dx])*(u - u[-1]))", 1},
        {"dxxx(u)", "[1/(2dx^3)]*(u[+2] - u[-2] - 2*(u[+1] - u[-1]))", 2},
        {"dx(u^2 + dx(u))", "[1/(2dx)]*(u[+1]^2 - u[-1]^2) + [1/dx^2]*(u[+1] + u[-1] - 2*u)", 1},
        {"dx(u^2) + dx(v*dx(u))", "[1/(2dx)]*(u[+1]^2 - u[-1]^2) + 0.5*[1/dx]*[1/dx]*((v + v[+1])*(u[+1] - u) - "
         "(v[-1] + v)*(u - u[-1]))", 1},
        {"u*dx(a*(b*u/c))", "a*(b/c)*[1/(2dx)]*(u*(u[+1] - u[-1]))", 1},
        {"dx(u) + dx(v)", "[1/(2dx)]*(u[+1] + v[+1] - (u[-1] + v[-1]))", 1},
        {"u*(dx(u) + dx(v))", "[1/(2dx)]*(u*(u[+1] - u[-1] + (v[+1] - v[-1])))", 1},
    };
    static const char *const unknown[] = {"u", "v"};
    for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
        struct sw_expr *expr, *differences;
        struct sw_expr_error err;
        int reach = -1;
        assert_ok(sw_expr_parse(cases[j].text, &expr, &err));
        assert_ok(sw_expr_differences(expr, unknown, 2, &reach, &differences, &err));
        assert_tree("the difference", cases[j].text, differences, cases[j].differences);
        if (reach != cases[j].reach) fail_msg("'%s' reaches %d", cases[j].text, reach);
        sw_expr_destroy(&expr);
        sw_expr_destroy(&differences);
    }
}

/* ------------------------------------------------------------------ what must hold to the last bit, or to rounding */

/* dx() to dxxxx() of anything periodic adds up to nothing over the circle. */
static void derivatives_of_fluxes_add_up_to_nothing(void **state)
{
    (void)state;
    static const struct { const char *rhs; int order; } texts[] = {
        {"-dx(u^3*dxxx(u))", 4}, {"dx(v*dx(u))", 2}, {"dx(u^2/2)", 1}, {"dx(u*v)", 1}, {"dx(dx(u)^3)", 2},
        {"dx(u*dx(u*dx(u*dx(u))))", 4}, {"dxx(u*dx(u))", 3}, {"dxx(v*dxx(u))", 4}, {"dxxx(u*dx(v))", 4},
        {"dxxx(u^2)", 3}, {"dxxxx(sin(u))", 4}, {"dx(cos(x)*dx(u))", 2}, {"dx(u*dxx(v))", 3},
        {"dx(u*dxx(v*dx(u)))", 4}, {"D*dx(u/(3 + v^2)*dx(u - v)) - dxx(exp(u)*v)", 2},
    };
    static struct line line;
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS * SW_UNKNOWNS_MOST], out[MOST_POINTS];
    fill_line(&line, 64);
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
        const struct sw_equation_text text = text_of(texts[j].rhs, "0");
        const double none[2][SW_EQUATION_ORDERS] = {{0}};
        struct sw_equation *equation = read(&text);
        struct sw_equation_parts parts = split(equation, NULL);
        double sum = 0, size = 0;
        assert_null(parts.g[0]);
        sw_equation_number_values(equation, none, line.dx, number);
        evaluate(equation, parts.n[0], number, &line, out);
        for (int i = 0; i < line.n; i++) sum += out[i], size += fabs(out[i]);
        /* sums of up to 2^order numbers below 1, each rounded, over dx^order, at n points: the exact sum is 0, as the
         * flux between two points is the same from both sides */
        const double rounding = 0x1p-52 * line.n * pow(2 / line.dx, texts[j].order);
        assert_true(size > 1e6 * rounding);
        if (!(fabs(sum) <= rounding)) fail_msg("%s: the sum is %g of %g", texts[j].rhs, sum, size);
        sw_equation_free_parts(&parts);
        sw_equation_destroy(&equation);
    }
}

/* G of the text of cahn_hilliard has the bits of the G that is built in, whichever way its linear part is taken. */
static void g_has_the_bits_of_the_built_in(void **state)
{
    (void)state;
    static struct line line;
    const struct sw_equation_text text = text_of("D*dxx(u^3 - u - gamma*dxx(u))", NULL);
    const enum sw_taken known[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS] = {
        {SW_TAKEN_EXPLICITLY, SW_TAKEN_EXPLICITLY, SW_TAKEN_EXPLICITLY, SW_TAKEN_EXPLICITLY, SW_TAKEN_IMPLICITLY}};
    struct sw_equation *equation = read(&text);
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS], expected[MOST_POINTS], got[MOST_POINTS];
    double a[2][SW_EQUATION_ORDERS] = {{0}};
    struct sw_expr *built_in;
    struct sw_expr_error err;
    fill_line(&line, MOST_POINTS);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++)
        a[0][order] = coefficient_value(equation, sw_equation_implicit(equation, 0, order));
    assert_true(a[0][4] == -(run_value[1] * run_value[0]));  /* the bits of -gamma*D */
    assert_true(a[0][2] == -run_value[0]);
    sw_equation_number_values(equation, a, line.dx, number);
    assert_true(number[SW_GRID_NUMBERS + 2] == 1 && number[SW_GRID_NUMBERS + 4] == 0);
    assert_ok(sw_expr_parse("D*(u^3 - u)", &built_in, &err));
    evaluate(equation, built_in, number, &line, expected);
    for (int way = 0; way < 2; way++) {
        struct sw_equation_parts parts = split(equation, way ? known : NULL);
        if (way) assert_null(parts.n[0]);
        evaluate(equation, parts.g[0], number, &line, got);
        assert_memory_equal(got, expected, sizeof got);
        evaluate(equation, parts.n[0], number, &line, got);
        for (int i = 0; i < line.n; i++) assert_true(got[i] == 0);
        sw_equation_free_parts(&parts);
    }
    sw_expr_destroy(&built_in);
    sw_equation_destroy(&equation);
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
    double number[SW_GRID_NUMBERS + 2 * SW_EQUATION_ORDERS];
    assert_int_equal(sw_equation_numbers(equation), SW_GRID_NUMBERS + 2 * SW_EQUATION_ORDERS);
    sw_equation_number_values(equation, a, 0.5, number);
    static const double expected[] = {0.5, 2, 1, 4, 8, 4, 16, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1};
    for (int k = 0; k < sw_equation_numbers(equation); k++) assert_true(number[k] == expected[k]);
    sw_equation_destroy(&equation);
}

/* `implicit` is taken whole, and taken away from the right-hand side. */
static void an_implicit_of_the_users_is_taken_away_again(void **state)
{
    (void)state;
    static struct line line;
    struct sw_equation_text text = text_of("D*dxx(u^3 - u - gamma*dxx(u))", NULL);
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS], with[MOST_POINTS], without[MOST_POINTS];
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
    sw_equation_number_values(equation, a, line.dx, number);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_becomes_its_parts),
        cmocka_unit_test(random_texts_converge_with_order_two),
        cmocka_unit_test(derivatives_become_differences),
        cmocka_unit_test(other_runs_do_not_change_the_bits_of_the_catalogue),
        cmocka_unit_test(whatever_is_implicit_the_sum_is_the_same),
        cmocka_unit_test(derivatives_of_fluxes_add_up_to_nothing),
        cmocka_unit_test(g_has_the_bits_of_the_built_in),
        cmocka_unit_test(linear_terms_are_found_however_written),
        cmocka_unit_test(what_damps_is_implicit),
        cmocka_unit_test(an_implicit_of_the_users_is_taken_away_again),
        cmocka_unit_test(jumps_in_derivatives_are_told),
        cmocka_unit_test(the_growth_of_the_shortest_wave_is_known),
        cmocka_unit_test(long_and_deep_texts_are_bounded),
        cmocka_unit_test(every_error_names_its_place),
        cmocka_unit_test(a_name_with_another_meaning_is_no_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
