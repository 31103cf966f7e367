/* From a config to runs: keys, axes, columns, names, functions, and what is refused. */
#include <math.h>
#include <stdlib.h>

#include "base/sw_text.h"
#include "sweep_helpers.h"

/* ------------------------------------------------------------------ axes */

static void check_axis(const char *axis, int count, const double *value)
{
    char text[200];
    snprintf(text, sizeof text, "sweep.a=%s", axis);
    struct made m = MAKE(text, "initial=a*x");
    assert_int_equal(m.sweep->nruns, count);
    for (int k = 0; k < count; k++)
        if (number(m.sweep, "a", k) != value[k])
            fail_msg("%s: value %d is %.17g, not %.17g", axis, k, number(m.sweep, "a", k), value[k]);
    unmake(&m);
}
#define AXIS(axis, ...) \
    check_axis(axis, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__})

static void axes_hold_the_values_one_would_write(void **state)
{
    (void)state;
    AXIS("[1, 2, 4]", 1, 2, 4);
    AXIS("(1, 0.5, \"2*pi\")", 1, 0.5, 2 * M_PI);
    AXIS("3", 3);
    AXIS("\"2*e\"", 2 * M_E);
    AXIS("linspace(0, 1, 11)", 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1);
    AXIS("linspace(1, -1, 3)", 1, 0, -1);
    AXIS("linspace(2, 5, 1)", 2);
    AXIS(" linspace ( 0 , 2*(pi + 1), 2 ) ", 0, 2 * (M_PI + 1));
    AXIS("logspace(1e-3, 10, 5)", 1e-3, 1e-2, 1e-1, 1, 10);
    AXIS("range(1, 4)", 1, 2, 3, 4);
    AXIS("range(0, 1, 0.1)", 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1);
    AXIS("range(1, 2, 0.75)", 1, 1.75);
    AXIS("range(5, 1, -2)", 5, 3, 1);
    AXIS("range(3, 3)", 3);
    AXIS("range(0.1, 0.3, 0.1)", 0.1, 0.2, 0.3);
    AXIS("linspace(0.1, 0.9, 9)", 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9);
    AXIS("range(-0.3, 0.3, 0.1)", -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3);
    AXIS("range(1e-12, 7e-12, 3e-12)", 1e-12, 4e-12, 7e-12);
    AXIS("linspace(0, 1, 7)", 0, 1.0 / 6, 1.0 / 3, 0.5, 2.0 / 3, 5.0 / 6, 1);
    AXIS("range(0, 1, 1/3)", 0, 1.0 / 3, 2.0 / 3, 1);
    AXIS("logspace(0.002, 20, 5)", 0.002, 0.02, 0.2, 2, 20);
    AXIS("logspace(1, 64, 7)", 1, 2, 4, 8, 16, 32, 64);
    AXIS("logspace(1, 2, 3)", 1, 1.4142135623730951, 2);
}

/* "0.037" of 37 and 3. */
static const char *decimal(int64_t whole, int places, char text[40])
{
    snprintf(text, 40, "%llde-%d", (long long)whole, places);
    return text;
}

/* What strtod() makes of the decimals that a start and a step, or two ends and a count, say: at random. */
static void axes_hold_the_decimals_that_start_and_step_say(void **state)
{
    uint64_t random = 13;
    (void)state;
    for (int k = 0; k < 300; k++) {
        enum { COUNT = 40 };
        const int places = k % 9;
        const int64_t first = (int64_t)(1e6 * test_random(&random)),
                      step = 1 + (int64_t)(1e4 * fabs(test_random(&random)));
        char a[40], b[40], c[40], axis[160];
        decimal(first, places, a);
        decimal(first + step * (COUNT - 1), places, b);
        for (int spaced = 0; spaced < 2; spaced++) {
            double expected[COUNT];
            for (int i = 0; i < COUNT; i++) expected[i] = strtod(decimal(first + step * i, places, c), NULL);
            if (spaced) snprintf(axis, sizeof axis, "linspace(%s, %s, %d)", a, b, COUNT);
            else snprintf(axis, sizeof axis, "range(%s, %s, %s)", a, b, decimal(step, places, c));
            check_axis(axis, COUNT, expected);
        }
    }
}

