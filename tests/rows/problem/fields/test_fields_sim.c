/* Batches of fields: against steps with a right-hand side written by hand, and that a run depends on nothing else. */
#include "field_problems.h"
#include "helpers.h"

#include <string.h>

#include "base/sw_mem.h"
#include "device/sw_device.h"
#include "device/sw_snapshot.h"
#include "problem/fields/fields_sim_impl.h"
#include "problem/fields/w_run.h"

/* Gray-Scott in two dimensions, as field_terms.h describes equations: numbers of a run are F, and 1/dx². */
enum { N = 24, M = 16, NUMBERS = 2, POINTS = N * M, SIZE = 2 * POINTS };

static struct fields_neighbour neighbour[] = {{0, {0, 0, 0}}, {0, {1, 0, 0}}, {0, {-1, 0, 0}}, {0, {0, 1, 0}},
                                              {0, {0, -1, 0}}, {1, {0, 0, 0}}, {1, {1, 0, 0}}, {1, {-1, 0, 0}},
                                              {1, {0, 1, 0}}, {1, {0, -1, 0}}};
static struct fields_terms terms = {.dimensions = 2, .unknowns = 2, .order = 2, .neighbour = neighbour,
                                    .neighbours = 10, .reach = {1, 1, 0}, .inputs = FIELDS_INPUTS + 10};

static struct sw_program *compile(const char *text)
{
    static const char *const name[] = {"u", "ue", "uw", "un", "us", "v", "ve", "vw", "vn", "vs"};
    struct sw_symbol symbol[16] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y}, {"t", SW_RATE_STEP, 0},
                                   {"F", SW_RATE_RUN, 0}, {"d", SW_RATE_RUN, 1}};
    const struct sw_scope scope = {.symbol = symbol, .count = 15, .random = true};
    struct sw_expr *expr;
    struct sw_expr_error err;
    struct sw_program *program;
    for (int k = 0; k < 10; k++) symbol[5 + k] = (struct sw_symbol){name[k], SW_RATE_POINT, FIELDS_INPUTS + k};
    assert_ok(sw_expr_parse(text, &expr, &err));
    assert_ok(sw_program_compile(expr, &scope, &program, &err));
    sw_expr_destroy(&expr);
    return program;
}

static const char *row;     /* that is tested */
static const double *feed;  /* F of each run */
static struct sw_device *device[2];  /* of one and of two threads */
static struct sw_program *initial_u, *initial_v;
static struct fields_terms density = {.dimensions = 2, .unknowns = 2, .order = 2, .neighbour = neighbour,
                                      .neighbours = 10, .reach = {1, 1, 0}, .inputs = FIELDS_INPUTS + 10};

static int compile_all(void **state)
{
    (void)state;
    terms.row[0].rhs = compile("0.00002*d*(ue + uw + un + us - 4*u) - u*v^2 + F*(1 - u)"
                               " + 0.001*cos(x + 2*y)*sin(t/50)");
    terms.row[1].rhs = compile("0.00001*d*(ve + vw + vn + vs - 4*v) + u*v^2 - (F + 0.06)*v");
    for (int k = 0; k < 4; k++) {
        struct fields_row *of = &terms.row[k / 2];
        of->linear.a2[k % 2] = compile(k / 2 ? "0.00001" : "0.00002");
        of->frozen.a2[k % 2] = compile(k / 2 ? "0.00001 + 0*u" : "0.00002");
    }
    density.row[0].rhs = compile("(ue - u)^2 + F*(vn - v)");
    initial_u = compile("1 - exp(-60*((x - 0.5)^2 + (y - 0.3)^2))/2");
    initial_v = compile("exp(-60*((x - 0.5)^2 + (y - 0.3)^2))/4 + 0.001*randn(7)");
    return 0;
}

static int destroy_all(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) sw_device_close(&device[k]);
    for (int v = 0; v < 2; v++) {
        sw_program_destroy(&terms.row[v].rhs);
        for (int a = 0; a < 2; a++) {
            sw_program_destroy(&terms.row[v].linear.a2[a]);
            sw_program_destroy(&terms.row[v].frozen.a2[a]);
        }
    }
    sw_program_destroy(&density.row[0].rhs);
    sw_program_destroy(&initial_u);
    sw_program_destroy(&initial_v);
    return 0;
}

/* ------------------------------------------------------------------ batches */

static enum sw_status fill(void *own, int count, const double *column, struct fields_run *run, double *param)
{
    const double tolerance = *(const double *)own;
    for (int j = 0; j < count; j++) {
        param[j] = column[j];
        param[count + j] = N * N;
        run[j] = (struct fields_run){.grid = {.dx = {1.0 / N, 1.0 / N, 1}, .dt = 2}, .tolerance = tolerance};
    }
    return SW_OK;
}

static void keep(void *own) { (void)own; }

static const double times[] = {0, 30, 100};

