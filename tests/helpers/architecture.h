#ifndef ARCHITECTURE_H
#define ARCHITECTURE_H
/* An architecture of GPUs as a device, for tests that compile kernels where there is no GPU. */
#include <stdio.h>

#include "device/sw_device.h"
#include "helpers.h"

/** @return close with sw_device_close(). A build without CUDA skips the test, or fails it where such rows are needed */
static inline struct sw_device *open_architecture(int sm)
{
    struct sw_device *device;
    char name[16];
    snprintf(name, sizeof name, "sm_%d", sm);
    const enum sw_status st = sw_device_open_architecture(name, 1, &device);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    assert_ok(st);
    return device;
}

/** What has been created on it, or could not be: SW_E_ABSENT there is no compiler, which skips the test likewise. The
 * device is closed. */
static inline void assert_compiled(enum sw_status st, struct sw_device *device)
{
    sw_device_close(&device);
    if (st == SW_E_ABSENT) skip_unless_needed("cuda", sw_err_message());
    if (st) fail_msg("%s", sw_err_message());
}
#endif