static void bad_axes_are_refused(void **state)
{
    (void)state;
    REFUSED("-s: error: 'sweep.a' is empty: an axis needs a value\n", "sweep.a=[]");
    REFUSED("-s: error: 'sweep.a' is empty: steps of 1 from 3 do not lead to 2\n", "sweep.a=range(3, 2)");
    REFUSED("-s: error: 'sweep.a': a step of 0\n", "sweep.a=range(3, 2, 0)");
    REFUSED("-s: error: 'sweep.a' has 1e+18 values, more than 1e+07\n", "sweep.a=range(0, 1, 1e-18)");
    REFUSED("-s: error: 'sweep.a': a step of 1 is lost in rounding at 1e+17\n", "sweep.a=range(1e17 - 32, 1e17)");
    REFUSED("-s: error: 'sweep.a': write linspace(a, b, k)\n", "sweep.a=linspace(0, 1)");
    REFUSED("-s: error: 'sweep.a': write range(a, b) or range(a, b, step)\n", "sweep.a=range(0, 1, 2, 3)");
    REFUSED("-s: error: 'sweep.a': 2.5 is no number of values from 1 to 1e+07\n", "sweep.a=linspace(0, 1, 2.5)");
    REFUSED("-s: error: 'sweep.a': 0 is no number of values from 1 to 1e+07\n", "sweep.a=linspace(0, 1, 0)");
    REFUSED("-s: error: 'sweep.a': all 5 values are 1\n", "sweep.a=linspace(1, 1, 5)");
    REFUSED("-s: error: 'sweep.a': the ends of logspace must be positive (they are ends, not exponents)\n",
            "sweep.a=logspace(-3, 1, 5)");
    REFUSED("-s: error: 'sweep.a': \"q\" is not a finite constant; an axis may use numbers, pi and e only\n",
            "sweep.a=linspace(0, q, 5)");
    REFUSED("-s: error: 'sweep.a': \"1/0\" is not a finite constant; an axis may use numbers, pi and e only\n",
            "sweep.a=linspace(0, 1/0, 5)");
    REFUSED("-s: error: 'sweep.a': number '1e999' is too large: the largest is 1.79e308\n", "sweep.a=[0.0, 1e999]");
    REFUSED("-s: error: 'sweep.a' has the value 0.1 twice\n", "sweep.a=[0.1, 0.2, 0.1]", "initial=a");
    REFUSED("-s: error: 'sweep.a' must hold numbers only or words only\n", "sweep.a=(\"one\", 2)");
    REFUSED("-s: error: 'sweep.a': \"b c\" is neither a word nor a constant expression\n",
            "sweep.a=[\"one\", \"b c\"]");
    REFUSED("-s: error: 'sweep.a' must be a list or a number\n", "sweep.a=true");
    REFUSED("-s: error: 'sweep.a' = \"b\" is no axis: give a list, linspace(a, b, k), logspace(a, b, k), range(a, b, "
            "step); what "
            "follows from other parameters belongs into define\n",
            "sweep.a=b");
    REFUSED("-s: error: 'sweep.a': uniform needs sweep.mode = \"random\"\n", "sweep.a=uniform(0, 1)");
    REFUSED("-s: error: 'sweep.a' changes nothing: no key or expression uses it\n", "sweep.a=[1, 2]");
}

static void a_product_varies_the_last_axis_fastest(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ a=[1, 2]; b=[10, 20, 30]; c=5; }", "initial=a*b*c");
    char text[60];
    assert_int_equal(m.sweep->nruns, 6);
    assert_int_equal(m.sweep->naxis, 3);
    assert_string_equal(m.sweep->mode, "product");
    assert_near(number(m.sweep, "a", 2), 1, 0);
    assert_near(number(m.sweep, "b", 2), 30, 0);
    assert_near(number(m.sweep, "a", 3), 2, 0);
    assert_near(number(m.sweep, "b", 3), 10, 0);
    sw_sweep_describe(m.sweep, 4, text, sizeof text);
    assert_string_equal(text, "a = 2, b = 20, c = 5");
    sw_sweep_describe(m.sweep, 4, text, 8);
    assert_string_equal(text, "a = 2, ");
    unmake(&m);
    m = make_text(base_text, NULL, 0);
    assert_int_equal(m.sweep->nruns, 1);
    unmake(&m);
}

static void a_product_too_large_is_refused_with_the_arithmetic(void **state)
{
    (void)state;
    REFUSED("-s: error: a(100000) x b(20000) = 2e+09 runs, more than 1e+07, the most that a sweep may have, and some "
            "800 GB of memory before their first step: shorten an axis\n",
            "sweep={ a=\"range(1, 100000)\"; b=\"range(1, 20000)\"; }", "initial=a*b");
}

static void zip_walks_the_axes_together(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ mode=\"zip\"; a=[1, 1, 2]; b=\"range(4, 6)\"; }", "initial=a*b");
    assert_int_equal(m.sweep->nruns, 3);
    assert_near(number(m.sweep, "a", 1), 1, 0);
    assert_near(number(m.sweep, "b", 1), 5, 0);
    unmake(&m);
    REFUSED("-s: error: sweep.mode = \"zip\" needs axes of one length, not a(3), b(2)\n",
            "sweep={ mode=\"zip\"; a=[1, 2, 3]; b=[4, 5]; }", "initial=a*b");
}

static void axes_of_words_choose_the_stepper(void **state)
{
    (void)state;
    struct made m =
        MAKE("sweep={ algorithm=[\"cpu.plain\", \"auto\"]; a=[1, 2]; }", "stepper=$algorithm", "initial=a*x");
    struct sw_group *group;
    int64_t run[4] = {0, 1, 2, 3};
    int n;
    assert_near(number(m.sweep, "algorithm", 3), 1, 0);
    assert_int_equal(m.sweep->column[m.sweep->axis[0].column].nword, 2);
    assert_string_equal(m.sweep->column[m.sweep->axis[0].column].word[0], "cpu.plain");
    char text[60];
    sw_sweep_describe(m.sweep, 2, text, sizeof text);
    assert_string_equal(text, "algorithm = auto, a = 1");
    assert_ok(sw_sweep_groups(m.sweep, run, 4, &group, &n));
    assert_int_equal(n, 2);
    assert_string_equal(group[0].solver, "cpu.plain");
    assert_null(group[1].solver);
    assert_int_equal(group[1].run[0], 2);
    sw_groups_free(&group, n);
    unmake(&m);
    REFUSED("-s: error: 'stepper' = \"$algorithm\": the sweep has no axis of words 'algorithm'\n",
            "stepper=$algorithm");
    REFUSED("-s: error: 'stepper' = \"$a\": the sweep has no axis of words 'a'\n", "stepper=$a", "sweep.a=[1, 2]",
            "initial=a");
    REFUSED("-s: error: 'sweep.w' has \"auto\" twice\n", "sweep.w=[\"auto\", \"cpu.simd\", \"auto\"]", "stepper=$w");
    REFUSED("-s: error: 'initial', column 3: 'w' is an axis of words, not a number\n"
            "    2*w\n"
            "      ^  the string \"$w\" stands for its word\n",
            "sweep.w=[\"auto\", \"cpu.simd\"]", "stepper=$w", "initial=2*w");
}

/* ------------------------------------------------------------------ names and expressions */

