/* Where run.device = "auto" computes: the choice, over a table of costs, and the costs of sweeps. */
#include <math.h>

#include "run/sw_device_choice.h"
#include "sweep_helpers.h"

static void the_cpu_is_taken_where_it_ends_before_a_gpu(void **state)
{
    static const struct { struct sw_device_costs costs; bool cpu; } cases[] = {
        {{.cpu = 0.05, .begin = 0.35, .steps = 0.001}, true},   /* 63 runs of 118 points                */
        {{.cpu = 0.34, .begin = 0.35, .steps = 0}, true},
        {{.cpu = 0.36, .begin = 0.35, .steps = 0}, false},
        {{.cpu = 1.2, .begin = 1.25, .steps = 0}, true},        /* while kernels would be compiled      */
        {{.cpu = 1.5, .begin = 0.35, .steps = 0}, false},
        {{.cpu = 9, .begin = 0.35, .steps = 10}, true},         /* few short lines, 2e7 steps           */
        {{.cpu = 60, .begin = 0.35, .steps = 0.02}, false},     /* many long lines                      */
        {{.cpu = 0, .begin = 0.35, .steps = 0}, true},          /* nothing is left                      */
        {{.cpu = INFINITY, .begin = 0.35, .steps = 1}, false},
        {{.cpu = NAN, .begin = 0.35, .steps = 1}, false}};      /* too large for a trial                */
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (sw_device_costs_take_cpu(&cases[k].costs) != cases[k].cpu) fail_msg("case %zu", k);
}

static void a_gpu_waits_for_its_compiler_and_for_long_runs(void **state)
{
    struct sw_device_costs cold, warm, two;
    (void)state;
    sw_device_costs_of_gpu(1, false, 1e6, 1e3, &cold);
    sw_device_costs_of_gpu(1, true, 1e6, 1e3, &warm);
    assert_true(warm.begin >= 0.25 && cold.begin > warm.begin + 0.5 && cold.steps == warm.steps);
    assert_near(warm.steps, 1e3 * 0.5e-6, 1e-18);       /* a step after the other */
    sw_device_costs_of_gpu(1, true, 6e13, 1e3, &warm);
    sw_device_costs_of_gpu(2, true, 6e13, 1e3, &two);
    assert_near(warm.steps, 100, 1e-9);                  /* as many points as it takes at most */
    assert_near(two.steps, 50, 1e-9);
}

/* The costs of a sweep on two threads, by a cache with kernels. */
static struct sw_device_costs costs_of(struct made *m)
{
    struct sw_device_costs costs;
    uint64_t *id;
    int64_t *run;
    assert_ok(sw_alloc((size_t)m->sweep->nruns, &id));
    assert_ok(sw_alloc((size_t)m->sweep->nruns, &run));
    assert_ok(sw_sweep_ids(m->sweep, 0, m->sweep->nruns, id));
    for (int64_t k = 0; k < m->sweep->nruns; k++) run[k] = k;
    const struct sw_plan_desc desc = {.sweep = m->sweep, .run = run, .count = m->sweep->nruns, .id = id};
    assert_ok(sw_device_costs_of_sweep(&desc, 2, 1, true, &costs));
    sw_free(id);
    sw_free(run);
    return costs;
}

static const char waves[] = "problem = \"cahn_hilliard\"; grid = { n = 118; length = 50.0; };\n"
                            "physics = { D = 1.0; gamma = 1.0; }; time = { dt = 0.02; end = 0.2; };\n"
                            "sweep = { a = \"linspace(0, 0.1, 9)\"; seed = \"range(1, 7)\"; };\n"
                            "initial = \"0.05*randn(seed)\"; forcing = \"a*cos(4*pi*x/length)\";\n";

static void a_trial_says_what_the_cpu_takes(void **state)
{
    struct made m = make_text(waves, NULL, 0);
    (void)state;
    const struct sw_device_costs few = costs_of(&m);     /* 63 runs: 7.4e4 points times steps */
    assert_int_equal(m.sweep->nruns, 63);
    assert_true(few.cpu > 0 && few.begin >= 0.25 && few.steps > 0);
    assert_true(sw_device_costs_take_cpu(&few));
    unmake(&m);
    m = make_text(waves, OVERRIDES("time.end=2e4", "grid.n=1024"));
    const struct sw_device_costs many = costs_of(&m);    /* 6.5e10: minutes of two threads; a GPU 0.5 s */
    assert_true(!(many.cpu < 1) && many.steps >= 0.5);
    assert_false(sw_device_costs_take_cpu(&many));
    unmake(&m);
}

static void runs_with_steps_of_their_own_are_tried_too(void **state)
{
    struct made m = make_text(waves, OVERRIDES("time={ end=0.5; tolerance=1e-3; }", "sweep.a=[0.1]"));
    (void)state;
    const struct sw_device_costs costs = costs_of(&m);
    assert_true(m.sweep->own_steps && costs.cpu > 0 && costs.steps == 0);
    unmake(&m);
}

static void what_is_too_large_for_a_trial_is_not_tried(void **state)
{
    struct made m = MAKE("grid={ n=2097152; length=1e7; }");
    (void)state;
    assert_true(isnan(costs_of(&m).cpu));
    unmake(&m);
    m = MAKE("sweep={ a=\"linspace(0, 1, 100001)\"; }", "initial=\"a*cos(x)\"");
    assert_true(isnan(costs_of(&m).cpu));
    unmake(&m);
}

/* A row of a GPU, by its name: no CPU does it, and the choice is left to the GPU. */
static void runs_that_the_cpu_has_no_row_for_are_left_to_a_gpu(void **state)
{
    struct made m = MAKE("stepper=\"cuda.fused\"");
    (void)state;
    assert_true(isnan(costs_of(&m).cpu));
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_cpu_is_taken_where_it_ends_before_a_gpu),
                                       cmocka_unit_test(a_gpu_waits_for_its_compiler_and_for_long_runs),
                                       cmocka_unit_test(a_trial_says_what_the_cpu_takes),
                                       cmocka_unit_test(runs_with_steps_of_their_own_are_tried_too),
                                       cmocka_unit_test(what_is_too_large_for_a_trial_is_not_tried),
                                       cmocka_unit_test(runs_that_the_cpu_has_no_row_for_are_left_to_a_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
