/* Grids of one to three dimensions: lists and single numbers, names, groups, ids; and what is refused. The problem is
 * `compact`, which may have all three. */
#include <math.h>

#include "run/results.h"
#include "sweep_helpers.h"

static const char text[] = "problem = \"compact\";\n"
                           "grid = { n = 16; length = 1.0; };\n"
                           "field = \"cos(x)\";\n";
#define GRID(...) make_text(text, OVERRIDES(__VA_ARGS__))
#define REFUSED_GRID(expected, ...) refuse_text(text, OVERRIDES(__VA_ARGS__), expected)

/* ------------------------------------------------------------------ numbers */

static void expect(const struct made *m, int64_t run, const char *const column[4], const double value[4])
{
    for (int k = 0; k < 4; k++)
        if (!(number(m->sweep, column[k], run) == value[k])) fail_msg("%s of run %d", column[k], (int)run);
}
static const char *const n_of[] = {"grid.n", "grid.n.1", "grid.n.2", "grid.dim"},
                  *const length_of[] = {"grid.length", "grid.length.1", "grid.length.2", "grid.dim"},
                  *const x0_of[] = {"grid.x0", "grid.x0.1", "grid.x0.2", "grid.dim"};
#define EXPECT(m, run, columns, ...) expect(m, run, columns, (const double[]){__VA_ARGS__})

static void one_number_is_that_of_a_line(void **state)
{
    (void)state;
    struct made m = GRID("grid.x0=0.5");
    EXPECT(&m, 0, n_of, 16, 1, 1, 1);
    EXPECT(&m, 0, length_of, 1, 1, 1, 1);
    EXPECT(&m, 0, x0_of, 0.5, 0, 0, 1);
    unmake(&m);
    m = GRID("grid={ n=[32]; length=(\"n/16\"); x0=[0.5]; }");
    EXPECT(&m, 0, n_of, 32, 1, 1, 1);
    EXPECT(&m, 0, length_of, 2, 1, 1, 1);
    EXPECT(&m, 0, x0_of, 0.5, 0, 0, 1);
    unmake(&m);
}

/* Of problems on lines, too. */
static void a_list_of_one_number_is_a_line(void **state)
{
    (void)state;
    struct made m = MAKE("grid={ n=[32]; length=[2.0]; }");
    assert_null(strstr(m.sweep->problem->equation, "lap"));
    assert_true(number(m.sweep, "grid.n", 0) == 32 && number(m.sweep, "grid.length", 0) == 2);
    unmake(&m);
}

static void one_number_stands_for_all_dimensions(void **state)
{
    (void)state;
    struct made m = GRID("grid={ n=16; length=2.0; x0=0.5; dim=3; }");
    EXPECT(&m, 0, n_of, 16, 16, 16, 3);
    EXPECT(&m, 0, length_of, 2, 2, 2, 3);
    EXPECT(&m, 0, x0_of, 0.5, 0.5, 0.5, 3);
    unmake(&m);
}

static void a_list_has_a_number_for_each_dimension(void **state)
{
    (void)state;
    struct made m = GRID("grid={ n=[16, 32]; length=(1, \"2*lx\"); x0=-1; }");
    EXPECT(&m, 0, n_of, 16, 32, 1, 2);
    EXPECT(&m, 0, length_of, 1, 2, 1, 2);
    EXPECT(&m, 0, x0_of, -1, -1, 0, 2);
    unmake(&m);
}

static void dimensions_and_numbers_may_be_swept(void **state)
{
    (void)state;
    struct made m = GRID("sweep={ d=[1, 2, 3]; m=[16, 32]; }", "grid={ n=\"m\"; dim=\"d\"; length=\"m/16\"; }");
    for (int run = 0; run < 6; run++) {
        double d = 1 + run / 2, n = run % 2 ? 32 : 16;
        EXPECT(&m, run, n_of, n, d > 1 ? n : 1, d > 2 ? n : 1, d);
        EXPECT(&m, run, length_of, n / 16, d > 1 ? n / 16 : 1, d > 2 ? n / 16 : 1, d);
    }
    unmake(&m);
    m = GRID("sweep.m=[16, 32]", "grid.n=(\"m\", \"2*m\", \"m/2\")");
    EXPECT(&m, 1, n_of, 32, 64, 16, 3);
    unmake(&m);
}

