/* What a program has at several points of a grid, computed once for all of them: to the same bits. What is left, where
 * it is linear, as weights: to rounding. */
#include "helpers.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "expr/sw_linear.h"
#include "expr/sw_shifted.h"
#include "problem/fields/field_terms.h"

enum { SIDE = 16, AT = 7, POINTS = 3, NUMBERS = 2 + FIELDS_NUMBERS, INPUTS_MOST = 300 };

static double u[2][SIDE][SIDE][SIDE], number[NUMBERS], coordinate[SW_DIMS][POINTS];
static uint64_t seed = 3;

static struct fields_terms *read_terms(int axes, int unknowns, const char *text)
{
    static const struct sw_symbol own[] = {{"a", SW_RATE_RUN, 0}, {"b", SW_RATE_RUN, 1}};
    static const struct sw_scope scope = {.symbol = own, .count = 2};
    const struct fields_text fields = {.dimensions = axes, .unknowns = unknowns, .unknown = {"u", "v"},
                                       .rhs = {text, "v"}, .run = &scope, .first_number = 2, .order = 2};
    struct fields_terms *terms;
    struct fields_error err;
    if (fields_terms_create(&fields, &terms, &err)) fail_msg("%s: %s", text, err.error.text);
    return terms;
}

/* The neighbours of a point so far from (AT, AT, AT). */
static void set_neighbours(const struct fields_terms *t, const int offset[3], const double **in)
{
    for (int a = 0; a < SW_DIMS; a++) in[SW_IN_X + a] = coordinate[a];
    for (int q = 0; q < t->neighbours; q++) {
        const struct fields_neighbour *n = &t->neighbour[q];
        in[FIELDS_INPUTS + q] = &u[n->unknown][AT + offset[2] + n->offset[2]][AT + offset[1] + n->offset[1]]
                                  [AT + offset[0] + n->offset[0]];
    }
}

static void evaluate(const struct sw_program *program, const double *const *in, double out[POINTS])
{
    struct sw_eval *eval;
    assert_ok(sw_eval_create(program, POINTS, &eval));
    sw_eval_run(eval, number, 1);
    sw_eval_cells(eval, POINTS, in);
    sw_eval_step(eval, 0.7, 3);
    sw_eval_points(eval, POINTS, in, out);
    sw_eval_destroy(&eval);
}

static void share(const struct fields_terms *t, struct sw_shifted *shifted)
{
    struct sw_shifted_place neighbour[INPUTS_MOST];
    for (int q = 0; q < t->neighbours; q++) {
        neighbour[q].of = t->neighbour[q].unknown;
        memcpy(neighbour[q].offset, t->neighbour[q].offset, sizeof neighbour[q].offset);
    }
    assert_ok(sw_shifted_create(t->row[0].rhs, FIELDS_INPUTS, t->neighbours, neighbour, shifted));
}

/* Of what is left, by its weights. @param worst  out: what rounding may come to */
static double weigh(const struct fields_terms *t, const struct sw_shifted *s, const double *const *in, double *worst)
{
    const struct sw_program *program = s->parts ? s->program : t->row[0].rhs;
    struct sw_eval *eval;
    struct sw_linear *linear;
    int group[INPUTS_MOST];
    double sum, r = 0;
    for (int q = 0; q < t->neighbours; q++) group[q] = t->neighbour[q].unknown;
    for (int k = 0; k < s->places; k++) group[t->neighbours + k] = t->unknowns + s->field[s->place[k].of];
    assert_ok(sw_eval_create(program, POINTS, &eval));
    assert_ok(sw_linear_create(eval, FIELDS_INPUTS, t->neighbours + SW_SHIFTED_PLACES, group, &linear));
    assert_true(linear || !s->linear);
    sw_eval_run(eval, number, 1);
    sw_eval_step(eval, 0.7, 3);
    const struct sw_linear_term *term = linear ? sw_linear_terms(linear, &sum) : NULL;
    *worst = linear ? fabs(sum) : 0;
    for (int k = 0; linear && k < sw_linear_count(linear); k++) {
        const double x = *in[term[k].slot];
        if (term[k].first) r = x;
        sum += term[k].factor * (term[k].first ? r : x - r);
        *worst += fabs(term[k].factor) * (fabs(x) + fabs(r));
    }
    sw_linear_destroy(&linear);
    sw_eval_destroy(&eval);
    return s->linear ? sum : NAN;
}