static struct sw_sim *make(int count, int threads, enum sw_scheme scheme, double *tolerance)
{
    struct sw_sim *sim;
    const char *error[8];
    const struct fields_desc desc = {.n = {N, M, 1}, .capacity = count, .own_steps = *tolerance > 0, .goals = 2,
                                     .times = times, .scheme = scheme, .nparam = NUMBERS, .terms = &terms,
                                     .energy = &density,
                                     .initial = {initial_u, initial_v}};
    const struct fields_source source = {fill, keep, tolerance};
    if (!device[threads - 1]) assert_ok(sw_device_open("cpu", threads, &device[threads - 1]));
    assert_ok(fields_sim_create(&desc, row, device[threads - 1], &source, &sim));
    assert_ok(sim->ops->load(sim, count, feed, error));
    for (int j = 0; j < count; j++)
        if (error[j]) fail_msg("run %d: %s", j, error[j]);
    return sim;
}

static const double rates[] = {0.03, 0.04, 0.05, 0.035};

/* The state at the end, of runs from number `first` on. */
static void run(int first, int count, int threads, enum sw_scheme scheme, double tolerance, int parts, double *u)
{
    const int64_t end = tolerance > 0 ? 2 * SW_OWN_STEPS_TICKS : 50;
    feed = rates + first;
    struct sw_sim *sim = make(count, threads, scheme, &tolerance);
    assert_ok(sw_sim_initial(sim));
    for (int k = 0; k < parts; k++) assert_ok(sim->ops->advance(sim, end * k / parts, end * (k + 1) / parts));
    assert_ok(sw_sim_get_state(sim, u));
    sim->ops->destroy(sim);
}

static void no_bit_depends_on_the_batch(void **state)
{
    static double all[4][SIZE], one[SIZE];
    (void)state;
    for (int k = 0; k < 4; k++) {
        const enum sw_scheme scheme = k % 2 ? SW_IMEX3 : SW_IMEX2;
        const double tolerance = k / 2 ? 1e-4 : 0;
        run(0, 4, 2, scheme, tolerance, 1, all[0]);
        for (int j = 0; j < 4; j++) {
            run(j, 1, 1, scheme, tolerance, 3, one);
            assert_memory_equal(all[j], one, sizeof one);
        }
        assert_true(isfinite(one[0]) && one[0] != all[0][0]);
    }
}

/* Against the same equation by hand. */
static void by_hand(void *own, double t, int64_t step, const double *u, double *f)
{
    const double rate = *(const double *)own;
    (void)step;
    for (int c = 0; c < POINTS; c++) {
        const int i = c % N, j = c / N;
        const int at[] = {j * N + (i + 1) % N, j * N + (i + N - 1) % N, (j + 1) % M * N + i, (j + M - 1) % M * N + i};
        double lap[2];
        for (int v = 0; v < 2; v++) {
            const double *w = u + v * POINTS;
            lap[v] = (w[at[0]] + w[at[1]] + w[at[2]] + w[at[3]] - 4 * w[c]) * (N * N);
        }
        const double uvv = u[c] * u[POINTS + c] * u[POINTS + c], x = i / (double)N, y = j / (double)N;
        f[c] = 2e-5 * lap[0] - uvv + rate * (1 - u[c]) + 0.001 * cos(x + 2 * y) * sin(t / 50);
        f[POINTS + c] = 1e-5 * lap[1] + uvv - (rate + 0.06) * u[POINTS + c];
    }
}

static void stiffness(void *own, double t, int64_t step, const double *u, struct fields_stiffness *s)
{
    (void)own, (void)t, (void)step, (void)u;
    for (int a = 0; a < 2; a++) {
        s[0].a2[a] = s[0].most2[a] = 2e-5;
        s[1].a2[a] = 1e-5;
        s[1].most2[a] = exp2(ceil(8 * log2(1e-5)) / 8);
    }
}

static void steps_are_those_by_hand(void **state)
{
    static double u[SIZE], have[SIZE], work[7][SIZE];
    double tolerance = 0, *field = u;
    (void)state;
    if (!strcmp(row, "cpu.fourier")) return;  /* another matrix takes other steps */
    feed = rates;
    struct sw_sim *sim = make(1, 1, SW_IMEX3, &tolerance);
    assert_ok(sw_sim_initial(sim));
    assert_ok(sw_sim_get_state(sim, u));
    static const struct fields_walk_ops ops = {.evaluate = by_hand, .stiffness = stiffness, FIELDS_FLAT_STEPS};
    struct fields_walk w = {.ops = &ops, .method = fields_method_of(SW_IMEX3), .rule = {.axes = 2},
                            .solves = &fields_lines, .unknowns = 2, .points = POINTS, .own = (void *)rates};
    struct sw_owned arrays = {0};
    assert_ok(fields_lines.create(&fields_sim_of(sim)->desc, &arrays, &w.solver));
    fields_lines.begin(w.solver, (const double[]){1.0 / N, 1.0 / N, 1}, NULL, 1);
    for (int k = 0; k < 4; k++) w.work.k[k] = work[k];
    w.work.stage = work[4];
    w.work.next = work[5];
    assert_int_equal(fields_walk_steps(&w, 2, 0, 20, &field), 0);
    assert_ok(sim->ops->advance(sim, 0, 20));
    assert_ok(sw_sim_get_state(sim, have));
    assert_all_near("u", have, u, SIZE, 1e-13);
    sw_owned_free(&arrays);
    sim->ops->destroy(sim);
}