static void expressions_know_the_numbers_by_name(void **state)
{
    (void)state;
    struct made m = GRID("grid={ n=[16, 32, 64]; length=(1, 2, 3); }",
                         "define={ p=\"n*nx*ny*nz\"; l=\"length*lx*ly*lz\"; }", "field=p*l*x*y*z");
    assert_near(number(m.sweep, "p", 0), 16.0 * 16 * 32 * 64, 0);
    assert_near(number(m.sweep, "l", 0), 6, 0);
    unmake(&m);
    m = GRID("sweep.ny=[8, 9]", "grid.n=(8, \"ny\")", "field=ny*x");  /* an axis shadows */
    assert_near(number(m.sweep, "ny", 1), 9, 0);
    assert_near(number(m.sweep, "grid.n.1", 1), 9, 0);
    unmake(&m);
}

/* ------------------------------------------------------------------ what is refused */

static void lists_that_make_no_grid_are_refused(void **state)
{
    (void)state;
    REFUSED_GRID("-s: error: 'sweep.ny' has the name of the key grid.n.1, which is not this axis: write \"ny\" in the "
                 "list grid.n, or give the axis another name\n", "sweep.ny=[1, 2]", "field=ny*x");
    REFUSED_GRID("-s: error: 'grid.n' is a list of 4: compact has 1 to 3 dimensions\n", "grid.n=[16, 16, 16, 16]");
    REFUSED_GRID("-s: error: 'grid.n' is a list of 0: compact has 1 to 3 dimensions\n", "grid.n=[]");
    REFUSED_GRID("-s: error: 'grid.length' is a list of 3, but 'grid.n' one of 2; one number stands for all "
                 "dimensions\n", "grid.n=[16, 16]", "grid.length=[1, 2, 3]");
    REFUSED_GRID("-s: error: 'grid.dim' = 3: 'grid.n' is a list of 2; leave grid.dim out\n", "grid.n=[16, 16]",
                 "grid.dim=3");
    REFUSED_GRID("-s: error: 'grid.dim' = 4: must be at most 3\n", "grid.dim=4");
    REFUSED_GRID("-s: error: 'grid.n' = 16.5: must be a whole number\n", "grid.n=(16, 16.5)");
    REFUSED_GRID("-s: error: 'grid.n' = 1000000 x 1000000 x 1000: at most 1e+12 points are possible\n",
                 "grid.n=[1000000, 1000000, 1000]");
    REFUSED("-s: error: 'grid.length' is a list of 0: hyperdiffusion is 1-D only; write one number\n",
            "grid.length=[]");
    REFUSED("-s: error: 'grid.dim' = 3: hyperdiffusion is 1-D only\n", "grid.dim=\"3\"");
}

static void numbers_that_need_each_other_are_refused(void **state)
{
    (void)state;
    REFUSED_GRID("ch.cfg:2: error: 'grid.n.1' depends on itself: ny -> dim -> ny\n", "grid.length=ny", "grid.dim=ny");
    REFUSED_GRID("-s: error: 'grid.n' depends on itself: n -> ny -> n\n", "grid.n=ny", "grid.dim=2");
}

static void a_coordinate_that_the_grid_does_not_have_is_refused(void **state)
{
    (void)state;
    REFUSED_GRID("-s: error: 'field' uses y, and the grid has 1 dimension; write grid.n = [nx, ny]\n", "field=cos(y)");
    REFUSED_GRID("-s: error: 'field' uses z, and the grid in run 0 (d = 2) has 2 dimensions; write grid.n = "
                 "[nx, ny, nz]\n", "field=cos(z)", "sweep.d=[2, 3]", "grid.dim=d");
    REFUSED("-s: error: 'initial', column 1: unknown name 'y'\n"
            "    y\n"
            "    ^  lines have one coordinate, x; y is there with grid.n = [nx, ny]\n",
            "initial=y");
}

/* ------------------------------------------------------------------ groups */

