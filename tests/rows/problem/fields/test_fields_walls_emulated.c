/* The rows that step fields on a GPU between walls, whose kernels run on this machine's processor here: against
 * cpu.plain over random problems (random_field_problems.h). Off by rounding alone: sums of a solve are taken in another
 * order, what is eliminated has the digits of double precision, a state that moves with its walls is never without
 * G. */
#include "emulated_device.h"
#include "random_field_problems.h"


static struct sw_device *device_of(const char *row, int threads)
{
    (void)threads;
    return strncmp(row, "cuda.", 5) ? emulated_host : &emulated_device;
}

/* A few thousand values, as each thread of a block is a fiber, and two unknowns, as each text is compiled. */
static void make_small_problem(struct problem *p, int axes, bool noise)
{
    for (;;) {
        make_problem(p, axes, 2, noise, true);
        if (p->unknowns <= 2 && size_of(p) < 4000) return;
        destroy_problem(p);
    }
}

static void row_agrees(const char *row)
{
    for (int k = 0; k < (long_suite() ? 60 : small_suite() ? 3 : 8); k++) {
        struct problem p;
        make_small_problem(&p, k % 3 == 2 ? 3 : 2, k % 7 == 6);
        print_message("%s: imex%d, %lldx%lldx%lld, walls %d%d%d, tolerance %g, %d unknowns%s\n", row,
                      fields_method_of(p.scheme)->order, (long long)p.n[0], (long long)p.n[1], (long long)p.n[2],
                      p.walls[0], p.walls[1], p.walls[2], p.tolerance, p.unknowns, moves(&p) ? ", moving" : "");
        compare_rows(&p, row, 1);
        if (k < 4 || long_suite()) paces_change_nothing(&p, row, 1);
        destroy_problem(&p);
    }
}

static void stream_agrees(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    row_agrees("cuda.stream");
}

static void fused_agrees(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    row_agrees("cuda.fused");
}

/* ------------------------------------------------------------------ PFHub's benchmarks between walls */

/* One run of an equation, with the initial values and the q of the problem. @param end  the last output time */
static void take(struct problem *p, const char *row, double end, double *u, double *scalars)
{
    const struct fields_source source = {fill, keep, p};
    const double output[] = {0, end}, *measured;
    struct fields_desc desc = desc_of(p, 1);
    const void *field;
    const char *error;
    struct sw_sim *sim;
    desc.times = output;
    assert_ok(fields_sim_create(&desc, row, device_of(row, 1), &source, &sim));
    assert_ok(sim->ops->load(sim, 1, &p->first_q, &error));
    if (error) fail_msg("%s", error);
    assert_ok(sw_sim_initial(sim));
    assert_ok(sim->ops->advance(sim, 0, p->tolerance > 0 ? SW_OWN_STEPS_TICKS : lround(end / p->dt)));
    assert_ok(sw_sim_get_state(sim, u));
    assert_ok(sw_sim_snapshot(sim, 0, SW_SNAPSHOT_SCALARS));
    assert_ok(sim->ops->fetch(sim, 0, &field, &measured));
    memcpy(scalars, measured, SW_LINE_SCALARS * sizeof *scalars);
    sim->ops->destroy(sim);
}

/* Of the first unknown, on n points a distance d apart. */
static void begin_problem(struct problem *p, int64_t nx, int64_t ny, double dx, double dy, const char *rhs,
                          const char *initial)
{
    const char *const texts[UNKNOWNS] = {rhs};
    p->axes = 2, p->unknowns = 1, p->order = 2, p->scheme = SW_IMEX3, p->first_q = 1;
    p->n[0] = nx, p->n[1] = ny, p->n[2] = 1;
    p->dx[0] = dx, p->dx[1] = dy, p->dx[2] = 1;
    read_terms(p, texts, &p->terms);
    p->initial[0] = compile_initial(initial);
    p->initial[1] = compile_initial("0");
}

/* 1b, without flux, coarser and shorter: also its mean stays what it is. */
static void closed_box_agrees(const char *row)
{
    static const char initial[] =
        "0.5 + 0.01*(cos(0.105*x)*cos(0.11*y) + (cos(0.13*x)*cos(0.087*y))^2 "
        "+ cos(0.025*x - 0.15*y)*cos(0.07*x - 0.02*y))";
    struct problem p = {.walls = {true, true}, .tolerance = 1e-4, .closed = {{1, 1}, {1, 1}}};
    double u[2][41 * 41], scalars[2][SW_LINE_SCALARS], mass = 0;
    for (int k = 0; k < 4; k++) p.wall[0][k / 2][k % 2].kind = FIELDS_SLOPE;
    begin_problem(&p, 41, 41, 5, 5, "5*lap(10*(u - 0.3)*(0.7 - u)*(1 - 2*u) - 2*lap(u))", initial);
    if (!has_room(&p, row)) fail_msg("%s has no room", row);
    take(&p, "cpu.plain", 100, u[0], scalars[0]);
    take(&p, row, 100, u[1], scalars[1]);
    struct problem still = p;
    still.tolerance = 0, still.dt = 1;
    double begin[41 * 41], measured[SW_LINE_SCALARS];
    take(&still, "cpu.plain", 0, begin, measured);
    mass = measured[SW_MASS];
    for (int c = 0; c < 41 * 41; c++) assert_near(u[1][c], u[0][c], 1e-11);
    assert_near(scalars[1][SW_MASS] / mass, 1, 1e-13);
    assert_near(scalars[1][SW_MASS] / scalars[0][SW_MASS], 1, 1e-13);
    destroy_problem(&p);
}