static void numbers_may_be_expressions_in_any_order(void **state)
{
    (void)state;
    struct made m = MAKE("define={ c=\"b + 1\"; b=\"2*a\"; q=\"2*pi*4/length\"; }", "sweep.a=[1, 2]",
                         "grid.length=c*pi", "initial=cos(q*x)", "physics.gamma=\"D/2\"");
    assert_near(number(m.sweep, "b", 1), 4, 0);
    assert_near(number(m.sweep, "c", 1), 5, 0);
    assert_near(number(m.sweep, "grid.length", 1), 5 * M_PI, 0);
    assert_near(number(m.sweep, "q", 1), 2 * M_PI * 4 / (5 * M_PI), 0);
    assert_near(number(m.sweep, "physics.gamma", 0), 0.5, 0);
    unmake(&m);
}

static void an_axis_shadows_the_key_of_its_name(void **state)
{
    (void)state;
    struct made m =
        MAKE("sweep={ n=[32, 64]; gamma=[2, 3]; }", "grid.n=n", "physics.gamma=gamma", "define.w=n + gamma");
    assert_near(number(m.sweep, "grid.n", 2), 64, 0);
    assert_near(number(m.sweep, "physics.gamma", 3), 3, 0);
    assert_near(number(m.sweep, "w", 3), 67, 0);
    unmake(&m);
}

static void columns_are_keys_then_axes_then_defines(void **state)
{
    (void)state;
    struct made m = MAKE("sweep.a=[1, 2]", "define={ one=1; two=\"a\"; }", "grid.length=two");
    static const char *const expected[] = {"grid.n", "grid.length", "grid.x0", "grid.dim", "time.dt", "time.end"};
    const struct sw_sweep *s = m.sweep;
    for (int k = 0; k < 6; k++) assert_string_equal(s->column_name[k], expected[k]);
    assert_string_equal(s->column_name[s->ncolumn - 3], "a");
    assert_string_equal(s->column_name[s->ncolumn - 1], "two");
    assert_int_equal(s->column[s->ncolumn - 3].kind, SW_COLUMN_AXIS);
    assert_int_equal(s->column[s->ncolumn - 1].kind, SW_COLUMN_DEFINE);
    assert_int_equal(s->axis[0].column, s->ncolumn - 3);
    assert_true(s->column[0].uniform && s->column[0].given);
    assert_false(s->column[1].uniform);
    assert_true(s->column[2].uniform && !s->column[2].given);
    assert_true(s->column[s->ncolumn - 2].uniform);
    assert_false(s->column[s->ncolumn - 1].uniform);
    assert_string_equal(s->column[0].unit, "points");
    unmake(&m);
}

static void columns_are_the_same_in_blocks_and_one_by_one(void **state)
{
    (void)state;
    struct made m =
        MAKE("sweep={ a=\"range(1, 70)\"; b=\"linspace(0, 1, 50)\"; }", "define={ c=\"sin(a)*b\"; }", "initial=a+b+c");
    enum { RUNS = 3500 };
    double *all, *one;
    assert_int_equal(m.sweep->nruns, RUNS);
    int n = m.sweep->ncolumn;
    assert_ok(sw_alloc((size_t)(n * RUNS), &all));
    assert_ok(sw_alloc((size_t)n, &one));
    assert_ok(sw_sweep_columns(m.sweep, NULL, 0, RUNS, all));
    for (int64_t r = 0; r < RUNS; r += 97) {
        assert_ok(sw_sweep_columns(m.sweep, NULL, r, 1, one));
        for (int k = 0; k < n; k++) assert_near(all[k * RUNS + r], one[k], 0);
        assert_near(one[n - 1], sin(1.0 + (double)(r / 50)) * ((double)(r % 50) / 49), 0);
    }
    sw_free(all);
    sw_free(one);
    unmake(&m);
}

static void cycles_are_shown(void **state)
{
    (void)state;
    REFUSED("-s: error: 'define.a' depends on itself: a -> b -> c -> a\n", "define={ a=\"b\"; b=\"c + 1\"; c=\"a\"; }");
    REFUSED("-s: error: 'grid.n' depends on itself: n -> n\n", "grid.n=n");
    REFUSED("-s: error: 'grid.length' depends on itself: length -> k -> length\n", "grid.length=2*k",
            "define.k=\"pi/length\"");
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    REFUSED("-s: error: 'sweep.sin' cannot be called 'sin': it is a function or constant of the expressions\n",
            "sweep.sin=1");
    REFUSED("-s: error: 'sweep.pi' cannot be called 'pi': it is a function or constant of the expressions\n",
            "sweep.pi=1");
    REFUSED("-s: error: 'define.e' cannot be called 'e': it is a function or constant of the expressions\n",
            "define.e=1");
    REFUSED("-s: error: 'define.x' cannot be called 'x': it is a coordinate, the time or the field\n", "define.x=1");
    REFUSED("-s: error: 'sweep.t' cannot be called 't': it is a coordinate, the time or the field\n", "sweep.t=1");
    REFUSED("-s: error: 'sweep.mass' cannot be called 'mass': it is a variable of the output file\n", "sweep.mass=1");
    REFUSED("-s: error: 'sweep.run' cannot be called 'run': it is a variable of the output file\n", "sweep.run=1");
    REFUSED("-s: error: 'sweep.state' cannot be called 'state': it is a variable of the output file\n",
            "sweep.state=1");
    REFUSED("-s: error: 'sweep.n00064' cannot be called 'n00064': it is a variable of the output file\n",
            "sweep.n00064=1");
    REFUSED("-s: error: 'define.a' is an axis of the sweep as well; choose another name\n", "sweep.a=1", "define.a=1");
    refuse_text("problem = \"hyperdiffusion\"; grid = { n = 16; length = 1.0; }; physics = { gamma = 1.0; D = 1.0; };\n"
                "time = { dt = 0.1; end = 1.0; }; initial = \"0\";\ndefine = { a-b = 1; };\n", NULL, 0,
                "ch.cfg:3: error: 'define.a-b' cannot be called 'a-b': a name is made of letters, digits and _\n");
}

