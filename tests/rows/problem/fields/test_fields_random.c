/* Rows that step fields on random texts, grids of a few points, random values, all methods, periodic axes and walls of
 * all kinds: against W-methods as they
 * are written, with a P that is one matrix, or exact by sums over all waves (field_case.h); and steps of a run's own,
 * which all rows that solve by lines should choose alike. SW_FUZZ_SECONDS=N says for how long (1, or 3 under
 * sanitizers, and 20 cases at least), SW_FUZZ_SEED=N from which random number on (1); a case that fails prints its own.
 */
#include <stdio.h>

#include "base/sw_clock.h"
#include "field_case.h"
#include "random_fields.h"

static struct sw_device *device;
static const char *row;  /* that is compared */

struct random_case {
    struct field_case c;
    struct ways     ways[2];
    struct sw_text  text[2];
    uint64_t        seed;
    int64_t         steps;
    double         *begin, *want;  /* [size] */
    double          amplified;     /* what the steps make of small errors on the way, at most */
};

static double uniform(uint64_t *random) { return 0.5 + 0.5 * test_random(random); }
static int below(uint64_t *random, int n) { return (int)(uniform(random) * n) % n; }
static bool is_exact(void) { return fields_sim_is_exact(NULL, row); }

/* ------------------------------------------------------------------ cases */

static const char *const damping[] = {"", " + 0.5*lap(u)", " - 0.1*lap(lap(u))", " + lap(D*u + u^3 - 0.2*lap(u))",
                                      " + div((1 + u^2)*dx(u), D*dy(u)) + dzz(u)", " - u^3 + dxx(u) - D*dyyyy(u)",
                                      " - lap((0.1 + u^2)*lap(u))"};
enum { DAMPING = sizeof damping / sizeof *damping };

/* Terms name u, and v is the other one. */
static void add_of(const char *term, int v, int axes, struct sw_text *text)
{
    const char *end = axes < 3 ? strstr(term, " + dzz(u)") : NULL;
    for (const char *c = term; *c && c != end; c++) sw_text_printf(text, "%c", *c == 'u' ? "uv"[v] : *c);
}

static void write_texts(struct random_case *r, uint64_t *random)
{
    struct field_case *c = &r->c;
    for (int v = 0; v < c->unknowns; v++) {
        const char *term = damping[below(random, DAMPING)];
        r->ways[v] = (struct ways){.dimensions = c->axes, .random = (uint64_t)(1e15 * uniform(random))};
        write_way(&r->ways[v], random_way(&r->ways[v], 1 + below(random, 5), 4, c->order == 2), &r->text[v]);
        if (c->axes > 2 && strstr(term, "div")) term = " + div((1 + u^2)*dx(u), D*dy(u), dz(u))";
        if (c->order == 2 || !strstr(term, "div")) add_of(term, v, c->axes, &r->text[v]);
        if (is_exact() && c->order == 2 && below(random, 3) == 0)
            add_of(" + lap(lap(lap(0.01*D*u))) + dxy(0.3*u)", v, c->axes, &r->text[v]);
        assert_ok(sw_text_status(&r->text[v]));
        c->text[v] = sw_text_get(&r->text[v]);
    }
}

/* ------------------------------------------------------------------ walls */

static double wave(const double x[SW_DIMS], const double number[CASE_GRID])
{
    (void)number;
    return 0.9 + 0.1 * cos(x[0] + 2 * x[1] - x[2]);
}
static double product(const double x[SW_DIMS], const double number[CASE_GRID])
{
    return number[0] / 2 + 0.05 * x[0] * x[1];
}
static double turn(const double x[SW_DIMS], const double number[CASE_GRID])
{
    (void)number;
    return 0.1 * sin(x[0] - x[1] + 2 * x[2]);
}
static double bend(const double x[SW_DIMS], const double number[CASE_GRID])
{
    return 0.1 * number[1] * x[0] - 0.05 * x[2] * x[2];
}

static const struct case_condition values[] = {{"0.9 + 0.1*cos(x + 2*y - z)", wave}, {"a/2 + 0.05*x*y", product}},
                                   slopes[] = {{"0.1*sin(x - y + 2*z)", turn}, {"0.1*D*x - 0.05*z^2", bend}};

static const struct case_condition *some_of(const struct case_condition *of, uint64_t *random)
{
    const int k = below(random, 3);
    return k < 2 ? &of[k] : NULL;
}

