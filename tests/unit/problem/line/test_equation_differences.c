/* Derivatives as differences: their order, against Taylor arithmetic, and what must hold to rounding or to the bit. */
#include <stdlib.h>

#include "equation_helpers.h"

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
    const int texts_in_all = small_suite() ? 100 : long_suite() ? 1500 : 400;
    int converged = 0, linear[SW_EQUATION_ORDERS] = {0}, with_g = 0;
    w.random = 19;
    for (int j = 0; j < texts_in_all; j++) {
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
    const int least = small_suite() ? 5 : texts_in_all / 7;
    assert_true(converged > 4 * least && with_g > least);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++) assert_true(linear[order] > least);
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

/* @return how far it reaches */
static int expect_difference(const char *text, const unsigned *closed, const char *expected)
{
    static const char *const unknown[] = {"u", "v"};
    struct sw_expr *expr, *differences;
    struct sw_expr_error err;
    int reach = -1;
    assert_ok(sw_expr_parse(text, &expr, &err));
    assert_ok(sw_expr_differences(expr, unknown, 2, 2, closed, &reach, &differences, &err));
    assert_tree("the difference", text, differences, expected);
    sw_expr_destroy(&expr);
    sw_expr_destroy(&differences);
    return reach;
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
    for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
        const int reach = expect_difference(cases[j].text, NULL, cases[j].differences);
        if (reach != cases[j].reach) fail_msg("'%s' reaches %d", cases[j].text, reach);
    }
}

/* x of odd fluxes alone is mirrored, at the ends that are closed for all that is in them: here the left one for u, both
 * for v. */
static void x_is_mirrored_at_closed_ends(void **state)
{
    (void)state;
    const unsigned closed[2] = {3, 2}, both[2] = {3, 3};
    expect_difference("dx(x*dx(u))", closed, "[1/dx]*[1/dx]*((x + 0.5*[dx])*(u[+1] - u) - max(x - 0.5*[dx], [2left] - "
                      "(x - 0.5*[dx]))*(u - u[-1]))");
    expect_difference("dx(x*dx(v))", closed, "[1/dx]*[1/dx]*(min(x + 0.5*[dx], [2right] - (x + 0.5*[dx]))*(v[+1] - v) "
                      "- max(x - 0.5*[dx], [2left] - (x - 0.5*[dx]))*(v - v[-1]))");
    static const char *const not[] = {"dx(x*u)", "dxx(x*u)", "dx(u*dx(x*u))", "u*dx(x*dx(u))", "dx(x*dx(u)^2)",
                                      "dx(x*(u + dx(u)))", "dxx(x*dx(u))"};
    static const char *const unknown[] = {"u", "v"};
    for (size_t j = 0; j < sizeof not / sizeof *not; j++) {
        struct sw_text plain = {0};
        struct sw_expr *expr, *differences;
        struct sw_expr_error err;
        int reach;
        assert_ok(sw_expr_parse(not[j], &expr, &err));
        assert_ok(sw_expr_differences(expr, unknown, 2, 2, NULL, &reach, &differences, &err));
        sw_expr_print(differences, &plain);
        expect_difference(not[j], both, sw_text_get(&plain));
        sw_text_free(&plain);
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
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS * SW_UNKNOWNS_MOST + SW_EQUATION_ENDS], out[MOST_POINTS];
    fill_line(&line, 64);
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
        const struct sw_equation_text text = text_of(texts[j].rhs, "0");
        const double none[2][SW_EQUATION_ORDERS] = {{0}};
        struct sw_equation *equation = read(&text);
        struct sw_equation_parts parts = split(equation, NULL);
        double sum = 0, size = 0;
        assert_null(parts.g[0]);
        sw_equation_number_values(equation, none, line.dx, NULL, number);
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

/* u and v between closed ends, with slopes there at this time: points beyond are as far inside. */
static void fill_closed_line(struct line *line, int n, const double end[2])
{
    *line = (struct line){.n = n, .dx = (end[1] - end[0]) / (n - 1), .t = 0.37};
    for (int i = 0; i < n; i++) {
        line->x[i] = end[0] + i * line->dx;
        for (int v = 0; v < 2; v++) line->field[v][i] = field(v, 0, line->x[i]);
    }
    for (int v = 0; v < 2; v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++) {
            double *to = line->shifted[v][o + SW_REACH];
            for (int i = 0; i < n; i++) to[i] = line->field[v][n - 1 - abs(n - 1 - abs(i + o))];
            line->in[sw_input_at(v, o)] = to;
        }
    line->in[SW_IN_X] = line->x;
}

/* What a right-hand side that is explicit adds to the mean between closed ends, which count half, over how much it adds
 * and takes away. */
static double drift_of(struct sw_equation *equation, const struct line *line, const double end[2])
{
    static const enum sw_taken none[SW_UNKNOWNS_MOST][SW_EQUATION_ORDERS];
    static const double zero[2][SW_EQUATION_ORDERS];
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS * SW_UNKNOWNS_MOST + SW_EQUATION_ENDS];
    double n[MOST_POINTS], g[MOST_POINTS], sum = 0, size = 0;
    struct sw_equation_parts parts = split(equation, none);
    sw_equation_number_values(equation, zero, line->dx, end, number);
    evaluate(equation, parts.n[0], number, line, n);
    evaluate(equation, parts.g[0], number, line, g);
    for (int i = 0; i < line->n; i++) {
        const int last = line->n - 1;
        n[i] += (g[abs(i - 1)] - 2 * g[i] + g[last - abs(last - i - 1)]) / (line->dx * line->dx);
        sum += (i % last ? 1 : 0.5) * n[i];
        size += fabs(n[i]);
    }
    sw_equation_free_parts(&parts);
    return fabs(sum) / (1 + size);
}

