/* What a batch takes of a device with memory of its own, and of the host meanwhile: by a device that says it has
 * both. */
#include "base/sw_err.h"
#include "device/sw_device.h"
#include "run/plan_impl.h"
#include "sweep_helpers.h"

static const char text[] = "problem = \"compact\"; sweep = { a = [0.25, 0.5, 0.75]; };\n"
                           "grid = { n = [64, 32]; length = 1.0; }; field = \"sin(2*pi*x)*a*y\";\n";
enum { POINTS = 64 * 32, RUNS = 3 };

static size_t bytes_free;

static size_t memory_free(const struct sw_device *device)
{
    (void)device;
    return bytes_free;
}

/* A plan with the bytes of the first group of the text, on a device with so many free; its status. */
static enum sw_status fit_in(size_t bytes, bool begun, enum sw_space space, const char *const *override, int n,
                             struct sw_plan *plan)
{
    const struct sw_device_ops ops = {.memory_free = memory_free};
    bytes_free = bytes;
    struct sw_device device = {.ops = &ops, .space = space, .threads = 1};
    const struct sw_devices devices = {.count = 1, .device = {&device}};
    struct made m = make_text(text, override, n);
    struct sw_group *group;
    int64_t run[RUNS] = {0, 1, 2}, most;
    int count;
    assert_ok(sw_sweep_groups(m.sweep, run, RUNS, &group, &count));
    struct sw_plan_own own = {.of.sweep = m.sweep, .devices = &devices, .sharing = {sw_comm_null(), 1, 1, 1}};
    *plan = (struct sw_plan){.own = &own, .ranks = 1};
    enum sw_status st = plan_fit(plan, group, begun, &most);
    plan->own = NULL;
    sw_groups_free(&group, count);
    unmake(&m);
    return st;
}

static enum sw_status fit(enum sw_space space, const char *const *override, int n, struct sw_plan *plan)
{
    return fit_in((size_t)1 << 60, false, space, override, n, plan);
}

static void counts_what_the_host_holds_beside_a_device(void **state)
{
    const char *single[] = {"run.precision=single"}, *saved[] = {"output={ fields={ precision=\"double\"; }; }"};
    struct sw_plan plain, narrow, kept, cpu;
    (void)state;
    assert_ok(fit(SW_DEVICE, NULL, 0, &plain));
    assert_ok(fit(SW_DEVICE, single, 1, &narrow));
    assert_ok(fit(SW_DEVICE, saved, 1, &kept));
    assert_ok(fit(SW_HOST, NULL, 0, &cpu));
    /* the field and its derivative, and the same on the host */
    assert_int_equal(plain.batch_bytes, 2 * POINTS * sizeof(double));
    assert_int_equal(plain.run_bytes, 0);
    assert_near(plain.host_bytes - narrow.host_bytes, 2 * POINTS * (sizeof(double) - sizeof(float)), 0);
    /* g and g_error of each run that are to be saved */
    assert_near(kept.host_bytes - plain.host_bytes, 2.0 * POINTS * sizeof(double) * RUNS, 0);
    assert_near(cpu.host_bytes, 0, 0);
    /* a device evaluates large fields itself */
    const char *large[] = {"grid.n=[1024, 1024]"};
    assert_ok(fit(SW_DEVICE, large, 1, &plain));
    assert_true(plain.host_bytes < 1e5);  /* columns, results */
    assert_int_equal(plain.batch_bytes, 2 * 1024 * 1024 * sizeof(double));
}

static void refuses_what_the_host_cannot_hold(void **state)
{
    /* 24 TB of the host: g, then g and g_error that are to be saved */
    const char *large[] = {"grid.n=[1000000, 1000000]", "output={ fields={ precision=\"double\"; }; }"};
    struct sw_plan plan;
    (void)state;
    assert_int_equal(fit(SW_DEVICE, large, 2, &plan), SW_E_TOO_LARGE);
    assert_contains(sw_err_message(), "one run needs 22351.8 GiB, the machine has ");
    assert_contains(sw_err_message(), "lower grid.n to at most ");
}