/* Which axes have walls, and which of these no flux goes through: that counts where texts are read. */
static void choose_walls(struct field_case *c, uint64_t *random)
{
    for (int a = 0; a < c->axes; a++) c->walls[a] = c->order == 2 && !is_exact() && below(random, 2);
    for (int k = 0; k < c->unknowns * SW_DIMS * 2; k++) {
        const int axis = k / 2 % SW_DIMS;
        struct case_wall *w = &c->wall[k / (2 * SW_DIMS)][axis][k % 2];
        *w = (struct case_wall){.kind = !c->walls[axis] ? FIELDS_NO_WALL : below(random, 3) ? FIELDS_VALUE
                                                                                           : FIELDS_SLOPE};
    }
}

/* What holds at those that are not closed: second conditions where derivatives above the second ask for them. */
static void choose_conditions(struct field_case *c, uint64_t *random)
{
    for (int k = 0; k < c->unknowns * SW_DIMS * 2; k++) {
        const int v = k / (2 * SW_DIMS), axis = k / 2 % SW_DIMS;
        struct case_wall *w = &c->wall[v][axis][k % 2];
        const bool above = fields_terms_reach(c->terms, v, axis) > 1;
        if (w->kind != FIELDS_VALUE) continue;
        w->kind = (enum fields_wall_kind[]){FIELDS_VALUE, FIELDS_SLOPE, FIELDS_CLAMPED}[below(random, above ? 3 : 2)];
        w->condition[0] = w->kind == FIELDS_SLOPE ? &slopes[below(random, 2)] : some_of(values, random);
        if (above) w->condition[1] = some_of(slopes, random);
    }
}

/* A text that order 4 refuses is drawn again, and one with v where there is none. */
static bool make_text(struct random_case *r, uint64_t *random)
{
    struct fields_error err;
    write_texts(r, random);
    if (case_read(&r->c, numbers, &err)) return true;
    if (r->c.order == 2 && (r->c.unknowns > 1 || !strstr(err.error.text, "v")))
        fail_msg("seed %llu: '%s': %s", (unsigned long long)r->seed, r->c.text[err.unknown], err.error.text);
    for (int v = 0; v < r->c.unknowns; v++) sw_text_free(&r->text[v]);
    return false;
}

/* What the steps are, and what they make of values that are off by 1e-7 where a right-hand side is formed of them, and
 * of solves that are off by this. @return false: too much */
static bool take_steps(struct random_case *r)
{
    const size_t size = case_size(&r->c);
    const double change = 1e-7;
    struct field_case changed = r->c;
    double *near = malloc(size * sizeof *near), largest = 0;
    changed.change = change;
    changed.random = r->seed + 1;
    memcpy(near, r->begin, size * sizeof *near);
    memcpy(r->want, r->begin, size * sizeof *near);
    r->c.condition = 0;
    case_take_steps(&r->c, is_exact(), r->steps, r->want);
    case_take_steps(&changed, is_exact(), r->steps, near);
    for (size_t p = 0; p < size; p++) largest = fmax(largest, isfinite(r->want[p]) ? fabs(r->want[p]) : INFINITY);
    r->amplified = case_difference(size, near, r->want) / change;
    free(near);
    return largest < 100 && r->amplified < 1000;
}

static void make_case(struct random_case *r, uint64_t seed)
{
    static const int64_t flat[] = {5, 6, 7, 8, 9, 11}, deep[] = {5, 6};
    struct field_case *c = &r->c;
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    *r = (struct random_case){.seed = seed, .steps = 1 + below(&random, 3)};
    c->axes = below(&random, 3) ? 2 : 3;
    c->order = below(&random, 5) ? 2 : 4;
    c->unknowns = 1 + below(&random, 2);
    c->scheme = (enum sw_scheme[]){SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3}[below(&random, 3)];
    for (int a = 0; a < SW_DIMS; a++) {
        c->n[a] = a >= c->axes ? 1 : c->axes > 2 ? deep[below(&random, 2)] : flat[below(&random, 6)];
        c->dx[a] = 0.3 + 0.7 * uniform(&random);
    }
    if (below(&random, 4) == 0) c->dx[below(&random, c->axes)] /= 8;
    choose_walls(c, &random);
    for (int k = 0; k < CASE_GRID; k++) c->number[k] = 0.2 + uniform(&random);
    while (!make_text(r, &random)) {}
    choose_conditions(c, &random);
    r->begin = malloc(case_size(c) * sizeof *r->begin);
    r->want = malloc(case_size(c) * sizeof *r->want);
    for (size_t p = 0; p < case_size(c); p++) r->begin[p] = 0.8 + 0.3 * test_random(&random);
    c->dt = pow(10, -2 * uniform(&random));
    while (!take_steps(r)) c->dt /= 10;
}

