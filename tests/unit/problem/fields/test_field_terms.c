/* Right-hand sides in two and three dimensions: their coefficients, what stands before derivatives when the rest is
 * frozen, what their programs take in, and what is refused. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/fields/field_terms.h"

enum { NUMBERS = 4, MOST_INPUTS = 512 };
static const struct sw_symbol number[NUMBERS] = {
    {"D", SW_RATE_RUN, 0}, {"gamma", SW_RATE_RUN, 1}, {"c", SW_RATE_RUN, 2}, {"k", SW_RATE_RUN, 3}};
static const struct sw_scope run = {number, NUMBERS, false, 0};
static const double number_value[NUMBERS] = {0.7, 0.3, 0.45, 1.3}, dx[SW_DIMS] = {0.5, 0.25, 0.125};

static struct fields_text text_of(int dimensions, const char *rhs_u, const char *rhs_v)
{
    return (struct fields_text){.dimensions = dimensions, .unknowns = rhs_v ? 2 : 1, .unknown = {"u", "v"},
                                .rhs = {rhs_u, rhs_v}, .run = &run, .first_number = NUMBERS, .order = 2};
}

static struct fields_terms *terms_of(int dimensions, const char *rhs_u, const char *rhs_v)
{
    const struct fields_text text = text_of(dimensions, rhs_u, rhs_v);
    struct fields_terms *terms = NULL;
    struct fields_error err;
    if (fields_terms_create(&text, &terms, &err))
        fail_msg("'%s', column %d: %s", rhs_u, err.error.column, err.error.text);
    return terms;
}

/* A value for each unknown at each place. */
static double value_at(const struct fields_neighbour *n)
{
    uint64_t random = (uint64_t)(n->unknown + 1);
    for (int axis = 0; axis < SW_DIMS; axis++) random = 31 * random + (uint64_t)(n->offset[axis] + 7);
    return 1 + 0.5 * test_random(&random);
}

static double value_of(const struct fields_terms *terms, const struct sw_program *program)
{
    static const double x[SW_DIMS] = {0.4, -0.9, 0.2};
    double param[NUMBERS + FIELDS_NUMBERS], at[MOST_INPUTS], value = NAN;
    const double *in[MOST_INPUTS] = {[SW_IN_X] = &x[0], [SW_IN_Y] = &x[1], [SW_IN_Z] = &x[2]};
    struct sw_eval *eval;
    assert_true(terms->inputs <= MOST_INPUTS);
    for (int k = 0; k < terms->neighbours; k++) {
        at[k] = value_at(&terms->neighbour[k]);
        in[FIELDS_INPUTS + k] = &at[k];
    }
    memcpy(param, number_value, sizeof number_value);
    fields_numbers(dx, param + NUMBERS);
    assert_ok(sw_eval_create(program, 1, &eval));
    sw_eval_by_scalars(eval);
    sw_eval_run(eval, param, 1);
    sw_eval_cells(eval, 1, in);
    sw_eval_step(eval, 0.37, 0);
    sw_eval_points(eval, 1, in, &value);
    sw_eval_destroy(&eval);
    return value;
}

/* ------------------------------------------------------------------ coefficients */

/* A part of fields_row by name. */
static const struct sw_program *part_of(const struct fields_row *row, const char *name)
{
    const struct { const char *name; const struct sw_program *program; } parts[] = {
        {"a0", row->linear.a0}, {"a2x", row->linear.a2[0]}, {"a2y", row->linear.a2[1]}, {"a2z", row->linear.a2[2]},
        {"a4x", row->linear.a4[0]}, {"a4y", row->linear.a4[1]}, {"a4z", row->linear.a4[2]},
        {"A1x", row->frozen.a1[0]}, {"A1y", row->frozen.a1[1]}, {"A1z", row->frozen.a1[2]},
        {"A2x", row->frozen.a2[0]}, {"A2y", row->frozen.a2[1]}, {"A2z", row->frozen.a2[2]},
        {"A3x", row->frozen.a3[0]}, {"A3y", row->frozen.a3[1]}, {"A3z", row->frozen.a3[2]},
        {"A4x", row->frozen.a4[0]}, {"A4y", row->frozen.a4[1]}, {"A4z", row->frozen.a4[2]},
        {"Axy", row->frozen.cross[0]}, {"Axz", row->frozen.cross[1]}, {"Ayz", row->frozen.cross[2]},
        {"A2v", row->frozen.a2_of[1]},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!strcmp(parts[k].name, name)) return parts[k].program;
    fail_msg("no part '%s'", name);
    return NULL;
}