static void unknown_names_in_expressions_get_a_caret(void **state)
{
    (void)state;
    refuse_text(
        "problem = \"hyperdiffusion\";\ngrid = { n = 16; length = 1.0; };\nphysics = { gamma = 1.0; D = 1.0; };\n"
        "time = { dt = 0.1; end = 1.0; };\ninitial = \"0\";\nsweep = { A = [1, 2]; };\ndefine = { k = \"2*pi/length\"; "
        "};\n"
        "forcing = \"A*sin(kx*x)*exp(-t)\";\n",
        NULL, 0,
        "ch.cfg:8: error: 'forcing', column 7: unknown name 'kx'\n"
        "    A*sin(kx*x)*exp(-t)\n"
        "          ^~  known: x t u A k n length dt end gamma D pi e\n");
    REFUSED(
        "-s: error: 'define.k', column 1: unknown name 'x'\n    x + 1\n    ^  known: k n length dt end gamma D pi e\n",
        "define.k=x + 1");
    REFUSED("-s: error: 'time.dt', column 3: missing operand after '*'\n    2 *\n      ^\n", "time.dt=2 *");
    REFUSED("-s: error: 'initial', column 1: unknown name 't'\n    t\n    ^  known: x n length dt end gamma D pi e\n",
            "initial=t");
}

static void functions_are_compiled_over_the_columns(void **state)
{
    (void)state;
    struct made m = MAKE("sweep.a=[1, 2]", "initial=a*x", "forcing=a*t", "exact=0.5");
    const struct sw_sweep *s = m.sweep;
    assert_int_equal(s->nfunction, 3);
    assert_string_equal(s->function[0].key, "initial");
    assert_string_equal(s->function[0].text, "a*x");
    assert_string_equal(s->function[2].text, "0.5");
    assert_int_equal(sw_program_rate(s->function[0].program), SW_RATE_CELL);
    assert_int_equal(sw_program_rate(s->function[1].program), SW_RATE_STEP);
    assert_int_equal(sw_program_rate(s->function[2].program), SW_RATE_RUN);
    assert_true(sw_program_uses(s->function[1].program, "a"));
    struct sw_setup setup = sw_sweep_setup(s, &(struct sw_group){.dim = 1, .n = {16, 1, 1}}, 7);
    assert_ptr_equal(sw_setup_function(&setup, "forcing"), s->function[1].program);
    assert_int_equal(sw_setup_column(&setup, "time.dt"), 4);
    assert_int_equal(setup.capacity, 7);
    assert_null(setup.solver);
    unmake(&m);
    m = MAKE("initial=0.25");
    assert_string_equal(m.sweep->function[0].text, "0.25");
    assert_int_equal(m.sweep->nfunction, 1);
    unmake(&m);
    REFUSED("-s: error: 'initial.file' = \"a.h5\": there is no such file; a path begins in this folder\n",
            "initial={ file=\"a.h5\"; }");
    REFUSED("-s: error: 'forcing' is a group; write an expression in quotes\n", "forcing={ file=\"a.h5\"; }");
    REFUSED("-s: error: 'initial' must be an expression in quotes\n", "initial=[1, 2]");
    REFUSED("-s: error: 'exact', column 1: randn cannot be used here\n    randn(1)\n    ^~~~~  random numbers belong "
            "to fields, as in initial\n",
            "exact=randn(1)");
}

/* ------------------------------------------------------------------ keys */

static void unknown_keys_are_named_with_the_nearest(void **state)
{
    (void)state;
    refuse_text(
        "problem = \"hyperdiffusion\";\ngrid = { n = 16; length = 1.0; };\nphysics = { gamma = 1.0; D = 1.0; };\n"
        "time = { dt = 0.1; end = 1.0;\n  ende = 2.0; };\ninitial = \"0\";\ngird = { n = 3; };\nlength = 3.0;\nfoo = "
        "1;\n",
        NULL, 0,
        "ch.cfg:5: error: unknown key 'time.ende'; did you mean 'end'?\n"
        "ch.cfg:7: error: unknown key 'gird'; did you mean 'grid'?\n"
        "ch.cfg:8: error: unknown key 'length'; did you mean 'grid.length'?\n"
        "ch.cfg:9: error: unknown key 'foo'; known here: title problem stepper grid time stop sweep table sample "
        "refine reuse define output statistics accuracy run physics method order boundary left right initial forcing "
        "noise exact\n");
    REFUSED("-s: error: 'physics.kappa' is a key of heat, not of hyperdiffusion; known here: gamma D\n",
            "physics.kappa=1");
    REFUSED("-s: error: unknown key 'output.fields.time'; did you mean 'times'?\n", "output.fields.time=[1.0]");
    REFUSED("-s: error: unknown key 'output.every'; did you mean 'output.scalars.every'?\n", "output.every=0.1");
    REFUSED("-s: error: unknown key 'INITIAL'; did you mean 'initial'?\n", "INITIAL=x");
    REFUSED("-s: error: unknown key 'forc'; did you mean 'forcing'?\n", "forc=x");
    REFUSED("-s: error: unknown key 'output.fields.tims'; did you mean 'times'?\n", "output.fields.tims=[0]");
}

