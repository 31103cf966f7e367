/* GPUs as the files of their driver tell. */
#include "device/sw_gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/sw_device.h"

int sw_gpus_seen(void)
{
    int seen = 0;
#ifdef SW_HAVE_CUDA
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    char file[32];
    if (visible && (!*visible || *visible == '-')) return 0;
    for (int k = 0; k < SW_DEVICES_MOST; k++) {
        snprintf(file, sizeof file, "/dev/nvidia%d", k);
        seen += !access(file, F_OK);
    }
    if (!seen) seen = !access("/dev/dxg", F_OK);  /* of all GPUs, in a virtual machine of Windows */
#endif
    return seen;
}
