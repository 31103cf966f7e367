/* Which devices a spec opens, by devices that are not there: this program has a table of devices of its own. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "device/sw_device.h"
#include "helpers.h"

enum { VISIBLE = 5, BROKEN = 4 };
static const char *const model[VISIBLE] = {"new", "new", "old", "new", "none"};
static int visible;
static atomic_int opened, calls;  /* and not closed; in all */

static int count(void) { return visible; }

static enum sw_status open_gpu(int index, struct sw_device *device)
{
    if (index >= visible) return SW_FAIL(SW_E_ABSENT, "there are %d", visible);
    if (index == BROKEN) return SW_FAIL(SW_E_CUDA, "number %d is broken", index);
    snprintf(device->name, sizeof device->name, "%s", model[index]);
    device->space = SW_DEVICE;
    device->sm = 90;
    atomic_fetch_add(&opened, 1);
    atomic_fetch_add(&calls, 1);
    return SW_OK;
}

static enum sw_status open_host(int index, struct sw_device *device)
{
    assert_int_equal(index, 0);
    snprintf(device->name, sizeof device->name, "host");
    atomic_fetch_add(&opened, 1);
    return SW_OK;
}

static void close_any(struct sw_device *device)
{
    (void)device;
    atomic_fetch_sub(&opened, 1);
}

static const struct sw_device_ops gpu = {.kind = "gpu", .open = open_gpu, .close = close_any, .count = count};
static const struct sw_device_ops host = {.kind = "host", .open = open_host, .close = close_any};
static const struct sw_device_ops lacking = {.kind = "lacking", .absent = "not in this build"};
const struct sw_device_ops *const sw_device_table[] = {&lacking, &gpu, &host, 0};

/* What a spec opens: "gpu:0 gpu:1", with 9 threads "gpu:0/4 gpu:1/5". */
static void assert_opens_at_most(const char *spec, int threads, int most, const char *expected)
{
    struct sw_devices d;
    char text[400] = "";
    assert_ok(sw_devices_open(spec, threads, most, &d));
    assert_int_equal(opened, d.count);
    for (int k = 0; k < d.count; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s/%d", k ? " " : "", d.device[k]->label,
                 d.device[k]->threads);
    assert_string_equal(text, expected);
    sw_devices_close(&d);
    assert_int_equal(opened, 0);
    assert_int_equal(d.count, 0);
}

static void assert_opens(const char *spec, int threads, const char *expected)
{
    assert_opens_at_most(spec, threads, SW_DEVICES_MOST, expected);
}

static void assert_refused(const char *spec, enum sw_status status, const char *text)
{
    struct sw_devices d;
    assert_int_equal(sw_devices_open(spec, 1, SW_DEVICES_MOST, &d), status);
    assert_contains(sw_err_message(), text);
    assert_int_equal(d.count, 0);
    assert_int_equal(opened, 0);
}

static void a_kind_is_all_that_are_like_the_first(void **state)
{
    (void)state;
    visible = 4;
    assert_opens("gpu", 12, "gpu:0/4 gpu:1/4 gpu:3/4");
    assert_opens("auto", 12, "gpu:0/4 gpu:1/4 gpu:3/4");
    visible = 1;
    assert_opens("gpu", 3, "gpu:0/3");
    visible = 0;
    assert_opens("auto", 3, "host/3");
    assert_refused("gpu", SW_E_ABSENT, "there are 0");
}

static void numbers_are_these_in_this_order(void **state)
{
    (void)state;
    visible = 4;
    assert_opens("gpu:2", 2, "gpu:2/2");
    assert_opens("gpu:2,0", 7, "gpu:2/3 gpu:0/4");
    assert_opens("gpu:0,1,2,3", 2, "gpu:0/1 gpu:1/1 gpu:2/1 gpu:3/1");  /* each has one at least */
    assert_refused("gpu:0,7", SW_E_ABSENT, "there are 4");
    assert_refused("gpu:0,0", SW_E_USAGE, "names 0 twice");
}

static void a_device_of_all_that_does_not_open_is_named(void **state)
{
    (void)state;
    visible = VISIBLE;
    assert_refused("gpu", SW_E_CUDA, "number 4 is broken");
    assert_refused("gpu:4,0", SW_E_CUDA, "gpu:4: number 4 is broken; to continue without it, name the others: "
                                         "--device gpu:N,M");
    assert_refused("gpu:4", SW_E_CUDA, "number 4 is broken");
    assert_opens("gpu:0,1,3", 3, "gpu:0/1 gpu:1/1 gpu:3/1");  /* the others do */
}

static void what_there_is_one_of_is_divided(void **state)
{
    (void)state;
    assert_opens("host", 5, "host/5");
    assert_opens("host:0", 5, "host/5");
    assert_opens("host:0,1", 5, "host:0/2 host:1/3");
    assert_refused("host:1", SW_E_USAGE, "all cores together are the device 'host'");
    assert_refused("host:0,2", SW_E_USAGE, "two groups of threads are 'host:0,1'");
}

static void no_more_are_opened_than_there_is_work_for(void **state)
{
    (void)state;
    visible = 4;
    calls = 0;
    assert_opens_at_most("auto", 12, 1, "gpu:0/12");
    assert_int_equal(calls, 1);
    assert_opens_at_most("gpu", 12, 2, "gpu:0/6 gpu:1/6");
    assert_int_equal(calls, 3);
    assert_opens_at_most("gpu", 12, 3, "gpu:0/4 gpu:1/4 gpu:3/4");  /* 2 is of another model, which opening it tells */
    assert_int_equal(calls, 7);
    assert_opens_at_most("gpu:3,2,1", 4, 2, "gpu:3/2 gpu:2/2");
    assert_int_equal(calls, 9);
    assert_opens_at_most("gpu:3,2,1", 4, 9, "gpu:3/1 gpu:2/1 gpu:1/2");
    assert_opens_at_most("host:0,1,2", 6, 1, "host:0/6");
    assert_opens_at_most("host:0,1,2", 6, 2, "host:0/3 host:1/3");
    struct sw_devices d;
    assert_int_equal(sw_devices_open("gpu:0,7", 1, 1, &d), SW_E_ABSENT);
    visible = VISIBLE;  /* one that is broken is no matter where it is not needed */
    assert_opens_at_most("auto", 12, 2, "gpu:0/6 gpu:1/6");
}

static void what_this_build_lacks_is_said(void **state)
{
    (void)state;
    assert_refused("lacking", SW_E_ABSENT, "device 'lacking': not in this build");
    assert_refused("lacking:0,1", SW_E_ABSENT, "not in this build");
    assert_refused("lacking:0,0", SW_E_USAGE, "names 0 twice");
}

static void one_device_is_the_first(void **state)
{
    struct sw_device *d;
    (void)state;
    visible = 4;
    assert_ok(sw_device_open("gpu", 2, &d));
    assert_string_equal(d->label, "gpu:0");
    assert_ok(sw_device_use(d));
    sw_device_close(&d);
    assert_int_equal(sw_device_open("gpu:0,1", 2, &d), SW_E_USAGE);
    assert_contains(sw_err_message(), "'gpu:0,1' are 2 devices, and here one is used");
    assert_int_equal(opened, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_is_all_that_are_like_the_first),
        cmocka_unit_test(numbers_are_these_in_this_order),
        cmocka_unit_test(a_device_of_all_that_does_not_open_is_named),
        cmocka_unit_test(what_there_is_one_of_is_divided),
        cmocka_unit_test(no_more_are_opened_than_there_is_work_for),
        cmocka_unit_test(what_this_build_lacks_is_said),
        cmocka_unit_test(one_device_is_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
