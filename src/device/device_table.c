/* Every kind of device there is, the preferred first. To add one: write device_<name>.c, add its row. */
#include "device/sw_device.h"

extern const struct sw_device_ops device_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_device_ops device_cuda;
#else
static const struct sw_device_ops device_cuda = {.kind = "cuda", .absent = SW_WITHOUT_CUDA};
#endif

const struct sw_device_ops *const sw_device_table[] = {
    &device_cuda,
    &device_cpu,
    0,
};
