/* The front of the devices, and the CPU. The CUDA device has its own tests. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "device/sw_kernels.h"
#include "helpers.h"

#ifdef __SANITIZE_ADDRESS__
/* An allocation that is too large shall fail here too, not end the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

static void opens_the_cpu_with_all_its_threads(void **state)
{
    struct sw_device *d = NULL;
    (void)state;
    assert_ok(sw_device_open("cpu", 0, &d));
    assert_int_equal(d->space, SW_HOST);
    assert_true(d->threads >= 1);
    assert_true(d->processors >= 1);
    assert_contains(d->name, d->threads == 1 ? "1 thread)" : "threads)");
    assert_true(d->memory_total > (size_t)1 << 26);
    assert_true(sw_device_memory_free(d) > 0 && sw_device_memory_free(d) <= d->memory_total);
    sw_device_close(&d);
    assert_null(d);
    sw_device_close(&d);
    sw_device_close(NULL);
}

static void takes_as_many_threads_as_asked_for(void **state)
{
    struct sw_device *d = NULL;
    (void)state;
    assert_ok(sw_device_open("cpu", 3, &d));
    assert_int_equal(d->threads, 3);
    assert_contains(d->name, "(3 threads)");
    sw_device_close(&d);
}

static void auto_takes_the_first_that_opens(void **state)
{
    struct sw_device *d = NULL, *cuda = NULL;
    (void)state;
    assert_ok(sw_device_open("auto", 1, &d));
    bool has_cuda = !sw_device_open("cuda", 1, &cuda);
    assert_int_equal(d->space, has_cuda ? SW_DEVICE : SW_HOST);
    sw_device_close(&d);
    sw_device_close(&cuda);
}

static void refuse(const char *spec, int threads, enum sw_status status, const char *text)
{
    struct sw_device *d = (struct sw_device *)&status;
    assert_int_equal(sw_device_open(spec, threads, &d), status);
    assert_contains(sw_err_message(), text);
    assert_null(d);
}

static void knows_how_a_device_is_written(void **state)
{
    static const char *const right[] = {"auto", "cpu", "cuda", "cuda:0", "cuda:7", "cuda:999", "cuda:0,2", "cuda:3,1,2",
                                        "cpu:0", "cpu:0,1"};
    static const char *const wrong[] = {"gpu", "", "cuda:", "cuda:x", "cuda:-1", "cudax", "cpu:1", "auto:1", "CPU",
                                        "cuda:0,", "cuda:,1", "cuda:0,0", "cuda:0 1", "cuda:0-2", "cuda:1024",
                                        "cpu:0,2", "cpu:1,0"};
    (void)state;
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) assert_ok(sw_device_check(right[k]));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) assert_int_equal(sw_device_check(wrong[k]), SW_E_USAGE);
}

static void refuses_devices_that_do_not_exist(void **state)
{
    (void)state;
    refuse("gpu", 0, SW_E_USAGE, "there is no device 'gpu'; use auto, cpu, cuda, cuda:N or cuda:N,M,...");
    refuse("", 0, SW_E_USAGE, "there is no device ''");
    refuse("cuda:", 0, SW_E_USAGE, "there is no device 'cuda:'");
    refuse("cuda:x", 0, SW_E_USAGE, "there is no device 'cuda:x'");
    refuse("cuda:-1", 0, SW_E_USAGE, "there is no device 'cuda:-1'");
    refuse("cudax", 0, SW_E_USAGE, "there is no device 'cudax'");
    refuse("cpu:1", 0, SW_E_USAGE, "there is no device 'cpu:1': all cores together are the device 'cpu'");
    refuse("cuda:999", 0, SW_E_ABSENT, "CUDA");  /* which of several reasons depends on the machine */
    refuse("cpu", -2, SW_E_USAGE, "-2 threads");
}