static void groups_tell_all_dimensions_apart(void **state)
{
    (void)state;
    int64_t run[8], count = 8;
    struct sw_group *g;
    int n;
    struct made m = GRID("sweep={ a=[16, 32]; b=[16, 32]; c=[16, 32]; }", "grid.n=[\"a\", \"b\", \"c\"]");
    for (int k = 0; k < 8; k++) run[k] = k;
    assert_ok(sw_sweep_groups(m.sweep, run, count, &g, &n));
    assert_int_equal(n, 8);
    for (int k = 0; k < 8; k++) {  /* x varies slowest */
        assert_int_equal(g[k].dim, 3);
        assert_int_equal(g[k].n[0], k & 4 ? 32 : 16);
        assert_int_equal(g[k].n[1], k & 2 ? 32 : 16);
        assert_int_equal(g[k].n[2], k & 1 ? 32 : 16);
        assert_int_equal(g[k].run[0], k);
    }
    assert_string_equal(g[3].name, "n00016x00032x00032");
    sw_groups_free(&g, n);
    unmake(&m);
    m = GRID("sweep.d=[1, 2, 3]", "grid.dim=d", "grid.n=\"d == 2 ? 32 : 16\"");
    assert_ok(sw_sweep_groups(m.sweep, run, 3, &g, &n));
    assert_int_equal(n, 3);
    assert_string_equal(g[0].name, "n00016");
    assert_string_equal(g[1].name, "n00016x00016x00016");
    assert_string_equal(g[2].name, "n00032x00032");
    sw_groups_free(&g, n);
    unmake(&m);
    m = GRID("grid.n=[16, 32]");
    assert_ok(sw_sweep_groups(m.sweep, run, 1, &g, &n));
    assert_string_equal(g[0].name, "");
    assert_int_equal(sw_points(g[0].n), 512);
    sw_groups_free(&g, n);
    unmake(&m);
}

static void groups_have_the_words_of_their_runs(void **state)
{
    (void)state;
    int64_t run[6] = {0, 1, 2, 3, 4, 5};
    struct sw_group *g;
    int n;
    struct made m = GRID("sweep={ s=[\"d1_c4\", \"d2_c4\"]; a=[\"x\", \"y\", \"z\"]; }", "grid.dim=3", "scheme=$s",
                         "axis=$a");
    assert_ok(sw_sweep_groups(m.sweep, run, 6, &g, &n));
    assert_int_equal(n, 6);
    for (int k = 0; k < 6; k++) {
        struct sw_setup setup = sw_sweep_setup(m.sweep, &g[k], 1);
        assert_true(sw_setup_chosen(&setup, "scheme", k < 3 ? "d1_c4" : "d2_c4"));
        assert_string_equal(sw_setup_word(&setup, "axis"), k % 3 == 0 ? "x" : k % 3 == 1 ? "y" : "z");
        assert_string_equal(sw_setup_word(&setup, "boundary"), "periodic");
        assert_null(sw_setup_word(&setup, "gauge"));
        assert_string_equal(g[k].name, "");
    }
    sw_groups_free(&g, n);
    unmake(&m);
}

static void words_of_an_axis_are_checked(void **state)
{
    (void)state;
    REFUSED_GRID("-s: error: 'sweep.a' = \"w\" is none of x, y, z\n", "sweep.a=[\"x\", \"w\"]",
                 "axis=$a");
    REFUSED_GRID("-s: error: 'axis' = \"$b\": the sweep has no axis of words 'b'\n", "axis=$b");
    REFUSED_GRID("-s: error: 'axis' = \"$m\": the sweep has no axis of words 'm'\n", "sweep.m=[1, 2]", "axis=$m",
                 "field=m*x");
    REFUSED_GRID("-s: error: 'axis' = \"X\" is none of x, y, z; did you mean 'x'?\n", "axis=X");
    REFUSED_GRID("-s: error: 'sweep.a' changes nothing: no key or expression uses it\n", "sweep.a=[\"x\", \"y\"]");
}

/* ------------------------------------------------------------------ points */