/* A key that is missing because it is misspelt is told once; another is told as well. */
static void a_misspelt_key_is_not_missing_as_well(void **state)
{
    (void)state;
    refuse_text("problem = \"heat\";\ngrid = { n = 16; lenght = 1.0; };\ntime = { dtt = 0.1; };\ninital = \"0\";\n",
                NULL, 0,
                "ch.cfg:2: error: unknown key 'grid.lenght'; did you mean 'length'?\n"
                "ch.cfg:3: error: unknown key 'time.dtt'; did you mean 'dt'?\n"
                "ch.cfg:3: error: 'time.end' is missing: Time at which a run ends; it starts at 0.\n"
                "ch.cfg:4: error: unknown key 'inital'; did you mean 'initial'?\n"
                "ch.cfg: error: 'physics.kappa' is missing: The conductivity kappa.\n");
    refuse_text("problem = \"heat\";\ngird = { n = 16; };\ntime = { dt = 0.1; end = 1.0; };\ninitial = \"0\";\n"
                "physics = { kappa = 1.0; };\n",
                NULL, 0,
                "ch.cfg:2: error: unknown key 'gird'; did you mean 'grid'?\n"
                "ch.cfg: error: 'grid.length' is missing: Length of the domain.\n");
}

static void an_empty_end_is_refused(void **state)
{
    (void)state;
    REFUSED("-s: error: 'left' is empty: say in it what is known at that end, by one of dirichlet, neumann, dxx, dxxx; "
            "or leave it out and set boundary = \"periodic\" or \"no_flux\"\n", "left={}");
}

/* A line of such a message. */
static const char *with_problems(const char *before, const char *after)
{
    static char line[400];
    int end = snprintf(line, sizeof line, "%s", before);
    for (int k = 0; sw_problem_table[k]; k++)
        end += snprintf(line + end, sizeof line - (size_t)end, "%s%s", k ? ", " : "", sw_problem_table[k]->name);
    snprintf(line + end, sizeof line - (size_t)end, "%s\n", after);
    return line;
}

static void missing_keys_are_named_at_their_group(void **state)
{
    (void)state;
    refuse_text("problem = \"hyperdiffusion\";\ngrid = { n = 16; };\nphysics = { gamma = 1.0; D = 1.0; };\nsweep = { "
                "dt = [1, 2]; };\ninitial = \"0\";\n",
                NULL, 0,
                "ch.cfg:2: error: 'grid.length' is missing: Length of the domain.\n"
                "ch.cfg: error: 'time.end' is missing: Time at which a run ends; it starts at 0.\n");
    refuse_text("title = \"x\";", NULL, 0, with_problems("ch.cfg: error: 'problem' is missing: one of ", ""));
    refuse_text("title = \"x\";\nprobem = \"heat\";", NULL, 0,
                "ch.cfg:2: error: unknown key 'probem'; did you mean 'problem'?\n");
    REFUSED("-s: error: unknown problem 'haet'; did you mean 'heat'?\n", "problem=haet");
    REFUSED(with_problems("-s: error: unknown problem 'wave'; known: ", ""), "problem=wave");
}

static void wrong_types_are_refused(void **state)
{
    (void)state;
    REFUSED(
        "-s: error: 'grid' is a group of n, length, x0, dim: write grid = { ... };\n"
        "-s: error: 'grid.n' is missing: Number of grid points; on a periodic domain of length L they are L/n apart.\n"
        "-s: error: 'grid.length' is missing: Length of the domain.\n",
        "grid=3");
    REFUSED("-s: error: 'grid.n' is a list of 0: hyperdiffusion is 1-D only; write one number\n", "grid.n=[]");
    REFUSED("-s: error: 'sweep' is a group: write sweep = { ... };\n", "sweep=3");
    REFUSED("-s: error: 'title' must be a text in quotes\n", "title=3");
    REFUSED("-s: error: 'sweep.mode' = \"prodct\" is none of product, zip, random, table; did you mean 'product'?\n",
            "sweep.mode=prodct");
    REFUSED("-s: error: 'output.fields.precision' = \"half\" is none of double, single\n",
            "output.fields={ times=[0]; precision=\"half\"; }");
    REFUSED("-s: error: 'run.device': there is no device 'gpu'; use auto, cpu, cuda, cuda:N or "
            "cuda:N,M,...\n", "run.device=gpu");
    REFUSED("-s: error: 'run.batch' = 2.5: must be a whole number\n", "run.batch=2.5");
    REFUSED("-s: error: 'run.checkpoint' = -1: must be at least 0\n", "run.checkpoint=-1");
    REFUSED(
        "-s: error: 'run.batch' has one value for the whole sweep: a number, or an expression in numbers, pi and e\n",
        "run.batch=n");
    REFUSED("-s: error: 'run.precision' = \"half\" is none of double, single\n", "run.precision=half");
    REFUSED("-s: error: 'sample' needs sweep.mode = \"random\"\n", "sample.count=3");
}

static void options_have_their_defaults(void **state)
{
    (void)state;
    struct made m = make_text(base_text, NULL, 0);
    assert_string_equal(m.sweep->title, "");
    assert_string_equal(m.sweep->file, "results/ch.h5");
    assert_string_equal(m.sweep->device, "auto");
    assert_near(m.sweep->checkpoint_minutes, -10, 0);  /* as seldom as that */
    assert_int_equal(m.sweep->batch, 0);
    assert_false(m.sweep->single_fields || m.sweep->save_fields || m.sweep->save_scalars);
    unmake(&m);
}

static void options_are_taken(void **state)
{
    (void)state;
    struct made m = MAKE("title=two words", "output={ file=\"a/b.h5\"; fields={ times=[0]; precision=\"single\"; }; }",
                         "output.scalars.every=0.5", "run={ device=\"cuda:1\"; checkpoint=0.5; batch=7; }");
    assert_string_equal(m.sweep->title, "two words");
    assert_string_equal(m.sweep->file, "a/b.h5");
    assert_string_equal(m.sweep->device, "cuda:1");
    assert_near(m.sweep->checkpoint_minutes, 0.5, 0);
    assert_int_equal(m.sweep->batch, 7);
    assert_true(m.sweep->single_fields && m.sweep->save_fields && m.sweep->save_scalars);
    unmake(&m);
}