static void copies_arrays_there_and_back(void **state)
{
    struct sw_device *d = NULL;
    double *there = NULL, *pinned = NULL, back[5] = {9, 9, 9, 9, 9};
    const double here[5] = {1, 2, 3, 4, 5};
    (void)state;
    assert_ok(sw_device_open("cpu", 1, &d));
    assert_ok(sw_device_alloc(d, 5, &there));
    assert_ok(sw_device_alloc_host(d, 5, &pinned));
    assert_ok(sw_device_download(d, back, there, sizeof back));
    for (int k = 0; k < 5; k++) assert_true(back[k] == 0.0 && pinned[k] == 0.0);  /* arrays of zeros */
    assert_ok(sw_device_upload(d, there, here, sizeof here));
    assert_ok(sw_device_download(d, back, there, sizeof back));
    assert_memory_equal(back, here, sizeof here);
    assert_ok(sw_device_upload(d, there, NULL, 0));
    assert_ok(sw_device_wait(d));
    sw_device_free(d, there);
    sw_device_free_host(d, pinned);
    sw_device_free(d, NULL);
    sw_device_close(&d);
}

static void says_how_much_memory_was_asked_for(void **state)
{
    struct sw_device *d = NULL;
    double *p = (double *)&d;
    (void)state;
    assert_ok(sw_device_open("cpu", 1, &d));
    assert_int_equal(sw_device_alloc(d, SIZE_MAX / 4, &p), SW_E_MEMORY);
    assert_contains(sw_err_message(), "more than this machine can address");
    assert_null(p);
    assert_int_equal(sw_device_alloc(d, (size_t)1 << 57, &p), SW_E_MEMORY);  /* 2^60 bytes: no machine has them */
    assert_contains(sw_err_message(), "1.074e+09 GiB asked for");
    assert_contains(sw_err_message(), "GiB free");
    assert_null(p);
    sw_device_close(&d);
}

static void kernels_without_cuda_say_what_to_install(void **state)
{
    (void)state;
#ifndef SW_HAVE_CUDA
    void *cubin = &state;
    size_t bytes = 1;
    bool cached = true;
    assert_int_equal(sw_kernel_compile("", "forcing", 90, &cubin, &bytes, &cached), SW_E_ABSENT);
    assert_contains(sw_err_message(), "built without CUDA: install the CUDA toolkit");
    assert_null(cubin);
#endif
}

/* Of several processes each has its share: all of the CPU; of GPUs, those that leave its number when divided. */
static void processes_have_their_share_of_the_devices(void **state)
{
    struct sw_devices devices, all;
    int users = 0;
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        assert_ok(sw_devices_open_share("cpu", 1, SW_DEVICES_MOST, turn, 3, &users, &devices));
        assert_int_equal(devices.count, 1);
        assert_int_equal(users, 1);
        sw_devices_close(&devices);
    }
    if (sw_devices_open("cuda", 1, SW_DEVICES_MOST, &all)) skip_unless_needed("cuda", sw_err_message());
    for (int of = 1; of <= all.count + 2; of++)
        for (int turn = 0; turn < of; turn++) {
            assert_ok(sw_devices_open_share("cuda", 1, SW_DEVICES_MOST, turn, of, &users, &devices));
            assert_int_equal(users, (of + all.count - 1) / all.count);
            for (int k = 0; k < devices.count; k++)
                assert_int_equal(devices.device[k]->index, of < all.count ? turn + k * of : turn % all.count);
            sw_devices_close(&devices);
        }
    assert_ok(sw_devices_open_share("cuda:0", 1, SW_DEVICES_MOST, 2, 3, &users, &devices));
    assert_int_equal(users, 3);
    assert_int_equal(devices.device[0]->index, 0);
    sw_devices_close(&devices);
    sw_devices_close(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_the_cpu_with_all_its_threads),
        cmocka_unit_test(takes_as_many_threads_as_asked_for),
        cmocka_unit_test(auto_takes_the_first_that_opens),
        cmocka_unit_test(knows_how_a_device_is_written),
        cmocka_unit_test(refuses_devices_that_do_not_exist),
        cmocka_unit_test(copies_arrays_there_and_back),
        cmocka_unit_test(says_how_much_memory_was_asked_for),
        cmocka_unit_test(kernels_without_cuda_say_what_to_install),
        cmocka_unit_test(processes_have_their_share_of_the_devices),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