/* Random sums of derivatives of which nothing is said to go through closed ends: the mean is kept to rounding. With x
 * on both sides of an end as it is, some 400 of them add up to 5e-2 of what they move. */
static void closed_ends_keep_the_mean(void **state)
{
    (void)state;
    static struct ways w;
    static struct line line;
    const double end[2] = {0.3, 2.1};
    int closed = 0, with_x = 0;
    fill_closed_line(&line, 40, end);
    w.random = 7;
    for (int j = 0; j < (small_suite() ? 1000 : 10000); j++) {
        struct sw_text text = {0};
        for (int k = random_below(&w, 2); k >= 0; k--) {
            const int order = 1 + random_below(&w, 3);
            w.count = 0;
            int flux = random_way(&w, 3, order == 1 ? 2 : 4 - order);
            if (order == 1)  /* a coefficient of a gradient */
                flux = add_way(&w, (struct way){.kind = K_MUL, .a = random_way(&w, 2, 0),
                                                .b = add_way(&w, (struct way){.kind = K_D, .a = flux, .order = 1})});
            sw_text_printf(&text, "%sd%.*s(", *sw_text_get(&text) ? " - D*" : "", order, "xxxx");
            write_way(&w, flux, &text);
            sw_text_add(&text, ")");
        }
        struct sw_equation_text texts = text_of(sw_text_get(&text), "v");
        texts.closed[0] = texts.closed[1] = 3;
        struct sw_equation *equation = read(&texts);
        if (!sw_equation_open_flux(equation, 0)) {
            const double drift = drift_of(equation, &line, end);
            /* a fourth difference is rounded by 2^-53 * 16/dx^4 = 4e-10 of what it is of */
            if (!(drift < 1e-8)) fail_msg("%s adds %g of what it moves", sw_text_get(&text), drift);
            closed++;
            with_x += strstr(sw_text_get(&text), "cos(x)") != NULL;
        }
        sw_equation_destroy(&equation);
        sw_text_free(&text);
    }
    assert_true(closed > (small_suite() ? 100 : 1000) && with_x > (small_suite() ? 20 : 200));
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
    double number[SW_GRID_NUMBERS + SW_EQUATION_ORDERS + SW_EQUATION_ENDS], expected[MOST_POINTS], got[MOST_POINTS];
    double a[2][SW_EQUATION_ORDERS] = {{0}};
    struct sw_expr *built_in;
    struct sw_expr_error err;
    fill_line(&line, MOST_POINTS);
    for (int order = 0; order < SW_EQUATION_ORDERS; order++)
        a[0][order] = coefficient_value(equation, sw_equation_implicit(equation, 0, order));
    assert_true(a[0][4] == -(run_value[1] * run_value[0]));  /* the bits of -gamma*D */
    assert_true(a[0][2] == -run_value[0]);
    sw_equation_number_values(equation, a, line.dx, NULL, number);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_texts_converge_with_order_two),
        cmocka_unit_test(derivatives_become_differences),
        cmocka_unit_test(whatever_is_implicit_the_sum_is_the_same),
        cmocka_unit_test(derivatives_of_fluxes_add_up_to_nothing),
        cmocka_unit_test(x_is_mirrored_at_closed_ends),
        cmocka_unit_test(closed_ends_keep_the_mean),
        cmocka_unit_test(g_has_the_bits_of_the_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