/* 7a, values at walls of y: with 32 cells its root mean square at t = 8 is 3.3e-2 off the exact solution
 * (docs/explanation/field_methods.md). Its source, what of the exact solution the rest of the equation lacks, is
 * (1 - h^2)/2 ((a_t - k a_xx)/sqrt(2 k) - h a_x^2), h = tanh((y - a)/sqrt(2 k)), k = 0.0004, a the front's place. */
#define ALPHA "(0.25 + 0.0075*t*sin(8*pi*x) + 0.03*sin(22*pi*x + 0.0625*pi*t))"
#define FRONT "tanh((y - " ALPHA ")/sqrt(0.0008))"
#define ALPHA_T "(0.0075*sin(8*pi*x) + 0.001875*pi*cos(22*pi*x + 0.0625*pi*t))"
#define ALPHA_X "(0.06*pi*t*cos(8*pi*x) + 0.66*pi*cos(22*pi*x + 0.0625*pi*t))"
#define ALPHA_XX "(-0.48*pi^2*t*sin(8*pi*x) - 14.52*pi^2*sin(22*pi*x + 0.0625*pi*t))"
static void front_agrees(const char *row)
{
    enum { CELLS = 32, NX = 2 * CELLS, NY = CELLS + 1 };
    struct problem p = {.walls = {false, true}, .dt = 0.1};
    double *u = malloc(2 * NX * NY * sizeof *u), scalars[2][SW_LINE_SCALARS], sum = 0;
    for (int side = 0; side < 2; side++) {
        p.wall[0][1][side].kind = FIELDS_VALUE;
        give(side ? "0" : "1", &p.wall[0][1][side].condition[0], &p.wall[0][1][side].rate[0]);
    }
    begin_problem(&p, NX, NY, 1.0 / NX, 0.5 / CELLS,
                  "-4*u*(u - 1)*(u - 0.5) + 0.0004*lap(u) + (1 - " FRONT "^2)/2*((" ALPHA_T " - 0.0004*" ALPHA_XX
                  ")/sqrt(0.0008) - " FRONT "*" ALPHA_X "^2)",
                  "(1 - tanh((y - 0.25 - 0.03*sin(22*pi*x))/sqrt(0.0008)))/2");
    take(&p, "cpu.plain", 8, u, scalars[0]);
    take(&p, row, 8, u + NX * NY, scalars[1]);
    for (int c = 0; c < NX * NY; c++) {
        const double pi = acos(-1), x = (c % NX) / (double)NX, y = c / NX * 0.5 / CELLS,
                     front = 0.25 + 0.06 * sin(8 * pi * x) + 0.03 * sin(22 * pi * x + 0.5 * pi),
                     exact = (1 - tanh((y - front) / sqrt(0.0008))) / 2;
        assert_near(u[NX * NY + c], u[c], 1e-11);
        sum += (u[NX * NY + c] - exact) * (u[NX * NY + c] - exact);
    }
    print_message("%s: 7a is off by %.3g\n", row, sqrt(sum / (NX * NY)));
    assert_near(sqrt(sum / (NX * NY)), 3.3e-2, 1e-3);
    free(u);
    destroy_problem(&p);
}

static void benchmarks_agree(void **state)
{
    static const char *const rows[] = {"cuda.stream", "cuda.fused"};
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    for (int k = 0; k < 2; k++) {
        closed_box_agrees(rows[k]);
        if (!small_suite()) front_agrees(rows[k]);
    }
}

/* No bit depends on where runs are interrupted, between walls that move, too. */
static void interrupted_runs_go_on(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    for (int k = 0; k < 4; k++) {
        struct problem p;
        double record[SW_OWN_STEPS_NUMBERS];
        const char *row = k % 2 ? "cuda.fused" : "cuda.stream";
        do {
            make_small_problem(&p, 2, false);
            if (k > 1 && p.scheme != SW_BACKWARD_EULER) p.tolerance = 1e-2;
            if (moves(&p) && (p.tolerance > 0) == (k > 1) && size_of(&p) < 1000) break;
            destroy_problem(&p);
        } while (true);
        const size_t size = size_of(&p);
        double *u = malloc(2 * size * sizeof *u), *again = u + size;
        struct sw_sim *sim = make(&p, row, 1, 0, 1);
        const int64_t end = end_of(&p);
        assert_ok(sw_sim_initial(sim));
        assert_ok(sim->ops->advance(sim, 0, end));
        assert_ok(sw_sim_get_state(sim, u));
        assert_ok(sw_sim_initial(sim));
        for (int part = 0; part < 3; part++) {
            assert_ok(sim->ops->advance(sim, end * part / 3, end * (part + 1) / 3));
            assert_ok(sw_sim_get_state(sim, again));
            if (p.tolerance > 0) assert_ok(sim->ops->records->get(sim, record));
            assert_ok(sw_sim_set_state(sim, again));
            if (p.tolerance > 0) assert_ok(sw_sim_set_record(sim, record));
        }
        sim->ops->destroy(sim);
        assert_memory_equal(u, again, size * sizeof *u);
        free(u);
        destroy_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stream_agrees), cmocka_unit_test(fused_agrees),
                                       cmocka_unit_test(benchmarks_agree),
                                       cmocka_unit_test(interrupted_runs_go_on)};
    return cmocka_run_group_tests(tests, open_emulated_host, close_emulated_host);
}
