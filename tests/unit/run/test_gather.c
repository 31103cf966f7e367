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

/* A part takes some ten milliseconds to write and to join: all thousand batches make one test (small: 200), 400 (at
 * last 24 in a part) and 200 (12 in a part) the others. Run 500, which blows up, is among them. */
static const char some[] = "sweep.k=\"range(300, 699)\"", few[] = "sweep.k=\"range(400, 599)\"";

static void a_thousand_batches_give_the_bits_of_one(void **state)
{
    static const char *const device[] = {"cpu", "cpu:0,1,2"};
    const char *one = path("one.h5"), *many = path("many.h5");
    (void)state;
    for (int k = 0; k < 4; k++) {
        const size_t n = k != 1 || small_suite() ? 200 : 1000;
        const char *runs = n == 1000 ? NULL : few;
        assert_ok(perform(&(struct call){.config = thousand, .file = one, .override = {outputs[k], runs}}));
        for (int d = 0; d < 2; d++) {
            if (k != 1 && d != k / 2) continue;
            struct call c = {.config = thousand, .file = many, .device = device[d],
                             .override = {k == 3 ? "run.batch=20" : "run.batch=1", outputs[k], runs}};
            assert_ok(perform(&c));
            assert_int_equal(c.batches, k == 3 ? n / 20 : n);
            assert_int_equal(c.summary.done, n - 1);
            assert_int_equal(c.summary.diverged, 1);
            if (k != 2) assert_rows(one, many, "energy", n, 0, n, 0, n);
            assert_rows(one, many, "u", n, 0, n, 0, n);
            assert_rows(one, many, "status", n, 0, n, 0, n);
            assert_rows(one, many, "steps", n, 0, n, 0, n);
            if (k == 1) assert_rows(one, many, "most", n, 0, n, 0, n);
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
    assert_ok(perform(&(struct call){.config = thousand, .file = one, .override = {some}}));
    for (int d = small_suite(); d < 2; d++) {
        int64_t done = 0, stops = 0;
        for (;; stops++) {
            struct call c = {.config = thousand, .file = many, .device = device[d], .override = {"run.batch=1", some},
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
        assert_int_equal(done, 400);
        assert_true(stops > 1);
        assert_same(one, many, 400);
        rm(many);
    }
    rm(one);
}

/* The device breaks off among the batches that have a part each, and among those that are gathered. */
static void a_broken_device_loses_no_batch(void **state)
{
    const char *one = path("one.h5"), *many = path("many.h5");
    (void)state;
    assert_ok(perform(&(struct call){.config = thousand, .file = one, .override = {few}}));
    for (int k = 0; k < 2; k++) {
        struct call c = {.config = thousand, .file = many, .device = "cpu:0,1", .override = {"run.batch=1", few},
                         .breaks = "cpu:1", .after = 30 + 82 * k, .with = SW_E_CUDA};
        assert_ok(perform(&c));
        assert_int_equal(c.summary.done, 199);
        assert_int_equal(c.summary.diverged, 1);
        assert_same(one, many, 200);
        rm(many);
    }
    /* alone: what it computed is kept, also what was gathered */
    struct call c = {.config = thousand, .file = many, .override = {"run.batch=1", few}, .breaks = "cpu", .after = 350,
                     .with = SW_E_CUDA};
    assert_int_equal(perform(&c), SW_E_CUDA);
    struct call again = {.config = thousand, .file = many, .override = {few}};
    assert_ok(perform(&again));
    assert_int_equal(again.already, c.summary.done + c.summary.diverged);
    assert_true(again.already > 50);
    assert_same(one, many, 200);
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
        if (column[k] != 550) continue;  /* the 150 before it have ended */
        ended_at_first = count_ended(watched);
        for (int tries = 0; tries < 300 && count_ended(watched) < 150; tries++) usleep(100000);
        ended_later = count_ended(watched);
    }
}

/* Where the disk is slow beside other tests, all may have waited long enough just as the long batch begins: then once
 * more. */
static void none_waits_for_a_long_batch(void **state)
{
    watched = path("long.h5");
    ended_at_first = 150;
    (void)state;
    for (int tries = 0; tries < 10 && ended_at_first == 150; tries++) {
        assert_ok(perform(&(struct call){.config = thousand, .file = watched, .override = {"run.batch=1", few},
                                         .loads = take_long}));
        assert_int_equal(ended_later, 150);
        rm(watched);
    }
    assert_true(ended_at_first < 150);
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
