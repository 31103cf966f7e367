#ifndef SW_GPUS_H
#define SW_GPUS_H
/** How many GPUs "auto" may find, by the files of the driver and CUDA_VISIBLE_DEVICES. The driver, which knows whether
 * one can be used, is not started: that takes part of a second. 0 in a build without CUDA. */
int sw_gpus_seen(void);
#endif
