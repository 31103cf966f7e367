/* Plans and their execution: what comes out must not depend on how it was computed. */
#include "base/sw_err.h"
#include "run/failure_list.h"
#include "run_sweep_helpers.h"

static const char *const decay =  /* every run has an exact solution */
    "problem = \"hyperdiffusion\"; grid = { n = 32; length = \"2*pi\"; }; physics = { D = 1.0; gamma = 1.0; };\n"
    "time = { dt = 0.01; end = 0.5; }; sweep = { m = [1, 2]; };\n"
    "initial = \"cos(m*x)\"; exact = \"cos(m*x)*exp(-m^4*t)\";\n"
    "output = { fields = { times = [0.5]; }; };\n";

/* ---- the tests */

static void bits_do_not_depend_on_batches_or_threads(void **state)
{
    (void)state;
    const char *one = path("one.h5"), *other = path("other.h5");
    assert_ok(perform(&(struct call){.config = chaos, .file = one, .threads = 1}));
    static const char *const batch[] = {"run.batch=1", "run.batch=3", "run.batch=4"};
    for (int k = 0; k < 3; k++) {
        struct call c = {.config = chaos, .file = other, .override = {batch[k]}, .threads = 2};
        assert_ok(perform(&c));
        assert_int_equal(c.batches, k == 0 ? 4 : k == 1 ? 2 : 1);
        assert_same(one, other, 4);
        rm(other);
    }
    rm(one);
}

static void one_bad_run_of_a_thousand_harms_no_other(void **state)
{
    (void)state;
    const char *all = path("all.h5"), *good = path("good.h5");
    struct call c = {.config = thousand, .file = all};
    assert_ok(perform(&c));
    assert_int_equal(c.summary.diverged, 1);
    assert_int_equal(c.summary.done, 999);
    assert_contains(c.summary.failures, "run 500: not finite at t = ");
    assert_ok(perform(&(struct call){.config = thousand, .file = good, .only = "k != 500"}));
    static const char *const names[] = {"u", "mass", "energy", "domain_length"};
    for (int k = 0; k < 4; k++) {
        assert_rows(all, good, names[k], 1000, 0, 500, 0, 999);
        assert_rows(all, good, names[k], 1000, 501, 1000, 500, 999);
    }
    rm(all);
    rm(good);
}

static void a_diverged_run_keeps_its_reason_and_what_came_before(void **state)
{
    (void)state;
    const char *file = path("diverged.h5");
    struct sw_run_table *t;
    size_t count;
    struct call c = {.config = chaos, .file = file};
    assert_ok(perform(&c));
    assert_int_equal(c.failures, 1);
    assert_ok(sw_run_table_read(file, &t));
    const struct sw_run_row chaotic = sw_run_table_row(t, 2), rough = sw_run_table_row(t, 1);
    assert_int_equal(chaotic.status, SW_RUN_DIVERGED);
    assert_contains(t->message[2], "not finite at t = ");
    assert_contains(t->message[2], " of 100)");
    assert_near(chaotic.t_reached, 0.05 * (double)chaotic.steps, 1e-12);  /* one product, rounded */
    assert_true(chaotic.steps > 0 && chaotic.steps < 100);
    assert_int_equal(rough.status, SW_RUN_DONE);
    assert_contains(t->message[1], "under-resolved: interfaces");  /* dx = 0.79 */
    assert_int_equal(rough.steps, 100);
    double *u = read_dataset(file, "u", &count);  /* [4][6][16] */
    for (int i = 0; i < 16; i++) {
        assert_true(isfinite(u[(2 * 6 + 0) * 16 + i]));
        assert_true(isnan(u[(2 * 6 + 5) * 16 + i]));
    }
    sw_free(u);
    sw_run_table_free(&t);
    rm(file);
}

static void a_stopped_batch_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    const char *whole = path("whole.h5"), *stopped = path("stopped.h5");
    assert_ok(perform(&(struct call){.config = chaos, .file = whole}));
    int stops = 0;
    struct call c = {.config = chaos, .file = stopped, .stop_after = 3};
    for (;;) {  /* three looks at the clock a call: after 1, 4 and 16 steps more */
        c.looks = 0;
        enum sw_status st = perform(&c);
        if (!st) break;
        assert_int_equal(st, SW_E_STOPPED);
        assert_int_equal(c.to_do, 4);
        if (stops) assert_int_equal(c.resumed, 1);
        if (++stops > 200) fail_msg("no end after %d stops", stops);
    }
    assert_true(stops > 1);
    assert_same(whole, stopped, 4);
    if (c.to_do) {  /* told again by the call that ends it, unless a stop at the last step has left it only to join */
        assert_int_equal(c.summary.diverged, 1);
        assert_contains(c.summary.failures, "run 2: not finite");
    }
    rm(whole);
    rm(stopped);
}