static const char *part_name(size_t k)
{
    static const char *const all[] = {"a0", "a2x", "a2y", "a2z", "a4x", "a4y", "a4z", "A1x", "A1y", "A1z", "A2x", "A2y",
                                      "A2z", "A3x", "A3y", "A3z", "A4x", "A4y", "A4z", "Axy", "Axz", "Ayz", "A2v"};
    return k < sizeof all / sizeof *all ? all[k] : NULL;
}

enum { PARTS = 12 };
static const struct {
    int dimensions;
    const char *rhs, *other;
    struct { const char *part, *is; } parts[PARTS];  /* those not listed are not there */
} catalogue[] = {
    /* Cahn–Hilliard */
    {2, "D*lap(u^3 - u - gamma*lap(u))", NULL,
     {{"a2x", "-D"}, {"a2y", "-D"}, {"a4x", "D*gamma"}, {"a4y", "D*gamma"}, {"A2x", "D*(3*u^2 - 1)"},
      {"A2y", "D*(3*u^2 - 1)"}, {"A4x", "D*gamma"}, {"A4y", "D*gamma"}}},
    {3, "lap(u^3 - u - lap(u))", NULL,
     {{"a2x", "-1"}, {"a2y", "-1"}, {"a2z", "-1"}, {"a4x", "1"}, {"a4y", "1"}, {"a4z", "1"}, {"A2x", "3*u^2 - 1"},
      {"A2y", "3*u^2 - 1"}, {"A2z", "3*u^2 - 1"}, {"A4x", "1"}, {"A4y", "1"}, {"A4z", "1"}}},
    /* Swift–Hohenberg */
    {2, "0.3*u - (u + 2*lap(u) + lap(lap(u))) - u^3", NULL,
     {{"a0", "-0.7"}, {"a2x", "-2"}, {"a2y", "-2"}, {"a4x", "1"}, {"a4y", "1"}, {"A2x", "-2"}, {"A2y", "-2"},
      {"A4x", "1"}, {"A4y", "1"}}},
    /* Allen–Cahn, along x alone; y has another coefficient */
    {2, "gamma*dxx(u) + dyy(D*u) + u - u^3", NULL,
     {{"a0", "1"}, {"a2x", "gamma"}, {"a2y", "D"}, {"A2x", "gamma"}, {"A2y", "D"}}},
    /* Kuramoto–Sivashinsky */
    {2, "-lap(u) - lap(lap(u)) - grad2(u)/2", NULL,
     {{"a2x", "-1"}, {"a2y", "-1"}, {"a4x", "1"}, {"a4y", "1"}, {"A1x", "-dx(u)"}, {"A1y", "-dy(u)"}, {"A2x", "-1"},
      {"A2y", "-1"}, {"A4x", "1"}, {"A4y", "1"}}},
    /* Burgers */
    {2, "0.05*lap(u) - dx(u^2/2) - dy(u^2/2)", NULL,
     {{"a2x", "0.05"}, {"a2y", "0.05"}, {"A1x", "-u"}, {"A1y", "-u"}, {"A2x", "0.05"}, {"A2y", "0.05"}}},
    /* cross derivatives */
    {2, "lap(u) + 2*c*dxy(u) - u^3", NULL,
     {{"a2x", "1"}, {"a2y", "1"}, {"A2x", "1"}, {"A2y", "1"}, {"Axy", "2*c"}}},
    {3, "dx(D*dz(u)) + dz(dy(u))*u", NULL, {{"Axz", "D"}, {"Ayz", "u"}}},
    /* Gray–Scott */
    {2, "D*lap(u) - u*v^2 + c*(1 - u)", "gamma*lap(v) + u*v^2 - (c + k)*v",
     {{"a0", "-c"}, {"a2x", "D"}, {"a2y", "D"}, {"A2x", "D"}, {"A2y", "D"}}},
    /* complex Ginzburg–Landau */
    {2, "u + lap(u) - c*lap(v) - (u^2 + v^2)*(u - v)", "0",
     {{"a0", "1"}, {"a2x", "1"}, {"a2y", "1"}, {"A2x", "1"}, {"A2y", "1"}, {"A2v", "-c"}}},
    /* nonlinear diffusion, and of a coefficient of x */
    {2, "div((1 + u^2)*dx(u), (1 + u^2)*dy(u))", NULL,
     {{"A1x", "2*u*dx(u)"}, {"A1y", "2*u*dy(u)"}, {"A2x", "1 + u^2"}, {"A2y", "1 + u^2"}}},
    {2, "div(exp(x)*dx(u), D*dy(u))", NULL, {{"a2y", "D"}, {"A2x", "exp(x)"}, {"A2y", "D"}}},
    /* a diffusion of the slope: p-Laplacian */
    {2, "dx(dx(u)^3) + dyy(u)*t", NULL, {{"A2x", "3*dx(u)^2"}, {"A2y", "t"}}},
    /* thin film */
    {2, "-div(u^3*dx(lap(u)), u^3*dy(lap(u))) + k*dxxx(u)", NULL,
     {{"A1x", "-3*u^2*dx(lap(u))"}, {"A1y", "-3*u^2*dy(lap(u))"}, {"A3x", "k"}, {"A4x", "u^3"}, {"A4y", "u^3"}}},
    /* linear in disguise, and what only looks so */
    {2, "(c > 0 ? u : 2*u) + dy(u)*x - 0*lap(u) + dx(D)", NULL, {{"a0", "c > 0 ? 1 : 2"}, {"A1y", "x"}}},
    {2, "dxx(u) - dxx(u) + dyy(u) - dyy(v)", "lap(v)", {{"a2y", "1"}, {"A2y", "1"}}},
};

