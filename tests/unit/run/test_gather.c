/* Small batches that go into one part with others (run/gather.h): the results are those of one batch, whatever stops
 * the call or breaks, and there are few parts. */
#include "run_sweep_helpers.h"

#include <glob.h>

static int count_parts(const char *file)
{
    char pattern[600];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s.d/part-*.h5", file);
    const int count = glob(pattern, 0, NULL, &found) ? 0 : (int)found.gl_pathc;
    if (count) globfree(&found);
    return count;
}

static const char *const outputs[] = {
    "output.scalars.every=1",
    "output.scalars={ every = 1.0; define = { most = \"max(u)\"; }; }",
    "output={ fields={ times=[0.0, 2.0]; }; }",
    "output.fields.precision=single",  /* gathers nothing: numbers beyond its range are counted as parts are made */
};

static void a_thousand_batches_give_the_bits_of_one(void **state)
{
    static const char *const device[] = {"cpu", "cpu:0,1,2"};
    const char *one = path("one.h5"), *many = path("many.h5");
    (void)state;
    for (int k = 0; k < 4; k++) {
        assert_ok(perform(&(struct call){.config = thousand, .file = one, .override = {outputs[k]}}));
        for (int d = 0; d < 2; d++) {
            struct call c = {.config = thousand, .file = many, .device = device[d],
                             .override = {k == 3 ? "run.batch=20" : "run.batch=1", outputs[k]}};
            assert_ok(perform(&c));
            assert_int_equal(c.batches, k == 3 ? 50 : 1000);
            assert_int_equal(c.summary.done, 999);
            assert_int_equal(c.summary.diverged, 1);
            if (k != 2) assert_rows(one, many, "energy", 1000, 0, 1000, 0, 1000);
            assert_rows(one, many, "u", 1000, 0, 1000, 0, 1000);
            assert_rows(one, many, "status", 1000, 0, 1000, 0, 1000);
            assert_rows(one, many, "steps", 1000, 0, 1000, 0, 1000);
            if (k == 1) assert_rows(one, many, "most", 1000, 0, 1000, 0, 1000);
            rm(many);
        }
        rm(one);
    }
}

/* All batches that had ended before a stop are there afterwards, in few parts. */
static void stops_lose_no_batch(void **state)
{
    static const char *const device[] = {"cpu", "cpu:0,1"};
    const char *one = path("one.h5"), *many = path("many.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = one}));
    for (int d = 0; d < 2; d++) {
        int64_t done = 0, stops = 0;
        for (;; stops++) {
            struct call c = {.config = thousand, .file = many, .device = device[d], .override = {"run.batch=1"},
                             .stop_after = 150 + 37 * stops};
            const int parts = count_parts(many);
            const enum sw_status st = perform(&c);
            assert_int_equal(c.already, done);
            done += c.summary.done + c.summary.diverged;
            if (!st) break;
            assert_int_equal(st, SW_E_STOPPED);
            assert_true(c.summary.done >= 50);
            assert_in_range(count_parts(many) - parts, 16, 80 * (d + 1));
        }
        assert_int_equal(done, 1000);
        assert_true(stops > 1);
        assert_same(one, many, 1000);
        rm(many);
    }
    rm(one);
}

static void a_broken_device_loses_no_batch(void **state)
{
    const char *one = path("one.h5"), *many = path("many.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = one}));
    for (int k = 0; k < 3; k++) {
        struct call c = {.config = thousand, .file = many, .device = "cpu:0,1", .override = {"run.batch=1"},
                         .breaks = "cpu:1", .after = 30 + 41 * k, .with = SW_E_CUDA};
        assert_ok(perform(&c));
        assert_int_equal(c.summary.done, 999);
        assert_int_equal(c.summary.diverged, 1);
        assert_same(one, many, 1000);
        rm(many);
    }
    /* alone: what it computed is kept, also what was gathered */
    struct call c = {.config = thousand, .file = many, .override = {"run.batch=1"}, .breaks = "cpu", .after = 700,
                     .with = SW_E_CUDA};
    assert_int_equal(perform(&c), SW_E_CUDA);
    struct call again = {.config = thousand, .file = many};
    assert_ok(perform(&again));
    assert_int_equal(again.already, c.summary.done + c.summary.diverged);
    assert_true(again.already > 100);
    assert_same(one, many, 1000);
    rm(many);
    rm(one);
}

/* While a batch takes long, those before it reach the disk. */
static const char *watched;
static int64_t ended_at_first, ended_later;

static int64_t count_ended(const char *file)
{
    struct sw_report report = {0};
    struct sw_completed *completed = NULL;
    assert_ok(sw_completed_open_live(file, &report, &completed));
    const int64_t count = completed->count;
    sw_completed_close(&completed);
    sw_report_free(&report);
    return count;
}

static void take_long(const double *column, int count)
{
    for (int k = 0; k < count; k++) {
        if (column[k] != 400) continue;
        ended_at_first = count_ended(watched);
        for (int tries = 0; tries < 300 && count_ended(watched) < 400; tries++) usleep(100000);
        ended_later = count_ended(watched);
    }
}

static void none_waits_for_a_long_batch(void **state)
{
    watched = path("long.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = watched, .override = {"run.batch=1"},
                                     .loads = take_long}));
    assert_true(ended_at_first < 400);
    assert_int_equal(ended_later, 400);
    rm(watched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_batches_give_the_bits_of_one),
        cmocka_unit_test(stops_lose_no_batch),
        cmocka_unit_test(a_broken_device_loses_no_batch),
        cmocka_unit_test(none_waits_for_a_long_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
