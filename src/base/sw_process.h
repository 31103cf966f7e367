#ifndef SW_PROCESS_H
#define SW_PROCESS_H
/* Processes of this machine. */
#include <stdint.h>

/** When a process started, in ticks since the machine did: its number may be another's later. -1: it has ended, but its
 * parent has not asked how (a zombie). NAN: there is none, or this system does not say. */
double sw_process_started(int64_t pid);
#endif