static void assert_stopped(struct call *c) { assert_int_equal(perform(c), SW_E_STOPPED); }

static void batches_that_stopped_apart_go_on_together(void **state)
{
    (void)state;
    const char *whole = path("apart0.h5"), *file = path("apart.h5");
    assert_ok(perform(&(struct call){.config = chaos, .file = whole}));
    assert_stopped(&(struct call){.config = chaos, .file = file, .only = "run < 2", .stop_after = 3});
    assert_stopped(&(struct call){.config = chaos, .file = file, .only = "run >= 2", .stop_after = 2});
    struct call c = {.config = chaos, .file = file};
    assert_ok(perform(&c));
    assert_int_equal(c.resumed, 2);
    assert_same(whole, file, 4);
    rm(whole);
    rm(file);
}

/* The checkpoint of all four is then no longer the newest of the first two. */
static void a_batch_some_of_whose_runs_were_begun_again_begins_again(void **state)
{
    (void)state;
    const char *whole = path("again0.h5"), *file = path("again1.h5");
    assert_ok(perform(&(struct call){.config = chaos, .file = whole}));
    assert_stopped(&(struct call){.config = chaos, .file = file, .stop_after = 3});
    assert_stopped(&(struct call){.config = chaos, .file = file, .only = "run < 2", .stop_after = 2});
    struct call c = {.config = chaos, .file = file};
    assert_ok(perform(&c));
    assert_int_equal(c.to_do, 4);
    assert_int_equal(c.resumed, 1);
    assert_same(whole, file, 4);
    c.to_do = -1;
    assert_ok(perform(&c));
    assert_int_equal(c.to_do, 0);
    rm(whole);
    rm(file);
}

static void batches_without_room_are_halved_also_when_they_go_on(void **state)
{
    (void)state;
    const char *whole = path("half0.h5"), *file = path("half.h5");
    assert_ok(perform(&(struct call){.config = chaos, .file = whole}));
    struct call c = {.config = chaos, .file = file, .room = 1};
    assert_ok(perform(&c));
    assert_int_equal(c.batches, 1);
    assert_same(whole, file, 4);
    rm(file);
    assert_stopped(&(struct call){.config = chaos, .file = file, .stop_after = 3});
    assert_ok(perform(&c));
    assert_int_equal(c.resumed, 1);
    assert_same(whole, file, 4);
    rm(file);
    assert_stopped(&(struct call){.config = chaos, .file = file, .stop_after = 3});
    assert_stopped(&(struct call){.config = chaos, .file = file, .stop_after = 2, .room = 2});  /* in the first half */
    assert_ok(perform(&(struct call){.config = chaos, .file = file}));
    assert_same(whole, file, 4);
    rm(whole);
    rm(file);
}

static void checkpoints_change_no_bit(void **state)
{
    (void)state;
    const char *whole = path("w.h5"), *often = path("often.h5");
    assert_ok(perform(&(struct call){.config = chaos, .file = whole}));
    struct call c = {.config = chaos, .file = often, .checkpoint_seconds = 1e-9};
    assert_ok(perform(&c));
    assert_true(c.checkpoints > 0);
    assert_same(whole, often, 4);
    rm(whole);
    rm(often);
}

static void a_sweep_in_single_precision_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    const char *whole = path("single0.h5"), *file = path("single.h5");
    const char *single = "run.precision=single";
    assert_ok(perform(&(struct call){.config = chaos, .file = whole, .override = {single}}));
    assert_stopped(&(struct call){.config = chaos, .file = file, .override = {single}, .stop_after = 3});
    struct call c = {.config = chaos, .file = file, .override = {single}, .checkpoint_seconds = 1e-9};
    assert_ok(perform(&c));
    assert_int_equal(c.resumed, 1);
    assert_same(whole, file, 4);
    rm(whole);
    rm(file);
}