static void says_a_size_that_fits(void **state)
{
    const char *large[] = {"grid.n=[1000, 1000]"};
    struct sw_plan plan;
    (void)state;
    assert_int_equal(fit_in(1000000, false, SW_DEVICE, large, 1, &plan), SW_E_TOO_LARGE);
    assert_contains(sw_err_message(), "one run needs 0.01491 GiB, the GPU has 0.00083 GiB free; lower grid.n to ");
    assert_contains(sw_err_message(), " points in all or use --device cpu");
}

/* Memory that is free changes a little from start to start: that is no reason to give up what has been computed. */
static void leaves_more_to_what_has_begun(void **state)
{
    const size_t bytes = 2 * POINTS * sizeof(double);
    struct sw_plan plan;
    (void)state;
    assert_int_equal(fit_in((size_t)((double)bytes / 0.93), false, SW_DEVICE, NULL, 0, &plan), SW_E_TOO_LARGE);
    assert_ok(fit_in((size_t)((double)bytes / 0.93), true, SW_DEVICE, NULL, 0, &plan));
    assert_int_equal(fit_in((size_t)((double)bytes / 0.97), true, SW_DEVICE, NULL, 0, &plan), SW_E_TOO_LARGE);
}

/* ---- problems that iterate */
static const char elliptic[] = "problem = \"elliptic\"; sweep = { c = [1.0, 2.0, 3.0]; }; f = \"x\"; "
                               "grid = { n = [16, 8, 4]; }; physics = { courant = \"c\"; }; iterations = 200;\n";

/* The runs of a batch, and the bytes that a run takes. */
static int64_t batch_of_elliptic(const char *override, int threads, double *bytes)
{
    const struct sw_device_ops ops = {.memory_free = memory_free};
    struct sw_device device = {.ops = &ops, .space = SW_HOST, .threads = threads};
    const struct sw_devices devices = {.count = 1, .device = {&device}};
    struct made m = make_text(elliptic, &override, 1);
    struct sw_plan_own own = {.of.sweep = m.sweep, .devices = &devices, .sharing = {sw_comm_null(), 1, 1, 1}};
    struct sw_plan plan = {.own = &own, .ranks = 1};
    struct sw_group *group;
    int64_t run[RUNS] = {0, 1, 2}, most = 0;
    int count;
    assert_ok(sw_sweep_groups(m.sweep, run, RUNS, &group, &count));
    assert_ok(plan_fit(&plan, group, false, &most));
    *bytes = plan_run_bytes(&plan, group);
    sw_groups_free(&group, count);
    unmake(&m);
    return most;
}

static void a_batch_that_an_interruption_loses_is_small(void **state)
{
    double bytes, with;
    (void)state;
    assert_int_equal(batch_of_elliptic("grid.n=[64, 32, 16]", 4, &bytes), 32);    /* 2^20 points */
    assert_int_equal(batch_of_elliptic("grid.n=[256, 256, 16]", 4, &bytes), 4);   /* a run a thread */
    assert_int_equal(batch_of_elliptic("grid.n=[256, 256, 16]", 64, &bytes), 64);
    assert_int_equal(batch_of_elliptic("grid.n=[256, 256, 32]", 64, &bytes), 32); /* within 2^26 points */
    /* a history: of the sim, of the batch, and the one that is being written */
    batch_of_elliptic("output.history=false", 4, &bytes);
    batch_of_elliptic("output.history=true", 4, &with);
    assert_near(with - bytes, 3.0 * 201 * sizeof(double), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_the_host_holds_beside_a_device),
        cmocka_unit_test(refuses_what_the_host_cannot_hold),
        cmocka_unit_test(says_a_size_that_fits),
        cmocka_unit_test(leaves_more_to_what_has_begun),
        cmocka_unit_test(a_batch_that_an_interruption_loses_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