static void points_lie_as_the_boundary_says(void **state)
{
    (void)state;
    int64_t run[1] = {0};
    struct sw_group *g;
    int n;
    struct made m = GRID("grid={ n=[16, 33]; length=[1.0, 2.0]; x0=0.5; }", "axis=y", "boundary=3-4-6");
    double column[64];
    assert_true(m.sweep->ncolumn <= 64);
    assert_ok(sw_sweep_groups(m.sweep, run, 1, &g, &n));
    assert_ok(sw_sweep_columns(m.sweep, run, 0, 1, column));
    const struct sw_setup setup = sw_sweep_setup(m.sweep, g, 1);
    const struct sw_grid grid = sw_setup_grid(&setup, 1, column, 0);
    assert_near(grid.dx[0], 1.0 / 16, 0);  /* periodic: n intervals */
    assert_near(grid.dx[1], 2.0 / 32, 0);  /* both walls are points */
    assert_near(grid.dx[2], 1, 0);
    assert_near(grid.x0[0], 0.5, 0);
    assert_near(grid.x0[2], 0, 0);
    sw_groups_free(&g, n);
    unmake(&m);
}

/* ------------------------------------------------------------------ norms against `exact` */

static struct sw_program *compile(const char *expression, const struct sw_symbol *symbol, int count)
{
    const struct sw_scope scope = {.symbol = symbol, .count = count};
    struct sw_expr_error err;
    struct sw_program *program;
    struct sw_expr *expr;
    assert_ok(sw_expr_parse(expression, &expr, &err));
    assert_ok(sw_program_compile(expr, &scope, &program, &err));
    sw_expr_destroy(&expr);
    return program;
}

/* Of a problem with time: two runs on a box of 3 by 4 by 5 points, off by 1 at the last point and everywhere by 1/2. */
static void norms_are_of_all_points_of_a_box(void **state)
{
    (void)state;
    enum { NX = 3, NY = 4, NZ = 5, POINTS = NX * NY * NZ };
    static const char *const name[] = {"grid.length", "grid.length.1", "grid.length.2", "grid.x0.2", "time.dt", "a"};
    static const double column[][2] = {{3, 6}, {4, 8}, {5, 10}, {1, 2}, {0.5, 0.25}, {2, 3}};
    const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y},
                                       {"z", SW_RATE_CELL, SW_IN_Z}, {"t", SW_RATE_STEP, 0}, {"a", SW_RATE_RUN, 5}};
    struct sw_program *exact = compile("a*x + 10*y + 100*z + 1000*t", symbol, 5);
    const struct sw_function function = {.key = "exact", .program = exact};
    const struct sw_setup setup = {.dim = 3, .n = {NX, NY, NZ}, .ncolumn = 6, .column = name, .nfunction = 1,
                                   .function = &function};
    struct sw_run_result result[2] = {{.row = {.status = SW_RUN_DONE}}, {.row = {.status = SW_RUN_DONE}}};
    double u[2][POINTS], sum = 0;
    for (int j = 0; j < 2; j++)
        for (int p = 0; p < POINTS; p++) {  /* dx = 1, 2; t = 4 dt */
            const int i = p % NX, k = p / NX % NY, l = p / NX / NY;
            u[j][p] = column[5][j] * i * (1 + j) + 10 * k * (1 + j) + 100 * (column[3][j] + l * (1 + j)) +
                      4000 * column[4][j];
            if (!j) sum += u[j][p] * u[j][p];
            u[j][p] += j ? 0.5 : p == POINTS - 1;
        }
    assert_ok(results_norms_of_states(&setup, 2, 2, &column[0][0], &u[0][0], 4, result));
    assert_near(result[0].row.err_max, 1, 0);
    assert_near(result[0].row.err_l2, sqrt(1.0 / POINTS), 1e-15);
    assert_near(result[0].row.err_rel, 1 / sqrt(sum), 1e-15);
    assert_near(result[1].row.err_max, 0.5, 0);
    assert_near(result[1].row.err_l2, 0.5, 1e-15);
    sw_program_destroy(&exact);
}

/* ------------------------------------------------------------------ ids */

#define SAME_ID(left, right) assert_true(same_ids(GRID left, GRID right))
#define OTHER_ID(left, right) assert_false(same_ids(GRID left, GRID right))