static void options_of_the_wrong_kind_are_refused(void **state)
{
    (void)state;
    REFUSED(with_problems("-s: error: 'problem' must be one of ", ", in quotes"), "problem=3");
    REFUSED("-s: error: 'sweep.mode' has one value for the whole sweep: product, zip, random, table\n",
            "sweep.mode=$m");
    REFUSED("-s: error: 'run.batch' must be a number\n", "run.batch=[1]");
    REFUSED("-s: error: 'stepper' is empty; \"auto\" takes the best that fits\n", "stepper=");
    REFUSED("-s: error: 'sweep.a': number '1e999' is too large: the largest is 1.79e308\n", "sweep.a=1e999");
    REFUSED("-s: error: 'define.a' must be a number, or an expression in quotes\n", "define.a=[1, 2]");
}

static void an_axis_of_too_many_words_is_refused(void **state)
{
    (void)state;
    struct sw_text text = {0};
    sw_text_add(&text, "sweep.w=[\"w\"");
    for (int k = 0; k < 1000; k++) sw_text_printf(&text, ", \"w%d\"", k);
    sw_text_add(&text, "]");
    REFUSED("-s: error: 'sweep.w' has 1001 words, more than 1000\n", sw_text_get(&text), "stepper=$w");
    sw_text_free(&text);
}

/* ------------------------------------------------------------------ ranges, over all runs */

static void numbers_out_of_range_are_refused_with_the_first_run(void **state)
{
    (void)state;
    REFUSED("-s: error: 'time.dt' = 0: must be greater than 0\n", "time.dt=0");
    REFUSED("-s: error: 'time.dt' = nan: must be finite\n", "time.dt=0/0");
    REFUSED("-s: error: 'time.end' = inf: must be finite\n", "time.end=1/0");
    REFUSED("-s: error: 'grid.n' = 16.5: must be a whole number\n", "grid.n=16.5");
    REFUSED("-s: error: 'grid.n' = 2000000000: must be at most 1e+09\n", "grid.n=2000000000");
    REFUSED("-s: error: 'grid.length' = -2 in run 3 (a = 2, v = 1): must be greater than 0\n",
            "sweep={ a=[1, 2]; v=[0, 1]; }", "grid.length=2 - a*a*v");
    REFUSED("-s: error: 'define.q' = inf in run 1 (a = 0): must be finite\n", "sweep.a=[1, 0]", "define.q=1/a",
            "initial=q");
    REFUSED("-s: error: 'grid.n' = 4: the stencil of hyperdiffusion needs at least 5 points\n", "grid.n=4");
    REFUSED("-s: error: 'grid.n' = 3 in run 1 (m = 3): the stencil of hyperdiffusion needs at least 5 points\n",
            "sweep.m=[32, 3]", "grid.n=m");
    REFUSED("-s: error: 'grid.dim' = 2: hyperdiffusion is 1-D only\n", "grid.dim=\"1 + 1\"");
    REFUSED("-s: error: 'order' = 3: must be a multiple of 2\n", "problem=heat", "physics={ kappa=1.0; }", "order=3");
}

static void the_end_must_be_a_whole_number_of_steps(void **state)
{
    (void)state;
    REFUSED("-s: error: 'time.dt' = 0.03: time.end = 1 is 33.3333333 steps, not a whole number; the nearest dt is "
            "0.030303030303030304, as \"end/33\"\n",
            "time.dt=0.03");
    REFUSED("-s: error: 'time.dt' = 3: time.end = 1 is 0.333333333 steps, not a whole number; the nearest dt is 1, as "
            "\"end/1\"\n",
            "time.dt=3");
    REFUSED("-s: error: 'time.dt' = 1e-20: time.end = 1 would take 1e+20 steps\n", "time.dt=1e-20");
    REFUSED("-s: error: 'time.dt' = 0.3 in run 1 (d = 0.3): time.end = 1 is 3.33333333 steps, not a whole number; the "
            "nearest dt is "
            "0.3333333333333333, as \"end/3\"\n",
            "sweep.d=[0.5, 0.3]", "time.dt=d");
    /* an end that differs from run to run, of one dt: the dt that is named is taken */
    REFUSED("-s: error: 'time.dt' = 0.16666667 in run 0 (T = 100): time.end = 100 is 599.999988 steps, not a whole "
            "number; the nearest dt is 0.16666666666666666, as \"end/600\"\n",
            "sweep.T=[100, 200]", "time.end=T", "time.dt=0.16666667");
    struct made m = MAKE("time.dt=end/33");
    unmake(&m);
    m = MAKE("time={ dt=1e-8; end=1e-4; }");  /* 10000.000000000002 */
    unmake(&m);
    m = MAKE("sweep.T=[100, 200]", "time.end=T", "time.dt=0.16666666666666666");
    unmake(&m);
}