static void a_longer_axis_computes_only_what_is_new(void **state)
{
    (void)state;
    const char *file = path("axis.h5"), *fresh = path("fresh.h5");
    struct call c = {.config = chaos, .file = file, .override = {"sweep.amplitude=[0.1, 0.5, 0.9]"}};
    assert_ok(perform(&c));
    c.override[0] = NULL;
    assert_ok(perform(&c));
    assert_int_equal(c.to_do, 1);
    assert_int_equal(c.already, 3);
    assert_ok(perform(&(struct call){.config = chaos, .file = fresh}));
    assert_same(file, fresh, 4);
    rm(file);
    rm(fresh);
}

static void failed_runs_are_computed_again_when_asked(void **state)
{
    (void)state;
    const char *file = path("again.h5");
    struct call c = {.config = chaos, .file = file};
    assert_ok(perform(&c));
    assert_ok(perform(&c));
    assert_int_equal(c.to_do, 0);
    c.retry_failed = true;
    assert_ok(perform(&c));
    assert_int_equal(c.to_do, 1);
    assert_int_equal(c.summary.diverged, 1);
    rm(file);
}

static void fail_fast_stops_at_the_first_failure(void **state)
{
    (void)state;
    const char *file = path("fast.h5");
    struct call c = {.config = chaos, .file = file, .fail_fast = true, .override = {"run.batch=1"}};
    assert_int_equal(perform(&c), SW_E_STOPPED);
    assert_true(c.summary.failed_fast);
    assert_ok(perform(&c));  /* goes on behind it */
    assert_true(c.already >= 2);
    rm(file);
}

static void norms_measure_the_difference_from_exact(void **state)
{
    (void)state;
    const char *file = path("norms.h5");
    struct sw_run_table *t;
    size_t count;
    assert_ok(perform(&(struct call){.config = decay, .file = file}));
    assert_ok(sw_run_table_read(file, &t));
    double *u = read_dataset(file, "u", &count);  /* [2][1][32] at the last time */
    for (int j = 0; j < 2; j++) {
        double m = j + 1, sum = 0, worst = 0, norm = 0;
        for (int i = 0; i < 32; i++) {
            double x = i * 6.283185307179586 / 32, e = cos(m * x) * exp(-pow(m, 4) * 0.5), d = fabs(u[j * 32 + i] - e);
            sum += d * d;
            norm += e * e;
            worst = d > worst ? d : worst;
        }
        /* the same sums in another order: 32 terms, some units of rounding each */
        assert_near(sw_run_table_row(t, j).err_l2, sqrt(sum / 32), 1e-13);
        assert_near(sw_run_table_row(t, j).err_max, worst, 1e-13);
        assert_near(sw_run_table_row(t, j).err_rel / (sqrt(sum) / sqrt(norm)), 1, 1e-9);
        assert_true(sw_run_table_row(t, j).err_l2 > 0);
    }
    sw_free(u);
    sw_run_table_free(&t);
    rm(file);
}

static void there_are_no_norms_without_exact(void **state)
{
    (void)state;
    const char *file = path("nonorms.h5");
    struct sw_run_table *t;
    assert_ok(perform(&(struct call){.config = chaos, .file = file}));
    assert_ok(sw_run_table_read(file, &t));
    for (int j = 0; j < 4; j++) {
        const struct sw_run_row row = sw_run_table_row(t, j);
        assert_true(isnan(row.err_l2) && isnan(row.err_max) && isnan(row.err_rel));
    }
    sw_run_table_free(&t);
    rm(file);
}

static void refuses_a_run_that_does_not_fit(void **state)
{
    (void)state;
    struct call c = {.config = chaos, .file = path("large.h5"), .only_plan = true,
                     .override = {"grid.n=1000000000", "grid.length=1e9"}};
    enum sw_status st = perform(&c);
    if (st == SW_OK) skip_because("this machine holds a run of 10^9 points");
    assert_int_equal(st, SW_E_TOO_LARGE);
    assert_contains(sw_err_message(), "one run needs ");
    assert_contains(sw_err_message(), "lower grid.n to at most ");
}

static void refuses_a_solver_that_is_not_there_before_computing(void **state)
{
    (void)state;
    const char *file = path("solver.h5");
    struct call c = {.config = chaos, .file = file, .override = {"stepper=\"cpu.plain+cpu.nosuch\""}};
    assert_int_equal(perform(&c), SW_E_CONFIG);
    assert_contains(sw_err_message(), "cpu.nosuch");
    assert_int_not_equal(access(file, F_OK), 0);
}

