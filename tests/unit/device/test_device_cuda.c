/* The CUDA device: memory, copies, and kernels compiled at run time. Skipped without one. */
#include "helpers.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_kernels.h"

static struct sw_device *device;
static char absent[4096];

static int open_device(void **state)
{
    (void)state;
    if (sw_device_open("cuda", 1, &device)) snprintf(absent, sizeof absent, "%s", sw_err_message());
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    sw_device_close(&device);
    return 0;
}

static void need_device(void)
{
    if (!device) skip_unless_needed("cuda", absent);
}

static void knows_what_it_is(void **state)
{
    (void)state;
    need_device();
    assert_int_equal(device->space, SW_DEVICE);
    assert_true(device->name[0] && device->driver[0] && device->runtime[0]);
    assert_true(device->sm >= 50 && device->processors > 0);
    assert_true(device->memory_total > sw_device_memory_free(device) && sw_device_memory_free(device) > 0);
    assert_true(device->compute && device->copy && device->compute != device->copy);
}

static void refuses_a_device_past_the_last_and_says_how_many_there_are(void **state)
{
    struct sw_device *d = NULL;
    (void)state;
    need_device();
    assert_int_equal(sw_device_open("cuda:999", 1, &d), SW_E_ABSENT);
    assert_contains(sw_err_message(), "there is no device 'cuda:999'; this machine has");
    assert_null(d);
}

static void gives_zeros_and_copies_there_and_back(void **state)
{
    enum { COUNT = 100003 };
    double *there = NULL, *pinned = NULL;
    (void)state;
    need_device();
    for (int round = 0; round < 2; round++) {  /* the second time the memory has been used before */
        assert_ok(sw_device_alloc(device, COUNT, &there));
        assert_ok(sw_device_alloc_host(device, COUNT, &pinned));
        for (int k = 0; k < COUNT; k++) assert_true(pinned[k] == 0.0);
        assert_ok(sw_device_download(device, pinned, there, COUNT * sizeof *there));
        for (int k = 0; k < COUNT; k++) assert_true(pinned[k] == 0.0);
        for (int k = 0; k < COUNT; k++) pinned[k] = sin(k);
        assert_ok(sw_device_upload(device, there, pinned, COUNT * sizeof *there));
        memset(pinned, 0, COUNT * sizeof *pinned);
        assert_ok(sw_device_download(device, pinned, there, COUNT * sizeof *there));
        for (int k = 0; k < COUNT; k++) assert_true(pinned[k] == sin(k));
        assert_ok(sw_device_wait(device));
        sw_device_free(device, there);
        sw_device_free_host(device, pinned);
    }
}

static void says_how_much_memory_was_asked_for_and_goes_on(void **state)
{
    char *p = (char *)&state;
    (void)state;
    need_device();
    assert_int_equal(sw_device_alloc(device, device->memory_total + ((size_t)1 << 30), &p), SW_E_MEMORY);
    assert_contains(sw_err_message(), "out of device memory");
    assert_contains(sw_err_message(), "GiB free of");
    assert_null(p);
    assert_ok(sw_device_alloc(device, 1000, &p));
    sw_device_free(device, p);
}

static const char text[] =
    "struct pair { int n; double factor; };\n"
    "extern \"C\" __global__ void scale_k(struct pair p, double *x)\n"
    "{\n"
    "    int k = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (k < p.n) x[k] *= p.factor + gridDim.y;\n"
    "}\n";

struct pair { int n; double factor; };

static void create(const char *const *names, int count, void **kernels, struct sw_module **module)
{
    enum sw_status st = sw_module_create(device, text, "test", names, count, kernels, module);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    assert_int_equal(st, SW_OK);
}

static void runs_a_kernel_compiled_now(void **state)
{
    enum { COUNT = 1000 };
    static const char *const names[] = {"scale_k"};
    void *kernel;
    double *there = NULL, here[COUNT];
    struct sw_module *module = NULL;
    struct pair p = {COUNT - 1, 2.0};
    void *args[] = {&p, &there};
    (void)state;
    need_device();
    create(names, 1, &kernel, &module);
    for (int k = 0; k < COUNT; k++) here[k] = k;
    assert_ok(sw_device_alloc(device, COUNT, &there));
    assert_ok(sw_device_upload(device, there, here, sizeof here));
    assert_ok(sw_kernel_launch(device, kernel, 0, 1, 128, 0, args));  /* no blocks: nothing happens */
    assert_ok(sw_kernel_launch(device, kernel, (COUNT + 127) / 128, 1, 128, 0, args));
    assert_ok(sw_device_download(device, here, there, sizeof here));
    for (int k = 0; k < COUNT; k++) assert_true(here[k] == (k < COUNT - 1 ? 3.0 * k : k));
    /* a block has 1024 threads at most */
    assert_int_equal(sw_kernel_launch(device, kernel, 1, 1, 4096, 0, args), SW_E_CUDA);
    assert_ok(sw_device_wait(device));
    sw_device_free(device, there);
    sw_module_unload(device, &module);
    assert_null(module);
}

static void names_a_kernel_that_is_not_there(void **state)
{
    static const char *const names[] = {"scale_k", "missing_k"};
    void *kernels[2];
    struct sw_module *module = NULL;
    (void)state;
    need_device();
    create(names, 2, kernels, &module);
    assert_int_equal(sw_kernel_launch(device, kernels[1], 1, 1, 128, 0, NULL), SW_E_CUDA);
    assert_contains(sw_err_message(), "missing_k");
    sw_module_unload(device, &module);
    assert_null(module);
}

static void *copy_elsewhere(void *result)
{
    double *there = NULL, value = 7.0, back = 0.0;
    bool ok = !sw_device_alloc(device, 1, &there) && !sw_device_upload(device, there, &value, sizeof value) &&
              !sw_device_download(device, &back, there, sizeof back) && back == 7.0;
    sw_device_free(device, there);
    *(bool *)result = ok;
    return NULL;
}

static void works_from_another_thread(void **state)
{
    pthread_t thread;
    bool ok = false;
    (void)state;
    need_device();
    assert_int_equal(pthread_create(&thread, NULL, copy_elsewhere, &ok), 0);
    pthread_join(thread, NULL);
    assert_true(ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_it_is),
        cmocka_unit_test(refuses_a_device_past_the_last_and_says_how_many_there_are),
        cmocka_unit_test(gives_zeros_and_copies_there_and_back),
        cmocka_unit_test(says_how_much_memory_was_asked_for_and_goes_on),
        cmocka_unit_test(runs_a_kernel_compiled_now),
        cmocka_unit_test(names_a_kernel_that_is_not_there),
        cmocka_unit_test(works_from_another_thread),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