/* Digits that are missing, up to a millionth of the step: the run is that of the step which divides the end. */
static void a_step_that_nearly_divides_the_end_is_taken_for_one_that_does(void **state)
{
    static const struct { const char *dt, *end, *same, *told; } cases[] = {
        {"0.0333333333", "100.0", "end/3000", "'time.dt' = 0.0333333333 is taken for 0.03333333333333333 = end/3000"},
        {"0.16666667", "100.0", "end/600", "'time.dt' = 0.16666667 is taken for 0.16666666666666666 = end/600"},
        {"0.1428572", "1.0", "end/7", NULL},
        {"0.142858", "1.0", NULL, NULL},
        {"\"end/3000.000003\"", "100.0", "end/3000", NULL},
        {"0.1", "1.0000001", "0.1", ""},  /* to 1e-6 of a step: as it is written */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char set[80], as[80];
        struct made m;
        snprintf(set, sizeof set, "time={ dt=%s; end=%s; }", cases[k].dt, cases[k].end);
        snprintf(as, sizeof as, "time={ dt=\"%s\"; end=%s; }", cases[k].same ? cases[k].same : "", cases[k].end);
        char *printed = try_text(base_text, OVERRIDES(set), &m);
        assert_int_equal(m.sweep != NULL, cases[k].same != NULL);
        if (m.sweep) assert_true(same_ids(m, MAKE(as)));
        else unmake(&m);
        if (cases[k].told && *cases[k].told) assert_contains(printed, cases[k].told);
        if (cases[k].told && !*cases[k].told) assert_string_equal(printed, "");
        sw_free(printed);
    }
    struct made m;
    char *printed = try_text(base_text, OVERRIDES("sweep.d=[0.5, 0.33333333, 0.14285714]", "time.dt=d", "time.end=100"),
                             &m);
    assert_string_equal(printed, "-s: warning: 'time.dt' = 0.33333333 in run 1 (d = 0.333333) is taken for "
                                 "0.3333333333333333 = end/300, which divides time.end\n");
    assert_true(number(m.sweep, "time.dt", 2) == 1.0 / 7);
    sw_free(printed);
    unmake(&m);
}

/* 10 2^-24 (1 + sqrt(s4) + sqrt(s2)) <= 1e-3: sqrt(s4) <= 1676.7. In the base s4 = dt/(2 dx^4) = 0.05 65536 = 3277. */
static void single_precision_is_refused_where_rounding_would_spoil_a_run(void **state)
{
    (void)state;
    REFUSED("-s: error: 'run.precision' = \"single\": rounding could change the field by 0.0011 of itself in a step, "
            "more than 0.001 (s4 = 3.28e+06, s2 = 0); use \"double\", a smaller time.dt or fewer points\n",
            "run.precision=single", "physics.gamma=1000.0");
    REFUSED("-s: error: 'run.precision' = \"single\" in run 2 (m = 128): rounding could change the field by 0.0022 of "
            "itself in a step, more than 0.001 (s4 = 1.34e+07, s2 = 0); use \"double\", a smaller time.dt or fewer "
            "points\n",
            "run.precision=single", "sweep.m=[16, 32, 128]", "grid.n=m");
    REFUSED("-s: error: 'physics.gamma' = -1: must be greater than 0\n", "run.precision=single", "physics.gamma=-1",
            "grid.n=512");
    struct made m = MAKE("run.precision=single", "physics.gamma=800.0");
    unmake(&m);
    m = MAKE("run.precision=double", "physics.gamma=1000.0");
    unmake(&m);
}

/* 2^-53 (10 + 16 s4) <= 1e-3 of a band solver: s4 <= 5.6e11; without one 10 2^-53 (1 + sqrt(s4)): s4 <= 8.1e23. */
static void steps_are_refused_where_rounding_would_spoil_a_run_in_double_precision(void **state)
{
    (void)state;
    REFUSED("-s: error: 'stepper' = \"cpu.plain\": rounding could change the field by 0.0058 of itself in a step, more "
            "than 0.001 (s4 = 3.28e+12, s2 = 0); use \"auto\", a smaller time.dt or fewer points\n",
            "stepper=cpu.plain", "physics.gamma=1e9");
    REFUSED("-s: error: 'stepper' = \"cpu.plain\" in run 1 (s = cpu.plain): rounding could change the field by 0.0058 "
            "of itself in a step, more than 0.001 (s4 = 3.28e+12, s2 = 0); use \"auto\", a smaller time.dt or fewer "
            "points\n",
            "sweep.s=[\"auto\", \"cpu.plain\"]", "stepper=\"$s\"", "physics.gamma=1e9");
#ifdef SW_HAVE_CUDA
    REFUSED("-s: error: 'stepper' = \"cuda.split+cuda.thomas\" in run 1 (s = cuda.split+cuda.thomas): rounding could "
            "change the field by 0.0058 of itself in a step, more than 0.001 (s4 = 3.28e+12, s2 = 0); use \"auto\", a "
            "smaller time.dt or fewer points\n",
            "sweep.s=[\"auto\", \"cuda.split+cuda.thomas\"]", "stepper=\"$s\"", "physics.gamma=1e9");
#endif
    REFUSED("ch.cfg:4: error: 'time.dt' = 0.1: rounding could change the field by 0.002 of itself in a step, more than "
            "0.001 (s4 = 3.28e+24, s2 = 0); use a smaller time.dt or fewer points\n",
            "physics.gamma=1e21");
    REFUSED("-s: error: 'stepper' = \"cpu.plain\": rounding could change the field by 1.8e+09 of itself in a step, "
            "more than 0.001 (s4 = 9.99e+23, s2 = 0); use a smaller time.dt or fewer points\n",
            "stepper=cpu.plain", "physics.gamma=3.05e20");
    REFUSED("ch.cfg:4: error: 'time.dt' = 0.1: rounding could change the field by 0.0010002 of itself in a step, more "
            "than 0.001 (s4 = 8.12e+23, s2 = 0); use a smaller time.dt or fewer points\n",
            "physics.gamma=2.477e20");
    struct made m = MAKE("stepper=cpu.plain", "physics.gamma=1e8");
    unmake(&m);
    m = MAKE("stepper=cpu.simd", "physics.gamma=1e20");
    unmake(&m);
}

