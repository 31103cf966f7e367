/* Arrays that an object owns: counted as they are allocated, and all freed whichever of them fails. */
#include "base/sw_err.h"
#include "device/sw_device.h"
#include "device/sw_owned.h"
#include "helpers.h"

enum { MANY = 40 };  /* more than the list has room for at first */

static const struct sw_device_ops *sound;
static int allowed, live;  /* allocations until one fails, and those that are not freed */

static enum sw_status alloc(struct sw_device *device, size_t bytes, void **out)
{
    *out = NULL;
    if (allowed-- == 0) return SW_FAIL(SW_E_MEMORY, "no more");
    live++;
    return sound->alloc(device, bytes, out);
}

static void release(struct sw_device *device, void *memory)
{
    live--;
    sound->free(device, memory);
}

static void list(struct sw_owned *own, double *array[MANY])
{
    int *host;
    for (int k = 0; k < MANY; k++) sw_array_device(own, (size_t)k, &array[k]);
    sw_array(own, 3, &host);
}

static void frees_what_was_allocated_before_one_fails(void **state)
{
    struct sw_device *device;
    double *array[MANY];
    (void)state;
    assert_ok(sw_device_open("cpu", 1, &device));
    sound = device->ops;
    struct sw_device_ops ops = *sound;
    ops.alloc = alloc;
    ops.free = release;
    device->ops = &ops;
    for (int fails = 0; fails <= MANY; fails++) {
        struct sw_owned own = {.device = device};
        allowed = fails;
        list(&own, array);
        assert_int_equal(own.status, fails < MANY ? SW_E_MEMORY : SW_OK);
        for (int k = 0; k < MANY; k++) assert_int_equal(array[k] != NULL, k < fails);
        assert_int_equal(live, fails);
        sw_owned_free(&own);
        assert_int_equal(live, 0);
        sw_owned_free(&own);
    }
    device->ops = sound;
    sw_device_close(&device);
}

static void counts_what_it_would_allocate(void **state)
{
    const size_t device_bytes = MANY * (MANY - 1) / 2 * sizeof(double), host_bytes = 3 * sizeof(int);
    struct sw_owned counted = {.counts = true};
    double *array[MANY];
    (void)state;
    list(&counted, array);
    for (int k = 0; k < MANY; k++) assert_null(array[k]);
    assert_int_equal(sw_owned_bytes(&counted, SW_DEVICE), device_bytes);
    assert_int_equal(sw_owned_bytes(&counted, SW_HOST), device_bytes + host_bytes);
    sw_owned_free(&counted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frees_what_was_allocated_before_one_fails),
        cmocka_unit_test(counts_what_it_would_allocate),
    };
    return cmocka_run_group_tests_name("owned arrays", tests, NULL, NULL);
}