static void a_state_and_its_record_go_on(void **state)
{
    static double whole[SIZE], u[SIZE], record[SW_OWN_STEPS_NUMBERS];
    double tolerance = 1e-4;
    (void)state;
    run(0, 1, 1, SW_IMEX3, tolerance, 1, whole);
    struct sw_sim *sim = make(1, 1, SW_IMEX3, &tolerance);
    assert_ok(sw_sim_initial(sim));
    assert_ok(sim->ops->advance(sim, 0, 700));
    assert_ok(sw_sim_get_state(sim, u));
    assert_ok(sim->ops->records->get(sim, record));
    assert_true(sim->ops->records->steps_taken(sim, record).taken > 3);
    sim->ops->destroy(sim);
    sim = make(1, 1, SW_IMEX3, &tolerance);
    assert_ok(sw_sim_set_state(sim, u));
    assert_ok(sw_sim_set_record(sim, record));
    assert_ok(sim->ops->advance(sim, 700, 2 * SW_OWN_STEPS_TICKS));
    assert_ok(sw_sim_get_state(sim, u));
    assert_memory_equal(u, whole, sizeof u);
    sim->ops->destroy(sim);
}

/* Of u = 1 + cos(2 pi x) + ..: mass, extremes, and the mean |k| of two waves. */
static void scalars_are_those_of_the_field(void **state)
{
    static double u[SIZE];
    const double *scalars, pi = acos(-1), *k;
    const void *field;
    double tolerance = 0;
    (void)state;
    feed = rates;
    struct sw_sim *sim = make(1, 1, SW_IMEX2, &tolerance);
    for (int c = 0; c < SIZE; c++) {
        const double x = c % N / (double)N, y = c / N % M / (double)N;  /* ly = M/N */
        u[c] = 1 + cos(2 * pi * 3 * x) + 0.5 * sin(2 * pi * (2 * x + 3 * y));  /* |k| = 6 pi, 2 pi sqrt(4 + 9) */
    }
    assert_ok(sw_sim_set_state(sim, u));
    assert_ok(sw_sim_snapshot(sim, 0, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS));
    assert_ok(sim->ops->fetch(sim, 0, &field, &scalars));
    assert_memory_equal(field, u, sizeof u);
    k = scalars;
    assert_near(k[SW_MASS], (double)M / N, 1e-12);
    double energy = 0;
    for (int c = 0; c < POINTS; c++) energy += pow(u[c / N * N + (c + 1) % N] - u[c], 2);  /* v adds nothing */
    assert_near(k[SW_ENERGY], energy / (N * N), 1e-12);
    assert_true(k[SW_MIN] < 0 && k[SW_MAX] > 2);
    assert_near(k[SW_DOMAIN_LENGTH], (1 + 0.25) / (3 + 0.25 * sqrt(13.0)), 1e-10);
    sim->ops->destroy(sim);
}

static void a_run_that_diverges_stops_alone(void **state)
{
    static double u[2 * SIZE], have[2 * SIZE];
    int64_t step[2];
    double tolerance = 0;
    (void)state;
    feed = rates;
    struct sw_sim *sim = make(2, 1, SW_BACKWARD_EULER, &tolerance);
    for (int c = 0; c < 2 * SIZE; c++) u[c] = c < SIZE ? 1e80 : 0.5;
    assert_ok(sw_sim_set_state(sim, u));
    assert_ok(sim->ops->advance(sim, 0, 10));
    assert_ok(sim->ops->diverged(sim, step));
    assert_true(step[0] > 0 && step[0] < 10);
    assert_int_equal(step[1], -1);
    assert_ok(sw_sim_get_state(sim, have));
    assert_true(isnan(have[0]) && isfinite(have[SIZE]));
    sim->ops->destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bit_depends_on_the_batch), cmocka_unit_test(steps_are_those_by_hand),
        cmocka_unit_test(a_state_and_its_record_go_on), cmocka_unit_test(scalars_are_those_of_the_field),
        cmocka_unit_test(a_run_that_diverges_stops_alone)};
    int failed = 0;
    for (int k = 0; (row = fields_sim_row(k)); k++)
        if (!strncmp(row, "cpu.", 4))  /* those of GPUs: test_fields_emulated.c */
            failed += cmocka_run_group_tests_name(row, tests, compile_all, destroy_all);
    return failed;
}