static void everything_wrong_is_reported_at_once(void **state)
{
    (void)state;
    refuse_text("problem = \"hyperdiffusion\";\ngrid = { n = 3000000000; length = 1.0; };\nphysics = { gamma = 1.0; D "
                "= 1.0; kama = 1.0; };\n"
                "time = { dt = 0.1; end = \"1 +\"; };\ninitial = \"y\";\nsweep = { a = [\"x\", 1]; };\n",
                NULL, 0,
                "ch.cfg:2: error: integer 3000000000 does not fit 32 bits; write 3000000000.0 or 3000000000L\n"
                "ch.cfg:2: error: 'grid.n' = 3000000000: must be at most 1e+09\n"
                "ch.cfg:3: error: unknown key 'physics.kama'; did you mean 'gamma'?\n"
                "ch.cfg:4: error: 'time.end', column 3: missing operand after '+'\n    1 +\n      ^\n"
                "ch.cfg:5: error: 'initial', column 1: unknown name 'y'\n    y\n    ^  lines have one coordinate, x; "
                "y is there with grid.n = [nx, ny]\n"
                "ch.cfg:6: error: array mixes numbers and strings: [\"x\", 1]; write ( ) for [ ]\n"
                "ch.cfg:6: error: 'sweep.a' must hold numbers only or words only\n");
}

static void wrong_values_are_reported_with_wrong_words(void **state)
{
    (void)state;
    refuse_text("problem = \"hyperdiffusion\";\ngrid = { n = 3; length = 1.0; };\n"
                "physics = { gamma = 1.0; D = -1.0; };\n"
                "time = { dt = 0.03; end = 1.0; };\ninitial = \"y\";\n",
                NULL, 0,
                "ch.cfg:2: error: 'grid.n' = 3: the stencil of hyperdiffusion needs at least 5 points\n"
                "ch.cfg:3: error: 'physics.D' = -1: must be greater than 0\n"
                "ch.cfg:4: error: 'time.dt' = 0.03: time.end = 1 is 33.3333333 steps, not a whole number; the nearest "
                "dt is 0.030303030303030304, as \"end/33\"\n"
                "ch.cfg:5: error: 'initial', column 1: unknown name 'y'\n    y\n    ^  lines have one coordinate, x; "
                "y is there with grid.n = [nx, ny]\n");
    REFUSED("-s: error: unknown key 'time.foo'; known here: dt end tolerance tolerance_absolute "
            "dt_max\n"
            "-s: error: 'output.fields.times': time 2 is not within 0 and the end, 1\n",
            "output.fields.times=[0.0, 2.0]", "time.foo=1");
    /* in the runs of a sound sweep, */
    REFUSED("-s: error: unknown key 'foo'; known here: title problem stepper grid time stop sweep table sample "
            "refine reuse define output statistics accuracy run physics method order boundary left right initial "
            "forcing noise exact\n"
            "-s: error: 'physics.D' = -1 in run 1 (a = -1): must be greater than 0\n",
            "sweep.a=[1, -1]", "physics.D=a", "foo=1");
    /* and outside a refused one; */
    REFUSED("-s: error: 'sweep.a' is empty: an axis needs a value\n"
            "-s: error: 'physics.gamma' = -2: must be greater than 0\n",
            "sweep.a=[]", "physics.D=a", "physics.gamma=-2");
    /* what comes of a refused value is no news */
    REFUSED("-s: error: 'define.q', column 1: unknown name 'z'\n    z\n    ^  known: q p n length dt end gamma D pi "
            "e\n",
            "define={ q=\"z\"; p=\"q\"; }", "physics.D=p", "grid.n=p", "time.dt=min(p, 0.3)",
            "output.scalars.every=q");
    REFUSED("-s: error: 'define.q' depends on itself: q -> p -> q\n", "define={ p=\"q\"; q=\"p\"; }", "time.dt=q");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_hold_the_values_one_would_write),
        cmocka_unit_test(axes_hold_the_decimals_that_start_and_step_say),
        cmocka_unit_test(bad_axes_are_refused),
        cmocka_unit_test(a_product_varies_the_last_axis_fastest),
        cmocka_unit_test(a_product_too_large_is_refused_with_the_arithmetic),
        cmocka_unit_test(zip_walks_the_axes_together),
        cmocka_unit_test(axes_of_words_choose_the_stepper),
        cmocka_unit_test(numbers_may_be_expressions_in_any_order),
        cmocka_unit_test(an_axis_shadows_the_key_of_its_name),
        cmocka_unit_test(columns_are_keys_then_axes_then_defines),
        cmocka_unit_test(columns_are_the_same_in_blocks_and_one_by_one),
        cmocka_unit_test(cycles_are_shown),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(unknown_names_in_expressions_get_a_caret),
        cmocka_unit_test(functions_are_compiled_over_the_columns),
        cmocka_unit_test(unknown_keys_are_named_with_the_nearest),
        cmocka_unit_test(a_misspelt_key_is_not_missing_as_well),
        cmocka_unit_test(an_empty_end_is_refused),
        cmocka_unit_test(missing_keys_are_named_at_their_group),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(options_have_their_defaults),
        cmocka_unit_test(options_are_taken),
        cmocka_unit_test(options_of_the_wrong_kind_are_refused),
        cmocka_unit_test(an_axis_of_too_many_words_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused_with_the_first_run),
        cmocka_unit_test(the_end_must_be_a_whole_number_of_steps),
        cmocka_unit_test(a_step_that_nearly_divides_the_end_is_taken_for_one_that_does),
        cmocka_unit_test(single_precision_is_refused_where_rounding_would_spoil_a_run),
        cmocka_unit_test(steps_are_refused_where_rounding_would_spoil_a_run_in_double_precision),
        cmocka_unit_test(everything_wrong_is_reported_at_once),
        cmocka_unit_test(wrong_values_are_reported_with_wrong_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
