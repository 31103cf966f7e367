#ifndef ARCHITECTURE_H
#define ARCHITECTURE_H
/* An architecture of GPUs as a device, for tests that compile kernels where there is no GPU. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "device/sw_device.h"
#include "device/sw_kernels.h"
#include "helpers.h"
#include "quick_kernels.h"

/** @return close with sw_device_close(). A build without CUDA, or a machine without the compiler, skips the test, or
 *          fails it where rows of CUDA are needed */
static inline struct sw_device *open_architecture(int sm)
{
    struct sw_device *device;
    void *cubin;
    size_t bytes;
    bool from_cache;
    char name[16];
    snprintf(name, sizeof name, "sm_%d", sm);
    enum sw_status st = sw_kernel_compile("extern \"C\" __global__ void nothing_k() {}", "nothing", sm, &cubin, &bytes,
                                          &from_cache);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    assert_ok(st);
    sw_free(cubin);
    assert_ok(sw_device_open_architecture(name, 1, &device));
    return device;
}

/** Skip the test likewise, before it holds anything. */
static inline void need_architectures(void)
{
    struct sw_device *device = open_architecture(90);
    sw_device_close(&device);
}

/** What has been created on it. Closes it. */
static inline void assert_compiled(enum sw_status st, struct sw_device *device)
{
    sw_device_close(&device);
    if (st) fail_msg("%s", sw_err_message());
}
#endif
