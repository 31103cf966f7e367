/* Ladders: batches wait for those that their runs start from. What comes out must not depend on the devices, on the
 * batches, on memory that is less than was reported, on a device that breaks off, or on where all was stopped. */
#include "run_sweep_helpers.h"

#include "base/sw_err.h"

/* 5 rungs up and 5 down, of 6 runs each; one ladder fails half-way up, which takes all above it. */
static const char *const ladders =
    "problem = \"allen_cahn\"; physics = { gamma = \"s/10\"; };\n"
    "forcing = \"r + (s > 1.35 && r > 0.1 ? 1e100 : 0)\";\n"
    "grid = { n = 16; length = 6.0; }; time = { dt = 0.05; end = 10.0; };\n"
    "sweep = { s = [0.8, 0.9, 1.0, 1.1, 1.2, 1.4];\n"
    "          r = { values = \"linspace(-0.4, 0.4, 5)\"; ladder = \"both\"; }; };\n"
    "initial = \"-1 + 0.1*cos(2*pi*x/6)\"; accuracy = { runs = 0; };\n"
    "output = { scalars = { every = 5.0; }; fields = { times = [0.0, 10.0]; }; };\n";
enum { RUNS = 60, FAILED = 7 };  /* r = 0.2 upwards, and all that comes after */

static void compute_whole(const char *file)
{
    struct call c = {.config = ladders, .file = file};
    assert_ok(perform(&c));
    assert_int_equal(c.batches, 10);
    assert_int_equal(c.summary.done, RUNS - FAILED);
    assert_int_equal(c.summary.diverged, 1);
    assert_int_equal(c.summary.failed, FAILED - 1);
    assert_int_equal(c.failures, FAILED);
}

static void bits_do_not_depend_on_devices_and_batches(void **state)
{
    static const char *const device[] = {"cpu", "cpu:0,1", "cpu:0,1,2", "cpu:0,1,2,3,4,5,6"};
    static const char *const batch[] = {"run.batch=1", "run.batch=4", "run.batch=100"};
    const char *whole = path("whole.h5"), *file = path("other.h5");
    (void)state;
    compute_whole(whole);
    for (int k = 0; k < 12; k += small_suite() ? 5 : 1) {  /* small: each batch on 1, 2 and 3 devices */
        struct call c = {.config = ladders, .file = file, .device = device[k % 4], .override = {batch[k / 4]}};
        assert_ok(perform(&c));
        assert_int_equal(c.summary.done, RUNS - FAILED);
        assert_same(whole, file, RUNS);
        rm(file);
    }
    rm(whole);
}

static void halves_of_a_rung_are_a_rung(void **state)
{
    const char *whole = path("whole.h5"), *file = path("room.h5");
    (void)state;
    compute_whole(whole);
    for (int room = 1; room < 6; room += small_suite() ? 3 : 1) {
        assert_ok(perform(&(struct call){.config = ladders, .file = file, .room = room}));
        assert_same(whole, file, RUNS);
        rm(file);
    }
    rm(whole);
}

static void goes_on_from_every_stop(void **state)
{
    static const char *const device[] = {"cpu", "cpu:0,1", "cpu:0,1,2"};
    const char *whole = path("whole.h5"), *file = path("stopped.h5");
    int all = 0, stops;
    (void)state;
    compute_whole(whole);
    for (int every = 10; every <= (small_suite() ? 10 : 40); every *= 2) {
        for (stops = 0; stops < 200; stops++) {
            struct call c = {.config = ladders, .file = file, .override = {"run.batch=3"}, .stop_after = every,
                             .device = device[stops % 3], .retry_failed = stops % 5 == 4};
            const enum sw_status st = perform(&c);
            if (!st) break;
            assert_int_equal(st, SW_E_STOPPED);
        }
        assert_true(stops < 200);
        all += stops;
        assert_same(whole, file, RUNS);
        rm(file);
    }
    assert_true(all > 3);
    rm(whole);
}

static void others_go_on_where_a_device_breaks(void **state)
{
    static const enum sw_status with[] = {SW_E_CUDA, SW_E_MEMORY};
    const char *whole = path("whole.h5"), *file = path("broken.h5");
    (void)state;
    compute_whole(whole);
    for (int k = 0; k < 8; k += small_suite() ? 3 : 1) {
        struct call c = {.config = ladders, .file = file, .device = "cpu:0,1,2", .override = {"run.batch=2"},
                         .breaks = k % 2 ? "cpu:1" : "cpu:0 cpu:2", .after = 5 * k, .with = with[k / 2 % 2]};
        const enum sw_status st = perform(&c);
        if (st) assert_ok(perform(&(struct call){.config = ladders, .file = file, .override = {"run.batch=2"}}));
        assert_same(whole, file, RUNS);
        rm(file);
    }
    struct call all = {.config = ladders, .file = file, .device = "cpu:0,1", .breaks = "cpu:0 cpu:1", .after = 20,
                       .with = SW_E_CUDA};
    assert_int_equal(perform(&all), SW_E_CUDA);
    struct call again = {.config = ladders, .file = file};
    assert_ok(perform(&again));
    assert_true(again.already > 0);
    assert_same(whole, file, RUNS);
    rm(file);
    rm(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_devices_and_batches),
        cmocka_unit_test(halves_of_a_rung_are_a_rung),
        cmocka_unit_test(goes_on_from_every_stop),
        cmocka_unit_test(others_go_on_where_a_device_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