static void an_id_is_of_the_grid_and_not_of_how_it_is_written(void **state)
{
    (void)state;
    SAME_ID(("grid.n=[16, 16]"), ("grid.dim=2"));
    SAME_ID(("grid={ n=[16, 16, 16]; length=[1.0, 1.0, 1.0]; }"), ("grid.dim=3"));
    SAME_ID(("grid.n=[16]"), ("grid.n=16"));
    SAME_ID(("sweep.a=[\"x\", \"y\"]", "axis=$a", "grid.dim=2"), ("axis=x", "grid.dim=2"));
    SAME_ID(("sweep={ a=[\"x\", \"y\"]; s=[\"d2_c4\", \"d1_c4\"]; }", "axis=$a", "scheme=$s", "grid.dim=2"),
            ("scheme=d2_c4", "grid.dim=2"));
    OTHER_ID(("grid.n=16"), ("grid.n=[16, 1]"));
    OTHER_ID(("grid.n=[16, 32]"), ("grid.n=[32, 16]"));
    OTHER_ID(("grid.n=[16, 16]"), ("grid.n=[16, 16, 16]"));
    OTHER_ID(("grid={ n=[16, 16]; length=[1.0, 2.0]; }"), ("grid.n=[16, 16]"));
    OTHER_ID(("grid={ n=[16, 16]; x0=[0.0, 2.0]; length=1.0; }"), ("grid.n=[16, 16]"));
    OTHER_ID(("axis=y", "grid.dim=2"), ("axis=x", "grid.dim=2"));
    OTHER_ID(("scheme=d1_c4"), ("scheme=d1_c6"));
    OTHER_ID(("boundary=3-4-6"), ("boundary=4-4-6"));
}

/* Nothing else knows these: files written before there were dimensions must be found again. */
static void ids_of_one_dimension_are_what_they_were(void **state)
{
    (void)state;
    static const struct { const char *config; uint64_t id; const char *sweep_id; } known[] = {
        {"configs/tiny_ch.cfg", 0xb311ba5ec3fe2e71u, "a2c2f940a62c"},
        {"configs/tiny_heat.cfg", 0x21d7d5610e718e6au, "1d4832556f98"},
        {"configs/tiny_hyperdiffusion.cfg", 0x985886ff67d60d31u, "a3ab5dc04f33"},
        {"configs/tiny_nsweep.cfg", 0xd12691db310c8727u, "65047f412851"},
        {"configs/tiny_bvp.cfg", 0x42248934c159d979u, "265ff8d9c52f"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct sw_report report = {0};
        struct made m = {0};
        uint64_t *id;
        assert_ok(sw_config_read(known[k].config, NULL, 0, &report, &m.config));
        assert_ok(sw_sweep_expand(m.config, &report, &m.sweep));
        assert_ok(sw_alloc((size_t)m.sweep->nruns, &id));
        assert_ok(sw_sweep_ids(m.sweep, 0, m.sweep->nruns, id));
        assert_int_equal(id[0], known[k].id);
        assert_string_equal(m.sweep->id, known[k].sweep_id);
        sw_free(id);
        sw_report_free(&report);
        unmake(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_is_that_of_a_line),
        cmocka_unit_test(a_list_of_one_number_is_a_line),
        cmocka_unit_test(one_number_stands_for_all_dimensions),
        cmocka_unit_test(a_list_has_a_number_for_each_dimension),
        cmocka_unit_test(dimensions_and_numbers_may_be_swept),
        cmocka_unit_test(expressions_know_the_numbers_by_name),
        cmocka_unit_test(lists_that_make_no_grid_are_refused),
        cmocka_unit_test(numbers_that_need_each_other_are_refused),
        cmocka_unit_test(a_coordinate_that_the_grid_does_not_have_is_refused),
        cmocka_unit_test(groups_tell_all_dimensions_apart),
        cmocka_unit_test(groups_have_the_words_of_their_runs),
        cmocka_unit_test(words_of_an_axis_are_checked),
        cmocka_unit_test(points_lie_as_the_boundary_says),
        cmocka_unit_test(norms_are_of_all_points_of_a_box),
        cmocka_unit_test(an_id_is_of_the_grid_and_not_of_how_it_is_written),
        cmocka_unit_test(ids_of_one_dimension_are_what_they_were),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