static void names_the_folder_that_cannot_be_made(void **state)
{
    (void)state;
    FILE *f = fopen(path("plain"), "w");
    assert_non_null(f);
    fclose(f);
    struct call c = {.config = chaos, .file = path("plain/x.h5")};
    enum sw_status st = perform(&c);
    assert_int_equal(st, SW_E_IO);
    assert_contains(sw_err_message(), "plain");
}

static const char *names_of(const struct failure_list *n)
{
    static char array[sizeof((struct sw_run_sweep_summary *)0)->failures];
    struct sw_text text = sw_text_in(strcpy(array, ""), sizeof array);
    failure_list_print(n, &text);
    return array;
}

static void few_failures_are_named_in_the_order_of_their_runs(void **state)
{
    struct failure_list n = {.count = 0};
    (void)state;
    assert_string_equal(names_of(&n), "");
    failure_list_add(&n, 41, 0.31, "not finite at t = 0.31 (step 31 of 100)");
    assert_string_equal(names_of(&n), "run 41: not finite at t = 0.31");
    failure_list_add(&n, 12, 0.31, "not finite at t = 0.31 (step 31 of 90)");
    assert_string_equal(names_of(&n), "runs 12, 41: not finite at t = 0.31");
    failure_list_add(&n, 50, 0.5, "not finite at t = 0.5 (step 50 of 100)");
    failure_list_add(&n, 13, 0.4, "no (1)");
    assert_string_equal(names_of(&n), "run 12: not finite at t = 0.31; run 13: no; run 41: not finite at t = 0.31; "
                                      "run 50: not finite at t = 0.5");
}

static void add_three_pivots(struct failure_list *n, int shift)
{
    for (int k = 0; k < 7; k++) failure_list_add(n, (3 * k + shift) % 7, NAN, k % 2 ? "a pivot is zero (row 3)" : "no");
}

/* Whichever worker is first. */
static void many_failures_are_told_by_their_times_in_any_order(void **state)
{
    struct failure_list n = {.count = 0}, back = {.count = 0}, start = {.count = 0};
    (void)state;
    for (int k = 0; k < 48; k++) {
        failure_list_add(&n, k, 18 + k * 8 / 47.0, "not finite");
        failure_list_add(&back, 47 - k, 18 + (47 - k) * 8 / 47.0, "not finite");
        failure_list_add(&start, 47 - k, 0, k == 47 ? "the initial value is nan at x = 0.5 (i = 3)" : "later");
    }
    assert_string_equal(names_of(&n), "t = 18 … 26");
    assert_memory_equal(&n, &back, sizeof n);
    assert_string_equal(names_of(&start), "the first of 48, run 0: the initial value is nan at x = 0.5");
}

static void many_failures_without_time_are_told_by_the_first(void **state)
{
    struct failure_list n = {.count = 0};
    (void)state;
    add_three_pivots(&n, 0);
    assert_string_equal(names_of(&n), "the first of 7, run 0: no");
    assert_int_equal(n.entry[3].run, 3);
    struct failure_list long_one = {.count = 0};
    static char message[1000];
    memset(message, 'x', sizeof message - 1);
    for (int k = 0; k < 4; k++) failure_list_add(&long_one, k, NAN, message);
    assert_true(strlen(names_of(&long_one)) < sizeof((struct sw_run_sweep_summary *)0)->failures);
}

/* ---- an initial value that is not finite */

static void names_the_point_where_the_initial_value_is_not_finite(void **state)
{
    static const struct { const char *override, *says; } cases[] = {
        {"initial=\"1/(x - 0.25)\"", "the initial value is inf at x = 0.25 (i = 8)"},
        {"initial=\"sqrt(x - 0.75)\"", "the initial value is nan at x = 0 (i = 0)"},
        {"initial=\"x < 0.5 ? 1 : -1/0\"", "the initial value is -inf at x = 0.5 (i = 16)"},
    };
    static const char *const config =
        "problem = \"heat\"; grid = { n = 32; length = 1.0; }; physics = { kappa = 1.0; };\n"
        "time = { dt = 0.01; end = 0.05; }; initial = \"1.0\"; output = { scalars = { every = 0.05; }; };\n";
    struct sw_run_table *t;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *file = path("initial.h5");
        struct call c = {.config = config, .file = file, .override = {cases[k].override}};
        assert_ok(perform(&c));
        assert_ok(sw_run_table_read(file, &t));
        assert_int_equal(sw_run_table_row(t, 0).status, SW_RUN_DIVERGED);
        assert_string_equal(t->message[0], cases[k].says);
        assert_contains(cases[k].says, c.summary.failures + strlen("run 0: "));
        sw_run_table_free(&t);
        rm(file);
    }
}