static void coefficients_are_those_of_the_text(void **state)
{
    (void)state;
    for (size_t j = 0; j < sizeof catalogue / sizeof *catalogue; j++) {
        struct fields_terms *terms = terms_of(catalogue[j].dimensions, catalogue[j].rhs, catalogue[j].other);
        for (size_t k = 0; part_name(k); k++) {
            const struct sw_program *program = part_of(&terms->row[0], part_name(k));
            const char *is = NULL;
            for (int l = 0; l < PARTS && catalogue[j].parts[l].part; l++)
                if (!strcmp(catalogue[j].parts[l].part, part_name(k))) is = catalogue[j].parts[l].is;
            if (!program != !is)
                fail_msg("%s of '%s' is %sthere", part_name(k), catalogue[j].rhs, program ? "" : "not ");
            if (!program) continue;
            if (part_name(k)[0] == 'a') assert_int_equal(sw_program_rate(program), SW_RATE_RUN);
            struct fields_terms *expected = terms_of(catalogue[j].dimensions, is, catalogue[j].other ? "0" : NULL);
            const double a = value_of(terms, program), b = value_of(expected, expected->row[0].rhs);
            if (!(fabs(a - b) <= 1e-13 * (1 + fabs(b))))
                fail_msg("%s of '%s' has the value %.17g, expected '%s', %.17g", part_name(k), catalogue[j].rhs, a, is,
                         b);
            fields_terms_destroy(&expected);
        }
        fields_terms_destroy(&terms);
    }
}

static const struct { int dimensions; const char *rhs, *constant, *varying; } shown[] = {
    {2, "D*lap(u^3 - u - gamma*lap(u))", "-D*gamma*dxxxx(u) - D*gamma*dyyyy(u) - D*dxx(u) - D*dyy(u)",
     "D*(3*u^2 - 1) of dxx(u), dyy(u)"},
    {3, "-div(u^3*dx(lap(u)), u^3*dy(lap(u)), dz(lap(u))) + dxx(u) - u*(1 - c)",
     "-dzzzz(u) + dxx(u) - (1 - c)*u", "u^3 of -dxxxx(u), -dyyyy(u)"},
    {2, "dx(exp(x)*dx(u)) + dyy(u^2)", NULL, "exp(x) of dxx(u); 2*u of dyy(u)"},
    {2, "u*dx(u)", NULL, NULL},
};

static void coefficients_are_shown(void **state)
{
    (void)state;
    for (size_t j = 0; j < sizeof shown / sizeof *shown; j++) {
        struct fields_terms *terms = terms_of(shown[j].dimensions, shown[j].rhs, NULL);
        const struct { const char *is, *expected; } text[] = {{terms->row[0].constant, shown[j].constant},
                                                              {terms->row[0].varying, shown[j].varying}};
        for (int k = 0; k < 2; k++) {
            if (!text[k].is != !text[k].expected || (text[k].is && strcmp(text[k].is, text[k].expected)))
                fail_msg("of '%s': '%s', expected '%s'", shown[j].rhs, text[k].is ? text[k].is : "nothing",
                         text[k].expected ? text[k].expected : "nothing");
        }
        fields_terms_destroy(&terms);
    }
}

/* ------------------------------------------------------------------ what programs take in */

static void neighbours_are_listed_once(void **state)
{
    (void)state;
    struct fields_terms *terms = terms_of(3, "lap(u - lap(u)) + v", "dxx(v) - dyy(u)*lap(v) + rand(1)");
    int of_u = 0;
    for (int k = 0; k < terms->neighbours; k++) {
        for (int j = 0; j < k; j++)
            assert_true(memcmp(&terms->neighbour[j], &terms->neighbour[k], sizeof terms->neighbour[k]) != 0);
        of_u += terms->neighbour[k].unknown == 0;
    }
    assert_int_equal(of_u, 25);
    assert_int_equal(terms->neighbours, 25 + 7);
    assert_int_equal(terms->inputs, FIELDS_INPUTS + terms->neighbours);
    for (int axis = 0; axis < SW_DIMS; axis++) assert_int_equal(terms->reach[axis], 2);
    assert_true(terms->noise);
    fields_terms_destroy(&terms);
    terms = terms_of(2, "dxx(u) + u", NULL);
    assert_true(terms->reach[0] == 1 && terms->reach[1] == 0 && terms->reach[2] == 0 && !terms->noise);
    assert_int_equal(terms->neighbours, 3);
    fields_terms_destroy(&terms);
}