static void destroy_case(struct random_case *r)
{
    fields_terms_destroy(&r->c.terms);
    for (int v = 0; v < 2; v++) sw_text_free(&r->text[v]);
    free(r->begin);
    free(r->want);
}

/* ------------------------------------------------------------------ comparisons */

static double worst;  /* of what is allowed */

/* Some hundred roundings of the largest value, and of solves a unit of the condition of P: between the solves of two
 * axes a field is so much larger than it is at the end where it has short waves along both. */
static double tolerance_of(const struct random_case *r) { return 1e-13 + 2e-16 * r->c.condition; }

static void compare(const struct random_case *r, const char *what, double tolerance, const double *have,
                    const double *want)
{
    const struct field_case *c = &r->c;
    double largest = 1;
    for (size_t p = 0; p < case_size(c); p++) largest = fmax(largest, fabs(want[p]));
    const double off = case_difference(case_size(c), have, want) / (largest * (1 + r->amplified));
    worst = fmax(worst, off / tolerance);
    if (!(off <= tolerance))
        fail_msg("SW_FUZZ_SEED=%llu: %s of '%s'; '%s' on %lld x %lld x %lld, walls %d%d%d, order %d, scheme %d, dt %g, "
                 "%lld steps: off by %.2g, changes grow by %.2g", (unsigned long long)r->seed, what, c->text[0],
                 c->unknowns > 1 ? c->text[1] : "", (long long)c->n[0], (long long)c->n[1], (long long)c->n[2],
                 c->walls[0], c->walls[1], c->walls[2], c->order, (int)c->scheme, c->dt, (long long)r->steps, off,
                 r->amplified);
}

static bool steps_are_those_written(const struct random_case *r)
{
    double *have = malloc(case_size(&r->c) * sizeof *have);
    memcpy(have, r->begin, case_size(&r->c) * sizeof *have);
    const bool taken = case_run(&r->c, row, device, r->steps, have);
    if (taken) compare(r, row, tolerance_of(r), have, r->want);
    free(have);
    return taken;
}

/* What has no solution to the end, and so is not finite there, ends with both. Of what a change of 1e-10 changes much
 * there is nothing to compare: it grows without bound, in a text whose diffusion is negative somewhere. */
static void own_steps_are_those_of_the_reference(const struct random_case *r)
{
    static const double change = 1e-10;
    const size_t size = case_size(&r->c);
    struct random_case own = *r;
    double *have = malloc(3 * size * sizeof *have), *want = have + size, *changed = want + size;
    own.c.tolerance = 1e-3;
    for (size_t p = 0; p < size; p++) {
        have[p] = want[p] = r->begin[p];
        changed[p] = r->begin[p] + (p % 3 ? change : -change);
    }
    if (case_run(&own.c, "cpu.plain", device, r->steps, want) &&
        case_run(&own.c, "cpu.plain", device, r->steps, changed) && case_run(&own.c, row, device, r->steps, have)) {
        own.amplified = case_difference(size, changed, want) / change;
        if (own.amplified < 1000) compare(&own, "own steps", 100 * tolerance_of(r), have, want);
        else if (!isfinite(want[0]) && !isfinite(changed[0])) assert_false(isfinite(have[0]));
    }
    free(have);
}

static double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atof(text) : otherwise;
}

static void random_texts_are_stepped(void **state)
{
    const double until = sw_clock() + number_of("SW_FUZZ_SECONDS", getenv("SW_SANITIZED") ? 3 : 1);
    uint64_t seed = (uint64_t)number_of("SW_FUZZ_SEED", 1);
    const int least = small_suite() ? 5 : 20;
    int cases = 0, taken = 0;
    (void)state;
    worst = 0;
    do {
        struct random_case r;
        make_case(&r, seed++);
        taken += steps_are_those_written(&r);
        if (!is_exact() && strcmp(row, "cpu.plain") && r.c.scheme != SW_BACKWARD_EULER)
            own_steps_are_those_of_the_reference(&r);
        destroy_case(&r);
        cases++;
    } while (cases < least || sw_clock() < until);
    printf("%s: %d cases, %d refused, at most %.2g of what is allowed\n", row, cases, cases - taken, worst);
    assert_true(4 * taken > 3 * cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_texts_are_stepped)};
    int failed = 0;
    assert_ok(sw_device_open("cpu", 1, &device));
    for (int k = 0; (row = fields_sim_row(k)); k++)
        if (!strncmp(row, "cpu.", 4) && row_asked_for(row))
            failed += cmocka_run_group_tests_name(row, tests, NULL, NULL);
    sw_device_close(&device);
    return failed;
}