/* @return parts */
static int check(int axes, int unknowns, const char *text)
{
    static const int here[3];
    struct fields_terms *t = read_terms(axes, unknowns, text);
    struct sw_shifted shifted;
    const double *in[INPUTS_MOST], *around[INPUTS_MOST];
    double direct[POINTS], value[SW_SHIFTED_PLACES][POINTS], have[POINTS], worst;
    share(t, &shifted);
    set_neighbours(t, here, in);
    evaluate(t->row[0].rhs, in, direct);
    for (int k = 0; k < shifted.places; k++) {
        const struct sw_shifted_place *place = &shifted.place[k];
        int offset[3];
        for (int d = 0; d < 3; d++) offset[d] = place->offset[d] - shifted.at[place->of][d];
        set_neighbours(t, offset, around);
        assert_int_equal(offset[2], 0);
        evaluate(shifted.part[place->of], around, value[k]);
        in[t->inputs + k] = value[k];
    }
    const int parts = shifted.parts;
    if (parts) {
        evaluate(shifted.program, in, have);
        if (memcmp(have, direct, sizeof have)) fail_msg("%s: %.17g, not %.17g", text, have[0], direct[0]);
    }
    /* Both orders of adding up to 64 terms, whose factors have a dozen roundings. */
    const double linear = weigh(t, &shifted, in, &worst);
    if (shifted.linear && !(fabs(linear - direct[0]) <= 80 * DBL_EPSILON * worst))
        fail_msg("%s: %.17g by weights, not %.17g", text, linear, direct[0]);
    sw_shifted_destroy(&shifted);
    fields_terms_destroy(&t);
    return parts;
}

static void gives_the_same_bits(void **state)
{
    static const char *const texts[] = {
        "lap(a*(u^3 - u)) - b*lap(lap(u))", "lap(u^3 - u - b*lap(u))", "a*lap(u) + u - u^3",
        "div((1 + u^2)*dx(u), (1 + u^2)*dy(u))", "div(a*dx(sin(u) - b*lap(u)), a*dy(sin(u) - b*lap(u)))",
        "-lap(u) - lap(lap(u)) - grad2(u)/2", "lap(x*u^2) + dxy(exp(u))", "-dx((u^3)*dx(lap(u))) + y*t",
        "a*t*(3 - lap(u))/b - (u - 1)^2 + sin(t)", "lap(u)*lap(u^2)", "-(2 - lap(lap(u)))/t", "u", "a", "x + lap(u)"};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) check(2, 1, texts[k]);
    check(3, 2, "lap(u^3 - u*v - b*lap(u))");
    check(3, 2, "b*lap(lap(u)) - u*v^2 + a*(1 - u) + lap(v)");
    check(3, 1, "lap(a*(u^3 - u)) - b*lap(lap(u)) + dzz(u^2)");
}

static void finds_what_is_shifted(void **state)
{
    (void)state;
    assert_int_equal(check(2, 1, "lap(u^3 - u)"), 1);                       /* u^3 at five points                */
    assert_int_equal(check(2, 1, "lap(a*(u^3 - u)) - b*lap(lap(u))"), 1);   /* what is linear is no part         */
    assert_int_equal(check(3, 1, "lap(u^3 - u)"), 3);                       /* in three planes                   */
    assert_int_equal(check(2, 1, "a*lap(u) + u - u^3"), 1);
    assert_int_equal(check(2, 1, "lap(lap(u))"), 0);
    assert_int_equal(check(2, 1, "lap(x*u)"), 0);                           /* the coordinate is another at each */
    assert_int_equal(check(2, 1, "(1 + u)*lap(u^3 - u)"), 1);               /* G = u^3 - u: a product at the root */
}

/* Differences of a constant field are 0, whatever their factors are. */
static void a_constant_stays(void **state)
{
    static double kept[sizeof u / sizeof u[0][0][0][0]];
    static const char *const texts[] = {"lap(a*(u^3 - u)) - b*lap(lap(u))", "a*lap(u)/b - dx(u) + a*dxy(u)"};
    (void)state;
    memcpy(kept, u, sizeof u);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) (&u[0][0][0][0])[k] = 0.7123;
    for (int k = 0; k < 4; k++) {
        static const int here[3];
        struct fields_terms *t = read_terms(2 + k / 2, 1, texts[k % 2]);
        struct sw_shifted shifted;
        const double *in[INPUTS_MOST];
        double value[SW_SHIFTED_PLACES], worst;
        share(t, &shifted);
        set_neighbours(t, here, in);
        for (int q = 0; q < shifted.places; q++) {
            value[q] = 0.3712;
            in[t->inputs + q] = &value[q];
        }
        assert_true(shifted.linear);
        if (weigh(t, &shifted, in, &worst) != 0) fail_msg("%s: %g", texts[k % 2], weigh(t, &shifted, in, &worst));
        sw_shifted_destroy(&shifted);
        fields_terms_destroy(&t);
    }
    memcpy(u, kept, sizeof u);
}

int main(void)
{
    for (size_t k = 0; k < sizeof u / sizeof u[0][0][0][0]; k++)
        u[k / SIDE / SIDE / SIDE][k / SIDE / SIDE % SIDE][k / SIDE % SIDE][k % SIDE] = test_random(&seed);
    for (int k = 0; k < NUMBERS; k++) number[k] = 1 + 0.3 * test_random(&seed);
    for (int k = 0; k < SW_DIMS * POINTS; k++) coordinate[k / POINTS][k % POINTS] = test_random(&seed);
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_same_bits), cmocka_unit_test(finds_what_is_shifted),
                                       cmocka_unit_test(a_constant_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