/* The right-hand side is what it says where it has no derivatives, with x, y, z, t and numbers. */
static void a_right_hand_side_sees_coordinates_time_and_numbers(void **state)
{
    (void)state;
    struct fields_terms *terms = terms_of(3, "x + 10*y + 100*z + 1000*t + 1e4*gamma", NULL);
    assert_near(value_of(terms, terms->row[0].rhs), 0.4 - 9 + 20 + 370 + 3000, 1e-9);
    fields_terms_destroy(&terms);
}

static void order_four_reaches_three_points(void **state)
{
    (void)state;
    struct fields_text text = text_of(2, "lap(u^3 - lap(u))", NULL);
    struct fields_terms *terms;
    struct fields_error err;
    text.order = 4;
    assert_ok(fields_terms_create(&text, &terms, &err));
    assert_true(terms->reach[0] == 3 && terms->reach[1] == 3 && terms->reach[2] == 0);
    assert_non_null(terms->row[0].linear.a4[0]);
    fields_terms_destroy(&terms);
}

/* ------------------------------------------------------------------ errors */

static const struct {
    int dimensions;
    const char *rhs, *unknown;  /* unknown: the first's name; NULL: u */
    int column, length;
    const char *message, *hint;
} errors[] = {
    {2, "lap(w)", NULL, 5, 1, "unknown name 'w'", "known: u v D gamma c k x y t pi e"},
    {2, "u*z", NULL, 3, 1, "unknown name 'z'", "known: u v D gamma c k x y t"},
    {3, "1 + gama*u", NULL, 5, 4, "unknown name 'gama'", "did you mean 'gamma'?"},
    {2, "u_xy - u", NULL, 1, 4, "unknown name 'u_xy'", "write dxy(u)"},
    {2, "lap(u) - u_t", NULL, 10, 3, "'u_t' is a derivative in time", "rhs is what it equals"},
    {2, "2*lap", NULL, 3, 3, "'lap' without what it is the derivative of; write lap(u)", ""},
    {2, "2*dzz(u)", NULL, 3, 3, "unknown function 'dzz'", "two dimensions"},
    {2, "u + lap(lap(dxx(lap(u))))", NULL, 5, 3, "this makes a derivative of order 8", "up to the sixth"},
    {2, "u + lap(lap(lap(u^3)))", NULL, 0, 1, "of order 6 of 'u' is not the same at all points", "to the fourth order"},
    {3, "dz(u + randn(1))", NULL, 8, 5, "randn() cannot stand inside a derivative", ""},
    {2, "(u", NULL, 1, 1, "'(' without ')'", ""},
    {2, NULL, NULL, 0, 1, "the unknown 'u' has no right-hand side", ""},
    {2, "u", "y", 0, 1, "'y' cannot be an unknown", "it is a coordinate"},
    {2, "u", "lap", 0, 1, "'lap' cannot be an unknown", "it is a function"},
    {2, "u", "dyx", 0, 1, "'dyx' cannot be an unknown", "it is a function"},
    {2, "u", "gamma", 0, 1, "'gamma' cannot be an unknown", "it is a number of the run"},
    {2, "u", "v", 0, 1, "two unknowns are called 'v'", ""},
};

static void every_error_names_its_place(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        struct fields_text text = text_of(errors[k].dimensions, errors[k].rhs, "0");
        struct fields_terms *terms;
        struct fields_error err;
        const bool in_name = errors[k].unknown;
        if (in_name) text.unknown[0] = errors[k].unknown;
        if (fields_terms_create(&text, &terms, &err) != SW_E_CONFIG) fail_msg("'%s' was accepted", errors[k].rhs);
        assert_null(terms);
        if (err.error.column != errors[k].column || err.error.length != errors[k].length || err.in_name != in_name)
            fail_msg("'%s': column %d + %d: %s", errors[k].rhs, err.error.column, err.error.length, err.error.text);
        assert_contains(err.error.text, errors[k].message);
        assert_contains(err.error.hint, errors[k].hint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_are_those_of_the_text),
        cmocka_unit_test(coefficients_are_shown),
        cmocka_unit_test(neighbours_are_listed_once),
        cmocka_unit_test(a_right_hand_side_sees_coordinates_time_and_numbers),
        cmocka_unit_test(order_four_reaches_three_points),
        cmocka_unit_test(every_error_names_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
