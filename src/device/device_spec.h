#ifndef DEVICE_SPEC_H
#define DEVICE_SPEC_H
/* What a spec of devices names: "auto", "cpu", "cuda", "cuda:0,2"; and the row that none names, of architectures. */
#include "device/sw_device.h"

struct device_wanted {
    const struct sw_device_ops *ops;    /* NULL: auto                               */
    int  count, index[SW_DEVICES_MOST]; /* those that are numbered; 0: none is      */
};

/* Operations of rows whose arrays lie in the host's memory: copies are copies, and nothing is ever queued. */
void device_host_close(struct sw_device *device);
enum sw_status device_host_copy(struct sw_device *device, void *to, const void *from, size_t bytes);
enum sw_status device_host_wait(struct sw_device *device);

extern const struct sw_device_ops sw_device_architecture;  /* its index is an architecture: 90 for sm_90 */

/** Whether they are there is not looked at. @return SW_E_USAGE no such device, or one is named twice */
enum sw_status device_read_spec(const char *spec, struct device_wanted *wanted);
#endif