static void names_the_point_where_the_exact_solution_is_not_finite(void **state)
{
    static const char *const config =
        "problem = \"heat\"; sweep = { c = [1, 2]; }; grid = { n = 32; length = 1.0; }; physics = { kappa = 1.0; };\n"
        "time = { dt = 0.01; end = 0.05; }; initial = \"1.0\"; exact = \"c > 1 && x > t + 0.2 ? 1/0 : 1\";\n";
    const char *file = path("exact.h5");
    struct call c = {.config = config, .file = file};
    struct sw_run_table *t;
    (void)state;
    assert_ok(perform(&c));
    assert_ok(sw_run_table_read(file, &t));
    for (int k = 0; k < 2; k++) assert_int_equal(sw_run_table_row(t, k).status, SW_RUN_DONE);
    assert_string_equal(t->message[0], "");
    assert_string_equal(t->message[1], "no error norms: exact is inf at x = 0.28125 (i = 9)");
    sw_run_table_free(&t);
    rm(file);
}

static void names_the_point_of_a_field_of_three_dimensions(void **state)
{
    static const char *const config =
        "problem = \"advection\"; grid = { n = [8, 10, 12]; length = [1.0, 1.0, 1.0]; };\n"
        "time = { dt = 0.001; end = 0.002; }; velocity = { x = 1.0; };\n"
        "initial = \"x > 0.3 && y > 0.55 && z > 0.7 ? 1/0 : 1\";\n";
    struct sw_run_table *t;
    (void)state;
    const char *file = path("initial3.h5");
    assert_ok(perform(&(struct call){.config = config, .file = file}));
    assert_ok(sw_run_table_read(file, &t));
    assert_string_equal(t->message[0],
                        "the initial value is inf at x = 0.375, y = 0.6, z = 0.75 (i = 3, j = 6, k = 9)");
    sw_run_table_free(&t);
    rm(file);
}

/* ---- progress while one step takes long */

static void a_device_that_takes_long_over_one_thing_is_seen_to_work(void **state)
{
    const char *file = path("slow.h5");
    char config[500];
    struct call c = {.config = config, .file = file, .slow = 1.3};
    (void)state;
    snprintf(config, sizeof config, "%saccuracy = { runs = 0; };\n", decay);  /* else half steps may be what is slow */
    assert_ok(perform(&c));
    assert_in_range(c.looks_while_slow, 2, 3);  /* every half second */
    rm(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_batches_or_threads),
        cmocka_unit_test(one_bad_run_of_a_thousand_harms_no_other),
        cmocka_unit_test(a_diverged_run_keeps_its_reason_and_what_came_before),
        cmocka_unit_test(a_stopped_batch_goes_on_to_the_same_bits),
        cmocka_unit_test(batches_that_stopped_apart_go_on_together),
        cmocka_unit_test(a_batch_some_of_whose_runs_were_begun_again_begins_again),
        cmocka_unit_test(batches_without_room_are_halved_also_when_they_go_on),
        cmocka_unit_test(checkpoints_change_no_bit),
        cmocka_unit_test(a_sweep_in_single_precision_goes_on_to_the_same_bits),
        cmocka_unit_test(a_longer_axis_computes_only_what_is_new),
        cmocka_unit_test(failed_runs_are_computed_again_when_asked),
        cmocka_unit_test(few_failures_are_named_in_the_order_of_their_runs),
        cmocka_unit_test(many_failures_are_told_by_their_times_in_any_order),
        cmocka_unit_test(many_failures_without_time_are_told_by_the_first),
        cmocka_unit_test(names_the_point_where_the_initial_value_is_not_finite),
        cmocka_unit_test(names_the_point_where_the_exact_solution_is_not_finite),
        cmocka_unit_test(names_the_point_of_a_field_of_three_dimensions),
        cmocka_unit_test(a_device_that_takes_long_over_one_thing_is_seen_to_work),
        cmocka_unit_test(fail_fast_stops_at_the_first_failure),
        cmocka_unit_test(norms_measure_the_difference_from_exact),
        cmocka_unit_test(there_are_no_norms_without_exact),
        cmocka_unit_test(refuses_a_run_that_does_not_fit),
        cmocka_unit_test(refuses_a_solver_that_is_not_there_before_computing),
        cmocka_unit_test(names_the_folder_that_cannot_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
